/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Layout of the commands and contexts of Ethernet queues - TIS, TIR, RQT, SQ and RQ -
 * and of the flow tables that lead to them. Facts only.
 */

#ifndef BFM_LAYOUT_ETH_H
#define BFM_LAYOUT_ETH_H

#include "layout_cq.h"

/* CREATE, MODIFY and QUERY have the context of all but a TIS at the same byte. */
#define ETH_CTX 32u
#define ETH_CMD_BYTES 272u
#define ETH_CTX_BYTES 240u
#define TIS_CMD_BYTES 192u
#define TIS_BYTES 160u

#define ETH_CREATE_IN_FIELDS(F) \
	CMD_HDR_FIELDS(F, ETH_CREATE_IN) \
	F(ETH_CREATE_IN, ctx, 0x100, 1920)

/* The number that a command names, and that a reply gives. */
#define ETH_NUMBER_IN_FIELDS(F) \
	CMD_HDR_FIELDS(F, ETH_NUMBER_IN) \
	F(ETH_NUMBER_IN, number, 0x48, 24)

#define ETH_NUMBER_OUT_FIELDS(F) \
	OUT_HDR_FIELDS(F, ETH_NUMBER_OUT) \
	F(ETH_NUMBER_OUT, number, 0x48, 24)

/* What a modification selects; the bits are those of its object. */
#define ETH_MODIFY_IN_FIELDS(F) \
	CMD_HDR_FIELDS(F, ETH_MODIFY_IN) \
	F(ETH_MODIFY_IN, state, 0x40, 4) \
	F(ETH_MODIFY_IN, number, 0x48, 24) \
	F(ETH_MODIFY_IN, bitmask, 0x80, 64) \
	F(ETH_MODIFY_IN, ctx, 0x100, 1920)

#define TIS_FIELDS(F) \
	F(TIS, strict_lag_tx_port_affinity, 0x0, 1) \
	F(TIS, tls_en, 0x1, 1) \
	F(TIS, lag_tx_port_affinity, 0x4, 4) \
	F(TIS, prio, 0xc, 4) \
	F(TIS, transport_domain, 0x128, 24) \
	F(TIS, underlay_qpn, 0x148, 24) \
	F(TIS, pd, 0x168, 24)

#define TIR_FIELDS(F) \
	F(TIR, disp_type, 0x20, 4) \
	F(TIR, tls_en, 0x24, 1) \
	F(TIR, lro_timeout_period_usecs, 0x84, 16) \
	F(TIR, packet_merge_mask, 0x94, 4) \
	F(TIR, lro_max_ip_payload_size, 0x98, 8) \
	F(TIR, inline_rqn, 0xe8, 24) \
	F(TIR, rx_hash_symmetric, 0x100, 1) \
	F(TIR, tunneled_offload_en, 0x102, 1) \
	F(TIR, indirect_table, 0x108, 24) \
	F(TIR, rx_hash_fn, 0x120, 4) \
	F(TIR, self_lb_block, 0x126, 2) \
	F(TIR, transport_domain, 0x128, 24) \
	F(TIR, rx_hash_toeplitz_key, 0x140, 320) \
	F(TIR, outer_l3_prot_type, 0x280, 1) \
	F(TIR, outer_l4_prot_type, 0x281, 1) \
	F(TIR, outer_selected_fields, 0x282, 30) \
	F(TIR, inner_hash_fields, 0x2a0, 32)

#define RQT_FIELDS(F) \
	F(RQT, list_q_type, 0xa5, 3) \
	F(RQT, rqt_max_size, 0xb0, 16) \
	F(RQT, rq_vhca_id_format, 0xc0, 1) \
	F(RQT, rqt_actual_size, 0xd0, 16)

/* The ring of an SQ or an RQ. */
#define ETH_WQ_FIELDS(F, L) \
	F(L, wq_type, 0x180, 4) \
	F(L, wq_signature, 0x184, 1) \
	F(L, end_padding_mode, 0x185, 2) \
	F(L, page_offset, 0x1ab, 5) \
	F(L, lwm, 0x1b0, 16) \
	F(L, pd, 0x1c8, 24) \
	F(L, uar_page, 0x1e8, 24) \
	F(L, dbr_addr, 0x200, 64) \
	F(L, hw_counter, 0x240, 32) \
	F(L, sw_counter, 0x260, 32) \
	F(L, log_wq_stride, 0x28c, 4) \
	F(L, log_wq_pg_sz, 0x293, 5) \
	F(L, log_wq_sz, 0x29b, 5) \
	F(L, dbr_umem_valid, 0x2a0, 1) \
	F(L, wq_umem_valid, 0x2a1, 1) \
	F(L, dbr_umem_id, 0x2c0, 32) \
	F(L, wq_umem_id, 0x2e0, 32) \
	F(L, wq_umem_offset, 0x300, 64)

