/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Commands of Ethernet queues: SQ and RQ, which have the same states and the same ring.
 * Nothing in here reads a request.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "eth.h"

BFM_LAYOUT(bfm_lay_wq_create_in, "create_in", ETH_CMD_BYTES, ETH_CREATE_IN_FIELDS);
BFM_LAYOUT(bfm_lay_wq_number_in, "number_in", 16, ETH_NUMBER_IN_FIELDS);
BFM_LAYOUT(bfm_lay_wq_number_out, "number_out", 16, ETH_NUMBER_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_wq_modify_in, "modify_in", ETH_CMD_BYTES, ETH_MODIFY_IN_FIELDS);
BFM_LAYOUT(bfm_lay_sqc, "sq_context", ETH_CTX_BYTES, SQC_FIELDS);
BFM_LAYOUT(bfm_lay_rqc, "rq_context", ETH_CTX_BYTES, RQC_FIELDS);

#define WQ_CYCLIC 1u
#define PAD_NONE_OR_ALIGN 1u /* end_padding_mode: Linux asks for 1 without a capability */
#define RQ_SELECT_VSD 2u

static const struct bfm_needs sq_needs[] = {
	BFM_LACKS(SQC, allow_multi_pkt_send_wqe, multi_pkt_send_wqe),
	BFM_LACKS(SQC, reg_umr, reg_umr_sq),
	BFM_LACKS(SQC, allow_swp, swp),
	BFM_LACKS(SQC, hairpin, hairpin),
	BFM_LACKS(SQC, ts_format, sq_ts_format),
	BFM_LACKS(SQC, packet_pacing_rate_limit_index, qos),
	BFM_LACKS(SQC, end_padding_mode, end_pad),
	BFM_NEEDS(SQC, wq_signature, wq_signature),
};

static const struct bfm_needs rq_needs[] = {
	BFM_LACKS(RQC, delay_drop_en, rq_delay_drop),
	BFM_LACKS(RQC, scatter_fcs, scatter_fcs),
	BFM_LACKS(RQC, mem_rq_type, rmp_of_rq),
	BFM_LACKS(RQC, rmpn, rmp_of_rq),
	BFM_LACKS(RQC, hairpin, hairpin),
	BFM_LACKS(RQC, ts_format, rq_ts_format),
	BFM_LACKS(RQC, lwm, rq_lwm),
	BFM_NEEDS(RQC, wq_signature, wq_signature),
};

/* One space of numbers with queue pairs: theirs are below. */
static uint32_t
wq_first(const struct bfm_function *f, enum bfm_type type)
{
	uint32_t first = 1u << BFM_CAP(f, log_max_qp);

	return type == BFM_T_RQ ? first : first + (1u << BFM_CAP(f, log_max_rq));
}

static enum bfm_type
wq_type(const struct bfm_cmd *c)
{
	return c->opcode >= 0x908 ? BFM_T_RQ : BFM_T_SQ;
}

static void
wq_free(struct bfm_function *f, struct bfm_object *o)
{
	struct bfm_wq *wq = (struct bfm_wq *)o;

	(void)f;
	bfm_refs_drop(&wq->refs);
	bfm_buf_free(&wq->buf);
	free(wq);
}

static void
wq_print(const struct bfm_object *o, FILE *out)
{
	static const char * const states[] = { "RST", "RDY", "?", "ERR" };
	const struct bfm_wq *wq = (const struct bfm_wq *)o;

	fprintf(out, "%s entries=%u stride=%u cq=0x%x dbr=0x%" PRIx64 " done=%u frames=%" PRIu64
			" lost=%" PRIu64 " cut=%" PRIu64, states[wq->state], 1u << wq->log_size,
			1u << wq->log_stride, wq->cq->id, wq->dbr, wq->ci, wq->frames, wq->lost,
			wq->cut);
}

