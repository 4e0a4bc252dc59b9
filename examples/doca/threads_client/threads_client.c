/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Many clients of one server, each in a thread of its own with its own open device and
 * engine: all are connected at once, and each sends messages one after the other answer.
 * Written from the guides.
 */

#include <pthread.h>

#include <doca_log.h>

#include "../common/control.h"

#define SERVER_NAME "threads_server"
#define MSG_SIZE 64

DOCA_LOG_REGISTER(THREADS_CLIENT);

struct threads_config {
	struct common_config common;
	int num_clients;
	int num_msgs;
};

struct client {
	struct control control;
	const struct threads_config *config;
	pthread_t thread;
	pthread_barrier_t *barrier; /* all are connected, or have failed to */
	int id;
	int answered;
	char expected[MSG_SIZE];
	bool running;
	bool finished;
};

static doca_error_t
above_zero(int value, int *place)
{
	if (value < 1) {
		DOCA_LOG_ERR("The number has to be above 0");
		return DOCA_ERROR_INVALID_VALUE;
	}
	*place = value;
	return DOCA_SUCCESS;
}

static doca_error_t
num_clients_callback(void *param, void *config)
{
	return above_zero(*(int *)param, &((struct threads_config *)config)->num_clients);
}

static doca_error_t
num_msgs_callback(void *param, void *config)
{
	return above_zero(*(int *)param, &((struct threads_config *)config)->num_msgs);
}

static doca_error_t
register_own_flags(void)
{
	doca_error_t result;

	result = register_flag("n", "num-clients", "Clients, each in a thread",
			DOCA_ARGP_TYPE_INT, num_clients_callback);
	DOCA_ERROR_PROPAGATE(result, register_flag("m", "num-msgs", "Messages of each client",
			DOCA_ARGP_TYPE_INT, num_msgs_callback));
	return result;
}

static void
send_next(struct client *client)
{
	struct doca_comch_connection *connection;
	doca_error_t result;

	snprintf(client->expected, sizeof(client->expected), "client %d, message %d", client->id,
			client->answered);
	result = doca_comch_client_get_connection(client->control.client, &connection);
	if (result == DOCA_SUCCESS)
		result = control_send(&client->control, connection, client->expected,
				strlen(client->expected));
	if (result != DOCA_SUCCESS) {
		DOCA_ERROR_PROPAGATE(client->control.result, result);
		client->finished = true;
	}
}

static void
received(struct doca_comch_event_msg_recv *event, uint8_t *buf, uint32_t len,
		struct doca_comch_connection *connection)
{
	struct doca_comch_client *of = doca_comch_client_get_client_ctx(connection);
	union doca_data data = { .ptr = NULL };
	struct client *client;

	(void)event;
	(void)doca_ctx_get_user_data(doca_comch_client_as_ctx(of), &data);
	client = data.ptr;
	if (len != strlen(client->expected) || memcmp(buf, client->expected, len) != 0) {
		DOCA_LOG_ERR("Client %d: \"%.*s\" is not \"%s\"", client->id, (int)len, buf,
				client->expected);
		DOCA_ERROR_PROPAGATE(client->control.result, DOCA_ERROR_IO_FAILED);
		client->finished = true;
		return;
	}
	client->answered++;
	if (client->answered == client->config->num_msgs)
		client->finished = true;
	else
		send_next(client);
}

static void
state_changed(const union doca_data user_data, struct doca_ctx *ctx,
		enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
	struct client *client = user_data.ptr;

	(void)ctx;
	client->running = next_state == DOCA_CTX_STATE_RUNNING;
	if (next_state != DOCA_CTX_STATE_IDLE)
		return;
	if (prev_state == DOCA_CTX_STATE_STARTING)
		DOCA_ERROR_PROPAGATE(client->control.result, DOCA_ERROR_INITIALIZATION);
	else if (!client->finished)
		DOCA_ERROR_PROPAGATE(client->control.result, DOCA_ERROR_CONNECTION_RESET);
	client->finished = true;
}

static void *
run_client(void *arg)
{
	static const struct control_callbacks callbacks = {
		.state_changed = state_changed,
		.received = received,
	};
	struct client *client = arg;
	doca_error_t result;

	result = control_start_client(&client->control, &client->config->common, SERVER_NAME,
			&callbacks, client);
	while (result == DOCA_SUCCESS && !client->running && !client->finished)
		control_progress(&client->control);
	pthread_barrier_wait(client->barrier);
	if (result == DOCA_SUCCESS && client->running) {
		send_next(client);
		while (!client->finished)
			control_progress(&client->control);
	}
	control_destroy(&client->control);
	DOCA_ERROR_PROPAGATE(client->control.result, result);
	return NULL;
}

static doca_error_t
run(const struct threads_config *config)
{
	int i, count = config->num_clients, answered = 0;
	doca_error_t result = DOCA_SUCCESS;
	pthread_barrier_t barrier;
	struct client *clients;

	clients = calloc(count, sizeof(*clients));
	if (clients == NULL)
		return DOCA_ERROR_NO_MEMORY;
	if (pthread_barrier_init(&barrier, NULL, count) != 0) {
		free(clients);
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
	for (i = 0; i < count; i++) {
		clients[i].config = config;
		clients[i].id = i;
		clients[i].barrier = &barrier;
		if (pthread_create(&clients[i].thread, NULL, run_client, &clients[i]) != 0) {
			DOCA_LOG_ERR("Failed to create thread %d", i);
			exit(EXIT_FAILURE); /* those before it wait for the others */
		}
	}
	for (i = 0; i < count; i++) {
		pthread_join(clients[i].thread, NULL);
		answered += clients[i].answered;
		DOCA_ERROR_PROPAGATE(result, clients[i].control.result);
	}
	DOCA_LOG_INFO("%d clients, %d messages sent and answered", count, answered);
	pthread_barrier_destroy(&barrier);
	free(clients);
	return result;
}

int
main(int argc, char **argv)
{
	struct threads_config config = {
		.common = { DEFAULT_ADDRESSES },
		.num_clients = 256,
		.num_msgs = 16,
	};
	doca_error_t result;

	result = begin("threads_client", &config, register_own_flags, argc, argv);
	if (result == DOCA_SUCCESS)
		result = run(&config);
	return finish(result);
}
