/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* How connections end, whoever finds it out: a message, or a timer. */

#include <errno.h>

#include <rte_common.h>

#include "bluefield_cm_priv.h"

void
bf_cm_fail(struct bf_cm_id *id, int status)
{
	bf_cm_id_state(id, BF_CM_ST_IDLE, UINT64_MAX);
	/* who has not answered a REQ yet learns it when it does */
	if (id->cb != NULL && (id->active || id->own.qpn != 0))
		bf_cm_note(id, BF_CM_FAILED, status);
}

void
bf_cm_fail_rej(struct bf_cm_id *id)
{
	const struct bf_mad_rej *rej = &id->cm->rx.rej;
	uint8_t reason = RTE_MIN(rej->reason, UINT8_MAX);
	struct bf_cm_event *ev;

	id->kept = false;
	bf_cm_id_state(id, BF_CM_ST_IDLE, UINT64_MAX);
	if (id->cb == NULL || (!id->active && id->own.qpn == 0))
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

void
bf_cm_stale(struct bf_cm_id *id)
{
	switch (id->state) {
	case BF_CM_ST_REP_RCVD:
	case BF_CM_ST_REQ_RCVD:
	case BF_CM_ST_REP_SENT:
		id->kept = false;
		bf_cm_fail(id, -ESTALE);
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
