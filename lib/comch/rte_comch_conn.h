/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef RTE_COMCH_CONN_H
#define RTE_COMCH_CONN_H

/**
 * @file
 *
 * Connections between a server and a client: who is there, counters, the end.
 * Applications get this file by rte_comch.h.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_compat.h>

#include <rte_comch_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Who is at the other end of a connection. @see rte_comch_conn_info_get() */
struct rte_comch_conn_info {
	uint32_t id;                            /**< Identifier on its context. */
	char function[RTE_COMCH_FUNCTION_SIZE]; /**< Function of the host. */
	char server[RTE_COMCH_NAME_SIZE];       /**< Name of the server. */
	uint32_t max_msg_size;                  /**< Agreed size, bytes. */
	uint16_t version;                       /**< Agreed protocol version. */
	bool connected;                         /**< False once it has ended. */
	bool recv_held;                         /**< @see rte_comch_conn_recv_hold_set() */
	/** Process of the peer; 0 if the transport does not know it. */
	uint32_t peer_pid;
	/** User of the peer; UINT32_MAX if the transport does not know it. */
	uint32_t peer_uid;
	uint32_t nb_local_consumers;            /**< Consumers of this side. */
	uint32_t nb_remote_consumers;           /**< Consumers of the peer. */
	uint32_t nb_local_producers;            /**< Producers of this side. */
	/** Its server or client, while it is connected and until its last callback; or NULL. */
	struct rte_comch_ctx *ctx;
	uint64_t reserved[6]; /**< Zero. */
};

/** The consumer has stated no size: what it posts next may be of any. */
#define RTE_COMCH_REMOTE_CONSUMER_F_POST_SIZES RTE_BIT32(0)

/** What a consumer of the peer takes. @see rte_comch_conn_consumer_info_get() */
struct rte_comch_remote_consumer_info {
	/**
	 * Longest data of a message, bytes. 0: it takes none, or its flags say that each
	 * of its posts has its own size.
	 */
	uint64_t buf_size;
	uint32_t imm_len;     /**< Longest immediate data of a message, bytes. */
	uint32_t flags;       /**< RTE_COMCH_REMOTE_CONSUMER_F_* flags. */
	uint32_t tag;         /**< Of its configuration. */
	uint32_t meta;        /**< RTE_COMCH_META_* flags that it asks for. */
	uint64_t reserved[5]; /**< Zero. */
};

/** Counters of a connection. @see rte_comch_conn_stats_get() */
struct rte_comch_conn_stats {
	uint64_t tx_msgs;      /**< Messages delivered to the peer. */
	uint64_t tx_bytes;     /**< Their bytes. */
	uint64_t rx_msgs;      /**< Messages received. */
	uint64_t rx_bytes;     /**< Their bytes. */
	uint32_t tx_in_flight; /**< Submitted, but not delivered. */
	uint32_t rx_in_flight; /**< Arrived, but not yet given to the callback. */
	/** Arrived, but not given to the callback when the connection ended. */
	uint64_t rx_dropped;
	uint64_t rx_no_mbuf;   /**< Times that a message had to wait for the recv_pool. */
	uint64_t reserved[6]; /**< Zero. */
};

/**
 * @name Connections
 * @{
 */

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Walk over the connections of a server that are on its own engine. Each is valid until
 * its disconnect callback has returned, and a reference does not let the walk go on from
 * it later. Belongs to the thread of the server.
 *
 * @param ctx
 *   A server.
 * @param prev
 *   The connection that the last call returned, or NULL to begin.
 * @return
 *   The next connection, or NULL after the last one or if ctx is no server.
 */
__rte_experimental
struct rte_comch_conn *rte_comch_server_conn_next(struct rte_comch_ctx *ctx,
		struct rte_comch_conn *prev);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * End one connection of a server. The peer is told. Submitted tasks complete, with
 * 0 if their message was delivered and with -ECANCELED if not, then the disconnect
 * callback is called, both inside a later rte_comch_pe_progress(): when the peer has
 * taken what was on its way to it, or has had the time for it that rte_comch_ctx_stop()
 * gives it.
 *
 * @param conn
 *   A connection of a server.
 * @return
 *   - 0 on success.
 *   - -EINVAL: conn is NULL, or belongs to a client.
 *   - -EBUSY: consumers or producers of this side live on it.
 *   - -EALREADY: the connection has ended, or is about to.
 */
