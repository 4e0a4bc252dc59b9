/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Commands of what leads to Ethernet queues and from them: TIS, which is where an SQ
 * sends to, TIR, which is where a flow table sends to, and RQT, a TIR's list of RQs.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "eth.h"

BFM_LAYOUT(bfm_lay_eth_create_in, "create_in", ETH_CMD_BYTES, ETH_CREATE_IN_FIELDS);
BFM_LAYOUT(bfm_lay_eth_number_in, "number_in", 16, ETH_NUMBER_IN_FIELDS);
BFM_LAYOUT(bfm_lay_eth_number_out, "number_out", 16, ETH_NUMBER_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_eth_modify_in, "modify_in", ETH_CMD_BYTES, ETH_MODIFY_IN_FIELDS);
BFM_LAYOUT(bfm_lay_tis, "tis_context", TIS_BYTES, TIS_FIELDS);
BFM_LAYOUT(bfm_lay_tir, "tir_context", ETH_CTX_BYTES, TIR_FIELDS);
BFM_LAYOUT(bfm_lay_rqt, "rqt_context", ETH_CTX_BYTES, RQT_FIELDS);

#define NUMBER_FIRST 1u
#define TIS_SELECT_PRIO 1u
#define TIR_SELECT_MERGE 1u
#define TIR_SELECT_HASH 4u
#define TIR_SELECT_SELF_LB 0x10u
#define RQT_SELECT_LIST 1u
#define DISP_DIRECT 0u
#define DISP_INDIRECT 1u
#define HASH_NONE 0u
#define HASH_TOEPLITZ 2u
#define HASH_FIELDS 0x1fu /* addresses, ports, SPI */
#define RQ_BYTES 4u

struct tis {
	struct bfm_object obj;
	struct bfm_refs refs;
	uint8_t ctx[TIS_BYTES];
};

static const struct bfm_needs tis_needs[] = {
	BFM_LACKS(TIS, strict_lag_tx_port_affinity, lag_tx_port_affinity),
	BFM_LACKS(TIS, lag_tx_port_affinity, lag_tx_port_affinity),
	BFM_NEEDS(TIS, tls_en, tls_tx),
	BFM_LACKS(TIS, underlay_qpn, ipoib_enhanced_offloads),
	BFM_NEEDS(TIS, pd, tls_tx),
};

static const struct bfm_needs tir_needs[] = {
	BFM_NEEDS(TIR, tls_en, tls_rx),
	BFM_LACKS(TIR, packet_merge_mask, lro_cap),
	BFM_LACKS(TIR, lro_timeout_period_usecs, lro_cap),
	BFM_LACKS(TIR, lro_max_ip_payload_size, lro_cap),
	BFM_LACKS(TIR, tunneled_offload_en, tunnel_stateless),
	BFM_LACKS(TIR, inner_hash_fields, tunnel_stateless),
};

static const struct bfm_needs rqt_needs[] = {
	BFM_LACKS(RQT, list_q_type, virtio_queues),
	BFM_LACKS(RQT, rq_vhca_id_format, cross_vhca_rqt),
};
#define NB(needs) (sizeof(needs) / sizeof((needs)[0]))

/* Find what a modification names, and refuse bits that it has not. */
static enum bfm_status
modified(struct bfm_cmd *c, enum bfm_type type, uint64_t known, struct bfm_object **o)
{
	uint64_t mask = BFM_GET(c->in, ETH_MODIFY_IN, bitmask);

	if (BFM_GET(c->in, ETH_MODIFY_IN, state) != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "a %s has no state", bfm_type_name(type));
	if ((mask & ~known) != 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"bitmask=0x%" PRIx64 ": of a %s 0x%" PRIx64 " can be changed",
				mask, bfm_type_name(type), known);
	return bfm_queue_find(c, type, BFM_GET(c->in, ETH_MODIFY_IN, number), o);
}

/* ---------------------------------------------------------------- TIS */

static void
tis_free(struct bfm_function *f, struct bfm_object *o)
{
	(void)f;
	bfm_refs_drop(&((struct tis *)o)->refs);
	free(o);
}

