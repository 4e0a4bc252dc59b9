/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A consumer that the case itself turns, in each of the three ways in which
 * there are consumers: bursts, mbufs and tasks. Checks what a "blast" of
 * test_comch_fp_child.c sends.
 */

#ifndef TEST_COMCH_FP_RX_H
#define TEST_COMCH_FP_RX_H

#include "test_comch_fp_load.h"

enum test_rx_kind {
	TEST_RX_BURST = 0,
	TEST_RX_MBUF,
	TEST_RX_TASK,
	TEST_RX_KINDS,
};

struct test_rx {
	enum test_rx_kind kind;
	struct rte_comch_ctx *ctx;     /**< NULL if it is not open. */
	struct rte_comch_mem *mem;
	uint8_t *base;
	uint32_t nb;                   /**< Buffers. */
	uint64_t len;                  /**< Of each. */
	bool running;                  /**< It has been, and its buffers are posted. */
	bool finish;                   /**< Post nothing any more. */
	uint32_t out;                  /**< Buffers that are posted; not for mbufs. */
	uint64_t received;
	uint64_t last_seed;            /**< Of the last message. */
	uint32_t returned;             /**< Buffers that came back unused. */
	int status;                    /**< And why. */
};

/** Create, start, wait until it is RUNNING, and post all buffers. */
int test_rx_open(struct test_rx *rx, enum test_rx_kind kind, struct test_link *link,
		struct rte_comch_pe *pe, uint32_t nb, uint64_t len);
/** Take what has come, and post again. */
void test_rx_turn(struct test_rx *rx);
/** Stop it: what rte_comch_ctx_stop() says. */
int test_rx_stop(struct test_rx *rx);
/** It is IDLE: whether all of its buffers are back. */
bool test_rx_has_all(const struct test_rx *rx);
/** Destroy it, but leave its memory. @return 0 or a negative errno. */
int test_rx_destroy(struct test_rx *rx);
/** Free its memory. @return 0 or a negative errno. */
int test_rx_free(struct test_rx *rx);
/** Close those that are left. For teardown. */
void test_rx_cleanup(void);

/** As TEST_WAIT, with a consumer to turn. */
#define TEST_RX_WAIT(rx, cond, ms) \
	TEST_UNTIL_TEXT(cond, #cond, (test_rx_turn(rx), test_progress()), ms)

#endif /* TEST_COMCH_FP_RX_H */
