/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The state machine of queue pairs: from where a command leads, what it must say
 * and may say, and what of it is taken over. Nothing in here moves data: a QP that
 * stops drops what it knew of its peer, and its requests are flushed elsewhere.
 */

#include <inttypes.h>
#include <string.h>

#include "qp_state.h"

/* Bits of opt_param_mask. */
enum {
	OPT_ALT_PATH = 1 << 0,
	OPT_RRE = 1 << 1,
	OPT_RAE = 1 << 2,
	OPT_RWE = 1 << 3,
	OPT_PKEY = 1 << 4,
	OPT_QKEY = 1 << 5,
	OPT_RNR_TIMEOUT = 1 << 6,
	OPT_PM_STATE = 1 << 10,
	OPT_PRI_PORT = 1 << 16,
};

/* Services, by what they have in common; bits of a set. */
enum { RC = 1, UC = 2, UD = 4, UMR = 8, ALL = 15 };

static uint32_t
service_set(enum bfm_service st)
{
	switch (st) {
	case BFM_ST_RC:
	case BFM_ST_XRC: return RC;
	case BFM_ST_UC: return UC;
	case BFM_ST_UD:
	case BFM_ST_QP0:
	case BFM_ST_QP1: return UD;
	case BFM_ST_REG_UMR: return UMR;
	}
	return 0;
}

/* A field that a transition takes over, of which services. */
struct taken {
	uint16_t bit;
	uint16_t width;
	uint8_t set;
};
#define TAKE(field, set) { QPC_##field##_BIT, QPC_##field##_WIDTH, (set) }

static const struct taken take_init[] = {
	TAKE(pm_state, ALL), TAKE(pri_pkey_index, ALL), TAKE(pri_vhca_port_num, ALL),
	TAKE(rre, RC), TAKE(rwe, RC | UC), TAKE(rae, RC), TAKE(atomic_mode, RC),
	TAKE(q_key, UD), TAKE(rlky, ALL), TAKE(deth_sqpn, UD),
};
static const struct taken take_rtr[] = {
	TAKE(mtu, ALL), TAKE(log_msg_max, ALL), TAKE(remote_qpn, RC | UC),
	TAKE(next_rcv_psn, RC | UC), TAKE(log_rra_max, RC), TAKE(min_rnr_nak, RC),
	TAKE(pri_fl, RC | UC), TAKE(pri_free_ar, RC | UC), TAKE(pri_grh, RC | UC),
	TAKE(pri_mlid, RC | UC), TAKE(pri_rlid, RC | UC), TAKE(pri_ack_timeout, RC),
	TAKE(pri_src_addr_index, RC | UC), TAKE(pri_stat_rate, RC | UC),
	TAKE(pri_hop_limit, RC | UC), TAKE(pri_tclass, RC | UC), TAKE(pri_flow_label, RC | UC),
	TAKE(pri_rgid_rip, RC | UC), TAKE(pri_f_dscp, RC | UC), TAKE(pri_f_ecn, RC | UC),
	TAKE(pri_f_eth_prio, RC | UC), TAKE(pri_ecn, RC | UC), TAKE(pri_dscp, RC | UC),
	TAKE(pri_udp_sport, RC | UC), TAKE(pri_dei_cfi, RC | UC), TAKE(pri_eth_prio, RC | UC),
	TAKE(pri_sl, RC | UC), TAKE(pri_vhca_port_num, RC | UC), TAKE(pri_rmac, RC | UC),
};
static const struct taken take_rts[] = {
	TAKE(next_send_psn, RC | UC | UD), TAKE(retry_count, RC), TAKE(rnr_retry, RC),
	TAKE(pri_ack_timeout, RC), TAKE(log_sra_max, RC), TAKE(log_ack_req_freq, RC),
};

