/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The burst functions for mbufs: what arrives, who owns which mbuf when, and
 * that each is back in its pool at the end.
 */

#include <rte_log.h>
#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_mempool.h>

#include "test_comch_fp_util.h"
#include "test_comch_place.h"

#define POOL_MBUFS 255
#define ROOM 1024
#define PLACES 64
#define MAX_BURST 256

/* A pool on each side; the receiver's is that of its consumer. */
struct pair {
	struct test_q *producer;
	struct test_q *consumer;
	struct rte_mempool *tx_pool;
	struct rte_mempool *rx_pool;
	struct rte_comch_mem *rx_mem;
	uint32_t nb_rx; /* mbufs of rx_pool */
};

static struct rte_mbuf *pkts[MAX_BURST], *found[MAX_BURST];
static struct rte_mempool *own_pool; /* the tx_pool of the case, to be freed */

static void
teardown(void)
{
	test_fp_cleanup();
	if (own_pool != NULL && !rte_mempool_full(own_pool))
		test_fail("%u mbufs that were sent are not back",
				rte_mempool_in_use_count(own_pool));
	rte_mempool_free(own_pool);
	own_pool = NULL;
}

/*
 * Receive, and so post, until the producer sees nb credits. A driver may post in
 * bulk, and leave up to a quarter of the places empty for a while: so nb has to
 * be less than all.
 */
static int
offered(struct pair *p, uint32_t nb)
{
	TEST_WAIT(rte_comch_consumer_rx_burst(p->consumer->ctx, found, 1) == 0 &&
			rte_comch_producer_credits(p->producer->ctx, p->consumer->id) >= nb,
			TEST_MS);
	return TEST_SUCCESS;
}

static int
pair_open(struct test_fp *fp, struct pair *p, uint32_t nb_rx, uint32_t nb_posts, uint32_t cache)
{
	rte_mempool_free(own_pool);
	own_pool = rte_pktmbuf_pool_create("test_tx", POOL_MBUFS, cache, 0,
			ROOM + RTE_PKTMBUF_HEADROOM, SOCKET_ID_ANY);
	TEST_TRUE(own_pool != NULL);
	p->tx_pool = own_pool;
	p->nb_rx = nb_rx;
	p->rx_mem = test_mem_pool(fp->rx.dev, "test_rx", nb_rx, cache, ROOM + RTE_PKTMBUF_HEADROOM,
			RTE_COMCH_MEM_F_PEER_WRITE);
	p->rx_pool = test_mem_info(p->rx_mem).pool;
	TEST_TRUE(p->rx_pool != NULL);
	TEST_CALL(test_fp_consumer(fp, p->rx_mem, nb_posts, 8, &p->consumer));
	TEST_CALL(test_fp_producer(fp, PLACES, &p->producer));
	return offered(p, RTE_MIN(nb_rx, nb_posts));
}

/* All is back: without a poll, because posts that are mbufs need none. */
static int
idle(struct pair *p)
{
	int ret = rte_comch_ctx_stop(p->consumer->ctx);

	TEST_TRUE(ret == 0 || ret == -EINPROGRESS);
	TEST_WAIT(test_q_state(p->consumer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_mempool_avail_count(p->rx_pool), p->nb_rx);
	TEST_EXPECT(rte_mempool_avail_count(p->tx_pool), POOL_MBUFS);
	return TEST_SUCCESS;
}

static int
pair_close(struct pair *p)
{
	TEST_CALL(idle(p));
	TEST_EXPECT(test_q_close(p->consumer), 0);
	TEST_EXPECT(test_q_close(p->producer), 0);
	TEST_EXPECT(test_mem_free(p->rx_mem), 0);
	return TEST_SUCCESS;
}

/* One packet as rte_comch_consumer_rx_burst() gave it; it is freed. */
static int
check_packet(struct pair *p, struct rte_mbuf *m, uint32_t len, uint32_t seed)
{
	struct rte_comch_mem_info info = test_mem_info(p->rx_mem);
	uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *);
	bool same = test_check(data, len, seed);

	TEST_TRUE(m->pool == p->rx_pool);
	TEST_EXPECT(m->nb_segs, 1);
	TEST_TRUE(m->next == NULL);
	TEST_EXPECT(rte_mbuf_refcnt_read(m), 1);
	TEST_EXPECT(rte_pktmbuf_pkt_len(m), len);
	TEST_EXPECT(rte_pktmbuf_data_len(m), len);
	TEST_EXPECT(rte_pktmbuf_headroom(m), RTE_PKTMBUF_HEADROOM);
	TEST_EXPECT(m->hash.usr, p->producer->id);
	TEST_EXPECT(m->port, RTE_MBUF_PORT_INVALID);
	TEST_TRUE(m->packet_type == 0 && m->vlan_tci == 0 && m->vlan_tci_outer == 0);
	TEST_TRUE(m->tx_offload == 0);
	TEST_TRUE((m->ol_flags & ~RTE_MBUF_F_EXTERNAL) == 0);
	TEST_TRUE(data >= (uint8_t *)info.addr && data + len <= (uint8_t *)info.addr + info.len);
	TEST_ASSERT(same, "%u bytes are not what was sent", len);
	/* the next one that comes in it has nothing of this one */
	m->ol_flags |= RTE_MBUF_F_RX_VLAN;
	m->vlan_tci = m->vlan_tci_outer = 7;
	m->tx_offload = 7;
	m->packet_type = 7;
	m->port = 7;
	m->data_off = 7;
	rte_pktmbuf_free(m);
	return TEST_SUCCESS;
}

