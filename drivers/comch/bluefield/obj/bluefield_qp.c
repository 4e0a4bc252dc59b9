/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Queue pairs, of reliable connections and of datagrams: create, the way from state to
 * state, and back. What is in their rings is not in here.
 */

#include <errno.h>

#include <rte_bitops.h>
#include <rte_common.h>

#include "bluefield_obj_priv.h"

#define QP_MAX_LOG 15u          /* of either queue, in its field */
#define QP_MIN_RQ_WQE 16u
#define QP_MAX_RQ_WQE 2048u

static int
bad_attr(struct bf_obj_dev *dev, const char *why)
{
	BF_LOG(ERR, "%s: queue pair: %s", dev->name, why);
	return -EINVAL;
}

static int
qp_check(struct bf_obj_dev *dev, const struct bf_qp_attr *attr, const struct bf_obj_caps *caps)
{
	uint32_t max = RTE_MIN(caps->max_qp_sz, 1u << QP_MAX_LOG);

	if (attr->nb_sq_blocks != 0 &&
	    (!rte_is_power_of_2(attr->nb_sq_blocks) || attr->nb_sq_blocks > max))
		return bad_attr(dev, "send queue is no power of two, or too long");
	if (attr->nb_rq_wqes != 0) {
		if (!rte_is_power_of_2(attr->nb_rq_wqes) || attr->nb_rq_wqes > max)
			return bad_attr(dev, "receive queue is no power of two, or too long");
		if (!rte_is_power_of_2(attr->rq_wqe_size) || attr->rq_wqe_size < QP_MIN_RQ_WQE ||
		    attr->rq_wqe_size > QP_MAX_RQ_WQE)
			return bad_attr(dev, "size of receive entries is not 16, 32 ... 2048");
		if (attr->nb_rq_wqes * attr->rq_wqe_size < BF_SQ_BLOCK)
			return bad_attr(dev, "receive queue is less than 64 bytes");
		if (attr->srq != NULL)
			return bad_attr(dev, "a receive queue and a shared one");
	}
	if (attr->nb_sq_blocks == 0 && attr->nb_rq_wqes == 0)
		return bad_attr(dev, "no queue");
	if (attr->user_index > BF_QP_USER_INDEX_NONE && attr->user_index != UINT32_MAX)
		return bad_attr(dev, "user index has more than 24 bits");
	if ((uint32_t)attr->service > BF_QP_GSI)
		return bad_attr(dev, "no such service");
	return 0;
}

static uint32_t
service_st(enum bf_qp_service service)
{
	switch (service) {
	case BF_QP_UD: return BF_QP_ST_UD;
	case BF_QP_GSI: return BF_QP_ST_QP1;
	default: return BF_QP_ST_RC;
	}
}

static void
qpc_fill(const struct bf_qp_attr *attr, const struct bf_obj_caps *caps, uint8_t *qpc)
{
	bf_set(qpc, BF_QPC_ST, service_st(attr->service));
	bf_set(qpc, BF_QPC_PM_STATE, BF_QP_PM_MIGRATED);
	bf_set(qpc, BF_QPC_PD, attr->pd->obj.id);
	bf_set(qpc, BF_QPC_UAR_PAGE, attr->uar->obj.id);
	bf_set(qpc, BF_QPC_TS_FORMAT, caps->qp_ts_format);
	if (caps->cqe_version == 1)
		bf_set(qpc, BF_QPC_USER_INDEX, attr->user_index);
	bf_set(qpc, BF_QPC_CQN_SND, attr->cq_send->obj.id);
	bf_set(qpc, BF_QPC_CQN_RCV, attr->cq_recv->obj.id);
	if (attr->nb_sq_blocks != 0)
		bf_set(qpc, BF_QPC_LOG_SQ_SIZE, rte_log2_u32(attr->nb_sq_blocks));
	else
		bf_set(qpc, BF_QPC_NO_SQ, 1);
	if (attr->nb_rq_wqes != 0) {
		bf_set(qpc, BF_QPC_RQ_TYPE, BF_QP_RQ_REGULAR);
		bf_set(qpc, BF_QPC_LOG_RQ_SIZE, rte_log2_u32(attr->nb_rq_wqes));
		bf_set(qpc, BF_QPC_LOG_RQ_STRIDE, rte_log2_u32(attr->rq_wqe_size) - 4);
	} else if (attr->srq != NULL) {
		bf_set(qpc, BF_QPC_RQ_TYPE, BF_QP_RQ_SRQ);
		bf_set(qpc, BF_QPC_SRQN_RMPN_XRQN, attr->srq->obj.id);
	} else {
		bf_set(qpc, BF_QPC_RQ_TYPE, BF_QP_RQ_NONE);
	}
}

