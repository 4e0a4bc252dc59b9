/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Behaviour that public programs rely on though no guide states it, as far as it is that
 * of servers, clients and engines. The number in a name is that of the list in the guide,
 * see doc/guides/prog_guide/doca_compat.rst.
 */

#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

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

/* Both IDLE, each with an engine of its own. */
static int
apart_make(void)
{
	TEST_OK(test_server_make(&server, NULL, "apart"));
	TEST_OK(test_client_make(&client, NULL, "apart"));
	return 0;
}

static void
greet(struct test_side *side)
{
	char text[32];

	/* on the stack of a function that returns */
	snprintf(text, sizeof(text), "hello client %u", side->connected);
	test_send(side, text);
	memset(text, 'x', sizeof(text));
}

/*
 * A server greets in its connect callback. The client sees that it is RUNNING before any
 * message: programs set the user data of the connection in between.
 */
static int
test_gap_01_running_first(void)
{
	unsigned int i;
	time_t end;

	TEST_CALL(apart_make());
	server.on_connect = greet;
	TEST_OK(doca_ctx_start(server.ctx));
	for (i = 1; i <= 20; i++) {
		TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
		end = time(NULL) + TEST_SECONDS;
		while (test_state(&client) != DOCA_CTX_STATE_RUNNING) {
			TEST_TRUE(time(NULL) < end);
			/* all that the server can say is there when the client looks */
			test_turn_short(&server);
			doca_pe_progress(client.pe);
		}
		TEST_TRUE(client.received == i - 1);
		TEST_TRUE(test_until_count(&client, &server, &client.received, i));
		TEST_RESULT(doca_ctx_stop(client.ctx), DOCA_ERROR_IN_PROGRESS);
		TEST_TRUE(test_until_state(&client, &server, DOCA_CTX_STATE_IDLE));
	}
	return pair_close();
}

/* What start returns, and the state right after it. */
static int
test_gap_02_start_results(void)
{
	TEST_CALL(apart_make());
	TEST_OK(doca_ctx_start(server.ctx));
	TEST_TRUE(test_state(&server) == DOCA_CTX_STATE_RUNNING);
	TEST_TRUE(strcmp(server.states, "R") == 0);
	TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_TRUE(test_state(&client) == DOCA_CTX_STATE_STARTING);
	TEST_TRUE(strcmp(client.states, "S") == 0);
	TEST_TRUE(test_until_state(&client, &server, DOCA_CTX_STATE_RUNNING));
	return pair_close();
}

static doca_error_t
send_from_stack(struct test_side *side, unsigned int number)
{
	doca_error_t result;
	char text[64];

	snprintf(text, sizeof(text), "number %u", number);
	result = test_send(side, text);
	memset(text, 0x5a, sizeof(text));
	return result;
}

/* A message is the library's when it is submitted: its memory is used for the next one. */
static int
test_gap_03_message_copied(void)
{
	unsigned int i;

	for (i = 0; i < TEST_TASKS; i++)
		TEST_OK(send_from_stack(&client, i));
	for (i = 0; i < TEST_TASKS; i++) {
		char want[64];

		/* several may come in one turn: the last is looked at */
		if (server.received > i)
			continue;
		TEST_TRUE(test_until_least(&server, &server.received, i + 1));
		snprintf(want, sizeof(want), "number %u", server.received - 1);
		TEST_TRUE(strcmp(server.message, want) == 0);
	}
	TEST_TRUE(test_until_count(&client, NULL, &client.sent, TEST_TASKS));
	return 0;
}

static void
stop_on_receive(struct test_side *side, struct doca_comch_connection *conn)
{
	(void)conn;
	side->status = doca_ctx_stop(side->ctx);
}

static void
stop_on_sent(struct test_side *side, struct doca_comch_task_send *task)
{
	doca_task_free(doca_comch_task_send_as_task(task));
	side->stop_result = doca_ctx_stop(side->ctx);
}

