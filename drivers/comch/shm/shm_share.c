/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Shares of credits: what one of several producers of a process has been told that it
 * can send to a consumer, and no other takes meanwhile. No message is touched here, and
 * nothing of it is called while there is one producer.
 *
 * A share is a number and no positions, so that one that is not used does not hold up
 * the messages of others. It is in a word of its producer, with the time until which it
 * is kept; kept, of the consumer, is the sum of all. A producer may claim what it has a
 * share of, or what no other has.
 *
 * How a share is made, while others claim: it is added to kept first. Then the upper half
 * of head changes, which says nothing but that something has changed: claims that have
 * not seen kept compare and swap in vain, and look again. What head said then tells
 * whether there are credits for it. What is too much is given back.
 *
 * Who takes a share away, its producer or another one that finds it late, swaps its word,
 * and takes what was in it from kept afterwards. In between kept is too much, which makes
 * others find less than there is, and breaks no promise.
 */

#include <rte_cycles.h>

#include "shm_fast.h"

/* Below the time, in units that leave these bits for the number. */
#define SHARE_BITS 16
#define SHARE_MASK ((UINT64_C(1) << SHARE_BITS) - 1)

_Static_assert(SHM_WIRE_MAX_POSTS <= SHARE_MASK, "the number of a share");

static uint64_t *
share_of(const struct shm_producer *p, struct shm_remote_consumer *rc)
{
	return &rc->shares[p->slot % SHM_WIRE_MAX_PRODUCERS];
}

static uint64_t
share_word(uint64_t until, uint32_t nb)
{
	return (until & ~SHARE_MASK) | nb;
}

/* Posts that nobody has claimed when head was so; what cannot be is none. */
static uint32_t
posted_at(const struct shm_remote_consumer *rc, uint64_t head)
{
	/* P: pairs with the release in post_publish() */
	uint32_t nb = __atomic_load_n(&rc->posts->tail, __ATOMIC_ACQUIRE) - (uint32_t)head;

	return nb <= rc->mask + 1 ? nb : 0;
}

/* Give back nb of a share, or what is left of it. */
static void
share_put(struct shm_remote_consumer *rc, uint64_t *share, uint32_t nb)
{
	uint64_t word = __atomic_load_n(share, __ATOMIC_RELAXED);
	uint32_t n;

	do {
		n = RTE_MIN(nb, (uint32_t)(word & SHARE_MASK));
		if (n == 0)
			return;
	} while (!__atomic_compare_exchange_n(share, &word, word - n, false, __ATOMIC_RELAXED,
			__ATOMIC_RELAXED));
	__atomic_fetch_sub(&rc->kept, n, __ATOMIC_RELAXED);
}

