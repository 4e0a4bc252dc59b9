/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The life of the server: one engine, a context for each function, and the loop
 * that turns them. It sleeps unless a run is under way whose client wants it to
 * poll. What clients ask for is in peer_session.c.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_memory.h>

#include "devices.h"
#include "env.h"
#include "peer_server.h"

/* Send tasks of one server, if there is one; more functions share them. */
#define SERVER_MAX_TASKS 4096
#define SERVER_MIN_TASKS (PEER_SPARE_TASKS + 32)
#define SERVER_PE_TASKS 16384
/* Tasks beside those, for runs of the fast path that use them. */
#define SERVER_FP_TASKS 8192
/* Seconds without a message after which a polling run does not keep it awake. */
#define SERVER_POLL_PATIENCE 10.0
/* Turns of the engine with nothing to do between two looks at the clock. */
#define SERVER_IDLE_TURNS 1024


static enum server_state server_state;

enum server_state
server_state_get(void)
{
	return __atomic_load_n(&server_state, __ATOMIC_ACQUIRE);
}

static void
server_state_set(enum server_state state)
{
	__atomic_store_n(&server_state, state, __ATOMIC_RELEASE);
}

/* ---- fast path ---- */

/* Work of all runs; what is left of old ones is freed. Returns how much was done. */
static uint32_t
server_fps_turn(struct server *srv)
{
	struct srv_fp *f, *next;
	uint32_t n = 0;

	for (f = TAILQ_FIRST(&srv->fps); f != NULL; f = next) {
		next = TAILQ_NEXT(f, next);
		n += fp_poll(f->fp);
		if (likely(f->run != NULL || !fp_stopped(f->fp)))
			continue;
		TAILQ_REMOVE(&srv->fps, f, next);
		srv_fp_free(f);
	}
	return n;
}

static void
server_fps_check(struct server *srv)
{
	struct srv_fp *f;

	TAILQ_FOREACH(f, &srv->fps, next)
		srv_fp_check(f);
}

/* ---- life ---- */

static int
server_port_open(struct server *srv, struct server_port *port)
{
	const struct options *opt = &srv->app->opt;
	struct rte_comch_server_conf conf = {
		.name = opt->name,
		.ctrl = {
			.recv_queue_size = opt->recv_queue,
			.nb_tasks = srv->nb_tasks,
			/* the clients of a measurement are no strangers to each other */
			.max_conn_tasks = srv->nb_tasks,
			.state_cb = server_state_cb,
			.send_cb = send_io_cb,
			.recv_cb = server_recv_cb,
			.consumer_new_cb = server_consumer_cb,
			.consumer_gone_cb = server_consumer_gone_cb,
			.user_data = port,
		},
		.connect_cb = server_connect_cb,
		.disconnect_cb = server_disconnect_cb,
	};
	int ret;

	ret = rte_comch_server_create(srv->dev_id, port->rep.rep_id, &conf, &port->ctx);
	if (ret == 0)
		ret = rte_comch_ctx_attach(port->ctx, srv->pe);
	if (ret == 0)
		ret = rte_comch_ctx_start(port->ctx);
	if (ret == -EEXIST)
		fprintf(stderr, "name: a server '%s' runs on %s already; give another --name\n",
				opt->name, port->rep.name);
	else if (ret != 0)
		fprintf(stderr, "cannot serve '%s' on %s of %s: %s\n", opt->name, port->rep.name,
				srv->info.name, strerror(-ret));
	return ret;
}

static int
server_open(struct server *srv)
{
	const struct options *opt = &srv->app->opt;
	struct rte_comch_pe_conf pe_conf = { .socket_id = SOCKET_ID_ANY };
	struct rte_comch_rep_info *reps;
	uint32_t tasks;
	int nb, one = -1, i, ret;

	nb = rte_comch_rep_list(srv->dev_id, NULL, 0);
	if (nb <= 0) {
		fprintf(stderr, "%s has no representors; name functions in its device arguments\n",
				srv->info.name);
		return nb < 0 ? nb : -ENODEV;
	}
	if (opt->rep[0] != '\0') {
		one = rte_comch_rep_get_id_by_name(srv->dev_id, opt->rep);
		if (one < 0) {
			fprintf(stderr, "rep: %s has no function '%s'; see --list-dev\n",
					srv->info.name, opt->rep);
			return one;
		}
	}
	reps = calloc((size_t)nb, sizeof(*reps));
	srv->ports = calloc((size_t)nb, sizeof(*srv->ports));
	if (reps == NULL || srv->ports == NULL) {
		free(reps);
		return -ENOMEM;
	}
	nb = RTE_MIN(nb, rte_comch_rep_list(srv->dev_id, reps, (uint16_t)nb));

	/* The engine's tasks are shared out; a function that is alone gets most. */
	tasks = SERVER_PE_TASKS / (one >= 0 ? 1 : (uint32_t)RTE_MAX(nb, 1)) - 1;
	tasks = RTE_MIN(tasks, (uint32_t)SERVER_MAX_TASKS);
	tasks = RTE_MAX(tasks, (uint32_t)SERVER_MIN_TASKS);
	srv->nb_tasks = RTE_MIN(tasks, srv->info.max_ctrl_tasks);
	pe_conf.max_tasks = srv->nb_tasks * (one >= 0 ? 1 : (uint32_t)RTE_MAX(nb, 1)) + 1 +
			srv->info.max_clients + SERVER_FP_TASKS;
	ret = rte_comch_pe_create(&pe_conf, &srv->pe);
	if (ret != 0)
		fprintf(stderr, "cannot create a progress engine with %u tasks: %s; give EAL more "
				"memory or serve one function by --rep\n", pe_conf.max_tasks,
				strerror(-ret));
	for (i = 0; i < nb && ret == 0; i++) {
		struct server_port *port = &srv->ports[srv->nb_ports];

		if (one >= 0 && reps[i].rep_id != (uint16_t)one)
			continue;
		port->srv = srv;
		port->rep = reps[i];
		srv->nb_ports++;
		ret = server_port_open(srv, port);
	}
	free(reps);
	return ret;
}

