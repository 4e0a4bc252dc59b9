/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the device understands: registers, command numbers, statuses, layouts.
 * Only what this driver uses, and no behaviour: numbers, and how to read and
 * write one field. Everything is big-endian for the device; the functions in here
 * are the only place that converts.
 *
 * Fixed structures in shared memory are structs with their offsets asserted.
 * Commands and contexts, which have fields of a few bits everywhere, are byte
 * arrays with one constant per field: BF_FLD(byte offset of its 32-bit word,
 * most significant bit, least significant bit), as the device's manual counts.
 */

#ifndef BLUEFIELD_PRM_H
#define BLUEFIELD_PRM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <rte_byteorder.h>

/* PCI device id of virtual functions; whatever else probes is a physical one. */
#define BF_PCI_ID_VF 0x101e

/*
 * Registers, offsets in BAR 0
 */

#define BF_REG_FW_REV         0x0000 /* 31:16 minor, 15:0 major */
#define BF_REG_CMDIF_FW_SUB   0x0004 /* 31:16 revision of the command interface */
#define BF_REG_CMDQ_ADDR_H    0x0010
#define BF_REG_CMDQ_ADDR_L    0x0014
#define BF_REG_CMD_DOORBELL   0x0018
#define BF_REG_INITIALIZING   0x01fc
#define BF_REG_HEALTH         0x0200 /* assert_var[6] */
#define BF_REG_HEALTH_EXIT    0x0220
#define BF_REG_HEALTH_CALLRA  0x0224
#define BF_REG_HEALTH_TIME    0x022c
#define BF_REG_HEALTH_FW_VER  0x0230
#define BF_REG_HEALTH_HW_ID   0x0234
#define BF_REG_HEALTH_RFR     0x0238 /* 31 reset required, 26:24 severity */
#define BF_REG_HEALTH_SYND    0x023c /* 31:24 core, 23:16 syndrome, 15:0 extended */
#define BF_REG_CMD_Q_INIT_TO  0x0ffc /* 31:29 unit, 19:0 value, 0: not given */
#define BF_REG_HEALTH_COUNTER 0x1010
#define BF_REG_END            0x1014 /* a BAR is at least that long */

#define BF_NB_ASSERT_VARS 6
#define BF_CMDIF_REV 5

/* BF_REG_CMDQ_ADDR_L when read */
#define BF_CMDQ_LOG_STRIDE(v) ((v) & 0xf)
#define BF_CMDQ_LOG_SIZE(v)   (((v) >> 4) & 0xf)
#define BF_NIC_STATE(v)       (((v) >> 8) & 0x7)

enum {
	BF_NIC_FULL = 0,
	BF_NIC_DISABLED = 1,
	BF_NIC_NO_DRAM = 2,
	BF_NIC_SW_RESET = 7,
};

/* BF_REG_INITIALIZING */
#define BF_FW_INITIALIZING 0x80000000u
#define BF_FW_CAN_RESET    0x40000000u /* a physical function may reset firmware */
#define BF_FW_EMBEDDED_CPU 0x00800000u

#define BF_HEALTH_RFR(v)      ((v) >> 31)
#define BF_HEALTH_SEVERITY(v) (((v) >> 24) & 0x7)
#define BF_HEALTH_SYND(v)     (((v) >> 16) & 0xff)
#define BF_HEALTH_EXT_SYND(v) ((v) & 0xffff)
#define BF_HEALTH_COUNTER(v)  ((v) & 0xffffff)

/* Doorbells in a UAR page */
#define BF_UAR_SIZE        4096u
#define BF_UAR_CQ_ARM      0x20
#define BF_UAR_EQ_ARM      0x40 /* consumer index, and arm */
#define BF_UAR_EQ_CI       0x48 /* consumer index only */
#define BF_UAR_SQ          0x800 /* first 8 bytes of the last request */

/*
 * Command queue
 */

#define BF_CMDQ_MAX_LOG_SIZE  5
#define BF_CMDQ_MIN_LOG_STRIDE 6
#define BF_CMDQ_LOG_BYTES     12

#define BF_CMD_TYPE_PCI 7
#define BF_CMD_INLINE   16  /* bytes of input and of output that are in the entry */
#define BF_CMD_OWNER_HW 0x01
#define BF_CMD_DELIVERY(v) ((v) >> 1)
#define BF_MBOX_DATA    512
#define BF_MBOX_STRIDE  1024 /* from one mailbox to the next, here */

struct bf_cmd_entry {
	uint8_t type;
	uint8_t rsvd0[3];
	rte_be32_t in_len;
	rte_be64_t in_ptr;
	uint8_t in[BF_CMD_INLINE];
	uint8_t out[BF_CMD_INLINE];
	rte_be64_t out_ptr;
	rte_be32_t out_len;
	uint8_t token;
	uint8_t signature;
	uint8_t rsvd1;
	uint8_t status_own;
};

_Static_assert(sizeof(struct bf_cmd_entry) == 64, "command entry");
_Static_assert(offsetof(struct bf_cmd_entry, in_len) == 4, "command entry");
_Static_assert(offsetof(struct bf_cmd_entry, in_ptr) == 8, "command entry");
_Static_assert(offsetof(struct bf_cmd_entry, in) == 16, "command entry");
_Static_assert(offsetof(struct bf_cmd_entry, out) == 32, "command entry");
_Static_assert(offsetof(struct bf_cmd_entry, out_ptr) == 48, "command entry");
_Static_assert(offsetof(struct bf_cmd_entry, out_len) == 56, "command entry");
_Static_assert(offsetof(struct bf_cmd_entry, token) == 60, "command entry");
_Static_assert(offsetof(struct bf_cmd_entry, status_own) == 63, "command entry");

