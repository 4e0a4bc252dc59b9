/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The receiving side of reliable connections: what a packet does, and what is
 * answered. The sender's side is in rc_requester.c.
 */

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "data.h"

#define PSN_MASK 0xffffffu
#define PSN_HALF 0x800000u

static struct bfm_answer
answer(enum bfm_answer_kind kind)
{
	return (struct bfm_answer){ .kind = kind };
}

static bool
is_first(uint8_t op)
{
	return op == BFM_PKT_SEND_FIRST || op == BFM_PKT_SEND_ONLY ||
			op == BFM_PKT_SEND_ONLY_IMM || op == BFM_PKT_WRITE_FIRST ||
			op == BFM_PKT_WRITE_ONLY || op == BFM_PKT_WRITE_ONLY_IMM;
}

static bool
is_last(uint8_t op)
{
	return op != BFM_PKT_SEND_FIRST && op != BFM_PKT_SEND_MIDDLE &&
			op != BFM_PKT_WRITE_FIRST && op != BFM_PKT_WRITE_MIDDLE;
}

static bool
has_imm(uint8_t op)
{
	return op == BFM_PKT_SEND_LAST_IMM || op == BFM_PKT_SEND_ONLY_IMM ||
			op == BFM_PKT_WRITE_LAST_IMM || op == BFM_PKT_WRITE_ONLY_IMM;
}

/* The peer did what cannot be, or the client gave what cannot be used. */
static struct bfm_answer
fail(struct bfm_function *g, struct bfm_qp *qp, enum bfm_cqe_synd synd, enum bfm_answer_kind kind)
{
	struct bfm_cpl cpl = { .opcode = BFM_CQE_RESP_ERR, .synd = synd };

	if (qp->run->recv.active && synd != BFM_CQE_OK)
		(void)bfm_recv_done(g, qp, &cpl);
	bfm_qp_fail(g, qp);
	return answer(kind);
}

/* A receive request for the message that begins. */
static struct bfm_answer
take(struct bfm_function *g, struct bfm_qp *qp)
{
	struct bfm_answer rnr = {
		.kind = BFM_ANSWER_RNR, .rnr_timer = BFM_GET(qp->ctx, QPC, min_rnr_nak),
	};
	int ret = bfm_recv_take(g, qp, &qp->run->recv);

	if (ret == -EAGAIN) {
		bfm_qp_count(qp, BFM_COUNT_NO_BUFFER);
		return rnr;
	}
	if (ret == 0)
		return answer(BFM_ANSWER_ACK);
	return fail(g, qp, BFM_CQE_OK, qp->rq_type == BFM_RQ_NONE ? BFM_ANSWER_INV_REQ :
			BFM_ANSWER_OP);
}

static struct bfm_answer
message_end(struct bfm_function *g, struct bfm_qp *qp, const struct bfm_msg_pkt *msg,
		enum bfm_cqe_opcode opcode)
{
	struct bfm_cpl cpl = {
		.opcode = opcode, .solicited = msg->pkt.solicited, .bytes = (uint32_t)qp->run->got,
		.imm = has_imm(msg->pkt.opcode) ? msg->pkt.imm : 0,
	};

	if (bfm_recv_done(g, qp, &cpl) != 0)
		return fail(g, qp, BFM_CQE_OK, BFM_ANSWER_OP);
	return answer(BFM_ANSWER_ACK);
}

