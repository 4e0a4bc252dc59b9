/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef SHM_MSGQ_BATCH_H
#define SHM_MSGQ_BATCH_H

/*
 * How a batch of messages that was copied to its entries becomes visible, at either end of a
 * message queue: see shm_entry.h. Freestanding C11. Who has the entries, and how many there
 * may be, is known by the callers.
 */

#include "shm_entry.h"

/* A batch: its messages are at steps from the first entry on. */
struct shm_msgq_batch {
	struct shm_entry *entries; /* the ring */
	uint32_t mask;
	uint32_t pos;           /* of the first one */
	uint32_t nb;
	uint32_t len;           /* of each */
	uint32_t producer;
};

/*
 * One entry for each instead, from the last one on: no message lies where one before it
 * goes to, and none is looked at before the first.
 */
static inline void
shm_msgq_batch_split(const struct shm_msgq_batch *batch)
{
	struct shm_entry *first = &batch->entries[batch->pos & batch->mask];
	const uint32_t step = shm_entry_step(batch->len);
	const uint8_t *from = first->imm; /* and on, over the entries behind */
	uint8_t imm[SHM_ENTRY_MAX_IMM];
	uint32_t i = batch->nb;

	while (i-- != 0) {
		shm_entry_copy(imm, from + i * step, batch->len);
		shm_entry_put(&first[i],
			shm_entry_word(batch->pos + i, batch->producer, batch->len), imm,
			batch->len);
	}
}

/* Publish it: it does not go beyond the end of the ring, and has one message at least. */
static inline void
shm_msgq_batch_publish(const struct shm_msgq_batch *batch)
{
	const uint32_t at = batch->pos & batch->mask;
	const uint64_t word = shm_entry_word(batch->pos, batch->producer, batch->len) |
		(uint64_t)(batch->nb - 1) << SHM_ENTRY_MORE_SHIFT;

	if (__builtin_expect(shm_entry_batch_aliases(batch->entries, at, batch->mask, batch->nb,
			shm_entry_step(batch->len)), 0)) {
		shm_msgq_batch_split(batch);
		return;
	}
	shm_entry_publish(&batch->entries[at], word);
}

#endif /* SHM_MSGQ_BATCH_H */
