/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the library says of the lives of contexts, connections and tasks: what
 * start returns, the reasons, the counters, and tasks that are freed twice.
 */

#include "test_comch_fp_util.h"

static uint64_t
disconnects(int16_t dev)
{
	struct rte_comch_dev_stats stats = { 0 };

	rte_comch_dev_stats_get(dev, &stats);
	return stats.disconnects;
}

static int
connect_again(struct test_ep *server, struct test_ep *client)
{
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE && server->conn == NULL, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
	TEST_WAIT(client->conn != NULL && server->conn != NULL, TEST_MS);
	return TEST_SUCCESS;
}

/* Both sides count each connection that ends, whichever side ends it, and how. */
static int
test_disconnects_counted(void)
{
	struct test_ep *server, *client;

	TEST_EXPECT(rte_comch_dev_stats_reset(test_pair.dpu), 0);
	TEST_EXPECT(rte_comch_dev_stats_reset(test_pair.host), 0);
	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EINPROGRESS);
	TEST_EXPECT(disconnects(test_pair.host), 1);
	TEST_CALL(connect_again(server, client));
	TEST_EXPECT(disconnects(test_pair.dpu), 1);

	TEST_EXPECT(rte_comch_server_disconnect(server->conn), 0);
	/* a stop does not count again what ends already */
	TEST_EXPECT(rte_comch_ctx_stop(server->ctx), -EINPROGRESS);
	TEST_WAIT(test_state(server) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_start(server->ctx), 0);
	TEST_CALL(connect_again(server, client));
	TEST_EXPECT(disconnects(test_pair.dpu), 2);
	TEST_EXPECT(disconnects(test_pair.host), 2);

	TEST_EXPECT(rte_comch_ctx_stop(server->ctx), -EINPROGRESS);
	TEST_EXPECT(disconnects(test_pair.dpu), 3);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(disconnects(test_pair.host), 3);
	return TEST_SUCCESS;
}

/*
 * The connection ends before its consumers are announced: while the peer owes the
 * answer to one, and before the engine of the connection sees the request of the
 * other. That one hears of the end before it gets its answer.
 */
static int
test_consumer_never_announced(void)
{
	struct test_ep *server, *client, *asked = test_ep_new(), *late = test_ep_new();
	struct rte_comch_pe *pe;

	TEST_CALL(test_connected(&server, &client));
	pe = test_pe_new();
	TEST_EXPECT(test_consumer_start(asked, client->conn, pe), -EINPROGRESS);
	TEST_EXPECT(rte_comch_server_disconnect(server->conn), 0);
	/* the engine of the consumers reads the news for that of the connection */
	test_turn_ms(pe, NULL, 20);
	TEST_EXPECT(test_consumer_start(late, client->conn, pe), -EINPROGRESS);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE &&
			test_state(asked) == RTE_COMCH_STATE_IDLE &&
			test_state(late) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(asked->ctx), -ENOTCONN);
	TEST_EXPECT(rte_comch_ctx_reason_get(late->ctx), -ENOTCONN);
	TEST_EXPECT(server->nb_new, 0);
	return TEST_SUCCESS;
}

/* Stops the context in the state given as the value, once. */
static void
stop_in(struct test_ep *ep, int prev __rte_unused, int next)
{
	int ret;

	if (next != (int)ep->value)
		return;
	ep->value = UINT64_MAX;
	ret = rte_comch_ctx_stop(ep->ctx);
	if (ret != 0 && ret != -EINPROGRESS)
		test_fail("a stop in the state callback: %s", strerror(-ret));
}

/* As stop_in(), and starts it again when it is IDLE. */
static void
restart_in(struct test_ep *ep, int prev, int next)
{
	int ret;

	if (ep->value == UINT64_MAX && next == RTE_COMCH_STATE_IDLE) {
		ep->on_state = NULL;
		ret = rte_comch_ctx_start(ep->ctx);
		if (ret != 0 && ret != -EINPROGRESS)
			test_fail("a start in the state callback: %s", strerror(-ret));
		return;
	}
	stop_in(ep, prev, next);
}

