/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_RUN_H
#define TEST_COMCH_RUN_H

/* A run of tests: one session with the server, and every point of the sweeps. */

#include <stdint.h>

#include "app.h"

/*
 * Run the tests of the options on a device of the role host. only: a test, or
 * NULL for those of the options. Returns 0 if all passed.
 */
int run_tests(struct app *app, int16_t dev_id, const char *only);

#endif /* TEST_COMCH_RUN_H */