static void
stop_on_running(struct test_side *side, enum doca_ctx_states next)
{
	if (next == DOCA_CTX_STATE_RUNNING)
		side->stop_result = doca_ctx_stop(side->ctx);
}

static bool
stopped(doca_error_t result)
{
	return result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS;
}

/* A context is stopped in callbacks for messages, tasks and states. */
static int
test_gap_07_stop_in_callbacks(void)
{
	client.on_sent = stop_on_sent;
	TEST_OK(test_send(&client, "bye"));
	TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_IDLE));
	TEST_TRUE(stopped(client.stop_result) && client.sent == 1);
	TEST_TRUE(test_until_count(&server, NULL, &server.disconnected, 1));

	client.on_sent = NULL;
	client.on_state = stop_on_running;
	TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_TRUE(test_until_count(&server, NULL, &server.disconnected, 2));
	TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_IDLE));
	TEST_TRUE(stopped(client.stop_result));

	client.on_state = NULL;
	client.on_receive = stop_on_receive;
	TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_TRUE(test_until_count(&server, NULL, &server.connected, 3));
	TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_RUNNING));
	TEST_OK(test_send(&server, "go"));
	TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_IDLE));
	TEST_TRUE(test_until_count(&server, NULL, &server.disconnected, 3));
	return 0;
}

/* A server stops with a client connected, as soon as no task is in flight. */
static int
test_gap_07_stop_connected(void)
{
	unsigned int i;
	size_t nb = 1;

	for (i = 0; i < 4; i++)
		TEST_OK(test_send(&server, "message"));
	TEST_RESULT(doca_ctx_stop(server.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_TRUE(test_state(&server) == DOCA_CTX_STATE_STOPPING);
	for (i = 0; i < 1000000 && nb != 0; i++) {
		doca_pe_progress(server.pe);
		TEST_OK(doca_ctx_get_num_inflight_tasks(server.ctx, &nb));
	}
	TEST_TRUE(nb == 0 && server.sent == 4 && server.failed == 0);
	TEST_TRUE(test_until_state(&server, NULL, DOCA_CTX_STATE_IDLE));
	TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_IDLE));
	TEST_TRUE(client.received == 4);
	TEST_TRUE(server.disconnected == 1);
	TEST_TRUE(strcmp(server.states, "RTI") == 0 && strcmp(client.states, "SRTI") == 0);
	return 0;
}