__rte_experimental
int rte_comch_server_disconnect(struct rte_comch_conn *conn);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Take a reference to a connection, for a thread that is not the connection's.
 *
 * The end of a connection is the peer's to choose, and the handle is void after it,
 * unless there is a reference: then the handle stays until the last is dropped, also
 * when its server or client was destroyed. The connection itself ends all the same.
 *
 * Take it where the connection cannot end meanwhile: in its thread, for example in the
 * connect callback; or in any thread that has one already. Who has one may call, in
 * any thread:
 *
 * - rte_comch_consumer_create() and rte_comch_producer_create(), which return
 *   -ENOTCONN when the connection has ended;
 * - rte_comch_conn_info_get(), which says whether it has;
 * - rte_comch_conn_consumer_info_get();
 * - rte_comch_conn_user_data_get();
 * - rte_comch_conn_ref() and rte_comch_conn_unref().
 *
 * All else stays with the thread of the connection. Consumers and producers have a
 * reference of their own. The device cannot be removed while there is a reference:
 * that fails with -EBUSY.
 *
 * @param conn
 *   The connection.
 * @return
 *   - 0 on success: drop it with rte_comch_conn_unref().
 *   - -EINVAL: conn is NULL.
 */
__rte_experimental
int rte_comch_conn_ref(struct rte_comch_conn *conn);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Drop a reference to a connection, in any thread. It does not end the connection.
 *
 * @param conn
 *   A connection of which the caller has a reference; the handle is void after it,
 *   unless the connection is up or there is another reference. NULL is allowed and
 *   does nothing.
 * @return
 *   - 0 on success.
 *   - -EALREADY: there is no reference; nothing was done. This mistake is found only
 *     while the connection lives.
 */
__rte_experimental
int rte_comch_conn_unref(struct rte_comch_conn *conn);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Read who is at the other end of a connection.
 *
 * @param conn
 *   The connection.
 * @param[out] info
 *   Filled on success.
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL.
 */
__rte_experimental
int rte_comch_conn_info_get(const struct rte_comch_conn *conn,
		struct rte_comch_conn_info *info);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Read what a consumer of the peer has stated, in the thread of the connection or in any
 * thread that has a reference to it or a producer on it.
 *
 * @param conn
 *   The connection.
 * @param consumer_id
 *   The consumer, as the callback of its arrival named it; it is known from that
 *   callback on until that of its departure.
 * @param[out] info
 *   Filled on success.
 * @return
 *   - 0 on success.
 *   - -EINVAL: conn or info is NULL.
 *   - -ENOENT: the peer has no consumer of that identifier.
 *   - -ENOTCONN: the connection has ended.
 *   - -ENOTSUP: the device has no producers.
 */
__rte_experimental
int rte_comch_conn_consumer_info_get(struct rte_comch_conn *conn, uint32_t consumer_id,
		struct rte_comch_remote_consumer_info *info);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Read the counters of a connection, in its thread.
 *
 * @param conn
 *   The connection.
 * @param[out] stats
 *   Filled on success.
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL.
 */
__rte_experimental
int rte_comch_conn_stats_get(const struct rte_comch_conn *conn,
		struct rte_comch_conn_stats *stats);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Hold back reception, or take it up again.
 *
 * Held back: from now on no receive callback is called for the connection, also if this is
 * called inside of one. Messages stay in the receive queue of the connection. When that is
 * full, the peer's tasks wait for room; their submission does not fail. Nothing else
 * changes: other connections go on, messages can be sent, and the end of the connection is
 * told. Once its sends are done, the connection costs its engine nothing in a turn, and
 * does not wake an engine that sleeps.
 *
 * Messages that are held back when the connection ends are lost, and counted in
 * struct rte_comch_conn_stats::rx_dropped; their tasks end at the peer with an error.
 * Over BlueField, a peer that leaves hears at once how many of its messages this side is
 * going to take. Such a connection ends only when these are handed up, which waits for
 * reception to be taken up again.
 *
 * Taken up: messages that wait are given to the receive callback from the next
 * rte_comch_pe_progress() on, in order. If the engine was armed, its descriptor becomes
 * readable.
 *
 * @param conn
 *   The connection. It belongs to the thread of the connection.
 * @param hold
 *   true: hold it back. false: take it up.
 * @return
 *   - 0 on success.
 *   - -EINVAL: conn is NULL.
 *   - -ENOTCONN: the connection has ended, or is about to.
 *   - -EALREADY: reception is as it was asked for.
 */
__rte_experimental
int rte_comch_conn_recv_hold_set(struct rte_comch_conn *conn, bool hold);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Keep a pointer of the application with a connection.
 *
 * @param conn
 *   The connection.
 * @param user_data
 *   Any value; never followed. NULL on a new connection.
 * @return
 *   - 0 on success.
 *   - -EINVAL: conn is NULL.
 */
__rte_experimental
int rte_comch_conn_user_data_set(struct rte_comch_conn *conn, void *user_data);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Get the pointer that rte_comch_conn_user_data_set() left.
 *
 * @param conn
 *   The connection.
 * @return
 *   The pointer; NULL if conn is NULL.
 */
__rte_experimental
void *rte_comch_conn_user_data_get(const struct rte_comch_conn *conn);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* RTE_COMCH_CONN_H */
