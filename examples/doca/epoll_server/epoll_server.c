/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The card's half of a conversation that sleeps whenever there is nothing to do: sends
 * messages back to their clients, and immediate data to each consumer that it hears of.
 * Ends when the last client has left, or by SIGINT or SIGTERM. Written from the guides.
 */

#include <doca_comch.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_log.h>

#include "../common/common.h"
#include "../common/event.h"

#define SERVER_NAME "epoll_server"
#define MSG_SIZE 64
#define NUM_TASKS 1024
#define GREETING "welcome"
#define MAX_SUBMITS 50000 /* some seconds */

DOCA_LOG_REGISTER(EPOLL_SERVER);

/* A connection with its producer, which is user data of both. */
struct peer {
	struct doca_comch_producer *producer;
	uint32_t consumer_id;
	bool gone; /* freed when the producer is gone too */
};

struct server {
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_pe *pe;
	struct event_loop loop;
	struct doca_comch_server *server;
	uint32_t num_peers;
	uint64_t num_msgs;
	bool finished;
	doca_error_t result;
};

static struct server *
server_of(const struct doca_comch_connection *connection)
{
	struct doca_comch_server *of = doca_comch_server_get_server_ctx(connection);
	union doca_data data = { .ptr = NULL };

	(void)doca_ctx_get_user_data(doca_comch_server_as_ctx(of), &data);
	return data.ptr;
}

static void
sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void
received(struct doca_comch_event_msg_recv *event, uint8_t *buf, uint32_t len,
		struct doca_comch_connection *connection)
{
	struct server *server = server_of(connection);
	struct doca_comch_task_send *task;
	doca_error_t result;

	(void)event;
	server->num_msgs++;
	/* the bytes are only there in this callback, and are taken at the submit */
	result = doca_comch_server_task_send_alloc_init(server->server, connection, buf, len,
			&task);
	if (result == DOCA_SUCCESS) {
		result = doca_task_submit(doca_comch_task_send_as_task(task));
		if (result != DOCA_SUCCESS)
			doca_task_free(doca_comch_task_send_as_task(task));
	}
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("Failed to answer: %s", doca_error_get_descr(result));
	DOCA_ERROR_PROPAGATE(server->result, result);
}

static void
greeting_ended(struct doca_comch_producer_task_send *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct peer *peer = ctx_data.ptr;

	(void)task_data;
	doca_task_free(doca_comch_producer_task_send_as_task(task));
	(void)doca_ctx_stop(doca_comch_producer_as_ctx(peer->producer));
}

/* The consumer posts in a moment, unless its program was killed: nothing tells that here. */
static doca_error_t
submit(struct doca_task *task)
{
	doca_error_t result;
	int i;

	for (i = 0; i < MAX_SUBMITS; i++) {
		result = doca_task_submit(task);
		if (result != DOCA_ERROR_AGAIN)
			return result;
		short_sleep();
	}
	return DOCA_ERROR_TIME_OUT;
}

static void
producer_state_changed(const union doca_data user_data, struct doca_ctx *ctx,
		enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
	struct doca_comch_producer_task_send *task;
	struct peer *peer = user_data.ptr;
	uint8_t greeting[] = GREETING;
	doca_error_t result;

	(void)prev_state;
	if (next_state == DOCA_CTX_STATE_RUNNING) {
		result = doca_comch_producer_task_send_alloc_init(peer->producer, NULL, greeting,
				strlen(GREETING), peer->consumer_id, &task);
		if (result == DOCA_SUCCESS) {
			result = submit(doca_comch_producer_task_send_as_task(task));
			if (result != DOCA_SUCCESS)
				doca_task_free(doca_comch_producer_task_send_as_task(task));
		}
		if (result != DOCA_SUCCESS) {
			DOCA_LOG_ERR("Failed to greet: %s", doca_error_get_descr(result));
			(void)doca_ctx_stop(ctx);
		}
	} else if (next_state == DOCA_CTX_STATE_IDLE) {
		(void)doca_comch_producer_destroy(peer->producer);
		peer->producer = NULL;
		if (peer->gone)
			free(peer);
	}
}

static void
new_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
		uint32_t id)
{
	struct peer *peer = doca_comch_connection_get_user_data(connection).ptr;
	union doca_data data = { .ptr = peer };
	struct doca_ctx *ctx;
	doca_error_t result;

	(void)event;
	if (peer == NULL || peer->producer != NULL)
		return;
	peer->consumer_id = id;
	result = doca_comch_producer_create(connection, &peer->producer);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("Failed to create a producer: %s", doca_error_get_descr(result));
		return;
	}
	ctx = doca_comch_producer_as_ctx(peer->producer);
	result = doca_pe_connect_ctx(server_of(connection)->pe, ctx);
	DOCA_ERROR_PROPAGATE(result, doca_ctx_set_state_changed_cb(ctx, producer_state_changed));
	DOCA_ERROR_PROPAGATE(result, doca_comch_producer_task_send_set_conf(peer->producer,
			greeting_ended, greeting_ended, 1));
	DOCA_ERROR_PROPAGATE(result, doca_ctx_set_user_data(ctx, data));
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(ctx);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("Failed to start a producer: %s", doca_error_get_descr(result));
		(void)doca_comch_producer_destroy(peer->producer);
		peer->producer = NULL;
	}
}

