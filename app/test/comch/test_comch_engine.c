/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Clients that a server accepts onto another engine: how one is named, and that all of a
 * connection works there. One thread turns all engines here, so that each step can be looked
 * at; with threads they are in test_comch_engine_threads.c.
 */

#include "test_comch_child.h"
#include "test_comch_fp_util.h"
#include "test_comch_place.h"

#define MAX_TOLD 16

/* The one server of a case, and where its connections go. */
static struct lab {
	struct test_ep *server;
	struct rte_comch_pe *pe;   /* of the server */
	struct rte_comch_pe *away; /* onto which it accepts */
	uint32_t nb_asked;
	struct rte_comch_conn_info asked; /* about the last */
	int told[MAX_TOLD];        /* why clients failed */
	uint32_t nb_told;
	bool stop;                 /* in the callback that is asked */
	int (*in_connect)(struct rte_comch_conn *conn);
	struct rte_comch_pe *own;  /* of a client, while the engine away gets no turn */
} lab;

static struct rte_comch_pe *
engine_cb(const struct rte_comch_conn_info *info, void *user_data)
{
	if (user_data != lab.server || info->ctx != lab.server->ctx)
		test_fail("the server of a client is another one");
	lab.asked = *info;
	lab.nb_asked++;
	if (lab.stop && rte_comch_ctx_stop(info->ctx) < 0 &&
			test_state(lab.server) != RTE_COMCH_STATE_STOPPING)
		test_fail("a server cannot be stopped");
	return lab.away;
}

static void
refused_cb(struct rte_comch_ctx *ctx, const struct rte_comch_refusal *refusal, void *user_data)
{
	if (user_data != lab.server || ctx != lab.server->ctx)
		test_fail("a refusal is told to another server");
	if (lab.nb_told < MAX_TOLD)
		lab.told[lab.nb_told] = refusal->reason;
	lab.nb_told++;
}

static void
on_connect(struct test_ep *ep __rte_unused, struct rte_comch_conn *conn)
{
	if (lab.in_connect != NULL && lab.in_connect(conn) != TEST_SUCCESS)
		test_fail("in the connect callback");
}

/* The server of the case, RUNNING; 0 for the default of its clients and tasks. */
static int
lab_open(uint32_t max_clients, uint32_t max_conn_tasks)
{
	const struct rte_comch_server_conf conf = {
		.engine_cb = engine_cb,
		.refused_cb = refused_cb,
		.max_clients = max_clients,
		.ctrl.max_conn_tasks = max_conn_tasks,
	};

	memset(&lab, 0, sizeof(lab));
	lab.pe = test_pe_new();
	lab.away = test_pe_new();
	TEST_EXPECT(rte_comch_pe_dev_add(lab.away, test_pair.dpu), 0);
	lab.server = test_server_run_conf(&conf, lab.pe);
	lab.server->on_connect = on_connect;
	return TEST_SUCCESS;
}

/* A client that is connected. */
static int
lab_client(struct test_ep **client)
{
	uint32_t before = lab.server->nb_connects;

	*client = test_client_run("test", test_pe_new());
	TEST_WAIT(lab.server->nb_connects == before + 1 && (*client)->conn != NULL, TEST_MS);
	return TEST_SUCCESS;
}

/* One that fails; reason is what the server is told. */
static int
lab_refused(int reason)
{
	struct test_ep *client = test_client_run("test", test_pe_new());
	uint32_t before = lab.nb_told;

	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE && lab.nb_told == before + 1,
			TEST_MS);
	TEST_EXPECT(lab.told[before], reason);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx),
			reason == -ENOSPC ? -ENOSPC : -ECONNREFUSED);
	return TEST_SUCCESS;
}

/* As TEST_WAIT(), but the engine away gets no turn. */
#define WAIT_WITHOUT_AWAY(cond) TEST_UNTIL_TEXT(cond, #cond, test_turn(lab.pe, lab.own), TEST_MS)

static void
turn_without_away(void)
{
	unsigned int i;

	for (i = 0; i < 1000; i++)
		test_turn(lab.pe, lab.own);
}

