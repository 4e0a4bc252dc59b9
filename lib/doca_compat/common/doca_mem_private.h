/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_MEM_PRIVATE_H
#define DOCA_MEM_PRIVATE_H

/*
 * What the libraries of the layer share about memory: maps, buffers, and the regions of
 * rte_comch behind them. Not installed. Functions declared here have the version node
 * DOCA_COMPAT_INTERNAL. Nothing about contexts and tasks.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_comch.h>

#include <doca_error.h>

struct doca_compat_func;
struct doca_buf_store;
struct doca_mmap;

/* A piece of a map. Its fields are read in the fast path; set by doca_buf.c alone. */
struct doca_buf {
	struct doca_mmap *map; /* NULL while nobody has it */
	uint8_t *head;    /* where it begins */
	size_t len;       /* bytes from head on */
	uint8_t *data;    /* the data segment lies in it */
	size_t data_len;
	uint16_t refs;    /* of the program: 0 if it has given it back */
	uint32_t holds;   /* of tasks that are submitted */
	struct doca_buf *next; /* of a list */
	struct doca_buf *prev;
	struct doca_buf *next_free; /* of the elements that can be taken */
	struct doca_buf_store *store; /* of its inventory or pool */
};

/* A region of a map on a device of rte_comch. Nothing changes until the map ends it. */
struct doca_compat_region {
	struct doca_compat_region *next;
	struct rte_comch_mem *mem;
	int16_t dev_id;
	bool peer_write;
};

/* What every map begins with: regions are added at the front, by any thread. */
struct doca_compat_mmap {
	struct doca_compat_region *regions;
};

/*
 * The region of a map on a device of rte_comch. It is registered by the first call and
 * kept until the map stops or ends and no one holds it. peer_write: producers of the peer
 * may write to it. Any thread.
 * DOCA_ERROR_BAD_STATE: the map is not started. DOCA_ERROR_INVALID_VALUE: it has no
 * permission for that, or no device of the function func, or is imported. What was wrong
 * was logged, unless it is the state.
 */
doca_error_t doca_compat_mmap_region(struct doca_mmap *map,
		const struct doca_compat_func *func, int16_t dev_id, bool peer_write,
		struct rte_comch_mem **mem);

/*
 * The region to send a buffer from if there is one already; NULL if not: then call
 * doca_compat_mmap_region(). For the fast path. The caller may keep what it gets only as
 * long as it holds the buffer or the map.
 */
static inline struct rte_comch_mem *
doca_compat_buf_region(const struct doca_buf *buf, int16_t dev_id)
{
	const struct doca_compat_mmap *map = (const struct doca_compat_mmap *)buf->map;
	const struct doca_compat_region *r;

	if (map == NULL) /* the program has given it back */
		return NULL;
	r = __atomic_load_n(&map->regions, __ATOMIC_ACQUIRE);
	while (r != NULL && r->dev_id != dev_id)
		r = r->next;
	return r == NULL ? NULL : r->mem;
}

/*
 * A context uses regions of a map. The program may stop and destroy the map meanwhile:
 * its regions stay until the last one lets go.
 */
void doca_compat_mmap_hold(struct doca_mmap *map);
void doca_compat_mmap_release(struct doca_mmap *map);

/*
 * An offload processor has started, or is about to stop: it gets windows over all maps of
 * its function that have a handle for such, and those that get one meanwhile; and gives
 * them up. Errors are those of rte_comch_dpa_window_create(), as results.
 */
doca_error_t doca_compat_mmap_dpa_join(struct doca_compat_func *func,
		struct rte_comch_dpa *rte);
void doca_compat_mmap_dpa_leave(const struct rte_comch_dpa *rte);

/* Keep the memory of the map's handle, and nothing else of it. */
void doca_compat_mmap_ref(struct doca_mmap *map);
void doca_compat_mmap_unref(struct doca_mmap *map);

/*
 * A submitted task uses a buffer, which the program may give back meanwhile. Let go before
 * the program's callback, which may want the element again. In the thread of the buffer.
 */
static inline void
doca_compat_buf_hold(struct doca_buf *buf)
{
	buf->holds++;
}

/* The last task has let go of a buffer that the program has given back. */
void doca_compat_buf_dropped(struct doca_buf *buf);

static inline void
doca_compat_buf_release(struct doca_buf *buf)
{
	if (--buf->holds == 0 && buf->refs == 0)
		doca_compat_buf_dropped(buf);
}

#endif /* DOCA_MEM_PRIVATE_H */
