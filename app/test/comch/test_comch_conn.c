/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * How connections come and go: many clients, refusals, timeouts, disconnection
 * from either side, stopping in every state and from callbacks, isolation
 * between functions. Run with every pair of devices.
 */

#include <inttypes.h>

#include "test_comch_place.h"
#include "test_comch_util.h"

#define MANY 64
/* Clients of one engine, which starts all and then stands for a while; of both sides. */
#define CROWD (test_place_is_bluefield() ? 40u : 500u)
#define CROWD_MAX 500u
#define CROWD_TASKS (1u << 17)
#define STAND_MS 100u

static bool
all_connected(struct test_ep **clients, unsigned int nb)
{
	unsigned int i;

	for (i = 0; i < nb; i++)
		if (clients[i]->conn == NULL)
			return false;
	return true;
}

static int
test_many_clients(void)
{
	struct rte_comch_pe *server_pe = test_pe_new(), *client_pe = test_pe_new();
	struct test_ep *server = test_server_run("test", server_pe), *clients[MANY];
	struct rte_comch_conn_info info;
	struct rte_comch_conn *conn;
	uint64_t ids = 0;
	unsigned int i, round, nb = 0;

	server->echo = true;
	for (i = 0; i < MANY; i++) {
		clients[i] = test_client_run("test", client_pe);
	}
	TEST_WAIT(server->nb_connects == MANY && all_connected(clients, MANY), TEST_MS);
	for (conn = rte_comch_server_conn_next(server->ctx, NULL); conn != NULL;
	     conn = rte_comch_server_conn_next(server->ctx, conn), nb++) {
		TEST_EXPECT(rte_comch_conn_info_get(conn, &info), 0);
		TEST_TRUE((ids & RTE_BIT64(info.id % 64)) == 0);
		ids |= RTE_BIT64(info.id % 64);
	}
	TEST_EXPECT(nb, MANY);

	for (round = 0; round < 10; round++) {
		for (i = 0; i < MANY; i++)
			TEST_EXPECT(test_send_pattern(clients[i]->conn, 1 + i, i + round), 0);
		for (i = 0; i < MANY; i++) {
			TEST_WAIT(clients[i]->nb_recv == round + 1, TEST_MS);
			TEST_EXPECT(clients[i]->last_len, 1 + i);
			TEST_TRUE(test_check(clients[i]->last_msg, 1 + i, i + round));
		}
	}
	/* each second one leaves; the others stay */
	for (i = 0; i < MANY; i += 2)
		TEST_CALL(test_stop(clients[i]));
	TEST_WAIT(server->nb_disconnects == MANY / 2, TEST_MS);
	for (i = 1; i < MANY; i += 2)
		TEST_EXPECT(test_send_pattern(clients[i]->conn, 8, i), 0);
	for (i = 1; i < MANY; i += 2)
		TEST_WAIT(clients[i]->nb_recv == 11, TEST_MS);
	return TEST_SUCCESS;
}

/* Requests and answers pile up at one side after the other, and all come to be connected. */
static int
test_crowd_stands(void)
{
	const struct rte_comch_pe_conf conf = { .socket_id = -1, .max_tasks = CROWD_TASKS };
	struct test_ep *server, *clients[CROWD_MAX];
	struct rte_comch_pe *pes[2];
	uint64_t end;
	unsigned int i;

	/* a share of few for each user is less than the answers that may wait */
	TEST_CALL(test_need_fds(1024));
	pes[0] = test_pe_new_conf(&conf);
	pes[1] = test_pe_new_conf(&conf);
	server = test_server_run("test", pes[0]);
	for (i = 0; i < CROWD; i++)
		clients[i] = test_client_run("test", pes[1]);
	for (i = 0; i < 2 * RTE_DIM(pes); i++)
		for (end = test_now_ns() + STAND_MS * UINT64_C(1000000); test_now_ns() < end;)
			test_turn(pes[1 - i % 2], NULL);
	TEST_WAIT(server->nb_connects == CROWD && all_connected(clients, CROWD), TEST_MS);
	for (i = 0; i < CROWD; i++) {
		TEST_EXPECT(clients[i]->nb_disconnects, 0);
		TEST_EXPECT(test_send_pattern(clients[i]->conn, 8, i), 0);
	}
	TEST_WAIT(server->nb_recv == CROWD, TEST_MS);
	return TEST_SUCCESS;
}

