/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Capabilities, ports and addresses as cards have them and a friendly model does
 * not: each case sets the software BlueField to one of these, and the driver has
 * to do its part. Names have the section and the point of the list of what real
 * cards do.
 */

#include "bluefield_func_priv.h" /* check-ok: its layers are tested */
#include "bluefield_prm.h"
#include "comch_bluefield.h"
#include "test_bluefield_hostile.h"
#include "test_bluefield_obj.h"

static const struct bf_roce_addr addr = {
	.gid = { [10] = 0xff, 0xff, 192, 0, 2, 1 }, .mac = { 2, 0, 0, 0, 0, 1 }, .version = 2,
};

static int
start(const char *settings)
{
	TEST_CALL(obj_case_setup());
	return test_model_start(&model, settings);
}

/* A queue pair over the wire, with a UDP source port, from the first address. */
static int
connect_qp(void)
{
	struct bf_qp_path path = obj_path;
	struct bf_roce_addr got;

	TEST_EXPECT(bf_vport_set_roce(obj_dev, true), 0);
	TEST_EXPECT(bf_roce_addr_set(obj_dev, 0, &addr), 0);
	TEST_EXPECT(bf_roce_addr_query(obj_dev, 0, &got), 0);
	TEST_TRUE(memcmp(&got, &addr, sizeof(got)) == 0);
	TEST_CALL(obj_set_create(&obj_set));
	path.loopback = false;
	memcpy(path.rgid, addr.gid, sizeof(path.rgid));
	memcpy(path.rmac, addr.mac, sizeof(path.rmac));
	path.hop_limit = 64;
	path.udp_sport = 0xc001;
	TEST_EXPECT(bf_qp_to_init(&obj_set.qp), 0);
	TEST_EXPECT(bf_qp_to_rtr(&obj_set.qp, &path), 0);
	TEST_EXPECT(bf_qp_to_rts(&obj_set.qp, &path), 0);
	return TEST_SUCCESS;
}

/* Firmware refuses the port of a path until the capability is set; so it is set. */
static int
test_silicon_2_8_udp_source_port(void)
{
	TEST_CALL(start("pf0,flr_ms=5"));
	TEST_CALL(obj_func_up("pf0", 0, 0));
	TEST_TRUE(bf_func_caps(obj_func)->udp_sport);
	TEST_CALL(connect_qp());
	return obj_passed_clean();
}

/* Firmware that does not let software choose is not asked to. */
static int
test_silicon_2_8_no_udp_source_port(void)
{
	TEST_CALL(start("pf0,flr_ms=5"));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 cap sw_r_roce_src_udp_port=0"), 0);
	TEST_CALL(obj_func_up("pf0", 0, 0));
	TEST_TRUE(!bf_func_caps(obj_func)->udp_sport);
	TEST_CALL(connect_qp());
	return obj_passed_clean();
}

/* Addresses are of a port where there are some: of one, or of the second of two. */
static int
test_silicon_2_9_vhca_port(void)
{
	TEST_CALL(start("pf0,flr_ms=5,vhca_ports=1 pf1,flr_ms=5,vhca_ports=2"));
	TEST_CALL(obj_func_up("pf0", 0, 0));
	TEST_EXPECT(bf_func_caps(obj_func)->port, 1);
	TEST_CALL(connect_qp());
	TEST_CALL(obj_passed_clean());
	test_log_drop();
	TEST_CALL(obj_case_setup());
	TEST_CALL(obj_func_up("pf1", 0, 0));
	TEST_EXPECT(bf_func_caps(obj_func)->port, 2);
	TEST_CALL(connect_qp());
	/* its events have that number, too */
	TEST_EXPECT(bf_func_caps(obj_func)->port_state, 1);
	TEST_EXPECT(test_model_ctl(&model, "fault pf1 port down"), 0);
	TEST_WAIT(__atomic_load_n(&bf_func_caps(obj_func)->port_state, __ATOMIC_RELAXED) == 0,
		TEST_MS);
	TEST_EXPECT(bf_func_status(obj_func, NULL), 0);
	return test_log_passed();
}

