/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Offload processors, and a program that does as it should: start and stop, functions by
 * name, calls, threads, memory, windows. What a program does that it should not is in
 * test_shm_dpa_bad.c, files that are no programs in test_shm_dpa_file.c.
 */

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <rte_lcore.h>

#include "test_shm_dpa.h"

#define NB_EUS 4
#define CALL_MS 2000
/* Around the place that the driver takes for the file of the program. */
#define DESCRIPTORS 256
#define NEAR_THE_LAST 16
/* Of an application that leaves the processors to others. */
#define NICE 7
#define KB 1024ul

static struct rte_comch_dpa *dpa;

/* As the program has it. */
struct work {
	uint64_t count;
	uint64_t finish;
	uint64_t wait;
	uint64_t eu;
};

static uint64_t
call(const char *func, uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t args[] = { a, b, c };
	uint64_t ret = 0;
	int error;

	error = rte_comch_dpa_rpc(dpa, func, args, RTE_DIM(args), CALL_MS, &ret);
	if (error != 0)
		test_fail("call of %s: %s", func, strerror(-error));
	return ret;
}

static int
setup(void)
{
	TEST_CALL(test_dpa_setup());
	TEST_EXPECT(test_dpa_start(NULL, &dpa), 0);
	return TEST_SUCCESS;
}

/* A program has memory of its own, in each start anew. */
static int
test_two_programs(void)
{
	struct rte_comch_dpa *first = dpa, *second;

	TEST_EXPECT(test_dpa_start(NULL, &second), 0);
	TEST_EXPECT(call("keep", 11, 0, 0), 0);
	dpa = second;
	TEST_EXPECT(call("keep", 22, 0, 0), 0);
	TEST_EXPECT(call("keep", 0, 0, 0), 22);
	dpa = first;
	TEST_EXPECT(call("keep", 0, 0, 0), 11);
	TEST_CALL(test_dpa_end(second));
	TEST_CALL(test_dpa_end(first));
	return TEST_SUCCESS;
}

static void *
start_main(void *arg)
{
	*(int *)arg = test_dpa_start(NULL, &dpa);
	return NULL;
}

/* The program ends with this process, and not with the thread that started it. */
static int
test_starter_ends(void)
{
	pthread_t thread;
	int ret = -1;

	TEST_EXPECT(pthread_create(&thread, NULL, start_main, &ret), 0);
	pthread_join(thread, NULL);
	TEST_EXPECT(ret, 0);
	usleep(50000);
	TEST_EXPECT(call("add", 1, 2, 3), 6);
	return test_dpa_end(dpa);
}

static int
test_calls(void)
{
	const uint64_t args[RTE_COMCH_DPA_RPC_MAX_ARGS] = { 1, 2, 3, 4, 5, 6 };
	struct rte_comch_dpa_thread_conf conf = { .func = "add" };
	struct rte_comch_dpa_thread *thread;
	uint64_t ret;
	int i;

	TEST_EXPECT(rte_comch_dpa_rpc(dpa, "add", args, RTE_DIM(args), CALL_MS, &ret), 0);
	TEST_EXPECT(ret, 21);
	/* what is not given is 0, and nothing of the last call */
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, "add", args, 1, CALL_MS, &ret), 0);
	TEST_EXPECT(ret, 1);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, "add", NULL, 0, CALL_MS, &ret), 0);
	TEST_EXPECT(ret, 0);
	for (i = 0; i < 1000; i++)
		TEST_EXPECT(call("add", i, i, 0), 2 * i);
	TEST_EXPECT((uint32_t)call("eu_of_call", 0, 0, 0), UINT32_MAX);
	/* a thread is no call, and a call no thread */
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, "nothing", args, 1, CALL_MS, &ret), -ENOENT);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, "work", args, 1, CALL_MS, &ret), -ENOENT);
	TEST_EXPECT(rte_comch_dpa_thread_create(dpa, &conf, &thread), -ENOENT);
	return test_dpa_end(dpa);
}

