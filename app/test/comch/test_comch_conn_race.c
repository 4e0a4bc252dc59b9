/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The main thread ends connections while another thread makes producers on them.
 * Either the producer is made and the end is refused with -EBUSY, or the end
 * succeeds and the producer is refused with -ENOTCONN.
 */

#include <pthread.h>

#include "test_comch_fp_util.h"

#define DISCONNECTS 300
#define CLIENT_STOPS 300
#define SERVER_STOPS 100
#define CLIENTS 8
/* Nanoseconds that either thread waits at most before it begins. */
#define SPREAD_NS 10000

/* Makes one producer in each round. */
struct maker {
	pthread_t thread;
	struct rte_comch_conn *conn;
	struct rte_comch_ctx *ctx;
	uint32_t delay_ns;
	int made;      /* what the creation returned */
	uint32_t go;   /* the round that it may begin */
	uint32_t done; /* the round that is over */
	bool stop;
};

static void
spin_ns(uint32_t ns)
{
	uint64_t end = test_now_ns() + ns;

	while (test_now_ns() < end)
		;
}

static void *
maker_run(void *arg)
{
	struct maker *m = arg;

	test_thread_spread(1);
	while (!__atomic_load_n(&m->stop, __ATOMIC_RELAXED)) {
		/* acquire: pairs with the release in race(), which sets conn before */
		if (__atomic_load_n(&m->go, __ATOMIC_ACQUIRE) == m->done) {
			sched_yield();
			continue;
		}
		spin_ns(m->delay_ns);
		m->made = rte_comch_producer_create(m->conn, NULL, &m->ctx);
		/* release: pairs with the acquire in race() */
		__atomic_store_n(&m->done, m->done + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void
maker_stop(struct maker *m)
{
	__atomic_store_n(&m->stop, true, __ATOMIC_RELAXED);
	pthread_join(m->thread, NULL);
}

/* One end against one creation. @return whether the end won, or a negative value */
static int
race(struct maker *m, struct rte_comch_conn *conn, int (*end)(void *arg), void *arg)
{
	uint64_t limit = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	int ended;

	m->conn = conn;
	m->ctx = NULL;
	m->delay_ns = test_rand() % SPREAD_NS;
	__atomic_store_n(&m->go, m->go + 1, __ATOMIC_RELEASE);
	spin_ns(test_rand() % SPREAD_NS);
	ended = end(arg);
	while (__atomic_load_n(&m->done, __ATOMIC_ACQUIRE) != m->go) {
		TEST_TRUE(test_now_ns() < limit);
		sched_yield();
	}
	if (m->made == 0)
		TEST_EXPECT(rte_comch_ctx_destroy(m->ctx), 0);
	if (m->made == 0 && ended == -EBUSY)
		return 0;
	TEST_ASSERT(m->made == -ENOTCONN && (ended == 0 || ended == -EINPROGRESS),
			"the creation returned %d, the end %d", m->made, ended);
	return 1;
}

static int
end_by_disconnect(void *arg)
{
	return rte_comch_server_disconnect(arg);
}

static int
end_by_stop(void *arg)
{
	return rte_comch_ctx_stop(arg);
}

static int
reconnect(struct test_ep *server, struct test_ep *client)
{
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE && server->conn == NULL, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
	TEST_WAIT(client->conn != NULL && server->conn != NULL, TEST_MS);
	return TEST_SUCCESS;
}

static int
disconnects(struct maker *m)
{
	struct test_ep *server, *client;
	unsigned int round, won = 0;
	int ret;

	TEST_CALL(test_connected(&server, &client));
	for (round = 0; round < DISCONNECTS; round++) {
		ret = race(m, server->conn, end_by_disconnect, server->conn);
		TEST_TRUE(ret >= 0);
		won += (unsigned int)ret;
		if (ret == 0)
			TEST_EXPECT(rte_comch_server_disconnect(server->conn), 0);
		TEST_EXPECT(rte_comch_server_disconnect(server->conn), -EALREADY);
		TEST_CALL(reconnect(server, client));
	}
	test_note("%u of %u disconnections came first", won, round);
	return TEST_SUCCESS;
}

static int
client_stops(struct maker *m)
{
	struct test_ep *server, *client;
	unsigned int round, won = 0;
	int ret;

	TEST_CALL(test_connected(&server, &client));
	for (round = 0; round < CLIENT_STOPS; round++) {
		ret = race(m, client->conn, end_by_stop, client->ctx);
		TEST_TRUE(ret >= 0);
		won += (unsigned int)ret;
		if (ret == 0) {
			TEST_EXPECT(test_state(client), RTE_COMCH_STATE_RUNNING);
			TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EINPROGRESS);
		}
		TEST_CALL(reconnect(server, client));
	}
	test_note("%u of %u stops came first", won, round);
	return TEST_SUCCESS;
}

/* The connections of a server; how many of them are up. */
static unsigned int
conns_up(struct test_ep *server, struct rte_comch_conn **conns)
{
	struct rte_comch_conn *conn = NULL;
	struct rte_comch_conn_info info;
	unsigned int nb = 0, up = 0;

	while (nb < CLIENTS &&
			(conn = rte_comch_server_conn_next(server->ctx, conn)) != NULL) {
		conns[nb++] = conn;
		up += rte_comch_conn_info_get(conn, &info) == 0 && info.connected;
	}
	return up;
}

static int
clients_start(struct test_ep *server, struct test_ep **clients, struct rte_comch_pe *pe)
{
	uint32_t before = server->nb_connects;
	unsigned int i;

	for (i = 0; i < CLIENTS; i++) {
		if (clients[i] == NULL)
			clients[i] = test_client_run("test", pe);
		else
			TEST_EXPECT(rte_comch_ctx_start(clients[i]->ctx), -EINPROGRESS);
	}
	TEST_WAIT(server->nb_connects == before + CLIENTS, TEST_MS);
	for (i = 0; i < CLIENTS; i++)
		TEST_WAIT(clients[i]->conn != NULL, TEST_MS);
	return TEST_SUCCESS;
}

/* One that is in use keeps all connections of a server. */
static int
server_stops(struct maker *m)
{
	struct test_ep *server = test_server_run("test", test_pe_new());
	struct test_ep *clients[CLIENTS] = { NULL };
	struct rte_comch_conn *conns[CLIENTS];
	struct rte_comch_pe *pe = test_pe_new();
	unsigned int round, i, won = 0;
	int ret;

	for (round = 0; round < SERVER_STOPS; round++) {
		TEST_CALL(clients_start(server, clients, pe));
		TEST_EXPECT(conns_up(server, conns), CLIENTS);
		ret = race(m, conns[test_rand() % CLIENTS], end_by_stop, server->ctx);
		TEST_TRUE(ret >= 0);
		won += (unsigned int)ret;
		TEST_EXPECT(conns_up(server, conns), ret == 0 ? CLIENTS : 0);
		if (ret == 0) {
			TEST_EXPECT(test_state(server), RTE_COMCH_STATE_RUNNING);
			TEST_EXPECT(rte_comch_ctx_stop(server->ctx), -EINPROGRESS);
		}
		TEST_WAIT(test_state(server) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_EXPECT(rte_comch_ctx_start(server->ctx), 0);
		for (i = 0; i < CLIENTS; i++)
			TEST_WAIT(test_state(clients[i]) == RTE_COMCH_STATE_IDLE, TEST_MS);
	}
	test_note("%u of %u stops came first", won, round);
	return TEST_SUCCESS;
}

static int
with_maker(int (*fn)(struct maker *m))
{
	struct maker m = { .done = 0 };
	int ret;

	test_time_limit(60);
	TEST_EXPECT(pthread_create(&m.thread, NULL, maker_run, &m), 0);
	ret = fn(&m);
	maker_stop(&m);
	return ret;
}

static int
test_disconnect(void)
{
	return with_maker(disconnects);
}

static int
test_client_stop(void)
{
	return with_maker(client_stops);
}

static int
test_server_stop(void)
{
	return with_maker(server_stops);
}

static struct unit_test_suite suite = {
	.suite_name = "comch: ends of connections beside creations of queues",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(test_fp_need, test_cleanup, test_disconnect),
		TEST_CASE_ST(test_fp_need, test_cleanup, test_client_stop),
		TEST_CASE_ST(test_fp_need, test_cleanup, test_server_stop),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_conn_race_autotest, unit_test_suite_runner, &suite)
