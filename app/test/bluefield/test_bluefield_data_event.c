/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the software BlueField's queue engine does beside delivering: events of
 * completions and of errors, faults of what moves data, and complaints about a client
 * that tells of a request too early, or changes it too late.
 */

#include <string.h>
#include <unistd.h>

#include <rte_atomic.h>

#include "bluefield_ceq.h"
#include "bluefield_wq_io.h"
#include "test_bluefield_data.h"

#define HALF (DATA_MEM / 2)
#define FLUSH 0x05
#define REM_ACCESS 0x13
#define RETRY 0x15
#define RNR_RETRY 0x16

static const struct data_conf usual;

/* One message of a to b arrives. */
static int
arrives(void)
{
	struct data_cqe cqe;

	data_recv(&data_b, HALF, 64);
	data_send(&data_a, OP_SEND, 0, 64, 0);
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_EXPECT(cqe.opcode, 2);
	TEST_CALL(data_sent(&data_a, &cqe));
	TEST_EXPECT(cqe.opcode, 0);
	return TEST_SUCCESS;
}

/*
 * Events of completions
 */

static struct bf_ceq ceq;
static uint32_t arm_sn;

/* As the record and the doorbell have it: consumer index, and what for. */
static void
arm(struct bf_cq *cq, uint32_t ci, bool solicited)
{
	uint32_t word = (arm_sn++ & 3) << 28 | (solicited ? 1u << 24 : 0) | (ci & 0xffffff);

	cq->dbr[1] = rte_cpu_to_be_32(word);
	rte_wmb();
	bf_wq_doorbell(&data_b.uar, 0x20, rte_cpu_to_be_64((uint64_t)word << 32 | cq->obj.id));
}

static int
event_comes(void)
{
	uint32_t cqn = 0;

	TEST_WAIT(bf_ceq_next(&ceq, &cqn), TEST_MS);
	bf_ceq_commit(&ceq);
	TEST_EXPECT(cqn, data_b.recv_cq.obj.id);
	return TEST_SUCCESS;
}

static int
no_event(void)
{
	uint32_t cqn;

	usleep(50 * 1000);
	TEST_TRUE(!bf_ceq_next(&ceq, &cqn));
	return TEST_SUCCESS;
}

/* One more message of a, whose completion nobody looks at. */
static void
one_more(uint32_t flags)
{
	data_recv(&data_b, HALF, 64);
	data_send(&data_a, OP_SEND, 0, 64, flags | F_QUIET);
}

static int
test_events(void)
{
	const struct bf_ceq_attr attr = { .uar = &data_b.uar, .nb_eqes = 64, .vector = 1 };
	struct bf_cq_attr cq = { .nb_cqes = DATA_CQES, .uar = &data_b.uar, .ceq = &ceq };
	struct bf_qp_attr qp = {
		.pd = &data_b.pd, .uar = &data_b.uar, .cq_send = &data_b.send_cq,
		.cq_recv = &data_b.recv_cq, .nb_sq_blocks = DATA_QUEUE,
		.nb_rq_wqes = DATA_QUEUE, .rq_wqe_size = 64, .user_index = UINT32_MAX,
	};
	struct data_cqe cqe;

	TEST_EXPECT(test_model_allow(&model, "pf0vf0", "ecpf0vf0"), 0);
	TEST_CALL(data_end_make(&data_a, &usual));
	TEST_CALL(data_end_make(&data_b, &usual));
	bf_qp_destroy(&data_b.qp);
	bf_cq_destroy(&data_b.recv_cq);
	TEST_EXPECT(bf_ceq_create(data_b.dev, &attr, &ceq), 0);
	TEST_EXPECT(bf_cq_create(data_b.dev, &cq, &data_b.recv_cq), 0);
	TEST_EXPECT(bf_qp_create(data_b.dev, &qp, &data_b.qp), 0);
	TEST_EXPECT(bf_qp_to_init(&data_b.qp), 0);
	TEST_CALL(data_connect(&data_b, &data_a, &usual));
	TEST_CALL(data_connect(&data_a, &data_b, &usual));

	/* not armed: none; armed: one for all that come */
	one_more(0);
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_CALL(no_event());
	arm(&data_b.recv_cq, data_b.recv_ci, false);
	TEST_CALL(no_event());
	one_more(0);
	one_more(0);
	TEST_CALL(event_comes());
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_CALL(no_event());
	/* one that came after the last look is told at once */
	one_more(0);
	usleep(20 * 1000);
	arm(&data_b.recv_cq, data_b.recv_ci, false);
	TEST_CALL(event_comes());
	TEST_CALL(data_received(&data_b, &cqe));
	/* armed for what the sender wants told */
	arm(&data_b.recv_cq, data_b.recv_ci, true);
	one_more(0);
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_CALL(no_event());
	one_more(F_SOLICITED);
	TEST_CALL(event_comes());
	TEST_CALL(data_received(&data_b, &cqe));
	/* and errors are */
	arm(&data_b.recv_cq, data_b.recv_ci, true);
	data_recv(&data_b, HALF, 64);
	TEST_EXPECT(bf_qp_to_error(&data_b.qp), 0);
	TEST_CALL(event_comes());
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_EXPECT(cqe.syndrome, FLUSH);
	bf_qp_destroy(&data_b.qp);
	bf_cq_destroy(&data_b.recv_cq);
	bf_ceq_destroy(&ceq);
	return data_passed();
}

