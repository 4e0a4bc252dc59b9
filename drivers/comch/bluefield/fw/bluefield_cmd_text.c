/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* What commands, their status and their delivery are called. */

#include "bluefield_cmd.h"

const char *
bf_cmd_name(uint16_t opcode)
{
	switch (opcode) {
	case BF_OP_QUERY_HCA_CAP: return "QUERY_HCA_CAP";
	case BF_OP_QUERY_ADAPTER: return "QUERY_ADAPTER";
	case BF_OP_INIT_HCA: return "INIT_HCA";
	case BF_OP_TEARDOWN_HCA: return "TEARDOWN_HCA";
	case BF_OP_ENABLE_HCA: return "ENABLE_HCA";
	case BF_OP_DISABLE_HCA: return "DISABLE_HCA";
	case BF_OP_QUERY_PAGES: return "QUERY_PAGES";
	case BF_OP_MANAGE_PAGES: return "MANAGE_PAGES";
	case BF_OP_SET_HCA_CAP: return "SET_HCA_CAP";
	case BF_OP_QUERY_ISSI: return "QUERY_ISSI";
	case BF_OP_SET_ISSI: return "SET_ISSI";
	case BF_OP_CREATE_MKEY: return "CREATE_MKEY";
	case BF_OP_DESTROY_MKEY: return "DESTROY_MKEY";
	case BF_OP_CREATE_EQ: return "CREATE_EQ";
	case BF_OP_DESTROY_EQ: return "DESTROY_EQ";
	case BF_OP_CREATE_CQ: return "CREATE_CQ";
	case BF_OP_DESTROY_CQ: return "DESTROY_CQ";
	case BF_OP_CREATE_QP: return "CREATE_QP";
	case BF_OP_DESTROY_QP: return "DESTROY_QP";
	case BF_OP_RST2INIT_QP: return "RST2INIT_QP";
	case BF_OP_INIT2RTR_QP: return "INIT2RTR_QP";
	case BF_OP_RTR2RTS_QP: return "RTR2RTS_QP";
	case BF_OP_2ERR_QP: return "2ERR_QP";
	case BF_OP_2RST_QP: return "2RST_QP";
	case BF_OP_QUERY_QP: return "QUERY_QP";
	case BF_OP_QUERY_VPORT_STATE: return "QUERY_VPORT_STATE";
	case BF_OP_QUERY_NIC_VPORT_CONTEXT: return "QUERY_NIC_VPORT_CONTEXT";
	case BF_OP_MODIFY_NIC_VPORT_CONTEXT: return "MODIFY_NIC_VPORT_CONTEXT";
	case BF_OP_QUERY_ROCE_ADDRESS: return "QUERY_ROCE_ADDRESS";
	case BF_OP_SET_ROCE_ADDRESS: return "SET_ROCE_ADDRESS";
	case BF_OP_ALLOC_PD: return "ALLOC_PD";
	case BF_OP_DEALLOC_PD: return "DEALLOC_PD";
	case BF_OP_ALLOC_UAR: return "ALLOC_UAR";
	case BF_OP_DEALLOC_UAR: return "DEALLOC_UAR";
	case BF_OP_ACCESS_REG: return "ACCESS_REG";
	case BF_OP_CREATE_RMP: return "CREATE_RMP";
	case BF_OP_DESTROY_RMP: return "DESTROY_RMP";
	default: return "unknown command";
	}
}

const char *
bf_cmd_status_text(uint8_t status)
{
	switch (status) {
	case BF_STATUS_OK: return "ok";
	case BF_STATUS_INTERNAL: return "internal error";
	case BF_STATUS_BAD_OP: return "bad operation";
	case BF_STATUS_BAD_PARAM: return "bad parameter";
	case BF_STATUS_BAD_SYS_STATE: return "bad system state";
	case BF_STATUS_BAD_RES: return "bad resource";
	case BF_STATUS_BUSY: return "resource busy";
	case BF_STATUS_LIMIT: return "limit exceeded";
	case BF_STATUS_RES_STATE: return "bad resource state";
	case BF_STATUS_INDEX: return "bad index";
	case BF_STATUS_NO_RES: return "no resources";
	case BF_STATUS_QP_STATE: return "bad queue pair state";
	case BF_STATUS_BAD_PKT: return "bad packet";
	case BF_STATUS_OUT_CQES: return "completion queue too small";
	case BF_STATUS_IN_LEN: return "bad input length";
	case BF_STATUS_OUT_LEN: return "bad output length";
	default: return "unknown status";
	}
}

const char *
bf_cmd_delivery_text(uint8_t delivery)
{
	switch (delivery) {
	case BF_DELIVERY_OK: return "ok";
	case BF_DELIVERY_SIGNATURE: return "bad signature";
	case BF_DELIVERY_TOKEN: return "bad token";
	case BF_DELIVERY_BLOCK_NUM: return "bad block number";
	case BF_DELIVERY_OUT_ALIGN: return "output mailbox not aligned";
	case BF_DELIVERY_IN_ALIGN: return "input mailbox not aligned";
	case BF_DELIVERY_FIRMWARE: return "firmware internal error";
	case BF_DELIVERY_IN_LEN: return "bad input length";
	case BF_DELIVERY_OUT_LEN: return "bad output length";
	case BF_DELIVERY_RESERVED: return "reserved field not clear";
	case BF_DELIVERY_DESCRIPTOR: return "bad descriptor type";
	default: return "unknown delivery status";
	}
}
