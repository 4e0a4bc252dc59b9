/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Queues of a port: bursts, and what a connection gives to a queue and takes from it. The
 * connection itself is in net_comch_port.c.
 *
 * A receive queue offers frames of its own, and copies each message into mbufs of the
 * application's pool, which can be any. If that is a pool of the comch device, the queue is
 * direct: the library offers mbufs of it, and nothing is copied here. A transmit queue hands
 * the packets down as they are.
 */

#include <errno.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_memcpy.h>
#include <rte_prefetch.h>

#include "net_comch.h"

/* Bursts with work after which the engine turns; after one without it turns at once. */
#define TURN_BURSTS 16u

static inline void
queue_turn(struct nc_queue *q, bool now)
{
	if (likely(!now && ++q->turns < TURN_BURSTS))
		return;
	q->turns = 0;
	rte_comch_pe_progress(q->pe);
}

/*
 * Receive
 */

static inline void
frame_post(const struct nc_rxq *rxq, struct rte_comch_post *post, uint32_t i)
{
	memset(post, 0, sizeof(*post));
	post->addr = rxq->frames + (size_t)i * rxq->frame_size;
	post->len = rxq->frame_size;
	post->cookie = i;
}

/* A packet that is longer than one mbuf. False: the pool has too few. */
static bool
frame_scatter(const struct nc_rxq *rxq, struct rte_mbuf *m, const uint8_t *data, uint32_t len)
{
	struct rte_mbuf *last = m;
	uint32_t part = rxq->room; /* it has more */

	m->pkt_len = len;
	for (;;) {
		rte_memcpy(rte_pktmbuf_mtod(last, void *), data, part);
		last->data_len = (uint16_t)part;
		data += part;
		len -= part;
		if (len == 0)
			return true;
		part = RTE_MIN(len, rxq->room);
		last->next = rte_pktmbuf_alloc(rxq->pool);
		last = last->next;
		if (last == NULL)
			return false; /* m->next and nb_segs agree: it can be freed */
		m->nb_segs++;
	}
}

/* @return whether it is a packet now; else its mbuf is free. */
static inline bool
frame_take(struct nc_rxq *rxq, struct rte_mbuf *m, const struct rte_comch_cpl *cpl)
{
	const uint8_t *data = rxq->frames + (size_t)cpl->cookie * rxq->frame_size;
	const uint32_t len = (uint32_t)cpl->len;

	m->port = rxq->port_id;
	if (unlikely(cpl->status != 0 || len < RTE_ETHER_HDR_LEN)) {
		rxq->q.errors++;
		rte_pktmbuf_free(m);
		return false;
	}
	if (likely(len <= rxq->room)) {
		rte_memcpy(rte_pktmbuf_mtod(m, void *), data, len);
		m->pkt_len = len;
		m->data_len = (uint16_t)len;
	} else if (unlikely(!frame_scatter(rxq, m, data, len))) {
		rxq->no_mbuf++;
		rte_pktmbuf_free(m);
		return false;
	}
	if (cpl->imm_len == RTE_COMCH_META_SIZE)
		rte_comch_meta_get(&rxq->meta, cpl->imm, m);
	rxq->q.bytes += len;
	return true;
}

/* The pool has too few for all: those that are wanted, one by one. */
static uint16_t
spare_get_few(struct nc_rxq *rxq, uint16_t nb)
{
	struct rte_mbuf *m;

	while (rxq->nb_spare < nb) {
		m = rte_pktmbuf_alloc(rxq->pool);
		if (m == NULL)
			break;
		rxq->spare[rxq->nb_spare++] = m;
	}
	rxq->no_mbuf += rxq->nb_spare == 0;
	return RTE_MIN(nb, rxq->nb_spare);
}

/* Mbufs, before messages that cannot be put back are taken. @return how many there are. */
static inline uint16_t
spare_get(struct nc_rxq *rxq, uint16_t nb)
{
	if (likely(rxq->nb_spare >= nb))
		return nb;
	if (unlikely(rte_pktmbuf_alloc_bulk(rxq->pool, rxq->spare + rxq->nb_spare,
			NC_SPARE - rxq->nb_spare) != 0))
		return spare_get_few(rxq, nb);
	rxq->nb_spare = NC_SPARE;
	return nb;
}

