/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Between queue pairs: the headers of what one sends, the way through the switch or
 * looped back, and the queue pair that it arrives at. What that makes of it is in
 * rc_responder.c and ud.c.
 *
 * A packet arrives, and its answer with it, before the call returns: there is one
 * packet of a queue pair under way at a time. What is lost is lost for good, and the
 * sender's timer tells.
 */

#include <string.h>

#include "data.h"
#include "vport.h"

#define DEFAULT_PKEY 0xffffu
/* What a vport's MTU has to take besides: Ethernet, VLAN, FCS; IPv6, UDP, BTH, ICRC. */
#define HEADERS (22u + 64u)
#define HOP_LIMIT 64u
#define QP1_NUMBER 1u
#define QKEY_OF_QP 0x80000000u
#define MULTICAST_QPN 0xffffffu
#define ROCE_V1 0u

static const struct bfm_roce_entry *
roce_entry(const struct bfm_function *f, uint32_t port, uint32_t index)
{
	if (!bfm_vport_gid(f, port, index))
		return NULL;
	return &f->vport->roce[port - 1][index];
}

static void
common_headers(const struct bfm_function *f, struct bfm_packet *pkt)
{
	pkt->ib = f->conf.ib_port;
	pkt->pkey = DEFAULT_PKEY;
	pkt->udp_dport = BFM_ROCE_UDP_PORT;
	pkt->slid = (uint16_t)BFM_GET(f->vport->hca, HCAV, lid);
}

/* The port's own address, of InfiniBand. */
static void
ib_gid(const struct bfm_function *f, uint8_t gid[16])
{
	bfm_bits_set(gid, 0, 64, UINT64_C(0xfe80000000000000));
	bfm_bits_set(gid, 64, 64, BFM_GET(f->vport->hca, HCAV, port_guid));
}

/* What the entry of the address table says of the sender. False: there is none. */
static bool
roce_source(const struct bfm_function *f, uint32_t port, uint32_t index, struct bfm_packet *pkt)
{
	const struct bfm_roce_entry *e = roce_entry(f, port, index);

	if (e == NULL || !bfm_vport_roce(f))
		return false;
	memcpy(pkt->sgid, e->raw, sizeof(pkt->sgid));
	pkt->smac = BFM_GET(e->raw, ROCE_ADDR, source_mac);
	pkt->vlan = BFM_GET(e->raw, ROCE_ADDR, vlan_valid) != 0;
	pkt->vlan_tag = (uint16_t)BFM_GET(e->raw, ROCE_ADDR, vlan_id);
	pkt->l3 = BFM_GET(e->raw, ROCE_ADDR, roce_version) == ROCE_V1 ? BFM_L3_GRH :
			BFM_GET(e->raw, ROCE_ADDR, roce_l3_type) == 0 ? BFM_L3_IPV4 : BFM_L3_IPV6;
	return true;
}

/* Headers by the path of a connected queue pair. */
static bool
path_headers(const struct bfm_function *f, const struct bfm_qp *qp, struct bfm_packet *pkt)
{
	const uint8_t *ctx = qp->ctx;

	common_headers(f, pkt);
	pkt->dqpn = BFM_GET(ctx, QPC, remote_qpn);
	pkt->tclass = BFM_GET(ctx, QPC, pri_tclass);
	pkt->flow_label = BFM_GET(ctx, QPC, pri_flow_label);
	pkt->hop_limit = BFM_GET(ctx, QPC, pri_hop_limit);
	pkt->udp_sport = BFM_GET(ctx, QPC, pri_udp_sport);
	bfm_bits_set(pkt->dgid, 0, 64, bfm_bits_get(ctx, QPC_pri_rgid_rip_BIT, 64));
	bfm_bits_set(pkt->dgid, 64, 64, bfm_bits_get(ctx, QPC_pri_rgid_rip_BIT + 64, 64));
	if (pkt->ib) {
		pkt->dlid = BFM_GET(ctx, QPC, pri_rlid);
		pkt->sl = BFM_GET(ctx, QPC, pri_sl);
		pkt->grh = BFM_GET(ctx, QPC, pri_grh) != 0;
		ib_gid(f, pkt->sgid);
		return true;
	}
	pkt->grh = true;
	pkt->dmac = BFM_GET(ctx, QPC, pri_rmac);
	return roce_source(f, BFM_GET(ctx, QPC, pri_vhca_port_num),
			BFM_GET(ctx, QPC, pri_src_addr_index), pkt);
}

