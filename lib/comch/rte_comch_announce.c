/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Consumers: how they are announced to the peer, and how they stop.
 *
 * A consumer may be on another progress engine than its connection, and the
 * announcement is a matter of the connection. So a start is a request from the
 * consumer's thread to the connection's, with one answer, which is an event and a part of
 * the context: it stays until the event has come home. The end of the connection
 * is news of its own, because it can meet a request half way.
 * A driver has a time limit for its answer, kept by the connection's engine.
 *
 * A stop needs the consumer's own engine alone. So the request is an object of its own,
 * of the connection's thread, which the consumer lets go of when it stops: the answer goes
 * nowhere then. Until it has come, no consumer with the same slot is announced.
 * The driver withdraws what the peer was told of.
 */

#include <errno.h>
#include <stdlib.h>

#include "comch_id.h"
#include "comch_private.h"

/* A request to announce a consumer; in the thread of the connection, unless said. */
struct comch_ask {
	struct rte_comch_pmd_event ev;      /* on its way to the connection, */
	struct rte_comch_pe *pe;            /* in the mailbox of its engine */
	struct rte_comch_pmd_ending ending; /* bounds the wait for the answer */
	struct comch_conn *conn;            /* referenced */
	uint32_t id;                        /* of the consumer */
	struct comch_ask *waits;            /* for the answer to this one, or NULL */
	TAILQ_ENTRY(comch_ask) next;        /* of the connection: the driver owes an answer */
	/* under the lock of the connection */
	struct comch_queue *queue;          /* who waits; NULL: nobody any more */
	bool at_driver;                     /* the driver looks at the queue */
};

static void
ask_free(struct comch_ask *ask)
{
	struct comch_parent *parent = &ask->conn->parent;

	free(ask);
	comch_parent_put(parent);
}

/*
 * The handler takes the lock first: so while it is held, the consumer and its
 * engine stay, even if the answer is the last that they wait for.
 */
static void
ask_answer(struct comch_ask *ask, int answer, bool unanswered)
{
	struct comch_parent *parent = &ask->conn->parent;
	struct comch_queue *queue;

	rte_spinlock_lock(&parent->lock);
	queue = ask->queue;
	if (queue != NULL) {
		queue->ask = NULL;
		queue->answer = answer;
		queue->unanswered = unanswered;
		queue->nb_events++;
		/* the mailbox has room for this: see COMCH_PE_MAILBOX_SIZE */
		if (rte_comch_pmd_event_post(queue->ctx.pe, &queue->answered) != 0)
			COMCH_LOG(ERR, "%s: the mailbox of a consumer's engine is full, progress that engine",
				parent->dev->data->name);
	}
	rte_spinlock_unlock(&parent->lock);
	ask_free(ask);
}

static void ask_end(struct comch_ask *ask, int answer, bool unanswered);

/* The driver has not answered in time. */
static void
ask_unanswered(struct rte_comch_pmd_ending *ending)
{
	ask_end(container_of(ending, struct comch_ask, ending), -ETIMEDOUT, true);
}

static void
ask_announce(struct comch_ask *ask)
{
	struct comch_conn *conn = ask->conn;
	struct rte_comch_dev *dev = conn->parent.dev;
	struct comch_queue *queue;
	int ret;

	rte_spinlock_lock(&conn->parent.lock);
	queue = ask->queue;
	ask->at_driver = queue != NULL; /* and stays as long as this is set */
	rte_spinlock_unlock(&conn->parent.lock);
	if (queue == NULL) {
		ask_free(ask);
		return;
	}
	TAILQ_INSERT_TAIL(&conn->asks, ask, next);
	comch_ending_begin(&ask->ending, dev, conn->ctrl->ctx.pe, ask_unanswered);
	comch_ending_limit_set(&ask->ending, RTE_COMCH_PMD_ANSWER_MS);
	comch_ending_settle(&ask->ending, -EINPROGRESS);
	ret = dev->ops->consumer_announce(&queue->drv);
	rte_spinlock_lock(&conn->parent.lock);
	ask->at_driver = false;
	rte_spinlock_unlock(&conn->parent.lock);
	if (ret != 0)
		ask_end(ask, ret, false);
}

