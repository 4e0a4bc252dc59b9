/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Control connections between two bluefield drivers, where the switch, the path or a device
 * has a part in what happens. What connections do else is in the suites of the library; what
 * peers of another kind do to them is in test_bluefield_chan.c.
 */

#define ALLOW_INTERNAL_API 1

#include "bluefield_chan_priv.h" /* check-ok: its layers are tested */
#include "test_bluefield_peer.h"
#include "test_comch_fp_util.h"

#define CARD "ecpf0vf0"
#define HOST "pf0vf0"
#define CARD_MAC "02:c0:3c:00:06:10"
#define HOST_MAC "02:c0:3c:00:06:11"
#define OTHER_MAC "02:c0:3c:00:06:12"

/* A dead peer is noticed by a sign of life and its repetitions: 1 s and 8 * 268 ms. */
#define DEATH_MS 12000

static int card_dev, host_dev;

static int
setup_devs(const char *card_args, const char *host_args)
{
	TEST_CALL(test_log_begin());
	TEST_CALL(peer_model_start(CARD_MAC, HOST_MAC, OTHER_MAC));
	card_dev = test_model_dev_add(&model, CARD, card_args);
	host_dev = test_model_dev_add(&model, HOST, host_args);
	TEST_TRUE(card_dev >= 0 && host_dev >= 0);
	test_pair.dpu = card_dev;
	test_pair.rep = 0;
	test_pair.host = host_dev;
	return TEST_SUCCESS;
}

#define HOST_ARGS "health=50,role=host,function=" HOST ",peer=" CARD_MAC

/* Both by the driver. */
static int
setup_both(void)
{
	return setup_devs("role=dpu,functions=" HOST "@" HOST_MAC, HOST_ARGS);
}

/* Nothing wakes the worker of the host but its own times. */
static int
setup_quiet(void)
{
	return setup_devs("role=dpu,functions=" HOST "@" HOST_MAC,
		"health=60000,role=host,function=" HOST ",peer=" CARD_MAC);
}

static int
setup_unknown_peer(void)
{
	return setup_devs("role=dpu,functions=" HOST "@" OTHER_MAC, HOST_ARGS);
}

#define IP4_RULE(from, from_mac, from_ip, to, to_mac, to_ip) \
	"rule add dev " from " ingress prio 2 protocol ip flower skip_sw src_mac " from_mac \
	" dst_mac " to_mac " src_ip " from_ip " dst_ip " to_ip " ip_proto udp dst_port 4791 " \
	"action mirred egress redirect dev " to

static int
allow_ip4(void)
{
	TEST_EXPECT(test_model_ctl(&model, IP4_RULE(HOST, HOST_MAC, "192.0.2.2", CARD, CARD_MAC,
		"192.0.2.1")), 0);
	TEST_EXPECT(test_model_ctl(&model, IP4_RULE(CARD, CARD_MAC, "192.0.2.1", HOST, HOST_MAC,
		"192.0.2.2")), 0);
	return TEST_SUCCESS;
}

static int
setup_ip4(void)
{
	TEST_CALL(setup_devs("ip=192.0.2.1,role=dpu,functions=" HOST "@" HOST_MAC "@192.0.2.2",
		HOST_ARGS "@192.0.2.1,ip=192.0.2.2"));
	return allow_ip4();
}

/* The card takes this address for another's. */
static int
setup_unknown_ip4(void)
{
	TEST_CALL(setup_devs("ip=192.0.2.1,role=dpu,functions=" HOST "@" HOST_MAC "@192.0.2.3",
		HOST_ARGS "@192.0.2.1,ip=192.0.2.2"));
	return allow_ip4();
}

static void
teardown(void)
{
	test_cleanup();
	test_model_teardown();
}

/* The card serves another function than this one: both sides say so. */
static int
test_unknown_peer(void)
{
	struct test_ep *client;

	test_server_run("test", test_pe_new());
	client = test_client_run("test", test_pe_new());
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), -EACCES);
	TEST_EXPECT(test_log_count("a client of " HOST_MAC " is refused, as key 'functions'"), 1);
	TEST_EXPECT(test_log_count("add <name>@" HOST_MAC " to its key 'functions'"), 1);
	return test_log_passed();
}

