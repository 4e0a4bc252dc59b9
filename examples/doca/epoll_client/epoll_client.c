/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The host's half of a conversation that sleeps whenever there is nothing to do: sends
 * messages one after the other answer, and has a consumer for immediate data on the same
 * engine, which the server sends to as soon as it hears of it. Written from the guides.
 */

#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_ctx.h>
#include <doca_log.h>
#include <doca_mmap.h>

#include "../common/common.h"
#include "../common/event.h"

#define SERVER_NAME "epoll_server"
#define MSG_SIZE 64
#define NUM_TASKS 16
#define IMM_SIZE 16

DOCA_LOG_REGISTER(EPOLL_CLIENT);

struct epoll_config {
	struct common_config common;
	int num_msgs;
};

struct client {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct event_loop loop;
	struct doca_comch_client *client;
	struct doca_comch_connection *connection;
	struct doca_mmap *mmap;
	struct doca_comch_consumer *consumer;
	uint32_t to_send;
	uint32_t answered;
	uint32_t num_msgs;
	bool greeted; /* immediate data came */
	bool finished;
	doca_error_t result;
};

static doca_error_t
num_msgs_callback(void *param, void *config)
{
	struct epoll_config *conf = config;

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
	return register_flag("n", "num-msgs", "Messages that are sent", DOCA_ARGP_TYPE_INT,
			num_msgs_callback);
}

static void
fail(struct client *client, doca_error_t result)
{
	DOCA_ERROR_PROPAGATE(client->result, result);
	if (client->consumer != NULL)
		(void)doca_ctx_stop(doca_comch_consumer_as_ctx(client->consumer));
	else
		(void)doca_ctx_stop(doca_comch_client_as_ctx(client->client));
}

/* The consumer goes first; the client follows when it is gone. */
static void
stop_if_done(struct client *client)
{
	if (client->greeted && client->answered == client->num_msgs && client->consumer != NULL)
		(void)doca_ctx_stop(doca_comch_consumer_as_ctx(client->consumer));
}

static void
sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void
not_sent(struct doca_comch_task_send *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct doca_task *failed = doca_comch_task_send_as_task(task);
	doca_error_t result = doca_task_get_status(failed);

	(void)task_data;
	doca_task_free(failed);
	fail(ctx_data.ptr, result);
}

static void
send_next(struct client *client)
{
	struct doca_comch_task_send *task;
	char msg[MSG_SIZE];
	doca_error_t result;

	if (client->to_send == 0)
		return;
	snprintf(msg, sizeof(msg), "message %u", client->to_send);
	result = doca_comch_client_task_send_alloc_init(client->client, client->connection, msg,
			strlen(msg), &task);
	if (result == DOCA_SUCCESS) {
		client->to_send--;
		result = doca_task_try_submit(doca_comch_task_send_as_task(task));
		if (result != DOCA_SUCCESS)
			doca_task_free(doca_comch_task_send_as_task(task));
	}
	if (result != DOCA_SUCCESS)
		fail(client, result);
}

static void
received(struct doca_comch_event_msg_recv *event, uint8_t *buf, uint32_t len,
		struct doca_comch_connection *connection)
{
	struct client *client = doca_comch_connection_get_user_data(connection).ptr;

	(void)event;
	(void)buf;
	(void)len;
	client->answered++;
	send_next(client);
	stop_if_done(client);
}

static void
greeted(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct client *client = ctx_data.ptr;

	(void)task_data;
	DOCA_LOG_INFO("Received immediate data \"%.*s\"",
			(int)doca_comch_consumer_task_post_recv_get_imm_data_len(task),
			(const char *)doca_comch_consumer_task_post_recv_get_imm_data(task));
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	client->greeted = true;
	stop_if_done(client);
}

static void
not_greeted(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct doca_task *failed = doca_comch_consumer_task_post_recv_as_task(task);
	struct client *client = ctx_data.ptr;

	(void)task_data;
	DOCA_ERROR_PROPAGATE(client->result, doca_task_get_status(failed));
	doca_task_free(failed);
}

static void
consumer_state_changed(const union doca_data user_data, struct doca_ctx *ctx,
		enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
	struct doca_comch_consumer_task_post_recv *task;
	struct client *client = user_data.ptr;
	doca_error_t result;

	(void)ctx;
	if (next_state == DOCA_CTX_STATE_RUNNING) {
		result = doca_comch_consumer_task_post_recv_alloc_init(client->consumer, NULL,
				&task);
		if (result == DOCA_SUCCESS)
			result = doca_task_submit(
					doca_comch_consumer_task_post_recv_as_task(task));
		if (result != DOCA_SUCCESS)
			fail(client, result);
	} else if (next_state == DOCA_CTX_STATE_IDLE) {
		if (prev_state == DOCA_CTX_STATE_STARTING)
			DOCA_ERROR_PROPAGATE(client->result, DOCA_ERROR_UNEXPECTED);
		/* in its own callback, where it is idle already */
		DOCA_ERROR_PROPAGATE(client->result,
				doca_comch_consumer_destroy(client->consumer));
		client->consumer = NULL;
		(void)doca_ctx_stop(doca_comch_client_as_ctx(client->client));
	}
}

