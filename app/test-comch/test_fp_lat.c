/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * fp-lat and imm-lat: one message goes from a producer of the client to a
 * consumer of the server, which has its producer answer to the client's
 * consumer. One-way latency is half of the time from the send to the poll that
 * finds the answer.
 */

#include <errno.h>
#include <string.h>

#include <rte_cycles.h>

#include "fp_client.h"
#include "rounds.h"

#define LAT_SECONDS 2.0
/* Messages between two looks at clock and prompt; fewer if both sides sleep. */
#define LAT_CHUNK 4096
#define LAT_CHUNK_EVENT 64

static void
lat_wait(void *arg)
{
	struct client *cl = arg;

	app_wait(cl->app, cl->pe, 10);
}

static int
lat_pings(struct client *cl, uint64_t nb, struct hist *h)
{
	uint64_t chunk;
	int ret = 0;

	while (nb > 0 && ret == 0) {
		chunk = RTE_MIN(nb, (uint64_t)(cl->opt->event ? LAT_CHUNK_EVENT : LAT_CHUNK));
		ret = fp_ping(cl->fp, (uint32_t)chunk, h, lat_wait, cl);
		if (ret != 0) {
			/* What has failed before tells more. */
			if (fp_run_check(cl) == 0)
				client_fail(cl, ret, "a message was not answered: %s",
						strerror(-ret));
			return ret;
		}
		/* The connections want to be looked after too. */
		rte_comch_pe_progress(cl->pe);
		ret = fp_run_check(cl);
		nb -= chunk;
	}
	return ret;
}

static int
lat_measure(struct rounds *r, struct hist *h)
{
	const double hz = (double)rte_get_tsc_hz();
	struct client *cl = r->cl;
	uint64_t now, chunk;
	int ret = 0;

	rounds_begin(r);
	now = r->begin;
	while (ret == 0 && !rounds_over(r, now, h->nb)) {
		chunk = cl->opt->event ? LAT_CHUNK_EVENT : LAT_CHUNK;
		if (r->count != 0)
			chunk = RTE_MIN(chunk, r->count - h->nb);
		ret = lat_pings(cl, chunk, h);
		now = rte_rdtsc();
		client_line(cl, r->res, rounds_share(r, now, h->nb),
				(double)h->nb * hz / (double)(now - r->begin), "round trips/s");
	}
	return rounds_add(r, ret, hist_percentile(h, 50) / 2 * 1e9 / hz, h->nb,
			(double)(now - r->begin) / hz);
}

static int
lat_round(struct rounds *r, const struct fp_spec *spec, struct hist *h)
{
	struct client *cl = r->cl;
	struct fp_run run;
	double limit = 0;
	int ret;

	do {
		ret = limit_latency(&cl->place, r->limit_seconds, &limit);
	} while (rounds_limit(r, ret, limit * 1e9 / (double)rte_get_tsc_hz()));
	hist_reset(h);
	ret = fp_run_begin(cl, r->res->test, spec, &run);
	if (ret == 0)
		ret = lat_pings(cl, cl->opt->warmup, NULL);
	if (ret == 0)
		ret = lat_measure(r, h);
	if (ret != 0) {
		fp_run_abort(cl, &run);
		return ret;
	}
	return fp_run_end(cl, &run, r->res);
}

static int
lat_run(struct client *cl, const struct fp_spec *spec, struct result *res)
{
	struct hist *all = hist_create(), *h = hist_create();
	struct rounds r;
	double p50;
	int ret = 0;

	rounds_init(&r, cl, res, LAT_SECONDS);
	res->limit_name = limit_latency_name(cl->opt->event);
	if (all == NULL || h == NULL)
		ret = client_fail(cl, -ENOMEM, "no memory for histograms");
	while (ret == 0 && r.done < r.nb) {
		ret = lat_round(&r, spec, h);
		hist_merge(all, h);
	}
	ret = rounds_finish(&r, ret, &p50);
	fp_result_set(res, cl, spec);
	if (ret == 0) {
		result_times_set(res, cl->opt, all, 2.0, p50);
		res->hist = all;
		all = NULL;
	}
	hist_free(all);
	hist_free(h);
	return ret;
}

static int
fp_lat_run(struct client *cl, const struct test_point *pt, struct result *res)
{
	struct fp_spec spec;

	fp_spec_make(cl, FP_KIND_LATENCY, false, pt->size, &spec);
	return lat_run(cl, &spec, res);
}

static int
fp_lat_opt_check(const struct client *cl, const struct test_point *pt, char why[OPT_ERR_SIZE])
{
	struct fp_spec spec;

	fp_spec_make(cl, FP_KIND_LATENCY, false, pt->size, &spec);
	return fp_spec_check(cl, &spec, why);
}

static int
imm_lat_run(struct client *cl, const struct test_point *pt, struct result *res)
{
	struct fp_spec spec;

	fp_spec_make(cl, FP_KIND_LATENCY, true, pt->size, &spec);
	return lat_run(cl, &spec, res);
}

static int
imm_lat_opt_check(const struct client *cl, const struct test_point *pt, char why[OPT_ERR_SIZE])
{
	struct fp_spec spec;

	fp_spec_make(cl, FP_KIND_LATENCY, true, pt->size, &spec);
	return fp_spec_check(cl, &spec, why);
}

static const struct test_ops fp_lat = {
	.name = "fp-lat",
	.description = "buffers of the fast path, one at a time: one-way latency",
	.rank = 40,
	.options = " size stride posts ",
	.times_name = "one-way latency",
	.opt_check = fp_lat_opt_check,
	.run = fp_lat_run,
	.fast_path = true,
	.dflt_size = { .first = 64, .last = 64 },
};

static const struct test_ops imm_lat = {
	.name = "imm-lat",
	.description = "immediate data only, one at a time: one-way latency",
	.rank = 70,
	.options = " size posts ",
	.times_name = "one-way latency",
	.opt_check = imm_lat_opt_check,
	.run = imm_lat_run,
	.fast_path = true,
	.dflt_size = { .first = 32, .last = 32 },
};

TEST_REGISTER(fp_lat);
TEST_REGISTER(imm_lat);
