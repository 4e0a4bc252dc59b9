/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The data path on one queue: post requests, ring, and learn of completions. Plain
 * memory only: no command, no lock, no allocation after init; a queue belongs to one
 * thread at a time. What a message means is not in here. Forms for whole bursts are
 * in bluefield_wq_fast.h.
 *
 *   bf_sendq    of a queue pair:  room, send .. send, ring;  done
 *   bf_recvq    of a queue pair:  room, post .. post, ring;  done
 *   bf_sharedq  receive memory pool, whose entries come back in any order:
 *                                 ring;  free
 *   bf_compq    completions:      next .. next, commit;  arm, event
 *
 * Nothing is seen by the device before ring. Who posts a burst rings once.
 *
 * Nothing that the device writes is trusted. An index in a completion is checked by
 * who uses it: done and free refuse one that is not posted with -EPROTO, and then nothing
 * has changed. Lengths are checked by who knows the buffer. Each accessor loads its
 * field once; a value that is used twice is kept, not loaded again.
 *
 * Completions are committed before their requests are replaced by new ones: a
 * completion queue that has an entry for each request cannot overrun then.
 */

#ifndef BLUEFIELD_WQ_H
#define BLUEFIELD_WQ_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_common.h>

#include "bluefield_obj.h"
#include "bluefield_prm.h"
#include "bluefield_wq_io.h"

/* Memory that a request names; length 0 is nothing. */
struct bf_sge {
	uint64_t addr;          /* as the CPU has it */
	uint32_t len;           /* below 2 GiB */
	uint32_t lkey;
};

#define BF_MAX_SGES 4

struct bf_send_wr {
	const void *inl;        /* sent first; may be changed when the call has returned */
	uint32_t inl_len;
	uint32_t nb_sges;
	struct bf_sge sges[BF_MAX_SGES];
	const struct bf_wqe_av *av; /* of a datagram; else NULL */
	uint32_t imm;           /* of BF_WQE_SEND_IMM, in the CPU's order */
	uint8_t opcode;         /* BF_WQE_SEND or BF_WQE_SEND_IMM */
	bool signalled;         /* a completion on success, too */
	bool solicited;
};

/* Where a datagram goes, on RoCE version 2. */
struct bf_ud_dest {
	uint32_t qpn;
	uint32_t qkey;
	uint8_t mac[6];
	uint8_t gid[16];
	uint8_t src_addr_index; /* of our address, in the table */
	uint8_t hop_limit;
	uint8_t tclass;
	uint8_t sl;
	uint16_t udp_sport;
	uint32_t flow_label;
};

struct bf_sendq {
	uint8_t *ring;
	uint16_t *end;          /* by block: the one behind the request that starts there */
	rte_be32_t *dbr;
	const struct bf_uar *uar;
	rte_be64_t doorbell;    /* of the last request */
	uint32_t mask;          /* blocks - 1 */
	uint32_t qpn;
	bool one_block;         /* each request is one, and end is not written */
	uint16_t pi;            /* blocks posted */
	uint16_t ci;            /* blocks done */
	uint16_t rung;          /* blocks posted when it was rung for */
};

struct bf_recvq {
	uint8_t *ring;
	rte_be32_t *dbr;
	uint32_t mask;          /* entries - 1 */
	uint32_t wqe_size;
	uint16_t pi;            /* entries posted */
	uint16_t ci;            /* entries done */
};

struct bf_sharedq {
	uint8_t *ring;
	uint8_t *data;          /* where entry 0 has its buffer, for bluefield_wq_fast.h */
	uint32_t *link;         /* next entry, or BF_SHAREDQ_POSTED; ours, what the ring says */
	rte_be32_t *dbr;
	uint32_t mask;          /* entries - 1 */
	uint32_t wqe_size;
	uint32_t head;          /* entry that is posted next */
	uint32_t tail;          /* last free one, which stays free */
	uint32_t nb_free;       /* without the tail */
	uint16_t pi;            /* entries posted, ever */
};

#define BF_SHAREDQ_POSTED 0x10000u

struct bf_compq {
	const struct bf_cqe *ring;
	rte_be32_t *dbr;
	const struct bf_uar *uar;
	uint32_t mask;          /* entries - 1 */
	uint32_t nb_cqes;
	uint32_t ci;            /* completions taken */
	uint32_t cqn;
	uint32_t sn;            /* events */
};

