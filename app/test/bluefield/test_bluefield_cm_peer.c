/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The connection manager against peers that are played: such as behave as Linux is
 * known to, message by message, and such as mean no good. The messages are made here,
 * field by field, and not by the code that is tested.
 */

#include <errno.h>

#include <rte_common.h>

#include "test.h"
#include "test_bluefield_cm.h"

#define GUID UINT64_C(0x0211220000334404)
#define PEER_ID 0x5a5a0001u
#define PEER_QPN 0x00bead

static struct wire wire;
/* ours, the one that is played, and one that looks on */
static struct node *const us = &wire.nodes[0], *const peer = &wire.nodes[1],
	*const other = &wire.nodes[2];
static struct user user;

static int
setup(void)
{
	struct bf_cm_conf conf;

	wire_init(&wire, 5);
	memset(&user, 0, sizeof(user));
	user.node = us;
	conf = wire_conf(us, user_req, &user);
	return wire_open(us, &conf);
}

/* All of them over IPv4. */
static int
setup_ip4(void)
{
	struct bf_cm_conf conf;

	wire_init(&wire, 5);
	wire_set_ip4(&wire);
	memset(&user, 0, sizeof(user));
	user.node = us;
	conf = wire_conf(us, user_req, &user);
	conf.ip4_mac = user_ip4_mac;
	return wire_open(us, &conf);
}

static void
teardown(void)
{
	wire_close(&wire);
}

static struct bf_cm_stats
stats(void)
{
	struct bf_cm_stats st;

	bf_cm_stats(us->cm, &st);
	return st;
}

static bool
is_ip4(void)
{
	return bf_cm_gid_ip4(us->addr.gid) != NULL;
}

/* In the header of the RDMA IP CM service: IPv4 comes after zeros. */
static void
ip_put(uint8_t *to, const uint8_t *gid)
{
	memset(to, 0, 16);
	memcpy(to + (is_ip4() ? 12 : 0), gid + (is_ip4() ? 12 : 0), is_ip4() ? 4 : 16);
}

/* A REQ as rdma_cm of Linux sends it, by its defaults. */
static struct bf_mad
linux_req(void)
{
	struct bf_mad mad = {
		.attr = BF_MAD_REQ, .tid = UINT64_C(0x100000001), .local_id = PEER_ID,
		.req = {
			.service_id = BF_CM_SERVICE_ID, .ca_guid = GUID, .qpn = PEER_QPN,
			.responder_resources = 16, .initiator_depth = 16, .remote_timeout = 22,
			.psn = 0x112233, .local_timeout = 22, .retry_count = 7, .pkey = 0xffff,
			.mtu = 3, .rnr_retry = 7, .max_retries = 15, .srq = 1,
			.path = {
				.local_lid = 0xffff, .remote_lid = 0xffff, .flow_label = 0x3c21f,
				.hop_limit = 64, .ack_timeout = 18,
			},
		},
	};
	uint8_t *priv = mad.req.priv;

	memcpy(mad.req.path.local_gid, peer->addr.gid, 16);
	memcpy(mad.req.path.remote_gid, us->addr.gid, 16);
	priv[1] = (is_ip4() ? 4 : 6) << 4;
	priv[2] = 0xb0;
	priv[3] = 0x07;
	ip_put(priv + 4, peer->addr.gid);
	ip_put(priv + 20, us->addr.gid);
	memcpy(priv + 36, "from afar", 10);
	return mad;
}

/* What else it sends on that connection; ours is theirs to tell. */
static struct bf_mad
linux_mad(uint16_t attr, uint32_t our_id)
{
	return (struct bf_mad){
		.attr = attr, .tid = UINT64_C(0x100000001), .local_id = PEER_ID,
		.remote_id = our_id,
	};
}

static struct bf_mad
linux_rep(uint32_t our_id)
{
	struct bf_mad mad = linux_mad(BF_MAD_REP, our_id);

	mad.rep.qpn = PEER_QPN;
	mad.rep.psn = 0x445566;
	mad.rep.ack_delay = 16;
	mad.rep.rnr_retry = 6;
	mad.rep.ca_guid = GUID;
	memcpy(mad.rep.priv, "well met", 9);
	return mad;
}

static void
play(const struct bf_mad *mad)
{
	wire_play(peer, us, mad);
	wire_settle(&wire);
}

static struct bf_mad
got(uint16_t attr)
{
	struct bf_mad mad;

	if (!wire_got(peer, attr, &mad))
		mad.attr = 0;
	return mad;
}

/* A connection that Linux asked for. Our id goes to *id. */
static int
accepted(uint32_t *id)
{
	struct bf_mad mad = linux_req(), rep;

	play(&mad);
	rep = got(BF_MAD_REP);
	TEST_EXPECT(rep.attr, BF_MAD_REP);
	*id = rep.local_id;
	mad = linux_mad(BF_MAD_RTU, *id);
	play(&mad);
	TEST_EXPECT(user.conns[0].seen[BF_CM_RTU], 1);
	return TEST_SUCCESS;
}