/* Firmware that does not have some events: all of them are tried, then the needed. */
static int
test_silicon_2_11_event_mask(void)
{
	static const uint8_t types[] = { BF_EVENT_CQ_ERROR, BF_EVENT_WQ_CATAS,
		BF_EVENT_PORT_CHANGE, BF_EVENT_WQ_INVAL_REQ, BF_EVENT_WQ_ACCESS,
		BF_EVENT_SRQ_CATAS };
	long given;
	unsigned int i;

	TEST_CALL(start("pf0,flr_ms=5"));
	for (i = 0; i < RTE_DIM(types); i++) {
		TEST_EXPECT(test_model_ctl(&model, "fault pf0 events refuse=%u",
			1u << types[i]), 0);
		TEST_CALL(obj_func_up("pf0", 0, 0));
		TEST_TRUE(test_log_has("refuses event mask"));
		/* pages are what it lives on */
		given = test_model_state(&model, "pf0", "given");
		TEST_EXPECT(test_model_ctl(&model, "fault pf0 pages wanted=3"), 0);
		TEST_WAIT(test_model_state(&model, "pf0", "given") == given + 3, TEST_MS);
		TEST_CALL(obj_passed_clean());
		test_log_drop();
		TEST_CALL(obj_case_setup());
	}
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 clear"), 0);
	TEST_CALL(obj_func_up("pf0", 0, 0));
	TEST_TRUE(!test_log_has("refuses event mask"));
	return obj_passed_clean();
}

/* Firmware that never asks for pages by events refuses to be asked for those. */
static int
test_silicon_2_11_no_page_requests(void)
{
	TEST_CALL(start("pf0,flr_ms=5"));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 cap page_request_disable=1"), 0);
	TEST_CALL(obj_func_up("pf0", 0, 0));
	TEST_TRUE(!test_log_has("refuses event mask"));
	/* the other events come */
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 port down"), 0);
	TEST_WAIT(__atomic_load_n(&bf_func_caps(obj_func)->port_state, __ATOMIC_RELAXED) == 0,
		TEST_MS);
	return obj_passed_clean();
}

/* RoCE that is off until it is asked for. */
static int
test_silicon_5_7_roce_asked_for(void)
{
	TEST_CALL(start("pf0,flr_ms=5,roce=ask"));
	TEST_CALL(obj_func_up("pf0", 0, 0));
	TEST_TRUE(bf_func_caps(obj_func)->roce);
	TEST_CALL(connect_qp());
	return obj_passed_clean();
}

/* The Linux driver sets addresses without a MAC address: the model takes them. */
static int
test_silicon_5_8_address_without_mac(void)
{
	struct bf_roce_addr bare = addr;

	memset(bare.mac, 0, sizeof(bare.mac));
	TEST_CALL(start("pf0,flr_ms=5"));
	TEST_CALL(obj_func_up("pf0", 0, 0));
	TEST_EXPECT(bf_roce_addr_set(obj_dev, 0, &bare), 0);
	bare.mac[0] = 1; /* of many stations */
	TEST_EXPECT(bf_roce_addr_set(obj_dev, 0, &bare), -EINVAL);
	return obj_passed_clean();
}

/* Who waits for "last WQE reached" does so for a while, and not for what will not come. */
static int
test_last_wqe(void)
{
	const uint32_t qpn = 0x123456; /* of which firmware does not tell */
	unsigned int i;

	TEST_CALL(start("pf0,flr_ms=5"));
	TEST_CALL(obj_func_up("pf0", 0, 0));
	for (i = 0; i < 2; i++)
		TEST_EXPECT(bf_eq_last_wqe(obj_func, qpn), -ETIMEDOUT);
	TEST_EXPECT(test_log_count("hears nothing of that"), 1);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 nic-state 1"), 0);
	TEST_WAIT(bf_func_status(obj_func, NULL) != 0, TEST_MS);
	TEST_EXPECT(bf_eq_last_wqe(obj_func, qpn), -EIO);
	obj_func_down();
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 clear"), 0);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 events refuse=%u",
		1u << BF_EVENT_SRQ_LAST_WQE), 0);
	TEST_CALL(obj_func_up("pf0", 0, 0));
	TEST_EXPECT(bf_eq_last_wqe(obj_func, qpn), -ENOTSUP);
	return obj_passed_clean();
}

