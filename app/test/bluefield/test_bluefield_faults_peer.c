/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Producers of the bluefield driver, and consumers that the test plays: those that tell of
 * posts that they do not have, that go while something is under way, or do not answer. A
 * producer's messages end in bounded time, and so does its stop.
 */

#include "test_bluefield_peer.h"

#define CARD "ecpf0vf0"
#define HOSTILE "pf0vf0"
#define CARD_MAC "02:c0:3c:00:03:10"
#define HOSTILE_MAC "02:c0:3c:00:03:11"

#define CONSUMER 7u
#define POSTS 16u
#define BUF 64u
#define PSN 0x4321u
/* Much less than a limit of time that something hangs until, on a machine with much to do. */
#define SOON_MS 20000

static const uint8_t card_mac[] = { 0x02, 0xc0, 0x3c, 0x00, 0x03, 0x10 };
static struct peer hostile;
static int card_dev;
static long card_objects;
static struct test_ep *server;

/* The consumer's end of a pair. */
static struct {
	bool up;
	struct bf_cq hw_cq;
	struct bf_qp qp;
	struct bf_compq cq;
	struct bf_sendq sq;
	struct bf_recvq rq;
	uint32_t pair;
	uint32_t received;
} end;

static struct rte_comch_pe *pe; /* of the server and the producer */
static struct rte_comch_mem *mem;
static struct rte_comch_ctx *producer;

static int
setup(void)
{
	const struct rte_comch_server_conf conf = {
		.ctrl.max_msg_size = PEER_MSG_SIZE,
		.ctrl.recv_queue_size = PEER_QUEUE,
	};
	struct bf_wire_req req;

	mem = NULL;
	producer = NULL;
	memset(&end, 0, sizeof(end));
	memset(&hostile, 0, sizeof(hostile));
	TEST_CALL(test_log_begin());
	TEST_CALL(test_model_start(&model, "--latency=0.1 " CARD ",flr_ms=1,mac=" CARD_MAC " "
		HOSTILE ",flr_ms=1,mac=" HOSTILE_MAC));
	TEST_CALL(test_model_allow(&model, CARD, HOSTILE));
	card_dev = test_model_dev_add(&model, CARD, "role=dpu,functions=" HOSTILE "@" HOSTILE_MAC);
	TEST_TRUE(card_dev >= 0);
	card_objects = test_model_state(&model, CARD, "objects");
	test_pair.dpu = (int16_t)card_dev;
	test_pair.rep = 0;
	TEST_CALL(peer_open(&hostile, HOSTILE, false));
	pe = test_pe_new();
	server = test_server_run_conf(&conf, pe);
	peer_req(&req, "test");
	TEST_CALL(peer_connect(&hostile, card_mac, &req, sizeof(req)));
	PEER_WAIT(&hostile, hostile.seen[BF_CM_REP] != 0 && server->conn != NULL, SOON_MS);
	return TEST_SUCCESS;
}

static void
end_close(void)
{
	if (!end.up)
		return;
	bf_qp_to_reset(&end.qp);
	bf_qp_destroy(&end.qp);
	bf_cq_destroy(&end.hw_cq);
	bf_sendq_fini(&end.sq);
	end.up = false;
}

static void
teardown(void)
{
	uint64_t limit = test_now_ns() + SOON_MS * UINT64_C(1000000);

	if (producer != NULL && rte_comch_ctx_state_get(producer) == RTE_COMCH_STATE_RUNNING)
		rte_comch_ctx_stop(producer);
	while (producer != NULL && rte_comch_ctx_state_get(producer) != RTE_COMCH_STATE_IDLE &&
			test_now_ns() < limit)
		test_progress();
	if (producer != NULL && rte_comch_ctx_destroy(producer) != 0)
		test_fail("the producer cannot be destroyed");
	if (mem != NULL && rte_comch_mem_free(mem) != 0)
		test_fail("the region cannot be freed");
	end_close();
	peer_close(&hostile);
	test_cleanup();
	if (model.nb_devs > 0 && (test_model_devs_remove(&model) != TEST_SUCCESS ||
			test_model_state(&model, CARD, "given") != 0))
		test_fail("firmware still has pages");
	test_model_teardown();
}