static inline uint16_t
rx_batch(struct nc_rxq *rxq, struct rte_comch_ctx *ctx, struct rte_mbuf **pkts, uint16_t nb)
{
	struct rte_comch_cpl cpls[NC_SPARE];
	struct rte_comch_post posts[NC_SPARE];
	uint16_t nb_cpls, i, found = 0;

	nb = spare_get(rxq, nb);
	nb_cpls = rte_comch_queue_poll_burst(ctx, cpls, nb);
	if (nb_cpls == 0)
		return 0;
	for (i = 0; i < nb_cpls; i++)
		rte_prefetch0(rxq->frames + (size_t)cpls[i].cookie * rxq->frame_size);
	for (i = 0; i < nb_cpls; i++) {
		pkts[found] = rxq->spare[--rxq->nb_spare];
		found += frame_take(rxq, pkts[found], &cpls[i]);
		frame_post(rxq, &posts[i], (uint32_t)cpls[i].cookie);
	}
	/* there is always a place: each of them was posted before */
	rte_comch_consumer_post_burst(ctx, posts, nb_cpls);
	return found;
}

/* Packets that are none leave the others in their order. @return how many are left. */
static __rte_noinline uint16_t
runts_free(struct nc_rxq *rxq, struct rte_mbuf **pkts, uint16_t nb, uint64_t *bytes)
{
	uint16_t i, found = 0;

	for (i = 0; i < nb; i++) {
		if (likely(pkts[i]->pkt_len >= RTE_ETHER_HDR_LEN)) {
			pkts[found++] = pkts[i];
			continue;
		}
		rxq->q.errors++;
		*bytes -= pkts[i]->pkt_len;
		rte_pktmbuf_free(pkts[i]);
	}
	return found;
}

/* What has come into mbufs of the pool. */
static inline uint16_t
rx_direct(struct nc_rxq *rxq, struct rte_comch_ctx *ctx, struct rte_mbuf **pkts, uint16_t nb)
{
	const uint16_t port = rxq->port_id;
	uint16_t got = rte_comch_consumer_rx_burst(ctx, pkts, nb);
	struct rte_comch_room room;
	uint64_t bytes = 0;
	uint32_t len, runts = 0, i;

	for (i = 0; i < got; i++) {
		pkts[i]->port = port;
		len = pkts[i]->pkt_len;
		bytes += len;
		runts += len < RTE_ETHER_HDR_LEN;
	}
	/* the library has just tried to offer mbufs */
	if (got == 0 && rte_comch_queue_room_get(ctx, 0, &room) == 0)
		rxq->no_mbuf += room.credits == 0;
	if (unlikely(runts != 0))
		got = runts_free(rxq, pkts, got, &bytes);
	rxq->q.bytes += bytes;
	return got;
}

uint16_t
nc_rx_burst(void *queue, struct rte_mbuf **pkts, uint16_t nb)
{
	struct nc_rxq *rxq = queue;
	struct rte_comch_ctx *ctx = nc_gate_enter(&rxq->q.gate);
	uint16_t found = 0, want, got;

	if (likely(ctx != NULL)) {
		if (rxq->direct) {
			found = rx_direct(rxq, ctx, pkts, nb);
		} else {
			do {
				want = RTE_MIN((uint16_t)(nb - found), (uint16_t)NC_SPARE);
				got = rx_batch(rxq, ctx, pkts + found, want);
				found += got;
			} while (got == want && found < nb);
		}
		rxq->q.pkts += found;
		queue_turn(&rxq->q, found == 0);
		if (unlikely(rxq->cksum != 0))
			nc_cksum_check(pkts, found, rxq->cksum);
	}
	nc_gate_leave(&rxq->q.gate);
	return found;
}

/*
 * Transmit
 */

uint16_t
nc_tx_burst(void *queue, struct rte_mbuf **pkts, uint16_t nb)
{
	struct nc_txq *txq = queue;
	struct rte_comch_ctx *ctx = nc_gate_enter(&txq->q.gate);
	uint64_t bytes = 0, errors = 0;
	uint16_t taken = 0, i;

	if (unlikely(ctx == NULL))
		goto leave;
	for (i = 0; i < nb; i++)
		bytes += pkts[i]->pkt_len;
	for (;;) {
		taken += rte_comch_producer_tx_burst(ctx, txq->consumer, pkts + taken,
				(uint16_t)(nb - taken));
		if (likely(taken == nb) || !rte_comch_producer_at_fault(ctx, txq->consumer))
			break;
		/* as a NIC does: it would be in the way for ever */
		bytes -= pkts[taken]->pkt_len;
		errors++;
		rte_pktmbuf_free(pkts[taken++]);
	}
	for (i = taken; i < nb; i++)
		bytes -= pkts[i]->pkt_len;
	txq->q.pkts += taken - errors;
	txq->q.bytes += bytes;
	txq->q.errors += errors;
	queue_turn(&txq->q, taken < nb);
leave:
	nc_gate_leave(&txq->q.gate);
	return taken;
}

