/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Completions of control connections that no device can have written: between two drivers,
 * the test changes those that one of them has not seen yet. The connection ends, and nothing
 * else: the device goes on, and the peer is blamed for what only a peer can do. And commands
 * that firmware refuses, on the way to a connection and to the pair of a producer.
 */

#include "bluefield_chan_priv.h" /* check-ok: its layers are tested */
#include "test_bluefield_model.h"
#include "test_comch_fp_util.h"
#include "test_comch_util.h"

#define CARD "ecpf0vf0"
#define HOST "pf0vf0"
#define CARD_MAC "02:c0:3c:00:05:10"
#define HOST_MAC "02:c0:3c:00:05:11"
/* How long the end of a connection lasts for which the other side does nothing. */
#define END_MS 20000

static struct test_ep *server, *client;
static struct rte_comch_pe *server_pe, *client_pe;

static int
setup(void)
{
	TEST_CALL(test_log_begin());
	TEST_CALL(test_model_start(&model, "--latency=0.1 " CARD ",flr_ms=1,mac=" CARD_MAC " "
		HOST ",flr_ms=1,mac=" HOST_MAC));
	TEST_CALL(test_model_allow(&model, CARD, HOST));
	test_pair.dpu = test_model_dev_add(&model, CARD,
		"role=dpu,functions=" HOST "@" HOST_MAC);
	test_pair.host = test_model_dev_add(&model, HOST,
		"role=host,function=" HOST ",peer=" CARD_MAC);
	TEST_TRUE(test_pair.dpu >= 0 && test_pair.host >= 0);
	test_pair.rep = 0;
	server_pe = test_pe_new();
	client_pe = test_pe_new();
	server = test_server_run("test", server_pe);
	client = test_client_run("test", client_pe);
	TEST_WAIT(client->conn != NULL && server->nb_connects == 1, TEST_MS);
	return TEST_SUCCESS;
}

static void
teardown(void)
{
	test_cleanup();
	test_model_teardown();
}

/* Both ends have learned of the end; then there is a new connection. */
static int
again(void)
{
	uint32_t nb = server->nb_connects;

	TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
	TEST_WAIT(client->conn != NULL && server->nb_connects == nb + 1, TEST_MS);
	return TEST_SUCCESS;
}

/* So many messages have come to one side, which has not looked. */
static int
arrived(const struct test_ep *to, uint32_t nb)
{
	struct rte_comch_pe *pe = to == server ? client_pe : server_pe;
	struct bf_compq cq = bf_ctrl_of(bf_chan_of(to->conn))->cq;
	uint32_t i;

	for (i = 0; i < nb; i++)
		TEST_EXPECT(test_send_pattern(to == server ? client->conn : server->conn, 8, i), 0);
	cq.ci += nb - 1;
	TEST_UNTIL(bf_compq_peek(&cq) != NULL, rte_comch_pe_progress(pe), TEST_MS);
	return TEST_SUCCESS;
}

/* The completion of a message that has arrived, or of one behind it, is this one. */
static void
cqe_change(struct bf_compq *cq, uint32_t skip, uint8_t opcode, uint16_t index, uint32_t bytes,
	uint8_t syndrome)
{
	struct bf_cqe *cqe = (struct bf_cqe *)(uintptr_t)cq->ring + ((cq->ci + skip) & cq->mask);

	cqe->byte_cnt = rte_cpu_to_be_32(bytes);
	cqe->wqe_counter = rte_cpu_to_be_16(index);
	cqe->syndrome = syndrome;
	cqe->op_own = opcode << 4 | (cqe->op_own & BF_CQE_OWNER);
}

static uint64_t
violations(int16_t dev)
{
	struct rte_comch_dev_stats stats = { 0 };

	rte_comch_dev_stats_get(dev, &stats);
	return stats.violations;
}

