/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef SHM_MSGQ_BATCH_H
#define SHM_MSGQ_BATCH_H

/*
 * How a batch of messages that was copied to its slots becomes visible, at either end of a
 * message queue: see shm_slot.h. Freestanding C11. Who has the slots, and how many there
 * may be, is known by the callers.
 */

#include "shm_slot.h"

/* A batch: its messages are at steps from the first slot on. */
struct shm_msgq_batch {
	struct shm_slot *slots; /* the ring */
	uint32_t mask;
	uint32_t pos;           /* of the first one */
	uint32_t nb;
	uint32_t len;           /* of each */
	uint32_t producer;
};

/*
 * One slot for each instead, from the last one on: no message lies where one before it
 * goes to, and none is looked at before the first.
 */
static inline void
shm_msgq_batch_split(const struct shm_msgq_batch *batch)
{
	struct shm_slot *first = &batch->slots[batch->pos & batch->mask];
	const uint32_t step = shm_slot_step(batch->len);
	const uint8_t *from = first->imm; /* and on, over the slots behind */
	uint8_t imm[SHM_SLOT_MAX_IMM];
	uint32_t i = batch->nb;

	while (i-- != 0) {
		shm_slot_copy(imm, from + i * step, batch->len);
		shm_slot_put(&first[i], shm_slot_word(batch->pos + i, batch->producer, batch->len),
			imm, batch->len);
	}
}

/* Publish it: it does not go beyond the end of the ring, and has one message at least. */
static inline void
shm_msgq_batch_publish(const struct shm_msgq_batch *batch)
{
	const uint32_t at = batch->pos & batch->mask;
	const uint64_t more = batch->nb - 1;

	if (__builtin_expect(shm_slot_batch_aliases(batch->slots, at, batch->mask, batch->nb,
			shm_slot_step(batch->len)), 0)) {
		shm_msgq_batch_split(batch);
		return;
	}
	shm_slot_publish(&batch->slots[at], shm_slot_word(batch->pos, batch->producer, batch->len) |
		more << SHM_SLOT_MORE_SHIFT);
}

#endif /* SHM_MSGQ_BATCH_H */
