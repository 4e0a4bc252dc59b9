/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Producers and consumers of this side on message queues: how they are made and freed,
 * what can be asked about them, and how their engines sleep. Bursts are in shm_msgq_tx.c
 * and shm_msgq_rx.c. All runs in the thread of the engine.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shm_fast.h"
#include "shm_msgq.h"

/* Where the program has a word of the header of HOST. */
static uint64_t
armed_addr(const struct shm_dpa *dpa, uint32_t group)
{
	return dpa->segs.seg[SHM_DPA_HOST].addr + offsetof(struct shm_dpa_host, groups) +
		group * sizeof(struct shm_dpa_host_group);
}

static void
mq_lock(struct shm_msgq *mq)
{
	pthread_mutex_lock(&mq->lock); /* check-ok: waiters must sleep */
}

static void
mq_unlock(struct shm_msgq *mq)
{
	pthread_mutex_unlock(&mq->lock); /* check-ok: waiters must sleep */
}

/*
 * Consumers
 */

/*
 * Places of the ring: twice as many as posts, so that what is posted next is not in the
 * line that the program writes to next.
 */
static uint32_t
rx_ring(uint32_t size)
{
	return rte_align32pow2(2 * size);
}

static void
rx_describe(struct shm_msgq_rx *rx)
{
	const struct rte_comch_queue *queue = rx->queue;
	struct shm_msgq_sink *sink = rx->host.host;

	rx->sink = sink;
	rx->entries = (const struct shm_entry *)(const void *)
		((const uint8_t *)rx->prog.host + sizeof(struct shm_msgq_sink_state));
	sink->id = queue->id;
	sink->mask = rx->mask;
	sink->imm_len = queue->imm_len;
	sink->group = rx->group_index;
	sink->state = rx->prog.dpa;
	sink->entries = rx->prog.dpa + sizeof(struct shm_msgq_sink_state);
	sink->armed = armed_addr(rx->mq->dpa, rx->group_index);
	sink->serial = shm_msgq_serial(rx->mq->dpa);
	sink->magic = SHM_MSGQ_MAGIC_SINK;
}

static uint64_t *
rx_entry(struct shm_msgq_rx *rx)
{
	return &rx->mq->host->sinks[rx->queue->id & (rx->mq->host->max_consumers - 1)];
}

/* The same for this side. */
static struct shm_msgq_rx **
rx_place(struct shm_msgq_rx *rx)
{
	return &rx->mq->consumers[rx->queue->id & (rx->mq->host->max_consumers - 1)];
}

static int
rx_setup(struct rte_comch_queue *queue, struct rte_comch_fp_object *fp)
{
	struct shm_group *group = container_of(queue->pg, struct shm_group, pg);
	uint32_t ring = rx_ring(queue->size);
	size_t size = sizeof(struct shm_msgq_rx) + ring * sizeof(uint64_t);
	struct shm_msgq_rx *rx;
	int ret;

	size = RTE_ALIGN_CEIL(size, (size_t)SHM_MSGQ_ALIGN);
	rx = aligned_alloc(SHM_MSGQ_ALIGN, size);
	if (rx == NULL)
		return -ENOMEM;
	memset(rx, 0, size);
	rx->mq = queue->msgq->priv;
	rx->queue = queue;
	rx->group = group;
	rx->size = queue->size;
	rx->mask = ring - 1;
	rx->imm_len = queue->imm_len;
	ret = shm_dpa_places_alloc(rx->mq->dpa, sizeof(*rx->sink),
			sizeof(struct shm_msgq_sink_state) + ring * sizeof(struct shm_entry),
			&rx->host, &rx->prog);
	if (ret != 0)
		goto fail;
	ret = shm_dpa_group_join(rx->mq->dpa, group, &rx->group_index);
	if (ret != 0) {
		shm_dpa_places_free(rx->mq->dpa, &rx->host, &rx->prog);
		goto fail;
	}
	rx_describe(rx);
	TAILQ_INSERT_TAIL(&group->msgq_rxs, rx, next);
	mq_lock(rx->mq);
	/* release: what is there is complete; pairs with the acquire of the program */
	__atomic_store_n(rx_entry(rx), rx->host.dpa, __ATOMIC_RELEASE);
	*rx_place(rx) = rx;
	mq_unlock(rx->mq);
	rx->here = true;
	queue->priv = rx;
	fp->queue = rx;
	fp->post = shm_msgq_post_burst;
	fp->poll = shm_msgq_cpl_poll;
	return 0;
fail:
	free(rx);
	return ret;
}

