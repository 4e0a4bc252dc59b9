/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Commands that bring an HCA up and down, and that give it pages, as fields. No
 * behaviour.
 */

#ifndef BFM_LAYOUT_HCA_H
#define BFM_LAYOUT_HCA_H

#include "layout.h"

/* The head of a command, and of a reply. */
#define HCA_HEAD(F, L) \
	F(L, opcode, 0, 16) \
	F(L, uid, 16, 16) \
	F(L, op_mod, 48, 16)
#define HCA_REPLY(F, L) \
	F(L, status, 0, 8) \
	F(L, syndrome, 32, 32)

/* Commands that say nothing but their name: QUERY_ISSI, QUERY_ADAPTER, NOP. */
#define PLAIN_IN_FIELDS(F) \
	HCA_HEAD(F, PLAIN_IN)
#define PLAIN_IN_SIZE 16u
#define PLAIN_OUT_FIELDS(F) \
	HCA_REPLY(F, PLAIN_OUT)
#define PLAIN_OUT_SIZE 16u
/* Older clients do not reserve the second half of a reply without content. */
#define PLAIN_OUT_MIN 8u

/* ENABLE_HCA and DISABLE_HCA ask alike, and so does QUERY_PAGES. */
#define FUNCTION_IN_FIELDS(F) \
	HCA_HEAD(F, FUNCTION_IN) \
	F(FUNCTION_IN, embedded_cpu_function, 64, 1) \
	F(FUNCTION_IN, function_id, 80, 16)
BFM_ENUM(FUNCTION_IN_FIELDS);
#define FUNCTION_IN_SIZE 16u

#define QUERY_ISSI_OUT_FIELDS(F) \
	HCA_REPLY(F, QUERY_ISSI_OUT) \
	F(QUERY_ISSI_OUT, current_issi, 80, 16) \
	F(QUERY_ISSI_OUT, supported_issi_dw0, 864, 32)
BFM_ENUM(QUERY_ISSI_OUT_FIELDS);
#define QUERY_ISSI_OUT_SIZE 112u

#define SET_ISSI_IN_FIELDS(F) \
	HCA_HEAD(F, SET_ISSI_IN) \
	F(SET_ISSI_IN, current_issi, 80, 16)
BFM_ENUM(SET_ISSI_IN_FIELDS);
#define SET_ISSI_IN_SIZE 16u

#define INIT_HCA_IN_FIELDS(F) \
	HCA_HEAD(F, INIT_HCA_IN) \
	F(INIT_HCA_IN, sw_vhca_id, 98, 14) \
	F(INIT_HCA_IN, sw_owner_id, 128, 128)
BFM_ENUM(INIT_HCA_IN_FIELDS);
#define INIT_HCA_IN_SIZE 32u
#define INIT_HCA_IN_MIN 16u /* without the owner */

#define TEARDOWN_HCA_IN_FIELDS(F) \
	HCA_HEAD(F, TEARDOWN_HCA_IN) \
	F(TEARDOWN_HCA_IN, profile, 80, 16)
BFM_ENUM(TEARDOWN_HCA_IN_FIELDS);
#define TEARDOWN_HCA_IN_SIZE 16u

#define TEARDOWN_HCA_OUT_FIELDS(F) \
	HCA_REPLY(F, TEARDOWN_HCA_OUT) \
	F(TEARDOWN_HCA_OUT, state, 127, 1)
BFM_ENUM(TEARDOWN_HCA_OUT_FIELDS);
#define TEARDOWN_HCA_OUT_SIZE 16u

#define QUERY_ADAPTER_OUT_FIELDS(F) \
	HCA_REPLY(F, QUERY_ADAPTER_OUT) \
	F(QUERY_ADAPTER_OUT, ieee_vendor_id, 328, 24) \
	F(QUERY_ADAPTER_OUT, vsd_vendor_id, 368, 16) \
	F(QUERY_ADAPTER_OUT, vsd, 384, 1664) \
	F(QUERY_ADAPTER_OUT, psid, 2048, 128)
BFM_ENUM(QUERY_ADAPTER_OUT_FIELDS);
#define QUERY_ADAPTER_OUT_SIZE 272u
#define QUERY_ADAPTER_OUT_PSID 256u
#define PSID_SIZE 16u

_Static_assert(QUERY_ADAPTER_OUT_psid_BIT == QUERY_ADAPTER_OUT_PSID * 8, "psid");
_Static_assert(QUERY_ADAPTER_OUT_PSID + PSID_SIZE == QUERY_ADAPTER_OUT_SIZE, "query_adapter");

/* ACCESS_REG: the register's content follows. */
#define ACCESS_REG_IN_FIELDS(F) \
	HCA_HEAD(F, ACCESS_REG_IN) \
	F(ACCESS_REG_IN, register_id, 80, 16) \
	F(ACCESS_REG_IN, argument, 96, 32)
BFM_ENUM(ACCESS_REG_IN_FIELDS);
#define ACCESS_REG_IN_SIZE 16u
#define ACCESS_REG_OUT_SIZE 16u

/* Registers: byte order of the host, speed of the port, its MTU, lanes, state, a text. */
#define REG_HOST_ENDIANNESS_FIELDS(F) \
	F(REG_HOST_ENDIANNESS, he, 0, 1)
BFM_ENUM(REG_HOST_ENDIANNESS_FIELDS);
#define REG_HOST_ENDIANNESS_SIZE 16u

