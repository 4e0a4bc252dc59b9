/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Two connection managers on a wire in memory, with a clock of its own: what each side
 * learns, and that it ends in bounded time whatever gets lost, doubled or overtaken.
 * Peers that are not ours are in test_bluefield_cm_peer.c.
 */

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <rte_common.h>

#include "test_bluefield_cm.h"
#include "test_comch_util.h"

#define CONNECT_MS 5000

static struct wire wire;
static struct node *const host = &wire.nodes[0], *const card = &wire.nodes[1];
static struct user client, server;

static int
open_both(uint64_t seed)
{
	struct bf_cm_conf conf;

	wire_init(&wire, seed);
	memset(&client, 0, sizeof(client));
	memset(&server, 0, sizeof(server));
	client.node = host;
	server.node = card;
	conf = wire_conf(card, user_req, &server);
	TEST_EXPECT(wire_open(card, &conf), 0);
	return wire_open(host, NULL);
}

static int
setup(void)
{
	return open_both(1);
}

static void
teardown(void)
{
	wire_close(&wire);
}

/* All is over on both sides, once the last time limit is. */
static int
nothing_left(void)
{
	user_release(&client);
	user_release(&server);
	wire_run(&wire, 30000);
	TEST_EXPECT(node_ids(host), 0);
	TEST_EXPECT(node_ids(card), 0);
	return TEST_SUCCESS;
}

/* One connection that is up. */
static int
connect_one(struct conn **c, struct conn **s)
{
	unsigned int nth = server.nb_conns;

	*c = user_connect(&client, card, CONNECT_MS);
	TEST_TRUE(*c != NULL);
	wire_settle(&wire);
	*s = &server.conns[nth];
	TEST_EXPECT(server.nb_conns, nth + 1);
	TEST_EXPECT((*c)->seen[BF_CM_REP], 1);
	TEST_EXPECT((*s)->seen[BF_CM_RTU], 1);
	return TEST_SUCCESS;
}

/*
 * What each side learns
 */

static int
expect_path(const struct conn *c, const struct conn *other, const struct conn *asked)
{
	const struct bf_qp_path *p = &c->path;
	struct bf_cm_addr to = other->user->node->addr;

	TEST_EXPECT(p->remote_qpn, other->own.qpn);
	/* where we begin to send is what the other side has said, and the other way round */
	TEST_EXPECT(p->local_psn, other->own.psn);
	TEST_EXPECT(p->remote_psn, c->own.psn);
	TEST_EXPECT(p->rnr_retry, other->own.rnr_retry);
	/* of both, as the REQ says */
	TEST_EXPECT(p->mtu, asked->own.mtu);
	TEST_EXPECT(p->ack_timeout, asked->own.ack_timeout);
	TEST_EXPECT(p->retry_count, asked->own.retry_count);
	TEST_TRUE(memcmp(p->rgid, to.gid, 16) == 0 && memcmp(p->rmac, to.mac, 6) == 0);
	TEST_EXPECT(p->src_addr_index, 3);
	TEST_EXPECT(p->hop_limit, 64);
	TEST_TRUE(p->udp_sport >= 0xc000);
	return TEST_SUCCESS;
}

static int
test_connect(void)
{
	struct conn *c, *s;

	server.words = "welcome";
	TEST_CALL(connect_one(&c, &s));
	TEST_EXPECT(s->seen[BF_CM_REQ], 1);
	TEST_CALL(expect_path(c, s, c));
	TEST_CALL(expect_path(s, c, c));
	/* both from the same flow label */
	TEST_EXPECT(c->path.udp_sport, s->path.udp_sport);
	TEST_EXPECT(c->ev.type, BF_CM_REP);
	TEST_EXPECT(c->ev.len, BF_CM_REP_PRIV);
	TEST_TRUE(strcmp((char *)c->priv, "welcome") == 0);
	TEST_TRUE(strcmp((char *)s->priv, "hello") == 0);
	TEST_TRUE(memcmp(&c->ev.from, &card->addr, sizeof(card->addr)) == 0);
	TEST_TRUE(memcmp(&s->ev.from, &host->addr, sizeof(host->addr)) == 0);
	TEST_EXPECT(c->ev.qp.qpn, s->own.qpn);
	TEST_TRUE(c->ev.qp.srq);
	return TEST_SUCCESS;
}

/* Who acknowledges late, it says, does not keep its end from us. */
static int
test_bounds(void)
{
	static const uint8_t asked[] = { 1, 17, 18, 19, 31 };
	struct conn *c, *s;
	unsigned int i;

	for (i = 0; i < RTE_DIM(asked); i++) {
		client.ack_timeout = asked[i];
		TEST_CALL(connect_one(&c, &s));
		TEST_EXPECT(s->path.ack_timeout, RTE_MIN(asked[i], 18));
		TEST_EXPECT(c->path.ack_timeout, asked[i]);
	}
	return TEST_SUCCESS;
}

