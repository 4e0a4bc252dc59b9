/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Every public function that takes a connection, a consumer or a task: NULL,
 * wrong kind, out of range, wrong state, then success.
 */

#include "test_comch_util.h"

static int
test_client_conn(void)
{
	struct test_ep *server, *client;

	TEST_CALL(test_connected(&server, &client));
	TEST_TRUE(test_ctx_info(server->ctx).conn == NULL);
	TEST_TRUE(test_ctx_info(client->ctx).conn == client->conn);
	TEST_EXPECT(test_ctx_info(client->ctx).nb_conns, 1);
	TEST_CALL(test_stop(client));
	TEST_TRUE(test_ctx_info(client->ctx).conn == NULL);
	TEST_EXPECT(test_ctx_info(client->ctx).nb_conns, 0);
	return TEST_SUCCESS;
}

static int
test_server_conn_next(void)
{
	struct test_ep *server, *client;
	struct rte_comch_conn *one, *two;

	TEST_CALL(test_connected(&server, &client));
	TEST_TRUE(rte_comch_server_conn_next(NULL, NULL) == NULL);
	TEST_TRUE(rte_comch_server_conn_next(client->ctx, NULL) == NULL);
	one = rte_comch_server_conn_next(server->ctx, NULL);
	TEST_TRUE(one == server->conn);
	TEST_TRUE(rte_comch_server_conn_next(server->ctx, one) == NULL);

	test_client_run("test", test_pe_new());
	TEST_WAIT(server->nb_connects == 2, TEST_MS);
	one = rte_comch_server_conn_next(server->ctx, NULL);
	two = rte_comch_server_conn_next(server->ctx, one);
	TEST_TRUE(one != NULL && two != NULL && one != two);
	TEST_TRUE(rte_comch_server_conn_next(server->ctx, two) == NULL);
	return TEST_SUCCESS;
}

static int
test_server_disconnect(void)
{
	struct test_ep *server, *client;

	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(rte_comch_server_disconnect(NULL), -EINVAL);
	TEST_EXPECT(rte_comch_server_disconnect(client->conn), -EINVAL);
	TEST_EXPECT(test_state(client), RTE_COMCH_STATE_RUNNING);
	TEST_EXPECT(rte_comch_server_disconnect(server->conn), 0);
	TEST_EXPECT(rte_comch_server_disconnect(server->conn), -EALREADY);
	TEST_EXPECT(server->nb_disconnects, 0); /* inside progress, not in here */
	TEST_WAIT(server->nb_disconnects == 1 && test_state(client) == RTE_COMCH_STATE_IDLE,
			TEST_MS);
	return TEST_SUCCESS;
}

