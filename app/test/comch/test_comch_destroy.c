/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Contexts that are destroyed in their own callbacks: in the state callback that
 * says IDLE, wherever it is called from, and in the callback of their last task.
 * What reads memory that is freed is found by a build with AddressSanitizer.
 */

#include "test_comch_fp_util.h"

#define TASKS 4

/* What happens to a context that has no helper, and is destroyed when it is IDLE. */
struct object {
	struct rte_comch_ctx *ctx;
	unsigned int nb_states;
	unsigned int nb_tasks;
	bool now; /* the callback of its last task stops and destroys it */
	int ret;  /* of the destruction */
	void (*after)(struct object *object);
};

static struct object consumer, producer;
static struct test_ep *other;

static void
object_destroy(struct object *object)
{
	object->ret = rte_comch_ctx_destroy(object->ctx);
	if (object->ret == 0 && rte_comch_ctx_destroy(object->ctx) != -EALREADY)
		test_fail("a queue can be destroyed twice in its callback");
	if (object->ret == 0)
		object->ctx = NULL;
	if (object->after != NULL)
		object->after(object);
}

static void
object_state(struct rte_comch_ctx *ctx, enum rte_comch_state prev __rte_unused,
		enum rte_comch_state next, void *user_data)
{
	struct object *object = user_data;

	object->nb_states++;
	if (object->ctx != ctx)
		test_fail("a callback of a context that was destroyed");
	else if (next == RTE_COMCH_STATE_IDLE && !object->now)
		object_destroy(object);
}

/* The last one ends its context, if there is nothing that it has to wait for. */
static void
object_task(struct object *object, struct rte_comch_task *task)
{
	struct rte_comch_ctx *ctx = object->ctx;
	int ret;

	if (rte_comch_task_free(task) != 0)
		test_fail("a task cannot be freed in its callback");
	if (--object->nb_tasks != 0)
		return;
	ret = rte_comch_ctx_stop(ctx);
	if (object->now && ret == 0)
		object_destroy(object);
	else if (ret == -EINPROGRESS)
		object->now = false;
	else if (ret != 0)
		test_fail("stop in the callback of the last task: %d", ret);
}

static void
object_post(struct rte_comch_task *task, const struct rte_comch_cpl *cpl __rte_unused,
		void *user_data)
{
	object_task(user_data, task);
}

static void
object_send(struct rte_comch_task *task, int status __rte_unused, void *user_data)
{
	object_task(user_data, task);
}

/* A consumer on rx and a producer on tx, both with tasks. */
static int
objects_open(struct test_fp *fp, struct rte_comch_mem *mem)
{
	const struct rte_comch_consumer_conf conf = {
		.mem = mem, .nb_tasks = TASKS, .imm_len = 8, .buf_size = test_buf_size(mem),
		.state_cb = object_state, .post_cb = object_post, .user_data = &consumer,
	};
	const struct rte_comch_producer_conf tx_conf = {
		.nb_tasks = TASKS,
		.state_cb = object_state, .send_cb = object_send, .user_data = &producer,
	};
	uint32_t before = fp->tx.ep->nb_new;

	memset(&consumer, 0, sizeof(consumer));
	memset(&producer, 0, sizeof(producer));
	TEST_EXPECT(rte_comch_consumer_create(fp->rx.ep->conn, &conf, &consumer.ctx), 0);
	TEST_EXPECT(rte_comch_producer_create(fp->tx.ep->conn, &tx_conf, &producer.ctx), 0);
	TEST_EXPECT(rte_comch_ctx_attach(consumer.ctx, fp->rx.q_pe), 0);
	TEST_EXPECT(rte_comch_ctx_attach(producer.ctx, fp->tx.q_pe), 0);
	TEST_EXPECT(rte_comch_ctx_start(consumer.ctx), -EINPROGRESS);
	TEST_EXPECT(rte_comch_ctx_start(producer.ctx), 0);
	TEST_WAIT(rte_comch_ctx_state_get(consumer.ctx) == RTE_COMCH_STATE_RUNNING &&
			fp->tx.ep->nb_new == before + 1, TEST_MS);
	return TEST_SUCCESS;
}

