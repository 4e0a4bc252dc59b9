/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What is said to firmware to bring a function up, and to take it down: one
 * function per step, and the order of steps, which is that of the Linux driver.
 * When to do so, and what if it fails, is in bluefield_func.c.
 */

#include <ctype.h>
#include <errno.h>

#include <rte_bitops.h>
#include <rte_common.h>
#include <rte_cycles.h>

#include "bluefield_func_priv.h"

/* Numbers of objects have 24 bits. */
#define BOOT_MAX_LOG 24u

#define BOOT_ISSI 1

/* A command of 16 bytes both ways. */
static int
boot_exec_small(struct bf_func *func, uint8_t *in, uint16_t opcode)
{
	uint8_t out[BF_OUT_SIZE];

	bf_set(in, BF_IN_OPCODE, opcode);
	return bf_func_exec(func, in, BF_SMALL_IN_SIZE, out, sizeof(out));
}

/* One of the first commands: firmware that is not ready yet says so, and is asked again. */
static int
boot_exec_first(struct bf_func *func, uint8_t *in, uint8_t *out, uint32_t out_len)
{
	struct bf_cmd cmd = {
		.in = in, .in_len = BF_SMALL_IN_SIZE, .out = out, .out_len = out_len,
		.expected = BF_STATUS_BAD_SYS_STATE,
	};
	uint64_t end = bf_now_ms() + BF_BOOT_STATE_MS;
	int ret;

	for (;;) {
		ret = bf_func_cmd(func, BF_CMD_NORMAL, &cmd);
		if (ret == 0 || cmd.status != BF_STATUS_BAD_SYS_STATE)
			return ret;
		if (bf_now_ms() >= end)
			break;
		rte_delay_us_sleep(BF_BOOT_STATE_POLL_US);
	}
	BF_LOG(ERR, "%s: %s: bad system state (syndrome 0x%08x), for %u ms", BF_NAME(func),
		bf_cmd_name(bf_get(in, BF_IN_OPCODE)), cmd.syndrome, BF_BOOT_STATE_MS);
	return ret;
}

/* What the register says of the time that firmware needs for a command queue. */
static uint32_t
boot_cmdq_init_ms(struct bf_func *func)
{
	uint32_t val = func->hw->ops->read32(func->hw, BF_REG_CMD_Q_INIT_TO);
	static const uint32_t unit_ms[] = { 1, 1000, 60000, 3600000 };
	uint64_t ms;

	if (val == 0 || val == BF_ALL_ONES)
		return BF_CMDQ_INIT_MS;
	ms = (uint64_t)(val & 0xfffff) * unit_ms[(val >> 29) & 3];
	return RTE_MIN(ms, func->conf.fw_timeout_ms);
}

/*
 * Steps of bring-up
 */

static int
boot_enable(struct bf_func *func, bool enable)
{
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };
	uint8_t out[BF_OUT_SIZE];

	bf_set(in, BF_FUNC_EMBEDDED_CPU_FUNCTION, func->ec);
	bf_set(in, BF_FUNC_FUNCTION_ID, 0);
	if (!enable)
		return boot_exec_small(func, in, BF_OP_DISABLE_HCA);
	bf_set(in, BF_IN_OPCODE, BF_OP_ENABLE_HCA);
	return boot_exec_first(func, in, out, sizeof(out));
}

static int
boot_set_issi(struct bf_func *func)
{
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };
	uint8_t out[BF_QUERY_ISSI_OUT_SIZE];
	uint32_t issi;
	int ret;

	bf_set(in, BF_IN_OPCODE, BF_OP_QUERY_ISSI);
	ret = boot_exec_first(func, in, out, sizeof(out));
	if (ret != 0)
		return ret;
	func->stage = BF_STAGE_ISSI;
	issi = bf_get(out, BF_QUERY_ISSI_OUT_SUPPORTED_ISSI_DW0);
	if ((issi & RTE_BIT32(BOOT_ISSI)) == 0) {
		BF_LOG(ERR, "%s: firmware has interface versions 0x%x, this driver needs %u; "
			"update the card's firmware", BF_NAME(func), issi, BOOT_ISSI);
		return -ENOTSUP;
	}
	memset(in, 0, sizeof(in));
	bf_set(in, BF_SET_ISSI_IN_CURRENT_ISSI, BOOT_ISSI);
	return boot_exec_small(func, in, BF_OP_SET_ISSI);
}

