/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Connections: how they begin and end, what is sent through them, and what
 * applications can ask about them. Which clients a server accepts is in
 * rte_comch_accept.c, and reception in rte_comch_recv.c.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_string_fns.h>

#include "comch_private.h"
#include "rte_comch_trace.h"

/* Whether queues can be made on a connection, or started. */
static int
conn_usable(const struct comch_parent *parent)
{
	const struct comch_conn *conn = container_of((struct comch_parent *)(uintptr_t)parent,
			struct comch_conn, parent);

	return conn->drv.state == RTE_COMCH_CONN_UP && !conn->stopping ? 0 : -ENOTCONN;
}

static void
conn_free(struct comch_parent *parent)
{
	free(container_of(parent, struct comch_conn, parent));
}

static const struct comch_parent_kind conn_parent_kind = {
	.consumer = &comch_consumer_kind,
	.lost = -ECONNRESET,
	.usable = conn_usable,
	.free = conn_free,
};

struct comch_conn *
comch_conn_alloc(struct comch_ctrl *ctrl, const struct rte_comch_conn_req *req, uint32_t msg_size)
{
	struct rte_comch_dev *dev = ctrl->ctx.dev;
	uint32_t consumers = dev->info.max_consumers, producers = dev->info.max_producers;
	size_t words = comch_parent_words(consumers, producers);
	size_t head = RTE_ALIGN_CEIL(sizeof(struct comch_conn), 8);
	struct comch_conn *conn;

	/* one allocation, so that nothing of a connection can fail half way */
	conn = calloc(1, head + words * sizeof(uint64_t) + dev->conn_priv_size);
	if (conn == NULL)
		return NULL;
	comch_parent_init(&conn->parent, &conn_parent_kind, dev, consumers, producers,
			RTE_PTR_ADD(conn, head));
	conn->parent.conn = &conn->drv;
	conn->parent.max_imm_len = dev->info.max_imm_len;
	if (dev->conn_priv_size != 0)
		conn->drv.priv = RTE_PTR_ADD(conn, head + words * sizeof(uint64_t));
	conn->ctrl = ctrl;
	conn->drv.ctrl = &ctrl->drv;
	conn->ctx = ctrl->shown;
	conn->is_client = ctrl->ctx.kind->type == RTE_COMCH_CTX_CLIENT;
	strlcpy(conn->server, ctrl->drv.name, sizeof(conn->server));
	conn->drv.state = RTE_COMCH_CONN_OPENING;
	conn->drv.max_msg_size = msg_size;
	conn->drv.rx_copied = ctrl->recv_pool != NULL;
	conn->drv.peer = *req;
	STAILQ_INIT(&conn->in_flight);
	STAILQ_INIT(&conn->pending);
	TAILQ_INIT(&conn->asks);

	rte_spinlock_lock(&dev->lock);
	conn->drv.id = ctrl->next_conn_id++;
	TAILQ_INSERT_TAIL(&ctrl->conns, conn, next);
	ctrl->nb_conns++;
	rte_spinlock_unlock(&dev->lock);
	return conn;
}

/* Add what a connection has carried, under the lock of its device. */
void
comch_conn_total(struct rte_comch_totals *totals, const struct comch_conn *conn)
{
	/* relaxed: its thread counts meanwhile */
	totals->conns.tx_msgs += __atomic_load_n(&conn->stats.tx_msgs, __ATOMIC_RELAXED);
	totals->conns.tx_bytes += __atomic_load_n(&conn->stats.tx_bytes, __ATOMIC_RELAXED);
	totals->conns.rx_msgs += __atomic_load_n(&conn->stats.rx_msgs, __ATOMIC_RELAXED);
	totals->conns.rx_bytes += __atomic_load_n(&conn->stats.rx_bytes, __ATOMIC_RELAXED);
	totals->conns.rx_no_mbuf += __atomic_load_n(&conn->stats.rx_no_mbuf, __ATOMIC_RELAXED);
}

static void
conn_unlink(struct comch_conn *conn)
{
	struct comch_ctrl *ctrl = conn->ctrl;

	comch_pe_retry_del(conn);
	rte_spinlock_lock(&ctrl->ctx.dev->lock);
	TAILQ_REMOVE(&ctrl->conns, conn, next);
	ctrl->nb_conns--;
	comch_conn_total(&ctrl->ctx.dev->past, conn);
	rte_spinlock_unlock(&ctrl->ctx.dev->lock);
}

