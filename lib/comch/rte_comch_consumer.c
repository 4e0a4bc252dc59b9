/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Consumers: how they are announced to the peer and how the peer's are learned.
 *
 * A consumer may be on another progress engine than its connection, and the
 * announcement travels on the connection. So starting and stopping are requests
 * from the consumer's thread to the connection's, each with one answer; at most
 * one is under way. The end of the connection is news of its own, because it
 * can meet a request half way. The events are parts of the context, which
 * stays until the last one has come home: a context is not IDLE before.
 */

#include <errno.h>
#include <string.h>

#include <rte_byteorder.h>

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

/* In the thread of the connection. */
static void
consumer_request_handler(struct rte_comch_pmd_event *ev)
{
	struct rte_comch_ctx *ctx = container_of(ev, struct rte_comch_ctx, to_conn);
	struct rte_comch_conn *conn = ctx->conn;

	if (conn->state != RTE_COMCH_CONN_UP) {
		consumer_answer(ctx, -ENOTCONN);
		return;
	}
	TAILQ_INSERT_TAIL(&conn->announcements, ctx, next_ann);
	comch_pe_retry_add(conn);
}

/* In the thread of the connection: send what waits. */
int
comch_consumer_announce(struct rte_comch_conn *conn)
{
	struct rte_comch_ctx *ctx;
	enum rte_comch_msg_type type;
	uint32_t seq;
	uint32_t id;
	int nb = 0;

	while ((ctx = TAILQ_FIRST(&conn->announcements)) != NULL) {
		id = rte_cpu_to_le_32(ctx->consumer_id);
		type = ctx->announced ? RTE_COMCH_MSG_CONSUMER_GONE : RTE_COMCH_MSG_CONSUMER_NEW;
		if (conn->ctx->dev->ops->conn_send(conn, type, &id, sizeof(id), false,
				&seq) != 0)
			break;
		TAILQ_REMOVE(&conn->announcements, ctx, next_ann);
		consumer_answer(ctx, 0);
		nb++;
	}
	return nb;
}

