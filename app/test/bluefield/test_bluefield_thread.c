/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A thread of the driver, whose passes are counted: no device. It makes one for each
 * reason, sleeps without one, and has ended its last when its user is told so.
 */

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bluefield_thread.h"
#include "test_comch_util.h"

#define TASKS "/proc/self/task"
#define FAR_MS 300
/* So much work is not a sleep of FAR_MS. */
#define WORK_NS 20000000ull

static struct bf_thread thread;
/* atomic: of the thread */
static unsigned int nb_passes, nb_due, nb_under_way;
static bool held;
static uint64_t next_ms, cpu_ns;
static long tid;
static bool stopped, stopped_early;

static uint64_t
count_pass(void *arg, bool due)
{
	const uint64_t end = bf_now_ms() + TEST_MS;

	__atomic_store_n(&tid, syscall(SYS_gettid), __ATOMIC_RELAXED);
	__atomic_store_n(&cpu_ns, test_clock_ns(CLOCK_THREAD_CPUTIME_ID), __ATOMIC_RELAXED);
	__atomic_fetch_add(&nb_under_way, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&held, __ATOMIC_ACQUIRE) && bf_now_ms() < end)
		sched_yield();
	if (due)
		__atomic_fetch_add(&nb_due, 1, __ATOMIC_RELAXED);
	__atomic_fetch_sub(&nb_under_way, 1, __ATOMIC_RELEASE);
	__atomic_fetch_add((unsigned int *)arg, 1, __ATOMIC_RELEASE);
	return __atomic_load_n(&next_ms, __ATOMIC_RELAXED);
}

static unsigned int
passes(void)
{
	return __atomic_load_n(&nb_passes, __ATOMIC_ACQUIRE);
}

/* Who has woken it sees it asleep when it has done what there was, and not before. */
static bool
is_asleep(void)
{
	char path[64], line[128] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/status",
		__atomic_load_n(&tid, __ATOMIC_RELAXED));
	file = fopen(path, "re");
	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, "State:", 6) == 0)
			break;
	if (file != NULL)
		fclose(file);
	return strstr(line, "sleeping") != NULL;
}

static int
create(void)
{
	memset(&thread, 0, sizeof(thread));
	/* nothing has been there, and it takes nothing from what follows */
	bf_thread_destroy(&thread);
	return bf_thread_create(&thread, "bft-", "test", count_pass, &nb_passes);
}

static int
setup(void)
{
	nb_passes = nb_due = nb_under_way = 0;
	held = stopped = stopped_early = false;
	next_ms = UINT64_MAX;
	tid = 0;
	return create();
}

static void
teardown(void)
{
	__atomic_store_n(&held, false, __ATOMIC_RELEASE);
	bf_thread_stop(&thread);
	bf_thread_destroy(&thread);
}

/* Once for each time that it is woken, which is not its time. */
static int
test_woken(void)
{
	unsigned int i;

	bf_thread_start(&thread, UINT64_MAX);
	for (i = 1; i <= 3; i++) {
		bf_thread_wake(&thread);
		TEST_WAIT(passes() >= i, TEST_MS);
		TEST_WAIT(is_asleep(), TEST_MS);
		TEST_EXPECT(passes(), i);
	}
	TEST_EXPECT(nb_due, 0);
	return TEST_SUCCESS;
}

/* When its time has come, and not before; until then it sleeps. */
static int
test_due(void)
{
	uint64_t begin, cpu;

	bf_thread_start(&thread, 0);
	TEST_WAIT(passes() >= 1, TEST_MS);
	TEST_WAIT(is_asleep(), TEST_MS);
	TEST_EXPECT(passes(), 1);
	TEST_EXPECT(nb_due, 1);
	cpu = __atomic_load_n(&cpu_ns, __ATOMIC_RELAXED);
	begin = bf_now_ms();
	bf_thread_start(&thread, begin + FAR_MS);
	TEST_WAIT(passes() >= 2, TEST_MS);
	TEST_TRUE(bf_now_ms() >= begin + FAR_MS);
	TEST_WAIT(is_asleep(), TEST_MS);
	TEST_EXPECT(passes(), 2);
	TEST_EXPECT(nb_due, 2);
	TEST_TRUE(__atomic_load_n(&cpu_ns, __ATOMIC_RELAXED) - cpu < WORK_NS);
	/* the pass says when the next is due */
	next_ms = 0;
	bf_thread_wake(&thread);
	TEST_WAIT(passes() >= 10, TEST_MS);
	TEST_TRUE(__atomic_load_n(&nb_due, __ATOMIC_RELAXED) >= 9);
	return TEST_SUCCESS;
}

