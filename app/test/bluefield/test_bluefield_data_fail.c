/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Messages of the software BlueField that do not arrive: each error, who is told of
 * it, and how the queue pairs end.
 */

#include <string.h>

#include "test_bluefield_data.h"

#define HALF (DATA_MEM / 2)

/* Syndromes of completions. */
enum {
	LOCAL_LEN = 0x01, LOCAL_QP_OP = 0x02, LOCAL_PROT = 0x04, FLUSH = 0x05,
	REM_INV_REQ = 0x12, REM_ACCESS = 0x13, REM_OP = 0x14, RETRY = 0x15,
};

static const struct data_conf usual;

/* Nothing more is delivered: what is posted, and what will be, is flushed in order. */
static int
flushed(struct data_end *e)
{
	struct data_cqe cqe;
	uint16_t first;
	unsigned int i;

	TEST_WAIT(data_state(e) == BF_QP_ERROR, TEST_MS);
	first = e->sq_pi;
	for (i = 0; i < 3; i++)
		data_send(e, OP_SEND, 0, 64, i == 1 ? F_QUIET : 0);
	for (i = 0; i < 3; i++) {
		TEST_CALL(data_sent(e, &cqe));
		TEST_EXPECT(cqe.opcode, 13);
		TEST_EXPECT(cqe.syndrome, FLUSH);
		TEST_EXPECT(cqe.counter, (uint16_t)(first + i));
	}
	if (e->qp.rq == NULL)
		return TEST_SUCCESS;
	first = e->rq_pi;
	for (i = 0; i < 3; i++)
		data_recv(e, HALF, 64);
	for (i = 0; i < 3; i++) {
		TEST_CALL(data_received(e, &cqe));
		TEST_EXPECT(cqe.opcode, 14);
		TEST_EXPECT(cqe.syndrome, FLUSH);
		TEST_EXPECT(cqe.counter, (uint16_t)(first + i));
	}
	return TEST_SUCCESS;
}

/* The sender fails with this, and the receiver lives on. */
static int
sender_fails(uint8_t syndrome)
{
	TEST_CALL(data_sent_bad(&data_a, syndrome));
	TEST_CALL(flushed(&data_a));
	TEST_EXPECT(data_state(&data_b), BF_QP_RTS);
	TEST_CALL(data_quiet(&data_b));
	return data_passed();
}

/*
 * The receiver is not ready
 */

static int
not_ready(int srq)
{
	struct data_cqe cqe;
	unsigned int i;

	TEST_CALL(data_pair(&(struct data_conf){ .srq = srq }));
	for (i = 0; i < 4; i++)
		data_send(&data_a, OP_SEND, 0, 3000, 0);
	TEST_CALL(data_quiet(&data_a));
	for (i = 0; i < 4; i++) {
		memset(data_a.bytes, i + 1, 3000);
		data_recv(&data_b, HALF, 3000);
		TEST_CALL(data_received(&data_b, &cqe));
		TEST_EXPECT(cqe.bytes, 3000);
		TEST_EXPECT(data_b.bytes[HALF + 2999], i + 1);
		TEST_CALL(data_sent(&data_a, &cqe));
		TEST_EXPECT(cqe.opcode, 0);
		TEST_CALL(data_quiet(&data_a));
	}
	return data_passed();
}

/*
 * Nobody answers
 */

/* The peer's queue pair is in this state, or is not there at all: RESET. */
static int
peer_silent(int state)
{
	TEST_CALL(data_pair(&usual));
	if (state == BF_QP_ERROR) {
		TEST_EXPECT(bf_qp_to_error(&data_b.qp), 0);
		TEST_CALL(flushed(&data_b));
	} else {
		TEST_EXPECT(bf_qp_to_reset(&data_b.qp), 0);
	}
	if (state == BF_QP_INIT) {
		TEST_EXPECT(bf_qp_to_init(&data_b.qp), 0);
		data_recv(&data_b, HALF, 64);
	} else if (state == BF_QP_RESET) {
		bf_qp_destroy(&data_b.qp);
	}
	data_send(&data_a, OP_SEND, 0, 64, 0);
	TEST_CALL(data_sent_bad(&data_a, RETRY));
	TEST_CALL(flushed(&data_a));
	TEST_CALL(data_quiet(&data_b));
	return data_passed();
}

