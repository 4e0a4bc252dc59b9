/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Pairs: how the queue pair of one producer and one consumer is made on both sides, and
 * how it goes. Messages and credits are not in here.
 *
 *   producer's side                          consumer's side
 *   job: queue pair, INIT    -- PAIR_OPEN -->
 *                                            job: queue pair on the pool, RTR, RTS
 *                           <-- PAIR_READY --
 *   job: RTR, RTS             -- PAIR_GO --> credits are told of from now on
 *     ...
 *   last job: it is gone   -- PAIR_CLOSE -->
 *                                            job: it is in error, and takes no post any more
 *                                            the consumer counts what has come
 *                                            last job: it is gone
 *                          <-- PAIR_CLOSED --
 *
 * A side that fails says so to nobody but by status: the producer's side asks again a
 * little later. The first credits are in PAIR_READY. PAIR_CLOSE says how many posts were
 * claimed; those that no message has taken are told of again.
 *
 * Jobs run in the order of their posts. So the last job of a pair comes after all others
 * of it, as none is posted once ending is set, and what a queue posts after the last
 * jobs of all its pairs comes after these.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_random.h>

#include "bluefield_fast.h"

/* Blocks of the send queue of a producer at least: one request of packets has 16. */
#define MIN_BLOCKS 16u

/*
 * In place of a pair that is gone, while the peer may still use the identifier: how many
 * posts it has claimed, and a bit that no pointer has.
 */
static struct bf_pair *
tombstone(uint32_t claimed)
{
	return (struct bf_pair *)((uintptr_t)claimed << 1 | 1);
}

static bool
is_tombstone(const struct bf_pair *pair)
{
	return ((uintptr_t)pair & 1) != 0;
}

static void
pair_say(struct bf_pair *pair, uint8_t type, uint32_t msgs)
{
	const struct bf_wire_pair msg = { .pair = pair->id, .msgs = msgs };

	/* a connection that has ended needs to hear nothing */
	bf_chan_answer(pair->fast->chan, type, &msg, sizeof(msg));
}

static struct bf_group *
pair_group(const struct bf_pair *pair)
{
	return pair->producer != NULL ? pair->producer->group : pair->consumer->group;
}

static uint32_t *
pair_attention_word(struct bf_pair *pair)
{
	return pair->producer != NULL ? &pair->producer->attention : &pair->consumer->attention;
}

/* Have its queue look at it. */
static void
pair_attention(struct bf_pair *pair)
{
	bf_fast_alert(pair_attention_word(pair), pair_group(pair));
}

static void
pair_fail(struct bf_pair *pair)
{
	bf_pair_set(pair, BF_PAIR_FAILED);
	pair_attention(pair);
}

/*
 * Objects, in the worker
 */

/* The queue of completions of credits, which one side sends and the other receives. */
static int
pair_make_cq(struct bf_pair *pair, const struct bf_group *group)
{
	const struct bf_cq_attr attr = {
		.nb_cqes = BF_PAIR_CREDITS, .uar = group->uar, .ceq = &group->ceq,
	};
	int ret;

	ret = bf_cq_create(pair->dev->objs, &attr, &pair->cq);
	return ret != 0 ? ret : bf_compq_init(&pair->back, &pair->cq, group->uar);
}

static int
pair_make_tx(struct bf_pair *pair)
{
	const struct bf_producer *p = pair->producer;
	struct bf_qp_attr attr = {
		.pd = &pair->dev->pd, .uar = p->group->uar, .cq_send = &p->cq_obj,
		.nb_sq_blocks = pair->nb_blocks, .nb_rq_wqes = BF_PAIR_CREDITS,
		.rq_wqe_size = BF_WQE_SEG, .user_index = pair->index,
	};
	uint32_t i;
	int ret;

	ret = pair_make_cq(pair, p->group);
	if (ret != 0)
		return ret;
	bf_pair_mind_set(pair);
	attr.cq_recv = &pair->cq;
	ret = bf_qp_create(pair->dev->objs, &attr, &pair->qp);
	if (ret == 0)
		ret = bf_sendq_init(&pair->sq, &pair->qp, p->group->uar);
	if (ret == 0) {
		bf_send_form_init(&pair->form, &pair->sq, pair->rc->imm_len);
		ret = bf_recvq_init(&pair->rq, &pair->qp);
	}
	if (ret == 0)
		ret = bf_qp_to_init(&pair->qp);
	for (i = 0; ret == 0 && i < BF_PAIR_CREDITS; i++)
		if (bf_recvq_post(&pair->rq, NULL, 0) < 0)
			ret = -EINVAL;
	if (ret == 0)
		bf_recvq_ring(&pair->rq);
	return ret;
}

