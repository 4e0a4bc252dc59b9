/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the two countings of the bluefield driver share: the messages, and the card that
 * carries them. Nothing that is counted is in here.
 */

#ifndef TEST_BLUEFIELD_WQ_COUNT_H
#define TEST_BLUEFIELD_WQ_COUNT_H

#include <rte_comch_core.h>

#include "test_bluefield_wq_dev.h"

#define COUNT_MAX_BURST 32
#define COUNT_LEN 64
#define COUNT_BUF_SIZE 2048

/** What messages of a run look like. */
struct count_shape {
	unsigned int burst;
	uint32_t imm_len; /**< Of messages, and of the consumer. */
	uint32_t len;
};

/** What a card has carried. */
struct count_carried {
	uint64_t wqe_bytes;
	uint64_t nb_cqes; /**< Of the sender. */
};

extern uint8_t count_data[COUNT_MAX_BURST * COUNT_BUF_SIZE];

/** Posts and messages of one burst. */
void count_fill(const struct count_shape *shape, struct rte_comch_post *posts,
	struct rte_comch_send *sends, const struct rte_comch_mem *mem);
/** What the two cards do with one burst: fetch, deliver, complete. */
int count_carry(const struct count_shape *shape, struct wq_dev *tx, struct wq_dev *rx,
	struct count_carried *carried);

/** The driver's own functions. */
int count_driver(unsigned int nb_msgs);

#endif /* TEST_BLUEFIELD_WQ_COUNT_H */
