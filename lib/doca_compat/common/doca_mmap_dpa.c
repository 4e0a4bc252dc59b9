/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Maps as programs of offload processors know them: handles, and windows of rte_comch in
 * each processor of the map's device that is started.
 *
 * Such a program is a process of its own, and reaches only pages that can be handed to it:
 * those of a region of rte_comch. So the first handle of a map puts such pages in the place
 * of the program's, see doca_mmap_pages.c. They stay there when the map ends, as the memory
 * may have been freed by then and be anybody's.
 *
 * One lock guards everything here; no message is sent in it. It is taken before no other
 * lock of the layer.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#include <rte_common.h>

#include <doca_log.h>

#include "doca_buf_private.h"
#include "doca_dev_private.h"
#include "doca_dpa_private.h"
#include "doca_mmap_pages_private.h"
#include "doca_mmap_private.h"
#include "doca_private.h"

/* The function of the runtime, doca_dpa_dev_rt.c, that is told of each window. */
#define MMAP_SET_FUNC "doca_dpa_mmap_set"

/* Pages of a region beneath memory of the program. */
struct dpa_pages {
	LIST_ENTRY(dpa_pages) next;
	uint8_t *addr; /* as the program has them */
	size_t len;
	uint64_t dev, inode;
	struct rte_comch_mem *mem; /* NULL: the region was freed, and the pages are there still */
	int16_t dev_id;
	uint32_t nb_maps;
};

/* A map that has a handle. */
struct doca_mmap_dpa {
	LIST_ENTRY(doca_mmap_dpa) next;
	struct doca_compat_func *func;
	struct dpa_pages *pages;
	uint8_t *addr;
	size_t len;
	uint32_t handle; /* from 1 */
	uint32_t rights; /* flags of windows */
};

/* A processor that is started. */
struct dpa_user {
	LIST_ENTRY(dpa_user) next;
	struct doca_compat_func *func;
	struct rte_comch_dpa *rte;
	struct rte_comch_dpa_window *windows[DOCA_COMPAT_DPA_MMAPS]; /* of handle - 1 */
};

static pthread_mutex_t dpa_lock = PTHREAD_MUTEX_INITIALIZER; /* check-ok: works without EAL */
static LIST_HEAD(, dpa_pages) all_pages = LIST_HEAD_INITIALIZER(all_pages);
static LIST_HEAD(, doca_mmap_dpa) all_maps = LIST_HEAD_INITIALIZER(all_maps);
static LIST_HEAD(, dpa_user) all_users = LIST_HEAD_INITIALIZER(all_users);

/*
 * Pages
 */

/* What other maps left where these pages now are is gone. */
static void
pages_forget(const uint8_t *addr, size_t len)
{
	struct dpa_pages *pages, *next;

	for (pages = LIST_FIRST(&all_pages); pages != NULL; pages = next) {
		next = LIST_NEXT(pages, next);
		if (pages->mem != NULL || !doca_buf_inside(pages->addr, pages->len, addr, len))
			continue;
		LIST_REMOVE(pages, next);
		free(pages);
	}
}

static struct dpa_pages *
pages_find(const uint8_t *addr, size_t len, const struct doca_pages *look)
{
	struct dpa_pages *pages;

	LIST_FOREACH(pages, &all_pages, next)
		if (look->kind == DOCA_PAGES_SHARED && pages->dev == look->dev &&
				pages->inode == look->inode &&
				doca_buf_inside(addr, len, pages->addr, pages->len))
			return pages;
	return NULL;
}

/* Why the pages of a map cannot be replaced; NULL: they can. */
static const char *
pages_wrong(const struct doca_mmap *map, const struct doca_pages *look, size_t page_size)
{
	if ((uintptr_t)map->addr % page_size != 0 || map->len % page_size != 0)
		return "is not of whole pages";
	/* what another map left there is this process's alone as well */
	if (look->kind == DOCA_PAGES_PRIVATE || pages_find(map->addr, map->len, look) != NULL)
		return NULL;
	return look->kind == DOCA_PAGES_SHARED ? "is shared memory, of a file or of another map" :
		"is not private memory that can be written, or has parts of several kinds";
}

