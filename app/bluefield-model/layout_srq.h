/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Layout of the commands and contexts of shared receive queues: basic ones and
 * XRC's, and receive memory pools (RMP), which are what a basic SRQ is from ISSI 1
 * on. Facts only.
 */

#ifndef BFM_LAYOUT_SRQ_H
#define BFM_LAYOUT_SRQ_H

#include "layout_cq.h"

#define SRQC_BYTES 64u

/* Fields that both kinds of context have. */
#define SRQC_COMMON_FIELDS(F, L) \
	F(L, log_srq_size, 0x4, 4) \
	F(L, wq_signature, 0x20, 1) \
	F(L, cont_srq, 0x21, 1) \
	F(L, rlky, 0x23, 1) \
	F(L, log_rq_stride, 0x25, 3) \
	F(L, xrcd, 0x28, 24) \
	F(L, page_offset, 0x40, 6) \
	F(L, cqn, 0x48, 24) \
	F(L, log_page_size, 0x82, 6) \
	F(L, pd, 0xc8, 24) \
	F(L, lwm, 0xe0, 16) \
	F(L, dbr_addr, 0x140, 64)

#define SRQC_SW_FIELDS(F) SRQC_COMMON_FIELDS(F, SRQC)

/*
 * No public header has the umem id and offset of XRC SRQs: they are where those of
 * CQs are, in the same gap before the same valid bit.
 */
#define XRC_SRQC_SW_FIELDS(F) \
	SRQC_COMMON_FIELDS(F, XRC_SRQC) \
	F(XRC_SRQC, basic_cyclic_rcv_wqe, 0x24, 1) \
	F(XRC_SRQC, dbr_umem_valid, 0x47, 1) \
	F(XRC_SRQC, dbr_umem_id, 0x60, 32) \
	F(XRC_SRQC, user_index_equal_xrc_srqn, 0x80, 1) \
	F(XRC_SRQC, user_index, 0x88, 24)

/* The device owns these. */
#define SRQC_HW_FIELDS(F) \
	F(SRQC, state, 0x0, 4) \
	F(SRQC, wqe_cnt, 0xf0, 16)

#define SRQC_FIELDS(F) SRQC_SW_FIELDS(F) SRQC_HW_FIELDS(F)

#define CREATE_SRQ_IN_FIELDS(F) \
	CMD_HDR_FIELDS(F, CREATE_SRQ_IN) \
	F(CREATE_SRQ_IN, srq_context_entry, 0x80, 512)

#define CREATE_XRC_SRQ_IN_FIELDS(F) \
	CMD_HDR_FIELDS(F, CREATE_XRC_SRQ_IN) \
	F(CREATE_XRC_SRQ_IN, srq_context_entry, 0x80, 512) \
	F(CREATE_XRC_SRQ_IN, umem_offset, 0x280, 64) \
	F(CREATE_XRC_SRQ_IN, umem_id, 0x2c0, 32) \
	F(CREATE_XRC_SRQ_IN, umem_valid, 0x2e0, 1)

#define CREATE_SRQ_OUT_FIELDS(F) \
	OUT_HDR_FIELDS(F, CREATE_SRQ_OUT) \
	F(CREATE_SRQ_OUT, srqn, 0x48, 24)

/* DESTROY and QUERY of both kinds, and of RMPs. */
#define SRQN_IN_FIELDS(F) \
	CMD_HDR_FIELDS(F, SRQN_IN) \
	F(SRQN_IN, srqn, 0x48, 24)

/* ARM_RQ and ARM_XRC_SRQ. */
#define ARM_SRQ_IN_FIELDS(F) \
	CMD_HDR_FIELDS(F, ARM_SRQ_IN) \
	F(ARM_SRQ_IN, srqn, 0x48, 24) \
	F(ARM_SRQ_IN, lwm, 0x70, 16)

#define QUERY_SRQ_OUT_FIELDS(F) \
	OUT_HDR_FIELDS(F, QUERY_SRQ_OUT) \
	F(QUERY_SRQ_OUT, srq_context_entry, 0x80, 512)

#define RMPC_BYTES 240u
#define RMPC_WQ_BIT 0x180u

