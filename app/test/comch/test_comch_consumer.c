/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Consumers as far as the control path knows them: their identifiers, and the
 * news of their arrival and departure. Run with every pair of devices.
 */

#include <pthread.h>

#include "test_comch_util.h"

static int
need_consumers(void)
{
	if ((test_dev_info(test_pair.host).capa & RTE_COMCH_CAPA_CONSUMER) == 0)
		return test_skip("the device has no consumers");
	return TEST_SUCCESS;
}

/* Consumers of the client, seen by the server; then the other way round. */
static int
announce(struct test_ep *near, struct test_ep *far, struct rte_comch_pe *pe)
{
	struct test_ep *one = test_ep_new(), *two = test_ep_new();
	struct rte_comch_conn_info info;
	uint32_t id;

	TEST_EXPECT(test_consumer_start(one, near->conn, pe), -EINPROGRESS);
	TEST_WAIT(test_state(one) == RTE_COMCH_STATE_RUNNING && far->nb_new == 1, TEST_MS);
	TEST_EXPECT(far->new_id, test_queue_id(one->ctx));
	TEST_EXPECT(test_consumer_start(two, near->conn, pe), -EINPROGRESS);
	TEST_WAIT(test_state(two) == RTE_COMCH_STATE_RUNNING && far->nb_new == 2, TEST_MS);
	id = test_queue_id(two->ctx);
	TEST_EXPECT(far->new_id, id);
	TEST_TRUE(id >= 1 && id != test_queue_id(one->ctx));
	TEST_EXPECT(one->states[0], RTE_COMCH_STATE_STARTING);
	TEST_EXPECT(one->states[1], RTE_COMCH_STATE_RUNNING);

	TEST_EXPECT(rte_comch_conn_info_get(far->conn, &info), 0);
	TEST_EXPECT(info.nb_remote_consumers, 2);
	TEST_EXPECT(info.nb_local_consumers, 0);
	TEST_EXPECT(rte_comch_conn_info_get(near->conn, &info), 0);
	TEST_EXPECT(info.nb_remote_consumers, 0);
	TEST_EXPECT(info.nb_local_consumers, 2);

	TEST_EXPECT(rte_comch_ctx_destroy(two->ctx), -EBUSY);
	TEST_CALL(test_stop(two));
	TEST_WAIT(far->nb_gone == 1, TEST_MS);
	TEST_EXPECT(far->gone_id, id);
	/* started again it is announced again, by the same name */
	TEST_EXPECT(rte_comch_ctx_start(two->ctx), -EINPROGRESS);
	TEST_WAIT(far->nb_new == 3, TEST_MS);
	TEST_EXPECT(far->new_id, id);
	TEST_EXPECT(test_ep_close(two), 0);
	TEST_EXPECT(test_ep_close(one), 0);
	TEST_WAIT(far->nb_gone == 3, TEST_MS);
	TEST_EXPECT(rte_comch_conn_info_get(far->conn, &info), 0);
	TEST_EXPECT(info.nb_remote_consumers, 0);
	return TEST_SUCCESS;
}

static int
test_announce(void)
{
	struct test_ep *server, *client;
	struct rte_comch_pe *pe;

	TEST_CALL(test_connected(&server, &client));
	pe = test_pe_new(); /* neither the server's nor the client's */
	TEST_CALL(announce(client, server, pe));
	return announce(server, client, pe);
}

static int
test_own_engine(void)
{
	struct rte_comch_pe *pe = test_pe_new();
	struct test_ep *server = test_server_run("test", pe);
	struct test_ep *client = test_client_run("test", pe);

	TEST_WAIT(client->conn != NULL && server->conn != NULL, TEST_MS);
	TEST_CALL(announce(client, server, pe));
	return announce(server, client, pe);
}

