/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef RTE_COMCH_H
#define RTE_COMCH_H

/**
 * @file rte_comch.h
 *
 * Comch: the message channel between a host and its DPU.
 *
 * This file holds the model, the control path and the public types. It includes
 * the rest of the public API: memory regions in rte_comch_mem.h, producers and
 * consumers in rte_comch_fp.h. What drivers need is in rte_comch_pmd.h, what the
 * inline fast path needs is in rte_comch_core.h.
 *
 * @warning
 * @b EXPERIMENTAL:
 * All functions in this file may be changed or removed without prior notice.
 *
 * The model:
 *
 * @code
 *      host                                            dpu (card side)
 *   +-----------+   connection: control messages    +------------+
 *   |  client   |<=================================>|   server   |
 *   +-----------+                                   +------------+
 *   | producer  |----- data, by the posted buffers->|  consumer  |
 *   | consumer  |<----------------------------------|  producer  |
 *   +-----+-----+                                   +-----+------+
 *         |                                               |
 *   progress engine                                 progress engine
 *         |                                               |
 *   device (role host)                              device (role dpu)
 *   one PCIe function                               representor of it
 * @endcode
 *
 * - A *device* is a comch function opened by a driver. It has an identifier
 *   of type int16_t and a role: @ref RTE_COMCH_ROLE_HOST or
 *   @ref RTE_COMCH_ROLE_DPU.
 * - A *representor* is the handle, on the card's side, of one function of the
 *   host. Only devices of the role dpu have representors.
 * - A *context* is anything that attaches to a progress engine and has a
 *   state: server, client, consumer, producer.
 * - A *server* has a name that is unique on its (device, representor). It
 *   accepts the connections of any number of clients of that one function.
 * - A *client* connects to one server, and has one connection.
 * - A *connection* carries control messages in both directions, in order, and
 *   is what consumers and producers are created on.
 * - A *progress engine* is what a thread turns to make all of this move. No
 *   callback is ever called from anywhere else.
 *
 * Set-up, in this order:
 *
 *  1. rte_comch_pe_create(), once for each lcore that works with comch.
 *  2. rte_comch_server_create() or rte_comch_client_create().
 *  3. rte_comch_ctx_attach() ties the context to the progress engine.
 *  4. rte_comch_ctx_start(). A server is RUNNING when this returns 0. A client
 *     returns -EINPROGRESS and is STARTING: it becomes RUNNING, or IDLE again
 *     with a reason, inside a later rte_comch_pe_progress(), within the connect
 *     timeout of its configuration.
 *  5. rte_comch_pe_progress() in a loop, or on wake-ups (see below).
 *
 * Data: rte_comch_send_task_alloc(), rte_comch_task_submit(), and in the
 * completion callback rte_comch_task_free() or a new submit. The message
 * memory belongs to the task from submit to completion. Completion with status
 * 0 means that the message was delivered to the remote context.
 *
 * Teardown, in this order: stop and destroy the producers and consumers of a
 * connection; rte_comch_server_disconnect() or, on a client,
 * rte_comch_ctx_stop(); rte_comch_ctx_stop() of the server; progress until the
 * context is IDLE; rte_comch_ctx_destroy(); rte_comch_pe_destroy().
 *
 * States and what is legal in them:
 *
 * | state    | legal                                    | leaves by            |
 * |----------|------------------------------------------|----------------------|
 * | IDLE     | attach, start, destroy                   | start                |
 * | STARTING | progress, stop                           | progress, stop       |
 * | RUNNING  | allocate, submit, free, progress, stop   | stop, fatal error    |
 * | STOPPING | free, progress                           | the last task freed  |
 *
 * A context with outstanding tasks goes through STOPPING when it is stopped or
 * when its peer is lost: each submitted task completes with a negative status,
 * and the context becomes IDLE when the application has freed them all.
 *
 * Ordering: control messages of one connection arrive in the order in which
 * they were submitted. Nothing is promised between connections.
 *
 * Threads: a progress engine, and the contexts and connections attached to it,
 * belong to one thread at a time. Different engines may run on different
 * lcores, also for contexts of one device and for consumers of one connection.
 * The connection's own engine carries the announcements of its consumers, so
 * it has to be progressed too. Functions on devices may be called from any
 * thread. rte_comch_pe_progress() refuses to be called from a callback.
 *
 * Event mode: rte_comch_pe_fd() is a descriptor to wait on. The order is:
 * progress until it returns 0, rte_comch_pe_arm(); if that returns -EAGAIN
 * there is something to do, progress again; if it returns 0, wait for the
 * descriptor to be readable, then progress. rte_comch_pe_arm() looks again
 * after it has armed, which is why no wake-up can be lost.
 *
 * Errors: functions return 0 or a positive count on success and a negative
 * errno value otherwise. Output parameters are written on success only. The
 * reason why a context left RUNNING or STARTING is kept in it, see
 * rte_comch_ctx_reason_get().
 *
 * Trust: the peer of a connection is not trusted for memory safety nor for
 * liveness. Messages are copied out of shared memory before a receive callback
 * sees them. A peer that breaks the protocol loses its connection, and this is
 * counted in struct rte_comch_dev_stats::violations.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <rte_bitops.h>
#include <rte_common.h>
#include <rte_compat.h>
#include <rte_dev.h>

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

/** On which side of the PCIe link a device is. */
enum rte_comch_role {
	RTE_COMCH_ROLE_HOST = 0, /**< The host: clients live here. */
	RTE_COMCH_ROLE_DPU = 1,  /**< The card: servers live here. */
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
	RTE_COMCH_STATE_STOPPING = 3, /**< Waits for its tasks to be freed. */
};