static int
hostile_says(uint8_t type, const void *msg)
{
	return peer_send(&hostile, type, msg, bf_wire_ctl_len(type));
}

/* The last message of a type; there is one. */
static const void *
hostile_heard(uint8_t type)
{
	unsigned int i = RTE_MIN(hostile.nb_rx, (unsigned int)PEER_MSGS);

	while (i-- > 0)
		if (hostile.rx[i].hdr.type == type)
			return hostile.rx[i].data;
	test_fail("no message of type %u has come", type);
	return hostile.rx[0].data;
}

static const struct rte_comch_producer_conf bursts = { .nb_sends = POSTS };

/* A consumer of the peer, and a producer for it. */
static int
producer_up(const struct rte_comch_producer_conf *conf)
{
	const struct bf_wire_consumer_new new = {
		.consumer = CONSUMER, .buf_size = BUF, .posts = POSTS,
	};

	TEST_CALL(hostile_says(BF_WIRE_CONSUMER_NEW, &new));
	PEER_WAIT(&hostile,
			server->nb_new == 1 && peer_count(&hostile, BF_WIRE_CONSUMER_ANSWER) == 1,
		SOON_MS);
	TEST_EXPECT(rte_comch_mem_alloc((int16_t)card_dev, BUF, 0, &mem), 0);
	TEST_EXPECT(rte_comch_producer_create(server->conn, conf, &producer), 0);
	TEST_EXPECT(rte_comch_ctx_attach(producer, pe), 0);
	TEST_EXPECT(rte_comch_ctx_start(producer), 0);
	return TEST_SUCCESS;
}

static uint16_t
send_one(void)
{
	const struct rte_comch_send msg = {
		.addr = rte_comch_mem_addr(mem), .len = BUF, .mem = mem,
	};

	return rte_comch_producer_send_burst(producer, CONSUMER, &msg, 1);
}

static int
send_reason(void)
{
	struct rte_comch_room room;
	int ret = rte_comch_queue_room_get(producer, CONSUMER, &room);

	return ret != 0 ? ret : room.reason;
}

static void
end_post(void)
{
	const struct bf_sge sge = { (uintptr_t)hostile.mem->addr, BUF, hostile.mkey.key };

	bf_recvq_post(&end.rq, &sge, 1);
	bf_recvq_ring(&end.rq);
}

static void
end_poll(void)
{
	const struct bf_cqe *cqe;

	while (end.up && (cqe = bf_compq_next(&end.cq)) != NULL) {
		if (bf_cqe_opcode(cqe) == BF_CQE_RESP_SEND_IMM)
			end.received++;
		bf_compq_commit(&end.cq);
	}
}

/* The peer's queue pair for a pair that was asked for. */
static int
end_open(const struct bf_wire_pair_open *open)
{
	const struct bf_cq_attr cq = { .nb_cqes = 64, .uar = &hostile.uar };
	const struct bf_qp_attr qp = {
		.pd = &hostile.pd, .uar = &hostile.uar, .cq_send = &end.hw_cq,
		.cq_recv = &end.hw_cq, .nb_sq_blocks = 16, .nb_rq_wqes = POSTS,
		.rq_wqe_size = BF_WQE_SEG, .user_index = UINT32_MAX,
	};
	struct bf_qp_path path = { .min_rnr_nak = 12 };

	TEST_EXPECT(bf_cq_create(hostile.objs, &cq, &end.hw_cq), 0);
	TEST_EXPECT(bf_qp_create(hostile.objs, &qp, &end.qp), 0);
	end.up = true;
	TEST_EXPECT(bf_compq_init(&end.cq, &end.hw_cq, &hostile.uar), 0);
	TEST_EXPECT(bf_sendq_init(&end.sq, &end.qp, &hostile.uar), 0);
	TEST_EXPECT(bf_recvq_init(&end.rq, &end.qp), 0);
	TEST_EXPECT(bf_qp_to_init(&end.qp), 0);
	bf_cm_path(hostile.id, &hostile.own, &path);
	path.remote_qpn = open->qpn;
	path.remote_psn = open->psn;
	path.local_psn = PSN;
	TEST_EXPECT(bf_qp_to_rtr(&end.qp, &path), 0);
	TEST_EXPECT(bf_qp_to_rts(&end.qp, &path), 0);
	end.pair = open->pair;
	return TEST_SUCCESS;
}

