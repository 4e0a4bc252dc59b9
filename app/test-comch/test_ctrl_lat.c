/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * ctrl-lat: control messages go to the server and back, one at a time. One-way
 * latency is half of the time from the submit to the callback of the answer.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <rte_cycles.h>

#include "pattern.h"
#include "peer.h"
#include "rounds.h"

#define LAT_SECONDS 2.0
/*
 * The answer can overtake the completion of the message that it answers, so
 * that one task is not enough; two would be, four are on the safe side.
 */
#define LAT_TASKS 4

/* ---- server ---- */

static void
lat_srv_answer(struct srv_conn *sc, const void *msg)
{
	/* The bytes matter only to one who looks at them. */
	if (flow_send(sc->flow, (sc->run->flags & PEER_RUN_VALIDATE) != 0 ? msg : NULL) != 0)
		sc->pending++;
}

static void
lat_srv_free(struct flow *flow, void *arg)
{
	struct srv_conn *sc = arg;

	/* Without validation, or it would have been kept. */
	if (sc->pending > 0 && flow_send(flow, NULL) == 0)
		sc->pending--;
}

static void
lat_srv_recv(struct srv_conn *sc, const void *msg, uint32_t len)
{
	sc->rx_msgs++;
	sc->rx_bytes += len;
	if (unlikely(sc->flow == NULL || len != sc->run->size)) {
		sc->bad_msgs++;
		return;
	}
	if ((sc->run->flags & PEER_RUN_VALIDATE) != 0) {
		if (!pattern_ok(msg, len, sc->rx_msgs - 1))
			sc->bad_msgs++;
		/* One message is under way at a time: a task is free, or must be. */
		if (sc->flow->nb_free == 0) {
			sc->bad_msgs++;
			return;
		}
	}
	lat_srv_answer(sc, msg);
}

static int
lat_srv_join(struct srv_conn *sc)
{
	int ret;

	ret = flow_create(sc->conn, sc->run->size, LAT_TASKS, false, &sc->flow);
	if (ret != 0)
		return ret;
	sc->flow->on_free = lat_srv_free;
	sc->flow->arg = sc;
	return 0;
}

/* ---- client ---- */

struct lat {
	struct flow *flow;
	struct hist *hist;     /* NULL while it warms up */
	uint64_t sent_at;
	uint64_t nb;           /* answers of this round */
	uint64_t bad;
	bool waits;            /* for an answer */
};

static void
lat_recv(struct client_conn *cc, const void *msg, uint32_t len)
{
	uint64_t now = rte_rdtsc();
	struct lat *lat = cc->arg;

	if (lat->hist != NULL)
		hist_add(lat->hist, now - lat->sent_at);
	if (len != lat->flow->size ||
			(lat->flow->validate && !pattern_ok(msg, len, lat->flow->rx_msgs)))
		lat->bad++;
	lat->flow->rx_msgs++;
	lat->nb++;
	lat->waits = false;
}

/* One message and its answer. */
static inline int
lat_turn(struct client *cl, struct lat *lat)
{
	uint64_t deadline = 0;
	uint32_t turns = 0;
	int ret;

	lat->waits = true;
	lat->sent_at = rte_rdtsc();
	while (unlikely((ret = flow_send(lat->flow, NULL)) == -EAGAIN)) {
		client_step(cl);
		lat->sent_at = rte_rdtsc();
	}
	if (unlikely(ret != 0))
		return client_fail(cl, ret, "cannot send: %s", strerror(-ret));
	while (lat->waits) {
		client_step(cl);
		if (likely(++turns % 4096 != 0))
			continue;
		ret = client_check(cl);
		if (ret != 0)
			return ret;
		if (deadline == 0)
			deadline = rte_rdtsc() +
					(uint64_t)(PEER_PATIENCE * (double)rte_get_tsc_hz());
		else if (rte_rdtsc() > deadline || lat->flow->error != 0)
			return client_fail(cl, lat->flow->error != 0 ? lat->flow->error :
					-ETIMEDOUT, "message %" PRIu64
					" was not answered for %.0f s; where processes share CPUs, give both sides --event",
					lat->nb, PEER_PATIENCE);
	}
	return 0;
}

