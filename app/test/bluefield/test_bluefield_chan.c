/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Control connections of the bluefield driver against peers that the test plays: what a
 * peer can say wrong in the handshake and in messages, what it may not get by that, and
 * what is told when it dies or does not answer. What connections do between two drivers is
 * in test_bluefield_chan_both.c and the suites of the library.
 */

#define ALLOW_INTERNAL_API 1

#include "bluefield_chan_priv.h" /* check-ok: its layers are tested */
#include "test_bluefield_peer.h"
#include "test_comch_util.h"

#define CARD "ecpf0vf0"
#define HOST "pf0vf0"
#define HOSTILE "pf0vf1"
#define CARD_MAC "02:c0:3c:00:01:10"
#define HOST_MAC "02:c0:3c:00:01:11"
#define HOSTILE_MAC "02:c0:3c:00:01:12"

/* A dead peer is noticed by a sign of life and its repetitions: 1 s and 8 * 268 ms. */
#define DEATH_MS 12000

static const uint8_t card_mac[] = { 0x02, 0xc0, 0x3c, 0x00, 0x01, 0x10 };
static struct peer hostile;
static int card_dev, host_dev;

static int
setup(void)
{
	memset(&hostile, 0, sizeof(hostile));
	TEST_CALL(test_log_begin());
	TEST_CALL(peer_model_start(CARD_MAC, HOST_MAC, HOSTILE_MAC));
	return TEST_SUCCESS;
}

/* A server of the driver, and a client that the test plays. */
static int
setup_server(void)
{
	TEST_CALL(setup());
	card_dev = test_model_dev_add(&model, CARD,
		"role=dpu,functions=" HOST "@" HOST_MAC "/" HOSTILE "@" HOSTILE_MAC);
	TEST_TRUE(card_dev >= 0);
	test_pair.dpu = card_dev;
	test_pair.rep = 1;
	return peer_open(&hostile, HOSTILE, false);
}

/* A client of the driver, and a server that the test plays. */
static int
setup_client(void)
{
	TEST_CALL(setup());
	TEST_CALL(test_model_allow(&model, HOST, HOSTILE));
	host_dev = test_model_dev_add(&model, HOST,
		"role=host,function=" HOST ",peer=" HOSTILE_MAC);
	TEST_TRUE(host_dev >= 0);
	test_pair.host = host_dev;
	return peer_open(&hostile, HOSTILE, true);
}

static void
teardown(void)
{
	peer_close(&hostile);
	test_cleanup();
	test_model_teardown();
}

/*
 * Requests
 */

/* A field that is not as it should be; one that is longer than the value has it in each byte. */
struct lie {
	const char *what;
	size_t at, len;
	uint64_t value;
	int reason; /* that the peer is told, or learns of */
};

static void
lie_put(void *msg, const struct lie *lie)
{
	if (lie->len > sizeof(lie->value))
		memset(RTE_PTR_ADD(msg, lie->at), (int)lie->value, lie->len);
	else
		memcpy(RTE_PTR_ADD(msg, lie->at), &lie->value, lie->len);
}

#define FIELD(type, name) offsetof(struct type, name), sizeof(((struct type *)NULL)->name)
#define REQ(name) FIELD(bf_wire_req, name)
#define REQ_VERSIONS offsetof(struct bf_wire_req, version_min), 2
#define REQ_LETTER(i) offsetof(struct bf_wire_req, prefix) + (i), 1

static const struct lie bad_reqs[] = {
	{ "magic", REQ(magic), 0, -EPROTO },
	{ "old version", REQ_VERSIONS, 0, -EPROTONOSUPPORT },
	{ "new version", REQ_VERSIONS, 200 << 8 | (BF_WIRE_VERSION_MAX + 1), -EPROTONOSUPPORT },
	{ "versions backwards", REQ_VERSIONS, 3, -EPROTONOSUPPORT },
	{ "reserved", REQ(reserved), 1, -EPROTO },
	{ "no queue", REQ(queue_size), 0, -EPROTO },
	{ "long queue", REQ(queue_size), BF_WIRE_MAX_QUEUE_SIZE + 1, -EPROTO },
	{ "large messages", REQ(max_msg_size), BF_WIRE_MAX_MSG_SIZE + 1, -EPROTO },
	{ "other size", REQ(max_msg_size), PEER_MSG_SIZE - 1, -EMSGSIZE },
	{ "hash", REQ(name_hash), 1, -ENOENT },
	{ "prefix", REQ_LETTER(BF_WIRE_PREFIX_SIZE - 1), 'x', -EPROTO },
	{ "name", REQ_LETTER(3), 'x', -ENOENT }, /* "tesx": the hash is of "test" */
	{ "no name", REQ(prefix), 0, -EPROTO },
};

static struct test_ep *
server_run(void)
{
	const struct rte_comch_server_conf conf = {
		.max_clients = 1,
		.ctrl.max_msg_size = PEER_MSG_SIZE,
		.ctrl.recv_queue_size = PEER_QUEUE,
	};

	return test_server_run_conf(&conf, test_pe_new());
}

