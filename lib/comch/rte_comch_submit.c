/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Submission of several tasks, and of tasks that the driver gets later: those of
 * queues wait here, those of connections where messages wait for room. One task by
 * itself, its end and its memory are in rte_comch_task.c.
 */

#include <errno.h>
#include <string.h>

#include <rte_errno.h>

#include "comch_task.h"

/* How tasks end that are not delivered when a queue stops. */
int
comch_queue_end_status(const struct rte_comch_ctx *ctx)
{
	return ctx->reason != 0 ? -ECONNRESET : -ECANCELED;
}

/* Why a queue's driver has not taken what it was given last. */
int
comch_queue_short_reason(struct comch_queue *queue, uint32_t consumer_id)
{
	struct rte_comch_room room = { 0 };
	int ret;

	ret = queue->ctx.dev->ops->queue_room(&queue->drv, consumer_id, &room);
	if (ret != 0)
		return ret;
	return room.reason == 0 || room.reason == -ENOBUFS ? -EAGAIN : room.reason;
}

static void
queue_mem_hold(const struct comch_queue *queue, struct rte_comch_task * const *tasks, uint32_t nb)
{
	const struct rte_comch_mem *mem;
	uint32_t run;

	/* of one region, as a rule */
	for (; nb != 0; tasks += run, nb -= run) {
		mem = task_mem(queue, tasks[0]);
		for (run = 1; run < nb && task_mem(queue, tasks[run]) == mem; run++)
			;
		mem_hold(mem, run);
	}
}

/* Whether the driver can have both in one burst: its send is for one consumer. */
static bool
queue_same_burst(const struct comch_queue *queue, const struct rte_comch_task *a,
		const struct rte_comch_task *b)
{
	return queue->drv.is_consumer || a->consumer_id == b->consumer_id;
}

/* Give tasks of one burst to the driver; how many it took, and why not all. */
static uint16_t
queue_give(struct comch_queue *queue, struct rte_comch_task * const *tasks, uint16_t nb,
		int *reason)
{
	union {
		struct rte_comch_post posts[COMCH_FP_BURST];
		struct rte_comch_send sends[COMCH_FP_BURST];
	} burst;
	uint32_t consumer_id = 0;
	uint16_t i, taken;

	if (queue->drv.is_consumer) {
		for (i = 0; i < nb; i++) {
			burst.posts[i] = tasks[i]->post;
			burst.posts[i].cookie = (uintptr_t)tasks[i];
		}
		taken = queue->fns.post(queue->fns.queue, burst.posts, nb);
	} else {
		for (i = 0; i < nb; i++) {
			task_send_get(tasks[i], &burst.sends[i]);
		}
		consumer_id = tasks[0]->consumer_id;
		taken = queue->fns.send(queue->fns.queue, consumer_id, burst.sends, nb);
	}
	if (taken != 0)
		comch_task_poll_add(queue);
	if (taken < nb)
		*reason = comch_queue_short_reason(queue, consumer_id);
	return taken;
}

static void
queue_later_del(struct comch_queue *queue)
{
	struct rte_comch_pe *pe = queue->ctx.pe;

	if (!queue->on_later)
		return;
	queue->on_later = false;
	pe->nb_later--;
	TAILQ_REMOVE(&pe->later, queue, next_later);
}

static void
queue_later_add(struct comch_queue *queue, struct rte_comch_task *task)
{
	struct rte_comch_pe *pe = queue->ctx.pe;

	TAILQ_INSERT_TAIL(&queue->later, task, next_queue);
	if (queue->on_later)
		return;
	queue->on_later = true;
	pe->nb_later++;
	TAILQ_INSERT_TAIL(&pe->later, queue, next_later);
}

/*
 * Give the driver what waits, in bursts; true if nothing waits any more. No task ends
 * in here, so it may be called outside of progress.
 */
bool
comch_queue_flush(struct comch_queue *queue)
{
	struct rte_comch_task *tasks[COMCH_FP_BURST], *task;
	uint16_t i, nb, taken;

	while ((task = TAILQ_FIRST(&queue->later)) != NULL) {
		for (nb = 0; nb < RTE_DIM(tasks) && task != NULL; nb++) {
			if (nb != 0 && !queue_same_burst(queue, tasks[0], task))
				break;
			tasks[nb] = task;
			task = TAILQ_NEXT(task, next_queue);
		}
		taken = queue_give(queue, tasks, nb, &queue->later_reason);
		for (i = 0; i < taken; i++) {
			TAILQ_REMOVE(&queue->later, tasks[i], next_queue);
			task_given(queue, tasks[i]);
		}
		if (taken < nb)
			return false;
	}
	queue_later_del(queue);
	return true;
}

/* The first that waits will never be taken, whatever room there is. */
static bool
queue_later_is_bad(const struct comch_queue *queue)
{
	/* -ENOTCONN: the news of it are on their way, and end them all */
	return queue->later_reason != -EAGAIN && queue->later_reason != -ENOTCONN;
}

