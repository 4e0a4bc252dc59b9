/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Sleep at either end of a message queue, in one process: a unit that parks after each
 * message, an engine that sleeps for messages, and one that sleeps for credits. The other
 * end acts at random moments, and no wake-up is lost. COMCH_TEST_MSGQ_WAKES says how many;
 * a case ends before that when its time is over, and says how many there were.
 */

#include <poll.h>

#include <rte_pause.h>
#include <rte_random.h>

#include "test_shm_msgq.h"

#define NB_WAKES 20000
/* After so long one is lost. */
#define LOST_MS 5000
/* Random moments: up to so many nanoseconds apart, and once in a while a hundred times that. */
#define MOMENT_NS 8000
#define NB_RECV 2
/* Wake-ups without a reason: as many as may be, and so many that it is taken for broken. */
#define NB_ATTACKS 1000u
#define MAX_ATTACKS 2000000u
/* Seconds of a case, without and with COMCH_TEST_MSGQ_WAKES; and what it has to get there. */
#define CASE_S 60
#define CASE_LONG_S 180
#define MIN_WAKES 1000

static struct rte_comch_msgq msgq;
static struct rte_comch_dpa_completion comp;
static struct rte_comch_dpa_queue dpa_queue;
static struct msgq_end end;
static uint64_t nb_wakes;  /* atomic: who sends ends it */
static uint64_t time_over;
static uint64_t nb_sleeps; /* of the engine: how many were not over at once */
static uint64_t nb_arms;   /* of the engine, whether it slept or not */
static const char *error;  /* atomic: of any thread */

static void
wake_fail(const char *what)
{
	__atomic_store_n(&error, what, __ATOMIC_RELAXED);
}

static bool
wake_failed(void)
{
	return __atomic_load_n(&error, __ATOMIC_RELAXED) != NULL;
}

/* Whether number value is wanted. */
static bool
wake_wanted(uint64_t value)
{
	return value < __atomic_load_n(&nb_wakes, __ATOMIC_RELAXED) && !wake_failed();
}

/* Before number value is sent: when the time is over it is the last, which who gets it sees. */
static void
time_check(uint64_t value)
{
	if (test_now_ns() > time_over && value >= MIN_WAKES)
		__atomic_store_n(&nb_wakes, value + 1, __ATOMIC_RELAXED);
}

static void
random_moment(void)
{
	uint64_t ns = rte_rand_max(MOMENT_NS), until;

	if (rte_rand_max(256) == 0)
		ns *= 100;
	until = test_now_ns() + ns;
	while (test_now_ns() < until)
		rte_pause();
}

static int
wake_create(bool to_dpa, uint32_t size)
{
	const char *env = getenv("COMCH_TEST_MSGQ_WAKES");

	const uint64_t seconds = env != NULL ? CASE_LONG_S : CASE_S;

	test_time_limit(4 * seconds);
	time_over = test_now_ns() + seconds * 1000000000;
	nb_wakes = env != NULL ? strtoull(env, NULL, 0) : NB_WAKES;
	nb_sleeps = nb_arms = 0;
	error = NULL;
	msgq_unit_self.eu = 0;
	TEST_CALL(test_msgq_start(&msgq, to_dpa ? RTE_COMCH_MSGQ_TO_DPA : RTE_COMCH_MSGQ_FROM_DPA,
			1, 1));
	TEST_CALL(test_msgq_completion(&comp, to_dpa ? RTE_COMCH_DPA_COMPLETION_CONSUMER :
			RTE_COMCH_DPA_COMPLETION_PRODUCER, NB_RECV, 1, 0));
	TEST_CALL(test_msgq_dpa_queue(&dpa_queue, &msgq, &comp, to_dpa, 1, size));
	TEST_CALL(test_msgq_end(&end, &msgq, !to_dpa, 1, size));
	return TEST_SUCCESS;
}

static void
wake_free(void)
{
	test_msgq_end_free(&end);
	shm_msgq_dpa_queue_destroy(&dpa_queue);
	shm_msgq_completion_destroy(&comp);
	shm_msgq_destroy(&msgq);
}

/* The engine of this end sleeps, unless there is something. */
static void
engine_sleep(void)
{
	struct rte_comch_pe *pe = test_msgq_pe();
	struct pollfd pfd = { .fd = rte_comch_pe_fd(pe), .events = POLLIN };
	int ret = rte_comch_pe_arm(pe);

	nb_arms++;
	if (ret == 0) {
		nb_sleeps++;
		if (poll(&pfd, 1, LOST_MS) != 1)
			wake_fail("the engine sleeps through something");
	} else if (ret != -EAGAIN) {
		wake_fail("the engine cannot be armed");
	}
	if (rte_comch_pe_progress(pe) < 0)
		wake_fail("the engine fails");
}

