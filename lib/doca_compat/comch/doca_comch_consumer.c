/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Consumers, and their receive tasks from submit to callback. A task keeps what it has
 * told rte_comch, and tells it again only if that has changed. Pools and limits are in
 * doca_comch_queue.c.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_branch_prediction.h>

#include <doca_comch_consumer.h>
#include <doca_comch_msgq.h>
#include <doca_log.h>

#include "doca_comch_msgq_private.h"
#include "doca_comch_queue_private.h"
#include "doca_dpa_private.h"
#include "doca_mem_private.h"
#include "doca_private.h"

#define SOURCE "DOCA_COMPAT::COMCH"

struct doca_comch_consumer {
	struct doca_comch_queue queue;
	doca_comch_consumer_task_post_recv_completion_cb_t success_cb;
	doca_comch_consumer_task_post_recv_completion_cb_t error_cb;
	struct doca_mmap *map; /* with a reference; NULL on a message queue */
	bool map_held;         /* its region is in use */
	uint32_t imm_len;
	/* of a program */
	struct doca_comch_consumer_completion *completion; /* or NULL */
	uint32_t dev_user_data;
};

struct doca_comch_consumer_task_post_recv {
	struct doca_task base;
	struct doca_buf *buf;        /* or NULL */
	struct rte_comch_post post;  /* as rte_comch has it */
	uint32_t producer_id;        /* 0 until it has received */
	uint32_t imm_len;            /* 0 until it has received */
	bool changed; /* rte_comch does not have it yet, whatever the buffer is */
	uint8_t imm[];
};

static struct doca_comch_consumer *
consumer_of(const struct doca_task *task)
{
	return (struct doca_comch_consumer *)task->ctx;
}

/* Where a message goes: behind the data. */
static inline uint8_t *
buf_tail(const struct doca_buf *buf)
{
	return buf->data + buf->data_len;
}

static inline uint64_t
buf_tail_room(const struct doca_buf *buf)
{
	return buf->head + buf->len - buf_tail(buf);
}

/* Tell rte_comch what has changed in a task. */
static doca_error_t
recv_task_set(struct doca_comch_consumer_task_post_recv *task)
{
	struct doca_comch_queue *queue = &consumer_of(&task->base)->queue;
	const struct doca_buf *buf = task->buf;
	struct rte_comch_post post = { 0 };

	if (buf != NULL) {
		if (buf->map == NULL) {
			doca_comch_queue_log_fault(queue, DOCA_COMCH_FAULT_RETURNED);
			return DOCA_ERROR_INVALID_VALUE;
		}
		if (buf->next != NULL || buf->prev != NULL) {
			doca_comch_queue_log_fault(queue, DOCA_COMCH_FAULT_LIST);
			return DOCA_ERROR_INVALID_VALUE;
		}
		post.addr = buf_tail(buf);
		post.len = buf_tail_room(buf);
		if (post.len == 0) {
			doca_comch_queue_log_fault(queue, DOCA_COMCH_FAULT_ROOM);
			return DOCA_ERROR_INVALID_VALUE;
		}
	}
	rte_comch_consumer_task_set(task->base.rte, &post);
	task->post = post;
	task->changed = false;
	return DOCA_SUCCESS;
}

/* Why rte_comch has refused a task. */
static doca_error_t
recv_task_refused(struct doca_comch_consumer_task_post_recv *task, int ret)
{
	struct doca_comch_queue *queue = &consumer_of(&task->base)->queue;

	switch (ret) {
	case -EAGAIN:
		return DOCA_ERROR_AGAIN;
	case -EFAULT:
		doca_comch_queue_log_fault(queue, DOCA_COMCH_FAULT_REGION);
		return DOCA_ERROR_INVALID_VALUE;
	case -EMSGSIZE:
		doca_comch_queue_log_fault(queue, DOCA_COMCH_FAULT_SIZE);
		return DOCA_ERROR_INVALID_VALUE;
	case -EBUSY:
		return DOCA_ERROR_BAD_STATE;
	default:
		return doca_compat_result(ret);
	}
}

