/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Whom a BlueField device talks to, as its arguments say: each mistake in them, the
 * representors that follow, and what is said to who forgot them. And what it can do.
 */

#include <rte_bus_vdev.h>

#include "test_bluefield_model.h"
#include "test_comch_util.h"

#define HOST0 "02:00:00:00:0a:00"
#define HOST1 "02:00:00:00:0a:01"
#define CARD "02:00:00:00:0c:00"

static int16_t dev_id;

static int
case_setup(void)
{
	TEST_CALL(test_log_begin());
	return test_model_start(&model,
		"pf0vf0,flr_ms=5,mac=" HOST0 " ecpf0vf0,flr_ms=5,mac=" CARD);
}

static int
add(const char *function, const char *args)
{
	dev_id = (int16_t)test_model_dev_add(&model, function, args);
	return dev_id;
}

/* Refused by its text alone: the function is not touched. */
static int
expect_bad(const char *key, const char *value, const char *words)
{
	char args[8192], has[32];

	test_log_drop();
	TEST_EXPECT(test_log_begin(), 0);
	snprintf(args, sizeof(args), "socket=/nowhere,%s%s%s", key, value == NULL ? "" : "=",
		value == NULL ? "" : value);
	snprintf(has, sizeof(has), "key '%s'", key);
	TEST_ASSERT(rte_vdev_init("comch_bluefield_dev", args) == -EINVAL, "'%s'", args);
	TEST_ASSERT(test_log_has("comch_bluefield_dev") && test_log_has(has),
		"'%s': device and key are not in the log", args);
	TEST_ASSERT(test_log_has(words), "'%s': '%s' is not in the log", args, words);
	return TEST_SUCCESS;
}

static int
test_bad_functions(void)
{
	static const char *const names[] = {
		"", "p", "pf", "pf4", "pf00", "pf-1", "pf0v", "pf0vf", "pf0vf128", "pf0vf03",
		"pf0vf0x", "pf0sf1", "vf0", "PF0", "pf0vf1vf2", "ecpf0vf0", "pf0vf99999999999",
		"pf0vf0 ", "%s%n",
	};
	static const char *const macs[] = {
		"", "0", "02:00:00:00:0a", "02:00:00:00:0a:00:00", "02-00-00-00-0a-00",
		"020000000a00", "02:00:00:00:0a:0g", "00:00:00:00:00:00", "03:00:00:00:0a:00",
		"ff:ff:ff:ff:ff:ff", "2:0:0:0:a:0:000:0", " 2:00:00:00:0a:00", "+2:00:00:00:0a:00",
	};
	char value[128];
	unsigned int i;

	for (i = 0; i < RTE_DIM(names); i++) {
		snprintf(value, sizeof(value), "%s@" HOST0, names[i]);
		TEST_CALL(expect_bad("functions", value, "is no function of the host"));
		snprintf(value, sizeof(value), "pf1@" HOST1 "/%s@" HOST0, names[i]);
		TEST_CALL(expect_bad("functions", value, "devlink port show"));
	}
	for (i = 0; i < RTE_DIM(macs); i++) {
		snprintf(value, sizeof(value), "pf0vf0@%s", macs[i]);
		TEST_CALL(expect_bad("functions", value, "is the MAC of the function"));
		TEST_CALL(expect_bad("peer", macs[i], "is the MAC of the card's function"));
	}
	TEST_CALL(expect_bad("functions", "", "it is a list"));
	TEST_CALL(expect_bad("functions", "pf0vf0", "is the MAC of the function"));
	TEST_CALL(expect_bad("functions", "pf0vf0@" HOST0 "/", "is no function of the host"));
	TEST_CALL(expect_bad("functions", "pf0vf0@" HOST0 "/pf0vf0@" HOST1, "there twice"));
	TEST_CALL(expect_bad("functions", "pf0vf0@" HOST0 "/pf0vf1@" HOST0, "there twice"));
	return test_log_passed();
}

