/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Message queues, and what of them the program has: completion contexts, consumers and
 * producers of its end, made and freed. This side's producers and consumers are in
 * shm_msgq_queue.c.
 *
 * What is taken from the program goes out of the table in which it is found first. Then
 * all units pass a fence, and the memory is free when none is inside of a device function
 * any more that it was in before: the pair B of shm_msgq_wire.h. Where a unit does not
 * come out of one in time, the memory stays until the program is stopped.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>

#include "shm_fast.h"
#include "shm_msgq.h"

/* No thread is waked: this is never set. */
static const uint32_t never_armed;

/* Where the host has an address of HOST that it gave to the program. */
static void *
host_ptr(struct shm_dpa *dpa, uint64_t addr)
{
	const struct shm_dpa_seg *seg = &dpa->segs.seg[SHM_DPA_HOST];

	return seg->map + (addr - seg->addr);
}

/*
 * Endings
 */

/* A unit is inside of what it was in before, unless it comes out in time. */
static int
unit_settle(struct shm_dpa *dpa, uint32_t unit, uint64_t end)
{
	const uint64_t *looks = &shm_dpa_prog(dpa)->eus[unit].looks;
	/* acquire: what it did is done; B */
	uint64_t before = __atomic_load_n(looks, __ATOMIC_ACQUIRE);

	if (before % 2 == 0)
		return 0;
	while (__atomic_load_n(looks, __ATOMIC_ACQUIRE) == before) {
		if (shm_dpa_is_down(dpa))
			return 0;
		if (rte_get_tsc_cycles() > end)
			return -ETIMEDOUT;
		usleep(SHM_SETTLE_US);
	}
	return 0;
}

int
shm_msgq_units_settle(struct shm_dpa *dpa, uint32_t ms)
{
	uint64_t end = rte_comch_pmd_deadline(ms);
	uint32_t nb_eus = shm_dpa_host(dpa)->nb_eus, i;
	int ret;

	shm_barrier_all(); /* B */
	ret = unit_settle(dpa, SHM_DPA_RPC_EU, end);
	for (i = 0; i < nb_eus && ret == 0; i++)
		ret = unit_settle(dpa, i, end);
	return ret;
}

bool
shm_msgq_units_left(struct shm_dpa *dpa)
{
	if (shm_msgq_units_settle(dpa, SHM_MSGQ_SETTLE_MS) == 0)
		return true;
	if (__atomic_add_fetch(&dpa->nb_retained, 1, __ATOMIC_RELAXED) == SHM_MSGQ_MAX_RETAINED)
		shm_dpa_spins(dpa, SHM_DPA_NO_EU, "did not leave a device function");
	return false;
}

/* Free what the units do not find any more. */
static void
places_free(struct shm_dpa *dpa, struct shm_dpa_place *host, struct shm_dpa_place *prog)
{
	if (!shm_msgq_units_left(dpa)) {
		SHM_LOG(WARNING, "%s: a unit of the program stays in a device function: memory of a queue is retained until the program stops",
			dpa->name);
		return;
	}
	shm_dpa_places_free(dpa, host, prog);
}

static void
target_free(struct shm_dpa *dpa, struct shm_msgq_target *t)
{
	places_free(dpa, &t->host, &t->prog);
	free(t);
}

/* Have an entry of a table of HOST; -ENOSPC if all are taken. */
static int
table_add(uint64_t *table, uint32_t size, uint64_t addr)
{
	uint32_t i;

	for (i = 0; i < size; i++) {
		if (table[i] != 0)
			continue;
		/* release: what is there is complete; pairs with the loads of the program */
		__atomic_store_n(&table[i], addr, __ATOMIC_RELEASE);
		return 0;
	}
	return -ENOSPC;
}

static void
table_del(uint64_t *table, uint32_t size, uint64_t addr)
{
	uint32_t i;

	for (i = 0; i < size; i++)
		if (table[i] == addr)
			__atomic_store_n(&table[i], 0, __ATOMIC_RELAXED); /* B */
}