/* One that we asked for. */
static int
connected(struct conn **c, struct bf_mad *req)
{
	struct bf_mad mad;

	*c = user_connect(&user, peer, 20000);
	TEST_TRUE(*c != NULL);
	wire_settle(&wire);
	*req = got(BF_MAD_REQ);
	TEST_EXPECT(req->attr, BF_MAD_REQ);
	mad = linux_rep(req->local_id);
	play(&mad);
	TEST_EXPECT((*c)->seen[BF_CM_REP], 1);
	TEST_EXPECT(got(BF_MAD_RTU).attr, BF_MAD_RTU);
	return TEST_SUCCESS;
}

/*
 * Linux asks
 */

static int
test_linux_req(void)
{
	struct bf_mad req = linux_req(), rep, mad;
	struct conn *c = &user.conns[0];

	play(&req);
	TEST_EXPECT(c->seen[BF_CM_REQ], 1);
	TEST_TRUE(strcmp((char *)c->priv, "from afar") == 0);
	TEST_EXPECT(c->path.remote_qpn, PEER_QPN);
	TEST_EXPECT(c->path.local_psn, 0x112233);
	TEST_EXPECT(c->path.ack_timeout, 18);
	/* of flow label 0x3c21f: 0x021f, and 0xf over it */
	TEST_EXPECT(c->path.udp_sport, 0xc210);
	rep = got(BF_MAD_REP);
	TEST_EXPECT(rep.attr, BF_MAD_REP);
	TEST_EXPECT(rep.tid, req.tid);
	TEST_EXPECT(rep.remote_id, PEER_ID);
	TEST_TRUE(rep.local_id != 0);
	TEST_EXPECT(rep.rep.qpn, c->own.qpn);
	TEST_EXPECT(rep.rep.psn, c->own.psn);
	/* no reads, or librdmacm asks for more than there is; no ECE, or it fails */
	TEST_EXPECT(rep.rep.responder_resources | rep.rep.initiator_depth, 0);
	TEST_EXPECT(rep.rep.vendor_high | rep.rep.vendor_mid | rep.rep.vendor_low, 0);
	TEST_TRUE(rep.rep.ca_guid != 0);
	mad = linux_mad(BF_MAD_RTU, rep.local_id);
	play(&mad);
	TEST_EXPECT(c->seen[BF_CM_RTU], 1);
	/* the end, by its DREQ: numbers are ours, and the transaction is its own */
	mad = linux_mad(BF_MAD_DREQ, rep.local_id);
	mad.tid = 0x200000001;
	mad.dreq.qpn = c->own.qpn;
	play(&mad);
	TEST_EXPECT(c->seen[BF_CM_DREQ], 1);
	TEST_EXPECT(c->status[BF_CM_DREQ], 0);
	mad = got(BF_MAD_DREP);
	TEST_EXPECT(mad.tid, 0x200000001);
	TEST_EXPECT(mad.remote_id, PEER_ID);
	wire_run(&wire, 500);
	TEST_EXPECT(c->seen[BF_CM_ENDED], 1);
	TEST_EXPECT(node_ids(us), 0);
	return TEST_SUCCESS;
}

/* It repeats a REQ every 16 s: our REPs come earlier, and not for ever. */
static int
test_linux_slow(void)
{
	struct bf_mad req = linux_req(), mad;
	unsigned int nb = 0;

	play(&req);
	wire_run(&wire, 15999);
	while (wire_got(peer, BF_MAD_REP, &mad))
		nb++;
	TEST_EXPECT(nb, 16);
	wire_run(&wire, 1);
	TEST_EXPECT(got(BF_MAD_REJ).rej.reason, BF_REJ_TIMEOUT);
	TEST_EXPECT(user.conns[0].status[BF_CM_FAILED], -ETIMEDOUT);
	TEST_EXPECT(node_ids(us), 0);
	return TEST_SUCCESS;
}

/* REQs that ask for no retries, or for a flood. */
static int
test_linux_times(void)
{
	struct bf_mad req = linux_req(), mad;
	unsigned int nb = 0;

	req.req.max_retries = 0;
	req.req.local_timeout = 0;
	req.req.path.ack_timeout = 0;
	play(&req);
	/* 0 would be for ever */
	TEST_EXPECT(user.conns[0].path.ack_timeout, 1);
	wire_run(&wire, 31);
	while (wire_got(peer, BF_MAD_REP, &mad))
		nb++;
	TEST_EXPECT(nb, 1);
	wire_run(&wire, 1000);
	while (wire_got(peer, BF_MAD_REP, &mad))
		nb++;
	TEST_EXPECT(nb, 4);
	return TEST_SUCCESS;
}

