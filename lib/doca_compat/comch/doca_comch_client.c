/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Clients: their connection, and why one falls to IDLE. What they share with servers is in
 * doca_comch_ctrl.c.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <doca_comch_ctrl_private.h>
#include <doca_log.h>
#include <doca_private.h>

struct doca_comch_client {
	struct comch_ctrl ctrl; /* first */
	struct doca_comch_connection *conn; /* NULL while there is none */
};

/* As its first field; NULL stays NULL. */
static struct comch_ctrl *
client_ctrl(struct doca_comch_client *client)
{
	return (struct comch_ctrl *)client;
}

static const struct comch_ctrl *
client_ctrl_const(const struct doca_comch_client *client)
{
	return (const struct comch_ctrl *)client;
}

static void
client_running(struct doca_ctx *ctx)
{
	struct doca_comch_client *client = (struct doca_comch_client *)ctx;
	struct rte_comch_ctx_info info;

	if (rte_comch_ctx_info_get(ctx->rte, &info) == 0 && info.conn != NULL)
		client->conn = comch_conn_new(&client->ctrl, info.conn);
	if (client->conn == NULL) /* the program does not find it */
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, COMCH_SOURCE,
			"no memory for the connection of the client to '%s'", client->ctrl.name);
}

static void
client_stopping(struct doca_ctx *ctx)
{
	comch_tasks_unbind((struct comch_ctrl *)ctx, NULL);
}

static void
client_idle(struct doca_ctx *ctx)
{
	struct doca_comch_client *client = (struct doca_comch_client *)ctx;

	if (client->conn != NULL)
		comch_conn_end(client->conn);
	client->conn = NULL;
}

/* What a person can do about it, for each reason there is. */
static const char *
client_remedy(int reason)
{
	switch (reason) {
	case -ENOENT:
		return "no server of this name serves this function: start the server first, with this name and the representor of this device";
	case -ETIMEDOUT:
		return "nobody answered in time: start the server first, with this name, the representor of this device and the same DOCA_COMPAT_ variables, and let it progress; DOCA_COMPAT_CONNECT_TIMEOUT_MS says how long a client tries";
	case -ECONNREFUSED:
		return "the server is stopping or refused this client: start it again, or see its log";
	case -ENOSPC:
		return "the server has as many clients as it takes, or its progress engine no task left: end other clients first";
	case -EMSGSIZE:
		return "max_msg_size differs: set the same on both sides, or on none";
	case -EPROTONOSUPPORT:
		return "no protocol version in common: build both programs with the same release";
	case -EACCES:
		return "the server's side does not let this user in: run both programs as one user";
	case -EUSERS:
		return "the server's side has as many processes or connections as it takes: end other clients first";
	case -ENOMEM:
		return "no memory for the connection, here or at the server";
	case -ENODEV:
	case -EIO:
		return "the device is gone or broken";
	case -ECONNRESET:
		return "the server died";
	case -EPROTO:
		return "the server broke the protocol";
	default:
		return "the connection ended";
	}
}

static void
client_explain(struct doca_ctx *ctx, int reason)
{
	const struct doca_comch_client *client = (const struct doca_comch_client *)ctx;
	const char *remedy = client_remedy(reason);

	if (reason == -ETIMEDOUT && client->conn != NULL)
		remedy = "the server did not answer in time: is it stopped, or does nobody progress it?";
	if (reason == -ESHUTDOWN) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_INFO, COMCH_SOURCE,
			"%s: the server '%s' has disconnected this client, or was stopped",
			doca_compat_dev_name(client->ctrl.dev), client->ctrl.name);
		return;
	}
	DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, COMCH_SOURCE,
		"%s: client of the server '%s': %s", doca_compat_dev_name(client->ctrl.dev),
		client->ctrl.name, remedy);
}

/* Create it on one device of rte_comch that has room for its engine. */
static int
client_attach(struct comch_ctrl *ctrl, const struct rte_comch_client_conf *conf, int16_t dev_id)
{
	struct rte_comch_ctx *rte;
	int ret;

	ret = rte_comch_client_create(dev_id, conf, &rte);
	if (ret != 0)
		return ret;
	ret = rte_comch_ctx_attach(rte, ctrl->ctx.pe->rte);
	if (ret == 0)
		ctrl->ctx.rte = rte;
	else
		rte_comch_ctx_destroy(rte);
	return ret;
}

/* The context of rte_comch, of which the first start makes the one for all. */
static doca_error_t
client_context(struct comch_ctrl *ctrl, const struct rte_comch_client_conf *conf)
{
	struct rte_comch_pe_info pe_info;
	doca_error_t result;
	unsigned int nth;
	int16_t dev_id;
	int ret;

	if (ctrl->ctx.rte != NULL)
		return doca_compat_result(rte_comch_ctx_conf_set(ctrl->ctx.rte,
				&(const union rte_comch_ctx_conf){ .client = *conf }));
	for (nth = 0; nth < RTE_COMCH_MAX_DEVS; nth++) {
		result = doca_compat_func_host_dev(ctrl->ctx.func, nth, &dev_id);
		if (result != DOCA_SUCCESS)
			return result;
		ret = client_attach(ctrl, conf, dev_id);
		if (ret != -ENOSPC)
			return doca_compat_result(ret);
		/* not the device: this engine is full */
		if (rte_comch_pe_info_get(ctrl->ctx.pe->rte, &pe_info) == 0 &&
				pe_info.nb_devs == pe_info.max_devs)
			break;
	}
	DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, COMCH_SOURCE,
		"%s: no room for a client on its progress engine: use another engine",
		doca_compat_dev_name(ctrl->dev));
	return DOCA_ERROR_NO_MEMORY;
}

