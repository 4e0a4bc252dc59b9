/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A queue pair of the software BlueField that is connected to itself, and requests for
 * it, made from an input: their heads are right as a rule, what they say is the input's.
 */

#include <endian.h>
#include <string.h>

#include "../bluefield-model/data.h"
#include "fuzz_model.h"

/* Pages of the client's memory, and what is there. */
#define PAGE_ADDR(page) (FUZZ_MEM_ADDR + (page) * BFM_PAGE_SIZE)
enum { PAGE_CQ = FUZZ_PAGE_FREE + 4, PAGE_QP, PAGE_SRQ, PAGE_RECORDS };
enum { RECORD_CQ = 0, RECORD_QP = 64, RECORD_SRQ = 128 };

#define LOG_ENTRIES 4u        /* of each queue, of 64 bytes; the CQ has four times as many */
#define ENTRIES (1u << LOG_ENTRIES)
#define UNIT 16u
#define UAR_BF 0x800u

/* Bits of commands: of a context within its command. */
#define CQ(name) (128 + CQC_##name##_BIT), CQC_##name##_WIDTH
#define QP(name) (192 + QPC_##name##_BIT), QPC_##name##_WIDTH
#define RMP(name) (256 + RMPC_##name##_BIT), RMPC_##name##_WIDTH
#define MK(name) (128 + MKC_##name##_BIT), MKC_##name##_WIDTH
#define PAGES (272 * 8), 64
#define NB(a) (uint32_t)(sizeof(a) / sizeof((a)[0]))

static struct {
	bool shared;
	uint16_t sq_pi;
	uint16_t rq_pi;
	uint16_t srq_pi;
} queues;

static void
srq_list(struct fuzz_model *m)
{
	uint8_t *ring = m->mem + PAGE_SRQ * BFM_PAGE_SIZE;
	uint32_t i;

	for (i = 0; i < ENTRIES; i++)
		bfm_bits_set(ring + i * 64 + 2, 0, 16, (i + 1) % ENTRIES);
}

static void
transitions(struct fuzz_model *m)
{
	const struct fuzz_field init[] = {
		{ QP(pm_state), 3 }, { QP(rre), 1 }, { QP(rwe), 1 },
	};
	const struct fuzz_field rtr[] = {
		{ QP(log_msg_max), 14 }, { QP(min_rnr_nak), 1 }, { QP(mtu), 1 },
	};
	const struct fuzz_field rts[] = {
		{ QP(retry_count), 1 }, { QP(rnr_retry), 7 }, { QP(pri_ack_timeout), 1 },
	};

	fuzz_model_run(m, 0x502, 0, init, NB(init));
	fuzz_model_run(m, 0x503, 0, rtr, NB(rtr));
	fuzz_model_run(m, 0x504, 0, rts, NB(rts));
}

void
fuzz_model_connect(struct fuzz_model *m, bool shared)
{
	const struct fuzz_field mkey[] = {
		{ MK(access_mode_1_0), BFM_MODE_PA }, { MK(length64), 1 }, { MK(lw), 1 },
		{ MK(rr), 1 }, { MK(rw), 1 },
	};
	const struct fuzz_field cq[] = {
		{ CQ(log_cq_size), LOG_ENTRIES + 2 }, { PAGES, PAGE_ADDR(PAGE_CQ) },
		{ CQ(dbr_addr), PAGE_ADDR(PAGE_RECORDS) + RECORD_CQ },
	};
	const struct fuzz_field rmp[] = {
		{ RMP(state), BFM_RMP_RDY }, { RMP(log_wq_sz), LOG_ENTRIES },
		{ RMP(log_wq_stride), 6 }, { PAGES, PAGE_ADDR(PAGE_SRQ) },
		{ RMP(dbr_addr), PAGE_ADDR(PAGE_RECORDS) + RECORD_SRQ },
	};
	const struct fuzz_field qp[] = {
		{ QP(log_sq_size), LOG_ENTRIES }, { QP(log_rq_size), LOG_ENTRIES },
		{ QP(log_rq_stride), 2 }, { QP(rq_type), shared ? BFM_RQ_SHARED : BFM_RQ_OWN },
		{ QP(srqn_rmpn_xrqn), 0 }, { PAGES, PAGE_ADDR(PAGE_QP) },
		{ QP(dbr_addr), PAGE_ADDR(PAGE_RECORDS) + RECORD_QP },
	};
	struct fuzz_field named[NB(qp)];

	memset(&queues, 0, sizeof(queues));
	queues.shared = shared;
	memset(m->mem + PAGE_CQ * BFM_PAGE_SIZE, 0, 4 * BFM_PAGE_SIZE);
	srq_list(m);
	fuzz_model_run(m, 0x200, 0, mkey, NB(mkey));
	fuzz_model_run(m, 0x400, 1, cq, NB(cq));
	if (shared)
		fuzz_model_run(m, 0x90c, 1, rmp, NB(rmp));
	memcpy(named, qp, sizeof(named));
	named[4].value = m->ids[BFM_T_RMP];
	fuzz_model_run(m, 0x500, 1, named, NB(named));
	transitions(m);
}

