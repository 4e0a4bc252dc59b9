/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Ethernet send queues: requests are done as their doorbell rings, and frames take the
 * way of the embedded switch. What becomes of them there is in eth_receive.c.
 */

#include <string.h>

#include "eth.h"
#include "vport.h"

#define UNIT 16u
#define CTRL_BYTES 16u
#define ETH_BYTES 16u        /* with the first two bytes of inline headers */
#define ETH_CS_FLAGS 4u
#define ETH_MSS 6u
#define ETH_INLINE_SIZE 12u
#define ETH_INLINE 14u
#define CS_L3 0x40u
#define CS_L4 0x80u
#define INSERT_VLAN 0x8000u
#define OPCODE_NOP 0x00u
#define OPCODE_SEND 0x0au
#define OPCODE_LSO 0x0eu
#define CE_MASK 0x0cu
#define CE_ALWAYS 0x08u
#define IPV6_BYTES 40u
#define TCP_FIN_PSH 0x09u
#define TCP_BYTES 20u
#define MAX_CUTS 1024u /* frames of one large segment */
#define CQE_BYTES 64u
#define FCS_BYTES 4u
#define BROADCAST UINT64_C(0xffffffffffff)
#define SQ_REQUEST_MAX 1024u

/* Places in a completion. */
enum { CQE_SYND = 55, CQE_OPCODE_QPN = 56, CQE_COUNTER = 60 };

/* A request that was fetched. */
struct request {
	uint8_t raw[SQ_REQUEST_MAX];
	uint32_t bytes;
	uint32_t blocks;
	uint16_t index;
	uint8_t opcode;
	bool signalled;
};

static uint32_t
get16(const uint8_t *p)
{
	return (uint32_t)bfm_bits_get(p, 0, 16);
}

/* ------------------------------------------------------------ the switch */

/* What the switch sees of a frame. */
static void
frame_packet(const struct bfm_frame *frame, struct bfm_packet *pkt)
{
	const uint8_t *m = frame->match;

	pkt->frame = true;
	pkt->smac = BFM_GET(m, FLOW_MATCH, smac);
	pkt->dmac = BFM_GET(m, FLOW_MATCH, dmac);
	pkt->vlan = BFM_GET(m, FLOW_MATCH, cvlan_tag) != 0 ||
			BFM_GET(m, FLOW_MATCH, svlan_tag) != 0;
	pkt->vlan_tag = (uint16_t)BFM_GET(m, FLOW_MATCH, first_tci);
	pkt->l3 = frame->ip_version == 4 ? BFM_L3_IPV4 : frame->ip_version == 6 ? BFM_L3_IPV6 :
			BFM_L3_GRH;
	memcpy(pkt->sgid, m + FLOW_MATCH_src_ip_BIT / 8, sizeof(pkt->sgid));
	memcpy(pkt->dgid, m + FLOW_MATCH_dst_ip_BIT / 8, sizeof(pkt->dgid));
	if (frame->ip_version == 4) {
		memset(pkt->sgid + 10, 0xff, 2);
		memset(pkt->dgid + 10, 0xff, 2);
	}
	pkt->not_udp = frame->l4 == 0 || frame->ip_proto != 17;
	pkt->udp_sport = (uint16_t)BFM_GET(m, FLOW_MATCH, udp_sport);
	pkt->udp_dport = (uint16_t)BFM_GET(m, FLOW_MATCH, udp_dport);
	pkt->len = frame->len;
}

/* One more of the function's own kind: broadcast, unicast, multicast. */
static void
frame_count(struct bfm_function *f, const struct bfm_packet *pkt, uint32_t direction)
{
	uint64_t *c = &f->vport->counters[VCOUNT_ETH + direction];

	if (pkt->dmac != BROADCAST)
		c += (pkt->dmac >> 40 & 1) != 0 ? 8 : 4;
	c[0]++;
	c[1] += pkt->len;
}

