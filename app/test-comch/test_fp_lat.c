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

#include "fp_client.h"
#include "rounds.h"

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
lat_pings(void *arg, uint64_t nb, struct hist *h)
{
	struct client *cl = ((struct fp_run *)arg)->cl;
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
lat_run(struct client *cl, const struct test_point *pt, struct result *res)
{
	struct fp_run run = { .cl = cl, .res = res };
	const struct latency l = {
		.place = &cl->place,
		.chunk = cl->opt->event ? LAT_CHUNK_EVENT : LAT_CHUNK,
		.arg = &run,
		.begin = fp_run_begin,
		.pings = lat_pings,
		.end = fp_run_end,
	};
	int ret;

	fp_spec_make(cl, res->test, pt->size, &run.spec);
	ret = rounds_latency(cl, res, 0, &l);
	fp_result_set(res, cl, &run.spec);
	return ret;
}

const struct test_ops test_fp_lat = {
	.name = "fp-lat",
	.description = "buffers of the fast path, one at a time: one-way latency",
	.options = " size stride posts ",
	.times_name = "one-way latency",
	.opt_check = fp_opt_check,
	.run = lat_run,
	.fast_path = true,
	.kind = FP_KIND_LATENCY,
	.dflt_size = { .first = 64, .last = 64 },
};

const struct test_ops test_imm_lat = {
	.name = "imm-lat",
	.description = "immediate data only, one at a time: one-way latency",
	.options = " size posts ",
	.times_name = "one-way latency",
	.opt_check = fp_opt_check,
	.run = lat_run,
	.fast_path = true,
	.kind = FP_KIND_LATENCY,
	.imm = true,
	.dflt_size = { .first = 32, .last = 32 },
};
