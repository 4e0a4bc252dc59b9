/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Hostile firmware: answers, registers and events that cannot be, from the hostile
 * server, which is honest otherwise, and what the model can be told to do wrong.
 * A device either works on or fails with a reason; it never hangs.
 */

#include <unistd.h>

#include "test_bluefield_hostile.h"
#include "test_bluefield_model.h"
#include "test_comch_util.h"

static void
model_teardown(void)
{
	hostile_case_teardown();
	if (test_model_stop(&model) != TEST_SUCCESS)
		test_fail("the model did not end well");
}

/*
 * Events
 */

static int
test_event_types(void)
{
	uint8_t data[28];
	unsigned int type, i, j;

	TEST_CALL(hostile_round_up(HOSTILE_LONG_ARGS));
	for (j = 0; j < 4; j++) {
		for (type = 0; type < 256; type++) {
			/* these two mean something: they have cases of their own */
			if (type == BF_EVENT_PAGE_REQUEST || type == BF_EVENT_INTERNAL)
				continue;
			for (i = 0; i < sizeof(data); i++)
				data[i] = j == 0 ? 0xff : (uint8_t)test_rand();
			hostile_vfu_event(
					&hostile_server, (uint8_t)type, (uint8_t)test_rand(), data);
			/* no faster than a queue of 256 can be read */
			if (type % 64 == 0)
				usleep(5000);
		}
	}
	TEST_CALL(hostile_expect_alive());
	return test_log_passed();
}

static bool
link_up(void)
{
	return test_dev_info(hostile_dev_id).link_up;
}

static void
port_event(uint8_t sub_type, uint32_t port)
{
	uint8_t data[28] = { 0 };

	bf_set(data, BF_EVENT_PORT_NUM, port);
	hostile_vfu_event(&hostile_server, BF_EVENT_PORT_CHANGE, sub_type, data);
}

/* Of another port, and of what is not the link: it is up until its own event says so. */
static int
test_event_port(void)
{
	unsigned int type;

	TEST_CALL(hostile_round_up(HOSTILE_LONG_ARGS));
	TEST_TRUE(link_up());
	for (type = 0; type < 16; type++)
		if (type != BF_PORT_CHANGE_DOWN)
			port_event(type, 1);
	port_event(BF_PORT_CHANGE_DOWN, 0);
	port_event(BF_PORT_CHANGE_DOWN, 2);
	usleep(100000);
	TEST_TRUE(link_up());
	port_event(BF_PORT_CHANGE_DOWN, 1);
	TEST_WAIT(!link_up(), TEST_MS);
	port_event(BF_PORT_CHANGE_ACTIVE, 1);
	TEST_WAIT(link_up(), TEST_MS);
	TEST_CALL(hostile_expect_alive());
	return test_log_passed();
}

static bool
dump_has(const char *words)
{
	char text[4096] = "";
	FILE *f = fmemopen(text, sizeof(text) - 1, "w");

	if (f == NULL)
		return false;
	rte_comch_dev_dump(hostile_dev_id, f);
	fclose(f);
	return strstr(text, words) != NULL;
}

static int
test_event_internal(void)
{
	TEST_CALL(hostile_round_up(HOSTILE_LONG_ARGS));
	TEST_TRUE(!dump_has("failed:"));
	hostile_vfu_event(&hostile_server, BF_EVENT_INTERNAL, 0, NULL);
	TEST_WAIT(dump_has("failed: firmware failed (-5)"), TEST_MS);
	TEST_CALL(hostile_expect_fatal(-EIO, "internal error"));
	return test_log_passed();
}

