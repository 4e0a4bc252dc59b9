/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Bursts of the bluefield driver on queues in plain memory, where the test is the device:
 * what comes in which order, what becomes of messages that fail, and what the driver
 * does with completions that no device can have written. That stops the queue and counts
 * as a failure of the device; nothing else may come of it.
 */

#include "test_bluefield_burst_util.h"
#include "test_bluefield_model.h"
#include "test_comch_util.h"

#define LAPS 2000u

static struct rte_comch_cpl cpls[BURST_QUEUE + 1];

/*
 * Consumers
 */

/* Messages in another order than that of the posts: each has the cookie of its post. */
static int
test_receive(void)
{
	uint32_t lap, i, nb, index[BURST_QUEUE], next = 0;
	struct wq_req req;

	for (lap = 0; lap < LAPS; lap++) {
		nb = 1 + lap % BURST_QUEUE;
		TEST_EXPECT(burst_post(next, nb), nb);
		for (i = 0; i < nb; i++) {
			TEST_CALL(wq_dev_take(&burst.cdev, &req));
			TEST_EXPECT(req.sges[burst.imm_len != 0].addr, (uintptr_t)burst.bytes +
				(next + i) % BURST_QUEUE * BURST_BUF);
			TEST_EXPECT(req.sges[burst.imm_len != 0].len, BURST_BUF);
			index[i] = req.index;
		}
		for (i = nb; i-- > 0;)
			burst_arrive(index[i], i % (BURST_BUF + 1), i % (burst.imm_len + 1));
		/* in two pieces, and no more than asked for */
		TEST_EXPECT(burst.cfp.poll(&burst.c, cpls, nb / 2), nb / 2);
		TEST_EXPECT(burst.cfp.poll(&burst.c, cpls + nb / 2, BURST_QUEUE), nb - nb / 2);
		TEST_EXPECT(burst.cfp.poll(&burst.c, cpls + nb, 1), 0);
		for (i = 0; i < nb; i++) {
			uint32_t n = nb - 1 - i;

			TEST_EXPECT(cpls[i].cookie, next + n);
			TEST_EXPECT(cpls[i].len, n % (BURST_BUF + 1));
			TEST_EXPECT(cpls[i].imm_len, n % (burst.imm_len + 1));
			TEST_EXPECT(cpls[i].producer_id, BURST_PRODUCER);
			TEST_EXPECT(cpls[i].status, 0);
			if (cpls[i].imm_len != 0)
				TEST_EXPECT(cpls[i].imm[0], (uint8_t)(index[n] + cpls[i].imm_len));
		}
		next += nb;
	}
	TEST_EXPECT(burst.cq.stats.msgs, next);
	TEST_CALL(wq_dev_passed(&burst.cdev));
	return test_log_passed();
}

static int
test_post_refused(void)
{
	struct rte_comch_post post = { .addr = burst.bytes, .len = BURST_BUF };
	struct rte_comch_post bad = post;

	TEST_EXPECT(burst_post(0, BURST_QUEUE + 1), BURST_QUEUE);
	TEST_EXPECT(burst.c.reason, -ENOBUFS);
	burst_close();
	TEST_CALL(burst_open(0));
	bad.len = BURST_BUF - 1;
	TEST_EXPECT(burst.cfp.post(&burst.c, &bad, 1), 0);
	TEST_EXPECT(burst.c.reason, -EMSGSIZE);
	bad.len = UINT64_C(1) << 33;
	TEST_EXPECT(burst.cfp.post(&burst.c, &bad, 1), 0);
	TEST_EXPECT(burst.c.reason, -EMSGSIZE);
	bad = post;
	bad.addr = burst.bytes + sizeof(burst.bytes) - BURST_BUF + 1;
	TEST_EXPECT(burst.cfp.post(&burst.c, &bad, 1), 0);
	TEST_EXPECT(burst.c.reason, -EFAULT);
	bad = post;
	bad.flags = 1;
	TEST_EXPECT(burst.cfp.post(&burst.c, &bad, 1), 0);
	TEST_EXPECT(burst.c.reason, -EINVAL);
	bad = post;
	bad.addr = NULL;
	TEST_EXPECT(burst.cfp.post(&burst.c, &bad, 1), 0);
	TEST_EXPECT(burst.c.reason, -EINVAL);
	TEST_EXPECT(burst.cfp.post(&burst.c, &post, 1), 1);
	TEST_EXPECT(burst.c.reason, 0);
	TEST_EXPECT(wq_dev_shared(&burst.cdev), 1);
	return test_log_passed();
}

