/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What every test file needs of the runner: how to register a test, how to
 * lay out a suite of cases, and how to assert. Nothing about comch is in here.
 */

#ifndef TEST_H
#define TEST_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include <rte_common.h>

#define TEST_SUCCESS EXIT_SUCCESS
#define TEST_FAILED  -1
#define TEST_SKIPPED 77

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(TEST_ASAN)
#define TEST_ASAN 1
#endif
#ifndef TEST_ASAN
#define TEST_ASAN 0
#endif

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TEST_TSAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__) && !defined(TEST_TSAN)
#define TEST_TSAN 1
#endif
#ifndef TEST_TSAN
#define TEST_TSAN 0
#endif

/* DPDK does not install its rte_test.h: the same names, with what is needed. */
#define TEST_ASSERT(cond, msg, ...) do { \
	if (!(cond)) { \
		printf("TestCase %s() line %d failed: " msg "\n", __func__, __LINE__, \
				##__VA_ARGS__); \
		return TEST_FAILED; \
	} \
} while (0)

/** Assert the value of an integer expression, and print what it was. */
#define TEST_EXPECT(expr, want) do { \
	long long got_ = (long long)(expr); \
	long long want_ = (long long)(want); \
	TEST_ASSERT(got_ == want_, "%s is %lld (%s), not %s = %lld", #expr, got_, \
			got_ < 0 ? strerror((int)-got_) : "", #want, want_); \
} while (0)

/** Assert that a condition is true, without words of one's own. */
#define TEST_TRUE(cond) TEST_ASSERT(cond, "not true: %s", #cond)

/** End a case as failed where an inner function of it has failed and said why. */
#define TEST_CALL(expr) do { \
	int call_ = (expr); \
	if (call_ != TEST_SUCCESS) \
		return call_; \
} while (0)

struct test_fp;

struct unit_test_case {
	int (*setup)(void);
	void (*teardown)(void);
	int (*testcase)(void);
	const char *name;
	/** If set, opens what fp_case runs on, and runs it instead of testcase. */
	int (*with)(int (*fp_case)(struct test_fp *fp));
	int (*fp_case)(struct test_fp *fp);
	/** If set, runs with arg instead of testcase. */
	int (*with_arg)(int arg);
	int arg;
};

#define TEST_CASE(fn) { .testcase = fn, .name = #fn }
#define TEST_CASE_ST(up, down, fn) \
	{ .setup = up, .teardown = down, .testcase = fn, .name = #fn }
/** A function that is a case of other names, too: after another set-up, or with an argument. */
#define TEST_CASE_NAMED(up, down, title, fn) \
	{ .setup = up, .teardown = down, .testcase = fn, .name = title }
#define TEST_CASE_ARG(up, down, title, fn, value) \
	{ .setup = up, .teardown = down, .with_arg = fn, .arg = value, .name = title }
#define TEST_CASES_END() { .name = NULL }

struct unit_test_suite {
	const char *suite_name;
	int (*setup)(void);
	void (*teardown)(void);
	struct unit_test_case unit_test_cases[];
};

/**
 * Run the cases of a suite, and count them.
 *
 * @return
 *   TEST_SUCCESS, TEST_SKIPPED if not one case ran, or TEST_FAILED.
 */
int unit_test_suite_runner(struct unit_test_suite *suite);

/** Note why a case is skipped. @return TEST_SKIPPED, to be returned. */
__rte_format_printf(1, 2)
int test_skip(const char *format, ...);

/**
 * What a case needs of RLIMIT_NOFILE, which is raised for it if it may be.
 *
 * @return
 *   TEST_SUCCESS, or TEST_SKIPPED, to be returned.
 */
int test_need_fds(unsigned int nb);

/** Fail the running case from where nothing can be returned (teardown, callback). */
__rte_format_printf(1, 2)
void test_fail(const char *format, ...);

/**
 * Fail the running case and leave it for its teardown: for helpers of which nothing is left
 * to do without what they make. Neither in a callback of the library, nor in another thread.
 */
__rte_format_printf(1, 2)
void __attribute__((noreturn)) test_give_up(const char *format, ...);

/** Allow the running case other seconds than the usual limit, on a machine of usual speed. */
void test_time_limit(unsigned int seconds);

/** Print a measured value, in a form that can be found in the output. */
__rte_format_printf(1, 2)
void test_note(const char *format, ...);

struct test_command {
	TAILQ_ENTRY(test_command) next;
	const char *command;
	int (*run)(struct unit_test_suite *suite);
	struct unit_test_suite *suite;
};

void add_test_command(struct test_command *t);

/**
 * Register a suite, and how it is run: once by unit_test_suite_runner(), or on each pair
 * of devices by test_pairs_run(). Its name is at the start of the line, where
 * app/test/meson.build looks for it.
 */
#define REGISTER_FAST_TEST(cmd, how, what) \
	static struct test_command test_struct_##cmd = { \
		.command = RTE_STR(cmd), \
		.run = how, \
		.suite = what, \
	}; \
	RTE_INIT(test_register_##cmd) \
	{ \
		add_test_command(&test_struct_##cmd); \
	}

/** The same of a suite that starts processes, kills them, or waits for time limits. */
#define REGISTER_SLOW_TEST(cmd, how, what) REGISTER_FAST_TEST(cmd, how, what)

/** Register what is run by its name only, and where a variable of the environment is set. */
#define REGISTER_COUNT_TEST(cmd, variable, how) \
	RTE_INIT(test_register_##cmd) \
	{ \
		static struct test_command command = { .command = RTE_STR(cmd), .run = how }; \
		if (getenv(variable) != NULL) \
			add_test_command(&command); \
	}

#endif /* TEST_H */
