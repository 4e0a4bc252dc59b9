/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Consumers of the bluefield driver against a peer that the test plays: what it asks for, in
 * which order, how often and how much, and what that costs others. Producers are in
 * test_bluefield_peer_producer.c. What a peer can say wrong on a control connection is in
 * test_bluefield_chan.c; what completions can say, in test_bluefield_burst.c.
 */

#include <unistd.h>

#include "test_bluefield_peer_fast.h"
#include "test_rand.h"

static int
last_status(void)
{
	struct bf_wire_pair_ready ready;

	memcpy(&ready, hostile.last_of[BF_WIRE_PAIR_READY].data, sizeof(ready));
	return ready.status;
}

/* Until so many answers to PAIR_OPEN have come; what is sent meanwhile has credits for them. */
static int
answers_wait(unsigned int nb)
{
	uint32_t i;

	for (i = 0; i < TEST_MS && peer_count(&hostile, BF_WIRE_PAIR_READY) < nb; i++) {
		TEST_CALL(peer_send(&hostile, BF_WIRE_PING, NULL, 0));
		test_progress_ms(1);
		peer_poll(&hostile);
	}
	TEST_TRUE(peer_count(&hostile, BF_WIRE_PAIR_READY) >= nb);
	return TEST_SUCCESS;
}

/*
 * Pairs
 */

/* Identifiers beyond those that a side can have: else it could have any number of pairs. */
static int
test_pair_id(void)
{
	TEST_CALL(card_consumer_up());
	TEST_CALL(pair_ask(BF_WIRE_MAX_PAIRS - 1));
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_READY) == 1, TEST_MS);
	TEST_EXPECT(last_status(), 0);
	/* of a consumer that has the same place, and is not there any more, or not yet */
	TEST_CALL(pair_ask_of(0, test_queue_id(card_consumer->ctx) + BF_MAX_CONSUMERS));
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_READY) == 2, TEST_MS);
	TEST_EXPECT(last_status(), -ENOENT);
	TEST_CALL(pair_ask(BF_WIRE_MAX_PAIRS));
	TEST_CALL(card_violated("a pair that cannot be"));
	TEST_CALL(card_serves());
	return test_log_passed();
}

static int
test_pair_twice(void)
{
	TEST_CALL(card_consumer_up());
	TEST_CALL(pair_ask(7));
	TEST_CALL(pair_ask(7));
	TEST_CALL(card_violated("a pair twice"));
	TEST_CALL(card_serves());
	return test_log_passed();
}

/*
 * More pairs at once than the worker makes in a while: that has others to serve, whose turn
 * comes soon. Those that are too many are refused, for now.
 */
static int
test_pair_flood(void)
{
	const uint32_t nb = BF_QUEUE_PAIRS;
	struct bf_wire_req req;
	long before, made;
	uint32_t i;

	TEST_CALL(card_consumer_up());
	test_pair.rep = 0;
	test_server_run("other", test_pe_new());
	TEST_CALL(peer_open(&honest, HOST, false));
	before = test_model_state(&model, CARD, "objects");
	TEST_EXPECT(test_model_ctl(&model, "fault " CARD " cmd opcode=CREATE_QP delay=20"), 0);
	for (i = 0; i < nb; i++)
		TEST_CALL(pair_ask(i));
	peer_req(&req, "other");
	TEST_CALL(peer_connect(&honest, card_mac, &req, sizeof(req)));
	for (i = 0; i < TEST_MS && honest.seen[BF_CM_REP] == 0; i++) {
		peer_poll(&honest);
		peer_poll(&hostile);
		test_progress_ms(1);
	}
	TEST_ASSERT(honest.seen[BF_CM_REP] != 0, "the other one is not answered");
	TEST_EXPECT(test_model_ctl(&model, "fault " CARD " clear"), 0);
	TEST_CALL(answers_wait(nb));
	/* two objects each; some were made while others were asked for */
	made = (test_model_state(&model, CARD, "objects") - before) / 2;
	TEST_ASSERT(made >= (long)BF_PEER_JOBS && made < 2 * (long)BF_PEER_JOBS,
			"%ld pairs were made", made);
	/* and again, when there is time */
	TEST_CALL(pair_ask(nb));
	TEST_CALL(answers_wait(nb + 1));
	TEST_EXPECT(last_status(), 0);
	TEST_EXPECT(card_server->nb_disconnects, 0);
	return test_log_passed();
}

