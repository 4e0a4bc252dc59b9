/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Producers, and their send tasks from submit to callback. A task keeps what it has told
 * rte_comch, and tells it again only if that has changed. Pools and limits are in
 * doca_comch_queue.c.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_errno.h>

#include <doca_comch_msgq.h>
#include <doca_comch_producer.h>

#include "doca_comch_queue_private.h"
#include "doca_dpa_private.h"
#include "doca_mem_private.h"

struct doca_comch_producer {
	struct doca_comch_queue queue;
	doca_comch_producer_task_send_completion_cb_t success_cb;
	doca_comch_producer_task_send_completion_cb_t error_cb;
	struct doca_dpa_completion *completion; /* of a program, or NULL */
};

struct doca_comch_producer_task_send {
	struct doca_task base;
	struct doca_buf *buf; /* or NULL */
	struct rte_comch_send send; /* as rte_comch has it */
	uint32_t consumer_id;
	uint32_t imm_len;
	bool changed; /* rte_comch does not have it yet, whatever the buffer is */
	uint8_t imm[]; /* rte_comch reads it when the task is submitted */
};

static struct doca_comch_producer *
producer_of(const struct doca_task *task)
{
	return (struct doca_comch_producer *)task->ctx;
}

/* Fill the data of a message; with an error, it was logged. */
static doca_error_t
send_fill(struct doca_comch_producer *producer, const struct doca_buf *buf,
		struct rte_comch_send *send)
{
	struct rte_comch_mem *mem;
	doca_error_t result;

	if (buf->next != NULL || buf->prev != NULL) {
		doca_comch_queue_log_fault(&producer->queue, DOCA_COMCH_FAULT_LIST);
		return DOCA_ERROR_INVALID_VALUE;
	}
	result = doca_compat_mmap_region(buf->map, producer->queue.ctx.func,
			producer->queue.dev_id, false, &mem);
	if (result != DOCA_SUCCESS)
		return result;
	send->addr = buf->data;
	send->len = buf->data_len;
	send->mem = mem;
	return DOCA_SUCCESS;
}

