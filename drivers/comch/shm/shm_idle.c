/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Idle consumers: their engine does not look at them, because nothing has come
 * for a while, and the producers of the peer toggle their doorbells. Only consumers with
 * tasks become idle.
 *
 * How a consumer becomes idle, without a message that is lost: it says so in the
 * word idle of its segment, and is polled on. Some time later its group has all
 * threads of all processes pass a fence, once for all consumers that have said so.
 * Then it looks once more, and is idle if there is nothing. This is pair A of shm_fence.h.
 *
 * How a doorbell is toggled, by any number of threads: one of them counts the toggle, by
 * compare and swap, and toggles. It does that only if idle says that the consumer has
 * seen all toggles before. So one toggle at most is under way, and two never cancel each
 * other. While one is under way nobody has to toggle: when the group sees it, it looks
 * at the consumer, and before that is idle again it says that it has seen the toggle.
 */

#include <errno.h>
#include <stdlib.h>

#include <rte_cycles.h>

#include "shm_fast.h"

/*
 * Doorbells of this side's consumers
 */

/* A free doorbell of its group on this link: 0, -ENOMEM or -ENOSPC. */
int
shm_qdoorbell_get_locked(struct shm_consumer *c, struct shm_link *link)
{
	struct shm_qdoorbells **qdoorbells = &link->qdoorbells[c->group->index];
	uint32_t w, bit;

	if (*qdoorbells == NULL)
		*qdoorbells = calloc(1, sizeof(**qdoorbells));
	if (*qdoorbells == NULL)
		return -ENOMEM;
	for (w = 0; w < SHM_WIRE_QDOORBELL_WORDS && (*qdoorbells)->used[w] == UINT64_MAX; w++)
		;
	if (w == SHM_WIRE_QDOORBELL_WORDS)
		return -ENOSPC;
	bit = __builtin_ctzll(~(*qdoorbells)->used[w]);
	(*qdoorbells)->used[w] |= RTE_BIT64(bit);
	c->doorbell = w * 64 + bit;
	c->qdoorbells = *qdoorbells;
	return 0;
}

void
shm_qdoorbell_put_locked(struct shm_consumer *c)
{
	if (c->qdoorbells != NULL)
		c->qdoorbells->used[c->doorbell / 64] &= ~RTE_BIT64(c->doorbell % 64);
	c->qdoorbells = NULL;
}

/* From now on its group looks at its doorbell; false if the link is gone. */
static bool
qdoorbell_join(struct shm_consumer *c)
{
	struct shm_qdoorbells *qdoorbells = c->qdoorbells;
	const uint32_t w = c->doorbell / 64;
	struct shm_glink *glink;

	TAILQ_FOREACH(glink, &c->group->glinks, next)
		if (glink->link == c->link)
			break;
	if (glink == NULL)
		return false;
	glink->qdoorbells = qdoorbells;
	qdoorbells->consumers[c->doorbell] = c;
	qdoorbells->mask[w] |= RTE_BIT64(c->doorbell % 64);
	qdoorbells->nb_words = RTE_MAX(qdoorbells->nb_words, w + 1);
	c->joined = true;
	return true;
}

void
shm_qdoorbell_leave(struct shm_consumer *c)
{
	if (!c->joined)
		return;
	c->qdoorbells->mask[c->doorbell / 64] &= ~RTE_BIT64(c->doorbell % 64);
	c->qdoorbells->consumers[c->doorbell] = NULL;
	c->joined = false;
}

/* With the link; no consumer is left. */
void
shm_qdoorbells_free(struct shm_link *link)
{
	uint32_t i;

	for (i = 0; i < SHM_WIRE_MAX_GROUPS; i++) {
		free(link->qdoorbells[i]);
		free(link->qtoggles[i]);
	}
}

/*
 * Becoming idle, and coming back
 */

/* Have the producers toggle its doorbell; false if that cannot be. */
static bool
idle_say(struct shm_consumer *c)
{
	if (c->qdoorbells == NULL || (!c->joined && !qdoorbell_join(c)))
		return false;
	c->is_idle = true;
	c->idle_fence = c->group->idle_fence;
	shm_idle_set(&c->own->idle, c->qdoorbells->seen[c->doorbell]);
	return true;
}

int
shm_queue_idle(struct rte_comch_queue *queue)
{
	struct shm_consumer *c = queue->priv;

	if (!queue->is_consumer)
		return -ENOTSUP; /* sends of a producer complete at once */
	if (queue->msgq != NULL)
		return -EAGAIN; /* a program rings no doorbells: it is polled in each turn */
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

/* In each turn: those whose doorbells were toggled are looked at again. */
void
shm_qdoorbells_scan(struct shm_glink *glink)
{
	const uint64_t *words = glink->link->peer->groups[glink->group->index].doorbells;
	struct shm_qdoorbells *qdoorbells = glink->qdoorbells;
	struct shm_consumer *c;
	uint32_t i, doorbell;
	uint64_t diff;

	for (i = 0; i < qdoorbells->nb_words; i++) {
		diff = (shm_idle_doorbells(&words[i]) ^ qdoorbells->shadow[i]) &
			qdoorbells->mask[i];
		if (likely(diff == 0))
			continue;
		qdoorbells->shadow[i] ^= diff;
		do {
			doorbell = i * 64 + __builtin_ctzll(diff);
			diff &= diff - 1;
			qdoorbells->seen[doorbell]++;
			c = qdoorbells->consumers[doorbell];
			c->is_idle = false;
			shm_idle_clear(&c->own->idle);
			rte_comch_pmd_queue_ring(c->queue);
		} while (diff != 0);
	}
}

/* Behind the fence: was one of them toggled? */
bool
shm_qdoorbells_pending(const struct shm_glink *glink)
{
	const uint64_t *words = glink->link->peer->groups[glink->group->index].doorbells;
	const struct shm_qdoorbells *qdoorbells = glink->qdoorbells;
	uint64_t diff = 0;
	uint32_t i;

	for (i = 0; qdoorbells != NULL && i < qdoorbells->nb_words; i++)
		diff |= (__atomic_load_n(&words[i], __ATOMIC_RELAXED) ^ qdoorbells->shadow[i]) &
			qdoorbells->mask[i];
	return diff != 0;
}

/*
 * Doorbells of the peer's consumers
 */

/* Counts of the toggles for one group of the peer, or NULL. */
uint32_t *
shm_qtoggles_get_locked(struct shm_link *link, uint32_t group)
{
	if (link->qtoggles[group] == NULL)
		link->qtoggles[group] = calloc(SHM_WIRE_MAX_QDOORBELLS, sizeof(uint32_t));
	return link->qtoggles[group];
}

/*
 * After something was published for a consumer that does not look: it is idle, or
 * its engine sleeps. By any producer.
 */
void
shm_remote_consumer_ring(struct shm_remote_consumer *rc, uint32_t armed)
{
	if (rc->doorbell == NULL) {
		shm_link_wake(rc->link, rc->peer_group, armed);
		return;
	}
	if (!shm_idle_toggle(rc->peer_armed, rc->toggles, rc->doorbell, rc->doorbell_mask))
		return;
	armed = shm_idle_armed_get(&rc->link->peer->groups[rc->peer_group].armed);
	if (armed != 0)
		shm_link_wake(rc->link, rc->peer_group, armed);
}
