/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_CC_H
#define DOCA_CC_H

/**
 * @file
 *
 * Servers, clients and connections by their names of releases 2.5 and 2.6, for programs
 * that were written for them. Every function calls the one of doca_comch.h that it is
 * named after and returns what that returns, so this file has only what differs. New
 * programs use doca_comch.h. Fast path: doca_cc_producer.h, doca_cc_consumer.h.
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

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_dev;
struct doca_dev_rep;
struct doca_devinfo;
struct doca_task;

/** A server: a struct doca_comch_server. */
struct doca_cc_server;

/** A client: a struct doca_comch_client. */
struct doca_cc_client;

/** A connection: a struct doca_comch_connection. */
struct doca_cc_connection;

/** A control message on its way: a struct doca_comch_task_send. */
struct doca_cc_task_send;

/** The same as it is called in 2.5. */
struct doca_cc_send_task;

/** A message has come: a struct doca_comch_event_msg_recv. */
struct doca_cc_event_msg_recv;

/** A connection began or ended: a struct doca_comch_event_connection_status_changed. */
struct doca_cc_event_connection_status_changed;

/** A consumer of the peer began or ended: a struct doca_comch_event_consumer. */
struct doca_cc_event_consumer;

/** What is counted for a connection; the numbers of enum doca_comch_counter. */
enum doca_cc_counter {
	DOCA_CC_COUNTER_SENT_MESSAGES = 1, /**< Control messages sent. */
	DOCA_CC_COUNTER_SENT_BYTES = 2,    /**< Bytes in them. */
	DOCA_CC_COUNTER_RECV_MESSAGES = 3, /**< Control messages received. */
	DOCA_CC_COUNTER_RECV_BYTES = 4,    /**< Bytes in them. */
};

/**
 * A control message has been sent, or has failed.
 *
 * @param task
 *   The task, which is the program's again.
 * @param task_user_data
 *   Data of the task.
 * @param ctx_user_data
 *   Data of the server or client as a context.
 */
typedef void (*doca_cc_task_send_completion_cb_t)(struct doca_cc_task_send *task,
		union doca_data task_user_data, union doca_data ctx_user_data);

/**
 * The same in 2.5.
 *
 * @param task
 *   The task, which is the program's again.
 * @param task_user_data
 *   Data of the task.
 * @param ctx_user_data
 *   Data of the server or client as a context.
 */
typedef void (*doca_cc_send_task_completion_cb_t)(struct doca_cc_send_task *task,
		union doca_data task_user_data, union doca_data ctx_user_data);

/**
 * A consumer of the peer can be sent to, or no longer.
 *
 * @param event
 *   The event.
 * @param connection
 *   The connection on which the peer has it.
 * @param id
 *   Its number on that connection, from 1.
 */
typedef void (*doca_cc_event_consumer_cb_t)(struct doca_cc_event_consumer *event,
		struct doca_cc_connection *connection, uint32_t id);

#ifndef DOCA_COMPAT_CC_2_5
/**
 * A message has come.
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
typedef void (*doca_cc_event_msg_recv_cb_t)(struct doca_cc_event_msg_recv *event,
		uint8_t *recv_buffer, uint32_t msg_len, struct doca_cc_connection *connection);

/**
 * A connection has begun or ended.
 *
 * @param event
 *   The event.
 * @param connection
 *   The connection.
 * @param change_success
 *   1, or 0 if it has failed.
 */
typedef void (*doca_cc_event_connection_status_changed_cb_t)(
		struct doca_cc_event_connection_status_changed *event,
		struct doca_cc_connection *connection, uint8_t change_success);
#endif

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

/** @name Capabilities
 * @{
 */

/**
 * Whether a device can have servers.
 *
 * @param devinfo
 *   The device, of a list.
 * @return
 *   As doca_comch_cap_server_is_supported().
 */
DOCA_STABLE
doca_error_t doca_cc_cap_server_is_supported(const struct doca_devinfo *devinfo);

/**
 * Whether a device can have clients.
 *
 * @param devinfo
 *   The device, of a list.
 * @return
 *   As doca_comch_cap_client_is_supported().
 */
DOCA_STABLE
doca_error_t doca_cc_cap_client_is_supported(const struct doca_devinfo *devinfo);