/* What no device can say of a message: the good one before it counts, nothing after it. */
static int
consumer_hostile(uint8_t opcode, uint16_t index, uint32_t bytes, uint32_t user, uint8_t syndrome)
{
	uint32_t i, fails = burst_fails;
	struct wq_req req;

	burst_close();
	TEST_CALL(burst_open(burst.imm_len));
	burst_fails = fails;
	TEST_EXPECT(burst_post(0, 4), 4);
	TEST_CALL(wq_dev_take(&burst.cdev, &req));
	burst_arrive(req.index, 1, 0);
	burst_odd(opcode, index, bytes, user, 0, syndrome);
	burst_odd(opcode, index, bytes, user, 0, syndrome);
	TEST_EXPECT(burst.cfp.poll(&burst.c, cpls, BURST_QUEUE), 1);
	TEST_EXPECT(cpls[0].cookie, 0);
	for (i = 0; i < 3; i++)
		TEST_EXPECT(burst.cfp.poll(&burst.c, cpls, BURST_QUEUE), 0);
	TEST_TRUE(burst.c.broken);
	TEST_EXPECT(burst_fails, fails + 1);
	TEST_TRUE(test_log_has("the device says of consumer 1 what cannot be"));
	/* what was posted comes back when it stops */
	burst.c.flush = -ECANCELED;
	TEST_EXPECT(burst.cfp.poll(&burst.c, cpls, BURST_QUEUE), 3);
	for (i = 0; i < 3; i++) {
		TEST_EXPECT(cpls[i].cookie, i + 1);
		TEST_EXPECT(cpls[i].status, -ECANCELED);
	}
	TEST_EXPECT(burst.cfp.poll(&burst.c, cpls, BURST_QUEUE), 0);
	return wq_dev_passed(&burst.cdev);
}

static int
test_receive_hostile(void)
{
	const uint32_t imm = burst.imm_len, ok = imm + 1;

	/* an entry that is none, that is not posted, that has come back */
	TEST_CALL(consumer_hostile(BF_CQE_RESP_SEND_IMM, 2 * BURST_QUEUE, ok, BURST_USER, 0));
	TEST_CALL(consumer_hostile(BF_CQE_RESP_SEND_IMM, 0xffff, ok, BURST_USER, 0));
	TEST_CALL(consumer_hostile(BF_CQE_RESP_SEND_IMM, 9, ok, BURST_USER, 0));
	TEST_CALL(consumer_hostile(BF_CQE_RESP_SEND_IMM, 0, ok, BURST_USER, 0));
	/* longer than the buffer */
	TEST_CALL(consumer_hostile(BF_CQE_RESP_SEND_IMM, 1, imm + BURST_BUF + 1, BURST_USER, 0));
	TEST_CALL(consumer_hostile(BF_CQE_RESP_SEND_IMM, 1, UINT32_MAX, BURST_USER, 0));
	/* of a queue pair that is none */
	TEST_CALL(consumer_hostile(BF_CQE_RESP_SEND_IMM, 1, ok, BURST_USER + 1, 0));
	TEST_CALL(consumer_hostile(BF_CQE_RESP_SEND_IMM, 1, ok, BF_QUEUE_PAIRS, 0));
	TEST_CALL(consumer_hostile(BF_CQE_RESP_SEND_IMM, 1, ok, 0xffffff, 0));
	/* of another kind */
	TEST_CALL(consumer_hostile(BF_CQE_REQ, 1, ok, BURST_USER, 0));
	TEST_CALL(consumer_hostile(BF_CQE_REQ_ERR, 1, ok, BURST_USER, BF_SYND_FLUSHED));
	TEST_CALL(consumer_hostile(7, 1, ok, BURST_USER, 0));
	TEST_CALL(consumer_hostile(BF_CQE_RESP_ERR, 1, 0, BURST_USER + 1, BF_SYND_FLUSHED));
	/* flushed, and was not posted */
	TEST_CALL(consumer_hostile(BF_CQE_RESP_ERR, 9, 0, BURST_USER, BF_SYND_FLUSHED));
	TEST_CALL(consumer_hostile(BF_CQE_RESP_ERR, 0xffff, 0, BURST_USER, BF_SYND_FLUSHED));
	return test_log_passed();
}

/* What a peer does to its queue pair ends its connection, with this; the device works. */
static int
consumer_of_peer(uint8_t opcode, uint32_t bytes, uint32_t imm, uint8_t syndrome, int reason)
{
	struct wq_req req;

	burst_close();
	TEST_CALL(burst_open(burst.imm_len));
	TEST_EXPECT(burst_post(0, 4), 4);
	TEST_CALL(wq_dev_take(&burst.cdev, &req));
	burst_arrive(req.index, 1, 0);
	burst_odd(opcode, 1, bytes, BURST_USER, imm, syndrome);
	TEST_EXPECT(burst.cfp.poll(&burst.c, cpls, BURST_QUEUE), 1);
	TEST_EXPECT(burst.cfp.poll(&burst.c, cpls, BURST_QUEUE), 0);
	TEST_TRUE(burst.c.broken);
	TEST_EXPECT(burst_fails, 0);
	TEST_EXPECT(burst.cc.events, BF_EV_LOST);
	TEST_EXPECT(burst.cc.lost_reason, reason);
	return wq_dev_passed(&burst.cdev);
}