static int
boot_set_endianness(struct bf_func *func)
{
	uint8_t in[BF_ACCESS_REG_IN_SIZE] = { 0 };
	uint8_t out[BF_ACCESS_REG_IN_SIZE];

	/* of the whole device: a virtual function has no say */
	if (bf_func_is_vf(func))
		return 0;
	bf_set(in, BF_IN_OPCODE, BF_OP_ACCESS_REG);
	bf_set(in, BF_IN_OP_MOD, BF_ACCESS_REG_WRITE);
	bf_set(in, BF_ACCESS_REGISTER_IN_REGISTER_ID, BF_REG_HOST_ENDIANNESS);
	return bf_func_exec(func, in, sizeof(in), out, sizeof(out));
}

/* cap has room for the whole answer, BF_CAP_CMD_SIZE. */
static int
boot_query_cap(struct bf_func *func, uint8_t *cap, uint16_t type, uint16_t which)
{
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };

	bf_set(in, BF_IN_OPCODE, BF_OP_QUERY_HCA_CAP);
	bf_set(in, BF_IN_OP_MOD, BF_CAP_OP_MOD(type, which));
	return bf_func_exec(func, in, sizeof(in), cap, BF_CAP_CMD_SIZE);
}

/* roce: RoCE will be on. */
static int
boot_set_caps(struct bf_func *func, bool *roce)
{
	uint8_t in[BF_CAP_CMD_SIZE], max[BF_CAP_CMD_SIZE], out[BF_OUT_SIZE];
	uint8_t *set = in + BF_CAP_CMD_DATA;
	int ret;

	ret = boot_query_cap(func, in, BF_CAP_TYPE_GENERAL, BF_CAP_CUR);
	if (ret == 0)
		ret = boot_query_cap(func, max, BF_CAP_TYPE_GENERAL, BF_CAP_MAX);
	if (ret != 0)
		return ret;
	memset(in, 0, BF_CAP_CMD_DATA);
	bf_set(in, BF_IN_OPCODE, BF_OP_SET_HCA_CAP);
	bf_set(in, BF_IN_OP_MOD, BF_CAP_OP_MOD(BF_CAP_TYPE_GENERAL, 0));
	/* as it is, but for: no signatures, doorbell pages of 4 KiB, RoCE on */
	bf_set(set, BF_CMD_HCA_CAP_CMDIF_CHECKSUM, 0);
	bf_set(set, BF_CMD_HCA_CAP_LOG_UAR_PAGE_SZ, 0);
	if (bf_get(set, BF_CMD_HCA_CAP_ROCE_RW_SUPPORTED) != 0 &&
	    bf_get(max + BF_CAP_CMD_DATA, BF_CMD_HCA_CAP_ROCE) != 0)
		bf_set(set, BF_CMD_HCA_CAP_ROCE, 1);
	*roce = bf_get(set, BF_CMD_HCA_CAP_ROCE) != 0;
	return bf_func_exec(func, in, sizeof(in), out, sizeof(out));
}

/*
 * Paths that name a UDP source port need this first; the Linux driver sets it, too.
 * What firmware does with such a path otherwise is not known.
 */
