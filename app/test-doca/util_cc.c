/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the tests of both years of CC share. No cases.
 */

#include <unistd.h>

#include <doca_buf_inventory.h>
#include <doca_dev.h>
#include <doca_mmap.h>

#include "test_comch.h"
#include "util_cc.h"

/* Turns of an engine, with a pause after each: ten seconds and more. */
#define MANY_TURNS 200000
#define PAUSE_US 50

int
cc_open(struct cc_side *side, bool rep)
{
	TEST_OK(doca_pe_create(&side->pe));
	TEST_OK(test_dev_open(TEST_DEV, &side->dev));
	if (rep)
		TEST_OK(test_rep_open(side->dev, TEST_REP, &side->rep));
	return 0;
}

int
cc_close(struct cc_side *side)
{
	if (side->buf != NULL)
		TEST_OK(doca_buf_dec_refcount(side->buf, NULL));
	if (side->inventory != NULL)
		TEST_OK(doca_buf_inventory_destroy(side->inventory));
	if (side->map != NULL)
		TEST_OK(doca_mmap_destroy(side->map));
	TEST_OK(doca_pe_destroy(side->pe));
	if (side->rep != NULL)
		TEST_OK(doca_dev_rep_close(side->rep));
	TEST_OK(doca_dev_close(side->dev));
	return 0;
}