/* lie: NULL: all is as it should be. */
static int
ask(const struct lie *lie)
{
	struct bf_wire_req req;

	peer_req(&req, "test");
	if (lie != NULL)
		lie_put(&req, lie);
	return peer_connect(&hostile, card_mac, &req, sizeof(req));
}

static int
hostile_connected(struct test_ep *server)
{
	uint32_t before = server->nb_connects;

	TEST_CALL(ask(NULL));
	PEER_WAIT(&hostile, hostile.seen[BF_CM_REP] != 0 && server->nb_connects == before + 1,
			TEST_MS);
	return TEST_SUCCESS;
}

/* The last request was refused, for this reason. */
static int
expect_rej(const char *what, int reason)
{
	const struct bf_wire_rej *rej = (const struct bf_wire_rej *)(const void *)hostile.priv;

	PEER_WAIT(&hostile, hostile.seen[BF_CM_FAILED] != 0, TEST_MS);
	TEST_ASSERT(rej->magic == BF_WIRE_MAGIC && rej->reason == reason,
			"%s: refused with %d, not %d", what, rej->reason, reason);
	TEST_EXPECT(rej->version_max, BF_WIRE_VERSION_MAX);
	return TEST_SUCCESS;
}

static int
test_refusals(void)
{
	struct test_ep *server = server_run();
	uint32_t i;

	for (i = 0; i < RTE_DIM(bad_reqs); i++) {
		TEST_CALL(ask(&bad_reqs[i]));
		TEST_CALL(expect_rej(bad_reqs[i].what, bad_reqs[i].reason));
	}
	TEST_EXPECT(server->nb_connects, 0);
	TEST_CALL(hostile_connected(server));
	return test_log_passed();
}

/* A path that is larger than ours can be: it is as large as ours. */
static int
test_larger_path(void)
{
	const struct bf_wire_rep *rep = (const struct bf_wire_rep *)(const void *)hostile.priv;
	struct test_ep *server = server_run();
	struct rte_comch_dev_stats stats;

	hostile.mtu = 5;
	TEST_CALL(hostile_connected(server));
	TEST_EXPECT(rep->mtu, 3);
	TEST_CALL(peer_send(&hostile, BF_WIRE_DATA, "word", 4));
	PEER_WAIT(&hostile, server->nb_recv == 1, TEST_MS);
	TEST_EXPECT(rte_comch_dev_stats_get(card_dev, &stats), 0);
	TEST_EXPECT(stats.violations, 0);
	return test_log_passed();
}

/* Who is refused again and again is counted each time, and fills no log. */
static int
test_refused_often(void)
{
	const unsigned int nb = 4 * BF_PEER_LINES;
	const uint64_t minute = rte_get_tsc_hz() * 60, start = rte_get_tsc_cycles() / minute;
	struct test_ep *server = server_run();
	struct rte_comch_dev_stats before, after;
	uint32_t i, lines[2];

	TEST_EXPECT(rte_comch_dev_stats_get(card_dev, &before), 0);
	for (i = 0; i < nb; i++) {
		/* by magic number and version, in turns */
		TEST_CALL(ask(&bad_reqs[i % 2]));
		TEST_CALL(expect_rej("often", bad_reqs[i % 2].reason));
	}
	TEST_EXPECT(rte_comch_dev_stats_get(card_dev, &after), 0);
	TEST_EXPECT(after.violations - before.violations, nb / 2);
	/* a minute may end meanwhile */
	lines[0] = test_log_count("magic number");
	lines[1] = test_log_count("speaks versions");
	TEST_TRUE(lines[0] != 0 && lines[1] != 0 && lines[0] + lines[1] <= 2 * BF_PEER_LINES);
	TEST_TRUE(test_log_has("is in the log too often"));
	TEST_TRUE(test_log_count("is in the log too often") <= 2);
	TEST_CALL(hostile_connected(server));
	/* what it does over a connection is not logged either */
	TEST_CALL(peer_send_raw(&hostile, "", 1, BF_WQE_SEND));
	PEER_WAIT(&hostile, server->nb_disconnects == 1, TEST_MS);
	TEST_TRUE(!test_log_has("without a header") || rte_get_tsc_cycles() / minute != start);
	return test_log_passed();
}

/* Who takes any size decides how much one message has; the peer does not. */
static int
test_much_memory(void)
{
	const struct rte_comch_server_conf conf = {
		.ctrl.recv_queue_size = BF_CTRL_MAX_RECV / BF_WIRE_MAX_MSG_SIZE + 1,
	};
	struct test_ep *server = test_server_run_conf(&conf, test_pe_new());
	const struct lie size = { "size", REQ(max_msg_size), BF_WIRE_MAX_MSG_SIZE, -EMSGSIZE };

	TEST_CALL(ask(&size));
	TEST_CALL(expect_rej(size.what, size.reason));
	TEST_EXPECT(server->nb_connects, 0);
	TEST_CALL(hostile_connected(server));
	return test_log_passed();
}

