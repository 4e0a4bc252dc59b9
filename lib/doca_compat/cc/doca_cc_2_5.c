/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The registrations whose callbacks have other numbers in 2.5: the length of a message is
 * a size_t there, and the flag of a connection a bool. What the program registers is kept
 * in the server or client, and is called by a function of here that has the type of
 * doca_comch.h. Nothing else of 2.5.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_cc.h>
#include <doca_comch.h>
#include <doca_comch_ctrl_private.h>

/* Which one of the callbacks that a server or client keeps for us. */
enum {
	OUTER_RECV,
	OUTER_CONNECT,
	OUTER_DISCONNECT,
};

static inline struct comch_ctrl *
ctrl_of(struct doca_ctx *ctx)
{
	return (struct comch_ctrl *)ctx; /* its first field */
}

static void
msg_recv(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer, uint32_t msg_len,
		struct doca_comch_connection *connection)
{
	doca_compat_cc_2_5_msg_recv_cb_t cb =
			(doca_compat_cc_2_5_msg_recv_cb_t)ctrl_of(event->ctx)->outer_cb[OUTER_RECV];

	cb((struct doca_cc_event_msg_recv *)event, recv_buffer, msg_len,
			(struct doca_cc_connection *)connection);
}

static void
connection_changed(unsigned int which,
		struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *connection, uint8_t success)
{
	doca_compat_cc_2_5_connection_cb_t cb =
			(doca_compat_cc_2_5_connection_cb_t)ctrl_of(event->ctx)->outer_cb[which];

	cb((struct doca_cc_event_connection_status_changed *)event,
			(struct doca_cc_connection *)connection, success != 0);
}

static void
connected(struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *connection, uint8_t success)
{
	connection_changed(OUTER_CONNECT, event, connection, success);
}

static void
disconnected(struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *connection, uint8_t success)
{
	connection_changed(OUTER_DISCONNECT, event, connection, success);
}

doca_error_t
doca_compat_cc_2_5_server_event_msg_recv_register(struct doca_cc_server *server,
		doca_compat_cc_2_5_msg_recv_cb_t recv_cb)
{
	struct doca_comch_server *comch = (struct doca_comch_server *)server;
	doca_error_t result;

	result = doca_comch_server_event_msg_recv_register(comch,
			recv_cb == NULL ? NULL : msg_recv);
	if (result == DOCA_SUCCESS)
		ctrl_of(doca_comch_server_as_ctx(comch))->outer_cb[OUTER_RECV] =
				(void (*)(void))recv_cb;
	return result;
}

doca_error_t
doca_compat_cc_2_5_client_event_msg_recv_register(struct doca_cc_client *client,
		doca_compat_cc_2_5_msg_recv_cb_t recv_cb)
{
	struct doca_comch_client *comch = (struct doca_comch_client *)client;
	doca_error_t result;

	result = doca_comch_client_event_msg_recv_register(comch,
			recv_cb == NULL ? NULL : msg_recv);
	if (result == DOCA_SUCCESS)
		ctrl_of(doca_comch_client_as_ctx(comch))->outer_cb[OUTER_RECV] =
				(void (*)(void))recv_cb;
	return result;
}

doca_error_t
doca_compat_cc_2_5_server_event_connection_register(struct doca_cc_server *server,
		doca_compat_cc_2_5_connection_cb_t connect_cb,
		doca_compat_cc_2_5_connection_cb_t disconnect_cb)
{
	struct doca_comch_server *comch = (struct doca_comch_server *)server;
	struct comch_ctrl *ctrl;
	doca_error_t result;

	result = doca_comch_server_event_connection_status_changed_register(comch,
			connect_cb == NULL ? NULL : connected,
			disconnect_cb == NULL ? NULL : disconnected);
	if (result != DOCA_SUCCESS)
		return result;
	ctrl = ctrl_of(doca_comch_server_as_ctx(comch));
	ctrl->outer_cb[OUTER_CONNECT] = (void (*)(void))connect_cb;
	ctrl->outer_cb[OUTER_DISCONNECT] = (void (*)(void))disconnect_cb;
	return DOCA_SUCCESS;
}
