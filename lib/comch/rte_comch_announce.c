/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Consumers: how they are announced to the peer, and how they stop.
 *
 * A consumer may be on another progress engine than its connection, and the
 * announcement is a matter of the connection. So a start is a request from the
 * consumer's thread to the connection's, with one answer. The end of the connection
 * is news of its own, because it can meet a request half way. The events are parts of
 * the context, which stays until the last one has come home: a context is not IDLE before.
 * A driver has a time limit for its answer, kept by the connection's engine.
 * A stop needs the consumer's own engine alone: the driver withdraws it.
 */

#include <errno.h>

#include "comch_private.h"

/*
 * The handler takes the lock first: so while it is held, the consumer and its
 * engine stay, even if the answer is the last that they wait for.
 */
static void
consumer_answer(struct comch_queue *queue, int answer)
{
	struct comch_conn *conn = comch_queue_conn(queue);

	rte_spinlock_lock(&conn->parent.lock);
	queue->answer = answer;
	/* the mailbox has room for this: see COMCH_PE_MAILBOX_SIZE */
	if (rte_comch_pmd_event_post(queue->ctx.pe, &queue->to_ctx) != 0)
		COMCH_LOG(ERR, "%s: the mailbox of a consumer's engine is full, progress that engine",
			queue->ctx.dev->data->name);
	rte_spinlock_unlock(&conn->parent.lock);
}

static void
consumer_answered(struct comch_queue *queue, int status)
{
	if (!queue->asked)
		return;
	queue->asked = false;
	comch_ending_cancel(&queue->ask_ending);
	TAILQ_REMOVE(&comch_queue_conn(queue)->asked, queue, next_ask);
	consumer_answer(queue, status);
}

void
rte_comch_pmd_consumer_answer(struct rte_comch_queue *drv, int status)
{
	consumer_answered(comch_queue_of_drv(drv), status);
}

/* In the thread of the connection: the driver has not answered in time. */
static void
consumer_unanswered(struct rte_comch_pmd_ending *ending)
{
	struct comch_queue *queue = container_of(ending, struct comch_queue, ask_ending);

	queue->unanswered = true; /* read behind the lock of the answer */
	consumer_answered(queue, -ETIMEDOUT);
}

/* In the thread of the connection. */
static void
consumer_request_handler(struct rte_comch_pmd_event *ev)
{
	struct comch_queue *queue = container_of(ev, struct comch_queue, to_conn);
	struct comch_conn *conn = comch_queue_conn(queue);
	int ret;

	if (conn->drv.state != RTE_COMCH_CONN_UP) {
		consumer_answer(queue, -ENOTCONN);
		return;
	}
	queue->asked = true;
	TAILQ_INSERT_TAIL(&conn->asked, queue, next_ask);
	comch_ending_begin(&queue->ask_ending, conn->parent.dev, conn->ctrl->ctx.pe,
			consumer_unanswered);
	comch_ending_limit_set(&queue->ask_ending, RTE_COMCH_PMD_ANSWER_MS);
	comch_ending_settle(&queue->ask_ending, -EINPROGRESS);
	ret = queue->ctx.dev->ops->consumer_announce(&queue->drv);
	if (ret != 0)
		consumer_answered(queue, ret);
}

/* In the thread of the connection, which is over: nobody answers any more. */
void
comch_consumer_conn_down(struct comch_conn *conn)
{
	struct comch_queue *queue;

	while ((queue = TAILQ_FIRST(&conn->asked)) != NULL)
		consumer_answered(queue, -ENOTCONN);
}

/* Hand a request to the connection: 0, -ENOTCONN, or -EAGAIN for no room. */
static int
consumer_request(struct comch_queue *queue)
{
	struct comch_conn *conn = comch_queue_conn(queue);
	struct rte_comch_pe *pe;
	int ret = 0;

	/* under the lock, the engine of a connection that is up cannot go away */
	rte_spinlock_lock(&conn->parent.lock);
	if (conn->drv.state != RTE_COMCH_CONN_UP) {
		ret = -ENOTCONN;
	} else {
		pe = conn->ctrl->ctx.pe;
		if (comch_pe_mailbox_busy(pe) || rte_comch_pmd_event_post(pe, &queue->to_conn) != 0)
			ret = -EAGAIN;
	}
	if (ret == 0) {
		queue->started = true;
		queue->nb_events++;
	}
	rte_spinlock_unlock(&conn->parent.lock);
	return ret;
}

