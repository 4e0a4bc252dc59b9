/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * How the data path touches memory that the device sees: stores to rings and
 * doorbell records, doorbells, loads of completions, and the barriers between them.
 * bluefield_wq.h and bluefield_wq_fast.h do it by these macros only, so that a test can
 * put its own in their place: that one records what is stored, and replays it in every
 * order that the barriers allow (app/test). Nothing of a queue is in here.
 *
 * The device fetches an entry when it has seen the doorbell record count it, and the
 * record when it has seen a doorbell, or when it looks by itself. So:
 *
 *   entries, barrier, record, barrier, doorbell
 *
 * The barriers are those of the drivers in the field. x86-64 keeps the order of
 * stores to memory, and of those before a store to an uncached page; what has to be
 * kept apart there is only the compiler's. On aarch64 both are "dmb oshst". Before the
 * doorbell it is rte_wmb(), as libmlx5 and mlx5 of DPDK have it: on x86-64 that is a
 * "sfence", which a page that is mapped write-combining needs.
 *
 * VFIO maps doorbell pages uncached. So there is no BlueFlame: the device learns from
 * the doorbell where the request is, and then reads it from memory. That is one more
 * round trip over PCI in the latency of a message, and as many bytes read as requests
 * have. A burst has one doorbell, so its rate suffers little.
 *
 * Of a completion the owner bit is loaded first; rte_io_rmb() keeps the rest behind it
 * (x86-64: the compiler only, aarch64: "dmb oshld"). The same keeps the loads of
 * completions before the store that gives their entries back.
 */

#ifndef BLUEFIELD_WQ_IO_H
#define BLUEFIELD_WQ_IO_H

#include <stdint.h>

#include <rte_atomic.h>
#include <rte_branch_prediction.h>
#include <rte_byteorder.h>
#include <rte_common.h>
#include <rte_io.h>
#include <rte_memcpy.h>
#include <rte_vect.h>

#include "bluefield_obj.h"

/*
 * Bytes as the device has them. DPDK's are assembly on x86-64, in which a compiler cannot
 * see that turning twice is nothing.
 */
#if RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN
#define BF_BE16(val) __builtin_bswap16(val)
#define BF_BE32(val) __builtin_bswap32(val)
#define BF_BE64(val) __builtin_bswap64(val)
#else
#define BF_BE16(val) ((uint16_t)(val))
#define BF_BE32(val) ((uint32_t)(val))
#define BF_BE64(val) ((uint64_t)(val))
#endif

/* What rings are written with, whatever they were written with before. */
typedef uint16_t __rte_may_alias bf_wq_u16;
typedef uint32_t __rte_may_alias bf_wq_u32;
typedef uint64_t __rte_may_alias bf_wq_u64;

/*
 * GCC keeps the old value of a counter beside the new one, where a loop may end early.
 * After this it does not know that they have to do with each other.
 */
#define BF_WQ_HIDE(var) asm("" : "+r"(var))

#ifndef BF_WQ_STORE16

/*
 * Stores to entries, which the compiler may merge and reorder up to the next barrier; p
 * is aligned to the size, if nothing else is said.
 */
#define BF_WQ_STORE8(p, val) (*(uint8_t *)(p) = (val))
#define BF_WQ_STORE16(p, val) (*(bf_wq_u16 *)(p) = (val))
#define BF_WQ_STORE32(p, val) (*(bf_wq_u32 *)(p) = (val))
#define BF_WQ_STORE64(p, val) (*(bf_wq_u64 *)(p) = (val))
/* A segment of 16 bytes, by its halves. */
#define BF_WQ_STORE_SEG(p, lo, hi) do { \
	((bf_wq_u64 *)(p))[0] = (lo); \
	((bf_wq_u64 *)(p))[1] = (hi); \
} while (0)
/* The same in one vector register. */
#if defined(RTE_ARCH_X86)
#define BF_WQ_STORE_VEC(p, vec) _mm_store_si128((__m128i *)(p), (vec))
#elif defined(RTE_ARCH_ARM64)
#define BF_WQ_STORE_VEC(p, vec) vst1q_u8((uint8_t *)(p), (vec))
#endif
/* 16 bytes of the application, neither of them aligned. */
#define BF_WQ_COPY16(p, from) rte_mov16((uint8_t *)(p), (const uint8_t *)(from))

/* A doorbell record, or one of completions taken. */
#define BF_WQ_RECORD(p, val) (*(volatile rte_be32_t *)(p) = (val))

/* Loads of what the device writes. Each happens once. */
#define BF_WQ_LOAD_OWNER(p) (*(const volatile uint8_t *)(p))
#define BF_WQ_LOAD8(p) (*(const volatile uint8_t *)(p))
#define BF_WQ_LOAD16(p) (*(const volatile uint16_t *)(p))
#define BF_WQ_LOAD32(p) (*(const volatile uint32_t *)(p))

/* Entries before the record that counts them. */
#define BF_WQ_BEFORE_RECORD() rte_io_wmb()
/* The record before the doorbell. */
#define BF_WQ_BEFORE_DOORBELL() rte_wmb()
/* The owner bit before the completion. */
#define BF_WQ_AFTER_OWNER() rte_io_rmb()
/* The completions before the record that gives their entries back. */
#define BF_WQ_BEFORE_COMMIT() rte_io_rmb()

/* Behind a barrier, by the CPU if it has a pointer to the page. */
#define BF_WQ_DOORBELL(uar, off, val) bf_wq_doorbell((uar), (off), (val))

#endif

static inline void
bf_wq_doorbell(const struct bf_uar *uar, uint32_t off, rte_be64_t val)
{
	if (likely(uar->page != NULL))
		rte_write64_relaxed(val, (volatile uint8_t *)uar->page + off);
	else
		uar->obj.dev->ops->doorbell(&uar->obj, off, val);
}

#endif
