/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Send requests: fetching them from the client's memory, and what they say. Nothing
 * is sent here.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "data.h"

#define UNIT 16u
#define CTRL_BYTES 16u
#define RADDR_BYTES 16u
#define ATOMIC_SEG_BYTES 16u
#define AV_BYTES 48u
#define INLINE_FLAG 0x80000000u
#define AV_EXTENDED 0x80000000u
#define AV_GRH 0x40000000u
#define CE_MASK 0x0cu
#define CE_ALWAYS 0x08u
#define SOLICITED 0x02u
#define WHOLE_LENGTH 0x80000000u /* what a count of 0 means */

static uint32_t
get32(const uint8_t *p)
{
	return (uint32_t)bfm_bits_get(p, 0, 32);
}

static uint32_t
sq_blocks(const struct bfm_qp *qp)
{
	return qp->sq_bytes / BFM_WQEBB;
}

int
bfm_send_posted(struct bfm_function *f, struct bfm_qp *qp)
{
	uint8_t record[4];
	uint16_t n;

	if (bfm_dma_read(f, qp->dbr + 4, record, sizeof(record)) != 0) {
		bfm_log(f, BFM_WARN, "QP 0x%x: its doorbell record at 0x%" PRIx64
				" is not mapped any more", qp->obj.id, qp->dbr);
		return -EFAULT;
	}
	qp->sq_posted = (uint16_t)bfm_bits_get(record, 16, 16);
	n = qp->sq_posted - qp->run->sq_ci;
	if (n <= sq_blocks(qp)) {
		bfm_shadow_ring(f, &qp->run->sq_shadow, &qp->buf, qp->rq_bytes, BFM_WQEBB,
				sq_blocks(qp), qp->sq_posted);
		return n;
	}
	bfm_log(f, BFM_WARN, "QP 0x%x: %u blocks are posted, the send queue has %u: its record is "
			"at %u, the device at %u", qp->obj.id, n, sq_blocks(qp), qp->sq_posted,
			qp->run->sq_ci);
	return -EOVERFLOW;
}

/* Bytes of the queue from a block on, over its end. */
static int
blocks_read(struct bfm_function *f, const struct bfm_qp *qp, uint16_t first, void *data,
		uint32_t len)
{
	uint32_t off = (first & (sq_blocks(qp) - 1)) * BFM_WQEBB;
	uint32_t n = qp->sq_bytes - off < len ? qp->sq_bytes - off : len;
	uint8_t *p = data;
	int ret;

	ret = bfm_buf_dma_read(f, &qp->buf, qp->rq_bytes + off, p, n);
	if (ret == 0 && n < len)
		ret = bfm_buf_dma_read(f, &qp->buf, qp->rq_bytes, p + n, len - n);
	return ret;
}

static enum bfm_cqe_synd
malformed(struct bfm_function *f, const struct bfm_qp *qp, const struct bfm_send *wr,
		const char *why)
{
	bfm_log(f, BFM_WARN, "QP 0x%x: send request %u (opcode 0x%02x): %s", qp->obj.id,
			wr->index, wr->opcode, why);
	return BFM_CQE_LOCAL_QP_OP;
}

static enum bfm_cqe_synd
parse_av(struct bfm_function *f, const struct bfm_qp *qp, struct bfm_send *wr, const uint8_t *p)
{
	struct bfm_av *av = &wr->av;
	uint32_t grh = get32(p + 28);

	av->qkey = get32(p);
	av->dqpn = get32(p + 8) & 0xffffff;
	if ((get32(p + 8) & AV_EXTENDED) == 0)
		return malformed(f, qp, wr, "its address vector is not an extended one (bit 31 "
				"of the destination)");
	av->sl = p[12] & 0xf;
	av->rlid = (uint16_t)bfm_bits_get(p + 14, 0, 16);
	av->udp_sport = av->rlid; /* on Ethernet */
	av->rmac = bfm_bits_get(p + 20, 0, 48);
	av->tclass = p[26];
	av->hop_limit = p[27];
	av->grh = (grh & AV_GRH) != 0;
	av->sgid_index = (uint8_t)(grh >> 20);
	av->flow_label = grh & 0xfffff;
	memcpy(av->rgid, p + 32, sizeof(av->rgid));
	return BFM_CQE_OK;
}

/* Pieces of memory, and bytes in the request itself. */
static enum bfm_cqe_synd
parse_data(struct bfm_function *f, const struct bfm_qp *qp, struct bfm_send *wr, uint32_t off)
{
	struct bfm_seg *seg;
	uint32_t count;

	while (off < wr->bytes) {
		seg = &wr->segs[wr->nb_segs];
		count = get32(wr->raw + off);
		memset(seg, 0, sizeof(*seg));
		if ((count & INLINE_FLAG) != 0) {
			seg->len = count & ~INLINE_FLAG;
			if (seg->len > wr->bytes - off - 4)
				return malformed(f, qp, wr, "bytes in the request end beyond it");
			seg->inl = wr->raw + off + 4;
			off += (4 + seg->len + UNIT - 1) / UNIT * UNIT;
		} else {
			seg->len = count == 0 ? WHOLE_LENGTH : count;
			seg->key = get32(wr->raw + off + 4);
			seg->addr = bfm_bits_get(wr->raw + off + 8, 0, 64);
			off += UNIT;
		}
		wr->len += seg->len;
		wr->nb_segs++;
	}
	return BFM_CQE_OK;
}

