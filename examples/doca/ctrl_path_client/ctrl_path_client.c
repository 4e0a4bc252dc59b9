/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The host's half of a conversation of two messages: sends a text as soon as it is
 * connected, shows the answer and leaves. Written from the guides.
 */

#include <doca_log.h>

#include "../common/control.h"

#define SERVER_NAME "ctrl_path_server"

DOCA_LOG_REGISTER(CTRL_PATH_CLIENT);

struct client {
	struct control control;
	const char *text;
	bool answered;
	bool finished;
};

static void
send_text(struct client *client)
{
	struct doca_comch_connection *connection;
	doca_error_t result;

	result = doca_comch_client_get_connection(client->control.client, &connection);
	if (result == DOCA_SUCCESS)
		result = control_send(&client->control, connection, client->text,
				strnlen(client->text, MAX_TEXT_SIZE));
	if (result != DOCA_SUCCESS) {
		DOCA_ERROR_PROPAGATE(client->control.result, result);
		(void)doca_ctx_stop(client->control.ctx);
	}
}

static void
state_changed(const union doca_data user_data, struct doca_ctx *ctx,
		enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
	struct client *client = user_data.ptr;

	(void)ctx;
	switch (next_state) {
	case DOCA_CTX_STATE_IDLE:
		DOCA_LOG_INFO("Client has stopped");
		if (prev_state == DOCA_CTX_STATE_STARTING)
			DOCA_ERROR_PROPAGATE(client->control.result, DOCA_ERROR_INITIALIZATION);
		else if (!client->answered)
			DOCA_ERROR_PROPAGATE(client->control.result,
					DOCA_ERROR_CONNECTION_RESET);
		client->finished = true;
		break;
	case DOCA_CTX_STATE_STARTING:
		DOCA_LOG_DBG("Client waits for the server");
		break;
	case DOCA_CTX_STATE_RUNNING:
		DOCA_LOG_INFO("Client is connected");
		send_text(client);
		break;
	case DOCA_CTX_STATE_STOPPING:
		DOCA_LOG_DBG("Client stops");
		break;
	default:
		break;
	}
}

static void
received(struct doca_comch_event_msg_recv *event, uint8_t *buf, uint32_t len,
		struct doca_comch_connection *connection)
{
	struct doca_comch_client *of = doca_comch_client_get_client_ctx(connection);
	union doca_data user_data;
	struct client *client;
	doca_error_t result;

	(void)event;
	result = doca_ctx_get_user_data(doca_comch_client_as_ctx(of), &user_data);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("The client has no user data: %s", doca_error_get_descr(result));
		return;
	}
	client = user_data.ptr;
	DOCA_LOG_INFO("Received \"%.*s\"", (int)len, buf);
	client->answered = true;
	(void)doca_ctx_stop(client->control.ctx);
}

static doca_error_t
run(const struct common_config *config)
{
	static const struct control_callbacks callbacks = {
		.state_changed = state_changed,
		.received = received,
	};
	struct client client = { .answered = false };
	doca_error_t result;

	result = control_start_client(&client.control, config, SERVER_NAME, &callbacks, &client);
	if (result == DOCA_SUCCESS) {
		/* not before: RUNNING is told in doca_pe_progress() */
		client.text = config->text;
		while (!client.finished)
			control_progress(&client.control);
	}
	control_destroy(&client.control);
	DOCA_ERROR_PROPAGATE(result, client.control.result);
	return result;
}

int
main(int argc, char **argv)
{
	struct common_config config = { DEFAULT_ADDRESSES, .text = "a message of the client" };
	doca_error_t result;

	result = begin("ctrl_path_client", &config, register_text_flag, argc, argv);
	if (result == DOCA_SUCCESS)
		result = run(&config);
	return finish(result);
}
