/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What count-instructions.py --libmlx5 runs under callgrind: libmlx5's own functions of
 * the data path, on queues in plain memory and without a device. It is compiled with the
 * headers of rdma-core's sources and linked with their static libraries; no build of this
 * project needs it. Context, queue pair and queues are filled by hand, with what these
 * functions look at (rdma-core 56): one thread and no locks, completions of version 1 and
 * of 64 bytes, no BlueFlame. Messages are those of the bluefield driver's table: 64 bytes
 * by one segment, SEND with immediate, to a shared receive queue.
 *
 * usage: count-libmlx5 <messages, a multiple of 32>
 */

#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlx5.h"

#define BURST 32
#define ENTRIES 256u
#define LEN 64
#define QPN 5
#define UIDX 3
#define QP_WQE 64
#define SRQ_WQE 32
#define OP_SHIFT 4

static struct mlx5_context ctx;
static struct mlx5_resource *uidx_table[MLX5_UIDX_TABLE_MASK + 1];
static struct ibv_device device;
static struct mlx5_bf bf;
static struct mlx5_qp qp, own;  /* own has a receive queue of its own */
static struct mlx5_srq srq;
static struct mlx5_cq scq, rcq;
static uint8_t page[4096] __attribute__((aligned(4096)));
static uint8_t data[BURST * LEN];
static __be32 records[16];
static uint32_t cqes_made[2];   /* by the device, of both completion queues */
static uint32_t messages_made;

static void *
zeros(size_t size)
{
	void *p = NULL;

	size = (size + 63) & ~(size_t)63;
	if (posix_memalign(&p, 64, size) != 0)
		abort();
	return memset(p, 0, size);
}

static void
open_wq(struct mlx5_wq *wq)
{
	wq->wrid = zeros(ENTRIES * sizeof(*wq->wrid));
	wq->wqe_head = zeros(ENTRIES * sizeof(*wq->wqe_head));
	wq->wr_data = zeros(ENTRIES * sizeof(*wq->wr_data));
	wq->wqe_cnt = ENTRIES;
	wq->max_post = ENTRIES;
	wq->max_gs = 1;
	wq->qp_state_max_gs = 1;
}

static void
open_cq(struct mlx5_cq *cq, __be32 *record)
{
	struct mlx5_cqe64 *cqes = zeros(ENTRIES * sizeof(*cqes));
	uint32_t i;

	for (i = 0; i < ENTRIES; i++)
		cqes[i].op_own = MLX5_CQE_INVALID << OP_SHIFT | 1;
	cq->verbs_cq.cq.context = &ctx.ibv_ctx.context;
	cq->verbs_cq.cq.cqe = ENTRIES - 1;
	cq->buf_a.buf = cqes;
	cq->active_buf = &cq->buf_a;
	cq->cqe_sz = sizeof(*cqes);
	cq->dbrec = record;
}

static void
open_qp(struct mlx5_qp *q, __be32 *record)
{
	struct ibv_qp *ibqp = &q->verbs_qp.qp;

	q->rsc.type = MLX5_RSC_TYPE_QP;
	q->rsc.rsn = UIDX;
	q->ibv_qp = ibqp;
	ibqp->context = &ctx.ibv_ctx.context;
	ibqp->qp_type = IBV_QPT_RC;
	ibqp->qp_num = QPN;
	ibqp->state = IBV_QPS_RTS;
	ibqp->send_cq = &scq.verbs_cq.cq;
	ibqp->recv_cq = &rcq.verbs_cq.cq;
	q->bf = &bf;
	q->db = record;
	q->buf.buf = zeros(ENTRIES * (QP_WQE + SRQ_WQE));
	q->sq_start = q->buf.buf;
	q->rq.offset = ENTRIES * QP_WQE;
	q->rq.wqe_shift = 4; /* one segment */
	open_wq(&q->sq);
	open_wq(&q->rq);
	q->sq.qend = (uint8_t *)q->sq_start + ENTRIES * QP_WQE;
}

