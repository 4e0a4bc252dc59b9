/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Bulk transfer both ways, the same program on both sides: the main thread has the
 * connection, on which both say what they will send, and one thread for each direction
 * has an engine of its own. Written from the guides.
 */

#include <inttypes.h>

#include <doca_log.h>

#include "bulk.h"

#define SERVER_NAME "bulk_server"
#define FINISHED 'F'
#define MAX_MSG_SIZE 65535

DOCA_LOG_REGISTER(BULK::MAIN);

static doca_error_t
msg_size_callback(void *param, void *config)
{
	struct bulk_config *conf = config;

	conf->msg_size = *(int *)param;
	if (conf->msg_size < 1 || conf->msg_size > MAX_MSG_SIZE) {
		DOCA_LOG_ERR("The size of messages has to be from 1 to %d", MAX_MSG_SIZE);
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

static doca_error_t
num_msgs_callback(void *param, void *config)
{
	struct bulk_config *conf = config;

	conf->num_msgs = *(int *)param;
	if (conf->num_msgs < 1) {
		DOCA_LOG_ERR("The number of messages has to be above 0");
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

static doca_error_t
register_own_flags(void)
{
	doca_error_t result;

	result = register_flag("s", "msg-size", "Bytes of each message that is sent",
			DOCA_ARGP_TYPE_INT, msg_size_callback);
	DOCA_ERROR_PROPAGATE(result, register_flag("n", "num-msgs", "Messages that are sent",
			DOCA_ARGP_TYPE_INT, num_msgs_callback));
	return result;
}

/* Callbacks find the program by the connection, which has it since it is connected. */
static struct bulk *
bulk_of(const struct doca_comch_connection *connection)
{
	return doca_comch_connection_get_user_data(connection).ptr;
}

static void
new_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
		uint32_t id)
{
	(void)event;
	bulk_of(connection)->remote_consumer_id = id;
}

static void
expired_consumer(struct doca_comch_event_consumer *event,
		struct doca_comch_connection *connection, uint32_t id)
{
	(void)event;
	(void)connection;
	(void)id;
}

static void
received(struct doca_comch_event_msg_recv *event, uint8_t *buf, uint32_t len,
		struct doca_comch_connection *connection)
{
	struct bulk *bulk = bulk_of(connection);

	(void)event;
	if (len == sizeof(bulk->remote)) {
		memcpy(&bulk->remote, buf, len);
		bulk->started = bulk->remote.msg_size <= MAX_MSG_SIZE;
	} else if (len == 1 && *buf == FINISHED) {
		bulk->remote_finished = true;
	} else {
		DOCA_LOG_ERR("A message of %u bytes is not known", len);
	}
}

static void
set_connection(struct bulk *bulk, struct doca_comch_connection *connection)
{
	union doca_data data = { .ptr = bulk };

	doca_comch_connection_set_user_data(connection, data);
	bulk->connection = connection;
	bulk->connected = true;
	DOCA_LOG_INFO("Connected");
}

static void
connected(struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *connection, uint8_t change_successful)
{
	struct doca_comch_server *of = doca_comch_server_get_server_ctx(connection);
	union doca_data data = { .ptr = NULL };
	struct bulk *bulk;

	(void)event;
	(void)doca_ctx_get_user_data(doca_comch_server_as_ctx(of), &data);
	bulk = data.ptr;
	if (change_successful == 0)
		return;
	if (bulk->connection != NULL) {
		(void)doca_comch_server_disconnect(of, connection);
		return;
	}
	set_connection(bulk, connection);
}

static void
disconnected(struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *connection, uint8_t change_successful)
{
	struct bulk *bulk = bulk_of(connection);

	(void)event;
	(void)change_successful;
	if (bulk != NULL && bulk->connection == connection)
		bulk->connected = false;
}

static void
state_changed(const union doca_data user_data, struct doca_ctx *ctx,
		enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
	struct bulk *bulk = user_data.ptr;

	(void)ctx;
	if (next_state == DOCA_CTX_STATE_IDLE && prev_state == DOCA_CTX_STATE_STARTING)
		DOCA_ERROR_PROPAGATE(bulk->control.result, DOCA_ERROR_NOT_CONNECTED);
	if (next_state == DOCA_CTX_STATE_IDLE || next_state == DOCA_CTX_STATE_STOPPING)
		bulk->connected = false;
}

/* A client sees its state, and hears of nothing before it has looked. */
static doca_error_t
wait_connected(struct bulk *bulk)
{
	struct doca_comch_connection *connection;
	enum doca_ctx_states state;
	doca_error_t result;

	if (bulk->control.server != NULL) {
		while (bulk->connection == NULL)
			control_progress(&bulk->control);
		return DOCA_SUCCESS;
	}
	do {
		control_progress(&bulk->control);
		result = doca_ctx_get_state(bulk->control.ctx, &state);
		if (result != DOCA_SUCCESS)
			return result;
		if (state == DOCA_CTX_STATE_IDLE)
			return DOCA_ERROR_NOT_CONNECTED;
	} while (state != DOCA_CTX_STATE_RUNNING);
	result = doca_comch_client_get_connection(bulk->control.client, &connection);
	if (result == DOCA_SUCCESS)
		set_connection(bulk, connection);
	return result;
}

static doca_error_t
send_start(struct bulk *bulk)
{
	/* gone when this returns, and before it is sent */
	struct bulk_start start = {
		.msg_size = bulk->config->msg_size,
		.num_msgs = bulk->config->num_msgs,
	};

	return control_send(&bulk->control, bulk->connection, &start, sizeof(start));
}

static doca_error_t
transfer(struct bulk *bulk)
{
	struct direction out = { .bulk = bulk };
	struct direction in = { .bulk = bulk };
	doca_error_t result;

	if (pthread_create(&in.thread, NULL, bulk_receive, &in) != 0)
		return DOCA_ERROR_OPERATING_SYSTEM;
	if (pthread_create(&out.thread, NULL, bulk_send, &out) != 0) {
		bulk->connected = false;
		out.finished = true;
		out.result = DOCA_ERROR_OPERATING_SYSTEM;
	}
	while (!in.finished || !out.finished)
		control_progress(&bulk->control);
	pthread_join(in.thread, NULL);
	if (out.result != DOCA_ERROR_OPERATING_SYSTEM)
		pthread_join(out.thread, NULL);

	result = in.result;
	DOCA_ERROR_PROPAGATE(result, out.result);
	if (result != DOCA_SUCCESS)
		return result;
	DOCA_LOG_INFO("Sent %u messages of %d bytes in %" PRIu64 " ms", out.num_msgs,
			bulk->config->msg_size, out.elapsed_ms);
	DOCA_LOG_INFO("Received %u messages of %u bytes in %" PRIu64 " ms", in.num_msgs,
			bulk->remote.msg_size, in.elapsed_ms);
	return DOCA_SUCCESS;
}

static doca_error_t
converse(struct bulk *bulk)
{
	const char finished = FINISHED;
	doca_error_t result;

	result = wait_connected(bulk);
	if (result == DOCA_SUCCESS)
		result = send_start(bulk);
	while (result == DOCA_SUCCESS && !bulk->started) {
		control_progress(&bulk->control);
		if (!bulk->connected)
			result = DOCA_ERROR_CONNECTION_RESET;
	}
	if (result == DOCA_SUCCESS)
		result = transfer(bulk);
	if (result == DOCA_SUCCESS)
		result = control_send(&bulk->control, bulk->connection, &finished, 1);
	while (result == DOCA_SUCCESS && !bulk->remote_finished) {
		control_progress(&bulk->control);
		if (!bulk->connected)
			result = DOCA_ERROR_CONNECTION_RESET;
	}
	control_flush(&bulk->control); /* a stop would take it back */
	/* the client leaves first */
	while (bulk->control.server != NULL && bulk->connected && result == DOCA_SUCCESS)
		control_progress(&bulk->control);
	return result;
}

static doca_error_t
run(const struct bulk_config *config)
{
	static const struct control_callbacks callbacks = {
		.state_changed = state_changed,
		.received = received,
		.connected = connected,
		.disconnected = disconnected,
		.new_consumer = new_consumer,
		.expired_consumer = expired_consumer,
	};
	struct bulk bulk = { .config = config };
	doca_error_t result;

#ifdef DOCA_ARCH_DPU
	result = control_start_server(&bulk.control, &config->common, SERVER_NAME, &callbacks,
			&bulk);
#else
	result = control_start_client(&bulk.control, &config->common, SERVER_NAME, &callbacks,
			&bulk);
#endif
	if (result == DOCA_SUCCESS)
		result = converse(&bulk);
	control_destroy(&bulk.control);
	DOCA_ERROR_PROPAGATE(result, bulk.control.result);
	return result;
}

int
main(int argc, char **argv)
{
	struct bulk_config config = {
		.common = { DEFAULT_ADDRESSES },
		.msg_size = 4096,
		.num_msgs = 1000,
	};
	doca_error_t result;

	result = begin("bulk", &config, register_own_flags, argc, argv);
	if (result == DOCA_SUCCESS)
		result = run(&config);
	return finish(result);
}
