/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Bursts of immediate data alone, to consumers without a region: lengths that change
 * within a burst, polls that take other numbers than bursts have, and several producers
 * on one consumer. The layouts of a driver for it differ by the length that a consumer
 * states, so all of it is done on both sides of each limit.
 */

#include <pthread.h>
#include <sched.h>

#include "shm_wire.h"
#include "test_comch_fp_util.h"
#include "test_comch_place.h"

#define MAX_IMM 256u
#define MAX_BURST 70u
#define POSTS 128u
#define NB_PRODUCERS 3u

/* In each message that has room for it, in its first bytes. */
struct small_head {
	uint16_t producer; /* index */
	uint16_t nr;       /* counts the messages of one */
};

static uint8_t imms[MAX_BURST][MAX_IMM];
static struct rte_comch_send sends[MAX_BURST];
static struct rte_comch_cpl cpls[POSTS];

struct small_env {
	struct test_q *consumer;
	struct test_q *producers[NB_PRODUCERS];
	unsigned int nb_producers;
	uint32_t imm_len;
	uint32_t nb_posts;
	uint32_t posted, got;               /* messages */
	uint32_t sent[NB_PRODUCERS];        /* those that were taken */
	uint32_t seen[NB_PRODUCERS];
	uint32_t asked[NB_PRODUCERS];       /* that have completions */
	uint32_t done[NB_PRODUCERS];
};

static uint32_t
msg_len(const struct small_env *env, unsigned int p, uint32_t nr)
{
	/* rows of one length, as real bursts are, and rows in which none is like another */
	if (nr / 40 % 2 == 0)
		return env->imm_len;
	return (p * 7 + nr * 5) % (env->imm_len + 1);
}

static uint32_t
msg_seed(unsigned int p, uint32_t nr)
{
	return p * 1000003 + nr;
}

static void
msg_fill(const struct small_env *env, unsigned int p, uint32_t nr, uint32_t i)
{
	const struct small_head head = { .producer = p, .nr = nr };
	uint32_t len = msg_len(env, p, nr);

	test_fill(imms[i], len, msg_seed(p, nr));
	if (len >= sizeof(head))
		memcpy(imms[i], &head, sizeof(head));
	sends[i] = (struct rte_comch_send) {
		.imm = len != 0 ? imms[i] : NULL,
		.imm_len = len,
		.flags = nr % 11 == 3 ? RTE_COMCH_SEND_F_NO_CPL : 0,
		.cookie = nr,
	};
}

static int
small_send(struct small_env *env, unsigned int p)
{
	uint32_t nb = test_rand() % 4 == 0 ? 1 : 1 + test_rand() % MAX_BURST, i;
	uint16_t taken;

	for (i = 0; i < nb; i++)
		msg_fill(env, p, env->sent[p] + i, i);
	taken = rte_comch_producer_send_burst(env->producers[p]->ctx, env->consumer->id, sends,
			(uint16_t)nb);
	memset(imms, 0xee, sizeof(imms)); /* it is copied */
	for (i = 0; i < taken; i++)
		env->asked[p] += sends[i].flags == 0;
	env->sent[p] += taken;
	return TEST_SUCCESS;
}

static int
small_sent(struct small_env *env, unsigned int p)
{
	uint16_t nb, i;

	nb = rte_comch_queue_poll_burst(env->producers[p]->ctx, cpls, 64);
	for (i = 0; i < nb; i++)
		TEST_TRUE(cpls[i].status == 0 && cpls[i].len == 0 && cpls[i].imm_len == 0);
	env->done[p] += nb;
	return TEST_SUCCESS;
}

/* What one completion says, and whether it is the next message of its producer. */
static int
small_check(struct small_env *env, const struct rte_comch_cpl *cpl)
{
	const uint8_t *imm = cpl->imm_len <= RTE_COMCH_CPL_IMM_SIZE ? cpl->imm : cpl->imm_ext;
	uint8_t want[MAX_IMM];
	struct small_head head;
	uint32_t nr, len;
	unsigned int p;

	TEST_EXPECT(cpl->status, 0);
	TEST_EXPECT(cpl->len, 0);
	TEST_EXPECT(cpl->reserved, 0);
	TEST_EXPECT(cpl->cookie, env->got);
	for (p = 0; p < env->nb_producers && env->producers[p]->id != cpl->producer_id; p++)
		;
	TEST_TRUE(p < env->nb_producers);
	nr = env->seen[p]++;
	len = msg_len(env, p, nr);
	TEST_EXPECT(cpl->imm_len, len);
	test_fill(want, len, msg_seed(p, nr));
	head = (struct small_head) { .producer = p, .nr = nr };
	if (len >= sizeof(head))
		memcpy(want, &head, sizeof(head));
	TEST_ASSERT(memcmp(imm, want, len) == 0, "message %u of producer %u, %u bytes", nr, p, len);
	env->got++;
	return TEST_SUCCESS;
}

