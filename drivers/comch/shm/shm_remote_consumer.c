/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Consumers of the peer: how they come, how they go while producers may use them,
 * and the peer's answers about consumers of ours. All of it runs in the thread of
 * the connection, but the end of consumers that producers still use: whoever serves
 * the sockets looks after them. No message of an application is touched here.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>

#include "shm_fast.h"

/* Mappings of one: its posts and its completions. */
#define RC_MAPS 2

/* Of the completion segment that answers it. */
uint32_t
shm_remote_consumer_seg_size(const struct shm_wire_consumer *msg)
{
	return shm_wire_cpls_size(msg->nb_posts, msg->region != SHM_WIRE_NO_REGION,
		msg->imm_len);
}

/* Nobody knows it any more, and its link may be gone. Without the lock. */
static void
rc_free(struct shm_trash *trash)
{
	struct shm_remote_consumer *rc = container_of(trash, struct shm_remote_consumer, trash);

	const uint32_t size = rc->seg.size;

	shm_peer_unmap(rc->posts, rc->posts_size);
	shm_seg_free(&rc->seg);
	shm_ledger_give_mem(rc->ledger, RC_MAPS, size);
	free(rc);
}

void
shm_remote_consumer_drop_locked(struct shm_remote_consumer *rc)
{
	struct shm_link *link = rc->link;
	struct shm_dev *dev = link->dev;

	if (rc->region != NULL)
		shm_peer_region_put_locked(rc->region);
	shm_fast_put_locked(rc->fast);
	link->nb_rcs--;
	shm_trash_put(dev, &rc->trash, rc_free);
	shm_link_put(link);
}

/* R: is a producer inside of a burst to it? The fence is behind us. */
static bool
rc_is_busy(const struct shm_remote_consumer *rc)
{
	const struct shm_producer *p;
	uint32_t i, id;

	for (i = 0; i < SHM_WIRE_MAX_PRODUCERS; i++) {
		p = rc->fast->producers[i];
		id = p != NULL ? shm_busy_get(p->busy) : 0;
		if (id != 0 && shm_wire_consumer_slot(id) == shm_wire_consumer_slot(rc->id))
			return true;
	}
	return false;
}

/* Free those that no producer uses any more. */
void
shm_dying_check_locked(struct shm_dev *dev)
{
	struct shm_remote_consumer *rc, *next;

	if (TAILQ_EMPTY(&dev->dying))
		return;
	shm_barrier_process();
	for (rc = TAILQ_FIRST(&dev->dying); rc != NULL; rc = next) {
		next = TAILQ_NEXT(rc, next);
		if (rc_is_busy(rc))
			continue;
		TAILQ_REMOVE(&dev->dying, rc, next);
		__atomic_fetch_sub(&dev->nb_dying, 1, __ATOMIC_RELAXED);
		shm_remote_consumer_drop_locked(rc);
	}
}

/* Have producers find it no more, once they have passed a fence. */
static void
rc_hide(struct shm_remote_consumer *rc)
{
	const uint32_t slot = shm_wire_consumer_slot(rc->id);

	/* relaxed: R orders them */
	__atomic_store_n(&rc->fast->open[slot], NULL, __ATOMIC_RELAXED);
	__atomic_store_n(&rc->fast->rcs[slot], NULL, __ATOMIC_RELAXED);
}

/* Free it when no producer uses it; the lock is held. */
static void
rc_die_locked(struct shm_remote_consumer *rc)
{
	TAILQ_INSERT_TAIL(&rc->link->dev->dying, rc, next);
	__atomic_fetch_add(&rc->link->dev->nb_dying, 1, __ATOMIC_RELAXED);
}

/* Flags of later versions are not for this one to know: what they ask for does not come. */
static bool
meta_valid(const struct shm_wire_consumer *msg)
{
	return msg->meta == 0 || (msg->region != SHM_WIRE_NO_REGION &&
		msg->imm_len >= RTE_COMCH_META_SIZE);
}