/* The application there gives up while we have its REQ, or while it has our REP. */
static int
test_linux_cancels(void)
{
	static const uint8_t guid[8] = { 0x02, 0x11, 0x22, 0, 0, 0x33, 0x44, 0x04 };
	struct bf_mad req = linux_req(), rej = linux_mad(BF_MAD_REJ, 0);
	struct conn *c = &user.conns[0];

	rej.rej.about = BF_MAD_ABOUT_OTHER;
	rej.rej.reason = BF_REJ_TIMEOUT;
	rej.rej.info_len = 8;
	memcpy(rej.rej.info, guid, sizeof(guid));
	user.mode = USER_HOLD;
	play(&req);
	play(&rej);
	TEST_EXPECT(c->seen[BF_CM_FAILED], 0);
	TEST_EXPECT(bf_cm_accept(c->id, &c->own, NULL, 0, user_event, c), -ECONNRESET);
	user_release(&user);
	user.mode = USER_ACCEPT;
	play(&req);
	TEST_EXPECT(got(BF_MAD_REP).attr, BF_MAD_REP);
	/* that of another function has no say */
	rej.rej.info[7]++;
	play(&rej);
	TEST_EXPECT(user.conns[1].seen[BF_CM_FAILED], 0);
	rej.rej.info[7]--;
	play(&rej);
	TEST_EXPECT(user.conns[1].status[BF_CM_FAILED], -ETIMEDOUT);
	TEST_EXPECT(node_ids(us), 0);
	return TEST_SUCCESS;
}

/*
 * Linux answers
 */

static int
test_linux_rep(void)
{
	struct bf_mad req, mad;
	uint8_t addrs[32];
	struct conn *c;
	unsigned int i;

	TEST_CALL(connected(&c, &req));
	TEST_TRUE(strcmp((char *)c->priv, "well met") == 0);
	TEST_EXPECT(c->path.remote_qpn, PEER_QPN);
	TEST_EXPECT(c->path.local_psn, 0x445566);
	TEST_EXPECT(c->path.rnr_retry, 6);
	/* what Linux looks at */
	TEST_EXPECT(req.req.service_id, BF_CM_SERVICE_ID);
	TEST_TRUE(req.req.ca_guid != 0 && req.local_id != 0);
	TEST_EXPECT(req.req.max_retries, 15);
	TEST_TRUE(req.req.remote_timeout != 0 && req.req.local_timeout != 0);
	TEST_EXPECT(req.req.pkey, 0xffff);
	TEST_EXPECT(req.req.path.rate, 0);
	TEST_EXPECT(req.req.alt.local_lid, 0);
	TEST_EXPECT(req.req.vendor_id, 0);
	TEST_EXPECT(req.req.path.hop_limit, 64);
	TEST_EXPECT(req.req.path.subnet_local, 0);
	TEST_EXPECT(req.req.path.ack_timeout, c->own.ack_timeout);
	TEST_EXPECT(req.req.psn, c->own.psn);
	TEST_EXPECT(req.req.priv[0], 0);
	TEST_EXPECT(req.req.priv[1], is_ip4() ? 0x40 : 0x60);
	TEST_TRUE((req.req.priv[2] | req.req.priv[3]) != 0);
	ip_put(addrs, us->addr.gid);
	ip_put(addrs + 16, peer->addr.gid);
	TEST_TRUE(memcmp(req.req.priv + 4, addrs, sizeof(addrs)) == 0);
	/* one number for a function, whatever address it has */
	TEST_EXPECT(req.req.ca_guid, UINT64_C(0x001122fffe334401));
	TEST_TRUE(strcmp((char *)req.req.priv + 36, "hello") == 0);
	/* REPs that come late, or because a RTU got lost */
	for (i = 0; i < 3; i++) {
		mad = linux_rep(req.local_id);
		play(&mad);
		mad = got(BF_MAD_RTU);
		TEST_EXPECT(mad.attr, BF_MAD_RTU);
		TEST_EXPECT(mad.local_id, req.local_id);
		TEST_EXPECT(mad.remote_id, PEER_ID);
	}
	TEST_EXPECT(c->seen[BF_CM_REP], 1);
	/* our DREQ names its queue pair, and it takes its time */
	TEST_EXPECT(bf_cm_disconnect(c->id, 0), 0);
	wire_run(&wire, 300);
	mad = got(BF_MAD_DREQ);
	TEST_EXPECT(mad.dreq.qpn, PEER_QPN);
	TEST_EXPECT(mad.remote_id, PEER_ID);
	TEST_EXPECT(got(BF_MAD_DREQ).attr, BF_MAD_DREQ);
	mad = linux_mad(BF_MAD_DREP, req.local_id);
	play(&mad);
	wire_run(&wire, 500);
	TEST_EXPECT(c->seen[BF_CM_ENDED], 1);
	TEST_EXPECT(c->status[BF_CM_ENDED], 0);
	return TEST_SUCCESS;
}

/* A MRA of 65 s and no answer; then it comes after all. */
static int
test_linux_mra(void)
{
	struct conn *c = user_connect(&user, peer, 20000);
	struct bf_mad req, mad;
	unsigned int nb = 0;

	wire_settle(&wire);
	req = got(BF_MAD_REQ);
	mad = linux_mad(BF_MAD_MRA, req.local_id);
	mad.mra.timeout = 24;
	play(&mad);
	wire_run(&wire, 8000);
	TEST_EXPECT(got(BF_MAD_REQ).attr, 0);
	/* a second one does not keep us longer */
	play(&mad);
	wire_run(&wire, 10000);
	while (wire_got(peer, BF_MAD_REQ, &mad))
		nb++;
	TEST_TRUE(nb > 3);
	mad = linux_rep(req.local_id);
	play(&mad);
	TEST_EXPECT(c->seen[BF_CM_REP], 1);
	TEST_EXPECT(got(BF_MAD_RTU).attr, BF_MAD_RTU);
	return TEST_SUCCESS;
}

