/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The step from this process to one that it starts, for a program of the offload processor
 * or for the broker: what the process has when its first instruction runs. One descriptor,
 * no environment, no rights that it could gain, and for a program the system calls in the
 * table below.
 *
 * The child shares the memory of this process until it executes the program, and the
 * caller waits for that: nothing is copied, so that no page on which a device works changes
 * its place. It only makes system calls, and those by syscall(): functions of the C library
 * may have locks, and sanitizers have wrappers around them.
 */

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include <rte_common.h>
#include <rte_random.h>

#include "comch_shm.h"
#include "shm_dpa_wire.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x00001000
#endif

/*
 * Where the child has the program's file while it executes it. Beyond what the program may
 * have: it never has a descriptor of that number, which it could execute.
 */
#define EXEC_FD 250
/* Addresses of the empty path of which one is taken: a power of two. */
#define EXEC_NOTHING (64u << 10)
/* Memory of its own that a program may have, its variables and stacks; its first stack. */
#define EXEC_MAX_DATA (256ul << 20)
#define EXEC_MAX_STACK (1ul << 20)
/* Addresses, which cost tables of pages even where there is no memory; until it is looked at. */
#define EXEC_MAX_ADDRS SHM_DPA_WINDOW_END
#define EXEC_FIRST_ADDRS (4ul << 30)
#define EXEC_STACK_SIZE (64u << 10)
#define EXEC_STACK_ALIGN 64
#define EXEC_NB_SIGNALS 64
/* What the system call getpriority says of a process without a priority. */
#define EXEC_NICE_0 20

#define EXEC_THREAD_FLAGS \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)

/*
 * The filter of system calls (seccomp)
 */

#if defined(__x86_64__)
#define EXEC_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define EXEC_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define EXEC_ARCH AUDIT_ARCH_RISCV64
#endif

/* What an argument has to be: its low half, masked, is a value. A mask of 0: anything. */
struct exec_cond {
	uint32_t arg;
	uint32_t mask;
	uint32_t value;
};

#define EXEC_NB_CONDS 2

/* A call that is allowed, if all conditions hold. */
struct exec_rule {
	uint32_t nr;
	struct exec_cond conds[EXEC_NB_CONDS];
	uint32_t once; /* not 0: with other arguments it ends the process, which may not guess */
};

/* A call with any arguments; with one of a value; and with two. */
#define EXEC_CALL(nr) { nr, { { 0, 0, 0 }, { 0, 0, 0 } }, 0 }
#define EXEC_CALL_IF(nr, arg, mask, value) \
	{ nr, { { arg, mask, value }, { 0, 0, 0 } }, 0 }
#define EXEC_CALL_IF2(nr, arg, mask, value, arg2, mask2, value2) \
	{ nr, { { arg, mask, value }, { arg2, mask2, value2 } }, 0 }
/*
 * mmap() with just these flags, and no page that is executable. What is shared is a file
 * then, and what is anonymous is private: else it would not count as data of the process,
 * whose limit is all that keeps it from taking the memory of the machine.
 */
#define EXEC_CALL_MMAP(nr, flags) \
	EXEC_CALL_IF2(nr, 2, 4 /* PROT_EXEC */, 0, 3, UINT32_MAX, flags)
/* futex() to wait and to wake, which are 0 and 1; others reach into threads of others. */
#define EXEC_CALL_FUTEX(nr) EXEC_CALL_IF(nr, 1, ~1u, 0)
/* Instructions of a rule, and of the frame. */
#define EXEC_RULE_LEN (3 + EXEC_NB_CONDS * 3)
#define EXEC_FRAME_LEN 5
#define EXEC_FILTER_LEN(nb_rules) ((nb_rules) * EXEC_RULE_LEN + EXEC_FRAME_LEN)

