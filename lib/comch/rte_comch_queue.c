/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Queues: what consumers and producers have in common, and producers, which have
 * little more. How a consumer is announced is in rte_comch_announce.c; their tasks
 * are in rte_comch_task.c. No message is touched here.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "comch_private.h"

static struct comch_queue *
queue_alloc(struct comch_parent *parent, const struct comch_kind *kind)
{
	/* two contexts of two lcores must not share a line */
	struct comch_queue *queue = aligned_alloc(__alignof__(*queue), sizeof(*queue));

	if (queue == NULL)
		return NULL;
	memset(queue, 0, sizeof(*queue));
	comch_ctx_init(&queue->ctx, parent->dev, kind);
	queue->parent = parent;
	queue->drv.dev = queue->ctx.dev;
	queue->drv.conn = parent->conn;
	queue->drv.msgq = parent->msgq;
	queue->drv.is_consumer = kind->type == RTE_COMCH_CTX_CONSUMER;
	TAILQ_INIT(&queue->submitted);
	TAILQ_INIT(&queue->later);
	return queue;
}

/* A queue that is whole but for its identifier. */
static int
queue_create(struct comch_queue *queue, struct rte_comch_ctx **out)
{
	int ret;

	ret = comch_parent_queue_add(queue->parent, queue);
	if (ret != 0) {
		free(queue);
		return ret;
	}
	comch_mem_hold(queue->drv.mem);
	/* it has a reference: the parent stays as long as telemetry may look */
	comch_ctx_publish(&queue->ctx);
	*out = &queue->ctx;
	return 0;
}

/*
 * Sizes of a queue against the limit of the device, which is a power of two: the
 * size is rounded up to one, and is not above the limit then either.
 */
static int
queue_size_check(const struct rte_comch_dev *dev, const char *what, const char *key,
		uint32_t size, uint32_t nb_tasks, uint32_t max, uint32_t *rounded)
{
	if (size == 0)
		size = nb_tasks != 0 ? nb_tasks : RTE_MIN((uint32_t)COMCH_DFLT_QUEUE_SIZE, max);
	if (size > max || nb_tasks > size) {
		COMCH_LOG(ERR, "%s: %s %u and nb_tasks %u of a %s: at most %u, and no more tasks than %s",
			dev->data->name, key, size, nb_tasks, what, max, key);
		return -EINVAL;
	}
	*rounded = rte_align32pow2(size);
	return 0;
}

static int
reserved_check(const struct rte_comch_dev *dev, const char *what, const uint64_t *words,
		uint32_t nb)
{
	if (comch_reserved_is_zero(words, nb))
		return 0;
	COMCH_LOG(ERR, "%s: a reserved field of the configuration of a %s is not 0, clear the whole of it",
		dev->data->name, what);
	return -EINVAL;
}

/* The largest buffer that a region has. */
static uint64_t
region_max_buf(const struct rte_comch_mem *mem)
{
	uint64_t max = comch_mem_data_room(mem);
	uint32_t i;

	if (max != 0)
		return max - RTE_MIN(max, (uint64_t)RTE_PKTMBUF_HEADROOM);
	max = mem->len;
	for (i = 0; i < mem->nb_chunks; i++)
		max = RTE_MAX(max, mem->chunks[i].len);
	return max;
}

/* What a consumer states of its buffers: the default, if it leaves that open. */
static int
buf_size_get(const struct rte_comch_dev *dev, const struct rte_comch_consumer_conf *conf,
		uint64_t *size)
{
	uint64_t max = conf->mem == NULL ? 0 : region_max_buf(conf->mem);

	max = RTE_MIN(max, dev->info.max_buf_size);
	if (conf->mem == NULL && conf->buf_size != 0) {
		COMCH_LOG(ERR, "%s: buf_size %" PRIu64 " of a consumer without a region, give it one by mem",
			dev->data->name, conf->buf_size);
		return -EINVAL;
	}
	if (conf->buf_size > max) {
		COMCH_LOG(ERR, "%s: buf_size %" PRIu64 " of a consumer is above %" PRIu64 ", which is what its region and the device have",
			dev->data->name, conf->buf_size, max);
		return -EINVAL;
	}
	*size = conf->buf_size;
	if (*size != 0 || conf->mem == NULL)
		return 0;
	if (comch_mem_data_room(conf->mem) != 0)
		*size = max;
	if (*size == 0 && (dev->info.capa & RTE_COMCH_CAPA_POST_SIZES) == 0) {
		COMCH_LOG(ERR, "%s: a consumer of this device has to state its buf_size",
			dev->data->name);
		return -EINVAL;
	}
	return 0;
}

