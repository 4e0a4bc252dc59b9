/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The fast path as far as it is the library's: the functions of a queue that is
 * not there, the check of debug builds, and tasks. Tasks are written on bursts
 * and nothing else; the bursts themselves are the driver's.
 */

#include <errno.h>

#include <rte_eal.h>

#include "comch_private.h"

/*
 * Functions of contexts that are no running producer or consumer: they say so,
 * once, because whoever calls them does it in a loop.
 */

static void
dummy_log(struct rte_comch_ctx *ctx)
{
	if (ctx->fp.reserved != 0)
		return;
	ctx->fp.reserved = 1;
	COMCH_LOG(ERR, "%s: a burst on a context that is %s, or has no such bursts",
		ctx->dev->data->name, rte_comch_state_name(ctx->state));
}

static uint16_t
dummy_post(void *queue, const struct rte_comch_post *posts __rte_unused,
		uint16_t nb __rte_unused)
{
	dummy_log(queue);
	return 0;
}

static uint16_t
dummy_send(void *queue, uint32_t consumer_id __rte_unused,
		const struct rte_comch_send *msgs __rte_unused, uint16_t nb __rte_unused)
{
	dummy_log(queue);
	return 0;
}

static uint16_t
dummy_poll(void *queue, struct rte_comch_cpl *cpls __rte_unused, uint16_t nb __rte_unused)
{
	dummy_log(queue);
	return 0;
}

static uint32_t
dummy_credits(void *queue, uint32_t consumer_id __rte_unused)
{
	dummy_log(queue);
	return 0;
}

static uint16_t
dummy_tx(void *queue, uint32_t consumer_id __rte_unused, struct rte_mbuf **pkts __rte_unused,
		uint16_t nb __rte_unused)
{
	dummy_log(queue);
	return 0;
}

static uint16_t
dummy_rx(void *queue, struct rte_mbuf **pkts __rte_unused, uint16_t nb __rte_unused)
{
	dummy_log(queue);
	return 0;
}

/*
 * Functions of the other kind, in a queue of the driver: a producer that posts, a
 * consumer that sends.
 */

static void
foreign_log(void)
{
	static bool logged; /* of all queues, and once: it is a loop that does it */

	if (logged)
		return;
	logged = true;
	COMCH_LOG(ERR, "a producer does not post and a consumer does not send");
}

static uint16_t
foreign_post(void *queue, const struct rte_comch_post *posts, uint16_t nb)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(posts);
	RTE_SET_USED(nb);
	foreign_log();
	return 0;
}

static uint16_t
foreign_send(void *queue, uint32_t consumer_id, const struct rte_comch_send *msgs, uint16_t nb)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(consumer_id);
	RTE_SET_USED(msgs);
	RTE_SET_USED(nb);
	foreign_log();
	return 0;
}

static uint32_t
foreign_credits(void *queue, uint32_t consumer_id)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(consumer_id);
	foreign_log();
	return 0;
}

static uint16_t
foreign_tx(void *queue, uint32_t consumer_id, struct rte_mbuf **pkts, uint16_t nb)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(consumer_id);
	RTE_SET_USED(pkts);
	RTE_SET_USED(nb);
	foreign_log();
	return 0;
}

static uint16_t
foreign_rx(void *queue, struct rte_mbuf **pkts, uint16_t nb)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(pkts);
	RTE_SET_USED(nb);
	foreign_log();
	return 0;
}

/* Of a consumer that is stopping, which is no mistake of the application. */
static uint16_t
stopping_post(void *queue __rte_unused, const struct rte_comch_post *posts __rte_unused,
		uint16_t nb __rte_unused)
{
	return 0;
}

/*
 * Of a queue that was stopped. It becomes IDLE inside of a turn of its engine, so a
 * loop that takes what is left calls once more: that is no mistake either.
 */
static uint16_t
stopped_poll(void *queue __rte_unused, struct rte_comch_cpl *cpls __rte_unused,
		uint16_t nb __rte_unused)
{
	return 0;
}

