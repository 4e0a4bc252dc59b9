/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The fast path between two processes, and with an engine of its own in another thread
 * than that of the connection. The child is forked before anything is started.
 */

#include <pthread.h>

#include "util_fast.h"

#define LEN 4096
#define NB_TASKS 8
#define NB_MSGS 1000

/* One side of a two-way transfer. */
struct side {
	struct test_side side;
	struct fast_mem mem; /* the first half is received into */
	struct fast_queue producer, consumer;
	struct doca_pe *pe;
	unsigned int nb_posted, nb_sent;
};

static struct side mine;

static void
post_next(struct fast_queue *queue, struct doca_comch_consumer_task_post_recv *task)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	struct doca_task *base = doca_comch_consumer_task_post_recv_as_task(task);
	uint32_t *number;

	if (doca_task_get_status(base) == DOCA_SUCCESS &&
			doca_buf_get_data(buf, (void **)&number) == DOCA_SUCCESS) {
		/* in order, and whole */
		queue->left += *number == queue->nb_ok && fast_buf_data_len(buf) == LEN;
		doca_buf_reset_data_len(buf);
		if (doca_task_submit(base) == DOCA_SUCCESS)
			return;
	}
	doca_buf_dec_refcount(buf, NULL);
	doca_task_free(base);
}

