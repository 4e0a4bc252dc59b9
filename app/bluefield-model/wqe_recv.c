/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Receive requests: of a queue pair's own queue, and of shared ones, which are lists.
 * Nothing is received here.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"

#define UNIT 16u
#define NEXT_BYTES 16u           /* a shared queue's entry begins with its link */
#define NEXT_INDEX 2u
#define AHEAD 4u                 /* ours */
#define WHOLE_LENGTH 0x80000000u /* what a count of 0 means */

/* Requests of a shared queue that were fetched. */
struct bfm_ahead {
	struct bfm_recv recvs[AHEAD];
	uint32_t nb;
	struct bfm_shadow shadow;
};

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

static void
shadow_check(struct bfm_function *f, const struct bfm_shadow *shadow, uint64_t size,
		const struct bfm_recv *recv, const char *what, uint32_t id)
{
	if (!bfm_shadow_same(shadow, recv->at, size, recv->raw, recv->bytes))
		bfm_log(f, BFM_WARN, "%s 0x%x: receive request %u is another one than when its record "
				"said that it was posted: the record comes after the request, with a "
				"barrier between", what, id, recv->index);
}

static int
take_own(struct bfm_function *f, struct bfm_qp *qp, struct bfm_recv *recv)
{
	uint32_t log_size = BFM_GET(qp->ctx, QPC, log_rq_size);
	uint16_t ci = qp->run->rq_ci;
	int n;

	recv->bytes = qp->rq_bytes >> log_size;
	n = posted(f, qp->dbr, ci, 1u << log_size, "QP", qp->obj.id);
	if (n <= 0)
		return n == 0 ? -EAGAIN : n;
	bfm_shadow_ring(f, &qp->run->rq_shadow, &qp->buf, 0, recv->bytes, 1u << log_size,
			(uint16_t)(ci + n));
	recv->at = (uint64_t)(ci & ((1u << log_size) - 1)) * recv->bytes;
	recv->index = ci;
	if (bfm_buf_dma_read(f, &qp->buf, recv->at, recv->raw, recv->bytes) != 0)
		return -EFAULT;
	shadow_check(f, &qp->run->rq_shadow, qp->rq_bytes, recv, "QP", qp->obj.id);
	parse(recv, recv->raw, recv->bytes);
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

/* Fetch the next entry of the list. */
static int
fetch_shared(struct bfm_function *f, struct bfm_srq *srq, struct bfm_recv *recv)
{
	uint32_t stride = 1u << srq->log_stride;
	uint32_t mask = (1u << srq->log_size) - 1;

	recv->bytes = stride < BFM_RECV_BYTES ? stride : BFM_RECV_BYTES;
	recv->at = (uint64_t)srq->head * stride;
	recv->index = srq->head;
	if (bfm_buf_dma_read(f, &srq->buf, recv->at, recv->raw, recv->bytes) != 0)
		return -EFAULT;
	shadow_check(f, &srq->ahead->shadow, (uint64_t)stride << srq->log_size, recv,
			bfm_type_name(srq->obj.type), srq->obj.id);
	parse(recv, recv->raw + NEXT_BYTES, recv->bytes - NEXT_BYTES);
	srq->head = (srq->cyclic ? srq->head + 1u :
			(uint32_t)bfm_bits_get(recv->raw + NEXT_INDEX, 0, 16)) & mask;
	srq->taken++;
	return 0;
}

/*
 * A shared queue's requests are fetched ahead, and messages take them in the order of the
 * list. Messages of several queue pairs are under way at a time, so that they complete in
 * any order.
 */
static int
take_shared(struct bfm_function *f, struct bfm_srq *srq, struct bfm_recv *recv)
{
	uint32_t stride = 1u << srq->log_stride, size = 1u << srq->log_size;
	struct bfm_ahead *ahead = srq->ahead;
	int n;

	if (srq->state != BFM_RMP_RDY)
		return -EINVAL;
	if (ahead == NULL)
		ahead = srq->ahead = calloc(1, sizeof(*ahead));
	if (ahead == NULL)
		return -EINVAL;
	n = posted(f, srq->dbr, srq->taken, size, bfm_type_name(srq->obj.type), srq->obj.id);
	if (n < 0)
		return n;
	if (srq->cyclic)
		bfm_shadow_ring(f, &ahead->shadow, &srq->buf, 0, stride, size,
				(uint16_t)(srq->taken + n));
	else
		bfm_shadow_list(f, &ahead->shadow, &srq->buf, stride, size,
				(uint16_t)(srq->taken + n));
	for (; n > 0 && ahead->nb < AHEAD; n--, ahead->nb++) {
		if (fetch_shared(f, srq, &ahead->recvs[ahead->nb]) != 0)
			return -EFAULT;
	}
	if (ahead->nb == 0)
		return -EAGAIN;
	/* no completion tells of it: to hear it by the event alone is the more difficult */
	if (bfm_fault_uses(&f->net.posts)) {
		bfm_queue_event(f, BFM_EV_SRQ_CATAS, srq->obj.id);
		return -EAGAIN;
	}
	*recv = ahead->recvs[0];
	memmove(&ahead->recvs[0], &ahead->recvs[1], --ahead->nb * sizeof(ahead->recvs[0]));
	limit_check(f, srq, ahead->nb + (uint32_t)n);
	return 0;
}

void
bfm_ahead_free(struct bfm_srq *srq)
{
	if (srq->ahead != NULL)
		free(srq->ahead->shadow.bytes);
	free(srq->ahead);
	srq->ahead = NULL;
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
bfm_recv_check(struct bfm_function *f, struct bfm_qp *qp, const struct bfm_recv *recv)
{
	const struct bfm_srq *srq = (const struct bfm_srq *)qp->srq;
	const struct bfm_buf *buf = srq != NULL ? &srq->buf : &qp->buf;
	uint32_t skip = srq != NULL ? NEXT_BYTES : 0; /* the list is the client's */
	uint8_t raw[BFM_RECV_BYTES];

	if (bfm_buf_dma_read(f, buf, recv->at, raw, recv->bytes) != 0)
		return;
	if (memcmp(raw + skip, recv->raw + skip, recv->bytes - skip) != 0)
		bfm_log(f, BFM_WARN, "QP 0x%x: receive request %u was changed before it was done",
				qp->obj.id, recv->index);
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