int
cc_memory(struct cc_side *side, uint8_t *bytes, bool with_data)
{
	TEST_OK(doca_mmap_create(&side->map));
	TEST_OK(doca_mmap_add_dev(side->map, side->dev));
	TEST_OK(doca_mmap_set_memrange(side->map, bytes, CC_BYTES));
	TEST_OK(doca_mmap_set_permissions(side->map, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	TEST_OK(doca_mmap_start(side->map));
	TEST_OK(doca_buf_inventory_create(1, &side->inventory));
	TEST_OK(doca_buf_inventory_start(side->inventory));
	if (with_data)
		TEST_OK(doca_buf_inventory_buf_get_by_data(side->inventory, side->map, bytes,
				CC_BYTES, &side->buf));
	else
		TEST_OK(doca_buf_inventory_buf_get_by_addr(side->inventory, side->map, bytes,
				CC_BYTES, &side->buf));
	return 0;
}

int
cc_until(struct cc_side *side, const unsigned int *counter, unsigned int least)
{
	unsigned int i;

	for (i = 0; i < MANY_TURNS && *counter < least; i++)
		if (doca_pe_progress(side->pe) == 0)
			usleep(PAUSE_US);
	TEST_TRUE(*counter >= least);
	return 0;
}

int
cc_until_state(struct cc_side *side, struct doca_ctx *ctx, enum doca_ctx_states state)
{
	enum doca_ctx_states now = DOCA_CTX_STATE_IDLE;
	unsigned int i;

	for (i = 0; i < MANY_TURNS; i++) {
		TEST_OK(doca_ctx_get_state(ctx, &now));
		if (now == state)
			break;
		if (doca_pe_progress(side->pe) == 0)
			usleep(PAUSE_US);
	}
	TEST_TRUE(now == state);
	return 0;
}

int
cc_connect_ctx(struct cc_side *side, struct doca_ctx *ctx)
{
	union doca_data data = {.ptr = side};

	TEST_TRUE(ctx != NULL);
	TEST_OK(doca_pe_connect_ctx(side->pe, ctx));
	TEST_OK(doca_ctx_set_user_data(ctx, data));
	return 0;
}

int
cc_submit(struct cc_side *side, struct doca_task *task)
{
	doca_error_t result = DOCA_ERROR_AGAIN;
	unsigned int i;

	for (i = 0; i < MANY_TURNS && result == DOCA_ERROR_AGAIN; i++) {
		result = doca_task_submit(task);
		if (result == DOCA_ERROR_AGAIN && doca_pe_progress(side->pe) == 0)
			usleep(PAUSE_US);
	}
	TEST_OK(result);
	return 0;
}

int
cc_stop(struct cc_side *side, struct doca_ctx *ctx)
{
	doca_error_t result = doca_ctx_stop(ctx);

	TEST_TRUE(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	return cc_until_state(side, ctx, DOCA_CTX_STATE_IDLE);
}

struct cc_side *
cc_side_of(struct doca_cc_connection *connection)
{
	struct doca_cc_server *server = doca_cc_server_get_server_ctx(connection);
	struct doca_ctx *ctx = server != NULL ? doca_cc_server_as_ctx(server) :
			doca_cc_client_as_ctx(doca_cc_client_get_client_ctx(connection));
	union doca_data data = {0};

	doca_ctx_get_user_data(ctx, &data);
	return data.ptr;
}

void
cc_on_consumer(struct doca_cc_event_consumer *event, struct doca_cc_connection *connection,
		uint32_t id)
{
	(void)event;
	cc_side_of(connection)->consumer_id = id;
}

void
cc_on_consumer_gone(struct doca_cc_event_consumer *event, struct doca_cc_connection *connection,
		uint32_t id)
{
	struct cc_side *side = cc_side_of(connection);

	(void)event;
	side->consumers_gone += id == side->consumer_id;
}

int
cc_wait_text(struct cc_side *side, const char *text)
{
	unsigned int i;

	for (i = 0; i < MANY_TURNS && side->text_len == 0; i++)
		if (doca_pe_progress(side->pe) == 0)
			usleep(PAUSE_US);
	TEST_TRUE(side->text_len == strlen(text));
	TEST_TRUE(memcmp(side->text, text, strlen(text)) == 0);
	return 0;
}

int
cc_check_counters(struct cc_side *side, uint64_t sent, uint64_t received)
{
	uint64_t value;

	TEST_OK(doca_cc_connection_update_info(side->connection));
	TEST_OK(doca_cc_connection_get_counter(side->connection, DOCA_CC_COUNTER_SENT_MESSAGES,
			&value));
	TEST_TRUE(value == 1);
	TEST_OK(doca_cc_connection_get_counter(side->connection, DOCA_CC_COUNTER_SENT_BYTES,
			&value));
	TEST_TRUE(value == sent);
	TEST_OK(doca_cc_connection_get_counter(side->connection, DOCA_CC_COUNTER_RECV_MESSAGES,
			&value));
	TEST_TRUE(value == 1);
	TEST_OK(doca_cc_connection_get_counter(side->connection, DOCA_CC_COUNTER_RECV_BYTES,
			&value));
	TEST_TRUE(value == received);
	return 0;
}

/*
 * An exchange of two processes.
 */

void
cc_on_sent(struct doca_comch_task_send *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct doca_task *plain = doca_cc_task_send_as_task(task);
	struct cc_side *side = ctx_data.ptr;

	if (task_data.u64 == 7 && doca_task_get_status(plain) == DOCA_SUCCESS)
		side->sent++;
	doca_task_free(plain);
}

/* A task of any kind has failed. */
static void
on_failed(struct doca_task *task, union doca_data ctx_data)
{
	struct cc_side *side = ctx_data.ptr;

	side->failed++;
	doca_task_free(task);
}

void
cc_on_not_sent(struct doca_comch_task_send *task, union doca_data task_data,
		union doca_data ctx_data)
{
	(void)task_data;
	on_failed(doca_cc_task_send_as_task(task), ctx_data);
}

void
cc_on_not_produced(struct doca_comch_producer_task_send *task, union doca_data task_data,
		union doca_data ctx_data)
{
	(void)task_data;
	on_failed(doca_cc_producer_task_send_as_task(task), ctx_data);
}

void
cc_on_not_consumed(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		union doca_data ctx_data)
{
	(void)task_data;
	on_failed(doca_cc_consumer_task_post_recv_as_task(task), ctx_data);
}

static int
run_server(struct cc_side *side, const struct cc_year *year)
{
	TEST_CALL(cc_open(side, true));
	TEST_CALL(year->start_server(side));
	TEST_CALL(cc_until(side, &side->connects, 1));
	TEST_CALL(cc_wait_text(side, "from the client"));
	TEST_CALL(year->send_text(side, "from the server!"));
	TEST_CALL(cc_check_counters(side, 16, 15));
	TEST_CALL(year->produce(side));
	TEST_CALL(cc_until(side, &side->disconnects, 1));
	TEST_TRUE(side->consumers_gone == 1 && side->failed == 0);
	TEST_CALL(cc_stop(side, doca_cc_server_as_ctx(side->server)));
	TEST_OK(doca_cc_server_destroy(side->server));
	return cc_close(side);
}

static int
run_client(struct test_other *other, void *arg)
{
	struct cc_side one = {.other = other}, *side = &one;
	const struct cc_year *year = arg;

	TEST_CALL(cc_open(side, false));
	TEST_CALL(year->start_client(side));
	TEST_CALL(year->send_text(side, "from the client"));
	TEST_CALL(cc_wait_text(side, "from the server!"));
	TEST_CALL(cc_check_counters(side, 15, 16));
	TEST_CALL(year->consume(side));
	TEST_TRUE(side->failed == 0);
	TEST_CALL(cc_stop(side, doca_cc_client_as_ctx(side->client)));
	TEST_OK(doca_cc_client_destroy(side->client));
	return cc_close(side);
}

int
cc_exchange(const struct cc_year *year)
{
	struct test_other other;
	struct cc_side side = {.other = &other};

	TEST_CALL(test_other_start(&other, run_client, (void *)(uintptr_t)year));
	TEST_CALL(run_server(&side, year));
	return test_other_end(&other);
}
