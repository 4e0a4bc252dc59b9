/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The client: its session with the server, its data connections and its runs.
 * Everything runs on one engine, that of the thread which runs the tests.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_memory.h>
#include <rte_string_fns.h>

#include "devices.h"
#include "env.h"
#include "fp.h"
#include "peer.h"

/* Milliseconds between two attempts to find a server that is not there yet. */
#define CLIENT_RETRY_MS 10
/* Seconds between two looks at prompt and signals. */
#define CLIENT_TICK 0.05

static uint64_t
clock_in(double seconds)
{
	return rte_rdtsc() + (uint64_t)(seconds * (double)rte_get_tsc_hz());
}

int
client_fail(struct client *cl, int status, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(cl->error, sizeof(cl->error), format, ap);
	va_end(ap);
	return status;
}

int
client_fp_step(struct client *cl, int n)
{
	n += (int)fp_poll(cl->fp);
	if (n > 0)
		return n;
	/* Workers of their own need no help, and may need the CPU. */
	if (!fp_is_inline(cl->fp))
		app_wait(cl->app, cl->pe, 1);
	else if (cl->opt->event)
		app_wait(cl->app, cl->pe, 10);
	return n;
}

/* ---- connections ---- */

static void
client_state_cb(struct rte_comch_ctx *ctx, enum rte_comch_state prev, enum rte_comch_state next,
		void *user_data)
{
	struct client_conn *cc = user_data;
	struct rte_comch_ctx_info info;

	RTE_SET_USED(prev);
	cc->state = next;
	if (next == RTE_COMCH_STATE_RUNNING) {
		cc->reason = 0;
		if (rte_comch_ctx_info_get(ctx, &info) == 0)
			cc->conn = info.conn;
	} else if (next == RTE_COMCH_STATE_IDLE) {
		cc->reason = rte_comch_ctx_reason_get(ctx);
		cc->conn = NULL;
	} else if (next == RTE_COMCH_STATE_STOPPING && cc->flow != NULL) {
		/* It gets IDLE only when all of its tasks are free. */
		flow_detach(cc->flow);
	}
	if (cc->changed != NULL)
		cc->changed(cc);
}

static void
client_recv_cb(struct rte_comch_conn *conn, const void *msg, uint32_t len, void *user_data)
{
	struct client_conn *cc = user_data;

	RTE_SET_USED(conn);
	cc->recv(cc, msg, len);
}

/* Before it has joined, a connection of a run carries one reply. */
static void
client_recv_join(struct client_conn *cc, const void *msg, uint32_t len)
{
	const struct peer_hdr *hdr = msg;

	if (peer_msg_check(msg, len) != PEER_JOIN_REPLY)
		cc->reason = -EPROTO;
	else if (peer_msg_status(hdr) != 0)
		cc->reason = peer_msg_status(hdr);
	else
		cc->joined = true;
	/* What comes from here on is the test's, maybe at once. */
	cc->recv = cc->data_recv;
}

static void
client_consumer_cb(struct rte_comch_conn *conn, uint32_t consumer_id, void *user_data)
{
	struct client_conn *cc = user_data;

	RTE_SET_USED(conn);
	if (cc->consumer != NULL)
		cc->consumer(cc, consumer_id);
}

/* One that is stuck, when its test is over. */
static void
client_recv_nothing(struct client_conn *cc, const void *msg, uint32_t len)
{
	RTE_SET_USED(cc);
	RTE_SET_USED(msg);
	RTE_SET_USED(len);
}

/* What is lost with a consumer shows in the producers, or with the connection. */
static void
client_consumer_gone_cb(struct rte_comch_conn *conn, uint32_t consumer_id, void *user_data)
{
	RTE_SET_USED(conn);
	RTE_SET_USED(consumer_id);
	RTE_SET_USED(user_data);
}