static bool
consumer_valid(const struct shm_wire_consumer *msg)
{
	return msg->consumer != 0 &&
		msg->nb_posts != 0 && msg->nb_posts <= SHM_WIRE_MAX_POSTS &&
		rte_is_power_of_2(msg->nb_posts) && msg->imm_len <= SHM_WIRE_MAX_IMM_LEN &&
		(msg->region < SHM_WIRE_MAX_REGIONS || msg->region == SHM_WIRE_NO_REGION) &&
		msg->group < SHM_WIRE_MAX_GROUPS && meta_valid(msg) &&
		msg->buf_size <= SHM_WIRE_MAX_BUF_SIZE &&
		(msg->buf_size == 0 || msg->region != SHM_WIRE_NO_REGION) &&
		(msg->flags & SHM_WIRE_CONSUMER_F_UNKNOWN) == 0 &&
		((msg->flags & SHM_WIRE_CONSUMER_F_IDLE) == 0 ||
		msg->flags >> SHM_WIRE_CONSUMER_DOORBELL_SHIFT < SHM_WIRE_MAX_QDOORBELLS);
}

/* The share of a link that another consumer takes; the lock is held. */
static int
rc_reserve_locked(struct shm_remote_consumer *rc, struct shm_link *link,
		const struct shm_event *ev)
{
	const struct shm_wire_consumer *msg = &ev->msg.consumer;
	uint32_t bytes = shm_remote_consumer_seg_size(msg);
	int ret;

	if (link->nb_rcs >= SHM_MAX_LINK_REMOTE_CONSUMERS)
		return -EUSERS;
	if ((msg->flags & SHM_WIRE_CONSUMER_F_IDLE) != 0) {
		rc->toggles = shm_qtoggles_get_locked(link, msg->group);
		if (rc->toggles == NULL)
			return -ENOMEM;
	}
	if (msg->region != SHM_WIRE_NO_REGION) {
		rc->region = ev->region;
		if (rc->region == NULL || msg->buf_size > rc->region->size)
			return -EPROTO;
	}
	ret = shm_link_take_mem(link, RC_MAPS, bytes);
	if (ret != 0)
		return ret;
	if (rc->region != NULL)
		rc->region->refs++;
	rc->seg.size = bytes; /* what is given back, whether it was made or not */
	link->nb_rcs++;
	link->refs++;
	rc->link = link;
	rc->ledger = link->ledger;
	rc->fast->refs++;
	return 0;
}

/* The words of the first lap are not yet what the consumer waits for. */
static void
rc_words_init(struct shm_remote_consumer *rc)
{
	uint32_t i, pos;

	for (i = 0; i <= rc->mask; i++) {
		pos = SHM_WIRE_POST_START + i;
		rc->cpls->words[pos & rc->mask] = shm_wire_lap(pos, rc->shift) ^ 1;
	}
}

/* The word that producers look at after a burst, and what they do then. */
static void
rc_wake_init(struct shm_remote_consumer *rc, const struct shm_wire_consumer *msg)
{
	uint32_t doorbell = msg->flags >> SHM_WIRE_CONSUMER_DOORBELL_SHIFT;

	rc->peer_group = msg->group;
	if (rc->toggles == NULL) {
		rc->peer_armed = &rc->link->peer->groups[msg->group].armed;
		return;
	}
	rc->peer_armed = &rc->posts->idle;
	rc->toggles += doorbell;
	rc->doorbell = &rc->link->own->groups[msg->group].doorbells[doorbell / 64];
	rc->doorbell_mask = RTE_BIT64(doorbell % 64);
}

static int
rc_map(struct shm_remote_consumer *rc, const struct shm_wire_consumer *msg, int fd)
{
	uint32_t bytes = rc->seg.size;
	int ret;

	if (rc->region != NULL) {
		ret = shm_peer_region_map(rc->link->dev, rc->region);
		if (ret != 0)
			return ret;
		rc->base = rc->region->map;
		rc->region_size = rc->region->size;
	}
	rc->posts_size = shm_wire_posts_size(msg->nb_posts, rc->region != NULL);
	rc->posts = shm_peer_map(fd, offsetof(struct shm_wire_posts, tail), rc->posts_size, &ret);
	if (ret != 0)
		return ret;
	ret = shm_seg_create(&rc->seg, offsetof(struct shm_wire_cpls, want), bytes);
	if (ret != 0) {
		rc->seg.size = bytes;
		return -ENOMEM;
	}
	rc->cpls = rc->seg.map;
	rc->id = msg->consumer;
	rc->mask = msg->nb_posts - 1;
	rc->shift = rte_log2_u32(msg->nb_posts);
	rc->imm_len = msg->imm_len;
	rc->tag = msg->tag;
	rc->meta_asked = msg->meta & RTE_COMCH_META_ALL;
	rte_comch_meta_map_init(rc->meta_asked, false, &rc->meta);
	rc->buf_size = msg->buf_size;
	rc->imm_size = shm_wire_imm_size(msg->imm_len);
	rc->imm = (uint8_t *)&rc->cpls->words[msg->nb_posts];
	rc->head = SHM_WIRE_POST_START;
	rc->tail_seen = SHM_WIRE_POST_START;
	rc_wake_init(rc, msg);
	rc->fence = shm_fences_needed() || (msg->flags & SHM_WIRE_CONSUMER_F_FENCE) != 0;
	if (shm_wire_has_entries(rc->region != NULL, msg->imm_len))
		rc->entries = (struct shm_entry *)rc->cpls->words; /* all 0: there is no message */
	else
		rc_words_init(rc);
	return 0;
}

