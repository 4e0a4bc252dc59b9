/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * How control connections begin and end, in the thread of their poll group: servers that
 * listen, clients that connect, and what the worker has learned about either. The worker's
 * own part is in bluefield_chan_qp.c; no message of an application is touched here.
 *
 * A server has its connection from the request on, before there is a queue pair: queue
 * pairs have an event queue for life, and the application may hand the connection to
 * another engine in its connect callback. What it sends waits until the client is ready.
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
line_over(struct bf_line *line, int reason)
{
	bf_line_leave(line);
	line->state = BF_LINE_OVER;
	line->pub.conn = NULL;
	line->over_reason = reason;
	if (!line->handing)
		bf_line_work_add(line, BF_WORK_CLOSE, reason);
	bf_line_put(line); /* of the group */
}

/* The layer above lets go of it, and then nobody finds it by its connection. */
static void
line_detach(struct bf_line *line)
{
	struct bf_conn *priv = line->pub.conn->priv;
	struct bf_line_ctl *ctl;

	bf_lock(&line->cd->lock);
	line->no_ctl = true;
	while ((ctl = STAILQ_FIRST(&line->ctls)) != NULL) {
		STAILQ_REMOVE_HEAD(&line->ctls, next);
		free(ctl);
	}
	line->nb_ctls = 0;
	bf_unlock(&line->cd->lock);
	line->pub.dev->parts[BF_PART_FAST]->conn_down(&line->pub);
	bf_lock(&line->cd->lock);
	priv->chan = NULL;
	line->attached = false;
	bf_unlock(&line->cd->lock);
	__atomic_store_n(&priv->rx_waiting, 0, __ATOMIC_RELAXED);
}

static void
line_attach(struct bf_line *line, struct rte_comch_conn *conn)
{
	struct bf_conn *priv = conn->priv;

	line->pub.conn = conn;
	priv->dev = line->pub.dev;
	bf_lock(&line->cd->lock);
	priv->chan = &line->pub;
	line->attached = true;
	bf_unlock(&line->cd->lock);
}

/* What we are told of the end is the peer's; what the application is told is ours. */
int
bf_left_reason(int told)
{
	return told == -EPROTO ? -ECONNRESET : -ESHUTDOWN;
}