static int
small_receive(struct small_env *env)
{
	uint16_t nb = test_rand() % 4 == 0 ? 1 : 1 + test_rand() % POSTS, i;

	nb = rte_comch_queue_poll_burst(env->consumer->ctx, cpls, nb);
	for (i = 0; i < nb; i++)
		TEST_CALL(small_check(env, &cpls[i]));
	return TEST_SUCCESS;
}

static int
small_post(struct small_env *env)
{
	struct rte_comch_post posts[POSTS];
	uint32_t room = env->nb_posts - (env->posted - env->got);
	uint32_t nb = test_rand() % 2 == 0 ? room : RTE_MIN(room, 1 + test_rand() % 4), i;

	memset(posts, 0, sizeof(posts));
	for (i = 0; i < nb; i++)
		posts[i].cookie = env->posted + i;
	TEST_EXPECT(rte_comch_consumer_post_burst(env->consumer->ctx, posts, (uint16_t)nb), nb);
	env->posted += nb;
	return TEST_SUCCESS;
}

static int
small_turns(struct small_env *env, uint32_t msgs)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000 * 4;
	uint32_t all = 0;
	unsigned int p;

	while (all < msgs) {
		TEST_TRUE(test_now_ns() < end);
		TEST_CALL(small_post(env));
		for (p = 0; p < env->nb_producers; p++) {
			TEST_CALL(small_send(env, p));
			TEST_CALL(small_sent(env, p));
		}
		TEST_CALL(small_receive(env));
		test_progress();
		for (p = 0, all = 0; p < env->nb_producers; p++)
			all += env->seen[p];
	}
	return TEST_SUCCESS;
}

/* All that is under way arrives, and all that completes has completed. */
static int
small_end(struct small_env *env)
{
	uint32_t sent = 0;
	unsigned int p;

	for (p = 0; p < env->nb_producers; p++)
		sent += env->sent[p];
	TEST_EXPECT(test_poll(env->consumer, cpls, sent - env->got), sent - env->got);
	TEST_EXPECT(test_drain(env->consumer), 0);
	for (p = 0; p < env->nb_producers; p++) {
		TEST_EXPECT(test_poll(env->producers[p], cpls, env->asked[p] - env->done[p]),
				env->asked[p] - env->done[p]);
		TEST_EXPECT(test_drain(env->producers[p]), 0);
		TEST_EXPECT(test_q_close(env->producers[p]), 0);
	}
	TEST_EXPECT(test_q_close(env->consumer), 0);
	return TEST_SUCCESS;
}

static int
mixed(struct test_fp *fp, unsigned int nb_producers, uint32_t imm_len, uint32_t nb_posts)
{
	const uint32_t msgs = test_place_is_bluefield() ? 300 : TEST_ASAN ? 1000 : 4000;
	struct small_env env = {
		.nb_producers = nb_producers, .imm_len = imm_len, .nb_posts = nb_posts,
	};
	unsigned int p;

	TEST_CALL(test_fp_consumer(fp, NULL, nb_posts, imm_len, &env.consumer));
	for (p = 0; p < nb_producers; p++)
		TEST_CALL(test_fp_producer(fp, 64, &env.producers[p]));
	TEST_CALL(small_turns(&env, nb_posts == 1 ? msgs / 8 : msgs));
	return small_end(&env);
}

static int
test_mixed(struct test_fp *fp)
{
	static const uint32_t lens[] = { 0, 3, 8, 31, 32, 33, 56, 57, 100, 256 };
	static const uint32_t posts[] = { 1, 8, POSTS };
	struct rte_comch_dev_info info = test_dev_info(fp->rx.dev);
	unsigned int i, j;

	for (i = 0; i < RTE_DIM(lens) && lens[i] <= info.max_imm_len; i++) {
		for (j = 0; j < RTE_DIM(posts); j++) {
			TEST_CALL(mixed(fp, 1, lens[i], posts[j]));
			TEST_CALL(mixed(fp, NB_PRODUCERS, lens[i], posts[j]));
		}
	}
	return TEST_SUCCESS;
}

