/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Credits: what is rare of them. Shares are made and taken here; claims without them
 * are inline. No message is touched, and no lock is taken.
 */

#include <errno.h>

#include <rte_comch_pmd_share.h>

#include "bluefield_credits.h"
#include "bluefield_times.h"

static struct rte_comch_pmd_shares
shares_of(struct bf_credits *cr)
{
	return (struct rte_comch_pmd_shares){
		.head = &cr->head,
		.reserved = &cr->reserved,
		.words = cr->shares,
		.nb = BF_MAX_PRODUCERS,
		.size = cr->size,
		.tail = &cr->tail,
	};
}

int
bf_credits_told(struct bf_credits *cr, uint32_t tail)
{
	/* head first: it is of what was told before, so what is newer than that is ahead */
	const uint32_t ahead = tail - (uint32_t)bf_credits_head(cr);
	uint32_t old = __atomic_load_n(&cr->tail, __ATOMIC_RELAXED);

	if (ahead > cr->size && (int32_t)(tail - old) > 0)
		return -EPROTO;
	/* relaxed: a number, which orders nothing */
	while ((int32_t)(tail - old) > 0 && !__atomic_compare_exchange_n(&cr->tail, &old, tail,
			false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	return 0;
}

uint32_t
bf_credits_share(struct bf_credits *cr, uint32_t producer, uint32_t nb_producers)
{
	const struct rte_comch_pmd_shares s = shares_of(cr);

	return rte_comch_pmd_share_get(&s, producer, nb_producers, BF_SHARE_MS);
}

bool
bf_credits_claim_shared(struct bf_credits *cr, uint32_t producer, uint64_t head, uint32_t nb,
	uint32_t *taken)
{
	const struct rte_comch_pmd_shares s = shares_of(cr);

	return rte_comch_pmd_share_claim(&s, producer, head, nb, taken);
}

void
bf_credits_drop(struct bf_credits *cr, uint32_t producer)
{
	const struct rte_comch_pmd_shares s = shares_of(cr);

	rte_comch_pmd_share_put(&s, producer, UINT32_MAX);
}

uint32_t
bf_credits_close(struct bf_credits *cr)
{
	__atomic_store_n(&cr->closed, 1, __ATOMIC_RELAXED);
	/* release: closed; pairs with the acquire in bf_credits_head() */
	return (uint32_t)__atomic_fetch_add(&cr->head, UINT64_C(1) << 32, __ATOMIC_RELEASE);
}