static int
boot_set_roce_caps(struct bf_func *func, bool roce)
{
	uint8_t in[BF_CAP_CMD_SIZE], max[BF_CAP_CMD_SIZE], out[BF_OUT_SIZE];
	uint8_t *set = in + BF_CAP_CMD_DATA;
	int ret;

	if (!roce)
		return 0;
	ret = boot_query_cap(func, in, BF_CAP_TYPE_ROCE, BF_CAP_CUR);
	if (ret == 0)
		ret = boot_query_cap(func, max, BF_CAP_TYPE_ROCE, BF_CAP_MAX);
	if (ret != 0)
		return ret;
	if (bf_get(set, BF_ROCE_CAP_SW_R_ROCE_SRC_UDP_PORT) != 0 ||
	    bf_get(max + BF_CAP_CMD_DATA, BF_ROCE_CAP_SW_R_ROCE_SRC_UDP_PORT) == 0)
		return 0;
	memset(in, 0, BF_CAP_CMD_DATA);
	bf_set(in, BF_IN_OPCODE, BF_OP_SET_HCA_CAP);
	bf_set(in, BF_IN_OP_MOD, BF_CAP_OP_MOD(BF_CAP_TYPE_ROCE, 0));
	bf_set(set, BF_ROCE_CAP_SW_R_ROCE_SRC_UDP_PORT, 1);
	return bf_func_exec(func, in, sizeof(in), out, sizeof(out));
}

static int
boot_init_hca(struct bf_func *func)
{
	uint8_t in[BF_INIT_HCA_IN_SIZE] = { 0 };
	uint8_t out[BF_OUT_SIZE];

	bf_set(in, BF_IN_OPCODE, BF_OP_INIT_HCA);
	return bf_func_exec(func, in, sizeof(in), out, sizeof(out));
}

static uint32_t
cap_count(const uint8_t *cap, uint32_t fld)
{
	return 1u << RTE_MIN(bf_get(cap, fld), BOOT_MAX_LOG);
}

static int
boot_check_caps(struct bf_func *func, const uint8_t *cap)
{
	const char *what = NULL;

	if (bf_get(cap, BF_CMD_HCA_CAP_NUM_PORTS) == 0)
		what = "no port";
	else if (bf_get(cap, BF_CMD_HCA_CAP_PORT_TYPE) > BF_PORT_TYPE_ETH)
		what = "a port that is neither Ethernet nor InfiniBand";
	else if (bf_get(cap, BF_CMD_HCA_CAP_RC) == 0)
		what = "no reliable connections";
	else if (bf_get(cap, BF_CMD_HCA_CAP_LOG_PG_SZ) > 12)
		what = "pages larger than 4 KiB only";
	else if (bf_get(cap, BF_CMD_HCA_CAP_LOG_UAR_PAGE_SZ) != 0)
		what = "doorbell pages larger than 4 KiB";
	else if (bf_get(cap, BF_CMD_HCA_CAP_CMDIF_CHECKSUM) != 0)
		what = "a command interface that insists on signatures";
	if (what == NULL)
		return 0;
	BF_LOG(ERR, "%s: the function has %s: this driver cannot use it; use another function, or "
		"update the card's firmware", BF_NAME(func), what);
	return -ENOTSUP;
}