/* Never 0; as it is not small, what is in memory by chance is none. */
uint64_t
shm_msgq_serial(struct shm_dpa *dpa)
{
	return (uint64_t)SHM_DPA_MAGIC << 32 |
		__atomic_add_fetch(&dpa->last_serial, 1, __ATOMIC_RELAXED);
}

/*
 * Message queues
 */

int
shm_msgq_create(struct rte_comch_msgq *msgq)
{
	uint64_t size = sizeof(struct shm_msgq_host) + msgq->max_consumers * sizeof(uint64_t);
	struct shm_dpa *dpa = msgq->dpa->priv;
	struct shm_msgq *mq;
	int ret;

	if (shm_dpa_is_down(dpa))
		return -EIO;
	mq = calloc(1, sizeof(*mq));
	if (mq == NULL)
		return -ENOMEM;
	ret = shm_dpa_alloc_host(dpa, size, &mq->place);
	if (ret != 0) {
		free(mq);
		return ret;
	}
	pthread_mutex_init(&mq->lock, NULL); /* check-ok: waiters must sleep */
	mq->dpa = dpa;
	mq->msgq = msgq;
	mq->host = mq->place.host;
	mq->host->max_consumers = msgq->max_consumers;
	mq->host->max_producers = msgq->max_producers;
	msgq->priv = mq;
	return 0;
}

void
shm_msgq_destroy(struct rte_comch_msgq *msgq)
{
	struct shm_msgq *mq = msgq->priv;
	struct shm_dpa_place none = { 0 };
	struct shm_msgq_target *t;

	/* no producer of this side is left */
	while ((t = mq->retained) != NULL) {
		mq->retained = t->next_retained;
		target_free(mq->dpa, t);
	}
	/* a producer of the program may be inside still, though its handle is gone */
	places_free(mq->dpa, &mq->place, &none);
	pthread_mutex_destroy(&mq->lock); /* check-ok: waiters must sleep */
	free(mq);
	msgq->priv = NULL;
}

/* Positions taken and not given back, of a ring. The program has one of them: it may lie. */
static uint32_t
ring_waiting(const uint32_t *head, const uint32_t *done, uint32_t mask)
{
	/* first what follows: it is not behind the other then */
	uint32_t nb = __atomic_load_n(done, __ATOMIC_ACQUIRE);

	nb = __atomic_load_n(head, __ATOMIC_RELAXED) - nb;
	return nb <= mask + 1 ? nb : 0;
}

/* With the lock of the queue nobody frees what is in its tables. */
uint64_t
shm_msgq_waiting(const struct rte_comch_msgq *msgq)
{
	const struct shm_msgq_sink_state *sink;
	const struct shm_msgq_target *t;
	struct shm_msgq *mq = msgq->priv;
	const struct shm_msgq_rx *rx;
	uint64_t nb = 0;
	uint32_t i;

	pthread_mutex_lock(&mq->lock); /* check-ok: waiters must sleep */
	for (i = 0; i < SHM_MSGQ_MAX_CONSUMERS; i++) {
		/* acquire: pairs with the release in target_create() */
		t = __atomic_load_n(&mq->targets[i], __ATOMIC_ACQUIRE);
		if (t != NULL)
			nb += ring_waiting(&t->head, &t->state->head, t->mask);
		rx = mq->consumers[i];
		if (rx != NULL) {
			sink = rx->prog.host;
			nb += ring_waiting(&sink->head, &rx->poll_pos, rx->mask);
		}
	}
	pthread_mutex_unlock(&mq->lock); /* check-ok: waiters must sleep */
	return nb;
}

/*
 * Completion contexts
 */

