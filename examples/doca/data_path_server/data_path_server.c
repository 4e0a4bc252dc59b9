/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The card's half of the high-speed data path: waits for a client, sends a text from a
 * producer to its consumer, receives one, and ends when the client has left. Written
 * from the guides.
 */

#include <doca_log.h>

#include "../common/data_path.h"

#define SERVER_NAME "data_path_server"
#define FINISHED "finished"

DOCA_LOG_REGISTER(DATA_PATH_SERVER);

struct server {
	struct control control;
	struct data_path path;
	bool client_finished;
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
	(void)user_data;
	(void)ctx;
	DOCA_LOG_DBG("The server's state was %d and is %d", prev_state, next_state);
}

static void
connected(struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *connection, uint8_t change_successful)
{
	struct server *server = server_of(connection);

	(void)event;
	if (server == NULL || change_successful == 0)
		return;
	if (server->path.connection != NULL) {
		DOCA_LOG_WARN("There is a client already, this one is refused");
		(void)doca_comch_server_disconnect(server->control.server, connection);
		return;
	}
	DOCA_LOG_INFO("A client is connected");
	server->path.connection = connection;
}

static void
disconnected(struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *connection, uint8_t change_successful)
{
	struct server *server = server_of(connection);

	(void)event;
	(void)change_successful;
	if (server != NULL && server->path.connection == connection) {
		DOCA_LOG_INFO("The client has left");
		server->path.connection = NULL;
	}
}

static void
received(struct doca_comch_event_msg_recv *event, uint8_t *buf, uint32_t len,
		struct doca_comch_connection *connection)
{
	struct server *server = server_of(connection);

	(void)event;
	if (server != NULL && len == strlen(FINISHED) && memcmp(buf, FINISHED, len) == 0)
		server->client_finished = true;
}

static void
new_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
		uint32_t id)
{
	struct server *server = server_of(connection);

	(void)event;
	if (server != NULL && server->path.connection == connection)
		server->path.remote_consumer_id = id;
	DOCA_LOG_INFO("The client has consumer %u", id);
}

static void
expired_consumer(struct doca_comch_event_consumer *event,
		struct doca_comch_connection *connection, uint32_t id)
{
	(void)event;
	(void)connection;
	DOCA_LOG_DBG("Consumer %u of the client is gone", id);
}

static doca_error_t
exchange(struct server *server)
{
	doca_error_t result;

	while (server->path.connection == NULL)
		control_progress(&server->control);
	result = data_path_exchange(&server->path);
	if (result == DOCA_SUCCESS)
		result = control_send(&server->control, server->path.connection, FINISHED,
				strlen(FINISHED));
	while (result == DOCA_SUCCESS && server->path.connection != NULL)
		control_progress(&server->control);
	if (result == DOCA_SUCCESS && !server->client_finished)
		result = DOCA_ERROR_CONNECTION_RESET;
	return result;
}

static doca_error_t
run(const struct common_config *config)
{
	static const struct control_callbacks callbacks = {
		.state_changed = state_changed,
		.received = received,
		.connected = connected,
		.disconnected = disconnected,
		.new_consumer = new_consumer,
		.expired_consumer = expired_consumer,
	};
	struct server server = {
		.path = {
			.control = &server.control,
			.text = config->text,
			.remote_consumer_id = INVALID_CONSUMER_ID,
		},
	};
	doca_error_t result;

	result = control_start_server(&server.control, config, SERVER_NAME, &callbacks, &server);
	if (result == DOCA_SUCCESS)
		result = exchange(&server);
	control_destroy(&server.control);
	DOCA_ERROR_PROPAGATE(result, server.control.result);
	return result;
}

int
main(int argc, char **argv)
{
	struct common_config config = { DEFAULT_ADDRESSES, .text = "data of the server" };
	doca_error_t result;

	result = begin("data_path_server", &config, register_text_flag, argc, argv);
	if (result == DOCA_SUCCESS)
		result = run(&config);
	return finish(result);
}
