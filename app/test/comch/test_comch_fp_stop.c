/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The end of producers and consumers: stop, restart, destruction in each order,
 * the loss of the connection, and that nothing is left of them. The death of a
 * process is tested between processes.
 */

#include <unistd.h>

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "test_comch_fp_util.h"
#include "test_comch_place.h"

#define PLACES 64

static struct rte_comch_cpl cpls[2 * PLACES];

/* Poll what a consumer that stops gives back, each cookie from first on, once. */
static int
flushed(struct test_q *consumer, uint32_t nb, uint64_t first, int status)
{
	uint32_t i;

	TEST_EXPECT(test_poll(consumer, cpls, nb), nb);
	for (i = 0; i < nb; i++) {
		TEST_EXPECT(cpls[i].cookie, first + i);
		TEST_EXPECT(cpls[i].status, status);
		TEST_EXPECT(cpls[i].producer_id, 0);
	}
	return TEST_SUCCESS;
}

static int
stop_flush(struct test_fp *fp, uint32_t nb_posts, uint32_t nb_sent)
{
	const struct rte_comch_send msg = { .len = 0 };
	struct test_q *consumer, *producer;
	uint32_t gone = fp->tx.ep->nb_gone, i;
	struct test_slots to;

	TEST_CALL(test_slots_new(&to, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, PLACES, 32));
	TEST_CALL(test_fp_queues(fp, to.mem, PLACES, 4, &consumer, &producer));
	if (nb_posts != 0)
		TEST_CALL(test_fp_offer(consumer, producer, &to, 0, nb_posts, 500));
	for (i = 0; i < nb_sent; i++)
		TEST_EXPECT(test_send_imm(producer, consumer->id, &i, sizeof(i), i), 1);
	TEST_EXPECT(rte_comch_ctx_destroy(consumer->ctx), -EBUSY);
	TEST_EXPECT(rte_comch_ctx_stop(consumer->ctx), -EINPROGRESS);
	TEST_EXPECT(test_q_state(consumer), RTE_COMCH_STATE_STOPPING);
	TEST_EXPECT(rte_comch_ctx_stop(consumer->ctx), -EALREADY);
	TEST_EXPECT(rte_comch_ctx_start(consumer->ctx), -EBUSY);
	TEST_EXPECT(rte_comch_ctx_destroy(consumer->ctx), -EBUSY);
	TEST_EXPECT(test_post_slots(consumer, &to, 0, 1, 0), 0);
	/* the peer hears of it, whether the rest is polled or not */
	TEST_WAIT(fp->tx.ep->nb_gone == gone + 1, TEST_MS);
	TEST_EXPECT(fp->tx.ep->gone_id, consumer->id);
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, &msg, 1), 0);
	TEST_EXPECT(test_reason(producer, consumer->id), -ENOENT);
	TEST_EXPECT(rte_comch_producer_credits(producer->ctx, consumer->id), 0);
	if (nb_posts != 0) {
		test_settle();
		TEST_EXPECT(test_q_state(consumer), RTE_COMCH_STATE_STOPPING);
		TEST_EXPECT(rte_comch_ctx_destroy(consumer->ctx), -EBUSY);
	}

	/* what came before is not lost; then the rest, and nothing twice */
	TEST_EXPECT(test_poll(consumer, cpls, nb_sent), nb_sent);
	for (i = 0; i < nb_sent; i++) {
		TEST_EXPECT(cpls[i].cookie, 500 + i);
		TEST_EXPECT(cpls[i].status, 0);
		TEST_EXPECT(cpls[i].producer_id, producer->id);
		TEST_TRUE(cpls[i].imm_len == sizeof(i) && memcmp(cpls[i].imm, &i, sizeof(i)) == 0);
	}
	if (nb_posts != nb_sent) {
		TEST_CALL(flushed(consumer, nb_posts - nb_sent - 1, 500 + nb_sent, -ECANCELED));
		test_settle();
		TEST_EXPECT(test_q_state(consumer), RTE_COMCH_STATE_STOPPING);
		TEST_CALL(flushed(consumer, 1, 500 + nb_posts - 1, -ECANCELED));
	}
	TEST_EXPECT(test_drain(consumer), 0);
	TEST_WAIT(test_q_state(consumer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(test_drain(consumer), 0);
	TEST_EXPECT(rte_comch_ctx_reason_get(consumer->ctx), 0);
	TEST_EXPECT(consumer->states[0], RTE_COMCH_STATE_STARTING);
	TEST_EXPECT(consumer->states[1], RTE_COMCH_STATE_RUNNING);
	TEST_EXPECT(consumer->states[2], RTE_COMCH_STATE_STOPPING);
	TEST_EXPECT(consumer->states[3], RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(consumer->nb_states, 4);
	for (i = 0; i < PLACES; i++)
		TEST_TRUE(test_slot_check(&to, i, 0, 0));
	TEST_EXPECT(test_q_close(consumer), 0);
	TEST_EXPECT(test_q_close(producer), 0);
	return TEST_SUCCESS;
}

static int
test_stop_consumer(struct test_fp *fp)
{
	TEST_CALL(stop_flush(fp, 0, 0));
	TEST_CALL(stop_flush(fp, 1, 0));
	TEST_CALL(stop_flush(fp, 1, 1));
	TEST_CALL(stop_flush(fp, PLACES, 0));
	TEST_CALL(stop_flush(fp, PLACES, PLACES));
	return stop_flush(fp, PLACES, 23);
}

/* A producer is IDLE at once; completions that nobody polled are not in its next life. */
static int
test_stop_producer(struct test_fp *fp)
{
	struct test_q *consumer, *producer;
	struct rte_comch_cpl cpl;
	uint32_t i, j;

	TEST_CALL(test_fp_consumer(fp, NULL, PLACES, 4, &consumer));
	TEST_CALL(test_fp_producer(fp, 8, &producer));
	for (i = 0; i < 50; i++) {
		TEST_EXPECT(test_post_empty_nowait(consumer, 8, 0), 8);
		for (j = 0; j < 8; j++)
			TEST_WAIT(test_send_imm(producer, consumer->id, &j, sizeof(j), 1) == 1,
					TEST_MS);
		TEST_EXPECT(test_send_imm(producer, consumer->id, &j, sizeof(j), 1), 0);
		if (i % 2 != 0)
			TEST_EXPECT(test_poll(producer, cpls, 3), 3);
		TEST_CALL(test_stop_now(producer->ctx));
		TEST_EXPECT(test_q_state(producer), RTE_COMCH_STATE_IDLE);
		TEST_EXPECT(rte_comch_ctx_reason_get(producer->ctx), 0);
		TEST_EXPECT(rte_comch_ctx_stop(producer->ctx), -EALREADY);
		/* what was taken arrives */
		TEST_EXPECT(test_poll(consumer, cpls, 8), 8);
		for (j = 0; j < 8; j++)
			TEST_TRUE(memcmp(cpls[j].imm, &j, sizeof(j)) == 0);
		TEST_EXPECT(rte_comch_ctx_start(producer->ctx), 0);
		TEST_EXPECT(test_drain(producer), 0);
		TEST_EXPECT(test_post_empty_nowait(consumer, 1, 0), 1);
		TEST_WAIT(test_send_imm(producer, consumer->id, &j, sizeof(j), 77) == 1, TEST_MS);
		TEST_EXPECT(test_poll(producer, &cpl, 1), 1);
		TEST_EXPECT(cpl.cookie, 77);
		TEST_EXPECT(test_poll(consumer, &cpl, 1), 1);
	}
	return TEST_SUCCESS;
}

/* A consumer that is started again is the same one, and empty. */
static int
test_restart(struct test_fp *fp)
{
	struct test_q *consumer, *producer;
	struct test_slots from, to;
	uint32_t i, id;

	TEST_CALL(test_slots_new(&to, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, PLACES, 32));
	TEST_CALL(test_slots_new(&from, fp->tx.dev, 0, 1, 32));
	test_fill(test_slot(&from, 0), 32, 5);
	TEST_CALL(test_fp_queues(fp, to.mem, PLACES, 0, &consumer, &producer));
	id = consumer->id;
	for (i = 0; i < 20; i++) {
		TEST_CALL(test_fp_offer(consumer, producer, &to, 0, 5, i * 100));
		TEST_EXPECT(test_send_slot(producer, id, &from, 0, 32, 0), 1);
		TEST_EXPECT(test_poll(producer, cpls, 1), 1);
		TEST_EXPECT(rte_comch_ctx_stop(consumer->ctx), -EINPROGRESS);
		TEST_EXPECT(test_poll(consumer, cpls, 5), 5);
		TEST_EXPECT(cpls[0].status, 0);
		TEST_EXPECT(cpls[0].cookie, i * 100);
		TEST_TRUE(test_slot_check(&to, 0, 32, 5));
		TEST_EXPECT(cpls[4].status, -ECANCELED);
		TEST_EXPECT(cpls[4].cookie, i * 100 + 4);
		TEST_WAIT(test_q_state(consumer) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_WAIT(fp->tx.ep->nb_gone == i + 1, TEST_MS);
		test_slot_clear(&to, 0);
		TEST_CALL(test_q_start(consumer, &fp->tx));
		TEST_EXPECT(test_queue_id(consumer->ctx), id);
		TEST_EXPECT(rte_comch_producer_credits(producer->ctx, id), 0);
		TEST_EXPECT(test_send_slot(producer, id, &from, 0, 32, 0), 0);
		TEST_EXPECT(test_reason(producer, id), -EAGAIN);
		TEST_EXPECT(test_drain(consumer), 0);
	}
	return TEST_SUCCESS;
}

/* As TEST_WAIT, but one engine alone turns: not the connection's, and not the peer's. */
#define ALONE_WAIT(pe, cond) TEST_UNTIL_TEXT(cond, #cond, test_turn(pe, NULL), TEST_MS)

/* What is posted comes back, in bursts or to the callbacks of tasks, and it is IDLE. */
static int
consumer_alone(struct test_fp *fp, struct test_q *consumer, struct test_q *producer, bool tasks)
{
	struct rte_comch_pe *pe = fp->rx.q_pe;
	uint32_t gone = fp->tx.ep->nb_gone, i, n = 0;
	struct rte_comch_task *task;

	for (i = 0; tasks && i < 8; i++) {
		TEST_EXPECT(rte_comch_consumer_task_alloc(consumer->ctx, NULL, &task), 0);
		TEST_EXPECT(rte_comch_task_submit(task), 0);
	}
	if (!tasks)
		TEST_EXPECT(test_post_empty(consumer, 8, 0), 8);
	TEST_WAIT(test_send_imm(producer, consumer->id, "abcd", 4, 0) == 1, TEST_MS);
	TEST_WAIT(rte_comch_queue_poll_burst(producer->ctx, cpls, 1) == 1, TEST_MS);
	consumer->nb_ok = consumer->nb_err = 0;
	TEST_EXPECT(rte_comch_ctx_stop(consumer->ctx), -EINPROGRESS);
	if (tasks)
		ALONE_WAIT(pe, consumer->nb_ok + consumer->nb_err == 8);
	else
		ALONE_WAIT(pe, (n += rte_comch_queue_poll_burst(consumer->ctx, &cpls[n], 8)) == 8);
	for (i = 0; i < n; i++)
		TEST_TRUE(cpls[i].cookie == i && cpls[i].status == (i == 0 ? 0 : -ECANCELED));
	if (tasks)
		TEST_TRUE(consumer->nb_ok == 1 && consumer->status == -ECANCELED);
	ALONE_WAIT(pe, test_q_state(consumer) == RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(rte_comch_ctx_reason_get(consumer->ctx), 0);
	/* nobody could tell the peer's application; a producer of a function has credits left */
	TEST_EXPECT(fp->tx.ep->nb_gone, gone);
	n = test_send_imm(producer, consumer->id, "abcd", 4, 0);
	TEST_EXPECT(n, test_place_is_bluefield() ? 1 : 0);
	TEST_WAIT(fp->tx.ep->nb_gone == gone + 1, TEST_MS);
	if (n != 0) {
		TEST_EXPECT(test_poll(producer, cpls, 1), 1);
		TEST_TRUE(cpls[0].status < 0);
	}
	TEST_EXPECT(fp->tx.ep->gone_id, consumer->id);
	TEST_EXPECT(test_reason(producer, consumer->id), -ENOENT);
	return TEST_SUCCESS;
}

/* One engine has the consumer alone, and no other turns until it is IDLE. */
static int
test_stop_alone(struct test_fp *fp)
{
	struct rte_comch_consumer_conf conf = { .nb_posts = 8, .imm_len = 4 };
	struct test_q *consumer = NULL, *producer;
	uint32_t round;

	TEST_CALL(test_fp_producer(fp, 8, &producer));
	for (round = 0; round < 4; round++) {
		conf.nb_tasks = round < 2 ? 0 : 8;
		if (round % 2 == 0) {
			consumer = test_q_consumer(&fp->rx, &conf);
		}
		TEST_CALL(test_q_start(consumer, &fp->tx));
		test_fp_pairs();
		TEST_CALL(consumer_alone(fp, consumer, producer, round >= 2));
	}
	TEST_EXPECT(test_stop_now(producer->ctx), 0);
	return TEST_SUCCESS;
}

/* The loop of the guide gets all packets of before the stop, and needs not be run. */
static int
test_stop_packets(struct test_fp *fp)
{
	struct rte_comch_mem *mem = test_mem_pool(fp->rx.dev, "stop_rx", 4 * PLACES, 0, 256,
			RTE_COMCH_MEM_F_PEER_WRITE);
	struct test_q *consumer, *producer;
	struct rte_comch_mem_info info = test_mem_info(mem);
	struct rte_mbuf *pkts[8];
	struct test_slots from;
	uint32_t fetch, got, i;
	uint64_t end;
	uint16_t n;

	TEST_CALL(test_slots_new(&from, fp->tx.dev, 0, 1, 32));
	for (fetch = 0; fetch < 2; fetch++) {
		TEST_CALL(test_fp_queues(fp, mem, PLACES, 0, &consumer, &producer));
		TEST_EXPECT(rte_comch_consumer_rx_burst(consumer->ctx, pkts, 1), 0);
		for (i = 0; i < PLACES / 2; i++)
			TEST_WAIT(test_send_slot(producer, consumer->id, &from, 0, 32, 0) == 1,
					TEST_MS);
		TEST_EXPECT(rte_comch_ctx_stop(consumer->ctx), -EINPROGRESS);
		end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
		for (got = 0; test_q_state(consumer) != RTE_COMCH_STATE_IDLE; got += n) {
			TEST_TRUE(test_now_ns() < end);
			rte_comch_pe_progress(fp->rx.q_pe);
			n = fetch == 0 ? 0 : rte_comch_consumer_rx_burst(consumer->ctx, pkts,
					RTE_DIM(pkts));
			rte_pktmbuf_free_bulk(pkts, n);
		}
		TEST_EXPECT(got, fetch == 0 ? 0 : PLACES / 2);
		TEST_TRUE(rte_mempool_full(info.pool));
		TEST_EXPECT(test_q_close(consumer), 0);
		TEST_EXPECT(test_q_close(producer), 0);
	}
	return TEST_SUCCESS;
}

/* Stopped at every moment of its start: it becomes idle, and can start anew. */
static int
test_stop_starting(struct test_fp *fp)
{
	const struct rte_comch_consumer_conf conf = { .nb_posts = 4, .imm_len = 4 };
	struct test_q *consumer = test_q_consumer(&fp->rx, &conf), *producer;
	struct rte_comch_cpl cpl;
	uint32_t i, j;
	int ret;

	for (i = 0; i < 40; i++) {
		TEST_EXPECT(rte_comch_ctx_start(consumer->ctx), -EINPROGRESS);
		for (j = 0; j < i / 2; j++)
			test_progress();
		ret = rte_comch_ctx_stop(consumer->ctx);
		TEST_TRUE(ret == 0 || ret == -EINPROGRESS);
		if (i % 2 != 0) /* idle before the next one, or as soon as it can */
			test_settle();
		TEST_WAIT(test_q_state(consumer) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_EXPECT(rte_comch_ctx_reason_get(consumer->ctx), 0);
	}
	test_settle();
	TEST_EXPECT(fp->tx.ep->nb_new, fp->tx.ep->nb_gone);
	TEST_CALL(test_q_start(consumer, &fp->tx));
	TEST_CALL(test_fp_producer(fp, 4, &producer));
	TEST_EXPECT(test_post_empty(consumer, 1, 6), 1);
	TEST_WAIT(test_send_imm(producer, consumer->id, "abcd", 4, 0) == 1, TEST_MS);
	TEST_EXPECT(test_poll(consumer, &cpl, 1), 1);
	TEST_EXPECT(cpl.cookie, 6);
	return TEST_SUCCESS;
}

/* How far a start has come before it is stopped: who has turned since. */
enum start_part { START_ASKED_NOBODY, START_ASKED_PEER, START_ANSWERED, START_PARTS };

static int
stop_part(struct test_fp *fp, struct test_q *consumer, enum start_part part)
{
	const unsigned int turns = 8;
	unsigned int i;

	TEST_EXPECT(rte_comch_ctx_start(consumer->ctx), -EINPROGRESS);
	for (i = 0; part != START_ASKED_NOBODY && i < turns; i++)
		rte_comch_pe_progress(fp->rx.pe);
	for (i = 0; part == START_ANSWERED && i < turns; i++) {
		rte_comch_pe_progress(fp->tx.pe);
		usleep(1000);
	}
	TEST_EXPECT(rte_comch_ctx_stop(consumer->ctx), -EINPROGRESS);
	ALONE_WAIT(fp->rx.q_pe, test_q_state(consumer) == RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(rte_comch_ctx_reason_get(consumer->ctx), 0);
	return TEST_SUCCESS;
}

/*
 * One that is stopped while it is STARTING ends by its own engine, too. It can start again, or
 * be destroyed and another one made, before the engine of the connection turns.
 */
static int
test_stop_starting_alone(struct test_fp *fp)
{
	const struct rte_comch_consumer_conf conf = { .nb_posts = 4, .imm_len = 4 };
	struct test_q *consumer, *producer;
	struct rte_comch_cpl cpl;
	enum start_part part;
	unsigned int round;

	TEST_CALL(test_fp_producer(fp, 4, &producer));
	for (round = 0; round < 4 * START_PARTS; round++) {
		part = round % START_PARTS;
		consumer = test_q_consumer(&fp->rx, &conf);
		TEST_CALL(stop_part(fp, consumer, part));
		if (round >= START_PARTS)
			TEST_CALL(stop_part(fp, consumer, START_ASKED_NOBODY));
		if (round >= 2 * START_PARTS) {
			TEST_EXPECT(test_q_close(consumer), 0);
			consumer = test_q_consumer(&fp->rx, &conf);
		}
		if (round >= 3 * START_PARTS) {
			test_settle();
			TEST_EXPECT(fp->tx.ep->nb_new, fp->tx.ep->nb_gone);
		}
		TEST_EXPECT(rte_comch_ctx_start(consumer->ctx), -EINPROGRESS);
		TEST_WAIT(test_q_state(consumer) == RTE_COMCH_STATE_RUNNING, TEST_MS);
		test_fp_pairs();
		TEST_EXPECT(test_post_empty(consumer, 1, round), 1);
		TEST_WAIT(test_send_imm(producer, consumer->id, "abcd", 4, 0) == 1, TEST_MS);
		TEST_EXPECT(test_poll(consumer, &cpl, 1), 1);
		TEST_EXPECT(cpl.cookie, round);
		TEST_EXPECT(test_poll(producer, &cpl, 1), 1);
		TEST_EXPECT(test_q_close(consumer), 0);
		TEST_WAIT(fp->tx.ep->nb_new == fp->tx.ep->nb_gone, TEST_MS);
	}
	/* what nobody waits for any more does not keep the connection */
	consumer = test_q_consumer(&fp->rx, &conf);
	TEST_CALL(stop_part(fp, consumer, START_ASKED_PEER));
	TEST_CALL(stop_part(fp, consumer, START_ASKED_NOBODY));
	TEST_EXPECT(test_q_close(consumer), 0);
	return TEST_SUCCESS;
}

/*
 * What a consumer has told the peer of, which has not looked yet, goes with it: the peer finds
 * all of it at once, and an honest one is no liar.
 */
static int
test_stop_starting_region(struct test_fp *fp)
{
	struct rte_comch_consumer_conf conf = { .nb_posts = 4, .buf_size = 32 };
	struct rte_comch_dev_stats before, after;
	struct test_q *consumer;
	unsigned int i;

	TEST_EXPECT(rte_comch_dev_stats_get(fp->tx.dev, &before), 0);
	for (i = 0; i < 2; i++) {
		conf.mem = test_mem_alloc(fp->rx.dev, 4096, RTE_COMCH_MEM_F_PEER_WRITE);
		consumer = test_q_consumer(&fp->rx, &conf);
		if (i == 0) {
			TEST_CALL(stop_part(fp, consumer, START_ASKED_PEER));
			TEST_EXPECT(test_q_close(consumer), 0);
			TEST_EXPECT(test_mem_free(conf.mem), 0);
			test_settle();
		}
	}
	TEST_EXPECT(rte_comch_ctx_start(consumer->ctx), -EINPROGRESS);
	TEST_WAIT(test_q_state(consumer) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	TEST_EXPECT(rte_comch_dev_stats_get(fp->tx.dev, &after), 0);
	TEST_EXPECT(after.violations, before.violations);
	return TEST_SUCCESS;
}

/* Longer than all limits of the library. */
#define STALL_MS 6500

/* An engine that stood beyond all limits gives its driver the time to look, first. */
static int
test_stop_stalled(struct test_fp *fp)
{
	const struct rte_comch_consumer_conf conf = { .nb_posts = 4, .imm_len = 4 };
	struct test_q *consumer, *producer;

	TEST_CALL(test_fp_producer(fp, 4, &producer));
	consumer = test_q_consumer(&fp->rx, &conf);
	TEST_CALL(test_q_start(consumer, &fp->tx));
	test_fp_pairs();
	TEST_EXPECT(rte_comch_ctx_stop(consumer->ctx), -EINPROGRESS);
	test_turn_ms(fp->rx.pe, fp->tx.pe, STALL_MS);
	ALONE_WAIT(fp->rx.q_pe, test_q_state(consumer) == RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(test_dev_status(fp->rx.dev), 0);
	TEST_EXPECT(rte_comch_ctx_reason_get(consumer->ctx), 0);
	return TEST_SUCCESS;
}

/* The same of the engine of the connection, whose peer answers in time, or never. */
static int
start_stalled(int answered)
{
	enum rte_comch_state state = answered ? RTE_COMCH_STATE_RUNNING : RTE_COMCH_STATE_IDLE;
	struct test_q *consumer;
	struct test_fp fp;

	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU));
	consumer = test_q_consumer(&fp.rx, NULL);
	TEST_EXPECT(rte_comch_ctx_start(consumer->ctx), -EINPROGRESS);
	test_turn_ms(fp.rx.pe, fp.rx.q_pe, 10);
	if (answered)
		test_turn_ms(fp.tx.pe, fp.tx.q_pe, 100);
	usleep(STALL_MS * 1000);
	test_turn_ms(fp.rx.pe, fp.rx.q_pe, 1000);
	TEST_UNTIL(test_q_state(consumer) == (int)state, test_turn(fp.rx.pe, fp.rx.q_pe), TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(consumer->ctx), answered ? 0 : -ENOTCONN);
	TEST_EXPECT(test_dev_status(fp.rx.dev), 0);
	return TEST_SUCCESS;
}

/* The connection cannot be ended by a side that has something on it. */
static int
test_busy(struct test_fp *fp)
{
	struct test_q *q[4];
	unsigned int i;

	q[0] = test_q_consumer(&fp->rx, NULL);
	q[1] = test_q_producer(&fp->rx, NULL);
	q[2] = test_q_consumer(&fp->tx, NULL);
	q[3] = test_q_producer(&fp->tx, NULL);
	for (i = 0; i < RTE_DIM(q); i++)
		TEST_TRUE(q[i] != NULL);
	/* they only exist; then they run */
	for (i = 0; i < 2; i++) {
		TEST_EXPECT(rte_comch_server_disconnect(fp->rx.ep->conn), -EBUSY);
		TEST_EXPECT(rte_comch_ctx_stop(fp->rx.ep->ctx), -EBUSY);
		TEST_EXPECT(rte_comch_ctx_stop(fp->tx.ep->ctx), -EBUSY);
		TEST_EXPECT(test_state(fp->rx.ep), RTE_COMCH_STATE_RUNNING);
		TEST_EXPECT(test_state(fp->tx.ep), RTE_COMCH_STATE_RUNNING);
		if (i == 0) {
			TEST_CALL(test_q_start(q[0], &fp->tx));
			TEST_EXPECT(rte_comch_ctx_start(q[1]->ctx), 0);
			TEST_CALL(test_q_start(q[2], &fp->rx));
			TEST_EXPECT(rte_comch_ctx_start(q[3]->ctx), 0);
		}
	}
	TEST_EXPECT(test_q_close(q[0]), 0);
	TEST_EXPECT(rte_comch_server_disconnect(fp->rx.ep->conn), -EBUSY);
	TEST_EXPECT(test_q_close(q[3]), 0);
	TEST_EXPECT(rte_comch_ctx_stop(fp->tx.ep->ctx), -EBUSY);
	TEST_EXPECT(test_q_close(q[1]), 0);
	TEST_EXPECT(rte_comch_server_disconnect(fp->rx.ep->conn), 0);
	TEST_WAIT(test_q_state(q[2]) == RTE_COMCH_STATE_IDLE &&
			test_state(fp->tx.ep) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(test_q_close(q[2]), 0);
	return TEST_SUCCESS;
}

/* The peer ends the connection under a consumer and a producer. */
static int
test_conn_lost(struct test_fp *fp)
{
	struct test_q *consumer, *producer, *sender, *receiver;
	struct rte_comch_room room;
	struct test_fp back = { .tx = fp->rx, .rx = fp->tx };
	bool to_dpu = test_ctx_info(fp->rx.ep->ctx).type == RTE_COMCH_CTX_SERVER;
	uint32_t i;
	int ret;

	TEST_CALL(test_fp_queues(fp, NULL, PLACES, 4, &consumer, &sender));
	TEST_CALL(test_fp_queues(&back, NULL, PLACES, 4, &receiver, &producer));
	TEST_EXPECT(test_post_empty(receiver, 10, 0), 10);
	TEST_EXPECT(test_post_empty(consumer, PLACES, 100), PLACES);
	for (i = 0; i < 10; i++) {
		TEST_WAIT(test_send_imm(sender, consumer->id, &i, sizeof(i), 0) == 1, TEST_MS);
		TEST_WAIT(test_send_imm(producer, receiver->id, &i, sizeof(i), i) == 1, TEST_MS);
	}
	i = receiver->id;
	TEST_EXPECT(test_q_close(sender), 0);
	TEST_EXPECT(test_q_close(receiver), 0);
	if (to_dpu)
		TEST_CALL(test_stop(fp->tx.ep));
	else
		TEST_EXPECT(rte_comch_server_disconnect(fp->tx.ep->conn), 0);

	/* the engine of the connection may know before that of the queues */
	TEST_WAIT(test_send_imm(producer, i, NULL, 0, 0) == 0 &&
			test_q_state(producer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(producer->ctx), -ECONNRESET);
	TEST_EXPECT(rte_comch_queue_room_get(producer->ctx, i, &room), -EBUSY);
	TEST_EXPECT(rte_comch_ctx_start(producer->ctx), -ENOTCONN);
	TEST_TRUE(test_ctx_info(producer->ctx).conn == NULL);
	TEST_WAIT(test_q_state(consumer) == RTE_COMCH_STATE_STOPPING, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_stop(consumer->ctx), -EALREADY);
	ret = rte_comch_ctx_destroy(consumer->ctx);
	TEST_EXPECT(ret, -EBUSY);

	/* what had come, then the rest */
	TEST_EXPECT(test_poll(consumer, cpls, 10), 10);
	for (i = 0; i < 10; i++) {
		TEST_EXPECT(cpls[i].status, 0);
		TEST_EXPECT(cpls[i].cookie, 100 + i);
		TEST_TRUE(memcmp(cpls[i].imm, &i, sizeof(i)) == 0);
	}
	TEST_CALL(flushed(consumer, PLACES - 10, 110, -ECONNRESET));
	TEST_WAIT(test_q_state(consumer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(consumer->ctx), -ECONNRESET);
	TEST_EXPECT(rte_comch_ctx_start(consumer->ctx), -ENOTCONN);
	TEST_EXPECT(test_q_close(producer), 0);
	return test_q_close(consumer);
}

/*
 * All legal orders in which a producer, a consumer, its region, the source and
 * the client can go, while messages are posted, sent and not polled.
 */
static int
one_order(unsigned int order)
{
	struct test_q *consumer, *producer;
	struct test_slots from, to;
	struct test_fp fp;
	unsigned int left[3] = { 0, 1, 2 }, nb = 3, i, what;
	uint32_t drained = 0;

	TEST_CALL(test_fp_open(&fp, order % 2 != 0 ? TEST_FP_TO_HOST : TEST_FP_TO_DPU));
	order /= 2;
	TEST_CALL(test_slots_new(&to, fp.rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, 8, 32));
	TEST_CALL(test_slots_new(&from, fp.tx.dev, 0, 8, 32));
	TEST_CALL(test_fp_queues(&fp, to.mem, 8, 0, &consumer, &producer));
	TEST_CALL(test_fp_offer(consumer, producer, &to, 0, 8, 0));
	for (i = 0; i < 5; i++)
		TEST_EXPECT(test_send_slot(producer, consumer->id, &from, i, 32, 0), 1);
	if (order % 2 != 0)
		TEST_WAIT((drained += test_drain(consumer) + test_drain(producer)) == 10, TEST_MS);
	order /= 2;
	for (; nb > 0; nb--) {
		i = order % nb;
		order /= nb;
		what = left[i];
		left[i] = left[nb - 1];
		switch (what) {
		case 0:
			TEST_EXPECT(test_q_close(producer), 0);
			break;
		case 1:
			TEST_EXPECT(test_mem_free(to.mem), -EBUSY);
			TEST_EXPECT(test_q_close(consumer), 0);
			TEST_EXPECT(rte_comch_mem_free(to.mem), 0);
			break;
		default:
			/* a source is free when its sends have ended */
			TEST_EXPECT(test_mem_free(from.mem), 0);
			break;
		}
	}
	test_fp_cleanup();
	return TEST_SUCCESS;
}

/* Everything over and over: the process stays as it is. */
static int
test_no_leak(void)
{
	unsigned int nb_fds = 0, nb_maps = 0, round;
	uint64_t memfd = 0, priv = 0;

	for (round = 0; round < 24; round++) {
		if (round == 8) { /* warm */
			nb_fds = test_count_fds();
			nb_maps = test_count_maps();
			memfd = test_memfd_kb();
			priv = test_private_kb();
		}
		TEST_CALL(one_order(round));
	}
	TEST_WAIT(test_count_fds() <= nb_fds, TEST_MS);
	TEST_WAIT(test_count_maps() <= nb_maps, TEST_MS);
	TEST_WAIT(test_memfd_kb() <= memfd, TEST_MS);
	test_note("%lld kB more after %u rounds", (long long)(test_private_kb() - priv), round - 8);
	if (!TEST_ASAN)
		TEST_TRUE(test_private_kb() < priv + 1024);
	return TEST_SUCCESS;
}

/* A peer that does not let go of a consumer loses the connection. */
static int
test_silent_peer(void)
{
	struct test_q *consumer, *producer;
	struct test_fp fp;
	uint64_t start, ms;

	if (!test_place_is_bluefield())
		return test_skip("the engine of the consumer needs no answer: test_stop_alone");
	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU));
	TEST_CALL(test_fp_queues(&fp, NULL, 8, 4, &consumer, &producer));
	TEST_EXPECT(test_post_empty(consumer, 8, 40), 8);
	TEST_WAIT(test_send_imm(producer, consumer->id, "abcd", 4, 0) == 1, TEST_MS);
	test_settle();
	TEST_EXPECT(rte_comch_ctx_stop(consumer->ctx), -EINPROGRESS);
	start = test_now_ns();
	do {
		/* only this side is alive; nothing may be flushed before the end */
		rte_comch_pe_progress(fp.rx.pe);
		rte_comch_pe_progress(fp.rx.q_pe);
		ms = (test_now_ns() - start) / 1000000;
		TEST_ASSERT(ms < 2 * TEST_MS, "the connection is up after %u ms", (unsigned int)ms);
		sched_yield();
	} while (fp.rx.ep->nb_disconnects == 0);
	test_note("given up after %u ms", (unsigned int)ms);
	TEST_TRUE(ms >= 500 && ms < 8000); /* five seconds, on a machine that is busy */
	TEST_WAIT(rte_comch_queue_poll_burst(consumer->ctx, cpls, 1) == 1, TEST_MS);
	TEST_EXPECT(cpls[0].status, 0);
	TEST_EXPECT(cpls[0].cookie, 40);
	TEST_EXPECT(test_poll(consumer, cpls, 7), 7);
	TEST_TRUE(cpls[0].status == -ECONNRESET || cpls[0].status == -ECANCELED);
	TEST_EXPECT(cpls[6].cookie, 47);
	TEST_WAIT(test_q_state(consumer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	/* the peer wakes, and finds that it is over */
	TEST_WAIT(test_q_state(producer) == RTE_COMCH_STATE_IDLE &&
			test_state(fp.tx.ep) != RTE_COMCH_STATE_RUNNING, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(producer->ctx), -ECONNRESET);
	TEST_EXPECT(test_q_close(producer), 0);
	TEST_WAIT(test_state(fp.tx.ep) == RTE_COMCH_STATE_IDLE, TEST_MS);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: ends of producers and consumers",
	.setup = test_quiet,
	.unit_test_cases = {
		TEST_CASE_FP_BOTH(test_fp_count_setup, test_fp_count_teardown, test_stop_consumer),
		TEST_CASE_FP_BOTH(test_fp_count_setup, test_fp_count_teardown, test_stop_producer),
		TEST_CASE_FP_BOTH(test_fp_count_setup, test_fp_count_teardown, test_restart),
		TEST_CASE_FP_BOTH(test_fp_count_setup, test_fp_count_teardown, test_stop_alone),
		TEST_CASE_FP_BOTH(test_fp_count_setup, test_fp_count_teardown, test_stop_packets),
		TEST_CASE_FP_BOTH(test_fp_count_setup, test_fp_count_teardown, test_stop_starting),
		TEST_CASE_FP_BOTH(test_fp_count_setup, test_fp_count_teardown,
				test_stop_starting_alone),
		TEST_CASE_FP_BOTH(test_fp_count_setup, test_fp_count_teardown,
				test_stop_starting_region),
		TEST_CASE_FP(test_fp_count_setup, test_fp_count_teardown, test_stop_stalled),
		TEST_CASE_ARG(test_fp_count_setup, test_fp_count_teardown, "test_start_stalled",
				start_stalled, false),
		TEST_CASE_ARG(test_fp_count_setup, test_fp_count_teardown,
				"test_start_stalled_answered", start_stalled, true),
		TEST_CASE_FP(test_fp_count_setup, test_fp_count_teardown, test_busy),
		TEST_CASE_FP_BOTH(test_fp_count_setup, test_fp_count_teardown, test_conn_lost),
		TEST_CASE_ST(test_fp_count_setup, test_fp_count_teardown, test_no_leak),
		TEST_CASES_END()
	},
};

/* What takes time is done with one pair. */
static struct unit_test_suite slow_suite = {
	.suite_name = "comch: peers that do not let go",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_silent_peer),
		TEST_CASES_END()
	},
};

static int
fp_stop_run(struct unit_test_suite *for_pairs)
{
	int ret = test_pairs_run(for_pairs), slow = unit_test_suite_runner(&slow_suite);

	return ret == TEST_SUCCESS ? slow : ret;
}

REGISTER_SLOW_TEST(comch_fp_stop_autotest, fp_stop_run, &suite)
