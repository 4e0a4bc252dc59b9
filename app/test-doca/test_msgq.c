/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Message queues with a program: doca_comch_msgq_*(), and what producers, consumers and
 * completion contexts have for the program's side. The program is test_dpa_prog.c.
 */

#define DOCA_ALLOW_EXPERIMENTAL_API

#include <unistd.h>

#include <doca_comch_consumer.h>
#include <doca_comch_msgq.h>
#include <doca_comch_producer.h>

#include "test_comch.h"
#include "test_dpa.h"

#define CREDITS 16
#define CONSUMER_DATA 0x1234u
#define PRODUCER_DATA 0x5678u
#define MESSAGES 5000
#define WAIT_TURNS 20000000

/* Both ways with one thread of the program. */
struct pingpong {
	struct test_dpa t;
	struct doca_comch_msgq *there, *back;
	struct doca_pe *pe;
	struct doca_comch_producer *producer;
	struct doca_comch_consumer *consumer;
	struct doca_comch_consumer *dpa_consumer;
	struct doca_comch_producer *dpa_producer;
	struct doca_comch_consumer_completion *received;
	struct doca_dpa_completion *sent;
	struct doca_dpa_thread *thread;
	doca_dpa_dev_uintptr_t block;
	struct doca_comch_consumer_task_post_recv *recvs[CREDITS];
	uint32_t consumer_id; /* of ours */
	uint32_t dpa_consumer_id;
	uint64_t nb_sent, nb_send_errors, nb_received, nb_wrong, nb_recv_errors;
};

static void
on_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct pingpong *p = ctx_data.ptr;

	(void)task_data;
	p->nb_sent++;
	doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static void
