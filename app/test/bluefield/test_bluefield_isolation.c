/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Isolation by the switch of the software BlueField: the card's function serves VF 0,
 * and VF 1 tries to reach it, as itself and as VF 0, with all that it would have to
 * know. It has no queue of its own there that it may talk to. What the switch counts is
 * the witness. Each attempt is made a second time with a rule that is too wide, and has
 * to succeed then: a test that cannot fail shows nothing.
 */

#include "test_bluefield_station.h"

/* What an operator must not give: it says where to, and not from whom. */
#define TOO_WIDE "dev pf0vf1 ingress prio 2 protocol ipv6 flower skip_sw ip_proto udp " \
	"dst_port 4791 action mirred egress redirect dev ecpf0vf0"
#define TO_UPLINK "dev pf0vf1 ingress prio 2 flower skip_sw action mirred egress redirect " \
	"dev uplink0"
/* A retry takes 4 times the time of a station's queue pair at most, and there are 2. */
#define NO_ANSWER_MS TEST_MS
#define QUIET_MS 100
#define PSN 0x123

static struct station vf0, vf1, card;

static int
case_setup(void)
{
	memset(&vf0, 0, sizeof(vf0));
	memset(&vf1, 0, sizeof(vf1));
	memset(&card, 0, sizeof(card));
	TEST_EXPECT(test_log_begin(), 0);
	TEST_CALL(test_model_start(&model, "pf0vf0,flr_ms=5 pf0vf1,flr_ms=5 ecpf0vf0,flr_ms=5 "
		"--latency=0.1"));
	TEST_CALL(station_open(&vf0, "pf0vf0"));
	TEST_CALL(station_open(&vf1, "pf0vf1"));
	TEST_CALL(station_open(&card, "ecpf0vf0"));
	return test_model_allow(&model, "pf0vf0", "ecpf0vf0");
}

static void
case_teardown(void)
{
	station_close(&vf0);
	station_close(&vf1);
	station_close(&card);
	test_model_teardown();
}

static bool
polled(void)
{
	return station_poll(&vf0) == TEST_SUCCESS && station_poll(&vf1) == TEST_SUCCESS &&
		station_poll(&card) == TEST_SUCCESS;
}

/* All that completes is taken meanwhile. */
#define POLL_UNTIL(cond, ms) do { \
	TEST_WAIT(!polled() || (cond), ms); \
	TEST_TRUE(cond); \
} while (0)

/* A message from VF 0 arrives, and is acknowledged. */
static int
expect_vf0_served(void)
{
	unsigned int sent = vf0.rc.sent, received = card.rc.received;

	TEST_CALL(station_send(&vf0));
	POLL_UNTIL(vf0.rc.sent + vf0.rc.failed != sent, TEST_MS);
	TEST_EXPECT(vf0.rc.sent, sent + 1);
	POLL_UNTIL(card.rc.received != received, TEST_MS);
	TEST_EXPECT(card.rc.received, received + 1);
	return TEST_SUCCESS;
}

/* What VF 1 sent went nowhere: it is counted, and the card has seen nothing. */
static int
expect_dropped(long drops, unsigned int received)
{
	uint64_t end;

	POLL_UNTIL(test_model_vport(&model, "pf0vf1", "no-rule") > drops, TEST_MS);
	end = test_now_ns() + QUIET_MS * 1000000ull;
	while (test_now_ns() < end)
		TEST_TRUE(polled());
	TEST_EXPECT(card.rc.received + card.ud.received, received);
	TEST_EXPECT(test_model_vport(&model, "ecpf0vf0", "received"),
		test_model_vport(&model, "pf0vf0", "sent"));
	return TEST_SUCCESS;
}

