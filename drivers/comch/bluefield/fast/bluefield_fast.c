/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The fast path of a connection: consumers of the peer, how they come and go, the peer's
 * answers about ours, and its end. All of that runs in the thread of the connection. The
 * operations of the library on queues are here as well, and go on to bluefield_cons.c and
 * bluefield_prod.c. No message of an application is touched here.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>

#include "bluefield_fast.h"

/* chan->fast of a connection that is over. */
#define FAST_ENDED ((struct bf_fast *)1)

/*
 * What a connection has
 */

static void
fast_free(struct bf_fast *fast)
{
	bf_chan_unref(fast->chan);
	bf_lock_fini(&fast->lock);
	free(fast);
}

void
bf_fast_put(struct bf_fast *fast)
{
	/* acquire and release: what all others did with it comes before */
	if (__atomic_sub_fetch(&fast->refs, 1, __ATOMIC_ACQ_REL) == 0)
		fast_free(fast);
}

/* What there is, or a new one; NULL without memory, or after the end. */
static struct bf_fast *
fast_of(struct bf_chan *chan)
{
	/* acquire: its insides; pairs with the release below */
	struct bf_fast *fast = __atomic_load_n(&chan->fast, __ATOMIC_ACQUIRE);
	struct bf_fast *old = NULL;

	if (fast != NULL)
		return fast != FAST_ENDED ? fast : NULL;
	fast = calloc(1, sizeof(*fast));
	if (fast == NULL)
		return NULL;
	bf_lock_init(&fast->lock);
	TAILQ_INIT(&fast->served);
	TAILQ_INIT(&fast->asked);
	fast->refs = 1; /* of the connection */
	fast->chan = chan;
	bf_chan_ref(chan);
	if (__atomic_compare_exchange_n(&chan->fast, &old, fast, false, __ATOMIC_ACQ_REL,
			__ATOMIC_ACQUIRE))
		return fast;
	fast_free(fast);
	return old != FAST_ENDED ? old : NULL;
}

/* For a queue, with a reference; NULL if the connection is over. Any thread. */
struct bf_fast *
bf_fast_get(struct bf_dev *dev, const struct rte_comch_conn *conn)
{
	struct bf_chan *chan = bf_chan_lock(dev, conn);
	struct bf_fast *fast = chan != NULL ? fast_of(chan) : NULL;

	if (fast != NULL)
		__atomic_fetch_add(&fast->refs, 1, __ATOMIC_RELAXED);
	bf_chan_unlock(dev);
	return fast;
}

void
bf_fast_nonsense(struct rte_comch_queue *queue, const char *what, uint64_t a, uint64_t b)
{
	BF_LOG(ERR, "%s: the device says of %s %u what cannot be: %s (%#" PRIx64 ", %#" PRIx64 "); reset it (rte_comch_dev_reset())",
		queue->dev->data->name, queue->is_consumer ? "consumer" : "producer", queue->id,
		what, a, b);
	queue->dev->ops->fail(queue->dev, -EIO);
	rte_comch_pmd_dev_down(queue->dev, -EIO);
}

/*
 * Consumers of the peer
 */

void
bf_rc_put_locked(struct bf_rc *rc)
{
	if (--rc->refs == 0)
		free(rc);
}

static int
violation(struct bf_chan *chan, const char *what, uint64_t a, uint64_t b)
{
	bf_chan_violated(chan, what, a, b);
	return -EPROTO;
}

static bool
consumer_valid(const struct bf_wire_consumer_new *msg)
{
	return msg->consumer != 0 && msg->imm_len <= BF_WIRE_MAX_IMM_LEN && msg->reserved == 0 &&
		msg->posts != 0 && msg->posts <= BF_MAX_POSTS && rte_is_power_of_2(msg->posts) &&
		msg->buf_size <= BF_MAX_BUF_SIZE &&
		(msg->meta == 0 || (msg->buf_size != 0 && msg->imm_len >= RTE_COMCH_META_SIZE));
}