/* The measured part of a round. */
static int
lat_measure(struct rounds *r, struct lat *lat)
{
	const double hz = (double)rte_get_tsc_hz();
	struct client *cl = r->cl;
	uint64_t now;
	int ret = 0;

	rounds_begin(r);
	now = r->begin;
	while (ret == 0 && !rounds_over(r, now, lat->nb)) {
		ret = lat_turn(cl, lat);
		now = rte_rdtsc();
		if (lat->nb % 4096 == 0) {
			client_line(cl, r->res, rounds_share(r, now, lat->nb),
					(double)lat->nb * hz / (double)(now - r->begin),
					"round trips/s");
			if (ret == 0)
				ret = client_check(cl);
		}
	}
	return rounds_add(r, ret, hist_percentile(lat->hist, 50) / 2 * 1e9 / hz, lat->nb,
			(double)(now - r->begin) / hz);
}

static int
lat_round(struct rounds *r, const struct test_point *pt, struct lat *lat)
{
	struct client_run_spec spec = {
		.test = r->res->test,
		.pt = pt,
		.nb_conns = 1,
		.nb_tasks = LAT_TASKS,
		.recv = lat_recv,
		.arg = lat,
	};
	struct client *cl = r->cl;
	struct hist *h = lat->hist;
	struct client_run run;
	uint64_t i;
	double limit = 0;
	int ret;

	do {
		ret = limit_latency(&cl->place, r->limit_seconds, &limit);
	} while (rounds_limit(r, ret, limit * 1e9 / (double)rte_get_tsc_hz()));
	hist_reset(h);

	ret = client_run_begin(cl, &spec, &run);
	if (ret == 0)
		ret = flow_create(run.conns[0]->conn, pt->size, LAT_TASKS, cl->opt->validate,
				&run.conns[0]->flow);
	if (ret != 0)
		goto fail;
	lat->flow = run.conns[0]->flow;
	lat->hist = NULL;
	for (i = 0; i < cl->opt->warmup && ret == 0; i++)
		ret = lat_turn(cl, lat);

	lat->hist = h;
	lat->nb = 0;
	if (ret == 0)
		ret = lat_measure(r, lat);
	if (ret != 0)
		goto fail;
	ret = client_run_end(cl, &run, lat->nb + cl->opt->warmup, 0, r->res);
	if (ret == 0 && lat->bad > 0)
		ret = client_fail(cl, -EBADMSG, "validation failed: %" PRIu64 " of %" PRIu64
				" answers were not what was sent", lat->bad, lat->nb);
	return ret;

fail:
	client_run_abort(cl, &run);
	lat->hist = h;
	return ret;
}

static int
lat_run(struct client *cl, const struct test_point *pt, struct result *res)
{
	struct hist *all = hist_create();
	struct lat lat = { .hist = hist_create() };
	struct rounds r;
	double p50;
	int ret = 0;

	rounds_init(&r, cl, res, LAT_SECONDS);
	res->limit_name = limit_latency_name(cl->opt->event);
	res->connections = 1;
	if (all == NULL || lat.hist == NULL)
		ret = client_fail(cl, -ENOMEM, "no memory for histograms");
	while (ret == 0 && r.done < r.nb) {
		ret = lat_round(&r, pt, &lat);
		hist_merge(all, lat.hist);
	}
	ret = rounds_finish(&r, ret, &p50);
	if (ret == 0) {
		result_times_set(res, cl->opt, all, 2.0, p50);
		res->hist = all;
		all = NULL;
	}
	hist_free(all);
	hist_free(lat.hist);
	return ret;
}

static int
lat_opt_check(const struct client *cl, const struct test_point *pt, char why[OPT_ERR_SIZE])
{
	if (pt->size > cl->info.max_msg_size) {
		snprintf(why, OPT_ERR_SIZE, "size: %u B is more than the %u B that %s takes in one "
				"message; lower --size", pt->size, cl->info.max_msg_size,
				cl->info.name);
		return -EMSGSIZE;
	}
	return 0;
}

static const struct test_ops ctrl_lat = {
	.name = "ctrl-lat",
	.description = "control messages, one at a time: one-way latency (half a round trip)",
	.rank = 10,
	.options = " size ",
	.times_name = "one-way latency",
	.opt_check = lat_opt_check,
	.run = lat_run,
	.srv_join = lat_srv_join,
	.srv_recv = lat_srv_recv,
};

TEST_REGISTER(ctrl_lat);