/* Those that were not used in time; whether there was one. */
static bool
shares_expire(struct shm_remote_consumer *rc)
{
	const uint64_t now = rte_get_tsc_cycles();
	bool found = false;
	uint64_t word;
	uint32_t i, nb;

	for (i = 0; i < SHM_WIRE_MAX_PRODUCERS; i++) {
		word = __atomic_load_n(&rc->shares[i], __ATOMIC_RELAXED);
		nb = word & SHARE_MASK;
		/* the producer may renew it, or use it, at this moment */
		if (nb == 0 || word >= now || !__atomic_compare_exchange_n(&rc->shares[i], &word,
				0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			continue;
		__atomic_fetch_sub(&rc->kept, nb, __ATOMIC_RELAXED);
		found = true;
	}
	return found;
}

/* Keep up to nb more credits for somebody; how many there are. */
static uint32_t
share_keep(struct shm_remote_consumer *rc, uint32_t nb)
{
	uint32_t kept = __atomic_add_fetch(&rc->kept, nb, __ATOMIC_RELAXED);
	uint64_t head;
	uint32_t posted, lack = 0;

	/* release: kept; pairs with the acquire in shm_share_claim() */
	head = __atomic_fetch_add(&rc->head, UINT64_C(1) << 32, __ATOMIC_RELEASE);
	posted = posted_at(rc, head);
	if (kept > posted)
		lack = RTE_MIN(kept - posted, nb);
	if (lack != 0)
		__atomic_fetch_sub(&rc->kept, lack, __ATOMIC_RELAXED);
	return nb - lack;
}

/*
 * The credits of one of several producers, which are kept for it from now on: its part
 * of what is posted, but one if there is any that nobody has.
 */
uint32_t
shm_share_get(const struct shm_producer *p, struct shm_remote_consumer *rc, uint32_t nb_producers)
{
	const uint64_t ticks = rte_get_tsc_hz() / MS_PER_S * SHM_SHARE_MS;
	const uint64_t now = rte_get_tsc_cycles();
	uint64_t *share = share_of(p, rc), word = __atomic_load_n(share, __ATOMIC_RELAXED);
	uint32_t own = word & SHARE_MASK, posted, part, more = 0;

	posted = posted_at(rc, __atomic_load_n(&rc->head, __ATOMIC_RELAXED));
	part = RTE_MIN(RTE_MAX(posted / nb_producers, 1u), posted);
	if (own >= part && word > now + ticks / 2)
		return RTE_MIN(own, posted);
	if (own < part) {
		more = share_keep(rc, part - own);
		if (more < part - own && shares_expire(rc))
			more += share_keep(rc, part - own - more);
	}
	/* relaxed: whoever swaps it first has it */
	if (!__atomic_compare_exchange_n(share, &word, share_word(now + ticks, own + more), false,
			__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		own = 0; /* it was late, and taken away */
		__atomic_store_n(share, share_word(now + ticks, more), __ATOMIC_RELAXED);
	}
	return RTE_MIN(own + more, posted);
}

/* How many of nb this producer may claim when head is so. */
static uint32_t
share_limit(const struct shm_producer *p, struct shm_remote_consumer *rc, uint64_t head,
		uint32_t nb)
{
	uint32_t own = __atomic_load_n(share_of(p, rc), __ATOMIC_RELAXED) & SHARE_MASK;
	uint32_t kept = __atomic_load_n(&rc->kept, __ATOMIC_RELAXED);
	uint32_t posted = posted_at(rc, head), others;

	others = kept > own ? kept - own : 0;
	return RTE_MIN(nb, RTE_MAX(own, posted > others ? posted - others : 0));
}

/*
 * One of several producers takes positions from head on: nb of them, or as many as
 * others leave it. How many, or SHM_NO_CLAIM if another one was first, as for rc_claim().
 */
uint32_t
shm_share_claim(const struct shm_producer *p, struct shm_remote_consumer *rc, uint64_t head,
		uint32_t nb)
{
	uint32_t n = nb;

	/* acquire: the shares that were made before; pairs with the release in share_keep() */
	if (__atomic_load_n(&rc->head, __ATOMIC_ACQUIRE) != head)
		return SHM_NO_CLAIM;
	if (__atomic_load_n(&rc->kept, __ATOMIC_RELAXED) != 0) {
		n = share_limit(p, rc, head, nb);
		if (n < nb && shares_expire(rc))
			n = share_limit(p, rc, head, nb);
	}
	/* release: the tail that was seen; pairs with the acquire in chunk_begin() */
	if (!__atomic_compare_exchange_n(&rc->head, &head, head + n, false, __ATOMIC_RELEASE,
			__ATOMIC_RELAXED))
		return SHM_NO_CLAIM;
	share_put(rc, share_of(p, rc), n);
	return n;
}

/* The producer goes, or has had all while it was alone; the lock is held. Any thread. */
void
shm_shares_drop_locked(const struct shm_producer *p)
{
	struct shm_remote_consumer *rc;
	uint32_t i;

	for (i = 0; i < SHM_WIRE_MAX_CONSUMERS; i++) {
		/* relaxed: it was put there under the lock */
		rc = __atomic_load_n(&p->fast->rcs[i], __ATOMIC_RELAXED);
		if (rc != NULL)
			share_put(rc, share_of(p, rc), UINT32_MAX);
	}
}