static doca_error_t
pages_refuse(const struct doca_mmap *map, const char *why, size_t page_size)
{
	DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, MMAP_SOURCE,
		"doca_mmap_dev_get_dpa_handle(): the map of %zu bytes at %p %s: programs of offload processors reach whole pages only: take memory of aligned_alloc(%zu, ...) or mmap(MAP_PRIVATE | MAP_ANONYMOUS), and a multiple of %zu bytes",
		map->len, (void *)map->addr, why, page_size, page_size);
	return DOCA_ERROR_NOT_SUPPORTED;
}

/* Take a region, and have its pages where the map is. */
static doca_error_t
pages_take(const struct doca_mmap *map, struct dpa_pages *pages)
{
	struct rte_comch_mem_info info;
	struct doca_pages look;
	int ret;

	ret = rte_comch_mem_alloc(pages->dev_id, map->len, RTE_COMCH_MEM_F_DPA, &pages->mem);
	if (ret != 0)
		return doca_compat_result(ret);
	/* of huge pages, if the device was told to */
	ret = rte_comch_mem_info_get(pages->mem, &info);
	if (ret == 0 && ((uintptr_t)map->addr | map->len) % info.page_size != 0) {
		rte_comch_mem_free(pages->mem);
		return pages_refuse(map, "is not of whole pages of the device", info.page_size);
	}
	if (ret == 0)
		ret = doca_pages_replace(map->addr, map->len, info.addr);
	if (ret != 0) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, MMAP_SOURCE,
				"the pages of the map of %zu bytes at %p cannot be replaced: %s",
				map->len, (void *)map->addr, strerror(-ret));
		rte_comch_mem_free(pages->mem);
		return doca_compat_result(ret);
	}
	pages_forget(map->addr, map->len);
	doca_pages_look(map->addr, map->len, &look);
	pages->dev = look.dev;
	pages->inode = look.inode;
	pages->addr = map->addr;
	pages->len = map->len;
	return DOCA_SUCCESS;
}

/* The pages of a map: those of another one, or new ones. */
static doca_error_t
pages_get(const struct doca_mmap *map, int16_t dev_id, struct dpa_pages **out)
{
	const size_t page_size = getpagesize();
	struct dpa_pages *pages;
	struct doca_pages look;
	doca_error_t result;
	const char *wrong;

	doca_pages_look(map->addr, map->len, &look);
	pages = pages_find(map->addr, map->len, &look);
	if (pages != NULL && pages->mem != NULL && pages->dev_id == dev_id) {
		pages->nb_maps++;
		*out = pages;
		return DOCA_SUCCESS;
	}
	wrong = pages != NULL && pages->mem != NULL ? "is that of a map of another device" :
		pages_wrong(map, &look, page_size);
	if (wrong != NULL)
		return pages_refuse(map, wrong, page_size);
	pages = calloc(1, sizeof(*pages));
	if (pages == NULL)
		return DOCA_ERROR_NO_MEMORY;
	pages->dev_id = dev_id;
	pages->nb_maps = 1;
	result = pages_take(map, pages);
	if (result != DOCA_SUCCESS) {
		free(pages);
		return result;
	}
	LIST_INSERT_HEAD(&all_pages, pages, next);
	*out = pages;
	return DOCA_SUCCESS;
}

/* The region goes; the pages stay where the program has them. */
static void
pages_put(struct dpa_pages *pages)
{
	int ret;

	if (--pages->nb_maps != 0)
		return;
	ret = rte_comch_mem_free(pages->mem);
	if (ret != 0)
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, MMAP_SOURCE,
				"%zu bytes of a map that has ended are kept: %s", pages->len,
				strerror(-ret));
	pages->mem = NULL;
}

