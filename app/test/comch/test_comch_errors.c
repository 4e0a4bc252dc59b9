/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The mistakes that users make, each with the error that it must give, one case
 * per mistake. Details of each are in the other files.
 */

#include "test_comch_util.h"

static int
test_second_server_of_a_name(void)
{
	struct rte_comch_pe *pe = test_pe_new();
	struct test_ep *first = test_server_run("same", pe), *second = test_ep_new();
	struct rte_comch_server_conf conf;

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
test_name_one_byte_too_long(void)
{
	struct test_ep *server = test_ep_new(), *client = test_ep_new();
	struct rte_comch_server_conf server_conf;
	struct rte_comch_client_conf client_conf;
	char name[RTE_COMCH_NAME_SIZE + 1];
	struct rte_comch_dev_info info = test_dev_info(test_pair.dpu);

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
	TEST_TRUE(strcmp(test_conn_facts(server->conn).server, name) == 0);
	return TEST_SUCCESS;
}

static void
recurse(struct test_ep *ep, struct rte_comch_conn *conn __rte_unused, const void *msg __rte_unused,
		uint32_t len __rte_unused)
{
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
recurse_when_idle(struct test_ep *ep, int prev __rte_unused, int next)
{
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
	struct rte_comch_dev_info info = test_dev_info(test_pair.dpu);

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
	.unit_test_cases = {
		TEST_CASE_ST(NULL, test_cleanup, test_second_server_of_a_name),
		TEST_CASE_ST(NULL, test_cleanup, test_name_one_byte_too_long),
		TEST_CASE_ST(NULL, test_cleanup, test_progress_in_a_callback),
		TEST_CASE_ST(NULL, test_cleanup, test_progress_in_the_callback_of_a_stop),
		TEST_CASE_ST(NULL, test_cleanup, test_garbage_devarg),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_errors_autotest, unit_test_suite_runner, &suite)
