/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* One text each way between a producer and a consumer of either side. */

#include <doca_log.h>

#include "data_path.h"

#define NUM_TASKS 2

DOCA_LOG_REGISTER(DATA_PATH);

static doca_error_t
init_memory(struct data_memory *memory, struct doca_dev *dev, size_t len, uint32_t permissions)
{
	doca_error_t result;

	memory->addr = malloc(len);
	if (memory->addr == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = doca_mmap_create(&memory->mmap);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_mmap_add_dev(memory->mmap, dev);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_mmap_set_permissions(memory->mmap, permissions);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_mmap_set_memrange(memory->mmap, memory->addr, len);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_mmap_start(memory->mmap);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_buf_inventory_create(NUM_TASKS, &memory->inventory);
	if (result != DOCA_SUCCESS)
		return result;
	return doca_buf_inventory_start(memory->inventory);
}

static doca_error_t
clean_memory(struct data_memory *memory)
{
	doca_error_t result = DOCA_SUCCESS, tmp;

	if (memory->inventory != NULL) {
		tmp = doca_buf_inventory_stop(memory->inventory);
		DOCA_ERROR_PROPAGATE(result, tmp);
		tmp = doca_buf_inventory_destroy(memory->inventory);
		DOCA_ERROR_PROPAGATE(result, tmp);
		memory->inventory = NULL;
	}
	if (memory->mmap != NULL) {
		tmp = doca_mmap_destroy(memory->mmap);
		DOCA_ERROR_PROPAGATE(result, tmp);
		memory->mmap = NULL;
	}
	free(memory->addr);
	memory->addr = NULL;
	return result;
}

/* Submits until it is not refused for now; no engine may be progressed in a callback. */
static doca_error_t
submit(struct doca_task *task)
{
	doca_error_t result;

	do {
		result = doca_task_submit(task);
	} while (result == DOCA_ERROR_AGAIN);
	return result;
}

static void
data_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct data_path *path = ctx_data.ptr;
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	doca_error_t result;
	size_t len;
	void *data;

	(void)task_data;
	result = doca_buf_get_data(buf, &data);
	DOCA_ERROR_PROPAGATE(result, doca_buf_get_data_len(buf, &len));
	if (result == DOCA_SUCCESS)
		DOCA_LOG_INFO("Received by the data path \"%.*s\"", (int)len, (char *)data);
	DOCA_ERROR_PROPAGATE(path->result, result);
	(void)doca_buf_dec_refcount(buf, NULL);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	(void)doca_ctx_stop(doca_comch_consumer_as_ctx(path->consumer));
}

static void
data_not_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct data_path *path = ctx_data.ptr;
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);

	(void)task_data;
	DOCA_ERROR_PROPAGATE(path->result, doca_task_get_status(
			doca_comch_consumer_task_post_recv_as_task(task)));
	(void)doca_buf_dec_refcount(buf, NULL);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	(void)doca_ctx_stop(doca_comch_consumer_as_ctx(path->consumer));
}

static doca_error_t
post_receive(struct data_path *path)
{
	struct doca_comch_consumer_task_post_recv *task;
	struct doca_buf *buf;
	doca_error_t result;

	result = doca_buf_inventory_buf_get_by_addr(path->consumer_memory.inventory,
			path->consumer_memory.mmap, path->consumer_memory.addr, MAX_TEXT_LEN,
			&buf);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comch_consumer_task_post_recv_alloc_init(path->consumer, buf, &task);
	if (result != DOCA_SUCCESS) {
		(void)doca_buf_dec_refcount(buf, NULL);
		return result;
	}
	result = submit(doca_comch_consumer_task_post_recv_as_task(task));
	if (result != DOCA_SUCCESS) {
		(void)doca_buf_dec_refcount(buf, NULL);
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	}
	return result;
}

static void
consumer_state_changed(const union doca_data user_data, struct doca_ctx *ctx,
		enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
	struct data_path *path = user_data.ptr;
	doca_error_t result;

	switch (next_state) {
	case DOCA_CTX_STATE_RUNNING:
		DOCA_LOG_DBG("Consumer runs");
		path->consumer_running = true;
		result = post_receive(path);
		if (result != DOCA_SUCCESS) {
			DOCA_ERROR_PROPAGATE(path->result, result);
			(void)doca_ctx_stop(ctx);
		}
		break;
	case DOCA_CTX_STATE_IDLE:
		DOCA_LOG_DBG("Consumer has stopped");
		if (prev_state == DOCA_CTX_STATE_STARTING)
			DOCA_ERROR_PROPAGATE(path->result, DOCA_ERROR_UNEXPECTED);
		path->consumer_done = true;
		break;
	default:
		break;
	}
}

