/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The data path for bursts of one shape, on the queues of bluefield_wq.h: what does not
 * change from message to message is made at set-up, and what a loop needs is in a local
 * variable of its own, a row, which the compiler keeps in registers. No argument is
 * checked; the caller's loop does that, and what it posts is room that it asked for. What
 * the device writes is checked as in bluefield_wq.h.
 *
 *   send     bf_send_form_init() once; bf_send_row_begin(), bf_send_row_put() for each
 *            message, bf_send_row_end(), bf_sendq_ring(); where all have data, or none
 *            has, in the place of the second bf_send_run_begin(), bf_send_run_put() for
 *            each, bf_send_run_end()
 *   sent     bf_comp_row_begin(); for each completion bf_comp_row_next(BF_CQE_REQ),
 *            bf_sendq_done(), bf_comp_row_taken(); bf_comp_row_end(),
 *            bf_compq_commit()
 *   post     bf_sharedq_fill() once; bf_post_row_begin(), bf_post_row_put() for each
 *            buffer, bf_post_row_end(), bf_sharedq_ring()
 *   receive  bf_comp_row_begin(), bf_free_row_begin(); for each message
 *            bf_comp_row_next(BF_CQE_RESP_SEND_IMM), bf_free_row_posted(),
 *            bf_free_row_take(), bf_comp_row_taken(); bf_comp_row_end(),
 *            bf_free_row_end(), bf_compq_commit()
 *
 * What a completion says is checked field by field, each before the next one is loaded:
 * compilers make fewer instructions of that.
 *
 * A message is SEND with immediate: control segment; if the consumer takes immediate
 * data, an inline segment of always as many bytes as it has said; if there is data, one
 * data segment. One completion for each burst is enough: it tells of all requests before
 * it. One that fails has a completion of its own, and each that is flushed.
 */

#ifndef BLUEFIELD_WQ_FAST_H
#define BLUEFIELD_WQ_FAST_H

#include <rte_vect.h>

#include "bluefield_wq.h"

/* Bytes of immediate data that a message has at most. */
#define BF_MAX_IMM 32u

/*
 * Address and length, as they stand in struct rte_comch_send and struct rte_comch_post;
 * the length is below 2 GiB. key: a memory key as bf_key() has it.
 */
struct bf_piece {
	uint64_t addr;
	uint64_t len;
};

/* The half of a data segment that has length and key, with this length. */
static inline uint64_t
bf_key_len(uint32_t lkey, uint32_t len)
{
	const rte_be32_t half[2] = { BF_BE32(len), BF_BE32(lkey) };
	uint64_t word;

	memcpy(&word, half, sizeof(word));
	return word;
}

/* The same, for the length of each piece. */
static inline uint64_t
bf_key(uint32_t lkey)
{
	return bf_key_len(lkey, 0);
}

/*
 * Sixteen bytes in a register, for what a loop does to all messages alike; without vector
 * registers compilers make two halves of it.
 */
typedef rte_v128u64_t bf_vec;