/* No request is taken, and the client is told what the switch would need. */
static int
test_unknown_ip4(void)
{
	struct bf_cm_stats stats;
	struct test_ep *client;

	test_server_run("test", test_pe_new());
	client = test_client_run("test", test_pe_new());
	TEST_WAIT(test_log_has("does not answer"), TEST_MS);
	bf_cm_stats(bf_dev_of(rte_comch_pmd_get_by_name(test_dev_info(card_dev).name))->cm,
		&stats);
	TEST_TRUE(stats.bad_from != 0);
	TEST_TRUE(test_log_has("protocol ip flower") && !test_log_has("protocol ipv6"));
	TEST_TRUE(test_log_has("with --rule of comch-bluefield-model"));
	TEST_TRUE(test_log_has("or it has other IPv4 addresses in its keys"));
	/* and the card's side whom it does not know */
	TEST_TRUE(test_log_has("a message from 192.0.2.2 is dropped, as no key has that address"));
	TEST_TRUE(client->conn == NULL);
	return test_log_passed();
}

/* The switch lets nothing through: who has it is told what to do, and it goes on then. */
static int
test_no_rule(void)
{
	struct test_ep *server, *client;

	TEST_EXPECT(test_model_rule(&model, "del", HOST, CARD), 0);
	server = test_server_run("test", test_pe_new());
	client = test_client_run("test", test_pe_new());
	TEST_WAIT(test_log_has("tc filter add"), TEST_MS);
	/* two PFs of one card look the same from here */
	TEST_TRUE(test_log_has("or that function is of another PF of the card"));
	TEST_TRUE(test_log_has("than this one (" HOST ")"));
	TEST_EXPECT(test_state(client), RTE_COMCH_STATE_STARTING);
	TEST_EXPECT(test_model_rule(&model, "add", HOST, CARD), 0);
	TEST_WAIT(client->conn != NULL && server->nb_connects == 1, TEST_MS);
	return test_log_passed();
}

/* The way is closed under a connection: both sides learn of that, by their own signs. */
static int
test_rule_taken(void)
{
	struct test_ep *server, *client;

	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(test_model_rule(&model, "del", HOST, CARD), 0);
	TEST_EXPECT(test_model_rule(&model, "del", CARD, HOST), 0);
	TEST_WAIT(server->nb_disconnects == 1 && test_state(client) == RTE_COMCH_STATE_IDLE,
			DEATH_MS);
	TEST_EXPECT(server->disconnect_status, -ECONNRESET);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), -ECONNRESET);
	return test_log_passed();
}

/* Objects of a function that has nothing to do. */
static int
objects_settle(const char *function, long want)
{
	TEST_WAIT(test_model_state(&model, function, "objects") == want, TEST_MS);
	return TEST_SUCCESS;
}

/* Either side ends it after so many turns; whatever was made goes. */
static int
test_end_at_each_step(void)
{
	struct rte_comch_pe *pe = test_pe_new(), *client_pe = test_pe_new();
	struct test_ep *server = test_server_run("test", pe), *client;
	long card_objs, host_objs;
	uint32_t step, turns, i;

	client = test_client_run("test", client_pe);
	TEST_WAIT(client->conn != NULL, TEST_MS);
	TEST_CALL(test_stop(client));
	TEST_WAIT(server->nb_connects == server->nb_disconnects, TEST_MS);
	test_progress_ms(50);
	card_objs = test_model_state(&model, CARD, "objects");
	host_objs = test_model_state(&model, HOST, "objects");
	for (step = 0; step < 60; step++) {
		TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
		/* the last ones end after the server has heard of them, however slow that is */
		if (step >= 40)
			TEST_WAIT(server->nb_connects > server->nb_disconnects, TEST_MS);
		turns = step < 40 ? step : step - 40;
		for (i = 0; i < turns * turns * turns / 8; i++)
			test_progress();
		if (step % 3 == 2 && server->conn != NULL)
			rte_comch_server_disconnect(server->conn);
		else if (test_state(client) != RTE_COMCH_STATE_IDLE)
			rte_comch_ctx_stop(client->ctx);
		if (step % 3 == 2)
			test_progress_ms(5);
		if (test_state(client) == RTE_COMCH_STATE_STARTING ||
				test_state(client) == RTE_COMCH_STATE_RUNNING)
			rte_comch_ctx_stop(client->ctx);
		TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE &&
				server->nb_connects == server->nb_disconnects, TEST_MS);
	}
	test_progress_ms(20);
	TEST_WAIT(server->nb_connects == server->nb_disconnects, TEST_MS);
	TEST_TRUE(server->nb_connects > 20);
	TEST_CALL(objects_settle(CARD, card_objs));
	TEST_CALL(objects_settle(HOST, host_objs));
	return test_log_passed();
}

