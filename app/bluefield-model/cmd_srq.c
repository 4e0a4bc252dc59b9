/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Shared receive queues: basic ones (only at ISSI 0), those of XRC, and receive
 * memory pools, which clients use as basic ones from ISSI 1 on. Create, query,
 * arm, destroy. Nothing in here reads a receive request.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "queue.h"

BFM_LAYOUT(bfm_lay_create_srq_in, "create_srq_in", SRQ_CMD_BYTES, CREATE_SRQ_IN_FIELDS);
BFM_LAYOUT(bfm_lay_create_xrc_srq_in, "create_xrc_srq_in", SRQ_CMD_BYTES, CREATE_XRC_SRQ_IN_FIELDS);
BFM_LAYOUT(bfm_lay_create_srq_out, "create_srq_out", 16, CREATE_SRQ_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_srqn_in, "srqn_in", 16, SRQN_IN_FIELDS);
BFM_LAYOUT(bfm_lay_arm_srq_in, "arm_srq_in", 16, ARM_SRQ_IN_FIELDS);
BFM_LAYOUT(bfm_lay_query_srq_out, "query_srq_out", SRQ_CMD_BYTES, QUERY_SRQ_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_srqc, "srq_context", SRQC_BYTES, SRQC_SW_FIELDS);
BFM_LAYOUT(bfm_lay_xrc_srqc, "xrc_srq_context", SRQC_BYTES, XRC_SRQC_SW_FIELDS);
BFM_LAYOUT(bfm_lay_create_rmp_in, "create_rmp_in", RMP_CMD_BYTES, CREATE_RMP_IN_FIELDS);
BFM_LAYOUT(bfm_lay_create_rmp_out, "create_rmp_out", 16, CREATE_RMP_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_modify_rmp_in, "modify_rmp_in", RMP_CMD_BYTES, MODIFY_RMP_IN_FIELDS);
BFM_LAYOUT(bfm_lay_query_rmp_out, "query_rmp_out", RMP_CMD_BYTES, QUERY_RMP_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_rmpc, "rmp_context", RMPC_BYTES, RMPC_SW_FIELDS);

#define SRQC_BYTE (CREATE_SRQ_IN_srq_context_entry_BIT / 8)
#define RMPC_BYTE (CREATE_RMP_IN_ctx_BIT / 8)
_Static_assert((int)CREATE_SRQ_IN_srq_context_entry_BIT ==
		(int)CREATE_XRC_SRQ_IN_srq_context_entry_BIT, "SRQ context");
_Static_assert((int)CREATE_SRQ_IN_srq_context_entry_BIT ==
		(int)QUERY_SRQ_OUT_srq_context_entry_BIT, "SRQ context");
_Static_assert((int)CREATE_RMP_IN_ctx_BIT == (int)MODIFY_RMP_IN_ctx_BIT, "RMP context");
_Static_assert((int)CREATE_RMP_IN_ctx_BIT == (int)QUERY_RMP_OUT_rmp_context_BIT, "RMP context");
_Static_assert(CREATE_RMP_IN_ctx_WIDTH == RMPC_BYTES * 8, "RMP context");

#define ARM_OP_MOD 1u /* of an SRQ; 2 is tag matching's */
#define LOG_STRIDE_MIN 4u

static const struct bfm_needs srqc_needs[] = {
	BFM_NEEDS(SRQC, wq_signature, wq_signature),
	BFM_LACKS(SRQC, cont_srq, cont_srq),
};

static const struct bfm_needs xrc_srqc_needs[] = {
	BFM_NEEDS(XRC_SRQC, wq_signature, wq_signature),
	BFM_NEEDS(XRC_SRQC, basic_cyclic_rcv_wqe, basic_cyclic_rcv_wqe),
	BFM_LACKS(XRC_SRQC, cont_srq, cont_srq),
};

static const struct bfm_needs rmpc_needs[] = {
	BFM_NEEDS(RMPC, wq_signature, wq_signature),
	BFM_NEEDS(RMPC, basic_cyclic_rcv_wqe, basic_cyclic_rcv_wqe),
	BFM_NEEDS(RMPC, end_padding_mode, end_pad),
};

