/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Queues: what consumers and producers have in common, and producers, which have
 * little more. How a consumer is announced is in rte_comch_announce.c; tasks on
 * queues are in rte_comch_task.c. No message is touched here.
 */

#include <errno.h>
#include <string.h>

#include "comch_private.h"

/* Take a free identifier; 0 if there is none, and -1 if the connection has ended. */
static int
queue_id_take(struct rte_comch_conn *conn, struct rte_comch_ctx *ctx)
{
	bool consumer = ctx->type == RTE_COMCH_CTX_CONSUMER;
	const struct rte_comch_dev_info *info = &ctx->dev->info;
	uint32_t max = consumer ? info->max_consumers : info->max_producers;
	uint64_t *ids = consumer ? conn->consumer_ids : conn->producer_ids;
	uint32_t id;
	int ret = 0;

	rte_spinlock_lock(&conn->lock);
	for (id = 1; id <= max; id++)
		if ((ids[id / 64] & RTE_BIT64(id % 64)) == 0)
			break;
	if (conn->state != RTE_COMCH_CONN_UP) {
		ret = -1;
	} else if (id <= max) {
		ids[id / 64] |= RTE_BIT64(id % 64);
		conn->nb_consumers += consumer;
		conn->nb_producers += !consumer;
		conn->refs++;
		ctx->queue_id = id;
		TAILQ_INSERT_TAIL(&conn->queues, ctx, next_conn);
		ret = id;
	}
	rte_spinlock_unlock(&conn->lock);
	return ret;
}

static int
queue_create(struct rte_comch_conn *conn, struct rte_comch_ctx *ctx, struct rte_comch_ctx **out)
{
	int ret;

	ctx->conn = conn;
	ctx->conf.nb_send_tasks = ctx->max_tasks;
	ret = queue_id_take(conn, ctx);
	if (ret <= 0) {
		comch_ctx_free(ctx);
		return ret == 0 ? -ENOSPC : -ENOTCONN;
	}
	/* it has a reference: the connection stays as long as telemetry may look */
	comch_ctx_publish(ctx);
	*out = ctx;
	return 0;
}

/*
 * Sizes of a queue against the limit of the device, which is a power of two: the
 * size is rounded up to one, and is not above the limit then either.
 */
static int
queue_size_check(const struct rte_comch_dev *dev, const char *what, uint32_t size,
		uint32_t nb_tasks, uint32_t max, uint32_t *rounded)
{
	if (size == 0)
		size = nb_tasks != 0 ? nb_tasks : RTE_MIN((uint32_t)COMCH_DFLT_QUEUE_SIZE, max);
	if (size > max || nb_tasks > size) {
		COMCH_LOG(ERR, "%s: %u places and %u tasks for a %s, at most %u places and no more tasks than places",
			dev->data->name, size, nb_tasks, what, max);
		return -EINVAL;
	}
	*rounded = rte_align32pow2(size);
	return 0;
}

static int
consumer_conf_check(const struct rte_comch_conn *conn,
		const struct rte_comch_consumer_conf *conf, uint32_t *size)
{
	const struct rte_comch_dev *dev = conn->ctx->dev;
	const struct rte_comch_dev_info *info = &dev->info;

	if (conf->flags != 0) {
		COMCH_LOG(ERR, "%s: unknown flags 0x%x of a consumer", dev->data->name,
			conf->flags);
		return -EINVAL;
	}
	if ((info->capa & RTE_COMCH_CAPA_CONSUMER) == 0)
		return -ENOTSUP;
	if (conf->imm_len > info->max_imm_len) {
		COMCH_LOG(ERR, "%s: imm_len %u of a consumer is above %u", dev->data->name,
			conf->imm_len, info->max_imm_len);
		return -EINVAL;
	}
	if (conf->nb_tasks != 0 && conf->post_cb == NULL) {
		COMCH_LOG(ERR, "%s: a consumer with %u tasks has no post_cb", dev->data->name,
			conf->nb_tasks);
		return -EINVAL;
	}
	if (conf->mem != NULL && conf->mem->dev != dev) {
		COMCH_LOG(ERR, "%s: the region of a consumer is one of %s, allocate one of this device",
			dev->data->name, conf->mem->dev->data->name);
		return -EINVAL;
	}
	if (conf->mem != NULL && (conf->mem->flags & RTE_COMCH_MEM_F_PEER_WRITE) == 0) {
		COMCH_LOG(ERR, "%s: peers may not write to the region of a consumer, allocate it with RTE_COMCH_MEM_F_PEER_WRITE",
			dev->data->name);
		return -EACCES;
	}
	return queue_size_check(dev, "consumer", conf->nb_posts, conf->nb_tasks,
			info->max_post_tasks, size);
}

