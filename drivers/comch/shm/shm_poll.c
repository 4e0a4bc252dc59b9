/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * One turn of a poll group, and the data path: doorbells, rings, sleeping and waking.
 * Everything here runs in the thread of one progress engine and takes no lock, but
 * for waking a peer that sleeps and for a look at the sockets now and then.
 * The memory orders T, H, B and E are in shm_fence.h.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <rte_branch_prediction.h>
#include <rte_cycles.h>

#include "shm_fast.h"
#include "shm_msgq.h"

/*
 * Doorbells
 */

/* Wake the peer's group, once for each time it sleeps. Slow: it sleeps. */
void
shm_link_wake_locked(struct shm_link *link, uint32_t group, uint32_t armed)
{
	const uint64_t one = 1;

	if (link->peer_woken[group] == armed || link->peer_wake[group] < 0)
		return;
	/* else its buffer is full of wake-ups, or the next one tries again */
	if (link->dev->role == RTE_COMCH_ROLE_HOST ?
			write(link->peer_wake[group], &one, sizeof(one)) < 0 :
			send(link->peer_wake[group], "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return;
	__atomic_store_n(&link->peer_woken[group], armed, __ATOMIC_RELAXED);
	rte_comch_pmd_count(&link->dev->dev->data->stats.wakeups);
}

void
shm_link_wake(struct shm_link *link, uint32_t group, uint32_t armed)
{
	/* relaxed: this sleep or another one, it was waked by somebody */
	if (__atomic_load_n(&link->peer_woken[group], __ATOMIC_RELAXED) == armed)
		return;
	shm_dev_lock(link->dev);
	shm_link_wake_locked(link, group, armed);
	shm_dev_unlock(link->dev);
}

/* After something was published: tell the peer, unless it looks anyway. */
static inline void
chan_ring(struct shm_chan *chan)
{
	uint32_t armed;

	/* B: pairs with the fences in chan_idle() and shm_group_arm() */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&chan->peer->doorbell_seen, __ATOMIC_RELAXED) != chan->tx_toggles)
		return; /* it has not looked away since the last one */
	chan->tx_toggles++;
	/* atomic: other connections, of other threads, have bits of this word */
	__atomic_fetch_xor(chan->doorbell, chan->doorbell_mask, __ATOMIC_RELAXED);
	/* B: pairs with the fence in shm_group_arm() */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	armed = __atomic_load_n(chan->peer_armed, __ATOMIC_RELAXED);
	if (unlikely(armed != 0))
		shm_link_wake(chan->link, chan->peer_group, armed);
}

/* Have the group look at the doorbell of a connection. */
static void
chan_doorbell_join(struct shm_chan *chan)
{
	const uint64_t bit = RTE_BIT64(chan->rx_doorbell % 64);
	const uint32_t w = chan->rx_doorbell / 64;
	struct shm_glink *glink = chan->glink;
	struct shm_doorbell_word *word;
	uint32_t i;

	for (i = 0; i < glink->nb_words && glink->words[i].index != w; i++)
		;
	word = &glink->words[i];
	if (i == glink->nb_words) {
		glink->nb_words++;
		word->index = w;
		word->word = &chan->link->peer->doorbells[w];
		word->shadow = 0;
		word->mask = 0;
	}
	/* what this bit said before was about another connection */
	word->shadow &= ~bit;
	word->shadow |= __atomic_load_n(word->word, __ATOMIC_RELAXED) & bit;
	word->mask |= bit;
	glink->by_doorbell[chan->rx_doorbell] = chan;
}

