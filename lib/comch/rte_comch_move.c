/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Connections that a server hands to the engines of other lcores: how one leaves,
 * arrives, and ends there, and how the server stops meanwhile.
 *
 * A connection that has moved has a context of its own, which applications do not see.
 * It has what callbacks and tasks need of the server, copied, so that nothing of the
 * server is read or written in the thread of the other engine. The two threads tell
 * each other three things, by events that are parts of that context:
 *
 *   arrive   old to new   the connection is the new engine's
 *   stop     old to new   the server stops
 *   gone     new to old   all is over, and the context is the old engine's to free
 *
 * The device's lock is between the two: who posts holds it until the other engine is
 * awake, and who gets an event takes it first. So an engine that has let go of the
 * context, and is destroyed, is looked at by nobody.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "comch_private.h"

/* The context of one connection that has moved. */
struct comch_moved {
	struct comch_ctrl ctrl;    /* first; of the new engine, from arrive to gone */
	struct comch_ctrl *server; /* only the pointer is for both threads */
	struct rte_comch_pe *server_pe;
	rte_comch_conn_cb_t moved_cb;
	uint32_t budget;           /* tasks promised by the new engine */
	TAILQ_ENTRY(comch_moved) next; /* of the server, in its thread */

	/* under the device's lock, as is the list of the one connection */
	bool stop_wanted; /* has to be posted */
	bool stop_posted; /* is under way */
	bool over;        /* nothing is posted to the new engine any more */
	struct rte_comch_pmd_event arrive;
	struct rte_comch_pmd_event stop;
	struct rte_comch_pmd_event gone;
};

static struct comch_moved *
moved_of(struct rte_comch_ctx *ctx)
{
	return container_of(comch_ctrl(ctx), struct comch_moved, ctrl);
}

/* Post an event to an engine that may go away when it has handled it. */
static int
moved_post_locked(struct comch_moved *moved, struct rte_comch_pe *pe,
		struct rte_comch_pmd_event *ev)
{
	if (rte_comch_pmd_event_post(pe, ev) == 0)
		return 0;
	/* it was not busy a moment ago: see COMCH_PE_MAILBOX_SIZE */
	COMCH_LOG(ERR, "%s: the mailbox of the engine to move to is full, progress that engine",
		moved->ctrl.ctx.dev->data->name);
	return -EAGAIN;
}

/* Whoever has posted the event, and holds the lock, is done with it after this. */
static void
moved_lock_pass(const struct comch_moved *moved)
{
	rte_spinlock_lock(&moved->ctrl.ctx.dev->lock);
	rte_spinlock_unlock(&moved->ctrl.ctx.dev->lock);
}

/*
 * The new engine
 */

/*
 * When all is over, the context is the server's thread's again. In progress, and behind
 * all drivers: its poll group may go.
 */
static void
moved_try_end(struct rte_comch_ctx *ctx)
{
	struct comch_moved *moved = moved_of(ctx);
	struct rte_comch_dev *dev = ctx->dev;
	bool posted;

	if (ctx->state != RTE_COMCH_STATE_STOPPING || ctx->nb_tasks != 0)
		return;
	if (comch_pe_mailbox_busy(moved->server_pe)) {
		comch_pe_work_add(ctx);
		return;
	}
	rte_spinlock_lock(&dev->lock);
	moved->over = true;
	posted = moved->stop_posted; /* then its event comes by here again */
	rte_spinlock_unlock(&dev->lock);
	if (posted)
		return;
	comch_pe_detach(ctx);
	rte_spinlock_lock(&dev->lock);
	TAILQ_REMOVE(&dev->ctxs, ctx, next_dev);
	moved_post_locked(moved, moved->server_pe, &moved->gone);
	rte_spinlock_unlock(&dev->lock);
}

static int
moved_work(struct rte_comch_ctx *ctx)
{
	struct comch_conn *conn = TAILQ_FIRST(&comch_ctrl(ctx)->conns);

	if (conn == NULL) {
		moved_try_end(ctx); /* it may be gone now */
		return 1;
	}
	if (conn->drv.state != RTE_COMCH_CONN_CLOSING || conn->ending.pending)
		return 0;
	comch_conn_finish(conn, conn->reason);
	return 1;
}

static int
moved_conn_lost(struct comch_conn *conn, int reason)
{
	RTE_SET_USED(conn);
	return reason == -ESHUTDOWN ? 0 : reason;
}