/* A client that is refused is IDLE, with the reason, and can start again. */
static int
expect_refused(struct test_ep *client, int reason)
{
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), reason);
	TEST_EXPECT(client->states[0], RTE_COMCH_STATE_STARTING);
	TEST_EXPECT(client->states[client->nb_states - 1], RTE_COMCH_STATE_IDLE);
	return TEST_SUCCESS;
}

static int
test_max_clients(void)
{
	struct test_ep *server, *one, *two, *three;
	struct rte_comch_pe *pe = test_pe_new();
	const struct rte_comch_server_conf conf = { .max_clients = 2 };

	server = test_server_run_conf(&conf, pe);
	one = test_client_run("test", pe);
	two = test_client_run("test", pe);
	TEST_WAIT(one->conn != NULL && two->conn != NULL, TEST_MS);
	three = test_client_run("test", pe);
	TEST_CALL(expect_refused(three, -ENOSPC));
	TEST_EXPECT(server->nb_connects, 2);

	TEST_CALL(test_stop(one));
	TEST_WAIT(server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_start(three->ctx), -EINPROGRESS);
	TEST_WAIT(three->conn != NULL && server->nb_connects == 3, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(three->ctx), 0);
	return TEST_SUCCESS;
}

/* The server is there, but its engine is not turned. */
static int
test_connect_timeout(void)
{
	struct rte_comch_pe *server_pe = test_pe_new(), *client_pe = test_pe_new();
	struct test_ep *server, *client = test_ep_new();
	struct rte_comch_client_conf conf;
	union rte_comch_ctx_conf again;
	struct rte_comch_dev_stats stats;
	uint64_t start, ms;

	TEST_EXPECT(rte_comch_dev_stats_reset(test_pair.host), 0);
	server = test_server_run("test", server_pe);
	test_client_conf(client, "test", &conf);
	conf.connect_timeout_ms = 100;
	start = test_now_ns();
	TEST_EXPECT(test_client_start(client, &conf, client_pe), -EINPROGRESS);
	while (test_state(client) == RTE_COMCH_STATE_STARTING) {
		TEST_TRUE(rte_comch_pe_progress(client_pe) >= 0);
		TEST_TRUE(test_now_ns() - start < 2000000000);
	}
	ms = (test_now_ns() - start) / 1000000;
	test_ends_settle();
	TEST_EXPECT(test_state(client), RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), -ETIMEDOUT);
	TEST_ASSERT(ms >= 99 && ms < 1000, "timed out after %" PRIu64 " ms", ms);
	TEST_EXPECT(rte_comch_dev_stats_get(test_pair.host, &stats), 0);
	TEST_EXPECT(stats.timeouts, 1);

	/* the server that wakes too late keeps no connection of it */
	test_progress_ms(50);
	TEST_WAIT(server->nb_connects == server->nb_disconnects, TEST_MS);
	TEST_TRUE(rte_comch_server_conn_next(server->ctx, NULL) == NULL);
	again.client = conf;
	again.client.connect_timeout_ms = TEST_MS;
	TEST_EXPECT(rte_comch_ctx_conf_set(client->ctx, &again), 0);
	TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
	TEST_WAIT(client->conn != NULL && server->conn != NULL, TEST_MS);
	return TEST_SUCCESS;
}

static int
test_stop_while_starting(void)
{
	struct rte_comch_pe *server_pe = test_pe_new(), *client_pe = test_pe_new();
	struct test_ep *server = test_server_run("test", server_pe);
	struct test_ep *client = test_client_run("test", client_pe);
	unsigned int i;

	for (i = 0; i < 20; i++) {
		TEST_EXPECT(test_state(client), RTE_COMCH_STATE_STARTING);
		TEST_CALL(test_stop(client));
		TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), 0);
		/* some requests arrive before their end, and some after it */
		if (i % 2 == 0)
			test_settle();
		TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
	}
	TEST_WAIT(client->conn != NULL, TEST_MS);
	test_settle();
	TEST_EXPECT(server->nb_connects, server->nb_disconnects + 1);
	return TEST_SUCCESS;
}

