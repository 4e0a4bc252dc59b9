/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * connect-rate: clients connect to the server, disconnect as soon as they are
 * connected, and connect again, a number of them in parallel. The times are
 * those from start to RUNNING.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>

#include "peer.h"
#include "rounds.h"

#define CONNECT_SECONDS 4.0
/* Turns of the engine between two looks at the clock. */
#define CONNECT_TURNS 16

struct connect_test {
	struct client *cl;
	const struct test_point *pt;
	struct result *res;
	struct client_run run;
	struct client_conn **ccs;
	struct hist *hist;
	/* Contexts whose state has changed: restarted outside of their callbacks. */
	struct client_conn **ready;
	uint32_t nb_ready;
	uint32_t nb_out;          /* neither IDLE nor failed */
	uint64_t connects;
	bool running;
	int error;
	uint32_t error_index;
};

/* ---- server: the connections that it counts send nothing and join nothing ---- */

static void
connect_srv_recv(struct srv_conn *sc, const void *msg, uint32_t len)
{
	RTE_SET_USED(msg);
	RTE_SET_USED(len);
	sc->bad_msgs++;
}

/* ---- client ---- */

static void
connect_changed(struct client_conn *cc)
{
	struct connect_test *t = cc->arg;

	switch (cc->state) {
	case RTE_COMCH_STATE_RUNNING:
		hist_add(t->hist, rte_rdtsc() - cc->started);
		t->connects++;
		t->ready[t->nb_ready++] = cc;
		break;
	case RTE_COMCH_STATE_IDLE:
		t->nb_out--;
		if (cc->reason != 0 && t->error == 0) {
			t->error = cc->reason;
			t->error_index = cc->index;
		}
		t->ready[t->nb_ready++] = cc;
		break;
	default:
		break;
	}
}

static int
connect_start(struct connect_test *t, struct client_conn *cc)
{
	int ret;

	cc->started = rte_rdtsc();
	t->nb_out++;
	ret = rte_comch_ctx_start(cc->ctx);
	if (ret == -EINPROGRESS)
		return 0;
	t->nb_out--;
	if (t->error == 0) {
		t->error = ret;
		t->error_index = cc->index;
	}
	return ret;
}

/* Turn the engine, disconnect who is connected, connect who is idle. */
static void
connect_step(struct connect_test *t)
{
	struct client_conn *cc;
	int ret;

	client_step(t->cl);
	/* Stopping adds to the list what is IDLE at once. */
	while (t->nb_ready > 0) {
		cc = t->ready[--t->nb_ready];
		if (cc->state == RTE_COMCH_STATE_RUNNING) {
			ret = rte_comch_ctx_stop(cc->ctx);
			if (ret != 0 && ret != -EINPROGRESS && t->error == 0) {
				t->error = ret;
				t->error_index = cc->index;
			}
		} else if (cc->state == RTE_COMCH_STATE_IDLE && t->running && t->error == 0) {
			connect_start(t, cc);
		}
	}
}

static int
connect_turn(void *arg, uint64_t left)
{
	struct connect_test *t = arg;
	const uint64_t last = t->connects;
	uint32_t i;
	int ret;

	for (i = 0; i < CONNECT_TURNS && t->connects - last < left; i++)
		connect_step(t);
	ret = client_check(t->cl);
	if (ret == 0 && t->error != 0)
		ret = client_fail(t->cl, t->error, "client %u could not connect: %s",
				t->error_index, rte_comch_reason_str(t->error));
	return ret;
}

static void
connect_count(void *arg, struct rate_count *count)
{
	*count = (struct rate_count){ .done = ((const struct connect_test *)arg)->connects };
	count->tx = count->done;
}

/*
 * No more connects; all are IDLE in the end. After an error those that are still
 * starting may have nobody to connect to: they are not waited for.
 */
static int
connect_drain(struct connect_test *t, bool failed)
{
	uint64_t deadline = rte_rdtsc() + (uint64_t)(PEER_PATIENCE * (double)rte_get_tsc_hz());
	uint32_t i;

	t->running = false;
	for (i = 0; failed && i < t->pt->clients; i++) {
		if (t->ccs[i]->state == RTE_COMCH_STATE_STARTING)
			rte_comch_ctx_stop(t->ccs[i]->ctx);
	}
	while (t->nb_out > 0) {
		connect_step(t);
		if (rte_rdtsc() > deadline)
			return client_fail(t->cl, -ETIMEDOUT, "%u clients did not get idle",
					t->nb_out);
	}
	return 0;
}