int
client_conn_create(struct client *cl, uint32_t max_msg_size, uint32_t nb_tasks,
		struct client_conn **out)
{
	struct rte_comch_client_conf conf = {
		.name = cl->opt->name,
		.connect_timeout_ms = cl->opt->timeout_ms,
		.ctrl = {
			.max_msg_size = max_msg_size,
			.recv_queue_size = cl->opt->recv_queue,
			.nb_tasks = nb_tasks,
			.state_cb = client_state_cb,
			.send_cb = send_io_cb,
			.recv_cb = client_recv_cb,
			.consumer_new_cb = client_consumer_cb,
			.consumer_gone_cb = client_consumer_gone_cb,
		},
	};
	struct client_conn *cc;
	int ret;

	cc = calloc(1, sizeof(*cc));
	if (cc == NULL)
		return client_fail(cl, -ENOMEM, "no memory for a connection");
	cc->cl = cl;
	cc->recv = client_recv_join;
	conf.ctrl.user_data = cc;
	ret = rte_comch_client_create(cl->dev_id, &conf, &cc->ctx);
	if (ret != 0) {
		free(cc);
		return client_fail(cl, ret, "cannot create a client on %s: %s", cl->info.name,
				strerror(-ret));
	}
	ret = rte_comch_ctx_attach(cc->ctx, cl->pe);
	if (ret != 0) {
		rte_comch_ctx_destroy(cc->ctx);
		free(cc);
		return client_fail(cl, ret, "cannot attach a client to the engine: %s",
				strerror(-ret));
	}
	*out = cc;
	return 0;
}

int
client_conns_start(struct client *cl, struct client_conn **ccs, uint32_t nb)
{
	/* The library's timeout comes first, for it knows why. */
	uint64_t deadline = clock_in((double)cl->opt->timeout_ms / 1e3 + 1.0);
	uint32_t i, up, started = 0;
	int ret;

	/* Not all at once: the other side has only so much room for requests. */
	for (;;) {
		up = 0;
		for (i = 0; i < started; i++) {
			if (ccs[i]->state == RTE_COMCH_STATE_RUNNING)
				up++;
			else if (ccs[i]->state == RTE_COMCH_STATE_IDLE)
				return client_fail(cl, ccs[i]->reason != 0 ? ccs[i]->reason : -EIO,
						"connection %u to '%s' (--name) failed: %s", i,
						cl->opt->name,
						rte_comch_reason_str(ccs[i]->reason));
		}
		if (up == nb)
			return 0;
		while (started < nb && started - up < 64) {
			ret = rte_comch_ctx_start(ccs[started]->ctx);
			if (ret != 0 && ret != -EINPROGRESS)
				return client_fail(cl, ret, "cannot start client %u: %s", started,
						strerror(-ret));
			started++;
		}
		client_step(cl);
		if (client_check(cl) != 0)
			return -ECANCELED;
		if (rte_rdtsc() > deadline)
			return client_fail(cl, -ETIMEDOUT, "%u of %u connections to '%s' are not "
					"made after %u ms; raise --timeout or use fewer", nb - up,
					nb, cl->opt->name, cl->opt->timeout_ms);
	}
}

static void
client_conn_stop(struct client_conn *cc)
{
	/* The tasks that are not submitted are in the way of IDLE. */
	flow_close(cc->flow);
	cc->flow = NULL;
	cc->changed = NULL;
	cc->consumer = NULL;
	cc->recv = client_recv_nothing;
	rte_comch_ctx_stop(cc->ctx);
}

void
client_conns_close(struct client *cl, struct client_conn **ccs, uint32_t nb)
{
	uint64_t deadline = clock_in(PEER_PATIENCE);
	uint32_t i, left;
	int ret;

	for (i = 0; i < nb; i++) {
		if (ccs[i] != NULL)
			client_conn_stop(ccs[i]);
	}
	do {
		left = 0;
		for (i = 0; i < nb; i++) {
			if (ccs[i] != NULL && ccs[i]->state != RTE_COMCH_STATE_IDLE)
				left++;
		}
		if (left > 0)
			rte_comch_pe_progress(cl->pe);
	} while (left > 0 && rte_rdtsc() < deadline);
	if (left > 0)
		fprintf(stderr, "%u client%s did not get idle\n", left, left == 1 ? "" : "s");

	for (i = 0; i < nb; i++) {
		if (ccs[i] == NULL)
			continue;
		/* One that is stuck stays: its callbacks may still come. */
		ret = rte_comch_ctx_destroy(ccs[i]->ctx);
		if (ret != 0) {
			app_left("a client", ret);
			continue;
		}
		free(ccs[i]);
		ccs[i] = NULL;
	}
}

