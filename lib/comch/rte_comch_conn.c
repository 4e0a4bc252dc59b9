/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Connections: how they begin and end, what goes through them in either
 * direction, and what applications can ask about them.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_string_fns.h>

#include "comch_private.h"
#include "rte_comch_trace.h"

/* Identifiers begin at 1, so there is one bit too many. */
static size_t
id_bitmap_words(uint32_t max_id)
{
	return max_id / 64 + 1;
}

static struct rte_comch_conn *
conn_alloc(struct rte_comch_ctx *ctx, const struct rte_comch_conn_req *req, uint32_t msg_size)
{
	size_t consumers = id_bitmap_words(ctx->dev->info.max_consumers);
	size_t producers = id_bitmap_words(ctx->dev->info.max_producers);
	size_t head = RTE_ALIGN_CEIL(sizeof(struct rte_comch_conn), 8);
	struct rte_comch_conn *conn;

	/* one allocation, so that nothing of a connection can fail half way */
	conn = calloc(1, head + (consumers + producers) * sizeof(uint64_t) +
			ctx->dev->conn_priv_size);
	if (conn == NULL)
		return NULL;
	conn->consumer_ids = RTE_PTR_ADD(conn, head);
	conn->producer_ids = conn->consumer_ids + consumers;
	if (ctx->dev->conn_priv_size != 0)
		conn->priv = conn->producer_ids + producers;
	conn->ctx = ctx;
	conn->state = RTE_COMCH_CONN_OPENING;
	conn->max_msg_size = msg_size;
	conn->peer = *req;
	conn->refs = 1;
	rte_spinlock_init(&conn->lock);
	STAILQ_INIT(&conn->in_flight);
	STAILQ_INIT(&conn->pending);
	TAILQ_INIT(&conn->queues);
	TAILQ_INIT(&conn->asked);

	rte_spinlock_lock(&ctx->dev->lock);
	conn->id = ctx->next_conn_id++;
	TAILQ_INSERT_TAIL(&ctx->conns, conn, next);
	ctx->nb_conns++;
	rte_spinlock_unlock(&ctx->dev->lock);
	return conn;
}

static void
conn_unlink(struct rte_comch_conn *conn)
{
	struct rte_comch_ctx *ctx = conn->ctx;

	comch_pe_retry_del(conn);
	rte_spinlock_lock(&ctx->dev->lock);
	TAILQ_REMOVE(&ctx->conns, conn, next);
	ctx->nb_conns--;
	rte_spinlock_unlock(&ctx->dev->lock);
}

/* The engine's reference, and with it perhaps the connection. */
void
comch_conn_put(struct rte_comch_conn *conn)
{
	bool last;

	rte_spinlock_lock(&conn->lock);
	last = --conn->refs == 0;
	rte_spinlock_unlock(&conn->lock);
	if (last)
		free(conn);
}

/*
 * Take a connection that is DOWN from its context. A driver may have it on its
 * stack, so it is freed at the end of progress, or by its last task.
 */
void
comch_conn_reap(struct rte_comch_conn *conn)
{
	struct rte_comch_pe *pe = conn->ctx->pe;

	conn_unlink(conn);
	conn->reaped = true;
	if (conn->nb_tasks == 0)
		comch_pe_reap_add(pe, conn);
}

int
rte_comch_pmd_conn_accept(struct rte_comch_ctx *server,
		const struct rte_comch_conn_req *req, struct rte_comch_conn **conn)
{
	struct rte_comch_dev *dev = server->dev;
	uint32_t mine = server->conf.max_msg_size;
	uint32_t size;
	int ret = 0;

	if (server->state != RTE_COMCH_STATE_RUNNING)
		ret = -ECONNREFUSED;
	else if (server->nb_conns >= server->max_clients)
		ret = -ENOSPC;
	else if (req->max_msg_size > dev->info.max_msg_size)
		ret = -EMSGSIZE;
	else if (mine != 0 && req->max_msg_size != 0 && mine != req->max_msg_size)
		ret = -EMSGSIZE;
	if (ret == 0) {
		size = mine != 0 ? mine : req->max_msg_size;
		if (size == 0)
			size = dev->info.dflt_msg_size;
		*conn = conn_alloc(server, req, size);
		if (*conn == NULL)
			ret = -ENOMEM;
	}
	if (ret != 0) {
		rte_comch_pmd_count(&dev->data->stats.refused);
		COMCH_LOG(INFO, "%s: '%s' refused process %u of %s: %s", dev->data->name,
			server->name, req->peer_pid, req->function, strerror(-ret));
	}
	return ret;
}

int
rte_comch_pmd_conn_open(struct rte_comch_ctx *client,
		const struct rte_comch_conn_req *req, struct rte_comch_conn **conn)
{
	uint32_t mine = client->conf.max_msg_size;

	if (req->max_msg_size == 0 || req->max_msg_size > client->dev->info.max_msg_size ||
			(mine != 0 && mine != req->max_msg_size))
		return -EPROTO;
	*conn = conn_alloc(client, req, req->max_msg_size);
	return *conn == NULL ? -ENOMEM : 0;
}