/* What can be said before: what the peer takes is not known here. */
uint16_t
nc_tx_prepare(void *queue, struct rte_mbuf **pkts, uint16_t nb)
{
	const struct nc_txq *txq = queue;
	uint16_t i;

	for (i = 0; i < nb; i++) {
		if (likely((pkts[i]->ol_flags & txq->refused) == 0 &&
				pkts[i]->nb_segs <= NC_MAX_SEGS))
			continue;
		rte_errno = pkts[i]->nb_segs > NC_MAX_SEGS ? EINVAL : ENOTSUP;
		break;
	}
	return i;
}

/* A descriptor stands for a packet that the peer's queue and our own have room for. */
int
nc_tx_descriptor_status(void *queue, uint16_t offset)
{
	struct nc_txq *txq = queue;
	struct rte_comch_ctx *ctx;
	struct rte_comch_room room;
	int ret = RTE_ETH_TX_DESC_UNAVAIL;

	if (offset >= txq->q.nb_desc)
		return -EINVAL;
	ctx = nc_gate_enter(&txq->q.gate);
	if (ctx != NULL && rte_comch_queue_room_get(ctx, txq->consumer, &room) == 0)
		ret = offset < RTE_MIN(room.credits, room.queue) ? RTE_ETH_TX_DESC_DONE :
			RTE_ETH_TX_DESC_FULL;
	nc_gate_leave(&txq->q.gate);
	return ret;
}

/*
 * Set-up
 */

/* Where the peer writes, if the pool is not for that. */
static int
frames_alloc(struct nc_rxq *rxq)
{
	struct nc_port *port = rxq->q.port;
	int ret;

	rxq->frame_size = RTE_ALIGN_CEIL(port->frame_size, RTE_CACHE_LINE_SIZE);
	ret = rte_comch_mem_alloc(port->comch, (uint64_t)rxq->q.nb_desc * rxq->frame_size,
			RTE_COMCH_MEM_F_PEER_WRITE, &rxq->mem);
	if (ret != 0) {
		NC_LOG(ERR, "%s: no memory for %u frames of %u bytes of receive queue %u: %s; ask for fewer descriptors, or a smaller MTU",
			port->eth->data->name, rxq->q.nb_desc, rxq->frame_size, rxq->q.id,
			rte_strerror(-ret));
		return ret;
	}
	rxq->frames = rte_comch_mem_addr(rxq->mem);
	return 0;
}

/* Before the port is turned: @return 0 or a negative errno, which was said. */
int
nc_rxq_start(struct nc_rxq *rxq)
{
	struct nc_port *port = rxq->q.port;
	int ret = 0;

	rxq->room = rte_pktmbuf_data_room_size(rxq->pool) - RTE_PKTMBUF_HEADROOM;
	rxq->mem = rte_comch_mem_pool_find(port->comch, rxq->pool, RTE_COMCH_MEM_F_PEER_WRITE);
	rxq->direct = rxq->mem != NULL && port->frame_size <= rxq->room;
	if (rxq->mem != NULL && !rxq->direct)
		NC_LOG(NOTICE, "%s: receive queue %u copies, as frames of %u bytes are longer than mbufs of %u",
			port->eth->data->name, rxq->q.id, port->frame_size, rxq->room);
	if (!rxq->direct) {
		rxq->mem = NULL;
		ret = frames_alloc(rxq);
	}
	if (ret != 0)
		return ret;
	ret = rte_comch_meta_map_init(port->args.meta, true, &rxq->meta);
	if (ret != 0) {
		NC_LOG(ERR, "%s: meta=full: no dynamic field of mbufs for times of reception: %s; use meta=basic",
			port->eth->data->name, rte_strerror(-ret));
		return ret;
	}
	/* here, because its descriptor is waited for */
	ret = rte_comch_pe_create(NULL, &rxq->q.pe);
	if (ret != 0)
		NC_LOG(ERR, "%s: no engine for receive queue %u: %s; raise RLIMIT_NOFILE, or free memory",
			port->eth->data->name, rxq->q.id, rte_strerror(-ret));
	return ret;
}