/* Clients keep SRQs and RMPs in one table, so their numbers are apart. */
static uint32_t
rmp_first(const struct bfm_function *f)
{
	uint32_t log_max = (uint32_t)BFM_CAP(f, log_max_srq);

	return 1u << (log_max < 22 ? log_max : 22);
}

enum bfm_type
bfm_srq_type(const struct bfm_function *f, uint32_t srqn)
{
	return srqn < rmp_first(f) ? BFM_T_SRQ : BFM_T_RMP;
}

static void
srq_free(struct bfm_function *f, struct bfm_object *o)
{
	struct bfm_srq *srq = (struct bfm_srq *)o;

	(void)f;
	bfm_ahead_free(srq);
	bfm_refs_drop(&srq->refs);
	bfm_buf_free(&srq->buf);
	free(srq);
}

static void
srq_print(const struct bfm_object *o, FILE *out)
{
	static const char * const kinds[] = { "basic", "XRC", "RMP" };
	static const char * const states[] = { "RST", "RDY", "?", "ERR" };
	const struct bfm_srq *srq = (const struct bfm_srq *)o;

	fprintf(out, "%s %s requests=%u stride=%u %s dbr=0x%" PRIx64, kinds[srq->kind],
			states[srq->state], 1u << srq->log_size, 1u << srq->log_stride,
			srq->cyclic ? "cyclic" : "list", srq->dbr);
	if (srq->limit_armed)
		fprintf(out, " limit=%u", srq->lwm);
}

static struct bfm_srq *
srq_new(struct bfm_cmd *c, enum bfm_srq_kind kind, uint32_t ctx_off, uint32_t ctx_bytes)
{
	struct bfm_srq *srq = calloc(1, sizeof(*srq));

	if (srq == NULL) {
		bfm_fail(c, BFM_NO_RESOURCES, "the model has no memory");
		return NULL;
	}
	srq->obj.free = srq_free;
	srq->obj.print = srq_print;
	srq->kind = kind;
	srq->state = BFM_RMP_RDY;
	memcpy(srq->ctx, c->in + ctx_off, ctx_bytes);
	return srq;
}

static enum bfm_status
check_issi(struct bfm_cmd *c, bool needs_1)
{
	if (c->f->issi1 == needs_1)
		return BFM_OK;
	return bfm_fail(c, BFM_BAD_OP, "this command is of ISSI %u, and SET_ISSI was %u",
			needs_1, c->f->issi1);
}

static enum bfm_status
check_lwm(struct bfm_cmd *c, const struct bfm_srq *srq, uint32_t lwm)
{
	if (lwm > 1u << srq->log_size)
		return bfm_fail(c, BFM_BAD_PARAM, "lwm=%u: the queue has %u requests",
				lwm, 1u << srq->log_size);
	return BFM_OK;
}

static void
srq_arm(struct bfm_srq *srq, uint16_t lwm)
{
	srq->lwm = lwm;
	srq->limit_armed = lwm != 0;
	if (srq->kind == BFM_SRQ_RMP)
		BFM_SET(srq->ctx, RMPC, lwm, lwm);
	else
		BFM_SET(srq->ctx, SRQC, lwm, lwm);
}

/* ------------------------------------------------------- SRQ, XRC SRQ */

static enum bfm_status
srq_names(struct bfm_cmd *c, struct bfm_srq *srq)
{
	uint32_t cqn = BFM_GET(srq->ctx, SRQC, cqn);
	uint32_t xrcd = BFM_GET(srq->ctx, SRQC, xrcd);
	bool xrc = srq->kind == BFM_SRQ_XRC;
	enum bfm_status status;

	status = bfm_refs_take(c, &srq->refs, BFM_T_PD, BFM_GET(srq->ctx, SRQC, pd), "pd", NULL);
	if (status == BFM_OK && (xrc || cqn != 0))
		status = bfm_refs_take(c, &srq->refs, BFM_T_CQ, cqn, "cqn", NULL);
	if (status == BFM_OK && (xrc || xrcd != 0))
		status = bfm_refs_take(c, &srq->refs, BFM_T_XRCD, xrcd, "xrcd", NULL);
	return status;
}