int
shm_chan_doorbell_add(struct shm_chan *chan)
{
	struct shm_link *link = chan->link;
	uint32_t w, free_word = SHM_WIRE_DOORBELL_WORDS;
	uint32_t bit;

	for (w = 0; w < SHM_WIRE_DOORBELL_WORDS; w++) {
		if (link->doorbells_used[w] == 0) {
			if (free_word == SHM_WIRE_DOORBELL_WORDS)
				free_word = w;
		} else if (link->doorbell_group[w] == chan->group->index &&
				link->doorbells_used[w] != UINT64_MAX) {
			break;
		}
	}
	if (w == SHM_WIRE_DOORBELL_WORDS)
		w = free_word;
	if (w == SHM_WIRE_DOORBELL_WORDS)
		return -ENOSPC;
	bit = __builtin_ctzll(~link->doorbells_used[w]);
	link->doorbells_used[w] |= RTE_BIT64(bit);
	link->doorbell_group[w] = chan->group->index;
	chan->rx_doorbell = w * 64 + bit;
	chan_doorbell_join(chan);
	return 0;
}

void
shm_chan_doorbell_del(struct shm_chan *chan)
{
	struct shm_glink *glink = chan->glink;
	uint32_t i;

	if (chan->rx_doorbell < 0)
		return;
	glink->by_doorbell[chan->rx_doorbell] = NULL;
	for (i = 0; i < glink->nb_words; i++) {
		if (glink->words[i].index != (uint32_t)chan->rx_doorbell / 64)
			continue;
		glink->words[i].mask &= ~RTE_BIT64(chan->rx_doorbell % 64);
		if (glink->words[i].mask == 0)
			glink->words[i] = glink->words[--glink->nb_words];
		break;
	}
}

/*
 * The data path of one connection
 */

void
shm_chan_activate(struct shm_chan *chan)
{
	struct shm_group *group = chan->group;

	chan->idle = 0;
	if (chan->active >= 0)
		return;
	chan->active = group->nb_active;
	group->active[group->nb_active++] = chan;
}

void
shm_chan_deactivate(struct shm_chan *chan)
{
	struct shm_group *group = chan->group;
	struct shm_chan *last;

	if (chan->active < 0)
		return;
	last = group->active[--group->nb_active];
	group->active[chan->active] = last;
	last->active = chan->active;
	chan->active = -1;
}

/* Copy into our ring at the place of the next record, round its end. */
static inline void
ring_put(struct shm_chan *chan, uint32_t off, const void *data, uint32_t len)
{
	uint32_t first = chan->tx_size - off;

	if (likely(len <= first)) {
		memcpy(chan->own->ring + off, data, len);
		return;
	}
	memcpy(chan->own->ring + off, data, first);
	memcpy(chan->own->ring, (const uint8_t *)data + first, len - first);
}

/* Copy out of the peer's ring, round its end. */
static inline void
ring_get(const struct shm_chan *chan, uint32_t off, void *data, uint32_t len)
{
	uint32_t first = chan->rx_size - off;

	if (likely(len <= first)) {
		memcpy(data, chan->peer->ring + off, len);
		return;
	}
	memcpy(data, chan->peer->ring + off, first);
	memcpy((uint8_t *)data + first, chan->peer->ring, len - first);
}

/* The peer says how far it has read: false if that cannot be. */
static inline bool
chan_acked_set(struct shm_chan *chan, uint32_t pos)
{
	if (unlikely(pos - chan->tx_acked > chan->tx_pos - chan->tx_acked))
		return false;
	chan->tx_acked = pos;
	return true;
}

/* Learn how far the peer has read. Nonsense is remembered for the next poll. */
static inline void
chan_head_load(struct shm_chan *chan)
{
	/* H: pairs with the release in chan_rx() */
	if (!chan_acked_set(chan, __atomic_load_n(&chan->peer->head, __ATOMIC_ACQUIRE)))
		chan->broken = true;
}

/* Let the peer see what was written. */
static inline void
chan_publish(struct shm_chan *chan)
{
	chan->dirty = false;
	__atomic_store_n(&chan->own->msgs, chan->tx_msgs, __ATOMIC_RELAXED);
	/* T: pairs with the acquire in chan_rx() */
	__atomic_store_n(&chan->own->tail, chan->tx_pos, __ATOMIC_RELEASE);
	chan_ring(chan);
}

/* Publish what the callbacks of a poll have sent: once, and not one by one. */
static inline void
group_publish(struct shm_group *group)
{
	while (group->nb_dirty != 0)
		chan_publish(group->dirty[--group->nb_dirty]);
}

