/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * fp-rate, fp-bw and imm-rate: producers of the client send as fast as the
 * consumers of the server post, in bursts; both ways at one time if that is
 * asked for. The rate counts messages that were sent, which are never more
 * ahead of those that were received than there are buffers.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_string_fns.h>

#include "fp_client.h"
#include "rounds.h"
#include "slices.h"

#define RATE_SECONDS 2.5
#define BANDWIDTH_SECONDS 2.0

/* A run, and buffers for its limit: of the same kind of memory as those of the test. */
struct yard {
	struct fp_run run;
	struct limit_stream stream;
	struct rte_comch_mem *mem;
	struct rte_comch_mem *pools[4];  /* instead of mem, of packets */
	bool copies;           /* the limit is a copy, without a reader */
	const char *name;
};

static void
yard_close(struct yard *y)
{
	unsigned int i;

	rte_comch_mem_free(y->mem);
	for (i = 0; i < RTE_DIM(y->pools); i++)
		rte_comch_mem_free(y->pools[i]);
}

/* Packets come from as many as those of the test. */
static int
yard_pools(struct yard *y, const struct fp_spec *spec)
{
	struct limit_stream *st = &y->stream;
	struct rte_comch_mem_info info;
	unsigned int i;
	uint32_t nb;
	int ret;

	for (i = 0; i < (st->bidir ? 4u : 2u); i++) {
		nb = i % 2 == 0 ? spec->posts + 2 * spec->burst : 2 * FP_MAX_BURST;
		ret = fp_pool_create(spec, nb, 2, 0, &y->pools[i]);
		if (ret == 0)
			ret = rte_comch_mem_info_get(y->pools[i], &info);
		if (ret != 0)
			return ret;
		*(i % 2 == 0 ? &st->dst_pool[i / 2] : &st->src_pool[i / 2]) = info.pool;
	}
	return 0;
}

static int
yard_open(struct yard *y, const struct fp_spec *spec, bool copies)
{
	struct limit_stream *st = &y->stream;
	const bool mbufs = (spec->flags & FP_F_MBUF) != 0;
	uint32_t size = spec->size + spec->imm_len, ways;
	uint64_t dst, src;
	uint8_t *base;
	uint32_t i;
	int ret;

	st->work = (spec->flags & FP_F_WORK) != 0;
	/* A copy alone is no limit where the two sides do more than that. */
	y->copies = copies && !st->work && !mbufs;
	y->name = y->copies ? LIMIT_COPY_NAME : mbufs ? LIMIT_MBUF_NAME :
			st->work ? LIMIT_WORK_NAME : LIMIT_STREAM_NAME;
	st->size = size;
	st->stride = spec->stride;
	st->slots = spec->posts;
	st->src_stride = spec->size != 0 ? (uint32_t)RTE_ALIGN_CEIL(size, RTE_CACHE_LINE_SIZE) :
			size;
	st->src_slots = spec->sources;
	st->batch = spec->burst;
	st->bidir = (spec->flags & FP_F_BIDIR) != 0 && !y->copies;
	if (mbufs)
		return yard_pools(y, spec);
	dst = RTE_ALIGN_CEIL((uint64_t)st->slots * st->stride, RTE_CACHE_LINE_SIZE);
	src = RTE_ALIGN_CEIL((uint64_t)st->src_slots * st->src_stride, RTE_CACHE_LINE_SIZE);
	ways = st->bidir ? 2 : 1;
	ret = rte_comch_mem_alloc(spec->dev_id, (dst + src) * ways, 0, &y->mem);
	if (ret != 0)
		return ret;
	base = rte_comch_mem_addr(y->mem);
	memset(base, 0x5a, (dst + src) * ways);
	for (i = 0; i < ways; i++) {
		st->dst[i] = base + i * (dst + src);
		st->src[i] = base + i * (dst + src) + dst;
	}
	return 0;
}

