/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Memory, producers and consumers, for cases of the fast path.
 */

#include <sched.h>

#include "util_fast.h"

void
fast_pair_progress(struct fast_pair *pair)
{
	unsigned int done = doca_pe_progress(pair->server.pe) + doca_pe_progress(pair->client.pe);

	if (done == 0)
		sched_yield();
}

int
fast_pair_open(struct fast_pair *pair)
{
	TEST_OK(test_server_make(&pair->server, NULL, "fast"));
	TEST_OK(test_client_make(&pair->client, NULL, "fast"));
	TEST_OK(doca_ctx_start(pair->server.ctx));
	TEST_RESULT(doca_ctx_start(pair->client.ctx), DOCA_ERROR_IN_PROGRESS);
	FAST_WAIT(pair, pair->client.conn != NULL && pair->server.conn != NULL);
	return 0;
}

int
fast_pair_close(struct fast_pair *pair)
{
	TEST_OK(test_side_end(&pair->client, &pair->server));
	FAST_WAIT_ONE(&pair->server, pair->server.conn == NULL);
	TEST_OK(test_side_end(&pair->server, NULL));
	return 0;
}

int
fast_mem_open(struct fast_mem *mem, struct doca_dev *dev, size_t len, uint32_t access,
		size_t nb_bufs)
{
	return fast_mem_open_at(mem, dev, calloc(1, len), len, access, nb_bufs);
}

int
fast_mem_open_at(struct fast_mem *mem, struct doca_dev *dev, void *bytes, size_t len,
		uint32_t access, size_t nb_bufs)
{
	TEST_TRUE(bytes != NULL);
	mem->bytes = bytes;
	mem->len = len;
	TEST_OK(doca_mmap_create(&mem->map));
	TEST_OK(doca_mmap_add_dev(mem->map, dev));
	TEST_OK(doca_mmap_set_permissions(mem->map, access));
	TEST_OK(doca_mmap_set_memrange(mem->map, mem->bytes, len));
	TEST_OK(doca_mmap_start(mem->map));
	TEST_OK(doca_buf_inventory_create(nb_bufs, &mem->inventory));
	TEST_OK(doca_buf_inventory_start(mem->inventory));
	return 0;
}

int
fast_mem_close(struct fast_mem *mem)
{
	TEST_OK(doca_buf_inventory_stop(mem->inventory));
	TEST_OK(doca_buf_inventory_destroy(mem->inventory));
	TEST_OK(doca_mmap_destroy(mem->map));
	free(mem->bytes);
	return 0;
}

struct doca_buf *
fast_buf(struct fast_mem *mem, size_t at, size_t len)
{
	struct doca_buf *buf;

	return doca_buf_inventory_buf_get_by_addr(mem->inventory, mem->map, mem->bytes + at, len,
			&buf) == DOCA_SUCCESS ? buf : NULL;
}

struct doca_buf *
fast_buf_full(struct fast_mem *mem, size_t at, size_t len)
{
	struct doca_buf *buf;

	return doca_buf_inventory_buf_get_by_data(mem->inventory, mem->map, mem->bytes + at, len,
			&buf) == DOCA_SUCCESS ? buf : NULL;
}

size_t
fast_buf_data_len(const struct doca_buf *buf)
{
	size_t len = SIZE_MAX;

	doca_buf_get_data_len(buf, &len);
	return len;
}

enum doca_ctx_states
fast_state(const struct doca_ctx *ctx)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

	doca_ctx_get_state(ctx, &state);
	return state;
}

static void
send_end(struct doca_comch_producer_task_send *task, struct fast_queue *queue)
{
	queue->status = doca_task_get_status(doca_comch_producer_task_send_as_task(task));
	if (queue->on_sent != NULL)
		queue->on_sent(queue, task);
	else
		doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static void
send_ok_cb(struct doca_comch_producer_task_send *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct fast_queue *queue = ctx_data.ptr;

	(void)task_data;
	queue->nb_ok++;
	send_end(task, queue);
}

static void
send_failed_cb(struct doca_comch_producer_task_send *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct fast_queue *queue = ctx_data.ptr;

	(void)task_data;
	queue->nb_failed++;
	send_end(task, queue);
}

static void
recv_end(struct doca_comch_consumer_task_post_recv *task, struct fast_queue *queue)
{
	queue->status = doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task));
	if (queue->on_received != NULL)
		queue->on_received(queue, task);
	else
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void
recv_ok_cb(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct fast_queue *queue = ctx_data.ptr;

	(void)task_data;
	queue->nb_ok++;
	recv_end(task, queue);
}

static void
recv_failed_cb(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct fast_queue *queue = ctx_data.ptr;

	(void)task_data;
	queue->nb_failed++;
	recv_end(task, queue);
}

static void
state_cb(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
		enum doca_ctx_states next)
{
	struct fast_queue *queue = user_data.ptr;

	(void)ctx;
	(void)prev;
	if (queue->nb_states < sizeof(queue->states) / sizeof(queue->states[0]))
		queue->states[queue->nb_states] = next;
	queue->nb_states++;
	if (queue->on_state != NULL)
		queue->on_state(queue, next);
}