/* A server takes one client and refuses the others, in the connect callback. */
static int
test_gap_08_refuse_second(void)
{
	struct test_side second;
	struct doca_comch_connection *first;

	server.refuse_second = true;
	first = server.conn;
	TEST_OK(test_client_make(&second, server.pe, "pair"));
	TEST_RESULT(doca_ctx_start(second.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_TRUE(test_until_state(&second, NULL, DOCA_CTX_STATE_IDLE));
	TEST_TRUE(test_until_count(&server, NULL, &server.disconnected, 1));
	TEST_TRUE(server.conn == first && server.connected == 2);
	TEST_TRUE(test_state(&client) == DOCA_CTX_STATE_RUNNING);
	TEST_OK(test_send(&client, "still here"));
	TEST_TRUE(test_until_count(&server, NULL, &server.received, 1));
	TEST_OK(test_side_end(&second, &server));
	return 0;
}

struct note {
	struct doca_comch_server *server;
	uint64_t data;
	unsigned int nb;
};

static void
note_disconnect(struct test_side *side, struct doca_comch_connection *conn)
{
	struct note *note = side->data;

	note->nb++;
	note->server = doca_comch_server_get_server_ctx(conn);
	note->data = doca_comch_connection_get_user_data(conn).u64;
}

/* The disconnect callback comes always, and has what the program kept. */
static int
test_gap_08_disconnect_readable(void)
{
	union doca_data data = {.u64 = 0x123456789};
	struct note note = {NULL, 0, 0};

	TEST_OK(test_pair_make(&server, &client));
	server.on_disconnect = note_disconnect;
	server.data = &note;
	TEST_OK(doca_comch_connection_set_user_data(server.conn, data));
	TEST_OK(test_side_end(&client, &server));
	TEST_TRUE(test_until_count(&server, NULL, &note.nb, 1));
	TEST_TRUE(note.server == server.server && note.data == data.u64);
	TEST_OK(test_side_end(&server, NULL));
	return 0;
}

/* Wait without a limit but that of the case, as programs do: K and J of the list. */
static int
sleep_turn(struct test_side *side, int epfd)
{
	struct epoll_event event;
	unsigned int i;

	TEST_OK(doca_pe_request_notification(side->pe));
	TEST_TRUE(epoll_wait(epfd, &event, 1, 20000) == 1);
	TEST_OK(doca_pe_clear_notification(side->pe, 0));
	for (i = 0; i < 100000 && doca_pe_progress(side->pe) != 0; i++)
		;
	TEST_TRUE(i < 100000);
	return 0;
}

static int
epoll_with(struct test_side *side)
{
	struct epoll_event event = {.events = EPOLLIN};
	doca_event_handle_t handle;
	int epfd = epoll_create1(0);

	if (epfd < 0 || doca_pe_get_notification_handle(side->pe, &handle) != DOCA_SUCCESS ||
			epoll_ctl(epfd, EPOLL_CTL_ADD, handle, &event) != 0)
		return -1;
	return epfd;
}

static int
sleeping_server(struct test_other *other, void *arg)
{
	int epfd;

	(void)arg;
	TEST_OK(test_server_make(&server, NULL, "sleeper"));
	/* the descriptor is in the set before anything is connected */
	epfd = epoll_with(&server);
	server.echo = true;
	TEST_OK(doca_ctx_start(server.ctx));
	TEST_CALL(test_other_sync(other));
	while (server.disconnected == 0)
		TEST_CALL(sleep_turn(&server, epfd));
	TEST_OK(test_side_end(&server, NULL));
	return 0;
}

/* A server in another process sleeps all the time; so does this client. */
static int
test_gap_10_sleep(void)
{
	struct test_other other;
	unsigned int i;
	int epfd;

	TEST_CALL(test_other_start(&other, sleeping_server, NULL));
	TEST_CALL(test_other_sync(&other));
	TEST_OK(test_client_make(&client, NULL, "sleeper"));
	epfd = epoll_with(&client);
	TEST_TRUE(epfd >= 0);
	TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	for (i = 0; i < 1000 && test_state(&client) != DOCA_CTX_STATE_RUNNING; i++)
		TEST_CALL(sleep_turn(&client, epfd));
	for (i = 0; i < 100; i++) {
		TEST_OK(test_send(&client, "ping"));
		while (client.received <= i || client.sent <= i)
			TEST_CALL(sleep_turn(&client, epfd));
	}
	TEST_RESULT(doca_ctx_stop(client.ctx), DOCA_ERROR_IN_PROGRESS);
	for (i = 0; i < 1000 && test_state(&client) != DOCA_CTX_STATE_IDLE; i++)
		TEST_CALL(sleep_turn(&client, epfd));
	TEST_OK(test_side_end(&client, NULL));
	return test_other_end(&other);
}

/* Arming with something to do makes the handle readable; mode ALL needs no clear. */
static int
test_gap_10_arm_late(void)
{
	unsigned int i;
	int epfd;

	TEST_OK(doca_pe_set_event_mode(server.pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL));
	epfd = epoll_with(&server);
	TEST_TRUE(epfd >= 0);
	for (i = 1; i <= 50; i++) {
		TEST_OK(test_send(&client, "late"));
		TEST_OK(doca_pe_request_notification(server.pe));
		while (server.received < i)
			TEST_CALL(sleep_turn(&server, epfd));
		test_until_count(&client, NULL, &client.sent, i);
		TEST_OK(doca_pe_request_notification(server.pe));
	}
	close(epfd);
	return 0;
}

#define MANY_SERVERS 200

/* Two hundred servers on one device and engine, with names of 40 bytes. */
static int
test_gap_11_many_servers(void)
{
	static struct test_side servers[MANY_SERVERS];
	struct test_side *first = &servers[0];
	char name[41];
	unsigned int i;

	for (i = 0; i < MANY_SERVERS; i++) {
		snprintf(name, sizeof(name), "a-name-of-forty-bytes-for-server-%07u", i);
		TEST_TRUE(strlen(name) == 40);
		TEST_OK(test_server_make(&servers[i], i == 0 ? NULL : first->pe, name));
		TEST_OK(doca_comch_server_set_max_msg_size(servers[i].server, 64));
		TEST_OK(doca_comch_server_set_recv_queue_size(servers[i].server, 8 + i * 40));
		TEST_OK(test_tasks_set(&servers[i], 1024));
		TEST_OK(doca_ctx_start(servers[i].ctx));
	}
	for (i = 0; i < MANY_SERVERS; i += 33) {
		snprintf(name, sizeof(name), "a-name-of-forty-bytes-for-server-%07u", i);
		TEST_OK(test_client_make(&client, first->pe, name));
		TEST_OK(doca_comch_client_set_max_msg_size(client.client, 64));
		TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
		TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_RUNNING));
		TEST_OK(test_send(&client, "to this one"));
		TEST_TRUE(test_until_count(&servers[i], NULL, &servers[i].received, 1));
		TEST_OK(test_side_end(&client, first));
	}
	for (i = MANY_SERVERS; i-- > 0;)
		TEST_OK(test_side_end(&servers[i], i == 0 ? NULL : first));
	return 0;
}

