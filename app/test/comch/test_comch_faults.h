/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the suites of faults share: an operation is done again and again, and each of its
 * calls fails once. No test is in here.
 */

#ifndef TEST_COMCH_FAULTS_H
#define TEST_COMCH_FAULTS_H

#include "test_comch_util.h"

/** What a step returns that neither succeeds nor fails in time. */
#define FAULTS_STUCK (-ETIME)
/** Milliseconds that a step may take at most. */
#define FAULTS_MS 10000

/** Set-up and teardown of a suite: test_pair has two devices of a place of their own. */
int test_faults_setup(void);
void test_faults_teardown(void);

/** What this process has, without what only grows in steps. */
struct test_faults_held {
	unsigned int fds;
	unsigned int maps;
	unsigned int allocs;
};

void test_faults_held_get(struct test_faults_held *h);
/** Wait until there is no more than before. */
int test_faults_held_check(const struct test_faults_held *before);

struct faults_op {
	const char *name;
	/** Make what the operation needs. @return TEST_SUCCESS or TEST_FAILED. */
	int (*before)(void);
	/** The operation, whose calls fail. @return 0, or a negative errno of what failed. */
	int (*run)(void);
	/** Look at what is left, and undo all. @return TEST_SUCCESS or TEST_FAILED. */
	int (*after)(void);
	/** Whatever fails, the operation does not. */
	bool never_refused;
	/** No peer has part in it: memory that is refused is told as -ENOMEM. */
	bool tells_memory;
};

/**
 * Do it with the first allocation failing, with the second, and so on, and then with system
 * calls. What a fault is answered with is 0 or a reason; then the operation succeeds again,
 * and all that was taken is given back.
 */
int test_faults_run(const struct faults_op *op);

/** Wait in a step until a condition holds. @return FAULTS_STUCK if it does not. */
#define FAULTS_UNTIL(cond) do { \
	uint64_t end_ = test_now_ns() + (uint64_t)FAULTS_MS * 1000000; \
	while (!(cond)) { \
		if (test_now_ns() > end_) { \
			printf("stuck: not %s (line %d)\n", #cond, __LINE__); \
			return FAULTS_STUCK; \
		} \
		test_faults_turn(); \
	} \
} while (0)

/** Engines that are armed when there is nothing to do, so that their peers have to wake them. */
#define TEST_FAULTS_ARMED 4
extern struct rte_comch_pe *test_faults_armed[TEST_FAULTS_ARMED];

/** One turn of all engines. */
void test_faults_turn(void);

#endif /* TEST_COMCH_FAULTS_H */
