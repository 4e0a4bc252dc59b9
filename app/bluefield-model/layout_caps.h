/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Capabilities, as fields: what the model offers, and what clients look at and
 * must find zero. A bit that is not here is reserved. No values: cmd_caps.c has
 * them.
 */

#ifndef BFM_LAYOUT_CAPS_H
#define BFM_LAYOUT_CAPS_H

#include "layout.h"

/* Types of capabilities: op_mod of QUERY_HCA_CAP is type << 1 | current. */
enum {
	CAP_GENERAL = 0x00,
	CAP_ETH = 0x01,
	CAP_ATOMIC = 0x03,
	CAP_ROCE = 0x04,
	CAP_FLOW = 0x07,
};
#define CAP_SIZE 4096u /* bytes of one type in a command */

#define HCA_CAP_FIELDS(F) \
	F(HCA_CAP, page_request_disable, 6, 1) \
	F(HCA_CAP, hca_cap_2, 32, 1) \
	F(HCA_CAP, vhca_id, 48, 16) \
	F(HCA_CAP, log_max_srq_sz, 128, 8) \
	F(HCA_CAP, log_max_qp_sz, 136, 8) \
	F(HCA_CAP, event_cap, 144, 1) \
	F(HCA_CAP, log_max_qp, 155, 5) \
	F(HCA_CAP, ece_support, 163, 1) \
	F(HCA_CAP, log_max_srq, 171, 5) \
	F(HCA_CAP, shampo, 186, 1) \
	F(HCA_CAP, max_sgl_for_optimized_performance, 192, 8) \
	F(HCA_CAP, log_max_cq_sz, 200, 8) \
	F(HCA_CAP, relaxed_ordering_write_umr, 208, 1) \
	F(HCA_CAP, relaxed_ordering_read_umr, 209, 1) \
	F(HCA_CAP, log_max_cq, 219, 5) \
	F(HCA_CAP, log_max_eq_sz, 224, 8) \
	F(HCA_CAP, relaxed_ordering_write, 232, 1) \
	F(HCA_CAP, relaxed_ordering_read, 233, 1) \
	F(HCA_CAP, log_max_mkey, 234, 6) \
	F(HCA_CAP, dump_fill_mkey, 248, 1) \
	F(HCA_CAP, fast_teardown, 251, 1) \
	F(HCA_CAP, log_max_eq, 252, 4) \
	F(HCA_CAP, max_indirection, 256, 8) \
	F(HCA_CAP, fixed_buffer_size, 264, 1) \
	F(HCA_CAP, log_max_mrw_sz, 265, 7) \
	F(HCA_CAP, force_teardown, 272, 1) \
	F(HCA_CAP, log_max_bsf_list_size, 274, 6) \
	F(HCA_CAP, umr_extended_translation_offset, 280, 1) \
	F(HCA_CAP, null_mkey, 281, 1) \
	F(HCA_CAP, log_max_klm_list_size, 282, 6) \
	F(HCA_CAP, release_all_pages, 325, 1) \
	F(HCA_CAP, log_max_ra_req_qp, 330, 6) \
	F(HCA_CAP, log_max_ra_res_qp, 346, 6) \
	F(HCA_CAP, end_pad, 352, 1) \
	F(HCA_CAP, cc_query_allowed, 353, 1) \
	F(HCA_CAP, cc_modify_allowed, 354, 1) \
	F(HCA_CAP, cache_line_128byte, 356, 1) \
	F(HCA_CAP, rts2rts_qp_counters_set_id, 361, 1) \
	F(HCA_CAP, qcam_reg, 367, 1) \
	F(HCA_CAP, gid_table_size, 368, 16) \
	F(HCA_CAP, out_of_seq_cnt, 384, 1) \
	F(HCA_CAP, vport_counters, 385, 1) \
	F(HCA_CAP, retransmission_q_counters, 386, 1) \
	F(HCA_CAP, debug, 387, 1) \
	F(HCA_CAP, max_qp_cnt, 390, 10) \
	F(HCA_CAP, pkey_table_size, 400, 16) \
	F(HCA_CAP, vport_group_manager, 416, 1) \
	F(HCA_CAP, vhca_group_manager, 417, 1) \
	F(HCA_CAP, ib_virt, 418, 1) \
	F(HCA_CAP, eth_virt, 419, 1) \
	F(HCA_CAP, ets, 421, 1) \
	F(HCA_CAP, nic_flow_table, 422, 1) \
	F(HCA_CAP, eswitch_manager, 423, 1) \
	F(HCA_CAP, device_memory, 424, 1) \
	F(HCA_CAP, mcam_reg, 425, 1) \
	F(HCA_CAP, pcam_reg, 426, 1) \
	F(HCA_CAP, local_ca_ack_delay, 427, 5) \
	F(HCA_CAP, port_module_event, 432, 1) \
	F(HCA_CAP, disable_link_up, 436, 1) \
	F(HCA_CAP, port_type, 438, 2) \
	F(HCA_CAP, num_ports, 440, 8) \
	F(HCA_CAP, pps, 449, 1) \
	F(HCA_CAP, log_max_msg, 451, 5) \
	F(HCA_CAP, max_tc, 460, 4) \
	F(HCA_CAP, temp_warn_event, 464, 1) \
	F(HCA_CAP, dcbx, 465, 1) \
	F(HCA_CAP, general_notification_event, 466, 1) \
	F(HCA_CAP, fpga, 469, 1) \
	F(HCA_CAP, stat_rate_support, 480, 16) \
	F(HCA_CAP, pci_sync_for_fw_update_event, 497, 1) \
	F(HCA_CAP, cqe_version, 508, 4) \
	F(HCA_CAP, compact_address_vector, 512, 1) \
	F(HCA_CAP, striding_rq, 513, 1) \
	F(HCA_CAP, ipoib_enhanced_offloads, 515, 1) \
	F(HCA_CAP, ipoib_basic_offloads, 516, 1) \
	F(HCA_CAP, umr_modify_entity_size_disabled, 519, 1) \
	F(HCA_CAP, umr_modify_atomic_disabled, 520, 1) \
	F(HCA_CAP, umr_indirect_mkey_disabled, 521, 1) \
	F(HCA_CAP, umr_fence, 522, 2) \
	F(HCA_CAP, drain_sigerr, 527, 1) \
	F(HCA_CAP, cmdif_checksum, 528, 2) \
	F(HCA_CAP, sigerr_cqe, 530, 1) \
	F(HCA_CAP, wq_signature, 532, 1) \
	F(HCA_CAP, sctr_data_cqe, 533, 1) \
	F(HCA_CAP, sho, 535, 1) \
	F(HCA_CAP, dct, 538, 1) \
	F(HCA_CAP, qos, 539, 1) \
	F(HCA_CAP, eth_net_offloads, 540, 1) \
	F(HCA_CAP, roce, 541, 1) \
	F(HCA_CAP, atomic, 542, 1) \
	F(HCA_CAP, cq_oi, 544, 1) \
	F(HCA_CAP, cq_resize, 545, 1) \
	F(HCA_CAP, cq_moderation, 546, 1) \
	F(HCA_CAP, cq_eq_remap, 550, 1) \
	F(HCA_CAP, pg, 551, 1) \
	F(HCA_CAP, block_lb_mc, 552, 1) \
	F(HCA_CAP, scqe_break_moderation, 554, 1) \
	F(HCA_CAP, cq_period_start_from_cqe, 555, 1) \
	F(HCA_CAP, cd, 556, 1) \
	F(HCA_CAP, apm, 558, 1) \
	F(HCA_CAP, vector_calc, 559, 1) \
	F(HCA_CAP, umr_ptr_rlky, 560, 1) \
	F(HCA_CAP, imaicl, 561, 1) \
	F(HCA_CAP, qp_packet_based, 562, 1) \
	F(HCA_CAP, qkv, 566, 1) \
	F(HCA_CAP, pkv, 567, 1) \
	F(HCA_CAP, set_deth_sqpn, 568, 1) \
	F(HCA_CAP, xrc, 572, 1) \
	F(HCA_CAP, ud, 573, 1) \
	F(HCA_CAP, uc, 574, 1) \
	F(HCA_CAP, rc, 575, 1) \
	F(HCA_CAP, uar_4k, 576, 1) \
	F(HCA_CAP, fl_rc_qp_when_roce_disabled, 584, 1) \
	F(HCA_CAP, uar_sz, 586, 6) \
	F(HCA_CAP, port_selection_cap, 592, 1) \
	F(HCA_CAP, umem_uid_0, 594, 1) \
	F(HCA_CAP, log_pg_sz, 600, 8) \
	F(HCA_CAP, bf, 608, 1) \
	F(HCA_CAP, driver_version, 609, 1) \
	F(HCA_CAP, mkey_by_name, 614, 1) \
	F(HCA_CAP, log_bf_reg_size, 619, 5) \
	F(HCA_CAP, lag_master, 635, 1) \
	F(HCA_CAP, num_lag_ports, 636, 4) \
	F(HCA_CAP, max_wqe_sz_sq, 656, 16) \
	F(HCA_CAP, max_wqe_sz_rq, 688, 16) \
	F(HCA_CAP, max_wqe_sz_sq_dc, 720, 16) \
	F(HCA_CAP, max_qp_mcg, 743, 25) \
	F(HCA_CAP, log_max_mcg, 792, 8) \
	F(HCA_CAP, log_max_transport_domain, 803, 5) \
	F(HCA_CAP, log_max_pd, 811, 5) \
	F(HCA_CAP, log_max_xrcd, 827, 5) \
	F(HCA_CAP, log_max_rq, 867, 5) \
	F(HCA_CAP, log_max_sq, 875, 5) \
	F(HCA_CAP, log_max_tir, 883, 5) \
	F(HCA_CAP, log_max_tis, 891, 5) \
	F(HCA_CAP, basic_cyclic_rcv_wqe, 896, 1) \
	F(HCA_CAP, log_max_rmp, 899, 5) \
	F(HCA_CAP, log_max_rqt, 907, 5) \
	F(HCA_CAP, log_max_rqt_size, 915, 5) \
	F(HCA_CAP, log_max_tis_per_sq, 923, 5) \
	F(HCA_CAP, roce_rw_supported, 929, 1) \
	F(HCA_CAP, log_max_stride_sz_rq, 931, 5) \
	F(HCA_CAP, log_min_stride_sz_rq, 939, 5) \
	F(HCA_CAP, log_max_stride_sz_sq, 947, 5) \
	F(HCA_CAP, log_min_stride_sz_sq, 955, 5) \
	F(HCA_CAP, log_max_wq_sz, 987, 5) \
	F(HCA_CAP, nic_vport_change_event, 992, 1) \
	F(HCA_CAP, disable_local_lb_uc, 993, 1) \
	F(HCA_CAP, disable_local_lb_mc, 994, 1) \
	F(HCA_CAP, vhca_state, 1002, 1) \
	F(HCA_CAP, log_max_vlan_list, 1003, 5) \
	F(HCA_CAP, log_max_current_mc_list, 1011, 5) \
	F(HCA_CAP, log_max_current_uc_list, 1019, 5) \
	F(HCA_CAP, general_obj_types, 1024, 64) \
	F(HCA_CAP, sq_ts_format, 1088, 2) \
	F(HCA_CAP, rq_ts_format, 1090, 2) \
	F(HCA_CAP, ats, 1121, 1) \
	F(HCA_CAP, log_max_uctx, 1123, 5) \
	F(HCA_CAP, ipsec_offload, 1130, 1) \
	F(HCA_CAP, log_max_umem, 1131, 5) \
	F(HCA_CAP, max_num_eqs, 1136, 16) \
	F(HCA_CAP, tls_tx, 1153, 1) \
	F(HCA_CAP, tls_rx, 1154, 1) \
	F(HCA_CAP, log_max_l2_table, 1155, 5) \
	F(HCA_CAP, log_uar_page_sz, 1168, 16) \
	F(HCA_CAP, device_frequency_mhz, 1216, 32) \
	F(HCA_CAP, device_frequency_khz, 1248, 32) \
	F(HCA_CAP, num_of_uars_per_page, 1312, 32) \
	F(HCA_CAP, adv_virtualization, 1401, 1) \
	F(HCA_CAP, cqe_128_always, 1469, 1) \
	F(HCA_CAP, cqe_compression_128, 1470, 1) \
	F(HCA_CAP, cqe_compression, 1471, 1) \
	F(HCA_CAP, tag_matching, 1520, 1) \
	F(HCA_CAP, log_max_xrq, 1531, 5) \
	F(HCA_CAP, native_port_num, 1544, 8) \
	F(HCA_CAP, num_vhca_ports, 1552, 8) \
	F(HCA_CAP, sw_owner_id, 1566, 1) \
	F(HCA_CAP, sf, 1664, 1) \
	F(HCA_CAP, uctx_cap, 1696, 32) \
	F(HCA_CAP, num_total_dynamic_vf_msix, 1800, 24)
