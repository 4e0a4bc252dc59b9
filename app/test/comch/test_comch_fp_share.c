/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Credits of several producers of one consumer: each one's share is taken in full,
 * whatever the others do, and nobody starves of a share that is not used. Credits of one
 * producer are in test_comch_fp_room.c.
 */

#include <pthread.h>

#include "test_comch_fp_util.h"

#define PRODUCERS 4
#define POSTS 32u
#define BURST 32
/* A share is kept for 10 ms: what a slow machine delays more than this does not count. */
#define KEPT_NS (5 * 1000 * 1000)
#define TRIES 200
#define WORKER_MSGS 4000

struct many {
	struct test_q *consumer;
	struct test_q *producers[PRODUCERS];
	uint32_t nb;
};

static int
many_open(struct test_fp *fp, struct many *m, uint32_t nb)
{
	memset(m, 0, sizeof(*m));
	TEST_CALL(test_fp_consumer(fp, NULL, POSTS, 8, &m->consumer));
	for (m->nb = 0; m->nb < nb; m->nb++)
		TEST_CALL(test_fp_producer(fp, 1024, &m->producers[m->nb]));
	return TEST_SUCCESS;
}

/* Of immediate data, which says nothing; how many were taken. */
static uint32_t
burst(struct many *m, uint32_t producer, uint16_t nb)
{
	static const struct rte_comch_send sends[BURST] = { { .imm_len = 0 } };
	struct rte_comch_cpl cpls[BURST];
	struct rte_comch_ctx *ctx = m->producers[producer]->ctx;

	while (rte_comch_queue_poll_burst(ctx, cpls, BURST) != 0)
		;
	return rte_comch_producer_send_burst(ctx, m->consumer->id, sends, nb);
}

static uint32_t
credits(struct many *m, uint32_t producer)
{
	return rte_comch_producer_credits(m->producers[producer]->ctx, m->consumer->id);
}

/* Use up what is posted, by all; and post. */
static int
offer(struct many *m, uint32_t nb)
{
	struct rte_comch_cpl cpls[BURST];
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	uint32_t left = 1, i;
	struct rte_comch_room room;

	while (left != 0) {
		TEST_TRUE(test_now_ns() < end);
		for (i = 0; i < m->nb; i++)
			burst(m, i, BURST);
		rte_comch_queue_poll_burst(m->consumer->ctx, cpls, BURST);
		TEST_EXPECT(rte_comch_queue_room_get(m->consumer->ctx, 0, &room), 0);
		left = room.credits;
	}
	TEST_EXPECT(test_post_empty(m->consumer, nb, 0), nb);
	test_arrive();
	return TEST_SUCCESS;
}

/* One takes all that it can get; what the others were told is theirs. */
static int
taken_in_full(struct many *m, uint32_t posts, bool *late)
{
	uint32_t had[PRODUCERS], sum = 0, i, rest;
	uint64_t begin;

	TEST_CALL(offer(m, posts));
	begin = test_now_ns();
	for (i = 1; i < m->nb; i++) {
		had[i] = credits(m, i);
		TEST_TRUE(had[i] >= posts / m->nb && had[i] <= posts);
		sum += had[i];
	}
	TEST_TRUE(sum <= posts);
	rest = burst(m, 0, BURST);
	for (i = 1; i < m->nb; i++)
		had[0] = burst(m, i, (uint16_t)had[i]) == had[i] ? 0 : i;
	*late = test_now_ns() - begin > KEPT_NS;
	if (*late)
		return TEST_SUCCESS;
	TEST_EXPECT(had[0], 0);
	TEST_EXPECT(rest, posts - sum);
	TEST_EXPECT(test_reason(m->producers[0], m->consumer->id),
			rest < BURST ? -EAGAIN : 0);
	return TEST_SUCCESS;
}

static int
test_in_full(struct test_fp *fp)
{
	struct many m;
	uint32_t posts, tries = 0;
	bool late;

	TEST_CALL(many_open(fp, &m, PRODUCERS));
	for (posts = 1; posts <= POSTS; posts++) {
		do {
			TEST_TRUE(tries++ < TRIES);
			TEST_CALL(taken_in_full(&m, posts, &late));
		} while (late);
	}
	return TEST_SUCCESS;
}

/* It asks and does not send: the others go on without its share, and then with it. */
static int
test_unused(struct test_fp *fp)
{
	struct many m;
	uint32_t nb, had;

	TEST_CALL(many_open(fp, &m, 2));
	TEST_CALL(offer(&m, POSTS));
	had = credits(&m, 1);
	TEST_TRUE(had >= POSTS / 2);
	nb = burst(&m, 0, POSTS);
	TEST_TRUE(nb >= POSTS - had);
	TEST_UNTIL((nb += burst(&m, 0, (uint16_t)(POSTS - nb))) == POSTS, 0, TEST_MS);
	TEST_EXPECT(credits(&m, 1), 0);
	TEST_EXPECT(burst(&m, 1, 1), 0);
	TEST_EXPECT(test_reason(m.producers[1], m.consumer->id), -EAGAIN);
	return TEST_SUCCESS;
}