#define RMPC_SW_FIELDS(F) \
	F(RMPC, state, 0x8, 4) \
	F(RMPC, basic_cyclic_rcv_wqe, 0x20, 1) \
	F(RMPC, wq_type, RMPC_WQ_BIT + 0x0, 4) \
	F(RMPC, wq_signature, RMPC_WQ_BIT + 0x4, 1) \
	F(RMPC, end_padding_mode, RMPC_WQ_BIT + 0x5, 2) \
	F(RMPC, page_offset, RMPC_WQ_BIT + 0x2b, 5) \
	F(RMPC, lwm, RMPC_WQ_BIT + 0x30, 16) \
	F(RMPC, pd, RMPC_WQ_BIT + 0x48, 24) \
	F(RMPC, uar_page, RMPC_WQ_BIT + 0x68, 24) \
	F(RMPC, dbr_addr, RMPC_WQ_BIT + 0x80, 64) \
	F(RMPC, log_wq_stride, RMPC_WQ_BIT + 0x10c, 4) \
	F(RMPC, log_wq_pg_sz, RMPC_WQ_BIT + 0x113, 5) \
	F(RMPC, log_wq_sz, RMPC_WQ_BIT + 0x11b, 5) \
	F(RMPC, dbr_umem_valid, RMPC_WQ_BIT + 0x120, 1) \
	F(RMPC, wq_umem_valid, RMPC_WQ_BIT + 0x121, 1) \
	F(RMPC, dbr_umem_id, RMPC_WQ_BIT + 0x140, 32) \
	F(RMPC, wq_umem_id, RMPC_WQ_BIT + 0x160, 32) \
	F(RMPC, wq_umem_offset, RMPC_WQ_BIT + 0x180, 64)

#define RMPC_HW_FIELDS(F) \
	F(RMPC, hw_counter, RMPC_WQ_BIT + 0xc0, 32) \
	F(RMPC, sw_counter, RMPC_WQ_BIT + 0xe0, 32)

#define RMPC_FIELDS(F) RMPC_SW_FIELDS(F) RMPC_HW_FIELDS(F)

#define CREATE_RMP_IN_FIELDS(F) \
	CMD_HDR_FIELDS(F, CREATE_RMP_IN) \
	F(CREATE_RMP_IN, ctx, 0x100, 1920)

#define CREATE_RMP_OUT_FIELDS(F) \
	OUT_HDR_FIELDS(F, CREATE_RMP_OUT) \
	F(CREATE_RMP_OUT, rmpn, 0x48, 24)

#define MODIFY_RMP_IN_FIELDS(F) \
	CMD_HDR_FIELDS(F, MODIFY_RMP_IN) \
	F(MODIFY_RMP_IN, rmp_state, 0x40, 4) \
	F(MODIFY_RMP_IN, rmpn, 0x48, 24) \
	F(MODIFY_RMP_IN, bitmask_lwm, 0xbf, 1) \
	F(MODIFY_RMP_IN, ctx, 0x100, 1920)

#define QUERY_RMP_OUT_FIELDS(F) \
	OUT_HDR_FIELDS(F, QUERY_RMP_OUT) \
	F(QUERY_RMP_OUT, rmp_context, 0x100, 1920)

#define SRQ_CMD_BYTES 272u /* fixed parts; the list of pages is behind them */
#define RMP_CMD_BYTES 272u

BFM_ENUM(SRQC_FIELDS);
BFM_ENUM(XRC_SRQC_SW_FIELDS);
BFM_ENUM(CREATE_SRQ_IN_FIELDS);
BFM_ENUM(CREATE_XRC_SRQ_IN_FIELDS);
BFM_ENUM(CREATE_SRQ_OUT_FIELDS);
BFM_ENUM(SRQN_IN_FIELDS);
BFM_ENUM(ARM_SRQ_IN_FIELDS);
BFM_ENUM(QUERY_SRQ_OUT_FIELDS);
BFM_ENUM(RMPC_FIELDS);
BFM_ENUM(CREATE_RMP_IN_FIELDS);
BFM_ENUM(CREATE_RMP_OUT_FIELDS);
BFM_ENUM(MODIFY_RMP_IN_FIELDS);
BFM_ENUM(QUERY_RMP_OUT_FIELDS);

#endif