/* Addresses of IPv4: each is one of one function, and all functions have one or none. */
static int
test_bad_ips(void)
{
	static const char *const ips[] = {
		"", "0", "192.0.2", "192.0.2.1.", "192.0.2.256", "192.0.2.01", " 192.0.2.1",
		"192.0.2.1-24", "192.0.2.1@", "::1", "::ffff:192.0.2.1", "0.0.0.0", "224.0.0.1",
		"239.255.255.255", "255.255.255.255", "127.0.0.1", "%s",
	};
	char value[128];
	unsigned int i;

	TEST_CALL(expect_bad("ip", NULL, "it is the IPv4 address that this function"));
	TEST_CALL(expect_bad("ip", "192.0.2.1,ip=192.0.2.2", "is there twice"));
	for (i = 0; i < RTE_DIM(ips); i++) {
		TEST_CALL(expect_bad("ip", ips[i], "it is the IPv4 address that this function"));
		snprintf(value, sizeof(value), CARD "@%s", ips[i]);
		TEST_CALL(expect_bad("peer", value, "an @ and its IPv4 address follow"));
		snprintf(value, sizeof(value), "pf0vf0@" HOST0 "@%s", ips[i]);
		TEST_CALL(expect_bad("functions", value, "another @ and its IPv4 address"));
	}
	TEST_CALL(expect_bad("functions", "pf0vf0@" HOST0 "@192.0.2.1/pf0vf1@" HOST1 "@192.0.2.1",
		"there twice"));
	/* of the kind of our own, in any order */
	TEST_CALL(expect_bad("peer", CARD "@192.0.2.1", "this function none: give ip=<IPv4> too"));
	TEST_CALL(expect_bad("functions", "pf0vf0@" HOST0 "/pf0vf1@" HOST1 "@192.0.2.1",
		HOST1 " has an IPv4 address, and this function none"));
	TEST_CALL(expect_bad("peer", CARD ",ip=192.0.2.1", "give " CARD "@<IPv4>, or no 'ip'"));
	TEST_CALL(expect_bad("functions", "pf0vf0@" HOST0 "@192.0.2.2/pf0vf1@" HOST1
		",ip=192.0.2.1", HOST1 " has no IPv4 address"));
	TEST_CALL(expect_bad("peer", CARD "@192.0.2.1,ip=192.0.2.1", "give each function its own"));
	TEST_CALL(expect_bad("functions", "pf0vf0@" HOST0 "@192.0.2.1,ip=192.0.2.1",
		"give each function its own"));
	return test_log_passed();
}

static int
test_too_many_functions(void)
{
	static char value[8000];
	unsigned int i;
	size_t at = 0;

	for (i = 0; i < 129; i++)
		at += snprintf(value + at, sizeof(value) - at, "%spf%uvf%u@02:00:00:00:01:%02x",
			i == 0 ? "" : "/", i / 120, i % 120, i);
	TEST_CALL(expect_bad("functions", value, "more than 128 functions"));
	return test_log_passed();
}

static int
test_bad_others(void)
{
	static const char *const names[] = { "", "a/b", "pf0vf0@x", "a b", "%s",
		"a234567890123456789012345678901x" };
	static const char *const fdbs[] = { "", "None", "tcx", "rte_flow" };
	unsigned int i;

	TEST_CALL(expect_bad("functions", NULL, "it is a list"));
	TEST_CALL(expect_bad("peer", NULL, "is the MAC of the card's function"));
	TEST_CALL(expect_bad("function", NULL, "the name that the card has"));
	TEST_CALL(expect_bad("fdb", NULL, "it is none or tc"));
	for (i = 0; i < RTE_DIM(names); i++)
		TEST_CALL(expect_bad("function", names[i], "the name that the card has"));
	for (i = 0; i < RTE_DIM(fdbs); i++)
		TEST_CALL(expect_bad("fdb", fdbs[i], "it is none or tc"));
	TEST_CALL(expect_bad("fdb", "none,fdb=none", "is there twice"));
	TEST_CALL(expect_bad("functions", "pf0@" HOST0 ",functions=pf0@" HOST0, "is there twice"));
	return test_log_passed();
}

