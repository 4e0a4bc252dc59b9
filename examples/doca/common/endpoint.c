/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* An endpoint of the oldest interface: properties, polling, and the way back. */

#include <time.h>

#include <doca_log.h>

#include "endpoint.h"

DOCA_LOG_REGISTER(ENDPOINT);

static void
sleep_1us(void)
{
	const struct timespec ts = { .tv_nsec = 1000 };

	nanosleep(&ts, NULL);
}

doca_error_t
endpoint_create(struct endpoint *endpoint, const struct common_config *config, bool service)
{
	doca_error_t result;

	result = doca_comm_channel_ep_create(&endpoint->ep);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("Failed to create an endpoint: %s", doca_error_get_descr(result));
		return result;
	}
	result = open_device(config->pci_addr, NULL, &endpoint->dev);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comm_channel_ep_set_device(endpoint->ep, endpoint->dev);
	if (result == DOCA_SUCCESS && service) {
		result = open_representor(endpoint->dev, config->rep_pci, &endpoint->rep);
		if (result != DOCA_SUCCESS)
			return result;
		result = doca_comm_channel_ep_set_device_rep(endpoint->ep, endpoint->rep);
	}
	DOCA_ERROR_PROPAGATE(result, doca_comm_channel_ep_set_max_msg_size(endpoint->ep,
			CC_MAX_MSG_SIZE));
	DOCA_ERROR_PROPAGATE(result, doca_comm_channel_ep_set_send_queue_size(endpoint->ep,
			CC_MAX_QUEUE_SIZE));
	DOCA_ERROR_PROPAGATE(result, doca_comm_channel_ep_set_recv_queue_size(endpoint->ep,
			CC_MAX_QUEUE_SIZE));
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("Failed to set a property: %s", doca_error_get_descr(result));
	return result;
}

doca_error_t
endpoint_send(struct endpoint *endpoint, const char *text)
{
	doca_error_t result;

	while ((result = doca_comm_channel_ep_sendto(endpoint->ep, text, strlen(text),
			DOCA_CC_MSG_FLAG_NONE, endpoint->peer)) == DOCA_ERROR_AGAIN)
		sleep_1us();
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("Failed to send: %s", doca_error_get_descr(result));
	return result;
}

doca_error_t
endpoint_receive(struct endpoint *endpoint, char *text, size_t size)
{
	size_t len = size - 1;
	doca_error_t result;

	while ((result = doca_comm_channel_ep_recvfrom(endpoint->ep, text, &len,
			DOCA_CC_MSG_FLAG_NONE, &endpoint->peer)) == DOCA_ERROR_AGAIN)
		sleep_1us();
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("Failed to receive: %s", doca_error_get_descr(result));
		return result;
	}
	text[len] = '\0';
	return DOCA_SUCCESS;
}

doca_error_t
endpoint_destroy(struct endpoint *endpoint)
{
	doca_error_t result = DOCA_SUCCESS, tmp;

	if (endpoint->peer != NULL) {
		tmp = doca_comm_channel_ep_disconnect(endpoint->ep, endpoint->peer);
		DOCA_ERROR_PROPAGATE(result, tmp);
	}
	if (endpoint->ep != NULL) {
		tmp = doca_comm_channel_ep_destroy(endpoint->ep);
		DOCA_ERROR_PROPAGATE(result, tmp);
	}
	if (endpoint->rep != NULL) {
		tmp = doca_dev_rep_close(endpoint->rep);
		DOCA_ERROR_PROPAGATE(result, tmp);
	}
	if (endpoint->dev != NULL) {
		tmp = doca_dev_close(endpoint->dev);
		DOCA_ERROR_PROPAGATE(result, tmp);
	}
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("Failed to clean up: %s", doca_error_get_descr(result));
	return result;
}