struct bf_mbox {
	uint8_t data[BF_MBOX_DATA];
	uint8_t rsvd0[48];
	rte_be64_t next;
	rte_be32_t block_num;
	uint8_t rsvd1;
	uint8_t token;
	uint8_t ctrl_signature;
	uint8_t signature;
};

_Static_assert(sizeof(struct bf_mbox) == 576, "mailbox");
_Static_assert(offsetof(struct bf_mbox, next) == 560, "mailbox");
_Static_assert(offsetof(struct bf_mbox, block_num) == 568, "mailbox");
_Static_assert(offsetof(struct bf_mbox, token) == 573, "mailbox");

enum bf_delivery {
	BF_DELIVERY_OK = 0x0,
	BF_DELIVERY_SIGNATURE = 0x1,
	BF_DELIVERY_TOKEN = 0x2,
	BF_DELIVERY_BLOCK_NUM = 0x3,
	BF_DELIVERY_OUT_ALIGN = 0x4,
	BF_DELIVERY_IN_ALIGN = 0x5,
	BF_DELIVERY_FIRMWARE = 0x6,
	BF_DELIVERY_IN_LEN = 0x7,
	BF_DELIVERY_OUT_LEN = 0x8,
	BF_DELIVERY_RESERVED = 0x9,
	BF_DELIVERY_DESCRIPTOR = 0x10,
};

enum bf_cmd_status {
	BF_STATUS_OK = 0x0,
	BF_STATUS_INTERNAL = 0x1,
	BF_STATUS_BAD_OP = 0x2,
	BF_STATUS_BAD_PARAM = 0x3,
	BF_STATUS_BAD_SYS_STATE = 0x4,
	BF_STATUS_BAD_RES = 0x5,
	BF_STATUS_BUSY = 0x6,
	BF_STATUS_LIMIT = 0x8,
	BF_STATUS_RES_STATE = 0x9,
	BF_STATUS_INDEX = 0xa,
	BF_STATUS_NO_RES = 0xf,
	BF_STATUS_QP_STATE = 0x10,
	BF_STATUS_BAD_PKT = 0x30,
	BF_STATUS_OUT_CQES = 0x40,
	BF_STATUS_IN_LEN = 0x50,
	BF_STATUS_OUT_LEN = 0x51,
};

enum bf_opcode {
	BF_OP_QUERY_HCA_CAP = 0x100,
	BF_OP_QUERY_ADAPTER = 0x101,
	BF_OP_INIT_HCA = 0x102,
	BF_OP_TEARDOWN_HCA = 0x103,
	BF_OP_ENABLE_HCA = 0x104,
	BF_OP_DISABLE_HCA = 0x105,
	BF_OP_QUERY_PAGES = 0x107,
	BF_OP_MANAGE_PAGES = 0x108,
	BF_OP_SET_HCA_CAP = 0x109,
	BF_OP_QUERY_ISSI = 0x10a,
	BF_OP_SET_ISSI = 0x10b,
	BF_OP_CREATE_MKEY = 0x200,
	BF_OP_DESTROY_MKEY = 0x202,
	BF_OP_CREATE_EQ = 0x301,
	BF_OP_DESTROY_EQ = 0x302,
	BF_OP_CREATE_CQ = 0x400,
	BF_OP_DESTROY_CQ = 0x401,
	BF_OP_CREATE_QP = 0x500,
	BF_OP_DESTROY_QP = 0x501,
	BF_OP_RST2INIT_QP = 0x502,
	BF_OP_INIT2RTR_QP = 0x503,
	BF_OP_RTR2RTS_QP = 0x504,
	BF_OP_2ERR_QP = 0x507,
	BF_OP_2RST_QP = 0x50a,
	BF_OP_QUERY_QP = 0x50b,
	BF_OP_QUERY_VPORT_STATE = 0x750,
	BF_OP_QUERY_NIC_VPORT_CONTEXT = 0x754,
	BF_OP_MODIFY_NIC_VPORT_CONTEXT = 0x755,
	BF_OP_QUERY_ROCE_ADDRESS = 0x760,
	BF_OP_SET_ROCE_ADDRESS = 0x761,
	BF_OP_ALLOC_PD = 0x800,
	BF_OP_DEALLOC_PD = 0x801,
	BF_OP_ALLOC_UAR = 0x802,
	BF_OP_DEALLOC_UAR = 0x803,
	BF_OP_ACCESS_REG = 0x805,
	BF_OP_CREATE_RMP = 0x90c,
	BF_OP_DESTROY_RMP = 0x90e,
};

/*
 * One field of a command or a context
 */

#define BF_FLD(byte, msb, lsb) ((uint32_t)(byte) << 16 | (uint32_t)(msb) << 8 | (uint32_t)(lsb))
#define BF_FLD_BYTE(fld) ((fld) >> 16)
#define BF_FLD_MSB(fld) (((fld) >> 8) & 0xff)
#define BF_FLD_LSB(fld) ((fld) & 0xff)
#define BF_FLD_MAX(fld) (UINT32_MAX >> (31 - (BF_FLD_MSB(fld) - BF_FLD_LSB(fld))))

