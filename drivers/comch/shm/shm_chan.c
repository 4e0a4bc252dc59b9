/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Connections, from CONNECT to CLOSED: what the messages of the socket do to them,
 * in the thread of their engine. Where those messages come from is in
 * shm_dispatch.c; no message of an application is touched here.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_string_fns.h>

#include "shm_fast.h"

/* Both segments are there: the data path can begin. */
static void
chan_ready(struct shm_chan *chan)
{
	struct shm_link *link = chan->link;

	chan->tx_size = link->segs[chan->seg].size - sizeof(struct shm_wire_chan);
	chan->rx_size = link->peer_segs[chan->peer_seg].size - sizeof(struct shm_wire_chan);
	chan->rx_max = chan->conn->max_msg_size;
	chan->tx_pos = chan->tx_acked = chan->tx_done = SHM_WIRE_POS_START;
	chan->rx_pos = SHM_WIRE_POS_START;
	chan->deadline = 0;
	chan->peer_group = chan->peer_rx.group;
	chan->doorbell = &link->own->doorbells[chan->peer_rx.doorbell / 64];
	chan->doorbell_mask = RTE_BIT64(chan->peer_rx.doorbell % 64);
	chan->peer_armed = &link->peer->groups[chan->peer_rx.group].armed;
	shm_chan_state_set(chan, SHM_CHAN_UP);
}

static bool
peer_rx_valid(const struct shm_wire_rx *rx)
{
	return rx->group < SHM_WIRE_MAX_GROUPS && rx->doorbell < SHM_WIRE_MAX_DOORBELLS &&
		rx->queue_size != 0 && rx->queue_size <= SHM_WIRE_MAX_QUEUE_SIZE &&
		rx->max_msg_size <= SHM_WIRE_MAX_MSG_SIZE;
}