/* Two functions that may talk do, and both directions are counted. */
static int
test_pair_talks(void)
{
	long sent;

	TEST_CALL(station_pair(&vf0, &card));
	TEST_CALL(expect_vf0_served());
	TEST_CALL(station_datagram(&vf0, &card.addr, card.ud.qp.obj.id));
	POLL_UNTIL(card.ud.received == 1, TEST_MS);
	sent = test_model_vport(&model, "pf0vf0", "sent");
	TEST_TRUE(sent >= 2);
	TEST_EXPECT(test_model_vport(&model, "ecpf0vf0", "received"), sent);
	TEST_EXPECT(test_model_vport(&model, "pf0vf0", "received"),
		test_model_vport(&model, "ecpf0vf0", "sent"));
	TEST_EXPECT(test_model_vport(&model, "pf0vf0", "no-rule"), 0);
	return test_log_passed();
}

/* Without rules of the pair nobody is served: default drop. */
static int
test_pair_without_rule(void)
{
	TEST_EXPECT(test_model_rule(&model, "del", "pf0vf0", "ecpf0vf0"), 0);
	TEST_CALL(station_pair(&vf0, &card));
	TEST_CALL(station_send(&vf0));
	POLL_UNTIL(vf0.rc.sent + vf0.rc.failed == 1, NO_ANSWER_MS);
	TEST_EXPECT(vf0.rc.failed, 1);
	TEST_EXPECT(vf0.rc.syndrome, BF_SYND_RETRY);
	TEST_TRUE(test_model_vport(&model, "pf0vf0", "no-rule") >= 1);
	TEST_EXPECT(test_model_vport(&model, "ecpf0vf0", "received"), 0);
	return test_log_passed();
}

/* A rule that is taken away ends what stands on it, in bounded time. */
static int
test_rule_gone_in_flight(void)
{
	TEST_CALL(station_pair(&vf0, &card));
	TEST_CALL(expect_vf0_served());
	TEST_EXPECT(test_model_rule(&model, "del", "ecpf0vf0", "pf0vf0"), 0);
	/* the message arrives, and no acknowledgement comes back */
	TEST_CALL(station_send(&vf0));
	POLL_UNTIL(vf0.rc.failed == 1, NO_ANSWER_MS);
	TEST_EXPECT(vf0.rc.syndrome, BF_SYND_RETRY);
	TEST_EXPECT(card.rc.received, 2);
	TEST_TRUE(test_model_vport(&model, "ecpf0vf0", "no-rule") >= 1);
	return test_log_passed();
}

/* VF 1 as itself, to the server of VF 0: a datagram, as a request to connect is. */
static int
test_other_vf_cannot_reach(void)
{
	TEST_CALL(station_datagram(&vf1, &card.addr, card.ud.qp.obj.id));
	TEST_CALL(expect_dropped(0, 0));
	TEST_EXPECT(vf1.ud.sent, 1);

	TEST_EXPECT(test_model_ctl(&model, "rule add " TOO_WIDE), 0);
	TEST_CALL(station_datagram(&vf1, &card.addr, card.ud.qp.obj.id));
	POLL_UNTIL(card.ud.received == 1, TEST_MS);
	return test_log_passed();
}

/* VF 1 with the MAC address and the GID of VF 0: rules are of one source port each. */
static int
test_forged_source(void)
{
	TEST_CALL(station_forge(&vf1, &vf0.addr));
	TEST_CALL(station_datagram(&vf1, &card.addr, card.ud.qp.obj.id));
	TEST_CALL(expect_dropped(0, 0));

	TEST_EXPECT(test_model_ctl(&model, "rule add " TOO_WIDE), 0);
	TEST_CALL(station_datagram(&vf1, &card.addr, card.ud.qp.obj.id));
	POLL_UNTIL(card.ud.received == 1, TEST_MS);
	return test_log_passed();
}

