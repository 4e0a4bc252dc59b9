/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_COMM_CHANNEL_H
#define DOCA_COMM_CHANNEL_H

/**
 * @file
 *
 * Comm Channel: endpoints that send and receive messages between the host and the card.
 * The oldest of the three interfaces; new programs use doca_comch.h.
 *
 * An endpoint is created, configured, and then either listens as a service on the card,
 * or connects as a client on the host. A service has many connections, a client has one.
 * A connection is named by a peer address.
 *
 * Nothing waits, except that doca_comm_channel_ep_connect() looks for the service for a
 * moment, and that doca_comm_channel_ep_disconnect() and doca_comm_channel_ep_destroy()
 * see that messages that were sent get there. Whoever wants to sleep uses event channels.
 *
 * Functions on one endpoint and its peer addresses may be called by several threads: each
 * call holds a lock of the endpoint. doca_comm_channel_ep_destroy() must be the last one.
 *
 * Every function that returns a result returns DOCA_ERROR_INVALID_VALUE where a pointer
 * that is needed is NULL.
 */

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An endpoint: a service or a client. */
struct doca_comm_channel_ep_t;

/**
 * A peer address: one connection of an endpoint. It is valid until
 * doca_comm_channel_ep_disconnect() or the end of the endpoint.
 */
struct doca_comm_channel_addr_t;

/** Flags of messages. */
enum doca_comm_channel_msg_flags {
	DOCA_CC_MSG_FLAG_NONE = 0, /**< No flag; there is no other. */
};

/** @name Limits
 * @{
 */

/**
 * Get the length of the longest name of a service.
 *
 * @param[out] max_service_name_len
 *   Bytes, with the terminating NUL.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a pointer is NULL.
 */
DOCA_STABLE
doca_error_t doca_comm_channel_get_max_service_name_len(uint32_t *max_service_name_len);

/**
 * Get the largest value for doca_comm_channel_ep_set_max_msg_size().
 *
 * @param devinfo
 *   The device.
 * @param[out] max_message_size
 *   Bytes.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a pointer is NULL.
 *   - DOCA_ERROR_NOT_SUPPORTED, DOCA_ERROR_INITIALIZATION, DOCA_ERROR_DRIVER: the device
 *     cannot be asked; the log says why.
 */
DOCA_STABLE
doca_error_t doca_comm_channel_get_max_message_size(struct doca_devinfo *devinfo,
		uint32_t *max_message_size);

/**
 * Get the largest value for doca_comm_channel_ep_set_send_queue_size().
 *
 * @param devinfo
 *   The device.
 * @param[out] max_send_queue_size
 *   Messages; a power of two.
 * @return
 *   As doca_comm_channel_get_max_message_size().
 */
DOCA_STABLE
doca_error_t doca_comm_channel_get_max_send_queue_size(struct doca_devinfo *devinfo,
		uint32_t *max_send_queue_size);

/**
 * Get the largest value for doca_comm_channel_ep_set_recv_queue_size().
 *
 * @param devinfo
 *   The device.
 * @param[out] max_recv_queue_size
 *   Messages; a power of two.
 * @return
 *   As doca_comm_channel_get_max_message_size().
 */
DOCA_STABLE
doca_error_t doca_comm_channel_get_max_recv_queue_size(struct doca_devinfo *devinfo,
		uint32_t *max_recv_queue_size);

/** doca_comm_channel_get_max_recv_queue_size() by another spelling. */
#define doca_comm_channel_get_max_rcv_queue_size doca_comm_channel_get_max_recv_queue_size

/**
 * Get the number of connections that a service can have at one time.
 *
 * @param devinfo
 *   The device.
 * @param[out] max_num_connections
 *   Connections. 0 would mean that there is no limit; there always is one.
 * @return
 *   As doca_comm_channel_get_max_message_size().
 */
DOCA_STABLE
doca_error_t doca_comm_channel_get_service_max_num_connections(struct doca_devinfo *devinfo,
		uint32_t *max_num_connections);