static int
test_receive_of_peer(void)
{
	const uint32_t ok = burst.imm_len + 1;

	TEST_CALL(consumer_of_peer(BF_CQE_RESP_SEND, ok, 0, 0, -EPROTO));
	TEST_CALL(consumer_of_peer(BF_CQE_RESP_SEND_INV, ok, 0, 0, -EPROTO));
	TEST_CALL(consumer_of_peer(BF_CQE_RESP_WRITE_IMM, ok, 0, 0, -EPROTO));
	TEST_CALL(consumer_of_peer(BF_CQE_RESP_ERR, 0, 0, BF_SYND_LOCAL_LEN, -EPROTO));
	TEST_CALL(consumer_of_peer(BF_CQE_RESP_ERR, 0, 0, BF_SYND_REMOTE_INVAL, -EPROTO));
	TEST_CALL(consumer_of_peer(BF_CQE_RESP_ERR, 0, 0, BF_SYND_MW_BIND, -ECONNRESET));
	TEST_CALL(consumer_of_peer(BF_CQE_RESP_ERR, 0, 0, BF_SYND_LOCAL_PROT, -ECONNRESET));
	TEST_CALL(consumer_of_peer(BF_CQE_RESP_ERR, 0, 0, BF_SYND_REMOTE_ACCESS, -ECONNRESET));
	TEST_CALL(consumer_of_peer(BF_CQE_RESP_ERR, 0, 0, 0xff, -ECONNRESET));
	if (burst.imm_len == 0)
		return test_log_passed();
	/* less than the immediate data has room for, or more of it */
	TEST_CALL(consumer_of_peer(BF_CQE_RESP_SEND_IMM, burst.imm_len - 1, 0, 0, -EPROTO));
	TEST_CALL(consumer_of_peer(BF_CQE_RESP_SEND_IMM, ok, BF_MAX_IMM + 1, 0, -EPROTO));
	TEST_CALL(consumer_of_peer(BF_CQE_RESP_SEND_IMM, ok, UINT32_MAX, 0, -EPROTO));
	return test_log_passed();
}

/* A queue pair that goes flushes what it had begun: the post is there for another message. */
static int
test_receive_flushed(void)
{
	struct wq_req req;
	uint32_t lap;

	TEST_EXPECT(burst_post(0, 2), 2);
	for (lap = 0; lap < LAPS; lap++) {
		TEST_CALL(wq_dev_take(&burst.cdev, &req));
		/* of one that this side has ended, whatever it says is no news */
		burst.from.ending = lap % 2 != 0;
		burst_odd(BF_CQE_RESP_ERR, req.index, 0, BURST_USER, 0,
			burst.from.ending ? BF_SYND_REMOTE_ACCESS : BF_SYND_FLUSHED);
		TEST_EXPECT(burst.cfp.poll(&burst.c, cpls, BURST_QUEUE), 0);
		TEST_EXPECT(wq_dev_shared(&burst.cdev), 2);
	}
	burst.from.ending = false;
	TEST_EXPECT(burst.cc.events, 0);
	TEST_EXPECT(burst.c.post_pos, LAPS + 2);
	for (lap = 0; lap < 2; lap++) {
		TEST_CALL(wq_dev_take(&burst.cdev, &req));
		TEST_EXPECT(req.sges[burst.imm_len != 0].addr, (uintptr_t)burst.bytes +
			lap * BURST_BUF);
		TEST_EXPECT(req.sges[burst.imm_len != 0].len, BURST_BUF);
		burst_arrive(req.index, 3, 0);
	}
	TEST_EXPECT(burst.cfp.poll(&burst.c, cpls, BURST_QUEUE), 2);
	TEST_TRUE(cpls[0].cookie == 0 && cpls[1].cookie == 1);
	TEST_EXPECT(burst.c.from[BURST_USER].nb, LAPS + 2);
	/* when it stops, what was taken is the application's, as all that is posted */
	TEST_EXPECT(burst_post(0, 2), 2);
	TEST_CALL(wq_dev_take(&burst.cdev, &req));
	burst.c.stopping = true;
	burst_odd(BF_CQE_RESP_ERR, req.index, 0, BURST_USER, 0, BF_SYND_FLUSHED);
	TEST_EXPECT(burst.cfp.poll(&burst.c, cpls, BURST_QUEUE), 0);
	burst.c.flush = -ECONNRESET;
	TEST_EXPECT(burst.cfp.poll(&burst.c, cpls, BURST_QUEUE), 2);
	TEST_TRUE(cpls[0].cookie == 0 && cpls[1].cookie == 1);
	TEST_TRUE(cpls[0].status == -ECONNRESET && cpls[1].status == -ECONNRESET);
	TEST_EXPECT(burst_fails, 0);
	return wq_dev_passed(&burst.cdev) == TEST_SUCCESS ? test_log_passed() : TEST_FAILED;
}

/* One message among others says what was read of the messages of credits; then too much. */
static int
test_receive_read(void)
{
	const uint32_t first = BF_WIRE_READ_MASK - 20, reads[] = { 0, 10, 32, 33 };
	struct wq_req req;
	uint32_t i;

	burst.from.nb_read = first;
	burst.from.nb_told = first + BF_PAIR_CREDITS;
	TEST_EXPECT(burst_post(0, BURST_QUEUE), BURST_QUEUE);
	for (i = 0; i < RTE_DIM(reads); i++) {
		TEST_CALL(wq_dev_take(&burst.cdev, &req));
		burst_arrive(req.index, i, i % (burst.imm_len + 1));
		burst_solicit(first + reads[i]);
		TEST_CALL(wq_dev_take(&burst.cdev, &req));
		burst_arrive(req.index, i, i % (burst.imm_len + 1));
		TEST_EXPECT(burst.cfp.poll(&burst.c, cpls, BURST_QUEUE), 2);
		TEST_EXPECT(cpls[0].cookie, 2 * i);
		TEST_EXPECT(cpls[0].len, i);
		TEST_EXPECT(cpls[0].imm_len, i % (burst.imm_len + 1));
		TEST_EXPECT(cpls[1].cookie, 2 * i + 1);
		TEST_EXPECT(burst.from.nb_read - first, RTE_MIN(reads[i], BF_PAIR_CREDITS));
		TEST_EXPECT(burst.cc.events, reads[i] <= BF_PAIR_CREDITS ? 0 : BF_EV_LOST);
	}
	TEST_EXPECT(burst.cc.lost_reason, -EPROTO);
	TEST_EXPECT(burst_fails, 0);
	return wq_dev_passed(&burst.cdev) == TEST_SUCCESS ? test_log_passed() : TEST_FAILED;
}

