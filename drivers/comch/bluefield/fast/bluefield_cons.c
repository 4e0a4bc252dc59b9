/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Consumers: how their queues are made and freed, how they stop, sleep and wake, and what
 * they tell of their posts. Bursts are in bluefield_cons_burst.c. All but the jobs runs in
 * the thread of the consumer.
 *
 * The end. The peer is told that it goes, answers how many posts its producers have
 * claimed, and these may still arrive; the thread of the connection sends and takes these
 * messages. When they have arrived, or the time is over, the pairs are taken away: after that
 * no message comes any more, and what is still posted is given back. So it ends also if
 * nobody turns the engine of the connection, and the peer hears of it later. The pool and the
 * completion queue stay until it is freed. Of a pair that goes before, what it has claimed
 * and not taken is told of anew.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_mbuf.h>

#include "bluefield_fast.h"

/* Bytes of a slot for immediate data. */
#define IMM_SLOT RTE_COMCH_CPL_IMM_SIZE

/*
 * Set-up
 */

static int
consumer_imm(struct bf_consumer *c, uint32_t entries)
{
	struct bf_mkey_attr attr = { .pd = &c->dev->pd, .local_write = true };
	int ret;

	if (c->imm_len == 0)
		return 0;
	ret = bf_mem_alloc(c->dev->objs, (size_t)entries * IMM_SLOT, &c->imm_mem);
	if (ret != 0)
		return ret;
	attr.mem = c->imm_mem;
	attr.addr = c->imm_mem->addr;
	attr.len = c->imm_mem->len;
	ret = bf_mkey_create(c->dev->objs, &attr, &c->imm_mkey);
	c->imm = c->imm_mem->addr;
	return ret;
}

static int
consumer_objects(struct bf_consumer *c)
{
	/* one entry of the list always stays free, and there is one completion for each */
	const uint32_t entries = RTE_MAX(2 * c->size, 2u);
	const struct bf_srq_attr srq = {
		.pd = &c->dev->pd, .nb_wqes = entries,
		.wqe_size = bf_post_wqe_size(c->imm_len),
	};
	const struct bf_cq_attr cq = {
		.nb_cqes = entries, .uar = c->group->uar, .ceq = &c->group->ceq,
	};
	int ret;

	c->cookies = calloc(entries, sizeof(*c->cookies));
	if (c->mem != NULL && bf_mem_has_bounce(c->mem))
		c->places = calloc(entries, sizeof(*c->places));
	if (c->cookies == NULL || (c->places == NULL && c->mem != NULL &&
			bf_mem_has_bounce(c->mem)))
		return -ENOMEM;
	ret = consumer_imm(c, entries);
	if (ret == 0)
		ret = bf_srq_create(c->dev->objs, &srq, &c->srq);
	if (ret == 0)
		ret = bf_sharedq_init(&c->rq, &c->srq);
	if (ret == 0) {
		bf_sharedq_fill(&c->rq, c->imm, IMM_SLOT, c->imm_len, c->imm_mkey.key);
		bf_sharedq_fill_data(&c->rq, c->key_len);
	}
	if (ret == 0)
		ret = bf_cq_create(c->dev->objs, &cq, &c->cq_obj);
	return ret != 0 ? ret : bf_compq_init(&c->cq, &c->cq_obj, c->group->uar);
}

/* No pair is left; commands. */
static void
consumer_release(struct bf_consumer *c)
{
	uint32_t i;

	for (i = 0; i < c->nb_slots; i++)
		if (c->pairs[i] != NULL)
			bf_pair_free(c->pairs[i]);
	bf_sharedq_fini(&c->rq);
	bf_srq_destroy(&c->srq);
	bf_cq_destroy(&c->cq_obj);
	bf_mkey_destroy(&c->imm_mkey);
	bf_mem_free(c->imm_mem);
	bf_group_drop(c->group);
	if (c->fast != NULL)
		bf_fast_put(c->fast);
	free(c->cookies);
	free(c->places);
	free(c);
}