static int
rc_add(struct bf_chan *chan, const struct bf_wire_consumer_new *msg)
{
	struct bf_fast *fast = fast_of(chan);
	struct bf_rc *rc = aligned_alloc(64, RTE_ALIGN_CEIL(sizeof(*rc), (size_t)64));
	struct bf_rc **slot;
	int ret = -ENOMEM;

	if (fast == NULL || rc == NULL)
		goto out;
	memset(rc, 0, sizeof(*rc));
	rc->id = msg->consumer;
	rc->imm_len = msg->imm_len;
	rc->tag = msg->tag;
	/* flags of later versions are not for this one to know: what they ask for does not come */
	rc->meta_asked = msg->meta & RTE_COMCH_META_ALL;
	rte_comch_meta_map_init(rc->meta_asked, false, &rc->meta);
	rc->buf_size = msg->buf_size;
	rc->credits.size = msg->posts;
	rc->fast = fast;
	rc->refs = 1;
	TAILQ_INIT(&rc->pairs);
	slot = &fast->rcs[rc->id % BF_MAX_CONSUMERS];
	bf_lock(&fast->lock);
	ret = *slot != NULL ? -EPROTO : 0;
	if (ret == 0)
		*slot = rc;
	bf_unlock(&fast->lock);
out:
	if (ret != 0)
		free(rc);
	return ret;
}

static int
answer(struct bf_chan *chan, uint32_t consumer, uint16_t to, int status, uint32_t msgs)
{
	const struct bf_wire_consumer_answer msg = {
		.consumer = consumer, .to = to, .status = status, .msgs = msgs,
	};

	/* a peer that does not take it has its own limit of time */
	bf_chan_ctl(chan, BF_WIRE_CONSUMER_ANSWER, &msg, sizeof(msg));
	return 0;
}

static int
consumer_new(struct bf_chan *chan, const struct bf_wire_consumer_new *msg)
{
	int ret;

	if (!consumer_valid(msg))
		return violation(chan, "a consumer that cannot be", msg->consumer, msg->posts);
	ret = rc_add(chan, msg);
	if (ret == -EPROTO)
		return violation(chan, "a consumer with the place of another", msg->consumer, 0);
	answer(chan, msg->consumer, BF_WIRE_CONSUMER_NEW, ret, 0);
	if (ret == 0)
		rte_comch_pmd_remote_consumer(chan->conn, msg->consumer, true);
	return 0;
}

/* Producers look at their pairs, which end when what they have sent has arrived. */
static void
producers_attention_locked(struct bf_fast *fast)
{
	uint32_t i;

	for (i = 0; i < BF_MAX_PRODUCERS; i++)
		if (fast->producers[i] != NULL)
			bf_fast_alert(&fast->producers[i]->attention,
				fast->producers[i]->group);
}

static int
consumer_gone(struct bf_chan *chan, const struct bf_wire_consumer_gone *msg)
{
	struct bf_fast *fast = fast_of(chan);
	struct bf_rc **slot;
	uint32_t msgs = 0;
	bool found;

	if (fast == NULL)
		return 0;
	slot = &fast->rcs[msg->consumer % BF_MAX_CONSUMERS];
	bf_lock(&fast->lock);
	found = *slot != NULL && (*slot)->id == msg->consumer;
	if (found) {
		msgs = bf_credits_close(&(*slot)->credits);
		bf_rc_put_locked(*slot);
		*slot = NULL;
		producers_attention_locked(fast);
	}
	bf_unlock(&fast->lock);
	if (!found)
		return violation(chan, "a consumer goes that never came", msg->consumer, 0);
	answer(chan, msg->consumer, BF_WIRE_CONSUMER_GONE, 0, msgs);
	/* last: the application may end the connection in it */
	rte_comch_pmd_remote_consumer(chan->conn, msg->consumer, false);
	return 0;
}

int
bf_conn_consumer_info(struct rte_comch_dev *rte_dev, const struct rte_comch_conn *conn,
	uint32_t consumer_id, struct rte_comch_remote_consumer_info *info)
{
	struct bf_fast *fast = bf_fast_get(bf_dev_of(rte_dev), conn);
	const struct bf_rc *rc;
	int ret = -ENOENT;

	if (fast == NULL)
		return -ENOTCONN;
	bf_lock(&fast->lock);
	rc = fast->rcs[consumer_id % BF_MAX_CONSUMERS];
	if (rc != NULL && rc->id == consumer_id) {
		info->buf_size = rc->buf_size;
		info->imm_len = rc->imm_len;
		info->tag = rc->tag;
		info->meta = rc->meta_asked;
		info->flags = 0;
		ret = 0;
	}
	bf_unlock(&fast->lock);
	bf_fast_put(fast);
	return ret;
}

/*
 * Consumers of ours, as the peer knows them; in the thread of the connection
 */