/* The region of a consumer, if it may have one. */
static int
consumer_mem_check(const struct comch_parent *parent, const struct rte_comch_consumer_conf *conf)
{
	const struct rte_comch_dev *dev = parent->dev;

	if (parent->imm_only && (conf->mem != NULL || conf->buf_size != 0)) {
		COMCH_LOG(ERR, "%s: a consumer on a message queue takes immediate data only, leave out its mem and its buf_size",
			dev->data->name);
		return -EINVAL;
	}
	if (conf->mem == NULL)
		return 0;
	if (conf->mem->dev != dev) {
		COMCH_LOG(ERR, "%s: the region of a consumer is one of %s, allocate one of this device",
			dev->data->name, conf->mem->dev->data->name);
		return -EINVAL;
	}
	if ((conf->mem->flags & RTE_COMCH_MEM_F_PEER_WRITE) == 0) {
		COMCH_LOG(ERR, "%s: peers may not write to the region of a consumer, allocate or register it with RTE_COMCH_MEM_F_PEER_WRITE",
			dev->data->name);
		return -EACCES;
	}
	return 0;
}

static int
consumer_meta_check(const struct comch_parent *parent, const struct rte_comch_consumer_conf *conf)
{
	const struct rte_comch_dev *dev = parent->dev;

	if (conf->meta == 0)
		return 0;
	if ((conf->meta & ~RTE_COMCH_META_ALL) != 0 || conf->mem == NULL) {
		COMCH_LOG(ERR, "%s: meta 0x%x of a consumer: it has RTE_COMCH_META_* flags only, and needs a region",
			dev->data->name, conf->meta);
		return -EINVAL;
	}
	if (parent->max_imm_len >= RTE_COMCH_META_SIZE)
		return 0;
	COMCH_LOG(ERR, "%s: meta of a consumer needs a max_imm_len of %u, the device has %u",
		dev->data->name, RTE_COMCH_META_SIZE, parent->max_imm_len);
	return -ENOTSUP;
}

static int
consumer_conf_check(const struct comch_parent *parent,
		const struct rte_comch_consumer_conf *conf, uint32_t *size, uint64_t *buf_size)
{
	const struct rte_comch_dev *dev = parent->dev;
	const struct rte_comch_dev_info *info = &dev->info;
	int ret;

	if (conf->flags != 0) {
		COMCH_LOG(ERR, "%s: unknown flags 0x%x of a consumer, set them to 0",
			dev->data->name, conf->flags);
		return -EINVAL;
	}
	if ((info->capa & RTE_COMCH_CAPA_CONSUMER) == 0)
		return -ENOTSUP;
	if (conf->imm_len > parent->max_imm_len) {
		COMCH_LOG(ERR, "%s: imm_len %u of a consumer is above the max_imm_len of the device, %u",
			dev->data->name, conf->imm_len, parent->max_imm_len);
		return -EINVAL;
	}
	if (conf->nb_tasks != 0 && conf->post_cb == NULL) {
		COMCH_LOG(ERR, "%s: a consumer with %u tasks has no post_cb, give one",
			dev->data->name, conf->nb_tasks);
		return -EINVAL;
	}
	ret = consumer_mem_check(parent, conf);
	if (ret == 0)
		ret = consumer_meta_check(parent, conf);
	if (ret != 0)
		return ret;
	if (reserved_check(dev, "consumer", conf->reserved, RTE_DIM(conf->reserved)) != 0)
		return -EINVAL;
	ret = queue_size_check(dev, "consumer", "nb_posts", conf->nb_posts, conf->nb_tasks,
			info->max_posts, size);
	return ret == 0 ? buf_size_get(dev, conf, buf_size) : ret;
}