/* One that stops gives its share back at once; one that is left has all. */
static int
test_stopped(struct test_fp *fp)
{
	struct rte_comch_room room;
	struct many m;

	TEST_CALL(many_open(fp, &m, 2));
	TEST_CALL(offer(&m, POSTS));
	TEST_TRUE(credits(&m, 0) >= POSTS / 2);
	TEST_TRUE(credits(&m, 1) >= POSTS / 2);
	TEST_EXPECT(test_q_close(m.producers[1]), 0);
	m.nb = 1;
	TEST_EXPECT(credits(&m, 0), POSTS);
	TEST_EXPECT(rte_comch_queue_room_get(m.producers[0]->ctx, m.consumer->id, &room), 0);
	TEST_EXPECT(room.credits, POSTS);
	TEST_EXPECT(burst(&m, 0, POSTS), POSTS);
	TEST_EXPECT(credits(&m, 0), 0);
	/* and what it has is not too much for another one that comes */
	TEST_CALL(test_fp_producer(fp, 1024, &m.producers[1]));
	m.nb = 2;
	TEST_CALL(offer(&m, 2));
	TEST_EXPECT(burst(&m, 1, 2), 2);
	return TEST_SUCCESS;
}

/* Threads that ask and send, beside one that only sends, while the consumer posts. */
struct worker {
	struct test_q *q;
	uint32_t id;
	bool greedy;
	uint32_t sent;
	uint32_t nb_asked;  /* times that it had credits, and was in time */
	uint32_t nb_broken; /* times that not all of them were taken */
	uint32_t *stop;
};

static uint32_t
worker_burst(struct worker *w)
{
	static const struct rte_comch_send sends[BURST] = { { .imm_len = 0 } };
	struct rte_comch_cpl cpls[BURST];
	uint32_t nb = RTE_MIN(WORKER_MSGS - w->sent, (uint32_t)BURST), had, sent;
	uint64_t begin = test_now_ns();

	while (rte_comch_queue_poll_burst(w->q->ctx, cpls, BURST) != 0)
		;
	if (w->greedy)
		return rte_comch_producer_send_burst(w->q->ctx, w->id, sends, (uint16_t)nb);
	had = RTE_MIN(rte_comch_producer_credits(w->q->ctx, w->id), nb);
	if (had == 0)
		return 0;
	sent = rte_comch_producer_send_burst(w->q->ctx, w->id, sends, (uint16_t)had);
	if (test_now_ns() - begin < KEPT_NS) {
		w->nb_asked++;
		w->nb_broken += sent != had;
	}
	return sent;
}

static void *
worker_main(void *arg)
{
	struct worker *w = arg;
	uint32_t sent;

	while (w->sent < WORKER_MSGS && __atomic_load_n(w->stop, __ATOMIC_RELAXED) == 0) {
		sent = worker_burst(w);
		w->sent += sent;
		if (sent == 0)
			sched_yield();
	}
	return NULL;
}

/* Post what has come, until all has come. */
static uint32_t
consume(struct many *m, uint32_t want)
{
	uint64_t end = test_now_ns() + 10 * (uint64_t)TEST_MS * 1000000;
	struct rte_comch_cpl cpls[BURST];
	uint32_t got = 0, n;

	test_post_empty_nowait(m->consumer, POSTS, 0);
	while (got < want && test_now_ns() < end) {
		n = rte_comch_queue_poll_burst(m->consumer->ctx, cpls, BURST);
		got += n;
		if (n == 0)
			sched_yield();
		else
			test_post_empty_nowait(m->consumer, n, 0);
	}
	return got;
}

static int
test_threads(struct test_fp *fp)
{
	struct worker workers[PRODUCERS] = { { .sent = 0 } };
	pthread_t ids[PRODUCERS];
	uint32_t stop = 0, got, i, nb;
	struct many m;

	TEST_CALL(many_open(fp, &m, PRODUCERS));
	for (nb = 0; nb < PRODUCERS; nb++) {
		workers[nb] = (struct worker) {
			.q = m.producers[nb], .id = m.consumer->id, .greedy = nb == 0,
			.stop = &stop,
		};
		if (pthread_create(&ids[nb], NULL, worker_main, &workers[nb]) != 0)
			break;
	}
	got = consume(&m, nb * WORKER_MSGS);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < nb; i++)
		pthread_join(ids[i], NULL);
	TEST_EXPECT(nb, PRODUCERS);
	TEST_EXPECT(got, PRODUCERS * WORKER_MSGS);
	for (i = 0; i < PRODUCERS; i++) {
		TEST_EXPECT(workers[i].sent, WORKER_MSGS);
		TEST_EXPECT(workers[i].nb_broken, 0);
		TEST_TRUE(workers[i].greedy || workers[i].nb_asked != 0);
	}
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: credits of several producers",
	.unit_test_cases = {
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_in_full),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_unused),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_stopped),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_threads),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_fp_share_autotest, test_pairs_run, &suite)
