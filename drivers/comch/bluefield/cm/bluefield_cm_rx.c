/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What arrives: whether it is from who it may be from, what it is for, and the messages
 * that both sides get.
 */

#include <errno.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_common.h>

#include "bluefield_cm_priv.h"

/* How long a MRA may have us wait before we send again. */
#define MAX_MRA_MS 8192u
#define GUID_LEN 8

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
		bf_cm_rx_rej_req(id);
		break;
	case BF_CM_ST_REP_RCVD:
	case BF_CM_ST_REQ_RCVD:
	case BF_CM_ST_REP_SENT:
		bf_cm_fail_rej(id);
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
		bf_cm_fail(id, -ECONNRESET);
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

	if (id != NULL)
		bf_cm_rx_rtu(id);
}

/* From queue pair 1 of a function whose address we can answer to, to ours. */
static bool
packet_from(const struct bf_cm *cm, const struct bf_cm_packet *pkt, struct bf_cm_addr *from)
{
	if (!pkt->has_grh || pkt->src_qpn != BF_CM_GSI_QPN ||
	    memcmp(pkt->dgid, cm->conf.own.gid, sizeof(pkt->dgid)) != 0)
		return false;
	memcpy(from->gid, pkt->sgid, sizeof(from->gid));
	return bf_cm_gid_mac(from->gid, from->mac);
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
		bf_cm_rx_req(cm, &from);
		break;
	case BF_MAD_REP:
		bf_cm_rx_rep(cm, &from);
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