static void
expired_consumer(struct doca_comch_event_consumer *event,
		struct doca_comch_connection *connection, uint32_t id)
{
	(void)event;
	(void)connection;
	DOCA_LOG_DBG("Consumer %u is gone", id);
}

static void
connected(struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *connection, uint8_t change_successful)
{
	struct server *server = server_of(connection);
	union doca_data data;

	(void)event;
	if (change_successful == 0)
		return;
	data.ptr = calloc(1, sizeof(struct peer));
	if (data.ptr == NULL) {
		(void)doca_comch_server_disconnect(server->server, connection);
		return;
	}
	(void)doca_comch_connection_set_user_data(connection, data);
	server->num_peers++;
	DOCA_LOG_INFO("A client is connected");
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
	DOCA_LOG_INFO("A client has left");
	peer->gone = true;
	if (peer->producer != NULL)
		(void)doca_ctx_stop(doca_comch_producer_as_ctx(peer->producer));
	else
		free(peer);
	if (--server->num_peers == 0)
		(void)doca_ctx_stop(doca_comch_server_as_ctx(server->server));
}

static void
state_changed(const union doca_data user_data, struct doca_ctx *ctx,
		enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
	struct server *server = user_data.ptr;

	(void)ctx;
	(void)prev_state;
	if (next_state == DOCA_CTX_STATE_IDLE)
		server->finished = true;
}

static doca_error_t
start_server(struct server *server, const struct common_config *config)
{
	union doca_data data = { .ptr = server };
	struct doca_ctx *ctx;
	doca_error_t result;

	result = doca_comch_server_create(server->dev, server->rep, SERVER_NAME,
			&server->server);
	if (result != DOCA_SUCCESS)
		return result;
	ctx = doca_comch_server_as_ctx(server->server);
	result = doca_pe_connect_ctx(server->pe, ctx);
	DOCA_ERROR_PROPAGATE(result, doca_ctx_set_state_changed_cb(ctx, state_changed));
	DOCA_ERROR_PROPAGATE(result, doca_comch_server_task_send_set_conf(server->server, sent,
			sent, NUM_TASKS));
	DOCA_ERROR_PROPAGATE(result, doca_comch_server_event_msg_recv_register(server->server,
			received));
	DOCA_ERROR_PROPAGATE(result,
			doca_comch_server_event_connection_status_changed_register(server->server,
				connected, disconnected));
	DOCA_ERROR_PROPAGATE(result, doca_comch_server_event_consumer_register(server->server,
			new_consumer, expired_consumer));
	DOCA_ERROR_PROPAGATE(result, doca_comch_server_set_max_msg_size(server->server,
			MSG_SIZE));
	DOCA_ERROR_PROPAGATE(result, doca_ctx_set_user_data(ctx, data));
	DOCA_ERROR_PROPAGATE(result, doca_ctx_start(ctx));
	if (result == DOCA_SUCCESS)
		DOCA_LOG_INFO("Server %s waits for clients of %s", SERVER_NAME, config->rep_pci);
	return result;
}

static doca_error_t
run(const struct common_config *config)
{
	struct server server = { .loop = { .epoll_fd = -1, .signal_fd = -1 } };
	doca_error_t result;

	result = open_device(config->pci_addr, doca_comch_cap_server_is_supported, &server.dev);
	if (result != DOCA_SUCCESS)
		return result;
	result = open_representor(server.dev, config->rep_pci, &server.rep);
	if (result == DOCA_SUCCESS)
		result = doca_pe_create(&server.pe);
	if (result == DOCA_SUCCESS)
		result = event_loop_init(&server.loop, server.pe);
	if (result == DOCA_SUCCESS) {
		result = start_server(&server, config);
		if (result != DOCA_SUCCESS)
			DOCA_LOG_ERR("Failed to start: %s", doca_error_get_descr(result));
	}
	while (result == DOCA_SUCCESS && !server.finished) {
		result = event_loop_turn(&server.loop);
		if (server.loop.interrupted) {
			DOCA_LOG_INFO("Interrupted");
			server.loop.interrupted = false;
			(void)doca_ctx_stop(doca_comch_server_as_ctx(server.server));
		}
	}
	DOCA_ERROR_PROPAGATE(result, server.result);
	if (result == DOCA_SUCCESS)
		DOCA_LOG_INFO("%lu messages answered", (unsigned long)server.num_msgs);
	if (server.server != NULL)
		(void)doca_comch_server_destroy(server.server);
	if (server.pe != NULL)
		(void)doca_pe_destroy(server.pe);
	event_loop_clean(&server.loop);
	if (server.rep != NULL)
		(void)doca_dev_rep_close(server.rep);
	(void)doca_dev_close(server.dev);
	return result;
}

static doca_error_t
register_nothing(void)
{
	return DOCA_SUCCESS;
}

int
main(int argc, char **argv)
{
	struct common_config config = { DEFAULT_ADDRESSES };
	doca_error_t result;

	result = begin("epoll_server", &config, register_nothing, argc, argv);
	if (result == DOCA_SUCCESS)
		result = run(&config);
	return finish(result);
}
