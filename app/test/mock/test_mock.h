/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A mock driver: it stands between the library and the driver of a device, and plays
 * hardware that answers when it likes. What ends something is done by the driver at
 * once, but told later: by another thread, out of order, when a test says so, or
 * never. What can fail fails when a test says so. No test is in here.
 *
 * With COMCH_TEST_MOCK=thread in the environment it is on all devices that the tests
 * plug, so that any suite runs on it.
 */

#ifndef TEST_MOCK_H
#define TEST_MOCK_H

#include <stdbool.h>
#include <stdint.h>

/** Ops that end something. */
enum test_mock_op {
	TEST_MOCK_UNLISTEN = 0,
	TEST_MOCK_CONNECT_CANCEL,
	TEST_MOCK_CONN_CLOSE,
	TEST_MOCK_QUEUE_STOP,
	TEST_MOCK_QUEUE_FREE,
	TEST_MOCK_MEM_FREE,
	TEST_MOCK_PGROUP_DESTROY,
	TEST_MOCK_NB_OPS,
};

enum test_mock_mode {
	TEST_MOCK_PASS = 0, /**< As the driver does it. */
	TEST_MOCK_INSIDE,   /**< Told by another thread before the op returns. */
	TEST_MOCK_THREAD,   /**< Told by another thread within 3 ms, in any order. */
	TEST_MOCK_HELD,     /**< Told by test_mock_tell(), or never. */
};

struct rte_comch_conn;
struct rte_comch_dev;
struct rte_comch_queue;

/** Put the mock on a device; it goes with the device, or by test_mock_remove(). */
int test_mock_install(int16_t dev_id);
void test_mock_remove(int16_t dev_id);
/** Whether the environment wants it: ends take time in all suites. */
bool test_mock_is_on(void);
/** As the environment wants it. */
int test_mock_install_by_env(int16_t dev_id);
/** How the ops behave as the environment wants it, after a suite that set it. */
void test_mock_mode_by_env(void);
/** Whether a thread still has to tell of something that is not held. */
bool test_mock_is_busy(void);
/** How the ops of all mocks behave from now on; TEST_MOCK_NB_OPS is all of them. */
void test_mock_mode_set(enum test_mock_op op, enum test_mock_mode mode);
/** How many of the op are held. */
unsigned int test_mock_nb_held(enum test_mock_op op);
/** Tell of all that are held, in this thread, the newest first. @return how many. */
unsigned int test_mock_tell(enum test_mock_op op);
/** Forget those that are held: they are not told of in time. */
void test_mock_drop(enum test_mock_op op);
/** Tell of all that were dropped, once, in this thread. @return how many. */
unsigned int test_mock_tell_dropped(void);
/**
 * Have the n-th call from now on, of an op that can fail, return an error; 0 for none.
 */
void test_mock_fail_set(unsigned int n, int error);
/**
 * Play a driver that has a message in hand: hand it up, and keep it if the library
 * does not take it, until it may be handed up. @return what the library said.
 */
int test_mock_msg_recv(struct rte_comch_conn *conn, const void *msg, uint32_t len);
/** From now on completions of queues with tasks do not come, or they come again. */
void test_mock_mute(bool on);
/** From now on consumers are announced to nobody, and no answer comes. */
void test_mock_deaf(bool on);
/** The last consumer that was announced to nobody, as the driver sees it. */
struct rte_comch_queue *test_mock_unanswered(void);
/** For suites about the mock itself: it is on both devices of test_pair. */
int test_mock_suite_setup(void);
void test_mock_suite_teardown(void);
/** Tell of what is held, clean up, and reset the devices that are down. */
void test_mock_case_teardown(void);
/** What drivers see of a device of a test. */
struct rte_comch_dev *test_mock_dev(int16_t dev_id);

#endif /* TEST_MOCK_H */
