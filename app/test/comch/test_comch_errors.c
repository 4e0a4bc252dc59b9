/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The mistakes that users make, each with the error that it must give, one case
 * per mistake. Details of each are in the other files.
 */

#include "test_comch_util.h"

static int
expect_idle(struct test_ep *client, int reason)
{
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), reason);
	return TEST_SUCCESS;
}

static int
test_second_server_of_a_name(void)
{
	struct rte_comch_pe *pe = test_pe_new();
	struct test_ep *first = test_server_run("same", pe), *second = test_ep_new();
	struct rte_comch_server_conf conf;

	TEST_TRUE(first != NULL);
	test_server_conf(second, "same", &conf);
	TEST_EXPECT(test_server_start(second, &conf, test_pe_new()), -EEXIST);
	TEST_EXPECT(test_state(second), RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(test_state(first), RTE_COMCH_STATE_RUNNING);
	/* the name is free as soon as the first has stopped */
	TEST_CALL(test_stop_now(first->ctx));
	TEST_EXPECT(rte_comch_ctx_start(second->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_start(first->ctx), -EEXIST);
	return TEST_SUCCESS;
}

static int
test_unknown_name(void)
{
	struct rte_comch_pe *pe = test_pe_new();
	struct test_ep *server = test_server_run("somebody", pe), *client;
	uint64_t start = test_now_ns();

	TEST_TRUE(server != NULL);
	client = test_client_run("nobody", pe);
	TEST_TRUE(client != NULL);
	TEST_CALL(expect_idle(client, -ENOENT));
	/* told so by the other side, long before the connect timeout */
	TEST_TRUE(test_now_ns() - start < 1000000000);
	TEST_EXPECT(server->nb_connects, 0);
	return TEST_SUCCESS;
}

/* A card on which nobody turns an engine cannot answer: that ends by the clock. */
static int
test_nobody_at_all(void)
{
	struct test_ep *client = test_ep_new();
	struct rte_comch_client_conf conf;
	uint64_t start = test_now_ns();
	int reason;

	test_client_conf(client, "nobody", &conf);
	conf.connect_timeout_ms = 100;
	TEST_EXPECT(test_client_start(client, &conf, test_pe_new()), -EINPROGRESS);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	reason = rte_comch_ctx_reason_get(client->ctx);
	TEST_TRUE(reason == -ETIMEDOUT || reason == -ENOENT);
	TEST_TRUE(test_now_ns() - start < 1000000000);
	return TEST_SUCCESS;
}

static int
test_name_one_byte_too_long(void)
{
	struct test_ep *server = test_ep_new(), *client = test_ep_new();
	struct rte_comch_server_conf server_conf;
	struct rte_comch_client_conf client_conf;
	char name[RTE_COMCH_NAME_SIZE + 1];
	struct rte_comch_dev_info info;
	struct rte_comch_conn_info conn;

	TEST_EXPECT(rte_comch_dev_info_get(test_pair.dpu, &info), 0);
	memset(name, 'n', sizeof(name));
	name[info.max_name_len] = '\0';
	test_server_conf(server, name, &server_conf);
	test_client_conf(client, name, &client_conf);
	TEST_EXPECT(rte_comch_server_create(test_pair.dpu, test_pair.rep, &server_conf,
			&server->ctx), -ENAMETOOLONG);
	TEST_EXPECT(rte_comch_client_create(test_pair.host, &client_conf, &client->ctx),
			-ENAMETOOLONG);
	TEST_TRUE(server->ctx == NULL && client->ctx == NULL);

	/* one byte less is a name like any other */
	name[info.max_name_len - 1] = '\0';
	TEST_EXPECT(test_server_start(server, &server_conf, test_pe_new()), 0);
	TEST_EXPECT(test_client_start(client, &client_conf, test_pe_new()), -EINPROGRESS);
	TEST_WAIT(client->conn != NULL && server->conn != NULL, TEST_MS);
	TEST_EXPECT(rte_comch_conn_info_get(server->conn, &conn), 0);
	TEST_TRUE(strcmp(conn.server, name) == 0);
	return TEST_SUCCESS;
}

static int
test_client_on_the_wrong_function(void)
{
	struct test_pair other, self = test_pair;
	struct test_ep *server, *client;
	struct rte_comch_pe *pe;

	TEST_CALL(test_pair_other(&other));
	pe = test_pe_new();
	server = test_server_run("here", pe);
	TEST_TRUE(server != NULL);
	test_pair = other;
	client = test_client_run("here", pe);
	test_pair = self;
	TEST_TRUE(client != NULL);
	TEST_CALL(expect_idle(client, -ENOENT));
	TEST_EXPECT(server->nb_connects, 0);
	return TEST_SUCCESS;
}

static int
test_sizes_that_differ(void)
{
	struct test_ep *server = test_ep_new(), *client = test_ep_new();
	struct rte_comch_server_conf server_conf;
	struct rte_comch_client_conf client_conf;
	struct rte_comch_pe *pe = test_pe_new();

	test_server_conf(server, "sizes", &server_conf);
	test_client_conf(client, "sizes", &client_conf);
	server_conf.ctrl.max_msg_size = 256;
	client_conf.ctrl.max_msg_size = 255;
	TEST_EXPECT(test_server_start(server, &server_conf, pe), 0);
	TEST_EXPECT(test_client_start(client, &client_conf, pe), -EINPROGRESS);
	TEST_CALL(expect_idle(client, -EMSGSIZE));
	TEST_EXPECT(server->nb_connects, 0);
	return TEST_SUCCESS;
}

static int
test_message_one_byte_too_long(void)
{
	static uint8_t msg[257];
	struct test_ep *server = test_ep_new(), *client;
	struct rte_comch_server_conf conf;
	struct rte_comch_task *task;

	test_server_conf(server, "test", &conf);
	conf.ctrl.max_msg_size = 256;
	TEST_EXPECT(test_server_start(server, &conf, test_pe_new()), 0);
	client = test_client_run("test", test_pe_new());
	TEST_WAIT(client->conn != NULL && server->conn != NULL, TEST_MS);
	TEST_EXPECT(rte_comch_conn_task_alloc(client->conn, msg, 257, &task), -EMSGSIZE);
	TEST_EXPECT(rte_comch_conn_task_alloc(server->conn, msg, 257, &task), -EMSGSIZE);
	TEST_EXPECT(test_send(client->conn, msg, 256), 0);
	TEST_WAIT(server->nb_recv == 1, TEST_MS);
	TEST_EXPECT(server->last_len, 256);
	return TEST_SUCCESS;
}

static int
test_stop_with_a_leaked_task(void)
{
	static char msg[4];
	struct test_ep *server, *client;
	struct rte_comch_task *leaked;

	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(rte_comch_conn_task_alloc(client->conn, msg, 4, &leaked), 0);
	TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EINPROGRESS);
	test_progress_ms(100);
	TEST_EXPECT(test_state(client), RTE_COMCH_STATE_STOPPING);
	TEST_EXPECT(test_ctx_info(client->ctx).nb_tasks, 1);
	TEST_EXPECT(rte_comch_ctx_destroy(client->ctx), -EBUSY);
	TEST_EXPECT(rte_comch_task_free(leaked), 0);
	TEST_EXPECT(test_state(client), RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(rte_comch_ctx_destroy(client->ctx), 0);
	client->ctx = NULL;
	return TEST_SUCCESS;
}

static int
test_destroy_while_running(void)
{
	struct test_ep *server, *client;

	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(rte_comch_ctx_destroy(client->ctx), -EBUSY);
	TEST_EXPECT(rte_comch_ctx_destroy(server->ctx), -EBUSY);
	TEST_EXPECT(test_send_pattern(client->conn, 8, 1), 0);
	TEST_WAIT(server->nb_recv == 1 && client->nb_done == 1, TEST_MS);
	return TEST_SUCCESS;
}

static void
recurse(struct test_ep *ep, struct rte_comch_conn *conn, const void *msg, uint32_t len)
{
	RTE_SET_USED(conn);
	RTE_SET_USED(msg);
	RTE_SET_USED(len);
	if (rte_comch_pe_progress(ep->arg) != -EDEADLK)
		test_fail("progress in a callback was not refused");
	if (rte_comch_pe_arm(ep->arg) != -EDEADLK)
		test_fail("arm in a callback was not refused");
	if (rte_comch_pe_destroy(ep->arg) != -EDEADLK)
		test_fail("the end of the engine in a callback was not refused");
}

static int
test_progress_in_a_callback(void)
{
	struct rte_comch_pe *pe = test_pe_new();
	struct test_ep *server = test_server_run("test", pe);
	struct test_ep *client = test_client_run("test", test_pe_new());

	TEST_WAIT(client->conn != NULL && server->conn != NULL, TEST_MS);
	server->on_recv = recurse;
	server->arg = pe;
	TEST_EXPECT(test_send_pattern(client->conn, 8, 1), 0);
	TEST_WAIT(server->nb_recv == 1, TEST_MS);
	/* and the engine still works */
	TEST_EXPECT(test_send_pattern(client->conn, 8, 1), 0);
	TEST_WAIT(server->nb_recv == 2, TEST_MS);
	return TEST_SUCCESS;
}

static void
recurse_when_idle(struct test_ep *ep, int prev, int next)
{
	RTE_SET_USED(prev);
	if (next != RTE_COMCH_STATE_IDLE)
		return;
	rte_comch_ctx_destroy(ep->ctx);
	ep->ctx = NULL;
	recurse(ep, NULL, NULL, 0);
}

/* A callback outside of progress is one, too: its caller still looks at the context. */
static int
test_progress_in_the_callback_of_a_stop(void)
{
	struct rte_comch_pe *pe = test_pe_new();
	struct test_ep *server = test_server_run("test", pe);
	int ret;

	TEST_TRUE(server != NULL);
	server->on_state = recurse_when_idle;
	server->arg = pe;
	/* a driver that tells of the end later does so in progress */
	ret = rte_comch_ctx_stop(server->ctx);
	TEST_TRUE(ret == 0 || (ret == -EINPROGRESS && test_ends_later()));
	TEST_WAIT(server->ctx == NULL, TEST_MS);
	TEST_TRUE(rte_comch_pe_progress(pe) >= 0);
	return TEST_SUCCESS;
}

static int
test_garbage_devarg(void)
{
	uint16_t count = rte_comch_dev_count_avail();
	struct rte_comch_dev_info info;

	TEST_EXPECT(rte_comch_dev_info_get(test_pair.dpu, &info), 0);
	/* without the last word, the one is plugged, and the other finds no socket */
	TEST_EXPECT(test_dev_plug(info.driver, strstr(info.driver, "shm") != NULL ?
				"role=host,function=pf0,garbage=1" :
				"socket=/none,role=host,garbage=1"), -EINVAL);
	TEST_EXPECT(rte_comch_dev_count_avail(), count);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: mistakes of users",
	.setup = test_setup_quiet,
	.teardown = test_log_restore,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, test_cleanup, test_second_server_of_a_name),
		TEST_CASE_ST(NULL, test_cleanup, test_unknown_name),
		TEST_CASE_ST(NULL, test_cleanup, test_nobody_at_all),
		TEST_CASE_ST(NULL, test_cleanup, test_name_one_byte_too_long),
		TEST_CASE_ST(NULL, test_cleanup, test_client_on_the_wrong_function),
		TEST_CASE_ST(NULL, test_cleanup, test_sizes_that_differ),
		TEST_CASE_ST(NULL, test_cleanup, test_message_one_byte_too_long),
		TEST_CASE_ST(NULL, test_cleanup, test_stop_with_a_leaked_task),
		TEST_CASE_ST(NULL, test_cleanup, test_destroy_while_running),
		TEST_CASE_ST(NULL, test_cleanup, test_progress_in_a_callback),
		TEST_CASE_ST(NULL, test_cleanup, test_progress_in_the_callback_of_a_stop),
		TEST_CASE_ST(NULL, test_cleanup, test_garbage_devarg),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_errors_autotest, unit_test_suite_runner, &suite)
