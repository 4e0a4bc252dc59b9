/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_ORDER_CHECK_H
#define TEST_ORDER_CHECK_H

/*
 * What suites say of the results of order_run(). What is run, and how, is in test_order.h
 * and in the suites.
 */

#include <inttypes.h>

#include "test.h"
#include "test_order.h"

static const char *const order_mode_names[] = { "stores in order", "weak order" };

/* A right program: nothing went wrong in any order. */
static inline int
order_right_check(const char *name, enum order_mode mode, const struct order_result *res)
{
	TEST_ASSERT(res->why == NULL, "%s, %s: %s", name, order_mode_names[mode], res->why);
	test_note("%s, %s: %.1e orders, %" PRIu64 " states", name, order_mode_names[mode],
		res->orders, res->states);
	return TEST_SUCCESS;
}

/*
 * A broken program: something went wrong in one order, but with stores in order nothing
 * does if only a weak order shows it.
 */
static inline int
order_broken_check(const char *name, bool weak_only, enum order_mode mode,
		const struct order_result *res)
{
	TEST_ASSERT(!res->gave_up, "%s, %s: %s", name, order_mode_names[mode], res->why);
	TEST_ASSERT((weak_only && mode == ORDER_TSO) == (res->why == NULL), "%s, %s: %s", name,
		order_mode_names[mode], res->why != NULL ? res->why : "not found");
	if (res->why != NULL)
		test_note("%s, %s: %s", name, order_mode_names[mode], res->why);
	return TEST_SUCCESS;
}

#endif /* TEST_ORDER_CHECK_H */
