/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Connections that a server hands to another engine: when they may go, and that all of
 * them works there. One thread turns all engines here, so that each step can be looked
 * at; with threads they are in test_comch_move_threads.c.
 */

#include "test_comch_fp_util.h"
#include "test_comch_place.h"
#include "test_mock.h"

/* The one server of a case, and where its connections go. */
static struct lab {
	struct test_ep *server;
	struct rte_comch_pe *pe;   /* of the server */
	struct rte_comch_pe *away; /* where its connections go */
	struct rte_comch_conn *moved;
	uint32_t nb_moved;
	int ret;                   /* of the move in the connect callback */
	bool early;                /* something came before it had arrived */
	int (*in_connect)(struct rte_comch_conn *conn);
} lab;

static void
moved_cb(struct rte_comch_conn *conn, int status, void *user_data)
{
	if (user_data != lab.server || status != 0)
		test_fail("the arrival of a connection: %d", status);
	lab.moved = conn;
	lab.nb_moved++;
}

static void
on_connect(struct test_ep *ep, struct rte_comch_conn *conn)
{
	RTE_SET_USED(ep);
	lab.moved = NULL;
	if (lab.in_connect != NULL && lab.in_connect(conn) != TEST_SUCCESS)
		test_fail("in the connect callback");
	else if (lab.in_connect == NULL)
		lab.ret = rte_comch_conn_move(conn, lab.away);
}

/* The server of the case, RUNNING; 0 for the default of its clients and tasks. */
static int
lab_open(uint32_t max_clients, uint32_t max_conn_tasks)
{
	struct rte_comch_server_conf conf;

	memset(&lab, 0, sizeof(lab));
	lab.server = test_ep_new();
	lab.pe = test_pe_new();
	lab.away = test_pe_new();
	TEST_TRUE(lab.server != NULL && lab.pe != NULL && lab.away != NULL);
	TEST_EXPECT(rte_comch_pe_dev_add(lab.away, test_pair.dpu), 0);
	test_server_conf(lab.server, "test", &conf);
	conf.moved_cb = moved_cb;
	conf.max_clients = max_clients;
	conf.ctrl.max_conn_tasks = max_conn_tasks;
	TEST_EXPECT(test_server_start(lab.server, &conf, lab.pe), 0);
	lab.server->on_connect = on_connect;
	return TEST_SUCCESS;
}

/* A client whose connection has arrived. */
static int
lab_client(struct test_ep **client)
{
	uint32_t before = lab.nb_moved;

	*client = test_client_run("test", test_pe_new());
	TEST_TRUE(*client != NULL);
	TEST_WAIT(lab.nb_moved == before + 1 && (*client)->conn != NULL, TEST_MS);
	TEST_EXPECT(lab.ret, 0);
	return TEST_SUCCESS;
}

/* Suites that need a driver that can. */
static int
setup(void)
{
	struct rte_comch_dev_info info;

	TEST_CALL(test_setup_quiet());
	TEST_EXPECT(rte_comch_dev_info_get(test_pair.dpu, &info), 0);
	if ((info.capa & RTE_COMCH_CAPA_CONN_MOVE) != 0)
		return TEST_SUCCESS;
	test_log_restore();
	return test_skip("the driver moves no connections");
}

/*
 * What the call returns
 */

