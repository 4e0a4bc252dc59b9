/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Peers of the bluefield driver whose messages are there when this side, or the application
 * in a callback, changes its mind: a connection that ends hands nothing more up, what was
 * promised to a peer is kept, and no peer keeps an end from coming.
 */

#include "bluefield_chan_priv.h" /* check-ok: its layers are tested */
#include "bluefield_mad.h"
#include "test_bluefield_group.h"
#include "test_bluefield_peer.h"

#define CARD "ecpf0vf0"
#define HOSTILE "pf0vf1"
#define CARD_MAC "02:c0:3c:00:07:10"
#define HOST_MAC "02:c0:3c:00:07:11"
#define HOSTILE_MAC "02:c0:3c:00:07:12"
#define MAX_BATCH 4
#define NB_SLOW 40 /* messages that a peer takes slowly */
/* A dead peer is noticed by the repetitions of what is sent to it: 8 * 268 ms. */
#define DEATH_MS 12000

static const uint8_t card_mac[] = { 0x02, 0xc0, 0x3c, 0x00, 0x07, 0x10 };
static struct peer hostile;
static struct test_ep *server;
static int card_dev;
static uint32_t bye_flags; /* of each BYE that is sent */

static void
disconnect_here(struct rte_comch_conn *conn)
{
	server->value++;
	if (rte_comch_server_disconnect(conn) != 0)
		test_fail("the server cannot disconnect");
}

static void
new_and_end(struct rte_comch_conn *conn, uint32_t consumer_id, void *user_data __rte_unused)
{
	server->nb_new++;
	server->new_id = consumer_id;
	disconnect_here(conn);
}

static void
gone(struct rte_comch_conn *conn __rte_unused, uint32_t consumer_id __rte_unused,
	void *user_data __rte_unused)
{
	server->nb_gone++;
}

static int
setup(void)
{
	struct rte_comch_server_conf conf;

	memset(&hostile, 0, sizeof(hostile));
	bye_flags = BF_WIRE_BYE_F_ANSWER;
	TEST_CALL(test_log_begin());
	TEST_CALL(peer_model_start(CARD_MAC, HOST_MAC, HOSTILE_MAC));
	card_dev = test_model_dev_add(&model, CARD,
		"health=50,role=dpu,functions=" HOSTILE "@" HOSTILE_MAC);
	TEST_TRUE(card_dev >= 0);
	test_pair.dpu = card_dev;
	test_pair.rep = 0;
	server = test_ep_new();
	test_server_conf(server, "test", &conf);
	conf.ctrl.max_msg_size = PEER_MSG_SIZE;
	conf.ctrl.recv_queue_size = PEER_QUEUE;
	conf.ctrl.nb_tasks = NB_SLOW;
	conf.ctrl.max_conn_tasks = NB_SLOW;
	conf.ctrl.consumer_new_cb = new_and_end;
	conf.ctrl.consumer_gone_cb = gone;
	TEST_EXPECT(test_server_start(server, &conf, test_pe_new()), 0);
	return peer_open(&hostile, HOSTILE, false);
}

static void
teardown(void)
{
	peer_close(&hostile);
	test_cleanup();
	test_model_teardown();
}

/* With room for so many messages, and versions up to this one. */
static int
ask(uint32_t queue_size, uint8_t version_max)
{
	struct bf_wire_req req;

	peer_req(&req, "test");
	req.queue_size = queue_size;
	req.version_max = version_max;
	return peer_connect(&hostile, card_mac, &req, sizeof(req));
}

static int
connected(uint32_t queue_size)
{
	TEST_CALL(ask(queue_size, BF_WIRE_VERSION_MAX));
	PEER_WAIT(&hostile, hostile.seen[BF_CM_REP] != 0 && server->nb_connects == 1, TEST_MS);
	return TEST_SUCCESS;
}

