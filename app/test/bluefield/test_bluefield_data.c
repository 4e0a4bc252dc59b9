/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Messages between two functions of the software BlueField, and within one, as they
 * should be: lengths, lists of pieces, immediate data, shared receive queues,
 * datagrams. What goes wrong is in test_bluefield_data_fail.c.
 */

#include <string.h>

#include "test_bluefield_data.h"
#include "test_bluefield_obj.h"

#define HALF (DATA_MEM / 2)

static void
fill(struct data_end *e, uint32_t off, uint32_t len, uint8_t seed)
{
	uint32_t i;

	for (i = 0; i < len; i++)
		e->bytes[off + i] = (uint8_t)(seed + i * 7 + (i >> 8));
}

/* One message of a to b, and what both are told. */
static int
message(uint8_t opcode, uint32_t len)
{
	struct data_cqe cqe;
	uint16_t wqe = data_a.sq_pi;

	fill(&data_a, 0, len, (uint8_t)len);
	memset(data_b.bytes + HALF, 0xee, len + 1);
	data_recv(&data_b, HALF, len != 0 ? len : 1);
	data_send(&data_a, opcode, 0, len, 0);
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_EXPECT(cqe.opcode, opcode == OP_SEND_IMM ? 3 : 2);
	TEST_EXPECT(cqe.bytes, len);
	TEST_EXPECT(cqe.qpn, data_b.qp.obj.id);
	/* in others it is what was there before */
	if (opcode == OP_SEND_IMM)
		TEST_EXPECT(cqe.imm, 0xabcd0000u | wqe);
	TEST_TRUE(memcmp(data_b.bytes + HALF, data_a.bytes, len) == 0);
	TEST_EXPECT(data_b.bytes[HALF + len], 0xee);
	TEST_CALL(data_sent(&data_a, &cqe));
	TEST_EXPECT(cqe.opcode, 0);
	TEST_EXPECT(cqe.counter, wqe);
	TEST_EXPECT(cqe.qpn, data_a.qp.obj.id);
	TEST_EXPECT(cqe.send_opcode, opcode);
	return TEST_SUCCESS;
}

enum { FUNCTIONS, LOOPBACK, SHARED_QUEUE };

static int
messages(int way)
{
	const struct data_conf conf = {
		.loopback = way == LOOPBACK, .srq = way == SHARED_QUEUE,
	};
	static const uint32_t lens[] = { 0, 1, 63, 1023, 1024, 1025, 4096, 5000, 65536, HALF - 1 };
	struct obj_qp_info info;
	unsigned int i, round;

	TEST_CALL(data_pair(&conf));
	/* the queues go around, and so does the sequence number */
	for (round = 0; round < 5; round++)
		for (i = 0; i < RTE_DIM(lens); i++) {
			TEST_CALL(message(OP_SEND, lens[i]));
			TEST_CALL(message(OP_SEND_IMM, lens[i]));
		}
	TEST_EXPECT(obj_qp_query(&data_a.qp, &info), 0);
	TEST_EXPECT(info.state, BF_QP_RTS);
	TEST_EXPECT(info.sq_counter, data_a.sq_pi);
	TEST_EXPECT(obj_qp_query(&data_b.qp, &info), 0);
	TEST_EXPECT(info.state, BF_QP_RTS);
	TEST_EXPECT(info.rq_counter, data_b.qp.rq != NULL ? data_b.rq_pi : data_b.srq_pi);
	return data_passed();
}

/*
 * Datagrams
 */

