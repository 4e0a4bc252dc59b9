/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The tasks of a progress engine: how many are promised, and the memory of those. An
 * engine may promise up to its max_tasks, and has memory for as many as it ever had
 * promised at one time, in chunks. What an application does with one is in
 * rte_comch_task.c.
 *
 * Any thread may promise, as the thread of a server takes what a connection needs on another
 * engine. The tasks themselves are the engine's thread's: it
 * takes over what others have made when it has none left.
 */

#include <errno.h>

#include <rte_malloc.h>

#include "comch_private.h"

/* Tasks of the smallest chunk, which takes a page. */
#define POOL_CHUNK_TASKS 32

struct comch_task_chunk {
	struct comch_task_chunk *next;
	struct rte_comch_task tasks[];
};

void
comch_pool_init(struct comch_task_pool *pool, uint32_t max_tasks, int socket_id)
{
	pool->max_tasks = pool->tasks_left = max_tasks;
	pool->socket_id = socket_id;
	rte_spinlock_init(&pool->lock);
}

/* All of them are freed. */
void
comch_pool_fini(struct comch_task_pool *pool)
{
	struct comch_task_chunk *chunk;

	while ((chunk = pool->chunks) != NULL) {
		pool->chunks = chunk->next;
		rte_free(chunk);
	}
}

/* The lock is held. */
static int
pool_grow(struct comch_task_pool *pool, uint32_t nb)
{
	struct comch_task_chunk *chunk;
	struct rte_comch_task *tasks;
	uint32_t i;

	nb = RTE_MIN(RTE_MAX(nb, (uint32_t)POOL_CHUNK_TASKS), pool->max_tasks - pool->nb_made);
	chunk = rte_malloc_socket("comch_tasks", sizeof(*chunk) + nb * sizeof(chunk->tasks[0]),
			RTE_CACHE_LINE_SIZE, pool->socket_id);
	if (chunk == NULL) {
		COMCH_LOG(ERR, "no memory for %u tasks of a progress engine, give EAL more or the contexts fewer",
			nb);
		return -ENOMEM;
	}
	chunk->next = pool->chunks;
	pool->chunks = chunk;
	pool->nb_made += nb;
	tasks = chunk->tasks;
	for (i = 0; i + 1 < nb; i++)
		tasks[i].next_free = &tasks[i + 1];
	tasks[i].next_free = pool->made;
	pool->made = tasks;
	return 0;
}

/* Promise tasks: 0, -ENOSPC if there are not that many, or -ENOMEM. Any thread. */
int
comch_pool_take(struct comch_task_pool *pool, uint32_t nb)
{
	/* relaxed: the number orders nothing */
	uint32_t left = __atomic_load_n(&pool->tasks_left, __ATOMIC_RELAXED);
	uint32_t promised;
	int ret = 0;

	do {
		if (left < nb)
			return -ENOSPC;
	} while (!__atomic_compare_exchange_n(&pool->tasks_left, &left, left - nb, false,
			__ATOMIC_RELAXED, __ATOMIC_RELAXED));
	promised = pool->max_tasks - (left - nb);
	rte_spinlock_lock(&pool->lock);
	if (promised > pool->nb_made)
		ret = pool_grow(pool, promised - pool->nb_made);
	rte_spinlock_unlock(&pool->lock);
	if (ret != 0)
		comch_pool_give(pool, nb);
	return ret;
}

/* Take a promise back; any thread. */
void
comch_pool_give(struct comch_task_pool *pool, uint32_t nb)
{
	__atomic_fetch_add(&pool->tasks_left, nb, __ATOMIC_RELAXED);
}

/* In the engine's thread, which has none left: those that were made since. */
struct rte_comch_task *
comch_pool_adopt(struct comch_task_pool *pool)
{
	struct rte_comch_task *tasks;

	rte_spinlock_lock(&pool->lock);
	tasks = pool->made;
	pool->made = NULL;
	rte_spinlock_unlock(&pool->lock);
	return tasks;
}