/* All that is sent has arrived; the server was not turned. */
static int
arrived(void)
{
	TEST_UNTIL(hostile.sq.ci == hostile.sq.pi, (peer_poll(&hostile), 0), TEST_MS);
	return TEST_SUCCESS;
}

/* Messages at once, up to type 0; consumers have identifiers in order. */
static int
send_batch(const uint8_t types[MAX_BATCH])
{
	uint8_t bytes[sizeof(struct bf_wire_hdr) + sizeof(union bf_wire_ctl)] = { 0 };
	struct bf_send_wr wr = { .opcode = BF_WQE_SEND, .signalled = true, .inl = bytes };
	union bf_wire_ctl body;
	struct bf_wire_hdr hdr;
	unsigned int i;

	for (i = 0; i < MAX_BATCH && types[i] != 0; i++) {
		memset(&body, 0, sizeof(body));
		if (types[i] == BF_WIRE_BYE)
			body.bye.flags = bye_flags;
		else
			body.consumer_new = (struct bf_wire_consumer_new){
				.consumer = i + 1, .buf_size = 64, .posts = 4,
			};
		hdr = hostile.hdr;
		hdr.type = types[i];
		hdr.len = types[i] == BF_WIRE_DATA ? 8 : bf_wire_ctl_len(types[i]);
		memcpy(bytes, &hdr, sizeof(hdr));
		memcpy(bytes + sizeof(hdr), &body, hdr.len);
		wr.inl_len = sizeof(hdr) + hdr.len;
		TEST_TRUE(bf_sendq_send(&hostile.sq, &wr) >= 0);
		hostile.hdr.seq++;
	}
	bf_sendq_ring(&hostile.sq);
	return arrived();
}

/*
 * Ends in callbacks
 */

static void
sent_and_end(struct test_ep *ep, struct rte_comch_task *task, int status)
{
	if (status == 0)
		disconnect_here(ep->conn);
	free(rte_comch_task_user_data_get(task));
	rte_comch_task_free(task);
}

static void
recv_and_end(struct test_ep *ep __rte_unused, struct rte_comch_conn *conn,
	const void *msg __rte_unused, uint32_t len __rte_unused)
{
	disconnect_here(conn);
}

enum { IN_SEND, IN_CONSUMER, IN_RECV, IN_LAST };

/* Whatever came with what the callback is about is the next one's, and there is none. */
static int
end_in_callback(int where)
{
	static const uint8_t batches[][MAX_BATCH] = {
		[IN_SEND] = { BF_WIRE_DATA, BF_WIRE_DATA },
		[IN_CONSUMER] = { BF_WIRE_CONSUMER_NEW, BF_WIRE_CONSUMER_NEW, BF_WIRE_DATA },
		[IN_RECV] = { BF_WIRE_DATA, BF_WIRE_DATA },
		[IN_LAST] = { BF_WIRE_DATA, BF_WIRE_BYE },
	};

	server->on_send = where == IN_SEND ? sent_and_end : NULL;
	server->on_recv = where >= IN_RECV ? recv_and_end : NULL;
	TEST_CALL(connected(PEER_QUEUE));
	if (where == IN_SEND) {
		TEST_EXPECT(test_send_pattern(server->conn, 8, 1), 0);
		PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_DATA) == 1, TEST_MS);
	}
	TEST_CALL(send_batch(batches[where]));
	PEER_WAIT(&hostile, server->nb_disconnects == 1 && hostile.seen[BF_CM_DREQ] != 0, TEST_MS);
	TEST_EXPECT(server->value, 1);
	TEST_EXPECT(server->nb_done, where == IN_SEND);
	TEST_EXPECT(server->nb_new, where == IN_CONSUMER);
	TEST_EXPECT(server->nb_recv, where >= IN_RECV);
	TEST_EXPECT(server->nb_gone, 0);
	TEST_EXPECT(test_dev_status((int16_t)card_dev), 0);
	return test_log_passed();
}

