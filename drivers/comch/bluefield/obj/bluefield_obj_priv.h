/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the files of layer obj share. Nobody else includes this.
 */

#ifndef BLUEFIELD_OBJ_PRIV_H
#define BLUEFIELD_OBJ_PRIV_H

#include "bluefield_log.h"
#include "bluefield_obj.h"
#include "bluefield_prm.h"

/* Memory of a queue: the ring, and a doorbell record behind it. */
struct bf_ring {
	struct bf_obj_mem *mem;
	size_t len;
	rte_be32_t *dbr;
};

int bf_ring_alloc(struct bf_obj_dev *dev, size_t len, struct bf_ring *ring);

/* Objects that a new one names, up to so many. */
#define BF_OBJ_MAX_DEPS 5

/* What is made, and of what. */
struct bf_obj_desc {
	enum bf_obj_kind kind;
	const struct bf_obj *deps[BF_OBJ_MAX_DEPS]; /* NULL ends the list */
};

/* A create command; part NULL: without memory. The object is written on success only. */
int bf_obj_create(struct bf_obj_dev *dev, const struct bf_obj_desc *desc, const void *in,
	uint32_t in_len, const struct bf_obj_part *part, struct bf_obj *obj);

/* An object that has a ring, whose memory goes to the object, or is freed. */
int bf_obj_create_ring(struct bf_obj_dev *dev, const struct bf_obj_desc *desc, const void *in,
	uint32_t in_len, const struct bf_ring *ring, struct bf_obj *obj);

/* The object is gone for the caller, whatever this returns. */
int bf_obj_destroy(struct bf_obj *obj);

/* The same, with its ring. */
void bf_obj_destroy_ring(struct bf_obj *obj);

/* A command on an object, whose number is filled in. */
int bf_obj_modify(const struct bf_obj *obj, void *in, uint32_t in_len, void *out,
	uint32_t out_len);

#endif