on_send_error(struct doca_comch_producer_task_send *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct pingpong *p = ctx_data.ptr;

	(void)task_data;
	p->nb_send_errors++;
	doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static void
on_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct pingpong *p = ctx_data.ptr;
	struct test_prog_msg msg;

	(void)task_data;
	memset(&msg, 0, sizeof(msg));
	if (doca_comch_consumer_task_post_recv_get_imm_data_len(task) == sizeof(msg))
		memcpy(&msg, doca_comch_consumer_task_post_recv_get_imm_data(task), sizeof(msg));
	if (msg.number != p->nb_received || msg.user_data != CONSUMER_DATA ||
			msg.producer_id != 1 ||
			doca_comch_consumer_task_post_recv_get_producer_id(task) != 1)
		p->nb_wrong++;
	p->nb_received++;
	if (doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)) == DOCA_SUCCESS)
		return;
	/* the program has ended meanwhile */
	p->nb_recv_errors++;
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void
on_recv_error(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct pingpong *p = ctx_data.ptr;

	(void)task_data;
	p->nb_recv_errors++;
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

/* The message queues, one for each direction. */
static int
queues_open(struct pingpong *p)
{
	TEST_OK(doca_comch_msgq_create(p->t.dev, &p->there));
	TEST_OK(doca_comch_msgq_set_dpa_consumer(p->there, p->t.dpa));
	TEST_OK(doca_comch_msgq_set_max_num_consumers(p->there, 2));
	TEST_OK(doca_comch_msgq_set_max_num_producers(p->there, 2));
	TEST_OK(doca_comch_msgq_start(p->there));
	TEST_OK(doca_comch_msgq_create(p->t.dev, &p->back));
	TEST_OK(doca_comch_msgq_set_dpa_producer(p->back, p->t.dpa));
	TEST_OK(doca_comch_msgq_start(p->back));
	return 0;
}

/* Those of this process, RUNNING. */
static int
ours_open(struct pingpong *p)
{
	const union doca_data data = {.ptr = p};
	struct doca_ctx *ctx;
	int i;

	TEST_OK(doca_pe_create(&p->pe));
	TEST_OK(doca_comch_msgq_consumer_create(p->back, &p->consumer));
	ctx = doca_comch_consumer_as_ctx(p->consumer);
	TEST_OK(doca_pe_connect_ctx(p->pe, ctx));
	TEST_OK(doca_ctx_set_user_data(ctx, data));
	TEST_OK(doca_comch_consumer_task_post_recv_set_conf(p->consumer, on_received,
			on_recv_error, CREDITS));
	TEST_OK(doca_comch_consumer_set_imm_data_len(p->consumer, sizeof(struct test_prog_msg)));
	TEST_OK(doca_ctx_start(ctx));
	for (i = 0; i < CREDITS; i++) {
		TEST_OK(doca_comch_consumer_task_post_recv_alloc_init(p->consumer, NULL,
				&p->recvs[i]));
		TEST_OK(doca_task_submit(
				doca_comch_consumer_task_post_recv_as_task(p->recvs[i])));
	}
	TEST_OK(doca_comch_consumer_get_id(p->consumer, &p->consumer_id));
	TEST_OK(doca_comch_msgq_producer_create(p->there, &p->producer));
	ctx = doca_comch_producer_as_ctx(p->producer);
	TEST_OK(doca_pe_connect_ctx(p->pe, ctx));
	TEST_OK(doca_ctx_set_user_data(ctx, data));
	TEST_OK(doca_comch_producer_task_send_set_conf(p->producer, on_sent, on_send_error,
			CREDITS));
	TEST_OK(doca_ctx_start(ctx));
	return 0;
}

/* The program's consumer, with its thread and completion context. */
static int
dpa_consumer_open(struct pingpong *p)
{
	struct doca_ctx *ctx;

	TEST_OK(doca_dpa_mem_alloc(p->t.dpa, sizeof(struct test_prog_echo), &p->block));
	TEST_TRUE(test_dpa_thread(&p->t, test_prog_echo, p->block, &p->thread) == 0);
	TEST_OK(doca_comch_consumer_completion_create(&p->received));
	TEST_OK(doca_comch_consumer_completion_set_dpa_thread(p->received, p->thread));
	TEST_OK(doca_comch_consumer_completion_set_max_num_recv(p->received, CREDITS));
	TEST_OK(doca_comch_consumer_completion_set_imm_data_len(p->received,
			sizeof(struct test_prog_msg)));
	TEST_OK(doca_comch_consumer_completion_start(p->received));
	TEST_OK(doca_comch_msgq_consumer_create(p->there, &p->dpa_consumer));
	ctx = doca_comch_consumer_as_ctx(p->dpa_consumer);
	TEST_OK(doca_ctx_set_datapath_on_dpa(ctx, p->t.dpa));
	TEST_OK(doca_comch_consumer_set_completion(p->dpa_consumer, p->received, CONSUMER_DATA));
	TEST_OK(doca_comch_consumer_set_dev_max_num_recv(p->dpa_consumer, CREDITS));
	TEST_OK(doca_comch_consumer_set_imm_data_len(p->dpa_consumer,
			sizeof(struct test_prog_msg)));
	TEST_OK(doca_ctx_start(ctx));
	TEST_OK(doca_comch_consumer_get_id(p->dpa_consumer, &p->dpa_consumer_id));
	return 0;
}

/* The program's producer. */
static int
dpa_producer_open(struct pingpong *p)
{
	const union doca_data data = {.u64 = PRODUCER_DATA};
	struct doca_ctx *ctx;

	TEST_OK(doca_dpa_completion_create(p->t.dpa, CREDITS, &p->sent));
	TEST_OK(doca_dpa_completion_set_thread(p->sent, p->thread));
	TEST_OK(doca_dpa_completion_start(p->sent));
	TEST_OK(doca_comch_msgq_producer_create(p->back, &p->dpa_producer));
	ctx = doca_comch_producer_as_ctx(p->dpa_producer);
	TEST_OK(doca_ctx_set_user_data(ctx, data));
	TEST_OK(doca_ctx_set_datapath_on_dpa(ctx, p->t.dpa));
	TEST_OK(doca_comch_producer_dpa_completion_attach(p->dpa_producer, p->sent));
	TEST_OK(doca_comch_producer_set_dev_max_num_send(p->dpa_producer, CREDITS));
	TEST_OK(doca_ctx_start(ctx));
	return 0;
}

/* Tell the program, and let it begin. */
static int
program_begin(struct pingpong *p)
{
	struct test_prog_echo echo = {.consumer_id = p->consumer_id};
	uint64_t ret;

	TEST_OK(doca_comch_consumer_get_dpa_handle(p->dpa_consumer, &echo.consumer));
	TEST_OK(doca_comch_consumer_completion_get_dpa_handle(p->received, &echo.completion));
	TEST_OK(doca_comch_producer_get_dpa_handle(p->dpa_producer, &echo.producer));
	TEST_OK(doca_dpa_completion_get_dpa_handle(p->sent, &echo.send_completion));
	TEST_OK(doca_dpa_h2d_memcpy(p->t.dpa, p->block, &echo, sizeof(echo)));
	TEST_OK(doca_dpa_rpc(p->t.dpa, test_prog_credits, &ret, echo.consumer, CREDITS));
	TEST_OK(doca_dpa_thread_run(p->thread));
	return 0;
}

static int
pingpong_open(struct pingpong *p)
{
	memset(p, 0, sizeof(*p));
	TEST_TRUE(test_dpa_open(&p->t) == 0);
	TEST_TRUE(queues_open(p) == 0);
	TEST_TRUE(ours_open(p) == 0);
	TEST_TRUE(dpa_consumer_open(p) == 0);
	TEST_TRUE(dpa_producer_open(p) == 0);
	TEST_TRUE(program_begin(p) == 0);
	return 0;
}

/* Stop one of ours, and progress until it is IDLE. */
static int
ours_stop(struct pingpong *p, struct doca_ctx *ctx)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_STOPPING;
	unsigned int i;

	doca_ctx_stop(ctx);
	for (i = 0; i < WAIT_TURNS && state != DOCA_CTX_STATE_IDLE; i++) {
		doca_pe_progress(p->pe);
		TEST_OK(doca_ctx_get_state(ctx, &state));
	}
	TEST_TRUE(state == DOCA_CTX_STATE_IDLE);
	return 0;
}