static enum bfm_status
create_tis(struct bfm_cmd *c)
{
	enum bfm_status status;
	struct tis *tis;

	if (BFM_CAP(c->f, eth_net_offloads) == 0)
		return bfm_fail(c, BFM_BAD_OP, "this needs capability eth_net_offloads, which is 0");
	tis = calloc(1, sizeof(*tis));
	if (tis == NULL)
		return bfm_fail(c, BFM_NO_RESOURCES, "the model has no memory");
	tis->obj.free = tis_free;
	memcpy(tis->ctx, c->in + ETH_CTX, TIS_BYTES);
	status = bfm_needs_check(c, tis->ctx, tis_needs, NB(tis_needs));
	if (status == BFM_OK)
		status = bfm_refs_take(c, &tis->refs, BFM_T_TD, BFM_GET(tis->ctx, TIS,
				transport_domain), "transport_domain", NULL);
	if (status == BFM_OK)
		status = bfm_queue_add(c, &tis->obj, BFM_T_TIS, NUMBER_FIRST,
				NUMBER_FIRST + (UINT64_C(1) << BFM_CAP(c->f, log_max_tis)));
	if (status != BFM_OK) {
		tis_free(c->f, &tis->obj);
		return status;
	}
	BFM_SET(c->out, ETH_NUMBER_OUT, number, tis->obj.id);
	return BFM_OK;
}

static enum bfm_status
modify_tis(struct bfm_cmd *c)
{
	const uint8_t *ctx = c->in + ETH_CTX;
	struct bfm_object *o;
	enum bfm_status status = modified(c, BFM_T_TIS, TIS_SELECT_PRIO, &o);

	if (status == BFM_OK && (BFM_GET(c->in, ETH_MODIFY_IN, bitmask) & TIS_SELECT_PRIO) != 0)
		BFM_SET(((struct tis *)o)->ctx, TIS, prio, BFM_GET(ctx, TIS, prio));
	return status;
}

/* ---------------------------------------------------------------- RQT */

static void
rqs_drop(struct bfm_object **rqs, uint32_t nb)
{
	while (nb != 0)
		bfm_object_unref(rqs[--nb]);
	free(rqs);
}

static void
rqt_free(struct bfm_function *f, struct bfm_object *o)
{
	struct bfm_rqt *rqt = (struct bfm_rqt *)o;

	(void)f;
	rqs_drop(rqt->rqs, rqt->nb);
	free(rqt);
}

/* The list behind the fixed part of a command takes the place of the table's. */
static enum bfm_status
rqt_fill(struct bfm_cmd *c, struct bfm_rqt *rqt)
{
	uint32_t max = BFM_GET(rqt->ctx, RQT, rqt_max_size);
	uint32_t nb = BFM_GET(c->in + ETH_CTX, RQT, rqt_actual_size);
	struct bfm_object **rqs;
	enum bfm_status status;
	uint32_t i, rqn;

	if (nb == 0 || nb > max || (nb & (nb - 1)) != 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"rqt_actual_size=%u: a power of two up to rqt_max_size=%u", nb,
				max);
	if (c->in_len < ETH_CMD_BYTES + nb * RQ_BYTES)
		return bfm_fail(c, BFM_BAD_IN_LEN,
				"rqt_actual_size=%u, but the input has %u bytes", nb, c->in_len);
	rqs = calloc(nb, sizeof(*rqs));
	if (rqs == NULL)
		return bfm_fail(c, BFM_NO_RESOURCES, "the model has no memory");
	for (i = 0; i < nb; i++) {
		rqn = (uint32_t)bfm_bits_get(c->in + ETH_CMD_BYTES + i * RQ_BYTES, 0, 32);
		status = bfm_queue_find(c, BFM_T_RQ, rqn, &rqs[i]);
		if (status != BFM_OK) {
			rqs_drop(rqs, i);
			return status;
		}
		bfm_object_ref(rqs[i]);
	}
	rqs_drop(rqt->rqs, rqt->nb);
	rqt->rqs = rqs;
	rqt->nb = nb;
	BFM_SET(rqt->ctx, RQT, rqt_actual_size, nb);
	return BFM_OK;
}

static enum bfm_status
create_rqt(struct bfm_cmd *c)
{
	uint64_t log_max = BFM_CAP(c->f, log_max_rqt_size);
	struct bfm_rqt *rqt = calloc(1, sizeof(*rqt));
	enum bfm_status status;

	if (rqt == NULL)
		return bfm_fail(c, BFM_NO_RESOURCES, "the model has no memory");
	rqt->obj.free = rqt_free;
	memcpy(rqt->ctx, c->in + ETH_CTX, ETH_CTX_BYTES);
	status = bfm_needs_check(c, rqt->ctx, rqt_needs, NB(rqt_needs));
	if (status == BFM_OK && BFM_GET(rqt->ctx, RQT, rqt_max_size) > UINT64_C(1) << log_max)
		status = bfm_fail(c, BFM_BAD_PARAM, "rqt_max_size=%" PRIu64
				" is above log_max_rqt_size=%" PRIu64,
				BFM_GET(rqt->ctx, RQT, rqt_max_size), log_max);
	if (status == BFM_OK)
		status = rqt_fill(c, rqt);
	if (status == BFM_OK)
		status = bfm_queue_add(c, &rqt->obj, BFM_T_RQT, NUMBER_FIRST,
				NUMBER_FIRST + (UINT64_C(1) << BFM_CAP(c->f, log_max_rqt)));
	if (status != BFM_OK) {
		rqt_free(c->f, &rqt->obj);
		return status;
	}
	BFM_SET(c->out, ETH_NUMBER_OUT, number, rqt->obj.id);
	return BFM_OK;
}

