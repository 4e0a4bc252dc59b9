/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The card's side of the oldest interface: listens, shows the first message that comes,
 * answers it and ends at once. Written from the guides.
 */

#include <doca_log.h>

#include "../common/endpoint.h"

#define SERVICE_NAME "cc_server"

DOCA_LOG_REGISTER(CC_SERVER);

static doca_error_t
run(const struct common_config *config)
{
	struct endpoint endpoint = { .ep = NULL };
	char text[CC_MAX_MSG_SIZE + 1];
	doca_error_t result, tmp;

	result = endpoint_create(&endpoint, config, true);
	if (result == DOCA_SUCCESS) {
		result = doca_comm_channel_ep_listen(endpoint.ep, SERVICE_NAME);
		if (result != DOCA_SUCCESS)
			DOCA_LOG_ERR("Failed to listen: %s", doca_error_get_descr(result));
	}
	if (result == DOCA_SUCCESS) {
		DOCA_LOG_INFO("Service %s waits for clients of %s", SERVICE_NAME, config->rep_pci);
		result = endpoint_receive(&endpoint, text, sizeof(text));
	}
	if (result == DOCA_SUCCESS) {
		DOCA_LOG_INFO("Received \"%s\"", text);
		result = endpoint_send(&endpoint, config->text);
	}
	tmp = endpoint_destroy(&endpoint);
	DOCA_ERROR_PROPAGATE(result, tmp);
	return result;
}

int
main(int argc, char **argv)
{
	struct common_config config = { DEFAULT_ADDRESSES, .text = "a message of the service" };
	doca_error_t result;

	result = begin("cc_server", &config, register_text_flag, argc, argv);
	if (result == DOCA_SUCCESS)
		result = run(&config);
	return finish(result);
}