/* Numbers of objects that no card has: they are taken for as many as can be counted. */
static int
test_counts_absurd(void)
{
	static const char *const caps[] = { "log_max_qp", "log_max_cq", "log_max_qp_sz",
		"log_max_cq_sz", "log_max_srq_sz" };
	const struct bf_func_caps *got;
	unsigned int i;

	TEST_CALL(start("pf0,flr_ms=5"));
	for (i = 0; i < RTE_DIM(caps); i++)
		TEST_EXPECT(test_model_ctl(&model, "fault pf0 cap %s=31", caps[i]), 0);
	TEST_CALL(obj_func_up("pf0", 0, 0));
	got = bf_func_caps(obj_func);
	TEST_EXPECT(got->max_qp, 1u << 24);
	TEST_TRUE(got->max_cq == got->max_qp && got->max_qp_sz == got->max_qp &&
		got->max_cq_sz == got->max_qp && got->max_srq_sz == got->max_qp);
	return obj_passed_clean();
}

#define CAP(name) BF_CMD_HCA_CAP_##name

/* What firmware has, and what comes of it. */
static const struct caps_row {
	struct {
		uint32_t fld;
		uint32_t val;
	} cur[2];
	bool max_roce;
	uint32_t ts_format; /* of RoCE */
	bool set_roce;      /* it is asked for that */
	uint32_t port;      /* and what is read */
	uint32_t max_eq;
	uint32_t qp_ts_format;
} caps_rows[] = {
	{ { { CAP(ROCE_RW_SUPPORTED), 1 } }, true, 0, true, 1, 1, 0 },
	{ { { CAP(ROCE_RW_SUPPORTED), 1 } }, false, 0, false, 1, 1, 0 },
	{ { { CAP(ROCE), 0 } }, true, 0, false, 1, 1, 0 },
	{ { { CAP(ROCE), 1 } }, false, 0, true, 1, 1, 0 },
	{ { { CAP(ROCE), 1 } }, false, 2, true, 1, 1, BF_QP_TS_DEFAULT },
	{ { { CAP(NUM_VHCA_PORTS), 1 }, { CAP(NATIVE_PORT_NUM), 2 } }, false, 0, false, 1, 1, 0 },
	{ { { CAP(NUM_VHCA_PORTS), 2 }, { CAP(NATIVE_PORT_NUM), 2 } }, false, 0, false, 2, 1, 0 },
	{ { { CAP(NUM_VHCA_PORTS), 2 }, { CAP(NATIVE_PORT_NUM), 0 } }, false, 0, false, 1, 1, 0 },
	{ { { CAP(MAX_NUM_EQS), 7 }, { CAP(LOG_MAX_EQ), 4 } }, false, 0, false, 1, 7, 0 },
	{ { { CAP(MAX_NUM_EQS), 0 }, { CAP(LOG_MAX_EQ), 4 } }, false, 0, false, 1, 16, 0 },
};

static bool caps_set_roce;

static enum hostile_fw
fw_caps_row(struct hostile_vfu *e, uint16_t opcode, const uint8_t *in,
	uint32_t in_len __rte_unused, uint8_t *out, uint32_t out_len __rte_unused)
{
	bool general = bf_get(in, BF_IN_OP_MOD) >> 1 == BF_CAP_TYPE_GENERAL;
	const struct caps_row *row = &caps_rows[e->arg];
	uint8_t *cap = out + BF_CAP_CMD_DATA;
	unsigned int i;

	/* the end of a name is what is no letter */
	if (opcode == BF_OP_QUERY_ADAPTER)
		memcpy(out + BF_QUERY_ADAPTER_OUT_PSID, "A\nB", 3);
	if (opcode == BF_OP_SET_HCA_CAP && general)
		caps_set_roce = bf_get(in + BF_CAP_CMD_DATA, CAP(ROCE)) != 0;
	if (opcode != BF_OP_QUERY_HCA_CAP)
		return HOSTILE_FW_HONEST;
	if (!general) {
		bf_set(cap, BF_ROCE_CAP_QP_TS_FORMAT, row->ts_format);
		return HOSTILE_FW_DONE;
	}
	bf_set(cap, CAP(NUM_PORTS), 1);
	bf_set(cap, CAP(PORT_TYPE), BF_PORT_TYPE_ETH);
	bf_set(cap, CAP(RC), 1);
	bf_set(cap, CAP(LOG_MAX_QP), 10);
	if ((bf_get(in, BF_IN_OP_MOD) & 1) == BF_CAP_MAX)
		bf_set(cap, CAP(ROCE), row->max_roce);
	else
		for (i = 0; i < RTE_DIM(row->cur) && row->cur[i].fld != 0; i++)
			bf_set(cap, row->cur[i].fld, row->cur[i].val);
	return HOSTILE_FW_DONE;
}

