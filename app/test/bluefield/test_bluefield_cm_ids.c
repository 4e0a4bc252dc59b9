/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Ids of the connection manager: whose they are, where one function or number looks like
 * another; the numbers of those that stay while others come and go; what is told of one that
 * was released a moment before; and what a message can do to one, that is late or too large.
 */

#include <errno.h>

#include <rte_common.h>

#include "test.h"
#include "test_bluefield_cm.h"

#define GUID UINT64_C(0x0211220000334404)
#define PEER_QPN 0x00bead
#define MAX_IDS 4
#define WAIT_MS 1000 /* an end is over by then */

static struct wire wire;
static struct node *const us = &wire.nodes[0], *const peer = &wire.nodes[1],
	*const twin = &wire.nodes[2];
static struct user user, peer_user, twin_user;

static int
setup(void)
{
	wire_init(&wire, 7);
	memset(&user, 0, sizeof(user));
	memset(&peer_user, 0, sizeof(peer_user));
	memset(&twin_user, 0, sizeof(twin_user));
	user.node = us;
	peer_user.node = peer;
	twin_user.node = twin;
	return TEST_SUCCESS;
}

static void
teardown(void)
{
	wire_close(&wire);
}

static uint64_t
no_room(void)
{
	struct bf_cm_stats stats;

	bf_cm_stats(us->cm, &stats);
	return stats.no_room;
}

/* Two functions in one bucket: what one may have is not taken from the other. */
static int
test_one_bucket(void)
{
	struct bf_cm_conf conf;
	struct conn *c;
	unsigned int i;

	twin->addr = peer->addr;
	twin->addr.mac[5] += BF_CM_NB_BUCKETS;
	twin->addr.gid[15] += BF_CM_NB_BUCKETS;
	conf = wire_conf(us, user_req, &user);
	conf.max_half_open = 2;
	user.mode = USER_HOLD;
	TEST_EXPECT(wire_open(us, &conf), 0);
	TEST_EXPECT(wire_open(peer, NULL), 0);
	TEST_EXPECT(wire_open(twin, NULL), 0);
	for (i = 0; i < 3; i++)
		TEST_TRUE(user_connect(&peer_user, us, WAIT_MS) != NULL);
	wire_settle(&wire);
	TEST_EXPECT(user.nb_conns, 2);
	TEST_EXPECT(no_room(), 1);
	c = user_connect(&twin_user, us, WAIT_MS);
	TEST_TRUE(c != NULL);
	wire_settle(&wire);
	TEST_EXPECT(user.nb_conns, 3);
	TEST_EXPECT(no_room(), 1);
	TEST_TRUE(user_other(&user, c) == &user.conns[2]);
	return TEST_SUCCESS;
}

/* One stays, and is known by its number, while others have all other slots in turn. */
static int
test_slots(void)
{
	struct bf_cm_conf conf = wire_conf(us, user_req, &user);
	struct conn *first, *c;
	unsigned int i;

	conf.max_ids = MAX_IDS;
	TEST_EXPECT(wire_open(us, &conf), 0);
	TEST_EXPECT(wire_open(peer, NULL), 0);
	first = user_connect(&peer_user, us, WAIT_MS);
	wire_settle(&wire);
	TEST_TRUE(first != NULL && first->seen[BF_CM_REP] == 1);
	for (i = 0; i < 3 * MAX_IDS; i++) {
		c = user_connect(&peer_user, us, WAIT_MS);
		wire_settle(&wire);
		TEST_TRUE(c != NULL && c->seen[BF_CM_REP] == 1);
		TEST_EXPECT(bf_cm_disconnect(c->id, 0), 0);
		wire_run(&wire, WAIT_MS);
		TEST_EXPECT(c->seen[BF_CM_ENDED], 1);
		TEST_EXPECT(node_ids(us), 1);
	}
	/* and no more than there are */
	for (i = 1; i <= MAX_IDS; i++)
		TEST_TRUE(user_connect(&peer_user, us, WAIT_MS) != NULL);
	wire_settle(&wire);
	TEST_EXPECT(node_ids(us), MAX_IDS);
	TEST_EXPECT(no_room(), 1);
	TEST_EXPECT(bf_cm_disconnect(first->id, 0), 0);
	wire_run(&wire, WAIT_MS);
	TEST_EXPECT(user.conns[0].seen[BF_CM_DREQ], 1);
	TEST_EXPECT(user.conns[0].seen[BF_CM_ENDED], 1);
	user_release(&peer_user);
	wire_run(&wire, 10 * WAIT_MS);
	/* nor is anything kept of a function without ids */
	TEST_EXPECT(node_ids(us), 0);
	for (i = 0; i < BF_CM_NB_BUCKETS; i++)
		TEST_TRUE(LIST_EMPTY(&us->cm->peers[i]));
	return TEST_SUCCESS;
}