/* A client for which the engine away was named, and has not had a turn since. */
static int
named(struct test_ep **client, uint32_t timeout_ms)
{
	struct rte_comch_client_conf conf = { .name = "test" };
	uint32_t before = lab.nb_asked;

	lab.own = test_pe_new();
	if (timeout_ms != 0)
		conf.connect_timeout_ms = timeout_ms;
	*client = test_client_run_conf(&conf, lab.own);
	WAIT_WITHOUT_AWAY(lab.nb_asked == before + 1);
	return TEST_SUCCESS;
}

/*
 * The engine that is named
 */

/* What is known of the client, and what the connection then is. */
static int
test_named(void)
{
	struct rte_comch_conn_info info;
	struct rte_comch_conn *conn;
	struct test_ep *client;

	TEST_CALL(lab_open(0, 0));
	TEST_CALL(lab_client(&client));
	conn = lab.server->conn;
	TEST_EXPECT(lab.nb_asked, 1);
	TEST_EXPECT(rte_comch_conn_info_get(conn, &info), 0);
	TEST_TRUE(info.connected && strcmp(info.server, "test") == 0);
	TEST_TRUE(!lab.asked.connected);
	lab.asked.connected = true;
	TEST_TRUE(memcmp(&info, &lab.asked, sizeof(info)) == 0);
	TEST_TRUE(test_conn_ctx(conn) == lab.server->ctx);
	TEST_TRUE(rte_comch_server_conn_next(lab.server->ctx, NULL) == NULL);
	TEST_EXPECT(test_ctx_info(lab.server->ctx).nb_conns, 0);
	TEST_EXPECT(rte_comch_pe_destroy(lab.away), -EBUSY);
	return TEST_SUCCESS;
}

/* The server's own, by name or by NULL: then it is as without the callback. */
static int
test_own_engine(void)
{
	struct rte_comch_pe *own[2];
	struct test_ep *client;
	uint32_t i;

	TEST_CALL(lab_open(0, 0));
	own[0] = NULL;
	own[1] = lab.pe;
	for (i = 0; i < RTE_DIM(own); i++) {
		lab.away = own[i];
		TEST_CALL(lab_client(&client));
		TEST_EXPECT(lab.nb_asked, i + 1);
		TEST_EXPECT(test_ctx_info(lab.server->ctx).nb_conns, i + 1);
	}
	TEST_CALL(test_stop(lab.server));
	TEST_EXPECT(lab.server->nb_disconnects, 2);
	return TEST_SUCCESS;
}

/* Engines that cannot take the client: it is refused, and the next is not. */
static int
test_refusals(void)
{
	const struct rte_comch_pe_conf few = { .socket_id = -1, .max_tasks = 2 };
	struct rte_comch_pe *away, *bare, *poor;
	struct test_ep *client;

	TEST_CALL(lab_open(0, 0));
	away = lab.away;
	TEST_EXPECT(rte_comch_pe_create(NULL, &bare), 0);
	lab.away = bare;
	TEST_CALL(lab_refused(-ENOLINK));
	TEST_EXPECT(rte_comch_pe_destroy(bare), 0);
	TEST_EXPECT(rte_comch_pe_create(&few, &poor), 0);
	TEST_EXPECT(rte_comch_pe_dev_add(poor, test_pair.dpu), 0);
	lab.away = poor;
	TEST_CALL(lab_refused(-ENOSPC));
	TEST_EXPECT(rte_comch_pe_destroy(poor), 0);
	lab.away = away;
	TEST_CALL(lab_client(&client));
	TEST_EXPECT(lab.nb_asked, 3);
	TEST_EXPECT(lab.nb_told, 2);
	return TEST_SUCCESS;
}

/* The callback stops the server: the client is refused, wherever it was to go. */
static int
test_stop_when_asked(void)
{
	struct test_ep *client;

	TEST_CALL(lab_open(0, 0));
	lab.stop = true;
	client = test_client_run("test", test_pe_new());
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE &&
			test_state(lab.server) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), -ECONNREFUSED);
	TEST_EXPECT(lab.nb_asked, 1);
	TEST_EXPECT(lab.server->nb_connects, 0);
	lab.stop = false;
	TEST_EXPECT(rte_comch_ctx_start(lab.server->ctx), 0);
	TEST_CALL(lab_client(&client));
	return TEST_SUCCESS;
}

/*
 * Messages
 */