BFM_ENUM(HCA_CAP_FIELDS);

#define ROCE_CAP_FIELDS(F) \
	F(ROCE_CAP, roce_apm, 0, 1) \
	F(ROCE_CAP, sw_r_roce_src_udp_port, 4, 1) \
	F(ROCE_CAP, fl_rc_qp_when_roce_disabled, 5, 1) \
	F(ROCE_CAP, fl_rc_qp_when_roce_enabled, 6, 1) \
	F(ROCE_CAP, qp_ts_format, 30, 2) \
	F(ROCE_CAP, l3_type, 140, 4) \
	F(ROCE_CAP, roce_version, 152, 8) \
	F(ROCE_CAP, r_roce_dest_udp_port, 176, 16) \
	F(ROCE_CAP, r_roce_max_src_udp_port, 192, 16) \
	F(ROCE_CAP, r_roce_min_src_udp_port, 208, 16) \
	F(ROCE_CAP, roce_address_table_size, 240, 16)
BFM_ENUM(ROCE_CAP_FIELDS);

#define ATOMIC_CAP_FIELDS(F) \
	F(ATOMIC_CAP, atomic_req_8B_endianness_mode, 0x40, 2) \
	F(ATOMIC_CAP, supported_atomic_req_8B_endianness_mode_1, 0x46, 1) \
	F(ATOMIC_CAP, atomic_operations, 0x90, 16) \
	F(ATOMIC_CAP, atomic_size_qp, 0xb0, 16) \
	F(ATOMIC_CAP, atomic_size_dc, 0xd0, 16)
