/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Consumers of staged regions. Their peers write to a stage, which has a place for
 * each byte of the region, and nothing else. What was posted is a place of the region;
 * the peer is told the same place of the stage, and polling copies the message from
 * there. Everything but the plan of a stage runs in the thread of one consumer.
 *
 * The bursts of shm_rx.c do the rest, and know nothing of it: they post places of the
 * stage, and check completions. Consumers without a stage never come here.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "shm_fast.h"

/* Chunks begin in the stage as they do in a line, and share none. */
#define STAGE_ALIGN 128
/* Of one call of the bursts of shm_rx.c. */
#define STAGE_BURST 32

/* Where the chunks of a region are in its stage. */
int
shm_stage_plan(struct rte_comch_mem *mem, struct shm_region *region)
{
	struct rte_comch_mem_chunk one = { .addr = mem->addr, .len = mem->len };
	const struct rte_comch_mem_chunk *chunks = mem->nb_chunks == 0 ? &one : mem->chunks;
	uint32_t i, nb = RTE_MAX(mem->nb_chunks, 1u);
	uint64_t off = 0;

	region->stage_offs = calloc(nb, sizeof(*region->stage_offs));
	if (region->stage_offs == NULL)
		return -ENOMEM;
	for (i = 0; i < nb; i++) {
		off += (uintptr_t)chunks[i].addr % STAGE_ALIGN;
		region->stage_offs[i] = off;
		if (chunks[i].len > SHM_WIRE_MAX_BUF_SIZE - off)
			return -EINVAL; /* the word of a post has no more bits */
		off = RTE_ALIGN_CEIL(off + chunks[i].len, (uint64_t)STAGE_ALIGN);
		if (off > SHM_WIRE_MAX_BUF_SIZE)
			return -EINVAL;
	}
	region->stage_len = off;
	return 0;
}

/* The place in the stage of bytes of the region; NULL if they are not in it. */
static inline uint8_t *
stage_place(const struct shm_consumer *c, const void *addr, uint64_t len)
{
	const struct rte_comch_mem *mem = c->stage->mem;
	const struct shm_region *region = mem->priv;
	const struct rte_comch_mem_chunk *chunk;
	uint64_t off;

	if (likely(mem->nb_chunks == 0)) {
		off = (uintptr_t)addr - (uintptr_t)mem->addr;
		if (unlikely(off > mem->len || len > mem->len - off))
			return NULL;
		return c->base + region->stage_offs[0] + off;
	}
	chunk = rte_comch_pmd_mem_chunk(mem, addr, len);
	if (unlikely(chunk == NULL))
		return NULL;
	return c->base + region->stage_offs[chunk - mem->chunks] +
		((uintptr_t)addr - (uintptr_t)chunk->addr);
}

/* Post up to STAGE_BURST; what is wrong with them is found by the burst of shm_rx.c. */
static uint32_t
stage_post(struct shm_consumer *c, const struct rte_comch_post *posts, uint32_t nb)
{
	struct rte_comch_post places[STAGE_BURST];
	uint32_t pos = c->post_pos, i, taken;

	for (i = 0; i < nb; i++) {
		places[i] = posts[i];
		if (posts[i].len == 0 || posts[i].addr == NULL)
			continue;
		places[i].addr = stage_place(c, posts[i].addr, posts[i].len);
		if (unlikely(places[i].addr == NULL)) /* behind the stage: -EFAULT */
			places[i].addr = c->base + c->region_size;
	}
	taken = c->stage->post(c, places, nb);
	for (i = 0; i < taken; i++)
		c->stage->to[(pos + i) & c->mask] = posts[i].addr;
	return taken;
}

static uint16_t
stage_post_burst(void *queue, const struct rte_comch_post *posts, uint16_t nb)
{
	struct shm_consumer *c = queue;
	uint32_t n, taken, sum = 0;

	if (unlikely(c->stage->packets)) {
		c->reason = -EINVAL; /* rte_comch_consumer_rx_burst() has it */
		c->queue->stats.errors++;
		return 0;
	}
	do {
		n = RTE_MIN(nb - sum, (uint32_t)STAGE_BURST);
		taken = stage_post(c, &posts[sum], n);
		sum += taken;
	} while (taken == n && sum < nb);
	return sum;
}

/* Copy messages that were found from a position on; what was flushed has no length. */
static inline void
stage_copy(const struct shm_consumer *c, uint32_t pos, const struct rte_comch_cpl *cpls,
		uint32_t nb)
{
	uint32_t i, slot;

	for (i = 0; i < nb; i++) {
		slot = (pos + i) & c->mask;
		/* the length was checked against that of the post, and is a copy */
		if (cpls[i].len != 0)
			memcpy(c->stage->to[slot], c->posted[slot].addr, cpls[i].len);
	}
}