static struct bfm_answer
on_send(struct bfm_function *g, struct bfm_qp *qp, const struct bfm_msg_pkt *msg)
{
	uint8_t op = msg->pkt.opcode;
	struct bfm_run *run = qp->run;
	struct bfm_answer a;
	struct bfm_who who;
	int ret;

	if (is_first(op) == run->recv.active || run->writing)
		return fail(g, qp, BFM_CQE_REM_INV_REQ, BFM_ANSWER_INV_REQ);
	if (is_first(op)) {
		a = take(g, qp);
		if (a.kind != BFM_ANSWER_ACK)
			return a;
		run->got = 0;
	}
	if (msg->pkt.len > run->recv.room - run->got)
		return fail(g, qp, BFM_CQE_LOCAL_LEN, BFM_ANSWER_INV_REQ);
	bfm_recv_who(g, qp, &who);
	ret = bfm_segs_write(&who, run->recv.segs, run->recv.nb_segs, run->got, msg->data,
			msg->pkt.len);
	if (ret != 0)
		return fail(g, qp, BFM_CQE_LOCAL_PROT, BFM_ANSWER_OP);
	run->got += msg->pkt.len;
	if (!is_last(op))
		return answer(BFM_ANSWER_ACK);
	return message_end(g, qp, msg, has_imm(op) ? BFM_CQE_RESP_SEND_IMM : BFM_CQE_RESP_SEND);
}

/* Access by address needs the right of the queue pair, and of the key. */
static struct bfm_answer
on_write(struct bfm_function *g, struct bfm_qp *qp, const struct bfm_msg_pkt *msg)
{
	const struct bfm_who who = {
		.f = g, .qpn = qp->obj.id, .pd = BFM_GET(qp->ctx, QPC, pd),
	};
	uint8_t op = msg->pkt.opcode;
	struct bfm_run *run = qp->run;
	struct bfm_answer a;

	if (is_first(op) == run->writing || run->recv.active)
		return fail(g, qp, BFM_CQE_REM_INV_REQ, BFM_ANSWER_INV_REQ);
	if (BFM_GET(qp->ctx, QPC, rwe) == 0)
		return fail(g, qp, BFM_CQE_OK, BFM_ANSWER_ACCESS);
	if (has_imm(op)) {
		a = take(g, qp);
		if (a.kind != BFM_ANSWER_ACK)
			return a;
	}
	if (is_first(op)) {
		run->got = 0;
		bfm_qp_count(qp, BFM_COUNT_WRITES);
	}
	if (bfm_mem_write(&who, BFM_REMOTE_WRITE, msg->rkey, msg->raddr, msg->data,
			msg->pkt.len) != 0)
		return fail(g, qp, BFM_CQE_LOCAL_PROT, BFM_ANSWER_ACCESS);
	run->got += msg->pkt.len;
	run->writing = !is_last(op);
	return has_imm(op) ? message_end(g, qp, msg, BFM_CQE_RESP_WRITE_IMM) :
			answer(BFM_ANSWER_ACK);
}

static struct bfm_answer
on_read(struct bfm_function *g, struct bfm_qp *qp, const struct bfm_msg_pkt *msg)
{
	const struct bfm_who who = {
		.f = g, .qpn = qp->obj.id, .pd = BFM_GET(qp->ctx, QPC, pd),
	};

	if (BFM_GET(qp->ctx, QPC, rre) == 0 || bfm_mem_read(&who, BFM_REMOTE_READ, msg->rkey,
			msg->raddr, msg->answer, msg->pkt.len) != 0)
		return fail(g, qp, BFM_CQE_OK, BFM_ANSWER_ACCESS);
	bfm_qp_count(qp, BFM_COUNT_READS);
	return answer(BFM_ANSWER_ACK);
}

static bool
is_atomic(uint8_t op)
{
	return op == BFM_PKT_ATOMIC_CS || op == BFM_PKT_ATOMIC_FA;
}

