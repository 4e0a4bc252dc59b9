/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Servers: their connections, and why one cannot start. What they share with clients is in
 * doca_comch_ctrl.c.
 */

#define DOCA_ALLOW_EXPERIMENTAL_API

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <doca_comch_ctrl_private.h>
#include <doca_log.h>
#include <doca_private.h>

/* Lines in a second about clients: a peer that comes and goes does not fill the log. */
#define CLIENT_LINES 16

struct doca_comch_server {
	struct comch_ctrl ctrl; /* first */
	time_t lines_since; /* seconds of a clock that only goes forwards */
	uint32_t nb_lines;  /* since then, about clients */
	uint32_t nb_unsaid; /* those that were too many */
	doca_comch_event_connection_status_changed_cb_t connect_cb;
	doca_comch_event_connection_status_changed_cb_t disconnect_cb;
	struct doca_comch_event_connection_status_changed event;
};

/* As its first field; NULL stays NULL. */
static struct comch_ctrl *
server_ctrl(struct doca_comch_server *server)
{
	return (struct comch_ctrl *)server;
}

static const struct comch_ctrl *
server_ctrl_const(const struct doca_comch_server *server)
{
	return (const struct comch_ctrl *)server;
}

/* Whether there may be one more line about a client now. */
static bool
client_line(struct doca_comch_server *server)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec != server->lines_since) {
		server->lines_since = now.tv_sec;
		server->nb_lines = 0;
		if (server->nb_unsaid != 0)
			DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, COMCH_SOURCE,
				"%u more clients of the server '%s' were refused or lost",
				server->nb_unsaid, server->ctrl.name);
		server->nb_unsaid = 0;
	}
	if (server->nb_lines < CLIENT_LINES) {
		server->nb_lines++;
		return true;
	}
	server->nb_unsaid++;
	return false;
}

static void
server_connected(struct rte_comch_conn *rte, int status, void *user_data)
{
	struct doca_comch_server *server = user_data;
	struct doca_comch_connection *conn;

	(void)status;
	conn = comch_conn_new(&server->ctrl, rte);
	if (conn == NULL) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, COMCH_SOURCE,
			"no memory for a client of the server '%s'", server->ctrl.name);
		rte_comch_server_disconnect(rte);
		return;
	}
	server->connect_cb(&server->event, conn, 1);
}

static void
server_disconnected(struct rte_comch_conn *rte, int status, void *user_data)
{
	struct doca_comch_connection *conn = rte_comch_conn_user_data_get(rte);
	struct doca_comch_server *server = user_data;

	if (conn == NULL)
		return;
	if (status != 0 && status != -ECANCELED && client_line(server))
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, COMCH_SOURCE,
			"a client of the server '%s' was lost (%s)", server->ctrl.name,
			strerror(-status));
	conn->connected = false;
	comch_tasks_unbind(&server->ctrl, conn);
	server->disconnect_cb(&server->event, conn, 1);
	comch_conn_end(conn);
}

/* A client that did not become one: what its user will want to know here. */
static void
server_refused(struct rte_comch_ctx *rte, const struct rte_comch_refusal *refusal,
		void *user_data)
{
	struct doca_comch_server *server = user_data;
	const char *why = strerror(-refusal->reason);

	(void)rte;
	if (!client_line(server))
		return;
	switch (refusal->reason) {
	case -ENOSPC:
		why = "the server has as many clients as it takes, or its progress engine no task left";
		break;
	case -EMSGSIZE:
		why = "max_msg_size differs: set the same on both sides, or on none";
		break;
	case -EPROTONOSUPPORT:
		why = "no protocol version in common: build both programs with the same release";
		break;
	}
	DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, COMCH_SOURCE,
		"%s: a client could not connect to the server '%s': %s",
		doca_compat_rep_name(server->ctrl.rep), server->ctrl.name, why);
}

