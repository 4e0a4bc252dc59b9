/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Ordinary verbs on what mlx5_ib makes of a function of the model: kernel and
 * rdma-core choose every command and every layout, and this program only what is
 * made. There is no traffic.
 *
 * usage: verbs <RDMA device>...
 *
 * A line for each device: "ok <what>", or "FAILED <what>: why".
 */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#define ROUNDS 3
#define BUF_SIZE (1u << 20)

/* What the program is doing, for the message if that fails. */
static const char *step;
static uint8_t *buf;

struct things {
	struct ibv_context *ctx;
	struct ibv_port_attr port;
	struct ibv_pd *pd;
	struct ibv_mr *mr, *small_mr;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq, *large_cq;
	struct ibv_srq *srq;
};

static int
qp_init(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qkey = 0x1111,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};

	step = "QP to INIT";
	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			(qp->qp_type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
}

/* Connected to itself; the address is a LID, which Ethernet has not. */
static int
qp_rtr(struct ibv_qp *qp, const struct things *t)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = qp->qp_num,
		.rq_psn = 7,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 12,
		.ah_attr = { .dlid = t->port.lid, .port_num = 1 },
	};
	int mask = IBV_QP_STATE;

	if (qp->qp_type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	step = "QP to RTR";
	return ibv_modify_qp(qp, &attr, mask);
}

static int
qp_rts(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.sq_psn = 9,
		.max_rd_atomic = 4,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	step = "QP to RTS";
	return ibv_modify_qp(qp, &attr, mask);
}

static int
qp_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	step = state == IBV_QPS_ERR ? "QP to ERR" : "QP to RESET";
	return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
}

/* What the device says a QP is must be what it was made. */
static int
qp_query(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr = { 0 };
	int ret;

	step = "query QP";
	ret = ibv_query_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_DEST_QPN, &init);
	if (ret != 0)
		return ret;
	if (attr.qp_state != state)
		return EPROTO;
	if (state == IBV_QPS_RTS && attr.sq_psn != 9)
		return EPROTO;
	if (state == IBV_QPS_RTS && qp->qp_type != IBV_QPT_UD && attr.dest_qp_num != qp->qp_num)
		return EPROTO;
	return 0;
}

static int
qp_round(struct things *t, enum ibv_qp_type type, bool with_srq)
{
	struct ibv_qp_init_attr init = {
		.send_cq = t->cq,
		.recv_cq = t->large_cq,
		.srq = with_srq ? t->srq : NULL,
		.qp_type = type,
		.cap = {
			.max_send_wr = 32,
			.max_recv_wr = with_srq ? 0 : 64,
			.max_send_sge = 2,
			.max_recv_sge = with_srq ? 0 : 2,
		},
	};
	struct ibv_qp *qp;
	int ret;

	step = "create QP";
	qp = ibv_create_qp(t->pd, &init);
	if (qp == NULL)
		return errno;
	ret = qp_init(qp);
	if (ret == 0)
		ret = qp_query(qp, IBV_QPS_INIT);
	if (ret == 0 && t->port.link_layer == IBV_LINK_LAYER_INFINIBAND) {
		ret = qp_rtr(qp, t);
		if (ret == 0)
			ret = qp_rts(qp);
		if (ret == 0)
			ret = qp_query(qp, IBV_QPS_RTS);
	}
	if (ret == 0)
		ret = qp_state(qp, IBV_QPS_ERR);
	if (ret == 0)
		ret = qp_query(qp, IBV_QPS_ERR);
	if (ret == 0)
		ret = qp_state(qp, IBV_QPS_RESET);
	if (ibv_destroy_qp(qp) != 0 && ret == 0) {
		step = "destroy QP";
		ret = errno;
	}
	return ret;
}