static enum bfm_status
modify_rqt(struct bfm_cmd *c)
{
	struct bfm_object *o;
	enum bfm_status status = modified(c, BFM_T_RQT, RQT_SELECT_LIST, &o);

	if (status == BFM_OK && (BFM_GET(c->in, ETH_MODIFY_IN, bitmask) & RQT_SELECT_LIST) != 0)
		status = rqt_fill(c, (struct bfm_rqt *)o);
	return status;
}

/* ---------------------------------------------------------------- TIR */

static void
tir_free(struct bfm_function *f, struct bfm_object *o)
{
	(void)f;
	bfm_refs_drop(&((struct bfm_tir *)o)->refs);
	free(o);
}

/* The hash, which a modification changes too. */
static enum bfm_status
hash_check(struct bfm_cmd *c, const uint8_t *ctx, bool direct)
{
	uint32_t fn = BFM_GET(ctx, TIR, rx_hash_fn);
	uint32_t fields = BFM_GET(ctx, TIR, outer_selected_fields);

	if (fn > HASH_TOEPLITZ || direct != (fn == HASH_NONE))
		return bfm_fail(c, BFM_BAD_PARAM, "rx_hash_fn=%u: a direct TIR has 0, another one 1"
				" (XOR) or 2 (Toeplitz)", fn);
	if (BFM_GET(ctx, TIR, rx_hash_symmetric) != 0 && fn != HASH_TOEPLITZ)
		return bfm_fail(c, BFM_BAD_PARAM, "rx_hash_symmetric=1 without rx_hash_fn=2");
	if ((fields & ~HASH_FIELDS) != 0 || (direct && fields != 0))
		return bfm_fail(c, BFM_BAD_PARAM, "selected_fields=0x%x of a TIR that is%s direct",
				fields, direct ? "" : " not");
	return BFM_OK;
}

static enum bfm_status
tir_open(struct bfm_cmd *c, struct bfm_tir *tir)
{
	uint32_t disp = BFM_GET(tir->ctx, TIR, disp_type);
	uint32_t rqn = BFM_GET(tir->ctx, TIR, inline_rqn);
	uint32_t rqtn = BFM_GET(tir->ctx, TIR, indirect_table);
	enum bfm_status status;

	status = bfm_needs_check(c, tir->ctx, tir_needs, NB(tir_needs));
	if (status != BFM_OK)
		return status;
	if (disp > DISP_INDIRECT || (disp == DISP_DIRECT ? rqtn : rqn) != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "disp_type=%u: 0 names inline_rqn (0x%x) alone, 1"
				" indirect_table (0x%x) alone", disp, rqn, rqtn);
	status = hash_check(c, tir->ctx, disp == DISP_DIRECT);
	if (status == BFM_OK)
		status = bfm_refs_take(c, &tir->refs, BFM_T_TD, BFM_GET(tir->ctx, TIR,
				transport_domain), "transport_domain", NULL);
	if (status == BFM_OK && disp == DISP_DIRECT)
		status = bfm_refs_take(c, &tir->refs, BFM_T_RQ, rqn, "inline_rqn", &tir->rq);
	else if (status == BFM_OK)
		status = bfm_refs_take(c, &tir->refs, BFM_T_RQT, rqtn, "indirect_table", &tir->rqt);
	return status;
}

static enum bfm_status
create_tir(struct bfm_cmd *c)
{
	struct bfm_tir *tir = calloc(1, sizeof(*tir));
	enum bfm_status status;

	if (tir == NULL)
		return bfm_fail(c, BFM_NO_RESOURCES, "the model has no memory");
	tir->obj.free = tir_free;
	memcpy(tir->ctx, c->in + ETH_CTX, ETH_CTX_BYTES);
	status = tir_open(c, tir);
	if (status == BFM_OK)
		status = bfm_queue_add(c, &tir->obj, BFM_T_TIR, NUMBER_FIRST,
				NUMBER_FIRST + (UINT64_C(1) << BFM_CAP(c->f, log_max_tir)));
	if (status != BFM_OK) {
		tir_free(c->f, &tir->obj);
		return status;
	}
	BFM_SET(c->out, ETH_NUMBER_OUT, number, tir->obj.id);
	return BFM_OK;
}

