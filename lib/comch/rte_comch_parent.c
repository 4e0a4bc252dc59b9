/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Parents: what queues live on, which is a connection or a message queue. It counts
 * them, gives them identifiers, stays as long as one of them does, and tells those that
 * are started of its end. Whether it can be used is asked of its kind.
 */

#include <errno.h>

#include "comch_id.h"
#include "comch_private.h"

static size_t
ids_words(uint32_t max)
{
	return comch_id_words(comch_id_slots(max));
}

/* Words that it needs for so many consumers and producers. */
size_t
comch_parent_words(uint32_t max_consumers, uint32_t max_producers)
{
	return ids_words(max_consumers) + ids_words(max_producers);
}

/* One that is all zero, with as many words as it needs, all zero, too. */
void
comch_parent_init(struct comch_parent *parent, const struct comch_parent_kind *kind,
		struct rte_comch_dev *dev, uint32_t max_consumers, uint32_t max_producers,
		uint64_t *words)
{
	parent->kind = kind;
	parent->dev = dev;
	parent->consumers.max = max_consumers;
	parent->consumers.used = words;
	parent->producers.max = max_producers;
	parent->producers.used = words + ids_words(max_consumers);
	parent->refs = 1;
	rte_spinlock_init(&parent->lock);
	TAILQ_INIT(&parent->queues);
}

/* With the lock: an identifier, and a reference with it; or why not. */
int
comch_parent_id_take(struct comch_parent *parent, bool is_consumer, uint32_t *id)
{
	struct comch_ids *ids = is_consumer ? &parent->consumers : &parent->producers;
	uint32_t nb_slots = comch_id_slots(ids->max), slot;
	int ret = parent->kind->usable(parent);

	if (ret != 0)
		return ret;
	if (ids->nb >= ids->max)
		return -ENOSPC;
	ids->last = comch_id_next(ids->last, ids->used, nb_slots);
	slot = ids->last & (nb_slots - 1);
	ids->used[slot / 64] |= RTE_BIT64(slot % 64);
	ids->nb++;
	parent->refs++;
	*id = ids->last;
	return 0;
}

/* Without the lock: why no consumer or producer had room, and what makes some. */
void
comch_parent_full(const struct comch_parent *parent, bool is_consumer)
{
	const struct comch_ids *ids = is_consumer ? &parent->consumers : &parent->producers;
	const char *what = is_consumer ? "consumer" : "producer";

	if (parent->msgq != NULL)
		COMCH_LOG(ERR, "%s: no %s: message queue %u has %u: destroy one, or raise its max_%ss",
			parent->dev->data->name, what, parent->msgq->id, ids->max, what);
	else
		COMCH_LOG(ERR, "%s: no %s: the connection has %u, the most of this device: destroy one",
			parent->dev->data->name, what, ids->max);
}

/* With the lock: the reference is left to the caller. */
void
comch_parent_id_give(struct comch_parent *parent, bool is_consumer, uint32_t id)
{
	struct comch_ids *ids = is_consumer ? &parent->consumers : &parent->producers;
	uint32_t slot = id & (comch_id_slots(ids->max) - 1);

	ids->used[slot / 64] &= ~RTE_BIT64(slot % 64);
	ids->nb--;
}

/* Drop one reference, and with it perhaps the parent. */
void
comch_parent_put(struct comch_parent *parent)
{
	bool last;

	rte_spinlock_lock(&parent->lock);
	last = --parent->refs == 0;
	rte_spinlock_unlock(&parent->lock);
	if (last)
		parent->kind->free(parent);
}

/* A place on it for a queue that is whole but for its identifier. */
int
comch_parent_queue_add(struct comch_parent *parent, struct comch_queue *queue)
{
	int ret;

	rte_spinlock_lock(&parent->lock);
	ret = comch_parent_id_take(parent, queue->drv.is_consumer, &queue->drv.id);
	if (ret == 0)
		TAILQ_INSERT_TAIL(&parent->queues, queue, next_parent);
	rte_spinlock_unlock(&parent->lock);
	if (ret == -ENOSPC)
		comch_parent_full(parent, queue->drv.is_consumer);
	return ret;
}

void
comch_parent_queue_del(struct comch_queue *queue)
{
	struct comch_parent *parent = queue->parent;

	rte_spinlock_lock(&parent->lock);
	TAILQ_REMOVE(&parent->queues, queue, next_parent);
	parent->leaked |= queue->ctx.lost;
	comch_parent_id_give(parent, queue->drv.is_consumer, queue->drv.id);
	rte_spinlock_unlock(&parent->lock);
}

/* Whether its queues can be made and started now, as far as anybody can tell. */
int
comch_parent_usable(struct comch_parent *parent)
{
	int ret;

	rte_spinlock_lock(&parent->lock);
	ret = parent->kind->usable(parent);
	rte_spinlock_unlock(&parent->lock);
	return ret;
}

/* It is over: the queues that are started learn of it, each in its thread. */
void
comch_parent_down(struct comch_parent *parent)
{
	struct comch_queue *queue;

	rte_spinlock_lock(&parent->lock);
	TAILQ_FOREACH(queue, &parent->queues, next_parent) {
		if (!queue->started)
			continue;
		queue->started = false;
		queue->nb_events++;
		if (rte_comch_pmd_event_post(queue->ctx.pe, &queue->parent_down) != 0)
			queue->nb_events--;
	}
	rte_spinlock_unlock(&parent->lock);
}