static int
refusals_in_connect(struct rte_comch_conn *conn)
{
	const struct rte_comch_pe_conf few = { .socket_id = -1, .max_tasks = 2 };
	struct rte_comch_pe *bare, *poor;
	struct rte_comch_task *task;
	struct rte_comch_ctx *ctx;

	TEST_EXPECT(rte_comch_conn_move(NULL, lab.away), -EINVAL);
	TEST_EXPECT(rte_comch_conn_move(conn, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_pe_create(NULL, &bare), 0);
	TEST_EXPECT(rte_comch_conn_move(conn, bare), -ENOLINK);
	TEST_EXPECT(rte_comch_pe_destroy(bare), 0);
	TEST_EXPECT(rte_comch_pe_create(&few, &poor), 0);
	TEST_EXPECT(rte_comch_pe_dev_add(poor, test_pair.dpu), 0);
	TEST_EXPECT(rte_comch_conn_move(conn, poor), -ENOMEM);
	TEST_EXPECT(rte_comch_pe_destroy(poor), 0);
	TEST_EXPECT(rte_comch_conn_task_alloc(conn, "x", 1, &task), 0);
	TEST_EXPECT(rte_comch_conn_move(conn, lab.away), -EBUSY);
	TEST_EXPECT(rte_comch_task_free(task), 0);
	TEST_EXPECT(rte_comch_producer_create(conn, NULL, &ctx), 0);
	TEST_EXPECT(rte_comch_conn_move(conn, lab.away), -EBUSY);
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);

	/* and now it goes, but has not gone */
	TEST_EXPECT(rte_comch_conn_move(conn, lab.away), 0);
	TEST_EXPECT(rte_comch_conn_move(conn, lab.away), -EALREADY);
	TEST_EXPECT(rte_comch_conn_task_alloc(conn, "x", 1, &task), -EAGAIN);
	TEST_EXPECT(rte_comch_producer_create(conn, NULL, &ctx), -EAGAIN);
	TEST_EXPECT(rte_comch_consumer_create(conn, NULL, &ctx), -EAGAIN);
	TEST_EXPECT(rte_comch_conn_user_data_set(conn, &lab), 0);
	TEST_EXPECT(rte_comch_pe_destroy(lab.away), -EBUSY);
	return TEST_SUCCESS;
}

static int
test_calls(void)
{
	struct rte_comch_conn_info info;
	struct rte_comch_conn *conn;
	struct test_ep *client;

	TEST_CALL(lab_open(0, 0));
	lab.in_connect = refusals_in_connect;
	TEST_CALL(lab_client(&client));
	conn = lab.moved;
	TEST_TRUE(conn == lab.server->conn);
	TEST_TRUE(rte_comch_conn_user_data_get(conn) == &lab);
	TEST_EXPECT(rte_comch_conn_move(client->conn, lab.away), -EINVAL);
	TEST_EXPECT(rte_comch_conn_move(conn, lab.pe), -EPERM);
	TEST_EXPECT(rte_comch_pe_destroy(lab.away), -EBUSY);
	TEST_TRUE(test_conn_ctx(conn) == lab.server->ctx);
	TEST_TRUE(rte_comch_server_conn_next(lab.server->ctx, NULL) == NULL);
	TEST_EXPECT(rte_comch_conn_info_get(conn, &info), 0);
	TEST_TRUE(info.connected && strcmp(info.server, "test") == 0);
	return TEST_SUCCESS;
}

static int
stay(struct rte_comch_conn *conn)
{
	RTE_SET_USED(conn);
	return TEST_SUCCESS;
}

static int
test_no_callback(void)
{
	struct test_ep *server, *client;

	/* a server without moved_cb, and a connection that stayed */
	server = test_server_run("test", test_pe_new());
	TEST_TRUE(server != NULL);
	lab.away = test_pe_new();
	TEST_EXPECT(rte_comch_pe_dev_add(lab.away, test_pair.dpu), 0);
	lab.in_connect = NULL;
	server->on_connect = on_connect;
	client = test_client_run("test", test_pe_new());
	TEST_TRUE(client != NULL);
	TEST_WAIT(server->conn != NULL && client->conn != NULL, TEST_MS);
	TEST_EXPECT(lab.ret, -EINVAL);
	test_cleanup();

	TEST_CALL(lab_open(0, 0));
	lab.in_connect = stay;
	client = test_client_run("test", test_pe_new());
	TEST_TRUE(client != NULL);
	TEST_WAIT(lab.server->conn != NULL && client->conn != NULL, TEST_MS);
	TEST_EXPECT(rte_comch_conn_move(lab.server->conn, lab.away), -EPERM);
	TEST_TRUE(rte_comch_server_conn_next(lab.server->ctx, NULL) == lab.server->conn);
	return TEST_SUCCESS;
}

/*
 * Messages
 */

#define EARLY 20

