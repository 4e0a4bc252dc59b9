/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The turn in which a client becomes RUNNING: it ends with that. What the peer sends
 * and announces at once is told of in the next one, no wake-up of it is lost, and a
 * program that looks at the state between two turns sees RUNNING first.
 */

#define ALLOW_INTERNAL_API 1

#include <rte_comch_pmd.h> /* check-ok: an event of a driver is played here */

#include "test_comch_fp_util.h"
#include "test_comch_place.h"

#define NB_MSGS 3
#define MSG_LEN 64
#define PEER_TURNS 200

static struct rte_comch_pe *server_pe, *client_pe, *helper_pe;
static struct test_ep *server, *client, *consumer;
static unsigned int nb_seen;   /* calls back about the client's connection */
static unsigned int nb_unseen; /* those before it had its user data */

static int
setup(void)
{
	server_pe = test_pe_new();
	client_pe = test_pe_new();
	helper_pe = test_pe_new();
	nb_seen = nb_unseen = 0;
	consumer = test_ep_new();
	return TEST_SUCCESS;
}

/* The peer does all that it can, while the client is told that it is RUNNING. */
static void
peer_turns(struct test_ep *ep __rte_unused, int prev __rte_unused, int next)
{
	unsigned int i;

	for (i = 0; next == RTE_COMCH_STATE_RUNNING && i < PEER_TURNS; i++) {
		rte_comch_pe_progress(server_pe);
		rte_comch_pe_progress(helper_pe);
	}
}

static void
greet(struct test_ep *ep, struct rte_comch_conn *conn)
{
	uint32_t i;

	RTE_SET_USED(ep);
	for (i = 0; i < NB_MSGS; i++)
		if (test_send_pattern(conn, MSG_LEN, i) != 0)
			test_fail("a message of the connect callback");
	if (ep->value != 0 && test_consumer_start(consumer, conn, server_pe) != -EINPROGRESS)
		test_fail("a consumer of the connect callback");
	if (ep->value == 0 && rte_comch_server_disconnect(conn) != 0)
		test_fail("the connection cannot be ended in the connect callback");
}

static void
see_msg(struct test_ep *ep, struct rte_comch_conn *conn, const void *msg, uint32_t len)
{
	if (len != MSG_LEN || !test_check(msg, len, nb_seen))
		test_fail("message %u is another one", nb_seen);
	nb_seen++;
	nb_unseen += rte_comch_conn_user_data_get(conn) != ep;
}

static int
run(bool with_consumer)
{
	server = test_server_run("test", server_pe);
	server->value = with_consumer;
	server->on_connect = greet;
	client = test_client_run("test", client_pe);
	client->on_state = peer_turns;
	client->on_recv = see_msg;
	TEST_EXPECT(rte_comch_pe_dev_add(helper_pe, test_pair.host), 0);
	return TEST_SUCCESS;
}

/* Turn the client's engine until a turn has made the client RUNNING. */
static int
until_running(void)
{
	TEST_UNTIL(test_state(client) != RTE_COMCH_STATE_STARTING, test_turn(server_pe, client_pe),
			TEST_MS);
	TEST_EXPECT(test_state(client), RTE_COMCH_STATE_RUNNING);
	return TEST_SUCCESS;
}

static int
test_messages(void)
{
	TEST_CALL(run(true));
	TEST_CALL(until_running());
	TEST_EXPECT(server->nb_connects, 1);
	TEST_EXPECT(client->nb_recv + nb_seen + client->nb_new, 0);
	TEST_EXPECT(rte_comch_conn_user_data_set(client->conn, client), 0);
	if (!test_place_is_bluefield()) {
		TEST_TRUE(rte_comch_pe_progress(client_pe) > 0);
		TEST_TRUE(nb_seen > 0);
	}
	TEST_WAIT(nb_seen == NB_MSGS && client->nb_new == 1, TEST_MS);
	TEST_EXPECT(nb_unseen, 0);
	return TEST_SUCCESS;
}

/* They are no reason to sleep, however the engine is armed. */
static int
test_arm_after(void)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	int ret;

	TEST_CALL(run(true));
	TEST_CALL(until_running());
	TEST_EXPECT(nb_seen, 0);
	/* over BlueField, as soon as they have come */
	do {
		rte_comch_pe_progress(server_pe);
		ret = rte_comch_pe_arm(client_pe);
	} while (ret == 0 && test_place_is_bluefield() && test_now_ns() < end);
	TEST_EXPECT(ret, -EAGAIN);
	TEST_EXPECT(rte_comch_pe_arm_always(client_pe), 0);
	TEST_EXPECT(test_wait_fd(client_pe, 0), 1);
	TEST_EXPECT(nb_seen, 0);
	TEST_TRUE(rte_comch_pe_progress(client_pe) > 0);
	TEST_TRUE(nb_seen > 0);
	return TEST_SUCCESS;
}

/*
 * A peer that sends and leaves at once: the same, and then the end. Between functions of
 * a BlueField the end can overtake messages, whose tasks say so.
 */
