/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Layout of the commands and contexts of vports, of the RoCE address table and of
 * counters. Facts only.
 */

#ifndef BFM_LAYOUT_VPORT_H
#define BFM_LAYOUT_VPORT_H

#include "layout_cq.h"

/* Which vport a command is about. */
#define VPORT_SEL_FIELDS(F, L) \
	CMD_HDR_FIELDS(F, L) \
	F(L, other_vport, 0x40, 1) \
	F(L, vport_number, 0x50, 16)

#define VPORT_IN_FIELDS(F) VPORT_SEL_FIELDS(F, VPORT_IN)

/* ------------------------------------------------- NIC (Ethernet) vport */

#define NICV_BYTES 256u

#define NICV_FIELDS(F) \
	F(NICV, min_wqe_inline_mode, 0x5, 3) \
	F(NICV, disable_mc_local_lb, 0x1d, 1) \
	F(NICV, disable_uc_local_lb, 0x1e, 1) \
	F(NICV, roce_en, 0x1f, 1) \
	F(NICV, arm_change_event, 0x20, 1) \
	F(NICV, event_on_mtu, 0x3b, 1) \
	F(NICV, event_on_promisc_change, 0x3c, 1) \
	F(NICV, event_on_vlan_change, 0x3d, 1) \
	F(NICV, event_on_mc_address_change, 0x3e, 1) \
	F(NICV, event_on_uc_address_change, 0x3f, 1) \
	F(NICV, vhca_id_type, 0x40, 1) \
	F(NICV, affiliation_criteria, 0x4c, 4) \
	F(NICV, affiliated_vhca_id, 0x50, 16) \
	F(NICV, mtu, 0x130, 16) \
	F(NICV, system_image_guid, 0x140, 64) \
	F(NICV, port_guid, 0x180, 64) \
	F(NICV, node_guid, 0x1c0, 64) \
	F(NICV, qkey_violation_counter, 0x340, 16) \
	F(NICV, promisc_uc, 0x780, 1) \
	F(NICV, promisc_mc, 0x781, 1) \
	F(NICV, promisc_all, 0x782, 1) \
	F(NICV, allowed_list_type, 0x785, 3) \
	F(NICV, allowed_list_size, 0x794, 12) \
	F(NICV, permanent_address, 0x7b0, 48)

#define QUERY_NICV_IN_FIELDS(F) \
	VPORT_SEL_FIELDS(F, QUERY_NICV_IN) \
	F(QUERY_NICV_IN, allowed_list_type, 0x65, 3)

#define QUERY_NICV_OUT_FIELDS(F) \
	OUT_HDR_FIELDS(F, QUERY_NICV_OUT) \
	F(QUERY_NICV_OUT, nic_vport_context, 0x80, 2048)
#define QUERY_NICV_OUT_BYTES 272u /* the list is behind it */

#define MODIFY_NICV_IN_FIELDS(F) \
	VPORT_SEL_FIELDS(F, MODIFY_NICV_IN) \
	F(MODIFY_NICV_IN, sel_affiliation, 0x72, 1) \
	F(MODIFY_NICV_IN, sel_disable_uc_local_lb, 0x74, 1) \
	F(MODIFY_NICV_IN, sel_disable_mc_local_lb, 0x75, 1) \
	F(MODIFY_NICV_IN, sel_node_guid, 0x76, 1) \
	F(MODIFY_NICV_IN, sel_port_guid, 0x77, 1) \
	F(MODIFY_NICV_IN, sel_min_inline, 0x78, 1) \
	F(MODIFY_NICV_IN, sel_mtu, 0x79, 1) \
	F(MODIFY_NICV_IN, sel_change_event, 0x7a, 1) \
	F(MODIFY_NICV_IN, sel_promisc, 0x7b, 1) \
	F(MODIFY_NICV_IN, sel_permanent_address, 0x7c, 1) \
	F(MODIFY_NICV_IN, sel_addresses_list, 0x7d, 1) \
	F(MODIFY_NICV_IN, sel_roce_en, 0x7e, 1) \
	F(MODIFY_NICV_IN, nic_vport_context, 0x800, 2048)
