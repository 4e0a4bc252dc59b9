/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Layout of completion queue commands and of the CQ context. Facts only. Fields
 * that the device owns are apart: a client that sets one is refused.
 */

#ifndef BFM_LAYOUT_CQ_H
#define BFM_LAYOUT_CQ_H

#include "layout.h"

/* Start of every command. */
#define CMD_HDR_FIELDS(F, L) \
	F(L, opcode, 0x0, 16) \
	F(L, uid, 0x10, 16) \
	F(L, op_mod, 0x30, 16)

/* Start of every reply. */
#define OUT_HDR_FIELDS(F, L) \
	F(L, status, 0x0, 8) \
	F(L, syndrome, 0x20, 32)

#define CQC_BYTES 64u

#define CQC_SW_FIELDS(F) \
	F(CQC, dbr_umem_valid, 0x6, 1) \
	F(CQC, apu_cq, 0x7, 1) \
	F(CQC, cqe_sz, 0x8, 3) \
	F(CQC, cc, 0xb, 1) \
	F(CQC, scqe_break_moderation_en, 0xd, 1) \
	F(CQC, oi, 0xe, 1) \
	F(CQC, cq_period_mode, 0xf, 2) \
	F(CQC, cqe_comp_en, 0x11, 1) \
	F(CQC, mini_cqe_res_format, 0x12, 2) \
	F(CQC, cqe_compression_layout, 0x1e, 2) \
	F(CQC, dbr_umem_id, 0x20, 32) \
	F(CQC, page_offset, 0x54, 6) \
	F(CQC, log_cq_size, 0x63, 5) \
	F(CQC, uar_page, 0x68, 24) \
	F(CQC, cq_period, 0x84, 12) \
	F(CQC, cq_max_count, 0x90, 16) \
	F(CQC, c_eqn_or_apu_element, 0xa0, 32) \
	F(CQC, log_page_size, 0xc3, 5) \
	F(CQC, dbr_addr, 0x1c0, 64)

#define CQC_HW_FIELDS(F) \
	F(CQC, status, 0x0, 4) \
	F(CQC, st, 0x14, 4) \
	F(CQC, last_notified_index, 0x108, 24) \
	F(CQC, last_solicit_index, 0x128, 24) \
	F(CQC, consumer_counter, 0x148, 24) \
	F(CQC, producer_counter, 0x168, 24)

#define CQC_FIELDS(F) CQC_SW_FIELDS(F) CQC_HW_FIELDS(F)

#define CREATE_CQ_IN_FIELDS(F) \
	CMD_HDR_FIELDS(F, CREATE_CQ_IN) \
	F(CREATE_CQ_IN, cq_context, 0x80, 512) \
	F(CREATE_CQ_IN, cq_umem_offset, 0x280, 64) \
	F(CREATE_CQ_IN, cq_umem_id, 0x2c0, 32) \
	F(CREATE_CQ_IN, cq_umem_valid, 0x2e0, 1)

#define CREATE_CQ_OUT_FIELDS(F) \
	OUT_HDR_FIELDS(F, CREATE_CQ_OUT) \
	F(CREATE_CQ_OUT, cqn, 0x48, 24)

#define MODIFY_CQ_IN_FIELDS(F) \
	CMD_HDR_FIELDS(F, MODIFY_CQ_IN) \
	F(MODIFY_CQ_IN, cqn, 0x48, 24) \
	F(MODIFY_CQ_IN, field_select, 0x60, 32) \
	F(MODIFY_CQ_IN, cq_context, 0x80, 512) \
	F(MODIFY_CQ_IN, cq_umem_offset, 0x280, 64) \
	F(MODIFY_CQ_IN, cq_umem_id, 0x2c0, 32) \
	F(MODIFY_CQ_IN, cq_umem_valid, 0x2e0, 1)

/* DESTROY_CQ and QUERY_CQ. */
#define CQN_IN_FIELDS(F) \
	CMD_HDR_FIELDS(F, CQN_IN) \
	F(CQN_IN, cqn, 0x48, 24)

#define QUERY_CQ_OUT_FIELDS(F) \
	OUT_HDR_FIELDS(F, QUERY_CQ_OUT) \
	F(QUERY_CQ_OUT, cq_context, 0x80, 512)

#define CQ_CMD_BYTES 272u /* fixed part; the list of pages is behind it */

BFM_ENUM(CQC_FIELDS);
BFM_ENUM(CREATE_CQ_IN_FIELDS);
BFM_ENUM(CREATE_CQ_OUT_FIELDS);
BFM_ENUM(MODIFY_CQ_IN_FIELDS);
BFM_ENUM(CQN_IN_FIELDS);
BFM_ENUM(QUERY_CQ_OUT_FIELDS);

#endif
