/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A producer of the bluefield driver, and a consumer of a peer that the test plays: how the
 * pair of both comes and goes, and messages of credits that lie.
 */

#include "test_bluefield_peer_fast.h"

#define CONSUMER 1

/* The peer's queue pair of a pair: it has no entries to receive with. */
struct hostile_pair {
	struct bf_cq cq;
	struct bf_qp qp;
	struct bf_wire_pair_open open;
};

static struct hostile_pair theirs;

static void
pair_drop(void)
{
	if (theirs.qp.obj.id != 0)
		bf_qp_destroy(&theirs.qp);
	if (theirs.cq.obj.id != 0)
		bf_cq_destroy(&theirs.cq);
	memset(&theirs, 0, sizeof(theirs));
}

static void
pair_teardown(void)
{
	pair_drop();
	card_teardown();
}

static int
pair_make(void)
{
	const struct bf_cq_attr cq = { .nb_cqes = 64, .uar = &hostile.uar };
	const struct bf_qp_attr qp = {
		.pd = &hostile.pd, .uar = &hostile.uar, .cq_send = &theirs.cq,
		.cq_recv = &theirs.cq, .nb_sq_blocks = 64, .nb_rq_wqes = 64,
		.rq_wqe_size = BF_WQE_SEG,
	};
	struct bf_qp_path path = { .min_rnr_nak = 12 };

	TEST_EXPECT(bf_cq_create(hostile.objs, &cq, &theirs.cq), 0);
	TEST_EXPECT(bf_qp_create(hostile.objs, &qp, &theirs.qp), 0);
	TEST_EXPECT(bf_qp_to_init(&theirs.qp), 0);
	bf_cm_path(hostile.id, &hostile.own, &path);
	path.remote_qpn = theirs.open.qpn;
	path.remote_psn = theirs.open.psn;
	path.local_psn = 0;
	TEST_EXPECT(bf_qp_to_rtr(&theirs.qp, &path), 0);
	TEST_EXPECT(bf_qp_to_rts(&theirs.qp, &path), 0);
	return TEST_SUCCESS;
}

/* The server's producer has a consumer of the peer. */
static int
producer_new(struct test_ep **producer)
{
	const struct bf_wire_consumer_new new = {
		.consumer = CONSUMER, .imm_len = 8, .posts = 64,
	};
	const struct rte_comch_producer_conf conf = { .nb_sends = 64 };
	struct rte_comch_pe *pe = test_pe_new();

	TEST_CALL(card_consumer_up());
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_CONSUMER_NEW, &new));
	PEER_WAIT(&hostile, card_server->nb_new == 1, TEST_MS);
	*producer = test_ep_new();
	TEST_EXPECT(rte_comch_producer_create(card_server->conn, &conf, &(*producer)->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_attach((*producer)->ctx, pe), 0);
	TEST_TRUE(rte_comch_ctx_start((*producer)->ctx) <= 0);
	PEER_WAIT(&hostile, test_state(*producer) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	return TEST_SUCCESS;
}

/* It has a pair, over which the consumer says that it has posts. */
static int
producer_up(struct test_ep **producer, uint32_t credits)
{
	struct bf_wire_pair_ready ready = { .credits = credits };

	TEST_CALL(producer_new(producer));
	(void)rte_comch_producer_credits((*producer)->ctx, CONSUMER);
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_OPEN) == 1, TEST_MS);
	memcpy(&theirs.open, hostile.last_of[BF_WIRE_PAIR_OPEN].data, sizeof(theirs.open));
	TEST_CALL(pair_make());
	ready.pair = theirs.open.pair;
	ready.qpn = theirs.qp.obj.id;
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_PAIR_READY, &ready));
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_GO) == 1, TEST_MS);
	return TEST_SUCCESS;
}

/*
 * It takes nothing, and goes: what was sent to it comes back in the end, also if it is looked
 * at when the pair is gone.
 */
