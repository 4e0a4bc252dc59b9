/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The two threads: one has a producer, one buffer, and many tasks that send it; the
 * other a consumer and a buffer for each task. Each opens the device again, for its
 * memory, and has its own engine.
 */

#include <time.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_log.h>
#include <doca_mmap.h>

#include "bulk.h"

#define MAX_TASKS 1024
#define ALIGNMENT 64

DOCA_LOG_REGISTER(BULK::DIRECTION);

struct worker {
	struct direction *direction;
	struct doca_dev *dev;
	struct doca_pe *pe;
	char *memory;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_ctx *ctx;
	/* a sender has the first, a receiver the second */
	struct doca_comch_producer *producer;
	struct doca_comch_consumer *consumer;
	uint32_t num_tasks;
	struct doca_task *tasks[MAX_TASKS];
	struct doca_buf *bufs[MAX_TASKS]; /* a sender has one */
	uint32_t msg_size;
	uint32_t to_submit; /* a sender's messages that are not submitted */
	uint32_t left;      /* messages that are not completed */
	bool stopping;      /* what ends now is not counted */
	doca_error_t result;
};

static uint64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / (1000 * 1000);
}

static char
expected_byte(uint32_t msg_size)
{
	return (char)(msg_size * 7 + 1);
}

/* The other side may have no buffer posted: that ends without progress here. */
static doca_error_t
submit(struct worker *worker, struct doca_task *task)
{
	doca_error_t result;

	do {
		result = doca_task_submit(task);
	} while (result == DOCA_ERROR_AGAIN && worker->direction->bulk->connected);
	return result;
}