void
rte_comch_pmd_conn_up(struct rte_comch_conn *conn)
{
	struct rte_comch_ctx *ctx = conn->ctx;

	conn->state = RTE_COMCH_CONN_UP;
	rte_comch_pmd_count(&ctx->dev->data->stats.connects);
	rte_comch_trace_conn_up(conn, conn->id, conn->peer.peer_pid);
	if (ctx->type == RTE_COMCH_CTX_CLIENT) {
		comch_ctx_state_set(ctx, RTE_COMCH_STATE_RUNNING);
		return;
	}
	ctx->in_callback++;
	ctx->connect_cb(conn, 0, ctx->conf.user_data);
	ctx->in_callback--;
}

void
rte_comch_pmd_conn_abort(struct rte_comch_conn *conn)
{
	conn->state = RTE_COMCH_CONN_DOWN;
	comch_conn_reap(conn);
}

void
comch_conn_busy_log(const struct rte_comch_conn *conn, uint32_t consumers, uint32_t producers)
{
	COMCH_LOG(ERR, "%s: '%s' has %u consumers and %u producers on connection %u, destroy them first",
		conn->ctx->dev->data->name, conn->ctx->name, consumers, producers, conn->id);
}

/* Tell the peer that this side ends a connection, which is CLOSING, and count it. */
void
comch_conn_close(struct rte_comch_conn *conn)
{
	struct rte_comch_dev *dev = conn->ctx->dev;

	dev->ops->conn_close(conn, -ESHUTDOWN);
	conn->reason = -ECANCELED;
	rte_comch_pmd_count(&dev->data->stats.disconnects);
}

static void
task_end(struct rte_comch_task *task, int status)
{
	struct rte_comch_ctx *ctx = task->ctx;

	task->submitted = false;
	ctx->in_callback++;
	ctx->conf.send_cb(task, status, ctx->conf.user_data);
	ctx->in_callback--;
}

/* End all tasks of a connection, in the order of their submission. */
static void
conn_flush(struct rte_comch_conn *conn, int status)
{
	struct rte_comch_task *task;

	STAILQ_CONCAT(&conn->in_flight, &conn->pending);
	while ((task = STAILQ_FIRST(&conn->in_flight)) != NULL) {
		STAILQ_REMOVE_HEAD(&conn->in_flight, next);
		conn->nb_in_flight--;
		task_end(task, status);
	}
}

/*
 * The end of a connection that was up, whoever ended it: tasks, then queues, then the
 * application's callback.
 */
void
comch_conn_finish(struct rte_comch_conn *conn, int status)
{
	struct rte_comch_ctx *ctx = conn->ctx;

	rte_comch_trace_conn_down(conn, conn->id, status);
	rte_spinlock_lock(&conn->lock);
	conn->state = RTE_COMCH_CONN_DOWN;
	rte_spinlock_unlock(&conn->lock);
	comch_pe_retry_del(conn);
	conn_flush(conn, status == -ECANCELED ? -ECANCELED : -ECONNRESET);
	comch_queue_conn_down(conn);
	if (ctx->type == RTE_COMCH_CTX_CLIENT)
		return;
	ctx->in_callback++;
	ctx->disconnect_cb(conn, status, ctx->conf.user_data);
	ctx->in_callback--;
	comch_conn_reap(conn);
}

void
rte_comch_pmd_conn_down(struct rte_comch_conn *conn, int reason)
{
	struct rte_comch_ctx *ctx = conn->ctx;
	struct rte_comch_dev_stats *stats = &ctx->dev->data->stats;

	if (reason == -ECONNRESET)
		rte_comch_pmd_count(&stats->peer_lost);
	else if (reason != -EPROTO)
		rte_comch_pmd_count(&stats->disconnects);
	if (ctx->type == RTE_COMCH_CTX_CLIENT) {
		/* a client has no peer that can leave in order: it was told to go */
		ctx->reason = reason == 0 ? -ESHUTDOWN : reason;
		rte_spinlock_lock(&conn->lock);
		conn->state = RTE_COMCH_CONN_DOWN;
		rte_spinlock_unlock(&conn->lock);
		if (ctx->state == RTE_COMCH_STATE_RUNNING)
			comch_ctx_state_set(ctx, RTE_COMCH_STATE_STOPPING);
		comch_conn_finish(conn, -ECONNRESET);
		comch_ctx_try_idle(ctx);
		return;
	}
	comch_conn_finish(conn, reason == -ESHUTDOWN ? 0 : reason);
	comch_ctx_try_idle(ctx);
}

