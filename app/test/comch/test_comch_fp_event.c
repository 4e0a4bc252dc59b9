/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Producers and consumers whose engine sleeps: what wakes it, and that no
 * wake-up is lost, with one thread that looks closely and with two that run.
 */

#include <poll.h>
#include <pthread.h>

#include <rte_pause.h>

#include "test_comch_fp_util.h"
#include "test_comch_place.h"

/* A wake-up that has not come by then is lost. */
#define LOST_MS 2000

/* Each takes several turns of three processes over BlueField. */
#define ROUNDS (test_place_is_bluefield() ? 2000u : 6000u)

/* A consumer is woken by a message, once it has nothing left to poll. */
static int
test_message_wakes(struct test_fp *fp)
{
	struct rte_comch_pe *pe = fp->rx.q_pe;
	struct test_q *consumer, *producer;
	struct rte_comch_cpl cpls[4];
	uint32_t i, woken = 0;

	TEST_CALL(test_fp_queues(fp, NULL, 4, 4, &consumer, &producer));
	test_settle();
	for (i = 0; i < 300; i++) {
		TEST_EXPECT(test_post_empty(consumer, 4, 0), 4);
		TEST_EXPECT(test_arm(pe), 0);
		TEST_EXPECT(test_wait_fd(pe, 0), 0);
		TEST_WAIT(test_send_imm(producer, consumer->id, &i, sizeof(i), 0) == 1, TEST_MS);
		woken += test_wait_fd(pe, LOST_MS) == 1;
		TEST_EXPECT(woken, i + 1);
		/* awake: the next messages are no news, and what is there forbids to sleep */
		TEST_TRUE(rte_comch_pe_progress(pe) >= 0);
		TEST_EXPECT(test_send_imm(producer, consumer->id, &i, sizeof(i), 0), 1);
		TEST_CALL(test_no_sleep(pe));
		TEST_EXPECT(test_poll(consumer, cpls, 1), 1);
		TEST_CALL(test_no_sleep(pe));
		TEST_EXPECT(test_poll(consumer, cpls, 1), 1);
		/* now there is nothing; then it is armed, and two come */
		TEST_EXPECT(test_arm(pe), 0);
		TEST_EXPECT(test_wait_fd(pe, 0), 0);
		TEST_EXPECT(test_send_imm(producer, consumer->id, &i, sizeof(i), 0), 1);
		TEST_EXPECT(test_send_imm(producer, consumer->id, &i, sizeof(i), 0), 1);
		TEST_EXPECT(test_wait_fd(pe, LOST_MS), 1);
		TEST_TRUE(rte_comch_pe_progress(pe) >= 0);
		TEST_EXPECT(test_poll(consumer, cpls, 2), 2);
		TEST_EXPECT(test_drain(producer), 4);
	}
	return TEST_SUCCESS;
}

/* Of a case that settles in each round, which takes a device with a time of its own longer. */
static uint32_t
rounds_settled(void)
{
	return test_place_is_bluefield() ? 60 : 300;
}