static enum bfm_status
srq_open(struct bfm_cmd *c, struct bfm_srq *srq)
{
	const uint8_t *ctx = srq->ctx;
	bool xrc = srq->kind == BFM_SRQ_XRC;
	struct bfm_where where = {
		.pas = SRQ_CMD_BYTES,
		.log_page_size = BFM_GET(ctx, SRQC, log_page_size),
		.page_offset = BFM_GET(ctx, SRQC, page_offset),
	};
	bool dbr_umem = xrc && BFM_GET(ctx, XRC_SRQC, dbr_umem_valid) != 0;
	enum bfm_status status;

	srq->log_size = BFM_GET(ctx, SRQC, log_srq_size);
	srq->log_stride = BFM_GET(ctx, SRQC, log_rq_stride) + LOG_STRIDE_MIN;
	if (xrc) {
		srq->cyclic = BFM_GET(ctx, XRC_SRQC, basic_cyclic_rcv_wqe) != 0;
		where.umem_valid = BFM_GET(c->in, CREATE_XRC_SRQ_IN, umem_valid) != 0;
		where.umem_id = BFM_GET(c->in, CREATE_XRC_SRQ_IN, umem_id);
		where.umem_offset = BFM_GET(c->in, CREATE_XRC_SRQ_IN, umem_offset);
		status = bfm_needs_check(c, ctx, xrc_srqc_needs,
				sizeof(xrc_srqc_needs) / sizeof(xrc_srqc_needs[0]));
	} else {
		status = bfm_needs_check(c, ctx, srqc_needs,
				sizeof(srqc_needs) / sizeof(srqc_needs[0]));
	}
	if (status != BFM_OK)
		return status;
	if (srq->log_size > BFM_CAP(c->f, log_max_srq_sz))
		return bfm_fail(c, BFM_BAD_PARAM,
				"log_srq_size=%u is above log_max_srq_sz=%" PRIu64, srq->log_size,
				BFM_CAP(c->f, log_max_srq_sz));
	status = srq_names(c, srq);
	if (status == BFM_OK)
		status = check_lwm(c, srq, BFM_GET(ctx, SRQC, lwm));
	if (status == BFM_OK)
		status = bfm_dbr_open(c, dbr_umem, BFM_GET(ctx, XRC_SRQC, dbr_umem_id),
				BFM_GET(ctx, SRQC, dbr_addr), &srq->refs, &srq->dbr);
	if (status == BFM_OK)
		status = bfm_where_open(c, &where, UINT64_C(1) << (srq->log_size +
				srq->log_stride), &srq->buf, &srq->refs);
	return status;
}

static enum bfm_status
create_any_srq(struct bfm_cmd *c, enum bfm_srq_kind kind)
{
	struct bfm_srq *srq = srq_new(c, kind, SRQC_BYTE, SRQC_BYTES);
	enum bfm_status status;

	if (srq == NULL)
		return BFM_NO_RESOURCES;
	status = srq_open(c, srq);
	if (status == BFM_OK)
		status = bfm_queue_add(c, &srq->obj, BFM_T_SRQ, BFM_SRQN_FIRST, rmp_first(c->f));
	if (status != BFM_OK) {
		srq_free(c->f, &srq->obj);
		return status;
	}
	srq_arm(srq, BFM_GET(srq->ctx, SRQC, lwm));
	BFM_SET(c->out, CREATE_SRQ_OUT, srqn, srq->obj.id);
	return BFM_OK;
}

static enum bfm_status
create_srq(struct bfm_cmd *c)
{
	enum bfm_status status = check_issi(c, false);

	return status != BFM_OK ? status : create_any_srq(c, BFM_SRQ_BASIC);
}

static enum bfm_status
create_xrc_srq(struct bfm_cmd *c)
{
	enum bfm_status status = check_issi(c, true);

	if (status != BFM_OK)
		return status;
	if (BFM_CAP(c->f, xrc) == 0)
		return bfm_fail(c, BFM_BAD_PARAM, "this needs capability xrc, which is 0");
	return create_any_srq(c, BFM_SRQ_XRC);
}

