/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The fast path of the bluefield driver against a peer that the test plays: what it asks
 * for, in which order, how often and how much, and what that costs others. What it can say
 * wrong on a control connection is in test_bluefield_chan.c; what completions can say, in
 * test_bluefield_burst.c.
 */

#define ALLOW_INTERNAL_API 1

#include <unistd.h>

#include "bluefield_cm_priv.h" /* check-ok: its layers are tested */
#include "bluefield_fast.h" /* check-ok: its layers are tested */
#include "test_bluefield_peer.h"
#include "test_rand.h"

#define CARD "ecpf0vf0"
#define HOST "pf0vf0"
#define HOSTILE "pf0vf1"
#define CARD_MAC "02:c0:3c:00:02:10"
#define HOST_MAC "02:c0:3c:00:02:11"
#define HOSTILE_MAC "02:c0:3c:00:02:12"

#define PRODUCER 1 /* of the peer */

static const uint8_t card_mac[] = { 0x02, 0xc0, 0x3c, 0x00, 0x02, 0x10 };
static struct peer hostile, good;
static int card_dev;
static struct test_ep *server, *consumer;

static int
setup(void)
{
	server = consumer = NULL;
	memset(&hostile, 0, sizeof(hostile));
	memset(&good, 0, sizeof(good));
	TEST_CALL(test_log_begin());
	TEST_CALL(peer_model_start(CARD_MAC, HOST_MAC, HOSTILE_MAC));
	card_dev = test_model_dev_add(&model, CARD,
		"role=dpu,functions=" HOST "@" HOST_MAC "/" HOSTILE "@" HOSTILE_MAC);
	TEST_TRUE(card_dev >= 0);
	test_pair.dpu = card_dev;
	test_pair.rep = 1;
	return peer_open(&hostile, HOSTILE, false);
}

static void
teardown(void)
{
	peer_close(&hostile);
	peer_close(&good);
	test_cleanup();
	test_model_teardown();
}

static int
hostile_connected(void)
{
	uint32_t before = server->nb_connects;
	struct bf_wire_req req;

	peer_req(&req, "test");
	TEST_CALL(peer_connect(&hostile, card_mac, &req, sizeof(req)));
	PEER_WAIT(&hostile, hostile.seen[BF_CM_REP] != 0 && server->nb_connects == before + 1,
			TEST_MS);
	return TEST_SUCCESS;
}

/* A server with the hostile client. */
static int
server_up(void)
{
	const struct rte_comch_server_conf conf = {
		.ctrl.max_msg_size = PEER_MSG_SIZE,
		.ctrl.recv_queue_size = PEER_QUEUE,
	};

	server = test_server_run_conf(&conf, test_pe_new());
	return hostile_connected();
}

/* A consumer of the server's side. */
static int
consumer_new(struct rte_comch_pe *pe)
{
	struct bf_wire_consumer_answer answer = { .to = BF_WIRE_CONSUMER_NEW };
	const unsigned int before = peer_count(&hostile, BF_WIRE_CONSUMER_NEW);

	consumer = test_ep_new();
	TEST_EXPECT(test_consumer_start(consumer, server->conn, pe), -EINPROGRESS);
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_CONSUMER_NEW) == before + 1, TEST_MS);
	answer.consumer = test_queue_id(consumer->ctx);
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_CONSUMER_ANSWER, &answer));
	PEER_WAIT(&hostile, test_state(consumer) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	return TEST_SUCCESS;
}

/* A server with the hostile client, and a consumer. */
static int
consumer_up(void)
{
	TEST_CALL(server_up());
	return consumer_new(test_pe_new());
}

static int
pair_ask_of(uint32_t pair, uint32_t id)
{
	const struct bf_wire_pair_open msg = {
		.pair = pair, .producer = PRODUCER, .consumer = id, .qpn = 0x123,
		.credits = BF_PAIR_CREDITS,
	};

	return peer_ctl(&hostile, BF_WIRE_PAIR_OPEN, &msg);
}

static int
pair_ask(uint32_t pair)
{
	return pair_ask_of(pair, test_queue_id(consumer->ctx));
}

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