/* Numbers in memory are little-endian, as the hosts that the model serves. */
static struct bfm_answer
on_atomic(struct bfm_function *g, struct bfm_qp *qp, const struct bfm_msg_pkt *msg)
{
	const struct bfm_who who = {
		.f = g, .qpn = qp->obj.id, .pd = BFM_GET(qp->ctx, QPC, pd),
	};
	struct bfm_run *run = qp->run;
	uint64_t old, new;

	if (msg->raddr % BFM_ATOMIC_BYTES != 0 || run->recv.active || run->writing)
		return fail(g, qp, BFM_CQE_REM_INV_REQ, BFM_ANSWER_INV_REQ);
	if (BFM_GET(qp->ctx, QPC, rae) == 0 || bfm_mem_read(&who, BFM_REMOTE_ATOMIC, msg->rkey,
			msg->raddr, run->atomic_old, BFM_ATOMIC_BYTES) != 0)
		return fail(g, qp, BFM_CQE_OK, BFM_ANSWER_ACCESS);
	memcpy(&old, run->atomic_old, sizeof(old));
	old = le64toh(old);
	new = msg->pkt.opcode == BFM_PKT_ATOMIC_FA ? old + msg->swap_add :
			old == msg->compare ? msg->swap_add : old;
	new = htole64(new);
	if (bfm_mem_write(&who, BFM_REMOTE_ATOMIC, msg->rkey, msg->raddr, &new, sizeof(new)) != 0)
		return fail(g, qp, BFM_CQE_OK, BFM_ANSWER_ACCESS);
	run->atomic = true;
	run->atomic_psn = msg->pkt.psn;
	memcpy(msg->answer, run->atomic_old, BFM_ATOMIC_BYTES);
	bfm_qp_count(qp, BFM_COUNT_ATOMICS);
	return answer(BFM_ANSWER_ACK);
}

/* What came before, and whose answer was lost. */
static struct bfm_answer
on_duplicate(const struct bfm_qp *qp, const struct bfm_msg_pkt *msg)
{
	const struct bfm_run *run = qp->run;

	if (!is_atomic(msg->pkt.opcode))
		return answer(BFM_ANSWER_ACK);
	if (!run->atomic || run->atomic_psn != msg->pkt.psn)
		return answer(BFM_ANSWER_NONE);
	memcpy(msg->answer, run->atomic_old, BFM_ATOMIC_BYTES);
	return answer(BFM_ANSWER_ACK);
}

struct bfm_answer
bfm_rc_receive(struct bfm_function *g, struct bfm_qp *qp, struct bfm_msg_pkt *msg)
{
	struct bfm_run *run = qp->run;
	uint32_t ahead = (msg->pkt.psn - run->epsn) & PSN_MASK;
	struct bfm_answer a;

	/* one that came before is answered once more, and not done again */
	if (ahead >= PSN_HALF)
		bfm_qp_count(qp, BFM_COUNT_DUPLICATE);
	if (ahead >= PSN_HALF && msg->pkt.opcode != BFM_PKT_READ)
		return on_duplicate(qp, msg);
	if (ahead > 0 && ahead < PSN_HALF) {
		bfm_qp_count(qp, BFM_COUNT_OUT_OF_SEQUENCE);
		a = answer(BFM_ANSWER_SEQ);
		a.psn = run->epsn;
		return a;
	}
	if (!run->told && qp->state == BFM_QP_RTR)
		bfm_queue_event(g, BFM_EV_COMM_EST, qp->obj.id);
	run->told = true;
	if (msg->pkt.len > bfm_mtu_bytes(BFM_GET(qp->ctx, QPC, mtu)))
		return fail(g, qp, BFM_CQE_LOCAL_LEN, BFM_ANSWER_INV_REQ);
	if (msg->pkt.opcode == BFM_PKT_READ)
		a = on_read(g, qp, msg);
	else if (is_atomic(msg->pkt.opcode))
		a = on_atomic(g, qp, msg);
	else if (msg->pkt.opcode <= BFM_PKT_SEND_ONLY_IMM)
		a = on_send(g, qp, msg);
	else
		a = on_write(g, qp, msg);
	if (a.kind == BFM_ANSWER_ACK && ahead == 0)
		run->epsn = (run->epsn + 1) & PSN_MASK;
	if (a.kind == BFM_ANSWER_ACK && is_last(msg->pkt.opcode))
		run->msn = (run->msn + 1) & PSN_MASK;
	return a;
}
