/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * How messages and pairs end on queues in plain memory, see test_bluefield_burst.c: what is
 * given back and when, what is said of what was not sent, and what of the messages of credits
 * a producer looks at. And of which size messages are where the device has small ones only.
 */

#include "test_bluefield_burst_util.h"
#include "test_bluefield_model.h"
#include "test_comch_util.h"

static struct rte_comch_cpl cpls[BURST_QUEUE];

/*
 * Messages
 */

/*
 * Messages that have no completion are given back when they have arrived, up to one that has
 * one; and what stands behind the last one is none.
 */
static int
test_sent_quiet(void)
{
	struct bf_producer *p = &burst.p;
	uint16_t third;

	TEST_EXPECT(burst_credits(0, 8), 0);
	TEST_EXPECT(burst_credits(1, 8), 0);
	TEST_EXPECT(burst_send(0, 0, 3, RTE_COMCH_SEND_F_NO_CPL), 3);
	third = burst_last(0);
	TEST_EXPECT(burst_send(1, 3, 1, 0), 1);
	TEST_EXPECT(burst_send(0, 4, 2, RTE_COMCH_SEND_F_NO_CPL), 2);
	bf_sent_quiet(p);
	TEST_EXPECT(p->head, 0);
	TEST_TRUE(!bf_sent_pending(p));
	burst_sent(0, BF_CQE_REQ, third, 0);
	bf_sent_reap(p);
	bf_sent_quiet(p);
	TEST_EXPECT(p->head, 3);
	TEST_TRUE(!bf_sent_pending(p));
	burst_sent(0, BF_CQE_REQ, burst_last(0), 0);
	burst_sent(1, BF_CQE_REQ, burst_last(1), 0);
	bf_sent_reap(p);
	bf_sent_quiet(p);
	TEST_EXPECT(p->head, 3);
	TEST_TRUE(bf_sent_pending(p));
	TEST_EXPECT(burst.pfp.poll(p, cpls, BURST_QUEUE), 1);
	TEST_EXPECT(cpls[0].cookie, 3);
	TEST_EXPECT(p->head, p->tail);
	/* as a message of a lap ago, which would be over */
	burst.to[0].fault = -ECONNRESET;
	p->sent[p->tail & p->mask].about = (uint64_t)BF_SENT_QUIET << 48;
	bf_sent_quiet(p);
	TEST_EXPECT(p->head, p->tail);
	TEST_TRUE(!bf_sent_pending(p));
	return test_log_passed();
}

/* One whose pair is taken away: its memory is the device's until the queue pair is gone. */
static int
test_pair_ends(void)
{
	static const struct {
		bool ending;
		enum bf_pair_state state;
		bool arrived;
		bool stopping;
		uint32_t nb;
		int status;
	} rows[] = {
		{ false, BF_PAIR_READY, .nb = 0 },
		{ true, BF_PAIR_READY, .nb = 0 },
		{ true, BF_PAIR_DEAD, .nb = 1, .status = -ECONNRESET },
		{ true, BF_PAIR_DEAD, .stopping = true, .nb = 1, .status = -ECANCELED },
		{ true, BF_PAIR_DEAD, .arrived = true, .nb = 1 },
	};
	uint32_t i;

	for (i = 0; i < RTE_DIM(rows); i++) {
		burst_close();
		TEST_CALL(burst_open(0));
		TEST_EXPECT(burst_credits(0, 1), 0);
		TEST_EXPECT(burst_send(0, i, 1, 0), 1);
		burst.to[0].ending = rows[i].ending;
		burst.to[0].state = rows[i].state;
		burst.p.stopping = rows[i].stopping;
		burst.p.status = -ECANCELED;
		if (rows[i].arrived)
			burst_sent(0, BF_CQE_REQ, burst_last(0), 0);
		TEST_ASSERT(burst.pfp.poll(&burst.p, cpls, BURST_QUEUE) == rows[i].nb, "row %u", i);
		if (rows[i].nb == 0)
			continue;
		TEST_EXPECT(cpls[0].cookie, i);
		TEST_ASSERT(cpls[0].status == rows[i].status, "row %u: %d", i, cpls[0].status);
	}
	return test_log_passed();
}

