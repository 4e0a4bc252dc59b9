/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What becomes of connections, producers and consumers over a BlueField when a function is
 * reset or goes, on this side or on the other, or the peer's process is killed, while messages
 * are under way: contexts end in the right state, with the right error, in bounded time; every
 * message, buffer and page comes back, and the next connection works.
 */

#include <signal.h>

#include "bluefield_prm.h"
#include "test_bluefield_faults.h"
#include "test_comch_fp_child.h"
#include "test_comch_fp_rx.h"

#define RX_BUFS 64u
#define RX_LEN 4096u

/* Ends of both sides; the device of the one that failed has to be reset. */
static int
expect_ends(uint64_t start, uint32_t ms, int card_reason, int host_reason)
{
	uint64_t took;

	FAULT_WAIT(fault_fp.tx.ep->conn == NULL && fault_fp.rx.ep->conn == NULL, ms);
	TEST_CALL(fault_ended(card_reason, host_reason));
	took = (test_now_ns() - start) / 1000000;
	test_note("all of it was over after %" PRIu64 " ms", took);
	TEST_TRUE(took <= ms);
	return TEST_SUCCESS;
}

/* A function level reset, by somebody else, of one of the two functions. */
static int
reset_under_load(int card)
{
	const char *function = card ? FAULT_CARD : FAULT_HOST;
	uint64_t start;
	unsigned int i;

	TEST_CALL(fault_connect());
	for (i = 0; i < 2; i++) {
		TEST_CALL(fault_run(500));
		start = test_now_ns();
		TEST_EXPECT(test_model_ctl(&fault_place.model, "reset %s", function), 0);
		TEST_CALL(expect_ends(start, FAULT_SILENCE_MS, card ? -EIO : -ECONNRESET,
			card ? -ECONNRESET : -EIO));
		TEST_CALL(fault_again());
	}
	return fault_passed();
}

/*
 * A completion queue has no room, or the queue of a consumer cannot be read: that device has
 * lost completions, and its peer a peer. A connection whose own queue pair failed with that
 * may be told so before the device is.
 */
static int
cq_fails(const char *function, const char *what)
{
	bool card = strcmp(function, FAULT_CARD) == 0;
	int16_t dev = (int16_t)(card ? fault_card : fault_host);
	unsigned int i;
	uint64_t start;
	int reason;

	TEST_CALL(fault_connect());
	for (i = 0; i < 3; i++) {
		TEST_CALL(fault_run(500));
		start = test_now_ns();
		TEST_EXPECT(test_model_ctl(&fault_place.model, "fault %s net %s=1", function,
			what), 0);
		FAULT_WAIT(test_dev_status(dev) != 0 && fault_fp.tx.ep->conn == NULL &&
			fault_fp.rx.ep->conn == NULL &&
			test_state(fault_fp.tx.ep) == RTE_COMCH_STATE_IDLE, FAULT_SILENCE_MS);
		TEST_EXPECT(test_dev_status(dev), -EIO);
		reason = card ? fault_fp.rx.ep->disconnect_status :
			rte_comch_ctx_reason_get(fault_fp.tx.ep->ctx);
		TEST_TRUE(reason == -EIO || reason == -ECONNRESET);
		TEST_CALL(expect_ends(start, FAULT_SILENCE_MS, card ? reason : -ECONNRESET,
			card ? -ECONNRESET : reason));
		TEST_TRUE(test_log_has("has lost completions"));
		TEST_CALL(fault_again());
	}
	return fault_passed();
}

static int
test_host_cq_fails(void)
{
	return cq_fails(FAULT_HOST, "cqes");
}

static int
test_card_cq_fails(void)
{
	return cq_fails(FAULT_CARD, "cqes");
}

static int
test_consumer_queue_fails(void)
{
	return cq_fails(FAULT_CARD, "posts");
}

/* A queue pair of its own accord goes to state ERROR: the connection ends, no more. */
static int
test_queue_pair_fails(void)
{
	uint64_t start;
	unsigned int i;

	TEST_CALL(fault_connect());
	for (i = 0; i < 6; i++) {
		TEST_CALL(fault_run(200));
		start = test_now_ns();
		TEST_EXPECT(test_model_ctl(&fault_place.model, "fault %s net records=1",
			i % 2 == 0 ? FAULT_HOST : FAULT_CARD), 0);
		TEST_CALL(expect_ends(start, FAULT_SILENCE_MS, -ECONNRESET, -ECONNRESET));
		TEST_EXPECT(test_dev_status((int16_t)fault_host), 0);
		TEST_EXPECT(test_dev_status((int16_t)fault_card), 0);
		TEST_CALL(fault_again());
	}
	return fault_passed();
}

