/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Several threads at one offload processor, each at what any thread may do, until its
 * program ends in the middle of that: set-up and teardown of message queues and of both
 * their ends, questions, and queues that run. A device that fails, and one that is reset,
 * while a program starts. On the mock.
 */

#include <pthread.h>

#include <rte_cycles.h>

#include "test_comch_fp_util.h"
#include "test_mock_dpa.h"

#define ROUNDS 20
#define ROUND_MS 10

static struct rte_comch_dpa *dpa;
static struct rte_comch_msgq *shared; /* from the program */
static uint32_t stop;                 /* atomic */
static uint32_t nb_odd;               /* atomic: answers that cannot be */
static uint32_t nb_made[2];           /* atomic: by makers and by users, while it ran */

static bool
goes_on(void)
{
	/* relaxed: no data goes with it */
	return __atomic_load_n(&stop, __ATOMIC_RELAXED) == 0;
}

/* What a call may say: that, or that the program has ended. */
static bool
said(int ret, int other)
{
	if (ret != 0 && ret != -EIO && ret != other)
		__atomic_fetch_add(&nb_odd, 1, __ATOMIC_RELAXED);
	return ret == 0;
}

/* Makes message queues and their ends, and takes them down again. */
static void *
maker(void *arg __rte_unused)
{
	const struct rte_comch_msgq_conf conf = { .dir = RTE_COMCH_MSGQ_FROM_DPA };
	struct rte_comch_dpa_queue *queue = NULL;
	struct rte_comch_msgq *msgq = NULL;
	uint64_t addr;

	while (goes_on()) {
		if (!said(rte_comch_msgq_create(dpa, &conf, &msgq), 0))
			break;
		if (said(rte_comch_dpa_queue_create(msgq, NULL, &queue), 0)) {
			said(rte_comch_msgq_destroy(msgq), -EBUSY);
			said(rte_comch_dpa_queue_destroy(queue), 0);
			__atomic_fetch_add(&nb_made[0], 1, __ATOMIC_RELAXED);
		}
		said(rte_comch_msgq_destroy(msgq), 0);
		if (said(rte_comch_dpa_mem_alloc(dpa, 64, &addr), 0))
			said(rte_comch_dpa_mem_free(dpa, addr), 0);
	}
	return NULL;
}

/* Starts and stops a consumer of the message queue that all have. */
static void *
user(void *arg)
{
	struct rte_comch_pe *pe = arg;
	struct rte_comch_ctx *ctx = NULL;
	int ret;

	while (goes_on()) {
		if (!said(rte_comch_msgq_consumer_create(shared, NULL, &ctx), -ENOSPC))
			continue;
		said(rte_comch_ctx_attach(ctx, pe), 0);
		if (said(rte_comch_ctx_start(ctx), 0)) {
			rte_comch_pe_progress(pe);
			ret = rte_comch_ctx_stop(ctx);
			said(ret == -EINPROGRESS ? 0 : ret, -EALREADY);
			while (rte_comch_ctx_state_get(ctx) != RTE_COMCH_STATE_IDLE)
				rte_comch_pe_progress(pe);
			__atomic_fetch_add(&nb_made[1], 1, __ATOMIC_RELAXED);
		}
		said(rte_comch_ctx_destroy(ctx), 0);
	}
	return NULL;
}

/* Asks how all that is. */
static void *
asker(void *arg __rte_unused)
{
	struct rte_comch_dpa_status status;
	struct rte_comch_dpa_eu_info eu;

	while (goes_on()) {
		said(rte_comch_dpa_status_get(dpa, &status), 0);
		if (status.state == RTE_COMCH_DPA_IDLE)
			said(-EINVAL, 0);
		said(rte_comch_dpa_eu_info_get(dpa, 0, &eu), 0);
		sched_yield();
	}
	return NULL;
}