#define SQC_FIELDS(F) \
	F(SQC, rlky, 0x0, 1) \
	F(SQC, flush_in_error_en, 0x3, 1) \
	F(SQC, allow_multi_pkt_send_wqe, 0x4, 1) \
	F(SQC, min_wqe_inline_mode, 0x5, 3) \
	F(SQC, state, 0x8, 4) \
	F(SQC, reg_umr, 0xc, 1) \
	F(SQC, allow_swp, 0xd, 1) \
	F(SQC, hairpin, 0xe, 1) \
	F(SQC, ts_format, 0x1a, 2) \
	F(SQC, user_index, 0x28, 24) \
	F(SQC, cqn, 0x48, 24) \
	F(SQC, packet_pacing_rate_limit_index, 0xf0, 16) \
	F(SQC, tis_lst_sz, 0x100, 16) \
	F(SQC, tis_num_0, 0x168, 24) \
	ETH_WQ_FIELDS(F, SQC)

#define RQC_FIELDS(F) \
	F(RQC, rlky, 0x0, 1) \
	F(RQC, delay_drop_en, 0x1, 1) \
	F(RQC, scatter_fcs, 0x2, 1) \
	F(RQC, vsd, 0x3, 1) \
	F(RQC, mem_rq_type, 0x4, 4) \
	F(RQC, state, 0x8, 4) \
	F(RQC, flush_in_error_en, 0xd, 1) \
	F(RQC, hairpin, 0xe, 1) \
	F(RQC, ts_format, 0x1a, 2) \
	F(RQC, user_index, 0x28, 24) \
	F(RQC, cqn, 0x48, 24) \
	F(RQC, counter_set_id, 0x60, 8) \
	F(RQC, rmpn, 0x88, 24) \
	ETH_WQ_FIELDS(F, RQC)

/* ----------------------------------------------------------- flow tables */

#define FLOW_CMD_BYTES 64u

#define FLOW_HDR_FIELDS(F, L) \
	CMD_HDR_FIELDS(F, L) \
	F(L, other_vport, 0x40, 1) \
	F(L, vport_number, 0x50, 16) \
	F(L, table_type, 0x80, 8)

/* All others name a table. */
#define FLOW_SEL_FIELDS(F, L) \
	FLOW_HDR_FIELDS(F, L) \
	F(L, table_id, 0xa8, 24)

#define FT_FIELDS(F, L) \
	F(L, reformat_en, 0xc0, 1) \
	F(L, decap_en, 0xc1, 1) \
	F(L, termination_table, 0xc3, 1) \
	F(L, table_miss_action, 0xc4, 4) \
	F(L, level, 0xc8, 8) \
	F(L, log_size, 0xd8, 8) \
	F(L, table_miss_id, 0xe8, 24)

#define FT_ROOT_IN_FIELDS(F) \
	FLOW_SEL_FIELDS(F, FT_ROOT_IN) \
	F(FT_ROOT_IN, underlay_qpn, 0xc8, 24)

#define FT_CREATE_IN_FIELDS(F) FLOW_HDR_FIELDS(F, FT_CREATE_IN) FT_FIELDS(F, FT_CREATE_IN)

#define FT_MODIFY_IN_FIELDS(F) \
	FLOW_SEL_FIELDS(F, FT_MODIFY_IN) \
	F(FT_MODIFY_IN, modify_field_select, 0x70, 16) \
	FT_FIELDS(F, FT_MODIFY_IN)

#define FLOW_SEL_IN_FIELDS(F) FLOW_SEL_FIELDS(F, FLOW_SEL_IN)

/* What packets are matched with: headers up to layer 4, of the outer packet. */
#define FLOW_MATCH_BYTES 64u
#define FLOW_PARAM_BYTES 512u
#define FLOW_MATCH_FIELDS(F) \
	F(FLOW_MATCH, smac, 0x0, 48) \
	F(FLOW_MATCH, ethertype, 0x30, 16) \
	F(FLOW_MATCH, dmac, 0x40, 48) \
	F(FLOW_MATCH, first_tci, 0x70, 16) \
	F(FLOW_MATCH, ip_protocol, 0x80, 8) \
	F(FLOW_MATCH, ip_tos, 0x88, 8) \
	F(FLOW_MATCH, cvlan_tag, 0x90, 1) \
	F(FLOW_MATCH, svlan_tag, 0x91, 1) \
	F(FLOW_MATCH, frag, 0x92, 1) \
	F(FLOW_MATCH, ip_version, 0x93, 4) \
	F(FLOW_MATCH, tcp_flags, 0x97, 9) \
	F(FLOW_MATCH, tcp_sport, 0xa0, 16) \
	F(FLOW_MATCH, tcp_dport, 0xb0, 16) \
	F(FLOW_MATCH, ttl_hoplimit, 0xd8, 8) \
	F(FLOW_MATCH, udp_sport, 0xe0, 16) \
	F(FLOW_MATCH, udp_dport, 0xf0, 16) \
	F(FLOW_MATCH, src_ip, 0x100, 128) \
	F(FLOW_MATCH, dst_ip, 0x180, 128)