/* Receive nb packets into found[]. */
static int
receive(struct pair *p, uint32_t nb)
{
	uint32_t got = 0;

	TEST_WAIT((got += rte_comch_consumer_rx_burst(p->consumer->ctx, &found[got],
			(uint16_t)(nb - got))) == nb, TEST_MS);
	return TEST_SUCCESS;
}

static int
test_lengths(struct test_fp *fp)
{
	static const uint32_t lens[] = { 1, 7, 60, 64, 65, 300, ROOM - 1, ROOM };
	static const uint32_t bursts[] = { 1, 2, 31, 32, 33, PLACES * 3 / 4 };
	struct rte_comch_cpl cpl;
	struct pair p;
	unsigned int i, j;
	uint32_t k, nb;

	TEST_CALL(pair_open(fp, &p, POOL_MBUFS, PLACES, 32));
	for (i = 0; i < RTE_DIM(lens); i++) {
		for (j = 0; j < RTE_DIM(bursts); j++) {
			nb = bursts[j];
			for (k = 0; k < nb; k++)
				pkts[k] = test_packet(p.tx_pool, lens[i], 1, k);
			TEST_CALL(offered(&p, nb));
			TEST_EXPECT(rte_comch_producer_tx_burst(p.producer->ctx, p.consumer->id,
						    pkts, (uint16_t)nb),
					nb);
			TEST_EXPECT(test_reason(p.producer, p.consumer->id), 0);
			TEST_CALL(receive(&p, nb));
			for (k = 0; k < nb; k++)
				TEST_CALL(check_packet(&p, found[k], lens[i], k));
			TEST_EXPECT(rte_comch_consumer_rx_burst(p.consumer->ctx, found, 1), 0);
			TEST_EXPECT(rte_comch_queue_poll_burst(p.producer->ctx, &cpl, 1), 0);
		}
	}
	TEST_WAIT(rte_mempool_avail_count(p.tx_pool) == POOL_MBUFS, TEST_MS);
	return pair_close(&p);
}

