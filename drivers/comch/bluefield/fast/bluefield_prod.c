/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Producers: how their queues are made and freed, how they stop, sleep and wake, and how
 * their pairs come and go. Bursts are in bluefield_send.c and bluefield_mbuf.c. All but
 * the jobs runs in the thread of the producer.
 *
 * The end. What was sent and has not arrived gets as much time to do so as its queue pair
 * goes on trying. Then, or at once if the connection is gone, the queue pairs are taken
 * away, after which the device reads nothing more of the messages: those that had not
 * arrived have failed, and the consumer learns that their posts are free.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_mbuf.h>

#include "bluefield_fast.h"

/* Positions kept at least, for messages that have no completion. */
#define MIN_SENT 64u

/*
 * Set-up
 */

static void
producer_release(struct bf_producer *p)
{
	uint32_t i;

	/* packets that nobody has freed: no queue pair reads them any more */
	for (; p->head != p->tail; p->head++)
		if ((bf_sent_flags(&p->sent[p->head & p->mask]) & BF_SENT_MBUF) != 0)
			rte_pktmbuf_free((struct rte_mbuf *)(uintptr_t)
				p->sent[p->head & p->mask].cookie);
	for (i = 0; i < BF_QUEUE_PAIRS; i++)
		if (p->pairs[i] != NULL)
			bf_pair_free(p->pairs[i]);
	bf_cq_destroy(&p->cq_obj);
	bf_group_drop(p->group);
	bf_tx_pools_free(p);
	if (p->fast != NULL)
		bf_fast_put(p->fast);
	free(p->sent);
	free(p);
}

/* Something was sent, or comes back: its engine polls it again. */
static void
producer_event(struct bf_idle *idle_queue)
{
	struct bf_producer *p = container_of(idle_queue, struct bf_producer, idle_queue);

	bf_compq_event(&p->cq);
	p->armed = false;
	bf_fast_attention(&p->attention, p->group);
	rte_comch_pmd_queue_ring(p->queue);
}

static int
producer_objects(struct bf_producer *p)
{
	struct bf_cq_attr attr = { .uar = p->group->uar, .ceq = &p->group->ceq };
	int ret;

	/* each message can have a completion, if it fails */
	attr.nb_cqes = p->mask + 1;
	ret = bf_cq_create(p->dev->objs, &attr, &p->cq_obj);
	if (ret == 0)
		ret = bf_compq_init(&p->cq, &p->cq_obj, p->group->uar);
	if (ret != 0)
		return ret;
	p->idle_queue.handler = producer_event;
	return bf_group_idle_add(p->group, p->cq_obj.obj.id, &p->idle_queue);
}

static void
producer_link(struct bf_producer *p)
{
	struct bf_fast *fast = p->fast;

	bf_lock(&fast->lock);
	fast->producers[p->queue->id % BF_MAX_PRODUCERS] = p;
	__atomic_fetch_add(&fast->nb_producers, 1, __ATOMIC_RELAXED);
	bf_unlock(&fast->lock);
}

static void
producer_unlink(struct bf_producer *p)
{
	struct bf_fast *fast = p->fast;
	uint32_t i;

	bf_lock(&fast->lock);
	if (fast->producers[p->queue->id % BF_MAX_PRODUCERS] == p) {
		fast->producers[p->queue->id % BF_MAX_PRODUCERS] = NULL;
		__atomic_fetch_sub(&fast->nb_producers, 1, __ATOMIC_RELAXED);
	}
	for (i = 0; i < BF_MAX_CONSUMERS; i++)
		if (fast->rcs[i] != NULL)
			bf_credits_drop(&fast->rcs[i]->credits, p->queue->id);
	bf_unlock(&fast->lock);
}

int
bf_producer_setup(struct rte_comch_queue *queue, struct rte_comch_fp_object *fp)
{
	struct bf_producer *p = aligned_alloc(64, RTE_ALIGN_CEIL(sizeof(*p), (size_t)64));
	int ret = -ENOMEM;

	if (p == NULL)
		return -ENOMEM;
	memset(p, 0, sizeof(*p));
	p->queue = queue;
	p->group = bf_group_of(queue->pg);
	bf_group_hold(p->group);
	p->dev = bf_dev_of(queue->dev);
	p->size = queue->size;
	p->mask = RTE_MAX(2 * queue->size, MIN_SENT) - 1;
	p->sent = calloc(p->mask + 1, sizeof(*p->sent));
	p->fast = bf_fast_get(p->dev, queue->conn);
	if (p->fast == NULL)
		ret = -ENOTCONN;
	else if (p->sent != NULL)
		ret = producer_objects(p);
	if (ret != 0) {
		producer_release(p);
		return ret;
	}
	producer_link(p);
	TAILQ_INSERT_TAIL(&bf_fast_group_of(p->group)->producers, p, next);
	queue->priv = p;
	fp->queue = p;
	bf_producer_fns(p, fp);
	return 0;
}

/*
 * Pairs
 */

