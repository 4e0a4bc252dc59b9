/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A mock offload processor: it adds the ops of one to a device of any driver, in plain
 * memory and without a process. A test plays the program by the functions below. What
 * can fail fails when a test says so. No test is in here.
 */

#ifndef TEST_MOCK_DPA_H
#define TEST_MOCK_DPA_H

#include <stdint.h>

#include <rte_comch.h>

/** Its limits, all small, so that tests reach them. */
#define TEST_MOCK_DPA_EUS RTE_COMCH_DPA_MAX_EUS
#define TEST_MOCK_DPA_THREADS 3
#define TEST_MOCK_DPA_MSGQS 3
#define TEST_MOCK_DPA_QUEUES 4
#define TEST_MOCK_DPA_DEPTH 64
#define TEST_MOCK_DPA_WINDOWS 2
#define TEST_MOCK_DPA_MEM_SIZE (64u << 10)

/** The functions that each of its programs has. */
#define TEST_MOCK_DPA_THREAD "mock_thread"
#define TEST_MOCK_DPA_RPC    "mock_sum"
/** The process that each of them says it has. */
#define TEST_MOCK_DPA_PID 4711

/** Put it on a device; it replaces what the device has. One at a time. */
int test_mock_dpa_install(int16_t dev_id);
/** The same for a device that has none, and says why, or does not say. */
int test_mock_dpa_install_none(int16_t dev_id, const char *why);
void test_mock_dpa_remove(void);
/** Have the n-th call from now on, of an op that can fail, return an error; 0 for none. */
void test_mock_dpa_fail_set(unsigned int n, int error);
/** Objects that the library has made and not ended. */
unsigned int test_mock_dpa_nb_objects(void);
/** Runs of threads that were asked for. */
unsigned int test_mock_dpa_nb_runs(void);
/** A function of a program has refused such values on each of its execution units. */
void test_mock_dpa_mistake_set(const struct rte_comch_dpa_eu_info *info);
/** End a program, as a fault on an execution unit does. */
void test_mock_dpa_crash(struct rte_comch_dpa *dpa, uint32_t eu);
/** The device fails as a whole; undone by the reset of the device, which is the mock's. */
void test_mock_dpa_dev_down(int16_t dev_id, int reason);
/** How the device is, without a lock. */
int test_mock_dpa_dev_status(void);/**
 * The next start of a program resets the device in the middle, or the next reset of the
 * device starts that program. @return What was told; 1: neither came to it.
 */
void test_mock_dpa_meet(struct rte_comch_dpa *dpa);
int test_mock_dpa_met(void);

/** Keep who starts the program, and who tells that it ends, at the library's lock. */
void test_mock_dpa_lock_take(struct rte_comch_dpa *dpa);
void test_mock_dpa_lock_drop(struct rte_comch_dpa *dpa);

/** From now on the end of a queue of the CPU is not told. */
void test_mock_dpa_hold(bool on);
/** Tell of the one that was held last, after a look at all that a driver may look at. */
int test_mock_dpa_tell(void);

/** The program grants so many receives to a consumer. */
void test_mock_dpa_ack(struct rte_comch_dpa_queue *consumer, uint32_t nb);
/** The program takes a message. @return 1, or 0 if there is none. */
int test_mock_dpa_get(struct rte_comch_dpa_queue *consumer, void *imm, uint32_t *len,
		uint32_t *producer_id);
/** The program sends. @return 0 or a negative errno. */
int test_mock_dpa_send(struct rte_comch_dpa_queue *producer, uint32_t consumer_id,
		const void *imm, uint32_t len);

#endif /* TEST_MOCK_DPA_H */
