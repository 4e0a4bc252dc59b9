/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Send tasks: whose they are, how they end, and doca_task_*().
 */

#include <time.h>

#include "test_comch.h"

static struct test_side server, client;

static int
pair_open(void)
{
	TEST_OK(test_pair_make(&server, &client));
	return 0;
}

static int
pair_close(void)
{
	return test_pair_end(&server, &client);
}

/* A task of the client, which is connected. */
static doca_error_t
client_task(const void *msg, uint32_t length, struct doca_task **task)
{
	struct doca_comch_task_send *send;
	doca_error_t result;

	result = doca_comch_client_task_send_alloc_init(client.client, client.conn, msg, length,
			&send);
	if (result == DOCA_SUCCESS)
		*task = doca_comch_task_send_as_task(send);
	return result;
}

static int
test_task_null(void)
{
	union doca_data data = {.u64 = 7};

	TEST_RESULT(doca_task_submit(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_task_try_submit(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_task_submit_ex(NULL, DOCA_TASK_SUBMIT_FLAG_FLUSH),
			DOCA_ERROR_INVALID_VALUE);
	doca_task_free(NULL);
	doca_task_set_user_data(NULL, data);
	TEST_TRUE(doca_task_get_user_data(NULL).u64 == 0);
	TEST_RESULT(doca_task_get_status(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_TRUE(doca_task_get_ctx(NULL) == NULL);
	TEST_TRUE(doca_comch_task_send_as_task(NULL) == NULL);
	return 0;
}

static int
test_task_alloc_errors(void)
{
	struct doca_comch_task_send *task;
	static char big[70000];

	TEST_RESULT(doca_comch_client_task_send_alloc_init(NULL, client.conn, "x", 1, &task),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_client_task_send_alloc_init(client.client, NULL, "x", 1, &task),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_client_task_send_alloc_init(client.client, client.conn, NULL, 1,
			&task), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_client_task_send_alloc_init(client.client, client.conn, "x", 1,
			NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_client_task_send_alloc_init(client.client, client.conn, "x", 0,
			&task), DOCA_ERROR_INVALID_VALUE);
	/* too long: neither side has set a size, so that it is the default */
	TEST_OK(doca_comch_client_task_send_alloc_init(client.client, client.conn, big, 4080,
			&task));
	doca_task_free(doca_comch_task_send_as_task(task));
	TEST_CALL(test_listen());
	TEST_RESULT(doca_comch_client_task_send_alloc_init(client.client, client.conn, big, 4081,
			&task), DOCA_ERROR_INVALID_VALUE);
	TEST_HAS(test_heard(), "a message of 4081 bytes for 'pair' is above its max_msg_size 4080");
	TEST_RESULT(doca_comch_client_task_send_alloc_init(client.client, client.conn, big,
			sizeof(big), &task), DOCA_ERROR_INVALID_VALUE);
	/* the connection of the other side */
	TEST_RESULT(doca_comch_client_task_send_alloc_init(client.client, server.conn, "x", 1,
			&task), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_server_task_send_alloc_init(server.server, client.conn, "x", 1,
			&task), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_server_task_send_alloc_init(NULL, server.conn, "x", 1, &task),
			DOCA_ERROR_INVALID_VALUE);
	return 0;
}

/* Not RUNNING, and a connection that has ended. */
static int
test_task_alloc_state(void)
{
	struct doca_comch_connection *old[2];
	struct doca_comch_task_send *task;

	old[0] = server.conn;
	old[1] = client.conn;
	TEST_RESULT(doca_ctx_stop(client.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_RESULT(doca_comch_client_task_send_alloc_init(client.client, old[1], "x", 1, &task),
			DOCA_ERROR_BAD_STATE);
	TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_IDLE));
	TEST_RESULT(doca_comch_client_task_send_alloc_init(client.client, old[1], "x", 1, &task),
			DOCA_ERROR_BAD_STATE);
	TEST_TRUE(test_until_count(&server, NULL, &server.disconnected, 1));
	TEST_RESULT(doca_comch_server_task_send_alloc_init(server.server, old[0], "x", 1, &task),
			DOCA_ERROR_NOT_CONNECTED);
	return 0;
}

static int
test_task_states(void)
{
	union doca_data data;
	struct doca_task *task;

	client.keep_tasks = true;
	TEST_OK(client_task("one", 4, &task));
	TEST_TRUE(doca_task_get_ctx(task) == client.ctx);
	TEST_TRUE(doca_task_get_user_data(task).u64 == 0);
	data.u64 = 0xabcdef0123456789;
	doca_task_set_user_data(task, data);
	TEST_OK(doca_task_submit(task));
	TEST_RESULT(doca_task_submit(task), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_task_try_submit(task), DOCA_ERROR_BAD_STATE);
	TEST_TRUE(test_until_count(&client, NULL, &client.sent, 1));
	TEST_TRUE(doca_task_get_user_data(task).u64 == data.u64);
	TEST_OK(doca_task_get_status(task));
	/* it can be used again, by each of the functions */
	TEST_OK(doca_task_try_submit(task));
	TEST_TRUE(test_until_count(&client, NULL, &client.sent, 2));
	TEST_OK(doca_task_submit_ex(task, DOCA_TASK_SUBMIT_FLAG_NONE));
	TEST_TRUE(test_until_count(&client, NULL, &client.sent, 3));
	TEST_OK(doca_task_submit_ex(task, DOCA_TASK_SUBMIT_FLAG_FLUSH |
			DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS));
	TEST_TRUE(test_until_count(&client, NULL, &client.sent, 4));
	TEST_RESULT(doca_task_submit_ex(task, 1 << 2), DOCA_ERROR_INVALID_VALUE);
	TEST_TRUE(test_until_count(&server, NULL, &server.received, 4));
	doca_task_free(task);
	TEST_RESULT(doca_task_submit(task), DOCA_ERROR_BAD_STATE);
	doca_task_free(task);
	return 0;
}

/* The pool has what was asked for: with one connection all of it, and not one more. */
static int
test_task_pool(void)
{
	struct doca_task *tasks[TEST_TASKS], *one_more;
	unsigned int i, round;

	for (round = 1; round <= 3; round++) {
		for (i = 0; i < TEST_TASKS; i++)
			TEST_OK(client_task("m", 2, &tasks[i]));
		TEST_RESULT(client_task("m", 2, &one_more), DOCA_ERROR_NO_MEMORY);
		/* each of them can be submitted, though nobody has read one */
		for (i = 0; i < TEST_TASKS; i++)
			TEST_OK(doca_task_submit(tasks[i]));
		TEST_RESULT(client_task("m", 2, &one_more), DOCA_ERROR_NO_MEMORY);
		TEST_TRUE(test_until_count(&client, NULL, &client.sent, round * TEST_TASKS));
	}
	TEST_TRUE(client.failed == 0);
	return 0;
}

/* The connections of a server share its tasks, and one may have all of them. */
static int
test_task_pool_server(void)
{
	struct doca_comch_task_send *tasks[TEST_TASKS], *one_more;
	struct test_side second;
	unsigned int i;

	for (i = 0; i < TEST_TASKS; i++)
		TEST_OK(doca_comch_server_task_send_alloc_init(server.server, server.conn, "m", 2,
				&tasks[i]));
	TEST_OK(test_client_make(&second, server.pe, "pair"));
	TEST_RESULT(doca_ctx_start(second.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_TRUE(test_until_count(&server, NULL, &server.connected, 2));
	TEST_RESULT(doca_comch_server_task_send_alloc_init(server.server, server.conn, "m", 2,
			&one_more), DOCA_ERROR_NO_MEMORY);
	doca_task_free(doca_comch_task_send_as_task(tasks[0]));
	TEST_OK(doca_comch_server_task_send_alloc_init(server.server, server.conn, "m", 2,
			&tasks[0]));
	for (i = 0; i < TEST_TASKS; i++)
		TEST_OK(doca_task_submit(doca_comch_task_send_as_task(tasks[i])));
	TEST_TRUE(test_until_count(&server, NULL, &server.sent, TEST_TASKS));
	TEST_TRUE(test_until_count(&client, NULL, &client.received, TEST_TASKS - 1));
	TEST_TRUE(test_until_count(&second, NULL, &second.received, 1));
	TEST_OK(test_side_end(&second, &server));
	return 0;
}

static unsigned int left;

static void
send_again(struct test_side *side, struct doca_comch_task_send *task)
{
	if (left == 0 || doca_task_submit(doca_comch_task_send_as_task(task)) != DOCA_SUCCESS)
		doca_task_free(doca_comch_task_send_as_task(task));
	else
		left--;
	(void)side;
}

/* A task is submitted again inside of its own callback. */
static int
test_task_in_callback(void)
{
	left = 99;
	client.on_sent = send_again;
	TEST_OK(test_send(&client, "again"));
	TEST_TRUE(test_until_count(&server, NULL, &server.received, 100));
	TEST_TRUE(test_until_count(&client, NULL, &client.sent, 100));
	return 0;
}

/* A task that is freed while it is submitted is freed when it ends, without a callback. */
static int
test_task_free_submitted(void)
{
	struct doca_task *task, *tasks[TEST_TASKS];
	time_t end = time(NULL) + TEST_SECONDS;
	unsigned int i;
	size_t nb;

	TEST_OK(client_task("dropped", 8, &task));
	TEST_OK(doca_task_submit(task));
	doca_task_free(task);
	doca_task_free(task);
	TEST_OK(doca_ctx_get_num_inflight_tasks(client.ctx, &nb));
	TEST_TRUE(nb == 1);
	TEST_TRUE(test_until_count(&server, NULL, &server.received, 1));
	while (nb != 0 && time(NULL) < end) {
		test_turn(&client, NULL);
		TEST_OK(doca_ctx_get_num_inflight_tasks(client.ctx, &nb));
	}
	TEST_TRUE(nb == 0 && client.sent == 0 && client.failed == 0);
	/* it is back in the pool */
	for (i = 0; i < TEST_TASKS; i++)
		TEST_OK(client_task("m", 2, &tasks[i]));
	for (i = 0; i < TEST_TASKS; i++)
		doca_task_free(tasks[i]);
	return 0;
}

/* What was not delivered when its side stops ends by the callback for errors. */
static int
test_task_stopped(void)
{
	unsigned int i;

	TEST_OK(test_server_make(&server, NULL, "one"));
	TEST_OK(test_client_make(&client, NULL, "one"));
	TEST_OK(doca_comch_server_set_recv_queue_size(server.server, 1));
	TEST_OK(doca_comch_server_set_max_msg_size(server.server, 4000));
	TEST_OK(doca_ctx_start(server.ctx));
	TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_TRUE(test_until_state(&client, &server, DOCA_CTX_STATE_RUNNING));
	TEST_TRUE(test_until_count(&server, &client, &server.connected, 1));
	/* more than the queue of the server holds, and the server does not progress */
	for (i = 0; i < TEST_TASKS; i++) {
		struct doca_task *task;
		static const char message[4000] = "m";

		TEST_OK(client_task(message, sizeof(message), &task));
		TEST_OK(doca_task_submit(task));
	}
	test_turn(&client, NULL);
	TEST_TRUE(client.sent < TEST_TASKS);
	TEST_RESULT(doca_ctx_stop(client.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_IDLE));
	TEST_TRUE(client.failed > 0 && client.sent + client.failed == TEST_TASKS);
	TEST_RESULT(client.status, DOCA_ERROR_SHUTDOWN);
	return test_pair_end(&server, &client);
}

const struct test_case test_comch_task[] = {
	TEST_CASE(test_task_null),
	TEST_CASE_ST(pair_open, pair_close, test_task_alloc_errors),
	TEST_CASE_ST(pair_open, pair_close, test_task_alloc_state),
	TEST_CASE_ST(pair_open, pair_close, test_task_states),
	TEST_CASE_ST(pair_open, pair_close, test_task_pool),
	TEST_CASE_ST(pair_open, pair_close, test_task_pool_server),
	TEST_CASE_ST(pair_open, pair_close, test_task_in_callback),
	TEST_CASE_ST(pair_open, pair_close, test_task_free_submitted),
	TEST_CASE(test_task_stopped),
	TEST_CASES_END()
};
