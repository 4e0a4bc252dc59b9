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

static struct unit_test_suite suite = {
	.suite_name = "comch: what is said of lives",
	.setup = test_setup_quiet,
	.teardown = test_log_restore,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, test_cleanup, test_disconnects_counted),
		TEST_CASES_END()
	},
};

static int
test_comch_life(void)
{
	return unit_test_suite_runner(&suite);
}

REGISTER_FAST_TEST(comch_life_autotest, NOHUGE_OK, ASAN_OK, test_comch_life)
