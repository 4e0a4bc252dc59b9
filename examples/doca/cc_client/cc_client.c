/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The host's side of the oldest interface: connects, sends a message, shows the answer
 * and what the connection has counted. Written from the guides.
 */

#include <inttypes.h>

#include <doca_log.h>

#include "../common/endpoint.h"

#define SERVICE_NAME "cc_server"

DOCA_LOG_REGISTER(CC_CLIENT);

static doca_error_t
connect_to_service(struct endpoint *endpoint)
{
	doca_error_t result;

	result = doca_comm_channel_ep_connect(endpoint->ep, SERVICE_NAME, &endpoint->peer);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("Failed to connect: %s", doca_error_get_descr(result));
		return result;
	}
	while ((result = doca_comm_channel_peer_addr_update_info(endpoint->peer)) ==
			DOCA_ERROR_CONNECTION_INPROGRESS)
		short_sleep();
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("The connection failed: %s", doca_error_get_descr(result));
	else
		DOCA_LOG_INFO("Connected to %s", SERVICE_NAME);
	return result;
}

static void
show_counters(struct endpoint *endpoint)
{
	uint64_t sent, received;

	/* the service may have left, which is no error after its answer */
	(void)doca_comm_channel_peer_addr_update_info(endpoint->peer);
	if (doca_comm_channel_peer_addr_get_send_messages(endpoint->peer, &sent) ==
			DOCA_SUCCESS &&
			doca_comm_channel_peer_addr_get_recv_messages(endpoint->peer, &received) ==
			DOCA_SUCCESS)
		DOCA_LOG_INFO("%" PRIu64 " message sent, %" PRIu64 " received", sent, received);
}

static doca_error_t
run(const struct common_config *config)
{
	struct endpoint endpoint = { .ep = NULL };
	char text[CC_MAX_MSG_SIZE + 1];
	doca_error_t result, tmp;

	result = endpoint_create(&endpoint, config, false);
	if (result == DOCA_SUCCESS)
		result = connect_to_service(&endpoint);
	if (result == DOCA_SUCCESS)
		result = endpoint_send(&endpoint, config->text);
	if (result == DOCA_SUCCESS)
		result = endpoint_receive(&endpoint, text, sizeof(text));
	if (result == DOCA_SUCCESS) {
		DOCA_LOG_INFO("Received \"%s\"", text);
		show_counters(&endpoint);
	}
	tmp = endpoint_destroy(&endpoint);
	DOCA_ERROR_PROPAGATE(result, tmp);
	return result;
}

int
main(int argc, char **argv)
{
	struct common_config config = { DEFAULT_ADDRESSES, .text = "a message of the client" };
	doca_error_t result;

	result = begin("cc_client", &config, register_text_flag, argc, argv);
	if (result == DOCA_SUCCESS)
		result = run(&config);
	return finish(result);
}
