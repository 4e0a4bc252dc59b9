/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A wire in memory for connection managers, and applications on them. What it does is
 * repeatable: its randomness comes from a seed, and its clock is its own.
 */

#include <string.h>

#include <rte_common.h>

#include "test_bluefield_cm.h"

/* Polls at one instant: nobody answers for ever. */
#define MAX_ROUNDS 10000

uint64_t
wire_rand(struct wire *w)
{
	/* xorshift64* */
	w->seed ^= w->seed >> 12;
	w->seed ^= w->seed << 25;
	w->seed ^= w->seed >> 27;
	return w->seed * UINT64_C(2685821657736338717) >> 32;
}

static bool
chance(struct wire *w, unsigned int percent)
{
	return percent != 0 && wire_rand(w) % 100 < percent;
}

static struct node *
node_of(struct wire *w, const uint8_t *gid)
{
	unsigned int i;

	for (i = 0; i < WIRE_NODES; i++) {
		if (memcmp(w->nodes[i].addr.gid, gid, 16) == 0)
			return &w->nodes[i];
	}
	return NULL;
}

static void
take_off(struct node *to, const struct bf_cm_packet *pkt)
{
	struct wire *w = to->wire;
	unsigned int i;

	for (i = 0; i < WIRE_FLIGHTS; i++) {
		if (w->flights[i].to != NULL)
			continue;
		w->flights[i].to = to;
		w->flights[i].pkt = *pkt;
		w->flights[i].due = w->now + (w->delay != 0 ? wire_rand(w) % (w->delay + 1) : 0);
		return;
	}
	/* a full wire loses them */
}

void
wire_inject(struct node *to, const struct bf_cm_packet *pkt)
{
	bf_lock(&to->wire->lock);
	take_off(to, pkt);
	bf_unlock(&to->wire->lock);
}

/* With the lock. */
static void
wire_send(struct node *from, const struct bf_cm_addr *to, const uint8_t *mad)
{
	struct bf_cm_packet pkt = { .has_grh = true, .src_qpn = 1, .len = BF_MAD_SIZE };
	struct node *dest = node_of(from->wire, to->gid);
	struct wire *w = from->wire;

	pkt.ip4 = bf_cm_gid_ip4(from->addr.gid) != NULL;
	memcpy(pkt.sgid, from->addr.gid, sizeof(pkt.sgid));
	memcpy(pkt.dgid, to->gid, sizeof(pkt.dgid));
	memcpy(pkt.mad, mad, BF_MAD_SIZE);
	if (dest == NULL || chance(w, w->loss))
		return;
	if (w->nb_drop != 0 && w->drop_attr == mad[17]) {
		w->nb_drop--;
		return;
	}
	take_off(dest, &pkt);
	if (chance(w, w->twice))
		take_off(dest, &pkt);
}

/*
 * The port of a node
 */

static int
port_send(struct bf_cm_port *port, const struct bf_cm_addr *to, const uint8_t *mad)
{
	struct node *n = container_of(port, struct node, port);
	unsigned int i = mad[17] - BF_MAD_FIRST;

	bf_lock(&n->wire->lock);
	n->nb_tx[i]++;
	bf_mad_decode(mad, BF_MAD_SIZE, &n->last[i]);
	wire_send(n, to, mad);
	bf_unlock(&n->wire->lock);
	return 0;
}

static bool
port_recv(struct bf_cm_port *port, struct bf_cm_packet *pkt)
{
	struct node *n = container_of(port, struct node, port);
	bool got;

	bf_lock(&n->wire->lock);
	got = n->head != n->tail;
	if (got)
		*pkt = n->inbox[n->tail++ % WIRE_INBOX];
	bf_unlock(&n->wire->lock);
	return got;
}

static uint64_t
port_now(struct bf_cm_port *port)
{
	const struct wire *w = container_of(port, struct node, port)->wire;

	return w->real ? bf_now_ms() : w->now;
}

static void
port_close(struct bf_cm_port *port)
{
	container_of(port, struct node, port)->cm = NULL;
}

static const struct bf_cm_port_ops port_ops = {
	.send = port_send,
	.recv = port_recv,
	.now_ms = port_now,
	.close = port_close,
};

static void
addr_set(struct bf_cm_addr *addr, uint8_t nr)
{
	const struct bf_cm_addr of = {
		.mac = { 0x02, 0x11, 0x22, 0x33, 0x44, nr },
		.gid = { 0xfe, 0x80, [9] = 0x11, 0x22, 0xff, 0xfe, 0x33, 0x44, nr },
	};

	*addr = of;
}