/* Find the SRQ of a command, which must be of a kind. */
static enum bfm_status
srq_find(struct bfm_cmd *c, enum bfm_srq_kind kind, uint32_t srqn, struct bfm_srq **srq)
{
	struct bfm_object *o;
	enum bfm_status status;

	status = bfm_queue_find(c, kind == BFM_SRQ_RMP ? BFM_T_RMP : BFM_T_SRQ, srqn, &o);
	if (status != BFM_OK)
		return status;
	*srq = (struct bfm_srq *)o;
	if ((*srq)->kind != kind)
		return bfm_fail(c, BFM_BAD_RESOURCE, "SRQ 0x%x is %s of XRC", srqn,
				kind == BFM_SRQ_XRC ? "not" : "one");
	return BFM_OK;
}

static enum bfm_srq_kind
kind_of(const struct bfm_cmd *c)
{
	return c->opcode >= 0x705 ? BFM_SRQ_XRC : BFM_SRQ_BASIC;
}

static enum bfm_status
destroy_srq(struct bfm_cmd *c)
{
	uint32_t srqn = BFM_GET(c->in, SRQN_IN, srqn);
	struct bfm_srq *srq;
	enum bfm_status status = srq_find(c, kind_of(c), srqn, &srq);

	return status != BFM_OK ? status : bfm_object_remove(c, BFM_T_SRQ, srqn);
}

static enum bfm_status
query_srq(struct bfm_cmd *c)
{
	struct bfm_srq *srq;
	enum bfm_status status;

	status = srq_find(c, kind_of(c), BFM_GET(c->in, SRQN_IN, srqn), &srq);
	if (status != BFM_OK)
		return status;
	memcpy(c->out + SRQC_BYTE, srq->ctx, SRQC_BYTES);
	bfm_queue_put_pas(c, &srq->buf, SRQ_CMD_BYTES);
	return BFM_OK;
}

/* A limit event is wanted as soon as fewer than lwm requests are left. */
static enum bfm_status
arm_srq(struct bfm_cmd *c)
{
	uint32_t lwm = BFM_GET(c->in, ARM_SRQ_IN, lwm);
	struct bfm_srq *srq;
	enum bfm_status status;

	if (c->op_mod != ARM_OP_MOD)
		return bfm_fail(c, BFM_BAD_PARAM, "op_mod=%u: only 1 (SRQ) exists",
				c->op_mod);
	status = srq_find(c, kind_of(c), BFM_GET(c->in, ARM_SRQ_IN, srqn), &srq);
	if (status == BFM_OK)
		status = check_lwm(c, srq, lwm);
	if (status == BFM_OK)
		srq_arm(srq, (uint16_t)lwm);
	return status;
}

/* ---------------------------------------------------------------- RMP */

static enum bfm_status
rmp_open(struct bfm_cmd *c, struct bfm_srq *rmp)
{
	const uint8_t *ctx = rmp->ctx;
	uint32_t state = BFM_GET(ctx, RMPC, state);
	uint32_t wq_type = BFM_GET(ctx, RMPC, wq_type);
	struct bfm_where where = {
		.pas = RMP_CMD_BYTES,
		.log_page_size = BFM_GET(ctx, RMPC, log_wq_pg_sz),
		.page_offset = BFM_GET(ctx, RMPC, page_offset),
		.umem_valid = BFM_GET(ctx, RMPC, wq_umem_valid) != 0,
		.umem_id = BFM_GET(ctx, RMPC, wq_umem_id),
		.umem_offset = BFM_GET(ctx, RMPC, wq_umem_offset),
	};
	enum bfm_status status;

	if (state != BFM_RMP_RST && state != BFM_RMP_RDY)
		return bfm_fail(c, BFM_BAD_PARAM,
				"state=%u: a new RMP is in 0 (RST) or 1 (RDY)", state);
	rmp->state = state;
	rmp->cyclic = BFM_GET(ctx, RMPC, basic_cyclic_rcv_wqe) != 0;
	if (wq_type != rmp->cyclic)
		return bfm_fail(c, BFM_BAD_PARAM, "wq_type=%u: 0 (list) exists, and 1 (cyclic) with"
				" basic_cyclic_rcv_wqe=1", wq_type);
	status = bfm_needs_check(c, ctx, rmpc_needs, sizeof(rmpc_needs) / sizeof(rmpc_needs[0]));
	if (status != BFM_OK)
		return status;
	rmp->log_size = BFM_GET(ctx, RMPC, log_wq_sz);
	rmp->log_stride = BFM_GET(ctx, RMPC, log_wq_stride);
	if (rmp->log_size > BFM_CAP(c->f, log_max_wq_sz))
		return bfm_fail(c, BFM_BAD_PARAM,
				"log_wq_sz=%u is above log_max_wq_sz=%" PRIu64, rmp->log_size,
				BFM_CAP(c->f, log_max_wq_sz));
	if (rmp->log_stride < LOG_STRIDE_MIN)
		return bfm_fail(c, BFM_BAD_PARAM,
				"log_wq_stride=%u: a request has at least 16 bytes",
				rmp->log_stride);
	status = bfm_refs_take(c, &rmp->refs, BFM_T_PD, BFM_GET(ctx, RMPC, pd), "pd", NULL);
	if (status == BFM_OK)
		status = check_lwm(c, rmp, BFM_GET(ctx, RMPC, lwm));
	if (status == BFM_OK)
		status = bfm_dbr_open(c, BFM_GET(ctx, RMPC, dbr_umem_valid) != 0,
				BFM_GET(ctx, RMPC, dbr_umem_id), BFM_GET(ctx, RMPC, dbr_addr),
				&rmp->refs, &rmp->dbr);
	if (status == BFM_OK)
		status = bfm_where_open(c, &where, UINT64_C(1) << (rmp->log_size +
				rmp->log_stride), &rmp->buf, &rmp->refs);
	return status;
}

