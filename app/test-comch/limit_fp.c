/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The limits of the fast path: what the two CPUs, or one of them, can do with
 * buffers that lie as those of the test do.
 */

#include <errno.h>
#include <string.h>

#include "limit_private.h"
#include "work.h"

/*
 * Rate. The writer copies each message into the next slot, the reader loads once
 * from each of its cache lines. An index each way is published once for a batch,
 * and that is all that the two say to each other. The slots are in the order in
 * which the buffers of the test are posted, and the sources those of the test.
 * Where the test writes and reads all bytes of a message, so do these two.
 */
struct stream_end {
	uint64_t prod, prod_tail;  /* own index, and the last tail seen */
	uint64_t cons, cons_head;
	uint32_t prod_slot, cons_slot, src_slot;
};

static inline void
stream_produce(struct limit_shared *sh, struct stream_end *e, unsigned int r)
{
	const struct limit_stream *st = sh->stream;
	uint32_t n;

	if (e->prod - e->prod_tail > st->slots - st->batch) {
		e->prod_tail = __atomic_load_n(&sh->tail[r], __ATOMIC_ACQUIRE);
		if (e->prod - e->prod_tail > st->slots - st->batch)
			return;
	}
	for (n = 0; n < st->batch; n++) {
		if (st->work)
			work_write(st->src[r] + (size_t)e->src_slot * st->src_stride, st->size,
					e->prod + n);
		memcpy(st->dst[r] + (size_t)e->prod_slot * st->stride,
				st->src[r] + (size_t)e->src_slot * st->src_stride, st->size);
		if (++e->prod_slot == st->slots)
			e->prod_slot = 0;
		if (++e->src_slot == st->src_slots)
			e->src_slot = 0;
	}
	e->prod += st->batch;
	__atomic_store_n(&sh->head[r], e->prod, __ATOMIC_RELEASE);
}

static inline void
stream_consume(struct limit_shared *sh, struct stream_end *e, unsigned int r)
{
	const struct limit_stream *st = sh->stream;
	const uint8_t *slot;
	uint32_t n;

	if (e->cons == e->cons_head) {
		e->cons_head = __atomic_load_n(&sh->head[r], __ATOMIC_ACQUIRE);
		if (e->cons == e->cons_head)
			return;
	}
	/* Slots go back in batches too, so that the writer need not wait for all. */
	for (n = 0; n < st->batch && e->cons != e->cons_head; n++, e->cons++) {
		slot = st->dst[r] + (size_t)e->cons_slot * st->stride;
		if (!st->work)
			limit_touch(slot, st->size);
		else if (unlikely(!work_read(slot, st->size)))
			__atomic_store_n(&sh->quit, 1, __ATOMIC_RELAXED);
		if (++e->cons_slot == st->slots)
			e->cons_slot = 0;
	}
	__atomic_store_n(&sh->tail[r], e->cons, __ATOMIC_RELEASE);
}

static uint32_t
stream_helper(void *arg)
{
	struct limit_shared *sh = arg;
	struct stream_end e = { 0 };
	uint64_t spins = 0;

	__atomic_store_n(&sh->ready, 1, __ATOMIC_RELEASE);
	do {
		stream_consume(sh, &e, 0);
		if (sh->bidir)
			stream_produce(sh, &e, 1);
	} while (likely((++spins & sh->clock_mask) != 0) || !limit_quit_seen(sh));
	return 0;
}

static int
stream_measure(struct limit_shared *sh, double seconds, void *out)
{
	uint64_t end = limit_clock_after(seconds), now, spins = 0;
	struct stream_end e = { 0 };
	struct slices slices;

	slices_begin(&slices, seconds, 0);
	do {
		stream_produce(sh, &e, 0);
		if (sh->bidir)
			stream_consume(sh, &e, 1);
		if ((++spins & sh->clock_mask) != 0)
			continue;
		now = rte_rdtsc();
		slices_look(&slices, now, e.prod + e.cons);
		if (now >= end)
			break;
	} while (true);
	return limit_rate_end(&slices, out);
}

/* Look at the clock about once in 100 KB, for one message can take a second. */
static uint64_t
clock_mask(const struct limit_stream *st)
{
	uint64_t turn = (uint64_t)st->size * st->batch;
	uint64_t mask = LIMIT_CLOCK_MASK;

	while (mask != 0 && turn * mask > 100000)
		mask >>= 1;
	return mask;
}

void
limit_stream_init(struct limit_shared *sh, struct limit_stream *st)
{
	if (st->slots < 2 * st->batch)
		st->batch = st->slots < 2 ? 1 : st->slots / 2;
	sh->stream = st;
	sh->bidir = st->bidir;
	sh->rate = true;
	sh->clock_mask = clock_mask(st);
}

int
limit_stream(const struct limit_place *place, const struct limit_stream *stream, double seconds,
		double *rate)
{
	struct limit_shared *sh = limit_shared_alloc();
	struct limit_stream st = *stream;
	int ret;

	if (sh == NULL)
		return -ENOMEM;
	limit_stream_init(sh, &st);
	ret = limit_with_helper(place, sh, seconds, stream_helper, stream_measure, rate);
	limit_shared_free(sh);
	return ret;
}

/*
 * Bandwidth. Whoever moves a message between two places copies it once at least,
 * and this does that and nothing else, from as many buffers to as many buffers.
 */
static int
copy_measure(struct limit_shared *sh, double seconds, void *out)
{
	uint64_t end = limit_clock_after(seconds), now, n = 0;
	const struct limit_stream *st = sh->stream;
	struct slices slices;
	uint32_t to = 0, from = 0;

	slices_begin(&slices, seconds, 0);
	do {
		memcpy(st->dst[0] + (size_t)to * st->stride,
				st->src[0] + (size_t)from * st->src_stride, st->size);
		/* Nobody reads it: it must not be optimised away. */
		__asm__ volatile("" : : "r"(st->dst[0]) : "memory");
		if (++to == st->slots)
			to = 0;
		if (++from == st->src_slots)
			from = 0;
		if ((++n & sh->clock_mask) != 0)
			continue;
		now = rte_rdtsc();
		slices_look(&slices, now, n);
		if (now >= end)
			break;
	} while (true);
	return limit_rate_end(&slices, out);
}

int
limit_copy(const struct limit_place *place, const struct limit_stream *stream, double seconds,
		double *rate)
{
	struct limit_shared *sh = limit_shared_alloc();
	int ret;

	if (sh == NULL)
		return -ENOMEM;
	sh->stream = stream;
	sh->clock_mask = clock_mask(stream);
	ret = limit_alone(place, sh, seconds, copy_measure, rate);
	limit_shared_free(sh);
	return ret;
}
