/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Queue pairs: create, query, destroy, and the doorbell of their send queues. The
 * state machine is in qp_state.c, and what moves data is the engine's: nothing in here
 * reads a work request.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "qp_state.h"
#include "queue.h"

BFM_LAYOUT(bfm_lay_create_qp_in, "create_qp_in", QP_CMD_BYTES, CREATE_QP_IN_FIELDS);
BFM_LAYOUT(bfm_lay_create_qp_out, "create_qp_out", 16, CREATE_QP_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_modify_qp_in, "modify_qp_in", QP_CMD_BYTES, MODIFY_QP_IN_FIELDS);
BFM_LAYOUT(bfm_lay_modify_qp_out, "modify_qp_out", 16, MODIFY_QP_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_qpn_in, "qpn_in", 16, QPN_IN_FIELDS);
BFM_LAYOUT(bfm_lay_query_qp_out, "query_qp_out", QP_CMD_BYTES, QUERY_QP_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_qpc, "qp_context", QPC_BYTES, QPC_SW_FIELDS);

#define QPC_BYTE (CREATE_QP_IN_qpc_BIT / 8)
_Static_assert((int)CREATE_QP_IN_qpc_BIT == (int)MODIFY_QP_IN_qpc_BIT, "QP context");
_Static_assert((int)CREATE_QP_IN_qpc_BIT == (int)QUERY_QP_OUT_qpc_BIT, "QP context");
_Static_assert(CREATE_QP_IN_qpc_WIDTH == QPC_BYTES * 8, "QP context");
_Static_assert(QPC_pri_fl_BIT == QPC_PRI_BIT && QPC_alt_fl_BIT == QPC_ALT_BIT, "address path");

#define WQEBB 64u          /* unit of send queues */
#define RQ_STRIDE_MIN 16u

static const struct bfm_needs qpc_needs[] = {
	BFM_NEEDS(QPC, end_padding_mode, end_pad),
	BFM_NEEDS(QPC, wq_signature, wq_signature),
	BFM_NEEDS(QPC, block_lb_mc, block_lb_mc),
	BFM_NEEDS(QPC, cd_master, cd),
	BFM_NEEDS(QPC, cd_slave_send, cd),
	BFM_NEEDS(QPC, cd_slave_receive, cd),
	BFM_NEEDS(QPC, cs_req, sctr_data_cqe),
	BFM_NEEDS(QPC, cs_res, sctr_data_cqe),
	BFM_NEEDS(QPC, rae, atomic),
	BFM_NEEDS(QPC, ulp_stateless_offload_mode, ipoib_basic_offloads),
	BFM_NEEDS(QPC, deth_sqpn, set_deth_sqpn),
	BFM_LACKS(QPC, req_e2e_credit_mode, qp_packet_based),
	BFM_LACKS(QPC, drain_sigerr, drain_sigerr),
	BFM_LACKS(QPC, isolate_vl_tc, isolate_vl_tc_new),
	BFM_LACKS(QPC, lag_tx_port_affinity, lag_tx_port_affinity),
	BFM_LACKS(QPC, atomic_like_write_en, atomic_like_write_en),
};

static void
qp_free(struct bfm_function *f, struct bfm_object *o)
{
	struct bfm_qp *qp = (struct bfm_qp *)o;

	(void)f;
	bfm_run_destroy(qp);
	bfm_refs_drop(&qp->refs);
	if (qp->counter != NULL)
		bfm_object_unref(qp->counter);
	bfm_buf_free(&qp->buf);
	free(qp);
}

static void
qp_print(const struct bfm_object *o, FILE *out)
{
	const struct bfm_qp *qp = (const struct bfm_qp *)o;

	fprintf(out, "%s %s pd=0x%" PRIx64 " sq=%u rq=%u", bfm_service_name(qp->st),
			bfm_qp_state_name(qp->state), BFM_GET(qp->ctx, QPC, pd),
			qp->sq_bytes / WQEBB, qp->rq_bytes);
	if (qp->has_sq)
		fprintf(out, " uar=0x%x posted=%u doorbells=%" PRIu64, qp->uar, qp->sq_posted,
				qp->doorbells);
	if (qp->send_cq != NULL)
		fprintf(out, " send_cq=0x%x", qp->send_cq->id);
	if (qp->recv_cq != NULL)
		fprintf(out, " recv_cq=0x%x", qp->recv_cq->id);
	if (qp->srq != NULL)
		fprintf(out, " %s=0x%x", bfm_type_name(qp->srq->type), qp->srq->id);
	if (qp->state >= BFM_QP_RTR && qp->state != BFM_QP_ERR)
		fprintf(out, " remote=0x%" PRIx64 "%s mtu=%" PRIu64,
				BFM_GET(qp->ctx, QPC, remote_qpn),
				BFM_GET(qp->ctx, QPC, pri_fl) != 0 ? " loopback" : "",
				BFM_GET(qp->ctx, QPC, mtu));
	bfm_run_print(qp, out);
}