static int
pair_make_rx(struct bf_pair *pair)
{
	const struct bf_consumer *c = pair->consumer;
	struct bf_qp_attr attr = {
		.pd = &pair->dev->pd, .uar = c->group->uar, .cq_recv = &c->cq_obj,
		.nb_sq_blocks = BF_PAIR_CREDITS, .srq = &c->srq, .user_index = pair->index,
	};
	int ret;

	ret = pair_make_cq(pair, c->group);
	if (ret != 0)
		return ret;
	attr.cq_send = &pair->cq;
	ret = bf_qp_create(pair->dev->objs, &attr, &pair->qp);
	if (ret == 0)
		ret = bf_sendq_init(&pair->sq, &pair->qp, c->group->uar);
	return ret != 0 ? ret : bf_qp_to_init(&pair->qp);
}

static int
pair_connect(struct bf_pair *pair)
{
	const struct bf_chan *chan = pair->fast->chan;
	struct bf_qp_path path = { .rnr_retry = 0 };
	int ret;

	bf_dev_path(pair->dev, &chan->peer, pair->qp.obj.id, pair->remote_qpn, &path);
	path.mtu = chan->mtu;
	path.local_psn = pair->local_psn;
	path.remote_psn = pair->remote_psn;
	path.rnr_retry = 7; /* without end: whoever stops the queue ends it */
	ret = bf_qp_to_rtr(&pair->qp, &path);
	return ret != 0 ? ret : bf_qp_to_rts(&pair->qp, &path);
}

/*
 * Shares of the peers
 */

/* What the peer of a connection has of the device. */
static struct bf_share *
share_of(const struct bf_fast *fast)
{
	struct bf_fast_dev *fd = fast->chan->dev->part[BF_PART_FAST];

	return &fd->shares[fast->chan->rep_id];
}

/*
 * A peer may ask for what it likes: it gets a bounded part of the device's queues, and of the
 * worker's time, which makes pairs and connections of all peers. Whoever has too many under
 * way tries again. relaxed: bounds, which order nothing
 */
static int
share_take(const struct bf_fast *fast)
{
	const struct bf_fast_dev *fd = fast->chan->dev->part[BF_PART_FAST];
	struct bf_share *share = share_of(fast);

	if (__atomic_fetch_add(&share->jobs, 1, __ATOMIC_RELAXED) >= BF_PEER_JOBS) {
		__atomic_fetch_sub(&share->jobs, 1, __ATOMIC_RELAXED);
		return -EAGAIN;
	}
	if (__atomic_fetch_add(&share->pairs, 1, __ATOMIC_RELAXED) >= fd->max_pairs) {
		__atomic_fetch_sub(&share->pairs, 1, __ATOMIC_RELAXED);
		__atomic_fetch_sub(&share->jobs, 1, __ATOMIC_RELAXED);
		return -ENOSPC;
	}
	return 0;
}

static void
share_put(const struct bf_fast *fast)
{
	__atomic_fetch_sub(&share_of(fast)->pairs, 1, __ATOMIC_RELAXED);
}

static void
share_made(const struct bf_fast *fast)
{
	__atomic_fetch_sub(&share_of(fast)->jobs, 1, __ATOMIC_RELAXED);
}

/*
 * Memory
 */

void
bf_pair_free(struct bf_pair *pair)
{
	bf_sendq_fini(&pair->sq);
	bf_fast_put(pair->fast);
	free(pair->upto);
	free(pair);
}

