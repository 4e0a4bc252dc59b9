/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What producers and consumers have in common: limits of devices, the pool of tasks, and
 * what is logged. What they do with a message is in their own files.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>

#include "doca_comch_queue_private.h"
#include "doca_private.h"

#define SOURCE "DOCA_COMPAT::COMCH"

/* The device, what it is, and its identifier. */
struct queue_name {
	char text[RTE_COMCH_PCI_ADDR_SIZE + 32];
};

static struct queue_name
queue_name(const struct doca_comch_queue *queue)
{
	struct rte_comch_ctx_info ctx = { 0 };
	struct rte_comch_dev_info info;
	struct queue_name name;

	info.pci_addr[0] = '\0';
	doca_compat_func_limits(queue->ctx.func, &info);
	rte_comch_ctx_info_get(queue->ctx.rte, &ctx);
	snprintf(name.text, sizeof(name.text), "%s: %s %" PRIu32, info.pci_addr,
			queue->ctx.ops->kind, ctx.queue_id);
	return name;
}

doca_error_t
doca_comch_queue_buf_size_get(const struct doca_devinfo *devinfo, uint64_t capa,
		uint32_t *max_buf_size)
{
	struct rte_comch_dev_info info;
	doca_error_t result;

	if (max_buf_size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = doca_compat_devinfo_limits(devinfo, capa, &info);
	if (result == DOCA_SUCCESS)
		*max_buf_size = (uint32_t)RTE_MIN(info.max_buf_size, UINT32_MAX);
	return result;
}

doca_error_t
doca_comch_queue_list_len_get(const struct doca_devinfo *devinfo, uint64_t capa,
		uint32_t *max_buf_list_len)
{
	struct rte_comch_dev_info info;
	doca_error_t result;

	if (max_buf_list_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = doca_compat_devinfo_limits(devinfo, capa, &info);
	if (result == DOCA_SUCCESS)
		*max_buf_list_len = 1;
	return result;
}

doca_error_t
doca_comch_queue_init(struct doca_comch_queue *queue, struct doca_compat_func *func,
		int16_t dev_id, const struct doca_ctx_ops *ops, bool is_consumer)
{
	struct rte_comch_dev_info info;
	doca_error_t result;

	doca_compat_ctx_init(&queue->ctx, ops, func);
	queue->dev_id = dev_id;
	result = doca_compat_func_limits(queue->ctx.func, &info);
	if (result != DOCA_SUCCESS)
		return result;
	queue->max_tasks = is_consumer ? info.max_posts : info.max_sends;
	queue->max_imm_len = info.max_imm_len;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_queue_id_get(const struct doca_comch_queue *queue, uint32_t *id)
{
	struct rte_comch_dpa_queue_info dpa;
	struct rte_comch_ctx_info info;

	if (rte_comch_ctx_info_get(queue->ctx.rte, &info) == 0)
		*id = info.queue_id;
	else if (rte_comch_dpa_queue_info_get(queue->rte_dpa, &dpa) == 0)
		*id = dpa.id;
	else
		return DOCA_ERROR_BAD_STATE;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_queue_attach(struct doca_comch_queue *queue)
{
	struct rte_comch_ctx_info info;
	struct doca_ctx *ctx = &queue->ctx;
	int ret;

	if (rte_comch_ctx_info_get(ctx->rte, &info) != 0) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, SOURCE,
				"a %s of a program is started after doca_ctx_set_datapath_on_dpa()",
				ctx->ops->kind);
		return DOCA_ERROR_BAD_STATE;
	}
	if (info.pe != NULL)
		return DOCA_SUCCESS;
	ret = rte_comch_ctx_attach(ctx->rte, ctx->pe->rte);
	if (ret == -ENOSPC)
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, SOURCE,
				"%s: contexts of too many progress engines, or too many on this one: use fewer, or another connection",
				queue_name(queue).text);
	return doca_compat_result(ret);
}

doca_error_t
doca_comch_queue_created(struct doca_comch_queue *queue, int ret)
{
	const char *kind = queue->ctx.ops->kind;

	switch (ret) {
	case 0:
		return DOCA_SUCCESS;
	case -ENOTCONN:
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, SOURCE,
				"no %s on a connection that has ended: connect again", kind);
		return DOCA_ERROR_BAD_STATE;
	case -ENOSPC:
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, SOURCE,
				"the connection has as many %ss as it can: destroy one", kind);
		return DOCA_ERROR_NO_MEMORY;
	default:
		return doca_compat_result(ret);
	}
}