static int
test_refused_reasons(void)
{
	struct test_ep *server, *client, *other;
	struct rte_comch_pe *pe = test_pe_new();
	const struct rte_comch_server_conf server_conf = { .ctrl.max_msg_size = 512 };
	const struct rte_comch_client_conf client_conf = { .ctrl.max_msg_size = 513 };
	struct rte_comch_task *task;
	static char msg[4];

	server = test_server_run_conf(&server_conf, pe);
	client = test_client_run("nobody", pe);
	TEST_CALL(expect_refused(client, -ENOENT));

	other = test_client_run_conf(&client_conf, pe);
	TEST_CALL(expect_refused(other, -EMSGSIZE));

	/* one that leaves the size to the server gets the server's */
	client = test_client_run("test", pe);
	TEST_WAIT(client->conn != NULL && server->conn != NULL, TEST_MS);
	TEST_EXPECT(test_conn_facts(client->conn).max_msg_size, 512);

	/* a server that has to wait for a task of the application */
	TEST_EXPECT(rte_comch_conn_task_alloc(server->conn, msg, 4, &task), 0);
	TEST_EXPECT(rte_comch_ctx_stop(server->ctx), -EINPROGRESS);
	client = test_client_run("test", pe);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_TRUE(rte_comch_ctx_reason_get(client->ctx) == -ECONNREFUSED ||
			rte_comch_ctx_reason_get(client->ctx) == -ENOENT);
	TEST_EXPECT(rte_comch_task_free(task), 0);
	TEST_WAIT(test_state(server) == RTE_COMCH_STATE_IDLE, TEST_MS);
	return TEST_SUCCESS;
}

static int
test_reconnect(void)
{
	struct rte_comch_pe *pe = test_pe_new(), *client_pe = test_pe_new();
	struct test_ep *server = test_server_run("test", pe);
	struct test_ep *client = test_client_run("test", client_pe);
	unsigned int i, fds = 0, maps = 0;

	server->echo = true;
	for (i = 0; i < 1000; i++) {
		TEST_WAIT(client->conn != NULL, TEST_MS);
		TEST_EXPECT(test_send_pattern(client->conn, 1 + i % 100, i), 0);
		TEST_WAIT(client->nb_recv == i + 1, TEST_MS);
		TEST_TRUE(test_check(client->last_msg, 1 + i % 100, i));
		/* from either side in turns */
		if (i % 2 == 0)
			TEST_CALL(test_stop(client));
		else
			TEST_EXPECT(rte_comch_server_disconnect(server->conn), 0);
		TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE &&
				server->nb_disconnects == i + 1, TEST_MS);
		if (i == 99) {
			fds = test_count_fds();
			maps = test_count_maps();
		}
		TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
	}
	TEST_CALL(test_stop(client));
	test_settle();
	TEST_EXPECT(server->nb_connects - server->nb_disconnects, 0);
	TEST_WAIT(test_count_fds() <= fds && test_count_maps() <= maps, TEST_MS);
	return TEST_SUCCESS;
}

/* Tasks that are kept beyond their callback. */
struct kept {
	struct rte_comch_task *tasks[64];
	unsigned int nb;
};

static void
keep(struct test_ep *ep, struct rte_comch_task *task, int status __rte_unused)
{
	struct kept *kept = ep->arg;

	kept->tasks[kept->nb++] = task;
}