static struct bf_pair *
pair_new(struct bf_fast *fast, struct bf_dev *dev, uint32_t nb_blocks)
{
	struct bf_pair *pair = aligned_alloc(64, RTE_ALIGN_CEIL(sizeof(*pair), (size_t)64));

	if (pair == NULL)
		return NULL;
	memset(pair, 0, sizeof(*pair));
	pair->upto = calloc(nb_blocks, sizeof(*pair->upto));
	if (pair->upto == NULL) {
		free(pair);
		return NULL;
	}
	pair->nb_blocks = nb_blocks;
	pair->fast = fast;
	pair->dev = dev;
	pair->local_psn = rte_rand() & 0xffffff;
	__atomic_fetch_add(&fast->refs, 1, __ATOMIC_RELAXED);
	return pair;
}

/*
 * By the thread of the queue
 */

static void
back_event(struct bf_idle *idle_queue)
{
	struct bf_pair *pair = container_of(idle_queue, struct bf_pair, idle_queue);

	bf_compq_event(&pair->back);
	pair->back_armed = false;
	pair_attention(pair);
}

void
bf_pair_arm(struct bf_pair *pair)
{
	if (pair->back_armed)
		return;
	if (!pair->idle_added) {
		pair->idle_queue.handler = back_event;
		if (bf_group_idle_add(pair_group(pair), pair->cq.obj.id, &pair->idle_queue) != 0)
			return; /* logged; it is looked at when something else happens */
		pair->idle_added = true;
	}
	pair->back_armed = true;
	bf_compq_arm(&pair->back);
}

bool
bf_pair_look(struct bf_pair *pair, bool ring)
{
	struct bf_sendq *sq = &pair->sq;
	bool waits = sq->pi != sq->ci;

	if (!ring)
		return waits;
	if (waits && pair->seen_pi != pair->seen_ci && pair->seen_ci == sq->ci)
		bf_sendq_ring_again(sq);
	pair->seen_pi = sq->pi;
	pair->seen_ci = sq->ci;
	return waits;
}

/* Messages that come from now on find no receiver, and nobody acknowledges them. */
static void
run_quiet(struct bf_job *job)
{
	struct bf_pair *pair = container_of(job, struct bf_pair, quiet_job);
	uint32_t *attention = pair_attention_word(pair);
	struct bf_group *group = pair_group(pair);

	if (pair->answered)
		bf_qp_drain(&pair->qp);
	bf_pair_set(pair, BF_PAIR_QUIET);
	bf_fast_alert(attention, group);
}

static void
run_last(struct bf_job *job)
{
	struct bf_pair *pair = container_of(job, struct bf_pair, last_job);
	uint32_t *attention = pair_attention_word(pair);
	struct bf_group *group = pair_group(pair);
	struct bf_fast *fast = pair->fast;
	uint32_t arrived;
	bool closed;

	/* before the peer hears of it, and answers */
	bf_lock(&fast->lock);
	if (pair->listed)
		TAILQ_REMOVE(&pair->rc->pairs, pair, next);
	if (pair->producer != NULL)
		fast->pairs[pair->id] = pair->told_peer &&
			__atomic_load_n(&fast->ended, __ATOMIC_RELAXED) == 0 ?
			tombstone(pair->claimed) : NULL;
	bf_unlock(&fast->lock);
	if (pair->told_peer)
		pair_say(pair, BF_WIRE_PAIR_CLOSE, pair->claimed);
	bf_qp_destroy(&pair->qp);
	bf_cq_destroy(&pair->cq);
	bf_group_drop(group);
	if (pair->producer == NULL)
		share_put(fast);
	bf_lock(&fast->lock);
	if (pair->producer != NULL)
		bf_rc_put_locked(pair->rc);
	else
		TAILQ_REMOVE(&fast->served, pair, next);
	closed = pair->close_asked; /* one that is asked from now on finds no pair */
	arrived = pair->claimed - pair->lost;
	bf_unlock(&fast->lock);
	if (closed)
		pair_say(pair, BF_WIRE_PAIR_CLOSED, arrived);
	/* the queue may look for another reason, and free the pair: it is not touched after this */
	bf_pair_set(pair, BF_PAIR_DEAD);
	/* the queue is there, and holds the group: its own end is a job that follows */
	bf_fast_alert(attention, group);
}

