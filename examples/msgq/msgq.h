/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef MSGQ_H
#define MSGQ_H

/**
 * @file msgq.h
 *
 * What the files of the host program share: the options, and what it works with. No
 * option parsing in here, and nothing of the other program but its messages.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_comch.h>

#include "../common/example.h"
#include "dpa/msgq_dpa.h"

/** How long an answer, or a step of the teardown, may take. */
#define WAIT_MS 10000

/** Receives that the consumer has posted: more than messages can be on the way. */
#define NB_POSTS 128

/** Messages that are looked at in one go. */
#define NB_CPLS 16

/** Bytes that each copy moves. */
#define COPY_LEN 4096

/** What the host has for one execution unit. */
struct unit {
	uint64_t block; /**< Its struct msgq_block, in the memory of the program. */
	uint32_t id;    /**< Identifier of its consumer. */
	struct rte_comch_dpa_thread *thread;
	struct rte_comch_dpa_completion *completion;
	struct rte_comch_dpa_queue *consumer;
	struct rte_comch_dpa_queue *producer;
	uint8_t *src; /**< Its part of the two regions. */
	uint8_t *dst;
};

/** Options and state of the process. */
struct app {
	/* options */
	const char *dev;         /**< -p, or NULL. */
	const char *program;     /**< -P. */
	const char *runner;      /**< -R, or NULL. */
	uint32_t nb_eus;         /**< -u. */
	int32_t cpus[RTE_COMCH_DPA_MAX_EUS]; /**< -C. */
	uint32_t nb_cpus;        /**< 0: any. */
	uint32_t count;          /**< -c. */
	bool event;              /**< -e. */

	/* what it works with */
	int16_t dev_id;
	struct rte_comch_dev_info info;
	struct rte_comch_pe *pe;
	struct rte_comch_dpa *dpa;
	struct rte_comch_msgq *to_dpa;
	struct rte_comch_msgq *from_dpa;
	struct rte_comch_ctx *producer; /**< To the consumers of all units. */
	struct rte_comch_ctx *consumer; /**< From the producers of all units. */
	struct rte_comch_mem *src;
	struct rte_comch_mem *dst;
	struct rte_comch_dpa_window *src_window;
	struct rte_comch_dpa_window *dst_window;
	struct unit units[RTE_COMCH_DPA_MAX_EUS];
};

/** Load the program, and make both ends of both message queues. */
int setup(struct app *app);

/** End and free all that there is of it. */
void teardown(struct app *app);

/** Play with one execution unit after the other. */
int exchange(struct app *app);

#endif /* MSGQ_H */