static int
rate_limit(void *arg, double seconds, double *limit)
{
	const struct yard *y = arg;
	struct client *cl = y->run.cl;

	cl->fp_place.event = cl->opt->event;
	if (y->copies)
		return limit_copy(&cl->fp_place, &y->stream, seconds, limit);
	if ((y->run.spec.flags & FP_F_MBUF) != 0)
		return limit_mbuf(&cl->fp_place, &y->stream, seconds, limit);
	return limit_stream(&cl->fp_place, &y->stream, seconds, limit);
}

static int
rate_turn(void *arg, uint64_t left __rte_unused)
{
	struct client *cl = ((struct yard *)arg)->run.cl;

	client_step(cl);
	return fp_run_check(cl);
}

static void
rate_count(void *arg, struct rate_count *count)
{
	struct fp_count c;

	fp_count_get(((struct yard *)arg)->run.cl->fp, &c);
	count->done = count->tx = c.tx_msgs;
	count->rx = c.rx_msgs;
	count->bytes = c.tx_bytes + c.rx_bytes;
}

static int
rate_run(struct client *cl, const struct test_point *pt, struct result *res)
{
	const bool copies = res->test->kind == FP_KIND_BANDWIDTH;
	struct yard y = { .run = { .cl = cl, .res = res } };
	struct fp_spec *spec = &y.run.spec;
	struct rate r = {
		.place = &cl->fp_place,
		.seconds = copies ? BANDWIDTH_SECONDS : RATE_SECONDS,
		.stalled = "no message was sent",
		.unit = "msgs/s",
		.arg = &y,
		.limit = rate_limit,
		.begin = fp_run_begin,
		.turn = rate_turn,
		.count = rate_count,
		.end = fp_run_end,
	};
	int ret;

	fp_spec_make(cl, res->test, pt->size, spec);
	r.patience = PEER_PATIENCE + fp_patience(spec->size);
	/* Twice through all buffers is enough, and is long if they are large. */
	r.warmup = UINT64_C(2) * spec->posts * spec->peer_consumers * spec->nb_conns;
	if ((spec->flags & FP_F_RANDOM) != 0) {
		r.limit = NULL;
		strlcpy(res->limit_why, "sizes and bursts vary", sizeof(res->limit_why));
	}
	ret = yard_open(&y, spec, copies);
	res->limit_name = y.name;
	if (ret != 0)
		client_fail(cl, ret, "no memory for the buffers of the limit: %s; lower --posts "
				"or --size", strerror(-ret));
	res->bidir = (spec->flags & FP_F_BIDIR) != 0;
	ret = rounds_rate(cl, res, ret, &r);
	fp_result_set(res, cl, spec);
	yard_close(&y);
	return ret;
}

static void
rate_result(const struct result *res, FILE *f)
{
	fprintf(f, "%s %u B: ", res->test->name, res->pt.size);
	rate_print(res, "the server", f);
}

#define FP_OPTIONS " size burst posts producers consumers connections tasks write-read random bidir "

const struct test_ops test_fp_rate = {
	.name = "fp-rate",
	.description = "buffers of the fast path in bursts: messages per second",
	.options = FP_OPTIONS "stride mbuf ",
	.limit_is_rate = true,
	.opt_check = fp_opt_check,
	.run = rate_run,
	.result = rate_result,
	.fast_path = true,
	.bandwidth = true,
	.dflt_size = { .first = 64, .last = 64 },
};

const struct test_ops test_fp_bw = {
	.name = "fp-bw",
	.description = "large buffers of the fast path: messages and bytes per second",
	.options = FP_OPTIONS "stride mbuf touch ",
	.limit_is_rate = true,
	.opt_check = fp_opt_check,
	.run = rate_run,
	.result = rate_result,
	.fast_path = true,
	.kind = FP_KIND_BANDWIDTH,
	.bandwidth = true,
	.dflt_size = { .first = 4096, .last = 1048576, .step = 16, .mul = true },
};

const struct test_ops test_imm_rate = {
	.name = "imm-rate",
	.description = "immediate data only, in bursts: messages per second",
	.options = FP_OPTIONS,
	.limit_is_rate = true,
	.opt_check = fp_opt_check,
	.run = rate_run,
	.result = rate_result,
	.fast_path = true,
	.imm = true,
	.bandwidth = true,
	.dflt_size = { .first = 32, .last = 32 },
};
