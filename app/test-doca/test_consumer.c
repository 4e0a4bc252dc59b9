/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * doca_comch_consumer.h: each function, and each error that a program can meet.
 */

#include "util_fast.h"

#define LEN 64

static struct fast_set set;
static struct fast_pair *const pair = &set.pair;

/* With memory of the client's that the server may write to. */
static int
mem_open(void)
{
	TEST_CALL(fast_pair_open(pair));
	return fast_mem_open(&set.dst, pair->client.dev, LEN, DOCA_ACCESS_FLAG_PCI_READ_WRITE, 1);
}

static int
mem_close(void)
{
	TEST_CALL(fast_mem_close(&set.dst));
	return fast_pair_close(pair);
}

/* It is set, and never called. */
#define on_receive ((doca_comch_consumer_task_post_recv_completion_cb_t)abort)

static int
test_consumer_caps(void)
{
	struct doca_dev *dev;
	uint32_t value;

	TEST_OK(test_dev_open(TEST_DEV, &dev));
	TEST_RESULT(doca_comch_consumer_cap_is_supported(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_comch_consumer_cap_is_supported(doca_dev_as_devinfo(dev)));
	TEST_OK(doca_comch_consumer_cap_get_max_buf_list_len(doca_dev_as_devinfo(dev), &value));
	TEST_TRUE(value == 1);
	TEST_OK(doca_dev_close(dev));
	TEST_CALL(test_cap(doca_comch_consumer_cap_get_max_num_tasks, 1024));
	TEST_CALL(test_cap(doca_comch_consumer_cap_get_max_buf_size, 1u << 30));
	TEST_CALL(test_cap(doca_comch_consumer_cap_get_max_buf_list_len, 1));
	TEST_CALL(test_cap(doca_comch_consumer_cap_get_max_consumers, 1));
	TEST_CALL(test_cap(doca_comch_consumer_cap_get_max_imm_data_len, 32));
	return 0;
}

static int
test_consumer_create(void)
{
	struct doca_comch_consumer *first, *second, *consumer = NULL;
	struct doca_comch_connection *conn;
	uint32_t first_id, second_id;
	struct doca_mmap *map;

	conn = pair->client.conn;
	map = set.dst.map;
	TEST_NULL_3(doca_comch_consumer_create, conn, map, &consumer);
	TEST_OK(doca_comch_consumer_create(conn, map, &first));
	TEST_OK(doca_comch_consumer_create(conn, map, &second));
	TEST_NULL_2(doca_comch_consumer_get_id, first, &first_id);
	TEST_OK(doca_comch_consumer_get_id(first, &first_id));
	TEST_OK(doca_comch_consumer_get_id(second, &second_id));
	TEST_TRUE(first_id == 1 && second_id > first_id);
	TEST_TRUE(doca_comch_consumer_as_ctx(NULL) == NULL);
	TEST_TRUE(doca_comch_consumer_as_ctx(first) != NULL);

	/* a connection with consumers stays */
	TEST_CALL(test_listen());
	TEST_RESULT(doca_ctx_stop(pair->client.ctx), DOCA_ERROR_IN_USE);
	TEST_HAS(test_heard(), "has 2 consumers and 0 producers on connection 1, destroy them");
	TEST_RESULT(doca_comch_consumer_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_comch_consumer_destroy(first));
	TEST_OK(doca_comch_consumer_destroy(second));

	TEST_TRUE(doca_ctx_stop(pair->client.ctx) != DOCA_ERROR_IN_USE);
	FAST_WAIT(pair, fast_state(pair->client.ctx) == DOCA_CTX_STATE_IDLE);
	TEST_RESULT(doca_comch_consumer_create(conn, map, &consumer), DOCA_ERROR_BAD_STATE);
	TEST_TRUE(consumer == NULL);
	return 0;
}

static int
test_consumer_create_too_many(void)
{
	struct doca_comch_consumer **consumers, *one_more;
	uint32_t max, i;

	TEST_OK(doca_comch_consumer_cap_get_max_consumers(doca_dev_as_devinfo(pair->client.dev),
			&max));
	consumers = calloc(max, sizeof(*consumers));
	TEST_TRUE(consumers != NULL);
	for (i = 0; i < max; i++)
		TEST_OK(doca_comch_consumer_create(pair->client.conn, set.dst.map,
				&consumers[i]));
	TEST_RESULT(doca_comch_consumer_create(pair->client.conn, set.dst.map, &one_more),
			DOCA_ERROR_NO_MEMORY);
	for (i = 0; i < max; i++)
		TEST_OK(doca_comch_consumer_destroy(consumers[i]));
	free(consumers);
	return 0;
}

static int
test_consumer_conf(void)
{
	struct doca_comch_consumer *consumer;
	struct doca_devinfo *info;
	uint32_t max, max_imm, imm;
	struct doca_ctx *ctx;

	info = doca_dev_as_devinfo(pair->client.dev);
	TEST_OK(doca_comch_consumer_cap_get_max_num_tasks(info, &max));
	TEST_OK(doca_comch_consumer_cap_get_max_imm_data_len(info, &max_imm));
	TEST_OK(doca_comch_consumer_create(pair->client.conn, set.dst.map, &consumer));
	ctx = doca_comch_consumer_as_ctx(consumer);
	TEST_RESULT(doca_comch_consumer_task_post_recv_set_conf(NULL, on_receive, on_receive, 1),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_consumer_task_post_recv_set_conf(consumer, NULL, on_receive, 1),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_consumer_task_post_recv_set_conf(consumer, on_receive, NULL, 1),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_consumer_task_post_recv_set_conf(consumer, on_receive, on_receive,
			0), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_consumer_task_post_recv_set_conf(consumer, on_receive, on_receive,
			max + 1), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_consumer_set_imm_data_len(NULL, 1), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_consumer_set_imm_data_len(consumer, max_imm + 1),
			DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_2(doca_comch_consumer_get_imm_data_len, consumer, &imm);
	TEST_OK(doca_comch_consumer_get_imm_data_len(consumer, &imm));
	TEST_TRUE(imm == max_imm);
	TEST_OK(doca_comch_consumer_set_imm_data_len(consumer, 16));
	TEST_OK(doca_comch_consumer_get_imm_data_len(consumer, &imm));
	TEST_TRUE(imm == 16);

	/* neither an engine nor tasks */
	TEST_RESULT(doca_ctx_start(ctx), DOCA_ERROR_NOT_CONNECTED);
	TEST_OK(doca_pe_connect_ctx(pair->client.pe, ctx));
	TEST_RESULT(doca_ctx_start(ctx), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_comch_consumer_task_post_recv_set_conf(consumer, on_receive, on_receive,
			max));
	TEST_RESULT(doca_ctx_start(ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_RESULT(doca_comch_consumer_task_post_recv_set_conf(consumer, on_receive, on_receive,
			1), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_consumer_set_imm_data_len(consumer, 1), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_consumer_destroy(consumer), DOCA_ERROR_IN_USE);
	FAST_WAIT(pair, fast_state(ctx) == DOCA_CTX_STATE_RUNNING);
	doca_ctx_stop(ctx);
	FAST_WAIT(pair, fast_state(ctx) == DOCA_CTX_STATE_IDLE);
	TEST_OK(doca_comch_consumer_destroy(consumer));
	return 0;
}

/* The map has to be started, and to be one that the peer may write to. */
static int
test_consumer_map(void)
{
	struct fast_queue *queue = &set.consumer;

	TEST_CALL(test_listen());
	TEST_CALL(fast_pair_open(pair));
	TEST_CALL(fast_mem_open(&set.src, pair->client.dev, LEN, DOCA_ACCESS_FLAG_PCI_READ_ONLY,
			1));
	TEST_CALL(fast_consumer_create(queue, pair->client.conn, pair->client.pe, set.src.map,
			1));
	TEST_RESULT(doca_ctx_start(queue->ctx), DOCA_ERROR_INVALID_VALUE);
	TEST_HAS(test_heard(), "DOCA_ACCESS_FLAG_PCI_READ_WRITE");
	TEST_TRUE(queue->nb_states == 0);
	TEST_CALL(fast_queue_close(queue, pair));
	TEST_CALL(fast_mem_close(&set.src));

	TEST_CALL(fast_mem_open(&set.src, pair->client.dev, LEN, DOCA_ACCESS_FLAG_PCI_READ_WRITE,
			1));
	TEST_OK(doca_mmap_stop(set.src.map));
	memset(queue, 0, sizeof(*queue));
	TEST_CALL(fast_consumer_create(queue, pair->client.conn, pair->client.pe, set.src.map,
			1));
	TEST_RESULT(doca_ctx_start(queue->ctx), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_mmap_start(set.src.map));
	TEST_RESULT(doca_ctx_start(queue->ctx), DOCA_ERROR_IN_PROGRESS);
	FAST_WAIT(pair, fast_state(queue->ctx) == DOCA_CTX_STATE_RUNNING);
	TEST_CALL(fast_queue_close(queue, pair));
	TEST_CALL(fast_mem_close(&set.src));
	return fast_pair_close(pair);
}

static int
test_consumer_alloc(void)
{
	struct doca_comch_consumer_task_post_recv *task, *tasks[2];
	struct fast_queue *queue = &set.consumer;
	struct doca_buf *buf;

	buf = fast_buf(&set.dst, 0, LEN);
	TEST_CALL(fast_consumer_create(queue, pair->client.conn, pair->client.pe, set.dst.map,
			2));
	TEST_RESULT(doca_comch_consumer_task_post_recv_alloc_init(queue->consumer, buf, &task),
			DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_ctx_start(queue->ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_RESULT(doca_comch_consumer_task_post_recv_alloc_init(queue->consumer, buf, &task),
			DOCA_ERROR_BAD_STATE);
	FAST_WAIT(pair, fast_state(queue->ctx) == DOCA_CTX_STATE_RUNNING);
	TEST_RESULT(doca_comch_consumer_task_post_recv_alloc_init(NULL, buf, &task),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_consumer_task_post_recv_alloc_init(queue->consumer, buf, NULL),
			DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_comch_consumer_task_post_recv_alloc_init(queue->consumer, buf, &tasks[0]));
	TEST_OK(doca_comch_consumer_task_post_recv_alloc_init(queue->consumer, NULL, &tasks[1]));
	TEST_RESULT(doca_comch_consumer_task_post_recv_alloc_init(queue->consumer, buf, &task),
			DOCA_ERROR_NO_MEMORY);

	TEST_TRUE(doca_comch_consumer_task_post_recv_get_buf(tasks[0]) == buf);
	TEST_TRUE(doca_comch_consumer_task_post_recv_get_buf(tasks[1]) == NULL);
	TEST_TRUE(doca_comch_consumer_task_post_recv_get_buf(NULL) == NULL);
	TEST_TRUE(doca_comch_consumer_task_post_recv_as_task(NULL) == NULL);
	doca_comch_consumer_task_post_recv_set_buf(NULL, buf);
	doca_comch_consumer_task_post_recv_set_buf(tasks[1], buf);
	doca_comch_consumer_task_post_recv_set_buf(tasks[0], NULL);
	TEST_TRUE(doca_comch_consumer_task_post_recv_get_buf(tasks[0]) == NULL);
	TEST_TRUE(doca_comch_consumer_task_post_recv_get_buf(tasks[1]) == buf);
	/* nothing is set in a task that is submitted */
	TEST_OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(tasks[1])));
	doca_comch_consumer_task_post_recv_set_buf(tasks[1], NULL);
	TEST_TRUE(doca_comch_consumer_task_post_recv_get_buf(tasks[1]) == buf);
	TEST_RESULT(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(tasks[1])),
			DOCA_ERROR_BAD_STATE);

	doca_ctx_stop(queue->ctx);
	TEST_RESULT(doca_comch_consumer_task_post_recv_alloc_init(queue->consumer, buf, &task),
			DOCA_ERROR_BAD_STATE);
	FAST_WAIT(pair, queue->nb_failed == 1);
	test_turn(&pair->client, &pair->server);
	TEST_TRUE(fast_state(queue->ctx) == DOCA_CTX_STATE_STOPPING);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(tasks[0]));
	FAST_WAIT(pair, fast_state(queue->ctx) == DOCA_CTX_STATE_IDLE);
	TEST_CALL(fast_queue_close(queue, pair));
	TEST_OK(doca_buf_dec_refcount(buf, NULL));
	return 0;
}

/* A buffer that cannot be posted. */
static int
test_consumer_submit_refused(void)
{
	struct doca_buf *full, *outside, *first, *second;

	TEST_CALL(fast_set_open(&set, 4, 2 * LEN));
	full = fast_buf_full(&set.dst, 0, LEN);
	TEST_RESULT(fast_post(&set.consumer, full), DOCA_ERROR_INVALID_VALUE);
	outside = fast_buf(&set.src, 0, LEN);
	TEST_RESULT(fast_post(&set.consumer, outside), DOCA_ERROR_INVALID_VALUE);
	first = fast_buf(&set.dst, 0, LEN);
	second = fast_buf(&set.dst, LEN, LEN);
	TEST_OK(doca_buf_chain_list(first, second));
	TEST_RESULT(fast_post(&set.consumer, first), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_buf_unchain_list(first, second));
	TEST_OK(fast_post(&set.consumer, first));
	TEST_OK(doca_buf_reset_data_len(full));
	TEST_OK(fast_post(&set.consumer, full));
	TEST_OK(doca_buf_dec_refcount(outside, NULL));
	TEST_CALL(fast_queue_close(&set.producer, &set.pair));
	TEST_CALL(fast_queue_close(&set.consumer, &set.pair));
	/* given back by the error callback, as they were */
	TEST_TRUE(set.consumer.nb_failed == 2 && set.consumer.status == DOCA_ERROR_SHUTDOWN);
	TEST_TRUE(fast_buf_data_len(first) == 0);
	return 0;
}

/* What the callback of a task can ask, and what is there until it is submitted again. */
static void
keep(struct fast_queue *queue, struct doca_comch_consumer_task_post_recv *task)
{
	queue->arg = task;
}

static int
test_consumer_result(void)
{
	struct doca_comch_consumer_task_post_recv *task;
	uint8_t imm[200];
	struct doca_buf *buf;

	TEST_CALL(fast_set_open(&set, 2, LEN));
	memset(imm, 7, sizeof(imm));
	set.consumer.on_received = keep;
	buf = fast_buf(&set.dst, 0, LEN);
	TEST_OK(doca_comch_consumer_task_post_recv_alloc_init(set.consumer.consumer, buf, &task));
	TEST_TRUE(doca_comch_consumer_task_post_recv_get_producer_id(task) == 0);
	TEST_TRUE(doca_comch_consumer_task_post_recv_get_producer_id(NULL) == 0);
	TEST_TRUE(doca_comch_consumer_task_post_recv_get_imm_data(task) == NULL);
	TEST_TRUE(doca_comch_consumer_task_post_recv_get_imm_data(NULL) == NULL);
	TEST_TRUE(doca_comch_consumer_task_post_recv_get_imm_data_len(task) == 0);
	TEST_TRUE(doca_comch_consumer_task_post_recv_get_imm_data_len(NULL) == 0);
	TEST_OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	/* longer than what a completion carries inline */
	TEST_OK(fast_send(&set.producer, set.consumer.id, NULL, imm, sizeof(imm)));
	FAST_WAIT(&set.pair, set.consumer.nb_ok == 1 && set.producer.nb_ok == 1);
	TEST_TRUE(set.consumer.arg == task);
	test_turn(&set.pair.server, &set.pair.client);
	TEST_TRUE(doca_comch_consumer_task_post_recv_get_producer_id(task) == set.producer.id);
	TEST_TRUE(doca_comch_consumer_task_post_recv_get_imm_data_len(task) == sizeof(imm));
	TEST_TRUE(memcmp(doca_comch_consumer_task_post_recv_get_imm_data(task), imm,
			sizeof(imm)) == 0);
	TEST_TRUE(fast_buf_data_len(buf) == 0);
	TEST_OK(doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task)));

	TEST_OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	TEST_TRUE(doca_comch_consumer_task_post_recv_get_producer_id(task) == 0);
	TEST_TRUE(doca_comch_consumer_task_post_recv_get_imm_data(task) == NULL);
	doca_ctx_stop(set.consumer.ctx);
	FAST_WAIT(&set.pair, set.consumer.nb_failed == 1);
	TEST_TRUE(doca_comch_consumer_task_post_recv_get_producer_id(task) == 0);
	TEST_TRUE(doca_comch_consumer_task_post_recv_get_imm_data_len(task) == 0);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	TEST_OK(doca_buf_dec_refcount(buf, NULL));
	return fast_set_close(&set);
}