/* Refusals before the application there has seen anything: without an id of its own. */
static int
test_linux_rej(void)
{
	static const struct { uint16_t reason; int status; } cases[] = {
		{ 8, -ENOENT }, { 12, -EADDRNOTAVAIL }, { 28, -ECONNREFUSED }, { 35, -ENOPROTOOPT },
		{ 0xffff, -EPROTO },
	};
	struct bf_mad mad;
	struct conn *c;
	unsigned int i;

	user.keep = true;
	for (i = 0; i < RTE_DIM(cases); i++) {
		c = user_connect(&user, peer, 1000);
		wire_settle(&wire);
		mad = linux_mad(BF_MAD_REJ, got(BF_MAD_REQ).local_id);
		mad.local_id = 0;
		mad.rej.reason = cases[i].reason;
		play(&mad);
		TEST_EXPECT(c->seen[BF_CM_FAILED], 1);
		TEST_EXPECT(c->ev.status, cases[i].status);
	}
	user_release(&user);
	return TEST_SUCCESS;
}

/* REJ on a connection that is up is its end; on one that ends, the end of that. */
static int
test_linux_rej_late(void)
{
	struct bf_mad req, mad;
	struct conn *c;

	TEST_CALL(connected(&c, &req));
	mad = linux_mad(BF_MAD_REJ, req.local_id);
	mad.rej.about = BF_MAD_ABOUT_OTHER;
	mad.rej.reason = 28;
	play(&mad);
	TEST_EXPECT(c->seen[BF_CM_DREQ], 1);
	TEST_EXPECT(c->status[BF_CM_DREQ], -ECONNREFUSED);
	wire_run(&wire, 500);
	TEST_EXPECT(c->seen[BF_CM_ENDED], 1);
	TEST_CALL(connected(&c, &req));
	TEST_EXPECT(bf_cm_disconnect(c->id, 0), 0);
	mad.remote_id = req.local_id;
	play(&mad);
	wire_run(&wire, 500);
	TEST_EXPECT(c->seen[BF_CM_ENDED], 1);
	TEST_EXPECT(node_ids(us), 0);
	return TEST_SUCCESS;
}

/* REQs that are taken back at once, by the hundred: the user has so many at a time, no more. */
static int
test_req_taken_back(void)
{
	struct bf_mad req, rej = linux_mad(BF_MAD_REJ, 0);
	unsigned int i;

	user.mode = USER_HOLD;
	user.keep = true;
	rej.rej.about = BF_MAD_ABOUT_OTHER;
	rej.rej.reason = BF_REJ_TIMEOUT;
	rej.rej.info_len = 8;
	memset(rej.rej.info, 0, sizeof(rej.rej.info));
	for (i = 0; i < 300; i++) {
		req = linux_req();
		req.local_id = 0x1000 + i;
		req.req.qpn = 0x200 + i;
		req.req.ca_guid = 0;
		play(&req);
		rej.local_id = req.local_id;
		play(&rej);
	}
	TEST_EXPECT(user.nb_conns, 64);
	TEST_EXPECT(stats().half_open, 64);
	/* it answers that it is too late, and lets go: then there is room */
	for (i = 0; i < 64; i++) {
		TEST_EXPECT(bf_cm_accept(user.conns[i].id, &user.conns[i].own, NULL, 0, user_event,
				&user.conns[i]), -ECONNRESET);
		bf_cm_release(user.conns[i].id);
		user.conns[i].id = NULL;
	}
	TEST_EXPECT(stats().half_open, 0);
	TEST_EXPECT(node_ids(us), 0);
	req.local_id++;
	play(&req);
	TEST_EXPECT(user.nb_conns, 65);
	user_release(&user);
	return TEST_SUCCESS;
}

/* It has a stale connection of our queue pair: it ends that, and takes the next REQ. */
static int
test_linux_stale(void)
{
	struct conn *c = user_connect(&user, peer, 5000);
	struct bf_mad req, again, mad;

	wire_settle(&wire);
	req = got(BF_MAD_REQ);
	mad = linux_mad(BF_MAD_REJ, req.local_id);
	mad.local_id = 0;
	mad.rej.reason = BF_REJ_STALE;
	play(&mad);
	mad = linux_mad(BF_MAD_DREQ, 0x77777777);
	mad.dreq.qpn = c->own.qpn;
	play(&mad);
	mad = got(BF_MAD_DREP);
	TEST_EXPECT(mad.local_id, 0x77777777);
	TEST_EXPECT(mad.remote_id, PEER_ID);
	wire_run(&wire, 400);
	again = got(BF_MAD_REQ);
	TEST_EXPECT(again.attr, BF_MAD_REQ);
	TEST_TRUE(again.local_id != req.local_id);
	TEST_EXPECT(again.req.qpn, req.req.qpn);
	/* what is late for the old number finds nobody */
	mad = linux_rep(req.local_id);
	play(&mad);
	TEST_EXPECT(c->seen[BF_CM_REP], 0);
	TEST_EXPECT(got(BF_MAD_REJ).rej.reason, BF_REJ_COMM_ID);
	mad = linux_rep(again.local_id);
	play(&mad);
	TEST_EXPECT(c->seen[BF_CM_REP], 1);
	return TEST_SUCCESS;
}

