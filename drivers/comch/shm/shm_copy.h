/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef SHM_COPY_H
#define SHM_COPY_H

/*
 * How a producer copies the bytes of a message to where the consumer reads them. What
 * is copied, and when the consumer hears of it, is not here.
 */

#include <stdint.h>
#include <string.h>

#include <rte_memcpy.h>

/* Bytes up to which a copy takes no call. */
#define SHM_INLINE_COPY 64
/*
 * Bytes from which on a copy goes past the caches; see shm_copy.c. From here on it was
 * never slower for a consumer that reads, with few buffers and many, wherever the two
 * CPUs are. Below it is faster where they share no cache, and slower where they do and
 * the buffers are too many for the consumer's own.
 */
#define SHM_STREAM_MIN (32u << 10)

/* Only x86 has stores that need not ask for a line; others have hints at best. */
#ifdef RTE_ARCH_X86
#define SHM_STREAMS 1
#else
#define SHM_STREAMS 0
#endif

/* Copy a message of a line or more. Whatever is stored next is seen behind it. */
void shm_copy_stream(uint8_t *dst, const uint8_t *src, uint64_t len);

/* 16 bytes at a time, the last ones once more; small ones take no call. */
static inline void
shm_copy(uint8_t *dst, const uint8_t *src, uint64_t len)
{
	if (len > SHM_INLINE_COPY || len < 16) {
		if (SHM_STREAMS && len >= SHM_STREAM_MIN)
			shm_copy_stream(dst, src, len);
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
