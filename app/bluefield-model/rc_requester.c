/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The sending side of reliable connections: requests in order, packet by packet,
 * with retransmission. What the other side does is in rc_responder.c.
 *
 * A packet arrives when it is sent, its answer in a later turn at the earliest: up to
 * BFM_WINDOW packets of a queue pair, of several requests, are under way. Whoever is
 * destroyed or reset meanwhile never learns that they have arrived. One answer tells of all
 * packets before its own; when none comes, or "again from there", all of them are sent anew.
 */

#include <errno.h>
#include <string.h>

#include "data.h"

#define PSN_MASK 0xffffffu
#define PSN_HALF 0x800000u
#define RNR_FOR_EVER 7u
#define ACK_UNIT_NS 4096u

/* What "try again later" means, in units of 10 us; InfiniBand's table. */
static const uint16_t rnr_units[32] = {
	0xffff, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
	1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
};

static uint64_t
rnr_us(uint8_t code)
{
	return code == 0 ? 655360 : (uint64_t)rnr_units[code & 31] * 10;
}

/* 0 switches the timer off. */
static uint64_t
ack_us(const struct bfm_qp *qp)
{
	uint32_t code = BFM_GET(qp->ctx, QPC, pri_ack_timeout);

	return code == 0 ? BFM_NEVER : ((uint64_t)ACK_UNIT_NS << code) / 1000 + 1;
}

/* Not before that time. */
static enum bfm_step
wait(struct bfm_function *f, struct bfm_run *run, uint64_t us)
{
	run->due = us == BFM_NEVER ? BFM_NEVER : f->model->now_us + us;
	return BFM_STEP_WAIT;
}

static uint32_t
behind(uint32_t psn, uint32_t first)
{
	return (psn - first) & PSN_MASK;
}

static void
timer_start(struct bfm_function *f, const struct bfm_qp *qp)
{
	uint64_t us = ack_us(qp);

	qp->run->timer = us == BFM_NEVER ? BFM_NEVER : f->model->now_us + us;
}

/* The oldest request is done, with this. */
static void
done(struct bfm_function *f, struct bfm_qp *qp, enum bfm_cqe_synd synd)
{
	struct bfm_run *run = qp->run;
	const struct bfm_sent *req = &run->reqs[0];
	const struct bfm_send wr = {
		.index = req->index, .opcode = req->opcode, .signalled = req->signalled,
		.blocks = req->blocks, .len = req->len,
	};

	bfm_send_check(f, qp, req->index, req->bytes);
	if (bfm_send_done(f, qp, &wr, synd) != 0)
		bfm_qp_fail(f, qp);
	if (run->nb_reqs == 0)
		return; /* it has failed, and nothing is left */
	memmove(&run->reqs[0], &run->reqs[1], --run->nb_reqs * sizeof(run->reqs[0]));
}

/* All its packets were sent: it has to be acknowledged up to there. */
static void
sent_all(struct bfm_function *f, struct bfm_qp *qp)
{
	struct bfm_run *run = qp->run;
	const struct bfm_send *wr = &run->wr;

	run->reqs[run->nb_reqs++] = (struct bfm_sent){
		.index = wr->index, .opcode = wr->opcode, .signalled = wr->signalled,
		.blocks = wr->blocks, .bytes = wr->bytes, .len = wr->len, .end = run->psn,
	};
	run->started = false;
	run->sq_next += wr->blocks;
	/* one without packets is done when those before it are */
	if (run->una == run->psn && run->nb_reqs == 1)
		done(f, qp, BFM_CQE_OK);
}

/* The oldest request fails, and the queue pair with it. */
static enum bfm_step
fail(struct bfm_function *f, struct bfm_qp *qp, enum bfm_cqe_synd synd)
{
	/* its last packets were not sent yet */
	if (qp->run->nb_reqs == 0)
		(void)bfm_send_done(f, qp, &qp->run->wr, synd);
	else
		done(f, qp, synd);
	bfm_qp_fail(f, qp);
	return BFM_STEP_MORE;
}

