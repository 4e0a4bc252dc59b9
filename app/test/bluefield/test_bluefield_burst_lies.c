/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * More of bursts on queues in plain memory, see test_bluefield_burst.c: packets, buffers that
 * the device cannot reach, what a peer has claimed, what the queues of others say of credits, and
 * failures behind what others have sent.
 */

#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_mempool.h>

#include "test_bluefield_burst_util.h"
#include "test_bluefield_model.h"
#include "test_comch_util.h"

/* Less than the ring of a pool has room for, so that one that is freed twice is counted. */
#define NB_MBUFS 1000u
/* Pools that a producer sends from, and segments of a packet; what driver and device have. */
#define TX_POOLS 16u
#define TX_SEGS 59u
/* Requests of 16 bytes each segment, after as many for what controls it, in blocks of 64. */
#define TX_BLOCKS ((1 + TX_SEGS) / 4)

static struct rte_comch_cpl cpls[BURST_QUEUE];
static struct rte_mempool *pool;

static int
open_with(uint32_t imm_len)
{
	TEST_CALL(test_log_begin());
	pool = rte_pktmbuf_pool_create("burst_lies", NB_MBUFS, 0, 0,
		RTE_PKTMBUF_HEADROOM + BURST_BUF, SOCKET_ID_ANY);
	TEST_TRUE(pool != NULL);
	return burst_open(imm_len);
}

static int
setup(void)
{
	return open_with(0);
}

static int
setup_imm(void)
{
	return open_with(BF_MAX_IMM);
}

static void
teardown(void)
{
	burst_close();
	rte_mempool_free(pool);
	test_log_end();
}

/*
 * A packet, and then what no device can say: it is the last one, and all buffers come back.
 * noticed: as a message that says what was read.
 */
static int
packets_hostile(uint8_t opcode, uint16_t index, uint32_t bytes, uint32_t user, bool noticed)
{
	struct rte_mbuf *pkts[BURST_QUEUE];
	struct wq_req req;
	uint32_t i;

	burst_close();
	TEST_CALL(burst_open(burst.imm_len));
	burst.c.pool = pool;
	TEST_EXPECT(burst.cfp.rx_mbuf(&burst.c, pkts, BURST_QUEUE), 0);
	TEST_EXPECT(wq_dev_shared(&burst.cdev), BURST_QUEUE);
	TEST_CALL(wq_dev_take(&burst.cdev, &req));
	burst_arrive(req.index, 1, 0);
	TEST_EXPECT(burst.cfp.rx_mbuf(&burst.c, pkts, 0), 0);
	burst_odd(opcode, index, bytes, user, 0, BF_SYND_FLUSHED);
	if (noticed)
		burst_solicit(1);
	TEST_EXPECT(burst.cfp.rx_mbuf(&burst.c, pkts, BURST_QUEUE), 1);
	TEST_EXPECT(rte_pktmbuf_pkt_len(pkts[0]), 1);
	TEST_EXPECT(burst_fails, 1);
	for (i = 0; i < 3; i++)
		TEST_EXPECT(burst.cfp.rx_mbuf(&burst.c, pkts + 1, BURST_QUEUE - 1), 0);
	TEST_TRUE(burst.c.broken);
	TEST_EXPECT(burst_fails, 1);
	rte_pktmbuf_free(pkts[0]);
	bf_consumer_mbufs_free(&burst.c);
	TEST_EXPECT(rte_mempool_avail_count(pool), NB_MBUFS);
	return wq_dev_passed(&burst.cdev);
}

