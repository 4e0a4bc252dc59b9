/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The half of the measurement that uses lib/doca_compat, as a program of the vendor's
 * library would: a map over memory of the program, a buffer for each piece, and tasks that
 * are submitted again in their callbacks. The sender is the client.
 */

#include <stdlib.h>
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include "bench_bulk.h"

#define NAME "bulk"
#define DEV "03:00.0"
#define REP "b1:00.0"

struct layer {
	const struct bulk_spec *spec;
	struct bulk_laps *laps;
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_pe *pe;
	struct doca_ctx *ctx;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_comch_connection *conn;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	struct doca_ctx *queue; /* of the consumer or producer */
	struct doca_mmap *map;
	struct doca_buf_inventory *inventory;
	uint8_t *base;
	uint64_t submitted;
	uint64_t completed;
	struct doca_task *held[BULK_MAX_BUFS]; /* filled, and not taken yet */
	uint32_t nb_held;
	bool done;
	bool failed;
};

/* Callbacks of events get no user data. */
static struct layer layer;

static int
layer_fail(struct layer *l, doca_error_t result, const char *what)
{
	fprintf(stderr, "layer %s: %s: %s\n", l->spec->sender ? "sender" : "receiver", what,
			doca_error_get_descr(result));
	l->failed = true;
	return -1;
}

static void
on_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	struct layer *l = ctx_data.ptr;
	doca_error_t result;
	size_t len = 0;
	void *data = NULL;

	(void)task_data;
	result = doca_buf_get_data(buf, &data);
	DOCA_ERROR_PROPAGATE(result, doca_buf_get_data_len(buf, &len));
	if (result != DOCA_SUCCESS || len != BULK_SIZE || !bulk_look(data, l->completed)) {
		layer_fail(l, result, "a message is wrong");
		return;
	}
	l->completed++;
	bulk_count(l->laps, l->completed);
	l->done = l->completed == l->spec->nb_msgs;
	result = doca_buf_reset_data_len(buf);
	DOCA_ERROR_PROPAGATE(result,
			doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	if (result != DOCA_SUCCESS)
		layer_fail(l, result, "a buffer cannot be posted");
}

static void
on_not_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct layer *l = ctx_data.ptr;

	(void)task_data;
	if (!l->done)
		layer_fail(l, doca_task_get_status(
				doca_comch_consumer_task_post_recv_as_task(task)),
				"a buffer came back");
}

/* Tasks that wait, in their order. */
static void
layer_send(struct layer *l)
{
	doca_error_t result;
	uint32_t i;

	for (i = 0; i < l->nb_held; i++) {
		result = doca_task_submit(l->held[i]);
		if (result == DOCA_ERROR_AGAIN)
			break;
		if (result != DOCA_SUCCESS) {
			layer_fail(l, result, "a message cannot be sent");
			return;
		}
	}
	l->nb_held -= i;
	memmove(l->held, l->held + i, l->nb_held * sizeof(l->held[0]));
}

static void
layer_fill(struct layer *l, struct doca_task *task, uint8_t *data)
{
	if (l->submitted == l->spec->nb_msgs)
		return;
	bulk_fill(data, l->submitted++);
	l->held[l->nb_held++] = task;
}

static void
on_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct layer *l = ctx_data.ptr;

	l->completed++;
	/* the receiver ends first, which is no news */
	if (l->completed == l->spec->nb_msgs)
		doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_CRIT);
	layer_fill(l, doca_comch_producer_task_send_as_task(task), task_data.ptr);
	layer_send(l);
}

static void
on_not_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct layer *l = ctx_data.ptr;

	(void)task_data;
	if (l->completed < l->spec->nb_msgs && !l->done)
		layer_fail(l, doca_task_get_status(doca_comch_producer_task_send_as_task(task)),
				"a message was not sent");
}

