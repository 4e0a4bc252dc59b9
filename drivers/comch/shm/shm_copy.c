/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The copy of large messages. The consumer has read the buffer before, so its lines
 * are in the cache of another core. An ordinary store has to ask for each of them and
 * waits for the answer, which is most of the time of such a copy; the consumer then
 * asks for each of them again. Stores that go past the caches ask for nothing, and
 * the consumer reads memory in a row, which the hardware prefetches. What is lost is
 * the copy to a consumer that reads nothing.
 */

#include <rte_common.h>

#include "shm_copy.h"

#define LINE 64

/* A test has others, which hold stores back. */
#ifndef SHM_COPY_LINE
#ifdef RTE_ARCH_X86

#include <emmintrin.h>

static inline void
line_stream(uint8_t *dst, const uint8_t *src)
{
	const __m128i *from = (const __m128i *)(const void *)src;
	__m128i *to = (__m128i *)(void *)dst;
	__m128i a = _mm_loadu_si128(from), b = _mm_loadu_si128(from + 1);
	__m128i c = _mm_loadu_si128(from + 2), d = _mm_loadu_si128(from + 3);

	_mm_stream_si128(to, a);
	_mm_stream_si128(to + 1, b);
	_mm_stream_si128(to + 2, c);
	_mm_stream_si128(to + 3, d);
}

#define SHM_COPY_LINE(dst, src) line_stream(dst, src)
#define SHM_COPY_FENCE() _mm_sfence()

#else

#define SHM_COPY_LINE(dst, src) memcpy(dst, src, LINE)
#define SHM_COPY_FENCE() do { } while (0)

#endif
#endif

void
shm_copy_stream(uint8_t *dst, const uint8_t *src, uint64_t len)
{
	/* Only whole lines go past the caches well. */
	uint64_t head = -(uintptr_t)dst & (LINE - 1), i;

	memcpy(dst, src, head);
	dst += head;
	src += head;
	len -= head;
	for (i = 0; i < len / LINE; i++, dst += LINE, src += LINE)
		SHM_COPY_LINE(dst, src);
	memcpy(dst, src, len % LINE);
	/* Such stores are not ordered before a later release otherwise. */
	SHM_COPY_FENCE();
}