static int
side_open(struct side *s, struct doca_pe *pe)
{
	unsigned int i;

	s->pe = pe;
	TEST_CALL(fast_mem_open(&s->mem, s->side.dev, 2 * NB_TASKS * LEN,
			DOCA_ACCESS_FLAG_PCI_READ_WRITE, 2 * NB_TASKS));
	TEST_CALL(fast_consumer_create(&s->consumer, s->side.conn, pe, s->mem.map, NB_TASKS));
	s->consumer.on_received = post_next;
	TEST_RESULT(doca_ctx_start(s->consumer.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_CALL(fast_producer_run(&s->producer, s->side.conn, pe, NB_TASKS));
	FAST_UNTIL(fast_state(s->consumer.ctx) == DOCA_CTX_STATE_RUNNING &&
			s->side.consumers != 0, (doca_pe_progress(s->side.pe),
			doca_pe_progress(pe)));
	for (i = 0; i < NB_TASKS; i++)
		TEST_OK(fast_post(&s->consumer, fast_buf(&s->mem, i * LEN, LEN)));
	return 0;
}

/* Send the next message if there is a task, a buffer and room. */
static int
side_send(struct side *s)
{
	unsigned int place = NB_TASKS + s->nb_sent % NB_TASKS;
	uint32_t number = s->nb_sent + 1;
	struct doca_buf *buf;
	doca_error_t result;

	if (s->nb_sent == NB_MSGS || s->nb_sent - s->producer.nb_ok == NB_TASKS)
		return 0;
	memcpy(s->mem.bytes + place * LEN, &number, sizeof(number));
	buf = fast_buf_full(&s->mem, place * LEN, LEN);
	TEST_TRUE(buf != NULL);
	result = fast_send(&s->producer, s->side.consumer_id, buf, NULL, 0);
	TEST_TRUE(result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN);
	s->nb_sent += result == DOCA_SUCCESS;
	/* a task that is submitted keeps it */
	TEST_OK(doca_buf_dec_refcount(buf, NULL));
	return 0;
}

static int
side_transfer(struct side *s)
{
	int bad = 0;

	FAST_UNTIL(bad != 0 || (s->producer.nb_ok == NB_MSGS && s->consumer.nb_ok == NB_MSGS),
			(bad |= side_send(s), doca_pe_progress(s->pe),
			doca_pe_progress(s->side.pe)));
	TEST_TRUE(bad == 0 && s->consumer.left == NB_MSGS);
	return 0;
}

static int
side_queues_close(struct side *s)
{
	doca_ctx_stop(s->producer.ctx);
	doca_ctx_stop(s->consumer.ctx);
	FAST_UNTIL(fast_state(s->producer.ctx) == DOCA_CTX_STATE_IDLE &&
			fast_state(s->consumer.ctx) == DOCA_CTX_STATE_IDLE,
			(doca_pe_progress(s->pe), doca_pe_progress(s->side.pe)));
	TEST_OK(doca_comch_producer_destroy(s->producer.producer));
	TEST_OK(doca_comch_consumer_destroy(s->consumer.consumer));
	return fast_mem_close(&s->mem);
}

/* Both have all when both have said so. */
static int
side_goodbye(struct side *s)
{
	TEST_OK(test_send(&s->side, "done"));
	FAST_UNTIL(s->side.received != 0, doca_pe_progress(s->side.pe));
	return side_queues_close(s);
}

static int
server_open(struct side *s)
{
	TEST_OK(test_server_make(&s->side, NULL, "processes"));
	TEST_OK(doca_ctx_start(s->side.ctx));
	FAST_UNTIL(s->side.conn != NULL, doca_pe_progress(s->side.pe));
	return side_open(s, s->side.pe);
}

static int
client_open(struct side *s)
{
	TEST_OK(test_client_make(&s->side, NULL, "processes"));
	TEST_RESULT(doca_ctx_start(s->side.ctx), DOCA_ERROR_IN_PROGRESS);
	FAST_UNTIL(s->side.conn != NULL, doca_pe_progress(s->side.pe));
	return side_open(s, s->side.pe);
}

static int
server_process(struct test_other *other, void *arg)
{
	(void)other;
	(void)arg;
	TEST_CALL(server_open(&mine));
	TEST_CALL(side_transfer(&mine));
	TEST_CALL(side_goodbye(&mine));
	FAST_UNTIL(mine.side.conn == NULL, doca_pe_progress(mine.side.pe));
	TEST_OK(test_side_end(&mine.side, NULL));
	return 0;
}

static int
client_process(void)
{
	TEST_CALL(client_open(&mine));
	TEST_CALL(side_transfer(&mine));
	TEST_CALL(side_goodbye(&mine));
	TEST_OK(test_side_end(&mine.side, NULL));
	return 0;
}

static int
test_fast_two_processes(void)
{
	struct test_other other;

	TEST_CALL(test_other_start(&other, server_process, NULL));
	TEST_CALL(client_process());
	return test_other_end(&other);
}

/* A server of a data path: it answers to what it receives, and stops at once. */
static void
answer_and_stop(struct test_side *side, struct doca_comch_connection *conn)
{
	(void)conn;
	if (test_send(side, "end of data") == DOCA_SUCCESS)
		side->stop_result = doca_ctx_stop(side->ctx);
}

static int
data_path_server(struct test_other *other, void *arg)
{
	int bad = 0;

	(void)other;
	(void)arg;
	TEST_CALL(server_open(&mine));
	mine.side.on_receive = answer_and_stop;
	/* all data, and then a stop without any progress */
	FAST_UNTIL(bad != 0 || mine.nb_sent == NB_TASKS,
			(doca_pe_progress(mine.side.pe), bad |= side_send(&mine)));
	TEST_CALL(side_queues_close(&mine));
	TEST_TRUE(bad == 0 && mine.producer.nb_ok == NB_TASKS && mine.producer.nb_failed == 0);
	TEST_OK(test_send(&mine.side, "that was all")); /* a server with queues cannot stop */
	FAST_UNTIL(mine.side.received != 0 && fast_state(mine.side.ctx) == DOCA_CTX_STATE_IDLE,
			doca_pe_progress(mine.side.pe));
	TEST_RESULT(mine.side.stop_result, DOCA_ERROR_IN_PROGRESS);
	TEST_TRUE(mine.side.sent == 2 && mine.side.failed == 0);
	TEST_OK(test_side_end(&mine.side, NULL));
	return 0;
}

static int
test_fast_data_path_server(void)
{
	struct test_other other;

	TEST_CALL(test_other_start(&other, data_path_server, NULL));
	TEST_CALL(client_open(&mine));
	FAST_UNTIL(mine.consumer.nb_ok == NB_TASKS, doca_pe_progress(mine.side.pe));
	TEST_TRUE(mine.consumer.left == NB_TASKS);
	TEST_CALL(side_queues_close(&mine));
	FAST_UNTIL(mine.side.received == 1, doca_pe_progress(mine.side.pe));
	TEST_OK(test_send(&mine.side, "the data is here"));
	FAST_UNTIL(fast_state(mine.side.ctx) == DOCA_CTX_STATE_IDLE,
			doca_pe_progress(mine.side.pe));
	TEST_TRUE(mine.side.received == 2 && mine.side.sent == 1 && mine.side.failed == 0);
	TEST_HAS(mine.side.message, "end of data");
	TEST_OK(test_side_end(&mine.side, NULL));
	return test_other_end(&other);
}

/* It is killed. */
static int
lasting_server(struct test_other *other, void *arg)
{
	(void)other;
	(void)arg;
	TEST_CALL(server_open(&mine));
	FAST_UNTIL(false, doca_pe_progress(mine.side.pe));
	return 0;
}

/* The peer is killed: posts and sends end, both contexts are IDLE, and so is the client. */
static int
test_fast_peer_killed(void)
{
	struct fast_queue *producer = &mine.producer, *consumer = &mine.consumer;
	struct test_other other;

	TEST_CALL(test_other_start(&other, lasting_server, NULL));
	TEST_CALL(client_open(&mine));
	FAST_UNTIL(fast_send(producer, mine.side.consumer_id, NULL, "x", 1) == DOCA_SUCCESS,
			doca_pe_progress(mine.side.pe));
	FAST_UNTIL(producer->nb_ok == 1, doca_pe_progress(mine.side.pe));
	test_other_kill(&other);
	FAST_UNTIL(fast_state(consumer->ctx) == DOCA_CTX_STATE_IDLE &&
			fast_state(producer->ctx) == DOCA_CTX_STATE_IDLE,
			doca_pe_progress(mine.side.pe));
	TEST_TRUE(consumer->nb_failed == NB_TASKS &&
			consumer->status == DOCA_ERROR_CONNECTION_RESET);
	TEST_TRUE(fast_send(producer, mine.side.consumer_id, NULL, "x", 1) != DOCA_SUCCESS);
	TEST_OK(doca_comch_producer_destroy(producer->producer));
	TEST_OK(doca_comch_consumer_destroy(consumer->consumer));
	TEST_CALL(fast_mem_close(&mine.mem));
	FAST_UNTIL(fast_state(mine.side.ctx) == DOCA_CTX_STATE_IDLE,
			doca_pe_progress(mine.side.pe));
	TEST_OK(test_side_end(&mine.side, NULL));
	return 0;
}

/* As programs do it in a callback: submit until there is room, and progress nothing. */
static int
test_fast_peer_killed_full(void)
{
	struct fast_queue *producer = &mine.producer, many = {0};
	doca_error_t result = DOCA_SUCCESS;
	struct test_other other;

	TEST_CALL(test_other_start(&other, lasting_server, NULL));
	TEST_CALL(client_open(&mine));
	TEST_CALL(fast_producer_run(&many, mine.side.conn, mine.side.pe, 4 * NB_TASKS));
	test_other_kill(&other);
	FAST_UNTIL(result != DOCA_SUCCESS && result != DOCA_ERROR_AGAIN,
			result = fast_send(&many, mine.side.consumer_id, NULL, "x", 1));
	TEST_RESULT(result, DOCA_ERROR_NOT_CONNECTED);
	/* and from then on */
	TEST_RESULT(fast_send(&many, mine.side.consumer_id, NULL, "x", 1),
			DOCA_ERROR_NOT_CONNECTED);
	FAST_UNTIL(fast_state(many.ctx) == DOCA_CTX_STATE_IDLE &&
			fast_state(producer->ctx) == DOCA_CTX_STATE_IDLE &&
			fast_state(mine.consumer.ctx) == DOCA_CTX_STATE_IDLE,
			doca_pe_progress(mine.side.pe));
	TEST_OK(doca_comch_producer_destroy(many.producer));
	TEST_OK(doca_comch_producer_destroy(producer->producer));
	TEST_OK(doca_comch_consumer_destroy(mine.consumer.consumer));
	TEST_CALL(fast_mem_close(&mine.mem));
	FAST_UNTIL(fast_state(mine.side.ctx) == DOCA_CTX_STATE_IDLE,
			doca_pe_progress(mine.side.pe));
	TEST_OK(test_side_end(&mine.side, NULL));
	return 0;
}

/*
 * As programs do it: the main thread progresses the connection, another one has an engine
 * with the producer and the consumer.
 */
static int worker_failed = -1;

static int
worker_open(struct side *s)
{
	unsigned int i;

	TEST_OK(doca_pe_create(&s->pe));
	TEST_CALL(fast_consumer_create(&s->consumer, s->side.conn, s->pe, s->mem.map, NB_TASKS));
	s->consumer.on_received = post_next;
	TEST_RESULT(doca_ctx_start(s->consumer.ctx), DOCA_ERROR_IN_PROGRESS);
	FAST_UNTIL(fast_state(s->consumer.ctx) == DOCA_CTX_STATE_RUNNING,
			doca_pe_progress(s->pe));
	TEST_CALL(fast_producer_run(&s->producer, s->side.conn, s->pe, NB_TASKS));
	for (i = 0; i < NB_TASKS; i++)
		TEST_OK(fast_post(&s->consumer, fast_buf(&s->mem, i * LEN, LEN)));
	return 0;
}

static int
worker_run(struct side *s)
{
	int bad = 0;

	TEST_CALL(worker_open(s));
	FAST_UNTIL(__atomic_load_n(&s->side.consumers, __ATOMIC_ACQUIRE) != 0,
			doca_pe_progress(s->pe));
	FAST_UNTIL(bad != 0 || (s->producer.nb_ok == NB_MSGS && s->consumer.nb_ok == NB_MSGS),
			(bad |= side_send(s), doca_pe_progress(s->pe)));
	TEST_TRUE(bad == 0 && s->consumer.left == NB_MSGS);
	/* the consumer stays as long as the peer sends, which is what the main thread ends */
	return 0;
}

static void *
worker(void *arg)
{
	int failed = worker_run(arg);

	__atomic_store_n(&worker_failed, failed != 0, __ATOMIC_RELEASE);
	return NULL;
}

static int
test_fast_thread(void)
{
	pthread_t thread;
	struct test_other other;

	TEST_CALL(test_other_start(&other, server_process, NULL));
	TEST_OK(test_client_make(&mine.side, NULL, "processes"));
	TEST_RESULT(doca_ctx_start(mine.side.ctx), DOCA_ERROR_IN_PROGRESS);
	FAST_UNTIL(mine.side.conn != NULL, doca_pe_progress(mine.side.pe));
	TEST_CALL(fast_mem_open(&mine.mem, mine.side.dev, 2 * NB_TASKS * LEN,
			DOCA_ACCESS_FLAG_PCI_READ_WRITE, 2 * NB_TASKS));
	TEST_TRUE(pthread_create(&thread, NULL, worker, &mine) == 0);
	FAST_UNTIL(__atomic_load_n(&worker_failed, __ATOMIC_ACQUIRE) >= 0,
			doca_pe_progress(mine.side.pe));
	TEST_TRUE(pthread_join(thread, NULL) == 0 && worker_failed == 0);
	TEST_CALL(side_goodbye(&mine));
	TEST_OK(doca_pe_destroy(mine.pe));
	TEST_OK(test_side_end(&mine.side, NULL));
	return test_other_end(&other);
}

/* What the peer of test_fast_alone does: the consumer comes and goes twice. */
static int
alone_server(struct test_other *other, void *arg)
{
	(void)other;
	(void)arg;
	TEST_OK(test_server_make(&mine.side, NULL, "processes"));
	TEST_OK(doca_ctx_start(mine.side.ctx));
	FAST_UNTIL(mine.side.conn != NULL, doca_pe_progress(mine.side.pe));
	FAST_UNTIL(mine.side.conn == NULL, doca_pe_progress(mine.side.pe));
	TEST_TRUE(mine.side.consumers == 2 && mine.side.consumers_gone == 2);
	TEST_OK(test_side_end(&mine.side, NULL));
	return 0;
}

/*
 * As the vendor's storage application ends: an engine that has the consumer alone, and is
 * the only one that is progressed until the consumer is IDLE.
 */
static int
consumer_alone(struct doca_pe *pe)
{
	struct fast_queue *consumer = &mine.consumer;
	unsigned int i;

	for (i = 0; i < NB_TASKS; i++)
		TEST_OK(fast_post(consumer, fast_buf(&mine.mem, i * LEN, LEN)));
	consumer->nb_failed = 0;
	TEST_RESULT(doca_ctx_stop(consumer->ctx), DOCA_ERROR_IN_PROGRESS);
	FAST_UNTIL(fast_state(consumer->ctx) == DOCA_CTX_STATE_IDLE, doca_pe_progress(pe));
	TEST_TRUE(consumer->nb_ok == 0 && consumer->nb_failed == NB_TASKS);
	TEST_TRUE(consumer->status == DOCA_ERROR_SHUTDOWN);
	return 0;
}

static int
test_fast_alone(void)
{
	struct fast_queue *consumer = &mine.consumer;
	struct test_other other;
	struct doca_pe *pe;
	int i;

	TEST_CALL(test_other_start(&other, alone_server, NULL));
	TEST_OK(test_client_make(&mine.side, NULL, "processes"));
	TEST_RESULT(doca_ctx_start(mine.side.ctx), DOCA_ERROR_IN_PROGRESS);
	FAST_UNTIL(mine.side.conn != NULL, doca_pe_progress(mine.side.pe));
	TEST_CALL(fast_mem_open(&mine.mem, mine.side.dev, NB_TASKS * LEN,
			DOCA_ACCESS_FLAG_PCI_READ_WRITE, NB_TASKS));
	TEST_OK(doca_pe_create(&pe));
	TEST_CALL(fast_consumer_create(consumer, mine.side.conn, pe, mine.mem.map, NB_TASKS));
	consumer->on_received = post_next;
	for (i = 0; i < 2; i++) { /* the second time after a restart */
		TEST_RESULT(doca_ctx_start(consumer->ctx), DOCA_ERROR_IN_PROGRESS);
		FAST_UNTIL(fast_state(consumer->ctx) == DOCA_CTX_STATE_RUNNING,
				(doca_pe_progress(pe), doca_pe_progress(mine.side.pe)));
		TEST_CALL(consumer_alone(pe));
	}
	TEST_OK(doca_comch_consumer_destroy(consumer->consumer));
	TEST_OK(doca_pe_destroy(pe));
	TEST_CALL(fast_mem_close(&mine.mem));
	TEST_OK(test_side_end(&mine.side, NULL));
	return test_other_end(&other);
}

const struct test_case test_fast_process[] = {
	TEST_CASE(test_fast_two_processes),
	TEST_CASE(test_fast_data_path_server),
	TEST_CASE(test_fast_peer_killed),
	TEST_CASE(test_fast_peer_killed_full),
	TEST_CASE(test_fast_thread),
	TEST_CASE(test_fast_alone),
	TEST_CASES_END(),
};