#define MODIFY_NICV_IN_BYTES 512u /* the list is behind it */

/* ------------------------------------------------ HCA (InfiniBand) vport */

#define HCAV_BYTES 512u

#define HCAV_FIELDS(F) \
	F(HCAV, field_select, 0x0, 32) \
	F(HCAV, sm_virt_aware, 0x100, 1) \
	F(HCAV, has_smi, 0x101, 1) \
	F(HCAV, has_raw, 0x102, 1) \
	F(HCAV, grh_required, 0x103, 1) \
	F(HCAV, port_physical_state, 0x110, 4) \
	F(HCAV, vport_state_policy, 0x114, 4) \
	F(HCAV, port_state, 0x118, 4) \
	F(HCAV, vport_state, 0x11c, 4) \
	F(HCAV, system_image_guid, 0x140, 64) \
	F(HCAV, port_guid, 0x180, 64) \
	F(HCAV, node_guid, 0x1c0, 64) \
	F(HCAV, cap_mask1, 0x200, 32) \
	F(HCAV, cap_mask1_field_select, 0x220, 32) \
	F(HCAV, cap_mask2, 0x240, 32) \
	F(HCAV, cap_mask2_field_select, 0x260, 32) \
	F(HCAV, lid, 0x300, 16) \
	F(HCAV, init_type_reply, 0x314, 4) \
	F(HCAV, lmc, 0x318, 3) \
	F(HCAV, subnet_timeout, 0x31b, 5) \
	F(HCAV, sm_lid, 0x320, 16) \
	F(HCAV, sm_sl, 0x330, 4) \
	F(HCAV, qkey_violation_counter, 0x340, 16) \
	F(HCAV, pkey_violation_counter, 0x350, 16)

/* QUERY_HCA_VPORT_CONTEXT, _GID and _PKEY. */
#define HCAV_SEL_FIELDS(F, L) \
	VPORT_SEL_FIELDS(F, L) \
	F(L, port_num, 0x4c, 4)

#define QUERY_HCAV_IN_FIELDS(F) HCAV_SEL_FIELDS(F, QUERY_HCAV_IN)
#define QUERY_HCAV_TABLE_IN_FIELDS(F) \
	HCAV_SEL_FIELDS(F, QUERY_HCAV_TABLE_IN) \
	F(QUERY_HCAV_TABLE_IN, index, 0x70, 16)

#define QUERY_HCAV_OUT_FIELDS(F) \
	OUT_HDR_FIELDS(F, QUERY_HCAV_OUT) \
	F(QUERY_HCAV_OUT, hca_vport_context, 0x80, 4096)
#define QUERY_HCAV_OUT_BYTES 528u

#define MODIFY_HCAV_IN_FIELDS(F) \
	HCAV_SEL_FIELDS(F, MODIFY_HCAV_IN) \
	F(MODIFY_HCAV_IN, hca_vport_context, 0x80, 4096)
#define MODIFY_HCAV_IN_BYTES 528u

/* Entries of 16 bytes (GID) or 4 bytes (PKEY, in the low half) are behind it. */
#define QUERY_HCAV_GID_OUT_FIELDS(F) \
	OUT_HDR_FIELDS(F, QUERY_HCAV_GID_OUT) \
	F(QUERY_HCAV_GID_OUT, gids_num, 0x60, 16)

/* ------------------------------------------------------------- states */

#define QUERY_VSTATE_OUT_FIELDS(F) \
	OUT_HDR_FIELDS(F, QUERY_VSTATE_OUT) \
	F(QUERY_VSTATE_OUT, admin_state, 0x78, 4) \
	F(QUERY_VSTATE_OUT, state, 0x7c, 4)