static int
pingpong_close(struct pingpong *p)
{
	TEST_TRUE(ours_stop(p, doca_comch_producer_as_ctx(p->producer)) == 0);
	TEST_TRUE(ours_stop(p, doca_comch_consumer_as_ctx(p->consumer)) == 0);
	TEST_OK(doca_comch_producer_destroy(p->producer));
	TEST_OK(doca_comch_consumer_destroy(p->consumer));
	TEST_RESULT(doca_comch_msgq_stop(p->there), DOCA_ERROR_IN_USE);
	TEST_RESULT(doca_comch_consumer_destroy(p->dpa_consumer), DOCA_ERROR_IN_USE);
	TEST_RESULT(doca_comch_consumer_completion_stop(p->received), DOCA_ERROR_IN_USE);
	TEST_RESULT(doca_dpa_completion_stop(p->sent), DOCA_ERROR_IN_USE);
	TEST_OK(doca_ctx_stop(doca_comch_consumer_as_ctx(p->dpa_consumer)));
	TEST_RESULT(doca_ctx_stop(doca_comch_consumer_as_ctx(p->dpa_consumer)),
			DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_ctx_stop(doca_comch_producer_as_ctx(p->dpa_producer)));
	TEST_RESULT(doca_comch_consumer_completion_destroy(p->received), DOCA_ERROR_IN_USE);
	TEST_OK(doca_comch_consumer_destroy(p->dpa_consumer));
	TEST_OK(doca_comch_producer_destroy(p->dpa_producer));
	TEST_OK(doca_comch_consumer_completion_stop(p->received));
	TEST_OK(doca_comch_consumer_completion_destroy(p->received));
	TEST_OK(doca_dpa_completion_stop(p->sent));
	TEST_OK(doca_dpa_completion_destroy(p->sent));
	TEST_OK(doca_dpa_thread_stop(p->thread));
	TEST_OK(doca_dpa_thread_destroy(p->thread));
	TEST_RESULT(doca_comch_msgq_destroy(p->there), DOCA_ERROR_IN_USE);
	TEST_OK(doca_comch_msgq_stop(p->there));
	TEST_OK(doca_comch_msgq_destroy(p->there));
	TEST_OK(doca_comch_msgq_stop(p->back));
	TEST_OK(doca_comch_msgq_destroy(p->back));
	TEST_OK(doca_dpa_mem_free(p->t.dpa, p->block));
	TEST_OK(doca_pe_destroy(p->pe));
	return test_dpa_close(&p->t);
}