static void
frame_send(struct bfm_function *f, struct bfm_wq *sq, const struct bfm_frame *frame)
{
	struct bfm_packet pkt = { .frame = true };
	struct bfm_function *to;

	sq->frames++;
	frame_packet(frame, &pkt);
	frame_count(f, &pkt, VCOUNT_ETH_TX);
	if (bfm_fault_uses(&f->net.drop) || frame->len + FCS_BYTES > bfm_vport_mtu(f) ||
			bfm_switch_forward(f, &pkt, &to) != 0 ||
			frame->len + FCS_BYTES > bfm_vport_mtu(to) ||
			to->hca != BFM_HCA_INITIALISED || !bfm_dma_enabled(to)) {
		sq->lost++;
		return;
	}
	frame_count(to, &pkt, 0);
	bfm_eth_receive(to, frame);
}

/* Cut the payload behind hdr bytes into pieces of mss; the headers of each are made anew. */
static void
segments_send(struct bfm_function *f, struct bfm_wq *sq, const struct bfm_frame *all, uint32_t mss,
		uint8_t cs)
{
	uint32_t hdr = all->l4 + (all->data[all->l4 + 12] >> 4) * 4u, off, n;
	uint32_t seq = (uint32_t)bfm_bits_get(all->data + all->l4 + 4, 0, 32);
	uint32_t id = get16(all->data + all->l3 + 4);
	uint8_t data[BFM_MTU_LIMIT];
	struct bfm_frame frame = { .data = data };

	for (off = hdr; off < all->end; off += n, id++) {
		n = all->end - off < mss ? all->end - off : mss;
		memcpy(data, all->data, hdr);
		memcpy(data + hdr, all->data + off, n);
		if (all->ip_version == 4) {
			bfm_bits_set(data + all->l3 + 2, 0, 16, hdr + n - all->l3);
			bfm_bits_set(data + all->l3 + 4, 0, 16, id & 0xffff);
		} else {
			bfm_bits_set(data + all->l3 + 4, 0, 16, hdr + n - all->l3 - IPV6_BYTES);
		}
		bfm_bits_set(data + all->l4 + 4, 0, 32, (seq + off - hdr) & UINT32_MAX);
		if (off + n < all->end)
			data[all->l4 + 13] &= (uint8_t)~TCP_FIN_PSH;
		frame.len = hdr + n;
		if (!bfm_frame_parse(&frame))
			return;
		bfm_frame_checksum(&frame, (cs & CS_L3) != 0, (cs & CS_L4) != 0);
		frame_send(f, sq, &frame);
	}
}

/* --------------------------------------------------------------- requests */

static enum bfm_cqe_synd
malformed(struct bfm_function *f, const struct bfm_wq *sq, const struct request *wr,
		const char *why)
{
	bfm_log(f, BFM_WARN, "SQ 0x%x: send request %u (opcode 0x%02x): %s", sq->obj.id, wr->index,
			wr->opcode, why);
	return BFM_CQE_LOCAL_QP_OP;
}

/* Bytes of the ring from a block on, over its end. */
static int
ring_read(struct bfm_function *f, const struct bfm_wq *sq, uint16_t first, void *data,
		uint32_t len)
{
	uint32_t size = 1u << (sq->log_size + sq->log_stride);
	uint32_t off = (uint32_t)first << sq->log_stride & (size - 1);
	uint32_t n = size - off < len ? size - off : len;
	int ret = bfm_buf_dma_read(f, &sq->buf, off, data, n);

	if (ret == 0 && n < len)
		ret = bfm_buf_dma_read(f, &sq->buf, 0, (uint8_t *)data + n, len - n);
	return ret;
}

