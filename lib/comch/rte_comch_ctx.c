/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Contexts: creation of servers and clients, and the state machine of all
 * kinds. What is special about consumers and producers is in rte_comch_queue.c
 * and rte_comch_announce.c.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_string_fns.h>

#include "comch_private.h"
#include "rte_comch_trace.h"

const char *
rte_comch_state_name(int state)
{
	static const char * const names[] = {
		[RTE_COMCH_STATE_IDLE] = "IDLE",
		[RTE_COMCH_STATE_STARTING] = "STARTING",
		[RTE_COMCH_STATE_RUNNING] = "RUNNING",
		[RTE_COMCH_STATE_STOPPING] = "STOPPING",
	};

	if (state < 0 || state >= (int)RTE_DIM(names))
		return "UNKNOWN";
	return names[state];
}

void
comch_ctx_state_set(struct rte_comch_ctx *ctx, enum rte_comch_state next)
{
	enum rte_comch_state prev = ctx->state;

	ctx->state = next;
	rte_comch_trace_ctx_state(ctx, prev, next, ctx->reason);
	if (ctx->conf.state_cb == NULL)
		return;
	ctx->in_callback++;
	ctx->conf.state_cb(ctx, prev, next, ctx->conf.user_data);
	ctx->in_callback--;
}

