/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What applications that are built for debugging are told: that a queue is used
 * by two threads at one time, or that there is none. This file is such a build.
 */

#ifndef RTE_COMCH_DEBUG
#define RTE_COMCH_DEBUG 1
#endif

#include <pthread.h>

#include <rte_mbuf.h>

#include "test_comch_fp_util.h"

/* Another thread that is inside of a queue, as long as it is not told to leave. */
struct intruder {
	pthread_t thread;
	struct rte_comch_ctx *ctx;
	bool entered;
	uint32_t phase; /* 1: it is inside, 2: it shall leave */
};

static void *
intruder_run(void *arg)
{
	struct intruder *in = arg;
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;

	in->entered = rte_comch_fp_enter(in->ctx);
	__atomic_store_n(&in->phase, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&in->phase, __ATOMIC_ACQUIRE) != 2 && test_now_ns() < end)
		sched_yield();
	if (in->entered)
		rte_comch_fp_end(in->ctx);
	return NULL;
}

static int
intruder_enter(struct intruder *in, struct rte_comch_ctx *ctx)
{
	in->ctx = ctx;
	in->phase = 0;
	TEST_EXPECT(pthread_create(&in->thread, NULL, intruder_run, in), 0);
	while (__atomic_load_n(&in->phase, __ATOMIC_ACQUIRE) == 0)
		sched_yield();
	return TEST_SUCCESS;
}

static void
intruder_leave(struct intruder *in)
{
	__atomic_store_n(&in->phase, 2, __ATOMIC_RELEASE);
	pthread_join(in->thread, NULL);
}

/* One message by each function; @return how many of the calls were refused. */
static unsigned int
refused_calls(struct test_q *consumer, struct test_q *producer)
{
	const struct rte_comch_send msg = { .len = 0 };
	const struct rte_comch_post post = { .len = 0 };
	struct rte_comch_cpl cpl;
	unsigned int nb = 0;

	nb += rte_comch_consumer_post_burst(consumer->ctx, &post, 1) == 0;
	test_posts_arrive(consumer, 1);
	nb += rte_comch_producer_credits(producer->ctx, consumer->id) == 0;
	nb += rte_comch_producer_send_burst(producer->ctx, consumer->id, &msg, 1) == 0;
	test_arrive();
	nb += rte_comch_queue_poll_burst(producer->ctx, &cpl, 1) == 0;
	nb += rte_comch_queue_poll_burst(consumer->ctx, &cpl, 1) == 0;
	return nb;
}

static int
test_two_threads(struct test_fp *fp)
{
	struct test_q *consumer, *producer;
	struct rte_comch_cpl cpl;
	struct intruder in;

	TEST_CALL(test_fp_queues(fp, NULL, 4, 4, &consumer, &producer));
	TEST_EXPECT(refused_calls(consumer, producer), 0);

	TEST_CALL(intruder_enter(&in, producer->ctx));
	TEST_TRUE(in.entered);
	/* only what the producer has to do with: the post stays */
	TEST_EXPECT(refused_calls(consumer, producer), 4);
	intruder_leave(&in);
	TEST_EXPECT(test_send_imm(producer, consumer->id, "abcd", 4, 0), 1);
	TEST_EXPECT(test_poll(producer, &cpl, 1), 1);
	TEST_EXPECT(test_poll(consumer, &cpl, 1), 1);

	TEST_CALL(intruder_enter(&in, consumer->ctx));
	TEST_TRUE(in.entered);
	TEST_EXPECT(refused_calls(consumer, producer), 5);
	intruder_leave(&in);
	TEST_EXPECT(refused_calls(consumer, producer), 0);
	return TEST_SUCCESS;
}

static int
test_mbufs(struct test_fp *fp)
{
	struct test_q *consumer, *producer;
	struct rte_comch_mem_info info;
	struct rte_comch_mem *mem;
	struct rte_mbuf *pkt, *got;
	struct intruder in;

	mem = test_mem_pool(fp->rx.dev, "debug", 31, 0, 512, RTE_COMCH_MEM_F_PEER_WRITE);
	TEST_EXPECT(rte_comch_mem_info_get(mem, &info), 0);
	TEST_CALL(test_fp_queues(fp, mem, 4, 0, &consumer, &producer));
	TEST_EXPECT(rte_comch_consumer_rx_burst(consumer->ctx, &got, 1), 0);
	TEST_WAIT(rte_comch_producer_credits(producer->ctx, consumer->id) != 0, TEST_MS);
	pkt = rte_pktmbuf_alloc(info.pool);
	TEST_TRUE(pkt != NULL);
	TEST_CALL(intruder_enter(&in, producer->ctx));
	TEST_EXPECT(rte_comch_producer_tx_burst(producer->ctx, consumer->id, &pkt, 1), 0);
	intruder_leave(&in);
	TEST_EXPECT(rte_comch_producer_tx_burst(producer->ctx, consumer->id, &pkt, 1), 1);
	TEST_CALL(intruder_enter(&in, consumer->ctx));
	TEST_EXPECT(rte_comch_consumer_rx_burst(consumer->ctx, &got, 1), 0);
	intruder_leave(&in);
	TEST_WAIT(rte_comch_consumer_rx_burst(consumer->ctx, &got, 1) == 1, TEST_MS);
	rte_pktmbuf_free(got);
	return TEST_SUCCESS;
}

static int
test_no_context(void)
{
	const struct rte_comch_send msg = { .len = 0 };
	const struct rte_comch_post post = { .len = 0 };
	struct rte_mbuf *pkt = NULL;
	struct rte_comch_cpl cpl;
	/* the compiler must not see that it is NULL, and warn */
	struct rte_comch_ctx *volatile none = NULL;

	TEST_EXPECT(rte_comch_consumer_post_burst(none, &post, 1), 0);
	TEST_EXPECT(rte_comch_producer_credits(none, 1), 0);
	TEST_EXPECT(rte_comch_producer_send_burst(none, 1, &msg, 1), 0);
	TEST_EXPECT(rte_comch_queue_poll_burst(none, &cpl, 1), 0);
	TEST_EXPECT(rte_comch_producer_tx_burst(none, 1, &pkt, 1), 0);
	TEST_EXPECT(rte_comch_consumer_rx_burst(none, &pkt, 1), 0);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: debug builds of the fast path",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_two_threads),
		TEST_CASE_FP(test_fp_need, test_fp_cleanup, test_mbufs),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_no_context),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_fp_debug_autotest, unit_test_suite_runner, &suite)
