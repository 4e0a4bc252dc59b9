/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef ENDPOINT_H
#define ENDPOINT_H

/* An endpoint of the oldest interface, from its device's address on, and the way back. */

#include <doca_comm_channel.h>
#include <doca_dev.h>
#include <doca_error.h>

#include "common.h"

#define CC_MAX_MSG_SIZE 4080
#define CC_MAX_QUEUE_SIZE 10

struct endpoint {
	struct doca_comm_channel_ep_t *ep;
	struct doca_comm_channel_addr_t *peer; /* NULL: none */
	struct doca_dev *dev;
	struct doca_dev_rep *rep; /* of the card's side */
};

/* With endpoint_destroy() after it also if it fails. service: the card's side. */
doca_error_t endpoint_create(struct endpoint *endpoint, const struct common_config *config,
		bool service);

/* Tries until there is room, and until there is a message. */
doca_error_t endpoint_send(struct endpoint *endpoint, const char *text);
doca_error_t endpoint_receive(struct endpoint *endpoint, char *text, size_t size);

doca_error_t endpoint_destroy(struct endpoint *endpoint);

#endif /* ENDPOINT_H */