/**@{@name Device capabilities
 * @see struct rte_comch_dev_info::capa
 */
/** Servers can be created on the device. */
#define RTE_COMCH_CAPA_SERVER   RTE_BIT64(0)
/** Clients can be created on the device. */
#define RTE_COMCH_CAPA_CLIENT   RTE_BIT64(1)
/** Consumers can be created on connections of the device. */
#define RTE_COMCH_CAPA_CONSUMER RTE_BIT64(2)
/** Producers can be created on connections of the device. */
#define RTE_COMCH_CAPA_PRODUCER RTE_BIT64(3)
/** The progress engine can sleep while contexts of the device are attached. */
#define RTE_COMCH_CAPA_EVENT    RTE_BIT64(4)
/** Process and user identity of the peer are known to the transport. */
#define RTE_COMCH_CAPA_PEER_ID  RTE_BIT64(5)
/**@}*/

/** What a device is and what it can do. @see rte_comch_dev_info_get() */
struct rte_comch_dev_info {
	char name[RTE_DEV_NAME_MAX_LEN];          /**< Name of the device. */
	char driver[RTE_COMCH_FUNCTION_SIZE];     /**< Name of the driver. */
	char function[RTE_COMCH_FUNCTION_SIZE];   /**< Its function; empty for a dpu. */
	char pci_addr[RTE_COMCH_PCI_ADDR_SIZE];   /**< PCI address; may be emulated. */
	char fw_version[RTE_COMCH_FW_VERSION_SIZE]; /**< Of its firmware; empty: none. */
	enum rte_comch_role role;                 /**< Side of the link. */
	int numa_node;                            /**< NUMA node, -1 if unknown. */
	uint64_t capa;                            /**< RTE_COMCH_CAPA_* flags. */
	uint16_t nb_reps;                         /**< Number of representors. */
	/**
	 * 0 if the device works, else the negative errno why it does not: -ENODEV
	 * it is gone, -EIO it is broken, -ETIMEDOUT it does not answer, -EAGAIN it
	 * is being reset. @see rte_comch_dev_reset()
	 */
	int status;
	bool link_up;                             /**< A peer is attached. */
	uint32_t nb_links;                        /**< Peer processes attached. */
	uint32_t max_name_len;                    /**< Server name, bytes with the NUL. */
	uint32_t max_msg_size;                    /**< Largest control message, bytes. */
	uint32_t max_recv_queue_size;             /**< Control messages of a receive queue. */
	uint32_t max_send_tasks;                  /**< Control send tasks of one context. */
	uint32_t max_clients;                     /**< Clients of one server. */
	uint32_t max_consumers;                   /**< Consumers of one connection. */
	uint32_t max_producers;                   /**< Producers of one connection. */
	uint32_t max_post_tasks;     /**< Posted buffers of one consumer; a power of two. */
	uint32_t max_producer_tasks; /**< Send tasks of one producer; a power of two. */
	uint32_t max_imm_len;                     /**< Immediate data of a consumer, bytes. */
	uint64_t max_buf_size;                    /**< Buffer of the fast path, bytes. */
	uint32_t dflt_msg_size;                   /**< Control message size if unset, bytes. */
	uint32_t dflt_recv_queue_size;            /**< Receive queue size if unset. */
};

/** One function of the host, seen from the card. @see rte_comch_rep_list() */
struct rte_comch_rep_info {
	/** Identifier on its device; those of a device may have gaps. */
	uint16_t rep_id;
	char name[RTE_COMCH_FUNCTION_SIZE];     /**< For example pf0, pf0vf3, pf0sf12. */
	char pci_addr[RTE_COMCH_PCI_ADDR_SIZE]; /**< PCI address; may be emulated. */
	uint32_t nb_links;                      /**< Host processes attached to it. */
};