/* What the two have in common. */
static enum bfm_status
ring_check(struct bfm_cmd *c, struct bfm_wq *wq, uint64_t log_min, uint64_t log_max)
{
	const uint8_t *ctx = wq->ctx;

	if (BFM_GET(ctx, SQC, state) != BFM_WQ_RST)
		return bfm_fail(c, BFM_BAD_PARAM, "state=%" PRIu64 ": a new queue is in 0 (RST)",
				BFM_GET(ctx, SQC, state));
	if (BFM_GET(ctx, SQC, wq_type) != WQ_CYCLIC)
		return bfm_fail(c, BFM_BAD_PARAM, "wq_type=%" PRIu64 ": only 1 (cyclic) exists",
				BFM_GET(ctx, SQC, wq_type));
	if (BFM_GET(ctx, SQC, end_padding_mode) > PAD_NONE_OR_ALIGN)
		return bfm_fail(c, BFM_BAD_PARAM, "end_padding_mode=%" PRIu64 ": 0 and 1 exist",
				BFM_GET(ctx, SQC, end_padding_mode));
	wq->log_size = BFM_GET(ctx, SQC, log_wq_sz);
	wq->log_stride = BFM_GET(ctx, SQC, log_wq_stride);
	if (wq->log_size > BFM_CAP(c->f, log_max_wq_sz))
		return bfm_fail(c, BFM_BAD_PARAM,
				"log_wq_sz=%u is above log_max_wq_sz=%" PRIu64, wq->log_size,
				BFM_CAP(c->f, log_max_wq_sz));
	if (wq->log_stride < log_min || wq->log_stride > log_max)
		return bfm_fail(c, BFM_BAD_PARAM,
				"log_wq_stride=%u: %" PRIu64 " to %" PRIu64 " are possible",
				wq->log_stride, log_min, log_max);
	return BFM_OK;
}

static enum bfm_status
ring_open(struct bfm_cmd *c, struct bfm_wq *wq)
{
	const uint8_t *ctx = wq->ctx;
	struct bfm_where where = {
		.pas = ETH_CMD_BYTES,
		.log_page_size = BFM_GET(ctx, SQC, log_wq_pg_sz),
		.page_offset = BFM_GET(ctx, SQC, page_offset),
		.umem_valid = BFM_GET(ctx, SQC, wq_umem_valid) != 0,
		.umem_id = BFM_GET(ctx, SQC, wq_umem_id),
		.umem_offset = BFM_GET(ctx, SQC, wq_umem_offset),
	};
	enum bfm_status status;

	status = bfm_refs_take(c, &wq->refs, BFM_T_CQ, BFM_GET(ctx, SQC, cqn), "cqn", &wq->cq);
	if (status == BFM_OK)
		status = bfm_dbr_open(c, BFM_GET(ctx, SQC, dbr_umem_valid) != 0,
				BFM_GET(ctx, SQC, dbr_umem_id), BFM_GET(ctx, SQC, dbr_addr),
				&wq->refs, &wq->dbr);
	if (status == BFM_OK)
		status = bfm_where_open(c, &where, UINT64_C(1) << (wq->log_size + wq->log_stride),
				&wq->buf, &wq->refs);
	return status;
}

static enum bfm_status
sq_open(struct bfm_cmd *c, struct bfm_wq *sq)
{
	uint64_t nb_tis = BFM_GET(sq->ctx, SQC, tis_lst_sz);
	enum bfm_status status;

	status = bfm_needs_check(c, sq->ctx, sq_needs, sizeof(sq_needs) / sizeof(sq_needs[0]));
	if (status == BFM_OK)
		status = ring_check(c, sq, BFM_CAP(c->f, log_min_stride_sz_sq),
				BFM_CAP(c->f, log_max_stride_sz_sq));
	if (status == BFM_OK && nb_tis > UINT64_C(1) << BFM_CAP(c->f, log_max_tis_per_sq))
		status = bfm_fail(c, BFM_BAD_PARAM, "tis_lst_sz=%" PRIu64
				" is above 2^log_max_tis_per_sq", nb_tis);
	/* One without a TIS sends nothing; clients have one to be interrupted. */
	if (status == BFM_OK && nb_tis != 0)
		status = bfm_refs_take(c, &sq->refs, BFM_T_TIS, BFM_GET(sq->ctx, SQC, tis_num_0),
				"tis_num_0", NULL);
	if (status == BFM_OK)
		status = bfm_refs_take(c, &sq->refs, BFM_T_PD, BFM_GET(sq->ctx, SQC, pd), "pd",
				NULL);
	sq->uar = BFM_GET(sq->ctx, SQC, uar_page);
	if (status == BFM_OK)
		status = bfm_refs_take(c, &sq->refs, BFM_T_UAR, sq->uar, "uar_page", NULL);
	return status;
}