static doca_error_t
start_consumer(struct data_path *path)
{
	union doca_data data = { .ptr = path };
	struct doca_ctx *ctx;
	doca_error_t result;

	result = init_memory(&path->consumer_memory, path->control->dev, MAX_TEXT_LEN,
			DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_pe_create(&path->consumer_pe);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comch_consumer_create(path->connection, path->consumer_memory.mmap,
			&path->consumer);
	if (result != DOCA_SUCCESS)
		return result;
	ctx = doca_comch_consumer_as_ctx(path->consumer);
	result = doca_pe_connect_ctx(path->consumer_pe, ctx);
	DOCA_ERROR_PROPAGATE(result, doca_ctx_set_state_changed_cb(ctx, consumer_state_changed));
	DOCA_ERROR_PROPAGATE(result, doca_comch_consumer_task_post_recv_set_conf(path->consumer,
			data_received, data_not_received, NUM_TASKS));
	DOCA_ERROR_PROPAGATE(result, doca_ctx_set_user_data(ctx, data));
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_ctx_start(ctx);
	return result == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS :
		result == DOCA_SUCCESS ? DOCA_ERROR_UNEXPECTED : result;
}

/* Buffers first, as the vendor's programs do: a task only names its buffer. */
static void
data_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct data_path *path = ctx_data.ptr;
	const struct doca_buf *buf = doca_comch_producer_task_send_get_buf(task);

	(void)task_data;
	DOCA_LOG_INFO("Sent by the data path");
	(void)doca_buf_dec_refcount((struct doca_buf *)buf, NULL);
	doca_task_free(doca_comch_producer_task_send_as_task(task));
	(void)doca_ctx_stop(doca_comch_producer_as_ctx(path->producer));
}

static void
data_not_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct data_path *path = ctx_data.ptr;
	const struct doca_buf *buf = doca_comch_producer_task_send_get_buf(task);

	(void)task_data;
	DOCA_ERROR_PROPAGATE(path->result,
			doca_task_get_status(doca_comch_producer_task_send_as_task(task)));
	(void)doca_buf_dec_refcount((struct doca_buf *)buf, NULL);
	doca_task_free(doca_comch_producer_task_send_as_task(task));
	(void)doca_ctx_stop(doca_comch_producer_as_ctx(path->producer));
}

static doca_error_t
send_text(struct data_path *path)
{
	struct doca_comch_producer_task_send *task;
	struct doca_buf *buf;
	doca_error_t result;

	result = doca_buf_inventory_buf_get_by_data(path->producer_memory.inventory,
			path->producer_memory.mmap, path->producer_memory.addr,
			strlen(path->text), &buf);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comch_producer_task_send_alloc_init(path->producer, buf, NULL, 0,
			path->remote_consumer_id, &task);
	if (result != DOCA_SUCCESS) {
		(void)doca_buf_dec_refcount(buf, NULL);
		return result;
	}
	result = submit(doca_comch_producer_task_send_as_task(task));
	if (result != DOCA_SUCCESS) {
		(void)doca_buf_dec_refcount(buf, NULL);
		doca_task_free(doca_comch_producer_task_send_as_task(task));
	}
	return result;
}

static void
producer_state_changed(const union doca_data user_data, struct doca_ctx *ctx,
		enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
	struct data_path *path = user_data.ptr;
	doca_error_t result;

	(void)prev_state;
	switch (next_state) {
	case DOCA_CTX_STATE_RUNNING:
		DOCA_LOG_DBG("Producer runs");
		result = send_text(path);
		if (result != DOCA_SUCCESS) {
			DOCA_ERROR_PROPAGATE(path->result, result);
			(void)doca_ctx_stop(ctx);
		}
		break;
	case DOCA_CTX_STATE_IDLE:
		DOCA_LOG_DBG("Producer has stopped");
		path->producer_done = true;
		break;
	default:
		break;
	}
}