static int
gone_takes_nothing(int late)
{
	const struct bf_wire_consumer_gone gone = { .consumer = CONSUMER };
	const struct rte_comch_send msg = { .imm = "12345678", .imm_len = 8, .cookie = 5 };
	struct test_ep *producer;
	struct rte_comch_cpl cpl;

	TEST_CALL(producer_up(&producer, 4));
	PEER_WAIT(&hostile, rte_comch_producer_send_burst(producer->ctx, CONSUMER, &msg, 1) == 1,
			TEST_MS);
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_CONSUMER_GONE, &gone));
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_CONSUMER_ANSWER) == 1, TEST_MS);
	TEST_EXPECT(rte_comch_queue_poll_burst(producer->ctx, &cpl, 1), 0);
	if (late) {
		PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_CLOSE) == 1,
				BF_GONE_MS + TEST_MS);
		test_progress_ms(50);
	}
	PEER_WAIT(&hostile, rte_comch_queue_poll_burst(producer->ctx, &cpl, 1) == 1,
			BF_GONE_MS + TEST_MS);
	TEST_EXPECT(cpl.cookie, 5);
	TEST_EXPECT(cpl.status, -ECONNRESET);
	TEST_EXPECT(card_server->nb_disconnects, 0);
	TEST_CALL(test_ep_close(producer));
	TEST_EXPECT(test_dev_status(card_dev), 0);
	return test_log_passed();
}

/* More of its messages have come than it has sent. */
static int
test_closed_lies(void)
{
	struct bf_wire_pair closed = { 0 };
	struct test_ep *producer;

	TEST_CALL(producer_up(&producer, 4));
	TEST_CALL(test_ep_close(producer));
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_CLOSE) == 1, TEST_MS);
	memcpy(&closed, hostile.last_of[BF_WIRE_PAIR_CLOSE].data, sizeof(closed));
	TEST_EXPECT(closed.msgs, 0);
	closed.msgs = 1;
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_PAIR_CLOSED, &closed));
	TEST_CALL(card_violated("a pair that is not so"));
	TEST_CALL(card_serves());
	return test_log_passed();
}

/* The peer's pair has the identifier of one of ours: the end of one is none of the other's. */
static int
test_same_id(void)
{
	struct bf_wire_pair close = { 0 };
	struct bf_fast_dev *fd;
	const struct bf_pair *pair;
	struct test_ep *producer;
	struct bf_fast *fast;

	TEST_CALL(producer_up(&producer, 4));
	fast = bf_chan_of(card_server->conn)->fast;
	fd = ((const struct bf_conn *)card_server->conn->priv)->dev->part[BF_PART_FAST];
	close.pair = theirs.open.pair;
	pair = fast->pairs[close.pair];
	TEST_CALL(pair_ask(close.pair));
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_READY) == 1, TEST_MS);
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_PAIR_CLOSE, &close));
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_CLOSED) == 1, TEST_MS);
	TEST_TRUE(fast->pairs[close.pair] == pair);
	TEST_CALL(test_ep_close(producer));
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_CLOSE) == 1, TEST_MS);
	/* no other producer looks for news in a queue that is gone */
	TEST_TRUE(TAILQ_EMPTY(&fast->rcs[CONSUMER % BF_MAX_CONSUMERS]->pairs));
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_PAIR_CLOSED,
		hostile.last_of[BF_WIRE_PAIR_CLOSE].data));
	PEER_WAIT(&hostile, fast->pairs[close.pair] == NULL, TEST_MS);
	TEST_EXPECT(fd->shares[1].pairs, 0);
	TEST_EXPECT(peer_count(&hostile, BF_WIRE_PAIR_CLOSED), 1);
	TEST_EXPECT(card_server->nb_disconnects, 0);
	return test_log_passed();
}

/* A pair is ready twice, or before the peer was asked for it. */
static int
pair_ready_lies(int early)
{
	struct bf_wire_pair_ready ready = { .qpn = 0x123, .credits = 1 };
	struct test_ep *producer;

	if (early) {
		TEST_CALL(producer_new(&producer));
		TEST_EXPECT(test_model_ctl(&model,
			"fault " CARD " cmd opcode=CREATE_QP count=1 delay=1000"), 0);
		(void)rte_comch_producer_credits(producer->ctx, CONSUMER);
	} else {
		TEST_CALL(producer_up(&producer, 4));
		ready.pair = theirs.open.pair;
	}
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_PAIR_READY, &ready));
	TEST_CALL(card_violated("a pair that is not so"));
	TEST_EXPECT(peer_count(&hostile, BF_WIRE_PAIR_OPEN), !early);
	TEST_CALL(test_ep_close(producer));
	TEST_EXPECT(test_model_ctl(&model, "fault " CARD " clear"), 0);
	TEST_CALL(card_serves());
	return test_log_passed();
}