doca_error_t
doca_comch_queue_tasks_make(struct doca_comch_queue *queue, const struct doca_task_ops *ops,
		size_t size)
{
	struct doca_task *task;
	uint32_t i;

	if (queue->nb_tasks == 0) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, SOURCE,
				"%s: it has no tasks: call the task's set_conf function before the start",
				queue_name(queue).text);
		return DOCA_ERROR_BAD_STATE;
	}
	size = RTE_CACHE_LINE_ROUNDUP(size);
	free(queue->tasks);
	free(queue->free);
	queue->tasks = aligned_alloc(RTE_CACHE_LINE_SIZE, queue->nb_tasks * size);
	queue->free = malloc(queue->nb_tasks * sizeof(queue->free[0]));
	queue->nb_free = 0;
	if (queue->tasks == NULL || queue->free == NULL)
		return DOCA_ERROR_NO_MEMORY;
	memset(queue->tasks, 0, queue->nb_tasks * size);
	for (i = queue->nb_tasks; i-- > 0; ) {
		task = (struct doca_task *)(queue->tasks + i * size);
		task->ops = ops;
		task->ctx = &queue->ctx;
		queue->free[queue->nb_free++] = task;
	}
	return DOCA_SUCCESS;
}

struct doca_task *
doca_comch_queue_task_get(struct doca_comch_queue *queue)
{
	struct doca_task *task;

	if (queue->nb_free == 0)
		return NULL;
	task = queue->free[--queue->nb_free];
	task->state = DOCA_TASK_OWNED;
	task->status = DOCA_SUCCESS;
	task->user_data.u64 = 0;
	return task;
}

void
doca_comch_queue_task_put(struct doca_task *task)
{
	struct doca_comch_queue *queue = (struct doca_comch_queue *)task->ctx;
	struct rte_comch_task *rte = task->rte;

	task->state = DOCA_TASK_FREE;
	task->rte = NULL;
	queue->free[queue->nb_free++] = task;
	/* the last one of a context that is STOPPING ends it, and the program destroys it */
	rte_comch_task_free(rte);
}

void
doca_comch_queue_log_fault(struct doca_comch_queue *queue, enum doca_comch_queue_fault fault)
{
	static const char *const texts[] = {
		[DOCA_COMCH_FAULT_LIST] = "the buffer is a list: give each of them a task",
		[DOCA_COMCH_FAULT_EMPTY] = "neither a buffer nor immediate data to send",
		[DOCA_COMCH_FAULT_LONG] =
			"the data is longer than the buffer that the consumer has posted",
		[DOCA_COMCH_FAULT_IMM] =
			"the immediate data is longer than the consumer takes: it says how much by doca_comch_consumer_set_imm_data_len()",
		[DOCA_COMCH_FAULT_REGION] =
			"the buffer does not lie in the map of the consumer",
		[DOCA_COMCH_FAULT_ROOM] =
			"the buffer has no room behind its data: doca_buf_reset_data_len() before it is posted again",
		[DOCA_COMCH_FAULT_CONSUMER] =
			"the peer has no consumer of that identifier: it is told by the consumer event",
		[DOCA_COMCH_FAULT_RETURNED] =
			"its buffer was given back before: give it another one",
		[DOCA_COMCH_FAULT_SIZE] =
			"the device wants to know the size of buffers before, and this one is shorter, or longer than it takes: set DOCA_COMPAT_RECV_SIZE to the bytes of each buffer, 0 for tasks without one",
	};

	if (queue->logged & RTE_BIT32(fault))
		return;
	queue->logged |= RTE_BIT32(fault);
	DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, SOURCE, "%s: a task is refused: %s",
			queue_name(queue).text, texts[fault]);
}

void
doca_comch_queue_free(struct doca_comch_queue *queue)
{
	free(queue->tasks);
	free(queue->free);
	free(queue);
}