/* Before a connection ends: what was sent is sent. */
void
shm_chan_undirty(struct shm_chan *chan)
{
	struct shm_group *group = chan->group;
	uint32_t i;

	if (!chan->dirty)
		return;
	for (i = 0; i < group->nb_dirty; i++) {
		if (group->dirty[i] == chan) {
			group->dirty[i] = group->dirty[--group->nb_dirty];
			break;
		}
	}
	chan_publish(chan);
}

int
shm_conn_send(struct rte_comch_conn *conn, const void *data, uint32_t len, bool more,
		uint32_t *seq)
{
	struct shm_chan *chan = conn->priv;
	struct shm_wire_rec rec = { .len = len };
	uint32_t size = shm_wire_rec_size(len);
	uint32_t off;

	if (unlikely(chan == NULL))
		return -ENOTCONN;
	if (size > chan->tx_size - (chan->tx_pos - chan->tx_acked)) {
		chan_head_load(chan);
		if (size > chan->tx_size - (chan->tx_pos - chan->tx_acked)) {
			/* there is no more, whatever was said before */
			if (chan->dirty && !chan->group->polling)
				chan_publish(chan);
			return -EAGAIN;
		}
	}
	off = chan->tx_off;
	memcpy(chan->own->ring + off, &rec, sizeof(rec)); /* never split: all is by 8 */
	off += sizeof(rec);
	if (off == chan->tx_size)
		off = 0;
	ring_put(chan, off, data, len);
	chan->tx_off += size;
	if (chan->tx_off >= chan->tx_size)
		chan->tx_off -= chan->tx_size;
	chan->tx_pos += size;
	chan->tx_msgs++;
	if (chan->group->polling) {
		if (!chan->dirty)
			chan->group->dirty[chan->group->nb_dirty++] = chan;
		chan->dirty = true;
	} else if (more) {
		chan->dirty = true;
	} else {
		chan_publish(chan);
	}
	if (chan->active < 0)
		shm_chan_activate(chan); /* to see it delivered */
	*seq = chan->tx_pos;
	return 0;
}

/* The library copies what it is given, if it lies in one piece: no need to do it here. */
static inline const void *
chan_msg(const struct shm_chan *chan, uint32_t off, uint32_t len)
{
	if (chan->conn->rx_copied && len <= chan->rx_size - off)
		return chan->peer->ring + off;
	ring_get(chan, off, chan->group->bounce, len);
	return chan->group->bounce;
}

/* The record was not taken: it is the next one again. */
static void
chan_unread(struct shm_chan *chan, uint32_t size)
{
	chan->rx_off += chan->rx_off < size ? chan->rx_size - size : -size;
	chan->rx_pos -= size;
	chan->rx_msgs--;
	__atomic_store_n(&chan->own->taken, chan->rx_pos | SHM_WIRE_TAKEN, __ATOMIC_RELAXED);
}

/* Take the record that ends here: false if the peer has cut it off, or may do so. */
static inline bool
rec_take(const struct shm_chan *chan, uint32_t end)
{
	uint32_t cut;

	__atomic_store_n(&chan->own->taken, end | SHM_WIRE_TAKEN, __ATOMIC_RELAXED);
	/* E: pairs with the fence in rings_cut_settle() of the peer, which is for both */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	cut = __atomic_load_n(&chan->peer->cut, __ATOMIC_RELAXED);
	return likely(cut == 0) || ((cut & SHM_WIRE_CUT_AT) != 0 &&
		(int32_t)((cut & ~SHM_WIRE_POS_BITS) - end) >= 0);
}

/*
 * Hand up what has arrived. Returns the number of messages, -EPROTO for
 * nonsense, or -ENOTCONN if a callback ended the connection: then chan may be
 * freed.
 */