static int
test_arguments(void)
{
	static const uint8_t priv[256];
	struct bf_cm_qp qp = user_qp(&client, 0), bad;
	struct bf_cm_id *id;
	struct conn *c, *s;
	unsigned int i;

#define CONNECT(own, len, ms, cb) \
	bf_cm_connect(host->cm, &card->addr, own, priv, len, ms, cb, NULL, &id)
	TEST_EXPECT(CONNECT(&qp, BF_CM_REQ_PRIV + 1, 100, user_event), -EINVAL);
	TEST_EXPECT(CONNECT(&qp, 0, 0, user_event), -EINVAL);
	TEST_EXPECT(CONNECT(&qp, 0, 100, NULL), -EINVAL);
	for (i = 0; i < 8; i++) {
		bad = qp;
		bad.qpn = i == 0 ? 1 : i == 1 ? 1u << 24 : bad.qpn;
		bad.psn = i == 2 ? 1u << 24 : bad.psn;
		bad.mtu = i == 3 ? 0 : i == 4 ? 6 : bad.mtu;
		bad.rnr_retry = i == 5 ? 8 : bad.rnr_retry;
		bad.retry_count = i == 6 ? 8 : bad.retry_count;
		bad.ack_timeout = i == 7 ? 0 : bad.ack_timeout;
		TEST_EXPECT(CONNECT(&bad, 0, 100, user_event), -EINVAL);
	}
	TEST_CALL(connect_one(&c, &s));
	TEST_EXPECT(bf_cm_accept(s->id, &qp, priv, BF_CM_REP_PRIV + 1, user_event, s), -EINVAL);
	TEST_EXPECT(bf_cm_reject(s->id, -EIO, priv, BF_CM_REJ_PRIV + 1), -EINVAL);
	TEST_EXPECT(bf_cm_disconnect(s->id, 1), -EINVAL);
	/* what is not of this state */
	TEST_EXPECT(bf_cm_accept(s->id, &qp, priv, 0, user_event, s), -ECONNRESET);
	TEST_EXPECT(bf_cm_reject(s->id, -EIO, NULL, 0), -ECONNRESET);
	TEST_EXPECT(bf_cm_rtu(c->id), -ECONNRESET);
	bf_cm_release(NULL);
	return nothing_left();
}

/*
 * Refused
 */

static int
test_reasons(void)
{
	unsigned int reason;
	uint8_t back;

	for (reason = 1; reason <= 35; reason++) {
		if (reason == 34)
			continue;
		/* another one may stand for the same errno, and comes first */
		back = bf_cm_errno_reason(bf_cm_reason_errno(reason));
		TEST_TRUE(back <= reason);
		TEST_EXPECT(bf_cm_reason_errno(back), bf_cm_reason_errno(reason));
		TEST_TRUE(strcmp(bf_cm_reason_text(reason), "unknown reason") != 0);
	}
	TEST_EXPECT(bf_cm_errno_reason(-ECONNREFUSED), 28);
	TEST_EXPECT(bf_cm_errno_reason(-EPERM), 28);
	TEST_EXPECT(bf_cm_errno_reason(-ENOENT), 8);
	TEST_EXPECT(bf_cm_reason_errno(8), -ENOENT);
	TEST_EXPECT(bf_cm_reason_errno(34), -EPROTO);
	TEST_EXPECT(bf_cm_reason_errno(0), -EPROTO);
	TEST_EXPECT(bf_cm_reason_errno(255), -EPROTO);
	TEST_TRUE(strcmp(bf_cm_reason_text(34), "unknown reason") == 0);
	return TEST_SUCCESS;
}

static int
refused(int reason, const char *words, int status, unsigned int number)
{
	struct conn *c;

	server.mode = USER_REJECT;
	server.reason = reason;
	server.words = words;
	server.nb_conns = client.nb_conns = 0;
	client.keep = true;
	c = user_connect(&client, card, CONNECT_MS);
	TEST_TRUE(c != NULL);
	wire_settle(&wire);
	TEST_EXPECT(c->seen[BF_CM_FAILED], 1);
	TEST_EXPECT(c->ev.status, status);
	TEST_EXPECT(c->ev.reason, number);
	TEST_EXPECT(c->ev.len, BF_CM_REJ_PRIV);
	TEST_TRUE(strcmp((char *)c->priv, words) == 0);
	user_release(&client);
	TEST_EXPECT(node_ids(host), 0);
	TEST_EXPECT(node_ids(card), 0);
	return TEST_SUCCESS;
}

static int
test_reject(void)
{
	TEST_CALL(refused(-ENOENT, "no such name", -ECONNREFUSED, 28));
	TEST_CALL(refused(-ENOENT, "", -ENOENT, 8));
	TEST_CALL(refused(-ENOMEM, "", -ENOMEM, 3));
	TEST_CALL(refused(-EMSGSIZE, "", -EMSGSIZE, 26));
	TEST_CALL(refused(-EXDEV, "", -ECONNREFUSED, 28));
	return TEST_SUCCESS;
}

