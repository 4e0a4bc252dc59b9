/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The segments of a link: which connection has which, ours and the peer's. They
 * are used again by later connections of the same link. The device's lock is held
 * everywhere in this file. How a segment is made and mapped is in shm_mem.c.
 */

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "comch_shm.h"

/* Bytes of a ring that holds so many messages of that size. */
uint64_t
shm_ring_size(uint32_t queue_size, uint32_t msg_size)
{
	uint64_t size = (uint64_t)queue_size * shm_wire_rec_size(msg_size) +
		sizeof(struct shm_wire_chan);

	/* whole pages, whatever they are here */
	return RTE_ALIGN_CEIL(size, (uint64_t)4096) - sizeof(struct shm_wire_chan);
}

/* What we ask the peer to have for us; the lock is held, as it comes with an answer. */
void
shm_chan_max_rx_set(struct shm_chan *chan, uint32_t queue_size, uint32_t msg_size)
{
	chan->max_rx_size = RTE_MIN(shm_ring_size(queue_size, msg_size),
			(uint64_t)SHM_WIRE_MAX_RING_SIZE);
}

/* With the first connection: a link without one takes little. */
static bool
segs_alloc(struct shm_link *link)
{
	if (link->segs == NULL)
		link->segs = calloc(SHM_WIRE_MAX_CHANS, sizeof(*link->segs));
	if (link->peer_segs == NULL)
		link->peer_segs = calloc(SHM_WIRE_MAX_CHANS, sizeof(*link->peer_segs));
	return link->segs != NULL && link->peer_segs != NULL;
}

/* Without the lock; nobody else has it. */
static void
own_seg_free(struct shm_link *link, struct shm_seg *seg)
{
	const uint32_t size = seg->size;

	if (seg->map == NULL)
		return;
	shm_seg_free(seg);
	shm_ledger_give_mem(link->ledger, 1, size);
}

/* The lock is held by the caller, but not while the memory is freed. */
static void
own_seg_drop(struct shm_link *link, struct shm_seg *seg)
{
	struct shm_seg old = *seg;

	seg->map = NULL;
	seg->fd = -1;
	seg->size = 0;
	shm_dev_unlock(link->dev);
	own_seg_free(link, &old);
	shm_dev_lock(link->dev);
}

/* Give back segments that no connection uses, until there is room for one more. */
static void
own_segs_trim(struct shm_link *link, uint64_t total)
{
	uint32_t i;

	for (i = 0; i < link->nb_segs; i++) {
		if (link->segs[i].map == NULL || link->segs[i].users != 0)
			continue;
		if (shm_ledger_has(link->dev, link->ledger, SHM_LIMIT_MEM, total) &&
				shm_ledger_has(link->dev, link->ledger, SHM_LIMIT_MAPS, 2))
			return;
		own_seg_drop(link, &link->segs[i]);
	}
}

/* The kernel gives no more to this process, whatever the user may take. */
void
shm_seg_refused(const struct shm_link *link, int ret)
{
	SHM_PEER_LOG(link->dev, link->func, WARNING, "%s: there is no shared memory for process %u on %s: %s; free some, or raise the limits of this process, its control group, vm.max_map_count or vm.overcommit_ratio",
		link->dev->dev->data->name, link->pid, link->func->name, strerror(-ret));
}

/*
 * A link ends where its own segments cannot be had, or a ring, which the peer sends once. On the
 * host's side, clients are told for a second, before there is another link.
 */
void
shm_seg_no_room(struct shm_link *link, int ret)
{
	struct shm_dev *dev = link->dev;

	shm_seg_refused(link, ret);
	if (dev->role == RTE_COMCH_ROLE_DPU)
		return;
	dev->refusal = ret;
	dev->next_connect = rte_get_tsc_cycles() + rte_get_tsc_hz();
}

/*
 * Make a segment that the caller has as one of its users. The lock is held, but not while
 * the memory is cleared, which takes milliseconds for the largest: others have work to do.
 */
static int
own_seg_make(struct shm_link *link, struct shm_seg *seg, uint64_t total)
{
	struct shm_seg made = { .fd = -1 };
	int ret;

	own_seg_drop(link, seg);
	own_segs_trim(link, total);
	ret = shm_link_take_mem(link, 1, total);
	if (ret != 0)
		return ret;
	shm_dev_unlock(link->dev);
	ret = shm_seg_create(&made, offsetof(struct shm_wire_chan, tail), total);
	shm_dev_lock(link->dev);
	if (ret != 0) {
		shm_seg_refused(link, ret);
		shm_ledger_give_mem(link->ledger, 1, total);
		return ret;
	}
	made.users = seg->users; /* others may have gone */
	*seg = made;
	return 0;
}

