/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Tasks: from the pool of the progress engine and back to it, and the way of those
 * of queues, which are written on bursts and nothing else. What happens to a control
 * message between submit and callback is in rte_comch_conn.c.
 */

#include <errno.h>

#include <rte_prefetch.h>

#include "comch_task.h"
#include "rte_comch_trace.h"

static int
task_msg_check(const struct comch_conn *conn, const void *msg, uint32_t len)
{
	if (unlikely(msg == NULL || len == 0))
		return -EINVAL;
	if (unlikely(conn->drv.state != RTE_COMCH_CONN_UP))
		return -ENOTCONN;
	if (unlikely(len > conn->drv.max_msg_size)) {
		COMCH_LOG(ERR, "%s: a message of %u bytes for '%s' is above its max_msg_size %u",
			conn->ctrl->ctx.dev->data->name, len, conn->ctrl->drv.name,
			conn->drv.max_msg_size);
		return -EMSGSIZE;
	}
	return 0;
}

/* A task that the engine has promised: there is one. */
static int
task_take(struct rte_comch_ctx *ctx, struct rte_comch_task **task)
{
	struct comch_task_pool *pool = &ctx->pe->tasks;

	if (unlikely(pool->free == NULL))
		pool->free = comch_pool_adopt(pool);
	*task = pool->free;
	if (unlikely(*task == NULL))
		return -ENOMEM;
	pool->free = (*task)->next_free;
	(*task)->ctx = ctx;
	(*task)->user_data = NULL;
	(*task)->submitted = false;
	(*task)->freed = false;
	(*task)->taken = false;
	(*task)->imm_kept = false;
	ctx->nb_tasks++;
	return 0;
}

/* A task of a queue's share. */
static int
queue_task_get(struct rte_comch_ctx *ctx, struct rte_comch_task **task)
{
	if (unlikely(ctx->state != RTE_COMCH_STATE_RUNNING))
		return -EBUSY;
	if (ctx->nb_tasks >= ctx->max_tasks)
		return -ENOMEM;
	return task_take(ctx, task);
}

/*
 * A task for a connection: its own one first, then those that it shares with the
 * others, until it has what one connection may have. So peers that do not progress
 * cannot take the tasks of all.
 */
static int
conn_task_get(struct comch_conn *conn, struct rte_comch_task **task)
{
	struct comch_ctrl *ctrl = conn->ctrl;
	bool shared = conn->nb_tasks >= conn->nb_own;
	int ret;

	if (unlikely(ctrl->ctx.state != RTE_COMCH_STATE_RUNNING))
		return -EBUSY;
	if (unlikely(conn->nb_tasks >= ctrl->max_conn_tasks))
		return -EDQUOT;
	if (unlikely(shared && ctrl->nb_shared >= ctrl->ctx.max_tasks))
		return -ENOMEM;
	ret = task_take(&ctrl->ctx, task);
	if (unlikely(ret != 0))
		return ret;
	(*task)->conn = conn;
	conn->nb_tasks++;
	ctrl->nb_shared += shared;
	return 0;
}

/* The connection may have left its context, which is there as long as its tasks are. */
static void
conn_task_put(struct comch_ctrl *ctrl, struct comch_conn *conn)
{
	conn->nb_tasks--;
	ctrl->nb_shared -= conn->nb_tasks >= conn->nb_own;
	if (unlikely(conn->reaped && conn->nb_tasks == 0))
		comch_pe_reap_add(ctrl->ctx.pe, conn);
}

int
rte_comch_conn_task_alloc(struct rte_comch_conn *handle, const void *msg, uint32_t len,
		struct rte_comch_task **task_out)
{
	struct comch_conn *conn = comch_conn(handle);
	struct rte_comch_task *task;
	int ret;

	if (unlikely(handle == NULL || task_out == NULL))
		return -EINVAL;
	ret = task_msg_check(conn, msg, len);
	if (unlikely(ret != 0))
		return ret;
	ret = conn_task_get(conn, &task);
	if (unlikely(ret != 0))
		return ret;
	task->msg = msg;
	task->len = len;
	*task_out = task;
	return 0;
}