/* Queues that have failed are counted by their kind, and the first of each is logged. */
static int
test_event_queues(void)
{
	static const struct {
		uint8_t type;
		const char *words;
		const char *counts;
	} rows[] = {
		{ BF_EVENT_CQ_ERROR, "completion queue 0x5 failed: overrun (syndrome 0x1)",
			"cq errors 2, srq errors 0, wq errors 0" },
		{ BF_EVENT_SRQ_CATAS, "shared receive queue 0x6 failed",
			"cq errors 2, srq errors 2, wq errors 0" },
		{ BF_EVENT_WQ_CATAS, "queue pair 0x6 failed",
			"cq errors 2, srq errors 2, wq errors 2" },
		{ BF_EVENT_WQ_ACCESS, "queue pair 0x6 failed",
			"cq errors 2, srq errors 2, wq errors 4" },
	};
	uint8_t data[28] = { 0 };
	unsigned int i, j;

	bf_set(data, BF_EVENT_CQ_CQN, 5);
	bf_set(data, BF_EVENT_CQ_SYNDROME, 1);
	bf_set(data, BF_EVENT_QP_SRQ_NUM, 6);
	TEST_CALL(hostile_round_up(HOSTILE_LONG_ARGS));
	for (i = 0; i < RTE_DIM(rows); i++) {
		for (j = 0; j < 2; j++)
			hostile_vfu_event(&hostile_server, rows[i].type, 0, data);
		TEST_WAIT(dump_has(rows[i].counts), TEST_MS);
		TEST_EXPECT(test_log_count(rows[i].words), 1);
	}
	/* nobody has such a queue here */
	TEST_CALL(hostile_expect_alive());
	return test_log_passed();
}

/* More than the queue holds, as fast as it goes: whatever is lost, nothing hangs. */
static int
test_event_storm(void)
{
	uint8_t data[28] = { 0 };
	uint64_t start;
	unsigned int i;

	TEST_CALL(hostile_round_up(HOSTILE_LONG_ARGS));
	start = test_now_ns();
	for (i = 0; i < 100000 && test_now_ns() - start < 1000000000; i++)
		hostile_vfu_event(&hostile_server, (uint8_t)i, 0, data);
	start = test_now_ns();
	TEST_CALL(hostile_round_end());
	TEST_TRUE(test_now_ns() - start < HOSTILE_LIMIT_NS);
	return test_log_passed();
}

/*
 * Pages
 */

static int
test_page_requests_absurd(void)
{
	static const int32_t nums[] = { 2000000, 300000, INT32_MAX, 1000001 };
	unsigned int i;

	/* the limit is the default one */
	TEST_CALL(hostile_round_up(HOSTILE_LONG_ARGS));
	for (i = 0; i < RTE_DIM(nums); i++) {
		hostile_vfu_page_event(&hostile_server, 0, nums[i]);
		TEST_WAIT(hostile_nb_refusals() == i + 1, TEST_MS);
		TEST_TRUE(test_log_has("max_pages"));
	}
	TEST_CALL(hostile_expect_alive());
	return test_log_passed();
}

/* It wants to give back what it does not have: nothing comes, and that is that. */
static int
test_page_returns_absurd(void)
{
	TEST_CALL(hostile_round_up(HOSTILE_LONG_ARGS));
	hostile_vfu_page_event(&hostile_server, 0, -2000000);
	hostile_vfu_page_event(&hostile_server, 0, INT32_MIN);
	hostile_vfu_page_event(&hostile_server, 0, -1);
	hostile_vfu_page_event(&hostile_server, 0, 0);
	TEST_CALL(hostile_expect_alive());
	return test_log_passed();
}

/* A storm of requests, up to the limit and back, all in flight at once. */
static int
test_page_storm(void)
{
	uint64_t start = test_now_ns();
	unsigned int i;

	TEST_CALL(hostile_round_up("socket_timeout=5000,cmd_timeout=5000,health=30,max_pages=1000"));
	for (i = 0; i < 200; i++)
		hostile_vfu_page_event(&hostile_server, 0, i % 4 == 3 ? -900 : 300);
	usleep(200000);
	TEST_EXPECT(test_dev_status(hostile_dev_id), 0);
	TEST_CALL(hostile_round_end());
	TEST_TRUE(test_now_ns() - start < HOSTILE_LIMIT_NS);
	return test_log_passed();
}

/*
 * Registers
 */

