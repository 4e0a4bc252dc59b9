/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Completion queues: create, modify, query, destroy, and the doorbell that arms
 * them. What a CQ contains is the client's: nothing in here reads entries.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "queue.h"

BFM_LAYOUT(bfm_lay_create_cq_in, "create_cq_in", CQ_CMD_BYTES, CREATE_CQ_IN_FIELDS);
BFM_LAYOUT(bfm_lay_create_cq_out, "create_cq_out", 16, CREATE_CQ_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_modify_cq_in, "modify_cq_in", CQ_CMD_BYTES, MODIFY_CQ_IN_FIELDS);
BFM_LAYOUT(bfm_lay_cqn_in, "cqn_in", 16, CQN_IN_FIELDS);
BFM_LAYOUT(bfm_lay_query_cq_out, "query_cq_out", CQ_CMD_BYTES, QUERY_CQ_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_cqc, "cq_context", CQC_BYTES, CQC_SW_FIELDS);

#define CQC_BYTE (CREATE_CQ_IN_cq_context_BIT / 8)
_Static_assert((int)CREATE_CQ_IN_cq_context_BIT == (int)MODIFY_CQ_IN_cq_context_BIT, "CQ context");
_Static_assert((int)CREATE_CQ_IN_cq_context_BIT == (int)QUERY_CQ_OUT_cq_context_BIT, "CQ context");

/* What MODIFY_CQ can select. */
enum {
	SELECT_PERIOD = 1 << 0,
	SELECT_MAX_COUNT = 1 << 1,
	SELECT_OI = 1 << 2,
};

/* Arming state as QUERY_CQ shows it. */
enum {
	CQ_ST_SOLICITED_ARMED = 6,
	CQ_ST_ARMED = 9,
	CQ_ST_FIRED = 0xa,
};

#define CQ_STATUS_OVERFLOW 9u

static const struct bfm_needs cqc_needs[] = {
	BFM_NEEDS(CQC, oi, cq_oi),
	BFM_LACKS(CQC, scqe_break_moderation_en, scqe_break_moderation),
	BFM_NEEDS(CQC, cq_period, cq_moderation),
	BFM_NEEDS(CQC, cq_max_count, cq_moderation),
	BFM_NEEDS(CQC, cq_period_mode, cq_period_start_from_cqe),
};

static struct bfm_cq *
cq_of(struct bfm_object *o)
{
	return (struct bfm_cq *)o;
}

static void
cq_free(struct bfm_function *f, struct bfm_object *o)
{
	struct bfm_cq *cq = cq_of(o);

	(void)f;
	bfm_refs_drop(&cq->refs);
	bfm_buf_free(&cq->buf);
	free(cq);
}

static void
cq_print(const struct bfm_object *o, FILE *out)
{
	const struct bfm_cq *cq = (const struct bfm_cq *)o;

	fprintf(out, "entries=%u cqe=%u eq=0x%x uar=0x%x dbr=0x%" PRIx64, 1u << cq->log_size,
			cq->cqe_bytes, cq->eq->id, cq->uar, cq->dbr);
	fprintf(out, " produced=%u arms=%" PRIu64 "%s", cq->producer, cq->arms,
			!cq->armed ? "" : cq->solicited_only ? " armed=solicited" : " armed=any");
}

/* Values of the context that depend on nothing else. */
static enum bfm_status
cqc_check(struct bfm_cmd *c, const uint8_t *ctx, uint32_t *cqe_bytes)
{
	uint32_t cqe_sz = BFM_GET(ctx, CQC, cqe_sz);
	uint32_t log_size = BFM_GET(ctx, CQC, log_cq_size);
	bool wide = cqe_sz != 0;

	if (log_size > BFM_CAP(c->f, log_max_cq_sz))
		return bfm_fail(c, BFM_BAD_PARAM, "log_cq_size=%u is above log_max_cq_sz=%" PRIu64,
				log_size, BFM_CAP(c->f, log_max_cq_sz));
	if (cqe_sz > 1)
		return bfm_fail(c, BFM_CQE_SIZE,
				"cqe_sz=%u: 0 is 64 bytes, 1 is 128 bytes, more there is not",
				cqe_sz);
	if (BFM_GET(ctx, CQC, apu_cq) != 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"apu_cq=1: this function has no processors for completions");
	if (BFM_GET(ctx, CQC, cq_period_mode) > 1)
		return bfm_fail(c, BFM_BAD_PARAM, "cq_period_mode=%" PRIu64 ": 0 and 1 exist",
				BFM_GET(ctx, CQC, cq_period_mode));
	if (BFM_GET(ctx, CQC, cqe_comp_en) != 0 &&
			(wide || BFM_CAP(c->f, cqe_compression) == 0))
		return bfm_fail(c, BFM_BAD_PARAM,
				"cqe_comp_en=1 needs capability cqe_compression (of this size)");
	if (BFM_GET(ctx, CQC, cqe_comp_en) == 0 &&
			BFM_GET(ctx, CQC, cqe_compression_layout) != 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"cqe_compression_layout=%" PRIu64 " without cqe_comp_en",
				BFM_GET(ctx, CQC, cqe_compression_layout));
	*cqe_bytes = wide ? 128 : 64;
	return bfm_needs_check(c, ctx, cqc_needs, sizeof(cqc_needs) / sizeof(cqc_needs[0]));
}