/* An event of its completion queue: its engine polls it again. */
static void
consumer_event(struct bf_idle *idle_queue)
{
	struct bf_consumer *c = container_of(idle_queue, struct bf_consumer, idle_queue);

	bf_compq_event(&c->cq);
	c->armed = false;
	rte_comch_pmd_queue_ring(c->queue);
}

int
bf_consumer_setup(struct rte_comch_queue *queue, struct rte_comch_fp_object *fp)
{
	struct bf_group *group = bf_group_of(queue->pg);
	struct bf_consumer *c = aligned_alloc(64, RTE_ALIGN_CEIL(sizeof(*c), (size_t)64));
	int ret;

	if (c == NULL)
		return -ENOMEM;
	memset(c, 0, sizeof(*c));
	c->queue = queue;
	c->group = group;
	bf_group_hold(group);
	c->dev = bf_dev_of(queue->dev);
	c->size = queue->size;
	c->imm_len = queue->imm_len;
	c->buf_size = queue->buf_size;
	c->mem = queue->mem;
	c->key_len = bf_key_len(BF_WQE_LKEY_NONE, 0);
	if (c->mem != NULL) {
		c->multi = c->mem->nb_chunks != 0 || bf_mem_has_bounce(c->mem);
		c->key_len = bf_key_len(bf_mem_lkey(c->mem, c->mem->addr, c->buf_size),
			c->buf_size);
		c->base = c->mem->addr;
		c->region_size = c->mem->len;
		c->last_off = c->mem->len - c->buf_size; /* the library has seen that it fits */
		c->pool = c->mem->pool;
	}
	ret = rte_comch_meta_map_init(queue->meta, true, &c->meta);
	if (ret == 0)
		ret = consumer_objects(c);
	if (ret == 0) {
		c->idle_queue.handler = consumer_event;
		ret = bf_group_idle_add(group, c->cq_obj.obj.id, &c->idle_queue);
	}
	if (ret != 0) {
		consumer_release(c);
		return ret;
	}
	TAILQ_INSERT_TAIL(&bf_fast_group_of(group)->consumers, c, next);
	queue->priv = c;
	fp->queue = c;
	bf_consumer_fns(c, fp);
	return 0;
}

/*
 * Pairs
 */

/* Whether completions wait: then pairs that are gone may still be in them. */
bool
bf_consumer_pending(struct bf_consumer *c)
{
	if (c->post_pos == c->poll_pos)
		return false;
	if (__atomic_load_n(&c->flush, __ATOMIC_RELAXED) != 0)
		return true;
	return !c->broken && bf_compq_peek(&c->cq) != NULL;
}

/* Completions of a pair, ever, with those that wait to be polled. */
static uint32_t
pair_completions(const struct bf_consumer *c, const struct bf_pair *pair)
{
	struct bf_compq cq = c->cq; /* nothing is taken */
	uint32_t i, nb = c->from[pair->index].nb;
	const struct bf_cqe *cqe;

	for (i = 0; i < cq.nb_cqes && (cqe = bf_compq_next(&cq)) != NULL; i++)
		nb += bf_cqe_user_index(cqe) == pair->index;
	return nb;
}

/* It takes no post any more: those that it claimed and did not take are free for others. */
static void
pair_count(struct bf_consumer *c, struct bf_pair *pair)
{
	uint32_t claimed;
	bool asked;

	bf_lock(&pair->fast->lock);
	asked = pair->close_asked;
	claimed = pair->claimed;
	bf_unlock(&pair->fast->lock);
	if (!asked || c->broken || c->stopping)
		return;
	pair->lost = claimed - pair_completions(c, pair);
	if (pair->lost > c->size) {
		pair->lost = 0;
		bf_chan_violation(pair->fast->chan, "a pair with other messages than it had",
			claimed, pair->producer_id);
	}
	/* relaxed: a number; a post that is told of twice was taken by nobody */
	__atomic_fetch_add(&c->anew, pair->lost, __ATOMIC_RELAXED);
}

