/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_COMCH_H
#define DOCA_COMCH_H

/**
 * @file
 *
 * Comch: servers, clients, the connections between them, and control messages.
 *
 * A server lives on the card, for the host's function behind a representor; a client
 * lives on the host, and has one connection, to the server of its name. Both are
 * contexts: created, connected to a progress engine, configured, started. Settings are
 * made while the context is IDLE. A client that cannot connect falls back to IDLE, and
 * the reason is logged.
 *
 * A program has to set, before it starts a server or client: the send task
 * (..._task_send_set_conf()), the callback for messages; for a server those for
 * connections, too.
 *
 * Producers and consumers, for data at a high rate, are made on connections, with the
 * headers of their names.
 */

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

/** A server. */
struct doca_comch_server;
/** A client. */
struct doca_comch_client;
/**
 * A connection. A server has one from the connect callback on until the disconnect
 * callback returns, a client while it is RUNNING or STOPPING.
 */
struct doca_comch_connection;
/** A task that sends a control message. */
struct doca_comch_task_send;
/** What a callback for messages is called with; has no functions. */
struct doca_comch_event_msg_recv;
/** What a callback for connections is called with; has no functions. */
struct doca_comch_event_connection_status_changed;
/** What a callback for consumers is called with; has no functions. */
struct doca_comch_event_consumer;

/** Counters of a connection. @see doca_comch_connection_get_counter() */
enum doca_comch_counter {
	DOCA_COMCH_COUNTER_SENT_MESSAGES = 1, /**< Control messages delivered. */
	DOCA_COMCH_COUNTER_SENT_BYTES = 2,    /**< Their bytes. */
	DOCA_COMCH_COUNTER_RECV_MESSAGES = 3, /**< Control messages received. */
	DOCA_COMCH_COUNTER_RECV_BYTES = 4,    /**< Their bytes. */
};

/**
 * Called when a send task has ended, one for success and one for errors: the message was
 * delivered to the context of the peer, or not. The task is the program's again, which
 * submits it anew, keeps it, or frees it.
 *
 * @param task
 *   The task.
 * @param task_user_data
 *   What doca_task_set_user_data() was given.
 * @param ctx_user_data
 *   What doca_ctx_set_user_data() was given.
 */
typedef void (*doca_comch_task_send_completion_cb_t)(struct doca_comch_task_send *task,
		union doca_data task_user_data, union doca_data ctx_user_data);

/**
 * Called for each control message.
 *
 * @param event
 *   Has no functions.
 * @param recv_buffer
 *   The message, until the callback returns.
 * @param msg_len
 *   Its length in bytes.
 * @param comch_connection
 *   The connection it came on.
 */
typedef void (*doca_comch_event_msg_recv_cb_t)(struct doca_comch_event_msg_recv *event,
		uint8_t *recv_buffer, uint32_t msg_len,
		struct doca_comch_connection *comch_connection);

/**
 * Called when a client has connected to a server, and when it is gone.
 *
 * @param event
 *   Has no functions.
 * @param comch_connection
 *   The connection. When it is gone, its user data and its server can still be read.
 * @param change_successful
 *   1: a connection that failed is not told of, and the end of one is an end whoever
 *   caused it.
 */
typedef void (*doca_comch_event_connection_status_changed_cb_t)(
		struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *comch_connection, uint8_t change_successful);

/**
 * Called when a consumer of the peer has come, and when it is gone. With the end of a
 * connection all of them are gone, without a call.
 *
 * @param event
 *   Has no functions.
 * @param comch_connection
 *   The connection it is on.
 * @param id
 *   Its number, from 1, unique on the connection.
 */
typedef void (*doca_comch_event_consumer_cb_t)(struct doca_comch_event_consumer *event,
		struct doca_comch_connection *comch_connection, uint32_t id);

/** @name Capabilities
 * Any thread may call these functions.
 * @{
 */

