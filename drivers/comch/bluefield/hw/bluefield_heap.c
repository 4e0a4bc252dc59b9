/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The allocator of DMA memory: first fit in bitmaps of pages. It knows neither
 * EAL's memory zones nor vfio-user; a back end gives it arenas.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_bitops.h>
#include <rte_common.h>

#include "bluefield_heap.h"

#define HEAP_MIN_ARENA ((size_t)2 << 20)
/* Nobody asks for more in one piece; it keeps sums within their types. */
#define HEAP_MAX_LEN ((size_t)1 << 30)

void
bf_heap_init(struct bf_heap *heap, size_t max_arena,
		int (*get)(void *arg, struct bf_arena *arena),
		void (*put)(void *arg, struct bf_arena *arena), void *arg)
{
	bf_lock_init(&heap->lock);
	TAILQ_INIT(&heap->arenas);
	heap->nb_arenas = 0;
	heap->max_arena = max_arena;
	heap->get = get;
	heap->put = put;
	heap->arg = arg;
}

static void
arena_destroy_locked(struct bf_heap *heap, struct bf_arena *arena)
{
	TAILQ_REMOVE(&heap->arenas, arena, next);
	heap->nb_arenas--;
	heap->put(heap->arg, arena);
	free(arena->used);
	free(arena);
}

void
bf_heap_fini(struct bf_heap *heap)
{
	struct bf_arena *arena;

	bf_lock(&heap->lock);
	while ((arena = TAILQ_FIRST(&heap->arenas)) != NULL)
		arena_destroy_locked(heap, arena);
	bf_unlock(&heap->lock);
	bf_lock_fini(&heap->lock);
}

static bool
page_is_used(const struct bf_arena *arena, uint32_t page)
{
	return (arena->used[page / 64] & RTE_BIT64(page % 64)) != 0;
}

static void
pages_mark(struct bf_arena *arena, uint32_t first, uint32_t nb, bool used)
{
	uint32_t i;

	for (i = first; i < first + nb; i++) {
		if (used)
			arena->used[i / 64] |= RTE_BIT64(i % 64);
		else
			arena->used[i / 64] &= ~RTE_BIT64(i % 64);
	}
	if (used)
		arena->nb_free -= nb;
	else
		arena->nb_free += nb;
}

static struct bf_arena *
arena_create_locked(struct bf_heap *heap, size_t len, bool optional)
{
	struct bf_arena *arena = calloc(1, sizeof(*arena));
	uint32_t pages;

	if (arena == NULL)
		return NULL;
	arena->len = RTE_ALIGN_CEIL(len, HEAP_MIN_ARENA);
	arena->fd = -1;
	arena->optional = optional;
	if (heap->get(heap->arg, arena) != 0) {
		free(arena);
		return NULL;
	}
	pages = arena->len / BF_PAGE_SIZE;
	arena->used = calloc(pages / 64 + 1, sizeof(*arena->used));
	if (arena->used == NULL) {
		heap->put(heap->arg, arena);
		free(arena);
		return NULL;
	}
	arena->nb_pages = pages;
	arena->nb_free = pages;
	TAILQ_INSERT_TAIL(&heap->arenas, arena, next);
	heap->nb_arenas++;
	return arena;
}

/* A run of free pages in [first, end) with an aligned address, or end. */
static uint32_t
arena_find(const struct bf_arena *arena, uint32_t first, uint32_t end, uint32_t nb, size_t align)
{
	uint32_t page = first, run = 0, start = first;

	for (; page < end; page++) {
		/* full words go by at once */
		if (page % 64 == 0 && arena->used[page / 64] == UINT64_MAX) {
			page += 63;
			run = 0;
			continue;
		}
		if (page_is_used(arena, page)) {
			run = 0;
			continue;
		}
		if (run == 0) {
			if ((arena->iova + (uint64_t)page * BF_PAGE_SIZE) % align != 0)
				continue;
			start = page;
		}
		if (++run == nb)
			return start;
	}
	return end;
}

