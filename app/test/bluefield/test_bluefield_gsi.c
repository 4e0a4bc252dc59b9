/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Connection management on queue pair 1 of two functions of the software BlueField:
 * handshakes, the queue pairs that come of them, what the switch keeps back, and what
 * others send to queue pair 1.
 */

#include <errno.h>

#include <rte_common.h>

#include "bluefield_gsi.h"
#include "test_bluefield_cm.h"
#include "test_bluefield_data.h"

#define CONNECT_MS 4000

static struct node host, card;
static struct user client, server;

/* A function with a connection manager; users of the tests on the wire take it, too. */
static int
manager(struct node *n, struct user *u, struct data_end *e)
{
	struct bf_cm_conf conf;

	memset(n, 0, sizeof(*n));
	memset(u, 0, sizeof(*u));
	memcpy(n->addr.mac, e->addr.mac, sizeof(n->addr.mac));
	memcpy(n->addr.gid, e->addr.gid, sizeof(n->addr.gid));
	u->node = n;
	conf = wire_conf(n, user_req, u);
	conf.addr_index = e->addr_index;
	conf.name = e->name;
	conf.wait_ms = 50;
	return bf_cm_create(e->dev, &e->pd, &e->uar, &conf, &n->cm);
}

static int
setup(void)
{
	static const struct data_conf conf;

	memset(&host, 0, sizeof(host));
	memset(&card, 0, sizeof(card));
	TEST_CALL(data_case_setup());
	TEST_CALL(data_end_make(&data_a, &conf));
	TEST_CALL(data_end_make(&data_b, &conf));
	TEST_EXPECT(manager(&host, &client, &data_a), 0);
	TEST_EXPECT(manager(&card, &server, &data_b), 0);
	return TEST_SUCCESS;
}

static int
setup_allowed(void)
{
	TEST_CALL(setup());
	return test_model_allow(&model, "pf0vf0", "ecpf0vf0");
}

static void
managers_end(void)
{
	bf_cm_destroy(host.cm);
	bf_cm_destroy(card.cm);
	host.cm = card.cm = NULL;
}

static void
teardown(void)
{
	managers_end();
	data_case_teardown();
}

static bool
poll_both(void)
{
	bf_cm_poll(host.cm);
	bf_cm_poll(card.cm);
	return true;
}

#define POLL_UNTIL(cond, ms) TEST_WAIT(poll_both() && (cond), ms)

static int
passed(void)
{
	user_release(&client);
	user_release(&server);
	POLL_UNTIL(node_ids(&host) == 0 && node_ids(&card) == 0, 8000);
	managers_end();
	return data_passed();
}

static int
test_connect(void)
{
	struct conn *c = user_connect(&client, &card, CONNECT_MS), *s = &server.conns[0];
	struct bf_cm_stats stats;

	TEST_TRUE(c != NULL);
	POLL_UNTIL(s->seen[BF_CM_RTU] == 1, CONNECT_MS);
	TEST_EXPECT(c->seen[BF_CM_REP], 1);
	TEST_TRUE(memcmp(&s->ev.from, &host.addr, sizeof(host.addr)) == 0);
	TEST_EXPECT(bf_cm_disconnect(s->id, -EPIPE), 0);
	POLL_UNTIL(c->seen[BF_CM_ENDED] == 1 && s->seen[BF_CM_ENDED] == 1, CONNECT_MS);
	TEST_EXPECT(c->status[BF_CM_DREQ], -EPIPE);
	/* the other way round */
	c = user_connect(&server, &host, CONNECT_MS);
	POLL_UNTIL(client.nb_conns == 2 && client.conns[1].seen[BF_CM_RTU] == 1, CONNECT_MS);
	bf_cm_stats(host.cm, &stats);
	TEST_EXPECT(stats.bad_mad + stats.bad_from + stats.bad_msg + stats.no_id, 0);
	return passed();
}

static int
test_reject(void)
{
	struct conn *c;

	server.mode = USER_REJECT;
	server.reason = -ENOENT;
	server.words = "no such name";
	client.keep = true;
	c = user_connect(&client, &card, CONNECT_MS);
	POLL_UNTIL(c->seen[BF_CM_FAILED] == 1, CONNECT_MS);
	TEST_EXPECT(c->ev.status, -ECONNREFUSED);
	TEST_TRUE(strcmp((char *)c->priv, "no such name") == 0);
	return passed();
}