/* What is nice to know is not known if firmware refuses to say it, and the port is up. */
static int
test_unknown(void)
{
	static const char *const cmds[] = { "QUERY_ADAPTER", "QUERY_NIC_VPORT_CONTEXT",
		"QUERY_VPORT_STATE" };
	const struct bf_func_caps *got;
	unsigned int i;

	TEST_CALL(start("pf0,flr_ms=5,link=down"));
	for (i = 0; i < RTE_DIM(cmds); i++)
		TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=%s count=1 status=3",
			cmds[i]), 0);
	TEST_CALL(obj_func_up("pf0", 0, 0));
	got = bf_func_caps(obj_func);
	TEST_TRUE(got->board_id[0] == '\0' && !got->has_vport && got->port_state == 1);
	obj_func_down();
	TEST_CALL(obj_func_up("pf0", 1000, 0));
	got = bf_func_caps(obj_func);
	TEST_TRUE(got->board_id[0] != '\0' && got->has_vport && got->port_state == 0);
	/* a reset that fails there leaves what was known */
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=QUERY_ADAPTER count=1 no-answer"),
		0);
	TEST_EXPECT(bf_func_reset(obj_func), -ETIMEDOUT);
	TEST_TRUE(got->board_id[0] != '\0' && got->has_vport);
	TEST_EXPECT(bf_func_reset(obj_func), 0);
	return obj_passed_clean();
}

/* Each capability by itself: RoCE is asked for where it can be had, the rest is read. */
static int
test_each_cap(void)
{
	const struct bf_func_caps *got;
	struct bf_func_conf conf;
	struct bf_func *func;
	struct bf_hw *hw;
	unsigned int i;

	bf_func_conf_init(&conf);
	for (i = 0; i < RTE_DIM(caps_rows); i++) {
		TEST_CALL(hostile_round_begin());
		hostile_server.arg = i;
		hostile_server.fw = fw_caps_row;
		TEST_CALL(hostile_vfu_start(&hostile_server));
		TEST_EXPECT(bf_hw_vfu_open("caps", hostile_server.path, TEST_MS, &hw), 0);
		TEST_EXPECT(bf_func_create(hw, &conf, &func), 0);
		got = bf_func_caps(func);
		TEST_ASSERT(caps_set_roce == caps_rows[i].set_roce &&
			got->port == caps_rows[i].port && got->max_eq == caps_rows[i].max_eq &&
			got->max_qp == 1024 && func->qp_ts_format == caps_rows[i].qp_ts_format,
			"row %u: RoCE %u, port %u, max_eq %u, max_qp %u, format %u", i,
			caps_set_roce, got->port, got->max_eq, got->max_qp, func->qp_ts_format);
		TEST_TRUE(strcmp(got->board_id, "A") == 0);
		bf_func_destroy(func);
		TEST_CALL(hostile_round_end());
	}
	return test_log_passed();
}

/* The device is not made; these words are in the log, and nothing is left. */
static int
expect_refused(const char *function, const char *args, int error, const char *what,
	const char *remedy)
{
	int ret = test_model_dev_add(&model, function, args);

	TEST_ASSERT(ret == error, "%s is %d, not %d", function, ret, error);
	TEST_ASSERT(test_log_has(what), "'%s' is not in the log", what);
	TEST_ASSERT(test_log_has(remedy), "'%s' is not in the log", remedy);
	TEST_WAIT(test_model_state(&model, function, "connected") == 0, TEST_MS);
	TEST_EXPECT(test_model_state(&model, function, "given"), 0);
	TEST_EXPECT(test_model_state(&model, function, "objects"), 0);
	test_log_drop();
	return test_log_begin();
}

