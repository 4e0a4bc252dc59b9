/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Maps and buffers that producers and consumers use: memory of every kind, and the orders
 * in which programs let go of all that.
 */

#include <pthread.h>

#include "test_mem.h"
#include "util_fast.h"

#define LEN 8192

static struct fast_set set;

/* A consumer of the server with nothing else. */
static int
consumer_open(size_t nb_bufs)
{
	TEST_CALL(fast_pair_open(&set.pair));
	TEST_CALL(fast_mem_open(&set.dst, set.pair.server.dev, LEN,
			DOCA_ACCESS_FLAG_PCI_READ_WRITE, nb_bufs));
	return fast_consumer_run(&set.consumer, &set.pair, &set.pair.server, set.dst.map, 4);
}

static bool
consumer_idle(void)
{
	return fast_state(set.consumer.ctx) == DOCA_CTX_STATE_IDLE;
}

/*
 * Tasks that are submitted are freed, their buffers given back, the inventory and the map
 * destroyed, the memory freed, and only then the consumer stops.
 */
static int
test_use_dropped(void)
{
	struct doca_comch_consumer_task_post_recv *tasks[4];
	struct doca_buf *bufs[4], *more;
	struct fast_mem *mem = &set.dst;
	int i;

	TEST_CALL(consumer_open(4));
	for (i = 0; i < 4; i++) {
		bufs[i] = fast_buf(mem, 1024 * i, 1024);
		TEST_OK(doca_comch_consumer_task_post_recv_alloc_init(set.consumer.consumer,
				bufs[i], &tasks[i]));
		TEST_OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(tasks[i])));
	}
	TEST_RESULT(doca_mmap_destroy(mem->map), DOCA_ERROR_NOT_PERMITTED);
	TEST_RESULT(doca_buf_inventory_destroy(mem->inventory), DOCA_ERROR_IN_USE);
	for (i = 0; i < 4; i++)
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(tasks[i]));
	for (i = 0; i < 4; i++)
		TEST_OK(doca_buf_dec_refcount(bufs[i], NULL));
	/* the program has none, and cannot have those that tasks use */
	TEST_TRUE(test_map_bufs(mem->map) == 0 && test_inventory_free(mem->inventory) == 0);
	TEST_RESULT(doca_buf_inventory_buf_get_by_addr(mem->inventory, mem->map, mem->bytes, 1,
			&more), DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_buf_inc_refcount(bufs[0], NULL), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_buf_inventory_destroy(mem->inventory));
	TEST_OK(doca_mmap_destroy(mem->map));
	free(mem->bytes);
	doca_ctx_stop(set.consumer.ctx);
	FAST_WAIT(&set.pair, consumer_idle());
	TEST_CALL(fast_queue_close(&set.consumer, &set.pair));
	return fast_pair_close(&set.pair);
}

/* The same, but the inventory stays: its elements come back. */
static int
test_use_returned(void)
{
	struct doca_comch_consumer_task_post_recv *task;
	struct fast_mem *mem = &set.dst;
	struct doca_buf *buf;

	TEST_CALL(consumer_open(1));
	buf = fast_buf(mem, 0, 1024);
	TEST_OK(doca_comch_consumer_task_post_recv_alloc_init(set.consumer.consumer, buf, &task));
	TEST_OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	TEST_OK(doca_buf_dec_refcount(buf, NULL));
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	TEST_TRUE(test_inventory_free(mem->inventory) == 0);
	doca_ctx_stop(set.consumer.ctx);
	FAST_WAIT(&set.pair, consumer_idle());
	TEST_TRUE(test_inventory_free(mem->inventory) == 1);
	buf = fast_buf(mem, 0, 10);
	TEST_TRUE(buf != NULL);
	TEST_OK(doca_buf_dec_refcount(buf, NULL));
	TEST_CALL(fast_queue_close(&set.consumer, &set.pair));
	TEST_CALL(fast_mem_close(mem));
	return fast_pair_close(&set.pair);
}

/* The memory is freed before the map, and the map destroyed before the inventory. */
static int
test_use_memory_first(void)
{
	struct doca_buf *from, *to;

	TEST_CALL(fast_set_open(&set, 1, LEN));
	from = fast_buf_full(&set.src, 0, LEN);
	to = fast_buf(&set.dst, 0, LEN);
	TEST_OK(fast_post(&set.consumer, to));
	FAST_UNTIL(fast_send(&set.producer, set.consumer.id, from, NULL, 0) == DOCA_SUCCESS,
			fast_pair_progress(&set.pair));
	FAST_WAIT(&set.pair, set.consumer.nb_ok == 1 && set.producer.nb_ok == 1);
	TEST_CALL(fast_queue_close(&set.producer, &set.pair));
	TEST_CALL(fast_queue_close(&set.consumer, &set.pair));
	TEST_OK(doca_buf_dec_refcount(from, NULL));
	TEST_OK(doca_buf_dec_refcount(to, NULL));
	TEST_CALL(fast_pair_close(&set.pair)); /* closes the devices */
	free(set.src.bytes);
	free(set.dst.bytes);
	TEST_OK(doca_mmap_destroy(set.src.map));
	TEST_OK(doca_mmap_destroy(set.dst.map));
	TEST_OK(doca_buf_inventory_destroy(set.src.inventory));
	TEST_OK(doca_buf_inventory_destroy(set.dst.inventory));
	return 0;
}

