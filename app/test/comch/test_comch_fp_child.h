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

/** As test_child_start(). */
struct test_child *test_fp_child_start(struct test_place *place, const char *function);
/** The connection that a server of this process has with a child, or NULL. */
struct test_link *test_link_of_child(const struct test_child *peer);
/** Tell a child to run its part of a load. @return what test_child_ask() does. */
int test_fp_child_load(struct test_child *child, const struct test_load_conf *ours);

#endif /* TEST_COMCH_FP_CHILD_H */
