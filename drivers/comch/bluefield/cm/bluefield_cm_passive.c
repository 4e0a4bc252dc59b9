/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The side that a REQ arrives at: whether it may be one, and what follows it.
 */

#include <string.h>

#include <rte_common.h>

#include "bluefield_cm_priv.h"

#define FIRST_QPN 2
#define PKEY_MASK 0x7fff
#define IP_VERSION 6
#define TRANSPORT_RC 0
/*
 * Of acknowledgements, that others may ask for: code of about 1 s. A longer one would
 * keep the end of the other side from us; 0 is for ever.
 */
#define MAX_ACK_TIMEOUT 18

/* The addresses in the RDMA IP CM header are those of the path. */
static bool
ip_ok(const struct bf_cm *cm, const struct bf_cm_addr *from)
{
	struct bf_mad_ip ip;

	bf_mad_ip_decode(cm->rx.req.priv, &ip);
	return ip.version == 0 && ip.ip_version == IP_VERSION &&
		memcmp(ip.src, from->gid, sizeof(ip.src)) == 0 &&
		memcmp(ip.dst, cm->conf.own.gid, sizeof(ip.dst)) == 0;
}

/* Why a REQ is refused before anybody is asked; 0: it is not. In Linux's order. */
static uint8_t
req_reason(const struct bf_cm *cm, const struct bf_cm_addr *from)
{
	const struct bf_mad_req *req = &cm->rx.req;

	if ((req->pkey & PKEY_MASK) != PKEY_MASK)
		return BF_REJ_GID;
	if (req->service_id != cm->conf.service_id || cm->conf.req_cb == NULL)
		return BF_REJ_SERVICE_ID;
	if (!ip_ok(cm, from))
		return BF_REJ_CONSUMER;
	if (req->transport != TRANSPORT_RC || req->ext_transport != 0)
		return BF_REJ_TRANSPORT;
	if (req->qpn < FIRST_QPN)
		return BF_REJ_NO_QP;
	if (req->mtu < 1 || req->mtu > 5)
		return BF_REJ_MTU;
	return 0;
}

static void
req_duplicate(struct bf_cm_id *id)
{
	id->cm->stats.duplicates++;
	if (id->state == BF_CM_ST_REQ_RCVD)
		bf_cm_send_mra(id, BF_MAD_ABOUT_REQ);
	else if (id->state == BF_CM_ST_IDLE)
		bf_cm_send_kept(id);
	/* else our own timer repeats the REP, or it is too late */
}

static void
req_read(struct bf_cm_id *id)
{
	const struct bf_mad_req *req = &id->cm->rx.req;

	id->tid = id->cm->rx.tid;
	id->remote_id = id->cm->rx.local_id;
	id->has_remote = true;
	id->guid = req->ca_guid;
	id->flow_label = req->path.flow_label;
	id->tclass = req->path.traffic_class;
	id->rep_timeout = req->local_timeout;
	id->rep_retries = req->max_retries;
	id->remote = (struct bf_cm_qp){
		.qpn = req->qpn, .psn = req->psn, .rnr_retry = req->rnr_retry, .mtu = req->mtu,
		.retry_count = req->retry_count, .srq = req->srq != 0,
		.ack_timeout = RTE_MIN(req->path.ack_timeout, MAX_ACK_TIMEOUT),
	};
	if (id->remote.ack_timeout == 0)
		id->remote.ack_timeout = 1;
}

static void
req_new(struct bf_cm *cm, const struct bf_cm_addr *from)
{
	struct bf_cm_event *ev;
	struct bf_cm_id *id;
	int err;

	/* no answer: it costs nothing, and who means it well tries again */
	if (!bf_cm_id_room(cm, from)) {
		cm->stats.no_room++;
		return;
	}
	id = bf_cm_id_new(cm, from, false, &err);
	if (id == NULL) {
		cm->stats.no_room++;
		return;
	}
	req_read(id);
	id->cb = cm->conf.req_cb;
	id->arg = cm->conf.arg;
	bf_cm_id_state(id, BF_CM_ST_REQ_RCVD, UINT64_MAX);
	ev = bf_cm_note(id, BF_CM_REQ, 0);
	ev->qp = id->remote;
	ev->priv = cm->rx.req.priv + BF_MAD_IP_SIZE;
	ev->len = BF_CM_REQ_PRIV;
}

void
bf_cm_rx_req(struct bf_cm *cm, const struct bf_cm_addr *from)
{
	const struct bf_mad_path *path = &cm->rx.req.path;
	struct bf_cm_id *id;
	uint8_t reason;

	if (memcmp(path->local_gid, from->gid, sizeof(from->gid)) != 0 ||
	    memcmp(path->remote_gid, cm->conf.own.gid, sizeof(path->remote_gid)) != 0) {
		cm->stats.bad_from++;
		bf_cm_answer_rej(cm, from, BF_MAD_ABOUT_REQ, BF_REJ_GID);
		return;
	}
	id = bf_cm_id_of_req(cm, from, cm->rx.local_id, cm->rx.req.ca_guid);
	if (id != NULL) {
		req_duplicate(id);
		return;
	}
	reason = req_reason(cm, from);
	if (reason != 0) {
		cm->stats.bad_msg++;
		bf_cm_answer_rej(cm, from, BF_MAD_ABOUT_REQ, reason);
		return;
	}
	id = bf_cm_id_of_qp(cm, from, cm->rx.req.ca_guid, cm->rx.req.qpn, NULL);
	if (id != NULL) {
		cm->stats.stale++;
		bf_cm_answer_rej(cm, from, BF_MAD_ABOUT_REQ, BF_REJ_STALE);
		bf_cm_stale(id);
		return;
	}
	req_new(cm, from);
}

void
bf_cm_rx_rtu(struct bf_cm_id *id)
{
	if (id->state != BF_CM_ST_REP_SENT) {
		id->cm->stats.duplicates++;
		return;
	}
	bf_cm_id_state(id, BF_CM_ST_ESTABLISHED, UINT64_MAX);
	bf_cm_note(id, BF_CM_RTU, 0);
}