/** Counters of a device. @see rte_comch_dev_stats_get() */
struct rte_comch_dev_stats {
	uint64_t connects;      /**< Connections established. */
	uint64_t refused;       /**< Connection requests refused, either way. */
	uint64_t disconnects;   /**< Connections ended in order, by either side. */
	uint64_t peer_lost;     /**< Connections ended because the peer died. */
	uint64_t timeouts;      /**< Connect attempts that timed out. */
	uint64_t violations;    /**< Breaches of the protocol by a peer. */
	uint64_t links;         /**< Peer processes that attached. */
	uint64_t links_refused; /**< Peer processes that were not let in. */
	uint64_t wakeups;       /**< Wake-ups sent to sleeping peers. */
};

/** Configuration of a progress engine; all zero is a valid one. */
struct rte_comch_pe_conf {
	/** NUMA node of its memory, or SOCKET_ID_ANY; 0 is the first node. */
	int socket_id;
	/**
	 * Tasks that the contexts of this engine may have in all. 0 for the
	 * default of 16384, which takes about 3 MB.
	 */
	uint32_t nb_tasks;
	/** Must be 0. */
	uint64_t flags;
};

/**
 * Called on every change of a context's state, when it is in its new state.
 * Runs inside the function that caused the change: rte_comch_pe_progress(),
 * rte_comch_ctx_start(), rte_comch_ctx_stop() or rte_comch_task_free().
 *
 * @param ctx
 *   The context.
 * @param prev
 *   The state it left.
 * @param next
 *   The state it is in.
 * @param user_data
 *   The pointer of rte_comch_ctx_user_data_set().
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
 *   0 if the message was delivered to the remote context, else a negative
 *   errno: -ECANCELED after a local stop or disconnect, -ECONNRESET after the
 *   end of the connection by the peer, by its loss, or by a failure of the device.
 * @param user_data
 *   The pointer of rte_comch_ctx_user_data_set().
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
 *   The pointer of rte_comch_ctx_user_data_set().
 */
typedef void (*rte_comch_recv_cb_t)(struct rte_comch_conn *conn, const void *msg,
		uint32_t len, void *user_data);

/**
 * Called on a server when a client has connected, and when it is gone.
 *
 * In the callback of a disconnection the connection can still be looked at;
 * it is freed when the callback returns.
 *
 * @param conn
 *   The connection.
 * @param status
 *   0 for a new connection and for an orderly disconnection by the peer;
 *   -ECANCELED for one by this side; -ECONNRESET if the peer died; -EPROTO
 *   if it broke the protocol; -ENODEV, -EIO or -ETIMEDOUT if the device failed.
 * @param user_data
 *   The pointer of rte_comch_ctx_user_data_set().
 */
typedef void (*rte_comch_conn_cb_t)(struct rte_comch_conn *conn, int status,
		void *user_data);

/**
 * Called when a consumer of the peer has arrived or departed. With the end of the
 * connection all of them are gone, without a call.
 *
 * @param conn
 *   The connection it is on.
 * @param consumer_id
 *   Its identifier: from 1, unique on the connection.
 * @param user_data
 *   The pointer of rte_comch_ctx_user_data_set().
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
 *   The pointer of rte_comch_ctx_user_data_set().
 */
typedef void (*rte_comch_post_cb_t)(struct rte_comch_task *task,
		const struct rte_comch_cpl *cpl, void *user_data);

/** What servers and clients have in common. Callbacks may be NULL unless said. */
struct rte_comch_ctrl_conf {
	/**
	 * Largest control message in bytes, 1 to the max_msg_size of the device.
	 * 0 leaves it to the peer; if both leave it, it is the dflt_msg_size of
	 * the device. If both set it, the values must be equal.
	 */
	uint32_t max_msg_size;
	/**
	 * Messages of max_msg_size bytes that each connection can hold for this
	 * side; more of smaller ones. 0 for the dflt_recv_queue_size of the
	 * device.
	 */
	uint32_t recv_queue_size;
	/**
	 * Send tasks of the context, from 1 to the max_send_tasks of the device.
	 * 0 for 32. A task that can be allocated can be submitted.
	 */
	uint32_t nb_send_tasks;
	/** Must be 0. */
	uint32_t flags;
	rte_comch_state_cb_t state_cb;            /**< State changes. */
	rte_comch_send_cb_t send_cb;              /**< Ends of send tasks; required. */
	rte_comch_recv_cb_t recv_cb;              /**< Messages; required. */
	rte_comch_consumer_cb_t consumer_new_cb;  /**< Both of these two or none. */
	rte_comch_consumer_cb_t consumer_gone_cb; /**< Both of these two or none. */
	/** First value of rte_comch_ctx_user_data_get(). */
	void *user_data;
};