/* Of a receive queue; the index is that of its next entry, and more. */
static const struct {
	uint8_t opcode;
	uint16_t more;
	uint32_t len;    /* above the size of a buffer */
	uint8_t syndrome;
	int status;      /* of the connection's end */
	const char *words;
} lies[] = {
	{ BF_CQE_RESP_SEND, 1, 0, 0, -EIO, "has a receive index that cannot be" },
	{ BF_CQE_RESP_SEND, UINT16_MAX, 0, 0, -EIO, "has a receive index that cannot be" },
	{ BF_CQE_RESP_SEND, 0, 1, 0, -EIO, "has a length that cannot be" },
	{ BF_CQE_RESP_SEND, 0, 1u << 31, 0, -EIO, "has a length that cannot be" },
	{ BF_CQE_REQ, 0, 0, 0, -EIO, "has a send index that cannot be" },
	{ 0x7, 0, 0, 0, -EIO, "has a opcode that cannot be" },
	/* a peer can do this, and is told */
	{ BF_CQE_RESP_SEND_INV, 0, 0, 0, -EPROTO, "breaks the protocol: kind of a message" },
	{ BF_CQE_RESP_ERR, 0, 0, BF_SYND_LOCAL_LEN, -EPROTO, "message longer than a buffer" },
	/* and for this it cannot be blamed */
	{ BF_CQE_REQ_ERR, 0, 0, BF_SYND_LOCAL_LEN, -ECONNRESET, "is lost: syndrome 0x1 " },
	{ BF_CQE_RESP_ERR, 0, 0, BF_SYND_LOCAL_PROT, -ECONNRESET, "of a receive" },
	{ BF_CQE_REQ_ERR, 0, 0, BF_SYND_RETRY, -ECONNRESET, "a send: the peer does not answer" },
	{ BF_CQE_RESP_ERR, 0, 0, BF_SYND_FLUSHED, -ECONNRESET, NULL },
};

/* Each of them twice in one look: the first one counts. */
static int
lie_told(const struct test_ep *to, int16_t dev, uint32_t row)
{
	struct bf_ctrl_conn *cc = bf_ctrl_of(bf_chan_of(to->conn));
	const char *words = lies[row].words != NULL ? lies[row].words : "is lost";
	const uint32_t logged = test_log_count(words), nb = server->nb_disconnects;
	const uint64_t broken = violations(dev);
	uint32_t i;
	int status;

	TEST_CALL(arrived(to, 2));
	for (i = 0; i < 2; i++)
		cqe_change(&cc->cq, i, lies[row].opcode, cc->rq.ci + lies[row].more,
			cc->rx.stride + lies[row].len, lies[row].syndrome);
	TEST_WAIT(server->nb_disconnects == nb + 1 &&
		test_state(client) == RTE_COMCH_STATE_IDLE, END_MS);
	status = to == server ? server->disconnect_status : rte_comch_ctx_reason_get(client->ctx);
	TEST_ASSERT(status == lies[row].status, "row %u: it ended with %d", row, status);
	TEST_ASSERT(test_log_count(words) == logged + (lies[row].words != NULL),
		"row %u: '%s' %u times", row, words, test_log_count(words) - logged);
	TEST_EXPECT(violations(dev) - broken, lies[row].status == -EPROTO);
	TEST_EXPECT(server->nb_recv + client->nb_recv, 0);
	return TEST_SUCCESS;
}

static int
lies_told(int at_client)
{
	const int16_t dev = at_client ? test_pair.host : test_pair.dpu;
	uint32_t i;

	for (i = 0; i < RTE_DIM(lies); i++) {
		TEST_CALL(lie_told(at_client ? client : server, dev, i));
		TEST_CALL(again());
	}
	TEST_EXPECT(test_dev_status(test_pair.dpu), 0);
	TEST_EXPECT(test_dev_status(test_pair.host), 0);
	TEST_EXPECT(test_send_pattern(client->conn, 8, 1), 0);
	TEST_WAIT(server->nb_recv == 1, TEST_MS);
	return test_log_passed();
}

/* A message of control, as a peer has it that counts well. */
static void
ctl_make(struct bf_ctrl_conn *cc, uint32_t skip)
{
	const uint16_t index = cc->rq.ci + skip;
	const struct bf_wire_hdr hdr = {
		.type = BF_WIRE_CONSUMER_NEW,
		.len = bf_wire_ctl_len(BF_WIRE_CONSUMER_NEW),
		.ctl_credits = cc->tx.ctl_taken,
		.credits_seen = cc->tx.credits_seen,
		.credits = cc->tx.taken,
		.seq = cc->rx.seq + skip,
	};

	memcpy(cc->rx.bufs + (size_t)cc->rx.slots[index & cc->rq.mask] * cc->rx.stride, &hdr,
		sizeof(hdr));
	cqe_change(&cc->cq, skip, BF_CQE_RESP_SEND, index, sizeof(hdr) + hdr.len, 0);
}