static int
test_packets_hostile(void)
{
	static const uint32_t users[] = { BURST_USER + 1, BF_QUEUE_PAIRS, 0xffffff };
	const uint32_t ok = burst.imm_len + 1, too_long = burst.imm_len + BURST_BUF + 1;
	uint32_t i;

	/* an entry that is none, that is not posted, that has come back */
	TEST_CALL(packets_hostile(BF_CQE_RESP_SEND_IMM, 2 * BURST_QUEUE, ok, BURST_USER, false));
	TEST_CALL(packets_hostile(BF_CQE_RESP_SEND_IMM, 0xffff, ok, BURST_USER, false));
	TEST_CALL(packets_hostile(BF_CQE_RESP_SEND_IMM, BURST_QUEUE + 9, ok, BURST_USER, false));
	TEST_CALL(packets_hostile(BF_CQE_RESP_SEND_IMM, 0, ok, BURST_USER, false));
	TEST_CALL(packets_hostile(BF_CQE_RESP_SEND_IMM, 1, too_long, BURST_USER, false));
	TEST_CALL(packets_hostile(BF_CQE_REQ, 1, ok, BURST_USER, false));
	/* of a queue pair that is none, or has none: a message, one with news, a failure */
	for (i = 0; i < RTE_DIM(users); i++) {
		TEST_CALL(packets_hostile(BF_CQE_RESP_SEND_IMM, 1, ok, users[i], false));
		TEST_CALL(packets_hostile(BF_CQE_RESP_SEND_IMM, 1, ok, users[i], true));
		TEST_CALL(packets_hostile(BF_CQE_RESP_ERR, 1, 0, users[i], false));
	}
	return test_log_passed();
}

/* Where a buffer is that the device writes in place of one it cannot reach. */
static uint8_t behind[sizeof(burst.bytes)];

/* One message, in the oldest post; the one of a queue pair that goes was in the same before. */
static int
bounced_one(uint32_t slot, bool flushed)
{
	uint8_t *buf = burst.bytes + slot * BURST_BUF;
	struct wq_req req;

	TEST_CALL(wq_dev_take(&burst.cdev, &req));
	if (flushed) {
		burst_odd(BF_CQE_RESP_ERR, req.index, 0, BURST_USER, 0, BF_SYND_FLUSHED);
		TEST_EXPECT(burst.cfp.poll(&burst.c, cpls, BURST_QUEUE), 0);
		TEST_CALL(wq_dev_take(&burst.cdev, &req));
	}
	TEST_EXPECT(req.sges[burst.imm_len != 0].addr, (uintptr_t)buf);
	TEST_EXPECT(req.sges[burst.imm_len != 0].len, BURST_BUF);
	memset(buf, 0, BURST_BUF);
	memset(behind + slot * BURST_BUF, 1 + slot, BURST_BUF);
	burst_arrive(req.index, 5, 0);
	return TEST_SUCCESS;
}

static int
test_bounced(void)
{
	const uint32_t nb = 3; /* so that some are at the end of the ring, and some behind it */
	uint8_t *bounces[] = { behind };
	uint32_t lap, i, slot, next = 0;

	burst.region->bounces = bounces;
	burst.c.multi = true;
	burst.c.places = calloc(burst.c.rq.mask + 1, sizeof(*burst.c.places));
	TEST_TRUE(burst.c.places != NULL);
	bf_consumer_fns(&burst.c, &burst.cfp);
	for (lap = 0; lap < 200; lap++, next += nb) {
		if (lap % 2 == 0) {
			TEST_EXPECT(burst_post(next, 1), 1);
			TEST_CALL(bounced_one(next % BURST_QUEUE, true));
			TEST_EXPECT(burst_post(next + 1, nb - 1), nb - 1);
		} else {
			TEST_EXPECT(burst_post(next, nb), nb);
			TEST_CALL(bounced_one(next % BURST_QUEUE, false));
		}
		for (i = 1; i < nb; i++)
			TEST_CALL(bounced_one((next + i) % BURST_QUEUE, false));
		TEST_EXPECT(burst.cfp.poll(&burst.c, cpls, BURST_QUEUE), nb);
		for (i = 0; i < nb; i++) {
			slot = (next + i) % BURST_QUEUE;
			TEST_EXPECT(cpls[i].cookie, next + i);
			TEST_EXPECT(cpls[i].len, 5);
			TEST_EXPECT(burst.bytes[slot * BURST_BUF + 4], 1 + slot);
			TEST_EXPECT(burst.bytes[slot * BURST_BUF + 5], 0);
		}
	}
	free(burst.c.places);
	burst.region->bounces = NULL;
	TEST_EXPECT(burst_fails, 0);
	TEST_CALL(wq_dev_passed(&burst.cdev));
	return test_log_passed();
}