/* The driver owes no answer any more: the one that waits for that has its turn. */
static void
ask_end(struct comch_ask *ask, int answer, bool unanswered)
{
	struct comch_ask *waits = ask->waits;

	comch_ending_cancel(&ask->ending);
	TAILQ_REMOVE(&ask->conn->asks, ask, next);
	ask_answer(ask, answer, unanswered);
	if (waits != NULL)
		ask_announce(waits);
}

/* The one that the driver owes an answer to, of this consumer or of one with its slot. */
static struct comch_ask *
ask_find(const struct comch_conn *conn, uint32_t id)
{
	const uint32_t mask = comch_id_slots(conn->parent.consumers.max) - 1;
	struct comch_ask *ask;

	TAILQ_FOREACH(ask, &conn->asks, next)
		if (((ask->id ^ id) & mask) == 0)
			break;
	return ask;
}

void
rte_comch_pmd_consumer_answer(struct rte_comch_conn *conn, uint32_t consumer_id, int status)
{
	struct comch_ask *ask = ask_find(comch_conn(conn), consumer_id);

	if (ask != NULL && ask->id == consumer_id)
		ask_end(ask, status, false);
}

static void
ask_handler(struct rte_comch_pmd_event *ev)
{
	struct comch_ask *ask = container_of(ev, struct comch_ask, ev), *before;
	struct comch_conn *conn = ask->conn;
	bool waits;

	comch_pe_spare_give(ask->pe);
	rte_spinlock_lock(&conn->parent.lock);
	waits = ask->queue != NULL;
	rte_spinlock_unlock(&conn->parent.lock);
	if (!waits) { /* the connection may be on another engine by now */
		ask_free(ask);
		return;
	}
	if (conn->drv.state != RTE_COMCH_CONN_UP) {
		ask_answer(ask, -ENOTCONN, false);
		return;
	}
	before = ask_find(conn, ask->id);
	if (before == NULL) {
		ask_announce(ask);
		return;
	}
	/* nobody waits for one that has waited here: a slot is of one consumer at a time */
	if (before->waits != NULL)
		ask_answer(before->waits, -ECANCELED, false);
	before->waits = ask;
}

/* In the thread of the connection, which is over: nobody answers any more. */
void
comch_consumer_conn_down(struct comch_conn *conn)
{
	struct comch_ask *ask, *waits;

	while ((ask = TAILQ_FIRST(&conn->asks)) != NULL) {
		waits = ask->waits;
		ask->waits = NULL;
		ask_end(ask, -ENOTCONN, false);
		if (waits != NULL)
			ask_answer(waits, -ENOTCONN, false);
	}
}

/* Hand a request to the connection: 0, -ENOTCONN, -ENOMEM, or -EAGAIN for no room. */
static int
consumer_request(struct comch_queue *queue)
{
	struct comch_conn *conn = comch_queue_conn(queue);
	struct comch_ask *ask = calloc(1, sizeof(*ask));
	int ret = 0;

	if (ask == NULL)
		return -ENOMEM;
	ask->ev.handler = ask_handler;
	ask->conn = conn;
	ask->id = queue->drv.id;
	ask->queue = queue;
	/* under the lock, the engine of a connection that is up cannot go away */
	rte_spinlock_lock(&conn->parent.lock);
	if (conn->drv.state != RTE_COMCH_CONN_UP) {
		ret = -ENOTCONN;
	} else {
		ask->pe = conn->ctrl->ctx.pe;
		if (comch_pe_spare_take(ask->pe))
			rte_comch_pmd_event_post(ask->pe, &ask->ev);
		else
			ret = -EAGAIN;
	}
	if (ret == 0) {
		queue->started = true;
		queue->ask = ask;
		conn->parent.refs++;
	}
	rte_spinlock_unlock(&conn->parent.lock);
	if (ret != 0)
		free(ask);
	return ret;
}

/*
 * In the thread of the consumer, with the lock of its connection: it waits for no answer any
 * more. False: in a moment, the other thread is about to hand it to the driver.
 */
bool
comch_consumer_unask_locked(struct comch_queue *queue)
{
	struct comch_ask *ask = queue->ask;

	if (ask == NULL)
		return true;
	if (ask->at_driver)
		return false;
	ask->queue = NULL;
	queue->ask = NULL;
	return true;
}

/* In the thread of the consumer. */
static void
consumer_answered_handler(struct rte_comch_pmd_event *ev)
{
	struct comch_queue *queue = container_of(ev, struct comch_queue, answered);
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

	queue->answered.handler = consumer_answered_handler;
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
