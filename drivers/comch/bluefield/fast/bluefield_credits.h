/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Credits of one consumer of the peer: how many posts it has told of, who of this
 * side's producers has claimed them, and who has a share of the rest. Plain memory and
 * arithmetic: no queue, no device and no lock is in here.
 *
 * Positions. The consumer counts its posts, this side counts what was claimed. Both
 * only grow, modulo 2^32, and what is between them are credits. A claim is a compare
 * and swap of head, once for each burst, by any number of producers.
 *
 * Shares are those of rte_comch_pmd_share.h.
 *
 * Closing. closed is written first, then the upper half of head changes: no claim
 * succeeds after that, and what head said is how many messages there will ever be.
 */

#ifndef BLUEFIELD_CREDITS_H
#define BLUEFIELD_CREDITS_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>

/* Producers of one connection and side, by identifier modulo this. */
#define BF_MAX_PRODUCERS 64u

struct bf_credits {
	uint64_t head __rte_aligned(64); /* low half: the next position; atomic */
	uint32_t tail;   /* posts that the consumer told of; atomic, only grows */
	uint32_t reserved;   /* sum of the shares; atomic */
	uint32_t closed; /* atomic */
	uint32_t size;   /* posts that it can have at one time; set once */
	uint64_t shares[BF_MAX_PRODUCERS]; /* atomic */
};

/*
 * The consumer has told of its posts: 0, or -EPROTO for what it cannot have. An older
 * number, by another queue pair, changes nothing.
 */
int bf_credits_told(struct bf_credits *cr, uint32_t tail);
/* The part of one of several producers, which is kept for it from now on. */
uint32_t bf_credits_share(struct bf_credits *cr, uint32_t producer, uint32_t nb_producers);
/* With shares: take up to nb from head on; *taken, or false: look at head again. */
bool bf_credits_claim_shared(struct bf_credits *cr, uint32_t producer, uint64_t head,
	uint32_t nb, uint32_t *taken);
/* The producer goes, or another one comes: what it was told is void. */
void bf_credits_drop(struct bf_credits *cr, uint32_t producer);
/* Nobody claims from now on; the number of messages that were claimed. */
uint32_t bf_credits_close(struct bf_credits *cr);

static inline uint64_t
bf_credits_head(const struct bf_credits *cr)
{
	/* acquire: closed, reserved, and the tail of which was claimed; pairs with the releases */
	return __atomic_load_n(&cr->head, __ATOMIC_ACQUIRE);
}

static inline bool
bf_credits_closed(const struct bf_credits *cr)
{
	/* relaxed: ordered by head, where it matters */
	return __atomic_load_n(&cr->closed, __ATOMIC_RELAXED) != 0;
}

/* Posts that nobody has claimed when head was so. */
static inline uint32_t
bf_credits_at(const struct bf_credits *cr, uint64_t head)
{
	/* relaxed: a number of the peer, nothing in our memory goes with it */
	return __atomic_load_n(&cr->tail, __ATOMIC_RELAXED) - (uint32_t)head;
}

/* What no producer has claimed now. */
static inline uint32_t
bf_credits_now(const struct bf_credits *cr)
{
	/* head first: both only grow */
	return bf_credits_at(cr, bf_credits_head(cr));
}

/*
 * Take nb positions from head on, which there are. True, and how many of them it is:
 * fewer if others have shares. False: another producer was first, or the consumer is
 * closed, and nothing that was read of it counts.
 */
static inline bool
bf_credits_claim(struct bf_credits *cr, uint32_t producer, uint64_t head, uint32_t nb,
	uint32_t *taken)
{
	uint64_t next = (head & ~(uint64_t)UINT32_MAX) | (uint32_t)((uint32_t)head + nb);

	if (unlikely(__atomic_load_n(&cr->reserved, __ATOMIC_RELAXED) != 0))
		return bf_credits_claim_shared(cr, producer, head, nb, taken);
	*taken = nb;
	/* release: the tail that was seen; pairs with the acquire in bf_credits_head() */
	return __atomic_compare_exchange_n(&cr->head, &head, next, false, __ATOMIC_RELEASE,
		__ATOMIC_RELAXED);
}

#endif
