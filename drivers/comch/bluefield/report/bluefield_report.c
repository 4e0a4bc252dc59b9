/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The file of a report: steps, commands with what matters of their answers, registers,
 * and operations of layer hw, as they happen. Each line is written at once, so that it
 * is there whatever comes next. What is tried with a function that is up is in
 * bluefield_report_try.c; what a command means to bring-up is not decided here.
 */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_version.h>

#include "bluefield_lock.h"
#include "bluefield_report.h"

/* Pages of capabilities of which the last is kept: types GENERAL and ROCE. */
#define REPORT_CAPS 4
#define REPORT_ROW 32
#define REPORT_TEARDOWN "teardown"
/* Of one step; firmware can ask for pages, and with that for commands, without end. */
#define REPORT_STEP_CMDS 500

struct bf_report {
	struct bf_lock lock;     /* around all below but irqs */
	FILE *file;
	const struct bf_hw_ops *hw_ops;
	struct bf_hw_ops ops;    /* what hw has in their place */
	bf_irq_cb_t irq_cb;
	void *irq_arg;
	uint32_t irqs;           /* atomic */
	uint64_t begin;
	const char *step;
	uint64_t step_begin;
	uint32_t step_cmds;
	bool step_bad;
	const char *failed_step; /* after which an unfinished bring-up was undone */
	bool initialised;        /* INIT_HCA has ended well */
	bool ended;              /* there is a result */
	int result;
	uint32_t cmds;
	char surprise[160];      /* the first; empty: none */
	uint8_t caps[REPORT_CAPS][BF_CAP_SIZE];
	bool caps_known[REPORT_CAPS];
};

static double
ms_since(uint64_t start)
{
	return (double)(bf_now_ns() - start) / 1000000;
}

static const char *
error_text(int ret)
{
	return ret == 0 ? "ok" : strerror(-ret);
}

/*
 * Steps; all with the lock. at: when that was
 */

static void
step_end(struct bf_report *r, uint64_t at)
{
	if (r->step == NULL)
		return;
	if (r->step_cmds > REPORT_STEP_CMDS)
		fprintf(r->file, "  left out: %u commands\n", r->step_cmds - REPORT_STEP_CMDS);
	fprintf(r->file, "  result: %s, %.3f ms, %u commands\n", r->step_bad ? "failed" : "ok",
		(double)(at - r->step_begin) / 1000000, r->step_cmds);
	r->step = NULL;
}

static void
step_begin(struct bf_report *r, const char *name, uint64_t at)
{
	if (r->step != NULL && strcmp(r->step, name) == 0)
		return;
	if (!r->ended && strcmp(name, REPORT_TEARDOWN) == 0)
		r->failed_step = r->step;
	/* commands of two threads may overlap */
	at = RTE_MAX(at, r->step_begin);
	step_end(r, at);
	r->step = name;
	r->step_begin = at;
	r->step_cmds = 0;
	r->step_bad = false;
	fprintf(r->file, "\nstep: %s\n", name);
}

void
bf_report_step(struct bf_report *r, const char *name)
{
	bf_lock(&r->lock);
	step_begin(r, name, bf_now_ns());
	bf_unlock(&r->lock);
}

void
bf_report_say(struct bf_report *r, const char *format, ...)
{
	va_list ap;

	bf_lock(&r->lock);
	fputs("  ", r->file);
	va_start(ap, format);
	vfprintf(r->file, format, ap);
	va_end(ap);
	fputc('\n', r->file);
	bf_unlock(&r->lock);
}

void
bf_report_result(struct bf_report *r, int ret)
{
	bf_lock(&r->lock);
	r->ended = true;
	r->result = ret;
	if (ret != 0 && r->step != NULL)
		r->step_bad = true;
	if (ret != 0 && r->surprise[0] == '\0')
		snprintf(r->surprise, sizeof(r->surprise), "step %s: %s",
			r->step != NULL ? r->step : "none", strerror(-ret));
	bf_unlock(&r->lock);
}

uint32_t
bf_report_irqs(const struct bf_report *r)
{
	return __atomic_load_n(&r->irqs, __ATOMIC_ACQUIRE);
}

/*
 * Registers
 */

/* Addresses of memory are nobody's business: those of the command queue are cut off. */
static uint32_t
reg_show(struct bf_hw *hw, uint32_t off)
{
	uint32_t val = hw->report->hw_ops->read32(hw, off);

	if (val != BF_ALL_ONES && off == BF_REG_CMDQ_ADDR_H)
		return 0;
	if (val != BF_ALL_ONES && off == BF_REG_CMDQ_ADDR_L)
		return val & 0xfff;
	return val;
}