/* p is not aligned. */
static __rte_always_inline bf_vec
bf_vec_load(const void *p)
{
	bf_vec v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Byte i is the one that table[i] says, or 0 if that is above 15. */
static __rte_always_inline bf_vec
bf_vec_turn(bf_vec v, const uint8_t table[16])
{
#if defined(__SSSE3__) && !defined(BF_WQ_NO_VECTOR)
	return (bf_vec)_mm_shuffle_epi8((__m128i)v, (__m128i)bf_vec_load(table));
#elif defined(RTE_ARCH_ARM64) && !defined(BF_WQ_NO_VECTOR)
	return (bf_vec)vqtbl1q_u8((uint8x16_t)v, vld1q_u8(table));
#else
	uint8_t from[16], to[16];
	uint32_t i;

	memcpy(from, &v, sizeof(from));
	for (i = 0; i < sizeof(to); i++)
		to[i] = table[i] < sizeof(from) ? from[table[i]] : 0;
	return bf_vec_load(to);
#endif
}

/* The second halves of both. Compilers would take them apart by way of memory. */
static __rte_always_inline bf_vec
bf_vec_second(bf_vec a, bf_vec b)
{
#if defined(RTE_ARCH_X86)
	return (bf_vec)_mm_unpackhi_epi64((__m128i)a, (__m128i)b);
#elif defined(RTE_ARCH_ARM64)
	return (bf_vec)vzip2q_u64((uint64x2_t)a, (uint64x2_t)b);
#else
	return (bf_vec){ a[1], b[1] };
#endif
}

/*
 * What is in one of these has its highest bit set if off is above max in that half; max is
 * below 2^63.
 */
static __rte_always_inline bf_vec
bf_vec_above(bf_vec off, bf_vec max)
{
	return off | (max - off);
}

static __rte_always_inline bool
bf_vec_any_above(bf_vec above)
{
	return (above[0] | above[1]) >> 63 != 0;
}

/* A segment, to memory that is aligned. */
static __rte_always_inline void
bf_vec_put(uint8_t *seg, bf_vec v)
{
#if defined(BF_WQ_STORE_VEC) && defined(RTE_ARCH_X86)
	BF_WQ_STORE_VEC(seg, (__m128i)v);
#elif defined(BF_WQ_STORE_VEC)
	BF_WQ_STORE_VEC(seg, (uint8x16_t)v);
#else
	BF_WQ_STORE_SEG(seg, v[0], v[1]);
#endif
}

/* A data segment of a piece. */
static __rte_always_inline void
bf_data_put(uint8_t *seg, bf_vec piece, bf_vec key)
{
	static const uint8_t turn[16] = {
		11, 10, 9, 8, 255, 255, 255, 255, 7, 6, 5, 4, 3, 2, 1, 0,
	};

	bf_vec_put(seg, bf_vec_turn(piece, turn) | key);
}

/*
 * Send
 */

struct bf_send_form {
	uint64_t ctrl;          /* first half of the control segment, of a message with data */
	uint64_t ctrl_no_data;
	uint32_t imm_len;       /* bytes of immediate data in each message; 0: none */
	uint32_t nb_blocks;     /* of a request with data; 1 without */
	uint32_t data_off;      /* from the start of the request to the data segment */
	rte_be32_t inl_head;
};

/*
 * imm_len is BF_MAX_IMM at most. The queue is empty. If it is 0, no request of more than
 * one block may be sent on it from now on.
 */
void bf_send_form_init(struct bf_send_form *form, struct bf_sendq *q, uint32_t imm_len);

/* Messages that there is room for. */
static inline uint32_t
bf_send_form_room(const struct bf_send_form *form, const struct bf_sendq *q)
{
	return bf_sendq_room(q) >> (form->nb_blocks - 1);
}

struct bf_send_row {
	uint8_t *ring;
	uint16_t *end;
	uint32_t mask;
	uint32_t bytes;         /* of the ring, without the last block */
	uint32_t pi;            /* blocks posted, in the upper 16 bits: so it wraps by itself */
	uint64_t last;          /* first half of the last request; 0: none */
	uint8_t *last_wqe;
};

static __rte_always_inline struct bf_send_row
bf_send_row_begin(const struct bf_sendq *q)
{
	return (struct bf_send_row){
		.ring = q->ring, .end = q->end, .mask = q->mask,
		.bytes = q->mask * BF_SQ_BLOCK, .pi = (uint32_t)q->pi << 16,
	};
}

/* len bytes, fewer than BF_MAX_IMM, and zeros behind them. */
static inline void
bf_imm_pad(uint8_t slot[BF_MAX_IMM], const uint8_t *imm, uint32_t len)
{
	uint32_t i;

	memset(slot, 0, BF_MAX_IMM);
	len &= BF_MAX_IMM - 1; /* so that compilers see it too */
	for (i = 0; i + sizeof(uint64_t) <= len; i += sizeof(uint64_t))
		memcpy(slot + i, imm + i, sizeof(uint64_t));
	for (; i < len; i++)
		slot[i] = imm[i];
}

/* At 4 bytes behind a segment's start; what is too much the data segment overwrites. */
static __rte_always_inline void
bf_imm_put(uint8_t *to, const void *imm, uint32_t len)
{
	uint8_t slot[BF_MAX_IMM];

	if (unlikely(len != BF_MAX_IMM)) {
		bf_imm_pad(slot, imm, len);
		imm = slot;
	}
	BF_WQ_COPY16(to, imm);
	BF_WQ_COPY16(to + 16, (const uint8_t *)imm + 16);
}

/* Index of the request that is put next. */
static __rte_always_inline uint16_t
bf_send_row_index(const struct bf_send_row *row)
{
	return row->pi >> 16;
}

/*
 * One message. piece: address and length of its data, see struct bf_piece; imm: its
 * immediate data, imm_len of form->imm_len bytes at most; word: the immediate of four
 * bytes. Constant are with_imm, whether form->imm_len is not 0, and with_data, whether
 * the length is not 0, which callers look at anyway.
 */
static __rte_always_inline void
bf_send_row_put_one(struct bf_send_row *row, const struct bf_send_form *form,
	const void *piece, uint64_t key, const void *imm, uint32_t imm_len, uint32_t word,
	const bool with_imm, const bool with_data)
{
	uint32_t at = row->pi >> (16 - BF_SQ_BLOCK_LOG) & row->bytes;
	uint8_t *wqe = row->ring + at, *data = wqe + BF_WQE_SEG;
	uint64_t lo = with_data ? form->ctrl : form->ctrl_no_data;

	lo |= BF_BE64((uint64_t)row->pi) >> 24;
	BF_WQ_STORE_SEG(wqe, lo, (uint64_t)BF_BE32(word) << 32);
	if (with_imm) {
		BF_WQ_STORE32(wqe + BF_WQE_SEG, form->inl_head);
		bf_imm_put(wqe + BF_WQE_SEG + sizeof(form->inl_head), imm, imm_len);
		/* the second block may be the first of the ring */
		data = row->ring + ((at + form->data_off) & (row->bytes | (BF_SQ_BLOCK - 1)));
	}
	if (with_data)
		bf_data_put(data, bf_vec_load(piece), (bf_vec){ key, 0 });
	row->pi += with_imm && with_data ? form->nb_blocks << 16 : 1 << 16;
	if (with_imm)
		row->end[at / BF_SQ_BLOCK] = row->pi >> 16;
	BF_WQ_HIDE(row->pi);
	row->last = lo;
	row->last_wqe = wqe;
}

/* The same, for who does not. */
static __rte_always_inline void
bf_send_row_put(struct bf_send_row *row, const struct bf_send_form *form, const void *piece,
	uint64_t len, uint64_t key, const void *imm, uint32_t imm_len, uint32_t word,
	const bool with_imm)
{
	if (likely(len != 0))
		bf_send_row_put_one(row, form, piece, key, imm, imm_len, word, with_imm, true);
	else
		bf_send_row_put_one(row, form, NULL, 0, imm, imm_len, word, with_imm, false);
}

/*
 * Requests of one kind, with the control segment in a vector register. Callers know by
 * themselves what a completion tells: bf_sendq_done() is not for these, if there is
 * immediate data.
 */

struct bf_send_run {
	uint8_t *ring;
	uint32_t at;            /* bytes from the start of the ring to the next request */
	uint32_t bytes;         /* of the ring, without the last block */
	uint32_t nb_blocks;     /* of a request */
	bf_vec ctrl;            /* of the next one: its index is in front, as the CPU has it */
	bf_vec step;
};

/* Constant are with_imm, whether form->imm_len is not 0, and with_data. */
static __rte_always_inline struct bf_send_run
bf_send_run_begin(const struct bf_send_row *row, const struct bf_send_form *form,
	const bool with_imm, const bool with_data)
{
	const uint32_t nb_blocks = with_imm && with_data ? form->nb_blocks : 1;
	const uint64_t ctrl = with_data ? form->ctrl : form->ctrl_no_data;

	return (struct bf_send_run){
		.ring = row->ring,
		.at = row->pi >> (16 - BF_SQ_BLOCK_LOG) & row->bytes,
		.bytes = row->bytes,
		.nb_blocks = nb_blocks,
		.ctrl = { ctrl | row->pi >> 16, 0 },
		.step = { nb_blocks, 0 },
	};
}

/*
 * One message, as bf_send_row_put_one() has it; but without immediate data the immediate
 * of four bytes is 0. piece: address and length; key: see bf_key(), in the first half.
 */
static __rte_always_inline void
bf_send_run_put(struct bf_send_run *run, const struct bf_send_form *form, bf_vec piece,
	bf_vec key, const void *imm, uint32_t imm_len, uint32_t word, const bool with_imm,
	const bool with_data)
{
	static const uint8_t ctrl_turn[16] = {
		2, 1, 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	};
	uint8_t *wqe = run->ring + run->at, *data = wqe + BF_WQE_SEG;

	bf_vec_put(wqe, bf_vec_turn(run->ctrl, ctrl_turn));
	if (with_imm) {
		BF_WQ_STORE32(wqe + offsetof(struct bf_wqe_ctrl, imm), BF_BE32(word));
		BF_WQ_STORE32(wqe + BF_WQE_SEG, form->inl_head);
		bf_imm_put(wqe + BF_WQE_SEG + sizeof(form->inl_head), imm, imm_len);
		/* the second block may be the first of the ring */
		data = run->ring + ((run->at + form->data_off) & (run->bytes | (BF_SQ_BLOCK - 1)));
	}
	if (with_data)
		bf_data_put(data, piece, key);
	/* the index wraps within its 16 bits */
	run->ctrl = (bf_vec)((rte_v128u16_t)run->ctrl + (rte_v128u16_t)run->step);
	run->at = (run->at + (with_imm && with_data ? run->nb_blocks : 1) * BF_SQ_BLOCK) &
		run->bytes;
}

/* The row goes on behind them; nb: how many were put, not 0 */
static __rte_always_inline void
bf_send_run_end(const struct bf_send_run *run, const struct bf_send_form *form,
	struct bf_send_row *row, uint32_t nb, const bool with_data)
{
	uint32_t last = row->pi + ((nb - 1) * run->nb_blocks << 16);

	row->pi = last + (run->nb_blocks << 16);
	row->last = (with_data ? form->ctrl : form->ctrl_no_data) | BF_BE64((uint64_t)last) >> 24;
	row->last_wqe = run->ring + (last >> (16 - BF_SQ_BLOCK_LOG) & run->bytes);
}

/*
 * Block of the request that was put last, which is the one that has a completion: index &
 * mask of that. What is known of it goes by this.
 */
static __rte_always_inline uint32_t
bf_send_row_last(const struct bf_send_row *row)
{
	return (uint32_t)(row->last_wqe - row->ring) / BF_SQ_BLOCK;
}

/* The last request of the row has a completion. */
static __rte_always_inline void
bf_send_row_end(const struct bf_send_row *row, struct bf_sendq *q)
{
	if (unlikely(row->last == 0))
		return;
	BF_WQ_STORE8(row->last_wqe + offsetof(struct bf_wqe_ctrl, flags), BF_WQE_F_CQE);
	q->pi = row->pi >> 16;
	q->doorbell = row->last;
}

/*
 * Post
 */

/* Bytes of a shared entry: the list, immediate data if there is, a buffer, an end. */
static inline uint32_t
bf_post_wqe_size(uint32_t imm_len)
{
	return imm_len != 0 ? 64 : 32;
}

/*
 * Write what is the same in each lap: where immediate data goes, imm_len bytes for each
 * entry, imm_stride from one to the next, from imm on; 0 if there is none. The queue is
 * new, with entries of bf_post_wqe_size().
 */
void bf_sharedq_fill(struct bf_sharedq *q, const void *imm, uint32_t imm_stride,
	uint32_t imm_len, uint32_t imm_lkey);

/* And then length and key of buffers, if all have the same, for bf_post_row_put_addr(). */
void bf_sharedq_fill_data(struct bf_sharedq *q, uint64_t key_len);

struct bf_post_row {
	uint8_t *data;          /* data segment of entry 0 */
	uint32_t *link;
	size_t head;
};

static __rte_always_inline struct bf_post_row
bf_post_row_begin(const struct bf_sharedq *q)
{
	return (struct bf_post_row){
		.data = q->data,
		.link = q->link,
		.head = q->head,
	};
}

/*
 * One buffer of the length and key that bf_sharedq_fill_data() was given, or 0 for none;
 * the index of its entry. with_imm is constant, and says whether bf_sharedq_fill() was
 * given any.
 */
static __rte_always_inline size_t
bf_post_row_put_addr(struct bf_post_row *row, uint64_t addr, const bool with_imm)
{
	size_t index = row->head;

	BF_WQ_STORE64(row->data + index * (with_imm ? 64 : 32) +
		offsetof(struct bf_wqe_data, addr), BF_BE64(addr));
	row->head = row->link[index];
	BF_WQ_HIDE(row->head);
	row->link[index] = BF_SHAREDQ_POSTED;
	return index;
}

/*
 * One buffer of its own length and key, see bf_key_len(): BF_WQE_LKEY_NONE and 0 for none.
 * A queue has posts of this kind only, or of the other.
 */
static __rte_always_inline size_t
bf_post_row_put(struct bf_post_row *row, uint64_t addr, uint64_t key_len, const bool with_imm)
{
	BF_WQ_STORE64(row->data + row->head * (with_imm ? 64 : 32), key_len);
	return bf_post_row_put_addr(row, addr, with_imm);
}

/* nb: how many were put */
static __rte_always_inline void
bf_post_row_end(const struct bf_post_row *row, struct bf_sharedq *q, uint32_t nb)
{
	q->head = row->head;
	q->nb_free -= nb;
	q->pi += nb;
}

/*
 * Completions, up to the end of the ring: then another row may begin.
 */

struct bf_comp_row {
	const struct bf_cqe *at;
	const struct bf_cqe *begin;
	const struct bf_cqe *end;
	uint8_t lap;
};

/* nb: how many are wanted at most */
static __rte_always_inline struct bf_comp_row
bf_comp_row_begin(const struct bf_compq *q, uint32_t nb)
{
	uint32_t at = q->ci & q->mask;
	uint8_t lap = (q->ci & q->nb_cqes) != 0 ? BF_CQE_OWNER : 0;

	BF_WQ_HIDE(lap); /* or it is found out anew for each */
	return (struct bf_comp_row){
		.at = q->ring + at,
		.begin = q->ring + at,
		.end = q->ring + at + RTE_MIN(nb, q->nb_cqes - at),
		.lap = lap,
	};
}

/*
 * The next completion if it has this opcode, and no solicited bit; NULL: there is none, or
 * it is another one, or the row is at its end. Then bf_compq_next() tells, after
 * bf_comp_row_end(). It is taken by bf_comp_row_taken(), so that what is wrong with it can
 * be seen again.
 */
static __rte_always_inline const struct bf_cqe *
bf_comp_row_next(const struct bf_comp_row *row, const enum bf_cqe_opcode opcode)
{
	const struct bf_cqe *cqe = row->at;

	if (unlikely(cqe == row->end))
		return NULL;
	if ((BF_WQ_LOAD_OWNER(&cqe->op_own) & (0xf0 | BF_CQE_SOLICITED | BF_CQE_OWNER)) !=
			(opcode << 4 | row->lap))
		return NULL;
	BF_WQ_AFTER_OWNER();
	return cqe;
}

static __rte_always_inline void
bf_comp_row_taken(struct bf_comp_row *row)
{
	row->at++;
}

/* How many were taken. */
static __rte_always_inline uint32_t
bf_comp_row_end(const struct bf_comp_row *row, struct bf_compq *q)
{
	uint32_t nb = row->at - row->begin;

	q->ci += nb;
	return nb;
}

/*
 * Entries that come back
 */

struct bf_free_row {
	uint8_t *next;          /* the list's word of entry 0 */
	uint32_t *link;
	uint8_t *tail_next;     /* of the tail */
	uint32_t *tail_link;
	uint32_t mask;
};

static __rte_always_inline struct bf_free_row
bf_free_row_begin(const struct bf_sharedq *q)
{
	uint8_t *next = q->ring + offsetof(struct bf_wqe_srq_next, next_index);

	return (struct bf_free_row){
		.next = next,
		.link = q->link,
		.tail_next = next + (size_t)q->tail * q->wqe_size,
		.tail_link = &q->link[q->tail],
		.mask = q->mask,
	};
}

/* Is this entry posted? */
static __rte_always_inline bool
bf_free_row_posted(const struct bf_free_row *row, size_t index)
{
	return likely(index <= row->mask && row->link[index] == BF_SHAREDQ_POSTED);
}

/* An entry that is posted comes back. */
static __rte_always_inline void
bf_free_row_take(struct bf_free_row *row, size_t index, const bool with_imm)
{
	BF_WQ_STORE16(row->tail_next, BF_BE16(index));
	*row->tail_link = index;
	row->tail_next = row->next + index * (with_imm ? 64 : 32);
	row->tail_link = &row->link[index];
	*row->tail_link = 0;
}

/* nb: how many came back */
static __rte_always_inline void
bf_free_row_end(const struct bf_free_row *row, struct bf_sharedq *q, uint32_t nb)
{
	q->tail = row->tail_link - row->link;
	q->nb_free += nb;
}

#endif