/*
 * Windows
 */

/* Tell a program of a window, or that there is none any more. */
static int
window_tell(struct dpa_user *user, const struct doca_mmap_dpa *map, uint32_t window)
{
	const uint64_t args[] = {
		map->handle, window, (uintptr_t)map->addr, map->len,
		(uintptr_t)rte_comch_mem_addr(map->pages->mem) - (uintptr_t)map->pages->addr,
	};
	uint64_t got;

	return rte_comch_dpa_rpc(user->rte, MMAP_SET_FUNC, args, RTE_DIM(args), 0, &got);
}

static void
window_close(struct dpa_user *user, const struct doca_mmap_dpa *map)
{
	struct rte_comch_dpa_window **window = &user->windows[map->handle - 1];
	int ret;

	if (*window == NULL)
		return;
	/* a program that has ended has forgotten it */
	(void)window_tell(user, map, 0);
	ret = rte_comch_dpa_window_destroy(*window);
	if (ret != 0) /* the program is ended for that, and the second call succeeds */
		ret = rte_comch_dpa_window_destroy(*window);
	if (ret != 0)
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, MMAP_SOURCE,
				"a window over the map of %zu bytes at %p does not end: %s",
				map->len, (void *)map->addr, strerror(-ret));
	*window = NULL;
}

static doca_error_t
window_open(struct dpa_user *user, const struct doca_mmap_dpa *map)
{
	struct rte_comch_dpa_window **window = &user->windows[map->handle - 1];
	uint32_t handle;
	int ret;

	ret = rte_comch_dpa_window_create(user->rte, map->pages->mem, map->rights, window);
	if (ret != 0)
		return doca_compat_dpa_result(ret);
	ret = rte_comch_dpa_window_handle_get(*window, &handle);
	if (ret == 0)
		ret = window_tell(user, map, handle);
	if (ret != 0)
		window_close(user, map);
	return ret == 0 ? DOCA_SUCCESS : doca_compat_dpa_result(ret);
}

/*
 * Processors
 */

static void
user_end(struct dpa_user *user)
{
	struct doca_mmap_dpa *map;

	LIST_FOREACH(map, &all_maps, next)
		window_close(user, map);
	LIST_REMOVE(user, next);
	free(user);
}

doca_error_t
doca_compat_mmap_dpa_join(struct doca_compat_func *func, struct rte_comch_dpa *rte)
{
	doca_error_t result = DOCA_SUCCESS;
	struct doca_mmap_dpa *map;
	struct dpa_user *user;

	user = calloc(1, sizeof(*user));
	if (user == NULL)
		return DOCA_ERROR_NO_MEMORY;
	user->func = func;
	user->rte = rte;
	doca_lock(&dpa_lock);
	LIST_INSERT_HEAD(&all_users, user, next);
	LIST_FOREACH(map, &all_maps, next)
		if (result == DOCA_SUCCESS && map->func == func)
			result = window_open(user, map);
	if (result != DOCA_SUCCESS)
		user_end(user);
	doca_unlock(&dpa_lock);
	return result;
}

void
doca_compat_mmap_dpa_leave(const struct rte_comch_dpa *rte)
{
	struct dpa_user *user;

	doca_lock(&dpa_lock);
	LIST_FOREACH(user, &all_users, next)
		if (user->rte == rte)
			break;
	if (user != NULL)
		user_end(user);
	doca_unlock(&dpa_lock);
}

/*
 * Maps
 */

/* A handle that no map has; 0: there is none. */
static uint32_t
handle_find(void)
{
	const struct doca_mmap_dpa *map;
	uint32_t handle = 0;

	do {
		handle++;
		LIST_FOREACH(map, &all_maps, next)
			if (map->handle == handle)
				break;
	} while (map != NULL);
	return handle <= DOCA_COMPAT_DPA_MMAPS ? handle : 0;
}