/* p is the start of the structure that the field is in. */
static inline uint32_t
bf_get(const void *p, uint32_t fld)
{
	rte_be32_t word;

	memcpy(&word, (const uint8_t *)p + BF_FLD_BYTE(fld), sizeof(word));
	return (rte_be_to_cpu_32(word) >> BF_FLD_LSB(fld)) & BF_FLD_MAX(fld);
}

/* What does not fit is cut off: the caller has checked it. */
static inline void
bf_set(void *p, uint32_t fld, uint32_t val)
{
	uint8_t *at = (uint8_t *)p + BF_FLD_BYTE(fld);
	uint32_t mask = BF_FLD_MAX(fld) << BF_FLD_LSB(fld);
	rte_be32_t word;

	memcpy(&word, at, sizeof(word));
	word &= rte_cpu_to_be_32(~mask);
	word |= rte_cpu_to_be_32((val << BF_FLD_LSB(fld)) & mask);
	memcpy(at, &word, sizeof(word));
}

static inline uint64_t
bf_get64(const void *p, uint32_t byte)
{
	rte_be64_t val;

	memcpy(&val, (const uint8_t *)p + byte, sizeof(val));
	return rte_be_to_cpu_64(val);
}

static inline void
bf_set64(void *p, uint32_t byte, uint64_t val)
{
	rte_be64_t be = rte_cpu_to_be_64(val);

	memcpy((uint8_t *)p + byte, &be, sizeof(be));
}

/* A MAC address is 16 bits and 32 bits wherever it stands. */
static inline void
bf_get_mac(const void *p, uint32_t byte, uint8_t mac[6])
{
	memcpy(mac, (const uint8_t *)p + byte + 2, 6);
}

static inline void
bf_set_mac(void *p, uint32_t byte, const uint8_t mac[6])
{
	memcpy((uint8_t *)p + byte + 2, mac, 6);
}

/*
 * Layouts. Sizes are of the fixed part; lists follow.
 */

/* Heads of every command and every answer */
#define BF_IN_OPCODE    BF_FLD(0x000, 31, 16)
#define BF_IN_OP_MOD    BF_FLD(0x004, 15, 0)
#define BF_OUT_STATUS   BF_FLD(0x000, 31, 24)
#define BF_OUT_SYNDROME BF_FLD(0x004, 31, 0)
#define BF_OUT_SIZE     16

/* The number of an object: in answers of create, in requests of destroy. */
#define BF_OBJ_ID BF_FLD(0x008, 23, 0)
#define BF_OBJ_EQ_NUMBER BF_FLD(0x008, 7, 0)
#define BF_CREATE_IN_SIZE 0x110 /* of EQ, CQ, QP, MKEY, RMP; then addresses */
#define BF_CREATE_IN_PAS  0x110
#define BF_SMALL_IN_SIZE  16

/* ENABLE_HCA, DISABLE_HCA, QUERY_PAGES, MANAGE_PAGES */
#define BF_FUNC_EMBEDDED_CPU_FUNCTION BF_FLD(0x008, 31, 31)
#define BF_FUNC_FUNCTION_ID           BF_FLD(0x008, 15, 0)

#define BF_QUERY_PAGES_BOOT 1
#define BF_QUERY_PAGES_INIT 2
#define BF_QUERY_PAGES_OUT_NUM_PAGES BF_FLD(0x00c, 31, 0)

#define BF_MANAGE_PAGES_CANT_GIVE 0
#define BF_MANAGE_PAGES_GIVE 1
#define BF_MANAGE_PAGES_TAKE 2
#define BF_MANAGE_PAGES_IN_INPUT_NUM_ENTRIES   BF_FLD(0x00c, 31, 0)
#define BF_MANAGE_PAGES_OUT_OUTPUT_NUM_ENTRIES BF_FLD(0x008, 31, 0)
#define BF_MANAGE_PAGES_PAS 0x010

#define BF_QUERY_ISSI_OUT_SIZE 112
#define BF_QUERY_ISSI_OUT_CURRENT_ISSI BF_FLD(0x008, 15, 0)
#define BF_QUERY_ISSI_OUT_SUPPORTED_ISSI_DW0 BF_FLD(0x06c, 31, 0)
#define BF_SET_ISSI_IN_CURRENT_ISSI BF_FLD(0x008, 15, 0)

#define BF_ACCESS_REG_WRITE 0
#define BF_ACCESS_REG_READ 1
#define BF_ACCESS_REG_IN_SIZE 0x020 /* with a register of 16 bytes */
#define BF_ACCESS_REG_DATA 0x010    /* in the answer, too */
#define BF_ACCESS_REGISTER_IN_REGISTER_ID BF_FLD(0x008, 15, 0)
#define BF_REG_HOST_ENDIANNESS 0x7004 /* all 0: little */
#define BF_PMTU_ID 0x5003
#define BF_PMTU_LOCAL_PORT BF_FLD(0x000, 23, 16)
#define BF_PMTU_OPER_MTU   BF_FLD(0x00c, 31, 16)

#define BF_TEARDOWN_HCA_GRACEFUL 0
#define BF_INIT_HCA_IN_SIZE 0x020