/* What only the function tells: refused after it came up, and it is given back. */
static int
expect_wrong(const char *function, const char *args, const char *words)
{
	test_log_drop();
	TEST_EXPECT(test_log_begin(), 0);
	TEST_ASSERT(add(function, args) == -EINVAL, "'%s'", args);
	TEST_ASSERT(test_log_has(words), "'%s': '%s' is not in the log", args, words);
	TEST_WAIT(test_model_state(&model, function, "connected") == 0, TEST_MS);
	TEST_EXPECT(test_model_state(&model, function, "objects"), 0);
	TEST_EXPECT(test_model_state(&model, function, "given"), 0);
	return TEST_SUCCESS;
}

static int
test_wrong_side(void)
{
	TEST_CALL(expect_wrong("pf0vf0", "functions=pf0vf1@" HOST1, "give role=dpu too"));
	TEST_CALL(expect_wrong("pf0vf0", "role=host,functions=pf0vf1@" HOST1, "peer=<MAC"));
	TEST_CALL(expect_wrong("ecpf0vf0", "role=dpu,peer=" HOST0, "functions=<name>@<MAC>"));
	TEST_CALL(expect_wrong("pf0vf0", "peer=" HOST0, "of the function itself"));
	TEST_CALL(expect_wrong("ecpf0vf0", "role=dpu,functions=pf0vf0@" CARD,
		"of the function itself"));
	TEST_CALL(expect_wrong("pf0vf0", "peer=" CARD ",function=eth0",
		"'eth0' is no function of the host"));
	return test_log_passed();
}

/* Nobody to talk to: it says which key is missing, and leaves the function as it was. */
static int
test_nobody(void)
{
	struct rte_comch_rep_info rep;

	TEST_TRUE(add("pf0vf0", "") >= 0);
	TEST_TRUE(test_log_has("has no server to reach") && test_log_has("peer=<MAC"));
	TEST_EXPECT(test_dev_info(dev_id).capa, 0);
	TEST_EXPECT(test_model_state(&model, "pf0vf0", "objects"), 2);
	TEST_EXPECT(test_model_devs_remove(&model), 0);
	/* on the card, it is any name of an interface that is its function */
	TEST_TRUE(add("ecpf0vf0", "role=dpu,function=en_3.f0-pf0sf0") >= 0);
	TEST_TRUE(test_dev_info(dev_id).function[0] == '\0');
	TEST_TRUE(test_log_has("serves no function") && test_log_has("functions=<name>@<MAC>"));
	TEST_EXPECT(rte_comch_rep_list(dev_id, &rep, 1), 0);
	TEST_EXPECT(test_model_devs_remove(&model), 0);
	return test_log_passed();
}

static int
test_reps(void)
{
	struct rte_comch_dev_info host;
	struct rte_comch_rep_info reps[4];

	TEST_TRUE(add("pf0vf0", "peer=" CARD ",function=pf0vf0") >= 0);
	TEST_TRUE(!test_log_has("is missing"));
	TEST_EXPECT(rte_comch_dev_info_get(dev_id, &host), 0);
	TEST_TRUE(strcmp(host.function, "pf0vf0") == 0 && host.vuid[0] != '\0');
	TEST_EXPECT(host.nb_reps, 0);
	TEST_EXPECT(test_model_devs_remove(&model), 0);
	TEST_TRUE(add("ecpf0vf0", "role=dpu,functions=pf1@" HOST1 "/pf0vf0@" HOST0
		"/pf0vf126@02:00:00:00:0a:7e") >= 0);
	memset(reps, 0xff, sizeof(reps));
	TEST_EXPECT(rte_comch_rep_list(dev_id, reps, RTE_DIM(reps)), 3);
	TEST_TRUE(strcmp(reps[0].name, "pf1") == 0 && reps[0].type == RTE_COMCH_FUNC_PF);
	TEST_TRUE(reps[0].pf == 1 && reps[0].number == 0 && reps[0].rep_id == 0);
	TEST_TRUE(strcmp(reps[1].name, "pf0vf0") == 0 && reps[1].type == RTE_COMCH_FUNC_VF);
	TEST_TRUE(reps[1].pf == 0 && reps[1].number == 0 && reps[1].rep_id == 1);
	TEST_TRUE(reps[2].pf == 0 && reps[2].number == 126 && reps[2].rep_id == 2);
	TEST_EXPECT(reps[3].rep_id, UINT16_MAX);
	/* known by the MAC, on both sides */
	TEST_TRUE(strcmp(reps[1].vuid, host.vuid) == 0);
	TEST_EXPECT(rte_comch_rep_get_id_by_name(dev_id, host.vuid), 1);
	TEST_EXPECT(rte_comch_rep_get_id_by_name(dev_id, "pf0vf126"), 2);
	TEST_EXPECT(rte_comch_rep_get_id_by_name(dev_id, "pf0vf1"), -ENODEV);
	return test_log_passed();
}

