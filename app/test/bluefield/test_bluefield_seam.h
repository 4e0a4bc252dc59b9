/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A back end for objects of the bluefield driver that has no device: no register, no
 * address of a device, no command queue. It counts what it is asked for, checks that it
 * is asked properly, and refuses what it is told to. Handles and doorbell pages point
 * to memory that nobody may touch. It behaves as if a kernel driver owned the function:
 * protection domain, event queue and addresses can be somebody else's.
 */

#ifndef TEST_BLUEFIELD_SEAM_H
#define TEST_BLUEFIELD_SEAM_H

#include "bluefield_prm.h"
#include "bluefield_seam.h"

enum seam_op {
	SEAM_CREATE,
	SEAM_MODIFY,
	SEAM_DESTROY,
	SEAM_GENERAL,
	SEAM_UAR_ALLOC,
	SEAM_UAR_FREE,
	SEAM_EQN,
	SEAM_MEM_ALLOC,
	SEAM_MEM_REGISTER,
	SEAM_MEM_FREE,
	SEAM_GID_INDEX,
	NB_SEAM_OPS,
};

#define SEAM_NB_OBJS 64
#define SEAM_NB_ADDRS 4
#define SEAM_EQ_NUMBER 0x5a
#define SEAM_ERRNO (-EXDEV) /* one that the layer above never returns by itself */

/** What the back end knows of one object. */
struct seam_obj {
	bool live;
	enum bf_obj_kind kind;
	uint32_t state;         /* of a queue pair */
	uint32_t remote_qpn;
	struct bf_obj_mem *mem;
};

struct seam {
	struct bf_obj_dev dev;
	struct bf_obj_ops ops;
	uint8_t *nowhere;       /* pages that fault when they are touched */
	struct seam_obj objs[SEAM_NB_OBJS]; /* by id */
	uint32_t nb_calls[NB_SEAM_OPS];
	uint32_t nb_doorbells;
	uint32_t nb_live;       /* objects */
	uint32_t nb_mems;
	const char *mistake;    /* the first of the layer above; NULL: none */
	enum seam_op refuse_op; /* NB_SEAM_OPS: none */
	uint32_t refuse_nth;    /* of its calls, from 1 */
	uint32_t gen;
	bool roce_en;
	uint8_t addrs[SEAM_NB_ADDRS][BF_ROCE_ADDRESS_CMD_SIZE - BF_ROCE_ADDRESS_CMD_ADDR];
	/** the last of each: create command, doorbell */
	uint8_t in[BF_CREATE_IN_SIZE];
	struct bf_obj_part part;
	uint32_t doorbell_off;
	rte_be64_t doorbell_val;
	rte_be32_t doorbell_val32;
};

/** A device; its port is ours. 0 or -1. */
int seam_open(struct seam *seam);
/** Give the port to somebody else, who keeps these addresses. */
void seam_own_port(struct seam *seam, bool roce_en);
void seam_close(struct seam *seam);
/** Calls of all operations. */
uint32_t seam_calls(const struct seam *seam);

#endif /* TEST_BLUEFIELD_SEAM_H */