/* ---- session ---- */

static void
client_recv_reply(struct client_conn *cc, const void *msg, uint32_t len)
{
	const struct peer_hdr *hdr = msg;
	struct client *cl = cc->cl;
	int type = peer_msg_check(msg, len);

	if (type > 0 && len > sizeof(cl->reply))
		type = -EPROTO;
	/* A run that was given up may be answered late. */
	if (type > 0 && rte_le_to_cpu_32(hdr->run) != cl->call_run)
		return;
	if (type > 0)
		memcpy(&cl->reply, msg, len);
	else if (type == -EPROTONOSUPPORT)
		cl->reply.hdr = *hdr;
	cl->reply_type = type;
}

int
client_check(struct client *cl)
{
	uint64_t now = rte_rdtsc();

	if (now >= cl->next_tick) {
		cl->next_tick = now + (uint64_t)(CLIENT_TICK * (double)rte_get_tsc_hz());
		app_tick(cl->app);
	}
	if (app_stop_wanted(cl->app))
		return client_fail(cl, -ECANCELED, "stopped");
	if (cl->session != NULL && cl->session->state != RTE_COMCH_STATE_RUNNING &&
			cl->session->state != RTE_COMCH_STATE_STARTING)
		return client_fail(cl, cl->session->reason != 0 ? cl->session->reason : -ENOTCONN,
				"the session with the server is lost: %s",
				rte_comch_reason_str(cl->session->reason));
	return 0;
}

/* Send a request and wait for its reply; text is where that has its error text. */
static int
client_call(struct client *cl, const struct peer_hdr *msg, int want, const char *text)
{
	/* Of the fast path the server has memory to take, or messages to fetch. */
	const struct fp_spec *spec = cl->fp != NULL ? fp_spec_get(cl->fp) : NULL;
	const double patience = PEER_PATIENCE + (spec == NULL ? 0 : PEER_PATIENCE +
			fp_patience((uint64_t)spec->size * spec->posts * spec->nb_conns));
	uint64_t deadline = clock_in(patience);
	const char *name = peer_msg_name(rte_le_to_cpu_16(msg->type));
	int ret;

	cl->reply_type = 0;
	cl->call_run = rte_le_to_cpu_32(msg->run);
	ret = send_copy(cl->session->conn, msg, rte_le_to_cpu_32(msg->len));
	if (ret != 0)
		return client_fail(cl, ret, "cannot send '%s' to the server: %s", name,
				strerror(-ret));
	while (cl->reply_type == 0) {
		client_step(cl);
		ret = client_check(cl);
		if (ret != 0)
			return ret;
		if (rte_rdtsc() > deadline)
			return client_fail(cl, -ETIMEDOUT, "the server has not answered '%s' for "
					"%.0f s; it may hang", name, patience);
	}
	if (cl->reply_type == -EPROTONOSUPPORT)
		return client_fail(cl, -EPROTONOSUPPORT, "the server speaks version %u of this "
				"tool's protocol, and this client version %u; use the same tool",
				rte_le_to_cpu_16(cl->reply.hdr.version), PEER_VERSION);
	if (cl->reply_type != want)
		return client_fail(cl, -EPROTO, "the server answered '%s' with '%s'", name,
				peer_msg_name(cl->reply_type));
	ret = peer_msg_status(&cl->reply.hdr);
	if (ret != 0)
		return client_fail(cl, ret, "the server refused '%s': %s", name,
				text != NULL && text[0] != '\0' ? text : strerror(-ret));
	return 0;
}