/** @} */

/** @name Endpoints
 * @{
 */

/**
 * Create an endpoint.
 *
 * @param[out] ep
 *   The endpoint; destroy it with doca_comm_channel_ep_destroy().
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a pointer is NULL.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_ep_t **ep);

/**
 * End all connections of an endpoint as doca_comm_channel_ep_disconnect() does, close its
 * event channels, and free it with its peer addresses.
 *
 * @param ep
 *   The endpoint; no other call on it may run.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_NOT_CONNECTED: there is no endpoint: the pointer is NULL.
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *ep);

/**
 * Set the device of an endpoint, which is needed. It cannot be closed while the endpoint
 * listens or has a connection.
 *
 * @param local_ep
 *   The endpoint; neither listening nor connected.
 * @param device
 *   The device.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a pointer is NULL.
 *   - DOCA_ERROR_BAD_STATE: the endpoint listens or has a connection.
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_set_device(struct doca_comm_channel_ep_t *local_ep,
		struct doca_dev *device);

/**
 * Set the representor of an endpoint, which a service needs: the function whose clients
 * it serves.
 *
 * @param local_ep
 *   The endpoint; neither listening nor connected.
 * @param device_rep
 *   The representor.
 * @return
 *   As doca_comm_channel_ep_set_device().
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_set_device_rep(struct doca_comm_channel_ep_t *local_ep,
		struct doca_dev_rep *device_rep);

/**
 * Set the length of the longest message. It may be raised.
 *
 * @param local_ep
 *   The endpoint; neither listening nor connected.
 * @param max_msg_size
 *   Bytes, from 1 to doca_comm_channel_get_max_message_size().
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: local_ep is NULL, or the value is out of range. What the
 *     device takes is checked here if the endpoint has one, else when it listens or
 *     connects.
 *   - DOCA_ERROR_BAD_STATE: the endpoint listens or has a connection.
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_set_max_msg_size(struct doca_comm_channel_ep_t *local_ep,
		uint16_t max_msg_size);

/**
 * Set the number of messages that may be on their way on each connection. It is raised
 * to a power of two.
 *
 * @param local_ep
 *   The endpoint; neither listening nor connected.
 * @param send_queue_size
 *   Messages, from 1 to doca_comm_channel_get_max_send_queue_size().
 * @return
 *   As doca_comm_channel_ep_set_max_msg_size().
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_set_send_queue_size(struct doca_comm_channel_ep_t *local_ep,
		uint16_t send_queue_size);

/**
 * Set the number of messages that wait for doca_comm_channel_ep_recvfrom(). When so many
 * do, reception is held back, and those of the peers wait at the peers. It is raised to a
 * power of two.
 *
 * @param local_ep
 *   The endpoint; neither listening nor connected.
 * @param recv_queue_size
 *   Messages, from 1 to doca_comm_channel_get_max_recv_queue_size().
 * @return
 *   As doca_comm_channel_ep_set_max_msg_size().
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_set_recv_queue_size(struct doca_comm_channel_ep_t *local_ep,
		uint16_t recv_queue_size);

/** doca_comm_channel_ep_set_recv_queue_size() by another spelling. */
#define doca_comm_channel_ep_set_rcv_queue_size doca_comm_channel_ep_set_recv_queue_size