/* As they are now; only those that have a meaning: the others are not ours to read. */
static void
report_regs(struct bf_hw *hw)
{
	static const struct {
		uint32_t first;
		uint32_t end;
	} parts[] = {
		{ BF_REG_FW_REV, BF_REG_CMDIF_FW_SUB + 4 },
		{ BF_REG_CMDQ_ADDR_H, BF_REG_CMDQ_ADDR_L + 4 },
		{ BF_REG_INITIALIZING, BF_REG_INITIALIZING + 4 },
		{ BF_REG_HEALTH, BF_REG_HEALTH_SYND + 4 },
		{ BF_REG_CMD_Q_INIT_TO, BF_REG_CMD_Q_INIT_TO + 4 },
		{ BF_REG_HEALTH_COUNTER, BF_REG_END },
	};
	struct bf_report *r = hw->report;
	uint32_t i, off, addr_l, init, rfr, synd;

	bf_lock(&r->lock);
	for (i = 0; i < RTE_DIM(parts); i++) {
		for (off = parts[i].first; off < parts[i].end; off += 4) {
			if (off % 16 == 0 || off == parts[i].first)
				fprintf(r->file, "  register 0x%04x:", off);
			fprintf(r->file, " %08x%s", reg_show(hw, off),
				off % 16 == 12 || off + 4 >= parts[i].end ? "\n" : "");
		}
	}
	addr_l = reg_show(hw, BF_REG_CMDQ_ADDR_L);
	init = reg_show(hw, BF_REG_INITIALIZING);
	rfr = reg_show(hw, BF_REG_HEALTH_RFR);
	synd = reg_show(hw, BF_REG_HEALTH_SYND);
	fprintf(r->file, "  firmware: %u.%u.%04u\n", reg_show(hw, BF_REG_FW_REV) & UINT16_MAX,
		reg_show(hw, BF_REG_FW_REV) >> 16, reg_show(hw, BF_REG_CMDIF_FW_SUB) & UINT16_MAX);
	fprintf(r->file, "  command interface: revision %u, 2^%u entries of 2^%u bytes\n",
		reg_show(hw, BF_REG_CMDIF_FW_SUB) >> 16, BF_CMDQ_LOG_SIZE(addr_l),
		BF_CMDQ_LOG_STRIDE(addr_l));
	fprintf(r->file, "  initializing: %u\n", (init & BF_FW_INITIALIZING) != 0);
	fprintf(r->file, "  embedded CPU: %u\n", (init & BF_FW_EMBEDDED_CPU) != 0);
	fprintf(r->file, "  nic state: %u\n", BF_NIC_STATE(addr_l));
	fprintf(r->file, "  health: reset requested %u, severity %u, syndrome 0x%x, extended 0x%x\n",
		BF_HEALTH_RFR(rfr), BF_HEALTH_SEVERITY(rfr), BF_HEALTH_SYND(synd),
		BF_HEALTH_EXT_SYND(synd));
	fprintf(r->file, "  health counter: 0x%x\n",
		BF_HEALTH_COUNTER(reg_show(hw, BF_REG_HEALTH_COUNTER)));
	bf_unlock(&r->lock);
}

void
bf_report_up(struct bf_hw *hw)
{
	bf_report_step(hw->report, "up");
	report_regs(hw);
}

/*
 * Answers; all with the lock
 */

struct field {
	const char *name;
	uint32_t fld;
};