static inline bool
recv_task_differs(const struct doca_comch_consumer_task_post_recv *task)
{
	const struct doca_buf *buf = task->buf;

	return buf != NULL && (buf_tail(buf) != task->post.addr ||
			buf_tail_room(buf) != task->post.len || buf->next != NULL ||
			buf->prev != NULL || buf->map == NULL);
}

static doca_error_t
recv_task_submit(struct doca_task *base)
{
	struct doca_comch_consumer_task_post_recv *task =
		(struct doca_comch_consumer_task_post_recv *)base;
	doca_error_t result;
	int ret;

	if (unlikely(task->changed || recv_task_differs(task))) {
		result = recv_task_set(task);
		if (result != DOCA_SUCCESS)
			return result;
	}
	ret = rte_comch_task_submit(base->rte);
	if (unlikely(ret != 0))
		return recv_task_refused(task, ret);
	task->producer_id = 0;
	task->imm_len = 0;
	if (task->buf != NULL)
		doca_compat_buf_hold(task->buf);
	doca_compat_task_begin(base);
	return DOCA_SUCCESS;
}

static const struct doca_task_ops recv_task_ops = {
	.submit = recv_task_submit,
	.release = doca_comch_queue_task_put,
};

/* The immediate data of a completion does not stay. */
static __rte_noinline void
recv_task_imm(struct doca_comch_consumer_task_post_recv *task, const struct rte_comch_cpl *cpl)
{
	memcpy(task->imm, cpl->imm_len > RTE_COMCH_CPL_IMM_SIZE ? cpl->imm_ext : cpl->imm,
			cpl->imm_len);
}

/* The task, and all else, may be gone when the program's callback returns. */
static __rte_noinline void
recv_task_end(struct doca_comch_consumer_task_post_recv *task, const struct rte_comch_cpl *cpl,
		struct doca_comch_consumer *consumer)
{
	doca_comch_consumer_task_post_recv_completion_cb_t callback = consumer->error_cb;
	doca_error_t result = doca_compat_result(cpl->status);

	if (cpl->status == 0) {
		callback = consumer->success_cb;
		task->producer_id = cpl->producer_id;
		task->imm_len = cpl->imm_len;
		recv_task_imm(task, cpl);
		if (task->buf != NULL)
			task->buf->data_len += cpl->len;
	}
	if (task->buf != NULL)
		doca_compat_buf_release(task->buf);
	if (doca_compat_task_end(&task->base, result))
		callback(task, task->base.user_data, consumer->queue.ctx.user_data);
}

/* What most messages are has no call in between; the rest is done by the one above. */
static void
consumer_post_cb(struct rte_comch_task *rte, const struct rte_comch_cpl *cpl, void *user_data)
{
	struct doca_comch_consumer_task_post_recv *task = rte_comch_task_user_data_get(rte);
	struct doca_comch_consumer *consumer = user_data;
	struct doca_buf *buf = task->buf;

	if (unlikely((cpl->status | cpl->imm_len) != 0 || buf == NULL || buf->refs == 0 ||
			task->base.state != DOCA_TASK_SUBMITTED)) {
		recv_task_end(task, cpl, consumer);
		return;
	}
	task->producer_id = cpl->producer_id;
	buf->data_len += cpl->len;
	buf->holds--;
	task->base.state = DOCA_TASK_OWNED;
	task->base.status = DOCA_SUCCESS;
	consumer->queue.ctx.nb_inflight--;
	consumer->success_cb(task, task->base.user_data, consumer->queue.ctx.user_data);
}

/*
 * One that cannot start goes from STARTING to IDLE, as programs expect it: what lies
 * between is not told.
 */