/*
 * Producers
 */

/* Completions come in the order of the sends, whichever queue pair is first. */
static int
test_send_order(void)
{
	uint32_t lap, i;

	for (lap = 0; lap < LAPS; lap++) {
		TEST_EXPECT(burst_credits(0, 8), 0);
		TEST_EXPECT(burst_credits(1, 4), 0);
		TEST_EXPECT(burst_send(0, 100, 5, 0), 5);
		TEST_EXPECT(burst_send(1, 200, 4, 0), 4);
		TEST_EXPECT(burst_send(0, 300, 3, RTE_COMCH_SEND_F_NO_CPL), 3);
		TEST_EXPECT(burst_send(0, 400, 1, 0), 0);
		TEST_EXPECT(burst.p.reason, -EAGAIN);
		burst_sent(1, BF_CQE_REQ, burst_last(1), 0);
		TEST_EXPECT(burst.pfp.poll(&burst.p, cpls, BURST_QUEUE), 0);
		burst_sent(0, BF_CQE_REQ, burst_last(0), 0);
		TEST_EXPECT(burst.pfp.poll(&burst.p, cpls, 6), 6);
		TEST_EXPECT(burst.pfp.poll(&burst.p, cpls + 6, BURST_QUEUE), 3);
		for (i = 0; i < 9; i++) {
			TEST_EXPECT(cpls[i].cookie, i < 5 ? 100 + i : 200 + i - 5);
			TEST_EXPECT(cpls[i].len, BURST_BUF);
			TEST_EXPECT(cpls[i].status, 0);
		}
		TEST_EXPECT(burst.pfp.poll(&burst.p, cpls, BURST_QUEUE), 0);
		TEST_EXPECT(burst.p.head, burst.p.tail);
		TEST_EXPECT(burst.p.nb_wanted, 0);
	}
	return test_log_passed();
}

/* The last message of a burst says so when enough messages of credits were read. */
static int
test_send_read(void)
{
	struct bf_pair *pair = &burst.to[0];
	struct wq_req req;
	uint32_t i, k;
	bool says;

	TEST_EXPECT(burst_credits(0, 8), 0);
	for (i = 0; i < 4; i++) {
		says = i % 2 == 0;
		pair->read += says ? BF_PAIR_READS + i : BF_PAIR_READS - 1;
		bf_pair_mind_set(pair);
		TEST_EXPECT(burst_send(0, 0, 2, 0), 2);
		for (k = 0; k < 2; k++) {
			TEST_CALL(wq_dev_send(&burst.pdev[0], false, &req));
			TEST_EXPECT(req.flags, (k == 1 ? BF_WQE_F_CQE : 0) |
				(k == 1 && says ? BF_WQE_F_SOLICITED : 0));
			TEST_EXPECT(req.imm, burst.imm_len |
				(k == 1 && says ? pair->read << BF_WIRE_READ_SHIFT : 0));
		}
		TEST_EXPECT(pair->read - pair->read_told, says ? 0 : BF_PAIR_READS - 1);
	}
	TEST_EXPECT(pair->claimed, 8);
	return wq_dev_passed(&burst.pdev[0]) == TEST_SUCCESS ? test_log_passed() : TEST_FAILED;
}

/* What the consumer can never take is told so, whether there are credits or not. */
static int
refuse_all(const struct rte_comch_send *good)
{
	struct rte_comch_send msg = *good;

	msg.len = BURST_BUF + 1;
	TEST_EXPECT(burst.pfp.send(&burst.p, BURST_CONSUMER, &msg, 1), 0);
	TEST_EXPECT(burst.p.reason, -EMSGSIZE);
	msg = *good;
	msg.addr = burst.bytes + sizeof(burst.bytes) - 1;
	TEST_EXPECT(burst.pfp.send(&burst.p, BURST_CONSUMER, &msg, 1), 0);
	TEST_EXPECT(burst.p.reason, -EFAULT);
	msg = *good;
	msg.mem = NULL;
	TEST_EXPECT(burst.pfp.send(&burst.p, BURST_CONSUMER, &msg, 1), 0);
	TEST_EXPECT(burst.p.reason, -EFAULT);
	msg = *good;
	msg.imm_len = burst.imm_len + 1;
	msg.imm = burst.bytes;
	TEST_EXPECT(burst.pfp.send(&burst.p, BURST_CONSUMER, &msg, 1), 0);
	TEST_EXPECT(burst.p.reason, -E2BIG);
	msg = *good;
	msg.flags = 2;
	TEST_EXPECT(burst.pfp.send(&burst.p, BURST_CONSUMER, &msg, 1), 0);
	TEST_EXPECT(burst.p.reason, -EINVAL);
	return TEST_SUCCESS;
}