/* All that was sent over it has arrived, or has failed. */
static bool
pair_drained(const struct bf_pair *pair)
{
	return pair->fault != 0 || pair->sq.pi == pair->sq.ci;
}

/* No message of it waits to be told of, nor any other of that time. */
static bool
pair_unused(const struct bf_producer *p, const struct bf_pair *pair)
{
	/* the last one is not between head and tail; it may be very old, or never was */
	return pair->last - p->head - 1 >= p->tail - p->head;
}

/* Nobody finds it any more. */
static void
pair_leave(struct bf_producer *p, struct bf_pair *pair)
{
	struct bf_pair **to = &p->to[pair->rc->id % BF_MAX_CONSUMERS];

	pair->key = 0;
	if (*to == pair)
		*to = NULL;
}

/* One that has failed is asked for again a little later, if the producer waits for it. */
static void
pair_again(struct bf_producer *p, struct bf_pair *pair, uint64_t now)
{
	struct bf_pair **to = &p->to[pair->rc->id % BF_MAX_CONSUMERS], *next;
	struct bf_fast_group *fg = bf_fast_group_of(p->group);
	const uint64_t pause = rte_get_tsc_hz() / MS_PER_S * BF_RETRY_MS <<
		RTE_MIN(pair->tries, BF_RETRY_DOUBLE);

	if (pair->retry == 0)
		pair->retry = now + pause;
	if (!pair->starved || *to != pair || p->stopping)
		return;
	if (now < pair->retry) {
		fg->retry = RTE_MIN(fg->retry, pair->retry);
		return;
	}
	bf_lock(&p->fast->lock);
	pair->rc->refs++;
	bf_unlock(&p->fast->lock);
	next = bf_pair_open(p, pair->rc);
	if (next == NULL) {
		pair->retry = now + pause;
		fg->retry = RTE_MIN(fg->retry, pair->retry);
		return;
	}
	next->starved = true;
	next->tries = pair->tries + 1;
	*to = next;
	bf_pair_end(pair);
}

static void
pair_service(struct bf_producer *p, struct bf_pair *pair, uint64_t now)
{
	if (bf_pair_is(pair, BF_PAIR_DEAD)) {
		/* what it was flushed with has come by now, and is of no pair after this */
		bf_sent_reap(p);
		if (!pair_unused(p, pair))
			return; /* whoever polls comes by here */
		p->pairs[pair->index] = NULL;
		p->nb_pairs--;
		bf_pair_free(pair);
		return;
	}
	if (pair->ending)
		return;
	if (bf_pair_is(pair, BF_PAIR_READY) && pair->key == 0 && pair->fault == 0 &&
			p->to[pair->rc->id % BF_MAX_CONSUMERS] == pair)
		pair->key = pair->rc->id;
	if (bf_pair_is(pair, BF_PAIR_READY))
		bf_credits_look(pair);
	if (!bf_credits_closed(&pair->rc->credits) && pair->fault == 0) {
		if (unlikely(bf_pair_is(pair, BF_PAIR_FAILED)))
			pair_again(p, pair, now);
		return;
	}
	pair_leave(p, pair);
	if (pair->gone == 0)
		pair->gone = now + rte_get_tsc_hz() / MS_PER_S * BF_GONE_MS;
	/* a consumer without posts does not keep what was sent to it from failing */
	if (pair_drained(pair) || now >= pair->gone)
		bf_pair_end(pair);
	else
		bf_fast_attention(&p->attention, p->group);
}

/* A stop that waits for what was sent. */
static void
stop_service(struct bf_producer *p, uint64_t now)
{
	struct rte_comch_pmd_ending *ending = p->ending;
	uint32_t i;

	for (i = 0; i < BF_QUEUE_PAIRS; i++)
		if (p->pairs[i] != NULL && !pair_drained(p->pairs[i]))
			break;
	if (i != BF_QUEUE_PAIRS && !p->flushing && now < p->deadline) {
		rte_comch_pmd_at_work(p->dev->rte_dev); /* this has a limit of its own */
		bf_fast_attention(&p->attention, p->group);
		return;
	}
	p->ending = NULL;
	if (i == BF_QUEUE_PAIRS) {
		rte_comch_pmd_ended(ending);
		return;
	}
	/* too late: the queue pairs go, and then there is nothing to wait for */
	bf_producer_flush(p, ending);
}

void
bf_producer_service(struct bf_producer *p, uint64_t now)
{
	uint32_t i, nb = p->nb_pairs;

	/* acquire: pairs with the release in bf_fast_attention() */
	if (__atomic_exchange_n(&p->attention, 0, __ATOMIC_ACQUIRE) == 0)
		return;
	bf_sent_reap(p);
	bf_sent_quiet(p);
	for (i = 0; nb != 0 && i < BF_QUEUE_PAIRS; i++) {
		if (p->pairs[i] == NULL)
			continue;
		nb--;
		pair_service(p, p->pairs[i], now);
	}
	/* packets and the like that are on their way: nobody may ever poll */
	if (p->head != p->tail && bf_sent_flags(&p->sent[p->head & p->mask]) != 0 && !p->broken)
		bf_fast_attention(&p->attention, p->group);
	if (p->ending != NULL && !p->flushing)
		stop_service(p, now);
}