static void *
unit_sends(void *arg __rte_unused)
{
	uint64_t value = 0, limit = test_now_ns() + MSGQ_LOST_NS;
	int ret;

	msgq_unit_self.eu = 0;
	while (wake_wanted(value)) {
		random_moment();
		time_check(value);
		ret = rte_comch_dpa_dev_producer_post_send_imm(dpa_queue.handle, 1, &value,
				sizeof(value), RTE_COMCH_DPA_DEV_F_FLUSH |
				RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS);
		if (ret == 0) {
			value++;
			limit = test_now_ns() + MSGQ_LOST_NS;
		} else if (ret != -EAGAIN || test_now_ns() > limit) {
			wake_fail("the unit cannot send");
		}
	}
	return NULL;
}

static int
test_engine_sleeps(void)
{
	struct rte_comch_cpl cpls[NB_RECV];
	uint64_t value = 0, got, wakes = test_msgq_wakes();
	pthread_t thread;
	uint32_t nb, i;

	TEST_CALL(wake_create(false, NB_RECV));
	TEST_EXPECT(test_msgq_post(&end, NB_RECV), NB_RECV);
	TEST_EXPECT(pthread_create(&thread, NULL, unit_sends, NULL), 0);
	while (wake_wanted(value)) {
		nb = test_msgq_poll(&end, cpls, NB_RECV);
		for (i = 0; i < nb; i++) {
			memcpy(&got, cpls[i].imm, sizeof(got));
			if (got != value++)
				wake_fail("a message is wrong");
		}
		test_msgq_post(&end, nb);
		if (nb == 0)
			engine_sleep();
	}
	pthread_join(thread, NULL);
	TEST_ASSERT(error == NULL, "%s, message %" PRIu64, error, value);
	test_note("%" PRIu64 " messages, %" PRIu64 " sleeps, %" PRIu64 " wake-ups", value,
		nb_sleeps, test_msgq_wakes() - wakes);
	TEST_TRUE(nb_sleeps != 0);
	/* one at most for each time that it was about to sleep */
	TEST_TRUE(test_msgq_wakes() - wakes <= nb_arms + 1);
	wake_free();
	return TEST_SUCCESS;
}

/* What has come since the last look has waked nobody: it keeps the engine from its sleep. */
static int
test_come_before_sleep(void)
{
	TEST_CALL(wake_create(false, NB_RECV));
	TEST_EXPECT(test_msgq_post(&end, NB_RECV), NB_RECV);
	TEST_UNTIL(rte_comch_pe_arm(test_msgq_pe()) == 0, rte_comch_pe_progress(test_msgq_pe()),
		TEST_MS);
	rte_comch_pe_progress(test_msgq_pe());
	TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(dpa_queue.handle, 1, "a", 1,
		RTE_COMCH_DPA_DEV_F_FLUSH), 0);
	TEST_EXPECT(rte_comch_pe_arm(test_msgq_pe()), -EAGAIN);
	wake_free();
	return TEST_SUCCESS;
}

static void *
unit_credits(void *arg __rte_unused)
{
	struct rte_comch_dpa_dev_elem elem;
	uint64_t value = 0, limit = test_now_ns() + MSGQ_LOST_NS;

	msgq_unit_self.eu = 0;
	rte_comch_dpa_dev_consumer_ack(dpa_queue.handle, 1);
	while (wake_wanted(value)) {
		if (rte_comch_dpa_dev_completion_get(comp.handle, &elem) != 1) {
			if (test_now_ns() > limit)
				wake_fail("no message comes");
			continue;
		}
		value++;
		limit = test_now_ns() + MSGQ_LOST_NS;
		rte_comch_dpa_dev_completion_ack(comp.handle, 1);
		random_moment();
		rte_comch_dpa_dev_consumer_ack(dpa_queue.handle, 1);
	}
	return NULL;
}

