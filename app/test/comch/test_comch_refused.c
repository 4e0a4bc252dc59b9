/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Clients that a server did not get: what its application is told of them, by real
 * clients that are refused, or give up before they are connected.
 */

#include <unistd.h>

#include "test_comch_place.h"
#include "test_comch_util.h"

/* A turn of the engine tells of so many, see rte_comch_refused_cb_t. */
#define TOLD 8
#define FLOOD 30

/* What a server has been told. */
static struct rte_comch_refusal told[64];
static unsigned int nb_told;
static struct test_ep *server;
static void (*on_refused)(void);

static void
refused_cb(struct rte_comch_ctx *ctx, const struct rte_comch_refusal *refusal, void *user_data)
{
	struct test_ep *ep = user_data;

	if (ep != server || ctx != server->ctx)
		test_fail("the refusal is told to another server");
	if (nb_told < RTE_DIM(told))
		told[nb_told] = *refusal;
	nb_told++;
	if (on_refused != NULL)
		on_refused();
}

static void
server_open(uint32_t max_clients, uint32_t max_msg_size, struct rte_comch_pe *pe)
{
	const struct rte_comch_server_conf conf = {
		.name = "picky",
		.max_clients = max_clients,
		.ctrl.max_msg_size = max_msg_size,
		.ctrl.nb_tasks = 4,
		.refused_cb = refused_cb,
	};

	nb_told = 0;
	on_refused = NULL;
	memset(told, 0, sizeof(told));
	server = test_server_run_conf(&conf, pe);
}

static struct test_ep *
client_open(uint32_t max_msg_size, struct rte_comch_pe *pe)
{
	const struct rte_comch_client_conf conf = {
		.name = "picky",
		.ctrl.max_msg_size = max_msg_size,
		.ctrl.nb_tasks = 1,
	};

	return test_client_run_conf(&conf, pe);
}

/* The last one was of this process. */
static int
told_is(unsigned int i, int reason, uint32_t max_msg_size)
{
	const struct rte_comch_refusal *one = &told[i];

	TEST_EXPECT(one->reason, reason);
	TEST_EXPECT(one->max_msg_size, max_msg_size);
	TEST_EXPECT(one->nb_missed, 0);
	TEST_TRUE(one->peer_pid == 0 || one->peer_pid == (uint32_t)getpid());
	TEST_TRUE(one->peer_uid == UINT32_MAX || one->peer_uid == getuid());
	TEST_TRUE(strcmp(one->function, test_pair.function) == 0);
	return TEST_SUCCESS;
}

static int
client_ends(struct test_ep *client, int reason)
{
	TEST_TRUE(client != NULL);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), reason);
	return TEST_SUCCESS;
}