/*
 * Card's side: READY will bring a segment of the peer, and cannot be refused. The host's
 * side gets it before, and has let its peer serve it.
 */
static int
peer_seg_reserve(struct shm_chan *chan)
{
	int ret;

	if (chan->link->dev->role == RTE_COMCH_ROLE_HOST)
		return 0;
	own_segs_trim(chan->link, 0);
	ret = shm_link_take(chan->link, SHM_LIMIT_MAPS, 1);
	chan->map_taken = ret == 0;
	return ret;
}

/* One that has come takes that place, unless it is where one was mapped before. */
static void
peer_seg_count(struct shm_chan *chan, bool was, bool is)
{
	struct shm_ledger *ledger = chan->link->ledger;

	if (is)
		shm_ledger_add(ledger, SHM_LIMIT_MAPS, 1);
	shm_ledger_give(ledger, SHM_LIMIT_MAPS, (uint64_t)was + chan->map_taken);
	chan->map_taken = false;
}

/* The slot of one of that size, or of what it can replace; or -ENOSPC. */
static int
own_seg_find(struct shm_link *link, uint64_t total)
{
	const struct shm_seg *seg;
	int found = -ENOSPC;
	uint32_t i;

	for (i = 0; i < link->nb_segs; i++) {
		seg = &link->segs[i];
		if (seg->users != 0)
			continue;
		if (seg->map == NULL || seg->size == total)
			return i;
		if (found < 0)
			found = i;
	}
	return link->nb_segs < SHM_WIRE_MAX_CHANS ? (int)link->nb_segs++ : found;
}

/* In the device's thread. A connection that has ended needs none. */
static int
own_seg_work(struct shm_event *ev)
{
	struct shm_link *link = ev->chan->link;
	int ret = -ECONNABORTED;

	shm_dev_lock(link->dev);
	if (ev->seg->users > 1)
		ret = own_seg_make(link, ev->seg, ev->seg_size);
	shm_dev_unlock(link->dev);
	return ret;
}

static int
own_seg_undo(struct shm_event *ev)
{
	struct shm_link *link = ev->chan->link;

	shm_dev_lock(link->dev);
	own_seg_drop(link, ev->seg);
	shm_dev_unlock(link->dev);
	return 0;
}

/*
 * Whether the connection of an event has ended before its peer was told of the segment: that
 * is not kept, as its descriptor counts for nobody.
 */
bool
shm_own_seg_undone(struct shm_event *ev)
{
	if (ev->seg == NULL || ev->seg->fd < 0)
		return false;
	ev->work = own_seg_undo;
	return true;
}

/* A segment of that size for a connection: there is one, or it is made, here or by ev. */
static int
own_seg_have(struct shm_chan *chan, uint64_t total, struct shm_event *ev)
{
	struct shm_link *link = chan->link;
	struct shm_seg *seg;
	int ret;

	if (ev != NULL && ev->seg != NULL)
		return ev->ret;
	ret = peer_seg_reserve(chan);
	if (ret != 0)
		return ret;
	ret = own_seg_find(link, total);
	if (ret < 0)
		return ret;
	chan->seg = ret;
	seg = &link->segs[chan->seg];
	seg->users = 1;
	if (seg->map != NULL && seg->size == total)
		return 0;
	if (ev == NULL || shm_turn_takes(chan->group, total + seg->size))
		return own_seg_make(link, seg, total);
	seg->users++;
	ev->seg = seg;
	ev->seg_size = total;
	ev->work = own_seg_work;
	return -EINPROGRESS;
}

/*
 * Find or make a segment to write to. What it was used for before is over. -EINPROGRESS:
 * this is called again when the work of the event is done.
 */
int
shm_own_seg_get(struct shm_chan *chan, uint64_t size, struct shm_event *ev,
		struct shm_wire_tx *tx, int *fd)
{
	struct shm_link *link = chan->link;
	struct shm_seg *seg;
	int ret;

