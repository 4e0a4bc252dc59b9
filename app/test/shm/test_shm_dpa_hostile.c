/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Offload processors, and a program that has no runtime: what the host alone keeps it from.
 * It makes system calls of its choice, takes memory, and does not do what it is asked to.
 */

#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shm_dpa_wire.h"

#include "dpa/test_dpa_hostile.h"
#include "test_bluefield_model.h"
#include "test_shm_dpa.h"

#define CALL_MS 2000
#define NB_ARGS 6
/* More than the host waits, and less than it would for 20 objects. */
#define INSIDE_MS 6000
/* Where nothing of a program is. */
#define NOWHERE 0x3000000000ul
#define GB (1ul << 30)
/* clone() as the runtime calls it. */
#define THREAD_FLAGS \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)

static struct rte_comch_dpa *dpa;

static int
start(void)
{
	char program[PATH_MAX + 64];
	const struct rte_comch_dpa_conf conf = { .program = program };

	/* whoever asks for another path has the same memory */
	snprintf(program, sizeof(program), "%s", test_dpa_program("-hostile"));
	return test_dpa_start(&conf, &dpa);
}

static int
setup(void)
{
	TEST_CALL(test_dpa_setup());
	test_log_quiet();
	return TEST_SUCCESS;
}

/* It makes a system call; *ret is what that returned. */
static int
call(const uint64_t *args, int64_t *ret)
{
	return rte_comch_dpa_rpc(dpa, "call", args, NB_ARGS, CALL_MS, (uint64_t *)ret);
}

/* A call that the filter of the host does not let through. */
static int
forbidden(const uint64_t *args)
{
	struct rte_comch_dpa_status status;
	int64_t ret;

	TEST_EXPECT(start(), 0);
	TEST_EXPECT(call(args, &ret), -EIO);
	TEST_CALL(test_dpa_failed(dpa, &status));
	TEST_ASSERT(status.end == RTE_COMCH_DPA_END_CALL, "call %u: end %d: %s",
		(unsigned int)args[0], status.end, status.text);
	TEST_EXPECT(status.reason, -EPERM);
	return test_dpa_end(dpa);
}

/* One that the kernel refuses. */
static int
refused(const uint64_t *args, int error)
{
	int64_t ret = 0;

	TEST_EXPECT(start(), 0);
	TEST_EXPECT(call(args, &ret), 0);
	TEST_ASSERT(ret == error, "call %u: %d, not %d", (unsigned int)args[0], (int)ret, error);
	return test_dpa_end(dpa);
}

/* The numbers and arguments that come near to what is allowed. */
static int
test_calls(void)
{
	static const uint64_t calls[][NB_ARGS] = {
		{ SYS_kill, 1 },
		{ SYS_tgkill, 1, 1 },
		{ SYS_openat, -100ul, 0, 0 },
		{ SYS_mprotect, NOWHERE, 4096, PROT_EXEC },
		{ SYS_mremap, NOWHERE, 4096, 8192, 1 },
		{ SYS_dup, SHM_DPA_SOCK },
		{ SYS_sendmsg, SHM_DPA_SOCK },
		{ SYS_recvmsg, 0 },
		{ SYS_prctl, 1 /* PR_SET_PDEATHSIG */, 0 },
		{ SYS_execveat, SHM_DPA_SOCK, 0, 0, 0, 0x1000 },
		{ SYS_clone, SIGCHLD },
		{ SYS_clone, THREAD_FLAGS | CLONE_PARENT },
		{ SYS_clone, THREAD_FLAGS & ~CLONE_FILES },
		{ SYS_getpid | 0x40000000 }, /* of another instruction set */
		{ SYS_futex, SHM_DPA_PROG_ADDR, 6 /* FUTEX_LOCK_PI */ },
		{ SYS_futex, SHM_DPA_PROG_ADDR, 2 /* FUTEX_FD */ },
		{ SYS_seccomp, 1, 8 /* SECCOMP_FILTER_FLAG_NEW_LISTENER */, 0 },
		{ SYS_mmap, NOWHERE, 4096, PROT_READ | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1ul },
	};
	unsigned int i;

	for (i = 0; i < RTE_DIM(calls); i++)
		TEST_CALL(forbidden(calls[i]));
	return TEST_SUCCESS;
}

