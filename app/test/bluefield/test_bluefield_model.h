/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A software BlueField for the tests: the process of the model, its control
 * socket, devices on its functions, and what the driver has logged. No test is in
 * here.
 */

#ifndef TEST_BLUEFIELD_MODEL_H
#define TEST_BLUEFIELD_MODEL_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include <rte_comch.h>

#include "test.h"

#define TEST_MODEL_ARGS 24
#define TEST_MODEL_ANSWER 16384
#define TEST_MODEL_DEVS 8

/** One model process. */
struct test_model {
	pid_t pid;             /**< 0: not running. */
	int in;                /**< Its standard input: it ends when this is closed. */
	int ctl;               /**< Its control socket. */
	char dir[PATH_MAX];    /**< Where the sockets are. */
	char log[PATH_MAX + 16]; /**< What it logs. */
	char answer[TEST_MODEL_ANSWER]; /**< The last one of the control socket. */
	int16_t devs[TEST_MODEL_DEVS];  /**< Plugged on it; the newest is the last. */
	unsigned int nb_devs;
};

/** That of the running case. */
extern struct test_model model;

/**
 * Start a model with these functions, as --function takes them, and options as
 * --latency=0.1, separated by blanks.
 * @return TEST_SUCCESS, TEST_SKIPPED without a model, or TEST_FAILED.
 */
int test_model_start(struct test_model *m, const char *functions);
/**
 * End it in order. @return TEST_SUCCESS if it ended well: no crash, and no leak
 * where a sanitizer looks.
 */
int test_model_stop(struct test_model *m);
/** End it as a crash would. */
void test_model_kill(struct test_model *m);

/** A line to the control socket. @return 0 if it said ok, else -1; text in answer. */
__rte_format_printf(2, 3)
int test_model_ctl(struct test_model *m, const char *format, ...);
/** A number of a function's state, as "resets" or "given". @return -1: none. */
long test_model_state(struct test_model *m, const char *function, const char *key);
/**
 * A number that its switch has of a vport, as "sent", "received" or "no-rule".
 * @return -1: none.
 */
long test_model_vport(struct test_model *m, const char *vport, const char *key);
/**
 * The two rules of a pair that may talk, by MAC addresses and the GIDs made of them
 * (fe80:: and EUI-64), as an operator gives them.
 * @return TEST_SUCCESS or TEST_FAILED
 */
int test_model_allow(struct test_model *m, const char *a, const char *b);
/** The rule of one direction; action: "add" or "del". @return as test_model_ctl() */
int test_model_rule(struct test_model *m, const char *action, const char *from, const char *to);
/** Whether the log of the model has these words. */
bool test_model_logged(const struct test_model *m, const char *words);

/**
 * Plug a device on a function of the model, with more device arguments or "".
 * @return its id or the negative errno of the probe.
 */
int test_model_dev_add(struct test_model *m, const char *function, const char *args);
int test_model_dev_remove(struct test_model *m, int16_t dev_id);
/** Remove all that are left. */
int test_model_devs_remove(struct test_model *m);
/** Teardown of a case: its devices go, the log ends, and so does the model. */
void test_model_teardown(void);
/** Status of a device, as its info has it. */
int test_dev_status(int16_t dev_id);

/**
 * Descriptors of this process, as the most that is seen for a moment: EAL's
 * interrupt thread closes one and opens it again when handlers change, a little
 * later than they do.
 */
unsigned int test_fds_most(void);

/** Collect what is logged from now on, in place of stderr. */
int test_log_begin(void);
/** Whether it has these words so far. */
bool test_log_has(const char *words);
/** How often it has these words so far. */
unsigned int test_log_count(const char *words);
/** The case has passed: nobody needs to read it. @return TEST_SUCCESS */
int test_log_passed(void);
/** Back to stderr; print what was collected, unless the case has passed. */
void test_log_end(void);
/** Back to stderr; forget what was collected. */
void test_log_drop(void);

#endif /* TEST_BLUEFIELD_MODEL_H */
