/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Shares of credits of several producers of a process, see rte_comch_pmd_share.h. Nothing
 * here is called while there is one producer.
 */

#include <rte_comch_pmd_share.h>

#include "shm_fast.h"

_Static_assert(SHM_WIRE_MAX_POSTS <= RTE_COMCH_PMD_SHARE_MASK, "the number of a share");

static struct rte_comch_pmd_shares
shares_of(struct shm_remote_consumer *rc)
{
	return (struct rte_comch_pmd_shares){
		.head = &rc->head,
		.reserved = &rc->reserved,
		.words = rc->shares,
		.nb = SHM_WIRE_MAX_PRODUCERS,
		.size = rc->mask + 1,
		.tail = &rc->posts->tail, /* P: acquired */
	};
}

/*
 * X: have the producers claim, unless the one that was alone is still inside of a claim that
 * it began then. p looks, and is inside of none itself; the lock is held.
 */
void
shm_producers_settle_locked(const struct shm_producer *p)
{
	const struct shm_producer *one = __atomic_load_n(&p->fast->unsettled, __ATOMIC_RELAXED);

	/* acquire: what it has claimed; pairs with the release in rc_claim(), and others */
	if (one == NULL || (one != p && __atomic_load_n(&one->claiming, __ATOMIC_ACQUIRE) != 0))
		return;
	/* release: the same; pairs with the acquire in share_settled() */
	__atomic_store_n(&p->fast->unsettled, NULL, __ATOMIC_RELEASE);
}

/*
 * Whether p may claim. If not, nobody waits for the one that was alone, whose thread may not
 * run: who tries again looks again.
 */
static bool
share_settled(const struct shm_producer *p)
{
	struct shm_dev *dev = p->queue->dev->priv;

	/* acquire: pairs with the release in shm_producers_settle_locked() */
	if (likely(__atomic_load_n(&p->fast->unsettled, __ATOMIC_ACQUIRE) == NULL))
		return true;
	if (shm_dev_trylock(dev)) {
		shm_producers_settle_locked(p);
		shm_dev_unlock(dev);
	}
	return __atomic_load_n(&p->fast->unsettled, __ATOMIC_ACQUIRE) == NULL;
}

/* The credits of one of several producers, which are kept for it from now on. */
uint32_t
shm_share_get(const struct shm_producer *p, struct shm_remote_consumer *rc, uint32_t nb_producers)
{
	const struct rte_comch_pmd_shares s = shares_of(rc);

	if (unlikely(!share_settled(p)))
		return 0;
	return rte_comch_pmd_share_get(&s, p->slot, nb_producers, SHM_SHARE_MS);
}

/* Messages that one producer claims at once, by their words: those of others wait behind them. */
static uint32_t
share_piece(const uint64_t *words, uint32_t nb)
{
	uint64_t bytes = 0;
	uint32_t i;

	for (i = 0; i < nb; i++) {
		bytes += words[i] >> SHM_WIRE_CPL_LEN_SHIFT;
		if (bytes > SHM_PUBLISH_BYTES && i != 0)
			break;
	}
	return i;
}

/*
 * One of several producers takes positions from head on: nb of them, or as many as
 * others leave it, or a piece of what the words say, if there are some. How many, or
 * SHM_NO_CLAIM if another one was first, as for rc_claim().
 */
uint32_t
shm_share_claim(const struct shm_producer *p, struct shm_remote_consumer *rc, uint64_t head,
		uint32_t nb, const uint64_t *words)
{
	const struct rte_comch_pmd_shares s = shares_of(rc);

	/* acquire: the shares that were made before; pairs with rte_comch_pmd_share_keep() */
	if (__atomic_load_n(&rc->head, __ATOMIC_ACQUIRE) != head)
		return SHM_NO_CLAIM;
	if (unlikely(!share_settled(p)))
		return 0;
	if (words != NULL)
		nb = share_piece(words, nb);
	return rte_comch_pmd_share_claim(&s, p->slot, head, nb, &nb) ? nb : SHM_NO_CLAIM;
}

/* The producer goes, or has had all while it was alone; the lock is held. Any thread. */
void
shm_shares_drop_locked(const struct shm_producer *p)
{
	struct rte_comch_pmd_shares s;
	struct shm_remote_consumer *rc;
	uint32_t i;

	for (i = 0; i < SHM_WIRE_MAX_CONSUMERS; i++) {
		/* relaxed: it was put there under the lock */
		rc = __atomic_load_n(&p->fast->rcs[i], __ATOMIC_RELAXED);
		if (rc == NULL)
			continue;
		s = shares_of(rc);
		rte_comch_pmd_share_put(&s, p->slot, UINT32_MAX);
	}
}