/* The part of one peer is bounded, whatever it takes away and asks for again. */
static int
test_pair_share(void)
{
	struct bf_wire_pair close = { 0 };
	struct bf_fast_dev *fd;
	uint32_t i, round;

	TEST_CALL(card_consumer_up());
	fd = ((const struct bf_conn *)card_server->conn->priv)->dev->part[BF_PART_FAST];
	TEST_TRUE(fd->max_pairs <= BF_PEER_PAIRS);
	fd->max_pairs = 4;
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 5; i++) {
			TEST_CALL(pair_ask(i));
			PEER_WAIT(&hostile,
				peer_count(&hostile, BF_WIRE_PAIR_READY) == 5 * round + i + 1,
					TEST_MS);
			TEST_EXPECT(last_status(), i < 4 ? 0 : -ENOSPC);
		}
		for (i = 0; i < 4; i++) {
			close.pair = i;
			TEST_CALL(peer_ctl(&hostile, BF_WIRE_PAIR_CLOSE, &close));
		}
		PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_CLOSED) == 4 * (round + 1),
				TEST_MS);
	}
	TEST_EXPECT(fd->shares[1].pairs, 0);
	TEST_EXPECT(fd->shares[1].jobs, 0);
	return test_log_passed();
}

/* A consumer has places for so many pairs, and one is free again when a pair has gone. */
static int
test_pair_places(void)
{
	const struct bf_wire_pair close = { .pair = 5 };
	const struct bf_fast_dev *fd;
	uint32_t i;

	TEST_CALL(card_consumer_up());
	fd = ((const struct bf_conn *)card_server->conn->priv)->dev->part[BF_PART_FAST];
	TEST_TRUE(fd->max_pairs > BF_QUEUE_PAIRS);
	for (i = 0; i < BF_QUEUE_PAIRS; i++) {
		TEST_CALL(pair_ask(i));
		if ((i + 1) % (BF_PEER_JOBS / 2) != 0)
			continue;
		TEST_CALL(answers_wait(i + 1));
		TEST_EXPECT(last_status(), 0);
	}
	TEST_CALL(pair_ask(i++));
	TEST_CALL(answers_wait(i));
	TEST_EXPECT(last_status(), -ENOSPC);
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_PAIR_CLOSE, &close));
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_CLOSED) == 1, TEST_MS);
	TEST_CALL(pair_ask(i++));
	TEST_CALL(answers_wait(i));
	TEST_EXPECT(last_status(), 0);
	TEST_EXPECT(card_server->nb_disconnects, 0);
	/* with all of them it takes a while to end */
	TEST_EXPECT(rte_comch_ctx_stop(card_consumer->ctx), -EINPROGRESS);
	PEER_WAIT(&hostile, test_state(card_consumer) == RTE_COMCH_STATE_IDLE, 12 * TEST_MS);
	TEST_EXPECT(fd->shares[1].pairs, 0);
	return test_log_passed();
}

/* Pairs that are asked for and taken away, some twice, before they are there, and unknown. */
static int
test_pair_churn(void)
{
	struct bf_wire_pair msg = { 0 };
	struct bf_fast_dev *fd;
	uint32_t i, round;

	TEST_CALL(card_consumer_up());
	fd = ((const struct bf_conn *)card_server->conn->priv)->dev->part[BF_PART_FAST];
	for (round = 0; round < 20; round++) {
		for (i = 0; i < 16; i++)
			TEST_CALL(pair_ask(16 * round + i));
		for (i = 0; i < 24; i++) {
			msg.pair = 16 * round + i * 7 % 24;
			TEST_CALL(peer_ctl(&hostile, BF_WIRE_PAIR_GO, &msg));
			TEST_CALL(peer_ctl(&hostile, BF_WIRE_PAIR_CLOSE, &msg));
			if (i % 3 != 2)
				TEST_CALL(peer_ctl(&hostile, i % 3 == 0 ? BF_WIRE_PAIR_CLOSE :
					BF_WIRE_PAIR_GO, &msg));
		}
	}
	TEST_CALL(answers_wait(16 * round));
	PEER_WAIT(&hostile, __atomic_load_n(&fd->shares[1].pairs, __ATOMIC_RELAXED) == 0, TEST_MS);
	TEST_EXPECT(card_server->nb_disconnects, 0);
	TEST_EXPECT(test_dev_status(card_dev), 0);
	return test_log_passed();
}