/* Send one message; DOCA_ERROR_AGAIN and DOCA_ERROR_NO_MEMORY: not now. */
static doca_error_t
send_one(struct pingpong *p, uint64_t number)
{
	struct test_prog_msg msg = {.number = number};
	struct doca_comch_producer_task_send *task;
	doca_error_t result;

	result = doca_comch_producer_task_send_alloc_init(p->producer, NULL, (uint8_t *)&msg,
			sizeof(msg), p->dpa_consumer_id, &task);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_task_submit(doca_comch_producer_task_send_as_task(task));
	if (result != DOCA_SUCCESS)
		doca_task_free(doca_comch_producer_task_send_as_task(task));
	return result;
}

/* All messages come back, in their order, with what the completions of the program say. */
static int
test_msgq_echo(void)
{
	struct test_prog_echo echo;
	struct pingpong p;
	doca_error_t result;
	uint64_t next = 0;
	unsigned int i;

	TEST_TRUE(pingpong_open(&p) == 0);
	for (i = 0; i < WAIT_TURNS && p.nb_received < MESSAGES; i++) {
		if (next < MESSAGES) {
			result = send_one(&p, next);
			TEST_TRUE(result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN ||
					result == DOCA_ERROR_NO_MEMORY);
			next += result == DOCA_SUCCESS;
		}
		if (doca_pe_progress(p.pe) == 0 && next == MESSAGES)
			usleep(100);
	}
	TEST_TRUE(p.nb_received == MESSAGES && p.nb_wrong == 0);
	TEST_TRUE(p.nb_sent == MESSAGES && p.nb_send_errors == 0);
	/* the program takes the completions of its own sends in its next run at the latest */
	for (i = 0; i < WAIT_TURNS / 1000; i++) {
		TEST_OK(doca_dpa_d2h_memcpy(p.t.dpa, &echo, p.block, sizeof(echo)));
		if (echo.sent == MESSAGES)
			break;
		usleep(1000);
	}
	TEST_TRUE(echo.sent == MESSAGES && echo.sent_user_data == PRODUCER_DATA);
	TEST_TRUE(echo.runs > 1);
	TEST_TRUE(pingpong_close(&p) == 0);
	TEST_TRUE(p.nb_recv_errors == CREDITS);
	return 0;
}

/* The thread sleeps between two messages, and is woken by each. */
static int
test_msgq_wake(void)
{
	struct pingpong p;
	uint64_t n;
	unsigned int i;

	TEST_TRUE(pingpong_open(&p) == 0);
	for (n = 0; n < 50; n++) {
		usleep(n * 40);
		TEST_OK(send_one(&p, n));
		for (i = 0; i < WAIT_TURNS && p.nb_received <= n; i++)
			if (doca_pe_progress(p.pe) == 0)
				usleep(10);
		TEST_TRUE(p.nb_received == n + 1);
	}
	TEST_TRUE(p.nb_wrong == 0);
	return pingpong_close(&p);
}

/* The program ends in the middle: ours become IDLE, and all is taken down. */
static int
test_msgq_fault(void)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_RUNNING;
	struct pingpong p;
	unsigned int i;
	uint64_t ret;

	TEST_TRUE(pingpong_open(&p) == 0);
	TEST_OK(send_one(&p, 0));
	TEST_RESULT(doca_dpa_rpc(p.t.dpa, test_prog_fault, &ret), DOCA_ERROR_DRIVER);
	for (i = 0; i < WAIT_TURNS / 100 && state != DOCA_CTX_STATE_IDLE; i++) {
		if (doca_pe_progress(p.pe) == 0)
			usleep(10);
		TEST_OK(doca_ctx_get_state(doca_comch_consumer_as_ctx(p.consumer), &state));
	}
	TEST_TRUE(state == DOCA_CTX_STATE_IDLE);
	TEST_TRUE(p.nb_recv_errors == CREDITS);
	return pingpong_close(&p);
}