static int
objects_are_gone(struct test_fp *fp)
{
	TEST_WAIT(consumer.ctx == NULL && producer.ctx == NULL, TEST_MS);
	TEST_EXPECT(consumer.ret, 0);
	TEST_EXPECT(producer.ret, 0);
	/* they do not hold up the end of their connection */
	TEST_CALL(test_stop(fp->tx.ep));
	return TEST_SUCCESS;
}

static void
destroy_when_idle(struct test_ep *ep, int prev __rte_unused, int next)
{
	if (next != RTE_COMCH_STATE_IDLE)
		return;
	ep->value = rte_comch_ctx_reason_get(ep->ctx);
	if (rte_comch_ctx_destroy(ep->ctx) != 0)
		test_fail("a context that is IDLE cannot be destroyed in its callback");
	if (rte_comch_ctx_destroy(ep->ctx) != -EALREADY)
		test_fail("a context can be destroyed twice in its callback");
	ep->ctx = NULL;
}

/* Turn one engine, until its context is gone. */
static int
turn_until_gone(struct rte_comch_pe *pe, const struct test_ep *ep)
{
	TEST_UNTIL(ep->ctx == NULL, test_turn(pe, NULL), TEST_MS);
	return TEST_SUCCESS;
}

/* Outside of progress, and of an engine that goes at once. */
static int
test_in_stop(void)
{
	struct test_ep *ep = test_ep_new();
	struct rte_comch_server_conf conf;
	struct rte_comch_pe *pe;
	unsigned int i;
	int ret;

	for (i = 0; i < 3; i++) {
		TEST_EXPECT(rte_comch_pe_create(NULL, &pe), 0);
		test_server_conf(ep, "destroyed", &conf);
		ep->on_state = destroy_when_idle;
		TEST_EXPECT(test_server_start(ep, &conf, pe), 0);
		ret = rte_comch_ctx_stop(ep->ctx);
		TEST_TRUE(ret == 0 || (ret == -EINPROGRESS && test_ends_later()));
		TEST_CALL(turn_until_gone(pe, ep));
		TEST_EXPECT(rte_comch_pe_destroy(pe), 0);
	}
	TEST_EXPECT(ep->nb_states, 3 * 3);
	return TEST_SUCCESS;
}

static void
stop_when_running(struct test_ep *ep, int prev, int next)
{
	if (next == RTE_COMCH_STATE_RUNNING || next == RTE_COMCH_STATE_STARTING)
		rte_comch_ctx_stop(ep->ctx);
	destroy_when_idle(ep, prev, next);
}

/* Start tells of a context that is no more. */
static int
test_in_start(void)
{
	struct test_ep *server = test_ep_new(), *client = test_ep_new();
	struct rte_comch_server_conf server_conf;
	struct rte_comch_client_conf client_conf;
	struct rte_comch_pe *pe = test_pe_new();

	test_server_conf(server, "destroyed", &server_conf);
	server->on_state = stop_when_running;
	TEST_EXPECT(test_server_start(server, &server_conf, pe), -ECANCELED);
	TEST_WAIT(server->ctx == NULL, TEST_MS);
	test_client_conf(client, "destroyed", &client_conf);
	client->on_state = stop_when_running;
	TEST_EXPECT(test_client_start(client, &client_conf, pe), -ECANCELED);
	TEST_WAIT(client->ctx == NULL, TEST_MS);
	return TEST_SUCCESS;
}

/* The end of the last task, outside of progress. */
static int
test_in_task_free(void)
{
	static char msg[4];
	struct test_ep *server, *client;
	struct rte_comch_task *task;

	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(rte_comch_conn_task_alloc(client->conn, msg, sizeof(msg), &task), 0);
	TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EINPROGRESS);
	test_progress_ms(20);
	TEST_EXPECT(test_state(client), RTE_COMCH_STATE_STOPPING);
	client->on_state = destroy_when_idle;
	TEST_EXPECT(rte_comch_task_free(task), 0);
	TEST_WAIT(client->ctx == NULL, TEST_MS);
	return TEST_SUCCESS;
}

static void
free_when_stopping(struct test_ep *ep, int prev, int next)
{
	struct rte_comch_task *task = ep->arg;

	if (next == RTE_COMCH_STATE_STOPPING && task != NULL) {
		ep->arg = NULL;
		if (rte_comch_task_free(task) != 0)
			test_fail("a task cannot be freed in a state callback");
	}
	destroy_when_idle(ep, prev, next);
}

