/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Layout of queue pair commands and of the QP context. Facts only. The fields of
 * the context that the device owns are apart: a client that sets one in a command
 * is refused.
 */

#ifndef BFM_LAYOUT_QP_H
#define BFM_LAYOUT_QP_H

#include "layout_cq.h"

/* Address path P at bit B. */
#define ADS_FIELDS(F, L, P, B) \
	F(L, P##_fl, (B) + 0x0, 1) \
	F(L, P##_free_ar, (B) + 0x1, 1) \
	F(L, P##_pkey_index, (B) + 0x10, 16) \
	F(L, P##_grh, (B) + 0x28, 1) \
	F(L, P##_mlid, (B) + 0x29, 7) \
	F(L, P##_rlid, (B) + 0x30, 16) \
	F(L, P##_ack_timeout, (B) + 0x40, 5) \
	F(L, P##_src_addr_index, (B) + 0x48, 8) \
	F(L, P##_stat_rate, (B) + 0x54, 4) \
	F(L, P##_hop_limit, (B) + 0x58, 8) \
	F(L, P##_tclass, (B) + 0x64, 8) \
	F(L, P##_flow_label, (B) + 0x6c, 20) \
	F(L, P##_rgid_rip, (B) + 0x80, 128) \
	F(L, P##_f_dscp, (B) + 0x104, 1) \
	F(L, P##_f_ecn, (B) + 0x105, 1) \
	F(L, P##_f_eth_prio, (B) + 0x107, 1) \
	F(L, P##_ecn, (B) + 0x108, 2) \
	F(L, P##_dscp, (B) + 0x10a, 6) \
	F(L, P##_udp_sport, (B) + 0x110, 16) \
	F(L, P##_dei_cfi, (B) + 0x120, 1) \
	F(L, P##_eth_prio, (B) + 0x121, 3) \
	F(L, P##_sl, (B) + 0x124, 4) \
	F(L, P##_vhca_port_num, (B) + 0x128, 8) \
	F(L, P##_rmac, (B) + 0x130, 48)

#define ADS_BITS 0x160u
#define QPC_BYTES 232u
#define QPC_PRI_BIT 0xc0u
#define QPC_ALT_BIT 0x220u

#define QPC_SW_FIELDS(F) \
	F(QPC, lag_tx_port_affinity, 0x4, 4) \
	F(QPC, st, 0x8, 8) \
	F(QPC, isolate_vl_tc, 0x12, 1) \
	F(QPC, pm_state, 0x13, 2) \
	F(QPC, req_e2e_credit_mode, 0x16, 2) \
	F(QPC, offload_type, 0x18, 4) \
	F(QPC, end_padding_mode, 0x1c, 2) \
	F(QPC, wq_signature, 0x20, 1) \
	F(QPC, block_lb_mc, 0x21, 1) \
	F(QPC, atomic_like_write_en, 0x22, 1) \
	F(QPC, latency_sensitive, 0x23, 1) \
	F(QPC, drain_sigerr, 0x25, 1) \
	F(QPC, pd, 0x28, 24) \
	F(QPC, mtu, 0x40, 3) \
	F(QPC, log_msg_max, 0x43, 5) \
	F(QPC, log_rq_size, 0x49, 4) \
	F(QPC, log_rq_stride, 0x4d, 3) \
	F(QPC, no_sq, 0x50, 1) \
	F(QPC, log_sq_size, 0x51, 4) \
	F(QPC, ts_format, 0x58, 2) \
	F(QPC, rlky, 0x5b, 1) \
	F(QPC, ulp_stateless_offload_mode, 0x5c, 4) \
	F(QPC, counter_set_id, 0x60, 8) \
	F(QPC, uar_page, 0x68, 24) \
	F(QPC, user_index, 0x88, 24) \
	F(QPC, log_page_size, 0xa3, 5) \
	F(QPC, remote_qpn, 0xa8, 24) \
	ADS_FIELDS(F, QPC, pri, 0xc0) \
	ADS_FIELDS(F, QPC, alt, 0x220) \
	F(QPC, log_ack_req_freq, 0x380, 4) \
	F(QPC, log_sra_max, 0x388, 3) \
	F(QPC, retry_count, 0x38d, 3) \
	F(QPC, rnr_retry, 0x390, 3) \
	F(QPC, fre, 0x394, 1) \
	F(QPC, next_send_psn, 0x3c8, 24) \
	F(QPC, cqn_snd, 0x3e8, 24) \
	F(QPC, deth_sqpn, 0x408, 24) \
	F(QPC, log_rra_max, 0x488, 3) \
	F(QPC, atomic_mode, 0x48c, 4) \
	F(QPC, rre, 0x490, 1) \
	F(QPC, rwe, 0x491, 1) \
	F(QPC, rae, 0x492, 1) \
	F(QPC, page_offset, 0x494, 6) \
	F(QPC, cd_slave_receive, 0x49d, 1) \
	F(QPC, cd_slave_send, 0x49e, 1) \
	F(QPC, cd_master, 0x49f, 1) \
	F(QPC, min_rnr_nak, 0x4a3, 5) \
	F(QPC, next_rcv_psn, 0x4a8, 24) \
	F(QPC, xrcd, 0x4c8, 24) \
	F(QPC, cqn_rcv, 0x4e8, 24) \
	F(QPC, dbr_addr, 0x500, 64) \
	F(QPC, q_key, 0x540, 32) \
	F(QPC, rq_type, 0x565, 3) \
	F(QPC, srqn_rmpn_xrqn, 0x568, 24) \
	F(QPC, cs_req, 0x630, 8) \
	F(QPC, cs_res, 0x638, 8) \
	F(QPC, dbr_umem_valid, 0x683, 1) \
	F(QPC, dbr_umem_id, 0x720, 32)

#define QPC_HW_FIELDS(F) \
	F(QPC, state, 0x0, 4) \
	F(QPC, cur_rnr_retry, 0x395, 3) \
	F(QPC, cur_retry_count, 0x398, 3) \
	F(QPC, last_acked_psn, 0x448, 24) \
	F(QPC, ssn, 0x468, 24) \
	F(QPC, rmsn, 0x588, 24) \
	F(QPC, hw_sq_wqebb_counter, 0x5a0, 16) \
	F(QPC, sw_sq_wqebb_counter, 0x5b0, 16) \
	F(QPC, hw_rq_counter, 0x5c0, 32) \
	F(QPC, sw_rq_counter, 0x5e0, 32)

#define QPC_FIELDS(F) QPC_SW_FIELDS(F) QPC_HW_FIELDS(F)

#define CREATE_QP_IN_FIELDS(F) \
	CMD_HDR_FIELDS(F, CREATE_QP_IN) \
	F(CREATE_QP_IN, opt_param_mask, 0x80, 32) \
	F(CREATE_QP_IN, ece, 0xa0, 32) \
	F(CREATE_QP_IN, qpc, 0xc0, 1856) \
	F(CREATE_QP_IN, wq_umem_offset, 0x800, 64) \
	F(CREATE_QP_IN, wq_umem_id, 0x840, 32) \
	F(CREATE_QP_IN, wq_umem_valid, 0x860, 1)

#define CREATE_QP_OUT_FIELDS(F) \
	OUT_HDR_FIELDS(F, CREATE_QP_OUT) \
	F(CREATE_QP_OUT, qpn, 0x48, 24) \
	F(CREATE_QP_OUT, ece, 0x60, 32)

/* All transitions that carry a context. */
#define MODIFY_QP_IN_FIELDS(F) \
	CMD_HDR_FIELDS(F, MODIFY_QP_IN) \
	F(MODIFY_QP_IN, qpn, 0x48, 24) \
	F(MODIFY_QP_IN, opt_param_mask, 0x80, 32) \
	F(MODIFY_QP_IN, ece, 0xa0, 32) \
	F(MODIFY_QP_IN, qpc, 0xc0, 1856)

#define MODIFY_QP_OUT_FIELDS(F) \
	OUT_HDR_FIELDS(F, MODIFY_QP_OUT) \
	F(MODIFY_QP_OUT, ece, 0x60, 32)

/* DESTROY_QP, QUERY_QP, 2ERR_QP, 2RST_QP. */
#define QPN_IN_FIELDS(F) \
	CMD_HDR_FIELDS(F, QPN_IN) \
	F(QPN_IN, qpn, 0x48, 24)

#define QUERY_QP_OUT_FIELDS(F) \
	OUT_HDR_FIELDS(F, QUERY_QP_OUT) \
	F(QUERY_QP_OUT, opt_param_mask, 0x80, 32) \
	F(QUERY_QP_OUT, ece, 0xa0, 32) \
	F(QUERY_QP_OUT, qpc, 0xc0, 1856)

#define QP_CMD_BYTES 272u /* fixed part; the list of pages is behind it */

BFM_ENUM(QPC_FIELDS);
BFM_ENUM(CREATE_QP_IN_FIELDS);
BFM_ENUM(CREATE_QP_OUT_FIELDS);
BFM_ENUM(MODIFY_QP_IN_FIELDS);
BFM_ENUM(MODIFY_QP_OUT_FIELDS);
BFM_ENUM(QPN_IN_FIELDS);
BFM_ENUM(QUERY_QP_OUT_FIELDS);

#endif
