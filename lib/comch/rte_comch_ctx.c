/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Contexts: what applications can do with all kinds of them. What a server or client
 * does is in rte_comch_ctrl.c, what a consumer or producer does in rte_comch_queue.c.
 */

#include <errno.h>
#include <string.h>

#include "comch_private.h"

int
rte_comch_ctx_destroy(struct rte_comch_ctx *ctx)
{
	if (ctx == NULL)
		return 0;
	if (ctx->dead) {
		COMCH_LOG(ERR, "a context was destroyed twice in its callback, destroy it once and forget it");
		return -EALREADY;
	}
	if (ctx->state != RTE_COMCH_STATE_IDLE) {
		COMCH_LOG(ERR, "%s: context '%s' is %s and has %u tasks: stop it, progress, and free its tasks first",
			ctx->dev->data->name, comch_ctx_name(ctx),
			rte_comch_state_name(ctx->state), ctx->nb_tasks);
		return -EBUSY;
	}
	/* until it is detached, its poll group keeps the device */
	rte_spinlock_lock(&ctx->dev->lock);
	TAILQ_REMOVE(&ctx->dev->ctxs, ctx, next_dev);
	if (ctx->kind->is_queue)
		comch_queue_total(&ctx->dev->past, comch_queue_of(ctx));
	rte_spinlock_unlock(&ctx->dev->lock);
	if (ctx->kind->destroy != NULL)
		ctx->kind->destroy(ctx);
	if (ctx->in_callback != 0) {
		ctx->dead = true;
		comch_pe_dead_add(ctx);
	} else {
		comch_ctx_free(ctx);
	}
	return 0;
}

int
rte_comch_ctx_conf_set(struct rte_comch_ctx *ctx, const union rte_comch_ctx_conf *conf)
{
	if (ctx == NULL || conf == NULL)
		return -EINVAL;
	if (ctx->state != RTE_COMCH_STATE_IDLE) {
		COMCH_LOG(ERR, "%s: context '%s' is %s, only an IDLE one can be configured",
			ctx->dev->data->name, comch_ctx_name(ctx),
			rte_comch_state_name(ctx->state));
		return -EBUSY;
	}
	return ctx->kind->conf_set(ctx, conf);
}

int
rte_comch_ctx_attach(struct rte_comch_ctx *ctx, struct rte_comch_pe *pe)
{
	if (ctx == NULL || pe == NULL)
		return -EINVAL;
	if (ctx->state != RTE_COMCH_STATE_IDLE)
		return -EBUSY;
	if (ctx->pe != NULL)
		return -EALREADY;
	return comch_pe_attach(pe, ctx);
}

int
rte_comch_ctx_detach(struct rte_comch_ctx *ctx)
{
	if (ctx == NULL)
		return -EINVAL;
	/* in its callback, who has called that goes on with its engine */
	if (ctx->state != RTE_COMCH_STATE_IDLE || ctx->in_callback != 0) {
		COMCH_LOG(ERR, "%s: context '%s' is %s%s, stop it and progress before it leaves its engine",
			ctx->dev->data->name, comch_ctx_name(ctx), rte_comch_state_name(ctx->state),
			ctx->in_callback != 0 ? " and inside a callback" : "");
		return -EBUSY;
	}
	if (ctx->pe == NULL)
		return -ENOLINK;
	comch_pe_detach(ctx);
	return 0;
}

/* What start says of a context that was started: its callback may have gone on. */
static int
start_result(const struct rte_comch_ctx *ctx)
{
	switch (ctx->state) {
	case RTE_COMCH_STATE_RUNNING:
		return 0;
	case RTE_COMCH_STATE_STARTING:
		return -EINPROGRESS;
	default:
		return -ECANCELED;
	}
}

int
rte_comch_ctx_start(struct rte_comch_ctx *ctx)
{
	struct rte_comch_pe *pe;
	int ret;

	if (ctx == NULL)
		return -EINVAL;
	if (ctx->state != RTE_COMCH_STATE_IDLE) {
		COMCH_LOG(ERR, "%s: context '%s' is %s, only an IDLE one can start",
			ctx->dev->data->name, comch_ctx_name(ctx),
			rte_comch_state_name(ctx->state));
		return -EBUSY;
	}
	if (ctx->pe == NULL) {
		COMCH_LOG(ERR, "%s: context '%s' is attached to no progress engine, attach it first",
			ctx->dev->data->name, comch_ctx_name(ctx));
		return -ENOLINK;
	}
	/* acquire: pairs with the release of whoever changed it */
	ret = __atomic_load_n(&ctx->dev->status, __ATOMIC_ACQUIRE);
	if (ret != 0) {
		COMCH_LOG(ERR, "%s: the device is down (%s), reset it before '%s' can start",
			ctx->dev->data->name, strerror(-ret), comch_ctx_name(ctx));
		return ret;
	}
	ctx->reason = 0;
	ret = comch_pool_take(&ctx->pe->tasks, ctx->max_tasks);
	if (ret == -ENOSPC)
		COMCH_LOG(ERR, "%s: '%s' wants %u tasks, its progress engine has %u left: raise max_tasks",
			ctx->dev->data->name, comch_ctx_name(ctx), ctx->max_tasks,
			__atomic_load_n(&ctx->pe->tasks.tasks_left, __ATOMIC_RELAXED));
	if (ret != 0)
		return -ENOMEM;
	pe = ctx->pe;
	comch_pe_enter(pe);
	ret = ctx->kind->start(ctx);
	if (ret != 0) /* its state is what it was: no callback was called */
		comch_pool_give(&pe->tasks, ctx->max_tasks);
	else
		ret = start_result(ctx);
	comch_pe_leave(pe);
	return ret;
}

int
rte_comch_ctx_stop(struct rte_comch_ctx *ctx)
{
	struct rte_comch_pe *pe;
	int ret;

	if (ctx == NULL)
		return -EINVAL;
	if (ctx->state == RTE_COMCH_STATE_IDLE || ctx->state == RTE_COMCH_STATE_STOPPING)
		return -EALREADY;
	pe = ctx->pe;
	/* what was submitted before is as good as sent */
	if (pe->nb_held != 0)
		comch_pe_held_flush(pe);
	comch_pe_enter(pe);
	ret = ctx->kind->stop(ctx);
	comch_pe_leave(pe);
	return ret;
}

int
rte_comch_ctx_state_get(const struct rte_comch_ctx *ctx)
{
	return ctx == NULL ? -EINVAL : (int)ctx->state;
}

int
rte_comch_ctx_reason_get(const struct rte_comch_ctx *ctx)
{
	return ctx == NULL ? -EINVAL : ctx->reason;
}

int
rte_comch_ctx_info_get(const struct rte_comch_ctx *ctx, struct rte_comch_ctx_info *info)
{
	if (ctx == NULL || info == NULL)
		return -EINVAL;
	memset(info, 0, sizeof(*info));
	info->type = ctx->kind->type;
	info->state = ctx->state;
	info->reason = ctx->reason;
	info->dev_id = ctx->dev->data->dev_id;
	info->nb_tasks = ctx->nb_tasks;
	info->pe = ctx->pe;
	ctx->kind->info_get(ctx, info);
	return 0;
}
