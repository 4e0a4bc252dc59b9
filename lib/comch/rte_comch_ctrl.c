/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Servers and clients: how they are made, how they start, and how they end. Their
 * connections are in rte_comch_conn.c.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>

#include "comch_private.h"

/* Device, role, name and the part that servers and clients share. */
static int
ctrl_conf_check(const struct rte_comch_dev *dev, enum rte_comch_role role, const char *name,
		const struct rte_comch_ctrl_conf *conf)
{
	const struct rte_comch_dev_info *info = &dev->info;

	if ((info->capa & (RTE_COMCH_CAPA_SERVER | RTE_COMCH_CAPA_CLIENT)) == 0) {
		COMCH_LOG(ERR, "%s: has neither servers nor clients: its arguments name nobody to talk to, or its driver has none",
			dev->data->name);
		return -ENOTSUP;
	}
	if (dev->data->role != role) {
		COMCH_LOG(ERR, "%s: its role is %s; servers need a device of role dpu, clients one of role host",
			dev->data->name, dev->data->role == RTE_COMCH_ROLE_DPU ? "dpu" : "host");
		return -EPERM;
	}
	if (name == NULL || name[0] == '\0') {
		COMCH_LOG(ERR, "%s: the server name is empty", dev->data->name);
		return -EINVAL;
	}
	if (strnlen(name, info->max_name_len) == info->max_name_len) {
		COMCH_LOG(ERR, "%s: the server name has more than %u bytes", dev->data->name,
			info->max_name_len - 1);
		return -ENAMETOOLONG;
	}
	if (conf->flags != 0) {
		COMCH_LOG(ERR, "%s: unknown flags 0x%x for '%s', set them to 0", dev->data->name,
			conf->flags, name);
		return -EINVAL;
	}
	if (conf->send_cb == NULL) {
		COMCH_LOG(ERR, "%s: '%s' has no send_cb, give one", dev->data->name, name);
		return -EINVAL;
	}
	if ((conf->consumer_new_cb == NULL) != (conf->consumer_gone_cb == NULL)) {
		COMCH_LOG(ERR, "%s: '%s' has one consumer callback, give both or none",
			dev->data->name, name);
		return -EINVAL;
	}
	if (conf->max_msg_size > info->max_msg_size) {
		COMCH_LOG(ERR, "%s: max_msg_size %u of '%s' is above that of the device, %u",
			dev->data->name, conf->max_msg_size, name, info->max_msg_size);
		return -EINVAL;
	}
	if (conf->recv_queue_size > info->max_recv_queue_size) {
		COMCH_LOG(ERR, "%s: recv_queue_size %u of '%s' is above the max_recv_queue_size of the device, %u",
			dev->data->name, conf->recv_queue_size, name, info->max_recv_queue_size);
		return -EINVAL;
	}
	if (conf->nb_tasks > info->max_ctrl_tasks) {
		COMCH_LOG(ERR, "%s: nb_tasks %u of '%s' is above the max_ctrl_tasks of the device, %u",
			dev->data->name, conf->nb_tasks, name, info->max_ctrl_tasks);
		return -EINVAL;
	}
	if (conf->max_conn_tasks > info->max_ctrl_tasks) {
		COMCH_LOG(ERR, "%s: max_conn_tasks %u of '%s' is above the max_ctrl_tasks of the device, %u",
			dev->data->name, conf->max_conn_tasks, name, info->max_ctrl_tasks);
		return -EINVAL;
	}
	return comch_recv_conf_check(dev, name, conf);
}

/* Those that servers and clients share, and those of the one kind. */
static int
ctrl_reserved_check(const struct rte_comch_dev *dev, const char *name,
		const struct rte_comch_ctrl_conf *conf, const uint64_t *words, uint32_t nb)
{
	if (comch_reserved_is_zero(conf->reserved, RTE_DIM(conf->reserved)) &&
			comch_reserved_is_zero(words, nb))
		return 0;
	COMCH_LOG(ERR, "%s: a reserved field of the configuration of '%s' is not 0, clear the whole of it",
		dev->data->name, name);
	return -EINVAL;
}