BFM_ENUM(ATOMIC_CAP_FIELDS);

/* Ethernet offloads. */
#define ETH_CAP_FIELDS(F) \
	F(ETH_CAP, csum_cap, 0, 1) \
	F(ETH_CAP, vlan_cap, 1, 1) \
	F(ETH_CAP, lro_cap, 2, 1) \
	F(ETH_CAP, wqe_vlan_insert, 7, 1) \
	F(ETH_CAP, self_lb_en_modifiable, 8, 1) \
	F(ETH_CAP, max_lso_cap, 11, 5) \
	F(ETH_CAP, multi_pkt_send_wqe, 16, 2) \
	F(ETH_CAP, wqe_inline_mode, 18, 2) \
	F(ETH_CAP, rss_ind_tbl_cap, 20, 4) \
	F(ETH_CAP, reg_umr_sq, 24, 1) \
	F(ETH_CAP, scatter_fcs, 25, 1) \
	F(ETH_CAP, enhanced_multi_pkt_send_wqe, 26, 1) \
	F(ETH_CAP, swp, 32, 1)
BFM_ENUM(ETH_CAP_FIELDS);

/* Flow tables of what comes. */
#define FLOW_CAP_FIELDS(F) \
	F(FLOW_CAP, nic_rx_multi_path_tirs, 0, 1) \
	F(FLOW_CAP, ft_support, 0x200, 1) \
	F(FLOW_CAP, flow_counter, 0x202, 1) \
	F(FLOW_CAP, flow_modify_en, 0x203, 1) \
	F(FLOW_CAP, modify_root, 0x204, 1) \
	F(FLOW_CAP, identified_miss_table_mode, 0x205, 1) \
	F(FLOW_CAP, flow_table_modify, 0x206, 1) \
	F(FLOW_CAP, ignore_flow_level, 0x215, 1) \
	F(FLOW_CAP, log_max_ft_size, 0x222, 6) \
	F(FLOW_CAP, max_ft_level, 0x238, 8) \
	F(FLOW_CAP, log_max_ft_num, 0x278, 8) \
	F(FLOW_CAP, log_max_flow_counter, 0x290, 8) \
	F(FLOW_CAP, log_max_destination, 0x298, 8) \
	F(FLOW_CAP, log_max_flow, 0x2b8, 8) \
	F(FLOW_CAP, outer_dmac, 0x300, 1) \
	F(FLOW_CAP, outer_smac, 0x301, 1) \
	F(FLOW_CAP, outer_ether_type, 0x302, 1) \
	F(FLOW_CAP, outer_ip_version, 0x303, 1) \
	F(FLOW_CAP, outer_first_prio, 0x304, 1) \
	F(FLOW_CAP, outer_first_cfi, 0x305, 1) \
	F(FLOW_CAP, outer_first_vid, 0x306, 1) \
	F(FLOW_CAP, outer_sip, 0x30c, 1) \
	F(FLOW_CAP, outer_dip, 0x30d, 1) \
	F(FLOW_CAP, outer_frag, 0x30e, 1) \
	F(FLOW_CAP, outer_ip_protocol, 0x30f, 1) \
	F(FLOW_CAP, outer_udp_sport, 0x312, 1) \
	F(FLOW_CAP, outer_udp_dport, 0x313, 1) \
	F(FLOW_CAP, outer_tcp_sport, 0x314, 1) \
	F(FLOW_CAP, outer_tcp_dport, 0x315, 1) \
	F(FLOW_CAP, outer_tcp_flags, 0x316, 1)
