/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Endpoints before they listen or connect: limits, life, properties. Nothing here talks
 * to a peer.
 */

#include <stdlib.h>
#include <string.h>

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

static doca_error_t
limits_get(struct doca_compat_func *func, struct cc_limits *limits)
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

doca_error_t
cc_limits_get(const struct doca_comm_channel_ep_t *ep, struct cc_limits *limits)
{
	doca_error_t result;

	result = limits_get(doca_compat_dev_func(ep->dev), limits);
	/* properties may have been set before there was a device */
	if (result == DOCA_SUCCESS)
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

/* A limit of a device, which is this field. */
static doca_error_t
limit_get(const struct doca_devinfo *devinfo, size_t field, uint32_t *out)
{
	struct cc_limits limits;
	doca_error_t result;

	if (devinfo == NULL || out == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = limits_get(doca_compat_devinfo_func(devinfo), &limits);
	if (result == DOCA_SUCCESS)
		memcpy(out, (const char *)&limits + field, sizeof(*out));
	return result;
}

doca_error_t
doca_comm_channel_get_max_message_size(struct doca_devinfo *devinfo, uint32_t *max_message_size)
{
	return limit_get(devinfo, offsetof(struct cc_limits, msg_size), max_message_size);
}

doca_error_t
doca_comm_channel_get_max_send_queue_size(struct doca_devinfo *devinfo,
		uint32_t *max_send_queue_size)
{
	return limit_get(devinfo, offsetof(struct cc_limits, send_queue), max_send_queue_size);
}

doca_error_t
doca_comm_channel_get_max_recv_queue_size(struct doca_devinfo *devinfo,
		uint32_t *max_recv_queue_size)
{
	return limit_get(devinfo, offsetof(struct cc_limits, recv_queue), max_recv_queue_size);
}

doca_error_t
doca_comm_channel_get_service_max_num_connections(struct doca_devinfo *devinfo,
		uint32_t *max_num_connections)
{
	return limit_get(devinfo, offsetof(struct cc_limits, nb_conns), max_num_connections);
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

/* Set a pointer in this place. */
static doca_error_t
pointer_set(struct doca_comm_channel_ep_t *ep, size_t place, const void *pointer)
{
	doca_error_t result = DOCA_ERROR_BAD_STATE;

	if (ep == NULL || pointer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_lock(&ep->lock);
	if (ep->role == CC_ROLE_NONE) {
		memcpy((char *)ep + place, &pointer, sizeof(pointer));
		result = DOCA_SUCCESS;
	}
	doca_unlock(&ep->lock);
	return result;
}

doca_error_t
doca_comm_channel_ep_set_device(struct doca_comm_channel_ep_t *ep, struct doca_dev *device)
{
	return pointer_set(ep, offsetof(struct doca_comm_channel_ep_t, dev), device);
}

doca_error_t
doca_comm_channel_ep_set_device_rep(struct doca_comm_channel_ep_t *ep,
		struct doca_dev_rep *device_rep)
{
	return pointer_set(ep, offsetof(struct doca_comm_channel_ep_t, rep), device_rep);
}

/* A value that the device does not take is refused here, if there is a device. */
static doca_error_t
property_set_locked(struct doca_comm_channel_ep_t *ep, uint16_t *property, uint32_t value)
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
	result = cc_limits_get(ep, &limits);
	if (result != DOCA_SUCCESS)
		*property = old;
	return result;
}

static doca_error_t
property_set(struct doca_comm_channel_ep_t *ep, size_t property, uint32_t value)
{
	doca_error_t result;

	if (ep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_lock(&ep->lock);
	result = property_set_locked(ep, (uint16_t *)((char *)ep + property), value);
	doca_unlock(&ep->lock);
	return result;
}

static uint32_t
queue_size(uint16_t size)
{
	return size == 0 ? 0 : rte_align32pow2(size);
}

doca_error_t
doca_comm_channel_ep_set_max_msg_size(struct doca_comm_channel_ep_t *ep, uint16_t max_msg_size)
{
	return property_set(ep, offsetof(struct doca_comm_channel_ep_t, max_msg_size),
			max_msg_size);
}

doca_error_t
doca_comm_channel_ep_set_send_queue_size(struct doca_comm_channel_ep_t *ep,
		uint16_t send_queue_size)
{
	return property_set(ep, offsetof(struct doca_comm_channel_ep_t, send_queue),
			queue_size(send_queue_size));
}

doca_error_t
doca_comm_channel_ep_set_recv_queue_size(struct doca_comm_channel_ep_t *ep,
		uint16_t recv_queue_size)
{
	return property_set(ep, offsetof(struct doca_comm_channel_ep_t, recv_queue),
			queue_size(recv_queue_size));
}

/* What is in this place. */
static doca_error_t
field_get(const struct doca_comm_channel_ep_t *ep, size_t place, void *out, size_t size)
{
	if (ep == NULL || out == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	cc_lock_get(ep);
	memcpy(out, (const char *)ep + place, size);
	cc_unlock_get(ep);
	return DOCA_SUCCESS;
}

doca_error_t
doca_comm_channel_ep_get_device(const struct doca_comm_channel_ep_t *ep,
		struct doca_dev **device)
{
	return field_get(ep, offsetof(struct doca_comm_channel_ep_t, dev), device,
			sizeof(*device));
}

doca_error_t
doca_comm_channel_ep_get_device_rep(const struct doca_comm_channel_ep_t *ep,
		struct doca_dev_rep **device_rep)
{
	return field_get(ep, offsetof(struct doca_comm_channel_ep_t, rep), device_rep,
			sizeof(*device_rep));
}

doca_error_t
doca_comm_channel_ep_get_max_msg_size(const struct doca_comm_channel_ep_t *ep,
		uint16_t *max_msg_size)
{
	return field_get(ep, offsetof(struct doca_comm_channel_ep_t, max_msg_size), max_msg_size,
			sizeof(*max_msg_size));
}

doca_error_t
doca_comm_channel_ep_get_send_queue_size(const struct doca_comm_channel_ep_t *ep,
		uint16_t *send_queue_size)
{
	return field_get(ep, offsetof(struct doca_comm_channel_ep_t, send_queue), send_queue_size,
			sizeof(*send_queue_size));
}

doca_error_t
doca_comm_channel_ep_get_recv_queue_size(const struct doca_comm_channel_ep_t *ep,
		uint16_t *recv_queue_size)
{
	return field_get(ep, offsetof(struct doca_comm_channel_ep_t, recv_queue), recv_queue_size,
			sizeof(*recv_queue_size));
}