/* An address vector, and one piece. */
static void
datagram(struct data_end *e, const struct data_end *to, uint32_t qpn, uint32_t qkey, uint32_t len)
{
	uint8_t segs[4 * 16] = { 0 };
	rte_be32_t be;

	be = rte_cpu_to_be_32(qkey);
	memcpy(segs, &be, sizeof(be));
	be = rte_cpu_to_be_32(qpn | 1u << 31);
	memcpy(segs + 8, &be, sizeof(be));
	segs[14] = 0xc0;
	memcpy(segs + 20, to->addr.mac, sizeof(to->addr.mac));
	segs[27] = 64;
	be = rte_cpu_to_be_32(1u << 30 | (uint32_t)e->addr_index << 20 | 0x12345);
	memcpy(segs + 28, &be, sizeof(be));
	memcpy(segs + 32, to->addr.gid, sizeof(to->addr.gid));
	data_seg(segs + 48, len, e->mkey.key, (uintptr_t)e->bytes);
	data_send_raw(e, OP_SEND, segs, 4, 0);
}

/* One arrives, with a global route header before it. */
static int
datagram_arrives(void)
{
	const uint8_t *grh = data_b.bytes + HALF;
	struct data_cqe cqe;

	fill(&data_a, 0, 256, 3);
	memset(data_b.bytes + HALF, 0, 512);
	data_recv(&data_b, HALF, 40 + 256);
	datagram(&data_a, &data_b, data_b.qp.obj.id, DATA_QKEY, 256);
	TEST_CALL(data_sent(&data_a, &cqe));
	TEST_EXPECT(cqe.opcode, 0);
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_EXPECT(cqe.opcode, 2);
	TEST_EXPECT(cqe.bytes, 40 + 256);
	TEST_EXPECT(cqe.flags_rqpn & 0xffffff, data_a.qp.obj.id);
	/* a header is there, of IPv6; the partition is the default one */
	TEST_EXPECT(cqe.flags_rqpn >> 28 & 3, 1);
	TEST_EXPECT(cqe.flags_rqpn >> 24 & 3, 1);
	TEST_EXPECT(cqe.imm & 0xffff, 0xffff);
	TEST_TRUE(memcmp(grh + 40, data_a.bytes, 256) == 0);
	TEST_EXPECT(grh[0] >> 4, 6);
	TEST_EXPECT((grh[1] & 0xf) << 16 | grh[2] << 8 | grh[3], 0x12345);
	TEST_EXPECT(grh[6], 17);
	TEST_EXPECT(grh[7], 64);
	TEST_TRUE(memcmp(grh + 8, data_a.addr.gid, 16) == 0);
	TEST_TRUE(memcmp(grh + 24, data_b.addr.gid, 16) == 0);
	return TEST_SUCCESS;
}

static int
test_datagrams(void)
{
	struct data_cqe cqe;
	unsigned int i;

	TEST_CALL(data_pair(&(struct data_conf){ .service = BF_QP_UD }));
	for (i = 0; i < 40; i++)
		TEST_CALL(datagram_arrives());
	/* with another key, for nobody, or without a buffer: they are lost, nobody is told */
	datagram(&data_a, &data_b, data_b.qp.obj.id, DATA_QKEY, 256);
	TEST_CALL(data_sent(&data_a, &cqe));
	data_recv(&data_b, HALF, 512);
	datagram(&data_a, &data_b, data_b.qp.obj.id, DATA_QKEY + 1, 256);
	TEST_CALL(data_sent(&data_a, &cqe));
	datagram(&data_a, &data_b, 0xfff, DATA_QKEY, 256);
	TEST_CALL(data_sent(&data_a, &cqe));
	TEST_CALL(data_quiet(&data_b));
	/* the queue pair's own key */
	datagram(&data_a, &data_b, data_b.qp.obj.id, 1u << 31, 256);
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_EXPECT(cqe.bytes, 40 + 256);
	return data_passed();
}

/*
 * What completions say, and requests can
 */

static int
test_user_index(void)
{
	struct data_cqe cqe;

	TEST_CALL(data_pair(&(struct data_conf){ .user_index = 0x123456, .srq = true }));
	data_recv(&data_b, HALF, 64);
	data_send(&data_a, OP_SEND, 0, 64, F_SOLICITED);
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_EXPECT(cqe.user, 0x123456);
	TEST_TRUE(cqe.solicited);
	TEST_CALL(data_sent(&data_a, &cqe));
	TEST_EXPECT(cqe.user, 0x123456);
	return data_passed();
}