/* Completions of sends other than those of what has arrived. */
enum { LAST = 1, AGAIN, OTHER };
static const struct odd_sent {
	uint8_t opcode;
	uint32_t user;
	int which;      /* request */
	bool ending;
	bool gone;      /* the consumer */
	bool stopping;
	int lost;       /* the connection, with this */
	uint32_t fails; /* of the device */
	int status;     /* of the message; 0: it is not told of */
} odd_sents[] = {
	{ BF_CQE_REQ_ERR, 0, LAST, .lost = -ECONNRESET, .status = -ECONNRESET },
	{ BF_CQE_REQ_ERR, 0, LAST, .gone = true, .status = -ECONNRESET },
	{ BF_CQE_REQ_ERR, 0, LAST, .gone = true, .stopping = true, .status = -ECANCELED },
	/* of one that goes nothing is news */
	{ BF_CQE_REQ_ERR, 0, LAST, .ending = true },
	{ BF_CQE_REQ_ERR, 0, OTHER, .ending = true },
	{ BF_CQE_REQ, 0, OTHER, .ending = true },
	/* of a queue pair that is none, and of what has completed before */
	{ BF_CQE_REQ_ERR, BURST_PAIRS, LAST, .fails = 1 },
	{ BF_CQE_REQ_ERR, 0xffffff, LAST, .fails = 1 },
	{ BF_CQE_REQ, 0, AGAIN, .fails = 1 },
	{ BF_CQE_REQ_ERR, 0, AGAIN, .fails = 1 },
};

static int
sent_odd(const struct odd_sent *odd)
{
	uint16_t before, index;
	uint32_t i;

	TEST_EXPECT(burst_credits(0, 3), 0);
	TEST_EXPECT(burst_send(0, 8, 2, 0), 2);
	before = burst_last(0);
	burst_sent(0, BF_CQE_REQ, before, 0);
	TEST_EXPECT(burst.pfp.poll(&burst.p, cpls, BURST_QUEUE), 2);
	TEST_EXPECT(burst_send(0, 10, 1, 0), 1);
	/* behind it, of a lap ago, and of a pair that is gone */
	for (i = 3; i <= burst.p.mask; i++)
		burst.p.sent[i].about = (uint64_t)BURST_PAIRS << 32;
	burst.to[0].ending = odd->ending;
	burst.p.stopping = odd->stopping;
	burst.p.status = -ECANCELED;
	if (odd->gone)
		bf_credits_close(&burst.rc[0].credits);
	index = odd->which == AGAIN ? before : burst_last(0) + (odd->which == OTHER);
	burst_sent(odd->user, odd->opcode, index, BF_SYND_RETRY);
	TEST_EXPECT(burst.pfp.poll(&burst.p, cpls, BURST_QUEUE), odd->status != 0);
	TEST_EXPECT(burst_fails, odd->fails);
	TEST_EXPECT(burst.p.broken, odd->fails != 0);
	TEST_EXPECT(burst.cc.lost_reason, odd->lost);
	if (odd->status != 0) {
		TEST_EXPECT(cpls[0].cookie, 10);
		TEST_EXPECT(cpls[0].status, odd->status);
	}
	return TEST_SUCCESS;
}

static int
test_sent_odd(void)
{
	uint32_t i;

	for (i = 0; i < RTE_DIM(odd_sents); i++) {
		burst_close();
		TEST_CALL(burst_open(0));
		TEST_ASSERT(sent_odd(&odd_sents[i]) == TEST_SUCCESS, "row %u", i);
	}
	return test_log_passed();
}

/*
 * One fails behind others of its pair, where those of another pair have been given back since
 * the first: what stands in their places by now was sent later.
 */
