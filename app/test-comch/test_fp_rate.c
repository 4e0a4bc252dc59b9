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

/* What one round has measured, in a second. */
struct rates {
	double tx[OPT_MAX_ROUNDS];
	double rx[OPT_MAX_ROUNDS];
	double bytes[OPT_MAX_ROUNDS];
	double best[OPT_MAX_ROUNDS];   /* tenth of the time, without others on the CPUs */
};

/* Buffers for the limit: of the same kind of memory as those of the test. */
struct yard {
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

static void
yard_measure(struct rounds *r, const struct yard *y, const struct fp_spec *spec)
{
	struct client *cl = r->cl;
	double limit = 0;
	int ret;

	if ((spec->flags & FP_F_RANDOM) != 0) {
		rounds_limit(r, -ENOTSUP, 0);
		strlcpy(r->res->limit_why, "sizes and bursts vary", sizeof(r->res->limit_why));
		return;
	}
	cl->fp_place.event = cl->opt->event;
	do {
		if (y->copies)
			ret = limit_copy(&cl->fp_place, &y->stream, r->limit_seconds, &limit);
		else if ((spec->flags & FP_F_MBUF) != 0)
			ret = limit_mbuf(&cl->fp_place, &y->stream, r->limit_seconds, &limit);
		else
			ret = limit_stream(&cl->fp_place, &y->stream, r->limit_seconds, &limit);
	} while (rounds_limit(r, ret, limit));
	if (ret != 0 && ret != -EBUSY && cl->fp_place.peer_cpu < 0)
		strlcpy(r->res->limit_why, cl->fp_place.why, sizeof(r->res->limit_why));
}

/* What is kept from turn to turn; all 0 to begin with. */
struct turns {
	uint64_t tx_msgs;      /* since when nothing moves */
	uint64_t deadline;
	struct slices *slices; /* NULL while it warms up */
};

/* Let it run until so many messages have been sent, or until the clock is there. */
static int
rate_turn(struct client *cl, struct turns *t, uint64_t sent, uint64_t until)
{
	const double seconds = PEER_PATIENCE + fp_patience(fp_spec_get(cl->fp)->size);
	const uint64_t patience = (uint64_t)(seconds * (double)rte_get_tsc_hz());
	uint64_t now = rte_rdtsc();
	struct fp_count count;
	int ret;

	fp_count_get(cl->fp, &count);
	while (count.tx_msgs < sent && now < until) {
		client_step(cl);
		now = rte_rdtsc();
		fp_count_get(cl->fp, &count);
		if (t->slices != NULL)
			slices_look(t->slices, now, count.tx_msgs + count.rx_msgs);
		if (count.tx_msgs != t->tx_msgs || t->deadline == 0) {
			t->tx_msgs = count.tx_msgs;
			t->deadline = now + patience;
		}
		ret = fp_run_check(cl);
		if (ret != 0)
			return ret;
		if (now > t->deadline)
			return client_fail(cl, -ETIMEDOUT, "no message was sent for %.0f s",
					seconds);
	}
	return 0;
}

/* The measured part: in slices, so that long runs can tell how they are going. */
static int
rate_measure(struct rounds *r, struct rates *rates)
{
	const double hz = (double)rte_get_tsc_hz();
	struct client *cl = r->cl;
	struct fp_count begin, c;
	uint64_t slice, now, done = 0;
	struct slices slices;
	struct turns t = { .slices = &slices };
	double seconds;
	int ret;

	fp_count_get(cl->fp, &begin);
	slices_begin(&slices, r->seconds, begin.tx_msgs + begin.rx_msgs);
	rounds_begin(r);
	do {
		slice = rte_rdtsc() + (uint64_t)(0.25 * hz);
		if (r->count != 0)
			ret = rate_turn(cl, &t, begin.tx_msgs + r->count, slice);
		else
			ret = rate_turn(cl, &t, UINT64_MAX,
					done == 0 ? slice : RTE_MIN(slice, r->end));
		fp_count_get(cl->fp, &c);
		now = rte_rdtsc();
		done = c.tx_msgs - begin.tx_msgs;
		client_line(cl, r->res, rounds_share(r, now, done),
				(double)done * hz / (double)(now - r->begin), "msgs/s");
		/* A message may take longer than the round: there is one at least. */
	} while (ret == 0 && (done == 0 || !rounds_over(r, now, done)));
	seconds = (double)(now - r->begin) / hz;
	rates->tx[r->done] = (double)done / seconds;
	rates->rx[r->done] = (double)(c.rx_msgs - begin.rx_msgs) / seconds;
	rates->bytes[r->done] = (double)(c.tx_bytes - begin.tx_bytes +
			c.rx_bytes - begin.rx_bytes) / seconds;
	rates->best[r->done] = slices_best(&slices);
	if (rates->best[r->done] <= 0)
		rates->best[r->done] = rates->tx[r->done] + rates->rx[r->done];
	return rounds_add(r, ret, rates->tx[r->done] + rates->rx[r->done],
			done + c.rx_msgs - begin.rx_msgs, seconds);
}

static int
rate_round(struct rounds *r, const struct fp_spec *spec, const struct yard *y,
		struct rates *rates)
{
	/* Twice through all buffers is enough, and is long if they are large. */
	uint64_t warmup = UINT64_C(2) * spec->posts * spec->peer_consumers * spec->nb_conns;
	struct client *cl = r->cl;
	struct turns t = { 0 };
	struct fp_run run;
	int ret;

