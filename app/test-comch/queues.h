/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_QUEUES_H
#define TEST_COMCH_QUEUES_H

/*
 * The list of all producers and consumers of this process, for people who look at the
 * prompt while others work with them. Who makes one puts it in, and takes it out.
 */

#include <stdint.h>
#include <stdio.h>
#include <sys/queue.h>

#include <rte_comch.h>

/* One of them; a part of what its owner keeps of it. */
struct queue_view {
	struct rte_comch_ctx *ctx;    /* NULL: not in the list */
	unsigned int lcore;           /* that works with it */
	char peer[48];                /* for people */
	/* Of a producer: the consumers that it sends to, which may come later. */
	const uint32_t *targets;
	const uint32_t *nb_targets;
	/* What only its thread can tell, and which question that answers. */
	uint32_t credits;
	uint32_t answer;
	/* At the last look, for rates. */
	uint64_t last;
	uint64_t last_msgs;
	TAILQ_ENTRY(queue_view) next;
};

/* Of all that a device had in this process; only grows, until the next queues_clear(). */
struct queues_count {
	uint64_t tx_msgs;
	uint64_t tx_bytes;
	uint64_t rx_msgs;
	uint64_t rx_bytes;
};

/* ctx, lcore, peer, targets and nb_targets are filled in. */
void queue_view_add(struct queue_view *v);
/* Before its context is destroyed; one that was not added is left alone. */
void queue_view_remove(struct queue_view *v);

/* Number of the last question. Who works with queues compares it now and then. */
uint32_t queues_question(void);
/* The answer, by the thread of the queue. */
void queue_view_answer(struct queue_view *v, uint32_t question);

/* By any thread: this waits for the others' answers, but not long. */
void queues_print(int16_t dev_id, FILE *f);
void queues_count_get(int16_t dev_id, struct queues_count *count);
void queues_clear(void);

#endif /* TEST_COMCH_QUEUES_H */
