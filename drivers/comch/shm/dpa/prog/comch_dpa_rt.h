/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef COMCH_DPA_RT_H
#define COMCH_DPA_RT_H

/*
 * What the runtime of a program gives to rte_comch_dpa_target.h, which is compiled into the
 * program beside it. Freestanding: no libc. Programs include rte_comch_dpa_dev.h only.
 *
 * A test that plays the program in its own process replaces the macros.
 */

#include <stdint.h>

#include <shm_dpa_wire.h>

/*
 * Each unit has a block: its own structure, the stack of its signal handlers, a gap, and
 * its stack. So the stack pointer tells the unit, without thread-local storage.
 */
#define SHM_DPA_BLOCK_SIZE UINT64_C(0x40000)
#define SHM_DPA_BLOCK_GAP UINT64_C(0x10000)   /* where the gap begins: the largest page */
#define SHM_DPA_BLOCK_STACK UINT64_C(0x20000) /* where the stack ends, which grows down */

/* At the start of a block. */
struct shm_dpa_self {
	uint32_t eu;       /* index into the arrays of HOST and PROG */
	uint32_t finished; /* its thread does not run any more */
};

/* A function of the program. */
struct comch_dpa_rt_func {
	const char *name;
	uint64_t kind; /* SHM_DPA_FUNC_* */
	union {
		void (*thread)(uint64_t arg);
		uint64_t (*rpc)(const uint64_t *args);
	};
};

#define COMCH_DPA_RT_UNUSED __attribute__((unused)) /* check-ok: freestanding */
#define COMCH_DPA_RT_ENTRY \
	__attribute__((section("comch_dpa_funcs"), used)) /* check-ok: freestanding */

/* Pointers are in the section: compilers leave gaps between structures there. */
#define COMCH_DPA_RT_FUNC(func) \
	COMCH_DPA_RT_ENTRY \
	static const struct comch_dpa_rt_func *const comch_dpa_rt_entry_##func = \
		&comch_dpa_rt_##func

/* Define a thread function, whose body follows. */
#define COMCH_DPA_RT_THREAD(func) \
	static void func(uint64_t arg); \
	static const struct comch_dpa_rt_func comch_dpa_rt_##func = { \
		.name = #func, .kind = SHM_DPA_FUNC_THREAD, .thread = func \
	}; \
	COMCH_DPA_RT_FUNC(func); \
	static void func(uint64_t arg COMCH_DPA_RT_UNUSED)

/* Define a function for calls of the host, whose body follows. */
#define COMCH_DPA_RT_RPC(func) \
	static uint64_t func(const uint64_t *args); \
	static const struct comch_dpa_rt_func comch_dpa_rt_##func = { \
		.name = #func, .kind = SHM_DPA_FUNC_RPC, .rpc = func \
	}; \
	COMCH_DPA_RT_FUNC(func); \
	static uint64_t func(const uint64_t *args COMCH_DPA_RT_UNUSED)

#ifndef SHM_DPA_SELF
#define SHM_DPA_SELF() comch_dpa_rt_self()
static inline struct shm_dpa_self *
comch_dpa_rt_self(void)
{
	uintptr_t sp;

#if defined(__x86_64__)
	__asm__("mov %%rsp, %0" : "=r"(sp));
#elif defined(__aarch64__)
	__asm__("mov %0, sp" : "=r"(sp));
#elif defined(__riscv) && __riscv_xlen == 64
	__asm__("mv %0, sp" : "=r"(sp));
#else
#error "no runtime for this instruction set"
#endif
	return (struct shm_dpa_self *)(sp & ~(uintptr_t)(SHM_DPA_BLOCK_SIZE - 1));
}
#endif

#ifndef SHM_DPA_HOST_SEG
#define SHM_DPA_HOST_SEG ((const struct shm_dpa_host *)(uintptr_t)SHM_DPA_HOST_ADDR)
#endif
#ifndef SHM_DPA_PROG_SEG
#define SHM_DPA_PROG_SEG ((struct shm_dpa_prog *)(uintptr_t)SHM_DPA_PROG_ADDR)
#endif

/* Wake the engine of a poll group. */
void comch_dpa_rt_group_wake(uint32_t group);
/* The thread of this unit does not run any more after it has returned. */
void comch_dpa_rt_finish(void);
/* A line for the log of the host; dropped if there is no room. */
void comch_dpa_rt_log(const char *text, uint32_t len);

#endif /* COMCH_DPA_RT_H */