/* The client sends as soon as it may. */
static void
send_when_up(struct test_ep *ep, int prev, int next)
{
	uint32_t i;

	RTE_SET_USED(prev);
	if (next != RTE_COMCH_STATE_RUNNING)
		return;
	for (i = 0; i < EARLY; i++)
		if (test_send_pattern(ep->conn, 10 + i, i) != 0)
			test_fail("message %u cannot be sent", i);
}

static void
in_order(struct test_ep *ep, struct rte_comch_conn *conn, const void *msg, uint32_t len)
{
	uint32_t i = (uint32_t)ep->value++;

	lab.early |= lab.moved != conn;
	if (len != 10 + i || !test_check(msg, len, i))
		test_fail("message %u is another one", i);
}

/* What comes before the connection has arrived waits, and keeps its order. */
static int
test_early_messages(void)
{
	struct rte_comch_client_conf conf;
	struct test_ep *client;

	TEST_CALL(lab_open(0, 0));
	lab.server->on_recv = in_order;
	client = test_ep_new();
	TEST_TRUE(client != NULL);
	client->on_state = send_when_up;
	test_client_conf(client, "test", &conf);
	TEST_EXPECT(test_client_start(client, &conf, test_pe_new()), -EINPROGRESS);
	TEST_WAIT(client->nb_done == EARLY, TEST_MS);
	TEST_EXPECT(lab.server->nb_recv, EARLY);
	TEST_TRUE(!lab.early);
	return TEST_SUCCESS;
}

/* Both ways, from the new engine, whoever turns; and then one of the server's own. */
static int
test_messages(void)
{
	struct test_ep *client, *other;
	uint32_t i;

	TEST_CALL(lab_open(0, 0));
	TEST_CALL(lab_client(&client));
	lab.server->echo = true;
	for (i = 1; i <= 200; i++) {
		TEST_EXPECT(test_send_pattern(client->conn, i, i), 0);
		TEST_WAIT(client->nb_recv == i, TEST_MS);
		TEST_TRUE(client->last_len == i && test_check(client->last_msg, i, i));
	}
	/* not by the engine of the server */
	TEST_EXPECT(test_send_pattern(client->conn, 5, 1), 0);
	for (i = 0; i < 2000; i++)
		rte_comch_pe_progress(lab.pe);
	TEST_EXPECT(lab.server->nb_recv, 200);
	TEST_WAIT(client->nb_recv == 201, TEST_MS);

	lab.in_connect = stay;
	other = test_client_run("test", test_pe_new());
	TEST_TRUE(other != NULL);
	TEST_WAIT(other->conn != NULL, TEST_MS);
	TEST_EXPECT(test_send_pattern(other->conn, 5, 1), 0);
	TEST_WAIT(other->nb_recv == 1, TEST_MS);
	return TEST_SUCCESS;
}

/* The engine may be that of the server: then it only comes back later. */
static int
test_own_engine(void)
{
	struct test_ep *client;
	uint32_t i;

	TEST_CALL(lab_open(0, 0));
	lab.away = lab.pe;
	lab.server->echo = true;
	TEST_CALL(lab_client(&client));
	for (i = 1; i <= 50; i++) {
		TEST_EXPECT(test_send_pattern(client->conn, i, i), 0);
		TEST_WAIT(client->nb_recv == i, TEST_MS);
	}
	TEST_CALL(test_stop(lab.server));
	TEST_EXPECT(lab.server->nb_disconnects, 1);
	return TEST_SUCCESS;
}

