/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The life of maps, and who uses them: see doca_mmap_private.h on the counts. No settings,
 * and nothing of rte_comch. Nothing here reads or writes the memory of a map.
 */

#include <stdlib.h>

#include <doca_log.h>

#include "doca_buf_private.h"
#include "doca_mmap_private.h"
#include "doca_private.h"

struct doca_mmap *
doca_mmap_new(void)
{
	struct doca_mmap *map = calloc(1, sizeof(*map));

	if (map == NULL)
		return NULL;
	pthread_mutex_init(&map->lock, NULL); /* check-ok: works without EAL */
	map->nb_refs = 1;
	map->access = DOCA_ACCESS_FLAG_LOCAL_READ_ONLY;
	map->max_devs = MMAP_MAX_DEVS;
	return map;
}

void
doca_compat_mmap_ref(struct doca_mmap *map)
{
	__atomic_fetch_add(&map->nb_refs, 1, __ATOMIC_RELAXED);
}

void
doca_compat_mmap_unref(struct doca_mmap *map)
{
	if (__atomic_sub_fetch(&map->nb_refs, 1, __ATOMIC_ACQ_REL) != 0)
		return;
	pthread_mutex_destroy(&map->lock); /* check-ok: works without EAL */
	free(map);
}

/* If nobody uses a map that is not started, let its regions go, and its range. */
static void
mmap_settle(struct doca_mmap *map)
{
	struct doca_compat_region *regions = NULL;
	doca_mmap_memrange_free_cb_t *free_cb = NULL;

	doca_lock(&map->lock);
	if (doca_mmap_state(map) != MMAP_STARTED &&
			__atomic_load_n(&map->nb_users, __ATOMIC_SEQ_CST) == 0) {
		regions = map->head.regions;
		map->head.regions = NULL;
		if (doca_mmap_state(map) == MMAP_ENDED && map->addr != NULL) {
			free_cb = map->free_cb;
			map->free_cb = NULL;
		}
	}
	doca_unlock(&map->lock);

	doca_mmap_regions_free(regions);
	if (free_cb != NULL)
		free_cb(map->addr, map->len, map->cookie);
}

void
doca_compat_mmap_hold(struct doca_mmap *map)
{
	doca_compat_mmap_ref(map);
	__atomic_fetch_add(&map->nb_users, 1, __ATOMIC_SEQ_CST);
}

void
doca_compat_mmap_release(struct doca_mmap *map)
{
	/* of the last user and of who stops the map, one at least sees what the other did */
	if (__atomic_sub_fetch(&map->nb_users, 1, __ATOMIC_SEQ_CST) == 0 &&
			doca_mmap_state(map) != MMAP_STARTED)
		mmap_settle(map);
	doca_compat_mmap_unref(map);
}

doca_error_t
doca_mmap_piece_take(struct doca_mmap *map, const uint8_t *addr, size_t len)
{
	doca_error_t result = DOCA_SUCCESS;

	doca_compat_mmap_hold(map);
	__atomic_fetch_add(&map->nb_bufs, 1, __ATOMIC_SEQ_CST);
	if (doca_mmap_state(map) != MMAP_STARTED)
		result = DOCA_ERROR_BAD_STATE;
	else if (!doca_buf_inside(addr, len, map->addr, map->len))
		result = DOCA_ERROR_INVALID_VALUE;
	if (result == DOCA_ERROR_INVALID_VALUE)
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, "mmap",
			"%zu bytes at %p are no piece of the map of %zu bytes at %p: take a buffer inside it",
			len, (const void *)addr, map->len, (void *)map->addr);
	if (result != DOCA_SUCCESS) {
		doca_mmap_piece_drop(map);
		doca_mmap_piece_end(map);
	}
	return result;
}

void
doca_mmap_piece_drop(struct doca_mmap *map)
{
	__atomic_fetch_sub(&map->nb_bufs, 1, __ATOMIC_SEQ_CST);
}

void
doca_mmap_piece_end(struct doca_mmap *map)
{
	doca_compat_mmap_release(map);
}

doca_error_t
doca_mmap_started_range(struct doca_mmap *map, uint8_t **addr, size_t *len)
{
	if (doca_mmap_state(map) != MMAP_STARTED)
		return DOCA_ERROR_BAD_STATE;
	*addr = map->addr;
	*len = map->len;
	return DOCA_SUCCESS;
}

doca_error_t
doca_mmap_create(struct doca_mmap **mmap)
{
	if (mmap == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*mmap = doca_mmap_new();
	return *mmap == NULL ? DOCA_ERROR_NO_MEMORY : DOCA_SUCCESS;
}

doca_error_t
doca_mmap_start(struct doca_mmap *mmap)
{
	if (mmap == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (doca_mmap_state(mmap) == MMAP_STARTED)
		return DOCA_ERROR_BAD_STATE;
	if (mmap->addr == NULL || mmap->nb_devs == 0) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, MMAP_SOURCE,
				"a map cannot start without a %s: call %s() before",
				mmap->addr == NULL ? "range" : "device",
				mmap->addr == NULL ? "doca_mmap_set_memrange" :
				"doca_mmap_add_dev");
		return DOCA_ERROR_BAD_STATE;
	}
	if (__atomic_load_n(&mmap->nb_users, __ATOMIC_SEQ_CST) != 0)
		return DOCA_ERROR_IN_USE;
	__atomic_store_n(&mmap->state, MMAP_STARTED, __ATOMIC_SEQ_CST);
	return DOCA_SUCCESS;
}

/* Leave the state STARTED, unless the program has buffers. */
static doca_error_t
mmap_leave(struct doca_mmap *map, enum mmap_state next)
{
	enum mmap_state prev = doca_mmap_state(map);

	/* not even for a moment: other threads take buffers */
	if (__atomic_load_n(&map->nb_bufs, __ATOMIC_SEQ_CST) != 0)
		return DOCA_ERROR_NOT_PERMITTED;
	__atomic_store_n(&map->state, next, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&map->nb_bufs, __ATOMIC_SEQ_CST) == 0)
		return DOCA_SUCCESS;
	__atomic_store_n(&map->state, prev, __ATOMIC_SEQ_CST);
	return DOCA_ERROR_NOT_PERMITTED;
}

doca_error_t
doca_mmap_stop(struct doca_mmap *mmap)
{
	doca_error_t result;

	if (mmap == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = mmap_leave(mmap, MMAP_IDLE);
	if (result != DOCA_SUCCESS)
		return result;
	doca_mmap_dpa_end(mmap);
	mmap_settle(mmap);
	return DOCA_SUCCESS;
}

doca_error_t
doca_mmap_destroy(struct doca_mmap *mmap)
{
	doca_error_t result;

	if (mmap == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = mmap_leave(mmap, MMAP_ENDED);
	if (result != DOCA_SUCCESS)
		return result;
	doca_mmap_dpa_end(mmap);
	mmap_settle(mmap);
	doca_compat_mmap_unref(mmap);
	return DOCA_SUCCESS;
}

doca_error_t
doca_mmap_get_num_bufs(const struct doca_mmap *mmap, uint32_t *num_bufs)
{
	if (mmap == NULL || num_bufs == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num_bufs = __atomic_load_n(&mmap->nb_bufs, __ATOMIC_SEQ_CST);
	return DOCA_SUCCESS;
}

doca_error_t
doca_mmap_enable_thread_safety(struct doca_mmap *mmap)
{
	return mmap == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}
