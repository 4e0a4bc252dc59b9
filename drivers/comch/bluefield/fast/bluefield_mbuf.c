/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Producers: sending packets. A packet is one message, gathered by the device from its
 * segments; it is freed when it has arrived. All of it runs in the thread of one producer.
 *
 * Keys. Packets come from any pool. The first packet of a pool has the pool registered,
 * for reading by this function alone, until the producer is freed. Data in an external
 * buffer is in no pool: it has to be in a region of the device, as that of the mbufs of
 * rte_comch_mem_pool_create() is, and is refused otherwise.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_mbuf.h>

#include "bluefield_fast.h"

/* Pools that one producer sends from. */
#define TX_POOLS 16
/* Segments of one packet: a request has 63 pieces of 16 bytes, 4 of which may be ours. */
#define TX_SEGS 59u

struct bf_tx_pools {
	uint32_t nb;
	uint32_t last; /* that one was found in */
	const struct rte_comch_mem *ext; /* where the last external buffer was, or NULL */
	uint32_t ext_freed; /* of dev->nb_regions_freed, before it was found */
	bool ext_told;
	struct {
		const struct rte_mempool *pool;
		struct rte_comch_mem *mem; /* NULL: it cannot be registered */
	} at[TX_POOLS];
};

void
bf_tx_pools_free(struct bf_producer *p)
{
	struct bf_tx_pools *pools = p->pools;
	uint32_t i;

	for (i = 0; pools != NULL && i < pools->nb; i++)
		if (pools->at[i].mem != NULL)
			rte_comch_mem_free(pools->at[i].mem);
	free(pools);
}

static struct bf_tx_pools *
pools_get(struct bf_producer *p)
{
	if (p->pools == NULL)
		p->pools = calloc(1, sizeof(*p->pools));
	return p->pools;
}

/* The first packet of a pool. */
static __rte_noinline const struct rte_comch_mem *
pool_add(struct bf_producer *p, struct rte_mempool *pool)
{
	struct bf_tx_pools *pools = pools_get(p);
	struct rte_comch_mem *mem = NULL;
	int ret;

	if (pools == NULL || pools->nb == TX_POOLS)
		return NULL;
	ret = rte_comch_mem_pool_register(p->queue->dev->data->dev_id, pool, 0, &mem);
	if (ret != 0) {
		BF_LOG(ERR, "%s: packets of pool %s cannot be sent: it cannot be registered: %s",
			p->queue->dev->data->name, pool->name, strerror(-ret));
		mem = NULL;
	}
	pools->last = pools->nb++;
	pools->at[pools->last].pool = pool;
	pools->at[pools->last].mem = mem;
	return mem;
}

static inline const struct rte_comch_mem *
pool_mem(struct bf_producer *p, struct rte_mempool *pool)
{
	struct bf_tx_pools *pools = p->pools;
	uint32_t i;

	if (likely(pools != NULL && pools->at[pools->last].pool == pool))
		return pools->at[pools->last].mem;
	for (i = 0; pools != NULL && i < pools->nb; i++) {
		if (pools->at[i].pool == pool) {
			pools->last = i;
			return pools->at[i].mem;
		}
	}
	return pool_add(p, pool);
}

/* Data in an external buffer, which is not where the last one was. */
static __rte_noinline const struct rte_comch_mem *
ext_find(struct bf_producer *p, const void *addr, uint32_t len)
{
	struct bf_tx_pools *pools = pools_get(p);

	if (pools == NULL)
		return NULL;
	/* acquire: pairs with the release in bf_region_free() */
	pools->ext_freed = __atomic_load_n(&p->dev->nb_regions_freed, __ATOMIC_ACQUIRE);
	pools->ext = bf_mem_find(p->dev, addr, len);
	if (pools->ext == NULL && !pools->ext_told) {
		pools->ext_told = true;
		BF_LOG(ERR, "%s: a packet cannot be sent: %u bytes at %p are in an external buffer, which is in no region of the device: register it with rte_comch_mem_register()",
			p->queue->dev->data->name, len, addr);
	}
	return pools->ext;
}

/* Its region lives at least as long as the buffer. */
static inline const struct rte_comch_mem *
ext_mem(struct bf_producer *p, const void *addr, uint32_t len)
{
	const struct bf_tx_pools *pools = p->pools;

	/* acquire: as above */
	if (likely(pools != NULL && pools->ext != NULL && pools->ext_freed ==
			__atomic_load_n(&p->dev->nb_regions_freed, __ATOMIC_ACQUIRE) &&
			bf_mem_has(pools->ext, addr, len)))
		return pools->ext;
	return ext_find(p, addr, len);
}