/* The engine that it went to sleeps, and the peer wakes that one. */
static int
test_event(void)
{
	struct test_ep *client;
	uint64_t end;
	uint32_t i;

	TEST_CALL(lab_open(0, 0));
	TEST_CALL(lab_client(&client));
	for (i = 1; i <= 20; i++) {
		test_settle();
		TEST_EXPECT(test_arm(lab.away), 0);
		TEST_EXPECT(test_send_pattern(client->conn, 5, i), 0);
		TEST_EXPECT(test_wait_fd(lab.away, TEST_MS), 1);
		TEST_WAIT(lab.server->nb_recv == i, TEST_MS);
	}
	/* and by the next that arrives */
	test_settle();
	TEST_EXPECT(test_arm(lab.away), 0);
	client = test_client_run("test", test_pe_new());
	TEST_TRUE(client != NULL);
	end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	while (lab.server->nb_connects < 2) {
		TEST_TRUE(test_now_ns() < end);
		rte_comch_pe_progress(lab.pe);
		if (test_wait_fd(lab.away, 0) == 0)
			test_progress();
	}
	TEST_WAIT(lab.nb_moved == 2, TEST_MS);
	return TEST_SUCCESS;
}

/*
 * Tasks
 */

/* As TEST_WAIT(), with an engine that test_progress() does not know. */
#define WAIT_AWAY(cond) TEST_WAIT((rte_comch_pe_progress(lab.away), cond), TEST_MS)

/* One more client; what the move returned in the connect callback. */
static int
connect_one(int want)
{
	uint32_t before = lab.server->nb_connects, moved = lab.nb_moved;
	struct test_ep *client = test_client_run("test", test_pe_new());

	TEST_TRUE(client != NULL);
	WAIT_AWAY(lab.server->nb_connects == before + 1 && client->conn != NULL);
	TEST_EXPECT(lab.ret, want);
	WAIT_AWAY(lab.nb_moved == moved + (want == 0));
	return TEST_SUCCESS;
}

