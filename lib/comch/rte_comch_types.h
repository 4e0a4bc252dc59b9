/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef RTE_COMCH_TYPES_H
#define RTE_COMCH_TYPES_H

/**
 * @file
 *
 * Comch: sizes, handles, enumerations and callbacks that the other headers share.
 * Applications get this file by rte_comch.h. No prototype of a function lives here.
 */

#include <stdint.h>

#include <rte_comch_core.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Largest number of devices in one process. */
#define RTE_COMCH_MAX_DEVS 64

/** Bytes of the longest server name any driver takes, with the final NUL. */
#define RTE_COMCH_NAME_SIZE 128

/** Bytes of the name of a function (for example pf0vf3), with the final NUL. */
#define RTE_COMCH_FUNCTION_SIZE 32

/** Bytes of a PCI address in its domain form, with the final NUL. */
#define RTE_COMCH_PCI_ADDR_SIZE 16

/** Bytes of the unique identifier of a function, with the final NUL. */
#define RTE_COMCH_VUID_SIZE 128

/** Bytes of a version of firmware, with the final NUL. */
#define RTE_COMCH_FW_VERSION_SIZE 32

/** A connect timeout that never ends. */
#define RTE_COMCH_TIMEOUT_NEVER UINT32_MAX

/** Opaque handle of a progress engine. */
struct rte_comch_pe;
/** Opaque handle of a context: server, client, consumer or producer. */
struct rte_comch_ctx;
/** Opaque handle of a connection. */
struct rte_comch_conn;
/** Opaque handle of a task. */
struct rte_comch_task;

struct rte_comch_conn_info;
struct rte_mbuf;

/** On which side of the PCIe link a device is. */
enum rte_comch_role {
	RTE_COMCH_ROLE_HOST = 0, /**< The host: clients live here. */
	RTE_COMCH_ROLE_DPU = 1,  /**< The card: servers live here. */
};

/** What a function of the host is. */
enum rte_comch_func_type {
	RTE_COMCH_FUNC_UNKNOWN = 0, /**< Its driver does not tell. */
	RTE_COMCH_FUNC_PF,          /**< A physical function. */
	RTE_COMCH_FUNC_VF,          /**< A virtual function. */
	RTE_COMCH_FUNC_SF,          /**< A subfunction. */
};

/** What a context is. */
enum rte_comch_ctx_type {
	RTE_COMCH_CTX_SERVER = 0, /**< A server. */
	RTE_COMCH_CTX_CLIENT,     /**< A client. */
	RTE_COMCH_CTX_CONSUMER,   /**< A consumer. */
	RTE_COMCH_CTX_PRODUCER,   /**< A producer. */
};

/** State of a context; the numbers are those of the vendor's library. */
enum rte_comch_state {
	RTE_COMCH_STATE_IDLE = 0,     /**< Configured, holds no resources. */
	RTE_COMCH_STATE_STARTING = 1, /**< Waits for its peer. */
	RTE_COMCH_STATE_RUNNING = 2,  /**< Can be used. */
	RTE_COMCH_STATE_STOPPING = 3, /**< Waits for its tasks, connections and driver. */
};

/**
 * Called on every change of a context's state, when it is in its new state.
 * Runs inside the function that caused the change: rte_comch_pe_progress(),
 * rte_comch_ctx_start(), rte_comch_ctx_stop() or rte_comch_task_free(). When a client
 * becomes RUNNING, no callback about its connection is called before the next
 * rte_comch_pe_progress().
 *
 * @param ctx
 *   The context.
 * @param prev
 *   The state it left.
 * @param next
 *   The state it is in.
 * @param user_data
 *   The user_data of its configuration.
 */
typedef void (*rte_comch_state_cb_t)(struct rte_comch_ctx *ctx,
		enum rte_comch_state prev, enum rte_comch_state next, void *user_data);

/**
 * Called when a send task ends. The task belongs to the application again,
 * which submits it anew, keeps it, or frees it.
 *
 * @param task
 *   The task.
 * @param status
 *   0 if the message was delivered to the remote context, also if the connection
 *   has ended since. Else it is not delivered later, and this is a negative errno:
 *   -ECANCELED if this side stopped or disconnected, -ECONNRESET if the connection
 *   ended by the peer, by its loss, or by a failure of the device.
 * @param user_data
 *   The user_data of its configuration.
 */
typedef void (*rte_comch_send_cb_t)(struct rte_comch_task *task, int status,
		void *user_data);

/**
 * Called for each control message received.
 *
 * @param conn
 *   The connection it came on.
 * @param msg
 *   The message: a private copy, valid until the callback returns, aligned to
 *   8 bytes.
 * @param len
 *   Its length in bytes, up to the connection's max_msg_size.
 * @param user_data
 *   The user_data of its configuration.
 */
typedef void (*rte_comch_recv_cb_t)(struct rte_comch_conn *conn, const void *msg,
		uint32_t len, void *user_data);

/**
 * Called for each control message received, by contexts that have a recv_pool.
 *
 * @param conn
 *   The connection it came on. The mbuf does not say which: whoever needs it later
 *   notes it, for example in the private area of the mbuf.
 * @param m
 *   The message. It belongs to the application, which frees it when and in which thread
 *   it likes, also after the connection has ended. pkt_len is the length of the message
 *   in bytes; it is in nb_segs segments, each full but the last, with the usual
 *   headroom. port is RTE_MBUF_PORT_INVALID. All else is as rte_pktmbuf_alloc() has it.
 * @param user_data
 *   The user_data of its configuration.
 */
