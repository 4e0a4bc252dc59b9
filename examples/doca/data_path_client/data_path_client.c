/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The host's half of the high-speed data path: connects, sends a text from a producer to
 * the server's consumer, receives one, and leaves when both sides are done. Written from
 * the guides.
 */

#include <doca_log.h>

#include "../common/data_path.h"

#define SERVER_NAME "data_path_server"
#define FINISHED "finished"

DOCA_LOG_REGISTER(DATA_PATH_CLIENT);

struct client {
	struct control control;
	struct data_path path;
	bool running;
	bool server_finished;
	bool stopped;
};

static struct client *
client_of(const struct doca_comch_connection *connection)
{
	struct doca_comch_client *of = doca_comch_client_get_client_ctx(connection);
	union doca_data user_data;

	if (doca_ctx_get_user_data(doca_comch_client_as_ctx(of), &user_data) != DOCA_SUCCESS)
		return NULL;
	return user_data.ptr;
}

static void
state_changed(const union doca_data user_data, struct doca_ctx *ctx,
		enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
	struct client *client = user_data.ptr;

	(void)ctx;
	client->running = next_state == DOCA_CTX_STATE_RUNNING;
	if (!client->running)
		client->path.connection = NULL;
	if (next_state != DOCA_CTX_STATE_IDLE)
		return;
	if (prev_state == DOCA_CTX_STATE_STARTING)
		DOCA_ERROR_PROPAGATE(client->control.result, DOCA_ERROR_INITIALIZATION);
	client->stopped = true;
}

static void
received(struct doca_comch_event_msg_recv *event, uint8_t *buf, uint32_t len,
		struct doca_comch_connection *connection)
{
	struct client *client = client_of(connection);

	(void)event;
	if (client != NULL && len == strlen(FINISHED) && memcmp(buf, FINISHED, len) == 0)
		client->server_finished = true;
}

static void
new_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
		uint32_t id)
{
	struct client *client = client_of(connection);

	(void)event;
	if (client != NULL)
		client->path.remote_consumer_id = id;
	DOCA_LOG_INFO("The server has consumer %u", id);
}

static void
expired_consumer(struct doca_comch_event_consumer *event,
		struct doca_comch_connection *connection, uint32_t id)
{
	(void)event;
	(void)connection;
	DOCA_LOG_DBG("Consumer %u of the server is gone", id);
}

static doca_error_t
exchange(struct client *client)
{
	struct doca_comch_connection *connection;
	doca_error_t result;

	while (!client->running && !client->stopped)
		control_progress(&client->control);
	if (client->stopped)
		return client->control.result;
	result = doca_comch_client_get_connection(client->control.client, &connection);
	if (result != DOCA_SUCCESS)
		return result;
	client->path.connection = connection;
	result = data_path_exchange(&client->path);
	if (result == DOCA_SUCCESS)
		result = control_send(&client->control, connection, FINISHED, strlen(FINISHED));
	/* whoever leaves earlier takes the other's consumer away */
	while (result == DOCA_SUCCESS && !client->server_finished) {
		control_progress(&client->control);
		if (client->stopped)
			result = DOCA_ERROR_CONNECTION_RESET;
	}
	control_flush(&client->control); /* a stop would take it back */
	return result;
}

static doca_error_t
run(const struct common_config *config)
{
	static const struct control_callbacks callbacks = {
		.state_changed = state_changed,
		.received = received,
		.new_consumer = new_consumer,
		.expired_consumer = expired_consumer,
	};
	struct client client = {
		.path = {
			.control = &client.control,
			.text = config->text,
			.remote_consumer_id = INVALID_CONSUMER_ID,
		},
	};
	doca_error_t result;

	result = control_start_client(&client.control, config, SERVER_NAME, &callbacks, &client);
	if (result == DOCA_SUCCESS)
		result = exchange(&client);
	control_destroy(&client.control);
	DOCA_ERROR_PROPAGATE(result, client.control.result);
	return result;
}

int
main(int argc, char **argv)
{
	struct common_config config = { DEFAULT_ADDRESSES, .text = "data of the client" };
	doca_error_t result;

	result = begin("data_path_client", &config, register_text_flag, argc, argv);
	if (result == DOCA_SUCCESS)
		result = run(&config);
	return finish(result);
}