/* Packets before this one have arrived. */
static void
acknowledge(struct bfm_function *f, struct bfm_qp *qp, uint32_t psn)
{
	struct bfm_run *run = qp->run;

	if (behind(psn, run->una) == 0 || behind(psn, run->una) > behind(run->psn, run->una))
		return;
	run->retries = 0;
	run->rnr_retries = 0;
	timer_start(f, qp);
	while (run->una != psn && qp->state == BFM_QP_RTS) {
		run->una = (run->una + 1) & PSN_MASK;
		run->acked++;
		while (run->nb_reqs != 0 && run->una == run->reqs[0].end &&
				qp->state == BFM_QP_RTS) {
			run->acked = 0;
			done(f, qp, BFM_CQE_OK);
		}
	}
}

/* From the first packet on that is not acknowledged. */
static void
repeat(struct bfm_run *run)
{
	run->nb_ways = 0;
	run->nb_reqs = 0;
	run->started = false;
	run->bad = BFM_CQE_OK;
	run->sq_next = run->sq_ci;
	run->psn = run->una;
}

/* Fetch the next request. False: there is none, or the queue pair has failed. */
static bool
start(struct bfm_function *f, struct bfm_qp *qp)
{
	struct bfm_run *run = qp->run;
	bool oldest = run->nb_reqs == 0;
	int n;

	/* at every request: what was posted after the doorbell is seen too */
	n = bfm_send_posted(f, qp);
	if (n < 0 || (n != 0 && bfm_fault_uses(&f->net.records))) {
		bfm_queue_event(f, BFM_EV_WQ_CATAS, qp->obj.id);
		bfm_qp_fail(f, qp);
		return false;
	}
	if (run->sq_next == qp->sq_posted)
		return false;
	run->bad = bfm_send_fetch(f, qp, run->sq_next, &run->wr);
	if (run->bad == BFM_CQE_OK &&
			(run->wr.len > UINT64_C(1) << BFM_GET(qp->ctx, QPC, log_msg_max) ||
			(run->wr.opcode >= BFM_SEND_ATOMIC_CS && run->wr.len != BFM_ATOMIC_BYTES)))
		run->bad = BFM_CQE_LOCAL_LEN;
	run->started = true;
	/* some of its packets have arrived before they were repeated */
	run->sent = oldest ? (uint64_t)run->acked * bfm_mtu_bytes(BFM_GET(qp->ctx, QPC, mtu)) : 0;
	return true;
}

static uint8_t
packet_opcode(const struct bfm_send *wr, bool first, bool last)
{
	bool imm = wr->opcode == BFM_SEND_SEND_IMM || wr->opcode == BFM_SEND_WRITE_IMM;
	uint8_t base = wr->opcode == BFM_SEND_SEND || wr->opcode == BFM_SEND_SEND_IMM ?
			BFM_PKT_SEND_FIRST : BFM_PKT_WRITE_FIRST;

	if (wr->opcode == BFM_SEND_READ)
		return BFM_PKT_READ;
	if (bfm_send_reads(wr->opcode))
		return wr->opcode == BFM_SEND_ATOMIC_CS ? BFM_PKT_ATOMIC_CS : BFM_PKT_ATOMIC_FA;
	if (first && last)
		return base + (imm ? 5 : 4);
	if (last)
		return base + (imm ? 3 : 2);
	return first ? base : base + 1;
}

/* Until software asks for the byte order of its host, an answer has that of the network. */
static void
swap_bytes(uint8_t data[BFM_ATOMIC_BYTES])
{
	uint8_t old[BFM_ATOMIC_BYTES];
	uint32_t i;

	memcpy(old, data, sizeof(old));
	for (i = 0; i < sizeof(old); i++)
		data[i] = old[sizeof(old) - 1 - i];
}