bool
bf_producer_look(struct bf_producer *p, bool ring)
{
	uint32_t i, nb = p->nb_pairs;
	struct bf_pair *pair;
	bool waits = false;

	if (p->tail == p->head)
		return false;
	bf_sent_reap(p);
	for (i = 0; nb != 0 && i < BF_QUEUE_PAIRS; i++) {
		pair = p->pairs[i];
		if (pair == NULL)
			continue;
		nb--;
		if (!pair->ending && pair->fault == 0 && bf_pair_is(pair, BF_PAIR_READY))
			waits |= bf_pair_look(pair, ring);
	}
	return waits;
}

/*
 * Sleep
 */

/* Credits that a burst was short of: they have come, or the consumer is gone. */
static bool
starved_pending(struct bf_pair *pair)
{
	bf_pair_arm(pair);
	bf_credits_look(pair);
	if (bf_credits_now(&pair->rc->credits) == 0 && !bf_credits_closed(&pair->rc->credits))
		return false;
	/* say so once: the application may not want to send any more */
	pair->starved = false;
	return true;
}

/* True if there is something to do already. */
bool
bf_producer_arm(struct bf_producer *p)
{
	uint32_t i, nb = p->nb_pairs;
	bool pending = false;

	if (p->tail != p->head && !p->armed && !p->broken) {
		p->armed = true;
		bf_compq_arm(&p->cq);
	}
	bf_sent_reap(p);
	bf_sent_quiet(p);
	for (i = 0; nb != 0 && i < BF_QUEUE_PAIRS; i++) {
		if (p->pairs[i] == NULL)
			continue;
		nb--;
		if (p->pairs[i]->starved && p->pairs[i]->key != 0)
			pending |= starved_pending(p->pairs[i]);
	}
	return pending || bf_sent_pending(p);
}

int
bf_producer_idle(struct bf_producer *p)
{
	return bf_producer_arm(p) ? -EAGAIN : 0;
}

/*
 * The end
 */

static void
run_flush(struct bf_job *job)
{
	struct bf_producer *p = container_of(job, struct bf_producer, flush_job);
	struct rte_comch_pmd_ending *ending = p->flush_ending;

	/* the last jobs of its pairs were before this one */
	rte_comch_pmd_ended(ending);
}

/* Take all pairs away; what has not arrived by now has failed. */
void
bf_producer_flush(struct bf_producer *p, struct rte_comch_pmd_ending *ending)
{
	uint32_t i;

	bf_sent_reap(p);
	p->flushing = true;
	p->flush_ending = ending;
	for (i = 0; i < BF_QUEUE_PAIRS; i++) {
		if (p->pairs[i] == NULL)
			continue;
		pair_leave(p, p->pairs[i]);
		bf_pair_end(p->pairs[i]);
	}
	p->flush_job.run = run_flush;
	bf_job_post(p->dev, &p->flush_job);
}

int
bf_producer_stop(struct bf_producer *p, int status, struct rte_comch_pmd_ending *ending)
{
	bool drained = true;
	uint32_t i;

	producer_unlink(p);
	p->stopping = true;
	p->status = status;
	bf_sent_reap(p);
	for (i = 0; i < BF_QUEUE_PAIRS; i++)
		if (p->pairs[i] != NULL)
			drained &= pair_drained(p->pairs[i]);
	if (drained)
		return 0;
	if (__atomic_load_n(&p->fast->ended, __ATOMIC_RELAXED) != 0 ||
			bf_dev_status(p->dev) != 0) {
		bf_producer_flush(p, ending);
		return -EINPROGRESS;
	}
	p->ending = ending;
	p->deadline = rte_comch_pmd_deadline(BF_DRAIN_MS);
	bf_fast_attention(&p->attention, p->group);
	return -EINPROGRESS;
}

static void
run_free(struct bf_job *job)
{
	struct bf_producer *p = container_of(job, struct bf_producer, free_job);
	struct rte_comch_pmd_ending *ending = p->free_ending;

	producer_release(p);
	rte_comch_pmd_ended(ending);
}

int
bf_producer_free(struct bf_producer *p, struct rte_comch_pmd_ending *ending)
{
	uint32_t i;

	producer_unlink(p);
	/* of packets */
	p->stopping = true;
	bf_sent_reap(p);
	for (i = 0; i < BF_QUEUE_PAIRS; i++)
		if (p->pairs[i] != NULL)
			bf_pair_end(p->pairs[i]);
	bf_group_idle_del(p->group, &p->idle_queue);
	TAILQ_REMOVE(&bf_fast_group_of(p->group)->producers, p, next);
	p->free_ending = ending;
	p->free_job.run = run_free;
	bf_job_post(p->dev, &p->free_job);
	return -EINPROGRESS;
}