static enum bfm_status
modify_tir(struct bfm_cmd *c)
{
	uint64_t mask = BFM_GET(c->in, ETH_MODIFY_IN, bitmask);
	const uint8_t *ctx = c->in + ETH_CTX;
	struct bfm_object *o;
	struct bfm_tir *tir;
	enum bfm_status status;

	status = modified(c, BFM_T_TIR, TIR_SELECT_MERGE | TIR_SELECT_HASH | TIR_SELECT_SELF_LB,
			&o);
	if (status == BFM_OK)
		status = bfm_needs_check(c, ctx, tir_needs, NB(tir_needs));
	if (status != BFM_OK)
		return status;
	tir = (struct bfm_tir *)o;
	if ((mask & TIR_SELECT_HASH) != 0) {
		status = hash_check(c, ctx, tir->rq != NULL);
		if (status != BFM_OK)
			return status;
		memcpy(tir->ctx + TIR_rx_hash_toeplitz_key_BIT / 8,
				ctx + TIR_rx_hash_toeplitz_key_BIT / 8,
				TIR_rx_hash_toeplitz_key_WIDTH / 8 + 4); /* and the fields */
		BFM_SET(tir->ctx, TIR, rx_hash_fn, BFM_GET(ctx, TIR, rx_hash_fn));
		BFM_SET(tir->ctx, TIR, rx_hash_symmetric, BFM_GET(ctx, TIR, rx_hash_symmetric));
	}
	if ((mask & TIR_SELECT_SELF_LB) != 0)
		BFM_SET(tir->ctx, TIR, self_lb_block, BFM_GET(ctx, TIR, self_lb_block));
	return BFM_OK;
}

/* By the opcode of DESTROY. */
static enum bfm_status
destroy(struct bfm_cmd *c)
{
	enum bfm_type type = c->opcode == 0x902 ? BFM_T_TIR : c->opcode == 0x914 ? BFM_T_TIS :
			BFM_T_RQT;

	return bfm_object_remove(c, type, BFM_GET(c->in, ETH_NUMBER_IN, number));
}

#define CREATE(op, text, fn, layout, bytes) \
	{ .opcode = (op), .name = (text), .handler = (fn), .states = BFM_INIT, \
	  .in = &bfm_lay_eth_create_in, .ctx = &(layout), .ctx_off = ETH_CTX, \
	  .out = &bfm_lay_eth_number_out, .in_min = (bytes), .out_min = 16 }
#define MODIFY(op, text, fn, layout, bytes) \
	{ .opcode = (op), .name = (text), .handler = (fn), .states = BFM_INIT, \
	  .in = &bfm_lay_eth_modify_in, .ctx = &(layout), .ctx_off = ETH_CTX, \
	  .in_min = (bytes), .out_min = 16 }
#define BY_NUMBER(op, text, fn, bytes) \
	{ .opcode = (op), .name = (text), .handler = (fn), .states = BFM_INIT, \
	  .in = &bfm_lay_eth_number_in, .in_min = 16, .out_min = (bytes) }

const struct bfm_cmd_desc bfm_cmds_eth[] = {
	CREATE(0x900, "CREATE_TIR", create_tir, bfm_lay_tir, ETH_CMD_BYTES),
	MODIFY(0x901, "MODIFY_TIR", modify_tir, bfm_lay_tir, ETH_CMD_BYTES),
	BY_NUMBER(0x902, "DESTROY_TIR", destroy, 16),
	CREATE(0x912, "CREATE_TIS", create_tis, bfm_lay_tis, TIS_CMD_BYTES),
	MODIFY(0x913, "MODIFY_TIS", modify_tis, bfm_lay_tis, TIS_CMD_BYTES),
	BY_NUMBER(0x914, "DESTROY_TIS", destroy, 16),
	CREATE(0x916, "CREATE_RQT", create_rqt, bfm_lay_rqt, ETH_CMD_BYTES),
	MODIFY(0x917, "MODIFY_RQT", modify_rqt, bfm_lay_rqt, ETH_CMD_BYTES),
	BY_NUMBER(0x918, "DESTROY_RQT", destroy, 16),
	{ .name = NULL },
};