/* QUERY_HCA_CAP, SET_HCA_CAP */
#define BF_CAP_TYPE_GENERAL 0x0
#define BF_CAP_TYPE_ROCE    0x4
#define BF_CAP_OP_MOD(type, cur) ((type) << 1 | (cur))
#define BF_CAP_MAX 0
#define BF_CAP_CUR 1
#define BF_CAP_CMD_DATA  0x010 /* in the answer, and in the request that sets */
#define BF_CAP_SIZE      4096
#define BF_CAP_CMD_SIZE  (BF_CAP_CMD_DATA + BF_CAP_SIZE)

#define BF_CMD_HCA_CAP_PAGE_REQUEST_DISABLE BF_FLD(0x000, 25, 25)
#define BF_CMD_HCA_CAP_VHCA_ID             BF_FLD(0x004, 15, 0)
#define BF_CMD_HCA_CAP_LOG_MAX_SRQ_SZ      BF_FLD(0x010, 31, 24)
#define BF_CMD_HCA_CAP_LOG_MAX_QP_SZ       BF_FLD(0x010, 23, 16)
#define BF_CMD_HCA_CAP_LOG_MAX_QP          BF_FLD(0x010, 4, 0)
#define BF_CMD_HCA_CAP_LOG_MAX_SRQ         BF_FLD(0x014, 20, 16)
#define BF_CMD_HCA_CAP_LOG_MAX_CQ_SZ       BF_FLD(0x018, 23, 16)
#define BF_CMD_HCA_CAP_LOG_MAX_CQ          BF_FLD(0x018, 4, 0)
#define BF_CMD_HCA_CAP_LOG_MAX_EQ_SZ       BF_FLD(0x01c, 31, 24)
#define BF_CMD_HCA_CAP_LOG_MAX_MKEY        BF_FLD(0x01c, 21, 16)
#define BF_CMD_HCA_CAP_LOG_MAX_EQ          BF_FLD(0x01c, 3, 0)
#define BF_CMD_HCA_CAP_VPORT_GROUP_MANAGER BF_FLD(0x034, 31, 31)
#define BF_CMD_HCA_CAP_ESWITCH_MANAGER     BF_FLD(0x034, 24, 24)
#define BF_CMD_HCA_CAP_PORT_TYPE           BF_FLD(0x034, 9, 8)
#define BF_CMD_HCA_CAP_NUM_PORTS           BF_FLD(0x034, 7, 0)
#define BF_CMD_HCA_CAP_LOG_MAX_MSG         BF_FLD(0x038, 28, 24)
#define BF_CMD_HCA_CAP_CQE_VERSION         BF_FLD(0x03c, 3, 0)
#define BF_CMD_HCA_CAP_CMDIF_CHECKSUM      BF_FLD(0x040, 15, 14)
#define BF_CMD_HCA_CAP_ROCE                BF_FLD(0x040, 2, 2)
#define BF_CMD_HCA_CAP_RC                  BF_FLD(0x044, 0, 0)
#define BF_CMD_HCA_CAP_UMEM_UID_0          BF_FLD(0x048, 13, 13)
#define BF_CMD_HCA_CAP_LOG_PG_SZ           BF_FLD(0x048, 7, 0)
#define BF_CMD_HCA_CAP_LOG_MAX_PD          BF_FLD(0x064, 20, 16)
#define BF_CMD_HCA_CAP_LOG_MAX_RMP         BF_FLD(0x070, 28, 24)
#define BF_CMD_HCA_CAP_ROCE_RW_SUPPORTED   BF_FLD(0x074, 30, 30)
#define BF_CMD_HCA_CAP_LOG_MAX_WQ_SZ       BF_FLD(0x078, 4, 0)
#define BF_CMD_HCA_CAP_MAX_NUM_EQS         BF_FLD(0x08c, 15, 0)
#define BF_CMD_HCA_CAP_LOG_UAR_PAGE_SZ     BF_FLD(0x090, 15, 0)
#define BF_CMD_HCA_CAP_DEVICE_FREQUENCY_KHZ BF_FLD(0x09c, 31, 0)
#define BF_CMD_HCA_CAP_NATIVE_PORT_NUM     BF_FLD(0x0c0, 23, 16)
#define BF_CMD_HCA_CAP_NUM_VHCA_PORTS      BF_FLD(0x0c0, 15, 8)

#define BF_PORT_TYPE_IB  0
#define BF_PORT_TYPE_ETH 1

#define BF_ROCE_CAP_SW_R_ROCE_SRC_UDP_PORT BF_FLD(0x000, 27, 27)
#define BF_ROCE_CAP_QP_TS_FORMAT BF_FLD(0x000, 1, 0) /* 0: free running only */
#define BF_ROCE_CAP_ROCE_ADDRESS_TABLE_SIZE BF_FLD(0x01c, 15, 0)

#define BF_QUERY_ADAPTER_OUT_SIZE 0x110
#define BF_QUERY_ADAPTER_OUT_PSID 0x100 /* 16 characters */

#define BF_QUERY_VPORT_STATE_OUT_ADMIN_STATE BF_FLD(0x00c, 7, 4)
#define BF_QUERY_VPORT_STATE_OUT_STATE       BF_FLD(0x00c, 3, 0)
#define BF_VPORT_UP 1

/* Event queues */
#define BF_CREATE_EQ_IN_EQC           0x010
#define BF_CREATE_EQ_IN_EVENT_BITMASK 0x058 /* four words of 64 bits, first types first */
#define BF_EQC_LOG_EQ_SIZE   BF_FLD(0x00c, 28, 24)
#define BF_EQC_UAR_PAGE      BF_FLD(0x00c, 23, 0)
#define BF_EQC_INTR          BF_FLD(0x014, 11, 0)
#define BF_EQC_LOG_PAGE_SIZE BF_FLD(0x018, 28, 24)