/* The key of a segment, which the device can read from now on; 0: it cannot be sent. */
static inline uint32_t
seg_key(struct bf_producer *p, const struct rte_mbuf *m)
{
	const struct rte_mbuf *direct = RTE_MBUF_CLONED(m) ?
		rte_mbuf_from_indirect((struct rte_mbuf *)(uintptr_t)m) : m;
	const struct rte_comch_mem *mem;

	mem = RTE_MBUF_HAS_EXTBUF(m) ?
		ext_mem(p, rte_pktmbuf_mtod(m, const void *), m->data_len) :
		pool_mem(p, direct->pool);
	if (unlikely(mem == NULL))
		return 0;
	if (unlikely(bf_mem_has_bounce(mem)))
		bf_bounce_out(mem, rte_pktmbuf_mtod(m, const void *), m->data_len);
	return bf_mem_lkey(mem, rte_pktmbuf_mtod(m, const void *), m->data_len);
}

static inline uint32_t
pkt_blocks(const struct bf_rc *rc, const struct rte_mbuf *m)
{
	uint32_t segs = 1 + m->nb_segs;

	if (rc->imm_len != 0)
		segs += (sizeof(uint32_t) + rc->imm_len + BF_WQE_SEG - 1) / BF_WQE_SEG;
	return (segs * BF_WQE_SEG + BF_SQ_BLOCK - 1) / BF_SQ_BLOCK;
}

/* Why a packet is not sent, or 0; *room is what is left of the queue pair, in blocks. */
static inline int
pkt_check(struct bf_producer *p, struct bf_pair *pair, const struct rte_mbuf *m, uint32_t *room)
{
	uint32_t blocks = pkt_blocks(pair->rc, m);

	if (unlikely((m->ol_flags & pair->rc->meta.refused) != 0))
		return -ENOTSUP;
	if (unlikely(m->pkt_len > pair->rc->buf_size || m->nb_segs > TX_SEGS ||
			blocks > pair->nb_blocks))
		return -EMSGSIZE;
	if (unlikely(blocks > *room))
		return -ENOBUFS;
	*room -= blocks;
	for (; m != NULL; m = m->next)
		if (unlikely(m->data_len != 0 && seg_key(p, m) == 0))
			return -EFAULT;
	return 0;
}

/* One request, which was checked and that there is room for; its blocks. */
static inline uint32_t
pkt_put(struct bf_producer *p, struct bf_pair *pair, const struct rte_mbuf *m, bool last)
{
	static const uint8_t none[BF_MAX_IMM];
	const struct bf_rc *rc = pair->rc;
	struct bf_sendq *q = &pair->sq;
	struct rte_comch_meta header;
	uint32_t start = (q->pi & q->mask) * BF_SQ_BLOCK, at = start + BF_WQE_SEG;
	struct bf_wqe_ctrl ctrl = { .flags = last ? BF_WQE_F_CQE : 0 };
	struct bf_wqe_data data;
	struct bf_sge sge;
	uint32_t segs, nb_blocks;
	uint16_t index = q->pi;

	if (rc->meta.any && rte_comch_meta_has(&rc->meta, m)) {
		RTE_BUILD_BUG_ON(sizeof(header) != BF_MAX_IMM); /* it fits exactly */
		rte_comch_meta_put(&rc->meta, m, &header);
		ctrl.imm = rte_cpu_to_be_32(sizeof(header));
		at = bf_sendq_put_inline(q, at, (const uint8_t *)&header, sizeof(header));
	} else if (rc->imm_len != 0) {
		at = bf_sendq_put_inline(q, at, none, rc->imm_len);
	}
	for (; m != NULL; m = m->next) {
		if (m->data_len == 0)
			continue;
		sge.addr = (uintptr_t)rte_pktmbuf_mtod(m, const void *);
		sge.len = m->data_len;
		sge.lkey = seg_key(p, m);
		data = bf_wqe_data(&sge);
		at = bf_sendq_put(q, at, &data);
	}
	segs = (at - start) / BF_WQE_SEG;
	ctrl.index_opcode = rte_cpu_to_be_32((uint32_t)q->pi << 8 | BF_WQE_SEND_IMM);
	ctrl.qpn_segs = rte_cpu_to_be_32(q->qpn << 8 | segs);
	bf_sendq_put(q, start, &ctrl);
	memcpy(&q->doorbell, &ctrl, sizeof(q->doorbell));
	nb_blocks = (segs * BF_WQE_SEG + BF_SQ_BLOCK - 1) / BF_SQ_BLOCK;
	q->pi += nb_blocks;
	pair->upto[index & q->mask] = (struct bf_sent_upto){ .pos = p->tail + 1, .end = q->pi };
	return nb_blocks;
}