static struct comch_ctrl *
ctrl_alloc(struct rte_comch_dev *dev, const struct comch_kind *kind)
{
	/* two contexts of two lcores must not share a line */
	struct comch_ctrl *ctrl = aligned_alloc(__alignof__(*ctrl), sizeof(*ctrl));

	if (ctrl == NULL)
		return NULL;
	memset(ctrl, 0, sizeof(*ctrl));
	comch_ctx_init(&ctrl->ctx, dev, kind);
	TAILQ_INIT(&ctrl->conns);
	TAILQ_INIT(&ctrl->accepted);
	ctrl->shown = &ctrl->ctx;
	ctrl->drv.dev = dev;
	return ctrl;
}

/* What was checked comes into force, at creation or later. */
static void
ctrl_conf_apply(struct comch_ctrl *ctrl, const char *name,
		const struct rte_comch_ctrl_conf *conf)
{
	struct rte_comch_dev *dev = ctrl->ctx.dev;

	/* the lock: telemetry reads it; memmove: it may be the one that get has given */
	rte_spinlock_lock(&dev->lock);
	memmove(ctrl->drv.name, name, strlen(name) + 1);
	rte_spinlock_unlock(&dev->lock);
	ctrl->ctx.state_cb = conf->state_cb;
	ctrl->ctx.user_data = conf->user_data;
	ctrl->ctx.max_tasks = conf->nb_tasks != 0 ? conf->nb_tasks :
		RTE_MIN((uint32_t)COMCH_DFLT_SEND_TASKS, dev->info.max_ctrl_tasks);
	ctrl->max_conn_tasks = conf->max_conn_tasks != 0 ? conf->max_conn_tasks : UINT32_MAX;
	ctrl->send_cb = conf->send_cb;
	comch_recv_conf_set(ctrl, conf);
	ctrl->consumer_new_cb = conf->consumer_new_cb;
	ctrl->consumer_gone_cb = conf->consumer_gone_cb;
	ctrl->drv.max_msg_size = conf->max_msg_size;
	ctrl->drv.recv_queue_size = conf->recv_queue_size != 0 ? conf->recv_queue_size :
		dev->info.dflt_recv_queue_size;
}

static int
server_conf_check(const struct rte_comch_dev *dev, const struct rte_comch_server_conf *conf)
{
	int ret;

	ret = ctrl_conf_check(dev, RTE_COMCH_ROLE_DPU, conf->name, &conf->ctrl);
	if (ret == 0)
		ret = ctrl_reserved_check(dev, conf->name, &conf->ctrl, conf->reserved,
				RTE_DIM(conf->reserved));
	if (ret != 0)
		return ret;
	if (conf->connect_cb == NULL || conf->disconnect_cb == NULL) {
		COMCH_LOG(ERR, "%s: '%s' has no connect_cb or no disconnect_cb, give both",
			dev->data->name, conf->name);
		return -EINVAL;
	}
	if (conf->max_clients > dev->info.max_clients) {
		COMCH_LOG(ERR, "%s: max_clients %u of '%s' is above that of the device, %u",
			dev->data->name, conf->max_clients, conf->name, dev->info.max_clients);
		return -EINVAL;
	}
	return 0;
}

static void
server_conf_apply(struct comch_ctrl *server, const struct rte_comch_server_conf *conf)
{
	ctrl_conf_apply(server, conf->name, &conf->ctrl);
	server->connect_cb = conf->connect_cb;
	server->disconnect_cb = conf->disconnect_cb;
	server->refused.cb = conf->refused_cb;
	server->engine_cb = conf->engine_cb;
	server->max_clients = conf->max_clients != 0 ? conf->max_clients :
		server->ctx.dev->info.max_clients;
	/* a client that is alone takes nothing from others */
	if (conf->ctrl.max_conn_tasks == 0 && server->max_clients > 1)
		server->max_conn_tasks = 1 + RTE_MAX(1u,
				server->ctx.max_tasks / COMCH_DFLT_CONN_SHARE);
	server->conf.server = *conf;
	server->conf.server.name = server->drv.name;
}

static int
client_conf_check(const struct rte_comch_dev *dev, const struct rte_comch_client_conf *conf)
{
	int ret = ctrl_conf_check(dev, RTE_COMCH_ROLE_HOST, conf->name, &conf->ctrl);

	return ret != 0 ? ret : ctrl_reserved_check(dev, conf->name, &conf->ctrl,
			conf->reserved, RTE_DIM(conf->reserved));
}

