/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Progress engines. An engine is one of rte_comch and the list of the contexts that are
 * connected to it. What a context or a task does is in their own files.
 */

#include <errno.h>
#include <stdlib.h>

#include <rte_memory.h>

#include <doca_ctx_private.h>
#include <doca_dev_private.h>
#include <doca_log.h>
#include <doca_private.h>

#define SOURCE "DOCA_COMPAT::PE"

/*
 * Tasks of all contexts of an engine, of which nothing is known when it is created: as
 * many as there can be, since memory is taken as contexts start.
 */
#define MAX_TASKS (1u << 20)

doca_error_t
doca_pe_create(struct doca_pe **pe_out)
{
	const struct rte_comch_pe_conf conf = {
		.socket_id = SOCKET_ID_ANY,
		.max_tasks = MAX_TASKS,
	};
	struct doca_pe *pe;
	doca_error_t result;
	int ret;

	if (pe_out == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	/* an engine has memory and a clock of EAL, also before any device is there */
	result = doca_compat_start();
	if (result != DOCA_SUCCESS)
		return result;
	pe = calloc(1, sizeof(*pe));
	if (pe == NULL)
		return DOCA_ERROR_NO_MEMORY;
	TAILQ_INIT(&pe->ctxs);
	ret = rte_comch_pe_create(&conf, &pe->rte);
	if (ret != 0) {
		free(pe);
		if (ret == -EMFILE)
			DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, SOURCE,
				"no file descriptor left for a progress engine: raise the limit, ulimit -n");
		else
			DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, SOURCE,
				"no memory for a progress engine: raise -m in DOCA_COMPAT_EAL_ARGS");
		return ret == -EMFILE ? DOCA_ERROR_OPERATING_SYSTEM : doca_compat_result(ret);
	}
	*pe_out = pe;
	return DOCA_SUCCESS;
}

doca_error_t
doca_pe_destroy(struct doca_pe *pe)
{
	int ret;

	if (pe == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (pe->nb_ctxs != 0) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, SOURCE,
			"%u contexts are connected to a progress engine: destroy them before it",
			pe->nb_ctxs);
		return DOCA_ERROR_IN_USE;
	}
	if (pe->nb_inside != 0)
		return DOCA_ERROR_BAD_STATE;
	ret = rte_comch_pe_destroy(pe->rte);
	if (ret != 0)
		return ret == -EDEADLK ? DOCA_ERROR_BAD_STATE : DOCA_ERROR_IN_USE;
	free(pe);
	return DOCA_SUCCESS;
}

uint8_t
doca_pe_progress(struct doca_pe *pe)
{
	int ret;

	if (pe == NULL)
		return 0;
	if (pe->nb_inside != 0) {
		if (!pe->warned)
			DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, SOURCE,
				"doca_pe_progress() was called in a callback, where it does nothing: return from the callback first");
		pe->warned = true;
		return 0;
	}
	pe->nb_inside++;
	ret = rte_comch_pe_progress(pe->rte);
	pe->nb_inside--;
	return ret > 0;
}

doca_error_t
doca_pe_get_notification_handle(const struct doca_pe *pe, doca_event_handle_t *handle)
{
	if (pe == NULL || handle == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*handle = rte_comch_pe_fd(pe->rte);
	return DOCA_SUCCESS;
}

doca_error_t
doca_pe_request_notification(struct doca_pe *pe)
{
	int ret;

	if (pe == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	ret = rte_comch_pe_arm_always(pe->rte);
	return ret == -EDEADLK ? DOCA_ERROR_BAD_STATE : doca_compat_result(ret);
}

doca_error_t
doca_pe_clear_notification(struct doca_pe *pe, doca_event_handle_t handle)
{
	(void)handle;
	return pe == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}

doca_error_t
doca_pe_set_event_mode(struct doca_pe *pe, enum doca_pe_event_mode mode)
{
	if (pe == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	switch (mode) {
	case DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE:
	case DOCA_PE_EVENT_MODE_PROGRESS_ALL:
		return pe->nb_inside != 0 ? DOCA_ERROR_BAD_STATE : DOCA_SUCCESS;
	}
	return DOCA_ERROR_INVALID_VALUE;
}

doca_error_t
doca_pe_get_num_inflight_tasks(const struct doca_pe *pe, size_t *num_inflight_tasks)
{
	const struct doca_ctx *ctx;
	size_t nb = 0;

	if (pe == NULL || num_inflight_tasks == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	TAILQ_FOREACH(ctx, &pe->ctxs, next)
		nb += ctx->nb_inflight;
	*num_inflight_tasks = nb;
	return DOCA_SUCCESS;
}

doca_error_t
doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx)
{
	if (pe == NULL || ctx == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->pe != NULL)
		return DOCA_ERROR_NOT_PERMITTED;
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	ctx->pe = pe;
	TAILQ_INSERT_TAIL(&pe->ctxs, ctx, next);
	pe->nb_ctxs++;
	return DOCA_SUCCESS;
}