static int
pair_asked(void)
{
	TEST_EXPECT(send_one(), 0);
	TEST_EXPECT(send_reason(), -EAGAIN);
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_OPEN) == 1, SOON_MS);
	return TEST_SUCCESS;
}

/* The consumer says that the pair which was asked for last is there, and that it has posts. */
static int
pair_answer(void)
{
	struct bf_wire_pair_ready ready = { .psn = PSN, .credits = POSTS };
	struct bf_wire_pair_open open;

	memcpy(&open, hostile_heard(BF_WIRE_PAIR_OPEN), sizeof(open));
	TEST_EXPECT(open.consumer, CONSUMER);
	TEST_CALL(end_open(&open));
	ready.pair = open.pair;
	ready.qpn = end.qp.obj.id;
	return hostile_says(BF_WIRE_PAIR_READY, &ready);
}

/* A pair, to a consumer without posts. */
static int
pair_up(void)
{
	TEST_CALL(producer_up(&bursts));
	TEST_CALL(pair_asked());
	TEST_CALL(pair_answer());
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_GO) == 1, SOON_MS);
	PEER_WAIT(&hostile, rte_comch_producer_credits(producer, CONSUMER) == POSTS, SOON_MS);
	return TEST_SUCCESS;
}

/* Nothing of it arrives, for there is no post. */
static int
send_in_vain(uint32_t nb)
{
	struct rte_comch_cpl cpl;
	uint64_t limit;
	uint32_t i;

	for (i = 0; i < nb; i++)
		TEST_EXPECT(send_one(), 1);
	limit = test_now_ns() + UINT64_C(500000000);
	while (test_now_ns() < limit) {
		peer_poll(&hostile);
		end_poll();
		test_progress();
		TEST_EXPECT(rte_comch_queue_poll_burst(producer, &cpl, 1), 0);
	}
	TEST_EXPECT(end.received, 0);
	TEST_EXPECT(rte_comch_ctx_state_get(producer), RTE_COMCH_STATE_RUNNING);
	return TEST_SUCCESS;
}

/* The control path does not wait for the fast one. */
static int
expect_alive(void)
{
	unsigned int before = peer_count(&hostile, BF_WIRE_DATA);

	TEST_EXPECT(server->nb_disconnects, 0);
	TEST_EXPECT(test_send_pattern(server->conn, 8, 1), 0);
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_DATA) == before + 1, SOON_MS);
	return TEST_SUCCESS;
}

static int
expect_stopped(void)
{
	int ret = rte_comch_ctx_stop(producer);

	TEST_TRUE(ret == 0 || ret == -EINPROGRESS);
	PEER_WAIT(&hostile, rte_comch_ctx_state_get(producer) == RTE_COMCH_STATE_IDLE, SOON_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(producer), 0);
	return TEST_SUCCESS;
}

/* So many sends have ended, all with this status. */
static int
expect_sent(uint32_t nb, int status)
{
	struct rte_comch_cpl cpls[POSTS];
	uint32_t ended = 0;
	uint16_t i, n;

	PEER_WAIT(&hostile, (n = rte_comch_queue_poll_burst(producer, cpls, RTE_DIM(cpls))) != 0,
		SOON_MS);
	do {
		for (i = 0; i < n; i++)
			TEST_EXPECT(cpls[i].status, status);
		ended += n;
		n = rte_comch_queue_poll_burst(producer, cpls, RTE_DIM(cpls));
	} while (n != 0);
	TEST_EXPECT(ended, nb);
	return TEST_SUCCESS;
}

static int
passed(void)
{
	TEST_EXPECT(rte_comch_ctx_destroy(producer), 0);
	producer = NULL;
	TEST_EXPECT(rte_comch_mem_free(mem), 0);
	mem = NULL;
	end_close();
	peer_close(&hostile);
	test_cleanup();
	TEST_WAIT(test_model_state(&model, CARD, "objects") == card_objects, SOON_MS);
	return test_log_passed();
}