static int
test_conn_info(void)
{
	struct test_ep *server, *client;
	struct rte_comch_conn_info info;
	struct rte_comch_conn_stats stats;

	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(rte_comch_conn_info_get(NULL, &info), -EINVAL);
	TEST_EXPECT(rte_comch_conn_info_get(server->conn, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_conn_stats_get(NULL, &stats), -EINVAL);
	TEST_EXPECT(rte_comch_conn_stats_get(server->conn, NULL), -EINVAL);

	TEST_EXPECT(rte_comch_conn_info_get(server->conn, &info), 0);
	TEST_TRUE(info.connected);
	TEST_EXPECT(rte_comch_conn_stats_get(server->conn, &stats), 0);
	TEST_EXPECT(stats.tx_msgs + stats.rx_msgs, 0);
	TEST_TRUE(test_conn_ctx(server->conn) == server->ctx);
	TEST_TRUE(test_conn_ctx(client->conn) == client->ctx);
	return TEST_SUCCESS;
}

static int
test_conn_user_data(void)
{
	struct test_ep *server, *client;
	int word;

	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(rte_comch_conn_user_data_set(NULL, &word), -EINVAL);
	TEST_TRUE(rte_comch_conn_user_data_get(NULL) == NULL);
	TEST_TRUE(rte_comch_conn_user_data_get(server->conn) == NULL);
	TEST_EXPECT(rte_comch_conn_user_data_set(server->conn, &word), 0);
	TEST_TRUE(rte_comch_conn_user_data_get(server->conn) == &word);
	TEST_TRUE(rte_comch_conn_user_data_get(client->conn) == NULL);
	return TEST_SUCCESS;
}

static int
test_send_task_alloc(void)
{
	struct test_ep *server, *client;
	struct rte_comch_conn_info info;
	struct rte_comch_task_info task_info;
	struct rte_comch_task *task = NULL;
	char msg[8] = "message";

	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(rte_comch_conn_info_get(client->conn, &info), 0);
	TEST_EXPECT(rte_comch_conn_task_alloc(NULL, msg, 8, &task), -EINVAL);
	TEST_EXPECT(rte_comch_conn_task_alloc(client->conn, NULL, 8, &task), -EINVAL);
	TEST_EXPECT(rte_comch_conn_task_alloc(client->conn, msg, 8, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_conn_task_alloc(client->conn, msg, 0, &task), -EINVAL);
	TEST_EXPECT(rte_comch_conn_task_alloc(client->conn, msg, info.max_msg_size + 1, &task),
			-EMSGSIZE);
	TEST_EXPECT(rte_comch_conn_task_alloc(client->conn, msg, UINT32_MAX, &task), -EMSGSIZE);
	TEST_TRUE(task == NULL);
	TEST_EXPECT(test_ctx_info(client->ctx).nb_tasks, 0);

	TEST_EXPECT(rte_comch_conn_task_alloc(client->conn, msg, 8, &task), 0);
	TEST_EXPECT(test_ctx_info(client->ctx).nb_tasks, 1);
	TEST_EXPECT(rte_comch_task_info_get(NULL, &task_info), -EINVAL);
	TEST_EXPECT(rte_comch_task_info_get(task, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_task_info_get(task, &task_info), 0);
	TEST_TRUE(task_info.msg == msg && task_info.len == 8);
	TEST_TRUE(test_task_info(task).conn == client->conn);
	TEST_TRUE(rte_comch_task_user_data_get(task) == NULL);
	TEST_TRUE(rte_comch_task_user_data_get(NULL) == NULL);
	TEST_EXPECT(rte_comch_task_user_data_set(NULL, msg), -EINVAL);
	TEST_EXPECT(rte_comch_task_user_data_set(task, msg), 0);
	TEST_TRUE(rte_comch_task_user_data_get(task) == msg);
	TEST_EXPECT(rte_comch_task_free(task), 0);
	TEST_EXPECT(rte_comch_task_free(NULL), 0);
	TEST_EXPECT(test_ctx_info(client->ctx).nb_tasks, 0);
	return TEST_SUCCESS;
}

/* The task and its message live as long as the test wants, not till the callback. */
static void
keep_task(struct test_ep *ep, struct rte_comch_task *task __rte_unused, int status __rte_unused)
{
	ep->value++;
}

static int
test_task_submit(void)
{
	struct test_ep *server, *client;
	struct rte_comch_conn_info info;
	struct rte_comch_task *task;
	static char msg[8] = "message", other[4] = "two";

	TEST_CALL(test_connected(&server, &client));
	client->on_send = keep_task;
	TEST_EXPECT(rte_comch_conn_info_get(client->conn, &info), 0);
	TEST_EXPECT(rte_comch_conn_task_alloc(client->conn, msg, 8, &task), 0);
	TEST_EXPECT(rte_comch_conn_task_set(NULL, msg, 8), -EINVAL);
	TEST_EXPECT(rte_comch_conn_task_set(task, NULL, 8), -EINVAL);
	TEST_EXPECT(rte_comch_conn_task_set(task, msg, 0), -EINVAL);
	TEST_EXPECT(rte_comch_conn_task_set(task, msg, info.max_msg_size + 1), -EMSGSIZE);
	TEST_EXPECT(rte_comch_conn_task_set(task, msg, UINT32_MAX), -EMSGSIZE);
	TEST_TRUE(test_task_info(task).msg == msg && test_task_info(task).len == 8);
	TEST_EXPECT(rte_comch_task_submit(NULL), -EINVAL);
	TEST_EXPECT(rte_comch_task_submit(task), 0);
	TEST_EXPECT(client->nb_done, 0); /* inside progress, never in here */
	TEST_EXPECT(rte_comch_task_submit(task), -EALREADY);
	TEST_EXPECT(rte_comch_conn_task_set(task, other, 4), -EBUSY);
	TEST_EXPECT(rte_comch_task_free(task), -EBUSY);
	TEST_WAIT(client->nb_done == 1 && server->nb_recv == 1, TEST_MS);

	TEST_EXPECT(rte_comch_conn_task_set(task, other, 4), 0);
	TEST_EXPECT(rte_comch_task_submit(task), 0);
	TEST_WAIT(client->nb_done == 2 && server->nb_recv == 2, TEST_MS);
	TEST_EXPECT(server->last_len, 4);
	TEST_TRUE(memcmp(server->last_msg, other, 4) == 0);

	/* the connection ends while the task is ours */
	TEST_EXPECT(rte_comch_server_disconnect(server->conn), 0);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_STOPPING, TEST_MS);
	TEST_EXPECT(rte_comch_conn_task_set(task, msg, 8), -ENOTCONN);
	TEST_EXPECT(rte_comch_task_submit(task), -ENOTCONN);
	TEST_EXPECT(rte_comch_task_free(task), 0);
	TEST_EXPECT(test_state(client), RTE_COMCH_STATE_IDLE);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: arguments of connection and task functions",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, test_cleanup, test_client_conn),
		TEST_CASE_ST(NULL, test_cleanup, test_server_conn_next),
		TEST_CASE_ST(NULL, test_cleanup, test_server_disconnect),
		TEST_CASE_ST(NULL, test_cleanup, test_conn_info),
		TEST_CASE_ST(NULL, test_cleanup, test_conn_user_data),
		TEST_CASE_ST(NULL, test_cleanup, test_send_task_alloc),
		TEST_CASE_ST(NULL, test_cleanup, test_task_submit),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_api_conn_autotest, unit_test_suite_runner, &suite)