/*
 * Errors of queues
 */

static int
test_cq_overrun(void)
{
	struct data_cqe cqe;
	unsigned int i;

	TEST_CALL(data_pair(&(struct data_conf){ .nb_cqes = 4 }));
	for (i = 0; i < 5; i++) {
		data_recv(&data_b, HALF, 64);
		data_send(&data_a, OP_SEND, 0, 64, F_NO_DOORBELL);
	}
	data_ring(&data_a);
	/* of both: the fifth completion has no room, and is told to nobody */
	TEST_WAIT(test_log_count("overrun") == 2, TEST_MS);
	TEST_WAIT(data_state(&data_b) == BF_QP_ERROR, TEST_MS);
	TEST_WAIT(data_state(&data_a) == BF_QP_ERROR, TEST_MS);
	for (i = 0; i < 4; i++) {
		TEST_CALL(data_received(&data_b, &cqe));
		TEST_CALL(data_sent(&data_a, &cqe));
	}
	TEST_CALL(data_quiet(&data_a));
	TEST_CALL(data_quiet(&data_b));
	return data_passed();
}

/* More is said to be posted than there is room for. */
static int
test_send_overrun(void)
{
	TEST_CALL(data_pair(&usual));
	data_send(&data_a, OP_SEND, 0, 64, F_NO_DOORBELL);
	data_a.sq_pi = DATA_QUEUE + 1;
	data_ring(&data_a);
	TEST_WAIT(data_state(&data_a) == BF_QP_ERROR, TEST_MS);
	TEST_TRUE(test_model_logged(&model, "blocks are posted, the send queue has 16"));
	return data_passed();
}

static int
test_unknown_doorbell(void)
{
	TEST_CALL(data_pair(&usual));
	bf_wq_doorbell(&data_a.uar, 0x800, rte_cpu_to_be_64(0xabcd01ull << 8));
	TEST_CALL(arrives());
	TEST_TRUE(test_model_logged(&model, "is for QP 0xabcd01, which does not exist"));
	return data_passed();
}

/*
 * Faults
 */

static int
test_lost_packets(void)
{
	unsigned int i;

	TEST_CALL(data_pair(&(struct data_conf){ .retry_count = 7 }));
	for (i = 0; i < 6; i++) {
		/* on the way there, and of answers: it arrives once all the same */
		TEST_EXPECT(test_model_ctl(&model, "fault %s net drop=%u",
			i % 2 == 0 ? "pf0vf0" : "ecpf0vf0", i), 0);
		TEST_CALL(arrives());
		TEST_CALL(data_quiet(&data_b));
	}
	TEST_EXPECT(test_model_ctl(&model, "fault ecpf0vf0 net drop=all"), 0);
	data_send(&data_a, OP_SEND, 0, 64, 0);
	TEST_CALL(data_sent_bad(&data_a, RETRY));
	TEST_EXPECT(test_model_ctl(&model, "fault ecpf0vf0 clear"), 0);
	return data_passed();
}

/*
 * Packets of several messages are under way: those that have arrived are complete on one
 * side, and who ends before the answers are there has never heard of it.
 */