static int
test_registers(void)
{
	static const struct {
		uint32_t off, val;
		int error; /* of the probe; 0: only looked at by the poll, which may come later */
	} rows[] = {
		{ BF_REG_CMDIF_FW_SUB, 0, -ENOTSUP }, { BF_REG_CMDIF_FW_SUB, 4 << 16, -ENOTSUP },
		{ BF_REG_CMDIF_FW_SUB, UINT32_MAX, -ENODEV },
		{ BF_REG_CMDQ_ADDR_L, 0, -ENOTSUP }, { BF_REG_CMDQ_ADDR_L, 0x06, -ENOTSUP },
		{ BF_REG_CMDQ_ADDR_L, 0x55, -ENOTSUP }, { BF_REG_CMDQ_ADDR_L, 0xf6, -ENOTSUP },
		{ BF_REG_CMDQ_ADDR_L, 0x66, -ENOTSUP }, { BF_REG_CMDQ_ADDR_L, 0x5f, -ENOTSUP },
		{ BF_REG_CMDQ_ADDR_L, 0x58, -ENOTSUP }, { BF_REG_CMDQ_ADDR_L, 0x756, 0 },
		{ BF_REG_CMDQ_ADDR_L, 0x156, 0 }, { BF_REG_CMDQ_ADDR_L, UINT32_MAX, -ENODEV },
		{ BF_REG_INITIALIZING, UINT32_MAX, -ENODEV },
		{ BF_REG_INITIALIZING, BF_FW_INITIALIZING, -EAGAIN },
		{ BF_REG_INITIALIZING, BF_FW_INITIALIZING | BF_FW_EMBEDDED_CPU, -ETIMEDOUT },
		{ BF_REG_HEALTH_FW_VER, UINT32_MAX, 0 },
	};
	unsigned int i;
	int ret;

	for (i = 0; i < RTE_DIM(rows); i++) {
		TEST_CALL(hostile_round_begin());
		TEST_CALL(hostile_vfu_start(&hostile_server));
		hostile_vfu_reg(&hostile_server, rows[i].off, rows[i].val);
		TEST_CALL(hostile_probe("fw_timeout=100,cmd_timeout=100,health=10", &ret));
		TEST_ASSERT(ret == rows[i].error || (ret >= 0 && rows[i].error == 0),
			"register 0x%x is 0x%x: %d", rows[i].off, rows[i].val, ret);
		if (ret >= 0)
			TEST_WAIT(test_dev_status(hostile_dev_id) != 0, TEST_MS);
		TEST_CALL(hostile_round_end());
		/* that of each probe: more of them do not help */
		if (ret < 0)
			TEST_EXPECT(hostile_server.nb_resets, 1);
	}
	return test_log_passed();
}

static void
fix_initialising(struct hostile_vfu *e, struct hostile_msg *msg, uint64_t arg __rte_unused)
{
	struct vfio_user_region_access access;

	memcpy(&access, msg->body, sizeof(access));
	if (access.region != VFIO_USER_REGION_BAR0 || access.offset != BF_REG_CMDQ_ADDR_L)
		return;
	e->regs[0].off = BF_REG_INITIALIZING;
	e->regs[0].val = BF_FW_INITIALIZING;
	e->nb_regs = 1;
}

/* It initialises for ever when it has the queue of commands, and would execute them. */
static int
test_initialising(void)
{
	const struct hostile_rule rule = {
		.how = HOSTILE_FIX, .cmd = VFIO_USER_CMD_REGION_WRITE, .fix = fix_initialising,
	};
	int ret;

	TEST_CALL(hostile_round_begin());
	hostile_vfu_rule(&hostile_server, &rule);
	TEST_CALL(hostile_vfu_start(&hostile_server));
	TEST_CALL(hostile_probe("socket_timeout=5000,cmd_timeout=5000,fw_timeout=100", &ret));
	TEST_EXPECT(ret, -EAGAIN);
	TEST_CALL(hostile_round_end());
	return test_log_passed();
}

/* It has been asked often enough. */
static void
fix_initialised(struct hostile_vfu *e, struct hostile_msg *msg, uint64_t arg __rte_unused)
{
	struct vfio_user_region_access access;

	memcpy(&access, msg->body, sizeof(access));
	if (access.region == VFIO_USER_REGION_BAR0 && access.offset == BF_REG_INITIALIZING &&
			e->nb_regs != 0 && ++e->arg == 5)
		e->nb_regs = 0;
}