/* The producer has said by the connection what it has read. */
static void
pair_go(struct bf_consumer *c, struct bf_pair *pair)
{
	uint64_t go;

	if (likely(__atomic_load_n(&pair->go, __ATOMIC_RELAXED) == 0))
		return;
	go = __atomic_exchange_n(&pair->go, 0, __ATOMIC_RELAXED);
	/* a message may have said so meanwhile, and more */
	if (go != 0 && (int32_t)((uint32_t)go - pair->nb_read) > 0)
		bf_tell_more(c, pair, (uint32_t)go - pair->nb_read);
}

static void
pair_service(struct bf_consumer *c, struct bf_pair *pair)
{
	if (bf_pair_is(pair, BF_PAIR_QUIET) && !pair->closing) {
		pair_count(c, pair);
		bf_pair_finish(pair);
		return;
	}
	if (bf_pair_is(pair, BF_PAIR_DEAD)) {
		if (bf_consumer_pending(c)) {
			bf_fast_attention(&c->attention, c->group);
			return;
		}
		bf_lock(&pair->fast->lock);
		/* relaxed: who looks for a free place has the lock */
		__atomic_store_n(&c->from[pair->index].id, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&c->pairs[pair->index], NULL, __ATOMIC_RELAXED);
		bf_unlock(&pair->fast->lock);
		bf_pair_free(pair);
		return;
	}
	if (bf_pair_is(pair, BF_PAIR_FAILED) ||
			__atomic_load_n(&pair->end, __ATOMIC_RELAXED) != 0)
		bf_pair_end(pair);
	else
		pair_go(c, pair);
}

/* After attention was asked for. */
void
bf_consumer_service(struct bf_consumer *c)
{
	uint32_t i, nb = __atomic_load_n(&c->nb_slots, __ATOMIC_ACQUIRE);
	struct bf_pair *pair;

	/* acquire: pairs with the release in bf_fast_attention() */
	if (__atomic_exchange_n(&c->attention, 0, __ATOMIC_ACQUIRE) == 0)
		return;
	for (i = 0; i < nb; i++) {
		pair = __atomic_load_n(&c->pairs[i], __ATOMIC_ACQUIRE);
		if (pair != NULL)
			pair_service(c, pair);
	}
	bf_tell(c);
}

/*
 * Credits cannot be told of any more, and a producer that waits for them finds that nowhere.
 * But where nobody answers, the producer's side has taken the pair away and is about to say
 * so, or is not there, which signs of life find.
 */
static __rte_noinline void
told_fault(struct bf_pair *pair, const struct bf_cqe *cqe)
{
	const uint8_t syndrome = bf_cqe_syndrome(cqe);

	if (pair->fault != 0)
		return;
	pair->fault = -EIO;
	if (__atomic_load_n(&pair->end, __ATOMIC_RELAXED) != 0 ||
			(bf_cqe_opcode(cqe) == BF_CQE_REQ_ERR && syndrome == BF_SYND_RETRY))
		return;
	if (bf_peer_log_allowed(pair->consumer->dev, pair->fast->chan->rep_id))
		BF_LOG(ERR, "%s: consumer %u cannot tell producer %u of credits: syndrome %#x, vendor's %#x",
			pair->consumer->queue->dev->data->name, pair->consumer->queue->id,
			pair->producer_id, syndrome, bf_cqe_vendor_syndrome(cqe));
	bf_chan_lost(pair->fast->chan, -ECONNRESET);
}

/* Messages of credits that have arrived make room for new ones. */
static void
told_reap(struct bf_pair *pair)
{
	const struct bf_cqe *cqe;
	bool any = false;

	while ((cqe = bf_compq_next(&pair->back)) != NULL) {
		any = true;
		if (unlikely(bf_cqe_opcode(cqe) != BF_CQE_REQ ||
				bf_sendq_done(&pair->sq, bf_cqe_wqe_counter(cqe)) != 0))
			told_fault(pair, cqe);
	}
	if (any)
		bf_compq_commit(&pair->back);
}