/* So many connected queue pairs of a function have this MTU, at least, and no other has another. */
static int
expect_mtu(const char *function, uint32_t code, uint32_t least)
{
	const char *line;
	char words[16];
	uint32_t nb = 0;

	snprintf(words, sizeof(words), " mtu=%u", code);
	TEST_EXPECT(test_model_ctl(&model, "dump %s", function), 0);
	for (line = model.answer; (line = strstr(line, "RC RTS")) != NULL; line++, nb++)
		TEST_TRUE(strncmp(strstr(line, " mtu="), words, strlen(words)) == 0);
	TEST_TRUE(nb >= least);
	return TEST_SUCCESS;
}

/*
 * Packets are as large as the smaller one of both vports takes: of frames, less headers. Those
 * of a connection, and those of the pair of a producer and a consumer.
 */
static int
test_path_mtu(void)
{
	static const struct {
		uint32_t card, host; /* bytes of a frame; 0: those of the port, 9216 */
		uint32_t code;
	} rows[] = {
		{ 1522, 9022, 3 }, { 4214, 9022, 5 }, { 9022, 4213, 4 }, { 0, 0, 5 },
		{ 0, 1141, 2 }, { 629, 9022, 1 },
	};
	struct test_q *consumer, *producer;
	struct test_ep *server, *client;
	struct test_fp fp;
	uint32_t i;

	for (i = 0; i < RTE_DIM(rows); i++) {
		TEST_EXPECT(test_model_ctl(&model, "fault " CARD " mtu %u", rows[i].card), 0);
		TEST_EXPECT(test_model_ctl(&model, "fault " HOST " mtu %u", rows[i].host), 0);
		TEST_EXPECT(rte_comch_dev_reset(card_dev), 0);
		TEST_EXPECT(rte_comch_dev_reset(host_dev), 0);
		TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU));
		server = fp.rx.ep;
		client = fp.tx.ep;
		TEST_EXPECT(test_send_pattern(client->conn, 4000, i), 0);
		TEST_EXPECT(test_send_pattern(server->conn, 4000, i), 0);
		TEST_WAIT(server->nb_recv == 1 && client->nb_recv == 1, TEST_MS);
		TEST_CALL(test_fp_queues(&fp, NULL, 4, 4, &consumer, &producer));
		TEST_EXPECT(test_post_empty(consumer, 1, 0), 1);
		TEST_WAIT(test_send_imm(producer, consumer->id, "abcd", 4, 0) == 1, TEST_MS);
		TEST_CALL(expect_mtu(CARD, rows[i].code, 2));
		TEST_CALL(expect_mtu(HOST, rows[i].code, 2));
		test_fp_cleanup();
	}
	/* a register that says nothing: any port can 1024 */
	TEST_EXPECT(test_model_ctl(&model, "fault " CARD " mtu 0"), 0);
	TEST_EXPECT(test_model_ctl(&model,
		"fault " CARD " cmd opcode=ACCESS_REG op_mod=1 status=3"), 0);
	TEST_EXPECT(rte_comch_dev_reset(card_dev), 0);
	TEST_CALL(test_connected(&server, &client));
	TEST_CALL(expect_mtu(HOST, 3, 1));
	return test_log_passed();
}

/* A device fails under connections: they end on both sides, and begin again after a reset. */
static int
test_device_fails(void)
{
	struct test_ep *server, *client;
	uint32_t round;

	TEST_CALL(test_connected(&server, &client));
	for (round = 0; round < 3; round++) {
		TEST_EXPECT(test_model_ctl(&model, "fault " HOST " nic-state 1"), 0);
		TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE &&
				test_dev_status(host_dev) != 0, DEATH_MS);
		TEST_WAIT(server->nb_disconnects == round + 1, DEATH_MS);
		TEST_EXPECT(server->disconnect_status, -ECONNRESET);
		TEST_EXPECT(test_model_ctl(&model, "fault " HOST " clear"), 0);
		TEST_EXPECT(rte_comch_dev_reset(host_dev), 0);
		TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
		TEST_WAIT(client->conn != NULL && server->nb_connects == round + 2, TEST_MS);
		TEST_EXPECT(test_send_pattern(client->conn, 100, round), 0);
		TEST_WAIT(server->nb_recv == round + 1, TEST_MS);
	}
	return test_log_passed();
}

