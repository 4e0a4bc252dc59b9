/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Set-up and teardown: the offload processor with its program, the message queues, both
 * their ends, and the memory of copies. No message is sent in here.
 */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_log.h>

#include "app.h"

DOCA_LOG_REGISTER(PING_PONG::SETUP);

/* Turns of 10 us until a context that stops is IDLE. */
#define MAX_TURNS 1000000

/* As comch-dpacc makes them of device/ping_pong_dev.c. */
extern struct doca_dpa_app *ping_pong_app;
extern doca_dpa_func_t ping_pong_begin;
extern doca_dpa_func_t ping_pong_thread;

#define TRY(expr) do { \
	doca_error_t try_result = (expr); \
	if (try_result != DOCA_SUCCESS) { \
		DOCA_LOG_ERR("%s: %s", #expr, doca_error_get_descr(try_result)); \
		return try_result; \
	} \
} while (0)

static doca_error_t
dpa_open(struct app *app)
{
	TRY(open_device(app->config.pci_addr, doca_dpa_cap_is_supported, &app->dev));
	TRY(doca_dpa_create(app->dev, &app->dpa));
	TRY(doca_dpa_set_app(app->dpa, ping_pong_app));
	TRY(doca_dpa_start(app->dpa));
	TRY(doca_dpa_mem_alloc(app->dpa, sizeof(struct ping_pong_block), &app->block));
	TRY(doca_dpa_thread_create(app->dpa, &app->thread));
	TRY(doca_dpa_thread_set_func_arg(app->thread, ping_pong_thread, app->block));
	TRY(doca_dpa_thread_start(app->thread));
	return DOCA_SUCCESS;
}

