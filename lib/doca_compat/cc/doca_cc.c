/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What is more than another name in 2.5 and 2.6. Tasks of producers have no immediate data
 * there, and in 2.5 lengths are a size_t and numbers of tasks are logarithms. Callbacks of
 * 2.5 have other types too: what the program registers is kept in the server or client, and
 * is called by a function of here that has the type of doca_comch.h. All else is a macro.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_cc.h>
#include <doca_cc_consumer.h>
#include <doca_cc_producer.h>
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

	cb(event, recv_buffer, msg_len, connection);
}

static void
connection_changed(unsigned int which,
		struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *connection, uint8_t success)
{
	doca_compat_cc_2_5_connection_cb_t cb =
			(doca_compat_cc_2_5_connection_cb_t)ctrl_of(event->ctx)->outer_cb[which];

	cb(event, connection, success != 0);
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
doca_compat_cc_2_5_server_event_msg_recv_register(struct doca_comch_server *server,
		doca_compat_cc_2_5_msg_recv_cb_t recv_cb)
{
	doca_error_t result;

	result = doca_comch_server_event_msg_recv_register(server,
			recv_cb == NULL ? NULL : msg_recv);
	if (result == DOCA_SUCCESS)
		ctrl_of(doca_comch_server_as_ctx(server))->outer_cb[OUTER_RECV] =
				(void (*)(void))recv_cb;
	return result;
}

doca_error_t
doca_compat_cc_2_5_client_event_msg_recv_register(struct doca_comch_client *client,
		doca_compat_cc_2_5_msg_recv_cb_t recv_cb)
{
	doca_error_t result;

	result = doca_comch_client_event_msg_recv_register(client,
			recv_cb == NULL ? NULL : msg_recv);
	if (result == DOCA_SUCCESS)
		ctrl_of(doca_comch_client_as_ctx(client))->outer_cb[OUTER_RECV] =
				(void (*)(void))recv_cb;
	return result;
}

doca_error_t
doca_compat_cc_2_5_server_event_connection_register(struct doca_comch_server *server,
		doca_compat_cc_2_5_connection_cb_t connect_cb,
		doca_compat_cc_2_5_connection_cb_t disconnect_cb)
{
	struct comch_ctrl *ctrl;
	doca_error_t result;

	result = doca_comch_server_event_connection_status_changed_register(server,
			connect_cb == NULL ? NULL : connected,
			disconnect_cb == NULL ? NULL : disconnected);
	if (result != DOCA_SUCCESS)
		return result;
	ctrl = ctrl_of(doca_comch_server_as_ctx(server));
	ctrl->outer_cb[OUTER_CONNECT] = (void (*)(void))connect_cb;
	ctrl->outer_cb[OUTER_DISCONNECT] = (void (*)(void))disconnect_cb;
	return DOCA_SUCCESS;
}

doca_error_t
doca_cc_server_send_task_alloc_init(struct doca_comch_server *server,
		struct doca_comch_connection *connection, const void *msg, size_t len,
		struct doca_comch_task_send **task)
{
	if (len > UINT32_MAX)
		return DOCA_ERROR_INVALID_VALUE;
	return doca_comch_server_task_send_alloc_init(server, connection, msg, (uint32_t)len, task);
}

doca_error_t
doca_cc_client_send_task_alloc_init(struct doca_comch_client *client,
		struct doca_comch_connection *connection, const void *msg, size_t len,
		struct doca_comch_task_send **task)
{
	if (len > UINT32_MAX)
		return DOCA_ERROR_INVALID_VALUE;
	return doca_comch_client_task_send_alloc_init(client, connection, msg, (uint32_t)len, task);
}

static doca_error_t
log_of(doca_error_t result, uint32_t num, uint32_t *log)
{
	if (result != DOCA_SUCCESS)
		return result;
	for (*log = 0; num >> *log > 1; (*log)++)
		continue;
	return DOCA_SUCCESS;
}

doca_error_t
doca_cc_consumer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo,
		uint32_t *max_log_num_tasks)
{
	uint32_t num = 0;
	doca_error_t result;

	result = doca_comch_consumer_cap_get_max_num_tasks(devinfo,
			max_log_num_tasks == NULL ? NULL : &num);
	return log_of(result, num, max_log_num_tasks);
}

doca_error_t
doca_cc_producer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo,
		uint32_t *max_log_num_tasks)
{
	uint32_t num = 0;
	doca_error_t result;

	result = doca_comch_producer_cap_get_max_num_tasks(devinfo,
			max_log_num_tasks == NULL ? NULL : &num);
	return log_of(result, num, max_log_num_tasks);
}

doca_error_t
doca_cc_consumer_post_recv_task_set_conf(struct doca_comch_consumer *consumer,
		doca_comch_consumer_task_post_recv_completion_cb_t completion_cb,
		doca_comch_consumer_task_post_recv_completion_cb_t error_cb, uint32_t log_num_tasks)
{
	if (log_num_tasks > 31)
		return DOCA_ERROR_INVALID_VALUE;
	return doca_comch_consumer_task_post_recv_set_conf(consumer, completion_cb, error_cb,
			1u << log_num_tasks);
}

doca_error_t
doca_cc_producer_send_task_set_conf(struct doca_comch_producer *producer,
		doca_comch_producer_task_send_completion_cb_t completion_cb,
		doca_comch_producer_task_send_completion_cb_t error_cb, uint32_t log_num_tasks)
{
	if (log_num_tasks > 31)
		return DOCA_ERROR_INVALID_VALUE;
	return doca_comch_producer_task_send_set_conf(producer, completion_cb, error_cb,
			1u << log_num_tasks);
}

doca_error_t
doca_cc_producer_task_send_alloc_init(struct doca_comch_producer *producer,
		struct doca_buf *buf, uint32_t consumer_id,
		struct doca_comch_producer_task_send **task)
{
	return doca_comch_producer_task_send_alloc_init(producer, buf, NULL, 0, consumer_id,
			task);
}

struct doca_buf *
doca_cc_producer_task_send_get_buf(const struct doca_comch_producer_task_send *task)
{
	/* it came in as one that may be written to */
	return (struct doca_buf *)(uintptr_t)doca_comch_producer_task_send_get_buf(task);
}