/* Queue pairs that a handshake has brought together carry messages. */
static int
test_data(void)
{
	struct bf_cm_qp own = { .psn = 0xabcdef, .rnr_retry = 7, .mtu = 3, .retry_count = 7,
		.ack_timeout = 14 };
	struct conn *c = &client.conns[0], *s = &server.conns[0];
	struct data_cqe cqe;

	client.mode = server.mode = USER_HOLD;
	client.nb_conns = 1;
	c->user = &client;
	own.qpn = data_a.qp.obj.id;
	TEST_EXPECT(bf_cm_connect(host.cm, &card.addr, &own, NULL, 0, CONNECT_MS, user_event, c,
		&c->id), 0);
	POLL_UNTIL(s->seen[BF_CM_REQ] == 1, CONNECT_MS);
	own.qpn = data_b.qp.obj.id;
	own.psn = 0x123456;
	bf_cm_path(s->id, &own, &s->path);
	TEST_EXPECT(bf_qp_to_rtr(&data_b.qp, &s->path), 0);
	TEST_EXPECT(bf_qp_to_rts(&data_b.qp, &s->path), 0);
	TEST_EXPECT(bf_cm_accept(s->id, &own, NULL, 0, user_event, s), 0);
	POLL_UNTIL(c->seen[BF_CM_REP] == 1, CONNECT_MS);
	own.qpn = data_a.qp.obj.id;
	own.psn = 0xabcdef;
	bf_cm_path(c->id, &own, &c->path);
	TEST_EXPECT(bf_qp_to_rtr(&data_a.qp, &c->path), 0);
	TEST_EXPECT(bf_qp_to_rts(&data_a.qp, &c->path), 0);
	/* before the RTU: the passive side is ready */
	memcpy(data_a.bytes, "request", 8);
	data_recv(&data_b, 4096, 64);
	data_send(&data_a, OP_SEND, 0, 8, 0);
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_TRUE(strcmp((char *)data_b.bytes + 4096, "request") == 0);
	bf_cm_established(s->id);
	TEST_EXPECT(bf_cm_rtu(c->id), 0);
	memcpy(data_b.bytes, "answer", 7);
	data_recv(&data_a, 4096, 64);
	data_send(&data_b, OP_SEND, 0, 7, 0);
	TEST_CALL(data_received(&data_a, &cqe));
	TEST_TRUE(strcmp((char *)data_a.bytes + 4096, "answer") == 0);
	TEST_CALL(data_sent(&data_a, &cqe));
	return passed();
}

/* Without a rule nothing passes; with one of them, no answer does. */
static int
test_no_rule(void)
{
	struct conn *c;

	client.keep = server.keep = true;
	c = user_connect(&client, &card, 400);
	POLL_UNTIL(c->seen[BF_CM_FAILED] == 1, CONNECT_MS);
	TEST_EXPECT(c->ev.status, -ETIMEDOUT);
	TEST_EXPECT(server.nb_conns, 0);
	TEST_TRUE(test_model_vport(&model, "pf0vf0", "no-rule") >= 4);
	TEST_EXPECT(test_model_rule(&model, "add", "pf0vf0", "ecpf0vf0"), 0);
	c = user_connect(&client, &card, 400);
	POLL_UNTIL(c->seen[BF_CM_FAILED] == 1, CONNECT_MS);
	TEST_EXPECT(c->ev.status, -ETIMEDOUT);
	TEST_EXPECT(server.nb_conns, 1);
	/* who gave up has said so */
	POLL_UNTIL(server.conns[0].seen[BF_CM_FAILED] == 1, CONNECT_MS);
	TEST_EXPECT(test_model_rule(&model, "add", "ecpf0vf0", "pf0vf0"), 0);
	c = user_connect(&client, &card, CONNECT_MS);
	POLL_UNTIL(server.conns[1].seen[BF_CM_RTU] == 1, CONNECT_MS);
	return passed();
}

/* The other side's way is taken away while there is a connection. */
static int
test_rule_gone(void)
{
	struct conn *c = user_connect(&client, &card, CONNECT_MS), *s = &server.conns[0];

	client.keep = true;
	POLL_UNTIL(s->seen[BF_CM_RTU] == 1, CONNECT_MS);
	TEST_EXPECT(test_model_rule(&model, "del", "ecpf0vf0", "pf0vf0"), 0);
	TEST_EXPECT(bf_cm_disconnect(c->id, 0), 0);
	POLL_UNTIL(s->seen[BF_CM_ENDED] == 1, CONNECT_MS);
	POLL_UNTIL(c->seen[BF_CM_ENDED] == 1, CONNECT_MS);
	TEST_EXPECT(c->status[BF_CM_ENDED], -ETIMEDOUT);
	return passed();
}

