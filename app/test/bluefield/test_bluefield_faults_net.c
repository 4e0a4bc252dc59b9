/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What becomes of connections over a BlueField when doorbells get lost, or packets: messages
 * arrive all the same, or contexts end with the right error; in bounded time.
 */

#include "test_bluefield_faults.h"

/* A doorbell that got lost costs no more: a sign of life that is lost as well, and the next. */
#define DOORBELL_MS FAULT_SOON_MS

static int
net_fault(const char *function, const char *what)
{
	TEST_EXPECT(test_model_ctl(&fault_place.model, "fault %s net %s", function, what), 0);
	return TEST_SUCCESS;
}

static int
setup_quiet(void)
{
	TEST_CALL(fault_setup());
	TEST_CALL(fault_connect());
	TEST_CALL(fault_run(100));
	TEST_CALL(fault_quiet());
	/* what both sides tell of credits is over */
	test_progress_ms(20);
	return TEST_SUCCESS;
}

static int
ctrl_doorbell(const char *function, struct test_ep *from, const struct test_ep *to)
{
	uint32_t before = to->nb_recv;
	uint64_t start;

	TEST_CALL(net_fault(function, "doorbells=1"));
	start = test_now_ns();
	TEST_EXPECT(test_send_pattern(from->conn, 100, 1), 0);
	TEST_WAIT(to->nb_recv == before + 1, DOORBELL_MS);
	test_note("a control message whose doorbell got lost came after %" PRIu64 " ms",
		(test_now_ns() - start) / 1000000);
	TEST_WAIT(test_ctx_info(from->ctx).nb_tasks == 0, FAULT_SOON_MS);
	return TEST_SUCCESS;
}

/* A control message, of either side. */
static int
test_doorbell_of_control(void)
{
	TEST_CALL(ctrl_doorbell(FAULT_HOST, fault_fp.tx.ep, fault_fp.rx.ep));
	TEST_CALL(ctrl_doorbell(FAULT_CARD, fault_fp.rx.ep, fault_fp.tx.ep));
	fault_up.pause = fault_down.pause = false;
	TEST_CALL(fault_run(100));
	return fault_passed();
}

/* A sign of life: those that follow tell of the peer's end as ever. */
static int
test_doorbell_of_life(void)
{
	TEST_CALL(net_fault(FAULT_HOST, "doorbells=1"));
	test_progress_ms(2500);
	TEST_EXPECT(test_model_ctl(&fault_place.model, "unplug %s", FAULT_CARD), 0);
	TEST_CALL(fault_ended(-ENODEV, -ECONNRESET));
	test_fp_cleanup();
	TEST_EXPECT(test_vdev_remove((int16_t)fault_card), 0);
	fault_card = -1;
	return test_log_passed();
}

static int
flow_doorbell(const char *function, struct fault_flow *f)
{
	uint64_t start = test_now_ns();

	TEST_CALL(net_fault(function, "doorbells=1"));
	TEST_EXPECT(fault_send_one(f), 1);
	FAULT_WAIT(f->received == f->taken && f->done == f->taken, DOORBELL_MS);
	test_note("a message whose doorbell got lost came after %" PRIu64 " ms",
		(test_now_ns() - start) / 1000000);
	return TEST_SUCCESS;
}

/* The only message of a producer. */
static int
test_doorbell_of_message(void)
{
	TEST_CALL(flow_doorbell(FAULT_HOST, &fault_up));
	TEST_CALL(flow_doorbell(FAULT_CARD, &fault_down));
	fault_up.pause = fault_down.pause = false;
	TEST_CALL(fault_run(100));
	return fault_passed();
}

/* It stops at once: the message is delivered before the stop is over. */
static int
test_doorbell_then_stop(void)
{
	TEST_CALL(net_fault(FAULT_HOST, "doorbells=1"));
	TEST_EXPECT(fault_send_one(&fault_up), 1);
	TEST_EXPECT(rte_comch_ctx_stop(fault_up.p->ctx), -EINPROGRESS);
	TEST_WAIT(test_q_state(fault_up.p) == RTE_COMCH_STATE_IDLE, FAULT_SOON_MS);
	FAULT_WAIT(fault_up.received == fault_up.taken, FAULT_SOON_MS);
	return fault_passed();
}