int
rte_comch_consumer_create(struct rte_comch_conn *conn,
		const struct rte_comch_consumer_conf *conf, struct rte_comch_ctx **ctx)
{
	static const struct rte_comch_consumer_conf dflt;
	struct rte_comch_ctrl_conf ctrl = { 0 };
	struct rte_comch_ctx *consumer;
	uint32_t size;
	int ret;

	if (conf == NULL)
		conf = &dflt;
	if (conn == NULL || ctx == NULL)
		return -EINVAL;
	ret = consumer_conf_check(conn, conf, &size);
	if (ret != 0)
		return ret;
	ctrl.state_cb = conf->state_cb;
	ctrl.user_data = conf->user_data;
	consumer = comch_ctx_alloc(conn->ctx->dev, RTE_COMCH_CTX_CONSUMER, NULL, &ctrl);
	if (consumer == NULL)
		return -ENOMEM;
	consumer->queue_size = size;
	consumer->imm_len = conf->imm_len;
	consumer->max_tasks = conf->nb_tasks;
	consumer->post_cb = conf->post_cb;
	consumer->mem = conf->mem;
	if (conf->mem != NULL) /* relaxed: who frees it has the caller's handle */
		__atomic_fetch_add(&conf->mem->users, 1, __ATOMIC_RELAXED);
	return queue_create(conn, consumer, ctx);
}

int
rte_comch_producer_create(struct rte_comch_conn *conn,
		const struct rte_comch_producer_conf *conf, struct rte_comch_ctx **ctx)
{
	static const struct rte_comch_producer_conf dflt;
	struct rte_comch_ctrl_conf ctrl = { 0 };
	struct rte_comch_ctx *producer;
	const struct rte_comch_dev *dev;
	uint32_t size;
	int ret;

	if (conf == NULL)
		conf = &dflt;
	if (conn == NULL || ctx == NULL)
		return -EINVAL;
	dev = conn->ctx->dev;
	if (conf->flags != 0 || (conf->nb_tasks != 0 && conf->send_cb == NULL)) {
		COMCH_LOG(ERR, "%s: a producer with unknown flags 0x%x, or with %u tasks and no send_cb",
			dev->data->name, conf->flags, conf->nb_tasks);
		return -EINVAL;
	}
	if ((dev->info.capa & RTE_COMCH_CAPA_PRODUCER) == 0)
		return -ENOTSUP;
	ret = queue_size_check(dev, "producer", conf->nb_sends, conf->nb_tasks,
			dev->info.max_producer_tasks, &size);
	if (ret != 0)
		return ret;
	ctrl.state_cb = conf->state_cb;
	ctrl.send_cb = conf->send_cb;
	ctrl.user_data = conf->user_data;
	producer = comch_ctx_alloc(conn->ctx->dev, RTE_COMCH_CTX_PRODUCER, NULL, &ctrl);
	if (producer == NULL)
		return -ENOMEM;
	producer->queue_size = size;
	producer->max_tasks = conf->nb_tasks;
	return queue_create(conn, producer, ctx);
}