static unsigned int nb_freed;

static void
on_free(void *addr, size_t len, void *cookie)
{
	(void)len;
	(void)cookie;
	free(addr);
	nb_freed++;
}

/* A consumer keeps its memory, whatever the program does with the map. */
static int
test_use_held(void)
{
	struct fast_mem *mem = &set.dst;
	int i;

	TEST_CALL(fast_pair_open(&set.pair));
	TEST_CALL(fast_mem_open(mem, set.pair.server.dev, LEN, DOCA_ACCESS_FLAG_PCI_READ_WRITE,
			1));
	TEST_OK(doca_mmap_stop(mem->map));
	TEST_OK(doca_mmap_set_free_cb(mem->map, on_free, NULL));
	TEST_OK(doca_mmap_start(mem->map));
	for (i = 0; i < 2; i++) {
		memset(&set.consumer, 0, sizeof(set.consumer));
		TEST_CALL(fast_consumer_create(&set.consumer, set.pair.server.conn,
				set.pair.server.pe, mem->map, 1));
		TEST_RESULT(doca_ctx_start(set.consumer.ctx), DOCA_ERROR_IN_PROGRESS);
		FAST_WAIT(&set.pair, fast_state(set.consumer.ctx) == DOCA_CTX_STATE_RUNNING);
		TEST_OK(fast_post(&set.consumer, NULL));
		if (i == 0) {
			/* stopped, it starts again when the consumer is IDLE */
			TEST_OK(doca_mmap_stop(mem->map));
			TEST_RESULT(doca_mmap_start(mem->map), DOCA_ERROR_IN_USE);
		} else {
			TEST_OK(doca_mmap_destroy(mem->map));
		}
		TEST_TRUE(nb_freed == 0);
		TEST_CALL(fast_queue_close(&set.consumer, &set.pair));
		if (i == 0)
			TEST_OK(doca_mmap_start(mem->map));
	}
	TEST_TRUE(nb_freed == 1);
	TEST_OK(doca_buf_inventory_destroy(mem->inventory));
	return fast_pair_close(&set.pair);
}

/* A map of another function is refused; one of another handle is taken: test_gap_06. */
static int
test_use_function(void)
{
	struct doca_dev *dev;

	TEST_CALL(fast_pair_open(&set.pair));
	TEST_OK(test_dev_open("03:00.1", &dev));
	TEST_CALL(fast_mem_open(&set.dst, dev, LEN, DOCA_ACCESS_FLAG_PCI_READ_WRITE, 1));
	TEST_CALL(fast_consumer_create(&set.consumer, set.pair.server.conn, set.pair.server.pe,
			set.dst.map, 1));
	TEST_RESULT(doca_ctx_start(set.consumer.ctx), DOCA_ERROR_INVALID_VALUE);
	TEST_CALL(fast_queue_close(&set.consumer, &set.pair));
	TEST_CALL(fast_mem_close(&set.dst));
	TEST_OK(doca_dev_close(dev));
	return fast_pair_close(&set.pair);
}

/* Send one message from and to these bytes. */
static int
send_bytes(char *from, char *to, size_t len)
{
	struct doca_buf_inventory *inventory;
	struct doca_mmap *from_map, *to_map;
	struct doca_buf *src, *dst;

	TEST_OK(test_map_start(from, len, &from_map));
	TEST_OK(test_map_start(to, len, &to_map));
	TEST_OK(test_inventory_start(2, &inventory));
	TEST_OK(doca_buf_inventory_buf_get_by_data(inventory, from_map, from, len, &src));
	TEST_OK(doca_buf_inventory_buf_get_by_addr(inventory, to_map, to, len, &dst));
	memset(&set.consumer, 0, sizeof(set.consumer));
	set.producer.nb_ok = 0;
	TEST_CALL(fast_consumer_run(&set.consumer, &set.pair, &set.pair.server, to_map, 1));
	TEST_OK(fast_post(&set.consumer, dst));
	FAST_UNTIL(fast_send(&set.producer, set.consumer.id, src, NULL, 0) == DOCA_SUCCESS,
			fast_pair_progress(&set.pair));
	FAST_WAIT(&set.pair, set.consumer.nb_ok == 1 && set.producer.nb_ok == 1);
	TEST_TRUE(memcmp(from, to, len) == 0 && fast_buf_data_len(dst) == len);
	TEST_CALL(fast_queue_close(&set.consumer, &set.pair));
	TEST_OK(doca_buf_dec_refcount(src, NULL));
	TEST_OK(doca_buf_dec_refcount(dst, NULL));
	TEST_OK(doca_mmap_destroy(from_map));
	TEST_OK(doca_mmap_destroy(to_map));
	TEST_OK(doca_buf_inventory_destroy(inventory));
	return 0;
}

