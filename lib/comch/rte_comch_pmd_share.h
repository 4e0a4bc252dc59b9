/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef RTE_COMCH_PMD_SHARE_H
#define RTE_COMCH_PMD_SHARE_H

/**
 * @file
 *
 * Shares of credits, for drivers: what one of several producers has been told that it can
 * send to a consumer, and no other takes meanwhile. Plain memory and arithmetic: no message
 * is touched here, no lock is taken, and nothing of it is called while there is one producer.
 *
 * The consumer counts its posts, this side counts what was claimed: both only grow, modulo
 * 2^32, and what is between them are credits. A claim is a compare and swap of head, by any
 * number of producers.
 *
 * A share is a number and no positions, so that one that is not used does not hold up the
 * messages of others. It is in a word of its producer, with the time until which it is kept;
 * reserved is the sum of all. A producer may claim what it has a share of, or what no other has.
 *
 * How a share is made, while others claim: it is added to reserved first. Then the upper half
 * of head changes, which says nothing but that something has changed: claims that have not
 * seen reserved compare and swap in vain, and look again. What head said then tells whether
 * there are credits for it. What is too much is given back.
 *
 * Who takes a share away, its producer or another one that finds it late, swaps its word,
 * and takes what was in it from reserved afterwards. In between that is too much, which makes
 * others find less than there is, and breaks no promise.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_common.h>
#include <rte_cycles.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Below the time, in units that leave these bits for the number: fewer posts than that. */
#define RTE_COMCH_PMD_SHARE_MASK UINT64_C(0xffff)

/** Where a driver has what its producers share of one consumer. All atomic but nb and size. */
struct rte_comch_pmd_shares {
	uint64_t *head;       /**< Low half: the next position. */
	uint32_t *reserved;   /**< Sum of the shares. */
	uint64_t *words;      /**< The shares, by identifier of the producer modulo nb. */
	uint32_t nb;          /**< How many words there are. */
	uint32_t size;        /**< Posts that the consumer can have at one time. */
	const uint32_t *tail; /**< Posts that it has told of. */
};

/**
 * @internal
 * Tell how many posts nobody has claimed when head was so.
 *
 * @param s
 *   The shares of one consumer.
 * @param head
 *   What head said.
 * @return
 *   Their number; 0 if it cannot be, as the peer has written the tail.
 */
static inline uint32_t
rte_comch_pmd_share_posted(const struct rte_comch_pmd_shares *s, uint64_t head)
{
	/* acquire: pairs with the release of the consumer, where that is in shared memory */
	uint32_t nb = __atomic_load_n(s->tail, __ATOMIC_ACQUIRE) - (uint32_t)head;

	return nb <= s->size ? nb : 0;
}

/**
 * @internal
 * Give back credits of the share of a producer, or what is left of it.
 *
 * @param s
 *   The shares of one consumer.
 * @param producer
 *   Identifier of a producer; its share is in word producer modulo nb.
 * @param nb
 *   How many.
 */
static inline void
rte_comch_pmd_share_put(const struct rte_comch_pmd_shares *s, uint32_t producer, uint32_t nb)
{
	uint64_t *share = &s->words[producer % s->nb];
	uint64_t word = __atomic_load_n(share, __ATOMIC_RELAXED);
	uint32_t n;

	do {
		n = RTE_MIN(nb, (uint32_t)(word & RTE_COMCH_PMD_SHARE_MASK));
		if (n == 0)
			return;
	} while (!__atomic_compare_exchange_n(share, &word, word - n, false, __ATOMIC_RELAXED,
			__ATOMIC_RELAXED));
	__atomic_fetch_sub(s->reserved, n, __ATOMIC_RELAXED);
}

/**
 * @internal
 * Take away the shares that were not used in time.
 *
 * @param s
 *   The shares of one consumer.
 * @return
 *   Whether there was one.
 */