/* A client that cannot bring its queue pair up. */
static int
test_reject_rep(void)
{
	struct conn *c, *s = &server.conns[0];

	client.mode = USER_HOLD;
	c = user_connect(&client, card, CONNECT_MS);
	wire_settle(&wire);
	TEST_EXPECT(c->seen[BF_CM_REP], 1);
	TEST_EXPECT(bf_cm_reject(c->id, -ENOMEM, NULL, 0), 0);
	wire_settle(&wire);
	TEST_EXPECT(s->seen[BF_CM_FAILED], 1);
	TEST_EXPECT(s->status[BF_CM_FAILED], -ENOMEM);
	TEST_EXPECT(s->id == NULL, 1);
	return nothing_left();
}

static int
test_nobody_listens(void)
{
	struct user back = { .node = card, .keep = true };
	struct conn *c = user_connect(&back, host, CONNECT_MS);

	wire_settle(&wire);
	TEST_EXPECT(c->seen[BF_CM_FAILED], 1);
	TEST_EXPECT(c->status[BF_CM_FAILED], -ENOENT);
	TEST_EXPECT(c->ev.reason, 8);
	user_release(&back);
	return nothing_left();
}

static int
test_nobody_there(void)
{
	struct conn *c;
	uint64_t start = wire.now;

	client.keep = true;
	/* nobody plays this one */
	c = user_connect(&client, &wire.nodes[2], 2000);
	wire_run(&wire, 1999);
	TEST_EXPECT(c->seen[BF_CM_FAILED], 0);
	/* often enough to survive losses, and no flood */
	TEST_TRUE(host->nb_tx[0] >= 4 && host->nb_tx[0] <= 16);
	wire_run(&wire, 2);
	TEST_EXPECT(c->seen[BF_CM_FAILED], 1);
	TEST_EXPECT(c->status[BF_CM_FAILED], -ETIMEDOUT);
	TEST_EXPECT(c->ev.reason, 0);
	TEST_EXPECT(wire.now - start, 2001);
	/* who may have it half open is told */
	TEST_EXPECT(host->nb_tx[BF_MAD_REJ - BF_MAD_FIRST], 1);
	TEST_EXPECT(host->last[BF_MAD_REJ - BF_MAD_FIRST].rej.reason, BF_REJ_TIMEOUT);
	return nothing_left();
}

/*
 * The end
 */

static int
ended(const struct conn *c, int dreqs)
{
	TEST_EXPECT(c->seen[BF_CM_DREQ], dreqs);
	TEST_EXPECT(c->seen[BF_CM_ENDED], 1);
	TEST_EXPECT(c->status[BF_CM_ENDED], 0);
	TEST_EXPECT(c->seen[BF_CM_FAILED], 0);
	return TEST_SUCCESS;
}

static int
test_disconnect(void)
{
	struct conn *c, *s;

	TEST_CALL(connect_one(&c, &s));
	TEST_EXPECT(bf_cm_disconnect(c->id, -EPIPE), 0);
	TEST_EXPECT(bf_cm_disconnect(c->id, 0), -EALREADY);
	wire_settle(&wire);
	TEST_EXPECT(s->status[BF_CM_DREQ], -EPIPE);
	/* not before packets that are under way are gone */
	wire_run(&wire, 499);
	TEST_EXPECT(c->seen[BF_CM_ENDED], 0);
	wire_run(&wire, 1);
	TEST_CALL(ended(c, 0));
	TEST_CALL(ended(s, 1));
	/* the other way round, without a reason */
	TEST_CALL(connect_one(&c, &s));
	TEST_EXPECT(bf_cm_disconnect(s->id, 0), 0);
	wire_run(&wire, 500);
	TEST_CALL(ended(c, 1));
	TEST_EXPECT(c->status[BF_CM_DREQ], 0);
	TEST_CALL(ended(s, 0));
	TEST_EXPECT(node_ids(host), 0);
	TEST_EXPECT(node_ids(card), 0);
	return TEST_SUCCESS;
}

static int
test_disconnect_both(void)
{
	struct conn *c, *s;

	TEST_CALL(connect_one(&c, &s));
	TEST_EXPECT(bf_cm_disconnect(c->id, -EPIPE), 0);
	TEST_EXPECT(bf_cm_disconnect(s->id, -EPIPE), 0);
	wire_run(&wire, 500);
	TEST_CALL(ended(c, 0));
	TEST_CALL(ended(s, 0));
	TEST_EXPECT(host->nb_tx[BF_MAD_DREP - BF_MAD_FIRST], 1);
	return nothing_left();
}