/*
 * Take a connection that is DOWN from its context. A driver may have it on its
 * stack, so it is freed at the end of progress, or by its last task.
 */
void
comch_conn_reap(struct comch_conn *conn)
{
	struct rte_comch_pe *pe = conn->ctrl->ctx.pe;

	conn_unlink(conn);
	/* who has a reference must not get at a context that may be destroyed now */
	rte_spinlock_lock(&conn->parent.lock);
	conn->drv.ctrl = NULL;
	conn->ctrl = NULL;
	/* relaxed: rte_comch_conn_info_get() does not follow it */
	__atomic_store_n(&conn->ctx, NULL, __ATOMIC_RELAXED);
	rte_spinlock_unlock(&conn->parent.lock);
	conn->reaped = true;
	if (conn->nb_tasks == 0)
		comch_pe_reap_add(pe, conn);
}

int
rte_comch_conn_ref(struct rte_comch_conn *handle)
{
	struct comch_conn *conn = comch_conn(handle);

	if (handle == NULL)
		return -EINVAL;
	/* relaxed: the caller's own right to the connection keeps the device until here */
	__atomic_fetch_add(&conn->parent.dev->nb_conn_refs, 1, __ATOMIC_RELAXED);
	rte_spinlock_lock(&conn->parent.lock);
	conn->user_refs++;
	conn->parent.refs++;
	rte_spinlock_unlock(&conn->parent.lock);
	return 0;
}

int
rte_comch_conn_unref(struct rte_comch_conn *handle)
{
	struct comch_conn *conn = comch_conn(handle);
	struct rte_comch_dev *dev;
	bool held;

	if (handle == NULL)
		return 0;
	dev = conn->parent.dev;
	rte_spinlock_lock(&conn->parent.lock);
	held = conn->user_refs != 0;
	conn->user_refs -= held;
	rte_spinlock_unlock(&conn->parent.lock);
	if (!held) {
		COMCH_LOG(ERR, "%s: connection %u has no reference to drop, take one for each drop",
			dev->data->name, handle->id);
		return -EALREADY;
	}
	comch_parent_put(&conn->parent);
	/* release: pairs with the acquire in rte_comch_pmd_hide(), then the device may go */
	__atomic_fetch_sub(&dev->nb_conn_refs, 1, __ATOMIC_RELEASE);
	return 0;
}

/* The driver has told that it is done with a connection. */
static void
conn_closed(struct rte_comch_pmd_ending *ending)
{
	struct comch_conn *conn = container_of(ending, struct comch_conn, ending);

	if (ending->lost) {
		rte_spinlock_lock(&conn->parent.lock);
		conn->parent.refs++; /* the driver's, for good */
		rte_spinlock_unlock(&conn->parent.lock);
		rte_comch_pmd_count(&conn->parent.dev->data->stats.retained);
		conn->ctrl->ctx.lost = true; /* the driver may look at it, too */
	}
	comch_pe_work_add(&conn->ctrl->ctx);
}

void
comch_conn_busy_log(const struct comch_ctrl *ctrl, uint32_t id, uint32_t consumers,
		uint32_t producers)
{
	COMCH_LOG(ERR, "%s: '%s' has %u consumers and %u producers on connection %u, destroy them first",
		ctrl->ctx.dev->data->name, ctrl->drv.name, consumers, producers, id);
}

/*
 * Lock the connections of a context: the first that has queues, or the one that was
 * found before. The device's lock is held.
 */
struct comch_conn *
comch_conns_lock(struct comch_ctrl *ctrl, struct comch_conn *busy)
{
	struct comch_conn *conn;

	TAILQ_FOREACH(conn, &ctrl->conns, next) {
		rte_spinlock_lock(&conn->parent.lock);
		if (busy == NULL && conn->parent.consumers.nb + conn->parent.producers.nb != 0)
			busy = conn;
	}
	return busy;
}

/*
 * Tell the driver and the peer that this side ends a connection. The callbacks of
 * one that is CLOSING are for progress; the application has never learned of one
 * that is OPENING.
 */
