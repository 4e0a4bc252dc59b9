/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Pools: stores of buffers of one size, whose places are found when the pool starts. No
 * lists, and no counts: these are in doca_buf.c.
 */

#include <stdlib.h>

#include <doca_buf_pool.h>

#include "doca_buf_private.h"

struct doca_buf_pool {
	struct doca_buf_store store;
	struct doca_mmap *map; /* its handle is kept */
	size_t size;
	size_t alignment;
	uint8_t *base;         /* of the first buffer, since the start */
	size_t stride;
};

static void
pool_release(struct doca_buf_store *store)
{
	struct doca_buf_pool *pool = (struct doca_buf_pool *)store;

	doca_compat_mmap_unref(pool->map);
	free(pool);
}

doca_error_t
doca_buf_pool_create(size_t num_elements, size_t element_size, struct doca_mmap *mmap,
		struct doca_buf_pool **pool)
{
	struct doca_buf_pool *p;
	doca_error_t result;

	if (element_size == 0 || mmap == NULL || pool == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = doca_buf_store_init(&p->store, num_elements, pool_release);
	if (result != DOCA_SUCCESS) {
		free(p);
		return result;
	}
	doca_compat_mmap_ref(mmap);
	p->map = mmap;
	p->size = element_size;
	p->alignment = 1;
	*pool = p;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_pool_destroy(struct doca_buf_pool *pool)
{
	if (pool == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return doca_buf_store_end(&pool->store);
}

doca_error_t
doca_buf_pool_start(struct doca_buf_pool *pool)
{
	size_t len, gap, stride;
	doca_error_t result;
	uint8_t *addr;

	if (pool == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (pool->store.started)
		return DOCA_ERROR_BAD_STATE;
	result = doca_mmap_started_range(pool->map, &addr, &len);
	if (result != DOCA_SUCCESS)
		return result;
	gap = -(uintptr_t)addr & (pool->alignment - 1);
	stride = (pool->size + pool->alignment - 1) & ~(pool->alignment - 1);
	/* behind the last one nothing is left free */
	if (stride < pool->size || gap > len || pool->size > len - gap ||
			(len - gap - pool->size) / stride < pool->store.nb_bufs - 1)
		return DOCA_ERROR_INVALID_VALUE;
	pool->base = addr + gap;
	pool->stride = stride;
	pool->store.started = true;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_pool_stop(struct doca_buf_pool *pool)
{
	if (pool == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	pool->store.started = false;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_pool_set_element_alignment(struct doca_buf_pool *pool, size_t alignment)
{
	if (pool == NULL || alignment == 0 || (alignment & (alignment - 1)) != 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (pool->store.started || pool->store.nb_program != 0)
		return DOCA_ERROR_BAD_STATE;
	pool->alignment = alignment;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_pool_buf_alloc(struct doca_buf_pool *pool, struct doca_buf **buf)
{
	size_t i = 0;

	if (pool == NULL || buf == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!pool->store.started)
		return DOCA_ERROR_BAD_STATE;
	if (pool->store.free != NULL)
		i = pool->store.free - pool->store.bufs;
	return doca_buf_store_take(&pool->store, pool->map, pool->base + i * pool->stride,
			pool->size, buf);
}

doca_error_t
doca_buf_pool_get_num_elements(const struct doca_buf_pool *pool, uint32_t *num_elements)
{
	if (pool == NULL || num_elements == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num_elements = pool->store.nb_bufs;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_pool_get_num_free_elements(const struct doca_buf_pool *pool,
		uint32_t *num_free_elements)
{
	if (pool == NULL || num_free_elements == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num_free_elements = pool->store.nb_free;
	return DOCA_SUCCESS;
}