/* It ends the connection, and is counted. */
static int
expect_violation(const char *words)
{
	struct rte_comch_dev_stats stats;

	PEER_WAIT(&hostile, server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(server->disconnect_status, -EPROTO);
	TEST_ASSERT(test_log_has(words), "the log has no: %s", words);
	TEST_EXPECT(rte_comch_dev_stats_get(card_dev, &stats), 0);
	TEST_EXPECT(stats.violations, 1);
	return TEST_SUCCESS;
}

/* The device works, and serves who comes. */
static int
expect_served(void)
{
	TEST_EXPECT(test_dev_status(card_dev), 0);
	return hostile_connected();
}

/*
 * Pairs
 */

/* Identifiers beyond those that a side can have: else it could have any number of pairs. */
static int
test_pair_id(void)
{
	TEST_CALL(consumer_up());
	TEST_CALL(pair_ask(BF_WIRE_MAX_PAIRS - 1));
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_READY) == 1, TEST_MS);
	TEST_EXPECT(last_status(), 0);
	/* of a consumer that has the same place, and is not there any more, or not yet */
	TEST_CALL(pair_ask_of(0, test_queue_id(consumer->ctx) + BF_MAX_CONSUMERS));
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_READY) == 2, TEST_MS);
	TEST_EXPECT(last_status(), -ENOENT);
	TEST_CALL(pair_ask(BF_WIRE_MAX_PAIRS));
	TEST_CALL(expect_violation("a pair that cannot be"));
	TEST_CALL(expect_served());
	return test_log_passed();
}

static int
test_pair_twice(void)
{
	TEST_CALL(consumer_up());
	TEST_CALL(pair_ask(7));
	TEST_CALL(pair_ask(7));
	TEST_CALL(expect_violation("a pair twice"));
	TEST_CALL(expect_served());
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

	TEST_CALL(consumer_up());
	test_pair.rep = 0;
	test_server_run("other", test_pe_new());
	TEST_CALL(peer_open(&good, HOST, false));
	before = test_model_state(&model, CARD, "objects");
	TEST_EXPECT(test_model_ctl(&model, "fault " CARD " cmd opcode=CREATE_QP delay=20"), 0);
	for (i = 0; i < nb; i++)
		TEST_CALL(pair_ask(i));
	peer_req(&req, "other");
	TEST_CALL(peer_connect(&good, card_mac, &req, sizeof(req)));
	for (i = 0; i < TEST_MS && good.seen[BF_CM_REP] == 0; i++) {
		peer_poll(&good);
		peer_poll(&hostile);
		test_progress_ms(1);
	}
	TEST_ASSERT(good.seen[BF_CM_REP] != 0, "the other one is not answered");
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
	TEST_EXPECT(server->nb_disconnects, 0);
	return test_log_passed();
}

/* The part of one peer is bounded, whatever it takes away and asks for again. */
static int
test_pair_share(void)
{
	struct bf_wire_pair close = { 0 };
	struct bf_fast_dev *fd;
	uint32_t i, round;

	TEST_CALL(consumer_up());
	fd = ((const struct bf_conn *)server->conn->priv)->dev->part[BF_PART_FAST];
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

	TEST_CALL(consumer_up());
	fd = ((const struct bf_conn *)server->conn->priv)->dev->part[BF_PART_FAST];
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
	TEST_EXPECT(server->nb_disconnects, 0);
	/* with all of them it takes a while to end */
	TEST_EXPECT(rte_comch_ctx_stop(consumer->ctx), -EINPROGRESS);
	PEER_WAIT(&hostile, test_state(consumer) == RTE_COMCH_STATE_IDLE, 12 * TEST_MS);
	return test_log_passed();
}

/* Pairs that are asked for and taken away, some twice, before they are there, and unknown. */
static int
test_pair_churn(void)
{
	struct bf_wire_pair msg = { 0 };
	struct bf_fast_dev *fd;
	uint32_t i, round;

	TEST_CALL(consumer_up());
	fd = ((const struct bf_conn *)server->conn->priv)->dev->part[BF_PART_FAST];
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
	TEST_EXPECT(server->nb_disconnects, 0);
	TEST_EXPECT(test_dev_status(card_dev), 0);
	return test_log_passed();
}