/* The list of those that wake a unit; made with the first one, and kept. */
static struct shm_msgq_comps *
unit_comps(struct shm_dpa *dpa, uint32_t unit)
{
	uint64_t *addr = &shm_dpa_host(dpa)->eus[unit].completions;
	struct shm_dpa_place place;

	if (*addr == 0) {
		if (shm_dpa_alloc_host(dpa, sizeof(struct shm_msgq_comps), &place) != 0)
			return NULL;
		/* release: it is empty; pairs with the load of the unit */
		__atomic_store_n(addr, place.dpa, __ATOMIC_RELEASE);
	}
	return host_ptr(dpa, *addr);
}

static int
completion_join(struct shm_dpa *dpa, struct shm_msgq_completion *c, uint32_t unit)
{
	struct shm_msgq_comps *list = unit_comps(dpa, unit);

	if (list == NULL)
		return -ENOMEM;
	return table_add(list->comps, SHM_MSGQ_UNIT_COMPS, c->host.dpa);
}

int
shm_msgq_completion_create(struct rte_comch_dpa_completion *completion)
{
	uint32_t max_queues = rte_align32pow2(completion->max_queues);
	struct shm_dpa *dpa = completion->dpa->priv;
	struct shm_msgq_completion *c;
	int ret;

	c = calloc(1, sizeof(*c));
	if (c == NULL)
		return -ENOMEM;
	ret = shm_dpa_places_alloc(dpa, sizeof(*c->comp) + max_queues * sizeof(uint64_t),
			sizeof(struct shm_msgq_comp_state), &c->host, &c->prog);
	if (ret != 0)
		goto fail;
	c->comp = c->host.host;
	c->comp->type = completion->type == RTE_COMCH_DPA_COMPLETION_CONSUMER ?
		SHM_MSGQ_COMP_CONSUMER : SHM_MSGQ_COMP_PRODUCER;
	c->comp->depth = completion->depth;
	c->comp->max_queues = max_queues;
	c->comp->unit = completion->thread != NULL ? completion->thread->eu : SHM_MSGQ_NO_UNIT;
	c->comp->state = c->prog.dpa;
	c->comp->magic = SHM_MSGQ_MAGIC_COMP;
	if (completion->thread != NULL) {
		ret = completion_join(dpa, c, completion->thread->eu);
		if (ret != 0)
			goto fail_places;
	}
	completion->priv = c;
	completion->handle = c->host.dpa;
	return 0;
fail_places:
	shm_dpa_places_free(dpa, &c->host, &c->prog);
fail:
	free(c);
	return ret;
}

void
shm_msgq_completion_destroy(struct rte_comch_dpa_completion *completion)
{
	struct shm_msgq_completion *c = completion->priv;
	struct shm_dpa *dpa = completion->dpa->priv;

	if (c->comp->unit != SHM_MSGQ_NO_UNIT)
		table_del(unit_comps(dpa, c->comp->unit)->comps, SHM_MSGQ_UNIT_COMPS,
			c->host.dpa);
	c->comp->magic = 0;
	places_free(dpa, &c->host, &c->prog);
	free(c);
	completion->priv = NULL;
}

/*
 * Consumers of the program
 */

/*
 * Places of the ring: as many receives as can be posted, beside those elements that the
 * program has not given back, which keep their entries. And as many once more, as the last
 * messages of a batch lie before their own entries.
 */
static uint32_t
target_ring(const struct rte_comch_dpa_queue *queue)
{
	return rte_align32pow2(2 * queue->size + queue->completion->depth);
}

/* What the program reads of it. */
static void
target_describe(const struct rte_comch_dpa_queue *queue, struct shm_msgq_target *t)
{
	const struct shm_msgq *mq = queue->msgq->priv;
	struct shm_msgq_cons *cons = t->host.host;

	cons->id = queue->id;
	cons->size = queue->size;
	cons->mask = t->mask;
	cons->imm_len = queue->imm_len;
	cons->user_data = queue->user_data;
	cons->entries = t->host.dpa + sizeof(*cons);
	cons->state = t->prog.dpa;
	cons->msgq = mq->place.dpa;
	cons->magic = SHM_MSGQ_MAGIC_CONS;
}

