/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * For the cases of offload processors: one that runs test_dpa_prog.c, and its functions as
 * a host program declares them.
 */

#ifndef TEST_DPA_H
#define TEST_DPA_H

#include <doca_dev.h>
#include <doca_dpa.h>

#include "dpa/test_dpa_prog.h"
#include "test_doca.h"

extern struct doca_dpa_app *test_prog;
extern doca_dpa_func_t test_prog_buf;
extern doca_dpa_func_t test_prog_copy;
extern doca_dpa_func_t test_prog_count;
extern doca_dpa_func_t test_prog_credits;
extern doca_dpa_func_t test_prog_echo;
extern doca_dpa_func_t test_prog_fault;
extern doca_dpa_func_t test_prog_intrinsics;
extern doca_dpa_func_t test_prog_log;
extern doca_dpa_func_t test_prog_nothing;
extern doca_dpa_func_t test_prog_weigh;

struct test_dpa {
	struct doca_dev *dev;
	struct doca_dpa *dpa;
};

/* A processor that is started, and all of it down again; 0, or -1 and it was said why. */
int test_dpa_open(struct test_dpa *t);
int test_dpa_close(struct test_dpa *t);

/* A thread that is started. */
int test_dpa_thread(struct test_dpa *t, doca_dpa_func_t *func, uint64_t arg,
		struct doca_dpa_thread **thread);

#endif /* TEST_DPA_H */
