/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef RTE_COMCH_CTX_H
#define RTE_COMCH_CTX_H

/**
 * @file
 *
 * Contexts: servers and clients, and what every kind of context can do.
 * Consumers and producers are made in rte_comch_queue.h. Applications get this file by
 * rte_comch.h, whose model and rules hold here.
 */

#include <stdint.h>

#include <rte_compat.h>

#include <rte_comch_queue.h>
#include <rte_comch_types.h>

#ifdef __cplusplus
extern "C" {
#endif

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
	 *
	 * This is all that waits here for the receive callback: memory of that
	 * size, rounded up by the driver, is there from the beginning, and nothing
	 * grows beyond it. What the peer sends beyond that waits on its side, and its
	 * tasks do not end meanwhile.
	 */
	uint32_t recv_queue_size;
	/**
	 * Send tasks of the context, from 1 to the max_ctrl_tasks of the device.
	 * 0 for 32. A task that can be allocated can be submitted.
	 *
	 * The connections of a server share them. Beyond them each connection has one
	 * task of its own, which the progress engine provides when the client connects.
	 */
	uint32_t nb_tasks;
	/**
	 * Send tasks that one connection may have allocated at a time, its own one
	 * included, up to the max_ctrl_tasks of the device. For one more,
	 * rte_comch_conn_task_alloc() returns -EDQUOT. So a peer that does not progress
	 * holds up its own connection, and not those of others.
	 *
	 * 0 for the default: all for a client and for a server with max_clients 1;
	 * else the task of its own and a quarter of nb_tasks, at least one.
	 */
	uint32_t max_conn_tasks;
	/** Must be 0. */
	uint32_t flags;
	rte_comch_state_cb_t state_cb;            /**< State changes. */
	rte_comch_send_cb_t send_cb;              /**< Ends of send tasks; required. */
	rte_comch_recv_cb_t recv_cb;              /**< Messages; this or recv_mbuf_cb. */
	rte_comch_consumer_cb_t consumer_new_cb;  /**< Both of these two or none. */
	rte_comch_consumer_cb_t consumer_gone_cb; /**< Both of these two or none. */
	/** The pointer that the callbacks of the context get; never followed. */
	void *user_data;
	/** Messages as mbufs of recv_pool, which the application keeps; or recv_cb. */
	rte_comch_recv_mbuf_cb_t recv_mbuf_cb;
	/**
	 * Pool of mbufs for recv_mbuf_cb, NULL without that. The application frees it,
	 * after the context.
	 *
	 * A message has as many segments as it needs, at most 256. All mbufs of the pool
	 * together must have room for one message of max_msg_size bytes: that is checked
	 * with the configuration, and again with the size that is agreed on for each
	 * connection. The engines that engine_cb names take mbufs of it, too,
	 * each in its own thread: then it is no pool of a single consumer.
	 *
	 * While the pool has not enough mbufs for a message, reception of its connection
	 * is held back, so nothing is lost; it is tried again in each turn of the engine,
	 * and by one that sleeps once in a millisecond.
	 */
	struct rte_mempool *recv_pool;
	uint64_t reserved[8]; /**< Must be 0. */
};

/** Configuration of a server. */
struct rte_comch_server_conf {
	/** Its name, not empty; copied. With its NUL up to the max_name_len of the device. */
	const char *name;
	/**
	 * Clients that may be connected at one time, up to the max_clients of
	 * the device; 0 for that. The next one is refused with -ENOSPC. So is one
	 * for which the engine has no task left: give max_tasks of struct
	 * rte_comch_pe_conf one for each client beside the nb_tasks.
	 */
	uint32_t max_clients;
	struct rte_comch_ctrl_conf ctrl;    /**< What it shares with clients. */
	rte_comch_conn_cb_t connect_cb;     /**< A client has connected; required. */
	rte_comch_conn_cb_t disconnect_cb;  /**< A client is gone; required. */
	rte_comch_refused_cb_t refused_cb;  /**< A client failed to connect, or NULL. */
	/**
	 * The engine of each connection; NULL for that of the server.
	 *
	 * A connection on another engine gets the user_data that the server had when it was
	 * accepted. It shares no tasks with others: it has max_conn_tasks for itself, which
	 * its engine provides, or the client is refused with -ENOSPC. It counts for
	 * max_clients from engine_cb until the server's engine has been progressed after its
	 * end. Its callbacks must not call functions on the server, whose state is its
	 * thread's. A server that stops ends it in its own thread, and becomes IDLE after
	 * that: progress the engines of all connections until then.
	 */
	rte_comch_engine_cb_t engine_cb;
	uint64_t reserved[4]; /**< Must be 0. */
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
	uint64_t reserved[4]; /**< Must be 0. */
};

/** The configuration of a context. @see rte_comch_ctx_conf_set() */
union rte_comch_ctx_conf {
	struct rte_comch_server_conf server;     /**< Of a server. */
	struct rte_comch_client_conf client;     /**< Of a client. */
	struct rte_comch_consumer_conf consumer; /**< Of a consumer. */
	struct rte_comch_producer_conf producer; /**< Of a producer. */
};