/* The way there comes back before the retries end. */
static int
test_way_comes_back(void)
{
	struct data_cqe cqe;

	TEST_CALL(data_pair(&(struct data_conf){ .retry_count = 7, .ack_timeout = 15 }));
	TEST_EXPECT(test_model_rule(&model, "del", "pf0vf0", "ecpf0vf0"), 0);
	data_recv(&data_b, HALF, 64);
	data_send(&data_a, OP_SEND, 0, 64, 0);
	TEST_CALL(data_quiet(&data_a));
	TEST_EXPECT(test_model_rule(&model, "add", "pf0vf0", "ecpf0vf0"), 0);
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_CALL(data_sent(&data_a, &cqe));
	TEST_EXPECT(cqe.opcode, 0);
	return data_passed();
}

/*
 * What the sender posts cannot be sent
 */

enum { UNKNOWN_OPCODE, LONG_INLINE, TOO_LONG, UNKNOWN_KEY, KEY_VARIANT, BEYOND_KEY, BEFORE_KEY };

static int
bad_send(int what)
{
	static const struct {
		uint8_t opcode, syndrome;
		uint32_t len, key_plus;
		uint64_t addr_plus;
	} rows[] = {
		[UNKNOWN_OPCODE] = { 0x2f, LOCAL_QP_OP, 64, 0, 0 },
		/* bytes in the request that end beyond it */
		[LONG_INLINE] = { OP_SEND, LOCAL_QP_OP, 0x80000000 | 13, 0, 0 },
		/* more than a message may have: 2 GiB, in one piece */
		[TOO_LONG] = { OP_SEND, LOCAL_LEN, 0, 0, 0 },
		[UNKNOWN_KEY] = { OP_SEND, LOCAL_PROT, 64, 0x10000, 0 },
		[KEY_VARIANT] = { OP_SEND, LOCAL_PROT, 64, 1, 0 },
		[BEYOND_KEY] = { OP_SEND, LOCAL_PROT, 64, 0, DATA_MEM - 63 },
		[BEFORE_KEY] = { OP_SEND, LOCAL_PROT, 64, 0, -UINT64_C(1) },
	};
	uint8_t seg[16];

	TEST_CALL(data_pair(&usual));
	data_recv(&data_b, HALF, 4096);
	data_seg(seg, rows[what].len, data_a.mkey.key + rows[what].key_plus,
		(uintptr_t)data_a.bytes + rows[what].addr_plus);
	data_send_raw(&data_a, rows[what].opcode, seg, 1, F_QUIET);
	return sender_fails(rows[what].syndrome);
}

static int
test_key_of_other_domain(void)
{
	struct bf_mkey_attr attr = { .len = DATA_MEM, .local_write = true };
	struct bf_mkey mkey;
	struct bf_pd pd;
	uint8_t seg[16];

	TEST_CALL(data_pair(&usual));
	TEST_EXPECT(bf_pd_create(data_a.dev, &pd), 0);
	attr.pd = &pd;
	attr.mem = data_a.mem;
	attr.addr = data_a.bytes;
	TEST_EXPECT(bf_mkey_create(data_a.dev, &attr, &mkey), 0);
	data_recv(&data_b, HALF, 64);
	data_seg(seg, 64, mkey.key, (uintptr_t)data_a.bytes);
	data_send_raw(&data_a, OP_SEND, seg, 1, 0);
	TEST_CALL(data_sent_bad(&data_a, LOCAL_PROT));
	bf_mkey_destroy(&mkey);
	bf_pd_destroy(&pd);
	return data_passed();
}

/* A request that says that it is another one. */
static int
test_wrong_index(void)
{
	uint8_t *wqe;

	TEST_CALL(data_pair(&usual));
	data_send(&data_a, OP_SEND, 0, 64, F_NO_DOORBELL);
	wqe = data_a.qp.sq;
	wqe[2]++;
	data_ring(&data_a);
	return sender_fails(LOCAL_QP_OP);
}