static int
chan_rx(struct shm_chan *chan, uint32_t burst)
{
	struct rte_comch_conn *conn = chan->conn;
	const uint32_t start = chan->rx_pos;
	struct shm_wire_rec rec;
	uint32_t avail, size, off, nb = 0;
	const void *data;
	uint64_t word;

	/* T: pairs with the release in chan_publish() */
	avail = __atomic_load_n(&chan->peer->tail, __ATOMIC_ACQUIRE) - chan->rx_pos;
	if (avail == 0)
		return 0;
	if (unlikely(avail > chan->rx_size))
		return -EPROTO;
	if (unlikely(conn->rx_held))
		return 0;
	do {
		if (unlikely(avail < sizeof(rec)))
			return -EPROTO;
		off = chan->rx_off;
		/* one load of both fields: the peer may write while we look */
		word = __atomic_load_n((const uint64_t *)(const void *)(chan->peer->ring + off),
				__ATOMIC_RELAXED);
		memcpy(&rec, &word, sizeof(rec));
		if (unlikely(rec.len - 1 >= chan->rx_max || rec.reserved != 0))
			return -EPROTO;
		size = shm_wire_rec_size(rec.len);
		if (unlikely(size > avail))
			return -EPROTO;
		if (unlikely(!rec_take(chan, chan->rx_pos + size)))
			break;
		off += sizeof(rec);
		if (off == chan->rx_size)
			off = 0;
		data = chan_msg(chan, off, rec.len);
		chan->rx_off += size;
		if (chan->rx_off >= chan->rx_size)
			chan->rx_off -= chan->rx_size;
		chan->rx_pos += size;
		chan->rx_msgs++;
		avail -= size;
		if (unlikely(rte_comch_pmd_msg_recv(conn, data, rec.len) != 0)) {
			chan_unread(chan, size);
			break;
		}
		nb++;
		if (unlikely(conn->state != RTE_COMCH_CONN_UP))
			return -ENOTCONN;
	} while (avail != 0 && nb < burst && chan->rx_pos - start < SHM_RX_BYTES &&
			!conn->rx_held);
	if (unlikely(nb == 0))
		return 0;
	/* H: pairs with the acquire in chan_head_load() */
	__atomic_store_n(&chan->own->head, chan->rx_pos, __ATOMIC_RELEASE);
	/* B: pairs with the fence in shm_group_arm() of the peer */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (unlikely(__atomic_load_n(&chan->peer->want_doorbell, __ATOMIC_RELAXED) != 0))
		chan_ring(chan);
	return nb;
}

/* Tell the library what was delivered; the returns are those of chan_rx(). */
static inline int
chan_tx_tell(struct shm_chan *chan)
{
	struct rte_comch_conn *conn = chan->conn;
	int nb;

	if (unlikely(chan->broken))
		return -EPROTO;
	if (chan->tx_acked == chan->tx_done)
		return 0;
	chan->tx_done = chan->tx_acked;
	nb = rte_comch_pmd_send_done(conn, chan->tx_done);
	return likely(conn->state == RTE_COMCH_CONN_UP) ? nb : -ENOTCONN;
}

static int
chan_tx_done(struct shm_chan *chan)
{
	chan_head_load(chan);
	return chan_tx_tell(chan);
}

/*
 * Nothing that comes is worth a doorbell: the peer finds that this side has not looked
 * since the last one. Should it have rung, that is one doorbell for nothing.
 */
static inline void
chan_doorbell_off(struct shm_chan *chan)
{
	__atomic_store_n(&chan->own->doorbell_seen, chan->rx_toggles - 1, __ATOMIC_RELAXED);
}

/*
 * A connection that has been quiet becomes idle: from now on it costs nothing,
 * and its doorbell will bring it back. One that is held back is brought back by the
 * library.
 */
static void
chan_idle(struct shm_chan *chan)
{
	if (unlikely(chan->conn->rx_held)) {
		chan_doorbell_off(chan);
		shm_chan_deactivate(chan);
		return;
	}
	__atomic_store_n(&chan->own->doorbell_seen, chan->rx_toggles, __ATOMIC_RELAXED);
	/* B: pairs with the fence in chan_ring() of the peer */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&chan->peer->tail, __ATOMIC_RELAXED) == chan->rx_pos)
		shm_chan_deactivate(chan);
	else
		chan->idle = 0;
}