/* A pair that is there, and what the peer says of it then, which cannot be. */
static int
pair_lies(uint8_t type, uint32_t msgs, const char *words)
{
	const struct bf_wire_pair go = { .pair = 7 }, lie = { .pair = 7, .msgs = msgs };

	TEST_CALL(card_consumer_up());
	TEST_CALL(pair_ask(7));
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_READY) == 1, TEST_MS);
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_PAIR_GO, &go));
	TEST_CALL(peer_ctl(&hostile, type, &lie));
	TEST_CALL(card_violated(words));
	TEST_CALL(card_serves());
	return test_log_passed();
}

/* It has room for a few messages of credits, and reads none: it gets no more of them. */
static int
test_pair_entries(void)
{
	struct bf_wire_pair_open open = {
		.pair = 7, .producer = PRODUCER, .qpn = 0x123, .credits = 2,
	};
	struct bf_wire_consumer_answer answer = { .to = BF_WIRE_CONSUMER_GONE };
	const struct bf_wire_pair go = { .pair = 7 };
	const struct bf_pair *pair;
	struct rte_comch_cpl cpl;
	uint32_t i;

	TEST_CALL(card_consumer_up());
	open.consumer = test_queue_id(card_consumer->ctx);
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_PAIR_OPEN, &open));
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_READY) == 1, TEST_MS);
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_PAIR_GO, &go));
	pair = TAILQ_FIRST(&bf_chan_of(card_server->conn)->fast->served);
	PEER_WAIT(&hostile, bf_pair_is(pair, BF_PAIR_READY), TEST_MS);
	for (i = 0; i < 2 * open.credits; i++) {
		TEST_EXPECT(rte_comch_consumer_post_burst(card_consumer->ctx,
			&(struct rte_comch_post){ .cookie = i }, 1), 1);
		test_progress_ms(10);
	}
	TEST_EXPECT(pair->nb_told, open.credits);
	TEST_EXPECT(card_server->nb_disconnects, 0);
	TEST_EXPECT(rte_comch_ctx_stop(card_consumer->ctx), -EINPROGRESS);
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_CONSUMER_GONE) == 1, TEST_MS);
	answer.consumer = open.consumer;
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_CONSUMER_ANSWER, &answer));
	PEER_WAIT(&hostile, (rte_comch_queue_poll_burst(card_consumer->ctx, &cpl, 1),
		test_state(card_consumer) == RTE_COMCH_STATE_IDLE), TEST_MS);
	return test_log_passed();
}

/* It has read more messages of credits than it was sent. */
static int
test_pair_read(void)
{
	return pair_lies(BF_WIRE_PAIR_GO, BF_PAIR_CREDITS, "it has read what was not sent");
}

/* It has claimed more posts than there are, or fewer than it has used. */
static int
test_pair_claims(void)
{
	return pair_lies(BF_WIRE_PAIR_CLOSE, BF_MAX_POSTS, "a pair with other messages");
}

static int
test_pair_claims_less(void)
{
	return pair_lies(BF_WIRE_PAIR_CLOSE, UINT32_MAX, "a pair with other messages");
}