/* Posted again in its own callback, with the length reset. */
static void
post_again(struct fast_queue *queue, struct doca_comch_consumer_task_post_recv *task)
{
	struct doca_task *base = doca_comch_consumer_task_post_recv_as_task(task);

	queue->left += fast_buf_data_len(doca_comch_consumer_task_post_recv_get_buf(task));
	doca_buf_reset_data_len(doca_comch_consumer_task_post_recv_get_buf(task));
	if (doca_task_get_status(base) != DOCA_SUCCESS || doca_task_submit(base) != DOCA_SUCCESS)
		doca_task_free(base);
}

static int
test_consumer_again(void)
{
	struct doca_buf *from, *to;
	unsigned int i;

	TEST_CALL(fast_set_open(&set, 4, LEN));
	set.consumer.on_received = post_again;
	from = fast_buf_full(&set.src, 0, LEN);
	to = fast_buf(&set.dst, 0, LEN);
	TEST_OK(fast_post(&set.consumer, to));
	for (i = 0; i < 100; i++) {
		TEST_OK(fast_send(&set.producer, set.consumer.id, from, NULL, 0));
		FAST_WAIT(&set.pair, set.producer.nb_ok == i + 1 && set.consumer.nb_ok == i + 1);
	}
	TEST_TRUE(set.consumer.left == 100 * LEN);
	TEST_CALL(fast_queue_close(&set.producer, &set.pair));
	TEST_CALL(fast_queue_close(&set.consumer, &set.pair));
	TEST_TRUE(set.consumer.nb_failed == 1);
	return 0;
}