static void
open_all(void)
{
	struct mlx5_wqe_srq_next_seg *next;
	uint32_t i;

	ctx.ibv_ctx.context.device = &device;
	ctx.cqe_version = 1;
	ctx.uidx_table[0].table = uidx_table;
	ctx.uidx_table[0].refcnt = 1;
	uidx_table[UIDX] = &qp.rsc;
	bf.reg = page;
	bf.buf_size = 256;
	open_cq(&scq, &records[0]);
	open_cq(&rcq, &records[2]);
	open_qp(&qp, &records[4]);
	open_qp(&own, &records[6]);
	srq.buf.buf = zeros(ENTRIES * SRQ_WQE);
	srq.wrid = zeros(ENTRIES * sizeof(*srq.wrid));
	srq.free_wqe_bitmap = zeros(ENTRIES / 8);
	srq.max = ENTRIES;
	srq.nwqes = ENTRIES;
	srq.max_gs = 1;
	srq.wqe_shift = 5;
	srq.tail = ENTRIES - 1;
	srq.db = &records[8];
	for (i = 0; i < ENTRIES; i++) {
		next = (void *)((uint8_t *)srq.buf.buf + i * SRQ_WQE);
		next->next_wqe_index = htobe16((i + 1) % ENTRIES);
	}
	qp.verbs_qp.qp.srq = &srq.vsrq.srq;
	srq.rsc.type = MLX5_RSC_TYPE_XSRQ;
}

/* The device completes one request. */
static void
complete(struct mlx5_cq *cq, uint32_t *made, uint8_t opcode, uint8_t of, uint16_t index)
{
	struct mlx5_cqe64 *cqe = cq->buf_a.buf;
	uint32_t n = (*made)++;

	cqe += n % ENTRIES;
	memset(cqe, 0, sizeof(*cqe));
	cqe->srqn_uidx = htobe32(UIDX);
	cqe->byte_cnt = htobe32(LEN);
	cqe->sop_drop_qpn = htobe32((uint32_t)of << 24 | QPN);
	cqe->wqe_counter = htobe16(index);
	cqe->op_own = opcode << OP_SHIFT | ((n / ENTRIES) & 1);
}

/*
 * What is counted, by name. The word in the assembly keeps the compiler from folding
 * functions that are alike.
 */
#define COUNT_APART(name) asm volatile("# " #name : : : "memory")