/**
 * The bytes that the name of a server can have.
 *
 * @param devinfo
 *   The device, of a list.
 * @param[out] max_name_len
 *   Bytes, with the terminating NUL.
 * @return
 *   As doca_comch_cap_get_max_name_len().
 */
DOCA_STABLE
doca_error_t doca_cc_cap_get_max_name_len(const struct doca_devinfo *devinfo,
		uint32_t *max_name_len);

/**
 * The bytes that a control message can have.
 *
 * @param devinfo
 *   The device, of a list.
 * @param[out] size
 *   Bytes.
 * @return
 *   As doca_comch_cap_get_max_msg_size().
 */
DOCA_STABLE
doca_error_t doca_cc_cap_get_max_msg_size(const struct doca_devinfo *devinfo,
		uint32_t *size);

/**
 * The control messages that a receive queue can hold.
 *
 * @param devinfo
 *   The device, of a list.
 * @param[out] queue_size
 *   Messages.
 * @return
 *   As doca_comch_cap_get_max_recv_queue_size().
 */
DOCA_STABLE
doca_error_t doca_cc_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
		uint32_t *queue_size);

/**
 * The control messages that can be under way from a server or client.
 *
 * @param devinfo
 *   The device, of a list.
 * @param[out] max_send_tasks
 *   Tasks.
 * @return
 *   As doca_comch_cap_get_max_send_tasks().
 */
DOCA_STABLE
doca_error_t doca_cc_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
		uint32_t *max_send_tasks);

/**
 * The clients that a server can have.
 *
 * @param devinfo
 *   The device, of a list.
 * @param[out] num
 *   Clients.
 * @return
 *   As doca_comch_cap_get_max_clients().
 */
DOCA_STABLE
doca_error_t doca_cc_cap_get_max_clients(const struct doca_devinfo *devinfo, uint32_t *num);

/** @} */

/** @name Servers
 * @{
 */

/**
 * Create a server.
 *
 * @param dev
 *   The open device.
 * @param rep
 *   The open representor of the function whose clients may connect.
 * @param name
 *   Its name; copied.
 * @param[out] server
 *   The server.
 * @return
 *   As doca_comch_server_create().
 */
DOCA_STABLE
doca_error_t doca_cc_server_create(struct doca_dev *dev, struct doca_dev_rep *rep,
		const char *name, struct doca_cc_server **server);

/**
 * Destroy a server that is idle.
 *
 * @param server
 *   The server.
 * @return
 *   As doca_comch_server_destroy().
 */
DOCA_STABLE
doca_error_t doca_cc_server_destroy(struct doca_cc_server *server);

/**
 * The server as a context, to be started and stopped.
 *
 * @param server
 *   The server.
 * @return
 *   As doca_comch_server_as_ctx().
 */
DOCA_STABLE
struct doca_ctx *doca_cc_server_as_ctx(struct doca_cc_server *server);

/**
 * Set the largest control message.
 *
 * @param server
 *   The server.
 * @param size
 *   Bytes.
 * @return
 *   As doca_comch_server_set_max_msg_size().
 */
DOCA_STABLE
doca_error_t doca_cc_server_set_max_msg_size(struct doca_cc_server *server, uint32_t size);

/**
 * The largest control message.
 *
 * @param server
 *   The server.
 * @param[out] size
 *   Bytes.
 * @return
 *   As doca_comch_server_get_max_msg_size().
 */
DOCA_STABLE
doca_error_t doca_cc_server_get_max_msg_size(const struct doca_cc_server *server,
		uint32_t *size);

/**
 * Set the length of the receive queue.
 *
 * @param server
 *   The server.
 * @param size
 *   Messages.
 * @return
 *   As doca_comch_server_set_recv_queue_size().
 */
DOCA_STABLE
doca_error_t doca_cc_server_set_recv_queue_size(struct doca_cc_server *server,
		uint32_t size);

/**
 * The length of the receive queue.
 *
 * @param server
 *   The server.
 * @param[out] size
 *   Messages.
 * @return
 *   As doca_comch_server_get_recv_queue_size().
 */
DOCA_STABLE
doca_error_t doca_cc_server_get_recv_queue_size(const struct doca_cc_server *server,
		uint32_t *size);

