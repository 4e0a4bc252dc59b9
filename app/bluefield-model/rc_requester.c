/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The sending side of reliable connections: requests in order, packet by packet,
 * with retransmission. What the other side does is in rc_responder.c.
 */

#include <errno.h>
#include <string.h>

#include "data.h"

#define BURST 16u          /* packets before others have their turn */
#define PSN_MASK 0xffffffu
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

static void
wait(struct bfm_function *f, struct bfm_run *run, uint64_t us)
{
	run->due = us == BFM_NEVER ? BFM_NEVER : bfm_now_us(f) + us;
}

/* The request at the head of the queue fails, and the queue pair with it. */
static enum bfm_step
fail(struct bfm_function *f, struct bfm_qp *qp, enum bfm_cqe_synd synd)
{
	(void)bfm_send_done(f, qp, &qp->run->wr, synd);
	bfm_qp_fail(f, qp);
	return BFM_STEP_MORE;
}

/* Fetch the next request. False: there is none, or the queue pair has failed. */
static bool
start(struct bfm_function *f, struct bfm_qp *qp, enum bfm_step *step)
{
	struct bfm_run *run = qp->run;
	enum bfm_cqe_synd synd;
	int n;

	*step = BFM_STEP_IDLE;
	/* at every request: what was posted after the doorbell is seen too */
	n = bfm_send_posted(f, qp);
	if (n == 0)
		return false;
	if (n < 0 || bfm_fault_uses(&f->net.records)) {
		bfm_queue_event(f, BFM_EV_WQ_CATAS, qp->obj.id);
		bfm_qp_fail(f, qp);
		*step = BFM_STEP_MORE;
		return false;
	}
	synd = bfm_send_fetch(f, qp, &run->wr);
	if (synd == BFM_CQE_OK &&
			run->wr.len > UINT64_C(1) << BFM_GET(qp->ctx, QPC, log_msg_max))
		synd = BFM_CQE_LOCAL_LEN;
	if (synd != BFM_CQE_OK) {
		*step = fail(f, qp, synd);
		return false;
	}
	run->started = true;
	run->sent = 0;
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
	if (first && last)
		return base + (imm ? 5 : 4);
	if (last)
		return base + (imm ? 3 : 2);
	return first ? base : base + 1;
}

/* One packet, and its answer. bytes: of the message. -errno: it can not be made. */
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
	struct bfm_msg_pkt msg = { .raddr = wr->raddr + run->sent, .rkey = wr->rkey };
	bool read = wr->opcode == BFM_SEND_READ;
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
	if (read && answer->kind == BFM_ANSWER_ACK)
		ret = bfm_segs_write(&who, wr->segs, wr->nb_segs, run->sent, data, *bytes);
	return ret;
}

/* Nobody answered: again later, or never. */
static enum bfm_step
unanswered(struct bfm_function *f, struct bfm_qp *qp)
{
	struct bfm_run *run = qp->run;

	run->unanswered = true;
	wait(f, run, ack_us(qp));
	return BFM_STEP_WAIT;
}

static enum bfm_step
not_ready(struct bfm_function *f, struct bfm_qp *qp, uint8_t timer)
{
	uint32_t retries = BFM_GET(qp->ctx, QPC, rnr_retry);
	struct bfm_run *run = qp->run;

	if (retries != RNR_FOR_EVER && run->rnr_retries++ == retries) {
		bfm_qp_count(qp, BFM_COUNT_RNR_ERR);
		return fail(f, qp, BFM_CQE_RNR_RETRY);
	}
	wait(f, run, rnr_us(timer));
	return BFM_STEP_WAIT;
}

/* So much more of the message has arrived. */
static enum bfm_step
acknowledged(struct bfm_function *f, struct bfm_qp *qp, uint32_t bytes)
{
	struct bfm_run *run = qp->run;

	run->sent += bytes;
	run->psn = (run->psn + 1) & PSN_MASK;
	run->retries = 0;
	run->rnr_retries = 0;
	if (run->sent < run->wr.len)
		return BFM_STEP_MORE;
	bfm_send_check(f, qp, &run->wr);
	if (bfm_send_done(f, qp, &run->wr, BFM_CQE_OK) != 0)
		bfm_qp_fail(f, qp);
	return BFM_STEP_MORE;
}

static enum bfm_step
one_packet(struct bfm_function *f, struct bfm_qp *qp)
{
	struct bfm_run *run = qp->run;
	struct bfm_answer answer;
	enum bfm_step step;
	uint32_t bytes;
	int ret;

	if (!run->started && !start(f, qp, &step))
		return step;
	if (run->wr.opcode == BFM_SEND_NOP) {
		if (bfm_send_done(f, qp, &run->wr, BFM_CQE_OK) != 0)
			bfm_qp_fail(f, qp);
		return BFM_STEP_MORE;
	}
	if (bfm_net_delays(f, run))
		return BFM_STEP_WAIT;
	if (run->unanswered) {
		run->unanswered = false;
		bfm_qp_count(qp, BFM_COUNT_TIMEOUT);
		if (run->retries++ == BFM_GET(qp->ctx, QPC, retry_count))
			return fail(f, qp, BFM_CQE_RETRY);
	}
	ret = packet(f, qp, &bytes, &answer);
	if (ret != 0)
		return fail(f, qp, ret == -EMSGSIZE ? BFM_CQE_LOCAL_LEN : BFM_CQE_LOCAL_PROT);
	switch (answer.kind) {
	case BFM_ANSWER_ACK:
		return acknowledged(f, qp, bytes);
	case BFM_ANSWER_RNR:
		return not_ready(f, qp, answer.rnr_timer);
	case BFM_ANSWER_INV_REQ:
		return fail(f, qp, BFM_CQE_REM_INV_REQ);
	case BFM_ANSWER_ACCESS:
		return fail(f, qp, BFM_CQE_REM_ACCESS);
	case BFM_ANSWER_OP:
		return fail(f, qp, BFM_CQE_REM_OP);
	case BFM_ANSWER_SEQ: /* it repeats from there, and that is one packet here */
		bfm_qp_count(qp, BFM_COUNT_SEQ_ERR);
		break;
	case BFM_ANSWER_NONE:
		break;
	}
	return unanswered(f, qp);
}

enum bfm_step
bfm_rc_step(struct bfm_function *f, struct bfm_qp *qp)
{
	enum bfm_step step = BFM_STEP_MORE;
	uint32_t i;

	for (i = 0; i < BURST && step == BFM_STEP_MORE && qp->state == BFM_QP_RTS; i++)
		step = one_packet(f, qp);
	return step;
}
