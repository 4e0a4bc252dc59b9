/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The fast path as far as it is the library's: the functions of a queue that has no
 * such bursts, and the check of debug builds. The bursts themselves are the driver's.
 */

#include <errno.h>
#include <stddef.h>

#include <rte_eal.h>

#include "comch_private.h"

/* What crosses to applications and drivers on the fast path. */
_Static_assert(sizeof(struct rte_comch_cpl) == RTE_COMCH_CPL_SIZE, "cpl");
_Static_assert(offsetof(struct rte_comch_cpl, imm) == 32, "cpl.imm");
_Static_assert(offsetof(struct rte_comch_cpl, imm_ext) == 32, "cpl.imm_ext");
_Static_assert(sizeof(struct rte_comch_post) == 32, "post");
_Static_assert(sizeof(struct rte_comch_send) == 64, "send");

/*
 * Stubs: of contexts that are no running producer or consumer, of queues with tasks,
 * and of the other kind: a producer that posts, a consumer that sends. They say so,
 * once, because whoever calls them does it in a loop.
 *
 * Where all functions are stubs, the queue is the context, one byte off. Else it is
 * the driver's, of which nothing is known here; no driver's queue is at an odd address.
 */
#define STUB_OF_CTX 1

static uint16_t
stub_used(void *queue)
{
	static bool logged; /* of all queues that are the driver's */
	struct rte_comch_ctx *ctx;

	if (((uintptr_t)queue & STUB_OF_CTX) == 0) {
		/* relaxed: two threads may both log */
		if (!__atomic_exchange_n(&logged, true, __ATOMIC_RELAXED))
			COMCH_LOG(ERR, "a producer does not post and a consumer does not send");
		return 0;
	}
	ctx = RTE_PTR_SUB(queue, STUB_OF_CTX);
	if (ctx->fp.reserved == 0) {
		ctx->fp.reserved = 1;
		COMCH_LOG(ERR, "%s: a burst on a context that is %s, or has no such bursts: progress until it is RUNNING, or submit tasks",
			ctx->dev->data->name, rte_comch_state_name(ctx->state));
	}
	return 0;
}

static uint16_t
stub_post(void *queue, const struct rte_comch_post *posts __rte_unused,
		uint16_t nb __rte_unused)
{
	return stub_used(queue);
}

static uint16_t
stub_send(void *queue, uint32_t consumer_id __rte_unused,
		const struct rte_comch_send *msgs __rte_unused, uint16_t nb __rte_unused)
{
	return stub_used(queue);
}

static uint16_t
stub_poll(void *queue, struct rte_comch_cpl *cpls __rte_unused, uint16_t nb __rte_unused)
{
	return stub_used(queue);
}

static uint32_t
stub_credits(void *queue, uint32_t consumer_id __rte_unused)
{
	return stub_used(queue);
}

static uint16_t
stub_tx(void *queue, uint32_t consumer_id __rte_unused, struct rte_mbuf **pkts __rte_unused,
		uint16_t nb __rte_unused)
{
	return stub_used(queue);
}

static uint16_t
stub_rx(void *queue, struct rte_mbuf **pkts __rte_unused, uint16_t nb __rte_unused)
{
	return stub_used(queue);
}

static const struct rte_comch_fp_object stubs = {
	.post = stub_post,
	.send = stub_send,
	.poll = stub_poll,
	.credits = stub_credits,
	.tx_mbuf = stub_tx,
	.rx_mbuf = stub_rx,
};

/* Of a queue that is stopping, which is no mistake of the application. */
static uint16_t
stopping_post(void *queue __rte_unused, const struct rte_comch_post *posts __rte_unused,
		uint16_t nb __rte_unused)
{
	return 0;
}

static uint16_t
stopping_send(void *queue __rte_unused, uint32_t consumer_id __rte_unused,
		const struct rte_comch_send *msgs __rte_unused, uint16_t nb __rte_unused)
{
	return 0;
}

static uint16_t
stopping_tx(void *queue __rte_unused, uint32_t consumer_id __rte_unused,
		struct rte_mbuf **pkts __rte_unused, uint16_t nb __rte_unused)
{
	return 0;
}

/*
 * Of a consumer that is STARTING, and of a queue that was stopped: a loop begins before
 * its peer, and as a queue becomes IDLE inside of a turn of its engine, one that takes
 * what is left calls once more. That is no mistake either.
 */
static uint16_t
quiet_poll(void *queue __rte_unused, struct rte_comch_cpl *cpls __rte_unused,
		uint16_t nb __rte_unused)
{
	return 0;
}

static uint16_t
quiet_rx(void *queue __rte_unused, struct rte_mbuf **pkts __rte_unused,
		uint16_t nb __rte_unused)
{
	return 0;
}

static void
fp_set(struct rte_comch_ctx *ctx, const struct rte_comch_fp_object *fp)
{
	uint64_t owner = ctx->fp.owner; /* of debug builds */

	ctx->fp = *fp;
	ctx->fp.owner = owner;
}

void
comch_fp_stubs_set(struct rte_comch_ctx *ctx)
{
	fp_set(ctx, &stubs);
	ctx->fp.queue = RTE_PTR_ADD(ctx, STUB_OF_CTX);
}

void
comch_fp_quiet_set(struct comch_queue *queue)
{
	comch_fp_stubs_set(&queue->ctx);
	if (queue->ctx.max_tasks == 0) {
		queue->ctx.fp.poll = quiet_poll;
		queue->ctx.fp.rx_mbuf = quiet_rx;
	}
}

/* One with tasks keeps its bursts for itself. */
void
comch_fp_running_set(struct comch_queue *queue)
{
	struct rte_comch_fp_object fp = queue->fns;

	if (queue->ctx.max_tasks != 0)
		return;
	if (fp.post == NULL)
		fp.post = stub_post;
	if (fp.send == NULL)
		fp.send = stub_send;
	if (fp.credits == NULL)
		fp.credits = stub_credits;
	if (fp.tx_mbuf == NULL)
		fp.tx_mbuf = stub_tx;
	if (fp.rx_mbuf == NULL)
		fp.rx_mbuf = stub_rx;
	fp_set(&queue->ctx, &fp);
}

void
comch_fp_stopping_set(struct comch_queue *queue)
{
	if (queue->ctx.max_tasks != 0)
		return;
	if (queue->drv.is_consumer) {
		queue->ctx.fp.post = stopping_post;
	} else {
		queue->ctx.fp.send = stopping_send;
		queue->ctx.fp.tx_mbuf = stopping_tx;
	}
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
	/* pairs with the release in rte_comch_fp_end() */
	if (__atomic_compare_exchange_n(&ctx->fp.owner, &nobody, (uint64_t)rte_gettid(), false,
			__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return true;
	COMCH_LOG(ERR, "%s: thread %d uses a queue while thread %u is inside: one queue is for one thread",
		ctx->dev->data->name, rte_gettid(), (uint32_t)nobody);
	return false;
}