static void
moved_conn_over(struct comch_conn *conn, int status)
{
	struct rte_comch_ctx *ctx = &conn->ctrl->ctx;

	ctx->in_callback++;
	conn->ctrl->disconnect_cb(&conn->drv, status, ctx->user_data);
	ctx->in_callback--;
	comch_conn_reap(conn);
	ctx->state = RTE_COMCH_STATE_STOPPING;
	comch_pe_work_add(ctx);
}

/* The driver ends the connection, and with that the context. */
static int
moved_dev_down(struct rte_comch_ctx *ctx, int reason)
{
	RTE_SET_USED(ctx);
	RTE_SET_USED(reason);
	return 0;
}

static void
moved_pgroup_set(struct rte_comch_ctx *ctx)
{
	comch_ctrl(ctx)->drv.pg = ctx->pg;
}

static const struct comch_kind moved_kind = {
	.name = "moved connection of",
	.type = RTE_COMCH_CTX_SERVER,
	.work = moved_work,
	.try_idle = comch_pe_work_add, /* there it ends */
	.dev_down = moved_dev_down,
	.pgroup_set = moved_pgroup_set,
	.task_submit = comch_conn_task_submit,
	.tasks_submit = comch_conn_tasks_submit,
	.conn_lost = moved_conn_lost,
	.conn_over = moved_conn_over,
};

static void
moved_arrive_handler(struct rte_comch_pmd_event *ev)
{
	struct comch_moved *moved = container_of(ev, struct comch_moved, arrive);
	struct rte_comch_ctx *ctx = &moved->ctrl.ctx;
	struct comch_conn *conn;

	moved_lock_pass(moved);
	comch_pe_ctx_add(ctx);
	conn = TAILQ_FIRST(&moved->ctrl.conns);
	if (conn == NULL) { /* it was ended before it left */
		ctx->state = RTE_COMCH_STATE_STOPPING;
		comch_pe_work_add(ctx);
		return;
	}
	rte_spinlock_lock(&conn->parent.lock);
	conn->drv.state = RTE_COMCH_CONN_UP;
	rte_spinlock_unlock(&conn->parent.lock);
	ctx->dev->ops->conn_arrive(&conn->drv);
	if (conn->drv.state != RTE_COMCH_CONN_UP)
		return; /* lost on its way: it has been told of */
	ctx->in_callback++;
	moved->moved_cb(&conn->drv, 0, ctx->user_data);
	ctx->in_callback--;
}

static void
moved_stop_handler(struct rte_comch_pmd_event *ev)
{
	struct comch_moved *moved = container_of(ev, struct comch_moved, stop);
	struct rte_comch_ctx *ctx = &moved->ctrl.ctx;
	struct comch_conn *conn;

	rte_spinlock_lock(&ctx->dev->lock);
	moved->stop_posted = false;
	rte_spinlock_unlock(&ctx->dev->lock);
	conn = TAILQ_FIRST(&moved->ctrl.conns);
	if (conn != NULL && conn->drv.state == RTE_COMCH_CONN_UP) {
		rte_spinlock_lock(&conn->parent.lock);
		conn->drv.state = RTE_COMCH_CONN_CLOSING;
		rte_spinlock_unlock(&conn->parent.lock);
		comch_conn_close(conn, -ESHUTDOWN);
	}
	comch_pe_work_add(ctx);
}

/*
 * The engine of the server
 */

static void
moved_gone_handler(struct rte_comch_pmd_event *ev)
{
	struct comch_moved *moved = container_of(ev, struct comch_moved, gone);
	struct comch_ctrl *server = moved->server;

	moved_lock_pass(moved);
	TAILQ_REMOVE(&server->moved, moved, next);
	server->nb_moved--;
	if (moved->ctrl.ctx.lost)
		comch_ctx_keep(&moved->ctrl.ctx);
	else
		free(moved);
	server->ctx.kind->try_idle(&server->ctx);
}

/* Tell those that are to stop and have not been told; false if one has to wait. */
bool
comch_moved_stop(struct comch_ctrl *server)
{
	struct rte_comch_dev *dev = server->ctx.dev;
	struct comch_moved *moved;
	bool all = true;

	rte_spinlock_lock(&dev->lock);
	TAILQ_FOREACH(moved, &server->moved, next) {
		if (!moved->stop_wanted || moved->over)
			continue;
		moved->stop_posted = !comch_pe_mailbox_busy(moved->ctrl.ctx.pe);
		if (moved->stop_posted && moved_post_locked(moved, moved->ctrl.ctx.pe,
				&moved->stop) != 0)
			moved->stop_posted = false;
		moved->stop_wanted = !moved->stop_posted;
		all &= moved->stop_posted;
	}
	rte_spinlock_unlock(&dev->lock);
	return all;
}

