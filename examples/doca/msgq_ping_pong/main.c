/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The host's program: sends pings to the offload processor, and checks the pongs. Set-up
 * is in setup.c. Written from the guides.
 */

#include <stdbool.h>
#include <string.h>

#include <doca_log.h>

#include "app.h"

#define DEFAULT_COUNT 10000
#define MAX_COUNT 100000000
#define MAX_SIZE (16 << 20)

/* Idle turns of 10 us after which the processor does not answer. */
#define MAX_IDLE 1000000

DOCA_LOG_REGISTER(PING_PONG);

static void
fail(struct app *app, doca_error_t result)
{
	DOCA_ERROR_PROPAGATE(app->result, result);
}

/* Where the bytes of a ping are; those of its pong are PING_PONG_CREDITS further. */
static uint8_t *
bytes_of(const struct app *app, uint64_t number)
{
	return app->memory + number % PING_PONG_CREDITS * app->size;
}

/* No two pings in a row have the same. */
static void
bytes_fill(const struct app *app, uint64_t number)
{
	uint8_t *bytes = bytes_of(app, number);
	uint32_t i;

	for (i = 0; i < app->size; i++)
		bytes[i] = (uint8_t)((i * 31 + number) * 7);
}

static bool
bytes_same(const struct app *app, uint64_t number)
{
	const uint8_t *there = bytes_of(app, number);

	return app->size == 0 ||
		memcmp(there, there + (size_t)PING_PONG_CREDITS * app->size, app->size) == 0;
}

void
sent(struct doca_comch_producer_task_send *task, union doca_data task_user_data,
		union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	doca_task_free(doca_comch_producer_task_send_as_task(task));
}

void
send_failed(struct doca_comch_producer_task_send *task, union doca_data task_user_data,
		union doca_data ctx_user_data)
{
	struct app *app = ctx_user_data.ptr;

	(void)task_user_data;
	fail(app, doca_task_get_status(doca_comch_producer_task_send_as_task(task)));
	doca_task_free(doca_comch_producer_task_send_as_task(task));
}

void
received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
		union doca_data ctx_user_data)
{
	struct app *app = ctx_user_data.ptr;
	struct ping_pong_msg msg = {0};
	doca_error_t result;

	(void)task_user_data;
	if (doca_comch_consumer_task_post_recv_get_imm_data_len(task) == sizeof(msg))
		memcpy(&msg, doca_comch_consumer_task_post_recv_get_imm_data(task), sizeof(msg));
	if (msg.number != app->pongs || msg.answer != ~app->pongs ||
			!bytes_same(app, app->pongs)) {
		DOCA_LOG_ERR("Pong %lu is wrong", (unsigned long)app->pongs);
		fail(app, DOCA_ERROR_UNEXPECTED);
	}
	app->pongs++;
	result = doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task));
	if (result != DOCA_SUCCESS) {
		fail(app, result);
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	}
}

/* With an error, or as the consumer stops. */
void
receive_ended(struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
		union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static doca_error_t
send_ping(struct app *app)
{
	struct ping_pong_msg msg = {.number = app->pings};
	struct doca_comch_producer_task_send *task;
	doca_error_t result;

	result = doca_comch_producer_task_send_alloc_init(app->producer, NULL, (uint8_t *)&msg,
			sizeof(msg), app->dpa_consumer_id, &task);
	if (result == DOCA_ERROR_NO_MEMORY)
		return DOCA_ERROR_AGAIN;
	if (result != DOCA_SUCCESS)
		return result;
	bytes_fill(app, app->pings);
	result = doca_task_submit(doca_comch_producer_task_send_as_task(task));
	if (result == DOCA_SUCCESS)
		app->pings++;
	else
		doca_task_free(doca_comch_producer_task_send_as_task(task));
	return result;
}

static void
exchange(struct app *app)
{
	unsigned int idle = 0;
	doca_error_t result;

	while (app->pongs < app->count && app->result == DOCA_SUCCESS && idle < MAX_IDLE) {
		result = DOCA_ERROR_AGAIN;
		if (app->pings < app->count && app->pings - app->pongs < PING_PONG_CREDITS)
			result = send_ping(app);
		if (result != DOCA_SUCCESS && result != DOCA_ERROR_AGAIN)
			fail(app, result);
		if (doca_pe_progress(app->pe) != 0 || result == DOCA_SUCCESS) {
			idle = 0;
		} else {
			short_sleep();
			idle++;
		}
	}
	if (idle == MAX_IDLE)
		fail(app, DOCA_ERROR_TIME_OUT);
}

static doca_error_t
on_count(void *value, void *config)
{
	struct app *app = config;
	int count = *(int *)value;

	if (count < 1 || count > MAX_COUNT) {
		DOCA_LOG_ERR("-n is 1 to %d", MAX_COUNT);
		return DOCA_ERROR_INVALID_VALUE;
	}
	app->count = count;
	return DOCA_SUCCESS;
}

static doca_error_t
on_size(void *value, void *config)
{
	struct app *app = config;
	int size = *(int *)value;

	if (size < 0 || size > MAX_SIZE) {
		DOCA_LOG_ERR("-s is 0 to %d", MAX_SIZE);
		return DOCA_ERROR_INVALID_VALUE;
	}
	app->size = size;
	return DOCA_SUCCESS;
}

static doca_error_t
register_flags(void)
{
	doca_error_t result;

	result = register_flag("n", "num-msgs", "Pings", DOCA_ARGP_TYPE_INT, on_count);
	DOCA_ERROR_PROPAGATE(result, register_flag("s", "msg-size",
			"Bytes that are copied for each ping", DOCA_ARGP_TYPE_INT, on_size));
	return result;
}

int
main(int argc, char **argv)
{
	struct app app = {.config = {DEFAULT_ADDRESSES}, .count = DEFAULT_COUNT};
	doca_error_t result;

	result = begin("msgq_ping_pong", &app, register_flags, argc, argv);
	if (result != DOCA_SUCCESS)
		return finish(result);
	app.result = setup(&app);
	if (app.result == DOCA_SUCCESS)
		exchange(&app);
	DOCA_LOG_INFO("%lu pings sent, %lu pongs received", (unsigned long)app.pings,
			(unsigned long)app.pongs);
	teardown(&app);
	return finish(app.result);
}
