/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Consumers with tasks to which nothing was sent for a while: how soon their next
 * message is found, that they cost nothing meanwhile, and that none is forgotten.
 */

#include <pthread.h>

#include <rte_pause.h>

#include "test_comch_fp_util.h"
#include "test_comch_place.h"

/* Consumers of one connection that are all idle. */
#define NB_IDLE 250u
#define POSTS 2u
/* A message that has not come by then is lost. */
#define LOST_MS 2000
/* Turns until the message for an idle consumer is handed over. */
#define BOUND 1u

static void
again_post(struct test_q *q __rte_unused, struct rte_comch_task *task,
		const struct rte_comch_cpl *cpl)
{
	if (cpl->status != 0 || rte_comch_task_submit(task) != 0)
		rte_comch_task_free(task);
}

static int
tasks_submit(struct test_q *q, uint32_t nb)
{
	struct rte_comch_task *task;

	for (; nb > 0; nb--) {
		TEST_EXPECT(rte_comch_consumer_task_alloc(q->ctx, NULL, &task), 0);
		TEST_EXPECT(rte_comch_task_submit(task), 0);
	}
	return TEST_SUCCESS;
}

static int
consumer_open(struct test_fp *fp, uint32_t nb_tasks, struct test_q **q)
{
	const struct rte_comch_consumer_conf conf = { .nb_tasks = nb_tasks, .imm_len = 8 };

	*q = test_q_consumer(&fp->rx, &conf);
	TEST_CALL(test_q_start(*q, &fp->tx));
	(*q)->on_post = again_post;
	return TEST_SUCCESS;
}

static int
consumers_open(struct test_fp *fp, struct test_q **qs, uint32_t nb)
{
	uint32_t i;

	for (i = 0; i < nb; i++) {
		TEST_CALL(consumer_open(fp, POSTS, &qs[i]));
		TEST_CALL(tasks_submit(qs[i], POSTS));
	}
	return TEST_SUCCESS;
}

/* Turn an engine until whatever can become idle is. */
static int
become_idle(struct rte_comch_pe *pe)
{
	uint64_t end = test_now_ns() + UINT64_C(10000000);
	uint32_t i;

	for (i = 0; i < 500 || test_now_ns() < end; i++)
		TEST_TRUE(rte_comch_pe_progress(pe) >= 0);
	return TEST_SUCCESS;
}

/* Send to one consumer, turning no engine, unless its credit has yet to arrive. */
static int
send_one(struct test_q *producer, uint32_t id)
{
	const struct rte_comch_send msg = {
		.imm = &id,
		.imm_len = sizeof(id),
		.flags = RTE_COMCH_SEND_F_NO_CPL,
	};

	TEST_WAIT(rte_comch_producer_send_burst(producer->ctx, id, &msg, 1) == 1,
			test_fp_now_ms());
	return TEST_SUCCESS;
}

/*
 * Send to a consumer, and expect the message within the bound, in turns. Over BlueField it
 * is not there yet when those begin: it has to be found, however many they are.
 */
static int
send_and_find(struct test_fp *fp, struct test_q *producer, struct test_q *q, uint32_t bound)
{
	uint64_t end = test_now_ns() + (uint64_t)test_fp_now_ms() * 1000000;
	uint32_t before = q->nb_ok, turns;

	TEST_CALL(send_one(producer, q->id));
	for (turns = 0; q->nb_ok == before && (turns < 10000 || test_now_ns() < end); turns++)
		TEST_TRUE(rte_comch_pe_progress(fp->rx.q_pe) >= 0);
	TEST_ASSERT(turns <= bound || test_place_is_bluefield(),
			"found in turn %u, and not in %u", turns, bound);
	TEST_EXPECT(q->nb_ok, before + 1);
	return TEST_SUCCESS;
}

/* A message for one of many idle consumers, near the first or far from it. */
static int
test_found_soon(struct test_fp *fp)
{
	struct test_q *qs[NB_IDLE], *producer;
	uint32_t i;

	TEST_CALL(consumers_open(fp, qs, NB_IDLE));
	TEST_CALL(test_fp_producer(fp, 4, &producer));
	for (i = 0; i < NB_IDLE; i++) {
		/* those before it are idle again, or not yet */
		if (i % 8 == 0)
			TEST_CALL(become_idle(fp->rx.q_pe));
		TEST_CALL(send_and_find(fp, producer, qs[i * 37 % NB_IDLE], BOUND));
	}
	return TEST_SUCCESS;
}