/* What producers of this side need. */
static void
target_fill(const struct rte_comch_dpa_queue *queue, struct shm_msgq_target *t)
{
	const struct shm_msgq_completion *c = queue->completion->priv;
	const struct shm_msgq_comp_state *comp_state = c->prog.host;
	struct shm_msgq *mq = queue->msgq->priv;

	t->dpa = mq->dpa;
	t->cons = t->host.host;
	t->entries = (struct shm_entry *)(t->cons + 1);
	t->state = t->prog.host;
	t->unit = c->comp->unit;
	t->armed = t->unit != SHM_MSGQ_NO_UNIT ? &comp_state->armed : &never_armed;
	t->id = queue->id;
	t->imm_len = queue->imm_len;
	t->shared = queue->msgq->max_producers > 1;
	t->fence = shm_fences_needed() || (__atomic_load_n(&shm_dpa_prog(mq->dpa)->flags,
		__ATOMIC_RELAXED) & SHM_DPA_PROG_F_WHOLE) != 0;
}

static int
target_create(struct rte_comch_dpa_queue *queue)
{
	struct shm_msgq_completion *c = queue->completion->priv;
	struct shm_msgq *mq = queue->msgq->priv;
	uint32_t ring = target_ring(queue);
	struct shm_msgq_target *t;
	int ret;

	t = aligned_alloc(SHM_MSGQ_ALIGN, sizeof(*t));
	if (t == NULL)
		return -ENOMEM;
	memset(t, 0, sizeof(*t));
	ret = shm_dpa_places_alloc(mq->dpa,
			sizeof(struct shm_msgq_cons) + ring * sizeof(struct shm_entry),
			sizeof(struct shm_msgq_cons_state), &t->host, &t->prog);
	if (ret != 0) {
		free(t);
		return ret;
	}
	t->mask = ring - 1;
	target_fill(queue, t);
	target_describe(queue, t);
	ret = table_add(c->comp->queues, c->comp->max_queues, t->host.dpa);
	if (ret != 0) {
		shm_dpa_places_free(mq->dpa, &t->host, &t->prog);
		free(t);
		return ret;
	}
	queue->priv = t;
	queue->handle = t->host.dpa;
	/* release: pairs with the acquire in tx_enter_slot() */
	__atomic_store_n(&mq->targets[queue->id & (queue->msgq->max_consumers - 1)], t,
		__ATOMIC_RELEASE);
	return 0;
}

/* A producer is inside of a burst to a slot; one that is freed is inside of none. */
static bool
producer_inside(struct shm_msgq *mq, uint32_t i, uint32_t slot)
{
	const struct shm_msgq_tx *tx;
	bool inside;

	pthread_mutex_lock(&mq->lock); /* check-ok: waiters must sleep */
	tx = mq->producers[i];
	/* acquire: what it did to the target is done; pairs with tx_leave() */
	inside = tx != NULL && __atomic_load_n(&tx->busy, __ATOMIC_ACQUIRE) == slot;
	pthread_mutex_unlock(&mq->lock); /* check-ok: waiters must sleep */
	return inside;
}

/*
 * R: no producer of this side is inside of a burst to a slot any more. One that asks for
 * the slot again and again finds nothing there, and is between two bursts at some look.
 */
static int
producers_settle(struct shm_msgq *mq, uint32_t slot)
{
	uint64_t end = rte_comch_pmd_deadline(SHM_MSGQ_SETTLE_MS);
	uint32_t i;

	shm_barrier_process();
	for (i = 0; i < SHM_MSGQ_MAX_PRODUCERS; i++) {
		while (producer_inside(mq, i, slot)) {
			if (rte_get_tsc_cycles() > end)
				return -ETIMEDOUT;
			usleep(SHM_SETTLE_US);
		}
	}
	return 0;
}

