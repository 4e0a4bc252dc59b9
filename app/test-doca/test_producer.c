/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * doca_comch_producer.h: each function, and each error that a program can meet.
 */

#define DOCA_ALLOW_EXPERIMENTAL_API

#include "util_fast.h"

#define LEN 64

/* No consumer has it. */
#define NO_CONSUMER 0xffff

static struct fast_set set;
static struct fast_pair *const pair = &set.pair;

static int
pair_open(void)
{
	return fast_pair_open(pair);
}

static int
pair_close(void)
{
	return fast_pair_close(pair);
}

/* It is set, and never called. */
#define on_send ((doca_comch_producer_task_send_completion_cb_t)abort)

static int
test_producer_caps(void)
{
	struct doca_dev *dev;
	uint32_t value;

	TEST_OK(test_dev_open(TEST_DEV, &dev));
	TEST_RESULT(doca_comch_producer_cap_is_supported(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_comch_producer_cap_is_supported(doca_dev_as_devinfo(dev)));
	TEST_OK(doca_comch_producer_cap_get_max_buf_list_len(doca_dev_as_devinfo(dev), &value));
	TEST_TRUE(value == 1);
	TEST_OK(doca_dev_close(dev));
	TEST_CALL(test_cap(doca_comch_producer_cap_get_max_num_tasks, 1024));
	TEST_CALL(test_cap(doca_comch_producer_cap_get_max_buf_size, 1u << 30));
	TEST_CALL(test_cap(doca_comch_producer_cap_get_max_buf_list_len, 1));
	TEST_CALL(test_cap(doca_comch_producer_cap_get_max_producers, 1));
	return 0;
}

static int
test_producer_create(void)
{
	struct doca_comch_producer *first, *second, *producer = NULL;
	struct doca_comch_connection *conn;
	uint32_t first_id, second_id;

	conn = pair->client.conn;
	TEST_NULL_2(doca_comch_producer_create, conn, &producer);
	TEST_OK(doca_comch_producer_create(conn, &first));
	TEST_OK(doca_comch_producer_create(conn, &second));
	TEST_NULL_2(doca_comch_producer_get_id, first, &first_id);
	TEST_OK(doca_comch_producer_get_id(first, &first_id));
	TEST_OK(doca_comch_producer_get_id(second, &second_id));
	TEST_TRUE(first_id == 1 && second_id > first_id);
	TEST_TRUE(doca_comch_producer_as_ctx(NULL) == NULL);
	TEST_TRUE(doca_comch_producer_as_ctx(first) != NULL);

	/* a connection with producers stays */
	TEST_RESULT(doca_ctx_stop(pair->client.ctx), DOCA_ERROR_IN_USE);
	TEST_RESULT(doca_comch_producer_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_comch_producer_destroy(first));
	TEST_OK(doca_comch_producer_destroy(second));

	TEST_TRUE(doca_ctx_stop(pair->client.ctx) != DOCA_ERROR_IN_USE);
	FAST_WAIT(pair, fast_state(pair->client.ctx) == DOCA_CTX_STATE_IDLE);
	TEST_RESULT(doca_comch_producer_create(conn, &producer), DOCA_ERROR_BAD_STATE);
	TEST_TRUE(producer == NULL);
	return 0;
}

static int
test_producer_create_too_many(void)
{
	struct doca_comch_producer **producers, *one_more;
	uint32_t max, i;

	TEST_OK(doca_comch_producer_cap_get_max_producers(doca_dev_as_devinfo(pair->client.dev),
			&max));
	producers = calloc(max, sizeof(*producers));
	TEST_TRUE(producers != NULL);
	for (i = 0; i < max; i++)
		TEST_OK(doca_comch_producer_create(pair->client.conn, &producers[i]));
	TEST_RESULT(doca_comch_producer_create(pair->client.conn, &one_more),
			DOCA_ERROR_NO_MEMORY);
	for (i = 0; i < max; i++)
		TEST_OK(doca_comch_producer_destroy(producers[i]));
	free(producers);
	return 0;
}

static int
test_producer_conf(void)
{
	struct fast_queue *queue = &set.producer;
	struct doca_comch_producer *producer;
	uint32_t max;

	TEST_OK(doca_comch_producer_cap_get_max_num_tasks(doca_dev_as_devinfo(pair->client.dev),
			&max));
	TEST_OK(doca_comch_producer_create(pair->client.conn, &producer));
	TEST_RESULT(doca_comch_producer_task_send_set_conf(NULL, on_send, on_send, 1),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_producer_task_send_set_conf(producer, NULL, on_send, 1),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_producer_task_send_set_conf(producer, on_send, NULL, 1),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_producer_task_send_set_conf(producer, on_send, on_send, 0),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_producer_task_send_set_conf(producer, on_send, on_send, max + 1),
			DOCA_ERROR_INVALID_VALUE);

	/* neither an engine nor tasks */
	TEST_RESULT(doca_ctx_start(doca_comch_producer_as_ctx(producer)),
			DOCA_ERROR_NOT_CONNECTED);
	TEST_OK(doca_pe_connect_ctx(pair->client.pe, doca_comch_producer_as_ctx(producer)));
	TEST_RESULT(doca_ctx_start(doca_comch_producer_as_ctx(producer)), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_comch_producer_task_send_set_conf(producer, on_send, on_send, max));
	TEST_OK(doca_ctx_start(doca_comch_producer_as_ctx(producer)));
	TEST_RESULT(doca_comch_producer_task_send_set_conf(producer, on_send, on_send, 1),
			DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_producer_destroy(producer), DOCA_ERROR_IN_USE);
	TEST_OK(doca_ctx_stop(doca_comch_producer_as_ctx(producer)));
	TEST_OK(doca_comch_producer_destroy(producer));

	/* states, and another number of tasks with the second start */
	TEST_CALL(fast_producer_create(queue, pair->client.conn, pair->client.pe, 1));
	TEST_OK(doca_ctx_start(queue->ctx));
	TEST_OK(doca_ctx_stop(queue->ctx));
	TEST_OK(doca_comch_producer_task_send_set_conf(queue->producer, on_send, on_send, 2));
	TEST_OK(doca_ctx_start(queue->ctx));
	TEST_TRUE(queue->nb_states == 4);
	TEST_TRUE(queue->states[0] == DOCA_CTX_STATE_RUNNING &&
			queue->states[1] == DOCA_CTX_STATE_STOPPING &&
			queue->states[2] == DOCA_CTX_STATE_IDLE &&
			queue->states[3] == DOCA_CTX_STATE_RUNNING);
	TEST_CALL(fast_queue_close(queue, pair));
	return 0;
}

/* Of engines that are not here each call says so once. */
static void
exit_other_engines(void)
{
	struct doca_gpu *gpu = (struct doca_gpu *)&set;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	const void *desc;
	size_t len;
	int i;

	if (fast_pair_open(pair) != 0 ||
			fast_mem_open(&set.dst, pair->client.dev, LEN,
				DOCA_ACCESS_FLAG_PCI_READ_WRITE, 1) != 0 ||
			doca_comch_producer_create(pair->client.conn, &producer) != DOCA_SUCCESS ||
			doca_comch_consumer_create(pair->client.conn, set.dst.map, &consumer) !=
				DOCA_SUCCESS)
		exit(1);
	for (i = 0; i < 2; i++)
		if (doca_ctx_set_datapath_on_gpu(doca_comch_producer_as_ctx(producer), gpu) !=
					DOCA_ERROR_NOT_SUPPORTED ||
				doca_comch_producer_get_gpu_handle(producer, &gpu) !=
					DOCA_ERROR_NOT_SUPPORTED ||
				doca_comch_consumer_get_gpu_handle(consumer, &gpu) !=
					DOCA_ERROR_NOT_SUPPORTED ||
				doca_mmap_export_rdma(set.dst.map, pair->client.dev, &desc, &len) !=
					DOCA_ERROR_NOT_SUPPORTED)
			exit(1);
	if (doca_comch_producer_destroy(producer) != DOCA_SUCCESS ||
			doca_comch_consumer_destroy(consumer) != DOCA_SUCCESS)
		exit(1);
	fast_mem_close(&set.dst);
	exit(fast_pair_close(pair) == 0 ? 0 : 1);
}

static int
test_other_engines(void)
{
	char out[TEST_TEXT_SIZE], err[TEST_TEXT_SIZE];
	size_t len;

	TEST_RESULT(doca_ctx_set_datapath_on_gpu(NULL, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_producer_get_gpu_handle(NULL, &len), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_consumer_get_gpu_handle(NULL, &len), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_mmap_export_rdma(NULL, NULL, NULL, &len), DOCA_ERROR_INVALID_VALUE);
	TEST_TRUE(test_process(exit_other_engines, out, err) == 0);
	TEST_TRUE(test_count(err, "which is not here") == 4);
	TEST_HAS(err, "doca_mmap_export_rdma needs RDMA, which is not here");
	return 0;
}

static int
test_producer_alloc(void)
{
	struct doca_comch_producer_task_send *task, *tasks[2];
	struct fast_queue *queue = &set.producer;
	uint8_t imm[4] = {1, 2, 3, 4}, large[4096] = {0};

	TEST_CALL(fast_producer_create(queue, pair->client.conn, pair->client.pe, 2));
	TEST_RESULT(doca_comch_producer_task_send_alloc_init(queue->producer, NULL, imm, 4, 1,
			&task), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_ctx_start(queue->ctx));
	TEST_RESULT(doca_comch_producer_task_send_alloc_init(NULL, NULL, imm, 4, 1, &task),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_producer_task_send_alloc_init(queue->producer, NULL, imm, 4, 1,
			NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_producer_task_send_alloc_init(queue->producer, NULL, NULL, 4, 1,
			&task), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_producer_task_send_alloc_init(queue->producer, NULL, large,
			sizeof(large), 1, &task), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_comch_producer_task_send_alloc_init(queue->producer, NULL, imm, 4, 1,
			&tasks[0]));
	TEST_OK(doca_comch_producer_task_send_alloc_init(queue->producer, NULL, imm, 4, 1,
			&tasks[1]));
	TEST_RESULT(doca_comch_producer_task_send_alloc_init(queue->producer, NULL, imm, 4, 1,
			&task), DOCA_ERROR_NO_MEMORY);
	doca_task_free(doca_comch_producer_task_send_as_task(tasks[0]));
	TEST_OK(doca_comch_producer_task_send_alloc_init(queue->producer, NULL, imm, 4, 1,
			&tasks[0]));

	/* a task that is not freed keeps it from being IDLE */
	TEST_RESULT(doca_ctx_stop(queue->ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_RESULT(doca_comch_producer_task_send_alloc_init(queue->producer, NULL, imm, 4, 1,
			&task), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_task_submit(doca_comch_producer_task_send_as_task(tasks[0])),
			DOCA_ERROR_BAD_STATE);
	test_turn(&pair->client, &pair->server);
	TEST_TRUE(fast_state(queue->ctx) == DOCA_CTX_STATE_STOPPING);
	doca_task_free(doca_comch_producer_task_send_as_task(tasks[0]));
	doca_task_free(doca_comch_producer_task_send_as_task(tasks[1]));
	FAST_WAIT(pair, fast_state(queue->ctx) == DOCA_CTX_STATE_IDLE);
	TEST_CALL(fast_queue_close(queue, pair));
	return 0;
}

static int
test_producer_task_fields(void)
{
	struct doca_comch_producer_task_send *task;
	uint8_t imm[4] = {1, 2, 3, 4};
	struct doca_buf *buf;

	TEST_CALL(fast_set_open(&set, 2, LEN));
	buf = fast_buf_full(&set.src, 0, LEN);
	TEST_OK(doca_comch_producer_task_send_alloc_init(set.producer.producer, buf, imm, 4, 7,
			&task));
	imm[0] = 9; /* it has a copy */
	TEST_TRUE(doca_comch_producer_task_send_get_buf(task) == buf);
	TEST_TRUE(doca_comch_producer_task_send_get_consumer_id(task) == 7);
	TEST_TRUE(doca_comch_producer_task_send_get_imm_data_len(task) == 4);
	TEST_TRUE(doca_comch_producer_task_send_get_imm_data(task)[0] == 1);
	TEST_TRUE(doca_task_get_ctx(doca_comch_producer_task_send_as_task(task)) ==
			set.producer.ctx);
	doca_comch_producer_task_send_set_imm_data(task, imm, 2);
	TEST_TRUE(doca_comch_producer_task_send_get_imm_data_len(task) == 2);
	TEST_TRUE(doca_comch_producer_task_send_get_imm_data(task)[0] == 9);
	doca_comch_producer_task_send_set_imm_data(task, NULL, 0);
	TEST_TRUE(doca_comch_producer_task_send_get_imm_data(task) == NULL);
	doca_comch_producer_task_send_set_buf(task, NULL);
	TEST_TRUE(doca_comch_producer_task_send_get_buf(task) == NULL);
	doca_comch_producer_task_send_set_consumer_id(task, set.consumer.id);
	doca_comch_producer_task_send_set_buf(task, buf);

	/* nothing is set in a task that is submitted */
	TEST_OK(fast_post(&set.consumer, fast_buf(&set.dst, 0, LEN)));
	TEST_OK(doca_task_submit(doca_comch_producer_task_send_as_task(task)));
	doca_comch_producer_task_send_set_buf(task, NULL);
	doca_comch_producer_task_send_set_consumer_id(task, NO_CONSUMER);
	doca_comch_producer_task_send_set_imm_data(task, imm, 4);
	TEST_TRUE(doca_comch_producer_task_send_get_buf(task) == buf);
	TEST_TRUE(doca_comch_producer_task_send_get_consumer_id(task) == set.consumer.id);
	TEST_TRUE(doca_comch_producer_task_send_get_imm_data_len(task) == 0);
	FAST_WAIT(&set.pair, set.producer.nb_ok == 1 && set.consumer.nb_ok == 1);

	/* no task at all */
	TEST_TRUE(doca_comch_producer_task_send_as_task(NULL) == NULL);
	TEST_TRUE(doca_comch_producer_task_send_get_buf(NULL) == NULL);
	TEST_TRUE(doca_comch_producer_task_send_get_consumer_id(NULL) == 0);
	TEST_TRUE(doca_comch_producer_task_send_get_imm_data(NULL) == NULL);
	TEST_TRUE(doca_comch_producer_task_send_get_imm_data_len(NULL) == 0);
	doca_comch_producer_task_send_set_buf(NULL, buf);
	doca_comch_producer_task_send_set_consumer_id(NULL, 1);
	doca_comch_producer_task_send_set_imm_data(NULL, imm, 4);
	return 0;
}

/* A consumer of the server with little room, and a producer of the client. */
static int
refused_open(void)
{
	TEST_CALL(fast_pair_open(&set.pair));
	TEST_CALL(fast_mem_open(&set.src, set.pair.client.dev, 4 * LEN, 0, 8));
	TEST_CALL(fast_mem_open(&set.dst, set.pair.server.dev, 4 * LEN,
			DOCA_ACCESS_FLAG_PCI_READ_WRITE, 8));
	TEST_CALL(fast_consumer_create(&set.consumer, set.pair.server.conn, set.pair.server.pe,
			set.dst.map, 8));
	TEST_OK(doca_comch_consumer_set_imm_data_len(set.consumer.consumer, 8));
	TEST_RESULT(doca_ctx_start(set.consumer.ctx), DOCA_ERROR_IN_PROGRESS);
	FAST_WAIT(&set.pair, fast_state(set.consumer.ctx) == DOCA_CTX_STATE_RUNNING &&
			set.pair.client.consumers == 1);
	return fast_producer_run(&set.producer, set.pair.client.conn, set.pair.client.pe, 8);
}

/* Buffers that a producer cannot send. */
static int
refused_bufs(void)
{
	struct doca_buf *first, *second, *elsewhere;
	struct doca_dev *dev;
	struct fast_mem mem;

	first = fast_buf_full(&set.src, 0, 8);
	second = fast_buf_full(&set.src, 8, 8);
	TEST_OK(doca_buf_chain_list(first, second));
	TEST_RESULT(fast_send(&set.producer, set.consumer.id, first, NULL, 0),
			DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_buf_unchain_list(first, second));
	/* a map of another function's device */
	TEST_OK(test_dev_open("03:00.1", &dev));
	TEST_CALL(fast_mem_open(&mem, dev, LEN, 0, 1));
	elsewhere = fast_buf_full(&mem, 0, 8);
	TEST_RESULT(fast_send(&set.producer, set.consumer.id, elsewhere, NULL, 0),
			DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_buf_dec_refcount(elsewhere, NULL));
	TEST_CALL(fast_mem_close(&mem));
	TEST_OK(doca_dev_close(dev));
	return 0;
}

/* A task with something wrong is refused, and stays the program's. */
static int
test_producer_submit_refused(void)
{
	struct doca_comch_producer_task_send *task;
	struct doca_buf *buf;
	uint8_t imm[16] = {0};

	TEST_CALL(test_listen());
	TEST_CALL(refused_open());
	buf = fast_buf_full(&set.src, 0, 2 * LEN);
	TEST_RESULT(fast_send(&set.producer, set.consumer.id, buf, NULL, 0), DOCA_ERROR_AGAIN);
	TEST_OK(fast_post(&set.consumer, fast_buf(&set.dst, 0, LEN)));
	TEST_RESULT(fast_send(&set.producer, NO_CONSUMER, buf, NULL, 0), DOCA_ERROR_NOT_FOUND);
	TEST_RESULT(fast_send(&set.producer, 0, buf, NULL, 0), DOCA_ERROR_NOT_FOUND);
	/* longer than what is posted; than the consumer takes; nothing at all */
	TEST_RESULT(fast_send(&set.producer, set.consumer.id, buf, NULL, 0),
			DOCA_ERROR_INVALID_VALUE);
	TEST_HAS(test_heard(), "the data is longer than the buffer that the consumer has posted");
	TEST_RESULT(fast_send(&set.producer, set.consumer.id, NULL, imm, 9),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(fast_send(&set.producer, set.consumer.id, NULL, NULL, 0),
			DOCA_ERROR_INVALID_VALUE);
	TEST_CALL(refused_bufs());
	/* immediate data that is too long, set later */
	TEST_OK(doca_comch_producer_task_send_alloc_init(set.producer.producer, NULL, imm, 8,
			set.consumer.id, &task));
	doca_comch_producer_task_send_set_imm_data(task, imm, 1 << 20);
	TEST_RESULT(doca_task_submit(doca_comch_producer_task_send_as_task(task)),
			DOCA_ERROR_INVALID_VALUE);
	/* and nothing of that has touched the consumer, or the task */
	TEST_TRUE(set.consumer.nb_ok == 0);
	doca_comch_producer_task_send_set_imm_data(task, imm, 8);
	TEST_OK(doca_task_submit(doca_comch_producer_task_send_as_task(task)));
	TEST_RESULT(doca_task_submit(doca_comch_producer_task_send_as_task(task)),
			DOCA_ERROR_BAD_STATE);
	FAST_WAIT(&set.pair, set.consumer.nb_ok == 1 && set.producer.nb_ok == 1);
	return 0;
}

static void
check_imm(struct fast_queue *queue, struct doca_comch_consumer_task_post_recv *task)
{
	const uint8_t *imm = doca_comch_consumer_task_post_recv_get_imm_data(task);
	uint32_t len = doca_comch_consumer_task_post_recv_get_imm_data_len(task);

	queue->left = len == 0 || imm == NULL ? 0 : imm[0] * 1000 + len;
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

/* What the data segment is when the task is submitted counts, and immediate data alone. */
static int
test_producer_submit(void)
{
	struct doca_comch_producer_task_send *task;
	struct doca_buf *from, *to;
	uint8_t imm[3] = {5, 6, 7};

	TEST_CALL(fast_set_open(&set, 4, 2 * LEN));
	set.consumer.on_received = check_imm;
	from = fast_buf(&set.src, 0, 2 * LEN);
	to = fast_buf(&set.dst, 0, 2 * LEN);
	TEST_OK(doca_comch_producer_task_send_alloc_init(set.producer.producer, from, NULL, 0,
			set.consumer.id, &task));
	memcpy(set.src.bytes + 10, "segment", 8);
	TEST_OK(doca_buf_set_data(from, set.src.bytes + 10, 8));
	TEST_OK(fast_post(&set.consumer, to));
	TEST_OK(doca_task_submit(doca_comch_producer_task_send_as_task(task)));
	FAST_WAIT(&set.pair, set.consumer.nb_ok == 1 && set.producer.nb_ok == 1);
	TEST_TRUE(fast_buf_data_len(to) == 8 && strcmp(set.dst.bytes, "segment") == 0);
	TEST_TRUE(fast_buf_data_len(from) == 8 && set.consumer.left == 0);

	TEST_OK(fast_post(&set.consumer, NULL));
	TEST_OK(fast_send(&set.producer, set.consumer.id, NULL, imm, 3));
	FAST_WAIT(&set.pair, set.consumer.nb_ok == 2);
	TEST_TRUE(set.consumer.left == 5003);

	/* both, behind what the buffer has */
	TEST_OK(fast_post(&set.consumer, to));
	TEST_OK(fast_send(&set.producer, set.consumer.id, from, imm, 1));
	FAST_WAIT(&set.pair, set.consumer.nb_ok == 3);
	TEST_TRUE(set.consumer.left == 5001 && fast_buf_data_len(to) == 16);
	TEST_TRUE(strcmp(set.dst.bytes + 8, "segment") == 0);
	FAST_WAIT(&set.pair, set.producer.nb_ok == 3);
	TEST_OK(doca_buf_dec_refcount(from, NULL));
	TEST_OK(doca_buf_dec_refcount(to, NULL));
	return fast_set_close(&set);
}

/* What the consumer posts is seen without progress on the producer's side. */
static int
test_producer_again(void)
{
	struct doca_buf *from, *to;
	unsigned int i;

	TEST_CALL(fast_set_open(&set, 4, LEN));
	from = fast_buf_full(&set.src, 0, LEN);
	to = fast_buf(&set.dst, 0, LEN);
	for (i = 0; i < 3; i++)
		TEST_RESULT(fast_send(&set.producer, set.consumer.id, from, NULL, 0),
				DOCA_ERROR_AGAIN);
	TEST_OK(fast_post(&set.consumer, to));
	TEST_OK(fast_send(&set.producer, set.consumer.id, from, NULL, 0));
	TEST_RESULT(fast_send(&set.producer, set.consumer.id, from, NULL, 0), DOCA_ERROR_AGAIN);
	FAST_WAIT(&set.pair, set.producer.nb_ok == 1 && set.consumer.nb_ok == 1);
	TEST_OK(doca_buf_dec_refcount(from, NULL));
	TEST_OK(doca_buf_dec_refcount(to, NULL));
	return fast_set_close(&set);
}

/* The first message is sent in the callback that says RUNNING, the others in their own. */
static void
submit_running(struct fast_queue *queue, enum doca_ctx_states next)
{
	if (next == DOCA_CTX_STATE_RUNNING)
		queue->status = fast_send(queue, set.consumer.id, queue->arg, NULL, 0);
}

static void
submit_again(struct fast_queue *queue, struct doca_comch_producer_task_send *task)
{
	struct doca_task *base = doca_comch_producer_task_send_as_task(task);

	if (queue->left == 0 || doca_task_submit(base) != DOCA_SUCCESS)
		doca_task_free(base);
	else
		queue->left--;
}

static int
test_producer_callbacks(void)
{
	struct doca_buf *from, *to[8];
	struct fast_queue second;
	unsigned int i;

	memset(&second, 0, sizeof(second));
	TEST_CALL(fast_set_open(&set, 8, 8 * LEN));
	from = fast_buf_full(&set.src, 0, LEN);
	for (i = 0; i < 8; i++) {
		to[i] = fast_buf(&set.dst, i * LEN, LEN);
		TEST_OK(fast_post(&set.consumer, to[i]));
	}
	second.arg = from;
	second.left = 7;
	second.on_state = submit_running;
	second.on_sent = submit_again;
	second.status = DOCA_ERROR_UNKNOWN;
	TEST_CALL(fast_producer_run(&second, set.pair.client.conn, set.pair.client.pe, 1));
	TEST_OK(second.status);
	FAST_WAIT(&set.pair, second.nb_ok == 8 && set.consumer.nb_ok == 8);
	TEST_CALL(fast_queue_close(&second, &set.pair));
	for (i = 0; i < 8; i++) {
		TEST_TRUE(fast_buf_data_len(to[i]) == LEN);
		TEST_OK(doca_buf_dec_refcount(to[i], NULL));
	}
	TEST_OK(doca_buf_dec_refcount(from, NULL));
	return fast_set_close(&set);
}

/* The producer is destroyed in its callback that says IDLE. */
static void
destroy_idle(struct fast_queue *queue, enum doca_ctx_states next)
{
	if (next == DOCA_CTX_STATE_IDLE)
		queue->status = doca_comch_producer_destroy(queue->producer);
}

static int
test_producer_destroy_idle(void)
{
	TEST_CALL(fast_producer_run(&set.producer, pair->client.conn, pair->client.pe, 1));
	set.producer.on_state = destroy_idle;
	set.producer.status = DOCA_ERROR_UNKNOWN;
	TEST_OK(doca_ctx_stop(set.producer.ctx));
	TEST_OK(set.producer.status);
	return 0;
}

/* The connection ends under it: it stops by itself, and no call crashes. */
static int
test_producer_lost(void)
{
	struct doca_comch_producer_task_send *task;
	uint8_t imm[1] = {1};

	TEST_CALL(fast_pair_open(pair));
	TEST_CALL(fast_producer_run(&set.producer, pair->client.conn, pair->client.pe, 2));
	TEST_OK(doca_comch_producer_task_send_alloc_init(set.producer.producer, NULL, imm, 1, 1,
			&task));
	TEST_OK(test_side_end(&pair->server, &pair->client));
	FAST_WAIT_ONE(&pair->client, fast_state(set.producer.ctx) == DOCA_CTX_STATE_STOPPING);
	TEST_RESULT(doca_task_submit(doca_comch_producer_task_send_as_task(task)),
			DOCA_ERROR_BAD_STATE);
	doca_task_free(doca_comch_producer_task_send_as_task(task));
	FAST_WAIT_ONE(&pair->client, fast_state(set.producer.ctx) == DOCA_CTX_STATE_IDLE);
	TEST_RESULT(doca_ctx_start(set.producer.ctx), DOCA_ERROR_NOT_CONNECTED);
	TEST_OK(doca_comch_producer_destroy(set.producer.producer));
	FAST_WAIT_ONE(&pair->client, fast_state(pair->client.ctx) == DOCA_CTX_STATE_IDLE);
	TEST_OK(test_side_end(&pair->client, NULL));
	return 0;
}

const struct test_case test_producer[] = {
	TEST_CASE(test_producer_caps),
	TEST_CASE_ST(pair_open, pair_close, test_producer_create),
	TEST_CASE_ST(pair_open, pair_close, test_producer_create_too_many),
	TEST_CASE_ST(pair_open, pair_close, test_producer_conf),
	TEST_CASE(test_other_engines),
	TEST_CASE_ST(pair_open, pair_close, test_producer_alloc),
	TEST_CASE(test_producer_task_fields),
	TEST_CASE(test_producer_submit_refused),
	TEST_CASE(test_producer_submit),
	TEST_CASE(test_producer_again),
	TEST_CASE(test_producer_callbacks),
	TEST_CASE_ST(pair_open, pair_close, test_producer_destroy_idle),
	TEST_CASE(test_producer_lost),
	TEST_CASES_END(),
};