/** Configuration of a server. */
struct rte_comch_server_conf {
	/** Its name; copied. 1 byte to the max_name_len of the device with NUL. */
	const char *name;
	/**
	 * Clients that may be connected at one time, up to the max_clients of
	 * the device; 0 for that. The next one is refused with -ENOSPC.
	 */
	uint32_t max_clients;
	struct rte_comch_ctrl_conf ctrl;    /**< What it shares with clients. */
	rte_comch_conn_cb_t connect_cb;     /**< A client has connected; required. */
	rte_comch_conn_cb_t disconnect_cb;  /**< A client is gone; required. */
};

/** Configuration of a client. */
struct rte_comch_client_conf {
	/** Name of the server to connect to; copied. */
	const char *name;
	/**
	 * Milliseconds after which an attempt to connect ends with -ETIMEDOUT;
	 * 0 for 5000, RTE_COMCH_TIMEOUT_NEVER for never. While the other side
	 * of the device is not there, the client tries again until then; one
	 * that is there and refuses ends the attempt.
	 */
	uint32_t connect_timeout_ms;
	struct rte_comch_ctrl_conf ctrl; /**< What it shares with servers. */
};

/** Who is at the other end of a connection. @see rte_comch_conn_info_get() */
struct rte_comch_conn_info {
	uint32_t id;                            /**< Identifier on its context. */
	char function[RTE_COMCH_FUNCTION_SIZE]; /**< Function of the host. */
	char server[RTE_COMCH_NAME_SIZE];       /**< Name of the server. */
	uint32_t max_msg_size;                  /**< Agreed size, bytes. */
	uint16_t version;                       /**< Agreed protocol version. */
	bool connected;                         /**< False once it has ended. */
	/** Process of the peer; 0 if the transport does not know it. */
	uint32_t peer_pid;
	/** User of the peer; UINT32_MAX if the transport does not know it. */
	uint32_t peer_uid;
	uint32_t nb_local_consumers;            /**< Consumers of this side. */
	uint32_t nb_remote_consumers;           /**< Consumers of the peer. */
	uint32_t nb_local_producers;            /**< Producers of this side. */
};

/** Counters of a connection. @see rte_comch_conn_stats_get() */
struct rte_comch_conn_stats {
	uint64_t tx_msgs;      /**< Messages delivered to the peer. */
	uint64_t tx_bytes;     /**< Their bytes. */
	uint64_t rx_msgs;      /**< Messages received. */
	uint64_t rx_bytes;     /**< Their bytes. */
	uint32_t tx_in_flight; /**< Submitted, but not delivered. */
	uint32_t rx_in_flight; /**< Arrived, but not yet given to the callback. */
};

/**
 * @name Devices
 * @{
 */

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Count the devices that are ready for use.
 *
 * @return
 *   The number of devices.
 */
__rte_experimental
uint16_t rte_comch_dev_count_avail(void);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Tell whether an identifier is that of a device.
 *
 * @param dev_id
 *   Any number.
 * @return
 *   true if it is.
 */
__rte_experimental
bool rte_comch_dev_is_valid(int16_t dev_id);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Find the next device.
 *
 * @param start
 *   Where to begin to look.
 * @return
 *   The first valid identifier not below start, or -1.
 */
__rte_experimental
int16_t rte_comch_dev_next(int16_t start);

/** Loop over all devices. */
#define RTE_COMCH_FOREACH_DEV(dev_id) \
	for (dev_id = rte_comch_dev_next(0); dev_id != -1; \
	     dev_id = rte_comch_dev_next(dev_id + 1))

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Find a device by its name, or by its PCI address with or without domain.
 *
 * @param name
 *   For example "comch_shm0" or "03:00.0".
 * @return
 *   - The identifier, 0 or more.
 *   - -EINVAL: name is NULL or empty.
 *   - -ENODEV: there is no such device.
 */
__rte_experimental
int rte_comch_dev_get_id_by_name(const char *name);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Read what a device is and its limits. May be called from any thread.
 *
 * @param dev_id
 *   The device.
 * @param[out] info
 *   Filled on success.
 * @return
 *   - 0 on success.
 *   - -EINVAL: not a device, or info is NULL.
 *   - Another negative errno if the driver cannot tell.
 */
__rte_experimental
int rte_comch_dev_info_get(int16_t dev_id, struct rte_comch_dev_info *info);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Reset a device, above all one that has failed: its contexts went to STOPPING
 * with a reason, and none starts until a reset has succeeded. The identifier and
 * the contexts stay, their names and settings too, and so do the capabilities and
 * limits of the device: what it has beyond them after the reset is not used, and
 * with less than that it does not come back. May take seconds. One thread
 * at a time for one device, and no other thread may start contexts or allocate
 * memory regions of it meanwhile; not in a callback of the library.
 *
 * @param dev_id
 *   The device.
 * @return
 *   - 0 on success: the status in its info is 0, contexts can start.
 *   - -EINVAL: not a device.
 *   - -ENOTSUP: its driver has no reset.
 *   - -EBUSY: a context of it is not IDLE, or it has a memory region.
 *   - -ENODEV: it is gone. -EIO: it does not come back, or with lower limits.
 *     -ETIMEDOUT: it does not answer. Another negative errno is the driver's, as
 *     -ENOMEM. The device stays down, and the reset can be tried again.
 */