/*
 * A REP that ends an old connection, as it has its queue pair
 */

static struct bf_cm_id *old, *new;
static bool new_is_up; /* it is ready when it is released */
static unsigned int nb_told;
static struct bf_cm_event told; /* the last of them */

static void
old_event(void *arg __rte_unused, struct bf_cm_id *id, const struct bf_cm_event *ev)
{
	if (ev->type == BF_CM_REP)
		bf_cm_rtu(id);
	if (ev->type != BF_CM_DREQ)
		return;
	if (new_is_up)
		bf_cm_rtu(new);
	bf_cm_release(new);
}

static void
new_event(void *arg __rte_unused, struct bf_cm_id *id __rte_unused, const struct bf_cm_event *ev)
{
	nb_told++;
	told = *ev;
}

static void
play(const struct bf_mad *mad)
{
	wire_play(peer, us, mad);
	wire_settle(&wire);
}

/* Ask the function that is played. */
static int
ask(bf_cm_cb_t cb, unsigned int nth, struct bf_cm_id **id, struct bf_mad *req)
{
	const struct bf_cm_qp own = user_qp(&user, nth);

	TEST_EXPECT(bf_cm_connect(us->cm, &peer->addr, &own, NULL, 0, WAIT_MS, cb, NULL, id), 0);
	wire_settle(&wire);
	TEST_TRUE(wire_got(peer, BF_MAD_REQ, req));
	return TEST_SUCCESS;
}

/* It answers with the same queue pair each time. */
static int
connect_to_qp(bf_cm_cb_t cb, unsigned int nth, struct bf_cm_id **id)
{
	struct bf_mad req, rep = {
		.attr = BF_MAD_REP, .local_id = nth,
		.rep = { .qpn = PEER_QPN, .psn = 5, .ca_guid = GUID, .rnr_retry = 7 },
	};

	TEST_CALL(ask(cb, nth, id, &req));
	rep.tid = req.tid;
	rep.remote_id = req.local_id;
	play(&rep);
	return TEST_SUCCESS;
}

/* Who hears that the old one is over lets go of both: the new one is told nothing more. */
static int
released_before_told(int up)
{
	struct bf_mad mad;

	new_is_up = up;
	nb_told = 0;
	TEST_EXPECT(wire_open(us, NULL), 0);
	TEST_CALL(connect_to_qp(old_event, 1, &old));
	TEST_EXPECT(us->nb_tx[BF_MAD_RTU - BF_MAD_FIRST], 1);
	TEST_CALL(connect_to_qp(new_event, 2, &new));
	TEST_EXPECT(us->nb_tx[BF_MAD_RTU - BF_MAD_FIRST], 1 + up);
	TEST_EXPECT(nb_told, 0);
	TEST_TRUE(wire_got(peer, up ? BF_MAD_DREQ : BF_MAD_REJ, &mad));
	bf_cm_release(old);
	wire_run(&wire, 10 * WAIT_MS);
	TEST_EXPECT(nb_told, 0);
	TEST_EXPECT(node_ids(us), 0);
	return TEST_SUCCESS;
}

/*
 * Messages that are late, or too large
 */

/* A connection that the played function has accepted. Our number goes to *number. */
static int
established(uint32_t *number)
{
	nb_told = 0;
	TEST_CALL(connect_to_qp(new_event, 1, &new));
	TEST_EXPECT(nb_told, 1);
	TEST_EXPECT(bf_cm_rtu(new), 0);
	*number = us->last[BF_MAD_RTU - BF_MAD_FIRST].local_id;
	return TEST_SUCCESS;
}

/* A reason has 16 bits, of which nobody knows more than 8: it is none of these. */
static int
test_reasons(void)
{
	struct bf_mad rej = { .attr = BF_MAD_REJ, .local_id = 1 }, req;
	uint32_t number;

	TEST_EXPECT(wire_open(us, NULL), 0);
	TEST_CALL(ask(new_event, 1, &new, &req));
	nb_told = 0;
	rej.remote_id = req.local_id;
	rej.rej.reason = 0x100 | BF_REJ_TIMEOUT;
	play(&rej);
	TEST_EXPECT(nb_told, 1);
	TEST_EXPECT(told.type, BF_CM_FAILED);
	TEST_EXPECT(told.status, -EPROTO);
	TEST_EXPECT(told.reason, UINT8_MAX);
	bf_cm_release(new);

	TEST_CALL(established(&number));
	rej.remote_id = number;
	/* it is from somebody else */
	rej.local_id = 77;
	play(&rej);
	TEST_EXPECT(nb_told, 1);
	rej.local_id = 1;
	play(&rej);
	TEST_EXPECT(nb_told, 2);
	TEST_EXPECT(told.type, BF_CM_DREQ);
	TEST_EXPECT(told.status, -EPROTO);
	bf_cm_release(new);
	TEST_EXPECT(bf_cm_errno_reason(0), BF_REJ_CONSUMER);
	return TEST_SUCCESS;
}