static int
budget(void)
{
	struct rte_comch_task *tasks[4], *none;
	struct rte_comch_conn *conn;
	uint32_t i;

	TEST_CALL(connect_one(0));
	conn = lab.moved;
	for (i = 0; i < RTE_DIM(tasks); i++)
		TEST_EXPECT(rte_comch_conn_task_alloc(lab.moved, "x", 1, &tasks[i]), 0);
	TEST_EXPECT(rte_comch_conn_task_alloc(lab.moved, "x", 1, &none), -EDQUOT);
	TEST_EXPECT(test_ctx_info(lab.server->ctx).nb_tasks, 0);
	TEST_CALL(connect_one(-ENOMEM)); /* and it stays */
	/* as long as it has tasks, they are not another's */
	TEST_EXPECT(rte_comch_server_disconnect(conn), 0);
	WAIT_AWAY(lab.server->nb_disconnects == 1);
	TEST_CALL(connect_one(-ENOMEM));
	for (i = 0; i < RTE_DIM(tasks); i++)
		TEST_EXPECT(rte_comch_task_free(tasks[i]), 0);
	TEST_CALL(connect_one(0));
	TEST_CALL(connect_one(-ENOMEM));
	TEST_TRUE(rte_comch_ctx_stop(lab.server->ctx) <= 0);
	WAIT_AWAY(test_state(lab.server) == RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(lab.server->nb_disconnects, 5);
	return TEST_SUCCESS;
}

/* What it may have is its own, and the engine has it again after the end. */
static int
test_budget(void)
{
	const struct rte_comch_pe_conf conf = { .socket_id = -1, .max_tasks = 7 };
	int ret;

	TEST_CALL(lab_open(0, 4));
	TEST_EXPECT(rte_comch_pe_create(&conf, &lab.away), 0);
	TEST_EXPECT(rte_comch_pe_dev_add(lab.away, test_pair.dpu), 0);
	ret = budget();
	if (ret == TEST_SUCCESS)
		TEST_EXPECT(rte_comch_pe_destroy(lab.away), 0);
	return ret;
}

/*
 * Ends
 */

/* What ends a connection, and the status that the server's side learns. */
static int
test_ends(void)
{
	struct test_ep *client;

	TEST_CALL(lab_open(0, 0));
	TEST_CALL(lab_client(&client));
	TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EINPROGRESS);
	TEST_WAIT(lab.server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(lab.server->disconnect_status, 0);
	TEST_CALL(lab_client(&client));
	TEST_EXPECT(test_send_pattern(lab.moved, 10, 1), 0);
	TEST_EXPECT(rte_comch_server_disconnect(lab.moved), 0);
	TEST_EXPECT(rte_comch_server_disconnect(lab.moved), -EALREADY);
	TEST_WAIT(lab.server->nb_disconnects == 2 &&
			test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(lab.server->disconnect_status, -ECANCELED);
	TEST_EXPECT(lab.server->nb_done + lab.server->nb_failed, 1);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), -ESHUTDOWN);
	/* not in the turns of the server's engine */
	TEST_CALL(lab_client(&client));
	TEST_EXPECT(rte_comch_ctx_stop(lab.server->ctx), -EINPROGRESS);
	while (rte_comch_pe_progress(lab.pe) > 0)
		;
	TEST_EXPECT(lab.server->nb_disconnects, 2);
	TEST_EXPECT(test_state(lab.server), RTE_COMCH_STATE_STOPPING);
	TEST_EXPECT(rte_comch_ctx_destroy(lab.server->ctx), -EBUSY);
	TEST_WAIT(test_state(lab.server) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(lab.server->nb_disconnects, 3);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	/* once more, from the beginning */
	TEST_EXPECT(rte_comch_ctx_start(lab.server->ctx), 0);
	TEST_CALL(lab_client(&client));
	return TEST_SUCCESS;
}

static int
move_and_disconnect(struct rte_comch_conn *conn)
{
	TEST_EXPECT(rte_comch_conn_move(conn, lab.away), 0);
	TEST_EXPECT(rte_comch_server_disconnect(conn), 0);
	TEST_EXPECT(rte_comch_server_disconnect(conn), -EALREADY);
	return TEST_SUCCESS;
}

static int
disconnect_and_move(struct rte_comch_conn *conn)
{
	TEST_EXPECT(rte_comch_server_disconnect(conn), 0);
	TEST_EXPECT(rte_comch_conn_move(conn, lab.away), -ENOTCONN);
	return TEST_SUCCESS;
}

static int
move_and_stop(struct rte_comch_conn *conn)
{
	TEST_EXPECT(rte_comch_conn_move(conn, lab.away), 0);
	TEST_EXPECT(rte_comch_ctx_stop(lab.server->ctx), -EINPROGRESS);
	return TEST_SUCCESS;
}

/* It was to move, but ends in the same callback: it never arrives. */
static int
test_end_in_connect(void)
{
	int (* const ends[])(struct rte_comch_conn *conn) = {
		move_and_disconnect, disconnect_and_move, move_and_stop,
	};
	struct test_ep *client;
	unsigned int i;

	for (i = 0; i < RTE_DIM(ends); i++) {
		TEST_CALL(lab_open(0, 0));
		lab.in_connect = ends[i];
		client = test_client_run("test", test_pe_new());
		TEST_TRUE(client != NULL);
		TEST_WAIT(lab.server->nb_disconnects == 1 &&
				test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_EXPECT(lab.server->disconnect_status, -ECANCELED);
		if (ends[i] != move_and_stop)
			TEST_TRUE(rte_comch_ctx_stop(lab.server->ctx) <= 0);
		TEST_WAIT(test_state(lab.server) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_EXPECT(lab.nb_moved, 0);
		test_cleanup();
	}
	return TEST_SUCCESS;
}

/* Connected and closed again before the new engine has had a turn. */
static int
test_end_on_the_way(void)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	struct rte_comch_pe *own = test_pe_new();
	struct test_ep *client;
	unsigned int i;

	TEST_CALL(lab_open(0, 0));
	client = test_client_run("test", own);
	TEST_TRUE(client != NULL);
	/* the new engine gets no turn */
	while (lab.server->conn == NULL || client->conn == NULL) {
		TEST_TRUE(test_now_ns() < end);
		rte_comch_pe_progress(lab.pe);
		rte_comch_pe_progress(own);
	}
	TEST_EXPECT(rte_comch_pe_destroy(lab.away), -EBUSY);
	TEST_EXPECT(test_send_pattern(client->conn, 10, 0), 0);
	TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EINPROGRESS);
	for (i = 0; i < 1000; i++) {
		rte_comch_pe_progress(lab.pe);
		rte_comch_pe_progress(own);
	}
	TEST_EXPECT(lab.nb_moved, 0);
	TEST_EXPECT(lab.server->nb_disconnects, 0);
	TEST_WAIT(lab.server->nb_disconnects == 1, TEST_MS);
	/* what was sent before its end arrives before that */
	TEST_EXPECT(lab.nb_moved, 1);
	TEST_EXPECT(lab.server->nb_recv, 1);
	TEST_EXPECT(lab.server->disconnect_status, 0);
	TEST_CALL(test_stop(lab.server));
	return TEST_SUCCESS;
}

/* The new engine cannot take it: only its end is told, there. */
static int
test_lost_on_the_way(void)
{
	const bool on = test_mock_is_on();
	struct test_ep *client;

	/* the mock ends the connection below its driver, at once */
	if (test_place_is_bluefield())
		return test_skip("a function of BlueField ends a connection in its own time");
	TEST_CALL(lab_open(0, 0));
	if (!on)
		TEST_EXPECT(test_mock_install(test_pair.dpu), 0);
	client = test_client_run("test", test_pe_new());
	TEST_TRUE(client != NULL);
	test_mock_fail_set(1, -ENOMEM);
	TEST_WAIT(lab.server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(lab.nb_moved, 0);
	TEST_EXPECT(lab.server->disconnect_status, -ENOMEM);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_CALL(lab_client(&client));
	TEST_CALL(test_stop(lab.server));
	test_cleanup();
	test_mock_fail_set(0, 0);
	if (!on)
		test_mock_remove(test_pair.dpu);
	return TEST_SUCCESS;
}

/* Those that have moved are clients, too. */
static int
test_max_clients(void)
{
	struct test_ep *client, *second;

	TEST_CALL(lab_open(1, 0));
	TEST_CALL(lab_client(&client));
	second = test_client_run("test", test_pe_new());
	TEST_TRUE(second != NULL);
	TEST_WAIT(test_state(second) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(second->ctx), -ENOSPC);
	TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EINPROGRESS);
	TEST_WAIT(lab.server->nb_disconnects == 1, TEST_MS);
	test_settle();
	TEST_EXPECT(rte_comch_ctx_start(second->ctx), -EINPROGRESS);
	TEST_WAIT(lab.nb_moved == 2, TEST_MS);
	return TEST_SUCCESS;
}

/*
 * Consumers and producers
 */

static int
queues(struct test_fp_end *dpu, struct test_fp_end *host)
{
	const struct rte_comch_consumer_conf conf = { .imm_len = 8 };
	struct test_fp_end *const ends[] = { dpu, host };
	struct test_q *consumer, *producer;
	struct rte_comch_cpl cpl;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		consumer = test_q_consumer(ends[i], &conf);
		producer = test_q_producer(ends[1 - i], NULL);
		TEST_TRUE(producer != NULL);
		TEST_CALL(test_q_start(consumer, ends[1 - i]));
		TEST_EXPECT(rte_comch_ctx_start(producer->ctx), 0);
		TEST_EXPECT(test_post_empty(consumer, 1, 7), 1);
		TEST_WAIT(rte_comch_producer_credits(producer->ctx, consumer->id) == 1, TEST_MS);
		TEST_EXPECT(test_send_imm(producer, consumer->id, "moved", 6, 8), 1);
		TEST_EXPECT(test_poll(consumer, &cpl, 1), 1);
		TEST_TRUE(cpl.status == 0 && strcmp((char *)cpl.imm, "moved") == 0);
		/* of either side: nothing is stopped before they are gone */
		TEST_EXPECT(rte_comch_server_disconnect(lab.moved), -EBUSY);
		TEST_EXPECT(rte_comch_ctx_stop(lab.server->ctx), -EBUSY);
		TEST_EXPECT(test_state(lab.server), RTE_COMCH_STATE_RUNNING);
		TEST_EXPECT(test_q_close(consumer), 0);
		TEST_EXPECT(test_q_close(producer), 0);
	}
	TEST_WAIT(lab.server->nb_gone == 1 && host->ep->nb_gone == 1, TEST_MS);
	return TEST_SUCCESS;
}