void
bf_pair_end(struct bf_pair *pair)
{
	if (pair->ending)
		return;
	if (pair->idle_added)
		bf_group_idle_del(pair_group(pair), &pair->idle_queue);
	pair->idle_added = false;
	bf_lock(&pair->fast->lock);
	pair->ending = true;
	bf_unlock(&pair->fast->lock);
	if (pair->producer != NULL) {
		pair->last = pair->producer->tail;
		bf_pair_finish(pair);
		return;
	}
	pair->quiet_job.run = run_quiet;
	bf_job_post(pair->dev, &pair->quiet_job);
}

void
bf_pair_finish(struct bf_pair *pair)
{
	if (pair->closing)
		return;
	pair->closing = true;
	pair->last_job.run = run_last;
	bf_job_post(pair->dev, &pair->last_job);
}

/*
 * The producer's side
 */

static void
run_open(struct bf_job *job)
{
	struct bf_pair *pair = container_of(job, struct bf_pair, job);
	struct bf_wire_pair_open msg = {
		.pair = pair->id, .producer = pair->producer_id, .consumer = pair->rc->id,
		.psn = pair->local_psn, .credits = BF_PAIR_CREDITS,
	};
	int ret;

	ret = pair_make_tx(pair);
	if (ret == 0) {
		msg.qpn = pair->qp.obj.id;
		bf_lock(&pair->fast->lock);
		pair->told_peer = true;
		bf_unlock(&pair->fast->lock);
		ret = bf_chan_ctl(pair->fast->chan, BF_WIRE_PAIR_OPEN, &msg, sizeof(msg));
	}
	if (ret != 0)
		pair_fail(pair);
}

/* A free identifier; the lock is held. */
static int
pair_id_locked(struct bf_fast *fast, struct bf_pair *pair)
{
	uint32_t i;

	for (i = 0; i < BF_CONN_PAIRS && fast->pairs[i] != NULL; i++)
		;
	if (i == BF_CONN_PAIRS)
		return -ENOSPC;
	pair->id = i;
	fast->pairs[i] = pair;
	return 0;
}

/* rc is referenced for the pair, which gives it back also on failure. */
struct bf_pair *
bf_pair_open(struct bf_producer *p, struct bf_rc *rc)
{
	/* a message with all of its immediate data is two blocks, one otherwise */
	uint32_t blocks = 2 * sizeof(struct bf_wqe_ctrl) + sizeof(uint32_t) + rc->imm_len >
		BF_SQ_BLOCK ? 2 : 1;
	struct bf_pair *pair;
	uint32_t i;
	int ret = -ENOMEM;

	for (i = 0; i < BF_QUEUE_PAIRS && p->pairs[i] != NULL; i++)
		;
	pair = i < BF_QUEUE_PAIRS ? pair_new(p->fast, p->dev,
			RTE_MAX(p->size * blocks, MIN_BLOCKS)) : NULL;
	bf_lock(&p->fast->lock);
	if (pair != NULL)
		ret = pair_id_locked(p->fast, pair);
	if (ret != 0)
		bf_rc_put_locked(rc);
	bf_unlock(&p->fast->lock);
	if (ret != 0) {
		if (pair != NULL)
			bf_pair_free(pair);
		return NULL;
	}
	bf_group_hold(p->group); /* until its queues are gone */
	pair->producer = p;
	pair->producer_id = p->queue->id;
	pair->rc = rc;
	pair->index = i;
	p->pairs[i] = pair;
	p->nb_pairs++;
	pair->job.run = run_open;
	bf_job_post(p->dev, &pair->job);
	return pair;
}