#define MODIFY_VSTATE_IN_FIELDS(F) \
	VPORT_SEL_FIELDS(F, MODIFY_VSTATE_IN) \
	F(MODIFY_VSTATE_IN, admin_state, 0x78, 4)

#define QUERY_ESW_OUT_FIELDS(F) \
	OUT_HDR_FIELDS(F, QUERY_ESW_OUT) \
	F(QUERY_ESW_OUT, host_number, 0x80, 8) \
	F(QUERY_ESW_OUT, host_pf_not_exist, 0x8d, 1) \
	F(QUERY_ESW_OUT, host_pf_disabled, 0x8f, 1) \
	F(QUERY_ESW_OUT, host_num_of_vfs, 0x90, 16) \
	F(QUERY_ESW_OUT, host_total_vfs, 0xa0, 16)
#define QUERY_ESW_OUT_BYTES 80u

#define HDR_IN_FIELDS(F) CMD_HDR_FIELDS(F, HDR_IN)

/* ------------------------------------------------------- RoCE addresses */

#define ROCE_ADDR_BYTES 32u

#define ROCE_ADDR_FIELDS(F) \
	F(ROCE_ADDR, source_l3_address, 0x0, 128) \
	F(ROCE_ADDR, vlan_valid, 0x83, 1) \
	F(ROCE_ADDR, vlan_id, 0x84, 12) \
	F(ROCE_ADDR, source_mac, 0x90, 48) \
	F(ROCE_ADDR, roce_l3_type, 0xd4, 4) \
	F(ROCE_ADDR, roce_version, 0xd8, 8)

#define ROCE_ADDR_SEL_FIELDS(F, L) \
	CMD_HDR_FIELDS(F, L) \
	F(L, roce_address_index, 0x40, 16) \
	F(L, vhca_port_num, 0x5c, 4)

#define SET_ROCE_IN_FIELDS(F) \
	ROCE_ADDR_SEL_FIELDS(F, SET_ROCE_IN) \
	F(SET_ROCE_IN, roce_address, 0x80, 256)
#define QUERY_ROCE_IN_FIELDS(F) ROCE_ADDR_SEL_FIELDS(F, QUERY_ROCE_IN)
#define QUERY_ROCE_OUT_FIELDS(F) \
	OUT_HDR_FIELDS(F, QUERY_ROCE_OUT) \
	F(QUERY_ROCE_OUT, roce_address, 0x80, 256)
#define ROCE_CMD_BYTES 48u

/* ------------------------------------------------------------- counters */

#define QUERY_VCOUNT_IN_FIELDS(F) \
	HCAV_SEL_FIELDS(F, QUERY_VCOUNT_IN) \
	F(QUERY_VCOUNT_IN, clear, 0xc0, 1)
#define QUERY_VCOUNT_IN_BYTES 32u
#define QUERY_VCOUNT_OUT_BYTES 528u
#define VCOUNT_NB 24u /* packets and octets, 64 bits each, from byte 16 on */
#define VCOUNT_RX_UNICAST 4u /* of InfiniBand and RoCE; octets are the next one */
#define VCOUNT_TX_UNICAST 6u
#define VCOUNT_ETH 12u /* received broadcast frames, 4 on unicast, 8 on multicast */
#define VCOUNT_ETH_TX 2u /* the same that were sent, behind each */

#define ALLOC_QCOUNT_OUT_FIELDS(F) \
	OUT_HDR_FIELDS(F, ALLOC_QCOUNT_OUT) \
	F(ALLOC_QCOUNT_OUT, counter_set_id, 0x58, 8)

#define DEALLOC_QCOUNT_IN_FIELDS(F) \
	CMD_HDR_FIELDS(F, DEALLOC_QCOUNT_IN) \
	F(DEALLOC_QCOUNT_IN, counter_set_id, 0x58, 8)

#define QUERY_QCOUNT_IN_FIELDS(F) \
	CMD_HDR_FIELDS(F, QUERY_QCOUNT_IN) \
	F(QUERY_QCOUNT_IN, clear, 0xc0, 1) \
	F(QUERY_QCOUNT_IN, counter_set_id, 0xf8, 8)