/* One look at one connection; the number of events. */
static int
chan_poll(struct shm_chan *chan)
{
	int rx, tx = 0;

	rx = chan_rx(chan, SHM_RX_BURST);
	if (likely(rx >= 0))
		tx = chan->tx_pos != chan->tx_done ? chan_tx_done(chan) : 0;
	if (unlikely(rx == -ENOTCONN || tx == -ENOTCONN))
		return 1;
	if (unlikely(rx < 0 || tx < 0)) {
		shm_chan_lost(chan);
		return 1;
	}
	if (rx + tx != 0)
		chan->idle = 0;
	else if (++chan->idle >= SHM_IDLE_POLLS && chan->tx_pos == chan->tx_done)
		chan_idle(chan);
	return rx + tx;
}

/*
 * The peer is at its end: deliver what it published before, which is up to where its tail is
 * now: one that lives may go on writing. Returns 0; -EINPROGRESS if there is more than one
 * turn takes; -EAGAIN if the peer is about to say how far we may read; or another errno if
 * the connection is gone, because a callback ended it or its ring is nonsense.
 */
int
shm_chan_drain(struct shm_chan *chan)
{
	int ret;

	if (!chan->draining) {
		chan->draining = true;
		chan->rx_end = __atomic_load_n(&chan->peer->tail, __ATOMIC_RELAXED);
	}
	ret = chan_rx(chan, SHM_RX_BURST);
	if (ret > 0 && chan->rx_end - chan->rx_pos - 1 < chan->rx_size)
		return -EINPROGRESS;
	if (ret >= 0) {
		chan_head_load(chan);
		shm_chan_taken(chan);
		ret = chan_tx_tell(chan);
	}
	if (ret == -EPROTO)
		shm_chan_lost(chan);
	if (ret >= 0 && __atomic_load_n(&chan->peer->cut, __ATOMIC_RELAXED) == SHM_WIRE_CUT)
		ret = -EAGAIN;
	return RTE_MIN(ret, 0);
}

/* The same when the connection is about to end by itself. */
int
shm_chan_tx_last(struct shm_chan *chan)
{
	return chan_tx_done(chan);
}

/* How far the peer has read, of a connection that this side ends. */
uint32_t
shm_chan_acked(struct shm_chan *chan)
{
	chan_head_load(chan);
	return chan->tx_acked; /* what it was, if the peer's head is nonsense now */
}

static void
chan_taken_set(struct shm_chan *chan, uint32_t taken)
{
	if ((taken & SHM_WIRE_TAKEN) != 0)
		chan_acked_set(chan, taken & ~SHM_WIRE_POS_BITS);
}

/* The same with what it is handing up, which is its own if it reads no more. */
uint32_t
shm_chan_taken(struct shm_chan *chan)
{
	uint32_t taken = __atomic_load_n(&chan->peer->taken, __ATOMIC_RELAXED);

	chan_acked_set(chan, __atomic_load_n(&chan->peer->head, __ATOMIC_RELAXED));
	chan_taken_set(chan, taken);
	return chan->tx_acked;
}

/* The same of one that is ENDING, whose peer may have said its last word. */
uint32_t
shm_chan_taken_last(struct shm_chan *chan)
{
	struct shm_dev *dev = chan->link->dev;

	shm_dev_lock(dev);
	if (chan->peer != NULL)
		shm_chan_taken(chan);
	else
		chan_taken_set(chan, chan->last_taken);
	shm_dev_unlock(dev);
	return chan->tx_acked;
}

uint32_t
shm_conn_rx_count(const struct rte_comch_conn *conn)
{
	const struct shm_chan *chan = conn->priv;
	uint32_t nb;

	if (chan == NULL)
		return 0;
	/* what the peer says, within what can be true */
	nb = __atomic_load_n(&chan->peer->msgs, __ATOMIC_RELAXED) - chan->rx_msgs;
	return RTE_MIN(nb, (uint32_t)(chan->rx_size / sizeof(struct shm_wire_rec)));
}