static int
test_failed_later(void)
{
	uint16_t first, next;

	burst.rc[0].credits.size = 2 * BURST_QUEUE + 2;
	TEST_EXPECT(burst_credits(0, 2 * BURST_QUEUE + 2), 0);
	TEST_EXPECT(burst_credits(1, 20), 0);
	TEST_EXPECT(burst_send(0, 0, 1, 0), 1);
	first = burst_last(0);
	TEST_EXPECT(burst_send(1, 1, 20, 0), 20);
	TEST_EXPECT(burst_send(0, 21, 1, 0), 1);
	next = burst_last(0);
	burst_sent(0, BF_CQE_REQ, first, 0);
	burst_sent(1, BF_CQE_REQ, burst_last(1), 0);
	TEST_EXPECT(burst.pfp.poll(&burst.p, cpls, BURST_QUEUE), 21);
	/* all places are taken */
	TEST_EXPECT(burst_send(0, 22, BURST_QUEUE, RTE_COMCH_SEND_F_NO_CPL), BURST_QUEUE);
	TEST_EXPECT(burst_send(0, 86, BURST_QUEUE, RTE_COMCH_SEND_F_NO_CPL), BURST_QUEUE - 1);
	bf_credits_close(&burst.rc[0].credits);
	burst_sent(0, BF_CQE_REQ_ERR, next + 4, BF_SYND_RETRY);
	TEST_EXPECT(burst.pfp.poll(&burst.p, cpls, BURST_QUEUE), 1);
	TEST_EXPECT(cpls[0].cookie, 21);
	TEST_EXPECT(cpls[0].status, 0);
	TEST_EXPECT(burst.p.head, burst.p.tail);
	return test_log_passed();
}

/* Those that have arrived and were not polled keep their places; their requests are free. */
static int
test_unpolled(void)
{
	TEST_EXPECT(burst_credits(0, BURST_QUEUE), 0);
	TEST_EXPECT(burst_send(0, 0, BURST_QUEUE, 0), BURST_QUEUE);
	burst_sent(0, BF_CQE_REQ, burst_last(0), 0);
	TEST_EXPECT(burst_credits(0, BURST_QUEUE), 0);
	TEST_EXPECT(burst_send(0, 0, BURST_QUEUE, 0), 0);
	TEST_EXPECT(burst.p.reason, -ENOBUFS);
	TEST_EXPECT(burst.pfp.poll(&burst.p, cpls, 5), 5);
	TEST_EXPECT(burst_send(0, 0, BURST_QUEUE, 0), 5);
	TEST_EXPECT(burst.p.nb_wanted, BURST_QUEUE);
	return test_log_passed();
}

/* Why a message was not sent: what is said, which number grows, and who looks again. */
static int
test_reasons(void)
{
	static const struct {
		uint32_t key;
		enum bf_pair_state state;
		uint32_t credits;
		uint32_t full;  /* so many were sent */
		bool too_long;
		bool ended;
		int reason;
		uint32_t attention;
	} rows[] = {
		{ BURST_CONSUMER, BF_PAIR_READY, .reason = -EAGAIN },
		{ 0, BF_PAIR_OPENING, .reason = -EAGAIN },
		/* a pair that cannot be made is tried again, also if the producer sleeps */
		{ 0, BF_PAIR_FAILED, .reason = -EAGAIN, .attention = 1 },
		{ 0, BF_PAIR_OPENING, .too_long = true, .reason = -EMSGSIZE },
		{ BURST_CONSUMER, BF_PAIR_READY, .ended = true, .reason = -ENOTCONN },
		{ BURST_CONSUMER, BF_PAIR_READY, 99, BURST_QUEUE, .reason = -ENOBUFS },
		{ BURST_CONSUMER, BF_PAIR_READY, 99, BURST_QUEUE, .too_long = true,
			.reason = -ENOBUFS },
	};
	const struct rte_comch_queue_stats *stats = &burst.pq.stats;
	struct rte_comch_send msg = { .addr = burst.bytes, .mem = &burst.mem };
	uint32_t i;

	for (i = 0; i < RTE_DIM(rows); i++) {
		burst_close();
		TEST_CALL(burst_open(0));
		burst.rc[0].credits.size = 99;
		TEST_EXPECT(burst_credits(0, rows[i].credits), 0);
		TEST_EXPECT(burst_send(0, 0, rows[i].full, 0), rows[i].full);
		burst.to[0].key = rows[i].key;
		burst.to[0].state = rows[i].state;
		burst.fast.ended = rows[i].ended;
		msg.len = BURST_BUF + rows[i].too_long;
		TEST_EXPECT(burst.pfp.send(&burst.p, BURST_CONSUMER, &msg, 1), 0);
		TEST_ASSERT(burst.p.reason == rows[i].reason, "row %u: %d", i, burst.p.reason);
		TEST_EXPECT(stats->short_credits, rows[i].reason == -EAGAIN);
		TEST_EXPECT(stats->short_queue, rows[i].reason == -ENOBUFS);
		TEST_EXPECT(stats->errors,
			rows[i].reason != -EAGAIN && rows[i].reason != -ENOBUFS);
		TEST_EXPECT(burst.to[0].starved, rows[i].reason == -EAGAIN);
		TEST_ASSERT(burst.p.attention == rows[i].attention, "row %u", i);
	}
	return test_log_passed();
}

