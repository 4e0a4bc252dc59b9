/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * References to connections: threads that work on a connection while its peer hangs
 * up and its server is destroyed, and queues that outlive both.
 */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "test_comch_fp_util.h"
#include "test_comch_place.h"

#define ROUNDS 60
/* Calls of a worker after everything but its reference has gone. */
#define CALLS_AFTER 50

/* Makes queues on one connection, until it is told to end. */
struct worker {
	pthread_t thread;
	struct rte_comch_conn *conn;
	struct rte_comch_pe *pe;
	bool start;        /* queues are started, too */
	uint32_t made;
	uint32_t refused;
	uint32_t after;    /* refused after the server had gone */
	const char *wrong; /* what was not as it should be */
	int ret;
	uint32_t running;  /* it has had its first turn */
	uint32_t gone;     /* the server is no more */
};

/* Stop a queue, if it was started, and destroy it. */
static int
queue_end(struct worker *w, struct rte_comch_ctx *ctx)
{
	uint64_t limit = test_now_ns() + (uint64_t)TEST_MS * 1000000;

	while (rte_comch_ctx_state_get(ctx) != RTE_COMCH_STATE_IDLE) {
		rte_comch_ctx_stop(ctx);
		if (rte_comch_pe_progress(w->pe) == 0)
			sched_yield();
		if (test_now_ns() > limit)
			return -ETIMEDOUT;
	}
	return rte_comch_ctx_destroy(ctx);
}

/* One queue made, and perhaps started; what the creation returned. */
static int
worker_queue(struct worker *w, bool consumer)
{
	struct rte_comch_ctx *ctx;
	int made, ret;

	made = consumer ? rte_comch_consumer_create(w->conn, NULL, &ctx) :
		rte_comch_producer_create(w->conn, NULL, &ctx);
	if (made != 0)
		return made;
	if (w->start) {
		ret = rte_comch_ctx_attach(ctx, w->pe);
		if (ret == 0)
			ret = rte_comch_ctx_start(ctx);
		/* cancelled: it ended in here, and its driver tells of that later */
		if (ret != 0 && ret != -EINPROGRESS && ret != -ENOTCONN && ret != -EAGAIN &&
				ret != -ECANCELED) {
			w->wrong = "start";
			w->ret = ret;
		}
	}
	ret = queue_end(w, ctx);
	if (ret != 0) {
		w->wrong = "end of a queue";
		w->ret = ret;
	}
	return 0;
}

/* What can be asked of a connection, whether it is over or not. */
static void
worker_ask(struct worker *w, bool over)
{
	struct rte_comch_conn_info info;

	w->ret = rte_comch_conn_info_get(w->conn, &info);
	if (w->ret != 0 || strcmp(info.server, "test") != 0 || (over && info.connected))
		w->wrong = "info";
	if (rte_comch_conn_user_data_get(w->conn) != w)
		w->wrong = "user data";
	if (over && test_conn_ctx(w->conn) != NULL)
		w->wrong = "context";
}

static void *
worker_run(void *arg)
{
	struct worker *w = arg;
	bool consumer = false, gone;
	int ret;

	test_thread_spread(1);
	do {
		/* acquire: pairs with the release in hang_up() */
		gone = __atomic_load_n(&w->gone, __ATOMIC_ACQUIRE) != 0;
		ret = worker_queue(w, consumer);
		consumer = !consumer;
		w->made += ret == 0;
		w->refused += ret == -ENOTCONN;
		if ((ret != 0 && ret != -ENOTCONN) || (ret == 0 && gone)) {
			w->wrong = "creation";
			w->ret = ret;
		}
		w->after += gone;
		worker_ask(w, gone);
		__atomic_store_n(&w->running, 1, __ATOMIC_RELEASE);
	} while (w->wrong == NULL && w->after < CALLS_AFTER);
	/* the last that keeps it */
	ret = rte_comch_conn_unref(w->conn);
	if (ret != 0)
		w->wrong = "unref";
	return NULL;
}

