/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What devtools/count-instructions.py runs under callgrind to know what a task costs: the
 * same loops as those of app/test-doca/count.c, in calls of the library itself. No test:
 * it is there if COMCH_TEST_TASK_COUNT is set, to the number of messages.
 */

#include "test_comch_util.h"

#define COUNT_MAX_BURST 32
#define COUNT_LEN 64
#define COUNT_PAGE 4096

/* Keeps the compiler from folding functions that are alike. */
#define COUNT_APART(name) asm volatile("# " #name : : : "memory")

static struct {
	struct test_ep *server, *client;
	struct rte_comch_pe *server_pe, *client_pe;
	struct rte_comch_ctx *consumer, *producer;
	struct rte_comch_mem *src, *dst;
	/* of the program, as the layer's: what a region of ours saves is another matter */
	char src_bytes[COUNT_PAGE] __rte_aligned(COUNT_PAGE);
	char dst_bytes[COUNT_PAGE] __rte_aligned(COUNT_PAGE);
	uint32_t consumer_id;
	unsigned int nb_msgs;
	unsigned int done; /* tasks that have ended, messages that have come */
	int bad;           /* anything but 0: a control message has failed */
} count;

static void
count_post_cb(struct rte_comch_task *task, const struct rte_comch_cpl *cpl,
		void *user_data __rte_unused)
{
	if (cpl->status != 0 || rte_comch_task_submit(task) != 0)
		rte_comch_task_free(task); /* it stops */
	count.done++;
}

static void
count_send_cb(struct rte_comch_task *task, int status, void *user_data __rte_unused)
{
	if (status != 0 || rte_comch_task_submit(task) != 0)
		rte_comch_task_free(task); /* it stops */
	count.done++;
}

static void
count_ctrl_cb(struct rte_comch_task *task, int status, void *user_data __rte_unused)
{
	count.bad |= status;
	rte_comch_task_free(task);
	count.done++;
}

static void
count_recv_cb(struct rte_comch_conn *conn __rte_unused, const void *msg __rte_unused, uint32_t len,
		void *user_data __rte_unused)
{
	count.bad |= len != COUNT_LEN;
	count.done++;
}