static doca_error_t
layer_memory(struct layer *l)
{
	const size_t len = (size_t)l->spec->nb_bufs * BULK_SIZE;
	doca_error_t result;

	l->base = bulk_memory(l->spec);
	if (l->base == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = doca_mmap_create(&l->map);
	DOCA_ERROR_PROPAGATE(result, doca_mmap_add_dev(l->map, l->dev));
	DOCA_ERROR_PROPAGATE(result, doca_mmap_set_memrange(l->map, l->base, len));
	DOCA_ERROR_PROPAGATE(result, doca_mmap_set_permissions(l->map, l->spec->sender ?
			DOCA_ACCESS_FLAG_PCI_READ_ONLY : DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	DOCA_ERROR_PROPAGATE(result, doca_mmap_start(l->map));
	DOCA_ERROR_PROPAGATE(result,
			doca_buf_inventory_create(l->spec->nb_bufs, &l->inventory));
	DOCA_ERROR_PROPAGATE(result, doca_buf_inventory_start(l->inventory));
	return result;
}

/* Post all buffers, as soon as the consumer runs. */
static void
on_state(const union doca_data data, struct doca_ctx *ctx, enum doca_ctx_states prev,
		enum doca_ctx_states next)
{
	struct doca_comch_consumer_task_post_recv *task;
	doca_error_t result = DOCA_SUCCESS;
	struct layer *l = data.ptr;
	struct doca_buf *buf;
	uint32_t i;

	(void)ctx;
	(void)prev;
	if (next != DOCA_CTX_STATE_RUNNING || l->spec->sender)
		return;
	for (i = 0; i < l->spec->nb_bufs && result == DOCA_SUCCESS; i++) {
		result = doca_buf_inventory_buf_get_by_addr(l->inventory, l->map,
				l->base + (size_t)i * BULK_SIZE, BULK_SIZE, &buf);
		DOCA_ERROR_PROPAGATE(result, doca_comch_consumer_task_post_recv_alloc_init(
				l->consumer, buf, &task));
		DOCA_ERROR_PROPAGATE(result,
				doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	}
	if (result != DOCA_SUCCESS)
		layer_fail(l, result, "cannot post");
}

static void
layer_connected(struct layer *l)
{
	union doca_data data = {l};
	doca_error_t result;

	result = layer_memory(l);
	if (l->spec->sender) {
		DOCA_ERROR_PROPAGATE(result, doca_comch_producer_create(l->conn, &l->producer));
		DOCA_ERROR_PROPAGATE(result, doca_comch_producer_task_send_set_conf(l->producer,
				on_sent, on_not_sent, l->spec->nb_bufs));
		l->queue = doca_comch_producer_as_ctx(l->producer);
	} else {
		DOCA_ERROR_PROPAGATE(result, doca_comch_consumer_create(l->conn, l->map,
				&l->consumer));
		DOCA_ERROR_PROPAGATE(result, doca_comch_consumer_task_post_recv_set_conf(
				l->consumer, on_received, on_not_received, l->spec->nb_bufs));
		l->queue = doca_comch_consumer_as_ctx(l->consumer);
	}
	DOCA_ERROR_PROPAGATE(result, doca_pe_connect_ctx(l->pe, l->queue));
	DOCA_ERROR_PROPAGATE(result, doca_ctx_set_user_data(l->queue, data));
	DOCA_ERROR_PROPAGATE(result, doca_ctx_set_state_changed_cb(l->queue, on_state));
	DOCA_ERROR_PROPAGATE(result, doca_ctx_start(l->queue));
	if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS)
		layer_fail(l, result, "cannot start");
}

static void
on_connect(struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *conn, uint8_t successful)
{
	(void)event;
	if (!successful)
		return;
	layer.conn = conn;
	layer_connected(&layer);
}

static void
on_disconnect(struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *conn, uint8_t successful)
{
	(void)event;
	(void)conn;
	(void)successful;
	if (!layer.done)
		layer_fail(&layer, DOCA_ERROR_CONNECTION_RESET, "the sender has left");
}

static void
on_client_state(const union doca_data data, struct doca_ctx *ctx, enum doca_ctx_states prev,
		enum doca_ctx_states next)
{
	struct layer *l = data.ptr;

	(void)ctx;
	if (prev == DOCA_CTX_STATE_RUNNING)
		l->done = true;
	else if (next == DOCA_CTX_STATE_IDLE && !l->done)
		layer_fail(l, DOCA_ERROR_NOT_CONNECTED, "cannot connect");
}

/* A consumer of the peer: send it all buffers. */
static void
on_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *conn,
		uint32_t id)
{
	struct doca_comch_producer_task_send *task;
	doca_error_t result = DOCA_SUCCESS;
	struct layer *l = &layer;
	union doca_data data;
	struct doca_buf *buf;
	uint32_t i;

	(void)event;
	(void)conn;
	for (i = 0; i < l->spec->nb_bufs && result == DOCA_SUCCESS; i++) {
		data.ptr = l->base + (size_t)i * BULK_SIZE;
		result = doca_buf_inventory_buf_get_by_data(l->inventory, l->map, data.ptr,
				BULK_SIZE, &buf);
		DOCA_ERROR_PROPAGATE(result, doca_comch_producer_task_send_alloc_init(
				l->producer, buf, NULL, 0, id, &task));
		if (result != DOCA_SUCCESS)
			break;
		doca_task_set_user_data(doca_comch_producer_task_send_as_task(task), data);
		layer_fill(l, doca_comch_producer_task_send_as_task(task), data.ptr);
	}
	if (result != DOCA_SUCCESS)
		layer_fail(l, result, "cannot allocate a send");
}

static void
on_no_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *conn,
		uint32_t id)
{
	(void)event;
	(void)conn;
	(void)id;
}

static void
on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t length,
		struct doca_comch_connection *conn)
{
	(void)event;
	(void)bytes;
	(void)length;
	(void)conn;
}

