/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Offload processors, and programs that do what they should not: they fault, make calls
 * that are forbidden, spin, end, are killed, and write nonsense wherever they can. This
 * process goes on, is told which execution unit it was, and has nothing left of them.
 */

#include <inttypes.h>
#include <signal.h>
#include <unistd.h>

#include <rte_log.h>

#include "test_shm_dpa.h"
#include "test_bluefield_model.h"

#define CALL_MS 2000
#define SHORT_MS 200
#define KB 1024ul
/* How long a program writes garbage while the host uses it. */
#define GARBAGE_MS 2000

static struct rte_comch_dpa *dpa;
static struct test_dpa_left left;
static bool counted;

/* The first start of a process makes threads and descriptors that stay. */
static int
setup(void)
{
	TEST_CALL(test_dpa_setup());
	if (!counted) {
		TEST_EXPECT(test_dpa_start(NULL, &dpa), 0);
		TEST_CALL(test_dpa_end(dpa));
		counted = true;
	}
	test_log_quiet();
	test_dpa_left_get(&left);
	return TEST_SUCCESS;
}

/* It has failed: nothing can be made any more, what there is can be taken down, all is free. */
static int
down(struct rte_comch_dpa_thread *thread)
{
	struct rte_comch_dpa_thread_conf conf = { .func = "work", .eu = 3 };
	struct rte_comch_dpa_thread *other;
	struct rte_comch_dpa_eu_info info;
	uint64_t addr;

	TEST_EXPECT(rte_comch_dpa_thread_create(dpa, &conf, &other), -EIO);
	TEST_EXPECT(test_dpa_deed_call(dpa, DEED_LOG, 0, CALL_MS), -EIO);
	TEST_EXPECT(rte_comch_dpa_mem_alloc(dpa, 8, &addr), -EIO);
	TEST_EXPECT(rte_comch_dpa_eu_info_get(dpa, 0, &info), 0);
	TEST_TRUE(!info.busy);
	if (thread != NULL) {
		TEST_EXPECT(rte_comch_dpa_thread_run(thread), -EIO);
		TEST_EXPECT(rte_comch_dpa_stop(dpa), -EBUSY);
		TEST_EXPECT(rte_comch_dpa_thread_destroy(thread), 0);
	}
	TEST_CALL(test_dpa_end(dpa));
	return test_dpa_left_check(&left);
}

static int
expect(enum rte_comch_dpa_end end, int reason, uint32_t eu, struct rte_comch_dpa_status *status)
{
	TEST_CALL(test_dpa_failed(dpa, status));
	TEST_ASSERT(status->end == end, "end %d, not %d: %s", status->end, end, status->text);
	TEST_EXPECT(status->reason, reason);
	TEST_EXPECT(status->eu, eu);
	TEST_TRUE(status->text[0] != '\0');
	return TEST_SUCCESS;
}

/* In a unit, then in a call. */
static int
fault(uint64_t deed, int sig, uint32_t eu)
{
	struct rte_comch_dpa_thread *thread;
	struct rte_comch_dpa_status status;

	TEST_EXPECT(test_dpa_start(NULL, &dpa), 0);
	TEST_EXPECT(test_dpa_deed_thread(dpa, eu, deed, 0, &thread), 0);
	TEST_CALL(expect(RTE_COMCH_DPA_END_FAULT, -EIO, eu, &status));
	TEST_EXPECT(status.signal, sig);
	TEST_TRUE(status.pc != 0);
	TEST_CALL(down(thread));

	TEST_EXPECT(test_dpa_start(NULL, &dpa), 0);
	TEST_EXPECT(test_dpa_deed_call(dpa, deed, 0, CALL_MS), -EIO);
	TEST_CALL(expect(RTE_COMCH_DPA_END_FAULT, -EIO, RTE_COMCH_DPA_NO_EU, &status));
	TEST_EXPECT(status.signal, sig);
	return down(NULL);
}

static int
test_faults(void)
{
	TEST_CALL(fault(DEED_NULL, SIGSEGV, 0));
	TEST_CALL(fault(DEED_WRITE_HOST, SIGSEGV, 1));
	TEST_CALL(fault(DEED_TRAP, SIGILL, 2));
	TEST_CALL(fault(DEED_STACK, SIGSEGV, 3));
	return fault(DEED_JUMP, SIGSEGV, 0);
}

