/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The fast path as far as it is the library's: the functions of a queue that is
 * not there, and the check of debug builds. The bursts themselves are the driver's.
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