static void
on_message_sent(struct doca_comch_task_send *task, union doca_data task_data,
		union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static doca_error_t
open_dev(struct layer *l)
{
	doca_error_t result = DOCA_ERROR_NOT_FOUND;
	struct doca_devinfo **list;
	uint8_t equal = 0;
	uint32_t nb, i;

	if (doca_devinfo_create_list(&list, &nb) != DOCA_SUCCESS)
		return DOCA_ERROR_INITIALIZATION;
	for (i = 0; i < nb && result != DOCA_SUCCESS; i++)
		if (doca_devinfo_is_equal_pci_addr(list[i], DEV, &equal) == DOCA_SUCCESS && equal)
			result = doca_dev_open(list[i], &l->dev);
	doca_devinfo_destroy_list(list);
	return result;
}

static doca_error_t
open_rep(struct layer *l)
{
	doca_error_t result = DOCA_ERROR_NOT_FOUND;
	struct doca_devinfo_rep **list;
	uint8_t equal = 0;
	uint32_t nb, i;

	if (doca_devinfo_rep_create_list(l->dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &nb) !=
			DOCA_SUCCESS)
		return DOCA_ERROR_INITIALIZATION;
	for (i = 0; i < nb && result != DOCA_SUCCESS; i++)
		if (doca_devinfo_rep_is_equal_pci_addr(list[i], REP, &equal) == DOCA_SUCCESS &&
				equal)
			result = doca_dev_rep_open(list[i], &l->rep);
	doca_devinfo_rep_destroy_list(list);
	return result;
}

static doca_error_t
open_server(struct layer *l)
{
	doca_error_t result = open_rep(l);

	DOCA_ERROR_PROPAGATE(result,
			doca_comch_server_create(l->dev, l->rep, NAME, &l->server));
	DOCA_ERROR_PROPAGATE(result, doca_comch_server_task_send_set_conf(l->server,
			on_message_sent, on_message_sent, 1));
	DOCA_ERROR_PROPAGATE(result,
			doca_comch_server_event_msg_recv_register(l->server, on_message));
	DOCA_ERROR_PROPAGATE(result, doca_comch_server_event_connection_status_changed_register(
			l->server, on_connect, on_disconnect));
	DOCA_ERROR_PROPAGATE(result, doca_comch_server_event_consumer_register(l->server,
			on_no_consumer, on_no_consumer));
	l->ctx = doca_comch_server_as_ctx(l->server);
	DOCA_ERROR_PROPAGATE(result, doca_pe_connect_ctx(l->pe, l->ctx));
	DOCA_ERROR_PROPAGATE(result, doca_ctx_start(l->ctx));
	return result;
}

static doca_error_t
open_client(struct layer *l)
{
	union doca_data data = {l};
	doca_error_t result;

	result = doca_comch_client_create(l->dev, NAME, &l->client);
	DOCA_ERROR_PROPAGATE(result, doca_comch_client_task_send_set_conf(l->client,
			on_message_sent, on_message_sent, 1));
	DOCA_ERROR_PROPAGATE(result,
			doca_comch_client_event_msg_recv_register(l->client, on_message));
	DOCA_ERROR_PROPAGATE(result, doca_comch_client_event_consumer_register(l->client,
			on_consumer, on_no_consumer));
	l->ctx = doca_comch_client_as_ctx(l->client);
	DOCA_ERROR_PROPAGATE(result, doca_pe_connect_ctx(l->pe, l->ctx));
	DOCA_ERROR_PROPAGATE(result, doca_ctx_set_user_data(l->ctx, data));
	DOCA_ERROR_PROPAGATE(result, doca_ctx_set_state_changed_cb(l->ctx, on_client_state));
	DOCA_ERROR_PROPAGATE(result, doca_ctx_start(l->ctx));
	return result == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : result;
}

int
bulk_layer(const struct bulk_spec *spec, struct bulk_laps *laps)
{
	struct layer *l = &layer;
	enum doca_ctx_states state;
	doca_error_t result;

	l->spec = spec;
	l->laps = laps;
	if (setenv("DOCA_COMPAT_PATH", spec->path, 1) != 0)
		return layer_fail(l, DOCA_ERROR_OPERATING_SYSTEM, "cannot set the environment");
	result = open_dev(l);
	DOCA_ERROR_PROPAGATE(result, doca_pe_create(&l->pe));
	DOCA_ERROR_PROPAGATE(result, spec->sender ? open_client(l) : open_server(l));
	if (result != DOCA_SUCCESS)
		return layer_fail(l, result, "cannot begin");
	while (!l->done && !l->failed) {
		doca_pe_progress(l->pe);
		if (l->nb_held != 0)
			layer_send(l);
		/* there is no event that a client has connected */
		if (spec->sender && l->conn == NULL && doca_ctx_get_state(l->ctx, &state) ==
				DOCA_SUCCESS && state == DOCA_CTX_STATE_RUNNING) {
			doca_comch_client_get_connection(l->client, &l->conn);
			layer_connected(l);
		}
	}
	return l->failed ? -1 : 0;
}
