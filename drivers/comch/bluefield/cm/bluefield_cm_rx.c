/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What arrives: whether it is from who it may be from, what it is for, and what follows
 * from it; and what does when nothing arrives.
 */

#include <errno.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_common.h>

#include "bluefield_cm_priv.h"

/* How long a MRA may have us wait before we send again. */
#define MAX_MRA_MS 8192u
#define GUID_LEN 8
/* Queue pairs 0 and 1 are those of management. */
#define FIRST_QPN 2
#define PKEY_MASK 0x7fff
#define TRANSPORT_RC 0
/*
 * Of acknowledgements, that others may ask for: code of about 1 s. A longer one would
 * keep the end of the other side from us; 0 is for ever.
 */
#define MAX_ACK_TIMEOUT 18

/*
 * How connections end
 */

/* There is no connection: tell, or let go if nobody listens. */
static void
fail(struct bf_cm_id *id, int status)
{
	bf_cm_id_state(id, BF_CM_ST_IDLE, UINT64_MAX);
	/* who has not answered a REQ yet learns it when it does */
	if (id->own.qpn != 0)
		bf_cm_note(id, BF_CM_FAILED, status);
}

/* The same by the REJ in cm->rx. */
static void
fail_rej(struct bf_cm_id *id)
{
	const struct bf_mad_rej *rej = &id->cm->rx.rej;
	uint8_t reason = RTE_MIN(rej->reason, UINT8_MAX);
	struct bf_cm_event *ev;

	id->kept = false;
	bf_cm_id_state(id, BF_CM_ST_IDLE, UINT64_MAX);
	if (id->own.qpn == 0)
		return;
	ev = bf_cm_note(id, BF_CM_FAILED, bf_cm_reason_errno(reason));
	ev->reason = reason;
	ev->priv = rej->priv;
	ev->len = sizeof(rej->priv);
}

void
bf_cm_timewait(struct bf_cm_id *id, int status)
{
	id->ended = status;
	bf_cm_id_state(id, BF_CM_ST_TIMEWAIT, bf_cm_now(id->cm) + id->cm->conf.wait_ms);
}

/* A new life of the other side has taken the queue pair over that this id has. */
static void
stale(struct bf_cm_id *id)
{
	switch (id->state) {
	case BF_CM_ST_REP_RCVD:
	case BF_CM_ST_REQ_RCVD:
	case BF_CM_ST_REP_SENT:
		id->kept = false;
		fail(id, -ESTALE);
		break;
	case BF_CM_ST_ESTABLISHED:
		/* as Linux does: the new life does not know it, and answers so */
		bf_cm_send_dreq(id, -ESTALE);
		bf_cm_id_retry(id, BF_CM_ST_DREQ_SENT, id->cm->conf.dreq_ms,
			id->cm->conf.dreq_retries);
		bf_cm_note(id, BF_CM_DREQ, -ESTALE);
		break;
	default:
		break; /* it is on its way out */
	}
}

/*
 * The side that sent a REQ: what answers it
 */

static void
rep_read(struct bf_cm_id *id)
{
	const struct bf_mad *rx = &id->cm->rx;

	id->remote_id = rx->local_id;
	id->has_remote = true;
	id->guid = rx->rep.ca_guid;
	id->remote = (struct bf_cm_qp){
		.qpn = rx->rep.qpn, .psn = rx->rep.psn, .rnr_retry = rx->rep.rnr_retry,
		.srq = rx->rep.srq != 0,
	};
}

/* The REP that our REQ waits for. */
static void
rep_first(struct bf_cm_id *id)
{
	struct bf_cm *cm = id->cm;
	struct bf_cm_event *ev;
	struct bf_cm_id *old;

	rep_read(id);
	if (id->remote.qpn < FIRST_QPN) {
		cm->stats.bad_msg++;
		bf_cm_send_rej(id, BF_MAD_ABOUT_REP, BF_REJ_NO_QP, NULL, 0);
		fail(id, -EPROTO);
		return;
	}
	old = bf_cm_id_of_qp(cm, &id->addr, id->guid, id->remote.qpn, id);
	if (old != NULL) {
		/*
		 * The other side has begun a new life, and with it this queue pair: the old
		 * connection is over, which is no fault of the new one. (Linux refuses both,
		 * and has its user connect once more.)
		 */
		cm->stats.stale++;
		stale(old);
	}
	/* the user's turn; the other side repeats its REP, and is asked to be patient */
	bf_cm_id_state(id, BF_CM_ST_REP_RCVD, UINT64_MAX);
	ev = bf_cm_note(id, BF_CM_REP, 0);
	ev->qp = id->remote;
	ev->priv = cm->rx.rep.priv;
	ev->len = sizeof(cm->rx.rep.priv);
}

