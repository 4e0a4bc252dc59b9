/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Contexts as the files of their kinds see them: how one begins, changes its state, and
 * is freed. What applications call is in rte_comch_ctx.c, which knows no kind either.
 */

#include <errno.h>
#include <stdlib.h>

#include "comch_private.h"
#include "rte_comch_trace.h"

/* The common part of a structure that is all zero. */
void
comch_ctx_init(struct rte_comch_ctx *ctx, struct rte_comch_dev *dev,
		const struct comch_kind *kind)
{
	ctx->kind = kind;
	ctx->dev = dev;
	comch_fp_stubs_set(ctx);
}

/* A context is listed when it is whole: telemetry reads it from another thread. */
void
comch_ctx_publish(struct rte_comch_ctx *ctx)
{
	rte_spinlock_lock(&ctx->dev->lock);
	TAILQ_INSERT_TAIL(&ctx->dev->ctxs, ctx, next_dev);
	rte_spinlock_unlock(&ctx->dev->lock);
}

/* For messages: queues have no name of their own. */
const char *
comch_ctx_name(const struct rte_comch_ctx *ctx)
{
	return ctx->kind->is_queue ? ctx->kind->name :
		comch_ctrl((struct rte_comch_ctx *)(uintptr_t)ctx)->drv.name;
}

void
comch_ctx_state_set(struct rte_comch_ctx *ctx, enum rte_comch_state next)
{
	enum rte_comch_state prev = ctx->state;

	ctx->state = next;
	rte_comch_trace_ctx_state(ctx, prev, next, ctx->reason);
	if (ctx->state_cb == NULL)
		return;
	ctx->in_callback++;
	ctx->state_cb(ctx, prev, next, ctx->user_data);
	ctx->in_callback--;
}

/* The last step of every way down. */
void
comch_ctx_idle(struct rte_comch_ctx *ctx)
{
	comch_pool_give(&ctx->pe->tasks, ctx->max_tasks);
	comch_ctx_state_set(ctx, RTE_COMCH_STATE_IDLE);
}

/* A context that its driver may look at for good: it stays, where a debugger finds it. */
void
comch_ctx_keep(struct rte_comch_ctx *ctx)
{
	static rte_spinlock_t lock = RTE_SPINLOCK_INITIALIZER;
	static struct comch_ctx_list leaked = TAILQ_HEAD_INITIALIZER(leaked);

	rte_spinlock_lock(&lock);
	TAILQ_INSERT_TAIL(&leaked, ctx, next_dev);
	rte_spinlock_unlock(&lock);
}

/* The last of a context that was destroyed: nobody has it in hand any more. */
void
comch_ctx_free(struct rte_comch_ctx *ctx)
{
	if (ctx->lost) /* first: the device may go when it is detached */
		rte_comch_pmd_count(&ctx->dev->data->stats.retained);
	comch_pe_detach(ctx);
	if (ctx->lost)
		comch_ctx_keep(ctx);
	else
		free(ctx);
}

/* Contexts that were destroyed in one of their callbacks. */
void
comch_ctx_dead_run(struct rte_comch_pe *pe)
{
	struct rte_comch_ctx *ctx;

	while ((ctx = TAILQ_FIRST(&pe->dead)) != NULL) {
		TAILQ_REMOVE(&pe->dead, ctx, next_dev);
		pe->nb_over--;
		comch_ctx_free(ctx);
	}
}