static int
client_hello(struct client *cl)
{
	static const uint8_t none[PEER_BOOT_ID];
	uint8_t boot_id[PEER_BOOT_ID];
	struct peer_hello hello;
	uint32_t cpu;
	int ret;

	peer_msg_init(&hello.hdr, PEER_HELLO, 0, 0, 0);
	hello.pid = rte_cpu_to_le_32((uint32_t)getpid());
	strlcpy(hello.tool_version, TEST_COMCH_VERSION, sizeof(hello.tool_version));
	ret = client_call(cl, &hello.hdr, PEER_HELLO_REPLY, cl->reply.hello.text);
	if (ret != 0)
		return ret;
	cl->session_id = rte_le_to_cpu_32(cl->reply.hdr.session);
	cl->server_pid = rte_le_to_cpu_32(cl->reply.hello.pid);
	cl->server_max_window = rte_le_to_cpu_32(cl->reply.hello.max_window);
	cpu = rte_le_to_cpu_32(cl->reply.hello.cpu);
	cl->server_cpu = cpu > INT32_MAX ? -1 : (int)cpu;
	strlcpy(cl->server_version, cl->reply.hello.tool_version, sizeof(cl->server_version));
	env_boot_id(boot_id);
	cl->same_machine = memcmp(boot_id, none, sizeof(none)) != 0 &&
			memcmp(boot_id, cl->reply.hello.boot_id, sizeof(boot_id)) == 0;
	limit_place_set(&cl->place, env_cpu(), cl->server_cpu, cl->same_machine, cl->opt->event);
	cpu = rte_le_to_cpu_32(cl->reply.hello.fp_cpu);
	limit_place_set(&cl->fp_place, fp_cpu(false, cl->opt->role == ROLE_LOOPBACK),
			cpu > INT32_MAX ? -1 : (int)cpu, cl->same_machine, cl->opt->event);
	cl->fp_place.move = cl->fp_place.cpu != cl->place.cpu;
	return 0;
}

/*
 * The session's connection. A server that is about to start is not there yet:
 * the function is, and says -ENOENT at once. So it is tried again until the
 * timeout is over.
 */
static int
client_connect(struct client *cl)
{
	uint64_t deadline = clock_in((double)cl->opt->timeout_ms / 1e3);
	struct client_conn *cc;
	int ret;

	for (;;) {
		ret = client_conn_create(cl, 0, PEER_SPARE_TASKS, &cc);
		if (ret != 0)
			return ret;
		cc->recv = client_recv_reply;
		ret = client_conns_start(cl, &cc, 1);
		if (ret == 0)
			break;
		client_conns_close(cl, &cc, 1);
		if ((ret != -ENOENT && ret != -ECONNREFUSED && ret != -ESHUTDOWN) ||
				rte_rdtsc() > deadline)
			return ret;
		app_wait(cl->app, NULL, CLIENT_RETRY_MS);
	}
	cl->session = cc;
	return 0;
}

int
client_open(struct app *app, int16_t dev_id, uint32_t nb_tasks, struct client **out)
{
	struct rte_comch_pe_conf pe_conf = {
		.socket_id = SOCKET_ID_ANY,
		.max_tasks = nb_tasks,
	};
	struct client *cl;
	int ret;

	cl = calloc(1, sizeof(*cl));
	if (cl == NULL)
		return -ENOMEM;
	cl->app = app;
	cl->opt = &app->opt;
	cl->dev_id = dev_id;
	ret = rte_comch_dev_info_get(dev_id, &cl->info);
	if (ret == 0)
		ret = rte_comch_pe_create(&pe_conf, &cl->pe);
	if (ret != 0) {
		client_fail(cl, ret, "cannot create a progress engine with %u tasks: %s; "
				"give EAL more memory, or use fewer clients or a smaller window",
				nb_tasks, strerror(-ret));
		goto fail;
	}
	ret = client_connect(cl);
	if (ret == 0)
		ret = client_hello(cl);
	if (ret != 0)
		goto fail;
	app->client = cl;
	*out = cl;
	return 0;

fail:
	app_line(app);
	fprintf(stderr, "%s\n", cl->error);
	client_close(cl);
	return ret;
}