static void
consumer_state_cb(struct rte_comch_ctx *rte, enum rte_comch_state prev, enum rte_comch_state next,
		void *user_data)
{
	struct doca_ctx *ctx = user_data;

	if (next == RTE_COMCH_STATE_STOPPING && prev == RTE_COMCH_STATE_STARTING &&
			rte_comch_ctx_reason_get(rte) != 0)
		return;
	if (ctx->state == DOCA_CTX_STATE_STARTING && next == RTE_COMCH_STATE_IDLE)
		prev = RTE_COMCH_STATE_STARTING;
	doca_compat_ctx_state_cb(rte, prev, next, user_data);
}

/* The region is the map's again, which may have ended meanwhile. */
static void
consumer_map_drop(struct doca_comch_consumer *consumer)
{
	struct doca_ctx *ctx = &consumer->queue.ctx;
	const union rte_comch_ctx_conf conf = {
		.consumer = { .state_cb = consumer_state_cb, .user_data = ctx },
	};

	if (!consumer->map_held)
		return;
	consumer->map_held = false;
	rte_comch_ctx_conf_set(ctx->rte, &conf);
	doca_compat_mmap_release(consumer->map);
}

/* The region that the peer may write to, which is in use until consumer_map_drop(). */
static doca_error_t
consumer_map_take(struct doca_comch_consumer *consumer, struct rte_comch_mem **mem)
{
	doca_error_t result;

	consumer_map_drop(consumer); /* of a start that has failed */
	doca_compat_mmap_hold(consumer->map);
	consumer->map_held = true;
	result = doca_compat_mmap_region(consumer->map, consumer->queue.ctx.func,
			consumer->queue.dev_id, true, mem);
	if (result == DOCA_ERROR_BAD_STATE)
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, SOURCE,
				"the map of a consumer is not started: doca_mmap_start() first");
	if (result != DOCA_SUCCESS)
		consumer_map_drop(consumer);
	return result;
}

/*
 * What a consumer states of its buffers, where the device wants to know before any was
 * posted. Programs of the vendor's library say nothing of it, but most use their map up.
 * One whose tasks have no buffers is there without memory.
 */
static void
consumer_state_size(const struct doca_comch_consumer *consumer,
		struct rte_comch_consumer_conf *conf)
{
	struct rte_comch_dev_info info;
	struct rte_comch_mem_info map;
	uint32_t said;
	uint64_t size;

	if (conf->mem == NULL || rte_comch_mem_info_get(conf->mem, &map) != 0 ||
			rte_comch_dev_info_get(consumer->queue.dev_id, &info) != 0 ||
			(info.capa & RTE_COMCH_CAPA_POST_SIZES) != 0)
		return;
	if (!doca_compat_recv_size(&said))
		size = RTE_MAX(map.len / RTE_MAX(consumer->queue.nb_tasks, 1u), UINT64_C(1));
	else
		size = said;
	conf->buf_size = RTE_MIN(RTE_MIN(size, map.len), info.max_buf_size);
	if (size == 0)
		conf->mem = NULL;
}

static doca_error_t
consumer_prepare(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = (struct doca_comch_consumer *)ctx;
	union rte_comch_ctx_conf conf = { .consumer = {
		.imm_len = consumer->imm_len,
		.nb_tasks = consumer->queue.nb_tasks,
		.state_cb = consumer_state_cb,
		.post_cb = consumer_post_cb,
		.user_data = ctx,
	} };
	doca_error_t result;

	consumer->queue.logged = 0;
	result = doca_comch_queue_tasks_make(&consumer->queue, &recv_task_ops,
			sizeof(struct doca_comch_consumer_task_post_recv) + consumer->imm_len);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comch_queue_attach(&consumer->queue);
	if (result != DOCA_SUCCESS)
		return result;
	if (consumer->map != NULL)
		result = consumer_map_take(consumer, &conf.consumer.mem);
	if (result != DOCA_SUCCESS)
		return result;
	consumer_state_size(consumer, &conf.consumer);
	return doca_compat_result(rte_comch_ctx_conf_set(ctx->rte, &conf));
}