static enum bfm_cqe_synd
fetch(struct bfm_function *f, const struct bfm_wq *sq, uint16_t posted, struct request *wr)
{
	wr->index = sq->ci;
	wr->blocks = 1;
	wr->opcode = 0;
	wr->signalled = true;
	if (ring_read(f, sq, sq->ci, wr->raw, CTRL_BYTES) != 0)
		return malformed(f, sq, wr, "the queue cannot be read");
	wr->opcode = wr->raw[3];
	wr->bytes = (wr->raw[7] & 0x3fu) * UNIT;
	wr->signalled = (wr->raw[11] & CE_MASK) == CE_ALWAYS;
	if (wr->bytes == 0)
		return malformed(f, sq, wr, "it has no size");
	if ((wr->bytes + BFM_WQEBB - 1) / BFM_WQEBB > (uint16_t)(posted - sq->ci))
		return malformed(f, sq, wr, "it is longer than what is posted");
	wr->blocks = (wr->bytes + BFM_WQEBB - 1) / BFM_WQEBB;
	if (bfm_bits_get(wr->raw + 4, 0, 24) != sq->obj.id)
		return malformed(f, sq, wr, "it is for another queue");
	if (get16(wr->raw + 1) != wr->index)
		return malformed(f, sq, wr, "it has another index");
	if (ring_read(f, sq, wr->index, wr->raw, wr->bytes) != 0)
		return malformed(f, sq, wr, "the queue cannot be read");
	return BFM_CQE_OK;
}

/* Headers in the request, then pieces of memory. */
static enum bfm_cqe_synd
gather(struct bfm_function *f, const struct bfm_wq *sq, const struct request *wr,
		struct bfm_frame *frame)
{
	const struct bfm_who who = {
		.f = f, .qpn = sq->obj.id, .pd = BFM_GET(sq->ctx, SQC, pd),
		.reserved_key = BFM_GET(sq->ctx, SQC, rlky) != 0,
	};
	const uint8_t *eth = wr->raw + CTRL_BYTES;
	uint32_t inl = get16(eth + ETH_INLINE_SIZE);
	uint32_t off = CTRL_BYTES + ETH_BYTES, len;

	if (wr->bytes < off)
		return malformed(f, sq, wr, "too short for an Ethernet segment");
	if ((inl & INSERT_VLAN) != 0)
		return malformed(f, sq, wr, "capability wqe_vlan_insert is 0");
	if (inl > 2)
		off += (inl - 2 + UNIT - 1) / UNIT * UNIT;
	if (off > wr->bytes)
		return malformed(f, sq, wr, "headers in the request end beyond it");
	memcpy(frame->data, eth + ETH_INLINE, inl);
	for (frame->len = inl; off < wr->bytes; off += UNIT, frame->len += len) {
		len = (uint32_t)bfm_bits_get(wr->raw + off, 0, 32);
		if (len > BFM_FRAME_MAX - frame->len)
			return malformed(f, sq, wr, "longer than a frame, or a large one, can be");
		if (bfm_mem_read(&who, BFM_LOCAL_READ, (uint32_t)bfm_bits_get(wr->raw + off + 4, 0,
				32), bfm_bits_get(wr->raw + off + 8, 0, 64), frame->data +
				frame->len, len) != 0)
			return BFM_CQE_LOCAL_PROT;
	}
	return bfm_frame_parse(frame) ? BFM_CQE_OK : malformed(f, sq, wr, "too short for a frame");
}