/* What a peer says over the connection that it has read: old news, news, and a lie. */
static int
test_go(void)
{
	static const struct {
		int32_t read; /* beyond what is known */
		bool lie;
	} rows[] = { { 0 }, { -1 }, { -9 }, { 5 }, { 6 }, { 10 }, { 11, true } };
	const uint32_t known = UINT32_MAX - 3;
	uint32_t i;

	for (i = 0; i < RTE_DIM(rows); i++) {
		burst_close();
		TEST_CALL(burst_open(0));
		burst.from.state = BF_PAIR_READY;
		burst.from.entries = BF_PAIR_CREDITS;
		burst.from.nb_read = known;
		burst.from.nb_told = known + 10;
		burst.from.go = BF_PAIR_GO | (uint32_t)(known + rows[i].read);
		burst.c.attention = 1;
		bf_consumer_service(&burst.c);
		TEST_ASSERT(burst.cc.lost_reason == (rows[i].lie ? -EPROTO : 0), "row %u", i);
		TEST_EXPECT(burst.from.nb_read - known,
			rows[i].lie ? 0 : (uint32_t)RTE_MAX(rows[i].read, 0));
		TEST_EXPECT(burst.from.go, 0);
	}
	return test_log_passed();
}

/* A peer that lets go of no pair, so that no identifier is free, or none of the producer's. */
static int
test_no_pair(void)
{
	struct bf_rc *rc = &burst.rc[0];
	uint32_t i;

	for (i = 0; i < BF_CONN_PAIRS; i++)
		burst.fast.pairs[i] = &burst.to[0];
	TAILQ_INSERT_TAIL(&burst.fast.served, &burst.from, next); /* what is behind them */
	TEST_TRUE(bf_pair_open(&burst.p, rc) == NULL);
	TEST_EXPECT(rc->refs, 1);
	burst.fast.pairs[0] = NULL;
	rc->refs++;
	for (i = BURST_PAIRS; i < BF_QUEUE_PAIRS; i++)
		burst.p.pairs[i] = &burst.to[0];
	TEST_TRUE(bf_pair_open(&burst.p, rc) == NULL);
	TEST_EXPECT(rc->refs, 1);
	TEST_TRUE(burst.fast.pairs[0] == NULL);
	TEST_EXPECT(burst.p.nb_pairs, BURST_PAIRS);
	return test_log_passed();
}

/*
 * An answer about a consumer that waits for one: before that about the consumer that had its
 * place, or about something else.
 */
static int
test_answer_odd(void)
{
	static const struct {
		uint16_t to;
		uint32_t gone;
	} rows[] = { { BF_WIRE_CONSUMER_NEW, 1 }, { BF_WIRE_CONSUMER_GONE, 0 }, { 0, 0 },
		{ BF_WIRE_CONSUMER_ANSWER, 0 }, { UINT16_MAX, 0 } };
	struct bf_wire_consumer_answer answer = { .consumer = 1 + BF_MAX_CONSUMERS };
	uint32_t i;

	burst.cc.pub.fast = &burst.fast;
	burst.fast.asks[1].id = answer.consumer;
	TAILQ_INSERT_TAIL(&burst.fast.asked, &burst.fast.asks[1], next);
	burst.fast.consumers[1] = &burst.c;
	for (i = 0; i < RTE_DIM(rows); i++) {
		answer.to = rows[i].to;
		burst.fast.gone[1] = rows[i].gone;
		TEST_EXPECT(bf_fast_part.ctl_came(&burst.cc.pub, BF_WIRE_CONSUMER_ANSWER,
			&answer, sizeof(answer)), -EPROTO);
		TEST_EXPECT(burst.fast.asks[1].id, answer.consumer);
		TEST_TRUE(!burst.c.known && test_log_has("an answer to nothing"));
	}
	return test_log_passed();
}

/* The end of a pair on the peer's side that cannot be: numbers of 24 bits, and nothing else. */
static int
test_ready_odd(void)
{
	static const struct bf_wire_pair_ready rows[] = {
		{ .qpn = 1 << 24 }, { .psn = 1 << 24 }, { .qpn = UINT32_MAX, .psn = UINT32_MAX },
		{ .qpn = 1, .psn = 1, .reserved = 1 },
	};
	uint32_t i;

	burst.fast.pairs[0] = &burst.to[0];
	burst.to[0].told_peer = true;
	for (i = 0; i < RTE_DIM(rows); i++) {
		TEST_EXPECT(bf_pair_ready(&burst.fast, &rows[i]), -EPROTO);
		TEST_TRUE(!burst.to[0].answered);
	}
	return test_log_passed();
}