/* Once: who keeps the old connection for good is believed. */
static int
test_linux_stale_twice(void)
{
	struct conn *c = user_connect(&user, peer, 5000);
	struct bf_mad mad;
	unsigned int i;

	user.keep = true;
	for (i = 0; i < 2; i++) {
		TEST_EXPECT(c->seen[BF_CM_FAILED], 0);
		wire_run(&wire, i * 320);
		mad = linux_mad(BF_MAD_REJ, got(BF_MAD_REQ).local_id);
		mad.local_id = 0;
		mad.rej.reason = BF_REJ_STALE;
		play(&mad);
	}
	TEST_EXPECT(c->seen[BF_CM_FAILED], 1);
	TEST_EXPECT(c->status[BF_CM_FAILED], -ESTALE);
	TEST_EXPECT(c->ev.reason, BF_REJ_STALE);
	user_release(&user);
	return TEST_SUCCESS;
}

/* REP of a queue pair that an old connection of ours has: that one ends. */
static int
test_stale_rep(void)
{
	struct bf_mad req, again, mad;
	struct conn *c, *d;

	TEST_CALL(connected(&c, &req));
	d = user_connect(&user, peer, 5000);
	wire_settle(&wire);
	again = got(BF_MAD_REQ);
	mad = linux_rep(again.local_id);
	mad.local_id++;
	play(&mad);
	TEST_EXPECT(c->status[BF_CM_DREQ], -ESTALE);
	TEST_EXPECT(d->seen[BF_CM_REP], 1);
	/* the old one's DREQ, with its numbers, and the new one's RTU, with its own */
	mad = got(BF_MAD_DREQ);
	TEST_EXPECT(mad.local_id, req.local_id);
	TEST_EXPECT(mad.remote_id, PEER_ID);
	mad = got(BF_MAD_RTU);
	TEST_EXPECT(mad.local_id, again.local_id);
	TEST_EXPECT(mad.remote_id, PEER_ID + 1);
	mad = linux_mad(BF_MAD_DREP, req.local_id);
	play(&mad);
	wire_run(&wire, 500);
	TEST_EXPECT(c->seen[BF_CM_ENDED], 1);
	TEST_EXPECT(d->seen[BF_CM_DREQ], 0);
	return TEST_SUCCESS;
}

/* What we do not speak. */
static int
test_linux_others(void)
{
	struct bf_mad mad = { .attr = BF_MAD_SIDR_REQ, .tid = 77, .local_id = 99,
		.sidr_req = { .service_id = 0x0111c0c4, .pkey = 0xffff } };

	play(&mad);
	mad = got(BF_MAD_SIDR_REP);
	TEST_EXPECT(mad.tid, 77);
	TEST_EXPECT(mad.local_id, 99);
	TEST_EXPECT(mad.sidr_rep.status, 1);
	TEST_EXPECT(mad.sidr_rep.service_id, 0x0111c0c4);
	mad.attr = BF_MAD_LAP;
	play(&mad);
	mad.attr = BF_MAD_APR;
	play(&mad);
	mad.attr = BF_MAD_SIDR_REP;
	play(&mad);
	TEST_TRUE(wire_silent(peer));
	return TEST_SUCCESS;
}

/*
 * No good
 */

/* REQs with one field that may not be, and what each is answered. */
static int
bad_req(const struct bf_mad *req, unsigned int reason, const char *what)
{
	struct bf_mad mad;

	play(req);
	mad = got(BF_MAD_REJ);
	TEST_ASSERT(mad.attr == BF_MAD_REJ && mad.rej.reason == reason,
		"%s: attribute 0x%x, reason %u", what, mad.attr, mad.rej.reason);
	TEST_EXPECT(mad.rej.about, BF_MAD_ABOUT_REQ);
	TEST_EXPECT(mad.remote_id, PEER_ID);
	TEST_EXPECT(user.nb_conns, 0);
	TEST_EXPECT(node_ids(us), 0);
	return TEST_SUCCESS;
}