static enum bfm_cqe_synd
perform(struct bfm_function *f, struct bfm_wq *sq, const struct request *wr)
{
	static uint8_t data[BFM_FRAME_MAX]; /* under the model's lock */
	const uint8_t *eth = wr->raw + CTRL_BYTES;
	struct bfm_frame frame = { .data = data };
	enum bfm_cqe_synd synd;
	uint32_t mss, hdr;

	if (wr->opcode == OPCODE_NOP)
		return BFM_CQE_OK;
	if (wr->opcode != OPCODE_SEND && wr->opcode != OPCODE_LSO)
		return malformed(f, sq, wr, "this opcode is not there");
	if (BFM_GET(sq->ctx, SQC, tis_lst_sz) == 0)
		return malformed(f, sq, wr, "the queue has no TIS to send to");
	synd = gather(f, sq, wr, &frame);
	if (synd != BFM_CQE_OK)
		return synd;
	if (wr->opcode == OPCODE_LSO) {
		mss = get16(eth + ETH_MSS);
		if (mss == 0 || frame.l4 == 0 || frame.ip_proto != 6)
			return malformed(f, sq, wr, "a large segment without mss, or not of TCP");
		hdr = frame.l4 + (frame.data[frame.l4 + 12] >> 4) * 4u;
		if (hdr < frame.l4 + TCP_BYTES || hdr >= frame.end ||
				hdr + mss > BFM_MTU_LIMIT || (frame.end - hdr) / mss >= MAX_CUTS)
			return malformed(f, sq, wr, "a large segment whose headers, or pieces, cannot be");
		sq->cut++;
		segments_send(f, sq, &frame, mss, eth[ETH_CS_FLAGS]);
		return BFM_CQE_OK;
	}
	bfm_frame_checksum(&frame, (eth[ETH_CS_FLAGS] & CS_L3) != 0,
			(eth[ETH_CS_FLAGS] & CS_L4) != 0);
	frame_send(f, sq, &frame);
	return BFM_CQE_OK;
}

/* ------------------------------------------------------------------ queue */

static void
complete(struct bfm_function *f, struct bfm_wq *sq, const struct request *wr,
		enum bfm_cqe_synd synd)
{
	bool error = synd != BFM_CQE_OK;
	uint8_t cqe[CQE_BYTES] = { 0 };

	if (!wr->signalled && !error)
		return;
	if (error)
		cqe[CQE_SYND] = (uint8_t)synd;
	bfm_bits_set(cqe + CQE_OPCODE_QPN, 0, 32, (uint32_t)wr->opcode << 24 | sq->obj.id);
	bfm_bits_set(cqe + CQE_COUNTER, 0, 16, wr->index);
	if (bfm_cqe_put(f, (struct bfm_cq *)sq->cq, cqe, error ? BFM_CQE_REQ_ERR : BFM_CQE_REQ,
			false, error) != 0)
		sq->state = BFM_WQ_ERR;
}

static void
run(struct bfm_function *f, struct bfm_wq *sq)
{
	enum bfm_cqe_synd synd;
	struct request wr;
	uint8_t record[4];
	uint16_t posted;

	if (bfm_dma_read(f, sq->dbr + 4, record, sizeof(record)) != 0)
		return;
	posted = (uint16_t)get16(record + 2);
	if ((uint16_t)(posted - sq->ci) > 1u << sq->log_size) {
		bfm_log(f, BFM_WARN, "SQ 0x%x: %u blocks are posted, the queue has %u", sq->obj.id,
				(uint16_t)(posted - sq->ci), 1u << sq->log_size);
		sq->state = BFM_WQ_ERR;
		return;
	}
	while (sq->ci != posted) {
		synd = fetch(f, sq, posted, &wr);
		if (sq->state == BFM_WQ_ERR)
			synd = BFM_CQE_FLUSH;
		else if (synd == BFM_CQE_OK)
			synd = perform(f, sq, &wr);
		complete(f, sq, &wr, synd);
		sq->ci += (uint16_t)wr.blocks;
		if (synd != BFM_CQE_OK)
			sq->state = BFM_WQ_ERR;
	}
}

bool
bfm_eth_doorbell(struct bfm_function *f, uint32_t uar, uint32_t sqn)
{
	struct bfm_wq *sq = (struct bfm_wq *)bfm_object_find(f, BFM_T_SQ, sqn);

	if (sq == NULL)
		return false;
	if (sq->uar != uar || sq->state == BFM_WQ_RST) {
		bfm_log(f, BFM_WARN, "doorbell of UAR 0x%x is for SQ 0x%x, which %s: ignored", uar,
				sqn, sq->uar != uar ? "was created with another UAR" :
				"is in state RST");
		return true;
	}
	if (bfm_fault_uses(&f->net.bells) || (sq->state == BFM_WQ_ERR &&
			BFM_GET(sq->ctx, SQC, flush_in_error_en) == 0))
		return true;
	run(f, sq);
	return true;
}