static void
rx_rep(struct bf_cm *cm, const struct bf_cm_addr *from)
{
	struct bf_cm_id *id = bf_cm_id_find(cm, from, cm->rx.remote_id);

	if (id != NULL && id->state == BF_CM_ST_REQ_SENT) {
		rep_first(id);
		return;
	}
	if (id == NULL || !id->has_remote || id->remote_id != cm->rx.local_id) {
		/* nobody will answer it: the other side need not wait until it gives up */
		cm->stats.no_id++;
		bf_cm_answer_rej(cm, from, BF_MAD_ABOUT_REP, BF_REJ_COMM_ID);
		return;
	}
	cm->stats.duplicates++;
	if (id->state == BF_CM_ST_REP_RCVD)
		bf_cm_send_mra(id, BF_MAD_ABOUT_REP);
	else if (id->state == BF_CM_ST_ESTABLISHED)
		bf_cm_send_rtu(id);
	else if (id->state == BF_CM_ST_IDLE)
		bf_cm_send_kept(id);
}

static void
rej_of_req(struct bf_cm_id *id)
{
	struct bf_cm *cm = id->cm;

	/*
	 * A life of ours before had this queue pair, and the other side has just learned
	 * that it is over: it ends the old connection, and takes a REQ after that.
	 */
	if (cm->rx.rej.reason == BF_REJ_STALE && !id->stale_once) {
		cm->stats.stale++;
		id->stale_once = true;
		id->renumber = true;
		bf_cm_id_due(id, bf_cm_now(cm) + id->interval);
		return;
	}
	fail_rej(id);
}

/*
 * The side that a REQ arrives at
 */

/* The addresses in the RDMA IP CM header are those of the path. */
static bool
ip_ok(const struct bf_cm *cm, const struct bf_cm_addr *from)
{
	struct bf_mad_ip ip, want;

	bf_mad_ip_decode(cm->rx.req.priv, &ip);
	bf_cm_ip_fill(&want, from->gid, cm->conf.own.gid);
	return ip.version == 0 && ip.ip_version == want.ip_version &&
		memcmp(ip.src, want.src, sizeof(ip.src)) == 0 &&
		memcmp(ip.dst, want.dst, sizeof(ip.dst)) == 0;
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
	struct bf_cm_id *id = NULL;
	int err;

	if (bf_cm_id_room(cm, from))
		id = bf_cm_id_new(cm, from, false, &err);
	/* no answer: it costs nothing, and who means it well tries again */
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

static void
rx_req(struct bf_cm *cm, const struct bf_cm_addr *from)
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
		stale(id);
		return;
	}
	req_new(cm, from);
}

/*
 * Either
 */

/* The id that a message names, which has to know the sender's number. */
static struct bf_cm_id *
id_of_both(struct bf_cm *cm, const struct bf_cm_addr *from)
{
	struct bf_cm_id *id = bf_cm_id_find(cm, from, cm->rx.remote_id);

	if (id == NULL || !id->has_remote || id->remote_id != cm->rx.local_id) {
		cm->stats.no_id++;
		return NULL;
	}
	return id;
}

/* The id of our REQ, whose answer is still to come: the sender's number is not known. */
static struct bf_cm_id *
id_of_req(struct bf_cm *cm, const struct bf_cm_addr *from)
{
	struct bf_cm_id *id = bf_cm_id_find(cm, from, cm->rx.remote_id);

	return id != NULL && id->state == BF_CM_ST_REQ_SENT ? id : NULL;
}

