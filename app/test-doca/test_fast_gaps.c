/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What programs rely on in the fast path although no header says so. Each case has the
 * number under which it was written down.
 */

#include "util_fast.h"

#define LEN 64
#define NB_SENDS 1024

static struct fast_set set;

/* As a program that shuts down: what it has submitted it frees, then the buffers go. */
static int
test_gap_04_free_submitted(void)
{
	struct doca_comch_consumer_task_post_recv *posts[4];
	struct doca_comch_producer_task_send *sends[4];
	struct doca_buf *to[4], *from;
	unsigned int i;

	TEST_CALL(fast_set_open(&set, 4, 4 * LEN));
	from = fast_buf_full(&set.src, 0, LEN);
	for (i = 0; i < 4; i++) {
		to[i] = fast_buf(&set.dst, i * LEN, LEN);
		TEST_OK(doca_comch_consumer_task_post_recv_alloc_init(set.consumer.consumer,
				to[i], &posts[i]));
		TEST_OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(posts[i])));
	}
	for (i = 0; i < 2; i++) {
		TEST_OK(doca_comch_producer_task_send_alloc_init(set.producer.producer, from,
				NULL, 0, set.consumer.id, &sends[i]));
		TEST_OK(doca_task_submit(doca_comch_producer_task_send_as_task(sends[i])));
	}
	for (i = 0; i < 4; i++)
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(posts[i]));
	for (i = 0; i < 2; i++)
		doca_task_free(doca_comch_producer_task_send_as_task(sends[i]));
	for (i = 0; i < 4; i++)
		TEST_OK(doca_buf_dec_refcount(to[i], NULL));
	TEST_OK(doca_buf_dec_refcount(from, NULL));
	doca_ctx_stop(set.producer.ctx);
	doca_ctx_stop(set.consumer.ctx);
	FAST_WAIT(&set.pair, fast_state(set.producer.ctx) == DOCA_CTX_STATE_IDLE &&
			fast_state(set.consumer.ctx) == DOCA_CTX_STATE_IDLE);
	/* nothing was told of them, and all of it is back */
	TEST_TRUE(set.producer.nb_ok + set.producer.nb_failed == 0);
	TEST_TRUE(set.consumer.nb_ok + set.consumer.nb_failed == 0);
	return fast_set_close(&set);
}

/* One buffer is the source of 1024 tasks at a time. */
static int
test_gap_05_one_buffer(void)
{
	struct doca_buf *from;
	unsigned int i;

	TEST_CALL(fast_set_open(&set, NB_SENDS, NB_SENDS * LEN));
	from = fast_buf_full(&set.src, 0, LEN);
	memset(set.src.bytes, 'x', LEN);
	for (i = 0; i < NB_SENDS; i++)
		TEST_OK(fast_post(&set.consumer, fast_buf(&set.dst, i * LEN, LEN)));
	for (i = 0; i < NB_SENDS; i++)
		TEST_OK(fast_send(&set.producer, set.consumer.id, from, NULL, 0));
	TEST_RESULT(fast_send(&set.producer, set.consumer.id, from, NULL, 0),
			DOCA_ERROR_NO_MEMORY);
	FAST_WAIT(&set.pair, set.producer.nb_ok == NB_SENDS && set.consumer.nb_ok == NB_SENDS);
	for (i = 0; i < NB_SENDS * LEN; i++)
		TEST_TRUE(set.dst.bytes[i] == 'x');
	TEST_TRUE(fast_buf_data_len(from) == LEN);
	return 0;
}