/* Messages for all of them at one time are found as soon. */
static int
test_all_at_once(struct test_fp *fp)
{
	struct test_q *qs[NB_IDLE], *producer;
	uint32_t i, round;

	TEST_CALL(consumers_open(fp, qs, NB_IDLE));
	TEST_CALL(test_fp_producer(fp, 4, &producer));
	for (round = 1; round <= 3; round++) {
		TEST_CALL(become_idle(fp->rx.q_pe));
		for (i = 0; i < NB_IDLE; i++)
			TEST_CALL(send_one(producer, qs[i]->id));
		test_arrive();
		for (i = 0; i < BOUND; i++)
			TEST_TRUE(rte_comch_pe_progress(fp->rx.q_pe) >= 0);
		for (i = 0; i < NB_IDLE; i++)
			TEST_EXPECT(qs[i]->nb_ok, round);
	}
	return TEST_SUCCESS;
}

/* The least time of some turns, in nanoseconds. */
static uint64_t
turns_ns(struct rte_comch_pe *pe)
{
	uint64_t start, ns, least = UINT64_MAX;
	uint32_t i, j;

	for (i = 0; i < 40; i++) {
		start = test_now_ns();
		for (j = 0; j < 500; j++)
			rte_comch_pe_progress(pe);
		ns = test_now_ns() - start;
		least = RTE_MIN(least, ns);
	}
	return least;
}

/* A turn takes as long with 250 of them as with 8. */
static int
test_turn_cost(struct test_fp *fp)
{
	struct test_q *qs[NB_IDLE];
	uint64_t few, many = 0;
	uint32_t i;

	TEST_CALL(consumers_open(fp, qs, 8));
	TEST_CALL(become_idle(fp->rx.q_pe));
	few = turns_ns(fp->rx.q_pe);
	TEST_CALL(consumers_open(fp, &qs[8], NB_IDLE - 8));
	/* others use this machine, too: one quiet moment will do */
	for (i = 0; i < 10; i++) {
		TEST_CALL(become_idle(fp->rx.q_pe));
		many = turns_ns(fp->rx.q_pe);
		if (many < 3 * few)
			break;
	}
	test_note("a turn takes %u ns with 8 idle, %u ns with %u", (unsigned int)(few / 500),
		(unsigned int)(many / 500), NB_IDLE);
	TEST_TRUE(many < 3 * few);
	return TEST_SUCCESS;
}

/* An engine with idle consumers sleeps, and each of them wakes it. */
static int
test_sleeps(struct test_fp *fp)
{
	struct rte_comch_pe *pe = fp->rx.q_pe;
	struct test_q *qs[16], *producer;
	uint32_t i, j, before;

	TEST_CALL(consumers_open(fp, qs, RTE_DIM(qs)));
	TEST_CALL(test_fp_producer(fp, 4, &producer));
	test_settle();
	for (i = 0; i < 60; i++) {
		struct test_q *q = qs[i / 4 % RTE_DIM(qs)];

		/* asleep with all idle, with none, and with some */
		if (i % 3 == 0)
			TEST_CALL(become_idle(pe));
		TEST_CALL(test_fp_wait_credits(producer, q, POSTS));
		TEST_CALL(test_sleep(pe));
		before = q->nb_ok;
		for (j = 0; j <= i % POSTS; j++)
			TEST_CALL(send_one(producer, q->id));
		TEST_EXPECT(test_wait_fd(pe, LOST_MS), 1);
		TEST_TRUE(rte_comch_pe_progress(pe) >= 0);
		TEST_WAIT(q->nb_ok == before + j, test_fp_now_ms());
		/* what came before it is armed forbids to sleep */
		if (i % 2 == 0)
			TEST_CALL(become_idle(pe));
		TEST_CALL(send_one(producer, q->id));
		TEST_CALL(test_no_sleep(pe));
		TEST_TRUE(rte_comch_pe_progress(pe) >= 0);
		TEST_WAIT(q->nb_ok == before + j + 1, test_fp_now_ms());
	}
	return TEST_SUCCESS;
}

/* An idle consumer is given more posts, and gets them filled. */
static int
test_posts_idle(struct test_fp *fp)
{
	struct test_q *q, *producer;
	uint32_t i, j;

	TEST_CALL(consumer_open(fp, 64, &q));
	TEST_CALL(test_fp_producer(fp, 4, &producer));
	for (i = 1; i <= 32; i++) {
		TEST_CALL(tasks_submit(q, 1));
		for (j = 0; j < i; j++)
			TEST_CALL(send_and_find(fp, producer, q, BOUND));
		TEST_CALL(become_idle(fp->rx.q_pe));
		TEST_CALL(tasks_submit(q, 1));
		TEST_CALL(send_and_find(fp, producer, q, BOUND));
	}
	return TEST_SUCCESS;
}