/*
 * Queues of objects that are new, or were reset. 0; -EINVAL: the object has no such
 * queue; -ENOMEM. The object and the doorbell page outlive the queue. A queue of zeros
 * may end, too.
 */
int bf_sendq_init(struct bf_sendq *q, const struct bf_qp *qp, const struct bf_uar *uar);
void bf_sendq_fini(struct bf_sendq *q);
int bf_recvq_init(struct bf_recvq *q, const struct bf_qp *qp);
int bf_sharedq_init(struct bf_sharedq *q, const struct bf_srq *srq);
void bf_sharedq_fini(struct bf_sharedq *q);
int bf_compq_init(struct bf_compq *q, const struct bf_cq *cq, const struct bf_uar *uar);

/* Of a destination that does not change, an address vector is made once. */
void bf_av_fill(struct bf_wqe_av *av, const struct bf_ud_dest *dest);

/*
 * Send queue. A request takes 1 to 16 blocks of 64 bytes, and its index is the block
 * that it starts on, 16 bits; what is known of it belongs into an array of as many
 * entries as blocks, at index & mask.
 */

/* Segments of a request: control, address vector, inline data, memory. */
static inline uint32_t
bf_send_wr_segs(const struct bf_send_wr *wr)
{
	uint32_t segs = 1, i;

	if (wr->av != NULL)
		segs += sizeof(*wr->av) / BF_WQE_SEG;
	if (wr->inl_len != 0)
		segs += (sizeof(uint32_t) + wr->inl_len + BF_WQE_SEG - 1) / BF_WQE_SEG;
	for (i = 0; i < wr->nb_sges; i++)
		segs += wr->sges[i].len != 0;
	return segs;
}

/* Blocks that are free. */
static inline uint32_t
bf_sendq_room(const struct bf_sendq *q)
{
	return q->mask + 1 - (uint16_t)(q->pi - q->ci);
}

/* at: bytes from the start of the ring, which may be beyond its end. */
static inline uint32_t
bf_sendq_put(const struct bf_sendq *q, uint32_t at, const void *seg)
{
	uint64_t half[2];

	memcpy(half, seg, sizeof(half));
	BF_WQ_STORE_SEG(q->ring + (at & (q->mask * BF_SQ_BLOCK + BF_SQ_BLOCK - 1)), half[0],
			half[1]);
	return at + BF_WQE_SEG;
}

/* The length, the data, and zeros up to a whole segment. */
static inline uint32_t
bf_sendq_put_inline(const struct bf_sendq *q, uint32_t at, const uint8_t *data, uint32_t len)
{
	rte_be32_t head = BF_BE32(len | BF_WQE_INLINE);
	uint32_t off = sizeof(head), n;
	uint8_t seg[BF_WQE_SEG];

	memcpy(seg, &head, sizeof(head));
	do {
		n = RTE_MIN(len, BF_WQE_SEG - off);
		memcpy(seg + off, data, n);
		memset(seg + off + n, 0, BF_WQE_SEG - off - n);
		at = bf_sendq_put(q, at, seg);
		data += n;
		len -= n;
		off = 0;
	} while (len != 0);
	return at;
}

static inline struct bf_wqe_data
bf_wqe_data(const struct bf_sge *sge)
{
	return (struct bf_wqe_data){
		.len = BF_BE32(sge->len),
		.lkey = BF_BE32(sge->lkey),
		.addr = BF_BE64(sge->addr),
	};
}

/*
 * Write one request. Its index, or -ENOSPC: there is no room for it now; -EINVAL: it
 * has more segments than a request can have, or than the queue.
 */
