/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef COMCH_DPA_GUARD_H
#define COMCH_DPA_GUARD_H

/*
 * What the threads of a program may ask of the kernel once they run, and what is told to
 * the host when one of them does more, or touches what is not there. A part of
 * comch_dpa_rt.c. The host has set a wider filter before the program began, which the
 * program cannot take off: what is here is narrower, and not what the host relies on.
 */

#include <stddef.h>
#include <stdint.h>

#include <asm/unistd.h>
#include <linux/signal.h>

#include <shm_dpa_filter.h>

#include "comch_dpa_arch.h"
#include "comch_dpa_rt.h"

#define RT_NB_RULES(rules) (sizeof(rules) / sizeof((rules)[0]))
/* Of a unit: write() is for eventfds, sendto() for the log; it has no other descriptor. */
#define RT_UNIT_CALLS \
	SHM_DPA_CALL_FUTEX(__NR_futex), SHM_DPA_CALL(__NR_write), \
	SHM_DPA_CALL_IF(__NR_sendto, 0, UINT32_MAX, SHM_DPA_SOCK), \
	SHM_DPA_CALL(__NR_membarrier), SHM_DPA_CALL(__NR_rt_sigreturn), \
	SHM_DPA_CALL(__NR_restart_syscall), \
	SHM_DPA_CALL(__NR_exit), SHM_DPA_CALL(__NR_exit_group)

static const struct shm_dpa_rule rt_unit_rules[] = { RT_UNIT_CALLS };
static const struct shm_dpa_rule rt_caller_rules[] = { RT_UNIT_CALLS };
static const struct shm_dpa_rule rt_control_rules[] = {
	RT_UNIT_CALLS,
	SHM_DPA_CALL_IF(__NR_recvmsg, 0, UINT32_MAX, SHM_DPA_SOCK),
	SHM_DPA_CALL_MMAP(__NR_mmap, MAP_SHARED | MAP_FIXED),
	SHM_DPA_CALL(__NR_munmap),
	SHM_DPA_CALL(__NR_close),
	SHM_DPA_CALL(__NR_dup3),
};

/* As the kernel has it on all 64-bit machines but for the restorer, which some lack. */
struct rt_sigaction {
	void (*handler)(int signal, void *info, void *context);
	uint64_t flags;
#if defined(__x86_64__) || defined(__aarch64__)
	void (*restorer)(void);
#endif
	uint64_t mask;
};

#define RT_SA_SIGINFO 4ul
#define RT_SA_RESTORER 0x04000000ul
#define RT_SA_ONSTACK 0x08000000ul
/* Of siginfo_t. */
#define RT_INFO_ADDR 16
#define RT_INFO_CALL 24
/* Where in a block the stack of its handlers begins. */
#define RT_ALT_OFFSET 0x4000

_Noreturn static void
rt_exit(int status)
{
	for (;;)
		rt_call(__NR_exit_group, status, 0, 0, 0, 0, 0);
}

/* Only the first one is told; whoever comes later waits for the end. */
_Noreturn static void
rt_fault(uint32_t kind, uint32_t eu, uint32_t signal, uint64_t value, uint64_t pc)
{
	struct shm_dpa_fault *fault = &SHM_DPA_PROG_SEG->fault;
	static uint32_t taken;

	while (__atomic_exchange_n(&taken, 1, __ATOMIC_RELAXED) != 0)
		rt_call(__NR_futex, (long)&taken, 0 /* FUTEX_WAIT */, 1, 0, 0, 0);
	fault->eu = eu;
	fault->signal = signal;
	fault->value = value;
	fault->pc = pc;
	__atomic_store_n(&fault->kind, kind, __ATOMIC_RELEASE);
	rt_exit(128 + (int)signal);
}

/* The start failed. */
_Noreturn static inline void
rt_fail(uint32_t eu, long error)
{
	rt_fault(SHM_DPA_FAULT_SETUP, eu, 0, (uint64_t)-error, 0);
}

static void
rt_handler(int signal, void *info, void *context)
{
	uint64_t value = *(const uint64_t *)(const void *)((const uint8_t *)info + RT_INFO_ADDR);
	uint64_t pc = *(const uint64_t *)(const void *)
			((const uint8_t *)context + RT_UCONTEXT_PC);
	uint32_t kind = SHM_DPA_FAULT_SIGNAL;

	if (signal == SIGSYS) {
		kind = SHM_DPA_FAULT_CALL;
		value = *(const uint32_t *)(const void *)((const uint8_t *)info + RT_INFO_CALL);
	}
	rt_fault(kind, SHM_DPA_SELF()->eu, (uint32_t)signal, value, pc);
}

/* They end the program, and so never return. */
static void
rt_handlers(void)
{
	static const int signals[] = {
		SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS,
	};
	struct rt_sigaction action;
	uint32_t i;

	for (i = 0; i < sizeof(action); i++)
		((volatile uint8_t *)&action)[i] = 0;
	action.handler = rt_handler;
	action.flags = RT_SA_SIGINFO | RT_SA_ONSTACK;
#if defined(__x86_64__)
	/* the kernel wants one, even if nobody returns to it */
	action.flags |= RT_SA_RESTORER;
	action.restorer = (void (*)(void))(uintptr_t)rt_handler;
#endif
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		rt_call(__NR_rt_sigaction, signals[i], (long)&action, 0, 8, 0, 0);
}

/* Handlers have a stack of their own, in the block: that of the unit may be full. */
static void
rt_handlers_stack(void)
{
	uintptr_t block = (uintptr_t)SHM_DPA_SELF();
	struct {
		uint64_t sp;
		int32_t flags;
		int32_t pad;
		uint64_t size;
	} stack = { block + RT_ALT_OFFSET, 0, 0, SHM_DPA_BLOCK_GAP - RT_ALT_OFFSET };

	rt_call(__NR_sigaltstack, (long)&stack, 0, 0, 0, 0, 0);
}

/* Where the program is not confined, there is nothing to do. */
static long
rt_confine(const struct shm_dpa_rule *rules, uint32_t nb_rules)
{
	struct sock_filter ops[SHM_DPA_FILTER_LEN(16)];
	struct sock_fprog prog;

	if ((SHM_DPA_HOST_SEG->flags & SHM_DPA_HOST_F_UNCONFINED) != 0)
		return 0;
	prog.len = shm_dpa_filter_make(ops, rules, nb_rules);
	prog.filter = ops;
	return rt_call(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, (long)&prog, 0, 0, 0);
}

#endif /* COMCH_DPA_GUARD_H */