__rte_experimental
int rte_comch_dev_reset(int16_t dev_id);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * List the representors of a device. May be called from any thread.
 *
 * @param dev_id
 *   The device; one of the role host has none.
 * @param[out] reps
 *   Array to fill; may be NULL if nb is 0.
 * @param nb
 *   Elements of the array.
 * @return
 *   - The number of representors the device has, which may be above nb.
 *   - -EINVAL: not a device, or reps is NULL.
 *   - Another negative errno if the driver cannot tell.
 */
__rte_experimental
int rte_comch_rep_list(int16_t dev_id, struct rte_comch_rep_info *reps, uint16_t nb);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Find a representor by the name or the PCI address of its function.
 *
 * @param dev_id
 *   The device.
 * @param name
 *   For example "pf0vf3" or "03:00.5".
 * @return
 *   - The identifier, 0 or more.
 *   - -EINVAL: not a device, or name is NULL or empty.
 *   - -ENODEV: there is no such representor on the device.
 *   - -ENOMEM: no memory.
 *   - Another negative errno if the driver cannot list them.
 */
__rte_experimental
int rte_comch_rep_get_id_by_name(int16_t dev_id, const char *name);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Read the counters of a device. May be called from any thread.
 *
 * @param dev_id
 *   The device.
 * @param[out] stats
 *   Filled on success.
 * @return
 *   - 0 on success.
 *   - -EINVAL: not a device, or stats is NULL.
 */
__rte_experimental
int rte_comch_dev_stats_get(int16_t dev_id, struct rte_comch_dev_stats *stats);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Set the counters of a device to zero. May be called from any thread.
 *
 * @param dev_id
 *   The device.
 * @return
 *   - 0 on success.
 *   - -EINVAL: not a device.
 */
__rte_experimental
int rte_comch_dev_stats_reset(int16_t dev_id);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Print the state of a device, its contexts and connections, for people.
 *
 * @param dev_id
 *   The device.
 * @param f
 *   Where to print.
 * @return
 *   - 0 on success.
 *   - -EINVAL: not a device, or f is NULL, or the driver cannot tell what it is.
 *   - -ENOMEM: no memory.
 */
__rte_experimental
int rte_comch_dev_dump(int16_t dev_id, FILE *f);

/** @} */

/**
 * @name Progress engines
 * @{
 */

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Create a progress engine.
 *
 * @param conf
 *   Its configuration, or NULL for the defaults.
 * @param[out] pe
 *   The engine; the caller owns it.
 * @return
 *   - 0 on success.
 *   - -EINVAL: pe is NULL, or the configuration is out of range.
 *   - -ENOMEM: no memory, or no memory zone for the tasks.
 *   - -EMFILE: no file descriptor left.
 */
__rte_experimental
int rte_comch_pe_create(const struct rte_comch_pe_conf *conf, struct rte_comch_pe **pe);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Destroy a progress engine.
 *
 * @param pe
 *   The engine. NULL is allowed and does nothing.
 * @return
 *   - 0 on success.
 *   - -EBUSY: contexts are attached.
 *   - -EDEADLK: called from one of its callbacks.
 */
__rte_experimental
int rte_comch_pe_destroy(struct rte_comch_pe *pe);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Handle what has arrived, and call the callbacks for it. Returns after a
 * bounded amount of work, whatever the peers do. Never waits.
 *
 * @param pe
 *   The engine.
 * @return
 *   - The number of events handled; 0 if there was nothing to do.
 *   - -EINVAL: pe is NULL.
 *   - -EDEADLK: called from one of its callbacks. Builds of the library with
 *     RTE_COMCH_DEBUG find a second thread, too.
 */
__rte_experimental
int rte_comch_pe_progress(struct rte_comch_pe *pe);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Get the descriptor of a progress engine, for poll(), epoll or
 * rte_epoll_wait(). It is the same for the engine's whole life and belongs to
 * the engine: do not read it, do not close it.
 *
 * @param pe
 *   The engine.
 * @return
 *   - The descriptor, 0 or more.
 *   - -EINVAL: pe is NULL.
 */
__rte_experimental
int rte_comch_pe_fd(struct rte_comch_pe *pe);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Ask for the descriptor to become readable with the next event. The arming
 * ends with the next call of rte_comch_pe_progress().
 *
 * @param pe
 *   The engine.
 * @return
 *   - 0: armed; wait for the descriptor.
 *   - -EAGAIN: something has arrived; progress first.
 *   - -EINVAL: pe is NULL.
 *   - -EDEADLK: called from one of its callbacks.
 *   - -ENOTSUP: a context of a device without RTE_COMCH_CAPA_EVENT is attached.
 */