/* The end of one that is OPENING or UP, and not by the library. */
void
bf_line_end(struct bf_line *line, int reason)
{
	struct rte_comch_conn *conn = line->pub.conn;
	uint32_t waiting = bf_line_waiting(line);

	if (waiting != 0)
		rte_comch_pmd_msg_dropped(conn, waiting);
	line_detach(line);
	line_over(line, reason == -EPROTO ? -EPROTO : 0);
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

	if ((uint64_t)ctrl->recv_queue_size * size <= BF_LINE_MAX_RECV)
		return 0;
	BF_LOG(ERR, "%s: recv_queue_size %u of messages of %u bytes for '%s' is above %u bytes",
		ctrl->dev->data->name, ctrl->recv_queue_size, size, ctrl->name,
		BF_LINE_MAX_RECV);
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
conn_req_fill(struct rte_comch_conn_req *req, const struct bf_line *line)
{
	memset(req, 0, sizeof(*req));
	req->max_msg_size = line->msg_size;
	req->peer_uid = UINT32_MAX;
	req->version = line->version;
	strlcpy(req->function, line->function, sizeof(req->function));
}

/* The server of a request: by now the name may be that of another, in another thread. */
static struct rte_comch_ctrl *
line_server_find(const struct bf_line *line)
{
	struct rte_comch_ctrl *server = NULL;
	struct bf_listen *listen;

	bf_lock(&line->cd->lock);
	listen = bf_listen_find(line->cd, line->pub.rep_id, line->name_hash, line->name);
	if (listen != NULL && listen->group == line->pub.group)
		server = listen->server;
	bf_unlock(&line->cd->lock);
	return server;
}

static int
line_accept(struct bf_line *line, struct rte_comch_ctrl *server, struct rte_comch_conn **conn)
{
	struct rte_comch_conn_req req;
	uint32_t size;
	int ret;

	conn_req_fill(&req, line);
	size = server->max_msg_size != 0 ? server->max_msg_size : req.max_msg_size;
	if ((uint64_t)size * server->recv_queue_size > BF_LINE_MAX_RECV) {
		rte_comch_pmd_conn_refused(server, &req, -EMSGSIZE);
		return -EMSGSIZE;
	}
	ret = rte_comch_pmd_conn_accept(server, &req, conn);
	if (ret != 0)
		return ret;
	ret = bf_line_join(line, bf_chan_group_of(line->pub.group));
	if (ret != 0)
		rte_comch_pmd_conn_abort(*conn, ret);
	else
		bf_line_hold(line, line->pub.group);
	return ret;
}

/* Card: a request. */
static void
line_request(struct bf_line *line)
{
	struct rte_comch_ctrl *server = line_server_find(line);
	struct rte_comch_conn *conn;
	int ret = -ENOENT;

	if (server != NULL)
		ret = line_accept(line, server, &conn);
	else
		rte_comch_pmd_count(&line->pub.dev->rte_dev->data->stats.refused);
	if (ret != 0) {
		line->state = BF_LINE_OVER;
		bf_line_work_add(line, BF_WORK_CLOSE, ret);
		return;
	}
	line->msg_size = conn->max_msg_size;
	line->queue = server->recv_queue_size;
	bf_line_name(line, server->name, NULL);
	line->state = BF_LINE_OPENING;
	line_attach(line, conn);
	rte_comch_pmd_conn_up(conn);
	/* it may be another thread's by now, or over: then this is nothing */
	bf_line_work_add(line, BF_WORK_ACCEPT, 0);
}

/* Card: the client is ready, as it says, or because a message of it has come. */
void
bf_line_ready(struct bf_line *line)
{
	line->ready = true;
	if (line->heard)
		bf_line_work_add(line, BF_WORK_EST, 0);
	if (line->state == BF_LINE_CLOSING) {
		bf_line_closed(line);
		return;
	}
	if (line->state != BF_LINE_OPENING)
		return;
	line->state = BF_LINE_UP;
	bf_line_timed(line, &line->cg->pings, BF_LINE_PING_MS);
}

/*
 * Clients
 */

int
bf_connect(struct rte_comch_ctrl *client)
{
	struct bf_group *group = bf_group_of(client->pg);
	struct bf_chan_dev *cd = bf_chan_dev_of(group->dev);
	struct bf_line *line;
	int ret;

	ret = conf_check(client);
	if (ret != 0)
		return ret;
	line = bf_line_new(cd);
	if (line == NULL)
		return -ENOMEM;
	bf_line_hold(line, group);
	line->is_client = true;
	line->ctrl = client;
	line->msg_size = client->max_msg_size;
	line->queue = client->recv_queue_size;
	line->pub.peer = group->dev->peer;
	bf_line_name(line, client->name, group->dev->ident.function);
	line->name_hash = bf_wire_name_hash(client->name);
	ret = bf_line_join(line, bf_chan_group_of(group));
	if (ret != 0) {
		bf_line_work_add(line, BF_WORK_CLOSE, 0);
		return ret;
	}
	line->state = BF_LINE_CONNECTING;
	client->priv = line;
	bf_line_event(line, BF_EV_START, 0);
	return 0;
}

int
bf_connect_cancel(struct rte_comch_ctrl *client, int reason __rte_unused,
		struct rte_comch_pmd_ending *ending __rte_unused)
{
	struct bf_line *line = client->priv;

	if (line == NULL)
		return 0;
	client->priv = NULL;
	line_over(line, -ECANCELED);
	return 0;
}

static void
line_connect_failed(struct bf_line *line, int reason)
{
	struct rte_comch_ctrl *client = line->ctrl;

	client->priv = NULL;
	line_over(line, reason);
	rte_comch_pmd_connect_failed(client, reason);
}

/* The worker has handed them over. */
static void
line_queues_take(struct bf_line *line)
{
	/* release: what it has made; pairs with the acquire in bf_conn_rx_count() */
	__atomic_store_n(&line->has_queues, true, __ATOMIC_RELEASE);
}

/* Host: the server has answered, and the queue pair is up. The last thing in its turn. */
static void
line_open(struct bf_line *line)
{
	struct rte_comch_ctrl *client = line->ctrl;
	struct rte_comch_conn_req req;
	struct rte_comch_conn *conn;
	int ret;

	line_queues_take(line);
	conn_req_fill(&req, line);
	ret = rte_comch_pmd_conn_open(client, &req, &conn);
	if (ret != 0) {
		line_connect_failed(line, ret);
		return;
	}
	client->priv = NULL;
	line->ctrl = NULL;
	line->state = BF_LINE_UP;
	line->ready = true;
	line_attach(line, conn);
	bf_line_work_add(line, BF_WORK_RTU, 0);
	bf_line_timed(line, &line->cg->pings, BF_LINE_PING_MS);
	bf_line_activate(line);
	rte_comch_pmd_conn_up(conn);
}

/*
 * Either
 */

/* The worker, or another thread, says that it cannot go on. */
static void
line_lost(struct bf_line *line, int reason)
{
	/* what has come says how much was taken; of one that is lost it is not looked at */
	if (line->state == BF_LINE_CLOSING)
		bf_line_cq_drain(line);
	if (line->lost == 0)
		line->lost = reason;
	switch (line->state) {
	case BF_LINE_CONNECTING:
		line_connect_failed(line, reason);
		break;
	case BF_LINE_OPENING:
		bf_line_end(line, reason);
		break;
	case BF_LINE_UP:
		bf_line_cq_drain(line);
		bf_line_activate(line); /* it ends in the poll */
		break;
	case BF_LINE_CLOSING:
		bf_line_closed(line);
		break;
	default:
		break;
	}
}

/* The peer has disconnected. What it sent before, and said last, has come already. */
static void
line_left(struct bf_line *line, int reason)
{
	if (line->state == BF_LINE_UP)
		bf_line_cq_drain(line);
	if (reason != -ETIMEDOUT)
		line->rx.bye_asks = false;
	if (line->state == BF_LINE_UP && line->rx.bye && !line->rx.bye_asks)
		bf_line_activate(line);
	else
		line_lost(line, reason == -ETIMEDOUT ? -ETIMEDOUT : -ECONNRESET);
}

/* In the handler of an event. */
void
bf_line_events_run(struct bf_line *line, uint32_t events, int lost, int left)
{
	if (line->state == BF_LINE_OVER)
		return;
	if ((events & BF_EV_REQ) != 0) {
		line_request(line);
		return;
	}
	if ((events & BF_EV_START) != 0)
		bf_line_work_add(line, BF_WORK_CONNECT, 0);
	if ((events & BF_EV_REP) != 0) {
		line_open(line);
		events &= ~BF_EV_REP;
		if (events == 0 || line->state == BF_LINE_OVER)
			return;
		/* nothing else of it in this turn */
		if (lost != 0)
			bf_line_event(line, BF_EV_LOST, lost);
		bf_line_event(line, events & ~BF_EV_LOST, left);
		return;
	}
	if ((events & BF_EV_QP) != 0) {
		line_queues_take(line);
		bf_line_activate(line);
	}
	if ((events & BF_EV_READY) != 0)
		bf_line_ready(line);
	if ((events & BF_EV_CTL) != 0 && line->state == BF_LINE_UP)
		bf_line_activate(line);
	if ((events & BF_EV_LEFT) != 0)
		line_left(line, left);
	if ((events & BF_EV_LOST) != 0)
		line_lost(line, lost);
}

/* CLOSING: the peer goes on taking messages, and gets more time for that. */
static void
line_closing_goes_on(struct bf_line *line)
{
	rte_comch_pmd_conn_delivered(line->pub.conn, line->tx.taken);
	line->tx.done = line->tx.taken;
	if (rte_get_tsc_cycles() >= line->give_up)
		return;
	bf_line_timed(line, &line->cg->endings, BF_LINE_BYE_MS);
	rte_comch_pmd_at_work(line->pub.dev->rte_dev);
}

/*
 * CLOSING: look how far it is. It is over when the peer has said how much it takes, or its
 * device has our BYE if that is known; when the connection is lost, or it lasts too long.
 */
void
bf_line_closed(struct bf_line *line)
{
	struct rte_comch_pmd_ending *ending = line->ending;
	bool known;

	/* of an answer that the peer knows to be here, too: see BF_WORK_FLUSH */
	bf_line_cq_drain(line);
	if (line->ready && !line->tx.bye && !bf_line_bye(line, line->bye_reason))
		line->tx.bye_done = true; /* nobody hears it */
	if (line->tx.taken != line->tx.done)
		line_closing_goes_on(line);
	known = line->rx.bye || !line->tx.bye_asks || line->tx.taken == line->tx.data;
	if (!(known && line->tx.bye_done) && !line->rx.bye && line->lost == 0) {
		if (rte_get_tsc_cycles() < line->deadline)
			return;
		if (!known && !line->given_up) {
			/* its completions with errors are the end */
			line->given_up = true;
			bf_line_work_add(line, BF_WORK_FLUSH, 0);
			bf_line_timed(line, &line->cg->endings, BF_LINE_BYE_MS);
			rte_comch_pmd_at_work(line->pub.dev->rte_dev);
			return;
		}
	}
	/* what the peer has not taken was lost, and it has to know */
	line_over(line, known ? line->bye_reason : -ETIMEDOUT);
	rte_comch_pmd_ended(ending);
}

int
bf_conn_close(struct rte_comch_conn *conn, int reason, struct rte_comch_pmd_ending *ending)
{
	struct bf_chan *chan = bf_chan_of(conn);
	struct bf_line *line = bf_line_of(chan);
	uint32_t waiting;

	if (chan == NULL)
		return 0;
	bf_line_cq_drain(line);
	waiting = bf_line_waiting(line);
	if (waiting != 0)
		rte_comch_pmd_msg_dropped(conn, waiting);
	rte_comch_pmd_conn_delivered(conn, line->tx.taken);
	line->tx.done = line->tx.taken;
	line_detach(line);
	/* where the client is not ready, the BYE waits for that; on its way nobody looks at it */
	if (line->lost != 0 || line->rx.bye || line->cg == NULL ||
			(line->state == BF_LINE_UP && !bf_line_bye(line, reason))) {
		line_over(line, reason);
		return 0;
	}
	line->bye_reason = reason;
	line->ending = ending;
	line->state = BF_LINE_CLOSING;
	bf_line_timed(line, &line->cg->endings, BF_LINE_BYE_MS);
	line->give_up = line->deadline + rte_get_tsc_hz() / MS_PER_S * BF_LINE_BYES_MS;
	if (line->has_queues)
		bf_line_activate(line);
	return -EINPROGRESS;
}

/* It goes to another group: nobody looks at it until it has arrived. */
void
bf_conn_move(struct rte_comch_conn *conn, struct rte_comch_pgroup *pg)
{
	struct bf_line *line = bf_line_of(bf_chan_of(conn));

	/* it has no queues yet: the worker makes them for where it goes */
	bf_line_leave(line);
	bf_line_moves(line, bf_group_of(pg));
}

/* In the thread of the group that it goes to. */
void
bf_conn_arrive(struct rte_comch_conn *conn)
{
	struct bf_line *line = bf_line_of(bf_chan_of(conn));
	int ret = bf_line_join(line, bf_chan_group_of(line->pub.group));

	if (ret == 0) {
		bf_line_put(line); /* of the group that it has left */
		ret = bf_line_arrived(line);
	}
	if (ret != 0)
		bf_line_end(line, ret);
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
	bf_line_ref(bf_line_of(chan));
}

void
bf_chan_unref(struct bf_chan *chan)
{
	bf_line_put(bf_line_of(chan));
}

int
bf_chan_ctl(struct bf_chan *chan, uint8_t type, const void *payload, uint32_t len)
{
	struct bf_line *line = bf_line_of(chan);
	struct bf_line_ctl *ctl;
	int ret = 0;

	if (type < BF_WIRE_CONSUMER_NEW || len != bf_wire_ctl_len(type) || len == 0)
		return -EINVAL;
	ctl = malloc(sizeof(*ctl));
	if (ctl == NULL)
		return -ENOMEM;
	ctl->type = type;
	ctl->len = len;
	memcpy(ctl->payload, payload, len);
	bf_lock(&line->cd->lock);
	if (line->no_ctl)
		ret = -ENOTCONN;
	else if (line->nb_ctls >= BF_LINE_MAX_CTL)
		ret = -ENOBUFS;
	if (ret == 0) {
		STAILQ_INSERT_TAIL(&line->ctls, ctl, next);
		__atomic_store_n(&line->nb_ctls, line->nb_ctls + 1, __ATOMIC_RELAXED);
		bf_line_event_locked(line, BF_EV_CTL, 0);
	}
	bf_unlock(&line->cd->lock);
	if (ret != 0)
		free(ctl);
	return ret;
}

void
bf_chan_violation(struct bf_chan *chan, const char *what, uint64_t a, uint64_t b)
{
	struct bf_line *line = bf_line_of(chan);

	bf_violation_log(line, what, a, b);
	bf_line_event(line, BF_EV_LOST, -EPROTO);
}

void
bf_chan_violated(const struct bf_chan *chan, const char *what, uint64_t a, uint64_t b)
{
	bf_violation_log(container_of(chan, const struct bf_line, pub), what, a, b);
}

void
bf_chan_lost(struct bf_chan *chan, int reason)
{
	bf_line_event(bf_line_of(chan), BF_EV_LOST, reason);
}
