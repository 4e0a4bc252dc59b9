/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * ctrl-rate: control messages in one direction, or in both at one time, with a
 * window of send tasks on each connection that are submitted again from their
 * completions. The rate counts completions: messages that were delivered.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <rte_cycles.h>

#include "pattern.h"
#include "peer.h"
#include "rounds.h"

#define RATE_SECONDS 2.5
/* Turns of the engine between two looks at the clock. */
#define RATE_TURNS 64

/* ---- server ---- */

static void
rate_srv_recv(struct srv_conn *sc, const void *msg, uint32_t len)
{
	sc->rx_bytes += len;
	if (unlikely(len != sc->run->size))
		sc->bad_msgs++;
	else if ((sc->run->flags & PEER_RUN_VALIDATE) != 0 && !pattern_ok(msg, len, sc->rx_msgs))
		sc->bad_msgs++;
	sc->rx_msgs++;
}

static int
rate_srv_join(struct srv_conn *sc)
{
	const struct srv_run *run = sc->run;
	int ret;

	if ((run->flags & PEER_RUN_BIDIR) == 0)
		return 0;
	ret = flow_create(sc->conn, run->size, run->window,
			(run->flags & PEER_RUN_VALIDATE) != 0, &sc->flow);
	return ret != 0 ? ret : flow_start(sc->flow, UINT64_MAX);
}

/* ---- client ---- */

struct rate {
	struct flow *flows[OPT_MAX_CONNECTIONS];
	uint64_t rx_seq[OPT_MAX_CONNECTIONS];
	uint32_t nb_conns;
	uint32_t size;
	bool validate;
	uint64_t rx_msgs;
	uint64_t rx_bad;
};

static void
rate_recv(struct client_conn *cc, const void *msg, uint32_t len)
{
	struct rate *rate = cc->arg;

	if (unlikely(len != rate->size))
		rate->rx_bad++;
	else if (rate->validate && !pattern_ok(msg, len, rate->rx_seq[cc->index]))
		rate->rx_bad++;
	rate->rx_seq[cc->index]++;
	rate->rx_msgs++;
}

static uint64_t
rate_completed(const struct rate *rate)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < rate->nb_conns; i++)
		sum += rate->flows[i]->completed;
	return sum;
}

static uint32_t
rate_in_flight(const struct rate *rate)
{
	uint32_t sum = 0, i;

	for (i = 0; i < rate->nb_conns; i++)
		sum += flow_in_flight(rate->flows[i]);
	return sum;
}

static int
rate_error(struct client *cl, const struct rate *rate)
{
	uint32_t i;
	int ret;

	ret = client_check(cl);
	if (ret != 0)
		return ret;
	for (i = 0; i < rate->nb_conns; i++) {
		ret = rate->flows[i]->error;
		if (ret != 0)
			return client_fail(cl, ret, "connection %u: a message was not delivered: "
					"%s", i, strerror(-ret));
	}
	return 0;
}

/*
 * Turn the engine until so many are completed, or until the clock is there.
 * Fails if nothing is completed for a while.
 */
static int
rate_turn(struct client *cl, struct rate *rate, uint64_t completed, uint64_t until)
{
	const uint64_t patience = (uint64_t)(PEER_PATIENCE * (double)rte_get_tsc_hz());
	uint64_t now = rte_rdtsc(), patient = now + patience;
	uint64_t nb = rate_completed(rate), last = nb;
	uint32_t i;
	int ret;

	while (nb < completed && now < until) {
		for (i = 0; i < RATE_TURNS; i++)
			client_step(cl);
		now = rte_rdtsc();
		nb = rate_completed(rate);
		if (nb != last) {
			last = nb;
			patient = now + patience;
		}
		ret = rate_error(cl, rate);
		if (ret != 0)
			return ret;
		if (now > patient)
			return client_fail(cl, -ETIMEDOUT, "no message was delivered for %.0f s",
					PEER_PATIENCE);
	}
	return 0;
}

