/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* What tests of latency have in common: rounds of messages, one at a time. */

#include <errno.h>

#include <rte_cycles.h>

#include "rounds.h"

/* Over all rounds, if the user gave neither count nor time. */
#define LATENCY_SECONDS 2.0

static int
latency_measure(struct rounds *r, const struct latency *l, struct hist *h)
{
	const double hz = (double)rte_get_tsc_hz();
	uint64_t now, chunk;
	int ret = 0;

	rounds_begin(r);
	now = r->begin;
	while (ret == 0 && !rounds_over(r, now, h->nb)) {
		chunk = r->count != 0 ? RTE_MIN(l->chunk, r->count - h->nb) : l->chunk;
		ret = l->pings(l->arg, chunk, h);
		now = rte_rdtsc();
		client_line(r->cl, r->res, rounds_share(r, now, h->nb),
				(double)h->nb * hz / (double)(now - r->begin), "round trips/s");
	}
	return rounds_add(r, ret, hist_percentile(h, 50) / 2 * 1e9 / hz, h->nb,
			(double)(now - r->begin) / hz);
}

static int
latency_round(struct rounds *r, const struct latency *l, struct hist *h)
{
	double limit = 0;
	int ret;

	do {
		ret = limit_latency(l->place, r->limit_seconds, &limit);
	} while (rounds_limit(r, ret, limit * 1e9 / (double)rte_get_tsc_hz()));
	hist_reset(h);
	ret = l->begin(l->arg);
	if (ret == 0)
		ret = l->pings(l->arg, r->cl->opt->warmup, NULL);
	if (ret == 0)
		ret = latency_measure(r, l, h);
	return l->end(l->arg, ret);
}

int
rounds_latency(struct client *cl, struct result *res, int status, const struct latency *l)
{
	struct hist *all = hist_create(), *h = hist_create();
	struct rounds r;
	double p50;

	rounds_init(&r, cl, res, LATENCY_SECONDS);
	res->limit_name = limit_latency_name(cl->opt->event);
	if (status == 0 && (all == NULL || h == NULL))
		status = client_fail(cl, -ENOMEM, "no memory for histograms");
	while (status == 0 && r.done < r.nb) {
		status = latency_round(&r, l, h);
		hist_merge(all, h);
	}
	status = rounds_finish(&r, status, &p50);
	if (status == 0) {
		result_times_set(res, cl->opt, all, 2.0, p50);
		res->hist = all;
		all = NULL;
	}
	hist_free(all);
	hist_free(h);
	return status;
}