static const struct field general_fields[] = {
	{ "vhca_id", BF_CMD_HCA_CAP_VHCA_ID },
	{ "log_max_srq_sz", BF_CMD_HCA_CAP_LOG_MAX_SRQ_SZ },
	{ "log_max_qp_sz", BF_CMD_HCA_CAP_LOG_MAX_QP_SZ },
	{ "log_max_qp", BF_CMD_HCA_CAP_LOG_MAX_QP },
	{ "log_max_srq", BF_CMD_HCA_CAP_LOG_MAX_SRQ },
	{ "log_max_cq_sz", BF_CMD_HCA_CAP_LOG_MAX_CQ_SZ },
	{ "log_max_cq", BF_CMD_HCA_CAP_LOG_MAX_CQ },
	{ "log_max_eq_sz", BF_CMD_HCA_CAP_LOG_MAX_EQ_SZ },
	{ "log_max_mkey", BF_CMD_HCA_CAP_LOG_MAX_MKEY },
	{ "log_max_eq", BF_CMD_HCA_CAP_LOG_MAX_EQ },
	{ "vport_group_manager", BF_CMD_HCA_CAP_VPORT_GROUP_MANAGER },
	{ "eswitch_manager", BF_CMD_HCA_CAP_ESWITCH_MANAGER },
	{ "port_type", BF_CMD_HCA_CAP_PORT_TYPE },
	{ "num_ports", BF_CMD_HCA_CAP_NUM_PORTS },
	{ "log_max_msg", BF_CMD_HCA_CAP_LOG_MAX_MSG },
	{ "cqe_version", BF_CMD_HCA_CAP_CQE_VERSION },
	{ "cmdif_checksum", BF_CMD_HCA_CAP_CMDIF_CHECKSUM },
	{ "roce", BF_CMD_HCA_CAP_ROCE },
	{ "rc", BF_CMD_HCA_CAP_RC },
	{ "umem_uid_0", BF_CMD_HCA_CAP_UMEM_UID_0 },
	{ "log_pg_sz", BF_CMD_HCA_CAP_LOG_PG_SZ },
	{ "log_max_pd", BF_CMD_HCA_CAP_LOG_MAX_PD },
	{ "log_max_rmp", BF_CMD_HCA_CAP_LOG_MAX_RMP },
	{ "roce_rw_supported", BF_CMD_HCA_CAP_ROCE_RW_SUPPORTED },
	{ "log_max_wq_sz", BF_CMD_HCA_CAP_LOG_MAX_WQ_SZ },
	{ "native_port_num", BF_CMD_HCA_CAP_NATIVE_PORT_NUM },
	{ "num_vhca_ports", BF_CMD_HCA_CAP_NUM_VHCA_PORTS },
	{ "page_request_disable", BF_CMD_HCA_CAP_PAGE_REQUEST_DISABLE },
	{ "max_num_eqs", BF_CMD_HCA_CAP_MAX_NUM_EQS },
	{ "log_uar_page_sz", BF_CMD_HCA_CAP_LOG_UAR_PAGE_SZ },
	{ "device_frequency_khz", BF_CMD_HCA_CAP_DEVICE_FREQUENCY_KHZ },
};

static const struct field roce_fields[] = {
	{ "qp_ts_format", BF_ROCE_CAP_QP_TS_FORMAT },
	{ "sw_r_roce_src_udp_port", BF_ROCE_CAP_SW_R_ROCE_SRC_UDP_PORT },
	{ "roce_address_table_size", BF_ROCE_CAP_ROCE_ADDRESS_TABLE_SIZE },
};

/* Rows that are all zero are left out. */
static void
answer_hex(struct bf_report *r, const uint8_t *data, uint32_t len)
{
	static const uint8_t zero[REPORT_ROW];
	uint32_t row, i;

	for (row = 0; row < len; row += REPORT_ROW) {
		if (memcmp(data + row, zero, REPORT_ROW) == 0)
			continue;
		fprintf(r->file, "  raw 0x%03x:", row);
		for (i = 0; i < REPORT_ROW; i++)
			fprintf(r->file, "%s%02x", i % 4 == 0 ? " " : "", data[row + i]);
		fputc('\n', r->file);
	}
}

static void
answer_caps(struct bf_report *r, const uint8_t *in, const uint8_t *out)
{
	uint16_t op_mod = bf_get(in, BF_IN_OP_MOD), type = op_mod >> 1, which = op_mod & 1;
	const uint8_t *cap = out + BF_CAP_CMD_DATA;
	const struct field *fields = type == BF_CAP_TYPE_ROCE ? roce_fields : general_fields;
	uint32_t nb = type == BF_CAP_TYPE_ROCE ? RTE_DIM(roce_fields) : RTE_DIM(general_fields);
	uint32_t i, slot = (type == BF_CAP_TYPE_ROCE) << 1 | which;
	const char *name = type == BF_CAP_TYPE_ROCE ? "ROCE" : "GENERAL";

	if (type != BF_CAP_TYPE_ROCE && type != BF_CAP_TYPE_GENERAL)
		return;
	fprintf(r->file, "  capabilities: %s, %s\n", name,
		which == BF_CAP_CUR ? "current" : "maximum");
	if (r->caps_known[slot] && memcmp(r->caps[slot], cap, BF_CAP_SIZE) == 0) {
		fprintf(r->file, "  unchanged: as above\n");
		return;
	}
	r->caps_known[slot] = true;
	memcpy(r->caps[slot], cap, BF_CAP_SIZE);
	answer_hex(r, cap, BF_CAP_SIZE);
	for (i = 0; i < nb; i++)
		fprintf(r->file, "  %s: %u\n", fields[i].name, bf_get(cap, fields[i].fld));
}