/* One more than there are credits for: the place of the first is not taken by it. */
static int
test_ctls_without_credit(void)
{
	struct bf_ctrl_conn *cc = bf_ctrl_of(bf_chan_of(server->conn));
	uint32_t i;

	TEST_CALL(arrived(server, BF_WIRE_CTL_ENTRIES + 1));
	for (i = 0; i <= BF_WIRE_CTL_ENTRIES; i++)
		ctl_make(cc, i);
	TEST_WAIT(server->nb_disconnects == 1 && test_state(client) == RTE_COMCH_STATE_IDLE,
		END_MS);
	TEST_EXPECT(server->disconnect_status, -EPROTO);
	TEST_EXPECT(test_log_count("control message without a credit"), 1);
	TEST_EXPECT(violations(test_pair.dpu), 1);
	return test_log_passed();
}

/*
 * Commands
 */

static const char *const cmds[] = {
	"CREATE_CQ", "CREATE_QP", "RST2INIT_QP", "INIT2RTR_QP", "RTR2RTS_QP", "CREATE_MKEY",
};
#define PAIR_CMDS (RTE_DIM(cmds) - 1) /* a pair has no memory of its own */

/* The next of them is refused: there are too many objects. */
static int
refuse(int at_client, const char *cmd)
{
	return test_model_ctl(&model, "fault %s cmd opcode=%s count=1 status=8",
		at_client ? HOST : CARD, cmd);
}

static int
refused_once(const char *cmd)
{
	TEST_ASSERT(test_log_count(cmd) > 0, "%s was not refused", cmd);
	test_log_drop();
	return test_log_begin();
}

/* No connection comes of it, on either side; the next one does. */
static int
connect_refused(int at_client)
{
	long objs[2];
	uint32_t i;

	TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EINPROGRESS);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE &&
		server->nb_disconnects == server->nb_connects, END_MS);
	test_progress_ms(50);
	objs[0] = test_model_state(&model, CARD, "objects");
	objs[1] = test_model_state(&model, HOST, "objects");
	for (i = 0; i < RTE_DIM(cmds); i++) {
		TEST_EXPECT(refuse(at_client, cmds[i]), 0);
		TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
		TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE &&
			server->nb_disconnects == server->nb_connects, END_MS);
		TEST_TRUE(rte_comch_ctx_reason_get(client->ctx) != 0);
		TEST_CALL(refused_once(cmds[i]));
		TEST_WAIT(test_model_state(&model, CARD, "objects") == objs[0] &&
			test_model_state(&model, HOST, "objects") == objs[1], TEST_MS);
	}
	TEST_CALL(again());
	TEST_EXPECT(test_dev_status(test_pair.dpu), 0);
	TEST_EXPECT(test_dev_status(test_pair.host), 0);
	return test_log_passed();
}

/* A pair that cannot be made is asked for again: the producer waits for its credits. */
static int
pair_refused(int at_client)
{
	struct test_q *consumer, *producer;
	struct test_fp fp;
	uint32_t i, how;

	test_cleanup();
	for (how = 0; how < 2; how++) {
		for (i = 0; i < PAIR_CMDS; i++) {
			TEST_CALL(test_fp_open(&fp, how == 0 ? TEST_FP_TO_DPU : TEST_FP_TO_HOST));
			TEST_CALL(test_fp_queues(&fp, NULL, 4, 4, &consumer, &producer));
			TEST_EXPECT(test_post_empty(consumer, 1, 0), 1);
			TEST_EXPECT(refuse(at_client, cmds[i]), 0);
			TEST_WAIT(test_send_imm(producer, consumer->id, "abcd", 4, 0) == 1,
				END_MS);
			TEST_CALL(refused_once(cmds[i]));
			test_fp_cleanup();
		}
	}
	TEST_EXPECT(test_dev_status(test_pair.dpu), 0);
	TEST_EXPECT(test_dev_status(test_pair.host), 0);
	return test_log_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "control connections of BlueField and devices that lie",
	.unit_test_cases = {
		TEST_CASE_ARG(setup, teardown, "test_lies_to_server", lies_told, false),
		TEST_CASE_ARG(setup, teardown, "test_lies_to_client", lies_told, true),
		TEST_CASE_ST(setup, teardown, test_ctls_without_credit),
		TEST_CASE_ARG(setup, teardown, "test_server_refused", connect_refused, false),
		TEST_CASE_ARG(setup, teardown, "test_client_refused", connect_refused, true),
		TEST_CASE_ARG(setup, teardown, "test_pair_refused_card", pair_refused, false),
		TEST_CASE_ARG(setup, teardown, "test_pair_refused_host", pair_refused, true),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(bluefield_chan_lies_autotest, unit_test_suite_runner, &suite)
