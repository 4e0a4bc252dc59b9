/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Queue pair 1 of a function, as the port of connection management: receives are always
 * posted, a message that is sent is forgotten when the device has read it.
 *
 * All calls come with the lock of connection management held, but for open and close.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "bluefield_gsi.h"
#include "bluefield_times.h"

#define NB_CQES (2 * BF_GSI_DEPTH)
#define RECV_WQE 16u
#define MEM_SEND (BF_GSI_DEPTH * BF_GSI_STRIDE)
#define MEM_BYTES (MEM_SEND + BF_GSI_DEPTH * BF_MAD_SIZE)
#define HOP_LIMIT 64
/* The least UDP source port of RoCE version 2: its flow label is 0. */
#define UDP_SPORT 0xc000

/* Header before a datagram of RoCE version 2 over IPv6: that of IPv6. */
#define IP6_SRC 8
#define IP6_DST 24
/* Over IPv4: 20 bytes of nothing, then that of IPv4, without options. */
#define IP4_HEAD 20
#define IP4_FIRST 0x45 /* version, and length in words */
#define IP4_SRC 12
#define IP4_DST 16

static struct bf_gsi *
gsi_of(struct bf_cm_port *port)
{
	return container_of(port, struct bf_gsi, port);
}

static uint8_t *
recv_buf(const struct bf_gsi *gsi, uint16_t index)
{
	return RTE_PTR_ADD(gsi->mem->addr, (index & gsi->recvq.mask) * BF_GSI_STRIDE);
}

/* A request begins on every second block, always. */
static uint8_t *
send_buf(const struct bf_gsi *gsi, uint16_t index)
{
	uint32_t slot = (index & gsi->sendq.mask) / BF_GSI_BLOCKS;

	return RTE_PTR_ADD(gsi->mem->addr, MEM_SEND + slot * BF_MAD_SIZE);
}

static void
recv_fill(struct bf_gsi *gsi)
{
	struct bf_sge sge = { .len = BF_GSI_RECV, .lkey = gsi->mkey.key };

	while (bf_recvq_room(&gsi->recvq) != 0) {
		sge.addr = (uintptr_t)recv_buf(gsi, gsi->recvq.pi);
		if (bf_recvq_post(&gsi->recvq, &sge, 1) < 0)
			break;
	}
	bf_recvq_ring(&gsi->recvq);
}

/*
 * Life
 */

static int
gsi_start(struct bf_gsi *gsi, const struct bf_uar *uar)
{
	int ret;

	ret = bf_sendq_init(&gsi->sendq, &gsi->qp, uar);
	if (ret == 0)
		ret = bf_recvq_init(&gsi->recvq, &gsi->qp);
	if (ret == 0)
		ret = bf_qp_to_init(&gsi->qp);
	if (ret != 0)
		return ret;
	recv_fill(gsi);
	ret = bf_qp_to_rtr(&gsi->qp, NULL);
	if (ret == 0)
		ret = bf_qp_to_rts(&gsi->qp, NULL);
	return ret;
}

static void
gsi_free(struct bf_gsi *gsi)
{
	bf_sendq_fini(&gsi->sendq);
	bf_qp_destroy(&gsi->qp);
	bf_mkey_destroy(&gsi->mkey);
	bf_cq_destroy(&gsi->cq);
	bf_mem_free(gsi->mem);
	free(gsi);
}

static void
gsi_close(struct bf_cm_port *port)
{
	gsi_free(gsi_of(port));
}

/*
 * What the queue pair had under way is lost, as messages may be. Completions of before
 * are taken first: they would be taken for those of the new requests.
 */
static void
gsi_reset(struct bf_gsi *gsi)
{
	const struct bf_uar *uar = gsi->sendq.uar;
	uint32_t i;
	int ret;

	gsi->retry_ms = bf_now_ms() + BF_GSI_RETRY_MS;
	ret = bf_qp_to_reset(&gsi->qp);
	for (i = 0; i < NB_CQES && bf_compq_next(&gsi->compq) != NULL; i++)
		;
	bf_compq_commit(&gsi->compq);
	gsi->armed = false; /* if it was, for one of these */
	if (ret == 0) {
		bf_sendq_fini(&gsi->sendq);
		ret = gsi_start(gsi, uar);
		gsi->sendq.uar = uar;
	}
	gsi->resets++;
	gsi->broken = ret != 0;
	/* tried again and again, said once */
	if (ret != 0 && !gsi->told)
		BF_LOG(ERR, "%s: queue pair 1 cannot be started anew (%d); nobody can connect until the device has been reset",
			gsi->name, ret);
	gsi->told = ret != 0;
}

static void
gsi_break(struct bf_gsi *gsi, const char *why, uint32_t value)
{
	if (gsi->broken)
		return;
	BF_LOG(WARNING, "%s: queue pair 1: %s (0x%x): it is started anew", gsi->name, why, value);
	gsi->broken = true;
}