/* The user has not answered yet: the other side asks again, and gives up in the end. */
static int
test_disconnect_held(void)
{
	struct conn *c, *s;

	TEST_CALL(connect_one(&c, &s));
	server.mode = USER_HOLD;
	client.keep = true;
	TEST_EXPECT(bf_cm_disconnect(c->id, 0), 0);
	wire_run(&wire, 1000);
	TEST_EXPECT(s->seen[BF_CM_DREQ], 1);
	TEST_EXPECT(c->seen[BF_CM_ENDED], 0);
	wire_run(&wire, 2000);
	TEST_EXPECT(c->status[BF_CM_ENDED], -ETIMEDOUT);
	TEST_EXPECT(host->nb_tx[BF_MAD_DREQ - BF_MAD_FIRST], 8);
	TEST_EXPECT(s->seen[BF_CM_ENDED], 0);
	TEST_EXPECT(bf_cm_disconnect(s->id, 0), 0);
	wire_run(&wire, 500);
	TEST_EXPECT(s->seen[BF_CM_ENDED], 1);
	return nothing_left();
}

/* Released in each state: the other side is told, and nothing comes any more. */
static int
test_release(void)
{
	struct conn *c, *s;

	/* established */
	TEST_CALL(connect_one(&c, &s));
	user_release(&client);
	wire_run(&wire, 500);
	TEST_CALL(ended(s, 1));
	TEST_EXPECT(c->seen[BF_CM_ENDED], 0);
	TEST_EXPECT(node_ids(host), 0);
	/* while the REQ waits */
	server.mode = USER_HOLD;
	c = user_connect(&client, card, CONNECT_MS);
	wire_settle(&wire);
	s = &server.conns[1];
	user_release(&client);
	wire_settle(&wire);
	TEST_EXPECT(s->seen[BF_CM_FAILED], 0);
	TEST_EXPECT(bf_cm_accept(s->id, &s->own, NULL, 0, user_event, s), -ECONNRESET);
	user_release(&server);
	/* the REQ's, not answered */
	c = user_connect(&client, card, CONNECT_MS);
	wire_settle(&wire);
	user_release(&server);
	wire_settle(&wire);
	TEST_EXPECT(c->status[BF_CM_FAILED], -ECONNREFUSED);
	/* the REP's, not answered; and the one that waits for its RTU */
	server.mode = USER_ACCEPT;
	client.mode = USER_HOLD;
	user_connect(&client, card, CONNECT_MS);
	wire_settle(&wire);
	user_release(&client);
	wire_settle(&wire);
	TEST_EXPECT(server.conns[3].status[BF_CM_FAILED], -ECONNREFUSED);
	c = user_connect(&client, card, CONNECT_MS);
	wire_settle(&wire);
	user_release(&server);
	wire_settle(&wire);
	TEST_EXPECT(c->status[BF_CM_FAILED], -ECONNREFUSED);
	return nothing_left();
}

/*
 * Loss
 */

/* Connections over a bad wire: all come up, and all end. */
static int
bad_wire(uint64_t seed, unsigned int nb)
{
	struct conn *c, *s;
	unsigned int i;

	wire_close(&wire);
	TEST_EXPECT(open_both(seed), 0);
	wire.loss = 30;
	wire.twice = 30;
	wire.delay = 300;
	for (i = 0; i < nb; i++)
		TEST_TRUE(user_connect(&client, card, 10000) != NULL);
	wire_run(&wire, 12000);
	TEST_EXPECT(server.nb_conns, nb);
	for (i = 0; i < nb; i++) {
		c = &client.conns[i];
		s = user_other(&server, c);
		TEST_TRUE(s != NULL && c->remote_qpn == s->own.qpn);
		TEST_EXPECT(c->seen[BF_CM_REP], 1);
		TEST_EXPECT(s->seen[BF_CM_REQ], 1);
		TEST_EXPECT(s->seen[BF_CM_RTU], 1);
		TEST_EXPECT(bf_cm_disconnect(i % 3 == 0 ? s->id : c->id, 0), 0);
		if (i % 3 == 2)
			TEST_EXPECT(bf_cm_disconnect(s->id, 0), 0);
	}
	wire_run(&wire, 10000);
	for (i = 0; i < nb; i++) {
		TEST_EXPECT(client.conns[i].seen[BF_CM_ENDED], 1);
		TEST_EXPECT(server.conns[i].seen[BF_CM_ENDED], 1);
	}
	TEST_EXPECT(node_ids(host), 0);
	TEST_EXPECT(node_ids(card), 0);
	return TEST_SUCCESS;
}

static int
test_bad_wire(void)
{
	uint64_t seed;

	for (seed = 1; seed <= 60; seed++) {
		if (bad_wire(seed, 20) != TEST_SUCCESS) {
			printf("seed %u\n", (unsigned int)seed);
			return TEST_FAILED;
		}
	}
	return TEST_SUCCESS;
}

