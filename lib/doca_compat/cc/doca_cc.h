/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_CC_H
#define DOCA_CC_H

/**
 * @file
 *
 * Servers, clients and connections by their names of releases 2.5 and 2.6, for programs
 * that were written for them. A name is a macro for one of doca_comch.h, where it is
 * described; what differs is a function here. A structure that a program declares itself
 * has to be declared after this file. New programs use doca_comch.h. Fast path:
 * doca_cc_producer.h, doca_cc_consumer.h.
 *
 * Releases 2.5 and 2.6 differ in names, which are all here. They also differ in the type
 * of three callbacks whose registrations have one and the same name: the length of a
 * message is a size_t in 2.5, and the flag of a connection a bool. Those are as in 2.6
 * unless the program is compiled with DOCA_COMPAT_CC_2_5 defined. Files of one program
 * may differ in that.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_comch.h>
#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @cond */
/* structures, an enumeration and types of callbacks */
#define doca_cc_server doca_comch_server
#define doca_cc_client doca_comch_client
#define doca_cc_connection doca_comch_connection
#define doca_cc_task_send doca_comch_task_send
#define doca_cc_send_task doca_comch_task_send
#define doca_cc_event_msg_recv doca_comch_event_msg_recv
#define doca_cc_event_connection_status_changed doca_comch_event_connection_status_changed
#define doca_cc_event_consumer doca_comch_event_consumer
#define doca_cc_counter doca_comch_counter
#define DOCA_CC_COUNTER_SENT_MESSAGES DOCA_COMCH_COUNTER_SENT_MESSAGES
#define DOCA_CC_COUNTER_SENT_BYTES DOCA_COMCH_COUNTER_SENT_BYTES
#define DOCA_CC_COUNTER_RECV_MESSAGES DOCA_COMCH_COUNTER_RECV_MESSAGES
#define DOCA_CC_COUNTER_RECV_BYTES DOCA_COMCH_COUNTER_RECV_BYTES
#define doca_cc_task_send_completion_cb_t doca_comch_task_send_completion_cb_t
#define doca_cc_send_task_completion_cb_t doca_comch_task_send_completion_cb_t
#define doca_cc_event_consumer_cb_t doca_comch_event_consumer_cb_t

/* capabilities */
#define doca_cc_cap_server_is_supported doca_comch_cap_server_is_supported
#define doca_cc_cap_client_is_supported doca_comch_cap_client_is_supported
#define doca_cc_cap_get_max_name_len doca_comch_cap_get_max_name_len
#define doca_cc_cap_get_max_msg_size doca_comch_cap_get_max_msg_size
#define doca_cc_cap_get_max_recv_queue_size doca_comch_cap_get_max_recv_queue_size
#define doca_cc_cap_get_max_send_tasks doca_comch_cap_get_max_send_tasks
#define doca_cc_cap_get_max_clients doca_comch_cap_get_max_clients

/* servers; a name with send_task is of 2.5 */
#define doca_cc_server_create doca_comch_server_create
#define doca_cc_server_destroy doca_comch_server_destroy
#define doca_cc_server_as_ctx doca_comch_server_as_ctx
#define doca_cc_server_set_max_msg_size doca_comch_server_set_max_msg_size
#define doca_cc_server_get_max_msg_size doca_comch_server_get_max_msg_size
#define doca_cc_server_set_recv_queue_size doca_comch_server_set_recv_queue_size
#define doca_cc_server_get_recv_queue_size doca_comch_server_get_recv_queue_size
#define doca_cc_server_get_device doca_comch_server_get_device
#define doca_cc_server_get_device_repr doca_comch_server_get_device_rep
#define doca_cc_server_get_server_ctx doca_comch_server_get_server_ctx
#define doca_cc_server_task_send_set_conf doca_comch_server_task_send_set_conf
#define doca_cc_server_task_send_alloc_init doca_comch_server_task_send_alloc_init
#define doca_cc_server_event_consumer_register doca_comch_server_event_consumer_register
#define doca_cc_server_send_task_set_conf doca_comch_server_task_send_set_conf

/* clients */
#define doca_cc_client_create doca_comch_client_create
#define doca_cc_client_destroy doca_comch_client_destroy
#define doca_cc_client_as_ctx doca_comch_client_as_ctx
#define doca_cc_client_set_max_msg_size doca_comch_client_set_max_msg_size
#define doca_cc_client_get_max_msg_size doca_comch_client_get_max_msg_size
#define doca_cc_client_set_recv_queue_size doca_comch_client_set_recv_queue_size
#define doca_cc_client_get_recv_queue_size doca_comch_client_get_recv_queue_size
#define doca_cc_client_get_device doca_comch_client_get_device
#define doca_cc_client_get_connection doca_comch_client_get_connection
#define doca_cc_client_get_client_ctx doca_comch_client_get_client_ctx
#define doca_cc_client_task_send_set_conf doca_comch_client_task_send_set_conf
#define doca_cc_client_task_send_alloc_init doca_comch_client_task_send_alloc_init
#define doca_cc_client_event_consumer_register doca_comch_client_event_consumer_register
#define doca_cc_client_send_task_set_conf doca_comch_client_task_send_set_conf