/* Bytes in the request, pieces of memory, and a request over the end of the queue. */
static int
test_pieces(void)
{
	uint8_t segs[11 * 16], recv[2 * 16];
	struct data_cqe cqe;
	unsigned int i;

	TEST_CALL(data_pair(&(struct data_conf){ .srq = false }));
	fill(&data_a, 0, 4096, 9);
	for (i = 0; i < 2 * DATA_QUEUE; i++) {
		memset(segs, 0, sizeof(segs));
		segs[0] = 0x80; /* 20 bytes are here */
		segs[3] = 20;
		memcpy(segs + 4, data_a.bytes + 100, 20);
		data_seg(segs + 32, 1000, data_a.mkey.key, (uintptr_t)data_a.bytes + 120);
		data_seg(segs + 48, 1, data_a.mkey.key, (uintptr_t)data_a.bytes + 1120);
		data_seg(segs + 64, 379, data_a.mkey.key, (uintptr_t)data_a.bytes + 1121);
		data_seg(recv, 13, data_b.mkey.key, (uintptr_t)data_b.bytes + HALF);
		data_seg(recv + 16, 4000, data_b.mkey.key, (uintptr_t)data_b.bytes + HALF + 13);
		memset(data_b.bytes + HALF, 0, 2000);
		data_recv_raw(&data_b, recv, 2);
		data_send_raw(&data_a, OP_SEND, segs, 5, 0);
		TEST_CALL(data_received(&data_b, &cqe));
		TEST_EXPECT(cqe.bytes, 1400);
		TEST_TRUE(memcmp(data_b.bytes + HALF, data_a.bytes + 100, 1400) == 0);
		TEST_CALL(data_sent(&data_a, &cqe));
		/* of odd length: the next one begins elsewhere */
		if (i % 3 == 0) {
			data_send_raw(&data_a, OP_NOP, segs, 0, 0);
			TEST_CALL(data_sent(&data_a, &cqe));
			TEST_EXPECT(cqe.send_opcode, OP_NOP);
		}
	}
	return data_passed();
}

/*
 * Many at a time, most without a completion; all posted before one doorbell. A few of a
 * shared queue, or so many that all counters of 16 bits go around.
 */
static int
bursts(int shared)
{
	const unsigned int rounds = shared ? 50 : UINT16_MAX / (DATA_QUEUE - 1) + 10;
	struct data_cqe cqe;
	unsigned int i, round;

	TEST_CALL(data_pair(&(struct data_conf){ .srq = shared }));
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < DATA_QUEUE - 1; i++) {
			data_a.bytes[i * 8] = (uint8_t)(round + i);
			data_recv(&data_b, HALF + i * 8, 8);
			data_send(&data_a, OP_SEND, i * 8, 8,
				F_NO_DOORBELL | (i < DATA_QUEUE - 2 ? F_QUIET : 0));
		}
		data_ring(&data_a);
		for (i = 0; i < DATA_QUEUE - 1; i++) {
			TEST_CALL(data_received(&data_b, &cqe));
			TEST_EXPECT(cqe.bytes, 8);
		}
		TEST_CALL(data_sent(&data_a, &cqe));
		TEST_EXPECT(cqe.counter, (uint16_t)(data_a.sq_pi - 1));
		TEST_TRUE(!data_poll(&data_a.send_cq, &data_a.send_ci, &cqe));
	}
	return data_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "messages of the software BlueField",
	.unit_test_cases = {
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_functions", messages,
			FUNCTIONS),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_loopback", messages,
			LOOPBACK),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_srq", messages,
			SHARED_QUEUE),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_datagrams),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_user_index),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_pieces),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_burst", bursts, true),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_counters_go_around",
			bursts, false),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_data_autotest, unit_test_suite_runner, &suite);
