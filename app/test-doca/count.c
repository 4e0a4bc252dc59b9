/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What devtools/count-instructions.py runs under callgrind to know what the layer costs:
 * the same loops as those of app/test/comch/test_comch_task_count.c, in the words of the
 * vendor's library. No test: the program does nothing else if DOCA_TEST_COUNT is set, to
 * the number of messages.
 */

#include "util_fast.h"

#define COUNT_MAX_BURST 32
#define COUNT_LEN 64
#define COUNT_PAGE 4096

/* Each is called by name in the profile. */
#define COUNT_NOINLINE __attribute__((__noinline__)) /* check-ok: no DPDK here */

/* Keeps the compiler from folding functions that are alike. */
#define COUNT_APART(name) __asm__ volatile("# " #name : : : "memory")

static struct {
	struct fast_pair pair;
	struct fast_mem src, dst;
	struct doca_comch_producer *producer;
	struct doca_comch_consumer *consumer;
	uint32_t consumer_id;
	unsigned int nb_msgs;
	unsigned int done; /* tasks that have ended, messages that have come */
	unsigned int bad;  /* anything but 0: a control message has failed */
} count;

static void
post_cb(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_buf_reset_data_len(doca_comch_consumer_task_post_recv_get_buf(task));
	if (doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)) != DOCA_SUCCESS)
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	count.done++;
}

static void
post_failed_cb(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task)); /* it stops */
}

static void
send_cb(struct doca_comch_producer_task_send *task, union doca_data task_data,
		union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	if (doca_task_submit(doca_comch_producer_task_send_as_task(task)) != DOCA_SUCCESS)
		doca_task_free(doca_comch_producer_task_send_as_task(task)); /* it stops */
	count.done++;
}

static void
ctrl_cb(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_comch_task_send_as_task(task));
	count.done++;
}

static void
ctrl_failed_cb(struct doca_comch_task_send *task, union doca_data task_data,
		union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_comch_task_send_as_task(task));
	count.bad++;
}

static void
recv_cb(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		struct doca_comch_connection *connection)
{
	(void)event;
	(void)bytes;
	(void)connection;
	count.bad |= len != COUNT_LEN;
	count.done++;
}