/* Tell rte_comch what has changed in a task. */
static doca_error_t
send_task_set(struct doca_comch_producer_task_send *task)
{
	struct doca_comch_producer *producer = producer_of(&task->base);
	struct rte_comch_send send = { .imm = task->imm, .imm_len = task->imm_len };
	doca_error_t result;

	if (task->imm_len > producer->queue.max_imm_len) {
		doca_comch_queue_log_fault(&producer->queue, DOCA_COMCH_FAULT_IMM);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (task->buf == NULL && task->imm_len == 0) {
		doca_comch_queue_log_fault(&producer->queue, DOCA_COMCH_FAULT_EMPTY);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (task->buf != NULL) {
		result = send_fill(producer, task->buf, &send);
		if (result != DOCA_SUCCESS)
			return result;
	}
	rte_comch_producer_task_set(task->base.rte, task->consumer_id, &send);
	task->send = send;
	task->changed = false;
	return DOCA_SUCCESS;
}

/* Why rte_comch has refused a task. */
static doca_error_t
send_task_refused(struct doca_comch_producer_task_send *task, int ret)
{
	struct doca_comch_queue *queue = &producer_of(&task->base)->queue;

	switch (ret) {
	case -EAGAIN:
		return DOCA_ERROR_AGAIN;
	case -ENOENT:
		doca_comch_queue_log_fault(queue, DOCA_COMCH_FAULT_CONSUMER);
		return DOCA_ERROR_NOT_FOUND;
	case -EMSGSIZE:
		doca_comch_queue_log_fault(queue, DOCA_COMCH_FAULT_LONG);
		return DOCA_ERROR_INVALID_VALUE;
	case -E2BIG:
		doca_comch_queue_log_fault(queue, DOCA_COMCH_FAULT_IMM);
		return DOCA_ERROR_INVALID_VALUE;
	case -EFAULT:
		return DOCA_ERROR_INVALID_VALUE;
	case -EBUSY:
		return DOCA_ERROR_BAD_STATE;
	default:
		return doca_compat_result(ret);
	}
}

static inline bool
send_task_differs(const struct doca_comch_producer_task_send *task)
{
	const struct doca_buf *buf = task->buf;

	return buf != NULL && (buf->data != task->send.addr || buf->data_len != task->send.len ||
			buf->next != NULL || buf->prev != NULL || doca_compat_buf_region(buf,
			producer_of(&task->base)->queue.dev_id) != task->send.mem);
}

/*
 * Programs submit in their callbacks until they are not told to try again: what their
 * engine has to do for that, it cannot do meanwhile. Such a task waits in rte_comch.
 */
static __rte_noinline int
send_task_wait(struct doca_comch_producer_task_send *task)
{
	const struct doca_comch_producer *producer = producer_of(&task->base);
	struct rte_comch_room room;

	if (rte_comch_queue_room_get(producer->queue.ctx.rte, task->consumer_id, &room) != 0 ||
			(room.flags & RTE_COMCH_ROOM_F_PROGRESS) == 0)
		return -EAGAIN;
	return rte_comch_task_submit_burst(&task->base.rte, 1, RTE_COMCH_SUBMIT_F_LATER) == 1 ?
		0 : -rte_errno;
}

static doca_error_t
send_task_submit(struct doca_task *base)
{
	struct doca_comch_producer_task_send *task = (struct doca_comch_producer_task_send *)base;
	doca_error_t result;
	int ret;

	if (unlikely(task->changed || send_task_differs(task))) {
		result = send_task_set(task);
		if (result != DOCA_SUCCESS)
			return result;
	}
	ret = rte_comch_task_submit(base->rte);
	if (unlikely(ret == -EAGAIN))
		ret = send_task_wait(task);
	if (unlikely(ret != 0))
		return send_task_refused(task, ret);
	if (task->buf != NULL)
		doca_compat_buf_hold(task->buf);
	doca_compat_task_begin(base);
	return DOCA_SUCCESS;
}

static const struct doca_task_ops send_task_ops = {
	.submit = send_task_submit,
	.release = doca_comch_queue_task_put,
};

/* The task, and all else, may be gone when the program's callback returns. */
static __rte_noinline void
send_task_end(struct doca_comch_producer_task_send *task, int status,
		struct doca_comch_producer *producer)
{
	doca_comch_producer_task_send_completion_cb_t callback =
		status == 0 ? producer->success_cb : producer->error_cb;

	if (task->buf != NULL)
		doca_compat_buf_release(task->buf);
	if (doca_compat_task_end(&task->base, doca_compat_result(status)))
		callback(task, task->base.user_data, producer->queue.ctx.user_data);
}

/* What most messages are has no call in between; the rest is done by the one above. */
static void
producer_send_cb(struct rte_comch_task *rte, int status, void *user_data)
{
	struct doca_comch_producer_task_send *task = rte_comch_task_user_data_get(rte);
	struct doca_comch_producer *producer = user_data;
	struct doca_buf *buf = task->buf;

	if (unlikely(status != 0 || buf == NULL || buf->refs == 0 ||
			task->base.state != DOCA_TASK_SUBMITTED)) {
		send_task_end(task, status, producer);
		return;
	}
	buf->holds--;
	task->base.state = DOCA_TASK_OWNED;
	task->base.status = DOCA_SUCCESS;
	producer->queue.ctx.nb_inflight--;
	producer->success_cb(task, task->base.user_data, producer->queue.ctx.user_data);
}

static doca_error_t
producer_prepare(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = (struct doca_comch_producer *)ctx;
	const union rte_comch_ctx_conf conf = { .producer = {
		.nb_tasks = producer->queue.nb_tasks,
		.state_cb = doca_compat_ctx_state_cb,
		.send_cb = producer_send_cb,
		.user_data = ctx,
	} };
	doca_error_t result;

	producer->queue.logged = 0;
	result = doca_comch_queue_tasks_make(&producer->queue, &send_task_ops,
			sizeof(struct doca_comch_producer_task_send) + producer->queue.max_imm_len);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comch_queue_attach(&producer->queue);
	if (result != DOCA_SUCCESS)
		return result;
	return doca_compat_result(rte_comch_ctx_conf_set(ctx->rte, &conf));
}

static doca_error_t
producer_dpa_start(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = (struct doca_comch_producer *)ctx;
	struct doca_comch_queue *queue = &producer->queue;
	struct rte_comch_dpa_queue_conf conf = {
		.size = queue->dev_num,
		.user_data = (uint32_t)ctx->user_data.u64,
	};
	struct rte_comch_msgq *msgq = doca_comch_msgq_rte(queue);

	if (producer->completion != NULL) {
		conf.completion = producer->completion->rte;
		if (conf.completion == NULL)
			return DOCA_ERROR_BAD_STATE;
	}
	if (msgq == NULL)
		return DOCA_ERROR_BAD_STATE;
	return doca_compat_dpa_result(rte_comch_dpa_queue_create(msgq, &conf, &queue->rte_dpa));
}

static const struct doca_ctx_ops producer_ops = {
	.kind = "producer",
	.prepare = producer_prepare,
	.dpa_set = doca_comch_msgq_queue_dpa_set,
	.dpa_start = producer_dpa_start,
	.dpa_stop = doca_comch_msgq_queue_dpa_stop,
};

doca_error_t
doca_comch_producer_cap_is_supported(const struct doca_devinfo *devinfo)
{
	struct rte_comch_dev_info info;

	return doca_compat_devinfo_limits(devinfo, RTE_COMCH_CAPA_PRODUCER, &info);
}

doca_error_t
doca_comch_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
		uint32_t *max_num_tasks)
{
	return doca_compat_devinfo_limit(devinfo, RTE_COMCH_CAPA_PRODUCER,
			offsetof(struct rte_comch_dev_info, max_sends), max_num_tasks);
}

doca_error_t
doca_comch_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
		uint32_t *max_buf_size)
{
	return doca_comch_queue_buf_size_get(devinfo, RTE_COMCH_CAPA_PRODUCER, max_buf_size);
}