/* Consumers come, become idle, and go; those that follow them are found as well. */
static int
test_come_and_go(struct test_fp *fp)
{
	struct test_q *qs[70], *producer;
	uint32_t i, round;

	TEST_CALL(test_fp_producer(fp, 4, &producer));
	for (round = 0; round < 4; round++) {
		TEST_CALL(consumers_open(fp, qs, RTE_DIM(qs)));
		TEST_CALL(become_idle(fp->rx.q_pe));
		for (i = round % 2; i < RTE_DIM(qs); i++)
			TEST_CALL(send_and_find(fp, producer, qs[i], BOUND));
		/* with messages under way to some of them */
		for (i = 0; i < RTE_DIM(qs); i++) {
			if (i % 5 == round)
				TEST_CALL(send_one(producer, qs[i]->id));
			TEST_EXPECT(test_q_close(qs[i]), 0);
		}
	}
	return TEST_SUCCESS;
}

/* The connection goes while they are idle: all posts come back. */
static int
test_lost(struct test_fp *fp)
{
	struct test_q *qs[40];
	uint32_t i;

	TEST_CALL(consumers_open(fp, qs, RTE_DIM(qs)));
	TEST_CALL(become_idle(fp->rx.q_pe));
	if (test_ctx_info(fp->tx.ep->ctx).type == RTE_COMCH_CTX_CLIENT)
		TEST_CALL(test_stop(fp->tx.ep));
	else
		TEST_EXPECT(rte_comch_server_disconnect(fp->tx.ep->conn), 0);
	for (i = 0; i < RTE_DIM(qs); i++) {
		TEST_WAIT(test_q_state(qs[i]) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_EXPECT(qs[i]->nb_err, POSTS);
		TEST_EXPECT(qs[i]->status, -ECONNRESET);
	}
	return TEST_SUCCESS;
}

#define CLIENTS 3u
#define EACH 240u

/* More of them than doorbells: those without are found, too, if later. */
static int
test_too_many(struct test_fp *fp)
{
	struct test_q *producers[CLIENTS];
	static struct test_q *qs[CLIENTS * EACH];
	struct test_fp_end server;
	uint32_t i, round;

	server = fp->rx;
	for (i = 0; i < CLIENTS; i++) {
		if (i != 0)
			fp->tx.ep = test_client_run("test", fp->tx.pe);
		TEST_WAIT(fp->tx.ep->conn != NULL && server.ep->nb_connects == i + 1, TEST_MS);
		TEST_CALL(consumers_open(fp, &qs[i * EACH], EACH));
		TEST_CALL(test_fp_producer(fp, 4, &producers[i]));
	}
	for (round = 0; round < 2; round++) {
		TEST_CALL(become_idle(fp->rx.q_pe));
		for (i = 0; i < CLIENTS * EACH; i++)
			TEST_CALL(send_and_find(fp, producers[i / EACH], qs[i],
					CLIENTS * EACH));
	}
	return TEST_SUCCESS;
}

/*
 * Threads: one turns the engine of the consumers, two send.
 */

#define RACERS 48u
#define SENDERS 2u
#define MESSAGES (TEST_ASAN ? 5000u : 15000u)
/* A modelled device takes far longer for as many: fewer will do. */
#define RACE_MS (test_place_is_bluefield() ? 4000u : 20000u)

struct racing {
	struct test_q *qs[RACERS];
	struct test_q *producers[SENDERS];
	uint32_t sent[SENDERS][RACERS]; /* each sender has its own */
	uint32_t got[SENDERS][RACERS];  /* atomic */
	uint64_t since[SENDERS][RACERS];
	struct rte_comch_pe *pe;
	bool stop;                      /* atomic */
	const char *error;              /* atomic */
};

struct racer {
	struct racing *r;
	uint32_t number;
	pthread_t thread;
	bool started;
};

/* value is the index of the consumer, arg the race. */
static void
race_post(struct test_q *q, struct rte_comch_task *task, const struct rte_comch_cpl *cpl)
{
	struct racing *r = q->arg;
	uint32_t from;

	if (cpl->status == 0 && cpl->imm_len == sizeof(from)) {
		memcpy(&from, cpl->imm, sizeof(from));
		if (from < SENDERS)
			__atomic_fetch_add(&r->got[from][q->value], 1, __ATOMIC_RELAXED);
	}
	if (cpl->status != 0 || rte_comch_task_submit(task) != 0)
		rte_comch_task_free(task);
}

static void *
race_turn(void *arg)
{
	struct racing *r = arg;

	test_thread_spread(1);
	/* the senders end by themselves */
	while (!__atomic_load_n(&r->stop, __ATOMIC_RELAXED))
		rte_comch_pe_progress(r->pe);
	return NULL;
}

/* One message to a consumer that has got the last one; whether there was one. */
static bool
race_send(struct racing *r, uint32_t from, uint32_t to)
{
	const struct rte_comch_send msg = {
		.imm = &from,
		.imm_len = sizeof(from),
		.flags = RTE_COMCH_SEND_F_NO_CPL,
	};

	if (r->sent[from][to] != __atomic_load_n(&r->got[from][to], __ATOMIC_RELAXED)) {
		if (test_now_ns() - r->since[from][to] > (uint64_t)LOST_MS * 1000000)
			__atomic_store_n(&r->error, "a message is not found", __ATOMIC_RELAXED);
		return false;
	}
	/* its post of before may not be back */
	if (rte_comch_producer_send_burst(r->producers[from]->ctx, r->qs[to]->id, &msg, 1) != 1)
		return false;
	r->sent[from][to]++;
	r->since[from][to] = test_now_ns();
	return true;
}

static void *
race_run(void *arg)
{
	struct racer *racer = arg;
	struct racing *r = racer->r;
	uint64_t end = test_now_ns() + RACE_MS * UINT64_C(1000000);
	uint32_t x = 0x9e3779b9 * (racer->number + 1), sent = 0, i;

	while (sent < MESSAGES && __atomic_load_n(&r->error, __ATOMIC_RELAXED) == NULL) {
		x = x * 1664525 + 1013904223;
		sent += race_send(r, racer->number, (x >> 16) % RACERS);
		/* so long that about half of them are idle */
		for (i = (x >> 8) % 1024; i > 0; i--)
			rte_pause();
		if (sent % 256 == 0 && test_now_ns() > end)
			break; /* a slow machine: what was sent has to come */
	}
	/* and the last ones, after which nothing comes that could bring them along */
	end = test_now_ns() + (uint64_t)LOST_MS * 1000000;
	for (i = 0; i < RACERS; i++)
		while (r->sent[racer->number][i] != __atomic_load_n(&r->got[racer->number][i],
				__ATOMIC_RELAXED) && test_now_ns() < end)
			rte_pause();
	return NULL;
}

static int
race_open(struct test_fp *fp, struct racing *r)
{
	struct test_fp_end end = fp->tx;
	uint32_t i;

	for (i = 0; i < RACERS; i++) {
		TEST_CALL(consumer_open(fp, 2 * SENDERS, &r->qs[i]));
		r->qs[i]->on_post = race_post;
		r->qs[i]->arg = r;
		r->qs[i]->value = i;
		TEST_CALL(tasks_submit(r->qs[i], 2 * SENDERS));
	}
	for (i = 0; i < SENDERS; i++) {
		end.q_pe = test_pe_new();
		r->producers[i] = test_q_producer(&end, NULL);
		TEST_EXPECT(rte_comch_ctx_start(r->producers[i]->ctx), 0);
	}
	test_settle();
	r->pe = fp->rx.q_pe;
	return TEST_SUCCESS;
}

static int
test_race(void)
{
	struct racer racers[SENDERS] = { 0 };
	static struct racing r;
	pthread_t engine;
	struct test_fp fp;
	uint32_t i, j;

	memset(&r, 0, sizeof(r));
	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU));
	TEST_CALL(race_open(&fp, &r));
	TEST_EXPECT(pthread_create(&engine, NULL, race_turn, &r), 0);
	for (i = 0; i < SENDERS; i++) {
		racers[i].r = &r;
		racers[i].number = i;
		racers[i].started = pthread_create(&racers[i].thread, NULL, race_run,
				&racers[i]) == 0;
	}
	for (i = 0; i < SENDERS; i++)
		if (racers[i].started)
			pthread_join(racers[i].thread, NULL);
	__atomic_store_n(&r.stop, true, __ATOMIC_RELAXED);
	pthread_join(engine, NULL);
	TEST_ASSERT(r.error == NULL, "%s", r.error);
	for (i = 0; i < SENDERS; i++) {
		TEST_TRUE(racers[i].started);
		for (j = 0; j < RACERS; j++)
			TEST_EXPECT(r.got[i][j], r.sent[i][j]);
	}
	return TEST_SUCCESS;
}

static int
quiet(void)
{
	return test_quiet(); /* bursts on consumers that stop are no news */
}

static struct unit_test_suite suite = {
	.suite_name = "comch: idle consumers",
	.setup = quiet,
	.unit_test_cases = {
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_found_soon),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_all_at_once),
		TEST_CASE_FP(test_fp_need, test_fp_cleanup, test_turn_cost),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_sleeps),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_posts_idle),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_come_and_go),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_lost),
		TEST_CASE_FP(test_fp_need, test_fp_cleanup, test_too_many),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_race),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(comch_fp_idle_autotest, test_pairs_run, &suite)