/* All of a burst are without immediate data: the consumer has as many bytes of it before. */
static int
test_without_imm(void)
{
	struct rte_comch_send msgs[4] = { 0 };
	struct wq_req req;
	uint32_t i, k;

	TEST_EXPECT(burst_credits(0, BURST_QUEUE), 0);
	for (i = 0; i < 3; i++) {
		/* with data, without, and of both kinds */
		for (k = 0; k < RTE_DIM(msgs); k++) {
			msgs[k].addr = burst.bytes;
			msgs[k].len = i == 0 || (i == 2 && k == 3) ? 5 : 0;
			msgs[k].mem = msgs[k].len != 0 ? &burst.mem : NULL;
		}
		TEST_EXPECT(burst.pfp.send(&burst.p, BURST_CONSUMER, msgs, 4), 4);
		for (k = 0; k < RTE_DIM(msgs); k++) {
			TEST_CALL(wq_dev_send(&burst.pdev[0], false, &req));
			TEST_EXPECT(req.inl_len, burst.imm_len);
			TEST_EXPECT(req.imm, 0);
			TEST_EXPECT(req.nb_sges, msgs[k].len != 0);
		}
	}
	TEST_EXPECT(burst.pq.stats.bytes, 4 * 5 + 5);
	/* one whose data is nowhere, behind some that have none */
	msgs[3].mem = NULL;
	TEST_EXPECT(burst.pfp.send(&burst.p, BURST_CONSUMER, msgs, 4), 3);
	TEST_EXPECT(burst.p.reason, -EFAULT);
	for (k = 0; k < 3; k++)
		TEST_CALL(wq_dev_send(&burst.pdev[0], false, &req));
	TEST_EXPECT(wq_dev_sends(&burst.pdev[0]), 0);
	TEST_CALL(wq_dev_passed(&burst.pdev[0]));
	return test_log_passed();
}

/*
 * Pairs
 */

/* One that is gone, and has its own memory. */
static struct bf_pair *
dead_pair(uint32_t index)
{
	struct bf_pair *pair = aligned_alloc(64, RTE_ALIGN_CEIL(sizeof(*pair), (size_t)64));

	if (pair == NULL)
		return NULL;
	memset(pair, 0, sizeof(*pair));
	pair->fast = &burst.fast;
	pair->index = index;
	pair->ending = true;
	pair->state = BF_PAIR_DEAD;
	return pair;
}

