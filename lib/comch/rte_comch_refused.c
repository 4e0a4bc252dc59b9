/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Clients that a server did not get: the attempts that failed, from where they fail,
 * which is inside of a driver, to where the application can be told, which is the
 * work of the server's turn. What is kept in between is bounded, and with it what a
 * flood of attempts costs a turn. Nothing is decided here.
 */

#include <string.h>

#include <rte_string_fns.h>

#include "comch_private.h"

/* In the thread of the server. The application is told in this turn, if it cares. */
void
comch_refused_put(struct comch_ctrl *ctrl, const struct rte_comch_refusal *one)
{
	struct comch_refused *refused = &ctrl->refused;

	if (refused->cb == NULL || ctrl->ctx.state != RTE_COMCH_STATE_RUNNING)
		return;
	if (refused->nb == COMCH_MAX_REFUSED) {
		refused->list[refused->nb - 1].nb_missed++;
		return;
	}
	refused->list[refused->nb++] = *one;
	comch_pe_work_add(&ctrl->ctx);
}

/* Of one that failed on another engine, the server is told when it is gone there. */
void
comch_refused_add(struct comch_ctrl *ctrl, const struct rte_comch_conn_req *req, int reason)
{
	struct rte_comch_refusal one = {
		.reason = reason,
		.max_msg_size = req->max_msg_size,
		.peer_pid = req->peer_pid,
		.peer_uid = req->peer_uid,
	};

	strlcpy(one.function, req->function, sizeof(one.function));
	comch_refused_put(ctrl, &one);
}

/* In progress, with no driver on the stack; how many were told. */
int
comch_refused_run(struct comch_ctrl *ctrl)
{
	struct comch_refused *refused = &ctrl->refused;
	struct rte_comch_ctx *ctx = &ctrl->ctx;
	uint32_t i;

	/* a callback may stop the server: the rest is dropped, by its next start as well */
	for (i = 0; i < refused->nb && ctx->state == RTE_COMCH_STATE_RUNNING; i++) {
		ctx->in_callback++;
		refused->cb(ctx, &refused->list[i], ctx->user_data);
		ctx->in_callback--;
	}
	refused->nb = 0;
	return i;
}

void
rte_comch_pmd_conn_refused(struct rte_comch_ctrl *server, const struct rte_comch_conn_req *req,
		int reason)
{
	rte_comch_pmd_count(&server->dev->data->stats.refused);
	COMCH_LOG(INFO, "%s: process %u of %s was refused for '%s': %s", server->dev->data->name,
		req->peer_pid, req->function, server->name, strerror(-reason));
	comch_refused_add(comch_ctrl_of_drv(server), req, reason);
}