typedef void (*rte_comch_recv_mbuf_cb_t)(struct rte_comch_conn *conn, struct rte_mbuf *m,
		void *user_data);

/**
 * Called on a server when a client has connected, and when it is gone; both in the thread
 * of the engine of the connection.
 *
 * In the callback of a disconnection the connection can still be looked at;
 * it is freed when the callback returns, unless there is a rte_comch_conn_ref().
 *
 * @param conn
 *   The connection.
 * @param status
 *   0 for a new connection and for an orderly disconnection by the peer;
 *   -ECANCELED for one by this side; -ECONNRESET if the peer died; -ETIMEDOUT if it
 *   did not answer in time, for example because its process is stopped (-ECONNRESET over
 *   BlueField); -EPROTO if it broke the protocol; -ENOMEM or -EMFILE if this side has no
 *   memory or file descriptor left for what it sent;
 *   -ENODEV, -EIO or -ETIMEDOUT if the device failed.
 * @param user_data
 *   The user_data of its configuration.
 */
typedef void (*rte_comch_conn_cb_t)(struct rte_comch_conn *conn, int status,
		void *user_data);

/**
 * Called on a server for a client that asks for a connection, in the server's thread: it
 * names the engine onto which the client is accepted. The connection belongs to the thread
 * of that engine, with all that is called for it: connect callback, messages, ends of its
 * tasks, consumers of the peer, disconnect callback.
 *
 * This is not the promise of a connection: what is missing for it, above all tasks of the
 * engine, refuses the client, and the client may give up or die before it is connected.
 * Of these the refused callback of the server tells.
 *
 * @param info
 *   The client: function, process and user, the size of its messages, the protocol version,
 *   and the identifier that its connection has if it comes to be; ctx is the server. The
 *   rest is zero. Until the callback returns.
 * @param user_data
 *   The user_data of its configuration.
 * @return
 *   An engine that has the device, by rte_comch_pe_dev_add() or by a context that is
 *   attached to it; it must not be destroyed before the turn of the server's engine is
 *   over. NULL for the engine of the server.
 */
typedef struct rte_comch_pe *(*rte_comch_engine_cb_t)(const struct rte_comch_conn_info *info,
		void *user_data);

/** A client that did not become one. @see rte_comch_refused_cb_t */
struct rte_comch_refusal {
	/**
	 * Why, a negative errno. The client is told of these: -ENOSPC the server has its
	 * max_clients, or the progress engine no task left; -EMSGSIZE the sizes of
	 * messages differ; -EPROTONOSUPPORT the two sides share no protocol version;
	 * -ENOMEM, or another error of this side; -EPROTO it broke the protocol. It is
	 * told of none of these: -ENOLINK the device is not on the engine that was named
	 * for it; -ECONNABORTED it gave up; -ECONNRESET it died; -ETIMEDOUT it did not go
	 * on with the handshake.
	 */
	int reason;
	/**
	 * Attempts that failed after this one and have no call of their own, because one
	 * turn of the engine makes a bounded number of calls.
	 */
	uint32_t nb_missed;
	uint32_t max_msg_size; /**< Bytes that it asked for; 0 if it left that. */
	uint32_t peer_pid;     /**< Process, 0 if unknown. */
	uint32_t peer_uid;     /**< User, UINT32_MAX if unknown. */
	char function[RTE_COMCH_FUNCTION_SIZE]; /**< Its function; empty if unknown. */
};

/**
 * Called on a server when an attempt of a client to connect has failed: the server
 * refused it, or it ended before it was connected. Never inside of another callback.
 * One turn of the engine tells of 8 at most, so that a flood of attempts costs a
 * bounded time; the others are counted in nb_missed of the last of these. A server that
 * is not RUNNING is told of none. No server is told of an attempt that names no server, or
 * that a driver refuses before it knows the name: these are counted in refused and
 * links_refused of struct rte_comch_dev_stats.
 *
 * @param server
 *   The server.
 * @param refusal
 *   Who it was and why, until the callback returns.
 * @param user_data
 *   The user_data of its configuration.
 */
typedef void (*rte_comch_refused_cb_t)(struct rte_comch_ctx *server,
		const struct rte_comch_refusal *refusal, void *user_data);

/**
 * Called when a consumer of the peer has arrived or departed. With the end of the
 * connection all of them are gone, without a call.
 *
 * @param conn
 *   The connection it is on.
 * @param consumer_id
 *   Its identifier: from 1, unique on the connection.
 * @param user_data
 *   The user_data of its configuration.
 */
typedef void (*rte_comch_consumer_cb_t)(struct rte_comch_conn *conn,
		uint32_t consumer_id, void *user_data);

/**
 * Called when a post task ends: a message has come, or the post is given up.
 * The task belongs to the application again, which submits it anew, keeps it, or
 * frees it.
 *
 * @param task
 *   The task.
 * @param cpl
 *   The completion, until the callback returns. Its status is 0, or -ECANCELED
 *   after a local stop, or -ECONNRESET after the loss of the peer.
 * @param user_data
 *   The user_data of its configuration.
 */
typedef void (*rte_comch_post_cb_t)(struct rte_comch_task *task,
		const struct rte_comch_cpl *cpl, void *user_data);

#ifdef __cplusplus
}
#endif

#endif /* RTE_COMCH_TYPES_H */