static int
boot_read_caps(struct bf_func *func, struct bf_func_caps *caps)
{
	uint8_t out[BF_CAP_CMD_SIZE];
	const uint8_t *cap = out + BF_CAP_CMD_DATA;
	int ret;

	ret = boot_query_cap(func, out, BF_CAP_TYPE_GENERAL, BF_CAP_CUR);
	if (ret == 0)
		ret = boot_check_caps(func, cap);
	if (ret != 0)
		return ret;
	caps->ecpf = func->ec;
	caps->eswitch_manager = bf_get(cap, BF_CMD_HCA_CAP_ESWITCH_MANAGER);
	caps->ib_port = bf_get(cap, BF_CMD_HCA_CAP_PORT_TYPE) == BF_PORT_TYPE_IB;
	caps->roce = bf_get(cap, BF_CMD_HCA_CAP_ROCE);
	caps->no_page_requests = bf_get(cap, BF_CMD_HCA_CAP_PAGE_REQUEST_DISABLE);
	caps->nb_ports = bf_get(cap, BF_CMD_HCA_CAP_NUM_VHCA_PORTS);
	/* of several the function may have another than the first, as Linux has it */
	caps->port = caps->nb_ports > 1 ? bf_get(cap, BF_CMD_HCA_CAP_NATIVE_PORT_NUM) : 0;
	if (caps->port == 0)
		caps->port = 1;
	caps->vhca_id = bf_get(cap, BF_CMD_HCA_CAP_VHCA_ID);
	caps->max_qp = cap_count(cap, BF_CMD_HCA_CAP_LOG_MAX_QP);
	caps->max_cq = cap_count(cap, BF_CMD_HCA_CAP_LOG_MAX_CQ);
	caps->max_eq = bf_get(cap, BF_CMD_HCA_CAP_MAX_NUM_EQS);
	if (caps->max_eq == 0)
		caps->max_eq = cap_count(cap, BF_CMD_HCA_CAP_LOG_MAX_EQ);
	caps->max_qp_sz = cap_count(cap, BF_CMD_HCA_CAP_LOG_MAX_QP_SZ);
	caps->max_cq_sz = cap_count(cap, BF_CMD_HCA_CAP_LOG_MAX_CQ_SZ);
	caps->max_srq_sz = cap_count(cap, BF_CMD_HCA_CAP_LOG_MAX_SRQ_SZ);
	caps->max_msg = UINT64_C(1) << bf_get(cap, BF_CMD_HCA_CAP_LOG_MAX_MSG);
	__atomic_store_n(&func->cqe_version, bf_get(cap, BF_CMD_HCA_CAP_CQE_VERSION),
		__ATOMIC_RELAXED);
	if (!caps->roce)
		return 0;
	ret = boot_query_cap(func, out, BF_CAP_TYPE_ROCE, BF_CAP_CUR);
	if (ret != 0)
		return ret;
	caps->roce_addr_table_size = bf_get(cap, BF_ROCE_CAP_ROCE_ADDRESS_TABLE_SIZE);
	caps->udp_sport = bf_get(cap, BF_ROCE_CAP_SW_R_ROCE_SRC_UDP_PORT);
	__atomic_store_n(&func->qp_ts_format,
		bf_get(cap, BF_ROCE_CAP_QP_TS_FORMAT) != 0 ? BF_QP_TS_DEFAULT : 0,
		__ATOMIC_RELAXED);
	return 0;
}

/* Optional: a function that refuses it works all the same. */
static bool
boot_query_quiet(struct bf_func *func, uint16_t opcode, uint8_t *out, uint32_t out_len)
{
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };
	struct bf_cmd cmd = {
		.in = in, .in_len = sizeof(in), .out = out, .out_len = out_len, .quiet = true,
	};

	bf_set(in, BF_IN_OPCODE, opcode);
	return bf_func_cmd(func, BF_CMD_NORMAL, &cmd) == 0;
}

static void
boot_read_board(struct bf_func *func, struct bf_func_caps *caps)
{
	uint8_t out[BF_QUERY_ADAPTER_OUT_SIZE] = { 0 };
	uint32_t i, len = sizeof(caps->board_id) - 1;

	/* without an answer there is no name either */
	boot_query_quiet(func, BF_OP_QUERY_ADAPTER, out, sizeof(out));
	memcpy(caps->board_id, out + BF_QUERY_ADAPTER_OUT_PSID, len);
	for (i = 0; i < len && isgraph((unsigned char)caps->board_id[i]); i++)
		;
	memset(caps->board_id + i, 0, sizeof(caps->board_id) - i);
}