/*
 * Send
 */

static int
gsi_send(struct bf_cm_port *port, const struct bf_cm_addr *to, const uint8_t *mad)
{
	struct bf_gsi *gsi = gsi_of(port);
	struct bf_ud_dest dest = {
		.qpn = BF_CM_GSI_QPN, .qkey = BF_QP_QKEY_GSI, .src_addr_index = gsi->addr_index,
		.hop_limit = HOP_LIMIT, .udp_sport = UDP_SPORT,
	};
	struct bf_send_wr wr = { .nb_sges = 1, .opcode = BF_WQE_SEND, .signalled = true };
	struct bf_wqe_av av;
	uint8_t *buf;
	int ret;

	if (gsi->broken)
		return -EIO;
	if (bf_sendq_room(&gsi->sendq) < BF_GSI_BLOCKS)
		return -ENOBUFS;
	buf = send_buf(gsi, gsi->sendq.pi);
	memcpy(buf, mad, BF_MAD_SIZE);
	memcpy(dest.mac, to->mac, sizeof(dest.mac));
	memcpy(dest.gid, to->gid, sizeof(dest.gid));
	bf_av_fill(&av, &dest);
	wr.av = &av;
	wr.sges[0] = (struct bf_sge){
		.addr = (uintptr_t)buf, .len = BF_MAD_SIZE, .lkey = gsi->mkey.key,
	};
	ret = bf_sendq_send(&gsi->sendq, &wr);
	if (ret < 0)
		return ret;
	bf_sendq_ring(&gsi->sendq);
	return 0;
}

/*
 * Receive
 */

/* The addresses in a header of IPv4, as GIDs; the card has looked at the rest of it. */
static bool
ip4_read(const uint8_t *head, struct bf_cm_packet *pkt)
{
	struct bf_cm_addr addr;

	if (head[0] != IP4_FIRST)
		return false;
	bf_cm_addr_set_ip4(&addr, head + IP4_SRC);
	memcpy(pkt->sgid, addr.gid, sizeof(pkt->sgid));
	bf_cm_addr_set_ip4(&addr, head + IP4_DST);
	memcpy(pkt->dgid, addr.gid, sizeof(pkt->dgid));
	return true;
}

/* The addresses of a datagram; which header there is the completion says. */
static void
grh_read(const struct bf_cqe *cqe, const uint8_t *buf, struct bf_cm_packet *pkt)
{
	uint8_t l3 = bf_cqe_l3_type(cqe);

	pkt->ip4 = l3 == BF_CQE_L3_IPV4;
	if (pkt->ip4) {
		pkt->has_grh = ip4_read(buf + IP4_HEAD, pkt);
		return;
	}
	pkt->has_grh = l3 == BF_CQE_L3_IPV6;
	memcpy(pkt->sgid, buf + IP6_SRC, sizeof(pkt->sgid));
	memcpy(pkt->dgid, buf + IP6_DST, sizeof(pkt->dgid));
}

/* One datagram. False: it is none for us. */
static bool
recv_read(const struct bf_cqe *cqe, const uint8_t *buf, struct bf_cm_packet *pkt)
{
	uint32_t bytes = bf_cqe_byte_cnt(cqe);

	if (bf_cqe_opcode(cqe) != BF_CQE_RESP_SEND || bytes < BF_GSI_GRH || bytes > BF_GSI_RECV)
		return false;
	pkt->len = bytes - BF_GSI_GRH;
	pkt->src_qpn = bf_cqe_src_qpn(cqe);
	grh_read(cqe, buf, pkt);
	memcpy(pkt->mad, buf + BF_GSI_GRH, sizeof(pkt->mad));
	return true;
}

/* A receive is done: its buffer is read, and posted again. */
static bool
recv_done(struct bf_gsi *gsi, const struct bf_cqe *cqe, struct bf_cm_packet *pkt)
{
	uint16_t index = bf_cqe_wqe_counter(cqe);
	bool got;

	if (bf_recvq_done(&gsi->recvq, index) != 0) {
		gsi_break(gsi, "completion of a receive that is not posted", index);
		return false;
	}
	got = recv_read(cqe, recv_buf(gsi, index), pkt);
	if (!got)
		gsi->dropped++;
	bf_compq_commit(&gsi->compq);
	recv_fill(gsi);
	return got;
}

/* True: a datagram is in pkt. */
static bool
cqe_handle(struct bf_gsi *gsi, const struct bf_cqe *cqe, struct bf_cm_packet *pkt)
{
	uint8_t opcode = bf_cqe_opcode(cqe);

	switch (opcode) {
	case BF_CQE_REQ:
		if (bf_sendq_done(&gsi->sendq, bf_cqe_wqe_counter(cqe)) != 0)
			gsi_break(gsi, "completion of a send that is not posted", opcode);
		return false;
	case BF_CQE_RESP_SEND:
	case BF_CQE_RESP_SEND_IMM:
		return recv_done(gsi, cqe, pkt);
	case BF_CQE_REQ_ERR:
	case BF_CQE_RESP_ERR:
		gsi_break(gsi, "it has failed, syndrome", bf_cqe_syndrome(cqe));
		return false;
	default:
		gsi_break(gsi, "completion of no kind", opcode);
		return false;
	}
}

