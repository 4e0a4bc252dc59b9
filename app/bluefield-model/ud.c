/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Datagrams, those of queue pair 1 too: both sides. Nobody is told what becomes of
 * them.
 */

#include <errno.h>
#include <string.h>

#include "data.h"

#define BURST 16u
#define UDP_HEADER 8u
#define TRANSPORT_BYTES 24u /* BTH, DETH, ICRC */
#define IMM_BYTES 4u
#define NEXT_UDP 17u
#define NEXT_IBA 0x1bu
#define IPV4_HEADER 20u
#define FLAG_GRH (1u << 28)
#define FLAG_L3_SHIFT 24u

/* ---------------------------------------------------------------- sending */

static enum bfm_step
fail(struct bfm_function *f, struct bfm_qp *qp, enum bfm_cqe_synd synd)
{
	(void)bfm_send_done(f, qp, &qp->run->wr, synd);
	/* datagrams can still be received: only the send queue stops */
	qp->state = BFM_QP_SQER;
	return BFM_STEP_MORE;
}

static enum bfm_step
one_datagram(struct bfm_function *f, struct bfm_qp *qp)
{
	const struct bfm_who who = {
		.f = f, .qpn = qp->obj.id, .pd = BFM_GET(qp->ctx, QPC, pd),
		.reserved_key = BFM_GET(qp->ctx, QPC, rlky) != 0,
	};
	struct bfm_send *wr = &qp->run->wr;
	struct bfm_msg_pkt msg = { .data = NULL };
	uint8_t data[BFM_MTU_MAX];
	enum bfm_cqe_synd synd;
	int n;

	n = bfm_send_posted(f, qp);
	if (n == 0)
		return BFM_STEP_IDLE;
	if (n < 0) {
		bfm_queue_event(f, BFM_EV_WQ_CATAS, qp->obj.id);
		bfm_qp_fail(f, qp);
		return BFM_STEP_MORE;
	}
	if (bfm_net_delays(f, qp->run))
		return BFM_STEP_WAIT;
	synd = bfm_send_fetch(f, qp, qp->run->sq_ci, wr);
	if (synd == BFM_CQE_OK && (wr->len > sizeof(data) ||
			wr->len > UINT64_C(1) << BFM_GET(qp->ctx, QPC, log_msg_max)))
		synd = BFM_CQE_LOCAL_LEN;
	if (synd == BFM_CQE_OK && bfm_segs_read(&who, wr->segs, wr->nb_segs, 0, data,
			(uint32_t)wr->len) != 0)
		synd = BFM_CQE_LOCAL_PROT;
	if (synd != BFM_CQE_OK)
		return fail(f, qp, synd);
	if (wr->opcode != BFM_SEND_NOP) {
		msg.data = data;
		msg.pkt.opcode = wr->opcode == BFM_SEND_SEND_IMM ? BFM_PKT_UD_SEND_IMM :
				BFM_PKT_UD_SEND;
		msg.pkt.solicited = wr->solicited;
		msg.pkt.psn = qp->run->psn;
		msg.pkt.imm = wr->imm;
		msg.pkt.len = (uint32_t)wr->len;
		bfm_net_datagram(f, qp, &wr->av, &msg);
		qp->run->psn = (qp->run->psn + 1) & 0xffffff;
		bfm_send_check(f, qp, wr->index, wr->bytes);
	}
	if (bfm_send_done(f, qp, wr, BFM_CQE_OK) != 0)
		bfm_qp_fail(f, qp);
	return BFM_STEP_MORE;
}

enum bfm_step
bfm_ud_step(struct bfm_function *f, struct bfm_qp *qp)
{
	enum bfm_step step = BFM_STEP_MORE;
	uint32_t i;

	for (i = 0; i < BURST && step == BFM_STEP_MORE && qp->state == BFM_QP_RTS; i++)
		step = one_datagram(f, qp);
	return step;
}

/* -------------------------------------------------------------- receiving */