static void
stop_done(struct rte_comch_pmd_ending *ending)
{
	ending->pending = false;
}

/* A stop of this consumer, of which the peer has claimed so many posts; has it ended? */
static bool
stop_ends(uint32_t land, uint64_t now)
{
	struct rte_comch_pmd_ending ending = {
		.dev = burst.dev, .pending = true, .done = stop_done,
	};

	burst.c.stop_ending = &ending;
	burst.c.flush_next = -ECANCELED;
	burst.c.leaving = true;
	burst.c.landing = true;
	burst.c.deadline = 1000;
	burst.c.land = land;
	burst.c.attention = 0;
	bf_consumer_leave(&burst.c, now);
	/* if not, it looks again */
	if (ending.pending == (burst.c.attention == 0) || ending.pending == burst.c.stopping)
		test_fail("a stop that neither ends nor goes on");
	burst.c.stopping = false;
	return !ending.pending;
}

/* A stop waits for what the peer has claimed, and for no more, and not for ever. */
static int
test_landing(void)
{
	static uint64_t func[8192]; /* zeros are one that has not failed */
	struct wq_req req;
	uint32_t i, nb = 0;

	burst.bf.func = (struct bf_func *)func;
	burst.c.pairs[BURST_USER] = NULL; /* its pairs are gone: nothing is left to be done */
	/* the peer has not said what it has claimed */
	burst.c.deadline = 1000;
	burst.fg.retry = UINT64_MAX;
	bf_consumer_leave(&burst.c, 999);
	TEST_TRUE(!burst.c.stopping);
	TEST_EXPECT(burst.fg.retry, 1000);
	TEST_TRUE(stop_ends(0, 0));
	/* more than a lap of the ring of completions */
	for (i = 0; i < 5 * BURST_QUEUE; i++) {
		TEST_EXPECT(burst_post(i, 1), 1);
		TEST_CALL(wq_dev_take(&burst.cdev, &req));
		TEST_TRUE(!stop_ends(nb + 1, 999));
		TEST_TRUE(stop_ends(nb + 1, 1000));
		burst_arrive(req.index, 1, 0);
		TEST_TRUE(stop_ends(++nb, 0));
		burst.c.flush = 0;
		TEST_EXPECT(burst.cfp.poll(&burst.c, cpls, 1), 1);
		TEST_TRUE(stop_ends(nb, 0));
		burst.c.flush = 0;
		/* what came to nothing is not waited for */
		burst.c.anew++;
		TEST_TRUE(!stop_ends(nb + 2, 0));
		TEST_TRUE(stop_ends(nb + 1, 0));
		burst.c.anew--;
		burst.c.flush = 0;
	}
	burst.fast.ended = 1;
	TEST_TRUE(stop_ends(nb + 1, 0));
	TEST_EXPECT(burst.c.flush, -ECANCELED);
	burst.bf.func = NULL;
	return test_log_passed();
}

/*
 * A producer without credits looks at what the others were told: at messages of credits
 * alone, unless the connection is busy or it is about to go, and at no number that cannot be.
 */