/* On the engine of the connection, and on others. */
static int
test_queues(void)
{
	struct test_fp_end dpu, host;
	struct test_ep *client;

	TEST_CALL(lab_open(0, 0));
	TEST_CALL(lab_client(&client));
	dpu = (struct test_fp_end) { lab.server, lab.away, lab.away, test_pair.dpu };
	host = (struct test_fp_end) { client, NULL, test_pe_new(), test_pair.host };
	TEST_CALL(queues(&dpu, &host));
	lab.server->nb_gone = 0;
	client->nb_gone = 0;
	dpu.q_pe = test_pe_new();
	TEST_CALL(queues(&dpu, &host));
	dpu.q_pe = lab.pe;
	lab.server->nb_gone = 0;
	client->nb_gone = 0;
	return queues(&dpu, &host);
}

/* Queues that run when the peer goes, and an engine that goes in the right order. */
static int
test_teardown_order(void)
{
	struct test_fp_end dpu, host;
	struct test_ep *client;
	struct test_q *consumer;

	TEST_CALL(lab_open(0, 0));
	TEST_CALL(lab_client(&client));
	dpu = (struct test_fp_end) { lab.server, lab.away, test_pe_new(), test_pair.dpu };
	host = (struct test_fp_end) { client, NULL, NULL, test_pair.host };
	consumer = test_q_consumer(&dpu, NULL);
	TEST_CALL(test_q_start(consumer, &host));
	TEST_EXPECT(rte_comch_pe_destroy(lab.away), -EBUSY);
	TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EINPROGRESS);
	TEST_WAIT(lab.server->nb_disconnects == 1 &&
			test_q_state(consumer) == RTE_COMCH_STATE_IDLE &&
			test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_TRUE(test_ctx_info(consumer->ctx).conn == NULL);
	TEST_EXPECT(test_q_close(consumer), 0);
	return TEST_SUCCESS;
}