/* What a refusal is about: the REP, or the REQ. */
static int
test_refusals(void)
{
	struct bf_cm_conf conf = wire_conf(us, user_req, &user);
	struct bf_mad rej;

	user.mode = USER_REJECT;
	user.reason = -ENOMEM;
	TEST_EXPECT(wire_open(us, &conf), 0);
	TEST_CALL(connect_to_qp(new_event, 1, &new));
	TEST_EXPECT(bf_cm_reject(new, -ENOMEM, NULL, 0), 0);
	wire_settle(&wire);
	TEST_TRUE(wire_got(peer, BF_MAD_REJ, &rej));
	TEST_EXPECT(rej.rej.about, BF_MAD_ABOUT_REP);
	bf_cm_release(new);
	TEST_EXPECT(wire_open(twin, NULL), 0);
	TEST_TRUE(user_connect(&twin_user, us, WAIT_MS) != NULL);
	wire_settle(&wire);
	TEST_EXPECT(us->last[BF_MAD_REJ - BF_MAD_FIRST].rej.about, BF_MAD_ABOUT_REQ);
	return TEST_SUCCESS;
}

/* The longest wait that can be asked for: an answer waits seconds, and an end not at all. */
static int
test_long_waits(void)
{
	struct bf_mad mra = { .attr = BF_MAD_MRA, .mra = { .timeout = 31 } };
	struct bf_cm_conf conf = wire_conf(us, user_req, &user);
	const struct bf_mad *rep = &us->last[BF_MAD_REP - BF_MAD_FIRST];
	uint32_t number;

	TEST_EXPECT(wire_open(us, &conf), 0);
	TEST_EXPECT(wire_open(peer, NULL), 0);
	wire.drop_attr = BF_MAD_REP;
	wire.nb_drop = 1;
	TEST_TRUE(user_connect(&peer_user, us, WAIT_MS) != NULL);
	wire_settle(&wire);
	TEST_EXPECT(us->nb_tx[BF_MAD_REP - BF_MAD_FIRST], 1);
	bf_cm_destroy(peer->cm);
	mra.local_id = rep->remote_id;
	mra.remote_id = rep->local_id;
	mra.mra.about = BF_MAD_ABOUT_REP;
	play(&mra);
	wire_run(&wire, 60 * WAIT_MS);
	TEST_EXPECT(user.conns[0].seen[BF_CM_FAILED], 1);
	TEST_EXPECT(user.conns[0].status[BF_CM_FAILED], -ETIMEDOUT);

	peer->head = peer->tail;
	TEST_CALL(established(&number));
	TEST_EXPECT(bf_cm_disconnect(new, 0), 0);
	mra.local_id = 1;
	mra.remote_id = number;
	mra.mra.about = BF_MAD_ABOUT_OTHER;
	play(&mra);
	wire_run(&wire, 4 * WAIT_MS);
	TEST_EXPECT(nb_told, 2);
	TEST_EXPECT(told.type, BF_CM_ENDED);
	bf_cm_release(new);
	return TEST_SUCCESS;
}

/* A function asks with the number that it has answered with: this is another connection. */
static int
test_number_of_answer(void)
{
	struct bf_cm_conf conf = wire_conf(us, user_req, &user);
	struct bf_mad req;
	uint32_t number;

	TEST_EXPECT(wire_open(us, &conf), 0);
	TEST_EXPECT(wire_open(peer, NULL), 0);
	wire.drop_attr = BF_MAD_REQ;
	wire.nb_drop = 1;
	TEST_TRUE(user_connect(&peer_user, us, WAIT_MS) != NULL);
	wire_settle(&wire);
	req = peer->last[BF_MAD_REQ - BF_MAD_FIRST];
	bf_cm_destroy(peer->cm);
	TEST_CALL(established(&number));
	req.local_id = 1;
	req.req.ca_guid = GUID;
	play(&req);
	TEST_EXPECT(user.nb_conns, 1);
	TEST_EXPECT(us->nb_tx[BF_MAD_REP - BF_MAD_FIRST], 1);
	bf_cm_release(new);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "ids of connection management",
	.unit_test_cases = {
		TEST_CASE_ST(setup, teardown, test_one_bucket),
		TEST_CASE_ST(setup, teardown, test_slots),
		TEST_CASE_ARG(setup, teardown, "test_released_before_told",
			released_before_told, false),
		TEST_CASE_ARG(setup, teardown, "test_released_when_up",
			released_before_told, true),
		TEST_CASE_ST(setup, teardown, test_reasons),
		TEST_CASE_ST(setup, teardown, test_refusals),
		TEST_CASE_ST(setup, teardown, test_long_waits),
		TEST_CASE_ST(setup, teardown, test_number_of_answer),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(bluefield_cm_ids_autotest, unit_test_suite_runner, &suite);