/* What was checked comes into force, at creation or later. */
static void
consumer_conf_apply(struct comch_queue *queue, const struct rte_comch_consumer_conf *conf,
		uint32_t size, uint64_t buf_size)
{
	queue->ctx.state_cb = conf->state_cb;
	queue->ctx.user_data = conf->user_data;
	queue->ctx.max_tasks = conf->nb_tasks;
	queue->post_cb = conf->post_cb;
	queue->drv.nb_tasks = conf->nb_tasks;
	queue->drv.size = size;
	queue->drv.imm_len = conf->meta == 0 ? conf->imm_len :
		RTE_MAX(conf->imm_len, (uint32_t)RTE_COMCH_META_SIZE);
	queue->drv.tag = conf->tag;
	queue->drv.meta = conf->meta;
	queue->drv.buf_size = buf_size;
	queue->drv.mem = conf->mem;
	queue->conf.consumer = *conf;
}

int
comch_consumer_create(struct comch_parent *parent, const struct rte_comch_consumer_conf *conf,
		struct rte_comch_ctx **ctx)
{
	static const struct rte_comch_consumer_conf dflt;
	struct comch_queue *queue;
	uint64_t buf_size;
	uint32_t size;
	int ret;

	if (conf == NULL)
		conf = &dflt;
	ret = consumer_conf_check(parent, conf, &size, &buf_size);
	if (ret != 0)
		return ret;
	queue = queue_alloc(parent, parent->kind->consumer);
	if (queue == NULL)
		return -ENOMEM;
	consumer_conf_apply(queue, conf, size, buf_size);
	return queue_create(queue, ctx);
}

int
rte_comch_consumer_create(struct rte_comch_conn *conn,
		const struct rte_comch_consumer_conf *conf, struct rte_comch_ctx **ctx)
{
	if (conn == NULL || ctx == NULL)
		return -EINVAL;
	return comch_consumer_create(&comch_conn(conn)->parent, conf, ctx);
}

static int
consumer_conf_set(struct rte_comch_ctx *ctx, const union rte_comch_ctx_conf *conf)
{
	struct comch_queue *queue = comch_queue(ctx);
	struct rte_comch_mem *before = queue->drv.mem;
	uint64_t buf_size;
	uint32_t size;
	int ret = consumer_conf_check(queue->parent, &conf->consumer, &size, &buf_size);

	if (ret != 0)
		return ret;
	comch_mem_hold(conf->consumer.mem);
	consumer_conf_apply(queue, &conf->consumer, size, buf_size);
	comch_mem_drop(before);
	return 0;
}

static int
producer_conf_check(const struct rte_comch_dev *dev,
		const struct rte_comch_producer_conf *conf, uint32_t *size)
{
	if (conf->flags != 0 || (conf->nb_tasks != 0 && conf->send_cb == NULL)) {
		COMCH_LOG(ERR, "%s: a producer with unknown flags 0x%x, or with %u tasks and no send_cb",
			dev->data->name, conf->flags, conf->nb_tasks);
		return -EINVAL;
	}
	if (reserved_check(dev, "producer", conf->reserved, RTE_DIM(conf->reserved)) != 0)
		return -EINVAL;
	if ((dev->info.capa & RTE_COMCH_CAPA_PRODUCER) == 0)
		return -ENOTSUP;
	return queue_size_check(dev, "producer", "nb_sends", conf->nb_sends, conf->nb_tasks,
			dev->info.max_sends, size);
}