#define QUERY_QCOUNT_IN_BYTES 32u

#define QUERY_QCOUNT_OUT_FIELDS(F) \
	OUT_HDR_FIELDS(F, QUERY_QCOUNT_OUT) \
	F(QUERY_QCOUNT_OUT, rx_write_requests, 0x80, 32) \
	F(QUERY_QCOUNT_OUT, rx_read_requests, 0xc0, 32) \
	F(QUERY_QCOUNT_OUT, rx_atomic_requests, 0x100, 32) \
	F(QUERY_QCOUNT_OUT, out_of_buffer, 0x180, 32) \
	F(QUERY_QCOUNT_OUT, out_of_sequence, 0x1c0, 32) \
	F(QUERY_QCOUNT_OUT, duplicate_request, 0x200, 32) \
	F(QUERY_QCOUNT_OUT, rnr_nak_retry_err, 0x240, 32) \
	F(QUERY_QCOUNT_OUT, packet_seq_err, 0x280, 32) \
	F(QUERY_QCOUNT_OUT, implied_nak_seq_err, 0x2c0, 32) \
	F(QUERY_QCOUNT_OUT, local_ack_timeout_err, 0x300, 32)
#define QUERY_QCOUNT_OUT_BYTES 256u

/* ---------------------------------------------------------- datagrams */

#define MAD_IFC_IN_FIELDS(F) \
	CMD_HDR_FIELDS(F, MAD_IFC_IN) \
	F(MAD_IFC_IN, remote_lid, 0x40, 16) \
	F(MAD_IFC_IN, port, 0x58, 8) \
	F(MAD_IFC_IN, mad, 0x80, 2048)

#define MAD_IFC_OUT_FIELDS(F) \
	OUT_HDR_FIELDS(F, MAD_IFC_OUT) \
	F(MAD_IFC_OUT, response_mad_packet, 0x80, 2048)
#define MAD_IFC_BYTES 272u
#define MAD_IFC_MAD_BYTES 256u

BFM_ENUM(MAD_IFC_IN_FIELDS);
BFM_ENUM(MAD_IFC_OUT_FIELDS);
BFM_ENUM(VPORT_IN_FIELDS);
BFM_ENUM(NICV_FIELDS);
BFM_ENUM(QUERY_NICV_IN_FIELDS);
BFM_ENUM(QUERY_NICV_OUT_FIELDS);
BFM_ENUM(MODIFY_NICV_IN_FIELDS);
BFM_ENUM(HCAV_FIELDS);
BFM_ENUM(QUERY_HCAV_IN_FIELDS);
BFM_ENUM(QUERY_HCAV_TABLE_IN_FIELDS);
BFM_ENUM(QUERY_HCAV_OUT_FIELDS);
BFM_ENUM(MODIFY_HCAV_IN_FIELDS);
BFM_ENUM(QUERY_HCAV_GID_OUT_FIELDS);
BFM_ENUM(QUERY_VSTATE_OUT_FIELDS);
BFM_ENUM(MODIFY_VSTATE_IN_FIELDS);
BFM_ENUM(QUERY_ESW_OUT_FIELDS);
BFM_ENUM(HDR_IN_FIELDS);
BFM_ENUM(ROCE_ADDR_FIELDS);
BFM_ENUM(SET_ROCE_IN_FIELDS);
BFM_ENUM(QUERY_ROCE_IN_FIELDS);
BFM_ENUM(QUERY_ROCE_OUT_FIELDS);
BFM_ENUM(QUERY_VCOUNT_IN_FIELDS);
BFM_ENUM(ALLOC_QCOUNT_OUT_FIELDS);
BFM_ENUM(DEALLOC_QCOUNT_IN_FIELDS);
BFM_ENUM(QUERY_QCOUNT_IN_FIELDS);
BFM_ENUM(QUERY_QCOUNT_OUT_FIELDS);

#endif
