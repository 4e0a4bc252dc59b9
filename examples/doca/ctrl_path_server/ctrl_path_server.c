/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The card's half of a conversation of two messages: waits for one client, shows its
 * text, answers with its own and ends when the client has left. Written from the guides.
 */

#include <doca_log.h>

#include "../common/control.h"

#define SERVER_NAME "ctrl_path_server"

DOCA_LOG_REGISTER(CTRL_PATH_SERVER);

struct server {
	struct control control;
	struct doca_comch_connection *connection;
	const char *text;
	bool answered;
	bool finished;
};

static struct server *
server_of(const struct doca_comch_connection *connection)
{
	struct doca_comch_server *of = doca_comch_server_get_server_ctx(connection);
	union doca_data user_data;

	if (doca_ctx_get_user_data(doca_comch_server_as_ctx(of), &user_data) != DOCA_SUCCESS)
		return NULL;
	return user_data.ptr;
}

static void
state_changed(const union doca_data user_data, struct doca_ctx *ctx,
		enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
	struct server *server = user_data.ptr;

	(void)ctx;
	(void)prev_state;
	switch (next_state) {
	case DOCA_CTX_STATE_IDLE:
		DOCA_LOG_INFO("Server has stopped");
		server->finished = true;
		break;
	case DOCA_CTX_STATE_RUNNING:
		DOCA_LOG_INFO("Server runs");
		break;
	default:
		break;
	}
}

static void
connected(struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *connection, uint8_t change_successful)
{
	struct server *server = server_of(connection);

	(void)event;
	if (server == NULL || change_successful == 0) {
		DOCA_LOG_ERR("A client failed to connect");
		return;
	}
	if (server->connection != NULL) {
		DOCA_LOG_WARN("There is a client already, this one is refused");
		(void)doca_comch_server_disconnect(server->control.server, connection);
		return;
	}
	DOCA_LOG_INFO("A client is connected");
	server->connection = connection;
}

static void
disconnected(struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *connection, uint8_t change_successful)
{
	struct server *server = server_of(connection);

	(void)event;
	(void)change_successful;
	if (server == NULL || server->connection != connection)
		return;
	DOCA_LOG_INFO("The client has left");
	server->connection = NULL;
	if (!server->answered)
		DOCA_ERROR_PROPAGATE(server->control.result, DOCA_ERROR_CONNECTION_RESET);
	(void)doca_ctx_stop(server->control.ctx);
}

static void
received(struct doca_comch_event_msg_recv *event, uint8_t *buf, uint32_t len,
		struct doca_comch_connection *connection)
{
	struct server *server = server_of(connection);
	doca_error_t result;

	(void)event;
	if (server == NULL)
		return;
	DOCA_LOG_INFO("Received \"%.*s\"", (int)len, buf);
	result = control_send(&server->control, connection, server->text,
			strnlen(server->text, MAX_TEXT_SIZE));
	if (result != DOCA_SUCCESS) {
		DOCA_ERROR_PROPAGATE(server->control.result, result);
		(void)doca_ctx_stop(server->control.ctx);
		return;
	}
	server->answered = true;
}

static doca_error_t
run(const struct common_config *config)
{
	static const struct control_callbacks callbacks = {
		.state_changed = state_changed,
		.received = received,
		.connected = connected,
		.disconnected = disconnected,
	};
	struct server server = { .text = config->text };
	doca_error_t result;

	result = control_start_server(&server.control, config, SERVER_NAME, &callbacks, &server);
	if (result == DOCA_SUCCESS) {
		while (!server.finished)
			control_progress(&server.control);
	}
	control_destroy(&server.control);
	DOCA_ERROR_PROPAGATE(result, server.control.result);
	return result;
}

int
main(int argc, char **argv)
{
	struct common_config config = { DEFAULT_ADDRESSES, .text = "a message of the server" };
	doca_error_t result;

	result = begin("ctrl_path_server", &config, register_text_flag, argc, argv);
	if (result == DOCA_SUCCESS)
		result = run(&config);
	return finish(result);
}