static void
ipv4_header(const struct bfm_packet *pkt, uint32_t payload, uint8_t *p)
{
	uint32_t sum = 0, i;

	p[0] = 0x45;
	p[1] = pkt->tclass;
	bfm_bits_set(p + 2, 0, 16, payload + IPV4_HEADER);
	p[6] = 0x40; /* not to be fragmented */
	p[8] = pkt->hop_limit;
	p[9] = NEXT_UDP;
	memcpy(p + 12, pkt->sgid + 12, 4);
	memcpy(p + 16, pkt->dgid + 12, 4);
	for (i = 0; i < IPV4_HEADER; i += 2)
		sum += (uint32_t)p[i] << 8 | p[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	bfm_bits_set(p + 10, 0, 16, ~sum & 0xffff);
}

void
bfm_ud_grh(const struct bfm_packet *pkt, uint8_t grh[BFM_GRH_BYTES])
{
	bool v1 = pkt->ib || pkt->l3 == BFM_L3_GRH;
	uint32_t payload = TRANSPORT_BYTES + pkt->len + (v1 ? 0 : UDP_HEADER) +
			(pkt->opcode == BFM_PKT_UD_SEND_IMM ? IMM_BYTES : 0);

	memset(grh, 0, BFM_GRH_BYTES);
	if (!pkt->grh)
		return;
	if (!v1 && pkt->l3 == BFM_L3_IPV4) {
		ipv4_header(pkt, payload, grh + BFM_GRH_BYTES - IPV4_HEADER);
		return;
	}
	bfm_bits_set(grh, 0, 4, 6);
	bfm_bits_set(grh, 4, 8, pkt->tclass);
	bfm_bits_set(grh, 12, 20, pkt->flow_label);
	bfm_bits_set(grh + 4, 0, 16, payload);
	grh[6] = v1 ? NEXT_IBA : NEXT_UDP;
	grh[7] = pkt->hop_limit;
	memcpy(grh + 8, pkt->sgid, sizeof(pkt->sgid));
	memcpy(grh + 24, pkt->dgid, sizeof(pkt->dgid));
}

static void
describe(const struct bfm_packet *pkt, struct bfm_cpl *cpl)
{
	cpl->opcode = pkt->opcode == BFM_PKT_UD_SEND_IMM ? BFM_CQE_RESP_SEND_IMM :
			BFM_CQE_RESP_SEND;
	cpl->solicited = pkt->solicited;
	cpl->bytes = BFM_GRH_BYTES + pkt->len;
	cpl->flags_rqpn = pkt->sqpn | (pkt->grh ? FLAG_GRH : 0) |
			(uint32_t)(pkt->ib ? pkt->sl : pkt->l3) << FLAG_L3_SHIFT;
	cpl->slid = pkt->ib ? pkt->slid : 0;
	cpl->vlan = pkt->vlan;
	cpl->vlan_tag = pkt->vlan_tag;
	if (pkt->opcode == BFM_PKT_UD_SEND_IMM)
		cpl->imm = pkt->imm;
	else
		bfm_bits_set(&cpl->imm, 16, 16, pkt->pkey);
}

void
bfm_ud_receive(struct bfm_function *f, struct bfm_qp *qp, const struct bfm_msg_pkt *msg)
{
	struct bfm_recv *recv = &qp->run->recv;
	struct bfm_cpl cpl = { .synd = BFM_CQE_OK };
	uint8_t grh[BFM_GRH_BYTES];
	struct bfm_who who;
	int ret;

	ret = bfm_recv_take(f, qp, recv);
	if (ret == -EAGAIN) {
		bfm_qp_count(qp, BFM_COUNT_NO_BUFFER);
		return; /* as on the wire: it is lost */
	}
	if (ret != 0) {
		bfm_qp_fail(f, qp);
		return;
	}
	describe(&msg->pkt, &cpl);
	bfm_ud_grh(&msg->pkt, grh);
	bfm_recv_who(f, qp, &who);
	if (cpl.bytes > recv->room) {
		cpl.synd = BFM_CQE_LOCAL_LEN;
	} else {
		ret = bfm_segs_write(&who, recv->segs, recv->nb_segs, 0, grh, sizeof(grh));
		if (ret == 0)
			ret = bfm_segs_write(&who, recv->segs, recv->nb_segs, sizeof(grh),
					msg->data, msg->pkt.len);
		if (ret != 0)
			cpl.synd = BFM_CQE_LOCAL_PROT;
	}
	if (cpl.synd != BFM_CQE_OK)
		cpl.opcode = BFM_CQE_RESP_ERR;
	if (bfm_recv_done(f, qp, &cpl) != 0 || cpl.synd != BFM_CQE_OK)
		bfm_qp_fail(f, qp);
}
