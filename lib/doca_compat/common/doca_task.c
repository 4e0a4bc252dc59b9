/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Tasks: whose they are, and what the program keeps with them. Nothing about a kind, which
 * plugs in with struct doca_task_ops.
 */

#include <doca_ctx_private.h>

doca_error_t
doca_task_submit(struct doca_task *task)
{
	if (task == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (task->state != DOCA_TASK_OWNED)
		return DOCA_ERROR_BAD_STATE;
	return task->ops->submit(task);
}

doca_error_t
doca_task_try_submit(struct doca_task *task)
{
	return doca_task_submit(task);
}

doca_error_t
doca_task_submit_ex(struct doca_task *task, uint32_t flags)
{
	const uint32_t known = DOCA_TASK_SUBMIT_FLAG_FLUSH |
		DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS;

	return (flags & ~known) != 0 ? DOCA_ERROR_INVALID_VALUE : doca_task_submit(task);
}

void
doca_task_free(struct doca_task *task)
{
	if (task == NULL)
		return;
	if (task->state == DOCA_TASK_OWNED)
		task->ops->release(task);
	else if (task->state == DOCA_TASK_SUBMITTED)
		task->state = DOCA_TASK_DROPPED; /* released when it ends */
}

void
doca_task_set_user_data(struct doca_task *task, union doca_data user_data)
{
	if (task != NULL)
		task->user_data = user_data;
}

union doca_data
doca_task_get_user_data(const struct doca_task *task)
{
	static const union doca_data none;

	return task == NULL ? none : task->user_data;
}

doca_error_t
doca_task_get_status(const struct doca_task *task)
{
	return task == NULL ? DOCA_ERROR_INVALID_VALUE : task->status;
}

struct doca_ctx *
doca_task_get_ctx(const struct doca_task *task)
{
	return task == NULL ? NULL : task->ctx;
}