static int
test_stop_with_tasks(void)
{
	static uint8_t msg[64];
	struct kept kept = { .nb = 0 };
	struct rte_comch_pe *pe = test_pe_new();
	struct test_ep *server = test_server_run("test", test_pe_new()), *client;
	struct rte_comch_task *task;
	struct rte_comch_conn *conn;
	unsigned int i, nb;

	client = test_client_run("test", pe);
	TEST_WAIT(server->conn != NULL && client->conn != NULL, TEST_MS);
	conn = client->conn;
	client->on_send = keep;
	client->arg = &kept;
	for (nb = 0; nb < 20; nb++) {
		TEST_EXPECT(rte_comch_conn_task_alloc(conn, msg, sizeof(msg), &task), 0);
		TEST_EXPECT(rte_comch_task_submit(task), 0);
	}
	/* the server has not been progressed: none can have been delivered */
	TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EINPROGRESS);
	TEST_EXPECT(test_state(client), RTE_COMCH_STATE_STOPPING);
	TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EALREADY);
	TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EBUSY);
	TEST_EXPECT(rte_comch_ctx_destroy(client->ctx), -EBUSY);
	TEST_TRUE(rte_comch_conn_task_alloc(conn, msg, sizeof(msg), &task) < 0);
	TEST_UNTIL(kept.nb == nb, test_turn(pe, NULL), TEST_MS);
	TEST_EXPECT(client->nb_failed, nb);
	TEST_EXPECT(client->send_status, -ECANCELED);
	test_progress_ms(20);
	TEST_EXPECT(test_state(client), RTE_COMCH_STATE_STOPPING);
	for (i = 0; i < nb; i++) {
		TEST_EXPECT(test_state(client), RTE_COMCH_STATE_STOPPING);
		TEST_EXPECT(test_ctx_info(client->ctx).nb_tasks, nb - i);
		TEST_TRUE(rte_comch_task_submit(kept.tasks[i]) < 0);
		TEST_EXPECT(rte_comch_task_free(kept.tasks[i]), 0);
	}
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), 0);
	TEST_WAIT(server->nb_disconnects == 1, TEST_MS);
	return TEST_SUCCESS;
}

static void
stop_in_recv(struct test_ep *ep, struct rte_comch_conn *conn __rte_unused,
		const void *msg __rte_unused, uint32_t len __rte_unused)
{
	int ret;

	ret = rte_comch_ctx_stop(ep->ctx);
	if (ret != 0 && ret != -EINPROGRESS && ret != -EALREADY)
		test_fail("stop in a receive callback: %s", strerror(-ret));
	if (rte_comch_ctx_destroy(ep->ctx) != -EBUSY)
		test_fail("a context could be destroyed in its callback");
}

static void
stop_in_send(struct test_ep *ep, struct rte_comch_task *task, int status)
{
	int ret = 0;

	if (status == 0)
		ret = rte_comch_ctx_stop(ep->ctx);
	if (ret != 0 && ret != -EINPROGRESS && ret != -EALREADY)
		test_fail("stop in a send callback: %s", strerror(-ret));
	free(rte_comch_task_user_data_get(task));
	rte_comch_task_free(task);
}

static void
stop_in_connect(struct test_ep *ep, struct rte_comch_conn *conn __rte_unused)
{
	int ret = rte_comch_ctx_stop(ep->ctx);

	if (ret != 0 && ret != -EINPROGRESS)
		test_fail("stop in a connect callback: %s", strerror(-ret));
}

static void
stop_in_disconnect(struct test_ep *ep, struct rte_comch_conn *conn, int status __rte_unused)
{
	stop_in_connect(ep, conn);
}

static void
stop_when_running(struct test_ep *ep, int prev __rte_unused, int next)
{
	if (next == RTE_COMCH_STATE_RUNNING)
		stop_in_connect(ep, NULL);
}

static void
start_when_idle(struct test_ep *ep, int prev __rte_unused, int next)
{
	if (next == RTE_COMCH_STATE_IDLE && ep->value++ == 0 &&
			rte_comch_ctx_start(ep->ctx) != -EINPROGRESS)
		test_fail("a client cannot be started again in its state callback");
}

/* The client, while more messages wait for it. */
static int
client_stops_in_recv(void)
{
	struct test_ep *server, *client;
	unsigned int i;

	TEST_CALL(test_connected(&server, &client));
	client->on_recv = stop_in_recv;
	for (i = 0; i < 8; i++)
		TEST_EXPECT(test_send_pattern(server->conn, 8, i), 0);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE && server->nb_disconnects == 1,
			TEST_MS);
	TEST_EXPECT(client->nb_recv, 1);
	test_settle();
	return TEST_SUCCESS;
}