static void
run_connect(struct bf_job *job)
{
	struct bf_pair *pair = container_of(job, struct bf_pair, job);
	int ret;

	ret = pair_connect(pair);
	if (ret != 0) {
		pair_fail(pair);
		return;
	}
	bf_lock(&pair->fast->lock);
	TAILQ_INSERT_TAIL(&pair->rc->pairs, pair, next);
	bf_unlock(&pair->fast->lock);
	pair->listed = true;
	bf_pair_set(pair, BF_PAIR_READY);
	pair_attention(pair);
	pair_say(pair, BF_WIRE_PAIR_GO, 0);
}

int
bf_pair_ask(struct bf_pair *pair)
{
	const struct bf_wire_pair msg = { .pair = pair->id, .msgs = pair->read };

	return bf_chan_ctl(pair->fast->chan, BF_WIRE_PAIR_GO, &msg, sizeof(msg));
}

/* One of ours that the peer names, or NULL; the lock is held. */
static struct bf_pair *
pair_ours(struct bf_fast *fast, uint32_t id)
{
	return id < BF_CONN_PAIRS ? fast->pairs[id] : NULL;
}

int
bf_pair_ready(struct bf_fast *fast, const struct bf_wire_pair_ready *msg)
{
	struct bf_pair *pair;
	int ret = 0;

	if (((msg->qpn | msg->psn) >> 24) != 0 || msg->reserved != 0)
		return -EPROTO;
	bf_lock(&fast->lock);
	pair = pair_ours(fast, msg->pair);
	if (pair == NULL) {
		ret = -EPROTO;
	} else if (!is_tombstone(pair) && !pair->ending) {
		if (!pair->told_peer || pair->answered) {
			ret = -EPROTO;
		} else if (msg->status != 0) {
			pair->answered = true;
			pair_fail(pair); /* whatever it is: that is asked for again */
		} else {
			pair->answered = true;
			pair->remote_qpn = msg->qpn;
			pair->remote_psn = msg->psn;
			ret = bf_credits_told(&pair->rc->credits, msg->credits);
			pair->job.run = run_connect;
			bf_job_post(pair->dev, &pair->job);
		}
	}
	bf_unlock(&fast->lock);
	return ret;
}

int
bf_pair_closed(struct bf_fast *fast, const struct bf_wire_pair *msg)
{
	const struct bf_pair *pair;
	int ret = 0;

	bf_lock(&fast->lock);
	pair = pair_ours(fast, msg->pair);
	/* of what was claimed, and so it has to be a tombstone */
	if (is_tombstone(pair) && (uint32_t)((uintptr_t)pair >> 1) - msg->msgs <= BF_MAX_POSTS)
		fast->pairs[msg->pair] = NULL;
	else
		ret = -EPROTO;
	bf_unlock(&fast->lock);
	return ret;
}

/*
 * The consumer's side
 */

static void
run_serve(struct bf_job *job)
{
	struct bf_pair *pair = container_of(job, struct bf_pair, job);
	struct bf_consumer *c = pair->consumer;
	struct bf_wire_pair_ready msg = { .pair = pair->id, .psn = pair->local_psn };

	msg.status = pair_make_rx(pair);
	if (msg.status == 0)
		msg.status = pair_connect(pair);
	if (msg.status == 0) {
		msg.qpn = pair->qp.obj.id;
		/* acquire: the posts are there; pairs with the release in post_publish() */
		msg.credits = __atomic_load_n(&c->shown, __ATOMIC_ACQUIRE) +
			__atomic_load_n(&c->anew, __ATOMIC_RELAXED);
		/* before the lock: a peer may say GO unasked, and then it is the consumer's */
		pair->told = msg.credits;
		bf_lock(&pair->fast->lock);
		pair->answered = true;
		bf_unlock(&pair->fast->lock);
	} else {
		pair_fail(pair);
	}
	share_made(pair->fast);
	bf_chan_answer(pair->fast->chan, BF_WIRE_PAIR_READY, &msg, sizeof(msg));
}

