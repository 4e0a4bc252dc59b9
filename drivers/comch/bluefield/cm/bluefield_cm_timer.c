/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What is due: messages that nobody answered, and ends.
 */

#include <errno.h>

#include "bluefield_cm_priv.h"

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
	bf_cm_fail(id, -ETIMEDOUT);
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

static void
timer_due(struct bf_cm_id *id, uint64_t now)
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

uint32_t
bf_cm_timer_next(struct bf_cm *cm, uint32_t slot, uint64_t now)
{
	struct bf_cm_id *id;

	for (; slot < cm->conf.max_ids; slot++) {
		id = cm->slots[slot];
		if (id != NULL && id->due <= now) {
			timer_due(id, now);
			return slot + 1;
		}
	}
	return slot;
}