#define MANY_CLIENTS 256

/* As many clients of one server as a public program has. */
static int
test_gap_11_many_clients(void)
{
	static struct test_side clients[MANY_CLIENTS];
	unsigned int i;

	TEST_OK(test_server_make(&server, NULL, "popular"));
	TEST_OK(doca_ctx_start(server.ctx));
	for (i = 0; i < MANY_CLIENTS; i++) {
		TEST_OK(test_client_make(&clients[i], server.pe, "popular"));
		TEST_RESULT(doca_ctx_start(clients[i].ctx), DOCA_ERROR_IN_PROGRESS);
	}
	TEST_TRUE(test_until_count(&server, NULL, &server.connected, MANY_CLIENTS));
	for (i = 0; i < MANY_CLIENTS; i++) {
		TEST_TRUE(test_until_state(&clients[i], NULL, DOCA_CTX_STATE_RUNNING));
		TEST_OK(test_send(&clients[i], "one of many"));
	}
	TEST_TRUE(test_until_count(&server, NULL, &server.received, MANY_CLIENTS));
	for (i = 0; i < MANY_CLIENTS; i++)
		TEST_OK(test_side_end(&clients[i], &server));
	TEST_TRUE(test_until_count(&server, NULL, &server.disconnected, MANY_CLIENTS));
	TEST_OK(test_side_end(&server, NULL));
	return 0;
}

/* The numbers that programs ask for: tasks, queues, sizes up to the capability. */
static int
test_gap_11_sizes(void)
{
	static const uint32_t tasks[] = {1, 4, 1024}, queues[] = {8, 10, 8192};
	uint32_t max;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		TEST_CALL(apart_make());
		TEST_OK(doca_comch_cap_get_max_msg_size(doca_dev_as_devinfo(server.dev), &max));
		TEST_OK(doca_comch_server_set_max_msg_size(server.server, max));
		TEST_OK(doca_comch_client_set_max_msg_size(client.client, max));
		TEST_OK(doca_comch_server_set_recv_queue_size(server.server, queues[i]));
		TEST_OK(doca_comch_client_set_recv_queue_size(client.client, queues[i]));
		TEST_OK(test_tasks_set(&server, tasks[i]));
		TEST_OK(test_tasks_set(&client, tasks[i]));
		TEST_OK(doca_ctx_start(server.ctx));
		TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
		TEST_TRUE(test_until_state(&client, &server, DOCA_CTX_STATE_RUNNING));
		TEST_OK(test_send(&client, "sizes"));
		TEST_TRUE(test_until_count(&server, &client, &server.received, 1));
		TEST_CALL(pair_close());
	}
	return 0;
}