static void
rx_mra(struct bf_cm *cm, const struct bf_cm_addr *from)
{
	struct bf_cm_id *id = id_of_req(cm, from);
	uint64_t wait = RTE_MIN(bf_mad_code_ms(cm->rx.mra.timeout), MAX_MRA_MS);

	if (id == NULL && cm->rx.mra.about != BF_MAD_ABOUT_REQ)
		id = id_of_both(cm, from);
	if (id == NULL || id->mra_once ||
	    (id->state != BF_CM_ST_REQ_SENT && id->state != BF_CM_ST_REP_SENT))
		return;
	/* once, and for the next message only: a peer does not keep us waiting */
	id->mra_once = true;
	bf_cm_id_due(id, bf_cm_now(cm) + wait + id->interval);
}

/* The id that a REJ ends. */
static struct bf_cm_id *
id_of_rej(struct bf_cm *cm, const struct bf_cm_addr *from)
{
	struct bf_cm_id *id = NULL;
	rte_be64_t guid;

	/* from who has given up on an answer: it may not know our number */
	if (cm->rx.rej.reason == BF_REJ_TIMEOUT && cm->rx.rej.info_len >= GUID_LEN) {
		memcpy(&guid, cm->rx.rej.info, sizeof(guid));
		id = bf_cm_id_of_req(cm, from, cm->rx.local_id, rte_be_to_cpu_64(guid));
	}
	if (id == NULL)
		id = id_of_req(cm, from);
	return id != NULL ? id : id_of_both(cm, from);
}

static void
rx_rej(struct bf_cm *cm, const struct bf_cm_addr *from)
{
	struct bf_cm_id *id = id_of_rej(cm, from);

	if (id == NULL)
		return;
	switch (id->state) {
	case BF_CM_ST_REQ_SENT:
		rej_of_req(id);
		break;
	case BF_CM_ST_REP_RCVD:
	case BF_CM_ST_REQ_RCVD:
	case BF_CM_ST_REP_SENT:
		fail_rej(id);
		break;
	case BF_CM_ST_ESTABLISHED:
		bf_cm_timewait(id, 0);
		bf_cm_note(id, BF_CM_DREQ,
			bf_cm_reason_errno(RTE_MIN(cm->rx.rej.reason, UINT8_MAX)));
		break;
	case BF_CM_ST_DREQ_SENT:
		bf_cm_timewait(id, 0);
		break;
	default:
		break;
	}
}

static void
rx_dreq_id(struct bf_cm_id *id)
{
	struct bf_cm *cm = id->cm;

	id->dreq_tid = cm->rx.tid;
	switch (id->state) {
	case BF_CM_ST_REP_SENT:
	case BF_CM_ST_ESTABLISHED:
		/* the user answers it, when its queue pair has stopped */
		bf_cm_id_state(id, BF_CM_ST_DREQ_RCVD, UINT64_MAX);
		bf_cm_note(id, BF_CM_DREQ, bf_cm_dreq_reason(&cm->rx.dreq));
		break;
	case BF_CM_ST_REP_RCVD:
		bf_cm_send_drep(id);
		fail(id, -ECONNRESET);
		break;
	case BF_CM_ST_DREQ_SENT:
		/* both at once: each has said it, and each answers */
		bf_cm_send_drep(id);
		bf_cm_timewait(id, 0);
		break;
	case BF_CM_ST_DREQ_RCVD:
		cm->stats.duplicates++;
		break;
	default:
		cm->stats.duplicates++;
		bf_cm_send_drep(id);
		break;
	}
}

static void
rx_dreq(struct bf_cm *cm, const struct bf_cm_addr *from)
{
	struct bf_cm_id *id = id_of_both(cm, from);

	if (id == NULL) {
		/* it is over for us: so that it is for the other side */
		bf_cm_answer_drep(cm, from);
		return;
	}
	if (cm->rx.dreq.qpn != id->own.qpn) {
		cm->stats.bad_msg++;
		return;
	}
	rx_dreq_id(id);
}

static void
rx_drep(struct bf_cm *cm, const struct bf_cm_addr *from)
{
	struct bf_cm_id *id = id_of_both(cm, from);

	if (id != NULL && id->state == BF_CM_ST_DREQ_SENT)
		bf_cm_timewait(id, 0);
}

static void
rx_rtu(struct bf_cm *cm, const struct bf_cm_addr *from)
{
	struct bf_cm_id *id = id_of_both(cm, from);

	if (id == NULL)
		return;
	if (id->state != BF_CM_ST_REP_SENT) {
		cm->stats.duplicates++;
		return;
	}
	bf_cm_id_state(id, BF_CM_ST_ESTABLISHED, UINT64_MAX);
	bf_cm_note(id, BF_CM_RTU, 0);
}