/* Stop calls back, there the last task is freed, which calls back, and so on. */
static int
test_in_task_free_in_stop(void)
{
	static char msg[4];
	struct test_ep *server, *client;
	struct rte_comch_task *task;
	int ret;

	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(rte_comch_conn_task_alloc(client->conn, msg, sizeof(msg), &task), 0);
	client->arg = task;
	client->on_state = free_when_stopping;
	ret = rte_comch_ctx_stop(client->ctx);
	TEST_TRUE(ret == 0 || ret == -EINPROGRESS);
	TEST_WAIT(client->ctx == NULL, TEST_MS);
	TEST_WAIT(server->nb_disconnects == 1, TEST_MS);
	return TEST_SUCCESS;
}

/* A client that finds no server, or not in time, or loses it. */
static int
test_in_failure(void)
{
	struct test_ep *server = test_server_run("somebody", test_pe_new()), *client;
	struct rte_comch_pe *pe = test_pe_new();
	struct rte_comch_client_conf conf;

	client = test_client_run("nobody", pe);
	client->on_state = destroy_when_idle;
	TEST_WAIT(client->ctx == NULL, TEST_MS);
	TEST_EXPECT((int)client->value, -ENOENT);

	client = test_client_run("somebody", pe);
	client->on_state = destroy_when_idle;
	TEST_WAIT(client->conn != NULL, TEST_MS);
	TEST_CALL(test_stop(server));
	TEST_WAIT(client->ctx == NULL, TEST_MS);
	TEST_EXPECT((int)client->value, -ESHUTDOWN);

	/* nobody turns the engine of the server: the time limit ends it */
	TEST_EXPECT(rte_comch_ctx_start(server->ctx), 0);
	client = test_ep_new();
	test_client_conf(client, "somebody", &conf);
	conf.connect_timeout_ms = 1;
	client->on_state = destroy_when_idle;
	TEST_EXPECT(test_client_start(client, &conf, pe), -EINPROGRESS);
	TEST_CALL(turn_until_gone(pe, client));
	TEST_EXPECT((int)client->value, -ETIMEDOUT);
	return TEST_SUCCESS;
}

/* One context destroys itself, the other restarts, on one engine and in one turn. */
static void
restart_when_idle(struct test_ep *ep, int prev __rte_unused, int next)
{
	if (next == RTE_COMCH_STATE_IDLE && ep->value++ == 0 && rte_comch_ctx_start(ep->ctx) != 0)
		test_fail("a server cannot be started again in its state callback");
}

static void
destroy_both(struct test_ep *ep, int prev, int next)
{
	if (next != RTE_COMCH_STATE_IDLE)
		return;
	destroy_when_idle(ep, prev, next);
	/* its engine is not free yet, as the callback runs in it */
	if (rte_comch_pe_destroy(ep->arg) != -EDEADLK)
		test_fail("an engine was destroyed in a callback");
	if (rte_comch_ctx_stop(other->ctx) == -EBUSY)
		test_fail("a client that was destroyed has a connection");
}

static int
test_chain(void)
{
	struct rte_comch_pe *pe = test_pe_new();
	struct test_ep *client;

	other = test_server_run("chain", pe);
	client = test_client_run("chain", pe);
	TEST_WAIT(client->conn != NULL && other->conn != NULL, TEST_MS);
	client->on_state = destroy_both;
	client->arg = pe;
	other->on_state = restart_when_idle;
	TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EINPROGRESS);
	TEST_WAIT(client->ctx == NULL && other->value == 1 &&
			test_state(other) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	return TEST_SUCCESS;
}

static int
test_queues_in_idle(struct test_fp *fp)
{
	struct rte_comch_mem *mem;
	int ret;

	mem = test_mem_alloc(fp->rx.dev, 4096, RTE_COMCH_MEM_F_PEER_WRITE);
	TEST_CALL(objects_open(fp, mem));
	ret = rte_comch_ctx_stop(producer.ctx);
	TEST_TRUE(ret == 0 || (ret == -EINPROGRESS && test_ends_later()));
	TEST_EXPECT(rte_comch_ctx_stop(consumer.ctx), -EINPROGRESS);
	TEST_CALL(objects_are_gone(fp));
	TEST_EXPECT(test_mem_free(mem), 0);
	return TEST_SUCCESS;
}