__rte_experimental
int rte_comch_pe_arm(struct rte_comch_pe *pe);

/** @} */

/**
 * @name Contexts
 * @{
 */

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Create a server.
 *
 * @param dev_id
 *   A device of the role dpu.
 * @param rep_id
 *   The function whose clients it serves: the rep_id of one that
 *   rte_comch_rep_list() gives.
 * @param conf
 *   Its configuration; copied.
 * @param[out] ctx
 *   The server, IDLE; the caller owns it.
 * @return
 *   - 0 on success.
 *   - -EINVAL: not a device, a required pointer is NULL, a value is out of
 *     range, an unknown flag, an empty name, one consumer callback of two.
 *   - -ENOTSUP: the driver of the device has no servers.
 *   - -EPERM: the device has the role host.
 *   - -ENODEV: there is no such representor.
 *   - -ENAMETOOLONG: the name does not fit in the max_name_len of the device.
 *   - -ENOMEM: no memory.
 *   - Another negative errno if the driver cannot list the representors.
 */
__rte_experimental
int rte_comch_server_create(int16_t dev_id, uint16_t rep_id,
		const struct rte_comch_server_conf *conf, struct rte_comch_ctx **ctx);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Create a client.
 *
 * @param dev_id
 *   A device of the role host.
 * @param conf
 *   Its configuration; copied.
 * @param[out] ctx
 *   The client, IDLE; the caller owns it.
 * @return
 *   - 0 on success.
 *   - -EINVAL: not a device, a required pointer is NULL, a value is out of
 *     range, an unknown flag, an empty name, one consumer callback of two.
 *   - -ENOTSUP: the driver of the device has no clients.
 *   - -EPERM: the device has the role dpu.
 *   - -ENAMETOOLONG: the name does not fit in the max_name_len of the device.
 *   - -ENOMEM: no memory.
 */
__rte_experimental
int rte_comch_client_create(int16_t dev_id, const struct rte_comch_client_conf *conf,
		struct rte_comch_ctx **ctx);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Destroy a context, and detach it from its progress engine.
 *
 * @param ctx
 *   The context. NULL is allowed and does nothing.
 * @return
 *   - 0 on success; the handle is void.
 *   - -EBUSY: the context is not IDLE, or is inside one of its callbacks.
 */
__rte_experimental
int rte_comch_ctx_destroy(struct rte_comch_ctx *ctx);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Attach a context to a progress engine, once, for its whole life.
 *
 * @param ctx
 *   The context, IDLE.
 * @param pe
 *   The engine.
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL.
 *   - -EBUSY: the context is not IDLE.
 *   - -EALREADY: the context is attached.
 *   - -ENOSPC: the engine has contexts of 8 devices, or 3500 consumers and
 *     producers; or the device has contexts on as many engines as it can have; or
 *     the user watches as many descriptors with epoll as the system allows.
 *   - -ENOMEM: no memory.
 *   - -EMFILE: no file descriptor left.
 *   - -ENOTSUP: the driver of the device has no contexts.
 */
__rte_experimental
int rte_comch_ctx_attach(struct rte_comch_ctx *ctx, struct rte_comch_pe *pe);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Start a context. May be called from a callback.
 *
 * The state callback is called in here. It may stop the context, and start it
 * again: what is returned tells of the state in which the context is in the end.
 *
 * @param ctx
 *   The context, IDLE and attached.
 * @return
 *   - 0: the context is RUNNING (servers, producers).
 *   - -EINPROGRESS: the context is STARTING (clients, consumers).
 *   - -ECANCELED: it was started, and its state callback has stopped it. It is IDLE,
 *     or STOPPING: then progress until it is IDLE. With any other error no callback
 *     was called, and the state is what it was.
 *   - -EINVAL: ctx is NULL, or its receive queue of messages of its size is more
 *     than the driver can share.
 *   - -EBUSY: the context is not IDLE.
 *   - -ENOLINK: the context is attached to no progress engine.
 *   - -EEXIST: a server of this name runs on the representor.
 *   - -ENOMEM: the progress engine has not enough tasks left, or no memory.
 *   - -ENOTCONN: the connection of the consumer or producer has ended.
 *   - -EAGAIN: the progress engine of the consumer's connection has too much
 *     waiting; progress it, and try again. Or a thread that uses another producer
 *     of the connection does not run; try again. Or the device is being reset.
 *   - -EMFILE: no file descriptor left.
 *   - -ENODEV: the device is gone. -EIO: it is broken. -ETIMEDOUT: it does not
 *     answer. What struct rte_comch_dev_info::status says, which may be another
 *     negative errno of a reset that failed. @see rte_comch_dev_reset()
 */