struct bf_eqe {
	uint8_t rsvd0;
	uint8_t type;
	uint8_t rsvd1;
	uint8_t sub_type;
	uint8_t rsvd2[28];
	uint8_t data[28];
	uint8_t rsvd3[2];
	uint8_t signature;
	uint8_t owner;
};

_Static_assert(sizeof(struct bf_eqe) == 64, "event");
_Static_assert(offsetof(struct bf_eqe, type) == 1, "event");
_Static_assert(offsetof(struct bf_eqe, sub_type) == 3, "event");
_Static_assert(offsetof(struct bf_eqe, data) == 32, "event");
_Static_assert(offsetof(struct bf_eqe, owner) == 63, "event");

enum bf_event {
	BF_EVENT_COMP = 0x00,
	BF_EVENT_PATH_MIG = 0x01,
	BF_EVENT_COMM_EST = 0x02,
	BF_EVENT_SQ_DRAINED = 0x03,
	BF_EVENT_CQ_ERROR = 0x04,
	BF_EVENT_WQ_CATAS = 0x05,
	BF_EVENT_INTERNAL = 0x08,
	BF_EVENT_PORT_CHANGE = 0x09,
	BF_EVENT_PAGE_REQUEST = 0x0b,
	BF_EVENT_WQ_INVAL_REQ = 0x10,
	BF_EVENT_WQ_ACCESS = 0x11,
	BF_EVENT_SRQ_CATAS = 0x12,
	BF_EVENT_SRQ_LAST_WQE = 0x13,
};

/* Data of events, from its start */
#define BF_EVENT_PAGES_EC        BF_FLD(0x000, 31, 31)
#define BF_EVENT_PAGES_RELEASE   BF_FLD(0x000, 30, 30)
#define BF_EVENT_PAGES_FUNC_ID   BF_FLD(0x000, 15, 0)
#define BF_EVENT_PAGES_NUM       BF_FLD(0x004, 31, 0) /* signed */
#define BF_EVENT_PORT_NUM        BF_FLD(0x008, 31, 28)
#define BF_EVENT_COMP_CQN        BF_FLD(0x018, 23, 0)
#define BF_EVENT_CQ_CQN          BF_FLD(0x000, 23, 0)
#define BF_EVENT_CQ_SYNDROME     BF_FLD(0x008, 7, 0)
#define BF_EVENT_QP_SRQ_NUM      BF_FLD(0x018, 23, 0)

#define BF_PORT_CHANGE_DOWN   1
#define BF_PORT_CHANGE_ACTIVE 4

/* Completion queues */
#define BF_CREATE_CQ_IN_CQC  0x010
#define BF_CQC_CQE_SZ        BF_FLD(0x000, 23, 21) /* 0: 64 bytes */
#define BF_CQC_OI            BF_FLD(0x000, 17, 17)
#define BF_CQC_LOG_CQ_SIZE   BF_FLD(0x00c, 28, 24)
#define BF_CQC_UAR_PAGE      BF_FLD(0x00c, 23, 0)
#define BF_CQC_C_EQN_OR_APU_ELEMENT BF_FLD(0x014, 31, 0)
#define BF_CQC_LOG_PAGE_SIZE BF_FLD(0x018, 28, 24)
#define BF_CQC_DBR_ADDR      0x038
#define BF_CQE_SIZE          64
#define BF_CQE_OP_OWN        63
#define BF_CQE_OP_OWN_INIT   0xf1 /* invalid, and not yet the device's lap */

/* Memory keys */
#define BF_CREATE_MKEY_IN_MKC 0x010
#define BF_CREATE_MKEY_IN_TRANSLATIONS_OCTWORD_ACTUAL_SIZE BF_FLD(0x060, 31, 0)
#define BF_MKC_ACCESS_MODE_1_0 BF_FLD(0x000, 9, 8)
#define BF_MKC_RW              BF_FLD(0x000, 13, 13)
#define BF_MKC_RR              BF_FLD(0x000, 12, 12)
#define BF_MKC_LW              BF_FLD(0x000, 11, 11)
#define BF_MKC_LR              BF_FLD(0x000, 10, 10)
#define BF_MKC_QPN             BF_FLD(0x004, 31, 8)
#define BF_MKC_MKEY_7_0        BF_FLD(0x004, 7, 0)
#define BF_MKC_PD              BF_FLD(0x00c, 23, 0)
#define BF_MKC_START_ADDR      0x010
#define BF_MKC_LEN             0x018
#define BF_MKC_TRANSLATIONS_OCTWORD_SIZE BF_FLD(0x034, 31, 0)
#define BF_MKC_LOG_PAGE_SIZE   BF_FLD(0x038, 4, 0)
#define BF_MKC_ACCESS_MTT 1
#define BF_MTT_READ  1u
#define BF_MTT_WRITE 2u