static int
test_busy(void)
{
	struct test_ep *server, *client, *far = test_ep_new(), *near = test_ep_new();
	struct rte_comch_pe *pe = test_pe_new();

	TEST_CALL(test_connected(&server, &client));
	/* one that only exists, and one that runs */
	TEST_EXPECT(rte_comch_consumer_create(client->conn, NULL, &near->ctx), 0);
	TEST_EXPECT(test_consumer_start(far, server->conn, pe), -EINPROGRESS);
	TEST_WAIT(test_state(far) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EBUSY);
	TEST_EXPECT(rte_comch_ctx_stop(server->ctx), -EBUSY);
	TEST_EXPECT(rte_comch_server_disconnect(server->conn), -EBUSY);
	test_settle();
	TEST_EXPECT(test_state(client), RTE_COMCH_STATE_RUNNING);
	TEST_EXPECT(test_state(server), RTE_COMCH_STATE_RUNNING);
	TEST_EXPECT(test_send_pattern(client->conn, 8, 1), 0);
	TEST_WAIT(server->nb_recv == 1, TEST_MS);

	TEST_EXPECT(test_ep_close(near), 0);
	TEST_EXPECT(rte_comch_ctx_stop(server->ctx), -EBUSY);
	TEST_EXPECT(test_ep_close(far), 0);
	TEST_EXPECT(rte_comch_server_disconnect(server->conn), 0);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	return TEST_SUCCESS;
}

/* The peer can always go; the consumer becomes idle with the reason. */
static int
test_peer_leaves(void)
{
	struct test_ep *server, *client, *running = test_ep_new(), *starting = test_ep_new();
	struct rte_comch_pe *pe = test_pe_new();

	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(test_consumer_start(running, server->conn, pe), -EINPROGRESS);
	TEST_WAIT(test_state(running) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	TEST_CALL(test_stop(client));
	TEST_WAIT(test_state(running) == RTE_COMCH_STATE_IDLE && server->nb_disconnects == 1,
			TEST_MS);
	TEST_TRUE(rte_comch_ctx_reason_get(running->ctx) < 0);
	TEST_EXPECT(rte_comch_ctx_start(running->ctx), -ENOTCONN);
	TEST_EXPECT(test_ep_close(running), 0);

	TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
	TEST_WAIT(server->nb_connects == 2 && client->conn != NULL, TEST_MS);
	TEST_EXPECT(test_consumer_start(starting, client->conn, pe), -EINPROGRESS);
	TEST_EXPECT(rte_comch_server_disconnect(server->conn), 0);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE &&
			test_state(starting) == RTE_COMCH_STATE_IDLE, TEST_MS);
	return TEST_SUCCESS;
}