static void *
stop_it(void *arg)
{
	bf_thread_stop(arg);
	stopped_early = __atomic_load_n(&nb_under_way, __ATOMIC_ACQUIRE) != 0;
	__atomic_store_n(&stopped, true, __ATOMIC_RELEASE);
	return NULL;
}

/* In the middle of a pass: its user frees what that uses as soon as it is told. */
static int
test_stopped_busy(void)
{
	pthread_t stopper;

	held = true;
	bf_thread_start(&thread, 0);
	TEST_WAIT(__atomic_load_n(&nb_under_way, __ATOMIC_ACQUIRE) == 1, TEST_MS);
	TEST_EXPECT(pthread_create(&stopper, NULL, stop_it, &thread), 0);
	/* one that does not wait has the time to say so */
	test_progress_ms(30);
	__atomic_store_n(&held, false, __ATOMIC_RELEASE);
	pthread_join(stopper, NULL);
	TEST_TRUE(stopped && !stopped_early);
	TEST_EXPECT(passes(), 1);
	/* and is not begun again by who has not heard of it, nor by the time */
	TEST_WAIT(is_asleep(), TEST_MS);
	bf_thread_wake(&thread);
	TEST_WAIT(is_asleep(), TEST_MS);
	TEST_EXPECT(passes(), 1);
	/* what it was woken for before is over when it goes on */
	bf_thread_start(&thread, UINT64_MAX);
	bf_thread_wake(&thread);
	TEST_WAIT(passes() >= 2, TEST_MS);
	TEST_WAIT(is_asleep(), TEST_MS);
	TEST_EXPECT(passes(), 2);
	return TEST_SUCCESS;
}

/* Whoever is woken in a pass makes another one. */
static int
test_woken_busy(void)
{
	held = true;
	bf_thread_start(&thread, 0);
	TEST_WAIT(__atomic_load_n(&nb_under_way, __ATOMIC_ACQUIRE) == 1, TEST_MS);
	bf_thread_wake(&thread);
	__atomic_store_n(&held, false, __ATOMIC_RELEASE);
	TEST_WAIT(passes() >= 2, TEST_MS);
	TEST_WAIT(is_asleep(), TEST_MS);
	TEST_EXPECT(passes(), 2);
	TEST_EXPECT(nb_due, 1);
	return TEST_SUCCESS;
}

/* It ends in its sleep, whatever that waits for, and no more than once. */
static int
test_destroyed(void)
{
	static const uint64_t due[] = { 0, UINT64_MAX, 1ull << 60 };
	unsigned int i, nb, before;

	nb = test_count_entries(TASKS);
	for (i = 0; i < RTE_DIM(due); i++) {
		before = passes();
		bf_thread_start(&thread, due[i]);
		bf_thread_wake(&thread);
		TEST_WAIT(passes() > before, TEST_MS);
		bf_thread_stop(&thread);
		bf_thread_destroy(&thread);
		TEST_WAIT(test_count_entries(TASKS) == nb - 1, TEST_MS);
		bf_thread_destroy(&thread);
		TEST_EXPECT(create(), 0);
		TEST_EXPECT(test_count_entries(TASKS), nb);
	}
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "threads of the bluefield driver",
	.unit_test_cases = {
		TEST_CASE_ST(setup, teardown, test_woken),
		TEST_CASE_ST(setup, teardown, test_due),
		TEST_CASE_ST(setup, teardown, test_stopped_busy),
		TEST_CASE_ST(setup, teardown, test_woken_busy),
		TEST_CASE_ST(setup, teardown, test_destroyed),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_thread_autotest, unit_test_suite_runner, &suite);