/* What is made and mapped for it. */
static uint64_t
rc_bytes_locked(const struct shm_remote_consumer *rc)
{
	const struct shm_peer_region *region = rc->region;

	return rc->seg.size + (region != NULL && region->map == NULL ? region->size : 0);
}

static int
rc_work(struct shm_event *ev)
{
	return rc_map(ev->rc, &ev->msg.consumer, ev->fd);
}

/* 0 and the consumer in ev, or the status of the answer, -EPROTO, or -EINPROGRESS. */
static int
rc_create(struct shm_chan *chan, struct shm_event *ev)
{
	struct shm_dev *dev = chan->link->dev;
	struct shm_remote_consumer *rc = aligned_alloc(128, sizeof(*rc));
	uint64_t bytes = 0;
	int ret;

	if (rc == NULL)
		return -ENOMEM;
	memset(rc, 0, sizeof(*rc));
	rc->seg.fd = -1;
	shm_dev_lock(dev);
	rc->fast = shm_fast_get_locked(chan);
	ret = rc->fast == NULL ? -ENOMEM : rc_reserve_locked(rc, chan->link, ev);
	if (ret == 0)
		bytes = rc_bytes_locked(rc);
	shm_dev_unlock(dev);
	if (ret != 0) {
		free(rc);
		return ret;
	}
	ev->rc = rc;
	if (shm_turn_takes(chan->group, bytes))
		return rc_work(ev);
	ev->work = rc_work;
	return -EINPROGRESS;
}

/* Have the producers find it, and it know them. */
static void
rc_publish(struct shm_fast *fast, struct shm_remote_consumer *rc)
{
	const uint32_t slot = shm_wire_consumer_slot(rc->id);
	struct shm_dev *dev = rc->link->dev;
	uint32_t i;

	/* those that come later look for it under the same lock */
	shm_dev_lock(dev);
	for (i = 0; i < SHM_WIRE_MAX_PRODUCERS; i++)
		if (fast->producers[i] != NULL)
			shm_producer_tell(fast->producers[i], rc);
	/* release: pairs with the acquire in rc_enter_fast() and rc_enter_fenced() */
	__atomic_store_n(&fast->rcs[slot], rc, __ATOMIC_RELEASE);
	if (!rc->fence)
		__atomic_store_n(&fast->open[slot], rc, __ATOMIC_RELEASE);
	shm_dev_unlock(dev);
}

/* CONSUMER */
static int
peer_consumer(struct shm_chan *chan, struct shm_event *ev)
{
	const struct shm_wire_consumer *msg = &ev->msg.consumer;
	struct shm_dev *dev = chan->link->dev;
	union shm_wire_msg reply = { 0 };
	struct shm_remote_consumer *rc;
	int fd = -1, ret;
	bool taken;

	if (!consumer_valid(msg))
		return -EPROTO;
	/* another thread may start the first producer */
	shm_dev_lock(dev);
	taken = chan->fast != NULL &&
		chan->fast->rcs[shm_wire_consumer_slot(msg->consumer)] != NULL;
	shm_dev_unlock(dev);
	if (taken)
		return -EPROTO;
	ret = ev->rc == NULL ? rc_create(chan, ev) : ev->ret;
	if (ret == -EPROTO || ret == -EINPROGRESS)
		return ret;
	if (ret == 0) {
		rc = ev->rc;
		ev->rc = NULL; /* else it goes with the event */
		rc_publish(chan->fast, rc);
		fd = rc->seg.fd;
		rc->seg.fd = -1;
	}
	reply.consumer_ack.consumer = msg->consumer;
	reply.consumer_ack.status = ret;
	reply.consumer_ack.flags = shm_fences_needed() ? SHM_WIRE_CONSUMER_F_FENCE : 0;
	shm_dev_lock(dev);
	shm_link_send(chan->link, &reply, SHM_WIRE_CONSUMER_ACK, sizeof(reply.consumer_ack),
		chan->id, fd);
	shm_dev_unlock(dev);
	if (ret == 0)
		rte_comch_pmd_remote_consumer(chan->conn, msg->consumer, true);
	else
		SHM_PEER_LOG(dev, chan->link->func, WARNING, "%s: a consumer of process %u cannot be had: %s",
			dev->dev->data->name, chan->link->pid, strerror(-ret));
	return 0;
}