/* The callback of the last task frees it, stops the context and destroys it. */
static int
test_queues_in_last_task(struct test_fp *fp)
{
	static const uint64_t imm = 1;
	const struct rte_comch_send send = { .imm = &imm, .imm_len = sizeof(imm) };
	struct rte_comch_task *task;
	unsigned int i;

	TEST_CALL(objects_open(fp, NULL));
	consumer.now = producer.now = true;
	consumer.nb_tasks = producer.nb_tasks = TASKS;
	for (i = 0; i < TASKS; i++) {
		TEST_EXPECT(rte_comch_consumer_task_alloc(consumer.ctx, NULL, &task), 0);
		TEST_EXPECT(rte_comch_task_submit(task), 0);
	}
	for (i = 0; i < TASKS; i++) {
		TEST_EXPECT(rte_comch_producer_task_alloc(producer.ctx, test_queue_id(consumer.ctx),
				&send, &task), 0);
		TEST_WAIT(rte_comch_task_submit(task) == 0, test_fp_now_ms());
	}
	return objects_are_gone(fp);
}

/* The connection ends, which is news for the consumer. */
static int
test_queues_in_conn_down(struct test_fp *fp)
{
	TEST_CALL(objects_open(fp, NULL));
	rte_comch_ctx_stop(producer.ctx);
	TEST_WAIT(producer.ctx == NULL, TEST_MS);
	TEST_CALL(test_stop(fp->tx.ep));
	TEST_WAIT(consumer.ctx == NULL, TEST_MS);
	TEST_EXPECT(consumer.ret, 0);
	return TEST_SUCCESS;
}

static struct test_ep *stopped;

/* When its producer has gone, the client can be stopped: there, and at once. */
static void
stop_client(struct object *object __rte_unused)
{
	if (rte_comch_ctx_stop(stopped->ctx) != -EINPROGRESS)
		test_fail("a producer that was destroyed holds up its connection");
}

static int
test_queue_then_client(struct test_fp *fp)
{
	TEST_CALL(objects_open(fp, NULL));
	rte_comch_ctx_stop(consumer.ctx);
	TEST_WAIT(consumer.ctx == NULL, TEST_MS);
	stopped = fp->tx.ep;
	stopped->on_state = destroy_when_idle;
	producer.after = stop_client;
	rte_comch_ctx_stop(producer.ctx);
	TEST_WAIT(stopped->ctx == NULL, TEST_MS);
	return TEST_SUCCESS;
}

static void
teardown(void)
{
	struct object *const objects[] = { &consumer, &producer };
	unsigned int i;

	/* what a case that failed has left */
	for (i = 0; i < RTE_DIM(objects); i++) {
		if (objects[i]->ctx == NULL)
			continue;
		objects[i]->now = false;
		objects[i]->after = NULL;
		rte_comch_ctx_stop(objects[i]->ctx);
		test_progress_ms(100);
		objects[i]->ctx = NULL;
	}
	test_fp_cleanup();
}

static struct unit_test_suite suite = {
	.suite_name = "comch: contexts destroyed in callbacks",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, test_cleanup, test_in_stop),
		TEST_CASE_ST(NULL, test_cleanup, test_in_start),
		TEST_CASE_ST(NULL, test_cleanup, test_in_task_free),
		TEST_CASE_ST(NULL, test_cleanup, test_in_task_free_in_stop),
		TEST_CASE_ST(NULL, test_cleanup, test_in_failure),
		TEST_CASE_ST(NULL, test_cleanup, test_chain),
		TEST_CASE_FP_BOTH(test_fp_need, teardown, test_queues_in_idle),
		TEST_CASE_FP_BOTH(test_fp_need, teardown, test_queues_in_last_task),
		TEST_CASE_FP_BOTH(test_fp_need, teardown, test_queues_in_conn_down),
		TEST_CASE_FP_ONE(test_fp_need, teardown, test_queue_then_client),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_destroy_autotest, unit_test_suite_runner, &suite)
