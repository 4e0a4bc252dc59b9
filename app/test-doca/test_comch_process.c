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

/* A child, which begins when it is told to: all are forked before EAL runs in one. */
struct child {
	pid_t pid;
	int to[2];
	int from[2];
};

static struct child self;

/* Say how far this process has come; wait for the other to. */
static bool
tell(const struct child *child)
{
	return write(child->to[1], "r", 1) == 1;
}

static bool
told(const struct child *child)
{
	char byte;

	return read(child->from[0], &byte, 1) == 1;
}

/* Its result is the exit status. */
static bool
child_make(struct child *child, int (*run)(void))
{
	if (pipe(child->to) != 0 || pipe(child->from) != 0)
		return false;
	child->pid = fork();
	if (child->pid != 0) {
		close(child->to[0]);
		close(child->from[1]);
		return child->pid > 0;
	}
	self.from[0] = child->to[0];
	self.to[1] = child->from[1];
	close(child->to[1]);
	close(child->from[0]);
	_exit(told(&self) ? run() : 99);
}

/* Let it begin, and wait until it has come so far. */
static bool
child_begin(const struct child *child)
{
	return tell(child) && told(child);
}

static bool
child_kill(const struct child *child)
{
	kill(child->pid, SIGKILL);
	return test_exit_status(child->pid) == -1;
}

/* Serve until a client is gone. */
static int
echo_server(void)
{
	struct test_side server;

	if (test_server_make(&server, NULL, "echo") != DOCA_SUCCESS ||
			doca_ctx_start(server.ctx) != DOCA_SUCCESS || !tell(&self))
		return 1;
	server.echo = true;
	if (!test_until_count(&server, NULL, &server.disconnected, 1))
		return 2;
	return test_side_end(&server, NULL) == DOCA_SUCCESS ? 0 : 3;
}

/* Serve for good; it is killed. */
static int
lasting_server(void)
{
	struct test_side server;

	if (test_server_make(&server, NULL, "echo") != DOCA_SUCCESS ||
			doca_ctx_start(server.ctx) != DOCA_SUCCESS || !tell(&self))
		return 1;
	server.echo = true;
	test_until_count(&server, NULL, &server.disconnected, 100);
	return 0;
}

/* Connect, and do nothing; it is killed. */
static int
lasting_client(void)
{
	struct test_side client;

	if (test_client_make(&client, NULL, "echo") != DOCA_SUCCESS ||
			doca_ctx_start(client.ctx) != DOCA_ERROR_IN_PROGRESS ||
			!test_until_state(&client, NULL, DOCA_CTX_STATE_RUNNING) || !tell(&self))
		return 1;
	pause();
	return 0;
}

/* Connect, ask, and go. */
static int
asking_client(void)
{
	struct test_side client;

	if (test_client_make(&client, NULL, "echo") != DOCA_SUCCESS || !tell(&self) ||
			doca_ctx_start(client.ctx) != DOCA_ERROR_IN_PROGRESS ||
			!test_until_state(&client, NULL, DOCA_CTX_STATE_RUNNING))
		return 1;
	if (test_send(&client, "question") != DOCA_SUCCESS ||
			!test_until_count(&client, NULL, &client.received, 1))
		return 2;
	return test_side_end(&client, NULL) == DOCA_SUCCESS ? 0 : 3;
}

static int
test_process_exchange(void)
{
	struct test_side client;
	unsigned int i;
	struct child child;

	TEST_TRUE(child_make(&child, echo_server));
	TEST_TRUE(child_begin(&child));
	TEST_OK(test_client_make(&client, NULL, "echo"));
	TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_RUNNING));
	for (i = 1; i <= 1000; i++) {
		TEST_OK(test_send(&client, "to another process"));
		TEST_TRUE(test_until_count(&client, NULL, &client.received, i));
	}
	TEST_HAS(client.message, "to another process");
	TEST_OK(test_side_end(&client, NULL));
	TEST_TRUE(test_exit_status(child.pid) == 0);
	return 0;
}

/* A client that starts first waits for its server. */
static int
test_process_client_first(void)
{
	struct test_side server;
	struct child child;

	TEST_TRUE(child_make(&child, asking_client));
	TEST_TRUE(child_begin(&child));
	usleep(100000);
	TEST_OK(test_server_make(&server, NULL, "echo"));
	server.echo = true;
	TEST_OK(doca_ctx_start(server.ctx));
	TEST_TRUE(test_until_count(&server, NULL, &server.disconnected, 1));
	TEST_TRUE(test_exit_status(child.pid) == 0);
	TEST_OK(test_side_end(&server, NULL));
	return 0;
}

/* The disconnect callback comes for a client that was killed, too. */
static int
test_process_client_killed(void)
{
	struct test_side server;
	struct child killed, next;

	TEST_TRUE(child_make(&killed, lasting_client) && child_make(&next, asking_client));
	TEST_OK(test_server_make(&server, NULL, "echo"));
	TEST_OK(doca_ctx_start(server.ctx));
	TEST_TRUE(tell(&killed));
	TEST_TRUE(test_until_count(&server, NULL, &server.connected, 1));
	TEST_TRUE(told(&killed) && child_kill(&killed));
	TEST_TRUE(test_until_count(&server, NULL, &server.disconnected, 1));
	TEST_TRUE(test_state(&server) == DOCA_CTX_STATE_RUNNING);
	/* another one comes */
	server.echo = true;
	TEST_TRUE(child_begin(&next));
	TEST_TRUE(test_until_count(&server, NULL, &server.disconnected, 2));
	TEST_TRUE(test_exit_status(next.pid) == 0);
	TEST_OK(test_side_end(&server, NULL));
	return 0;
}

/* A client whose server was killed is IDLE, its tasks end, and it can come again. */
static int
test_process_server_killed(void)
{
	struct doca_log_backend *backend;
	char text[TEST_TEXT_SIZE];
	struct test_side client;
	FILE *file = test_file();
	struct child killed, next;

	TEST_TRUE(child_make(&killed, lasting_server) && child_make(&next, echo_server));
	TEST_TRUE(child_begin(&killed));
	TEST_OK(doca_log_backend_create_with_file_sdk(file, &backend));
	TEST_OK(test_client_make(&client, NULL, "echo"));
	TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_RUNNING));
	kill(killed.pid, SIGSTOP);
	TEST_OK(test_send(&client, "lost"));
	TEST_TRUE(child_kill(&killed));
	TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_IDLE));
	TEST_TRUE(client.sent + client.failed == 1);
	if (client.failed == 1)
		TEST_RESULT(client.status, DOCA_ERROR_CONNECTION_RESET);
	test_read(file, text);
	TEST_HAS(text, "client of the server 'echo': the server died");

	TEST_TRUE(child_begin(&next));
	TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_RUNNING));
	TEST_OK(test_send(&client, "again"));
	TEST_TRUE(test_until_count(&client, NULL, &client.received, 1));
	TEST_OK(test_side_end(&client, NULL));
	TEST_TRUE(test_exit_status(next.pid) == 0);
	return 0;
}

/* Two processes cannot serve one function. */
static int
test_process_function_taken(void)
{
	struct test_side server;
	struct child child;

	TEST_TRUE(child_make(&child, lasting_server));
	TEST_TRUE(child_begin(&child));
	TEST_OK(test_server_make(&server, NULL, "other"));
	TEST_RESULT(doca_ctx_start(server.ctx), DOCA_ERROR_IN_USE);
	TEST_TRUE(test_state(&server) == DOCA_CTX_STATE_IDLE);
	TEST_TRUE(child_kill(&child));
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