/* A consumer of ours that the peer does not want: it is told so, with reasons that it knows. */
static int
test_consumer_refused(void)
{
	static const struct {
		int said;
		int told;
	} rows[] = {
		{ -ENOMEM, -ENOMEM }, { -EUSERS, -EUSERS }, { -EACCES, -EACCES },
		{ -EPROTO, -ECONNREFUSED }, { 1, -ECONNREFUSED }, { INT32_MIN, -ECONNREFUSED },
	};
	struct bf_wire_consumer_answer answer = { .to = BF_WIRE_CONSUMER_NEW };
	struct rte_comch_pe *pe = test_pe_new();
	uint32_t i;

	TEST_CALL(card_server_up());
	for (i = 0; i < RTE_DIM(rows); i++) {
		card_consumer = test_ep_new();
		TEST_EXPECT(test_consumer_start(card_consumer, card_server->conn, pe),
				-EINPROGRESS);
		PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_CONSUMER_NEW) == i + 1, TEST_MS);
		answer.consumer = test_queue_id(card_consumer->ctx);
		answer.status = rows[i].said;
		TEST_CALL(peer_ctl(&hostile, BF_WIRE_CONSUMER_ANSWER, &answer));
		PEER_WAIT(&hostile, test_state(card_consumer) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_EXPECT(rte_comch_ctx_reason_get(card_consumer->ctx), rows[i].told);
		/* and so it has no posts to send to */
		TEST_CALL(pair_ask(i));
		PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_READY) == i + 1, TEST_MS);
		TEST_EXPECT(last_status(), -ENOENT);
		TEST_CALL(test_ep_close(card_consumer));
	}
	TEST_EXPECT(peer_count(&hostile, BF_WIRE_CONSUMER_GONE), 0);
	TEST_EXPECT(card_server->nb_disconnects, 0);
	return test_log_passed();
}

/* The answer to what was not said yet: that a consumer of ours goes. */
static int
test_gone_answered_early(void)
{
	struct bf_wire_consumer_answer answer = { .to = BF_WIRE_CONSUMER_GONE };
	uint32_t i;

	TEST_CALL(card_consumer_up());
	answer.consumer = test_queue_id(card_consumer->ctx);
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_CONSUMER_ANSWER, &answer));
	/* it is there before the other side looks */
	for (i = 0; i < TEST_MS && hostile.sq.ci != hostile.sq.pi; i++) {
		usleep(1000);
		peer_poll(&hostile);
	}
	TEST_EXPECT(rte_comch_ctx_stop(card_consumer->ctx), -EINPROGRESS);
	TEST_CALL(card_violated("an answer to nothing"));
	TEST_CALL(card_serves());
	return test_log_passed();
}

/* An answer about another one that goes, or none, while one does: that stays owed. */
static int
test_gone_answered_other(int none)
{
	struct bf_wire_consumer_answer answer = { .to = BF_WIRE_CONSUMER_GONE };

	TEST_CALL(card_consumer_up());
	answer.consumer = none ? 0 : test_queue_id(card_consumer->ctx) + 1;
	TEST_EXPECT(rte_comch_ctx_stop(card_consumer->ctx), -EINPROGRESS);
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_CONSUMER_GONE) == 1, TEST_MS);
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_CONSUMER_ANSWER, &answer));
	TEST_CALL(card_violated("an answer to nothing"));
	TEST_CALL(card_serves());
	return test_log_passed();
}

