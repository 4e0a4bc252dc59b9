/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Calls of the library and the drivers to the C library, the kernel and DPDK. The linker
 * sends them through test_calls.c (--wrap in meson.build), where the n-th can fail, or
 * ends or stops the process. No test is in here.
 */

#ifndef TEST_CALLS_H
#define TEST_CALLS_H

#include <stdbool.h>

/** Does the linker send the calls here? Not those of libraries that are shared. */
bool test_calls_there(void);

/** What a call is for. */
enum test_calls_class {
	TEST_CALLS_ALLOC = 0, /**< It takes memory. */
	TEST_CALLS_SYSTEM,    /**< It asks the kernel for something. */
};

/**
 * From now on count the calls of one class, of all threads of this process, and have the
 * n-th fail. Calls of the test count too: a test makes what it needs before.
 */
void test_calls_fail(enum test_calls_class class, unsigned int n);
/** Count system calls, and raise a signal in front of the n-th. */
void test_calls_signal(unsigned int n, int sig);
/** From now on have all calls of one function fail, as with a kernel without it. */
void test_calls_lack(const char *function);
/** What this thread calls from now on is the test's own, and does not count; or it does. */
void test_calls_own(bool own);
/** Count no more. @return the function whose call was hit, or NULL. */
const char *test_calls_end(void);
/** Calls that were counted since the last beginning. */
unsigned int test_calls_nb(void);

#endif /* TEST_CALLS_H */