static int
test_msgq_null(void)
{
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	struct doca_comch_msgq *msgq = NULL;
	struct test_dpa t;

	TEST_RESULT(doca_comch_msgq_create(NULL, &msgq), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_msgq_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_msgq_start(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_msgq_stop(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_msgq_set_max_num_consumers(NULL, 1), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_msgq_set_max_num_producers(NULL, 1), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_msgq_consumer_create(NULL, &consumer), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_msgq_producer_create(NULL, &producer), DOCA_ERROR_INVALID_VALUE);
	TEST_TRUE(test_dpa_open(&t) == 0);
	TEST_RESULT(doca_comch_msgq_set_dpa_consumer(NULL, t.dpa), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_msgq_set_dpa_producer(NULL, t.dpa), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_msgq_create(t.dev, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_comch_msgq_create(t.dev, &msgq));
	TEST_RESULT(doca_comch_msgq_set_dpa_consumer(msgq, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_msgq_set_dpa_producer(msgq, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_msgq_set_max_num_consumers(msgq, 0), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_msgq_set_max_num_producers(msgq, 0), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_msgq_set_max_num_producers(msgq, UINT32_MAX),
			DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_comch_msgq_destroy(msgq));
	return test_dpa_close(&t);
}

static int
test_msgq_state(void)
{
	struct doca_comch_consumer *consumer, *second;
	struct doca_comch_producer *producer;
	struct doca_comch_msgq *msgq;
	struct test_dpa t;

	TEST_TRUE(test_dpa_open(&t) == 0);
	TEST_OK(doca_comch_msgq_create(t.dev, &msgq));
	TEST_RESULT(doca_comch_msgq_start(msgq), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_msgq_stop(msgq), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_msgq_consumer_create(msgq, &consumer), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_msgq_producer_create(msgq, &producer), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_comch_msgq_set_dpa_consumer(msgq, t.dpa));
	TEST_OK(doca_dpa_stop(t.dpa));
	TEST_RESULT(doca_dpa_destroy(t.dpa), DOCA_ERROR_IN_USE);
	TEST_RESULT(doca_comch_msgq_start(msgq), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_dpa_start(t.dpa));
	TEST_OK(doca_comch_msgq_start(msgq));
	TEST_RESULT(doca_comch_msgq_start(msgq), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_msgq_set_dpa_consumer(msgq, t.dpa), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_msgq_set_dpa_producer(msgq, t.dpa), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_msgq_set_max_num_consumers(msgq, 1), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_msgq_set_max_num_producers(msgq, 1), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_msgq_destroy(msgq), DOCA_ERROR_IN_USE);
	/* one consumer unless it was set */
	TEST_OK(doca_comch_msgq_consumer_create(msgq, &consumer));
	TEST_RESULT(doca_comch_msgq_consumer_create(msgq, &second), DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_comch_msgq_stop(msgq), DOCA_ERROR_IN_USE);
	TEST_OK(doca_comch_consumer_destroy(consumer));
	TEST_OK(doca_comch_msgq_producer_create(msgq, &producer));
	TEST_OK(doca_comch_producer_destroy(producer));
	TEST_OK(doca_comch_msgq_stop(msgq));
	TEST_OK(doca_comch_msgq_destroy(msgq));
	return test_dpa_close(&t);
}

/* The producers are ours. */
static int
ours_refuses(struct doca_comch_producer *producer, struct doca_dpa *dpa,
		struct doca_dpa_completion *sent)
{
	struct doca_ctx *ctx = doca_comch_producer_as_ctx(producer);
	uint64_t handle;

	TEST_NULL_2(doca_ctx_set_datapath_on_dpa, ctx, dpa);
	TEST_RESULT(doca_ctx_set_datapath_on_dpa(ctx, dpa), DOCA_ERROR_NOT_SUPPORTED);
	TEST_RESULT(doca_comch_producer_dpa_completion_attach(NULL, sent),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_producer_dpa_completion_attach(producer, sent),
			DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_producer_set_dev_max_num_send(NULL, 8), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_producer_set_dev_max_num_send(producer, 8), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_producer_set_dev_num_send(NULL, 8), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_producer_set_dev_num_send(producer, 8), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_producer_set_dev_num_recv(NULL, 8), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_producer_set_dev_num_recv(producer, 8), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_producer_get_dpa_handle(NULL, &handle), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_producer_get_dpa_handle(producer, &handle), DOCA_ERROR_BAD_STATE);
	return 0;
}

/* The consumers are the program's. */
static int
theirs_takes(struct doca_comch_consumer *consumer, struct doca_dpa *dpa,
		struct doca_comch_consumer_completion *completion)
{
	struct doca_ctx *ctx = doca_comch_consumer_as_ctx(consumer);
	uint64_t handle;
	uint32_t id;

	TEST_RESULT(doca_comch_consumer_set_completion(NULL, completion, 0),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_consumer_set_completion(consumer, completion, 0),
			DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_consumer_set_dev_max_num_recv(NULL, 8), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_consumer_set_dev_max_num_recv(consumer, 8), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_consumer_set_dev_num_recv(NULL, 8), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_consumer_get_dpa_handle(NULL, &handle), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_consumer_get_dpa_handle(consumer, &handle), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_consumer_get_id(consumer, &id), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_ctx_start(ctx), DOCA_ERROR_NOT_CONNECTED);
	TEST_OK(doca_ctx_set_datapath_on_dpa(ctx, dpa));
	TEST_RESULT(doca_ctx_start(ctx), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_comch_consumer_set_dev_num_recv(consumer, 8));
	TEST_OK(doca_comch_consumer_set_completion(consumer, completion, 0));
	TEST_RESULT(doca_ctx_start(ctx), DOCA_ERROR_BAD_STATE);
	return 0;
}

/* Which contexts have their data path there, and what those take. */
static int
test_msgq_datapath(void)
{
	struct doca_comch_consumer_completion *completion;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	struct doca_dpa_completion *sent;
	struct doca_comch_msgq *msgq;
	struct test_dpa t;

	TEST_TRUE(test_dpa_open(&t) == 0);
	TEST_OK(doca_comch_msgq_create(t.dev, &msgq));
	TEST_OK(doca_comch_msgq_set_dpa_consumer(msgq, t.dpa));
	TEST_OK(doca_comch_msgq_start(msgq));
	TEST_OK(doca_comch_consumer_completion_create(&completion));
	TEST_OK(doca_dpa_completion_create(t.dpa, 8, &sent));
	TEST_OK(doca_comch_msgq_consumer_create(msgq, &consumer));
	TEST_OK(doca_comch_msgq_producer_create(msgq, &producer));
	TEST_TRUE(ours_refuses(producer, t.dpa, sent) == 0);
	TEST_TRUE(theirs_takes(consumer, t.dpa, completion) == 0);
	TEST_OK(doca_comch_consumer_destroy(consumer));
	TEST_OK(doca_comch_producer_destroy(producer));
	TEST_OK(doca_comch_consumer_completion_destroy(completion));
	TEST_OK(doca_dpa_completion_destroy(sent));
	TEST_OK(doca_comch_msgq_stop(msgq));
	TEST_OK(doca_comch_msgq_destroy(msgq));
	return test_dpa_close(&t);
}

/* No data path of a context on a connection is there. */
static int
test_msgq_datapath_server(void)
{
	struct test_side side;
	struct test_dpa t;

	TEST_TRUE(test_dpa_open(&t) == 0);
	TEST_OK(test_server_make(&side, NULL, "one"));
	TEST_RESULT(doca_ctx_set_datapath_on_dpa(side.ctx, t.dpa), DOCA_ERROR_NOT_SUPPORTED);
	TEST_OK(doca_ctx_start(side.ctx));
	TEST_RESULT(doca_ctx_set_datapath_on_dpa(side.ctx, t.dpa), DOCA_ERROR_BAD_STATE);
	TEST_OK(test_side_end(&side, NULL));
	return test_dpa_close(&t);
}

static int
test_msgq_completion_numbers(void)
{
	struct doca_comch_consumer_completion *c;
	uint32_t nb;

	TEST_OK(doca_comch_consumer_completion_create(&c));
	TEST_RESULT(doca_comch_consumer_completion_set_max_num_consumers(c, 0),
			DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_comch_consumer_completion_set_max_num_consumers(c, 3));
	TEST_OK(doca_comch_consumer_completion_get_max_num_consumers(c, &nb));
	TEST_TRUE(nb == 4);
	TEST_RESULT(doca_comch_consumer_completion_get_max_num_consumers(c, NULL),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_consumer_completion_set_max_num_recv(c, 0),
			DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_comch_consumer_completion_set_max_num_recv(c, 100));
	TEST_OK(doca_comch_consumer_completion_get_max_num_recv(c, &nb));
	TEST_TRUE(nb == 128);
	TEST_RESULT(doca_comch_consumer_completion_get_max_num_recv(c, NULL),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_consumer_completion_set_imm_data_len(c, 33),
			DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_comch_consumer_completion_set_imm_data_len(c, 20));
	TEST_OK(doca_comch_consumer_completion_get_imm_data_len(c, &nb));
	TEST_TRUE(nb == 20);
	TEST_RESULT(doca_comch_consumer_completion_get_imm_data_len(c, NULL),
			DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_comch_consumer_completion_destroy(c));
	return 0;
}

static int
test_msgq_completion(void)
{
	struct doca_comch_consumer_completion *c;
	struct doca_dpa_thread *thread;
	uint64_t handle = 0;
	struct test_dpa t;

	TEST_RESULT(doca_comch_consumer_completion_create(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_consumer_completion_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_consumer_completion_start(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_consumer_completion_stop(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_TRUE(test_dpa_open(&t) == 0);
	TEST_OK(doca_comch_consumer_completion_create(&c));
	TEST_RESULT(doca_comch_consumer_completion_set_dpa_thread(c, NULL),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_consumer_completion_start(c), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_consumer_completion_stop(c), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_consumer_completion_get_dpa_handle(c, NULL),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_consumer_completion_get_dpa_handle(c, &handle),
			DOCA_ERROR_BAD_STATE);
	TEST_TRUE(test_dpa_thread(&t, test_prog_count, 0, &thread) == 0);
	TEST_OK(doca_comch_consumer_completion_set_dpa_thread(c, thread));
	TEST_OK(doca_comch_consumer_completion_start(c));
	TEST_RESULT(doca_comch_consumer_completion_start(c), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_consumer_completion_set_dpa_thread(c, thread),
			DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_consumer_completion_set_max_num_consumers(c, 1),
			DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_consumer_completion_set_max_num_recv(c, 1), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_consumer_completion_set_imm_data_len(c, 1), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_comch_consumer_completion_get_dpa_handle(c, &handle));
	TEST_TRUE(handle != 0);
	TEST_RESULT(doca_comch_consumer_completion_destroy(c), DOCA_ERROR_IN_USE);
	TEST_OK(doca_comch_consumer_completion_stop(c));
	TEST_OK(doca_comch_consumer_completion_destroy(c));
	TEST_OK(doca_dpa_thread_stop(thread));
	TEST_OK(doca_dpa_thread_destroy(thread));
	return test_dpa_close(&t);
}

const struct test_case test_msgq[] = {
	TEST_CASE(test_msgq_null),
	TEST_CASE(test_msgq_state),
	TEST_CASE(test_msgq_datapath),
	TEST_CASE(test_msgq_datapath_server),
	TEST_CASE(test_msgq_completion_numbers),
	TEST_CASE(test_msgq_completion),
	TEST_CASE(test_msgq_echo),
	TEST_CASE(test_msgq_wake),
	TEST_CASE(test_msgq_fault),
	TEST_CASES_END()
};
