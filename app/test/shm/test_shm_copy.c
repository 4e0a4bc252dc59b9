/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The copy of large messages of the shm driver: all bytes, no others, wherever both
 * ends lie; and behind the copy all of it can be seen. Stores that go past the caches
 * are held back here until the fence, as a CPU may: on a real one a missing fence
 * hardly ever shows. The clock is this file's, so that either way is the faster one as
 * a case wants it. Nothing of the driver is linked.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "test.h"

static void line_hold(uint8_t *dst, const uint8_t *src);
static void held_release(void);
static uint64_t clock_read(void);

#define SHM_COPY_LINE(dst, src) line_hold(dst, src)
#define SHM_COPY_FENCE() held_release()
#define SHM_COPY_CLOCK() clock_read()
#define shm_copy_large test_copy_large

#include "shm_copy.c"

#define GUARD 128 /* in front of a copy and behind it */
#define GUARD_BYTE 0xa5
#define LONGEST (SHM_LARGE_COPY + SHM_LARGE_COPY / 16)
#define HELD_MAX (LONGEST / LINE + 1)

static struct held {
	uint8_t *dst;
	uint8_t bytes[LINE];
} *held;

static uint32_t nb_held;
static uint32_t nb_streamed;

static void
line_hold(uint8_t *dst, const uint8_t *src)
{
	if (nb_held == HELD_MAX || (uintptr_t)dst % LINE != 0)
		return; /* and is missing */
	held[nb_held].dst = dst;
	memcpy(held[nb_held++].bytes, src, LINE);
	nb_streamed++;
}

static void
held_release(void)
{
	while (nb_held > 0) {
		nb_held--;
		memcpy(held[nb_held].dst, held[nb_held].bytes, LINE);
	}
}

/*
 * What a timed copy takes, each way. Those of a number in a range take more; the first is
 * number 0. The clock is read before a copy, and behind it.
 */
static struct {
	uint64_t past, cached;
	uint64_t from, to, more;
	uint64_t reads;
	uint64_t now;
	uint32_t streamed; /* before the copy */
} ticks;

static uint64_t
clock_read(void)
{
	const uint64_t number = ticks.reads / 2;

	if (ticks.reads++ % 2 == 0) {
		ticks.streamed = nb_streamed;
		return ticks.now;
	}
	ticks.now += ticks.streamed != nb_streamed ? ticks.past : ticks.cached;
	if (number >= ticks.from && number < ticks.to)
		ticks.now += ticks.more;
	return ticks.now;
}

static uint8_t *memory[2];
static struct shm_copy_way way;

static void
ways_reset(void)
{
	memset(&ticks, 0, sizeof(ticks));
	shm_copy_way_init(&way);
}

static int
setup(void)
{
	unsigned int i;

	held = calloc(HELD_MAX, sizeof(*held));
	TEST_ASSERT(held != NULL, "no memory");
	for (i = 0; i < RTE_DIM(memory); i++) {
		memory[i] = aligned_alloc(LINE, LONGEST + 2 * GUARD + LINE);
		TEST_ASSERT(memory[i] != NULL, "no memory");
	}
	ways_reset();
	nb_held = 0;
	return TEST_SUCCESS;
}

static void
teardown(void)
{
	unsigned int i;

	free(held);
	held = NULL;
	for (i = 0; i < RTE_DIM(memory); i++) {
		free(memory[i]);
		memory[i] = NULL;
	}
}

static uint8_t
byte_of(uint64_t i)
{
	return (uint8_t)(i * 131 + (i >> 8));
}

static int
copy_one(uint32_t to, uint32_t from, uint64_t len)
{
	uint8_t *dst = memory[0] + GUARD + to, *src = memory[1] + from;
	uint64_t i;

	memset(memory[0], GUARD_BYTE, LONGEST + 2 * GUARD + LINE);
	for (i = 0; i < len; i++)
		src[i] = byte_of(i);
	nb_held = 0;
	shm_copy(&way, dst, src, len);
	TEST_ASSERT(memcmp(dst, src, len) == 0, "%u to %u, %u bytes: not copied, or not yet",
			from, to, (uint32_t)len);
	for (i = 1; i <= GUARD; i++)
		TEST_ASSERT(*(dst - i) == GUARD_BYTE && dst[len - 1 + i] == GUARD_BYTE,
				"%u to %u, %u bytes: written %u bytes beside it", from, to,
				(uint32_t)len, (uint32_t)i);
	return TEST_SUCCESS;
}

