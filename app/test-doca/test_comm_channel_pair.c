/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Endpoints of Comm Channel in two processes or more.
 */

#include "test_ep.h"

static int
echo_client(struct ep_other *other, void *arg)
{
	struct test_ep client;

	(void)arg;
	TEST_CALL(ep_other_sync(other));
	TEST_CALL(ep_client(&client, EP_NAME, NULL));
	TEST_OK(ep_send(&client, "question"));
	TEST_CALL(ep_expect(&client, NULL, "answer"));
	TEST_OK(doca_comm_channel_ep_disconnect(client.ep, client.peer));
	TEST_CALL(ep_end(&client));
	return 0;
}

static int
test_ep_two_processes(void)
{
	struct ep_other other;
	struct test_ep service;

	TEST_CALL(ep_other_start(&other, echo_client, NULL));
	TEST_CALL(ep_service(&service, EP_NAME));
	TEST_CALL(ep_other_sync(&other));
	TEST_CALL(ep_expect(&service, NULL, "question"));
	TEST_OK(ep_send(&service, "answer"));
	TEST_RESULT(ep_recv(&service, NULL), DOCA_ERROR_CONNECTION_RESET);
	TEST_OK(doca_comm_channel_ep_disconnect(service.ep, service.peer));
	TEST_CALL(ep_end(&service));
	return ep_other_end(&other);
}

const struct test_case test_comm_channel_pair[] = {
	TEST_CASE(test_ep_two_processes),
	TEST_CASES_END(),
};