static int
late_answers(int ends)
{
	struct data_cqe cqe;
	unsigned int i;

	TEST_CALL(data_pair(&(struct data_conf){ .srq = true }));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 net acks=1500"), 0);
	for (i = 0; i < 5; i++) {
		data_recv(&data_b, HALF, 5000);
		data_send(&data_a, OP_SEND, 0, i < 4 ? 64 : 5000, 0);
	}
	for (i = 0; i < 5; i++) {
		TEST_CALL(data_received(&data_b, &cqe));
		TEST_EXPECT(cqe.counter, i);
	}
	TEST_CALL(data_quiet(&data_a));
	if (!ends) {
		for (i = 0; i < 5; i++) {
			TEST_CALL(data_sent(&data_a, &cqe));
			TEST_EXPECT(cqe.opcode, 0);
			TEST_EXPECT(cqe.counter, i);
		}
		return data_passed();
	}
	TEST_EXPECT(bf_qp_to_error(&data_a.qp), 0);
	for (i = 0; i < 5; i++)
		TEST_CALL(data_sent_bad(&data_a, FLUSH));
	TEST_EXPECT(data_state(&data_b), BF_QP_RTS);
	return data_passed();
}

/* The first packets of a long message are lost: it goes on from there, without its timer. */
static int
test_lost_in_message(void)
{
	const struct data_conf conf = { .raw = true, .retry_count = 7, .ack_timeout = 18 };
	struct data_cqe cqe;

	TEST_CALL(data_pair(&conf));
	memset(data_a.bytes, 0x3c, 20000);
	memset(data_b.bytes + HALF, 0, 20000);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 net drop=3"), 0);
	data_recv(&data_b, HALF, 20000);
	data_send(&data_a, OP_SEND, 0, 20000, 0);
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_EXPECT(cqe.bytes, 20000);
	TEST_TRUE(memcmp(data_b.bytes + HALF, data_a.bytes, 20000) == 0);
	TEST_CALL(data_sent(&data_a, &cqe));
	TEST_EXPECT(cqe.opcode, 0);
	TEST_EXPECT(data_count(&data_a, COUNT_TIMEOUT), 0);
	TEST_EXPECT(data_count(&data_a, COUNT_SEQ_ERR), 1);
	return data_passed();
}

/*
 * What a queue pair has taken of a shared queue comes back when that has failed, and only
 * then may it be destroyed.
 */
static int
test_taken_of_shared(void)
{
	const struct data_conf conf = { .srq = true };
	struct data_cqe cqe;

	TEST_CALL(data_pair(&conf));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 net delay=400"), 0);
	data_recv(&data_b, HALF, 5000);
	data_send(&data_a, OP_SEND, 0, 5000, 0);
	/* the first of five packets is there, the last one is not */
	usleep(600 * 1000);
	bf_qp_drain(&data_b.qp);
	TEST_TRUE(!test_log_has("hears nothing of that"));
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_EXPECT(cqe.opcode, 14);
	TEST_EXPECT(cqe.syndrome, FLUSH);
	TEST_EXPECT(cqe.counter, 0);
	TEST_CALL(data_sent_bad(&data_a, RETRY));
	return data_passed();
}

/* What a lost doorbell would have told, the next one tells. */
static int
test_lost_doorbell(void)
{
	struct data_cqe cqe;

	TEST_CALL(data_pair(&usual));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 net doorbells=1"), 0);
	data_recv(&data_b, HALF, 64);
	data_send(&data_a, OP_SEND, 0, 64, 0);
	TEST_CALL(data_quiet(&data_b));
	data_ring(&data_a);
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_CALL(data_sent(&data_a, &cqe));
	return data_passed();
}

static int
test_bad_faults(void)
{
	static const char *const faults[] = {
		"net", "net drop", "net drop=x", "net drop=-1", "net delay=all", "net doorbell=1",
		"net acks", "net acks=all",
		"net drop=1 more",
	};
	unsigned int i;

	TEST_CALL(data_pair(&usual));
	for (i = 0; i < RTE_DIM(faults); i++)
		TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 %s", faults[i]), -1);
	TEST_CALL(arrives());
	return data_passed();
}

/*
 * By address, and what is counted
 */