/**
 * The device that a server was created on.
 *
 * @param server
 *   The server.
 * @param[out] dev
 *   The device.
 * @return
 *   As doca_comch_server_get_device().
 */
DOCA_STABLE
doca_error_t doca_cc_server_get_device(const struct doca_cc_server *server,
		struct doca_dev **dev);

/**
 * The representor that a server was created on.
 *
 * @param server
 *   The server.
 * @param[out] rep
 *   The representor.
 * @return
 *   As doca_comch_server_get_device_rep().
 */
DOCA_STABLE
doca_error_t doca_cc_server_get_device_repr(const struct doca_cc_server *server,
		struct doca_dev_rep **rep);

/**
 * The server of a connection.
 *
 * @param connection
 *   The connection.
 * @return
 *   As doca_comch_server_get_server_ctx().
 */
DOCA_STABLE
struct doca_cc_server *doca_cc_server_get_server_ctx(
		const struct doca_cc_connection *connection);

/**
 * Set the callbacks and the number of send tasks.
 *
 * @param server
 *   The server.
 * @param completion_cb
 *   Called when a message was sent.
 * @param error_cb
 *   Called when one has failed.
 * @param num_tasks
 *   Messages that can be under way.
 * @return
 *   As doca_comch_server_task_send_set_conf().
 */