/* The owner has done as the message says. */
static int
expect_taken(const char *function, const char *args)
{
	int ret = test_model_dev_add(&model, function, args);

	TEST_ASSERT(ret >= 0, "%s is %d", function, ret);
	TEST_EXPECT(test_model_dev_remove(&model, (int16_t)ret), 0);
	return TEST_SUCCESS;
}

static int
test_silicon_2_7_roce_off(void)
{
	TEST_CALL(start("pf0vf0,roce=off pf0,roce_table=0 ecpf0vf0,roce=off ecpf0,roce=off"));
	TEST_CALL(expect_refused("pf0vf0", "", -ENOTSUP, "RoCE is off for the function (capability",
		"on the card devlink port function set <representor> roce enable"));
	TEST_CALL(expect_refused("pf0", "", -ENOTSUP, "RoCE is off for the function (its table",
		"on the card devlink port function set <representor> roce enable"));
	TEST_CALL(expect_refused("ecpf0vf0", "role=dpu", -ENOTSUP, "RoCE is off for the function",
		"on the card devlink port function set <representor> roce enable"));
	TEST_CALL(expect_refused("ecpf0", "", -ENOTSUP, "RoCE is off for the function",
		"mlxconfig (or mstconfig) -d <device> set ROCE_CONTROL=2, then a power cycle"));
	return test_log_passed();
}

static int
test_silicon_2_7_infiniband(void)
{
	TEST_CALL(start("pf0,port=ib pf0vf0,port=ib"));
	TEST_CALL(expect_refused("pf0", "", -ENOTSUP, "its port is InfiniBand",
		"mlxconfig (or mstconfig) -d <device> set LINK_TYPE_P<port>=2"));
	TEST_CALL(expect_refused("pf0vf0", "", -ENOTSUP, "its port is InfiniBand",
		"mlxconfig (or mstconfig) -d <its PF> set LINK_TYPE_P<port>=2"));
	return test_log_passed();
}

static int
test_silicon_5_7_zero_mac(void)
{
	TEST_CALL(start("pf0vf0,mac=0 ecpf0,mac=00:00:00:00:00:00"));
	TEST_CALL(expect_refused("pf0vf0", "", -EADDRNOTAVAIL, "has no MAC address",
		"on the card devlink port function set <representor> hw_addr <MAC>"));
	TEST_CALL(expect_refused("ecpf0", "", -EADDRNOTAVAIL, "has no MAC address",
		"ip link set <interface> address <MAC>"));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 mac 02:00:00:00:00:07"), 0);
	TEST_CALL(expect_taken("pf0vf0", ""));
	return test_log_passed();
}

static int
test_silicon_5_7_vport_down(void)
{
	TEST_CALL(start("pf0vf0,link=down ecpf0,link=down"));
	TEST_CALL(expect_refused("pf0vf0", "", -ENETDOWN, "its vport is down",
		"on the card ip link set <representor> up"));
	TEST_CALL(expect_refused("ecpf0", "", -ENETDOWN, "its vport is down",
		"ip link set <interface> up"));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 port up"), 0);
	TEST_CALL(expect_taken("pf0vf0", ""));
	return test_log_passed();
}

/* A device that is there: the link is an event, and a reset does without; RoCE is not. */
static int
test_silicon_2_7_reset(void)
{
	struct rte_comch_dev_info info;
	int id;

	TEST_CALL(start("pf0vf0,flr_ms=5"));
	id = test_model_dev_add(&model, "pf0vf0", "");
	TEST_TRUE(id >= 0);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 port down"), 0);
	TEST_EXPECT(rte_comch_dev_reset((int16_t)id), 0);
	TEST_EXPECT(rte_comch_dev_info_get((int16_t)id, &info), 0);
	TEST_TRUE(info.status == 0 && !info.link_up);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 cap roce=0"), 0);
	TEST_EXPECT(rte_comch_dev_reset((int16_t)id), -ENOTSUP);
	TEST_EXPECT(test_dev_status((int16_t)id), -ENOTSUP);
	TEST_TRUE(test_log_has("RoCE is off"));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 clear"), 0);
	TEST_EXPECT(rte_comch_dev_reset((int16_t)id), 0);
	TEST_EXPECT(test_dev_status((int16_t)id), 0);
	TEST_EXPECT(test_model_dev_remove(&model, (int16_t)id), 0);
	return test_log_passed();
}

