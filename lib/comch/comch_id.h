/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef COMCH_ID_H
#define COMCH_ID_H

/*
 * Identifiers of the consumers, or of the producers, of one connection. Each has a
 * slot, which is the identifier modulo a power of two: drivers have a table of slots,
 * and no two that exist at one time share a slot. So identifiers grow, and skip those
 * whose slot is taken.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_bitops.h>
#include <rte_common.h>

/* Slots for as many queues of a kind. */
static inline uint32_t
comch_id_slots(uint32_t max_queues)
{
	return max_queues == 0 ? 1 : rte_align32pow2(max_queues);
}

/* Words of a bitmap of so many slots. */
static inline uint32_t
comch_id_words(uint32_t nb_slots)
{
	return (nb_slots + 63) / 64;
}

static inline bool
comch_id_slot_used(const uint64_t *used, uint32_t slot)
{
	return (used[slot / 64] & RTE_BIT64(slot % 64)) != 0;
}

/*
 * The identifier that follows one, with a slot that is free; it is not 0. The caller
 * knows that a slot is free.
 */
static inline uint32_t
comch_id_next(uint32_t last, const uint64_t *used, uint32_t nb_slots)
{
	do {
		last++;
	} while (last == 0 || comch_id_slot_used(used, last & (nb_slots - 1)));
	return last;
}

#endif /* COMCH_ID_H */