static int
test_short(void)
{
	TEST_CALL(run(false));
	TEST_CALL(until_running());
	TEST_EXPECT(nb_seen, 0);
	TEST_EXPECT(rte_comch_conn_user_data_set(client->conn, client), 0);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_WAIT(server->nb_done + server->nb_failed == NB_MSGS, TEST_MS);
	if (test_place_is_bluefield())
		TEST_TRUE(nb_seen >= server->nb_done);
	else
		TEST_EXPECT(nb_seen, NB_MSGS);
	TEST_EXPECT(nb_unseen, 0);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), -ESHUTDOWN);
	return TEST_SUCCESS;
}

static void
stop_it(struct test_ep *ep, int prev, int next)
{
	peer_turns(ep, prev, next);
	if (next == RTE_COMCH_STATE_RUNNING && rte_comch_ctx_stop(ep->ctx) != -EINPROGRESS)
		test_fail("the client does not stop in its callback");
}

/* One that stops in the callback is told of nothing. */
static int
test_stop_inside(void)
{
	TEST_CALL(run(false));
	client->on_state = stop_it;
	TEST_UNTIL(test_state(client) == RTE_COMCH_STATE_IDLE, test_turn(server_pe, client_pe),
			TEST_MS);
	TEST_EXPECT(nb_seen, 0);
	return TEST_SUCCESS;
}

/* What drivers have posted behind is handled, in order, in the turns that follow. */
static struct event {
	struct rte_comch_pmd_event base;
	unsigned int order; /* in which it was handled, from 1 */
} events[200];
static unsigned int nb_handled;

static void
event_handler(struct rte_comch_pmd_event *ev)
{
	container_of(ev, struct event, base)->order = ++nb_handled;
}

static void
post_events(struct test_ep *ep __rte_unused, int prev __rte_unused, int next)
{
	unsigned int i;

	for (i = 0; next == RTE_COMCH_STATE_RUNNING && i < RTE_DIM(events); i++) {
		events[i].base.handler = event_handler;
		if (rte_comch_pmd_event_post(client_pe, &events[i].base) != 0)
			test_fail("event %u cannot be posted", i);
	}
}

static int
test_events(void)
{
	unsigned int i;

	TEST_CALL(run(true));
	nb_handled = 0;
	if (test_place_is_bluefield()) {
		/* it is RUNNING after several turns: post in the one that makes it so */
		client->on_state = post_events;
		TEST_CALL(until_running());
	} else {
		client->on_state = NULL;
		/* the answer of the server is left in the mailbox of the client's engine */
		rte_comch_pe_progress(client_pe);
		for (i = 0; i < PEER_TURNS; i++) {
			rte_comch_pe_progress(helper_pe);
			rte_comch_pe_progress(server_pe);
		}
		test_arrive();
		post_events(client, RTE_COMCH_STATE_STARTING, RTE_COMCH_STATE_RUNNING);
		TEST_EXPECT(test_state(client), RTE_COMCH_STATE_STARTING);
		rte_comch_pe_progress(client_pe);
		TEST_EXPECT(test_state(client), RTE_COMCH_STATE_RUNNING);
	}
	TEST_EXPECT(nb_handled, 0);
	TEST_EXPECT(rte_comch_pe_arm(client_pe), -EAGAIN);
	TEST_WAIT(nb_handled == RTE_DIM(events), TEST_MS);
	for (i = 0; i < RTE_DIM(events); i++)
		TEST_EXPECT(events[i].order, i + 1);
	return TEST_SUCCESS;
}

/* Two clients of one engine: each is RUNNING in a turn of its own. */
static int
test_two_clients(void)
{
	struct test_ep *other;
	uint32_t before, turns = 0;
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;

	TEST_CALL(run(true));
	server->on_connect = NULL;
	client->on_state = NULL;
	other = test_client_run("test", client_pe);
	while (turns < 2) {
		TEST_TRUE(test_now_ns() < end);
		before = (client->conn != NULL) + (other->conn != NULL);
		rte_comch_pe_progress(client_pe);
		before = (client->conn != NULL) + (other->conn != NULL) - before;
		TEST_TRUE(before <= 1);
		turns += before;
		rte_comch_pe_progress(server_pe);
	}
	TEST_WAIT(server->nb_connects == 2, TEST_MS);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: the turn of RUNNING",
	.setup = test_setup_event,
	.unit_test_cases = {
		TEST_CASE_ST(setup, test_fp_cleanup, test_messages),
		TEST_CASE_ST(setup, test_fp_cleanup, test_arm_after),
		TEST_CASE_ST(setup, test_fp_cleanup, test_short),
		TEST_CASE_ST(setup, test_fp_cleanup, test_stop_inside),
		TEST_CASE_ST(setup, test_fp_cleanup, test_events),
		TEST_CASE_ST(setup, test_fp_cleanup, test_two_clients),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_turn_autotest, unit_test_suite_runner, &suite)
