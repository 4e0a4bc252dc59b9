/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef SHM_BURST_H
#define SHM_BURST_H

/*
 * What the bursts of all layouts have in common, inline: claims, credits and wake-ups
 * of producers, and the publication of posts. Not included but by the files of the
 * bursts, and no message is touched here. The pairs of memory orders are named in
 * shm_fence.h.
 */

#include <errno.h>

#include "shm_fast.h"

/*
 * Producers
 */

static inline void
rc_leave(struct shm_producer *p)
{
	shm_busy_clear(p->busy); /* O, R */
}

/*
 * After something was published: tell the consumer's engine, if it sleeps or does not
 * look at this consumer.
 */
static inline void
rc_wake(struct shm_remote_consumer *rc)
{
	const uint32_t armed = shm_idle_get(rc->peer_armed, rc->fence); /* A */

	if (unlikely(armed != 0))
		shm_remote_consumer_ring(rc, armed);
}

/* Posts behind head, up to what is wanted; a look at the peer's tail if need be. */
static inline int
rc_credits(struct shm_remote_consumer *rc, uint64_t head, uint32_t want, uint32_t *credits)
{
	/* acquire: pairs with the release below, of another producer */
	uint32_t nb = __atomic_load_n(&rc->tail_seen, __ATOMIC_ACQUIRE) - (uint32_t)head;
	uint32_t tail;

	/* more than there can be: it is older than head */
	if (nb < want || nb > rc->mask + 1) {
		/* P: pairs with the release in post_publish() */
		tail = __atomic_load_n(&rc->posts->tail, __ATOMIC_ACQUIRE);
		nb = tail - (uint32_t)head;
		if (unlikely(nb > rc->mask + 1))
			return -EPROTO;
		__atomic_store_n(&rc->tail_seen, tail, __ATOMIC_RELEASE);
	}
	*credits = RTE_MIN(nb, want);
	return 0;
}

/* The same for one: whether there is one, and nothing is wrong. */
static inline bool
rc_credit(struct shm_remote_consumer *rc, uint32_t head)
{
	uint32_t tail;

	/* acquire: pairs with the release below, of another producer */
	if (likely(__atomic_load_n(&rc->tail_seen, __ATOMIC_ACQUIRE) - head - 1 <= rc->mask))
		return true;
	/* P: pairs with the release in post_publish() */
	tail = __atomic_load_n(&rc->posts->tail, __ATOMIC_ACQUIRE);
	if (unlikely(tail - head - 1 > rc->mask))
		return false;
	__atomic_store_n(&rc->tail_seen, tail, __ATOMIC_RELEASE);
	return true;
}

/*
 * What a chunk of a burst works on: positions from head on, none of them beyond
 * the end of the ring, so that they are one row and of one lap.
 */
struct chunk {
	uint64_t head;
	uint32_t nb;  /* claimed */
	int reason;   /* why these are not all, or 0 */
	uint64_t words[SHM_CHUNK];
	uint8_t *dst[SHM_CHUNK]; /* none for a message without data */
	uint8_t none;
};

/*
 * Take the positions of a chunk; false if another producer was first. Then what
 * was read of the posts may be of another lap, and says nothing: not even with
 * nb 0, that there is nothing or that it is wrong. There may be fewer than were
 * wanted, for other producers have shares, or because they are long: then the reason is 0.
 * words: the chunk has them.
 */
static inline bool
rc_claim(struct shm_producer *p, struct shm_remote_consumer *rc, struct chunk *ch, bool words)
{
	const uint64_t head = ch->head;
	uint32_t nb = ch->nb;
	bool mine;

	__atomic_store_n(&p->claiming, 1, __ATOMIC_RELAXED);
	shm_light_fence(false); /* X */
	/* acquire: pairs with the release in producer_unlink_locked() */
	if (likely(__atomic_load_n(&p->fast->shared, __ATOMIC_ACQUIRE) == 0)) {
		/* alone now, but perhaps not when head was read */
		mine = __atomic_load_n(&rc->head, __ATOMIC_RELAXED) == head;
		if (likely(mine))
			__atomic_store_n(&rc->head, head + nb, __ATOMIC_RELAXED);
	} else {
		nb = shm_share_claim(p, rc, head, nb, words ? ch->words : NULL);
		mine = nb != SHM_NO_CLAIM;
		if (nb < ch->nb) {
			ch->nb = nb;
			ch->reason = words && nb != 0 ? 0 : -EAGAIN;
		}
	}
	/* release: pairs with the acquire in shm_producers_settle_locked() */
	__atomic_store_n(&p->claiming, 0, __ATOMIC_RELEASE);
	return mine;
}

static inline void
burst_end(struct shm_producer *p, struct shm_remote_consumer *rc, uint32_t sent)
{
	if (likely(sent != 0)) {
		rc_wake(rc);
		p->queue->stats.msgs += sent;
		p->queue->stats.bursts++;
	}
	rc_leave(p);
	p->reason = 0;
}

/*
 * Consumers
 */

static inline uint32_t
nb_posted(const struct shm_consumer *c)
{
	return c->post_pos - c->poll_pos;
}

static inline void
post_publish(struct shm_consumer *c)
{
	uint32_t want;

	/* P: pairs with the acquire in rc_credits() */
	__atomic_store_n(&c->own->tail, c->post_pos, __ATOMIC_RELEASE);
	shm_light_fence(c->fence); /* A */
	want = __atomic_load_n(&c->cpls->want, __ATOMIC_RELAXED);
	if (unlikely(want != 0))
		shm_post_wake(c, want);
}

#endif /* SHM_BURST_H */