/* A page that a window may only read, and a region without a window any more. */
static int
window_fault(uint32_t flags, bool destroy, const char *func)
{
	struct rte_comch_dpa_window *window;
	struct rte_comch_dpa_status status;
	struct rte_comch_mem_info info;
	struct rte_comch_mem *mem;
	uint64_t args[2] = { 0 }, addr;
	uint32_t handle;

	TEST_EXPECT(test_dpa_start(NULL, &dpa), 0);
	TEST_EXPECT(rte_comch_mem_alloc(test_pair.dpu, 4 * KB, RTE_COMCH_MEM_F_DPA, &mem), 0);
	TEST_EXPECT(rte_comch_mem_info_get(mem, &info), 0);
	TEST_EXPECT(rte_comch_dpa_window_create(dpa, mem, flags, &window), 0);
	TEST_EXPECT(rte_comch_dpa_window_handle_get(window, &handle), 0);
	args[0] = handle;
	args[1] = (uintptr_t)info.addr;
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, "window_addr", args, 2, CALL_MS, &addr), 0);
	TEST_TRUE(addr != 0);
	if (destroy)
		TEST_EXPECT(rte_comch_dpa_window_destroy(window), 0);
	args[0] = addr;
	args[1] = 1;
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, func, args, 2, CALL_MS, &addr), -EIO);
	TEST_CALL(expect(RTE_COMCH_DPA_END_FAULT, -EIO, RTE_COMCH_DPA_NO_EU, &status));
	TEST_EXPECT(status.signal, SIGSEGV);
	TEST_EXPECT(status.value, args[0]);
	TEST_EXPECT(*(uint64_t *)info.addr, 0);
	if (!destroy)
		TEST_EXPECT(rte_comch_dpa_window_destroy(window), 0);
	TEST_EXPECT(rte_comch_mem_free(mem), 0);
	return down(NULL);
}

static int
test_windows(void)
{
	TEST_CALL(window_fault(RTE_COMCH_DPA_WINDOW_F_READ, false, "poke"));
	TEST_CALL(window_fault(RTE_COMCH_DPA_WINDOW_F_ALL, true, "poke"));
	return window_fault(RTE_COMCH_DPA_WINDOW_F_READ, true, "peek");
}

static int
test_forbidden(void)
{
	struct rte_comch_dpa_thread *thread;
	struct rte_comch_dpa_status status;
	uint64_t deed;
	bool told;

	for (deed = DEED_FORBIDDEN; deed < DEED_CALLS_END; deed++) {
		/* one call is ended by the kernel at once: its arguments are not to be guessed */
		told = deed != DEED_EXECVEAT;
		TEST_EXPECT(test_dpa_start(NULL, &dpa), 0);
		TEST_EXPECT(test_dpa_deed_thread(dpa, deed % 4, deed, 0, &thread), 0);
		TEST_CALL(expect(RTE_COMCH_DPA_END_CALL, -EPERM,
			told ? deed % 4 : RTE_COMCH_DPA_NO_EU, &status));
		TEST_EXPECT(status.signal, SIGSYS);
		TEST_TRUE((status.value != 0) == told);
		TEST_CALL(down(thread));
		TEST_EXPECT(test_dpa_start(NULL, &dpa), 0);
		TEST_EXPECT(test_dpa_deed_call(dpa, deed, 0, CALL_MS), -EIO);
		TEST_CALL(expect(RTE_COMCH_DPA_END_CALL, -EPERM, RTE_COMCH_DPA_NO_EU, &status));
		TEST_CALL(down(NULL));
	}
	return TEST_SUCCESS;
}

static int
test_spins(void)
{
	struct rte_comch_dpa_thread *thread;
	struct rte_comch_dpa_status status;
	struct rte_comch_dpa_eu_info info;

	/* a unit may run for as long as it wants to, until it is to end */
	TEST_EXPECT(test_dpa_start(NULL, &dpa), 0);
	TEST_EXPECT(test_dpa_deed_thread(dpa, 2, DEED_SPIN, 0, &thread), 0);
	TEST_WAIT(rte_comch_dpa_eu_info_get(dpa, 2, &info) == 0 && info.busy, TEST_MS);
	TEST_EXPECT(test_dpa_deed_call(dpa, DEED_LOG, 0, CALL_MS), 0);
	TEST_EXPECT(rte_comch_dpa_status_get(dpa, &status), 0);
	TEST_EXPECT(status.state, RTE_COMCH_DPA_RUNNING);
	TEST_EXPECT(rte_comch_dpa_thread_destroy(thread), -ETIMEDOUT);
	TEST_CALL(expect(RTE_COMCH_DPA_END_SPIN, -ETIMEDOUT, 2, &status));
	TEST_CALL(down(thread));

	TEST_EXPECT(test_dpa_start(NULL, &dpa), 0);
	TEST_EXPECT(test_dpa_deed_call(dpa, DEED_SPIN, 0, SHORT_MS), -ETIMEDOUT);
	TEST_CALL(expect(RTE_COMCH_DPA_END_SPIN, -ETIMEDOUT, RTE_COMCH_DPA_NO_EU, &status));
	return down(NULL);
}

