/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The copy of large messages of the shm driver: all bytes, no others, wherever both
 * ends lie; and behind the copy all of it can be seen. Stores that go past the caches
 * are held back here until the fence, as a CPU may: on a real one a missing fence
 * hardly ever shows. Nothing of the driver is linked.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "test.h"

static void line_hold(uint8_t *dst, const uint8_t *src);
static void held_release(void);

#define SHM_COPY_LINE(dst, src) line_hold(dst, src)
#define SHM_COPY_FENCE() held_release()
#define shm_copy_stream test_copy_stream

#include "shm_copy.c"

#define GUARD 128 /* in front of a copy and behind it */
#define GUARD_BYTE 0xa5
#define LONGEST (SHM_STREAM_MIN + LINE)
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

static uint8_t *memory[2];

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
	shm_copy(dst, src, len);
	TEST_ASSERT(memcmp(dst, src, len) == 0, "%u to %u, %u bytes: not copied, or not yet",
			from, to, (uint32_t)len);
	for (i = 1; i <= GUARD; i++)
		TEST_ASSERT(*(dst - i) == GUARD_BYTE && dst[len - 1 + i] == GUARD_BYTE,
				"%u to %u, %u bytes: written %u bytes beside it", from, to,
				(uint32_t)len, (uint32_t)i);
	return TEST_SUCCESS;
}

/* Around the size from which on it goes past the caches, in all places of a line. */
static int
test_places(void)
{
	static const uint64_t lens[] = { 1, 16, 63, 64, 65, SHM_STREAM_MIN - 1, SHM_STREAM_MIN,
			SHM_STREAM_MIN + 1, SHM_STREAM_MIN + LINE - 1, SHM_STREAM_MIN + LINE };
	uint32_t to, from;
	unsigned int i;

	for (i = 0; i < RTE_DIM(lens); i++) {
		for (to = 0; to < LINE; to += to == 0 ? 1 : 21) {
			for (from = 0; from < LINE; from += 21) {
				if (copy_one(to, from, lens[i]) != TEST_SUCCESS)
					return TEST_FAILED;
			}
		}
	}
	return TEST_SUCCESS;
}

/* A message of a few lines goes the other way on all CPUs. */
static int
test_small(void)
{
	nb_streamed = 0;
	if (copy_one(0, 0, SHM_STREAM_MIN - 1) != TEST_SUCCESS)
		return TEST_FAILED;
	TEST_EXPECT(nb_streamed, 0);
	if (copy_one(0, 0, SHM_STREAM_MIN) != TEST_SUCCESS)
		return TEST_FAILED;
	TEST_EXPECT(nb_streamed, SHM_STREAMS ? SHM_STREAM_MIN / LINE : 0);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "shm copy",
	.unit_test_cases = {
		TEST_CASE_ST(setup, teardown, test_places),
		TEST_CASE_ST(setup, teardown, test_small),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(shm_copy_autotest, unit_test_suite_runner, &suite);
