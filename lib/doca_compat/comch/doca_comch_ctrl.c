/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What servers and clients have in common: settings, and the callbacks of rte_comch for
 * messages and consumers. Connections and tasks are in files of their own.
 */

#include <inttypes.h>
#include <string.h>

#include <doca_comch_ctrl_private.h>
#include <doca_log.h>
#include <doca_private.h>

doca_error_t
comch_ctrl_init(struct comch_ctrl *ctrl, const struct doca_ctx_ops *ops, struct doca_dev *dev,
		struct doca_dev_rep *rep, const char *name, uint64_t capa)
{
	struct doca_compat_func *func = doca_compat_dev_func(dev);
	struct rte_comch_dev_info info;
	doca_error_t result;

	result = doca_compat_func_limits(func, &info);
	if (result != DOCA_SUCCESS)
		return result;
	if ((info.capa & capa) == 0) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, COMCH_SOURCE,
			"%s: there can be no %s on this device: servers are on the card's, clients on the host's, and DOCA_COMPAT_SIDE may say which one this is",
			doca_compat_dev_name(dev), ops->kind);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	if (name[0] == '\0' || strnlen(name, info.max_name_len) >= info.max_name_len) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, COMCH_SOURCE,
			"%s: the name of a %s has 1 to %u bytes", doca_compat_dev_name(dev),
			ops->kind, info.max_name_len - 1);
		return DOCA_ERROR_INVALID_VALUE;
	}
	memset(ctrl, 0, sizeof(*ctrl));
	doca_compat_ctx_init(&ctrl->ctx, ops, func);
	ctrl->dev = dev;
	ctrl->rep = rep;
	strcpy(ctrl->name, name);
	ctrl->recv_event.ctx = &ctrl->ctx;
	ctrl->consumer_event.ctx = &ctrl->ctx;
	SLIST_INIT(&ctrl->free_tasks);
	doca_compat_dev_hold(dev, rep);
	return DOCA_SUCCESS;
}

doca_error_t
comch_ctrl_end(struct comch_ctrl *ctrl)
{
	doca_error_t result = doca_compat_ctx_end(&ctrl->ctx);

	if (result != DOCA_SUCCESS)
		return result;
	comch_conns_forget(&ctrl->ctx);
	comch_tasks_free(ctrl);
	doca_compat_dev_release(ctrl->dev, ctrl->rep);
	return DOCA_SUCCESS;
}

doca_error_t
comch_ctrl_unset(const struct comch_ctrl *ctrl, const char *call)
{
	DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, COMCH_SOURCE,
		"the %s '%s' cannot be started: call %s before", ctrl->ctx.ops->kind, ctrl->name,
		call);
	return DOCA_ERROR_BAD_STATE;
}

/*
 * Callbacks of rte_comch. A connection without one of ours is about to be refused.
 */

static void
ctrl_recv(struct rte_comch_conn *rte, const void *msg, uint32_t len, void *user_data)
{
	struct doca_comch_connection *conn = rte_comch_conn_user_data_get(rte);
	struct comch_ctrl *ctrl = user_data;

	if (conn != NULL) /* the message is a copy of its own: it may be written to */
		ctrl->recv_cb(&ctrl->recv_event, (uint8_t *)(uintptr_t)msg, len, conn);
}

static void
ctrl_consumer_new(struct rte_comch_conn *rte, uint32_t consumer_id, void *user_data)
{
	struct doca_comch_connection *conn = rte_comch_conn_user_data_get(rte);
	struct comch_ctrl *ctrl = user_data;

	if (conn != NULL)
		ctrl->new_cb(&ctrl->consumer_event, conn, consumer_id);
}

static void
ctrl_consumer_gone(struct rte_comch_conn *rte, uint32_t consumer_id, void *user_data)
{
	struct doca_comch_connection *conn = rte_comch_conn_user_data_get(rte);
	struct comch_ctrl *ctrl = user_data;

	if (conn != NULL)
		ctrl->expired_cb(&ctrl->consumer_event, conn, consumer_id);
}

/* A queue of messages of its size that the device can have: less only makes a peer wait. */
static uint32_t
ctrl_queue_size(const struct comch_ctrl *ctrl, const struct rte_comch_dev_info *info)
{
	uint32_t size = ctrl->max_msg_size != 0 ? ctrl->max_msg_size : info->dflt_msg_size;
	uint64_t most = info->max_recv_bytes / size;

	if (info->max_recv_bytes == 0 || ctrl->recv_queue_size <= most)
		return ctrl->recv_queue_size;
	DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_INFO, COMCH_SOURCE,
		"the receive queue of the %s '%s' has %" PRIu64 " messages of %u bytes, and not %u",
		ctrl->ctx.ops->kind, ctrl->name, most, size, ctrl->recv_queue_size);
	return most;
}

doca_error_t
comch_ctrl_prepare(struct comch_ctrl *ctrl, struct rte_comch_ctrl_conf *conf)
{
	struct rte_comch_dev_info info;
	doca_error_t result;

	if (ctrl->sent_cb == NULL)
		return comch_ctrl_unset(ctrl, ctrl->rep != NULL ?
				"doca_comch_server_task_send_set_conf()" :
				"doca_comch_client_task_send_set_conf()");
	if (ctrl->recv_cb == NULL)
		return comch_ctrl_unset(ctrl, ctrl->rep != NULL ?
				"doca_comch_server_event_msg_recv_register()" :
				"doca_comch_client_event_msg_recv_register()");
	result = doca_compat_func_limits(ctrl->ctx.func, &info);
	if (result != DOCA_SUCCESS)
		return result;
	/* without a size of this side, a message may have what the peer says */
	result = comch_tasks_create(ctrl, ctrl->max_msg_size != 0 ? ctrl->max_msg_size :
			info.max_msg_size);
	if (result != DOCA_SUCCESS)
		return result;
	*conf = (struct rte_comch_ctrl_conf){
		.max_msg_size = ctrl->max_msg_size,
		.recv_queue_size = ctrl_queue_size(ctrl, &info),
		.nb_tasks = ctrl->nb_tasks,
		.max_conn_tasks = ctrl->nb_tasks, /* one client may use all: no one knows less */
		.state_cb = doca_compat_ctx_state_cb,
		.send_cb = comch_task_sent,
		.recv_cb = ctrl_recv,
		.user_data = &ctrl->ctx,
	};
	if (ctrl->new_cb != NULL) {
		conf->consumer_new_cb = ctrl_consumer_new;
		conf->consumer_gone_cb = ctrl_consumer_gone;
	}
	return DOCA_SUCCESS;
}

