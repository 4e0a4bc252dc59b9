/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Consumers with a bounce buffer. Peers write to that buffer, which has a place for each
 * byte of the region, and nothing else. What was posted is a place of the region; the peer
 * is told the same place of the buffer, and polling copies the message from there.
 * Everything but the plan of a buffer runs in the thread of one consumer.
 *
 * The bursts of shm_rx.c do the rest, and know nothing of it: they post places of the
 * buffer, and check completions. Consumers without a bounce buffer never come here.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "shm_fast.h"

/* Chunks begin in the bounce buffer as they do in a line, and share none. */
#define BOUNCE_ALIGN 128
/* Of one call of the bursts of shm_rx.c. */
#define BOUNCE_BURST 32

/* Where the chunks of a region are in its bounce buffer. */
int
shm_bounce_plan(struct rte_comch_mem *mem, struct shm_region *region)
{
	struct rte_comch_mem_chunk one = { .addr = mem->addr, .len = mem->len };
	const struct rte_comch_mem_chunk *chunks = mem->nb_chunks == 0 ? &one : mem->chunks;
	uint32_t i, nb = RTE_MAX(mem->nb_chunks, 1u);
	uint64_t off = 0;

	region->bounce_offs = calloc(nb, sizeof(*region->bounce_offs));
	if (region->bounce_offs == NULL)
		return -ENOMEM;
	for (i = 0; i < nb; i++) {
		off += (uintptr_t)chunks[i].addr % BOUNCE_ALIGN;
		region->bounce_offs[i] = off;
		if (chunks[i].len > SHM_WIRE_MAX_BUF_SIZE - off)
			return -EINVAL; /* the word of a post has no more bits */
		off = RTE_ALIGN_CEIL(off + chunks[i].len, (uint64_t)BOUNCE_ALIGN);
		if (off > SHM_WIRE_MAX_BUF_SIZE)
			return -EINVAL;
	}
	region->bounce_len = off;
	return 0;
}

/* The place in the bounce buffer of bytes of the region; NULL if they are not in it. */
static inline uint8_t *
bounce_place(const struct shm_consumer *c, const void *addr, uint64_t len)
{
	const struct rte_comch_mem *mem = c->bounce->mem;
	const struct shm_region *region = mem->priv;
	const struct rte_comch_mem_chunk *chunk;
	uint64_t off;

	if (likely(mem->nb_chunks == 0)) {
		off = (uintptr_t)addr - (uintptr_t)mem->addr;
		if (unlikely(off > mem->len || len > mem->len - off))
			return NULL;
		return c->base + region->bounce_offs[0] + off;
	}
	chunk = rte_comch_pmd_mem_chunk(mem, addr, len);
	if (unlikely(chunk == NULL))
		return NULL;
	return c->base + region->bounce_offs[chunk - mem->chunks] +
		((uintptr_t)addr - (uintptr_t)chunk->addr);
}

/* Post up to BOUNCE_BURST; what is wrong with them is found by the burst of shm_rx.c. */
static uint32_t
bounce_post(struct shm_consumer *c, const struct rte_comch_post *posts, uint32_t nb)
{
	struct rte_comch_post places[BOUNCE_BURST];
	uint32_t pos = c->post_pos, i, taken;

	for (i = 0; i < nb; i++) {
		places[i] = posts[i];
		if (posts[i].len == 0 || posts[i].addr == NULL)
			continue;
		places[i].addr = bounce_place(c, posts[i].addr, posts[i].len);
		if (unlikely(places[i].addr == NULL)) /* behind the bounce buffer: -EFAULT */
			places[i].addr = c->base + c->region_size;
	}
	taken = c->bounce->post(c, places, nb);
	for (i = 0; i < taken; i++)
		c->bounce->to[(pos + i) & c->mask] = posts[i].addr;
	return taken;
}

static uint16_t
bounce_post_burst(void *queue, const struct rte_comch_post *posts, uint16_t nb)
{
	struct shm_consumer *c = queue;
	uint32_t n, taken, sum = 0;

	if (unlikely(c->bounce->packets)) {
		c->reason = -EINVAL; /* rte_comch_consumer_rx_burst() has it */
		c->queue->stats.errors++;
		return 0;
	}
	do {
		n = RTE_MIN(nb - sum, (uint32_t)BOUNCE_BURST);
		taken = bounce_post(c, &posts[sum], n);
		sum += taken;
	} while (taken == n && sum < nb);
	return sum;
}

/* Copy messages that were found from a position on; what was flushed has no length. */
static inline void
bounce_copy(const struct shm_consumer *c, uint32_t pos, const struct rte_comch_cpl *cpls,
		uint32_t nb)
{
	uint32_t i, slot;

	for (i = 0; i < nb; i++) {
		slot = (pos + i) & c->mask;
		/* the length was checked against that of the post, and is a copy */
		if (cpls[i].len != 0)
			memcpy(c->bounce->to[slot], c->posted[slot].addr, cpls[i].len);
	}
}

static uint16_t
bounce_poll(void *queue, struct rte_comch_cpl *cpls, uint16_t nb)
{
	struct shm_consumer *c = queue;
	uint32_t pos = c->poll_pos;
	uint16_t n;

	if (unlikely(c->bounce->packets))
		return 0;
	n = shm_cpl_poll(c, cpls, nb);
	bounce_copy(c, pos, cpls, n);
	return n;
}

