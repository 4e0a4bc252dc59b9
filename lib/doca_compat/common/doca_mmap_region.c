/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Regions of rte_comch behind maps: one for each device that is used and each kind, made
 * by the first context that needs it. Looking for one takes no lock.
 */

#include <stdlib.h>
#include <string.h>

#include <doca_dev_private.h>
#include <doca_log.h>

#include "doca_mmap_private.h"
#include "doca_private.h"

static struct rte_comch_mem *
region_find(const struct doca_mmap *map, int16_t dev_id, bool peer_write)
{
	const struct doca_compat_region *r;

	r = __atomic_load_n(&map->head.regions, __ATOMIC_ACQUIRE);
	while (r != NULL && (r->dev_id != dev_id || (peer_write && !r->peer_write)))
		r = r->next;
	return r == NULL ? NULL : r->mem;
}

/* Whether a map can have a region on a device of a function. */
static doca_error_t
region_check(const struct doca_mmap *map, const struct doca_compat_func *func,
		bool peer_write)
{
	const char *why = NULL;

	if (doca_mmap_state(map) != MMAP_STARTED)
		return DOCA_ERROR_BAD_STATE;
	if (map->imported)
		why = "is memory of another process, which only hardware can reach: "
			"use memory of this process";
	else if (doca_mmap_find_func(map, func) < 0)
		why = "has no device of the connection's function: call doca_mmap_add_dev()";
	else if (peer_write && (map->access & DOCA_ACCESS_FLAG_PCI_READ_WRITE) == 0)
		why = "is no memory for a consumer: give DOCA_ACCESS_FLAG_PCI_READ_WRITE to "
			"doca_mmap_set_permissions()";
	if (why == NULL)
		return DOCA_SUCCESS;
	DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, MMAP_SOURCE, "the map of %zu bytes at %p %s",
			map->len, (void *)map->addr, why);
	return DOCA_ERROR_INVALID_VALUE;
}

/* In the lock. */
static doca_error_t
region_add(struct doca_mmap *map, int16_t dev_id, bool peer_write, struct rte_comch_mem **mem)
{
	struct doca_compat_region *r = calloc(1, sizeof(*r));
	int ret;

	if (r == NULL)
		return DOCA_ERROR_NO_MEMORY;
	ret = rte_comch_mem_register(dev_id, map->addr, map->len,
			peer_write ? RTE_COMCH_MEM_F_PEER_WRITE : 0, &r->mem);
	if (ret != 0) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, MMAP_SOURCE,
				"the map of %zu bytes at %p cannot be registered: %s", map->len,
				(void *)map->addr, strerror(-ret));
		free(r);
		return doca_compat_result(ret);
	}
	r->dev_id = dev_id;
	r->peer_write = peer_write;
	r->next = map->head.regions;
	__atomic_store_n(&map->head.regions, r, __ATOMIC_RELEASE);
	*mem = r->mem;
	return DOCA_SUCCESS;
}

doca_error_t
doca_compat_mmap_region(struct doca_mmap *map, const struct doca_compat_func *func,
		int16_t dev_id, bool peer_write, struct rte_comch_mem **mem)
{
	doca_error_t result;

	if (map == NULL) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, MMAP_SOURCE,
				"the buffer of a task was given back before: give it another one");
		return DOCA_ERROR_INVALID_VALUE;
	}
	*mem = region_find(map, dev_id, peer_write);
	if (*mem != NULL)
		return DOCA_SUCCESS;
	result = region_check(map, func, peer_write);
	if (result != DOCA_SUCCESS)
		return result;
	doca_lock(&map->lock);
	*mem = region_find(map, dev_id, peer_write);
	if (*mem == NULL)
		result = region_add(map, dev_id, peer_write, mem);
	doca_unlock(&map->lock);
	return result;
}

void
doca_mmap_regions_free(struct doca_compat_region *regions)
{
	struct doca_compat_region *next;
	int ret;

	for (; regions != NULL; regions = next) {
		next = regions->next;
		ret = rte_comch_mem_free(regions->mem);
		if (ret != 0)
			DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, MMAP_SOURCE,
					"a region of a map that nobody holds is used: %s",
					strerror(-ret));
		free(regions);
	}
}
