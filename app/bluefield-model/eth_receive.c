/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Frames that come: their way through the flow tables of a function to its RQs, and
 * into memory.
 */

#include <errno.h>
#include <string.h>
#include <time.h>

#include "eth.h"
#include "vport.h"

#define MAX_LOOKS 4096u /* of one frame at tables and entries: it can be copied */
#define UNIT 16u
#define CQE_BYTES 64u
#define CQE_L2_L3_OK 0x03u
#define CQE_L4_OK 0x04u
#define HDR_VLAN 0x01u

/* Places in a completion. */
enum {
	CQE_CHECKSUM = 20, CQE_OK_BITS = 28, CQE_HDR_TYPE = 29, CQE_VLAN = 30,
	CQE_BYTES_DONE = 44, CQE_TIMESTAMP = 48, CQE_FLOW_TAG = 56, CQE_SYND = 55,
	CQE_COUNTER = 60,
};

/* ------------------------------------------------------------------- RQ */

/* The tag goes into the completion. */
static uint16_t
vlan_strip(struct bfm_frame *frame)
{
	uint16_t tci = (uint16_t)bfm_bits_get(frame->data + BFM_ETH_HDR, 0, 16);

	memmove(frame->data + BFM_ETH_HDR - 2, frame->data + BFM_ETH_HDR + 2,
			frame->len - BFM_ETH_HDR - 2);
	frame->len -= BFM_VLAN_HDR;
	frame->end -= BFM_VLAN_HDR;
	frame->l3 -= BFM_VLAN_HDR;
	return tci;
}

/* Write the frame to the pieces of the next request. 0, -EAGAIN, or -errno of a fault. */
static int
scatter(struct bfm_function *f, struct bfm_wq *rq, const struct bfm_frame *frame)
{
	const struct bfm_who who = {
		.f = f, .qpn = rq->obj.id, .pd = BFM_GET(rq->ctx, RQC, pd),
		.reserved_key = BFM_GET(rq->ctx, RQC, rlky) != 0,
	};
	uint32_t stride = 1u << rq->log_stride, i, nb = 0;
	uint64_t off = (uint64_t)(rq->ci & ((1u << rq->log_size) - 1)) << rq->log_stride;
	struct bfm_seg segs[BFM_RECV_SEGS];
	uint8_t raw[BFM_RECV_BYTES], record[4];
	uint16_t posted;

	if (bfm_dma_read(f, rq->dbr, record, sizeof(record)) != 0)
		return -EFAULT;
	if (stride > sizeof(raw))
		stride = sizeof(raw);
	posted = (uint16_t)bfm_bits_get(record, 16, 16) - rq->ci;
	if (posted == 0)
		return -EAGAIN;
	if (posted > 1u << rq->log_size || bfm_buf_dma_read(f, &rq->buf, off, raw, stride) != 0)
		return -EFAULT;
	memset(segs, 0, sizeof(segs));
	for (i = 0; i < stride / UNIT; i++) {
		segs[nb].len = (uint32_t)bfm_bits_get(raw + i * UNIT, 0, 31);
		segs[nb].key = (uint32_t)bfm_bits_get(raw + i * UNIT + 4, 0, 32);
		segs[nb].addr = bfm_bits_get(raw + i * UNIT + 8, 0, 64);
		if (segs[nb].len == 0 && segs[nb].key == BFM_RESERVED_KEY)
			break;
		nb++;
	}
	return bfm_segs_write(&who, segs, nb, 0, frame->data, frame->len);
}