static int
test_memory(void)
{
	uint64_t addr[2], word = 0x1122334455667788, zero[2] = { 1, 1 }, got = 0;

	TEST_EXPECT(rte_comch_dpa_mem_alloc(dpa, 100, &addr[0]), 0);
	TEST_EXPECT(rte_comch_dpa_mem_alloc(dpa, 64 * KB, &addr[1]), 0);
	TEST_TRUE(addr[1] >= addr[0] + 100 || addr[0] >= addr[1] + 64 * KB);
	TEST_EXPECT(rte_comch_dpa_mem_write(dpa, addr[0] + 8, &word, sizeof(word)), 0);
	TEST_EXPECT(call("peek", addr[0] + 8, 0, 0), word);
	call("poke", addr[0] + 16, ~word, 0);
	TEST_EXPECT(rte_comch_dpa_mem_read(dpa, &got, addr[0] + 16, sizeof(got)), 0);
	TEST_EXPECT(got, ~word);
	/* to the last byte, and not one more */
	TEST_EXPECT(rte_comch_dpa_mem_write(dpa, addr[0] + 92, &word, sizeof(word)), 0);
	TEST_EXPECT(rte_comch_dpa_mem_write(dpa, addr[0] + 93, &word, sizeof(word)), -EFAULT);
	TEST_EXPECT(rte_comch_dpa_mem_read(dpa, &got, addr[0] - 1, sizeof(got)), -EFAULT);
	TEST_EXPECT(rte_comch_dpa_mem_read(dpa, &got, 0, sizeof(got)), -EFAULT);
	TEST_EXPECT(rte_comch_dpa_mem_read(dpa, &got, UINT64_MAX - 3, sizeof(got)), -EFAULT);
	TEST_EXPECT(rte_comch_dpa_mem_read(dpa, &got, addr[0], UINT64_MAX), -EFAULT);
	TEST_EXPECT(rte_comch_dpa_mem_free(dpa, addr[0] + 8), -ENOENT);
	TEST_EXPECT(rte_comch_dpa_mem_free(dpa, addr[0]), 0);
	TEST_EXPECT(rte_comch_dpa_mem_free(dpa, addr[0]), -ENOENT);
	TEST_EXPECT(rte_comch_dpa_mem_read(dpa, &got, addr[0], sizeof(got)), -EFAULT);
	/* the next one has nothing of the last one */
	TEST_EXPECT(rte_comch_dpa_mem_alloc(dpa, 100, &addr[0]), 0);
	TEST_EXPECT(rte_comch_dpa_mem_read(dpa, zero, addr[0] + 8, sizeof(zero)), 0);
	TEST_EXPECT(zero[0] | zero[1], 0);
	TEST_EXPECT(rte_comch_dpa_stop(dpa), -EBUSY);
	TEST_EXPECT(rte_comch_dpa_mem_free(dpa, addr[0]), 0);
	TEST_EXPECT(rte_comch_dpa_mem_free(dpa, addr[1]), 0);
	return test_dpa_end(dpa);
}

/* All of it can be had, again and again, and not more. */
static int
test_memory_all(void)
{
	const uint64_t part = 64 * KB, nb = RTE_COMCH_DPA_DFLT_MEM_SIZE / part;
	uint64_t addr[RTE_COMCH_DPA_DFLT_MEM_SIZE / (64 * 1024)], more, i;
	int round;

	for (round = 0; round < 3; round++) {
		for (i = 0; i < nb; i++)
			TEST_EXPECT(rte_comch_dpa_mem_alloc(dpa, part, &addr[i]), 0);
		TEST_EXPECT(rte_comch_dpa_mem_alloc(dpa, 1, &more), -ENOMEM);
		TEST_EXPECT(rte_comch_dpa_mem_free(dpa, addr[3]), 0);
		TEST_EXPECT(rte_comch_dpa_mem_alloc(dpa, part + 1, &more), -ENOMEM);
		TEST_EXPECT(rte_comch_dpa_mem_alloc(dpa, part, &addr[3]), 0);
		for (i = 0; i < nb; i++)
			TEST_EXPECT(rte_comch_dpa_mem_free(dpa, addr[(i + round) % nb]), 0);
	}
	return test_dpa_end(dpa);
}

static struct work
work_read(uint64_t addr)
{
	struct work w = { 0 };

	if (rte_comch_dpa_mem_read(dpa, &w, addr, sizeof(w)) != 0)
		test_fail("memory of the program is not there");
	return w;
}