static int
test_exits(void)
{
	struct rte_comch_dpa_thread *thread;
	struct rte_comch_dpa_status status;

	TEST_EXPECT(test_dpa_start(NULL, &dpa), 0);
	TEST_EXPECT(test_dpa_deed_thread(dpa, 1, DEED_EXIT, 7, &thread), 0);
	TEST_CALL(expect(RTE_COMCH_DPA_END_EXIT, -ESHUTDOWN, RTE_COMCH_DPA_NO_EU, &status));
	TEST_EXPECT(status.value, 7);
	TEST_CALL(down(thread));
	TEST_EXPECT(test_dpa_start(NULL, &dpa), 0);
	TEST_EXPECT(test_dpa_deed_call(dpa, DEED_EXIT, 0, CALL_MS), -EIO);
	TEST_CALL(expect(RTE_COMCH_DPA_END_EXIT, -ESHUTDOWN, RTE_COMCH_DPA_NO_EU, &status));
	return down(NULL);
}

static int
test_killed(void)
{
	static const int signals[] = { SIGKILL, SIGTERM, SIGSEGV };
	struct rte_comch_dpa_status status;
	unsigned int i;
	pid_t pid;

	for (i = 0; i < RTE_DIM(signals); i++) {
		TEST_EXPECT(test_dpa_start(NULL, &dpa), 0);
		pid = test_dpa_pid();
		TEST_TRUE(pid > 0);
		TEST_EXPECT(rte_comch_dpa_status_get(dpa, &status), 0);
		TEST_EXPECT(status.pid, (uint32_t)pid);
		TEST_EXPECT(kill(pid, signals[i]), 0);
		TEST_CALL(test_dpa_failed(dpa, &status));
		TEST_EXPECT(status.signal, signals[i]);
		TEST_EXPECT(status.pid, 0); /* it may be another one's by now */
		TEST_EXPECT(status.reason, i < 2 ? -ESHUTDOWN : -EIO);
		TEST_CALL(down(NULL));
	}
	return TEST_SUCCESS;
}

/* An application that takes the status of all of its children leaves none to us. */
static int
test_reaped(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	struct rte_comch_dpa_status status;
	int ret;

	TEST_EXPECT(sigaction(SIGCHLD, &ignore, &old), 0);
	ret = test_dpa_start(NULL, &dpa);
	if (ret == 0)
		ret = test_dpa_deed_call(dpa, DEED_NULL, 0, CALL_MS);
	sigaction(SIGCHLD, &old, NULL);
	TEST_EXPECT(ret, -EIO);
	TEST_CALL(expect(RTE_COMCH_DPA_END_FAULT, -EIO, RTE_COMCH_DPA_NO_EU, &status));
	TEST_EXPECT(status.signal, SIGSEGV);
	TEST_CALL(down(NULL));
	/* and one that has left no record of its end */
	TEST_EXPECT(sigaction(SIGCHLD, &ignore, &old), 0);
	ret = test_dpa_start(NULL, &dpa);
	if (ret == 0)
		ret = test_dpa_deed_call(dpa, DEED_EXIT, 7, CALL_MS);
	sigaction(SIGCHLD, &old, NULL);
	TEST_EXPECT(ret, -EIO);
	TEST_CALL(expect(RTE_COMCH_DPA_END_EXIT, -ESHUTDOWN, RTE_COMCH_DPA_NO_EU, &status));
	TEST_EXPECT(status.signal, 0);
	TEST_EXPECT(status.value, 0);
	return down(NULL);
}