static uint16_t
stopped_rx(void *queue __rte_unused, struct rte_mbuf **pkts __rte_unused,
		uint16_t nb __rte_unused)
{
	return 0;
}

static const struct rte_comch_fp_object dummies = {
	.post = dummy_post,
	.send = dummy_send,
	.poll = dummy_poll,
	.credits = dummy_credits,
	.tx_mbuf = dummy_tx,
	.rx_mbuf = dummy_rx,
};

static void
fp_set(struct rte_comch_ctx *ctx, const struct rte_comch_fp_object *fp, void *queue)
{
	uint64_t owner = ctx->fp.owner; /* of debug builds */

	ctx->fp = *fp;
	ctx->fp.queue = queue;
	ctx->fp.owner = owner;
}

void
comch_fp_dummy_set(struct rte_comch_ctx *ctx)
{
	fp_set(ctx, &dummies, ctx);
}

void
comch_fp_stopped_set(struct rte_comch_ctx *ctx)
{
	comch_fp_dummy_set(ctx);
	if (ctx->max_tasks == 0) {
		ctx->fp.poll = stopped_poll;
		ctx->fp.rx_mbuf = stopped_rx;
	}
}

/* One with tasks keeps its bursts for itself. */
void
comch_fp_running_set(struct rte_comch_ctx *ctx)
{
	struct rte_comch_fp_object fp = ctx->drv;

	if (ctx->max_tasks != 0)
		return;
	/* what its kind does not have: the queue is not the dummies' */
	if (fp.post == NULL)
		fp.post = foreign_post;
	if (fp.send == NULL)
		fp.send = foreign_send;
	if (fp.credits == NULL)
		fp.credits = foreign_credits;
	if (fp.tx_mbuf == NULL)
		fp.tx_mbuf = foreign_tx;
	if (fp.rx_mbuf == NULL)
		fp.rx_mbuf = foreign_rx;
	fp_set(ctx, &fp, fp.queue);
}

void
comch_fp_stopping_set(struct rte_comch_ctx *ctx)
{
	if (ctx->max_tasks == 0)
		ctx->fp.post = stopping_post;
}

/*
 * Debug builds
 */