static enum bfm_status
create_rmp(struct bfm_cmd *c)
{
	enum bfm_status status = check_issi(c, true);
	uint32_t first = rmp_first(c->f);
	struct bfm_srq *rmp;

	if (status != BFM_OK)
		return status;
	rmp = srq_new(c, BFM_SRQ_RMP, RMPC_BYTE, RMPC_BYTES);
	if (rmp == NULL)
		return BFM_NO_RESOURCES;
	status = rmp_open(c, rmp);
	if (status == BFM_OK)
		status = bfm_queue_add(c, &rmp->obj, BFM_T_RMP, first,
				first + (UINT64_C(1) << BFM_CAP(c->f, log_max_rmp)));
	if (status != BFM_OK) {
		srq_free(c->f, &rmp->obj);
		return status;
	}
	srq_arm(rmp, BFM_GET(rmp->ctx, RMPC, lwm));
	BFM_SET(c->out, CREATE_RMP_OUT, rmpn, rmp->obj.id);
	return BFM_OK;
}

static enum bfm_status
destroy_rmp(struct bfm_cmd *c)
{
	return bfm_object_remove(c, BFM_T_RMP, BFM_GET(c->in, SRQN_IN, srqn));
}

static enum bfm_status
query_rmp(struct bfm_cmd *c)
{
	uint8_t *ctx = c->out + RMPC_BYTE;
	struct bfm_srq *rmp;
	enum bfm_status status;
	uint8_t record[4];

	status = srq_find(c, BFM_SRQ_RMP, BFM_GET(c->in, SRQN_IN, srqn), &rmp);
	if (status != BFM_OK)
		return status;
	memcpy(ctx, rmp->ctx, RMPC_BYTES);
	BFM_SET(ctx, RMPC, state, rmp->state);
	if (bfm_dma_read(c->f, rmp->dbr, record, sizeof(record)) == 0)
		BFM_SET(ctx, RMPC, sw_counter, bfm_bits_get(record, 16, 16));
	BFM_SET(ctx, RMPC, hw_counter, rmp->taken);
	return BFM_OK;
}

