/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The connections of a link in their table, and the messages about them on their
 * way: which connection one is for, whether it may come at all, and which engine
 * has to see it. Runs in whichever thread serves the socket. The device's lock is
 * held everywhere in this file. What a message means is in shm_chan.c.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shm_fast.h"

void
shm_group_put_locked(struct shm_group *group)
{
	if (--group->refs != 0)
		return;
	group->dev->nb_groups--;
	free(group->bounce);
	free(group->active);
	free(group->dirty);
	free(group);
}

void
shm_chan_put_locked(struct shm_chan *chan)
{
	struct shm_link *link = chan->link;

	if (--chan->refs != 0)
		return;
	free(chan);
	shm_link_put(link);
}

/* Free the message of an event, and what it kept alive. The lock is held. */
void
shm_event_done_locked(struct shm_event *ev)
{
	struct shm_dev *dev = ev->group->dev;
	struct shm_ledger *ledger = ev->chan->link->ledger;

	if (ev->fd >= 0)
		shm_fd_drop(dev, ledger, ev->fd);
	if (ev->region != NULL)
		shm_peer_region_put_locked(ev->region);
	if (ev->rc != NULL)
		shm_remote_consumer_drop_locked(ev->rc);
	if (ev->seg != NULL)
		ev->seg->users--;
	shm_ledger_give(ledger, SHM_LIMIT_EVENTS, ev->weight);
	shm_chan_put_locked(ev->chan);
	shm_group_put_locked(ev->group);
	rte_mempool_put(dev->events, ev);
	if (ledger->nb_rx_later != 0)
		shm_links_rx_again(dev, ledger);
}

struct shm_chan *
shm_chan_alloc_locked(struct shm_link *link, uint32_t id, struct shm_group *group,
		enum shm_chan_state state)
{
	struct shm_chan *chan = calloc(1, sizeof(*chan));

	if (chan == NULL)
		return NULL;
	chan->link = link;
	chan->id = id;
	chan->group = group;
	chan->state = state;
	chan->refs = 1;
	chan->active = -1;
	chan->rx_doorbell = -1;
	chan->seg = -1;
	chan->peer_seg = -1;
	link->refs++;
	link->chans[id] = chan;
	return chan;
}

/* Take a connection out of the table: its identifier and segments are free. */
void
shm_chan_drop_locked(struct shm_chan *chan)
{
	struct shm_link *link = chan->link;

	if (chan->dropped)
		return;
	chan->dropped = true;
	if (link->chans[chan->id] == chan) /* else it was released */
		link->chans[chan->id] = NULL;
	if (chan->rx_doorbell >= 0)
		link->doorbells_used[chan->rx_doorbell / 64] &= ~RTE_BIT64(chan->rx_doorbell % 64);
	if (chan->seg >= 0)
		link->segs[chan->seg].users--;
	if (chan->peer_seg >= 0)
		link->peer_segs[chan->peer_seg].busy = false;
	if (chan->map_taken)
		shm_link_give(link, SHM_LIMIT_MAPS, 1);
	chan->map_taken = false;
	chan->rx_doorbell = chan->seg = chan->peer_seg = -1;
	shm_chan_put_locked(chan);
}

/*
 * The peer of one that is ENDING has said its last word: its next message may name its
 * segment and the identifier again, and it may write to the segment by now.
 */
static void
chan_release_locked(struct shm_chan *chan, uint32_t taken)
{
	struct shm_link *link = chan->link;

	chan->last_taken = taken;
	chan->peer = NULL;
	link->peer_segs[chan->peer_seg].busy = false;
	chan->peer_seg = -1;
	link->chans[chan->id] = NULL;
}

/* Connections of a link that only wait for an answer that will not come. */
void
shm_zombies_drop_locked(struct shm_link *link)
{
	uint32_t i;

	for (i = 0; i < SHM_WIRE_MAX_CHANS; i++)
		if (link->chans[i] != NULL && shm_chan_is(link->chans[i], SHM_CHAN_ZOMBIE))
			shm_chan_drop_locked(link->chans[i]);
}

void
shm_send_reason(struct shm_link *link, uint32_t id, uint16_t type, int reason)
{
	union shm_wire_msg msg = { 0 };

	msg.reason.reason = reason;
	shm_link_send(link, &msg, type, sizeof(msg.reason), id, -1);
}

/* CLOSE or CLOSED, with how far this side has read. */
void
shm_send_last(struct shm_chan *chan, uint16_t type, int reason)
{
	union shm_wire_msg msg = { 0 };
	uint16_t len = type == SHM_WIRE_CLOSE ? sizeof(msg.reason) : sizeof(msg.hdr);

	msg.reason.reason = reason;
	if (chan->own != NULL)
		msg.hdr.taken = __atomic_load_n(&chan->own->taken, __ATOMIC_RELAXED);
	shm_link_send(chan->link, &msg, type, len, chan->id, -1);
}

/* Our last word on a connection, if there is an answer for its group to wait for. */
bool
shm_chan_end_locked(struct shm_chan *chan, int reason)
{
	if (chan->peer_closed || chan->link->state == SHM_LINK_DEAD)
		return false;
	shm_chan_state_set(chan, SHM_CHAN_ENDING);
	shm_send_last(chan, SHM_WIRE_CLOSE, reason);
	return true;
}

