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
connect_turn(struct connect_test *t)
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

/* Until so many connects are made, or until the clock is there. */
static int
connect_turns(struct connect_test *t, uint64_t connects, uint64_t until)
{
	const uint64_t patience = (uint64_t)(PEER_PATIENCE * (double)rte_get_tsc_hz());
	uint64_t now = rte_rdtsc(), last = t->connects, patient = now + patience;
	uint32_t i;
	int ret;

	while (t->connects < connects && now < until) {
		for (i = 0; i < CONNECT_TURNS && t->connects < connects; i++)
			connect_turn(t);
		now = rte_rdtsc();
		if (t->connects != last) {
			last = t->connects;
			patient = now + patience;
		}
		ret = client_check(t->cl);
		if (ret != 0)
			return ret;
		if (t->error != 0)
			return client_fail(t->cl, t->error, "client %u could not connect: %s",
					t->error_index, rte_comch_reason_str(t->error));
		if (now > patient)
			return client_fail(t->cl, -ETIMEDOUT, "nobody has connected for %.0f s",
					PEER_PATIENCE);
	}
	return 0;
}

/*
 * No more connects; all are IDLE in the end. After an error those that are still
 * starting may have nobody to connect to: they are not waited for.
 */
static int
connect_drain(struct connect_test *t, struct client_conn **ccs, uint32_t nb, bool failed)
{
	uint64_t deadline = rte_rdtsc() + (uint64_t)(PEER_PATIENCE * (double)rte_get_tsc_hz());
	uint32_t i;

	t->running = false;
	for (i = 0; failed && i < nb; i++) {
		if (ccs[i]->state == RTE_COMCH_STATE_STARTING)
			rte_comch_ctx_stop(ccs[i]->ctx);
	}
	while (t->nb_out > 0) {
		connect_turn(t);
		if (rte_rdtsc() > deadline)
			return client_fail(t->cl, -ETIMEDOUT, "%u clients did not get idle",
					t->nb_out);
	}
	return 0;
}

static int
connect_measure(struct rounds *r, struct connect_test *t)
{
	const double hz = (double)rte_get_tsc_hz();
	uint64_t slice, now, c0 = t->connects, done;
	int ret;

	rounds_begin(r);
	do {
		slice = rte_rdtsc() + (uint64_t)(0.25 * hz);
		if (r->count != 0)
			ret = connect_turns(t, c0 + r->count, slice);
		else
			ret = connect_turns(t, UINT64_MAX, RTE_MIN(slice, r->end));
		now = rte_rdtsc();
		done = t->connects - c0;
		client_line(r->cl, r->res, rounds_share(r, now, done),
				(double)done * hz / (double)(now - r->begin), "connects/s");
	} while (ret == 0 && !rounds_over(r, now, done));
	return rounds_add(r, ret, (double)done * hz / (double)(now - r->begin), done,
			(double)(now - r->begin) / hz);
}

static int
connect_round(struct rounds *r, const struct test_point *pt, struct connect_test *t,
		struct client_conn **ccs)
{
	struct client_run_spec spec = { .test = r->res->test, .pt = pt };
	struct client *cl = r->cl;
	struct client_run run;
	double limit = 0;
	uint64_t seen;
	uint32_t i;
	int ret, drained;

	do {
		ret = limit_connect(&cl->place, pt->clients, r->limit_seconds, &limit);
	} while (rounds_limit(r, ret, limit));

	t->connects = 0;
	t->error = 0;
	t->running = true;
	ret = client_run_begin(cl, &spec, &run);
	for (i = 0; i < pt->clients && ret == 0; i++) {
		ret = connect_start(t, ccs[i]);
		if (ret != 0)
			client_fail(cl, ret, "cannot start client %u: %s", i, strerror(-ret));
	}
	/* A connect costs as much as a thousand messages: warm up with fewer. */
	if (ret == 0)
		ret = connect_turns(t, RTE_MIN(cl->opt->warmup, UINT64_C(4) * pt->clients),
				UINT64_MAX);
	if (ret == 0)
		ret = connect_measure(r, t);
	drained = connect_drain(t, ccs, pt->clients, ret != 0);
	if (ret == 0)
		ret = drained;
	if (ret != 0) {
		client_run_abort(cl, &run);
		return ret;
	}
	ret = client_run_end(cl, &run, 0, t->connects, r->res);
	if (ret != 0)
		return ret;
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
	struct connect_test t = { .cl = cl };
	struct client_conn **ccs;
	struct rounds r;
	uint32_t i;
	int ret = 0;

	rounds_init(&r, cl, res, CONNECT_SECONDS);
	res->limit_name = LIMIT_CONNECT_NAME;
	t.hist = hist_create();
	ccs = calloc(pt->clients, sizeof(ccs[0]));
	/* RUNNING and then IDLE may both come before the list is worked off. */
	t.ready = calloc(2 * (size_t)pt->clients, sizeof(t.ready[0]));
	if (t.hist == NULL || ccs == NULL || t.ready == NULL)
		ret = client_fail(cl, -ENOMEM, "no memory for %u clients", pt->clients);
	for (i = 0; i < pt->clients && ret == 0; i++) {
		ret = client_conn_create(cl, 0, 1, &ccs[i]);
		if (ret != 0)
			break;
		ccs[i]->index = i;
		ccs[i]->arg = &t;
		ccs[i]->changed = connect_changed;
	}
	while (ret == 0 && r.done < r.nb)
		ret = connect_round(&r, pt, &t, ccs);
	ret = rounds_finish(&r, ret, &res->rate);
	if (ret == 0) {
		result_times_set(res, cl->opt, t.hist, 1.0, 0);
		res->hist = t.hist;
		t.hist = NULL;
	}
	if (ccs != NULL)
		client_conns_close(cl, ccs, pt->clients);
	free(t.ready);
	free(ccs);
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