static void
target_keep(struct shm_msgq *mq, struct shm_msgq_target *t)
{
	pthread_mutex_lock(&mq->lock); /* check-ok: waiters must sleep */
	t->next_retained = mq->retained;
	mq->retained = t;
	pthread_mutex_unlock(&mq->lock); /* check-ok: waiters must sleep */
	SHM_LOG(WARNING, "%s: a producer stays in a burst: consumer %u of the program is retained until its message queue is destroyed",
		mq->dpa->name, t->id);
}

static void
target_destroy(struct rte_comch_dpa_queue *queue)
{
	uint32_t slot = queue->id & (queue->msgq->max_consumers - 1);
	struct shm_msgq_completion *c = queue->completion->priv;
	struct shm_msgq *mq = queue->msgq->priv;
	struct shm_msgq_target *t = queue->priv;

	__atomic_store_n(&mq->targets[slot], NULL, __ATOMIC_RELAXED); /* R */
	table_del(c->comp->queues, c->comp->max_queues, t->host.dpa);
	t->cons->magic = 0;
	/* a thread that is stopped in the middle may go on whenever it likes */
	if (producers_settle(mq, slot) != 0)
		target_keep(mq, t);
	else
		target_free(mq->dpa, t);
}

/*
 * Producers of the program
 */

static int
source_create(struct rte_comch_dpa_queue *queue)
{
	struct shm_msgq *mq = queue->msgq->priv;
	struct shm_msgq_completion *c = NULL;
	struct shm_msgq_source *source;
	struct shm_msgq_prod *prod;
	int ret = 0;

	source = calloc(1, sizeof(*source));
	if (source == NULL)
		return -ENOMEM;
	ret = shm_dpa_places_alloc(mq->dpa, sizeof(*prod), sizeof(struct shm_msgq_prod_state),
			&source->host, &source->prog);
	if (ret != 0) {
		free(source);
		return ret;
	}
	prod = source->host.host;
	prod->id = queue->id;
	prod->size = queue->size;
	prod->user_data = queue->user_data;
	prod->msgq = mq->place.dpa;
	prod->state = source->prog.dpa;
	prod->serial = shm_msgq_serial(mq->dpa);
	prod->magic = SHM_MSGQ_MAGIC_PROD;
	if (queue->completion != NULL) {
		c = queue->completion->priv;
		prod->comp = c->host.dpa;
		ret = table_add(c->comp->queues, c->comp->max_queues, source->host.dpa);
		if (ret != 0) {
			shm_dpa_places_free(mq->dpa, &source->host, &source->prog);
			free(source);
			return ret;
		}
	}
	__atomic_store_n(&mq->host->last_producer, queue->id, __ATOMIC_RELAXED);
	queue->priv = source;
	queue->handle = source->host.dpa;
	return 0;
}

static void
source_destroy(struct rte_comch_dpa_queue *queue)
{
	struct shm_msgq_source *source = queue->priv;
	struct shm_msgq_prod *prod = source->host.host;
	struct shm_msgq *mq = queue->msgq->priv;
	struct shm_msgq_completion *c;

	if (queue->completion != NULL) {
		c = queue->completion->priv;
		table_del(c->comp->queues, c->comp->max_queues, source->host.dpa);
	}
	prod->magic = 0;
	__atomic_store_n(&prod->serial, 0, __ATOMIC_RELAXED); /* B */
	places_free(mq->dpa, &source->host, &source->prog);
	free(source);
}

int
shm_msgq_dpa_queue_create(struct rte_comch_dpa_queue *queue)
{
	return queue->is_consumer ? target_create(queue) : source_create(queue);
}

void
shm_msgq_dpa_queue_destroy(struct rte_comch_dpa_queue *queue)
{
	if (queue->is_consumer)
		target_destroy(queue);
	else
		source_destroy(queue);
	queue->priv = NULL;
}
