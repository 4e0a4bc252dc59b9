/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * How control connections begin and end, in the thread of their poll group: servers that
 * listen, clients that connect, and what the worker has learned about either. The worker's
 * own part is in bluefield_chan_qp.c; no message of an application is touched here.
 *
 * A server has its connection from the request on, before there is a queue pair. What it
 * sends waits until the client is ready.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_string_fns.h>

#include "bluefield_chan_priv.h"

/*
 * What the library was told of is over, and so is what is ours: the worker has the rest. It
 * frees the buffers, so it does not get it while the application has a message in its hands.
 */
static void
ctrl_over(struct bf_ctrl_conn *cc, int reason)
{
	bf_ctrl_leave(cc);
	cc->state = BF_CTRL_OVER;
	cc->pub.conn = NULL;
	cc->over_reason = reason;
	if (!cc->in_rx_cb)
		bf_ctrl_work_add(cc, BF_WORK_CLOSE, reason);
	bf_ctrl_put(cc); /* of the group */
}

/* The layer above lets go of it, and then nobody finds it by its connection. */
static void
ctrl_detach(struct bf_ctrl_conn *cc)
{
	struct bf_conn *priv = cc->pub.conn->priv;
	struct bf_ctrl_out *ctl;

	bf_lock(&cc->cd->lock);
	cc->no_ctl = true;
	while ((ctl = STAILQ_FIRST(&cc->ctls)) != NULL) {
		STAILQ_REMOVE_HEAD(&cc->ctls, next);
		free(ctl);
	}
	cc->nb_ctls = 0;
	bf_unlock(&cc->cd->lock);
	cc->pub.dev->parts[BF_PART_FAST]->conn_down(&cc->pub);
	bf_lock(&cc->cd->lock);
	priv->chan = NULL;
	cc->attached = false;
	bf_unlock(&cc->cd->lock);
	__atomic_store_n(&priv->rx_waiting, 0, __ATOMIC_RELAXED);
}

static void
ctrl_attach(struct bf_ctrl_conn *cc, struct rte_comch_conn *conn)
{
	struct bf_conn *priv = conn->priv;

	cc->pub.conn = conn;
	priv->dev = cc->pub.dev;
	bf_lock(&cc->cd->lock);
	priv->chan = &cc->pub;
	cc->attached = true;
	bf_unlock(&cc->cd->lock);
}

/* What we are told of the end is the peer's; what the application is told is ours. */
int
bf_left_reason(int told)
{
	return told == -EPROTO ? -ECONNRESET : -ESHUTDOWN;
}

/* The end of one that is OPENING or UP, and not by the library. */
void
bf_ctrl_end(struct bf_ctrl_conn *cc, int reason)
{
	struct rte_comch_conn *conn = cc->pub.conn;

	conn->rx_dropped += bf_ctrl_waiting(cc);
	ctrl_detach(cc);
	ctrl_over(cc, reason == -EPROTO ? -EPROTO : 0);
	rte_comch_pmd_conn_down(conn, reason);
}

/*
 * Servers
 */

/* What a server or client asks of our memory. */
static int
conf_check(const struct rte_comch_ctrl *ctrl)
{
	uint32_t size = ctrl->max_msg_size != 0 ? ctrl->max_msg_size :
		ctrl->dev->info.dflt_msg_size;

	if ((uint64_t)ctrl->recv_queue_size * size <= BF_CTRL_MAX_RECV)
		return 0;
	BF_LOG(ERR, "%s: recv_queue_size %u of messages of %u bytes for '%s' is above %u bytes in all: make one of them smaller",
		ctrl->dev->data->name, ctrl->recv_queue_size, size, ctrl->name,
		BF_CTRL_MAX_RECV);
	return -EINVAL;
}

/* Does a server have the name that a request begins with? */
static bool
listen_is(const struct bf_listen *listen, uint16_t rep_id, uint64_t hash, const char *name)
{
	return listen->rep_id == rep_id && listen->hash == hash &&
		strncmp(listen->server->name, name, BF_WIRE_PREFIX_SIZE) == 0;
}

/* The lock is held. */
struct bf_listen *
bf_listen_find(struct bf_chan_dev *cd, uint16_t rep_id, uint64_t hash, const char *name)
{
	struct bf_listen *listen;

	TAILQ_FOREACH(listen, &cd->listens, next)
		if (listen_is(listen, rep_id, hash, name))
			return listen;
	return NULL;
}