static int
test_send_refused(void)
{
	const struct rte_comch_send good = {
		.addr = burst.bytes, .len = BURST_BUF, .mem = &burst.mem,
	};

	TEST_CALL(refuse_all(&good));
	TEST_EXPECT(burst.pfp.send(&burst.p, BURST_CONSUMER, &good, 1), 0);
	TEST_EXPECT(burst.p.reason, -EAGAIN);
	TEST_EXPECT(burst_credits(0, 8), 0);
	TEST_CALL(refuse_all(&good));
	TEST_EXPECT(wq_dev_sends(&burst.pdev[0]), 0);
	TEST_EXPECT(bf_credits_now(&burst.rc[0].credits), 8);
	TEST_EXPECT(burst.pfp.send(&burst.p, BURST_CONSUMER, &good, 1), 1);
	/* more than there are places for */
	TEST_EXPECT(burst_credits(0, 56), 0);
	TEST_EXPECT(burst_send(0, 1, BURST_QUEUE - 1, 0), BURST_QUEUE - 1);
	TEST_EXPECT(burst_send(0, 1, 1, 0), 0);
	TEST_EXPECT(burst.p.reason, -ENOBUFS);
	return test_log_passed();
}

/* What one of a burst can be, in another way than the rest. */
static const struct odd_send {
	const char *what;
	uint64_t off;           /* of its data */
	uint64_t len;
	bool other_mem;
	bool no_mem;
	bool no_imm;
	uint32_t flags;
	int reason;             /* it is refused, and all behind it */
} odd_sends[] = {
	{ .what = "alike", .len = BURST_BUF },
	{ .what = "short", .len = 1 },
	{ .what = "without data", .len = 0, .no_mem = true },
	{ .what = "of another region", .len = BURST_BUF, .other_mem = true },
	{ .what = "without completion", .len = BURST_BUF, .flags = RTE_COMCH_SEND_F_NO_CPL },
	{ .what = "without immediate data", .len = BURST_BUF, .no_imm = true },
	{ .what = "with a flag", .len = BURST_BUF, .flags = 1u << 31, .reason = -EINVAL },
	{ .what = "too long", .len = BURST_BUF + 1, .reason = -EMSGSIZE },
	{ .what = "far too long", .len = UINT64_MAX, .reason = -EFAULT },
	{ .what = "half outside", .off = sizeof(burst.bytes) - 1, .len = BURST_BUF,
	  .reason = -EFAULT },
	{ .what = "before", .off = UINT64_MAX, .len = BURST_BUF, .reason = -EFAULT },
	{ .what = "of no region", .len = BURST_BUF, .no_mem = true, .reason = -EFAULT },
};

#define ODD_BURST 8
#define ODD_KEY 0x77u

static int
odd_arrived(const struct odd_send *odd, uint32_t at, uint32_t nb)
{
	uint32_t i, wanted = 0;
	struct wq_req req;

	for (i = 0; i < nb; i++) {
		const bool is_odd = i == at;

		TEST_CALL(wq_dev_send(&burst.pdev[0], false, &req));
		TEST_EXPECT(req.inl_len, burst.imm_len);
		TEST_EXPECT(req.imm, is_odd && odd->no_imm ? 0 : burst.imm_len);
		TEST_EXPECT(req.nb_sges, !is_odd || odd->len != 0);
		if (req.nb_sges != 0) {
			TEST_EXPECT(req.sges[0].len, is_odd ? odd->len : BURST_BUF);
			TEST_EXPECT(req.sges[0].addr, (uintptr_t)burst.bytes + i * BURST_BUF);
			TEST_EXPECT(req.sges[0].lkey == ODD_KEY, is_odd && odd->other_mem);
		}
	}
	TEST_EXPECT(wq_dev_sends(&burst.pdev[0]), 0);
	if (nb != 0)
		burst_sent(0, BF_CQE_REQ, req.index, 0);
	TEST_EXPECT(burst.pfp.poll(&burst.p, cpls, BURST_QUEUE),
		nb - (at < nb && odd->flags != 0));
	for (i = 0; i < nb; i++) {
		if (i == at && odd->flags != 0)
			continue;
		TEST_EXPECT(cpls[wanted].cookie, i);
		TEST_EXPECT(cpls[wanted].len, i == at ? odd->len : BURST_BUF);
		TEST_EXPECT(cpls[wanted++].status, 0);
	}
	return TEST_SUCCESS;
}

