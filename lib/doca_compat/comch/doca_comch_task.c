/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Tasks that send control messages. Each has one of rte_comch while it is the program's,
 * so that one that could be taken can be submitted, and keeps it in the pool for the next
 * message on the same connection. A message is copied when its task is
 * submitted: programs send from their stack and return.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <doca_comch_ctrl_private.h>

static struct doca_comch_task_send *
send_task(struct doca_task *task)
{
	return (struct doca_comch_task_send *)task;
}

static struct comch_ctrl *
task_ctrl(const struct doca_task *task)
{
	return (struct comch_ctrl *)task->ctx;
}

static doca_error_t
task_error(int ret)
{
	switch (ret) {
	case -EMSGSIZE:
		return DOCA_ERROR_INVALID_VALUE;
	case -ENOTCONN:
		return DOCA_ERROR_NOT_CONNECTED;
	case -EBUSY:
	case -EALREADY:
		return DOCA_ERROR_BAD_STATE;
	case -EDQUOT:
		return DOCA_ERROR_NO_MEMORY;
	case -ECANCELED:
		return DOCA_ERROR_SHUTDOWN;
	case -ECONNRESET:
		return DOCA_ERROR_CONNECTION_RESET;
	default:
		return doca_compat_result(ret);
	}
}

static doca_error_t
task_submit(struct doca_task *base)
{
	struct doca_comch_task_send *task = send_task(base);
	int ret;

	if (base->ctx->state != DOCA_CTX_STATE_RUNNING)
		return DOCA_ERROR_BAD_STATE;
	memcpy(task->copy, task->msg, task->len);
	ret = rte_comch_task_submit(base->rte);
	if (ret != 0)
		return task_error(ret);
	doca_compat_task_begin(base);
	return DOCA_SUCCESS;
}

static void
task_release(struct doca_task *base)
{
	struct doca_comch_task_send *task = send_task(base);
	struct rte_comch_task *rte = base->rte;

	base->state = DOCA_TASK_FREE;
	SLIST_INSERT_HEAD(&task_ctrl(base)->free_tasks, task, next);
	if (task->conn != NULL)
		return;
	base->rte = NULL;
	/* the last one of a context that is STOPPING ends it */
	rte_comch_task_free(rte);
}

/* Nothing is sent on a connection any more, or on all if it is NULL. */
void
comch_tasks_unbind(struct comch_ctrl *ctrl, const struct doca_comch_connection *conn)
{
	struct doca_comch_task_send *task;
	struct rte_comch_task *rte;
	uint32_t i;

	for (i = 0; i < ctrl->nb_tasks; i++) {
		task = &ctrl->tasks[i];
		if (task->conn == NULL || (conn != NULL && task->conn != conn))
			continue;
		task->conn = NULL;
		if (task->task.state != DOCA_TASK_FREE)
			continue; /* it gives its own back when it is freed */
		rte = task->task.rte;
		task->task.rte = NULL;
		rte_comch_task_free(rte);
	}
}

/* A task of rte_comch on this connection for a message of this length. */
static int
task_bind(struct doca_comch_task_send *task, struct doca_comch_connection *conn, uint32_t len)
{
	int ret;

	if (task->conn == conn)
		return rte_comch_conn_task_set(task->task.rte, task->copy, len);
	if (task->conn != NULL) {
		task->conn = NULL;
		rte_comch_task_free(task->task.rte);
	}
	ret = rte_comch_conn_task_alloc(conn->rte, task->copy, len, &task->task.rte);
	if (ret != 0)
		return ret;
	rte_comch_task_user_data_set(task->task.rte, task);
	task->conn = conn;
	return 0;
}

static const struct doca_task_ops task_ops = {
	.submit = task_submit,
	.release = task_release,
};

void
comch_task_sent(struct rte_comch_task *rte, int status, void *user_data)
{
	struct doca_comch_task_send *task = rte_comch_task_user_data_get(rte);
	struct comch_ctrl *ctrl = user_data;

	if (!doca_compat_task_end(&task->task, task_error(status)))
		return;
	if (status == 0)
		ctrl->sent_cb(task, task->task.user_data, ctrl->ctx.user_data);
	else
		ctrl->not_sent_cb(task, task->task.user_data, ctrl->ctx.user_data);
}

void
comch_tasks_free(struct comch_ctrl *ctrl)
{
	free(ctrl->tasks);
	free(ctrl->copies);
	ctrl->tasks = NULL;
	ctrl->copies = NULL;
	SLIST_INIT(&ctrl->free_tasks);
}

doca_error_t
comch_tasks_create(struct comch_ctrl *ctrl, uint32_t msg_size)
{
	uint32_t i;

	/* of the last start; it is IDLE, so that all of them were freed */
	comch_tasks_free(ctrl);
	ctrl->tasks = calloc(ctrl->nb_tasks, sizeof(*ctrl->tasks));
	/* no memory is behind it before it is written to */
	ctrl->copies = malloc((size_t)ctrl->nb_tasks * msg_size);
	if (ctrl->tasks == NULL || ctrl->copies == NULL) {
		comch_tasks_free(ctrl);
		return DOCA_ERROR_NO_MEMORY;
	}
	for (i = ctrl->nb_tasks; i-- > 0;) {
		ctrl->tasks[i].task.ops = &task_ops;
		ctrl->tasks[i].task.ctx = &ctrl->ctx;
		ctrl->tasks[i].copy = ctrl->copies + (size_t)i * msg_size;
		SLIST_INSERT_HEAD(&ctrl->free_tasks, &ctrl->tasks[i], next);
	}
	return DOCA_SUCCESS;
}

doca_error_t
comch_task_alloc(struct comch_ctrl *ctrl, struct doca_comch_connection *conn, const void *msg,
		uint32_t len, struct doca_comch_task_send **task_out)
{
	struct doca_comch_task_send *task;
	int ret;

	if (ctrl == NULL || conn == NULL || msg == NULL || len == 0 || task_out == NULL ||
			conn->ctx != &ctrl->ctx)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctrl->ctx.state != DOCA_CTX_STATE_RUNNING)
		return DOCA_ERROR_BAD_STATE;
	if (!conn->connected)
		return DOCA_ERROR_NOT_CONNECTED;
	task = SLIST_FIRST(&ctrl->free_tasks);
	if (task == NULL)
		return DOCA_ERROR_NO_MEMORY;
	ret = task_bind(task, conn, len);
	if (ret != 0)
		return task_error(ret);
	SLIST_REMOVE_HEAD(&ctrl->free_tasks, next);
	task->task.user_data.u64 = 0;
	task->task.status = DOCA_SUCCESS;
	task->task.state = DOCA_TASK_OWNED;
	task->msg = msg;
	task->len = len;
	*task_out = task;
	return DOCA_SUCCESS;
}

struct doca_task *
doca_comch_task_send_as_task(struct doca_comch_task_send *task)
{
	return task == NULL ? NULL : &task->task;
}
