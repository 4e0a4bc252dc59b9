/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Tasks: from the pool of the progress engine and back to it, and the way of
 * those that send control messages. What happens to one of these between submit
 * and callback is in rte_comch_conn.c; tasks of queues are in rte_comch_fp.c.
 */

#include <errno.h>

#include "comch_private.h"
#include "rte_comch_trace.h"

static int
task_msg_check(const struct rte_comch_conn *conn, const void *msg, uint32_t len)
{
	if (unlikely(msg == NULL || len == 0))
		return -EINVAL;
	if (unlikely(conn == NULL || conn->state != RTE_COMCH_CONN_UP))
		return -ENOTCONN;
	if (unlikely(len > conn->max_msg_size)) {
		COMCH_LOG(ERR, "%s: a message of %u bytes for '%s' is above its max_msg_size %u",
			conn->ctx->dev->data->name, len, conn->ctx->name, conn->max_msg_size);
		return -EMSGSIZE;
	}
	return 0;
}

/* A task of the context's share. */
int
comch_task_get(struct rte_comch_ctx *ctx, struct rte_comch_task **task)
{
	void *obj;

	if (unlikely(ctx->state != RTE_COMCH_STATE_RUNNING))
		return -EBUSY;
	if (ctx->nb_tasks >= ctx->conf.nb_send_tasks)
		return -ENOMEM;
	/* the engine has promised these tasks to the context: this cannot fail */
	if (unlikely(rte_mempool_generic_get(ctx->pe->tasks, &obj, 1, ctx->pe->cache) != 0))
		return -ENOMEM;
	*task = obj;
	(*task)->ctx = ctx;
	(*task)->user_data = NULL;
	(*task)->submitted = false;
	(*task)->freed = false;
	ctx->nb_tasks++;
	return 0;
}

int
rte_comch_send_task_alloc(struct rte_comch_conn *conn, const void *msg, uint32_t len,
		struct rte_comch_task **task_out)
{
	struct rte_comch_task *task;
	int ret;

	if (unlikely(conn == NULL || task_out == NULL))
		return -EINVAL;
	ret = task_msg_check(conn, msg, len);
	if (unlikely(ret != 0))
		return ret;
	ret = comch_task_get(conn->ctx, &task);
	if (unlikely(ret != 0))
		return ret;
	task->conn = conn;
	task->msg = msg;
	task->len = len;
	conn->nb_tasks++;
	*task_out = task;
	return 0;
}

int
rte_comch_send_task_set(struct rte_comch_task *task, const void *msg, uint32_t len)
{
	int ret;

	if (task == NULL || comch_ctx_is_queue(task->ctx))
		return -EINVAL;
	if (task->submitted)
		return -EBUSY;
	ret = task_msg_check(task->conn, msg, len);
	if (ret != 0)
		return ret;
	task->msg = msg;
	task->len = len;
	return 0;
}

int
rte_comch_task_submit(struct rte_comch_task *task)
{
	struct rte_comch_conn *conn;
	int ret;

	if (unlikely(task == NULL))
		return -EINVAL;
	if (unlikely(task->submitted))
		return -EALREADY;
	if (comch_ctx_is_queue(task->ctx))
		return comch_fp_task_submit(task);
	conn = task->conn;
	if (unlikely(conn->state != RTE_COMCH_CONN_UP))
		return -ENOTCONN;
	if (unlikely(task->ctx->state != RTE_COMCH_STATE_RUNNING))
		return -EBUSY;
	rte_comch_trace_task_submit(task, task->len);

	/* those that wait came first */
	if (likely(STAILQ_EMPTY(&conn->pending))) {
		ret = task->ctx->dev->ops->conn_send(conn, task->msg, task->len,
				false, &task->seq);
		if (likely(ret == 0)) {
			task->submitted = true;
			STAILQ_INSERT_TAIL(&conn->in_flight, task, next);
			conn->nb_in_flight++;
			comch_pe_touch(task->ctx->pe);
			return 0;
		}
		if (ret != -EAGAIN)
			return ret;
	}
	task->submitted = true;
	STAILQ_INSERT_TAIL(&conn->pending, task, next);
	conn->nb_in_flight++;
	comch_pe_retry_add(conn);
	comch_pe_touch(task->ctx->pe);
	return 0;
}

/* Why a task that is not the application's cannot be freed. */
static int
task_free_refuse(const struct rte_comch_task *task)
{
	if (task->freed) {
		/* its context may be gone: nothing of it can be named */
		COMCH_LOG(ERR, "a task was freed twice, free it once and forget it");
		return -EALREADY;
	}
	COMCH_LOG(ERR, "%s: a submitted task was freed, wait for its callback",
		task->ctx->dev->data->name);
	return -EBUSY;
}

int
rte_comch_task_free(struct rte_comch_task *task)
{
	struct rte_comch_conn *conn;
	struct rte_comch_ctx *ctx;

	if (task == NULL)
		return 0;
	if (unlikely(task->submitted))
		return task_free_refuse(task);
	/* submitted, too: functions that refuse a submitted task refuse a freed one */
	task->submitted = true;
	task->freed = true;
	ctx = task->ctx;
	conn = comch_ctx_is_queue(ctx) ? NULL : task->conn;
	rte_mempool_generic_put(ctx->pe->tasks, (void **)&task, 1, ctx->pe->cache);
	ctx->nb_tasks--;
	if (conn != NULL) {
		conn->nb_tasks--;
		if (unlikely(conn->reaped && conn->nb_tasks == 0))
			comch_pe_reap_add(ctx->pe, conn);
	}
	if (unlikely(ctx->state == RTE_COMCH_STATE_STOPPING && ctx->nb_tasks == 0)) {
		/* in progress, its caller looks at the state when callbacks are done */
		if (ctx->pe->in_progress)
			comch_pe_work_add(ctx);
		else if (comch_ctx_is_queue(ctx))
			comch_queue_try_idle(ctx);
		else
			comch_ctx_try_idle(ctx);
	}
	return 0;
}

int
rte_comch_task_user_data_set(struct rte_comch_task *task, void *user_data)
{
	if (task == NULL)
		return -EINVAL;
	task->user_data = user_data;
	return 0;
}

void *
rte_comch_task_user_data_get(const struct rte_comch_task *task)
{
	return task == NULL ? NULL : task->user_data;
}

const void *
rte_comch_task_msg_get(const struct rte_comch_task *task, uint32_t *len)
{
	if (task == NULL || comch_ctx_is_queue(task->ctx))
		return NULL;
	if (len != NULL)
		*len = task->len;
	return task->msg;
}

struct rte_comch_conn *
rte_comch_task_conn_get(const struct rte_comch_task *task)
{
	const struct rte_comch_ctx *ctx;

	if (task == NULL)
		return NULL;
	ctx = task->ctx;
	if (comch_ctx_is_queue(ctx))
		return rte_comch_queue_conn_get(ctx);
	return task->conn->state == RTE_COMCH_CONN_UP ? task->conn : NULL;
}
