/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Connections of servers and clients in one process: messages, counters, ends, and what
 * the log says of a client that could not connect.
 */

#include <time.h>

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

static int
test_comch_exchange(void)
{
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
	TEST_TRUE(strcmp(server.states, "RTI") == 0);
	return 0;
}

static int
test_comch_connection_null(void)
{
	union doca_data data = {.u64 = 1};
	uint64_t value;

	TEST_RESULT(doca_comch_connection_set_user_data(NULL, data), DOCA_ERROR_INVALID_VALUE);
	TEST_TRUE(doca_comch_connection_get_user_data(NULL).u64 == 0);
	TEST_RESULT(doca_comch_connection_update_info(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_connection_get_counter(NULL, DOCA_COMCH_COUNTER_SENT_BYTES, &value),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_connection_get_counter(client.conn, DOCA_COMCH_COUNTER_SENT_BYTES,
			NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_connection_get_counter(client.conn, (enum doca_comch_counter)0,
			&value), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_connection_get_counter(client.conn, (enum doca_comch_counter)5,
			&value), DOCA_ERROR_INVALID_VALUE);
	return 0;
}

static int
counters_are(struct doca_comch_connection *conn, uint64_t sent, uint64_t sent_bytes,
		uint64_t received, uint64_t received_bytes)
{
	const uint64_t want[] = {sent, sent_bytes, received, received_bytes};
	uint64_t value;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		TEST_OK(doca_comch_connection_get_counter(conn, (enum doca_comch_counter)(i + 1),
				&value));
		TEST_TRUE(value == want[i]);
	}
	return 0;
}

/* The counters are a snapshot, and stay when the connection is gone. */
static int
test_comch_counters(void)
{
	struct doca_comch_connection *old;

	TEST_TRUE(DOCA_COMCH_COUNTER_SENT_MESSAGES == 1 && DOCA_COMCH_COUNTER_SENT_BYTES == 2);
	TEST_TRUE(DOCA_COMCH_COUNTER_RECV_MESSAGES == 3 && DOCA_COMCH_COUNTER_RECV_BYTES == 4);
	TEST_OK(test_pair_make(&server, &client));
	server.echo = true;
	TEST_OK(test_send(&client, "four"));
	TEST_OK(test_send(&client, "and six"));
	TEST_TRUE(test_until_count(&client, NULL, &client.received, 2));
	TEST_TRUE(test_until_count(&client, NULL, &client.sent, 2));
	TEST_TRUE(test_until_count(&server, NULL, &server.sent, 2));
	TEST_CALL(counters_are(client.conn, 0, 0, 0, 0));
	TEST_OK(doca_comch_connection_update_info(client.conn));
	TEST_CALL(counters_are(client.conn, 2, 13, 2, 13));
	TEST_OK(doca_comch_connection_update_info(server.conn));
	TEST_CALL(counters_are(server.conn, 2, 13, 2, 13));
	old = server.conn;
	TEST_OK(test_side_end(&client, &server));
	TEST_TRUE(test_until_count(&server, NULL, &server.disconnected, 1));
	TEST_RESULT(doca_comch_connection_update_info(old), DOCA_ERROR_CONNECTION_ABORTED);
	TEST_CALL(counters_are(old, 2, 13, 2, 13));
	TEST_OK(test_side_end(&server, NULL));
	return 0;
}

static int
test_comch_connection_user_data(void)
{
	struct doca_comch_connection *conn, *old[2];
	union doca_data data;

	TEST_OK(test_pair_make(&server, &client));
	TEST_OK(doca_comch_client_get_connection(client.client, &conn));
	TEST_TRUE(conn == client.conn && conn != server.conn);
	TEST_TRUE(doca_comch_connection_get_user_data(conn).u64 == 0);
	data.u64 = 0x8877665544332211;
	TEST_OK(doca_comch_connection_set_user_data(conn, data));
	TEST_TRUE(doca_comch_connection_get_user_data(conn).u64 == data.u64);
	TEST_TRUE(doca_comch_connection_get_user_data(server.conn).u64 == 0);
	/* whose it is */
	TEST_TRUE(doca_comch_client_get_client_ctx(conn) == client.client);
	TEST_TRUE(doca_comch_server_get_server_ctx(conn) == NULL);
	TEST_TRUE(doca_comch_server_get_server_ctx(server.conn) == server.server);
	TEST_TRUE(doca_comch_client_get_client_ctx(server.conn) == NULL);
	/* after the end there is none any more, and the old one can be looked at */
	old[0] = server.conn;
	old[1] = client.conn;
	TEST_RESULT(doca_ctx_stop(client.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_IDLE));
	TEST_RESULT(doca_comch_client_get_connection(client.client, &conn), DOCA_ERROR_BAD_STATE);
	TEST_CALL(pair_close());
	TEST_TRUE(doca_comch_connection_get_user_data(old[1]).u64 == data.u64);
	TEST_TRUE(doca_comch_client_get_client_ctx(old[1]) == NULL);
	TEST_TRUE(doca_comch_server_get_server_ctx(old[0]) == NULL);
	return 0;
}

static int
test_comch_disconnect(void)
{
	struct doca_comch_connection *old;

	old = server.conn;
	TEST_NULL_2(doca_comch_server_disconnect, server.server, server.conn);
	TEST_RESULT(doca_comch_server_disconnect(server.server, client.conn),
			DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_comch_server_disconnect(server.server, server.conn));
	TEST_RESULT(doca_comch_server_disconnect(server.server, old), DOCA_ERROR_NOT_CONNECTED);
	TEST_TRUE(test_until_count(&server, NULL, &server.disconnected, 1));
	TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_IDLE));
	TEST_TRUE(strcmp(client.states, "SRTI") == 0);
	TEST_RESULT(doca_comch_server_disconnect(server.server, old), DOCA_ERROR_NOT_CONNECTED);
	/* it can come again */
	TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_RUNNING));
	TEST_TRUE(test_until_count(&server, NULL, &server.connected, 2));
	return 0;
}

