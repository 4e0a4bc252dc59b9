/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef COMCH_TASK_H
#define COMCH_TASK_H

/*
 * What is done for each task of a queue, inline: for rte_comch_task.c and
 * rte_comch_submit.c only. What is done for a burst of them is in these.
 */

#include "comch_private.h"

/*
 * The region that a task sends from stays until its end. One that waits for a flush was
 * seen by no driver: it may lack the region.
 */
static inline const struct rte_comch_mem *
task_mem(const struct comch_queue *queue, const struct rte_comch_task *task)
{
	return !queue->drv.is_consumer && task->data_len != 0 ? task->mem : NULL;
}

static inline void
mem_hold(const struct rte_comch_mem *mem, uint32_t nb)
{
	if (mem != NULL)
		__atomic_fetch_add((uint32_t *)(uintptr_t)&mem->nb_tasks, nb, __ATOMIC_RELAXED);
}

static inline void
mem_drop(const struct rte_comch_mem *mem, uint32_t nb)
{
	/* release: pairs with the acquire in rte_comch_mem_free() */
	if (mem != NULL)
		__atomic_fetch_sub((uint32_t *)(uintptr_t)&mem->nb_tasks, nb, __ATOMIC_RELEASE);
}

/* What the driver gets of a task. */
static inline void
task_send_get(const struct rte_comch_task *task, struct rte_comch_send *send)
{
	send->addr = task->addr;
	send->len = task->data_len;
	send->mem = task->mem;
	send->imm = likely(!task->imm_kept) ? task->imm : task->imm_copy;
	send->imm_len = task->imm_len;
	send->flags = 0;
	send->cookie = (uintptr_t)task;
}

/* The driver has taken it. */
static inline void
task_given(struct comch_queue *queue, struct rte_comch_task *task)
{
	task->taken = true;
	TAILQ_INSERT_TAIL(&queue->submitted, task, next_queue);
}

#endif /* COMCH_TASK_H */