/* What kind of QP, and may this function have it? */
static enum bfm_status
qp_kind(struct bfm_cmd *c, struct bfm_qp *qp)
{
	uint32_t st = BFM_GET(qp->ctx, QPC, st);
	uint32_t rq_type = BFM_GET(qp->ctx, QPC, rq_type);
	bool can;

	switch (st) {
	case BFM_ST_RC: can = BFM_CAP(c->f, rc) != 0; break;
	case BFM_ST_UC: can = BFM_CAP(c->f, uc) != 0; break;
	case BFM_ST_UD: can = BFM_CAP(c->f, ud) != 0; break;
	case BFM_ST_XRC: can = BFM_CAP(c->f, xrc) != 0; break;
	case BFM_ST_QP0: can = c->f->conf.ib_port; break;
	case BFM_ST_QP1:
	case BFM_ST_REG_UMR: can = true; break;
	default: can = false; break;
	}
	if (!can)
		return bfm_fail(c, BFM_BAD_PARAM,
				"st=0x%x (%s): this function has no such transport service", st,
				bfm_service_name(st));
	if (rq_type != BFM_RQ_OWN && rq_type != BFM_RQ_SHARED && rq_type != BFM_RQ_NONE)
		return bfm_fail(c, BFM_BAD_PARAM,
				"rq_type=%u: 0 (own), 1 (SRQ or RMP) and 3 (none) exist", rq_type);
	if (st == BFM_ST_XRC && rq_type != BFM_RQ_SHARED)
		return bfm_fail(c, BFM_BAD_PARAM,
				"rq_type=%u: XRC receives by an SRQ, rq_type 1", rq_type);
	if (BFM_GET(qp->ctx, QPC, offload_type) != 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"offload_type=%" PRIu64 ": this function has no tag matching",
				BFM_GET(qp->ctx, QPC, offload_type));
	qp->st = st;
	qp->rq_type = rq_type;
	qp->has_sq = BFM_GET(qp->ctx, QPC, no_sq) == 0;
	return bfm_needs_check(c, qp->ctx, qpc_needs, sizeof(qpc_needs) / sizeof(qpc_needs[0]));
}

/* The objects that it names. */
static enum bfm_status
qp_names(struct bfm_cmd *c, struct bfm_qp *qp)
{
	uint32_t cqn_snd = BFM_GET(qp->ctx, QPC, cqn_snd);
	uint32_t cqn_rcv = BFM_GET(qp->ctx, QPC, cqn_rcv);
	uint32_t srqn = BFM_GET(qp->ctx, QPC, srqn_rmpn_xrqn);
	enum bfm_status status = BFM_OK;

	/* The QP of work requests that change keys is of firmware, not of a PD. */
	if (qp->st != BFM_ST_REG_UMR)
		status = bfm_refs_take(c, &qp->refs, BFM_T_PD, BFM_GET(qp->ctx, QPC, pd), "pd",
				NULL);
	if (status == BFM_OK && qp->has_sq) {
		qp->uar = BFM_GET(qp->ctx, QPC, uar_page);
		status = bfm_refs_take(c, &qp->refs, BFM_T_UAR, qp->uar, "uar_page", NULL);
	}
	if (status == BFM_OK && (qp->has_sq || cqn_snd != 0))
		status = bfm_refs_take(c, &qp->refs, BFM_T_CQ, cqn_snd, "cqn_snd", &qp->send_cq);
	if (status == BFM_OK && (qp->rq_type != BFM_RQ_NONE || cqn_rcv != 0))
		status = bfm_refs_take(c, &qp->refs, BFM_T_CQ, cqn_rcv, "cqn_rcv", &qp->recv_cq);
	if (status == BFM_OK && qp->rq_type == BFM_RQ_SHARED)
		status = bfm_refs_take(c, &qp->refs, bfm_srq_type(c->f, srqn), srqn,
				"srqn_rmpn_xrqn", &qp->srq);
	if (status == BFM_OK && BFM_GET(qp->ctx, QPC, counter_set_id) != 0)
		status = bfm_refs_take(c, &qp->refs, BFM_T_COUNTER,
				BFM_GET(qp->ctx, QPC, counter_set_id), "counter_set_id", NULL);
	if (status == BFM_OK && qp->st == BFM_ST_XRC)
		status = bfm_refs_take(c, &qp->refs, BFM_T_XRCD, BFM_GET(qp->ctx, QPC, xrcd),
				"xrcd", NULL);
	if (status == BFM_OK && qp->st == BFM_ST_XRC &&
			((struct bfm_srq *)qp->srq)->kind != BFM_SRQ_XRC)
		return bfm_fail(c, BFM_BAD_RESOURCE, "srqn_rmpn_xrqn=0x%x is not an XRC SRQ", srqn);
	if (status == BFM_OK && qp->st != BFM_ST_XRC && qp->srq != NULL &&
			((struct bfm_srq *)qp->srq)->kind == BFM_SRQ_XRC)
		return bfm_fail(c, BFM_BAD_RESOURCE,
				"srqn_rmpn_xrqn=0x%x is an XRC SRQ, and st=%s", srqn,
				bfm_service_name(qp->st));
	return status;
}

