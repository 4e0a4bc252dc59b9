/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The switch of the software BlueField as its operator sees it: rules in the words of
 * tc, which are taken, refused, listed and deleted. Packets are in
 * test_bluefield_isolation.c.
 */

#include "test_bluefield_model.h"
#include "test_comch_util.h"

/* What begins and ends most rules. */
#define VF1 "dev pf0vf1 ingress prio 5 "
#define V6 VF1 "protocol ipv6 flower "
#define TO_CARD "action mirred egress redirect dev ecpf0vf0"

static int
case_setup(void)
{
	TEST_EXPECT(test_log_begin(), 0);
	return test_model_start(&model, "pf0vf0 pf0vf1 ecpf0vf0 pf1vf0 pf1,port=ib");
}

/* How often the dump of the switch has these words. */
static int
dumped(const char *words)
{
	const char *p;
	int nb = 0;

	if (test_model_ctl(&model, "switch dump") != 0)
		return -1;
	for (p = model.answer; (p = strstr(p, words)) != NULL; p += strlen(words))
		nb++;
	return nb;
}

/* Vports of all functions, and those of nobody; all counters are there, and 0. */
static int
test_vports(void)
{
	static const char *const vports[] = { "pf0vf0", "pf0vf1", "ecpf0vf0", "pf1vf0", "pf1",
		"uplink0", "manager0", "uplink1", "manager1" };
	static const char *const keys[] = { "sent", "sent_bytes", "received", "received_bytes",
		"no-rule", "rule", "sender-down", "no-lid", "link-down", "roce-off", "no-address" };
	unsigned int i, k;

	TEST_EXPECT(dumped("vport "), (int)RTE_DIM(vports));
	TEST_EXPECT(dumped("fabric=ib"), 1);
	TEST_EXPECT(dumped("\nrule "), 0);
	for (i = 0; i < RTE_DIM(vports); i++) {
		for (k = 0; k < RTE_DIM(keys); k++)
			TEST_ASSERT(test_model_vport(&model, vports[i], keys[k]) == 0,
				"%s has no counter %s", vports[i], keys[k]);
	}
	TEST_EXPECT(test_model_vport(&model, "pf0vf9", "sent"), -1);
	return test_log_passed();
}

/* Each rule is listed as it was given; those of lower prio come first. */
static int
test_rules_listed(void)
{
	static const char *const rules[] = {
		"dev pf0vf0 ingress prio 1 protocol ipv6 flower skip_sw src_mac 02:00:00:00:00:01 "
		"dst_mac 02:00:00:00:00:02 src_ip fe80::ff:fe00:1 dst_ip fe80::ff:fe00:2 "
		"ip_proto udp dst_port 4791 " TO_CARD,
		"dev pf0vf1 ingress prio 2 protocol ip flower skip_sw src_ip 10.0.0.0/8 "
		"dst_ip 10.1.2.3 ip_proto udp src_port 49152 action mirred egress redirect "
		"dev uplink0",
		("dev pf0vf0 ingress prio 3 protocol ipv6 flower skip_sw src_ip fe80::/10 "
		"action drop"),
		"dev pf0vf0 ingress prio 16 protocol all flower skip_sw action drop",
	};
	const char *at, *before;
	unsigned int i;

	for (i = RTE_DIM(rules); i-- > 0;)
		TEST_EXPECT(test_model_ctl(&model, "rule add %s", rules[i]), 0);
	TEST_EXPECT(dumped("\nrule "), (int)RTE_DIM(rules));
	before = model.answer;
	for (i = 0; i < RTE_DIM(rules); i++) {
		at = strstr(model.answer, rules[i]);
		TEST_ASSERT(at != NULL && at > before, "not there, or not in order: %s", rules[i]);
		before = at;
	}
	/* As on a command line of tc. */
	TEST_EXPECT(test_model_ctl(&model, "rule del tc filter del %s", rules[0]), 0);
	TEST_EXPECT(test_model_ctl(&model, "rule add tc filter add %s", rules[0]), 0);
	TEST_EXPECT(dumped("\nrule "), (int)RTE_DIM(rules));
	return test_log_passed();
}