/* [off, off + len) of a's memory, at b's of the same offset plus HALF. */
static void
by_address(uint8_t opcode, uint32_t off, uint32_t len)
{
	uint64_t addr = (uintptr_t)data_b.bytes + HALF + off;
	uint8_t segs[2 * 16] = { 0 };

	data_seg(segs, (uint32_t)(addr >> 32), (uint32_t)addr, (uint64_t)data_b.mkey.key << 32);
	data_seg(segs + 16, len, data_a.mkey.key, (uintptr_t)data_a.bytes + off);
	data_send_raw(&data_a, opcode, segs, 2, 0);
}

static int
test_by_address(void)
{
	static const uint32_t lens[] = { 1, 1024, 5000, 100000 };
	struct data_cqe cqe;
	unsigned int i;

	TEST_CALL(data_pair(&(struct data_conf){ .raw = true }));
	for (i = 0; i < RTE_DIM(lens); i++) {
		memset(data_a.bytes + 16, i + 1, lens[i]);
		by_address(OP_WRITE, 16, lens[i]);
		TEST_CALL(data_sent(&data_a, &cqe));
		TEST_EXPECT(cqe.opcode, 0);
		TEST_TRUE(memcmp(data_b.bytes + HALF + 16, data_a.bytes + 16, lens[i]) == 0);
		data_recv(&data_b, 0, 1);
		memset(data_a.bytes + 16, i + 7, lens[i]);
		by_address(OP_WRITE_IMM, 16, lens[i]);
		TEST_CALL(data_received(&data_b, &cqe));
		TEST_EXPECT(cqe.opcode, 1);
		TEST_EXPECT(cqe.bytes, lens[i]);
		TEST_TRUE(memcmp(data_b.bytes + HALF + 16, data_a.bytes + 16, lens[i]) == 0);
		TEST_CALL(data_sent(&data_a, &cqe));
		memset(data_b.bytes + HALF + 16, i + 13, lens[i]);
		by_address(OP_READ, 16, lens[i]);
		TEST_CALL(data_sent(&data_a, &cqe));
		TEST_EXPECT(cqe.opcode, 0);
		TEST_EXPECT(cqe.bytes, lens[i]);
		TEST_TRUE(memcmp(data_b.bytes + HALF + 16, data_a.bytes + 16, lens[i]) == 0);
		TEST_CALL(arrives());
	}
	TEST_EXPECT(data_count(&data_b, COUNT_WRITES), 2 * RTE_DIM(lens));
	/* beyond the key */
	by_address(OP_WRITE, HALF - 10, 11);
	TEST_CALL(data_sent_bad(&data_a, REM_ACCESS));
	return data_passed();
}

static int
test_counters(void)
{
	struct data_cqe cqe;

	TEST_CALL(data_pair(&(struct data_conf){ .raw = true, .retry_count = 7, .rnr_retry = 2 }));
	TEST_CALL(arrives());
	TEST_EXPECT(data_count(&data_a, COUNT_TIMEOUT), 0);
	/* a message of one packet, and its answer */
	TEST_EXPECT(data_port_count(&data_a, PORT_SENT), 1);
	TEST_EXPECT(data_port_count(&data_a, PORT_SENT_BYTES), 64);
	TEST_EXPECT(data_port_count(&data_a, PORT_RECEIVED), 1);
	TEST_EXPECT(data_port_count(&data_b, PORT_RECEIVED), 1);
	TEST_EXPECT(data_port_count(&data_b, PORT_RECEIVED_BYTES), 64);
	TEST_EXPECT(data_port_count(&data_b, PORT_SENT), 1);
	TEST_EXPECT(test_model_ctl(&model, "fault ecpf0vf0 net drop=2"), 0);
	TEST_CALL(arrives());
	TEST_EXPECT(data_count(&data_a, COUNT_TIMEOUT), 2);
	TEST_EXPECT(data_count(&data_b, COUNT_DUPLICATE), 2);
	data_send(&data_a, OP_SEND, 0, 64, 0);
	TEST_CALL(data_sent(&data_a, &cqe));
	TEST_EXPECT(cqe.syndrome, RNR_RETRY);
	TEST_EXPECT(data_count(&data_b, COUNT_NO_BUFFER), 2);
	TEST_EXPECT(data_count(&data_a, COUNT_RNR_ERR), 1);
	return data_passed();
}