/*
 * Settings.
 */

/* Whether a setting can be made now. */
static doca_error_t
ctrl_settable(const struct comch_ctrl *ctrl)
{
	if (ctrl == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return doca_compat_ctx_settable(&ctrl->ctx);
}

/* As above, for a number from 1 on that the device limits. */
static doca_error_t
ctrl_number_set(const struct comch_ctrl *ctrl, size_t limit, const char *what, uint32_t number)
{
	struct rte_comch_dev_info info;
	doca_error_t result = ctrl_settable(ctrl);
	uint32_t max;

	if (result == DOCA_SUCCESS)
		result = doca_compat_func_limits(ctrl->ctx.func, &info);
	if (result != DOCA_SUCCESS)
		return result;
	memcpy(&max, (const char *)&info + limit, sizeof(max));
	if (number != 0 && number <= max)
		return DOCA_SUCCESS;
	DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, COMCH_SOURCE,
		"%s of the %s '%s' can be 1 to %u, and not %u", what, ctrl->ctx.ops->kind,
		ctrl->name, max, number);
	return DOCA_ERROR_INVALID_VALUE;
}

doca_error_t
comch_ctrl_msg_size_set(struct comch_ctrl *ctrl, uint32_t size)
{
	doca_error_t result = ctrl_number_set(ctrl,
			offsetof(struct rte_comch_dev_info, max_msg_size), "max_msg_size", size);

	if (result == DOCA_SUCCESS)
		ctrl->max_msg_size = size;
	return result;
}

doca_error_t
comch_ctrl_queue_size_set(struct comch_ctrl *ctrl, uint32_t size)
{
	doca_error_t result = ctrl_number_set(ctrl,
			offsetof(struct rte_comch_dev_info, max_recv_queue_size),
			"recv_queue_size", size);

	if (result == DOCA_SUCCESS)
		ctrl->recv_queue_size = size;
	return result;
}

/* What was set, or the default of the device. */
static doca_error_t
ctrl_number_get(const struct comch_ctrl *ctrl, uint32_t number, size_t dflt, uint32_t *out)
{
	struct rte_comch_dev_info info;
	doca_error_t result = DOCA_SUCCESS;

	if (number == 0) {
		result = doca_compat_func_limits(ctrl->ctx.func, &info);
		memcpy(&number, (const char *)&info + dflt, sizeof(number));
	}
	if (result == DOCA_SUCCESS)
		*out = number;
	return result;
}

doca_error_t
comch_ctrl_msg_size_get(const struct comch_ctrl *ctrl, uint32_t *size)
{
	if (ctrl == NULL || size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return ctrl_number_get(ctrl, ctrl->max_msg_size,
			offsetof(struct rte_comch_dev_info, dflt_msg_size), size);
}

doca_error_t
comch_ctrl_queue_size_get(const struct comch_ctrl *ctrl, uint32_t *size)
{
	if (ctrl == NULL || size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return ctrl_number_get(ctrl, ctrl->recv_queue_size,
			offsetof(struct rte_comch_dev_info, dflt_recv_queue_size), size);
}

doca_error_t
comch_ctrl_tasks_set(struct comch_ctrl *ctrl, doca_comch_task_send_completion_cb_t sent_cb,
		doca_comch_task_send_completion_cb_t not_sent_cb, uint32_t nb_tasks)
{
	doca_error_t result;

	if (sent_cb == NULL || not_sent_cb == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = ctrl_number_set(ctrl, offsetof(struct rte_comch_dev_info, max_ctrl_tasks),
			"the number of send tasks", nb_tasks);
	if (result != DOCA_SUCCESS)
		return result;
	ctrl->sent_cb = sent_cb;
	ctrl->not_sent_cb = not_sent_cb;
	ctrl->nb_tasks = nb_tasks;
	return DOCA_SUCCESS;
}

doca_error_t
comch_ctrl_recv_set(struct comch_ctrl *ctrl, doca_comch_event_msg_recv_cb_t cb)
{
	doca_error_t result = cb == NULL ? DOCA_ERROR_INVALID_VALUE : ctrl_settable(ctrl);

	if (result == DOCA_SUCCESS)
		ctrl->recv_cb = cb;
	return result;
}

doca_error_t
comch_ctrl_consumer_set(struct comch_ctrl *ctrl, doca_comch_event_consumer_cb_t new_cb,
		doca_comch_event_consumer_cb_t expired_cb)
{
	doca_error_t result;

	if (new_cb == NULL || expired_cb == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = ctrl_settable(ctrl);
	if (result != DOCA_SUCCESS)
		return result;
	ctrl->new_cb = new_cb;
	ctrl->expired_cb = expired_cb;
	return DOCA_SUCCESS;
}

doca_error_t
comch_ctrl_dev_get(const struct comch_ctrl *ctrl, struct doca_dev **dev)
{
	if (ctrl == NULL || dev == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*dev = ctrl->dev;
	return DOCA_SUCCESS;
}