/*
 * What the receiver has cannot take it: both fail
 */

static int
both_fail(uint8_t received, uint8_t sent)
{
	TEST_CALL(data_received_bad(&data_b, received));
	TEST_CALL(data_sent_bad(&data_a, sent));
	TEST_CALL(flushed(&data_a));
	TEST_CALL(flushed(&data_b));
	return data_passed();
}

static int
test_buffer_too_small(void)
{
	TEST_CALL(data_pair(&usual));
	data_recv(&data_b, HALF, 63);
	data_send(&data_a, OP_SEND, 0, 64, F_QUIET);
	return both_fail(LOCAL_LEN, REM_INV_REQ);
}

/* In the third packet. */
static int
test_buffer_too_small_later(void)
{
	TEST_CALL(data_pair(&(struct data_conf){ .srq = true }));
	data_recv(&data_b, HALF, 2500);
	data_send(&data_a, OP_SEND, 0, 3000, 0);
	return both_fail(LOCAL_LEN, REM_INV_REQ);
}

static int
test_buffer_key(void)
{
	uint8_t seg[16];

	TEST_CALL(data_pair(&usual));
	data_seg(seg, 64, data_b.mkey.key + 1, (uintptr_t)data_b.bytes);
	data_recv_raw(&data_b, seg, 1);
	data_send(&data_a, OP_SEND, 0, 64, 0);
	return both_fail(LOCAL_PROT, REM_OP);
}

/* The key is for reading only. */
static int
test_buffer_read_only(void)
{
	struct bf_mkey_attr attr = { .len = DATA_MEM };
	struct bf_mkey mkey;
	uint8_t seg[16];

	TEST_CALL(data_pair(&usual));
	attr.pd = &data_b.pd;
	attr.mem = data_b.mem;
	attr.addr = data_b.bytes;
	TEST_EXPECT(bf_mkey_create(data_b.dev, &attr, &mkey), 0);
	data_seg(seg, 64, mkey.key, (uintptr_t)data_b.bytes);
	data_recv_raw(&data_b, seg, 1);
	data_send(&data_a, OP_SEND, 0, 64, 0);
	TEST_CALL(data_received_bad(&data_b, LOCAL_PROT));
	TEST_CALL(data_sent_bad(&data_a, REM_OP));
	bf_mkey_destroy(&mkey);
	return data_passed();
}

/* No address of somebody else's memory works, with any key: the QP has not the right. */
static int
by_address(int opcode)
{
	uint8_t segs[2 * 16] = { 0 };

	TEST_CALL(data_pair(&usual));
	memset(data_b.bytes, 0x11, 64);
	data_seg(segs, (uint32_t)((uintptr_t)data_b.bytes >> 32), (uint32_t)(uintptr_t)data_b.bytes,
		(uint64_t)data_b.mkey.key << 32);
	data_seg(segs + 16, 64, data_a.mkey.key, (uintptr_t)data_a.bytes);
	memset(data_a.bytes, 0x22, 64);
	data_recv(&data_b, HALF, 64);
	data_send_raw(&data_a, (uint8_t)opcode, segs, 2, 0);
	TEST_CALL(data_sent_bad(&data_a, REM_ACCESS));
	TEST_CALL(flushed(&data_a));
	TEST_CALL(data_received_bad(&data_b, FLUSH));
	TEST_CALL(flushed(&data_b));
	TEST_EXPECT(data_b.bytes[0], 0x11);
	TEST_EXPECT(data_a.bytes[0], 0x22);
	return data_passed();
}

/*
 * Ends
 */