/* A pair that is there, and what the peer says of it then, which cannot be. */
static int
pair_lies(uint8_t type, uint32_t msgs, const char *words)
{
	const struct bf_wire_pair go = { .pair = 7 }, lie = { .pair = 7, .msgs = msgs };

	TEST_CALL(consumer_up());
	TEST_CALL(pair_ask(7));
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_READY) == 1, TEST_MS);
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_PAIR_GO, &go));
	TEST_CALL(peer_ctl(&hostile, type, &lie));
	TEST_CALL(expect_violation(words));
	TEST_CALL(expect_served());
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

	TEST_CALL(consumer_up());
	open.consumer = test_queue_id(consumer->ctx);
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_PAIR_OPEN, &open));
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_READY) == 1, TEST_MS);
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_PAIR_GO, &go));
	pair = TAILQ_FIRST(&bf_chan_of(server->conn)->fast->served);
	PEER_WAIT(&hostile, bf_pair_is(pair, BF_PAIR_READY), TEST_MS);
	for (i = 0; i < 2 * open.credits; i++) {
		TEST_EXPECT(rte_comch_consumer_post_burst(consumer->ctx,
			&(struct rte_comch_post){ .cookie = i }, 1), 1);
		test_progress_ms(10);
	}
	TEST_EXPECT(pair->nb_told, open.credits);
	TEST_EXPECT(server->nb_disconnects, 0);
	TEST_EXPECT(rte_comch_ctx_stop(consumer->ctx), -EINPROGRESS);
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_CONSUMER_GONE) == 1, TEST_MS);
	answer.consumer = open.consumer;
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_CONSUMER_ANSWER, &answer));
	PEER_WAIT(&hostile, (rte_comch_queue_poll_burst(consumer->ctx, &cpl, 1),
		test_state(consumer) == RTE_COMCH_STATE_IDLE), TEST_MS);
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

/*
 * Consumers of the peer, and a producer of the server's side
 */

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
	teardown();
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

	TEST_CALL(consumer_up());
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_CONSUMER_NEW, &new));
	PEER_WAIT(&hostile, server->nb_new == 1, TEST_MS);
	*producer = test_ep_new();
	TEST_EXPECT(rte_comch_producer_create(server->conn, &conf, &(*producer)->ctx), 0);
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
	TEST_EXPECT(server->nb_disconnects, 0);
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
	TEST_CALL(expect_violation("a pair that is not so"));
	TEST_CALL(expect_served());
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
	fast = bf_chan_of(server->conn)->fast;
	fd = ((const struct bf_conn *)server->conn->priv)->dev->part[BF_PART_FAST];
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
	TEST_EXPECT(server->nb_disconnects, 0);
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
	TEST_CALL(expect_violation("a pair that is not so"));
	TEST_EXPECT(peer_count(&hostile, BF_WIRE_PAIR_OPEN), !early);
	TEST_CALL(test_ep_close(producer));
	TEST_EXPECT(test_model_ctl(&model, "fault " CARD " clear"), 0);
	TEST_CALL(expect_served());
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
	PEER_WAIT(&hostile, server->nb_recv == 1, TEST_MS);
	/* it is there as long as the worker is busy, or a tombstone */
	fast = bf_chan_of(server->conn)->fast;
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
	TEST_EXPECT(server->nb_disconnects, 0);
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
	TEST_EXPECT(server->nb_disconnects, 0);
	TEST_CALL(test_ep_close(producer));
	return test_log_passed();
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

	TEST_CALL(server_up());
	for (i = 0; i < RTE_DIM(rows); i++) {
		consumer = test_ep_new();
		TEST_EXPECT(test_consumer_start(consumer, server->conn, pe), -EINPROGRESS);
		PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_CONSUMER_NEW) == i + 1, TEST_MS);
		answer.consumer = test_queue_id(consumer->ctx);
		answer.status = rows[i].said;
		TEST_CALL(peer_ctl(&hostile, BF_WIRE_CONSUMER_ANSWER, &answer));
		PEER_WAIT(&hostile, test_state(consumer) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_EXPECT(rte_comch_ctx_reason_get(consumer->ctx), rows[i].told);
		/* and so it has no posts to send to */
		TEST_CALL(pair_ask(i));
		PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_READY) == i + 1, TEST_MS);
		TEST_EXPECT(last_status(), -ENOENT);
		TEST_CALL(test_ep_close(consumer));
	}
	TEST_EXPECT(peer_count(&hostile, BF_WIRE_CONSUMER_GONE), 0);
	TEST_EXPECT(server->nb_disconnects, 0);
	return test_log_passed();
}

/* The answer to what was not said yet: that a consumer of ours goes. */
static int
test_gone_answered_early(void)
{
	struct bf_wire_consumer_answer answer = { .to = BF_WIRE_CONSUMER_GONE };
	uint32_t i;

	TEST_CALL(consumer_up());
	answer.consumer = test_queue_id(consumer->ctx);
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_CONSUMER_ANSWER, &answer));
	/* it is there before the other side looks */
	for (i = 0; i < TEST_MS && hostile.sq.ci != hostile.sq.pi; i++) {
		usleep(1000);
		peer_poll(&hostile);
	}
	TEST_EXPECT(rte_comch_ctx_stop(consumer->ctx), -EINPROGRESS);
	TEST_CALL(expect_violation("an answer to nothing"));
	TEST_CALL(expect_served());
	return test_log_passed();
}