/* The context goes: it is IDLE. */
void
comch_queue_destroy(struct rte_comch_ctx *ctx)
{
	struct rte_comch_conn *conn = ctx->conn;
	bool consumer = ctx->type == RTE_COMCH_CTX_CONSUMER;
	uint64_t *ids = consumer ? conn->consumer_ids : conn->producer_ids;

	rte_spinlock_lock(&conn->lock);
	TAILQ_REMOVE(&conn->queues, ctx, next_conn);
	ids[ctx->queue_id / 64] &= ~RTE_BIT64(ctx->queue_id % 64);
	conn->nb_consumers -= consumer;
	conn->nb_producers -= !consumer;
	rte_spinlock_unlock(&conn->lock);
	comch_conn_put(conn);
}

/* Forget one event under way; the number that is left. */
uint32_t
comch_queue_event_done(struct rte_comch_ctx *ctx)
{
	uint32_t left;

	rte_spinlock_lock(&ctx->conn->lock);
	left = --ctx->nb_events;
	rte_spinlock_unlock(&ctx->conn->lock);
	return left;
}

/*
 * Become IDLE, when no event under way points here, all posts have come back and
 * all tasks are freed. Whatever is missing comes by here again.
 */
void
comch_queue_try_idle(struct rte_comch_ctx *ctx)
{
	const struct rte_comch_dev_ops *ops = ctx->dev->ops;
	uint32_t left;

	rte_spinlock_lock(&ctx->conn->lock);
	ctx->started = false; /* no news from here on */
	left = ctx->nb_events;
	rte_spinlock_unlock(&ctx->conn->lock);
	if (left != 0)
		return;
	if (ctx->type == RTE_COMCH_CTX_CONSUMER) {
		ctx->flushing = true;
		if (ops->consumer_flush(ctx, ctx->reason != 0 ? -ECONNRESET : -ECANCELED) != 0) {
			if (ctx->max_tasks != 0)
				comch_fp_poll_add(ctx); /* it may be at rest */
			comch_pe_work_add(ctx); /* until they were polled */
			return;
		}
	}
	if (ctx->nb_tasks != 0)
		return;
	comch_fp_poll_del(ctx);
	comch_fp_stopped_set(ctx);
	ops->queue_free(ctx);
	ctx->announced = false;
	ctx->flushing = false;
	comch_ctx_idle(ctx);
}

/* In progress: what a queue that is stopping had to wait for may have happened. */
void
comch_queue_work(struct rte_comch_ctx *ctx)
{
	if (ctx->state != RTE_COMCH_STATE_STOPPING)
		return;
	if (ctx->type == RTE_COMCH_CTX_CONSUMER)
		comch_consumer_work(ctx);
	else
		comch_queue_try_idle(ctx);
}

/* In the thread of the connection, which is over. */
void
comch_queue_conn_down(struct rte_comch_conn *conn)
{
	struct rte_comch_ctx *ctx;

	comch_consumer_conn_down(conn);
	rte_spinlock_lock(&conn->lock);
	TAILQ_FOREACH(ctx, &conn->queues, next_conn) {
		if (!ctx->started)
			continue;
		ctx->started = false;
		ctx->nb_events++;
		if (rte_comch_pmd_event_post(ctx->pe, &ctx->conn_down) != 0)
			ctx->nb_events--;
	}
	rte_spinlock_unlock(&conn->lock);
}

/*
 * Producers
 */

/* In the thread of the producer. */
static void
producer_conn_down_handler(struct rte_comch_pmd_event *ev)
{
	struct rte_comch_ctx *ctx = container_of(ev, struct rte_comch_ctx, conn_down);

	comch_queue_event_done(ctx);
	if (ctx->state == RTE_COMCH_STATE_RUNNING) {
		ctx->reason = -ECONNRESET;
		comch_ctx_state_set(ctx, RTE_COMCH_STATE_STOPPING);
	}
	/* the callback may have freed the last task */
	if (ctx->state == RTE_COMCH_STATE_STOPPING)
		comch_queue_try_idle(ctx);
}