/* Queue pairs */
#define BF_CREATE_QP_IN_QPC 0x018 /* and of the transitions, and of the query's answer */
#define BF_QUERY_QP_OUT_SIZE 0x110
#define BF_MODIFY_QP_IN_OPTIONS BF_FLD(0x010, 31, 0)
#define BF_QP_OPTIONS_ACCESS 0x0a   /* remote read 0x02, remote write 0x08 */
#define BF_QP_OPTIONS_DATAGRAM 0x30 /* P_Key index 0x10, Q_Key 0x20 */
#define BF_QPC_STATE         BF_FLD(0x000, 31, 28)
#define BF_QPC_ST            BF_FLD(0x000, 23, 16)
#define BF_QPC_PM_STATE      BF_FLD(0x000, 12, 11)
#define BF_QPC_PD            BF_FLD(0x004, 23, 0)
#define BF_QPC_MTU           BF_FLD(0x008, 31, 29)
#define BF_QPC_LOG_MSG_MAX   BF_FLD(0x008, 28, 24)
#define BF_QPC_LOG_RQ_SIZE   BF_FLD(0x008, 22, 19)
#define BF_QPC_LOG_RQ_STRIDE BF_FLD(0x008, 18, 16)
#define BF_QPC_NO_SQ         BF_FLD(0x008, 15, 15)
#define BF_QPC_LOG_SQ_SIZE   BF_FLD(0x008, 14, 11)
#define BF_QPC_TS_FORMAT     BF_FLD(0x008, 7, 6)
#define BF_QPC_UAR_PAGE      BF_FLD(0x00c, 23, 0)
#define BF_QPC_USER_INDEX    BF_FLD(0x010, 23, 0)
#define BF_QPC_LOG_PAGE_SIZE BF_FLD(0x014, 28, 24)
#define BF_QPC_REMOTE_QPN    BF_FLD(0x014, 23, 0)
#define BF_QPC_PRIMARY_ADDRESS_PATH 0x018
#define BF_QPC_LOG_ACK_REQ_FREQ BF_FLD(0x070, 31, 28)
#define BF_QPC_LOG_SRA_MAX   BF_FLD(0x070, 23, 21)
#define BF_QPC_RETRY_COUNT   BF_FLD(0x070, 18, 16)
#define BF_QPC_RNR_RETRY     BF_FLD(0x070, 15, 13)
#define BF_QPC_NEXT_SEND_PSN BF_FLD(0x078, 23, 0)
#define BF_QPC_CQN_SND       BF_FLD(0x07c, 23, 0)
#define BF_QPC_LOG_RRA_MAX   BF_FLD(0x090, 23, 21)
#define BF_QPC_RRE           BF_FLD(0x090, 15, 15)
#define BF_QPC_RWE           BF_FLD(0x090, 14, 14)
#define BF_QPC_MIN_RNR_NAK   BF_FLD(0x094, 28, 24)
#define BF_QPC_NEXT_RCV_PSN  BF_FLD(0x094, 23, 0)
#define BF_QPC_CQN_RCV       BF_FLD(0x09c, 23, 0)
#define BF_QPC_DBR_ADDR      0x0a0
#define BF_QPC_RQ_TYPE       BF_FLD(0x0ac, 26, 24)
#define BF_QPC_SRQN_RMPN_XRQN BF_FLD(0x0ac, 23, 0)
#define BF_QPC_HW_SQ_WQEBB_COUNTER BF_FLD(0x0b4, 31, 16)
#define BF_QPC_SW_SQ_WQEBB_COUNTER BF_FLD(0x0b4, 15, 0)
#define BF_QPC_HW_RQ_COUNTER BF_FLD(0x0b8, 31, 0)
#define BF_QPC_SW_RQ_COUNTER BF_FLD(0x0bc, 31, 0)

#define BF_QPC_Q_KEY         BF_FLD(0x0a8, 31, 0)

#define BF_QP_ST_RC 0
#define BF_QP_ST_UD 2
#define BF_QP_ST_QP1 8
#define BF_QP_QKEY_GSI 0x80010000u /* that every port's QP1 has */
/* What Linux says of datagrams: of QP1, whose messages are 256 bytes, and of others. */
#define BF_QP_MTU_GSI 1
#define BF_QP_LOG_MSG_GSI 8
#define BF_QP_MTU_UD 5
#define BF_QP_LOG_MSG_UD 12
#define BF_QP_PM_MIGRATED 3
#define BF_QP_TS_DEFAULT 1
#define BF_QP_ACK_REQ_FREQ 8 /* log: packets between requests for an acknowledge */
#define BF_QP_RQ_REGULAR 0
#define BF_QP_RQ_SRQ 1
#define BF_QP_RQ_NONE 3
#define BF_QP_USER_INDEX_NONE 0xffffffu
#define BF_SQ_BLOCK 64 /* bytes */
#define BF_SQ_BLOCK_LOG 6

/* Address path in a queue pair's context */
#define BF_ADS_FL             BF_FLD(0x000, 31, 31)
#define BF_ADS_PKEY_INDEX     BF_FLD(0x000, 15, 0)
#define BF_ADS_ACK_TIMEOUT    BF_FLD(0x008, 31, 27)
#define BF_ADS_SRC_ADDR_INDEX BF_FLD(0x008, 23, 16)
#define BF_ADS_HOP_LIMIT      BF_FLD(0x008, 7, 0)
#define BF_ADS_TCLASS         BF_FLD(0x00c, 27, 20)
#define BF_ADS_FLOW_LABEL     BF_FLD(0x00c, 19, 0)
#define BF_ADS_RGID_RIP       0x010
#define BF_ADS_DSCP           BF_FLD(0x020, 21, 16)
#define BF_ADS_UDP_SPORT      BF_FLD(0x020, 15, 0)
#define BF_ADS_VHCA_PORT_NUM  BF_FLD(0x024, 23, 16)
#define BF_ADS_RMAC           0x024 /* as bf_set_mac() has it */