/* What firmware says of its queues and messages is what applications are told. */
static int
test_small_caps(void)
{
	struct rte_comch_dev_info info;

	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 cap log_max_srq_sz=10"), 0);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 cap log_max_qp_sz=11"), 0);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 cap log_max_msg=20"), 0);
	TEST_TRUE(add("pf0vf0", "peer=" CARD) >= 0);
	TEST_EXPECT(rte_comch_dev_info_get(dev_id, &info), 0);
	TEST_EXPECT(info.max_posts, 1 << 9);
	TEST_EXPECT(info.max_sends, 1 << 10);
	TEST_EXPECT(info.max_buf_size, (1 << 20) - info.max_imm_len);
	return test_log_passed();
}

static int
test_switch_commands(void)
{
	TEST_TRUE(add("pf0vf0", "peer=" CARD ",function=pf0vf0,fdb=tc") >= 0);
	TEST_TRUE(test_log_has("ip link set pf0vf0 up\n"));
	TEST_TRUE(test_log_has("\ntc filter add dev pf0vf0 ingress prio 1 protocol ipv6 flower skip_sw src_mac "
		HOST0 " dst_mac " CARD
		" src_ip fe80::ff:fe00:a00 dst_ip fe80::ff:fe00:c00 ip_proto udp dst_port 4791 action mirred egress redirect dev <representor of "
		CARD ">\n"));
	TEST_TRUE(test_log_has("devlink port show"));
	TEST_EXPECT(test_model_devs_remove(&model), 0);
	TEST_TRUE(test_log_has("tc filter del dev pf0vf0 ingress"));
	TEST_TRUE(add("pf0vf0",
		"ip=192.0.2.1,peer=" CARD "@223.255.255.254,function=pf0vf0,fdb=tc") >= 0);
	TEST_TRUE(test_log_has("prio 1 protocol ip flower skip_sw src_mac " HOST0 " dst_mac " CARD
		" src_ip 192.0.2.1 dst_ip 223.255.255.254 ip_proto udp dst_port 4791"));
	TEST_EXPECT(test_model_devs_remove(&model), 0);
	test_log_drop();
	TEST_EXPECT(test_log_begin(), 0);
	/* by default they are not said */
	TEST_TRUE(add("pf0vf0", "peer=" CARD) >= 0);
	TEST_TRUE(!test_log_has("tc filter"));
	return test_log_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "whom BlueField devices talk to",
	.unit_test_cases = {
		TEST_CASE_ST(case_setup, test_model_teardown, test_bad_functions),
		TEST_CASE_ST(case_setup, test_model_teardown, test_bad_ips),
		TEST_CASE_ST(case_setup, test_model_teardown, test_too_many_functions),
		TEST_CASE_ST(case_setup, test_model_teardown, test_bad_others),
		TEST_CASE_ST(case_setup, test_model_teardown, test_wrong_side),
		TEST_CASE_ST(case_setup, test_model_teardown, test_nobody),
		TEST_CASE_ST(case_setup, test_model_teardown, test_reps),
		TEST_CASE_ST(case_setup, test_model_teardown, test_small_caps),
		TEST_CASE_ST(case_setup, test_model_teardown, test_switch_commands),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_dev_autotest, unit_test_suite_runner, &suite);