/* Room for one more connection in the lists of the data path. */
static int
group_lists_grow(struct shm_group *group)
{
	uint32_t max = RTE_MAX(64u, 2 * group->max_active);
	struct shm_chan **list;

	if (group->nb_chans < group->max_active)
		return 0;
	list = realloc(group->active, max * sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	group->active = list;
	list = realloc(group->dirty, max * sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	group->dirty = list;
	group->max_active = max;
	return 0;
}

/* A doorbell, a place in the list of active ones, and on the list of the link. */
int
shm_chan_join(struct shm_chan *chan)
{
	struct shm_group *group = chan->group;
	struct shm_link *link = chan->link;
	int ret;

	ret = group_lists_grow(group);
	if (ret != 0)
		return ret;
	shm_dev_lock(group->dev);
	ret = shm_group_join_locked(group, link);
	if (ret == 0) {
		chan->glink = link->glinks[group->index];
		ret = shm_chan_doorbell_add(chan);
	} else if (ret != -ECONNRESET && ret != -EUSERS) {
		ret = -ENOMEM; /* the peer would take an errno of our kernel for another reason */
	}
	shm_dev_unlock(group->dev);
	if (ret != 0) {
		chan->glink = NULL; /* nothing for chan_leave() to undo */
		return ret;
	}
	group->nb_chans++;
	TAILQ_INSERT_TAIL(&chan->glink->chans, chan, next);
	return 0;
}

/* Undo shm_chan_join(), but the doorbell is still its own. */
static void
chan_unjoin(struct shm_chan *chan)
{
	shm_chan_undirty(chan);
	shm_chan_deactivate(chan);
	shm_chan_doorbell_del(chan);
	TAILQ_REMOVE(&chan->glink->chans, chan, next);
	chan->group->nb_chans--;
	chan->glink = NULL;
}

/* The driver forgets what the library knew of it. */
static void
chan_leave(struct shm_chan *chan)
{
	if (chan->glink == NULL && chan->conn == NULL)
		return;
	if (chan->state == SHM_CHAN_HALF_OPEN || chan->state == SHM_CHAN_ENDING)
		chan->group->nb_timed--;
	if (chan->state == SHM_CHAN_UP) {
		chan->conn->rx_dropped += shm_conn_rx_count(chan->conn);
		/* a record that the peer was about to cut off may be told, and is dropped */
		__atomic_store_n(&chan->own->taken, chan->rx_pos | SHM_WIRE_TAKEN,
			__ATOMIC_RELAXED);
	}
	if (chan->glink != NULL) /* else it was not opened */
		chan_unjoin(chan);
	shm_fast_end(chan);
	chan->conn = NULL;
}

void
shm_chan_close(struct shm_chan *chan, int reason)
{
	struct shm_dev *dev = chan->link->dev;

	chan_leave(chan);
	shm_dev_lock(dev);
	shm_chan_close_locked(chan, reason);
	shm_dev_unlock(dev);
}

/*
 * The end of one that is ENDING: the peer has answered, or is gone, or its rings were cut.
 * What it has taken by now is all that it will ever take.
 */
static void
chan_ended(struct shm_chan *chan)
{
	struct rte_comch_pmd_ending *ending = chan->ending;
	struct shm_dev *dev = chan->link->dev;
	uint32_t taken = shm_chan_taken_last(chan);

	__atomic_store_n(&chan->own->cut, taken | SHM_WIRE_CUT_AT, __ATOMIC_RELAXED);
	chan->conn->delivered_seq = taken;
	chan->conn->delivered = true;
	chan_leave(chan);
	shm_dev_lock(dev);
	if (chan->peer_closed || chan->link->state == SHM_LINK_DEAD)
		shm_chan_drop_locked(chan);
	else
		shm_chan_state_set(chan, SHM_CHAN_ZOMBIE);
	shm_dev_unlock(dev);
	rte_comch_pmd_ended(ending);
}

static void
chan_refuse(struct shm_chan *chan, int reason)
{
	struct shm_dev *dev = chan->link->dev;

	chan_leave(chan);
	shm_dev_lock(dev);
	if (!chan->peer_closed)
		shm_send_reason(chan->link, chan->id, SHM_WIRE_REFUSE, reason);
	else
		shm_send_last(chan, SHM_WIRE_CLOSED, 0);
	shm_chan_drop_locked(chan);
	shm_dev_unlock(dev);
}

/* A peer that breaks the protocol loses its connection, and nothing else. */
static void
chan_violation(struct shm_chan *chan, const char *what, uint64_t a, uint64_t b)
{
	struct shm_dev *dev = chan->link->dev;

	shm_dev_lock(dev);
	shm_link_violation(chan->link, what, a, b);
	shm_dev_unlock(dev);
}

/* A peer that does not answer in time loses its connection: it may be stopped, or hang. */
static void
chan_late(struct shm_chan *chan, const char *what)
{
	struct shm_dev *dev = chan->link->dev;

	shm_dev_lock(dev);
	shm_link_late(chan->link, what);
	shm_dev_unlock(dev);
}

/* The end of an established connection, by us and not by the library. */
static void
chan_end(struct shm_chan *chan, int reason)
{
	struct rte_comch_conn *conn = chan->conn;

	/* what the peer has read was delivered, whatever it has done since */
	if (shm_chan_tx_last(chan) == -ENOTCONN)
		return; /* a callback ended it */
	shm_chan_close(chan, reason);
	rte_comch_pmd_conn_down(conn, reason);
}

static void
conn_req_fill(struct rte_comch_conn_req *req, const struct shm_link *link)
{
	memset(req, 0, sizeof(*req));
	req->peer_pid = link->pid;
	req->peer_uid = link->uid;
	req->version = SHM_WIRE_VERSION;
	strlcpy(req->function, link->func->name, sizeof(req->function));
}

/* The server of a CONNECT: by now the name may be that of another, in another thread. */
static struct rte_comch_ctrl *
chan_server_find(struct shm_chan *chan, const struct shm_wire_connect *msg)
{
	struct shm_dev *dev = chan->link->dev;
	struct rte_comch_ctrl *server;

	shm_dev_lock(dev);
	server = rte_comch_pmd_server_find(dev->dev, chan->link->func->id, msg->name);
	if (server != NULL && server->pg != &chan->group->pg)
		server = NULL;
	shm_dev_unlock(dev);
	return server;
}

/* Card: CONNECT, of a connection that is this group's. False: its segment is being made. */
static bool
chan_open(struct shm_chan *chan, struct shm_event *ev)
{
	const struct shm_wire_rx *rx = &ev->msg.connect.rx;
	struct rte_comch_conn *conn = chan->conn;
	uint32_t queue_size = conn->ctrl->recv_queue_size;
	struct shm_link *link = chan->link;
	struct shm_dev *dev = link->dev;
	union shm_wire_msg reply = { 0 };
	int fd = -1, ret = 0;

	if (chan->glink == NULL)
		ret = shm_chan_join(chan);
	if (ret == 0) {
		shm_dev_lock(dev);
		ret = shm_own_seg_get(chan, shm_ring_size(rx->queue_size, conn->max_msg_size),
				ev, &reply.accept.tx, &fd);
		shm_dev_unlock(dev);
	}
	if (ret == -EINPROGRESS)
		return false;
	if (ret != 0) {
		chan_refuse(chan, ret);
		rte_comch_pmd_conn_down(conn, ret);
		return true;
	}
	shm_chan_state_set(chan, SHM_CHAN_HALF_OPEN);
	chan->deadline = rte_comch_pmd_deadline(SHM_READY_MS);
	chan->group->nb_timed++;
	reply.accept.rx.max_msg_size = conn->max_msg_size;
	reply.accept.rx.queue_size = queue_size;
	reply.accept.rx.group = chan->group->index;
	reply.accept.rx.doorbell = chan->rx_doorbell;
	shm_dev_lock(dev);
	shm_chan_max_rx_set(chan, queue_size, conn->max_msg_size);
	shm_link_send(link, &reply, SHM_WIRE_ACCEPT, sizeof(reply.accept), chan->id, fd);
	shm_dev_unlock(dev);
	return true;
}

/* Card: CONNECT, in the thread of the server. False: it is another group's, or not done. */
static bool
chan_connect(struct shm_chan *chan, struct shm_event *ev)
{
	const struct shm_wire_connect *msg = &ev->msg.connect;
	struct rte_comch_ctrl *server = chan_server_find(chan, msg);
	struct rte_comch_conn_req req;
	struct rte_comch_conn *conn;
	int ret;

	conn_req_fill(&req, chan->link);
	if (!peer_rx_valid(&msg->rx)) {
		chan_violation(chan, "CONNECT out of range", msg->rx.queue_size, msg->rx.doorbell);
		chan_refuse(chan, -EPROTO);
		if (server != NULL)
			rte_comch_pmd_conn_refused(server, &req, -EPROTO);
		return true;
	}
	chan->peer_rx = msg->rx;
	if (server == NULL) {
		rte_comch_pmd_count(&chan->link->dev->dev->data->stats.refused);
		chan_refuse(chan, -ENOENT);
		return true;
	}
	req.max_msg_size = msg->rx.max_msg_size;
	ret = rte_comch_pmd_conn_accept(server, &req, &conn);
	if (ret != 0) {
		chan_refuse(chan, ret);
		return true;
	}
	chan->conn = conn;
	conn->priv = chan;
	if (conn->ctrl->pg != &chan->group->pg)
		return false;
	return chan_open(chan, ev);
}

/* Host: ACCEPT. */
static void
chan_accept(struct shm_chan *chan, struct shm_event *ev)
{
	struct shm_wire_accept *msg = &ev->msg.accept;
	struct shm_connect *connect = chan->connect;
	struct rte_comch_ctrl *ctrl = connect->ctrl;
	struct shm_link *link = chan->link;
	struct shm_dev *dev = link->dev;
	union shm_wire_msg reply = { 0 };
	struct rte_comch_conn *conn = NULL;
	struct rte_comch_conn_req req;
	int fd = -1, ret = -EPROTO;

	if (peer_rx_valid(&msg->rx) && msg->rx.max_msg_size != 0) {
		conn_req_fill(&req, link);
		req.max_msg_size = msg->rx.max_msg_size;
		ret = rte_comch_pmd_conn_open(ctrl, &req, &conn);
	}
	if (ret == 0) {
		shm_dev_lock(dev);
		ret = shm_peer_seg_take(chan, &msg->tx);
		if (ret == 0)
			ret = shm_own_seg_get(chan, shm_ring_size(msg->rx.queue_size,
					conn->max_msg_size), NULL, &reply.ready.tx, &fd);
		shm_dev_unlock(dev);
	}
	if (ret != 0) {
		if (ret == -EPROTO)
			chan_violation(chan, "ACCEPT out of range", msg->rx.queue_size,
				msg->tx.ring_size);
		if (conn != NULL)
			rte_comch_pmd_conn_down(conn, ret);
		shm_chan_close(chan, ret);
		shm_connect_fail(connect, ret);
		return;
	}
	shm_connect_free(connect);
	chan->peer_rx = msg->rx;
	chan->conn = conn;
	conn->priv = chan;
	chan_ready(chan);
	shm_dev_lock(dev);
	shm_link_send(link, &reply, SHM_WIRE_READY, sizeof(reply.ready), chan->id, fd);
	shm_dev_unlock(dev);
	shm_chan_activate(chan);
	rte_comch_pmd_conn_up(conn);
}

/* Card: READY. */
static void
chan_client_ready(struct shm_chan *chan, struct shm_event *ev)
{
	struct shm_wire_ready *msg = &ev->msg.ready;
	struct rte_comch_conn *conn = chan->conn;
	struct shm_dev *dev = chan->link->dev;
	int ret;

	shm_dev_lock(dev);
	ret = shm_peer_seg_take(chan, &msg->tx);
	shm_dev_unlock(dev);
	if (ret != 0) {
		chan_violation(chan, "READY out of range", msg->tx.seg, msg->tx.ring_size);
		shm_chan_close(chan, ret);
		rte_comch_pmd_conn_down(conn, ret);
		return;
	}
	chan->group->nb_timed--;
	chan_ready(chan);
	shm_chan_activate(chan);
	rte_comch_pmd_conn_up(conn);
}

/* Whether the peer, which says that it cuts its ring, has time left to say where. */
static bool
chan_cut_waits(struct shm_chan *chan)
{
	uint64_t now = rte_get_tsc_cycles();

	if (chan->deadline == 0)
		chan->deadline = now + rte_get_tsc_hz() / MS_PER_S * SHM_CLOSE_MS;
	return now < chan->deadline;
}

/*
 * Either: the peer closed. What it sent before is still delivered. False: in a later turn,
 * when it is known how much that is.
 */
static bool
chan_peer_close(struct shm_chan *chan, int reason)
{
	struct rte_comch_conn *conn = chan->conn;
	bool up = chan->state == SHM_CHAN_UP;
	int ret = up ? shm_chan_drain(chan) : 0;

	if (ret == -EINPROGRESS || (ret == -EAGAIN && chan_cut_waits(chan)))
		return false;
	if (ret != 0 && ret != -EAGAIN)
		return true; /* the application closed it meanwhile, or it broke */
	/* what the application is told is ours to choose, not the peer's */
	reason = reason == -EPROTO || reason == -ETIMEDOUT ? -ECONNRESET : -ESHUTDOWN;
	shm_chan_close(chan, 0);
	if (conn != NULL)
		rte_comch_pmd_conn_down(conn, up ? reason : -ECONNABORTED);
	return true;
}

/* Is this a message for a connection in this state? */
static bool
chan_msg_legal(const struct shm_chan *chan, uint16_t type)
{
	switch (type) {
	case SHM_WIRE_CONNECT:
		return chan->state == SHM_CHAN_NEW;
	case SHM_WIRE_ACCEPT:
	case SHM_WIRE_REFUSE:
		return chan->state == SHM_CHAN_CONNECTING;
	case SHM_WIRE_READY:
		return chan->state == SHM_CHAN_HALF_OPEN;
	case SHM_WIRE_CLOSE:
		return true;
	case SHM_WIRE_CONSUMER:
	case SHM_WIRE_CONSUMER_ACK:
	case SHM_WIRE_CONSUMER_GONE:
	case SHM_WIRE_TYPES:
		return chan->state == SHM_CHAN_UP;
	default:
		return false;
	}
}

/* The reasons that rte_comch_ctx_reason_get() tells of. */
static bool
refusal_known(int reason)
{
	return reason == -ENOENT || reason == -ENOSPC || reason == -EMSGSIZE ||
		reason == -ENOMEM || reason == -EUSERS || reason == -EPROTO;
}

/* REFUSE, or CLOSE. False: it has to come again. */
static bool
chan_refused(struct shm_chan *chan, uint16_t type, int reason)
{
	struct shm_connect *connect = chan->connect;
	struct shm_dev *dev = chan->link->dev;

	if (connect == NULL)
		return chan_peer_close(chan, reason);
	chan_leave(chan);
	shm_dev_lock(dev);
	/* REFUSE ends it for both sides; CLOSE wants its answer */
	if (type == SHM_WIRE_CLOSE)
		shm_send_last(chan, SHM_WIRE_CLOSED, 0);
	shm_chan_drop_locked(chan);
	shm_dev_unlock(dev);
	shm_connect_fail(connect, refusal_known(reason) ? reason : -ECONNREFUSED);
	return true;
}

/* False: it has to come again, in another turn or to another group. */
static bool
chan_event(struct shm_chan *chan, struct shm_event *ev)
{
	uint16_t type = ev->msg.hdr.type;
	struct shm_dev *dev = chan->link->dev;
	int ret;

	if (chan->state == SHM_CHAN_ENDING) {
		if (type == SHM_WIRE_CLOSED || type == SHM_WIRE_CLOSE)
			chan_ended(chan); /* else it crossed our CLOSE */
		return true;
	}
	if (!chan_msg_legal(chan, type)) {
		shm_dev_lock(dev);
		shm_link_violation(chan->link, "a message out of turn", type, chan->state);
		shm_link_kill(chan->link, -EPROTO);
		shm_dev_unlock(dev);
		return true;
	}
	switch (type) {
	case SHM_WIRE_CONNECT:
		if (chan->conn == NULL)
			return chan_connect(chan, ev);
		return chan_open(chan, ev);
	case SHM_WIRE_ACCEPT:
		chan_accept(chan, ev);
		break;
	case SHM_WIRE_READY:
		chan_client_ready(chan, ev);
		break;
	case SHM_WIRE_REFUSE:
	case SHM_WIRE_CLOSE:
		return chan_refused(chan, type, ev->msg.reason.reason);
	case SHM_WIRE_TYPES:
		chan_end(chan, ev->msg.reason.reason);
		break;
	default:
		ret = shm_fast_event(chan, ev);
		if (ret == -EINPROGRESS)
			return false;
		if (ret != 0) {
			chan_violation(chan, "no such consumer, or not now", type,
				ev->msg.consumer_id.consumer);
			chan_end(chan, -EPROTO);
		}
		break;
	}
	return true;
}

void
shm_chan_event_handler(struct rte_comch_pmd_event *base)
{
	struct shm_event *ev = container_of(base, struct shm_event, base);
	struct shm_dev *dev = ev->group->dev;
	struct shm_chan *chan = ev->chan;
	bool alive, works, done = true;

	shm_dev_lock(dev);
	chan->nb_posted--;
	alive = !chan->dropped && !shm_chan_is(chan, SHM_CHAN_ZOMBIE);
	if (alive && ev->group != chan->group) { /* of one that has been accepted since */
		shm_event_again_locked(ev);
		shm_dev_unlock(dev);
		return;
	}
	if (alive && chan->link->state == SHM_LINK_DEAD && chan->state == SHM_CHAN_NEW &&
			chan->conn == NULL) {
		shm_chan_drop_locked(chan);
		alive = false;
	}
	shm_dev_unlock(dev);
	if (alive)
		done = chan_event(chan, ev);
	shm_dev_lock(dev);
	done = done && !shm_own_seg_undone(ev);
	works = !done && ev->work != NULL;
	if (works) {
		chan->nb_posted++;
		dev->nb_works++;
	} else if (done) {
		shm_event_done_locked(ev);
	} else {
		shm_event_again_locked(ev);
	}
	shm_dev_unlock(dev);
	if (works)
		shm_event_work(ev);
}

/* The ring of a connection is nonsense. */
void
shm_chan_lost(struct shm_chan *chan)
{
	chan_violation(chan, "its ring is nonsense", chan->rx_pos, chan->tx_pos);
	chan_end(chan, -EPROTO);
}

/* Peers that do not answer about a consumer. */
void
shm_asked_expire(struct shm_group *group, uint64_t now)
{
	struct shm_chan *chan;

	while ((chan = shm_consumers_late(group, now)) != NULL) {
		chan_late(chan, "no answer about a consumer");
		chan_end(chan, -ETIMEDOUT);
	}
}

/* Whether the peer of one that is ENDING is late: it has taken nothing for a while. */
static bool
chan_is_late(struct shm_chan *chan, uint64_t now)
{
	if (now < chan->deadline)
		return false;
	if (now >= chan->give_up || shm_chan_taken_last(chan) == chan->tx_done)
		return true;
	chan->tx_done = chan->tx_acked;
	chan->deadline = now + rte_get_tsc_hz() / MS_PER_S * SHM_CLOSE_MS;
	rte_comch_pmd_at_work(chan->link->dev->dev);
	return false;
}

/*
 * E: the peers of connections that are ENDING, and late, may take no more from now on but
 * what they say that they take. Whether there are any.
 */
static bool
rings_cut(struct shm_glink *glink, uint64_t now)
{
	struct shm_chan *chan;
	bool any = false;

	TAILQ_FOREACH(chan, &glink->chans, next) {
		if (chan->state != SHM_CHAN_ENDING || chan->own->cut != 0 ||
				!chan_is_late(chan, now))
			continue;
		__atomic_store_n(&chan->own->cut, SHM_WIRE_CUT, __ATOMIC_RELAXED);
		any = true;
	}
	return any;
}

/* E: pairs with rec_take() of the peers. */
static void
rings_cut_settle(void)
{
	shm_barrier_all();
	/* one of the two may have no membarrier(): by then its stores are seen */
	rte_delay_us_sleep(SHM_CUT_US);
}

/* A group leaves a link that is dead: some of its connections; false if others are left. */
bool
shm_glink_down(struct shm_glink *glink)
{
	struct shm_link *link = glink->link;
	struct shm_group *group = glink->group;
	struct shm_connect *connect;
	struct rte_comch_conn *conn;
	struct shm_chan *chan;
	uint32_t nb = 0;
	bool up;
	int ret;

	/* its process may live, and read on */
	if (!glink->cut && rings_cut(glink, UINT64_MAX))
		rings_cut_settle();
	glink->cut = true; /* no others can come to their end now */
	while ((chan = TAILQ_FIRST(&glink->chans)) != NULL) {
		connect = chan->connect;
		conn = chan->conn;
		up = chan->state == SHM_CHAN_UP;
		if (nb++ == SHM_DOWN_BURST)
			return false;
		if (chan->state == SHM_CHAN_ENDING) {
			chan_ended(chan);
			continue;
		}
		/* what the peer published before it died is still delivered */
		ret = up ? shm_chan_drain(chan) : 0;
		if (ret == -EINPROGRESS)
			return false;
		if (ret != 0 && ret != -EAGAIN)
			continue;
		shm_chan_close(chan, -ECONNRESET);
		if (connect != NULL) {
			/* it never was connected: it goes on trying */
			connect->chan = NULL;
			chan = NULL;
			TAILQ_INSERT_TAIL(&group->waiting, connect, next);
		} else if (conn != NULL) {
			rte_comch_pmd_conn_down(conn, link->reason);
		}
	}
	return true;
}

/* What a server or client asks of its peers' memory. */
int
shm_conf_check(const struct rte_comch_ctrl *ctrl)
{
	uint32_t msg_size = ctrl->max_msg_size != 0 ?
		ctrl->max_msg_size : ctrl->dev->info.dflt_msg_size;

	if (shm_ring_size(ctrl->recv_queue_size, msg_size) <= SHM_WIRE_MAX_RING_SIZE)
		return 0;
	SHM_LOG(ERR, "%s: recv_queue_size %u of messages of %u bytes for '%s' is above %u bytes in all: make one of them smaller",
		ctrl->dev->data->name, ctrl->recv_queue_size, msg_size, ctrl->name,
		SHM_WIRE_MAX_RING_SIZE);
	return -EINVAL;
}

/*
 * Not if this engine is late itself: what has come counts before it is handled. One look
 * at the socket is for all connections of a link.
 */
static bool
half_open_is_over(struct shm_chan *chan, uint64_t now)
{
	struct shm_glink *glink = chan->glink;
	struct shm_link *link = chan->link;
	bool over;

	if (chan->state != SHM_CHAN_HALF_OPEN || now < chan->deadline)
		return false;
	shm_dev_lock(link->dev);
	if (glink->looked != now && link->state == SHM_LINK_UP) {
		glink->looked = now;
		glink->silent = shm_link_rx_late(link);
	}
	over = link->state == SHM_LINK_UP && glink->silent && chan->nb_posted == 0;
	shm_dev_unlock(link->dev);
	return over;
}

/* Whether it was over: then a callback may have ended any other, too. */
static bool
chan_expire(struct shm_chan *chan, uint64_t now)
{
	struct rte_comch_conn *conn = chan->conn;

	if (chan->state == SHM_CHAN_ENDING && now >= chan->deadline) {
		chan_ended(chan);
	} else if (half_open_is_over(chan, now)) {
		chan_late(chan, "no READY");
		rte_comch_pmd_count(&chan->group->dev->dev->data->stats.peer_lost);
		shm_chan_close(chan, -ETIMEDOUT);
		rte_comch_pmd_conn_down(conn, -ETIMEDOUT);
	} else {
		return false;
	}
	return true;
}

/* Clients that do not go on with the handshake, and peers that do not answer CLOSE. */
void
shm_chans_expire(struct shm_group *group, uint64_t now)
{
	struct shm_glink *glink;
	struct shm_chan *chan;
	bool cut = false;
	uint32_t nb = 0;

	TAILQ_FOREACH(glink, &group->glinks, next)
		cut |= rings_cut(glink, now);
	if (cut)
		rings_cut_settle();
again:
	if (nb++ == SHM_DOWN_BURST) {
		group->next_service = 0; /* others in the next turn */
		return;
	}
	TAILQ_FOREACH(glink, &group->glinks, next) {
		TAILQ_FOREACH(chan, &glink->chans, next) {
			if (chan_expire(chan, now))
				goto again;
		}
	}
}

/* Tell the peer of the end, and wait for how far it reads if it has not read all. */
static bool
chan_end_begin(struct shm_chan *chan, int reason, struct rte_comch_pmd_ending *ending)
{
	struct shm_dev *dev = chan->link->dev;
	struct rte_comch_conn *conn = chan->conn;
	uint32_t rx_dropped;
	bool waits;

	/* what was handed up before counts as delivered, on both sides */
	__atomic_store_n(&chan->own->head, chan->rx_pos, __ATOMIC_RELEASE);
	__atomic_store_n(&chan->own->taken, chan->rx_pos | SHM_WIRE_TAKEN, __ATOMIC_RELAXED);
	if (chan->glink == NULL || shm_chan_acked(chan) == chan->tx_pos || chan->broken)
		return false;
	shm_chan_undirty(chan); /* its tail is final before CLOSE */
	rx_dropped = shm_conn_rx_count(conn);
	chan->tx_done = shm_chan_taken(chan);
	shm_dev_lock(dev);
	waits = shm_chan_end_locked(chan, reason);
	shm_dev_unlock(dev);
	if (!waits)
		return false;
	conn->rx_dropped += rx_dropped;
	shm_chan_deactivate(chan);
	shm_asks_del(chan); /* of consumers that are gone */
	chan->ending = ending;
	chan->deadline = rte_comch_pmd_deadline(SHM_CLOSE_MS);
	chan->give_up = chan->deadline + rte_get_tsc_hz() / MS_PER_S * SHM_CLOSE_MAX_MS;
	chan->group->nb_timed++;
	return true;
}

int
shm_conn_close(struct rte_comch_conn *conn, int reason, struct rte_comch_pmd_ending *ending)
{
	struct shm_chan *chan = conn->priv;

	if (chan == NULL)
		return 0;
	if (chan->state == SHM_CHAN_UP) {
		if (chan_end_begin(chan, reason, ending))
			return -EINPROGRESS;
		conn->delivered_seq = shm_chan_taken(chan);
		conn->delivered = true;
	}
	shm_chan_close(chan, reason);
	return 0;
}