/* It is ready when this side has done with it: nothing is connected that is about to go. */
static int
test_ready_late(void)
{
	struct bf_wire_pair_ready ready = { .qpn = 0x123, .credits = 1 };
	struct bf_wire_pair_open open;
	const struct bf_pair *pair;
	struct test_ep *producer;
	struct bf_fast *fast;
	bool taken;

	TEST_CALL(producer_new(&producer));
	(void)rte_comch_producer_credits(producer->ctx, CONSUMER);
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_OPEN) == 1, TEST_MS);
	memcpy(&open, hostile.last_of[BF_WIRE_PAIR_OPEN].data, sizeof(open));
	ready.pair = open.pair;
	/* the worker is busy with what the peer has asked for: the end of the pair waits */
	TEST_EXPECT(test_model_ctl(&model,
		"fault " CARD " cmd opcode=CREATE_QP count=1 delay=1000"), 0);
	TEST_CALL(pair_ask(0));
	test_progress_ms(100);
	TEST_EXPECT(rte_comch_ctx_stop(producer->ctx), -EINPROGRESS);
	test_progress_ms(10);
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_PAIR_READY, &ready));
	TEST_CALL(peer_send(&hostile, BF_WIRE_DATA, "x", 1));
	PEER_WAIT(&hostile, card_server->nb_recv == 1, TEST_MS);
	/* it is there as long as the worker is busy, or a tombstone */
	fast = bf_chan_of(card_server->conn)->fast;
	bf_lock(&fast->lock);
	pair = fast->pairs[open.pair];
	taken = ((uintptr_t)pair & 1) == 0 && pair->answered;
	bf_unlock(&fast->lock);
	TEST_TRUE(!taken);
	PEER_WAIT(&hostile, test_state(producer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(peer_count(&hostile, BF_WIRE_PAIR_GO), 0);
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_CLOSE) == 1, TEST_MS);
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_PAIR_CLOSED,
		hostile.last_of[BF_WIRE_PAIR_CLOSE].data));
	TEST_CALL(test_ep_close(producer));
	TEST_EXPECT(test_model_ctl(&model, "fault " CARD " clear"), 0);
	TEST_EXPECT(card_server->nb_disconnects, 0);
	return test_log_passed();
}

/* The peer is asked for a pair, for at least the nb-th time; the one of the last time. */
static int
pair_asked_id(unsigned int nb, uint32_t *id)
{
	struct bf_wire_pair_open open;

	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_OPEN) >= nb, TEST_MS);
	memcpy(&open, hostile.last_of[BF_WIRE_PAIR_OPEN].data, sizeof(open));
	*id = open.pair;
	return TEST_SUCCESS;
}

/*
 * A pair that cannot be made is asked for again: firmware refuses some, whose identifiers are
 * free again; then the peer does, for a while, and is not asked in a flood.
 */
static int
test_pair_again(void)
{
	const struct rte_comch_send msg = { .imm = "12345678", .imm_len = 8 };
	struct bf_wire_pair_ready ready = { .status = -ENOMEM };
	struct test_ep *producer;
	uint64_t end;
	uint32_t nb;

	TEST_CALL(producer_new(&producer));
	TEST_EXPECT(test_model_ctl(&model,
		"fault " CARD " cmd opcode=CREATE_QP count=4 status=8"), 0);
	/* no pair, and then it waits for one */
	for (nb = 0; nb < TEST_MS && peer_count(&hostile, BF_WIRE_PAIR_OPEN) == 0; nb++) {
		TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, CONSUMER, &msg, 1), 0);
		test_progress_ms(1);
		peer_poll(&hostile);
	}
	TEST_CALL(pair_asked_id(1, &ready.pair));
	/* the one before it may not be gone yet */
	TEST_TRUE(ready.pair < 2);
	end = test_now_ns() + 1000000000ull;
	for (nb = 1; test_now_ns() < end; nb++) {
		TEST_CALL(peer_ctl(&hostile, BF_WIRE_PAIR_READY, &ready));
		TEST_CALL(pair_asked_id(nb + 1, &ready.pair));
	}
	/* with pauses of 10 ms and twice as much each time it is asked seven times in a second */
	TEST_ASSERT(nb < 12, "asked %u times", nb);
	TEST_EXPECT(card_server->nb_disconnects, 0);
	TEST_CALL(test_ep_close(producer));
	return test_log_passed();
}

