/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* A producer and a consumer of the card device, on its newest connection. */

#include <stdlib.h>

#include <rte_comch.h>
#include <rte_mbuf.h>

#include "test_shm_peer.h"
#include "fuzz.h"

#define TURNS 100000

struct fuzz_queues fuzz_queues;

static volatile uint8_t sink; /* that reading is no waste */

/* The region, and a pool in one of its own, stay for all inputs. */
static void
regions_create(struct fuzz_queues *q)
{
	struct rte_comch_mem_info info;
	int ret;

	if (q->mem != NULL)
		return;
	ret = rte_comch_mem_alloc(peer_env.dpu, FUZZ_POSTS * FUZZ_SLOT,
		RTE_COMCH_MEM_F_PEER_WRITE, &q->mem);
	if (ret == 0)
		ret = rte_comch_mem_pool_create(peer_env.dpu, "fuzz", 4 * FUZZ_POSTS, 0,
			RTE_PKTMBUF_HEADROOM + FUZZ_SLOT, RTE_COMCH_MEM_F_PEER_WRITE,
			&q->pool_mem);
	if (ret != 0)
		fuzz_die("regions", ret);
	rte_comch_mem_info_get(q->mem, &info);
	q->base = info.addr;
}

void
fuzz_queues_open(enum fuzz_take take)
{
	struct fuzz_queues *q = &fuzz_queues;
	struct rte_comch_producer_conf producer = { .nb_sends = 64 };
	struct rte_comch_consumer_conf consumer = {
		.nb_posts = FUZZ_POSTS, .imm_len = take == FUZZ_TAKE_PACKETS ? 0 :
			take == FUZZ_TAKE_IMM ? FUZZ_SMALL_IMM : FUZZ_IMM,
	};
	struct rte_comch_conn *conn = peer_env.target->conn;
	int ret;

	regions_create(q);
	q->take = take;
	q->posted = q->polled = 0;
	consumer.mem = take == FUZZ_TAKE_PACKETS ? q->pool_mem :
		take == FUZZ_TAKE_DATA ? q->mem : NULL;
	ret = rte_comch_producer_create(conn, &producer, &q->producer);
	if (ret == 0)
		ret = rte_comch_ctx_attach(q->producer, peer_env.pe);
	if (ret == 0)
		ret = rte_comch_ctx_start(q->producer);
	if (ret == 0)
		ret = rte_comch_consumer_create(conn, &consumer, &q->consumer);
	if (ret == 0)
		ret = rte_comch_ctx_attach(q->consumer, peer_env.pe);
	if (ret == 0)
		ret = rte_comch_ctx_start(q->consumer);
	if (ret != -EINPROGRESS)
		fuzz_die("producer and consumer", ret);
}

/* What the consumer hands up has to be what it posted, and in order. */
static void
poll_posts(struct fuzz_queues *q)
{
	struct rte_comch_cpl cpls[FUZZ_POSTS];
	uint16_t nb = rte_comch_queue_poll_burst(q->consumer, cpls, FUZZ_POSTS), i;
	const uint8_t *imm;
	uint32_t n;

	for (i = 0; i < nb; i++, q->polled++) {
		if (cpls[i].cookie != q->polled)
			abort();
		if (cpls[i].status != 0)
			continue;
		if (cpls[i].len > FUZZ_SLOT || cpls[i].imm_len > FUZZ_IMM ||
				cpls[i].producer_id == 0 ||
				cpls[i].producer_id > SHM_WIRE_MAX_PRODUCERS)
			abort();
		imm = cpls[i].imm_len <= RTE_COMCH_CPL_IMM_SIZE ? cpls[i].imm :
			cpls[i].imm_ext;
		for (n = 0; n < cpls[i].imm_len; n++)
			sink ^= imm[n];
	}
}

static void
poll_packets(struct fuzz_queues *q)
{
	struct rte_mbuf *pkts[FUZZ_POSTS];
	uint16_t nb = rte_comch_consumer_rx_burst(q->consumer, pkts, FUZZ_POSTS), i;

	for (i = 0; i < nb; i++)
		if (pkts[i]->data_len > FUZZ_SLOT || pkts[i]->pkt_len != pkts[i]->data_len ||
				pkts[i]->hash.usr == 0 ||
				pkts[i]->hash.usr > SHM_WIRE_MAX_PRODUCERS)
			abort();
	rte_pktmbuf_free_bulk(pkts, nb);
}

void
fuzz_queues_poll(void)
{
	struct fuzz_queues *q = &fuzz_queues;
	int state = rte_comch_ctx_state_get(q->consumer);

	if (q->take == FUZZ_TAKE_PACKETS && state == RTE_COMCH_STATE_RUNNING)
		poll_packets(q);
	else if (q->take != FUZZ_TAKE_PACKETS && (state == RTE_COMCH_STATE_RUNNING ||
			state == RTE_COMCH_STATE_STOPPING))
		poll_posts(q);
}

void
fuzz_queues_post(uint16_t nb)
{
	struct fuzz_queues *q = &fuzz_queues;
	struct rte_comch_post post = { .addr = NULL };

	if (q->take == FUZZ_TAKE_PACKETS ||
			rte_comch_ctx_state_get(q->consumer) != RTE_COMCH_STATE_RUNNING)
		return;
	for (; nb > 0; nb--) {
		if (q->take == FUZZ_TAKE_DATA) {
			post.addr = q->base + q->posted % FUZZ_POSTS * FUZZ_SLOT;
			post.len = FUZZ_SLOT;
		}
		post.cookie = q->posted;
		q->posted += rte_comch_consumer_post_burst(q->consumer, &post, 1);
	}
}

void
fuzz_queues_send(uint32_t consumer_id, uint64_t len, uint16_t imm_len, uint16_t nb)
{
	struct fuzz_queues *q = &fuzz_queues;
	struct rte_comch_send sends[64];
	struct rte_comch_cpl cpls[64];
	uint16_t i;

	if (rte_comch_ctx_state_get(q->producer) != RTE_COMCH_STATE_RUNNING)
		return;
	memset(sends, 0, sizeof(sends));
	nb = RTE_MIN(nb, (uint16_t)RTE_DIM(sends));
	for (i = 0; i < nb; i++) {
		sends[i].addr = q->base;
		sends[i].len = RTE_MIN(len, (uint64_t)FUZZ_POSTS * FUZZ_SLOT);
		sends[i].mem = q->mem;
		sends[i].imm = q->base;
		sends[i].imm_len = imm_len;
	}
	if (rte_comch_producer_send_burst(q->producer, consumer_id, sends, nb) > nb ||
			rte_comch_producer_credits(q->producer, consumer_id) >
			SHM_WIRE_MAX_POSTS)
		abort();
	rte_comch_queue_poll_burst(q->producer, cpls, RTE_DIM(cpls));
}

static void
queue_close(struct rte_comch_ctx **ctx)
{
	unsigned int i;

	if (*ctx == NULL)
		return;
	for (i = 0; rte_comch_ctx_state_get(*ctx) != RTE_COMCH_STATE_IDLE; i++) {
		if (rte_comch_ctx_state_get(*ctx) != RTE_COMCH_STATE_STOPPING)
			rte_comch_ctx_stop(*ctx);
		if (*ctx == fuzz_queues.consumer)
			fuzz_queues_poll();
		peer_turn();
		if (i == TURNS)
			abort(); /* it does not end */
	}
	if (rte_comch_ctx_destroy(*ctx) != 0)
		abort();
	*ctx = NULL;
}

void
fuzz_queues_close(void)
{
	queue_close(&fuzz_queues.consumer);
	queue_close(&fuzz_queues.producer);
}