/* An entry of the table goes with the version that it came with: there may be no other. */
static int
test_silicon_7_1_address_removed(void)
{
	unsigned int i;

	TEST_CALL(start("pf0vf0,flr_ms=5"));
	for (i = 0; i < 2; i++) {
		TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 cap roce_version=%u",
			i == 0 ? 4 : 5), 0);
		TEST_CALL(expect_taken("pf0vf0", "peer=02:00:00:00:00:02"));
		TEST_TRUE(!test_log_has("SET_ROCE_ADDRESS"));
	}
	return test_log_passed();
}

/* Firmware that wants the options of INIT2RTR_QP named is given them, from then on. */
static int
test_silicon_8_12_named_options(void)
{
	static const char *const masks[] = { "opt_param_mask=0xa ", "opt_param_mask=0x30 " };
	struct bf_qp_attr attr = { .nb_sq_blocks = 16, .user_index = UINT32_MAX };
	struct obj_qp_info info;
	struct bf_qp qp;
	unsigned int i;

	for (i = 0; i < RTE_DIM(masks); i++) {
		TEST_CALL(start("pf0,flr_ms=5"));
		TEST_CALL(obj_func_up("pf0", 0, 0));
		TEST_CALL(obj_set_create(&obj_set));
		attr.service = i == 0 ? BF_QP_RC : BF_QP_UD;
		attr.qkey = i == 0 ? 0 : 0x12345678;
		attr.pd = &obj_set.pd;
		attr.uar = &obj_set.uar;
		attr.cq_send = attr.cq_recv = &obj_set.cq;
		TEST_EXPECT(bf_qp_create(obj_dev, &attr, &qp), 0);
		TEST_EXPECT(bf_qp_to_init(&qp), 0);
		TEST_TRUE(!test_model_logged(&model, masks[i]));
		TEST_EXPECT(test_model_ctl(&model,
			"fault pf0 cmd opcode=INIT2RTR_QP count=1 status=3"), 0);
		TEST_EXPECT(bf_qp_to_rtr(&qp, &obj_path), 0);
		TEST_TRUE(test_model_logged(&model, masks[i]));
		TEST_TRUE(test_log_has("firmware wants options named"));
		/* the key of datagrams is one of them: it is that which was given before */
		TEST_EXPECT(obj_qp_query(&qp, &info), 0);
		TEST_EXPECT(info.qkey, attr.qkey);
		/* the next one needs no second try */
		TEST_EXPECT(bf_qp_to_reset(&qp), 0);
		TEST_EXPECT(bf_qp_to_init(&qp), 0);
		TEST_EXPECT(bf_qp_to_rtr(&qp, &obj_path), 0);
		TEST_EXPECT(test_log_count("INIT2RTR_QP (op_mod 0x0): bad parameter"), 1);
		bf_qp_destroy(&qp);
		TEST_CALL(obj_passed_clean());
		test_log_end();
		TEST_CALL(test_model_stop(&model));
	}
	return TEST_SUCCESS;
}

/* Of two PFs of a card the messages of one do not arrive at the other: that is said. */
static int
test_silicon_8_1_other_pf(void)
{
	static const uint8_t mac[] = { 2, 0, 0, 0, 0, 9 };
	struct bf_args args;

	TEST_CALL(obj_case_setup());
	TEST_EXPECT(bf_args_parse(&args, "card",
		"class=comch,role=dpu,functions=pf0vf0@02:00:00:00:00:01/pf1vf3@02:00:00:00:00:02",
		true), 0);
	TEST_EXPECT(bf_args_check(&args, "card", RTE_COMCH_ROLE_DPU, mac, "pf0vf1"), 0);
	TEST_TRUE(test_log_has("of the card's p0, and 'pf1vf3'"));
	TEST_TRUE(test_log_has("serve it by a function of p1"));
	TEST_EXPECT(bf_args_check(&args, "card", RTE_COMCH_ROLE_DPU, mac, ""), 0);
	TEST_EXPECT(test_log_count("do not arrive"), 1);
	return test_log_passed();
}

