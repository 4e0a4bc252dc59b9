/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Endpoints before they listen or connect: limits, life, properties. Nothing here talks
 * to a peer.
 */

#include <stdlib.h>

#include <rte_common.h>

#include <doca_comm_channel_private.h>

/* Where nothing is set. The vendor's are not known. */
#define CC_DFLT_MSG_SIZE 4080
#define CC_DFLT_QUEUE 64

/* Queues are powers of two in 16 bits. */
static uint32_t
queue_limit(uint32_t max)
{
	return rte_align32prevpow2(RTE_MIN(max, (uint32_t)UINT16_MAX));
}

doca_error_t
cc_limits_get(struct doca_compat_func *func, struct cc_limits *limits)
{
	struct rte_comch_dev_info info;
	doca_error_t result;

	result = doca_compat_func_limits(func, &info);
	if (result != DOCA_SUCCESS)
		return result;
	limits->msg_size = RTE_MIN(info.max_msg_size, (uint32_t)UINT16_MAX);
	limits->send_queue = queue_limit(info.max_ctrl_tasks);
	limits->recv_queue = queue_limit(info.max_recv_queue_size);
	limits->nb_conns = info.max_clients;
	limits->serves = (info.capa & RTE_COMCH_CAPA_SERVER) != 0;
	return DOCA_SUCCESS;
}

static doca_error_t
property_check(const struct doca_comm_channel_ep_t *ep, const char *what, uint32_t value,
		uint32_t max)
{
	if (value <= max)
		return DOCA_SUCCESS;
	CC_LOG(ERROR, "%s is %u, of which %s takes %u: set less", what, value,
		doca_compat_dev_name(ep->dev), max);
	return DOCA_ERROR_INVALID_VALUE;
}

/* Properties may have been set before there was a device. */
doca_error_t
cc_conf_check(const struct doca_comm_channel_ep_t *ep, const struct cc_limits *limits)
{
	doca_error_t result;

	result = property_check(ep, "max_msg_size", ep->max_msg_size, limits->msg_size);
	if (result == DOCA_SUCCESS)
		result = property_check(ep, "send_queue_size", ep->send_queue,
				limits->send_queue);
	if (result == DOCA_SUCCESS)
		result = property_check(ep, "recv_queue_size", ep->recv_queue,
				limits->recv_queue);
	return result;
}