/* Look in the next turn whether messages wait. */
void
shm_conn_rx_resume(struct rte_comch_conn *conn)
{
	struct shm_chan *chan = conn->priv;

	if (chan->state == SHM_CHAN_UP)
		shm_chan_activate(chan);
}

/*
 * Poll groups
 */

/* Have those whose doorbell was toggled looked at. */
static void
glink_scan(struct shm_glink *glink)
{
	struct shm_doorbell_word *word;
	struct shm_chan *chan;
	uint64_t now, diff;
	uint32_t i, bit;

	for (i = 0; i < glink->nb_words; i++) {
		word = &glink->words[i];
		now = __atomic_load_n(word->word, __ATOMIC_RELAXED);
		diff = (now ^ word->shadow) & word->mask;
		if (likely(diff == 0))
			continue;
		word->shadow = now;
		do {
			bit = __builtin_ctzll(diff);
			diff &= diff - 1;
			chan = glink->by_doorbell[word->index * 64 + bit];
			chan->rx_toggles++;
			if (chan->state == SHM_CHAN_UP && !chan->conn->rx_held)
				shm_chan_activate(chan);
		} while (diff != 0);
	}
}

static bool
glink_sock_doorbell(const struct shm_glink *glink)
{
	const struct shm_link *link = glink->link;

	return __atomic_load_n(&link->peer->sock_doorbell, __ATOMIC_RELAXED) !=
		__atomic_load_n(&link->sock_seen, __ATOMIC_RELAXED);
}

/*
 * Look at the sockets of the device, unless another thread does. An engine that was woken
 * waits for that one, or they would wake it again.
 */
static void
group_service(struct shm_group *group, uint64_t now)
{
	struct shm_dev *dev = group->dev;
	uint64_t us = SHM_SERVICE_MS * 1000;

	group->turn_bytes = 0;
	if (group->next_service == 0)
		shm_dev_lock(dev);
	else if (!shm_dev_trylock(dev))
		return;
	shm_service_locked(dev, now);
	if (dev->nb_hellos != 0 || !TAILQ_EMPTY(&group->waiting) || now < dev->due_until)
		us = SHM_COMING_US;
	shm_dev_unlock(dev);
	group->next_service = now + rte_get_tsc_hz() / US_PER_S * us;
}

/* What the device was made with is gone: it can be made again, without. Once. */
static void
dev_barriers_fail(struct shm_dev *dev)
{
	if (__atomic_exchange_n(&dev->failed, true, __ATOMIC_RELAXED))
		return;
	SHM_LOG(ERR, "%s: membarrier() has begun to fail, as by a seccomp filter that came later: let the filter allow it, or install it first; remove the devices of this driver and add them again",
		dev->dev->data->name);
	rte_comch_pmd_dev_down(dev->dev, -EIO);
	dev->dev->ops->fail(dev->dev, -EIO);
}

static void
group_slow_work(struct shm_group *group, uint64_t now)
{
	group_service(group, now);
	if (unlikely(shm_barrier_failed()) && group->dev->relies)
		dev_barriers_fail(group->dev);
	if (group->nb_timed != 0)
		shm_chans_expire(group, now);
	if (!TAILQ_EMPTY(&group->asked) || !TAILQ_EMPTY(&group->unasked))
		shm_asked_expire(group, now);
}

int
shm_group_poll(struct rte_comch_pgroup *pg, uint64_t now)
{
	struct shm_group *group = container_of(pg, struct shm_group, pg);
	struct shm_glink *glink;
	bool service = now >= group->next_service;
	uint32_t i, nb_active;
	int nb = 0;

	TAILQ_FOREACH(glink, &group->glinks, next) {
		service |= glink_sock_doorbell(glink);
		glink_scan(glink);
		if (glink->qdoorbells != NULL)
			shm_qdoorbells_scan(glink);
	}
	if (unlikely(group->idle_wanted) && now >= group->next_idle)
		shm_idle_fence(group, now);
	/*
	 * From the end, because one that becomes idle or ends makes the last one
	 * take its place. Callbacks may end any: then one is skipped this time.
	 */
	nb_active = group->nb_active;
	group->polling = nb_active != 0;
	for (i = nb_active; i > 0; i--) {
		if (unlikely(i > group->nb_active))
			continue;
		nb += chan_poll(group->active[i - 1]);
		if (group->nb_dirty != 0)
			group_publish(group);
	}
	group->polling = false;
	if (unlikely(!TAILQ_EMPTY(&group->waiting)))
		nb += shm_connect_waiting(group);
	if (unlikely(!TAILQ_EMPTY(&group->unasked)))
		shm_consumers_ask(group);
	if (unlikely(!TAILQ_EMPTY(&group->closing)))
		shm_consumers_close(group, now);
	if (unlikely(service))
		group_slow_work(group, now);
	return nb;
}

