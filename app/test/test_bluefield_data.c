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
	TEST_EXPECT(cqe.imm, opcode == OP_SEND_IMM ? 0xabcd0000u | wqe : 0);
	TEST_TRUE(memcmp(data_b.bytes + HALF, data_a.bytes, len) == 0);
	TEST_EXPECT(data_b.bytes[HALF + len], 0xee);
	TEST_CALL(data_sent(&data_a, &cqe));
	TEST_EXPECT(cqe.opcode, 0);
	TEST_EXPECT(cqe.counter, wqe);
	TEST_EXPECT(cqe.qpn, data_a.qp.obj.id);
	TEST_EXPECT(cqe.send_opcode, opcode);
	return TEST_SUCCESS;
}

static int
messages(void)
{
	static const uint32_t lens[] = { 0, 1, 63, 1023, 1024, 1025, 4096, 5000, 65536, HALF - 1 };
	unsigned int i, round;

	/* the queues go around, and so does the sequence number */
	for (round = 0; round < 5; round++)
		for (i = 0; i < RTE_DIM(lens); i++) {
			TEST_CALL(message(OP_SEND, lens[i]));
			TEST_CALL(message(OP_SEND_IMM, lens[i]));
		}
	TEST_EXPECT(data_state(&data_a), BF_QP_RTS);
	TEST_EXPECT(data_state(&data_b), BF_QP_RTS);
	return data_passed();
}

static int
test_functions(void)
{
	TEST_CALL(data_pair(&(struct data_conf){ .srq = false }));
	return messages();
}

static int
test_loopback(void)
{
	TEST_CALL(data_pair(&(struct data_conf){ .loopback = true }));
	return messages();
}

static int
test_srq(void)
{
	TEST_CALL(data_pair(&(struct data_conf){ .srq = true }));
	return messages();
}

static struct unit_test_suite suite = {
	.suite_name = "messages of the software BlueField",
	.unit_test_cases = {
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_functions),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_loopback),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_srq),
		TEST_CASES_END()
	}
};

static int
test_bluefield_data(void)
{
	return unit_test_suite_runner(&suite);
}

REGISTER_FAST_TEST(bluefield_data_autotest, NOHUGE_OK, ASAN_OK, test_bluefield_data);