/* The sender begins elsewhere than the receiver expects: it never gets through. */
static int
test_sequence(void)
{
	struct bf_qp_path path = {
		.remote_psn = 1, .local_psn = 1, .mtu = 3, .min_rnr_nak = 12, .loopback = true,
		.ack_timeout = 10, .retry_count = 2, .rnr_retry = 7,
	};
	const struct data_conf conf = { .raw = true, .loopback = true };

	TEST_CALL(data_pair(&conf));
	TEST_EXPECT(bf_qp_to_reset(&data_a.qp), 0);
	TEST_EXPECT(bf_qp_to_init(&data_a.qp), 0);
	path.remote_qpn = data_b.qp.obj.id;
	TEST_EXPECT(bf_qp_to_rtr(&data_a.qp, &path), 0);
	TEST_EXPECT(bf_qp_to_rts(&data_a.qp, &path), 0);
	data_recv(&data_b, HALF, 64);
	data_send(&data_a, OP_SEND, 0, 64, 0);
	TEST_CALL(data_sent_bad(&data_a, RETRY));
	TEST_EXPECT(data_count(&data_b, COUNT_OUT_OF_SEQUENCE), 3);
	TEST_CALL(data_quiet(&data_b));
	return data_passed();
}

/*
 * What a card does, and memory that is coherent hides
 */

/* A second pair of queue pairs for the two ends, with the same queues otherwise. */
static int
second_pair(struct data_end *a2, struct data_end *b2, const struct data_conf *conf)
{
	struct bf_qp_attr attr = {
		.nb_sq_blocks = DATA_QUEUE, .rq_wqe_size = 64, .user_index = UINT32_MAX,
	};

	*a2 = data_a;
	*b2 = data_b;
	a2->sq_pi = 0;
	attr.pd = &data_a.pd;
	attr.uar = &data_a.uar;
	attr.cq_send = &data_a.send_cq;
	attr.cq_recv = &data_a.recv_cq;
	attr.srq = &data_a.srq;
	TEST_EXPECT(bf_qp_create(data_a.dev, &attr, &a2->qp), 0);
	attr.pd = &data_b.pd;
	attr.uar = &data_b.uar;
	attr.cq_send = &data_b.send_cq;
	attr.cq_recv = &data_b.recv_cq;
	attr.srq = &data_b.srq;
	TEST_EXPECT(bf_qp_create(data_b.dev, &attr, &b2->qp), 0);
	TEST_EXPECT(bf_qp_to_init(&a2->qp), 0);
	TEST_EXPECT(bf_qp_to_init(&b2->qp), 0);
	TEST_CALL(data_connect(a2, b2, conf));
	return data_connect(b2, a2, conf);
}

/* Messages take a shared queue's requests in order, and complete as they end. */
static int
test_srq_order(void)
{
	const struct data_conf conf = { .srq = true };
	struct data_end a2, b2;
	struct data_cqe cqe;

	TEST_CALL(data_pair(&conf));
	TEST_CALL(second_pair(&a2, &b2, &conf));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 net delay=50"), 0);
	data_recv(&data_b, HALF, 4096);
	data_recv(&data_b, HALF + 4096, 4096);
	/* three packets, and one that begins after the first of them */
	data_a.bytes[0] = 1;
	data_a.bytes[4096] = 2;
	data_send(&data_a, OP_SEND, 0, 3000, F_QUIET);
	usleep(20 * 1000);
	data_send(&a2, OP_SEND, 4096, 64, F_QUIET);
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_EXPECT(cqe.counter, 1);
	TEST_EXPECT(cqe.bytes, 64);
	TEST_EXPECT(cqe.qpn, b2.qp.obj.id);
	TEST_EXPECT(data_b.bytes[HALF + 4096], 2);
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_EXPECT(cqe.counter, 0);
	TEST_EXPECT(cqe.bytes, 3000);
	TEST_EXPECT(cqe.qpn, data_b.qp.obj.id);
	TEST_EXPECT(data_b.bytes[HALF], 1);
	bf_qp_destroy(&a2.qp);
	bf_qp_destroy(&b2.qp);
	return data_passed();
}