static int
queue_attach(struct fast_queue *queue, struct doca_pe *pe)
{
	union doca_data data = { .ptr = queue };

	queue->pe = pe;
	TEST_OK(doca_pe_connect_ctx(pe, queue->ctx));
	TEST_OK(doca_ctx_set_state_changed_cb(queue->ctx, state_cb));
	TEST_OK(doca_ctx_set_user_data(queue->ctx, data));
	return 0;
}

int
fast_producer_create(struct fast_queue *queue, struct doca_comch_connection *connection,
		struct doca_pe *pe, uint32_t nb_tasks)
{
	TEST_OK(doca_comch_producer_create(connection, &queue->producer));
	queue->ctx = doca_comch_producer_as_ctx(queue->producer);
	TEST_OK(doca_comch_producer_get_id(queue->producer, &queue->id));
	TEST_OK(doca_comch_producer_task_send_set_conf(queue->producer, send_ok_cb,
			send_failed_cb, nb_tasks));
	return queue_attach(queue, pe);
}

int
fast_consumer_create(struct fast_queue *queue, struct doca_comch_connection *connection,
		struct doca_pe *pe, struct doca_mmap *map, uint32_t nb_tasks)
{
	TEST_OK(doca_comch_consumer_create(connection, map, &queue->consumer));
	queue->ctx = doca_comch_consumer_as_ctx(queue->consumer);
	TEST_OK(doca_comch_consumer_get_id(queue->consumer, &queue->id));
	TEST_OK(doca_comch_consumer_task_post_recv_set_conf(queue->consumer, recv_ok_cb,
			recv_failed_cb, nb_tasks));
	return queue_attach(queue, pe);
}

int
fast_producer_run(struct fast_queue *queue, struct doca_comch_connection *connection,
		struct doca_pe *pe, uint32_t nb_tasks)
{
	TEST_CALL(fast_producer_create(queue, connection, pe, nb_tasks));
	TEST_OK(doca_ctx_start(queue->ctx));
	return 0;
}

int
fast_consumer_run(struct fast_queue *queue, struct fast_pair *pair, struct test_side *side,
		struct doca_mmap *map, uint32_t nb_tasks)
{
	struct test_side *peer = side == &pair->server ? &pair->client : &pair->server;
	unsigned int before = peer->consumers;

	TEST_CALL(fast_consumer_create(queue, side->conn, side->pe, map, nb_tasks));
	TEST_RESULT(doca_ctx_start(queue->ctx), DOCA_ERROR_IN_PROGRESS);
	FAST_WAIT(pair, fast_state(queue->ctx) == DOCA_CTX_STATE_RUNNING &&
			peer->consumers == before + 1);
	TEST_TRUE(peer->consumer_id == queue->id);
	return 0;
}

int
fast_queue_close(struct fast_queue *queue, struct fast_pair *pair)
{
	if (fast_state(queue->ctx) != DOCA_CTX_STATE_IDLE)
		doca_ctx_stop(queue->ctx);
	FAST_WAIT(pair, fast_state(queue->ctx) == DOCA_CTX_STATE_IDLE);
	if (queue->producer != NULL)
		TEST_OK(doca_comch_producer_destroy(queue->producer));
	else
		TEST_OK(doca_comch_consumer_destroy(queue->consumer));
	return 0;
}

doca_error_t
fast_send(struct fast_queue *queue, uint32_t consumer_id, struct doca_buf *buf, const void *imm,
		uint32_t imm_len)
{
	struct doca_comch_producer_task_send *task;
	doca_error_t result;

	result = doca_comch_producer_task_send_alloc_init(queue->producer, buf,
			(uint8_t *)(uintptr_t)imm, imm_len, consumer_id, &task);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_task_submit(doca_comch_producer_task_send_as_task(task));
	if (result != DOCA_SUCCESS)
		doca_task_free(doca_comch_producer_task_send_as_task(task));
	return result;
}

doca_error_t
fast_post(struct fast_queue *queue, struct doca_buf *buf)
{
	struct doca_comch_consumer_task_post_recv *task;
	doca_error_t result;

	result = doca_comch_consumer_task_post_recv_alloc_init(queue->consumer, buf, &task);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task));
	if (result != DOCA_SUCCESS)
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	return result;
}

int
fast_set_open(struct fast_set *set, uint32_t nb_tasks, size_t len)
{
	memset(set, 0, sizeof(*set));
	TEST_CALL(fast_pair_open(&set->pair));
	TEST_CALL(fast_mem_open(&set->src, set->pair.client.dev, len,
			DOCA_ACCESS_FLAG_PCI_READ_ONLY, 2 * nb_tasks));
	TEST_CALL(fast_mem_open(&set->dst, set->pair.server.dev, len,
			DOCA_ACCESS_FLAG_PCI_READ_WRITE, 2 * nb_tasks));
	TEST_CALL(fast_consumer_run(&set->consumer, &set->pair, &set->pair.server, set->dst.map,
			nb_tasks));
	return fast_producer_run(&set->producer, set->pair.client.conn, set->pair.client.pe,
			nb_tasks);
}

int
fast_set_close(struct fast_set *set)
{
	TEST_CALL(fast_queue_close(&set->producer, &set->pair));
	TEST_CALL(fast_queue_close(&set->consumer, &set->pair));
	TEST_CALL(fast_mem_close(&set->src));
	TEST_CALL(fast_mem_close(&set->dst));
	return fast_pair_close(&set->pair);
}