/* One of a burst, first, in the middle or last, is of another kind, or is refused. */
static int
send_odd(const struct odd_send *odd, uint32_t at)
{
	struct bf_region other = { .nb = 1, .lkey = ODD_KEY };
	struct rte_comch_mem mem = burst.mem;
	struct rte_comch_send msgs[ODD_BURST] = { 0 };
	uint32_t i, nb = odd->reason != 0 ? at : ODD_BURST;
	uint8_t imm[BF_MAX_IMM] = { 1 };

	mem.priv = &other;
	for (i = 0; i < ODD_BURST; i++) {
		msgs[i].addr = burst.bytes + i * BURST_BUF;
		msgs[i].len = BURST_BUF;
		msgs[i].mem = &burst.mem;
		msgs[i].cookie = i;
		msgs[i].imm = imm;
		msgs[i].imm_len = burst.imm_len;
	}
	msgs[at].addr = odd->off != 0 ? (void *)((uintptr_t)burst.bytes + odd->off) :
		msgs[at].addr;
	msgs[at].len = odd->len;
	msgs[at].flags = odd->flags;
	if (odd->no_mem) /* nobody may look at it, if there is no data */
		msgs[at].mem = odd->len != 0 ? NULL : (const void *)(uintptr_t)8;
	if (odd->other_mem)
		msgs[at].mem = &mem;
	if (odd->no_imm) {
		msgs[at].imm = NULL;
		msgs[at].imm_len = 0;
	}
	TEST_EXPECT(burst_credits(0, nb + (odd->reason != 0)), 0);
	TEST_EXPECT(burst.pfp.send(&burst.p, BURST_CONSUMER, msgs, ODD_BURST), nb);
	if (odd->reason != 0)
		TEST_EXPECT(burst.p.reason, odd->reason);
	return odd_arrived(odd, at, nb);
}

static int
test_send_odd(void)
{
	static const uint32_t places[] = { 0, 3, ODD_BURST - 1 };
	struct wq_req req;
	uint32_t i, k;

	for (i = 0; i < RTE_DIM(odd_sends); i++) {
		for (k = 0; k < RTE_DIM(places); k++) {
			if (send_odd(&odd_sends[i], places[k]) != TEST_SUCCESS) {
				printf("number %u was %s\n", places[k], odd_sends[i].what);
				return TEST_FAILED;
			}
			/* what was offered for one that was refused is taken */
			while (bf_credits_now(&burst.rc[0].credits) != 0) {
				TEST_EXPECT(burst_send(0, 0, 1, RTE_COMCH_SEND_F_NO_CPL), 1);
				TEST_CALL(wq_dev_send(&burst.pdev[0], false, &req));
				burst_sent(0, BF_CQE_REQ, burst_last(0), 0);
				TEST_EXPECT(burst.pfp.poll(&burst.p, cpls, 1), 0);
			}
		}
	}
	return test_log_passed();
}

/* A pair that nothing was sent over for long, and that is gone: its place is free again. */
static int
test_old_pair(void)
{
	static const uint32_t heads[] = { 0, 1, INT32_MAX, UINT32_C(1) << 31, UINT32_MAX };
	struct bf_pair *pair;
	uint32_t i;

	for (i = 0; i < RTE_DIM(heads); i++) {
		pair = aligned_alloc(64, RTE_ALIGN_CEIL(sizeof(*pair), (size_t)64));
		TEST_TRUE(pair != NULL);
		memset(pair, 0, sizeof(*pair));
		pair->producer = &burst.p;
		pair->fast = &burst.fast;
		__atomic_fetch_add(&burst.fast.refs, 2, __ATOMIC_RELAXED);
		pair->rc = &burst.rc[0];
		pair->index = BURST_PAIRS;
		pair->ending = true;
		pair->state = BF_PAIR_DEAD;
		burst.p.pairs[BURST_PAIRS] = pair;
		burst.p.nb_pairs++;
		burst.p.head = burst.p.tail = heads[i];
		burst.p.attention = 1;
		bf_producer_service(&burst.p, 0);
		TEST_ASSERT(burst.p.pairs[BURST_PAIRS] == NULL, "at position %u", heads[i]);
	}
	TEST_EXPECT(burst.p.nb_pairs, BURST_PAIRS);
	return test_log_passed();
}

/* One fails in the middle: those before it have arrived, it and the rest have not. */
static int
test_send_failed(void)
{
	uint16_t third;
	uint32_t i;

	TEST_EXPECT(burst_credits(0, 8), 0);
	TEST_EXPECT(burst_credits(1, 8), 0);
	third = burst.to[0].sq.pi + 2 * burst.to[0].form.nb_blocks;
	TEST_EXPECT(burst_send(0, 0, 5, 0), 5);
	TEST_EXPECT(burst_send(1, 5, 2, 0), 2);
	bf_credits_close(&burst.rc[0].credits); /* or the connection would be told */
	burst_sent(0, BF_CQE_REQ_ERR, third, BF_SYND_RETRY);
	for (i = 3; i < 5; i++)
		burst_sent(0, BF_CQE_REQ_ERR, third + burst.to[0].form.nb_blocks,
			BF_SYND_FLUSHED);
	burst_sent(1, BF_CQE_REQ, burst_last(1), 0);
	TEST_EXPECT(burst.pfp.poll(&burst.p, cpls, BURST_QUEUE), 7);
	for (i = 0; i < 7; i++) {
		TEST_EXPECT(cpls[i].cookie, i);
		TEST_EXPECT(cpls[i].status, i < 2 || i >= 5 ? 0 : -ECONNRESET);
	}
	TEST_EXPECT(burst_fails, 0);
	return test_log_passed();
}