/**
 * Get the device of an endpoint.
 *
 * @param local_ep
 *   The endpoint.
 * @param[out] device
 *   The device; NULL if none is set.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a pointer is NULL.
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_get_device(const struct doca_comm_channel_ep_t *local_ep,
		struct doca_dev **device);

/**
 * Get the representor of an endpoint.
 *
 * @param local_ep
 *   The endpoint.
 * @param[out] device_rep
 *   The representor; NULL if none is set.
 * @return
 *   As doca_comm_channel_ep_get_device().
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_get_device_rep(const struct doca_comm_channel_ep_t *local_ep,
		struct doca_dev_rep **device_rep);

/**
 * Get the length of the longest message: the default, or what was set, perhaps raised.
 *
 * @param local_ep
 *   The endpoint.
 * @param[out] max_msg_size
 *   Bytes.
 * @return
 *   As doca_comm_channel_ep_get_device().
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_get_max_msg_size(const struct doca_comm_channel_ep_t *local_ep,
		uint16_t *max_msg_size);

/**
 * Get the size of the send queue: the default, or what was set, perhaps raised.
 *
 * @param local_ep
 *   The endpoint.
 * @param[out] send_queue_size
 *   Messages.
 * @return
 *   As doca_comm_channel_ep_get_device().
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_get_send_queue_size(
		const struct doca_comm_channel_ep_t *local_ep, uint16_t *send_queue_size);

/**
 * Get the size of the receive queue: the default, or what was set, perhaps raised.
 *
 * @param local_ep
 *   The endpoint.
 * @param[out] recv_queue_size
 *   Messages.
 * @return
 *   As doca_comm_channel_ep_get_device().
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_get_recv_queue_size(
		const struct doca_comm_channel_ep_t *local_ep, uint16_t *recv_queue_size);

/** doca_comm_channel_ep_get_recv_queue_size() by another spelling. */
#define doca_comm_channel_ep_get_rcv_queue_size doca_comm_channel_ep_get_recv_queue_size

/** @} */

/** @name Connections
 * @{
 */

/**
 * Make an endpoint a service. Clients that connect are accepted inside of later calls on
 * the endpoint, doca_comm_channel_ep_recvfrom() above all.
 *
 * @param local_ep
 *   The endpoint, with a device and a representor.
 * @param name
 *   The name that clients ask for; copied. Services on one representor differ in it.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, the name is empty or longer than
 *     doca_comm_channel_get_max_service_name_len(), or a property is more than the device
 *     takes.
 *   - DOCA_ERROR_BAD_STATE: the endpoint has no device or no representor.
 *   - DOCA_ERROR_NOT_PERMITTED: the endpoint listens or has a connection.
 *   - DOCA_ERROR_NOT_SUPPORTED: the device has no services.
 *   - DOCA_ERROR_CONNECTION_ABORTED: the name is in use on this representor, or another
 *     process serves its function.
 *   - DOCA_ERROR_INITIALIZATION: EAL or the device does not start.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 *   - DOCA_ERROR_DRIVER: the device failed.
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *local_ep,
		const char *name);

/**
 * Connect an endpoint to a service. It is connected when
 * doca_comm_channel_peer_addr_update_info() says so.
 *
 * @param local_ep
 *   The endpoint, with a device.
 * @param name
 *   The name of the service; copied.
 * @param[out] peer_addr
 *   The connection.
 * @return
 *   - DOCA_SUCCESS: the service was asked.
 *   - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, the name is empty or longer than
 *     doca_comm_channel_get_max_service_name_len(), or a property is more than the device
 *     takes.
 *   - DOCA_ERROR_BAD_STATE: the endpoint has no device.
 *   - DOCA_ERROR_NOT_PERMITTED: the endpoint listens or has a connection.
 *   - DOCA_ERROR_NOT_SUPPORTED: the device has no clients.
 *   - DOCA_ERROR_CONNECTION_ABORTED: nobody serves the function of the device, there is
 *     no service of that name, or it has refused.
 *   - DOCA_ERROR_INITIALIZATION: EAL or the device does not start.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 *   - DOCA_ERROR_DRIVER: the device failed.
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *local_ep,
		const char *name, struct doca_comm_channel_addr_t **peer_addr);

/**
 * Send a message. It is copied, and delivered later: what has become of it is in
 * doca_comm_channel_peer_addr_get_send_in_flight_messages().
 *
 * @param local_ep
 *   The endpoint.
 * @param msg
 *   The message.
 * @param len
 *   Its length, from 1 byte to doca_comm_channel_ep_get_max_msg_size().
 * @param flags
 *   DOCA_CC_MSG_FLAG_NONE.
 * @param peer_addr
 *   The connection.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_AGAIN: the send queue is full.
 *   - DOCA_ERROR_INVALID_VALUE: local_ep or msg is NULL, len or flags is out of range.
 *   - DOCA_ERROR_NOT_CONNECTED: peer_addr is NULL, or is no connection of the endpoint, or
 *     is not connected yet.
 *   - DOCA_ERROR_CONNECTION_RESET: the connection has ended.
 *   - DOCA_ERROR_UNKNOWN: the device failed.
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *local_ep,
		const void *msg, size_t len, int flags, struct doca_comm_channel_addr_t *peer_addr);

/**
 * Receive a message, the oldest of those that have arrived from any peer. A service also
 * accepts clients in here.
 *
 * @param local_ep
 *   The endpoint.
 * @param[out] msg
 *   Where the message goes.
 * @param[in,out] len
 *   Bytes that msg has room for; the length of the message on success. Any other result
 *   leaves it as it is.
 * @param flags
 *   DOCA_CC_MSG_FLAG_NONE.
 * @param[out] peer_addr
 *   The connection it came on; also that which has ended.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_AGAIN: there is no message.
 *   - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, flags is out of range, or the message
 *     is longer than msg has room for: then it stays where it is.
 *   - DOCA_ERROR_NOT_CONNECTED: the endpoint neither listens nor has a connection.
 *   - DOCA_ERROR_CONNECTION_RESET: a connection has ended, after all its messages were
 *     received. This is told once for each connection; it is left to be disconnected.
 *   - DOCA_ERROR_UNKNOWN: the device failed.
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *local_ep, void *msg,
		size_t *len, int flags, struct doca_comm_channel_addr_t **peer_addr);

/** doca_comm_channel_ep_recvfrom() by another spelling. */
#define doca_comm_channel_ep_rcvfrom doca_comm_channel_ep_recvfrom