BFM_ENUM(FLOW_CAP_FIELDS);

/* QUERY_HCA_CAP, and what is before the capabilities in SET_HCA_CAP. */
#define HCA_CAP_IN_FIELDS(F) \
	F(HCA_CAP_IN, opcode, 0, 16) \
	F(HCA_CAP_IN, op_mod, 48, 16) \
	F(HCA_CAP_IN, other_function, 64, 1) \
	F(HCA_CAP_IN, function_id, 80, 16)
BFM_ENUM(HCA_CAP_IN_FIELDS);
#define HCA_CAP_IN_SIZE 16u

#define SET_HCA_CAP_IN_FIELDS(F) \
	F(SET_HCA_CAP_IN, opcode, 0, 16) \
	F(SET_HCA_CAP_IN, op_mod, 48, 16) \
	F(SET_HCA_CAP_IN, other_function, 64, 1) \
	F(SET_HCA_CAP_IN, function_id, 80, 16) \
	F(SET_HCA_CAP_IN, capability, 128, 32768)
#define SET_HCA_CAP_IN_SIZE (16u + CAP_SIZE)

/* A limit of now, by the name of its field: BFM_CAP(f, log_max_cq). */
#define BFM_CAP(f, name) bfm_cap((f), HCA_CAP_##name##_BIT, HCA_CAP_##name##_WIDTH)

_Static_assert(HCA_CAP_vhca_id_BIT == 6 * 8, "vhca_id is the fourth 16-bit word");
_Static_assert(HCA_CAP_num_ports_BIT == 0x1b8, "num_ports");
_Static_assert(HCA_CAP_log_uar_page_sz_BIT == 0x490, "log_uar_page_sz");

#endif