static void
queue_later_end_first(struct comch_queue *queue, int status)
{
	struct rte_comch_task *task = TAILQ_FIRST(&queue->later);
	struct rte_comch_cpl cpl = { .cookie = (uintptr_t)task, .status = status };

	TAILQ_REMOVE(&queue->later, task, next_queue);
	if (TAILQ_EMPTY(&queue->later))
		queue_later_del(queue);
	comch_queue_task_end(queue, task, &cpl);
}

/* In progress: end those that wait of a queue that takes no new ones; how many. */
int
comch_queue_later_end(struct comch_queue *queue, int status)
{
	int nb = 0;

	for (; !TAILQ_EMPTY(&queue->later); nb++)
		queue_later_end_first(queue, status);
	return nb;
}

/* One turn of a queue with tasks that wait; the number that ended. */
static int
queue_later_turn(struct comch_queue *queue)
{
	struct rte_comch_ctx *ctx = &queue->ctx;
	uint32_t left = queue->nb_submitted; /* callbacks may add to them */
	int nb = 0;

	while (ctx->state == RTE_COMCH_STATE_RUNNING && queue->on_later &&
			!comch_queue_flush(queue) && queue_later_is_bad(queue) && left-- > 0) {
		queue_later_end_first(queue, queue->later_reason);
		nb++;
	}
	/* in order: after those that the driver has */
	if (ctx->state == RTE_COMCH_STATE_STOPPING && TAILQ_EMPTY(&queue->submitted))
		nb += comch_queue_later_end(queue, comch_queue_end_status(ctx));
	return nb;
}

/* In progress, if there are any. */
int
comch_submit_later_run(struct rte_comch_pe *pe)
{
	struct comch_queue *queue;
	uint32_t left;
	int nb = 0;

	/* callbacks may add to the list or take from it: count, and begin at its head */
	for (left = pe->nb_later; left > 0; left--) {
		queue = TAILQ_FIRST(&pe->later);
		if (queue == NULL)
			break;
		TAILQ_REMOVE(&pe->later, queue, next_later);
		TAILQ_INSERT_TAIL(&pe->later, queue, next_later);
		nb += queue_later_turn(queue);
	}
	return nb;
}

/* Before a sleep: whether progress has something to do. What waits for room does not. */
bool
comch_submit_later_arm(struct rte_comch_pe *pe)
{
	struct comch_queue *queue, *next;
	bool pending = false;

	for (queue = TAILQ_FIRST(&pe->later); queue != NULL; queue = next) {
		next = TAILQ_NEXT(queue, next_later);
		if (queue->ctx.state == RTE_COMCH_STATE_RUNNING)
			pending |= !comch_queue_flush(queue) && queue_later_is_bad(queue);
		else
			pending |= TAILQ_EMPTY(&queue->submitted);
	}
	return pending;
}

/*
 * Tasks that are submitted in callbacks
 *
 * They are held until the callbacks of a burst of completions are done, and then given to
 * the driver in one burst. What a submit returns is as before: only those are held that
 * the driver is sure to take, and what comes in between, as the end of the connection, is
 * the status of a task.
 */

/* Whether the first may be held, and how many more. */
static bool
hold_first(struct comch_queue *queue, const struct rte_comch_task *task)
{
	rte_comch_queue_takes_t takes = queue->ctx.dev->ops->queue_takes;

	if (!task->taken || queue->on_later)
		return false;
	/* a post has the place of one that has ended: there are no more tasks than places */
	queue->nb_sure = RTE_DIM(queue->held);
	if (queue->drv.is_consumer)
		return true;
	queue->nb_sure = 0;
	queue->sure_id = task->consumer_id;
	queue->sure_len = task->data_len;
	if (takes != NULL && task->imm_len <= sizeof(task->imm_copy))
		queue->nb_sure = takes(&queue->drv, task->consumer_id, task->data_len,
				RTE_DIM(queue->held));
	return queue->nb_sure != 0;
}

/* In a list of its engine, and the first region is counted for all that can follow. */
static void
hold_begin(struct comch_queue *queue, const struct rte_comch_task *task)
{
	struct rte_comch_pe *pe = queue->ctx.pe;

	queue->held_mem = task_mem(queue, task);
	queue->nb_other_mem = 0;
	mem_hold(queue->held_mem, RTE_DIM(queue->held));
	/* posts first: who is sent something in a callback may answer to one of them */
	if (queue->drv.is_consumer)
		TAILQ_INSERT_HEAD(&pe->held, queue, next_held);
	else
		TAILQ_INSERT_TAIL(&pe->held, queue, next_held);
	pe->nb_held++;
}

/* Whether one more may be held. */
static inline bool
hold_next(const struct comch_queue *queue, const struct rte_comch_task *task)
{
	if (queue->nb_held == queue->nb_sure || !task->taken)
		return false;
	return queue->drv.is_consumer || (task->consumer_id == queue->sure_id &&
		task->data_len <= queue->sure_len && task->imm_len <= sizeof(task->imm_copy));
}