static inline int
bf_sendq_send(struct bf_sendq *q, const struct bf_send_wr *wr)
{
	uint32_t segs, nb_blocks, i, at = (q->pi & q->mask) * BF_SQ_BLOCK;
	struct bf_wqe_ctrl ctrl = { 0 };
	struct bf_wqe_data data;
	uint16_t index = q->pi;

	if (unlikely(wr->nb_sges > BF_MAX_SGES ||
	    wr->inl_len > BF_WQE_MAX_SEGS * BF_WQE_SEG))
		return -EINVAL;
	segs = bf_send_wr_segs(wr);
	nb_blocks = (segs * BF_WQE_SEG + BF_SQ_BLOCK - 1) / BF_SQ_BLOCK;
	if (unlikely(segs > BF_WQE_MAX_SEGS || nb_blocks > q->mask + 1))
		return -EINVAL;
	if (unlikely(nb_blocks > bf_sendq_room(q)))
		return -ENOSPC;
	ctrl.index_opcode = BF_BE32((uint32_t)index << 8 | wr->opcode);
	ctrl.qpn_segs = BF_BE32(q->qpn << 8 | segs);
	ctrl.flags = (wr->signalled ? BF_WQE_F_CQE : 0) |
		(wr->solicited ? BF_WQE_F_SOLICITED : 0);
	if (wr->opcode == BF_WQE_SEND_IMM)
		ctrl.imm = BF_BE32(wr->imm);
	at = bf_sendq_put(q, at, &ctrl);
	for (i = 0; wr->av != NULL && i < sizeof(*wr->av); i += BF_WQE_SEG)
		at = bf_sendq_put(q, at, (const uint8_t *)wr->av + i);
	if (wr->inl_len != 0)
		at = bf_sendq_put_inline(q, at, wr->inl, wr->inl_len);
	for (i = 0; i < wr->nb_sges; i++) {
		if (wr->sges[i].len == 0)
			continue;
		data = bf_wqe_data(&wr->sges[i]);
		at = bf_sendq_put(q, at, &data);
	}
	memcpy(&q->doorbell, &ctrl, sizeof(q->doorbell));
	q->pi += nb_blocks;
	q->end[index & q->mask] = q->pi;
	return index;
}

/*
 * What was written last, and not rung for, has the solicited bit, and these ones as well in
 * its immediate. It has a completion.
 */
static inline void
bf_sendq_solicit(struct bf_sendq *q, uint32_t imm)
{
	uint8_t *wqe = q->ring + (BF_BE64(q->doorbell) >> 40 & q->mask) * BF_SQ_BLOCK;
	uint32_t *word = (uint32_t *)(wqe + offsetof(struct bf_wqe_ctrl, imm));

	BF_WQ_STORE32(word, *(bf_wq_u32 *)word | BF_BE32(imm));
	BF_WQ_STORE8(wqe + offsetof(struct bf_wqe_ctrl, flags),
		BF_WQE_F_CQE | BF_WQE_F_SOLICITED);
}

/* Have the device see all that was posted. */
static inline void
bf_sendq_ring(struct bf_sendq *q)
{
	if (q->rung == q->pi)
		return;
	BF_WQ_BEFORE_RECORD();
	BF_WQ_RECORD(&q->dbr[1], BF_BE32(q->pi));
	BF_WQ_BEFORE_DOORBELL();
	BF_WQ_DOORBELL(q->uar, BF_UAR_SQ, q->doorbell);
	q->rung = q->pi;
}

/*
 * The doorbell may have got lost: once more for what has not completed. A device that has
 * heard it knows by the record that this is nothing new.
 */
static inline void
bf_sendq_ring_again(struct bf_sendq *q)
{
	if (q->pi == q->ci)
		return;
	q->rung = q->ci;
	bf_sendq_ring(q);
}

/*
 * The request of this index is done, and all before it, of which nobody may have asked
 * for a completion. 0, or -EPROTO: no such request is posted.
 */
static inline int
bf_sendq_done(struct bf_sendq *q, uint16_t index)
{
	uint16_t posted = q->pi - q->ci;
	uint16_t end = q->one_block ? index + 1 : q->end[index & q->mask];

	if (unlikely((uint16_t)(index - q->ci) >= posted))
		return -EPROTO;
	/* what stands at a block that none starts on is of another lap, and far away */
	if (unlikely((uint16_t)(end - index - 1) >= BF_WQE_MAX_BLOCKS ||
	    (uint16_t)(end - q->ci) > posted))
		return -EPROTO;
	q->ci = end;
	return 0;
}

/*
 * Receive entries, of either kind
 */

/* Memory segments of an entry; what is left of it ends with a key of nothing. */
static inline void
bf_recv_wqe_put(uint8_t *wqe, uint32_t size, const struct bf_sge *sges, uint32_t nb)
{
	static const struct bf_sge none = { .lkey = BF_WQE_LKEY_NONE };
	const uint8_t *end = wqe + size;
	struct bf_wqe_data data;
	uint64_t half[2];
	uint32_t i;

	for (i = 0; i <= nb && wqe < end; i++) {
		if (i < nb && sges[i].len == 0)
			continue;
		data = bf_wqe_data(i < nb ? &sges[i] : &none);
		memcpy(half, &data, sizeof(half));
		BF_WQ_STORE_SEG(wqe, half[0], half[1]);
		wqe += BF_WQE_SEG;
	}
}

