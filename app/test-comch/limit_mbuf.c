/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The limit of packets: the bare loop of limit_fp.c, with a pool at each end. What
 * an application does with packets costs something without any channel, too: the
 * writer takes them from a pool, says how long they are and gives them back, and so
 * does the reader with those that it is to be sent. Nothing else is added but the
 * address of each slot, which the writer cannot know when it comes from a pool.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "limit_private.h"
#include "work.h"

struct pool_way {
	struct rte_mbuf **pkts;  /* in the slots; of the reader */
	void **addr;             /* of their data: the reader writes, the writer reads */
};

struct pool_end {
	struct rte_mbuf **pkts;    /* of one batch */
	uint64_t prod, prod_tail;  /* own index, and the last tail seen */
	uint64_t cons, cons_head;
	uint32_t prod_slot, cons_slot;
};

/* A packet that is taken from a pool, and how long it is. */
static inline void
pool_len(struct rte_mbuf *m, uint32_t len)
{
	m->data_len = (uint16_t)len;
	m->pkt_len = len;
}

static inline void
pool_produce(struct limit_shared *sh, struct pool_end *e, unsigned int r)
{
	const struct limit_stream *st = sh->stream;
	const struct pool_way *way = &sh->ways[r];
	struct rte_mbuf *m;
	uint32_t n;

	if (e->prod - e->prod_tail > st->slots - st->batch) {
		e->prod_tail = __atomic_load_n(&sh->tail[r], __ATOMIC_ACQUIRE);
		if (e->prod - e->prod_tail > st->slots - st->batch)
			return;
	}
	if (unlikely(rte_pktmbuf_alloc_bulk(st->src_pool[r], e->pkts, st->batch) != 0))
		return;
	for (n = 0; n < st->batch; n++) {
		m = e->pkts[n];
		pool_len(m, st->size);
		if (st->work)
			work_write(rte_pktmbuf_mtod(m, void *), st->size, e->prod + n);
		memcpy(way->addr[e->prod_slot], rte_pktmbuf_mtod(m, const void *), st->size);
		if (++e->prod_slot == st->slots)
			e->prod_slot = 0;
	}
	e->prod += st->batch;
	__atomic_store_n(&sh->head[r], e->prod, __ATOMIC_RELEASE);
	rte_pktmbuf_free_bulk(e->pkts, st->batch);
}

/* New packets for the slots from here on; those of the end come from the beginning. */
static inline bool
pool_fill(struct limit_shared *sh, struct pool_end *e, unsigned int r, uint32_t nb)
{
	const struct limit_stream *st = sh->stream;
	struct pool_way *way = &sh->ways[r];
	uint32_t n;

	if (unlikely(rte_pktmbuf_alloc_bulk(st->dst_pool[r], e->pkts, nb) != 0))
		return false;
	for (n = 0; n < nb; n++) {
		way->pkts[e->cons_slot] = e->pkts[n];
		way->addr[e->cons_slot] = rte_pktmbuf_mtod(e->pkts[n], void *);
		if (++e->cons_slot == st->slots)
			e->cons_slot = 0;
	}
	return true;
}

static inline void
pool_consume(struct limit_shared *sh, struct pool_end *e, unsigned int r)
{
	const struct limit_stream *st = sh->stream;
	const struct pool_way *way = &sh->ways[r];
	uint32_t slot = e->cons_slot, nb, n;
	struct rte_mbuf *m;
	const void *data;

	if (e->cons == e->cons_head) {
		e->cons_head = __atomic_load_n(&sh->head[r], __ATOMIC_ACQUIRE);
		if (e->cons == e->cons_head)
			return;
	}
	nb = (uint32_t)RTE_MIN(e->cons_head - e->cons, (uint64_t)st->batch);
	for (n = 0; n < nb; n++) {
		m = way->pkts[slot];
		if (++slot == st->slots)
			slot = 0;
		pool_len(m, st->size);
		data = rte_pktmbuf_mtod(m, const void *);
		if (!st->work)
			limit_touch(data, st->size);
		else if (unlikely(!work_read(data, st->size)))
			__atomic_store_n(&sh->quit, 1, __ATOMIC_RELAXED);
		e->pkts[n] = m;
	}
	rte_pktmbuf_free_bulk(e->pkts, nb);
	/* The pool has what was given back just now, at the least. */
	if (unlikely(!pool_fill(sh, e, r, nb)))
		__atomic_store_n(&sh->quit, 1, __ATOMIC_RELAXED);
	e->cons += nb;
	__atomic_store_n(&sh->tail[r], e->cons, __ATOMIC_RELEASE);
}

