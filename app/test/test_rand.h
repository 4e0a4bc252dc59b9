/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_RAND_H
#define TEST_RAND_H

/*
 * Numbers that look random and are the same in each run, for threads that have a state of
 * their own. Those without one have test_rand() of test_comch_util.h.
 */

#include <stdint.h>

/** The next number after x, which is the state and not 0: xorshift with 32 bits. */
static inline uint32_t
test_rand_next(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

#endif /* TEST_RAND_H */