/* What the worker has to tell of the first connection is on its way to the server's thread. */
static bool
event_waits(void)
{
	struct bf_chan_dev *cd = bf_chan_dev_of(group_dev_of((int16_t)card_dev));
	const struct bf_ctrl_conn *cc;
	bool waits;

	bf_lock(&cd->lock);
	cc = TAILQ_FIRST(&cd->conns);
	waits = cc != NULL && cc->ev_queued;
	bf_unlock(&cd->lock);
	return waits;
}

/*
 * Messages of a peer that goes, and has asked which of them are taken
 */

static const uint8_t two_and_bye[MAX_BATCH] = { BF_WIRE_DATA, BF_WIRE_DATA, BF_WIRE_BYE };

static void
recv_and_hold(struct test_ep *ep, struct rte_comch_conn *conn, const void *msg __rte_unused,
	uint32_t len __rte_unused)
{
	ep->on_recv = NULL;
	if (rte_comch_conn_recv_hold_set(conn, true) != 0)
		test_fail("messages cannot be held back");
}

enum { STAYS, REFUSES, FAILS };

/*
 * The answer was that both are taken, and then the first has the second held back. It waits,
 * also when the peer is gone; but not for a device that has failed.
 */
static int
held_behind_bye(int what)
{
	server->on_recv = recv_and_hold;
	hostile.no_rtu = what == REFUSES; /* then it may still refuse what it was answered */
	TEST_CALL(connected(PEER_QUEUE));
	TEST_CALL(send_batch(two_and_bye));
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_BYE) == 1 && server->nb_recv == 1,
			TEST_MS);
	TEST_EXPECT(hostile.last_of[BF_WIRE_BYE].hdr.credits, 2);
	if (what == FAILS) {
		TEST_EXPECT(test_model_ctl(&model, "fault " CARD " nic-state 1"), 0);
		PEER_WAIT(&hostile, server->nb_disconnects == 1, TEST_MS);
		TEST_EXPECT(server->nb_recv, 1);
		return test_log_passed();
	}
	if (what == REFUSES)
		TEST_EXPECT(bf_cm_reject(hostile.id, 0, NULL, 0), 0);
	/* by then the end of the handshake is over as well */
	test_progress_ms(1000);
	TEST_EXPECT(server->nb_disconnects, 0);
	TEST_EXPECT(server->nb_recv, 1);
	TEST_EXPECT(rte_comch_conn_recv_hold_set(server->conn, false), 0);
	PEER_WAIT(&hostile, server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(server->nb_recv, 2);
	TEST_EXPECT(server->disconnect_status, 0);
	return test_log_passed();
}