/* A message that is wrong within a burst: those before it are sent, in whatever run. */
static int
test_faults(struct test_fp *fp)
{
	static const struct {
		struct rte_comch_send send;
		int reason;
	} bad[] = {
		{ { .imm = imms, .imm_len = 17 }, -E2BIG },
		{ { .imm = NULL, .imm_len = 1 }, -EINVAL },
		{ { .imm = imms, .imm_len = 8, .flags = RTE_BIT32(7) }, -EINVAL },
		{ { .addr = imms, .len = 1 }, -EMSGSIZE },
		{ { .addr = NULL, .len = 1 }, -EINVAL },
	};
	struct test_q *consumer, *producer;
	struct rte_comch_mem *mem;
	unsigned int i, at;

	TEST_CALL(test_fp_queues(fp, NULL, 64, 16, &consumer, &producer));
	mem = test_mem_alloc(fp->tx.dev, 4096, 0);
	for (i = 0; i < RTE_DIM(bad); i++) {
		for (at = 0; at < 4; at++) {
			memset(sends, 0, sizeof(sends));
			for (unsigned int k = 0; k < 6; k++) {
				sends[k].imm = imms[k];
				sends[k].imm_len = 16;
			}
			sends[at] = bad[i].send;
			if (bad[i].send.len != 0) {
				sends[at].mem = mem;
				if (bad[i].send.addr != NULL)
					sends[at].addr = rte_comch_mem_addr(mem);
			}
			TEST_EXPECT(test_post_empty(consumer, 8, 0), 8);
			TEST_CALL(test_fp_wait_credits(producer, consumer, 8));
			TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id,
					sends, 6), at);
			TEST_EXPECT(test_reason(producer, consumer->id), bad[i].reason);
			/* the others, which use up what is posted */
			sends[at].imm = imms;
			sends[at].imm_len = 0;
			sends[at].len = 0;
			sends[at].flags = 0;
			TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id,
					&sends[at], (uint16_t)(6 - at)), 6 - at);
			TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id,
					sends, 3), 2);
			TEST_EXPECT(test_poll(consumer, cpls, 8), 8);
			TEST_EXPECT(test_poll(producer, cpls, 8), 8);
		}
	}
	return TEST_SUCCESS;
}

/*
 * Bytes of messages that look like what a driver writes for a message: for that of the
 * place where they come to lie, in the next round of its ring.
 */
static void
alike_fill(uint64_t words[][4], uint32_t nb, uint32_t pos, uint32_t ring, uint32_t producer)
{
	uint32_t i, k, off;

	for (i = 0; i < nb; i++) {
		for (k = 0; k < 4; k++) {
			off = sizeof(uint64_t) + i * sizeof(words[0]) + k * sizeof(uint64_t);
			words[i][k] = shm_entry_word(pos + off / SHM_ENTRY_SIZE + ring, producer,
					8);
		}
	}
}

/* Messages that look like messages: no other ones come of them, and they arrive. */
static int
test_alike(struct test_fp *fp)
{
	const uint32_t nb_posts = 32, ring = 2 * nb_posts;
	static const uint32_t bursts[] = { 32, 2, 3, 7, 20 };
	uint64_t words[32][4];
	struct test_q *consumer, *producer;
	uint32_t pos = SHM_ENTRY_START, nb, i, n, round;

	TEST_CALL(test_fp_consumer(fp, NULL, nb_posts, sizeof(words[0]), &consumer));
	TEST_CALL(test_fp_producer(fp, 64, &producer));
	for (round = 0; round < 40; round++, pos += nb) {
		nb = round % 8 == 7 ? 1 : bursts[round % RTE_DIM(bursts)];
		TEST_EXPECT(test_post_empty(consumer, nb_posts, 0), nb_posts);
		alike_fill(words, nb, pos, ring, producer->id % SHM_WIRE_PRODUCER_SLOTS);
		memset(sends, 0, sizeof(sends));
		for (i = 0; i < nb_posts; i++) {
			n = i % nb;
			sends[i].imm = words[n];
			sends[i].imm_len = sizeof(words[n]);
			sends[i].flags = RTE_COMCH_SEND_F_NO_CPL;
		}
		/* in one burst, then as many as are posted, one by one */
		TEST_CALL(test_fp_wait_credits(producer, consumer, nb_posts));
		TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, sends,
				(uint16_t)nb), nb);
		TEST_EXPECT(test_poll(consumer, cpls, nb), nb);
		for (i = 0; i < nb; i++)
			TEST_TRUE(cpls[i].imm_len == sizeof(words[i]) &&
					memcmp(cpls[i].imm, words[i], sizeof(words[i])) == 0);
		TEST_EXPECT(test_drain(consumer), 0);
		for (i = nb; i < nb_posts; i++, pos++) {
			TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id,
					&sends[i], 1), 1);
			TEST_EXPECT(test_poll(consumer, cpls, 1), 1);
			TEST_TRUE(cpls[0].imm_len == sizeof(words[0]) &&
					memcmp(cpls[0].imm, sends[i].imm, sizeof(words[0])) == 0);
			TEST_EXPECT(test_drain(consumer), 0);
		}
	}
	return TEST_SUCCESS;
}

/*
 * Producers in threads, as fast as they can
 */

#define THREAD_IMM 24u

struct small_thread {
	struct test_q *producer;
	uint32_t consumer;
	unsigned int nr; /* of the producer */
	uint32_t msgs;
	uint32_t sent;
	bool stop;
};