static void
list(struct bf_fast *fast)
{
	if (!fast->listed)
		TAILQ_INSERT_TAIL(&bf_fast_group_of(fast->chan->group)->asking, fast, next);
	fast->listed = true;
}

static void
unlist(struct bf_fast *fast)
{
	if (fast->listed)
		TAILQ_REMOVE(&bf_fast_group_of(fast->chan->group)->asking, fast, next);
	fast->listed = false;
}

static void
ask_del(struct bf_fast *fast, struct bf_ask *ask)
{
	if (ask->id != 0)
		TAILQ_REMOVE(&fast->asked, ask, next);
	ask->id = 0;
}

/* The connection forgets it: no pair is made for it any more. In any thread. */
void
bf_fast_forget(struct bf_consumer *c)
{
	struct bf_fast *fast = c->fast;
	struct bf_consumer **slot;

	if (fast == NULL)
		return;
	slot = &fast->consumers[c->queue->id % BF_MAX_CONSUMERS];
	bf_lock(&fast->lock);
	if (*slot == c)
		*slot = NULL;
	bf_unlock(&fast->lock);
}

int
bf_consumer_announce(struct rte_comch_queue *queue)
{
	const struct bf_wire_consumer_new new = {
		.consumer = queue->id, .imm_len = queue->imm_len, .buf_size = queue->buf_size,
		.posts = queue->size, .tag = queue->tag, .meta = queue->meta,
	};
	struct bf_chan *chan = bf_chan_of(queue->conn);
	struct bf_consumer *c = queue->priv;
	struct bf_fast *fast = chan != NULL ? fast_of(chan) : NULL;
	const uint32_t slot = queue->id % BF_MAX_CONSUMERS;
	int ret;

	if (fast == NULL)
		return chan == NULL ? -ENOTCONN : -ENOMEM;
	bf_lock(&fast->lock);
	__atomic_fetch_add(&fast->refs, 1, __ATOMIC_RELAXED);
	c->fast = fast;
	ret = bf_chan_ctl(chan, BF_WIRE_CONSUMER_NEW, &new, sizeof(new));
	if (ret == 0)
		fast->consumers[slot] = c;
	bf_unlock(&fast->lock);
	if (ret != 0)
		return ret;
	fast->asks[slot].id = queue->id;
	fast->asks[slot].deadline = rte_comch_pmd_deadline(BF_CONSUMER_MS);
	TAILQ_INSERT_TAIL(&fast->asked, &fast->asks[slot], next);
	list(fast);
	return 0;
}

/* The peer will be told that one goes that it knows, and owes an answer to that. */
static int
gone_tell_locked(struct bf_fast *fast, uint32_t id)
{
	const struct bf_wire_consumer_gone gone = { .consumer = id };
	int ret = bf_chan_ctl(fast->chan, BF_WIRE_CONSUMER_GONE, &gone, sizeof(gone));

	if (ret == 0)
		fast->gone[id % BF_MAX_CONSUMERS] = id;
	else if (ret != -ENOTCONN)
		bf_chan_lost(fast->chan, -ECONNRESET); /* it would never know */
	return ret;
}

bool
bf_fast_leave(struct bf_consumer *c)
{
	const uint32_t slot = c->queue->id % BF_MAX_CONSUMERS;
	struct bf_fast *fast = c->fast;
	int ret = -ENOTCONN;

	if (fast == NULL || bf_dev_status(c->dev) != 0)
		return false;
	bf_lock(&fast->lock);
	if (!c->known && fast->consumers[slot] == c) {
		fast->consumers[slot] = NULL; /* it goes when the peer has answered */
	} else if (fast->consumers[slot] == c) {
		ret = gone_tell_locked(fast, c->queue->id);
		if (ret == 0) {
			c->deadline = rte_comch_pmd_deadline(BF_TOLD_MS);
			c->leave_by = rte_comch_pmd_deadline(BF_LEAVE_MS);
		}
	}
	bf_unlock(&fast->lock);
	return ret == 0;
}

/* One of ours that leaves, unless it waits no more; the lock is held. */
static struct bf_consumer *
leaving_locked(struct bf_fast *fast, uint32_t id)
{
	struct bf_consumer *c = fast->consumers[id % BF_MAX_CONSUMERS];

	return c != NULL && c->queue->id == id && c->leave_by != 0 ? c : NULL;
}