static int
producer_hostile(uint8_t opcode, uint32_t pair, uint16_t index)
{
	uint32_t fails = burst_fails, i;

	burst_close();
	TEST_CALL(burst_open(burst.imm_len));
	burst_fails = fails;
	TEST_EXPECT(burst_credits(0, 8), 0);
	TEST_EXPECT(burst_send(0, 0, 2, 0), 2);
	burst_sent(0, BF_CQE_REQ, burst_last(0), 0);
	TEST_EXPECT(burst_send(0, 2, 2, 0), 2);
	burst_sent(pair, opcode, index, 0);
	burst_sent(pair, opcode, index, 0);
	TEST_EXPECT(burst.pfp.poll(&burst.p, cpls, BURST_QUEUE), 2);
	for (i = 0; i < 3; i++)
		TEST_EXPECT(burst.pfp.poll(&burst.p, cpls, BURST_QUEUE), 0);
	TEST_TRUE(burst.p.broken);
	TEST_EXPECT(burst_fails, fails + 1);
	TEST_TRUE(test_log_has("the device says of producer 2 what cannot be"));
	return TEST_SUCCESS;
}

static int
test_send_hostile(void)
{
	const uint32_t blocks = burst.to[0].form.nb_blocks;

	/* a request that was not posted, that is over, that is none */
	TEST_CALL(producer_hostile(BF_CQE_REQ, 0, 4 * blocks));
	TEST_CALL(producer_hostile(BF_CQE_REQ, 0, 0));
	TEST_CALL(producer_hostile(BF_CQE_REQ, 0, 0xffff));
	TEST_CALL(producer_hostile(BF_CQE_REQ_ERR, 0, 4 * blocks));
	/* one that asked for none; also the first of all */
	TEST_CALL(producer_hostile(BF_CQE_REQ, 0, 2 * blocks));
	burst_close();
	TEST_CALL(burst_open(0));
	TEST_EXPECT(burst_credits(0, 8), 0);
	TEST_EXPECT(burst_send(0, 0, 2, 0), 2);
	burst_sent(0, BF_CQE_REQ, 0, 0);
	TEST_EXPECT(burst.pfp.poll(&burst.p, cpls, BURST_QUEUE), 0);
	TEST_TRUE(burst.p.broken && burst_fails == 1);
	/* of another pair, and of none */
	TEST_CALL(producer_hostile(BF_CQE_REQ, 1, 0));
	TEST_CALL(producer_hostile(BF_CQE_REQ, BURST_PAIRS, 2 * blocks));
	TEST_CALL(producer_hostile(BF_CQE_REQ, 0xffffff, 2 * blocks));
	/* of another kind */
	TEST_CALL(producer_hostile(BF_CQE_RESP_SEND_IMM, 0, 2 * blocks));
	TEST_CALL(producer_hostile(9, 0, 2 * blocks));
	return test_log_passed();
}

/*
 * Credits
 */

/* The only completion of the queue that credits come by, or are told by. */
static void
back_write(struct bf_pair *pair, uint8_t opcode, uint8_t syndrome, uint16_t index, uint32_t imm)
{
	struct bf_cqe *cqe = &burst.back[0][0];
	const struct bf_cq back = { .ring = cqe, .dbr = burst.back_dbr, .nb_cqes = 2 };

	memset(burst.back[0], 0xf1, sizeof(burst.back[0]));
	cqe->imm = rte_cpu_to_be_32(imm);
	cqe->wqe_counter = rte_cpu_to_be_16(index);
	cqe->syndrome = syndrome;
	cqe->op_own = opcode << 4;
	bf_compq_init(&pair->back, &back, &burst.pdev[0].uar);
}

/* What a consumer's side sends to a producer: no credits, more than it can have. */
static int
test_credits_odd(void)
{
	static const struct {
		uint8_t opcode;
		uint8_t syndrome;
		uint16_t index;
		uint32_t imm;
		bool ending;    /* by this side */
		bool gone;      /* the consumer */
		int lost;       /* the connection, with this */
		uint32_t fails; /* of the device */
	} rows[] = {
		{ BF_CQE_RESP_SEND_IMM, 0, 0, BURST_QUEUE },
		{ BF_CQE_RESP_SEND_IMM, 0, 0, BURST_QUEUE + 1, .lost = -EPROTO },
		{ BF_CQE_RESP_SEND_IMM, 0, 1, 1, .fails = 1 },
		{ BF_CQE_RESP_SEND, 0, 0, 1, .lost = -EPROTO },
		{ BF_CQE_RESP_ERR, BF_SYND_LOCAL_LEN, 0, 1, .lost = -EPROTO },
		{ BF_CQE_RESP_ERR, BF_SYND_REMOTE_INVAL, 0, 1, .lost = -EPROTO },
		{ BF_CQE_RESP_ERR, BF_SYND_FLUSHED, 0, 1, .lost = -ECONNRESET },
		{ BF_CQE_RESP_ERR, BF_SYND_FLUSHED, 0, 1, .ending = true },
		{ BF_CQE_RESP_ERR, BF_SYND_FLUSHED, 0, 1, .gone = true },
		{ BF_CQE_REQ_ERR, BF_SYND_FLUSHED, 0, 1, .lost = -EPROTO },
	};
	struct bf_pair *pair = &burst.to[0];
	uint32_t i;

	for (i = 0; i < RTE_DIM(rows); i++) {
		burst_close();
		TEST_CALL(burst_open(0));
		pair->rq = (struct bf_recvq){ .dbr = burst.back_dbr, .mask = 1, .pi = 1 };
		pair->ending = rows[i].ending;
		if (rows[i].gone)
			bf_credits_close(&burst.rc[0].credits);
		back_write(pair, rows[i].opcode, rows[i].syndrome, rows[i].index, rows[i].imm);
		bf_credits_look(pair);
		TEST_ASSERT(burst.cc.lost_reason == rows[i].lost, "row %u: %d", i,
			burst.cc.lost_reason);
		TEST_EXPECT(burst_fails, rows[i].fails);
		TEST_EXPECT(burst.p.broken, rows[i].fails);
		TEST_EXPECT(pair->read, i == 0);
	}
	return test_log_passed();
}