/* As send_claim(): how many of nb, and why not all. */
static inline uint32_t
tx_claim(struct bf_producer *p, struct bf_pair *pair, struct rte_mbuf **pkts, uint32_t nb,
	int *reason)
{
	struct bf_credits *cr = &pair->rc->credits;
	uint32_t credits, i, taken, room;
	uint64_t head;
	int ret;

	do {
		head = bf_credits_head(cr);
		if (unlikely(bf_credits_closed(cr))) {
			*reason = -ENOENT;
			return 0;
		}
		credits = bf_credits_at(cr, head);
		if (credits < nb) {
			bf_credits_look(pair);
			credits = bf_credits_at(cr, head);
		}
		room = bf_sendq_room(&pair->sq);
		for (i = 0, ret = 0; i < RTE_MIN(credits, nb); i++) {
			ret = pkt_check(p, pair, pkts[i], &room);
			if (ret != 0)
				break;
		}
		taken = 0;
	} while (i != 0 && !bf_credits_claim(cr, p->queue->id, head, i, &taken));
	if (taken < i || (ret == 0 && i < nb))
		ret = -EAGAIN;
	*reason = ret;
	return taken;
}

static inline uint32_t
tx_chunk(struct bf_producer *p, struct bf_pair *pair, struct rte_mbuf **pkts, uint32_t nb,
	int *reason)
{
	struct bf_sent *sent;
	uint64_t blocks;
	uint32_t i;

	nb = RTE_MIN(nb, p->mask + 1 - (p->tail - p->head));
	if (unlikely(nb == 0)) {
		*reason = -ENOBUFS;
		return 0;
	}
	if (pair->sq.pi == pair->sq.ci)
		pair->acked = p->tail; /* it may be very old */
	nb = tx_claim(p, pair, pkts, nb, reason);
	for (i = 0; i < nb; i++) {
		p->queue->stats.bytes += pkts[i]->pkt_len;
		blocks = pkt_put(p, pair, pkts[i], i == nb - 1);
		sent = &p->sent[p->tail & p->mask];
		sent->cookie = (uintptr_t)pkts[i];
		sent->about = pkts[i]->pkt_len | (uint64_t)pair->index << 32 |
			(uint64_t)(BF_SENT_QUIET | BF_SENT_MBUF) << 48 | blocks << 56;
		p->tail++;
	}
	pair->claimed += nb;
	return nb;
}

/* pkt was not sent; it is NULL if there was none. */
static __rte_noinline void
tx_note(struct bf_producer *p, uint32_t consumer_id, const struct rte_mbuf *pkt, int reason)
{
	const struct bf_rc *rc = bf_rc_known(p, consumer_id);
	bool long_one = rc != NULL && pkt != NULL && pkt->pkt_len > rc->buf_size;

	bf_send_note(p, consumer_id, long_one ? -EMSGSIZE : 0, reason);
}

uint16_t
bf_tx_mbuf(void *queue, uint32_t consumer_id, struct rte_mbuf **pkts, uint16_t nb)
{
	struct bf_producer *p = queue;
	struct bf_pair *pair;
	uint32_t sent = 0;
	int reason = 0;

	bf_sent_reap(p);
	bf_sent_quiet(p);
	pair = bf_pair_find(p, consumer_id, &reason);
	if (unlikely(pair == NULL)) {
		tx_note(p, consumer_id, nb != 0 ? pkts[0] : NULL, reason);
		return 0;
	}
	while (sent < nb && likely(reason == 0))
		sent += tx_chunk(p, pair, &pkts[sent], RTE_MIN(nb - sent, BF_CHUNK), &reason);
	p->reason = 0;
	if (likely(sent != 0)) {
		if (unlikely(bf_pair_minds(pair)))
			bf_credits_mind(pair);
		bf_sendq_ring(&pair->sq);
		p->queue->stats.msgs += sent;
		p->queue->stats.bursts++;
		/* its engine frees them, if no burst follows */
		bf_fast_attention(&p->attention, p->group);
	}
	if (unlikely(sent < nb))
		tx_note(p, consumer_id, pkts[sent], reason);
	return sent;
}