/* One packet, and its answer. bytes: of the message. -errno: it cannot be made. */
static int
packet(struct bfm_function *f, struct bfm_qp *qp, uint32_t *bytes, struct bfm_answer *answer)
{
	const struct bfm_who who = {
		.f = f, .qpn = qp->obj.id, .pd = BFM_GET(qp->ctx, QPC, pd),
		.reserved_key = BFM_GET(qp->ctx, QPC, rlky) != 0,
	};
	uint32_t mtu = bfm_mtu_bytes(BFM_GET(qp->ctx, QPC, mtu));
	struct bfm_run *run = qp->run;
	struct bfm_send *wr = &run->wr;
	uint64_t left = wr->len - run->sent;
	struct bfm_msg_pkt msg = {
		.raddr = wr->raddr + run->sent, .rkey = wr->rkey,
		.swap_add = wr->swap_add, .compare = wr->compare,
	};
	bool read = bfm_send_reads(wr->opcode);
	uint8_t data[BFM_MTU_MAX];
	int ret = 0;

	*bytes = left < mtu ? (uint32_t)left : mtu;
	if (!read)
		ret = bfm_segs_read(&who, wr->segs, wr->nb_segs, run->sent, data, *bytes);
	if (ret != 0)
		return ret;
	msg.data = data;
	msg.answer = data;
	msg.pkt.opcode = packet_opcode(wr, run->sent == 0, *bytes == left);
	msg.pkt.solicited = wr->solicited;
	msg.pkt.psn = run->psn;
	msg.pkt.imm = wr->imm;
	msg.pkt.len = *bytes;
	*answer = bfm_net_request(f, qp, &msg);
	if (answer->kind == BFM_ANSWER_ACK && read && wr->opcode != BFM_SEND_READ &&
			BFM_ATOMIC_CAP(f, atomic_req_8B_endianness_mode) == 0)
		swap_bytes(data);
	if (read && answer->kind == BFM_ANSWER_ACK)
		ret = bfm_segs_write(&who, wr->segs, wr->nb_segs, run->sent, data, *bytes);
	return ret;
}

/* A request without data has a packet as well; NOP has none. */
static void
send_packet(struct bfm_function *f, struct bfm_qp *qp)
{
	struct bfm_run *run = qp->run;
	struct bfm_answer answer;
	uint32_t bytes;
	int ret;

	if (run->wr.opcode == BFM_SEND_NOP) {
		sent_all(f, qp);
		return;
	}
	ret = packet(f, qp, &bytes, &answer);
	if (ret != 0) {
		run->bad = ret == -EMSGSIZE ? BFM_CQE_LOCAL_LEN : BFM_CQE_LOCAL_PROT;
		return;
	}
	if (answer.kind != BFM_ANSWER_SEQ)
		answer.psn = run->psn;
	if (answer.kind != BFM_ANSWER_NONE)
		run->ways[run->nb_ways++] = (struct bfm_way){
			.answer = answer,
			.due = f->model->now_us + f->net.acks_ms * UINT64_C(1000),
		};
	if (run->una == run->psn)
		timer_start(f, qp);
	run->reading = bfm_send_reads(run->wr.opcode);
	run->sent += bytes;
	run->psn = (run->psn + 1) & PSN_MASK;
	if (run->sent == run->wr.len)
		sent_all(f, qp);
}

static enum bfm_step
not_ready(struct bfm_function *f, struct bfm_qp *qp, uint8_t timer)
{
	uint32_t retries = BFM_GET(qp->ctx, QPC, rnr_retry);
	struct bfm_run *run = qp->run;

	run->rnr++;
	f->rnr++;
	if (retries != RNR_FOR_EVER && run->rnr_retries++ == retries) {
		bfm_qp_count(qp, BFM_COUNT_RNR_ERR);
		return fail(f, qp, BFM_CQE_RNR_RETRY);
	}
	repeat(run);
	return wait(f, run, rnr_us(timer));
}

/* Nobody has answered, or somebody who has missed a packet: once more, but not for ever. */
static enum bfm_step
again(struct bfm_function *f, struct bfm_qp *qp)
{
	if (qp->run->retries++ == BFM_GET(qp->ctx, QPC, retry_count))
		return fail(f, qp, BFM_CQE_RETRY);
	repeat(qp->run);
	return BFM_STEP_MORE;
}