static void
answer_adapter(struct bf_report *r, const uint8_t *out)
{
	char psid[17] = "";
	uint32_t i;

	for (i = 0; i < 16 && isgraph(out[BF_QUERY_ADAPTER_OUT_PSID + i]); i++)
		psid[i] = out[BF_QUERY_ADAPTER_OUT_PSID + i];
	fprintf(r->file, "  board id: %s\n", psid);
}

static void
answer_vport(struct bf_report *r, const uint8_t *out)
{
	const uint8_t *ctx = out + BF_QUERY_NIC_VPORT_OUT_CTX;
	static const uint8_t none[6];
	uint8_t mac[6];

	bf_get_mac(ctx, BF_NIC_VPORT_CONTEXT_PERMANENT_ADDRESS, mac);
	if (memcmp(mac, none, sizeof(mac)) == 0)
		fprintf(r->file, "  vport MAC: zero\n");
	else
		fprintf(r->file, "  vport MAC: %02x:%02x:%02x:..\n", mac[0], mac[1], mac[2]);
	fprintf(r->file, "  vport MTU: %u\n", bf_get(ctx, BF_NIC_VPORT_CONTEXT_MTU));
	fprintf(r->file, "  vport roce_en: %u\n", bf_get(ctx, BF_NIC_VPORT_CONTEXT_ROCE_EN));
}

static void
answer_roce(struct bf_report *r, const uint8_t *in, const uint8_t *out)
{
	const uint8_t *addr = out + BF_ROCE_ADDRESS_CMD_ADDR;
	const uint8_t *gid = addr + BF_ROCE_ADDR_LAYOUT_SOURCE_L3_ADDRESS;
	static const uint8_t none[16];

	fprintf(r->file, "  RoCE address %u: ", bf_get(in, BF_ROCE_ADDRESS_IN_ROCE_ADDRESS_INDEX));
	if (memcmp(gid, none, sizeof(none)) == 0)
		fprintf(r->file, "empty\n");
	else
		fprintf(r->file, "version %u, type %u, vlan %u, GID %02x%02x:..\n",
			bf_get(addr, BF_ROCE_ADDR_LAYOUT_ROCE_VERSION),
			bf_get(addr, BF_ROCE_ADDR_LAYOUT_ROCE_L3_TYPE),
			bf_get(addr, BF_ROCE_ADDR_LAYOUT_VLAN_VALID), gid[0], gid[1]);
}

static void
answer(struct bf_report *r, uint16_t op, const uint8_t *in, const uint8_t *out)
{
	uint16_t op_mod = bf_get(in, BF_IN_OP_MOD);

	switch (op) {
	case BF_OP_QUERY_ISSI:
		fprintf(r->file, "  ISSI: current %u, supported 0x%x\n",
			bf_get(out, BF_QUERY_ISSI_OUT_CURRENT_ISSI),
			bf_get(out, BF_QUERY_ISSI_OUT_SUPPORTED_ISSI_DW0));
		break;
	case BF_OP_QUERY_PAGES:
		fprintf(r->file, "  pages asked: %d\n",
			(int32_t)bf_get(out, BF_QUERY_PAGES_OUT_NUM_PAGES));
		break;
	case BF_OP_MANAGE_PAGES:
		if (op_mod == BF_MANAGE_PAGES_TAKE)
			fprintf(r->file, "  pages taken back: %u\n",
				bf_get(out, BF_MANAGE_PAGES_OUT_OUTPUT_NUM_ENTRIES));
		else
			fprintf(r->file, "  pages %s: %u\n",
				op_mod == BF_MANAGE_PAGES_GIVE ? "given" : "refused",
				bf_get(in, BF_MANAGE_PAGES_IN_INPUT_NUM_ENTRIES));
		break;
	case BF_OP_QUERY_HCA_CAP:
		answer_caps(r, in, out);
		break;
	case BF_OP_QUERY_ADAPTER:
		answer_adapter(r, out);
		break;
	case BF_OP_QUERY_VPORT_STATE:
		fprintf(r->file, "  vport state: administration %u, state %u\n",
			bf_get(out, BF_QUERY_VPORT_STATE_OUT_ADMIN_STATE),
			bf_get(out, BF_QUERY_VPORT_STATE_OUT_STATE));
		break;
	case BF_OP_QUERY_NIC_VPORT_CONTEXT:
		answer_vport(r, out);
		break;
	case BF_OP_QUERY_ROCE_ADDRESS:
		answer_roce(r, in, out);
		break;
	case BF_OP_CREATE_EQ:
		fprintf(r->file, "  event queue: number %u\n", bf_get(out, BF_OBJ_EQ_NUMBER));
		break;
	}
}