bool
rte_comch_fp_enter(struct rte_comch_ctx *ctx)
{
	uint64_t nobody = 0;

	if (ctx == NULL) {
		COMCH_LOG(ERR, "a burst on no context");
		return false;
	}
	/* pairs with the release in rte_comch_fp_leave() */
	if (__atomic_compare_exchange_n(&ctx->fp.owner, &nobody, (uint64_t)rte_gettid(), false,
			__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return true;
	COMCH_LOG(ERR, "%s: thread %d uses a queue while thread %u is inside: one queue is for one thread",
		ctx->dev->data->name, rte_gettid(), (uint32_t)nobody);
	return false;
}

void
rte_comch_fp_leave(struct rte_comch_ctx *ctx)
{
	__atomic_store_n(&ctx->fp.owner, 0, __ATOMIC_RELEASE);
}

/*
 * Tasks
 */

/* Into the engine's list, or from its resting place. */
void
comch_fp_poll_add(struct rte_comch_ctx *ctx)
{
	struct rte_comch_pe *pe = ctx->pe;

	ctx->idle_polls = 0;
	if (ctx->on_poll)
		return;
	comch_fp_poll_del(ctx);
	ctx->on_poll = true;
	pe->nb_polled++;
	TAILQ_INSERT_TAIL(&pe->polled, ctx, next_poll);
}

void
comch_fp_poll_del(struct rte_comch_ctx *ctx)
{
	struct rte_comch_pe *pe = ctx->pe;

	if (ctx->on_poll) {
		TAILQ_REMOVE(&pe->polled, ctx, next_poll);
		pe->nb_polled--;
	} else if (ctx->on_rest) {
		TAILQ_REMOVE(&pe->rested, ctx, next_poll);
		pe->nb_rested--;
	}
	ctx->on_poll = ctx->on_rest = false;
}

void
rte_comch_pmd_queue_ring(struct rte_comch_ctx *ctx)
{
	if (ctx->nb_submitted != 0)
		comch_fp_poll_add(ctx);
}

/*
 * A queue that was quiet for some time. The driver tells when something comes, if it
 * can; then it is in no list until rte_comch_pmd_queue_ring().
 */
static void
poll_rest(struct rte_comch_ctx *ctx)
{
	rte_comch_queue_rest_t queue_rest = ctx->dev->ops->queue_rest;
	int ret = queue_rest != NULL ? queue_rest(ctx) : -ENOTSUP;

	if (ret == -EAGAIN)
		return; /* asked again in the next turn */
	comch_fp_poll_del(ctx);
	if (ret == 0)
		return;
	ctx->on_rest = true;
	ctx->pe->nb_rested++;
	TAILQ_INSERT_TAIL(&ctx->pe->rested, ctx, next_poll);
}

/* The region that a task sends from stays until its end. */
static void
task_mem_hold(const struct rte_comch_task *task)
{
	if (task->ctx->type == RTE_COMCH_CTX_PRODUCER && task->send.len != 0)
		__atomic_fetch_add((uint32_t *)(uintptr_t)&task->send.mem->nb_tasks, 1,
			__ATOMIC_RELAXED);
}

static void
task_mem_drop(const struct rte_comch_task *task)
{
	/* release: pairs with the acquire in rte_comch_mem_free() */
	if (task->ctx->type == RTE_COMCH_CTX_PRODUCER && task->send.len != 0)
		__atomic_fetch_sub((uint32_t *)(uintptr_t)&task->send.mem->nb_tasks, 1,
			__ATOMIC_RELEASE);
}

int
comch_fp_task_submit(struct rte_comch_task *task)
{
	struct rte_comch_ctx *ctx = task->ctx;
	struct rte_comch_room room;
	uint32_t consumer_id = 0;
	uint16_t nb;
	int ret;

	if (unlikely(ctx->state != RTE_COMCH_STATE_RUNNING))
		return -EBUSY;
	if (ctx->type == RTE_COMCH_CTX_CONSUMER) {
		task->post.cookie = (uintptr_t)task;
		nb = ctx->drv.post(ctx->drv.queue, &task->post, 1);
	} else {
		task->send.cookie = (uintptr_t)task;
		task->send.flags = 0;
		consumer_id = task->consumer_id;
		nb = ctx->drv.send(ctx->drv.queue, consumer_id, &task->send, 1);
	}
	if (unlikely(nb == 0)) {
		ret = ctx->dev->ops->queue_room(ctx, consumer_id, &room);
		if (ret != 0)
			return ret;
		return room.reason == -ENOBUFS ? -EAGAIN : room.reason;
	}
	task->submitted = true;
	task_mem_hold(task);
	ctx->nb_submitted++;
	comch_fp_poll_add(ctx);
	comch_pe_touch(ctx->pe);
	return 0;
}

/* The ends of some tasks of a queue; how many. */
static int
queue_poll(struct rte_comch_ctx *ctx)
{
	struct rte_comch_cpl cpls[COMCH_FP_BURST];
	struct rte_comch_task *task;
	uint16_t i, nb;

	nb = ctx->drv.poll(ctx->drv.queue, cpls, RTE_DIM(cpls));
	ctx->in_callback++;
	for (i = 0; i < nb; i++) {
		task = (struct rte_comch_task *)(uintptr_t)cpls[i].cookie;
		task->submitted = false;
		task_mem_drop(task);
		ctx->nb_submitted--;
		if (ctx->type == RTE_COMCH_CTX_CONSUMER)
			ctx->post_cb(task, &cpls[i], ctx->conf.user_data);
		else
			ctx->conf.send_cb(task, cpls[i].status, ctx->conf.user_data);
	}
	ctx->in_callback--;
	return nb;
}

/* One turn of a queue, which is in one of the lists. */
static int
queue_turn(struct rte_comch_ctx *ctx)
{
	int nb;

	/* stopped in a callback, it may have become IDLE: then it is in no list */
	nb = queue_poll(ctx);
	if (!ctx->on_poll && !ctx->on_rest)
		return nb;
	if (ctx->nb_submitted == 0)
		comch_fp_poll_del(ctx);
	else if (nb != 0)
		comch_fp_poll_add(ctx);
	else if (ctx->on_poll && ++ctx->idle_polls >= COMCH_FP_IDLE_POLLS)
		poll_rest(ctx);
	return nb;
}

/*
 * One turn of all queues with tasks. Those that were quiet for some time are the
 * driver's to look after. If it cannot, they are looked at in turns, a few at a time,
 * so that the cost does not grow with what only exists.
 */
int
comch_fp_poll(struct rte_comch_pe *pe)
{
	struct rte_comch_ctx *ctx;
	uint32_t left;
	int nb = 0;

	/* callbacks may add to a list or take from it: count, and begin at its head */
	for (left = pe->nb_polled; left > 0; left--) {
		ctx = TAILQ_FIRST(&pe->polled);
		if (ctx == NULL)
			break;
		TAILQ_REMOVE(&pe->polled, ctx, next_poll);
		TAILQ_INSERT_TAIL(&pe->polled, ctx, next_poll);
		nb += queue_turn(ctx);
	}
	for (left = RTE_MIN(pe->nb_rested, (uint32_t)COMCH_FP_REST_POLLS); left > 0; left--) {
		ctx = TAILQ_FIRST(&pe->rested);
		if (ctx == NULL)
			break;
		TAILQ_REMOVE(&pe->rested, ctx, next_poll);
		TAILQ_INSERT_TAIL(&pe->rested, ctx, next_poll);
		nb += queue_turn(ctx);
	}
	return nb;
}

static int
send_check(const struct rte_comch_send *send)
{
	if (send == NULL || (send->len != 0 && send->addr == NULL) ||
			(send->imm_len != 0 && send->imm == NULL))
		return -EINVAL;
	return 0;
}

int
rte_comch_producer_task_alloc(struct rte_comch_ctx *ctx, uint32_t consumer_id,
		const struct rte_comch_send *send, struct rte_comch_task **task)
{
	int ret;

	if (ctx == NULL || task == NULL || ctx->type != RTE_COMCH_CTX_PRODUCER ||
			ctx->max_tasks == 0 || send_check(send) != 0)
		return -EINVAL;
	ret = comch_task_get(ctx, task);
	if (ret != 0)
		return ret;
	(*task)->send = *send;
	(*task)->consumer_id = consumer_id;
	return 0;
}

int
rte_comch_producer_task_set(struct rte_comch_task *task, uint32_t consumer_id,
		const struct rte_comch_send *send)
{
	if (task == NULL || task->ctx->type != RTE_COMCH_CTX_PRODUCER || send_check(send) != 0)
		return -EINVAL;
	if (task->submitted)
		return -EBUSY;
	task->send = *send;
	task->consumer_id = consumer_id;
	return 0;
}

int
rte_comch_consumer_task_alloc(struct rte_comch_ctx *ctx, const struct rte_comch_post *post,
		struct rte_comch_task **task)
{
	static const struct rte_comch_post none;
	int ret;

	if (ctx == NULL || task == NULL || ctx->type != RTE_COMCH_CTX_CONSUMER ||
			ctx->max_tasks == 0)
		return -EINVAL;
	ret = comch_task_get(ctx, task);
	if (ret != 0)
		return ret;
	(*task)->post = post != NULL ? *post : none;
	return 0;
}

int
rte_comch_consumer_task_set(struct rte_comch_task *task, const struct rte_comch_post *post)
{
	static const struct rte_comch_post none;

	if (task == NULL || task->ctx->type != RTE_COMCH_CTX_CONSUMER)
		return -EINVAL;
	if (task->submitted)
		return -EBUSY;
	task->post = post != NULL ? *post : none;
	return 0;
}

int
rte_comch_consumer_task_get(const struct rte_comch_task *task, struct rte_comch_post *post)
{
	if (task == NULL || post == NULL || task->ctx->type != RTE_COMCH_CTX_CONSUMER)
		return -EINVAL;
	*post = task->post;
	return 0;
}
