/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Producers of this side on message queues: bursts, completions, credits. Everything here
 * runs in the thread of one producer and takes no lock, but for telling of a program that
 * lies. What the program writes is loaded once and checked. The pairs of memory orders
 * are named in shm_fence.h and shm_msgq_wire.h.
 */

#include <errno.h>
#include <string.h>

#include <rte_branch_prediction.h>

#include "shm_fast.h"
#include "shm_msgq.h"
#include "shm_msgq_batch.h"

/* Look a slot up, and keep the target until tx_leave(). */
static inline struct shm_msgq_target *
tx_enter_slot(struct shm_msgq_tx *tx, uint32_t slot)
{
	__atomic_store_n(&tx->busy, slot, __ATOMIC_RELAXED);
	shm_light_fence(tx->fence); /* R */
	/* acquire: pairs with the release in target_create() */
	return __atomic_load_n(&tx->mq->targets[slot], __ATOMIC_ACQUIRE);
}

/* The same by identifier. */
static inline struct shm_msgq_target *
tx_enter(struct shm_msgq_tx *tx, uint32_t consumer_id)
{
	struct shm_msgq_target *t;

	t = tx_enter_slot(tx, consumer_id & (tx->mq->msgq->max_consumers - 1));
	return likely(t != NULL && t->id == consumer_id) ? t : NULL;
}

static inline void
tx_leave(struct shm_msgq_tx *tx)
{
	/* release: what was done to the target is done; pairs with producers_settle() */
	__atomic_store_n(&tx->busy, SHM_MSGQ_NO_SLOT, __ATOMIC_RELEASE);
}

/* Credits behind head, up to what is wanted; a look at the program's tail if need be. */
static inline int
target_credits(struct shm_msgq_target *t, uint32_t head, uint32_t want, uint32_t *credits)
{
	/* acquire: pairs with the release below, of another producer */
	uint32_t nb = __atomic_load_n(&t->tail_seen, __ATOMIC_ACQUIRE) - head;
	uint32_t tail;

	/* more than there can be: it is older than head */
	if (nb < want || nb > t->mask + 1) {
		tail = shm_entry_tail_get(&t->state->tail);
		nb = tail - head;
		if (unlikely(nb > t->mask + 1))
			return -EPROTO;
		__atomic_store_n(&t->tail_seen, tail, __ATOMIC_RELEASE);
	}
	*credits = RTE_MIN(nb, want);
	return 0;
}