/* One that does not ask: all that came before is taken. */
static int
test_bye_tells(void)
{
	bye_flags = 0;
	TEST_CALL(connected(PEER_QUEUE));
	TEST_CALL(send_batch(two_and_bye));
	PEER_WAIT(&hostile, server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(server->nb_recv, 2);
	TEST_EXPECT(peer_count(&hostile, BF_WIRE_BYE), 0);
	return test_log_passed();
}

/* The answer was that none is taken: none is, although they are not held back any more. */
static int
test_held_before_bye(void)
{
	const struct bf_ctrl_conn *cc;

	TEST_CALL(connected(PEER_QUEUE));
	cc = bf_ctrl_of(bf_chan_of(server->conn));
	TEST_EXPECT(rte_comch_conn_recv_hold_set(server->conn, true), 0);
	TEST_CALL(send_batch(two_and_bye));
	TEST_WAIT(cc->tx.bye, TEST_MS);
	TEST_EXPECT(rte_comch_conn_recv_hold_set(server->conn, false), 0);
	PEER_WAIT(&hostile, server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(hostile.last_of[BF_WIRE_BYE].hdr.credits, 0);
	TEST_EXPECT(server->nb_recv, 0);
	return test_log_passed();
}

/* The peer dies before it has the answer: nothing is handed up that it knows as lost. */
static int
test_bye_dies(void)
{
	TEST_CALL(connected(PEER_QUEUE));
	TEST_CALL(send_batch(two_and_bye));
	TEST_EXPECT(bf_qp_to_error(&hostile.qp), 0);
	PEER_WAIT(&hostile, server->nb_disconnects == 1, DEATH_MS);
	TEST_EXPECT(server->nb_recv, 0);
	return test_log_passed();
}

/* The peer gives up what it has asked about, and its device lives: the same. */
static int
test_bye_too_late(void)
{
	TEST_CALL(connected(PEER_QUEUE));
	TEST_WAIT(!event_waits(), TEST_MS);
	TEST_CALL(send_batch(two_and_bye));
	TEST_EXPECT(bf_cm_disconnect(hostile.id, -ETIMEDOUT), 0);
	TEST_UNTIL(event_waits(), (peer_poll(&hostile), 0), TEST_MS);
	PEER_WAIT(&hostile, server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(server->nb_recv, 0);
	return test_log_passed();
}

/* One that says nothing, and firmware that does not stop the queue pair: it ends all the same. */
static int
test_bye_not_flushed(void)
{
	TEST_CALL(connected(PEER_QUEUE));
	TEST_EXPECT(test_send_pattern(server->conn, 8, 1), 0);
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_DATA) == 1, TEST_MS);
	/* 2ERR_QP */
	TEST_EXPECT(test_model_ctl(&model, "fault " CARD " cmd opcode=0x507 status=8"), 0);
	TEST_EXPECT(rte_comch_server_disconnect(server->conn), 0);
	PEER_WAIT(&hostile, server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(server->nb_failed, 1);
	TEST_EXPECT(test_model_ctl(&model, "fault " CARD " clear"), 0);
	return test_log_passed();
}

/* One that takes a message from time to time does not keep the end from coming. */
static int
test_takes_slowly(void)
{
	uint64_t next = 0, deadline;
	struct bf_ctrl_conn *cc;
	uint32_t i;

	TEST_CALL(connected(NB_SLOW));
	cc = bf_ctrl_of(bf_chan_of(server->conn));
	for (i = 0; i < NB_SLOW; i++)
		TEST_EXPECT(test_send_pattern(server->conn, 8, i), 0);
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_DATA) == NB_SLOW, TEST_MS);
	TEST_EXPECT(rte_comch_server_disconnect(server->conn), 0);
	/* each message that it takes gives it more time, up to a limit */
	deadline = cc->deadline;
	hostile.hdr.credits = 1;
	TEST_CALL(peer_send(&hostile, BF_WIRE_PING, NULL, 0));
	PEER_WAIT(&hostile, server->nb_disconnects == 1 || cc->tx.done == 1, TEST_MS);
	TEST_TRUE(server->nb_disconnects == 1 || cc->deadline > deadline);
	for (i = 2; i <= NB_SLOW && server->nb_disconnects == 0; i++) {
		hostile.hdr.credits = i;
		TEST_CALL(peer_send(&hostile, BF_WIRE_PING, NULL, 0));
		next = test_now_ns() + BF_CTRL_BYE_MS / 3 * 1000000ull;
		PEER_WAIT(&hostile, server->nb_disconnects == 1 || test_now_ns() > next, TEST_MS);
	}
	TEST_EXPECT(server->nb_disconnects, 1);
	TEST_TRUE(server->nb_done > 0 && server->nb_failed > 0);
	TEST_EXPECT(server->nb_done + server->nb_failed, NB_SLOW);
	return test_log_passed();
}

