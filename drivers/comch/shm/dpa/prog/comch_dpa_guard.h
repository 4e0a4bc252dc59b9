/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef COMCH_DPA_GUARD_H
#define COMCH_DPA_GUARD_H

/*
 * What is told to the host when a thread of a program asks of the kernel what it may not,
 * or touches what is not there. A part of comch_dpa_rt.c. What it may ask is in the filter
 * that the host has set before the program began.
 */

#include <stddef.h>
#include <stdint.h>

#include <asm/unistd.h>
#include <linux/signal.h>

#include "comch_dpa_arch.h"
#include "comch_dpa_rt.h"

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

#endif /* COMCH_DPA_GUARD_H */