static void
cqe_fill(const struct bfm_frame *frame, uint32_t tag, uint8_t *cqe)
{
	struct timespec ts;

	cqe[CQE_OK_BITS] = CQE_L2_L3_OK | (frame->l4 != 0 ? CQE_L4_OK : 0);
	bfm_bits_set(cqe + CQE_CHECKSUM, 0, 16, bfm_frame_sum(frame));
	bfm_bits_set(cqe + CQE_BYTES_DONE, 0, 32, frame->len);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	bfm_bits_set(cqe + CQE_TIMESTAMP, 0, 64, (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec);
	bfm_bits_set(cqe + CQE_FLOW_TAG, 8, 24, tag);
}

static void
rq_receive(struct bfm_function *f, struct bfm_wq *rq, const struct bfm_frame *came, uint32_t tag)
{
	bool vlan = BFM_GET(came->match, FLOW_MATCH, cvlan_tag) != 0 &&
			BFM_GET(rq->ctx, RQC, vsd) == 0;
	uint8_t cqe[CQE_BYTES] = { 0 }, data[BFM_MTU_LIMIT];
	struct bfm_frame frame = *came;
	int ret;

	if (rq->state != BFM_WQ_RDY || came->len > sizeof(data) ||
			(bfm_dma_by_message(f) && !bfm_dma_now(f, rq->dbr))) {
		rq->lost++;
		return;
	}
	memcpy(data, came->data, came->len);
	frame.data = data;
	if (vlan) {
		bfm_bits_set(cqe + CQE_VLAN, 0, 16, vlan_strip(&frame));
		cqe[CQE_HDR_TYPE] = HDR_VLAN;
	}
	ret = scatter(f, rq, &frame);
	if (ret == -EAGAIN) {
		rq->lost++;
		return;
	}
	cqe_fill(&frame, tag, cqe);
	if (ret != 0) {
		cqe[CQE_SYND] = ret == -EMSGSIZE ? BFM_CQE_LOCAL_LEN : BFM_CQE_LOCAL_PROT;
		rq->state = BFM_WQ_ERR;
	}
	bfm_bits_set(cqe + CQE_COUNTER, 0, 16, rq->ci++);
	rq->frames++;
	if (bfm_cqe_put(f, (struct bfm_cq *)rq->cq, cqe, ret != 0 ? BFM_CQE_RESP_ERR :
			BFM_CQE_RESP_SEND, false, ret != 0) != 0)
		rq->state = BFM_WQ_ERR;
}

/* Of a list, which RQ: the same for what has the same addresses and ports. Ours. */
static void
tir_receive(struct bfm_function *f, const struct bfm_tir *tir, const struct bfm_frame *frame,
		uint32_t tag)
{
	const struct bfm_rqt *rqt = (const struct bfm_rqt *)tir->rqt;
	uint32_t i, hash = 0;

	if (rqt == NULL) {
		rq_receive(f, (struct bfm_wq *)tir->rq, frame, tag);
		return;
	}
	for (i = FLOW_MATCH_tcp_sport_BIT / 8; i < FLOW_MATCH_BYTES; i++)
		hash ^= frame->match[i];
	rq_receive(f, (struct bfm_wq *)rqt->rqs[hash & (rqt->nb - 1)], frame, tag);
}

/* ----------------------------------------------------------- flow tables */

static bool
entry_matches(const struct bfm_flow_entry *e, const struct bfm_frame *frame)
{
	uint32_t i;

	for (i = 0; i < FLOW_MATCH_BYTES; i++)
		if (((frame->match[i] ^ e->value[i]) & e->group->criteria[i]) != 0)
			return false;
	return true;
}

/* Tables lead to those of a higher level only, so that this comes to an end. */
static void
table_receive(struct bfm_function *f, const struct bfm_flow_table *t,
		const struct bfm_frame *frame, uint32_t *budget)
{
	struct bfm_flow_entry *e = NULL;
	uint32_t i;

	while (t != NULL && *budget != 0) {
		--*budget;
		TAILQ_FOREACH(e, &t->entries, next) {
			if (entry_matches(e, frame) || --*budget == 0)
				break;
		}
		if (e != NULL)
			break;
		t = (const struct bfm_flow_table *)t->miss;
	}
	if (t == NULL || *budget == 0)
		return;
	e->frames++;
	for (i = 0; i < e->nb_dests; i++) {
		if (e->dests[i]->type == BFM_T_TIR)
			tir_receive(f, (struct bfm_tir *)e->dests[i], frame, e->tag);
		else
			table_receive(f, (struct bfm_flow_table *)e->dests[i], frame, budget);
	}
}

void
bfm_eth_receive(struct bfm_function *f, const struct bfm_frame *frame)
{
	uint32_t budget = MAX_LOOKS;

	table_receive(f, (const struct bfm_flow_table *)f->rx_root, frame, &budget);
}
