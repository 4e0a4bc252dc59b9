/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A server and a client in two processes: messages, and what the one sees when the other
 * is killed, comes late, or comes again. Processes fork before they use the layer.
 */

#include <signal.h>
#include <unistd.h>

#include "test_comch.h"

static struct test_side server, client;

/* A server of one that answers, RUNNING. */
static int
server_open(void)
{
	TEST_OK(test_server_make(&server, NULL, "echo"));
	server.echo = true;
	TEST_OK(doca_ctx_start(server.ctx));
	return 0;
}

static int
client_open(void)
{
	TEST_OK(test_client_make(&client, NULL, "echo"));
	TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_RUNNING));
	return 0;
}

/* Begin when the other says so, serve until a client is gone. */
static int
echo_server(struct test_other *other, void *arg)
{
	(void)arg;
	TEST_CALL(test_other_sync(other));
	TEST_CALL(server_open());
	TEST_CALL(test_other_sync(other));
	TEST_TRUE(test_until_count(&server, NULL, &server.disconnected, 1));
	TEST_OK(test_side_end(&server, NULL));
	return 0;
}

/* Connect, and do nothing; it is killed. */
static int
lasting_client(struct test_other *other, void *arg)
{
	(void)arg;
	TEST_CALL(test_other_sync(other));
	TEST_CALL(client_open());
	TEST_CALL(test_other_sync(other));
	return pause();
}

/* Connect, ask, and go. */
static int
asking_client(struct test_other *other, void *arg)
{
	(void)arg;
	TEST_CALL(test_other_sync(other));
	TEST_CALL(client_open());
	TEST_OK(test_send(&client, "question"));
	TEST_TRUE(test_until_count(&client, NULL, &client.received, 1));
	TEST_OK(test_side_end(&client, NULL));
	return 0;
}

/* Let it begin, and wait until it has come so far. */
static int
server_begin(struct test_other *other)
{
	TEST_CALL(test_other_sync(other));
	return test_other_sync(other);
}

static int
test_process_exchange(void)
{
	struct test_other other;
	unsigned int i;

	TEST_CALL(test_other_start(&other, echo_server, NULL));
	TEST_CALL(server_begin(&other));
	TEST_CALL(client_open());
	for (i = 1; i <= 1000; i++) {
		TEST_OK(test_send(&client, "to another process"));
		TEST_TRUE(test_until_count(&client, NULL, &client.received, i));
	}
	TEST_HAS(client.message, "to another process");
	TEST_OK(test_side_end(&client, NULL));
	return test_other_end(&other);
}

/* A client that starts first waits for its server. */
static int
test_process_client_first(void)
{
	struct test_other other;

	TEST_CALL(test_other_start(&other, asking_client, NULL));
	TEST_CALL(test_other_sync(&other));
	usleep(100000);
	TEST_CALL(server_open());
	TEST_TRUE(test_until_count(&server, NULL, &server.disconnected, 1));
	TEST_OK(test_side_end(&server, NULL));
	return test_other_end(&other);
}

/* The disconnect callback comes for a client that was killed, too. */
static int
test_process_client_killed(void)
{
	struct test_other killed, next;

	TEST_CALL(test_other_start(&killed, lasting_client, NULL));
	TEST_CALL(test_other_start(&next, asking_client, NULL));
	TEST_CALL(server_open());
	TEST_CALL(test_other_sync(&killed));
	TEST_TRUE(test_until_count(&server, NULL, &server.connected, 1));
	TEST_CALL(test_other_sync(&killed));
	test_other_kill(&killed);
	TEST_TRUE(test_until_count(&server, NULL, &server.disconnected, 1));
	TEST_TRUE(test_state(&server) == DOCA_CTX_STATE_RUNNING);
	/* another one comes */
	TEST_CALL(test_other_sync(&next));
	TEST_TRUE(test_until_count(&server, NULL, &server.disconnected, 2));
	TEST_OK(test_side_end(&server, NULL));
	return test_other_end(&next);
}

/* A client whose server was killed is IDLE, its tasks end, and it can come again. */
static int
test_process_server_killed(void)
{
	struct test_other killed, next;

	TEST_CALL(test_other_start(&killed, echo_server, NULL));
	TEST_CALL(test_other_start(&next, echo_server, NULL));
	TEST_CALL(server_begin(&killed));
	TEST_CALL(test_listen());
	TEST_CALL(client_open());
	kill(killed.pid, SIGSTOP);
	TEST_OK(test_send(&client, "lost"));
	test_other_kill(&killed);
	TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_IDLE));
	TEST_TRUE(client.sent + client.failed == 1);
	if (client.failed == 1)
		TEST_RESULT(client.status, DOCA_ERROR_CONNECTION_RESET);
	TEST_HAS(test_heard(), "client of the server 'echo': the server died");

	TEST_CALL(server_begin(&next));
	TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_RUNNING));
	TEST_OK(test_send(&client, "again"));
	TEST_TRUE(test_until_count(&client, NULL, &client.received, 1));
	TEST_OK(test_side_end(&client, NULL));
	return test_other_end(&next);
}

/* Two processes cannot serve one function. */
static int
test_process_function_taken(void)
{
	struct test_other other;

	TEST_CALL(test_other_start(&other, echo_server, NULL));
	TEST_CALL(server_begin(&other));
	TEST_OK(test_server_make(&server, NULL, "other"));
	TEST_RESULT(doca_ctx_start(server.ctx), DOCA_ERROR_IN_USE);
	TEST_TRUE(test_state(&server) == DOCA_CTX_STATE_IDLE);
	test_other_kill(&other);
	TEST_OK(test_side_end(&server, NULL));
	return 0;
}

const struct test_case test_comch_process[] = {
	TEST_CASE(test_process_exchange),
	TEST_CASE(test_process_client_first),
	TEST_CASE(test_process_client_killed),
	TEST_CASE(test_process_server_killed),
	TEST_CASE(test_process_function_taken),
	TEST_CASES_END()
};