static int
test_engine_sleeps_for_credits(void)
{
	uint64_t value = 0;
	pthread_t thread;

	TEST_CALL(wake_create(true, NB_RECV));
	TEST_EXPECT(pthread_create(&thread, NULL, unit_credits, NULL), 0);
	while (wake_wanted(value)) {
		time_check(value);
		if (test_msgq_send(&end, 1, &value, sizeof(value)) == 1)
			value++;
		else
			engine_sleep();
	}
	pthread_join(thread, NULL);
	TEST_ASSERT(error == NULL, "%s, message %" PRIu64, error, value);
	test_note("%" PRIu64 " messages, %" PRIu64 " sleeps", value, nb_sleeps);
	TEST_TRUE(nb_sleeps != 0);
	wake_free();
	return TEST_SUCCESS;
}

/* One-shot: what was not asked for wakes nobody, and what was asked for does so once. */
static int
test_one_shot(void)
{
	TEST_CALL(wake_create(true, NB_RECV));
	TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(dpa_queue.handle, NB_RECV), 0);
	TEST_EXPECT(test_msgq_send(&end, 1, "a", 1), 1);
	TEST_EXPECT(test_msgq_park(0, 1), false);
	TEST_EXPECT(rte_comch_dpa_dev_completion_request_notification(comp.handle), 0);
	TEST_EXPECT(test_msgq_park(0, 1), true);
	TEST_EXPECT(test_msgq_park(0, 1), false);
	TEST_EXPECT(test_msgq_send(&end, 1, "a", 1), 1);
	TEST_EXPECT(test_msgq_park(0, 1), false);
	TEST_EXPECT(rte_comch_dpa_dev_completion_request_notification(comp.handle), 0);
	TEST_EXPECT(test_msgq_park(0, 1), true);
	wake_free();
	return TEST_SUCCESS;
}

/* A unit says again and again that it sleeps: each time a burst to it is a system call. */
static int
test_attack_armed(void)
{
	struct rte_comch_dpa_dev_elem elem;
	uint32_t i, nb, rounds = 0;

	TEST_CALL(wake_create(true, NB_RECV));
	for (i = 0; i < NB_ATTACKS; i++) {
		TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(dpa_queue.handle, 1), 0);
		TEST_EXPECT(rte_comch_dpa_dev_completion_request_notification(comp.handle), 0);
		TEST_EXPECT(test_msgq_send(&end, 1, "a", 1), 1);
		TEST_EXPECT(rte_comch_dpa_dev_completion_get(comp.handle, &elem), 1);
		rte_comch_dpa_dev_completion_ack(comp.handle, 1);
	}
	nb = __atomic_load_n(&msgq_dpa.asked[0].nb, __ATOMIC_RELAXED);
	TEST_EXPECT(nb, NB_ATTACKS);
	TEST_TRUE(!shm_dpa_is_down(&msgq_dpa));
	/* once in an interval that is over, and once more in one that is not */
	for (i = nb; i < MAX_ATTACKS && !shm_dpa_is_down(&msgq_dpa); i++) {
		shm_dpa_wake_asked(&msgq_dpa, 0);
		if (msgq_dpa.asked[0].nb != 0)
			continue;
		msgq_dpa.asked[0].until = UINT64_MAX;
		rounds++;
	}
	TEST_TRUE(shm_dpa_is_down(&msgq_dpa));
	TEST_EXPECT(rounds, 2);
	test_note("ended after %u of them", i);
	wake_free();
	return TEST_SUCCESS;
}

/* A unit wakes an engine again and again, and has nothing for it. */
static int
test_attack_eventfd(void)
{
	uint64_t value = 0;
	uint32_t i, rounds = 0;

	TEST_CALL(wake_create(false, NB_RECV));
	TEST_EXPECT(test_msgq_post(&end, NB_RECV), NB_RECV);
	for (i = 0; i < MAX_ATTACKS && !shm_dpa_is_down(&msgq_dpa); i++) {
		comch_dpa_rt_group_wake(0);
		engine_sleep();
		if (i == 0 || msgq_dpa.groups[0].nb_wakes != 0)
			continue;
		msgq_dpa.groups[0].until = UINT64_MAX;
		rounds++;
	}
	TEST_TRUE(shm_dpa_is_down(&msgq_dpa));
	TEST_EXPECT(rounds, 2);
	TEST_ASSERT(error == NULL, "%s, message %" PRIu64, error, value);
	test_note("ended after %u of them", i);
	wake_free();
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "sleep and wake-ups of message queues",
	.setup = NULL,
	.teardown = NULL,
	.unit_test_cases = {
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_one_shot),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_attack_armed),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_attack_eventfd),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_engine_sleeps),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_come_before_sleep),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_engine_sleeps_for_credits),
		TEST_CASES_END(),
	},
};

REGISTER_SLOW_TEST(shm_msgq_wake_autotest, unit_test_suite_runner, &suite);