void
client_close(struct client *cl)
{
	uint64_t deadline = clock_in(PEER_PATIENCE);
	struct rte_comch_ctx_info info;
	struct peer_bye bye;
	int ret;

	if (cl == NULL)
		return;
	cl->app->client = NULL;
	if (cl->nb_idle > 0)
		client_conns_close(cl, cl->idle, cl->nb_idle);
	free(cl->idle);
	if (cl->session != NULL) {
		if (cl->session->state == RTE_COMCH_STATE_RUNNING) {
			peer_msg_init(&bye.hdr, PEER_BYE, cl->session_id, 0, 0);
			send_copy(cl->session->conn, &bye, sizeof(bye));
			while (rte_comch_ctx_info_get(cl->session->ctx, &info) == 0 &&
					info.nb_tasks > 0 && rte_rdtsc() < deadline)
				rte_comch_pe_progress(cl->pe);
		}
		client_conns_close(cl, &cl->session, 1);
	}
	ret = rte_comch_pe_destroy(cl->pe);
	if (ret != 0)
		app_left("the progress engine", ret);
	free(cl);
}

/* ---- idle clients ---- */

static int
server_memory(struct client *cl, uint64_t *bytes)
{
	struct peer_memory msg;
	int ret;

	peer_msg_init(&msg.hdr, PEER_MEMORY, cl->session_id, 0, 0);
	ret = client_call(cl, &msg.hdr, PEER_MEMORY_REPLY, NULL);
	if (ret == 0)
		*bytes = rte_le_to_cpu_64(cl->reply.memory.bytes);
	return ret;
}

int
client_idle_set(struct client *cl, uint32_t nb)
{
	uint64_t here[2], there[2];
	uint32_t i;
	int ret;

	if (nb == cl->nb_idle)
		return 0;
	client_conns_close(cl, cl->idle, cl->nb_idle);
	free(cl->idle);
	cl->idle = NULL;
	cl->nb_idle = 0;
	cl->idle_bytes_client = 0;
	cl->idle_bytes_server = 0;
	if (nb == 0)
		return 0;
	if (nb >= cl->info.max_clients)
		return client_fail(cl, -EINVAL, "idle-clients: %u and the session are more than "
				"the %u clients that a server on %s takes; use fewer", nb,
				cl->info.max_clients, cl->info.name);

	cl->idle = calloc(nb, sizeof(cl->idle[0]));
	if (cl->idle == NULL)
		return client_fail(cl, -ENOMEM, "no memory for %u clients", nb);
	cl->nb_idle = nb;
	ret = server_memory(cl, &there[0]);
	if (ret != 0)
		return ret;
	here[0] = env_memory();
	for (i = 0; i < nb; i++) {
		ret = client_conn_create(cl, 0, 1, &cl->idle[i]);
		if (ret != 0)
			return ret;
	}
	ret = client_conns_start(cl, cl->idle, nb);
	if (ret == 0)
		ret = server_memory(cl, &there[1]);
	if (ret != 0)
		return ret;
	here[1] = env_memory();
	cl->idle_bytes_client = ((double)here[1] - (double)here[0]) / nb;
	/* One process for both ends has counted it already. */
	if (cl->server_pid != (uint32_t)getpid())
		cl->idle_bytes_server = ((double)there[1] - (double)there[0]) / nb;
	app_line(cl->app);
	printf("%u idle clients: memory per idle connection %.1f KiB here, %.1f KiB at the server, "
			"%.1f KiB in all\n", nb, cl->idle_bytes_client / 1024,
			cl->idle_bytes_server / 1024,
			(cl->idle_bytes_client + cl->idle_bytes_server) / 1024);
	return 0;
}

/* ---- runs ---- */