static inline bool
rte_comch_pmd_share_expire(const struct rte_comch_pmd_shares *s)
{
	const uint64_t now = rte_get_tsc_cycles();
	bool found = false;
	uint64_t word;
	uint32_t i, nb;

	for (i = 0; i < s->nb; i++) {
		word = __atomic_load_n(&s->words[i], __ATOMIC_RELAXED);
		nb = word & RTE_COMCH_PMD_SHARE_MASK;
		/* the producer may renew it, or use it, at this moment */
		if (nb == 0 || word >= now || !__atomic_compare_exchange_n(&s->words[i], &word, 0,
				false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			continue;
		__atomic_fetch_sub(s->reserved, nb, __ATOMIC_RELAXED);
		found = true;
	}
	return found;
}

/**
 * @internal
 * Reserve more credits, which go into a share afterwards.
 *
 * @param s
 *   The shares of one consumer.
 * @param nb
 *   How many are wanted.
 * @return
 *   How many there are, up to nb.
 */
static inline uint32_t
rte_comch_pmd_share_keep(const struct rte_comch_pmd_shares *s, uint32_t nb)
{
	uint32_t reserved = __atomic_add_fetch(s->reserved, nb, __ATOMIC_RELAXED);
	uint32_t posted, lack = 0;
	uint64_t head;

	/* release: reserved; pairs with the acquire of head before a claim */
	head = __atomic_fetch_add(s->head, UINT64_C(1) << 32, __ATOMIC_RELEASE);
	posted = rte_comch_pmd_share_posted(s, head);
	if (reserved > posted)
		lack = RTE_MIN(reserved - posted, nb);
	if (lack != 0)
		__atomic_fetch_sub(s->reserved, lack, __ATOMIC_RELAXED);
	return nb - lack;
}

/**
 * @internal
 * Tell the credits of one of several producers, and keep them for it: its part of what is
 * posted, but one if there is any that nobody has.
 *
 * @param s
 *   The shares of one consumer.
 * @param producer
 *   Identifier of a producer; its share is in word producer modulo nb.
 * @param nb_producers
 *   Producers of the connection, 1 or more.
 * @param ms
 *   How long they are kept, in milliseconds; a share with half of it left is not renewed.
 * @return
 *   At least so many messages of the producer are taken.
 */
static inline uint32_t
rte_comch_pmd_share_get(const struct rte_comch_pmd_shares *s, uint32_t producer,
		uint32_t nb_producers, uint32_t ms)
{
	const uint64_t ticks = rte_get_tsc_hz() / MS_PER_S * ms, now = rte_get_tsc_cycles();
	const uint64_t until = (now + ticks) & ~RTE_COMCH_PMD_SHARE_MASK;
	uint64_t *share = &s->words[producer % s->nb];
	uint64_t word = __atomic_load_n(share, __ATOMIC_RELAXED);
	uint32_t own = word & RTE_COMCH_PMD_SHARE_MASK, posted, part, more = 0;

	posted = rte_comch_pmd_share_posted(s, __atomic_load_n(s->head, __ATOMIC_RELAXED));
	part = RTE_MIN(RTE_MAX(posted / nb_producers, 1u), posted);
	if (own >= part && word > now + ticks / 2)
		return RTE_MIN(own, posted);
	if (own < part) {
		more = rte_comch_pmd_share_keep(s, part - own);
		if (more < part - own && rte_comch_pmd_share_expire(s))
			more += rte_comch_pmd_share_keep(s, part - own - more);
	}
	/* relaxed: whoever swaps it first has it */
	if (!__atomic_compare_exchange_n(share, &word, until | (own + more), false,
			__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		own = 0; /* it was late, and taken away */
		__atomic_store_n(share, until | more, __ATOMIC_RELAXED);
	}
	return RTE_MIN(own + more, posted);
}

/**
 * @internal
 * Tell how many posts a producer may claim when head is so.
 *
 * @param s
 *   The shares of one consumer.
 * @param producer
 *   Identifier of a producer; its share is in word producer modulo nb.
 * @param head
 *   What head said.
 * @param nb
 *   How many it wants.
 * @return
 *   How many it may claim, up to nb.
 */
static inline uint32_t
rte_comch_pmd_share_limit(const struct rte_comch_pmd_shares *s, uint32_t producer,
		uint64_t head, uint32_t nb)
{
	uint32_t own = __atomic_load_n(&s->words[producer % s->nb], __ATOMIC_RELAXED) &
		RTE_COMCH_PMD_SHARE_MASK;
	uint32_t reserved = __atomic_load_n(s->reserved, __ATOMIC_RELAXED);
	uint32_t posted = rte_comch_pmd_share_posted(s, head);
	uint32_t others = reserved > own ? reserved - own : 0;

	return RTE_MIN(nb, RTE_MAX(own, posted > others ? posted - others : 0));
}

/**
 * @internal
 * Claim positions from head on for one of several producers.
 *
 * @param s
 *   The shares of one consumer.
 * @param producer
 *   Identifier of a producer; its share is in word producer modulo nb.
 * @param head
 *   What head said, read with acquire.
 * @param nb
 *   How many it wants.
 * @param[out] taken
 *   How many it got: nb, or as many as others leave it. Written if true is returned.
 * @return
 *   False if another one was first: read head again.
 */
static inline bool
rte_comch_pmd_share_claim(const struct rte_comch_pmd_shares *s, uint32_t producer,
		uint64_t head, uint32_t nb, uint32_t *taken)
{
	uint32_t n = nb;
	uint64_t next;

	if (__atomic_load_n(s->reserved, __ATOMIC_RELAXED) != 0) {
		n = rte_comch_pmd_share_limit(s, producer, head, nb);
		if (n < nb && rte_comch_pmd_share_expire(s))
			n = rte_comch_pmd_share_limit(s, producer, head, nb);
	}
	next = (head & ~(uint64_t)UINT32_MAX) | (uint32_t)((uint32_t)head + n);
	/* release: what was seen of the tail; pairs with the acquire of head before a claim */
	if (!__atomic_compare_exchange_n(s->head, &head, next, false, __ATOMIC_RELEASE,
			__ATOMIC_RELAXED))
		return false;
	rte_comch_pmd_share_put(s, producer, n);
	*taken = n;
	return true;
}

#ifdef __cplusplus
}
#endif

#endif /* RTE_COMCH_PMD_SHARE_H */