/* The same, of a producer's, which looks for credits before it learns of what it sent. */
static int
test_producer_fails(void)
{
	uint64_t start;

	TEST_CALL(fault_connect());
	TEST_CALL(fault_run(200));
	TEST_CALL(fault_quiet());
	TEST_EXPECT(test_model_ctl(&fault_place.model, "fault %s net records=1", FAULT_HOST), 0);
	start = test_now_ns();
	TEST_EXPECT(fault_send_one(&fault_up), 1);
	TEST_UNTIL(test_log_has("failed (event"), 0, FAULT_SOON_MS);
	rte_comch_producer_credits(fault_up.p->ctx, fault_up.c->id);
	TEST_CALL(expect_ends(start, FAULT_SILENCE_MS, -ECONNRESET, -ECONNRESET));
	TEST_CALL(fault_again());
	return fault_passed();
}

/* Surprise removal; the slot gets a function again, which is plugged anew. */
static int
unplug_under_load(int card)
{
	const char *function = card ? FAULT_CARD : FAULT_HOST;
	int *dev = card ? &fault_card : &fault_host;
	uint64_t start;

	TEST_CALL(fault_connect());
	TEST_CALL(fault_run(500));
	start = test_now_ns();
	TEST_EXPECT(test_model_ctl(&fault_place.model, "unplug %s", function), 0);
	TEST_CALL(expect_ends(start, FAULT_SILENCE_MS, card ? -ENODEV : -ECONNRESET,
		card ? -ECONNRESET : -ENODEV));
	test_fp_cleanup();
	TEST_EXPECT(test_vdev_remove((int16_t)*dev), 0);
	*dev = -1;
	TEST_EXPECT(test_model_ctl(&fault_place.model, "plug %s", function), 0);
	TEST_EXPECT(test_model_state(&fault_place.model, function, "given"), 0);
	*dev = card ? test_place_card(&fault_place) :
		test_place_host(&fault_place, FAULT_HOST);
	TEST_CALL(test_place_pair(fault_card, fault_host));
	TEST_CALL(fault_again());
	return fault_passed();
}

/* The function of a process that is no more: nothing of it is left. */
static int
expect_released(const char *function)
{
	TEST_WAIT(test_model_state(&fault_place.model, function, "connected") == 0, FAULT_SOON_MS);
	TEST_EXPECT(test_model_state(&fault_place.model, function, "given"), 0);
	TEST_EXPECT(test_model_state(&fault_place.model, function, "objects"), 0);
	TEST_EXPECT(test_model_state(&fault_place.model, function, "regions"), 0);
	return TEST_SUCCESS;
}

/* A client's process is killed while its producers send to a consumer here. */
static int
kill_client(struct rte_comch_pe *pe)
{
	static struct test_rx rx;
	struct test_child *victim = test_fp_child_start(&fault_place, FAULT_HOST);
	struct test_link *link = NULL;
	uint64_t start;

	TEST_EXPECT(test_child_ask(victim, 10000, "client test"), 0);
	TEST_WAIT((link = test_link_of_child(victim)) != NULL, FAULT_SOON_MS);
	TEST_CALL(test_rx_open(&rx, TEST_RX_BURST, link, pe, RX_BUFS, RX_LEN));
	TEST_EXPECT(test_child_ask(victim, 20000, "blast 2 %u", RX_LEN), 0);
	TEST_RX_WAIT(&rx, rx.received >= 500, 10000);
	start = test_now_ns();
	TEST_EXPECT(kill(victim->pid, SIGKILL), 0);
	rx.finish = true;
	TEST_RX_WAIT(&rx, link->ended, FAULT_SILENCE_MS);
	TEST_EXPECT(link->status, -ECONNRESET);
	TEST_RX_WAIT(&rx, rte_comch_ctx_state_get(rx.ctx) == RTE_COMCH_STATE_IDLE, FAULT_SOON_MS);
	test_note("a killed client: all of it was over after %" PRIu64 " ms",
		(test_now_ns() - start) / 1000000);
	TEST_EXPECT(rte_comch_ctx_reason_get(rx.ctx), -ECONNRESET);
	TEST_TRUE(test_rx_has_all(&rx));
	if (rx.returned != 0)
		TEST_EXPECT(rx.status, -ECONNRESET);
	TEST_EXPECT(test_rx_destroy(&rx), 0);
	TEST_EXPECT(test_rx_free(&rx), 0);
	test_child_kill(victim);
	return expect_released(FAULT_HOST);
}

static int
test_client_killed(void)
{
	struct rte_comch_pe *pe = test_pe_new();
	unsigned int i;

	/* its function is the victims' */
	TEST_EXPECT(test_vdev_remove((int16_t)fault_host), 0);
	fault_host = -1;
	test_link_listen("test", pe);
	for (i = 0; i < 3; i++)
		TEST_CALL(kill_client(pe));
	fault_host = test_place_host(&fault_place, FAULT_HOST);
	TEST_CALL(test_place_pair(fault_card, fault_host));
	TEST_CALL(fault_again());
	return fault_passed();
}