int
bf_listen(struct rte_comch_ctrl *server)
{
	struct bf_group *group = bf_group_of(server->pg);
	struct bf_chan_dev *cd = bf_chan_dev_of(group->dev);
	struct bf_listen *listen, *other;
	int ret;

	ret = conf_check(server);
	if (ret != 0)
		return ret;
	listen = calloc(1, sizeof(*listen));
	if (listen == NULL)
		return -ENOMEM;
	listen->server = server;
	listen->group = group;
	listen->rep_id = server->rep_id;
	listen->hash = bf_wire_name_hash(server->name);
	bf_lock(&cd->lock);
	other = bf_listen_find(cd, listen->rep_id, listen->hash, server->name);
	if (other == NULL)
		TAILQ_INSERT_TAIL(&cd->listens, listen, next);
	bf_unlock(&cd->lock);
	if (other != NULL) {
		BF_LOG(ERR, "%s: requests for '%s' cannot be told from those for another server of representor %u, take another name",
			server->dev->data->name, server->name, server->rep_id);
		free(listen);
		return -EEXIST;
	}
	server->priv = listen;
	return 0;
}

int
bf_unlisten(struct rte_comch_ctrl *server, struct rte_comch_pmd_ending *ending __rte_unused)
{
	struct bf_chan_dev *cd = bf_chan_dev_of(bf_group_of(server->pg)->dev);
	struct bf_listen *listen = server->priv;

	if (listen == NULL)
		return 0;
	bf_lock(&cd->lock);
	TAILQ_REMOVE(&cd->listens, listen, next);
	bf_unlock(&cd->lock);
	server->priv = NULL;
	free(listen);
	return 0;
}

static void
conn_req_fill(struct rte_comch_conn_req *req, const struct bf_ctrl_conn *cc)
{
	memset(req, 0, sizeof(*req));
	req->max_msg_size = cc->msg_size;
	req->peer_uid = UINT32_MAX;
	req->version = cc->version;
	strlcpy(req->function, cc->function, sizeof(req->function));
}

/* The server of a request: by now the name may be that of another, in another thread. */
static struct rte_comch_ctrl *
ctrl_server_find(const struct bf_ctrl_conn *cc)
{
	struct rte_comch_ctrl *server = NULL;
	struct bf_listen *listen;

	bf_lock(&cc->cd->lock);
	listen = bf_listen_find(cc->cd, cc->pub.rep_id, cc->name_hash, cc->name);
	if (listen != NULL && listen->group == cc->pub.group)
		server = listen->server;
	bf_unlock(&cc->cd->lock);
	return server;
}

static int
ctrl_accept(struct bf_ctrl_conn *cc, struct rte_comch_conn **conn)
{
	struct rte_comch_ctrl *server = ctrl_server_find(cc);
	struct rte_comch_conn_req req;
	uint32_t size;

	if (server == NULL) {
		rte_comch_pmd_count(&cc->pub.dev->rte_dev->data->stats.refused);
		return -ENOENT;
	}
	conn_req_fill(&req, cc);
	size = server->max_msg_size != 0 ? server->max_msg_size : req.max_msg_size;
	if ((uint64_t)size * server->recv_queue_size > BF_CTRL_MAX_RECV) {
		rte_comch_pmd_conn_refused(server, &req, -EMSGSIZE);
		return -EMSGSIZE;
	}
	return rte_comch_pmd_conn_accept(server, &req, conn);
}

/* Card: a request, of a connection that is this group's. */
static void
ctrl_open_accepted(struct bf_ctrl_conn *cc)
{
	struct rte_comch_conn *conn = cc->pub.conn;
	int ret = bf_ctrl_join(cc, bf_chan_group_of(cc->pub.group));

	if (ret == 0) {
		/* what is told to the connections of the group may have passed before it joined */
		bf_lock(&cc->cd->lock);
		ret = cc->cd->down;
		bf_unlock(&cc->cd->lock);
	}
	if (ret != 0) {
		ctrl_detach(cc);
		ctrl_over(cc, ret);
		rte_comch_pmd_conn_down(conn, ret);
		return;
	}
	cc->state = BF_CTRL_OPENING;
	rte_comch_pmd_conn_up(conn);
	/* it may be over by now: then this is nothing */
	bf_ctrl_work_add(cc, BF_WORK_ACCEPT, 0);
}