/*
 * Messages of a size that does not divide the ring that they are copied to, more of them than
 * it has room for: none is copied over one that is on its way.
 */

#define ODD_SIZE 3000
#define NB_ODD 64

static void
check_odd(struct test_ep *ep, struct rte_comch_conn *conn __rte_unused, const void *msg,
	uint32_t len)
{
	ep->value += len != ODD_SIZE || !test_check(msg, len, ep->nb_recv);
}

static int
test_large_messages(void)
{
	const struct rte_comch_ctrl_conf conf = {
		.max_msg_size = ODD_SIZE, .recv_queue_size = NB_ODD, .nb_tasks = NB_ODD,
		.max_conn_tasks = NB_ODD,
	};
	const struct rte_comch_server_conf server_conf = { .ctrl = conf };
	const struct rte_comch_client_conf client_conf = { .ctrl = conf };
	struct test_ep *server, *client;
	uint32_t i, first = 0;

	server = test_server_run_conf(&server_conf, test_pe_new());
	client = test_client_run_conf(&client_conf, test_pe_new());
	TEST_WAIT(client->conn != NULL && server->nb_connects == 1, TEST_MS);
	server->on_recv = check_odd;
	for (; first < 4 * NB_ODD; first += NB_ODD) {
		for (i = 1; i <= NB_ODD; i++)
			TEST_EXPECT(test_send_pattern(client->conn, ODD_SIZE, first + i), 0);
		TEST_WAIT(client->nb_done == first + NB_ODD, TEST_MS);
		TEST_EXPECT(server->nb_recv, first + NB_ODD);
	}
	TEST_EXPECT(server->value, 0);
	return test_log_passed();
}

/* More bytes than one side holds for the other: neither listens nor connects with that. */
static int
test_too_many_bytes(void)
{
	struct rte_comch_server_conf server_conf;
	struct rte_comch_client_conf client_conf;
	struct test_ep *ep = test_ep_new();
	uint32_t size = BF_WIRE_MAX_MSG_SIZE, nb = BF_CTRL_MAX_RECV / size + 1;

	test_server_conf(ep, "test", &server_conf);
	server_conf.ctrl.max_msg_size = size;
	server_conf.ctrl.recv_queue_size = nb;
	TEST_EXPECT(test_server_start(ep, &server_conf, test_pe_new()), -EINVAL);
	TEST_EXPECT(test_log_count("make one of them smaller"), 1);
	ep = test_ep_new();
	test_client_conf(ep, "test", &client_conf);
	client_conf.ctrl.max_msg_size = size;
	client_conf.ctrl.recv_queue_size = nb;
	TEST_EXPECT(test_client_start(ep, &client_conf, test_pe_new()), -EINVAL);
	TEST_EXPECT(test_log_count("make one of them smaller"), 2);
	/* one less is not */
	ep = test_ep_new();
	test_server_conf(ep, "test", &server_conf);
	server_conf.ctrl.max_msg_size = size;
	server_conf.ctrl.recv_queue_size = nb - 1;
	TEST_EXPECT(test_server_start(ep, &server_conf, test_pe_new()), 0);
	return test_log_passed();
}

/* Names that begin with more letters than a request has: each finds its own server. */
static int
test_long_names(void)
{
	static const char *const names[] = {
		"a-name-that-is-longer-than-the-32-letters-of-a-request-has-this-end-or-that-one-and-goes-on-1",
		"a-name-that-is-longer-than-the-32-letters-of-a-request-has-this-end-or-that-one-and-goes-on-2",
	};
	struct test_ep *servers[2], *client;
	uint32_t i;

	for (i = 0; i < 2; i++)
		servers[i] = test_server_run(names[i], test_pe_new());
	for (i = 0; i < 2; i++) {
		client = test_client_run(names[i], test_pe_new());
		TEST_WAIT(client->conn != NULL && servers[i]->nb_connects == 1, TEST_MS);
		TEST_EXPECT(servers[1 - i]->nb_connects, i);
	}
	return test_log_passed();
}

/*
 * Ends of others in a callback
 */

#define NB_CONNS 3u
#define IDLE_MARK 12345u

static struct rte_comch_conn *conns[NB_CONNS];
static struct bf_ctrl_conn *ended[NB_CONNS - 1]; /* referenced */

static void
keep_conn(struct test_ep *ep, struct rte_comch_conn *conn)
{
	conns[ep->value++ % NB_CONNS] = conn;
}