void
comch_conn_close(struct comch_conn *conn, int reason)
{
	struct rte_comch_ctx *ctx = &conn->ctrl->ctx;
	bool opening = conn->drv.state == RTE_COMCH_CONN_OPENING;
	bool ended;

	comch_consumer_conn_down(conn); /* the driver answers no more */
	comch_ending_begin(&conn->ending, ctx->dev, ctx->pe, conn_closed);
	ended = comch_ending_settle(&conn->ending,
			ctx->dev->ops->conn_close(&conn->drv, reason, &conn->ending));
	conn->reason = -ECANCELED;
	if (!opening) {
		rte_comch_pmd_count(&ctx->dev->data->stats.disconnects);
		return;
	}
	conn->drv.state = RTE_COMCH_CONN_DOWN;
	if (ended)
		comch_conn_reap(conn);
}

/*
 * End what the context has in hand: what is OPENING or was just marked. The
 * callbacks of it are for progress.
 */
void
comch_conns_close(struct comch_ctrl *ctrl)
{
	struct comch_conn *conn, *next;

	for (conn = TAILQ_FIRST(&ctrl->conns); conn != NULL; conn = next) {
		next = TAILQ_NEXT(conn, next);
		if (conn->drv.state == RTE_COMCH_CONN_OPENING)
			comch_conn_close(conn, -ECONNREFUSED);
		else if (conn->drv.state == RTE_COMCH_CONN_CLOSING && conn->reason == 0)
			comch_conn_close(conn, -ESHUTDOWN); /* no reason: not told before */
	}
}

int
rte_comch_pmd_conn_open(struct rte_comch_ctrl *client,
		const struct rte_comch_conn_req *req, struct rte_comch_conn **out)
{
	struct comch_ctrl *ctrl = comch_ctrl_of_drv(client);
	uint32_t mine = client->max_msg_size;
	struct comch_conn *conn;
	int ret;

	if (req->max_msg_size == 0 || req->max_msg_size > client->dev->info.max_msg_size ||
			(mine != 0 && mine != req->max_msg_size))
		return -EPROTO;
	ret = comch_recv_size_check(ctrl, req->max_msg_size);
	if (ret != 0)
		return ret;
	conn = comch_conn_alloc(ctrl, req, req->max_msg_size);
	if (conn == NULL)
		return -ENOMEM;
	*out = &conn->drv;
	return 0;
}

/* What the kinds of servers make of their connections. */

void
comch_server_conn_up(struct comch_conn *conn)
{
	struct rte_comch_ctx *ctx = &conn->ctrl->ctx;

	ctx->in_callback++;
	conn->ctrl->connect_cb(&conn->drv, 0, ctx->user_data);
	ctx->in_callback--;
}

int
comch_server_conn_lost(struct comch_conn *conn, int reason)
{
	RTE_SET_USED(conn);
	return reason == -ESHUTDOWN ? 0 : reason;
}

void
comch_server_conn_over(struct comch_conn *conn, int status)
{
	struct rte_comch_ctx *ctx = &conn->ctrl->ctx;

	ctx->in_callback++;
	conn->ctrl->disconnect_cb(&conn->drv, status, ctx->user_data);
	ctx->in_callback--;
	comch_conn_reap(conn);
}

void
rte_comch_pmd_conn_up(struct rte_comch_conn *drv)
{
	struct comch_conn *conn = comch_conn(drv);
	struct rte_comch_ctx *ctx = &conn->ctrl->ctx;

	drv->state = RTE_COMCH_CONN_UP;
	conn->was_up = true;
	rte_comch_pmd_count(&ctx->dev->data->stats.connects);
	rte_comch_trace_conn_up(drv, drv->id, drv->peer.peer_pid);
	ctx->kind->conn_up(conn);
}

static void
task_end(struct rte_comch_task *task, int status)
{
	struct rte_comch_ctx *ctx = task->ctx;

	task->submitted = false;
	ctx->in_callback++;
	comch_ctrl(ctx)->send_cb(task, status, ctx->user_data);
	ctx->in_callback--;
}

/* The oldest task in flight, whose message the peer has. */
static inline void
task_delivered(struct comch_conn *conn, struct rte_comch_task *task)
{
	STAILQ_REMOVE_HEAD(&conn->in_flight, next);
	conn->nb_in_flight--;
	conn->stats.tx_msgs++;
	conn->stats.tx_bytes += task->len;
	task_end(task, 0);
}

