/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Completions: what is written to a completion queue, when it is full, and when that
 * is told by an event. Also the asynchronous events of queues.
 */

#include <errno.h>
#include <string.h>
#include <time.h>

#include "data.h"

#define CQE_BYTES 64u
#define COUNTER_MASK 0xffffffu
#define NO_USER_INDEX 0xffffffu
#define CQ_OVERRUN 1u /* syndromes of the event */
#define CQ_ACCESS 2u

/* Byte offsets in a completion. */
enum {
	CQE_SLID = 22, CQE_FLAGS_RQPN = 24, CQE_HDR_TYPE = 29, CQE_VLAN = 30, CQE_SRQN = 32,
	CQE_IMM = 36, CQE_BYTES_DONE = 44, CQE_TIMESTAMP = 48, CQE_VENDOR_SYND = 54,
	CQE_SYND = 55, CQE_OPCODE_QPN = 56, CQE_COUNTER = 60, CQE_SIGNATURE = 62, CQE_OP_OWN = 63,
};

/* In the 28 bytes of an event: the number of a queue. */
enum { EVENT_CQ_ERR_CQN = 0, EVENT_CQ_ERR_SYND = 11, EVENT_NUMBER = 24 };

static void
put32(uint8_t *p, uint32_t v)
{
	bfm_bits_set(p, 0, 32, v);
}

void
bfm_queue_event(struct bfm_function *f, enum bfm_event type, uint32_t number)
{
	uint8_t data[28] = { 0 };

	put32(data + EVENT_NUMBER, number);
	if (bfm_event_wanted(f, type))
		bfm_event_post(f, type, 0, data);
}

/* It takes nothing more until it is made anew. */
static void
cq_fail(struct bfm_function *f, struct bfm_cq *cq, uint8_t synd, const char *why)
{
	uint8_t data[28] = { 0 };

	bfm_log(f, BFM_WARN, "CQ 0x%x fails: %s", cq->obj.id, why);
	cq->failed = true;
	put32(data + EVENT_CQ_ERR_CQN, cq->obj.id);
	data[EVENT_CQ_ERR_SYND] = synd;
	if (bfm_event_wanted(f, BFM_EV_CQ_ERROR))
		bfm_event_post(f, BFM_EV_CQ_ERROR, 0, data);
}

/* Is there room for one more, as the client's record says? */
static bool
cq_room(struct bfm_function *f, struct bfm_cq *cq)
{
	uint32_t used;
	uint8_t record[4];

	if (BFM_GET(cq->ctx, CQC, oi) != 0)
		return true;
	if (bfm_dma_read(f, cq->dbr, record, sizeof(record)) != 0) {
		cq_fail(f, cq, CQ_ACCESS, "its doorbell record is not mapped any more");
		return false;
	}
	used = (cq->producer - (uint32_t)bfm_bits_get(record, 8, 24)) & COUNTER_MASK;
	if (used < 1u << cq->log_size && !bfm_fault_uses(&f->net.cqes))
		return true;
	cq_fail(f, cq, CQ_OVERRUN, "overrun: the consumer index was not updated in time");
	return false;
}

static void
cq_fire(struct bfm_function *f, struct bfm_cq *cq)
{
	uint8_t data[28] = { 0 };

	cq->armed = false;
	put32(data + EVENT_NUMBER, cq->obj.id);
	bfm_eqe_post(f, cq->eq->id, BFM_EV_COMP, 0, data);
}

/* What software made of the QP: a number of its own choice, or the SRQ's. */
static uint32_t
user_number(const struct bfm_function *f, const struct bfm_qp *qp)
{
	uint32_t index = BFM_GET(qp->ctx, QPC, user_index);

	if (BFM_CAP(f, cqe_version) == 1 && index != NO_USER_INDEX)
		return index;
	return qp->srq != NULL ? qp->srq->id : 0;
}

/* A card leaves what a completion does not say as it was: nobody may rely on it. */
static void
noise(uint8_t *cqe)
{
	static uint64_t x = UINT64_C(0x9e3779b97f4a7c15);
	uint32_t i;

	for (i = 0; i < CQE_BYTES; i += sizeof(x)) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(cqe + i, &x, sizeof(x));
	}
}