/* One message of each kind lost, at most a few times. */
static int
test_lost(void)
{
	static const uint8_t attrs[] = { BF_MAD_REQ, BF_MAD_REP, BF_MAD_RTU, BF_MAD_DREQ,
		BF_MAD_DREP };
	struct conn *c, *s;
	unsigned int i, nb;

	for (i = 0; i < RTE_DIM(attrs); i++) {
		for (nb = 1; nb <= 3; nb++) {
			wire.drop_attr = attrs[i];
			wire.nb_drop = nb;
			c = user_connect(&client, card, CONNECT_MS);
			wire_run(&wire, 2500);
			s = &server.conns[client.nb_conns - 1];
			TEST_EXPECT(c->seen[BF_CM_REP], 1);
			TEST_EXPECT(s->seen[BF_CM_RTU], 1);
			TEST_EXPECT(bf_cm_disconnect(c->id, 0), 0);
			wire_run(&wire, 2500);
			TEST_EXPECT(wire.nb_drop, 0);
			TEST_CALL(ended(c, 0));
			TEST_CALL(ended(s, 1));
		}
	}
	return nothing_left();
}

/* The first message of the connection comes, and the RTU does not. */
static int
test_established(void)
{
	unsigned int reps, i = BF_MAD_REP - BF_MAD_FIRST;
	struct conn *c, *s = &server.conns[0];

	wire.drop_attr = BF_MAD_RTU;
	wire.nb_drop = 100;
	c = user_connect(&client, card, CONNECT_MS);
	wire_run(&wire, 600);
	reps = card->nb_tx[i];
	TEST_EXPECT(reps, 3);
	bf_cm_established(s->id);
	wire_run(&wire, 5000);
	TEST_EXPECT(card->nb_tx[i], reps);
	TEST_EXPECT(s->seen[BF_CM_RTU], 0);
	TEST_EXPECT(bf_cm_disconnect(s->id, 0), 0);
	wire_run(&wire, 1000);
	TEST_CALL(ended(c, 1));
	return nothing_left();
}

/* No RTU at all: the passive side gives up, and the active one learns it. */
static int
test_no_rtu(void)
{
	struct conn *c, *s = &server.conns[0];

	client.mode = USER_HOLD;
	c = user_connect(&client, card, CONNECT_MS);
	wire_run(&wire, 20000);
	TEST_EXPECT(c->seen[BF_CM_REP], 1);
	TEST_EXPECT(s->seen[BF_CM_FAILED], 1);
	TEST_EXPECT(s->status[BF_CM_FAILED], -ETIMEDOUT);
	TEST_EXPECT(c->seen[BF_CM_FAILED], 1);
	TEST_EXPECT(c->status[BF_CM_FAILED], -ETIMEDOUT);
	TEST_EXPECT(bf_cm_rtu(c->id), -ECONNRESET);
	return nothing_left();
}

/*
 * Patience
 */

static int
test_mra(void)
{
	unsigned int mra = BF_MAD_MRA - BF_MAD_FIRST;
	struct conn *c, *s = &server.conns[0];

	server.mode = client.mode = USER_HOLD;
	c = user_connect(&client, card, 20000);
	/* the second REQ is answered, and that lets the other side be quiet */
	wire_run(&wire, 5000);
	TEST_EXPECT(card->nb_tx[mra], 1);
	TEST_EXPECT(card->last[mra].mra.about, BF_MAD_ABOUT_REQ);
	TEST_EXPECT(host->nb_tx[0], 2);
	TEST_EXPECT(bf_cm_accept(s->id, &s->own, NULL, 0, user_event, s), 0);
	wire_run(&wire, 3000);
	TEST_EXPECT(c->seen[BF_CM_REP], 1);
	TEST_EXPECT(host->nb_tx[mra], 1);
	TEST_EXPECT(host->last[mra].mra.about, BF_MAD_ABOUT_REP);
	TEST_EXPECT(card->nb_tx[BF_MAD_REP - BF_MAD_FIRST], 2);
	TEST_EXPECT(bf_cm_rtu(c->id), 0);
	wire_settle(&wire);
	TEST_EXPECT(s->seen[BF_CM_RTU], 1);
	return nothing_left();
}

/* Whatever the other side asks for, the caller's limit holds. */
static int
test_mra_limit(void)
{
	struct conn *c;

	server.mode = USER_HOLD;
	client.keep = true;
	c = user_connect(&client, card, 3000);
	wire_run(&wire, 2999);
	TEST_EXPECT(c->seen[BF_CM_FAILED], 0);
	wire_run(&wire, 1);
	TEST_EXPECT(c->status[BF_CM_FAILED], -ETIMEDOUT);
	/* and the server knows */
	TEST_EXPECT(bf_cm_accept(server.conns[0].id, &server.conns[0].own, NULL, 0, user_event,
		&server.conns[0]), -ECONNRESET);
	return nothing_left();
}

/*
 * Lives before
 */

static int
test_stale(void)
{
	struct conn *c, *s;

	TEST_CALL(connect_one(&c, &s));
	/* the host dies without a word, comes back, and has the same queue pair */
	wire.loss = 100;
	bf_cm_destroy(host->cm);
	TEST_EXPECT(wire_open(host, NULL), 0);
	wire.loss = 0;
	client.nb_conns = 0;
	c = user_connect(&client, card, CONNECT_MS);
	wire_run(&wire, 1500);
	TEST_EXPECT(s->seen[BF_CM_DREQ], 1);
	TEST_EXPECT(s->status[BF_CM_DREQ], -ESTALE);
	TEST_EXPECT(s->seen[BF_CM_ENDED], 1);
	TEST_EXPECT(c->seen[BF_CM_FAILED], 0);
	TEST_EXPECT(c->seen[BF_CM_REP], 1);
	TEST_EXPECT(server.conns[1].seen[BF_CM_RTU], 1);
	return nothing_left();
}