static enum bfm_status
qp_buffers(struct bfm_cmd *c, struct bfm_qp *qp)
{
	const uint8_t *ctx = qp->ctx;
	uint32_t log_rq = BFM_GET(ctx, QPC, log_rq_size);
	uint32_t log_sq = BFM_GET(ctx, QPC, log_sq_size);
	uint64_t log_max = BFM_CAP(c->f, log_max_qp_sz);
	struct bfm_where where = {
		.pas = QP_CMD_BYTES,
		.log_page_size = BFM_GET(ctx, QPC, log_page_size),
		.page_offset = BFM_GET(ctx, QPC, page_offset),
		.umem_valid = BFM_GET(c->in, CREATE_QP_IN, wq_umem_valid),
		.umem_id = BFM_GET(c->in, CREATE_QP_IN, wq_umem_id),
		.umem_offset = BFM_GET(c->in, CREATE_QP_IN, wq_umem_offset),
	};
	enum bfm_status status;

	if (qp->rq_type == BFM_RQ_OWN) {
		if (log_rq > log_max)
			return bfm_fail(c, BFM_BAD_PARAM,
					"log_rq_size=%u is above log_max_qp_sz=%" PRIu64, log_rq,
					log_max);
		qp->rq_bytes = (RQ_STRIDE_MIN << BFM_GET(ctx, QPC, log_rq_stride)) << log_rq;
	}
	if (qp->has_sq) {
		if (log_sq > log_max)
			return bfm_fail(c, BFM_BAD_PARAM,
					"log_sq_size=%u is above log_max_qp_sz=%" PRIu64, log_sq,
					log_max);
		qp->sq_bytes = WQEBB << log_sq;
	}
	if (qp->rq_bytes + qp->sq_bytes == 0) {
		if (where.umem_valid)
			return bfm_fail(c, BFM_BAD_PARAM,
					"wq_umem_valid=1, but the QP has no queue of its own");
		return BFM_OK;
	}
	status = bfm_dbr_open(c, BFM_GET(ctx, QPC, dbr_umem_valid), BFM_GET(ctx, QPC, dbr_umem_id),
			BFM_GET(ctx, QPC, dbr_addr), &qp->refs, &qp->dbr);
	if (status != BFM_OK)
		return status;
	return bfm_where_open(c, &where, (uint64_t)qp->rq_bytes + qp->sq_bytes, &qp->buf,
			&qp->refs);
}