/* Entries that may be posted. */
static inline uint32_t
bf_recvq_room(const struct bf_recvq *q)
{
	return q->mask + 1 - (uint16_t)(q->pi - q->ci);
}

/*
 * Post buffers as one entry; 0 of them for messages without data. Its index, 16 bits,
 * or -ENOSPC: the queue is full; -EINVAL: more than an entry has.
 */
static inline int
bf_recvq_post(struct bf_recvq *q, const struct bf_sge *sges, uint32_t nb)
{
	uint16_t index = q->pi;

	if (unlikely(nb > q->wqe_size / BF_WQE_SEG))
		return -EINVAL;
	if (unlikely(bf_recvq_room(q) == 0))
		return -ENOSPC;
	bf_recv_wqe_put(q->ring + (size_t)(index & q->mask) * q->wqe_size, q->wqe_size, sges, nb);
	q->pi++;
	return index;
}

/* A receive queue has no doorbell: the device looks at the record when a message comes. */
static inline void
bf_recvq_ring(struct bf_recvq *q)
{
	BF_WQ_BEFORE_RECORD();
	BF_WQ_RECORD(&q->dbr[0], BF_BE32(q->pi));
}

/*
 * The entry of this index is done: they are in order. 0, or -EPROTO. Devices count entries
 * as they were posted, or as they stand in the ring.
 */
static inline int
bf_recvq_done(struct bf_recvq *q, uint16_t index)
{
	if (unlikely(((index ^ q->ci) & q->mask) != 0 || q->pi == q->ci))
		return -EPROTO;
	q->ci++;
	return 0;
}

/*
 * Shared receive queue. Entries are a list: the device goes from each to its next. The
 * last free one is never posted, as the next of it is not known yet. What posts is in
 * bluefield_wq_fast.h.
 */

static inline void
bf_sharedq_ring(struct bf_sharedq *q)
{
	BF_WQ_BEFORE_RECORD();
	BF_WQ_RECORD(&q->dbr[0], BF_BE32(q->pi));
}

/*
 * The entry of this index is done, which is what its completion says, in any order. 0,
 * or -EPROTO: it is not posted.
 */
static inline int
bf_sharedq_free(struct bf_sharedq *q, uint16_t index)
{
	uint8_t *last = q->ring + (size_t)q->tail * q->wqe_size;

	if (unlikely(index > q->mask || q->link[index] != BF_SHAREDQ_POSTED))
		return -EPROTO;
	BF_WQ_STORE16(last + offsetof(struct bf_wqe_srq_next, next_index), BF_BE16(index));
	q->link[q->tail] = index;
	q->link[index] = 0;
	q->tail = index;
	q->nb_free++;
	return 0;
}

/*
 * Completions
 */

/* The next completion, of which nothing may be read, or NULL. */
static inline const struct bf_cqe *
bf_compq_peek(const struct bf_compq *q)
{
	const struct bf_cqe *cqe = &q->ring[q->ci & q->mask];
	uint8_t lap = (q->ci & q->nb_cqes) != 0 ? BF_CQE_OWNER : 0;
	uint8_t op_own = BF_WQ_LOAD_OWNER(&cqe->op_own);

	if ((op_own & BF_CQE_OWNER) != lap || op_own >> 4 == BF_CQE_INVALID)
		return NULL;
	return cqe;
}

/*
 * The next completion, or NULL. It stays where it is until bf_compq_commit(), and is of
 * the device: it may change at any time.
 */
static inline const struct bf_cqe *
bf_compq_next(struct bf_compq *q)
{
	const struct bf_cqe *cqe = bf_compq_peek(q);

	if (cqe == NULL)
		return NULL;
	BF_WQ_AFTER_OWNER();
	q->ci++;
	return cqe;
}

/* Give the entries of all that was taken back to the device. */
static inline void
bf_compq_commit(struct bf_compq *q)
{
	BF_WQ_BEFORE_COMMIT();
	BF_WQ_RECORD(&q->dbr[0], BF_BE32(q->ci & BF_CQ_CI_MASK));
}

