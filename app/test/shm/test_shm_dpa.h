/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the tests of offload processors share: the program of the tests and where it is,
 * and what it leaves behind. No test is in here.
 */

#ifndef TEST_SHM_DPA_H
#define TEST_SHM_DPA_H

#include <sys/types.h>

#include "dpa/test_dpa_deeds.h"
#include "test_comch_util.h"

/** What this process has of a program. */
struct test_dpa_left {
	unsigned int fds;
	unsigned int maps;
	unsigned int children;
	unsigned int threads;
};

/** The path of a program of the tests: "" or "-riscv64" for another machine. */
const char *test_dpa_program(const char *machine);
/** Count what there is now; for the first time after the first start. */
void test_dpa_left_get(struct test_dpa_left *left);
/** Wait until there is no more than before. */
int test_dpa_left_check(const struct test_dpa_left *before);
/** Configure and start one on the card's device of test_pair; NULL: the program of the tests. */
int test_dpa_start(const struct rte_comch_dpa_conf *conf, struct rte_comch_dpa **dpa);
/** Stop and destroy it. */
int test_dpa_end(struct rte_comch_dpa *dpa);
/** Whether the device has one; else the case is skipped. */
int test_dpa_setup(void);
/** Whatever a case has left. */
void test_dpa_teardown(void);
/** Run a deed, in a call or in a thread of an execution unit. */
int test_dpa_deed_call(struct rte_comch_dpa *dpa, uint64_t deed, uint64_t value, uint32_t ms);
int test_dpa_deed_thread(struct rte_comch_dpa *dpa, uint32_t eu, uint64_t deed, uint64_t value,
		struct rte_comch_dpa_thread **thread);
/** The process of the only program that runs; -1 if there is none. */
pid_t test_dpa_pid(void);
/** Wait until it has failed. */
int test_dpa_failed(struct rte_comch_dpa *dpa, struct rte_comch_dpa_status *status);

#endif /* TEST_SHM_DPA_H */
