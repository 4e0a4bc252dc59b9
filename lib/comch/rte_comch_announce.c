/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Consumers: how they are announced to the peer, and how they take their leave.
 *
 * A consumer may be on another progress engine than its connection, and the
 * announcement is a matter of the connection. So starting and stopping are
 * requests from the consumer's thread to the connection's, each with one answer;
 * at most one is under way. The end of the connection is news of its own,
 * because it can meet a request half way. The events are parts of the context,
 * which stays until the last one has come home: a context is not IDLE before.
 */

#include <errno.h>

#include "comch_private.h"

/*
 * The handler takes the lock first: so while it is held, the consumer and its
 * engine stay, even if the answer is the last that they wait for.
 */
static void
consumer_answer(struct rte_comch_ctx *ctx, int answer)
{
	struct rte_comch_conn *conn = ctx->conn;

	rte_spinlock_lock(&conn->lock);
	ctx->answer = answer;
	/* the mailbox has room for this: see COMCH_PE_MAILBOX_SIZE */
	if (rte_comch_pmd_event_post(ctx->pe, &ctx->to_ctx) != 0)
		COMCH_LOG(ERR, "%s: the mailbox of a consumer's engine is full",
			ctx->dev->data->name);
	rte_spinlock_unlock(&conn->lock);
}

void
rte_comch_pmd_consumer_answer(struct rte_comch_ctx *ctx, int status)
{
	if (!ctx->asked)
		return;
	ctx->asked = false;
	TAILQ_REMOVE(&ctx->conn->asked, ctx, next_ask);
	consumer_answer(ctx, status);
}

/* In the thread of the connection. */
static void
consumer_request_handler(struct rte_comch_pmd_event *ev)
{
	struct rte_comch_ctx *ctx = container_of(ev, struct rte_comch_ctx, to_conn);
	struct rte_comch_conn *conn = ctx->conn;
	int ret;

	if (conn->state != RTE_COMCH_CONN_UP) {
		consumer_answer(ctx, -ENOTCONN);
		return;
	}
	ctx->asked = true;
	TAILQ_INSERT_TAIL(&conn->asked, ctx, next_ask);
	ret = ctx->dev->ops->consumer_announce(ctx, !ctx->announced);
	if (ret != 0)
		rte_comch_pmd_consumer_answer(ctx, ret);
}

/* In the thread of the connection, which is over: nobody answers any more. */
void
comch_consumer_conn_down(struct rte_comch_conn *conn)
{
	struct rte_comch_ctx *ctx;

	while ((ctx = TAILQ_FIRST(&conn->asked)) != NULL)
		rte_comch_pmd_consumer_answer(ctx, -ENOTCONN);
}

/* Hand a request to the connection: 0, -ENOTCONN, or -EAGAIN for no room. */
static int
consumer_request(struct rte_comch_ctx *ctx)
{
	struct rte_comch_conn *conn = ctx->conn;
	int ret = 0;

	/* under the lock, the engine of a connection that is up cannot go away */
	rte_spinlock_lock(&conn->lock);
	if (conn->state != RTE_COMCH_CONN_UP)
		ret = -ENOTCONN;
	else if (comch_pe_mailbox_busy(conn->ctx->pe) ||
			rte_comch_pmd_event_post(conn->ctx->pe, &ctx->to_conn) != 0)
		ret = -EAGAIN;
	if (ret == 0) {
		ctx->started = true;
		ctx->nb_events++;
	}
	rte_spinlock_unlock(&conn->lock);
	return ret;
}

/* Ask for the departure; what finds no room is asked again in the next turn. */
static void
consumer_depart(struct rte_comch_ctx *ctx)
{
	switch (consumer_request(ctx)) {
	case 0:
		break;
	case -EAGAIN:
		comch_pe_work_add(ctx);
		break;
	default:
		comch_queue_try_idle(ctx);
		break;
	}
}