/* Another file than its own: with an absolute path, the descriptor counts nothing. */
static int
test_exec(void)
{
	const uint64_t args[NB_ARGS] = { SYS_execveat, 250, SHM_DPA_PROG_ADDR };
	uint64_t poke[] = { SHM_DPA_PROG_ADDR, 0 }, value;
	struct rte_comch_dpa_status status;
	int64_t ret;

	memcpy(&poke[1], "/nofile", sizeof(poke[1]));
	TEST_EXPECT(start(), 0);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, "poke", poke, RTE_DIM(poke), CALL_MS, &value), 0);
	TEST_EXPECT(call(args, &ret), -EIO);
	TEST_CALL(test_dpa_failed(dpa, &status));
	TEST_EXPECT(status.end, RTE_COMCH_DPA_END_CALL);
	return test_dpa_end(dpa);
}

/*
 * Memory that no limit of a process is for: shared, of huge pages, or that grows; and more
 * than the limits that there are.
 */
static int
test_memory(void)
{
	static const uint64_t shared[] = {
		SYS_mmap, NOWHERE, GB, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1ul,
	}, huge[] = {
		SYS_mmap, NOWHERE, GB, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_HUGETLB, -1ul,
	}, grows[] = {
		SYS_mmap, NOWHERE, GB, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_GROWSDOWN, -1ul,
	}, data[] = {
		SYS_mmap, NOWHERE, 256ul << 20, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1ul,
	}, addrs[] = {
		SYS_mmap, NOWHERE, 256 * GB, PROT_READ,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1ul,
	};

	TEST_CALL(forbidden(shared));
	TEST_CALL(forbidden(huge));
	TEST_CALL(forbidden(grows));
	TEST_CALL(refused(data, -ENOMEM));
	return refused(addrs, -ENOMEM);
}

/* The CPUs of this process, to which a program of root could send all of its threads. */
static int
test_affinity(void)
{
	uint64_t args[NB_ARGS] = {
		SYS_sched_setaffinity, getpid(), sizeof(uint64_t), SHM_DPA_HOST_ADDR,
	};
	cpu_set_t before, after;

	TEST_EXPECT(sched_getaffinity(0, sizeof(before), &before), 0);
	TEST_CALL(forbidden(args));
	args[1] = 0; /* of its own thread: the host names its CPUs */
	TEST_CALL(forbidden(args));
	TEST_EXPECT(sched_getaffinity(0, sizeof(after), &after), 0);
	TEST_TRUE(CPU_EQUAL(&before, &after));
	return TEST_SUCCESS;
}

/* The descriptor that it has of what the host writes. */
static int
test_host_segment(void)
{
	static const uint64_t write[] = {
		SYS_mmap, NOWHERE, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, 0,
	};

	return refused(write, -EACCES);
}

/* Messages without a byte: they must not keep a thread of the host busy for ever. */
static int
test_empty(void)
{
	const uint64_t args[] = { UINT32_MAX, 0 };
	struct rte_comch_dpa_status status;
	uint64_t ret;

	TEST_EXPECT(start(), 0);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, "send", args, RTE_DIM(args), CALL_MS, &ret), -EIO);
	TEST_CALL(test_dpa_failed(dpa, &status));
	TEST_EXPECT(status.end, RTE_COMCH_DPA_END_NONSENSE);
	TEST_EXPECT(status.reason, -EPROTO);
	return test_dpa_end(dpa);
}