static int
test_peek(void)
{
	static const struct {
		uint8_t opcode;
		uint32_t imm;
		bool locked;
		bool ending;
		uint32_t credits;
	} rows[] = {
		{ BF_CQE_RESP_SEND_IMM, 5, false, false, 5 },
		{ BF_CQE_RESP_SEND_IMM, BURST_QUEUE + 1, false, false, 0 },
		{ BF_CQE_RESP_SEND_IMM, 5, true, false, 0 },
		{ BF_CQE_RESP_SEND_IMM, 5, false, true, 0 },
		{ BF_CQE_RESP_SEND, 5, false, false, 0 },
		{ BF_CQE_RESP_ERR, 5, false, false, 0 },
		{ BF_CQE_INVALID, 5, false, false, 0 },
	};
	struct bf_pair *pair = &burst.to[0], *other = &burst.to[1];
	struct bf_cqe *cqe = &burst.back[1][0];
	struct bf_rc *rc = &burst.rc[0];
	uint32_t i;

	for (i = 0; i < RTE_DIM(rows); i++) {
		burst_close();
		TEST_CALL(burst_open(0));
		TAILQ_INIT(&rc->pairs);
		TAILQ_INSERT_TAIL(&rc->pairs, other, next);
		cqe->imm = rte_cpu_to_be_32(rows[i].imm);
		cqe->op_own = rows[i].opcode << 4;
		pair->read = BF_PAIR_CREDITS;
		pair->asked = true;
		pair->ending = rows[i].ending;
		if (rows[i].locked)
			bf_lock(&burst.fast.lock);
		bf_credits_look(pair);
		if (rows[i].locked)
			bf_unlock(&burst.fast.lock);
		TEST_ASSERT(bf_credits_now(&rc->credits) == rows[i].credits, "row %u: %u", i,
			bf_credits_now(&rc->credits));
	}
	return test_log_passed();
}

/* A peer that says it has read what is still on its way: no more is told than fits. */
static int
test_told_full(void)
{
	static struct wq_dev dev;
	const uint32_t room = 4;
	const struct bf_cq back = {
		.ring = burst.back[1], .dbr = burst.back_dbr, .nb_cqes = RTE_DIM(burst.back[1]),
	};
	uint32_t i;

	wq_dev_init(&dev, room, 0, 0, room);
	TEST_EXPECT(bf_sendq_init(&burst.from.sq, &dev.qp, &dev.uar), 0);
	TEST_EXPECT(bf_compq_init(&burst.from.back, &back, &dev.uar), 0);
	burst.from.state = BF_PAIR_READY;
	burst.from.entries = BF_PAIR_CREDITS;
	burst.from.back_armed = true; /* there is no engine to wait for it */
	for (i = 0; i < 2 * room; i++) {
		TEST_EXPECT(burst_post(i, 1), 1);
		bf_tell(&burst.c);
		burst.from.nb_read = burst.from.nb_told;
	}
	TEST_EXPECT(burst.from.nb_told, room);
	TEST_EXPECT(burst.from.told, room);
	TEST_EXPECT(wq_dev_sends(&dev), room);
	bf_sendq_fini(&burst.from.sq);
	return test_log_passed();
}

/* One fails behind others of another queue pair, and behind those of its own, one shorter. */
static int
test_send_failed(void)
{
	const struct rte_comch_send short_one = { .cookie = 0 };
	uint32_t i;

	TEST_EXPECT(bf_credits_told(&burst.rc[0].credits, 8), 0);
	TEST_EXPECT(bf_credits_told(&burst.rc[1].credits, 8), 0);
	TEST_EXPECT(burst.pfp.send(&burst.p, BURST_CONSUMER + 1, &short_one, 1), 1);
	TEST_EXPECT(burst_send(0, 1, 5, 0), 5);
	TEST_EXPECT(burst_send(1, 6, 2, 0), 2);
	bf_credits_close(&burst.rc[1].credits); /* or the connection would be told */
	burst_sent(1, BF_CQE_REQ_ERR, burst_last(1), BF_SYND_RETRY);
	TEST_EXPECT(burst.pfp.poll(&burst.p, cpls, BURST_QUEUE), 1);
	burst_sent(0, BF_CQE_REQ, burst_last(0), 0);
	TEST_EXPECT(burst.pfp.poll(&burst.p, cpls + 1, BURST_QUEUE - 1), 7);
	for (i = 0; i < 8; i++) {
		TEST_EXPECT(cpls[i].cookie, i);
		TEST_EXPECT(cpls[i].status, i < 7 ? 0 : -ECONNRESET);
	}
	TEST_EXPECT(burst_fails, 0);
	return test_log_passed();
}