static void
ctl_sent(struct bf_chan *chan, uint8_t type, const void *payload)
{
	struct bf_wire_consumer_gone gone;
	struct bf_fast *fast = fast_of(chan);
	struct bf_consumer *c;

	if (type != BF_WIRE_CONSUMER_GONE || fast == NULL)
		return;
	memcpy(&gone, payload, sizeof(gone));
	bf_lock(&fast->lock);
	c = leaving_locked(fast, gone.consumer);
	if (c != NULL)
		c->deadline = c->leave_by;
	bf_unlock(&fast->lock);
	if (fast->nb_gone++ == 0)
		fast->gone_by = rte_comch_pmd_deadline(BF_CONSUMER_MS);
	list(fast);
}

/* The reasons that rte_comch_ctx_reason_get() tells of. */
static int
answer_status(int status)
{
	return status == -ENOMEM || status == -EUSERS || status == -EACCES ?
		status : -ECONNREFUSED;
}

/* The peer has let go of one that has left: what it has claimed till then may still come. */
static int
gone_answered_locked(struct bf_fast *fast, const struct bf_wire_consumer_answer *msg)
{
	uint32_t *gone = &fast->gone[msg->consumer % BF_MAX_CONSUMERS];
	struct bf_consumer *c = leaving_locked(fast, msg->consumer);

	if (*gone != msg->consumer || msg->consumer == 0 || fast->nb_gone == 0)
		return -EPROTO;
	*gone = 0;
	fast->nb_gone--;
	fast->gone_by = rte_comch_pmd_deadline(BF_CONSUMER_MS);
	if (c == NULL)
		return 0; /* it could not wait */
	c->land = msg->msgs;
	c->landing = true;
	c->deadline = RTE_MIN(c->leave_by, rte_comch_pmd_deadline(BF_LAND_MS));
	bf_fast_alert(&c->attention, c->group);
	return 0;
}

/* The peer knows a consumer from now on, or does not want to. */
static int
new_answered_locked(struct bf_fast *fast, const struct bf_wire_consumer_answer *msg)
{
	const uint32_t slot = msg->consumer % BF_MAX_CONSUMERS;
	struct bf_consumer *c = fast->consumers[slot];

	if (msg->consumer == 0 || fast->asks[slot].id != msg->consumer || fast->gone[slot] != 0)
		return -EPROTO;
	ask_del(fast, &fast->asks[slot]);
	if (msg->status != 0)
		fast->consumers[slot] = NULL;
	else if (c != NULL)
		c->known = true;
	else /* it has stopped since */
		gone_tell_locked(fast, msg->consumer);
	return 0;
}

static int
consumer_answered(struct bf_chan *chan, const struct bf_wire_consumer_answer *msg)
{
	struct bf_fast *fast = fast_of(chan);
	int ret = -EPROTO;

	if (fast == NULL)
		return 0;
	bf_lock(&fast->lock);
	if (msg->to == BF_WIRE_CONSUMER_GONE)
		ret = gone_answered_locked(fast, msg);
	else if (msg->to == BF_WIRE_CONSUMER_NEW)
		ret = new_answered_locked(fast, msg);
	bf_unlock(&fast->lock);
	if (ret != 0)
		return violation(chan, "an answer to nothing", msg->consumer, msg->to);
	if (msg->to == BF_WIRE_CONSUMER_NEW)
		rte_comch_pmd_consumer_answer(chan->conn, msg->consumer,
			msg->status == 0 ? 0 : answer_status(msg->status));
	return 0;
}

/* When the peer owes the next answer, of those that were asked for in order; or never. */
static uint64_t
asked_by(const struct bf_fast *fast)
{
	const struct bf_ask *ask = TAILQ_FIRST(&fast->asked);
	const uint64_t by = ask != NULL ? ask->deadline : UINT64_MAX;

	return fast->nb_gone != 0 ? RTE_MIN(by, fast->gone_by) : by;
}

/* What the peer owes us; the end of the connection is an event that follows. */
static int
asked_poll(struct bf_fast *fast, uint64_t now, uint64_t *deadline)
{
	const struct bf_dev *dev = fast->chan->dev;
	const uint64_t by = asked_by(fast);

	*deadline = RTE_MIN(*deadline, by);
	if (by == UINT64_MAX)
		unlist(fast);
	if (now < by)
		return 0;
	if (bf_peer_log_allowed(dev, fast->chan->rep_id))
		BF_LOG(ERR, "%s: the peer does not answer about a consumer",
			dev->rte_dev->data->name);
	unlist(fast);
	bf_chan_lost(fast->chan, -ECONNRESET);
	return 1;
}