/* The same of a connection that the group has done with. */
void
shm_chan_close_locked(struct shm_chan *chan, int reason)
{
	if (chan->peer_closed || chan->link->state == SHM_LINK_DEAD) {
		/* after REFUSE the peer has forgotten it and waits for nothing */
		if (chan->peer_closed && !chan->refused)
			shm_send_last(chan, SHM_WIRE_CLOSED, 0);
		shm_chan_drop_locked(chan);
		return;
	}
	shm_chan_state_set(chan, SHM_CHAN_ZOMBIE);
	shm_send_last(chan, SHM_WIRE_CLOSE, reason);
}

static void
event_post_locked(struct shm_event *ev)
{
	struct shm_link *link = ev->chan->link;

	/* there is room: see COMCH_PE_MAILBOX_SIZE of the library */
	if (rte_comch_pmd_event_post(ev->group->pg.pe, &ev->base) == 0)
		return;
	SHM_PEER_LOG(link->dev, link->func, ERR, "%s: the mailbox of a progress engine is full, progress it more often: process %u is disconnected",
		link->dev->dev->data->name, link->pid);
	ev->chan->nb_posted--;
	link->refs++; /* the event may be the last that has it */
	shm_event_done_locked(ev);
	shm_link_kill(link, -ENOMEM);
	shm_link_put(link);
}

static void
post_locked(struct shm_event *ev, struct shm_chan *chan, uint64_t bytes)
{
	/* large rings one by one, so that others get their turn in between */
	ev->weight = 1 + RTE_MIN(bytes / SHM_EVENT_BYTES, (uint64_t)SHM_USER_EVENTS);
	ev->chan = chan;
	ev->group = chan->group;
	ev->base.handler = shm_chan_event_handler;
	chan->refs++;
	chan->nb_posted++;
	ev->group->refs++;
	/* one that is too heavy is taken, and those that come behind it wait */
	shm_ledger_add(chan->link->ledger, SHM_LIMIT_EVENTS, ev->weight);
	event_post_locked(ev);
}

/*
 * It could not be handled in this turn, or is another group's: a CONNECT whose connection was
 * accepted onto that, and what has come behind it to the group of the server. That is an
 * end, as the peer has had no answer: what comes after it is out of place.
 */
void
shm_event_again_locked(struct shm_event *ev)
{
	struct shm_chan *chan = ev->chan;

	if (ev->msg.hdr.type == SHM_WIRE_CONNECT)
		chan->group = container_of(chan->conn->ctrl->pg, struct shm_group, pg);
	if (ev->group != chan->group) {
		shm_group_put_locked(ev->group);
		ev->group = chan->group;
		ev->group->refs++;
	}
	chan->nb_posted++;
	event_post_locked(ev);
}

/* In the device's thread. */
static void
event_work(struct shm_trash *trash)
{
	struct shm_event *ev = container_of(trash, struct shm_event, trash);
	struct shm_dev *dev = ev->group->dev;

	ev->ret = ev->work(ev);
	ev->work = NULL;
	shm_dev_lock(dev);
	dev->nb_works--;
	if (!ev->group->closed) {
		event_post_locked(ev);
	} else { /* its engine may be gone, and its connection is */
		ev->chan->nb_posted--;
		shm_event_done_locked(ev);
	}
	shm_dev_unlock(dev);
}

/* It comes again when its work is done, which takes too long for a turn. Without the lock. */
void
shm_event_work(struct shm_event *ev)
{
	shm_trash_put(ev->group->dev, &ev->trash, event_work);
}

/* A client asks for a server: which group is it for? */
static int
dispatch_connect(struct shm_link *link, struct shm_event *ev, struct shm_wrong *wrong)
{
	struct shm_wire_connect *req = &ev->msg.connect;
	struct shm_dev *dev = link->dev;
	struct rte_comch_ctrl *server;
	struct shm_chan *chan;
	struct shm_group *group;
	uint32_t size;

	if (link->chans[req->hdr.chan] != NULL)
		return -EPROTO;
	if (strnlen(req->name, sizeof(req->name)) == sizeof(req->name)) {
		wrong->what = "a server's name that does not end";
		return -EPROTO;
	}
	if (link->hung_up)
		return -ENOENT; /* nobody is there to be connected */
	/* the lock keeps unlisten from returning, and so the server alive */
	server = rte_comch_pmd_server_find(dev->dev, link->func->id, req->name);
	if (server == NULL) {
		rte_comch_pmd_count(&dev->dev->data->stats.refused);
		shm_send_reason(link, req->hdr.chan, SHM_WIRE_REFUSE, -ENOENT);
		return -ENOENT;
	}
	group = container_of(server->pg, struct shm_group, pg);
	chan = shm_chan_alloc_locked(link, req->hdr.chan, group, SHM_CHAN_NEW);
	if (chan == NULL) {
		rte_comch_pmd_count(&dev->dev->data->stats.refused);
		shm_send_reason(link, req->hdr.chan, SHM_WIRE_REFUSE, -ENOMEM);
		return -ENOENT;
	}
	size = RTE_MAX(req->rx.max_msg_size, server->max_msg_size);
	size = RTE_MAX(size, dev->dev->info.dflt_msg_size);
	/* its ring comes with a descriptor, which counts for nobody until it is on its way */
	post_locked(ev, chan, shm_ring_size(req->rx.queue_size, size) + SHM_RING_FD_BYTES);
	return 0;
}