static doca_error_t
init_memory(struct worker *worker, uint32_t num_bufs, uint32_t permissions)
{
	size_t stride = (worker->msg_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	doca_error_t result;
	uint32_t i;

	worker->memory = aligned_alloc(ALIGNMENT, num_bufs * stride);
	if (worker->memory == NULL)
		return DOCA_ERROR_NO_MEMORY;
	memset(worker->memory, expected_byte(worker->msg_size), num_bufs * stride);
	result = open_device(worker->direction->bulk->config->common.pci_addr, NULL, &worker->dev);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_mmap_create(&worker->mmap);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_mmap_add_dev(worker->mmap, worker->dev);
	DOCA_ERROR_PROPAGATE(result, doca_mmap_set_permissions(worker->mmap, permissions));
	DOCA_ERROR_PROPAGATE(result, doca_mmap_set_memrange(worker->mmap, worker->memory,
			num_bufs * stride));
	DOCA_ERROR_PROPAGATE(result, doca_mmap_start(worker->mmap));
	DOCA_ERROR_PROPAGATE(result, doca_buf_inventory_create(num_bufs, &worker->inventory));
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_buf_inventory_start(worker->inventory);
	for (i = 0; i < num_bufs && result == DOCA_SUCCESS; i++) {
		if (permissions == DOCA_ACCESS_FLAG_PCI_READ_ONLY) /* to be sent */
			result = doca_buf_inventory_buf_get_by_data(worker->inventory,
					worker->mmap, worker->memory + i * stride,
					worker->msg_size, &worker->bufs[i]);
		else
			result = doca_buf_inventory_buf_get_by_addr(worker->inventory,
					worker->mmap, worker->memory + i * stride,
					worker->msg_size, &worker->bufs[i]);
	}
	return result;
}

/* The engine, and the context that was made, until it is running. */
static doca_error_t
start_context(struct worker *worker, doca_error_t expected)
{
	union doca_data data = { .ptr = worker };
	enum doca_ctx_states state;
	doca_error_t result;

	result = doca_pe_create(&worker->pe);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_pe_connect_ctx(worker->pe, worker->ctx);
	DOCA_ERROR_PROPAGATE(result, doca_ctx_set_user_data(worker->ctx, data));
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_ctx_start(worker->ctx);
	if (result != expected) {
		DOCA_LOG_ERR("Failed to start: %s", doca_error_get_descr(result));
		return DOCA_ERROR_UNEXPECTED;
	}
	/* the main thread progresses the connection meanwhile */
	while ((result = doca_ctx_get_state(worker->ctx, &state)) == DOCA_SUCCESS &&
			state != DOCA_CTX_STATE_RUNNING) {
		if (state == DOCA_CTX_STATE_IDLE || !worker->direction->bulk->connected)
			return DOCA_ERROR_UNEXPECTED;
		if (doca_pe_progress(worker->pe) == 0)
			short_sleep();
	}
	return result;
}

/*
 * Tasks are freed as they are, posted or not, and buffers with them, as the vendor's
 * program does. Callbacks that come now do nothing.
 */
static void
clean_worker(struct worker *worker)
{
	enum doca_ctx_states state;
	doca_error_t result = DOCA_SUCCESS, tmp;
	uint32_t i;

	worker->stopping = true;
	for (i = 0; i < MAX_TASKS; i++) {
		if (worker->tasks[i] != NULL)
			doca_task_free(worker->tasks[i]);
		if (worker->bufs[i] != NULL)
			(void)doca_buf_dec_refcount(worker->bufs[i], NULL);
	}
	if (worker->ctx != NULL && worker->pe != NULL) {
		(void)doca_ctx_stop(worker->ctx);
		while (doca_ctx_get_state(worker->ctx, &state) == DOCA_SUCCESS &&
				state != DOCA_CTX_STATE_IDLE)
			if (doca_pe_progress(worker->pe) == 0)
				short_sleep();
	}
	if (worker->producer != NULL) {
		tmp = doca_comch_producer_destroy(worker->producer);
		DOCA_ERROR_PROPAGATE(result, tmp);
	}
	if (worker->consumer != NULL) {
		tmp = doca_comch_consumer_destroy(worker->consumer);
		DOCA_ERROR_PROPAGATE(result, tmp);
	}
	if (worker->pe != NULL) {
		tmp = doca_pe_destroy(worker->pe);
		DOCA_ERROR_PROPAGATE(result, tmp);
	}
	if (worker->inventory != NULL) {
		tmp = doca_buf_inventory_destroy(worker->inventory);
		DOCA_ERROR_PROPAGATE(result, tmp);
	}
	if (worker->mmap != NULL) {
		tmp = doca_mmap_destroy(worker->mmap);
		DOCA_ERROR_PROPAGATE(result, tmp);
	}
	if (worker->dev != NULL) {
		tmp = doca_dev_close(worker->dev);
		DOCA_ERROR_PROPAGATE(result, tmp);
	}
	free(worker->memory);
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("Failed to clean up: %s", doca_error_get_descr(result));
	DOCA_ERROR_PROPAGATE(worker->result, result);
}

static void
run_worker(struct worker *worker)
{
	struct direction *direction = worker->direction;
	uint64_t begin_ms = now_ms();

	while (worker->left > 0 && worker->result == DOCA_SUCCESS && direction->bulk->connected)
		if (doca_pe_progress(worker->pe) == 0)
			short_sleep();
	direction->elapsed_ms = now_ms() - begin_ms;
	if (worker->left > 0)
		DOCA_ERROR_PROPAGATE(worker->result, DOCA_ERROR_CONNECTION_RESET);
}

static void
message_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct worker *worker = ctx_data.ptr;

	(void)task_data;
	if (worker->stopping)
		return;
	worker->left--;
	worker->direction->num_msgs++;
	if (worker->to_submit == 0)
		return;
	worker->to_submit--;
	DOCA_ERROR_PROPAGATE(worker->result,
			submit(worker, doca_comch_producer_task_send_as_task(task)));
}

static void
message_not_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct worker *worker = ctx_data.ptr;

	(void)task_data;
	if (!worker->stopping)
		DOCA_ERROR_PROPAGATE(worker->result, doca_task_get_status(
				doca_comch_producer_task_send_as_task(task)));
}