/* One that is stopped does not answer. */
static int
test_stopped(void)
{
	struct rte_comch_dpa_status status;
	pid_t pid;

	TEST_EXPECT(test_dpa_start(NULL, &dpa), 0);
	pid = test_dpa_pid();
	TEST_TRUE(pid > 0);
	TEST_EXPECT(kill(pid, SIGSTOP), 0);
	TEST_EXPECT(test_dpa_deed_call(dpa, DEED_LOG, 0, SHORT_MS), -ETIMEDOUT);
	TEST_CALL(expect(RTE_COMCH_DPA_END_SPIN, -ETIMEDOUT, RTE_COMCH_DPA_NO_EU, &status));
	TEST_CALL(down(NULL));
	/* and one that is to end is ended */
	TEST_EXPECT(test_dpa_start(NULL, &dpa), 0);
	TEST_EXPECT(kill(test_dpa_pid(), SIGSTOP), 0);
	TEST_CALL(test_dpa_end(dpa));
	return test_dpa_left_check(&left);
}

/* Whatever the host does with such a program, it gets an answer or an error. */
static int
use(uint64_t addr)
{
	struct rte_comch_dpa_status status;
	struct rte_comch_dpa_eu_info info;
	uint64_t words[16] = { 0 }, ret;
	uint32_t eu, i;
	int error;

	for (eu = 0; eu < 4; eu++) {
		TEST_EXPECT(rte_comch_dpa_eu_info_get(dpa, eu, &info), 0);
		TEST_TRUE(strnlen(info.func, sizeof(info.func)) < sizeof(info.func));
		for (i = 0; info.func[i] != '\0'; i++)
			TEST_TRUE(info.func[i] >= ' ' && info.func[i] <= '~');
		TEST_TRUE(info.error <= 0 && info.error >= -4095);
	}
	TEST_EXPECT(rte_comch_dpa_status_get(dpa, &status), 0);
	TEST_TRUE(strnlen(status.text, sizeof(status.text)) < sizeof(status.text));
	/* it may have been found out in the meantime */
	error = rte_comch_dpa_mem_read(dpa, words, addr, sizeof(words));
	TEST_TRUE(error == 0 || error == -EIO);
	error = rte_comch_dpa_mem_write(dpa, addr, words, sizeof(words));
	TEST_TRUE(error == 0 || error == -EIO);
	TEST_TRUE(rte_comch_dpa_rpc(dpa, "add", words, 2, CALL_MS, &ret) <= 0);
	return TEST_SUCCESS;
}

/* What says that a thread is there or gone is garbage too: it times out, or does not. */
static int
use_thread(uint64_t addr)
{
	const struct rte_comch_dpa_thread_conf conf = { .func = "work", .arg = addr, .eu = 1 };
	struct rte_comch_dpa_thread *thread;
	int ret;

	ret = rte_comch_dpa_thread_create(dpa, &conf, &thread);
	TEST_TRUE(ret == 0 || ret == -EIO);
	if (ret != 0)
		return TEST_SUCCESS;
	rte_comch_dpa_thread_run(thread);
	ret = rte_comch_dpa_thread_destroy(thread);
	if (ret != 0)
		TEST_EXPECT(rte_comch_dpa_thread_destroy(thread), 0);
	return TEST_SUCCESS;
}

static int
test_garbage(void)
{
	struct rte_comch_dpa_thread *thread;
	uint64_t addr, end, nb = 0;
	int round;

	test_time_limit(60);
	for (round = 0; round < 3; round++) {
		TEST_EXPECT(test_dpa_start(NULL, &dpa), 0);
		TEST_EXPECT(rte_comch_dpa_mem_alloc(dpa, 64 * KB, &addr), 0);
		TEST_EXPECT(test_dpa_deed_thread(dpa, 3, DEED_GARBAGE, 0, &thread), 0);
		end = test_now_ns() + GARBAGE_MS / 3 * UINT64_C(1000000);
		for (; test_now_ns() < end; nb++)
			TEST_CALL(use(addr));
		if (round == 2)
			TEST_CALL(use_thread(addr));
		/* killed while it writes: the record of its end is garbage as well */
		if (round == 1 && test_dpa_pid() > 0)
			kill(test_dpa_pid(), SIGKILL);
		if (rte_comch_dpa_thread_destroy(thread) != 0)
			TEST_EXPECT(rte_comch_dpa_thread_destroy(thread), 0);
		TEST_EXPECT(rte_comch_dpa_mem_free(dpa, addr), 0);
		TEST_CALL(test_dpa_end(dpa));
		TEST_CALL(test_dpa_left_check(&left));
	}
	test_note("%" PRIu64 " rounds of use beside it", nb);
	return TEST_SUCCESS;
}