/* It initialises for a while, and does not say how long that may take. */
static int
test_initialising_late(void)
{
	const struct hostile_rule rules[] = {
		{ .how = HOSTILE_FIX, .cmd = VFIO_USER_CMD_REGION_WRITE, .fix = fix_initialising },
		{ .how = HOSTILE_FIX, .cmd = VFIO_USER_CMD_REGION_READ, .fix = fix_initialised },
	};
	int ret;

	TEST_CALL(hostile_round_begin());
	hostile_vfu_rule(&hostile_server, &rules[0]);
	hostile_vfu_rule(&hostile_server, &rules[1]);
	TEST_CALL(hostile_vfu_start(&hostile_server));
	TEST_CALL(hostile_probe(HOSTILE_LONG_ARGS, &ret));
	TEST_ASSERT(ret >= 0, "%d (%s)", ret, strerror(-ret));
	TEST_EXPECT(hostile_server.arg, 5);
	TEST_CALL(hostile_round_end());
	return test_log_passed();
}

/*
 * Answers
 */

static enum hostile_fw
fw_answer(struct hostile_vfu *e, uint16_t opcode, const uint8_t *in __rte_unused,
	uint32_t in_len __rte_unused, uint8_t *out, uint32_t out_len)
{
	uint32_t i;

	if (opcode != (e->arg & UINT16_MAX))
		return HOSTILE_FW_HONEST;
	for (i = 4; i < out_len; i++)
		out[i] = e->arg >> 16 == 0 ? 0xff : e->arg >> 16 == 1 ? 0 : (uint8_t)test_rand();
	return HOSTILE_FW_DONE;
}

/* All ones, all zeros, anything: with a good status. */
static int
test_answers(void)
{
	static const uint16_t opcodes[] = { BF_OP_ENABLE_HCA, BF_OP_QUERY_ISSI, BF_OP_SET_ISSI,
		BF_OP_QUERY_PAGES, BF_OP_MANAGE_PAGES, BF_OP_ACCESS_REG, BF_OP_QUERY_HCA_CAP,
		BF_OP_SET_HCA_CAP, BF_OP_INIT_HCA, BF_OP_QUERY_ADAPTER, BF_OP_QUERY_VPORT_STATE,
		BF_OP_ALLOC_UAR, BF_OP_CREATE_EQ, BF_OP_DESTROY_EQ, BF_OP_DEALLOC_UAR,
		BF_OP_TEARDOWN_HCA, BF_OP_DISABLE_HCA };
	unsigned int i;
	uint64_t how;
	int ret;

	for (how = 0; how < 4; how++) {
		for (i = 0; i < RTE_DIM(opcodes); i++) {
			TEST_CALL(hostile_round_begin());
			hostile_server.arg = how << 16 | opcodes[i];
			hostile_server.fw = fw_answer;
			TEST_CALL(hostile_vfu_start(&hostile_server));
			TEST_CALL(hostile_probe("cmd_timeout=500,fw_timeout=200,max_pages=100000",
				&ret));
			TEST_CALL(hostile_round_end());
		}
	}
	return test_log_passed();
}

static enum hostile_fw
fw_uar(struct hostile_vfu *e, uint16_t opcode, const uint8_t *in __rte_unused,
	uint32_t in_len __rte_unused, uint8_t *out, uint32_t out_len __rte_unused)
{
	if (opcode != BF_OP_ALLOC_UAR)
		return HOSTILE_FW_HONEST;
	bf_set(out, BF_OBJ_ID, (uint32_t)e->arg);
	return HOSTILE_FW_DONE;
}

static enum hostile_fw
fw_byte_order(struct hostile_vfu *e, uint16_t opcode, const uint8_t *in,
	uint32_t in_len __rte_unused, uint8_t *out __rte_unused, uint32_t out_len __rte_unused)
{
	e->arg += opcode == BF_OP_ACCESS_REG &&
		bf_get(in, BF_IN_OP_MOD) == BF_ACCESS_REG_WRITE &&
		bf_get(in, BF_ACCESS_REGISTER_IN_REGISTER_ID) == BF_REG_HOST_ENDIANNESS;
	return HOSTILE_FW_HONEST;
}