/* Each is called by name in the profile. */
#define COUNT_OPS(nb) \
static __rte_noinline void \
count_native_post_##nb(void) \
{ \
	rte_comch_pe_progress(count.server_pe); \
	COUNT_APART(post_##nb); \
} \
static __rte_noinline void \
count_native_send_##nb(void) \
{ \
	rte_comch_pe_progress(count.client_pe); \
	COUNT_APART(send_##nb); \
} \
static __rte_noinline void \
count_native_ctrl_send_##nb(void) \
{ \
	static const char msg[COUNT_LEN]; \
	struct rte_comch_task *task; \
	unsigned int i; \
\
	for (i = 0; i < nb; i++) { \
		count.bad |= rte_comch_conn_task_alloc(count.client->conn, msg, COUNT_LEN, \
				&task); \
		count.bad |= rte_comch_task_submit(task); \
	} \
	COUNT_APART(ctrl_send_##nb); \
} \
static __rte_noinline void \
count_native_ctrl_receive_##nb(void) \
{ \
	rte_comch_pe_progress(count.server_pe); \
	COUNT_APART(ctrl_receive_##nb); \
} \
static __rte_noinline void \
count_native_ctrl_sent_##nb(void) \
{ \
	rte_comch_pe_progress(count.client_pe); \
	COUNT_APART(ctrl_sent_##nb); \
} \
static int \
count_run_##nb(void) \
{ \
	unsigned int i; \
\
	for (i = 0; i < count.nb_msgs / nb; i++) { \
		count.done = 0; \
		count_native_post_##nb(); \
		TEST_EXPECT(count.done, nb); \
		count_native_send_##nb(); \
		TEST_EXPECT(count.done, 2 * nb); \
	} \
	return TEST_SUCCESS; \
} \
static int \
count_run_ctrl_##nb(void) \
{ \
	unsigned int i; \
\
	for (i = 0; i < count.nb_msgs / nb; i++) { \
		count.done = 0; \
		count_native_ctrl_send_##nb(); \
		count_native_ctrl_receive_##nb(); \
		TEST_EXPECT(count.done, nb); \
		count_native_ctrl_sent_##nb(); \
		TEST_EXPECT(count.done, 2 * nb); \
	} \
	return TEST_SUCCESS; \
}

COUNT_OPS(1)
COUNT_OPS(32)

static int
count_open(unsigned int nb)
{
	const struct rte_comch_consumer_conf consumer_conf = {
		.mem = count.dst,
		.nb_tasks = nb,
		.post_cb = count_post_cb,
	};
	const struct rte_comch_producer_conf producer_conf = {
		.nb_tasks = nb,
		.send_cb = count_send_cb,
	};
	uint32_t before = count.client->nb_new;

	TEST_EXPECT(rte_comch_consumer_create(count.server->conn, &consumer_conf, &count.consumer),
			0);
	TEST_EXPECT(rte_comch_ctx_attach(count.consumer, count.server_pe), 0);
	TEST_EXPECT(rte_comch_ctx_start(count.consumer), -EINPROGRESS);
	TEST_WAIT(rte_comch_ctx_state_get(count.consumer) == RTE_COMCH_STATE_RUNNING &&
			count.client->nb_new == before + 1, TEST_MS);
	count.consumer_id = count.client->new_id;
	TEST_EXPECT(rte_comch_producer_create(count.client->conn, &producer_conf, &count.producer),
			0);
	TEST_EXPECT(rte_comch_ctx_attach(count.producer, count.client_pe), 0);
	TEST_EXPECT(rte_comch_ctx_start(count.producer), 0);
	return TEST_SUCCESS;
}

/* Tasks that are submitted again in their callbacks. */
static int
count_fill(unsigned int nb)
{
	struct rte_comch_post post = { .len = COUNT_LEN };
	struct rte_comch_send send = { .len = COUNT_LEN, .mem = count.src };
	struct rte_comch_task *tasks[COUNT_MAX_BURST];
	unsigned int i;

	for (i = 0; i < nb; i++) {
		post.addr = (char *)rte_comch_mem_addr(count.dst) + i * COUNT_LEN;
		TEST_EXPECT(rte_comch_consumer_task_alloc(count.consumer, &post, &tasks[i]), 0);
		TEST_EXPECT(rte_comch_task_submit(tasks[i]), 0);
	}
	for (i = 0; i < nb; i++) {
		send.addr = (char *)rte_comch_mem_addr(count.src) + i * COUNT_LEN;
		TEST_EXPECT(rte_comch_producer_task_alloc(count.producer, count.consumer_id, &send,
				&tasks[i]), 0);
		TEST_EXPECT(rte_comch_task_submit(tasks[i]), 0);
	}
	return TEST_SUCCESS;
}

static int
count_queues(unsigned int nb, int (*run)(void))
{
	TEST_CALL(count_open(nb));
	TEST_CALL(count_fill(nb));
	TEST_CALL(run());
	TEST_TRUE(rte_comch_ctx_stop(count.producer) <= 0);
	TEST_WAIT(rte_comch_ctx_state_get(count.producer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_stop(count.consumer), -EINPROGRESS);
	TEST_WAIT(rte_comch_ctx_state_get(count.consumer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_destroy(count.producer), 0);
	TEST_EXPECT(rte_comch_ctx_destroy(count.consumer), 0);
	return TEST_SUCCESS;
}

static int
count_all(void)
{
	struct rte_comch_server_conf server_conf;
	struct rte_comch_client_conf client_conf;

	TEST_CALL(test_pair_first());
	count.server_pe = test_pe_new();
	count.client_pe = test_pe_new();
	count.server = test_ep_new();
	count.client = test_ep_new();
	test_server_conf(count.server, "test", &server_conf);
	server_conf.ctrl.recv_cb = count_recv_cb;
	TEST_EXPECT(test_server_start(count.server, &server_conf, count.server_pe), 0);
	test_client_conf(count.client, "test", &client_conf);
	client_conf.ctrl.send_cb = count_ctrl_cb;
	TEST_EXPECT(test_client_start(count.client, &client_conf, count.client_pe), -EINPROGRESS);
	TEST_WAIT(count.client->conn != NULL && count.server->conn != NULL, TEST_MS);
	TEST_EXPECT(rte_comch_mem_register(test_pair.dpu, count.dst_bytes, COUNT_PAGE,
			RTE_COMCH_MEM_F_PEER_WRITE, &count.dst), 0);
	TEST_EXPECT(rte_comch_mem_register(test_pair.host, count.src_bytes, COUNT_PAGE, 0,
			&count.src), 0);
	TEST_CALL(count_run_ctrl_1());
	TEST_CALL(count_run_ctrl_32());
	TEST_CALL(count_queues(1, count_run_1));
	TEST_CALL(count_queues(COUNT_MAX_BURST, count_run_32));
	TEST_EXPECT(rte_comch_mem_free(count.dst), 0);
	TEST_EXPECT(rte_comch_mem_free(count.src), 0);
	TEST_EXPECT(count.bad, 0);
	return TEST_SUCCESS;
}

static int
count_main(struct unit_test_suite *suite __rte_unused)
{
	int ret;

	count.nb_msgs = atoi(getenv("COMCH_TEST_TASK_COUNT"));
	ret = count_all();
	test_cleanup();
	return ret;
}

REGISTER_COUNT_TEST(comch_task_count, "COMCH_TEST_TASK_COUNT", count_main)