#define REG_PTYS_FIELDS(F) \
	F(REG_PTYS, local_port, 8, 8) \
	F(REG_PTYS, proto_mask, 29, 3) \
	F(REG_PTYS, eth_proto_capability, 96, 32) \
	F(REG_PTYS, ib_link_width_capability, 128, 16) \
	F(REG_PTYS, ib_proto_capability, 144, 16) \
	F(REG_PTYS, eth_proto_admin, 192, 32) \
	F(REG_PTYS, ib_link_width_admin, 224, 16) \
	F(REG_PTYS, ib_proto_admin, 240, 16) \
	F(REG_PTYS, eth_proto_oper, 288, 32) \
	F(REG_PTYS, ib_link_width_oper, 320, 16) \
	F(REG_PTYS, ib_proto_oper, 336, 16)
BFM_ENUM(REG_PTYS_FIELDS);
#define REG_PTYS_SIZE 64u

#define REG_PMTU_FIELDS(F) \
	F(REG_PMTU, local_port, 8, 8) \
	F(REG_PMTU, max_mtu, 32, 16) \
	F(REG_PMTU, admin_mtu, 64, 16) \
	F(REG_PMTU, oper_mtu, 96, 16)
BFM_ENUM(REG_PMTU_FIELDS);
#define REG_PMTU_SIZE 16u

#define REG_PVLC_FIELDS(F) \
	F(REG_PVLC, local_port, 8, 8) \
	F(REG_PVLC, vl_hw_cap, 60, 4) \
	F(REG_PVLC, vl_admin, 92, 4) \
	F(REG_PVLC, vl_operational, 124, 4)
BFM_ENUM(REG_PVLC_FIELDS);
#define REG_PVLC_SIZE 16u

#define REG_PAOS_FIELDS(F) \
	F(REG_PAOS, swid, 0, 8) \
	F(REG_PAOS, local_port, 8, 8) \
	F(REG_PAOS, admin_status, 20, 4) \
	F(REG_PAOS, oper_status, 28, 4) \
	F(REG_PAOS, ase, 32, 1)
BFM_ENUM(REG_PAOS_FIELDS);
#define REG_PAOS_SIZE 16u

/* Counters of the port, a group of them. */
#define REG_PPCNT_FIELDS(F) \
	F(REG_PPCNT, swid, 0, 8) \
	F(REG_PPCNT, local_port, 8, 8) \
	F(REG_PPCNT, pnat, 16, 2) \
	F(REG_PPCNT, grp, 26, 6) \
	F(REG_PPCNT, clr, 32, 1) \
	F(REG_PPCNT, prio_tc, 61, 3) \
	F(REG_PPCNT, counters, 64, 1984)
BFM_ENUM(REG_PPCNT_FIELDS);
#define REG_PPCNT_SIZE 256u

/* Linux sends whatever was on its stack when it reads this. */
#define REG_NODE_DESC_FIELDS(F) \
	F(REG_NODE_DESC, desc, 0, 512)
#define REG_NODE_DESC_SIZE 64u

#define SET_DRIVER_VERSION_IN_FIELDS(F) \
	HCA_HEAD(F, SET_DRIVER_VERSION_IN) \
	F(SET_DRIVER_VERSION_IN, driver_version, 128, 512)
BFM_ENUM(SET_DRIVER_VERSION_IN_FIELDS);
#define SET_DRIVER_VERSION_IN_SIZE 80u
#define SET_DRIVER_VERSION_IN_TEXT 16u
#define DRIVER_VERSION_SIZE 64u

#define QUERY_PAGES_OUT_FIELDS(F) \
	HCA_REPLY(F, QUERY_PAGES_OUT) \
	F(QUERY_PAGES_OUT, embedded_cpu_function, 64, 1) \
	F(QUERY_PAGES_OUT, function_id, 80, 16) \
	F(QUERY_PAGES_OUT, num_pages, 96, 32)
BFM_ENUM(QUERY_PAGES_OUT_FIELDS);
#define QUERY_PAGES_OUT_SIZE 16u

/* MANAGE_PAGES: addresses of 64 bits follow, in the input or in the output. */
#define MANAGE_PAGES_IN_FIELDS(F) \
	HCA_HEAD(F, MANAGE_PAGES_IN) \
	F(MANAGE_PAGES_IN, embedded_cpu_function, 64, 1) \
	F(MANAGE_PAGES_IN, function_id, 80, 16) \
	F(MANAGE_PAGES_IN, input_num_entries, 96, 32)
BFM_ENUM(MANAGE_PAGES_IN_FIELDS);
#define MANAGE_PAGES_IN_SIZE 16u

#define MANAGE_PAGES_OUT_FIELDS(F) \
	HCA_REPLY(F, MANAGE_PAGES_OUT) \
	F(MANAGE_PAGES_OUT, output_num_entries, 64, 32)
BFM_ENUM(MANAGE_PAGES_OUT_FIELDS);
#define MANAGE_PAGES_OUT_SIZE 16u

/* Data of a PAGE_REQUEST event, 28 bytes. */
#define EV_PAGE_REQUEST_FIELDS(F) \
	F(EV_PAGE_REQUEST, ec_function, 0, 1) \
	F(EV_PAGE_REQUEST, release_all, 1, 1) \
	F(EV_PAGE_REQUEST, function_id, 16, 16) \
	F(EV_PAGE_REQUEST, num_pages, 32, 32)
BFM_ENUM(EV_PAGE_REQUEST_FIELDS);

#endif