static int
test_no_server(void)
{
	struct test_ep *server;

	TEST_CALL(ask(NULL));
	TEST_CALL(expect_rej("no server", -ENOENT));
	server = server_run();
	TEST_CALL(hostile_connected(server));
	peer_forget(&hostile);
	PEER_WAIT(&hostile, server->nb_disconnects == 1, DEATH_MS);
	TEST_CALL(test_stop(server));
	TEST_CALL(ask(NULL));
	TEST_CALL(expect_rej("server stopped", -ENOENT));
	return test_log_passed();
}

/* The second of a server that takes one. */
static int
test_full(void)
{
	struct test_ep *server = server_run();
	static struct peer first;

	TEST_CALL(hostile_connected(server));
	first = hostile;
	hostile.id = NULL;
	hostile.has_qp = false; /* the first one has both */
	TEST_CALL(ask(NULL));
	TEST_CALL(expect_rej("full", -ENOSPC));
	TEST_EXPECT(server->nb_connects, 1);
	TEST_EXPECT(server->nb_disconnects, 0);
	peer_forget(&first);
	return test_log_passed();
}

/*
 * Messages
 */

static int
test_messages(void)
{
	struct test_ep *server = server_run();
	uint8_t data[PEER_MSG_SIZE];
	uint32_t i;

	server->echo = true;
	TEST_CALL(hostile_connected(server));
	for (i = 1; i <= 40; i++) {
		test_fill(data, sizeof(data), i);
		TEST_CALL(peer_send(&hostile, BF_WIRE_DATA, data, 6 * i));
		PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_DATA) == i, TEST_MS);
		TEST_EXPECT(server->nb_recv, i);
		TEST_EXPECT(memcmp(hostile.rx[hostile.nb_rx - 1].data, data, RTE_MIN(6 * i, 64u)),
				0);
	}
	/* an orderly end */
	memset(data, 0, sizeof(data));
	TEST_CALL(peer_send(&hostile, BF_WIRE_BYE, data, sizeof(struct bf_wire_bye)));
	PEER_WAIT(&hostile, server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(server->disconnect_status, 0);
	return test_log_passed();
}

static struct bf_wire_hdr
good_hdr(uint8_t type, uint32_t len)
{
	struct bf_wire_hdr hdr = hostile.hdr;

	hdr.type = type;
	hdr.len = len;
	return hdr;
}

/* Two messages at once, so that they are read at once: both with 8 bytes, which are these. */
static int
send_both(uint8_t first, uint8_t second, const struct bf_wire_bye *body)
{
	const uint8_t types[2] = { first, second };
	uint8_t bytes[sizeof(struct bf_wire_hdr) + sizeof(*body)];
	struct bf_send_wr wr = {
		.opcode = BF_WQE_SEND, .signalled = true, .inl = bytes, .inl_len = sizeof(bytes),
	};
	struct bf_wire_hdr hdr;
	unsigned int i;

	memcpy(bytes + sizeof(hdr), body, sizeof(*body));
	for (i = 0; i < 2; i++) {
		hdr = good_hdr(types[i], sizeof(*body));
		memcpy(bytes, &hdr, sizeof(hdr));
		TEST_TRUE(bf_sendq_send(&hostile.sq, &wr) >= 0);
		hostile.hdr.seq++;
	}
	bf_sendq_ring(&hostile.sq);
	TEST_UNTIL(hostile.sq.ci == hostile.sq.pi, (peer_poll(&hostile), 0), TEST_MS);
	return TEST_SUCCESS;
}

static const struct bf_wire_bye asks = { .flags = BF_WIRE_BYE_F_ANSWER };

/* What the peer says of its end, by BYE: one that blames this side is no orderly end. */
static int
test_bye_reasons(void)
{
	static const struct {
		int said;
		int told;
	} rows[] = {
		{ 0, 0 }, { -ESHUTDOWN, 0 }, { -EIO, 0 }, { 5, 0 }, { INT32_MIN, 0 },
		{ -EPROTO, -ECONNRESET },
	};
	struct test_ep *server = server_run();
	struct bf_wire_bye bye = { 0 };
	uint32_t i;

	for (i = 0; i < RTE_DIM(rows); i++) {
		TEST_CALL(hostile_connected(server));
		bye.reason = rows[i].said;
		TEST_CALL(peer_send(&hostile, BF_WIRE_BYE, &bye, sizeof(bye)));
		PEER_WAIT(&hostile, server->nb_disconnects == i + 1, TEST_MS);
		TEST_EXPECT(server->disconnect_status, rows[i].told);
	}
	return test_log_passed();
}