static void
producer_conf_apply(struct comch_queue *queue, const struct rte_comch_producer_conf *conf,
		uint32_t size)
{
	queue->ctx.state_cb = conf->state_cb;
	queue->ctx.user_data = conf->user_data;
	queue->ctx.max_tasks = conf->nb_tasks;
	queue->send_cb = conf->send_cb;
	queue->drv.nb_tasks = conf->nb_tasks;
	queue->drv.size = size;
	queue->conf.producer = *conf;
}

int
comch_producer_create(struct comch_parent *parent, const struct rte_comch_producer_conf *conf,
		struct rte_comch_ctx **ctx)
{
	static const struct rte_comch_producer_conf dflt;
	struct comch_queue *queue;
	uint32_t size;
	int ret;

	if (conf == NULL)
		conf = &dflt;
	ret = producer_conf_check(parent->dev, conf, &size);
	if (ret != 0)
		return ret;
	queue = queue_alloc(parent, &comch_producer_kind);
	if (queue == NULL)
		return -ENOMEM;
	producer_conf_apply(queue, conf, size);
	return queue_create(queue, ctx);
}

int
rte_comch_producer_create(struct rte_comch_conn *conn,
		const struct rte_comch_producer_conf *conf, struct rte_comch_ctx **ctx)
{
	if (conn == NULL || ctx == NULL)
		return -EINVAL;
	return comch_producer_create(&comch_conn(conn)->parent, conf, ctx);
}

static int
producer_conf_set(struct rte_comch_ctx *ctx, const union rte_comch_ctx_conf *conf)
{
	uint32_t size;
	int ret = producer_conf_check(ctx->dev, &conf->producer, &size);

	if (ret == 0)
		producer_conf_apply(comch_queue(ctx), &conf->producer, size);
	return ret;
}

static void
queue_info_get(const struct rte_comch_ctx *ctx, struct rte_comch_ctx_info *info)
{
	const struct comch_queue *queue = comch_queue_of(ctx);

	info->queue_id = queue->drv.id;
	info->msgq = queue->drv.msgq;
	if (comch_parent_usable(queue->parent) == 0)
		info->conn = queue->drv.conn;
	if (queue->drv.is_consumer)
		info->conf.consumer = queue->conf.consumer;
	else
		info->conf.producer = queue->conf.producer;
}

/* The context goes: it is IDLE. */
static void
queue_destroy(struct rte_comch_ctx *ctx)
{
	struct comch_queue *queue = comch_queue(ctx);

	comch_parent_queue_del(queue);
	if (!ctx->lost)
		comch_parent_put(queue->parent);
	else /* the driver may look at it: its reference is the driver's, for good */
		rte_comch_pmd_count(&ctx->dev->data->stats.retained);
	comch_mem_drop(queue->drv.mem);
}

static void
queue_pgroup_set(struct rte_comch_ctx *ctx)
{
	comch_queue(ctx)->drv.pg = ctx->pg;
}

/* Forget one event under way; the number that is left. */
uint32_t
comch_queue_event_done(struct comch_queue *queue)
{
	uint32_t left;

	rte_spinlock_lock(&queue->parent->lock);
	left = --queue->nb_events;
	rte_spinlock_unlock(&queue->parent->lock);
	return left;
}

/* Its driver has let go of the queue. */
static void
queue_idle(struct comch_queue *queue)
{
	if (!queue->ctx.lost)
		queue->drv.priv = NULL;
	comch_ctx_idle(&queue->ctx);
}

/* Its driver has not told: no region of the device is sure not to be used. */
static void
queue_lost(struct comch_queue *queue)
{
	queue->ctx.lost = true;
	/* relaxed: who frees a region has seen that the queue is IDLE */
	__atomic_fetch_add(&queue->ctx.dev->nb_lost_queues, 1, __ATOMIC_RELAXED);
}

static void
queue_freed(struct rte_comch_pmd_ending *ending)
{
	struct comch_queue *queue = container_of(ending, struct comch_queue, free_ending);

	if (ending->lost)
		queue_lost(queue);
	queue_idle(queue);
}

