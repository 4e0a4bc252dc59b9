/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* The statistics that tests have in common. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_string_fns.h>

#include "rounds.h"

/* Least and greatest time that the limit of one round is measured for. */
#define LIMIT_MIN_SECONDS 0.02
#define LIMIT_MAX_SECONDS 0.1
/*
 * A limit so many times worse than the best one of its result was disturbed. CPUs that
 * their host moves change it by five. It is measured again so often in each round.
 */
#define LIMIT_FAR 8.0
#define LIMIT_AGAIN 2

static int
compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double
median(double *values, uint32_t nb)
{
	if (nb == 0)
		return 0.0;
	qsort(values, nb, sizeof(values[0]), compare_double);
	return nb % 2 == 1 ? values[nb / 2] : (values[nb / 2 - 1] + values[nb / 2]) / 2;
}

void
rounds_init(struct rounds *r, struct client *cl, struct result *res,
		const struct limit_place *place, double dflt_seconds)
{
	const struct options *opt = cl->opt;
	double seconds = opt->duration > 0 ? opt->duration : dflt_seconds;

	memset(r, 0, sizeof(*r));
	r->cl = cl;
	r->res = res;
	r->place = place;
	r->nb = opt->rounds;
	if (opt->count != 0)
		r->count = opt->count / opt->rounds;
	r->seconds = seconds / opt->rounds;
	r->limit_seconds = r->seconds / 4;
	r->limit_seconds = RTE_MAX(r->limit_seconds, LIMIT_MIN_SECONDS);
	r->limit_seconds = RTE_MIN(r->limit_seconds, LIMIT_MAX_SECONDS);
}

/* So many times as good; below 1 if it is worse. */
static double
limit_gain(const struct rounds *r, double limit, double other)
{
	return r->res->test->limit_is_rate ? limit / other : other / limit;
}

static bool
limit_far(const struct rounds *r, double limit)
{
	return limit_gain(r, r->best_limit, limit) > LIMIT_FAR;
}

/* Others only make it worse: the best of a round counts. */
static bool
limit_keep(struct rounds *r, double limit)
{
	double *mine = &r->limit[r->done];

	if (r->best_limit <= 0 || limit_gain(r, limit, r->best_limit) > 1)
		r->best_limit = limit;
	if (*mine <= 0 || limit_gain(r, limit, *mine) > 1)
		*mine = limit;
	/* One round has no other to compare with. */
	return r->again < LIMIT_AGAIN && (limit_far(r, *mine) || (r->nb == 1 && r->again == 0));
}

bool
rounds_limit(struct rounds *r, int status, double limit)
{
	const struct limit_place *place = r->place;

	if (status == 0 && limit_keep(r, limit)) {
		r->again++;
		return true;
	}
	r->again = 0;
	if (status == 0)
		return false;
	if (status == -EBUSY)
		snprintf(r->res->limit_why, sizeof(r->res->limit_why),
				"others were busy on cpu %d or %d", place->cpu, place->peer_cpu);
	else if (place->peer_cpu < 0)
		strlcpy(r->res->limit_why, place->why, sizeof(r->res->limit_why));
	else
		snprintf(r->res->limit_why, sizeof(r->res->limit_why),
				"nothing can be measured on cpu %d: %s", place->peer_cpu,
				strerror(-status));
	return false;
}

void
rounds_begin(struct rounds *r)
{
	r->begin = rte_rdtsc();
	r->end = r->begin + (uint64_t)(r->seconds * (double)rte_get_tsc_hz());
	r->line = r->begin;
	r->line_done = r->line_bytes = 0;
	if (r->last_line == 0)
		r->last_line = r->begin;
}

/* Part of the whole result that is done. */
static double
rounds_share(const struct rounds *r, uint64_t now, uint64_t nb)
{
	double share;

	if (r->count != 0)
		share = (double)nb / (double)r->count;
	else
		share = (double)(now - r->begin) / (double)(r->end - r->begin);
	return ((double)r->done + RTE_MIN(share, 1.0)) / (double)r->nb;
}

