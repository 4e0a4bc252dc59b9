/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* What tests of a latency have in common, and those of a rate: all of their rounds. */

#include <errno.h>

#include <rte_cycles.h>

#include "rounds.h"
#include "slices.h"

/* Over all rounds of a latency, if the user gave neither count nor time. */
#define LATENCY_SECONDS 2.0
/* Seconds between two looks at how a rate is going. */
#define RATE_SLICE 0.25

/* ---- latencies ---- */

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
		rounds_line(r, now, h->nb, 0, "round trips/s");
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

	rounds_init(&r, cl, res, l->place, LATENCY_SECONDS);
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

/* ---- rates ---- */

/* Until so much has been done, or until the clock is there. slices: NULL while it warms up. */
static int
rate_turns(struct rounds *r, const struct rate *l, uint64_t want, uint64_t until,
		struct slices *slices)
{
	const uint64_t patience = (uint64_t)(l->patience * (double)rte_get_tsc_hz());
	uint64_t now = rte_rdtsc();
	struct rate_count c;
	int ret = 0;

	l->count(l->arg, &c);
	while (ret == 0 && c.done < want && now < until) {
		ret = l->turn(l->arg, want - c.done);
		now = rte_rdtsc();
		l->count(l->arg, &c);
		if (slices != NULL)
			slices_look(slices, now, c.tx + c.rx);
		if (c.done != r->moved || r->deadline == 0) {
			r->moved = c.done;
			r->deadline = now + patience;
		} else if (ret == 0 && now > r->deadline) {
			ret = client_fail(r->cl, -ETIMEDOUT, "%s for %.0f s", l->stalled,
					l->patience);
		}
	}
	return ret;
}

/* The measured part: in slices, so that long runs can tell how they are going. */
static int
rate_measure(struct rounds *r, const struct rate *l)
{
	const double hz = (double)rte_get_tsc_hz();
	uint64_t slice, now, done = 0;
	struct rate_count begin, c;
	struct slices slices;
	double seconds;
	int ret;

	l->count(l->arg, &begin);
	slices_begin(&slices, r->seconds, begin.tx + begin.rx);
	rounds_begin(r);
	do {
		slice = rte_rdtsc() + (uint64_t)(RATE_SLICE * hz);
		if (r->count != 0)
			ret = rate_turns(r, l, begin.done + r->count, slice, &slices);
		else
			ret = rate_turns(r, l, UINT64_MAX,
					done == 0 ? slice : RTE_MIN(slice, r->end), &slices);
		l->count(l->arg, &c);
		now = rte_rdtsc();
		done = c.done - begin.done;
		rounds_line(r, now, done, c.bytes - begin.bytes, l->unit);
		/* A message may take longer than the round: there is one at least. */
	} while (ret == 0 && (done == 0 || !rounds_over(r, now, done)));
	seconds = (double)(now - r->begin) / hz;
	r->tx[r->done] = (double)(c.tx - begin.tx) / seconds;
	r->rx[r->done] = (double)(c.rx - begin.rx) / seconds;
	r->bytes[r->done] = (double)(c.bytes - begin.bytes) / seconds;
	r->best[r->done] = slices_best(&slices);
	if (r->best[r->done] <= 0)
		r->best[r->done] = r->tx[r->done] + r->rx[r->done];
	return rounds_add(r, ret, r->tx[r->done] + r->rx[r->done],
			c.tx - begin.tx + c.rx - begin.rx, seconds);
}

static int
rate_round(struct rounds *r, const struct rate *l)
{
	struct rate_count c;
	double limit = 0;
	int ret;

	if (l->limit != NULL) {
		do {
			ret = l->limit(l->arg, r->limit_seconds, &limit);
		} while (rounds_limit(r, ret, limit));
	}
	r->deadline = 0;
	ret = l->begin(l->arg);
	if (ret == 0) {
		l->count(l->arg, &c);
		ret = rate_turns(r, l, c.done + RTE_MIN(l->warmup, r->cl->opt->warmup), UINT64_MAX,
				NULL);
	}
	if (ret == 0)
		ret = rate_measure(r, l);
	return l->end(l->arg, ret);
}

int
rounds_rate(struct client *cl, struct result *res, int status, const struct rate *l)
{
	struct rounds r;

	rounds_init(&r, cl, res, l->place, l->seconds);
	while (status == 0 && r.done < r.nb)
		status = rate_round(&r, l);
	status = rounds_finish(&r, status, &res->rate);
	if (status != 0)
		return status;
	if (res->test->bandwidth) {
		res->bytes_rate = median(r.bytes, r.done);
		res->best_rate = median(r.best, r.done);
	}
	if (res->bidir) {
		res->tx_rate = median(r.tx, r.done);
		res->rx_rate = median(r.rx, r.done);
	}
	return 0;
}

void
rate_print(const struct result *res, const char *peer, FILE *f)
{
	fprintf(f, "best tenth %.1f k/s", res->best_rate / 1e3);
	if (res->limit > 0)
		fprintf(f, ", %.3f of the limit's", res->best_rate / res->limit);
	if (res->bidir)
		fprintf(f, "; %.2f M/s to %s, %.2f M/s from it", res->tx_rate / 1e6, peer,
				res->rx_rate / 1e6);
	fprintf(f, "\n");
}
