/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The side that sent a REQ: what answers it.
 */

#include <errno.h>

#include "bluefield_cm_priv.h"

/* Queue pairs 0 and 1 are those of management. */
#define FIRST_QPN 2

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
		bf_cm_fail(id, -EPROTO);
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
		bf_cm_stale(old);
	}
	/* the user's turn; the other side repeats its REP, and is asked to be patient */
	bf_cm_id_state(id, BF_CM_ST_REP_RCVD, UINT64_MAX);
	ev = bf_cm_note(id, BF_CM_REP, 0);
	ev->qp = id->remote;
	ev->priv = cm->rx.rep.priv;
	ev->len = sizeof(cm->rx.rep.priv);
}

void
bf_cm_rx_rep(struct bf_cm *cm, const struct bf_cm_addr *from)
{
	struct bf_cm_id *id = bf_cm_id_find(cm, from, cm->rx.remote_id);

	if (id != NULL && id->active && id->state == BF_CM_ST_REQ_SENT) {
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

void
bf_cm_rx_rej_req(struct bf_cm_id *id)
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
	bf_cm_fail_rej(id);
}