static bool
too_long(const struct bfm_function *f, const struct bfm_packet *pkt)
{
	return !pkt->ib && pkt->len + HEADERS > bfm_vport_mtu(f);
}

bool
bfm_net_delays(struct bfm_function *f, struct bfm_run *run)
{
	if (f->net.delay_ms == 0 || run->delayed) {
		run->delayed = false;
		return false;
	}
	run->delayed = true;
	run->due = f->model->now_us + f->net.delay_ms * UINT64_C(1000);
	return true;
}

/* Through the switch. False: it is lost. */
static bool
forward(struct bfm_function *f, const struct bfm_packet *pkt, struct bfm_function **to)
{
	if (bfm_fault_uses(&f->net.drop))
		return false;
	if (too_long(f, pkt)) {
		bfm_log(f, BFM_INFO, "a packet of %u bytes is above the MTU of the vport: dropped",
				pkt->len);
		return false;
	}
	if (bfm_switch_forward(f, pkt, to) != 0 || (*to)->hca != BFM_HCA_INITIALISED ||
			!bfm_dma_enabled(*to))
		return false;
	if (too_long(*to, pkt)) {
		bfm_log(*to, BFM_INFO, "a packet of %u bytes for this function is above the MTU of "
				"its vport: dropped", pkt->len);
		return false;
	}
	f->vport->counters[VCOUNT_TX_UNICAST]++;
	f->vport->counters[VCOUNT_TX_UNICAST + 1] += pkt->len;
	(*to)->vport->counters[VCOUNT_RX_UNICAST]++;
	(*to)->vport->counters[VCOUNT_RX_UNICAST + 1] += pkt->len;
	return true;
}

static struct bfm_qp *
qp_find(struct bfm_function *f, uint32_t qpn)
{
	return (struct bfm_qp *)bfm_object_find(f, BFM_T_QP, qpn);
}

static bool
receives(const struct bfm_qp *qp)
{
	return qp->state == BFM_QP_RTR || qp->state == BFM_QP_RTS || qp->state == BFM_QP_SQD ||
			qp->state == BFM_QP_SQER;
}

/* A connected queue pair takes packets of its peer's address only. */
static bool
is_peer(const struct bfm_qp *qp, const struct bfm_packet *pkt, bool loopback)
{
	uint8_t gid[16];

	if (loopback || BFM_GET(qp->ctx, QPC, pri_fl) != 0)
		return loopback == (BFM_GET(qp->ctx, QPC, pri_fl) != 0);
	if (pkt->ib)
		return BFM_GET(qp->ctx, QPC, pri_rlid) == pkt->slid;
	bfm_bits_set(gid, 0, 64, bfm_bits_get(qp->ctx, QPC_pri_rgid_rip_BIT, 64));
	bfm_bits_set(gid, 64, 64, bfm_bits_get(qp->ctx, QPC_pri_rgid_rip_BIT + 64, 64));
	return memcmp(gid, pkt->sgid, sizeof(gid)) == 0;
}

/* Does the answer of g's queue pair find the one that asked? */
static bool
answer_arrives(struct bfm_function *g, struct bfm_qp *peer, const struct bfm_function *f,
		const struct bfm_qp *qp)
{
	bool loopback = BFM_GET(peer->ctx, QPC, pri_fl) != 0;
	struct bfm_packet pkt = { .opcode = BFM_PKT_ACK };
	struct bfm_function *to = g;

	if (!path_headers(g, peer, &pkt) && !loopback)
		return false;
	if (loopback ? bfm_fault_uses(&g->net.drop) : !forward(g, &pkt, &to))
		return false;
	return to == f && pkt.dqpn == qp->obj.id && is_peer(qp, &pkt, loopback);
}