/* To RDY from RST or again, with a limit; to RST from wherever. */
static enum bfm_status
modify_rmp(struct bfm_cmd *c)
{
	uint32_t current = BFM_GET(c->in, MODIFY_RMP_IN, rmp_state);
	const uint8_t *ctx = c->in + RMPC_BYTE;
	uint32_t next = BFM_GET(ctx, RMPC, state);
	uint32_t lwm = BFM_GET(ctx, RMPC, lwm);
	struct bfm_srq *rmp;
	enum bfm_status status;

	status = srq_find(c, BFM_SRQ_RMP, BFM_GET(c->in, MODIFY_RMP_IN, rmpn), &rmp);
	if (status != BFM_OK)
		return status;
	if (current != rmp->state)
		return bfm_fail(c, BFM_RES_STATE,
				"rmp_state=%u, but RMP 0x%x is in state %u", current, rmp->obj.id,
				rmp->state);
	if (next != BFM_RMP_RST && !(next == BFM_RMP_RDY && current != BFM_RMP_ERR))
		return bfm_fail(c, BFM_BAD_PARAM, "state %u does not follow %u", next,
				current);
	if (BFM_GET(c->in, MODIFY_RMP_IN, bitmask_lwm) != 0) {
		status = check_lwm(c, rmp, lwm);
		if (status != BFM_OK)
			return status;
		srq_arm(rmp, (uint16_t)lwm);
	}
	if (next == BFM_RMP_RST) {
		bfm_ahead_free(rmp);
		rmp->head = 0;
		rmp->taken = 0;
	}
	rmp->state = next;
	return BFM_OK;
}

#define SRQN_CMD(op, text, fn) \
	{ .opcode = (op), .name = (text), .handler = (fn), .states = BFM_INIT, \
	  .in = &bfm_lay_srqn_in, \
	  .in_min = 16, .out_min = 16 }
#define QUERY_CMD(op, text, fn, layout) \
	{ .opcode = (op), .name = (text), .handler = (fn), .states = BFM_INIT, \
	  .in = &bfm_lay_srqn_in, \
	  .out = &(layout), .in_min = 16, .out_min = SRQ_CMD_BYTES }
#define ARM_CMD(op, text) \
	{ .opcode = (op), .name = (text), .handler = arm_srq, .states = BFM_INIT, \
	  .in = &bfm_lay_arm_srq_in, .in_min = 16, .out_min = 16 }

const struct bfm_cmd_desc bfm_cmds_srq[] = {
	{ .opcode = 0x700, .name = "CREATE_SRQ", .handler = create_srq, .states = BFM_INIT,
	  .in = &bfm_lay_create_srq_in, .ctx = &bfm_lay_srqc, .ctx_off = SRQC_BYTE,
	  .out = &bfm_lay_create_srq_out, .in_min = SRQ_CMD_BYTES, .out_min = 16 },
	SRQN_CMD(0x701, "DESTROY_SRQ", destroy_srq),
	QUERY_CMD(0x702, "QUERY_SRQ", query_srq, bfm_lay_query_srq_out),
	ARM_CMD(0x703, "ARM_RQ"),
	{ .opcode = 0x705, .name = "CREATE_XRC_SRQ", .handler = create_xrc_srq,
	  .states = BFM_INIT, .in = &bfm_lay_create_xrc_srq_in, .ctx = &bfm_lay_xrc_srqc,
	  .ctx_off = SRQC_BYTE, .out = &bfm_lay_create_srq_out, .in_min = SRQ_CMD_BYTES,
	  .out_min = 16 },
	SRQN_CMD(0x706, "DESTROY_XRC_SRQ", destroy_srq),
	QUERY_CMD(0x707, "QUERY_XRC_SRQ", query_srq, bfm_lay_query_srq_out),
	ARM_CMD(0x708, "ARM_XRC_SRQ"),
	{ .opcode = 0x90c, .name = "CREATE_RMP", .handler = create_rmp, .states = BFM_INIT,
	  .in = &bfm_lay_create_rmp_in, .ctx = &bfm_lay_rmpc, .ctx_off = RMPC_BYTE,
	  .out = &bfm_lay_create_rmp_out, .in_min = RMP_CMD_BYTES, .out_min = 16 },
	{ .opcode = 0x90d, .name = "MODIFY_RMP", .handler = modify_rmp, .states = BFM_INIT,
	  .in = &bfm_lay_modify_rmp_in, .ctx = &bfm_lay_rmpc, .ctx_off = RMPC_BYTE,
	  .in_min = RMP_CMD_BYTES, .out_min = 16 },
	SRQN_CMD(0x90e, "DESTROY_RMP", destroy_rmp),
	QUERY_CMD(0x90f, "QUERY_RMP", query_rmp, bfm_lay_query_rmp_out),
	{ .name = NULL },
};