/* In the connect callback of the server. */
static void
hand_over(struct test_ep *ep, struct rte_comch_conn *conn)
{
	struct worker *w = ep->arg;

	w->conn = conn;
	w->ret = rte_comch_conn_ref(conn);
	rte_comch_conn_user_data_set(conn, w);
}

/* The peer hangs up while the worker works, and the server goes. */
static int
hang_up(struct worker *w)
{
	struct test_ep *server, *client;
	uint64_t limit;

	server = test_server_run("test", test_pe_new());
	server->on_connect = hand_over;
	server->arg = w;
	client = test_client_run("test", test_pe_new());
	TEST_WAIT(w->conn != NULL && test_state(client) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	TEST_EXPECT(w->ret, 0);
	TEST_EXPECT(pthread_create(&w->thread, NULL, worker_run, w), 0);
	TEST_WAIT(__atomic_load_n(&w->running, __ATOMIC_ACQUIRE) != 0, TEST_MS);
	limit = test_now_ns() + test_rand() % 300000;
	TEST_WAIT(test_now_ns() > limit, TEST_MS);
	TEST_TRUE(rte_comch_ctx_stop(client->ctx) <= 0);
	TEST_WAIT(server->nb_disconnects == 1, TEST_MS);
	return TEST_SUCCESS;
}

static int
hang_ups(int start)
{
	uint32_t made = 0, refused = 0;
	struct worker w;
	unsigned int i;
	int ret;

	test_time_limit(60);
	/* a worker may make them faster than threads of the device close what is left */
	TEST_CALL(test_need_fds(512));
	for (i = 0; i < ROUNDS; i++) {
		memset(&w, 0, sizeof(w));
		w.start = start;
		TEST_EXPECT(rte_comch_pe_create(NULL, &w.pe), 0);
		ret = hang_up(&w);
		test_cleanup(); /* the server and its engine go */
		if (w.thread != 0) {
			__atomic_store_n(&w.gone, 1, __ATOMIC_RELEASE);
			pthread_join(w.thread, NULL);
		}
		TEST_EXPECT(rte_comch_pe_destroy(w.pe), 0);
		TEST_CALL(ret);
		TEST_ASSERT(w.wrong == NULL, "round %u: %s: %d", i, w.wrong, w.ret);
		TEST_TRUE(w.refused >= CALLS_AFTER);
		made += w.made;
		refused += w.refused;
	}
	test_note("%u queues were made, %u refused", made, refused);
	return TEST_SUCCESS;
}

/* A queue that is left when its connection and its server have gone. */
static int
test_queue_outlives(void)
{
	struct test_ep *server, *client;
	struct rte_comch_ctx *ctx, *none;
	struct rte_comch_conn *conn;
	char *text = NULL;
	size_t size = 0;
	FILE *f;
	int ret;

	TEST_CALL(test_connected(&server, &client));
	conn = server->conn;
	TEST_EXPECT(rte_comch_producer_create(conn, NULL, &ctx), 0);
	TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EINPROGRESS);
	TEST_WAIT(server->nb_disconnects == 1, TEST_MS);
	test_cleanup();
	f = open_memstream(&text, &size);
	TEST_TRUE(f != NULL);
	ret = rte_comch_dev_dump(test_pair.dpu, f);
	fclose(f);
	TEST_TRUE(ret == 0 && strstr(text, "of 'test'") != NULL);
	free(text);
	TEST_TRUE(test_ctx_info(ctx).conn == NULL);
	TEST_EXPECT(rte_comch_producer_create(conn, NULL, &none), -ENOTCONN);
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	return TEST_SUCCESS;
}