/* What the peer says behind its message may take the region away before this is handled. */
static struct shm_peer_region *
region_hold(const struct shm_link *link, uint32_t id)
{
	struct shm_peer_region *region;

	region = id < SHM_WIRE_MAX_REGIONS ? link->peer_regions[id] : NULL;
	if (region != NULL)
		region->refs++;
	return region;
}

/* Mapping a region takes time, too, though less than clearing memory. */
static uint64_t
region_work(const struct shm_peer_region *region)
{
	return region == NULL || region->map != NULL ? 0 : region->size / 64;
}

/*
 * 0: the event has a new owner; -EPROTO: the peer must go, as wrong says; -ENOMEM: it must go, too,
 * and has done no wrong; else: drop it.
 */
static int
dispatch(struct shm_link *link, struct shm_event *ev, struct shm_wrong *wrong)
{
	uint16_t type = ev->msg.hdr.type;
	const struct shm_wire_tx *tx = NULL;
	struct shm_chan *chan;
	uint64_t bytes = 0;
	int ret;

	if (ev->msg.hdr.chan >= SHM_WIRE_MAX_CHANS)
		return -EPROTO;
	if (type == SHM_WIRE_CONNECT)
		return dispatch_connect(link, ev, wrong);
	chan = link->chans[ev->msg.hdr.chan];
	if (chan == NULL && type == SHM_WIRE_CLOSE)
		return -ENOENT; /* it crossed our REFUSE */
	if (chan == NULL || chan->peer_closed)
		return -EPROTO;
	if (type == SHM_WIRE_ACCEPT)
		tx = &ev->msg.accept.tx;
	else if (type == SHM_WIRE_READY)
		tx = &ev->msg.ready.tx;
	ret = tx != NULL ? shm_peer_seg_map(chan, tx, ev->fd, wrong) : 0;
	if (ret != 0)
		return ret;
	if (shm_chan_is(chan, SHM_CHAN_ZOMBIE)) {
		/* both closed at one time, or its answer crossed our CLOSE */
		if (type == SHM_WIRE_CLOSED || type == SHM_WIRE_CLOSE || type == SHM_WIRE_REFUSE)
			shm_chan_drop_locked(chan);
		return -ENOENT;
	}
	if (shm_chan_is(chan, SHM_CHAN_ENDING)) {
		if (type != SHM_WIRE_CLOSED && type != SHM_WIRE_CLOSE)
			return -ENOENT; /* it crossed our CLOSE */
		chan_release_locked(chan, ev->msg.hdr.taken);
	} else if (type == SHM_WIRE_CLOSED) {
		return -EPROTO;
	}
	if (type == SHM_WIRE_CLOSE || type == SHM_WIRE_CLOSED || type == SHM_WIRE_REFUSE)
		chan->peer_closed = true;
	if (type == SHM_WIRE_REFUSE)
		chan->refused = true;
	if (type == SHM_WIRE_CONSUMER) {
		ev->region = region_hold(link, ev->msg.consumer.region);
		if (ev->msg.consumer.nb_posts <= SHM_WIRE_MAX_POSTS &&
				ev->msg.consumer.imm_len <= SHM_WIRE_MAX_IMM_LEN)
			bytes = shm_remote_consumer_seg_size(&ev->msg.consumer) +
				region_work(ev->region);
	}
	post_locked(ev, chan, bytes);
	return 0;
}

/* Have the connection ended by its own thread, because its peer lies or is late. */
void
shm_chan_broken_locked(struct shm_chan *chan, int reason)
{
	struct shm_link *link = chan->link;
	struct shm_event *ev;
	void *obj;

	if (chan->lost)
		return;
	chan->lost = true;
	if (rte_mempool_get(link->dev->events, &obj) != 0) {
		shm_link_kill(link, reason);
		return;
	}
	ev = obj;
	shm_event_init(ev, -1);
	memset(&ev->msg, 0, sizeof(ev->msg));
	ev->msg.hdr.type = SHM_WIRE_TYPES; /* no message: our own word */
	ev->msg.reason.reason = reason;
	post_locked(ev, chan, 0);
}

void
shm_chan_dispatch(struct shm_link *link, struct shm_event *ev)
{
	struct shm_wrong wrong = { "a message out of place", ev->msg.hdr.type, ev->msg.hdr.chan };
	int ret;

	ret = dispatch(link, ev, &wrong);
	if (ret == 0)
		return;
	shm_event_drop(link, ev);
	if (ret == -EPROTO)
		shm_link_violation(link, wrong.what, wrong.a, wrong.b);
	if (ret == -EPROTO || ret == -ENOMEM)
		shm_link_kill(link, ret);
}