static int
rate_drain(struct client *cl, struct rate *rate)
{
	uint64_t deadline = rte_rdtsc() + (uint64_t)(PEER_PATIENCE * (double)rte_get_tsc_hz());
	uint32_t i;
	int ret;

	for (i = 0; i < rate->nb_conns; i++)
		flow_stop(rate->flows[i]);
	while (rate_in_flight(rate) > 0) {
		client_step(cl);
		ret = rate_error(cl, rate);
		if (ret != 0)
			return ret;
		if (rte_rdtsc() > deadline)
			return client_fail(cl, -ETIMEDOUT, "the server has not taken %u messages for "
					"%.0f s: see whether it hangs",
					rate_in_flight(rate), PEER_PATIENCE);
	}
	return 0;
}

/* The measured part: in slices, so that long runs can tell how they are going. */
static int
rate_measure(struct rounds *r, struct rate *rate, double *tx, double *rx)
{
	const double hz = (double)rte_get_tsc_hz();
	uint64_t slice, now, c0, n0, done = 0;
	struct client *cl = r->cl;
	double seconds;
	int ret = 0;

	n0 = rate->rx_msgs;
	c0 = rate_completed(rate);
	rounds_begin(r);
	do {
		slice = rte_rdtsc() + (uint64_t)(0.25 * hz);
		if (r->count != 0)
			ret = rate_turn(cl, rate, c0 + r->count, slice);
		else
			ret = rate_turn(cl, rate, UINT64_MAX, RTE_MIN(slice, r->end));
		now = rte_rdtsc();
		done = rate_completed(rate) - c0;
		client_line(cl, r->res, rounds_share(r, now, done),
				(double)done * hz / (double)(now - r->begin), "msgs/s");
	} while (ret == 0 && !rounds_over(r, now, done));
	seconds = (double)(now - r->begin) / hz;
	*tx = (double)done / seconds;
	*rx = (double)(rate->rx_msgs - n0) / seconds;
	return rounds_add(r, ret, *tx + *rx, done + rate->rx_msgs - n0, seconds);
}

/* A flow for each connection, all of them under way. */
static int
rate_flows_start(struct client *cl, const struct test_point *pt, struct client_run *run,
		struct rate *rate)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; i < rate->nb_conns && ret == 0; i++) {
		ret = flow_create(run->conns[i]->conn, pt->size, pt->window, rate->validate,
				&rate->flows[i]);
		if (ret != 0)
			client_fail(cl, ret, "window: no %u send tasks: %s; lower --window or "
					"--connections", pt->window, strerror(-ret));
		else
			run->conns[i]->flow = rate->flows[i];
	}
	for (i = 0; i < rate->nb_conns && ret == 0; i++) {
		ret = flow_start(rate->flows[i], UINT64_MAX);
		if (ret != 0)
			client_fail(cl, ret, "cannot send: %s", strerror(-ret));
	}
	return ret;
}

/* What was received is what was sent, all of it. */
static int
rate_check(struct client *cl, const struct rate *rate)
{
	if (rate->rx_bad > 0)
		return client_fail(cl, -EBADMSG, "validation failed: %" PRIu64 " of %" PRIu64
				" messages that were received were not what was sent",
				rate->rx_bad, rate->rx_msgs);
	if (rate->rx_msgs != rte_le_to_cpu_64(cl->reply.stop.tx_msgs))
		return client_fail(cl, -EBADMSG, "the server delivered %" PRIu64 " messages, but "
				"%" PRIu64 " were received",
				rte_le_to_cpu_64(cl->reply.stop.tx_msgs), rate->rx_msgs);
	return 0;
}