int
bf_qp_create(struct bf_obj_dev *dev, const struct bf_qp_attr *attr, struct bf_qp *qp)
{
	const struct bf_obj_desc desc = {
		.kind = BF_OBJ_QP,
		.deps = { &attr->pd->obj, &attr->uar->obj, &attr->cq_send->obj, &attr->cq_recv->obj,
			attr->srq != NULL ? &attr->srq->obj : NULL },
	};
	uint8_t in[BF_CREATE_IN_SIZE] = { 0 };
	struct bf_obj_caps caps;
	size_t rq_len, sq_len;
	struct bf_ring ring;
	int ret;

	dev->ops->caps(dev, &caps);
	ret = qp_check(dev, attr, &caps);
	if (ret != 0)
		return ret;
	rq_len = (size_t)attr->nb_rq_wqes * attr->rq_wqe_size;
	sq_len = (size_t)attr->nb_sq_blocks * BF_SQ_BLOCK;
	ret = bf_ring_alloc(dev, rq_len + sq_len, &ring);
	if (ret != 0)
		return ret;
	bf_set(in, BF_IN_OPCODE, BF_OP_CREATE_QP);
	qpc_fill(attr, &caps, in + BF_CREATE_QP_IN_QPC);
	ret = bf_obj_create_ring(dev, &desc, in, sizeof(in), &ring, &qp->obj);
	if (ret != 0)
		return ret;
	/* the device has the receive queue first */
	qp->rq = rq_len != 0 ? ring.mem->addr : NULL;
	qp->sq = sq_len != 0 ? RTE_PTR_ADD(ring.mem->addr, rq_len) : NULL;
	qp->dbr = ring.dbr;
	qp->nb_sq_blocks = attr->nb_sq_blocks;
	qp->nb_rq_wqes = attr->nb_rq_wqes;
	qp->rq_wqe_size = attr->rq_wqe_size;
	qp->service = attr->service;
	qp->qkey = attr->service == BF_QP_GSI ? BF_QP_QKEY_GSI : attr->qkey;
	return 0;
}

void
bf_qp_destroy(struct bf_qp *qp)
{
	bf_obj_destroy_ring(&qp->obj);
}

static int
qp_modify(struct bf_qp *qp, uint16_t opcode, uint8_t *in, uint32_t in_len)
{
	uint8_t out[BF_OUT_SIZE];

	bf_set(in, BF_IN_OPCODE, opcode);
	return bf_obj_modify(&qp->obj, in, in_len, out, sizeof(out));
}

/* The port is in each transition of datagrams: the Linux driver says it of QP1, too. */
static void
port_fill(const struct bf_qp *qp, uint8_t *qpc)
{
	struct bf_obj_caps caps;

	qp->obj.dev->ops->caps(qp->obj.dev, &caps);
	bf_set(qpc + BF_QPC_PRIMARY_ADDRESS_PATH, BF_ADS_VHCA_PORT_NUM, caps.port);
}

int
bf_qp_to_init(struct bf_qp *qp)
{
	uint8_t in[BF_CREATE_IN_SIZE] = { 0 };
	uint8_t *qpc = in + BF_CREATE_QP_IN_QPC;

	if (qp->obj.dev == NULL)
		return -EINVAL;
	port_fill(qp, qpc);
	bf_set(qpc, BF_QPC_PM_STATE, BF_QP_PM_MIGRATED);
	bf_set(qpc + BF_QPC_PRIMARY_ADDRESS_PATH, BF_ADS_PKEY_INDEX, 0);
	/* only messages: nobody reads or writes our memory by address */
	bf_set(qpc, BF_QPC_RRE, 0);
	bf_set(qpc, BF_QPC_RWE, 0);
	if (qp->service != BF_QP_RC)
		bf_set(qpc, BF_QPC_Q_KEY, qp->qkey);
	return qp_modify(qp, BF_OP_RST2INIT_QP, in, sizeof(in));
}