/* A physical function of the host has a representor of another name. */
static int
test_representor_of_pf(void)
{
	TEST_CALL(test_model_stop(&model));
	TEST_CALL(test_model_start(&model, "pf0 pf0vf0"));
	TEST_EXPECT(test_model_ctl(&model, "rule add dev pf0hpf ingress prio 1 flower action "
		"mirred egress redirect dev pf0vf0"), 0);
	TEST_EXPECT(test_model_ctl(&model, "rule add dev pf0vf0 ingress prio 1 flower action "
		"mirred egress redirect dev pf0hpf"), 0);
	TEST_EXPECT(dumped("rule dev pf0 ingress prio 1"), 1);
	TEST_EXPECT(dumped("redirect dev pf0 "), 1);
	TEST_EXPECT(test_model_ctl(&model, "rule del dev pf0vf0hpf ingress"), -1);
	TEST_EXPECT(test_model_ctl(&model, "rule del dev hpf ingress"), -1);
	return test_log_passed();
}

/* The same packets at the same place: which of the two would it be? */
static int
test_rule_given_twice(void)
{
	TEST_EXPECT(test_model_ctl(&model, "rule add " VF1 "flower action drop"), 0);
	TEST_EXPECT(test_model_ctl(&model, "rule add " VF1 "flower action drop"), -1);
	TEST_TRUE(strstr(model.answer, "'prio 5'") != NULL);
	TEST_TRUE(strstr(model.answer, "rule del") != NULL);
	TEST_EXPECT(test_model_ctl(&model, "rule add " VF1 "flower " TO_CARD), -1);
	/* Linux has one protocol at a prio */
	TEST_EXPECT(test_model_ctl(&model, "rule add " V6 "action drop"), -1);
	TEST_TRUE(strstr(model.answer, "another protocol") != NULL);
	TEST_EXPECT(dumped("\nrule "), 1);
	return test_log_passed();
}

/* Words that are left out at the end stand for all that begin so. */
static int
test_rules_deleted(void)
{
	TEST_EXPECT(test_model_ctl(&model, "rule add " V6 "action drop"), 0);
	TEST_EXPECT(test_model_ctl(&model, "rule add " V6 "src_port 1 action drop"), -1);
	TEST_EXPECT(test_model_ctl(&model, "rule add " V6 "ip_proto udp src_port 1 action drop"),
		0);
	TEST_EXPECT(test_model_ctl(&model, "rule add " V6 "ip_proto udp src_port 2 action drop"),
		0);
	TEST_EXPECT(test_model_ctl(&model, "rule add dev pf0vf1 ingress prio 6 flower "
		"action drop"), 0);
	TEST_EXPECT(test_model_ctl(&model, "rule add dev pf0vf0 ingress prio 5 flower "
		"action drop"), 0);
	TEST_EXPECT(dumped("\nrule "), 5);
	TEST_EXPECT(test_model_ctl(&model, "rule del " V6 "ip_proto udp src_port 2 " TO_CARD), -1);
	TEST_TRUE(strstr(model.answer, "switch dump") != NULL);
	TEST_EXPECT(test_model_ctl(&model, "rule del " V6 "ip_proto udp src_port 2 action drop"),
		0);
	TEST_EXPECT(dumped("\nrule "), 4);
	TEST_EXPECT(test_model_ctl(&model, "rule del dev pf0vf1 ingress prio 5"), 0);
	TEST_EXPECT(dumped("\nrule "), 2);
	TEST_EXPECT(test_model_ctl(&model, "rule del dev pf0vf1 ingress prio 5"), -1);
	TEST_EXPECT(test_model_ctl(&model, "rule del dev pf0vf1 ingress"), 0);
	TEST_EXPECT(dumped("\nrule "), 1);
	TEST_EXPECT(dumped("rule dev pf0vf0 ingress prio 5"), 1);
	return test_log_passed();
}