/*
 * The queues of the group, before and after the fence that this engine and all
 * others pass: completions that are not polled, and credits that have come.
 */
static bool
group_queues_arm(struct shm_group *group)
{
	struct shm_producer *p;
	struct shm_consumer *c;
	bool pending = false;

	TAILQ_FOREACH(p, &group->producers, next)
		shm_producer_arm(p);
	TAILQ_FOREACH(c, &group->consumers, next)
		shm_consumer_arm(c);
	shm_msgq_group_arm(group);
	/* A, W: pairs with rc_wake() and post_publish() of the peers, and with programs */
	shm_barrier_all();
	pending = shm_barrier_failed() && group->dev->relies;
	group->idle_fence++; /* those that were armed may become idle from now on */
	TAILQ_FOREACH(c, &group->consumers, next)
		pending |= shm_consumer_pending(c);
	TAILQ_FOREACH(p, &group->producers, next)
		pending |= shm_producer_pending(p);
	return shm_msgq_group_pending(group) || pending;
}

static bool
group_has_queues(const struct shm_group *group)
{
	return !TAILQ_EMPTY(&group->consumers) || !TAILQ_EMPTY(&group->producers) ||
		!TAILQ_EMPTY(&group->msgq_rxs) || !TAILQ_EMPTY(&group->msgq_txs);
}

/* When this group has to look again even if nobody wakes it. */
static uint64_t
group_deadline(const struct shm_group *group)
{
	uint64_t ms = rte_get_tsc_hz() / MS_PER_S;
	uint64_t now = rte_get_tsc_cycles();
	uint64_t deadline = UINT64_MAX;

	if (!TAILQ_EMPTY(&group->waiting))
		deadline = now + SHM_CONNECT_MS * ms;
	else if (group->nb_timed != 0 && group->next_service == 0)
		deadline = now; /* others are over, too */
	else if (group->nb_timed != 0 ||
			__atomic_load_n(&group->dev->nb_hellos, __ATOMIC_RELAXED) != 0)
		deadline = now + SHM_CLOSE_MS * ms / 4;
	if (!TAILQ_EMPTY(&group->asked))
		deadline = RTE_MIN(deadline, shm_ask_oldest(group)->deadline);
	/* answers to other engines make room, and do not wake this one, nor do copies' ends */
	if (!TAILQ_EMPTY(&group->unasked) || !TAILQ_EMPTY(&group->closing))
		deadline = RTE_MIN(deadline, now + ms);
	/* relaxed: it only gets less, and one look more does no harm */
	if (__atomic_load_n(&group->dev->nb_held, __ATOMIC_RELAXED) != 0)
		deadline = RTE_MIN(deadline, now + rte_get_tsc_hz());
	/* relaxed: whoever makes it not empty looks after it as well */
	if (__atomic_load_n(&group->dev->nb_dying, __ATOMIC_RELAXED) != 0)
		deadline = RTE_MIN(deadline, now + ms);
	/* the same: it sees no event of the socket */
	if (__atomic_load_n(&group->dev->later, __ATOMIC_RELAXED))
		deadline = RTE_MIN(deadline, now + SHM_SERVICE_MS * ms);
	return deadline;
}