static void
client_conf_apply(struct comch_ctrl *client, const struct rte_comch_client_conf *conf)
{
	uint32_t ms = conf->connect_timeout_ms != 0 ?
		conf->connect_timeout_ms : COMCH_DFLT_CONNECT_TIMEOUT_MS;

	ctrl_conf_apply(client, conf->name, &conf->ctrl);
	client->connect_timeout = ms == RTE_COMCH_TIMEOUT_NEVER ? UINT64_MAX :
		(uint64_t)ms * (rte_get_tsc_hz() / MS_PER_S);
	client->conf.client = *conf;
	client->conf.client.name = client->drv.name;
}

int
rte_comch_server_create(int16_t dev_id, uint16_t rep_id,
		const struct rte_comch_server_conf *conf, struct rte_comch_ctx **ctx)
{
	struct rte_comch_dev *dev = comch_dev_get(dev_id);
	struct comch_ctrl *server;
	int ret;

	if (dev == NULL || conf == NULL || ctx == NULL) {
		COMCH_LOG(ERR, "device %d: no such device, or a NULL parameter", dev_id);
		return -EINVAL;
	}
	ret = server_conf_check(dev, conf);
	if (ret != 0)
		return ret;
	ret = comch_rep_check(dev_id, rep_id);
	if (ret != 0) {
		COMCH_LOG(ERR, "%s: no representor %u (%s), list them first", dev->data->name,
			rep_id, strerror(-ret));
		return ret;
	}
	server = ctrl_alloc(dev, &comch_server_kind);
	if (server == NULL)
		return -ENOMEM;
	server->drv.rep_id = rep_id;
	server_conf_apply(server, conf);
	comch_ctx_publish(&server->ctx);
	*ctx = &server->ctx;
	return 0;
}

int
rte_comch_client_create(int16_t dev_id, const struct rte_comch_client_conf *conf,
		struct rte_comch_ctx **ctx)
{
	struct rte_comch_dev *dev = comch_dev_get(dev_id);
	struct comch_ctrl *client;
	int ret;

	if (dev == NULL || conf == NULL || ctx == NULL) {
		COMCH_LOG(ERR, "device %d: no such device, or a NULL parameter", dev_id);
		return -EINVAL;
	}
	ret = client_conf_check(dev, conf);
	if (ret != 0)
		return ret;
	client = ctrl_alloc(dev, &comch_client_kind);
	if (client == NULL)
		return -ENOMEM;
	client_conf_apply(client, conf);
	comch_ctx_publish(&client->ctx);
	*ctx = &client->ctx;
	return 0;
}

static int
server_conf_set(struct rte_comch_ctx *ctx, const union rte_comch_ctx_conf *conf)
{
	int ret = server_conf_check(ctx->dev, &conf->server);

	if (ret == 0)
		server_conf_apply(comch_ctrl(ctx), &conf->server);
	return ret;
}

static int
client_conf_set(struct rte_comch_ctx *ctx, const union rte_comch_ctx_conf *conf)
{
	int ret = client_conf_check(ctx->dev, &conf->client);

	if (ret == 0)
		client_conf_apply(comch_ctrl(ctx), &conf->client);
	return ret;
}

/* Connections that the application knows. */
static uint32_t
ctrl_conns_count(const struct comch_ctrl *ctrl)
{
	const struct comch_conn *conn;
	uint32_t nb = 0;

	TAILQ_FOREACH(conn, &ctrl->conns, next)
		nb += conn->was_up;
	return nb;
}

static void
server_info_get(const struct rte_comch_ctx *ctx, struct rte_comch_ctx_info *info)
{
	const struct comch_ctrl *ctrl = comch_ctrl((struct rte_comch_ctx *)(uintptr_t)ctx);

	info->rep_id = ctrl->drv.rep_id;
	info->nb_conns = ctrl_conns_count(ctrl);
	info->conf.server = ctrl->conf.server;
}