static enum bfm_cqe_synd
parse(struct bfm_function *f, const struct bfm_qp *qp, struct bfm_send *wr)
{
	bool ud = qp->st == BFM_ST_UD || qp->st == BFM_ST_QP1;
	uint32_t off = CTRL_BYTES;
	enum bfm_cqe_synd synd;

	switch (wr->opcode) {
	case BFM_SEND_NOP:
		return BFM_CQE_OK;
	case BFM_SEND_SEND:
	case BFM_SEND_SEND_IMM:
		break;
	case BFM_SEND_WRITE:
	case BFM_SEND_WRITE_IMM:
	case BFM_SEND_READ:
	case BFM_SEND_ATOMIC_CS:
	case BFM_SEND_ATOMIC_FA:
		if (qp->st != BFM_ST_RC)
			return malformed(f, qp, wr, "this service has no such operation");
		if (wr->bytes < off + RADDR_BYTES)
			return malformed(f, qp, wr, "too short for a remote address");
		wr->raddr = bfm_bits_get(wr->raw + off, 0, 64);
		wr->rkey = get32(wr->raw + off + 8);
		off += RADDR_BYTES;
		if (wr->opcode < BFM_SEND_ATOMIC_CS)
			break;
		if (BFM_CAP(f, atomic) == 0 || wr->bytes < off + ATOMIC_SEG_BYTES)
			return malformed(f, qp, wr, "atomic operations are not there, or too short");
		wr->swap_add = bfm_bits_get(wr->raw + off, 0, 64);
		wr->compare = bfm_bits_get(wr->raw + off + 8, 0, 64);
		off += ATOMIC_SEG_BYTES;
		break;
	default:
		return malformed(f, qp, wr, "this opcode is not there");
	}
	if (ud) {
		if (wr->bytes < off + AV_BYTES)
			return malformed(f, qp, wr, "too short for an address vector");
		synd = parse_av(f, qp, wr, wr->raw + off);
		if (synd != BFM_CQE_OK)
			return synd;
		off += AV_BYTES;
	}
	return parse_data(f, qp, wr, off);
}

/* The control segment. Why the request cannot be done, or NULL. */
static const char *
head_read(struct bfm_function *f, struct bfm_qp *qp, uint16_t ci, struct bfm_send *wr)
{
	uint16_t posted = qp->sq_posted - ci;
	uint32_t ds;

	wr->index = ci;
	wr->opcode = 0;
	wr->blocks = 1;
	wr->bytes = 0;
	wr->nb_segs = 0;
	wr->len = 0;
	wr->signalled = true;
	wr->solicited = false;
	if (blocks_read(f, qp, ci, wr->raw, CTRL_BYTES) != 0)
		return "the queue cannot be read";
	wr->opcode = wr->raw[3];
	ds = wr->raw[7] & 0x3f;
	wr->signalled = (wr->raw[11] & CE_MASK) == CE_ALWAYS;
	wr->solicited = (wr->raw[11] & SOLICITED) != 0;
	memcpy(&wr->imm, wr->raw + 12, sizeof(wr->imm));
	if (ds == 0)
		return "it has no size";
	if ((ds * UNIT + BFM_WQEBB - 1) / BFM_WQEBB > posted)
		return "it is longer than what is posted";
	wr->bytes = ds * UNIT;
	wr->blocks = (wr->bytes + BFM_WQEBB - 1) / BFM_WQEBB;
	if (get32(wr->raw + 4) >> 8 != qp->obj.id)
		return "it is for another QP";
	if ((uint16_t)bfm_bits_get(wr->raw + 1, 0, 16) != ci)
		return "it has another index";
	return NULL;
}

void
bfm_send_head(struct bfm_function *f, struct bfm_qp *qp, struct bfm_send *wr)
{
	(void)head_read(f, qp, qp->run->sq_ci, wr);
}

enum bfm_cqe_synd
bfm_send_fetch(struct bfm_function *f, struct bfm_qp *qp, uint16_t first, struct bfm_send *wr)
{
	const char *why = head_read(f, qp, first, wr);

	if (why != NULL)
		return malformed(f, qp, wr, why);
	if (blocks_read(f, qp, wr->index, wr->raw, wr->bytes) != 0)
		return malformed(f, qp, wr, "the queue cannot be read");
	if (!bfm_shadow_same(&qp->run->sq_shadow, (wr->index & (sq_blocks(qp) - 1)) * BFM_WQEBB,
			qp->sq_bytes, wr->raw, wr->bytes))
		bfm_log(f, BFM_WARN, "QP 0x%x: send request %u is another one than when its record "
				"said that it was posted: the record comes after the request, with a "
				"barrier between", qp->obj.id, wr->index);
	return parse(f, qp, wr);
}

void
bfm_send_check(struct bfm_function *f, struct bfm_qp *qp, uint16_t index, uint32_t bytes)
{
	uint8_t raw[BFM_SEND_BYTES];

	if (blocks_read(f, qp, index, raw, bytes) == 0 &&
			!bfm_shadow_same(&qp->run->sq_shadow, (index & (sq_blocks(qp) - 1)) *
				BFM_WQEBB, qp->sq_bytes, raw, bytes))
		bfm_log(f, BFM_WARN, "QP 0x%x: send request %u was changed before it was done",
				qp->obj.id, index);
}