/**
 * End a connection and free what it has. Waits until the messages that were sent on it are
 * delivered, but no longer than some seconds in which the peer takes none. What has
 * arrived on it and was not received is dropped.
 *
 * @param local_ep
 *   The endpoint.
 * @param peer_addr
 *   The connection; void after this.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: local_ep is NULL.
 *   - DOCA_ERROR_NOT_CONNECTED: peer_addr is NULL, or is no connection of the endpoint.
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_disconnect(struct doca_comm_channel_ep_t *local_ep,
		struct doca_comm_channel_addr_t *peer_addr);

/** @} */

/** @name Event channels
 *
 * Descriptors for poll() and epoll, of which the endpoint is the owner: do not read or
 * close them. An event channel that is armed becomes readable with the next event, or at
 * once if there was one since the last, and stays so until it is armed again.
 * @{
 */

/**
 * Get the event channels for messages.
 *
 * @param local_ep
 *   The endpoint; listening or connected.
 * @param[out] send_event_channel
 *   Readable after a message that was sent was delivered, or has failed. May be NULL if
 *   the other is not.
 * @param[out] recv_event_channel
 *   Readable while doca_comm_channel_ep_recvfrom() has something to say. May be NULL if
 *   the other is not.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: local_ep is NULL, or both others are.
 *   - DOCA_ERROR_BAD_STATE: the endpoint neither listens nor has a connection.
 *   - DOCA_ERROR_NOT_FOUND: the process has no descriptor or thread left for it.
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_get_event_channel(struct doca_comm_channel_ep_t *local_ep,
		doca_event_channel_t *send_event_channel, doca_event_channel_t *recv_event_channel);

/**
 * Arm the event channel for messages that are sent.
 *
 * @param local_ep
 *   The endpoint.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: local_ep is NULL.
 *   - DOCA_ERROR_BAD_STATE: the endpoint neither listens nor has a connection.
 *   - DOCA_ERROR_NOT_FOUND: the process has no descriptor or thread left for it.
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_event_handle_arm_send(struct doca_comm_channel_ep_t *local_ep);

/**
 * Arm the event channel for messages that are received.
 *
 * @param local_ep
 *   The endpoint.
 * @return
 *   As doca_comm_channel_ep_event_handle_arm_send().
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_event_handle_arm_recv(struct doca_comm_channel_ep_t *local_ep);

/** doca_comm_channel_ep_event_handle_arm_recv() by another spelling. */
#define doca_comm_channel_ep_event_handle_arm_rcv doca_comm_channel_ep_event_handle_arm_recv