/* What a thread keeps to itself goes with it. */
static void
pool_flush(const struct limit_stream *st)
{
	unsigned int r;

	for (r = 0; r < (st->bidir ? 2u : 1u); r++) {
		rte_mempool_cache_flush(NULL, st->src_pool[r]);
		rte_mempool_cache_flush(NULL, st->dst_pool[r]);
	}
}

static uint32_t
pool_helper(void *arg)
{
	struct limit_shared *sh = arg;
	struct pool_end e = { 0 };
	uint64_t spins = 0;

	e.pkts = calloc(sh->stream->batch, sizeof(e.pkts[0]));
	/* Without a number a thread has no cache in a pool, and is no limit. */
	if (e.pkts == NULL || rte_thread_register() != 0) {
		free(e.pkts);
		return 0;
	}
	__atomic_store_n(&sh->ready, 1, __ATOMIC_RELEASE);
	do {
		pool_consume(sh, &e, 0);
		if (sh->bidir)
			pool_produce(sh, &e, 1);
	} while (likely((++spins & sh->clock_mask) != 0) || !limit_quit_seen(sh));
	pool_flush(sh->stream);
	rte_thread_unregister();
	free(e.pkts);
	return 0;
}

static int
pool_measure(struct limit_shared *sh, double seconds, void *out)
{
	uint64_t end = limit_clock_after(seconds), now, spins = 0;
	struct pool_end e = { 0 };
	struct slices slices;

	e.pkts = calloc(sh->stream->batch, sizeof(e.pkts[0]));
	if (e.pkts == NULL)
		return -ENOMEM;
	slices_begin(&slices, seconds, 0);
	do {
		pool_produce(sh, &e, 0);
		if (sh->bidir)
			pool_consume(sh, &e, 1);
		if ((++spins & sh->clock_mask) != 0)
			continue;
		now = rte_rdtsc();
		slices_look(&slices, now, e.prod + e.cons);
		if (now >= end)
			break;
	} while (true);
	free(e.pkts);
	return limit_rate_end(&slices, out);
}

static void
pool_ways_free(struct limit_shared *sh, unsigned int nb)
{
	unsigned int r;

	for (r = 0; r < nb; r++) {
		if (sh->ways[r].pkts != NULL)
			rte_pktmbuf_free_bulk(sh->ways[r].pkts, sh->stream->slots);
		free(sh->ways[r].pkts);
		free(sh->ways[r].addr);
	}
	pool_flush(sh->stream);
}

static int
pool_ways_make(struct limit_shared *sh, unsigned int nb)
{
	const struct limit_stream *st = sh->stream;
	struct pool_end e = { 0 };
	unsigned int r;
	uint32_t i;

	e.pkts = calloc(st->slots, sizeof(e.pkts[0]));
	if (e.pkts == NULL)
		return -ENOMEM;
	for (r = 0; r < nb; r++) {
		struct pool_way *way = &sh->ways[r];

		way->pkts = calloc(st->slots, sizeof(way->pkts[0]));
		way->addr = calloc(st->slots, sizeof(way->addr[0]));
		if (way->pkts == NULL || way->addr == NULL || !pool_fill(sh, &e, r, st->slots))
			break;
		for (i = 0; i < st->slots; i++)
			memset(way->addr[i], 0x5a, st->size);
	}
	free(e.pkts);
	return r == nb ? 0 : -ENOMEM;
}

int
limit_mbuf(const struct limit_place *place, const struct limit_stream *stream, double seconds,
		double *rate)
{
	struct limit_shared *sh = limit_shared_alloc();
	struct limit_stream st = *stream;
	struct pool_way ways[2] = { { NULL, NULL } };
	int ret;

	if (sh == NULL)
		return -ENOMEM;
	limit_stream_init(sh, &st);
	sh->ways = ways;
	ret = pool_ways_make(sh, st.bidir ? 2 : 1);
	if (ret == 0)
		ret = limit_with_helper(place, sh, seconds, pool_helper, pool_measure, rate);
	pool_ways_free(sh, st.bidir ? 2 : 1);
	limit_shared_free(sh);
	return ret;
}