/* The server dies, and a new one has its queue pairs, before the client learns it. */
static int
test_stale_server(void)
{
	struct bf_cm_conf conf = wire_conf(card, user_req, &server);
	struct conn *c, *s;

	TEST_CALL(connect_one(&c, &s));
	wire.loss = 100;
	bf_cm_destroy(card->cm);
	server.nb_conns = 0;
	TEST_EXPECT(wire_open(card, &conf), 0);
	wire.loss = 0;
	TEST_CALL(connect_one(&c, &s));
	wire_run(&wire, 1000);
	TEST_EXPECT(client.conns[0].status[BF_CM_DREQ], -ESTALE);
	TEST_EXPECT(client.conns[0].seen[BF_CM_ENDED], 1);
	TEST_EXPECT(c->seen[BF_CM_DREQ] + c->seen[BF_CM_FAILED], 0);
	TEST_EXPECT(s->seen[BF_CM_DREQ] + s->seen[BF_CM_FAILED], 0);
	return nothing_left();
}

/* Nor does it wait until the old connection has ended: nothing comes of that any more. */
static int
test_stale_lost(void)
{
	struct conn *c, *s;

	TEST_CALL(connect_one(&c, &s));
	wire.loss = 100;
	bf_cm_destroy(host->cm);
	TEST_EXPECT(wire_open(host, NULL), 0);
	wire.loss = 0;
	client.nb_conns = 0;
	wire.drop_attr = BF_MAD_DREP;
	wire.nb_drop = 100;
	c = user_connect(&client, card, CONNECT_MS);
	wire_run(&wire, 330);
	TEST_EXPECT(s->seen[BF_CM_DREQ], 1);
	TEST_EXPECT(s->seen[BF_CM_ENDED], 0);
	TEST_EXPECT(c->seen[BF_CM_FAILED], 0);
	TEST_EXPECT(server.conns[1].seen[BF_CM_RTU], 1);
	wire.nb_drop = 0;
	return nothing_left();
}

/* A DREQ that comes late, and one for what nobody knows, are answered. */
static int
test_late_dreq(void)
{
	unsigned int drep = BF_MAD_DREP - BF_MAD_FIRST;
	struct conn *c, *s;

	TEST_CALL(connect_one(&c, &s));
	wire.drop_attr = BF_MAD_DREP;
	wire.nb_drop = 1;
	TEST_EXPECT(bf_cm_disconnect(c->id, 0), 0);
	wire_run(&wire, 400);
	TEST_EXPECT(card->nb_tx[drep], 2);
	wire_run(&wire, 2000);
	TEST_EXPECT(node_ids(host), 0);
	TEST_EXPECT(node_ids(card), 0);
	wire_play(host, card, &host->last[BF_MAD_DREQ - BF_MAD_FIRST]);
	wire_settle(&wire);
	TEST_EXPECT(card->nb_tx[drep], 3);
	TEST_EXPECT(card->last[drep].remote_id, host->last[BF_MAD_DREQ - BF_MAD_FIRST].local_id);
	return TEST_SUCCESS;
}

/*
 * Limits
 */

static int
test_limits(void)
{
	struct bf_cm_conf conf = wire_conf(card, user_req, &server);
	struct user other = { .node = &wire.nodes[2] };
	struct bf_cm_stats stats;
	unsigned int i;

	bf_cm_destroy(card->cm);
	conf.max_ids = 64;
	conf.max_peer_ids = 16;
	conf.max_half_open = 4;
	TEST_EXPECT(wire_open(card, &conf), 0);
	TEST_EXPECT(wire_open(other.node, NULL), 0);
	server.mode = USER_HOLD;
	for (i = 0; i < 10; i++)
		user_connect(&client, card, 3000);
	wire_settle(&wire);
	TEST_EXPECT(server.nb_conns, 4);
	/* somebody else is served */
	user_connect(&other, card, 3000);
	wire_settle(&wire);
	TEST_EXPECT(server.nb_conns, 5);
	bf_cm_stats(card->cm, &stats);
	TEST_EXPECT(stats.ids, 5);
	TEST_EXPECT(stats.half_open, 5);
	TEST_EXPECT(stats.no_room, 6);
	/* those that are answered make room, up to the other limit */
	server.mode = USER_ACCEPT;
	for (i = 0; i < 5; i++)
		bf_cm_accept(server.conns[i].id, &server.conns[i].own, NULL, 0, user_event,
			&server.conns[i]);
	wire_run(&wire, 2900);
	TEST_EXPECT(server.nb_conns, 11);
	for (i = 0; i < 10; i++)
		user_connect(&client, card, 1000);
	wire_run(&wire, 2000);
	TEST_EXPECT(node_ids(card), 17);
	user_release(&other);
	return nothing_left();
}