/* It sends again without end; when there are posts, all arrives. */
static int
test_posts_late(void)
{
	uint32_t i;

	TEST_CALL(pair_up());
	TEST_CALL(send_in_vain(4));
	for (i = 0; i < 4; i++)
		end_post();
	PEER_WAIT(&hostile, (end_poll(), end.received == 4), SOON_MS);
	TEST_CALL(expect_sent(4, 0));
	TEST_CALL(expect_stopped());
	return passed();
}

static uint32_t nb_ended;

static void
task_ended(struct rte_comch_task *task, int status, void *user_data __rte_unused)
{
	if (status != -ECANCELED)
		test_fail("a task ended with %d", status);
	nb_ended++;
	rte_comch_task_free(task);
}

/*
 * And if there never are, the producer's stop ends it: each task is told that its message was
 * taken away.
 */
static int
test_no_posts(void)
{
	const struct rte_comch_producer_conf conf = {
		.nb_sends = POSTS, .nb_tasks = POSTS, .send_cb = task_ended,
	};
	struct rte_comch_send send = { .len = BUF };
	struct rte_comch_task *tasks[4];
	uint64_t start;
	uint32_t i;

	TEST_CALL(producer_up(&conf));
	send.addr = rte_comch_mem_addr(mem);
	send.mem = mem;
	for (i = 0; i < RTE_DIM(tasks); i++)
		TEST_EXPECT(rte_comch_producer_task_alloc(producer, CONSUMER, &send, &tasks[i]),
				0);
	TEST_EXPECT(rte_comch_task_submit(tasks[0]), -EAGAIN);
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_OPEN) == 1, SOON_MS);
	TEST_CALL(pair_answer());
	PEER_WAIT(&hostile, rte_comch_task_submit_burst(tasks, RTE_DIM(tasks), 0) != 0, SOON_MS);
	TEST_CALL(expect_alive());
	nb_ended = 0;
	start = test_now_ns();
	TEST_CALL(expect_stopped());
	test_note("stopped after %u ms", (unsigned int)((test_now_ns() - start) / 1000000));
	TEST_EXPECT(nb_ended, RTE_DIM(tasks));
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_CLOSE) == 1, SOON_MS);
	TEST_CALL(expect_alive());
	return passed();
}

static int
hostile_goes(uint32_t msgs)
{
	const struct bf_wire_consumer_gone gone = { .consumer = CONSUMER };
	const struct bf_wire_consumer_answer *answer;

	TEST_CALL(hostile_says(BF_WIRE_CONSUMER_GONE, &gone));
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_CONSUMER_ANSWER) == 2, SOON_MS);
	answer = hostile_heard(BF_WIRE_CONSUMER_ANSWER);
	TEST_EXPECT(answer->to, BF_WIRE_CONSUMER_GONE);
	TEST_EXPECT(answer->status, 0);
	TEST_EXPECT(answer->msgs, msgs);
	return TEST_SUCCESS;
}

/* The consumer goes: what has not arrived soon has failed, and nothing waits for it. */
static int
test_no_posts_and_gone(void)
{
	uint64_t start;

	TEST_CALL(pair_up());
	TEST_CALL(send_in_vain(4));
	start = test_now_ns();
	TEST_CALL(hostile_goes(4));
	TEST_EXPECT(send_one(), 0);
	TEST_EXPECT(send_reason(), -ENOENT);
	TEST_CALL(expect_sent(4, -ECONNRESET));
	test_note("ended after %u ms", (unsigned int)((test_now_ns() - start) / 1000000));
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_CLOSE) == 1, SOON_MS);
	TEST_CALL(expect_alive());
	TEST_EXPECT(rte_comch_ctx_state_get(producer), RTE_COMCH_STATE_RUNNING);
	TEST_CALL(expect_stopped());
	return passed();
}

/* The queue pair of the other side answers nothing, but the connection's does. */
static int
test_silent_pair(void)
{
	uint32_t i;

	TEST_CALL(pair_up());
	TEST_EXPECT(bf_qp_to_reset(&end.qp), 0);
	for (i = 0; i < 4; i++)
		TEST_EXPECT(send_one(), 1);
	PEER_WAIT(&hostile, server->nb_disconnects == 1, SOON_MS);
	TEST_EXPECT(server->disconnect_status, -ECONNRESET);
	TEST_TRUE(test_log_has("cannot reach consumer"));
	PEER_WAIT(&hostile, rte_comch_ctx_state_get(producer) == RTE_COMCH_STATE_IDLE, SOON_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(producer), -ECONNRESET);
	return passed();
}