/* A field that is taken over if its bit is in opt_param_mask. */
static const struct {
	uint32_t opt;
	uint16_t bit;
	uint16_t width;
} options[] = {
	{ OPT_ALT_PATH, QPC_ALT_BIT, ADS_BITS },
	{ OPT_RRE, QPC_rre_BIT, QPC_rre_WIDTH },
	{ OPT_RAE, QPC_rae_BIT, QPC_rae_WIDTH },
	{ OPT_RAE, QPC_atomic_mode_BIT, QPC_atomic_mode_WIDTH },
	{ OPT_RWE, QPC_rwe_BIT, QPC_rwe_WIDTH },
	{ OPT_PKEY, QPC_pri_pkey_index_BIT, QPC_pri_pkey_index_WIDTH },
	{ OPT_QKEY, QPC_q_key_BIT, QPC_q_key_WIDTH },
	{ OPT_RNR_TIMEOUT, QPC_min_rnr_nak_BIT, QPC_min_rnr_nak_WIDTH },
	{ OPT_PM_STATE, QPC_pm_state_BIT, QPC_pm_state_WIDTH },
	{ OPT_PRI_PORT, QPC_pri_vhca_port_num_BIT, QPC_pri_vhca_port_num_WIDTH },
};

#define FROM(state) (1u << BFM_QP_##state)
#define FROM_ANY 0x7fu

/* One command: from which states to which, and which options by service. */
struct move {
	uint16_t opcode;
	uint32_t from;
	enum bfm_qp_state to;
	const struct taken *taken;
	uint32_t nb_taken;
	uint32_t opt_rc;
	uint32_t opt_uc;
	uint32_t opt_ud;
};
#define TAKEN(a) (a), sizeof(a) / sizeof((a)[0])

static const struct move moves[] = {
	{ BFM_OP_RST2INIT, FROM(RST), BFM_QP_INIT, TAKEN(take_init), 0, 0, 0 },
	{ BFM_OP_INIT2INIT, FROM(INIT), BFM_QP_INIT, NULL, 0,
	  OPT_RRE | OPT_RAE | OPT_RWE | OPT_PKEY | OPT_PRI_PORT,
	  OPT_RWE | OPT_PKEY | OPT_PRI_PORT,
	  OPT_PKEY | OPT_QKEY | OPT_PRI_PORT },
	{ BFM_OP_INIT2RTR, FROM(INIT), BFM_QP_RTR, TAKEN(take_rtr),
	  OPT_ALT_PATH | OPT_RRE | OPT_RAE | OPT_RWE | OPT_PKEY,
	  OPT_ALT_PATH | OPT_RWE | OPT_PKEY,
	  OPT_PKEY | OPT_QKEY },
	{ BFM_OP_RTR2RTS, FROM(RTR), BFM_QP_RTS, TAKEN(take_rts),
	  OPT_ALT_PATH | OPT_RRE | OPT_RAE | OPT_RWE | OPT_PM_STATE | OPT_RNR_TIMEOUT,
	  OPT_ALT_PATH | OPT_RWE | OPT_PM_STATE,
	  OPT_QKEY },
	{ BFM_OP_RTS2RTS, FROM(RTS), BFM_QP_RTS, NULL, 0,
	  OPT_ALT_PATH | OPT_RRE | OPT_RAE | OPT_RWE | OPT_PM_STATE | OPT_RNR_TIMEOUT,
	  OPT_ALT_PATH | OPT_RWE | OPT_PM_STATE,
	  OPT_QKEY },
	{ BFM_OP_SQERR2RTS, FROM(SQER), BFM_QP_RTS, NULL, 0,
	  OPT_RRE | OPT_RAE | OPT_RWE | OPT_RNR_TIMEOUT, OPT_RWE, OPT_QKEY },
	{ BFM_OP_2ERR, FROM_ANY, BFM_QP_ERR, NULL, 0, 0, 0, 0 },
	{ BFM_OP_2RST, FROM_ANY, BFM_QP_RST, NULL, 0, 0, 0, 0 },
};

