/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef SHM_COPY_H
#define SHM_COPY_H

/*
 * How a producer copies the bytes of a message to where the consumer reads them. What
 * is copied, and when the consumer hears of it, is not here.
 */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rte_memcpy.h>

/* Bytes up to which a copy takes no call. */
#define SHM_INLINE_COPY 64
/*
 * Bytes from which on a copy may go past the caches. Smaller copies were faster that way
 * where the two CPUs share no cache, and slower where they do; no trial of them was measured.
 */
#define SHM_LARGE_COPY (32u << 10)

/* Only x86 has stores that need not ask for a line; others have hints at best. */
#ifdef RTE_ARCH_X86
#define SHM_STREAMS 1
#else
#define SHM_STREAMS 0
#endif

/* Copies that are timed for a comparison. */
#define SHM_COPY_TIMED 8
/* Copies until the first trial, for which new memory would say nothing. */
#define SHM_COPY_FIRST 256

/* Which way the large copies of one producer go, to all its consumers. */
struct shm_copy_way {
	bool cached;    /* by memcpy(), not past the caches */
	bool trial;     /* it is the other way, for a while */
	uint8_t faster; /* of the last copies of the trial */
	uint8_t slow;   /* of all copies of the trial */
	uint32_t left;  /* copies until a trial begins or ends */
	float cost[SHM_COPY_TIMED]; /* ticks for a byte, of the copies before a trial */
};

static inline void
shm_copy_way_init(struct shm_copy_way *way)
{
	*way = (struct shm_copy_way) { .left = SHM_COPY_FIRST };
}

/* Copy SHM_LARGE_COPY bytes or more. A release store behind it publishes them. */
void shm_copy_large(struct shm_copy_way *way, uint8_t *dst, const uint8_t *src, uint64_t len);

/* 16 bytes at a time, the last ones once more; small ones take no call. */
static inline void
shm_copy(struct shm_copy_way *way, uint8_t *dst, const uint8_t *src, uint64_t len)
{
	if (len > SHM_INLINE_COPY || len < 16) {
		if (SHM_STREAMS && len >= SHM_LARGE_COPY)
			shm_copy_large(way, dst, src, len);
		else
			memcpy(dst, src, len);
		return;
	}
	if (len > 32) {
		rte_mov16(dst, src);
		rte_mov16(dst + 16, src + 16);
		rte_mov16(dst + len - 32, src + len - 32);
	} else {
		rte_mov16(dst, src);
	}
	rte_mov16(dst + len - 16, src + len - 16);
}

#endif /* SHM_COPY_H */