/* Posts that there were, and those that count as such. */
static uint32_t
tell_sum(const struct bf_consumer *c)
{
	return c->post_pos + __atomic_load_n(&c->anew, __ATOMIC_RELAXED);
}

/* If it does not know yet; and if its side has no room for that, another time. */
static void
tell_one(struct bf_pair *pair, uint32_t credits)
{
	const struct bf_send_wr wr = {
		.opcode = BF_WQE_SEND_IMM, .imm = credits, .signalled = true,
	};

	if (pair->ending || !bf_pair_is(pair, BF_PAIR_READY) || pair->told == credits ||
			pair->nb_told - pair->nb_read == pair->entries)
		return;
	told_reap(pair);
	if (pair->fault != 0)
		return;
	if (bf_sendq_send(&pair->sq, &wr) < 0) {
		bf_pair_arm(pair); /* the last ones have not arrived */
		return;
	}
	bf_sendq_ring(&pair->sq);
	pair->nb_told++;
	pair->told = credits;
}

void
bf_tell_more(struct bf_consumer *c, struct bf_pair *pair, uint32_t nb)
{
	if (unlikely(nb > pair->nb_told - pair->nb_read)) {
		bf_chan_violation(pair->fast->chan, "it has read what was not sent", nb,
			pair->producer_id);
		return;
	}
	pair->nb_read += nb;
	if (!c->stopping)
		tell_one(pair, tell_sum(c));
}

static __rte_noinline void
tell_all(struct bf_consumer *c, uint32_t nb_slots)
{
	const uint32_t credits = tell_sum(c);
	struct bf_pair *pair;
	uint32_t i;

	for (i = 0; i < nb_slots; i++) {
		pair = __atomic_load_n(&c->pairs[i], __ATOMIC_ACQUIRE);
		if (pair != NULL)
			tell_one(pair, credits);
	}
}

/* Tell all producers how many posts there were. */
void
bf_tell(struct bf_consumer *c)
{
	const uint32_t nb = __atomic_load_n(&c->nb_slots, __ATOMIC_RELAXED);

	c->told = c->post_pos;
	if (nb != 0 && !c->stopping)
		tell_all(c, nb);
}

bool
bf_consumer_look(struct bf_consumer *c, bool ring)
{
	uint32_t i, nb = __atomic_load_n(&c->nb_slots, __ATOMIC_RELAXED);
	struct bf_pair *pair;
	bool waits = false;

	for (i = 0; i < nb; i++) {
		pair = __atomic_load_n(&c->pairs[i], __ATOMIC_ACQUIRE);
		if (pair == NULL || pair->ending || !bf_pair_is(pair, BF_PAIR_READY))
			continue;
		told_reap(pair);
		if (pair->fault == 0)
			waits |= bf_pair_look(pair, ring);
	}
	return waits;
}

/*
 * Sleep
 */

/* True if there is something to do already. */
bool
bf_consumer_arm(struct bf_consumer *c)
{
	if (!c->armed && !c->broken) {
		c->armed = true;
		bf_compq_arm(&c->cq);
	}
	return bf_consumer_pending(c);
}

int
bf_consumer_idle(struct bf_consumer *c)
{
	/* armed first: what comes later is an event */
	return bf_consumer_arm(c) ? -EAGAIN : 0;
}

/*
 * The end
 */

/* What the peer has claimed has arrived: its last completion is written. */
static bool
consumer_landed(const struct bf_consumer *c)
{
	const uint32_t land = c->land - __atomic_load_n(&c->anew, __ATOMIC_RELAXED);
	const uint32_t last = land - 1;
	const struct bf_cqe *cqe = &c->cq.ring[last & c->cq.mask];
	uint8_t lap = (last & c->cq.nb_cqes) != 0 ? BF_CQE_OWNER : 0;
	uint8_t op_own = BF_WQ_LOAD_OWNER(&cqe->op_own);

	return land == 0 ||
		((op_own & BF_CQE_OWNER) == lap && op_own >> 4 != BF_CQE_INVALID);
}