/* One that dies is freed under the lock, so it stays while we look. */
int
shm_conn_consumer_info(struct rte_comch_dev *rte_dev, const struct rte_comch_conn *conn,
		uint32_t consumer_id, struct rte_comch_remote_consumer_info *info)
{
	struct shm_dev *dev = rte_dev->priv;
	const struct shm_chan *chan;
	const struct shm_remote_consumer *rc = NULL;
	int ret = -ENOTCONN;

	shm_dev_lock(dev);
	chan = conn->priv;
	if (chan != NULL && chan->fast != NULL)
		/* acquire: pairs with the release in rc_publish() */
		rc = __atomic_load_n(&chan->fast->rcs[shm_wire_consumer_slot(consumer_id)],
				__ATOMIC_ACQUIRE);
	if (chan != NULL)
		ret = -ENOENT;
	/* as producers find it: one that has closed may not have said that it goes */
	if (rc != NULL && shm_open_is(&rc->posts->consumer, consumer_id)) {
		info->buf_size = rc->buf_size;
		info->imm_len = rc->imm_len;
		info->tag = rc->tag;
		info->meta = rc->meta_asked;
		info->flags = rc->base != NULL && rc->buf_size == 0 ?
			RTE_COMCH_REMOTE_CONSUMER_F_POST_SIZES : 0;
		ret = 0;
	}
	shm_dev_unlock(dev);
	return ret;
}

/* CONSUMER_GONE */
static int
peer_consumer_gone(struct shm_chan *chan, uint32_t id)
{
	struct shm_dev *dev = chan->link->dev;
	struct shm_fast *fast = chan->fast;
	uint32_t slot = shm_wire_consumer_slot(id), want;
	struct shm_remote_consumer *rc;

	if (fast == NULL || fast->rcs[slot] == NULL || fast->rcs[slot]->id != id)
		return -EPROTO;
	rc = fast->rcs[slot];
	rc_hide(rc);
	/* producers that sleep until it posts: it will not, so they have to look */
	shm_barrier_process();
	want = __atomic_load_n(&rc->cpls->want, __ATOMIC_RELAXED);
	shm_dev_lock(dev);
	if (want != 0)
		shm_groups_sync(dev);
	rc_die_locked(rc);
	shm_dying_check_locked(dev);
	shm_dev_unlock(dev);
	/* last: the application may end the connection in it */
	rte_comch_pmd_remote_consumer(chan->conn, id, false);
	return 0;
}

/* 0, or the reasons that rte_comch_ctx_reason_get() tells of. */
static int
consumer_status(int status)
{
	return status == 0 || status == -ENOMEM || status == -EUSERS || status == -EACCES ?
		status : -ECONNREFUSED;
}

/* The peer knows it: what it writes to comes with its answer. */
static int
consumer_known_locked(struct shm_consumer *c, const struct shm_wire_consumer_ack *msg, int fd)
{
	int ret;

	c->cpls_size = shm_wire_cpls_size(c->mask + 1, c->base != NULL, c->imm_len);
	c->cpls = shm_peer_map(fd, offsetof(struct shm_wire_cpls, want), c->cpls_size, &ret);
	if (ret != 0)
		return ret;
	c->imm = (const uint8_t *)&c->cpls->words[c->mask + 1];
	if (c->cookies != NULL)
		c->entries = shm_wire_entries(c->cpls);
	c->fence = shm_fences_needed() || (msg->flags & SHM_WIRE_CONSUMER_F_FENCE) != 0;
	return 0;
}