/* A producer that has found no credit is woken by a post; one that has some is not. */
static int
test_post_wakes(struct test_fp *fp)
{
	struct rte_comch_pe *pe = fp->tx.q_pe;
	struct test_q *consumer, *producer;
	struct rte_comch_cpl cpls[4];
	const uint32_t rounds = rounds_settled();
	uint32_t i, j;

	TEST_CALL(test_fp_queues(fp, NULL, 4, 4, &consumer, &producer));
	test_settle();
	for (i = 0; i < rounds; i++) {
		TEST_EXPECT(test_send_imm(producer, consumer->id, &i, sizeof(i), 0), 0);
		TEST_EXPECT(test_reason(producer, consumer->id), -EAGAIN);
		TEST_EXPECT(test_arm(pe), 0);
		TEST_EXPECT(test_wait_fd(pe, 0), 0);
		TEST_EXPECT(test_post_empty(consumer, 1, i), 1);
		TEST_EXPECT(test_wait_fd(pe, LOST_MS), 1);
		TEST_TRUE(rte_comch_pe_progress(pe) >= 0);
		TEST_WAIT(test_send_imm(producer, consumer->id, &i, sizeof(i), 0) == 1,
				test_fp_now_ms());
		/* its own completion is there to be polled */
		TEST_CALL(test_no_sleep(pe));
		TEST_EXPECT(test_poll(producer, cpls, 1), 1);
		/* no credit, but one comes before it is armed */
		TEST_EXPECT(test_send_imm(producer, consumer->id, &i, sizeof(i), 0), 0);
		TEST_EXPECT(test_poll(consumer, cpls, 1), 1);
		TEST_EXPECT(test_post_empty(consumer, 1, i), 1);
		TEST_CALL(test_no_sleep(pe));
		TEST_WAIT(test_send_imm(producer, consumer->id, &i, sizeof(i), 0) == 1,
				test_fp_now_ms());
		TEST_EXPECT(test_poll(producer, cpls, 1), 1);
		TEST_EXPECT(test_poll(consumer, cpls, 1), 1);
		test_settle();
		/*
		 * It wants nothing: posts do not wake it. Over BlueField its completion queue
		 * may be armed from before: once, it wakes for nothing.
		 */
		if (i % 16 != 0)
			continue;
		TEST_EXPECT(test_post_empty(consumer, 2, i), 2);
		TEST_WAIT(test_send_imm(producer, consumer->id, &i, sizeof(i), 0) == 1,
				test_fp_now_ms());
		TEST_EXPECT(test_poll(producer, cpls, 1), 1);
		TEST_EXPECT(test_arm(pe), 0);
		TEST_EXPECT(test_post_empty(consumer, 1, i), 1);
		TEST_TRUE(test_wait_fd(pe, 1) == 0 || test_place_is_bluefield());
		for (j = 0; j < 2; j++)
			TEST_WAIT(test_send_imm(producer, consumer->id, &i, sizeof(i), 0) == 1,
					test_fp_now_ms());
		TEST_EXPECT(test_poll(producer, cpls, 2), 2);
		TEST_EXPECT(test_poll(consumer, cpls, 3), 3);
	}
	return TEST_SUCCESS;
}

#define SEVERAL 3

/* A producer can lack credits of several consumers: any of them wakes it. */
static int
test_several_starve(struct test_fp *fp)
{
	struct rte_comch_pe *pe = fp->tx.q_pe;
	struct test_q *consumers[SEVERAL], *rich, *producer;
	struct rte_comch_cpl cpls[4];
	uint32_t i, j;

	for (i = 0; i < SEVERAL; i++)
		TEST_CALL(test_fp_consumer(fp, NULL, 4, 4, &consumers[i]));
	TEST_CALL(test_fp_consumer(fp, NULL, 4, 4, &rich));
	TEST_CALL(test_fp_producer(fp, 8, &producer));
	for (i = 0; i < 12; i++) {
		struct test_q *one = consumers[i % SEVERAL];

		for (j = 0; j < SEVERAL; j++)
			TEST_EXPECT(test_send_imm(producer, consumers[j]->id, &i, sizeof(i), 0), 0);
		/* and one that has enough gets its message */
		if (i % 2 != 0) {
			TEST_EXPECT(test_post_empty(rich, 1, 0), 1);
			TEST_WAIT(test_send_imm(producer, rich->id, &i, sizeof(i), 0) == 1,
					TEST_MS);
			TEST_EXPECT(test_poll(producer, cpls, 1), 1);
			TEST_EXPECT(test_poll(rich, cpls, 1), 1);
		}
		test_settle();
		TEST_EXPECT(test_arm(pe), 0);
		TEST_EXPECT(test_wait_fd(pe, 0), 0);
		TEST_EXPECT(test_post_empty(one, 1, i), 1);
		TEST_ASSERT(test_wait_fd(pe, LOST_MS) == 1, "consumer %u of %u does not wake it%s",
				i % SEVERAL, SEVERAL,
				i % 2 != 0 ? ", after others had credits" : "");
		TEST_TRUE(rte_comch_pe_progress(pe) >= 0);
		TEST_EXPECT(test_send_imm(producer, one->id, &i, sizeof(i), 0), 1);
		TEST_EXPECT(test_poll(producer, cpls, 1), 1);
		TEST_EXPECT(test_poll(one, cpls, 1), 1);
	}
	return TEST_SUCCESS;
}