/* The step of bring-up that a command begins; NULL: it belongs to the one before. */
static const char *
step_of(const struct bf_report *r, uint16_t op, uint16_t op_mod)
{
	switch (op) {
	case BF_OP_ENABLE_HCA: return "enable";
	case BF_OP_QUERY_ISSI: return "interface version";
	case BF_OP_QUERY_PAGES:
		return op_mod == BF_QUERY_PAGES_BOOT ? "pages of boot" : "pages of initialisation";
	case BF_OP_ACCESS_REG: return "endianness";
	case BF_OP_QUERY_HCA_CAP:
		return r->initialised ? "capabilities" : "set capabilities";
	case BF_OP_INIT_HCA: return "initialise";
	case BF_OP_QUERY_ADAPTER: return "board";
	case BF_OP_ALLOC_UAR: return "doorbell page";
	case BF_OP_CREATE_EQ: return "event queue";
	case BF_OP_QUERY_VPORT_STATE: return "port";
	case BF_OP_TEARDOWN_HCA:
	case BF_OP_DISABLE_HCA: return REPORT_TEARDOWN;
	default: return NULL;
	}
}

/* The steps of those that try have names already. */
static bool
step_is_own(const struct bf_report *r)
{
	return r->step != NULL && strncmp(r->step, "try ", 4) == 0;
}

static void
cmd_line(struct bf_report *r, const struct bf_cmd *cmd, double ms, int ret)
{
	uint16_t op = bf_get(cmd->in, BF_IN_OPCODE);

	fprintf(r->file, "  command: %s (0x%x), op_mod 0x%x, %.3f ms, ", bf_cmd_name(op), op,
		bf_get(cmd->in, BF_IN_OP_MOD), ms);
	if (ret != 0 && cmd->delivery == BF_DELIVERY_OK && cmd->status == BF_STATUS_OK)
		fprintf(r->file, "no answer: %s\n", strerror(-ret));
	else
		fprintf(r->file, "delivery 0x%x (%s), status 0x%x (%s), syndrome 0x%08x\n",
			cmd->delivery, bf_cmd_delivery_text(cmd->delivery), cmd->status,
			bf_cmd_status_text(cmd->status), cmd->syndrome);
}

static void
report_cmd(struct bf_hw *hw, const struct bf_cmd *cmd, uint64_t start, int ret)
{
	struct bf_report *r = hw->report;
	uint16_t op = bf_get(cmd->in, BF_IN_OPCODE), op_mod = bf_get(cmd->in, BF_IN_OP_MOD);
	double ms = ms_since(start);
	const char *step;
	bool show;

	bf_lock(&r->lock);
	step = step_of(r, op, op_mod);
	if (step != NULL && !step_is_own(r))
		step_begin(r, step, start);
	r->step_cmds++;
	r->cmds++;
	show = r->step_cmds <= REPORT_STEP_CMDS;
	if (show)
		cmd_line(r, cmd, ms, ret);
	if (ret == 0) {
		if (show)
			answer(r, op, cmd->in, cmd->out);
		if (op == BF_OP_INIT_HCA || op == BF_OP_TEARDOWN_HCA)
			r->initialised = op == BF_OP_INIT_HCA;
	} else if (!cmd->quiet) {
		r->step_bad = true;
		if (r->surprise[0] == '\0')
			snprintf(r->surprise, sizeof(r->surprise),
				"%s: %s, delivery 0x%x, status 0x%x, syndrome 0x%08x",
				bf_cmd_name(op), strerror(-ret), cmd->delivery, cmd->status,
				cmd->syndrome);
	}
	bf_unlock(&r->lock);
}

/*
 * Layer hw
 */

static void
report_irq(void *arg)
{
	struct bf_report *r = arg;

	__atomic_fetch_add(&r->irqs, 1, __ATOMIC_RELEASE);
	r->irq_cb(r->irq_arg);
}