/* The program finds it no more, and none of its units is about to write to it. */
static void
rx_withdraw(struct shm_msgq_rx *rx)
{
	if (!rx->here)
		return;
	mq_lock(rx->mq);
	__atomic_store_n(rx_entry(rx), 0, __ATOMIC_RELAXED); /* B */
	*rx_place(rx) = NULL;
	mq_unlock(rx->mq);
	rx->here = false;
	rx->leaked = !shm_msgq_units_left(rx->mq->dpa);
}

static void
rx_close(struct rte_comch_queue *queue)
{
	struct shm_msgq_rx *rx = queue->priv;

	rx_withdraw(rx);
	/* a unit that kept its address looks at the entry first, which is empty */
	__atomic_store_n(&rx->sink->serial, 0, __ATOMIC_RELAXED);
	TAILQ_REMOVE(&rx->group->msgq_rxs, rx, next);
	shm_dpa_group_leave(rx->mq->dpa, rx->group_index);
	/* else it is the program's until it is stopped */
	if (!rx->leaked)
		shm_dpa_places_free(rx->mq->dpa, &rx->host, &rx->prog);
	free(rx);
	queue->priv = NULL;
}

/*
 * Producers
 */

static int
tx_setup(struct rte_comch_queue *queue, struct rte_comch_fp_object *fp)
{
	struct shm_group *group = container_of(queue->pg, struct shm_group, pg);
	size_t size = sizeof(struct shm_msgq_tx) + queue->size * sizeof(uint64_t);
	struct shm_msgq *mq = queue->msgq->priv;
	struct shm_msgq_tx *tx;
	int ret;

	size = RTE_ALIGN_CEIL(size, (size_t)SHM_MSGQ_ALIGN);
	tx = aligned_alloc(SHM_MSGQ_ALIGN, size);
	if (tx == NULL)
		return -ENOMEM;
	memset(tx, 0, size);
	tx->mq = mq;
	tx->queue = queue;
	tx->group = group;
	tx->id = queue->id & SHM_ENTRY_PRODUCER_MASK;
	tx->busy = SHM_MSGQ_NO_SLOT;
	tx->mask = queue->size - 1;
	tx->fence = shm_fences_needed();
	ret = shm_dpa_group_join(mq->dpa, group, &tx->group_index);
	if (ret != 0) {
		free(tx);
		return ret;
	}
	mq_lock(mq);
	mq->producers[queue->id & (SHM_MSGQ_MAX_PRODUCERS - 1)] = tx;
	__atomic_store_n(&mq->host->last_producer, queue->id, __ATOMIC_RELAXED);
	mq_unlock(mq);
	TAILQ_INSERT_TAIL(&group->msgq_txs, tx, next);
	queue->priv = tx;
	fp->queue = tx;
	fp->send = shm_msgq_send_burst;
	fp->poll = shm_msgq_sent_poll;
	fp->credits = shm_msgq_credits;
	return 0;
}

static void
tx_close(struct rte_comch_queue *queue)
{
	struct shm_msgq_tx *tx = queue->priv;

	shm_msgq_tx_want(tx, false);
	TAILQ_REMOVE(&tx->group->msgq_txs, tx, next);
	mq_lock(tx->mq);
	tx->mq->producers[queue->id & (SHM_MSGQ_MAX_PRODUCERS - 1)] = NULL;
	mq_unlock(tx->mq);
	shm_dpa_group_leave(tx->mq->dpa, tx->group_index);
	free(tx);
	queue->priv = NULL;
}

/*
 * Both
 */

int
shm_msgq_queue_setup(struct rte_comch_queue *queue, struct rte_comch_fp_object *fp)
{
	struct shm_msgq *mq = queue->msgq->priv;

	if (shm_dpa_is_down(mq->dpa))
		return -EIO;
	return queue->is_consumer ? rx_setup(queue, fp) : tx_setup(queue, fp);
}