/* Dump and counters know of them. */
static int
test_seen(void)
{
	struct rte_comch_conn_stats stats;
	struct test_ep *client;
	char *text = NULL;
	size_t size = 0;
	FILE *f;
	int ret;

	TEST_CALL(lab_open(0, 0));
	TEST_CALL(lab_client(&client));
	TEST_EXPECT(test_send_pattern(client->conn, 10, 1), 0);
	TEST_WAIT(lab.server->nb_recv == 1, TEST_MS);
	TEST_EXPECT(rte_comch_conn_stats_get(lab.moved, &stats), 0);
	TEST_EXPECT(stats.rx_msgs, 1);
	f = open_memstream(&text, &size);
	TEST_TRUE(f != NULL);
	ret = rte_comch_dev_dump(test_pair.dpu, f);
	fclose(f);
	TEST_TRUE(ret == 0 && strstr(text, "moved connection of 'test'") != NULL);
	free(text);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: connections move to other engines",
	.setup = setup,
	.teardown = test_log_restore,
	.unit_test_cases = {
		TEST_CASE_ST(test_fp_need, test_cleanup, test_calls),
		TEST_CASE_ST(NULL, test_cleanup, test_no_callback),
		TEST_CASE_ST(NULL, test_cleanup, test_early_messages),
		TEST_CASE_ST(NULL, test_cleanup, test_messages),
		TEST_CASE_ST(NULL, test_cleanup, test_own_engine),
		TEST_CASE_ST(test_need_event, test_cleanup, test_event),
		TEST_CASE_ST(NULL, test_cleanup, test_budget),
		TEST_CASE_ST(NULL, test_cleanup, test_ends),
		TEST_CASE_ST(NULL, test_cleanup, test_end_in_connect),
		TEST_CASE_ST(NULL, test_cleanup, test_end_on_the_way),
		TEST_CASE_ST(NULL, test_cleanup, test_lost_on_the_way),
		TEST_CASE_ST(NULL, test_cleanup, test_max_clients),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_queues),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_teardown_order),
		TEST_CASE_ST(NULL, test_cleanup, test_seen),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_move_autotest, unit_test_suite_runner, &suite)