/*
 * End all tasks of a connection, in the order of their submission: those that the
 * driver has said to be delivered since this side closed it, and the others.
 */
static void
conn_flush(struct comch_conn *conn, int status)
{
	struct rte_comch_task *task;

	while (conn->drv.delivered && (task = STAILQ_FIRST(&conn->in_flight)) != NULL &&
			(int32_t)(conn->drv.delivered_seq - task->seq) >= 0)
		task_delivered(conn, task);
	STAILQ_CONCAT(&conn->in_flight, &conn->pending);
	while ((task = STAILQ_FIRST(&conn->in_flight)) != NULL) {
		STAILQ_REMOVE_HEAD(&conn->in_flight, next);
		conn->nb_in_flight--;
		task_end(task, status);
	}
}

/* The end of a connection that was up, whoever ended it: tasks, queues, its context. */
void
comch_conn_finish(struct comch_conn *conn, int status)
{
	rte_comch_trace_conn_down(&conn->drv, conn->drv.id, status);
	rte_spinlock_lock(&conn->parent.lock);
	conn->drv.state = RTE_COMCH_CONN_DOWN;
	rte_spinlock_unlock(&conn->parent.lock);
	comch_pe_retry_del(conn);
	comch_recv_end(conn);
	conn_flush(conn, status == -ECANCELED ? -ECANCELED : -ECONNRESET);
	comch_consumer_conn_down(conn);
	comch_parent_down(&conn->parent);
	if (conn->ctrl->ctx.kind->conn_over != NULL)
		conn->ctrl->ctx.kind->conn_over(conn, status);
}

void
rte_comch_pmd_conn_down(struct rte_comch_conn *drv, int reason)
{
	struct comch_conn *conn = comch_conn(drv);
	struct comch_ctrl *ctrl = conn->ctrl;
	struct rte_comch_dev_stats *stats = &ctrl->ctx.dev->data->stats;

	if (drv->state == RTE_COMCH_CONN_OPENING) {
		drv->state = RTE_COMCH_CONN_DOWN;
		comch_refused_add(ctrl, &drv->peer, reason); /* clients have no such callback */
		comch_conn_reap(conn);
	} else {
		if (reason == -ECONNRESET || reason == -ETIMEDOUT)
			rte_comch_pmd_count(&stats->peer_lost);
		else if (reason != -EPROTO)
			rte_comch_pmd_count(&stats->disconnects);
		comch_conn_finish(conn, ctrl->ctx.kind->conn_lost(conn, reason));
	}
	ctrl->ctx.kind->try_idle(&ctrl->ctx); /* it may be the last that a stop waits for */
}

int
rte_comch_server_disconnect(struct rte_comch_conn *handle)
{
	struct comch_conn *conn = comch_conn(handle);
	uint32_t consumers, producers;
	bool up;

	if (handle == NULL)
		return -EINVAL;
	if (conn->ctrl == NULL)
		return -EALREADY; /* only a reference keeps it */
	if (conn->is_client)
		return -EINVAL;
	/* under one lock, so that no other thread makes a queue on it in between */
	rte_spinlock_lock(&conn->parent.lock);
	consumers = conn->parent.consumers.nb;
	producers = conn->parent.producers.nb;
	up = handle->state == RTE_COMCH_CONN_UP;
	if (up && consumers + producers == 0)
		handle->state = RTE_COMCH_CONN_CLOSING;
	rte_spinlock_unlock(&conn->parent.lock);
	if (!up)
		return -EALREADY;
	if (consumers + producers != 0) {
		comch_conn_busy_log(conn->ctrl, handle->id, consumers, producers);
		return -EBUSY;
	}
	comch_conn_close(conn, -ESHUTDOWN);
	comch_pe_work_add(&conn->ctrl->ctx);
	return 0;
}

int
rte_comch_pmd_send_done(struct rte_comch_conn *drv, uint32_t seq)
{
	struct comch_conn *conn = comch_conn(drv);
	struct rte_comch_task *task;
	int nb = 0;

	while ((task = STAILQ_FIRST(&conn->in_flight)) != NULL &&
			(int32_t)(seq - task->seq) >= 0) {
		task_delivered(conn, task);
		nb++;
		if (unlikely(drv->state != RTE_COMCH_CONN_UP))
			break;
	}
	return nb;
}