/* Nobody polls: an event comes for what arrives, each time. */
static int
test_event(void)
{
	struct bf_func_stats before, after;
	unsigned int i;

	for (i = 0; i < 5; i++) {
		poll_both();
		bf_func_stats(data_b.func, &before);
		TEST_TRUE(user_connect(&client, &card, CONNECT_MS) != NULL);
		TEST_WAIT((bf_func_stats(data_b.func, &after), after.events > before.events),
			TEST_MS);
		POLL_UNTIL(server.nb_conns == i + 1 && server.conns[i].seen[BF_CM_RTU] == 1,
			CONNECT_MS);
	}
	return passed();
}

/* More than fit into the queues: what gets lost is sent again. */
static int
test_many(void)
{
	unsigned int i;

	for (i = 0; i < USER_CONNS; i++)
		TEST_TRUE(user_connect(&client, &card, 8000) != NULL);
	for (i = 0; i < USER_CONNS; i++)
		POLL_UNTIL(client.conns[i].seen[BF_CM_REP] == 1, 8000);
	TEST_EXPECT(server.nb_conns, USER_CONNS);
	return passed();
}

static struct bf_gsi *
gsi_of(struct node *n)
{
	return container_of(n->cm->port, struct bf_gsi, port);
}

/* A queue pair 1 that has failed is started anew, and nobody has to know. */
static int
test_restart(void)
{
	struct conn *c;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		poll_both();
		gsi_of(&card)->retry_ms = 0;
		TEST_EXPECT(bf_qp_to_error(&gsi_of(&card)->qp), 0);
		c = user_connect(&client, &card, CONNECT_MS);
		TEST_TRUE(c != NULL);
		POLL_UNTIL(server.nb_conns == i + 1 && server.conns[i].seen[BF_CM_RTU] == 1,
			CONNECT_MS);
		TEST_EXPECT(gsi_of(&card)->resets, i + 1);
	}
	TEST_TRUE(test_log_has("queue pair 1: it has failed"));
	test_log_drop();
	return passed();
}

/* One that cannot be started anew sends nothing, is tried again, and that is said once. */
static int
test_restart_fails(void)
{
	static const char *const cmds[] = { "RST2INIT_QP", "INIT2RTR_QP", "RTR2RTS_QP" };
	struct bf_gsi *gsi = gsi_of(&card);
	uint8_t mad[BF_MAD_SIZE] = { 0 };
	unsigned int i, k;

	for (i = 0; i < RTE_DIM(cmds); i++) {
		TEST_EXPECT(test_model_ctl(&model, "fault ecpf0vf0 cmd opcode=%s count=2 status=4",
			cmds[i]), 0);
		gsi->retry_ms = 0;
		TEST_EXPECT(bf_qp_to_error(&gsi->qp), 0);
		for (k = 0; k < 2; k++) {
			TEST_WAIT(poll_both() && gsi->resets == 3 * i + k + 1, TEST_MS);
			TEST_EXPECT(gsi->port.ops->send(&gsi->port, &host.addr, mad), -EIO);
			gsi->retry_ms = 0;
		}
		TEST_WAIT(poll_both() && gsi->resets == 3 * i + 3, TEST_MS);
		TEST_EXPECT(test_log_count("cannot be started anew"), i + 1);
		TEST_TRUE(user_connect(&client, &card, CONNECT_MS) != NULL);
		POLL_UNTIL(server.nb_conns == i + 1 && server.conns[i].seen[BF_CM_RTU] == 1,
			CONNECT_MS);
	}
	test_log_drop();
	return passed();
}

/* A completion that cannot be is no reason to touch what it names. */
static int
test_hostile_completion(void)
{
	static const struct {
		uint8_t opcode;
		const char *words;
	} rows[] = {
		{ BF_CQE_RESP_SEND, "completion of a receive that is not posted" },
		{ BF_CQE_REQ, "completion of a send that is not posted" },
		{ 0x7, "completion of no kind" },
	};
	struct bf_gsi *gsi = gsi_of(&card);
	struct bf_cqe *cqe;
	unsigned int i;

	for (i = 0; i < RTE_DIM(rows); i++) {
		poll_both();
		gsi->retry_ms = 0;
		cqe = (struct bf_cqe *)gsi->cq.ring + gsi->compq.ci % gsi->cq.nb_cqes;
		memset(cqe, 0xff, offsetof(struct bf_cqe, op_own));
		cqe->op_own = rows[i].opcode << 4;
		poll_both();
		TEST_EXPECT(gsi->resets, i + 1);
		TEST_EXPECT(test_log_count(rows[i].words), 1);
	}
	test_log_drop();
	return TEST_SUCCESS;
}