void
nc_rxq_end(struct nc_rxq *rxq)
{
	rte_pktmbuf_free_bulk(rxq->spare, rxq->nb_spare);
	rxq->nb_spare = 0;
	if (rxq->mem != NULL && !rxq->direct)
		rte_comch_mem_free(rxq->mem);
	rxq->mem = NULL;
	rxq->frames = NULL;
}

/* Created: attach it to the engine of the queue, and start it. */
static int
queue_start(struct nc_queue *q)
{
	int ret = 0;

	if (q->pe == NULL)
		ret = rte_comch_pe_create(NULL, &q->pe);
	if (ret == 0 && !q->started) {
		ret = rte_comch_ctx_attach(q->ctx, q->pe);
		if (ret == 0)
			ret = rte_comch_ctx_start(q->ctx);
		if (ret == -EAGAIN) {
			rte_comch_ctx_detach(q->ctx);
			return -EINPROGRESS; /* the connection's engine is turned on */
		}
		q->started = ret == 0 || ret == -EINPROGRESS;
	}
	if (ret != 0 && ret != -EINPROGRESS)
		return ret;
	rte_comch_pe_progress(q->pe);
	ret = rte_comch_ctx_state_get(q->ctx);
	if (ret == RTE_COMCH_STATE_RUNNING)
		return 0;
	/* it ended by itself: with the connection, or refused */
	return ret == RTE_COMCH_STATE_STARTING ? -EINPROGRESS : -ENOTCONN;
}

/* Frames for the peer, before anybody polls. */
static int
frames_post(struct nc_rxq *rxq)
{
	struct rte_comch_post post;
	struct rte_mbuf *none;
	uint32_t i;

	if (rxq->direct) {
		rte_comch_consumer_rx_burst(rxq->q.ctx, &none, 0); /* it posts mbufs */
		return 0;
	}
	for (i = 0; i < rxq->q.nb_desc; i++) {
		frame_post(rxq, &post, i);
		if (rte_comch_consumer_post_burst(rxq->q.ctx, &post, 1) != 1)
			return -EIO;
	}
	return 0;
}

int
nc_rxq_open(struct nc_rxq *rxq)
{
	struct nc_queue *q = &rxq->q;
	const struct rte_comch_consumer_conf conf = {
		.mem = rxq->mem,
		.nb_posts = q->nb_desc,
		.buf_size = q->port->frame_size, /* and not what a frame is rounded up to */
		.meta = q->port->args.meta,
	};
	bool running = q->started && rte_comch_ctx_state_get(q->ctx) == RTE_COMCH_STATE_RUNNING;
	int ret = 0;

	if (q->ctx == NULL)
		ret = rte_comch_consumer_create(q->port->conn, &conf, &q->ctx);
	if (ret == 0)
		ret = queue_start(q);
	if (ret == 0 && !running)
		ret = frames_post(rxq);
	return ret;
}

int
nc_txq_open(struct nc_txq *txq)
{
	struct nc_queue *q = &txq->q;
	const struct rte_comch_producer_conf conf = { .nb_sends = q->nb_desc };
	int ret = 0;

	if (q->ctx == NULL)
		ret = rte_comch_producer_create(q->port->conn, &conf, &q->ctx);
	return ret == 0 ? queue_start(q) : ret;
}

bool
nc_queue_close(struct nc_queue *q)
{
	struct rte_comch_cpl cpls[32];

	if (!nc_gate_is_free(&q->gate))
		return false;
	if (q->ctx == NULL)
		return true;
	if (rte_comch_ctx_state_get(q->ctx) != RTE_COMCH_STATE_IDLE) {
		rte_comch_ctx_stop(q->ctx); /* it may be on its way already */
		/* what has come is lost, and frames come back */
		while (rte_comch_queue_poll_burst(q->ctx, cpls, RTE_DIM(cpls)) == RTE_DIM(cpls))
			;
		rte_comch_pe_progress(q->pe);
		return false;
	}
	rte_comch_ctx_destroy(q->ctx);
	q->ctx = NULL;
	q->started = false;
	return true;
}

/* The engine of one that is closed. */
void
nc_queue_end(struct nc_queue *q)
{
	if (q->pe != NULL)
		rte_comch_pe_destroy(q->pe);
	q->pe = NULL;
}
