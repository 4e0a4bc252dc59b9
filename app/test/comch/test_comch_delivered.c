/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What send tasks end with when their connection ends: 0 if the peer has taken the
 * message, and why not if it has not. The engines of the two sides are turned one by
 * one, so that the peer has taken as many as the case wants; or both, where a stop
 * has to wait for the peer.
 */

#include "test_comch_place.h"
#include "test_comch_util.h"

#define NB_MSGS 32
/* A receive queue that holds fewer, so that some tasks wait for room. */
#define QUEUE_SIZE 8
#define MSG_SIZE 1000

/* The ends of the tasks of one side, in order. */
struct ends {
	unsigned int nb;
	int status[2 * NB_MSGS];
	bool inside;          /* a turn of its engine is under way */
	unsigned int outside; /* callbacks beside one */
};

struct side {
	struct rte_comch_pe *pe;
	struct test_ep *ep;
	struct ends ends;
};

static struct side card, host;

static void
note_end(struct test_ep *ep, struct rte_comch_task *task, int status)
{
	struct side *side = ep->arg;

	if (side->ends.nb < RTE_DIM(side->ends.status))
		side->ends.status[side->ends.nb] = status;
	side->ends.nb++;
	side->ends.outside += !side->ends.inside;
	rte_comch_task_free(task);
}

static int
turn(struct side *side)
{
	int ret;

	side->ends.inside = true;
	ret = rte_comch_pe_progress(side->pe);
	side->ends.inside = false;
	return ret;
}

static int
turn_both(void)
{
	return turn(&card) + turn(&host);
}

#define TURN_UNTIL(side, cond) TEST_UNTIL_TEXT(cond, #cond, turn(side), TEST_MS)
#define TURN_BOTH_UNTIL(cond) TEST_UNTIL_TEXT(cond, #cond, turn_both(), TEST_MS)

/* Both sides connected, each with a queue of its own. */
static int
sides_connect(void)
{
	const struct rte_comch_server_conf server_conf = {
		.ctrl.max_msg_size = MSG_SIZE,
		.ctrl.recv_queue_size = QUEUE_SIZE,
		.ctrl.nb_tasks = NB_MSGS,
		.ctrl.max_conn_tasks = NB_MSGS,
	};
	const struct rte_comch_client_conf client_conf = {
		.ctrl.max_msg_size = MSG_SIZE,
		.ctrl.recv_queue_size = QUEUE_SIZE,
		.ctrl.nb_tasks = NB_MSGS,
	};

	memset(&card, 0, sizeof(card));
	memset(&host, 0, sizeof(host));
	card.pe = test_pe_new();
	host.pe = test_pe_new();
	card.ep = test_server_run_conf(&server_conf, card.pe);
	host.ep = test_client_run_conf(&client_conf, host.pe);
	TEST_WAIT(host.ep->conn != NULL && card.ep->conn != NULL, TEST_MS);
	card.ep->on_send = host.ep->on_send = note_end;
	card.ep->arg = &card;
	host.ep->arg = &host;
	test_settle();
	return TEST_SUCCESS;
}

static int
send_some(struct side *from, unsigned int nb)
{
	static uint8_t msg[MSG_SIZE];
	struct rte_comch_task *task;

	for (; nb > 0; nb--) {
		TEST_EXPECT(rte_comch_conn_task_alloc(from->ep->conn, msg, sizeof(msg), &task),
				0);
		TEST_EXPECT(rte_comch_task_submit(task), 0);
	}
	return TEST_SUCCESS;
}

/* The peer takes the first of NB_MSGS messages, and the sender does not learn of it. */
static int
send_taken(struct side *from, struct side *to, unsigned int taken)
{
	/* the tasks have old numbers in them, as tasks have that were used before */
	TEST_CALL(send_some(from, NB_MSGS));
	TEST_WAIT(from->ends.nb == NB_MSGS && to->ep->nb_recv == NB_MSGS, TEST_MS);
	TEST_EXPECT(from->ends.status[NB_MSGS - 1], 0);
	test_settle();
	memset(&from->ends, 0, sizeof(from->ends));
	to->ep->nb_recv = 0;
	TEST_CALL(send_some(from, taken));
	TURN_UNTIL(to, to->ep->nb_recv == taken);
	TEST_CALL(send_some(from, NB_MSGS - taken));
	TEST_EXPECT(from->ends.nb, 0);
	return TEST_SUCCESS;
}

static int
check_ends(const struct side *side, unsigned int taken, int status)
{
	unsigned int i;

	TEST_EXPECT(side->ends.nb, NB_MSGS);
	for (i = 0; i < NB_MSGS; i++)
		TEST_ASSERT(side->ends.status[i] == (i < taken ? 0 : status),
				"%u were taken, task %u ended with %d", taken, i,
				side->ends.status[i]);
	TEST_EXPECT(side->ends.outside, 0);
	return TEST_SUCCESS;
}