/** @} */

/** @name Peer addresses
 *
 * Counters are those of the last doca_comm_channel_peer_addr_update_info(), 0 before.
 * @{
 */

/**
 * Keep a number with a connection. It is 0 at first.
 *
 * @param peer_addr
 *   The connection.
 * @param user_context
 *   The number.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a pointer is NULL.
 */
DOCA_STABLE
doca_error_t doca_comm_channel_peer_addr_set_user_data(
		struct doca_comm_channel_addr_t *peer_addr, uint64_t user_context);

/** doca_comm_channel_peer_addr_set_user_data() by another spelling. */
#define doca_comm_channel_peer_addr_user_data_set doca_comm_channel_peer_addr_set_user_data

/**
 * Get the number that is kept with a connection.
 *
 * @param peer_addr
 *   The connection.
 * @param[out] user_context
 *   The number.
 * @return
 *   As doca_comm_channel_peer_addr_set_user_data().
 */
DOCA_STABLE
doca_error_t doca_comm_channel_peer_addr_get_user_data(
		struct doca_comm_channel_addr_t *peer_addr, uint64_t *user_context);

/** doca_comm_channel_peer_addr_get_user_data() by another spelling. */
#define doca_comm_channel_peer_addr_user_data_get doca_comm_channel_peer_addr_get_user_data

/**
 * Look at a connection: how it is, and how its counters stand.
 *
 * @param peer_addr
 *   The connection.
 * @return
 *   - DOCA_SUCCESS: it is connected.
 *   - DOCA_ERROR_INVALID_VALUE: peer_addr is NULL.
 *   - DOCA_ERROR_CONNECTION_INPROGRESS: the service has not accepted it yet.
 *   - DOCA_ERROR_CONNECTION_ABORTED: the service has refused it, or it has ended.
 *   The counters are brought up to date in all these cases but that of NULL.
 */
DOCA_STABLE
doca_error_t doca_comm_channel_peer_addr_update_info(struct doca_comm_channel_addr_t *peer_addr);

/**
 * Get the number of messages that were sent.
 *
 * @param peer_addr
 *   The connection.
 * @param[out] send_messages
 *   Messages, those on their way included.
 * @return
 *   As doca_comm_channel_peer_addr_set_user_data().
 */
DOCA_STABLE
doca_error_t doca_comm_channel_peer_addr_get_send_messages(
		const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_messages);

/**
 * Get the number of bytes that were sent.
 *
 * @param peer_addr
 *   The connection.
 * @param[out] send_bytes
 *   Bytes, those on their way included.
 * @return
 *   As doca_comm_channel_peer_addr_set_user_data().
 */
DOCA_STABLE
doca_error_t doca_comm_channel_peer_addr_get_send_bytes(
		const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_bytes);

/**
 * Get the number of messages that doca_comm_channel_ep_recvfrom() has returned.
 *
 * @param peer_addr
 *   The connection.
 * @param[out] recv_messages
 *   Messages.
 * @return
 *   As doca_comm_channel_peer_addr_set_user_data().
 */
DOCA_STABLE
doca_error_t doca_comm_channel_peer_addr_get_recv_messages(
		const struct doca_comm_channel_addr_t *peer_addr, uint64_t *recv_messages);

/** doca_comm_channel_peer_addr_get_recv_messages() by another spelling. */
#define doca_comm_channel_peer_addr_get_rcv_messages doca_comm_channel_peer_addr_get_recv_messages

