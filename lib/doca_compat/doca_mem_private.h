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

struct doca_mmap;
struct doca_buf_inventory;

/* A piece of a map. Its fields are read in the fast path; set by doca_buf.c alone. */
struct doca_buf {
	struct doca_mmap *map;
	uint8_t *head;    /* where it begins */
	size_t len;       /* bytes from head on */
	uint8_t *data;    /* the data segment lies in it */
	size_t data_len;
	uint16_t refs;    /* of the program and of tasks that are submitted */
	struct doca_buf *next; /* of a list, or of the free elements */
	struct doca_buf_inventory *owner;
};

/*
 * The region of a map on a device of rte_comch. It is registered by the first call and
 * kept until the map stops or ends and no one holds it. peer_write: producers of the peer
 * may write to it. Any thread.
 * DOCA_ERROR_BAD_STATE: the map is not started. DOCA_ERROR_INVALID_VALUE: it has no
 * permission for that, or no device of the function func.
 */
struct doca_compat_func;
doca_error_t doca_compat_mmap_region(struct doca_mmap *map,
		const struct doca_compat_func *func, int16_t dev_id, bool peer_write,
		struct rte_comch_mem **mem);

/*
 * A context uses regions of a map. The program may stop and destroy the map meanwhile:
 * its regions stay until the last one lets go.
 */
void doca_compat_mmap_hold(struct doca_mmap *map);
void doca_compat_mmap_release(struct doca_mmap *map);

/* A submitted task uses a buffer, which the program may give back meanwhile. */
void doca_compat_buf_hold(struct doca_buf *buf);
void doca_compat_buf_release(struct doca_buf *buf);

#endif /* DOCA_MEM_PRIVATE_H */