/* Messages of credits that lie, or are none; what the peer sends over the pair's queue. */
static int
pair_send(uint8_t opcode, uint32_t imm, uint32_t len)
{
	static const uint8_t bytes[16];
	const struct bf_send_wr wr = {
		.opcode = opcode, .imm = imm, .inl = bytes, .inl_len = len, .signalled = true,
	};
	struct bf_sendq sq;

	TEST_EXPECT(bf_sendq_init(&sq, &theirs.qp, &hostile.uar), 0);
	TEST_TRUE(bf_sendq_send(&sq, &wr) >= 0);
	bf_sendq_ring(&sq);
	bf_sendq_fini(&sq);
	return TEST_SUCCESS;
}

static int
bad_credits(uint8_t opcode, uint32_t imm, uint32_t len, int status, const char *words)
{
	struct test_ep *producer;

	TEST_CALL(producer_up(&producer, 4));
	PEER_WAIT(&hostile, rte_comch_producer_credits(producer->ctx, CONSUMER) == 4, TEST_MS);
	TEST_CALL(pair_send(opcode, imm, len));
	PEER_WAIT(&hostile, (rte_comch_producer_credits(producer->ctx, CONSUMER),
			card_server->nb_disconnects == 1), TEST_MS);
	TEST_EXPECT(card_server->disconnect_status, status);
	TEST_TRUE(words == NULL || test_log_has(words));
	TEST_EXPECT(rte_comch_producer_credits(producer->ctx, CONSUMER), 0);
	TEST_CALL(test_ep_close(producer));
	TEST_CALL(card_serves());
	return test_log_passed();
}

static int
test_credits_too_many(void)
{
	return bad_credits(BF_WQE_SEND_IMM, 65, 0, -EPROTO, "it posted what it cannot");
}

static int
test_credits_far(void)
{
	return bad_credits(BF_WQE_SEND_IMM, INT32_MAX, 0, -EPROTO, "it posted what it cannot");
}

static int
test_credits_none(void)
{
	return bad_credits(BF_WQE_SEND, 0, 0, -EPROTO, "no message of credits");
}

static int
test_credits_with_data(void)
{
	return bad_credits(BF_WQE_SEND_IMM, 5, 8, -EPROTO, "no message of credits");
}

static struct unit_test_suite suite = {
	.suite_name = "producers of BlueField and what peers do to them",
	.unit_test_cases = {
		TEST_CASE_ST(card_setup, pair_teardown, test_closed_lies),
		TEST_CASE_ST(card_setup, pair_teardown, test_same_id),
		TEST_CASE_ARG(card_setup, pair_teardown, "test_gone_takes_nothing",
			gone_takes_nothing, false),
		TEST_CASE_ARG(card_setup, pair_teardown, "test_gone_looked_at_late",
			gone_takes_nothing, true),
		TEST_CASE_ARG(card_setup, pair_teardown, "test_ready_early",
			pair_ready_lies, true),
		TEST_CASE_ARG(card_setup, pair_teardown, "test_ready_twice",
			pair_ready_lies, false),
		TEST_CASE_ST(card_setup, card_teardown, test_ready_late),
		TEST_CASE_ST(card_setup, card_teardown, test_pair_again),
		TEST_CASE_ST(card_setup, pair_teardown, test_credits_too_many),
		TEST_CASE_ST(card_setup, pair_teardown, test_credits_far),
		TEST_CASE_ST(card_setup, pair_teardown, test_credits_none),
		TEST_CASE_ST(card_setup, pair_teardown, test_credits_with_data),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(bluefield_peer_producer_autotest, unit_test_suite_runner, &suite);