/* What every function says of a connection that only a reference keeps. */
static int
over(struct rte_comch_conn *conn)
{
	struct rte_comch_conn_stats stats;
	struct rte_comch_conn_info info;
	struct rte_comch_task *task;
	struct rte_comch_ctx *ctx;

	TEST_TRUE(test_conn_ctx(conn) == NULL);
	TEST_EXPECT(rte_comch_conn_info_get(conn, &info), 0);
	TEST_TRUE(!info.connected && strcmp(info.server, "test") == 0);
	TEST_EXPECT(rte_comch_conn_stats_get(conn, &stats), 0);
	TEST_EXPECT(rte_comch_server_disconnect(conn), -EALREADY);
	TEST_EXPECT(rte_comch_conn_task_alloc(conn, "x", 1, &task), -ENOTCONN);
	TEST_EXPECT(rte_comch_consumer_create(conn, NULL, &ctx), -ENOTCONN);
	TEST_EXPECT(rte_comch_producer_create(conn, NULL, &ctx), -ENOTCONN);
	TEST_EXPECT(rte_comch_conn_ref(conn), 0);
	TEST_EXPECT(rte_comch_conn_unref(conn), 0);
	TEST_EXPECT(rte_comch_conn_unref(conn), 0);
	return TEST_SUCCESS;
}

static int
test_calls(void)
{
	struct rte_comch_conn *server_conn, *client_conn;
	struct test_ep *server, *client;

	TEST_EXPECT(rte_comch_conn_ref(NULL), -EINVAL);
	TEST_EXPECT(rte_comch_conn_unref(NULL), 0);
	TEST_CALL(test_connected(&server, &client));
	server_conn = server->conn;
	client_conn = client->conn;
	TEST_EXPECT(rte_comch_conn_unref(server_conn), -EALREADY);
	TEST_EXPECT(rte_comch_conn_ref(server_conn), 0);
	TEST_EXPECT(rte_comch_conn_ref(client_conn), 0);
	/* a reference does not keep it up, and its drop does not end it */
	TEST_EXPECT(rte_comch_conn_ref(client_conn), 0);
	TEST_EXPECT(rte_comch_conn_unref(client_conn), 0);
	TEST_TRUE(test_conn_ctx(client_conn) == client->ctx);
	TEST_EXPECT(rte_comch_server_disconnect(server_conn), 0);
	TEST_WAIT(server->nb_disconnects == 1 && test_state(client) == RTE_COMCH_STATE_IDLE,
			TEST_MS);
	TEST_EXPECT(rte_comch_server_disconnect(server_conn), -EALREADY);
	test_cleanup();
	TEST_CALL(over(server_conn));
	TEST_CALL(over(client_conn));
	return TEST_SUCCESS;
}

/* On devices of its own. */
static int
device_stays(void)
{
	struct test_ep *server, *client;
	struct rte_comch_conn *conn;

	TEST_CALL(test_connected(&server, &client));
	conn = server->conn;
	TEST_EXPECT(rte_comch_conn_ref(conn), 0);
	test_cleanup();
	TEST_EXPECT(test_vdev_remove(test_pair.dpu), -EBUSY);
	TEST_TRUE(test_dev_is_valid(test_pair.dpu));
	TEST_CALL(over(conn));
	return TEST_SUCCESS;
}

static int
test_device_stays(void)
{
	struct test_pair saved = test_pair;
	static struct test_place place;
	int dpu, host, ret;

	TEST_CALL(test_place_open(&place));
	dpu = test_place_card(&place);
	host = test_place_host(&place, test_place_function(0));
	TEST_CALL(test_place_pair(dpu, host));
	ret = device_stays();
	test_cleanup();
	test_pair = saved;
	TEST_EXPECT(test_vdev_remove((int16_t)host), 0);
	TEST_EXPECT(test_vdev_remove((int16_t)dpu), 0);
	test_place_close(&place);
	return ret;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: references to connections",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE_ARG(test_fp_need, test_cleanup, "test_worker_creates", hang_ups, false),
		TEST_CASE_ARG(test_fp_need, test_cleanup, "test_worker_starts", hang_ups, true),
		TEST_CASE_ST(test_fp_need, test_cleanup, test_queue_outlives),
		TEST_CASE_ST(test_fp_need, test_cleanup, test_calls),
		TEST_CASE_ST(NULL, test_cleanup, test_device_stays),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_ref_autotest, unit_test_suite_runner, &suite)