struct bfm_answer
bfm_net_request(struct bfm_function *f, struct bfm_qp *qp, struct bfm_msg_pkt *msg)
{
	const struct bfm_answer none = { .kind = BFM_ANSWER_NONE };
	bool loopback = BFM_GET(qp->ctx, QPC, pri_fl) != 0;
	struct bfm_function *to = f;
	struct bfm_answer answer;
	struct bfm_qp *peer;

	if (!path_headers(f, qp, &msg->pkt) && !loopback)
		return none;
	if (loopback ? bfm_fault_uses(&f->net.drop) : !forward(f, &msg->pkt, &to))
		return none;
	peer = qp_find(to, msg->pkt.dqpn);
	if (peer == NULL || peer->st != BFM_ST_RC || !receives(peer) ||
			!is_peer(peer, &msg->pkt, loopback) || !bfm_qp_reachable(to, peer))
		return none;
	answer = bfm_rc_receive(to, peer, msg);
	if (answer.kind != BFM_ANSWER_NONE && !answer_arrives(to, peer, f, qp))
		return none;
	return answer;
}

/* --------------------------------------------------------------- datagrams */

/* Queue pair 1 of a function is one of its objects, of that service. */
static struct bfm_qp *
datagram_qp(struct bfm_function *f, uint32_t qpn)
{
	struct bfm_qp *qp = qpn == QP1_NUMBER ? f->qp1 : qp_find(f, qpn);

	if (qp == NULL || !receives(qp) || (qp->st != BFM_ST_UD && qp->st != BFM_ST_QP1))
		return NULL;
	return qp;
}

static bool
av_headers(const struct bfm_function *f, const struct bfm_qp *qp, const struct bfm_av *av,
		struct bfm_packet *pkt)
{
	uint32_t deth = BFM_GET(qp->ctx, QPC, deth_sqpn);

	common_headers(f, pkt);
	pkt->dqpn = av->dqpn;
	pkt->sqpn = qp->st == BFM_ST_QP1 ? QP1_NUMBER : deth != 0 ? deth : qp->obj.id;
	pkt->qkey = (av->qkey & QKEY_OF_QP) != 0 ? (uint32_t)BFM_GET(qp->ctx, QPC, q_key) :
			av->qkey;
	pkt->tclass = av->tclass;
	pkt->flow_label = av->flow_label;
	pkt->hop_limit = av->hop_limit < 2 ? HOP_LIMIT : av->hop_limit;
	memcpy(pkt->dgid, av->rgid, sizeof(pkt->dgid));
	if (pkt->ib) {
		pkt->dlid = av->rlid;
		pkt->sl = av->sl;
		pkt->grh = av->grh;
		ib_gid(f, pkt->sgid);
		return true;
	}
	pkt->grh = true;
	pkt->dmac = av->rmac;
	pkt->udp_sport = av->udp_sport;
	return roce_source(f, BFM_GET(qp->ctx, QPC, pri_vhca_port_num), av->sgid_index, pkt);
}

void
bfm_net_datagram(struct bfm_function *f, struct bfm_qp *qp, const struct bfm_av *av,
		struct bfm_msg_pkt *msg)
{
	struct bfm_function *to;
	struct bfm_qp *peer;

	if (!av_headers(f, qp, av, &msg->pkt)) {
		bfm_log(f, BFM_WARN, "QP 0x%x: a datagram by entry %u of the RoCE address table, "
				"which is not set, or RoCE is off", qp->obj.id, av->sgid_index);
		return;
	}
	bfm_capture_packet(f, msg);
	if (av->dqpn == MULTICAST_QPN || !forward(f, &msg->pkt, &to))
		return;
	peer = datagram_qp(to, msg->pkt.dqpn);
	if (peer == NULL || msg->pkt.qkey != BFM_GET(peer->ctx, QPC, q_key) ||
			!bfm_qp_reachable(to, peer)) {
		bfm_log(to, BFM_DEBUG, "a datagram for QP 0x%x is dropped: %s", msg->pkt.dqpn,
				peer == NULL ? "it is not there" : "another Q_Key");
		return;
	}
	bfm_ud_receive(to, peer, msg);
}