/* The place of a pair of a consumer is no other's while a completion names it. */
static int
test_place_consumer(void)
{
	struct bf_pair *pair = dead_pair(BURST_USER);
	struct bf_consumer *c = &burst.c;
	struct wq_req req;

	TEST_TRUE(pair != NULL);
	pair->consumer = c;
	c->pairs[BURST_USER] = pair;
	TEST_EXPECT(burst_post(0, 2), 2);
	TEST_CALL(wq_dev_take(&burst.cdev, &req));
	burst_arrive(req.index, 1, 0);
	c->attention = 1;
	bf_consumer_service(c);
	TEST_TRUE(c->pairs[BURST_USER] == pair);
	TEST_EXPECT(c->attention, 1);
	TEST_EXPECT(burst.cfp.poll(c, cpls, 1), 1);
	TEST_EXPECT(cpls[0].producer_id, BURST_PRODUCER);
	bf_consumer_service(c);
	TEST_TRUE(c->pairs[BURST_USER] == NULL);
	TEST_EXPECT(c->from[BURST_USER].id, 0);
	TEST_EXPECT(c->attention, 0);
	return test_log_passed();
}

/* That of a producer while a message of it waits to be polled. */
static int
test_place_producer(void)
{
	struct bf_pair *pair = dead_pair(BURST_PAIRS);
	struct bf_producer *p = &burst.p;

	TEST_TRUE(pair != NULL);
	TEST_EXPECT(burst_credits(0, 1), 0);
	TEST_EXPECT(burst_send(0, 0, 1, 0), 1);
	p->sent[0].about = (uint64_t)BURST_PAIRS << 32;
	pair->producer = p;
	pair->rc = &burst.rc[0];
	pair->last = p->tail;
	p->pairs[BURST_PAIRS] = pair;
	p->nb_pairs++;
	p->attention = 1;
	bf_producer_service(p, 0);
	TEST_TRUE(p->pairs[BURST_PAIRS] == pair);
	TEST_EXPECT(burst.pfp.poll(p, cpls, BURST_QUEUE), 1);
	TEST_EXPECT(cpls[0].status, -ECONNRESET);
	bf_producer_service(p, 0);
	TEST_TRUE(p->pairs[BURST_PAIRS] == NULL);
	TEST_EXPECT(p->nb_pairs, BURST_PAIRS);
	return test_log_passed();
}

/* One that is about to go is sent nothing any more. */
static int
test_ending(void)
{
	TEST_EXPECT(burst_credits(0, 1), 0);
	burst.to[0].ending = true;
	burst.to[0].key = 0;
	burst.p.attention = 1;
	bf_producer_service(&burst.p, 0);
	TEST_EXPECT(burst.to[0].key, 0);
	TEST_EXPECT(burst_send(0, 0, 1, 0), 0);
	TEST_EXPECT(burst.p.reason, -EAGAIN);
	return test_log_passed();
}

/* A consumer that stops waits longer when the peer is told of it; of others it is not told. */
static int
test_told_of_end(void)
{
	static const struct {
		uint32_t id;
		uint64_t leave_by; /* 0: it does not stop */
		uint64_t deadline;
	} rows[] = { { 1, 0, 10 }, { 1 + BF_MAX_CONSUMERS, 40, 10 }, { 2, 40, 10 }, { 1, 40, 40 } };
	struct bf_wire_consumer_gone gone;
	uint32_t i;

	burst.cc.pub.fast = &burst.fast;
	burst.fast.consumers[1] = &burst.c;
	burst.c.deadline = 10;
	for (i = 0; i < RTE_DIM(rows); i++) {
		gone.consumer = rows[i].id;
		burst.c.leave_by = rows[i].leave_by;
		bf_fast_part.ctl_sent(&burst.cc.pub, BF_WIRE_CONSUMER_GONE, &gone);
		TEST_ASSERT(burst.c.deadline == rows[i].deadline, "row %u", i);
		TEST_EXPECT(burst.fast.nb_gone, i + 1);
	}
	return test_log_passed();
}

/*
 * Credits
 */