static void
consumer_idle(struct doca_ctx *ctx)
{
	consumer_map_drop((struct doca_comch_consumer *)ctx);
}

static void
consumer_explain(struct doca_ctx *ctx, int reason)
{
	const char *text;

	RTE_SET_USED(ctx);
	switch (reason) {
	case -EACCES:
		text = "the peer does not take its map: it may not have the user's memory";
		break;
	case -ENOMEM:
		text = "one of the two sides has no memory for it";
		break;
	case -ENOTCONN:
	case -ECONNRESET:
	case -ESHUTDOWN:
		text = "its connection has ended: connect again";
		break;
	case -EIO:
		text = "the program of the offload processor has ended: the log of the driver says why";
		break;
	default:
		text = strerror(-reason);
		break;
	}
	DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, SOURCE, "a consumer is IDLE: %s", text);
}

static doca_error_t
consumer_dpa_start(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = (struct doca_comch_consumer *)ctx;
	struct doca_comch_queue *queue = &consumer->queue;
	struct rte_comch_dpa_queue_conf conf = {
		.size = queue->dev_num,
		.imm_len = consumer->imm_len,
		.completion = doca_comch_consumer_completion_rte(consumer->completion),
		.user_data = consumer->dev_user_data,
	};
	struct rte_comch_msgq *msgq = doca_comch_msgq_rte(queue);

	if (conf.completion == NULL)
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, SOURCE,
				"a consumer of a program has no completion context that is started: doca_comch_consumer_set_completion() first");
	if (conf.completion == NULL || msgq == NULL)
		return DOCA_ERROR_BAD_STATE;
	return doca_compat_dpa_result(rte_comch_dpa_queue_create(msgq, &conf, &queue->rte_dpa));
}

static const struct doca_ctx_ops consumer_ops = {
	.kind = "consumer",
	.prepare = consumer_prepare,
	.idle = consumer_idle,
	.explain = consumer_explain,
	.dpa_set = doca_comch_msgq_queue_dpa_set,
	.dpa_start = consumer_dpa_start,
	.dpa_stop = doca_comch_msgq_queue_dpa_stop,
};

doca_error_t
doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo)
{
	struct rte_comch_dev_info info;

	return doca_compat_devinfo_limits(devinfo, RTE_COMCH_CAPA_CONSUMER, &info);
}

doca_error_t
doca_comch_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
		uint32_t *max_num_tasks)
{
	return doca_compat_devinfo_limit(devinfo, RTE_COMCH_CAPA_CONSUMER,
			offsetof(struct rte_comch_dev_info, max_posts), max_num_tasks);
}

doca_error_t
doca_comch_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
		uint32_t *max_buf_size)
{
	return doca_comch_queue_buf_size_get(devinfo, RTE_COMCH_CAPA_CONSUMER, max_buf_size);
}

doca_error_t
doca_comch_consumer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
		uint32_t *max_buf_list_len)
{
	return doca_comch_queue_list_len_get(devinfo, RTE_COMCH_CAPA_CONSUMER, max_buf_list_len);
}

doca_error_t
doca_comch_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
		uint32_t *max_consumers)
{
	return doca_compat_devinfo_limit(devinfo, RTE_COMCH_CAPA_CONSUMER,
			offsetof(struct rte_comch_dev_info, max_consumers), max_consumers);
}

doca_error_t
doca_comch_consumer_cap_get_max_imm_data_len(const struct doca_devinfo *devinfo,
		uint32_t *max_imm_data_len)
{
	return doca_compat_devinfo_limit(devinfo, RTE_COMCH_CAPA_CONSUMER,
			offsetof(struct rte_comch_dev_info, max_imm_len), max_imm_data_len);
}

