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
	uint64_t end;

	TEST_CALL(test_connected(&server, &client));
	pe = test_pe_new();
	TEST_TRUE(pe != NULL && asked != NULL && late != NULL);
	TEST_EXPECT(test_consumer_start(asked, client->conn, pe), -EINPROGRESS);
	TEST_EXPECT(rte_comch_server_disconnect(server->conn), 0);
	/* the engine of the consumers reads the news for that of the connection */
	end = test_now_ns() + 20000000;
	while (test_now_ns() < end)
		rte_comch_pe_progress(pe);
	TEST_EXPECT(test_consumer_start(late, client->conn, pe), -EINPROGRESS);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE &&
			test_state(asked) == RTE_COMCH_STATE_IDLE &&
			test_state(late) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(asked->ctx), -ENOTCONN);
	TEST_EXPECT(rte_comch_ctx_reason_get(late->ctx), -ENOTCONN);
	TEST_EXPECT(server->nb_new, 0);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: what is said of lives",
	.setup = test_setup_quiet,
	.teardown = test_log_restore,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, test_cleanup, test_disconnects_counted),
		TEST_CASE_ST(test_fp_need, test_cleanup, test_consumer_never_announced),
		TEST_CASES_END()
	},
};

static int
test_comch_life(void)
{
	return unit_test_suite_runner(&suite);
}

REGISTER_FAST_TEST(comch_life_autotest, NOHUGE_OK, ASAN_OK, test_comch_life)
