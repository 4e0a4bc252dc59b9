/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Contexts: their states, which follow those of rte_comch. Nothing about a kind, which
 * plugs in with struct doca_ctx_ops.
 */

#include <errno.h>

#include <doca_ctx_private.h>
#include <doca_dev_private.h>
#include <doca_log.h>
#include <doca_private.h>

#define SOURCE "DOCA_COMPAT::CTX"

void
doca_compat_ctx_init(struct doca_ctx *ctx, const struct doca_ctx_ops *ops,
		struct doca_compat_func *func)
{
	*ctx = (struct doca_ctx){.ops = ops, .func = func};
}

doca_error_t
doca_compat_ctx_settable(const struct doca_ctx *ctx)
{
	if (ctx->state == DOCA_CTX_STATE_IDLE)
		return DOCA_SUCCESS;
	DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, SOURCE,
		"a %s has no setting changed while it is %s: make settings before doca_ctx_start()",
		ctx->ops->kind, rte_comch_state_name((int)ctx->state));
	return DOCA_ERROR_BAD_STATE;
}

doca_error_t
doca_compat_ctx_end(struct doca_ctx *ctx)
{
	if (ctx->state != DOCA_CTX_STATE_IDLE) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, SOURCE,
			"a %s cannot be destroyed while it is %s: stop it, and progress until it is IDLE",
			ctx->ops->kind, rte_comch_state_name((int)ctx->state));
		return DOCA_ERROR_IN_USE;
	}
	if (rte_comch_ctx_destroy(ctx->rte) == -EBUSY)
		return DOCA_ERROR_IN_USE;
	ctx->rte = NULL;
	doca_ctx_unlink(ctx);
	if (ctx->ended != NULL)
		*ctx->ended = true;
	return DOCA_SUCCESS;
}

/* What a kind does with a change of state. */
static void
ctx_follow(struct doca_ctx *ctx, enum doca_ctx_states prev)
{
	const struct doca_ctx_ops *ops = ctx->ops;
	int reason = 0;

	if (prev == DOCA_CTX_STATE_STARTING || prev == DOCA_CTX_STATE_RUNNING)
		reason = rte_comch_ctx_reason_get(ctx->rte);
	if (ctx->state == DOCA_CTX_STATE_RUNNING) {
		if (ops->running != NULL)
			ops->running(ctx);
		return;
	}
	if (reason < 0 && ops->explain != NULL)
		ops->explain(ctx, reason);
	if (ctx->state == DOCA_CTX_STATE_STOPPING && ops->stopping != NULL)
		ops->stopping(ctx);
	if (ctx->state == DOCA_CTX_STATE_IDLE && ops->idle != NULL)
		ops->idle(ctx);
}

void
doca_compat_ctx_state_cb(struct rte_comch_ctx *rte, enum rte_comch_state prev,
		enum rte_comch_state next, void *user_data)
{
	struct doca_ctx *ctx = user_data;
	struct doca_pe *pe = ctx->pe;

	(void)rte;
	/* the numbers are the same */
	ctx->state = (enum doca_ctx_states)next;
	ctx_follow(ctx, (enum doca_ctx_states)prev);
	if (ctx->state_cb == NULL)
		return;
	/* it may destroy the context, nothing of which is touched after it; the engine stays */
	pe->nb_inside++;
	ctx->state_cb(ctx->user_data, ctx, (enum doca_ctx_states)prev, ctx->state);
	pe->nb_inside--;
}

/* What rte_comch_ctx_start() says of a context that it has not started. */
static doca_error_t
start_error(int ret)
{
	switch (ret) {
	case -ENOLINK:
	case -ENOTCONN:
		return DOCA_ERROR_NOT_CONNECTED;
	case -EBUSY:
		return DOCA_ERROR_BAD_STATE;
	case -EEXIST:
		return DOCA_ERROR_ALREADY_EXIST;
	case -EMFILE:
		return DOCA_ERROR_OPERATING_SYSTEM;
	case -ENODEV:
	case -EIO:
	case -ETIMEDOUT:
		return DOCA_ERROR_DRIVER;
	default:
		return doca_compat_result(ret);
	}
}

/* Without an engine, at once. */
static void
ctx_dpa_change(struct doca_ctx *ctx, enum doca_ctx_states next)
{
	enum doca_ctx_states prev = ctx->state;

	ctx->state = next;
	if (ctx->state_cb != NULL)
		ctx->state_cb(ctx->user_data, ctx, prev, next);
}