static void
client_info_get(const struct rte_comch_ctx *ctx, struct rte_comch_ctx_info *info)
{
	const struct comch_ctrl *ctrl = comch_ctrl((struct rte_comch_ctx *)(uintptr_t)ctx);

	info->nb_conns = ctrl_conns_count(ctrl);
	if (info->nb_conns != 0)
		info->conn = &TAILQ_FIRST(&ctrl->conns)->drv;
	info->conf.client = ctrl->conf.client;
}

static void
ctrl_pgroup_set(struct rte_comch_ctx *ctx)
{
	comch_ctrl(ctx)->drv.pg = ctx->pg;
}

/* Another server may have the name from now on. */
static void
ctrl_name_free(struct comch_ctrl *ctrl)
{
	rte_spinlock_lock(&ctrl->ctx.dev->lock);
	ctrl->name_taken = false;
	rte_spinlock_unlock(&ctrl->ctx.dev->lock);
}

/* The driver has told of the end of a server's listening or a client's attempt. */
static void
ctrl_ended(struct rte_comch_pmd_ending *ending)
{
	struct comch_ctrl *ctrl = container_of(ending, struct comch_ctrl, ending);

	ctrl->ctx.lost |= ending->lost;
	ctrl_name_free(ctrl);
	comch_ctrl_try_idle(&ctrl->ctx);
}

static void
ctrl_unlisten(struct comch_ctrl *ctrl)
{
	comch_ending_begin(&ctrl->ending, ctrl->ctx.dev, ctrl->ctx.pe, ctrl_ended);
	if (comch_ending_settle(&ctrl->ending,
			ctrl->ctx.dev->ops->unlisten(&ctrl->drv, &ctrl->ending)))
		ctrl_name_free(ctrl);
}

static void
ctrl_connect_cancel(struct comch_ctrl *ctrl, int reason)
{
	comch_ending_begin(&ctrl->ending, ctrl->ctx.dev, ctrl->ctx.pe, ctrl_ended);
	comch_ending_settle(&ctrl->ending,
		ctrl->ctx.dev->ops->connect_cancel(&ctrl->drv, reason, &ctrl->ending));
}

/*
 * Become IDLE, when the driver is done with it, all tasks are freed and all
 * connections are over. Whatever is missing comes by here again.
 */
void
comch_ctrl_try_idle(struct rte_comch_ctx *ctx)
{
	struct comch_ctrl *ctrl = comch_ctrl(ctx);
	struct comch_conn *conn;

	if (ctx->state != RTE_COMCH_STATE_STOPPING || ctx->nb_tasks != 0 ||
			ctrl->nb_accepted != 0 || ctrl->ending.pending)
		return;
	/* a client keeps its connection until here, for the tasks' sake */
	while ((conn = TAILQ_FIRST(&ctrl->conns)) != NULL) {
		if (conn->drv.state != RTE_COMCH_CONN_DOWN || conn->ending.pending)
			return;
		comch_conn_reap(conn);
	}
	if (!ctx->lost)
		ctrl->drv.priv = NULL;
	comch_ctx_idle(ctx);
}

/*
 * Mark all connections that are UP as CLOSING, or none if one has queues. The
 * locks are held together, so that no other thread makes a queue on one while the
 * next is looked at. No other function holds two of them. Those on other engines are
 * marked as about to be stopped: their state is their thread's.
 */
static int
ctrl_conns_mark(struct comch_ctrl *ctrl)
{
	uint32_t id = 0, consumers = 0, producers = 0;
	struct rte_comch_dev *dev = ctrl->ctx.dev;
	struct comch_conn *conn, *busy;

	rte_spinlock_lock(&dev->lock);
	busy = comch_conns_lock(ctrl, NULL);
	busy = comch_accepted_lock(ctrl, busy);
	if (busy != NULL) {
		id = busy->drv.id;
		consumers = busy->parent.consumers.nb;
		producers = busy->parent.producers.nb;
	}
	comch_accepted_unlock(ctrl, busy == NULL);
	TAILQ_FOREACH(conn, &ctrl->conns, next) {
		if (busy == NULL && conn->drv.state == RTE_COMCH_CONN_UP)
			conn->drv.state = RTE_COMCH_CONN_CLOSING;
		rte_spinlock_unlock(&conn->parent.lock);
	}
	rte_spinlock_unlock(&dev->lock);
	if (busy == NULL)
		return 0;
	comch_conn_busy_log(ctrl, id, consumers, producers);
	return -EBUSY;
}

