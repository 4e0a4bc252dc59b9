/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Credits: what is rare of them. Shares are made and taken here; claims without them
 * are inline. No message is touched, and no lock is taken.
 */

#include <errno.h>

#include <rte_cycles.h>

#include "bluefield_credits.h"
#include "bluefield_times.h"

/* Below the time, in units that leave these bits for the number. */
#define SHARE_BITS 16
#define SHARE_MASK ((UINT64_C(1) << SHARE_BITS) - 1)
#define GENERATION (UINT64_C(1) << 32)

int
bf_credits_told(struct bf_credits *cr, uint32_t tail)
{
	uint32_t old = __atomic_load_n(&cr->tail, __ATOMIC_RELAXED);

	if (tail - (uint32_t)bf_credits_head(cr) > cr->size && (int32_t)(tail - old) > 0)
		return -EPROTO;
	/* relaxed: a number, which orders nothing */
	while ((int32_t)(tail - old) > 0 && !__atomic_compare_exchange_n(&cr->tail, &old, tail,
			false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	return 0;
}

static uint64_t *
share_of(struct bf_credits *cr, uint32_t producer)
{
	return &cr->shares[producer % BF_MAX_PRODUCERS];
}

static uint64_t
share_word(uint64_t until, uint32_t nb)
{
	return (until & ~SHARE_MASK) | nb;
}

/* Give back nb of a share, or what is left of it. */
static void
share_put(struct bf_credits *cr, uint64_t *share, uint32_t nb)
{
	uint64_t word = __atomic_load_n(share, __ATOMIC_RELAXED);
	uint32_t n;

	do {
		n = RTE_MIN(nb, (uint32_t)(word & SHARE_MASK));
		if (n == 0)
			return;
	} while (!__atomic_compare_exchange_n(share, &word, word - n, false, __ATOMIC_RELAXED,
			__ATOMIC_RELAXED));
	__atomic_fetch_sub(&cr->kept, n, __ATOMIC_RELAXED);
}

/* Those that were not used in time; whether there was one. */
static bool
shares_expire(struct bf_credits *cr)
{
	const uint64_t now = rte_get_tsc_cycles();
	bool found = false;
	uint64_t word;
	uint32_t i, nb;

	for (i = 0; i < BF_MAX_PRODUCERS; i++) {
		word = __atomic_load_n(&cr->shares[i], __ATOMIC_RELAXED);
		nb = word & SHARE_MASK;
		/* the producer may renew it, or use it, at this moment */
		if (nb == 0 || word >= now || !__atomic_compare_exchange_n(&cr->shares[i], &word,
				0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			continue;
		__atomic_fetch_sub(&cr->kept, nb, __ATOMIC_RELAXED);
		found = true;
	}
	return found;
}

/* Keep up to nb more credits for somebody; how many there are. */
static uint32_t
share_keep(struct bf_credits *cr, uint32_t nb)
{
	uint32_t kept = __atomic_add_fetch(&cr->kept, nb, __ATOMIC_RELAXED);
	uint32_t posted, lack = 0;
	uint64_t head;

	/* release: kept; pairs with the acquire in bf_credits_head() */
	head = __atomic_fetch_add(&cr->head, GENERATION, __ATOMIC_RELEASE);
	posted = bf_credits_at(cr, head);
	if (kept > posted)
		lack = RTE_MIN(kept - posted, nb);
	if (lack != 0)
		__atomic_fetch_sub(&cr->kept, lack, __ATOMIC_RELAXED);
	return nb - lack;
}

uint32_t
bf_credits_share(struct bf_credits *cr, uint32_t producer, uint32_t nb_producers)
{
	const uint64_t ticks = rte_get_tsc_hz() / MS_PER_S * BF_SHARE_MS;
	const uint64_t now = rte_get_tsc_cycles();
	uint64_t *share = share_of(cr, producer), word = __atomic_load_n(share, __ATOMIC_RELAXED);
	uint32_t own = word & SHARE_MASK, posted = bf_credits_now(cr), part, more = 0;

	part = RTE_MIN(RTE_MAX(posted / nb_producers, 1u), posted);
	if (own >= part && word > now + ticks / 2)
		return RTE_MIN(own, posted);
	if (own < part) {
		more = share_keep(cr, part - own);
		if (more < part - own && shares_expire(cr))
			more += share_keep(cr, part - own - more);
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
share_limit(struct bf_credits *cr, uint32_t producer, uint64_t head, uint32_t nb)
{
	uint32_t own = __atomic_load_n(share_of(cr, producer), __ATOMIC_RELAXED) & SHARE_MASK;
	uint32_t kept = __atomic_load_n(&cr->kept, __ATOMIC_RELAXED);
	uint32_t posted = bf_credits_at(cr, head), others;

	others = kept > own ? kept - own : 0;
	return RTE_MIN(nb, RTE_MAX(own, posted > others ? posted - others : 0));
}

bool
bf_credits_claim_shared(struct bf_credits *cr, uint32_t producer, uint64_t head, uint32_t nb,
	uint32_t *taken)
{
	uint32_t n = share_limit(cr, producer, head, nb);
	uint64_t next;

	if (n < nb && shares_expire(cr))
		n = share_limit(cr, producer, head, nb);
	next = (head & ~(uint64_t)UINT32_MAX) | (uint32_t)((uint32_t)head + n);
	/* relaxed: positions order nothing */
	if (!__atomic_compare_exchange_n(&cr->head, &head, next, false, __ATOMIC_RELAXED,
			__ATOMIC_RELAXED))
		return false;
	share_put(cr, share_of(cr, producer), n);
	*taken = n;
	return true;
}

void
bf_credits_drop(struct bf_credits *cr, uint32_t producer)
{
	share_put(cr, share_of(cr, producer), UINT32_MAX);
}

uint32_t
bf_credits_close(struct bf_credits *cr)
{
	__atomic_store_n(&cr->closed, 1, __ATOMIC_RELAXED);
	/* release: closed; pairs with the acquire in bf_credits_head() */
	return (uint32_t)__atomic_fetch_add(&cr->head, GENERATION, __ATOMIC_RELEASE);
}
