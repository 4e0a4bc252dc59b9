/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Commands of the small resources - UAR, PD, transport domain, XRC domain, UMEM -
 * as fields. No behaviour.
 */

#ifndef BFM_LAYOUT_RES_H
#define BFM_LAYOUT_RES_H

#include "layout.h"

/* ALLOC of a number; NOP and QUERY_SPECIAL_CONTEXTS ask the same way. */
#define RES_ALLOC_IN_FIELDS(F) \
	F(RES_ALLOC_IN, opcode, 0, 16) \
	F(RES_ALLOC_IN, uid, 16, 16) \
	F(RES_ALLOC_IN, op_mod, 48, 16)
BFM_ENUM(RES_ALLOC_IN_FIELDS);

/* DEALLOC or DESTROY of a number, and the reply that gives one: the same place. */
#define RES_DEALLOC_IN_FIELDS(F) \
	F(RES_DEALLOC_IN, opcode, 0, 16) \
	F(RES_DEALLOC_IN, uid, 16, 16) \
	F(RES_DEALLOC_IN, op_mod, 48, 16) \
	F(RES_DEALLOC_IN, number, 72, 24)
BFM_ENUM(RES_DEALLOC_IN_FIELDS);

#define RES_ALLOC_OUT_FIELDS(F) \
	F(RES_ALLOC_OUT, status, 0, 8) \
	F(RES_ALLOC_OUT, syndrome, 32, 32) \
	F(RES_ALLOC_OUT, number, 72, 24)
BFM_ENUM(RES_ALLOC_OUT_FIELDS);
#define RES_SIZE 16u

#define SPECIAL_OUT_FIELDS(F) \
	F(SPECIAL_OUT, status, 0, 8) \
	F(SPECIAL_OUT, syndrome, 32, 32) \
	F(SPECIAL_OUT, dump_fill_mkey, 64, 32) \
	F(SPECIAL_OUT, resd_lkey, 96, 32) \
	F(SPECIAL_OUT, null_mkey, 128, 32)
BFM_ENUM(SPECIAL_OUT_FIELDS);
#define SPECIAL_OUT_SIZE 32u

/* CREATE_UMEM: 16 bytes, the context of 32 bytes, the MTTs. */
#define CREATE_UMEM_IN_FIELDS(F) \
	F(CREATE_UMEM_IN, opcode, 0, 16) \
	F(CREATE_UMEM_IN, uid, 16, 16) \
	F(CREATE_UMEM_IN, op_mod, 48, 16) \
	F(CREATE_UMEM_IN, umem, 128, 256)
BFM_ENUM(CREATE_UMEM_IN_FIELDS);
#define CREATE_UMEM_IN_SIZE 48u
#define CREATE_UMEM_IN_UMEM 16u

#define UMEM_FIELDS(F) \
	F(UMEM, ats, 128, 1) \
	F(UMEM, log_page_size, 155, 5) \
	F(UMEM, page_offset, 160, 32) \
	F(UMEM, num_of_mtt, 192, 64)
BFM_ENUM(UMEM_FIELDS);
#define UMEM_SIZE 32u

_Static_assert(UMEM_num_of_mtt_BIT + UMEM_num_of_mtt_WIDTH == UMEM_SIZE * 8, "UMEM context");
_Static_assert(CREATE_UMEM_IN_UMEM + UMEM_SIZE == CREATE_UMEM_IN_SIZE, "CREATE_UMEM");

#endif
