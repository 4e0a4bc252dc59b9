/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Reception held back and taken up again, and what the receive queue of a connection
 * can hold meanwhile. Which messages come, and when the peer's sends end. Reception
 * into mbufs is in test_comch_recv_mbuf.c.
 */

#include "test_comch_place.h"
#include "test_comch_util.h"
#include "test_mock.h"

#define NB_MSGS 20
/* Those that a server has tasks for, too. */
#define FEW_MSGS 8
/* A receive queue of which the test knows how many messages fill it. */
#define MSG_SIZE 4000
#define QUEUE_SIZE 16
#define QUEUE_TASKS 64
/* Turns in which something would have happened. */
#define TURNS 2000

static void
turn(unsigned int nb)
{
	if (nb > 0)
		test_arrive();
	for (; nb > 0; nb--)
		test_progress();
}

/* Each message says which one it is: they come in order, and none is missing. */
static void
recv_in_order(struct test_ep *ep, struct rte_comch_conn *conn __rte_unused, const void *msg,
		uint32_t len)
{
	if (!test_check(msg, len, ep->nb_recv))
		test_fail("message %u is another one", ep->nb_recv);
}

static int
send_some(struct rte_comch_conn *conn, uint32_t *sent, unsigned int nb)
{
	for (; nb > 0; nb--)
		TEST_EXPECT(test_send_pattern(conn, 16, ++*sent), 0);
	return TEST_SUCCESS;
}

static bool
says_held(const struct rte_comch_conn *conn)
{
	struct rte_comch_conn_info info = { 0 };

	if (rte_comch_conn_info_get(conn, &info) != 0)
		test_fail("no information of a connection");
	return info.recv_held;
}