static int
work_write(uint64_t addr, uint64_t off, uint64_t value)
{
	return rte_comch_dpa_mem_write(dpa, addr + off, &value, sizeof(value));
}

static int
test_threads(void)
{
	struct rte_comch_dpa_thread_conf conf = { .func = "work" };
	struct rte_comch_dpa_thread *threads[NB_EUS];
	struct rte_comch_dpa_eu_info info;
	uint64_t addr[NB_EUS];
	uint32_t i;

	for (i = 0; i < NB_EUS; i++) {
		TEST_EXPECT(rte_comch_dpa_mem_alloc(dpa, sizeof(struct work), &addr[i]), 0);
		conf.arg = addr[i];
		conf.eu = i;
		TEST_EXPECT(rte_comch_dpa_thread_create(dpa, &conf, &threads[i]), 0);
	}
	usleep(20000);
	for (i = 0; i < NB_EUS; i++)
		TEST_EXPECT(work_read(addr[i]).count, 0);
	for (i = 0; i < NB_EUS; i++)
		TEST_EXPECT(rte_comch_dpa_thread_run(threads[i]), 0);
	for (i = 0; i < NB_EUS; i++) {
		TEST_WAIT(work_read(addr[i]).count == 1, TEST_MS);
		TEST_EXPECT(work_read(addr[i]).eu, i);
		TEST_WAIT(rte_comch_dpa_eu_info_get(dpa, i, &info) == 0 && info.runs == 1, TEST_MS);
		TEST_WAIT(rte_comch_dpa_eu_info_get(dpa, i, &info) == 0 && !info.busy, TEST_MS);
		TEST_EXPECT(info.errors, 0);
	}
	for (i = 0; i < NB_EUS; i++) {
		TEST_EXPECT(rte_comch_dpa_thread_destroy(threads[i]), 0);
		TEST_EXPECT(rte_comch_dpa_mem_free(dpa, addr[i]), 0);
	}
	return test_dpa_end(dpa);
}

/* Several runs that are asked for while it runs are one more; after finish there is none. */
static int
test_runs(void)
{
	struct rte_comch_dpa_thread_conf conf = { .func = "work" };
	struct rte_comch_dpa_thread *thread;
	struct rte_comch_dpa_eu_info info;
	int i, round;

	TEST_EXPECT(rte_comch_dpa_mem_alloc(dpa, sizeof(struct work), &conf.arg), 0);
	for (round = 0; round < 3; round++) {
		TEST_EXPECT(work_write(conf.arg, offsetof(struct work, finish), 0), 0);
		TEST_EXPECT(work_write(conf.arg, offsetof(struct work, count), 0), 0);
		TEST_EXPECT(work_write(conf.arg, offsetof(struct work, wait), 1), 0);
		TEST_EXPECT(rte_comch_dpa_thread_create(dpa, &conf, &thread), 0);
		TEST_EXPECT(rte_comch_dpa_thread_run(thread), 0);
		TEST_WAIT(work_read(conf.arg).count == 1, TEST_MS);
		TEST_EXPECT(rte_comch_dpa_eu_info_get(dpa, 0, &info), 0);
		TEST_TRUE(info.busy);
		for (i = 0; i < 5; i++)
			TEST_EXPECT(rte_comch_dpa_thread_run(thread), 0);
		TEST_EXPECT(work_write(conf.arg, offsetof(struct work, wait), 0), 0);
		TEST_WAIT(work_read(conf.arg).count == 2, TEST_MS);
		usleep(20000);
		TEST_EXPECT(work_read(conf.arg).count, 2);
		TEST_EXPECT(work_write(conf.arg, offsetof(struct work, finish), 1), 0);
		TEST_EXPECT(rte_comch_dpa_thread_run(thread), 0);
		TEST_WAIT(work_read(conf.arg).count == 3, TEST_MS);
		usleep(20000);
		TEST_EXPECT(rte_comch_dpa_thread_run(thread), 0);
		usleep(20000);
		TEST_EXPECT(work_read(conf.arg).count, 3);
		TEST_EXPECT(rte_comch_dpa_thread_destroy(thread), 0);
	}
	TEST_EXPECT(rte_comch_dpa_mem_free(dpa, conf.arg), 0);
	return test_dpa_end(dpa);
}