/* The peer sends, and goes: it asks how much of that is taken, in time or not any more. */
static int
test_bye_asked(int gives_up)
{
	struct test_ep *server = server_run();

	TEST_CALL(hostile_connected(server));
	TEST_CALL(send_both(BF_WIRE_DATA, BF_WIRE_BYE, &asks));
	if (gives_up) {
		TEST_EXPECT(bf_qp_to_error(&hostile.qp), 0);
		TEST_EXPECT(bf_cm_disconnect(hostile.id, -ETIMEDOUT), 0);
	}
	PEER_WAIT(&hostile, server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(server->disconnect_status, 0);
	TEST_EXPECT(server->nb_recv, !gives_up);
	TEST_EXPECT(peer_count(&hostile, BF_WIRE_BYE), !gives_up);
	if (gives_up)
		return test_log_passed();
	TEST_EXPECT(hostile.last_of[BF_WIRE_BYE].hdr.credits, 1);
	TEST_EXPECT(hostile.last.hdr.type, BF_WIRE_BYE);
	return test_log_passed();
}

/* The peer asks, and has no buffer for the answer: its device says so for ever. */
static int
test_bye_no_buffer(void)
{
	struct test_ep *server = server_run();

	hostile.no_posts = true;
	TEST_CALL(hostile_connected(server));
	TEST_CALL(send_both(BF_WIRE_DATA, BF_WIRE_BYE, &asks));
	PEER_WAIT(&hostile, server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(server->disconnect_status, 0);
	TEST_EXPECT(server->nb_recv, 0);
	return test_log_passed();
}

/* The peer takes so many of four messages behind which this side goes; or says nothing. */
static int
bye_answered(int answers)
{
	const uint32_t taken = answers ? 3 : 0;
	struct test_ep *server = server_run();
	const struct bf_wire_bye bye = { 0 };
	uint32_t i;

	TEST_CALL(hostile_connected(server));
	for (i = 0; i < 4; i++)
		TEST_EXPECT(test_send_pattern(server->conn, 8, i), 0);
	/* before it is ready it sends none, and has nothing to ask for */
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_DATA) == 4, TEST_MS);
	TEST_EXPECT(rte_comch_server_disconnect(server->conn), 0);
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_BYE) == 1, TEST_MS);
	TEST_EXPECT(memcmp((const uint8_t *)hostile.last_of[BF_WIRE_BYE].data +
			offsetof(struct bf_wire_bye, flags), &asks.flags, sizeof(asks.flags)), 0);
	TEST_EXPECT(server->nb_disconnects, 0);
	hostile.hdr.credits = taken;
	if (answers)
		TEST_CALL(peer_send(&hostile, BF_WIRE_BYE, &bye, sizeof(bye)));
	PEER_WAIT(&hostile, server->nb_disconnects == 1 && hostile.seen[BF_CM_DREQ] != 0, TEST_MS);
	TEST_EXPECT(hostile.status[BF_CM_DREQ], answers ? -ESHUTDOWN : -ETIMEDOUT);
	TEST_EXPECT(server->nb_done, taken);
	TEST_EXPECT(server->nb_failed, 4 - taken);
	TEST_EXPECT(test_dev_info((int16_t)card_dev).status, 0);
	return test_log_passed();
}

/* Messages whose header or size is not as it should be. */
static const struct {
	uint8_t type;
	uint32_t len;            /* as the header has it */
	uint32_t size;           /* of all that is sent */
	const char *words;       /* of the log */
	struct bf_wire_hdr more; /* is added to what it should have */
} bad_hdrs[] = {
	{ BF_WIRE_DATA, 0, 1, "message without a header" },
	{ BF_WIRE_DATA, 0, 15, "message without a header" },
	{ BF_WIRE_TYPES, 0, 16, "type of a message" },
	{ 0, 0, 16, "type of a message" },
	{ BF_WIRE_DATA, 8, 24, "flags of a message", { .flags = 0x80 } },
	{ BF_WIRE_DATA, 8, 24, "sequence number", { .seq = 1 } },
	{ BF_WIRE_DATA, 9, 24, "length of a message" },
	{ BF_WIRE_DATA, 7, 24, "length of a message" },
	{ BF_WIRE_DATA, UINT32_MAX - 7, 24, "length of a message" },
	{ BF_WIRE_DATA, 0, 16, "size of a message" },
	{ BF_WIRE_DATA, PEER_MSG_SIZE + 1, 16 + PEER_MSG_SIZE + 1, "size of a message" },
	{ BF_WIRE_DATA, 4096, 16 + 4096, "message longer than a buffer" },
	/* it got nothing */
	{ BF_WIRE_DATA, 8, 24, "credits for messages", { .credits = 1 } },
	{ BF_WIRE_DATA, 8, 24, "credits for messages", { .credits = UINT32_MAX } },
	{ BF_WIRE_DATA, 8, 24, "credits for control messages", { .ctl_credits = 1 } },
	{ BF_WIRE_DATA, 8, 24, "credits that it has seen", { .credits_seen = 0xff } },
	{ BF_WIRE_PING, 4, 20, "length of a control message" },
	{ BF_WIRE_CONSUMER_NEW, 8, 24, "length of a control message" },
};