/* A bad rule changes nothing, and is told by its word, with a remedy. */
static int
test_rules_refused(void)
{
	static const struct {
		const char *rule;
		const char *word;
		const char *remedy;
	} bad[] = {
		{ "dev pf0vf9 ingress prio 5 flower action drop", "'dev pf0vf9'", "switch dump" },
		{ "dev uplink0 ingress prio 5 flower action drop", "'dev uplink0'", "list" },
		{ "dev pf1 ingress prio 5 flower action drop", "'dev pf1'", "port=eth" },
		{ "ingress prio 5 flower action drop", "'dev'", "dev pf0vf0" },
		{ "dev pf0vf1 prio 5 flower action drop", "'ingress'", "behind dev pf0vf1" },
		{ "dev pf0vf1 egress prio 5 flower action drop", "'egress'", "ingress" },
		{ "dev pf0vf1 ingress flower action drop", "'prio'", "1 to 16" },
		{ "dev pf0vf1 ingress prio 0 flower action drop", "'prio 0'", "1 to 16" },
		{ "dev pf0vf1 ingress prio 17 flower action drop", "'prio 17'", "1 to 16" },
		{ "dev pf0vf1 ingress prio", "'prio'", "prio 1" },
		{ "dev pf0vf1 ingress prio 5", "'ingress'", "flower skip_sw action drop" },
		{ VF1 "protocol arp flower action drop", "'protocol arp'", "ipv6" },
		{ VF1 "u32 action drop", "'u32'", "flower" },
		{ VF1 "matchall skip_sw action drop", "'matchall'", "flower skip_sw" },
		{ VF1 "flower src_ip fe80::1 action drop", "'src_ip'", "protocol ipv6" },
		{ VF1 "flower ip_proto udp action drop", "'ip_proto'", "protocol ipv6" },
		{ V6 "src_ip 10.0.0.1 action drop", "'src_ip 10.0.0.1'", "fe80::1" },
		{ V6 "src_ip fe80::1/129 action drop", "'src_ip fe80::1/129'", "0 to 128" },
		{ V6 "src_ip fe80::1 src_ip fe80::2 action drop", "'src_ip'", "leave one out" },
		{ V6 "src_mac 02:00 action drop", "'src_mac 02:00'", "02:00:00:00:00:01" },
		{ V6 "dst_mac", "'dst_mac '", "02:00:00:00:00:01" },
		{ V6 "ip_proto tcp action drop", "'ip_proto tcp'", "udp" },
		{ V6 "dst_port 4791 action drop", "'dst_port'", "ip_proto udp" },
		{ V6 "ip_proto udp dst_port 65536 action drop", "'dst_port 65536'", "0 to 65535" },
		{ V6 "skip_hw action drop", "'skip_hw'", "leave it out" },
		{ V6 "ct_state +trk action drop", "'ct_state'", "src_mac" },
		{ V6, "'flower'", "action drop" },
		{ V6 "action pass", "'pass'", "action drop" },
		{ V6 "action", "'action'", "action drop" },
		{ V6 "action drop drop", "'drop'", "leave it out" },
		{ V6 "action mirred ingress redirect dev ecpf0vf0", "'ingress'", "egress" },
		{ V6 "action mirred egress mirror dev ecpf0vf0", "'mirror'", "redirect" },
		{ V6 "action mirred egress redirect dev pf1vf0", "'redirect dev pf1vf0'",
			"another port" },
		{ V6 "action mirred egress redirect dev pf9", "'dev pf9'", "switch dump" },
	};
	unsigned int i;

	for (i = 0; i < RTE_DIM(bad); i++) {
		TEST_ASSERT(test_model_ctl(&model, "rule add %s", bad[i].rule) == -1,
			"is taken: %s", bad[i].rule);
		TEST_ASSERT(strstr(model.answer, bad[i].word) != NULL, "of %s: no %s in %s",
			bad[i].rule, bad[i].word, model.answer);
		TEST_ASSERT(strstr(model.answer, bad[i].remedy) != NULL, "of %s: no %s in %s",
			bad[i].rule, bad[i].remedy, model.answer);
	}
	TEST_EXPECT(dumped("\nrule "), 0);
	TEST_EXPECT(test_model_ctl(&model, "rule new"), -1);
	TEST_TRUE(strstr(model.answer, "rule add") != NULL);
	TEST_EXPECT(test_model_ctl(&model, "switch"), -1);
	TEST_TRUE(strstr(model.answer, "switch dump") != NULL);
	return test_log_passed();
}

