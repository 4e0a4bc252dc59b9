/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Clients that a server accepts, onto its own engine or onto that of another lcore: how a
 * connection begins and ends there, and how the server stops meanwhile.
 *
 * A connection on another engine has a context of its own, which applications do not see.
 * It has what callbacks and tasks need of the server, copied, so that nothing of the
 * server is read or written in the thread of the other engine. It begins there with the
 * first that the driver tells of the connection: an event for that would have to find a
 * place in a mailbox that peers can fill. Later the two threads tell each other two things,
 * by events that are parts of that context:
 *
 *   stop     server to other   the server stops
 *   gone     other to server   all is over, and the context is the server's to free
 *
 * The device's lock is between the two: who posts holds it until the other engine is
 * awake, and who gets an event takes it first. So an engine that has let go of the
 * context, and is destroyed, is looked at by nobody.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_string_fns.h>

#include "comch_private.h"

/* The context of one connection on another engine. */
struct comch_accepted {
	struct comch_ctrl ctrl;    /* first; of the other engine, until gone */
	struct comch_ctrl *server; /* only the pointer is for both threads */
	struct rte_comch_pe *server_pe;
	bool begun;                /* it is on the list of the other engine */
	TAILQ_ENTRY(comch_accepted) next; /* of the server, in its thread */

	/* under the device's lock, as is the list of the one connection */
	bool stop_wanted; /* has to be posted */
	bool stop_posted; /* is under way */
	bool over;        /* nothing is posted to the other engine any more */
	struct rte_comch_pmd_event stop;
	struct rte_comch_pmd_event gone;
};

static struct comch_accepted *
accepted_of(struct rte_comch_ctx *ctx)
{
	return container_of(comch_ctrl(ctx), struct comch_accepted, ctrl);
}

/*
 * The other engine
 */

/* Whatever comes first there, once. */
static void
accepted_begin(struct comch_accepted *acc)
{
	if (acc->begun)
		return;
	acc->begun = true;
	comch_pe_ctx_add(&acc->ctrl.ctx);
}

/*
 * When all is over, the context is the server's thread's again. In progress, and behind
 * all drivers: its poll group may go.
 */
static void
accepted_try_end(struct rte_comch_ctx *ctx)
{
	struct comch_accepted *acc = accepted_of(ctx);
	struct rte_comch_dev *dev = ctx->dev;
	bool posted;

	if (ctx->nb_tasks != 0)
		return;
	rte_spinlock_lock(&dev->lock);
	acc->over = true;
	posted = acc->stop_posted; /* then its event comes by here again */
	rte_spinlock_unlock(&dev->lock);
	if (posted)
		return;
	if (!comch_pe_spare_take(acc->server_pe)) {
		comch_pe_work_add(ctx);
		return;
	}
	comch_pe_detach(ctx);
	rte_spinlock_lock(&dev->lock);
	TAILQ_REMOVE(&dev->ctxs, ctx, next_dev);
	rte_comch_pmd_event_post(acc->server_pe, &acc->gone);
	rte_spinlock_unlock(&dev->lock);
}

static int
accepted_work(struct rte_comch_ctx *ctx)
{
	struct comch_conn *conn = TAILQ_FIRST(&comch_ctrl(ctx)->conns);

	accepted_begin(accepted_of(ctx));
	if (conn == NULL) {
		ctx->state = RTE_COMCH_STATE_STOPPING; /* its last task comes by here, too */
		accepted_try_end(ctx); /* it may be gone now */
		return 1;
	}
	if (conn->ending.pending)
		return 0;
	if (conn->drv.state == RTE_COMCH_CONN_CLOSING)
		comch_conn_finish(conn, conn->reason);
	else if (conn->drv.state == RTE_COMCH_CONN_DOWN)
		comch_conn_reap(conn);
	else
		return 0;
	comch_pe_work_add(ctx);
	return 1;
}