/* Receive memory pools: shared receive queues */
#define BF_CREATE_RMP_IN_CTX 0x020
#define BF_RMPC_STATE        BF_FLD(0x000, 23, 20)
#define BF_RMPC_STATE_RDY    1
#define BF_RMPC_WQ           0x030
#define BF_WQ_WQ_TYPE        BF_FLD(0x000, 31, 28)
#define BF_WQ_TYPE_LINKED    0
#define BF_WQ_PD             BF_FLD(0x008, 23, 0)
#define BF_WQ_DBR_ADDR       0x010
#define BF_WQ_LOG_WQ_STRIDE  BF_FLD(0x020, 19, 16)
#define BF_WQ_LOG_WQ_PG_SZ   BF_FLD(0x020, 12, 8)
#define BF_WQ_LOG_WQ_SZ      BF_FLD(0x020, 4, 0)

struct bf_wqe_srq_next {
	uint8_t rsvd0[2];
	rte_be16_t next_index;
	uint8_t signature;
	uint8_t rsvd1[11];
};

_Static_assert(sizeof(struct bf_wqe_srq_next) == 16, "next segment");
_Static_assert(offsetof(struct bf_wqe_srq_next, next_index) == 2, "next segment");

/*
 * Work requests: segments of 16 bytes. Those of a send queue start on blocks of 64.
 */

#define BF_WQE_SEG 16u
#define BF_WQE_MAX_SEGS 63u     /* 6 bits */
#define BF_WQE_MAX_BLOCKS 16u

struct bf_wqe_ctrl {
	rte_be32_t index_opcode;        /* 23:8 block that it starts on, 7:0 opcode */
	rte_be32_t qpn_segs;            /* 31:8 queue pair, 5:0 segments, this one included */
	uint8_t signature;
	uint8_t rsvd[2];
	uint8_t flags;
	rte_be32_t imm;
};

_Static_assert(sizeof(struct bf_wqe_ctrl) == BF_WQE_SEG, "control segment");
_Static_assert(offsetof(struct bf_wqe_ctrl, qpn_segs) == 4, "control segment");
_Static_assert(offsetof(struct bf_wqe_ctrl, flags) == 11, "control segment");
_Static_assert(offsetof(struct bf_wqe_ctrl, imm) == 12, "control segment");

#define BF_WQE_SEND     0x0a
#define BF_WQE_SEND_IMM 0x0b
#define BF_WQE_F_CQE       0x08 /* a completion, also on success */
#define BF_WQE_F_SOLICITED 0x02

struct bf_wqe_data {
	rte_be32_t len;                 /* 0 would be 2 GiB */
	rte_be32_t lkey;
	rte_be64_t addr;
};

_Static_assert(sizeof(struct bf_wqe_data) == BF_WQE_SEG, "data segment");
_Static_assert(offsetof(struct bf_wqe_data, lkey) == 4, "data segment");
_Static_assert(offsetof(struct bf_wqe_data, addr) == 8, "data segment");

#define BF_WQE_LKEY_NONE 0x100u /* ends a receive request that is not full */
#define BF_WQE_INLINE 0x80000000u /* with the length, in 4 bytes before the data itself */

/* Where a datagram goes; three segments. */
struct bf_wqe_av {
	rte_be32_t qkey;
	uint8_t rsvd0[4];
	rte_be32_t qpn;                 /* 23:0, with BF_AV_EXTENDED */
	uint8_t rate_sl;                /* 7:4 rate, 3:0 service level: on RoCE << 1 */
	uint8_t path_bits;              /* InfiniBand */
	rte_be16_t udp_sport;           /* InfiniBand: LID */
	uint8_t rsvd1[4];
	uint8_t mac[6];
	uint8_t tclass;
	uint8_t hop_limit;
	rte_be32_t grh;                 /* BF_AV_GRH, 27:20 index of our address, 19:0 flow label */
	uint8_t gid[16];
};

_Static_assert(sizeof(struct bf_wqe_av) == 3 * BF_WQE_SEG, "address vector");
_Static_assert(offsetof(struct bf_wqe_av, qpn) == 8, "address vector");
_Static_assert(offsetof(struct bf_wqe_av, rate_sl) == 12, "address vector");
_Static_assert(offsetof(struct bf_wqe_av, udp_sport) == 14, "address vector");
_Static_assert(offsetof(struct bf_wqe_av, mac) == 20, "address vector");
_Static_assert(offsetof(struct bf_wqe_av, tclass) == 26, "address vector");
_Static_assert(offsetof(struct bf_wqe_av, hop_limit) == 27, "address vector");
_Static_assert(offsetof(struct bf_wqe_av, grh) == 28, "address vector");
_Static_assert(offsetof(struct bf_wqe_av, gid) == 32, "address vector");

#define BF_AV_EXTENDED 0x80000000u
#define BF_AV_GRH 0x40000000u

/*
 * Completions
 */

struct bf_cqe {
	uint8_t rsvd0[24];
	rte_be32_t flags_src_qpn;       /* datagrams: 29:28 GRH, 25:24 kind of it, 23:0 source */
	uint8_t rsvd1[4];
	rte_be32_t user_index;          /* 23:0, of the queue pair; version 1 of completions */
	rte_be32_t imm;
	uint8_t rsvd2[4];
	rte_be32_t byte_cnt;
	uint8_t rsvd3[6];               /* with the next two, a time stamp, if there is no error */
	uint8_t vendor_syndrome;
	uint8_t syndrome;
	rte_be32_t opcode_qpn;          /* 31:24 of the request, 23:0 queue pair */
	rte_be16_t wqe_counter;
	uint8_t signature;
	uint8_t op_own;                 /* 7:4 opcode, 1 solicited, 0 owner */
};

