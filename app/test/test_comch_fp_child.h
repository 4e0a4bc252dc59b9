/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Processes for the tests of the fast path. They are told what to do, killed
 * and ended by the functions of test_comch_child.h. What they can be told is at
 * the head of test_comch_fp_child.c.
 */

#ifndef TEST_COMCH_FP_CHILD_H
#define TEST_COMCH_FP_CHILD_H

#include "test_comch_child.h"
#include "test_comch_fp_load.h"

/** Start a child with one shm device of these arguments. @return it, ready; or NULL. */
__rte_format_printf(1, 2)
struct test_child *test_fp_child_start(const char *format, ...);
/** Tell a child to run its part of a load. @return what test_child_ask() does. */
int test_fp_child_load(struct test_child *child, const struct test_load_conf *ours);

#endif /* TEST_COMCH_FP_CHILD_H */