/* The peer owes an answer about a consumer that comes or goes, and says nothing. */
static int
consumer_unanswered(int goes)
{
	struct rte_comch_pe *pe = test_pe_new();
	struct test_ep *other = NULL;

	TEST_CALL(card_server_up());
	if (goes) {
		TEST_CALL(card_consumer_new(pe));
		TEST_EXPECT(rte_comch_ctx_stop(card_consumer->ctx), -EINPROGRESS);
	} else {
		other = test_ep_new();
		TEST_EXPECT(test_consumer_start(other, card_server->conn, pe), -EINPROGRESS);
	}
	PEER_WAIT(&hostile, card_server->nb_disconnects == 1, BF_CONSUMER_MS + TEST_MS);
	TEST_EXPECT(card_server->disconnect_status, -ECONNRESET);
	TEST_EXPECT(test_log_count("the peer does not answer about a consumer"), 1);
	TEST_WAIT(other == NULL || test_state(other) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_CALL(card_serves());
	return test_log_passed();
}

/*
 * A consumer that stops waits for the peer, which still sends, and then until the device writes
 * to none of its posts any more.
 */
static int
test_stop_waits(void)
{
	struct bf_wire_consumer_answer answer = { .to = BF_WIRE_CONSUMER_GONE };
	const struct rte_comch_post post = { .cookie = 5 };
	const struct bf_wire_pair go = { .pair = 7 };
	struct rte_comch_cpl cpl;
	long objects;

	TEST_CALL(card_consumer_up());
	TEST_EXPECT(rte_comch_consumer_post_burst(card_consumer->ctx, &post, 1), 1);
	TEST_CALL(pair_ask(7));
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_READY) == 1, TEST_MS);
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_PAIR_GO, &go));
	TEST_EXPECT(rte_comch_ctx_stop(card_consumer->ctx), -EINPROGRESS);
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_CONSUMER_GONE) == 1, TEST_MS);
	test_progress_ms(50);
	TEST_EXPECT(rte_comch_queue_poll_burst(card_consumer->ctx, &cpl, 1), 0);
	TEST_EXPECT(test_state(card_consumer), RTE_COMCH_STATE_STOPPING);
	objects = test_model_state(&model, CARD, "objects");
	TEST_EXPECT(test_model_ctl(&model,
		"fault " CARD " cmd opcode=DESTROY_QP count=1 delay=300"), 0);
	answer.consumer = test_queue_id(card_consumer->ctx);
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_CONSUMER_ANSWER, &answer));
	PEER_WAIT(&hostile, rte_comch_queue_poll_burst(card_consumer->ctx, &cpl, 1) == 1, TEST_MS);
	TEST_TRUE(test_model_state(&model, CARD, "objects") < objects);
	TEST_EXPECT(cpl.cookie, 5);
	TEST_WAIT(test_state(card_consumer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(test_model_ctl(&model, "fault " CARD " clear"), 0);
	TEST_EXPECT(card_server->nb_disconnects, 0);
	return test_log_passed();
}

/*
 * Messages that cannot be
 */

#define NEW(...) .type = BF_WIRE_CONSUMER_NEW, .msg.consumer_new = { __VA_ARGS__ }
#define OPEN(...) .type = BF_WIRE_PAIR_OPEN, .msg.pair_open = { __VA_ARGS__ }

static const struct {
	uint8_t type;
	union bf_wire_ctl msg;
	const char *words; /* NULL: it is as it should be */
} bad_ctls[] = {
	{ NEW(0, 0, 0, 1), .words = "a consumer that cannot be" },
	{ NEW(1, BF_WIRE_MAX_IMM_LEN + 1, 0, 1), .words = "a consumer that cannot be" },
	{ NEW(1, 0, BF_MAX_BUF_SIZE + 1, 1), .words = "a consumer that cannot be" },
	{ NEW(1, 0, UINT64_MAX, 1), .words = "a consumer that cannot be" },
	{ NEW(1, 0, 0, 0), .words = "a consumer that cannot be" },
	{ NEW(1, 0, 0, 3), .words = "a consumer that cannot be" },
	{ NEW(1, 0, 0, UINT32_C(1) << 31), .words = "a consumer that cannot be" },
	{ NEW(1, 0, 0, 1, 0, 0, 1), .words = "a consumer that cannot be" },
	{ NEW(1, 0, 64, 1, 0, RTE_COMCH_META_RX), .words = "a consumer that cannot be" },
	{ NEW(1, 32, 0, 1, 0, RTE_COMCH_META_RX), .words = "a consumer that cannot be" },
	{ NEW(1, 0, 0, 1) },
	{ NEW(1 + BF_MAX_CONSUMERS, 0, 0, 1), .words = "the place of another" },
	{ NEW(UINT32_MAX, 0, 0, 1) },
	{ NEW(UINT32_MAX, 0, 0, 1), .words = "the place of another" },
	{ .type = BF_WIRE_CONSUMER_GONE, .msg.consumer_gone.consumer = 1,
		.words = "goes that never came" },
	{ .type = BF_WIRE_CONSUMER_GONE, .words = "goes that never came" },
	{ .type = BF_WIRE_CONSUMER_ANSWER, .msg.consumer_answer = { 1, BF_WIRE_CONSUMER_NEW },
		.words = "an answer to nothing" },
	{ .type = BF_WIRE_CONSUMER_ANSWER, .msg.consumer_answer = { 0, BF_WIRE_CONSUMER_NEW },
		.words = "an answer to nothing" },
	{ .type = BF_WIRE_CONSUMER_ANSWER, .msg.consumer_answer = { 1, BF_WIRE_CONSUMER_GONE },
		.words = "an answer to nothing" },
	{ .type = BF_WIRE_CONSUMER_ANSWER, .msg.consumer_answer = { 0, BF_WIRE_CONSUMER_GONE },
		.words = "an answer to nothing" },
	{ .type = BF_WIRE_CONSUMER_ANSWER, .msg.consumer_answer = { UINT32_MAX, UINT16_MAX },
		.words = "an answer to nothing" },
	{ OPEN(0, 1, 1, 0x123, 0, 1) }, /* of no consumer of ours: refused */
	{ OPEN(0, 0, 1, 0x123, 0, 1), .words = "a pair that cannot be" },
	{ OPEN(0, 1, 1, 1 << 24, 0, 1), .words = "a pair that cannot be" },
	{ OPEN(0, 1, 1, 0x123, UINT32_MAX, 1), .words = "a pair that cannot be" },
	{ OPEN(0, 1, 1, 0x123, 0, 0), .words = "a pair that cannot be" },
	{ OPEN(UINT32_MAX, 1, 1, 0x123, 0, 1), .words = "a pair that cannot be" },
	{ .type = BF_WIRE_PAIR_READY, .words = "a pair that is not so" },
	{ .type = BF_WIRE_PAIR_READY, .msg.pair_ready.pair = UINT32_MAX,
		.words = "a pair that is not so" },
	{ .type = BF_WIRE_PAIR_CLOSED, .words = "a pair that is not so" },
	{ .type = BF_WIRE_PAIR_CLOSED, .msg.pair.pair = UINT32_MAX,
		.words = "a pair that is not so" },
	/* it may have gone meanwhile */
	{ .type = BF_WIRE_PAIR_GO, .msg.pair.pair = UINT32_MAX },
	{ .type = BF_WIRE_PAIR_CLOSE, .msg.pair.pair = UINT32_MAX },
};

/* Each ends the connection, is in the log, and leaves the device to others. */
static int
test_bad_ctls(void)
{
	const uint8_t byte = 1;
	uint32_t i, ends = 0, got;

	TEST_CALL(card_server_up());
	for (i = 0; i < RTE_DIM(bad_ctls); i++) {
		got = card_server->nb_recv;
		TEST_CALL(peer_ctl(&hostile, bad_ctls[i].type, &bad_ctls[i].msg));
		if (bad_ctls[i].words == NULL) {
			TEST_CALL(peer_send(&hostile, BF_WIRE_DATA, &byte, 1));
			PEER_WAIT(&hostile, card_server->nb_recv == got + 1, TEST_MS);
			continue;
		}
		ends++;
		PEER_WAIT(&hostile, card_server->nb_disconnects == ends, TEST_MS);
		TEST_ASSERT(test_log_has(bad_ctls[i].words), "%u: the log has no: %s", i,
				bad_ctls[i].words);
		TEST_EXPECT(card_server->disconnect_status, -EPROTO);
		TEST_EXPECT(test_log_count("the peer breaks the protocol"), ends);
		TEST_CALL(card_serves());
	}
	TEST_EXPECT(card_server->nb_disconnects, ends);
	/* the last one was about a pair that is gone: the peer may forget it, too */
	TEST_EXPECT(bad_ctls[i - 1].type, BF_WIRE_PAIR_CLOSE);
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_CLOSED) == 1, TEST_MS);
	return test_log_passed();
}