#ifdef EXEC_ARCH
/* What the runtime of a program needs. */
static const struct exec_rule exec_rules[] = {
	EXEC_CALL_IF(SYS_recvmsg, 0, UINT32_MAX, SHM_DPA_SOCK),
	EXEC_CALL_IF(SYS_sendto, 0, UINT32_MAX, SHM_DPA_SOCK),
	EXEC_CALL_MMAP(SYS_mmap, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED),
	EXEC_CALL_MMAP(SYS_mmap, MAP_SHARED | MAP_FIXED),
	EXEC_CALL_IF(SYS_clone, 0, UINT32_MAX, EXEC_THREAD_FLAGS),
	EXEC_CALL_IF(SYS_prctl, 0, UINT32_MAX, PR_SET_NAME),
	EXEC_CALL(SYS_munmap),
	EXEC_CALL(SYS_close),
	EXEC_CALL(SYS_dup3),
	EXEC_CALL_FUTEX(SYS_futex),
	EXEC_CALL(SYS_write), /* to eventfds: there is no other file */
	EXEC_CALL(SYS_membarrier),
	EXEC_CALL(SYS_rt_sigaction),
	EXEC_CALL(SYS_rt_sigprocmask),
	EXEC_CALL(SYS_rt_sigreturn),
	EXEC_CALL(SYS_sigaltstack),
	EXEC_CALL(SYS_restart_syscall),
	EXEC_CALL(SYS_sched_yield),
	EXEC_CALL(SYS_exit_group),
};

static struct sock_filter
filter_op(uint16_t code, uint32_t k, uint8_t jt, uint8_t jf)
{
	return (struct sock_filter){ code, jt, jf, k };
}

/* Instructions of the conditions that there are. */
static uint8_t
filter_conds(const struct exec_rule *rule)
{
	uint8_t n = 0, i;

	for (i = 0; i < EXEC_NB_CONDS; i++)
		n += rule->conds[i].mask != 0 ? 3 : 0;
	return n;
}