/* Card: a request, in the thread of the server. */
static void
ctrl_request(struct bf_ctrl_conn *cc)
{
	struct bf_group *here = cc->pub.group, *group;
	struct rte_comch_conn *conn;
	int ret = ctrl_accept(cc, &conn);

	if (ret != 0) {
		cc->state = BF_CTRL_OVER;
		bf_ctrl_work_add(cc, BF_WORK_CLOSE, ret);
		return;
	}
	cc->msg_size = conn->max_msg_size;
	cc->queue = conn->ctrl->recv_queue_size;
	bf_ctrl_name(cc, conn->ctrl->name, NULL);
	ctrl_attach(cc, conn);
	group = bf_group_of(conn->ctrl->pg);
	bf_ctrl_hold(cc, group);
	if (group == here) {
		ctrl_open_accepted(cc);
		return;
	}
	/* from now on it is the other thread's */
	bf_ctrl_event(cc, BF_EV_REQ, 0);
}

/* Card: the client is ready, as it says, or because a message of it has come. */
void
bf_ctrl_ready(struct bf_ctrl_conn *cc)
{
	cc->ready = true;
	if (cc->rx_seen)
		bf_ctrl_work_add(cc, BF_WORK_EST, 0);
	if (cc->state == BF_CTRL_CLOSING) {
		bf_ctrl_closed(cc);
		return;
	}
	if (cc->state != BF_CTRL_OPENING)
		return;
	cc->state = BF_CTRL_UP;
	bf_ctrl_timed(cc, &cc->cg->pings, BF_CTRL_PING_MS);
}

/*
 * Clients
 */

int
bf_connect(struct rte_comch_ctrl *client)
{
	struct bf_group *group = bf_group_of(client->pg);
	struct bf_chan_dev *cd = bf_chan_dev_of(group->dev);
	struct bf_ctrl_conn *cc;
	int ret;

	ret = conf_check(client);
	if (ret != 0)
		return ret;
	cc = bf_ctrl_new(cd);
	if (cc == NULL)
		return -ENOMEM;
	bf_ctrl_hold(cc, group);
	cc->is_client = true;
	cc->ctrl = client;
	cc->msg_size = client->max_msg_size;
	cc->queue = client->recv_queue_size;
	cc->pub.peer = group->dev->peer;
	bf_ctrl_name(cc, client->name, group->dev->ident.function);
	cc->name_hash = bf_wire_name_hash(client->name);
	ret = bf_ctrl_join(cc, bf_chan_group_of(group));
	if (ret != 0) {
		ctrl_over(cc, 0);
		return ret;
	}
	cc->state = BF_CTRL_CONNECTING;
	client->priv = cc;
	bf_ctrl_event(cc, BF_EV_START, 0);
	return 0;
}

int
bf_connect_cancel(struct rte_comch_ctrl *client, int reason __rte_unused,
		struct rte_comch_pmd_ending *ending __rte_unused)
{
	struct bf_ctrl_conn *cc = client->priv;

	if (cc == NULL)
		return 0;
	client->priv = NULL;
	ctrl_over(cc, -ECANCELED);
	return 0;
}

static void
ctrl_connect_failed(struct bf_ctrl_conn *cc, int reason)
{
	struct rte_comch_ctrl *client = cc->ctrl;

	client->priv = NULL;
	ctrl_over(cc, reason);
	rte_comch_pmd_connect_failed(client, reason);
}

/* The worker has handed them over. */
static void
ctrl_queues_take(struct bf_ctrl_conn *cc)
{
	/* release: what it has made; pairs with the acquire in bf_conn_rx_count() */
	__atomic_store_n(&cc->has_queues, true, __ATOMIC_RELEASE);
}

/* Host: the server has answered, and the queue pair is up. The last thing in its turn. */
static void
ctrl_open(struct bf_ctrl_conn *cc)
{
	struct rte_comch_ctrl *client = cc->ctrl;
	struct rte_comch_conn_req req;
	struct rte_comch_conn *conn;
	int ret;

	ctrl_queues_take(cc);
	conn_req_fill(&req, cc);
	ret = rte_comch_pmd_conn_open(client, &req, &conn);
	if (ret != 0) {
		ctrl_connect_failed(cc, ret);
		return;
	}
	client->priv = NULL;
	cc->ctrl = NULL;
	cc->state = BF_CTRL_UP;
	cc->ready = true;
	ctrl_attach(cc, conn);
	bf_ctrl_work_add(cc, BF_WORK_RTU, 0);
	bf_ctrl_timed(cc, &cc->cg->pings, BF_CTRL_PING_MS);
	bf_ctrl_activate(cc);
	rte_comch_pmd_conn_up(conn);
}

/*
 * Either
 */