/**
 * Tell whether there can be servers on a device.
 *
 * @param devinfo
 *   The device.
 * @return
 *   - DOCA_SUCCESS: there can.
 *   - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 *   - DOCA_ERROR_NOT_SUPPORTED: there cannot.
 *   - DOCA_ERROR_INITIALIZATION: the environment does not start, which is logged.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_server_is_supported(const struct doca_devinfo *devinfo);

/**
 * Tell whether there can be clients on a device.
 *
 * @param devinfo
 *   The device.
 * @return
 *   - DOCA_SUCCESS: there can.
 *   - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 *   - DOCA_ERROR_NOT_SUPPORTED: there cannot.
 *   - DOCA_ERROR_INITIALIZATION: the environment does not start, which is logged.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_client_is_supported(const struct doca_devinfo *devinfo);

/**
 * Get the length of the longest name of a server, the final NUL included.
 *
 * @param devinfo
 *   The device.
 * @param[out] max_name_len
 *   Bytes.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 *   - DOCA_ERROR_INITIALIZATION: the environment does not start, which is logged.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_name_len(const struct doca_devinfo *devinfo,
		uint32_t *max_name_len);

/**
 * Get the length of the longest control message.
 *
 * @param devinfo
 *   The device.
 * @param[out] max_msg_size
 *   Bytes.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 *   - DOCA_ERROR_INITIALIZATION: the environment does not start, which is logged.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_msg_size(const struct doca_devinfo *devinfo,
		uint32_t *max_msg_size);

/**
 * Get the size of the largest receive queue.
 *
 * @param devinfo
 *   The device.
 * @param[out] max_recv_queue_size
 *   Messages.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 *   - DOCA_ERROR_INITIALIZATION: the environment does not start, which is logged.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
		uint32_t *max_recv_queue_size);

/**
 * Get the largest number of send tasks of a server or client.
 *
 * @param devinfo
 *   The device.
 * @param[out] max_send_tasks
 *   Tasks.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 *   - DOCA_ERROR_INITIALIZATION: the environment does not start, which is logged.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
		uint32_t *max_send_tasks);

/**
 * Get the largest number of clients of a server.
 *
 * @param devinfo
 *   The device.
 * @param[out] max_clients
 *   Clients.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 *   - DOCA_ERROR_INITIALIZATION: the environment does not start, which is logged.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_clients(const struct doca_devinfo *devinfo,
		uint32_t *max_clients);

/** @} */

/** @name Servers
 * @{
 */

/**
 * Create a server.
 *
 * @param dev
 *   The device of the card. It stays open until the server is destroyed.
 * @param repr
 *   The representor of the function whose programs are to be served. It stays open, too.
 * @param name
 *   Its name, copied: 1 byte or more, up to doca_comch_cap_get_max_name_len() with the
 *   NUL.
 * @param[out] server
 *   The server, IDLE; the caller owns it.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the name is empty or too long.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 *   - DOCA_ERROR_NOT_SUPPORTED: there are no servers on this device.
 */
DOCA_STABLE
doca_error_t doca_comch_server_create(struct doca_dev *dev, struct doca_dev_rep *repr,
		const char *name, struct doca_comch_server **server);

/**
 * Destroy a server. May be called in its state callback that says IDLE.
 *
 * @param server
 *   The server, IDLE.
 * @return
 *   - DOCA_SUCCESS: the handle is void.
 *   - DOCA_ERROR_INVALID_VALUE: server is NULL.
 *   - DOCA_ERROR_IN_USE: it is not IDLE; stop it first.
 */
DOCA_STABLE
doca_error_t doca_comch_server_destroy(struct doca_comch_server *server);

/**
 * Set the length of the longest control message. If both sides set one, they have to be
 * equal.
 *
 * @param server
 *   The server, IDLE.
 * @param max_msg_size
 *   Bytes, from 1 to that of doca_comch_cap_get_max_msg_size().
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: server is NULL, or the size is out of range.
 *   - DOCA_ERROR_BAD_STATE: it is not IDLE.
 */
DOCA_STABLE
doca_error_t doca_comch_server_set_max_msg_size(struct doca_comch_server *server,
		uint32_t max_msg_size);

/**
 * Get the length of the longest control message: what was set, or the default. What was
 * not set is the peer's to say, which holds for a connection and not for this.
 *
 * @param server
 *   The server, in any state.
 * @param[out] max_msg_size
 *   Bytes.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_max_msg_size(const struct doca_comch_server *server,
		uint32_t *max_msg_size);

/**
 * Set how many control messages of the largest size wait for their callback,
 * on each connection.
 * Tasks of the peer that send more do not end before there is room.
 *
 * @param server
 *   The server, IDLE.
 * @param recv_queue_size
 *   Messages, from 1 to that of doca_comch_cap_get_max_recv_queue_size().
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: server is NULL, or the size is out of range.
 *   - DOCA_ERROR_BAD_STATE: it is not IDLE.
 */
DOCA_STABLE
doca_error_t doca_comch_server_set_recv_queue_size(struct doca_comch_server *server,
		uint32_t recv_queue_size);

