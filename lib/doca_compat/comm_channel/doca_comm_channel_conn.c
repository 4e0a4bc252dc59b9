/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * How an endpoint becomes a service or a client, how its connections come and go, and how
 * it becomes neither again. Nothing about messages.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>
#include <rte_memory.h>

#include <doca_comm_channel_private.h>

static doca_error_t
name_check(const char *name)
{
	size_t len = strnlen(name, RTE_COMCH_NAME_SIZE);

	if (len > 0 && len < RTE_COMCH_NAME_SIZE)
		return DOCA_SUCCESS;
	CC_LOG(ERROR, "the name of a service has 1 to %u bytes, see doca_comm_channel_get_max_service_name_len()",
		RTE_COMCH_NAME_SIZE - 1);
	return DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t
start_result(int ret)
{
	switch (ret) {
	case 0:
	case -EINPROGRESS:
		return DOCA_SUCCESS;
	case -EINVAL:
	case -ENAMETOOLONG:
		return DOCA_ERROR_INVALID_VALUE;
	case -ENOTSUP:
	case -EPERM:
		return DOCA_ERROR_NOT_SUPPORTED;
	case -EEXIST:
		return DOCA_ERROR_CONNECTION_ABORTED;
	case -ENOMEM:
	case -ENOSPC:
	case -EMFILE:
		return DOCA_ERROR_NO_MEMORY;
	case -ENODEV:
	case -EIO:
	case -ETIMEDOUT:
		return DOCA_ERROR_DRIVER;
	default:
		return DOCA_ERROR_INITIALIZATION;
	}
}

/*
 * Both sides ask for the same size, whatever their programs have set: the queues are
 * this layer's, and what a program sends is checked against what it has set.
 */
static void
ctrl_conf(struct doca_comm_channel_ep_t *ep, const struct cc_limits *limits, uint32_t nb_tasks,
		rte_comch_state_cb_t state_cb, struct rte_comch_ctrl_conf *conf)
{
	conf->max_msg_size = limits->msg_size;
	conf->recv_queue_size = RTE_MAX(CC_RING_BYTES / limits->msg_size, 1u);
	conf->nb_tasks = nb_tasks;
	conf->max_conn_tasks = ep->send_queue;
	conf->state_cb = state_cb;
	conf->send_cb = cc_send_cb;
	conf->recv_cb = cc_recv_cb;
	conf->user_data = ep;
}

/* What both a service and a client need before there is a context. */
static doca_error_t
engine_create(struct doca_comm_channel_ep_t *ep, uint32_t nb_tasks, uint32_t nb_conns,
		uint32_t nb_peers)
{
	const struct rte_comch_pe_conf conf = {
		.socket_id = SOCKET_ID_ANY,
		.max_tasks = nb_tasks + nb_conns,
	};
	doca_error_t result;
	int ret;

	result = cc_peers_create(ep, nb_peers);
	if (result == DOCA_SUCCESS)
		result = cc_queues_create(ep, nb_tasks);
	if (result != DOCA_SUCCESS)
		return result;
	ret = rte_comch_pe_create(&conf, &ep->pe);
	if (ret != 0) {
		CC_LOG(ERROR, "no engine for '%s': %s; give EAL more memory, or raise ulimit -n",
			ep->name, strerror(-ret));
		return start_result(ret);
	}
	cc_channels_engine(ep);
	return DOCA_SUCCESS;
}

/* Turn until the context is IDLE. */
static int
ctx_end(struct doca_comm_channel_ep_t *ep)
{
	uint64_t since = cc_now_ms();
	int state = rte_comch_ctx_state_get(ep->ctx);

	if (state == RTE_COMCH_STATE_STARTING || state == RTE_COMCH_STATE_RUNNING)
		rte_comch_ctx_stop(ep->ctx);
	while (rte_comch_ctx_state_get(ep->ctx) != RTE_COMCH_STATE_IDLE) {
		if (cc_now_ms() - since >= CC_END_MS)
			return -ETIMEDOUT;
		if (rte_comch_pe_progress(ep->pe) == 0)
			cc_pause();
	}
	return 0;
}

/* What cannot end stays in memory: a driver may still write there. */
void
cc_close(struct doca_comm_channel_ep_t *ep)
{
	bool ended = ep->ctx == NULL || ctx_end(ep) == 0;

	if (ended) {
		rte_comch_ctx_destroy(ep->ctx);
		ended = rte_comch_pe_destroy(ep->pe) == 0;
	}
	if (!ended) {
		CC_LOG(ERROR, "the device does not let go of '%s': its memory is lost", ep->name);
		ep->tx = (struct cc_tx){0};
		ep->peers = NULL;
		ep->nb_peers = 0;
	}
	ep->nb_in_flight = 0;
	ep->asleep = false;
	ep->ctx = NULL;
	ep->pe = NULL;
	service_listener_close(ep->listener);
	ep->listener = NULL;
	if (ep->role != CC_ROLE_NONE)
		doca_compat_dev_release(ep->dev,
			ep->role == CC_ROLE_SERVICE ? ep->rep : NULL);
	ep->role = CC_ROLE_NONE;
}

static void
service_connect_cb(struct rte_comch_conn *conn, int status __rte_unused, void *user_data)
{
	struct doca_comm_channel_ep_t *ep = user_data;
	struct doca_comm_channel_addr_t *peer = cc_peer_new(ep, CC_PEER_PENDING);

	if (peer == NULL) {
		CC_LOG(WARNING, "no memory for a client of '%s': disconnect peers that have ended",
			ep->name);
		rte_comch_server_disconnect(conn);
		return;
	}
	peer->conn = conn;
	rte_comch_conn_user_data_set(conn, peer);
	if (ep->rx.held)
		rte_comch_conn_recv_hold_set(conn, true);
	cc_event(ep, CC_CHANNEL_SERVICE);
}

static void
service_disconnect_cb(struct rte_comch_conn *conn, int status __rte_unused, void *user_data)
{
	struct doca_comm_channel_addr_t *peer = rte_comch_conn_user_data_get(conn);
	struct doca_comm_channel_ep_t *ep = user_data;

	if (peer == NULL)
		return;
	cc_peer_end(peer, CC_PEER_ENDED);
	cc_event(ep, CC_CHANNEL_SERVICE);
}

static void
service_state_cb(struct rte_comch_ctx *ctx, enum rte_comch_state prev __rte_unused,
		enum rte_comch_state next, void *user_data)
{
	struct doca_comm_channel_ep_t *ep = user_data;

	if ((next != RTE_COMCH_STATE_STOPPING && next != RTE_COMCH_STATE_IDLE) ||
			rte_comch_ctx_reason_get(ctx) == 0 || ep->failed)
		return;
	CC_LOG(ERROR, "service '%s' on %s has failed: %s; destroy its endpoint", ep->name,
		doca_compat_rep_name(ep->rep), strerror(-rte_comch_ctx_reason_get(ctx)));
	ep->failed = true;
	cc_event(ep, CC_CHANNEL_SERVICE);
}

static doca_error_t
service_start(struct doca_comm_channel_ep_t *ep, const struct cc_limits *limits, uint16_t rep_id)
{
	/* the queue is that of one connection: peers that do not read leave room for others */
	uint32_t nb_tasks = RTE_MIN(64u * ep->send_queue, limits->send_queue);
	struct rte_comch_server_conf conf = {
		.name = ep->name,
		.connect_cb = service_connect_cb,
		.disconnect_cb = service_disconnect_cb,
	};
	doca_error_t result;
	int ret;

	ctrl_conf(ep, limits, nb_tasks, service_state_cb, &conf.ctrl);
	result = engine_create(ep, nb_tasks, limits->nb_conns, 2 * limits->nb_conns);
	if (result != DOCA_SUCCESS)
		return result;
	ret = rte_comch_server_create(ep->dev_id, rep_id, &conf, &ep->ctx);
	if (ret == 0)
		ret = rte_comch_ctx_attach(ep->ctx, ep->pe);
	if (ret == 0)
		ret = rte_comch_ctx_start(ep->ctx);
	if (ret == -EEXIST)
		CC_LOG(ERROR, "there is a service '%s' on %s already: end it, or take another name or representor",
			ep->name, doca_compat_rep_name(ep->rep));
	else if (ret != 0)
		CC_LOG(ERROR, "service '%s' on %s does not start: %s", ep->name,
			doca_compat_rep_name(ep->rep), strerror(-ret));
	if (ret == 0)
		return service_listener_open(ep->dev_id, &ep->listener);
	return start_result(ret);
}

static doca_error_t
listen_locked(struct doca_comm_channel_ep_t *ep, const char *name)
{
	struct cc_limits limits;
	doca_error_t result;
	uint16_t rep_id;

	if (ep->role != CC_ROLE_NONE)
		return DOCA_ERROR_NOT_PERMITTED;
	if (ep->dev == NULL || ep->rep == NULL) {
		CC_LOG(ERROR, "a service needs a device and a representor: call doca_comm_channel_ep_set_device() and _set_device_rep()");
		return DOCA_ERROR_BAD_STATE;
	}
	result = cc_limits_get(ep, &limits);
	if (result != DOCA_SUCCESS)
		return result;
	if (!limits.serves) {
		CC_LOG(ERROR, "device %s has no services: give the service a device of the card",
			doca_compat_dev_name(ep->dev));
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	result = doca_compat_rep_dpu_dev(ep->rep, &ep->dev_id, &rep_id);
	if (result == DOCA_ERROR_IN_USE)
		return DOCA_ERROR_CONNECTION_ABORTED;
	if (result != DOCA_SUCCESS)
		return result;
	snprintf(ep->name, sizeof(ep->name), "%s", name);
	ep->failed = false;
	result = service_start(ep, &limits, rep_id);
	if (result != DOCA_SUCCESS) {
		cc_close(ep);
		return result;
	}
	ep->role = CC_ROLE_SERVICE;
	doca_compat_dev_hold(ep->dev, ep->rep);
	return DOCA_SUCCESS;
}

doca_error_t
doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *ep, const char *name)
{
	doca_error_t result;

	if (ep == NULL || name == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = name_check(name);
	if (result != DOCA_SUCCESS)
		return result;
	doca_lock(&ep->lock);
	result = listen_locked(ep, name);
	doca_unlock(&ep->lock);
	return result;
}

/* Why a client is not connected, and what to do. */
static void
client_explain(const struct doca_comm_channel_ep_t *ep, int reason)
{
	const char *dev = doca_compat_dev_name(ep->dev);

	switch (reason) {
	case -ENOENT:
		CC_LOG(ERROR, "no service '%s' for %s: start it first, with this name and the representor of this device",
			ep->name, dev);
		break;
	case -ETIMEDOUT:
		CC_LOG(ERROR, "nobody serves %s, so there is no '%s': start the service first, with the representor of this device and the same DOCA_COMPAT_ variables",
			dev, ep->name);
		break;
	case -ENOSPC:
		CC_LOG(ERROR, "service '%s' for %s has as many clients as it takes: end one",
			ep->name, dev);
		break;
	case -EACCES:
		CC_LOG(ERROR, "who serves %s does not let this user in: run both as one user",
			dev);
		break;
	case -EMSGSIZE:
		CC_LOG(ERROR, "'%s' for %s is no endpoint of this interface: its messages have another size",
			ep->name, dev);
		break;
	default:
		CC_LOG(ERROR, "'%s' for %s has not connected: %s", ep->name, dev,
			strerror(-reason));
		break;
	}
}

static void
client_up(struct doca_comm_channel_ep_t *ep, struct rte_comch_ctx *ctx)
{
	struct doca_comm_channel_addr_t *peer = ep->client;
	struct rte_comch_ctx_info info;

	if (rte_comch_ctx_info_get(ctx, &info) != 0 || info.conn == NULL)
		return;
	peer->conn = info.conn;
	rte_comch_conn_user_data_set(peer->conn, peer);
	cc_peer_up(peer);
}

static void
client_state_cb(struct rte_comch_ctx *ctx, enum rte_comch_state prev __rte_unused,
		enum rte_comch_state next, void *user_data)
{
	struct doca_comm_channel_ep_t *ep = user_data;
	struct doca_comm_channel_addr_t *peer = ep->client;
	int reason = rte_comch_ctx_reason_get(ctx);

	if (next == RTE_COMCH_STATE_RUNNING)
		client_up(ep, ctx);
	if (next != RTE_COMCH_STATE_STOPPING && next != RTE_COMCH_STATE_IDLE)
		return;
	if (peer->state == CC_PEER_UP) {
		cc_peer_end(peer, CC_PEER_ENDED);
	} else if (peer->state == CC_PEER_CONNECTING) {
		cc_peer_end(peer, CC_PEER_OVER);
		if (reason != 0)
			client_explain(ep, reason);
	}
}

static bool
client_has_link(const struct doca_comm_channel_ep_t *ep)
{
	struct rte_comch_dev_info info;

	return rte_comch_dev_info_get(ep->dev_id, &info) == 0 && info.link_up;
}

/* A service that is there may take its time: only one that is not ends an attempt. */
void
cc_client_look(struct doca_comm_channel_ep_t *ep)
{
	uint64_t now = cc_now_ms();

	if (client_has_link(ep)) {
		ep->link_ms = now;
	} else if (now - ep->link_ms >= CC_LINK_MS) {
		client_explain(ep, -ETIMEDOUT);
		rte_comch_ctx_stop(ep->ctx);
	}
}

/* A device takes few engines: then take another one of the function. */
static doca_error_t
client_create(struct doca_comm_channel_ep_t *ep, const struct rte_comch_client_conf *conf)
{
	struct doca_compat_func *func = doca_compat_dev_func(ep->dev);
	doca_error_t result;
	unsigned int nth;
	int ret = -ENOSPC;

	for (nth = 0; ret == -ENOSPC && nth < RTE_COMCH_MAX_DEVS; nth++) {
		result = doca_compat_func_host_dev(func, nth, &ep->dev_id);
		if (result != DOCA_SUCCESS)
			return result;
		ret = rte_comch_client_create(ep->dev_id, conf, &ep->ctx);
		if (ret != 0)
			break;
		ret = rte_comch_ctx_attach(ep->ctx, ep->pe);
		if (ret == 0)
			ret = rte_comch_ctx_start(ep->ctx);
		if (ret == -ENOSPC) {
			rte_comch_ctx_destroy(ep->ctx);
			ep->ctx = NULL;
		}
	}
	result = start_result(ret);
	if (result != DOCA_SUCCESS)
		CC_LOG(ERROR, "no connection from %s to '%s': %s", doca_compat_dev_name(ep->dev),
			ep->name, strerror(-ret));
	return result;
}

static doca_error_t
client_start(struct doca_comm_channel_ep_t *ep, const struct cc_limits *limits)
{
	struct rte_comch_client_conf conf = {
		.name = ep->name,
		.connect_timeout_ms = RTE_COMCH_TIMEOUT_NEVER,
	};
	doca_error_t result;

	ctrl_conf(ep, limits, ep->send_queue, client_state_cb, &conf.ctrl);
	result = engine_create(ep, ep->send_queue, 1, CC_CLIENT_PEERS);
	if (result != DOCA_SUCCESS)
		return result;
	ep->client = cc_peer_new(ep, CC_PEER_CONNECTING);
	if (ep->client == NULL)
		return DOCA_ERROR_NO_MEMORY;
	ep->client->shown = true;
	return client_create(ep, &conf);
}

/* A refusal comes at once where somebody serves the function; so does the want of one. */
static doca_error_t
client_wait(struct doca_comm_channel_ep_t *ep)
{
	uint64_t link_ms = 0;

	ep->link_ms = cc_now_ms();
	while (ep->client->state == CC_PEER_CONNECTING) {
		if (cc_turn(ep) != 0)
			continue;
		cc_client_look(ep);
		if (link_ms == 0 && client_has_link(ep))
			link_ms = cc_now_ms();
		if (link_ms != 0 && cc_now_ms() - link_ms >= CC_ANSWER_MS)
			break;
		cc_pause();
	}
	return ep->client->state == CC_PEER_OVER ? DOCA_ERROR_CONNECTION_ABORTED : DOCA_SUCCESS;
}

static doca_error_t
connect_locked(struct doca_comm_channel_ep_t *ep, const char *name)
{
	struct cc_limits limits;
	doca_error_t result;

	/* a client whose connection is over may try anew without disconnecting */
	if (ep->role == CC_ROLE_CLIENT && ep->client->state == CC_PEER_OVER &&
			!ep->client->closing)
		cc_close(ep);
	if (ep->role != CC_ROLE_NONE)
		return DOCA_ERROR_NOT_PERMITTED;
	if (ep->dev == NULL) {
		CC_LOG(ERROR, "a client needs a device: call doca_comm_channel_ep_set_device()");
		return DOCA_ERROR_BAD_STATE;
	}
	result = cc_limits_get(ep, &limits);
	if (result != DOCA_SUCCESS)
		return result;
	snprintf(ep->name, sizeof(ep->name), "%s", name);
	ep->failed = false;
	ep->client = NULL;
	doca_compat_dev_hold(ep->dev, NULL);
	ep->role = CC_ROLE_CLIENT;
	result = client_start(ep, &limits);
	if (result == DOCA_SUCCESS)
		result = client_wait(ep);
	if (result == DOCA_SUCCESS)
		return result;
	cc_close(ep);
	if (ep->client != NULL)
		cc_peer_free(ep->client);
	return result;
}

doca_error_t
doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *ep, const char *name,
		struct doca_comm_channel_addr_t **peer_addr)
{
	doca_error_t result;

	if (ep == NULL || name == NULL || peer_addr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = name_check(name);
	if (result != DOCA_SUCCESS)
		return result;
	doca_lock(&ep->lock);
	result = connect_locked(ep, name);
	if (result == DOCA_SUCCESS)
		*peer_addr = ep->client;
	doca_unlock(&ep->lock);
	return result;
}

/* The end of a service's connection comes in a turn. */
static void
service_disconnect(struct doca_comm_channel_ep_t *ep, struct doca_comm_channel_addr_t *peer)
{
	uint64_t since = cc_now_ms();

	if (peer->conn != NULL)
		rte_comch_server_disconnect(peer->conn);
	while (peer->conn != NULL && cc_now_ms() - since < CC_END_MS)
		if (cc_turn(ep) == 0)
			cc_pause();
	if (peer->conn != NULL) {
		CC_LOG(ERROR, "the device does not let go of a connection of '%s'", ep->name);
		rte_comch_conn_user_data_set(peer->conn, NULL);
	}
}

doca_error_t
doca_comm_channel_ep_disconnect(struct doca_comm_channel_ep_t *ep,
		struct doca_comm_channel_addr_t *peer)
{
	doca_error_t result = DOCA_ERROR_NOT_CONNECTED;

	if (ep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_lock(&ep->lock);
	if (!cc_peer_is_of(ep, peer) || peer->closing)
		goto end;
	peer->closing = true;
	if (peer->state == CC_PEER_UP)
		cc_flush(ep, peer);
	if (ep->role == CC_ROLE_SERVICE)
		service_disconnect(ep, peer);
	else if (peer == ep->client)
		cc_close(ep);
	cc_peer_free(peer);
	result = DOCA_SUCCESS;
end:
	doca_unlock(&ep->lock);
	return result;
}
