/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef RTE_COMCH_PE_H
#define RTE_COMCH_PE_H

/**
 * @file
 *
 * Progress engines: what a thread turns, or sleeps on, to make comch contexts move.
 * Applications get this file by rte_comch.h.
 */

#include <stdint.h>

#include <rte_compat.h>

#include <rte_comch_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Configuration of a progress engine; all zero is a valid one. */
struct rte_comch_pe_conf {
	/** NUMA node of its memory, or SOCKET_ID_ANY; 0 is the first node. */
	int socket_id;
	/**
	 * Tasks that the contexts of this engine may have in all, with one for each
	 * connection of a server; 1048576 at most, 0 for the default of 16384. The engine
	 * promises tasks when a context starts or a client connects. It takes memory for
	 * them then, about 128 bytes each, and keeps it until its end.
	 */
	uint32_t max_tasks;
	/** Must be 0. */
	uint64_t flags;
	uint64_t reserved[4]; /**< Must be 0. */
};

/** What a progress engine has, and its limits. @see rte_comch_pe_info_get() */
struct rte_comch_pe_info {
	uint32_t max_devs;   /**< Devices of which contexts can be attached. */
	uint32_t nb_devs;    /**< Devices of which contexts are. */
	uint32_t max_queues; /**< Consumers and producers that can be attached. */
	uint32_t nb_queues;  /**< Consumers and producers that are. */
	uint32_t max_tasks;  /**< As in its configuration, or the default. */
	/**
	 * Tasks that are not promised to a context that is started, nor to a connection
	 * of a server: a context with more than these does not start, and without one a
	 * server takes no client.
	 */
	uint32_t tasks_left;
	uint32_t nb_ctxs;    /**< Contexts that are attached. */
	uint32_t nb_tasks;   /**< Tasks of these that are allocated, submitted or not. */
	uint32_t reserved[8]; /**< Zero. */
};

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
 *   - -EINVAL: pe is NULL, or the configuration is out of range or has a flag or a
 *     reserved field that is not 0.
 *   - -ENOMEM: no memory; or the user watches as many descriptors with epoll as the
 *     system allows.
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
 * If a driver has not yet let go of the engine, this waits for it: 2.5 seconds at most, and
 * up to a minute more while that driver is at work. Devices that were added to the engine
 * are let go.
 *
 * @param pe
 *   The engine. NULL is allowed and does nothing.
 * @return
 *   - 0 on success.
 *   - -EBUSY: contexts are attached, or connections are on it or on their way to it;
 *     nothing was changed.
 *   - -EDEADLK: called from one of its callbacks.
 */
__rte_experimental
int rte_comch_pe_destroy(struct rte_comch_pe *pe);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Prepare a progress engine for connections of a device, as an attached context of
 * that device does: servers on other engines may accept clients onto it from now on. For
 * the engines of workers, at set-up, in the thread of the engine.
 *
 * @see struct rte_comch_server_conf::engine_cb
 *
 * @param pe
 *   The engine. It keeps the device until its own end.
 * @param dev_id
 *   The device; it cannot be removed meanwhile.
 * @return
 *   - 0 on success.
 *   - -EINVAL: pe is NULL, or there is no such device.
 *   - -EALREADY: it was added before.
 *   - -ENOSPC: the engine has max_devs devices, see rte_comch_pe_info_get(); or the
 *     device is on as many engines as it can be; or the user watches as many descriptors
 *     with epoll as the system allows.
 *   - -ENOMEM: no memory.
 *   - -EMFILE: no file descriptor left.
 *   - -ENOTSUP: the driver of the device has no contexts.
 */
__rte_experimental
int rte_comch_pe_dev_add(struct rte_comch_pe *pe, int16_t dev_id);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Handle what has arrived, and call the callbacks for it. Returns after a
 * bounded amount of work, whatever the peers do. Never waits.
 *
 * A call in which a client becomes RUNNING ends with that: what its peer has sent and
 * announced, and all else that has arrived, is for the next call. So a program that
 * finds the client RUNNING can give the connection its user data before a callback
 * looks at it.
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
 *   - -EAGAIN: something has arrived, or the last call of progress has left something;
 *     progress first.
 *   - -EINVAL: pe is NULL.
 *   - -EDEADLK: called from one of its callbacks.
 *   - -ENOTSUP: a context of a device without RTE_COMCH_CAPA_EVENT is attached.
 */
__rte_experimental
int rte_comch_pe_arm(struct rte_comch_pe *pe);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * As rte_comch_pe_arm(), but if something has arrived already, the descriptor is
 * readable at once. So a thread that waits for many descriptors, as in a loop around
 * epoll, arms and waits, and need not progress again in between. What is not handled by
 * rte_comch_pe_progress() counts, too: completions of bursts that were not polled.
 *
 * The descriptor may become readable though there is nothing to do: at most once for each
 * thing that another engine of this process does.
 *
 * @param pe
 *   The engine.
 * @return
 *   - 0: armed; wait for the descriptor.
 *   - -EINVAL: pe is NULL.
 *   - -EDEADLK: called from one of its callbacks.
 *   - -ENOTSUP: a context of a device without RTE_COMCH_CAPA_EVENT is attached.
 */
__rte_experimental
int rte_comch_pe_arm_always(struct rte_comch_pe *pe);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Read what a progress engine has, and its limits.
 *
 * @param pe
 *   The engine; in its own thread.
 * @param[out] info
 *   Filled on success.
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL.
 */
__rte_experimental
int rte_comch_pe_info_get(const struct rte_comch_pe *pe, struct rte_comch_pe_info *info);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* RTE_COMCH_PE_H */