/* One fails behind a packet, which has its own number of blocks and is freed. */
static int
test_send_failed_packet(void)
{
	const uint64_t blocks = 2;
	uint32_t i;

	TEST_EXPECT(bf_credits_told(&burst.rc[0].credits, 8), 0);
	TEST_EXPECT(burst_send(0, 0, 4, 0), 4);
	burst.p.sent[0].cookie = (uintptr_t)rte_pktmbuf_alloc(pool);
	TEST_TRUE(burst.p.sent[0].cookie != 0);
	burst.p.sent[0].about |= (uint64_t)(BF_SENT_QUIET | BF_SENT_MBUF) << 48 | blocks << 56;
	burst.p.nb_wanted--;
	bf_credits_close(&burst.rc[0].credits);
	burst_sent(0, BF_CQE_REQ_ERR, blocks + 1, BF_SYND_RETRY);
	TEST_EXPECT(burst.pfp.poll(&burst.p, cpls, BURST_QUEUE), 3);
	for (i = 0; i < 3; i++) {
		TEST_EXPECT(cpls[i].cookie, i + 1);
		TEST_EXPECT(cpls[i].status, i == 0 ? 0 : -ECONNRESET);
	}
	TEST_EXPECT(rte_mempool_avail_count(pool), NB_MBUFS);
	TEST_EXPECT(burst.p.nb_wanted, 0);
	TEST_EXPECT(burst_fails, 0);
	return test_log_passed();
}

static void
nothing_to_free(void *addr __rte_unused, void *arg __rte_unused)
{
}

static struct rte_mbuf_ext_shared_info shinfo = {
	.free_cb = nothing_to_free,
};

/* Of segments of one byte each, which are at addr. */
static struct rte_mbuf *
packet(uint8_t *addr, uint32_t nb_segs)
{
	struct rte_mbuf *head = NULL, *m;

	for (; nb_segs != 0; nb_segs--) {
		m = rte_pktmbuf_alloc(pool);
		if (m == NULL)
			break;
		rte_mbuf_ext_refcnt_update(&shinfo, 1);
		rte_pktmbuf_attach_extbuf(m, addr, RTE_BAD_IOVA, 1, &shinfo);
		m->data_len = m->pkt_len = 1;
		if (head != NULL && rte_pktmbuf_chain(m, head) != 0)
			break;
		head = m;
	}
	return head;
}

/* It is not sent, for this reason, and stays the application's. */
static int
expect_unsent(struct rte_mbuf *pkt, int reason)
{
	TEST_TRUE(pkt != NULL);
	TEST_EXPECT(burst.pfp.tx_mbuf(&burst.p, BURST_CONSUMER, &pkt, 1), 0);
	TEST_EXPECT(burst.p.reason, reason);
	rte_pktmbuf_free(pkt);
	TEST_EXPECT(rte_mempool_avail_count(pool), NB_MBUFS);
	TEST_EXPECT(wq_dev_sends(&burst.pdev[0]), 0);
	return TEST_SUCCESS;
}

/* Packets in memory of the device. */
static int
setup_packets(void)
{
	TEST_CALL(setup());
	LIST_INIT(&burst.bf.regions);
	bf_lock_init(&burst.bf.lock);
	burst.region->mem = &burst.mem;
	LIST_INSERT_HEAD(&burst.bf.regions, burst.region, next);
	return bf_credits_told(&burst.rc[0].credits, BURST_QUEUE);
}

static void
teardown_packets(void)
{
	bf_tx_pools_free(&burst.p);
	bf_lock_fini(&burst.bf.lock);
	teardown();
}

/* As many as the queue pair has blocks for; one with more is for none. */
static int
test_packets_large(void)
{
	const uint32_t room = 2 * BURST_QUEUE / TX_BLOCKS;
	struct rte_mbuf *pkts[BURST_QUEUE];
	struct wq_req req;
	uint32_t i;

	TEST_CALL(expect_unsent(packet(burst.bytes, TX_SEGS + 1), -EMSGSIZE));
	burst.to[0].nb_blocks = TX_BLOCKS - 1;
	TEST_CALL(expect_unsent(packet(burst.bytes, TX_SEGS), -EMSGSIZE));
	burst.to[0].nb_blocks = 2 * BURST_QUEUE;
	for (i = 0; i <= room; i++) {
		pkts[i] = packet(burst.bytes, TX_SEGS);
		TEST_TRUE(pkts[i] != NULL);
	}
	TEST_EXPECT(burst.pfp.tx_mbuf(&burst.p, BURST_CONSUMER, pkts, room + 1), room);
	TEST_EXPECT(burst.p.reason, -ENOBUFS);
	rte_pktmbuf_free(pkts[room]);
	for (i = 0; i < room; i++) {
		TEST_CALL(wq_dev_send(&burst.pdev[0], false, &req));
		TEST_EXPECT(req.nb_sges, TX_SEGS);
	}
	burst_sent(0, BF_CQE_REQ, (room - 1) * TX_BLOCKS, 0);
	TEST_CALL(expect_unsent(packet(burst.bytes, TX_SEGS + 1), -EMSGSIZE));
	return test_log_passed();
}