/* The order of bytes is of the whole device: each PF sets it, and no VF. */
static int
test_byte_order(void)
{
	const struct hostile_rule rule = {
		.how = HOSTILE_FIX, .cmd = VFIO_USER_CMD_REGION_READ, .fix = hostile_fix_vf,
		.count = 1,
	};
	uint64_t i;
	int ret;

	for (i = 0; i < 2; i++) {
		TEST_CALL(hostile_round_begin());
		hostile_server.fw = fw_byte_order;
		if (i == 0)
			hostile_vfu_rule(&hostile_server, &rule);
		TEST_CALL(hostile_vfu_start(&hostile_server));
		TEST_CALL(hostile_probe(HOSTILE_LONG_ARGS, &ret));
		TEST_ASSERT(ret >= 0, "%d (%s)", ret, strerror(-ret));
		TEST_CALL(hostile_round_end());
		TEST_EXPECT(hostile_server.arg, i);
	}
	return test_log_passed();
}

/* A doorbell page behind the end of the BAR is not written to. */
static int
test_uar_outside(void)
{
	static const uint32_t uars[] = { HOSTILE_BAR / BF_UAR_SIZE, 0xffffff, 0x100000 };
	unsigned int i;
	int ret;

	for (i = 0; i < RTE_DIM(uars); i++) {
		TEST_CALL(hostile_round_begin());
		hostile_server.arg = uars[i];
		hostile_server.fw = fw_uar;
		TEST_CALL(hostile_vfu_start(&hostile_server));
		TEST_CALL(hostile_probe(HOSTILE_LONG_ARGS, &ret));
		TEST_EXPECT(ret, -EIO);
		TEST_TRUE(test_log_has("outside of the BAR"));
		TEST_CALL(hostile_round_end());
	}
	return test_log_passed();
}

/* Of what the driver cannot do without, one is missing each time. */
static const struct {
	uint32_t cap;
	uint32_t value;
	const char *words;
} useless[] = {
	{ BF_CMD_HCA_CAP_NUM_PORTS, 0, "the function has no port" },
	{ BF_CMD_HCA_CAP_PORT_TYPE, 2, "a port that is neither Ethernet nor InfiniBand" },
	{ BF_CMD_HCA_CAP_RC, 0, "no reliable connections" },
	{ BF_CMD_HCA_CAP_LOG_PG_SZ, 13, "pages larger than 4 KiB only" },
	{ BF_CMD_HCA_CAP_LOG_UAR_PAGE_SZ, 1, "doorbell pages larger than 4 KiB" },
	{ BF_CMD_HCA_CAP_CMDIF_CHECKSUM, 1, "insists on signatures" },
	{ BF_CMD_HCA_CAP_CMDIF_CHECKSUM, 2, "insists on signatures" },
};

static enum hostile_fw
fw_useless(struct hostile_vfu *e, uint16_t opcode, const uint8_t *in,
	uint32_t in_len __rte_unused, uint8_t *out, uint32_t out_len __rte_unused)
{
	uint8_t *cap = out + BF_CAP_CMD_DATA;

	if (opcode != BF_OP_QUERY_HCA_CAP || bf_get(in, BF_IN_OP_MOD) >> 1 != BF_CAP_TYPE_GENERAL)
		return HOSTILE_FW_HONEST;
	bf_set(cap, BF_CMD_HCA_CAP_NUM_PORTS, 1);
	bf_set(cap, BF_CMD_HCA_CAP_RC, 1);
	bf_set(cap, useless[e->arg].cap, useless[e->arg].value);
	return HOSTILE_FW_DONE;
}

static int
test_useless(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < RTE_DIM(useless); i++) {
		TEST_CALL(hostile_round_begin());
		hostile_server.arg = i;
		hostile_server.fw = fw_useless;
		TEST_CALL(hostile_vfu_start(&hostile_server));
		TEST_CALL(hostile_probe(HOSTILE_LONG_ARGS, &ret));
		TEST_EXPECT(ret, -ENOTSUP);
		TEST_ASSERT(test_log_has(useless[i].words), "the log has no '%s'",
			useless[i].words);
		TEST_CALL(hostile_round_end());
	}
	return test_log_passed();
}