/* Memory of the stack, of malloc() and of the program, of odd places and lengths. */
static int
test_use_memory(void)
{
	static char fixed[3 * 4096 + 5];
	static const size_t lens[] = {1, 5, 4095, 4096, 4097, 8200};
	char stack[2 * 4096 + 77], *heap = malloc(sizeof(stack)), *zero;
	unsigned int i, j;

	TEST_CALL(fast_pair_open(&set.pair));
	TEST_CALL(fast_producer_run(&set.producer, set.pair.client.conn, set.pair.client.pe, 1));
	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		memset(stack, 'a' + i, sizeof(stack));
		memset(heap, 'A' + i, sizeof(stack));
		TEST_CALL(send_bytes(stack + 3, heap + 1, lens[i]));
		TEST_CALL(send_bytes(heap + 1, fixed + i, lens[i]));
		/* what lies beside it is untouched */
		TEST_TRUE(heap[0] == (char)('A' + i) && heap[1 + lens[i]] == (char)('A' + i));
		memset(fixed, '0' + i, sizeof(fixed));
		TEST_CALL(send_bytes(fixed + 7, stack + 9, lens[i]));
		TEST_TRUE(stack[8] == (char)('a' + i));
		for (j = 0; j < 9; j++) {
			zero = stack + 9 + lens[i] + j;
			TEST_TRUE(zero >= stack + sizeof(stack) || *zero == (char)('a' + i));
		}
	}
	TEST_CALL(fast_queue_close(&set.producer, &set.pair));
	free(heap);
	return fast_pair_close(&set.pair);
}

/* What another process has exported cannot be sent from, and not received into. */
static int
test_use_imported(void)
{
	struct doca_comch_producer_task_send *task;
	struct doca_mmap *imported;
	struct doca_buf *buf;
	doca_error_t result;
	const void *desc;
	size_t len;

	TEST_CALL(fast_set_open(&set, 1, LEN));
	TEST_OK(doca_mmap_export_pci(set.dst.map, set.pair.server.dev, &desc, &len));
	TEST_OK(doca_mmap_create_from_export(NULL, desc, len, set.pair.client.dev, &imported));
	TEST_OK(doca_buf_inventory_buf_get_by_data(set.src.inventory, imported, set.dst.bytes,
			10, &buf));
	result = doca_comch_producer_task_send_alloc_init(set.producer.producer, buf, NULL, 0,
			set.consumer.id, &task);
	if (result == DOCA_SUCCESS) {
		result = doca_task_submit(doca_comch_producer_task_send_as_task(task));
		doca_task_free(doca_comch_producer_task_send_as_task(task));
	}
	TEST_RESULT(result, DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_buf_dec_refcount(buf, NULL));
	TEST_OK(doca_mmap_destroy(imported));
	return fast_set_close(&set);
}

/* A task whose buffer was given back is refused when it is submitted again. */
static int
test_use_given_back(void)
{
	struct doca_comch_producer_task_send *task;
	struct doca_buf *buf;

	TEST_CALL(fast_set_open(&set, 1, LEN));
	buf = fast_buf_full(&set.src, 0, 10);
	TEST_OK(doca_comch_producer_task_send_alloc_init(set.producer.producer, buf, NULL, 0,
			set.consumer.id, &task));
	/* with no buffer posted it is refused, and the task has all it needs */
	TEST_RESULT(doca_task_submit(doca_comch_producer_task_send_as_task(task)),
			DOCA_ERROR_AGAIN);
	TEST_OK(doca_buf_dec_refcount(buf, NULL));
	TEST_RESULT(doca_task_submit(doca_comch_producer_task_send_as_task(task)),
			DOCA_ERROR_INVALID_VALUE);
	doca_task_free(doca_comch_producer_task_send_as_task(task));
	return fast_set_close(&set);
}

static struct doca_comch_consumer_task_post_recv *returned_task;
static doca_error_t returned_result;