static doca_error_t
start_producer(struct data_path *path)
{
	union doca_data data = { .ptr = path };
	struct doca_ctx *ctx;
	doca_error_t result;

	/* as short as the text, and from anywhere */
	result = init_memory(&path->producer_memory, path->control->dev, strlen(path->text),
			DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	if (result != DOCA_SUCCESS)
		return result;
	memcpy(path->producer_memory.addr, path->text, strlen(path->text));
	result = doca_pe_create(&path->producer_pe);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comch_producer_create(path->connection, &path->producer);
	if (result != DOCA_SUCCESS)
		return result;
	ctx = doca_comch_producer_as_ctx(path->producer);
	result = doca_pe_connect_ctx(path->producer_pe, ctx);
	DOCA_ERROR_PROPAGATE(result, doca_ctx_set_state_changed_cb(ctx, producer_state_changed));
	DOCA_ERROR_PROPAGATE(result, doca_comch_producer_task_send_set_conf(path->producer,
			data_sent, data_not_sent, NUM_TASKS));
	DOCA_ERROR_PROPAGATE(result, doca_ctx_set_user_data(ctx, data));
	if (result != DOCA_SUCCESS)
		return result;
	return doca_ctx_start(ctx);
}

static void
progress_all(struct data_path *path)
{
	uint8_t done = doca_pe_progress(path->control->pe);

	if (path->consumer_pe != NULL)
		done |= doca_pe_progress(path->consumer_pe);
	if (path->producer_pe != NULL)
		done |= doca_pe_progress(path->producer_pe);
	if (done == 0)
		short_sleep();
}

static void
stop_and_wait(struct data_path *path, struct doca_ctx *ctx)
{
	enum doca_ctx_states state;

	while (doca_ctx_get_state(ctx, &state) == DOCA_SUCCESS && state != DOCA_CTX_STATE_IDLE) {
		if (state != DOCA_CTX_STATE_STOPPING)
			(void)doca_ctx_stop(ctx);
		progress_all(path);
	}
}

static void
destroy_objects(struct data_path *path)
{
	doca_error_t result = DOCA_SUCCESS, tmp;

	if (path->producer != NULL) {
		stop_and_wait(path, doca_comch_producer_as_ctx(path->producer));
		tmp = doca_comch_producer_destroy(path->producer);
		DOCA_ERROR_PROPAGATE(result, tmp);
	}
	if (path->consumer != NULL) {
		stop_and_wait(path, doca_comch_consumer_as_ctx(path->consumer));
		tmp = doca_comch_consumer_destroy(path->consumer);
		DOCA_ERROR_PROPAGATE(result, tmp);
	}
	if (path->producer_pe != NULL) {
		tmp = doca_pe_destroy(path->producer_pe);
		DOCA_ERROR_PROPAGATE(result, tmp);
	}
	if (path->consumer_pe != NULL) {
		tmp = doca_pe_destroy(path->consumer_pe);
		DOCA_ERROR_PROPAGATE(result, tmp);
	}
	path->producer_pe = NULL;
	path->consumer_pe = NULL;
	tmp = clean_memory(&path->producer_memory);
	DOCA_ERROR_PROPAGATE(result, tmp);
	tmp = clean_memory(&path->consumer_memory);
	DOCA_ERROR_PROPAGATE(result, tmp);
	DOCA_ERROR_PROPAGATE(path->result, result);
}

doca_error_t
data_path_exchange(struct data_path *path)
{
	doca_error_t result;

	/*
	 * Sending waits for a buffer of the other side, and progresses nothing meanwhile: the
	 * own buffer has to be there before.
	 */
	result = start_consumer(path);
	while (result == DOCA_SUCCESS && (path->remote_consumer_id == INVALID_CONSUMER_ID ||
			!path->consumer_running)) {
		progress_all(path);
		result = path->result;
		if (path->connection == NULL)
			DOCA_ERROR_PROPAGATE(result, DOCA_ERROR_CONNECTION_RESET);
	}
	if (result == DOCA_SUCCESS)
		result = start_producer(path);
	while (result == DOCA_SUCCESS && (!path->producer_done || !path->consumer_done)) {
		progress_all(path);
		result = path->result;
		if (path->connection == NULL)
			DOCA_ERROR_PROPAGATE(result, DOCA_ERROR_CONNECTION_RESET);
	}
	destroy_objects(path);
	DOCA_ERROR_PROPAGATE(result, path->result);
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("The data path failed: %s", doca_error_get_descr(result));
	return result;
}