static int
test_windows(void)
{
	struct rte_comch_dpa_window *window;
	struct rte_comch_mem *mem, *plain;
	struct rte_comch_mem_info info;
	uint64_t *words, base;
	uint32_t handle;
	int round;

	TEST_EXPECT(rte_comch_mem_alloc(test_pair.dpu, 64 * KB, RTE_COMCH_MEM_F_DPA, &mem), 0);
	TEST_EXPECT(rte_comch_mem_alloc(test_pair.dpu, 64 * KB, 0, &plain), 0);
	TEST_EXPECT(rte_comch_mem_info_get(mem, &info), 0);
	words = info.addr;
	base = (uintptr_t)words;
	TEST_EXPECT(rte_comch_dpa_window_create(dpa, plain, RTE_COMCH_DPA_WINDOW_F_READ, &window),
		-EACCES);
	for (round = 0; round < 10; round++) {
		TEST_EXPECT(rte_comch_dpa_window_create(dpa, mem, RTE_COMCH_DPA_WINDOW_F_READ |
			RTE_COMCH_DPA_WINDOW_F_WRITE, &window), 0);
		TEST_EXPECT(rte_comch_dpa_window_handle_get(window, &handle), 0);
		words[1] = round + 7;
		TEST_EXPECT(call("window_peek", handle, base + 8, 0), round + 7);
		TEST_EXPECT(call("window_poke", handle, base + 64 * KB - 8, round), 1);
		TEST_EXPECT(words[8191], round);
		/* the last byte of it is the last one */
		TEST_EXPECT(call("window_poke", handle, base + 64 * KB - 7, 1), 0);
		TEST_EXPECT(call("window_poke", handle, base - 1, 1), 0);
		TEST_EXPECT(call("window_poke", handle + 1, base, 1), 0);
		TEST_EXPECT(rte_comch_mem_free(mem), -EBUSY);
		TEST_EXPECT(rte_comch_dpa_window_destroy(window), 0);
		TEST_EXPECT(call("window_peek", handle, base + 8, 0), 0);
	}
	TEST_EXPECT(rte_comch_mem_free(mem), 0);
	TEST_EXPECT(rte_comch_mem_free(plain), 0);
	return test_dpa_end(dpa);
}

/* One region may have windows of several kinds, and a window its own right. */
static int
test_window_rights(void)
{
	struct rte_comch_dpa_window *windows[2];
	struct rte_comch_mem_info info;
	struct rte_comch_mem *mem;
	uint32_t handles[2];
	uint64_t base;

	TEST_EXPECT(rte_comch_mem_alloc(test_pair.dpu, 5 * KB, RTE_COMCH_MEM_F_DPA, &mem), 0);
	TEST_EXPECT(rte_comch_mem_info_get(mem, &info), 0);
	base = (uintptr_t)info.addr;
	TEST_EXPECT(rte_comch_dpa_window_create(dpa, mem, RTE_COMCH_DPA_WINDOW_F_READ,
		&windows[0]), 0);
	TEST_EXPECT(rte_comch_dpa_window_create(dpa, mem, RTE_COMCH_DPA_WINDOW_F_ALL,
		&windows[1]), 0);
	TEST_EXPECT(rte_comch_dpa_window_handle_get(windows[0], &handles[0]), 0);
	TEST_EXPECT(rte_comch_dpa_window_handle_get(windows[1], &handles[1]), 0);
	TEST_EXPECT(call("window_poke", handles[0], base, 5), 0);
	TEST_EXPECT(call("window_poke", handles[1], base, 5), 1);
	TEST_EXPECT(call("window_peek", handles[0], base, 0), 5);
	/* beyond the region, though on a page of it */
	TEST_EXPECT(call("window_poke", handles[1], base + 5 * KB, 5), 0);
	TEST_EXPECT(rte_comch_dpa_window_destroy(windows[0]), 0);
	TEST_EXPECT(call("window_poke", handles[1], base, 6), 1);
	TEST_EXPECT(rte_comch_dpa_window_destroy(windows[1]), 0);
	TEST_EXPECT(rte_comch_mem_free(mem), 0);
	return test_dpa_end(dpa);
}

