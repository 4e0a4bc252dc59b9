/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Unknown peers as an application meets them: the card serves VF 0, and a client on VF 1
 * tries to connect. The switch of the software BlueField is in between. What a client can
 * do that does not keep to the driver is in test_bluefield_isolation.c.
 */

#include "test_bluefield_model.h"
#include "test_comch_util.h"

#define MAC0 "02:00:00:00:00:10"
#define MAC1 "02:00:00:00:00:11"
#define CARD "02:00:00:00:0c:00"
#define SERVER "of-vf0"
#define CONNECT_MS 10000 /* until a connect without an answer has failed */

static struct test_pair before; /* of the program */
static int16_t card_id, vf0_id, vf1_id;
static struct test_ep *server;

static void
case_teardown(void)
{
	test_cleanup();
	test_pair = before;
	test_model_teardown();
}

/* Which functions the card serves, and a server for VF 0. */
static int
serve(const char *functions)
{
	char args[128];

	snprintf(args, sizeof(args), "role=dpu,functions=%s", functions);
	card_id = test_model_dev_add(&model, "ecpf0vf0", args);
	TEST_TRUE(card_id >= 0);
	vf0_id = test_model_dev_add(&model, "pf0vf0", "role=host,function=pf0vf0,peer=" CARD);
	TEST_TRUE(vf0_id >= 0);
	vf1_id = test_model_dev_add(&model, "pf0vf1", "role=host,function=pf0vf1,peer=" CARD);
	TEST_TRUE(vf1_id >= 0);
	test_pair.dpu = card_id;
	TEST_EXPECT(rte_comch_rep_get_id_by_name(card_id, "pf0vf0"), 0);
	test_pair.rep = 0;
	server = test_server_run(SERVER, test_pe_new());
	server->echo = true;
	return TEST_SUCCESS;
}

static int
case_setup(void)
{
	before = test_pair;
	TEST_EXPECT(test_log_begin(), 0);
	TEST_CALL(test_model_start(&model, "pf0vf0,mac=" MAC0 " pf0vf1,mac=" MAC1
		" ecpf0vf0,mac=" CARD " --latency=0.1"));
	return test_model_allow(&model, "pf0vf0", "ecpf0vf0");
}

static struct test_ep *
client_on(int16_t dev_id)
{
	test_pair.host = dev_id;
	return test_client_run(SERVER, test_pe_new());
}

/* A client of VF 0 connects, and its message comes back. */
static int
expect_vf0_served(void)
{
	struct test_ep *client = client_on(vf0_id);

	TEST_WAIT(client->conn != NULL, TEST_MS);
	TEST_EXPECT(test_send(client->conn, "hello", 5), 0);
	TEST_WAIT(client->nb_recv == 1, TEST_MS);
	return test_ep_close(client);
}

/* The client of VF 1 fails, and the server has heard of nobody but VF 0. */
static int
expect_vf1_refused(void)
{
	uint32_t connects = server->nb_connects;
	struct test_ep *client = client_on(vf1_id);

	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, CONNECT_MS);
	TEST_TRUE(client->conn == NULL);
	TEST_EXPECT(client->nb_recv, 0);
	TEST_EXPECT(server->nb_connects, connects);
	TEST_CALL(test_ep_close(client));
	return expect_vf0_served();
}

/* No rule for VF 1: it has no answer, and the switch has its packets. */
static int
test_without_rule(void)
{
	TEST_CALL(serve("pf0vf0@" MAC0));
	TEST_CALL(expect_vf0_served());
	TEST_EXPECT(test_model_vport(&model, "pf0vf1", "no-rule"), 0);
	TEST_CALL(expect_vf1_refused());
	TEST_TRUE(test_model_vport(&model, "pf0vf1", "no-rule") > 0);
	TEST_EXPECT(test_model_vport(&model, "pf0vf1", "received"), 0);
	return test_log_passed();
}

/* Its packets pass, but the card does not serve it. */
static int
test_not_served(void)
{
	TEST_CALL(test_model_allow(&model, "pf0vf1", "ecpf0vf0"));
	TEST_CALL(serve("pf0vf0@" MAC0));
	TEST_CALL(expect_vf1_refused());
	TEST_EXPECT(test_model_vport(&model, "pf0vf1", "no-rule"), 0);
	return test_log_passed();
}

/* The card serves both, and the server is for VF 0 only. */
static int
test_server_of_another(void)
{
	TEST_CALL(test_model_allow(&model, "pf0vf1", "ecpf0vf0"));
	TEST_CALL(serve("pf0vf0@" MAC0 "/pf0vf1@" MAC1));
	TEST_CALL(expect_vf1_refused());
	return test_log_passed();
}

/* VF 1 says that it is VF 0: rules are of its own port. Where they are not, it gets in. */
static int
test_as_another(void)
{
	uint32_t connects;

	TEST_CALL(test_model_allow(&model, "pf0vf1", "ecpf0vf0"));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf1 mac " MAC0), 0);
	TEST_CALL(serve("pf0vf0@" MAC0 "/pf0vf1@" MAC1));
	TEST_CALL(expect_vf1_refused());
	TEST_TRUE(test_model_vport(&model, "pf0vf1", "no-rule") > 0);

	connects = server->nb_connects;
	TEST_EXPECT(test_model_ctl(&model, "rule add dev pf0vf1 ingress prio 2 protocol ipv6 flower "
		"dst_mac " CARD " action mirred egress redirect dev ecpf0vf0"), 0);
	client_on(vf1_id);
	TEST_WAIT(server->nb_connects > connects, CONNECT_MS);
	return test_log_passed();
}

static struct unit_test_suite unknown_peer_suite = {
	.suite_name = "unknown peers",
	.unit_test_cases = {
		TEST_CASE_ST(case_setup, case_teardown, test_without_rule),
		TEST_CASE_ST(case_setup, case_teardown, test_not_served),
		TEST_CASE_ST(case_setup, case_teardown, test_server_of_another),
		TEST_CASE_ST(case_setup, case_teardown, test_as_another),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_unknown_peer_autotest, unit_test_suite_runner, &unknown_peer_suite);