/* Offered to a consumer of the peer, so many are sent; the others are freed. */
static int
send_packets(uint32_t pair, uint32_t nb, uint32_t wanted)
{
	struct rte_mbuf *pkts[BURST_QUEUE];
	struct wq_req req;
	uint32_t i;

	for (i = 0; i < nb; i++) {
		pkts[i] = packet(burst.bytes, 1);
		TEST_TRUE(pkts[i] != NULL);
	}
	TEST_EXPECT(burst.pfp.tx_mbuf(&burst.p, BURST_CONSUMER + pair, pkts, nb), wanted);
	TEST_EXPECT(burst.p.reason, wanted < nb ? -ENOBUFS : 0);
	for (i = 0; i < wanted; i++)
		TEST_CALL(wq_dev_send(&burst.pdev[pair], false, &req));
	TEST_EXPECT(wq_dev_sends(&burst.pdev[pair]), 0);
	for (; i < nb; i++)
		rte_pktmbuf_free(pkts[i]);
	return TEST_SUCCESS;
}

/* As many as there are places for, of all consumers, and all come back when they arrive. */
static int
test_packets_many(void)
{
	const uint32_t left = 10;

	TEST_EXPECT(bf_credits_told(&burst.rc[1].credits, BURST_QUEUE), 0);
	TEST_CALL(send_packets(0, BURST_QUEUE, BURST_QUEUE));
	TEST_EXPECT(bf_credits_told(&burst.rc[0].credits, 2 * BURST_QUEUE), 0);
	TEST_CALL(send_packets(0, BURST_QUEUE - left, BURST_QUEUE - left));
	TEST_CALL(send_packets(1, BURST_QUEUE, left));
	TEST_CALL(send_packets(1, 1, 0));
	TEST_CALL(send_packets(0, 1, 0));
	TEST_EXPECT(rte_mempool_avail_count(pool), NB_MBUFS - 2 * BURST_QUEUE);
	burst_sent(0, BF_CQE_REQ, burst_last(0), 0);
	TEST_CALL(send_packets(1, 1, 1));
	TEST_EXPECT(rte_mempool_avail_count(pool), NB_MBUFS - left - 1);
	burst_sent(1, BF_CQE_REQ, burst_last(1), 0);
	TEST_EXPECT(burst.pfp.poll(&burst.p, cpls, BURST_QUEUE), 0);
	TEST_EXPECT(rte_mempool_avail_count(pool), NB_MBUFS);
	return test_log_passed();
}

/* Completions that wait keep the place of a pair that is gone: they name it. */
static int
test_pending(void)
{
	struct wq_req req;

	TEST_TRUE(!bf_consumer_pending(&burst.c));
	TEST_EXPECT(burst_post(0, 2), 2);
	TEST_TRUE(!bf_consumer_pending(&burst.c));
	/* a few posts are told of when nothing has come */
	burst.c.told--;
	TEST_EXPECT(burst.cfp.poll(&burst.c, cpls, 1), 0);
	TEST_EXPECT(burst.c.told, burst.c.post_pos);
	TEST_CALL(wq_dev_take(&burst.cdev, &req));
	burst_arrive(req.index, 1, 0);
	TEST_TRUE(bf_consumer_pending(&burst.c));
	TEST_EXPECT(burst.cfp.poll(&burst.c, cpls, 1), 1);
	TEST_TRUE(!bf_consumer_pending(&burst.c));
	/* what is given back at the end of a stop, until there is no more of it */
	burst.c.flush = -ECANCELED;
	TEST_TRUE(bf_consumer_pending(&burst.c));
	TEST_EXPECT(burst.cfp.poll(&burst.c, cpls, 1), 1);
	TEST_TRUE(!bf_consumer_pending(&burst.c));
	burst.c.flush = 0;
	return test_log_passed();
}