static enum bfm_status
rq_open(struct bfm_cmd *c, struct bfm_wq *rq)
{
	uint32_t pd = BFM_GET(rq->ctx, RQC, pd);
	uint32_t counter = BFM_GET(rq->ctx, RQC, counter_set_id);
	enum bfm_status status;

	status = bfm_needs_check(c, rq->ctx, rq_needs, sizeof(rq_needs) / sizeof(rq_needs[0]));
	if (status == BFM_OK)
		status = ring_check(c, rq, BFM_CAP(c->f, log_min_stride_sz_rq),
				BFM_CAP(c->f, log_max_stride_sz_rq));
	/* One that only drops has no protection domain, and no requests. */
	if (status == BFM_OK && pd != 0)
		status = bfm_refs_take(c, &rq->refs, BFM_T_PD, pd, "pd", NULL);
	if (status == BFM_OK && counter != 0)
		status = bfm_refs_take(c, &rq->refs, BFM_T_COUNTER, counter, "counter_set_id",
				NULL);
	return status;
}

static enum bfm_status
create_wq(struct bfm_cmd *c)
{
	enum bfm_type type = wq_type(c);
	uint32_t first = wq_first(c->f, type);
	enum bfm_status status;
	struct bfm_wq *wq;

	if (BFM_CAP(c->f, eth_net_offloads) == 0)
		return bfm_fail(c, BFM_BAD_OP, "this needs capability eth_net_offloads, which is 0");
	wq = calloc(1, sizeof(*wq));
	if (wq == NULL)
		return bfm_fail(c, BFM_NO_RESOURCES, "the model has no memory");
	wq->obj.free = wq_free;
	wq->obj.print = wq_print;
	memcpy(wq->ctx, c->in + ETH_CTX, ETH_CTX_BYTES);
	status = type == BFM_T_RQ ? rq_open(c, wq) : sq_open(c, wq);
	if (status == BFM_OK)
		status = ring_open(c, wq);
	if (status == BFM_OK)
		status = bfm_queue_add(c, &wq->obj, type, first, first + (UINT64_C(1) <<
				(type == BFM_T_RQ ? BFM_CAP(c->f, log_max_rq) :
				BFM_CAP(c->f, log_max_sq))));
	if (status != BFM_OK) {
		wq_free(c->f, &wq->obj);
		return status;
	}
	BFM_SET(c->out, ETH_NUMBER_OUT, number, wq->obj.id);
	return BFM_OK;
}

/* RST from wherever, RDY from RST, ERR from RDY; each from itself with what is selected. */
static enum bfm_status
state_check(struct bfm_cmd *c, const struct bfm_wq *wq, uint32_t next)
{
	uint32_t current = BFM_GET(c->in, ETH_MODIFY_IN, state);

	if (current != wq->state)
		return bfm_fail(c, BFM_RES_STATE, "state=%u, but %s 0x%x is in state %u", current,
				bfm_type_name(wq->obj.type), wq->obj.id, wq->state);
	if (next == BFM_WQ_RST || next == current || (next == BFM_WQ_RDY && current == BFM_WQ_RST)
			|| (next == BFM_WQ_ERR && current == BFM_WQ_RDY))
		return BFM_OK;
	return bfm_fail(c, BFM_BAD_PARAM, "state %u does not follow %u", next, current);
}