/* Give the driver what waits, as much as there is room for; how many. */
static int
conn_pending_give(struct comch_conn *conn)
{
	const struct rte_comch_dev_ops *ops = conn->ctrl->ctx.dev->ops;
	struct rte_comch_task *task;
	int nb = 0;

	conn->later = false;
	while (conn->drv.state == RTE_COMCH_CONN_UP &&
			(task = STAILQ_FIRST(&conn->pending)) != NULL) {
		if (ops->conn_send(&conn->drv, task->msg, task->len,
				STAILQ_NEXT(task, next) != NULL, &task->seq) != 0)
			break;
		STAILQ_REMOVE_HEAD(&conn->pending, next);
		STAILQ_INSERT_TAIL(&conn->in_flight, task, next);
		nb++;
	}
	return nb;
}

/*
 * In progress, for a connection that had to wait for room or for mbufs, or has not
 * been tried.
 */
int
comch_conn_retry(struct comch_conn *conn)
{
	int nb = conn_pending_give(conn);

	if (conn->recv_wait != 0 && conn->drv.state == RTE_COMCH_CONN_UP)
		nb += comch_recv_retry(conn);
	if (conn->drv.state == RTE_COMCH_CONN_UP &&
			(!STAILQ_EMPTY(&conn->pending) || conn->recv_wait != 0))
		comch_pe_retry_add(conn);
	return nb;
}

/* Before a sleep: then only those wait that the driver has no room for. */
void
comch_conn_later_flush(struct rte_comch_pe *pe)
{
	struct comch_conn *conn;

	TAILQ_FOREACH(conn, &pe->retry, retry)
		if (conn->later)
			conn_pending_give(conn);
}

/* Whether a task of this connection is taken at all. */
static int
conn_task_check(const struct rte_comch_task *task)
{
	if (unlikely(task->conn->drv.state != RTE_COMCH_CONN_UP))
		return -ENOTCONN;
	if (unlikely(task->ctx->state != RTE_COMCH_STATE_RUNNING))
		return -EBUSY;
	return 0;
}

/* It waits, for room or for a flush. */
static void
conn_task_wait(struct comch_conn *conn, struct rte_comch_task *task)
{
	task->submitted = true;
	STAILQ_INSERT_TAIL(&conn->pending, task, next);
	conn->nb_in_flight++;
	comch_pe_retry_add(conn);
	comch_pe_touch(task->ctx->pe);
}

/* With more set, another of the same connection follows at once. */
static int
conn_task_give(struct comch_conn *conn, struct rte_comch_task *task, bool more)
{
	struct rte_comch_ctx *ctx = task->ctx;
	int ret;

	rte_comch_trace_task_submit(task, task->len);
	if (unlikely(conn->later))
		conn_pending_give(conn);
	/* those that wait came first */
	if (likely(STAILQ_EMPTY(&conn->pending))) {
		ret = ctx->dev->ops->conn_send(&conn->drv, task->msg, task->len, more,
				&task->seq);
		if (likely(ret == 0)) {
			task->submitted = true;
			STAILQ_INSERT_TAIL(&conn->in_flight, task, next);
			conn->nb_in_flight++;
			comch_pe_touch(ctx->pe);
			return 0;
		}
		if (ret != -EAGAIN)
			return ret;
	}
	conn_task_wait(conn, task);
	return 0;
}

int
comch_conn_task_submit(struct rte_comch_task *task)
{
	int ret = conn_task_check(task);

	return unlikely(ret != 0) ? ret : conn_task_give(task->conn, task, false);
}

uint16_t
comch_conn_tasks_submit(struct rte_comch_task **tasks, uint16_t nb, bool later, int *reason)
{
	struct comch_conn *conn;
	uint16_t i;
	int ret;

	for (i = 0; i < nb; i++) {
		conn = tasks[i]->conn;
		ret = conn_task_check(tasks[i]);
		if (ret == 0 && later) {
			rte_comch_trace_task_submit(tasks[i], tasks[i]->len);
			conn_task_wait(conn, tasks[i]);
			conn->later = true;
		} else if (ret == 0) {
			ret = conn_task_give(conn, tasks[i],
					i + 1 < nb && tasks[i + 1]->conn == conn);
		}
		if (ret != 0) {
			*reason = ret;
			break;
		}
	}
	return i;
}