static const unsigned int takens[] = { 0, 1, 5, QUEUE_SIZE };

/* Whoever stops has waited for what the peer had room for, and the rest has come nowhere. */
static int
check_stopped(const struct side *from, const struct side *to, unsigned int taken)
{
	unsigned int nb = to->ep->nb_recv;

	TEST_ASSERT(nb >= RTE_MAX(taken, (unsigned int)QUEUE_SIZE) && nb < NB_MSGS,
			"after %u, %u were taken", taken, nb);
	return check_ends(from, nb, -ECANCELED);
}

/* One side ends the connection, by itself or as the server, before the peer has all. */
static int
check_end(struct side *from, struct side *to, int (*end)(void), int ret)
{
	unsigned int i;

	for (i = 0; i < RTE_DIM(takens); i++) {
		TEST_CALL(sides_connect());
		TEST_CALL(send_taken(from, to, takens[i]));
		TEST_EXPECT(end(), ret);
		TEST_EXPECT(from->ends.nb, 0);
		TURN_BOTH_UNTIL(test_state(host.ep) == RTE_COMCH_STATE_IDLE &&
				card.ep->nb_disconnects == 1);
		TEST_CALL(check_stopped(from, to, takens[i]));
		if (from == &host)
			TEST_EXPECT(rte_comch_ctx_reason_get(host.ep->ctx), 0);
		test_cleanup();
	}
	return TEST_SUCCESS;
}

static int
client_stop(void)
{
	return rte_comch_ctx_stop(host.ep->ctx);
}

static int
server_disconnect(void)
{
	return rte_comch_server_disconnect(card.ep->conn);
}

static int
server_stop(void)
{
	return rte_comch_ctx_stop(card.ep->ctx);
}

static int
test_ends(void)
{
	TEST_CALL(check_end(&host, &card, client_stop, -EINPROGRESS));
	TEST_CALL(check_end(&card, &host, server_disconnect, 0));
	return check_end(&card, &host, server_stop, -EINPROGRESS);
}

/* A server answers and stops in its receive callback. */
static void
answer_and_stop(struct test_ep *ep, struct rte_comch_conn *conn, const void *msg, uint32_t len)
{
	struct rte_comch_task *task;
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (rte_comch_conn_task_alloc(conn, msg, len, &task) != 0 ||
				rte_comch_task_submit(task) != 0)
			return;
	ep->value = (uint64_t)(-rte_comch_ctx_stop(ep->ctx));
}