/* An InfiniBand port has a vport of another kind. */
static void
boot_read_vport(struct bf_func *func, struct bf_func_caps *caps)
{
	uint8_t out[BF_QUERY_NIC_VPORT_OUT_SIZE];

	if (caps->ib_port)
		return;
	caps->has_vport = boot_query_quiet(func, BF_OP_QUERY_NIC_VPORT_CONTEXT, out, sizeof(out));
	if (caps->has_vport)
		bf_get_mac(out + BF_QUERY_NIC_VPORT_OUT_CTX, BF_NIC_VPORT_CONTEXT_PERMANENT_ADDRESS,
			caps->mac);
}

/* When events of the port come already: none is missed. */
static void
boot_read_port(struct bf_func *func)
{
	uint8_t out[BF_OUT_SIZE];
	bool known = boot_query_quiet(func, BF_OP_QUERY_VPORT_STATE, out, sizeof(out));

	__atomic_store_n(&func->caps.port_state,
		!known || bf_get(out, BF_QUERY_VPORT_STATE_OUT_STATE) == BF_VPORT_UP,
		__ATOMIC_RELAXED);
}

/*
 * Other threads read capabilities at any time. After a reset they are what they
 * were, unless the card has other firmware by now.
 */
static void
boot_caps_set(struct bf_func *func, struct bf_func_caps *caps)
{
	caps->port_state = __atomic_load_n(&func->caps.port_state, __ATOMIC_RELAXED);
	if (memcmp(&func->caps, caps, sizeof(*caps)) != 0)
		memcpy(&func->caps, caps, sizeof(*caps));
}

/* What the function is, from firmware that is initialised. */
static int
boot_learn(struct bf_func *func, struct bf_func_caps *caps)
{
	int ret;

	ret = boot_read_caps(func, caps);
	if (ret != 0)
		return ret;
	boot_read_board(func, caps);
	boot_read_vport(func, caps);
	ret = bf_func_status(func, NULL);
	if (ret == 0)
		boot_caps_set(func, caps);
	return ret;
}

static int
boot_alloc_uar(struct bf_func *func)
{
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };
	uint8_t out[BF_OUT_SIZE];
	uint32_t uar;
	int ret;

	bf_set(in, BF_IN_OPCODE, BF_OP_ALLOC_UAR);
	ret = bf_func_exec(func, in, sizeof(in), out, sizeof(out));
	if (ret != 0)
		return ret;
	uar = bf_get(out, BF_OBJ_ID);
	func->eq.uar = uar;
	func->stage = BF_STAGE_UAR;
	if (uar >= func->hw->bar_size / BF_UAR_SIZE) {
		BF_LOG(ERR, "%s: ALLOC_UAR: doorbell page 0x%x is outside of the BAR (%u bytes); "
			"reset the card", BF_NAME(func), uar, func->hw->bar_size);
		return -EIO;
	}
	return 0;
}

static int
boot_dealloc_uar(struct bf_func *func)
{
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };

	bf_set(in, BF_OBJ_ID, func->eq.uar);
	return boot_exec_small(func, in, BF_OP_DEALLOC_UAR);
}

static int
boot_teardown_hca(struct bf_func *func)
{
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };

	/* the profile is in the field of function ids */
	bf_set(in, BF_FUNC_FUNCTION_ID, BF_TEARDOWN_HCA_GRACEFUL);
	return boot_exec_small(func, in, BF_OP_TEARDOWN_HCA);
}