static int
rate_round(struct rounds *r, const struct test_point *pt, double *tx, double *rx)
{
	struct rate rate = {
		.nb_conns = r->cl->opt->connections,
		.size = pt->size,
		.validate = r->cl->opt->validate,
	};
	struct client_run_spec spec = {
		.test = r->res->test,
		.pt = pt,
		.nb_conns = rate.nb_conns,
		.nb_tasks = pt->window,
		.recv = rate_recv,
		.arg = &rate,
	};
	struct client *cl = r->cl;
	struct client_run run;
	double limit = 0;
	int ret;

	do {
		ret = limit_rate(&cl->place, pt->size, pt->window * rate.nb_conns, cl->opt->bidir,
				r->limit_seconds, &limit);
	} while (rounds_limit(r, ret, limit));

	ret = client_run_begin(cl, &spec, &run);
	if (ret == 0)
		ret = rate_flows_start(cl, pt, &run, &rate);
	if (ret == 0 && cl->opt->warmup > 0)
		ret = rate_turn(cl, &rate, cl->opt->warmup, UINT64_MAX);
	if (ret == 0)
		ret = rate_measure(r, &rate, tx, rx);
	if (ret == 0)
		ret = rate_drain(cl, &rate);
	if (ret != 0) {
		client_run_abort(cl, &run);
		return ret;
	}
	ret = client_run_end(cl, &run, rate_completed(&rate), 0, r->res);
	return ret == 0 ? rate_check(cl, &rate) : ret;
}

static int
rate_run(struct client *cl, const struct test_point *pt, struct result *res)
{
	double tx[OPT_MAX_ROUNDS], rx[OPT_MAX_ROUNDS];
	struct rounds r;
	int ret = 0;

	rounds_init(&r, cl, res, RATE_SECONDS);
	res->limit_name = LIMIT_RATE_NAME;
	res->connections = cl->opt->connections;
	res->bidir = cl->opt->bidir;
	while (ret == 0 && r.done < r.nb)
		ret = rate_round(&r, pt, &tx[r.done], &rx[r.done]);
	ret = rounds_finish(&r, ret, &res->rate);
	if (ret == 0 && res->bidir) {
		res->tx_rate = median(tx, r.done);
		res->rx_rate = median(rx, r.done);
	}
	return ret;
}

static void
rate_result(const struct result *res, FILE *f)
{
	if (res->bidir)
		fprintf(f, "ctrl-rate %u B: %.2f M/s to the server, %.2f M/s from it\n",
				res->pt.size, res->tx_rate / 1e6, res->rx_rate / 1e6);
}

static int
rate_opt_check(const struct client *cl, const struct test_ops *test __rte_unused,
		const struct test_point *pt, char why[OPT_ERR_SIZE])
{
	uint64_t tasks = (uint64_t)pt->window * cl->opt->connections;

	if (pt->size > cl->info.max_msg_size) {
		snprintf(why, OPT_ERR_SIZE, "size: %u B is more than the %u B that %s takes in one "
				"message; lower --size", pt->size, cl->info.max_msg_size,
				cl->info.name);
		return -EMSGSIZE;
	}
	if (pt->window + 1 > cl->info.max_ctrl_tasks) {
		snprintf(why, OPT_ERR_SIZE, "window: %u is more than the %u send tasks that %s "
				"gives to a test; lower --window", pt->window,
				cl->info.max_ctrl_tasks - 1, cl->info.name);
		return -ENOSPC;
	}
	if (cl->opt->bidir && tasks > cl->server_max_window) {
		snprintf(why, OPT_ERR_SIZE, "window: both directions need %" PRIu64 " send tasks "
				"of the server, which has %u; lower --window or --connections",
				tasks, cl->server_max_window);
		return -ENOSPC;
	}
	return 0;
}

const struct test_ops test_ctrl_rate = {
	.name = "ctrl-rate",
	.description = "control messages with a window of send tasks: messages per second",
	.options = " size window connections bidir ",
	.limit_is_rate = true,
	.opt_check = rate_opt_check,
	.run = rate_run,
	.result = rate_result,
	.srv_join = rate_srv_join,
	.srv_recv = rate_srv_recv,
};