static void
run_stop(struct bf_job *job)
{
	struct bf_consumer *c = container_of(job, struct bf_consumer, stop_job);

	/*
	 * The last jobs of its pairs were before this one. release: what they did; pairs
	 * with the acquire in cpl_none()
	 */
	__atomic_store_n(&c->flush, c->flush_next, __ATOMIC_RELEASE);
	rte_comch_pmd_ended(c->stop_ending);
}

/* All of them, whatever they have claimed; are there any? */
static bool
pairs_end(struct bf_consumer *c)
{
	bool any = false;
	uint32_t i;

	for (i = 0; i < c->nb_slots; i++) {
		if (c->pairs[i] == NULL)
			continue;
		bf_pair_end(c->pairs[i]);
		bf_pair_finish(c->pairs[i]);
		any = true;
	}
	return any;
}

/* Nothing is waited for any more. 0: what is posted can be given back, or -EINPROGRESS. */
static int
consumer_quit(struct bf_consumer *c)
{
	bf_fast_forget(c);
	c->leaving = false;
	c->stopping = true;
	if (!pairs_end(c)) {
		__atomic_store_n(&c->flush, c->flush_next, __ATOMIC_RELAXED);
		return 0;
	}
	c->stop_job.run = run_stop;
	bf_job_post(c->dev, &c->stop_job);
	return -EINPROGRESS;
}

void
bf_consumer_leave(struct bf_consumer *c, uint64_t now)
{
	struct bf_fast_group *fg = bf_fast_group_of(c->group);
	struct bf_fast *fast = c->fast;
	uint64_t deadline;
	bool landing;

	bf_lock(&fast->lock);
	landing = c->landing;
	deadline = c->deadline;
	bf_unlock(&fast->lock);
	if (now >= deadline || (landing && consumer_landed(c)) || bf_dev_status(c->dev) != 0 ||
			__atomic_load_n(&fast->ended, __ATOMIC_RELAXED) != 0) {
		if (consumer_quit(c) == 0)
			rte_comch_pmd_ended(c->stop_ending);
	} else if (landing) {
		bf_fast_attention(&c->attention, c->group);
	} else {
		fg->retry = RTE_MIN(fg->retry, deadline);
	}
}

int
bf_consumer_stop(struct bf_consumer *c, int status, struct rte_comch_pmd_ending *ending)
{
	c->flush_next = status;
	c->stop_ending = ending;
	c->leaving = bf_fast_leave(c);
	if (!c->leaving)
		return consumer_quit(c);
	/* it may be answered already */
	bf_fast_attention(&c->attention, c->group);
	return -EINPROGRESS;
}

uint32_t
bf_consumer_left(struct rte_comch_queue *queue)
{
	struct bf_consumer *c = queue->priv;

	if (c->mbufs)
		bf_consumer_mbufs_free(c);
	return c->post_pos - c->poll_pos;
}

static void
run_free(struct bf_job *job)
{
	struct bf_consumer *c = container_of(job, struct bf_consumer, free_job);
	struct rte_comch_pmd_ending *ending = c->free_ending;

	consumer_release(c);
	rte_comch_pmd_ended(ending);
}

int
bf_consumer_free(struct bf_consumer *c, struct rte_comch_pmd_ending *ending)
{
	bf_fast_forget(c);
	pairs_end(c);
	bf_group_idle_del(c->group, &c->idle_queue);
	TAILQ_REMOVE(&bf_fast_group_of(c->group)->consumers, c, next);
	c->free_ending = ending;
	c->free_job.run = run_free;
	bf_job_post(c->dev, &c->free_job);
	return -EINPROGRESS;
}