static bool
gsi_recv(struct bf_cm_port *port, struct bf_cm_packet *pkt)
{
	struct bf_gsi *gsi = gsi_of(port);
	const struct bf_cqe *cqe;
	uint32_t nb;

	/* as many as there can be; who has more of them is asked again */
	for (nb = 0; nb < NB_CQES && !gsi->broken; nb++) {
		cqe = bf_compq_next(&gsi->compq);
		if (cqe == NULL)
			break;
		if (gsi->armed) {
			gsi->armed = false;
			bf_compq_event(&gsi->compq);
		}
		if (cqe_handle(gsi, cqe, pkt))
			return true;
	}
	if (gsi->broken && bf_now_ms() >= gsi->retry_ms)
		gsi_reset(gsi);
	/* what came after the last look is told by the event */
	if (!gsi->armed && !gsi->broken) {
		gsi->armed = true;
		bf_compq_arm(&gsi->compq);
	}
	return false;
}

static uint64_t
gsi_now(struct bf_cm_port *port)
{
	RTE_SET_USED(port);
	return bf_now_ms();
}

static void
gsi_dump(struct bf_cm_port *port, FILE *f)
{
	const struct bf_gsi *gsi = gsi_of(port);

	fprintf(f, "  queue pair 1 (0x%x): %s, %u sends under way, %" PRIu64
		" datagrams dropped, %" PRIu64 " resets\n", gsi->qp.obj.id,
		gsi->broken ? "failed" : "works",
		(BF_GSI_DEPTH * BF_GSI_BLOCKS - bf_sendq_room(&gsi->sendq)) / BF_GSI_BLOCKS,
		gsi->dropped, gsi->resets);
}

static const struct bf_cm_port_ops gsi_ops = {
	.send = gsi_send,
	.recv = gsi_recv,
	.now_ms = gsi_now,
	.dump = gsi_dump,
	.close = gsi_close,
};

/*
 * Begin
 */

static int
gsi_create(struct bf_gsi *gsi, struct bf_obj_dev *dev, const struct bf_pd *pd,
	const struct bf_uar *uar)
{
	const struct bf_cq_attr cq = { .nb_cqes = NB_CQES, .uar = uar };
	const struct bf_qp_attr qp = {
		.service = BF_QP_GSI, .pd = pd, .uar = uar, .cq_send = &gsi->cq,
		.cq_recv = &gsi->cq, .nb_sq_blocks = BF_GSI_DEPTH * BF_GSI_BLOCKS,
		.nb_rq_wqes = BF_GSI_DEPTH, .rq_wqe_size = RECV_WQE, .user_index = UINT32_MAX,
	};
	struct bf_mkey_attr mkey = { .pd = pd, .len = MEM_BYTES, .local_write = true };
	int ret;

	ret = bf_mem_alloc(dev, MEM_BYTES, &gsi->mem);
	if (ret != 0)
		return ret;
	mkey.mem = gsi->mem;
	mkey.addr = gsi->mem->addr;
	ret = bf_mkey_create(dev, &mkey, &gsi->mkey);
	if (ret == 0)
		ret = bf_cq_create(dev, &cq, &gsi->cq);
	if (ret == 0)
		ret = bf_compq_init(&gsi->compq, &gsi->cq, uar);
	if (ret == 0)
		ret = bf_qp_create(dev, &qp, &gsi->qp);
	if (ret == 0)
		ret = gsi_start(gsi, uar);
	return ret;
}

int
bf_gsi_open(struct bf_obj_dev *dev, const struct bf_pd *pd, const struct bf_uar *uar,
	uint16_t addr_index, struct bf_cm_port **port)
{
	struct bf_gsi *gsi = calloc(1, sizeof(*gsi));
	int ret;

	if (gsi == NULL)
		return -ENOMEM;
	gsi->port.ops = &gsi_ops;
	gsi->name = dev->name;
	gsi->addr_index = addr_index;
	ret = gsi_create(gsi, dev, pd, uar);
	if (ret != 0) {
		BF_LOG(ERR, "%s: no queue pair 1 for connections (%d)", dev->name, ret);
		gsi_free(gsi);
		return ret;
	}
	*port = &gsi->port;
	return 0;
}

int
bf_cm_create(struct bf_obj_dev *dev, struct bf_pd *pd, struct bf_uar *uar,
	const struct bf_cm_conf *conf, struct bf_cm **cm)
{
	struct bf_cm_port *port;
	int ret;

	ret = bf_gsi_open(dev, pd, uar, conf->addr_index, &port);
	if (ret != 0)
		return ret;
	return bf_cm_open(port, conf, cm);
}