/* Kinds of the header with addresses: 0 is RoCE version 1. */
#define BF_CQE_L3_IPV6 1
#define BF_CQE_L3_IPV4 2

_Static_assert(sizeof(struct bf_cqe) == BF_CQE_SIZE, "completion");
_Static_assert(offsetof(struct bf_cqe, flags_src_qpn) == 24, "completion");
_Static_assert(offsetof(struct bf_cqe, user_index) == 32, "completion");
_Static_assert(offsetof(struct bf_cqe, imm) == 36, "completion");
_Static_assert(offsetof(struct bf_cqe, byte_cnt) == 44, "completion");
_Static_assert(offsetof(struct bf_cqe, syndrome) == 55, "completion");
_Static_assert(offsetof(struct bf_cqe, opcode_qpn) == 56, "completion");
_Static_assert(offsetof(struct bf_cqe, wqe_counter) == 60, "completion");
_Static_assert(offsetof(struct bf_cqe, op_own) == BF_CQE_OP_OWN, "completion");

#define BF_CQE_OWNER 0x01
#define BF_CQE_SOLICITED 0x02           /* of a receive queue: the sender wants it so */

enum bf_cqe_opcode {
	BF_CQE_REQ = 0x0,               /* of a send queue */
	BF_CQE_RESP_WRITE_IMM = 0x1,
	BF_CQE_RESP_SEND = 0x2,
	BF_CQE_RESP_SEND_IMM = 0x3,
	BF_CQE_RESP_SEND_INV = 0x4,     /* SEND that has a remote key invalidated */
	BF_CQE_REQ_ERR = 0xd,
	BF_CQE_RESP_ERR = 0xe,
	BF_CQE_INVALID = 0xf,
};

enum bf_cqe_syndrome {
	BF_SYND_LOCAL_LEN = 0x01,
	BF_SYND_LOCAL_QP_OP = 0x02,
	BF_SYND_LOCAL_PROT = 0x04,
	BF_SYND_FLUSHED = 0x05,
	BF_SYND_MW_BIND = 0x06,
	BF_SYND_BAD_RESP = 0x10,
	BF_SYND_LOCAL_ACCESS = 0x11,
	BF_SYND_REMOTE_INVAL = 0x12,
	BF_SYND_REMOTE_ACCESS = 0x13,
	BF_SYND_REMOTE_OP = 0x14,
	BF_SYND_RETRY = 0x15,           /* nobody answers */
	BF_SYND_RNR_RETRY = 0x16,
	BF_SYND_ABORTED = 0x22,
};

/*
 * The arm word of a completion queue, in its record and in the doorbell: how many events
 * there were in 29:28, and behind which completion the next one is due. All other bits
 * 0: any completion.
 */
#define BF_CQ_ARM_SN_SHIFT 28
#define BF_CQ_ARM_SN_MASK 3u
#define BF_CQ_ARM_SOLICITED (1u << 24)
#define BF_CQ_CI_MASK 0xffffffu

/* Vport and RoCE addresses */
#define BF_QUERY_NIC_VPORT_OUT_SIZE 0x110
#define BF_QUERY_NIC_VPORT_OUT_CTX  0x010
#define BF_MODIFY_NIC_VPORT_IN_SIZE 0x200
#define BF_MODIFY_NIC_VPORT_IN_CTX  0x100
#define BF_MODIFY_NIC_VPORT_FIELD_SELECT_ROCE_EN BF_FLD(0x00c, 1, 1)
#define BF_NIC_VPORT_CONTEXT_ROCE_EN BF_FLD(0x000, 0, 0)
#define BF_NIC_VPORT_CONTEXT_MTU     BF_FLD(0x024, 15, 0)
#define BF_NIC_VPORT_CONTEXT_PERMANENT_ADDRESS 0x0f4

#define BF_ROCE_ADDRESS_IN_ROCE_ADDRESS_INDEX BF_FLD(0x008, 31, 16)
#define BF_ROCE_ADDRESS_IN_VHCA_PORT_NUM      BF_FLD(0x008, 3, 0)
#define BF_ROCE_L3_IPV4 0
#define BF_ROCE_L3_IPV6 1
#define BF_ROCE_ADDRESS_CMD_SIZE 0x030 /* to set, and the answer to a query */
#define BF_ROCE_ADDRESS_CMD_ADDR 0x010
#define BF_ROCE_ADDR_LAYOUT_SOURCE_L3_ADDRESS 0x000
#define BF_ROCE_ADDR_LAYOUT_VLAN_VALID   BF_FLD(0x010, 28, 28)
#define BF_ROCE_ADDR_LAYOUT_VLAN_ID      BF_FLD(0x010, 27, 16)
#define BF_ROCE_ADDR_LAYOUT_SOURCE_MAC   0x010
#define BF_ROCE_ADDR_LAYOUT_ROCE_L3_TYPE BF_FLD(0x018, 11, 8)
#define BF_ROCE_ADDR_LAYOUT_ROCE_VERSION BF_FLD(0x018, 7, 0)

#endif
