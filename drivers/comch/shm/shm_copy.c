/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The copy of large messages, past the caches or by memcpy(), as each producer has found
 * faster. The consumer has read the buffer before, so its lines are in the cache of
 * another core. An ordinary store has to ask for each of them and waits for the answer.
 * Stores that go past the caches ask for nothing, but make all caches give up the line,
 * which some CPUs do slowly. Which way is faster depends on the CPUs, on how far they are
 * from each other, on the number of buffers, and on whether the consumer reads them.
 * Set-up knows none of that, and a virtual CPU moves. So the producer tries the other way
 * now and then. It knows the time of its copies only, not that of the consumer's reads.
 */

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_cycles.h>

#include "shm_copy.h"

/* Copies from one trial to the next. */
#define TRIAL_EVERY 8192
/*
 * Copies of a trial. The first ones find the buffers as the way in use has left them, so
 * the last SHM_COPY_TIMED are compared, each with one of those before the trial. Of a ring
 * of more than 56 buffers no copy finds one that its own way has left.
 */
#define TRIAL_COPIES 64
/* The other way is taken if so many of them took less than 15/16 of the time for a byte. */
#define TRIAL_FASTER 6
#define TRIAL_GAIN (15.f / 16)
/*
 * A copy that takes more than so many times as long is a slow one, and a trial ends with
 * SHM_COPY_TIMED of them, also of the first ones. So trials but the very first take less
 * than 5 % of the time, also if the other way takes 25 times as long.
 */
#define TRIAL_SLOW 4

#define LINE 64

/* A test has others, which hold stores back, and its own clock. */
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

/*
 * Behind all stores before it, and before all loads and stores that follow. Without the
 * lfence, as in rte_rdtsc_precise(), Intel's manual does not promise the former.
 */
static inline uint64_t
ticks_read(void)
{
	uint64_t ticks;

	_mm_mfence();
	_mm_lfence();
	ticks = rte_rdtsc();
	_mm_lfence();
	return ticks;
}

#define SHM_COPY_LINE(dst, src) line_stream(dst, src)
#define SHM_COPY_FENCE() _mm_sfence()
#define SHM_COPY_CLOCK() ticks_read()

#else

#define SHM_COPY_LINE(dst, src) memcpy(dst, src, LINE)
#define SHM_COPY_FENCE() do { } while (0)
#define SHM_COPY_CLOCK() rte_rdtsc()

#endif
#endif

static void
copy_past(uint8_t *dst, const uint8_t *src, uint64_t len)
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

static void
copy_timed(struct shm_copy_way *way, float cost)
{
	float *other = &way->cost[way->left % SHM_COPY_TIMED];

	if (!way->trial) {
		*other = cost;
		if (way->left > 0)
			return;
		way->left = TRIAL_COPIES;
		way->trial = true;
		way->cached = !way->cached;
		way->faster = 0;
		way->slow = 0;
		return;
	}
	way->slow += cost > TRIAL_SLOW * *other;
	way->faster += way->left < SHM_COPY_TIMED && cost < TRIAL_GAIN * *other;
	if (way->left > 0 && way->slow < SHM_COPY_TIMED)
		return;
	if (way->faster < TRIAL_FASTER)
		way->cached = !way->cached;
	way->left = TRIAL_EVERY;
	way->trial = false;
}

static void
copy(bool cached, uint8_t *dst, const uint8_t *src, uint64_t len)
{
	if (cached)
		memcpy(dst, src, len);
	else
		copy_past(dst, src, len);
}

void
shm_copy_large(struct shm_copy_way *way, uint8_t *dst, const uint8_t *src, uint64_t len)
{
	uint64_t ticks;

	way->left--;
	if (likely(!way->trial && way->left >= SHM_COPY_TIMED)) {
		copy(way->cached, dst, src, len);
		return;
	}
	ticks = SHM_COPY_CLOCK();
	copy(way->cached, dst, src, len);
	copy_timed(way, (float)(SHM_COPY_CLOCK() - ticks) / len);
}