/* What has ended does not count: more in turn than there may be at once. */
static int
test_limits_in_turn(void)
{
	struct bf_cm_conf conf = wire_conf(card, user_req, &server);
	struct conn *c, *s;
	unsigned int i;

	bf_cm_destroy(card->cm);
	conf.max_peer_ids = 4;
	TEST_EXPECT(wire_open(card, &conf), 0);
	/* one stays */
	TEST_CALL(connect_one(&c, &s));
	for (i = 0; i < 40; i++) {
		TEST_CALL(connect_one(&c, &s));
		TEST_EXPECT(bf_cm_disconnect(i % 2 == 0 ? c->id : s->id, 0), 0);
		wire_run(&wire, 500);
	}
	return nothing_left();
}

/* More messages than one poll handles: it asks to be called again. */
static int
test_burst(void)
{
	struct bf_cm_conf conf = wire_conf(card, user_req, &server);
	unsigned int i;

	bf_cm_destroy(card->cm);
	conf.max_half_open = 1000;
	TEST_EXPECT(wire_open(card, &conf), 0);
	/* no answer wakes it meanwhile */
	server.mode = USER_HOLD;
	for (i = 0; i < USER_CONNS; i++)
		TEST_TRUE(user_connect(&client, card, CONNECT_MS) != NULL);
	wire_settle(&wire);
	TEST_EXPECT(server.nb_conns, USER_CONNS);
	return nothing_left();
}

/* All numbers of ours are in use. */
static int
test_full(void)
{
	struct bf_cm_conf conf = wire_conf(host, NULL, NULL);
	unsigned int i;

	bf_cm_destroy(host->cm);
	conf.max_ids = 8;
	TEST_EXPECT(wire_open(host, &conf), 0);
	for (i = 0; i < 8; i++)
		TEST_TRUE(user_connect(&client, card, CONNECT_MS) != NULL);
	TEST_TRUE(user_connect(&client, card, CONNECT_MS) == NULL);
	TEST_EXPECT(bf_cm_connect(host->cm, &card->addr, &client.conns[0].own, NULL, 0, 1,
		user_event, NULL, &client.conns[8].id), -ENOSPC);
	client.conns[8].id = NULL;
	return nothing_left();
}

static int
test_conf(void)
{
	struct bf_cm_conf conf = wire_conf(host, NULL, NULL);

	bf_cm_destroy(host->cm);
	conf.own.mac[5]++;
	TEST_EXPECT(wire_open(host, &conf), -EINVAL);
	/* a group's, though the GID is made of it */
	conf.own.mac[0] |= 1;
	bf_cm_addr_of_mac(conf.own.mac, &conf.own);
	TEST_EXPECT(wire_open(host, &conf), -EINVAL);
	conf = wire_conf(host, NULL, NULL);
	conf.max_ids = 65;
	TEST_EXPECT(wire_open(host, &conf), -EINVAL);
	conf.max_ids = 131072;
	TEST_EXPECT(wire_open(host, &conf), -EINVAL);
	conf.max_ids = 64;
	conf.retries = 16;
	TEST_EXPECT(wire_open(host, &conf), -EINVAL);
	conf.retries = 15;
	TEST_EXPECT(wire_open(host, &conf), 0);
	return TEST_SUCCESS;
}

/* For people: every state has a word. */
static int
test_dump(void)
{
	struct conn *c, *s;
	char text[8192];
	FILE *f;

	TEST_CALL(connect_one(&c, &s));
	server.mode = USER_HOLD;
	user_connect(&client, card, CONNECT_MS);
	wire_settle(&wire);
	f = fmemopen(text, sizeof(text), "w");
	TEST_TRUE(f != NULL);
	bf_cm_dump(card->cm, f);
	fclose(f);
	TEST_TRUE(strstr(text, "2 ids, 1 half open") != NULL);
	TEST_TRUE(strstr(text, "passive: established") != NULL);
	TEST_TRUE(strstr(text, "passive: REQ received") != NULL);
	TEST_TRUE(strstr(text, "REQ: 0 sent, 2 received") != NULL);
	return nothing_left();
}

/*
 * Threads: a worker that polls, and callers that do not wait for it
 */

#define THREAD_ROUNDS 300

struct tconn {
	bool released;
	unsigned int events;
	unsigned int late;      /* events after the release */
};

static bool stop;

static void *
worker(void *arg)
{
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		wire_settle(arg);
		usleep(20);
	}
	return NULL;
}

static void
thread_event(void *arg, struct bf_cm_id *id, const struct bf_cm_event *ev)
{
	struct tconn *t = arg;

	if (__atomic_load_n(&t->released, __ATOMIC_ACQUIRE))
		__atomic_fetch_add(&t->late, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&t->events, 1, __ATOMIC_RELAXED);
	if (ev->type == BF_CM_REP)
		bf_cm_rtu(id);
	usleep(50);
	if (__atomic_load_n(&t->released, __ATOMIC_ACQUIRE))
		__atomic_fetch_add(&t->late, 1, __ATOMIC_RELAXED);
}