/* In a callback: whether the task is held. If it is not, nothing is. */
bool
comch_queue_task_hold(struct comch_queue *queue, struct rte_comch_task *task)
{
	struct rte_comch_pe *pe = queue->ctx.pe;

	if (unlikely(queue->nb_held == 0 || !hold_next(queue, task))) {
		if (queue->nb_held != 0)
			comch_pe_held_flush(pe);
		if (!hold_first(queue, task)) {
			comch_pe_held_flush(pe);
			return false;
		}
		hold_begin(queue, task);
	}
	if (unlikely(task_mem(queue, task) != queue->held_mem)) {
		mem_hold(task_mem(queue, task), 1);
		queue->nb_other_mem++;
	}
	if (!queue->drv.is_consumer && task->imm_len != 0) {
		memcpy(task->imm_copy, task->imm, task->imm_len);
		task->imm_kept = true;
	}
	task->submitted = true;
	queue->nb_submitted++;
	queue->held[queue->nb_held++] = task;
	return true;
}

static void
queue_held_flush(struct comch_queue *queue)
{
	uint32_t i, nb = queue->nb_held, taken;

	mem_drop(queue->held_mem, RTE_DIM(queue->held) - (nb - queue->nb_other_mem));
	queue->nb_held = 0;
	taken = queue_give(queue, queue->held, nb, &queue->later_reason);
	for (i = 0; i < taken; i++)
		task_given(queue, queue->held[i]);
	for (; i < nb; i++)
		queue_later_add(queue, queue->held[i]);
}

/* Give the driver all that is held. No task ends in here. */
void
comch_pe_held_flush(struct rte_comch_pe *pe)
{
	struct comch_queue *queue;

	while ((queue = TAILQ_FIRST(&pe->held)) != NULL) {
		TAILQ_REMOVE(&pe->held, queue, next_held);
		queue_held_flush(queue);
	}
	pe->nb_held = 0;
}

uint16_t
comch_queue_tasks_submit(struct rte_comch_task **tasks, uint16_t nb, bool later, int *reason)
{
	struct comch_queue *queue = comch_queue(tasks[0]->ctx);
	uint16_t i, run, taken, done = 0;

	if (unlikely(queue->ctx.state != RTE_COMCH_STATE_RUNNING)) {
		*reason = -EBUSY;
		return 0;
	}
	if (queue->ctx.pe->holding) {
		if (later)
			comch_pe_held_flush(queue->ctx.pe);
		while (!later && done < nb && comch_queue_task_hold(queue, tasks[done]))
			done++;
		if (done == nb)
			return done;
	}
	if (later) {
		queue->nb_submitted += nb;
		queue_mem_hold(queue, tasks, nb);
		for (; done < nb; done++)
			queue_later_add(queue, tasks[done]);
	} else if (queue->on_later && !comch_queue_flush(queue)) {
		/* those that wait came first */
		*reason = queue->later_reason == -ENOTCONN ? -ENOTCONN : -EAGAIN;
	} else {
		do {
			for (run = 1; run < RTE_MIN(nb - done, COMCH_FP_BURST); run++)
				if (!queue_same_burst(queue, tasks[done], tasks[done + run]))
					break;
			taken = queue_give(queue, tasks + done, run, reason);
			queue_mem_hold(queue, tasks + done, taken);
			queue->nb_submitted += taken;
			for (i = 0; i < taken; i++)
				task_given(queue, tasks[done + i]);
			done += taken;
		} while (taken == run && done < nb);
	}
	if (done != 0)
		comch_pe_touch(queue->ctx.pe);
	return done;
}

/*
 * Mark tasks from the first on, as long as they are of one context; how many. Marked,
 * so that one that is there twice is found.
 */
static uint16_t
tasks_mark(struct rte_comch_task **tasks, uint16_t nb, int *reason)
{
	uint16_t i;

	for (i = 0; i < nb; i++) {
		if (unlikely(tasks[i] == NULL))
			*reason = -EINVAL;
		else if (unlikely(tasks[i]->submitted))
			*reason = -EALREADY;
		else if (tasks[i]->ctx != tasks[0]->ctx)
			break;
		else
			tasks[i]->submitted = true;
		if (*reason != 0)
			break;
	}
	return i;
}

int
rte_comch_task_submit_burst(struct rte_comch_task **tasks, uint16_t nb, uint32_t flags)
{
	bool later = (flags & RTE_COMCH_SUBMIT_F_LATER) != 0;
	uint16_t i, marked, taken, done = 0;
	int reason = 0, mark_reason = 0;

	if (unlikely((tasks == NULL && nb != 0) || (flags & ~RTE_COMCH_SUBMIT_F_LATER) != 0))
		return -EINVAL;
	while (done < nb && reason == 0) {
		marked = tasks_mark(tasks + done, nb - done, &mark_reason);
		taken = 0;
		if (marked != 0)
			taken = tasks[done]->ctx->kind->tasks_submit(tasks + done, marked, later,
					&reason);
		for (i = taken; i < marked; i++)
			tasks[done + i]->submitted = false;
		done += taken;
		if (reason == 0)
			reason = mark_reason;
	}
	if (reason != 0)
		rte_errno = -reason;
	return done;
}
