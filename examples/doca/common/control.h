/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef CONTROL_H
#define CONTROL_H

/*
 * A server or a client with its progress engine, for programs that have one of them.
 * What happens on the connection is the program's own, in its callbacks.
 */

#include <stdbool.h>

#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_pe.h>

#include "common.h"

#define NUM_SEND_TASKS 1024
#define RECV_QUEUE_SIZE 10

struct control {
	struct doca_dev *dev;
	struct doca_dev_rep *rep;          /* servers only */
	struct doca_pe *pe;
	struct doca_comch_server *server;  /* one of these two */
	struct doca_comch_client *client;
	struct doca_ctx *ctx;
	uint32_t max_msg_size;
	uint32_t num_sending; /* tasks that are not completed */
	uint32_t sleep_us; /* the last one, 0 after there was something to do */
	doca_error_t result; /* the first error; callbacks set it */
};

/* The user data of the context is the user of control_start_server() and the like. */
struct control_callbacks {
	doca_ctx_state_changed_callback_t state_changed;
	doca_comch_event_msg_recv_cb_t received;
	/* servers only */
	doca_comch_event_connection_status_changed_cb_t connected;
	doca_comch_event_connection_status_changed_cb_t disconnected;
	/* may be NULL */
	doca_comch_event_consumer_cb_t new_consumer;
	doca_comch_event_consumer_cb_t expired_consumer;
};

/* With control_destroy() after it also if it fails. */
doca_error_t control_start_server(struct control *control, const struct common_config *config,
		const char *name, const struct control_callbacks *callbacks, void *user);
doca_error_t control_start_client(struct control *control, const struct common_config *config,
		const char *name, const struct control_callbacks *callbacks, void *user);

/* From callbacks as well. The bytes need not stay. */
doca_error_t control_send(struct control *control, struct doca_comch_connection *connection,
		const void *msg, size_t len);

/* Progresses, or sleeps: for 10 us, and for longer as long as there is nothing to do. */
void control_progress(struct control *control);

/* Waits until what was sent is delivered, or cannot be. */
void control_flush(struct control *control);

/* Stops the context unless that is done, and goes on until it is idle. */
void control_stop(struct control *control);

/* May be called again. */
void control_destroy(struct control *control);

#endif /* CONTROL_H */