/* The second half of a stop. */
static int
ctrl_stopping(struct comch_ctrl *ctrl)
{
	struct rte_comch_ctx *ctx = &ctrl->ctx;

	comch_ctx_state_set(ctx, RTE_COMCH_STATE_STOPPING);
	if (ctx->state != RTE_COMCH_STATE_STOPPING)
		return ctx->state == RTE_COMCH_STATE_IDLE ? 0 : -EINPROGRESS;
	comch_pe_timer_update(ctx->pe);
	if (TAILQ_EMPTY(&ctrl->conns)) {
		comch_ctrl_try_idle(ctx);
		if (ctx->state == RTE_COMCH_STATE_IDLE)
			return 0;
	}
	comch_pe_work_add(ctx);
	return -EINPROGRESS;
}

/* In progress, after a stop or a disconnect by this side, or the refusal of a client. */
static int
ctrl_work(struct rte_comch_ctx *ctx)
{
	struct comch_ctrl *ctrl = comch_ctrl(ctx);
	enum rte_comch_state state = ctx->state;
	struct comch_conn *conn;
	int nb = 0;

	if (ctrl->refused.nb != 0)
		nb += comch_refused_run(ctrl);
again:
	TAILQ_FOREACH(conn, &ctrl->conns, next) {
		if (conn->drv.state == RTE_COMCH_CONN_CLOSING && !conn->ending.pending) {
			comch_conn_finish(conn, conn->reason);
			nb++;
			goto again; /* callbacks have run: the list may be another */
		}
	}
	if (state == RTE_COMCH_STATE_STOPPING && ctrl->nb_accepted != 0 &&
			!comch_accepted_stop(ctrl))
		comch_pe_work_add(ctx);
	comch_ctrl_try_idle(ctx);
	/* a change of state is an event: whoever waits for it must not sleep */
	return nb + (ctx->state != state);
}

/*
 * Servers
 */

/* The device's lock is held. */
static struct comch_ctrl *
server_find(struct rte_comch_dev *dev, uint16_t rep_id, const char *name)
{
	struct rte_comch_ctx *ctx;
	struct comch_ctrl *ctrl;

	TAILQ_FOREACH(ctx, &dev->ctxs, next_dev) {
		if (ctx->kind != &comch_server_kind)
			continue;
		ctrl = comch_ctrl(ctx);
		if (ctrl->name_taken && ctrl->drv.rep_id == rep_id &&
				strcmp(ctrl->drv.name, name) == 0)
			return ctrl;
	}
	return NULL;
}

static void
server_listening_clear(struct comch_ctrl *ctrl)
{
	rte_spinlock_lock(&ctrl->ctx.dev->lock);
	ctrl->listening = false;
	rte_spinlock_unlock(&ctrl->ctx.dev->lock);
}

static int
server_start(struct rte_comch_ctx *ctx)
{
	struct comch_ctrl *ctrl = comch_ctrl(ctx);
	bool taken;
	int ret;

	ctrl->next_conn_id = 1;
	ctrl->refused.nb = 0;
	/* looked for and taken under one lock, so that two threads cannot both win */
	rte_spinlock_lock(&ctx->dev->lock);
	taken = server_find(ctx->dev, ctrl->drv.rep_id, ctrl->drv.name) != NULL;
	if (!taken)
		ctrl->listening = ctrl->name_taken = true;
	rte_spinlock_unlock(&ctx->dev->lock);
	if (taken) {
		COMCH_LOG(ERR, "%s: a server '%s' runs on representor %u, stop it or take another name",
			ctx->dev->data->name, ctrl->drv.name, ctrl->drv.rep_id);
		return -EEXIST;
	}
	ret = ctx->dev->ops->listen(&ctrl->drv);
	if (ret != 0) {
		server_listening_clear(ctrl);
		ctrl_unlisten(ctrl); /* until nobody looks at it any more */
		if (!ctrl->ending.pending)
			return ret;
		ctx->reason = ret;
		ctrl_stopping(ctrl); /* it was started, and ends */
		return 0;
	}
	comch_ctx_state_set(ctx, RTE_COMCH_STATE_RUNNING);
	return 0;
}