static uint16_t
stage_poll(void *queue, struct rte_comch_cpl *cpls, uint16_t nb)
{
	struct shm_consumer *c = queue;
	uint32_t pos = c->poll_pos;
	uint16_t n;

	if (unlikely(c->stage->packets))
		return 0;
	n = shm_cpl_poll(c, cpls, nb);
	stage_copy(c, pos, cpls, n);
	return n;
}

/*
 * Packets
 */

/* Post new mbufs; what the pool does not have is posted another time. */
static uint32_t
stage_refill(struct shm_consumer *c, uint32_t nb)
{
	struct rte_comch_post posts[STAGE_BURST];
	struct rte_mbuf *pkts[STAGE_BURST];
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
	taken = nb == 0 ? 0 : stage_post(c, posts, nb);
	/* those that are not in the region; the pool has grown since it was registered */
	if (unlikely(taken != nb))
		rte_pktmbuf_free_bulk(&pkts[taken], nb - taken);
	return taken;
}

/* The first call decides what the posts are. */
static bool
stage_rx_begin(struct shm_consumer *c)
{
	const struct rte_mempool *pool = c->pool;

	if (pool == NULL || c->post_pos != SHM_WIRE_POST_START || c->buf_size == 0 ||
			pool->private_data_size < sizeof(struct rte_pktmbuf_pool_private)) {
		if (!c->logged)
			SHM_LOG(ERR, "%s: a consumer of packets needs the region of an mbuf pool, and no other posts",
				c->queue->dev->data->name);
		c->logged = true;
		c->reason = -EINVAL;
		return false;
	}
	c->stage->packets = true;
	return true;
}

/* Up to STAGE_BURST packets. */
static uint32_t
stage_rx(struct shm_consumer *c, struct rte_mbuf **pkts, uint32_t nb)
{
	struct rte_comch_cpl cpls[STAGE_BURST];
	uint32_t pos = c->poll_pos, i, n;
	struct rte_mbuf *pkt;

	n = shm_cpl_poll(c, cpls, nb);
	stage_copy(c, pos, cpls, n);
	for (i = 0; i < n; i++) {
		pkt = (struct rte_mbuf *)(uintptr_t)cpls[i].cookie;
		pkt->data_len = cpls[i].len;
		pkt->pkt_len = cpls[i].len;
		pkt->hash.usr = cpls[i].producer_id;
		pkts[i] = pkt;
	}
	return n;
}

static uint16_t
stage_rx_mbuf(void *queue, struct rte_mbuf **pkts, uint16_t nb)
{
	uint32_t n, found, sum = 0, room, refill;
	struct shm_consumer *c = queue;
	int flush = c->flush;

	if (unlikely(!c->stage->packets) && !stage_rx_begin(c))
		return 0;
	c->flush = 0; /* what is left goes back to the pool: shm_consumer_left() */
	do {
		n = RTE_MIN(nb - sum, (uint32_t)STAGE_BURST);
		found = stage_rx(c, &pkts[sum], n);
		sum += found;
	} while (found == n && sum < nb);
	c->flush = flush;
	if (unlikely(flush != 0))
		return sum;
	/* in bulk, but a small queue must not wait for that */
	refill = RTE_MIN((uint32_t)STAGE_BURST, RTE_MAX(c->size / 4, 1u));
	for (room = c->size - (c->post_pos - c->poll_pos); room >= refill; room -= refill)
		if (stage_refill(c, refill) != refill)
			break;
	return sum;
}

/*
 * Set-up
 */

bool
shm_stage_has_packets(const struct shm_consumer *c)
{
	return c->stage != NULL && c->stage->packets;
}

/* The consumer has a use of the region, and as many places as it will ever have. */
int
shm_stage_attach(struct shm_consumer *c, struct rte_comch_mem *mem)
{
	const struct shm_region *region = mem->priv;

	c->base = region->stage.map;
	c->region_size = region->stage.size;
	c->stage = calloc(1, sizeof(*c->stage) + (c->mask + 1) * sizeof(c->stage->to[0]));
	if (c->stage == NULL)
		return -ENOMEM;
	c->stage->mem = mem;
	return 0;
}

/* In place of those that a consumer without a stage would have. */
void
shm_stage_fns(struct shm_consumer *c, struct rte_comch_fp_object *fp)
{
	c->stage->post = fp->post;
	fp->post = stage_post_burst;
	fp->poll = stage_poll;
	fp->rx_mbuf = stage_rx_mbuf;
}