/* On a connection or a message queue; the other one is NULL. */
static doca_error_t
consumer_create(struct doca_comch_connection *connection, struct doca_comch_msgq *msgq,
		struct doca_comch_consumer **consumer)
{
	struct rte_comch_consumer_conf conf = { .state_cb = consumer_state_cb };
	struct doca_comch_consumer *created;
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
				&consumer_ops, true);
		if (result == DOCA_SUCCESS)
			result = doca_comch_queue_created(queue, rte_comch_consumer_create(
					connection->rte, &conf, &queue->ctx.rte));
	} else {
		result = doca_comch_msgq_queue_init(queue, msgq, &consumer_ops, true, &ours, &rte);
		if (result == DOCA_SUCCESS && ours)
			result = doca_compat_dpa_result(rte_comch_msgq_consumer_create(rte, &conf,
					&queue->ctx.rte));
	}
	if (result != DOCA_SUCCESS) {
		doca_comch_msgq_queue_end(queue);
		doca_comch_queue_free(queue);
		return result;
	}
	created->imm_len = queue->max_imm_len;
	*consumer = created;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_consumer_create(struct doca_comch_connection *connection, struct doca_mmap *buf_mmap,
		struct doca_comch_consumer **consumer)
{
	doca_error_t result;

	if (connection == NULL || buf_mmap == NULL || consumer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = consumer_create(connection, NULL, consumer);
	if (result != DOCA_SUCCESS)
		return result;
	(*consumer)->map = buf_mmap;
	doca_compat_mmap_ref(buf_mmap);
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_msgq_consumer_create(struct doca_comch_msgq *msgq,
		struct doca_comch_consumer **consumer)
{
	if (msgq == NULL || consumer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return consumer_create(NULL, msgq, consumer);
}

doca_error_t
doca_comch_consumer_destroy(struct doca_comch_consumer *consumer)
{
	doca_error_t result;

	if (consumer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer->queue.ctx.state == DOCA_CTX_STATE_IDLE)
		consumer_map_drop(consumer);
	result = doca_compat_ctx_end(&consumer->queue.ctx);
	if (result != DOCA_SUCCESS)
		return result;
	if (consumer->map != NULL)
		doca_compat_mmap_unref(consumer->map);
	doca_comch_consumer_completion_name(&consumer->completion, NULL);
	doca_comch_msgq_queue_end(&consumer->queue);
	doca_comch_queue_free(&consumer->queue);
	return DOCA_SUCCESS;
}

struct doca_ctx *
doca_comch_consumer_as_ctx(struct doca_comch_consumer *consumer)
{
	return consumer == NULL ? NULL : &consumer->queue.ctx;
}

doca_error_t
doca_comch_consumer_get_id(const struct doca_comch_consumer *consumer, uint32_t *id)
{
	if (consumer == NULL || id == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return doca_comch_queue_id_get(&consumer->queue, id);
}

doca_error_t
doca_comch_consumer_get_imm_data_len(const struct doca_comch_consumer *consumer,
		uint32_t *imm_data_len)
{
	if (consumer == NULL || imm_data_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*imm_data_len = consumer->imm_len;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_consumer_set_imm_data_len(struct doca_comch_consumer *consumer, uint32_t imm_data_len)
{
	if (consumer == NULL || imm_data_len > consumer->queue.max_imm_len)
		return DOCA_ERROR_INVALID_VALUE;
	if (doca_compat_ctx_settable(&consumer->queue.ctx) != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	consumer->imm_len = imm_data_len;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_consumer_task_post_recv_set_conf(struct doca_comch_consumer *consumer,
		doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
		doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb,
		uint32_t num_post_recv_tasks)
{
	if (consumer == NULL || task_completion_cb == NULL || task_error_cb == NULL ||
			num_post_recv_tasks == 0 ||
			num_post_recv_tasks > consumer->queue.max_tasks)
		return DOCA_ERROR_INVALID_VALUE;
	if (doca_compat_ctx_settable(&consumer->queue.ctx) != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	consumer->success_cb = task_completion_cb;
	consumer->error_cb = task_error_cb;
	consumer->queue.nb_tasks = num_post_recv_tasks;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_consumer_set_completion(struct doca_comch_consumer *consumer,
		struct doca_comch_consumer_completion *consumer_comp, uint32_t user_data)
{
	if (consumer == NULL || consumer_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (doca_comch_msgq_queue_settable(&consumer->queue) != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	doca_comch_consumer_completion_name(&consumer->completion, consumer_comp);
	consumer->dev_user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_consumer_set_dev_max_num_recv(struct doca_comch_consumer *consumer,
		uint32_t dev_num_recv)
{
	return doca_comch_msgq_queue_num_set((struct doca_comch_queue *)consumer, dev_num_recv);
}

doca_error_t
doca_comch_consumer_set_dev_num_recv(struct doca_comch_consumer *consumer, uint32_t dev_num_recv)
{
	return doca_comch_msgq_queue_num_set((struct doca_comch_queue *)consumer, dev_num_recv);
}

doca_error_t
doca_comch_consumer_get_dpa_handle(struct doca_comch_consumer *consumer,
		doca_dpa_dev_comch_consumer_t *dpa_consumer)
{
	if (consumer == NULL || dpa_consumer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return doca_comch_msgq_queue_handle_get(&consumer->queue, dpa_consumer);
}

/* A task of rte_comch for one that has none; what it posts is set with the submission. */
static doca_error_t
recv_task_bind(struct doca_comch_consumer *consumer, struct doca_task *task)
{
	int ret;

	ret = rte_comch_consumer_task_alloc(consumer->queue.ctx.rte, NULL, &task->rte);
	if (ret == 0)
		ret = rte_comch_task_user_data_set(task->rte, task);
	return doca_compat_result(ret);
}

doca_error_t
doca_comch_consumer_task_post_recv_alloc_init(struct doca_comch_consumer *consumer,
		struct doca_buf *buf, struct doca_comch_consumer_task_post_recv **task)
{
	struct doca_comch_consumer_task_post_recv *recv;
	struct doca_task *base;
	doca_error_t result;

	if (consumer == NULL || task == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer->queue.ctx.state != DOCA_CTX_STATE_RUNNING)
		return DOCA_ERROR_BAD_STATE;
	base = doca_comch_queue_task_get(&consumer->queue);
	if (base == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = recv_task_bind(consumer, base);
	if (result != DOCA_SUCCESS) {
		doca_comch_queue_task_put(base);
		return result;
	}
	recv = (struct doca_comch_consumer_task_post_recv *)base;
	recv->producer_id = 0;
	recv->imm_len = 0;
	doca_comch_consumer_task_post_recv_set_buf(recv, buf);
	*task = recv;
	return DOCA_SUCCESS;
}

struct doca_task *
doca_comch_consumer_task_post_recv_as_task(struct doca_comch_consumer_task_post_recv *task)
{
	return task == NULL ? NULL : &task->base;
}

struct doca_buf *
doca_comch_consumer_task_post_recv_get_buf(const struct doca_comch_consumer_task_post_recv *task)
{
	return task == NULL ? NULL : task->buf;
}

void
doca_comch_consumer_task_post_recv_set_buf(struct doca_comch_consumer_task_post_recv *task,
		struct doca_buf *buf)
{
	if (task == NULL || task->base.state != DOCA_TASK_OWNED)
		return;
	task->buf = buf;
	task->changed = true;
}

uint32_t
doca_comch_consumer_task_post_recv_get_producer_id(
		const struct doca_comch_consumer_task_post_recv *task)
{
	return task == NULL ? 0 : task->producer_id;
}

const uint8_t *
doca_comch_consumer_task_post_recv_get_imm_data(
		const struct doca_comch_consumer_task_post_recv *task)
{
	return task == NULL || task->imm_len == 0 ? NULL : task->imm;
}

uint32_t
doca_comch_consumer_task_post_recv_get_imm_data_len(
		const struct doca_comch_consumer_task_post_recv *task)
{
	return task == NULL ? 0 : task->imm_len;
}