static int
test_hold_api(void)
{
	struct test_ep *server, *client;
	struct rte_comch_conn *conn;

	TEST_EXPECT(rte_comch_conn_recv_hold_set(NULL, true), -EINVAL);
	TEST_EXPECT(rte_comch_conn_recv_hold_set(NULL, false), -EINVAL);
	TEST_CALL(test_connected(&server, &client));
	conn = server->conn;
	TEST_EXPECT(rte_comch_conn_ref(conn), 0);
	TEST_TRUE(!says_held(conn));
	TEST_EXPECT(rte_comch_conn_recv_hold_set(conn, false), -EALREADY);
	TEST_EXPECT(rte_comch_conn_recv_hold_set(conn, true), 0);
	TEST_TRUE(says_held(conn));
	TEST_EXPECT(rte_comch_conn_recv_hold_set(conn, true), -EALREADY);
	TEST_EXPECT(rte_comch_conn_recv_hold_set(conn, false), 0);
	TEST_TRUE(!says_held(conn));
	TEST_EXPECT(rte_comch_conn_recv_hold_set(conn, false), -EALREADY);
	/* it has ended for the library, and the callback of that is due */
	TEST_EXPECT(rte_comch_server_disconnect(conn), 0);
	TEST_EXPECT(rte_comch_conn_recv_hold_set(conn, true), -ENOTCONN);
	TEST_EXPECT(rte_comch_conn_recv_hold_set(conn, false), -ENOTCONN);
	TEST_WAIT(server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(rte_comch_conn_recv_hold_set(conn, true), -ENOTCONN);
	TEST_EXPECT(rte_comch_conn_recv_hold_set(conn, false), -ENOTCONN);
	TEST_EXPECT(rte_comch_conn_unref(conn), 0);
	return TEST_SUCCESS;
}

/* What is held back stays, in either direction, and comes in order. */
static int
held_and_resumed(struct test_ep *from, struct test_ep *to)
{
	uint32_t sent = 0, done = from->nb_done;

	to->on_recv = recv_in_order;
	TEST_CALL(send_some(from->conn, &sent, FEW_MSGS));
	TEST_WAIT(to->nb_recv == sent && from->nb_done == done + sent, TEST_MS);
	TEST_EXPECT(rte_comch_conn_recv_hold_set(to->conn, true), 0);
	TEST_CALL(send_some(from->conn, &sent, FEW_MSGS));
	turn(TURNS);
	TEST_EXPECT(to->nb_recv, FEW_MSGS);
	TEST_EXPECT(from->nb_done, done + FEW_MSGS);
	TEST_EXPECT(test_conn_stats(to->conn).rx_in_flight, FEW_MSGS);
	TEST_EXPECT(test_conn_stats(to->conn).rx_msgs, FEW_MSGS);
	TEST_EXPECT(test_conn_stats(from->conn).tx_in_flight, FEW_MSGS);
	TEST_EXPECT(rte_comch_conn_recv_hold_set(to->conn, false), 0);
	TEST_EXPECT(to->nb_recv, FEW_MSGS); /* not in there: by progress */
	TEST_WAIT(to->nb_recv == sent && from->nb_done == done + sent, TEST_MS);
	TEST_EXPECT(test_conn_stats(to->conn).rx_in_flight, 0);
	/* what was held when nothing came is as if it never was */
	TEST_EXPECT(rte_comch_conn_recv_hold_set(to->conn, true), 0);
	turn(TURNS);
	TEST_EXPECT(rte_comch_conn_recv_hold_set(to->conn, false), 0);
	turn(TURNS);
	TEST_CALL(send_some(from->conn, &sent, FEW_MSGS));
	TEST_WAIT(to->nb_recv == sent && from->nb_done == done + sent, TEST_MS);
	TEST_EXPECT(test_conn_stats(to->conn).rx_dropped, 0);
	return TEST_SUCCESS;
}

static int
test_server_holds(void)
{
	struct test_ep *server, *client;

	TEST_CALL(test_connected(&server, &client));
	return held_and_resumed(client, server);
}

static int
test_client_holds(void)
{
	struct test_ep *server, *client;

	TEST_CALL(test_connected(&server, &client));
	return held_and_resumed(server, client);
}

/* Another connection goes on, and so does sending on the one that is held back. */
static int
test_others_go_on(void)
{
	struct test_ep *server, *held, *client;
	uint32_t sent = 0;
	struct rte_comch_conn *conn;

	TEST_CALL(test_connected(&server, &held));
	conn = server->conn;
	TEST_EXPECT(rte_comch_conn_recv_hold_set(conn, true), 0);
	client = test_client_run("test", test_pe_new());
	TEST_WAIT(server->nb_connects == 2 && client->conn != NULL, TEST_MS);
	TEST_EXPECT(test_send_pattern(held->conn, 16, 0), 0);
	TEST_CALL(send_some(client->conn, &sent, NB_MSGS));
	TEST_WAIT(server->nb_recv == NB_MSGS && client->nb_done == NB_MSGS, TEST_MS);
	held->on_recv = recv_in_order;
	sent = 0;
	TEST_CALL(send_some(conn, &sent, FEW_MSGS));
	TEST_WAIT(held->nb_recv == FEW_MSGS && server->nb_done == FEW_MSGS, TEST_MS);
	TEST_EXPECT(held->nb_done, 0);
	TEST_EXPECT(test_conn_stats(conn).rx_in_flight, 1);
	return TEST_SUCCESS;
}

/* In the callback of every fifth message. */
static void
recv_then_hold(struct test_ep *ep, struct rte_comch_conn *conn, const void *msg, uint32_t len)
{
	recv_in_order(ep, conn, msg, len);
	if (ep->nb_recv % 5 == 0 && rte_comch_conn_recv_hold_set(conn, true) != 0)
		test_fail("cannot hold back inside the callback");
}

static int
test_hold_in_callback(void)
{
	struct test_ep *server, *client;
	uint32_t sent = 0;
	unsigned int i;

	TEST_CALL(test_connected(&server, &client));
	server->on_recv = recv_then_hold;
	TEST_CALL(send_some(client->conn, &sent, NB_MSGS));
	for (i = 5; i <= NB_MSGS; i += 5) {
		TEST_WAIT(server->nb_recv == i && client->nb_done == i, TEST_MS);
		turn(TURNS);
		TEST_EXPECT(server->nb_recv, i);
		TEST_EXPECT(client->nb_done, i); /* these were delivered, and no others */
		TEST_EXPECT(rte_comch_conn_recv_hold_set(server->conn, false), 0);
	}
	return TEST_SUCCESS;
}

static void
recv_hold_and_resume(struct test_ep *ep, struct rte_comch_conn *conn, const void *msg,
		uint32_t len)
{
	recv_in_order(ep, conn, msg, len);
	if (rte_comch_conn_recv_hold_set(conn, true) != 0 ||
			rte_comch_conn_recv_hold_set(conn, false) != 0)
		test_fail("cannot hold back and resume inside the callback");
}

static int
test_resume_in_callback(void)
{
	struct test_ep *server, *client;
	uint32_t sent = 0;

	TEST_CALL(test_connected(&server, &client));
	server->on_recv = recv_hold_and_resume;
	TEST_CALL(send_some(client->conn, &sent, NB_MSGS));
	TEST_WAIT(server->nb_recv == NB_MSGS && client->nb_done == NB_MSGS, TEST_MS);
	return TEST_SUCCESS;
}

static void
hold_at_once(struct test_ep *ep __rte_unused, struct rte_comch_conn *conn)
{
	if (rte_comch_conn_recv_hold_set(conn, true) != 0)
		test_fail("cannot hold back inside the connect callback");
}

/* From the first message on. */
static int
test_hold_in_connect(void)
{
	struct test_ep *server = test_server_run("test", test_pe_new()), *client;
	uint32_t sent = 0;

	server->on_connect = hold_at_once;
	client = test_client_run("test", test_pe_new());
	TEST_WAIT(server->nb_connects == 1 && client->conn != NULL, TEST_MS);
	TEST_CALL(send_some(client->conn, &sent, NB_MSGS));
	turn(TURNS);
	TEST_EXPECT(server->nb_recv, 0);
	server->on_recv = recv_in_order;
	TEST_EXPECT(rte_comch_conn_recv_hold_set(server->conn, false), 0);
	TEST_WAIT(server->nb_recv == NB_MSGS && client->nb_done == NB_MSGS, TEST_MS);
	return TEST_SUCCESS;
}

/* For the case below: onto which engine the server accepts. */
static struct rte_comch_pe *away;

static struct rte_comch_pe *
engine_away(const struct rte_comch_conn_info *info __rte_unused, void *user_data __rte_unused)
{
	return away;
}

/* The same on another engine than the server's. */
static int
test_hold_elsewhere(void)
{
	struct test_ep *server, *client;
	const struct rte_comch_server_conf conf = { .engine_cb = engine_away };
	uint32_t sent = 0;

	away = test_pe_new();
	TEST_EXPECT(rte_comch_pe_dev_add(away, test_pair.dpu), 0);
	server = test_server_run_conf(&conf, test_pe_new());
	server->on_connect = hold_at_once;
	server->on_recv = recv_in_order;
	client = test_client_run("test", test_pe_new());
	TEST_WAIT(server->nb_connects == 1 && client->conn != NULL, TEST_MS);
	TEST_CALL(send_some(client->conn, &sent, NB_MSGS));
	turn(TURNS);
	TEST_EXPECT(server->nb_recv, 0);
	TEST_TRUE(says_held(server->conn));
	TEST_EXPECT(rte_comch_conn_recv_hold_set(server->conn, false), 0);
	TEST_WAIT(server->nb_recv == NB_MSGS && client->nb_done == NB_MSGS, TEST_MS);
	return TEST_SUCCESS;
}

/* What the disconnect callback finds. */
static void
note_dropped(struct test_ep *ep, struct rte_comch_conn *conn, int status __rte_unused)
{
	ep->value = test_conn_stats(conn).rx_dropped;
	if (test_conn_stats(conn).rx_in_flight != 0)
		test_fail("messages in flight on a connection that has ended");
}

/* The end is told all the same, and what was not taken is counted on both sides. */
static int
test_end_while_held(void)
{
	struct test_ep *server, *client;
	uint32_t sent, round;

	for (round = 0; round < 3; round++) {
		sent = 0;
		TEST_CALL(test_connected(&server, &client));
		server->on_disconnect = note_dropped;
		TEST_CALL(send_some(client->conn, &sent, NB_MSGS));
		TEST_WAIT(server->nb_recv == NB_MSGS && client->nb_done == NB_MSGS, TEST_MS);
		TEST_EXPECT(rte_comch_conn_recv_hold_set(server->conn, true), 0);
		TEST_CALL(send_some(client->conn, &sent, 7));
		turn(round == 0 ? 0 : TURNS);
		test_arrive(); /* what is on its way at the end is dropped by nobody */
		if (round == 2)
			TEST_EXPECT(rte_comch_server_disconnect(server->conn), 0);
		else
			TEST_CALL(test_stop(client));
		TEST_WAIT(server->nb_disconnects == 1 &&
				test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_EXPECT(server->disconnect_status, round == 2 ? -ECANCELED : 0);
		TEST_EXPECT(server->value, 7);
		TEST_EXPECT(server->nb_recv, NB_MSGS);
		TEST_EXPECT(client->nb_done, NB_MSGS);
		TEST_EXPECT(client->nb_failed, 7);
		test_cleanup();
	}
	return TEST_SUCCESS;
}

static void
recv_and_hold(struct test_ep *ep, struct rte_comch_conn *conn, const void *msg, uint32_t len)
{
	recv_in_order(ep, conn, msg, len);
	if (rte_comch_conn_recv_hold_set(conn, true) != 0)
		test_fail("cannot hold back inside the callback");
}

/* From the first of the last messages on. Those that the peer knows to be taken come later. */
static int
test_end_hold_in_callback(void)
{
	struct test_ep *server, *client;
	uint32_t sent = 0;

	TEST_CALL(test_connected(&server, &client));
	server->on_recv = recv_and_hold;
	server->on_disconnect = note_dropped;
	TEST_CALL(send_some(client->conn, &sent, FEW_MSGS));
	TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EINPROGRESS);
	test_arrive();
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	test_progress_ms(1000);
	TEST_EXPECT(server->nb_recv, 1);
	server->on_recv = recv_in_order;
	if (server->nb_disconnects == 0)
		TEST_EXPECT(rte_comch_conn_recv_hold_set(server->conn, false), 0);
	TEST_WAIT(server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(server->nb_recv, client->nb_done);
	TEST_EXPECT(server->nb_recv + server->value, sent);
	return TEST_SUCCESS;
}

/* Messages for a connection that is held back do not wake its engine; resuming does. */
static int
test_hold_sleeps(void)
{
	struct rte_comch_pe *server_pe = test_pe_new(), *client_pe = test_pe_new();
	struct test_ep *server, *client;
	uint32_t sent = 0, round;
	unsigned int i;

	TEST_CALL(test_need_event());
	server = test_server_run("test", server_pe);
	client = test_client_run("test", client_pe);
	TEST_WAIT(server->conn != NULL && client->conn != NULL, TEST_MS);
	server->on_recv = recv_in_order;
	for (round = 0; round < 10; round++) {
		TEST_EXPECT(rte_comch_conn_recv_hold_set(server->conn, true), 0);
		/* what is there already, of a connection that is looked at or idle */
		TEST_CALL(send_some(client->conn, &sent, 1));
		for (i = 0; round % 2 != 0 && i < TURNS; i++)
			TEST_EXPECT(rte_comch_pe_progress(server_pe), 0);
		TEST_EXPECT(test_arm(server_pe), 0);
		/* one doorbell may be for nothing, and then no more */
		TEST_CALL(send_some(client->conn, &sent, 1));
		if (test_wait_fd(server_pe, 0) != 0)
			TEST_EXPECT(test_arm(server_pe), 0);
		for (i = 0; i < 5; i++) {
			TEST_CALL(send_some(client->conn, &sent, 1));
			TEST_EXPECT(test_wait_fd(server_pe, 0), 0);
			rte_comch_pe_progress(client_pe);
		}
		TEST_EXPECT(server->nb_recv, sent - 7);
		TEST_EXPECT(rte_comch_conn_recv_hold_set(server->conn, false), 0);
		TEST_EXPECT(test_wait_fd(server_pe, TEST_MS), 1);
		TEST_TRUE(rte_comch_pe_progress(server_pe) > 0 || test_place_is_bluefield());
		TEST_WAIT(server->nb_recv == sent && client->nb_done == sent, TEST_MS);
		/* and it is waked again as before */
		TEST_EXPECT(test_arm(server_pe), 0);
		TEST_CALL(send_some(client->conn, &sent, 1));
		TEST_EXPECT(test_wait_fd(server_pe, TEST_MS), 1);
		TEST_WAIT(server->nb_recv == sent && client->nb_done == sent, TEST_MS);
	}
	return TEST_SUCCESS;
}

/* Held back, it sends: its engine has to learn of the delivery. */
static int
test_hold_and_send(void)
{
	struct rte_comch_pe *server_pe = test_pe_new(), *client_pe = test_pe_new();
	struct test_ep *server, *client;
	uint32_t sent = 0, round;

	TEST_CALL(test_need_event());
	server = test_server_run("test", server_pe);
	client = test_client_run("test", client_pe);
	TEST_WAIT(server->conn != NULL && client->conn != NULL, TEST_MS);
	TEST_EXPECT(rte_comch_conn_recv_hold_set(server->conn, true), 0);
	TEST_EXPECT(test_send_pattern(client->conn, 16, 1), 0);
	for (round = 0; round < 50; round++) {
		test_settle();
		TEST_CALL(send_some(server->conn, &sent, 1));
		TEST_EXPECT(test_arm(server_pe), 0);
		while (client->nb_recv < sent)
			rte_comch_pe_progress(client_pe);
		TEST_EXPECT(test_wait_fd(server_pe, TEST_MS), 1);
		rte_comch_pe_progress(server_pe);
		TEST_EXPECT(server->nb_done, sent);
	}
	TEST_EXPECT(server->nb_recv, 0);
	return TEST_SUCCESS;
}

static int
queue_connect(struct test_ep **server, struct test_ep **client, uint32_t nb_tasks)
{
	const struct rte_comch_server_conf server_conf = {
		.ctrl.max_msg_size = MSG_SIZE,
		.ctrl.recv_queue_size = QUEUE_SIZE,
	};
	const struct rte_comch_client_conf client_conf = {
		.ctrl.max_msg_size = MSG_SIZE,
		.ctrl.recv_queue_size = QUEUE_SIZE,
		.ctrl.nb_tasks = nb_tasks,
	};

	*server = test_server_run_conf(&server_conf, test_pe_new());
	*client = test_client_run_conf(&client_conf, test_pe_new());
	TEST_WAIT((*server)->conn != NULL && (*client)->conn != NULL, TEST_MS);
	return TEST_SUCCESS;
}

/*
 * A peer that sends without end to a connection that is held back: as much is in its
 * receive queue as the queue has room, the rest waits at the peer, and no memory grows.
 */
static int
queue_filled(uint32_t nb_tasks, uint32_t len, uint32_t *in_flight)
{
	uint64_t memfd_kb, private_kb;
	struct test_ep *server, *client;
	uint32_t sent = 0, round;

	TEST_CALL(queue_connect(&server, &client, nb_tasks));
	server->on_recv = recv_in_order;
	*in_flight = 0;
	for (round = 0; round < 3; round++) {
		TEST_EXPECT(rte_comch_conn_recv_hold_set(server->conn, true), 0);
		memfd_kb = test_memfd_kb();
		while (test_conn_stats(client->conn).tx_in_flight < nb_tasks)
			TEST_EXPECT(test_send_pattern(client->conn, len, ++sent), 0);
		TEST_EXPECT(test_send_pattern(client->conn, len, sent + 1), -ENOMEM);
		private_kb = test_private_kb();
		turn(TURNS);
		test_arrive();
		turn(TURNS);
		if (round == 0)
			*in_flight = test_conn_stats(server->conn).rx_in_flight;
		TEST_EXPECT(test_conn_stats(server->conn).rx_in_flight, *in_flight);
		TEST_EXPECT(test_conn_stats(client->conn).tx_in_flight, nb_tasks);
		TEST_EXPECT(client->nb_done, sent - nb_tasks);
		TEST_TRUE(test_memfd_kb() <= memfd_kb);
		TEST_TRUE(TEST_ASAN || test_private_kb() < private_kb + 256);
		TEST_EXPECT(rte_comch_conn_recv_hold_set(server->conn, false), 0);
		TEST_WAIT(server->nb_recv == sent && client->nb_done == sent, TEST_MS);
	}
	return TEST_SUCCESS;
}

static int
test_queue_bound(void)
{
	uint32_t in_flight;

	TEST_CALL(queue_filled(QUEUE_TASKS, MSG_SIZE, &in_flight));
	TEST_TRUE(in_flight >= QUEUE_SIZE);
	/* whole pages, and no message more than that makes */
	TEST_TRUE(in_flight <= QUEUE_SIZE + 1);
	return TEST_SUCCESS;
}

/* Small messages: more of them, and not more bytes. */
static int
test_queue_bound_small(void)
{
	uint32_t in_flight;

	TEST_CALL(queue_filled(4096, 100, &in_flight));
	/* a queue of BlueField is of messages, whatever they have of their room */
	TEST_TRUE(in_flight > (test_place_is_bluefield() ? QUEUE_SIZE - 1 : QUEUE_SIZE));
	TEST_TRUE(in_flight <= (QUEUE_SIZE + 1) * (MSG_SIZE + 8) / 100);
	return TEST_SUCCESS;
}

/* A driver that has a message in hand: it is told to keep it, and asked for it later. */
static int
test_mock_keeps(void)
{
	struct test_ep *server, *client;
	uint8_t msg[16];
	uint32_t seed;

	TEST_CALL(test_connected(&server, &client));
	server->on_recv = recv_in_order;
	TEST_EXPECT(rte_comch_conn_recv_hold_set(server->conn, true), 0);
	for (seed = 1; seed <= NB_MSGS; seed++) {
		test_fill(msg, sizeof(msg), seed);
		TEST_EXPECT(test_mock_msg_recv(server->conn, msg, sizeof(msg)), -EAGAIN);
	}
	turn(TURNS);
	TEST_EXPECT(server->nb_recv, 0);
	TEST_EXPECT(test_conn_stats(server->conn).rx_msgs, 0);
	TEST_EXPECT(rte_comch_conn_recv_hold_set(server->conn, false), 0);
	TEST_EXPECT(server->nb_recv, 0);
	TEST_WAIT(server->nb_recv == NB_MSGS, TEST_MS);
	TEST_EXPECT(test_conn_stats(server->conn).rx_msgs, NB_MSGS);
	test_fill(msg, sizeof(msg), NB_MSGS + 1);
	TEST_EXPECT(test_mock_msg_recv(server->conn, msg, sizeof(msg)), 0);
	TEST_EXPECT(server->nb_recv, NB_MSGS + 1);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: reception held back",
	.unit_test_cases = {
		TEST_CASE_ST(NULL, test_cleanup, test_hold_api),
		TEST_CASE_ST(NULL, test_cleanup, test_server_holds),
		TEST_CASE_ST(NULL, test_cleanup, test_client_holds),
		TEST_CASE_ST(NULL, test_cleanup, test_others_go_on),
		TEST_CASE_ST(NULL, test_cleanup, test_hold_in_callback),
		TEST_CASE_ST(NULL, test_cleanup, test_resume_in_callback),
		TEST_CASE_ST(NULL, test_cleanup, test_hold_in_connect),
		TEST_CASE_ST(NULL, test_cleanup, test_hold_elsewhere),
		TEST_CASE_ST(NULL, test_cleanup, test_end_while_held),
		TEST_CASE_ST(NULL, test_cleanup, test_end_hold_in_callback),
		TEST_CASE_ST(NULL, test_cleanup, test_hold_sleeps),
		TEST_CASE_ST(NULL, test_cleanup, test_hold_and_send),
		TEST_CASE_ST(NULL, test_cleanup, test_queue_bound),
		TEST_CASE_ST(NULL, test_cleanup, test_queue_bound_small),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_hold_autotest, test_pairs_run, &suite)

static struct unit_test_suite mock_suite = {
	.suite_name = "comch: reception held back, of a driver with messages in hand",
	.setup = test_mock_suite_setup,
	.teardown = test_mock_suite_teardown,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, test_mock_case_teardown, test_mock_keeps),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_hold_mock_autotest, unit_test_suite_runner, &mock_suite)