const char *
bfm_service_name(enum bfm_service st)
{
	switch (st) {
	case BFM_ST_RC: return "RC";
	case BFM_ST_UC: return "UC";
	case BFM_ST_UD: return "UD";
	case BFM_ST_XRC: return "XRC";
	case BFM_ST_QP0: return "QP0";
	case BFM_ST_QP1: return "QP1";
	case BFM_ST_REG_UMR: return "UMR";
	}
	return "?";
}

const char *
bfm_qp_state_name(enum bfm_qp_state state)
{
	static const char * const names[] = { "RST", "INIT", "RTR", "RTS", "SQER", "SQD", "ERR" };

	return (uint32_t)state < sizeof(names) / sizeof(names[0]) ? names[state] : "?";
}

void
bfm_qp_reset(struct bfm_qp *qp)
{
	memcpy(qp->ctx, qp->created, QPC_BYTES);
	if (qp->counter != NULL)
		bfm_object_unref(qp->counter);
	qp->counter = NULL;
	qp->state = BFM_QP_RST;
	qp->sq_posted = 0;
}

static void
take(struct bfm_qp *qp, const uint8_t *ctx, uint32_t bit, uint32_t width)
{
	uint32_t n;

	for (; width != 0; bit += n, width -= n) {
		n = width < 64 ? width : 64;
		bfm_bits_set(qp->ctx, bit, n, bfm_bits_get(ctx, bit, n));
	}
}

static enum bfm_status
check_port(struct bfm_cmd *c, const uint8_t *ctx)
{
	uint64_t port = BFM_GET(ctx, QPC, pri_vhca_port_num);
	uint64_t nb = BFM_CAP(c->f, num_ports);

	if (BFM_CAP(c->f, num_vhca_ports) > nb)
		nb = BFM_CAP(c->f, num_vhca_ports);
	if (port == 0 || port > nb)
		return bfm_fail(c, BFM_BAD_PARAM,
				"vhca_port_num=%" PRIu64 ": ports are 1 to %" PRIu64, port, nb);
	return BFM_OK;
}

static enum bfm_status
check_pkey(struct bfm_cmd *c, uint64_t pkey_index)
{
	uint64_t nb = UINT64_C(128) << BFM_CAP(c->f, pkey_table_size);

	if (pkey_index >= nb)
		return bfm_fail(c, BFM_BAD_PARAM,
				"pkey_index=%" PRIu64 ": the table has %" PRIu64 " entries",
				pkey_index, nb);
	return BFM_OK;
}

/* RST2INIT says whose counters the QP counts in: 0 is nobody's. */
static enum bfm_status
take_counter(struct bfm_cmd *c, struct bfm_qp *qp, uint32_t id)
{
	struct bfm_object *o = NULL;

	if (id != 0) {
		o = bfm_object_find(c->f, BFM_T_COUNTER, id);
		if (o == NULL)
			return bfm_fail(c, BFM_BAD_RESOURCE,
					"counter_set_id=%u: there is no such set", id);
		bfm_object_ref(o);
	}
	if (qp->counter != NULL)
		bfm_object_unref(qp->counter);
	qp->counter = o;
	BFM_SET(qp->ctx, QPC, counter_set_id, id);
	return BFM_OK;
}

/* Forced loopback: within the function, no address needed. */
static enum bfm_status
check_loopback(struct bfm_cmd *c, const struct bfm_qp *qp)
{
	bool roce = bfm_vport_roce(c->f);

	if (service_set(qp->st) != RC)
		return bfm_fail(c, BFM_BAD_PARAM, "fl=1 with st=%s: only RC is looped back",
				bfm_service_name(qp->st));
	if ((roce ? BFM_ROCE_CAP(c->f, fl_rc_qp_when_roce_enabled) :
			BFM_ROCE_CAP(c->f, fl_rc_qp_when_roce_disabled)) == 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"fl=1 needs capability fl_rc_qp_when_roce_%s, which is 0",
				roce ? "enabled" : "disabled");
	return BFM_OK;
}