/* The driver ends the connection, and with that the context. */
static int
accepted_dev_down(struct rte_comch_ctx *ctx, int reason)
{
	RTE_SET_USED(ctx);
	RTE_SET_USED(reason);
	return 0;
}

static void
accepted_pgroup_set(struct rte_comch_ctx *ctx)
{
	comch_ctrl(ctx)->drv.pg = ctx->pg;
}

static void
accepted_conn_up(struct comch_conn *conn)
{
	accepted_begin(accepted_of(&conn->ctrl->ctx));
	comch_server_conn_up(conn);
}

static const struct comch_kind accepted_kind = {
	.name = "connection of",
	.type = RTE_COMCH_CTX_SERVER,
	.work = accepted_work,
	.try_idle = comch_pe_work_add, /* there it ends */
	.dev_down = accepted_dev_down,
	.pgroup_set = accepted_pgroup_set,
	.task_submit = comch_conn_task_submit,
	.tasks_submit = comch_conn_tasks_submit,
	.conn_up = accepted_conn_up,
	.conn_lost = comch_server_conn_lost,
	.conn_over = comch_server_conn_over,
};

static void
accepted_stop_handler(struct rte_comch_pmd_event *ev)
{
	struct comch_accepted *acc = container_of(ev, struct comch_accepted, stop);
	struct rte_comch_ctx *ctx = &acc->ctrl.ctx;
	struct comch_conn *conn;

	comch_pe_spare_give(ctx->pe);
	rte_spinlock_lock(&ctx->dev->lock);
	acc->stop_posted = false;
	rte_spinlock_unlock(&ctx->dev->lock);
	conn = TAILQ_FIRST(&acc->ctrl.conns);
	if (conn != NULL && conn->drv.state == RTE_COMCH_CONN_UP) {
		rte_spinlock_lock(&conn->parent.lock);
		conn->drv.state = RTE_COMCH_CONN_CLOSING;
		rte_spinlock_unlock(&conn->parent.lock);
	}
	comch_conns_close(&acc->ctrl);
	comch_pe_work_add(ctx);
}

/*
 * The engine of the server
 */

static void
accepted_gone_handler(struct rte_comch_pmd_event *ev)
{
	struct comch_accepted *acc = container_of(ev, struct comch_accepted, gone);
	struct comch_ctrl *server = acc->server;
	struct rte_comch_dev *dev = server->ctx.dev;

	comch_pe_spare_give(acc->server_pe);
	/* whoever has posted it, and holds the lock, is done with it after this */
	rte_spinlock_lock(&dev->lock);
	rte_spinlock_unlock(&dev->lock);
	TAILQ_REMOVE(&server->accepted, acc, next);
	server->nb_accepted--;
	if (acc->ctrl.refused.nb != 0)
		comch_refused_put(server, &acc->ctrl.refused.list[0]);
	if (acc->ctrl.ctx.lost)
		comch_ctx_keep(&acc->ctrl.ctx);
	else
		free(acc);
	server->ctx.kind->try_idle(&server->ctx);
}

/* Tell those that are to stop and have not been told; false if one has to wait. */
bool
comch_accepted_stop(struct comch_ctrl *server)
{
	struct rte_comch_dev *dev = server->ctx.dev;
	struct comch_accepted *acc;
	bool all = true;

	rte_spinlock_lock(&dev->lock);
	TAILQ_FOREACH(acc, &server->accepted, next) {
		if (!acc->stop_wanted || acc->over)
			continue;
		acc->stop_posted = comch_pe_spare_take(acc->ctrl.ctx.pe);
		if (acc->stop_posted)
			rte_comch_pmd_event_post(acc->ctrl.ctx.pe, &acc->stop);
		acc->stop_wanted = !acc->stop_posted;
		all &= acc->stop_posted;
	}
	rte_spinlock_unlock(&dev->lock);
	return all;
}

/*
 * Lock the connections on other engines, for a stop of their server: the first that has
 * queues, or the one that was found before. The device's lock is held until they are
 * unlocked, so none of them goes away.
 */
