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

struct ctrl_rate {
	struct client *cl;
	const struct test_point *pt;
	struct result *res;
	struct client_run run;
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
	struct ctrl_rate *rate = cc->arg;

	if (unlikely(len != rate->size))
		rate->rx_bad++;
	else if (rate->validate && !pattern_ok(msg, len, rate->rx_seq[cc->index]))
		rate->rx_bad++;
	rate->rx_seq[cc->index]++;
	rate->rx_msgs++;
}

static uint64_t
rate_completed(const struct ctrl_rate *rate)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < rate->nb_conns; i++)
		sum += rate->flows[i]->completed;
	return sum;
}

static uint32_t
rate_in_flight(const struct ctrl_rate *rate)
{
	uint32_t sum = 0, i;

	for (i = 0; i < rate->nb_conns; i++)
		sum += flow_in_flight(rate->flows[i]);
	return sum;
}

static int
rate_error(struct client *cl, const struct ctrl_rate *rate)
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

static int
rate_turn(void *arg, uint64_t left __rte_unused)
{
	struct ctrl_rate *rate = arg;
	uint32_t i;

	for (i = 0; i < RATE_TURNS; i++)
		client_step(rate->cl);
	return rate_error(rate->cl, rate);
}

static void
rate_count(void *arg, struct rate_count *count)
{
	const struct ctrl_rate *rate = arg;

	count->done = count->tx = rate_completed(rate);
	count->rx = rate->rx_msgs;
	count->bytes = 0;
}

static int
rate_drain(struct client *cl, struct ctrl_rate *rate)
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

/* A flow for each connection, all of them under way. */
static int
rate_flows_start(struct ctrl_rate *rate)
{
	struct client_conn **conns = rate->run.conns;
	const struct test_point *pt = rate->pt;
	struct client *cl = rate->cl;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < rate->nb_conns && ret == 0; i++) {
		ret = flow_create(conns[i]->conn, pt->size, pt->window, rate->validate,
				&rate->flows[i]);
		if (ret != 0)
			client_fail(cl, ret, "window: no %u send tasks: %s; lower --window or "
					"--connections", pt->window, strerror(-ret));
		else
			conns[i]->flow = rate->flows[i];
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
rate_check(struct client *cl, const struct ctrl_rate *rate)
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
rate_limit(void *arg, double seconds, double *limit)
{
	const struct ctrl_rate *rate = arg;

	return limit_rate(&rate->cl->place, rate->size, rate->pt->window * rate->nb_conns,
			rate->cl->opt->bidir, seconds, limit);
}

static int
rate_begin(void *arg)
{
	struct ctrl_rate *rate = arg;
	const struct client_run_spec spec = {
		.test = rate->res->test,
		.pt = rate->pt,
		.nb_conns = rate->nb_conns,
		.nb_tasks = rate->pt->window,
		.recv = rate_recv,
		.arg = rate,
	};
	int ret;

	memset(rate->rx_seq, 0, sizeof(rate->rx_seq));
	rate->rx_msgs = 0;
	ret = client_run_begin(rate->cl, &spec, &rate->run);
	return ret == 0 ? rate_flows_start(rate) : ret;
}

static int
rate_end(void *arg, int status)
{
	struct ctrl_rate *rate = arg;

	if (status == 0)
		status = rate_drain(rate->cl, rate);
	if (status != 0) {
		client_run_abort(rate->cl, &rate->run);
		return status;
	}
	status = client_run_end(rate->cl, &rate->run, rate_completed(rate), 0, rate->res);
	return status == 0 ? rate_check(rate->cl, rate) : status;
}

static int
rate_run(struct client *cl, const struct test_point *pt, struct result *res)
{
	struct ctrl_rate rate = {
		.cl = cl,
		.pt = pt,
		.res = res,
		.nb_conns = cl->opt->connections,
		.size = pt->size,
		.validate = cl->opt->validate,
	};
	const struct rate r = {
		.place = &cl->place,
		.seconds = RATE_SECONDS,
		.patience = PEER_PATIENCE,
		.stalled = "no message was delivered",
		.unit = "msgs/s",
		.warmup = UINT64_MAX,
		.arg = &rate,
		.limit = rate_limit,
		.begin = rate_begin,
		.turn = rate_turn,
		.count = rate_count,
		.end = rate_end,
	};

	res->limit_name = LIMIT_RATE_NAME;
	res->connections = cl->opt->connections;
	res->bidir = cl->opt->bidir;
	return rounds_rate(cl, res, 0, &r);
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