/* In the thread of the consumer. */
static void
consumer_answer_handler(struct rte_comch_pmd_event *ev)
{
	struct rte_comch_ctx *ctx = container_of(ev, struct rte_comch_ctx, to_ctx);

	comch_queue_event_done(ctx);
	if (ctx->answer == 0)
		ctx->announced = !ctx->announced;
	else if (ctx->reason == 0 && ctx->state == RTE_COMCH_STATE_STARTING)
		ctx->reason = ctx->answer;

	switch (ctx->state) {
	case RTE_COMCH_STATE_STARTING:
		if (ctx->answer == 0) {
			comch_fp_running_set(ctx);
			comch_ctx_state_set(ctx, RTE_COMCH_STATE_RUNNING);
		} else {
			comch_queue_try_idle(ctx);
		}
		break;
	case RTE_COMCH_STATE_STOPPING:
		/* stopped while its arrival was under way: now it can depart */
		if (ctx->announced && ctx->answer == 0)
			consumer_depart(ctx);
		else
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
	struct rte_comch_ctx *ctx = container_of(ev, struct rte_comch_ctx, conn_down);

	comch_queue_event_done(ctx);
	if (ctx->state == RTE_COMCH_STATE_STARTING || ctx->state == RTE_COMCH_STATE_RUNNING) {
		/* the answer to a request may be older news, or still on its way */
		if (ctx->reason == 0)
			ctx->reason = ctx->state == RTE_COMCH_STATE_STARTING ?
				-ENOTCONN : -ECONNRESET;
		if (ctx->state == RTE_COMCH_STATE_RUNNING)
			comch_fp_stopping_set(ctx);
		comch_ctx_state_set(ctx, RTE_COMCH_STATE_STOPPING);
	}
	if (ctx->state == RTE_COMCH_STATE_STOPPING)
		comch_queue_try_idle(ctx);
}

int
comch_consumer_start(struct rte_comch_ctx *ctx)
{
	int ret;

	ctx->to_conn.handler = consumer_request_handler;
	ctx->to_ctx.handler = consumer_answer_handler;
	ctx->conn_down.handler = consumer_conn_down_handler;
	ctx->announced = false;
	ret = ctx->dev->ops->queue_setup(ctx, &ctx->drv);
	if (ret != 0)
		return ret;
	ret = consumer_request(ctx);
	if (ret != 0) {
		ctx->dev->ops->queue_free(ctx);
		return ret;
	}
	comch_ctx_state_set(ctx, RTE_COMCH_STATE_STARTING);
	return 0;
}

int
comch_consumer_stop(struct rte_comch_ctx *ctx)
{
	int ret = -EINPROGRESS;

	/* one that is STARTING has a request under way, whose answer goes on */
	if (ctx->state == RTE_COMCH_STATE_RUNNING) {
		ret = consumer_request(ctx);
		if (ret == -EAGAIN)
			return ret;
		comch_fp_stopping_set(ctx);
	}
	comch_ctx_state_set(ctx, RTE_COMCH_STATE_STOPPING);
	if (ret == -ENOTCONN)
		comch_queue_try_idle(ctx);
	return ctx->state == RTE_COMCH_STATE_IDLE ? 0 : -EINPROGRESS;
}

/* In progress: a departure that found no room, or posts that had to be polled. */
void
comch_consumer_work(struct rte_comch_ctx *ctx)
{
	uint32_t under_way;

	rte_spinlock_lock(&ctx->conn->lock);
	under_way = ctx->nb_events;
	rte_spinlock_unlock(&ctx->conn->lock);
	if (under_way != 0)
		return;
	if (ctx->announced && !ctx->flushing)
		consumer_depart(ctx);
	else
		comch_queue_try_idle(ctx);
}

void
rte_comch_pmd_remote_consumer(struct rte_comch_conn *conn, uint32_t consumer_id, bool here)
{
	struct rte_comch_ctx *ctx = conn->ctx;
	rte_comch_consumer_cb_t cb = here ?
		ctx->conf.consumer_new_cb : ctx->conf.consumer_gone_cb;

	conn->nb_remote_consumers += here ? 1 : -1;
	if (cb == NULL)
		return;
	ctx->in_callback++;
	cb(conn, consumer_id, ctx->conf.user_data);
	ctx->in_callback--;
}