/* A datagram as the device writes it: its addresses are of this kind. */
static void
datagram_written(struct bf_gsi *gsi, uint32_t kind, uint8_t opcode, uint32_t bytes)
{
	struct bf_cqe *cqe = (struct bf_cqe *)gsi->cq.ring + gsi->compq.ci % gsi->cq.nb_cqes;
	uint8_t *buf = (uint8_t *)gsi->mem->addr +
		(gsi->recvq.ci & gsi->recvq.mask) * BF_GSI_STRIDE;

	memset(buf, 0, BF_GSI_GRH + BF_MAD_SIZE);
	buf[0] = 6 << 4;
	buf[6] = 17;
	memcpy(buf + 8, host.addr.gid, sizeof(host.addr.gid));
	memcpy(buf + 24, card.addr.gid, sizeof(card.addr.gid));
	memset(cqe, 0, sizeof(*cqe));
	cqe->flags_src_qpn = rte_cpu_to_be_32(1u << 28 | kind << 24 | BF_CM_GSI_QPN);
	cqe->byte_cnt = rte_cpu_to_be_32(bytes);
	cqe->wqe_counter = rte_cpu_to_be_16(gsi->recvq.ci);
	cqe->op_own = opcode << 4;
}

/* One with immediate data, or of a length that none can have, is for nobody. */
static int
test_no_datagram(void)
{
	static const struct {
		uint8_t opcode;
		uint32_t bytes;
	} rows[] = {
		{ BF_CQE_RESP_SEND_IMM, BF_GSI_GRH + BF_MAD_SIZE },
		{ BF_CQE_RESP_SEND, 0 }, { BF_CQE_RESP_SEND, BF_GSI_GRH - 1 },
		{ BF_CQE_RESP_SEND, BF_GSI_RECV + 1 }, { BF_CQE_RESP_SEND, UINT32_MAX },
	};
	struct bf_gsi *gsi = gsi_of(&card);
	struct bf_cm_stats stats;
	unsigned int i;

	poll_both();
	for (i = 0; i < RTE_DIM(rows); i++) {
		datagram_written(gsi, BF_CQE_L3_IPV6, rows[i].opcode, rows[i].bytes);
		poll_both();
		TEST_EXPECT(gsi->dropped, i + 1);
	}
	bf_cm_stats(card.cm, &stats);
	TEST_EXPECT(stats.bad_from + stats.bad_mad, 0);
	TEST_EXPECT(gsi->resets, 0);
	return passed();
}

/* Of an IPv4 packet the first 20 bytes are whatever was there: addresses of another, too. */
static int
test_addresses_by_completion(void)
{
	struct bf_cm_stats stats;
	unsigned int i;

	poll_both();
	for (i = 0; i < 3; i++) {
		datagram_written(gsi_of(&card), i, BF_CQE_RESP_SEND, BF_GSI_GRH + BF_MAD_SIZE);
		poll_both();
		bf_cm_stats(card.cm, &stats);
		TEST_EXPECT(stats.bad_from, i == 0 ? 1 : i);
		TEST_EXPECT(stats.bad_mad, i == 0 ? 0 : 1);
	}
	return passed();
}

static bool
ip4_mac(void *arg __rte_unused, const uint8_t gid[16], uint8_t mac[6])
{
	memcpy(mac, host.addr.mac, 6);
	return memcmp(gid, host.addr.gid, 16) == 0;
}

static const uint8_t host_ip[] = { 192, 0, 2, 1 }, card_ip[] = { 192, 0, 2, 2 };

/* The card is over IPv4, and knows the host so. */
static int
setup_ip4(void)
{
	struct bf_cm_conf conf;

	TEST_CALL(setup());
	bf_cm_destroy(card.cm);
	card.cm = NULL;
	bf_cm_addr_set_ip4(&host.addr, host_ip);
	bf_cm_addr_set_ip4(&card.addr, card_ip);
	conf = wire_conf(&card, user_req, &server);
	conf.addr_index = data_b.addr_index;
	conf.ip4_mac = ip4_mac;
	return bf_cm_create(data_b.dev, &data_b.pd, &data_b.uar, &conf, &card.cm);
}

