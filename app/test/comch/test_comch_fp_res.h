/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What this process holds of the system and of EAL, for tests of what is left
 * behind.
 */

#ifndef TEST_COMCH_FP_RES_H
#define TEST_COMCH_FP_RES_H

#include "test_comch_util.h"

struct test_resources {
	unsigned int fds;
	unsigned int maps;         /**< Of memfds. */
	uint64_t mapped;           /**< Their bytes. */
	uint64_t memfd_kb;         /**< Memory behind these. */
	uint64_t private_kb;       /**< Memory that nobody shares. */
	size_t heap;               /**< Bytes of the heap of EAL. */
	unsigned int allocs;       /**< Objects on it. */
};

/** Progress until it does not change any more, and remember it. */
void test_resources_get(struct test_resources *r);
/** Progress until it is the same again; fails if it never is. */
int test_resources_same(const struct test_resources *before);

#endif /* TEST_COMCH_FP_RES_H */