static void
returned_again(struct fast_queue *queue, struct doca_comch_consumer_task_post_recv *task)
{
	(void)queue;
	returned_task = task;
	returned_result = doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task));
}

/*
 * The same of a receive task: its buffer is given back while it is submitted, and it is
 * submitted again with it in its callback.
 */
static int
test_use_given_back_recv(void)
{
	struct doca_task *task;
	struct doca_buf *buf;

	TEST_CALL(fast_set_open(&set, 1, LEN));
	set.consumer.on_received = returned_again;
	buf = fast_buf(&set.dst, 0, 10);
	TEST_OK(fast_post(&set.consumer, buf));
	TEST_OK(doca_buf_dec_refcount(buf, NULL));
	FAST_UNTIL(fast_send(&set.producer, set.consumer.id, NULL, "a", 1) == DOCA_SUCCESS,
			fast_pair_progress(&set.pair));
	FAST_WAIT(&set.pair, set.consumer.nb_ok == 1 && set.producer.nb_ok == 1);
	TEST_RESULT(returned_result, DOCA_ERROR_INVALID_VALUE);
	task = doca_comch_consumer_task_post_recv_as_task(returned_task);
	TEST_TRUE(test_inventory_free(set.dst.inventory) == 2);

	/* and with another one it is taken */
	set.consumer.on_received = NULL;
	buf = fast_buf(&set.dst, 0, 10);
	doca_comch_consumer_task_post_recv_set_buf(returned_task, buf);
	TEST_OK(doca_task_submit(task));
	TEST_OK(doca_buf_dec_refcount(buf, NULL));
	TEST_CALL(fast_queue_close(&set.consumer, &set.pair));
	TEST_TRUE(set.consumer.nb_failed == 1 && test_inventory_free(set.dst.inventory) == 2);
	TEST_CALL(fast_queue_close(&set.producer, &set.pair));
	TEST_CALL(fast_mem_close(&set.src));
	TEST_CALL(fast_mem_close(&set.dst));
	return fast_pair_close(&set.pair);
}

#define NB_THREADS 4
#define NB_TURNS 20000

/* Take and give back buffers of one map, with an inventory of its own. */
static void *
thread_take(void *arg)
{
	struct doca_buf_inventory *inventory;
	struct doca_buf *bufs[2];
	struct fast_mem *mem = arg;
	int i;

	if (test_inventory_start(2, &inventory) != DOCA_SUCCESS)
		return mem;
	for (i = 0; i < NB_TURNS; i++) {
		if (doca_buf_inventory_buf_get_by_addr(inventory, mem->map, mem->bytes + i % LEN,
				1, &bufs[0]) != DOCA_SUCCESS ||
				doca_buf_inventory_buf_dup(inventory, bufs[0], &bufs[1]) !=
				DOCA_SUCCESS ||
				doca_mmap_stop(mem->map) != DOCA_ERROR_NOT_PERMITTED ||
				doca_buf_dec_refcount(bufs[0], NULL) != DOCA_SUCCESS ||
				doca_buf_dec_refcount(bufs[1], NULL) != DOCA_SUCCESS)
			return mem;
	}
	return doca_buf_inventory_destroy(inventory) == DOCA_SUCCESS ? NULL : mem;
}

static int
test_use_threads(void)
{
	pthread_t threads[NB_THREADS];
	struct doca_buf *buf;
	bool good = true;
	void *result;
	int i;

	TEST_CALL(fast_pair_open(&set.pair));
	TEST_CALL(fast_mem_open(&set.src, set.pair.client.dev, LEN,
			DOCA_ACCESS_FLAG_PCI_READ_ONLY, 1));
	/* so that no thread sees a map that can be stopped */
	buf = fast_buf(&set.src, 0, 1);
	for (i = 0; i < NB_THREADS; i++)
		TEST_TRUE(pthread_create(&threads[i], NULL, thread_take, &set.src) == 0);
	for (i = 0; i < NB_THREADS; i++)
		good &= pthread_join(threads[i], &result) == 0 && result == NULL;
	TEST_TRUE(good && test_map_bufs(set.src.map) == 1);
	TEST_OK(doca_buf_dec_refcount(buf, NULL));
	TEST_CALL(fast_mem_close(&set.src));
	return fast_pair_close(&set.pair);
}

const struct test_case test_mem_use[] = {
	TEST_CASE(test_use_dropped),
	TEST_CASE(test_use_returned),
	TEST_CASE(test_use_memory_first),
	TEST_CASE(test_use_held),
	TEST_CASE(test_use_function),
	TEST_CASE(test_use_memory),
	TEST_CASE(test_use_imported),
	TEST_CASE(test_use_given_back),
	TEST_CASE(test_use_given_back_recv),
	TEST_CASE(test_use_threads),
	TEST_CASES_END()
};