/* In the thread of the consumer. */
static void
consumer_answer_handler(struct rte_comch_pmd_event *ev)
{
	struct comch_queue *queue = container_of(ev, struct comch_queue, to_ctx);
	struct rte_comch_ctx *ctx = &queue->ctx;

	comch_queue_event_done(queue);
	ctx->lost |= queue->unanswered;
	if (queue->answer != 0 && ctx->reason == 0 &&
			(ctx->state == RTE_COMCH_STATE_STARTING || queue->unanswered))
		ctx->reason = queue->answer;

	switch (ctx->state) {
	case RTE_COMCH_STATE_STARTING:
		if (queue->answer == 0) {
			comch_fp_running_set(queue);
			comch_ctx_state_set(ctx, RTE_COMCH_STATE_RUNNING);
		} else {
			comch_queue_try_idle(ctx);
		}
		break;
	case RTE_COMCH_STATE_STOPPING:
		/* stopped while its arrival was under way */
		comch_queue_try_idle(ctx);
		break;
	default:
		break;
	}
}

/* In the thread of the consumer. */
static void
consumer_conn_down_handler(struct rte_comch_pmd_event *ev)
{
	struct comch_queue *queue = container_of(ev, struct comch_queue, parent_down);
	struct rte_comch_ctx *ctx = &queue->ctx;

	comch_queue_event_done(queue);
	if (ctx->state == RTE_COMCH_STATE_STARTING || ctx->state == RTE_COMCH_STATE_RUNNING) {
		/* the answer to a request may be older news, or still on its way */
		if (ctx->reason == 0)
			ctx->reason = ctx->state == RTE_COMCH_STATE_STARTING ?
				-ENOTCONN : -ECONNRESET;
		if (ctx->state == RTE_COMCH_STATE_RUNNING)
			comch_fp_stopping_set(queue);
		comch_ctx_state_set(ctx, RTE_COMCH_STATE_STOPPING);
	}
	if (ctx->state == RTE_COMCH_STATE_STOPPING)
		comch_queue_try_idle(ctx);
}

int
comch_consumer_start(struct rte_comch_ctx *ctx)
{
	struct comch_queue *queue = comch_queue(ctx);
	int ret;

	queue->to_conn.handler = consumer_request_handler;
	queue->to_ctx.handler = consumer_answer_handler;
	queue->parent_down.handler = consumer_conn_down_handler;
	queue->unanswered = false;
	ret = comch_queue_setup(queue);
	if (ret != 0)
		return ret;
	ret = consumer_request(queue);
	if (ret != 0)
		return comch_queue_start_failed(queue, ret);
	comch_fp_quiet_set(queue);
	comch_ctx_state_set(ctx, RTE_COMCH_STATE_STARTING);
	return 0;
}

int
comch_consumer_stop(struct rte_comch_ctx *ctx)
{
	const bool running = ctx->state == RTE_COMCH_STATE_RUNNING;
	struct comch_queue *queue = comch_queue(ctx);

	/* one that is STARTING has a request under way, whose answer goes on */
	if (running)
		comch_fp_stopping_set(queue);
	comch_ctx_state_set(ctx, RTE_COMCH_STATE_STOPPING);
	/*
	 * Withdrawn at once, but what has come can be taken until its engine has turned. The
	 * callback may have freed the last task, and even destroyed it.
	 */
	if (ctx->state == RTE_COMCH_STATE_STOPPING) {
		if (running)
			comch_queue_stop(queue);
		comch_pe_work_add(ctx);
	}
	return ctx->state == RTE_COMCH_STATE_IDLE ? 0 : -EINPROGRESS;
}

/* In progress: posts that had to be polled. */
int
comch_consumer_work(struct rte_comch_ctx *ctx)
{
	struct comch_queue *queue = comch_queue(ctx);
	enum rte_comch_state state = ctx->state;
	uint32_t under_way;

	if (state != RTE_COMCH_STATE_STOPPING)
		return 0;
	rte_spinlock_lock(&queue->parent->lock);
	under_way = queue->nb_events;
	rte_spinlock_unlock(&queue->parent->lock);
	if (under_way != 0)
		return 0;
	comch_queue_try_idle(ctx);
	return ctx->state != state;
}

void
rte_comch_pmd_remote_consumer(struct rte_comch_conn *drv, uint32_t consumer_id, bool here)
{
	struct comch_conn *conn = comch_conn(drv);
	struct rte_comch_ctx *ctx = &conn->ctrl->ctx;
	rte_comch_consumer_cb_t cb = here ?
		conn->ctrl->consumer_new_cb : conn->ctrl->consumer_gone_cb;

	/* relaxed: a number for people; other threads may ask for it */
	__atomic_fetch_add(&conn->nb_remote_consumers, here ? 1 : -1, __ATOMIC_RELAXED);
	if (cb == NULL)
		return;
	ctx->in_callback++;
	cb(drv, consumer_id, ctx->user_data);
	ctx->in_callback--;
}
