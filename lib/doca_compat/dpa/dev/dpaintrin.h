/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DPAINTRIN_H
#define DPAINTRIN_H

/**
 * @file
 *
 * Fences and counters of programs for offload processors (DPA), by the vendor's names. The
 * processor here is a CPU, whose memory is coherent: a fence is one of C11, and the same
 * for all spaces.
 *
 * Absent are counters that no program of a user can read on this machine: cycles but on
 * x86-64, and instructions that have retired; and functions of fixed-point numbers.
 */

#include <stdint.h>

/** Kinds of accesses that a fence is between. */
enum {
	__DPA_R = 1,                  /**< Reads. */
	__DPA_W = 2,                  /**< Writes. */
	__DPA_RW = __DPA_R | __DPA_W, /**< Both. */
};

/** Spaces that a fence is for: no matter here. */
enum {
	__DPA_HEAP,   /**< Memory of the thread. */
	__DPA_MEMORY, /**< Memory of the processor. */
	__DPA_MMIO,   /**< Windows to the host's memory, and doorbells. */
	__DPA_SYSTEM, /**< All of them. */
};

/**
 * Keep accesses behind the fence from being done before those in front of it.
 *
 * @param space
 *   What is accessed, __DPA_HEAP and so on.
 * @param before
 *   Which accesses in front of it, __DPA_R and so on; a constant.
 * @param after
 *   Which accesses behind it; a constant.
 */
static inline void
__dpa_thread_fence(int space, int before, int after)
{
	(void)space;
	if ((before & __DPA_W) == 0)
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	else if ((after & __DPA_R) == 0)
		__atomic_thread_fence(__ATOMIC_RELEASE);
	else
		__atomic_thread_fence(__ATOMIC_SEQ_CST); /* a read may overtake a write */
}

/** Between accesses to memory of the processor. */
#define __dpa_thread_memory_fence(before, after) __dpa_thread_fence(__DPA_MEMORY, before, after)
/** Between accesses to doorbells. */
#define __dpa_thread_outbox_fence(before, after) __dpa_thread_fence(__DPA_MMIO, before, after)
/** Between accesses to windows. */
#define __dpa_thread_window_fence(before, after) __dpa_thread_fence(__DPA_MMIO, before, after)
/** Between all accesses. */
#define __dpa_thread_system_fence() __dpa_thread_fence(__DPA_SYSTEM, __DPA_RW, __DPA_RW)
/** Before reading what the host has written. */
#define __dpa_thread_window_read_inv() __dpa_thread_fence(__DPA_MMIO, __DPA_R, __DPA_R)
/** After writing what the host is to read. */
#define __dpa_thread_window_writeback() __dpa_thread_fence(__DPA_MMIO, __DPA_W, __DPA_W)
/** After writing what another thread is to read. */
#define __dpa_thread_memory_writeback() __dpa_thread_fence(__DPA_MEMORY, __DPA_W, __DPA_W)

/**
 * Read a clock that never goes back.
 *
 * @return
 *   Ticks of the machine's counter: the unit is the machine's.
 */
static inline uint64_t
__dpa_thread_time(void)
{
	uint64_t ticks;

#if defined(__x86_64__)
	ticks = __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
#else
	__asm__ volatile("rdtime %0" : "=r"(ticks));
#endif
	return ticks;
}

#if defined(__x86_64__)
/**
 * Read the cycles of the processor.
 *
 * @return
 *   Cycles at its nominal frequency.
 */
static inline uint64_t
__dpa_thread_cycles(void)
{
	return __builtin_ia32_rdtsc();
}
#endif

#endif /* DPAINTRIN_H */