static int
make(struct things *t)
{
	struct ibv_srq_init_attr srq_init = { .attr = { .max_wr = 100, .max_sge = 2 } };
	struct ibv_srq_attr srq_attr = { .srq_limit = 10 };
	int ret;

	step = "query port";
	ret = ibv_query_port(t->ctx, 1, &t->port);
	if (ret != 0)
		return ret;
	step = "allocate PD";
	t->pd = ibv_alloc_pd(t->ctx);
	if (t->pd == NULL)
		return errno;
	step = "register memory";
	t->mr = ibv_reg_mr(t->pd, buf, BUF_SIZE - 100, IBV_ACCESS_LOCAL_WRITE |
			IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
	if (t->mr == NULL)
		return errno;
	/* neither begins nor ends on a page */
	t->small_mr = ibv_reg_mr(t->pd, buf + 100, 5000, IBV_ACCESS_LOCAL_WRITE);
	if (t->small_mr == NULL)
		return errno;
	step = "create CQ";
	t->channel = ibv_create_comp_channel(t->ctx);
	t->cq = ibv_create_cq(t->ctx, 100, NULL, t->channel, 0);
	t->large_cq = ibv_create_cq(t->ctx, 4000, NULL, NULL, 0);
	if (t->channel == NULL || t->cq == NULL || t->large_cq == NULL)
		return errno;
	step = "arm CQ";
	ret = ibv_req_notify_cq(t->cq, 0);
	if (ret != 0)
		return ret;
	step = "create SRQ";
	t->srq = ibv_create_srq(t->pd, &srq_init);
	if (t->srq == NULL)
		return errno;
	step = "limit of SRQ";
	ret = ibv_modify_srq(t->srq, &srq_attr, IBV_SRQ_LIMIT);
	if (ret != 0)
		return ret;
	memset(&srq_attr, 0, sizeof(srq_attr));
	ret = ibv_query_srq(t->srq, &srq_attr);
	return ret != 0 ? ret : srq_attr.srq_limit == 10 ? 0 : EPROTO;
}

/* The first error of all counts. */
static void
ended(int *ret, const char *name, int error)
{
	if (*ret != 0 || error == 0)
		return;
	step = name;
	*ret = error;
}

/* Also of what was made in part. */
static int
destroy(struct things *t, int ret)
{
	if (t->srq != NULL)
		ended(&ret, "destroy SRQ", ibv_destroy_srq(t->srq));
	if (t->large_cq != NULL)
		ended(&ret, "destroy CQ", ibv_destroy_cq(t->large_cq));
	if (t->cq != NULL)
		ended(&ret, "destroy CQ", ibv_destroy_cq(t->cq));
	if (t->channel != NULL)
		ended(&ret, "destroy channel", ibv_destroy_comp_channel(t->channel));
	if (t->small_mr != NULL)
		ended(&ret, "deregister memory", ibv_dereg_mr(t->small_mr));
	if (t->mr != NULL)
		ended(&ret, "deregister memory", ibv_dereg_mr(t->mr));
	if (t->pd != NULL)
		ended(&ret, "deallocate PD", ibv_dealloc_pd(t->pd));
	ended(&ret, "close", ibv_close_device(t->ctx));
	return ret;
}

static int
run(struct ibv_device *dev, struct ibv_port_attr *port)
{
	struct things t = { 0 };
	int ret;

	step = "open";
	t.ctx = ibv_open_device(dev);
	if (t.ctx == NULL)
		return errno;
	ret = make(&t);
	*port = t.port;
	if (ret == 0)
		ret = qp_round(&t, IBV_QPT_RC, false);
	if (ret == 0)
		ret = qp_round(&t, IBV_QPT_UC, false);
	if (ret == 0)
		ret = qp_round(&t, IBV_QPT_UD, false);
	if (ret == 0)
		ret = qp_round(&t, IBV_QPT_RC, true);
	return destroy(&t, ret);
}

int
main(int argc, char **argv)
{
	struct ibv_port_attr port = { 0 };
	struct ibv_device **list;
	unsigned int round;
	int nb, i, n, ret, failed = 0;

	list = ibv_get_device_list(&nb);
	buf = aligned_alloc(4096, BUF_SIZE);
	if (list == NULL || buf == NULL) {
		printf("FAILED verbs: list of devices: %s\n", strerror(errno));
		return EXIT_FAILURE;
	}
	for (i = 1; i < argc; i++) {
		for (n = 0; n < nb && strcmp(ibv_get_device_name(list[n]), argv[i]) != 0; n++)
			;
		step = "find";
		ret = n < nb ? 0 : ENODEV;
		for (round = 0; ret == 0 && round < ROUNDS; round++)
			ret = run(list[n], &port);
		if (ret != 0)
			printf("FAILED verbs: %s: %s: %s\n", argv[i], step, strerror(ret));
		else
			printf("ok verbs: %s, %s: PD, MR, CQ, SRQ, QPs of four kinds, %u rounds\n",
				argv[i], port.link_layer == IBV_LINK_LAYER_INFINIBAND ?
				"InfiniBand, to RTS" : "Ethernet, to INIT", ROUNDS);
		failed += ret != 0;
	}
	ibv_free_device_list(list);
	free(buf);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
