/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef BULK_H
#define BULK_H

/*
 * Bulk transfer both ways: what the main thread, which has the connection, shares with
 * the two threads that send and receive.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include <doca_comch.h>
#include <doca_error.h>

#include "../common/control.h"

struct bulk_config {
	struct common_config common;
	int msg_size; /* bytes of each message that is sent */
	int num_msgs;
};

/* The first message of each side. */
struct bulk_start {
	uint32_t msg_size;
	uint32_t num_msgs;
};

struct bulk {
	struct control control;
	const struct bulk_config *config;
	struct doca_comch_connection *connection;
	struct bulk_start remote;       /* what will be received */
	bool started;                   /* remote is there */
	bool remote_finished;
	atomic_bool connected;          /* ends the threads when it becomes false */
	atomic_uint remote_consumer_id; /* 0: none yet */
};

/* One direction, in a thread of its own. */
struct direction {
	pthread_t thread;
	struct bulk *bulk;
	doca_error_t result;
	uint32_t num_msgs; /* done */
	uint64_t elapsed_ms;
	atomic_bool finished;
};

void *bulk_send(void *direction);
void *bulk_receive(void *direction);

#endif /* BULK_H */