/* The UDP source port: software's only where the capability is set to that. */
static enum bfm_status
check_sport(struct bfm_cmd *c, uint64_t sport)
{
	if (sport == 0)
		return BFM_OK;
	if (BFM_ROCE_CAP(c->f, sw_r_roce_src_udp_port) == 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"udp_sport=%" PRIu64 ": SET_HCA_CAP of type ROCE with"
				" sw_r_roce_src_udp_port=1 comes first", sport);
	if (sport < BFM_ROCE_CAP(c->f, r_roce_min_src_udp_port) ||
			sport > BFM_ROCE_CAP(c->f, r_roce_max_src_udp_port))
		return bfm_fail(c, BFM_BAD_PARAM,
				"udp_sport=%" PRIu64 " is outside of r_roce_*_src_udp_port", sport);
	return BFM_OK;
}

/* The way to the peer of a connected QP. */
static enum bfm_status
check_path(struct bfm_cmd *c, const struct bfm_qp *qp, const uint8_t *ctx)
{
	uint32_t index = BFM_GET(ctx, QPC, pri_src_addr_index);
	enum bfm_status status = check_port(c, ctx);

	if (status != BFM_OK)
		return status;
	if (c->f->conf.ib_port) {
		if (BFM_GET(ctx, QPC, pri_rlid) == 0 && BFM_GET(ctx, QPC, pri_grh) == 0 &&
				BFM_GET(ctx, QPC, pri_fl) == 0)
			return bfm_fail(c, BFM_BAD_PARAM, "rlid=0 and grh=0: where is the peer?");
		return BFM_OK;
	}
	if (BFM_GET(ctx, QPC, pri_fl) != 0)
		return check_loopback(c, qp);
	if (!bfm_vport_roce(c->f))
		return bfm_fail(c, BFM_BAD_PARAM,
				"RoCE is off: MODIFY_NIC_VPORT_CONTEXT roce_en=1 comes first");
	if (!bfm_vport_gid(c->f, BFM_GET(ctx, QPC, pri_vhca_port_num), index))
		return bfm_fail(c, BFM_BAD_PARAM,
				"src_addr_index=%u: this entry of the RoCE address table is not"
				" set (SET_ROCE_ADDRESS)", index);
	if (BFM_GET(ctx, QPC, pri_rmac) == 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"rmac=0: the MAC address of the next hop is needed");
	return check_sport(c, BFM_GET(ctx, QPC, pri_udp_sport));
}

static enum bfm_status
check_rtr(struct bfm_cmd *c, const struct bfm_qp *qp, const uint8_t *ctx)
{
	uint64_t mtu = BFM_GET(ctx, QPC, mtu);
	uint64_t log_msg = BFM_GET(ctx, QPC, log_msg_max);
	uint64_t log_rra = BFM_GET(ctx, QPC, log_rra_max);

	if (mtu < 1 || mtu > 5)
		return bfm_fail(c, BFM_BAD_PARAM,
				"mtu=%" PRIu64 ": 1 (256 bytes) to 5 (4096 bytes) exist", mtu);
	if (log_msg > BFM_CAP(c->f, log_max_msg))
		return bfm_fail(c, BFM_BAD_PARAM,
				"log_msg_max=%" PRIu64 " is above log_max_msg=%" PRIu64, log_msg,
				BFM_CAP(c->f, log_max_msg));
	if ((service_set(qp->st) & (RC | UC)) == 0)
		return BFM_OK;
	if (log_rra > BFM_CAP(c->f, log_max_ra_res_qp))
		return bfm_fail(c, BFM_BAD_PARAM,
				"log_rra_max=%" PRIu64 " is above log_max_ra_res_qp=%" PRIu64,
				log_rra, BFM_CAP(c->f, log_max_ra_res_qp));
	return check_path(c, qp, ctx);
}