/* One of the queries of capabilities is refused. */
static enum hostile_fw
fw_refuse(struct hostile_vfu *e, uint16_t opcode, const uint8_t *in __rte_unused,
	uint32_t in_len __rte_unused, uint8_t *out, uint32_t out_len __rte_unused)
{
	if (opcode != BF_OP_QUERY_HCA_CAP || e->arg-- != 0)
		return HOSTILE_FW_HONEST;
	bf_set(out, BF_OUT_STATUS, BF_STATUS_BAD_PARAM);
	return HOSTILE_FW_DONE;
}

/* Those of the function and of RoCE: now and at most, and what came of setting them. */
#define NB_CAP_QUERIES 6

static int
test_refused_caps(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i <= NB_CAP_QUERIES; i++) {
		TEST_CALL(hostile_round_begin());
		hostile_server.arg = i;
		hostile_server.fw = fw_refuse;
		TEST_CALL(hostile_vfu_start(&hostile_server));
		TEST_CALL(hostile_probe(HOSTILE_LONG_ARGS, &ret));
		TEST_ASSERT(i < NB_CAP_QUERIES ? ret == -EIO : ret >= 0, "query %u: %d", i, ret);
		TEST_CALL(hostile_round_end());
	}
	return test_log_passed();
}

/* An answer whose mailboxes are not those of the question. */
static enum hostile_fw
fw_mailboxes(struct hostile_vfu *e, uint16_t opcode, const uint8_t *in __rte_unused,
	uint32_t in_len __rte_unused, uint8_t *out __rte_unused, uint32_t out_len __rte_unused)
{
	struct bf_cmd_entry *entry = hostile_vfu_mem(e, e->cmdq, sizeof(*entry));
	struct bf_mbox *mbox;

	if (opcode != BF_OP_QUERY_HCA_CAP || entry == NULL)
		return HOSTILE_FW_HONEST;
	mbox = hostile_vfu_mem(e, rte_be_to_cpu_64(entry->out_ptr), sizeof(*mbox));
	/* we still find them: what is there is not for the driver to follow */
	if (mbox != NULL) {
		mbox->block_num = UINT32_MAX;
		mbox->token = 0;
	}
	entry->out_ptr = UINT64_MAX;
	entry->out_len = UINT32_MAX;
	entry->in_ptr = UINT64_MAX;
	entry->in_len = UINT32_MAX;
	entry->token = 0;
	entry->signature = 0;
	return HOSTILE_FW_DONE;
}

static int
test_mailboxes(void)
{
	int ret;

	TEST_CALL(hostile_round_begin());
	hostile_server.fw = fw_mailboxes;
	TEST_CALL(hostile_vfu_start(&hostile_server));
	TEST_CALL(hostile_probe(HOSTILE_LONG_ARGS, &ret));
	TEST_EXPECT(ret, -ENOTSUP);
	TEST_CALL(hostile_round_end());
	return test_log_passed();
}

/*
 * The model
 */

static int
setup_model(void)
{
	int ret;

	TEST_CALL(hostile_case_setup());
	TEST_CALL(test_model_start(&model, "pf0,flr_ms=5"));
	ret = test_model_dev_add(&model, "pf0", "health=20,cmd_timeout=2000,max_pages=1000");
	TEST_TRUE(ret >= 0);
	hostile_dev_id = (int16_t)ret;
	return TEST_SUCCESS;
}