static enum bfm_status
create_qp(struct bfm_cmd *c)
{
	enum bfm_status status;
	struct bfm_qp *qp;

	if (c->op_mod != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "op_mod=%u: only 0 exists",
				c->op_mod);
	if (BFM_GET(c->in, CREATE_QP_IN, opt_param_mask) != 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"opt_param_mask=0x%" PRIx64 ": a new QP has no options",
				BFM_GET(c->in, CREATE_QP_IN, opt_param_mask));
	if (BFM_GET(c->in, CREATE_QP_IN, ece) != 0 && BFM_CAP(c->f, ece_support) == 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"ece=0x%" PRIx64 " needs capability ece_support, which is 0",
				BFM_GET(c->in, CREATE_QP_IN, ece));
	qp = calloc(1, sizeof(*qp));
	if (qp == NULL)
		return bfm_fail(c, BFM_NO_RESOURCES, "the model has no memory");
	qp->obj.free = qp_free;
	qp->obj.print = qp_print;
	memcpy(qp->ctx, c->in + QPC_BYTE, QPC_BYTES);
	status = qp_kind(c, qp);
	if (status == BFM_OK && bfm_run_create(c->f, qp) != 0)
		status = bfm_fail(c, BFM_NO_RESOURCES, "the model has no memory");
	if (status == BFM_OK)
		status = qp_names(c, qp);
	if (status == BFM_OK)
		status = qp_buffers(c, qp);
	if (status == BFM_OK)
		status = bfm_queue_add(c, &qp->obj, BFM_T_QP, BFM_QPN_FIRST,
				UINT64_C(1) << BFM_CAP(c->f, log_max_qp));
	if (status != BFM_OK) {
		qp_free(c->f, &qp->obj);
		return status;
	}
	memcpy(qp->created, qp->ctx, QPC_BYTES);
	BFM_SET(c->out, CREATE_QP_OUT, qpn, qp->obj.id);
	return BFM_OK;
}

static enum bfm_status
destroy_qp(struct bfm_cmd *c)
{
	return bfm_object_remove(c, BFM_T_QP, BFM_GET(c->in, QPN_IN, qpn));
}

static enum bfm_status
query_qp(struct bfm_cmd *c)
{
	enum bfm_status status;
	struct bfm_object *o;
	struct bfm_qp *qp;
	uint8_t *ctx = c->out + QPC_BYTE;
	uint8_t record[8];

	status = bfm_queue_find(c, BFM_T_QP, BFM_GET(c->in, QPN_IN, qpn), &o);
	if (status != BFM_OK)
		return status;
	qp = (struct bfm_qp *)o;
	memcpy(ctx, qp->ctx, QPC_BYTES);
	BFM_SET(ctx, QPC, state, qp->state);
	bfm_run_query(qp, ctx);
	/* What software posted is in its doorbell record: receives, then sends. */
	if (qp->rq_bytes + qp->sq_bytes != 0 &&
			bfm_dma_read(c->f, qp->dbr, record, sizeof(record)) == 0) {
		if (qp->rq_bytes != 0)
			BFM_SET(ctx, QPC, sw_rq_counter, bfm_bits_get(record, 16, 16));
		if (qp->has_sq)
			BFM_SET(ctx, QPC, sw_sq_wqebb_counter, bfm_bits_get(record, 48, 16));
	}
	bfm_queue_put_pas(c, &qp->buf, QP_CMD_BYTES);
	return BFM_OK;
}

static enum bfm_status
move_qp(struct bfm_cmd *c, struct bfm_qp *qp, const uint8_t *ctx, uint32_t opt_mask)
{
	enum bfm_qp_state old = qp->state;
	enum bfm_status status = bfm_qp_move(c, qp, ctx, opt_mask);

	if (status == BFM_OK)
		bfm_run_moved(c->f, qp, old);
	return status;
}

static enum bfm_status
modify_qp(struct bfm_cmd *c)
{
	enum bfm_status status;
	struct bfm_object *o;

	status = bfm_queue_find(c, BFM_T_QP, BFM_GET(c->in, MODIFY_QP_IN, qpn), &o);
	if (status != BFM_OK)
		return status;
	if (BFM_GET(c->in, MODIFY_QP_IN, ece) != 0 && BFM_CAP(c->f, ece_support) == 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"ece=0x%" PRIx64 " needs capability ece_support, which is 0",
				BFM_GET(c->in, MODIFY_QP_IN, ece));
	return move_qp(c, (struct bfm_qp *)o, c->in + QPC_BYTE,
			(uint32_t)BFM_GET(c->in, MODIFY_QP_IN, opt_param_mask));
}