/*
 * Lock the connections that have moved, for a stop of their server: the first that has
 * queues, or the one that was found before. The device's lock is held until they are
 * unlocked, so none of them goes away.
 */
struct comch_conn *
comch_moved_conns_lock(struct comch_ctrl *server, struct comch_conn *busy)
{
	struct comch_moved *moved;

	TAILQ_FOREACH(moved, &server->moved, next)
		busy = comch_conns_lock(&moved->ctrl, busy);
	return busy;
}

/* Unlock them; to be stopped: no queue is made on them any more. */
void
comch_moved_conns_unlock(struct comch_ctrl *server, bool stop)
{
	struct comch_moved *moved;
	struct comch_conn *conn;

	TAILQ_FOREACH(moved, &server->moved, next) {
		TAILQ_FOREACH(conn, &moved->ctrl.conns, next) {
			conn->stopping |= stop;
			rte_spinlock_unlock(&conn->parent.lock);
		}
		moved->stop_wanted |= stop;
	}
}

/*
 * Leaving
 */

/* The context of a connection that will be on another engine. */
static struct comch_moved *
moved_alloc(struct comch_ctrl *server, struct rte_comch_pe *pe)
{
	struct comch_moved *moved = aligned_alloc(__alignof__(*moved), sizeof(*moved));

	if (moved == NULL)
		return NULL;
	memset(moved, 0, sizeof(*moved));
	comch_ctx_init(&moved->ctrl.ctx, server->ctx.dev, &moved_kind);
	TAILQ_INIT(&moved->ctrl.conns);
	TAILQ_INIT(&moved->ctrl.moved);
	moved->ctrl.ctx.pe = pe;
	moved->ctrl.ctx.state = RTE_COMCH_STATE_RUNNING;
	moved->ctrl.ctx.user_data = server->ctx.user_data;
	moved->ctrl.drv = server->drv;
	moved->ctrl.drv.priv = NULL;
	moved->ctrl.shown = &server->ctx; /* it is there as long as this is */
	moved->ctrl.send_cb = server->send_cb;
	comch_recv_conf_set(&moved->ctrl, &server->conf.server.ctrl);
	moved->ctrl.consumer_new_cb = server->consumer_new_cb;
	moved->ctrl.consumer_gone_cb = server->consumer_gone_cb;
	moved->ctrl.disconnect_cb = server->disconnect_cb;
	moved->moved_cb = server->moved_cb;
	/* all are its own: what it may have where it shares with others */
	moved->budget = RTE_MIN(server->max_conn_tasks, server->ctx.max_tasks + 1);
	moved->ctrl.max_conn_tasks = moved->budget;
	moved->server = server;
	moved->server_pe = server->ctx.pe;
	moved->arrive.handler = moved_arrive_handler;
	moved->stop.handler = moved_stop_handler;
	moved->gone.handler = moved_gone_handler;
	return moved;
}

static int
move_check(const struct comch_conn *conn, const struct rte_comch_pe *pe)
{
	const struct comch_ctrl *server = conn->ctrl;
	const struct rte_comch_dev *dev = conn->parent.dev;

	if (server == NULL || !conn->in_connect_cb) {
		COMCH_LOG(ERR, "%s: connection %u can move in its connect callback only",
			dev->data->name, conn->drv.id);
		return -EPERM;
	}
	if (conn->moved != NULL)
		return -EALREADY;
	if (conn->drv.state != RTE_COMCH_CONN_UP)
		return -ENOTCONN;
	if ((dev->info.capa & RTE_COMCH_CAPA_CONN_MOVE) == 0) {
		COMCH_LOG(ERR, "%s: its driver cannot move connections, serve them where they are",
			dev->data->name);
		return -ENOTSUP;
	}
	if (server->moved_cb == NULL) {
		COMCH_LOG(ERR, "%s: '%s' has no moved_cb, which its connections need to move",
			dev->data->name, server->drv.name);
		return -EINVAL;
	}
	return comch_pe_mailbox_busy(pe) ? -EAGAIN : 0;
}