/* One that is IDLE can start, and stops in the first state that it enters. */
static int
start_is_stopped(struct test_ep *ep, int first, int ok)
{
	ep->on_state = stop_in;
	ep->value = (uint64_t)first;
	TEST_EXPECT(rte_comch_ctx_start(ep->ctx), -ECANCELED);
	TEST_TRUE(test_state(ep) == RTE_COMCH_STATE_IDLE ||
			test_state(ep) == RTE_COMCH_STATE_STOPPING);
	TEST_WAIT(test_state(ep) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(ep->ctx), 0);
	ep->on_state = NULL;
	TEST_EXPECT(rte_comch_ctx_start(ep->ctx), ok);
	return TEST_SUCCESS;
}

/* What start returns is true of the state in which it leaves the context. */
static int
test_start_stopped_by_callback(void)
{
	struct test_ep *server, *client, *consumer = test_ep_new();
	struct rte_comch_pe *pe;

	TEST_CALL(test_connected(&server, &client));
	pe = test_pe_new();
	TEST_EXPECT(test_consumer_start(consumer, client->conn, pe), -EINPROGRESS);
	TEST_CALL(test_stop(consumer));
	TEST_CALL(start_is_stopped(consumer, RTE_COMCH_STATE_STARTING, -EINPROGRESS));
	TEST_WAIT(test_state(consumer) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	TEST_CALL(test_ep_close(consumer));

	TEST_CALL(test_stop(client));
	TEST_CALL(start_is_stopped(client, RTE_COMCH_STATE_STARTING, -EINPROGRESS));
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	TEST_CALL(test_stop(client));
	TEST_CALL(test_stop(server));
	TEST_CALL(start_is_stopped(server, RTE_COMCH_STATE_RUNNING, 0));
	TEST_EXPECT(test_state(server), RTE_COMCH_STATE_RUNNING);
	return TEST_SUCCESS;
}

/* No test_ep keeps a producer, so it has a callback of its own. */
static void
producer_state(struct rte_comch_ctx *ctx, enum rte_comch_state prev __rte_unused,
		enum rte_comch_state next, void *user_data __rte_unused)
{
	if (next == RTE_COMCH_STATE_RUNNING &&
			rte_comch_ctx_stop(ctx) != (test_ends_later() ? -EINPROGRESS : 0))
		test_fail("a producer does not stop in its callback");
}

static int
test_producer_stopped_by_callback(void)
{
	const struct rte_comch_producer_conf conf = { .state_cb = producer_state };
	struct test_ep *server, *client;
	struct rte_comch_ctx *ctx;
	int ret, state;

	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(rte_comch_producer_create(client->conn, &conf, &ctx), 0);
	TEST_EXPECT(rte_comch_ctx_attach(ctx, test_pe_new()), 0);
	ret = rte_comch_ctx_start(ctx);
	state = rte_comch_ctx_state_get(ctx);
	TEST_WAIT(rte_comch_ctx_state_get(ctx) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	TEST_EXPECT(ret, -ECANCELED);
	TEST_TRUE(state == RTE_COMCH_STATE_IDLE ||
			(test_ends_later() && state == RTE_COMCH_STATE_STOPPING));
	return TEST_SUCCESS;
}

/* Tasks that the engine has promised are given back once, and not more. */
static int
test_start_restarted_by_callback(void)
{
	const struct rte_comch_pe_conf pe_conf = { .socket_id = -1, .max_tasks = 64 };
	struct test_ep *ep = test_ep_new(), *more = test_ep_new();
	struct rte_comch_server_conf conf;
	struct rte_comch_pe *pe;
	unsigned int i;
	int ret;

	pe = test_pe_new_conf(&pe_conf);
	test_server_conf(ep, "test", &conf);
	conf.ctrl.nb_tasks = 40;
	TEST_EXPECT(test_server_start(ep, &conf, pe), 0);
	for (i = 0; i < 3; i++) {
		TEST_CALL(test_stop_now(ep->ctx));
		ep->on_state = restart_in;
		ep->value = RTE_COMCH_STATE_RUNNING;
		/* where its end takes time, it is over when start returns, and starts later */
		ret = rte_comch_ctx_start(ep->ctx);
		TEST_TRUE(ret == 0 || (ret == -ECANCELED && test_ends_later()));
		TEST_WAIT(test_state(ep) == RTE_COMCH_STATE_RUNNING && ep->on_state == NULL,
				TEST_MS);
		TEST_CALL(test_stop_now(ep->ctx));
		TEST_CALL(start_is_stopped(ep, RTE_COMCH_STATE_RUNNING, 0));
	}
	test_server_conf(more, "more", &conf);
	conf.ctrl.nb_tasks = 40;
	TEST_EXPECT(test_server_start(more, &conf, pe), -ENOMEM);
	TEST_CALL(test_stop_now(ep->ctx));
	TEST_EXPECT(rte_comch_ctx_start(more->ctx), 0);
	TEST_EXPECT(test_ep_close(more), 0);
	TEST_EXPECT(test_ep_close(ep), 0);
	return TEST_SUCCESS;
}

/* A second free of a task is refused, and does no harm. */
static int
test_send_task_freed_twice(void)
{
	static char msg[4];
	struct rte_comch_task *one, *two, *three;
	struct test_ep *server, *client;

	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(rte_comch_conn_task_alloc(client->conn, msg, sizeof(msg), &one), 0);
	TEST_EXPECT(rte_comch_task_free(one), 0);
	TEST_EXPECT(rte_comch_task_free(one), -EALREADY);
	TEST_EXPECT(test_ctx_info(client->ctx).nb_tasks, 0);
	/* neither can it be used */
	TEST_TRUE(rte_comch_task_submit(one) < 0);
	TEST_TRUE(rte_comch_conn_task_set(one, msg, sizeof(msg)) < 0);

	/* the pool has it once */
	TEST_EXPECT(rte_comch_conn_task_alloc(client->conn, msg, sizeof(msg), &two), 0);
	TEST_EXPECT(rte_comch_conn_task_alloc(client->conn, msg, sizeof(msg), &three), 0);
	TEST_TRUE(two != three);
	TEST_EXPECT(test_ctx_info(client->ctx).nb_tasks, 2);
	TEST_EXPECT(rte_comch_task_free(two), 0);
	TEST_EXPECT(rte_comch_task_free(two), -EALREADY);
	TEST_EXPECT(rte_comch_task_free(three), 0);
	return test_stop(client);
}

static void
post_done(struct rte_comch_task *task, const struct rte_comch_cpl *cpl __rte_unused,
		void *user_data __rte_unused)
{
	if (rte_comch_task_free(task) != 0 || rte_comch_task_free(task) != -EALREADY)
		test_fail("a task is not freed once in its callback");
}

/* The same for a task of a consumer, which is submitted and comes back. */
static int
test_post_task_freed_twice(void)
{
	const struct rte_comch_consumer_conf conf = {
		.nb_tasks = 2,
		.post_cb = post_done,
	};
	struct test_ep *server, *client, *consumer = test_ep_new();
	struct rte_comch_task *one, *two;

	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(rte_comch_consumer_create(client->conn, &conf, &consumer->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_attach(consumer->ctx, test_pe_new()), 0);
	TEST_EXPECT(rte_comch_ctx_start(consumer->ctx), -EINPROGRESS);
	TEST_WAIT(test_state(consumer) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	TEST_EXPECT(rte_comch_consumer_task_alloc(consumer->ctx, NULL, &one), 0);
	TEST_EXPECT(rte_comch_consumer_task_alloc(consumer->ctx, NULL, &two), 0);
	TEST_EXPECT(rte_comch_task_submit(one), 0);
	TEST_EXPECT(rte_comch_task_free(one), -EBUSY);
	TEST_EXPECT(rte_comch_task_free(two), 0);
	TEST_EXPECT(rte_comch_task_free(two), -EALREADY);
	TEST_EXPECT(test_ctx_info(consumer->ctx).nb_tasks, 1);
	TEST_TRUE(rte_comch_task_submit(two) < 0);
	TEST_CALL(test_stop(consumer));
	TEST_EXPECT(test_ctx_info(consumer->ctx).nb_tasks, 0);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: what is said of lives",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, test_cleanup, test_disconnects_counted),
		TEST_CASE_ST(test_fp_need, test_cleanup, test_consumer_never_announced),
		TEST_CASE_ST(test_fp_need, test_cleanup, test_start_stopped_by_callback),
		TEST_CASE_ST(test_fp_need, test_cleanup, test_producer_stopped_by_callback),
		TEST_CASE_ST(NULL, test_cleanup, test_start_restarted_by_callback),
		TEST_CASE_ST(NULL, test_cleanup, test_send_task_freed_twice),
		TEST_CASE_ST(test_fp_need, test_cleanup, test_post_task_freed_twice),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_life_autotest, unit_test_suite_runner, &suite)
