/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Idle consumers: their engine does not look at them, because nothing has come
 * for a while, and the producers of the peer flip their bells. Only consumers with
 * tasks become idle.
 *
 * How a consumer becomes idle, without a message that is lost: it says so in the
 * word idle of its segment, and is polled on. Some time later its group has all
 * threads of all processes pass a fence, once for all consumers that have said so.
 * Then it looks once more, and is idle if there is nothing. This is pair A of shm_fence.h.
 *
 * How a bell is flipped, by any number of threads: one of them counts the flip, by
 * compare and swap, and flips. It does that only if idle says that the consumer has
 * seen all flips before. So one flip at most is under way, and two never cancel each
 * other. While one is under way nobody has to flip: when the group sees it, it looks
 * at the consumer, and before that is idle again it says that it has seen the flip.
 */

#include <errno.h>
#include <stdlib.h>

#include <rte_cycles.h>

#include "shm_fast.h"

/*
 * Bells of this side's consumers
 */

/* A free bell of its group on this link: 0, -ENOMEM or -ENOSPC. */
int
shm_qbell_get_locked(struct shm_consumer *c, struct shm_link *link)
{
	struct shm_qbells **qbells = &link->qbells[c->group->index];
	uint32_t w, bit;

	if (*qbells == NULL)
		*qbells = calloc(1, sizeof(**qbells));
	if (*qbells == NULL)
		return -ENOMEM;
	for (w = 0; w < SHM_WIRE_QBELL_WORDS && (*qbells)->used[w] == UINT64_MAX; w++)
		;
	if (w == SHM_WIRE_QBELL_WORDS)
		return -ENOSPC;
	bit = __builtin_ctzll(~(*qbells)->used[w]);
	(*qbells)->used[w] |= RTE_BIT64(bit);
	c->bell = w * 64 + bit;
	c->qbells = *qbells;
	return 0;
}

void
shm_qbell_put_locked(struct shm_consumer *c)
{
	if (c->qbells != NULL)
		c->qbells->used[c->bell / 64] &= ~RTE_BIT64(c->bell % 64);
	c->qbells = NULL;
}

/* From now on its group looks at its bell; false if the link is gone. */
static bool
qbell_join(struct shm_consumer *c)
{
	struct shm_qbells *qbells = c->qbells;
	const uint32_t w = c->bell / 64;
	struct shm_glink *glink;

	TAILQ_FOREACH(glink, &c->group->glinks, next)
		if (glink->link == c->link)
			break;
	if (glink == NULL)
		return false;
	glink->qbells = qbells;
	qbells->consumers[c->bell] = c;
	qbells->mask[w] |= RTE_BIT64(c->bell % 64);
	qbells->nb_words = RTE_MAX(qbells->nb_words, w + 1);
	c->joined = true;
	return true;
}

void
shm_qbell_leave(struct shm_consumer *c)
{
	if (!c->joined)
		return;
	c->qbells->mask[c->bell / 64] &= ~RTE_BIT64(c->bell % 64);
	c->qbells->consumers[c->bell] = NULL;
	c->joined = false;
}

/* With the link; no consumer is left. */
void
shm_qbells_free(struct shm_link *link)
{
	uint32_t i;

	for (i = 0; i < SHM_WIRE_MAX_GROUPS; i++) {
		free(link->qbells[i]);
		free(link->qflips[i]);
	}
}

/*
 * Becoming idle, and coming back
 */

/* Have the producers flip its bell; false if that cannot be. */
static bool
idle_say(struct shm_consumer *c)
{
	if (c->qbells == NULL || (!c->joined && !qbell_join(c)))
		return false;
	c->is_idle = true;
	c->idle_fence = c->group->idle_fence;
	shm_idle_set(&c->own->idle, c->qbells->seen[c->bell]);
	return true;
}

int
shm_queue_idle(struct rte_comch_queue *queue)
{
	struct shm_consumer *c = queue->priv;

	if (!queue->is_consumer)
		return -ENOTSUP; /* sends of a producer complete at once */
	if (queue->msgq != NULL)
		return -EAGAIN; /* a program rings no bells: it is polled in each turn */
	if (!c->is_idle) {
		if (!idle_say(c))
			return -ENOTSUP;
		c->group->idle_wanted = true;
		return -EAGAIN;
	}
	if (c->idle_fence == c->group->idle_fence || shm_consumer_pending(c))
		return -EAGAIN;
	return 0;
}

/*
 * A: what has said that it is idle may do so when it has looked once more. The fence
 * is a system call and disturbs all other threads, so it serves many consumers.
 */
void
shm_idle_fence(struct shm_group *group, uint64_t now)
{
	group->idle_wanted = false;
	group->next_idle = now + rte_get_tsc_hz() / MS_PER_S * SHM_IDLE_MS;
	shm_barrier_all();
	group->idle_fence++;
}

/* The engine is about to sleep, and looks at no consumer. The fence follows. */
void
shm_consumer_arm(struct shm_consumer *c)
{
	/* the first look is at what is its own thread's: others are set by an answer */
	if (c->post_pos != c->poll_pos && !c->is_idle)
		idle_say(c);
}

/* In each turn: those whose bells were flipped are looked at again. */
void
shm_qbells_scan(struct shm_glink *glink)
{
	const uint64_t *words = glink->link->peer->groups[glink->group->index].bells;
	struct shm_qbells *qbells = glink->qbells;
	struct shm_consumer *c;
	uint32_t i, bell;
	uint64_t diff;

	for (i = 0; i < qbells->nb_words; i++) {
		diff = (shm_idle_bells(&words[i]) ^ qbells->shadow[i]) & qbells->mask[i];
		if (likely(diff == 0))
			continue;
		qbells->shadow[i] ^= diff;
		do {
			bell = i * 64 + __builtin_ctzll(diff);
			diff &= diff - 1;
			qbells->seen[bell]++;
			c = qbells->consumers[bell];
			c->is_idle = false;
			shm_idle_clear(&c->own->idle);
			rte_comch_pmd_queue_ring(c->queue);
		} while (diff != 0);
	}
}

/* Behind the fence: was one of them flipped? */
bool
shm_qbells_pending(const struct shm_glink *glink)
{
	const uint64_t *words = glink->link->peer->groups[glink->group->index].bells;
	const struct shm_qbells *qbells = glink->qbells;
	uint64_t diff = 0;
	uint32_t i;

	for (i = 0; qbells != NULL && i < qbells->nb_words; i++)
		diff |= (__atomic_load_n(&words[i], __ATOMIC_RELAXED) ^ qbells->shadow[i]) &
			qbells->mask[i];
	return diff != 0;
}

/*
 * Bells of the peer's consumers
 */

/* Counts of the flips for one group of the peer, or NULL. */
uint32_t *
shm_qflips_get_locked(struct shm_link *link, uint32_t group)
{
	if (link->qflips[group] == NULL)
		link->qflips[group] = calloc(SHM_WIRE_MAX_QBELLS, sizeof(uint32_t));
	return link->qflips[group];
}

/*
 * After something was published for a consumer that does not look: it is idle, or
 * its engine sleeps. By any producer.
 */
void
shm_remote_consumer_ring(struct shm_remote_consumer *rc, uint32_t armed)
{
	if (rc->bell == NULL) {
		shm_link_wake(rc->link, rc->peer_group, armed);
		return;
	}
	if (!shm_idle_flip(rc->peer_armed, rc->flips, rc->bell, rc->bell_mask))
		return;
	armed = shm_idle_armed_get(&rc->link->peer->groups[rc->peer_group].armed);
	if (armed != 0)
		shm_link_wake(rc->link, rc->peer_group, armed);
}