/* VF 1 that has a pair of its own with the card may not use it as VF 0. */
static int
test_forged_source_with_own_rule(void)
{
	const struct bf_roce_addr own = vf1.addr;
	struct bf_roce_addr half = vf0.addr;

	TEST_CALL(test_model_allow(&model, "pf0vf1", "ecpf0vf0"));
	TEST_CALL(station_datagram(&vf1, &card.addr, card.ud.qp.obj.id));
	POLL_UNTIL(card.ud.received == 1, TEST_MS);
	TEST_EXPECT(test_model_vport(&model, "pf0vf1", "no-rule"), 0);

	/* the whole address, then its MAC address alone, then its GID alone */
	TEST_CALL(station_forge(&vf1, &vf0.addr));
	TEST_CALL(station_datagram(&vf1, &card.addr, card.ud.qp.obj.id));
	POLL_UNTIL(test_model_vport(&model, "pf0vf1", "no-rule") == 1, TEST_MS);
	memcpy(half.gid, own.gid, sizeof(half.gid));
	TEST_CALL(station_forge(&vf1, &half));
	TEST_CALL(station_datagram(&vf1, &card.addr, card.ud.qp.obj.id));
	POLL_UNTIL(test_model_vport(&model, "pf0vf1", "no-rule") == 2, TEST_MS);
	half = own;
	memcpy(half.gid, vf0.addr.gid, sizeof(half.gid));
	TEST_CALL(station_forge(&vf1, &half));
	TEST_CALL(station_datagram(&vf1, &card.addr, card.ud.qp.obj.id));
	POLL_UNTIL(test_model_vport(&model, "pf0vf1", "no-rule") == 3, TEST_MS);
	TEST_EXPECT(card.ud.received, 1);

	/* a rule without the source is one that is too wide */
	TEST_EXPECT(test_model_ctl(&model, "rule add " TOO_WIDE), 0);
	TEST_CALL(station_datagram(&vf1, &card.addr, card.ud.qp.obj.id));
	POLL_UNTIL(card.ud.received == 2, TEST_MS);
	return test_log_passed();
}

/* VF 1 sends into a connection of VF 0, of which it knows everything. */
static int
test_injection(void)
{
	unsigned int received;

	TEST_CALL(station_pair(&vf0, &card));
	TEST_CALL(expect_vf0_served());
	received = card.rc.received;
	TEST_CALL(station_forge(&vf1, &vf0.addr));
	TEST_CALL(station_connect(&vf1, &card.addr, card.rc.qp.obj.id, PSN + 1));
	TEST_CALL(station_send(&vf1));
	POLL_UNTIL(vf1.rc.failed == 1, NO_ANSWER_MS);
	TEST_EXPECT(vf1.rc.syndrome, BF_SYND_RETRY);
	TEST_CALL(expect_dropped(0, received));
	/* nor has it disturbed the connection */
	TEST_CALL(expect_vf0_served());

	received = card.rc.received;
	TEST_EXPECT(test_model_ctl(&model, "rule add " TOO_WIDE), 0);
	TEST_CALL(station_connect(&vf1, &card.addr, card.rc.qp.obj.id, PSN + 2));
	TEST_CALL(station_send(&vf1));
	POLL_UNTIL(card.rc.received == received + 1, TEST_MS);
	return test_log_passed();
}

/* Nothing of VF 1 leaves the card, or comes to the manager of the switch. */
static int
test_uplink(void)
{
	struct bf_roce_addr outside = card.addr;

	outside.mac[5] ^= 0xff;
	outside.gid[15] ^= 0xff;
	TEST_CALL(station_datagram(&vf1, &outside, 1));
	TEST_CALL(expect_dropped(0, 0));
	/* a group address is not another way */
	memset(outside.mac, 0xff, sizeof(outside.mac));
	TEST_CALL(station_datagram(&vf1, &outside, 1));
	TEST_CALL(expect_dropped(1, 0));
	TEST_EXPECT(test_model_vport(&model, "uplink0", "received"), 0);
	TEST_EXPECT(test_model_vport(&model, "manager0", "received"), 0);

	TEST_EXPECT(test_model_ctl(&model, "rule add " TO_UPLINK), 0);
	TEST_CALL(station_datagram(&vf1, &outside, 1));
	POLL_UNTIL(test_model_vport(&model, "uplink0", "received") == 1, TEST_MS);
	return test_log_passed();
}

