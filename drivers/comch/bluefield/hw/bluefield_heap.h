/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * DMA memory for both back ends: pages out of arenas, which a back end gets in
 * one piece and makes known to the device in one piece. Their number is limited
 * on both sides (EAL's memory zones, the regions of a vfio-user server), so they
 * grow with their number, as far as the back end says.
 */

#ifndef BLUEFIELD_HEAP_H
#define BLUEFIELD_HEAP_H

#include <stdbool.h>
#include <sys/queue.h>

#include "bluefield_hw.h"
#include "bluefield_lock.h"

struct bf_arena {
	TAILQ_ENTRY(bf_arena) next;
	/* the back end's, by get */
	void *addr;
	uint64_t iova;
	size_t len;         /* bytes, whole pages; get may make it larger */
	void *priv;
	int fd;
	/* the heap's */
	bool optional;      /* get need not log: a smaller one will do */
	uint32_t nb_pages;
	uint32_t nb_free;
	uint32_t hint;      /* page where the next search begins */
	uint64_t *used;     /* bitmap of pages */
};

struct bf_heap {
	struct bf_lock lock;
	TAILQ_HEAD(, bf_arena) arenas;
	uint32_t nb_arenas;
	size_t max_arena;   /* bytes; they grow no further */
	/* Memory of at least arena->len bytes. 0 or a negative errno, logged. */
	int (*get)(void *arg, struct bf_arena *arena);
	void (*put)(void *arg, struct bf_arena *arena);
	void *arg;
};

void bf_heap_init(struct bf_heap *heap, size_t max_arena,
		int (*get)(void *arg, struct bf_arena *arena),
		void (*put)(void *arg, struct bf_arena *arena), void *arg);
/* All memory goes, given back or not. */
void bf_heap_fini(struct bf_heap *heap);
/* As in struct bf_hw_ops. */
int bf_heap_alloc(struct bf_heap *heap, size_t len, size_t align, struct bf_dma *dma);
void bf_heap_free(struct bf_heap *heap, struct bf_dma *dma);
uint64_t bf_heap_iova(struct bf_heap *heap, const void *addr, size_t *len);

#endif