/* A producer that has stopped is none of those that have shares. */
static int
test_credits_alone(void)
{
	TEST_EXPECT(burst_credits(0, 5), 0);
	burst.fast.nb_producers = 0;
	TEST_EXPECT(burst.pfp.credits(&burst.p, BURST_CONSUMER), 5);
	TEST_EXPECT(burst.rc[0].credits.reserved, 0);
	return test_log_passed();
}

static struct wq_dev told_dev;

/* Messages of credits may come to a pair. */
static int
told_open(struct bf_pair *pair)
{
	uint32_t i;

	wq_dev_init(&told_dev, 0, BF_PAIR_CREDITS, BF_WQE_SEG, BF_PAIR_CREDITS);
	TEST_EXPECT(bf_compq_init(&pair->back, &told_dev.cq, &told_dev.uar), 0);
	TEST_EXPECT(bf_recvq_init(&pair->rq, &told_dev.qp), 0);
	for (i = 0; i < BF_PAIR_CREDITS; i++)
		TEST_EXPECT(bf_recvq_post(&pair->rq, NULL, 0), i);
	bf_pair_mind_set(pair);
	return TEST_SUCCESS;
}

static void
told_come(uint32_t posts)
{
	const rte_be32_t imm = rte_cpu_to_be_32(posts);
	uint8_t *cqe = wq_dev_cqe(&told_dev);

	memcpy(cqe + 36, &imm, sizeof(imm));
	wq_dev_finish(&told_dev, cqe, BF_CQE_RESP_SEND_IMM, told_dev.cq_pi, 0);
}

/* A burst looks when more than a few wait, on each lap of their ring. */
static int
test_minds(void)
{
	struct bf_pair *pair = &burst.to[0];
	uint32_t i;

	TEST_CALL(told_open(pair));
	for (i = 1; i <= 5 * BF_PAIR_CREDITS; i++) {
		told_come(0);
		TEST_ASSERT(bf_pair_minds(pair) == (i % (BF_PAIR_UNREAD + 1) == 0), "%u", i);
		if (i % (BF_PAIR_UNREAD + 1) != 0)
			continue;
		bf_credits_look(pair);
		TEST_EXPECT(pair->read, i);
		/* which the consumer knows, by an answer */
		pair->read_told = pair->read;
		bf_pair_mind_set(pair);
	}
	TEST_CALL(wq_dev_passed(&told_dev));
	return test_log_passed();
}

/*
 * From a pair that has failed nothing is taken any more. And what comes when the consumer was
 * asked is its answer: it knows what was read before.
 */
static int
test_told(void)
{
	struct bf_pair *pair = &burst.to[0];

	TEST_CALL(told_open(pair));
	told_come(5);
	pair->fault = -ECONNRESET;
	bf_credits_look(pair);
	TEST_EXPECT(pair->read, 0);
	TEST_EXPECT(bf_credits_now(&burst.rc[0].credits), 0);
	pair->fault = 0;
	pair->read = BF_PAIR_CREDITS;
	pair->asked = true;
	bf_credits_look(pair);
	TEST_TRUE(!pair->asked);
	TEST_EXPECT(pair->read, BF_PAIR_CREDITS + 1);
	TEST_EXPECT(pair->read_told, BF_PAIR_CREDITS);
	TEST_EXPECT(bf_credits_now(&burst.rc[0].credits), 5);
	return test_log_passed();
}

/* A producer that waits for credits, which others may be told of, looks again by itself. */
static int
test_starved(void)
{
	static const struct {
		bool starved;
		uint32_t credits; /* that another was told of */
		bool again;
	} rows[] = { { true, 0, true }, { true, 5, false }, { false, 0, false } };
	struct bf_cqe *cqe = &burst.back[1][0];
	struct bf_pair *pair = &burst.to[0];
	struct bf_rc *rc = &burst.rc[0];
	uint32_t i;

	for (i = 0; i < RTE_DIM(rows); i++) {
		burst_close();
		TEST_CALL(burst_open(0));
		TAILQ_INIT(&rc->pairs);
		TAILQ_INSERT_TAIL(&rc->pairs, &burst.to[1], next);
		cqe->imm = rte_cpu_to_be_32(rows[i].credits);
		cqe->op_own = BF_CQE_RESP_SEND_IMM << 4;
		burst.fg.retry = UINT64_MAX;
		pair->read = BF_PAIR_CREDITS;
		pair->asked = true;
		pair->starved = rows[i].starved;
		bf_credits_look(pair);
		TEST_EXPECT(bf_credits_now(&rc->credits), rows[i].credits);
		TEST_ASSERT((burst.fg.retry != UINT64_MAX) == rows[i].again, "row %u", i);
	}
	return test_log_passed();
}