int
rte_comch_conn_task_set(struct rte_comch_task *task, const void *msg, uint32_t len)
{
	int ret;

	if (task == NULL || task->ctx->kind->is_queue)
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
	if (unlikely(task == NULL))
		return -EINVAL;
	if (unlikely(task->submitted))
		return -EALREADY;
	return task->ctx->kind->task_submit(task);
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

/* Outside of progress: the state callback may destroy the context. */
static void
task_last_freed(struct rte_comch_ctx *ctx)
{
	struct rte_comch_pe *pe = ctx->pe;

	comch_pe_enter(pe);
	ctx->kind->try_idle(ctx);
	comch_pe_leave(pe);
}

int
rte_comch_task_free(struct rte_comch_task *task)
{
	struct comch_task_pool *pool;
	struct comch_conn *conn;
	struct rte_comch_ctx *ctx;

	if (task == NULL)
		return 0;
	if (unlikely(task->submitted))
		return task_free_refuse(task);
	/* submitted, too: functions that refuse a submitted task refuse a freed one */
	task->submitted = true;
	task->freed = true;
	ctx = task->ctx;
	conn = ctx->kind->is_queue ? NULL : task->conn;
	pool = &ctx->pe->tasks;
	task->next_free = pool->free;
	pool->free = task;
	ctx->nb_tasks--;
	if (conn != NULL)
		conn_task_put(comch_ctrl(ctx), conn);
	if (unlikely(ctx->state == RTE_COMCH_STATE_STOPPING && ctx->nb_tasks == 0)) {
		/* in progress, its caller looks at the state when callbacks are done */
		if (ctx->pe->in_progress)
			comch_pe_work_add(ctx);
		else
			task_last_freed(ctx);
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

int
rte_comch_task_info_get(const struct rte_comch_task *task, struct rte_comch_task_info *info)
{
	const struct comch_queue *queue;

	if (task == NULL || info == NULL)
		return -EINVAL;
	memset(info, 0, sizeof(*info));
	if (!task->ctx->kind->is_queue) {
		info->ctx = comch_ctrl(task->ctx)->shown;
		info->conn = task->conn->drv.state == RTE_COMCH_CONN_UP ? &task->conn->drv : NULL;
		info->msg = task->msg;
		info->len = task->len;
		return 0;
	}
	queue = comch_queue(task->ctx);
	info->ctx = task->ctx;
	info->conn = comch_parent_usable(queue->parent) == 0 ? queue->drv.conn : NULL;
	if (queue->drv.is_consumer) {
		info->post = task->post;
		return 0;
	}
	info->consumer_id = task->consumer_id;
	task_send_get(task, &info->send);
	info->send.imm = task->imm;
	info->send.cookie = 0;
	return 0;
}

/* Into the engine's list, or from the idle ones. */
void
comch_task_poll_add(struct comch_queue *queue)
{
	struct rte_comch_pe *pe = queue->ctx.pe;

	queue->idle_polls = 0;
	if (queue->on_poll)
		return;
	comch_task_poll_del(queue);
	queue->on_poll = true;
	pe->nb_polled++;
	TAILQ_INSERT_TAIL(&pe->polled, queue, next_poll);
}

void
comch_task_poll_del(struct comch_queue *queue)
{
	struct rte_comch_pe *pe = queue->ctx.pe;

	if (queue->on_poll) {
		TAILQ_REMOVE(&pe->polled, queue, next_poll);
		pe->nb_polled--;
	} else if (queue->on_idle) {
		TAILQ_REMOVE(&pe->idle_queues, queue, next_poll);
		pe->nb_idle--;
	}
	queue->on_poll = queue->on_idle = false;
}

void
rte_comch_pmd_queue_ring(struct rte_comch_queue *drv)
{
	struct comch_queue *queue = comch_queue_of_drv(drv);

	if (queue->nb_submitted != 0)
		comch_task_poll_add(queue);
}

/*
 * A queue that was quiet for some time. The driver tells when something comes, if it
 * can; then it is in no list until rte_comch_pmd_queue_ring().
 */
static void
poll_idle(struct comch_queue *queue)
{
	rte_comch_queue_idle_t queue_idle = queue->ctx.dev->ops->queue_idle;
	struct rte_comch_pe *pe = queue->ctx.pe;
	int ret = queue_idle != NULL ? queue_idle(&queue->drv) : -ENOTSUP;

	if (ret == -EAGAIN)
		return; /* asked again in the next turn */
	comch_task_poll_del(queue);
	if (ret == 0)
		return;
	queue->on_idle = true;
	pe->nb_idle++;
	TAILQ_INSERT_TAIL(&pe->idle_queues, queue, next_poll);
}

static int
queue_task_submit_now(struct comch_queue *queue, struct rte_comch_task *task)
{
	struct rte_comch_send send;
	uint32_t consumer_id = 0;
	uint16_t nb;

	/* those that wait came first */
	if (unlikely(queue->on_later) && !comch_queue_flush(queue))
		return -EAGAIN;
	if (queue->drv.is_consumer) {
		task->post.cookie = (uintptr_t)task;
		nb = queue->fns.post(queue->fns.queue, &task->post, 1);
	} else {
		task_send_get(task, &send);
		consumer_id = task->consumer_id;
		nb = queue->fns.send(queue->fns.queue, consumer_id, &send, 1);
	}
	if (unlikely(nb == 0))
		return comch_queue_short_reason(queue, consumer_id);
	task->submitted = true;
	mem_hold(task_mem(queue, task), 1);
	queue->nb_submitted++;
	task_given(queue, task);
	comch_task_poll_add(queue);
	comch_pe_touch(queue->ctx.pe);
	return 0;
}

int
comch_queue_task_submit(struct rte_comch_task *task)
{
	struct comch_queue *queue = comch_queue(task->ctx);

	if (unlikely(queue->ctx.state != RTE_COMCH_STATE_RUNNING))
		return -EBUSY;
	if (queue->ctx.pe->holding && comch_queue_task_hold(queue, task))
		return 0;
	return queue_task_submit_now(queue, task);
}

/* Its callback, in progress; it is in no list, and holds no region. */
static inline void
queue_task_call(struct comch_queue *queue, struct rte_comch_task *task,
		const struct rte_comch_cpl *cpl)
{
	struct rte_comch_ctx *ctx = &queue->ctx;

	task->submitted = false;
	task->imm_kept = false;
	queue->nb_submitted--;
	if (queue->post_cb != NULL)
		queue->post_cb(task, cpl, ctx->user_data);
	else
		queue->send_cb(task, cpl->status, ctx->user_data);
}

/* One that is in no list any more ends, in progress. */
void
comch_queue_task_end(struct comch_queue *queue, struct rte_comch_task *task,
		const struct rte_comch_cpl *cpl)
{
	struct rte_comch_ctx *ctx = &queue->ctx;

	mem_drop(task_mem(queue, task), 1);
	ctx->in_callback++;
	queue_task_call(queue, task, cpl);
	ctx->in_callback--;
}

/* Tasks are the driver's no more: out of their list, and off their regions. */
static inline void
queue_tasks_back(struct comch_queue *queue, const struct rte_comch_cpl *cpls, uint16_t nb)
{
	const struct rte_comch_mem *mem = NULL, *next;
	struct rte_comch_task *task;
	uint32_t same = 0;
	uint16_t i;

	for (i = 0; i < nb; i++) {
		task = (struct rte_comch_task *)(uintptr_t)cpls[i].cookie;
		TAILQ_REMOVE(&queue->submitted, task, next_queue);
		next = task_mem(queue, task);
		if (unlikely(next != mem)) {
			mem_drop(mem, same);
			mem = next;
			same = 0;
		}
		same++;
	}
	mem_drop(mem, same);
}

/*
 * The ends of several tasks of a queue. What their callbacks submit is the driver's when
 * all of them are done.
 */
static void
queue_tasks_end(struct comch_queue *queue, const struct rte_comch_cpl *cpls, uint16_t nb)
{
	struct rte_comch_ctx *ctx = &queue->ctx;
	struct rte_comch_pe *pe = ctx->pe;
	struct rte_comch_task *task;
	uint16_t i;

	for (i = 0; i < nb; i++) {
		task = (struct rte_comch_task *)(uintptr_t)cpls[i].cookie;
		rte_prefetch0(task);
		rte_prefetch0(RTE_PTR_ADD(task, RTE_CACHE_LINE_SIZE));
	}
	queue_tasks_back(queue, cpls, nb);
	pe->holding = true;
	ctx->in_callback++; /* until all have ended */
	for (i = 0; i < nb; i++)
		queue_task_call(queue, (struct rte_comch_task *)(uintptr_t)cpls[i].cookie,
				&cpls[i]);
	ctx->in_callback--;
	pe->holding = false;
	if (pe->nb_held != 0)
		comch_pe_held_flush(pe);
}

/* The ends of some tasks of a queue; how many. */
static int
queue_poll(struct comch_queue *queue)
{
	struct rte_comch_cpl cpls[COMCH_FP_BURST];
	struct rte_comch_task *task;
	uint16_t nb;

	nb = queue->fns.poll(queue->fns.queue, cpls, RTE_DIM(cpls));
	if (nb == 1) {
		task = (struct rte_comch_task *)(uintptr_t)cpls[0].cookie;
		TAILQ_REMOVE(&queue->submitted, task, next_queue);
		comch_queue_task_end(queue, task, &cpls[0]);
	} else if (nb != 0) {
		queue_tasks_end(queue, cpls, nb);
	}
	return nb;
}

/*
 * In progress, of a queue that takes no new tasks: the driver gives none back any more.
 * Its tasks end in order, and after them those that it never got.
 */
void
comch_queue_tasks_end(struct comch_queue *queue, int status)
{
	struct rte_comch_cpl cpl = { .status = status };
	struct rte_comch_task *task;

	while ((task = TAILQ_FIRST(&queue->submitted)) != NULL) {
		TAILQ_REMOVE(&queue->submitted, task, next_queue);
		cpl.cookie = (uintptr_t)task;
		comch_queue_task_end(queue, task, &cpl);
	}
	comch_queue_later_end(queue, status);
	comch_task_poll_del(queue);
}

/* One turn of a queue, which is in one of the lists. */
static int
queue_turn(struct comch_queue *queue)
{
	int nb;

	/* stopped in a callback, it may have become IDLE: then it is in no list */
	nb = queue_poll(queue);
	if (!queue->on_poll && !queue->on_idle)
		return nb;
	if (queue->nb_submitted == 0)
		comch_task_poll_del(queue);
	else if (nb != 0)
		comch_task_poll_add(queue);
	else if (queue->on_poll && ++queue->idle_polls >= COMCH_FP_IDLE_POLLS)
		poll_idle(queue);
	return nb;
}

/*
 * One turn of all queues with tasks. Those that were quiet for some time are the
 * driver's to look after. If it cannot, they are looked at in turns, a few at a time,
 * so that the cost does not grow with what only exists.
 */
int
comch_task_poll(struct rte_comch_pe *pe)
{
	struct comch_queue *queue;
	uint32_t left;
	int nb = 0;

	/* callbacks may add to a list or take from it: count, and begin at its head */
	for (left = pe->nb_polled; left > 0; left--) {
		queue = TAILQ_FIRST(&pe->polled);
		if (queue == NULL)
			break;
		TAILQ_REMOVE(&pe->polled, queue, next_poll);
		TAILQ_INSERT_TAIL(&pe->polled, queue, next_poll);
		nb += queue_turn(queue);
	}
	for (left = RTE_MIN(pe->nb_idle, (uint32_t)COMCH_FP_IDLE_LOOKS); left > 0; left--) {
		queue = TAILQ_FIRST(&pe->idle_queues);
		if (queue == NULL)
			break;
		TAILQ_REMOVE(&pe->idle_queues, queue, next_poll);
		TAILQ_INSERT_TAIL(&pe->idle_queues, queue, next_poll);
		nb += queue_turn(queue);
	}
	return nb;
}

static int
send_check(const struct rte_comch_send *send)
{
	if (send == NULL || (send->len != 0 && send->addr == NULL) ||
			(send->imm_len != 0 && send->imm == NULL))
		return -EINVAL;
	return 0;
}

/* Is it a place of a region that a driver has no more against than against another one? */
static bool
mem_has(const struct rte_comch_mem *mem, const void *addr, uint64_t len)
{
	uint64_t off;

	/* of several chunks it would have to lie in one */
	if (mem == NULL || mem->nb_chunks != 0)
		return false;
	off = (uintptr_t)addr - (uintptr_t)mem->addr;
	return off <= mem->len && len <= mem->len - off;
}

/* Is a message not worse than the one that a task has? */
static bool
send_is_like(const struct rte_comch_task *task, uint32_t consumer_id,
		const struct rte_comch_send *send)
{
	return consumer_id == task->consumer_id && send->len <= task->data_len &&
		send->imm_len <= task->imm_len && (send->len == 0 ||
			(send->mem == task->mem && mem_has(send->mem, send->addr, send->len)));
}

static void
task_send_set(struct rte_comch_task *task, uint32_t consumer_id,
		const struct rte_comch_send *send)
{
	task->addr = send->addr;
	task->data_len = send->len;
	task->mem = send->mem;
	task->imm = send->imm;
	task->imm_len = send->imm_len;
	task->consumer_id = consumer_id;
}

int
rte_comch_producer_task_alloc(struct rte_comch_ctx *ctx, uint32_t consumer_id,
		const struct rte_comch_send *send, struct rte_comch_task **task)
{
	int ret;

	if (task == NULL || comch_producer_of(ctx) == NULL || ctx->max_tasks == 0 ||
			send_check(send) != 0)
		return -EINVAL;
	ret = queue_task_get(ctx, task);
	if (ret != 0)
		return ret;
	task_send_set(*task, consumer_id, send);
	return 0;
}

int
rte_comch_producer_task_set(struct rte_comch_task *task, uint32_t consumer_id,
		const struct rte_comch_send *send)
{
	if (task == NULL || comch_producer_of(task->ctx) == NULL || send_check(send) != 0)
		return -EINVAL;
	if (task->submitted)
		return -EBUSY;
	task->taken = task->taken && send_is_like(task, consumer_id, send);
	task_send_set(task, consumer_id, send);
	return 0;
}

int
rte_comch_consumer_task_alloc(struct rte_comch_ctx *ctx, const struct rte_comch_post *post,
		struct rte_comch_task **task)
{
	static const struct rte_comch_post none;
	int ret;

	if (task == NULL || comch_consumer_of(ctx) == NULL || ctx->max_tasks == 0)
		return -EINVAL;
	ret = queue_task_get(ctx, task);
	if (ret != 0)
		return ret;
	(*task)->post = post != NULL ? *post : none;
	return 0;
}

/* Is a buffer not worse than the one that a task has? */
static bool
post_is_like(const struct rte_comch_task *task, const struct rte_comch_post *post)
{
	return post->flags == task->post.flags && post->len == task->post.len &&
		(post->addr == task->post.addr || (task->post.addr != NULL &&
			mem_has(comch_queue(task->ctx)->drv.mem, post->addr, post->len)));
}

int
rte_comch_consumer_task_set(struct rte_comch_task *task, const struct rte_comch_post *post)
{
	static const struct rte_comch_post none;

	if (task == NULL || comch_consumer_of(task->ctx) == NULL)
		return -EINVAL;
	if (task->submitted)
		return -EBUSY;
	if (post == NULL)
		post = &none;
	task->taken = task->taken && post_is_like(task, post);
	task->post = *post;
	return 0;
}
