/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_PROMPT_H
#define TEST_COMCH_PROMPT_H

/*
 * The prompt. It lives on the main thread, and is fed a character at a time
 * from the loops that wait or run tests: that is how "stop" gets through.
 */

#include <stdbool.h>
#include <stdint.h>

#include "app.h"

struct prompt;

/* Make the prompt on stdin. host_dev: where tests run, -1 if they cannot. */
int prompt_open(struct app *app, int16_t host_dev, bool interactive);
void prompt_close(struct app *app);

/* Until "quit" or a signal. Returns the worst status of the tests that ran. */
int prompt_run(struct prompt *p);

/* Run the commands of a file. Stops at a line that is wrong. */
int prompt_load(struct prompt *p, const char *path);

#endif /* TEST_COMCH_PROMPT_H */