static int
test_nonsense(void)
{
	static const uint64_t lens[] = { 1, 4, 15, 16, 17, 72, 199, 200, 201, 512 };
	struct rte_comch_dpa_thread *thread;
	struct rte_comch_dpa_status status;
	unsigned int i;

	for (i = 0; i < RTE_DIM(lens); i++) {
		TEST_EXPECT(test_dpa_start(NULL, &dpa), 0);
		TEST_EXPECT(test_dpa_deed_thread(dpa, 0, DEED_NONSENSE, lens[i], &thread), 0);
		/* 200 bytes are lines of a log, but for what is in them */
		if (lens[i] == 200) {
			TEST_EXPECT(test_dpa_deed_call(dpa, DEED_LOG, 1, CALL_MS), 0);
			TEST_EXPECT(rte_comch_dpa_thread_destroy(thread), 0);
			TEST_CALL(test_dpa_end(dpa));
			continue;
		}
		TEST_CALL(expect(RTE_COMCH_DPA_END_NONSENSE, -EPROTO, RTE_COMCH_DPA_NO_EU,
			&status));
		TEST_CALL(down(thread));
	}
	return TEST_SUCCESS;
}

/* Lines come at the rate of the program, and are logged at ours, without what they hide. */
static int
test_lines(void)
{
	unsigned int nb;

	test_log_restore();
	TEST_EXPECT(test_log_begin(), 0);
	TEST_EXPECT(test_dpa_start(NULL, &dpa), 0);
	rte_log_set_level_pattern("pmd.comch.shm", RTE_LOG_INFO);
	TEST_EXPECT(test_dpa_deed_call(dpa, DEED_LOG, 5000, CALL_MS), 0);
	TEST_WAIT(test_log_count("a line?[1m with") >= 1, TEST_MS);
	TEST_EXPECT(test_dpa_deed_call(dpa, DEED_LOG, 0, CALL_MS), 0);
	nb = test_log_count("a line");
	rte_log_set_level_pattern("pmd.comch.shm", RTE_LOG_NOTICE);
	TEST_TRUE(nb > 0 && nb <= 3 * 64);
	TEST_CALL(test_dpa_end(dpa));
	TEST_CALL(test_log_passed());
	test_log_end();
	return test_dpa_left_check(&left);
}

/* Many, of all kinds, one after another. */
static int
test_cycles(void)
{
	static const uint64_t deeds[] = { DEED_NULL, DEED_OPEN, DEED_EXIT, DEED_LOG };
	unsigned int i;

	for (i = 0; i < 100; i++) {
		TEST_EXPECT(test_dpa_start(NULL, &dpa), 0);
		TEST_EXPECT(test_dpa_deed_call(dpa, deeds[i % 4], 1, CALL_MS),
			i % 4 == 3 ? 0 : -EIO);
		TEST_CALL(test_dpa_end(dpa));
	}
	return test_dpa_left_check(&left);
}

static struct unit_test_suite suite = {
	.suite_name = "comch: programs of offload processors that do what they should not",
	.unit_test_cases = {
		TEST_CASE_ST(setup, test_dpa_teardown, test_faults),
		TEST_CASE_ST(setup, test_dpa_teardown, test_windows),
		TEST_CASE_ST(setup, test_dpa_teardown, test_forbidden),
		TEST_CASE_ST(setup, test_dpa_teardown, test_spins),
		TEST_CASE_ST(setup, test_dpa_teardown, test_exits),
		TEST_CASE_ST(setup, test_dpa_teardown, test_killed),
		TEST_CASE_ST(setup, test_dpa_teardown, test_reaped),
		TEST_CASE_ST(setup, test_dpa_teardown, test_stopped),
		TEST_CASE_ST(setup, test_dpa_teardown, test_garbage),
		TEST_CASE_ST(setup, test_dpa_teardown, test_nonsense),
		TEST_CASE_ST(setup, test_dpa_teardown, test_lines),
		TEST_CASE_ST(setup, test_dpa_teardown, test_cycles),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(shm_dpa_bad_autotest, unit_test_suite_runner, &suite)