/* The worker, or another thread, says that it cannot go on. */
static void
ctrl_lost(struct bf_ctrl_conn *cc, int reason)
{
	/* what has come says how much was taken; of one that is lost it is not looked at */
	if (cc->state == BF_CTRL_CLOSING)
		bf_ctrl_cq_drain(cc);
	if (cc->lost == 0)
		cc->lost = reason;
	switch (cc->state) {
	case BF_CTRL_CONNECTING:
		ctrl_connect_failed(cc, reason);
		break;
	case BF_CTRL_OPENING:
		bf_ctrl_end(cc, reason);
		break;
	case BF_CTRL_UP:
		bf_ctrl_cq_drain(cc);
		bf_ctrl_activate(cc); /* it ends in the poll */
		break;
	case BF_CTRL_CLOSING:
		bf_ctrl_closed(cc);
		break;
	default:
		break;
	}
}

/* The peer has disconnected. What it sent before, and said last, has come already. */
static void
ctrl_left(struct bf_ctrl_conn *cc, int reason)
{
	if (cc->state == BF_CTRL_UP)
		bf_ctrl_cq_drain(cc);
	if (reason != -ETIMEDOUT)
		cc->rx.bye_asks = false;
	if (cc->state == BF_CTRL_UP && cc->rx.bye && !cc->rx.bye_asks)
		bf_ctrl_activate(cc);
	else
		ctrl_lost(cc, reason == -ETIMEDOUT ? -ETIMEDOUT : -ECONNRESET);
}

/* In the handler of an event. */
void
bf_ctrl_events_run(struct bf_ctrl_conn *cc, uint32_t events, int lost, int left)
{
	if (cc->state == BF_CTRL_OVER)
		return;
	if ((events & BF_EV_REQ) != 0) { /* the worker tells nothing before it is to answer */
		if (cc->pub.conn == NULL)
			ctrl_request(cc);
		else
			ctrl_open_accepted(cc);
		return;
	}
	if ((events & BF_EV_START) != 0)
		bf_ctrl_work_add(cc, BF_WORK_CONNECT, 0);
	if ((events & BF_EV_REP) != 0) {
		ctrl_open(cc);
		events &= ~BF_EV_REP;
		if (events == 0 || cc->state == BF_CTRL_OVER)
			return;
		/* nothing else of it in this turn */
		if (lost != 0)
			bf_ctrl_event(cc, BF_EV_LOST, lost);
		bf_ctrl_event(cc, events & ~BF_EV_LOST, left);
		return;
	}
	if ((events & BF_EV_QP) != 0) {
		ctrl_queues_take(cc);
		bf_ctrl_activate(cc);
	}
	if ((events & BF_EV_READY) != 0)
		bf_ctrl_ready(cc);
	if ((events & BF_EV_CTL) != 0 && cc->state == BF_CTRL_UP)
		bf_ctrl_activate(cc);
	if ((events & BF_EV_LEFT) != 0)
		ctrl_left(cc, left);
	if ((events & BF_EV_LOST) != 0)
		ctrl_lost(cc, lost);
}

/* CLOSING: the peer goes on taking messages, and gets more time for that. */
static void
ctrl_closing_goes_on(struct bf_ctrl_conn *cc)
{
	cc->tx.done = cc->tx.taken;
	cc->pub.conn->delivered_seq = cc->tx.taken;
	if (rte_get_tsc_cycles() >= cc->give_up)
		return;
	bf_ctrl_timed(cc, &cc->cg->endings, BF_CTRL_BYE_MS);
	rte_comch_pmd_at_work(cc->pub.dev->rte_dev);
}

/*
 * CLOSING: look how far it is. It is over when the peer has said how much it takes, or its
 * device has our BYE if that is known; when the connection is lost, or it lasts too long.
 */
void
bf_ctrl_closed(struct bf_ctrl_conn *cc)
{
	struct rte_comch_pmd_ending *ending = cc->ending;
	bool known;

	/* of an answer that the peer knows to be here, too: see BF_WORK_FLUSH */
	bf_ctrl_cq_drain(cc);
	if (cc->ready && !cc->tx.bye && !bf_ctrl_bye(cc, cc->bye_reason))
		cc->tx.bye_done = true; /* nobody hears it */
	if (cc->tx.taken != cc->tx.done)
		ctrl_closing_goes_on(cc);
	known = cc->rx.bye || !cc->tx.bye_asks || cc->tx.taken == cc->tx.data;
	if (!(known && cc->tx.bye_done) && !cc->rx.bye && cc->lost == 0) {
		if (rte_get_tsc_cycles() < cc->deadline)
			return;
		if (!known && !cc->given_up) {
			/* its completions with errors are the end */
			cc->given_up = true;
			bf_ctrl_work_add(cc, BF_WORK_FLUSH, 0);
			bf_ctrl_timed(cc, &cc->cg->endings, BF_CTRL_BYE_MS);
			rte_comch_pmd_at_work(cc->pub.dev->rte_dev);
			return;
		}
	}
	/* what the peer has not taken was lost, and it has to know */
	ctrl_over(cc, known ? cc->bye_reason : -ETIMEDOUT);
	rte_comch_pmd_ended(ending);
}