/* The consumer goes before its side of the pair is there. */
static int
test_gone_before_ready(void)
{
	struct bf_wire_pair_ready ready = { .status = -ENOENT };
	const struct bf_wire_pair_open *open;
	struct bf_wire_pair closed = { 0 };

	TEST_CALL(producer_up(&bursts));
	TEST_CALL(pair_asked());
	TEST_CALL(hostile_goes(0));
	open = hostile_heard(BF_WIRE_PAIR_OPEN);
	ready.pair = closed.pair = open->pair;
	/* this crosses the end of the pair on the way */
	TEST_CALL(hostile_says(BF_WIRE_PAIR_READY, &ready));
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_CLOSE) == 1, SOON_MS);
	TEST_CALL(hostile_says(BF_WIRE_PAIR_CLOSED, &closed));
	TEST_EXPECT(send_one(), 0);
	TEST_EXPECT(send_reason(), -ENOENT);
	TEST_CALL(expect_alive());
	TEST_CALL(expect_stopped());
	return passed();
}

/* Pairs were asked for so often, or there are so many credits. */
static bool
has_come(unsigned int nb_asked, uint32_t credits)
{
	peer_poll(&hostile);
	return peer_count(&hostile, BF_WIRE_PAIR_OPEN) >= nb_asked &&
		rte_comch_producer_credits(producer, CONSUMER) >= credits;
}

/* One is refused, now and once more: the producer that waits does not have to try again. */
static int
test_pair_refused(void)
{
	struct bf_wire_pair_ready ready = { .status = -EAGAIN };
	const struct bf_wire_pair_open *open;
	struct bf_wire_pair closed = { 0 };
	unsigned int i;

	TEST_CALL(producer_up(&bursts));
	TEST_CALL(pair_asked());
	for (i = 1; i <= 2; i++) {
		open = hostile_heard(BF_WIRE_PAIR_OPEN);
		ready.pair = closed.pair = open->pair;
		TEST_CALL(hostile_says(BF_WIRE_PAIR_READY, &ready));
		TEST_SLEEP_UNTIL(has_come(i + 1, 0), pe, SOON_MS);
		PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_CLOSE) == i, SOON_MS);
		TEST_CALL(hostile_says(BF_WIRE_PAIR_CLOSED, &closed));
	}
	TEST_CALL(pair_answer());
	TEST_SLEEP_UNTIL(has_come(3, POSTS), pe, SOON_MS);
	end_post();
	TEST_EXPECT(send_one(), 1);
	TEST_CALL(expect_sent(1, 0));
	TEST_CALL(expect_stopped());
	return passed();
}

/* It never answers about the pair: the producer has no credits, and can be stopped. */
static int
test_pair_unanswered(void)
{
	TEST_CALL(producer_up(&bursts));
	TEST_CALL(pair_asked());
	test_progress_ms(200);
	TEST_EXPECT(send_one(), 0);
	TEST_EXPECT(send_reason(), -EAGAIN);
	TEST_CALL(expect_stopped());
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_PAIR_CLOSE) == 1, SOON_MS);
	TEST_CALL(expect_alive());
	return passed();
}

static struct unit_test_suite suite = {
	.suite_name = "producers of BlueField and consumers that fail",
	.unit_test_cases = {
		TEST_CASE_ST(setup, teardown, test_posts_late),
		TEST_CASE_ST(setup, teardown, test_no_posts),
		TEST_CASE_ST(setup, teardown, test_no_posts_and_gone),
		TEST_CASE_ST(setup, teardown, test_silent_pair),
		TEST_CASE_ST(setup, teardown, test_gone_before_ready),
		TEST_CASE_ST(setup, teardown, test_pair_refused),
		TEST_CASE_ST(setup, teardown, test_pair_unanswered),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(bluefield_faults_peer_autotest, unit_test_suite_runner, &suite)