doca_error_t
doca_comm_channel_get_max_service_name_len(uint32_t *max_service_name_len)
{
	if (max_service_name_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*max_service_name_len = RTE_COMCH_NAME_SIZE;
	return DOCA_SUCCESS;
}

static doca_error_t
devinfo_limits(const struct doca_devinfo *devinfo, const uint32_t *out,
		struct cc_limits *limits)
{
	if (devinfo == NULL || out == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return cc_limits_get(doca_compat_devinfo_func(devinfo), limits);
}

doca_error_t
doca_comm_channel_get_max_message_size(struct doca_devinfo *devinfo, uint32_t *max_message_size)
{
	struct cc_limits limits;
	doca_error_t result;

	result = devinfo_limits(devinfo, max_message_size, &limits);
	if (result == DOCA_SUCCESS)
		*max_message_size = limits.msg_size;
	return result;
}

doca_error_t
doca_comm_channel_get_max_send_queue_size(struct doca_devinfo *devinfo,
		uint32_t *max_send_queue_size)
{
	struct cc_limits limits;
	doca_error_t result;

	result = devinfo_limits(devinfo, max_send_queue_size, &limits);
	if (result == DOCA_SUCCESS)
		*max_send_queue_size = limits.send_queue;
	return result;
}

doca_error_t
doca_comm_channel_get_max_recv_queue_size(struct doca_devinfo *devinfo,
		uint32_t *max_recv_queue_size)
{
	struct cc_limits limits;
	doca_error_t result;

	result = devinfo_limits(devinfo, max_recv_queue_size, &limits);
	if (result == DOCA_SUCCESS)
		*max_recv_queue_size = limits.recv_queue;
	return result;
}

doca_error_t
doca_comm_channel_get_service_max_num_connections(struct doca_devinfo *devinfo,
		uint32_t *max_num_connections)
{
	struct cc_limits limits;
	doca_error_t result;

	result = devinfo_limits(devinfo, max_num_connections, &limits);
	if (result == DOCA_SUCCESS)
		*max_num_connections = limits.nb_conns;
	return result;
}

doca_error_t
doca_comm_channel_ep_create(struct doca_comm_channel_ep_t **out)
{
	struct doca_comm_channel_ep_t *ep;

	if (out == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	ep = calloc(1, sizeof(*ep));
	if (ep == NULL)
		return DOCA_ERROR_NO_MEMORY;
	ep->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	ep->max_msg_size = CC_DFLT_MSG_SIZE;
	ep->send_queue = CC_DFLT_QUEUE;
	ep->recv_queue = CC_DFLT_QUEUE;
	TAILQ_INIT(&ep->up);
	TAILQ_INIT(&ep->ended);
	TAILQ_INIT(&ep->over);
	TAILQ_INIT(&ep->unused);
	cc_channels_init(ep);
	*out = ep;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *ep)
{
	if (ep == NULL)
		return DOCA_ERROR_NOT_CONNECTED;
	cc_watch_del(&ep->watch);
	doca_lock(&ep->lock);
	if (ep->role != CC_ROLE_NONE) {
		cc_flush(ep, NULL);
		cc_close(ep);
	}
	doca_unlock(&ep->lock);
	cc_channels_close(ep);
	cc_queues_free(ep);
	cc_peers_free(ep);
	free(ep->list);
	free(ep);
	return DOCA_SUCCESS;
}

doca_error_t
doca_comm_channel_ep_set_device(struct doca_comm_channel_ep_t *ep, struct doca_dev *device)
{
	doca_error_t result = DOCA_ERROR_BAD_STATE;

	if (ep == NULL || device == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_lock(&ep->lock);
	if (ep->role == CC_ROLE_NONE) {
		ep->dev = device;
		result = DOCA_SUCCESS;
	}
	doca_unlock(&ep->lock);
	return result;
}

doca_error_t
doca_comm_channel_ep_set_device_rep(struct doca_comm_channel_ep_t *ep,
		struct doca_dev_rep *device_rep)
{
	doca_error_t result = DOCA_ERROR_BAD_STATE;

	if (ep == NULL || device_rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_lock(&ep->lock);
	if (ep->role == CC_ROLE_NONE) {
		ep->rep = device_rep;
		result = DOCA_SUCCESS;
	}
	doca_unlock(&ep->lock);
	return result;
}

/* A value that the device does not take is refused here, if there is a device. */
static doca_error_t
property_set(struct doca_comm_channel_ep_t *ep, uint16_t *property, uint32_t value)
{
	uint16_t old = *property;
	struct cc_limits limits;
	doca_error_t result;

	if (ep->role != CC_ROLE_NONE)
		return DOCA_ERROR_BAD_STATE;
	if (value == 0 || value > UINT16_MAX)
		return DOCA_ERROR_INVALID_VALUE;
	*property = value;
	if (ep->dev == NULL)
		return DOCA_SUCCESS;
	result = cc_limits_get(doca_compat_dev_func(ep->dev), &limits);
	if (result == DOCA_SUCCESS)
		result = cc_conf_check(ep, &limits);
	if (result != DOCA_SUCCESS)
		*property = old;
	return result;
}

doca_error_t
doca_comm_channel_ep_set_max_msg_size(struct doca_comm_channel_ep_t *ep, uint16_t max_msg_size)
{
	doca_error_t result;

	if (ep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_lock(&ep->lock);
	result = property_set(ep, &ep->max_msg_size, max_msg_size);
	doca_unlock(&ep->lock);
	return result;
}

doca_error_t
doca_comm_channel_ep_set_send_queue_size(struct doca_comm_channel_ep_t *ep,
		uint16_t send_queue_size)
{
	doca_error_t result;

	if (ep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_lock(&ep->lock);
	result = property_set(ep, &ep->send_queue, send_queue_size == 0 ? 0 :
			rte_align32pow2(send_queue_size));
	doca_unlock(&ep->lock);
	return result;
}

doca_error_t
doca_comm_channel_ep_set_recv_queue_size(struct doca_comm_channel_ep_t *ep,
		uint16_t recv_queue_size)
{
	doca_error_t result;

	if (ep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_lock(&ep->lock);
	result = property_set(ep, &ep->recv_queue, recv_queue_size == 0 ? 0 :
			rte_align32pow2(recv_queue_size));
	doca_unlock(&ep->lock);
	return result;
}

doca_error_t
doca_comm_channel_ep_get_device(const struct doca_comm_channel_ep_t *ep,
		struct doca_dev **device)
{
	if (ep == NULL || device == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	cc_lock_get(ep);
	*device = ep->dev;
	cc_unlock_get(ep);
	return DOCA_SUCCESS;
}

doca_error_t
doca_comm_channel_ep_get_device_rep(const struct doca_comm_channel_ep_t *ep,
		struct doca_dev_rep **device_rep)
{
	if (ep == NULL || device_rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	cc_lock_get(ep);
	*device_rep = ep->rep;
	cc_unlock_get(ep);
	return DOCA_SUCCESS;
}

doca_error_t
doca_comm_channel_ep_get_max_msg_size(const struct doca_comm_channel_ep_t *ep,
		uint16_t *max_msg_size)
{
	if (ep == NULL || max_msg_size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	cc_lock_get(ep);
	*max_msg_size = ep->max_msg_size;
	cc_unlock_get(ep);
	return DOCA_SUCCESS;
}

doca_error_t
doca_comm_channel_ep_get_send_queue_size(const struct doca_comm_channel_ep_t *ep,
		uint16_t *send_queue_size)
{
	if (ep == NULL || send_queue_size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	cc_lock_get(ep);
	*send_queue_size = ep->send_queue;
	cc_unlock_get(ep);
	return DOCA_SUCCESS;
}

doca_error_t
doca_comm_channel_ep_get_recv_queue_size(const struct doca_comm_channel_ep_t *ep,
		uint16_t *recv_queue_size)
{
	if (ep == NULL || recv_queue_size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	cc_lock_get(ep);
	*recv_queue_size = ep->recv_queue;
	cc_unlock_get(ep);
	return DOCA_SUCCESS;
}