/* A connection that is full of messages does not keep the news of a consumer back. */
static int
test_announce_behind_messages(void)
{
	struct test_ep *server, *client;
	struct test_ep *consumer = test_ep_new();
	const struct rte_comch_server_conf server_conf = { .ctrl.recv_queue_size = 1 };
	const struct rte_comch_client_conf client_conf = { .ctrl.nb_tasks = 1024 };
	struct rte_comch_pe *client_pe = test_pe_new();
	unsigned int i;

	server = test_server_run_conf(&server_conf, test_pe_new());
	client = test_client_run_conf(&client_conf, client_pe);
	TEST_WAIT(client->conn != NULL && server->conn != NULL, TEST_MS);
	for (i = 0; i < 1024; i++)
		TEST_EXPECT(test_send_pattern(client->conn, 200, i), 0);
	TEST_EXPECT(test_consumer_start(consumer, client->conn, client_pe), -EINPROGRESS);
	for (i = 0; i < 100; i++)
		rte_comch_pe_progress(client_pe);
	TEST_WAIT(server->nb_new == 1 && server->nb_recv == 1024 &&
			test_state(consumer) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	TEST_EXPECT(test_ep_close(consumer), 0);
	TEST_WAIT(server->nb_gone == 1, TEST_MS);
	return TEST_SUCCESS;
}

#define WORKER_CONSUMERS 8
#define WORKER_ROUNDS 50

/* Consumers that another thread starts and stops, on an engine of its own. */
struct worker {
	pthread_t thread;
	struct rte_comch_pe *pe;
	struct rte_comch_ctx *ctxs[WORKER_CONSUMERS];
	uint32_t starts;
	int error;
	bool done; /* what follows belongs to the main thread again */
};

/* One turn of one consumer: up, down, or out. @return whether it lives. */
static bool
worker_turn(struct worker *w, struct rte_comch_ctx **ctx)
{
	int ret = 0;

	switch (rte_comch_ctx_state_get(*ctx)) {
	case RTE_COMCH_STATE_IDLE:
		ret = rte_comch_ctx_start(*ctx);
		/* the second: its connection ended in the middle of the start */
		if (ret == -EINPROGRESS || ret == -ECANCELED) {
			w->starts++;
			break;
		}
		/* the connection is over, and so is the consumer */
		w->error = ret == -ENOTCONN ? rte_comch_ctx_destroy(*ctx) : ret;
		*ctx = NULL;
		return false;
	case RTE_COMCH_STATE_RUNNING:
		ret = rte_comch_ctx_stop(*ctx);
		if (ret != 0 && ret != -EINPROGRESS)
			w->error = ret;
		break;
	default:
		break;
	}
	return true;
}

static void *
worker_run(void *arg)
{
	struct worker *w = arg;
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	unsigned int alive, i;

	for (i = 0; i < WORKER_CONSUMERS && w->error == 0; i++)
		w->error = rte_comch_ctx_attach(w->ctxs[i], w->pe);
	do {
		alive = 0;
		for (i = 0; i < WORKER_CONSUMERS && w->error == 0; i++)
			alive += w->ctxs[i] != NULL && worker_turn(w, &w->ctxs[i]);
		rte_comch_pe_progress(w->pe);
		if (test_now_ns() > end)
			w->error = -ETIMEDOUT;
	} while (alive != 0 && w->error == 0);
	__atomic_store_n(&w->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* The connection ends in one thread at any moment of its consumers in another. */
static int
test_other_thread(void)
{
	struct test_ep *server, *client;
	struct worker w = { .error = 0 };
	unsigned int round, i;
	uint64_t end;

	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(rte_comch_pe_create(NULL, &w.pe), 0);
	for (round = 0; round < WORKER_ROUNDS && w.error == 0; round++) {
		for (i = 0; i < WORKER_CONSUMERS; i++)
			TEST_EXPECT(rte_comch_consumer_create(client->conn, NULL, &w.ctxs[i]), 0);
		w.done = false;
		TEST_EXPECT(pthread_create(&w.thread, NULL, worker_run, &w), 0);
		end = test_now_ns() + test_rand() % 8000000;
		while (test_now_ns() < end)
			test_progress();
		if (rte_comch_server_disconnect(server->conn) != 0)
			test_fail("the server cannot disconnect");
		while (!__atomic_load_n(&w.done, __ATOMIC_ACQUIRE))
			if (test_progress() == 0)
				sched_yield();
		pthread_join(w.thread, NULL);
		TEST_EXPECT(w.error, 0);
		TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), -ESHUTDOWN);
		TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
		TEST_WAIT(client->conn != NULL && server->nb_connects == round + 2, TEST_MS);
	}
	test_note("%u starts of consumers in %u connections", w.starts, round);
	TEST_TRUE(w.starts > 0);
	TEST_EXPECT(rte_comch_pe_destroy(w.pe), 0);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: consumers on the control path",
	.setup = test_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(need_consumers, test_cleanup, test_announce),
		TEST_CASE_ST(need_consumers, test_cleanup, test_own_engine),
		TEST_CASE_ST(need_consumers, test_cleanup, test_busy),
		TEST_CASE_ST(need_consumers, test_cleanup, test_peer_leaves),
		TEST_CASE_ST(need_consumers, test_cleanup, test_announce_behind_messages),
		TEST_CASE_ST(need_consumers, test_cleanup, test_other_thread),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_consumer_autotest, test_pairs_run, &suite)