/* What is said of a message that came, or of one that was fetched. */
static void
cqe_message(const struct bfm_qp *qp, const struct bfm_cpl *cpl, uint8_t *cqe)
{
	bool datagram = qp->st == BFM_ST_UD || qp->st == BFM_ST_QP1;
	struct timespec ts;

	if (datagram) {
		bfm_bits_set(cqe + CQE_SLID, 0, 16, cpl->slid);
		put32(cqe + CQE_FLAGS_RQPN, cpl->flags_rqpn);
		cqe[CQE_HDR_TYPE] = cpl->vlan;
		bfm_bits_set(cqe + CQE_VLAN, 0, 16, cpl->vlan_tag);
	}
	if (datagram || cpl->opcode == BFM_CQE_RESP_SEND_IMM ||
			cpl->opcode == BFM_CQE_RESP_WRITE_IMM)
		memcpy(cqe + CQE_IMM, &cpl->imm, sizeof(cpl->imm));
	if (cpl->opcode != BFM_CQE_REQ || bfm_send_reads(cpl->send_opcode))
		put32(cqe + CQE_BYTES_DONE, cpl->bytes);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	bfm_bits_set(cqe + CQE_TIMESTAMP, 0, 64, (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec);
}

static void
cqe_fill(const struct bfm_function *f, const struct bfm_qp *qp, const struct bfm_cpl *cpl,
		uint8_t *cqe)
{
	noise(cqe);
	put32(cqe + CQE_SRQN, user_number(f, qp));
	put32(cqe + CQE_OPCODE_QPN, (uint32_t)cpl->send_opcode << 24 | qp->obj.id);
	bfm_bits_set(cqe + CQE_COUNTER, 0, 16, cpl->counter);
	if (cpl->synd != BFM_CQE_OK)
		cqe[CQE_SYND] = (uint8_t)cpl->synd;
	else
		cqe_message(qp, cpl, cqe);
}

/* Each lap turns the owner bit; the first writes 0 over software's 1. */
static void
cqe_seal(const struct bfm_cq *cq, uint8_t opcode, bool solicited, uint8_t *cqe)
{
	uint8_t sum = 0;
	uint32_t i;

	cqe[CQE_OP_OWN] = (uint8_t)(opcode << 4 | (solicited ? 2 : 0) |
			(cq->producer >> cq->log_size & 1));
	cqe[CQE_SIGNATURE] = 0;
	for (i = 0; i < CQE_BYTES; i++)
		sum ^= cqe[i];
	cqe[CQE_SIGNATURE] = (uint8_t)~sum;
}

int
bfm_cqe_put(struct bfm_function *f, struct bfm_cq *cq, uint8_t *cqe, uint8_t opcode,
		bool solicited, bool error)
{
	uint32_t index = cq->producer & ((1u << cq->log_size) - 1);
	uint64_t off;

	if (cq->failed || !cq_room(f, cq))
		return -EOVERFLOW;
	cqe_seal(cq, opcode, solicited, cqe);
	/* the long ones have it in their second half */
	off = (uint64_t)index * cq->cqe_bytes + cq->cqe_bytes - CQE_BYTES;
	if (bfm_buf_dma_write(f, &cq->buf, off, cqe, CQE_BYTES) != 0) {
		cq_fail(f, cq, CQ_ACCESS, "an entry cannot be written: it is not mapped any more");
		return -EOVERFLOW;
	}
	cq->producer = (cq->producer + 1) & COUNTER_MASK;
	if (solicited || error)
		cq->last_solicited = cq->producer;
	bfm_log(f, BFM_DEBUG, "CQ 0x%x entry %u: opcode %u syndrome 0x%02x queue 0x%x request %u%s",
			cq->obj.id, index, opcode, error ? cqe[CQE_SYND] : 0,
			(uint32_t)bfm_bits_get(cqe + CQE_OPCODE_QPN, 8, 24),
			(uint32_t)bfm_bits_get(cqe + CQE_COUNTER, 0, 16),
			cq->armed ? ", armed" : "");
	if (cq->armed && (solicited || error || !cq->solicited_only))
		cq_fire(f, cq);
	return 0;
}

int
bfm_cqe_write(struct bfm_function *f, struct bfm_qp *qp, struct bfm_cq *cq,
		const struct bfm_cpl *cpl)
{
	uint8_t cqe[CQE_BYTES];

	cqe_fill(f, qp, cpl, cqe);
	return bfm_cqe_put(f, cq, cqe, cpl->opcode, cpl->solicited, cpl->synd != BFM_CQE_OK);
}

void
bfm_cqe_armed(struct bfm_function *f, struct bfm_cq *cq)
{
	uint32_t last = cq->solicited_only ? cq->last_solicited : cq->producer;
	uint32_t behind = (last - cq->arm_ci) & COUNTER_MASK;

	/* what came after software's last look must not be left untold */
	if (cq->armed && behind != 0 && behind <= COUNTER_MASK / 2)
		cq_fire(f, cq);
}