static int
path_check(struct bf_obj_dev *dev, const struct bf_obj_caps *caps,
	const struct bf_qp_path *path)
{
	if (path->mtu < 1 || path->mtu > 5)
		return bad_attr(dev, "MTU is not 1 to 5");
	if ((path->remote_qpn | path->remote_psn | path->local_psn) >> 24 != 0)
		return bad_attr(dev, "a number has more than 24 bits");
	if (path->min_rnr_nak > 31 || path->ack_timeout > 31)
		return bad_attr(dev, "a timer code is more than 31");
	if (path->retry_count > 7 || path->rnr_retry > 7)
		return bad_attr(dev, "more than 7 retries");
	if (!path->loopback && (path->src_addr_index >= caps->roce_addr_table_size ||
	    path->src_addr_index > UINT8_MAX))
		return bad_attr(dev, "the source address is not in the table");
	return 0;
}

/*
 * INIT to RTR. The Linux driver names no options where a queue pair keeps what it has; cards
 * were seen that were given all of them. Who refuses the first way is asked the other way,
 * and not the first way again. Access is none and P_Key index is 0: as they are.
 */
static int
init_to_rtr(struct bf_qp *qp, uint8_t *in, uint32_t in_len)
{
	bool rc = qp->service == BF_QP_RC;
	struct bf_obj_dev *dev = qp->obj.dev;
	int ret;

	if (!__atomic_load_n(&dev->named_options, __ATOMIC_RELAXED)) {
		ret = qp_modify(qp, BF_OP_INIT2RTR_QP, in, in_len);
		if (ret != -EINVAL)
			return ret;
	}
	bf_set(in, BF_MODIFY_QP_IN_OPTIONS, rc ? BF_QP_OPTIONS_ACCESS : BF_QP_OPTIONS_DATAGRAM);
	bf_set(in + BF_CREATE_QP_IN_QPC, BF_QPC_Q_KEY, qp->qkey);
	ret = qp_modify(qp, BF_OP_INIT2RTR_QP, in, in_len);
	if (ret == 0 && !__atomic_exchange_n(&dev->named_options, true, __ATOMIC_RELAXED))
		BF_LOG(NOTICE, "%s: INIT2RTR_QP: firmware wants options named (0x%x), and is given them from now on",
			dev->name, rc ? BF_QP_OPTIONS_ACCESS : BF_QP_OPTIONS_DATAGRAM);
	return ret;
}

/* Where a datagram goes is in its request. */
static int
datagrams_to_rtr(struct bf_qp *qp)
{
	bool gsi = qp->service == BF_QP_GSI;
	uint8_t in[BF_CREATE_IN_SIZE] = { 0 };
	uint8_t *qpc = in + BF_CREATE_QP_IN_QPC;

	port_fill(qp, qpc);
	bf_set(qpc, BF_QPC_MTU, gsi ? BF_QP_MTU_GSI : BF_QP_MTU_UD);
	bf_set(qpc, BF_QPC_LOG_MSG_MAX, gsi ? BF_QP_LOG_MSG_GSI : BF_QP_LOG_MSG_UD);
	return init_to_rtr(qp, in, sizeof(in));
}

static int
datagrams_to_rts(struct bf_qp *qp, const struct bf_qp_path *path)
{
	uint8_t in[BF_CREATE_IN_SIZE] = { 0 };
	uint32_t psn = path != NULL ? path->local_psn : 0;

	if (psn >> 24 != 0)
		return bad_attr(qp->obj.dev, "a number has more than 24 bits");
	port_fill(qp, in + BF_CREATE_QP_IN_QPC);
	bf_set(in + BF_CREATE_QP_IN_QPC, BF_QPC_NEXT_SEND_PSN, psn);
	return qp_modify(qp, BF_OP_RTR2RTS_QP, in, sizeof(in));
}

