/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_BUF_PRIVATE_H
#define DOCA_BUF_PRIVATE_H

/*
 * What maps, buffers, inventories and pools share: stores of buffers, and how a map counts
 * what is in use of it. Not installed, and not exported: for the files of libdoca_common.
 *
 * A store and its buffers belong to one thread at a time. The counts of a map are changed
 * by any thread, without a lock.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>
#include <doca_mem_private.h>

/* The first field of an inventory and of a pool. */
struct doca_buf_store {
	struct doca_buf *bufs; /* all of them */
	struct doca_buf *free; /* those that can be taken */
	uint32_t nb_bufs;
	uint32_t nb_free;
	uint32_t nb_program;   /* that the program has; the rest is free or dropped */
	bool started;
	bool ended;            /* destroyed by the program, and tasks have buffers of it */
	void (*release)(struct doca_buf_store *store); /* frees what it is the first field of */
};

/* DOCA_ERROR_INVALID_VALUE: the number is out of range. DOCA_ERROR_NO_MEMORY. */
doca_error_t doca_buf_store_init(struct doca_buf_store *store, size_t nb_bufs,
		void (*release)(struct doca_buf_store *store));

/* DOCA_ERROR_IN_USE: the program has buffers of it. Else it is released, now or later. */
doca_error_t doca_buf_store_end(struct doca_buf_store *store);

/*
 * Take the first free buffer, as this piece of a map. Errors are those of
 * doca_buf_inventory_buf_get_by_args().
 */
doca_error_t doca_buf_store_take(struct doca_buf_store *store, struct doca_mmap *map,
		uint8_t *addr, size_t len, struct doca_buf **buf);

/* Whether these bytes are inside of others. */
static inline bool
doca_buf_inside(const uint8_t *addr, size_t len, const uint8_t *outer, size_t outer_len)
{
	uintptr_t offset = (uintptr_t)addr - (uintptr_t)outer;

	return addr >= outer && offset <= outer_len && len <= outer_len - offset;
}

/*
 * The program takes a piece of a map. DOCA_ERROR_BAD_STATE: the map is not started.
 * DOCA_ERROR_INVALID_VALUE: the piece is not in it.
 */
doca_error_t doca_mmap_piece_take(struct doca_mmap *map, const uint8_t *addr, size_t len);

/* The program has given the piece back; tasks may still use it. */
void doca_mmap_piece_drop(struct doca_mmap *map);

/* Nobody uses the piece. It was dropped before. */
void doca_mmap_piece_end(struct doca_mmap *map);

/* The range of a started map. DOCA_ERROR_BAD_STATE: it is not started. */
doca_error_t doca_mmap_started_range(struct doca_mmap *map, uint8_t **addr, size_t *len);

#endif /* DOCA_BUF_PRIVATE_H */