static int
server_stop(struct rte_comch_ctx *ctx)
{
	struct comch_ctrl *ctrl = comch_ctrl(ctx);

	if (ctrl_conns_mark(ctrl) != 0)
		return -EBUSY;
	server_listening_clear(ctrl);
	ctrl_unlisten(ctrl);
	comch_conns_close(ctrl);
	comch_accepted_stop(ctrl); /* those that have to wait are told in progress */
	return ctrl_stopping(ctrl);
}

/*
 * Connections learn of a failed device by the driver, and queues by the end of
 * their connection.
 */
static int
server_dev_down(struct rte_comch_ctx *ctx, int reason)
{
	struct comch_ctrl *ctrl = comch_ctrl(ctx);

	if (ctx->state != RTE_COMCH_STATE_RUNNING)
		return 0;
	server_listening_clear(ctrl);
	ctrl_unlisten(ctrl);
	ctx->reason = reason;
	comch_ctx_state_set(ctx, RTE_COMCH_STATE_STOPPING);
	if (ctx->state == RTE_COMCH_STATE_STOPPING)
		comch_pe_work_add(ctx);
	return 1;
}

const struct comch_kind comch_server_kind = {
	.name = "server",
	.type = RTE_COMCH_CTX_SERVER,
	.start = server_start,
	.stop = server_stop,
	.work = ctrl_work,
	.try_idle = comch_ctrl_try_idle,
	.dev_down = server_dev_down,
	.pgroup_set = ctrl_pgroup_set,
	.conf_set = server_conf_set,
	.info_get = server_info_get,
	.task_submit = comch_conn_task_submit,
	.tasks_submit = comch_conn_tasks_submit,
	.conn_up = comch_server_conn_up,
	.conn_lost = comch_server_conn_lost,
	.conn_over = comch_server_conn_over,
};

struct rte_comch_ctrl *
rte_comch_pmd_server_find(struct rte_comch_dev *dev, uint16_t rep_id, const char *name)
{
	struct comch_ctrl *ctrl;

	rte_spinlock_lock(&dev->lock);
	ctrl = server_find(dev, rep_id, name);
	if (ctrl != NULL && !ctrl->listening)
		ctrl = NULL;
	rte_spinlock_unlock(&dev->lock);
	return ctrl == NULL ? NULL : &ctrl->drv;
}

struct rte_comch_conn *
rte_comch_server_conn_next(struct rte_comch_ctx *ctx, struct rte_comch_conn *prev)
{
	struct comch_conn *conn;

	if (ctx == NULL || ctx->kind != &comch_server_kind)
		return NULL;
	conn = prev == NULL ? TAILQ_FIRST(&comch_ctrl(ctx)->conns) :
		TAILQ_NEXT(comch_conn(prev), next);
	while (conn != NULL && !conn->was_up)
		conn = TAILQ_NEXT(conn, next);
	return conn == NULL ? NULL : &conn->drv;
}

/*
 * Clients
 */

static int
client_start(struct rte_comch_ctx *ctx)
{
	struct comch_ctrl *ctrl = comch_ctrl(ctx);
	uint64_t now = rte_get_tsc_cycles();
	int ret;

	ctrl->next_conn_id = 1;
	ctrl->deadline = ctrl->connect_timeout > UINT64_MAX - now ?
		UINT64_MAX : now + ctrl->connect_timeout;
	ret = ctx->dev->ops->connect(&ctrl->drv);
	if (ret != 0)
		return ret;
	comch_ctx_state_set(ctx, RTE_COMCH_STATE_STARTING);
	if (ctx->state == RTE_COMCH_STATE_STARTING)
		ctx->pe->next_timer = RTE_MIN(ctx->pe->next_timer, ctrl->deadline);
	comch_pe_touch(ctx->pe);
	return 0;
}

static int
client_stop(struct rte_comch_ctx *ctx)
{
	struct comch_ctrl *ctrl = comch_ctrl(ctx);

	if (ctrl_conns_mark(ctrl) != 0)
		return -EBUSY;
	if (ctx->state == RTE_COMCH_STATE_STARTING)
		ctrl_connect_cancel(ctrl, -ECANCELED);
	comch_conns_close(ctrl);
	return ctrl_stopping(ctrl);
}