DOCA_STABLE
doca_error_t doca_cc_server_task_send_set_conf(struct doca_cc_server *server,
		doca_cc_task_send_completion_cb_t completion_cb,
		doca_cc_task_send_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Make a task that sends a message.
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
doca_error_t doca_cc_server_task_send_alloc_init(struct doca_cc_server *server,
		struct doca_cc_connection *connection, const void *msg, uint32_t len,
		struct doca_cc_task_send **task);

/**
 * Set the callback for consumers of the peers.
 *
 * @param server
 *   The server.
 * @param new_consumer_cb
 *   Called when there is a new one.
 * @param expired_consumer_cb
 *   Called when one has gone.
 * @return
 *   As doca_comch_server_event_consumer_register().
 */
DOCA_STABLE
doca_error_t doca_cc_server_event_consumer_register(struct doca_cc_server *server,
		doca_cc_event_consumer_cb_t new_consumer_cb,
		doca_cc_event_consumer_cb_t expired_consumer_cb);

/**
 * Set the callbacks and the number of send tasks, by the name of 2.5.
 *
 * @param server
 *   The server.
 * @param completion_cb
 *   Called when a message was sent.
 * @param error_cb
 *   Called when one has failed.
 * @param num_tasks
 *   Messages that can be under way.
 * @return
 *   As doca_comch_server_task_send_set_conf().
 */
DOCA_STABLE
doca_error_t doca_cc_server_send_task_set_conf(struct doca_cc_server *server,
		doca_cc_send_task_completion_cb_t completion_cb,
		doca_cc_send_task_completion_cb_t error_cb, uint32_t num_tasks);

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

#ifndef DOCA_COMPAT_CC_2_5

/**
 * Set the callback for messages.
 *
 * @param server
 *   The server.
 * @param recv_cb
 *   Called for each message.
 * @return
 *   As doca_comch_server_event_msg_recv_register().
 */
DOCA_STABLE
doca_error_t doca_cc_server_event_msg_recv_register(struct doca_cc_server *server,
		doca_cc_event_msg_recv_cb_t recv_cb);

/**
 * Set the callbacks for connections.
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
doca_error_t doca_cc_server_event_connection_register(struct doca_cc_server *server,
		doca_cc_event_connection_status_changed_cb_t connect_cb,
		doca_cc_event_connection_status_changed_cb_t disconnect_cb);

#endif

/** @} */

/** @name Clients
 * @{
 */

/**
 * Create a client.
 *
 * @param dev
 *   The open device.
 * @param name
 *   The name of the server to connect to; copied.
 * @param[out] client
 *   The client.
 * @return
 *   As doca_comch_client_create().
 */
DOCA_STABLE
doca_error_t doca_cc_client_create(struct doca_dev *dev, const char *name,
		struct doca_cc_client **client);

/**
 * Destroy a client that is idle.
 *
 * @param client
 *   The client.
 * @return
 *   As doca_comch_client_destroy().
 */
DOCA_STABLE
doca_error_t doca_cc_client_destroy(struct doca_cc_client *client);

/**
 * The client as a context, to be started and stopped.
 *
 * @param client
 *   The client.
 * @return
 *   As doca_comch_client_as_ctx().
 */
DOCA_STABLE
struct doca_ctx *doca_cc_client_as_ctx(struct doca_cc_client *client);

/**
 * Set the largest control message.
 *
 * @param client
 *   The client.
 * @param size
 *   Bytes.
 * @return
 *   As doca_comch_client_set_max_msg_size().
 */
DOCA_STABLE
doca_error_t doca_cc_client_set_max_msg_size(struct doca_cc_client *client, uint32_t size);

/**
 * The largest control message.
 *
 * @param client
 *   The client.
 * @param[out] size
 *   Bytes.
 * @return
 *   As doca_comch_client_get_max_msg_size().
 */
DOCA_STABLE
doca_error_t doca_cc_client_get_max_msg_size(const struct doca_cc_client *client,
		uint32_t *size);

/**
 * Set the length of the receive queue.
 *
 * @param client
 *   The client.
 * @param size
 *   Messages.
 * @return
 *   As doca_comch_client_set_recv_queue_size().
 */
DOCA_STABLE
doca_error_t doca_cc_client_set_recv_queue_size(struct doca_cc_client *client,
		uint32_t size);

/**
 * The length of the receive queue.
 *
 * @param client
 *   The client.
 * @param[out] size
 *   Messages.
 * @return
 *   As doca_comch_client_get_recv_queue_size().
 */
DOCA_STABLE
doca_error_t doca_cc_client_get_recv_queue_size(const struct doca_cc_client *client,
		uint32_t *size);

/**
 * The device that a client was created on.
 *
 * @param client
 *   The client.
 * @param[out] dev
 *   The device.
 * @return
 *   As doca_comch_client_get_device().
 */
DOCA_STABLE
doca_error_t doca_cc_client_get_device(const struct doca_cc_client *client,
		struct doca_dev **dev);

/**
 * The connection of a client that is running.
 *
 * @param client
 *   The client.
 * @param[out] connection
 *   The connection.
 * @return
 *   As doca_comch_client_get_connection().
 */
DOCA_STABLE
doca_error_t doca_cc_client_get_connection(const struct doca_cc_client *client,
		struct doca_cc_connection **connection);

/**
 * The client of a connection.
 *
 * @param connection
 *   The connection.
 * @return
 *   As doca_comch_client_get_client_ctx().
 */
DOCA_STABLE
struct doca_cc_client *doca_cc_client_get_client_ctx(
		const struct doca_cc_connection *connection);

/**
 * Set the callbacks and the number of send tasks.
 *
 * @param client
 *   The client.
 * @param completion_cb
 *   Called when a message was sent.
 * @param error_cb
 *   Called when one has failed.
 * @param num_tasks
 *   Messages that can be under way.
 * @return
 *   As doca_comch_client_task_send_set_conf().
 */
DOCA_STABLE
doca_error_t doca_cc_client_task_send_set_conf(struct doca_cc_client *client,
		doca_cc_task_send_completion_cb_t completion_cb,
		doca_cc_task_send_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Make a task that sends a message.
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
doca_error_t doca_cc_client_task_send_alloc_init(struct doca_cc_client *client,
		struct doca_cc_connection *connection, const void *msg, uint32_t len,
		struct doca_cc_task_send **task);

/**
 * Set the callback for consumers of the peers.
 *
 * @param client
 *   The client.
 * @param new_consumer_cb
 *   Called when there is a new one.
 * @param expired_consumer_cb
 *   Called when one has gone.
 * @return
 *   As doca_comch_client_event_consumer_register().
 */
DOCA_STABLE
doca_error_t doca_cc_client_event_consumer_register(struct doca_cc_client *client,
		doca_cc_event_consumer_cb_t new_consumer_cb,
		doca_cc_event_consumer_cb_t expired_consumer_cb);

/**
 * Set the callbacks and the number of send tasks, by the name of 2.5.
 *
 * @param client
 *   The client.
 * @param completion_cb
 *   Called when a message was sent.
 * @param error_cb
 *   Called when one has failed.
 * @param num_tasks
 *   Messages that can be under way.
 * @return
 *   As doca_comch_client_task_send_set_conf().
 */
DOCA_STABLE
doca_error_t doca_cc_client_send_task_set_conf(struct doca_cc_client *client,
		doca_cc_send_task_completion_cb_t completion_cb,
		doca_cc_send_task_completion_cb_t error_cb, uint32_t num_tasks);

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

#ifndef DOCA_COMPAT_CC_2_5

/**
 * Set the callback for messages.
 *
 * @param client
 *   The client.
 * @param recv_cb
 *   Called for each message.
 * @return
 *   As doca_comch_client_event_msg_recv_register().
 */
DOCA_STABLE
doca_error_t doca_cc_client_event_msg_recv_register(struct doca_cc_client *client,
		doca_cc_event_msg_recv_cb_t recv_cb);

#endif

/** @} */

/** @name Connections
 * @{
 */

/**
 * Attach data of the program to a connection.
 *
 * @param connection
 *   The connection.
 * @param user_data
 *   The data.
 * @return
 *   As doca_comch_connection_set_user_data().
 */
DOCA_STABLE
doca_error_t doca_cc_connection_set_user_data(struct doca_cc_connection *connection,
		union doca_data user_data);

/**
 * The data that were attached to a connection.
 *
 * @param connection
 *   The connection.
 * @return
 *   As doca_comch_connection_get_user_data().
 */
DOCA_STABLE
union doca_data doca_cc_connection_get_user_data(
		const struct doca_cc_connection *connection);

/**
 * Take the counters of a connection, to be read afterwards.
 *
 * @param connection
 *   The connection.
 * @return
 *   As doca_comch_connection_update_info().
 */
DOCA_STABLE
doca_error_t doca_cc_connection_update_info(struct doca_cc_connection *connection);

/**
 * A counter, as it was when the counters were taken.
 *
 * @param connection
 *   The connection.
 * @param counter
 *   Which one.
 * @param[out] value
 *   Its value.
 * @return
 *   As doca_comch_connection_get_counter().
 */
DOCA_STABLE
doca_error_t doca_cc_connection_get_counter(const struct doca_cc_connection *connection,
		enum doca_cc_counter counter, uint64_t *value);

/**
 * A task as the engine knows it, to be submitted and freed.
 *
 * @param task
 *   The task.
 * @return
 *   As doca_comch_task_send_as_task().
 */
DOCA_STABLE
struct doca_task *doca_cc_task_send_as_task(struct doca_cc_task_send *task);

/**
 * The same in 2.5.
 *
 * @param task
 *   The task.
 * @return
 *   As doca_comch_task_send_as_task().
 */
DOCA_STABLE
struct doca_task *doca_cc_send_task_as_task(struct doca_cc_send_task *task);

/** @} */

#ifdef DOCA_COMPAT_CC_2_5

/** A message has come. */
typedef doca_compat_cc_2_5_msg_recv_cb_t doca_cc_event_msg_recv_cb_t;

/** A connection has begun or ended. */
typedef doca_compat_cc_2_5_connection_cb_t doca_cc_event_connection_status_changed_cb_t;

static inline doca_error_t
doca_cc_server_event_msg_recv_register(struct doca_cc_server *server,
		doca_cc_event_msg_recv_cb_t recv_cb)
{
	return doca_compat_cc_2_5_server_event_msg_recv_register(server, recv_cb);
}

static inline doca_error_t
doca_cc_client_event_msg_recv_register(struct doca_cc_client *client,
		doca_cc_event_msg_recv_cb_t recv_cb)
{
	return doca_compat_cc_2_5_client_event_msg_recv_register(client, recv_cb);
}

static inline doca_error_t
doca_cc_server_event_connection_register(struct doca_cc_server *server,
		doca_cc_event_connection_status_changed_cb_t connect_cb,
		doca_cc_event_connection_status_changed_cb_t disconnect_cb)
{
	return doca_compat_cc_2_5_server_event_connection_register(server, connect_cb,
			disconnect_cb);
}

#endif /* DOCA_COMPAT_CC_2_5 */

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CC_H */