/* From here on only its own callback has it; false if it has something already. */
static bool
move_mark(struct comch_conn *conn)
{
	bool bare;

	/* under the lock, so that no other thread makes a queue on it in between */
	rte_spinlock_lock(&conn->parent.lock);
	bare = conn->parent.consumers.nb + conn->parent.producers.nb == 0 && conn->nb_tasks == 0;
	if (bare)
		conn->drv.state = RTE_COMCH_CONN_MOVING;
	rte_spinlock_unlock(&conn->parent.lock);
	if (!bare)
		COMCH_LOG(ERR, "%s: connection %u has tasks, consumers or producers: move it first",
			conn->parent.dev->data->name, conn->drv.id);
	return bare;
}

int
rte_comch_conn_move(struct rte_comch_conn *handle, struct rte_comch_pe *pe)
{
	struct comch_conn *conn = comch_conn(handle);
	struct comch_moved *moved;
	int ret;

	if (handle == NULL || pe == NULL || conn->is_client)
		return -EINVAL;
	ret = move_check(conn, pe);
	if (ret != 0)
		return ret;
	moved = moved_alloc(conn->ctrl, pe);
	if (moved == NULL)
		return -ENOMEM;
	ret = comch_pool_take(&pe->tasks, moved->budget);
	if (ret == -ENOSPC)
		COMCH_LOG(ERR, "%s: connection %u needs %u tasks of the engine that it moves to: raise its max_tasks",
			conn->parent.dev->data->name, handle->id, moved->budget);
	if (ret != 0) {
		ret = -ENOMEM;
		goto fail;
	}
	ret = -EBUSY;
	if (!move_mark(conn))
		goto fail_tasks;
	moved->ctrl.ctx.pg = comch_pe_pgroup_find(pe, conn->parent.dev);
	if (moved->ctrl.ctx.pg == NULL) {
		COMCH_LOG(ERR, "%s: is not on the engine that connection %u is to move to, add it with rte_comch_pe_dev_add()",
			conn->parent.dev->data->name, handle->id);
		rte_spinlock_lock(&conn->parent.lock);
		handle->state = RTE_COMCH_CONN_UP;
		rte_spinlock_unlock(&conn->parent.lock);
		ret = -ENOLINK;
		goto fail_tasks;
	}
	moved->ctrl.drv.pg = moved->ctrl.ctx.pg;
	conn->moved = moved;
	return 0;
fail_tasks:
	comch_pool_give(&pe->tasks, moved->budget);
fail:
	free(moved);
	return ret;
}

/* It is the other context's from now on. */
static void
move_relink(struct comch_conn *conn, struct comch_moved *moved)
{
	struct comch_ctrl *server = moved->server;

	comch_pool_give(&server->ctx.pe->tasks, conn->nb_own);
	conn->nb_own = moved->budget;
	TAILQ_REMOVE(&server->conns, conn, next);
	server->nb_conns--;
	TAILQ_INSERT_TAIL(&moved->ctrl.conns, conn, next);
	moved->ctrl.nb_conns++;
	rte_spinlock_lock(&conn->parent.lock);
	conn->ctrl = &moved->ctrl;
	conn->drv.ctrl = &moved->ctrl.drv;
	rte_spinlock_unlock(&conn->parent.lock);
}

/*
 * The connect callback has returned, in which a move was asked for. The server or the
 * connection may have been stopped in it, too: then the other engine gets an empty
 * context, because only in its thread it can be taken from there.
 */
void
comch_conn_move_begin(struct comch_conn *conn)
{
	struct comch_moved *moved = conn->moved;
	struct rte_comch_dev *dev = conn->parent.dev;
	struct comch_ctrl *server = moved->server;
	bool moves = conn->drv.state == RTE_COMCH_CONN_MOVING;

	conn->moved = NULL;
	TAILQ_INSERT_TAIL(&server->moved, moved, next);
	server->nb_moved++;
	if (moves)
		dev->ops->conn_move(&conn->drv, moved->ctrl.ctx.pg);
	else
		comch_pool_give(&moved->ctrl.ctx.pe->tasks, moved->budget);
	rte_spinlock_lock(&dev->lock);
	if (moves)
		move_relink(conn, moved);
	TAILQ_INSERT_TAIL(&dev->ctxs, &moved->ctrl.ctx, next_dev);
	moved_post_locked(moved, moved->ctrl.ctx.pe, &moved->arrive);
	rte_spinlock_unlock(&dev->lock);
}