/* What is known of a client from its request on. */
void
comch_conn_info_req(struct rte_comch_conn_info *info, const struct rte_comch_conn_req *req)
{
	strlcpy(info->function, req->function, sizeof(info->function));
	info->version = req->version;
	info->peer_pid = req->peer_pid;
	info->peer_uid = req->peer_uid;
}

int
rte_comch_conn_info_get(const struct rte_comch_conn *handle, struct rte_comch_conn_info *info)
{
	struct comch_conn *conn = comch_conn(handle);

	if (handle == NULL || info == NULL)
		return -EINVAL;
	memset(info, 0, sizeof(*info));
	info->id = handle->id;
	comch_conn_info_req(info, &handle->peer);
	strlcpy(info->server, conn->server, sizeof(info->server));
	info->max_msg_size = handle->max_msg_size;
	rte_spinlock_lock(&conn->parent.lock);
	info->connected = handle->state == RTE_COMCH_CONN_UP;
	info->nb_local_consumers = conn->parent.consumers.nb;
	info->nb_local_producers = conn->parent.producers.nb;
	rte_spinlock_unlock(&conn->parent.lock);
	/* relaxed: a number, it orders nothing */
	info->nb_remote_consumers = __atomic_load_n(&conn->nb_remote_consumers,
			__ATOMIC_RELAXED);
	info->recv_held = __atomic_load_n(&conn->recv_held, __ATOMIC_RELAXED);
	/* relaxed: it is not followed here */
	info->ctx = __atomic_load_n(&conn->ctx, __ATOMIC_RELAXED);
	return 0;
}

int
rte_comch_conn_consumer_info_get(struct rte_comch_conn *handle, uint32_t consumer_id,
		struct rte_comch_remote_consumer_info *info)
{
	struct rte_comch_remote_consumer_info got = { 0 };
	struct comch_conn *conn = comch_conn(handle);
	struct rte_comch_dev *dev;
	bool up;
	int ret;

	if (handle == NULL || info == NULL)
		return -EINVAL;
	dev = conn->parent.dev;
	rte_spinlock_lock(&conn->parent.lock);
	up = handle->state == RTE_COMCH_CONN_UP;
	rte_spinlock_unlock(&conn->parent.lock);
	if (!up)
		return -ENOTCONN;
	if ((dev->info.capa & RTE_COMCH_CAPA_PRODUCER) == 0)
		return -ENOTSUP;
	/* it may end any time: the driver looks at what it has of it */
	ret = dev->ops->conn_consumer_info(dev, handle, consumer_id, &got);
	if (ret == 0)
		*info = got;
	return ret;
}

int
rte_comch_conn_stats_get(const struct rte_comch_conn *handle, struct rte_comch_conn_stats *stats)
{
	const struct comch_conn *conn = comch_conn(handle);
	const struct rte_comch_dev_ops *ops;

	if (handle == NULL || stats == NULL)
		return -EINVAL;
	ops = conn->parent.dev->ops;
	*stats = conn->stats;
	stats->rx_dropped = handle->rx_dropped;
	stats->tx_in_flight = conn->nb_in_flight;
	if (ops->conn_rx_count != NULL && handle->state == RTE_COMCH_CONN_UP)
		stats->rx_in_flight = ops->conn_rx_count(handle);
	return 0;
}

int
rte_comch_conn_user_data_set(struct rte_comch_conn *conn, void *user_data)
{
	if (conn == NULL)
		return -EINVAL;
	/* release: pairs with the acquire in rte_comch_conn_user_data_get() */
	__atomic_store_n(&comch_conn(conn)->user_data, user_data, __ATOMIC_RELEASE);
	return 0;
}

void *
rte_comch_conn_user_data_get(const struct rte_comch_conn *conn)
{
	if (conn == NULL)
		return NULL;
	/* acquire: who gets the pointer sees what it points to */
	return __atomic_load_n(&comch_conn(conn)->user_data, __ATOMIC_ACQUIRE);
}