static bool
arena_alloc(struct bf_arena *arena, uint32_t nb, size_t align, struct bf_dma *dma)
{
	uint32_t page;

	if (arena->nb_free < nb)
		return false;
	page = arena_find(arena, arena->hint, arena->nb_pages, nb, align);
	if (page == arena->nb_pages) {
		page = arena_find(arena, 0, arena->nb_pages, nb, align);
		if (page == arena->nb_pages)
			return false;
	}
	pages_mark(arena, page, nb, true);
	arena->hint = page + nb == arena->nb_pages ? 0 : page + nb;
	dma->addr = RTE_PTR_ADD(arena->addr, (size_t)page * BF_PAGE_SIZE);
	dma->iova = arena->iova + (uint64_t)page * BF_PAGE_SIZE;
	dma->priv = arena;
	return true;
}

int
bf_heap_alloc(struct bf_heap *heap, size_t len, size_t align, struct bf_dma *dma)
{
	struct bf_arena *arena;
	size_t grow, min;
	uint32_t nb;

	memset(dma, 0, sizeof(*dma));
	if (len == 0 || len > HEAP_MAX_LEN || align < BF_PAGE_SIZE || align > HEAP_MAX_LEN ||
			!rte_is_power_of_2(align))
		return -EINVAL;
	nb = (len + BF_PAGE_SIZE - 1) / BF_PAGE_SIZE;
	/* enough for an aligned run wherever it begins */
	min = (size_t)nb * BF_PAGE_SIZE + align - BF_PAGE_SIZE;
	bf_lock(&heap->lock);
	TAILQ_FOREACH(arena, &heap->arenas, next)
		if (arena_alloc(arena, nb, align, dma))
			break;
	if (arena == NULL) {
		grow = RTE_MIN(HEAP_MIN_ARENA << RTE_MIN(heap->nb_arenas, 16u), heap->max_arena);
		/* rather a small one than none */
		if (grow > RTE_MAX(min, HEAP_MIN_ARENA))
			arena = arena_create_locked(heap, grow, true);
		if (arena == NULL)
			arena = arena_create_locked(heap, min, false);
		if (arena != NULL && !arena_alloc(arena, nb, align, dma))
			arena = NULL;
	}
	bf_unlock(&heap->lock);
	if (arena == NULL) {
		memset(dma, 0, sizeof(*dma));
		return -ENOMEM;
	}
	memset(dma->addr, 0, (size_t)nb * BF_PAGE_SIZE);
	dma->len = len;
	return 0;
}

void
bf_heap_free(struct bf_heap *heap, struct bf_dma *dma)
{
	struct bf_arena *arena = dma->priv;
	uint32_t first, nb;

	if (dma->addr == NULL)
		return;
	nb = (dma->len + BF_PAGE_SIZE - 1) / BF_PAGE_SIZE;
	bf_lock(&heap->lock);
	first = (dma->iova - arena->iova) / BF_PAGE_SIZE;
	pages_mark(arena, first, nb, false);
	/* the last one stays: a device that is in use asks again at once */
	if (arena->nb_free == arena->nb_pages && heap->nb_arenas > 1)
		arena_destroy_locked(heap, arena);
	bf_unlock(&heap->lock);
	memset(dma, 0, sizeof(*dma));
}

uint64_t
bf_heap_iova(struct bf_heap *heap, const void *addr, size_t *len)
{
	const struct bf_arena *arena;
	uint64_t iova = BF_NO_IOVA;
	size_t off;

	bf_lock(&heap->lock);
	TAILQ_FOREACH(arena, &heap->arenas, next) {
		/* an address below the arena is far behind it, then */
		off = (uintptr_t)addr - (uintptr_t)arena->addr;
		if (off >= arena->len)
			continue;
		iova = arena->iova + off;
		*len = arena->len - off;
		break;
	}
	bf_unlock(&heap->lock);
	return iova;
}