/* The end of a message of credits that the consumer's side has sent, or has not. */
static int
test_told_odd(void)
{
	static const struct {
		uint8_t opcode;
		uint8_t syndrome;
		int end;
		int lost;
	} rows[] = {
		{ BF_CQE_REQ, 0, 0, -ECONNRESET }, /* none was sent */
		{ BF_CQE_RESP_SEND_IMM, 0, 0, -ECONNRESET },
		{ BF_CQE_REQ_ERR, BF_SYND_REMOTE_OP, 0, -ECONNRESET },
		{ BF_CQE_RESP_ERR, BF_SYND_RETRY, 0, -ECONNRESET },
		/* the other side is about to say so, or was asked to end it */
		{ BF_CQE_REQ_ERR, BF_SYND_RETRY, 0, 0 },
		{ BF_CQE_REQ_ERR, BF_SYND_REMOTE_OP, 1, 0 },
	};
	uint32_t i;

	for (i = 0; i < RTE_DIM(rows); i++) {
		burst_close();
		TEST_CALL(burst_open(0));
		burst.from.state = BF_PAIR_READY;
		burst.from.entries = 4;
		burst.from.sq.one_block = true;
		burst.from.end = rows[i].end;
		back_write(&burst.from, rows[i].opcode, rows[i].syndrome, 0, 0);
		TEST_EXPECT(burst_post(0, 4), 4);
		bf_tell(&burst.c);
		TEST_ASSERT(burst.cc.lost_reason == rows[i].lost, "row %u: %d", i,
			burst.cc.lost_reason);
		TEST_EXPECT(burst.from.fault, -EIO);
		TEST_EXPECT(burst.from.nb_told, 0);
	}
	return test_log_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "bursts of BlueField functions on queues in plain memory",
	.unit_test_cases = {
		TEST_CASE_ST(burst_setup, burst_teardown, test_receive),
		TEST_CASE_NAMED(burst_setup_imm, burst_teardown, "test_receive_imm", test_receive),
		TEST_CASE_ST(burst_setup, burst_teardown, test_post_refused),
		TEST_CASE_ST(burst_setup, burst_teardown, test_receive_hostile),
		TEST_CASE_NAMED(burst_setup_imm, burst_teardown, "test_receive_hostile_imm",
			test_receive_hostile),
		TEST_CASE_ST(burst_setup, burst_teardown, test_receive_of_peer),
		TEST_CASE_NAMED(burst_setup_imm, burst_teardown, "test_receive_of_peer_imm",
			test_receive_of_peer),
		TEST_CASE_ST(burst_setup, burst_teardown, test_receive_flushed),
		TEST_CASE_NAMED(burst_setup_imm, burst_teardown, "test_receive_flushed_imm",
			test_receive_flushed),
		TEST_CASE_ST(burst_setup, burst_teardown, test_receive_read),
		TEST_CASE_NAMED(burst_setup_imm, burst_teardown, "test_receive_read_imm",
			test_receive_read),
		TEST_CASE_ST(burst_setup, burst_teardown, test_send_read),
		TEST_CASE_NAMED(burst_setup_imm, burst_teardown, "test_send_read_imm",
			test_send_read),
		TEST_CASE_ST(burst_setup, burst_teardown, test_send_order),
		TEST_CASE_NAMED(burst_setup_imm, burst_teardown, "test_send_order_imm",
			test_send_order),
		TEST_CASE_ST(burst_setup, burst_teardown, test_send_refused),
		TEST_CASE_ST(burst_setup, burst_teardown, test_send_odd),
		TEST_CASE_NAMED(burst_setup_imm, burst_teardown, "test_send_odd_imm",
			test_send_odd),
		TEST_CASE_ST(burst_setup, burst_teardown, test_old_pair),
		TEST_CASE_ST(burst_setup, burst_teardown, test_send_failed),
		TEST_CASE_NAMED(burst_setup_imm, burst_teardown, "test_send_failed_imm",
			test_send_failed),
		TEST_CASE_ST(burst_setup, burst_teardown, test_send_hostile),
		TEST_CASE_ST(burst_setup, burst_teardown, test_credits_odd),
		TEST_CASE_ST(burst_setup, burst_teardown, test_told_odd),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_burst_autotest, unit_test_suite_runner, &suite);