/* Take up to want positions from *head on; how many, or why none. */
static inline int
target_claim(struct shm_msgq_target *t, uint32_t want, uint32_t *pos)
{
	/* acquire: so the tail is not older than the one that whoever moved it has seen */
	uint32_t head = __atomic_load_n(&t->head, __ATOMIC_ACQUIRE), credits;
	int ret;

	do {
		ret = target_credits(t, head, want, &credits);
		/* of an older head it says nothing: if that is so, there is another turn */
		if (unlikely(ret != 0 || credits == 0)) {
			if (head == __atomic_load_n(&t->head, __ATOMIC_RELAXED))
				return ret != 0 ? ret : -EAGAIN;
			head = __atomic_load_n(&t->head, __ATOMIC_ACQUIRE);
			credits = 0;
			continue;
		}
		if (likely(!t->shared)) {
			__atomic_store_n(&t->head, head + credits, __ATOMIC_RELAXED);
			break;
		}
	} while (credits == 0 || !__atomic_compare_exchange_n(&t->head, &head, head + credits,
			false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	*pos = head + SHM_ENTRY_START;
	return credits;
}

static __rte_noinline void
target_wake(struct shm_msgq_target *t, uint32_t armed)
{
	/* once for each request; what the program writes there costs a call at most */
	if (__atomic_exchange_n(&t->woken, armed, __ATOMIC_RELAXED) != armed)
		shm_dpa_wake_asked(t->dpa, t->unit);
}

/* What came in the way of a burst, for those who ask and for the counters. */
static __rte_noinline void
short_note(struct shm_msgq_tx *tx, uint32_t consumer_id, uint32_t unit, int reason)
{
	struct rte_comch_queue_stats *stats = &tx->queue->stats;

	if (shm_dpa_is_down(tx->mq->dpa))
		reason = -ENOTCONN;
	else if (reason == -EPROTO)
		shm_dpa_violation(tx->mq->dpa, unit, "its consumer's credits", consumer_id,
			tx->mq->msgq->id);
	tx->reason = reason != -EPROTO ? reason : -ENOTCONN;
	if (reason == -EAGAIN) {
		tx->starved |= RTE_BIT64(consumer_id & (tx->mq->msgq->max_consumers - 1));
		stats->short_credits++;
	} else if (reason == -ENOBUFS) {
		stats->short_queue++;
	} else {
		stats->errors++;
	}
}

/* Whether a message may be sent, and why not. */
static inline int
send_check(const struct shm_msgq_target *t, const struct rte_comch_send *msg)
{
	if (likely(msg->imm_len <= t->imm_len && msg->len == 0 &&
			msg->flags <= RTE_COMCH_SEND_F_NO_CPL &&
			(msg->imm != NULL || msg->imm_len == 0)))
		return 0;
	if (msg->len != 0)
		return -EMSGSIZE; /* no post has a buffer */
	return msg->imm_len > t->imm_len ? -E2BIG : -EINVAL;
}

/* Messages of one length, up to the end of the ring; the positions are ours. How many. */
static __rte_always_inline uint32_t
put_batch(struct shm_msgq_tx *tx, struct shm_msgq_target *t, const struct rte_comch_send *msgs,
		uint32_t nb, uint32_t pos)
{
	struct shm_msgq_batch batch = {
		.entries = t->entries, .mask = t->mask, .pos = pos, .len = msgs[0].imm_len,
		.producer = tx->id,
	};
	const uint32_t step = shm_entry_step(batch.len);
	uint8_t *to = batch.entries[pos & batch.mask].imm;

	nb = RTE_MIN(nb, shm_entry_batch_room(pos, batch.mask));
	shm_entry_own(to, nb * step);
	for (; batch.nb < nb && msgs[batch.nb].imm_len == batch.len; batch.nb++, to += step)
		shm_entry_copy(to, msgs[batch.nb].imm, batch.len);
	shm_msgq_batch_publish(&batch);
	return batch.nb;
}

/* Up to a chunk of messages; how many were put, and why these are not all. */
static __rte_always_inline uint32_t
send_chunk(struct shm_msgq_tx *tx, struct shm_msgq_target *t, const struct rte_comch_send *msgs,
		uint32_t nb, int *reason)
{
	const uint32_t places = tx->mask + 1 - (tx->tail - tx->head);
	uint32_t tail = tx->tail, pos = 0, i;
	int got;

	if (unlikely(places < nb)) {
		*reason = -ENOBUFS;
		nb = places;
	}
	for (i = 0; i < nb; i++) {
		got = send_check(t, &msgs[i]);
		if (unlikely(got != 0)) {
			*reason = got;
			nb = i;
		}
	}
	if (unlikely(nb == 0))
		return 0;
	got = target_claim(t, nb, &pos);
	if (unlikely(got != (int)nb)) {
		*reason = got < 0 ? got : -EAGAIN;
		if (got < 0)
			return 0;
		nb = got;
	}
	for (i = 0; i < nb; i++) {
		tx->sent[tail & tx->mask] = msgs[i].cookie;
		tail += msgs[i].flags == 0;
	}
	tx->tail = tail;
	for (i = 0; i < nb; )
		i += put_batch(tx, t, &msgs[i], nb - i, pos + i);
	return nb;
}

/* There is no such consumer, or none any more. */
static __rte_noinline uint16_t
no_target(struct shm_msgq_tx *tx, uint32_t consumer_id)
{
	tx_leave(tx);
	short_note(tx, consumer_id, SHM_DPA_NO_EU, -ENOENT);
	return 0;
}

uint16_t
shm_msgq_send_burst(void *queue, uint32_t consumer_id, const struct rte_comch_send *msgs,
		uint16_t nb)
{
	struct shm_msgq_tx *tx = queue;
	struct shm_msgq_target *t;
	uint32_t sent = 0, armed, unit;
	int reason = 0;

	t = tx_enter(tx, consumer_id);
	if (unlikely(t == NULL))
		return no_target(tx, consumer_id);
	while (sent < nb && likely(reason == 0))
		sent += send_chunk(tx, t, &msgs[sent],
				RTE_MIN(nb - sent, (uint32_t)SHM_MSGQ_CHUNK), &reason);
	if (likely(sent != 0)) {
		tx->queue->stats.msgs += sent;
		tx->queue->stats.bursts++;
		armed = shm_entry_armed_get(t->armed, t->fence); /* A */
		if (unlikely(armed != 0))
			target_wake(t, armed);
	}
	unit = t->unit;
	tx_leave(tx);
	tx->reason = 0;
	if (unlikely(reason != 0))
		short_note(tx, consumer_id, unit, reason);
	return sent;
}

uint16_t
shm_msgq_sent_poll(void *queue, struct rte_comch_cpl *cpls, uint16_t nb)
{
	struct shm_msgq_tx *tx = queue;
	uint32_t n = RTE_MIN(tx->tail - tx->head, (uint32_t)nb);
	uint32_t pos = tx->head, end = pos + n;

	for (; pos != end; pos++, cpls++) {
		cpls->cookie = tx->sent[pos & tx->mask];
		cpls->len = 0;
		cpls->producer_id = 0;
		cpls->status = 0;
		cpls->imm_len = 0;
		cpls->reserved = 0;
	}
	tx->head = end;
	return n;
}

/* Credits that nobody has claimed; what cannot be is none. */
static uint32_t
target_credits_now(const struct shm_msgq_target *t)
{
	/* the tail first: it only grows, and so does head */
	uint32_t tail = shm_entry_tail_get(&t->state->tail);
	uint32_t nb = tail - __atomic_load_n(&t->head, __ATOMIC_RELAXED);

	return nb <= t->mask + 1 ? nb : 0;
}

/* 0, or -ENOENT. */
int
shm_msgq_tx_credits(struct shm_msgq_tx *tx, uint32_t consumer_id, uint32_t *credits)
{
	struct shm_msgq_target *t = tx_enter(tx, consumer_id);

	*credits = likely(t != NULL) ? target_credits_now(t) : 0;
	tx_leave(tx);
	return t != NULL ? 0 : -ENOENT;
}

uint32_t
shm_msgq_credits(void *queue, uint32_t consumer_id)
{
	uint32_t credits;

	shm_msgq_tx_credits(queue, consumer_id, &credits);
	return credits;
}

/* Have the consumers that gave no credit wake the engine when they do, or not any more. */
void
shm_msgq_tx_want(struct shm_msgq_tx *tx, bool want)
{
	const uint32_t bit = RTE_BIT32(tx->group_index);
	struct shm_msgq_target *t;
	uint64_t starved;

	for (starved = tx->starved; starved != 0; starved &= starved - 1) {
		t = tx_enter_slot(tx, __builtin_ctzll(starved));
		if (t != NULL && want)
			__atomic_fetch_or(&t->cons->want, bit, __ATOMIC_RELAXED); /* W */
		else if (t != NULL)
			__atomic_fetch_and(&t->cons->want, ~bit, __ATOMIC_RELAXED);
		tx_leave(tx);
	}
}

/* Behind the fence of an engine: is there something to do? */
bool
shm_msgq_tx_pending(struct shm_msgq_tx *tx)
{
	bool pending = tx->tail != tx->head;
	struct shm_msgq_target *t;
	uint64_t starved, bit;

	for (starved = tx->starved; starved != 0; starved &= starved - 1) {
		bit = starved & -starved;
		t = tx_enter_slot(tx, __builtin_ctzll(starved));
		if (t == NULL || target_credits_now(t) != 0) {
			/* say so once: the application may not want to send any more */
			if (t != NULL)
				__atomic_fetch_and(&t->cons->want, ~RTE_BIT32(tx->group_index),
					__ATOMIC_RELAXED);
			tx->starved &= ~bit;
			pending = true;
		}
		tx_leave(tx);
	}
	return pending;
}