/* The driver has stopped it: what was not delivered comes back. */
static void
queue_stopped(struct rte_comch_pmd_ending *ending)
{
	struct comch_queue *queue = container_of(ending, struct comch_queue, stop_ending);

	if (ending->lost) {
		queue_lost(queue);
		/* nobody polls them: the driver may come back to them any time */
		comch_queue_tasks_end(queue, comch_queue_end_status(&queue->ctx));
	}
	queue->drained = true;
	comch_queue_try_idle(&queue->ctx);
}

/* Stop the driver's part, once; whether it is stopped. */
bool
comch_queue_stop(struct comch_queue *queue)
{
	struct rte_comch_ctx *ctx = &queue->ctx;

	if (!queue->stopped) {
		queue->stopped = true;
		comch_ending_begin(&queue->stop_ending, ctx->dev, ctx->pe, queue_stopped);
		if (queue->drv.is_consumer)
			comch_ending_limit_set(&queue->stop_ending, RTE_COMCH_PMD_ANSWER_MS);
		queue->drained = comch_ending_settle(&queue->stop_ending,
				ctx->dev->ops->queue_stop(&queue->drv,
					comch_queue_end_status(ctx), &queue->stop_ending));
	}
	return queue->drained;
}

/*
 * Become IDLE, when no event under way points here, all posts have come back and
 * all tasks are freed. Whatever is missing comes by here again.
 */
void
comch_queue_try_idle(struct rte_comch_ctx *ctx)
{
	const struct rte_comch_dev_ops *ops = ctx->dev->ops;
	struct comch_queue *queue = comch_queue(ctx);
	uint32_t left;
	bool unasked;

	rte_spinlock_lock(&queue->parent->lock);
	queue->started = false; /* no news from here on */
	left = queue->nb_events;
	unasked = comch_consumer_unask_locked(queue);
	rte_spinlock_unlock(&queue->parent->lock);
	if (!unasked)
		comch_pe_work_add(ctx);
	if (!unasked || left != 0 || queue->freed || !comch_queue_stop(queue))
		return;
	if (queue->nb_submitted != 0)
		comch_task_poll_add(queue); /* it may be idle */
	if (queue->drv.is_consumer && !ctx->lost && ops->consumer_left(&queue->drv) != 0) {
		comch_pe_work_add(ctx); /* until they were polled */
		return;
	}
	if (ctx->nb_tasks != 0)
		return;
	comch_task_poll_del(queue);
	comch_fp_quiet_set(queue);
	queue->freed = true;
	comch_ending_begin(&queue->free_ending, ctx->dev, ctx->pe, queue_freed);
	if (comch_ending_settle(&queue->free_ending,
			ops->queue_free(&queue->drv, &queue->free_ending)))
		queue_idle(queue);
}

/* A start fails after the set-up: what the start returns. */
int
comch_queue_start_failed(struct comch_queue *queue, int reason)
{
	struct rte_comch_ctx *ctx = &queue->ctx;

	queue->stopped = true; /* nobody has used it */
	queue->drained = true;
	queue->freed = true;
	comch_ending_begin(&queue->free_ending, ctx->dev, ctx->pe, queue_freed);
	if (comch_ending_settle(&queue->free_ending,
			ctx->dev->ops->queue_free(&queue->drv, &queue->free_ending))) {
		queue->drv.priv = NULL;
		return reason;
	}
	ctx->reason = reason;
	comch_ctx_state_set(ctx, RTE_COMCH_STATE_STOPPING);
	return 0; /* it was started, and ends */
}

/* A queue of the driver, for a context that is about to start. */
int
comch_queue_setup(struct comch_queue *queue)
{
	struct rte_comch_dev *dev = queue->ctx.dev;
	/* it may end any time; one that has ended is told without any trace */
	int ret = comch_parent_usable(queue->parent);

	if (ret != 0)
		return ret;
	rte_spinlock_lock(&dev->lock);
	comch_queue_total(&dev->past, queue);
	memset(&queue->drv.stats, 0, sizeof(queue->drv.stats));
	rte_spinlock_unlock(&dev->lock);
	queue->stopped = false;
	queue->drained = false;
	queue->freed = false;
	return dev->ops->queue_setup(&queue->drv, &queue->fns);
}