static int
report_irq_enable(struct bf_hw *hw, bf_irq_cb_t cb, void *arg)
{
	struct bf_report *r = hw->report;
	uint64_t start = bf_now_ns();
	int ret;

	bf_report_step(r, "interrupts");
	r->irq_cb = cb;
	r->irq_arg = arg;
	ret = r->hw_ops->irq_enable(hw, report_irq, r);
	bf_report_say(r, "vectors: %u of %u, %.3f ms, %s", hw->nb_irqs, hw->nb_vectors,
		ms_since(start), error_text(ret));
	return ret;
}

static void
report_irq_disable(struct bf_hw *hw)
{
	bf_report_step(hw->report, REPORT_TEARDOWN);
	hw->report->hw_ops->irq_disable(hw);
}

static int
report_reset(struct bf_hw *hw)
{
	struct bf_report *r = hw->report;
	uint64_t start = bf_now_ns();
	int ret;

	bf_report_step(r, "function level reset");
	ret = r->hw_ops->reset(hw);
	bf_report_say(r, "reset: %.3f ms, %s", ms_since(start), error_text(ret));
	bf_report_step(r, "firmware ready");
	bf_lock(&r->lock);
	r->initialised = false;
	bf_unlock(&r->lock);
	return ret;
}

static void
report_close(struct bf_hw *hw)
{
	struct bf_report *r = hw->report;
	uint64_t start = bf_now_ns();

	/* before it is gone; a bring-up that failed has no other end */
	if (!r->ended)
		report_regs(hw);
	if (!r->ended && r->failed_step == NULL)
		r->failed_step = r->step;
	r->hw_ops->close(hw);
	bf_lock(&r->lock);
	if (!r->ended && r->surprise[0] == '\0')
		snprintf(r->surprise, sizeof(r->surprise),
			"in step '%s', and no command failed: the driver's messages say more",
			r->failed_step != NULL ? r->failed_step : "none");
	step_end(r, bf_now_ns());
	fprintf(r->file, "\nclosed: %.3f ms\n", ms_since(start));
	fprintf(r->file, "commands: %u\ninterrupts: %u\ntotal: %.3f ms\n", r->cmds,
		bf_report_irqs(r), ms_since(r->begin));
	if (r->surprise[0] != '\0')
		fprintf(r->file, "surprise: %s\n", r->surprise);
	fprintf(r->file, "result: %s\n", !r->ended ? "bring-up failed" :
		r->result != 0 ? "failed after bring-up" : "ok");
	fclose(r->file);
	bf_unlock(&r->lock);
	bf_lock_fini(&r->lock);
	free(r);
}

/*
 * Often as root, into folders that others write to: what they put there is no link,
 * and no pipe whose reader keeps us waiting.
 */
static int
report_create(const char *path, FILE **file)
{
	int fd, ret;

	fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	/* -EINVAL: it is no regular file */
	if (ftruncate(fd, 0) == 0 && (*file = fdopen(fd, "w")) != NULL)
		return 0;
	ret = -errno;
	close(fd);
	return ret;
}

int
bf_report_open(struct bf_hw *hw, const char *path)
{
	struct bf_report *r = calloc(1, sizeof(*r));
	int ret;

	if (r == NULL)
		return -ENOMEM;
	ret = report_create(path, &r->file);
	if (ret != 0) {
		BF_LOG(ERR, "%s: the report cannot be written to %s: %s; name another file",
			hw->name, path, ret == -EINVAL ? "not a regular file" : strerror(-ret));
		free(r);
		return ret;
	}
	setvbuf(r->file, NULL, _IOLBF, BUFSIZ);
	bf_lock_init(&r->lock);
	r->begin = bf_now_ns();
	r->hw_ops = hw->ops;
	r->ops = *hw->ops;
	r->ops.irq_enable = report_irq_enable;
	r->ops.irq_disable = report_irq_disable;
	r->ops.reset = report_reset;
	r->ops.close = report_close;
	r->ops.cmd_ended = report_cmd;
	hw->report = r;
	hw->ops = &r->ops;
	bf_report_step(r, "open");
	bf_report_say(r, "versions: dpdk-comch %s, %s", BF_VERSION, rte_version());
	bf_report_say(r, "device id: 0x%04x", hw->device_id);
	bf_report_say(r, "BAR 0: %u bytes", hw->bar_size);
	bf_report_say(r, "MSI-X vectors: %u", hw->nb_vectors);
	report_regs(hw);
	bf_report_step(r, "firmware ready");
	return 0;
}