/*
 * Pairs, as the peer asks for them
 */

static int
pair_asked(struct bf_chan *chan, const struct bf_wire_pair_open *msg)
{
	struct bf_wire_pair_ready reply = { .pair = msg->pair, .status = -ENOENT };
	struct bf_fast *fast = fast_of(chan);
	struct bf_consumer *c;
	bool twice;

	if (fast == NULL)
		return 0;
	if (((msg->qpn | msg->psn) >> 24) != 0 || msg->producer == 0 || msg->credits == 0 ||
			msg->pair >= BF_CONN_PAIRS)
		return violation(chan, "a pair that cannot be", msg->pair, msg->qpn);
	bf_lock(&fast->lock);
	twice = bf_pair_served(fast, msg->pair);
	c = fast->consumers[msg->consumer % BF_MAX_CONSUMERS];
	if (!twice && c != NULL && c->queue->id == msg->consumer)
		reply.status = bf_pair_serve(c, msg);
	bf_unlock(&fast->lock);
	if (twice)
		return violation(chan, "a pair twice", msg->pair, msg->consumer);
	if (reply.status != 0)
		bf_chan_answer(chan, BF_WIRE_PAIR_READY, &reply, sizeof(reply));
	return 0;
}

static int
ctl_came(struct bf_chan *chan, uint8_t type, const void *payload, uint32_t len)
{
	const union bf_wire_ctl *msg = payload;
	struct bf_fast *fast;
	int ret;

	if (len != bf_wire_ctl_len(type))
		return violation(chan, "a message of another length", type, len);
	switch (type) {
	case BF_WIRE_CONSUMER_NEW:
		return consumer_new(chan, &msg->consumer_new);
	case BF_WIRE_CONSUMER_GONE:
		return consumer_gone(chan, &msg->consumer_gone);
	case BF_WIRE_CONSUMER_ANSWER:
		return consumer_answered(chan, &msg->consumer_answer);
	case BF_WIRE_PAIR_OPEN:
		return pair_asked(chan, &msg->pair_open);
	default:
		break;
	}
	fast = fast_of(chan);
	if (fast == NULL)
		return 0;
	if (type == BF_WIRE_PAIR_READY)
		ret = bf_pair_ready(fast, &msg->pair_ready);
	else if (type == BF_WIRE_PAIR_GO)
		ret = bf_pair_go(fast, &msg->pair);
	else if (type == BF_WIRE_PAIR_CLOSE)
		ret = bf_pair_close(fast, &msg->pair);
	else if (type == BF_WIRE_PAIR_CLOSED)
		ret = bf_pair_closed(fast, &msg->pair);
	else
		ret = -EPROTO;
	return ret == 0 ? 0 : violation(chan, "a pair that is not so", type, msg->pair.pair);
}

/*
 * The connection is over: producers find no consumer any more, and consumers of ours are
 * told by the library.
 */
static void
conn_down(struct bf_chan *chan)
{
	struct bf_fast *fast;
	uint32_t i;

	fast = __atomic_exchange_n(&chan->fast, FAST_ENDED, __ATOMIC_ACQ_REL);
	if (fast == NULL || fast == FAST_ENDED)
		return;
	bf_lock(&fast->lock);
	__atomic_store_n(&fast->ended, 1, __ATOMIC_RELAXED);
	for (i = 0; i < BF_MAX_CONSUMERS; i++) {
		if (fast->rcs[i] != NULL) {
			bf_credits_close(&fast->rcs[i]->credits);
			bf_rc_put_locked(fast->rcs[i]);
			fast->rcs[i] = NULL;
		}
		if (fast->consumers[i] != NULL)
			bf_fast_alert(&fast->consumers[i]->attention,
				fast->consumers[i]->group);
		fast->consumers[i] = NULL;
		ask_del(fast, &fast->asks[i]);
	}
	producers_attention_locked(fast);
	bf_unlock(&fast->lock);
	unlist(fast);
	bf_fast_put(fast);
}

/*
 * Operations of the library
 */

int
bf_queue_setup(struct rte_comch_queue *queue, struct rte_comch_fp_object *fp)
{
	memset(fp, 0, sizeof(*fp));
	return queue->is_consumer ?
		bf_consumer_setup(queue, fp) : bf_producer_setup(queue, fp);
}