#define EARLY 20

/* The client sends as soon as it may. */
static void
send_when_up(struct test_ep *ep, int prev __rte_unused, int next)
{
	uint32_t i;

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

	if (ep->conn != conn)
		test_fail("a message came before its connection");
	if (len != 10 + i || !test_check(msg, len, i))
		test_fail("message %u is another one", i);
}

/* What the client sends as soon as it may comes after the connection, in order. */
static int
test_early_messages(void)
{
	struct rte_comch_client_conf conf;
	struct test_ep *client;

	TEST_CALL(lab_open(0, 0));
	lab.server->on_recv = in_order;
	client = test_ep_new();
	client->on_state = send_when_up;
	test_client_conf(client, "test", &conf);
	TEST_EXPECT(test_client_start(client, &conf, test_pe_new()), -EINPROGRESS);
	TEST_WAIT(client->nb_done == EARLY, TEST_MS);
	TEST_EXPECT(lab.server->nb_recv, EARLY);
	return TEST_SUCCESS;
}

/* Both ways, from the other engine, whoever turns; and then one of the server's own. */
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

	lab.away = NULL;
	other = test_client_run("test", test_pe_new());
	TEST_WAIT(other->conn != NULL, TEST_MS);
	TEST_EXPECT(test_send_pattern(other->conn, 5, 1), 0);
	TEST_WAIT(other->nb_recv == 1, TEST_MS);
	return TEST_SUCCESS;
}

/* The engine of the connection sleeps, and the peer wakes that one. */
static int
test_event(void)
{
	struct test_ep *client;
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
	/* and by the next that is accepted */
	test_settle();
	TEST_EXPECT(test_arm(lab.away), 0);
	TEST_CALL(named(&client, 0));
	TEST_EXPECT(test_wait_fd(lab.away, TEST_MS), 1);
	TEST_WAIT(lab.server->nb_connects == 2 && client->conn != NULL, TEST_MS);
	return TEST_SUCCESS;
}

/*
 * Tasks
 */

/* As TEST_WAIT(), with an engine that test_progress() does not know. */
#define WAIT_AWAY(cond) TEST_WAIT((rte_comch_pe_progress(lab.away), cond), TEST_MS)

static int
connect_one(void)
{
	uint32_t before = lab.server->nb_connects;
	struct test_ep *client = test_client_run("test", test_pe_new());

	WAIT_AWAY(lab.server->nb_connects == before + 1 && client->conn != NULL);
	return TEST_SUCCESS;
}

