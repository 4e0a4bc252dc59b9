/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A server of many clients, in one thread: sends every message back to the client that
 * it came from, and ends when as many clients as it was told have come and left. Written
 * from the guides.
 */

#include <inttypes.h>

#include <doca_log.h>

#include "../common/control.h"

#define SERVER_NAME "threads_server"

DOCA_LOG_REGISTER(THREADS_SERVER);

struct threads_config {
	struct common_config common;
	int num_clients;
};

struct server {
	struct control control;
	int connected;
	int left;
	uint64_t num_msgs;
};

/* What the server keeps of a client. */
struct peer {
	uint64_t num_msgs;
};

static doca_error_t
num_clients_callback(void *param, void *config)
{
	struct threads_config *conf = config;

	conf->num_clients = *(int *)param;
	if (conf->num_clients < 1) {
		DOCA_LOG_ERR("The number of clients has to be above 0");
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

static doca_error_t
register_own_flags(void)
{
	return register_flag("n", "num-clients", "Clients that come and leave",
			DOCA_ARGP_TYPE_INT, num_clients_callback);
}

static struct server *
server_of(const struct doca_comch_connection *connection)
{
	struct doca_comch_server *of = doca_comch_server_get_server_ctx(connection);
	union doca_data data = { .ptr = NULL };

	(void)doca_ctx_get_user_data(doca_comch_server_as_ctx(of), &data);
	return data.ptr;
}

static void
received(struct doca_comch_event_msg_recv *event, uint8_t *buf, uint32_t len,
		struct doca_comch_connection *connection)
{
	struct peer *peer = doca_comch_connection_get_user_data(connection).ptr;
	struct server *server = server_of(connection);
	doca_error_t result;

	(void)event;
	peer->num_msgs++;
	result = control_send(&server->control, connection, buf, len);
	DOCA_ERROR_PROPAGATE(server->control.result, result);
}

static void
connected(struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *connection, uint8_t change_successful)
{
	struct server *server = server_of(connection);
	union doca_data data = { .ptr = NULL };

	(void)event;
	if (change_successful != 0)
		data.ptr = calloc(1, sizeof(struct peer));
	if (data.ptr == NULL) {
		DOCA_LOG_ERR("A client failed to connect");
		DOCA_ERROR_PROPAGATE(server->control.result, DOCA_ERROR_NOT_CONNECTED);
		return;
	}
	(void)doca_comch_connection_set_user_data(connection, data);
	server->connected++;
}

static void
disconnected(struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *connection, uint8_t change_successful)
{
	struct peer *peer = doca_comch_connection_get_user_data(connection).ptr;
	struct server *server = server_of(connection);

	(void)event;
	(void)change_successful;
	if (peer == NULL)
		return;
	server->num_msgs += peer->num_msgs;
	server->left++;
	free(peer);
}

static void
state_changed(const union doca_data user_data, struct doca_ctx *ctx,
		enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
	(void)user_data;
	(void)ctx;
	DOCA_LOG_DBG("The server's state was %d and is %d", prev_state, next_state);
}

static doca_error_t
run(const struct threads_config *config)
{
	static const struct control_callbacks callbacks = {
		.state_changed = state_changed,
		.received = received,
		.connected = connected,
		.disconnected = disconnected,
	};
	struct server server = { .connected = 0 };
	doca_error_t result;

	result = control_start_server(&server.control, &config->common, SERVER_NAME, &callbacks,
			&server);
	if (result == DOCA_SUCCESS) {
		while (server.left < config->num_clients)
			control_progress(&server.control);
		DOCA_LOG_INFO("%d clients, %" PRIu64 " messages", server.connected,
				server.num_msgs);
	}
	control_destroy(&server.control);
	DOCA_ERROR_PROPAGATE(result, server.control.result);
	return result;
}

int
main(int argc, char **argv)
{
	struct threads_config config = { .common = { DEFAULT_ADDRESSES }, .num_clients = 256 };
	doca_error_t result;

	result = begin("threads_server", &config, register_own_flags, argc, argv);
	if (result == DOCA_SUCCESS)
		result = run(&config);
	return finish(result);
}
