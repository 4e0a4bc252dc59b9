/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Connections of servers and clients in one process: messages, ends, counters.
 */

#include "test_comch.h"

static int
test_comch_exchange(void)
{
	struct test_side server, client;

	TEST_OK(test_pair_make(&server, &client));
	server.echo = true;
	TEST_OK(test_send(&client, "hello"));
	TEST_TRUE(test_until_count(&client, NULL, &client.received, 1));
	TEST_TRUE(client.message_len == 6);
	TEST_HAS(server.message, "hello");
	TEST_HAS(client.message, "hello");
	TEST_TRUE(test_until_count(&server, NULL, &server.sent, 1));
	TEST_TRUE(client.sent == 1 && client.failed + server.failed == 0);
	TEST_OK(test_side_end(&client, &server));
	TEST_TRUE(test_until_count(&server, NULL, &server.disconnected, 1));
	TEST_OK(test_side_end(&server, NULL));
	TEST_TRUE(strcmp(server.states, "RTI") == 0 || strcmp(server.states, "RI") == 0);
	return 0;
}

const struct test_case test_comch_conn[] = {
	TEST_CASE(test_comch_exchange),
	TEST_CASES_END()
};