/** Facts of a context. @see rte_comch_ctx_info_get() */
struct rte_comch_ctx_info {
	enum rte_comch_ctx_type type; /**< What it is. */
	enum rte_comch_state state;   /**< As rte_comch_ctx_state_get() says. */
	int reason;                   /**< As rte_comch_ctx_reason_get() says. */
	int16_t dev_id;               /**< Its device. */
	uint16_t rep_id;              /**< Servers: the representor. */
	/** Consumers and producers: the identifier, unique among those of its kind. */
	uint32_t queue_id;
	/** Tasks that are allocated, submitted or not. */
	uint32_t nb_tasks;
	/**
	 * Servers and clients: the connections that are on the context's own engine. Those
	 * of a server on other engines are not among them, though they count for
	 * max_clients.
	 */
	uint32_t nb_conns;
	struct rte_comch_pe *pe;      /**< The engine it is attached to, or NULL. */
	/**
	 * Clients: the connection, valid until the client is IDLE, or longer with
	 * rte_comch_conn_ref(). Consumers and producers: the one they are on. NULL while
	 * there is none, after its end, and for servers.
	 */
	struct rte_comch_conn *conn;
	/** Consumers and producers of a message queue: that, or NULL. */
	struct rte_comch_msgq *msgq;
	/**
	 * The configuration as it was given: a field that was 0 for a default is 0. The
	 * name of a server or client is its own string, valid until it is configured anew
	 * or destroyed.
	 */
	union rte_comch_ctx_conf conf;
	uint64_t reserved[6]; /**< Zero. */
};

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
 *     range, an unknown flag, a reserved field that is not 0, an empty name, one
 *     consumer callback of two, not one receive callback of two, or a recv_pool that
 *     cannot hold a message.
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
 *     range, an unknown flag, a reserved field that is not 0, an empty name, one
 *     consumer callback of two, not one receive callback of two, or a recv_pool that
 *     cannot hold a message.
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
 * Give a context another configuration, before it is started or between a stop and the
 * next start. The whole configuration is replaced; its device and representor, or its
 * connection and identifier, stay. To change one field, read it with
 * rte_comch_ctx_info_get() first. May be called from a callback, also from the state
 * callback that says IDLE.
 *
 * @param ctx
 *   A context, IDLE; in its own thread.
 * @param conf
 *   The configuration of its kind; copied, checked as the function does that creates such a
 *   context. The user_data is set as well. A region that a consumer had and has no more can
 *   be freed.
 * @return
 *   - 0 on success. With any error, the context has the configuration that it had.
 *   - -EBUSY: the context is not IDLE.
 *   - -EINVAL: a parameter is NULL.
 *   - An error that the function which creates such a context has for its configuration.
 */
__rte_experimental
int rte_comch_ctx_conf_set(struct rte_comch_ctx *ctx, const union rte_comch_ctx_conf *conf);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Destroy a context, and detach it from its progress engine. May be called from any
 * callback, also from those of the context itself: the state callback that says IDLE
 * may destroy it. Then its memory and its place on the engine are given back later, when
 * that callback and what has called it have returned. The application does not notice:
 * no callback of the context is called any more, its name is free, and a consumer or
 * producer does not hold up the end of its connection. But inside of that callback the
 * engine cannot be destroyed, and the device cannot be removed.
 *
 * @param ctx
 *   The context, IDLE. NULL is allowed and does nothing.
 * @return
 *   - 0 on success; the handle is void.
 *   - -EBUSY: the context is not IDLE.
 *   - -EALREADY: it was destroyed before in the same callback; nothing was done. This
 *     mistake is found only until that callback has returned.
 */
__rte_experimental
int rte_comch_ctx_destroy(struct rte_comch_ctx *ctx);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Attach a context to a progress engine, whose thread is its thread from now on. It
 * stays there until rte_comch_ctx_detach() or its end.
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
 *   - -ENOSPC: the engine has contexts of max_devs devices, or max_queues consumers
 *     and producers, see rte_comch_pe_info_get(); or the device has contexts on
 *     max_pes engines, see rte_comch_dev_info_get(); or the user watches as many
 *     descriptors with epoll as the system allows.
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
 * Detach a context from its progress engine, in the thread of that. It may then be
 * attached to another one, or to the same, by any thread that it is handed to, and
 * may start again there. What the engine has of the device goes with the last
 * context of that device. May be called from callbacks of other contexts.
 *
 * @param ctx
 *   The context, IDLE: never started, or started and stopped.
 * @return
 *   - 0 on success.
 *   - -EINVAL: ctx is NULL.
 *   - -EBUSY: the context is not IDLE, or is inside one of its callbacks, that of
 *     its change to IDLE included; detach it when progress has returned.
 *   - -ENOLINK: the context is attached to no progress engine.
 */