/**
 * Get the size of the receive queue: what was set, or the default.
 *
 * @param server
 *   The server, in any state.
 * @param[out] recv_queue_size
 *   Messages.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_recv_queue_size(const struct doca_comch_server *server,
		uint32_t *recv_queue_size);

/**
 * Get the device of a server.
 *
 * @param server
 *   The server, in any state.
 * @param[out] dev
 *   The device that it was created with.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_device(const struct doca_comch_server *server,
		struct doca_dev **dev);

/**
 * Get the representor of a server.
 *
 * @param server
 *   The server, in any state.
 * @param[out] rep
 *   The representor that it was created with.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_device_rep(const struct doca_comch_server *server,
		struct doca_dev_rep **rep);

/**
 * doca_comch_server_get_device_rep() by its name of 2.7.
 *
 * @param server
 *   As there.
 * @param[out] rep
 *   As there.
 * @return
 *   As there.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_server_get_device_repr(const struct doca_comch_server *server,
		struct doca_dev_rep **rep);

/**
 * Get the context of a server.
 *
 * @param server
 *   The server.
 * @return
 *   Its context; NULL if server is NULL.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_server_as_ctx(struct doca_comch_server *server);

/**
 * Configure the send tasks.
 *
 * @param server
 *   The server, IDLE.
 * @param task_completion_cb
 *   Called for tasks whose message was delivered.
 * @param task_error_cb
 *   Called for all others.
 * @param num_send_tasks
 *   Tasks, from 1 to that of doca_comch_cap_get_max_send_tasks(),
 *   shared by all connections.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the number is out of range.
 *   - DOCA_ERROR_BAD_STATE: it is not IDLE.
 */