int
bf_conn_close(struct rte_comch_conn *conn, int reason, struct rte_comch_pmd_ending *ending)
{
	struct bf_chan *chan = bf_chan_of(conn);
	struct bf_ctrl_conn *cc = bf_ctrl_of(chan);

	if (chan == NULL)
		return 0;
	bf_ctrl_cq_drain(cc);
	conn->rx_dropped += bf_ctrl_waiting(cc);
	conn->delivered_seq = cc->tx.taken;
	conn->delivered = true;
	cc->tx.done = cc->tx.taken;
	ctrl_detach(cc);
	/* where the client is not ready, the BYE waits for that; not opened, nobody looks at it */
	if (cc->lost != 0 || cc->rx.bye || cc->cg == NULL ||
			(cc->state == BF_CTRL_UP && !bf_ctrl_bye(cc, reason))) {
		ctrl_over(cc, reason);
		return 0;
	}
	cc->bye_reason = reason;
	cc->ending = ending;
	cc->state = BF_CTRL_CLOSING;
	bf_ctrl_timed(cc, &cc->cg->endings, BF_CTRL_BYE_MS);
	cc->give_up = cc->deadline + rte_get_tsc_hz() / MS_PER_S * BF_CTRL_BYES_MS;
	if (cc->has_queues)
		bf_ctrl_activate(cc);
	return -EINPROGRESS;
}

/*
 * For layer fast
 */

struct bf_chan *
bf_chan_lock(struct bf_dev *dev, const struct rte_comch_conn *conn)
{
	bf_lock(&bf_chan_dev_of(dev)->lock);
	return ((const struct bf_conn *)conn->priv)->chan;
}

void
bf_chan_unlock(struct bf_dev *dev)
{
	bf_unlock(&bf_chan_dev_of(dev)->lock);
}

void
bf_chan_ref(struct bf_chan *chan)
{
	bf_ctrl_ref(bf_ctrl_of(chan));
}

void
bf_chan_unref(struct bf_chan *chan)
{
	bf_ctrl_put(bf_ctrl_of(chan));
}

int
bf_chan_ctl(struct bf_chan *chan, uint8_t type, const void *payload, uint32_t len)
{
	struct bf_ctrl_conn *cc = bf_ctrl_of(chan);
	struct bf_ctrl_out *ctl;
	int ret = 0;

	if (type < BF_WIRE_CONSUMER_NEW || len != bf_wire_ctl_len(type) || len == 0)
		return -EINVAL;
	ctl = malloc(sizeof(*ctl));
	if (ctl == NULL)
		return -ENOMEM;
	ctl->type = type;
	ctl->len = len;
	memcpy(ctl->payload, payload, len);
	bf_lock(&cc->cd->lock);
	if (cc->no_ctl)
		ret = -ENOTCONN;
	else if (cc->nb_ctls >= BF_CTRL_MAX_CTL)
		ret = -ENOBUFS;
	if (ret == 0) {
		STAILQ_INSERT_TAIL(&cc->ctls, ctl, next);
		__atomic_store_n(&cc->nb_ctls, cc->nb_ctls + 1, __ATOMIC_RELAXED);
		bf_ctrl_event_locked(cc, BF_EV_CTL, 0);
	}
	bf_unlock(&cc->cd->lock);
	if (ret != 0)
		free(ctl);
	return ret;
}

void
bf_chan_answer(struct bf_chan *chan, uint8_t type, const void *payload, uint32_t len)
{
	const int ret = bf_chan_ctl(chan, type, payload, len);

	if (ret != 0 && ret != -ENOTCONN)
		bf_chan_lost(chan, -ECONNRESET);
}

void
bf_chan_violation(struct bf_chan *chan, const char *what, uint64_t a, uint64_t b)
{
	struct bf_ctrl_conn *cc = bf_ctrl_of(chan);

	bf_violation_log(cc, what, a, b);
	bf_ctrl_event(cc, BF_EV_LOST, -EPROTO);
}

void
bf_chan_violated(const struct bf_chan *chan, const char *what, uint64_t a, uint64_t b)
{
	bf_violation_log(container_of(chan, const struct bf_ctrl_conn, pub), what, a, b);
}

void
bf_chan_lost(struct bf_chan *chan, int reason)
{
	bf_ctrl_event(bf_ctrl_of(chan), BF_EV_LOST, reason);
}