/* An answer about another one that goes, or none, while one does: that stays owed. */
static int
test_gone_answered_other(int none)
{
	struct bf_wire_consumer_answer answer = { .to = BF_WIRE_CONSUMER_GONE };

	TEST_CALL(consumer_up());
	answer.consumer = none ? 0 : test_queue_id(consumer->ctx) + 1;
	TEST_EXPECT(rte_comch_ctx_stop(consumer->ctx), -EINPROGRESS);
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_CONSUMER_GONE) == 1, TEST_MS);
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_CONSUMER_ANSWER, &answer));
	TEST_CALL(expect_violation("an answer to nothing"));
	TEST_CALL(expect_served());
	return test_log_passed();
}

/* The peer owes an answer about a consumer that comes or goes, and says nothing. */
static int
consumer_unanswered(int goes)
{
	struct rte_comch_pe *pe = test_pe_new();
	struct test_ep *other = NULL;

	TEST_CALL(server_up());
	if (goes) {
		TEST_CALL(consumer_new(pe));
		TEST_EXPECT(rte_comch_ctx_stop(consumer->ctx), -EINPROGRESS);
	} else {
		other = test_ep_new();
		TEST_EXPECT(test_consumer_start(other, server->conn, pe), -EINPROGRESS);
	}
	PEER_WAIT(&hostile, server->nb_disconnects == 1, BF_CONSUMER_MS + TEST_MS);
	TEST_EXPECT(server->disconnect_status, -ECONNRESET);
	TEST_EXPECT(test_log_count("the peer does not answer about a consumer"), 1);
	TEST_WAIT(other == NULL || test_state(other) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_CALL(expect_served());
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

	TEST_CALL(consumer_up());
	TEST_EXPECT(rte_comch_consumer_post_burst(consumer->ctx, &post, 1), 1);
	TEST_CALL(pair_ask(7));
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_READY) == 1, TEST_MS);
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_PAIR_GO, &go));
	TEST_EXPECT(rte_comch_ctx_stop(consumer->ctx), -EINPROGRESS);
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_CONSUMER_GONE) == 1, TEST_MS);
	test_progress_ms(50);
	TEST_EXPECT(rte_comch_queue_poll_burst(consumer->ctx, &cpl, 1), 0);
	TEST_EXPECT(test_state(consumer), RTE_COMCH_STATE_STOPPING);
	objects = test_model_state(&model, CARD, "objects");
	TEST_EXPECT(test_model_ctl(&model,
		"fault " CARD " cmd opcode=DESTROY_QP count=1 delay=300"), 0);
	answer.consumer = test_queue_id(consumer->ctx);
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_CONSUMER_ANSWER, &answer));
	PEER_WAIT(&hostile, rte_comch_queue_poll_burst(consumer->ctx, &cpl, 1) == 1, TEST_MS);
	TEST_TRUE(test_model_state(&model, CARD, "objects") < objects);
	TEST_EXPECT(cpl.cookie, 5);
	TEST_WAIT(test_state(consumer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(test_model_ctl(&model, "fault " CARD " clear"), 0);
	TEST_EXPECT(server->nb_disconnects, 0);
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

	TEST_CALL(server_up());
	for (i = 0; i < RTE_DIM(bad_ctls); i++) {
		got = server->nb_recv;
		TEST_CALL(peer_ctl(&hostile, bad_ctls[i].type, &bad_ctls[i].msg));
		if (bad_ctls[i].words == NULL) {
			TEST_CALL(peer_send(&hostile, BF_WIRE_DATA, &byte, 1));
			PEER_WAIT(&hostile, server->nb_recv == got + 1, TEST_MS);
			continue;
		}
		ends++;
		PEER_WAIT(&hostile, server->nb_disconnects == ends, TEST_MS);
		TEST_ASSERT(test_log_has(bad_ctls[i].words), "%u: the log has no: %s", i,
				bad_ctls[i].words);
		TEST_EXPECT(server->disconnect_status, -EPROTO);
		TEST_EXPECT(test_log_count("the peer breaks the protocol"), ends);
		TEST_CALL(expect_served());
	}
	TEST_EXPECT(server->nb_disconnects, ends);
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
			.consumer = test_queue_id(consumer->ctx),
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

	TEST_CALL(server_up());
	TEST_CALL(consumer_new(pe));
	for (round = 0; round < ANY_ROUNDS; round++) {
		for (i = 0; i < ANY_MSGS && server->nb_disconnects == ends; i++, taken++) {
			type = any_ctl(&x, &msg);
			TEST_CALL(peer_ctl(&hostile, type, &msg));
			if (x % 4 == 0)
				test_progress_ms(1);
			peer_poll(&hostile);
		}
		TEST_EXPECT(test_dev_status(card_dev), 0);
		if (server->nb_disconnects == ends)
			continue;
		ends++;
		TEST_ASSERT(server->disconnect_status == -EPROTO, "round %u ended with %d", round,
			server->disconnect_status);
		TEST_WAIT(test_state(consumer) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_CALL(test_ep_close(consumer));
		TEST_CALL(hostile_connected());
		TEST_CALL(consumer_new(pe));
	}
	test_note("%u messages, %u connections ended", taken, ends);
	TEST_TRUE(ends > 0 && taken > 2 * ends);
	TEST_EXPECT(test_dev_status(card_dev), 0);
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
			server->nb_disconnects == 1), TEST_MS);
	TEST_EXPECT(server->disconnect_status, status);
	TEST_TRUE(words == NULL || test_log_has(words));
	TEST_EXPECT(rte_comch_producer_credits(producer->ctx, CONSUMER), 0);
	TEST_CALL(test_ep_close(producer));
	TEST_CALL(expect_served());
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

	TEST_CALL(consumer_up());
	busy.dev = ((const struct bf_conn *)server->conn->priv)->dev;
	bf_job_post(busy.dev, &busy.job);
	ret = hostile_connected();
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
	memset(&good, 0, sizeof(good));
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
		TEST_CASE_ST(setup, teardown, test_pair_id),
		TEST_CASE_ST(setup, teardown, test_pair_twice),
		TEST_CASE_ST(setup, teardown, test_pair_flood),
		TEST_CASE_ST(setup, teardown, test_pair_share),
		TEST_CASE_ST(setup, teardown, test_pair_places),
		TEST_CASE_ST(setup, teardown, test_pair_churn),
		TEST_CASE_ST(setup, teardown, test_pair_entries),
		TEST_CASE_ST(setup, teardown, test_pair_read),
		TEST_CASE_ST(setup, teardown, test_pair_claims),
		TEST_CASE_ST(setup, teardown, test_pair_claims_less),
		TEST_CASE_ST(setup, pair_teardown, test_closed_lies),
		TEST_CASE_ST(setup, pair_teardown, test_same_id),
		TEST_CASE_ARG(setup, pair_teardown, "test_gone_takes_nothing",
			gone_takes_nothing, false),
		TEST_CASE_ARG(setup, pair_teardown, "test_gone_looked_at_late",
			gone_takes_nothing, true),
		TEST_CASE_ARG(setup, pair_teardown, "test_ready_early", pair_ready_lies, true),
		TEST_CASE_ARG(setup, pair_teardown, "test_ready_twice", pair_ready_lies, false),
		TEST_CASE_ST(setup, teardown, test_ready_late),
		TEST_CASE_ST(setup, teardown, test_pair_again),
		TEST_CASE_ST(setup, teardown, test_consumer_refused),
		TEST_CASE_ST(setup, teardown, test_gone_answered_early),
		TEST_CASE_ARG(setup, teardown, "test_gone_answered_other",
			test_gone_answered_other, false),
		TEST_CASE_ARG(setup, teardown, "test_gone_answered_none",
			test_gone_answered_other, true),
		TEST_CASE_ARG(setup, teardown, "test_new_unanswered", consumer_unanswered, false),
		TEST_CASE_ARG(setup, teardown, "test_gone_unanswered", consumer_unanswered, true),
		TEST_CASE_ST(setup, teardown, test_stop_waits),
		TEST_CASE_ST(setup, teardown, test_bad_ctls),
		TEST_CASE_ST(setup, teardown, test_any_ctls),
		TEST_CASE_ST(setup, pair_teardown, test_credits_too_many),
		TEST_CASE_ST(setup, pair_teardown, test_credits_far),
		TEST_CASE_ST(setup, pair_teardown, test_credits_none),
		TEST_CASE_ST(setup, pair_teardown, test_credits_with_data),
		TEST_CASE_ST(setup, teardown, test_worker_busy),
		TEST_CASE_ST(setup_many, teardown, test_ids_share),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(bluefield_peer_fast_autotest, unit_test_suite_runner, &suite);