/* Each command of a reset goes wrong in each way; then one goes well. */
static int
test_reset_goes_wrong(void)
{
	static const char * const cmds[] = { "ENABLE_HCA", "QUERY_ISSI", "SET_ISSI", "QUERY_PAGES",
		"MANAGE_PAGES", "ACCESS_REG", "QUERY_HCA_CAP", "SET_HCA_CAP", "INIT_HCA",
		"QUERY_ADAPTER", "ALLOC_UAR", "CREATE_EQ" };
	static const char * const how[] = { "garbage", "status=4", "delivery=6" };
	unsigned int i, j;
	int ret;

	for (i = 0; i < RTE_DIM(cmds); i++) {
		for (j = 0; j < RTE_DIM(how); j++) {
			/* the first two are tried for a while, and once more after a reset */
			TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=%s count=%u %s",
				cmds[i], i < 2 ? 1000 : 1, how[j]), 0);
			ret = rte_comch_dev_reset(hostile_dev_id);
			TEST_ASSERT(j == 0 || ret != 0 || strcmp(cmds[i], "QUERY_ADAPTER") == 0,
				"%s %s", cmds[i], how[j]);
			TEST_EXPECT(test_dev_status(hostile_dev_id), ret);
			TEST_EXPECT(test_model_ctl(&model, "fault pf0 clear"), 0);
		}
	}
	TEST_EXPECT(rte_comch_dev_reset(hostile_dev_id), 0);
	TEST_EXPECT(test_dev_status(hostile_dev_id), 0);
	return test_log_passed();
}

/* Requests for pages, more than may be given, and back, many at once. */
static int
test_model_page_storm(void)
{
	long given = test_model_state(&model, "pf0", "given");
	unsigned int i;

	for (i = 0; i < 50; i++) {
		TEST_EXPECT(test_model_ctl(&model, "fault pf0 pages wanted=100"), 0);
		TEST_WAIT(test_model_state(&model, "pf0", "given") == given + 100, TEST_MS);
		TEST_EXPECT(test_model_ctl(&model, "fault pf0 pages wanted=-100"), 0);
		TEST_WAIT(test_model_state(&model, "pf0", "given") == given, TEST_MS);
	}
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 pages wanted=60000"), 0);
	TEST_WAIT(test_log_has("max_pages"), TEST_MS);
	TEST_EXPECT(test_model_state(&model, "pf0", "given"), given);
	TEST_EXPECT(test_dev_status(hostile_dev_id), 0);
	return test_log_passed();
}

/* A page command that answers nonsense at run time. */
static int
test_model_page_garbage(void)
{
	unsigned int i;

	for (i = 0; i < 20; i++) {
		TEST_EXPECT(test_model_ctl(&model, "fault pf0 pages wanted=50"), 0);
		TEST_EXPECT(test_model_ctl(&model,
			"fault pf0 cmd opcode=MANAGE_PAGES count=1 garbage"), 0);
		test_model_ctl(&model, "fault pf0 pages wanted=-50");
		usleep(30000);
		TEST_EXPECT(test_model_ctl(&model, "fault pf0 clear"), 0);
		if (test_dev_status(hostile_dev_id) != 0)
			TEST_EXPECT(rte_comch_dev_reset(hostile_dev_id), 0);
	}
	return test_log_passed();
}

#define HOSTILE_CASE(fn) TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, fn)
#define MODEL_CASE(fn) TEST_CASE_ST(setup_model, model_teardown, fn)

static struct unit_test_suite suite = {
	.suite_name = "hostile firmware",
	.unit_test_cases = {
		HOSTILE_CASE(test_event_types),
		HOSTILE_CASE(test_event_port),
		HOSTILE_CASE(test_event_internal),
		HOSTILE_CASE(test_event_queues),
		HOSTILE_CASE(test_event_storm),
		HOSTILE_CASE(test_page_requests_absurd),
		HOSTILE_CASE(test_page_returns_absurd),
		HOSTILE_CASE(test_page_storm),
		HOSTILE_CASE(test_registers),
		HOSTILE_CASE(test_initialising),
		HOSTILE_CASE(test_initialising_late),
		HOSTILE_CASE(test_answers),
		HOSTILE_CASE(test_byte_order),
		HOSTILE_CASE(test_uar_outside),
		HOSTILE_CASE(test_useless),
		HOSTILE_CASE(test_refused_caps),
		HOSTILE_CASE(test_mailboxes),
		MODEL_CASE(test_reset_goes_wrong),
		MODEL_CASE(test_model_page_storm),
		MODEL_CASE(test_model_page_garbage),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_hostile_fw_autotest, unit_test_suite_runner, &suite);