/* A consumer that has gone is sent nothing, whatever credits it has told of. */
static int
test_packets_gone(void)
{
	struct rte_mbuf *pkt = packet(burst.bytes, 1);

	TEST_TRUE(pkt != NULL);
	TEST_EXPECT(bf_credits_told(&burst.rc[1].credits, BURST_QUEUE), 0);
	TEST_EXPECT(bf_credits_close(&burst.rc[1].credits), 0);
	TEST_EXPECT(burst.pfp.tx_mbuf(&burst.p, BURST_CONSUMER + 1, &pkt, 1), 0);
	TEST_EXPECT(burst.p.reason, -ENOENT);
	TEST_EXPECT(wq_dev_sends(&burst.pdev[1]), 0);
	rte_pktmbuf_free(pkt);
	return test_log_passed();
}

/* Memory that the device does not have: outside of its regions, and in pools it cannot have. */
static int
test_packets_elsewhere(void)
{
	struct rte_mempool *pools[TX_POOLS + 1];
	struct rte_mbuf *pkt;
	char name[32];
	uint32_t i, lap;

	for (i = 0; i < 2; i++)
		TEST_CALL(expect_unsent(packet((uint8_t *)&shinfo, 1), -EFAULT));
	TEST_EXPECT(test_log_count("are in an external buffer"), 1);
	for (i = 0; i <= TX_POOLS; i++) {
		snprintf(name, sizeof(name), "burst_other_%u", i);
		pools[i] = rte_pktmbuf_pool_create(name, 1, 0, 0, RTE_PKTMBUF_HEADROOM + 1,
			SOCKET_ID_ANY);
		TEST_TRUE(pools[i] != NULL);
	}
	for (lap = 0; lap < 2; lap++) {
		for (i = 0; i <= TX_POOLS; i++) {
			pkt = rte_pktmbuf_alloc(pools[i]);
			TEST_TRUE(pkt != NULL && rte_pktmbuf_append(pkt, 1) != NULL);
			TEST_CALL(expect_unsent(pkt, -EFAULT));
		}
	}
	TEST_EXPECT(test_log_count("cannot be registered"), TX_POOLS);
	for (i = 0; i <= TX_POOLS; i++)
		rte_mempool_free(pools[i]);
	return test_log_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "what others say of bursts on queues in plain memory",
	.unit_test_cases = {
		TEST_CASE_ST(setup, teardown, test_packets_hostile),
		TEST_CASE_NAMED(setup_imm, teardown, "test_packets_hostile_imm",
			test_packets_hostile),
		TEST_CASE_ST(setup, teardown, test_bounced),
		TEST_CASE_NAMED(setup_imm, teardown, "test_bounced_imm", test_bounced),
		TEST_CASE_ST(setup, teardown, test_go),
		TEST_CASE_ST(setup, teardown, test_no_pair),
		TEST_CASE_ST(setup, teardown, test_answer_odd),
		TEST_CASE_ST(setup, teardown, test_ready_odd),
		TEST_CASE_ST(setup, teardown, test_pending),
		TEST_CASE_ST(setup, teardown, test_landing),
		TEST_CASE_ST(setup, teardown, test_peek),
		TEST_CASE_ST(setup, teardown, test_told_full),
		TEST_CASE_ST(setup, teardown, test_send_failed),
		TEST_CASE_NAMED(setup_imm, teardown, "test_send_failed_imm", test_send_failed),
		TEST_CASE_ST(setup, teardown, test_send_failed_packet),
		TEST_CASE_ST(setup_packets, teardown_packets, test_packets_large),
		TEST_CASE_ST(setup_packets, teardown_packets, test_packets_many),
		TEST_CASE_ST(setup_packets, teardown_packets, test_packets_gone),
		TEST_CASE_ST(setup_packets, teardown_packets, test_packets_elsewhere),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_burst_lies_autotest, unit_test_suite_runner, &suite);