/* A piece of memory, by the newest key as a rule; or bytes here. */
static uint32_t
put_seg(struct fuzz_model *m, struct fuzz_in *in, uint8_t *p, bool may_inline)
{
	uint8_t what = fuzz_u8(in);
	uint32_t len = (what & 1) != 0 ? fuzz_u8(in) : fuzz_u32(in) >> (what >> 3);
	uint32_t key = m->ids[BFM_T_MKEY] << 8;
	const uint8_t *bytes;
	size_t n;

	if (may_inline && (what & 6) == 6) {
		n = fuzz_bytes(in, &bytes, UNIT - 4);
		bfm_bits_set(p, 0, 32, UINT64_C(0x80000000) | len);
		memcpy(p + 4, bytes, n);
		return UNIT;
	}
	if ((what & 6) == 2)
		key = fuzz_u32(in);
	bfm_bits_set(p, 0, 32, len);
	bfm_bits_set(p, 32, 32, key);
	bfm_bits_set(p, 64, 64, fuzz_model_addr(in) + (what >> 4));
	return UNIT;
}

static void
put_record(struct fuzz_model *m, uint32_t record, uint16_t value)
{
	bfm_bits_set(m->mem + PAGE_RECORDS * BFM_PAGE_SIZE + record, 16, 16, value);
}

static void
post_send(struct fuzz_model *m, struct fuzz_in *in, uint8_t what)
{
	static const uint8_t opcodes[] = { 0x0a, 0x0b, 0x08, 0x09, 0x10, 0x00, 0x0a, 0x25 };
	uint8_t *ring = m->mem + PAGE_QP * BFM_PAGE_SIZE + ENTRIES * 64;
	uint64_t page = (uint64_t)m->ids[BFM_T_UAR] * BFM_PAGE_SIZE;
	uint8_t opcode = opcodes[what >> 2 & 7];
	uint32_t units = 1 + fuzz_u8(in) % 8, i, at = UNIT;
	uint8_t wqe[9 * UNIT + 64] = { 0 };

	if (opcode >= 0x08 && opcode != 0x0a && opcode != 0x0b) {
		bfm_bits_set(wqe + at, 0, 64, fuzz_model_addr(in));
		bfm_bits_set(wqe + at + 8, 0, 32, (uint64_t)m->ids[BFM_T_MKEY] << 8);
		at += UNIT;
	}
	while (at < (1 + units) * UNIT)
		at += put_seg(m, in, wqe + at, true);
	bfm_bits_set(wqe, 8, 16, queues.sq_pi);
	wqe[3] = opcode;
	bfm_bits_set(wqe, 32, 24, m->ids[BFM_T_QP]);
	wqe[7] = (uint8_t)(at / UNIT);
	wqe[11] = (what & 0x20) != 0 ? 8 : 2;
	for (i = 0; i < at; i += 64, queues.sq_pi++)
		memcpy(ring + queues.sq_pi % ENTRIES * 64, wqe + i, 64);
	if ((what & 0xc0) == 0xc0)
		queues.sq_pi += fuzz_u8(in);
	put_record(m, RECORD_QP + 4, queues.sq_pi);
	if ((what & 0xc0) != 0x80)
		m->write(m, page + UAR_BF, wqe, 8);
}

static void
post_recv(struct fuzz_model *m, struct fuzz_in *in)
{
	uint32_t page = queues.shared ? PAGE_SRQ : PAGE_QP;
	uint16_t *pi = queues.shared ? &queues.srq_pi : &queues.rq_pi;
	uint8_t *entry = m->mem + page * BFM_PAGE_SIZE + *pi % ENTRIES * 64;
	uint32_t at = queues.shared ? UNIT : 0;

	while (at < 64)
		at += put_seg(m, in, entry + at, false);
	put_record(m, queues.shared ? RECORD_SRQ : RECORD_QP, ++*pi);
}

void
fuzz_model_post(struct fuzz_model *m, struct fuzz_in *in)
{
	uint8_t what = fuzz_u8(in);

	switch (what & 3) {
	case 0:
	case 1:
		post_send(m, in, what);
		break;
	case 2:
		post_recv(m, in);
		break;
	default: /* completions were read */
		bfm_bits_set(m->mem + PAGE_RECORDS * BFM_PAGE_SIZE + RECORD_CQ, 8, 24, what >> 2);
		break;
	}
}