int
bf_queue_stop(struct rte_comch_queue *queue, int status, struct rte_comch_pmd_ending *ending)
{
	return queue->is_consumer ? bf_consumer_stop(queue->priv, status, ending) :
		bf_producer_stop(queue->priv, status, ending);
}

int
bf_queue_free(struct rte_comch_queue *queue, struct rte_comch_pmd_ending *ending)
{
	void *priv = queue->priv;

	queue->priv = NULL;
	return queue->is_consumer ? bf_consumer_free(priv, ending) :
		bf_producer_free(priv, ending);
}

int
bf_queue_room(struct rte_comch_queue *queue, uint32_t consumer_id, struct rte_comch_room *room)
{
	const struct bf_consumer *c = queue->priv;
	struct bf_producer *p = queue->priv;

	if (queue->is_consumer) {
		room->credits = c->post_pos - c->poll_pos;
		room->queue = c->size - room->credits;
		room->reason = c->reason;
		return 0;
	}
	if (__atomic_load_n(&p->fast->ended, __ATOMIC_RELAXED) != 0)
		return -ENOTCONN;
	if (!bf_producer_credits(p, consumer_id, &room->credits))
		return -ENOENT;
	room->queue = p->size - p->nb_wanted;
	room->reason = p->reason;
	/* what a pair is made of comes over the connection */
	if (p->reason == -EAGAIN && !bf_pair_is_up(p, consumer_id))
		room->flags = RTE_COMCH_ROOM_F_PROGRESS;
	return 0;
}

/* All posts are of the size that was stated, so a message like one before has room in each. */
uint32_t
bf_queue_takes(struct rte_comch_queue *queue, uint32_t consumer_id, uint64_t len, uint32_t max)
{
	struct bf_producer *p = queue->priv;
	uint32_t nb;

	RTE_SET_USED(len);
	if (__atomic_load_n(&p->fast->ended, __ATOMIC_RELAXED) != 0 ||
			!bf_producer_credits(p, consumer_id, &nb))
		return 0;
	return RTE_MIN(nb, max);
}

int
bf_queue_idle(struct rte_comch_queue *queue)
{
	return queue->is_consumer ? bf_consumer_idle(queue->priv) :
		bf_producer_idle(queue->priv);
}

/*
 * Poll groups
 */

static int
group_up(struct bf_group *group)
{
	struct bf_fast_group *fg = calloc(1, sizeof(*fg));

	if (fg == NULL)
		return -ENOMEM;
	TAILQ_INIT(&fg->consumers);
	TAILQ_INIT(&fg->producers);
	TAILQ_INIT(&fg->asking);
	fg->retry = UINT64_MAX;
	group->part[BF_PART_FAST] = fg;
	return 0;
}

static void
group_down(struct bf_group *group)
{
	free(group->part[BF_PART_FAST]);
	group->part[BF_PART_FAST] = NULL;
}

/* Requests that do not complete: their doorbell may have got lost. Are there any? */
static bool
group_look(struct bf_group *group, bool ring)
{
	const struct bf_fast_group *fg = bf_fast_group_of(group);
	struct bf_producer *p;
	struct bf_consumer *c;
	bool waits = false;

	if (bf_dev_status(group->dev) != 0)
		return false;
	TAILQ_FOREACH(c, &fg->consumers, next)
		waits |= bf_consumer_look(c, ring);
	TAILQ_FOREACH(p, &fg->producers, next)
		waits |= bf_producer_look(p, ring);
	return waits;
}