/* A peer that does not say which CREDITs it has seen gets no more than it has room for. */
static int
test_credits_unseen(void)
{
	const uint32_t window = bf_wire_credit_window(PEER_QUEUE);
	uint32_t i;

	/* the size of its own queue has nothing to do with it */
	TEST_CALL(connected(2));
	for (i = 1; i <= window + PEER_QUEUE / 2; i++) {
		hostile.hdr.credits_seen = 0;
		TEST_CALL(peer_send(&hostile, BF_WIRE_DATA, "word", 4));
		PEER_WAIT(&hostile, server->nb_recv == i && peer_count(&hostile, BF_WIRE_CREDIT) >=
			RTE_MIN(i, window), TEST_MS);
	}
	test_progress_ms(50);
	peer_poll(&hostile);
	TEST_EXPECT(peer_count(&hostile, BF_WIRE_CREDIT), window);
	TEST_EXPECT(server->nb_disconnects, 0);
	return test_log_passed();
}

/*
 * Requests
 */

/* A peer of a later release that speaks ours as well. */
static int
test_newer_versions(void)
{
	const struct bf_wire_rep *rep = (const struct bf_wire_rep *)(const void *)hostile.priv;

	TEST_CALL(ask(PEER_QUEUE, UINT8_MAX));
	PEER_WAIT(&hostile, hostile.seen[BF_CM_REP] != 0 && server->nb_connects == 1, TEST_MS);
	TEST_EXPECT(rep->version, BF_WIRE_VERSION_MAX);
	return test_log_passed();
}

/* The server stops when a request for it has come, and has not looked at it yet. */
static int
test_server_stops(void)
{
	const struct bf_wire_rej *rej = (const struct bf_wire_rej *)(const void *)hostile.priv;

	TEST_CALL(ask(PEER_QUEUE, BF_WIRE_VERSION_MAX));
	TEST_UNTIL(event_waits(), (peer_poll(&hostile), 0), TEST_MS);
	TEST_CALL(test_stop(server));
	PEER_WAIT(&hostile, hostile.seen[BF_CM_FAILED] != 0, TEST_MS);
	TEST_EXPECT(rej->reason, -ENOENT);
	TEST_EXPECT(server->nb_connects, 0);
	return test_log_passed();
}

/* The same, and its engine goes as well. */
static int
test_engine_goes(void)
{
	const struct bf_wire_rej *rej = (const struct bf_wire_rej *)(const void *)hostile.priv;
	const struct rte_comch_pe_conf conf = { .socket_id = -1, .max_tasks = 256 };
	struct bf_chan_dev *cd = bf_chan_dev_of(group_dev_of((int16_t)card_dev));
	struct rte_comch_pe *pe;
	struct bf_wire_req req;
	struct test_ep *other;

	TEST_EXPECT(rte_comch_pe_create(&conf, &pe), 0);
	other = test_server_run("other", pe);
	peer_req(&req, "other");
	TEST_CALL(peer_connect(&hostile, card_mac, &req, sizeof(req)));
	TEST_UNTIL(event_waits(), (peer_poll(&hostile), 0), TEST_MS);
	TEST_CALL(test_ep_close(other));
	TEST_EXPECT(rte_comch_pe_destroy(pe), 0);
	PEER_WAIT(&hostile, hostile.seen[BF_CM_FAILED] != 0, TEST_MS);
	TEST_EXPECT(rej->reason, -ENOENT);
	TEST_EXPECT(cd->nb_conns, 0);
	return test_log_passed();
}