static int
send_hdr(unsigned int row)
{
	struct bf_wire_hdr hdr = good_hdr(bad_hdrs[row].type, bad_hdrs[row].len);
	const struct bf_wire_hdr *more = &bad_hdrs[row].more;
	static uint8_t bytes[PEER_BUF];

	hdr.flags += more->flags;
	hdr.ctl_credits += more->ctl_credits;
	hdr.credits_seen += more->credits_seen;
	hdr.credits += more->credits;
	hdr.seq += more->seq;
	memcpy(bytes, &hdr, sizeof(hdr));
	return peer_send_raw(&hostile, bytes, bad_hdrs[row].size, BF_WQE_SEND);
}

static int
bad_bye(void)
{
	const struct bf_wire_bye bye = { .flags = ~BF_WIRE_BYE_F_ANSWER };

	return send_both(BF_WIRE_DATA, BF_WIRE_BYE, &bye);
}

static int
bad_imm(void)
{
	struct bf_wire_hdr hdr = good_hdr(BF_WIRE_DATA, 8);
	uint8_t bytes[24] = { 0 };

	memcpy(bytes, &hdr, sizeof(hdr));
	return peer_send_raw(&hostile, bytes, sizeof(bytes), BF_WQE_SEND_IMM);
}

/* More than the server has room for; it is not turned meanwhile. */
static int
flood(uint8_t type, uint32_t len)
{
	static const uint8_t data[64];
	uint32_t i;

	for (i = 0; i < 64 && hostile.nb_errors == 0 && hostile.seen[BF_CM_DREQ] == 0; i++)
		TEST_CALL(peer_send(&hostile, type, data, len));
	return TEST_SUCCESS;
}

static int
bad_bye_then_more(void)
{
	const struct bf_wire_bye bye = { 0 };

	return send_both(BF_WIRE_BYE, BF_WIRE_DATA, &bye);
}

static int
bad_behind_data(void)
{
	return send_both(BF_WIRE_DATA, 0, &asks);
}

static const struct {
	int (*send)(void);
	const char *words; /* of the log */
} bad_msgs[] = {
	{ bad_bye, "flags of BYE" },
	{ bad_imm, "kind of a message" },
	{ bad_bye_then_more, "message behind BYE" },
	{ bad_behind_data, "type of a message" },
};

static uint64_t
violations(void)
{
	struct rte_comch_dev_stats stats = { 0 };

	rte_comch_dev_stats_get(test_pair.dpu, &stats);
	return stats.violations;
}

/* It ends the connection, is counted, and nothing of it is handed up. */
static int
expect_violation(const struct test_ep *server, uint64_t nb, const char *words)
{
	PEER_WAIT(&hostile, server->nb_disconnects == nb, TEST_MS);
	TEST_ASSERT(server->disconnect_status == -EPROTO, "%s: it ended with %d", words,
			server->disconnect_status);
	TEST_ASSERT(test_log_has(words), "not logged: %s", words);
	TEST_EXPECT(violations(), nb);
	TEST_EXPECT(server->nb_recv, 0);
	PEER_WAIT(&hostile, hostile.seen[BF_CM_DREQ] != 0, TEST_MS);
	TEST_EXPECT(hostile.status[BF_CM_DREQ], -EPROTO);
	return TEST_SUCCESS;
}

static int
test_bad_messages(void)
{
	struct test_ep *server = server_run();
	uint32_t i, nb = 0;

	for (i = 0; i < RTE_DIM(bad_hdrs); i++) {
		TEST_CALL(hostile_connected(server));
		TEST_CALL(send_hdr(i));
		TEST_CALL(expect_violation(server, ++nb, bad_hdrs[i].words));
	}
	for (i = 0; i < RTE_DIM(bad_msgs); i++) {
		TEST_CALL(hostile_connected(server));
		TEST_CALL(bad_msgs[i].send());
		TEST_CALL(expect_violation(server, ++nb, bad_msgs[i].words));
	}
	return test_log_passed();
}