/* The server, while more messages wait for it. */
static int
server_stops_in_recv(void)
{
	struct test_ep *server, *client;
	unsigned int i;

	TEST_CALL(test_connected(&server, &client));
	server->on_recv = stop_in_recv;
	for (i = 0; i < 8; i++)
		TEST_EXPECT(test_send_pattern(client->conn, 8, i), 0);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE &&
			test_state(server) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(server->nb_recv, 1);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), -ESHUTDOWN);
	return TEST_SUCCESS;
}

/* The sender, while others of its tasks are under way. */
static int
sender_stops(void)
{
	struct test_ep *server, *client;
	unsigned int i;

	TEST_CALL(test_connected(&server, &client));
	client->on_send = stop_in_send;
	for (i = 0; i < 8; i++)
		TEST_EXPECT(test_send_pattern(client->conn, 8, i), 0);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(client->nb_done + client->nb_failed, 8);
	return TEST_SUCCESS;
}

/* The server in its connect and its disconnect callback. */
static int
server_stops_in_conn(void)
{
	struct test_ep *server = test_server_run("test", test_pe_new()), *client;

	server->on_connect = stop_in_connect;
	client = test_client_run("test", test_pe_new());
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE &&
			test_state(server) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(server->nb_connects, 1);
	TEST_EXPECT(server->nb_disconnects, 1);
	test_cleanup();
	TEST_CALL(test_connected(&server, &client));
	server->on_disconnect = stop_in_disconnect;
	TEST_CALL(test_stop(client));
	TEST_WAIT(test_state(server) == RTE_COMCH_STATE_IDLE, TEST_MS);
	return TEST_SUCCESS;
}

/* The client as soon as it runs; and one that starts again at once. */
static int
client_stops_at_once(void)
{
	struct test_ep *server = test_server_run("test", test_pe_new()), *client;

	client = test_client_run("test", test_pe_new());
	client->on_state = stop_when_running;
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	client->on_state = start_when_idle;
	TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
	TEST_WAIT(client->conn != NULL && server->conn != NULL, TEST_MS);
	test_settle();
	TEST_EXPECT(rte_comch_server_disconnect(server->conn), 0);
	TEST_WAIT(client->value == 1 && client->conn != NULL, TEST_MS);
	return TEST_SUCCESS;
}

static int
test_stop_in_callbacks(void)
{
	TEST_CALL(client_stops_in_recv());
	test_cleanup();
	TEST_CALL(server_stops_in_recv());
	test_cleanup();
	TEST_CALL(sender_stops());
	test_cleanup();
	TEST_CALL(server_stops_in_conn());
	test_cleanup();
	TEST_CALL(client_stops_at_once());
	return TEST_SUCCESS;
}

static int
test_server_disconnects(void)
{
	struct test_ep *server, *client, *other;
	struct rte_comch_conn *first;
	unsigned int i;

	TEST_CALL(test_connected(&server, &client));
	first = server->conn;
	other = test_client_run("test", test_pe_new());
	TEST_WAIT(other->conn != NULL && server->nb_connects == 2, TEST_MS);
	for (i = 0; i < 5; i++) {
		TEST_EXPECT(test_send_pattern(first, 8, i), 0);
		TEST_EXPECT(test_send_pattern(client->conn, 8, i), 0);
	}
	TEST_EXPECT(rte_comch_server_disconnect(first), 0);
	TEST_EXPECT(rte_comch_server_disconnect(first), -EALREADY);
	TEST_WAIT(server->nb_disconnects == 1 && test_state(client) == RTE_COMCH_STATE_IDLE,
			TEST_MS);
	TEST_EXPECT(server->disconnect_status, -ECANCELED);
	TEST_EXPECT(server->nb_done + server->nb_failed, 5);
	if (server->nb_failed != 0)
		TEST_EXPECT(server->send_status, -ECANCELED);
	TEST_EXPECT(client->nb_done + client->nb_failed, 5);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), -ESHUTDOWN);
	TEST_EXPECT(test_state(other), RTE_COMCH_STATE_RUNNING);
	TEST_EXPECT(test_state(server), RTE_COMCH_STATE_RUNNING);
	TEST_EXPECT(test_send_pattern(other->conn, 8, 1), 0);
	TEST_WAIT(other->nb_done == 1, TEST_MS);
	return TEST_SUCCESS;
}