/* What a peer rings for: messages, unless they are to stay; and room for ours. */
static void
chan_arm(struct shm_chan *chan)
{
	bool sent = chan->tx_pos != chan->tx_done;

	if (unlikely(chan->conn->rx_held && !sent))
		chan_doorbell_off(chan);
	else
		__atomic_store_n(&chan->own->doorbell_seen, chan->rx_toggles, __ATOMIC_RELAXED);
	__atomic_store_n(&chan->own->want_doorbell, sent, __ATOMIC_RELAXED);
}

/* After the fence: whether something is there already. */
static bool
chan_pending(const struct shm_chan *chan)
{
	if (__atomic_load_n(&chan->peer->tail, __ATOMIC_RELAXED) != chan->rx_pos &&
			likely(!chan->conn->rx_held))
		return true;
	/* only if something is under way: else it says nothing, true or not */
	return chan->tx_pos != chan->tx_done &&
		__atomic_load_n(&chan->peer->head, __ATOMIC_RELAXED) != chan->tx_done;
}

bool
shm_group_arm(struct rte_comch_pgroup *pg)
{
	struct shm_group *group = container_of(pg, struct shm_group, pg);
	struct shm_doorbell_word *word;
	struct shm_glink *glink;
	bool pending = false;
	uint32_t i;

	group->sleeps += group->sleeps == UINT32_MAX ? 2 : 1;
	TAILQ_FOREACH(glink, &group->glinks, next)
		__atomic_store_n(&glink->link->own->groups[group->index].armed, group->sleeps,
			__ATOMIC_RELAXED);
	for (i = 0; i < group->nb_active; i++)
		chan_arm(group->active[i]);
	/* B: pairs with the fences in chan_ring() and chan_rx() of the peers */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (group_has_queues(group))
		pending = group_queues_arm(group);
	TAILQ_FOREACH(glink, &group->glinks, next) {
		pending |= glink_sock_doorbell(glink);
		pending |= shm_qdoorbells_pending(glink);
		for (i = 0; i < glink->nb_words; i++) {
			word = &glink->words[i];
			pending |= ((__atomic_load_n(word->word, __ATOMIC_RELAXED) ^
				word->shadow) & word->mask) != 0;
		}
	}
	for (i = 0; i < group->nb_active; i++)
		pending |= chan_pending(group->active[i]);
	pg->deadline = group_deadline(group);
	return pending;
}

/*
 * Take what woke us; false if nothing will any more. Bounded, as the peer may send without
 * end. The peer of the card's side has the event descriptor, too, and may have set it to
 * block: who reads it does not.
 */
static bool
wake_take(const struct shm_glink *glink)
{
	char drop[SHM_WAKE_BYTES];
	struct iovec iov = { drop, sizeof(uint64_t) };

	if (glink->link->dev->role == RTE_COMCH_ROLE_HOST)
		return recv(glink->wake_fd, drop, sizeof(drop), MSG_DONTWAIT) != 0;
	/* before Linux 5.8 the flag is not known */
	return preadv2(glink->wake_fd, &iov, 1, -1, RWF_NOWAIT) >= 0 || errno != EOPNOTSUPP ||
		read(glink->wake_fd, drop, sizeof(uint64_t)) >= 0 || errno == EAGAIN;
}

void
shm_group_disarm(struct rte_comch_pgroup *pg)
{
	struct shm_group *group = container_of(pg, struct shm_group, pg);
	struct shm_producer *p;
	struct shm_glink *glink;
	uint32_t i;

	TAILQ_FOREACH(glink, &group->glinks, next) {
		__atomic_store_n(&glink->link->own->groups[group->index].armed, 0,
			__ATOMIC_RELAXED);
		/* closed by the peer: it would wake us for ever */
		if (!wake_take(glink))
			rte_comch_pmd_fd_del(pg->pe, glink->wake_fd);
	}
	for (i = 0; i < group->nb_active; i++)
		__atomic_store_n(&group->active[i]->own->want_doorbell, 0, __ATOMIC_RELAXED);
	TAILQ_FOREACH(p, &group->producers, next)
		shm_producer_disarm(p);
	shm_msgq_group_disarm(group);
	group->next_service = 0; /* it may be a socket that woke us */
}