static int
group_poll(struct bf_group *group, uint64_t now)
{
	struct bf_fast_group *fg = bf_fast_group_of(group);
	struct bf_fast *fast, *next_fast;
	struct bf_consumer *c, *next_c;
	struct bf_producer *p, *next;
	int nb = 0;

	for (fast = TAILQ_FIRST(&fg->asking); fast != NULL && nb == 0; fast = next_fast) {
		next_fast = TAILQ_NEXT(fast, next);
		nb = asked_poll(fast, now, &group->pg.deadline);
	}
	if (unlikely(now >= fg->look)) {
		fg->look = now + rte_get_tsc_hz() / MS_PER_S * BF_RING_MS;
		group_look(group, true);
	}
	if (unlikely(now >= fg->retry)) {
		fg->retry = UINT64_MAX;
		TAILQ_FOREACH(c, &fg->consumers, next)
			bf_fast_attention(&c->attention, group);
		TAILQ_FOREACH(p, &fg->producers, next)
			bf_fast_attention(&p->attention, group);
	}
	/* acquire: what has changed; pairs with the release in bf_fast_attention() */
	if (likely(__atomic_load_n(&fg->attention, __ATOMIC_RELAXED) == 0) ||
			__atomic_exchange_n(&fg->attention, 0, __ATOMIC_ACQUIRE) == 0)
		return nb;
	/* the end of a stop may be told of in here */
	for (c = TAILQ_FIRST(&fg->consumers); c != NULL; c = next_c) {
		next_c = TAILQ_NEXT(c, next);
		bf_consumer_service(c);
		if (c->leaving)
			bf_consumer_leave(c, now);
	}
	for (p = TAILQ_FIRST(&fg->producers); p != NULL; p = next) {
		next = TAILQ_NEXT(p, next);
		bf_producer_service(p, now);
	}
	if (__atomic_load_n(&fg->attention, __ATOMIC_RELAXED) != 0)
		group->pg.deadline = now;
	return nb;
}

static bool
group_arm(struct bf_group *group)
{
	struct bf_fast_group *fg = bf_fast_group_of(group);
	struct bf_producer *p;
	struct bf_consumer *c;
	bool pending = __atomic_load_n(&fg->attention, __ATOMIC_ACQUIRE) != 0;

	TAILQ_FOREACH(c, &fg->consumers, next)
		pending |= bf_consumer_arm(c);
	TAILQ_FOREACH(p, &fg->producers, next)
		pending |= bf_producer_arm(p);
	/* what is on its way usually completes before that */
	if (!pending && group_look(group, false))
		group->pg.deadline = RTE_MIN(group->pg.deadline, fg->look);
	group->pg.deadline = RTE_MIN(group->pg.deadline, fg->retry);
	return pending;
}

/* Half of the device's queues is for pairs that peers ask for; each has its part of it. */
static void
up(struct bf_dev *dev)
{
	const struct bf_func_caps *caps = bf_func_caps(dev->func);
	struct bf_fast_dev *fd = dev->part[BF_PART_FAST];
	uint32_t peers = RTE_MAX(dev->nb_reps, 1), max = RTE_MIN(caps->max_qp, caps->max_cq);

	fd->max_pairs = RTE_MAX(RTE_MIN(max / 2 / peers, BF_PEER_PAIRS), BF_PEER_MIN_PAIRS);
}

static int
create(struct bf_dev *dev)
{
	uint32_t peers = RTE_MAX(dev->nb_reps, 1);
	struct bf_fast_dev *fd;

	fd = calloc(1, sizeof(*fd) + peers * sizeof(fd->shares[0]));
	dev->part[BF_PART_FAST] = fd;
	return fd != NULL ? 0 : -ENOMEM;
}

static void
destroy(struct bf_dev *dev)
{
	free(dev->part[BF_PART_FAST]);
	dev->part[BF_PART_FAST] = NULL;
}

static void
info_get(struct bf_dev *dev, struct rte_comch_dev_info *info)
{
	struct bf_obj_caps caps;

	dev->objs->ops->caps(dev->objs, &caps);
	info->max_consumers = BF_MAX_CONSUMERS;
	info->max_producers = BF_MAX_PRODUCERS;
	/* the list of entries keeps one, and is a power of two */
	info->max_posts = RTE_MIN(BF_MAX_POSTS, caps.max_srq_sz / 2);
	info->max_sends = RTE_MIN(BF_MAX_SENDS, caps.max_qp_sz / 2);
	info->max_imm_len = BF_WIRE_MAX_IMM_LEN;
	/* a device may say that it has less than that */
	caps.max_msg = RTE_MAX(caps.max_msg, (uint64_t)BF_WIRE_MAX_IMM_LEN);
	info->max_buf_size = RTE_MIN(caps.max_msg - BF_WIRE_MAX_IMM_LEN, BF_MAX_BUF_SIZE);
	info->capa |= RTE_COMCH_CAPA_CONSUMER | RTE_COMCH_CAPA_PRODUCER;
}

const struct bf_part bf_fast_part = {
	.create = create,
	.destroy = destroy,
	.up = up,
	.info_get = info_get,
	.group_up = group_up,
	.group_down = group_down,
	.group_poll = group_poll,
	.group_arm = group_arm,
	.ctl_came = ctl_came,
	.ctl_sent = ctl_sent,
	.conn_down = conn_down,
};