static int
test_server_stop(void)
{
	struct rte_comch_pe *pe = test_pe_new(), *client_pe = test_pe_new();
	struct test_ep *server = test_server_run("test", pe);
	struct test_ep *clients[8];
	unsigned int i;

	for (i = 0; i < RTE_DIM(clients); i++)
		clients[i] = test_client_run("test", client_pe);
	TEST_WAIT(all_connected(clients, RTE_DIM(clients)) &&
			server->nb_connects == RTE_DIM(clients), TEST_MS);
	TEST_EXPECT(rte_comch_ctx_stop(server->ctx), -EINPROGRESS);
	TEST_WAIT(test_state(server) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(server->nb_disconnects, RTE_DIM(clients));
	TEST_EXPECT(server->disconnect_status, -ECANCELED);
	TEST_EXPECT(rte_comch_ctx_reason_get(server->ctx), 0);
	for (i = 0; i < RTE_DIM(clients); i++) {
		TEST_WAIT(test_state(clients[i]) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_EXPECT(rte_comch_ctx_reason_get(clients[i]->ctx), -ESHUTDOWN);
	}
	/* the same contexts, once more */
	TEST_EXPECT(rte_comch_ctx_start(server->ctx), 0);
	for (i = 0; i < RTE_DIM(clients); i++)
		TEST_EXPECT(rte_comch_ctx_start(clients[i]->ctx), -EINPROGRESS);
	TEST_WAIT(all_connected(clients, RTE_DIM(clients)), TEST_MS);
	return TEST_SUCCESS;
}

static int
test_isolation(void)
{
	struct test_pair other, self = test_pair;
	struct test_ep *here, *there, *client, *unknown_peer;
	struct rte_comch_pe *pe;

	TEST_CALL(test_pair_other(&other));
	pe = test_pe_new();
	here = test_server_run("test", pe);
	test_pair = other;
	unknown_peer = test_client_run("test", pe);
	test_pair = self;
	TEST_CALL(expect_refused(unknown_peer, -ENOENT));
	TEST_EXPECT(here->nb_connects, 0);

	/* the same name on another representor is another server */
	test_pair = other;
	there = test_server_run("test", pe);
	test_pair = self;
	client = test_client_run("test", pe);
	TEST_EXPECT(rte_comch_ctx_start(unknown_peer->ctx), -EINPROGRESS);
	TEST_WAIT(client->conn != NULL && unknown_peer->conn != NULL, TEST_MS);
	TEST_EXPECT(test_send_pattern(client->conn, 10, 1), 0);
	TEST_EXPECT(test_send_pattern(unknown_peer->conn, 20, 2), 0);
	TEST_WAIT(here->nb_recv == 1 && there->nb_recv == 1, TEST_MS);
	TEST_TRUE(here->last_len == 10 && test_check(here->last_msg, 10, 1));
	TEST_TRUE(there->last_len == 20 && test_check(there->last_msg, 20, 2));
	return TEST_SUCCESS;
}

static int
test_names(void)
{
	static const char * const names[] = {
		"a", "name with spaces", "%s%n%x", "\x01\x7f\xff", "a/b/../c", "Test",
	};
	struct rte_comch_pe *pe = test_pe_new();
	struct test_ep *servers[RTE_DIM(names)], *client;
	struct rte_comch_conn_info info;
	unsigned int i;

	for (i = 0; i < RTE_DIM(names); i++) {
		servers[i] = test_server_run(names[i], pe);
	}
	for (i = 0; i < RTE_DIM(names); i++) {
		client = test_client_run(names[i], pe);
		TEST_WAIT(client->conn != NULL && servers[i]->nb_connects == 1, TEST_MS);
		TEST_EXPECT(rte_comch_conn_info_get(client->conn, &info), 0);
		TEST_TRUE(strcmp(info.server, names[i]) == 0);
	}
	client = test_client_run("test", pe); /* not "Test" */
	TEST_CALL(expect_refused(client, -ENOENT));
	return TEST_SUCCESS;
}

/* A device by its address, if no other device has the same one. */
static int
found_by_address(const char *pci_addr)
{
	TEST_TRUE(rte_comch_dev_get_id_by_name(pci_addr) >= 0);
	TEST_EXPECT(rte_comch_dev_get_id_by_name(strchr(pci_addr, ':') + 1),
			rte_comch_dev_get_id_by_name(pci_addr));
	return TEST_SUCCESS;
}

static int
test_representors(void)
{
	struct rte_comch_rep_info reps[256];
	struct rte_comch_dev_info host, dpu;
	struct test_ep *server, *client;
	int i, j, nb;

	/* a link is known when engines have turned */
	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(rte_comch_dev_info_get(test_pair.host, &host), 0);
	TEST_EXPECT(rte_comch_dev_info_get(test_pair.dpu, &dpu), 0);
	nb = rte_comch_rep_list(test_pair.dpu, reps, RTE_DIM(reps));
	TEST_EXPECT(nb, dpu.nb_reps);
	for (i = 0; i < nb && i < (int)RTE_DIM(reps); i++) {
		TEST_TRUE(reps[i].name[0] != '\0');
		for (j = 0; j < i; j++)
			TEST_TRUE(strcmp(reps[i].name, reps[j].name) != 0 &&
					reps[i].rep_id != reps[j].rep_id);
		TEST_EXPECT(rte_comch_rep_get_id_by_name(test_pair.dpu, reps[i].name),
				reps[i].rep_id);
		if (reps[i].pci_addr[0] != '\0') {
			TEST_EXPECT(rte_comch_rep_get_id_by_name(test_pair.dpu,
					reps[i].pci_addr), reps[i].rep_id);
			TEST_EXPECT(rte_comch_rep_get_id_by_name(test_pair.dpu,
					strchr(reps[i].pci_addr, ':') + 1), reps[i].rep_id);
		}
		if (reps[i].rep_id == test_pair.rep) {
			TEST_TRUE(strcmp(reps[i].name, host.function) == 0);
			TEST_TRUE(reps[i].nb_links > 0);
		}
	}
	/* functions behind a socket are on no bus */
	if (test_place_is_bluefield() && host.pci_addr[0] == '\0' && dpu.pci_addr[0] == '\0')
		return TEST_SUCCESS;
	TEST_CALL(found_by_address(host.pci_addr));
	return found_by_address(dpu.pci_addr);
}

static struct unit_test_suite suite = {
	.suite_name = "comch: connections",
	.setup = test_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, test_cleanup, test_many_clients),
		TEST_CASE_ST(NULL, test_cleanup, test_crowd_stands),
		TEST_CASE_ST(NULL, test_cleanup, test_max_clients),
		TEST_CASE_ST(NULL, test_cleanup, test_connect_timeout),
		TEST_CASE_ST(NULL, test_cleanup, test_stop_while_starting),
		TEST_CASE_ST(NULL, test_cleanup, test_refused_reasons),
		TEST_CASE_ST(NULL, test_cleanup, test_reconnect),
		TEST_CASE_ST(NULL, test_cleanup, test_stop_with_tasks),
		TEST_CASE_ST(NULL, test_cleanup, test_stop_in_callbacks),
		TEST_CASE_ST(NULL, test_cleanup, test_server_disconnects),
		TEST_CASE_ST(NULL, test_cleanup, test_server_stop),
		TEST_CASE_ST(NULL, test_cleanup, test_isolation),
		TEST_CASE_ST(NULL, test_cleanup, test_names),
		TEST_CASE_ST(NULL, test_cleanup, test_representors),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_conn_autotest, test_pairs_run, &suite)