/* Threads of a process that have one CPU, and those that have others; -1. */
static int
threads_bound(pid_t pid, int cpu, int *others)
{
	char path[NAME_MAX + 64];
	struct dirent *entry;
	cpu_set_t cpus;
	int bound = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (dir == NULL)
		return -1;
	*others = 0;
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.' ||
				sched_getaffinity(atoi(entry->d_name), sizeof(cpus), &cpus) != 0)
			continue;
		if (CPU_COUNT(&cpus) == 1 && CPU_ISSET(cpu, &cpus))
			bound++;
		else
			(*others)++;
	}
	closedir(dir);
	return bound;
}

static int
test_cpus(void)
{
	const unsigned int lcore = rte_get_next_lcore(-1, 1, 0);
	int32_t cpus[] = { -1, 0, -1 };
	struct rte_comch_dpa_conf conf = {
		.program = test_dpa_program(""), .nb_eus = RTE_DIM(cpus), .eu_cpus = cpus,
	};
	int others = 0;

	TEST_EXPECT(test_dpa_start(&conf, &dpa), 0);
	TEST_EXPECT(call("add", 1, 1, 0), 2);
	/* not the one of this thread, which may be all that the others have */
	if (lcore < RTE_MAX_LCORE && rte_lcore_to_cpu_id(lcore) >= 0 &&
			rte_lcore_to_cpu_id(lcore) != rte_lcore_to_cpu_id(rte_lcore_id())) {
		TEST_CALL(test_dpa_end(dpa));
		cpus[1] = rte_lcore_to_cpu_id(lcore);
		TEST_EXPECT(test_dpa_start(&conf, &dpa), 0);
		TEST_EXPECT(threads_bound(test_dpa_pid(), cpus[1], &others), 1);
		TEST_EXPECT(others, 4);
	}
	TEST_CALL(test_dpa_end(dpa));
	test_log_quiet();
	cpus[1] = 1023;
	TEST_EXPECT(test_dpa_start(&conf, &dpa), -EINVAL);
	cpus[1] = 1 << 20;
	TEST_EXPECT(test_dpa_start(&conf, &dpa), -EINVAL);
	return TEST_SUCCESS;
}

/* The first number of a file of a process in base 16; -1 if it is not to be had. */
static long
proc_number(uint32_t pid, const char *name)
{
	char path[64], text[32];
	long number = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	file = fopen(path, "r");
	if (file == NULL)
		return -1;
	if (fgets(text, sizeof(text), file) != NULL)
		number = strtol(text, NULL, 16);
	fclose(file);
	return number;
}

/*
 * What test_dpa_start() says in a thread of real time and with a priority. The thread has two
 * CPUs: on a single one DPDK 22.11 waits for the new thread, and does not let it run.
 */
static int
start_real_time(void)
{
	const struct sched_param real_time = { .sched_priority = 1 }, none = { 0 };
	cpu_set_t before, cpus = rte_lcore_cpuset(rte_get_next_lcore(-1, 1, 0));
	const int priority = getpriority(PRIO_PROCESS, 0);
	int ret = -EPERM;

	if (sched_getaffinity(0, sizeof(before), &before) != 0)
		return ret;
	CPU_OR(&cpus, &cpus, &before);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) == 0 &&
			setpriority(PRIO_PROCESS, 0, -5) == 0 &&
			sched_setscheduler(0, SCHED_FIFO, &real_time) == 0)
		ret = test_dpa_start(NULL, &dpa);
	sched_setscheduler(0, SCHED_OTHER, &none);
	setpriority(PRIO_PROCESS, 0, priority);
	sched_setaffinity(0, sizeof(before), &before);
	return ret;
}