/* DATA without a credit: the connection is held back, so none comes back. */
static int
test_no_credit(void)
{
	struct test_ep *server = server_run();

	TEST_CALL(hostile_connected(server));
	TEST_EXPECT(rte_comch_conn_recv_hold_set(server->conn, true), 0);
	TEST_CALL(flood(BF_WIRE_DATA, 8));
	PEER_WAIT(&hostile, server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(server->disconnect_status, -EPROTO);
	TEST_TRUE(test_log_has("message without a credit"));
	TEST_EXPECT(server->nb_recv, 0);
	return test_log_passed();
}

/* Nothing but CREDITs, which have a window, and never a word that they were seen. */
static int
test_too_many_credits(void)
{
	struct bf_send_wr wr = { .opcode = BF_WQE_SEND, .inl_len = sizeof(struct bf_wire_hdr) };
	struct test_ep *server = server_run();
	struct bf_wire_hdr hdr;
	uint32_t i;

	TEST_CALL(hostile_connected(server));
	hdr = good_hdr(BF_WIRE_CREDIT, 0);
	wr.inl = &hdr;
	for (i = 0; i < 20; i++, hdr.seq++) {
		wr.signalled = i == 19;
		TEST_TRUE(bf_sendq_send(&hostile.sq, &wr) >= 0);
	}
	bf_sendq_ring(&hostile.sq);
	/* all have come before it is turned */
	TEST_UNTIL(hostile.sq.ci == hostile.sq.pi, (peer_poll(&hostile), 0), TEST_MS);
	PEER_WAIT(&hostile, server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(server->disconnect_status, -EPROTO);
	TEST_TRUE(test_log_has("more credits than we have seen"));
	return test_log_passed();
}

/* One that keeps the window hears soon that they were seen, not with the next sign of life. */
static int
test_credits_seen(void)
{
	const uint8_t window = bf_wire_credit_window(PEER_QUEUE);
	struct test_ep *server = server_run();
	uint64_t start;
	uint32_t i;

	TEST_CALL(hostile_connected(server));
	start = test_now_ns();
	for (i = 0; i < 50u * window; i++) {
		PEER_WAIT(&hostile, (uint8_t)(i - hostile.last.hdr.credits_seen) < window, TEST_MS);
		TEST_CALL(peer_send(&hostile, BF_WIRE_CREDIT, NULL, 0));
	}
	TEST_TRUE(test_now_ns() - start < 30000000000);
	TEST_EXPECT(server->nb_disconnects, 0);
	return test_log_passed();
}

/* The peer has this side answer, and takes no answer: it does not wait for ever with them. */
static int
test_answers_not_taken(void)
{
	const struct bf_wire_pair close = { .pair = 1 };
	struct test_ep *server = server_run();
	uint32_t i;

	TEST_CALL(hostile_connected(server));
	for (i = 0; i < 2 * BF_CTRL_MAX_CTL && server->nb_disconnects == 0; i++) {
		hostile.hdr.ctl_credits = 0;
		TEST_CALL(peer_ctl(&hostile, BF_WIRE_PAIR_CLOSE, &close));
		test_progress();
	}
	PEER_WAIT(&hostile, server->nb_disconnects == 1, TEST_MS);
	TEST_TRUE(i >= BF_CTRL_MAX_CTL);
	TEST_EXPECT(server->disconnect_status, -ECONNRESET);
	TEST_CALL(hostile_connected(server));
	return test_log_passed();
}

/* Signs of life without end cost it nothing, and others as little. */
static int
test_pings(void)
{
	struct test_ep *server = server_run();
	uint8_t byte = 1;

	TEST_CALL(hostile_connected(server));
	TEST_CALL(flood(BF_WIRE_PING, 0));
	TEST_CALL(peer_send(&hostile, BF_WIRE_DATA, &byte, 1));
	PEER_WAIT(&hostile, server->nb_recv == 1, TEST_MS);
	TEST_EXPECT(server->nb_disconnects, 0);
	return test_log_passed();
}

/* A client that never says that it is ready, but sends. */
static int
test_no_rtu(void)
{
	struct test_ep *server = server_run();
	uint8_t byte = 1;

	hostile.no_rtu = true;
	TEST_CALL(hostile_connected(server));
	TEST_CALL(peer_send(&hostile, BF_WIRE_DATA, &byte, 1));
	PEER_WAIT(&hostile, server->nb_recv == 1, TEST_MS);
	TEST_EXPECT(test_send_pattern(server->conn, 8, 1), 0);
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_DATA) == 1, TEST_MS);
	return test_log_passed();
}

/* A peer that is quiet gets signs of life; one that dies is noticed by them. */
static int
test_death(void)
{
	struct test_ep *server = server_run();

	TEST_CALL(hostile_connected(server));
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PING) >= 2, TEST_MS);
	peer_die(&hostile);
	TEST_WAIT(server->nb_disconnects == 1, DEATH_MS);
	TEST_EXPECT(server->disconnect_status, -ECONNRESET);
	return test_log_passed();
}

/*
 * Answers
 */

#define REP(name) FIELD(bf_wire_rep, name)
#define REP_LETTER(name, i) offsetof(struct bf_wire_rep, name) + (i), 1

static const struct lie bad_reps[] = {
	{ "magic", REP(magic), 0, -EPROTO },
	{ "version", REP(version), BF_WIRE_VERSION_MAX + 1, -EPROTO },
	{ "no version", REP(version), BF_WIRE_VERSION_MIN - 1, -EPROTO },
	{ "no MTU", REP(mtu), 0, -EPROTO },
	{ "MTU above the request's", REP(mtu), 4, -EPROTO },
	{ "reserved", REP_LETTER(reserved, 1), 1, -EPROTO },
	{ "no size", REP(max_msg_size), 0, -EPROTO },
	{ "large", REP(max_msg_size), BF_WIRE_MAX_MSG_SIZE + 1, -EPROTO },
	{ "other size", REP(max_msg_size), PEER_MSG_SIZE + 1, -EPROTO },
	{ "no queue", REP(queue_size), 0, -EPROTO },
	{ "long queue", REP(queue_size), UINT32_MAX, -EPROTO },
	{ "name", REP_LETTER(name, 0), 'x', -EPROTO },
	{ "name without end", REP(name), 'x', -EPROTO },
	{ "function without end", REP(function), 'x', -EPROTO },
	/* it is printed: an escape would be the terminal's */
	{ "function that cannot be printed", REP_LETTER(function, 0), '\033', -EPROTO },
	{ "function with a delete", REP_LETTER(function, 1), 0x7f, -EPROTO },
	{ "function of other letters", REP_LETTER(function, 0), 0x80, -EPROTO },
};

