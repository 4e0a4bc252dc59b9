/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Connections: what a program keeps with them and reads of them, and how long they stay.
 * Who makes and ends them is in the files of servers and clients.
 */

#include <stdlib.h>

#include <doca_comch_ctrl_private.h>
#include <doca_private.h>

/* Connections that have ended and can still be looked at, of all servers and clients. */
#define MAX_ENDED 256

static TAILQ_HEAD(, doca_comch_connection) ended = TAILQ_HEAD_INITIALIZER(ended);
static unsigned int nb_ended;
static pthread_mutex_t ended_lock = PTHREAD_MUTEX_INITIALIZER;

struct doca_comch_connection *
comch_conn_new(struct comch_ctrl *ctrl, struct rte_comch_conn *rte)
{
	struct doca_comch_connection *conn = calloc(1, sizeof(*conn));
	struct rte_comch_ctx_info info = { 0 };

	if (conn == NULL)
		return NULL;
	rte_comch_ctx_info_get(ctrl->ctx.rte, &info);
	conn->rte = rte;
	conn->ctx = &ctrl->ctx;
	conn->func = ctrl->ctx.func;
	conn->dev_id = info.dev_id;
	conn->server = ctrl->rep != NULL;
	conn->connected = true;
	rte_comch_conn_ref(rte);
	rte_comch_conn_user_data_set(rte, conn);
	return conn;
}

void
comch_conn_end(struct doca_comch_connection *conn)
{
	struct doca_comch_connection *old = NULL;

	conn->connected = false;
	doca_lock(&ended_lock);
	TAILQ_INSERT_TAIL(&ended, conn, next);
	if (++nb_ended > MAX_ENDED) {
		old = TAILQ_FIRST(&ended);
		TAILQ_REMOVE(&ended, old, next);
		nb_ended--;
	}
	doca_unlock(&ended_lock);
	if (old != NULL) {
		rte_comch_conn_unref(old->rte);
		free(old);
	}
}

void
comch_conns_forget(const struct doca_ctx *ctx)
{
	struct doca_comch_connection *conn;

	doca_lock(&ended_lock);
	TAILQ_FOREACH(conn, &ended, next)
		if (conn->ctx == ctx)
			conn->ctx = NULL;
	doca_unlock(&ended_lock);
}

doca_error_t
doca_comch_connection_set_user_data(struct doca_comch_connection *connection,
		union doca_data user_data)
{
	if (connection == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	connection->user_data = user_data;
	return DOCA_SUCCESS;
}

union doca_data
doca_comch_connection_get_user_data(const struct doca_comch_connection *connection)
{
	static const union doca_data none;

	return connection == NULL ? none : connection->user_data;
}

doca_error_t
doca_comch_connection_update_info(struct doca_comch_connection *connection)
{
	if (connection == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!connection->connected)
		return DOCA_ERROR_CONNECTION_ABORTED;
	return doca_compat_result(rte_comch_conn_stats_get(connection->rte, &connection->stats));
}

doca_error_t
doca_comch_connection_get_counter(const struct doca_comch_connection *connection,
		enum doca_comch_counter counter_type, uint64_t *counter_value)
{
	if (connection == NULL || counter_value == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	switch (counter_type) {
	case DOCA_COMCH_COUNTER_SENT_MESSAGES:
		*counter_value = connection->stats.tx_msgs;
		return DOCA_SUCCESS;
	case DOCA_COMCH_COUNTER_SENT_BYTES:
		*counter_value = connection->stats.tx_bytes;
		return DOCA_SUCCESS;
	case DOCA_COMCH_COUNTER_RECV_MESSAGES:
		*counter_value = connection->stats.rx_msgs;
		return DOCA_SUCCESS;
	case DOCA_COMCH_COUNTER_RECV_BYTES:
		*counter_value = connection->stats.rx_bytes;
		return DOCA_SUCCESS;
	}
	return DOCA_ERROR_INVALID_VALUE;
}