/**
 * Get the number of bytes that doca_comm_channel_ep_recvfrom() has returned.
 *
 * @param peer_addr
 *   The connection.
 * @param[out] recv_bytes
 *   Bytes.
 * @return
 *   As doca_comm_channel_peer_addr_set_user_data().
 */
DOCA_STABLE
doca_error_t doca_comm_channel_peer_addr_get_recv_bytes(
		const struct doca_comm_channel_addr_t *peer_addr, uint64_t *recv_bytes);

/** doca_comm_channel_peer_addr_get_recv_bytes() by another spelling. */
#define doca_comm_channel_peer_addr_get_rcv_bytes doca_comm_channel_peer_addr_get_recv_bytes

/**
 * Get the number of messages that were sent and not delivered.
 *
 * @param peer_addr
 *   The connection.
 * @param[out] send_in_flight_messages
 *   Messages.
 * @return
 *   As doca_comm_channel_peer_addr_set_user_data().
 */
DOCA_STABLE
doca_error_t doca_comm_channel_peer_addr_get_send_in_flight_messages(
		const struct doca_comm_channel_addr_t *peer_addr,
		uint64_t *send_in_flight_messages);

/** @} */

/** @name State of a service
 * @{
 */

/**
 * Get the event channel of a service. It is armed by this call, and by
 * doca_comm_channel_ep_update_service_state_info() from then on.
 *
 * @param local_ep
 *   A service.
 * @param[out] service_event_channel
 *   Readable after a client has come or gone, or the service has failed.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a pointer is NULL.
 *   - DOCA_ERROR_BAD_STATE: the endpoint neither listens nor has a connection.
 *   - DOCA_ERROR_NOT_SUPPORTED: the endpoint is a client.
 *   - DOCA_ERROR_NOT_FOUND: the process has no descriptor or thread left for it.
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_get_service_event_channel(
		struct doca_comm_channel_ep_t *local_ep,
		doca_event_channel_t *service_event_channel);

/**
 * Look at a service: whether it works, and who is connected. Arms its event channel.
 *
 * @param local_ep
 *   A service.
 * @return
 *   - DOCA_SUCCESS: the service works.
 *   - DOCA_ERROR_INVALID_VALUE: local_ep is NULL.
 *   - DOCA_ERROR_BAD_STATE: the endpoint neither listens nor has a connection.
 *   - DOCA_ERROR_NOT_SUPPORTED: the endpoint is a client.
 *   - DOCA_ERROR_AGAIN: clients come and go all the time; call again.
 *   - DOCA_ERROR_CONNECTION_RESET: the service has failed for good; destroy the endpoint.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_update_service_state_info(
		struct doca_comm_channel_ep_t *local_ep);

/**
 * Get the clients that were connected at the time of the last
 * doca_comm_channel_ep_update_service_state_info().
 *
 * @param local_ep
 *   A service.
 * @param[out] peer_addr_array
 *   The connections; valid until the next update or the end of the endpoint. NULL if
 *   there are none.
 * @param[out] peer_addr_array_len
 *   Their number.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a pointer is NULL.
 *   - DOCA_ERROR_BAD_STATE: the endpoint neither listens nor has a connection.
 *   - DOCA_ERROR_NOT_SUPPORTED: the endpoint is a client.
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_get_peer_addr_list(
		const struct doca_comm_channel_ep_t *local_ep,
		struct doca_comm_channel_addr_t ***peer_addr_array, uint32_t *peer_addr_array_len);

/**
 * Get the number of clients that doca_comm_channel_ep_recvfrom() had still to accept at
 * the time of the last doca_comm_channel_ep_update_service_state_info().
 *
 * @param local_ep
 *   A service.
 * @param[out] pending_connections
 *   Clients.
 * @return
 *   As doca_comm_channel_ep_get_peer_addr_list().
 */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_get_pending_connections(
		const struct doca_comm_channel_ep_t *local_ep, uint32_t *pending_connections);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMM_CHANNEL_H */