/* The consumer of the card has no posts, and the producer of the host no credits. */
static int
starve(void)
{
	fault_up.no_posts = true;
	FAULT_WAIT(fault_send_one(&fault_up) == 0 && fault_up.done == fault_up.taken &&
		fault_up.received == fault_up.taken, FAULT_SOON_MS);
	TEST_TRUE(fault_up.nb_kept != 0);
	TEST_EXPECT(rte_comch_producer_credits(fault_up.p->ctx, fault_up.c->id), 0);
	return TEST_SUCCESS;
}

/* The last word about credits: the producer waits for nothing else. */
static int
test_doorbell_of_credits(void)
{
	uint64_t start;

	TEST_CALL(starve());
	TEST_CALL(net_fault(FAULT_CARD, "doorbells=1"));
	fault_post_one(&fault_up);
	start = test_now_ns();
	FAULT_WAIT(rte_comch_producer_credits(fault_up.p->ctx, fault_up.c->id) != 0, DOORBELL_MS);
	test_note("credits whose doorbell got lost came after %" PRIu64 " ms",
		(test_now_ns() - start) / 1000000);
	while (fault_up.nb_kept != 0)
		fault_post_one(&fault_up);
	fault_up.no_posts = fault_up.pause = fault_down.pause = false;
	TEST_CALL(fault_run(100));
	return fault_passed();
}

/*
 * The queue pair that should tell of credits fails: who waits for them would never notice,
 * but the consumer's side does.
 */
static int
test_credits_fail(void)
{
	TEST_CALL(starve());
	TEST_CALL(net_fault(FAULT_CARD, "records=1"));
	fault_post_one(&fault_up);
	TEST_CALL(fault_ended(-ECONNRESET, -ECONNRESET));
	TEST_EXPECT(test_dev_status((int16_t)fault_card), 0);
	TEST_CALL(fault_again());
	return fault_passed();
}

/* An engine that sleeps wakes for it. */
static int
test_doorbell_asleep(void)
{
	struct rte_comch_pe *pe = fault_fp.tx.q_pe;

	TEST_CALL(net_fault(FAULT_HOST, "doorbells=1"));
	TEST_EXPECT(fault_send_one(&fault_up), 1);
	TEST_SLEEP_UNTIL(test_drain(fault_up.p) == 1, pe, FAULT_SOON_MS);
	return fault_passed();
}

/* Many, while messages are under way. */
static int
test_doorbells_under_load(void)
{
	unsigned int i;

	fault_up.pause = fault_down.pause = false;
	for (i = 0; i < 5; i++) {
		TEST_CALL(net_fault(FAULT_HOST, "doorbells=7"));
		TEST_CALL(net_fault(FAULT_CARD, "doorbells=5"));
		TEST_CALL(fault_run(500));
	}
	TEST_CALL(fault_quiet());
	return fault_passed();
}

/*
 * None gets through any more: a producer can be stopped, and a consumer, whose peer cannot
 * answer what it never hears, ends the connection.
 */
static int
test_no_doorbells(void)
{
	struct test_ep *client = fault_fp.tx.ep, *server = fault_fp.rx.ep;

	TEST_CALL(net_fault(FAULT_HOST, "doorbells=all"));
	TEST_EXPECT(fault_send_one(&fault_up), 1);
	TEST_EXPECT(test_send_pattern(client->conn, 100, 1), 0);
	TEST_EXPECT(rte_comch_ctx_stop(fault_up.p->ctx), -EINPROGRESS);
	TEST_WAIT(test_q_state(fault_up.p) == RTE_COMCH_STATE_IDLE, FAULT_SOON_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(fault_up.p->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_stop(fault_down.c->ctx), -EINPROGRESS);
	FAULT_WAIT(test_q_state(fault_down.c) == RTE_COMCH_STATE_IDLE, FAULT_SOON_MS);
	TEST_EXPECT(fault_down.received + fault_down.returned, fault_down.posted);
	FAULT_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, FAULT_SOON_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), -ECONNRESET);
	TEST_EXPECT(client->nb_failed, 1);
	TEST_EXPECT(client->send_status, -ECONNRESET);
	FAULT_WAIT(server->conn == NULL, FAULT_SOON_MS);
	TEST_EXPECT(server->disconnect_status, -ECONNRESET);
	TEST_EXPECT(test_model_ctl(&fault_place.model, "fault %s net doorbells=0", FAULT_HOST), 0);
	TEST_CALL(fault_again());
	return fault_passed();
}