/* An application of real time and with a priority starts one: it has neither, and no core. */
static int
test_schedule(void)
{
	struct rte_comch_dpa_status status;
	const long ours = proc_number(getpid(), "oom_score_adj");
	struct rlimit core;
	int ret;

	if (rte_lcore_count() < 2)
		return test_skip("it needs two lcores");
	ret = start_real_time();
	if (ret == -EPERM)
		return test_skip("it needs the right to a policy for real time");
	TEST_EXPECT(ret, 0);
	rte_comch_dpa_status_get(dpa, &status);
	TEST_EXPECT(sched_getscheduler(status.pid), SCHED_OTHER);
	errno = 0;
	TEST_EXPECT(getpriority(PRIO_PROCESS, status.pid), 0);
	TEST_EXPECT(errno, 0);
	TEST_EXPECT(proc_number(status.pid, "oom_score_adj"), 0x1000);
	TEST_EXPECT(proc_number(getpid(), "oom_score_adj"), ours);
	TEST_EXPECT(proc_number(status.pid, "coredump_filter"), 0);
	TEST_EXPECT(prlimit(status.pid, RLIMIT_CORE, NULL, &core), 0);
	TEST_TRUE(core.rlim_max <= 1); /* as far as this process may */
	TEST_EXPECT(call("add", 1, 1, 0), 2);
	return test_dpa_end(dpa);
}

/* What it says in a thread that is nicer than others. */
static void *
nice_start(void *arg)
{
	int *ret = arg;

	*ret = setpriority(PRIO_PROCESS, 0, NICE) == 0 ? test_dpa_start(NULL, &dpa) : -errno;
	return NULL;
}

/* An application that is nicer, and may not be able to change that: the program is as nice. */
static int
test_nice(void)
{
	struct rte_comch_dpa_status status;
	pthread_t thread;
	int ret = -1;

	if (getpriority(PRIO_PROCESS, 0) > NICE)
		return test_skip("this process is nicer already");
	TEST_EXPECT(pthread_create(&thread, NULL, nice_start, &ret), 0);
	TEST_EXPECT(pthread_join(thread, NULL), 0);
	TEST_EXPECT(ret, 0);
	rte_comch_dpa_status_get(dpa, &status);
	TEST_EXPECT(getpriority(PRIO_PROCESS, status.pid), NICE);
	TEST_EXPECT(call("add", 1, 1, 0), 2);
	return test_dpa_end(dpa);
}

/* Whatever descriptors are the next ones: the child has places of its own for some. */
static int
test_descriptors(void)
{
	int fds[DESCRIPTORS], nb, last = 0, failed = 0, i;

	TEST_CALL(test_need_fds(64 + DESCRIPTORS));
	for (nb = 0; nb < DESCRIPTORS && last < DESCRIPTORS && failed == 0; nb++) {
		fds[nb] = dup(STDERR_FILENO);
		last = fds[nb];
		if (last < DESCRIPTORS - NEAR_THE_LAST)
			continue;
		failed = test_dpa_start(NULL, &dpa);
		if (failed == 0)
			failed = test_dpa_end(dpa);
	}
	for (i = 0; i < nb; i++)
		close(fds[i]);
	TEST_ASSERT(failed == 0, "no start when %d was the last descriptor", last);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: offload processors",
	.unit_test_cases = {
		TEST_CASE_ST(setup, test_dpa_teardown, test_two_programs),
		TEST_CASE_ST(test_dpa_setup, test_dpa_teardown, test_starter_ends),
		TEST_CASE_ST(setup, test_dpa_teardown, test_calls),
		TEST_CASE_ST(setup, test_dpa_teardown, test_memory),
		TEST_CASE_ST(setup, test_dpa_teardown, test_memory_all),
		TEST_CASE_ST(setup, test_dpa_teardown, test_threads),
		TEST_CASE_ST(setup, test_dpa_teardown, test_runs),
		TEST_CASE_ST(setup, test_dpa_teardown, test_windows),
		TEST_CASE_ST(setup, test_dpa_teardown, test_window_rights),
		TEST_CASE_ST(test_dpa_setup, test_dpa_teardown, test_cpus),
		TEST_CASE_ST(test_dpa_setup, test_dpa_teardown, test_schedule),
		TEST_CASE_ST(test_dpa_setup, test_dpa_teardown, test_nice),
		TEST_CASE_ST(test_dpa_setup, test_dpa_teardown, test_descriptors),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(shm_dpa_autotest, unit_test_suite_runner, &suite)
