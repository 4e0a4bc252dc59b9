/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the files of layer obj share. Nobody else includes this.
 */

#ifndef BLUEFIELD_OBJ_PRIV_H
#define BLUEFIELD_OBJ_PRIV_H

#include "bluefield_func_priv.h"
#include "bluefield_obj.h"

/* Pages of a ring in one command; a larger ring has larger pages. */
#define BF_RING_MAX_PAS 512u
#define BF_RING_IN_SIZE (BF_CREATE_IN_SIZE + BF_RING_MAX_PAS * sizeof(uint64_t))

/* Memory of a queue: one run of pages, and a doorbell record behind it. */
struct bf_ring {
	struct bf_mem *mem;
	void *addr;
	uint32_t page_shift;
	uint32_t nb_pas;
	rte_be32_t *dbr;
	uint64_t dbr_iova;
};

int bf_ring_alloc(struct bf_func *func, size_t len, struct bf_ring *ring);

/* The list of pages into a create command; returns the length of the command. */
uint32_t bf_ring_pas(const struct bf_ring *ring, uint8_t *in);

/* Objects that a new one names, up to so many. */
#define BF_OBJ_MAX_DEPS 5

/* What bf_obj_create() makes. */
struct bf_obj_new {
	enum bf_obj_kind kind;
	struct bf_mem *mem;      /* goes to the object, or is freed; may be NULL */
	const struct bf_obj *deps[BF_OBJ_MAX_DEPS]; /* NULL ends the list */
};

/* A create command. The object is written on success only. */
int bf_obj_create(struct bf_func *func, const struct bf_obj_new *new, void *in, uint32_t in_len,
	struct bf_obj *obj);

/* The object is gone for the caller, whatever this returns. */
int bf_obj_destroy(struct bf_obj *obj, enum bf_obj_kind kind, uint16_t opcode);

/* A command of the function, or on an object, whose number is filled in. */
int bf_obj_exec(struct bf_func *func, void *in, uint32_t in_len, void *out, uint32_t out_len);
int bf_obj_exec_on(const struct bf_obj *obj, void *in, uint32_t in_len, void *out,
	uint32_t out_len);

#endif
