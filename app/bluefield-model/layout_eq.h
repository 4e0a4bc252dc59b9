/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Event queue commands and the EQ context, as fields; the event queue entry, as
 * bytes. No behaviour.
 */

#ifndef BFM_LAYOUT_EQ_H
#define BFM_LAYOUT_EQ_H

#include <stddef.h>

#include "layout.h"

/* EQ context, 64 bytes. */
#define EQC_FIELDS(F) \
	F(EQC, status, 0, 4) \
	F(EQC, ec, 13, 1) \
	F(EQC, oi, 14, 1) \
	F(EQC, st, 20, 4) \
	F(EQC, page_offset, 84, 6) \
	F(EQC, log_eq_size, 99, 5) \
	F(EQC, uar_page, 104, 24) \
	F(EQC, intr, 180, 12) \
	F(EQC, log_page_size, 195, 5) \
	F(EQC, consumer_counter, 328, 24) \
	F(EQC, producer_counter, 360, 24)
BFM_ENUM(EQC_FIELDS);
#define EQC_SIZE 64u

#define CREATE_EQ_IN_FIELDS(F) \
	F(CREATE_EQ_IN, opcode, 0, 16) \
	F(CREATE_EQ_IN, uid, 16, 16) \
	F(CREATE_EQ_IN, op_mod, 48, 16) \
	F(CREATE_EQ_IN, eq_context_entry, 128, 512) \
	F(CREATE_EQ_IN, event_bitmask_0, 704, 64) \
	F(CREATE_EQ_IN, event_bitmask_1, 768, 64) \
	F(CREATE_EQ_IN, event_bitmask_2, 832, 64) \
	F(CREATE_EQ_IN, event_bitmask_3, 896, 64)
BFM_ENUM(CREATE_EQ_IN_FIELDS);
#define CREATE_EQ_IN_SIZE 272u /* and the pages */
#define CREATE_EQ_IN_EQC 16u

#define CREATE_EQ_OUT_FIELDS(F) \
	F(CREATE_EQ_OUT, status, 0, 8) \
	F(CREATE_EQ_OUT, syndrome, 32, 32) \
	F(CREATE_EQ_OUT, eq_number, 88, 8)
BFM_ENUM(CREATE_EQ_OUT_FIELDS);
#define CREATE_EQ_OUT_SIZE 16u

/* DESTROY_EQ and QUERY_EQ ask alike. */
#define EQ_IN_FIELDS(F) \
	F(EQ_IN, opcode, 0, 16) \
	F(EQ_IN, uid, 16, 16) \
	F(EQ_IN, op_mod, 48, 16) \
	F(EQ_IN, eq_number, 88, 8)
BFM_ENUM(EQ_IN_FIELDS);
#define EQ_IN_SIZE 16u

#define QUERY_EQ_OUT_FIELDS(F) \
	F(QUERY_EQ_OUT, status, 0, 8) \
	F(QUERY_EQ_OUT, syndrome, 32, 32) \
	F(QUERY_EQ_OUT, eq_context_entry, 128, 512) \
	F(QUERY_EQ_OUT, event_bitmask, 704, 64)
BFM_ENUM(QUERY_EQ_OUT_FIELDS);
#define QUERY_EQ_OUT_SIZE 272u /* and the pages */
#define QUERY_EQ_OUT_EQC 16u

_Static_assert(CREATE_EQ_IN_event_bitmask_0_BIT == 88 * 8, "event bit mask of CREATE_EQ");
_Static_assert(EQC_producer_counter_BIT + EQC_producer_counter_WIDTH <= EQC_SIZE * 8, "EQ context");

/* What the device writes for one event. */
struct bfm_eqe {
	uint8_t reserved_0;
	uint8_t type;
	uint8_t reserved_2;
	uint8_t sub_type;
	uint8_t reserved_4[28];
	uint8_t data[28];
	uint8_t reserved_60[2];
	uint8_t signature;
	uint8_t owner;
};

_Static_assert(sizeof(struct bfm_eqe) == 64, "EQE size");
_Static_assert(offsetof(struct bfm_eqe, type) == 1, "EQE type");
_Static_assert(offsetof(struct bfm_eqe, sub_type) == 3, "EQE subtype");
_Static_assert(offsetof(struct bfm_eqe, data) == 32, "EQE data");
_Static_assert(offsetof(struct bfm_eqe, signature) == 62, "EQE signature");
_Static_assert(offsetof(struct bfm_eqe, owner) == 63, "EQE owner");

#endif