/* What goes with pings and pongs: the processor reads and writes whole pages. */
static doca_error_t
memory_open(struct app *app, struct ping_pong_block *block)
{
	const size_t page = sysconf(_SC_PAGESIZE), half = (size_t)PING_PONG_CREDITS * app->size;
	const size_t size = (2 * half + page - 1) / page * page;

	if (app->size == 0)
		return DOCA_SUCCESS;
	app->memory = aligned_alloc(page, size);
	if (app->memory == NULL)
		return DOCA_ERROR_NO_MEMORY;
	memset(app->memory, 0, size);
	TRY(doca_mmap_create(&app->mmap));
	TRY(doca_mmap_add_dev(app->mmap, app->dev));
	TRY(doca_mmap_set_memrange(app->mmap, app->memory, size));
	TRY(doca_mmap_set_permissions(app->mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
	TRY(doca_mmap_start(app->mmap));
	TRY(doca_mmap_dev_get_dpa_handle(app->mmap, app->dev, &block->mmap));
	block->size = app->size;
	block->there = (uintptr_t)app->memory;
	block->back = (uintptr_t)app->memory + half;
	return DOCA_SUCCESS;
}

/* One for each direction. */
static doca_error_t
msgqs_open(struct app *app)
{
	TRY(doca_comch_msgq_create(app->dev, &app->to_dpa));
	TRY(doca_comch_msgq_set_dpa_consumer(app->to_dpa, app->dpa));
	TRY(doca_comch_msgq_set_max_num_consumers(app->to_dpa, 1));
	TRY(doca_comch_msgq_set_max_num_producers(app->to_dpa, 1));
	TRY(doca_comch_msgq_start(app->to_dpa));
	TRY(doca_comch_msgq_create(app->dev, &app->from_dpa));
	TRY(doca_comch_msgq_set_dpa_producer(app->from_dpa, app->dpa));
	TRY(doca_comch_msgq_set_max_num_consumers(app->from_dpa, 1));
	TRY(doca_comch_msgq_set_max_num_producers(app->from_dpa, 1));
	TRY(doca_comch_msgq_start(app->from_dpa));
	return DOCA_SUCCESS;
}

/* The processor's end: a consumer of pings, and a producer of pongs. */
static doca_error_t
dpa_end_open(struct app *app)
{
	struct doca_ctx *ctx;

	TRY(doca_comch_consumer_completion_create(&app->consumer_completion));
	TRY(doca_comch_consumer_completion_set_max_num_recv(app->consumer_completion,
			PING_PONG_CREDITS));
	TRY(doca_comch_consumer_completion_set_imm_data_len(app->consumer_completion,
			sizeof(struct ping_pong_msg)));
	TRY(doca_comch_consumer_completion_set_dpa_thread(app->consumer_completion, app->thread));
	TRY(doca_comch_consumer_completion_start(app->consumer_completion));
	TRY(doca_comch_msgq_consumer_create(app->to_dpa, &app->dpa_consumer));
	ctx = doca_comch_consumer_as_ctx(app->dpa_consumer);
	TRY(doca_ctx_set_datapath_on_dpa(ctx, app->dpa));
	TRY(doca_comch_consumer_set_completion(app->dpa_consumer, app->consumer_completion, 0));
	TRY(doca_comch_consumer_set_imm_data_len(app->dpa_consumer, sizeof(struct ping_pong_msg)));
	TRY(doca_comch_consumer_set_dev_max_num_recv(app->dpa_consumer, PING_PONG_CREDITS));
	TRY(doca_ctx_start(ctx));
	TRY(doca_comch_consumer_get_id(app->dpa_consumer, &app->dpa_consumer_id));
	TRY(doca_comch_msgq_producer_create(app->from_dpa, &app->dpa_producer));
	ctx = doca_comch_producer_as_ctx(app->dpa_producer);
	TRY(doca_ctx_set_datapath_on_dpa(ctx, app->dpa));
	TRY(doca_comch_producer_set_dev_max_num_send(app->dpa_producer, PING_PONG_CREDITS));
	TRY(doca_ctx_start(ctx));
	return DOCA_SUCCESS;
}

static doca_error_t
receives_post(struct app *app)
{
	struct doca_comch_consumer_task_post_recv *task;
	unsigned int i;

	for (i = 0; i < PING_PONG_CREDITS; i++) {
		TRY(doca_comch_consumer_task_post_recv_alloc_init(app->consumer, NULL, &task));
		TRY(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	}
	return DOCA_SUCCESS;
}

/* The host's end: a consumer of pongs, and a producer of pings. */
static doca_error_t
host_end_open(struct app *app)
{
	const union doca_data user_data = {.ptr = app};
	struct doca_ctx *ctx;

	TRY(doca_pe_create(&app->pe));
	TRY(doca_comch_msgq_consumer_create(app->from_dpa, &app->consumer));
	ctx = doca_comch_consumer_as_ctx(app->consumer);
	TRY(doca_pe_connect_ctx(app->pe, ctx));
	TRY(doca_comch_consumer_task_post_recv_set_conf(app->consumer, received, receive_ended,
			PING_PONG_CREDITS));
	TRY(doca_comch_consumer_set_imm_data_len(app->consumer, sizeof(struct ping_pong_msg)));
	TRY(doca_ctx_set_user_data(ctx, user_data));
	TRY(doca_ctx_start(ctx));
	TRY(receives_post(app));
	TRY(doca_comch_msgq_producer_create(app->to_dpa, &app->producer));
	ctx = doca_comch_producer_as_ctx(app->producer);
	TRY(doca_pe_connect_ctx(app->pe, ctx));
	TRY(doca_comch_producer_task_send_set_conf(app->producer, sent, send_failed,
			PING_PONG_CREDITS));
	TRY(doca_ctx_set_user_data(ctx, user_data));
	TRY(doca_ctx_start(ctx));
	return DOCA_SUCCESS;
}

/* Tell the program what it has, and let it begin. */
static doca_error_t
program_begin(struct app *app)
{
	struct ping_pong_block block = {0};
	uint64_t returned;

	TRY(doca_comch_consumer_get_dpa_handle(app->dpa_consumer, &block.consumer));
	TRY(doca_comch_consumer_completion_get_dpa_handle(app->consumer_completion,
			&block.consumer_completion));
	TRY(doca_comch_producer_get_dpa_handle(app->dpa_producer, &block.producer));
	TRY(doca_comch_consumer_get_id(app->consumer, &block.consumer_id));
	TRY(memory_open(app, &block));
	TRY(doca_dpa_h2d_memcpy(app->dpa, app->block, &block, sizeof(block)));
	TRY(doca_dpa_rpc(app->dpa, ping_pong_begin, &returned, block.consumer));
	TRY(doca_dpa_thread_run(app->thread));
	return DOCA_SUCCESS;
}

doca_error_t
setup(struct app *app)
{
	TRY(dpa_open(app));
	TRY(msgqs_open(app));
	TRY(dpa_end_open(app));
	TRY(host_end_open(app));
	return program_begin(app);
}

/* What does not end, which is the first thing that failed unless something did before. */
static void
ended(struct app *app, const char *what, doca_error_t result)
{
	if (result == DOCA_SUCCESS)
		return;
	DOCA_LOG_ERR("%s does not end: %s", what, doca_error_get_descr(result));
	DOCA_ERROR_PROPAGATE(app->result, result);
}

static void
ctx_stop(struct app *app, struct doca_ctx *ctx)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;
	unsigned int i;

	(void)doca_ctx_stop(ctx);
	for (i = 0; i < MAX_TURNS; i++) {
		if (doca_ctx_get_state(ctx, &state) != DOCA_SUCCESS ||
				state == DOCA_CTX_STATE_IDLE)
			return;
		if (app->pe == NULL || doca_pe_progress(app->pe) == 0)
			short_sleep();
	}
}

static void
consumer_close(struct app *app, struct doca_comch_consumer *consumer)
{
	if (consumer == NULL)
		return;
	ctx_stop(app, doca_comch_consumer_as_ctx(consumer));
	ended(app, "A consumer", doca_comch_consumer_destroy(consumer));
}

static void
producer_close(struct app *app, struct doca_comch_producer *producer)
{
	if (producer == NULL)
		return;
	ctx_stop(app, doca_comch_producer_as_ctx(producer));
	ended(app, "A producer", doca_comch_producer_destroy(producer));
}

static void
msgq_close(struct app *app, struct doca_comch_msgq *msgq)
{
	if (msgq == NULL)
		return;
	(void)doca_comch_msgq_stop(msgq);
	ended(app, "A message queue", doca_comch_msgq_destroy(msgq));
}

static void
dpa_close(struct app *app)
{
	if (app->thread != NULL) {
		(void)doca_dpa_thread_stop(app->thread);
		ended(app, "The thread", doca_dpa_thread_destroy(app->thread));
	}
	if (app->mmap != NULL)
		ended(app, "The map", doca_mmap_destroy(app->mmap));
	free(app->memory);
	if (app->block != 0)
		ended(app, "Its memory", doca_dpa_mem_free(app->dpa, app->block));
	if (app->dpa != NULL) {
		(void)doca_dpa_stop(app->dpa);
		ended(app, "The processor", doca_dpa_destroy(app->dpa));
	}
	if (app->dev != NULL)
		ended(app, "The device", doca_dev_close(app->dev));
}

void
teardown(struct app *app)
{
	producer_close(app, app->producer);
	consumer_close(app, app->consumer);
	producer_close(app, app->dpa_producer);
	consumer_close(app, app->dpa_consumer);
	if (app->consumer_completion != NULL) {
		(void)doca_comch_consumer_completion_stop(app->consumer_completion);
		ended(app, "A completion context",
				doca_comch_consumer_completion_destroy(app->consumer_completion));
	}
	msgq_close(app, app->to_dpa);
	msgq_close(app, app->from_dpa);
	dpa_close(app);
	if (app->pe != NULL)
		ended(app, "The progress engine", doca_pe_destroy(app->pe));
}