int
bf_qp_to_rtr(struct bf_qp *qp, const struct bf_qp_path *path)
{
	uint8_t in[BF_CREATE_IN_SIZE] = { 0 };
	uint8_t *qpc = in + BF_CREATE_QP_IN_QPC;
	uint8_t *ads = qpc + BF_QPC_PRIMARY_ADDRESS_PATH;
	struct bf_obj_caps caps;
	int ret;

	if (qp->obj.dev == NULL)
		return -EINVAL;
	if (qp->service != BF_QP_RC)
		return datagrams_to_rtr(qp);
	qp->obj.dev->ops->caps(qp->obj.dev, &caps);
	ret = path_check(qp->obj.dev, &caps, path);
	if (ret != 0)
		return ret;
	bf_set(qpc, BF_QPC_MTU, path->mtu);
	bf_set(qpc, BF_QPC_LOG_MSG_MAX, rte_log2_u64(caps.max_msg));
	bf_set(qpc, BF_QPC_REMOTE_QPN, path->remote_qpn);
	bf_set(qpc, BF_QPC_MIN_RNR_NAK, path->min_rnr_nak);
	bf_set(qpc, BF_QPC_NEXT_RCV_PSN, path->remote_psn);
	bf_set(qpc, BF_QPC_LOG_RRA_MAX, 0);
	bf_set(ads, BF_ADS_VHCA_PORT_NUM, caps.port);
	if (path->loopback) {
		bf_set(ads, BF_ADS_FL, 1);
	} else {
		bf_set(ads, BF_ADS_SRC_ADDR_INDEX, path->src_addr_index);
		bf_set(ads, BF_ADS_HOP_LIMIT, path->hop_limit);
		bf_set(ads, BF_ADS_TCLASS, path->tclass);
		bf_set(ads, BF_ADS_DSCP, path->tclass >> 2);
		/* firmware takes one of its own otherwise */
		if (caps.udp_sport)
			bf_set(ads, BF_ADS_UDP_SPORT, path->udp_sport);
		memcpy(ads + BF_ADS_RGID_RIP, path->rgid, sizeof(path->rgid));
		bf_set_mac(ads, BF_ADS_RMAC, path->rmac);
	}
	return init_to_rtr(qp, in, sizeof(in));
}

int
bf_qp_to_rts(struct bf_qp *qp, const struct bf_qp_path *path)
{
	uint8_t in[BF_CREATE_IN_SIZE] = { 0 };
	uint8_t *qpc = in + BF_CREATE_QP_IN_QPC;
	struct bf_obj_caps caps;
	int ret;

	if (qp->obj.dev == NULL)
		return -EINVAL;
	if (qp->service != BF_QP_RC)
		return datagrams_to_rts(qp, path);
	qp->obj.dev->ops->caps(qp->obj.dev, &caps);
	ret = path_check(qp->obj.dev, &caps, path);
	if (ret != 0)
		return ret;
	bf_set(qpc, BF_QPC_RETRY_COUNT, path->retry_count);
	bf_set(qpc, BF_QPC_RNR_RETRY, path->rnr_retry);
	bf_set(qpc, BF_QPC_NEXT_SEND_PSN, path->local_psn);
	bf_set(qpc, BF_QPC_LOG_SRA_MAX, 0);
	bf_set(qpc, BF_QPC_LOG_ACK_REQ_FREQ, BF_QP_ACK_REQ_FREQ);
	bf_set(qpc + BF_QPC_PRIMARY_ADDRESS_PATH, BF_ADS_ACK_TIMEOUT, path->ack_timeout);
	return qp_modify(qp, BF_OP_RTR2RTS_QP, in, sizeof(in));
}

int
bf_qp_to_error(struct bf_qp *qp)
{
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };

	return qp_modify(qp, BF_OP_2ERR_QP, in, sizeof(in));
}

void
bf_qp_drain(struct bf_qp *qp)
{
	const struct bf_obj *obj = &qp->obj;

	/* if nobody tells, those that end in a message may cost an entry each */
	if (bf_qp_to_error(qp) == 0 && obj->dev->ops->last_wqe != NULL)
		obj->dev->ops->last_wqe(obj);
}

int
bf_qp_to_reset(struct bf_qp *qp)
{
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };
	int ret;

	ret = qp_modify(qp, BF_OP_2RST_QP, in, sizeof(in));
	if (ret == 0)
		memset(qp->dbr, 0, 2 * sizeof(*qp->dbr));
	return ret;
}