/* What starts and ends a consumer wakes the engines that it takes. */
static int
test_state_wakes(struct test_fp *fp)
{
	const struct rte_comch_consumer_conf conf = { .nb_posts = 4 };
	struct test_q *consumer = test_q_consumer(&fp->rx, &conf);
	struct rte_comch_pe *pes[] = { fp->rx.pe, fp->rx.q_pe, fp->tx.pe, fp->tx.q_pe };
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	unsigned int round, i;
	int want, ret;

	test_settle();
	for (round = 0; round < 100; round++) {
		want = round % 2 == 0 ? RTE_COMCH_STATE_RUNNING : RTE_COMCH_STATE_IDLE;
		for (i = 0; i < RTE_DIM(pes); i++)
			TEST_EXPECT(test_arm(pes[i]), 0);
		ret = round % 2 == 0 ? rte_comch_ctx_start(consumer->ctx) :
				rte_comch_ctx_stop(consumer->ctx);
		TEST_EXPECT(ret, -EINPROGRESS);
		/* only engines that say so are turned */
		while (test_q_state(consumer) != want) {
			struct pollfd pfds[RTE_DIM(pes)];

			for (i = 0; i < RTE_DIM(pes); i++)
				pfds[i] = (struct pollfd) {
					.fd = rte_comch_pe_fd(pes[i]),
					.events = POLLIN,
				};
			TEST_ASSERT(poll(pfds, RTE_DIM(pes), LOST_MS) > 0 && test_now_ns() < end,
					"nobody was woken in %s",
					rte_comch_state_name(test_q_state(consumer)));
			for (i = 0; i < RTE_DIM(pes); i++)
				if ((pfds[i].revents & POLLIN) != 0)
					TEST_EXPECT(test_arm(pes[i]), 0);
		}
	}
	TEST_EXPECT(fp->tx.ep->nb_new, 50);
	TEST_WAIT(fp->tx.ep->nb_gone == 50, TEST_MS);
	return TEST_SUCCESS;
}

/* A consumer that stops with posts, by the loop that applications are told to have. */
static int
test_flush_sleeps(struct test_fp *fp)
{
	struct rte_comch_cpl cpls[4];
	struct test_q *consumer;
	uint32_t round, found;
	int state, ret;

	TEST_CALL(test_fp_consumer(fp, NULL, 8, 4, &consumer));
	for (round = 0; round < 20; round++) {
		TEST_EXPECT(test_post_empty(consumer, 8, 0), 8);
		test_settle();
		TEST_EXPECT(rte_comch_ctx_stop(consumer->ctx), -EINPROGRESS);
		/* until the peer has let go, which the other engines see to */
		TEST_WAIT((found = rte_comch_queue_poll_burst(consumer->ctx, cpls, 4)) != 0,
				TEST_MS);
		for (;;) {
			found += rte_comch_queue_poll_burst(consumer->ctx, cpls, 4);
			state = test_q_state(consumer);
			ret = rte_comch_pe_progress(fp->rx.q_pe);
			if (test_q_state(consumer) == RTE_COMCH_STATE_IDLE)
				break;
			if (ret > 0)
				continue;
			ret = rte_comch_pe_arm(fp->rx.q_pe);
			TEST_TRUE(ret == 0 || ret == -EAGAIN);
			TEST_ASSERT(ret != 0 || test_wait_fd(fp->rx.q_pe, LOST_MS) == 1,
					"asleep, with %u of 8 posts back", found);
		}
		TEST_EXPECT(found, 8);
		/* a change of state is something that was done */
		TEST_TRUE(state == RTE_COMCH_STATE_IDLE || ret > 0);
		TEST_CALL(test_q_start(consumer, &fp->tx));
	}
	return TEST_SUCCESS;
}