struct comch_conn *
comch_accepted_lock(struct comch_ctrl *server, struct comch_conn *busy)
{
	struct comch_accepted *acc;

	TAILQ_FOREACH(acc, &server->accepted, next)
		busy = comch_conns_lock(&acc->ctrl, busy);
	return busy;
}

/* Unlock them; to be stopped: no queue is made on them any more. */
void
comch_accepted_unlock(struct comch_ctrl *server, bool stop)
{
	struct comch_accepted *acc;
	struct comch_conn *conn;

	TAILQ_FOREACH(acc, &server->accepted, next) {
		TAILQ_FOREACH(conn, &acc->ctrl.conns, next) {
			conn->stopping |= stop;
			rte_spinlock_unlock(&conn->parent.lock);
		}
		acc->stop_wanted |= stop;
	}
}

/*
 * Accepting, in the thread of the server
 */

/* Why a client is refused; or 0, and the size of its messages. */
static int
accept_check(const struct comch_ctrl *server, const struct rte_comch_conn_req *req,
		uint32_t *size)
{
	const struct rte_comch_dev_info *info = &server->ctx.dev->info;
	uint32_t mine = server->drv.max_msg_size;

	*size = mine != 0 ? mine : req->max_msg_size;
	if (*size == 0)
		*size = info->dflt_msg_size;
	if (server->ctx.state != RTE_COMCH_STATE_RUNNING)
		return -ECONNREFUSED;
	if (server->nb_conns + server->nb_accepted >= server->max_clients)
		return -ENOSPC;
	if (req->max_msg_size > info->max_msg_size)
		return -EMSGSIZE;
	if (mine != 0 && req->max_msg_size != 0 && mine != req->max_msg_size)
		return -EMSGSIZE;
	return comch_recv_size_check(server, *size);
}

/* A connection, with so many tasks of its engine of its own. */
static int
accept_conn(struct comch_ctrl *ctrl, const struct rte_comch_conn_req *req, uint32_t size,
		uint32_t nb_tasks, struct comch_conn **conn)
{
	int ret = comch_pool_take(&ctrl->ctx.pe->tasks, nb_tasks);

	if (ret == -ENOSPC)
		COMCH_LOG(INFO, "%s: the progress engine of connection %u of '%s' has no %u tasks left for it: raise its max_tasks",
			ctrl->ctx.dev->data->name, ctrl->next_conn_id, ctrl->drv.name, nb_tasks);
	if (ret != 0)
		return ret;
	*conn = comch_conn_alloc(ctrl, req, size);
	if (*conn == NULL) {
		comch_pool_give(&ctrl->ctx.pe->tasks, nb_tasks);
		return -ENOMEM;
	}
	(*conn)->nb_own = nb_tasks;
	return 0;
}

/* The context of the next connection, which will be on another engine. */
static struct comch_accepted *
accepted_alloc(struct comch_ctrl *server, struct rte_comch_pe *pe)
{
	struct comch_accepted *acc = aligned_alloc(__alignof__(*acc), sizeof(*acc));

	if (acc == NULL)
		return NULL;
	memset(acc, 0, sizeof(*acc));
	comch_ctx_init(&acc->ctrl.ctx, server->ctx.dev, &accepted_kind);
	TAILQ_INIT(&acc->ctrl.conns);
	TAILQ_INIT(&acc->ctrl.accepted);
	acc->ctrl.ctx.pe = pe;
	acc->ctrl.ctx.state = RTE_COMCH_STATE_RUNNING;
	acc->ctrl.ctx.user_data = server->ctx.user_data;
	acc->ctrl.drv = server->drv;
	acc->ctrl.drv.priv = NULL;
	acc->ctrl.shown = &server->ctx; /* it is there as long as this is */
	acc->ctrl.send_cb = server->send_cb;
	comch_recv_conf_set(&acc->ctrl, &server->conf.server.ctrl);
	acc->ctrl.consumer_new_cb = server->consumer_new_cb;
	acc->ctrl.consumer_gone_cb = server->consumer_gone_cb;
	acc->ctrl.connect_cb = server->connect_cb;
	acc->ctrl.disconnect_cb = server->disconnect_cb;
	acc->ctrl.refused.cb = server->refused.cb; /* called by the server */
	acc->ctrl.next_conn_id = server->next_conn_id;
	/* all are its own: what it may have where it shares with others */
	acc->ctrl.max_conn_tasks = RTE_MIN(server->max_conn_tasks, server->ctx.max_tasks + 1);
	acc->server = server;
	acc->server_pe = server->ctx.pe;
	acc->stop.handler = accepted_stop_handler;
	acc->gone.handler = accepted_gone_handler;
	return acc;
}