static void
server_close(struct server *srv)
{
	uint64_t deadline = rte_rdtsc() + 2 * rte_get_tsc_hz();
	struct srv_session *s;
	struct srv_fp *f;
	uint16_t i, left;
	int ret;

	srv->over = true;
	/* Flows have tasks of the contexts, which get IDLE only without them. */
	TAILQ_FOREACH(s, &srv->sessions, next) {
		if (s->run != NULL)
			run_free(s->run);
	}
	while ((f = TAILQ_FIRST(&srv->fps)) != NULL) {
		TAILQ_REMOVE(&srv->fps, f, next);
		srv_fp_free(f);
	}
	for (i = 0; i < srv->nb_ports; i++) {
		if (srv->ports[i].ctx != NULL)
			rte_comch_ctx_stop(srv->ports[i].ctx);
	}
	do {
		left = 0;
		for (i = 0; i < srv->nb_ports; i++) {
			if (srv->ports[i].ctx != NULL && rte_comch_ctx_state_get(
					srv->ports[i].ctx) != RTE_COMCH_STATE_IDLE)
				left++;
		}
		if (left > 0)
			rte_comch_pe_progress(srv->pe);
	} while (left > 0 && rte_rdtsc() < deadline);
	for (i = 0; i < srv->nb_ports; i++) {
		ret = rte_comch_ctx_destroy(srv->ports[i].ctx);
		if (ret != 0)
			app_left("a server", ret);
	}
	ret = rte_comch_pe_destroy(srv->pe);
	if (ret != 0)
		app_left("the progress engine", ret);
	free(srv->ports);
}

static void
server_loop(struct server *srv)
{
	const uint64_t patience = (uint64_t)(SERVER_POLL_PATIENCE * (double)rte_get_tsc_hz());
	uint64_t awake_until = 0, next_tick = 0, now;
	uint32_t idle = 0;
	int n;

	while (!srv->over && !app_quit_wanted()) {
		if (TAILQ_EMPTY(&srv->fps)) {
			n = rte_comch_pe_progress(srv->pe);
		} else {
			n = (int)server_fps_turn(srv);
			n += rte_comch_pe_progress(srv->pe);
			server_fps_check(srv);
		}
		if (unlikely(srv->nb_stopping > 0))
			server_stops_check(srv);
		if (n > 0) {
			idle = 0;
			awake_until = 0;
			/* Who has a prompt is there for it, however busy. */
			if (srv->has_prompt && srv->app->prompt != NULL &&
					rte_rdtsc() > next_tick) {
				app_tick(srv->app);
				next_tick = rte_rdtsc() + rte_get_tsc_hz() / 20;
			}
			continue;
		}
		if (srv->nb_poll_runs > 0) {
			if (++idle % SERVER_IDLE_TURNS != 0)
				continue;
			if (srv->has_prompt)
				app_tick(srv->app);
			now = rte_rdtsc();
			if (awake_until == 0)
				awake_until = now + patience;
			if (now < awake_until)
				continue;
		}
		/* Stops that are late have to be answered too. */
		app_wait(srv->has_prompt ? srv->app : NULL, srv->pe, srv->nb_stopping > 0 ||
				!TAILQ_EMPTY(&srv->fps) ? 10 : 1000);
	}
}

int
server_run(struct app *app, int16_t dev_id, bool has_prompt)
{
	struct server *srv;
	int ret;

	srv = calloc(1, sizeof(*srv));
	if (srv == NULL) {
		server_state_set(SERVER_FAILED);
		return -ENOMEM;
	}
	srv->app = app;
	srv->dev_id = dev_id;
	srv->has_prompt = has_prompt;
	TAILQ_INIT(&srv->sessions);
	TAILQ_INIT(&srv->fps);
	ret = rte_comch_dev_info_get(dev_id, &srv->info);
	if (ret == 0)
		ret = server_open(srv);
	if (ret == 0) {
		/* Only the thread that owns the engine may look at connections. */
		if (has_prompt)
			app->server = srv;
		app_line(app);
		printf("serving '%s' on %s, %u function%s, pid %d, cpu %d\n", app->opt.name,
				srv->info.name, srv->nb_ports, srv->nb_ports == 1 ? "" : "s",
				(int)getpid(), env_cpu());
		fflush(stdout);
		server_state_set(SERVER_READY);
		server_loop(srv);
		ret = srv->error;
	} else {
		server_state_set(SERVER_FAILED);
	}
	if (has_prompt)
		app->server = NULL;
	server_close(srv);
	free(srv);
	return ret;
}

bool
server_conns_print(struct server *srv, int16_t dev_id, FILE *f)
{
	struct rte_comch_conn *conn;
	uint16_t i;

	if (srv->dev_id != dev_id)
		return false;
	conns_head_print(f);
	for (i = 0; i < srv->nb_ports; i++) {
		fprintf(f, "clients of %s: %u\n", srv->ports[i].rep.name, srv->ports[i].nb_conns);
		conn = NULL;
		while ((conn = rte_comch_server_conn_next(srv->ports[i].ctx, conn)) != NULL)
			conn_print(conn, f);
	}
	return true;
}