/* Wrong orders are errors: the engine, the device, a context that runs; and again. */
static int
test_gap_13_wrong_orders(void)
{
	unsigned int i;

	TEST_CALL(test_listen());
	for (i = 0; i < 2; i++) {
		TEST_RESULT(doca_pe_destroy(server.pe), DOCA_ERROR_IN_USE);
		TEST_RESULT(doca_comch_client_destroy(client.client), DOCA_ERROR_IN_USE);
		TEST_RESULT(doca_comch_server_destroy(server.server), DOCA_ERROR_IN_USE);
		TEST_RESULT(doca_dev_rep_close(server.rep), DOCA_ERROR_IN_USE);
	}
	TEST_HAS(test_heard(), "destroy contexts and endpoints, close representors, then devices");
	/* all goes on */
	TEST_OK(test_send(&client, "alive"));
	TEST_TRUE(test_until_count(&server, NULL, &server.received, 1));
	TEST_RESULT(doca_ctx_stop(client.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_RESULT(doca_comch_client_destroy(client.client), DOCA_ERROR_IN_USE);
	return 0;
}

/* A program that ends without giving anything back. */
static void
leave_all(void)
{
	if (test_pair_make(&server, &client) != DOCA_SUCCESS ||
			test_send(&client, "lost") != DOCA_SUCCESS)
		exit(1);
	exit(42);
}

static int
test_gap_13_exit(void)
{
	static char out[TEST_TEXT_SIZE], err[TEST_TEXT_SIZE];

	TEST_TRUE(test_process(leave_all, out, err) == 42);
	return 0;
}

/* When no task is left, the caller progresses and tries again. */
static int
test_gap_16_no_memory(void)
{
	unsigned int sent = 0, refused = 0;
	time_t end = time(NULL) + TEST_SECONDS;

	while (sent < 10 * TEST_TASKS && time(NULL) < end) {
		doca_error_t result = send_from_stack(&client, sent);

		if (result == DOCA_SUCCESS) {
			sent++;
			continue;
		}
		TEST_RESULT(result, DOCA_ERROR_NO_MEMORY);
		/* exactly as many as were asked for are on their way */
		TEST_TRUE(sent - client.sent == TEST_TASKS);
		refused++;
		test_turn_short(&client);
	}
	TEST_TRUE(refused > 0);
	TEST_TRUE(test_until_count(&server, NULL, &server.received, 10 * TEST_TASKS));
	TEST_TRUE(test_until_count(&client, NULL, &client.sent, 10 * TEST_TASKS));
	return 0;
}

const struct test_case test_comch_gap[] = {
	TEST_CASE(test_gap_01_running_first),
	TEST_CASE(test_gap_02_start_results),
	TEST_CASE_ST(pair_open, pair_close, test_gap_03_message_copied),
	TEST_CASE_ST(pair_open, pair_close, test_gap_07_stop_in_callbacks),
	TEST_CASE_ST(pair_open, pair_close, test_gap_07_stop_connected),
	TEST_CASE_ST(pair_open, pair_close, test_gap_08_refuse_second),
	TEST_CASE(test_gap_08_disconnect_readable),
	TEST_CASE(test_gap_10_sleep),
	TEST_CASE_ST(pair_open, pair_close, test_gap_10_arm_late),
	TEST_CASE(test_gap_11_many_servers),
	TEST_CASE(test_gap_11_many_clients),
	TEST_CASE(test_gap_11_sizes),
	TEST_CASE_ST(pair_open, pair_close, test_gap_13_wrong_orders),
	TEST_CASE(test_gap_13_exit),
	TEST_CASE_ST(pair_open, pair_close, test_gap_16_no_memory),
	TEST_CASES_END()
};
