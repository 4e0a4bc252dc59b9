/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the tests of connection management share: a wire in memory that loses, doubles
 * and reorders, with a clock of its own, and users that do what an application does. No
 * test is in here.
 */

#ifndef TEST_BLUEFIELD_CM_H
#define TEST_BLUEFIELD_CM_H

#include "bluefield_cm_priv.h"

#define WIRE_NODES 4
#define WIRE_FLIGHTS 512
#define WIRE_INBOX 128

struct wire;

/** A function on the wire: with a connection manager of ours, or played by the test. */
struct node {
	struct bf_cm_port port;
	struct wire *wire;
	struct bf_cm_addr addr;
	struct bf_cm *cm;               /**< NULL: played. */
	struct bf_cm_packet inbox[WIRE_INBOX];
	unsigned int head, tail;
	unsigned int nb_tx[BF_CM_NB_MSGS];
	unsigned int nb_wakes;
	struct bf_mad last[BF_CM_NB_MSGS]; /**< That it sent, by attribute. */
};

struct flight {
	uint64_t due;
	struct node *to;                /**< NULL: free. */
	struct bf_cm_packet pkt;
};

struct wire {
	struct bf_lock lock;            /**< What is under way, and all of nodes but cm. */
	bool real;                      /**< The clock of the machine: for threads. */
	uint64_t now;
	uint64_t seed;
	unsigned int loss, twice;       /**< Percent. */
	unsigned int delay;             /**< Up to so many ms, each its own: they overtake. */
	unsigned int drop_attr, nb_drop; /**< The next ones of this attribute get lost. */
	struct node nodes[WIRE_NODES];
	struct flight flights[WIRE_FLIGHTS];
};

/** Nodes without managers. */
void wire_init(struct wire *w, uint64_t seed);
/* Gives all nodes an address of IPv4 instead. */
void wire_set_ip4(struct wire *w);
/** Let a node have a manager; conf NULL: defaults, nobody listens. 0 or an errno. */
int wire_open(struct node *n, const struct bf_cm_conf *conf);
/** End what there is. */
void wire_close(struct wire *w);
/** Defaults for a node, with a user that listens. */
struct bf_cm_conf wire_conf(struct node *n, bf_cm_cb_t req_cb, void *arg);
/** Everybody polls, until nothing is under way that is due now. */
void wire_settle(struct wire *w);
/** Time goes on, from event to event. */
void wire_run(struct wire *w, uint64_t ms);
uint64_t wire_rand(struct wire *w);

/** Put a packet on the wire as it is. */
void wire_inject(struct node *to, const struct bf_cm_packet *pkt);
/** Send as a played node does: a good packet, with this message. */
void wire_play(struct node *from, struct node *to, const struct bf_mad *mad);
/** What a played node has got next, of this attribute; others before it are dropped. */
bool wire_got(struct node *n, uint16_t attr, struct bf_mad *mad);
/** Nothing has come to a played node. */
bool wire_silent(struct node *n);

/*
 * Users
 */

#define USER_CONNS 80

enum user_mode {
	USER_ACCEPT,    /**< Answer a REQ at once, bring a REP up at once. */
	USER_HOLD,      /**< Do nothing: the test does. */
	USER_REJECT,
};

struct conn {
	struct user *user;
	struct bf_cm_id *id;            /**< NULL: released. */
	struct bf_cm_qp own;
	unsigned int seen[BF_NB_CM_EVENTS];
	int status[BF_NB_CM_EVENTS];
	struct bf_cm_event ev;          /**< The last one; priv points to the copy. */
	uint8_t priv[256];
	uint32_t remote_qpn;            /**< Of the REQ or REP. */
	struct bf_qp_path path;
};

/** An application: one side of up to so many connections. */
struct user {
	struct node *node;
	enum user_mode mode;
	int reason;                     /**< Of rejections. */
	const char *words;              /**< In REP and REJ. */
	uint8_t ack_timeout;            /**< 0: 14. */
	bool keep;                      /**< Release nothing by itself. */
	unsigned int nb_conns;
	struct conn conns[USER_CONNS];
};

void user_req(void *arg, struct bf_cm_id *id, const struct bf_cm_event *ev);
/* The ip4_mac() of its node: the wire knows all. */
bool user_ip4_mac(void *arg, const uint8_t gid[16], uint8_t mac[6]);
void user_event(void *arg, struct bf_cm_id *id, const struct bf_cm_event *ev);
/** A queue pair of a connection: numbers that tell which. */
struct bf_cm_qp user_qp(const struct user *u, unsigned int nth);
/** Connect; NULL if that failed. */
struct conn *user_connect(struct user *u, const struct node *to, uint32_t timeout_ms);
/** Its end of a connection of somebody else; NULL: it has none. */
struct conn *user_other(struct user *u, const struct conn *c);
/** Release all that is left. */
void user_release(struct user *u);
/** Ids of a node that are left. */
uint32_t node_ids(struct node *n);

#endif /* TEST_BLUEFIELD_CM_H */