static int
test_answer_and_stop(void)
{
	TEST_CALL(sides_connect());
	card.ep->on_recv = answer_and_stop;
	TEST_CALL(send_some(&host, 1));
	TURN_BOTH_UNTIL(test_state(card.ep) == RTE_COMCH_STATE_IDLE &&
			test_state(host.ep) == RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(card.ep->value, EINPROGRESS);
	TEST_EXPECT(card.ends.nb, 2);
	TEST_TRUE(card.ends.status[0] == 0 && card.ends.status[1] == 0);
	TEST_EXPECT(host.ep->nb_recv, 2);
	return TEST_SUCCESS;
}

/* A stop does not wait for ever: what is told as lost is never delivered. */
static int
check_no_reader(struct side *from, struct side *to)
{
	TEST_CALL(sides_connect());
	TEST_CALL(send_taken(from, to, 5));
	TEST_EXPECT(rte_comch_ctx_stop(from->ep->ctx), -EINPROGRESS);
	TURN_UNTIL(from, test_state(from->ep) == RTE_COMCH_STATE_IDLE);
	TEST_CALL(check_ends(from, 5, -ECANCELED));
	test_progress_ms(50);
	TEST_EXPECT(to->ep->nb_recv, 5);
	TEST_TRUE(to->ep->conn == NULL || test_state(to->ep) == RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(rte_comch_ctx_reason_get(from->ep->ctx), 0);
	test_cleanup();
	return TEST_SUCCESS;
}

static int
test_no_reader(void)
{
	TEST_CALL(check_no_reader(&host, &card));
	return check_no_reader(&card, &host);
}

/* While the peer has one in its hands, the other side stops, and does not wait for it. */
static void
stop_other(struct test_ep *ep, struct rte_comch_conn *conn __rte_unused,
		const void *msg __rte_unused, uint32_t len __rte_unused)
{
	uint64_t limit = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	struct side *from = ep->arg == &card ? &host : &card;

	if (ep->nb_recv != ep->value || rte_comch_ctx_stop(from->ep->ctx) != -EINPROGRESS)
		return;
	while (test_state(from->ep) != RTE_COMCH_STATE_IDLE && test_now_ns() < limit)
		turn(from);
}

static int
check_stop_in_the_middle(struct side *from, struct side *to)
{
	unsigned int taken;

	TEST_CALL(sides_connect());
	TEST_CALL(send_taken(from, to, 2));
	to->ep->value = 5;
	to->ep->on_recv = stop_other;
	TURN_UNTIL(to, to->ep->conn == NULL || test_state(to->ep) == RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(test_state(from->ep), RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(to->ep->nb_recv, 5);
	for (taken = 0; taken < 5 && from->ends.status[taken] == 0; taken++)
		;
	/* a card tells of what was taken at the end of a turn */
	TEST_TRUE(taken == 5 || (test_place_is_bluefield() && taken >= 2));
	TEST_CALL(check_ends(from, taken, -ECANCELED));
	test_cleanup();
	return TEST_SUCCESS;
}

static int
test_stop_in_the_middle(void)
{
	TEST_CALL(check_stop_in_the_middle(&host, &card));
	return check_stop_in_the_middle(&card, &host);
}

/* Both stop at one time: nobody reads any more, and nobody waits. */
static int
test_both_stop(void)
{
	TEST_CALL(sides_connect());
	TEST_CALL(send_taken(&host, &card, 3));
	TEST_CALL(send_some(&card, 4));
	TEST_EXPECT(rte_comch_ctx_stop(host.ep->ctx), -EINPROGRESS);
	TEST_EXPECT(rte_comch_ctx_stop(card.ep->ctx), -EINPROGRESS);
	TURN_BOTH_UNTIL(test_state(card.ep) == RTE_COMCH_STATE_IDLE &&
			test_state(host.ep) == RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(card.ep->nb_recv, 3);
	TEST_EXPECT(host.ep->nb_recv, 0);
	TEST_CALL(check_ends(&host, 3, -ECANCELED));
	TEST_EXPECT(card.ends.nb, 4);
	TEST_EXPECT(card.ends.status[0], -ECANCELED);
	return TEST_SUCCESS;
}

/* The first task that ends stops its context: others were taken before, or are by then. */
static void
stop_at_first_end(struct test_ep *ep, struct rte_comch_task *task, int status)
{
	struct side *side = ep->arg;

	if (side->ends.nb == 0)
		rte_comch_ctx_stop(ep->ctx);
	note_end(ep, task, status);
}

static int
test_stop_in_send_callback(void)
{
	TEST_CALL(sides_connect());
	TEST_CALL(send_taken(&host, &card, 5));
	host.ep->on_send = stop_at_first_end;
	TURN_UNTIL(&host, test_state(host.ep) != RTE_COMCH_STATE_RUNNING);
	TURN_BOTH_UNTIL(test_state(host.ep) == RTE_COMCH_STATE_IDLE &&
			card.ep->nb_disconnects == 1);
	return check_stopped(&host, &card, 5);
}

/* The peer ends the connection when it has so many. */
static void
disconnect_at(struct test_ep *ep, struct rte_comch_conn *conn, const void *msg __rte_unused,
		uint32_t len __rte_unused)
{
	if (ep->nb_recv == ep->value)
		rte_comch_server_disconnect(conn);
}

static int
test_peer_disconnects(void)
{
	unsigned int at;

	for (at = 1; at <= QUEUE_SIZE; at++) {
		TEST_CALL(sides_connect());
		TEST_CALL(send_taken(&host, &card, 0));
		card.ep->value = at;
		card.ep->on_recv = disconnect_at;
		TURN_UNTIL(&card, card.ep->nb_disconnects == 1);
		TEST_EXPECT(card.ep->nb_recv, at);
		TURN_UNTIL(&host, test_state(host.ep) == RTE_COMCH_STATE_IDLE);
		TEST_CALL(check_ends(&host, at, -ECONNRESET));
		TEST_EXPECT(rte_comch_ctx_reason_get(host.ep->ctx), -ESHUTDOWN);
		test_cleanup();
	}
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: what tasks of a connection that ends tell",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, test_cleanup, test_ends),
		TEST_CASE_ST(NULL, test_cleanup, test_answer_and_stop),
		TEST_CASE_ST(NULL, test_cleanup, test_stop_in_send_callback),
		TEST_CASE_ST(NULL, test_cleanup, test_no_reader),
		TEST_CASE_ST(NULL, test_cleanup, test_stop_in_the_middle),
		TEST_CASE_ST(NULL, test_cleanup, test_both_stop),
		TEST_CASE_ST(NULL, test_cleanup, test_peer_disconnects),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_delivered_autotest, unit_test_suite_runner, &suite)