#define BAD_REQ(change, reason) do { \
	struct bf_mad req = linux_req(); \
	change; \
	TEST_CALL(bad_req(&req, reason, #change)); \
} while (0)

static int
test_bad_req(void)
{
	BAD_REQ(req.req.path.local_gid[15]++, BF_REJ_GID);
	BAD_REQ(req.req.path.remote_gid[15]++, BF_REJ_GID);
	BAD_REQ(req.req.pkey = 0x1234, BF_REJ_GID);
	BAD_REQ(req.req.service_id++, BF_REJ_SERVICE_ID);
	BAD_REQ(req.req.service_id = 0, BF_REJ_SERVICE_ID);
	BAD_REQ(req.req.transport = 1, BF_REJ_TRANSPORT);
	BAD_REQ(req.req.ext_transport = 1, BF_REJ_TRANSPORT);
	BAD_REQ(req.req.qpn = 0, BF_REJ_NO_QP);
	BAD_REQ(req.req.qpn = 1, BF_REJ_NO_QP);
	BAD_REQ(req.req.mtu = 0, BF_REJ_MTU);
	BAD_REQ(req.req.mtu = 6, BF_REJ_MTU);
	BAD_REQ(req.req.priv[0] = 1, BF_REJ_CONSUMER);
	BAD_REQ(req.req.priv[1] ^= 0x20, BF_REJ_CONSUMER); /* the other kind */
	BAD_REQ(req.req.priv[1] = 0, BF_REJ_CONSUMER);
	BAD_REQ(req.req.priv[4 + 15]++, BF_REJ_CONSUMER);
	BAD_REQ(req.req.priv[20 + 15]++, BF_REJ_CONSUMER);
	BAD_REQ(req.req.priv[4 + 11]++, BF_REJ_CONSUMER);
	BAD_REQ(req.req.priv[20 + 11]++, BF_REJ_CONSUMER);
	TEST_EXPECT(stats().bad_msg + stats().bad_from, 18);
	return TEST_SUCCESS;
}

/* A good message, in a packet that is not. */
static int
test_bad_packet(void)
{
	struct bf_mad req = linux_req();
	struct bf_cm_packet good = { .has_grh = true, .ip4 = is_ip4(), .src_qpn = 1,
		.len = BF_MAD_SIZE }, bad;
	unsigned int i;

	bf_mad_encode(&req, good.mad);
	memcpy(good.sgid, peer->addr.gid, 16);
	memcpy(good.dgid, us->addr.gid, 16);
	for (i = 0; i < 14; i++) {
		bad = good;
		bad.ip4 ^= i == 12;
		bad.has_grh = i != 0;
		bad.src_qpn = i == 1 ? 0 : i == 2 ? 5 : 1;
		bad.dgid[15] ^= i == 3;
		bad.sgid[0] ^= i == 4; /* not of this link */
		bad.sgid[11] ^= i == 5; /* not of a MAC */
		bad.sgid[8] ^= i == 6; /* of a group */
		bad.sgid[12] ^= i == 11;
		bad.sgid[is_ip4() ? 15 : 1] ^= i == 13 ? 0x40 : 0; /* of nobody */
		bad.mad[i == 7 ? 1 : i == 8 ? 3 : 255] ^= 4;
		bad.len = i == 9 ? 255 : i == 10 ? 257 : bad.len;
		wire_inject(us, &bad);
		wire_settle(&wire);
		TEST_EXPECT(user.nb_conns, 0);
		TEST_ASSERT(wire_silent(peer), "packet %u is answered", i);
	}
	TEST_EXPECT(stats().bad_from, 10);
	TEST_EXPECT(stats().bad_mad, 4);
	/* nor is anybody else: the sender may be nobody */
	TEST_EXPECT(us->nb_tx[BF_MAD_REJ - BF_MAD_FIRST], 0);
	wire_inject(us, &good);
	wire_settle(&wire);
	TEST_EXPECT(user.nb_conns, 1);
	return TEST_SUCCESS;
}

/* Every message that could end or change a connection, from somebody else. */
static int
test_unknown_peers(void)
{
	static const uint16_t attrs[] = { BF_MAD_MRA, BF_MAD_REJ, BF_MAD_REP, BF_MAD_RTU,
		BF_MAD_DREQ, BF_MAD_DREP };
	struct conn *c = &user.conns[0];
	struct bf_mad mad, req;
	unsigned int i, nb;
	uint32_t id;

	TEST_CALL(accepted(&id));
	for (i = 0; i < RTE_DIM(attrs); i++) {
		mad = linux_mad(attrs[i], id);
		if (attrs[i] == BF_MAD_DREQ)
			mad.dreq.qpn = c->own.qpn;
		if (attrs[i] == BF_MAD_REJ)
			mad.rej.reason = 28;
		wire_play(other, us, &mad);
	}
	/* the right one, with the wrong numbers */
	mad = linux_mad(BF_MAD_DREQ, id);
	mad.dreq.qpn = c->own.qpn + 1;
	play(&mad);
	mad.dreq.qpn = c->own.qpn;
	mad.local_id++;
	play(&mad);
	mad.local_id--;
	mad.remote_id += 1u << BF_CM_SLOT_BITS;
	play(&mad);
	mad.remote_id = 0xffffffff;
	play(&mad);
	for (i = 0, nb = 0; i < BF_NB_CM_EVENTS; i++)
		nb += c->seen[i];
	TEST_EXPECT(nb, 2);
	TEST_EXPECT(bf_cm_disconnect(c->id, 0), 0);
	/* a REQ of ours that somebody else answers */
	c = user_connect(&user, peer, 5000);
	wire_settle(&wire);
	req = got(BF_MAD_REQ);
	mad = linux_rep(req.local_id);
	wire_play(other, us, &mad);
	mad = linux_mad(BF_MAD_REJ, req.local_id);
	mad.rej.reason = 28;
	wire_play(other, us, &mad);
	mad.remote_id++;
	play(&mad);
	TEST_EXPECT(c->seen[BF_CM_REP] + c->seen[BF_CM_FAILED], 0);
	mad = linux_rep(req.local_id);
	mad.rep.qpn = 1;
	play(&mad);
	TEST_EXPECT(c->status[BF_CM_FAILED], -EPROTO);
	TEST_EXPECT(got(BF_MAD_REJ).rej.reason, BF_REJ_NO_QP);
	return TEST_SUCCESS;
}

/* The same REQ from two functions: two connections. */
static int
test_same_numbers(void)
{
	struct bf_mad mad = linux_req();

	play(&mad);
	memcpy(mad.req.path.local_gid, other->addr.gid, 16);
	memcpy(mad.req.priv + 4, other->addr.gid, 16);
	wire_play(other, us, &mad);
	wire_settle(&wire);
	TEST_EXPECT(user.nb_conns, 2);
	TEST_EXPECT(stats().duplicates + stats().stale, 0);
	/* the GUID counts, too */
	mad = linux_req();
	mad.req.ca_guid++;
	play(&mad);
	TEST_EXPECT(user.nb_conns, 3);
	mad = linux_req();
	mad.req.ca_guid++;
	mad.local_id++;
	play(&mad);
	TEST_EXPECT(user.nb_conns, 3);
	TEST_EXPECT(stats().stale, 1);
	return TEST_SUCCESS;
}

/* The right peer, at the wrong time: nothing changes. */
static int
test_out_of_place(void)
{
	static const uint16_t attrs[] = { BF_MAD_MRA, BF_MAD_RTU, BF_MAD_DREP };
	struct bf_mad req = linux_req(), mad;
	struct conn *c = &user.conns[0];
	unsigned int i, nb;
	uint32_t id;

	TEST_CALL(accepted(&id));
	for (i = 0; i < RTE_DIM(attrs); i++) {
		mad = linux_mad(attrs[i], id);
		play(&mad);
	}
	/* a REP for who has sent no REQ, and one of another connection there */
	mad = linux_rep(id);
	play(&mad);
	mad.local_id++;
	play(&mad);
	mad = got(BF_MAD_REJ);
	TEST_EXPECT(mad.rej.reason, BF_REJ_COMM_ID);
	TEST_EXPECT(mad.remote_id, PEER_ID + 1);
	play(&req);
	for (i = 0, nb = 0; i < BF_NB_CM_EVENTS; i++)
		nb += c->seen[i];
	TEST_EXPECT(nb, 2);
	TEST_TRUE(wire_silent(peer));
	TEST_EXPECT(bf_cm_disconnect(c->id, 0), 0);
	TEST_EXPECT(c->seen[BF_CM_ENDED], 0);
	return TEST_SUCCESS;
}

/* An answer to a REQ that was given up, from nobody that it knows: that is no repetition. */
static int
test_rep_of_none(void)
{
	struct bf_mad mad;
	struct conn *c;

	user.keep = true;
	c = user_connect(&user, peer, 400);
	wire_run(&wire, 1000);
	TEST_EXPECT(c->status[BF_CM_FAILED], -ETIMEDOUT);
	mad = got(BF_MAD_REQ);
	TEST_EXPECT(got(BF_MAD_REJ).rej.reason, BF_REJ_TIMEOUT);
	mad = linux_rep(mad.local_id);
	mad.local_id = 0;
	play(&mad);
	TEST_EXPECT(got(BF_MAD_REJ).rej.reason, BF_REJ_COMM_ID);
	TEST_EXPECT(stats().no_id, 1);
	TEST_EXPECT(stats().duplicates, 0);
	TEST_EXPECT(c->seen[BF_CM_REP], 0);
	user_release(&user);
	return TEST_SUCCESS;
}

/* A refusal that got lost is said again while the id is there. */
static int
test_refused_again(void)
{
	struct bf_mad req = linux_req(), rej;
	struct conn *c = &user.conns[0];

	user.mode = USER_HOLD;
	play(&req);
	TEST_EXPECT(bf_cm_reject(c->id, -ENOENT, "no", 2), 0);
	wire_settle(&wire);
	TEST_EXPECT(got(BF_MAD_REJ).rej.reason, BF_REJ_CONSUMER);
	play(&req);
	rej = got(BF_MAD_REJ);
	TEST_EXPECT(rej.rej.reason, BF_REJ_CONSUMER);
	TEST_TRUE(memcmp(rej.rej.priv, "no", 3) == 0);
	TEST_EXPECT(user.nb_conns, 1);
	return TEST_SUCCESS;
}

/* Reasons that a DREQ has, and what is none. */
static int
test_dreq_reasons(void)
{
	static const struct { uint8_t priv[8]; int status; } cases[] = {
		{ { 'b', 'f', 'C', 'r', 0, 0, 0, 32 }, -32 },
		{ { 'b', 'f', 'C', 'r', 0, 0, 0x0f, 0xff }, -4095 },
		{ { 'b', 'f', 'C', 'r', 0, 0, 0x10, 0 }, 0 },
		{ { 'b', 'f', 'C', 'r', 0xff, 0xff, 0xff, 0xff }, 0 },
		{ { 'b', 'f', 'C', 's', 0, 0, 0, 32 }, 0 },
		{ { 0 }, 0 },
	};
	struct bf_mad mad;
	struct conn *c;
	unsigned int i;

	for (i = 0; i < RTE_DIM(cases); i++) {
		mad = linux_req();
		mad.local_id += i;
		mad.req.qpn += i;
		play(&mad);
		c = &user.conns[i];
		mad = got(BF_MAD_REP);
		mad = linux_mad(BF_MAD_DREQ, mad.local_id);
		mad.local_id += i;
		mad.dreq.qpn = c->own.qpn;
		memcpy(mad.dreq.priv, cases[i].priv, sizeof(cases[i].priv));
		play(&mad);
		TEST_EXPECT(c->seen[BF_CM_DREQ], 1);
		TEST_EXPECT(c->status[BF_CM_DREQ], cases[i].status);
	}
	return TEST_SUCCESS;
}

static uint8_t
some_byte(void)
{
	return wire_rand(&wire);
}

/* A message of an attribute, whose fields are anything, and whose numbers often fit. */
static void
random_mad(struct bf_cm_packet *pkt, uint32_t our_id)
{
	struct bf_mad req = linux_req();
	unsigned int i, start = 24;
	rte_be32_t id = rte_cpu_to_be_32(our_id), peer_id = rte_cpu_to_be_32(PEER_ID);

	memset(pkt, 0, sizeof(*pkt));
	pkt->has_grh = true;
	pkt->src_qpn = 1;
	pkt->len = BF_MAD_SIZE;
	memcpy(pkt->sgid, peer->addr.gid, 16);
	memcpy(pkt->dgid, us->addr.gid, 16);
	bf_mad_encode(&req, pkt->mad);
	pkt->mad[17] = 0x10 + some_byte() % 12;
	if (pkt->mad[17] == BF_MAD_REQ) {
		/* one of many, mostly good */
		pkt->mad[24] = some_byte();
		pkt->mad[24 + 34] = some_byte();
		pkt->mad[24 + some_byte() % 140] ^= some_byte() & some_byte() & some_byte();
		return;
	}
	for (i = start; i < BF_MAD_SIZE; i++)
		pkt->mad[i] = some_byte();
	if (some_byte() % 2 == 0)
		memcpy(pkt->mad + 24, &peer_id, 4);
	if (some_byte() % 4 != 0)
		memcpy(pkt->mad + 28, &id, 4);
	if (some_byte() % 2 == 0)
		pkt->mad[24 + 8] = 0;
}

/* All sorts of messages, while an application does what it does. Nothing is left. */
static int
test_noise(void)
{
	struct bf_cm_packet pkt;
	struct bf_cm_id *id;
	unsigned int i, j;

	user.mode = USER_ACCEPT;
	for (i = 0; i < 20000; i++) {
		if (user.nb_conns >= USER_CONNS / 2) {
			user_release(&user);
			user.nb_conns = 0;
		}
		if (i % 16 == 0)
			user_connect(&user, peer, 50);
		j = user.nb_conns != 0 ? some_byte() % user.nb_conns : 0;
		id = user.conns[j].id;
		random_mad(&pkt, id != NULL ? id->local_id : some_byte());
		wire_inject(us, &pkt);
		wire_run(&wire, some_byte() % 4);
		if (id != NULL && user.conns[j].id == id && some_byte() % 8 == 0)
			bf_cm_disconnect(id, 0);
		peer->tail = peer->head;
		TEST_TRUE(node_ids(us) <= 1024);
	}
	user_release(&user);
	wire_run(&wire, 30000);
	TEST_EXPECT(node_ids(us), 0);
	TEST_EXPECT(stats().half_open, 0);
	TEST_EXPECT(stats().tx_errors, 0);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "connection management and peers of others",
	.unit_test_cases = {
		TEST_CASE_ST(setup, teardown, test_linux_req),
		TEST_CASE_ST(setup_ip4, teardown, test_linux_req),
		TEST_CASE_ST(setup, teardown, test_linux_slow),
		TEST_CASE_ST(setup, teardown, test_linux_times),
		TEST_CASE_ST(setup, teardown, test_linux_cancels),
		TEST_CASE_ST(setup, teardown, test_linux_rep),
		TEST_CASE_ST(setup_ip4, teardown, test_linux_rep),
		TEST_CASE_ST(setup, teardown, test_linux_mra),
		TEST_CASE_ST(setup, teardown, test_linux_rej),
		TEST_CASE_ST(setup, teardown, test_linux_rej_late),
		TEST_CASE_ST(setup, teardown, test_req_taken_back),
		TEST_CASE_ST(setup, teardown, test_linux_stale),
		TEST_CASE_ST(setup, teardown, test_linux_stale_twice),
		TEST_CASE_ST(setup, teardown, test_stale_rep),
		TEST_CASE_ST(setup, teardown, test_linux_others),
		TEST_CASE_ST(setup, teardown, test_bad_req),
		TEST_CASE_ST(setup, teardown, test_bad_packet),
		TEST_CASE_ST(setup_ip4, teardown, test_bad_req),
		TEST_CASE_ST(setup_ip4, teardown, test_bad_packet),
		TEST_CASE_ST(setup, teardown, test_unknown_peers),
		TEST_CASE_ST(setup, teardown, test_same_numbers),
		TEST_CASE_ST(setup, teardown, test_out_of_place),
		TEST_CASE_ST(setup, teardown, test_rep_of_none),
		TEST_CASE_ST(setup, teardown, test_refused_again),
		TEST_CASE_ST(setup, teardown, test_dreq_reasons),
		TEST_CASE_ST(setup, teardown, test_noise),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_cm_peer_autotest, unit_test_suite_runner, &suite);