static doca_error_t
ctx_dpa_start(struct doca_ctx *ctx)
{
	doca_error_t result = ctx->ops->dpa_start(ctx);

	if (result == DOCA_SUCCESS)
		ctx_dpa_change(ctx, DOCA_CTX_STATE_RUNNING);
	return result;
}

static doca_error_t
ctx_dpa_stop(struct doca_ctx *ctx)
{
	doca_error_t result;

	if (ctx->state == DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	result = ctx->ops->dpa_stop(ctx);
	if (result == DOCA_SUCCESS)
		ctx_dpa_change(ctx, DOCA_CTX_STATE_IDLE);
	return result;
}

doca_error_t
doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx, struct doca_dpa *dpa)
{
	doca_error_t result = DOCA_ERROR_NOT_SUPPORTED;

	if (ctx == NULL || dpa == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	if (ctx->ops->dpa_set != NULL)
		result = ctx->ops->dpa_set(ctx, dpa);
	if (result == DOCA_SUCCESS)
		ctx->dpa = dpa;
	else
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, SOURCE,
			"a %s has its data path here: only those of the side of a message queue that doca_comch_msgq_set_dpa_consumer() or _producer() gave to this processor have it there",
			ctx->ops->kind);
	return result;
}

doca_error_t
doca_ctx_start(struct doca_ctx *ctx)
{
	bool ended = false, *outer;
	doca_error_t result;
	int ret;

	if (ctx == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	if (ctx->dpa != NULL)
		return ctx_dpa_start(ctx);
	if (ctx->pe == NULL) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, SOURCE,
			"a %s cannot be started before doca_pe_connect_ctx()", ctx->ops->kind);
		return DOCA_ERROR_NOT_CONNECTED;
	}
	result = ctx->ops->prepare(ctx);
	if (result != DOCA_SUCCESS)
		return result;
	outer = ctx->ended; /* its state callback may start it again, or destroy it */
	ctx->ended = &ended;
	ret = rte_comch_ctx_start(ctx->rte);
	if (!ended)
		ctx->ended = outer;
	else if (outer != NULL)
		*outer = true;
	if (ret == 0)
		return DOCA_SUCCESS;
	if (ret == -EINPROGRESS)
		return DOCA_ERROR_IN_PROGRESS;
	if (ret != -ECANCELED)
		return start_error(ret);
	/* it was RUNNING, and its state callback has ended that; or it could not be */
	if (ended || rte_comch_ctx_reason_get(ctx->rte) == 0)
		return DOCA_SUCCESS;
	return start_error(rte_comch_ctx_reason_get(ctx->rte));
}

doca_error_t
doca_ctx_stop(struct doca_ctx *ctx)
{
	int ret;

	if (ctx == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->dpa != NULL)
		return ctx_dpa_stop(ctx);
	if (ctx->pe == NULL)
		return DOCA_ERROR_NOT_CONNECTED;
	if (ctx->state == DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	if (ctx->state == DOCA_CTX_STATE_STOPPING)
		return DOCA_ERROR_IN_PROGRESS;
	ret = rte_comch_ctx_stop(ctx->rte);
	if (ret == -EINPROGRESS || ret == -EALREADY)
		return DOCA_ERROR_IN_PROGRESS; /* a consumer that fails is STARTING until IDLE */
	if (ret == -EBUSY)
		return DOCA_ERROR_IN_USE;
	return doca_compat_result(ret);
}

doca_error_t
doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state)
{
	if (ctx == NULL || state == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*state = ctx->state;
	return DOCA_SUCCESS;
}

doca_error_t
doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data)
{
	if (ctx == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	ctx->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t
doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *user_data)
{
	if (ctx == NULL || user_data == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = ctx->user_data;
	return DOCA_SUCCESS;
}

doca_error_t
doca_ctx_set_state_changed_cb(struct doca_ctx *ctx, doca_ctx_state_changed_callback_t callback)
{
	if (ctx == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	ctx->state_cb = callback;
	return DOCA_SUCCESS;
}

doca_error_t
doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx, size_t *num_inflight_tasks)
{
	if (ctx == NULL || num_inflight_tasks == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num_inflight_tasks = ctx->nb_inflight;
	return DOCA_SUCCESS;
}

doca_error_t
doca_ctx_flush_tasks(struct doca_ctx *ctx)
{
	/* no task waits for others: see doca_task_submit_ex() */
	return ctx == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}