/* Rounds of any messages, and control messages of one at most. */
#define ANY_ROUNDS 100u
#define ANY_MSGS 60u

/* Numbers that are often near to what can be. */
static uint32_t
any_number(uint32_t *x)
{
	static const uint32_t some[] = {
		0, 1, 2, 7, 8, BF_MAX_CONSUMERS, BF_WIRE_MAX_PAIRS - 1, BF_WIRE_MAX_PAIRS,
		0x123, 0xffffff, INT32_MAX, UINT32_MAX,
	};
	const uint32_t n = test_rand_next(x);

	return n % 8 == 0 ? test_rand_next(x) : some[n / 8 % RTE_DIM(some)];
}

static uint8_t
any_ctl(uint32_t *x, union bf_wire_ctl *msg)
{
	static const uint8_t mostly[] = {
		BF_WIRE_CONSUMER_NEW, BF_WIRE_PAIR_OPEN, BF_WIRE_PAIR_GO, BF_WIRE_PAIR_CLOSE,
	};
	uint8_t type = BF_WIRE_CONSUMER_NEW +
		test_rand_next(x) % (BF_WIRE_TYPES - BF_WIRE_CONSUMER_NEW);
	uint32_t words[sizeof(*msg) / sizeof(uint32_t)];
	bool taken;
	unsigned int i;

	for (i = 0; i < RTE_DIM(words); i++)
		words[i] = any_number(x);
	memcpy(msg, words, sizeof(*msg));
	/* mostly one that is taken, so that there is a state that the next ones hit */
	taken = test_rand_next(x) % 8 != 0;
	if (taken)
		type = mostly[*x / 8 % RTE_DIM(mostly)];
	if (type == BF_WIRE_CONSUMER_NEW && taken)
		msg->consumer_new = (struct bf_wire_consumer_new){
			.consumer = 1 + *x / 64 % 128, .posts = 8,
		};
	if (type == BF_WIRE_PAIR_OPEN && taken)
		msg->pair_open = (struct bf_wire_pair_open){
			.pair = *x / 64 % 64, .producer = PRODUCER, .qpn = 0x123, .credits = 1,
			.consumer = test_queue_id(card_consumer->ctx),
		};
	if (type >= BF_WIRE_PAIR_GO && taken)
		msg->pair = (struct bf_wire_pair){ .pair = *x / 64 % 64 };
	return type;
}