/* It says that it keeps a window: that is no reason for the application to keep its region. */
static int
test_window_kept(void)
{
	const uint64_t args[] = { 1 };
	struct rte_comch_dpa_window *window;
	struct rte_comch_dpa_status status;
	struct rte_comch_mem *mem;
	uint64_t ret;

	TEST_EXPECT(start(), 0);
	TEST_EXPECT(rte_comch_mem_alloc(test_pair.dpu, 4096, RTE_COMCH_MEM_F_DPA, &mem), 0);
	TEST_EXPECT(rte_comch_dpa_window_create(dpa, mem, RTE_COMCH_DPA_WINDOW_F_ALL, &window), 0);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, "refuse", args, RTE_DIM(args), CALL_MS, &ret), 0);
	TEST_EXPECT(rte_comch_dpa_window_destroy(window), -ETIMEDOUT);
	TEST_EXPECT(rte_comch_dpa_window_destroy(window), 0);
	TEST_CALL(test_dpa_failed(dpa, &status));
	TEST_EXPECT(status.end, RTE_COMCH_DPA_END_NONSENSE);
	TEST_EXPECT(rte_comch_mem_free(mem), 0);
	return test_dpa_end(dpa);
}

/*
 * It says that it is in a device function, for ever: the host waits for that now and then,
 * but not for each object.
 */
static int
test_inside(void)
{
	const struct rte_comch_dpa_completion_conf conf = {
		.type = RTE_COMCH_DPA_COMPLETION_CONSUMER, .depth = 16,
	};
	const uint64_t args[] = {
		SHM_DPA_PROG_ADDR + offsetof(struct shm_dpa_prog, eus[0].looks), 1,
	};
	struct rte_comch_dpa_completion *comps[20];
	struct test_dpa_left left;
	struct rte_comch_dpa_status status;
	uint64_t ret, begin;
	unsigned int i;

	test_dpa_left_get(&left);
	TEST_EXPECT(start(), 0);
	for (i = 0; i < RTE_DIM(comps); i++)
		TEST_EXPECT(rte_comch_dpa_completion_create(dpa, &conf, &comps[i]), 0);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, "poke", args, RTE_DIM(args), CALL_MS, &ret), 0);
	begin = test_now_ns();
	for (i = 0; i < RTE_DIM(comps); i++)
		TEST_EXPECT(rte_comch_dpa_completion_destroy(comps[i]), 0);
	TEST_ASSERT(test_now_ns() - begin < INSIDE_MS * UINT64_C(1000000), "%u ms",
		(unsigned int)((test_now_ns() - begin) / 1000000));
	TEST_CALL(test_dpa_failed(dpa, &status));
	TEST_EXPECT(status.end, RTE_COMCH_DPA_END_SPIN);
	TEST_CALL(test_dpa_end(dpa));
	return test_dpa_left_check(&left); /* what was kept ended with it */
}

/* Threads beyond those that units are: the filter cannot count them, the host does. */
static int
test_threads(void)
{
	const uint64_t args[] = { 500 };
	struct rte_comch_dpa_status status;
	uint64_t ret = 0;
	int error;

	TEST_EXPECT(start(), 0);
	/* it may be found out before it has them all */
	error = rte_comch_dpa_rpc(dpa, "threads", args, RTE_DIM(args), CALL_MS, &ret);
	TEST_TRUE(error == -EIO || (error == 0 && ret > 2));
	TEST_CALL(test_dpa_failed(dpa, &status));
	TEST_EXPECT(status.end, RTE_COMCH_DPA_END_NONSENSE);
	TEST_EXPECT(status.reason, -EPROTO);
	return test_dpa_end(dpa);
}

static struct unit_test_suite suite = {
	.suite_name = "comch: a program of an offload processor without its runtime",
	.unit_test_cases = {
		TEST_CASE_ST(setup, test_dpa_teardown, test_calls),
		TEST_CASE_ST(setup, test_dpa_teardown, test_exec),
		TEST_CASE_ST(setup, test_dpa_teardown, test_memory),
		TEST_CASE_ST(setup, test_dpa_teardown, test_affinity),
		TEST_CASE_ST(setup, test_dpa_teardown, test_host_segment),
		TEST_CASE_ST(setup, test_dpa_teardown, test_empty),
		TEST_CASE_ST(setup, test_dpa_teardown, test_window_kept),
		TEST_CASE_ST(setup, test_dpa_teardown, test_inside),
		TEST_CASE_ST(setup, test_dpa_teardown, test_threads),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(shm_dpa_hostile_autotest, unit_test_suite_runner, &suite)