/* All segments of a packet go into one buffer. */
static int
test_segments(struct test_fp *fp)
{
	struct rte_mempool *clones;
	struct rte_mbuf *m, *clone;
	struct pair p;
	uint32_t i, len, segs;

	TEST_CALL(pair_open(fp, &p, POOL_MBUFS, PLACES, 0));
	for (i = 0; i < 400; i++) {
		segs = 1 + i % 8;
		len = test_rand() % (ROOM + 1);
		m = test_packet(p.tx_pool, len, segs, i);
		TEST_EXPECT(m->nb_segs, segs);
		TEST_CALL(offered(&p, 1));
		TEST_EXPECT(rte_comch_producer_tx_burst(p.producer->ctx, p.consumer->id, &m, 1), 1);
		TEST_CALL(receive(&p, 1));
		TEST_CALL(check_packet(&p, found[0], len, i));
	}
	/* a clone, whose pool has no room for data, and an mbuf that somebody else holds too */
	clones = rte_pktmbuf_pool_create("test_clones", 3, 0, 0, 0, SOCKET_ID_ANY);
	TEST_TRUE(clones != NULL);
	m = test_packet(p.tx_pool, 500, 3, 9);
	clone = rte_pktmbuf_clone(m, clones);
	TEST_TRUE(clone != NULL);
	TEST_CALL(offered(&p, 1));
	TEST_EXPECT(rte_comch_producer_tx_burst(p.producer->ctx, p.consumer->id, &clone, 1), 1);
	TEST_CALL(receive(&p, 1));
	TEST_CALL(check_packet(&p, found[0], 500, 9));
	for (i = 0; i < 2; i++) {
		rte_pktmbuf_refcnt_update(m, 1);
		TEST_CALL(offered(&p, 1));
		TEST_EXPECT(rte_comch_producer_tx_burst(p.producer->ctx, p.consumer->id, &m, 1),
				1);
		TEST_CALL(receive(&p, 1));
		TEST_CALL(check_packet(&p, found[0], 500, 9));
		TEST_WAIT(rte_mbuf_refcnt_read(m) == 1, TEST_MS);
		rte_pktmbuf_free(m);
		m = i == 0 ? test_packet(p.tx_pool, 500, 1, 9) : NULL; /* in one piece */
	}
	TEST_CALL(pair_close(&p));
	rte_mempool_free(clones);
	return TEST_SUCCESS;
}

/* Packets of a pool that the library made on the sender's device, and clones of them. */
static int
from_region(struct pair *p, int16_t dev_id, uint32_t round)
{
	struct rte_comch_mem_info info;
	struct rte_comch_mem *mem;
	struct rte_mbuf *m;
	uint32_t i;

	mem = test_mem_pool(dev_id, "test_tx_region", POOL_MBUFS, 0,
			ROOM + RTE_PKTMBUF_HEADROOM + round * 512, 0);
	TEST_EXPECT(rte_comch_mem_info_get(mem, &info), 0);
	for (i = 0; i < 8; i++) {
		m = test_packet(info.pool, 100 + i * 100, 1 + i % 3, i + round);
		if (i % 2 == 1) {
			pkts[0] = rte_pktmbuf_clone(m, p->tx_pool);
			rte_pktmbuf_free(m);
			m = pkts[0];
			TEST_TRUE(m != NULL);
		}
		TEST_CALL(offered(p, 1));
		TEST_EXPECT(rte_comch_producer_tx_burst(p->producer->ctx, p->consumer->id, &m, 1),
				1);
		TEST_CALL(receive(p, 1));
		TEST_CALL(check_packet(p, found[0], 100 + i * 100, i + round));
	}
	TEST_WAIT(rte_mempool_full(info.pool), TEST_MS);
	TEST_EXPECT(test_mem_free(mem), 0);
	return TEST_SUCCESS;
}

/* Their data are external buffers, and another pool's are where those of the last were. */
static int
test_regions(struct test_fp *fp)
{
	struct pair p;
	uint32_t i;

	TEST_CALL(pair_open(fp, &p, POOL_MBUFS, PLACES, 0));
	for (i = 0; i < 3; i++)
		TEST_CALL(from_region(&p, fp->tx.dev, i));
	return pair_close(&p);
}

static void
ext_unused(void *addr __rte_unused, void *opaque)
{
	*(bool *)opaque = true;
}

/* An external buffer of a region of the device. */
static int
test_attached(struct test_fp *fp)
{
	struct rte_mbuf_ext_shared_info shared = { .free_cb = ext_unused };
	struct test_slots from;
	bool unused = false;
	struct rte_mbuf *m;
	struct pair p;

	TEST_CALL(pair_open(fp, &p, POOL_MBUFS, PLACES, 0));
	TEST_CALL(test_slots_new(&from, fp->tx.dev, 0, 4, ROOM));
	test_fill(test_slot(&from, 3), 777, 5);
	shared.fcb_opaque = &unused;
	rte_mbuf_ext_refcnt_set(&shared, 1);
	m = rte_pktmbuf_alloc(p.tx_pool);
	TEST_TRUE(m != NULL);
	rte_pktmbuf_attach_extbuf(m, test_slot(&from, 3), RTE_BAD_IOVA, ROOM, &shared);
	TEST_TRUE(rte_pktmbuf_append(m, 777) == (char *)test_slot(&from, 3));
	TEST_EXPECT(rte_comch_producer_tx_burst(p.producer->ctx, p.consumer->id, &m, 1), 1);
	TEST_CALL(receive(&p, 1));
	TEST_CALL(check_packet(&p, found[0], 777, 5));
	TEST_WAIT(unused, TEST_MS);
	return pair_close(&p);
}

