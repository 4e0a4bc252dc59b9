/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * How queues of the data path begin and end, and what is made once for many requests.
 * Nothing in here is called for a message.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_malloc.h>

#include "bluefield_log.h"
#include "bluefield_wq_fast.h"

static void *
state_alloc(const struct bf_obj *obj, size_t len)
{
	void *state = rte_zmalloc("bf_wq", len, RTE_CACHE_LINE_SIZE);

	if (state == NULL)
		BF_LOG(ERR, "%s: no memory for the state of queue 0x%x (%zu bytes)",
			obj->dev->name, obj->id, len);
	return state;
}

int
bf_sendq_init(struct bf_sendq *q, const struct bf_qp *qp, const struct bf_uar *uar)
{
	if (qp->sq == NULL)
		return -EINVAL;
	*q = (struct bf_sendq){
		.ring = qp->sq,
		.end = state_alloc(&qp->obj, qp->nb_sq_blocks * sizeof(*q->end)),
		.dbr = qp->dbr,
		.uar = uar,
		.mask = qp->nb_sq_blocks - 1,
		.qpn = qp->obj.id,
	};
	return q->end != NULL ? 0 : -ENOMEM;
}

void
bf_sendq_fini(struct bf_sendq *q)
{
	rte_free(q->end);
	memset(q, 0, sizeof(*q));
}

int
bf_recvq_init(struct bf_recvq *q, const struct bf_qp *qp)
{
	if (qp->rq == NULL)
		return -EINVAL;
	*q = (struct bf_recvq){
		.ring = qp->rq,
		.dbr = qp->dbr,
		.mask = qp->nb_rq_wqes - 1,
		.wqe_size = qp->rq_wqe_size,
	};
	return 0;
}

int
bf_sharedq_init(struct bf_sharedq *q, const struct bf_srq *srq)
{
	uint32_t i;

	*q = (struct bf_sharedq){
		.ring = srq->ring,
		.data = RTE_PTR_ADD(srq->ring,
			(srq->wqe_size == bf_post_wqe_size(0) ? 1 : 2) * BF_WQE_SEG),
		.link = state_alloc(&srq->obj, srq->nb_wqes * sizeof(*q->link)),
		.dbr = srq->dbr,
		.mask = srq->nb_wqes - 1,
		.wqe_size = srq->wqe_size,
		.tail = srq->nb_wqes - 1,
		.nb_free = srq->nb_wqes - 1,
	};
	if (q->link == NULL)
		return -ENOMEM;
	/* as bf_srq_create() wrote it into the ring */
	for (i = 0; i < srq->nb_wqes; i++)
		q->link[i] = (i + 1) & q->mask;
	return 0;
}

void
bf_sharedq_fini(struct bf_sharedq *q)
{
	rte_free(q->link);
	memset(q, 0, sizeof(*q));
}

int
bf_compq_init(struct bf_compq *q, const struct bf_cq *cq, const struct bf_uar *uar)
{
	if (cq->ring == NULL)
		return -EINVAL;
	*q = (struct bf_compq){
		.ring = cq->ring,
		.dbr = cq->dbr,
		.uar = uar,
		.mask = cq->nb_cqes - 1,
		.nb_cqes = cq->nb_cqes,
		.cqn = cq->obj.id,
	};
	return 0;
}

void
bf_av_fill(struct bf_wqe_av *av, const struct bf_ud_dest *dest)
{
	*av = (struct bf_wqe_av){
		.qkey = rte_cpu_to_be_32(dest->qkey),
		.qpn = rte_cpu_to_be_32(BF_AV_EXTENDED | dest->qpn),
		.rate_sl = dest->sl << 1,
		.udp_sport = rte_cpu_to_be_16(dest->udp_sport),
		.tclass = dest->tclass,
		.hop_limit = dest->hop_limit,
		.grh = rte_cpu_to_be_32(BF_AV_GRH | (uint32_t)dest->src_addr_index << 20 |
			dest->flow_label),
	};
	memcpy(av->mac, dest->mac, sizeof(av->mac));
	memcpy(av->gid, dest->gid, sizeof(av->gid));
}

static uint64_t
first_half(const struct bf_wqe_ctrl *ctrl)
{
	uint64_t half;

	memcpy(&half, ctrl, sizeof(half));
	return half;
}

void
bf_send_form_init(struct bf_send_form *form, struct bf_sendq *q, uint32_t imm_len)
{
	struct bf_wqe_ctrl ctrl = { 0 };
	uint32_t segs = 1;

	if (imm_len != 0)
		segs += (sizeof(uint32_t) + imm_len + BF_WQE_SEG - 1) / BF_WQE_SEG;
	ctrl.index_opcode = rte_cpu_to_be_32(BF_WQE_SEND_IMM);
	ctrl.qpn_segs = rte_cpu_to_be_32(q->qpn << 8 | segs);
	form->ctrl_no_data = first_half(&ctrl);
	ctrl.qpn_segs = rte_cpu_to_be_32(q->qpn << 8 | (segs + 1));
	form->ctrl = first_half(&ctrl);
	form->imm_len = imm_len;
	form->nb_blocks = (segs + 1) * BF_WQE_SEG > BF_SQ_BLOCK ? 2 : 1;
	form->data_off = segs * BF_WQE_SEG;
	form->inl_head = rte_cpu_to_be_32(imm_len | BF_WQE_INLINE);
	q->one_block = imm_len == 0;
}

void
bf_sharedq_fill(struct bf_sharedq *q, const void *imm, uint32_t imm_stride, uint32_t imm_len,
	uint32_t imm_lkey)
{
	struct bf_sge sge = { .len = imm_len, .lkey = imm_lkey };
	uint8_t *wqe = q->ring;
	uint32_t i;

	for (i = 0; imm_len != 0 && i <= q->mask; i++, wqe += q->wqe_size) {
		sge.addr = (uintptr_t)imm + (size_t)i * imm_stride;
		bf_recv_wqe_put(wqe + BF_WQE_SEG, BF_WQE_SEG, &sge, 1);
		/* the end, behind the buffer */
		bf_recv_wqe_put(wqe + 3 * BF_WQE_SEG, BF_WQE_SEG, NULL, 0);
	}
}

void
bf_sharedq_fill_data(struct bf_sharedq *q, uint64_t key_len)
{
	uint8_t *data = q->data;
	uint32_t i;

	for (i = 0; i <= q->mask; i++, data += q->wqe_size)
		BF_WQ_STORE_SEG(data, key_len, 0);
}
