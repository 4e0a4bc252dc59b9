/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Included before all else in the build for ThreadSanitizer (devtools/test.sh). It
 * knows the compiler's atomics only, so DPDK's inline functions have to use those
 * and not fences and assembler: that is for what they do with memory of ours, and
 * changes no layout.
 */

#ifndef COMCH_TSAN_H
#define COMCH_TSAN_H

#if __has_include(<rte_config.h>) && !defined(__cplusplus)

#include <rte_config.h>

/* It takes each clone() for a fork(), and does not know the other name of the function. */
#ifdef _GNU_SOURCE
#include <sched.h>
int __clone(int (*fn)(void *arg), void *stack, int flags, void *arg, ...);
#define clone __clone
#endif

#ifndef RTE_FORCE_INTRINSICS
#define RTE_FORCE_INTRINSICS 1
#endif
#ifndef RTE_USE_C11_MEM_MODEL
#define RTE_USE_C11_MEM_MODEL 1
#endif

/* asked for by some files only after this one, when rte_compat.h has been read */
#ifndef ALLOW_INTERNAL_API
#define ALLOW_INTERNAL_API
#define COMCH_TSAN_NOT_ASKED
#endif
#include <rte_pause.h>
#ifdef COMCH_TSAN_NOT_ASKED
#undef ALLOW_INTERNAL_API
#undef COMCH_TSAN_NOT_ASKED
#endif

/*
 * A second thread that adds to a ring waits for the first with a relaxed load, then
 * releases the tail for both. Each CPU that DPDK runs on shows what the first has
 * written to whoever sees the second's tail; C11 promises that for an acquire only.
 */
#define rte_wait_until_equal_32(addr, expected, memorder) \
	rte_wait_until_equal_32(addr, expected, __ATOMIC_ACQUIRE)

#endif

#endif /* COMCH_TSAN_H */