#define COUNT_OPS(nb) \
static COUNT_NOINLINE void \
count_layer_post_##nb(void) \
{ \
	doca_pe_progress(count.pair.server.pe); \
	COUNT_APART(post_##nb); \
} \
static COUNT_NOINLINE void \
count_layer_send_##nb(void) \
{ \
	doca_pe_progress(count.pair.client.pe); \
	COUNT_APART(send_##nb); \
} \
static COUNT_NOINLINE void \
count_layer_ctrl_send_##nb(void) \
{ \
	static const char msg[COUNT_LEN]; \
	struct doca_comch_task_send *task; \
	unsigned int i; \
\
	for (i = 0; i < nb; i++) { \
		count.bad |= doca_comch_client_task_send_alloc_init(count.pair.client.client, \
				count.pair.client.conn, msg, COUNT_LEN, &task); \
		count.bad |= doca_task_submit(doca_comch_task_send_as_task(task)); \
	} \
	COUNT_APART(ctrl_send_##nb); \
} \
static COUNT_NOINLINE void \
count_layer_ctrl_receive_##nb(void) \
{ \
	doca_pe_progress(count.pair.server.pe); \
	COUNT_APART(ctrl_receive_##nb); \
} \
static COUNT_NOINLINE void \
count_layer_ctrl_sent_##nb(void) \
{ \
	doca_pe_progress(count.pair.client.pe); \
	COUNT_APART(ctrl_sent_##nb); \
} \
static int \
count_run_##nb(void) \
{ \
	unsigned int i; \
\
	for (i = 0; i < count.nb_msgs / nb; i++) { \
		count.done = 0; \
		count_layer_post_##nb(); \
		TEST_TRUE(count.done == nb); \
		count_layer_send_##nb(); \
		TEST_TRUE(count.done == 2 * nb); \
	} \
	return 0; \
} \
static int \
count_run_ctrl_##nb(void) \
{ \
	unsigned int i; \
\
	for (i = 0; i < count.nb_msgs / nb; i++) { \
		count.done = 0; \
		count_layer_ctrl_send_##nb(); \
		count_layer_ctrl_receive_##nb(); \
		TEST_TRUE(count.done == nb); \
		count_layer_ctrl_sent_##nb(); \
		TEST_TRUE(count.done == 2 * nb); \
	} \
	return 0; \
}

COUNT_OPS(1)
COUNT_OPS(32)

static int
count_open(unsigned int nb)
{
	struct test_side *server = &count.pair.server, *client = &count.pair.client;
	unsigned int before = client->consumers;
	struct doca_ctx *ctx;

	TEST_OK(doca_comch_consumer_create(server->conn, count.dst.map, &count.consumer));
	ctx = doca_comch_consumer_as_ctx(count.consumer);
	TEST_OK(doca_comch_consumer_set_imm_data_len(count.consumer, 0));
	TEST_OK(doca_comch_consumer_task_post_recv_set_conf(count.consumer, post_cb,
			post_failed_cb, nb));
	TEST_OK(doca_pe_connect_ctx(server->pe, ctx));
	TEST_RESULT(doca_ctx_start(ctx), DOCA_ERROR_IN_PROGRESS);
	FAST_WAIT(&count.pair, fast_state(ctx) == DOCA_CTX_STATE_RUNNING &&
			client->consumers == before + 1);
	count.consumer_id = client->consumer_id;
	TEST_OK(doca_comch_producer_create(client->conn, &count.producer));
	ctx = doca_comch_producer_as_ctx(count.producer);
	TEST_OK(doca_comch_producer_task_send_set_conf(count.producer, send_cb, send_cb, nb));
	TEST_OK(doca_pe_connect_ctx(client->pe, ctx));
	TEST_OK(doca_ctx_start(ctx));
	return 0;
}

/* Tasks that are submitted again in their callbacks. */
static int
count_fill(unsigned int nb)
{
	struct doca_comch_consumer_task_post_recv *post;
	struct doca_comch_producer_task_send *send;
	struct doca_buf *buf;
	unsigned int i;

	for (i = 0; i < nb; i++) {
		buf = fast_buf(&count.dst, i * COUNT_LEN, COUNT_LEN);
		TEST_OK(doca_comch_consumer_task_post_recv_alloc_init(count.consumer, buf, &post));
		TEST_OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(post)));
	}
	for (i = 0; i < nb; i++) {
		buf = fast_buf_full(&count.src, i * COUNT_LEN, COUNT_LEN);
		TEST_OK(doca_comch_producer_task_send_alloc_init(count.producer, buf, NULL, 0,
				count.consumer_id, &send));
		TEST_OK(doca_task_submit(doca_comch_producer_task_send_as_task(send)));
	}
	return 0;
}

static int
count_close(void)
{
	struct doca_ctx *ctx = doca_comch_producer_as_ctx(count.producer);

	doca_ctx_stop(ctx);
	FAST_WAIT(&count.pair, fast_state(ctx) == DOCA_CTX_STATE_IDLE);
	TEST_OK(doca_comch_producer_destroy(count.producer));
	ctx = doca_comch_consumer_as_ctx(count.consumer);
	doca_ctx_stop(ctx);
	FAST_WAIT(&count.pair, fast_state(ctx) == DOCA_CTX_STATE_IDLE);
	TEST_OK(doca_comch_consumer_destroy(count.consumer));
	return 0;
}

static int
count_queues(unsigned int nb, int (*run)(void))
{
	TEST_CALL(count_open(nb));
	TEST_CALL(count_fill(nb));
	TEST_CALL(run());
	return count_close();
}

/* A pair whose control messages come to the callbacks above. */
static int
count_pair_open(struct fast_pair *pair)
{
	TEST_OK(test_server_make(&pair->server, NULL, "count"));
	TEST_OK(doca_comch_server_event_msg_recv_register(pair->server.server, recv_cb));
	TEST_OK(test_client_make(&pair->client, NULL, "count"));
	TEST_OK(doca_comch_client_task_send_set_conf(pair->client.client, ctrl_cb,
			ctrl_failed_cb, COUNT_MAX_BURST));
	TEST_OK(doca_ctx_start(pair->server.ctx));
	TEST_RESULT(doca_ctx_start(pair->client.ctx), DOCA_ERROR_IN_PROGRESS);
	FAST_WAIT(pair, pair->client.conn != NULL && pair->server.conn != NULL);
	return 0;
}

int
test_count_run(const char *nb_msgs)
{
	count.nb_msgs = (unsigned int)strtoul(nb_msgs, NULL, 10);
	TEST_CALL(count_pair_open(&count.pair));
	/* whole pages, so that no message is copied twice */
	TEST_CALL(fast_mem_open_at(&count.dst, count.pair.server.dev,
			aligned_alloc(COUNT_PAGE, COUNT_PAGE), COUNT_PAGE,
			DOCA_ACCESS_FLAG_PCI_READ_WRITE, COUNT_MAX_BURST + 1));
	TEST_CALL(fast_mem_open_at(&count.src, count.pair.client.dev,
			aligned_alloc(COUNT_PAGE, COUNT_PAGE), COUNT_PAGE,
			DOCA_ACCESS_FLAG_LOCAL_READ_ONLY, COUNT_MAX_BURST + 1));
	TEST_CALL(count_run_ctrl_1());
	TEST_CALL(count_run_ctrl_32());
	TEST_CALL(count_queues(1, count_run_1));
	TEST_CALL(count_queues(COUNT_MAX_BURST, count_run_32));
	TEST_TRUE(count.bad == 0);
	return 0;
}
