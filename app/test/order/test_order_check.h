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

/* Runs a case of a suite in a model, with one order of it broken; 0: none is. */
typedef void (*order_run_t)(const void *what, enum order_mode mode, uint32_t broken,
		struct order_result *res);

/* What is broken, and the cases that find it. */
struct order_mutant {
	uint32_t mutant;
	const char *name;
	bool weak_only;
	const void *cases[4];
};

/* All orders of a right case in both models. */
static inline int
order_expect_right(order_run_t run, const void *what, const char *name)
{
	struct order_result res;
	enum order_mode mode;

	/* sanitizers, on a machine that others use */
	test_time_limit(600);
	for (mode = ORDER_TSO; mode <= ORDER_WEAK; mode++) {
		run(what, mode, 0, &res);
		TEST_CALL(order_right_check(name, mode, &res));
	}
	return TEST_SUCCESS;
}

/* Each mutant is found by each of its cases. */
static inline int
order_expect_found(order_run_t run, const struct order_mutant *mutants, uint32_t nb)
{
	const struct order_mutant *m;
	struct order_result res;
	enum order_mode mode;
	uint32_t k;

	for (m = mutants; m != mutants + nb; m++)
		for (k = 0; k < RTE_DIM(m->cases) && m->cases[k] != NULL; k++)
			for (mode = ORDER_TSO; mode <= ORDER_WEAK; mode++) {
				run(m->cases[k], mode, m->mutant, &res);
				TEST_CALL(order_broken_check(m->name, m->weak_only, mode, &res));
			}
	return TEST_SUCCESS;
}

#endif /* TEST_ORDER_CHECK_H */