static int
connect_limit(void *arg, double seconds, double *limit)
{
	const struct connect_test *t = arg;

	return limit_connect(&t->cl->place, t->pt->clients, seconds, limit);
}

static int
connect_begin(void *arg)
{
	struct connect_test *t = arg;
	const struct client_run_spec spec = { .test = t->res->test, .pt = t->pt };
	uint32_t i;
	int ret;

	t->connects = 0;
	t->error = 0;
	t->running = true;
	ret = client_run_begin(t->cl, &spec, &t->run);
	for (i = 0; i < t->pt->clients && ret == 0; i++) {
		ret = connect_start(t, t->ccs[i]);
		if (ret != 0)
			client_fail(t->cl, ret, "cannot start client %u: %s", i, strerror(-ret));
	}
	return ret;
}

static int
connect_end(void *arg, int status)
{
	struct connect_test *t = arg;
	struct client *cl = t->cl;
	int drained = connect_drain(t, status != 0);
	uint64_t seen;

	if (status == 0)
		status = drained;
	if (status != 0) {
		client_run_abort(cl, &t->run);
		return status;
	}
	status = client_run_end(cl, &t->run, 0, t->connects, t->res);
	if (status != 0)
		return status;
	seen = rte_le_to_cpu_64(cl->reply.stop.connects);
	if (seen != t->connects)
		return client_fail(cl, -EBADMSG, "%" PRIu64 " connects were made, but the server "
				"saw %" PRIu64, t->connects, seen);
	seen = rte_le_to_cpu_64(cl->reply.stop.disconnects);
	if (seen != t->connects)
		return client_fail(cl, -EBADMSG, "%" PRIu64 " disconnects were made, but the "
				"server saw %" PRIu64, t->connects, seen);
	return 0;
}

static int
connect_run(struct client *cl, const struct test_point *pt, struct result *res)
{
	struct connect_test t = { .cl = cl, .pt = pt, .res = res };
	const struct rate r = {
		.place = &cl->place,
		.seconds = CONNECT_SECONDS,
		.patience = PEER_PATIENCE,
		.stalled = "nobody has connected",
		.unit = "connects/s",
		/* A connect costs as much as a thousand messages: warm up with fewer. */
		.warmup = UINT64_C(4) * pt->clients,
		.arg = &t,
		.limit = connect_limit,
		.begin = connect_begin,
		.turn = connect_turn,
		.count = connect_count,
		.end = connect_end,
	};
	uint32_t i;
	int ret = 0;

	res->limit_name = LIMIT_CONNECT_NAME;
	t.hist = hist_create();
	t.ccs = calloc(pt->clients, sizeof(t.ccs[0]));
	/* RUNNING and then IDLE may both come before the list is worked off. */
	t.ready = calloc(2 * (size_t)pt->clients, sizeof(t.ready[0]));
	if (t.hist == NULL || t.ccs == NULL || t.ready == NULL)
		ret = client_fail(cl, -ENOMEM, "no memory for %u clients", pt->clients);
	for (i = 0; i < pt->clients && ret == 0; i++) {
		ret = client_conn_create(cl, 0, 1, &t.ccs[i]);
		if (ret != 0)
			break;
		t.ccs[i]->index = i;
		t.ccs[i]->arg = &t;
		t.ccs[i]->changed = connect_changed;
	}
	ret = rounds_rate(cl, res, ret, &r);
	if (ret == 0) {
		result_times_set(res, cl->opt, t.hist, 1.0, 0);
		res->hist = t.hist;
		t.hist = NULL;
	}
	if (t.ccs != NULL)
		client_conns_close(cl, t.ccs, pt->clients);
	free(t.ready);
	free(t.ccs);
	hist_free(t.hist);
	return ret;
}

static int
connect_opt_check(const struct client *cl, const struct test_ops *test __rte_unused,
		const struct test_point *pt, char why[OPT_ERR_SIZE])
{
	if (pt->clients + pt->idle_clients >= cl->info.max_clients) {
		snprintf(why, OPT_ERR_SIZE, "clients: %u, %u idle ones and the session are more "
				"than the %u clients that a server on %s takes; lower --clients",
				pt->clients, pt->idle_clients, cl->info.max_clients,
				cl->info.name);
		return -ENOSPC;
	}
	return 0;
}

const struct test_ops test_connect_rate = {
	.name = "connect-rate",
	.description = "clients that connect and disconnect in parallel: connects per second",
	.options = " clients ",
	.times_name = "time to connect",
	.limit_is_rate = true,
	.opt_check = connect_opt_check,
	.run = connect_run,
	.srv_counts_connects = true,
	.srv_recv = connect_srv_recv,
};