static enum bfm_step
take_answer(struct bfm_function *f, struct bfm_qp *qp, const struct bfm_answer *answer)
{
	acknowledge(f, qp, answer->kind == BFM_ANSWER_ACK ? (answer->psn + 1) & PSN_MASK :
			answer->psn);
	if (qp->state != BFM_QP_RTS)
		return BFM_STEP_MORE;
	switch (answer->kind) {
	case BFM_ANSWER_RNR:
		return not_ready(f, qp, answer->rnr_timer);
	case BFM_ANSWER_SEQ:
		bfm_qp_count(qp, BFM_COUNT_SEQ_ERR);
		return again(f, qp);
	case BFM_ANSWER_INV_REQ:
		return fail(f, qp, BFM_CQE_REM_INV_REQ);
	case BFM_ANSWER_ACCESS:
		return fail(f, qp, BFM_CQE_REM_ACCESS);
	case BFM_ANSWER_OP:
		return fail(f, qp, BFM_CQE_REM_OP);
	case BFM_ANSWER_ACK:
	case BFM_ANSWER_NONE:
		break;
	}
	return BFM_STEP_MORE;
}

/* Those that have come. BFM_STEP_WAIT: nothing is to be sent for a while. */
static enum bfm_step
take_answers(struct bfm_function *f, struct bfm_qp *qp)
{
	struct bfm_run *run = qp->run;
	enum bfm_step step = BFM_STEP_MORE;
	struct bfm_answer answer;

	while (run->nb_ways != 0 && run->ways[0].due <= f->model->now_us &&
			step == BFM_STEP_MORE && qp->state == BFM_QP_RTS) {
		answer = run->ways[0].answer;
		memmove(&run->ways[0], &run->ways[1], --run->nb_ways * sizeof(run->ways[0]));
		step = take_answer(f, qp, &answer);
	}
	return step;
}

/* As many packets as may be under way. */
static enum bfm_step
send_packets(struct bfm_function *f, struct bfm_qp *qp)
{
	struct bfm_run *run = qp->run;

	while (behind(run->psn, run->una) < BFM_WINDOW && run->nb_reqs < BFM_WINDOW &&
			qp->state == BFM_QP_RTS) {
		if (!run->started && !start(f, qp))
			break;
		if (run->bad != BFM_CQE_OK)
			return run->una == run->psn ? fail(f, qp, run->bad) : BFM_STEP_MORE;
		/* the answer to a read has data: no other one stands for it */
		if (run->una != run->psn && (run->reading || bfm_send_reads(run->wr.opcode)))
			break;
		if (bfm_net_delays(f, run))
			return BFM_STEP_WAIT;
		send_packet(f, qp);
	}
	return BFM_STEP_MORE;
}

enum bfm_step
bfm_rc_step(struct bfm_function *f, struct bfm_qp *qp)
{
	struct bfm_run *run = qp->run;
	enum bfm_step step;

	step = take_answers(f, qp);
	if (step == BFM_STEP_MORE && qp->state == BFM_QP_RTS && run->nb_ways == 0 &&
			run->una != run->psn && run->timer <= f->model->now_us) {
		bfm_qp_count(qp, BFM_COUNT_TIMEOUT);
		step = again(f, qp);
	}
	if (step == BFM_STEP_MORE && qp->state == BFM_QP_RTS)
		step = send_packets(f, qp);
	if (step == BFM_STEP_WAIT || qp->state != BFM_QP_RTS)
		return step;
	if (run->una == run->psn)
		return run->started || run->sq_next != qp->sq_posted ? BFM_STEP_MORE :
			BFM_STEP_IDLE;
	/* its doorbell is heard all the same, if there is room */
	run->due = run->nb_ways != 0 ? run->ways[0].due : run->timer;
	run->open = behind(run->psn, run->una) < BFM_WINDOW && run->nb_reqs < BFM_WINDOW &&
		run->bad == BFM_CQE_OK;
	return run->due <= f->model->now_us ? BFM_STEP_MORE : BFM_STEP_WAIT;
}