/* All of them, and the end of the program in the middle. */
static int
round_run(void)
{
	const struct rte_comch_msgq_conf conf = {
		.dir = RTE_COMCH_MSGQ_FROM_DPA,
		.max_consumers = 2,
	};
	void *(*const mains[])(void *) = { maker, user, user, asker };
	struct rte_comch_pe *pes[RTE_DIM(mains)];
	pthread_t threads[RTE_DIM(mains)];
	unsigned int i, nb;

	for (i = 0; i < RTE_DIM(mains); i++) {
		pes[i] = test_pe_new();
	}
	__atomic_store_n(&stop, 0, __ATOMIC_RELAXED);
	TEST_EXPECT(rte_comch_dpa_start(dpa), 0);
	TEST_EXPECT(rte_comch_msgq_create(dpa, &conf, &shared), 0);
	for (nb = 0; nb < RTE_DIM(mains); nb++)
		if (pthread_create(&threads[nb], NULL, mains[nb], pes[nb]) != 0)
			break;
	rte_delay_us_sleep(ROUND_MS * 1000);
	test_mock_dpa_crash(dpa, 0);
	rte_delay_us_sleep(ROUND_MS * 100);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < nb; i++)
		pthread_join(threads[i], NULL);
	test_cleanup();
	TEST_EXPECT(nb, RTE_DIM(mains));
	TEST_EXPECT(rte_comch_msgq_destroy(shared), 0);
	shared = NULL;
	TEST_EXPECT(rte_comch_dpa_stop(dpa), 0);
	TEST_EXPECT(test_mock_dpa_nb_objects(), 0);
	TEST_EXPECT(nb_odd, 0);
	return TEST_SUCCESS;
}

static int
test_threads(void)
{
	const struct rte_comch_dpa_conf conf = { .program = "/a/program" };
	unsigned int i;

	/* what they free is closed later */
	TEST_CALL(test_need_fds(16384));
	TEST_EXPECT(rte_comch_dpa_create(test_pair.host, &conf, &dpa), 0);
	nb_odd = nb_made[0] = nb_made[1] = 0;
	for (i = 0; i < ROUNDS; i++)
		TEST_CALL(round_run());
	test_note("%u message queues and %u consumers were made", nb_made[0], nb_made[1]);
	TEST_TRUE(nb_made[0] > 0 && nb_made[1] > 0);
	return TEST_SUCCESS;
}

/* What threads of its own do, and what they were told. */
static void *
starter(void *arg)
{
	*(int *)arg = rte_comch_dpa_start(dpa);
	return NULL;
}

static void *
breaker(void *arg)
{
	test_mock_dpa_dev_down(test_pair.host, *(const int *)arg);
	return NULL;
}

/* Wait, for a second at most, until the device is down. */
static int
down_wait(void)
{
	unsigned int i;

	for (i = 0; i < 1000 && test_mock_dpa_dev_status() == 0; i++)
		rte_delay_us_sleep(1000);
	return test_mock_dpa_dev_status();
}

/* The device fails while a program is being started: the start must not forget it. */
static int
test_fails_at_start(void)
{
	const struct rte_comch_dpa_conf conf = { .program = "/a/program" };
	int reason = -ENODEV, told = 1, made[2], seen;
	pthread_t threads[2];

	TEST_EXPECT(rte_comch_dpa_create(test_pair.host, &conf, &dpa), 0);
	test_mock_dpa_lock_take(dpa);
	made[0] = pthread_create(&threads[0], NULL, starter, &told);
	rte_delay_us_sleep(20000); /* it is at the lock now */
	made[1] = pthread_create(&threads[1], NULL, breaker, &reason);
	seen = down_wait();
	test_mock_dpa_lock_drop(dpa);
	if (made[0] == 0)
		pthread_join(threads[0], NULL);
	if (made[1] == 0)
		pthread_join(threads[1], NULL);
	TEST_TRUE(made[0] == 0 && made[1] == 0);
	TEST_EXPECT(seen, reason);
	TEST_EXPECT(told, reason);
	TEST_EXPECT(rte_comch_dpa_stop(dpa), -EALREADY);
	TEST_EXPECT(rte_comch_dev_reset(test_pair.host), 0);
	TEST_EXPECT(rte_comch_dpa_start(dpa), 0);
	return TEST_SUCCESS;
}

static int
setup(void)
{
	TEST_CALL(test_fp_need());
	return test_mock_dpa_install(test_pair.host) == 0 ? TEST_SUCCESS :
		test_skip("the mock does not fit the device");
}

static void
teardown(void)
{
	test_cleanup();
	rte_comch_msgq_destroy(shared);
	rte_comch_dpa_stop(dpa);
	if (rte_comch_dpa_destroy(dpa) != 0)
		test_fail("the offload processor cannot be destroyed");
	shared = NULL;
	dpa = NULL;
	test_mock_dpa_remove();
}

static struct unit_test_suite suite = {
	.suite_name = "comch: threads at one offload processor",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(setup, teardown, test_threads),
		TEST_CASE_ST(setup, teardown, test_fails_at_start),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_msgq_race_autotest, unit_test_suite_runner, &suite)