static void
destroy_idle(struct fast_queue *queue, enum doca_ctx_states next)
{
	if (next == DOCA_CTX_STATE_IDLE)
		queue->status = doca_comch_consumer_destroy(queue->consumer);
}

/* Stopped, started, stopped and destroyed in its callback; the peer is told each time. */
static int
test_consumer_restart(void)
{
	struct fast_queue *queue = &set.consumer;

	TEST_CALL(fast_pair_open(pair));
	TEST_CALL(fast_mem_open(&set.dst, pair->server.dev, LEN, DOCA_ACCESS_FLAG_PCI_READ_WRITE,
			1));
	TEST_CALL(fast_consumer_run(queue, pair, &pair->server, set.dst.map, 1));
	doca_ctx_stop(queue->ctx);
	FAST_WAIT(pair, fast_state(queue->ctx) == DOCA_CTX_STATE_IDLE &&
			pair->client.consumers_gone == 1);
	TEST_RESULT(doca_ctx_start(queue->ctx), DOCA_ERROR_IN_PROGRESS);
	FAST_WAIT(pair, fast_state(queue->ctx) == DOCA_CTX_STATE_RUNNING &&
			pair->client.consumers == 2);
	TEST_TRUE(pair->client.consumer_id == queue->id);
	/* not while it is STARTING or RUNNING */
	TEST_RESULT(doca_ctx_start(queue->ctx), DOCA_ERROR_BAD_STATE);
	queue->on_state = destroy_idle;
	queue->status = DOCA_ERROR_UNKNOWN;
	doca_ctx_stop(queue->ctx);
	FAST_WAIT(pair, queue->status != DOCA_ERROR_UNKNOWN);
	TEST_OK(queue->status);
	TEST_CALL(fast_mem_close(&set.dst));
	return fast_pair_close(pair);
}