/* The device sees a request that its doorbell did not tell of, if the record does. */
static int
test_later_posts(void)
{
	struct data_cqe cqe;

	TEST_CALL(data_pair(&usual));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 net delay=100"), 0);
	data_recv(&data_b, HALF, 64);
	data_recv(&data_b, HALF, 64);
	data_send(&data_a, OP_SEND, 0, 64, 0);
	data_send(&data_a, OP_SEND, 0, 64, F_NO_DOORBELL);
	rte_io_wmb();
	data_a.qp.dbr[1] = rte_cpu_to_be_32(data_a.sq_pi);
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_CALL(data_received(&data_b, &cqe));
	return data_passed();
}

/* The record tells of a request that is not there yet. */
static int
test_early_record(void)
{
	struct data_cqe cqe;

	TEST_CALL(data_pair(&usual));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 net delay=100"), 0);
	data_recv(&data_b, HALF, 64);
	data_recv(&data_b, HALF, 64);
	data_send(&data_a, OP_SEND, 0, 64, F_NO_DOORBELL);
	data_a.sq_pi++;
	data_ring(&data_a);
	data_a.sq_pi--;
	/* the doorbell is an access that the model has answered */
	data_send(&data_a, OP_SEND, 0, 64, F_NO_DOORBELL);
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_TRUE(test_model_logged(&model, "send request 1 is another one"));
	TEST_TRUE(!test_model_logged(&model, "send request 0 is another one"));
	return data_passed();
}

static int
early_receive(int shared)
{
	struct data_cqe cqe;
	unsigned int i;
	uint8_t *slot;

	TEST_CALL(data_pair(&(struct data_conf){ .srq = shared }));
	/* four of a shared queue are fetched with the first one */
	for (i = 0; i < 5; i++)
		data_recv(&data_b, HALF, 64);
	/* the last one is seen with the first, and is not whole then */
	slot = (uint8_t *)(shared ? data_b.srq.ring : data_b.qp.rq) + 4 * 64 + (shared ? 16 : 0);
	slot[3]++;
	data_send(&data_a, OP_SEND, 0, 64, 0);
	TEST_CALL(data_received(&data_b, &cqe));
	slot[3]--;
	for (i = 1; i < 5; i++) {
		data_send(&data_a, OP_SEND, 0, 64, 0);
		TEST_CALL(data_received(&data_b, &cqe));
	}
	TEST_TRUE(test_model_logged(&model, "receive request 4 is another one"));
	TEST_TRUE(!test_model_logged(&model, "receive request 3 is another one"));
	return data_passed();
}

/* A request that is changed while the device has it. */
static int
test_changed_request(void)
{
	struct data_cqe cqe;
	uint8_t *wqe;

	TEST_CALL(data_pair(&usual));
	data_send(&data_a, OP_SEND, 0, 64, 0);
	/* nobody receives yet; it has been fetched */
	TEST_CALL(data_quiet(&data_a));
	wqe = data_a.qp.sq;
	wqe[19]--;
	data_recv(&data_b, HALF, 64);
	/* it is fetched once more when it is sent once more */
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_EXPECT(cqe.bytes, 63);
	TEST_CALL(data_sent(&data_a, &cqe));
	TEST_TRUE(test_model_logged(&model, "send request 0 was changed before it was done"));
	return data_passed();
}

static int
test_changed_receive(void)
{
	struct data_cqe cqe;

	TEST_CALL(data_pair(&usual));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 net delay=100"), 0);
	data_recv(&data_b, HALF, 2000);
	data_send(&data_a, OP_SEND, 0, 2000, 0);
	/* between the first packet and the second */
	usleep(150 * 1000);
	((uint8_t *)data_b.qp.rq)[3]--;
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_EXPECT(cqe.bytes, 2000);
	TEST_TRUE(test_model_logged(&model, "receive request 0 was changed before it was done"));
	return data_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "events and faults of messages of the software BlueField",
	.unit_test_cases = {
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_events),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_cq_overrun),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_send_overrun),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_unknown_doorbell),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_lost_packets),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_lost_in_message),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_late_answers",
			late_answers, false),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_end_before_answers",
			late_answers, true),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_taken_of_shared),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_lost_doorbell),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_bad_faults),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_by_address),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_counters),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_sequence),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_srq_order),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_later_posts),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_early_record),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_early_receive",
			early_receive, false),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_early_receive_srq",
			early_receive, true),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_changed_request),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_changed_receive),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_data_event_autotest, unit_test_suite_runner, &suite);