__rte_experimental
int rte_comch_ctx_start(struct rte_comch_ctx *ctx);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Stop a context. Its peers are told. Submitted tasks complete with
 * -ECANCELED. May be called from a callback.
 *
 * @param ctx
 *   The context, STARTING or RUNNING.
 * @return
 *   - 0: the context is IDLE.
 *   - -EINPROGRESS: the context is STOPPING; progress, and free its tasks,
 *     until it is IDLE.
 *   - -EINVAL: ctx is NULL.
 *   - -EALREADY: the context is IDLE or STOPPING.
 *   - -EBUSY: consumers or producers live on its connections; nothing was
 *     stopped.
 *   - -EAGAIN: the progress engine of the consumer's connection has too much
 *     waiting; nothing was stopped.
 */
__rte_experimental
int rte_comch_ctx_stop(struct rte_comch_ctx *ctx);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Get the state of a context.
 *
 * @param ctx
 *   The context.
 * @return
 *   - One of enum rte_comch_state.
 *   - -EINVAL: ctx is NULL.
 */
__rte_experimental
int rte_comch_ctx_state_get(const struct rte_comch_ctx *ctx);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Get the reason why a context last left STARTING or RUNNING.
 *
 * @param ctx
 *   The context.
 * @return
 *   - 0: it has not left it, or it was stopped by the application.
 *   - -ENOENT: the function has no server of that name.
 *   - -ECONNREFUSED: the server is stopping, or refused for another reason.
 *   - -ENOSPC: the server has as many clients as it takes.
 *   - -EMSGSIZE: max_msg_size differs between server and client.
 *   - -EPROTONOSUPPORT: the two sides share no protocol version.
 *   - -EACCES: the other side does not let this user in, or does not take the
 *     region of the consumer.
 *   - -EUSERS: the other side has as many processes as it lets in, or the device
 *     as many connections as it can have.
 *   - -ENOMEM: one of the two sides has no memory for the connection, or for the
 *     consumer.
 *   - -ENOTCONN: the connection of the consumer ended before it was announced.
 *   - -ETIMEDOUT: the connect timeout is over, or the device does not answer.
 *   - -ENODEV: the device is gone.
 *   - -EIO: the device is broken.
 *   - -ESHUTDOWN: the server disconnected or was stopped.
 *   - -ECONNRESET: the peer died. Of a consumer or producer: its connection has
 *     ended.
 *   - -EPROTO: the peer broke the protocol.
 *   - -EINVAL: ctx is NULL.
 */
__rte_experimental
int rte_comch_ctx_reason_get(const struct rte_comch_ctx *ctx);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Set the pointer that the callbacks of a context get.
 *
 * @param ctx
 *   The context.
 * @param user_data
 *   Any value; never followed.
 * @return
 *   - 0 on success.
 *   - -EINVAL: ctx is NULL.
 */
__rte_experimental
int rte_comch_ctx_user_data_set(struct rte_comch_ctx *ctx, void *user_data);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Get the pointer that the callbacks of a context get.
 *
 * @param ctx
 *   The context.
 * @return
 *   The pointer; NULL if ctx is NULL.
 */
__rte_experimental
void *rte_comch_ctx_user_data_get(const struct rte_comch_ctx *ctx);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Tell what a context is.
 *
 * @param ctx
 *   The context.
 * @return
 *   - One of enum rte_comch_ctx_type.
 *   - -EINVAL: ctx is NULL.
 */
__rte_experimental
int rte_comch_ctx_type_get(const struct rte_comch_ctx *ctx);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Count the tasks of a context that are allocated, submitted or not.
 *
 * @param ctx
 *   The context.
 * @return
 *   - The number of tasks that are not freed.
 *   - -EINVAL: ctx is NULL.
 */
__rte_experimental
int rte_comch_ctx_nb_tasks_get(const struct rte_comch_ctx *ctx);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Name a state.
 *
 * @param state
 *   Any number.
 * @return
 *   A constant string; "UNKNOWN" if it is no state.
 */
__rte_experimental
const char *rte_comch_state_name(int state);

/** @} */

/**
 * @name Connections
 * @{
 */

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Get the connection of a client. It is valid until the client is IDLE.
 *
 * @param ctx
 *   A client, RUNNING or STOPPING.
 * @param[out] conn
 *   The connection; the client owns it.
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL, or ctx is no client.
 *   - -ENOTCONN: the client is not connected.
 */
__rte_experimental
int rte_comch_client_conn_get(struct rte_comch_ctx *ctx, struct rte_comch_conn **conn);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Walk over the connections of a server. Each is valid until its disconnect
 * callback has returned. Belongs to the thread of the server.
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
 * End one connection of a server. The peer is told. Submitted tasks complete
 * with -ECANCELED, then the disconnect callback is called, both inside a later
 * rte_comch_pe_progress().
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
 * Get the server or client that a connection belongs to.
 *
 * @param conn
 *   The connection.
 * @return
 *   The context; NULL if conn is NULL.
 */