static enum bfm_status
cq_open(struct bfm_cmd *c, struct bfm_cq *cq)
{
	const uint8_t *ctx = cq->ctx;
	struct bfm_where where = {
		.pas = CQ_CMD_BYTES,
		.log_page_size = BFM_GET(ctx, CQC, log_page_size),
		.page_offset = BFM_GET(ctx, CQC, page_offset),
		.umem_valid = BFM_GET(c->in, CREATE_CQ_IN, cq_umem_valid),
		.umem_id = BFM_GET(c->in, CREATE_CQ_IN, cq_umem_id),
		.umem_offset = BFM_GET(c->in, CREATE_CQ_IN, cq_umem_offset),
	};
	enum bfm_status status;

	status = cqc_check(c, ctx, &cq->cqe_bytes);
	if (status != BFM_OK)
		return status;
	cq->log_size = BFM_GET(ctx, CQC, log_cq_size);
	cq->uar = BFM_GET(ctx, CQC, uar_page);
	status = bfm_refs_take(c, &cq->refs, BFM_T_UAR, cq->uar, "uar_page", NULL);
	if (status != BFM_OK)
		return status;
	status = bfm_refs_take(c, &cq->refs, BFM_T_EQ, BFM_GET(ctx, CQC, c_eqn_or_apu_element),
			"c_eqn", &cq->eq);
	if (status != BFM_OK)
		return status;
	status = bfm_dbr_open(c, BFM_GET(ctx, CQC, dbr_umem_valid), BFM_GET(ctx, CQC, dbr_umem_id),
			BFM_GET(ctx, CQC, dbr_addr), &cq->refs, &cq->dbr);
	if (status != BFM_OK)
		return status;
	return bfm_where_open(c, &where, (uint64_t)cq->cqe_bytes << cq->log_size, &cq->buf,
			&cq->refs);
}

static enum bfm_status
create_cq(struct bfm_cmd *c)
{
	enum bfm_status status;
	struct bfm_cq *cq;

	cq = calloc(1, sizeof(*cq));
	if (cq == NULL)
		return bfm_fail(c, BFM_NO_RESOURCES, "the model has no memory");
	cq->obj.free = cq_free;
	cq->obj.print = cq_print;
	memcpy(cq->ctx, c->in + CQC_BYTE, CQC_BYTES);
	status = cq_open(c, cq);
	if (status == BFM_OK)
		status = bfm_queue_add(c, &cq->obj, BFM_T_CQ, BFM_CQN_FIRST,
				UINT64_C(1) << BFM_CAP(c->f, log_max_cq));
	if (status != BFM_OK) {
		cq_free(c->f, &cq->obj);
		return status;
	}
	BFM_SET(c->out, CREATE_CQ_OUT, cqn, cq->obj.id);
	return BFM_OK;
}

static enum bfm_status
destroy_cq(struct bfm_cmd *c)
{
	return bfm_object_remove(c, BFM_T_CQ, BFM_GET(c->in, CQN_IN, cqn));
}

static enum bfm_status
modify_cq(struct bfm_cmd *c)
{
	uint32_t select = BFM_GET(c->in, MODIFY_CQ_IN, field_select);
	const uint8_t *ctx = c->in + CQC_BYTE;
	enum bfm_status status;
	struct bfm_object *o;
	struct bfm_cq *cq;

	status = bfm_queue_find(c, BFM_T_CQ, BFM_GET(c->in, MODIFY_CQ_IN, cqn), &o);
	if (status != BFM_OK)
		return status;
	cq = cq_of(o);
	/* Resizing is op_mod 1: it moves completions between buffers. */
	if (c->op_mod != 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"op_mod=%u: capability cq_resize is 0, only 0 (modify) exists",
				c->op_mod);
	if ((select & ~(uint32_t)(SELECT_PERIOD | SELECT_MAX_COUNT | SELECT_OI)) != 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"modify_field_select=0x%x: cq_period 1, cq_max_count 2 and oi 4"
				" can be modified", select);
	if ((select & (SELECT_PERIOD | SELECT_MAX_COUNT)) != 0 &&
			BFM_CAP(c->f, cq_moderation) == 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"modify_field_select=0x%x needs capability cq_moderation",
				select);
	if ((select & SELECT_OI) != 0 && BFM_GET(ctx, CQC, oi) != 0 &&
			BFM_CAP(c->f, cq_oi) == 0)
		return bfm_fail(c, BFM_BAD_PARAM, "oi=1 needs capability cq_oi");
	if ((select & SELECT_PERIOD) != 0)
		BFM_SET(cq->ctx, CQC, cq_period, BFM_GET(ctx, CQC, cq_period));
	if ((select & SELECT_MAX_COUNT) != 0)
		BFM_SET(cq->ctx, CQC, cq_max_count, BFM_GET(ctx, CQC, cq_max_count));
	if ((select & SELECT_OI) != 0)
		BFM_SET(cq->ctx, CQC, oi, BFM_GET(ctx, CQC, oi));
	return BFM_OK;
}