static doca_error_t
send_all(struct worker *worker)
{
	struct bulk *bulk = worker->direction->bulk;
	struct doca_comch_producer_task_send *task;
	doca_error_t result;
	uint32_t i;

	result = init_memory(worker, 1, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comch_producer_create(bulk->connection, &worker->producer);
	if (result != DOCA_SUCCESS)
		return result;
	worker->ctx = doca_comch_producer_as_ctx(worker->producer);
	result = doca_comch_producer_task_send_set_conf(worker->producer, message_sent,
			message_not_sent, worker->num_tasks);
	DOCA_ERROR_PROPAGATE(result, start_context(worker, DOCA_SUCCESS));
	if (result != DOCA_SUCCESS)
		return result;
	while (bulk->remote_consumer_id == 0 && bulk->connected)
		short_sleep();
	for (i = 0; i < worker->num_tasks && result == DOCA_SUCCESS; i++) {
		result = doca_comch_producer_task_send_alloc_init(worker->producer,
				worker->bufs[0], NULL, 0, bulk->remote_consumer_id, &task);
		if (result != DOCA_SUCCESS)
			break;
		worker->tasks[i] = doca_comch_producer_task_send_as_task(task);
		worker->to_submit--;
		result = submit(worker, worker->tasks[i]);
	}
	if (result == DOCA_SUCCESS)
		run_worker(worker);
	return result;
}

static void
message_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	struct worker *worker = ctx_data.ptr;
	const char *data;
	void *addr = NULL;
	size_t len = 0;

	(void)task_data;
	if (worker->stopping)
		return;
	DOCA_ERROR_PROPAGATE(worker->result, doca_buf_get_data(buf, &addr));
	DOCA_ERROR_PROPAGATE(worker->result, doca_buf_get_data_len(buf, &len));
	if (worker->result != DOCA_SUCCESS)
		return;
	data = addr;
	if (len != worker->msg_size || data[0] != expected_byte(worker->msg_size) ||
			data[len - 1] != data[0]) {
		DOCA_LOG_ERR("A message of %zu bytes is not what was sent", len);
		DOCA_ERROR_PROPAGATE(worker->result, DOCA_ERROR_IO_FAILED);
		return;
	}
	worker->left--;
	worker->direction->num_msgs++;
	memset(addr, 0, len);
	DOCA_ERROR_PROPAGATE(worker->result, doca_buf_reset_data_len(buf));
	DOCA_ERROR_PROPAGATE(worker->result,
			submit(worker, doca_comch_consumer_task_post_recv_as_task(task)));
}

static void
message_not_received(struct doca_comch_consumer_task_post_recv *task,
		union doca_data task_data, union doca_data ctx_data)
{
	struct worker *worker = ctx_data.ptr;

	(void)task_data;
	if (!worker->stopping)
		DOCA_ERROR_PROPAGATE(worker->result, doca_task_get_status(
				doca_comch_consumer_task_post_recv_as_task(task)));
}

static doca_error_t
receive_all(struct worker *worker)
{
	struct doca_comch_consumer_task_post_recv *task;
	doca_error_t result;
	uint32_t i;

	result = init_memory(worker, worker->num_tasks, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comch_consumer_create(worker->direction->bulk->connection, worker->mmap,
			&worker->consumer);
	if (result != DOCA_SUCCESS)
		return result;
	worker->ctx = doca_comch_consumer_as_ctx(worker->consumer);
	result = doca_comch_consumer_task_post_recv_set_conf(worker->consumer, message_received,
			message_not_received, worker->num_tasks);
	DOCA_ERROR_PROPAGATE(result, start_context(worker, DOCA_ERROR_IN_PROGRESS));
	for (i = 0; i < worker->num_tasks && result == DOCA_SUCCESS; i++) {
		result = doca_comch_consumer_task_post_recv_alloc_init(worker->consumer,
				worker->bufs[i], &task);
		if (result != DOCA_SUCCESS)
			break;
		worker->tasks[i] = doca_comch_consumer_task_post_recv_as_task(task);
		result = submit(worker, worker->tasks[i]);
	}
	if (result == DOCA_SUCCESS)
		run_worker(worker);
	return result;
}

static void
run_direction(struct direction *direction, uint32_t msg_size, uint32_t num_msgs,
		doca_error_t (*run)(struct worker *worker), const char *what)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	doca_error_t result;

	if (worker == NULL) {
		direction->result = DOCA_ERROR_NO_MEMORY;
		direction->finished = true;
		return;
	}
	worker->direction = direction;
	worker->msg_size = msg_size;
	worker->num_tasks = num_msgs < MAX_TASKS ? num_msgs : MAX_TASKS;
	worker->to_submit = num_msgs;
	worker->left = num_msgs;
	result = run(worker); /* a callback may have set another */
	DOCA_ERROR_PROPAGATE(worker->result, result);
	clean_worker(worker);
	direction->result = worker->result;
	if (direction->result != DOCA_SUCCESS)
		DOCA_LOG_ERR("Failed to %s: %s", what, doca_error_get_descr(direction->result));
	free(worker);
	direction->finished = true;
}

void *
bulk_send(void *arg)
{
	struct direction *direction = arg;
	const struct bulk_config *config = direction->bulk->config;

	run_direction(direction, config->msg_size, config->num_msgs, send_all, "send");
	return NULL;
}

void *
bulk_receive(void *arg)
{
	struct direction *direction = arg;
	const struct bulk_start *remote = &direction->bulk->remote;

	run_direction(direction, remote->msg_size, remote->num_msgs, receive_all, "receive");
	return NULL;
}