void
rounds_line(struct rounds *r, uint64_t now, uint64_t done, uint64_t bytes, const char *unit)
{
	const double hz = (double)rte_get_tsc_hz(), seconds = (double)(now - r->line) / hz;
	const double interval = r->cl->opt->interval;

	if (interval <= 0 || (double)(now - r->last_line) / hz < interval)
		return;
	app_line(r->cl->app);
	printf("%s: %.0f %% done, %.0f %s", r->res->test->name, rounds_share(r, now, done) * 100,
			(double)(done - r->line_done) / seconds, unit);
	if (r->res->test->bandwidth)
		printf(", %.2f GB/s", (double)(bytes - r->line_bytes) / seconds / 1e9);
	printf("\n");
	fflush(stdout);
	r->last_line = r->line = now;
	r->line_done = done;
	r->line_bytes = bytes;
}

int
rounds_add(struct rounds *r, int status, double value, uint64_t nb, double seconds)
{
	if (status != 0 && (status != -ECANCELED || nb == 0))
		return status;
	r->value[r->done++] = value;
	r->res->rounds = r->done;
	r->res->nb += nb;
	r->res->seconds += seconds;
	return status;
}

/* The limits that nobody disturbed, and their ratios. */
static void
limit_finish(struct rounds *r)
{
	double ratio[OPT_MAX_ROUNDS], worst = r->best_limit;
	struct result *res = r->res;
	const bool rate = res->test->limit_is_rate;
	uint32_t i, nb = 0;

	for (i = 0; i < r->done; i++) {
		if (r->limit[i] > 0 && limit_gain(r, r->limit[i], worst) < 1)
			worst = r->limit[i];
		if (r->limit[i] <= 0 || limit_far(r, r->limit[i]))
			continue;
		ratio[nb] = r->value[i] / r->limit[i];
		r->limit[nb++] = r->limit[i];
	}
	/* What is missing in most rounds says nothing of the others. */
	if (2 * nb >= r->done) {
		res->ratio = median(ratio, nb);
		res->limit = median(r->limit, nb);
	} else if (limit_far(r, worst)) {
		snprintf(res->limit_why, sizeof(res->limit_why),
				"it was disturbed: %.1f and %.1f %s in the same run",
				rate ? worst / 1e3 : worst,
				rate ? r->best_limit / 1e3 : r->best_limit, rate ? "k/s" : "ns");
	}
}

int
rounds_finish(struct rounds *r, int status, double *value)
{
	struct result *res = r->res;

	limit_finish(r);
	*value = median(r->value, r->done);
	res->stopped = status == -ECANCELED && r->done > 0;
	if (res->stopped) {
		/* Of the round that was stopped it is not known. */
		res->client_cpu = res->server_cpu = 0;
		status = 0;
	} else if (res->seconds > 0) {
		res->client_cpu /= res->seconds;
		res->server_cpu /= res->seconds;
	}
	if (status != 0)
		strlcpy(res->reason, r->cl->error, sizeof(res->reason));
	return status;
}

void
result_times_set(struct result *res, const struct options *opt, const struct hist *h,
		double times, double p50_ns)
{
	double ns = 1e9 / (double)rte_get_tsc_hz() / times;
	struct result_times *t = &res->times;
	unsigned int i;

	if (h->nb == 0)
		return;
	res->has_times = true;
	t->min = (double)h->min * ns;
	t->p50 = p50_ns > 0 ? p50_ns : hist_percentile(h, 50) * ns;
	t->avg = hist_avg(h) * ns;
	t->p90 = hist_percentile(h, 90) * ns;
	t->p99 = hist_percentile(h, 99) * ns;
	t->p999 = hist_percentile(h, 99.9) * ns;
	t->max = (double)h->max * ns;
	for (i = 0; i < opt->nb_percentiles; i++)
		t->wanted[i] = hist_percentile(h, opt->percentiles[i]) * ns;
	res->hist_cycles_per_ns = 1.0 / ns;
}