/* The buffer is given back in the callback, before the task. */
static void
free_buffer_first(struct fast_queue *queue, struct doca_comch_consumer_task_post_recv *task)
{
	queue->left += doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task),
			NULL) == DOCA_SUCCESS;
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void
free_source_first(struct fast_queue *queue, struct doca_comch_producer_task_send *task)
{
	/* as programs do it */
	struct doca_buf *buf = (struct doca_buf *)(uintptr_t)
		doca_comch_producer_task_send_get_buf(task);

	queue->left += doca_buf_dec_refcount(buf, NULL) == DOCA_SUCCESS;
	doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static int
test_gap_05_buffer_before_task(void)
{
	TEST_CALL(fast_set_open(&set, 2, LEN));
	set.consumer.on_received = free_buffer_first;
	set.producer.on_sent = free_source_first;
	TEST_OK(fast_post(&set.consumer, fast_buf(&set.dst, 0, LEN)));
	TEST_OK(fast_send(&set.producer, set.consumer.id, fast_buf_full(&set.src, 0, LEN), NULL,
			0));
	FAST_WAIT(&set.pair, set.producer.nb_ok == 1 && set.consumer.nb_ok == 1);
	TEST_TRUE(set.producer.left == 1 && set.consumer.left == 1);
	return fast_set_close(&set);
}

/* A send is tried again and again in a callback, in which nobody progresses. */
static void
send_until_taken(struct fast_queue *queue, struct doca_comch_producer_task_send *task)
{
	struct doca_task *base = doca_comch_producer_task_send_as_task(task);
	unsigned int tries = 0;

	if (queue->left == 0) {
		doca_task_free(base);
		return;
	}
	queue->left--;
	/* the consumer posts meanwhile, which in a program is another thread */
	while (doca_task_submit(base) == DOCA_ERROR_AGAIN && tries < 100)
		if (++tries == 10)
			fast_post(&set.consumer, queue->arg);
	queue->status = tries < 100 ? DOCA_SUCCESS : DOCA_ERROR_AGAIN;
}

static int
test_gap_05_again_in_callback(void)
{
	TEST_CALL(fast_set_open(&set, 2, LEN));
	set.producer.on_sent = send_until_taken;
	set.producer.left = 1;
	set.producer.arg = fast_buf(&set.dst, 0, LEN);
	TEST_OK(fast_post(&set.consumer, NULL));
	TEST_OK(fast_send(&set.producer, set.consumer.id, NULL, "x", 1));
	FAST_WAIT(&set.pair, set.producer.nb_ok == 2 && set.consumer.nb_ok == 2);
	TEST_OK(set.producer.status);
	TEST_OK(doca_buf_dec_refcount(set.producer.arg, NULL));
	return fast_set_close(&set);
}

/* Maps are of other opens of the function than the connection; any alignment and length. */
static int
test_gap_06_other_opens(void)
{
	struct doca_dev *src_dev, *dst_dev;
	struct doca_buf *from, *to;
	char text[] = "-odd";
	struct doca_mmap *map;

	memset(&set, 0, sizeof(set));
	TEST_CALL(fast_pair_open(&set.pair));
	TEST_OK(test_dev_open(TEST_DEV, &src_dev));
	TEST_OK(test_dev_open(TEST_DEV, &dst_dev));
	TEST_CALL(fast_mem_open(&set.dst, dst_dev, 5, DOCA_ACCESS_FLAG_PCI_READ_WRITE, 4));
	/* a piece of the stack */
	TEST_OK(doca_mmap_create(&map));
	TEST_OK(doca_mmap_add_dev(map, src_dev));
	TEST_OK(doca_mmap_set_memrange(map, text + 1, strlen(text + 1)));
	TEST_OK(doca_mmap_start(map));
	TEST_OK(doca_buf_inventory_buf_get_by_data(set.dst.inventory, map, text + 1, 3, &from));
	to = fast_buf(&set.dst, 1, 3);
	/* and the devices go before the maps */
	TEST_OK(doca_dev_close(src_dev));
	TEST_OK(doca_dev_close(dst_dev));
	TEST_CALL(fast_consumer_run(&set.consumer, &set.pair, &set.pair.server, set.dst.map, 1));
	TEST_CALL(fast_producer_run(&set.producer, set.pair.client.conn, set.pair.client.pe, 1));
	TEST_OK(fast_post(&set.consumer, to));
	TEST_OK(fast_send(&set.producer, set.consumer.id, from, NULL, 0));
	FAST_WAIT(&set.pair, set.producer.nb_ok == 1 && set.consumer.nb_ok == 1);
	TEST_TRUE(memcmp(set.dst.bytes, "\0odd\0", 5) == 0);
	TEST_OK(doca_buf_dec_refcount(from, NULL));
	TEST_OK(doca_buf_dec_refcount(to, NULL));
	TEST_OK(doca_mmap_destroy(map));
	TEST_CALL(fast_mem_close(&set.dst));
	TEST_CALL(fast_queue_close(&set.producer, &set.pair));
	TEST_CALL(fast_queue_close(&set.consumer, &set.pair));
	return fast_pair_close(&set.pair);
}

const struct test_case test_fast_gaps[] = {
	TEST_CASE(test_gap_04_free_submitted),
	TEST_CASE(test_gap_05_one_buffer),
	TEST_CASE(test_gap_05_buffer_before_task),
	TEST_CASE(test_gap_05_again_in_callback),
	TEST_CASE(test_gap_06_other_opens),
	TEST_CASES_END(),
};