/* A client that is not ready gets no message, and may still refuse what it was answered. */
static int
test_not_ready(void)
{
	const struct bf_ctrl_conn *cc;
	struct bf_cm_stats stats;
	uint32_t i;

	hostile.no_rtu = true;
	TEST_CALL(connected(PEER_QUEUE));
	cc = bf_ctrl_of(bf_chan_of(server->conn));
	PEER_WAIT(&hostile, cc->has_queues, TEST_MS);
	TEST_EXPECT(test_send_pattern(server->conn, 8, 1), 0);
	for (i = 0; i < 20; i++) {
		test_progress_ms(1);
		peer_poll(&hostile);
	}
	TEST_EXPECT(cc->tx.data, 0);
	TEST_EXPECT(peer_count(&hostile, BF_WIRE_DATA), 0);
	/* as one whose connection is of a life before: there is nothing to try again */
	TEST_EXPECT(bf_cm_reject(hostile.id, -ESTALE, NULL, 0), 0);
	PEER_WAIT(&hostile, server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(server->disconnect_status, -ECONNRESET);
	TEST_EXPECT(server->nb_failed, 1);
	test_progress_ms(20);
	bf_cm_stats(group_dev_of((int16_t)card_dev)->cm, &stats);
	TEST_EXPECT(stats.tx[BF_MAD_REQ - BF_MAD_FIRST], 0);
	return test_log_passed();
}

/* The last message has come, and then the peer goes without a BYE. */
static int
test_leaves_without_bye(void)
{
	static const uint8_t one[MAX_BATCH] = { BF_WIRE_DATA };

	TEST_CALL(connected(PEER_QUEUE));
	TEST_WAIT(!event_waits(), TEST_MS);
	TEST_CALL(send_batch(one));
	TEST_EXPECT(bf_cm_disconnect(hostile.id, 0), 0);
	TEST_UNTIL(event_waits(), (peer_poll(&hostile), 0), TEST_MS);
	PEER_WAIT(&hostile, server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(server->nb_recv, 1);
	TEST_EXPECT(server->disconnect_status, -ECONNRESET);
	return test_log_passed();
}

/* The device is reset while a request waits: nothing is left that has objects of before. */
static int
test_reset_with_request(void)
{
	const struct bf_chan_dev *cd = bf_chan_dev_of(group_dev_of((int16_t)card_dev));

	TEST_CALL(ask(PEER_QUEUE, BF_WIRE_VERSION_MAX));
	TEST_UNTIL(event_waits(), (peer_poll(&hostile), 0), TEST_MS);
	TEST_EXPECT(rte_comch_ctx_stop(server->ctx), 0);
	TEST_EXPECT(rte_comch_dev_reset((int16_t)card_dev), 0);
	TEST_EXPECT(cd->nb_conns, 0);
	TEST_EXPECT(rte_comch_ctx_start(server->ctx), 0);
	TEST_CALL(connected(PEER_QUEUE));
	return test_log_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "messages of BlueField peers when this side changes its mind",
	.unit_test_cases = {
		TEST_CASE_ARG(setup, teardown, "test_end_in_send", end_in_callback, IN_SEND),
		TEST_CASE_ARG(setup, teardown, "test_end_in_consumer", end_in_callback,
			IN_CONSUMER),
		TEST_CASE_ARG(setup, teardown, "test_end_in_recv", end_in_callback, IN_RECV),
		TEST_CASE_ARG(setup, teardown, "test_end_in_last", end_in_callback, IN_LAST),
		TEST_CASE_ST(setup, teardown, test_bye_tells),
		TEST_CASE_ST(setup, teardown, test_held_before_bye),
		TEST_CASE_ARG(setup, teardown, "test_held_behind_bye", held_behind_bye, STAYS),
		TEST_CASE_ARG(setup, teardown, "test_held_and_left", held_behind_bye, REFUSES),
		TEST_CASE_ARG(setup, teardown, "test_held_and_failed", held_behind_bye, FAILS),
		TEST_CASE_ST(setup, teardown, test_bye_dies),
		TEST_CASE_ST(setup, teardown, test_bye_too_late),
		TEST_CASE_ST(setup, teardown, test_bye_not_flushed),
		TEST_CASE_ST(setup, teardown, test_takes_slowly),
		TEST_CASE_ST(setup, teardown, test_credits_unseen),
		TEST_CASE_ST(setup, teardown, test_newer_versions),
		TEST_CASE_ST(setup, teardown, test_server_stops),
		TEST_CASE_ST(setup, teardown, test_engine_goes),
		TEST_CASE_ST(setup, teardown, test_not_ready),
		TEST_CASE_ST(setup, teardown, test_leaves_without_bye),
		TEST_CASE_ST(setup, teardown, test_reset_with_request),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(bluefield_chan_turn_autotest, unit_test_suite_runner, &suite)