/* Registers, up to where commands work and the function is enabled. */
static int
boot_start(struct bf_func *func, struct bf_func_caps *caps)
{
	struct bf_hw *hw = func->hw;
	uint32_t val;
	bool ec;
	int ret;

	if (hw->bar_size % BF_UAR_SIZE != 0) {
		BF_LOG(ERR, "%s: BAR 0 of %u bytes is not that of a BlueField function; check the "
			"device", hw->name, hw->bar_size);
		return -ENOTSUP;
	}
	ret = bf_ready(func);
	if (ret != 0)
		return ret;
	val = hw->ops->read32(hw, BF_REG_FW_REV);
	caps->fw_major = val & UINT16_MAX;
	caps->fw_minor = val >> 16;
	caps->fw_subminor = hw->ops->read32(hw, BF_REG_CMDIF_FW_SUB) & UINT16_MAX;
	ret = bf_cmdq_start(func->cmdq);
	if (ret != 0)
		return ret;
	rte_delay_us_sleep(BF_CMDQ_SETTLE_US);
	ret = bf_ready_fw(func, boot_cmdq_init_ms(func));
	if (ret != 0)
		return ret;
	ec = (hw->ops->read32(hw, BF_REG_INITIALIZING) & BF_FW_EMBEDDED_CPU) != 0;
	if (func->ec != ec)
		func->ec = ec;
	func->stage = BF_STAGE_CMDQ;
	ret = boot_enable(func, true);
	if (ret != 0)
		return ret;
	func->stage = BF_STAGE_ENABLED;
	/* not before: until the command has ended, the interface reads as disabled */
	bf_health_start(func);
	return 0;
}

int
bf_boot_up(struct bf_func *func)
{
	struct bf_func_caps caps;
	bool roce = false;
	int ret;

	memset(&caps, 0, sizeof(caps));
	ret = boot_start(func, &caps);
	if (ret == 0)
		ret = boot_set_issi(func);
	if (ret == 0)
		ret = bf_pages_startup(func, true);
	if (ret == 0)
		ret = boot_set_endianness(func);
	if (ret == 0)
		ret = boot_set_caps(func, &roce);
	if (ret == 0)
		ret = boot_set_roce_caps(func, roce);
	if (ret == 0)
		ret = bf_pages_startup(func, false);
	if (ret == 0)
		ret = boot_init_hca(func);
	if (ret != 0)
		return ret;
	func->stage = BF_STAGE_INIT;
	ret = boot_learn(func, &caps);
	if (ret == 0)
		ret = boot_alloc_uar(func);
	if (ret == 0)
		ret = bf_eq_create(func);
	if (ret != 0)
		return ret;
	func->stage = BF_STAGE_EQ;
	ret = func->hw->ops->irq_enable(func->hw, bf_func_wake, func);
	if (ret != 0) {
		BF_LOG(ERR, "%s: cannot enable interrupts (%d); check that the device has MSI-X "
			"and that EAL's interrupt thread runs", BF_NAME(func), ret);
		return ret;
	}
	func->stage = BF_STAGE_IRQ;
	bf_eq_arm(func);
	boot_read_port(func);
	ret = bf_func_status(func, NULL);
	if (ret != 0)
		return ret;
	BF_LOG(INFO, "%s: %s function, firmware %u.%u.%u, board %s, vhca 0x%x, %u pages given",
		BF_NAME(func), func->ec ? "card's" : bf_func_is_vf(func) ? "virtual" : "physical",
		func->caps.fw_major, func->caps.fw_minor, func->caps.fw_subminor,
		func->caps.board_id[0] != 0 ? func->caps.board_id : "unknown", func->caps.vhca_id,
		__atomic_load_n(&func->pages.given, __ATOMIC_RELAXED));
	return 0;
}

int
bf_boot_undo(struct bf_func *func, enum bf_stage stage)
{
	int ret = 0;

	if (stage >= BF_STAGE_EQ)
		ret = bf_eq_destroy(func);
	if (ret == 0 && stage >= BF_STAGE_UAR)
		ret = boot_dealloc_uar(func);
	if (ret == 0 && stage >= BF_STAGE_INIT)
		ret = boot_teardown_hca(func);
	if (ret == 0 && stage >= BF_STAGE_ENABLED)
		ret = bf_pages_reclaim(func);
	if (ret != 0 || stage < BF_STAGE_ENABLED)
		return ret;
	/* the interface reads as disabled from the start of the command on */
	bf_health_stop(func);
	return boot_enable(func, false);
}