/* The server's; all of it happens in the worker. */
static void
thread_served(void *arg __rte_unused, struct bf_cm_id *id, const struct bf_cm_event *ev)
{
	if (ev->type == BF_CM_DREQ)
		bf_cm_disconnect(id, 0);
	else if (ev->type == BF_CM_ENDED || ev->type == BF_CM_FAILED)
		bf_cm_release(id);
}

static void
thread_req(void *arg __rte_unused, struct bf_cm_id *id, const struct bf_cm_event *ev)
{
	struct bf_cm_qp own = { .qpn = ev->qp.qpn + 0x1000 };

	bf_cm_accept(id, &own, NULL, 0, thread_served, NULL);
}

static int
thread_rounds(void)
{
	struct bf_cm_qp own = { .mtu = 3, .ack_timeout = 14 };
	struct bf_cm_id *id;
	struct tconn t;
	unsigned int i;

	for (i = 0; i < THREAD_ROUNDS; i++) {
		memset(&t, 0, sizeof(t));
		own.qpn = 0x100 + i;
		TEST_EXPECT(bf_cm_connect(host->cm, &card->addr, &own, NULL, 0, 1000,
			thread_event, &t, &id), 0);
		/* before, while and after its events come */
		usleep(i % 7 * 40);
		if (i % 3 == 0)
			bf_cm_disconnect(id, -EPIPE);
		bf_cm_release(id);
		__atomic_store_n(&t.released, true, __ATOMIC_RELEASE);
		usleep(i % 5 * 20);
		TEST_EXPECT(__atomic_load_n(&t.late, __ATOMIC_RELAXED), 0);
	}
	return TEST_SUCCESS;
}

static int
test_threads(void)
{
	struct bf_cm_conf conf = wire_conf(card, thread_req, NULL);
	pthread_t thread;
	int ret;

	test_time_limit(60);
	bf_cm_destroy(card->cm);
	conf.wait_ms = 20;
	TEST_EXPECT(wire_open(card, &conf), 0);
	conf = wire_conf(host, NULL, NULL);
	bf_cm_destroy(host->cm);
	conf.wait_ms = 20;
	TEST_EXPECT(wire_open(host, &conf), 0);
	wire.real = true;
	wire.now = 0;
	__atomic_store_n(&stop, false, __ATOMIC_RELEASE);
	TEST_EXPECT(pthread_create(&thread, NULL, worker, &wire), 0);
	ret = thread_rounds();
	if (ret == TEST_SUCCESS)
		TEST_WAIT(node_ids(host) == 0 && node_ids(card) == 0, 20000);
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	return ret;
}

static struct unit_test_suite suite = {
	.suite_name = "connection management",
	.unit_test_cases = {
		TEST_CASE_ST(setup, teardown, test_connect),
		TEST_CASE_ST(setup, teardown, test_bounds),
		TEST_CASE_ST(setup, teardown, test_arguments),
		TEST_CASE_ST(setup, teardown, test_reasons),
		TEST_CASE_ST(setup, teardown, test_reject),
		TEST_CASE_ST(setup, teardown, test_reject_rep),
		TEST_CASE_ST(setup, teardown, test_nobody_listens),
		TEST_CASE_ST(setup, teardown, test_nobody_there),
		TEST_CASE_ST(setup, teardown, test_disconnect),
		TEST_CASE_ST(setup, teardown, test_disconnect_both),
		TEST_CASE_ST(setup, teardown, test_disconnect_held),
		TEST_CASE_ST(setup, teardown, test_release),
		TEST_CASE_ST(setup, teardown, test_bad_wire),
		TEST_CASE_ST(setup, teardown, test_lost),
		TEST_CASE_ST(setup, teardown, test_established),
		TEST_CASE_ST(setup, teardown, test_no_rtu),
		TEST_CASE_ST(setup, teardown, test_mra),
		TEST_CASE_ST(setup, teardown, test_mra_limit),
		TEST_CASE_ST(setup, teardown, test_stale),
		TEST_CASE_ST(setup, teardown, test_stale_server),
		TEST_CASE_ST(setup, teardown, test_stale_lost),
		TEST_CASE_ST(setup, teardown, test_late_dreq),
		TEST_CASE_ST(setup, teardown, test_limits),
		TEST_CASE_ST(setup, teardown, test_limits_in_turn),
		TEST_CASE_ST(setup, teardown, test_burst),
		TEST_CASE_ST(setup, teardown, test_full),
		TEST_CASE_ST(setup, teardown, test_conf),
		TEST_CASE_ST(setup, teardown, test_dump),
		TEST_CASE_ST(setup, teardown, test_threads),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_cm_autotest, unit_test_suite_runner, &suite);
