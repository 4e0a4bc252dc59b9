/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Messages that Linux sent, as test_bluefield_cm_linux.h has them: each field is read and
 * written as it was, and the connection manager takes the part of either side in each
 * conversation. But for those over RoCE Linux had no header of IP addresses in them: the
 * test puts that in.
 */

#include <errno.h>

#include <rte_common.h>

#include "test.h"
#include "test_bluefield_cm.h"
#include "test_bluefield_cm_linux.h"

#define NB_MADS RTE_DIM(cm_linux)
#define SERVICE_ID UINT64_C(0x00000000013f4853)
#define CONNECT_MS 16000
/* Longer than it takes to say something once more. */
#define REPEAT_MS 1100
#define MAX_NUMBERS 8

/* Numbers of one side of Linux, and which are ours in its place. */
struct numbers {
	uint64_t theirs[MAX_NUMBERS], ours[MAX_NUMBERS];
	unsigned int nb;
};

static struct bf_mad mads[NB_MADS];
static struct wire wire;
static struct node *const us = &wire.nodes[0], *const peer = &wire.nodes[1];
static struct user user;
static struct numbers ids, qpns, tids;
static bool accepted, ready;

static unsigned int
nibble(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

static void
bytes_of(const struct cm_linux *v, uint8_t buf[BF_MAD_SIZE])
{
	size_t i, n = strlen(v->mad) / 2;

	memset(buf, 0, BF_MAD_SIZE);
	for (i = 0; i < RTE_MIN(n, BF_MAD_SIZE); i++)
		buf[i] = nibble(v->mad[2 * i]) << 4 | nibble(v->mad[2 * i + 1]);
}

static int
setup(void)
{
	uint8_t buf[BF_MAD_SIZE];
	size_t i;

	for (i = 0; i < NB_MADS; i++) {
		bytes_of(&cm_linux[i], buf);
		TEST_EXPECT(bf_mad_decode(buf, sizeof(buf), &mads[i]), 0);
	}
	return TEST_SUCCESS;
}

/* The nth message of this kind in a conversation; NULL: there is none. */
static const struct bf_mad *
find(const char *scenario, uint16_t attr, unsigned int nth)
{
	size_t i;

	for (i = 0; i < NB_MADS; i++) {
		if (strcmp(cm_linux[i].scenario, scenario) == 0 && mads[i].attr == attr &&
		    nth-- == 0)
			return &mads[i];
	}
	return NULL;
}

/*
 * Fields
 */

static int
test_every_byte(void)
{
	uint8_t buf[BF_MAD_SIZE], back[BF_MAD_SIZE];
	unsigned int seen = 0;
	size_t i;

	for (i = 0; i < NB_MADS; i++) {
		bytes_of(&cm_linux[i], buf);
		TEST_EXPECT(bf_mad_encode(&mads[i], back), 0);
		TEST_TRUE(memcmp(buf, back, sizeof(buf)) == 0);
		seen |= 1u << (mads[i].attr - BF_MAD_FIRST);
	}
	/* all but those of alternate paths */
	TEST_EXPECT(seen, 0x1ff);
	return TEST_SUCCESS;
}

static int
test_req_fields(void)
{
	static const uint8_t prefix[] = { 0xfe, 0x80, 0, 0, 0, 0, 0, 0 };
	const struct bf_mad *mad = find("fields", BF_MAD_REQ, 0);
	const struct bf_mad_req *req;
	uint8_t mac[6];

	TEST_TRUE(mad != NULL);
	req = &mad->req;
	TEST_EXPECT(req->service_id, SERVICE_ID);
	TEST_EXPECT(req->qpn, 0x112233);
	TEST_EXPECT(req->responder_resources, 3);
	TEST_EXPECT(req->initiator_depth, 2);
	TEST_EXPECT(req->flow_control, 1);
	TEST_EXPECT(req->retry_count, 4);
	TEST_EXPECT(req->rnr_retry, 5);
	TEST_EXPECT(req->mtu, 3);
	TEST_EXPECT(req->pkey, 0xffff);
	TEST_EXPECT(req->transport, 0);
	TEST_EXPECT(req->ext_transport, 0);
	TEST_EXPECT(req->srq, 0);
	TEST_EXPECT(req->rdc, 0);
	TEST_EXPECT(req->qkey, 0);
	TEST_EXPECT(req->eecn, 0);
	TEST_EXPECT(req->remote_eecn, 0);
	TEST_EXPECT(req->max_retries, 15);
	TEST_EXPECT(req->remote_timeout, 20);
	TEST_EXPECT(req->local_timeout, 20);
	TEST_TRUE(req->psn != 0);
	TEST_TRUE(memcmp(req->path.local_gid, prefix, sizeof(prefix)) == 0);
	TEST_TRUE(bf_cm_gid_mac(req->path.local_gid, mac));
	TEST_TRUE(bf_cm_gid_mac(req->path.remote_gid, mac));
	TEST_TRUE(req->path.local_lid != req->path.remote_lid);
	TEST_EXPECT(req->path.sl, 5);
	TEST_EXPECT(req->path.rate, 3);
	TEST_EXPECT(req->path.hop_limit, 1);
	TEST_EXPECT(req->path.subnet_local, 1);
	/* of the path, that has code 14, and of the device, that says 16 */
	TEST_EXPECT(req->path.ack_timeout, 17);
	TEST_EXPECT(req->alt.local_lid, 0);
	TEST_TRUE(memcmp(req->priv, "\0\0fields", 9) == 0);

	mad = find("shared", BF_MAD_REQ, 0);
	TEST_TRUE(mad != NULL);
	TEST_EXPECT(mad->req.srq, 1);
	TEST_EXPECT(mad->req.mtu, 5);
	TEST_EXPECT(mad->req.qpn, 0x123456);
	return TEST_SUCCESS;
}

static int
test_other_fields(void)
{
	const struct bf_mad *req = find("fields", BF_MAD_REQ, 0);
	const struct bf_mad *rep = find("fields", BF_MAD_REP, 0);
	const struct bf_mad *dreq = find("fields", BF_MAD_DREQ, 0);
	const struct bf_mad *mad;

	TEST_TRUE(req != NULL && rep != NULL && dreq != NULL);
	TEST_EXPECT(rep->tid, req->tid);
	TEST_EXPECT(rep->remote_id, req->local_id);
	TEST_EXPECT(rep->rep.qpn, 0x445566);
	TEST_EXPECT(rep->rep.responder_resources, 2);
	TEST_EXPECT(rep->rep.initiator_depth, 1);
	TEST_EXPECT(rep->rep.flow_control, 1);
	TEST_EXPECT(rep->rep.rnr_retry, 6);
	TEST_EXPECT(rep->rep.srq, 1);
	TEST_EXPECT(rep->rep.failover, 0);
	TEST_EXPECT(rep->rep.qkey, 0);
	TEST_TRUE(rep->rep.ca_guid != req->req.ca_guid);
	TEST_TRUE(memcmp(rep->rep.priv, "\0\0welcome", 10) == 0);
	/* its number is the receiver's */
	TEST_EXPECT(dreq->dreq.qpn, 0x445566);
	TEST_EXPECT(dreq->tid, req->tid);

	mad = find("slow", BF_MAD_MRA, 0);
	TEST_TRUE(mad != NULL);
	TEST_EXPECT(mad->mra.about, BF_MAD_ABOUT_REQ);
	TEST_EXPECT(mad->mra.timeout, 24);
	mad = find("slow-ready", BF_MAD_MRA, 0);
	TEST_TRUE(mad != NULL);
	TEST_EXPECT(mad->mra.about, BF_MAD_ABOUT_REP);

	mad = find("datagrams", BF_MAD_SIDR_REP, 0);
	TEST_TRUE(mad != NULL);
	TEST_EXPECT(mad->sidr_rep.status, 0);
	TEST_EXPECT(mad->sidr_rep.qpn, 0x56789a);
	TEST_TRUE(mad->sidr_rep.qkey != 0);
	mad = find("no-datagrams", BF_MAD_SIDR_REP, 0);
	TEST_TRUE(mad != NULL);
	TEST_EXPECT(mad->sidr_rep.status, 1);
	return TEST_SUCCESS;
}

static int
test_rej_fields(void)
{
	static const struct {
		const char *scenario;
		uint16_t reason;
		uint8_t about;
		const char *words;
	} rejs[] = {
		{ "refused", BF_REJ_CONSUMER, BF_MAD_ABOUT_REQ, "no" },
		{ "refused-options", BF_REJ_VENDOR, BF_MAD_ABOUT_REQ, "" },
		{ "nobody-listens", BF_REJ_SERVICE_ID, BF_MAD_ABOUT_REQ, "" },
		{ "stale", BF_REJ_STALE, BF_MAD_ABOUT_REQ, "" },
		{ "gives-up", BF_REJ_TIMEOUT, BF_MAD_ABOUT_OTHER, "" },
		{ "refuses-reply", BF_REJ_CONSUMER, BF_MAD_ABOUT_REP, "changed my mind" },
		{ "takes-back", BF_REJ_CONSUMER, BF_MAD_ABOUT_OTHER, "" },
	};
	const struct bf_mad *req, *mad;
	uint64_t guid = 0;
	unsigned int i, j;

	for (i = 0; i < RTE_DIM(rejs); i++) {
		mad = find(rejs[i].scenario, BF_MAD_REJ, 0);
		req = find(rejs[i].scenario, BF_MAD_REQ, 0);
		TEST_TRUE(mad != NULL && req != NULL);
		TEST_EXPECT(mad->rej.reason, rejs[i].reason);
		TEST_EXPECT(mad->rej.about, rejs[i].about);
		TEST_TRUE(strcmp((const char *)mad->rej.priv + 2, rejs[i].words) == 0);
		TEST_EXPECT(mad->rej.info_len, rejs[i].reason == BF_REJ_TIMEOUT ? 8 : 0);
		if (rejs[i].reason != BF_REJ_TIMEOUT)
			continue;
		for (j = 0; j < 8; j++)
			guid = guid << 8 | mad->rej.info[j];
		TEST_EXPECT(guid, req->req.ca_guid);
		TEST_EXPECT(mad->remote_id, 0);
	}
	return TEST_SUCCESS;
}

/*
 * Conversations
 */

static void
learn(struct numbers *n, uint64_t theirs, uint64_t ours)
{
	if (n->nb == MAX_NUMBERS)
		return;
	n->theirs[n->nb] = theirs;
	n->ours[n->nb++] = ours;
}

static uint64_t
our(const struct numbers *n, uint64_t theirs)
{
	unsigned int i;

	for (i = 0; i < n->nb; i++) {
		if (n->theirs[i] == theirs)
			return n->ours[i];
	}
	return theirs;
}

/* Our manager is at the address of one side of the conversation that begins with req. */
static int
begin(const struct bf_mad_req *req, bool active)
{
	const uint8_t *own = active ? req->path.local_gid : req->path.remote_gid;
	const uint8_t *other = active ? req->path.remote_gid : req->path.local_gid;
	struct bf_cm_conf conf;

	memset(&user, 0, sizeof(user));
	memset(&ids, 0, sizeof(ids));
	memset(&qpns, 0, sizeof(qpns));
	memset(&tids, 0, sizeof(tids));
	accepted = ready = false;
	wire_init(&wire, 11);
	memcpy(us->addr.gid, own, 16);
	memcpy(peer->addr.gid, other, 16);
	TEST_TRUE(bf_cm_gid_mac(own, us->addr.mac) && bf_cm_gid_mac(other, peer->addr.mac));
	user.node = us;
	user.mode = USER_HOLD;
	conf = wire_conf(us, user_req, &user);
	conf.service_id = req->service_id == BF_CM_SERVICE_ID ? BF_CM_SERVICE_ID : SERVICE_ID;
	return wire_open(us, &conf);
}

static void
end_wire(void)
{
	wire_close(&wire);
}

/* Linux says it. */
static void
hear(const struct bf_mad *theirs)
{
	struct bf_mad mad = *theirs;
	uint8_t *priv = mad.req.priv;

	if (mad.attr == BF_MAD_REQ && mad.req.service_id != BF_CM_SERVICE_ID) {
		memset(priv, 0, BF_MAD_IP_SIZE);
		priv[1] = 6 << 4;
		memcpy(priv + 4, mad.req.path.local_gid, 16);
		memcpy(priv + 20, mad.req.path.remote_gid, 16);
	} else if (mad.attr != BF_MAD_REQ) {
		mad.remote_id = our(&ids, mad.remote_id);
	}
	mad.tid = our(&tids, mad.tid);
	if (mad.attr == BF_MAD_DREQ)
		mad.dreq.qpn = our(&qpns, mad.dreq.qpn);
	wire_play(peer, us, &mad);
	wire_settle(&wire);
}

/* What a user does, so that its side says this. What is said again needs time only. */
static int
act(const struct bf_mad *theirs)
{
	struct conn *c = user.nb_conns > 0 ? &user.conns[user.nb_conns - 1] : NULL;
	bool first;

	switch (theirs->attr) {
	case BF_MAD_REQ:
		if (our(&ids, theirs->local_id) != theirs->local_id)
			break;
		TEST_TRUE(user_connect(&user, peer, CONNECT_MS) != NULL);
		return TEST_SUCCESS;
	case BF_MAD_REP:
		if (accepted)
			break;
		accepted = true;
		TEST_TRUE(c != NULL);
		return bf_cm_accept(c->id, &c->own, "welcome", 7, user_event, c);
	case BF_MAD_RTU:
		first = !ready;
		ready = true;
		TEST_TRUE(c != NULL);
		return first ? bf_cm_rtu(c->id) : TEST_SUCCESS;
	case BF_MAD_REJ:
		if (theirs->rej.reason == BF_REJ_CONSUMER && theirs->rej.about < BF_MAD_ABOUT_OTHER)
			return bf_cm_reject(c->id, -ECONNREFUSED, "no", 2);
		/* what a user that goes owes the other side */
		if (theirs->rej.about == BF_MAD_ABOUT_OTHER) {
			bf_cm_release(c->id);
			c->id = NULL;
		}
		return TEST_SUCCESS;
	case BF_MAD_DREQ:
	case BF_MAD_DREP:
		c = &user.conns[0];
		/* it may have been said before */
		if (c->id != NULL)
			bf_cm_disconnect(c->id, 0);
		break;
	default:
		break;
	}
	return TEST_SUCCESS;
}

static int
same(const struct bf_mad *theirs, const struct bf_mad *ours)
{
	bool begins = theirs->attr == BF_MAD_REQ || theirs->attr == BF_MAD_DREQ;

	TEST_EXPECT(ours->attr_mod, 0);
	TEST_TRUE(begins || ours->tid == our(&tids, theirs->tid));
	TEST_TRUE(theirs->attr == BF_MAD_REQ || ours->remote_id == theirs->remote_id);
	switch (theirs->attr) {
	case BF_MAD_REQ:
		TEST_EXPECT(ours->req.service_id, SERVICE_ID);
		TEST_EXPECT(ours->req.transport, theirs->req.transport);
		TEST_EXPECT(ours->req.ext_transport, theirs->req.ext_transport);
		TEST_EXPECT(ours->req.pkey, theirs->req.pkey);
		TEST_EXPECT(ours->req.max_retries, theirs->req.max_retries);
		TEST_EXPECT(ours->req.alt.local_lid, 0);
		TEST_TRUE(memcmp(ours->req.path.local_gid, theirs->req.path.local_gid, 16) == 0);
		TEST_TRUE(memcmp(ours->req.path.remote_gid, theirs->req.path.remote_gid, 16) == 0);
		learn(&qpns, theirs->req.qpn, ours->req.qpn);
		break;
	case BF_MAD_REP:
		TEST_EXPECT(ours->rep.qkey, theirs->rep.qkey);
		TEST_EXPECT(ours->rep.eecn, theirs->rep.eecn);
		TEST_EXPECT(ours->rep.failover, theirs->rep.failover);
		learn(&qpns, theirs->rep.qpn, ours->rep.qpn);
		break;
	case BF_MAD_REJ:
		TEST_EXPECT(ours->rej.reason, theirs->rej.reason);
		TEST_EXPECT(ours->rej.about, theirs->rej.about);
		TEST_EXPECT(ours->rej.info_len, theirs->rej.info_len);
		/* a GUID: ours is the second half of the address */
		TEST_TRUE(ours->rej.info_len != 8 ||
			memcmp(ours->rej.info, us->addr.gid + 8, 8) == 0);
		break;
	case BF_MAD_MRA:
		TEST_EXPECT(ours->mra.about, theirs->mra.about);
		break;
	case BF_MAD_DREQ:
		TEST_EXPECT(ours->dreq.qpn, theirs->dreq.qpn);
		break;
	case BF_MAD_SIDR_REP:
		TEST_EXPECT(ours->sidr_rep.status, theirs->sidr_rep.status);
		break;
	default:
		break;
	}
	learn(&ids, theirs->local_id, ours->local_id);
	if (begins)
		learn(&tids, theirs->tid, ours->tid);
	return TEST_SUCCESS;
}

/* We say it, in place of the side of Linux that did. */
static int
say(const struct bf_mad *theirs)
{
	struct bf_mad ours;

	TEST_EXPECT(act(theirs), 0);
	wire_settle(&wire);
	if (wire_silent(peer))
		wire_run(&wire, REPEAT_MS);
	if (!wire_got(peer, theirs->attr, &ours)) {
		printf("no %s\n", bf_mad_attr_text(theirs->attr));
		return TEST_FAILED;
	}
	return same(theirs, &ours);
}

/* The messages that the switch lost, and that make a difference. */
static bool
lost(const char *scenario, const struct bf_mad *mad)
{
	static const struct {
		const char *scenario;
		uint16_t attr;
	} first[] = {
		{ "both-end", BF_MAD_DREQ },
		{ "lost-ready", BF_MAD_RTU },
		{ "lost-end", BF_MAD_DREP },
	};
	unsigned int i;

	for (i = 0; i < RTE_DIM(first); i++) {
		if (strcmp(scenario, first[i].scenario) == 0 &&
		    mad == find(scenario, first[i].attr, 0))
			return true;
	}
	return false;
}

/* How it ended for the user of the first connection. */
struct end {
	enum bf_cm_event_type type;
	int status;
};

static int
converse(const char *scenario, bool active, const struct end *end)
{
	const struct bf_mad *req = find(scenario, BF_MAD_REQ, 0);
	const struct conn *c = &user.conns[0];
	size_t i;

	TEST_TRUE(req != NULL);
	TEST_EXPECT(begin(&req->req, active), 0);
	for (i = 0; i < NB_MADS; i++) {
		if (strcmp(cm_linux[i].scenario, scenario) != 0)
			continue;
		if ((cm_linux[i].from == 'a') == active)
			TEST_CALL(say(&mads[i]));
		else if (!lost(scenario, &mads[i]))
			hear(&mads[i]);
	}
	if (end->type != BF_NB_CM_EVENTS) {
		wire_run(&wire, 2 * REPEAT_MS);
		TEST_EXPECT(c->seen[end->type], 1);
		TEST_EXPECT(c->status[end->type], end->status);
	}
	user_release(&user);
	wire_run(&wire, CONNECT_MS);
	TEST_EXPECT(node_ids(us), 0);
	return TEST_SUCCESS;
}

#define NO_EVENT { BF_NB_CM_EVENTS, 0 }
#define ENDED { BF_CM_ENDED, 0 }

static const struct {
	const char *scenario;
	struct end active, passive;
} conversations[] = {
	{ "active-ends", ENDED, ENDED },
	{ "passive-ends", ENDED, ENDED },
	{ "fields", ENDED, ENDED },
	{ "shared", ENDED, ENDED },
	{ "refused", { BF_CM_FAILED, -ECONNREFUSED }, NO_EVENT },
	{ "nobody-listens", { BF_CM_FAILED, -ENOENT }, NO_EVENT },
	{ "stale", ENDED, ENDED },
	{ "gives-up", NO_EVENT, NO_EVENT },
	{ "refuses-reply", NO_EVENT, { BF_CM_FAILED, -ECONNREFUSED } },
	{ "takes-back", { BF_CM_FAILED, -ECONNREFUSED }, NO_EVENT },
	{ "slow", ENDED, ENDED },
	{ "lost-request", ENDED, ENDED },
	{ "lost-reply", ENDED, ENDED },
	{ "lost-ready", ENDED, ENDED },
	{ "slow-ready", ENDED, ENDED },
	{ "lost-end", ENDED, ENDED },
	{ "both-end", ENDED, ENDED },
};

/* Over RoCE: nothing of the REQ is changed. */
static int
test_ip_req(void)
{
	const struct bf_mad *req = find("ip", BF_MAD_REQ, 0), *rtu = find("ip", BF_MAD_RTU, 0);
	struct conn *c = &user.conns[0];
	struct bf_mad_ip ip;
	struct bf_mad ours;

	TEST_TRUE(req != NULL && rtu != NULL);
	TEST_EXPECT(req->req.service_id, BF_CM_SERVICE_ID);
	TEST_EXPECT(req->req.path.local_lid, 0xffff);
	TEST_EXPECT(req->req.path.remote_lid, 0xffff);
	TEST_EXPECT(req->req.path.subnet_local, 0);
	TEST_TRUE(req->req.path.hop_limit > 1);
	bf_mad_ip_decode(req->req.priv, &ip);
	TEST_EXPECT(ip.version, 0);
	TEST_EXPECT(ip.ip_version, 6);
	TEST_TRUE(ip.src_port != 0);
	TEST_EXPECT(req->req.path.flow_label,
		(ip.src_port * 31u + (uint16_t)BF_CM_SERVICE_ID) & 0xfffff);
	TEST_TRUE(memcmp(ip.src, req->req.path.local_gid, 16) == 0);
	TEST_TRUE(memcmp(ip.dst, req->req.path.remote_gid, 16) == 0);

	TEST_EXPECT(begin(&req->req, false), 0);
	hear(req);
	TEST_EXPECT(c->seen[BF_CM_REQ], 1);
	TEST_TRUE(memcmp(c->priv, "CMBF\3\3", 6) == 0);
	TEST_EXPECT(bf_cm_accept(c->id, &c->own, "welcome", 7, user_event, c), 0);
	wire_settle(&wire);
	TEST_TRUE(wire_got(peer, BF_MAD_REP, &ours));
	TEST_EXPECT(ours.remote_id, rtu->local_id);
	learn(&ids, rtu->remote_id, ours.local_id);
	hear(rtu);
	TEST_EXPECT(c->seen[BF_CM_RTU], 1);
	user_release(&user);
	return TEST_SUCCESS;
}

static int
test_ip_rep(void)
{
	const struct bf_mad *req = find("ip", BF_MAD_REQ, 0), *rep = find("ip", BF_MAD_REP, 0);
	struct bf_mad ours;
	struct conn *c;

	TEST_TRUE(req != NULL && rep != NULL);
	TEST_EXPECT(begin(&req->req, true), 0);
	c = user_connect(&user, peer, CONNECT_MS);
	TEST_TRUE(c != NULL);
	wire_settle(&wire);
	TEST_TRUE(wire_got(peer, BF_MAD_REQ, &ours));
	learn(&ids, rep->remote_id, ours.local_id);
	learn(&tids, rep->tid, ours.tid);
	hear(rep);
	TEST_EXPECT(c->seen[BF_CM_REP], 1);
	TEST_EXPECT(c->remote_qpn, rep->rep.qpn);
	TEST_TRUE(memcmp(c->priv, "CMBF\3", 5) == 0);
	TEST_EXPECT(bf_cm_rtu(c->id), 0);
	wire_settle(&wire);
	TEST_TRUE(wire_got(peer, BF_MAD_RTU, &ours));
	TEST_EXPECT(ours.remote_id, rep->local_id);
	user_release(&user);
	return TEST_SUCCESS;
}

static int
all_as(bool active)
{
	const struct end *end;
	unsigned int i;
	int ret;

	for (i = 0; i < RTE_DIM(conversations); i++) {
		end = active ? &conversations[i].active : &conversations[i].passive;
		ret = converse(conversations[i].scenario, active, end);
		wire_close(&wire);
		if (ret != TEST_SUCCESS) {
			printf("in conversation \"%s\"\n", conversations[i].scenario);
			return ret;
		}
	}
	return TEST_SUCCESS;
}

/* What this driver does not say itself. */
static int
test_heard(void)
{
	const struct bf_mad *req = find("refused-options", BF_MAD_REQ, 0);
	const struct bf_mad *rej = find("refused-options", BF_MAD_REJ, 0);
	const struct bf_mad *sidr = find("no-datagrams", BF_MAD_SIDR_REQ, 0);
	const struct bf_mad *none = find("no-datagrams", BF_MAD_SIDR_REP, 0);
	struct bf_mad ours;

	TEST_TRUE(req != NULL && rej != NULL && sidr != NULL && none != NULL);
	TEST_EXPECT(begin(&req->req, true), 0);
	TEST_CALL(say(req));
	hear(rej);
	TEST_EXPECT(user.conns[0].seen[BF_CM_FAILED], 1);
	TEST_EXPECT(user.conns[0].ev.reason, BF_REJ_VENDOR);
	hear(sidr);
	TEST_TRUE(wire_got(peer, BF_MAD_SIDR_REP, &ours));
	TEST_EXPECT(ours.sidr_rep.status, none->sidr_rep.status);
	TEST_EXPECT(ours.tid, sidr->tid);
	TEST_EXPECT(ours.local_id, sidr->local_id);
	user_release(&user);
	return TEST_SUCCESS;
}

/*
 * Linux gives up: it has said its request as often as that tells, each time the same. One
 * request comes to our user, whose reply has no answer.
 */
static int
test_used_up(void)
{
	const struct bf_mad *req = find("used-up", BF_MAD_REQ, 0), *again;
	struct conn *c = &user.conns[0];
	struct bf_mad ours;
	unsigned int nb;

	TEST_TRUE(req != NULL);
	TEST_EXPECT(begin(&req->req, false), 0);
	hear(req);
	for (nb = 1; (again = find("used-up", BF_MAD_REQ, nb)) != NULL; nb++) {
		TEST_TRUE(memcmp(again, req, sizeof(*req)) == 0);
		hear(again);
	}
	TEST_EXPECT(nb, req->req.max_retries + 1u);
	TEST_EXPECT(c->seen[BF_CM_REQ], 1);
	TEST_EXPECT(bf_cm_accept(c->id, &c->own, "welcome", 7, user_event, c), 0);
	wire_settle(&wire);
	TEST_TRUE(wire_got(peer, BF_MAD_REP, &ours));
	TEST_EXPECT(ours.remote_id, req->local_id);
	wire_run(&wire, 2 * CONNECT_MS);
	TEST_EXPECT(c->seen[BF_CM_FAILED], 1);
	TEST_EXPECT(c->status[BF_CM_FAILED], -ETIMEDOUT);
	user_release(&user);
	return TEST_SUCCESS;
}

static int
test_as_active(void)
{
	return all_as(true);
}

static int
test_as_passive(void)
{
	return all_as(false);
}

static struct unit_test_suite suite = {
	.suite_name = "conversations of Linux",
	.setup = setup,
	.unit_test_cases = {
		TEST_CASE(test_every_byte),
		TEST_CASE(test_req_fields),
		TEST_CASE(test_other_fields),
		TEST_CASE(test_rej_fields),
		TEST_CASE_ST(NULL, end_wire, test_heard),
		TEST_CASE_ST(NULL, end_wire, test_ip_req),
		TEST_CASE_ST(NULL, end_wire, test_ip_rep),
		TEST_CASE_ST(NULL, end_wire, test_used_up),
		TEST_CASE(test_as_active),
		TEST_CASE(test_as_passive),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_cm_linux_autotest, unit_test_suite_runner, &suite);