/* A rule, which has the number of the call before it and after it; how many instructions. */
static uint16_t
filter_rule(struct sock_filter *ops, const struct exec_rule *rule)
{
	const uint16_t load = BPF_LD | BPF_W | BPF_ABS, is = BPF_JMP | BPF_JEQ | BPF_K;
	uint8_t left = filter_conds(rule);
	const struct exec_cond *cond;
	uint16_t n = 0, i;

	ops[n++] = filter_op(is, rule->nr, 0, left + 2);
	for (i = 0; i < EXEC_NB_CONDS; i++) {
		cond = &rule->conds[i];
		if (cond->mask == 0)
			continue;
		left -= 3;
		ops[n++] = filter_op(load, offsetof(struct seccomp_data, args) +
			cond->arg * sizeof(uint64_t), 0, 0);
		ops[n++] = filter_op(BPF_ALU | BPF_AND | BPF_K, cond->mask, 0, 0);
		ops[n++] = filter_op(is, cond->value, 0, left + 1);
	}
	ops[n++] = filter_op(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
	if (rule->once != 0)
		ops[n++] = filter_op(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
	else
		ops[n++] = filter_op(load, offsetof(struct seccomp_data, nr), 0, 0);
	return n;
}

/*
 * Write the filter, EXEC_FILTER_LEN() instructions at most. What is not allowed is a
 * SIGSYS; a call of another architecture, of which the numbers mean nothing here, too.
 */
static uint16_t
filter_make(struct sock_filter *ops, const struct exec_rule *rules, uint32_t nb)
{
	const uint16_t load = BPF_LD | BPF_W | BPF_ABS, is = BPF_JMP | BPF_JEQ | BPF_K;
	uint16_t n = 0;
	uint32_t i;

	ops[n++] = filter_op(load, offsetof(struct seccomp_data, arch), 0, 0);
	ops[n++] = filter_op(is, EXEC_ARCH, 1, 0);
	ops[n++] = filter_op(BPF_RET | BPF_K, SECCOMP_RET_TRAP, 0, 0);
	ops[n++] = filter_op(load, offsetof(struct seccomp_data, nr), 0, 0);
	for (i = 0; i < nb; i++)
		n += filter_rule(&ops[n], &rules[i]);
	ops[n++] = filter_op(BPF_RET | BPF_K, SECCOMP_RET_TRAP, 0, 0);
	return n;
}
#endif

/*
 * The child
 */

/* What the child needs, made before there is one. */
struct exec_child {
	struct shm_launch *launch;
	pid_t parent;
	const char *argv[3];
	const char *envp[1];
	char nothing[EXEC_NOTHING]; /* zero */
	const char *path; /* somewhere in it */
	bool limits; /* a runner takes what it needs */
	bool filtered;
#ifdef EXEC_ARCH
	struct exec_rule rules[RTE_DIM(exec_rules) + 1];
	struct sock_filter ops[EXEC_FILTER_LEN(RTE_DIM(exec_rules) + 1)];
	struct sock_fprog prog;
#endif
};

/* Without effects on us: the child has tables of its own. */
static long
exec_signals(void)
{
	const uint64_t action[4] = { 0 }, mask = 0; /* SIG_DFL */
	int i;

	for (i = 1; i <= EXEC_NB_SIGNALS; i++)
		if (i != SIGKILL && i != SIGSTOP)
			syscall(SYS_rt_sigaction, i, action, NULL, sizeof(mask));
	return syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
}

/*
 * Its end with ours, and no keys of a terminal that would end it. A session of its own would do
 * that, too, but the scheduler makes a group of each: one that is new waited for 100 ms and
 * more, where others keep all cores busy.
 */
static long
exec_ties(const struct exec_child *child)
{
	if (syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
		return -1;
	/* or this process has ended before */
	if (syscall(SYS_getppid) != child->parent)
		syscall(SYS_exit_group, 127);
	return syscall(SYS_setpgid, 0, 0);
}

/* The socket, and the program's file until it is executed. */
static long
exec_fds(const struct exec_child *child)
{
	const int exe = child->launch->exe;
	int sock = child->launch->sock;

	/* either may be where the other is to be, or where it is to be itself */
	if (sock == EXEC_FD)
		sock = syscall(SYS_fcntl, sock, F_DUPFD_CLOEXEC, EXEC_FD + 1);
	if (sock < 0 || (exe != EXEC_FD && syscall(SYS_dup3, exe, EXEC_FD, O_CLOEXEC) < 0))
		return -1;
	if (sock == SHM_DPA_SOCK)
		syscall(SYS_fcntl, SHM_DPA_SOCK, F_SETFD, 0);
	else if (syscall(SYS_dup3, sock, SHM_DPA_SOCK, 0) < 0)
		return -1;
	if (syscall(SYS_close_range, 0, SHM_DPA_SOCK - 1, 0) != 0 ||
			syscall(SYS_close_range, SHM_DPA_SOCK + 1, EXEC_FD - 1, 0) != 0)
		return -1;
	return syscall(SYS_close_range, EXEC_FD + 1, UINT32_MAX, 0);
}

/*
 * As any process: an application may have a policy for real time or a priority of its own, by
 * which what it starts would take the CPUs from its lcores.
 */
static long
exec_schedule(void)
{
	const struct sched_param param = { 0 };
	const long policy = syscall(SYS_sched_getscheduler, 0) & ~SCHED_RESET_ON_FORK;

	if (policy >= 0 && policy != SCHED_OTHER && policy != SCHED_BATCH && policy != SCHED_IDLE &&
			syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &param) != 0)
		return -1;
	/* as the kernel has it: 20 less the priority */
	if (syscall(SYS_getpriority, PRIO_PROCESS, 0) > EXEC_NICE_0)
		return syscall(SYS_setpriority, PRIO_PROCESS, 0, 0);
	return 0;
}

static long
exec_limit_to(int resource, uint64_t value, uint64_t max)
{
	const struct rlimit limit = { .rlim_cur = value, .rlim_max = max };

	return syscall(SYS_prlimit64, 0, resource, &limit, NULL);
}

static long
exec_limit(int resource, uint64_t value)
{
	return exec_limit_to(resource, value, value);
}

static long
exec_limits(const struct exec_child *child)
{
	/* with 0 a pipe still gets the core; with 1, which not all may have, nobody does */
	if ((exec_limit(RLIMIT_CORE, 1) != 0 && exec_limit(RLIMIT_CORE, 0) != 0) ||
			exec_limit(RLIMIT_NOFILE, child->launch->max_fds) != 0)
		return -1;
	if (!child->limits)
		return 0;
	/* to memory that it has a descriptor of, a write could add pages */
	if (exec_limit(RLIMIT_FSIZE, 0) != 0 || exec_limit(RLIMIT_DATA, EXEC_MAX_DATA) != 0 ||
			exec_limit(RLIMIT_STACK, EXEC_MAX_STACK) != 0)
		return -1;
	return exec_limit_to(RLIMIT_AS, EXEC_FIRST_ADDRS, EXEC_MAX_ADDRS);
}

static long
exec_confine(const struct exec_child *child)
{
	if (syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
#ifdef EXEC_ARCH
	if (child->filtered)
		return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &child->prog);
#endif
	return 0;
}

static long
exec_program(const struct exec_child *child)
{
	if (child->launch->runner != NULL)
		return syscall(SYS_execve, child->launch->runner, child->argv, child->envp);
	return syscall(SYS_execveat, EXEC_FD, child->path, child->argv, child->envp, AT_EMPTY_PATH);
}

/* In the child. The order matters: what is forbidden last must not be needed after it. */
static int
exec_main(void *arg)
{
	struct exec_child *child = arg;
	struct shm_launch *launch = child->launch;

	launch->what = "tie it to this process";
	if (exec_ties(child) < 0)
		goto fail;
	launch->what = "take real time and priority from it";
	if (exec_schedule() < 0)
		goto fail;
	launch->what = "set its descriptors";
	if (exec_fds(child) < 0)
		goto fail;
	launch->what = "limit it";
	if (exec_limits(child) < 0)
		goto fail;
	launch->what = "set its signals";
	if (exec_signals() < 0)
		goto fail;
	launch->what = NULL; /* confine it */
	if (exec_confine(child) < 0)
		goto fail;
	launch->what = "execute it";
	exec_program(child);
fail:
	launch->error = -errno;
	syscall(SYS_exit_group, 127);
	return 0;
}

static void
exec_child_init(struct exec_child *child, struct shm_launch *launch)
{
	memset(child, 0, sizeof(*child));
	child->launch = launch;
	child->parent = getpid();
	child->argv[0] = launch->runner != NULL ? launch->runner : launch->name;
	if (launch->runner != NULL)
		child->argv[1] = launch->program;
	child->path = &child->nothing[rte_rand() & (EXEC_NOTHING - 1)];
	child->limits = launch->runner == NULL;
#ifdef EXEC_ARCH
	child->filtered = launch->confined;
	memcpy(child->rules, exec_rules, sizeof(exec_rules));
	/*
	 * The filter has to let the child through, and so the program. With an absolute path
	 * the descriptor counts nothing: all files could be looked for and executed. So the
	 * path has to be at an address that the program does not know.
	 */
	child->rules[RTE_DIM(exec_rules)] = (struct exec_rule)
		EXEC_CALL_IF2(SYS_execveat, 0, UINT32_MAX, EXEC_FD, 1, UINT32_MAX,
			(uint32_t)(uintptr_t)child->path);
	child->rules[RTE_DIM(exec_rules)].once = 1;
	child->prog.len = filter_make(child->ops, child->rules,
			RTE_DIM(child->rules));
	child->prog.filter = child->ops;
#endif
}

/* Signals wait meanwhile: a handler of ours must not run in the child. */
static pid_t
exec_clone(struct exec_child *child, int *pidfd)
{
	sigset_t all, old;
	void *stack;
	pid_t pid;
	int error;

	/*
	 * The child never leaves it in order, so AddressSanitizer goes on to take it for the
	 * stack of somebody: only free() makes it forget, and munmap() does not.
	 */
	stack = aligned_alloc(EXEC_STACK_ALIGN, EXEC_STACK_SIZE);
	if (stack == NULL)
		return -ENOMEM;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old); /* check-ok: EAL has none */
	pid = clone(exec_main, RTE_PTR_ADD(stack, EXEC_STACK_SIZE),
			CLONE_VM | CLONE_VFORK | CLONE_PIDFD, child, pidfd);
	error = errno;
	pthread_sigmask(SIG_SETMASK, &old, NULL); /* check-ok: EAL has none */
	free(stack);
	return pid >= 0 ? pid : -error;
}

int
shm_exec(struct shm_launch *launch, pid_t *pid, int *pidfd)
{
	struct exec_child *child;

#ifndef EXEC_ARCH
	if (launch->confined)
		return -EPERM;
#endif
	child = malloc(sizeof(*child));
	*pid = -ENOMEM;
	if (child != NULL) {
		exec_child_init(child, launch);
		*pid = exec_clone(child, pidfd);
		free(child);
	}
	if (*pid < 0) {
		launch->what = "make its process";
		return *pid;
	}
	if (launch->error == 0)
		return 0;
	waitpid(*pid, NULL, __WALL);
	close(*pidfd);
	*pidfd = -1;
	/* without a system call there is no reason to run it */
	if (launch->what == NULL)
		return -EPERM;
	return launch->error;
}