/* In the thread of the connection, which is over. */
void
comch_consumer_conn_down(struct rte_comch_conn *conn)
{
	struct rte_comch_ctx *ctx;

	while ((ctx = TAILQ_FIRST(&conn->announcements)) != NULL) {
		TAILQ_REMOVE(&conn->announcements, ctx, next_ann);
		consumer_answer(ctx, -ENOTCONN);
	}
	rte_spinlock_lock(&conn->lock);
	TAILQ_FOREACH(ctx, &conn->consumers, next_conn) {
		if (!ctx->started)
			continue;
		ctx->started = false;
		ctx->nb_events++;
		if (rte_comch_pmd_event_post(ctx->pe, &ctx->conn_down) != 0)
			ctx->nb_events--;
	}
	rte_spinlock_unlock(&conn->lock);
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

/* Forget one event under way; the number that is left. */
static uint32_t
consumer_event_done(struct rte_comch_ctx *ctx)
{
	uint32_t left;

	rte_spinlock_lock(&ctx->conn->lock);
	left = --ctx->nb_events;
	rte_spinlock_unlock(&ctx->conn->lock);
	return left;
}

/* Become IDLE, unless an event under way still points here. */
static void
consumer_try_idle(struct rte_comch_ctx *ctx)
{
	uint32_t left;

	rte_spinlock_lock(&ctx->conn->lock);
	ctx->started = false; /* no news from here on */
	left = ctx->nb_events;
	rte_spinlock_unlock(&ctx->conn->lock);
	if (left != 0)
		return;
	ctx->announced = false;
	comch_ctx_state_set(ctx, RTE_COMCH_STATE_IDLE);
}

/* In the thread of the consumer. */
static void
consumer_answer_handler(struct rte_comch_pmd_event *ev)
{
	struct rte_comch_ctx *ctx = container_of(ev, struct rte_comch_ctx, to_ctx);

	consumer_event_done(ctx);
	if (ctx->answer == 0)
		ctx->announced = !ctx->announced;
	else if (ctx->reason == 0 && ctx->state == RTE_COMCH_STATE_STARTING)
		ctx->reason = ctx->answer;

	switch (ctx->state) {
	case RTE_COMCH_STATE_STARTING:
		if (ctx->answer == 0)
			comch_ctx_state_set(ctx, RTE_COMCH_STATE_RUNNING);
		else
			consumer_try_idle(ctx);
		break;
	case RTE_COMCH_STATE_STOPPING:
		/* stopped while its arrival was under way: now it can depart */
		if (ctx->announced && ctx->answer == 0) {
			switch (consumer_request(ctx)) {
			case 0:
				return;
			case -EAGAIN:
				comch_pe_work_add(ctx); /* once more in the next turn */
				return;
			}
		}
		consumer_try_idle(ctx);
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

	consumer_event_done(ctx);
	if (ctx->state == RTE_COMCH_STATE_STARTING || ctx->state == RTE_COMCH_STATE_RUNNING) {
		ctx->reason = -ECONNRESET;
		comch_ctx_state_set(ctx, RTE_COMCH_STATE_STOPPING);
	}
	consumer_try_idle(ctx);
}

int
comch_consumer_start(struct rte_comch_ctx *ctx)
{
	int ret;

	ctx->to_conn.handler = consumer_request_handler;
	ctx->to_ctx.handler = consumer_answer_handler;
	ctx->conn_down.handler = consumer_conn_down_handler;
	ctx->announced = false;
	ret = consumer_request(ctx);
	if (ret != 0)
		return ret;
	comch_ctx_state_set(ctx, RTE_COMCH_STATE_STARTING);
	return -EINPROGRESS;
}

int
comch_consumer_stop(struct rte_comch_ctx *ctx)
{
	int ret = -EINPROGRESS;

	/* one that is STARTING has a request under way, whose answer goes on */
	if (ctx->state == RTE_COMCH_STATE_RUNNING)
		ret = consumer_request(ctx);
	if (ret == -EAGAIN)
		return ret;
	comch_ctx_state_set(ctx, RTE_COMCH_STATE_STOPPING);
	if (ret == -ENOTCONN)
		consumer_try_idle(ctx);
	return ctx->state == RTE_COMCH_STATE_IDLE ? 0 : -EINPROGRESS;
}

/* In progress: a departure that found no room. */
void
comch_consumer_work(struct rte_comch_ctx *ctx)
{
	int ret;

	if (ctx->state != RTE_COMCH_STATE_STOPPING || !ctx->announced)
		return;
	ret = consumer_request(ctx);
	if (ret == -EAGAIN)
		comch_pe_work_add(ctx);
	else if (ret == -ENOTCONN)
		consumer_try_idle(ctx);
}

void
comch_consumer_destroy(struct rte_comch_ctx *ctx)
{
	struct rte_comch_conn *conn = ctx->conn;

	rte_spinlock_lock(&conn->lock);
	TAILQ_REMOVE(&conn->consumers, ctx, next_conn);
	conn->consumer_ids[ctx->consumer_id / 64] &= ~RTE_BIT64(ctx->consumer_id % 64);
	conn->nb_consumers--;
	rte_spinlock_unlock(&conn->lock);
	comch_conn_put(conn);
}

int
rte_comch_consumer_id_get(const struct rte_comch_ctx *ctx)
{
	if (ctx == NULL || ctx->type != RTE_COMCH_CTX_CONSUMER)
		return -EINVAL;
	return ctx->consumer_id;
}

/* News of the peer's consumers, from a peer that may say anything. */
int
comch_consumer_msg(struct rte_comch_conn *conn, uint32_t type, const void *data, uint32_t len)
{
	struct rte_comch_ctx *ctx = conn->ctx;
	rte_comch_consumer_cb_t cb;
	bool known;
	uint32_t id;

	if (type != RTE_COMCH_MSG_CONSUMER_NEW && type != RTE_COMCH_MSG_CONSUMER_GONE)
		return -EPROTO;
	if (len != sizeof(id))
		return -EPROTO;
	memcpy(&id, data, sizeof(id));
	id = rte_le_to_cpu_32(id);
	if (id == 0 || id > ctx->dev->info.max_consumers)
		return -EPROTO;
	known = (conn->remote_consumers[id / 64] & RTE_BIT64(id % 64)) != 0;
	if (known == (type == RTE_COMCH_MSG_CONSUMER_NEW))
		return -EPROTO;
	conn->remote_consumers[id / 64] ^= RTE_BIT64(id % 64);
	if (known) {
		conn->nb_remote_consumers--;
		cb = ctx->conf.consumer_gone_cb;
	} else {
		conn->nb_remote_consumers++;
		cb = ctx->conf.consumer_new_cb;
	}
	if (cb != NULL) {
		ctx->in_callback++;
		cb(conn, id, ctx->conf.user_data);
		ctx->in_callback--;
	}
	return 0;
}