__rte_experimental
int rte_comch_ctx_detach(struct rte_comch_ctx *ctx);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Start a context. May be called from a callback.
 *
 * The state callback is called in here. It may stop the context, and start it again: the
 * return value is about the last of these states. If the callback has destroyed the
 * context, -ECANCELED is returned, and the handle is void.
 *
 * @param ctx
 *   The context, IDLE and attached.
 * @return
 *   - 0: the context is RUNNING (servers, producers).
 *   - -EINPROGRESS: the context is STARTING (clients, consumers). No message, and no
 *     consumer of the peer, is told of in the turn in which a client becomes RUNNING.
 *   - -ECANCELED: it was started, and ends or has ended already: its state callback
 *     has stopped it, or what it needs was not there and a driver has to undo what it
 *     began; then rte_comch_ctx_reason_get() says what. It is IDLE, or STOPPING: then
 *     progress until it is IDLE. With any other error no callback was called, and the
 *     state is what it was.
 *   - -EINVAL: ctx is NULL, or its receive queue is larger than the driver allows, see
 *     struct rte_comch_dev_info::max_recv_bytes.
 *   - -EBUSY: the context is not IDLE.
 *   - -ENOLINK: the context is attached to no progress engine.
 *   - -EEXIST: a server of this name runs on the representor, or one whose name the
 *     driver cannot tell from it.
 *   - -ENOMEM: the progress engine has not enough tasks left, or no memory; or
 *     consumers of max_peer_mems regions are started, see rte_comch_dev_info_get().
 *   - -ENOTCONN: the connection of the consumer or producer has ended.
 *   - -EAGAIN: the progress engine of the consumer's connection has too much
 *     waiting; progress it, and try again. Or a thread that uses another producer
 *     of the connection does not run; try again. Or the device is being reset.
 *   - -EMFILE: no file descriptor left, or none of the share of the peer's user.
 *   - An error of rte_comch_meta_map_init(), of a consumer that asks for times.
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
 * Stop a context. Its peers are told. Submitted tasks complete inside a later
 * rte_comch_pe_progress(): with 0 if their message was delivered, and with -ECANCELED
 * if not. The context is STOPPING until its peers have taken what was on its way to
 * them; one that takes nothing for a second, or not all in ten, never gets the rest,
 * and is waited for no longer. Over BlueField, the last messages that a peer handled
 * before it hung or died may be told as not delivered. May be called from a callback.
 *
 * The state callback is called in here. If it says IDLE and has destroyed the context,
 * 0 is returned, and the handle is void.
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
 */
__rte_experimental
int rte_comch_ctx_stop(struct rte_comch_ctx *ctx);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Get the facts of a context. What never changes of a consumer or producer is right in any
 * thread: its type, dev_id, queue_id and msgq.
 *
 * @param ctx
 *   The context, in any state; but for those facts, in its own thread.
 * @param[out] info
 *   Filled on success.
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL.
 */
__rte_experimental
int rte_comch_ctx_info_get(const struct rte_comch_ctx *ctx, struct rte_comch_ctx_info *info);

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
 *   - -ENOSPC: the server has as many clients as it takes, or its progress engine
 *     no task for one more.
 *   - -EMSGSIZE: max_msg_size differs between server and client, or is more than the
 *     recv_pool of one of them can hold.
 *   - -EPROTONOSUPPORT: the two sides share no protocol version.
 *   - -EACCES: the other side does not let this user in, or does not take the
 *     region of the consumer.
 *   - -EUSERS: one of the sides has as many processes or descriptors of the other
 *     side's user as it takes, or the device as many connections as it can have.
 *   - -ENOMEM: one of the two sides has no memory for the connection, or for the
 *     consumer.
 *   - -ENOTCONN: the connection of the consumer ended before it was announced.
 *   - -ETIMEDOUT: the connect timeout is over, or the peer or the device does not answer.
 *   - -ENODEV: the device is gone.
 *   - -EIO: the device is broken.
 *   - -ESHUTDOWN: the server disconnected or was stopped.
 *   - -ECONNRESET: the peer died. Of a consumer or producer: its connection has
 *     ended.
 *   - -EPROTO: the peer broke the protocol.
 *   - -EINVAL: ctx is NULL.
 *   - Another negative errno that the guide of the driver explains. For people,
 *     rte_comch_reason_str() has all of them in words.
 */
__rte_experimental
int rte_comch_ctx_reason_get(const struct rte_comch_ctx *ctx);

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

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Say in words why a context or a connection has ended, or a client was refused, and
 * what to do about it. Any thread, at any time.
 *
 * @param reason
 *   Any number: what rte_comch_ctx_reason_get() returns, the status that ends a
 *   connection, the reason of struct rte_comch_refusal, or the status of struct
 *   rte_comch_dev_info. The errors that functions return, and the status of a task, may
 *   be the same numbers with another meaning.
 * @return
 *   A constant string without a full stop, as "the server has disconnected or was
 *   stopped: ..."; "no error" for 0. The text of any other number refers to the guide of
 *   the driver, which may have more reasons.
 */
__rte_experimental
const char *rte_comch_reason_str(int reason);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* RTE_COMCH_CTX_H */