/* The context of rte_comch, of which the first start makes the one for all. */
static doca_error_t
server_context(struct comch_ctrl *ctrl, const struct rte_comch_server_conf *conf)
{
	struct rte_comch_ctx *rte;
	doca_error_t result;
	uint16_t rep_id;
	int16_t dev_id;
	int ret;

	if (ctrl->ctx.rte != NULL)
		return doca_compat_result(rte_comch_ctx_conf_set(ctrl->ctx.rte,
				&(const union rte_comch_ctx_conf){ .server = *conf }));
	result = doca_compat_rep_dpu_dev(ctrl->rep, &dev_id, &rep_id);
	if (result != DOCA_SUCCESS)
		return result;
	ret = rte_comch_server_create(dev_id, rep_id, conf, &rte);
	if (ret != 0)
		return doca_compat_result(ret);
	ret = rte_comch_ctx_attach(rte, ctrl->ctx.pe->rte);
	if (ret == 0) {
		ctrl->ctx.rte = rte;
		return DOCA_SUCCESS;
	}
	rte_comch_ctx_destroy(rte);
	if (ret != -ENOSPC)
		return doca_compat_result(ret);
	DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, COMCH_SOURCE,
		"%s: no room for the server '%s': use fewer progress engines for servers of this representor, or fewer representors on this engine",
		doca_compat_rep_name(ctrl->rep), ctrl->name);
	return DOCA_ERROR_NO_MEMORY;
}

static doca_error_t
server_prepare(struct doca_ctx *ctx)
{
	struct doca_comch_server *server = (struct doca_comch_server *)ctx;
	struct rte_comch_server_conf conf = {
		.name = server->ctrl.name,
		.connect_cb = server_connected,
		.disconnect_cb = server_disconnected,
		.refused_cb = server_refused,
	};
	doca_error_t result;

	if (server->connect_cb == NULL)
		return comch_ctrl_unset(&server->ctrl,
				"doca_comch_server_event_connection_status_changed_register()");
	result = comch_ctrl_prepare(&server->ctrl, &conf.ctrl);
	return result != DOCA_SUCCESS ? result : server_context(&server->ctrl, &conf);
}

static void
server_explain(struct doca_ctx *ctx, int reason)
{
	const struct doca_comch_server *server = (const struct doca_comch_server *)ctx;

	DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, COMCH_SOURCE,
		"%s: the server '%s' was ended by its device (%s)",
		doca_compat_rep_name(server->ctrl.rep), server->ctrl.name, strerror(-reason));
}

static void
server_stopping(struct doca_ctx *ctx)
{
	comch_tasks_unbind((struct comch_ctrl *)ctx, NULL);
}

static const struct doca_ctx_ops server_ops = {
	.kind = "server",
	.prepare = server_prepare,
	.stopping = server_stopping,
	.explain = server_explain,
};

doca_error_t
doca_comch_server_create(struct doca_dev *dev, struct doca_dev_rep *repr, const char *name,
		struct doca_comch_server **server_out)
{
	struct doca_comch_server *server;
	doca_error_t result;