/* What is not taken stays the caller's, as it was. */
static int
test_not_taken(struct test_fp *fp)
{
	struct rte_comch_queue_stats stats;
	struct rte_mbuf *large;
	struct pair p;
	uint32_t i, j, k;

	TEST_CALL(pair_open(fp, &p, POOL_MBUFS, 8, 0));
	for (i = 0; i < 26; i++)
		pkts[i] = test_packet(p.tx_pool, 10 + i, 1 + i % 2, i);
	/* no such consumer */
	TEST_EXPECT(rte_comch_producer_tx_burst(p.producer->ctx, p.consumer->id + 1, pkts, 26), 0);
	TEST_EXPECT(test_reason(p.producer, p.consumer->id), -ENOENT);
	/* more than there are credits for, then none at all */
	TEST_EXPECT(rte_comch_producer_tx_burst(p.producer->ctx, p.consumer->id, pkts, 26), 8);
	TEST_EXPECT(test_reason(p.producer, p.consumer->id), -EAGAIN);
	TEST_EXPECT(rte_comch_producer_tx_burst(p.producer->ctx, p.consumer->id, &pkts[8], 18), 0);
	TEST_EXPECT(test_reason(p.producer, p.consumer->id), -EAGAIN);
	TEST_CALL(receive(&p, 8));
	for (i = 0; i < 8; i++)
		TEST_CALL(check_packet(&p, found[i], 10 + i, i));
	/* one byte more than the room, in place of the third of six */
	for (i = 0; i < 3; i++) {
		struct rte_mbuf **six = &pkts[8 + 6 * i];
		uint32_t credits, left;

		TEST_CALL(offered(&p, 5));
		credits = rte_comch_producer_credits(p.producer->ctx, p.consumer->id);
		large = test_packet(p.tx_pool, ROOM + 1, 2 + i, 4);
		rte_pktmbuf_free(six[2]);
		six[2] = large;
		TEST_EXPECT(rte_comch_producer_tx_burst(p.producer->ctx, p.consumer->id, six, 6),
				2);
		TEST_EXPECT(test_reason(p.producer, p.consumer->id), -EMSGSIZE);
		left = rte_comch_producer_credits(p.producer->ctx, p.consumer->id);
		/* over BlueField, more can have come meanwhile */
		TEST_TRUE(left == credits - 2 || (test_place_is_bluefield() && left > credits - 2));
		TEST_EXPECT(rte_comch_producer_tx_burst(p.producer->ctx, p.consumer->id, &large, 1),
				0);
		TEST_EXPECT(rte_pktmbuf_pkt_len(large), ROOM + 1);
		TEST_EXPECT(large->nb_segs, 2 + i);
		rte_pktmbuf_free(large);
		/* those behind it can go */
		TEST_EXPECT(rte_comch_producer_tx_burst(
					    p.producer->ctx, p.consumer->id, &six[3], 3),
				3);
		TEST_CALL(receive(&p, 5));
		for (j = 0; j < 5; j++) {
			k = 8 + 6 * i + j + (j >= 2);
			TEST_CALL(check_packet(&p, found[j], 10 + k, k));
		}
	}
	TEST_EXPECT(rte_comch_queue_stats_get(p.producer->ctx, &stats), 0);
	TEST_EXPECT(stats.msgs, 8 + 3 * 5);
	TEST_TRUE(stats.short_credits == 2 && stats.errors == 1 + 3 * 2);
	return TEST_SUCCESS;
}