static int
test_reasons(void)
{
	struct rte_comch_pe *pe = test_pe_new();
	struct test_ep *client;

	server_open(1, 256, test_pe_new());
	TEST_CALL(client_ends(client_open(255, pe), -EMSGSIZE));
	TEST_WAIT(nb_told == 1, TEST_MS);
	TEST_CALL(told_is(0, -EMSGSIZE, 255));
	client = client_open(256, pe);
	TEST_WAIT(client->conn != NULL && server->conn != NULL, TEST_MS);
	TEST_EXPECT(nb_told, 1);
	TEST_CALL(client_ends(client_open(0, pe), -ENOSPC));
	TEST_WAIT(nb_told == 2, TEST_MS);
	TEST_CALL(told_is(1, -ENOSPC, 0));
	/* the one that is connected is none */
	TEST_CALL(test_stop(client));
	TEST_WAIT(server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(nb_told, 2);
	return TEST_SUCCESS;
}

/* A server on an engine that has no task for the next client. */
static int
test_no_task(void)
{
	const struct rte_comch_pe_conf conf = { .max_tasks = 5 };
	struct rte_comch_pe *pe, *own = test_pe_new();
	struct test_ep *one, *two;
	int ret;

	TEST_EXPECT(rte_comch_pe_create(&conf, &pe), 0);
	server_open(2, 0, pe);
	one = client_open(0, own);
	two = client_open(0, own);
	TEST_UNTIL(nb_told != 0 && (one->conn != NULL || two->conn != NULL),
			test_turn(pe, NULL) + test_progress(), TEST_MS);
	TEST_EXPECT(nb_told, 1);
	TEST_CALL(told_is(0, -ENOSPC, 0));
	ret = rte_comch_ctx_stop(server->ctx);
	TEST_TRUE(ret == 0 || ret == -EINPROGRESS);
	TEST_UNTIL(test_state(server) == RTE_COMCH_STATE_IDLE,
			test_turn(pe, NULL) + test_progress(), TEST_MS);
	ret = rte_comch_ctx_destroy(server->ctx);
	TEST_EXPECT(ret, 0);
	server->ctx = NULL;
	TEST_EXPECT(rte_comch_pe_destroy(pe), 0);
	return TEST_SUCCESS;
}

/* More than a turn tells: it tells of some, and counts the others. */
static int
test_flood(void)
{
	struct rte_comch_pe *server_pe = test_pe_new(), *pe = test_pe_new();
	unsigned int i, before, sum = 0, most = 0;
	struct test_ep *clients[FLOOD], *first;
	uint64_t end;

	server_open(1, 0, server_pe);
	first = client_open(0, pe);
	TEST_WAIT(first->conn != NULL && server->conn != NULL, TEST_MS);
	for (i = 0; i < FLOOD; i++)
		clients[i] = client_open(0, pe);
	for (i = 0; i < FLOOD; i++) /* all have asked before the server looks */
		TEST_TRUE(rte_comch_pe_progress(pe) >= 0);
	end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	for (sum = 0; sum < FLOOD && test_now_ns() < end; ) {
		before = nb_told;
		TEST_TRUE(rte_comch_pe_progress(server_pe) >= 0);
		most = RTE_MAX(most, nb_told - before);
		for (i = before; i < nb_told && i < RTE_DIM(told); i++)
			sum += 1 + told[i].nb_missed;
		if (nb_told == before)
			TEST_TRUE(rte_comch_pe_progress(pe) >= 0);
	}
	TEST_EXPECT(sum, FLOOD);
	TEST_TRUE(most <= TOLD);
	for (i = 0; i < FLOOD; i++)
		TEST_CALL(client_ends(clients[i], -ENOSPC));
	return TEST_SUCCESS;
}

static void
stop_server(void)
{
	int ret = rte_comch_ctx_stop(server->ctx);

	if (ret != 0 && ret != -EINPROGRESS)
		test_fail("a server cannot be stopped when a client was refused: %d", ret);
}

static void
destroy_when_idle(struct test_ep *ep, int prev __rte_unused, int next)
{
	if (next != RTE_COMCH_STATE_IDLE)
		return;
	if (rte_comch_ctx_destroy(ep->ctx) != 0)
		test_fail("a server cannot be destroyed in its callback");
	ep->ctx = NULL;
}

/* The callback stops the server, which goes: it is told of no other. */
static int
test_stop_in_callback(void)
{
	struct rte_comch_pe *pe = test_pe_new();
	struct test_ep *clients[4];
	unsigned int i;

	server_open(1, 256, test_pe_new());
	on_refused = stop_server;
	server->on_state = destroy_when_idle;
	for (i = 0; i < RTE_DIM(clients); i++)
		clients[i] = client_open(255, pe);
	TEST_WAIT(server->ctx == NULL, TEST_MS);
	for (i = 0; i < RTE_DIM(clients); i++)
		TEST_WAIT(test_state(clients[i]) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(nb_told, 1);
	return TEST_SUCCESS;
}

/* Without the callback, and with one set later, while it is IDLE. */
static int
test_set_later(void)
{
	struct rte_comch_pe *pe = test_pe_new();
	struct rte_comch_server_conf conf;

	server_open(1, 256, test_pe_new());
	TEST_CALL(test_stop_now(server->ctx));
	conf = test_ctx_info(server->ctx).conf.server;
	TEST_TRUE(conf.refused_cb == refused_cb);
	conf.refused_cb = NULL;
	TEST_EXPECT(test_server_conf_set(server->ctx, &conf), 0);
	TEST_EXPECT(rte_comch_ctx_start(server->ctx), 0);
	TEST_CALL(client_ends(client_open(255, pe), -EMSGSIZE));
	TEST_CALL(test_stop_now(server->ctx));
	conf.refused_cb = refused_cb;
	TEST_EXPECT(test_server_conf_set(server->ctx, &conf), 0);
	TEST_EXPECT(rte_comch_ctx_start(server->ctx), 0);
	TEST_EXPECT(nb_told, 0);
	TEST_CALL(client_ends(client_open(255, pe), -EMSGSIZE));
	TEST_WAIT(nb_told == 1, TEST_MS);
	return TEST_SUCCESS;
}

/*
 * A client that stops between its request and its connection. How many turns it is
 * from one to the other is the driver's matter: try them all.
 */
static int
test_gives_up(void)
{
	struct rte_comch_pe *server_pe = test_pe_new(), *pe = test_pe_new();
	struct test_ep *client;
	unsigned int i, n;

	server_open(1, 0, server_pe);
	client = client_open(0, pe);
	TEST_WAIT(client->conn != NULL, TEST_MS); /* the two sides know each other */
	TEST_CALL(test_stop(client));
	TEST_WAIT(server->nb_disconnects == 1, TEST_MS);
	for (n = 1; n < 20 && nb_told == 0; n++) {
		TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
		for (i = 0; i < n; i++)
			TEST_TRUE(rte_comch_pe_progress(pe) >= 0);
		usleep(test_place_is_bluefield() ? n * 200 : 0);
		for (i = 0; i < n; i++)
			TEST_TRUE(rte_comch_pe_progress(server_pe) >= 0);
		if (test_state(client) != RTE_COMCH_STATE_IDLE)
			rte_comch_ctx_stop(client->ctx);
		TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
		test_settle();
	}
	if (test_place_is_bluefield()) {
		/* a server of it knows a connection from the request on, and then of its end */
		TEST_EXPECT(nb_told, 0);
		TEST_TRUE(server->nb_connects > 1);
		TEST_WAIT(server->nb_disconnects == server->nb_connects, TEST_MS);
	} else {
		TEST_EXPECT(nb_told, 1);
		TEST_CALL(told_is(0, -ECONNABORTED, 0));
	}
	/* its place is free */
	TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
	TEST_WAIT(client->conn != NULL && server->conn != NULL, TEST_MS);
	return TEST_SUCCESS;
}

/* The server stops between the arrival of a request and its engine's turn. */
static int
test_server_gone(void)
{
	struct rte_comch_pe *other = test_pe_new(), *own = test_pe_new();
	struct rte_comch_dev_stats before, after;
	struct test_ep *client;
	unsigned int i;

	server_open(0, 0, test_pe_new());
	TEST_EXPECT(rte_comch_pe_dev_add(other, test_pair.dpu), 0);
	test_settle();
	TEST_EXPECT(rte_comch_dev_stats_get(test_pair.dpu, &before), 0);
	client = client_open(0, own);
	for (i = 0; i < 1000; i++) {
		rte_comch_pe_progress(own);
		rte_comch_pe_arm(other); /* so that it looks for requests */
		rte_comch_pe_progress(other);
	}
	test_arrive();
	TEST_EXPECT(test_stop_now(server->ctx), 0);
	TEST_CALL(client_ends(client, -ENOENT));
	TEST_EXPECT(nb_told, 0);
	TEST_EXPECT(rte_comch_dev_stats_get(test_pair.dpu, &after), 0);
	TEST_EXPECT(after.refused - before.refused, 1);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: clients that are refused",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, test_cleanup, test_reasons),
		TEST_CASE_ST(NULL, test_cleanup, test_no_task),
		TEST_CASE_ST(NULL, test_cleanup, test_flood),
		TEST_CASE_ST(NULL, test_cleanup, test_stop_in_callback),
		TEST_CASE_ST(NULL, test_cleanup, test_set_later),
		TEST_CASE_ST(NULL, test_cleanup, test_gives_up),
		TEST_CASE_ST(NULL, test_cleanup, test_server_gone),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_refused_autotest, unit_test_suite_runner, &suite)