static int
accept_there(struct comch_ctrl *server, struct rte_comch_pe *pe,
		const struct rte_comch_conn_req *req, uint32_t size, struct comch_conn **conn)
{
	struct rte_comch_dev *dev = server->ctx.dev;
	struct comch_accepted *acc;
	int ret;

	acc = accepted_alloc(server, pe);
	if (acc == NULL)
		return -ENOMEM;
	ret = accept_conn(&acc->ctrl, req, size, acc->ctrl.max_conn_tasks, conn);
	if (ret != 0)
		goto fail;
	acc->ctrl.ctx.pg = acc->ctrl.drv.pg = comch_pe_pgroup_find(pe, dev);
	if (acc->ctrl.drv.pg == NULL) {
		COMCH_LOG(ERR, "%s: is not on the engine that a client of '%s' is accepted onto, add it with rte_comch_pe_dev_add()",
			dev->data->name, server->drv.name);
		comch_pool_give(&pe->tasks, (*conn)->nb_own);
		free(*conn);
		ret = -ENOLINK;
		goto fail;
	}
	server->next_conn_id++;
	TAILQ_INSERT_TAIL(&server->accepted, acc, next);
	server->nb_accepted++;
	rte_spinlock_lock(&dev->lock);
	TAILQ_INSERT_TAIL(&dev->ctxs, &acc->ctrl.ctx, next_dev);
	rte_spinlock_unlock(&dev->lock);
	return 0;
fail:
	free(acc);
	return ret;
}

/* What the application makes of a client; NULL: the server's own engine. */
static struct rte_comch_pe *
accept_engine(struct comch_ctrl *server, const struct rte_comch_conn_req *req, uint32_t size)
{
	struct rte_comch_conn_info info = {
		.id = server->next_conn_id,
		.max_msg_size = size,
		.ctx = &server->ctx,
	};
	struct rte_comch_pe *pe;

	comch_conn_info_req(&info, req);
	strlcpy(info.server, server->drv.name, sizeof(info.server));
	server->ctx.in_callback++;
	pe = server->engine_cb(&info, server->ctx.user_data);
	server->ctx.in_callback--;
	return pe == server->ctx.pe ? NULL : pe;
}

int
rte_comch_pmd_conn_accept(struct rte_comch_ctrl *drv, const struct rte_comch_conn_req *req,
		struct rte_comch_conn **out)
{
	struct comch_ctrl *server = comch_ctrl_of_drv(drv);
	struct rte_comch_pe *pe = NULL;
	struct comch_conn *conn;
	uint32_t size;
	int ret;

	ret = accept_check(server, req, &size);
	if (ret == 0 && server->engine_cb != NULL) {
		pe = accept_engine(server, req, size);
		ret = accept_check(server, req, &size); /* it may have stopped the server */
	}
	if (ret == 0)
		ret = pe == NULL ? accept_conn(server, req, size, 1, &conn) :
			accept_there(server, pe, req, size, &conn);
	if (ret != 0)
		rte_comch_pmd_conn_refused(drv, req, ret);
	else
		*out = &conn->drv;
	return ret;
}