int
comch_producer_start(struct rte_comch_ctx *ctx)
{
	struct rte_comch_conn *conn = ctx->conn;
	bool up;
	int ret;

	ctx->conn_down.handler = producer_conn_down_handler;
	ret = ctx->dev->ops->queue_setup(ctx, &ctx->drv);
	if (ret != 0)
		return ret;
	rte_spinlock_lock(&conn->lock);
	up = conn->state == RTE_COMCH_CONN_UP;
	ctx->started = up;
	rte_spinlock_unlock(&conn->lock);
	if (!up) {
		ctx->dev->ops->queue_free(ctx);
		return -ENOTCONN;
	}
	comch_fp_running_set(ctx);
	comch_ctx_state_set(ctx, RTE_COMCH_STATE_RUNNING);
	return 0;
}

int
comch_producer_stop(struct rte_comch_ctx *ctx)
{
	comch_ctx_state_set(ctx, RTE_COMCH_STATE_STOPPING);
	if (ctx->state == RTE_COMCH_STATE_STOPPING)
		comch_queue_try_idle(ctx);
	return ctx->state == RTE_COMCH_STATE_IDLE ? 0 : -EINPROGRESS;
}

/*
 * Questions
 */

int
rte_comch_consumer_id_get(const struct rte_comch_ctx *ctx)
{
	if (ctx == NULL || ctx->type != RTE_COMCH_CTX_CONSUMER)
		return -EINVAL;
	return ctx->queue_id;
}

int
rte_comch_producer_id_get(const struct rte_comch_ctx *ctx)
{
	if (ctx == NULL || ctx->type != RTE_COMCH_CTX_PRODUCER)
		return -EINVAL;
	return ctx->queue_id;
}

struct rte_comch_conn *
rte_comch_queue_conn_get(const struct rte_comch_ctx *ctx)
{
	struct rte_comch_conn *conn;
	bool up;

	if (ctx == NULL || !comch_ctx_is_queue(ctx))
		return NULL;
	conn = ctx->conn;
	rte_spinlock_lock(&conn->lock);
	up = conn->state == RTE_COMCH_CONN_UP;
	rte_spinlock_unlock(&conn->lock);
	return up ? conn : NULL;
}

int
rte_comch_producer_room_get(struct rte_comch_ctx *ctx, uint32_t consumer_id,
		struct rte_comch_room *room)
{
	struct rte_comch_room got = { 0 };
	int ret;

	if (ctx == NULL || room == NULL || ctx->type != RTE_COMCH_CTX_PRODUCER)
		return -EINVAL;
	if (ctx->state != RTE_COMCH_STATE_RUNNING)
		return -EBUSY;
	ret = ctx->dev->ops->queue_room(ctx, consumer_id, &got);
	if (ret == 0)
		*room = got;
	return ret;
}

int
rte_comch_consumer_room_get(struct rte_comch_ctx *ctx, struct rte_comch_room *room)
{
	struct rte_comch_room got = { 0 };
	int ret;

	if (ctx == NULL || room == NULL || ctx->type != RTE_COMCH_CTX_CONSUMER)
		return -EINVAL;
	if (ctx->state != RTE_COMCH_STATE_RUNNING && ctx->state != RTE_COMCH_STATE_STOPPING)
		return -EBUSY;
	ret = ctx->dev->ops->queue_room(ctx, 0, &got);
	if (ret == 0)
		*room = got;
	return ret;
}

int
rte_comch_queue_stats_get(const struct rte_comch_ctx *ctx, struct rte_comch_queue_stats *stats)
{
	if (ctx == NULL || stats == NULL || !comch_ctx_is_queue(ctx))
		return -EINVAL;
	*stats = ctx->stats;
	return 0;
}