/* More connections end than stay: the last ones can be looked at. */
static int
test_comch_many_ends(void)
{
	struct doca_comch_connection *last = NULL;
	unsigned int i;

	TEST_OK(test_server_make(&server, NULL, "one"));
	TEST_OK(test_client_make(&client, server.pe, "one"));
	TEST_OK(doca_ctx_start(server.ctx));
	for (i = 1; i <= 300; i++) {
		TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
		TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_RUNNING));
		last = client.conn;
		TEST_RESULT(doca_ctx_stop(client.ctx), DOCA_ERROR_IN_PROGRESS);
		TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_IDLE));
		TEST_TRUE(test_until_count(&server, NULL, &server.disconnected, i));
	}
	TEST_RESULT(doca_comch_connection_update_info(last), DOCA_ERROR_CONNECTION_ABORTED);
	return pair_close();
}

/* Sizes: each side may leave it to the other, and two that differ do not fit. */
static int
test_comch_msg_size(void)
{
	static char big[9000];

	memset(big, 'b', sizeof(big) - 1);
	TEST_OK(test_server_make(&server, NULL, "one"));
	TEST_OK(test_client_make(&client, server.pe, "one"));
	TEST_OK(doca_comch_client_set_max_msg_size(client.client, sizeof(big)));
	TEST_OK(doca_ctx_start(server.ctx));
	TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_RUNNING));
	TEST_TRUE(test_until_count(&server, NULL, &server.connected, 1));
	TEST_OK(test_send(&client, big));
	TEST_TRUE(test_until_count(&server, NULL, &server.received, 1));
	TEST_TRUE(server.message_len == sizeof(big));
	TEST_OK(test_send(&server, big));
	TEST_TRUE(test_until_count(&client, NULL, &client.received, 1));
	TEST_TRUE(client.message_len == sizeof(big));
	return pair_close();
}

/* A client that falls back to IDLE, and what the log says of it: once, and at the server. */
static int
fall(const char *what, const char *at_server)
{
	TEST_CALL(test_listen());
	TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_IDLE));
	TEST_TRUE(strcmp(client.states, "SI") == 0);
	test_turn(&client, NULL);
	TEST_HAS(test_heard(), what);
	TEST_HAS(test_heard(), at_server);
	TEST_TRUE(test_count(test_heard(), what) == 1);
	return 0;
}

static int
test_comch_fall_no_server(void)
{
	setenv("DOCA_COMPAT_CONNECT_TIMEOUT_MS", "300", 1);
	TEST_OK(test_client_make(&client, NULL, "nobody"));
	TEST_CALL(fall("start the server first", ""));
	TEST_OK(test_side_end(&client, NULL));
	return 0;
}

static int
test_comch_fall_other_name(void)
{
	TEST_OK(test_server_make(&server, NULL, "one"));
	TEST_OK(test_client_make(&client, server.pe, "other"));
	TEST_OK(doca_ctx_start(server.ctx));
	TEST_CALL(fall("no server of this name", ""));
	return pair_close();
}

static int
test_comch_fall_size(void)
{
	TEST_OK(test_server_make(&server, NULL, "one"));
	TEST_OK(test_client_make(&client, server.pe, "one"));
	TEST_OK(doca_comch_server_set_max_msg_size(server.server, 100));
	TEST_OK(doca_comch_client_set_max_msg_size(client.client, 200));
	TEST_OK(doca_ctx_start(server.ctx));
	TEST_CALL(fall("client of the server 'one': max_msg_size differs",
			"a client could not connect to the server 'one': max_msg_size differs"));
	return pair_close();
}

/* A client that comes again and again costs the server's log no line each time. */
static int
test_comch_refused_often(void)
{
	static char text[1 << 20];
	const unsigned int nb = 500;
	unsigned int i, seconds;
	time_t begin;
	size_t len;
	FILE *file;

	TEST_OK(test_server_make(&server, NULL, "one"));
	TEST_OK(test_client_make(&client, server.pe, "one"));
	TEST_OK(doca_comch_server_set_max_msg_size(server.server, 100));
	TEST_OK(doca_comch_client_set_max_msg_size(client.client, 200));
	TEST_OK(doca_ctx_start(server.ctx));
	file = test_file();
	begin = time(NULL);
	test_capture(file, file);
	for (i = 0; i < nb; i++) {
		TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
		TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_IDLE));
	}
	seconds = time(NULL) - begin + 2;
	rewind(file);
	len = fread(text, 1, sizeof(text) - 1, file);
	TEST_TRUE(len > 0 && len < sizeof(text) - 1);
	TEST_TRUE(test_count(text, "client of the server 'one': max_msg_size") >= nb);
	TEST_TRUE(test_count(text, "a client could not connect to the server") <= 16 * seconds);
	return pair_close();
}

const struct test_case test_comch_conn[] = {
	TEST_CASE(test_comch_exchange),
	TEST_CASE_ST(pair_open, pair_close, test_comch_connection_null),
	TEST_CASE(test_comch_counters),
	TEST_CASE(test_comch_connection_user_data),
	TEST_CASE_ST(pair_open, pair_close, test_comch_disconnect),
	TEST_CASE(test_comch_many_ends),
	TEST_CASE(test_comch_msg_size),
	TEST_CASE(test_comch_fall_no_server),
	TEST_CASE(test_comch_fall_other_name),
	TEST_CASE(test_comch_fall_size),
	TEST_CASE(test_comch_refused_often),
	TEST_CASES_END()
};