static inline void
bf_compq_arm_word(struct bf_compq *q, uint32_t flags)
{
	uint32_t word = (q->sn & BF_CQ_ARM_SN_MASK) << BF_CQ_ARM_SN_SHIFT | flags |
		(q->ci & BF_CQ_CI_MASK);

	bf_compq_commit(q);
	BF_WQ_RECORD(&q->dbr[1], BF_BE32(word));
	BF_WQ_BEFORE_DOORBELL();
	BF_WQ_DOORBELL(q->uar, BF_UAR_CQ_ARM, BF_BE64((uint64_t)word << 32 | q->cqn));
}

/*
 * Have the event queue told of the next completion. One that is there already counts,
 * also if it came between the last look and this: nothing is lost, and to look after it
 * is not needed. To arm an armed queue is allowed.
 */
static inline void
bf_compq_arm(struct bf_compq *q)
{
	bf_compq_arm_word(q, 0);
}

/* The same, but only of an error, or of a message that its sender wants to be noticed. */
static inline void
bf_compq_arm_solicited(struct bf_compq *q)
{
	bf_compq_arm_word(q, BF_CQ_ARM_SOLICITED);
}

/* An event of it came: before it is armed again, once for each of them. */
static inline void
bf_compq_event(struct bf_compq *q)
{
	q->sn++;
}

/* BF_CQE_* */
static inline uint8_t
bf_cqe_opcode(const struct bf_cqe *cqe)
{
	return BF_WQ_LOAD8(&cqe->op_own) >> 4;
}

/* Of a message: its sender has bf_sendq_solicit() done to it. */
static inline bool
bf_cqe_solicited(const struct bf_cqe *cqe)
{
	return (BF_WQ_LOAD8(&cqe->op_own) & BF_CQE_SOLICITED) != 0;
}

/* Index of the request, also of one that failed. */
static inline uint16_t
bf_cqe_wqe_counter(const struct bf_cqe *cqe)
{
	return BF_BE16(BF_WQ_LOAD16(&cqe->wqe_counter));
}

/* Bytes received; of a datagram with the 40 of its header, which come first. */
static inline uint32_t
bf_cqe_byte_cnt(const struct bf_cqe *cqe)
{
	return BF_BE32(BF_WQ_LOAD32(&cqe->byte_cnt));
}

static inline uint32_t
bf_cqe_imm(const struct bf_cqe *cqe)
{
	return BF_BE32(BF_WQ_LOAD32(&cqe->imm));
}

/*
 * From here on it is like others. Returns the bits of its immediate from one on, which are 0
 * then. The device has written all of it, and reads nothing.
 */
static inline uint32_t
bf_cqe_noticed(const struct bf_cqe *cqe, uint32_t shift)
{
	struct bf_cqe *own = (struct bf_cqe *)(uintptr_t)cqe;
	uint32_t imm = bf_cqe_imm(cqe);

	own->imm = BF_BE32(imm & ((1u << shift) - 1));
	own->op_own &= ~BF_CQE_SOLICITED;
	return imm >> shift;
}

/* Of the queue pair, if the device has version 1 of completions. */
static inline uint32_t
bf_cqe_user_index(const struct bf_cqe *cqe)
{
	return BF_BE32(BF_WQ_LOAD32(&cqe->user_index) & RTE_BE32(0xffffff));
}

/* BF_SYND_*, of completions with an error. */
static inline uint8_t
bf_cqe_syndrome(const struct bf_cqe *cqe)
{
	return BF_WQ_LOAD8(&cqe->syndrome);
}

static inline uint8_t
bf_cqe_vendor_syndrome(const struct bf_cqe *cqe)
{
	return BF_WQ_LOAD8(&cqe->vendor_syndrome);
}

/* Of a datagram: who sent it. */
static inline uint32_t
bf_cqe_src_qpn(const struct bf_cqe *cqe)
{
	return BF_BE32(BF_WQ_LOAD32(&cqe->flags_src_qpn)) & 0xffffff;
}

/*
 * Of a datagram: which header with addresses is before it, BF_CQE_L3_...; 0: none of IP.
 * The buffer does not tell: before an IPv4 header are 20 bytes that nobody writes.
 */
static inline uint8_t
bf_cqe_l3_type(const struct bf_cqe *cqe)
{
	uint32_t flags = BF_BE32(BF_WQ_LOAD32(&cqe->flags_src_qpn));

	return (flags >> 28 & 3) != 0 ? flags >> 24 & 3 : 0;
}

#endif
