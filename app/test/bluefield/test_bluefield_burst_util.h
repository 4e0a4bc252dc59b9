/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A consumer and a producer of the bluefield driver on queues in plain memory, for tests
 * and for counting: no device, no connection, no thread. What a device would do, the
 * test does. No test is in here.
 */

#ifndef TEST_BLUEFIELD_BURST_UTIL_H
#define TEST_BLUEFIELD_BURST_UTIL_H

#define ALLOW_INTERNAL_API 1

#include "bluefield_chan_priv.h" /* check-ok: its layers are tested */
#include "bluefield_fast.h" /* check-ok: its layers are tested */
#include "test_bluefield_wq_dev.h"

#define BURST_QUEUE 64u
#define BURST_BUF 64u
/** Pairs of the producer. */
#define BURST_PAIRS 2u
/** Identifiers of the consumers that it sends to: from this one on. */
#define BURST_CONSUMER 7u
/** Who sends to the consumer, and by which user index. */
#define BURST_PRODUCER 5u
#define BURST_USER 3u

struct burst {
	struct rte_comch_dev *dev;
	struct rte_comch_dev_ops ops;
	struct bf_dev bf;
	struct bf_group group;
	struct bf_fast_group fg;
	struct bf_chan_group cg;
	struct bf_fast fast;
	struct bf_chan_dev *cd;
	struct bf_ctrl_conn cc;       /* the connection; what it is told stays in there */
	uint32_t imm_len;

	struct wq_dev cdev;           /* of the consumer */
	struct rte_comch_queue cq;
	struct rte_comch_fp_object cfp;
	struct bf_consumer c;
	struct bf_pair from;          /* of the producer that sends to it */

	struct wq_dev pdev[BURST_PAIRS]; /* of the producer; completions are on the first */
	struct rte_comch_queue pq;
	struct rte_comch_fp_object pfp;
	struct bf_producer p;
	struct bf_pair to[BURST_PAIRS];
	struct bf_rc rc[BURST_PAIRS];
	struct bf_cqe back[BURST_PAIRS][2]; /* nothing comes there */
	rte_be32_t back_dbr[2];

	struct rte_comch_mem mem;     /* of both */
	struct bf_region *region;
	uint8_t bytes[BURST_QUEUE * BURST_BUF] __rte_aligned(64);
};

/** One of all that there is; how often a failure of the device was told. */
extern struct burst burst;
extern uint32_t burst_fails;

/** imm_len: of consumers, 0 or BF_MAX_IMM. */
int burst_open(uint32_t imm_len);
void burst_close(void);
/** Of cases: the log is kept, and there are no, or the longest, immediate data. */
int burst_setup(void);
int burst_setup_imm(void);
void burst_teardown(void);
/** So many more than the peer has told of a queue pair so far. */
int burst_credits(uint32_t pair, uint32_t nb);

/** Post nb buffers: slots from the first on, whose number is the cookie. */
uint16_t burst_post(uint32_t first, uint16_t nb);
/** A message arrives in the entry of this index, with immediate data of imm_len bytes. */
void burst_arrive(uint32_t index, uint32_t len, uint32_t imm_len);
/** The message that has come last says that so many messages of credits were read. */
void burst_solicit(uint32_t read);
/** A completion with other words than an honest device has; user is the user index. */
void burst_odd(uint8_t opcode, uint16_t index, uint32_t bytes, uint32_t user, uint32_t imm,
	uint8_t syndrome);
/** Send nb messages to consumer BURST_CONSUMER + pair; cookies from first on. */
uint16_t burst_send(uint32_t pair, uint32_t first, uint16_t nb, uint32_t flags);
/** All that pair was given up to now has arrived, or with opcode and syndrome has not. */
void burst_sent(uint32_t pair, uint8_t opcode, uint16_t index, uint8_t syndrome);
/** Index of the last request of a pair, and its user index. */
uint16_t burst_last(uint32_t pair);

#endif /* TEST_BLUEFIELD_BURST_UTIL_H */