/* A header of IPv4 that is right but for one byte; sum: then its checksum is, too. */
struct ip4_row {
	uint8_t byte, change;
	bool sum;
};

static void
ip4_written(struct bf_gsi *gsi, const struct ip4_row *row)
{
	uint8_t *head = (uint8_t *)gsi->mem->addr +
		(gsi->recvq.ci & gsi->recvq.mask) * BF_GSI_STRIDE + 20;
	uint32_t sum = 0, i;

	datagram_written(gsi, BF_CQE_L3_IPV4, BF_CQE_RESP_SEND, BF_GSI_GRH + BF_MAD_SIZE);
	memset(head, 0, 20);
	head[0] = 0x45;
	head[3] = 20 + 8 + 24 + 12;
	head[8] = 64;
	head[9] = 17;
	memcpy(head + 12, host.addr.gid + 12, 4);
	memcpy(head + 16, card.addr.gid + 12, 4);
	if (row->sum)
		head[row->byte] ^= row->change;
	for (i = 0; i < 20; i += 2)
		sum += (uint32_t)head[i] << 8 | head[i + 1];
	sum = ~((sum & 0xffff) + (sum >> 16));
	head[10] = sum >> 8 & 0xff;
	head[11] = sum & 0xff;
	if (!row->sum)
		head[row->byte] ^= row->change;
}

/* Over IPv4: only what a header says that holds, from who is known; else dropped, and counted. */
static int
test_ip4_datagrams(void)
{
	static const struct ip4_row bad[] = {
		{ 0, 0x03, true }, { 0, 0x01, true }, /* length: 6, and 4, words */
		{ 0, 0x20, true }, /* version */
		{ 15, 0x02, true }, { 12, 0x20, true }, /* sender */
		{ 19, 0x01, true }, /* receiver */
	};
	/* the checksum the card has looked at */
	static const struct ip4_row good[] = {
		{ 0, 0, true }, { 8, 0x3f, true }, { 10, 0x80, false },
	};
	struct bf_gsi *gsi = gsi_of(&card);
	struct bf_cm_stats stats;
	unsigned int i;

	poll_both();
	for (i = 0; i < RTE_DIM(bad); i++) {
		ip4_written(gsi, &bad[i]);
		poll_both();
		bf_cm_stats(card.cm, &stats);
		TEST_EXPECT(stats.bad_from, i + 1);
	}
	/* over IPv6: addresses that look like IPv4; and those made of MACs */
	for (i = 0; i < 3; i++) {
		if (i == 1)
			bf_cm_addr_of_mac(host.addr.mac, &host.addr);
		if (i == 2)
			bf_cm_addr_of_mac(card.addr.mac, &card.addr);
		datagram_written(gsi, BF_CQE_L3_IPV6, BF_CQE_RESP_SEND, BF_GSI_GRH + BF_MAD_SIZE);
		poll_both();
		bf_cm_stats(card.cm, &stats);
		TEST_EXPECT(stats.bad_from, RTE_DIM(bad) + i + 1);
	}
	TEST_EXPECT(stats.bad_mad, 0);
	/* and what is right comes through, to a message that is none */
	bf_cm_addr_set_ip4(&host.addr, host_ip);
	bf_cm_addr_set_ip4(&card.addr, card_ip);
	for (i = 0; i < RTE_DIM(good); i++) {
		ip4_written(gsi, &good[i]);
		poll_both();
		bf_cm_stats(card.cm, &stats);
		TEST_EXPECT(stats.bad_mad, i + 1);
	}
	return passed();
}

/*
 * Others
 */

/* A datagram of an ordinary queue pair to queue pair 1. */
static void
datagram(uint32_t qkey, uint32_t len)
{
	struct bf_ud_dest dest = { .qpn = 1, .qkey = qkey, .hop_limit = 64, .udp_sport = 0xc001,
		.src_addr_index = data_a.addr_index };
	struct bf_wqe_av av;
	uint8_t segs[64];

	memcpy(dest.mac, card.addr.mac, sizeof(dest.mac));
	memcpy(dest.gid, card.addr.gid, sizeof(dest.gid));
	bf_av_fill(&av, &dest);
	memcpy(segs, &av, sizeof(av));
	data_seg(segs + sizeof(av), len, data_a.mkey.key, (uintptr_t)data_a.bytes);
	data_send_raw(&data_a, OP_SEND, segs, len != 0 ? 4 : 3, 0);
}