/* In progress: what a queue that is stopping had to wait for may have happened. */
static int
local_work(struct rte_comch_ctx *ctx)
{
	enum rte_comch_state state = ctx->state;

	if (state == RTE_COMCH_STATE_STOPPING)
		comch_queue_try_idle(ctx);
	return ctx->state != state;
}

/*
 * Queues that nobody is told of: producers, and consumers on message queues
 */

/* In the thread of the queue. */
static void
local_down_handler(struct rte_comch_pmd_event *ev)
{
	struct comch_queue *queue = container_of(ev, struct comch_queue, parent_down);
	struct rte_comch_ctx *ctx = &queue->ctx;

	comch_queue_event_done(queue);
	if (ctx->state == RTE_COMCH_STATE_RUNNING) {
		ctx->reason = queue->parent->kind->lost;
		comch_fp_stopping_set(queue);
		comch_ctx_state_set(ctx, RTE_COMCH_STATE_STOPPING);
	}
	/* the callback may have freed the last task */
	if (ctx->state == RTE_COMCH_STATE_STOPPING)
		comch_queue_try_idle(ctx);
}

static int
local_start(struct rte_comch_ctx *ctx)
{
	struct comch_queue *queue = comch_queue(ctx);
	struct comch_parent *parent = queue->parent;
	int ret;

	queue->parent_down.handler = local_down_handler;
	ret = comch_queue_setup(queue);
	if (ret != 0)
		return ret;
	rte_spinlock_lock(&parent->lock);
	ret = parent->kind->usable(parent);
	queue->started = ret == 0;
	rte_spinlock_unlock(&parent->lock);
	if (ret != 0)
		return comch_queue_start_failed(queue, ret);
	comch_fp_running_set(queue);
	comch_ctx_state_set(ctx, RTE_COMCH_STATE_RUNNING);
	return 0;
}

static int
local_stop(struct rte_comch_ctx *ctx)
{
	comch_fp_stopping_set(comch_queue(ctx));
	comch_ctx_state_set(ctx, RTE_COMCH_STATE_STOPPING);
	if (ctx->state == RTE_COMCH_STATE_STOPPING)
		comch_queue_try_idle(ctx);
	return ctx->state == RTE_COMCH_STATE_IDLE ? 0 : -EINPROGRESS;
}

const struct comch_kind comch_producer_kind = {
	.name = "producer",
	.type = RTE_COMCH_CTX_PRODUCER,
	.is_queue = true,
	.start = local_start,
	.stop = local_stop,
	.work = local_work,
	.try_idle = comch_queue_try_idle,
	.pgroup_set = queue_pgroup_set,
	.conf_set = producer_conf_set,
	.info_get = queue_info_get,
	.destroy = queue_destroy,
	.task_submit = comch_queue_task_submit,
	.tasks_submit = comch_queue_tasks_submit,
};

const struct comch_kind comch_consumer_kind = {
	.name = "consumer",
	.type = RTE_COMCH_CTX_CONSUMER,
	.is_queue = true,
	.start = comch_consumer_start,
	.stop = comch_consumer_stop,
	.work = local_work,
	.try_idle = comch_queue_try_idle,
	.pgroup_set = queue_pgroup_set,
	.conf_set = consumer_conf_set,
	.info_get = queue_info_get,
	.destroy = queue_destroy,
	.task_submit = comch_queue_task_submit,
	.tasks_submit = comch_queue_tasks_submit,
};

/* On a message queue. */
const struct comch_kind comch_msgq_consumer_kind = {
	.name = "consumer",
	.type = RTE_COMCH_CTX_CONSUMER,
	.is_queue = true,
	.start = local_start,
	.stop = local_stop,
	.work = local_work,
	.try_idle = comch_queue_try_idle,
	.pgroup_set = queue_pgroup_set,
	.conf_set = consumer_conf_set,
	.info_get = queue_info_get,
	.destroy = queue_destroy,
	.task_submit = comch_queue_task_submit,
	.tasks_submit = comch_queue_tasks_submit,
};