#define FG_CREATE_IN_BYTES 1024u
#define FG_CRITERIA 64u
#define FG_CREATE_IN_FIELDS(F) \
	FLOW_SEL_FIELDS(F, FG_CREATE_IN) \
	F(FG_CREATE_IN, group_type, 0x8c, 4) \
	F(FG_CREATE_IN, start_flow_index, 0xe0, 32) \
	F(FG_CREATE_IN, end_flow_index, 0x120, 32) \
	F(FG_CREATE_IN, match_criteria_enable, 0x1f8, 8) \
	F(FG_CREATE_IN, match_criteria, 0x200, 4096)

#define FG_SEL_IN_FIELDS(F) \
	FLOW_SEL_FIELDS(F, FG_SEL_IN) \
	F(FG_SEL_IN, group_id, 0xc0, 32)

#define FTE_SEL_IN_FIELDS(F) \
	FLOW_SEL_FIELDS(F, FTE_SEL_IN) \
	F(FTE_SEL_IN, flow_index, 0x100, 32)

/* Destinations of 8 bytes follow. */
#define FTE_SET_IN_BYTES 832u
#define FTE_VALUE 128u
#define FTE_DEST_BYTES 8u
#define FTE_SET_IN_FIELDS(F) \
	FLOW_SEL_FIELDS(F, FTE_SET_IN) \
	F(FTE_SET_IN, ignore_flow_level, 0xc0, 1) \
	F(FTE_SET_IN, modify_enable_mask, 0xd8, 8) \
	F(FTE_SET_IN, flow_index, 0x100, 32) \
	F(FTE_SET_IN, group_id, 0x220, 32) \
	F(FTE_SET_IN, flow_tag, 0x248, 24) \
	F(FTE_SET_IN, action, 0x270, 16) \
	F(FTE_SET_IN, destination_list_size, 0x288, 24) \
	F(FTE_SET_IN, match_value, 0x400, 4096) \
	F(FTE_SET_IN, destinations, FTE_SET_IN_BYTES * 8, FTE_DEST_BYTES * 8 * FTE_MAX_DESTS)
#define FTE_LOG_MAX_DESTS 5u
#define FTE_MAX_DESTS (1u << FTE_LOG_MAX_DESTS)

BFM_ENUM(ETH_CREATE_IN_FIELDS);
BFM_ENUM(ETH_NUMBER_IN_FIELDS);
BFM_ENUM(ETH_NUMBER_OUT_FIELDS);
BFM_ENUM(ETH_MODIFY_IN_FIELDS);
BFM_ENUM(TIS_FIELDS);
BFM_ENUM(TIR_FIELDS);
BFM_ENUM(RQT_FIELDS);
BFM_ENUM(SQC_FIELDS);
BFM_ENUM(RQC_FIELDS);
BFM_ENUM(FT_ROOT_IN_FIELDS);
BFM_ENUM(FT_CREATE_IN_FIELDS);
BFM_ENUM(FT_MODIFY_IN_FIELDS);
BFM_ENUM(FLOW_SEL_IN_FIELDS);
BFM_ENUM(FLOW_MATCH_FIELDS);
BFM_ENUM(FG_CREATE_IN_FIELDS);
BFM_ENUM(FG_SEL_IN_FIELDS);
BFM_ENUM(FTE_SEL_IN_FIELDS);
BFM_ENUM(FTE_SET_IN_FIELDS);

/* The ring begins at the same bit in both contexts. */
_Static_assert((int)SQC_wq_type_BIT == (int)RQC_wq_type_BIT, "work queue");
_Static_assert((int)SQC_state_BIT == (int)RQC_state_BIT, "state");
_Static_assert((int)SQC_cqn_BIT == (int)RQC_cqn_BIT, "completion queue");
_Static_assert(FG_CREATE_IN_match_criteria_BIT == FG_CRITERIA * 8, "criteria");
_Static_assert(FTE_SET_IN_match_value_BIT == FTE_VALUE * 8, "value");

#endif