int
rte_comch_server_disconnect(struct rte_comch_conn *conn)
{
	uint32_t consumers, producers;
	struct rte_comch_ctx *ctx;
	bool up;

	if (conn == NULL || conn->ctx == NULL || conn->ctx->type != RTE_COMCH_CTX_SERVER)
		return -EINVAL;
	ctx = conn->ctx;
	/* under one lock, so that no other thread makes a queue on it in between */
	rte_spinlock_lock(&conn->lock);
	consumers = conn->nb_consumers;
	producers = conn->nb_producers;
	up = conn->state == RTE_COMCH_CONN_UP;
	if (up && consumers + producers == 0)
		conn->state = RTE_COMCH_CONN_CLOSING;
	rte_spinlock_unlock(&conn->lock);
	if (!up)
		return -EALREADY;
	if (consumers + producers != 0) {
		comch_conn_busy_log(conn, consumers, producers);
		return -EBUSY;
	}
	comch_conn_close(conn);
	comch_pe_work_add(ctx);
	return 0;
}

void
rte_comch_pmd_msg_recv(struct rte_comch_conn *conn, const void *data, uint32_t len)
{
	struct rte_comch_ctx *ctx = conn->ctx;

	conn->stats.rx_msgs++;
	conn->stats.rx_bytes += len;
	rte_comch_trace_msg_recv(conn, len);
	ctx->in_callback++;
	ctx->conf.recv_cb(conn, data, len, ctx->conf.user_data);
	ctx->in_callback--;
}

int
rte_comch_pmd_send_done(struct rte_comch_conn *conn, uint32_t seq)
{
	struct rte_comch_task *task;
	int nb = 0;

	while ((task = STAILQ_FIRST(&conn->in_flight)) != NULL &&
			(int32_t)(seq - task->seq) >= 0) {
		STAILQ_REMOVE_HEAD(&conn->in_flight, next);
		conn->nb_in_flight--;
		conn->stats.tx_msgs++;
		conn->stats.tx_bytes += task->len;
		task_end(task, 0);
		nb++;
		if (unlikely(conn->state != RTE_COMCH_CONN_UP))
			break;
	}
	return nb;
}

/* In progress, for a connection that had to wait for room. */
int
comch_conn_retry(struct rte_comch_conn *conn)
{
	struct rte_comch_task *task;
	int nb = 0;

	while (conn->state == RTE_COMCH_CONN_UP && (task = STAILQ_FIRST(&conn->pending)) != NULL) {
		if (conn->ctx->dev->ops->conn_send(conn, task->msg, task->len,
				STAILQ_NEXT(task, next) != NULL, &task->seq) != 0)
			break;
		STAILQ_REMOVE_HEAD(&conn->pending, next);
		STAILQ_INSERT_TAIL(&conn->in_flight, task, next);
		nb++;
	}
	if (conn->state == RTE_COMCH_CONN_UP && !STAILQ_EMPTY(&conn->pending))
		comch_pe_retry_add(conn);
	return nb;
}

struct rte_comch_ctx *
rte_comch_conn_ctx_get(const struct rte_comch_conn *conn)
{
	return conn == NULL ? NULL : conn->ctx;
}

int
rte_comch_conn_info_get(const struct rte_comch_conn *conn, struct rte_comch_conn_info *info)
{
	if (conn == NULL || info == NULL)
		return -EINVAL;
	memset(info, 0, sizeof(*info));
	info->id = conn->id;
	strlcpy(info->function, conn->peer.function, sizeof(info->function));
	strlcpy(info->server, conn->ctx->name, sizeof(info->server));
	info->max_msg_size = conn->max_msg_size;
	info->version = conn->peer.version;
	info->connected = conn->state == RTE_COMCH_CONN_UP;
	info->peer_pid = conn->peer.peer_pid;
	info->peer_uid = conn->peer.peer_uid;
	info->nb_local_consumers = conn->nb_consumers;
	info->nb_local_producers = conn->nb_producers;
	info->nb_remote_consumers = conn->nb_remote_consumers;
	return 0;
}

int
rte_comch_conn_stats_get(const struct rte_comch_conn *conn, struct rte_comch_conn_stats *stats)
{
	const struct rte_comch_dev_ops *ops;

	if (conn == NULL || stats == NULL)
		return -EINVAL;
	ops = conn->ctx->dev->ops;
	*stats = conn->stats;
	stats->tx_in_flight = conn->nb_in_flight;
	if (ops->conn_rx_count != NULL && conn->state == RTE_COMCH_CONN_UP)
		stats->rx_in_flight = ops->conn_rx_count(conn);
	return 0;
}

int
rte_comch_conn_user_data_set(struct rte_comch_conn *conn, void *user_data)
{
	if (conn == NULL)
		return -EINVAL;
	conn->user_data = user_data;
	return 0;
}

void *
rte_comch_conn_user_data_get(const struct rte_comch_conn *conn)
{
	return conn == NULL ? NULL : conn->user_data;
}