/* Of a consumer whose posts are packets nothing is given back as a completion. */
static int
test_flush_packets(void)
{
	TEST_EXPECT(burst_post(7, 1), 1);
	burst.c.flush = -ECANCELED;
	burst.c.mbufs = true;
	TEST_EXPECT(burst.cfp.poll(&burst.c, cpls, 1), 0);
	TEST_TRUE(bf_consumer_pending(&burst.c));
	burst.c.mbufs = false;
	TEST_EXPECT(burst.cfp.poll(&burst.c, cpls, 1), 1);
	TEST_EXPECT(cpls[0].cookie, 7);
	return test_log_passed();
}

/*
 * A device that has small messages only
 */

static uint64_t max_msg;

static void
small_caps(struct bf_obj_dev *dev __rte_unused, struct bf_obj_caps *caps)
{
	*caps = (struct bf_obj_caps){ .max_msg = max_msg };
}

/* Immediate data is in front of a buffer, and a message is no shorter than that. */
static int
test_small_messages(void)
{
	const struct bf_obj_ops ops = { .caps = small_caps };
	struct bf_obj_dev objs = { .ops = &ops };
	struct rte_comch_dev_info info;

	burst.bf.objs = &objs;
	for (max_msg = 1; max_msg <= 1 << 20; max_msg *= 2) {
		bf_fast_part.info_get(&burst.bf, &info);
		TEST_EXPECT(info.max_buf_size,
			max_msg > BF_MAX_IMM ? max_msg - BF_MAX_IMM : 0);
	}
	burst.bf.objs = NULL;
	return test_log_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "how messages and pairs end on queues in plain memory",
	.unit_test_cases = {
		TEST_CASE_ST(burst_setup, burst_teardown, test_sent_quiet),
		TEST_CASE_NAMED(burst_setup_imm, burst_teardown, "test_sent_quiet_imm",
			test_sent_quiet),
		TEST_CASE_ST(burst_setup, burst_teardown, test_pair_ends),
		TEST_CASE_ST(burst_setup, burst_teardown, test_sent_odd),
		TEST_CASE_ST(burst_setup, burst_teardown, test_failed_later),
		TEST_CASE_NAMED(burst_setup_imm, burst_teardown, "test_unpolled_imm",
			test_unpolled),
		TEST_CASE_ST(burst_setup, burst_teardown, test_reasons),
		TEST_CASE_NAMED(burst_setup_imm, burst_teardown, "test_without_imm",
			test_without_imm),
		TEST_CASE_ST(burst_setup, burst_teardown, test_place_consumer),
		TEST_CASE_ST(burst_setup, burst_teardown, test_place_producer),
		TEST_CASE_ST(burst_setup, burst_teardown, test_ending),
		TEST_CASE_ST(burst_setup, burst_teardown, test_told_of_end),
		TEST_CASE_ST(burst_setup, burst_teardown, test_flush_packets),
		TEST_CASE_ST(burst_setup, burst_teardown, test_credits_alone),
		TEST_CASE_ST(burst_setup, burst_teardown, test_minds),
		TEST_CASE_ST(burst_setup, burst_teardown, test_told),
		TEST_CASE_ST(burst_setup, burst_teardown, test_starved),
		TEST_CASE_ST(burst_setup, burst_teardown, test_small_messages),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_burst_ends_autotest, unit_test_suite_runner, &suite);