/* Who keeps what he received dries the pool out; it recovers when he frees it. */
static int
test_pool_empty(struct test_fp *fp)
{
	const uint32_t nb_rx = 48, nb_posts = 32;
	uint32_t lap, i, sent, got, nb;
	struct rte_mbuf *m;
	struct pair p;
	uint64_t end;

	TEST_CALL(pair_open(fp, &p, nb_rx, nb_posts, 0));
	for (lap = 0; lap < 20; lap++) {
		end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
		for (sent = got = 0; got < nb_rx && test_now_ns() < end;) {
			while (sent < nb_rx + 8) {
				m = test_packet(p.tx_pool, 100 + sent, 1, sent);
				nb = rte_comch_producer_tx_burst(
						p.producer->ctx, p.consumer->id, &m, 1);
				if (nb == 0) {
					rte_pktmbuf_free(m);
					break;
				}
				sent++;
			}
			nb = rte_comch_consumer_rx_burst(p.consumer->ctx, &found[got], 7);
			for (; nb > 0; nb--, got++)
				TEST_EXPECT(rte_pktmbuf_pkt_len(found[got]), 100 + got);
		}
		TEST_EXPECT(got, nb_rx);
		TEST_EXPECT(sent, nb_rx);
		TEST_EXPECT(rte_mempool_avail_count(p.rx_pool), 0);
		TEST_EXPECT(rte_comch_consumer_rx_burst(p.consumer->ctx, &found[got], 8), 0);
		TEST_EXPECT(rte_comch_producer_credits(p.producer->ctx, p.consumer->id), 0);
		/* one is freed, and one can come */
		TEST_CALL(check_packet(&p, found[0], 100, 0));
		TEST_CALL(offered(&p, 1));
		for (i = 1; i < nb_rx; i++)
			TEST_CALL(check_packet(&p, found[i], 100 + i, i));
		TEST_CALL(offered(&p, nb_posts * 3 / 4));
	}
	return pair_close(&p);
}