/* Around the size from which on it may go past the caches, in all places of a line. */
static int
places(bool cached, uint32_t left)
{
	static const uint64_t lens[] = { 1, 16, 63, 64, 65, SHM_LARGE_COPY - 1, SHM_LARGE_COPY,
			SHM_LARGE_COPY + 1, SHM_LARGE_COPY + LINE - 1, SHM_LARGE_COPY + LINE };
	uint32_t to, from;
	unsigned int i;

	for (i = 0; i < RTE_DIM(lens); i++) {
		for (to = 0; to < LINE; to += to == 0 ? 1 : 21) {
			for (from = 0; from < LINE; from += 21) {
				way = (struct shm_copy_way) { .cached = cached, .left = left };
				if (copy_one(to, from, lens[i]) != TEST_SUCCESS)
					return TEST_FAILED;
			}
		}
	}
	return TEST_SUCCESS;
}

/* Either way, and either way when it is timed. */
static int
test_places(void)
{
	if (places(false, UINT32_MAX) != TEST_SUCCESS || places(true, UINT32_MAX) != TEST_SUCCESS ||
			places(false, SHM_COPY_TIMED) != TEST_SUCCESS ||
			places(true, SHM_COPY_TIMED) != TEST_SUCCESS)
		return TEST_FAILED;
	return TEST_SUCCESS;
}

/* A smaller message goes through the caches on all CPUs. */
static int
test_small(void)
{
	nb_streamed = 0;
	way.left = SHM_COPY_TIMED;
	if (copy_one(0, 0, SHM_LARGE_COPY - 1) != TEST_SUCCESS)
		return TEST_FAILED;
	TEST_EXPECT(nb_streamed, 0);
	TEST_EXPECT(ticks.reads, 0);
	TEST_EXPECT(way.left, SHM_COPY_TIMED);
	if (copy_one(0, 0, SHM_LARGE_COPY) != TEST_SUCCESS)
		return TEST_FAILED;
	TEST_EXPECT(nb_streamed, SHM_STREAMS ? SHM_LARGE_COPY / LINE : 0);
	TEST_EXPECT(ticks.reads, SHM_STREAMS ? 2 : 0);
	return TEST_SUCCESS;
}

#if SHM_STREAMS

/* Copies of one size; how many went past the caches. */
static uint32_t
copies_past(uint32_t nb, uint64_t len)
{
	uint32_t i, before, past = 0;

	for (i = 0; i < nb; i++) {
		before = nb_streamed;
		shm_copy(&way, memory[0], memory[1], len);
		past += nb_streamed != before;
	}
	return past;
}

/* The other way is taken if it is faster, and that again when it is slower. */
static int
test_trial(void)
{
	ticks.past = 300;
	ticks.cached = 200;
	TEST_EXPECT(copies_past(SHM_COPY_FIRST, SHM_LARGE_COPY), SHM_COPY_FIRST);
	TEST_EXPECT(copies_past(TRIAL_COPIES, SHM_LARGE_COPY), 0);
	TEST_EXPECT(copies_past(TRIAL_EVERY, SHM_LARGE_COPY), 0);
	TEST_EXPECT(ticks.reads, 2 * (2 * SHM_COPY_TIMED + TRIAL_COPIES));
	/* no better */
	TEST_EXPECT(copies_past(TRIAL_COPIES, SHM_LARGE_COPY), TRIAL_COPIES);
	TEST_EXPECT(copies_past(TRIAL_EVERY, SHM_LARGE_COPY), 0);
	/* a virtual CPU has moved: only from the next trial on it is known */
	ticks.cached = 1000;
	TEST_EXPECT(copies_past(TRIAL_COPIES, SHM_LARGE_COPY), TRIAL_COPIES);
	TEST_EXPECT(copies_past(TRIAL_EVERY, SHM_LARGE_COPY), 0);
	TEST_EXPECT(copies_past(TRIAL_COPIES, SHM_LARGE_COPY), TRIAL_COPIES);
	TEST_EXPECT(copies_past(TRIAL_EVERY, SHM_LARGE_COPY), TRIAL_EVERY);
	return TEST_SUCCESS;
}

/* A way that is hardly faster is not taken: that may be noise. */
static int
test_equal(void)
{
	uint32_t i;

	for (i = 0; i < 2; i++) {
		ways_reset();
		ticks.past = 160;
		ticks.cached = i == 0 ? 150 : 149;
		TEST_EXPECT(copies_past(SHM_COPY_FIRST, SHM_LARGE_COPY), SHM_COPY_FIRST);
		TEST_EXPECT(copies_past(TRIAL_COPIES, SHM_LARGE_COPY), 0);
		TEST_EXPECT(copies_past(TRIAL_EVERY, SHM_LARGE_COPY), i == 0 ? TRIAL_EVERY : 0);
	}
	return TEST_SUCCESS;
}