/* One of VF 0's to the card, which does not take it for this reason. */
static int
expect_not_taken(const char *reason)
{
	long drops = test_model_vport(&model, "ecpf0vf0", reason);

	TEST_CALL(station_datagram(&vf0, &card.addr, card.ud.qp.obj.id));
	POLL_UNTIL(test_model_vport(&model, "ecpf0vf0", reason) == drops + 1, TEST_MS);
	TEST_EXPECT(card.ud.received, 0);
	return TEST_SUCCESS;
}

/* A vport takes what is for its address, while its link is up and RoCE is on. */
static int
test_receiver_takes(void)
{
	static const struct bf_roce_addr no_addr = { .version = 2, .ipv6 = true };

	TEST_EXPECT(bf_roce_addr_set(card.dev, card.addr_index, &no_addr), 0);
	TEST_CALL(expect_not_taken("no-address"));
	TEST_CALL(station_forge(&card, &card.addr));
	TEST_EXPECT(test_model_ctl(&model, "fault ecpf0vf0 port down"), 0);
	TEST_CALL(expect_not_taken("link-down"));
	TEST_EXPECT(test_model_ctl(&model, "fault ecpf0vf0 port up"), 0);
	TEST_EXPECT(bf_vport_set_roce(card.dev, false), 0);
	TEST_CALL(expect_not_taken("roce-off"));
	TEST_EXPECT(bf_vport_set_roce(card.dev, true), 0);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 port down"), 0);
	TEST_CALL(station_datagram(&vf0, &card.addr, card.ud.qp.obj.id));
	POLL_UNTIL(test_model_vport(&model, "pf0vf0", "sender-down") == 1, TEST_MS);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 port up"), 0);
	TEST_CALL(station_datagram(&vf0, &card.addr, card.ud.qp.obj.id));
	POLL_UNTIL(card.ud.received == 1, TEST_MS);
	return test_log_passed();
}

/* The first rule that matches decides, by prio. */
static int
test_prio(void)
{
	TEST_EXPECT(test_model_ctl(&model, "rule add dev pf0vf0 ingress prio 16 flower skip_sw "
		"action drop"), 0);
	TEST_CALL(station_datagram(&vf0, &card.addr, card.ud.qp.obj.id));
	POLL_UNTIL(card.ud.received == 1, TEST_MS);
	TEST_EXPECT(test_model_rule(&model, "del", "pf0vf0", "ecpf0vf0"), 0);
	TEST_CALL(station_datagram(&vf0, &card.addr, card.ud.qp.obj.id));
	POLL_UNTIL(test_model_vport(&model, "pf0vf0", "rule") == 1, TEST_MS);
	TEST_EXPECT(test_model_vport(&model, "pf0vf0", "no-rule"), 0);
	TEST_EXPECT(card.ud.received, 1);
	return test_log_passed();
}

static struct unit_test_suite isolation_suite = {
	.suite_name = "isolation of functions",
	.unit_test_cases = {
		TEST_CASE_ST(case_setup, case_teardown, test_pair_talks),
		TEST_CASE_ST(case_setup, case_teardown, test_pair_without_rule),
		TEST_CASE_ST(case_setup, case_teardown, test_rule_gone_in_flight),
		TEST_CASE_ST(case_setup, case_teardown, test_other_vf_cannot_reach),
		TEST_CASE_ST(case_setup, case_teardown, test_forged_source),
		TEST_CASE_ST(case_setup, case_teardown, test_forged_source_with_own_rule),
		TEST_CASE_ST(case_setup, case_teardown, test_injection),
		TEST_CASE_ST(case_setup, case_teardown, test_uplink),
		TEST_CASE_ST(case_setup, case_teardown, test_receiver_takes),
		TEST_CASE_ST(case_setup, case_teardown, test_prio),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_isolation_autotest, unit_test_suite_runner, &isolation_suite);