/* In the lock. */
static void
map_end(struct doca_mmap_dpa *map)
{
	struct dpa_user *user;

	LIST_FOREACH(user, &all_users, next)
		window_close(user, map);
	LIST_REMOVE(map, next);
	pages_put(map->pages);
}

/* In the lock: windows in each processor of the map's device. */
static doca_error_t
map_begin(struct doca_mmap *mmap, struct doca_mmap_dpa *map)
{
	doca_error_t result;
	struct dpa_user *user;
	int16_t dev_id;

	map->handle = handle_find();
	if (map->handle == 0) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, MMAP_SOURCE,
				"%u maps have a handle for offload processors, no more can: take one map for several buffers",
				DOCA_COMPAT_DPA_MMAPS);
		return DOCA_ERROR_FULL;
	}
	result = doca_compat_func_dpa_dev(map->func, &dev_id);
	if (result == DOCA_SUCCESS)
		result = pages_get(mmap, dev_id, &map->pages);
	if (result != DOCA_SUCCESS)
		return result;
	map->addr = mmap->addr;
	map->len = mmap->len;
	map->rights = RTE_COMCH_DPA_WINDOW_F_READ;
	if ((mmap->access & (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
			DOCA_ACCESS_FLAG_PCI_READ_WRITE)) != 0)
		map->rights |= RTE_COMCH_DPA_WINDOW_F_WRITE;
	LIST_FOREACH(user, &all_users, next) {
		if (user->func != map->func)
			continue;
		result = window_open(user, map);
		if (result != DOCA_SUCCESS)
			break;
	}
	LIST_INSERT_HEAD(&all_maps, map, next);
	if (result != DOCA_SUCCESS)
		map_end(map);
	return result;
}

/* In the lock: a map has one, whichever threads ask. */
static doca_error_t
map_create(struct doca_mmap *mmap, struct doca_compat_func *func)
{
	struct doca_mmap_dpa *map;
	doca_error_t result;

	if (doca_mmap_state(mmap) != MMAP_STARTED)
		return DOCA_ERROR_BAD_STATE;
	if (mmap->imported || (mmap->dpa != NULL && mmap->dpa->func != func)) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, MMAP_SOURCE,
				"doca_mmap_dev_get_dpa_handle(): the map of %zu bytes at %p %s",
				mmap->len, (void *)mmap->addr, mmap->imported ?
				"is memory of another process: use memory of this process" :
				"has a handle of another device: use a map for each device");
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	if (mmap->dpa != NULL)
		return DOCA_SUCCESS;
	map = calloc(1, sizeof(*map));
	if (map == NULL)
		return DOCA_ERROR_NO_MEMORY;
	map->func = func;
	result = map_begin(mmap, map);
	if (result == DOCA_SUCCESS)
		mmap->dpa = map;
	else
		free(map);
	return result;
}

doca_error_t
doca_mmap_dev_get_dpa_handle(struct doca_mmap *mmap, const struct doca_dev *dev,
		doca_dpa_dev_mmap_t *handle)
{
	struct doca_compat_func *func;
	doca_error_t result;

	if (mmap == NULL || dev == NULL || handle == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	func = doca_compat_dev_func(dev);
	if (doca_mmap_find_func(mmap, func) < 0)
		return DOCA_ERROR_INVALID_VALUE;
	doca_lock(&dpa_lock);
	result = map_create(mmap, func);
	if (result == DOCA_SUCCESS)
		*handle = mmap->dpa->handle;
	doca_unlock(&dpa_lock);
	return result;
}

void
doca_mmap_dpa_end(struct doca_mmap *mmap)
{
	/* not in the lock: somebody may wait for a program in there */
	if (mmap->dpa == NULL)
		return;
	doca_lock(&dpa_lock);
	map_end(mmap->dpa);
	doca_unlock(&dpa_lock);
	free(mmap->dpa);
	mmap->dpa = NULL;
}