/* The consumer is for immediate data, and wants memory all the same. */
static doca_error_t
start_consumer(struct client *client)
{
	static char memory[MSG_SIZE];
	union doca_data data = { .ptr = client };
	struct doca_ctx *ctx;
	doca_error_t result;

	result = doca_mmap_create(&client->mmap);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_mmap_add_dev(client->mmap, client->dev);
	DOCA_ERROR_PROPAGATE(result, doca_mmap_set_permissions(client->mmap,
			DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	DOCA_ERROR_PROPAGATE(result, doca_mmap_set_memrange(client->mmap, memory,
			sizeof(memory)));
	DOCA_ERROR_PROPAGATE(result, doca_mmap_start(client->mmap));
	DOCA_ERROR_PROPAGATE(result, doca_comch_consumer_create(client->connection, client->mmap,
			&client->consumer));
	if (result != DOCA_SUCCESS)
		return result;
	ctx = doca_comch_consumer_as_ctx(client->consumer);
	result = doca_pe_connect_ctx(client->pe, ctx);
	DOCA_ERROR_PROPAGATE(result, doca_ctx_set_state_changed_cb(ctx, consumer_state_changed));
	DOCA_ERROR_PROPAGATE(result, doca_comch_consumer_task_post_recv_set_conf(client->consumer,
			greeted, not_greeted, NUM_TASKS));
	DOCA_ERROR_PROPAGATE(result, doca_comch_consumer_set_imm_data_len(client->consumer,
			IMM_SIZE));
	DOCA_ERROR_PROPAGATE(result, doca_ctx_set_user_data(ctx, data));
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(ctx);
	if (result == DOCA_ERROR_IN_PROGRESS)
		return DOCA_SUCCESS;
	(void)doca_comch_consumer_destroy(client->consumer);
	client->consumer = NULL;
	return result;
}

static void
state_changed(const union doca_data user_data, struct doca_ctx *ctx,
		enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
	struct client *client = user_data.ptr;
	doca_error_t result;

	(void)ctx;
	if (next_state == DOCA_CTX_STATE_RUNNING) {
		DOCA_LOG_INFO("Connected");
		result = doca_comch_client_get_connection(client->client, &client->connection);
		if (result == DOCA_SUCCESS) {
			result = doca_comch_connection_set_user_data(client->connection,
					user_data);
			DOCA_ERROR_PROPAGATE(result, start_consumer(client));
		}
		if (result == DOCA_SUCCESS)
			send_next(client);
		else
			fail(client, result);
	} else if (next_state == DOCA_CTX_STATE_STOPPING && client->consumer != NULL) {
		/* the server has gone */
		(void)doca_ctx_stop(doca_comch_consumer_as_ctx(client->consumer));
	} else if (next_state == DOCA_CTX_STATE_IDLE) {
		if (prev_state == DOCA_CTX_STATE_STARTING)
			DOCA_ERROR_PROPAGATE(client->result, DOCA_ERROR_INITIALIZATION);
		client->finished = true;
	}
}

static doca_error_t
start_client(struct client *client)
{
	union doca_data data = { .ptr = client };
	struct doca_ctx *ctx;
	doca_error_t result;

	result = doca_comch_client_create(client->dev, SERVER_NAME, &client->client);
	if (result != DOCA_SUCCESS)
		return result;
	ctx = doca_comch_client_as_ctx(client->client);
	result = doca_pe_connect_ctx(client->pe, ctx);
	DOCA_ERROR_PROPAGATE(result, doca_ctx_set_state_changed_cb(ctx, state_changed));
	DOCA_ERROR_PROPAGATE(result, doca_comch_client_task_send_set_conf(client->client, sent,
			not_sent, NUM_TASKS));
	DOCA_ERROR_PROPAGATE(result, doca_comch_client_event_msg_recv_register(client->client,
			received));
	DOCA_ERROR_PROPAGATE(result, doca_comch_client_set_max_msg_size(client->client,
			MSG_SIZE));
	DOCA_ERROR_PROPAGATE(result, doca_ctx_set_user_data(ctx, data));
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_ctx_start(ctx);
	return result == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : result;
}

static doca_error_t
run(const struct epoll_config *config)
{
	struct client client = {
		.loop = { .epoll_fd = -1, .signal_fd = -1 },
		.to_send = config->num_msgs,
		.num_msgs = config->num_msgs,
	};
	doca_error_t result;

	result = open_device(config->common.pci_addr, doca_comch_cap_client_is_supported,
			&client.dev);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_pe_create(&client.pe);
	if (result == DOCA_SUCCESS)
		result = event_loop_init(&client.loop, client.pe);
	if (result == DOCA_SUCCESS) {
		result = start_client(&client);
		if (result != DOCA_SUCCESS)
			DOCA_LOG_ERR("Failed to start: %s", doca_error_get_descr(result));
	}
	while (result == DOCA_SUCCESS && !client.finished) {
		result = event_loop_turn(&client.loop);
		if (client.loop.interrupted) {
			client.loop.interrupted = false;
			fail(&client, DOCA_ERROR_SHUTDOWN);
		}
	}
	DOCA_ERROR_PROPAGATE(result, client.result);
	if (result == DOCA_SUCCESS && client.answered != client.num_msgs)
		result = DOCA_ERROR_CONNECTION_RESET;
	if (result == DOCA_SUCCESS)
		DOCA_LOG_INFO("%u messages sent and answered", client.answered);
	if (client.client != NULL)
		(void)doca_comch_client_destroy(client.client);
	if (client.mmap != NULL)
		(void)doca_mmap_destroy(client.mmap);
	if (client.pe != NULL)
		(void)doca_pe_destroy(client.pe);
	event_loop_clean(&client.loop);
	(void)doca_dev_close(client.dev);
	return result;
}

int
main(int argc, char **argv)
{
	struct epoll_config config = { .common = { DEFAULT_ADDRESSES }, .num_msgs = 1000 };
	doca_error_t result;

	result = begin("epoll_client", &config, register_own_flags, argc, argv);
	if (result == DOCA_SUCCESS)
		result = run(&config);
	return finish(result);
}