/* CONSUMER_ACK */
static int
peer_consumer_ack(struct shm_chan *chan, struct shm_event *ev)
{
	const struct shm_wire_consumer_ack *msg = &ev->msg.consumer_ack;
	const uint32_t slot = shm_wire_consumer_slot(msg->consumer);
	struct shm_dev *dev = chan->link->dev;
	struct shm_fast *fast = chan->fast;
	struct shm_consumer *c;
	int ret = msg->status;

	if (fast == NULL || fast->asks[slot].chan == NULL || !fast->asks[slot].asked ||
			fast->asks[slot].id != msg->consumer ||
			(msg->status == 0) != (ev->fd >= 0) ||
			(msg->flags & ~SHM_WIRE_CONSUMER_F_FENCE) != 0)
		return -EPROTO;
	shm_ask_del(&fast->asks[slot]);
	shm_dev_lock(dev);
	c = fast->consumers[slot]; /* stays while we hold the lock, or has stopped */
	if (msg->status == 0) {
		if (c != NULL)
			ret = consumer_known_locked(c, msg, ev->fd);
		if (ret == -ENOMEM)
			shm_seg_refused(chan->link, ret);
		/* the peer knows one that has stopped, or that there is no room for here */
		if (c == NULL || ret == -ENOMEM)
			shm_consumer_gone_locked(chan, msg->consumer);
	}
	fast->consumers[slot] = NULL;
	shm_dev_unlock(dev);
	if (msg->status == 0 && ret == -EPROTO)
		return ret;
	rte_comch_pmd_consumer_answer(chan->conn, msg->consumer, consumer_status(ret));
	return 0;
}

/* 0, -EINPROGRESS, or -EPROTO for what may not come now. The connection is UP. */
int
shm_fast_event(struct shm_chan *chan, struct shm_event *ev)
{
	switch (ev->msg.hdr.type) {
	case SHM_WIRE_CONSUMER:
		return peer_consumer(chan, ev);
	case SHM_WIRE_CONSUMER_ACK:
		return peer_consumer_ack(chan, ev);
	default:
		return peer_consumer_gone(chan, ev->msg.consumer_id.consumer);
	}
}

/*
 * The connection is over. Producers find no consumer any more, and consumers of
 * ours are told by the library.
 */
void
shm_fast_end(struct shm_chan *chan)
{
	struct shm_dev *dev = chan->link->dev;
	struct shm_fast *fast;
	uint32_t i;

	shm_asks_del(chan);
	shm_dev_lock(dev);
	if (chan->conn != NULL)
		chan->conn->priv = NULL; /* producers of other threads look at it */
	fast = chan->fast;
	chan->fast = NULL;
	if (fast != NULL) {
		__atomic_store_n(&fast->ended, 1, __ATOMIC_RELAXED);
		for (i = 0; i < SHM_WIRE_MAX_CONSUMERS; i++) {
			if (fast->rcs[i] != NULL) {
				rc_die_locked(fast->rcs[i]);
				rc_hide(fast->rcs[i]);
			}
			fast->consumers[i] = NULL;
		}
		shm_dying_check_locked(dev);
		shm_fast_put_locked(fast);
	}
	shm_dev_unlock(dev);
}

/* The first deadline of those that the peer owes an answer, or has to let in. */
struct shm_ask *
shm_ask_oldest(const struct shm_group *group)
{
	struct shm_ask *oldest = TAILQ_FIRST(&group->unasked), *ask;

	/* those that had to wait come behind younger ones */
	TAILQ_FOREACH(ask, &group->asked, next)
		if (oldest == NULL || ask->deadline < oldest->deadline)
			oldest = ask;
	return oldest;
}

/*
 * A peer that does not answer about a consumer. If this engine has stood, the answer may have
 * come with this turn: it is an event, which is handled in the next one.
 */
struct shm_chan *
shm_consumers_late(struct shm_group *group, uint64_t now)
{
	struct shm_ask *ask;

	while ((ask = shm_ask_oldest(group)) != NULL && now >= ask->deadline) {
		if (ask->late)
			return ask->chan;
		ask->late = true;
		ask->deadline = now + rte_get_tsc_hz() / MS_PER_S * SHM_LATE_MS;
	}
	return NULL;
}