static struct bf_ctrl_conn *
ctrl_of(uint32_t i)
{
	return bf_ctrl_of(bf_chan_of(conns[i]));
}

/* In their order, so that the list keeps the last of them behind its new end. */
static void
end_others(struct test_ep *ep, struct rte_comch_conn *conn, const void *msg __rte_unused,
	uint32_t len __rte_unused)
{
	uint32_t i;

	ep->on_recv = NULL;
	memcpy(ended, bf_ctrl_of(bf_chan_of(conn))->cg->active, sizeof(ended));
	for (i = 0; i < RTE_DIM(ended); i++) {
		bf_ctrl_ref(ended[i]);
		if (rte_comch_server_disconnect(ended[i]->pub.conn) != 0)
			test_fail("a connection cannot be ended");
		/* a look that finds something makes it 0, another one counts */
		ended[i]->idle = IDLE_MARK;
	}
}

/*
 * The engine looks at the last connection first, and in its message the two others are ended,
 * whose clients are gone: it looks at none of them any more.
 */
static int
test_others_end(void)
{
	struct rte_comch_pe *pe = test_pe_new(), *client_pe = test_pe_new();
	struct test_ep *server = test_server_run("test", pe), *clients[NB_CONNS];
	const struct bf_chan_group *cg;
	uint32_t i, last = 0;

	server->on_connect = keep_conn;
	for (i = 0; i < NB_CONNS; i++) {
		clients[i] = test_client_run("test", client_pe);
		TEST_WAIT(server->nb_connects == i + 1 && clients[i]->conn != NULL &&
			ctrl_of(i)->state == BF_CTRL_UP, TEST_MS);
	}
	for (i = 0; i < NB_CONNS; i++)
		bf_ctrl_activate(ctrl_of(i));
	cg = ctrl_of(0)->cg;
	TEST_EXPECT(cg->nb_active, NB_CONNS);
	for (i = 0; i < NB_CONNS; i++) {
		if (ctrl_of(i) == cg->active[NB_CONNS - 1]) {
			last = i;
			continue;
		}
		TEST_TRUE(rte_comch_ctx_stop(clients[i]->ctx) <= 0);
		TEST_UNTIL(test_state(clients[i]) == RTE_COMCH_STATE_IDLE,
			rte_comch_pe_progress(client_pe), TEST_MS);
	}
	TEST_EXPECT(test_send_pattern(clients[last]->conn, 8, 1), 0);
	TEST_UNTIL(bf_compq_peek(&ctrl_of(last)->cq) != NULL, rte_comch_pe_progress(client_pe),
		TEST_MS);
	server->on_recv = end_others;
	TEST_WAIT(server->nb_disconnects == NB_CONNS - 1, TEST_MS);
	for (i = 0; i < RTE_DIM(ended); i++) {
		TEST_EXPECT(ended[i]->state, BF_CTRL_OVER);
		TEST_EXPECT(ended[i]->idle, IDLE_MARK);
		bf_ctrl_put(ended[i]);
	}
	TEST_EXPECT(test_send_pattern(clients[last]->conn, 8, 2), 0);
	TEST_WAIT(server->nb_recv == 2, TEST_MS);
	return test_log_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "control connections between two BlueField drivers",
	.unit_test_cases = {
		TEST_CASE_ST(setup_unknown_peer, teardown, test_unknown_peer),
		TEST_CASE_ST(setup_unknown_ip4, teardown, test_unknown_ip4),
		TEST_CASE_ST(setup_quiet, teardown, test_no_rule),
		TEST_CASE_ST(setup_both, teardown, test_rule_taken),
		TEST_CASE_ST(setup_both, teardown, test_end_at_each_step),
		TEST_CASE_ST(setup_both, teardown, test_path_mtu),
		TEST_CASE_ST(setup_ip4, teardown, test_path_mtu),
		TEST_CASE_ST(setup_both, teardown, test_device_fails),
		TEST_CASE_ST(setup_both, teardown, test_large_messages),
		TEST_CASE_ST(setup_ip4, teardown, test_large_messages),
		TEST_CASE_ST(setup_both, teardown, test_too_many_bytes),
		TEST_CASE_ST(setup_both, teardown, test_long_names),
		TEST_CASE_ST(setup_both, teardown, test_others_end),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(bluefield_chan_both_autotest, unit_test_suite_runner, &suite)