/* What was taken was put: nothing of a producer is under way. */
int
shm_msgq_queue_stop(struct rte_comch_queue *queue, int status)
{
	struct shm_msgq_rx *rx = queue->priv;

	if (!queue->is_consumer)
		return 0;
	rx_withdraw(rx);
	rx->flush = status;
	return 0;
}

void
shm_msgq_queue_free(struct rte_comch_queue *queue)
{
	if (queue->is_consumer)
		rx_close(queue);
	else
		tx_close(queue);
}

int
shm_msgq_queue_room(struct rte_comch_queue *queue, uint32_t consumer_id,
		struct rte_comch_room *room)
{
	const struct shm_msgq_rx *rx = queue->priv;
	struct shm_msgq_tx *tx = queue->priv;
	int ret;

	if (queue->is_consumer) {
		room->credits = rx->post_pos - rx->poll_pos;
		room->queue = rx->size - room->credits;
		room->reason = rx->reason;
		return 0;
	}
	if (shm_dpa_is_down(tx->mq->dpa))
		return -ENOTCONN;
	ret = shm_msgq_tx_credits(tx, consumer_id, &room->credits);
	room->queue = tx->mask + 1 - (tx->tail - tx->head);
	room->reason = tx->reason;
	return ret;
}

/* Of several producers, nobody knows who gets which credit. */
uint32_t
shm_msgq_queue_takes(struct rte_comch_queue *queue, uint32_t consumer_id, uint64_t len,
		uint32_t max)
{
	uint32_t credits;

	if (len != 0 || queue->msgq->max_producers > 1)
		return 0;
	shm_msgq_tx_credits(queue->priv, consumer_id, &credits);
	return RTE_MIN(credits, max);
}

uint32_t
shm_msgq_consumer_left(const struct rte_comch_queue *queue)
{
	const struct shm_msgq_rx *rx = queue->priv;

	return rx->post_pos - rx->poll_pos;
}

/*
 * Event mode
 */

void
shm_msgq_group_arm(struct shm_group *group)
{
	struct shm_msgq_rx *rx;
	struct shm_msgq_tx *tx;

	TAILQ_FOREACH(rx, &group->msgq_rxs, next)
		shm_dpa_group_arm(rx->mq->dpa, rx->group_index, group->sleeps);
	TAILQ_FOREACH(tx, &group->msgq_txs, next) {
		shm_dpa_group_arm(tx->mq->dpa, tx->group_index, group->sleeps);
		shm_msgq_tx_want(tx, true);
	}
}

bool
shm_msgq_group_pending(struct shm_group *group)
{
	struct shm_msgq_rx *rx;
	struct shm_msgq_tx *tx;
	bool pending = false;

	TAILQ_FOREACH(rx, &group->msgq_rxs, next)
		pending |= shm_msgq_rx_pending(rx);
	TAILQ_FOREACH(tx, &group->msgq_txs, next)
		pending |= shm_msgq_tx_pending(tx);
	return pending;
}

/* What came since the engine was awake the last time explains that it is. */
static void
group_awake(struct shm_dpa *dpa, uint32_t index, uint64_t now, uint64_t *before)
{
	shm_dpa_group_arm(dpa, index, 0);
	shm_dpa_group_drain(dpa, index, now - *before);
	*before = now;
}

void
shm_msgq_group_disarm(struct shm_group *group)
{
	const struct rte_comch_queue_stats *stats;
	struct shm_msgq_rx *rx;
	struct shm_msgq_tx *tx;

	TAILQ_FOREACH(rx, &group->msgq_rxs, next)
		group_awake(rx->mq->dpa, rx->group_index, rx->queue->stats.msgs, &rx->nb_seen);
	TAILQ_FOREACH(tx, &group->msgq_txs, next) {
		stats = &tx->queue->stats;
		group_awake(tx->mq->dpa, tx->group_index, stats->msgs + stats->short_credits,
			&tx->nb_seen);
		shm_msgq_tx_want(tx, false);
	}
}