doca_error_t
doca_comch_producer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
		uint32_t *max_buf_list_len)
{
	return doca_comch_queue_list_len_get(devinfo, RTE_COMCH_CAPA_PRODUCER, max_buf_list_len);
}

doca_error_t
doca_comch_producer_cap_get_max_producers(const struct doca_devinfo *devinfo,
		uint32_t *max_producers)
{
	return doca_compat_devinfo_limit(devinfo, RTE_COMCH_CAPA_PRODUCER,
			offsetof(struct rte_comch_dev_info, max_producers), max_producers);
}

/* On a connection or a message queue; the other one is NULL. */
static doca_error_t
producer_create(struct doca_comch_connection *connection, struct doca_comch_msgq *msgq,
		struct doca_comch_producer **producer)
{
	struct rte_comch_producer_conf conf = { .state_cb = doca_compat_ctx_state_cb };
	struct doca_comch_producer *created;
	struct doca_comch_queue *queue;
	struct rte_comch_msgq *rte;
	doca_error_t result;
	bool ours;

	created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	conf.user_data = created;
	queue = &created->queue;
	if (connection != NULL) {
		result = doca_comch_queue_init(queue, connection->func, connection->dev_id,
				&producer_ops, false);
		if (result == DOCA_SUCCESS)
			result = doca_comch_queue_created(queue, rte_comch_producer_create(
					connection->rte, &conf, &queue->ctx.rte));
	} else {
		result = doca_comch_msgq_queue_init(queue, msgq, &producer_ops, false, &ours, &rte);
		if (result == DOCA_SUCCESS && ours)
			result = doca_compat_dpa_result(rte_comch_msgq_producer_create(rte, &conf,
					&queue->ctx.rte));
	}
	if (result != DOCA_SUCCESS) {
		doca_comch_msgq_queue_end(queue);
		doca_comch_queue_free(queue);
		return result;
	}
	*producer = created;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_producer_create(struct doca_comch_connection *connection,
		struct doca_comch_producer **producer)
{
	if (connection == NULL || producer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return producer_create(connection, NULL, producer);
}

doca_error_t
doca_comch_msgq_producer_create(struct doca_comch_msgq *msgq,
		struct doca_comch_producer **producer)
{
	if (msgq == NULL || producer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return producer_create(NULL, msgq, producer);
}

doca_error_t
doca_comch_producer_destroy(struct doca_comch_producer *producer)
{
	doca_error_t result;

	if (producer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = doca_compat_ctx_end(&producer->queue.ctx);
	if (result != DOCA_SUCCESS)
		return result;
	if (producer->completion != NULL)
		producer->completion->nb_users--;
	doca_comch_msgq_queue_end(&producer->queue);
	doca_comch_queue_free(&producer->queue);
	return DOCA_SUCCESS;
}

struct doca_ctx *
doca_comch_producer_as_ctx(struct doca_comch_producer *producer)
{
	return producer == NULL ? NULL : &producer->queue.ctx;
}

doca_error_t
doca_comch_producer_get_id(const struct doca_comch_producer *producer, uint32_t *id)
{
	if (producer == NULL || id == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return doca_comch_queue_id_get(&producer->queue, id);
}

doca_error_t
doca_comch_producer_task_send_set_conf(struct doca_comch_producer *producer,
		doca_comch_producer_task_send_completion_cb_t task_completion_cb,
		doca_comch_producer_task_send_completion_cb_t task_error_cb,
		uint32_t num_send_tasks)
{
	if (producer == NULL || task_completion_cb == NULL || task_error_cb == NULL ||
			num_send_tasks == 0 || num_send_tasks > producer->queue.max_tasks)
		return DOCA_ERROR_INVALID_VALUE;
	if (doca_compat_ctx_settable(&producer->queue.ctx) != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	producer->success_cb = task_completion_cb;
	producer->error_cb = task_error_cb;
	producer->queue.nb_tasks = num_send_tasks;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_producer_dpa_completion_attach(struct doca_comch_producer *producer,
		struct doca_dpa_completion *dpa_comp)
{
	if (producer == NULL || dpa_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (doca_comch_msgq_queue_settable(&producer->queue) != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	if (dpa_comp->dpa != producer->queue.ctx.dpa)
		return DOCA_ERROR_INVALID_VALUE;
	if (producer->completion != NULL)
		producer->completion->nb_users--;
	producer->completion = dpa_comp;
	dpa_comp->nb_users++;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_producer_set_dev_max_num_send(struct doca_comch_producer *producer,
		uint32_t dev_num_send)
{
	return doca_comch_msgq_queue_num_set((struct doca_comch_queue *)producer, dev_num_send);
}

doca_error_t
doca_comch_producer_set_dev_num_send(struct doca_comch_producer *producer, uint32_t dev_num_send)
{
	return doca_comch_msgq_queue_num_set((struct doca_comch_queue *)producer, dev_num_send);
}

doca_error_t
doca_comch_producer_set_dev_num_recv(struct doca_comch_producer *producer, uint32_t dev_num_send)
{
	return doca_comch_msgq_queue_num_set((struct doca_comch_queue *)producer, dev_num_send);
}

doca_error_t
doca_comch_producer_get_dpa_handle(struct doca_comch_producer *producer,
		doca_dpa_dev_comch_producer_t *dpa_producer)
{
	if (producer == NULL || dpa_producer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return doca_comch_msgq_queue_handle_get(&producer->queue, dpa_producer);
}

/* A task of rte_comch for one that has none; what it sends is set with the submission. */
static doca_error_t
send_task_bind(struct doca_comch_producer *producer, struct doca_task *task)
{
	static const struct rte_comch_send nothing;
	int ret;

	ret = rte_comch_producer_task_alloc(producer->queue.ctx.rte, 0, &nothing, &task->rte);
	if (ret == 0)
		ret = rte_comch_task_user_data_set(task->rte, task);
	return doca_compat_result(ret);
}

doca_error_t
doca_comch_producer_task_send_alloc_init(struct doca_comch_producer *producer,
		const struct doca_buf *buf, uint8_t *imm_data, uint32_t imm_data_len,
		uint32_t consumer_id, struct doca_comch_producer_task_send **task)
{
	struct doca_comch_producer_task_send *send;
	struct doca_task *base;
	doca_error_t result;

	if (producer == NULL || task == NULL || (imm_data == NULL && imm_data_len != 0) ||
			imm_data_len > producer->queue.max_imm_len)
		return DOCA_ERROR_INVALID_VALUE;
	if (producer->queue.ctx.state != DOCA_CTX_STATE_RUNNING)
		return DOCA_ERROR_BAD_STATE;
	base = doca_comch_queue_task_get(&producer->queue);
	if (base == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = send_task_bind(producer, base);
	if (result != DOCA_SUCCESS) {
		doca_comch_queue_task_put(base);
		return result;
	}
	send = (struct doca_comch_producer_task_send *)base;
	send->consumer_id = consumer_id;
	doca_comch_producer_task_send_set_buf(send, buf);
	doca_comch_producer_task_send_set_imm_data(send, imm_data, imm_data_len);
	*task = send;
	return DOCA_SUCCESS;
}

struct doca_task *
doca_comch_producer_task_send_as_task(struct doca_comch_producer_task_send *task)
{
	return task == NULL ? NULL : &task->base;
}

const struct doca_buf *
doca_comch_producer_task_send_get_buf(const struct doca_comch_producer_task_send *task)
{
	return task == NULL ? NULL : task->buf;
}

/* A setter may change it. */
static bool
send_task_owned(const struct doca_comch_producer_task_send *task)
{
	return task != NULL && task->base.state == DOCA_TASK_OWNED;
}

void
doca_comch_producer_task_send_set_buf(struct doca_comch_producer_task_send *task,
		const struct doca_buf *buf)
{
	if (!send_task_owned(task))
		return;
	/* what is held is counted in it, and nothing else is written */
	task->buf = (struct doca_buf *)(uintptr_t)buf;
	task->changed = true;
}

uint32_t
doca_comch_producer_task_send_get_consumer_id(const struct doca_comch_producer_task_send *task)
{
	return task == NULL ? 0 : task->consumer_id;
}

void
doca_comch_producer_task_send_set_consumer_id(struct doca_comch_producer_task_send *task,
		uint32_t consumer_id)
{
	if (!send_task_owned(task))
		return;
	task->consumer_id = consumer_id;
	task->changed = true;
}

uint8_t *
doca_comch_producer_task_send_get_imm_data(const struct doca_comch_producer_task_send *task)
{
	if (task == NULL || task->imm_len == 0)
		return NULL;
	return (uint8_t *)(uintptr_t)task->imm;
}

uint32_t
doca_comch_producer_task_send_get_imm_data_len(const struct doca_comch_producer_task_send *task)
{
	return task == NULL ? 0 : task->imm_len;
}

void
doca_comch_producer_task_send_set_imm_data(struct doca_comch_producer_task_send *task,
		uint8_t *imm_data, uint32_t imm_data_len)
{
	if (!send_task_owned(task))
		return;
	/* that they are too long is told when the task is submitted */
	if (imm_data != NULL && imm_data_len <= producer_of(&task->base)->queue.max_imm_len)
		memmove(task->imm, imm_data, imm_data_len);
	task->imm_len = imm_data == NULL ? 0 : imm_data_len;
	task->changed = true;
}