static enum bfm_status
modify_wq(struct bfm_cmd *c)
{
	uint64_t mask = BFM_GET(c->in, ETH_MODIFY_IN, bitmask);
	const uint8_t *ctx = c->in + ETH_CTX;
	uint64_t known = wq_type(c) == BFM_T_RQ ? RQ_SELECT_VSD : 0;
	uint32_t next = BFM_GET(ctx, SQC, state);
	struct bfm_object *o;
	enum bfm_status status;
	struct bfm_wq *wq;

	status = bfm_queue_find(c, wq_type(c), BFM_GET(c->in, ETH_MODIFY_IN, number), &o);
	if (status != BFM_OK)
		return status;
	wq = (struct bfm_wq *)o;
	if ((mask & ~known) != 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"modify_bitmask=0x%" PRIx64 ": of this queue 0x%" PRIx64
				" can be changed", mask, known);
	status = state_check(c, wq, next);
	if (status != BFM_OK)
		return status;
	if ((mask & RQ_SELECT_VSD) != 0)
		BFM_SET(wq->ctx, RQC, vsd, BFM_GET(ctx, RQC, vsd));
	if (next == BFM_WQ_RST)
		wq->ci = 0;
	wq->state = next;
	return BFM_OK;
}

static enum bfm_status
query_wq(struct bfm_cmd *c)
{
	uint8_t *ctx = c->out + ETH_CTX;
	bool rq = wq_type(c) == BFM_T_RQ;
	struct bfm_object *o;
	enum bfm_status status;
	struct bfm_wq *wq;
	uint8_t record[4];

	status = bfm_queue_find(c, wq_type(c), BFM_GET(c->in, ETH_NUMBER_IN, number), &o);
	if (status != BFM_OK)
		return status;
	wq = (struct bfm_wq *)o;
	memcpy(ctx, wq->ctx, ETH_CTX_BYTES);
	BFM_SET(ctx, SQC, state, wq->state);
	if (bfm_dma_read(c->f, wq->dbr + (rq ? 0 : 4), record, sizeof(record)) == 0)
		BFM_SET(ctx, SQC, sw_counter, bfm_bits_get(record, 16, 16));
	BFM_SET(ctx, SQC, hw_counter, wq->ci);
	return BFM_OK;
}

static enum bfm_status
destroy_wq(struct bfm_cmd *c)
{
	return bfm_object_remove(c, wq_type(c), BFM_GET(c->in, ETH_NUMBER_IN, number));
}

#define COMMANDS(op, text, layout) \
	{ .opcode = (op), .name = "CREATE_" text, .handler = create_wq, .states = BFM_INIT, \
	  .in = &bfm_lay_wq_create_in, .ctx = &(layout), .ctx_off = ETH_CTX, \
	  .out = &bfm_lay_wq_number_out, .in_min = ETH_CMD_BYTES, .out_min = 16 }, \
	{ .opcode = (op) + 1, .name = "MODIFY_" text, .handler = modify_wq, .states = BFM_INIT, \
	  .in = &bfm_lay_wq_modify_in, .ctx = &(layout), .ctx_off = ETH_CTX, \
	  .in_min = ETH_CMD_BYTES, .out_min = 16 }, \
	{ .opcode = (op) + 2, .name = "DESTROY_" text, .handler = destroy_wq, \
	  .states = BFM_INIT, .in = &bfm_lay_wq_number_in, .in_min = 16, .out_min = 16 }, \
	{ .opcode = (op) + 3, .name = "QUERY_" text, .handler = query_wq, .states = BFM_INIT, \
	  .in = &bfm_lay_wq_number_in, .in_min = 16, .out_min = ETH_CMD_BYTES }

const struct bfm_cmd_desc bfm_cmds_wq[] = {
	COMMANDS(0x904, "SQ", bfm_lay_sqc),
	COMMANDS(0x908, "RQ", bfm_lay_rqc),
	{ .name = NULL },
};