static doca_error_t
client_prepare(struct doca_ctx *ctx)
{
	struct comch_ctrl *ctrl = (struct comch_ctrl *)ctx;
	struct rte_comch_client_conf conf = {
		.name = ctrl->name,
		.connect_timeout_ms = doca_compat_connect_timeout_ms(),
	};
	doca_error_t result = comch_ctrl_prepare(ctrl, &conf.ctrl);

	return result != DOCA_SUCCESS ? result : client_context(ctrl, &conf);
}

static const struct doca_ctx_ops client_ops = {
	.kind = "client",
	.prepare = client_prepare,
	.running = client_running,
	.stopping = client_stopping,
	.idle = client_idle,
	.explain = client_explain,
};

doca_error_t
doca_comch_client_create(struct doca_dev *dev, const char *name,
		struct doca_comch_client **client_out)
{
	struct doca_comch_client *client;
	doca_error_t result;

	if (dev == NULL || name == NULL || client_out == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	client = calloc(1, sizeof(*client));
	if (client == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = comch_ctrl_init(&client->ctrl, &client_ops, dev, NULL, name,
			RTE_COMCH_CAPA_CLIENT);
	if (result != DOCA_SUCCESS) {
		free(client);
		return result;
	}
	*client_out = client;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_client_set_max_msg_size(struct doca_comch_client *client, uint32_t max_msg_size)
{
	return comch_ctrl_msg_size_set(client_ctrl(client), max_msg_size);
}

doca_error_t
doca_comch_client_get_max_msg_size(const struct doca_comch_client *client, uint32_t *max_msg_size)
{
	return comch_ctrl_msg_size_get(client_ctrl_const(client), max_msg_size);
}

doca_error_t
doca_comch_client_set_recv_queue_size(struct doca_comch_client *client,
		uint32_t recv_queue_size)
{
	return comch_ctrl_queue_size_set(client_ctrl(client), recv_queue_size);
}

doca_error_t
doca_comch_client_get_recv_queue_size(const struct doca_comch_client *client,
		uint32_t *recv_queue_size)
{
	return comch_ctrl_queue_size_get(client_ctrl_const(client), recv_queue_size);
}

doca_error_t
doca_comch_client_get_device(const struct doca_comch_client *client, struct doca_dev **dev)
{
	return comch_ctrl_dev_get(client_ctrl_const(client), dev);
}

struct doca_ctx *
doca_comch_client_as_ctx(struct doca_comch_client *client)
{
	return client == NULL ? NULL : &client->ctrl.ctx;
}

doca_error_t
doca_comch_client_task_send_set_conf(struct doca_comch_client *client,
		doca_comch_task_send_completion_cb_t task_completion_cb,
		doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks)
{
	return comch_ctrl_tasks_set(client_ctrl(client), task_completion_cb, task_error_cb,
			num_send_tasks);
}

doca_error_t
doca_comch_client_task_send_alloc_init(struct doca_comch_client *client,
		struct doca_comch_connection *connection, const void *msg, uint32_t len,
		struct doca_comch_task_send **task)
{
	return comch_task_alloc(client_ctrl(client), connection, msg, len, task);
}

doca_error_t
doca_comch_client_event_msg_recv_register(struct doca_comch_client *client,
		doca_comch_event_msg_recv_cb_t recv_event_cb)
{
	return comch_ctrl_recv_set(client_ctrl(client), recv_event_cb);
}

doca_error_t
doca_comch_client_event_consumer_register(struct doca_comch_client *client,
		doca_comch_event_consumer_cb_t new_consumer_event_cb,
		doca_comch_event_consumer_cb_t expired_consumer_event_cb)
{
	return comch_ctrl_consumer_set(client_ctrl(client), new_consumer_event_cb,
			expired_consumer_event_cb);
}

struct doca_comch_client *
doca_comch_client_get_client_ctx(const struct doca_comch_connection *connection)
{
	if (connection == NULL || connection->server)
		return NULL;
	return (struct doca_comch_client *)connection->ctx;
}

doca_error_t
doca_comch_client_destroy(struct doca_comch_client *client)
{
	doca_error_t result;

	if (client == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = comch_ctrl_end(&client->ctrl);
	if (result == DOCA_SUCCESS)
		free(client);
	return result;
}

doca_error_t
doca_comch_client_get_connection(const struct doca_comch_client *client,
		struct doca_comch_connection **connection)
{
	if (client == NULL || connection == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (client->conn == NULL)
		return DOCA_ERROR_BAD_STATE;
	*connection = client->conn;
	return DOCA_SUCCESS;
}