/*
 * Questions
 */

/* Whether there is something to ask the driver for. */
static bool
queue_has_room(const struct comch_queue *queue)
{
	if (queue->ctx.state == RTE_COMCH_STATE_RUNNING)
		return true;
	return queue->drv.is_consumer && queue->ctx.state == RTE_COMCH_STATE_STOPPING &&
		!queue->freed;
}

int
rte_comch_queue_room_get(struct rte_comch_ctx *ctx, uint32_t consumer_id,
		struct rte_comch_room *room)
{
	struct rte_comch_room got = { 0 }, before = { 0 };
	struct comch_queue *queue = comch_queue_of(ctx);
	const struct rte_comch_task *first;
	int ret;

	if (queue == NULL || room == NULL)
		return -EINVAL;
	if (!queue_has_room(queue))
		return -EBUSY;
	if (queue->ctx.pe->nb_held != 0)
		comch_pe_held_flush(queue->ctx.pe);
	first = TAILQ_FIRST(&queue->later);
	ret = queue->ctx.dev->ops->queue_room(&queue->drv, consumer_id, &got);
	if (ret != 0)
		return ret;
	/* tasks wait for those that were submitted before them */
	if (first != NULL && !queue->drv.is_consumer && queue->ctx.dev->ops->queue_room(&queue->drv,
			first->consumer_id, &before) == 0)
		got.flags |= before.flags;
	*room = got;
	return 0;
}

bool
rte_comch_producer_at_fault(struct rte_comch_ctx *ctx, uint32_t consumer_id)
{
	struct rte_comch_room room;

	if (rte_comch_queue_room_get(ctx, consumer_id, &room) != 0)
		return false; /* the connection or the consumer is gone */
	return room.reason == -EMSGSIZE || room.reason == -EFAULT || room.reason == -EINVAL ||
		room.reason == -E2BIG || room.reason == -ENOTSUP;
}

/*
 * What its thread has counted so far, for any thread. Relaxed: they are words of their own,
 * which order nothing.
 */
void
comch_queue_counters(const struct comch_queue *queue, struct rte_comch_queue_stats *stats)
{
	const uint64_t *from = (const uint64_t *)&queue->drv.stats;
	uint64_t *to = (uint64_t *)stats;
	size_t i;

	for (i = 0; i < sizeof(*stats) / sizeof(*to); i++)
		to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

/* Add what a queue has carried, under the lock of its device. */
void
comch_queue_total(struct rte_comch_totals *totals, const struct comch_queue *queue)
{
	struct rte_comch_queue_stats *to = queue->drv.is_consumer ? &totals->consumers :
		&totals->producers;
	struct rte_comch_queue_stats stats;

	comch_queue_counters(queue, &stats);
	to->msgs += stats.msgs;
	to->bytes += stats.bytes;
	to->short_credits += stats.short_credits;
	to->short_queue += stats.short_queue;
	to->errors += stats.errors;
}

int
rte_comch_queue_stats_get(const struct rte_comch_ctx *ctx, struct rte_comch_queue_stats *stats)
{
	const struct rte_comch_ctx *one;
	struct rte_comch_dev *dev;
	int16_t dev_id;
	int ret = -EINVAL;

	if (stats == NULL)
		return -EINVAL;
	/* another thread may be about to destroy it: looked at only if it is found */
	comch_devs_lock_take();
	RTE_COMCH_FOREACH_DEV(dev_id) {
		dev = comch_dev_get(dev_id);
		rte_spinlock_lock(&dev->lock);
		TAILQ_FOREACH(one, &dev->ctxs, next_dev)
			if (one == ctx)
				break;
		if (one != NULL && one->kind->is_queue) {
			comch_queue_counters(comch_queue_of(one), stats);
			ret = 0;
		}
		rte_spinlock_unlock(&dev->lock);
		if (one != NULL)
			break;
	}
	comch_devs_lock_drop();
	return ret;
}