/* All that is posted on both sides of a queue pair is told, once, in order. */
static int
test_flush_posted(void)
{
	struct data_cqe cqe;
	unsigned int i;

	TEST_CALL(data_pair(&usual));
	for (i = 0; i < DATA_QUEUE; i++) {
		data_send(&data_a, OP_SEND, 0, 2000, F_QUIET);
		data_recv(&data_a, HALF, 2000);
	}
	TEST_CALL(data_quiet(&data_a));
	TEST_EXPECT(bf_qp_to_error(&data_a.qp), 0);
	for (i = 0; i < DATA_QUEUE; i++) {
		TEST_CALL(data_sent(&data_a, &cqe));
		TEST_EXPECT(cqe.syndrome, FLUSH);
		TEST_EXPECT(cqe.counter, i);
		TEST_CALL(data_received(&data_a, &cqe));
		TEST_EXPECT(cqe.syndrome, FLUSH);
		TEST_EXPECT(cqe.counter, i);
	}
	TEST_CALL(data_quiet(&data_a));
	return data_passed();
}

/* And then it can be used anew. */
static int
test_reset_and_again(void)
{
	struct data_cqe cqe;

	TEST_CALL(data_pair(&usual));
	data_send(&data_a, OP_SEND, 0, 64, 0);
	TEST_CALL(data_quiet(&data_a));
	TEST_EXPECT(bf_qp_to_reset(&data_a.qp), 0);
	TEST_EXPECT(bf_qp_to_reset(&data_b.qp), 0);
	data_a.sq_pi = data_b.rq_pi = 0;
	TEST_EXPECT(bf_qp_to_init(&data_a.qp), 0);
	TEST_EXPECT(bf_qp_to_init(&data_b.qp), 0);
	TEST_CALL(data_connect(&data_a, &data_b, &usual));
	TEST_CALL(data_connect(&data_b, &data_a, &usual));
	data_recv(&data_b, HALF, 64);
	data_send(&data_a, OP_SEND, 0, 64, 0);
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_EXPECT(cqe.opcode, 2);
	TEST_CALL(data_sent(&data_a, &cqe));
	TEST_EXPECT(cqe.opcode, 0);
	return data_passed();
}

/* The function that receives comes to an end under load; if it is unplugged, with its client. */
static int
end_under_load(int unplug)
{
	struct data_cqe cqe;
	unsigned int i;

	TEST_CALL(data_pair(&usual));
	for (i = 0; i < DATA_QUEUE; i++)
		data_recv(&data_b, HALF, 65536);
	for (i = 0; i < DATA_QUEUE - 1; i++)
		data_send(&data_a, OP_SEND, 0, 65536, F_QUIET);
	TEST_EXPECT(test_model_ctl(&model, "%s ecpf0vf0",
		unplug ? "unplug" : "reset"), 0);
	TEST_EXPECT(test_model_state(&model, "ecpf0vf0", "objects"), 0);
	data_send(&data_a, OP_SEND, 0, 64, 0);
	/* whatever had arrived before: the last one has not */
	TEST_CALL(data_sent_bad(&data_a, RETRY));
	TEST_WAIT(data_state(&data_a) == BF_QP_ERROR, TEST_MS);
	while (data_poll(&data_a.send_cq, &data_a.send_ci, &cqe))
		TEST_EXPECT(cqe.syndrome, FLUSH);
	TEST_CALL(flushed(&data_a));
	return test_log_passed();
}

/* It is the sender's own: nothing hangs, nothing is left, the peer waits for ever. */
static int
test_sender_reset_under_load(void)
{
	unsigned int i;

	TEST_CALL(data_pair(&usual));
	for (i = 0; i < DATA_QUEUE; i++)
		data_recv(&data_b, HALF, 65536);
	for (i = 0; i < DATA_QUEUE; i++)
		data_send(&data_a, OP_SEND, 0, 65536, 0);
	TEST_EXPECT(test_model_ctl(&model, "reset pf0vf0"), 0);
	TEST_EXPECT(test_model_state(&model, "pf0vf0", "objects"), 0);
	TEST_EXPECT(test_model_state(&model, "pf0vf0", "given"), 0);
	TEST_EXPECT(data_state(&data_b), BF_QP_RTS);
	TEST_EXPECT(bf_qp_to_error(&data_b.qp), 0);
	TEST_WAIT(data_state(&data_b) == BF_QP_ERROR, TEST_MS);
	return test_log_passed();
}

