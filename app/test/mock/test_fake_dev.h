/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A driver that makes nothing: its devices say of themselves what a test wants, fail on
 * command, and note what the library asked for. No test is in here.
 */

#ifndef TEST_FAKE_DEV_H
#define TEST_FAKE_DEV_H

#include <rte_comch.h>

#define TEST_FAKE_POSTS 1000u
#define TEST_FAKE_SENDS 700u

struct rte_comch_conn;
struct rte_comch_ctrl;
struct rte_comch_dev;

/** One device, and what it answers. */
struct test_fake {
	struct rte_comch_dev *dev;
	struct rte_comch_dev_info info;
	int nb_reps;                   /**< Of test_fake_reps, or a negative errno. */
	int reset_ret;                 /**< What its reset returns. */
	int reset_down;                /**< It fails anew before its reset has returned. */
	unsigned int nb_resets;
	unsigned int nb_unlisten;
	unsigned int nb_cancel;
	uint32_t size;                 /**< Of the last queue that was wanted. */
	struct rte_comch_ctrl *client; /**< The last that wanted to connect. */
	struct rte_comch_conn *conn;   /**< Ended by the next poll, with end. */
	int end;
};

/** Identifiers of representors that are neither in order nor dense. */
extern const uint16_t test_fake_reps[3];
extern struct test_fake test_fake_dpu;
extern struct test_fake test_fake_host;

/** Set-up and teardown of a case: both devices, in test_pair. */
int test_fake_setup(void);
void test_fake_teardown(void);
/** Make one of the devices anew, with these abilities only. */
int test_fake_again(struct test_fake *fake, uint64_t capa);

#endif /* TEST_FAKE_DEV_H */