/* Device, role, name and the part that servers and clients share. */
static int
ctrl_conf_check(int16_t dev_id, enum rte_comch_role role, const char *name,
		const struct rte_comch_ctrl_conf *conf)
{
	struct rte_comch_dev *dev = comch_dev_get(dev_id);
	const struct rte_comch_dev_info *info = &dev->info;

	if ((info->capa & (RTE_COMCH_CAPA_SERVER | RTE_COMCH_CAPA_CLIENT)) == 0) {
		COMCH_LOG(ERR, "%s: its driver has neither servers nor clients, take a device of another driver",
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
		COMCH_LOG(ERR, "%s: unknown flags 0x%x for '%s'", dev->data->name, conf->flags,
			name);
		return -EINVAL;
	}
	if (conf->send_cb == NULL || conf->recv_cb == NULL) {
		COMCH_LOG(ERR, "%s: '%s' has no send or no receive callback", dev->data->name,
			name);
		return -EINVAL;
	}
	if ((conf->consumer_new_cb == NULL) != (conf->consumer_gone_cb == NULL)) {
		COMCH_LOG(ERR, "%s: '%s' has one consumer callback, give both or none",
			dev->data->name, name);
		return -EINVAL;
	}
	if (conf->max_msg_size > info->max_msg_size) {
		COMCH_LOG(ERR, "%s: max_msg_size %u of '%s' is above %u", dev->data->name,
			conf->max_msg_size, name, info->max_msg_size);
		return -EINVAL;
	}
	if (conf->recv_queue_size > info->max_recv_queue_size) {
		COMCH_LOG(ERR, "%s: recv_queue_size %u of '%s' is above %u", dev->data->name,
			conf->recv_queue_size, name, info->max_recv_queue_size);
		return -EINVAL;
	}
	if (conf->nb_send_tasks > info->max_send_tasks) {
		COMCH_LOG(ERR, "%s: nb_send_tasks %u of '%s' is above %u", dev->data->name,
			conf->nb_send_tasks, name, info->max_send_tasks);
		return -EINVAL;
	}
	return 0;
}

/* Nobody else sees it before comch_ctx_publish(). */
struct rte_comch_ctx *
comch_ctx_alloc(struct rte_comch_dev *dev, enum rte_comch_ctx_type type, const char *name,
		const struct rte_comch_ctrl_conf *conf)
{
	/* two contexts of two lcores must not share a line */
	struct rte_comch_ctx *ctx = aligned_alloc(__alignof__(*ctx), sizeof(*ctx));

	if (ctx == NULL)
		return NULL;
	memset(ctx, 0, sizeof(*ctx));
	comch_fp_dummy_set(ctx);
	ctx->type = type;
	ctx->dev = dev;
	ctx->conf = *conf;
	TAILQ_INIT(&ctx->conns);
	if (name != NULL)
		strlcpy(ctx->name, name, sizeof(ctx->name));
	if (ctx->conf.recv_queue_size == 0)
		ctx->conf.recv_queue_size = dev->info.dflt_recv_queue_size;
	if (ctx->conf.nb_send_tasks == 0 && !comch_ctx_is_queue(ctx))
		ctx->conf.nb_send_tasks = RTE_MIN((uint32_t)COMCH_DFLT_SEND_TASKS,
				dev->info.max_send_tasks);
	return ctx;
}

/* A context is listed when it is whole: telemetry reads it from another thread. */
void
comch_ctx_publish(struct rte_comch_ctx *ctx)
{
	struct rte_comch_dev *dev = ctx->dev;

	rte_spinlock_lock(&dev->lock);
	TAILQ_INSERT_TAIL(&dev->ctxs, ctx, next_dev);
	rte_spinlock_unlock(&dev->lock);
}

/* The memory of a context that is not listed, or not any more. */
void
comch_ctx_free(struct rte_comch_ctx *ctx)
{
	if (ctx->mem != NULL) /* release: who frees it after this sees no use of it */
		__atomic_fetch_sub(&ctx->mem->users, 1, __ATOMIC_RELEASE);
	free(ctx);
}

int
rte_comch_server_create(int16_t dev_id, uint16_t rep_id,
		const struct rte_comch_server_conf *conf, struct rte_comch_ctx **ctx)
{
	struct rte_comch_dev *dev = comch_dev_get(dev_id);
	struct rte_comch_ctx *server;
	int ret;

	if (dev == NULL || conf == NULL || ctx == NULL) {
		COMCH_LOG(ERR, "device %d: no such device, or a NULL parameter", dev_id);
		return -EINVAL;
	}
	ret = ctrl_conf_check(dev_id, RTE_COMCH_ROLE_DPU, conf->name, &conf->ctrl);
	if (ret != 0)
		return ret;
	if (conf->connect_cb == NULL || conf->disconnect_cb == NULL) {
		COMCH_LOG(ERR, "%s: '%s' has no connect or no disconnect callback",
			dev->data->name, conf->name);
		return -EINVAL;
	}
	if (conf->max_clients > dev->info.max_clients) {
		COMCH_LOG(ERR, "%s: max_clients %u of '%s' is above %u", dev->data->name,
			conf->max_clients, conf->name, dev->info.max_clients);
		return -EINVAL;
	}
	ret = comch_rep_check(dev_id, rep_id);
	if (ret != 0) {
		COMCH_LOG(ERR, "%s: no representor %u (%s), list them first", dev->data->name,
			rep_id, strerror(-ret));
		return ret;
	}
	server = comch_ctx_alloc(dev, RTE_COMCH_CTX_SERVER, conf->name, &conf->ctrl);
	if (server == NULL)
		return -ENOMEM;
	server->rep_id = rep_id;
	server->connect_cb = conf->connect_cb;
	server->disconnect_cb = conf->disconnect_cb;
	server->max_clients = conf->max_clients != 0 ? conf->max_clients : dev->info.max_clients;
	comch_ctx_publish(server);
	*ctx = server;
	return 0;
}

int
rte_comch_client_create(int16_t dev_id, const struct rte_comch_client_conf *conf,
		struct rte_comch_ctx **ctx)
{
	struct rte_comch_dev *dev = comch_dev_get(dev_id);
	struct rte_comch_ctx *client;
	uint32_t ms;
	int ret;

	if (dev == NULL || conf == NULL || ctx == NULL) {
		COMCH_LOG(ERR, "device %d: no such device, or a NULL parameter", dev_id);
		return -EINVAL;
	}
	ret = ctrl_conf_check(dev_id, RTE_COMCH_ROLE_HOST, conf->name, &conf->ctrl);
	if (ret != 0)
		return ret;
	client = comch_ctx_alloc(dev, RTE_COMCH_CTX_CLIENT, conf->name, &conf->ctrl);
	if (client == NULL)
		return -ENOMEM;
	ms = conf->connect_timeout_ms != 0 ?
		conf->connect_timeout_ms : COMCH_DFLT_CONNECT_TIMEOUT_MS;
	client->connect_timeout = ms == RTE_COMCH_TIMEOUT_NEVER ? UINT64_MAX :
		(uint64_t)ms * (rte_get_tsc_hz() / MS_PER_S);
	comch_ctx_publish(client);
	*ctx = client;
	return 0;
}

int
rte_comch_ctx_destroy(struct rte_comch_ctx *ctx)
{
	if (ctx == NULL)
		return 0;
	if (ctx->state != RTE_COMCH_STATE_IDLE || ctx->in_callback != 0) {
		COMCH_LOG(ERR, "%s: context '%s' is %s%s, stop it and progress first",
			ctx->dev->data->name, ctx->name, rte_comch_state_name(ctx->state),
			ctx->in_callback != 0 ? " and inside a callback" : "");
		return -EBUSY;
	}
	comch_pe_detach(ctx);
	rte_spinlock_lock(&ctx->dev->lock);
	TAILQ_REMOVE(&ctx->dev->ctxs, ctx, next_dev);
	rte_spinlock_unlock(&ctx->dev->lock);
	if (comch_ctx_is_queue(ctx))
		comch_queue_destroy(ctx);
	comch_ctx_free(ctx);
	return 0;
}

int
rte_comch_ctx_attach(struct rte_comch_ctx *ctx, struct rte_comch_pe *pe)
{
	if (ctx == NULL || pe == NULL)
		return -EINVAL;
	if (ctx->state != RTE_COMCH_STATE_IDLE)
		return -EBUSY;
	if (ctx->pe != NULL)
		return -EALREADY;
	return comch_pe_attach(pe, ctx);
}

/* The device's lock is held. */
static struct rte_comch_ctx *
server_find(struct rte_comch_dev *dev, uint16_t rep_id, const char *name)
{
	struct rte_comch_ctx *ctx;

	TAILQ_FOREACH(ctx, &dev->ctxs, next_dev)
		if (ctx->listening && ctx->rep_id == rep_id && strcmp(ctx->name, name) == 0)
			break;
	return ctx;
}

static void
server_listening_clear(struct rte_comch_ctx *ctx)
{
	rte_spinlock_lock(&ctx->dev->lock);
	ctx->listening = false;
	rte_spinlock_unlock(&ctx->dev->lock);
}

static int
server_start(struct rte_comch_ctx *ctx)
{
	bool taken;
	int ret;

	/* looked for and taken under one lock, so that two threads cannot both win */
	rte_spinlock_lock(&ctx->dev->lock);
	taken = server_find(ctx->dev, ctx->rep_id, ctx->name) != NULL;
	if (!taken)
		ctx->listening = true;
	rte_spinlock_unlock(&ctx->dev->lock);
	if (taken) {
		COMCH_LOG(ERR, "%s: a server '%s' runs on representor %u, stop it or take another name",
			ctx->dev->data->name, ctx->name, ctx->rep_id);
		return -EEXIST;
	}
	ret = ctx->dev->ops->listen(ctx);
	if (ret != 0) {
		server_listening_clear(ctx);
		ctx->dev->ops->unlisten(ctx); /* until nobody looks at it any more */
		return ret;
	}
	comch_ctx_state_set(ctx, RTE_COMCH_STATE_RUNNING);
	return 0;
}

static int
client_start(struct rte_comch_ctx *ctx)
{
	uint64_t now = rte_get_tsc_cycles();
	int ret;

	ctx->deadline = ctx->connect_timeout > UINT64_MAX - now ?
		UINT64_MAX : now + ctx->connect_timeout;
	ret = ctx->dev->ops->connect(ctx);
	if (ret != 0)
		return ret;
	comch_ctx_state_set(ctx, RTE_COMCH_STATE_STARTING);
	if (ctx->state == RTE_COMCH_STATE_STARTING)
		ctx->pe->next_timer = RTE_MIN(ctx->pe->next_timer, ctx->deadline);
	comch_pe_touch(ctx->pe);
	return 0;
}

/* What start says of a context that was started: its callback may have gone on. */
static int
start_result(const struct rte_comch_ctx *ctx)
{
	switch (ctx->state) {
	case RTE_COMCH_STATE_RUNNING:
		return 0;
	case RTE_COMCH_STATE_STARTING:
		return -EINPROGRESS;
	default:
		return -ECANCELED;
	}
}

int
rte_comch_ctx_start(struct rte_comch_ctx *ctx)
{
	int ret;

	if (ctx == NULL)
		return -EINVAL;
	if (ctx->state != RTE_COMCH_STATE_IDLE) {
		COMCH_LOG(ERR, "%s: context '%s' is %s, only an IDLE one can start",
			ctx->dev->data->name, ctx->name, rte_comch_state_name(ctx->state));
		return -EBUSY;
	}
	if (ctx->pe == NULL) {
		COMCH_LOG(ERR, "%s: context '%s' is attached to no progress engine",
			ctx->dev->data->name, ctx->name);
		return -ENOLINK;
	}
	/* acquire: pairs with the release of whoever changed it */
	ret = __atomic_load_n(&ctx->dev->status, __ATOMIC_ACQUIRE);
	if (ret != 0) {
		COMCH_LOG(ERR, "%s: the device is down (%s), reset it before '%s' can start",
			ctx->dev->data->name, strerror(-ret), ctx->name);
		return ret;
	}
	ctx->reason = 0;
	if (ctx->pe->tasks_left < ctx->conf.nb_send_tasks) {
		COMCH_LOG(ERR, "%s: '%s' wants %u tasks, its progress engine has %u left: raise nb_tasks",
			ctx->dev->data->name, ctx->name, ctx->conf.nb_send_tasks,
			ctx->pe->tasks_left);
		return -ENOMEM;
	}
	ctx->pe->tasks_left -= ctx->conf.nb_send_tasks;
	ctx->next_conn_id = 1;
	switch (ctx->type) {
	case RTE_COMCH_CTX_SERVER:
		ret = server_start(ctx);
		break;
	case RTE_COMCH_CTX_CLIENT:
		ret = client_start(ctx);
		break;
	case RTE_COMCH_CTX_CONSUMER:
		ret = comch_consumer_start(ctx);
		break;
	default:
		ret = comch_producer_start(ctx);
		break;
	}
	if (ret != 0) { /* its state is what it was: no callback was called */
		ctx->pe->tasks_left += ctx->conf.nb_send_tasks;
		return ret;
	}
	return start_result(ctx);
}

/* The last step of every way down. */
void
comch_ctx_idle(struct rte_comch_ctx *ctx)
{
	ctx->pe->tasks_left += ctx->conf.nb_send_tasks;
	ctx->priv = NULL;
	comch_ctx_state_set(ctx, RTE_COMCH_STATE_IDLE);
}

void
comch_ctx_try_idle(struct rte_comch_ctx *ctx)
{
	struct rte_comch_conn *conn;

	if (ctx->state != RTE_COMCH_STATE_STOPPING || ctx->nb_tasks != 0)
		return;
	/* a client keeps its connection until here, for the tasks' sake */
	while ((conn = TAILQ_FIRST(&ctx->conns)) != NULL) {
		if (conn->state != RTE_COMCH_CONN_DOWN)
			return;
		comch_conn_reap(conn);
	}
	comch_ctx_idle(ctx);
}

/*
 * Mark all connections that are UP as CLOSING, or none if one has queues. The
 * locks are held together, so that no other thread makes a queue on one while the
 * next is looked at. No other function holds two of them.
 */
static int
ctx_conns_mark(struct rte_comch_ctx *ctx)
{
	struct rte_comch_conn *conn, *busy = NULL;
	uint32_t consumers = 0, producers = 0;

	TAILQ_FOREACH(conn, &ctx->conns, next) {
		rte_spinlock_lock(&conn->lock);
		if (conn->nb_consumers + conn->nb_producers == 0 || busy != NULL)
			continue;
		busy = conn;
		consumers = conn->nb_consumers;
		producers = conn->nb_producers;
	}
	TAILQ_FOREACH(conn, &ctx->conns, next) {
		if (busy == NULL && conn->state == RTE_COMCH_CONN_UP)
			conn->state = RTE_COMCH_CONN_CLOSING;
		rte_spinlock_unlock(&conn->lock);
	}
	if (busy == NULL)
		return 0;
	comch_conn_busy_log(busy, consumers, producers);
	return -EBUSY;
}

/*
 * End what the context has in hand: what is OPENING or was just marked. The
 * callbacks of it are for progress.
 */
static void
ctx_conns_close(struct rte_comch_ctx *ctx)
{
	struct rte_comch_conn *conn, *next;

	for (conn = TAILQ_FIRST(&ctx->conns); conn != NULL; conn = next) {
		next = TAILQ_NEXT(conn, next);
		if (conn->state == RTE_COMCH_CONN_OPENING) {
			ctx->dev->ops->conn_close(conn, -ECONNREFUSED);
			rte_comch_pmd_conn_abort(conn);
		} else if (conn->state == RTE_COMCH_CONN_CLOSING && conn->reason == 0) {
			/* no reason: its driver was not told before */
			comch_conn_close(conn);
		}
	}
}

int
rte_comch_ctx_stop(struct rte_comch_ctx *ctx)
{
	if (ctx == NULL)
		return -EINVAL;
	if (ctx->state == RTE_COMCH_STATE_IDLE || ctx->state == RTE_COMCH_STATE_STOPPING)
		return -EALREADY;
	if (ctx->type == RTE_COMCH_CTX_CONSUMER)
		return comch_consumer_stop(ctx);
	if (ctx->type == RTE_COMCH_CTX_PRODUCER)
		return comch_producer_stop(ctx);
	if (ctx_conns_mark(ctx) != 0)
		return -EBUSY;

	if (ctx->state == RTE_COMCH_STATE_STARTING) {
		ctx->dev->ops->connect_cancel(ctx);
		ctx_conns_close(ctx);
		comch_ctx_state_set(ctx, RTE_COMCH_STATE_STOPPING);
	} else {
		if (ctx->type == RTE_COMCH_CTX_SERVER) {
			server_listening_clear(ctx);
			ctx->dev->ops->unlisten(ctx);
		}
		ctx_conns_close(ctx);
		comch_ctx_state_set(ctx, RTE_COMCH_STATE_STOPPING);
	}
	if (ctx->state != RTE_COMCH_STATE_STOPPING)
		return ctx->state == RTE_COMCH_STATE_IDLE ? 0 : -EINPROGRESS;
	comch_pe_timer_update(ctx->pe);
	if (TAILQ_EMPTY(&ctx->conns)) {
		comch_ctx_try_idle(ctx);
		if (ctx->state == RTE_COMCH_STATE_IDLE)
			return 0;
	}
	comch_pe_work_add(ctx);
	return -EINPROGRESS;
}

/* In progress, after a stop or a disconnect by this side. */
int
comch_ctx_work(struct rte_comch_ctx *ctx)
{
	enum rte_comch_state state = ctx->state;
	struct rte_comch_conn *conn;
	int nb = 0;

	if (comch_ctx_is_queue(ctx)) {
		comch_queue_work(ctx);
		return ctx->state != state;
	}
again:
	TAILQ_FOREACH(conn, &ctx->conns, next) {
		if (conn->state == RTE_COMCH_CONN_CLOSING) {
			comch_conn_finish(conn, conn->reason);
			nb++;
			goto again; /* callbacks have run: the list may be another */
		}
	}
	comch_ctx_try_idle(ctx);
	/* a change of state is an event: whoever waits for it must not sleep */
	return nb + (ctx->state != state);
}

int
comch_ctx_timeout(struct rte_comch_ctx *ctx)
{
	COMCH_LOG(NOTICE, "%s: no connection to '%s' within its connect timeout",
		ctx->dev->data->name, ctx->name);
	ctx->dev->ops->connect_cancel(ctx);
	rte_comch_pmd_count(&ctx->dev->data->stats.timeouts);
	ctx_conns_close(ctx);
	ctx->reason = -ETIMEDOUT;
	comch_ctx_idle(ctx);
	return 1;
}

/* The end of an attempt to connect, which its driver has forgotten or is about to. */
static void
client_failed(struct rte_comch_ctx *client, int reason)
{
	COMCH_LOG(INFO, "%s: connection to '%s' failed: %s", client->dev->data->name,
		client->name, strerror(-reason));
	client->reason = reason;
	comch_ctx_idle(client);
	comch_pe_timer_update(client->pe);
}

/*
 * Its device has failed. Queues learn of it by the end of their connection, and
 * connections from their driver. Returns whether something changed.
 */
int
comch_ctx_dev_down(struct rte_comch_ctx *ctx, int reason)
{
	if (ctx->type == RTE_COMCH_CTX_CLIENT && ctx->state == RTE_COMCH_STATE_STARTING) {
		ctx->dev->ops->connect_cancel(ctx);
		ctx_conns_close(ctx);
		client_failed(ctx, reason); /* nobody has refused it */
		return 1;
	}
	if (ctx->type != RTE_COMCH_CTX_SERVER || ctx->state != RTE_COMCH_STATE_RUNNING)
		return 0;
	server_listening_clear(ctx);
	ctx->dev->ops->unlisten(ctx);
	ctx->reason = reason;
	comch_ctx_state_set(ctx, RTE_COMCH_STATE_STOPPING);
	if (ctx->state == RTE_COMCH_STATE_STOPPING)
		comch_pe_work_add(ctx);
	return 1;
}

void
rte_comch_pmd_connect_failed(struct rte_comch_ctx *client, int reason)
{
	if (client->state != RTE_COMCH_STATE_STARTING)
		return;
	rte_comch_pmd_count(&client->dev->data->stats.refused);
	client_failed(client, reason);
}

struct rte_comch_ctx *
rte_comch_pmd_server_find(struct rte_comch_dev *dev, uint16_t rep_id, const char *name)
{
	struct rte_comch_ctx *ctx;

	rte_spinlock_lock(&dev->lock);
	ctx = server_find(dev, rep_id, name);
	rte_spinlock_unlock(&dev->lock);
	return ctx;
}

int
rte_comch_ctx_state_get(const struct rte_comch_ctx *ctx)
{
	return ctx == NULL ? -EINVAL : (int)ctx->state;
}

int
rte_comch_ctx_reason_get(const struct rte_comch_ctx *ctx)
{
	return ctx == NULL ? -EINVAL : ctx->reason;
}

int
rte_comch_ctx_type_get(const struct rte_comch_ctx *ctx)
{
	return ctx == NULL ? -EINVAL : (int)ctx->type;
}

int
rte_comch_ctx_nb_tasks_get(const struct rte_comch_ctx *ctx)
{
	return ctx == NULL ? -EINVAL : (int)ctx->nb_tasks;
}

int
rte_comch_ctx_user_data_set(struct rte_comch_ctx *ctx, void *user_data)
{
	if (ctx == NULL)
		return -EINVAL;
	ctx->conf.user_data = user_data;
	return 0;
}

void *
rte_comch_ctx_user_data_get(const struct rte_comch_ctx *ctx)
{
	return ctx == NULL ? NULL : ctx->conf.user_data;
}

struct rte_comch_conn *
rte_comch_server_conn_next(struct rte_comch_ctx *ctx, struct rte_comch_conn *prev)
{
	struct rte_comch_conn *conn;

	if (ctx == NULL || ctx->type != RTE_COMCH_CTX_SERVER)
		return NULL;
	conn = prev == NULL ? TAILQ_FIRST(&ctx->conns) : TAILQ_NEXT(prev, next);
	while (conn != NULL && conn->state == RTE_COMCH_CONN_OPENING)
		conn = TAILQ_NEXT(conn, next);
	return conn;
}

int
rte_comch_client_conn_get(struct rte_comch_ctx *ctx, struct rte_comch_conn **conn)
{
	struct rte_comch_conn *first;

	if (ctx == NULL || conn == NULL || ctx->type != RTE_COMCH_CTX_CLIENT)
		return -EINVAL;
	first = TAILQ_FIRST(&ctx->conns);
	if (first == NULL || first->state == RTE_COMCH_CONN_OPENING)
		return -ENOTCONN;
	*conn = first;
	return 0;
}