/* Packets of one function get lost, some: they are repeated. All: both sides give up. */
static int
lose_packets(const char *function)
{
	TEST_CALL(net_fault(function, "drop=3"));
	TEST_CALL(fault_run(500));
	TEST_CALL(net_fault(function, "drop=all"));
	TEST_CALL(fault_ended(-ECONNRESET, -ECONNRESET));
	TEST_CALL(net_fault(function, "drop=0"));
	TEST_CALL(fault_again());
	return TEST_SUCCESS;
}

static int
test_packets_lost(void)
{
	fault_up.pause = fault_down.pause = false;
	TEST_CALL(lose_packets(FAULT_HOST));
	TEST_CALL(lose_packets(FAULT_CARD));
	return fault_passed();
}

/* Stops of who has sent what cannot arrive, when both sides take each other for alive. */
static int
test_stop_without_packets(void)
{
	struct test_ep *client = fault_fp.tx.ep, *server = fault_fp.rx.ep;
	uint64_t start;

	TEST_CALL(net_fault(FAULT_HOST, "drop=all"));
	start = test_now_ns();
	TEST_EXPECT(fault_send_one(&fault_up), 1);
	TEST_EXPECT(test_send_pattern(client->conn, 100, 1), 0);
	TEST_EXPECT(rte_comch_ctx_stop(fault_up.p->ctx), -EINPROGRESS);
	TEST_EXPECT(rte_comch_ctx_stop(fault_down.c->ctx), -EINPROGRESS);
	/* by then its queue pair has given up, and says that the peer is dead */
	TEST_WAIT(test_q_state(fault_up.p) == RTE_COMCH_STATE_IDLE, FAULT_SOON_MS);
	test_note("a producer stops after %" PRIu64 " ms", (test_now_ns() - start) / 1000000);
	TEST_EXPECT(rte_comch_ctx_reason_get(fault_up.p->ctx), 0);
	FAULT_WAIT(test_q_state(fault_down.c) == RTE_COMCH_STATE_IDLE, FAULT_SOON_MS);
	test_note("a consumer stops after %" PRIu64 " ms", (test_now_ns() - start) / 1000000);
	TEST_EXPECT(fault_down.received + fault_down.returned, fault_down.posted);
	FAULT_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE && server->conn == NULL,
		FAULT_SOON_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), -ECONNRESET);
	TEST_EXPECT(server->disconnect_status, -ECONNRESET);
	TEST_EXPECT(client->send_status, -ECONNRESET);
	TEST_CALL(net_fault(FAULT_HOST, "drop=0"));
	TEST_CALL(fault_again());
	return fault_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "BlueField: doorbells and packets that get lost",
	.unit_test_cases = {
		TEST_CASE_ST(setup_quiet, fault_teardown, test_doorbell_of_control),
		TEST_CASE_ST(setup_quiet, fault_teardown, test_doorbell_of_life),
		TEST_CASE_ST(setup_quiet, fault_teardown, test_doorbell_of_message),
		TEST_CASE_ST(setup_quiet, fault_teardown, test_doorbell_then_stop),
		TEST_CASE_ST(setup_quiet, fault_teardown, test_doorbell_of_credits),
		TEST_CASE_ST(setup_quiet, fault_teardown, test_credits_fail),
		TEST_CASE_ST(setup_quiet, fault_teardown, test_doorbell_asleep),
		TEST_CASE_ST(setup_quiet, fault_teardown, test_doorbells_under_load),
		TEST_CASE_ST(setup_quiet, fault_teardown, test_no_doorbells),
		TEST_CASE_ST(setup_quiet, fault_teardown, test_packets_lost),
		TEST_CASE_ST(setup_quiet, fault_teardown, test_stop_without_packets),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(bluefield_faults_net_autotest, unit_test_suite_runner, &suite)