void
wire_init(struct wire *w, uint64_t seed)
{
	unsigned int i;

	memset(w, 0, sizeof(*w));
	bf_lock_init(&w->lock);
	w->seed = seed * 7919 + 1;
	w->now = 1000;
	for (i = 0; i < WIRE_NODES; i++) {
		w->nodes[i].wire = w;
		w->nodes[i].port.ops = &port_ops;
		addr_set(&w->nodes[i].addr, i + 1);
	}
}

void
wire_set_ip4(struct wire *w)
{
	uint8_t ip4[4] = { 192, 0, 2, 0 };
	unsigned int i;

	for (i = 0; i < WIRE_NODES; i++) {
		ip4[3]++;
		bf_cm_addr_set_ip4(&w->nodes[i].addr, ip4);
	}
}

static void
count_wake(void *arg __rte_unused)
{
}

struct bf_cm_conf
wire_conf(struct node *n, bf_cm_cb_t req_cb, void *arg)
{
	struct bf_cm_conf conf;

	bf_cm_conf_init(&conf);
	conf.name = "wire";
	conf.own = n->addr;
	conf.addr_index = 3;
	conf.req_cb = req_cb;
	conf.arg = arg;
	conf.wake = count_wake;
	return conf;
}

int
wire_open(struct node *n, const struct bf_cm_conf *conf)
{
	struct bf_cm_conf def = wire_conf(n, NULL, NULL);

	n->head = n->tail = 0;
	return bf_cm_open(&n->port, conf != NULL ? conf : &def, &n->cm);
}

void
wire_close(struct wire *w)
{
	unsigned int i;

	for (i = 0; i < WIRE_NODES; i++)
		bf_cm_destroy(w->nodes[i].cm);
	bf_lock_fini(&w->lock);
}

/* What is due arrives. A played node keeps what it gets. */
static bool
arrive(struct wire *w)
{
	uint64_t now = w->real ? bf_now_ms() : w->now;
	bool any = false;
	struct flight *f;
	struct node *n;

	bf_lock(&w->lock);
	for (f = w->flights; f < w->flights + WIRE_FLIGHTS; f++) {
		if (f->to == NULL || f->due > now)
			continue;
		n = f->to;
		if (n->head - n->tail < WIRE_INBOX)
			n->inbox[n->head++ % WIRE_INBOX] = f->pkt;
		f->to = NULL;
		any = true;
	}
	bf_unlock(&w->lock);
	return any;
}

void
wire_settle(struct wire *w)
{
	unsigned int i, rounds;
	bool busy = true;

	for (rounds = 0; (arrive(w) || busy) && rounds < MAX_ROUNDS; rounds++) {
		busy = false;
		for (i = 0; i < WIRE_NODES; i++) {
			if (w->nodes[i].cm == NULL)
				continue;
			bf_cm_poll(w->nodes[i].cm);
			busy |= !w->real && bf_cm_deadline(w->nodes[i].cm) <= w->now;
		}
	}
}

void
wire_run(struct wire *w, uint64_t ms)
{
	uint64_t end = w->now + ms, next;
	unsigned int i;

	for (wire_settle(w); w->now < end; wire_settle(w)) {
		next = end;
		for (i = 0; i < WIRE_FLIGHTS; i++) {
			if (w->flights[i].to != NULL)
				next = RTE_MIN(next, w->flights[i].due);
		}
		for (i = 0; i < WIRE_NODES; i++) {
			if (w->nodes[i].cm != NULL)
				next = RTE_MIN(next, bf_cm_deadline(w->nodes[i].cm));
		}
		w->now = RTE_MAX(next, w->now + 1);
	}
}

void
wire_play(struct node *from, struct node *to, const struct bf_mad *mad)
{
	uint8_t buf[BF_MAD_SIZE];

	if (bf_mad_encode(mad, buf) != 0)
		return;
	bf_lock(&from->wire->lock);
	wire_send(from, &to->addr, buf);
	bf_unlock(&from->wire->lock);
}

bool
wire_got(struct node *n, uint16_t attr, struct bf_mad *mad)
{
	while (n->head != n->tail) {
		if (bf_mad_decode(n->inbox[n->tail++ % WIRE_INBOX].mad, BF_MAD_SIZE, mad) == 0 &&
		    mad->attr == attr)
			return true;
	}
	return false;
}