/*
 * Any message in any state: each is taken, or ends the connection as a violation. Nothing
 * else ends it, the device works, and the next one is served.
 */
static int
test_any_ctls(void)
{
	uint32_t round, i, x = 2463534242, taken = 0, ends = 0;
	struct rte_comch_pe *pe = test_pe_new();
	union bf_wire_ctl msg;
	uint8_t type;

	TEST_CALL(card_server_up());
	TEST_CALL(card_consumer_new(pe));
	for (round = 0; round < ANY_ROUNDS; round++) {
		for (i = 0; i < ANY_MSGS && card_server->nb_disconnects == ends; i++, taken++) {
			type = any_ctl(&x, &msg);
			TEST_CALL(peer_ctl(&hostile, type, &msg));
			if (x % 4 == 0)
				test_progress_ms(1);
			peer_poll(&hostile);
		}
		TEST_EXPECT(test_dev_status(card_dev), 0);
		if (card_server->nb_disconnects == ends)
			continue;
		ends++;
		TEST_ASSERT(card_server->disconnect_status == -EPROTO, "round %u ended with %d",
				round, card_server->disconnect_status);
		TEST_WAIT(test_state(card_consumer) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_CALL(test_ep_close(card_consumer));
		TEST_CALL(card_connected());
		TEST_CALL(card_consumer_new(pe));
	}
	test_note("%u messages, %u connections ended", taken, ends);
	TEST_TRUE(ends > 0 && taken > 2 * ends);
	TEST_EXPECT(test_dev_status(card_dev), 0);
	return test_log_passed();
}

/*
 * The worker
 */

struct busy {
	struct bf_job job;
	struct bf_dev *dev;
	bool stop;      /* atomic */
	bool done;      /* atomic */
	uint64_t runs;
};

static void
run_busy(struct bf_job *job)
{
	struct busy *busy = container_of(job, struct busy, job);

	busy->runs++;
	if (__atomic_load_n(&busy->stop, __ATOMIC_ACQUIRE))
		__atomic_store_n(&busy->done, true, __ATOMIC_RELEASE);
	else
		bf_job_post(busy->dev, job);
}

/* However fast jobs are posted, requests are answered: a peer makes others' jobs, too. */
static int
test_worker_busy(void)
{
	struct busy busy = { .job = { .run = run_busy } };
	int ret;

	TEST_CALL(card_consumer_up());
	busy.dev = ((const struct bf_conn *)card_server->conn->priv)->dev;
	bf_job_post(busy.dev, &busy.job);
	ret = card_connected();
	__atomic_store_n(&busy.stop, true, __ATOMIC_RELEASE);
	TEST_WAIT(__atomic_load_n(&busy.done, __ATOMIC_ACQUIRE), TEST_MS);
	TEST_TRUE(busy.runs > 1);
	return ret == TEST_SUCCESS ? test_log_passed() : ret;
}

/*
 * Connections
 */

static int
setup_many(void)
{
	char args[PATH_MAX + 128 * BF_MAX_REPS];
	int len;
	uint32_t i;

	memset(&hostile, 0, sizeof(hostile));
	memset(&honest, 0, sizeof(honest));
	TEST_CALL(test_log_begin());
	TEST_CALL(test_model_start(&model, "--latency=0.1 " CARD ",flr_ms=1,mac=" CARD_MAC));
	len = snprintf(args, sizeof(args), "role=dpu,functions=");
	for (i = 0; i < BF_MAX_REPS; i++)
		len += snprintf(args + len, sizeof(args) - len, "%spf0vf%u@02:c0:3c:01:00:%02x",
			i != 0 ? "/" : "", i, i);
	card_dev = test_model_dev_add(&model, CARD, args);
	TEST_TRUE(card_dev >= 0);
	return TEST_SUCCESS;
}

/* Were all functions but one to take all ids of connections that they can: one has its own. */
static int
test_ids_share(void)
{
	const struct bf_func_caps *caps;
	const struct bf_fast_dev *fd;
	const struct bf_cm_conf *conf;
	const struct bf_dev *dev;

	dev = bf_dev_of(rte_comch_pmd_get_by_name(test_dev_info(card_dev).name));
	conf = &dev->cm->conf;
	TEST_EXPECT(dev->nb_reps, BF_MAX_REPS);
	TEST_TRUE(conf->max_peer_ids >= conf->max_half_open);
	TEST_TRUE(conf->max_peer_ids * BF_MAX_REPS <= conf->max_ids);
	/* the same of pairs, of which each has a few in any case */
	caps = bf_func_caps(dev->func);
	fd = dev->part[BF_PART_FAST];
	TEST_EXPECT(fd->max_pairs, RTE_MAX(BF_PEER_MIN_PAIRS, RTE_MIN(BF_PEER_PAIRS,
		RTE_MIN(caps->max_qp, caps->max_cq) / 2 / BF_MAX_REPS)));
	return test_log_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "the fast path of BlueField and what peers do to it",
	.unit_test_cases = {
		TEST_CASE_ST(card_setup, card_teardown, test_pair_id),
		TEST_CASE_ST(card_setup, card_teardown, test_pair_twice),
		TEST_CASE_ST(card_setup, card_teardown, test_pair_flood),
		TEST_CASE_ST(card_setup, card_teardown, test_pair_share),
		TEST_CASE_ST(card_setup, card_teardown, test_pair_places),
		TEST_CASE_ST(card_setup, card_teardown, test_pair_churn),
		TEST_CASE_ST(card_setup, card_teardown, test_pair_entries),
		TEST_CASE_ST(card_setup, card_teardown, test_pair_read),
		TEST_CASE_ST(card_setup, card_teardown, test_pair_claims),
		TEST_CASE_ST(card_setup, card_teardown, test_pair_claims_less),
		TEST_CASE_ST(card_setup, card_teardown, test_consumer_refused),
		TEST_CASE_ST(card_setup, card_teardown, test_gone_answered_early),
		TEST_CASE_ARG(card_setup, card_teardown, "test_gone_answered_other",
			test_gone_answered_other, false),
		TEST_CASE_ARG(card_setup, card_teardown, "test_gone_answered_none",
			test_gone_answered_other, true),
		TEST_CASE_ARG(card_setup, card_teardown, "test_new_unanswered",
			consumer_unanswered, false),
		TEST_CASE_ARG(card_setup, card_teardown, "test_gone_unanswered",
			consumer_unanswered, true),
		TEST_CASE_ST(card_setup, card_teardown, test_stop_waits),
		TEST_CASE_ST(card_setup, card_teardown, test_bad_ctls),
		TEST_CASE_ST(card_setup, card_teardown, test_any_ctls),
		TEST_CASE_ST(card_setup, card_teardown, test_worker_busy),
		TEST_CASE_ST(setup_many, card_teardown, test_ids_share),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(bluefield_peer_fast_autotest, unit_test_suite_runner, &suite);
