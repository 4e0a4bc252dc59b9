/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_MMAP_PRIVATE_H
#define DOCA_MMAP_PRIVATE_H

/*
 * What the files of maps share: doca_mmap.c has the life of a map, doca_mmap_conf.c its
 * settings, doca_mmap_region.c its regions, doca_mmap_export.c its descriptions,
 * doca_mmap_dpa.c its handle for offload processors. Not installed, and not exported.
 *
 * A map has three counts, which any thread changes without a lock:
 *
 * - nb_bufs: buffers that the program has. Until there are none, the map does not stop.
 * - nb_users: contexts that hold it, and buffers that the program or a task has. Until
 *   there are none, its regions stay, and the callback that frees the range waits.
 * - nb_refs: those, the handle of the program, and pools. With the last one the memory of
 *   the handle goes.
 *
 * Settings are changed by the program alone, and only while the map is idle.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>
#include <doca_mmap.h>

#include "doca_mem_private.h"

#define MMAP_SOURCE "DOCA_COMPAT::MMAP"

#define MMAP_MAX_DEVS 64

/* Bytes of a description. */
#define MMAP_DESC_SIZE 64

enum mmap_state {
	MMAP_IDLE = 0,
	MMAP_STARTED,
	MMAP_ENDED, /* destroyed by the program */
};

struct mmap_dev {
	const struct doca_dev *dev; /* only to be compared: it may be closed */
	struct doca_compat_func *func;
};

struct doca_mmap_dpa;

struct doca_mmap {
	struct doca_compat_mmap head; /* first */
	enum mmap_state state;
	uint32_t nb_bufs;
	uint32_t nb_users;
	uint32_t nb_refs;
	pthread_mutex_t lock; /* of adding and taking regions */

	uint8_t *addr; /* or NULL */
	size_t len;
	uint32_t access;
	bool imported;
	bool exported;
	doca_mmap_memrange_free_cb_t *free_cb;
	void *cookie;
	union doca_data user_data;
	uint32_t max_devs;
	uint32_t nb_devs;
	struct mmap_dev devs[MMAP_MAX_DEVS];
	uint8_t desc[MMAP_DESC_SIZE];
	struct doca_mmap_dpa *dpa; /* NULL: it has no handle for offload processors */
};

/* A map with the defaults, or NULL. */
struct doca_mmap *doca_mmap_new(void);

static inline enum mmap_state
doca_mmap_state(const struct doca_mmap *map)
{
	return __atomic_load_n(&map->state, __ATOMIC_SEQ_CST);
}

/* Whether settings can be changed, or why not; map may be NULL. */
doca_error_t doca_mmap_check_conf(const struct doca_mmap *map);

/* Whether a range and flags of access can be. */
bool doca_mmap_range_valid(const void *addr, uint64_t len);
bool doca_mmap_access_valid(uint32_t access);

/* The place of a function in the devices of a map, or -1. */
int doca_mmap_find_func(const struct doca_mmap *map, const struct doca_compat_func *func);

/* Free regions that doca_mmap_region.c has made; a list of them, which may be NULL. */
void doca_mmap_regions_free(struct doca_compat_region *regions);

/* The handle for offload processors ends, if there is one: the map is stopped. */
void doca_mmap_dpa_end(struct doca_mmap *mmap);

#endif /* DOCA_MMAP_PRIVATE_H */
