/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Reception of control messages: how a message gets from the driver to the
 * application, and how an application holds that back. Sending and the life of
 * connections are in rte_comch_conn.c.
 */

#include <errno.h>

#include "comch_private.h"
#include "rte_comch_trace.h"

int
rte_comch_pmd_msg_recv(struct rte_comch_conn *drv, const void *data, uint32_t len)
{
	struct comch_conn *conn = comch_conn(drv);
	struct rte_comch_ctx *ctx = &conn->ctrl->ctx;

	if (unlikely(drv->rx_held))
		return -EAGAIN;
	conn->stats.rx_msgs++;
	conn->stats.rx_bytes += len;
	rte_comch_trace_msg_recv(drv, len);
	ctx->in_callback++;
	conn->ctrl->recv_cb(drv, data, len, ctx->user_data);
	ctx->in_callback--;
	return 0;
}

void
rte_comch_pmd_msg_dropped(struct rte_comch_conn *drv, uint32_t nb)
{
	comch_conn(drv)->stats.rx_dropped += nb;
}

/* Whether the application holds it; relaxed: others only look, it orders nothing. */
static void
recv_held_set(struct comch_conn *conn, bool held)
{
	__atomic_store_n(&conn->recv_held, held, __ATOMIC_RELAXED);
	conn->drv.rx_held = held;
}

int
rte_comch_conn_recv_hold(struct rte_comch_conn *handle)
{
	struct comch_conn *conn = comch_conn(handle);

	if (handle == NULL)
		return -EINVAL;
	if (handle->state != RTE_COMCH_CONN_UP)
		return -ENOTCONN;
	if (conn->recv_held)
		return -EALREADY;
	recv_held_set(conn, true);
	return 0;
}

int
rte_comch_conn_recv_resume(struct rte_comch_conn *handle)
{
	struct comch_conn *conn = comch_conn(handle);

	if (handle == NULL)
		return -EINVAL;
	if (handle->state != RTE_COMCH_CONN_UP)
		return -ENOTCONN;
	if (!conn->recv_held)
		return -EALREADY;
	recv_held_set(conn, false);
	conn->dev->ops->conn_rx_resume(handle);
	comch_pe_touch(conn->ctrl->ctx.pe);
	return 0;
}