/*
 * Packets
 */

/* Post new mbufs; what the pool does not have is posted another time. */
static uint32_t
bounce_refill(struct shm_consumer *c, uint32_t nb)
{
	struct rte_comch_post posts[BOUNCE_BURST];
	struct rte_mbuf *pkts[BOUNCE_BURST];
	uint32_t i, taken;

	if (rte_pktmbuf_alloc_bulk(c->pool, pkts, nb) != 0) {
		for (i = 0; i < nb; i++) {
			pkts[i] = rte_pktmbuf_alloc(c->pool);
			if (pkts[i] == NULL)
				break;
		}
		nb = i;
	}
	for (i = 0; i < nb; i++) {
		posts[i] = (struct rte_comch_post){
			.addr = rte_pktmbuf_mtod(pkts[i], void *),
			.len = rte_pktmbuf_tailroom(pkts[i]),
			.cookie = (uintptr_t)pkts[i],
		};
	}
	taken = nb == 0 ? 0 : bounce_post(c, posts, nb);
	/* those that are not in the region; the pool has grown since it was registered */
	if (unlikely(taken != nb))
		rte_pktmbuf_free_bulk(&pkts[taken], nb - taken);
	return taken;
}

/* The first call decides what the posts are. */
static bool
bounce_rx_begin(struct shm_consumer *c)
{
	const struct rte_mempool *pool = c->pool;

	if (pool == NULL || c->post_pos != SHM_WIRE_POST_START || c->buf_size == 0 ||
			pool->private_data_size < sizeof(struct rte_pktmbuf_pool_private)) {
		if (!c->logged)
			SHM_LOG(ERR, "%s: rte_comch_consumer_rx_burst() is for consumers with the region of an mbuf pool, and no posts by anybody else",
				c->queue->dev->data->name);
		c->logged = true;
		c->reason = -EINVAL;
		return false;
	}
	c->bounce->packets = true;
	return true;
}

/* Up to BOUNCE_BURST packets. */
static uint32_t
bounce_rx(struct shm_consumer *c, struct rte_mbuf **pkts, uint32_t nb)
{
	struct rte_comch_cpl cpls[BOUNCE_BURST];
	uint32_t pos = c->poll_pos, i, n;
	struct rte_mbuf *pkt;

	n = shm_cpl_poll(c, cpls, nb);
	bounce_copy(c, pos, cpls, n);
	for (i = 0; i < n; i++) {
		pkt = (struct rte_mbuf *)(uintptr_t)cpls[i].cookie;
		pkt->data_len = cpls[i].len;
		pkt->pkt_len = cpls[i].len;
		pkt->hash.usr = cpls[i].producer_id;
		if (cpls[i].imm_len == RTE_COMCH_META_SIZE && c->meta.any)
			rte_comch_meta_get(&c->meta, cpls[i].imm, pkt);
		pkts[i] = pkt;
	}
	return n;
}

static uint16_t
bounce_rx_mbuf(void *queue, struct rte_mbuf **pkts, uint16_t nb)
{
	uint32_t n, found, sum = 0, room, refill;
	struct shm_consumer *c = queue;
	int flush = c->flush;

	if (unlikely(!c->bounce->packets) && !bounce_rx_begin(c))
		return 0;
	c->flush = 0; /* what is left goes back to the pool: shm_consumer_left() */
	do {
		n = RTE_MIN(nb - sum, (uint32_t)BOUNCE_BURST);
		found = bounce_rx(c, &pkts[sum], n);
		sum += found;
	} while (found == n && sum < nb);
	c->flush = flush;
	if (unlikely(flush != 0))
		return sum;
	/* in bulk, but a small queue must not wait for that */
	refill = RTE_MIN((uint32_t)BOUNCE_BURST, RTE_MAX(c->size / 4, 1u));
	for (room = c->size - (c->post_pos - c->poll_pos); room >= refill; room -= refill)
		if (bounce_refill(c, refill) != refill)
			break;
	return sum;
}

/*
 * Set-up
 */

bool
shm_bounce_has_packets(const struct shm_consumer *c)
{
	return c->bounce != NULL && c->bounce->packets;
}

/* The consumer has a use of the region, and as many places as it will ever have. */
int
shm_bounce_attach(struct shm_consumer *c, struct rte_comch_mem *mem)
{
	const struct shm_region *region = mem->priv;

	c->base = region->bounce.map;
	c->region_size = region->bounce.size;
	c->bounce = calloc(1, sizeof(*c->bounce) + (c->mask + 1) * sizeof(c->bounce->to[0]));
	if (c->bounce == NULL)
		return -ENOMEM;
	c->bounce->mem = mem;
	return 0;
}

/* In place of those that a consumer without a bounce buffer would have. */
void
shm_bounce_fns(struct shm_consumer *c, struct rte_comch_fp_object *fp)
{
	c->bounce->post = fp->post;
	fp->post = bounce_post_burst;
	fp->poll = bounce_poll;
	fp->rx_mbuf = bounce_rx_mbuf;
}