	if (dev == NULL || repr == NULL || name == NULL || server_out == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	server = calloc(1, sizeof(*server));
	if (server == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = comch_ctrl_init(&server->ctrl, &server_ops, dev, repr, name,
			RTE_COMCH_CAPA_SERVER);
	if (result != DOCA_SUCCESS) {
		free(server);
		return result;
	}
	server->event.ctx = &server->ctrl.ctx;
	*server_out = server;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_server_set_max_msg_size(struct doca_comch_server *server, uint32_t max_msg_size)
{
	return comch_ctrl_msg_size_set(server_ctrl(server), max_msg_size);
}

doca_error_t
doca_comch_server_get_max_msg_size(const struct doca_comch_server *server, uint32_t *max_msg_size)
{
	return comch_ctrl_msg_size_get(server_ctrl_const(server), max_msg_size);
}

doca_error_t
doca_comch_server_set_recv_queue_size(struct doca_comch_server *server,
		uint32_t recv_queue_size)
{
	return comch_ctrl_queue_size_set(server_ctrl(server), recv_queue_size);
}

doca_error_t
doca_comch_server_get_recv_queue_size(const struct doca_comch_server *server,
		uint32_t *recv_queue_size)
{
	return comch_ctrl_queue_size_get(server_ctrl_const(server), recv_queue_size);
}

doca_error_t
doca_comch_server_get_device(const struct doca_comch_server *server, struct doca_dev **dev)
{
	return comch_ctrl_dev_get(server_ctrl_const(server), dev);
}

struct doca_ctx *
doca_comch_server_as_ctx(struct doca_comch_server *server)
{
	return server == NULL ? NULL : &server->ctrl.ctx;
}

doca_error_t
doca_comch_server_task_send_set_conf(struct doca_comch_server *server,
		doca_comch_task_send_completion_cb_t task_completion_cb,
		doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks)
{
	return comch_ctrl_tasks_set(server_ctrl(server), task_completion_cb, task_error_cb,
			num_send_tasks);
}

doca_error_t
doca_comch_server_task_send_alloc_init(struct doca_comch_server *server,
		struct doca_comch_connection *connection, const void *msg, uint32_t len,
		struct doca_comch_task_send **task)
{
	return comch_task_alloc(server_ctrl(server), connection, msg, len, task);
}

doca_error_t
doca_comch_server_event_msg_recv_register(struct doca_comch_server *server,
		doca_comch_event_msg_recv_cb_t recv_event_cb)
{
	return comch_ctrl_recv_set(server_ctrl(server), recv_event_cb);
}

doca_error_t
doca_comch_server_event_consumer_register(struct doca_comch_server *server,
		doca_comch_event_consumer_cb_t new_consumer_event_cb,
		doca_comch_event_consumer_cb_t expired_consumer_event_cb)
{
	return comch_ctrl_consumer_set(server_ctrl(server), new_consumer_event_cb,
			expired_consumer_event_cb);
}

struct doca_comch_server *
doca_comch_server_get_server_ctx(const struct doca_comch_connection *connection)
{
	if (connection == NULL || !connection->server)
		return NULL;
	return (struct doca_comch_server *)connection->ctx;
}

doca_error_t
doca_comch_server_destroy(struct doca_comch_server *server)
{
	doca_error_t result;

	if (server == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = comch_ctrl_end(&server->ctrl);
	if (result == DOCA_SUCCESS)
		free(server);
	return result;
}

doca_error_t
doca_comch_server_get_device_rep(const struct doca_comch_server *server,
		struct doca_dev_rep **rep)
{
	if (server == NULL || rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*rep = server->ctrl.rep;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_server_get_device_repr(const struct doca_comch_server *server,
		struct doca_dev_rep **rep)
{
	return doca_comch_server_get_device_rep(server, rep);
}

doca_error_t
doca_comch_server_event_connection_status_changed_register(struct doca_comch_server *server,
		doca_comch_event_connection_status_changed_cb_t connect_event_cb,
		doca_comch_event_connection_status_changed_cb_t disconnect_event_cb)
{
	if (server == NULL || connect_event_cb == NULL || disconnect_event_cb == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (server->ctrl.ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	server->connect_cb = connect_event_cb;
	server->disconnect_cb = disconnect_event_cb;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_server_event_connection_register(struct doca_comch_server *server,
		doca_comch_event_connection_status_changed_cb_t connect_event_cb,
		doca_comch_event_connection_status_changed_cb_t disconnect_event_cb)
{
	return doca_comch_server_event_connection_status_changed_register(server,
			connect_event_cb, disconnect_event_cb);
}

doca_error_t
doca_comch_server_disconnect(struct doca_comch_server *server,
		struct doca_comch_connection *connection)
{
	int ret;

	if (server == NULL || connection == NULL || connection->ctx != &server->ctrl.ctx)
		return DOCA_ERROR_INVALID_VALUE;
	if (!connection->connected)
		return DOCA_ERROR_NOT_CONNECTED;
	ret = rte_comch_server_disconnect(connection->rte);
	if (ret == -EALREADY)
		return DOCA_ERROR_NOT_CONNECTED;
	if (ret == -EBUSY) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, COMCH_SOURCE,
			"a client of the server '%s' cannot be disconnected: stop and destroy the producers and consumers on its connection first",
			server->ctrl.name);
		return DOCA_ERROR_IN_USE;
	}
	return doca_compat_result(ret);
}
