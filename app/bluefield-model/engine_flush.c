/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The end of requests: their completions, and what becomes of those that are posted
 * when a queue pair is in error.
 */

#include <errno.h>
#include <string.h>

#include "data.h"

#define BURST 32u
#define LOOK_US 5000u /* for receive requests posted later: nothing rings for them */
#define LAST_US 200u  /* until a queue pair has done with its shared queue */

int
bfm_send_done(struct bfm_function *f, struct bfm_qp *qp, const struct bfm_send *wr,
		enum bfm_cqe_synd synd)
{
	const struct bfm_cpl cpl = {
		.opcode = synd == BFM_CQE_OK ? BFM_CQE_REQ : BFM_CQE_REQ_ERR, .synd = synd,
		.send_opcode = wr->opcode, .counter = wr->index,
		.bytes = bfm_send_reads(wr->opcode) ? (uint32_t)wr->len : 0,
	};

	qp->run->sq_ci += wr->blocks;
	if (synd == BFM_CQE_OK && !wr->signalled)
		return 0;
	return bfm_cqe_write(f, qp, (struct bfm_cq *)qp->send_cq, &cpl);
}

int
bfm_recv_done(struct bfm_function *f, struct bfm_qp *qp, struct bfm_cpl *cpl)
{
	bfm_recv_check(f, qp, &qp->run->recv);
	cpl->counter = qp->run->recv.index;
	qp->run->recv.active = false;
	return bfm_cqe_write(f, qp, (struct bfm_cq *)qp->recv_cq, cpl);
}

void
bfm_qp_fail(struct bfm_function *f, struct bfm_qp *qp)
{
	if (qp->state == BFM_QP_ERR)
		return;
	bfm_log(f, BFM_DEBUG, "QP 0x%x goes to state ERR", qp->obj.id);
	qp->state = BFM_QP_ERR;
	bfm_qp_stopped(f, qp);
}

void
bfm_qp_stopped(struct bfm_function *f, struct bfm_qp *qp)
{
	struct bfm_run *run = qp->run;

	run->due = 0;
	run->started = false;
	run->nb_reqs = 0;
	run->nb_ways = 0;
	run->writing = false;
	run->last_due = f->model->now_us + (qp->srq != NULL ? LAST_US : 0);
	bfm_qp_kick(f, qp);
}

/*
 * What it has taken comes back. Of a shared queue nothing else is flushed: this one takes no
 * more of it, and says so; who destroys it before that loses what it has.
 */
static void
flush_taken(struct bfm_function *f, struct bfm_qp *qp)
{
	struct bfm_cpl cpl = { .opcode = BFM_CQE_RESP_ERR, .synd = BFM_CQE_FLUSH };

	qp->run->last_due = 0;
	if (qp->run->recv.active)
		(void)bfm_recv_done(f, qp, &cpl);
	if (qp->srq != NULL)
		bfm_queue_event(f, BFM_EV_SRQ_LAST_WQE, qp->obj.id);
}

/* One send request without a look at what it wants. False: there is none. */
static bool
flush_send(struct bfm_function *f, struct bfm_qp *qp)
{
	struct bfm_send *wr = &qp->run->wr;

	if (!qp->has_sq || bfm_send_posted(f, qp) <= 0)
		return false;
	bfm_send_head(f, qp, wr);
	return bfm_send_done(f, qp, wr, BFM_CQE_FLUSH) == 0;
}

static bool
flush_recv(struct bfm_function *f, struct bfm_qp *qp)
{
	struct bfm_cpl cpl = { .opcode = BFM_CQE_RESP_ERR, .synd = BFM_CQE_FLUSH };

	if (qp->rq_type != BFM_RQ_OWN || bfm_recv_take(f, qp, &qp->run->recv) != 0)
		return false;
	return bfm_recv_done(f, qp, &cpl) == 0;
}

enum bfm_step
bfm_flush_step(struct bfm_function *f, struct bfm_qp *qp)
{
	struct bfm_run *run = qp->run;
	uint32_t i;

	if (run->last_due != 0 && run->last_due <= f->model->now_us)
		flush_taken(f, qp);
	for (i = 0; i < BURST; i++) {
		if (!flush_send(f, qp) && (qp->state != BFM_QP_ERR || !flush_recv(f, qp)))
			break;
	}
	if (i == BURST)
		return BFM_STEP_MORE;
	if (run->last_due == 0 && (qp->state != BFM_QP_ERR || qp->rq_type != BFM_RQ_OWN))
		return BFM_STEP_IDLE;
	run->due = run->last_due != 0 ? run->last_due : f->model->now_us + LOOK_US;
	return BFM_STEP_WAIT;
}