/* From queue pair 1 of a function whose address we can answer to, to ours. */
static bool
packet_from(const struct bf_cm *cm, const struct bf_cm_packet *pkt, struct bf_cm_addr *from)
{
	if (!pkt->has_grh || pkt->src_qpn != BF_CM_GSI_QPN ||
	    pkt->ip4 != (bf_cm_gid_ip4(cm->conf.own.gid) != NULL) ||
	    memcmp(pkt->dgid, cm->conf.own.gid, sizeof(pkt->dgid)) != 0)
		return false;
	memcpy(from->gid, pkt->sgid, sizeof(from->gid));
	return bf_cm_mac_of(&cm->conf, from->gid, from->mac);
}

void
bf_cm_rx(struct bf_cm *cm, const struct bf_cm_packet *pkt)
{
	struct bf_cm_addr from;

	if (!packet_from(cm, pkt, &from)) {
		cm->stats.bad_from++;
		return;
	}
	if (bf_mad_decode(pkt->mad, pkt->len, &cm->rx) != 0) {
		cm->stats.bad_mad++;
		return;
	}
	cm->stats.rx[cm->rx.attr - BF_MAD_FIRST]++;
	switch (cm->rx.attr) {
	case BF_MAD_REQ:
		rx_req(cm, &from);
		break;
	case BF_MAD_REP:
		rx_rep(cm, &from);
		break;
	case BF_MAD_RTU:
		rx_rtu(cm, &from);
		break;
	case BF_MAD_MRA:
		rx_mra(cm, &from);
		break;
	case BF_MAD_REJ:
		rx_rej(cm, &from);
		break;
	case BF_MAD_DREQ:
		rx_dreq(cm, &from);
		break;
	case BF_MAD_DREP:
		rx_drep(cm, &from);
		break;
	case BF_MAD_SIDR_REQ:
		bf_cm_answer_sidr(cm, &from);
		break;
	default:
		break; /* answers to what we do not ask, and alternate paths */
	}
}

/*
 * What is due: messages that nobody answered, and ends
 */

/* Send what was kept once more. False: it was sent often enough. */
static bool
again(struct bf_cm_id *id, uint64_t now)
{
	if (id->retries_left == 0)
		return false;
	id->retries_left--;
	id->cm->stats.retries++;
	bf_cm_send_kept(id);
	bf_cm_id_due(id, now + id->interval);
	return true;
}

/* Nobody answered; the other side, should it live, need not wait for us. */
static void
give_up(struct bf_cm_id *id, enum bf_mad_about about)
{
	id->cm->stats.timeouts++;
	bf_cm_send_rej(id, about, BF_REJ_TIMEOUT, NULL, 0);
	id->kept = false;
	fail(id, -ETIMEDOUT);
}

static void
req_due(struct bf_cm_id *id, uint64_t now)
{
	if (now >= id->end) {
		give_up(id, BF_MAD_ABOUT_OTHER);
		return;
	}
	if (id->renumber) {
		/* it was refused, and is another one */
		id->renumber = false;
		bf_cm_send_req_again(id);
		bf_cm_id_due(id, now + id->interval);
	} else if (!again(id, now)) {
		bf_cm_id_due(id, id->end);
	}
}

void
bf_cm_due(struct bf_cm_id *id, uint64_t now)
{
	id->due = UINT64_MAX;
	switch (id->state) {
	case BF_CM_ST_REQ_SENT:
		req_due(id, now);
		break;
	case BF_CM_ST_REP_SENT:
		if (!again(id, now))
			give_up(id, BF_MAD_ABOUT_OTHER);
		break;
	case BF_CM_ST_DREQ_SENT:
		if (!again(id, now)) {
			id->cm->stats.timeouts++;
			bf_cm_timewait(id, -ETIMEDOUT);
		}
		break;
	case BF_CM_ST_TIMEWAIT:
		bf_cm_id_state(id, BF_CM_ST_IDLE, UINT64_MAX);
		id->kept = false;
		if (id->released)
			bf_cm_id_free(id);
		else
			bf_cm_note(id, BF_CM_ENDED, id->ended);
		break;
	default:
		break;
	}
}