static void
good_rep(struct bf_wire_rep *rep)
{
	memset(rep, 0, sizeof(*rep));
	rep->magic = BF_WIRE_MAGIC;
	rep->version = BF_WIRE_VERSION_MAX;
	rep->mtu = 3;
	rep->max_msg_size = PEER_MSG_SIZE;
	rep->queue_size = PEER_QUEUE;
	strcpy(rep->name, "test");
	strcpy(rep->function, HOST);
}

static struct test_ep *
client_start(void)
{
	const struct rte_comch_client_conf conf = {
		.ctrl.max_msg_size = PEER_MSG_SIZE,
		.ctrl.recv_queue_size = PEER_QUEUE,
	};

	return test_client_run_conf(&conf, test_pe_new());
}

static int
expect_failed(struct test_ep *client, const char *what, int reason)
{
	int got;

	PEER_WAIT(&hostile, test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	got = rte_comch_ctx_reason_get(client->ctx);
	TEST_ASSERT(got == reason, "%s: it failed with %d, not %d", what, got, reason);
	TEST_EXPECT(test_ep_close(client), 0);
	return TEST_SUCCESS;
}

static int
test_answers(void)
{
	struct rte_comch_dev_stats stats;
	struct test_ep *client;
	uint32_t i;

	for (i = 0; i < RTE_DIM(bad_reps); i++) {
		good_rep(&hostile.rep);
		lie_put(&hostile.rep, &bad_reps[i]);
		client = client_start();
		TEST_CALL(expect_failed(client, bad_reps[i].what, bad_reps[i].reason));
		TEST_EXPECT(hostile.req.magic, BF_WIRE_MAGIC);
		TEST_EXPECT(hostile.req.name_hash, bf_wire_name_hash("test"));
	}
	good_rep(&hostile.rep);
	client = client_start();
	PEER_WAIT(&hostile, client->conn != NULL, TEST_MS);
	TEST_EXPECT(test_log_count("answer to the request for 'test'"), RTE_DIM(bad_reps));
	TEST_EXPECT(rte_comch_dev_stats_get(host_dev, &stats), 0);
	TEST_EXPECT(stats.violations, RTE_DIM(bad_reps));
	return test_log_passed();
}

/* The worker of a client has heard of these events, and the client has not. */
static bool
client_hears(uint32_t events)
{
	struct bf_dev *dev = bf_dev_of(rte_comch_pmd_get_by_name(test_dev_info(host_dev).name));
	struct bf_chan_dev *cd = bf_chan_dev_of(dev);
	const struct bf_ctrl_conn *cc;
	bool hears;

	bf_lock(&cd->lock);
	cc = TAILQ_FIRST(&cd->conns);
	hears = cc != NULL && (cc->events & events) == events;
	bf_unlock(&cd->lock);
	return hears;
}

/* The server answers and goes before the client looks: that hears of both, and its device lives. */
static int
test_answers_and_goes(void)
{
	struct test_ep *client;

	good_rep(&hostile.rep);
	client = client_start();
	PEER_WAIT(&hostile, hostile.req.magic != 0, TEST_MS);
	TEST_EXPECT(bf_cm_disconnect(hostile.id, 0), 0);
	TEST_UNTIL(client_hears(BF_EV_REP | BF_EV_LOST), (peer_poll(&hostile), 0), TEST_MS);
	PEER_WAIT(&hostile, test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), -ECONNRESET);
	return test_log_passed();
}