static void *
sender(void *arg)
{
	struct small_thread *t = arg;
	struct rte_comch_send burst[40];
	uint64_t words[40][THREAD_IMM / 8];
	uint32_t x = 88172645 + t->nr, nb, i;

	test_thread_spread(1 + t->nr);
	memset(burst, 0, sizeof(burst));
	while (t->sent < t->msgs && !__atomic_load_n(&t->stop, __ATOMIC_RELAXED)) {
		x = x * 1103515245 + 12345;
		nb = RTE_MIN(x / 65536 % 3 == 0 ? 1 : 1 + x / 65536 % 40, t->msgs - t->sent);
		for (i = 0; i < nb; i++) {
			words[i][0] = (uint64_t)t->nr << 32 | (t->sent + i);
			words[i][1] = ~words[i][0];
			words[i][2] = words[i][0] * 3;
			burst[i].imm = words[i];
			burst[i].imm_len = THREAD_IMM;
			burst[i].flags = RTE_COMCH_SEND_F_NO_CPL;
		}
		nb = rte_comch_producer_send_burst(t->producer->ctx, t->consumer, burst,
				(uint16_t)nb);
		t->sent += nb;
		if (nb == 0)
			sched_yield();
	}
	return NULL;
}

static int
threads_check(const struct rte_comch_cpl *cpl, const struct small_thread *threads,
		unsigned int nb, uint32_t *seen)
{
	const uint64_t *words = (const uint64_t *)(const void *)cpl->imm;
	unsigned int t = words[0] >> 32;

	TEST_TRUE(cpl->status == 0 && cpl->imm_len == THREAD_IMM && t < nb);
	TEST_EXPECT(cpl->producer_id, threads[t].producer->id);
	TEST_EXPECT((uint32_t)words[0], seen[t]);
	TEST_TRUE(words[1] == ~words[0] && words[2] == words[0] * 3);
	seen[t]++;
	return TEST_SUCCESS;
}

static int
threads_receive(struct test_q *consumer, const struct small_thread *threads, unsigned int nb,
		uint32_t msgs)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000 * 10;
	struct rte_comch_post posts[POSTS];
	uint32_t seen[NB_PRODUCERS] = { 0 }, got = 0, n = 0;
	uint16_t found, i;

	memset(posts, 0, sizeof(posts));
	while (got < nb * msgs) {
		TEST_TRUE(test_now_ns() < end);
		found = rte_comch_queue_poll_burst(consumer->ctx, cpls, n++ % 3 == 0 ? 1 : 48);
		for (i = 0; i < found; i++)
			TEST_CALL(threads_check(&cpls[i], threads, nb, seen));
		got += found;
		TEST_EXPECT(rte_comch_consumer_post_burst(consumer->ctx, posts, found), found);
		if (found == 0)
			sched_yield();
	}
	return TEST_SUCCESS;
}

static int
small_threads(struct test_fp *fp, unsigned int nb)
{
	const uint32_t msgs = TEST_ASAN ? 20000 : 200000;
	struct small_thread threads[NB_PRODUCERS];
	pthread_t ids[NB_PRODUCERS];
	struct test_q *consumer;
	unsigned int i;
	int ret;

	TEST_CALL(test_fp_consumer(fp, NULL, POSTS, THREAD_IMM, &consumer));
	TEST_EXPECT(test_post_empty(consumer, POSTS, 0), POSTS);
	for (i = 0; i < nb; i++) {
		threads[i] = (struct small_thread) {
			.consumer = consumer->id, .nr = i, .msgs = msgs,
		};
		TEST_CALL(test_fp_producer(fp, 64, &threads[i].producer));
	}
	for (i = 0; i < nb; i++)
		TEST_EXPECT(pthread_create(&ids[i], NULL, sender, &threads[i]), 0);
	ret = threads_receive(consumer, threads, nb, msgs);
	for (i = 0; i < nb; i++) {
		__atomic_store_n(&threads[i].stop, true, __ATOMIC_RELAXED);
		pthread_join(ids[i], NULL);
	}
	TEST_CALL(ret);
	for (i = 0; i < nb; i++)
		TEST_EXPECT(test_q_close(threads[i].producer), 0);
	return test_q_close(consumer);
}

static int
test_threads_turn(void)
{
	struct test_fp fp;
	unsigned int nb;

	if (test_place_is_bluefield())
		return test_skip("producers of the devices send while their engines turn, which threads of this case have not");
	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU));
	for (nb = 1; nb <= NB_PRODUCERS; nb++)
		TEST_CALL(small_threads(&fp, nb));
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: immediate data alone",
	.setup = test_quiet,
	.unit_test_cases = {
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_mixed),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_alike),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_threads_turn),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_faults),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_fp_small_autotest, test_pairs_run, &suite)