/* Tell the server what is going to be run; 0 or a negative errno after a message. */
static int
run_announce(struct client *cl, const struct client_run_spec *spec)
{
	struct peer_start start;
	uint32_t flags = 0, cpu;
	int ret;

	flags |= cl->opt->event ? PEER_RUN_EVENT : 0;
	flags |= cl->opt->validate ? PEER_RUN_VALIDATE : 0;
	flags |= cl->opt->bidir ? PEER_RUN_BIDIR : 0;
	peer_msg_init(&start.hdr, PEER_START, cl->session_id, ++cl->run_id, 0);
	strlcpy(start.test, spec->test->name, sizeof(start.test));
	start.size = rte_cpu_to_le_32(spec->fp != NULL ? spec->fp->size : spec->pt->size);
	start.window = rte_cpu_to_le_32(spec->pt->window);
	start.nb_conns = rte_cpu_to_le_32(spec->nb_conns);
	if (spec->fp != NULL) {
		flags = spec->fp->flags;
		start.imm_len = rte_cpu_to_le_32(spec->fp->imm_len);
		start.burst = rte_cpu_to_le_32(spec->fp->burst);
		start.stride = rte_cpu_to_le_32(spec->fp->stride);
		start.posts = rte_cpu_to_le_32(spec->fp->posts);
		start.sources = rte_cpu_to_le_32(spec->fp->sources);
		start.producers = rte_cpu_to_le_32(spec->fp->producers);
		start.consumers = rte_cpu_to_le_32(spec->fp->peer_consumers);
	}
	start.flags = rte_cpu_to_le_32(flags);
	ret = client_call(cl, &start.hdr, PEER_START_REPLY, cl->reply.start.text);
	if (ret != 0)
		return ret;
	/* A server that may float has another CPU now and then. */
	cpu = rte_le_to_cpu_32(cl->reply.start.cpu);
	cl->server_cpu = cpu > INT32_MAX ? -1 : (int)cpu;
	return 0;
}

/* Make the connections of a run. What was made is freed with the run. */
static int
run_connect(struct client *cl, const struct client_run_spec *spec, struct client_run *run)
{
	uint32_t max_msg_size = 0, i;
	int ret;

	run->conns = calloc(spec->nb_conns, sizeof(run->conns[0]));
	if (run->conns == NULL)
		return client_fail(cl, -ENOMEM, "no memory for the connections");
	run->nb_conns = spec->nb_conns;
	cl->run = run;
	if (spec->fp == NULL && spec->pt->size > cl->info.dflt_msg_size)
		max_msg_size = spec->pt->size;
	for (i = 0; i < spec->nb_conns; i++) {
		/* One more for the message that joins it. */
		ret = client_conn_create(cl, max_msg_size, spec->nb_tasks + 1, &run->conns[i]);
		if (ret != 0)
			return ret;
		run->conns[i]->index = i;
		run->conns[i]->data_recv = spec->recv;
		run->conns[i]->consumer = spec->consumer;
		run->conns[i]->arg = spec->arg;
	}
	return client_conns_start(cl, run->conns, spec->nb_conns);
}

/* Have the server take the connections for this run, and wait until it has. */
static int
run_join(struct client *cl, const struct client_run *run)
{
	struct peer_join join;
	uint64_t deadline;
	uint32_t i, nb;
	int ret;

	peer_msg_init(&join.hdr, PEER_JOIN, cl->session_id, cl->run_id, 0);
	for (i = 0; i < run->nb_conns; i++) {
		join.index = rte_cpu_to_le_32(i);
		ret = send_copy(run->conns[i]->conn, &join, sizeof(join));
		if (ret != 0)
			return client_fail(cl, ret, "cannot send on connection %u: %s", i,
					strerror(-ret));
	}
	deadline = clock_in(PEER_PATIENCE);
	do {
		client_step(cl);
		ret = client_check(cl);
		if (ret != 0)
			return ret;
		for (i = 0, nb = 0; i < run->nb_conns; i++) {
			struct client_conn *cc = run->conns[i];

			if (cc->reason != 0)
				return client_fail(cl, cc->reason,
						"connection %u could not join the run: %s", i,
						rte_comch_reason_str(cc->reason));
			nb += cc->joined ? 1 : 0;
		}
		if (rte_rdtsc() > deadline)
			return client_fail(cl, -ETIMEDOUT, "the server has not let connections "
					"join the run for %.0f s; it may hang", PEER_PATIENCE);
	} while (nb < run->nb_conns);
	return 0;
}