/* Consumer counter as the client's doorbell record says. */
static uint32_t
cq_consumer(struct bfm_function *f, const struct bfm_cq *cq)
{
	uint8_t record[4];

	if (bfm_dma_read(f, cq->dbr, record, sizeof(record)) != 0)
		return 0;
	return (uint32_t)bfm_bits_get(record, 8, 24);
}

static enum bfm_status
query_cq(struct bfm_cmd *c)
{
	uint8_t *ctx = c->out + CQC_BYTE;
	enum bfm_status status;
	struct bfm_object *o;
	struct bfm_cq *cq;

	status = bfm_queue_find(c, BFM_T_CQ, BFM_GET(c->in, CQN_IN, cqn), &o);
	if (status != BFM_OK)
		return status;
	cq = cq_of(o);
	memcpy(ctx, cq->ctx, CQC_BYTES);
	BFM_SET(ctx, CQC, status, cq->failed ? CQ_STATUS_OVERFLOW : 0);
	BFM_SET(ctx, CQC, st, !cq->armed ? CQ_ST_FIRED :
			cq->solicited_only ? CQ_ST_SOLICITED_ARMED : CQ_ST_ARMED);
	BFM_SET(ctx, CQC, producer_counter, cq->producer);
	BFM_SET(ctx, CQC, consumer_counter, cq_consumer(c->f, cq));
	bfm_queue_put_pas(c, &cq->buf, CQ_CMD_BYTES);
	return BFM_OK;
}

void
bfm_cq_arm(struct bfm_function *f, uint32_t uar, uint64_t val)
{
	uint32_t word = (uint32_t)(val >> 32);
	uint32_t cqn = (uint32_t)val & 0xffffff;
	struct bfm_object *o = bfm_object_find(f, BFM_T_CQ, cqn);
	struct bfm_cq *cq;

	if (o == NULL) {
		bfm_log(f, BFM_WARN, "doorbell of UAR 0x%x arms CQ 0x%x, which does not exist",
				uar, cqn);
		return;
	}
	cq = cq_of(o);
	if (cq->uar != uar) {
		bfm_log(f, BFM_WARN, "doorbell of UAR 0x%x arms CQ 0x%x, which was created with"
				" UAR 0x%x: ignored", uar, cqn, cq->uar);
		return;
	}
	cq->armed = true;
	cq->solicited_only = (word >> 24 & 1) != 0;
	cq->arm_sn = word >> 28 & 3;
	cq->arm_ci = word & 0xffffff;
	cq->arms++;
	bfm_cqe_armed(f, cq);
}

const struct bfm_cmd_desc bfm_cmds_cq[] = {
	{ .opcode = 0x400, .name = "CREATE_CQ", .handler = create_cq, .states = BFM_INIT,
	  .in = &bfm_lay_create_cq_in, .ctx = &bfm_lay_cqc, .ctx_off = CQC_BYTE,
	  .out = &bfm_lay_create_cq_out,
	  .in_min = CQ_CMD_BYTES, .out_min = 16 },
	{ .opcode = 0x401, .name = "DESTROY_CQ", .handler = destroy_cq, .states = BFM_INIT,
	  .in = &bfm_lay_cqn_in, .in_min = 16, .out_min = 16 },
	{ .opcode = 0x402, .name = "QUERY_CQ", .handler = query_cq, .states = BFM_INIT,
	  .in = &bfm_lay_cqn_in, .out = &bfm_lay_query_cq_out, .in_min = 16,
	  .out_min = CQ_CMD_BYTES },
	{ .opcode = 0x403, .name = "MODIFY_CQ", .handler = modify_cq, .states = BFM_INIT,
	  .in = &bfm_lay_modify_cq_in, .ctx = &bfm_lay_cqc, .ctx_off = CQC_BYTE,
	  .in_min = CQ_CMD_BYTES, .out_min = 16 },
	{ .name = NULL },
};