#define COUNT_OPS(kind, nb) \
static __attribute__((noinline)) int \
count_mlx5_send_##kind##_##nb(struct ibv_send_wr *wr, struct ibv_send_wr **bad) \
{ \
	COUNT_APART(send_##kind##_##nb); \
	return mlx5_post_send(&qp.verbs_qp.qp, wr, bad); \
} \
static __attribute__((noinline)) int \
count_mlx5_post_##kind##_##nb(struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) \
{ \
	COUNT_APART(post_##kind##_##nb); \
	return mlx5_post_srq_recv(&srq.vsrq.srq, wr, bad); \
} \
static __attribute__((noinline)) int \
count_mlx5_own_##kind##_##nb(struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) \
{ \
	COUNT_APART(own_##kind##_##nb); \
	return mlx5_post_recv(&own.verbs_qp.qp, wr, bad); \
} \
static __attribute__((noinline)) int \
count_mlx5_receive_##kind##_##nb(struct ibv_wc *wcs) \
{ \
	COUNT_APART(receive_##kind##_##nb); \
	return mlx5_poll_cq_v1(&rcq.verbs_cq.cq, nb, wcs); \
} \
static __attribute__((noinline)) int \
count_mlx5_sent_##kind##_##nb(struct ibv_wc *wcs) \
{ \
	COUNT_APART(sent_##kind##_##nb); \
	return mlx5_poll_cq_v1(&scq.verbs_cq.cq, nb, wcs); \
} \
static const struct count_ops count_mlx5_##kind##_##nb = { \
	nb, count_mlx5_send_##kind##_##nb, count_mlx5_post_##kind##_##nb, \
	count_mlx5_own_##kind##_##nb, count_mlx5_receive_##kind##_##nb, \
	count_mlx5_sent_##kind##_##nb, \
}

struct count_ops {
	int nb;
	int (*send)(struct ibv_send_wr *wr, struct ibv_send_wr **bad);
	int (*post)(struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
	int (*own)(struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
	int (*receive)(struct ibv_wc *wcs);
	int (*sent)(struct ibv_wc *wcs);
};

/* One completion for the last send of a burst, as the driver has it, or one for each. */
COUNT_OPS(last, 1);
COUNT_OPS(last, 32);
COUNT_OPS(each, 1);
COUNT_OPS(each, 32);

/* Read by name only, and not known to the compiler. */
static const struct count_ops *volatile count_ops;

static void
expect(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "count-libmlx5: %s\n", what);
	exit(1);
}

/* A burst of messages, from the posts to the last completion. */
static void
burst(struct ibv_send_wr *sends, struct ibv_recv_wr *posts, int each)
{
	const int nb = count_ops->nb, nb_sent = each ? nb : 1;
	struct ibv_send_wr *bad_send;
	struct ibv_recv_wr *bad_post;
	struct ibv_wc wcs[BURST];
	int i;

	expect(count_ops->post(posts, &bad_post) == 0, "a post was refused");
	expect(count_ops->own(posts, &bad_post) == 0, "a post of one queue was refused");
	own.rq.tail = own.rq.head;
	expect(count_ops->send(sends, &bad_send) == 0, "a send was refused");
	for (i = 0; i < nb; i++, messages_made++) {
		/* posts are taken in the order of the list */
		complete(&rcq, &cqes_made[0], MLX5_CQE_RESP_SEND_IMM, 0, messages_made % ENTRIES);
		if (each || i == nb - 1)
			complete(&scq, &cqes_made[1], MLX5_CQE_REQ, MLX5_OPCODE_SEND_IMM,
				messages_made);
	}
	expect(count_ops->receive(wcs) == nb, "a message is missing");
	for (i = 0; i < nb; i++)
		expect(wcs[i].status == IBV_WC_SUCCESS && wcs[i].byte_len == LEN &&
			wcs[i].wr_id == (uint64_t)i, "a message is not what was sent");
	expect(count_ops->sent(wcs) == nb_sent, "a completion is missing");
	for (i = 0; i < nb_sent; i++)
		expect(wcs[i].status == IBV_WC_SUCCESS &&
			wcs[i].wr_id == (uint64_t)(nb - nb_sent + i),
			"a completion is not that of its send");
}

static void
run(const struct count_ops *ops, unsigned int messages, int each)
{
	struct ibv_send_wr sends[BURST] = { 0 };
	struct ibv_recv_wr posts[BURST] = { 0 };
	struct ibv_sge sges[BURST] = { 0 };
	unsigned int n;
	int i;

	for (i = 0; i < ops->nb; i++) {
		sges[i].addr = (uintptr_t)data + i * LEN;
		sges[i].length = LEN;
		sges[i].lkey = 1;
		sends[i].wr_id = i;
		sends[i].next = i + 1 < ops->nb ? &sends[i + 1] : NULL;
		sends[i].sg_list = &sges[i];
		sends[i].num_sge = 1;
		sends[i].opcode = IBV_WR_SEND_WITH_IMM;
		sends[i].send_flags = each || i == ops->nb - 1 ? IBV_SEND_SIGNALED : 0;
		posts[i].wr_id = i;
		posts[i].next = i + 1 < ops->nb ? &posts[i + 1] : NULL;
		posts[i].sg_list = &sges[i];
		posts[i].num_sge = 1;
	}
	count_ops = ops;
	for (n = 0; n < messages; n += ops->nb)
		burst(sends, posts, each);
}

int
main(int argc, char **argv)
{
	unsigned int messages = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;

	if (messages == 0 || messages % BURST != 0) {
		fprintf(stderr, "usage: count-libmlx5 <messages, a multiple of 32>\n");
		return 1;
	}
	open_all();
	run(&count_mlx5_last_1, messages, 0);
	run(&count_mlx5_last_32, messages, 0);
	run(&count_mlx5_each_1, messages, 1);
	run(&count_mlx5_each_32, messages, 1);
	return 0;
}