/* connections and tasks */
#define doca_cc_connection_set_user_data doca_comch_connection_set_user_data
#define doca_cc_connection_get_user_data doca_comch_connection_get_user_data
#define doca_cc_connection_update_info doca_comch_connection_update_info
#define doca_cc_connection_get_counter doca_comch_connection_get_counter
#define doca_cc_task_send_as_task doca_comch_task_send_as_task
#define doca_cc_send_task_as_task doca_comch_task_send_as_task

#ifdef DOCA_COMPAT_CC_2_5
#define doca_cc_event_msg_recv_cb_t doca_compat_cc_2_5_msg_recv_cb_t
#define doca_cc_event_connection_status_changed_cb_t doca_compat_cc_2_5_connection_cb_t
#define doca_cc_server_event_msg_recv_register doca_compat_cc_2_5_server_event_msg_recv_register
#define doca_cc_client_event_msg_recv_register doca_compat_cc_2_5_client_event_msg_recv_register
#define doca_cc_server_event_connection_register \
	doca_compat_cc_2_5_server_event_connection_register
#else
#define doca_cc_event_msg_recv_cb_t doca_comch_event_msg_recv_cb_t
#define doca_cc_event_connection_status_changed_cb_t \
	doca_comch_event_connection_status_changed_cb_t
#define doca_cc_server_event_msg_recv_register doca_comch_server_event_msg_recv_register
#define doca_cc_client_event_msg_recv_register doca_comch_client_event_msg_recv_register
#define doca_cc_server_event_connection_register \
	doca_comch_server_event_connection_status_changed_register
#endif
/** @endcond */

/**
 * A message has come, as 2.5 says it.
 *
 * @param event
 *   The event.
 * @param recv_buffer
 *   The message; valid until the callback returns.
 * @param msg_len
 *   Its bytes.
 * @param connection
 *   Where it came from.
 */
typedef void (*doca_compat_cc_2_5_msg_recv_cb_t)(struct doca_cc_event_msg_recv *event,
		uint8_t *recv_buffer, size_t msg_len, struct doca_cc_connection *connection);

/**
 * A connection has begun or ended, as 2.5 says it.
 *
 * @param event
 *   The event.
 * @param connection
 *   The connection.
 * @param change_success
 *   Whether it has not failed.
 */
typedef void (*doca_compat_cc_2_5_connection_cb_t)(
		struct doca_cc_event_connection_status_changed *event,
		struct doca_cc_connection *connection, bool change_success);

/**
 * Make a task that sends a message, by the name of 2.5.
 *
 * @param server
 *   The server.
 * @param connection
 *   A connection of the server.
 * @param msg
 *   The message.
 * @param len
 *   Its bytes.
 * @param[out] task
 *   The task.
 * @return
 *   As doca_comch_server_task_send_alloc_init().
 */
DOCA_STABLE
doca_error_t doca_cc_server_send_task_alloc_init(struct doca_cc_server *server,
		struct doca_cc_connection *connection, const void *msg, size_t len,
		struct doca_cc_send_task **task);

/**
 * Make a task that sends a message, by the name of 2.5.
 *
 * @param client
 *   The client.
 * @param connection
 *   A connection of the client.
 * @param msg
 *   The message.
 * @param len
 *   Its bytes.
 * @param[out] task
 *   The task.
 * @return
 *   As doca_comch_client_task_send_alloc_init().
 */
DOCA_STABLE
doca_error_t doca_cc_client_send_task_alloc_init(struct doca_cc_client *client,
		struct doca_cc_connection *connection, const void *msg, size_t len,
		struct doca_cc_send_task **task);

/**
 * Set the callback for messages as 2.5 has it. A program says
 * doca_cc_server_event_msg_recv_register().
 *
 * @param server
 *   The server.
 * @param recv_cb
 *   Called for each message.
 * @return
 *   As doca_comch_server_event_msg_recv_register().
 */
DOCA_STABLE
doca_error_t doca_compat_cc_2_5_server_event_msg_recv_register(
		struct doca_cc_server *server, doca_compat_cc_2_5_msg_recv_cb_t recv_cb);

/**
 * Set the callback for messages as 2.5 has it. A program says
 * doca_cc_client_event_msg_recv_register().
 *
 * @param client
 *   The client.
 * @param recv_cb
 *   Called for each message.
 * @return
 *   As doca_comch_client_event_msg_recv_register().
 */
DOCA_STABLE
doca_error_t doca_compat_cc_2_5_client_event_msg_recv_register(
		struct doca_cc_client *client, doca_compat_cc_2_5_msg_recv_cb_t recv_cb);

/**
 * Set the callbacks for connections as 2.5 has them. A program says
 * doca_cc_server_event_connection_register().
 *
 * @param server
 *   The server.
 * @param connect_cb
 *   Called when one has begun.
 * @param disconnect_cb
 *   Called when one has ended.
 * @return
 *   As doca_comch_server_event_connection_status_changed_register().
 */
DOCA_STABLE
doca_error_t doca_compat_cc_2_5_server_event_connection_register(
		struct doca_cc_server *server,
		doca_compat_cc_2_5_connection_cb_t connect_cb,
		doca_compat_cc_2_5_connection_cb_t disconnect_cb);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CC_H */