/* A packet that the vport does not take: 4096 bytes of 1500. */
static int
test_above_mtu(void)
{
	struct data_cqe cqe;

	TEST_CALL(data_pair(&(struct data_conf){ .mtu = 5 }));
	data_recv(&data_b, HALF, 4096);
	data_send(&data_a, OP_SEND, 0, 1024, 0);
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_CALL(data_sent(&data_a, &cqe));
	TEST_EXPECT(cqe.opcode, 0);
	data_recv(&data_b, HALF, 4096);
	data_send(&data_a, OP_SEND, 0, 4096, 0);
	return sender_fails(RETRY);
}

/* Datagrams that cannot be sent stop the send queue, and nothing else. */
static int
test_datagram_bad_key(void)
{
	uint8_t segs[4 * 16] = { [8] = 0x80 };
	struct data_cqe cqe;

	TEST_CALL(data_pair(&(struct data_conf){ .service = BF_QP_UD }));
	data_seg(segs + 48, 64, data_a.mkey.key + 1, (uintptr_t)data_a.bytes);
	data_send_raw(&data_a, OP_SEND, segs, 4, 0);
	TEST_CALL(data_sent_bad(&data_a, LOCAL_PROT));
	TEST_EXPECT(data_state(&data_a), BF_QP_SQ_ERROR);
	data_recv(&data_a, HALF, 64);
	data_send_raw(&data_a, OP_SEND, segs, 4, F_QUIET);
	TEST_CALL(data_sent(&data_a, &cqe));
	TEST_EXPECT(cqe.syndrome, FLUSH);
	TEST_EXPECT(cqe.counter, 2);
	TEST_CALL(data_quiet(&data_a));
	return data_passed();
}

static int
test_datagram_too_long(void)
{
	uint8_t segs[4 * 16] = { [8] = 0x80 };

	TEST_CALL(data_pair(&(struct data_conf){ .service = BF_QP_UD }));
	data_seg(segs + 48, 4097, data_a.mkey.key, (uintptr_t)data_a.bytes);
	data_send_raw(&data_a, OP_SEND, segs, 4, 0);
	TEST_CALL(data_sent_bad(&data_a, LOCAL_LEN));
	TEST_EXPECT(data_state(&data_a), BF_QP_SQ_ERROR);
	return data_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "messages of the software BlueField that fail",
	.unit_test_cases = {
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_rnr_for_ever", not_ready,
			false),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_rnr_srq", not_ready,
			true),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_peer_not_ready_to_receive",
			peer_silent, BF_QP_INIT),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_peer_in_error",
			peer_silent, BF_QP_ERROR),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_peer_gone",
			peer_silent, BF_QP_RESET),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_way_comes_back),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_unknown_key", bad_send,
			UNKNOWN_KEY),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_key_variant", bad_send,
			KEY_VARIANT),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_beyond_key", bad_send,
			BEYOND_KEY),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_before_key", bad_send,
			BEFORE_KEY),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_key_of_other_domain),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_unknown_opcode", bad_send,
			UNKNOWN_OPCODE),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_too_long_inline", bad_send,
			LONG_INLINE),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_too_long", bad_send,
			TOO_LONG),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_wrong_index),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_buffer_too_small),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_buffer_too_small_later),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_buffer_key),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_buffer_read_only),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_write_refused",
			by_address, OP_WRITE),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_write_imm_refused",
			by_address, OP_WRITE_IMM),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_read_refused", by_address,
			OP_READ),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_flush_posted),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_reset_and_again),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_reset_under_load",
			end_under_load, false),
		TEST_CASE_ARG(data_case_setup, data_case_teardown, "test_unplugged_under_load",
			end_under_load, true),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_sender_reset_under_load),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_above_mtu),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_datagram_bad_key),
		TEST_CASE_ST(data_case_setup, data_case_teardown, test_datagram_too_long),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_data_fail_autotest, unit_test_suite_runner, &suite);