/* A place in the table of the consumer; the lock is held. */
static int
pair_place_locked(struct bf_consumer *c, struct bf_pair *pair)
{
	uint32_t i;

	for (i = 0; i < BF_QUEUE_PAIRS; i++)
		/* relaxed: who makes it NULL has the lock */
		if (__atomic_load_n(&c->pairs[i], __ATOMIC_RELAXED) == NULL)
			break;
	if (i == BF_QUEUE_PAIRS)
		return -ENOSPC;
	pair->index = i;
	c->from[i].nb = 0; /* whoever had the place has no completion left */
	__atomic_store_n(&c->from[i].id, pair->producer_id, __ATOMIC_RELAXED);
	/* release: the pair; pairs with the acquire of who finds it in the table */
	__atomic_store_n(&c->pairs[i], pair, __ATOMIC_RELEASE);
	if (i >= c->nb_slots)
		__atomic_store_n(&c->nb_slots, i + 1, __ATOMIC_RELEASE);
	return 0;
}

/* One of the peer's that it names, or NULL; the lock is held. */
static struct bf_pair *
pair_theirs(struct bf_fast *fast, uint32_t id)
{
	struct bf_pair *pair;

	TAILQ_FOREACH(pair, &fast->served, next)
		if (pair->id == id)
			break;
	return pair;
}

bool
bf_pair_served(struct bf_fast *fast, uint32_t id)
{
	return pair_theirs(fast, id) != NULL;
}

/* The lock is held, so the consumer stays. 0, or a status for the peer. */
int
bf_pair_serve(struct bf_consumer *c, const struct bf_wire_pair_open *msg)
{
	struct bf_pair *pair;
	int ret;

	ret = share_take(c->fast);
	if (ret != 0)
		return ret;
	pair = pair_new(c->fast, c->dev, BF_PAIR_CREDITS);
	if (pair == NULL) {
		ret = -ENOMEM;
		goto fail;
	}
	pair->consumer = c;
	pair->producer_id = msg->producer;
	pair->id = msg->pair;
	pair->remote_qpn = msg->qpn;
	pair->remote_psn = msg->psn;
	pair->entries = RTE_MIN(msg->credits, BF_PAIR_CREDITS);
	ret = pair_place_locked(c, pair);
	if (ret != 0) {
		bf_pair_free(pair);
		goto fail;
	}
	TAILQ_INSERT_TAIL(&c->fast->served, pair, next);
	bf_group_hold(c->group); /* until its queues are gone */
	pair->job.run = run_serve;
	bf_job_post(c->dev, &pair->job);
	return 0;
fail:
	share_made(c->fast);
	share_put(c->fast);
	return ret;
}

int
bf_pair_go(struct bf_fast *fast, const struct bf_wire_pair *msg)
{
	struct bf_pair *pair;

	bf_lock(&fast->lock);
	pair = pair_theirs(fast, msg->pair);
	/* it may have gone meanwhile */
	if (pair != NULL && !pair->ending && pair->answered) {
		if (bf_pair_is(pair, BF_PAIR_OPENING))
			bf_pair_set(pair, BF_PAIR_READY);
		else
			__atomic_store_n(&pair->go, BF_PAIR_GO | msg->msgs, __ATOMIC_RELAXED);
		pair_attention(pair);
	}
	bf_unlock(&fast->lock);
	return 0;
}

int
bf_pair_close(struct bf_fast *fast, const struct bf_wire_pair *msg)
{
	/* it went with its consumer, whose posts are nobody's any more */
	const struct bf_wire_pair reply = { .pair = msg->pair, .msgs = msg->msgs };
	struct bf_pair *pair;

	bf_lock(&fast->lock);
	pair = pair_theirs(fast, msg->pair);
	if (pair != NULL) {
		/* the first time counts */
		if (!pair->close_asked)
			pair->claimed = msg->msgs;
		pair->close_asked = true;
		__atomic_store_n(&pair->end, 1, __ATOMIC_RELAXED);
		pair_attention(pair);
	}
	bf_unlock(&fast->lock);
	if (pair == NULL)
		bf_chan_answer(fast->chan, BF_WIRE_PAIR_CLOSED, &reply, sizeof(reply));
	return 0;
}