/* The card's process is killed while both sides send and receive. */
static int
kill_card(struct test_ep *client, unsigned int round)
{
	struct test_load_conf conf = {
		.nb_producers = 2, .nb_consumers = 1, .peer_producers = 1, .peer_consumers = 2,
		.nb_posts = 32, .nb_sends = 32, .max_len = RX_LEN, .seed = 500 + round,
	};
	struct test_child *victim = test_fp_child_start(&fault_place, NULL);
	struct test_load_sum sum;
	struct test_load *load;
	uint64_t start;

	TEST_EXPECT(test_child_ask(victim, 10000, "server test"), 0);
	TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
	TEST_WAIT((conf.link = test_link_of(0, NULL)) != NULL, FAULT_SOON_MS);
	TEST_EXPECT(test_fp_child_load(victim, &conf), 0);
	load = test_load_start(&conf);
	TEST_TRUE(load != NULL);
	do {
		test_progress_ms(1);
		test_load_sum(load, &sum);
	} while ((sum.sent < 500 || sum.received < 500) && !test_load_done(load));
	start = test_now_ns();
	TEST_EXPECT(kill(victim->pid, SIGKILL), 0);
	TEST_WAIT(conf.link->ended, FAULT_SILENCE_MS);
	TEST_EXPECT(conf.link->status, -ECONNRESET);
	TEST_EXPECT(test_load_wait(load, FAULT_SOON_MS, &sum), 0);
	test_note("a killed server: all of it was over after %" PRIu64 " ms",
		(test_now_ns() - start) / 1000000);
	TEST_EXPECT(sum.nb_lost, conf.nb_producers + conf.nb_consumers);
	TEST_EXPECT(sum.reason, -ECONNRESET);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, FAULT_SOON_MS);
	test_child_kill(victim);
	return expect_released(FAULT_CARD);
}

static int
test_card_killed(void)
{
	struct test_ep *client;
	unsigned int i;

	TEST_EXPECT(test_vdev_remove((int16_t)fault_card), 0);
	fault_card = -1;
	client = test_link_connect("test", test_pe_new());
	TEST_EXPECT(rte_comch_ctx_stop(client->ctx), 0);
	for (i = 0; i < 3; i++)
		TEST_CALL(kill_card(client, i));
	fault_card = test_place_card(&fault_place);
	TEST_CALL(test_place_pair(fault_card, fault_host));
	TEST_CALL(fault_again());
	return fault_passed();
}

/* Firmware refuses a command of the set-up of a queue: that does not start, and all is back. */
static int
expect_refused(struct test_q *q, const char *function, const char *command)
{
	long before = test_model_state(&fault_place.model, function, "objects");

	TEST_EXPECT(test_model_ctl(&fault_place.model, "fault %s cmd opcode=%s count=1 status=%u",
		function, command, BF_STATUS_LIMIT), 0);
	TEST_EXPECT(rte_comch_ctx_start(q->ctx), -ENOSPC);
	TEST_EXPECT(test_q_state(q), RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(test_model_state(&fault_place.model, function, "objects"), before);
	return TEST_SUCCESS;
}

static int
test_queues_refused(void)
{
	const struct rte_comch_consumer_conf conf = { .imm_len = 8, .nb_posts = 4 };
	struct test_q *c, *p;

	TEST_CALL(test_fp_open(&fault_fp, TEST_FP_TO_DPU));
	c = test_q_consumer(&fault_fp.rx, &conf);
	TEST_CALL(expect_refused(c, FAULT_CARD, "CREATE_MKEY"));
	TEST_CALL(expect_refused(c, FAULT_CARD, "CREATE_RMP"));
	TEST_CALL(expect_refused(c, FAULT_CARD, "CREATE_CQ"));
	TEST_CALL(test_q_start(c, &fault_fp.tx));
	p = test_q_producer(&fault_fp.tx, NULL);
	TEST_CALL(expect_refused(p, FAULT_HOST, "CREATE_CQ"));
	TEST_EXPECT(rte_comch_ctx_start(p->ctx), 0);
	return fault_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "BlueField: connections on functions that fail",
	.unit_test_cases = {
		TEST_CASE_ARG(fault_setup, fault_teardown, "test_host_reset", reset_under_load,
			false),
		TEST_CASE_ARG(fault_setup, fault_teardown, "test_card_reset", reset_under_load,
			true),
		TEST_CASE_ST(fault_setup, fault_teardown, test_host_cq_fails),
		TEST_CASE_ST(fault_setup, fault_teardown, test_card_cq_fails),
		TEST_CASE_ST(fault_setup, fault_teardown, test_consumer_queue_fails),
		TEST_CASE_ST(fault_setup, fault_teardown, test_queue_pair_fails),
		TEST_CASE_ST(fault_setup, fault_teardown, test_producer_fails),
		TEST_CASE_ST(fault_setup, fault_teardown, test_queues_refused),
		TEST_CASE_ARG(fault_setup, fault_teardown, "test_host_unplugged",
			unplug_under_load, false),
		TEST_CASE_ARG(fault_setup, fault_teardown, "test_card_unplugged",
			unplug_under_load, true),
		TEST_CASE_ST(fault_setup, fault_teardown, test_client_killed),
		TEST_CASE_ST(fault_setup, fault_teardown, test_card_killed),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(bluefield_faults_autotest, unit_test_suite_runner, &suite)