DOCA_STABLE
doca_error_t doca_comch_server_task_send_set_conf(struct doca_comch_server *server,
		doca_comch_task_send_completion_cb_t task_completion_cb,
		doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Take a send task. One that could be taken can be submitted, unless the connection ends.
 *
 * @param server
 *   The server, RUNNING.
 * @param connection
 *   A connection of it.
 * @param msg
 *   The message. It is copied when the task is submitted, each time.
 * @param len
 *   Its length in bytes, from 1 to the max_msg_size that both sides have agreed on.
 * @param[out] task
 *   The task; the program's.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, the length is out of range, or the
 *     connection is not of this server.
 *   - DOCA_ERROR_BAD_STATE: the server is not RUNNING.
 *   - DOCA_ERROR_NOT_CONNECTED: the connection has ended.
 *   - DOCA_ERROR_NO_MEMORY: all tasks are in use; progress, until one is freed.
 */
DOCA_STABLE
doca_error_t doca_comch_server_task_send_alloc_init(struct doca_comch_server *server,
		struct doca_comch_connection *connection, const void *msg, uint32_t len,
		struct doca_comch_task_send **task);

/**
 * Set the callback for control messages.
 *
 * @param server
 *   The server, IDLE.
 * @param recv_event_cb
 *   The callback.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is not IDLE.
 */
DOCA_STABLE
doca_error_t doca_comch_server_event_msg_recv_register(struct doca_comch_server *server,
		doca_comch_event_msg_recv_cb_t recv_event_cb);

/**
 * End a connection. The client is told, and falls to IDLE. The disconnect callback is
 * called in a later doca_pe_progress(). May be called in the connect callback, to refuse
 * a client.
 *
 * @param server
 *   The server.
 * @param connection
 *   A connection of it.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the connection is not of this
 *     server.
 *   - DOCA_ERROR_IN_USE: producers or consumers of this side on the connection are not
 *     IDLE and destroyed.
 *   - DOCA_ERROR_NOT_CONNECTED: the connection has ended, or is about to.
 */
DOCA_STABLE
doca_error_t doca_comch_server_disconnect(struct doca_comch_server *server,
		struct doca_comch_connection *connection);

/**
 * Set the callbacks for connections.
 *
 * @param server
 *   The server, IDLE.
 * @param connect_event_cb
 *   Called when a client has connected.
 * @param disconnect_event_cb
 *   Called when one is gone, whoever ended it.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is not IDLE.
 */
DOCA_STABLE
doca_error_t doca_comch_server_event_connection_status_changed_register(
		struct doca_comch_server *server,
		doca_comch_event_connection_status_changed_cb_t connect_event_cb,
		doca_comch_event_connection_status_changed_cb_t disconnect_event_cb);

/**
 * doca_comch_server_event_connection_status_changed_register() by its name of 2.7.
 *
 * @param server
 *   As there.
 * @param connect_event_cb
 *   As there.
 * @param disconnect_event_cb
 *   As there.
 * @return
 *   As there.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_server_event_connection_register(
		struct doca_comch_server *server,
		doca_comch_event_connection_status_changed_cb_t connect_event_cb,
		doca_comch_event_connection_status_changed_cb_t disconnect_event_cb);

/**
 * Set the callbacks for consumers of the peer. Needed by programs with producers only.
 *
 * @param server
 *   The server, IDLE.
 * @param new_consumer_event_cb
 *   Called for a consumer that has come.
 * @param expired_consumer_event_cb
 *   Called for one that is gone.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is not IDLE.
 */
DOCA_STABLE
doca_error_t doca_comch_server_event_consumer_register(struct doca_comch_server *server,
		doca_comch_event_consumer_cb_t new_consumer_event_cb,
		doca_comch_event_consumer_cb_t expired_consumer_event_cb);

/**
 * Get the server of a connection.
 *
 * @param connection
 *   The connection.
 * @return
 *   The server; NULL if connection is NULL, belongs to a client, or ended a while ago.
 */
DOCA_STABLE
struct doca_comch_server *doca_comch_server_get_server_ctx(
		const struct doca_comch_connection *connection);

/** @} */

/** @name Clients
 * @{
 */

/**
 * Create a client.
 *
 * @param dev
 *   The device of the host. It stays open until the client is destroyed.
 * @param name
 *   Name of the server, copied: 1 byte or more, up to doca_comch_cap_get_max_name_len()
 *   with the NUL.
 * @param[out] client
 *   The client, IDLE; the caller owns it.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the name is empty or too long.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 *   - DOCA_ERROR_NOT_SUPPORTED: there are no clients on this device.
 */
DOCA_STABLE
doca_error_t doca_comch_client_create(struct doca_dev *dev, const char *name,
		struct doca_comch_client **client);

/**
 * Destroy a client. May be called in its state callback that says IDLE.
 *
 * @param client
 *   The client, IDLE.
 * @return
 *   - DOCA_SUCCESS: the handle is void.
 *   - DOCA_ERROR_INVALID_VALUE: client is NULL.
 *   - DOCA_ERROR_IN_USE: it is not IDLE; stop it first.
 */
DOCA_STABLE
doca_error_t doca_comch_client_destroy(struct doca_comch_client *client);

/**
 * Set the length of the longest control message. If both sides set one, they have to be
 * equal.
 *
 * @param client
 *   The client, IDLE.
 * @param max_msg_size
 *   Bytes, from 1 to that of doca_comch_cap_get_max_msg_size().
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: client is NULL, or the size is out of range.
 *   - DOCA_ERROR_BAD_STATE: it is not IDLE.
 */
DOCA_STABLE
doca_error_t doca_comch_client_set_max_msg_size(struct doca_comch_client *client,
		uint32_t max_msg_size);

/**
 * Get the length of the longest control message: what was set, or the default. What was
 * not set is the peer's to say, which holds for a connection and not for this.
 *
 * @param client
 *   The client, in any state.
 * @param[out] max_msg_size
 *   Bytes.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_max_msg_size(const struct doca_comch_client *client,
		uint32_t *max_msg_size);

/**
 * Set how many control messages of the largest size wait for their callback.
 * Tasks of the peer that send more do not end before there is room.
 *
 * @param client
 *   The client, IDLE.
 * @param recv_queue_size
 *   Messages, from 1 to that of doca_comch_cap_get_max_recv_queue_size().
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: client is NULL, or the size is out of range.
 *   - DOCA_ERROR_BAD_STATE: it is not IDLE.
 */
DOCA_STABLE
doca_error_t doca_comch_client_set_recv_queue_size(struct doca_comch_client *client,
		uint32_t recv_queue_size);

/**
 * Get the size of the receive queue: what was set, or the default.
 *
 * @param client
 *   The client, in any state.
 * @param[out] recv_queue_size
 *   Messages.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_recv_queue_size(const struct doca_comch_client *client,
		uint32_t *recv_queue_size);

/**
 * Get the device of a client.
 *
 * @param client
 *   The client, in any state.
 * @param[out] dev
 *   The device that it was created with.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_device(const struct doca_comch_client *client,
		struct doca_dev **dev);

/**
 * Get the context of a client.
 *
 * @param client
 *   The client.
 * @return
 *   Its context; NULL if client is NULL.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_client_as_ctx(struct doca_comch_client *client);

/**
 * Configure the send tasks.
 *
 * @param client
 *   The client, IDLE.
 * @param task_completion_cb
 *   Called for tasks whose message was delivered.
 * @param task_error_cb
 *   Called for all others.
 * @param num_send_tasks
 *   Tasks, from 1 to that of doca_comch_cap_get_max_send_tasks().
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the number is out of range.
 *   - DOCA_ERROR_BAD_STATE: it is not IDLE.
 */
DOCA_STABLE
doca_error_t doca_comch_client_task_send_set_conf(struct doca_comch_client *client,
		doca_comch_task_send_completion_cb_t task_completion_cb,
		doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Take a send task. One that could be taken can be submitted, unless the connection ends.
 *
 * @param client
 *   The client, RUNNING.
 * @param connection
 *   A connection of it.
 * @param msg
 *   The message. It is copied when the task is submitted, each time.
 * @param len
 *   Its length in bytes, from 1 to the max_msg_size that both sides have agreed on.
 * @param[out] task
 *   The task; the program's.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, the length is out of range, or the
 *     connection is not of this client.
 *   - DOCA_ERROR_BAD_STATE: the client is not RUNNING.
 *   - DOCA_ERROR_NOT_CONNECTED: the connection has ended.
 *   - DOCA_ERROR_NO_MEMORY: all tasks are in use; progress, until one is freed.
 */
DOCA_STABLE
doca_error_t doca_comch_client_task_send_alloc_init(struct doca_comch_client *client,
		struct doca_comch_connection *connection, const void *msg, uint32_t len,
		struct doca_comch_task_send **task);

/**
 * Set the callback for control messages.
 *
 * @param client
 *   The client, IDLE.
 * @param recv_event_cb
 *   The callback.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is not IDLE.
 */
DOCA_STABLE
doca_error_t doca_comch_client_event_msg_recv_register(struct doca_comch_client *client,
		doca_comch_event_msg_recv_cb_t recv_event_cb);

/**
 * Get the connection of a client.
 *
 * @param client
 *   The client, RUNNING or STOPPING.
 * @param[out] connection
 *   Its connection, until the client is IDLE.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 *   - DOCA_ERROR_BAD_STATE: the client is not connected.
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_connection(const struct doca_comch_client *client,
		struct doca_comch_connection **connection);

/**
 * Set the callbacks for consumers of the peer. Needed by programs with producers only.
 *
 * @param client
 *   The client, IDLE.
 * @param new_consumer_event_cb
 *   Called for a consumer that has come.
 * @param expired_consumer_event_cb
 *   Called for one that is gone.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is not IDLE.
 */
DOCA_STABLE
doca_error_t doca_comch_client_event_consumer_register(struct doca_comch_client *client,
		doca_comch_event_consumer_cb_t new_consumer_event_cb,
		doca_comch_event_consumer_cb_t expired_consumer_event_cb);

/**
 * Get the client of a connection.
 *
 * @param connection
 *   The connection.
 * @return
 *   The client; NULL if connection is NULL, belongs to a server, or ended a while ago.
 */
DOCA_STABLE
struct doca_comch_client *doca_comch_client_get_client_ctx(
		const struct doca_comch_connection *connection);

/** @} */

/** @name Connections
 * @{
 */

/**
 * Keep data of the program with a connection.
 *
 * @param connection
 *   The connection.
 * @param user_data
 *   Anything; never followed. Zero at first.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: connection is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_connection_set_user_data(struct doca_comch_connection *connection,
		union doca_data user_data);

/**
 * Get what doca_comch_connection_set_user_data() was given.
 *
 * @param connection
 *   The connection.
 * @return
 *   Its data; zero if connection is NULL.
 */
DOCA_STABLE
union doca_data doca_comch_connection_get_user_data(
		const struct doca_comch_connection *connection);

/**
 * Take a snapshot of the counters of a connection.
 *
 * @param connection
 *   The connection.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: connection is NULL.
 *   - DOCA_ERROR_CONNECTION_ABORTED: the connection has ended; the last snapshot stays.
 */
DOCA_STABLE
doca_error_t doca_comch_connection_update_info(struct doca_comch_connection *connection);

/**
 * Get a counter of the last snapshot; 0 if there is none.
 *
 * @param connection
 *   The connection.
 * @param counter_type
 *   The counter.
 * @param[out] counter_value
 *   Its value.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or there is no such counter.
 */
DOCA_STABLE
doca_error_t doca_comch_connection_get_counter(const struct doca_comch_connection *connection,
		enum doca_comch_counter counter_type, uint64_t *counter_value);

/** @} */

/** @name Send tasks
 * @{
 */

/**
 * Convert a send task, for the functions of all tasks.
 *
 * @param task
 *   The task.
 * @return
 *   The same; NULL if task is NULL.
 */
DOCA_STABLE
struct doca_task *doca_comch_task_send_as_task(struct doca_comch_task_send *task);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_H */