bool
wire_silent(struct node *n)
{
	return n->head == n->tail;
}

/*
 * Users
 */

struct bf_cm_qp
user_qp(const struct user *u, unsigned int nth)
{
	uint32_t base = u->node->addr.mac[5] * 0x10000u + nth;

	return (struct bf_cm_qp){
		.qpn = 0x100 + base, .psn = 0xf00000 ^ base, .rnr_retry = u->node->addr.mac[5] & 7,
		.mtu = 3, .retry_count = 6, .srq = true,
		.ack_timeout = u->ack_timeout != 0 ? u->ack_timeout : 14,
	};
}

static struct conn *
conn_new(struct user *u)
{
	struct conn *c;

	if (u->nb_conns == USER_CONNS)
		return NULL;
	c = &u->conns[u->nb_conns];
	memset(c, 0, sizeof(*c));
	c->user = u;
	c->own = user_qp(u, u->nb_conns);
	u->nb_conns++;
	return c;
}

static void
conn_release(struct conn *c)
{
	bf_cm_release(c->id);
	c->id = NULL;
}

static void
conn_note(struct conn *c, const struct bf_cm_event *ev)
{
	c->seen[ev->type]++;
	c->status[ev->type] = ev->status;
	c->ev = *ev;
	if (ev->qp.qpn != 0)
		c->remote_qpn = ev->qp.qpn;
	if (ev->priv != NULL) {
		memcpy(c->priv, ev->priv, ev->len);
		c->ev.priv = c->priv;
	}
}

static void
conn_answer(struct conn *c)
{
	struct user *u = c->user;
	const char *words = u->words != NULL ? u->words : "";

	bf_cm_path(c->id, &c->own, &c->path);
	if (u->mode == USER_ACCEPT)
		bf_cm_accept(c->id, &c->own, words, strlen(words), user_event, c);
	else if (u->mode == USER_REJECT) {
		bf_cm_reject(c->id, u->reason, words, strlen(words));
		conn_release(c);
	}
}

void
user_req(void *arg, struct bf_cm_id *id, const struct bf_cm_event *ev)
{
	struct conn *c = conn_new(arg);

	if (c == NULL) {
		bf_cm_release(id);
		return;
	}
	c->id = id;
	conn_note(c, ev);
	conn_answer(c);
}

bool
user_ip4_mac(void *arg, const uint8_t gid[16], uint8_t mac[6])
{
	const struct user *u = arg;
	const struct node *n = node_of(u->node->wire, gid);

	if (n != NULL)
		memcpy(mac, n->addr.mac, sizeof(n->addr.mac));
	return n != NULL;
}

void
user_event(void *arg, struct bf_cm_id *id __rte_unused, const struct bf_cm_event *ev)
{
	struct conn *c = arg;

	conn_note(c, ev);
	if (c->user->mode == USER_HOLD)
		return;
	if (ev->type == BF_CM_REP) {
		bf_cm_path(c->id, &c->own, &c->path);
		bf_cm_rtu(c->id);
	} else if (ev->type == BF_CM_DREQ) {
		bf_cm_disconnect(c->id, 0);
	} else if (!c->user->keep && (ev->type == BF_CM_ENDED || ev->type == BF_CM_FAILED)) {
		conn_release(c);
	}
}

struct conn *
user_connect(struct user *u, const struct node *to, uint32_t timeout_ms)
{
	static const char hello[BF_CM_REQ_PRIV] = "hello";
	struct conn *c = conn_new(u);

	if (c == NULL || bf_cm_connect(u->node->cm, &to->addr, &c->own, hello, sizeof(hello),
	    timeout_ms, user_event, c, &c->id) != 0)
		return NULL;
	return c;
}

struct conn *
user_other(struct user *u, const struct conn *c)
{
	unsigned int i;

	for (i = 0; i < u->nb_conns; i++) {
		if (u->conns[i].remote_qpn == c->own.qpn)
			return &u->conns[i];
	}
	return NULL;
}

void
user_release(struct user *u)
{
	unsigned int i;

	for (i = 0; i < u->nb_conns; i++) {
		if (u->conns[i].id != NULL)
			conn_release(&u->conns[i]);
	}
}

uint32_t
node_ids(struct node *n)
{
	struct bf_cm_stats stats;

	bf_cm_stats(n->cm, &stats);
	return stats.ids;
}