/* The connection ends under it: posts come back as failed, and it is IDLE. */
static int
test_consumer_lost(void)
{
	struct fast_queue *queue = &set.consumer;

	TEST_CALL(fast_pair_open(pair));
	TEST_CALL(fast_mem_open(&set.dst, pair->client.dev, LEN, DOCA_ACCESS_FLAG_PCI_READ_WRITE,
			1));
	TEST_CALL(fast_consumer_run(queue, pair, &pair->client, set.dst.map, 1));
	TEST_OK(fast_post(queue, NULL));
	TEST_OK(test_side_end(&pair->server, &pair->client));
	FAST_WAIT_ONE(&pair->client, fast_state(queue->ctx) == DOCA_CTX_STATE_IDLE);
	TEST_TRUE(queue->nb_failed == 1 && queue->status == DOCA_ERROR_CONNECTION_RESET);
	TEST_OK(doca_comch_consumer_destroy(queue->consumer));
	TEST_CALL(fast_mem_close(&set.dst));
	FAST_WAIT_ONE(&pair->client, fast_state(pair->client.ctx) == DOCA_CTX_STATE_IDLE);
	TEST_OK(test_side_end(&pair->client, NULL));
	return 0;
}

/* The connection ends before the peer knows of it: back to IDLE, and the log says why. */
static int
test_consumer_start_lost(void)
{
	struct fast_queue *queue = &set.consumer;

	TEST_CALL(test_listen());
	TEST_CALL(fast_pair_open(pair));
	TEST_CALL(fast_mem_open(&set.dst, pair->client.dev, LEN, DOCA_ACCESS_FLAG_PCI_READ_WRITE,
			1));
	TEST_CALL(fast_consumer_create(queue, pair->client.conn, pair->client.pe, set.dst.map,
			1));
	TEST_OK(test_side_end(&pair->server, NULL));
	TEST_RESULT(doca_ctx_start(queue->ctx), DOCA_ERROR_IN_PROGRESS);
	FAST_WAIT_ONE(&pair->client, fast_state(queue->ctx) == DOCA_CTX_STATE_IDLE);
	TEST_TRUE(queue->nb_states == 2 && queue->states[0] == DOCA_CTX_STATE_STARTING &&
			queue->states[1] == DOCA_CTX_STATE_IDLE);
	TEST_HAS(test_heard(), "connect again");
	/* and now at once */
	TEST_RESULT(doca_ctx_start(queue->ctx), DOCA_ERROR_NOT_CONNECTED);
	TEST_OK(doca_comch_consumer_destroy(queue->consumer));
	TEST_CALL(fast_mem_close(&set.dst));
	FAST_WAIT_ONE(&pair->client, fast_state(pair->client.ctx) == DOCA_CTX_STATE_IDLE);
	TEST_OK(test_side_end(&pair->client, NULL));
	return 0;
}

const struct test_case test_consumer[] = {
	TEST_CASE(test_consumer_caps),
	TEST_CASE_ST(mem_open, mem_close, test_consumer_create),
	TEST_CASE_ST(mem_open, mem_close, test_consumer_create_too_many),
	TEST_CASE_ST(mem_open, mem_close, test_consumer_conf),
	TEST_CASE(test_consumer_map),
	TEST_CASE_ST(mem_open, mem_close, test_consumer_alloc),
	TEST_CASE(test_consumer_submit_refused),
	TEST_CASE(test_consumer_result),
	TEST_CASE(test_consumer_again),
	TEST_CASE(test_consumer_restart),
	TEST_CASE(test_consumer_lost),
	TEST_CASE(test_consumer_start_lost),
	TEST_CASES_END(),
};