static int
budget(void)
{
	struct rte_comch_task *tasks[4], *none;
	struct rte_comch_conn *conn;
	uint32_t i;

	TEST_CALL(connect_one());
	conn = lab.server->conn;
	for (i = 0; i < RTE_DIM(tasks); i++)
		TEST_EXPECT(rte_comch_conn_task_alloc(conn, "x", 1, &tasks[i]), 0);
	TEST_EXPECT(rte_comch_conn_task_alloc(conn, "x", 1, &none), -EDQUOT);
	TEST_EXPECT(test_ctx_info(lab.server->ctx).nb_tasks, 0);
	TEST_CALL(lab_refused(-ENOSPC));
	/* as long as it has tasks, they are not another's */
	TEST_EXPECT(rte_comch_server_disconnect(conn), 0);
	WAIT_AWAY(lab.server->nb_disconnects == 1);
	TEST_CALL(lab_refused(-ENOSPC));
	for (i = 0; i < RTE_DIM(tasks); i++)
		TEST_EXPECT(rte_comch_task_free(tasks[i]), 0);
	TEST_CALL(connect_one());
	TEST_CALL(lab_refused(-ENOSPC));
	TEST_TRUE(rte_comch_ctx_stop(lab.server->ctx) <= 0);
	WAIT_AWAY(test_state(lab.server) == RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(lab.server->nb_disconnects, 2);
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
	TEST_EXPECT(test_send_pattern(lab.server->conn, 10, 1), 0);
	TEST_EXPECT(rte_comch_server_disconnect(lab.server->conn), 0);
	TEST_EXPECT(rte_comch_server_disconnect(lab.server->conn), -EALREADY);
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
disconnect(struct rte_comch_conn *conn)
{
	TEST_EXPECT(rte_comch_server_disconnect(conn), 0);
	TEST_EXPECT(rte_comch_server_disconnect(conn), -EALREADY);
	return TEST_SUCCESS;
}

static int
stop(struct rte_comch_conn *conn __rte_unused)
{
	TEST_EXPECT(rte_comch_ctx_stop(lab.server->ctx), -EINPROGRESS);
	return TEST_SUCCESS;
}

/* It ends in its connect callback; with one thread the server can stop there, too. */
static int
test_end_in_connect(void)
{
	int (* const ends[])(struct rte_comch_conn *conn) = { disconnect, stop };
	struct test_ep *client;
	unsigned int i;

	for (i = 0; i < RTE_DIM(ends); i++) {
		TEST_CALL(lab_open(0, 0));
		lab.in_connect = ends[i];
		client = test_client_run("test", test_pe_new());
		TEST_WAIT(lab.server->nb_disconnects == 1 &&
				test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_EXPECT(lab.server->disconnect_status, -ECANCELED);
		if (ends[i] != stop)
			TEST_TRUE(rte_comch_ctx_stop(lab.server->ctx) <= 0);
		TEST_WAIT(test_state(lab.server) == RTE_COMCH_STATE_IDLE, TEST_MS);
		test_cleanup();
	}
	return TEST_SUCCESS;
}

/*
 * Between the choice of an engine and its turn
 */

/* The server stops: it waits for the other engine, where the connection ends. */
static int
test_stop_on_the_way(void)
{
	struct test_ep *client;

	TEST_CALL(lab_open(0, 0));
	TEST_CALL(named(&client, 0));
	TEST_EXPECT(rte_comch_pe_destroy(lab.away), -EBUSY);
	TEST_EXPECT(rte_comch_ctx_stop(lab.server->ctx), -EINPROGRESS);
	turn_without_away();
	TEST_EXPECT(test_state(lab.server), RTE_COMCH_STATE_STOPPING);
	TEST_EXPECT(rte_comch_ctx_destroy(lab.server->ctx), -EBUSY);
	TEST_WAIT(test_state(lab.server) == RTE_COMCH_STATE_IDLE &&
			test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(lab.server->nb_connects, lab.server->nb_disconnects);
	TEST_TRUE(lab.server->nb_connects == 0 || test_place_is_bluefield());
	/* once more, from the beginning */
	TEST_EXPECT(rte_comch_ctx_start(lab.server->ctx), 0);
	TEST_CALL(lab_client(&client));
	return TEST_SUCCESS;
}

/*
 * The one client is gone: the other engine finds that, and the server is told why. BlueField
 * has the connection before the client is known to be ready: then it is told of its end.
 */
static int
gone_on_the_way(int reason)
{
	turn_without_away();
	TEST_EXPECT(lab.nb_told + lab.server->nb_connects, 0);
	TEST_EXPECT(rte_comch_pe_destroy(lab.away), -EBUSY);
	TEST_WAIT(lab.nb_told + lab.server->nb_disconnects == 1, 10 * TEST_MS);
	TEST_EXPECT(lab.server->nb_connects, lab.server->nb_disconnects);
	TEST_TRUE(lab.nb_told == 1 || test_place_is_bluefield());
	TEST_TRUE(lab.nb_told == 0 || lab.told[0] == reason);
	return TEST_SUCCESS;
}

/* The client gives up: by a stop, or as its time to connect is over. */
static int
test_client_gone_on_the_way(void)
{
	struct test_ep *client;

	TEST_CALL(lab_open(1, 0));
	TEST_CALL(named(&client, 0));
	TEST_TRUE(rte_comch_ctx_stop(client->ctx) <= 0);
	TEST_CALL(gone_on_the_way(-ECONNABORTED));
	test_cleanup();

	TEST_CALL(lab_open(1, 0));
	TEST_CALL(named(&client, 50));
	WAIT_WITHOUT_AWAY(test_state(client) == RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), -ETIMEDOUT);
	TEST_CALL(gone_on_the_way(-ECONNABORTED));
	/* it is no client any more */
	test_settle();
	TEST_CALL(lab_client(&client));
	return test_stop(lab.server);
}

static int
peer_killed(struct test_place *place)
{
	struct test_child *child = test_child_start(place, test_place_function(0));

	TEST_CALL(lab_open(0, 0));
	TEST_EXPECT(test_child_tell(child, "clients 1 test"), 0);
	WAIT_WITHOUT_AWAY(lab.nb_asked == 1);
	test_child_kill(child);
	TEST_CALL(gone_on_the_way(-ECONNRESET));
	return test_stop(lab.server);
}

static void
clean_up(void)
{
	test_child_cleanup();
	test_cleanup();
}

/* The process of the client dies. */
static int
test_peer_killed_on_the_way(void)
{
	test_time_limit(60);
	return test_place_run_card(peer_killed, clean_up);
}

/* Those on other engines are clients, too: from the choice on, until their end is known. */
static int
test_max_clients(void)
{
	struct test_ep *client, *second;

	TEST_CALL(lab_open(1, 0));
	TEST_CALL(named(&client, 0));
	second = test_client_run("test", lab.own);
	WAIT_WITHOUT_AWAY(test_state(second) == RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(rte_comch_ctx_reason_get(second->ctx), -ENOSPC);
	TEST_EXPECT(lab.nb_asked, 1);
	TEST_WAIT(client->conn != NULL && lab.server->nb_connects == 1, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_start(second->ctx), -EINPROGRESS);
	TEST_WAIT(test_state(second) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(second->ctx), -ENOSPC);
	TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EINPROGRESS);
	TEST_WAIT(lab.server->nb_disconnects == 1, TEST_MS);
	test_settle();
	TEST_EXPECT(rte_comch_ctx_start(second->ctx), -EINPROGRESS);
	TEST_WAIT(lab.server->nb_connects == 2, TEST_MS);
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
		TEST_CALL(test_q_start(consumer, ends[1 - i]));
		TEST_EXPECT(rte_comch_ctx_start(producer->ctx), 0);
		TEST_EXPECT(test_post_empty(consumer, 1, 7), 1);
		TEST_WAIT(rte_comch_producer_credits(producer->ctx, consumer->id) == 1, TEST_MS);
		TEST_EXPECT(test_send_imm(producer, consumer->id, "away!", 6, 8), 1);
		TEST_EXPECT(test_poll(consumer, &cpl, 1), 1);
		TEST_TRUE(cpl.status == 0 && strcmp((char *)cpl.imm, "away!") == 0);
		/* of either side: nothing is stopped before they are gone */
		TEST_EXPECT(rte_comch_server_disconnect(lab.server->conn), -EBUSY);
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
	TEST_EXPECT(rte_comch_conn_stats_get(lab.server->conn, &stats), 0);
	TEST_EXPECT(stats.rx_msgs, 1);
	f = open_memstream(&text, &size);
	TEST_TRUE(f != NULL);
	ret = rte_comch_dev_dump(test_pair.dpu, f);
	fclose(f);
	TEST_TRUE(ret == 0 && strstr(text, "connection of 'test'") != NULL);
	free(text);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: connections on other engines than their server",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, test_cleanup, test_named),
		TEST_CASE_ST(NULL, test_cleanup, test_own_engine),
		TEST_CASE_ST(NULL, test_cleanup, test_refusals),
		TEST_CASE_ST(NULL, test_cleanup, test_stop_when_asked),
		TEST_CASE_ST(NULL, test_cleanup, test_early_messages),
		TEST_CASE_ST(NULL, test_cleanup, test_messages),
		TEST_CASE_ST(test_need_event, test_cleanup, test_event),
		TEST_CASE_ST(NULL, test_cleanup, test_budget),
		TEST_CASE_ST(NULL, test_cleanup, test_ends),
		TEST_CASE_ST(NULL, test_cleanup, test_end_in_connect),
		TEST_CASE_ST(NULL, test_cleanup, test_stop_on_the_way),
		TEST_CASE_ST(NULL, test_cleanup, test_client_gone_on_the_way),
		TEST_CASE_ST(NULL, test_cleanup, test_peer_killed_on_the_way),
		TEST_CASE_ST(NULL, test_cleanup, test_max_clients),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_queues),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_teardown_order),
		TEST_CASE_ST(NULL, test_cleanup, test_seen),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_engine_autotest, unit_test_suite_runner, &suite)