/* The client stops when the answer has come, and has not looked at it yet. */
static int
test_answers_too_late(void)
{
	struct test_ep *client;

	good_rep(&hostile.rep);
	client = client_start();
	PEER_WAIT(&hostile, hostile.req.magic != 0, TEST_MS);
	TEST_UNTIL(client_hears(BF_EV_REP), (peer_poll(&hostile), 0), TEST_MS);
	TEST_TRUE(rte_comch_ctx_stop(client->ctx) <= 0);
	PEER_WAIT(&hostile, test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	test_progress_ms(20);
	TEST_TRUE(client->conn == NULL);
	TEST_EXPECT(client->nb_connects, 0);
	return test_log_passed();
}

/* A client that takes any size has room for so many bytes, whatever the server says. */
static int
test_much_memory_asked(void)
{
	const struct rte_comch_client_conf conf = {
		.ctrl.recv_queue_size = BF_CTRL_MAX_RECV / BF_WIRE_MAX_MSG_SIZE + 1,
	};
	struct test_ep *client;

	good_rep(&hostile.rep);
	hostile.rep.max_msg_size = BF_WIRE_MAX_MSG_SIZE;
	client = test_client_run_conf(&conf, test_pe_new());
	TEST_CALL(expect_failed(client, "much memory", -EMSGSIZE));
	/* but not any at all */
	hostile.rep.max_msg_size = BF_WIRE_MAX_MSG_SIZE + 1;
	client = test_client_run_conf(&conf, test_pe_new());
	TEST_CALL(expect_failed(client, "large", -EPROTO));
	hostile.rep.max_msg_size = 0;
	client = test_client_run_conf(&conf, test_pe_new());
	TEST_CALL(expect_failed(client, "no size", -EPROTO));
	TEST_EXPECT(test_log_count("size of messages"), 2);
	hostile.rep.max_msg_size = BF_WIRE_MAX_MSG_SIZE / 2;
	client = test_client_run_conf(&conf, test_pe_new());
	PEER_WAIT(&hostile, client->conn != NULL, TEST_MS);
	return test_log_passed();
}

static int
test_rejections(void)
{
	static const struct {
		int said;
		int told;
	} rows[] = {
		{ -ENOENT, -ENOENT }, { -ENOSPC, -ENOSPC }, { -EMSGSIZE, -EMSGSIZE },
		{ -ENOMEM, -ENOMEM }, { -EACCES, -EACCES }, { -EPROTO, -EPROTO },
		{ -EPROTONOSUPPORT, -EPROTONOSUPPORT },
		/* what the application could take for something else */
		{ 0, -ECONNREFUSED }, { 5, -ECONNREFUSED }, { -ETIMEDOUT, -ECONNREFUSED },
		{ INT32_MIN, -ECONNREFUSED },
	};
	struct bf_wire_rej rej = { .magic = BF_WIRE_MAGIC };
	struct test_ep *client;
	uint32_t i;

	hostile.rej = &rej;
	hostile.rej_len = sizeof(rej);
	hostile.rej_reason = -ENOENT;
	for (i = 0; i < RTE_DIM(rows); i++) {
		rej.reason = rows[i].said;
		client = client_start();
		TEST_CALL(expect_failed(client, "a reason", rows[i].told));
	}
	rej = (struct bf_wire_rej){ .reason = -ENOENT };
	client = client_start();
	TEST_CALL(expect_failed(client, "no words of ours", -ECONNREFUSED));
	/* one that says at once that it did not answer in time is not asked for ever */
	hostile.rej_len = 0;
	hostile.rej_reason = -ETIMEDOUT;
	hostile.seen[BF_CM_REQ] = 0;
	client = client_start();
	TEST_CALL(expect_failed(client, "timeout", -ECONNREFUSED));
	TEST_EXPECT(hostile.seen[BF_CM_REQ], 1);
	return test_log_passed();
}

static struct unit_test_suite server_suite = {
	.suite_name = "control connections of BlueField and what peers do to them",
	.unit_test_cases = {
		TEST_CASE_ST(setup_server, teardown, test_refusals),
		TEST_CASE_ST(setup_server, teardown, test_larger_path),
		TEST_CASE_ST(setup_server, teardown, test_refused_often),
		TEST_CASE_ST(setup_server, teardown, test_much_memory),
		TEST_CASE_ST(setup_server, teardown, test_no_server),
		TEST_CASE_ST(setup_server, teardown, test_full),
		TEST_CASE_ST(setup_server, teardown, test_messages),
		TEST_CASE_ST(setup_server, teardown, test_bye_reasons),
		TEST_CASE_ARG(setup_server, teardown, "test_bye_asks", test_bye_asked, false),
		TEST_CASE_ARG(setup_server, teardown, "test_bye_gives_up", test_bye_asked, true),
		TEST_CASE_ST(setup_server, teardown, test_bye_no_buffer),
		TEST_CASE_ARG(setup_server, teardown, "test_bye_answered", bye_answered, true),
		TEST_CASE_ARG(setup_server, teardown, "test_bye_silent", bye_answered, false),
		TEST_CASE_ST(setup_server, teardown, test_bad_messages),
		TEST_CASE_ST(setup_server, teardown, test_no_credit),
		TEST_CASE_ST(setup_server, teardown, test_too_many_credits),
		TEST_CASE_ST(setup_server, teardown, test_credits_seen),
		TEST_CASE_ST(setup_server, teardown, test_answers_not_taken),
		TEST_CASE_ST(setup_server, teardown, test_pings),
		TEST_CASE_ST(setup_server, teardown, test_no_rtu),
		TEST_CASE_ST(setup_server, teardown, test_death),
		TEST_CASE_ST(setup_client, teardown, test_answers),
		TEST_CASE_ST(setup_client, teardown, test_answers_and_goes),
		TEST_CASE_ST(setup_client, teardown, test_answers_too_late),
		TEST_CASE_ST(setup_client, teardown, test_much_memory_asked),
		TEST_CASE_ST(setup_client, teardown, test_rejections),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(bluefield_chan_autotest, unit_test_suite_runner, &server_suite)