int
client_run_begin(struct client *cl, const struct client_run_spec *spec, struct client_run *run)
{
	int ret;

	memset(run, 0, sizeof(*run));
	ret = run_announce(cl, spec);
	if (ret != 0)
		return ret;
	cl->cpu_ns = env_cpu_time_ns();
	if (spec->nb_conns == 0)
		return 0;
	ret = run_connect(cl, spec, run);
	if (ret != 0)
		return ret;
	return run_join(cl, run);
}

void
client_run_free(struct client *cl, struct client_run *run)
{
	cl->run = NULL;
	if (run->conns != NULL)
		client_conns_close(cl, run->conns, run->nb_conns);
	free(run->conns);
	run->conns = NULL;
}

void
client_run_abort(struct client *cl, struct client_run *run)
{
	char error[OPT_ERR_SIZE];
	struct peer_stop stop;

	/* The server is waited for, but the first error is the one to tell. */
	if (!run->stopped && cl->session->state == RTE_COMCH_STATE_RUNNING) {
		strlcpy(error, cl->error, sizeof(error));
		peer_msg_init(&stop.hdr, PEER_STOP, cl->session_id, cl->run_id, 0);
		client_call(cl, &stop.hdr, PEER_STOP_REPLY, NULL);
		strlcpy(cl->error, error, sizeof(cl->error));
	}
	client_run_free(cl, run);
}

int
client_run_stop(struct client *cl, struct client_run *run, uint64_t rx_msgs, uint64_t connects,
		struct result *res)
{
	const struct peer_stop_reply *r = &cl->reply.stop;
	struct peer_stop stop;
	int ret;

	peer_msg_init(&stop.hdr, PEER_STOP, cl->session_id, cl->run_id, 0);
	stop.rx_msgs = rte_cpu_to_le_64(rx_msgs);
	stop.connects = rte_cpu_to_le_64(connects);
	run->stopped = true;
	ret = client_call(cl, &stop.hdr, PEER_STOP_REPLY, r->text);
	if (ret != 0)
		return ret;
	res->client_cpu += (double)(env_cpu_time_ns() - cl->cpu_ns) / 1e9;
	res->server_cpu += (double)rte_le_to_cpu_64(r->cpu_ns) / 1e9;
	if (rte_le_to_cpu_64(r->bad_msgs) != 0)
		return client_fail(cl, -EBADMSG, "validation failed: %" PRIu64 " of %" PRIu64
				" messages that the server received were not what was sent",
				rte_le_to_cpu_64(r->bad_msgs), rte_le_to_cpu_64(r->rx_msgs));
	if (rte_le_to_cpu_64(r->rx_msgs) != rx_msgs)
		return client_fail(cl, -EBADMSG, "%" PRIu64 " messages were delivered, but the "
				"server received %" PRIu64, rx_msgs, rte_le_to_cpu_64(r->rx_msgs));
	return 0;
}

int
client_run_end(struct client *cl, struct client_run *run, uint64_t rx_msgs, uint64_t connects,
		struct result *res)
{
	int ret = client_run_stop(cl, run, rx_msgs, connects, res);

	client_run_free(cl, run);
	return ret;
}

bool
client_conns_print(struct client *cl, int16_t dev_id, FILE *f)
{
	uint32_t i;

	if (cl->dev_id != dev_id)
		return false;
	conns_head_print(f);
	fprintf(f, "client of '%s', data connections, and %u idle:\n", cl->opt->name, cl->nb_idle);
	if (cl->session != NULL)
		conn_print(cl->session->conn, f);
	for (i = 0; cl->run != NULL && i < cl->run->nb_conns; i++) {
		if (cl->run->conns[i] != NULL)
			conn_print(cl->run->conns[i]->conn, f);
	}
	return true;
}
