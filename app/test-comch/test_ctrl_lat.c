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

/* Seconds between two looks at everything else. */
#define LAT_CHECK_SECONDS 0.05
#define LAT_CHUNK 4096
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
	struct client *cl;
	const struct test_point *pt;
	struct result *res;
	struct client_run run;
	struct flow *flow;
	struct hist *hist;     /* NULL while it warms up */
	uint64_t sent_at;
	uint64_t nb;           /* answers of this round, with those of the warm-up */
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

static int
lat_pings(void *arg, uint64_t nb, struct hist *h)
{
	const uint64_t pause = (uint64_t)(LAT_CHECK_SECONDS * (double)rte_get_tsc_hz());
	uint64_t check = rte_rdtsc() + pause;
	struct lat *lat = arg;
	int ret = 0;

	lat->hist = h;
	while (nb-- > 0 && ret == 0) {
		ret = lat_turn(lat->cl, lat);
		if (ret != 0 || lat->sent_at < check)
			continue;
		if (h != NULL)
			break;
		ret = client_check(lat->cl);
		check = lat->sent_at + pause;
	}
	return ret == 0 ? client_check(lat->cl) : ret;
}

static int
lat_begin(void *arg)
{
	struct lat *lat = arg;
	struct client_run_spec spec = {
		.test = lat->res->test,
		.pt = lat->pt,
		.nb_conns = 1,
		.nb_tasks = LAT_TASKS,
		.recv = lat_recv,
		.arg = lat,
	};
	int ret = client_run_begin(lat->cl, &spec, &lat->run);

	lat->nb = 0;
	if (ret != 0)
		return ret;
	ret = flow_create(lat->run.conns[0]->conn, lat->pt->size, LAT_TASKS,
			lat->cl->opt->validate, &lat->run.conns[0]->flow);
	lat->flow = lat->run.conns[0]->flow;
	return ret;
}

static int
lat_end(void *arg, int status)
{
	struct lat *lat = arg;

	if (status != 0) {
		client_run_abort(lat->cl, &lat->run);
		return status;
	}
	status = client_run_end(lat->cl, &lat->run, lat->nb, 0, lat->res);
	if (status == 0 && lat->bad > 0)
		status = client_fail(lat->cl, -EBADMSG, "validation failed: %" PRIu64 " of %"
				PRIu64 " answers were not what was sent", lat->bad, lat->nb);
	return status;
}

static int
lat_run(struct client *cl, const struct test_point *pt, struct result *res)
{
	struct lat lat = { .cl = cl, .pt = pt, .res = res };
	const struct latency l = {
		.place = &cl->place,
		.chunk = LAT_CHUNK,
		.arg = &lat,
		.begin = lat_begin,
		.pings = lat_pings,
		.end = lat_end,
	};

	res->connections = 1;
	return rounds_latency(cl, res, 0, &l);
}

static int
lat_opt_check(const struct client *cl, const struct test_ops *test __rte_unused,
		const struct test_point *pt, char why[OPT_ERR_SIZE])
{
	if (pt->size > cl->info.max_msg_size) {
		snprintf(why, OPT_ERR_SIZE, "size: %u B is more than the %u B that %s takes in one "
				"message; lower --size", pt->size, cl->info.max_msg_size,
				cl->info.name);
		return -EMSGSIZE;
	}
	return 0;
}

const struct test_ops test_ctrl_lat = {
	.name = "ctrl-lat",
	.description = "control messages, one at a time: one-way latency (half a round trip)",
	.options = " size ",
	.times_name = "one-way latency",
	.opt_check = lat_opt_check,
	.run = lat_run,
	.srv_join = lat_srv_join,
	.srv_recv = lat_srv_recv,
};