__rte_experimental
struct rte_comch_ctx *rte_comch_conn_ctx_get(const struct rte_comch_conn *conn);

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
 * Read the counters of a connection.
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

/**
 * @name Control send tasks
 * @{
 */

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Take a send task from the pool of the connection's context.
 *
 * @param conn
 *   An established connection.
 * @param msg
 *   The message. It is not copied here: it must stay and not change until the
 *   task ends.
 * @param len
 *   Its length, from 1 byte to the max_msg_size of the connection.
 * @param[out] task
 *   The task; the caller owns it until it is submitted.
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL, or len is 0.
 *   - -EMSGSIZE: len is above the max_msg_size of the connection.
 *   - -ENOTCONN: the connection has ended.
 *   - -EBUSY: the context is not RUNNING.
 *   - -ENOMEM: all nb_send_tasks of the context are in use.
 */
__rte_experimental
int rte_comch_send_task_alloc(struct rte_comch_conn *conn, const void *msg, uint32_t len,
		struct rte_comch_task **task);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Give a task that is not submitted another message, to use it again.
 *
 * @param task
 *   The task.
 * @param msg
 *   As for rte_comch_send_task_alloc().
 * @param len
 *   As for rte_comch_send_task_alloc().
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL, or len is 0, or the task is one of a producer
 *     or consumer.
 *   - -EMSGSIZE: len is above the max_msg_size of the connection.
 *   - -ENOTCONN: the connection has ended.
 *   - -EBUSY: the task is submitted.
 */
__rte_experimental
int rte_comch_send_task_set(struct rte_comch_task *task, const void *msg, uint32_t len);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Submit a task. It ends in the callback of its context, inside a later
 * rte_comch_pe_progress(), never in here.
 *
 * A control message is not refused for want of room: a full queue of the peer only
 * delays it. A task of a producer or consumer is refused if there is no room, and
 * for what its message or buffer has wrong.
 *
 * @param task
 *   The task. It belongs to the library until its callback, unless an error is
 *   returned.
 * @return
 *   - 0 on success.
 *   - -EINVAL: task is NULL.
 *   - -EALREADY: the task is submitted.
 *   - -ENOTCONN: the connection has ended.
 *   - -EBUSY: the context is not RUNNING.
 *   - -EAGAIN: no room in the queue, or no credit of the consumer (producers and
 *     consumers); rte_comch_producer_room_get() tells which.
 *   - -ENOENT, -EMSGSIZE, -E2BIG, -EFAULT, -EINVAL: as
 *     rte_comch_producer_room_get() and rte_comch_consumer_room_get() say of the
 *     reason (producers and consumers).
 */
__rte_experimental
int rte_comch_task_submit(struct rte_comch_task *task);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Give a task back to its pool. Freeing the last task of a context that is
 * STOPPING makes it IDLE.
 *
 * @param task
 *   A task that is not submitted. NULL is allowed and does nothing.
 * @return
 *   - 0 on success; the handle is void.
 *   - -EBUSY: the task is submitted.
 *   - -EALREADY: the task was freed before; nothing was done. A mistake that is only
 *     found until the task is allocated again, and while its progress engine lives.
 */
__rte_experimental
int rte_comch_task_free(struct rte_comch_task *task);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Keep a pointer of the application with a task.
 *
 * @param task
 *   The task.
 * @param user_data
 *   Any value; never followed. NULL on a task that was just allocated.
 * @return
 *   - 0 on success.
 *   - -EINVAL: task is NULL.
 */
__rte_experimental
int rte_comch_task_user_data_set(struct rte_comch_task *task, void *user_data);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Get the pointer that rte_comch_task_user_data_set() left.
 *
 * @param task
 *   The task.
 * @return
 *   The pointer; NULL if task is NULL.
 */
__rte_experimental
void *rte_comch_task_user_data_get(const struct rte_comch_task *task);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Get the message that a task carries.
 *
 * @param task
 *   The task.
 * @param[out] len
 *   Its length in bytes; may be NULL.
 * @return
 *   The pointer given to rte_comch_send_task_alloc(); NULL if task is NULL, or is
 *   one of a producer or consumer: then len is not written.
 */
__rte_experimental
const void *rte_comch_task_msg_get(const struct rte_comch_task *task, uint32_t *len);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Get the connection that a task sends on.
 *
 * @param task
 *   The task.
 * @return
 *   The connection; NULL if task is NULL or the connection has ended.
 */
__rte_experimental
struct rte_comch_conn *rte_comch_task_conn_get(const struct rte_comch_task *task);

/** @} */

#ifdef __cplusplus
}
#endif

#include <rte_comch_mem.h>
#include <rte_comch_fp.h>

#endif /* RTE_COMCH_H */