	yard_measure(r, y, spec);
	ret = fp_run_begin(cl, r->res->test, spec, &run);
	if (ret == 0)
		ret = rate_turn(cl, &t, RTE_MIN(warmup, cl->opt->warmup), UINT64_MAX);
	if (ret == 0)
		ret = rate_measure(r, rates);
	if (ret != 0) {
		fp_run_abort(cl, &run);
		return ret;
	}
	return fp_run_end(cl, &run, r->res);
}

static int
rate_run(struct client *cl, const struct test_point *pt, struct result *res)
{
	const bool copies = res->test->kind == FP_KIND_BANDWIDTH;
	struct rates *rates = calloc(1, sizeof(*rates));
	struct rounds r;
	struct yard y = { 0 };
	struct fp_spec spec;
	int ret;

	fp_spec_make(cl, res->test, pt->size, &spec);
	rounds_init(&r, cl, res, copies ? BANDWIDTH_SECONDS : RATE_SECONDS);
	ret = rates == NULL ? -ENOMEM : yard_open(&y, &spec, copies);
	res->limit_name = y.name;
	if (ret != 0)
		client_fail(cl, ret, "no memory for the buffers of the limit: %s; lower --posts "
				"or --size", strerror(-ret));
	else
		while (ret == 0 && r.done < r.nb)
			ret = rate_round(&r, &spec, &y, rates);
	ret = rounds_finish(&r, ret, &res->rate);
	fp_result_set(res, cl, &spec);
	if (ret == 0) {
		res->bytes_rate = median(rates->bytes, r.done);
		res->best_rate = median(rates->best, r.done);
		if (res->bidir) {
			res->tx_rate = median(rates->tx, r.done);
			res->rx_rate = median(rates->rx, r.done);
		}
	}
	yard_close(&y);
	free(rates);
	return ret;
}

static void
rate_result(const struct result *res, FILE *f)
{
	fprintf(f, "%s %u B: best tenth %.1f k/s", res->test->name, res->pt.size,
			res->best_rate / 1e3);
	if (res->limit > 0)
		fprintf(f, ", %.3f of the limit's", res->best_rate / res->limit);
	if (res->bidir)
		fprintf(f, "; %.2f M/s to the server, %.2f M/s from it", res->tx_rate / 1e6,
				res->rx_rate / 1e6);
	fprintf(f, "\n");
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