/* The loss of the connection wakes who sleeps on a producer or a consumer. */
static int
test_loss_wakes(struct test_fp *fp)
{
	struct test_q *consumer, *producer, *receiver;
	struct test_fp back = { .tx = fp->rx, .rx = fp->tx };
	struct rte_comch_pe *pe = fp->rx.q_pe;
	struct rte_comch_cpl cpls[4];

	TEST_CALL(test_fp_consumer(fp, NULL, 4, 4, &consumer));
	TEST_CALL(test_fp_queues(&back, NULL, 4, 4, &receiver, &producer));
	TEST_EXPECT(test_post_empty(consumer, 4, 0), 4);
	TEST_EXPECT(test_send_imm(producer, receiver->id, NULL, 0, 0), 0);
	TEST_EXPECT(test_q_close(receiver), 0);
	test_settle();
	TEST_EXPECT(test_arm(pe), 0);
	TEST_EXPECT(test_wait_fd(pe, 0), 0);
	if (test_ctx_info(fp->tx.ep->ctx).type == RTE_COMCH_CTX_CLIENT)
		TEST_EXPECT(rte_comch_ctx_stop(fp->tx.ep->ctx), -EINPROGRESS);
	else
		TEST_EXPECT(rte_comch_server_disconnect(fp->tx.ep->conn), 0);
	while (fp->rx.ep->conn != NULL) { /* the engines of the connection alone */
		TEST_TRUE(rte_comch_pe_progress(fp->rx.pe) >= 0);
		TEST_TRUE(rte_comch_pe_progress(fp->tx.pe) >= 0);
	}
	TEST_EXPECT(test_wait_fd(pe, LOST_MS), 1);
	TEST_TRUE(rte_comch_pe_progress(pe) > 0);
	/* over BlueField, its pairs end by commands of another thread */
	TEST_WAIT(test_q_state(producer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(test_q_state(consumer), RTE_COMCH_STATE_STOPPING);
	TEST_EXPECT(test_poll(consumer, cpls, 4), 4);
	TEST_EXPECT(cpls[3].status, -ECONNRESET);
	TEST_WAIT(test_q_state(consumer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	return TEST_SUCCESS;
}

/* Tasks: submitted posts let the engine sleep, and a message ends the sleep. */
static int
test_tasks_wake(struct test_fp *fp)
{
	const struct rte_comch_consumer_conf consumer_conf = { .nb_tasks = 4, .imm_len = 4 };
	const struct rte_comch_producer_conf producer_conf = { .nb_tasks = 4 };
	struct test_q *consumer = test_q_consumer(&fp->rx, &consumer_conf), *producer;
	const struct rte_comch_send send = { .imm = "abcd", .imm_len = 4 };
	struct rte_comch_task *task, *post;
	const uint32_t rounds = rounds_settled();
	uint32_t i;

	TEST_CALL(test_q_start(consumer, &fp->tx));
	producer = test_q_producer(&fp->tx, &producer_conf);
	TEST_EXPECT(rte_comch_ctx_start(producer->ctx), 0);
	test_fp_pairs();
	for (i = 0; i < rounds; i++) {
		/* one round: without a credit, with one, and with its message */
		TEST_EXPECT(rte_comch_producer_task_alloc(producer->ctx, consumer->id, &send,
				&task), 0);
		TEST_EXPECT(rte_comch_task_submit(task), -EAGAIN);
		TEST_EXPECT(test_arm(fp->tx.q_pe), 0);
		TEST_EXPECT(test_wait_fd(fp->tx.q_pe, 0), 0);
		TEST_EXPECT(rte_comch_consumer_task_alloc(consumer->ctx, NULL, &post), 0);
		TEST_EXPECT(rte_comch_task_submit(post), 0);
		TEST_CALL(test_sleep(fp->rx.q_pe));
		TEST_EXPECT(test_wait_fd(fp->tx.q_pe, LOST_MS), 1);
		TEST_TRUE(rte_comch_pe_progress(fp->tx.q_pe) >= 0);
		TEST_EXPECT(rte_comch_task_submit(task), 0);
		TEST_CALL(test_no_sleep(fp->tx.q_pe));
		TEST_EXPECT(test_wait_fd(fp->rx.q_pe, LOST_MS), 1);
		TEST_TRUE(rte_comch_pe_progress(fp->rx.q_pe) > 0);
		TEST_EXPECT(consumer->nb_ok, i + 1);
		TEST_WAIT(producer->nb_ok == i + 1, TEST_MS);
	}
	return TEST_SUCCESS;
}

/* One side of the two threads: it does what it can, and else sleeps. */
struct sleeper {
	pthread_t thread;
	struct rte_comch_pe *pe;
	struct test_q *producer; /* sends to the peer's consumer */
	struct test_q *consumer;
	uint32_t to;             /* identifier of that */
	uint32_t sent;
	uint32_t got;
	uint32_t want;
	uint32_t sleeps;
	uint32_t pause;          /* now and then, this many turns of idling */
	bool first;              /* sends without having received */
	void *(*run)(void *);
	unsigned int cpu;        /* a number, for test_thread_spread() */
	const char *error;
};

/* Too long a sleep is no lost wake-up if there is still nothing to do. */
static void
sleeper_sleep(struct sleeper *s)
{
	unsigned int i;

	for (i = 0; i < 10; i++) {
		if (test_wait_fd(s->pe, LOST_MS) == 1)
			return;
		if (rte_comch_pe_arm(s->pe) != 0) {
			s->error = "a wake-up is lost";
			return;
		}
	}
	s->error = "the other side does not go on";
}

/* Sleep unless there is something: as the application is told to. */
static void
sleeper_idle(struct sleeper *s)
{
	uint32_t i;
	int ret;

	for (i = 0; i < s->pause; i++)
		rte_pause();
	ret = rte_comch_pe_progress(s->pe);
	if (ret == 0)
		ret = rte_comch_pe_arm(s->pe);
	else if (ret > 0)
		return;
	if (ret == 0) {
		s->sleeps++;
		sleeper_sleep(s);
	} else if (ret != -EAGAIN) {
		s->error = "the engine cannot be armed";
	}
}

static uint32_t
sleeper_take(struct sleeper *s)
{
	struct rte_comch_cpl cpls[8];
	uint32_t i, nb, seq;

	nb = rte_comch_queue_poll_burst(s->consumer->ctx, cpls, RTE_DIM(cpls));
	for (i = 0; i < nb; i++, s->got++) {
		memcpy(&seq, cpls[i].imm, sizeof(seq));
		if (cpls[i].status != 0 || cpls[i].imm_len != sizeof(seq) || seq != s->got) {
			test_note("status %d, %u bytes, %u instead of %u", cpls[i].status,
					cpls[i].imm_len, seq, s->got);
			s->error = "a message is not what was sent";
		}
		if (test_post_empty_nowait(s->consumer, 1, 0) != 1)
			s->error = "no room to post";
	}
	return nb;
}

static bool
sleeper_give(struct sleeper *s)
{
	if (test_send_imm(s->producer, s->to, &s->sent, sizeof(s->sent), 0) == 0)
		return false;
	s->sent++;
	return true;
}

/* Answers each message; two sides that do this have one message under way. */
static void *
sleeper_pingpong(void *arg)
{
	struct sleeper *s = arg;
	uint32_t did;

	while (s->got < s->want && s->error == NULL) {
		did = sleeper_take(s);
		while (s->sent < s->got + s->first && s->sent < s->want && sleeper_give(s))
			did++;
		did += test_drain(s->producer);
		s->pause = s->got % 8 == 0 ? s->got % 1024 : 0;
		if (did == 0 && s->got < s->want)
			sleeper_idle(s);
	}
	/* the last answer may still wait for a credit */
	while (s->sent < s->want && s->error == NULL)
		if (!sleeper_give(s))
			sleeper_idle(s);
	test_drain(s->producer);
	return NULL;
}

/* One side sends what it can: the other posts little, and both sleep by turns. */
static void *
sleeper_stream(void *arg)
{
	struct sleeper *s = arg;
	uint32_t did;

	while ((s->producer != NULL ? s->sent : s->got) < s->want && s->error == NULL) {
		did = 0;
		if (s->consumer != NULL)
			did += sleeper_take(s);
		else
			did += sleeper_give(s);
		if (s->producer != NULL)
			did += test_drain(s->producer);
		s->pause = (s->sent + s->got) % 8 == 0 ? (s->sent + s->got) % 1024 : 0;
		if (did == 0)
			sleeper_idle(s);
	}
	return NULL;
}

static void *
sleeper_thread(void *arg)
{
	struct sleeper *s = arg;

	test_thread_spread(s->cpu);
	return s->run(s);
}

static int
run_two(struct sleeper *a, struct sleeper *b, void *(*run)(void *))
{
	a->run = run;
	TEST_EXPECT(pthread_create(&a->thread, NULL, sleeper_thread, a), 0);
	run(b);
	pthread_join(a->thread, NULL);
	/* who sees a mistake ends, and the other then waits for it: what both say */
	TEST_ASSERT(a->error == NULL && b->error == NULL,
			"%s after %u sent and %u received; the other: %s after %u and %u",
			a->error != NULL ? a->error : "good", a->sent, a->got,
			b->error != NULL ? b->error : "good", b->sent, b->got);
	test_note("%u messages, one side slept %u times, the other %u", a->want, a->sleeps,
			b->sleeps);
	TEST_TRUE(a->sleeps + b->sleeps > 0);
	return TEST_SUCCESS;
}

static int
pingpong(uint32_t how, unsigned int cpu)
{
	struct sleeper a = { .want = ROUNDS, .first = true, .cpu = cpu }, b = { .want = ROUNDS };
	struct test_fp fp, back;

	TEST_CALL(test_fp_open(&fp, how | TEST_FP_ONE_ENGINE));
	back.tx = fp.rx;
	back.rx = fp.tx;
	TEST_CALL(test_fp_queues(&fp, NULL, 2, 4, &b.consumer, &a.producer));
	TEST_CALL(test_fp_queues(&back, NULL, 2, 4, &a.consumer, &b.producer));
	a.pe = fp.tx.q_pe;
	b.pe = fp.rx.q_pe;
	a.to = b.consumer->id;
	b.to = a.consumer->id;
	TEST_EXPECT(test_post_empty(a.consumer, 1, 0), 1);
	TEST_EXPECT(test_post_empty(b.consumer, 1, 0), 1);
	test_settle();
	TEST_CALL(run_two(&a, &b, sleeper_pingpong));
	test_fp_cleanup();
	return TEST_SUCCESS;
}

/* On one processor there is much sleep, on two there are all the races. */
static int
test_pingpong(void)
{
	TEST_CALL(pingpong(TEST_FP_TO_DPU, 0));
	return pingpong(TEST_FP_TO_HOST, 1);
}

static int
stream(uint32_t how, uint32_t places, unsigned int cpu)
{
	struct sleeper a = { .want = ROUNDS, .cpu = cpu }, b = { .want = ROUNDS };
	struct test_fp fp;

	TEST_CALL(test_fp_open(&fp, how | TEST_FP_ONE_ENGINE));
	TEST_CALL(test_fp_queues(&fp, NULL, places, 4, &b.consumer, &a.producer));
	a.pe = fp.tx.q_pe;
	b.pe = fp.rx.q_pe;
	a.to = b.consumer->id;
	TEST_EXPECT(test_post_empty(b.consumer, places, 0), places);
	test_settle();
	TEST_CALL(run_two(&a, &b, sleeper_stream));
	test_fp_cleanup();
	return TEST_SUCCESS;
}

/* With one place each message is waited for, and so is each credit. */
static int
test_stream(void)
{
	TEST_CALL(stream(TEST_FP_TO_DPU, 1, 0));
	TEST_CALL(stream(TEST_FP_TO_DPU, 1, 1));
	TEST_CALL(stream(TEST_FP_TO_HOST, 1, 1));
	return stream(TEST_FP_TO_HOST, 4, 1);
}

static struct unit_test_suite suite = {
	.suite_name = "comch: event mode of the fast path",
	.setup = test_setup_event,
	.unit_test_cases = {
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_message_wakes),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_post_wakes),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_several_starve),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_state_wakes),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_flush_sleeps),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_loss_wakes),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_tasks_wake),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_pingpong),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_stream),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_fp_event_autotest, unit_test_suite_runner, &suite)