/* A consumer of mbufs that others post for, or fill from the pool meanwhile. */
static int
test_shared_pool(struct test_fp *fp)
{
	struct test_q *second;
	struct rte_mbuf *m;
	struct pair p;
	uint32_t i;

	TEST_CALL(pair_open(fp, &p, 24, 16, 0));
	/* two consumers of one pool */
	TEST_CALL(test_fp_consumer(fp, p.rx_mem, 16, 0, &second));
	TEST_EXPECT(rte_comch_consumer_rx_burst(second->ctx, found, 1), 0);
	TEST_WAIT(rte_comch_producer_credits(p.producer->ctx, second->id) == 8, TEST_MS);
	TEST_EXPECT(rte_mempool_avail_count(p.rx_pool), 0);
	for (i = 0; i < 200; i++) {
		uint32_t to = i % 2 != 0 ? second->id : p.consumer->id;

		m = test_packet(p.tx_pool, i, 2, i);
		TEST_EXPECT(rte_comch_producer_tx_burst(p.producer->ctx, to, &m, 1), 1);
		TEST_WAIT(rte_comch_consumer_rx_burst(i % 2 != 0 ? second->ctx : p.consumer->ctx,
					  found, 8) == 1,
				TEST_MS);
		TEST_CALL(check_packet(&p, found[0], i, i));
	}
	TEST_EXPECT(rte_comch_ctx_stop(second->ctx), -EINPROGRESS);
	TEST_WAIT(test_q_state(second) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(test_q_close(second), 0);
	return pair_close(&p);
}

/* Messages that were not sent as mbufs are received as such, and the other way round. */
static int
test_mixed(struct test_fp *fp)
{
	struct test_slots from, to;
	struct test_q *plain;
	struct rte_comch_dev_stats stats;
	struct rte_comch_cpl cpls[8];
	struct rte_mbuf *m;
	struct pair p;
	uint32_t i;

	TEST_CALL(pair_open(fp, &p, POOL_MBUFS, PLACES, 0));
	TEST_CALL(test_slots_new(&from, fp->tx.dev, 0, 1, ROOM));
	TEST_CALL(test_slots_new(&to, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, 8, ROOM));
	TEST_CALL(test_fp_consumer(fp, to.mem, 8, 0, &plain));
	/* who receives packets has no completions to poll, and loses none by it */
	TEST_EXPECT(rte_comch_dev_stats_reset(fp->rx.dev), 0);
	for (i = 0; i < 10; i++)
		TEST_EXPECT(rte_comch_queue_poll_burst(p.consumer->ctx, cpls, 8), 0);
	test_fill(test_slot(&from, 0), 333, 1);
	TEST_EXPECT(test_send_slot(p.producer, p.consumer->id, &from, 0, 333, 55), 1);
	/* without data: a packet of length 0, whatever else it carries */
	TEST_EXPECT(test_send_imm(p.producer, p.consumer->id, "abcd", 4, 56), 1);
	m = test_packet(p.tx_pool, 64, 1, 2);
	TEST_EXPECT(rte_comch_producer_tx_burst(p.producer->ctx, p.consumer->id, &m, 1), 1);
	m = test_packet(p.tx_pool, 0, 1, 3);
	TEST_EXPECT(rte_comch_producer_tx_burst(p.producer->ctx, p.consumer->id, &m, 1), 1);
	TEST_EXPECT(rte_comch_queue_poll_burst(p.consumer->ctx, cpls, 8), 0);
	test_settle();
	TEST_EXPECT(rte_comch_dev_stats_get(fp->rx.dev, &stats), 0);
	TEST_EXPECT(stats.violations, 0);
	TEST_CALL(receive(&p, 4));
	TEST_CALL(check_packet(&p, found[0], 333, 1));
	TEST_CALL(check_packet(&p, found[1], 0, 0));
	TEST_CALL(check_packet(&p, found[2], 64, 2));
	TEST_CALL(check_packet(&p, found[3], 0, 3));
	/* only those of the burst layer have completions */
	TEST_EXPECT(test_poll(p.producer, cpls, 2), 2);
	TEST_EXPECT(cpls[0].cookie, 55);
	TEST_EXPECT(cpls[1].cookie, 56);
	TEST_EXPECT(test_drain(p.producer), 0);

	TEST_CALL(test_fp_offer(plain, p.producer, &to, 0, 8, 0));
	for (i = 0; i < 8; i++) {
		m = test_packet(p.tx_pool, 100 * i, 1 + i, i);
		TEST_EXPECT(rte_comch_producer_tx_burst(p.producer->ctx, plain->id, &m, 1), 1);
	}
	TEST_EXPECT(test_poll(plain, cpls, 8), 8);
	for (i = 0; i < 8; i++) {
		TEST_EXPECT(cpls[i].cookie, i);
		TEST_EXPECT(cpls[i].len, 100 * i);
		TEST_TRUE(test_slot_check(&to, i, 100 * i, i));
	}
	TEST_EXPECT(test_q_close(plain), 0);
	return pair_close(&p);
}

/* Packets of two pools in one burst, one of them with buffers of its own, go back to theirs. */
static int
test_two_pools(struct test_fp *fp)
{
	struct rte_comch_mem_info info;
	struct rte_comch_mem *mem;
	struct pair p;
	uint32_t i, k;

	TEST_CALL(pair_open(fp, &p, POOL_MBUFS, PLACES, 32));
	mem = test_mem_pool(fp->tx.dev, "test_two", POOL_MBUFS, 32, ROOM + RTE_PKTMBUF_HEADROOM,
			0);
	TEST_EXPECT(rte_comch_mem_info_get(mem, &info), 0);
	/* bit i of the burst's number: the pool of each second packet, from i on */
	for (i = 0; i < 4; i++) {
		for (k = 0; k < 16; k++) {
			pkts[k] = test_packet((i >> (k % 2)) % 2 != 0 ? info.pool : p.tx_pool,
					64, 1, k);
		}
		TEST_CALL(offered(&p, 16));
		TEST_EXPECT(rte_comch_producer_tx_burst(p.producer->ctx, p.consumer->id, pkts, 16),
				16);
		TEST_CALL(receive(&p, 16));
		for (k = 0; k < 16; k++)
			TEST_CALL(check_packet(&p, found[k], 64, k));
		TEST_WAIT(rte_mempool_avail_count(p.tx_pool) == POOL_MBUFS &&
				rte_mempool_avail_count(info.pool) == POOL_MBUFS, TEST_MS);
	}
	TEST_CALL(pair_close(&p));
	return test_mem_free(mem);
}

/* Many laps; packets are in flight when the consumer stops. */
static int
test_laps(struct test_fp *fp)
{
	uint32_t sent = 0, got = 0, i, nb;
	struct pair p;

	TEST_CALL(pair_open(fp, &p, POOL_MBUFS, PLACES, 32));
	while (got < (TEST_ASAN ? 5000u : 70000u)) {
		nb = 1 + test_rand() % 40;
		for (i = 0; i < nb; i++) {
			pkts[i] = rte_pktmbuf_alloc(p.tx_pool);
			TEST_TRUE(pkts[i] != NULL);
			*(uint32_t *)rte_pktmbuf_append(pkts[i], 4) = sent + i;
		}
		i = rte_comch_producer_tx_burst(
				p.producer->ctx, p.consumer->id, pkts, (uint16_t)nb);
		sent += i;
		rte_pktmbuf_free_bulk(&pkts[i], nb - i);
		nb = rte_comch_consumer_rx_burst(
				p.consumer->ctx, found, (uint16_t)(1 + test_rand() % 40));
		for (i = 0; i < nb; i++, got++) {
			TEST_EXPECT(rte_pktmbuf_pkt_len(found[i]), 4);
			TEST_EXPECT(*rte_pktmbuf_mtod(found[i], uint32_t *), got);
			rte_pktmbuf_free(found[i]);
		}
	}
	/* some arrive that nobody receives: they are not lost to the pool */
	for (i = 0; i < 2; i++) {
		do {
			pkts[0] = rte_pktmbuf_alloc(p.tx_pool);
			TEST_TRUE(pkts[0] != NULL);
			nb = rte_comch_producer_tx_burst(p.producer->ctx, p.consumer->id, pkts, 1);
		} while (nb == 1);
		rte_pktmbuf_free(pkts[0]);
		/* in its second life it begins with none of them */
		if (i == 0) {
			TEST_CALL(idle(&p));
			TEST_CALL(test_q_start(p.consumer, &fp->tx));
			TEST_EXPECT(rte_comch_consumer_rx_burst(p.consumer->ctx, found, 1), 0);
			TEST_CALL(offered(&p, PLACES));
		}
	}
	return pair_close(&p);
}

/* The connection is lost with mbufs posted, and with packets that have come. */
static int
test_conn_lost(struct test_fp *fp)
{
	struct pair p;
	uint32_t i;

	TEST_CALL(pair_open(fp, &p, POOL_MBUFS, PLACES, 0));
	for (i = 0; i < 5; i++)
		pkts[i] = test_packet(p.tx_pool, 100, 1, i);
	TEST_EXPECT(rte_comch_producer_tx_burst(p.producer->ctx, p.consumer->id, pkts, 5), 5);
	TEST_CALL(receive(&p, 2));
	TEST_EXPECT(test_q_close(p.producer), 0);
	if (test_ctx_info(fp->tx.ep->ctx).type == RTE_COMCH_CTX_CLIENT)
		TEST_CALL(test_stop(fp->tx.ep));
	else
		TEST_EXPECT(rte_comch_server_disconnect(fp->tx.ep->conn), 0);
	TEST_WAIT(test_q_state(p.consumer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(p.consumer->ctx), -ECONNRESET);
	TEST_EXPECT(rte_mempool_avail_count(p.rx_pool), POOL_MBUFS - 2);
	TEST_EXPECT(test_q_close(p.consumer), 0);
	/* the two that were received are still good */
	TEST_EXPECT(rte_comch_mem_free(p.rx_mem), -EBUSY);
	for (i = 0; i < 2; i++) {
		TEST_TRUE(test_check(rte_pktmbuf_mtod(found[i], uint8_t *), 100, i));
		rte_pktmbuf_free(found[i]);
	}
	TEST_EXPECT(test_mem_free(p.rx_mem), 0);
	TEST_EXPECT(rte_mempool_avail_count(p.tx_pool), POOL_MBUFS);
	return TEST_SUCCESS;
}

/*
 * The loop that everybody writes: stop, and then turn the engine and take what has
 * come until the consumer is IDLE. It becomes that inside the turn. @return what
 * was logged, and in got how many packets were taken; -1 if it did not end.
 */
static long
drain_log(struct test_q *q, uint16_t (*take)(struct test_q *q), uint32_t *got)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	bool idle = false;
	int i;

	if (f == NULL)
		return -1;
	*got = 0;
	rte_openlog_stream(f);
	test_log_restore();
	while (!idle && test_now_ns() < end) {
		test_progress();
		*got += take(q);
		idle = test_q_state(q) == RTE_COMCH_STATE_IDLE;
	}
	/* a pipeline that learns of it later goes on for a while */
	for (i = 0; i < 10; i++)
		*got += take(q);
	test_log_quiet();
	rte_openlog_stream(NULL);
	fclose(f);
	if (size != 0)
		printf("%.200s...\n", text);
	free(text);
	return idle ? (long)size : -1;
}

static uint16_t
take_packets(struct test_q *q)
{
	uint16_t nb = rte_comch_consumer_rx_burst(q->ctx, found, MAX_BURST);

	rte_pktmbuf_free_bulk(found, nb);
	return nb;
}

static uint16_t
take_completions(struct test_q *q)
{
	struct rte_comch_cpl cpls[8];

	return rte_comch_queue_poll_burst(q->ctx, cpls, RTE_DIM(cpls));
}

/* A consumer that stops gives what it has, and is then quiet, not in error. */
static int
test_drained(struct test_fp *fp)
{
	struct rte_comch_post posts[4] = { { .len = 0 } };
	struct test_q *bare;
	struct pair p;
	uint32_t i, round, got;

	TEST_CALL(pair_open(fp, &p, POOL_MBUFS, PLACES, 0));
	TEST_CALL(test_fp_consumer(fp, NULL, 4, 8, &bare));
	for (round = 0; round < 2; round++) {
		for (i = 0; i < 5; i++)
			pkts[i] = test_packet(p.tx_pool, 100, 1, i);
		TEST_EXPECT(rte_comch_producer_tx_burst(p.producer->ctx, p.consumer->id, pkts, 5),
				5);
		test_arrive();
		TEST_EXPECT(rte_comch_ctx_stop(p.consumer->ctx), -EINPROGRESS);
		/* it is STOPPING, and what had come is there */
		TEST_EXPECT(take_packets(p.consumer), 5);
		TEST_EXPECT(drain_log(p.consumer, take_packets, &got), 0);
		TEST_EXPECT(got, 0);
		TEST_EXPECT(rte_mempool_avail_count(p.rx_pool), p.nb_rx);

		TEST_EXPECT(rte_comch_consumer_post_burst(bare->ctx, posts, 4), 4);
		TEST_EXPECT(rte_comch_ctx_stop(bare->ctx), -EINPROGRESS);
		TEST_EXPECT(drain_log(bare, take_completions, &got), 0);
		TEST_EXPECT(got, 4);
		/* and both can be used again */
		TEST_CALL(test_q_start(p.consumer, &fp->tx));
		TEST_CALL(test_q_start(bare, &fp->tx));
		TEST_CALL(offered(&p, PLACES));
	}
	TEST_CALL(test_stop_now(p.producer->ctx));
	TEST_EXPECT(drain_log(p.producer, take_completions, &got), 0);
	TEST_EXPECT(test_q_close(bare), 0);
	return pair_close(&p);
}

static struct unit_test_suite suite = {
	.suite_name = "comch: mbufs on the fast path",
	.setup = test_quiet,
	.unit_test_cases = {
		TEST_CASE_FP_BOTH(test_fp_need, teardown, test_lengths),
		TEST_CASE_FP_BOTH(test_fp_need, teardown, test_segments),
		TEST_CASE_FP_BOTH(test_fp_need, teardown, test_regions),
		TEST_CASE_FP_BOTH(test_fp_need, teardown, test_attached),
		TEST_CASE_FP(test_fp_need, teardown, test_not_taken),
		TEST_CASE_FP_BOTH(test_fp_need, teardown, test_pool_empty),
		TEST_CASE_FP_BOTH(test_fp_need, teardown, test_shared_pool),
		TEST_CASE_FP_BOTH(test_fp_need, teardown, test_mixed),
		TEST_CASE_FP_BOTH(test_fp_need, teardown, test_two_pools),
		TEST_CASE_FP_BOTH(test_fp_need, teardown, test_laps),
		TEST_CASE_FP_BOTH(test_fp_need, teardown, test_conn_lost),
		TEST_CASE_FP_BOTH(test_fp_need, teardown, test_drained),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_fp_mbuf_autotest, test_pairs_run, &suite)