/*
 * Of the other way: what is interrupted, from which copy of the trial on, and whether it
 * is taken. The last copies may lose two; of those before only very slow ones count.
 */
static const struct {
	uint64_t from, nb, more;
	uint32_t copies; /* of the trial */
	bool taken;
} interrupted[] = {
	{ TRIAL_COPIES - 2, 2, 1u << 20, TRIAL_COPIES, true },
	{ TRIAL_COPIES - 3, 3, 1u << 20, TRIAL_COPIES, false },
	{ 0, TRIAL_COPIES - SHM_COPY_TIMED, 300 * TRIAL_SLOW - 200, TRIAL_COPIES, true },
	{ 10, SHM_COPY_TIMED - 1, 1u << 20, TRIAL_COPIES, true },
	{ 10, SHM_COPY_TIMED, 1u << 20, 10 + SHM_COPY_TIMED, false },
};

static int
test_interrupted(void)
{
	uint32_t i;

	for (i = 0; i < RTE_DIM(interrupted); i++) {
		ways_reset();
		ticks.past = 300;
		ticks.cached = 200;
		ticks.from = SHM_COPY_TIMED + interrupted[i].from; /* behind those before it */
		ticks.to = ticks.from + interrupted[i].nb;
		ticks.more = interrupted[i].more;
		TEST_EXPECT(copies_past(SHM_COPY_FIRST, SHM_LARGE_COPY), SHM_COPY_FIRST);
		TEST_EXPECT(copies_past(interrupted[i].copies, SHM_LARGE_COPY), 0);
		TEST_EXPECT(way.cached, interrupted[i].taken);
		TEST_EXPECT(copies_past(SHM_COPY_TIMED, SHM_LARGE_COPY),
				interrupted[i].taken ? 0 : SHM_COPY_TIMED);
	}
	return TEST_SUCCESS;
}

/* Before the trial as well: one copy of those is compared with one of the other way. */
static int
test_interrupted_before(void)
{
	uint32_t i;

	for (i = 0; i < SHM_COPY_TIMED; i++) {
		ways_reset();
		ticks.past = 200;
		ticks.cached = 300;
		ticks.from = i;
		ticks.to = i + 1;
		ticks.more = 1u << 20;
		copies_past(SHM_COPY_FIRST + TRIAL_COPIES, SHM_LARGE_COPY);
		TEST_EXPECT(way.cached, false);
		TEST_EXPECT(copies_past(SHM_COPY_TIMED, SHM_LARGE_COPY), SHM_COPY_TIMED);
	}
	return TEST_SUCCESS;
}

/* A way that is far slower is left at once. */
static int
test_slow(void)
{
	ticks.past = 100;
	ticks.cached = 100 * TRIAL_SLOW + 1;
	TEST_EXPECT(copies_past(SHM_COPY_FIRST, SHM_LARGE_COPY), SHM_COPY_FIRST);
	TEST_EXPECT(copies_past(SHM_COPY_TIMED, SHM_LARGE_COPY), 0);
	TEST_EXPECT(copies_past(TRIAL_EVERY, SHM_LARGE_COPY), TRIAL_EVERY);
	/* and so in the next trial */
	TEST_EXPECT(copies_past(SHM_COPY_TIMED, SHM_LARGE_COPY), 0);
	TEST_EXPECT(copies_past(TRIAL_EVERY, SHM_LARGE_COPY), TRIAL_EVERY);
	return TEST_SUCCESS;
}

/* What counts is the time of a byte: messages may differ in length. */
static int
test_lengths(void)
{
	ticks.past = 200;
	ticks.cached = 199; /* for 17/16 of the bytes */
	copies_past(SHM_COPY_FIRST, SHM_LARGE_COPY);
	copies_past(TRIAL_COPIES, LONGEST);
	TEST_EXPECT(copies_past(TRIAL_EVERY, SHM_LARGE_COPY), 0);
	return TEST_SUCCESS;
}

#endif

static struct unit_test_suite suite = {
	.suite_name = "shm copy",
	.unit_test_cases = {
		TEST_CASE_ST(setup, teardown, test_places),
		TEST_CASE_ST(setup, teardown, test_small),
#if SHM_STREAMS
		TEST_CASE_ST(setup, teardown, test_trial),
		TEST_CASE_ST(setup, teardown, test_equal),
		TEST_CASE_ST(setup, teardown, test_interrupted),
		TEST_CASE_ST(setup, teardown, test_interrupted_before),
		TEST_CASE_ST(setup, teardown, test_slow),
		TEST_CASE_ST(setup, teardown, test_lengths),
#endif
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(shm_copy_autotest, unit_test_suite_runner, &suite);