/* One that has the key of queue pair 1, as who owns a function can make it. */
static int
other_make(void)
{
	const struct data_conf ud = { .service = BF_QP_UD };
	const struct bf_qp_attr attr = {
		.service = BF_QP_UD, .pd = &data_a.pd, .uar = &data_a.uar,
		.cq_send = &data_a.send_cq, .cq_recv = &data_a.recv_cq,
		.nb_sq_blocks = DATA_QUEUE, .user_index = UINT32_MAX, .qkey = BF_QP_QKEY_GSI,
	};

	data_end_free(&data_a);
	TEST_CALL(data_end_make(&data_a, &ud));
	bf_qp_destroy(&data_a.qp);
	TEST_EXPECT(bf_qp_create(data_a.dev, &attr, &data_a.qp), 0);
	TEST_EXPECT(bf_qp_to_init(&data_a.qp), 0);
	TEST_EXPECT(bf_qp_to_rtr(&data_a.qp, NULL), 0);
	return bf_qp_to_rts(&data_a.qp, NULL);
}

/* All of them arrive, none is listened to, and none does harm. */
static int
test_others(void)
{
	static const uint32_t lens[] = { 0, 1, 24, 255, 256, 257, 1024 };
	struct bf_cm_stats stats;
	struct data_cqe cqe;
	unsigned int i;

	bf_cm_destroy(host.cm);
	host.cm = NULL;
	TEST_EXPECT(other_make(), 0);
	for (i = 0; i < RTE_DIM(lens); i++) {
		datagram(BF_QP_QKEY_GSI, lens[i]);
		TEST_CALL(data_sent(&data_a, &cqe));
		TEST_EXPECT(cqe.opcode, 0);
		TEST_WAIT((bf_cm_poll(card.cm), bf_cm_stats(card.cm, &stats),
			stats.bad_from == i + 1), TEST_MS);
	}
	/* a key that only applications have */
	datagram(0x11111111, 256);
	TEST_CALL(data_sent(&data_a, &cqe));
	TEST_EXPECT(manager(&host, &client, &data_a), 0);
	TEST_TRUE(user_connect(&client, &card, CONNECT_MS) != NULL);
	POLL_UNTIL(server.conns[0].seen[BF_CM_RTU] == 1, CONNECT_MS);
	bf_cm_stats(card.cm, &stats);
	TEST_EXPECT(stats.bad_from, RTE_DIM(lens));
	TEST_EXPECT(gsi_of(&card)->resets, 0);
	return passed();
}

/* The device is gone: calls return, and all can be ended. */
static int
test_device_gone(void)
{
	struct conn *c = user_connect(&client, &card, CONNECT_MS), *s = &server.conns[0];

	client.keep = server.keep = true;
	POLL_UNTIL(s->seen[BF_CM_RTU] == 1, CONNECT_MS);
	test_model_kill(&model);
	TEST_WAIT(bf_func_status(data_a.func, NULL) != 0, TEST_MS);
	TEST_EXPECT(bf_cm_disconnect(c->id, 0), 0);
	POLL_UNTIL(c->seen[BF_CM_ENDED] == 1, 8000);
	user_release(&client);
	user_release(&server);
	managers_end();
	test_log_drop();
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "connection management on functions",
	.unit_test_cases = {
		TEST_CASE_ST(setup_allowed, teardown, test_connect),
		TEST_CASE_ST(setup_allowed, teardown, test_reject),
		TEST_CASE_ST(setup_allowed, teardown, test_data),
		TEST_CASE_ST(setup, teardown, test_no_rule),
		TEST_CASE_ST(setup_allowed, teardown, test_rule_gone),
		TEST_CASE_ST(setup_allowed, teardown, test_event),
		TEST_CASE_ST(setup_allowed, teardown, test_many),
		TEST_CASE_ST(setup_allowed, teardown, test_restart),
		TEST_CASE_ST(setup_allowed, teardown, test_restart_fails),
		TEST_CASE_ST(setup_allowed, teardown, test_hostile_completion),
		TEST_CASE_ST(setup_allowed, teardown, test_no_datagram),
		TEST_CASE_ST(setup_allowed, teardown, test_addresses_by_completion),
		TEST_CASE_ST(setup_ip4, teardown, test_ip4_datagrams),
		TEST_CASE_ST(setup_allowed, teardown, test_others),
		TEST_CASE_ST(setup_allowed, teardown, test_device_gone),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_gsi_autotest, unit_test_suite_runner, &suite);