/* A rule that says too little of the source is told so, and no other. */
static int
test_wide_rules_noted(void)
{
	TEST_EXPECT(test_model_ctl(&model, "rule add " V6 "src_ip fe80::1 " TO_CARD), 0);
	TEST_TRUE(strstr(model.answer, "note: the rule has no full src_mac") != NULL);
	TEST_EXPECT(test_model_ctl(&model, "rule add " V6 "src_mac 02:00:00:00:00:01 "
		"src_ip fe80::/64 " TO_CARD), 0);
	TEST_TRUE(strstr(model.answer, "note: the rule has no full src_ip") != NULL);
	TEST_EXPECT(test_model_ctl(&model, "rule add " V6 "src_mac 02:00:00:00:00:01 "
		"src_ip fe80::1 " TO_CARD), 0);
	TEST_TRUE(strstr(model.answer, "note") == NULL);
	TEST_EXPECT(test_model_ctl(&model, "rule add " V6 "action drop"), 0);
	TEST_TRUE(strstr(model.answer, "note") == NULL);
	return test_log_passed();
}

/* The two rules that all tests of messages give, of the addresses that functions have. */
static int
test_pair_allowed(void)
{
	TEST_CALL(test_model_allow(&model, "pf0vf0", "ecpf0vf0"));
	TEST_EXPECT(dumped("\nrule "), 2);
	TEST_EXPECT(dumped("rule dev pf0vf0 ingress prio 1 protocol ipv6 flower skip_sw "
		"src_mac 02:bf:01:00:00:01 dst_mac 02:bf:01:10:00:01 "
		"src_ip fe80::bf:1ff:fe00:1 dst_ip fe80::bf:1ff:fe10:1 ip_proto udp dst_port 4791 "
		TO_CARD), 1);
	TEST_EXPECT(test_model_rule(&model, "del", "ecpf0vf0", "pf0vf0"), 0);
	TEST_EXPECT(dumped("\nrule "), 1);
	return test_log_passed();
}

/* Rules can be there from the start; a bad one keeps the model from starting. */
static int
test_rule_option(void)
{
	TEST_CALL(test_model_stop(&model));
	TEST_CALL(test_model_start(&model, "pf0vf0 "
		"--rule=dev\tpf0vf0\tingress\tprio\t16\tflower\tskip_sw\taction\tdrop"));
	TEST_EXPECT(dumped("rule dev pf0vf0 ingress prio 16 protocol all flower skip_sw "
		"action drop"), 1);
	return test_log_passed();
}

/* A pair can be there from the start as well, by the addresses that its functions have. */
static int
test_allow_option(void)
{
	TEST_CALL(test_model_stop(&model));
	TEST_CALL(test_model_start(&model, "pf0vf0 ecpf0vf0,mac=02:00:00:00:00:07 "
		"--allow=ecpf0vf0/pf0vf0"));
	TEST_EXPECT(dumped("\nrule "), 2);
	TEST_EXPECT(dumped("rule dev pf0vf0 ingress prio 1 protocol ipv6 flower skip_sw "
		"src_mac 02:bf:01:00:00:01 dst_mac 02:00:00:00:00:07 "
		"src_ip fe80::bf:1ff:fe00:1 dst_ip fe80::ff:fe00:7 ip_proto udp dst_port 4791 "
		TO_CARD), 1);
	/* the same rules as those of a test */
	TEST_EXPECT(test_model_rule(&model, "del", "ecpf0vf0", "pf0vf0"), 0);
	TEST_EXPECT(test_model_rule(&model, "del", "pf0vf0", "ecpf0vf0"), 0);
	TEST_EXPECT(dumped("\nrule "), 0);
	return test_log_passed();
}

static struct unit_test_suite switch_suite = {
	.suite_name = "rules of the switch",
	.unit_test_cases = {
		TEST_CASE_ST(case_setup, test_model_teardown, test_vports),
		TEST_CASE_ST(case_setup, test_model_teardown, test_rules_listed),
		TEST_CASE_ST(case_setup, test_model_teardown, test_representor_of_pf),
		TEST_CASE_ST(case_setup, test_model_teardown, test_rule_given_twice),
		TEST_CASE_ST(case_setup, test_model_teardown, test_rules_deleted),
		TEST_CASE_ST(case_setup, test_model_teardown, test_rules_refused),
		TEST_CASE_ST(case_setup, test_model_teardown, test_wide_rules_noted),
		TEST_CASE_ST(case_setup, test_model_teardown, test_pair_allowed),
		TEST_CASE_ST(case_setup, test_model_teardown, test_rule_option),
		TEST_CASE_ST(case_setup, test_model_teardown, test_allow_option),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_switch_autotest, unit_test_suite_runner, &switch_suite);
