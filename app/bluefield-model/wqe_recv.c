/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Receive requests: of a queue pair's own queue, and of shared ones, which are lists.
 * Nothing is received here.
 */

#include <errno.h>
#include <string.h>

#include "data.h"

#define UNIT 16u
#define NEXT_BYTES 16u           /* a shared queue's entry begins with its link */
#define NEXT_INDEX 2u
#define WHOLE_LENGTH 0x80000000u /* what a count of 0 means */

static uint32_t
get32(const uint8_t *p)
{
	return (uint32_t)bfm_bits_get(p, 0, 32);
}

/* How many are posted by a record and not taken; -EFAULT or -EINVAL. */
static int
posted(struct bfm_function *f, uint64_t dbr, uint16_t taken, uint32_t size, const char *what,
		uint32_t id)
{
	uint8_t record[4];
	uint16_t n;

	if (bfm_dma_read(f, dbr, record, sizeof(record)) != 0)
		return -EFAULT;
	n = (uint16_t)bfm_bits_get(record, 16, 16) - taken;
	if (n <= size)
		return n;
	bfm_log(f, BFM_WARN, "%s 0x%x: %u receive requests are posted, there is room for %u",
			what, id, n, size);
	return -EINVAL;
}

/* The pieces of an entry, up to the one that ends the list. */
static void
parse(struct bfm_recv *recv, const uint8_t *p, uint32_t len)
{
	struct bfm_seg *seg;
	uint32_t count;

	recv->nb_segs = 0;
	recv->room = 0;
	for (; len >= UNIT && recv->nb_segs < BFM_RECV_SEGS; p += UNIT, len -= UNIT) {
		seg = &recv->segs[recv->nb_segs];
		count = get32(p);
		seg->key = get32(p + 4);
		if (count == 0 && seg->key == BFM_RESERVED_KEY)
			break;
		seg->addr = bfm_bits_get(p + 8, 0, 64);
		seg->inl = NULL;
		seg->len = count == 0 ? WHOLE_LENGTH : count;
		recv->room += seg->len;
		recv->nb_segs++;
	}
}

static int
take_own(struct bfm_function *f, struct bfm_qp *qp, struct bfm_recv *recv)
{
	uint32_t log_size = BFM_GET(qp->ctx, QPC, log_rq_size);
	uint32_t stride = qp->rq_bytes >> log_size;
	uint16_t ci = qp->run->rq_ci;
	uint8_t raw[BFM_RECV_BYTES];
	int n;

	n = posted(f, qp->dbr, ci, 1u << log_size, "QP", qp->obj.id);
	if (n <= 0)
		return n == 0 ? -EAGAIN : n;
	if (bfm_buf_dma_read(f, &qp->buf, (uint64_t)(ci & ((1u << log_size) - 1)) * stride, raw,
			stride) != 0)
		return -EFAULT;
	parse(recv, raw, stride);
	recv->index = ci;
	qp->run->rq_ci++;
	return 0;
}

/* Fewer are left than the client wants to be told of. */
static void
limit_check(struct bfm_function *f, struct bfm_srq *srq, uint32_t left)
{
	if (!srq->limit_armed || left >= srq->lwm)
		return;
	srq->limit_armed = false;
	bfm_queue_event(f, BFM_EV_SRQ_RQ_LIMIT, srq->obj.id);
}

static int
take_shared(struct bfm_function *f, struct bfm_srq *srq, struct bfm_recv *recv)
{
	uint32_t stride = 1u << srq->log_stride;
	uint32_t len = stride < BFM_RECV_BYTES ? stride : BFM_RECV_BYTES;
	uint32_t mask = (1u << srq->log_size) - 1;
	uint8_t raw[BFM_RECV_BYTES];
	int n;

	if (srq->state != BFM_RMP_RDY)
		return -EINVAL;
	n = posted(f, srq->dbr, srq->taken, 1u << srq->log_size, bfm_type_name(srq->obj.type),
			srq->obj.id);
	if (n <= 0)
		return n == 0 ? -EAGAIN : n;
	if (bfm_buf_dma_read(f, &srq->buf, (uint64_t)srq->head * stride, raw, len) != 0)
		return -EFAULT;
	parse(recv, raw + NEXT_BYTES, len - NEXT_BYTES);
	recv->index = srq->head;
	srq->head = (srq->cyclic ? srq->head + 1u :
			(uint32_t)bfm_bits_get(raw + NEXT_INDEX, 0, 16)) & mask;
	srq->taken++;
	limit_check(f, srq, (uint32_t)n - 1);
	return 0;
}

int
bfm_recv_take(struct bfm_function *f, struct bfm_qp *qp, struct bfm_recv *recv)
{
	int ret;

	if (qp->rq_type == BFM_RQ_NONE)
		return -EINVAL;
	ret = qp->srq != NULL ? take_shared(f, (struct bfm_srq *)qp->srq, recv) :
			take_own(f, qp, recv);
	recv->active = ret == 0;
	return ret;
}

void
bfm_recv_who(struct bfm_function *f, const struct bfm_qp *qp, struct bfm_who *who)
{
	const struct bfm_srq *srq = (const struct bfm_srq *)qp->srq;

	who->f = f;
	who->qpn = qp->obj.id;
	who->pd = BFM_GET(qp->ctx, QPC, pd);
	who->reserved_key = BFM_GET(qp->ctx, QPC, rlky) != 0;
	if (srq == NULL)
		return;
	/* a shared queue has a domain of its own */
	if (srq->kind == BFM_SRQ_RMP) {
		who->pd = BFM_GET(srq->ctx, RMPC, pd);
	} else {
		who->pd = BFM_GET(srq->ctx, SRQC, pd);
		who->reserved_key = BFM_GET(srq->ctx, SRQC, rlky) != 0;
	}
}