/* The end of an attempt to connect, of which the driver knows nothing any more. */
static void
client_failed(struct comch_ctrl *ctrl, int reason)
{
	struct rte_comch_ctx *ctx = &ctrl->ctx;

	COMCH_LOG(INFO, "%s: connection to '%s' failed: %s (%s)", ctx->dev->data->name,
		ctrl->drv.name, rte_comch_reason_str(reason), strerror(-reason));
	ctx->reason = reason;
	ctrl->drv.priv = NULL;
	comch_ctx_idle(ctx);
	comch_pe_timer_update(ctx->pe);
}

/* This side gives up an attempt to connect, and nobody has refused it. */
static void
client_give_up(struct comch_ctrl *ctrl, int reason)
{
	struct rte_comch_ctx *ctx = &ctrl->ctx;

	ctrl_connect_cancel(ctrl, reason);
	comch_conns_close(ctrl);
	if (!ctrl->ending.pending && TAILQ_EMPTY(&ctrl->conns)) {
		client_failed(ctrl, reason);
		return;
	}
	ctx->reason = reason;
	comch_ctx_state_set(ctx, RTE_COMCH_STATE_STOPPING);
	comch_pe_timer_update(ctx->pe);
}

static int
client_timeout(struct rte_comch_ctx *ctx)
{
	COMCH_LOG(NOTICE, "%s: no connection to '%s' within its connect timeout: start the other side of the device first, or raise connect_timeout_ms",
		ctx->dev->data->name, comch_ctx_name(ctx));
	rte_comch_pmd_count(&ctx->dev->data->stats.timeouts);
	client_give_up(comch_ctrl(ctx), -ETIMEDOUT);
	return 1;
}

static int
client_dev_down(struct rte_comch_ctx *ctx, int reason)
{
	if (ctx->state != RTE_COMCH_STATE_STARTING)
		return 0;
	client_give_up(comch_ctrl(ctx), reason);
	return 1;
}

static uint64_t
client_deadline(const struct rte_comch_ctx *ctx)
{
	return ctx->state != RTE_COMCH_STATE_STARTING ? UINT64_MAX :
		comch_ctrl((struct rte_comch_ctx *)(uintptr_t)ctx)->deadline;
}

static void
client_conn_up(struct comch_conn *conn)
{
	conn->ctrl->ctx.pe->turn_over = true;
	comch_ctx_state_set(&conn->ctrl->ctx, RTE_COMCH_STATE_RUNNING);
}

/* A client has no peer that can leave in order: it was told to go. */
static int
client_conn_lost(struct comch_conn *conn, int reason)
{
	struct rte_comch_ctx *ctx = &conn->ctrl->ctx;

	ctx->reason = reason == 0 ? -ESHUTDOWN : reason;
	rte_spinlock_lock(&conn->parent.lock);
	conn->drv.state = RTE_COMCH_CONN_DOWN;
	rte_spinlock_unlock(&conn->parent.lock);
	if (ctx->state == RTE_COMCH_STATE_RUNNING)
		comch_ctx_state_set(ctx, RTE_COMCH_STATE_STOPPING);
	return -ECONNRESET;
}

const struct comch_kind comch_client_kind = {
	.name = "client",
	.type = RTE_COMCH_CTX_CLIENT,
	.start = client_start,
	.stop = client_stop,
	.work = ctrl_work,
	.try_idle = comch_ctrl_try_idle,
	.dev_down = client_dev_down,
	.deadline = client_deadline,
	.timeout = client_timeout,
	.pgroup_set = ctrl_pgroup_set,
	.conf_set = client_conf_set,
	.info_get = client_info_get,
	.task_submit = comch_conn_task_submit,
	.tasks_submit = comch_conn_tasks_submit,
	.conn_up = client_conn_up,
	.conn_lost = client_conn_lost,
};

void
rte_comch_pmd_connect_failed(struct rte_comch_ctrl *client, int reason)
{
	struct comch_ctrl *ctrl = comch_ctrl_of_drv(client);

	if (ctrl->ctx.state != RTE_COMCH_STATE_STARTING)
		return;
	rte_comch_pmd_count(&client->dev->data->stats.refused);
	client_failed(ctrl, reason);
}