/* What a transition says must be possible; nothing is changed yet. */
static enum bfm_status
check_values(struct bfm_cmd *c, const struct bfm_qp *qp, const struct move *m,
		const uint8_t *ctx, uint32_t opt_mask)
{
	enum bfm_status status = BFM_OK;

	if (BFM_CAP(c->f, atomic) == 0 && BFM_GET(ctx, QPC, rae) != 0 &&
			(m->opcode == BFM_OP_RST2INIT || (opt_mask & OPT_RAE) != 0))
		return bfm_fail(c, BFM_BAD_PARAM, "rae=1 needs capability atomic, which is 0");
	/* ours: of QP1, each transition in the field names the port */
	if (m->opcode == BFM_OP_RST2INIT || (opt_mask & OPT_PRI_PORT) != 0 ||
			qp->st == BFM_ST_QP1)
		status = check_port(c, ctx);
	if (status == BFM_OK && (m->opcode == BFM_OP_RST2INIT || (opt_mask & OPT_PKEY) != 0))
		status = check_pkey(c, BFM_GET(ctx, QPC, pri_pkey_index));
	if (status == BFM_OK && m->opcode == BFM_OP_INIT2RTR)
		status = check_rtr(c, qp, ctx);
	if (status == BFM_OK && m->opcode == BFM_OP_RTR2RTS &&
			BFM_GET(ctx, QPC, log_sra_max) > BFM_CAP(c->f, log_max_ra_req_qp))
		return bfm_fail(c, BFM_BAD_PARAM,
				"log_sra_max=%" PRIu64 " is above log_max_ra_req_qp=%" PRIu64,
				BFM_GET(ctx, QPC, log_sra_max), BFM_CAP(c->f, log_max_ra_req_qp));
	return status;
}

enum bfm_status
bfm_qp_move(struct bfm_cmd *c, struct bfm_qp *qp, const uint8_t *ctx, uint32_t opt_mask)
{
	uint32_t set = service_set(qp->st), allowed, i;
	const struct move *m = NULL;
	enum bfm_status status;

	for (i = 0; i < sizeof(moves) / sizeof(moves[0]); i++)
		if (moves[i].opcode == c->opcode)
			m = &moves[i];
	if (m == NULL)
		return bfm_fail(c, BFM_BAD_OP, "this is no transition");
	if (c->op_mod != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "op_mod=%u: only 0 exists",
				c->op_mod);
	if ((m->from & 1u << qp->state) == 0)
		return bfm_fail(c, BFM_BAD_QP_STATE, "QP 0x%x (%s) is in state %s",
				qp->obj.id, bfm_service_name(qp->st), bfm_qp_state_name(qp->state));
	if (ctx != NULL) {
		allowed = set == RC ? m->opt_rc : set == UC ? m->opt_uc :
				set == UD ? m->opt_ud : 0;
		if ((opt_mask & ~allowed) != 0)
			return bfm_fail(c, BFM_BAD_PARAM,
					"opt_param_mask=0x%x: a QP of st=%s has 0x%x here",
					opt_mask,
					bfm_service_name(qp->st), allowed);
		status = check_values(c, qp, m, ctx, opt_mask);
		if (status == BFM_OK && m->opcode == BFM_OP_RST2INIT)
			status = take_counter(c, qp, BFM_GET(ctx, QPC, counter_set_id));
		if (status != BFM_OK)
			return status;
		for (i = 0; i < m->nb_taken; i++)
			if ((m->taken[i].set & set) != 0)
				take(qp, ctx, m->taken[i].bit, m->taken[i].width);
		for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
			if ((opt_mask & options[i].opt) != 0)
				take(qp, ctx, options[i].bit, options[i].width);
	}
	bfm_log(c->f, BFM_DEBUG, "QP 0x%x (%s): %s to %s", qp->obj.id, bfm_service_name(qp->st),
			bfm_qp_state_name(qp->state), bfm_qp_state_name(m->to));
	if (m->to == BFM_QP_RST)
		bfm_qp_reset(qp);
	qp->state = m->to;
	return BFM_OK;
}