	if (size > SHM_WIRE_MAX_RING_SIZE || !segs_alloc(link))
		return -ENOMEM;
	ret = own_seg_have(chan, size + sizeof(struct shm_wire_chan), ev);
	if (ret != 0)
		return ret;
	seg = &link->segs[chan->seg];
	*fd = seg->fd; /* goes with the message that names it; or the peer has it */
	seg->fd = -1;
	chan->own = seg->map;
	chan->own->head = SHM_WIRE_POS_START;
	chan->own->doorbell_seen = 0;
	chan->own->want_doorbell = 0;
	chan->own->msgs = 0;
	chan->own->cut = 0;
	chan->own->taken = 0;
	/* relaxed: the peer learns of the segment through the socket */
	__atomic_store_n(&chan->own->tail, SHM_WIRE_POS_START, __ATOMIC_RELAXED);
	tx->seg = chan->seg;
	tx->ring_size = size;
	tx->new_seg = *fd >= 0;
	tx->reserved = 0;
	return 0;
}

static int
ring_wrong(struct shm_wrong *wrong, const struct shm_wire_tx *tx, const char *what)
{
	*wrong = (struct shm_wrong){ what, tx->seg, tx->ring_size };
	return -EPROTO;
}

/*
 * Map a segment as soon as its descriptor comes: the peer will not send it again,
 * even if the connection that it came for is given up this moment.
 */
int
shm_peer_seg_map(struct shm_chan *chan, const struct shm_wire_tx *tx, int fd,
		struct shm_wrong *wrong)
{
	struct shm_link *link = chan->link;
	struct shm_peer_seg *seg;
	uint32_t total;
	int ret = -EPROTO;
	bool was;

	/* no more than we asked for: mapping it and emptying it is work of ours */
	if (tx->seg >= SHM_WIRE_MAX_CHANS || tx->ring_size < SHM_WIRE_MIN_RING_SIZE ||
			tx->ring_size > chan->max_rx_size || (tx->ring_size & 7) != 0)
		return ring_wrong(wrong, tx, "a ring of a wrong number or size");
	if (tx->new_seg != (fd >= 0))
		return ring_wrong(wrong, tx, "a ring whose descriptor is missing, or not announced");
	if (!segs_alloc(link)) {
		shm_seg_no_room(link, -ENOMEM);
		return -ENOMEM;
	}
	seg = &link->peer_segs[tx->seg];
	/* one READY has a place, see peer_seg_reserve() */
	if (fd >= 0 && seg->map == NULL && link->dev->role == RTE_COMCH_ROLE_DPU &&
			!chan->map_taken)
		return ring_wrong(wrong, tx, "a ring more than its connection may have");
	total = tx->ring_size + sizeof(struct shm_wire_chan);
	if (seg->busy)
		return ring_wrong(wrong, tx, "a ring that is in use");
	if (fd < 0 && seg->map == NULL)
		return ring_wrong(wrong, tx, "a ring that was never sent");
	was = seg->map != NULL;
	if (fd >= 0) {
		shm_peer_unmap(seg->map, seg->size);
		seg->map = shm_peer_map(fd, offsetof(struct shm_wire_chan, tail), total, &ret);
		seg->size = total;
	}
	peer_seg_count(chan, was, seg->map != NULL);
	if (ret == -ENOMEM) {
		shm_seg_no_room(link, ret);
		return ret;
	}
	if (seg->map == NULL)
		return ring_wrong(wrong, tx,
			"a ring that is not sealed, has holes or another header");
	return seg->size == total ? 0 : ring_wrong(wrong, tx, "a ring of another size than before");
}

/*
 * Take a segment of the peer that shm_peer_seg_map() has mapped. By now another
 * message may have replaced it, or failed to.
 */
int
shm_peer_seg_take(struct shm_chan *chan, const struct shm_wire_tx *tx)
{
	struct shm_peer_seg *seg = &chan->link->peer_segs[tx->seg];

	if (seg->busy || seg->map == NULL ||
			seg->size != tx->ring_size + sizeof(struct shm_wire_chan))
		return -EPROTO;
	seg->busy = true;
	chan->peer_seg = tx->seg;
	chan->peer = seg->map;
	return 0;
}

/* The link is over, and so is each of its connections. Without the lock. */
void
shm_segs_free(struct shm_link *link)
{
	struct shm_peer_seg *peer;
	uint32_t i;

	for (i = 0; i < link->nb_segs; i++)
		own_seg_free(link, &link->segs[i]);
	for (i = 0; i < SHM_WIRE_MAX_CHANS && link->peer_segs != NULL; i++) {
		peer = &link->peer_segs[i];
		if (peer->map != NULL)
			shm_link_give(link, SHM_LIMIT_MAPS, 1);
		shm_peer_unmap(peer->map, peer->size);
	}
	free(link->segs);
	free(link->peer_segs);
}