/* Where the bus knows which function it is, the command has its name. */
static int
test_silicon_2_7_names(void)
{
	const struct bf_ident vf = { .function = "pf1vf3", .pci_addr = "0000:03:01.0" };
	const struct bf_ident pf = { .function = "pf1", .pci_addr = "0000:03:00.1" };

	TEST_CALL(start("pf0vf0,flr_ms=5,roce=off pf0,flr_ms=5,roce=off pf1,flr_ms=5,port=ib"));
	TEST_CALL(obj_func_up("pf0vf0", 0, 0));
	TEST_EXPECT(bf_usable(obj_func, "vf", RTE_COMCH_ROLE_HOST, &vf, true), -ENOTSUP);
	TEST_TRUE(test_log_has("vf: RoCE is off"));
	TEST_TRUE(test_log_has("devlink port function set pf1vf3 roce enable"));
	/* the card's representors of its own functions have other names */
	TEST_EXPECT(bf_usable(obj_func, "vf", RTE_COMCH_ROLE_DPU, &vf, true), -ENOTSUP);
	TEST_TRUE(test_log_has("devlink port function set <representor> roce enable"));
	obj_func_down();
	TEST_CALL(obj_func_up("pf0", 0, 0));
	TEST_EXPECT(bf_usable(obj_func, "pf", RTE_COMCH_ROLE_HOST, &pf, true), -ENOTSUP);
	TEST_TRUE(test_log_has("devlink port function set pf1hpf roce enable"));
	obj_func_down();
	TEST_CALL(obj_func_up("pf1", 0, 0));
	TEST_EXPECT(bf_usable(obj_func, "pf", RTE_COMCH_ROLE_HOST, &pf, true), -ENOTSUP);
	TEST_TRUE(test_log_has("-d 0000:03:00.1 set LINK_TYPE_P2=2"));
	return test_log_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "capabilities of BlueField functions as cards have them",
	.unit_test_cases = {
		TEST_CASE_ST(NULL, obj_case_teardown, test_counts_absurd),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_each_cap),
		TEST_CASE_ST(NULL, obj_case_teardown, test_unknown),
		TEST_CASE_ST(NULL, obj_case_teardown, test_last_wqe),
		TEST_CASE_ST(NULL, obj_case_teardown, test_silicon_2_7_roce_off),
		TEST_CASE_ST(NULL, obj_case_teardown, test_silicon_2_7_infiniband),
		TEST_CASE_ST(NULL, obj_case_teardown, test_silicon_2_7_reset),
		TEST_CASE_ST(NULL, obj_case_teardown, test_silicon_2_7_names),
		TEST_CASE_ST(NULL, obj_case_teardown, test_silicon_2_8_udp_source_port),
		TEST_CASE_ST(NULL, obj_case_teardown, test_silicon_2_8_no_udp_source_port),
		TEST_CASE_ST(NULL, obj_case_teardown, test_silicon_2_9_vhca_port),
		TEST_CASE_ST(NULL, obj_case_teardown, test_silicon_2_11_event_mask),
		TEST_CASE_ST(NULL, obj_case_teardown, test_silicon_2_11_no_page_requests),
		TEST_CASE_ST(NULL, obj_case_teardown, test_silicon_5_7_roce_asked_for),
		TEST_CASE_ST(NULL, obj_case_teardown, test_silicon_5_7_zero_mac),
		TEST_CASE_ST(NULL, obj_case_teardown, test_silicon_5_7_vport_down),
		TEST_CASE_ST(NULL, obj_case_teardown, test_silicon_5_8_address_without_mac),
		TEST_CASE_ST(NULL, obj_case_teardown, test_silicon_7_1_address_removed),
		TEST_CASE_ST(NULL, obj_case_teardown, test_silicon_8_12_named_options),
		TEST_CASE_ST(NULL, obj_case_teardown, test_silicon_8_1_other_pf),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_hard_caps_autotest, unit_test_suite_runner, &suite);