/* 2ERR_QP and 2RST_QP: from everywhere, without a context. */
static enum bfm_status
stop_qp(struct bfm_cmd *c)
{
	enum bfm_status status;
	struct bfm_object *o;

	status = bfm_queue_find(c, BFM_T_QP, BFM_GET(c->in, QPN_IN, qpn), &o);
	if (status != BFM_OK)
		return status;
	return move_qp(c, (struct bfm_qp *)o, NULL, 0);
}

void
bfm_sq_doorbell(struct bfm_function *f, uint32_t uar, uint64_t val)
{
	/* The first 8 bytes of a work request: index and opcode, QP and size. */
	uint32_t qpn = (uint32_t)(val >> 8) & 0xffffff;
	uint32_t index = (uint32_t)(val >> 40) & 0xffff;
	struct bfm_object *o = bfm_object_find(f, BFM_T_QP, qpn);
	struct bfm_qp *qp;

	if (o == NULL && bfm_eth_doorbell(f, uar, qpn))
		return;
	if (o == NULL) {
		bfm_log(f, BFM_WARN, "doorbell of UAR 0x%x is for QP 0x%x, which does not exist",
				uar, qpn);
		return;
	}
	qp = (struct bfm_qp *)o;
	if (!qp->has_sq || qp->uar != uar) {
		bfm_log(f, BFM_WARN, "doorbell of UAR 0x%x is for QP 0x%x, which %s: ignored", uar,
				qpn, qp->has_sq ? "was created with another UAR" :
				"has no send queue");
		return;
	}
	if (qp->state != BFM_QP_RTS && qp->state != BFM_QP_ERR && qp->state != BFM_QP_SQER)
		bfm_log(f, BFM_WARN, "doorbell for QP 0x%x, which is in state %s: only RTS sends",
				qpn, bfm_qp_state_name(qp->state));
	if (bfm_fault_uses(&f->net.bells))
		return;
	qp->doorbells++;
	bfm_run_doorbell(f, qp);
	bfm_log(f, BFM_DEBUG, "doorbell for QP 0x%x: request %u, posted %u", qpn, index,
			qp->sq_posted);
}

#define MODIFY(op, text) \
	{ .opcode = (op), .name = (text), .handler = modify_qp, .states = BFM_INIT, \
	  .in = &bfm_lay_modify_qp_in, .ctx = &bfm_lay_qpc, .ctx_off = QPC_BYTE, \
	  .out = &bfm_lay_modify_qp_out, \
	  .in_min = QP_CMD_BYTES, .out_min = 16 }
#define STOP(op, text) \
	{ .opcode = (op), .name = (text), .handler = stop_qp, .states = BFM_INIT, \
	  .in = &bfm_lay_qpn_in, .in_min = 16, .out_min = 16 }

const struct bfm_cmd_desc bfm_cmds_qp[] = {
	{ .opcode = 0x500, .name = "CREATE_QP", .handler = create_qp, .states = BFM_INIT,
	  .in = &bfm_lay_create_qp_in, .ctx = &bfm_lay_qpc, .ctx_off = QPC_BYTE,
	  .out = &bfm_lay_create_qp_out,
	  .in_min = QP_CMD_BYTES, .out_min = 16 },
	{ .opcode = 0x501, .name = "DESTROY_QP", .handler = destroy_qp, .states = BFM_INIT,
	  .in = &bfm_lay_qpn_in, .in_min = 16, .out_min = 16 },
	MODIFY(BFM_OP_RST2INIT, "RST2INIT_QP"),
	MODIFY(BFM_OP_INIT2RTR, "INIT2RTR_QP"),
	MODIFY(BFM_OP_RTR2RTS, "RTR2RTS_QP"),
	MODIFY(BFM_OP_RTS2RTS, "RTS2RTS_QP"),
	MODIFY(BFM_OP_SQERR2RTS, "SQERR2RTS_QP"),
	MODIFY(BFM_OP_INIT2INIT, "INIT2INIT_QP"),
	STOP(BFM_OP_2ERR, "2ERR_QP"),
	STOP(BFM_OP_2RST, "2RST_QP"),
	{ .opcode = 0x50b, .name = "QUERY_QP", .handler = query_qp, .states = BFM_INIT,
	  .in = &bfm_lay_qpn_in, .out = &bfm_lay_query_qp_out, .in_min = 16,
	  .out_min = QP_CMD_BYTES },
	{ .name = NULL },
};
