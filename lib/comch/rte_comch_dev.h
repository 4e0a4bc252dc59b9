/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef RTE_COMCH_DEV_H
#define RTE_COMCH_DEV_H

/**
 * @file
 *
 * Comch devices and representors: what there is, what it can do, counters, reset.
 * Applications get this file by rte_comch.h.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <rte_bitops.h>
#include <rte_compat.h>
#include <rte_dev.h>

#include <rte_comch_types.h>

#ifdef __cplusplus
extern "C" {
#endif

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
/**
 * Consumers can have memory of the application, and the device writes messages right
 * into it. @see rte_comch_mem_register()
 */
#define RTE_COMCH_CAPA_MEM_DIRECT RTE_BIT64(6)
/**
 * Consumers can have memory of the application; messages come into memory of the
 * driver, and are copied once more when they are polled.
 */
#define RTE_COMCH_CAPA_MEM_BOUNCE RTE_BIT64(7)
/**
 * Consumers may leave the size of their buffers open, so that each post has its own.
 * @see struct rte_comch_consumer_conf::buf_size
 */
#define RTE_COMCH_CAPA_POST_SIZES RTE_BIT64(8)
/** Programs can run on offload processors of the device, see rte_comch_dpa.h. */
#define RTE_COMCH_CAPA_DPA RTE_BIT64(10)
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
	/**
	 * A peer is attached. A driver may learn of it, and of its end, only while a
	 * progress engine with a context of the device turns.
	 */
	bool link_up;
	uint32_t nb_links;                        /**< Peer processes attached. */
	uint32_t max_name_len;                    /**< Server name, bytes with the NUL. */
	uint32_t max_msg_size;                    /**< Largest control message, bytes. */
	uint32_t max_recv_queue_size;             /**< Control messages of a receive queue. */
	uint32_t max_ctrl_tasks;                  /**< Control send tasks of one context. */
	uint32_t max_clients;                     /**< Clients of one server. */
	uint32_t max_consumers;                   /**< Consumers of one connection. */
	uint32_t max_producers;                   /**< Producers of one connection. */
	uint32_t max_posts;     /**< Posted buffers of one consumer; a power of two. */
	uint32_t max_sends;     /**< Sends of one producer, not polled; a power of two. */
	uint32_t max_imm_len;                     /**< Immediate data of a consumer, bytes. */
	uint64_t max_buf_size;                    /**< Buffer of the fast path, bytes. */
	uint32_t dflt_msg_size;                   /**< Control message size if unset, bytes. */
	uint32_t dflt_recv_queue_size;            /**< Receive queue size if unset. */
	/**
	 * Unique identifier of its function, the same as that of its representor on the
	 * card. It can be compared; its text has no meaning. Empty for a dpu, or if there
	 * is none.
	 */
	char vuid[RTE_COMCH_VUID_SIZE];
	/** Progress engines that can have contexts of it at one time; 0: no limit. */
	uint32_t max_pes;
	/** Regions that all started consumers can have at one time; 0: no limit. */
	uint32_t max_peer_mems;
	/**
	 * Largest receive queue, bytes: its recv_queue_size times its max_msg_size (or
	 * dflt_msg_size, if it leaves that open). Up to this, none is refused for its
	 * size. 0: no limit.
	 */
	uint64_t max_recv_bytes;
	/**
	 * Progress engines that have contexts of it now, max_pes at most. Other threads may
	 * change this at any time.
	 */
	uint32_t nb_pes;
	uint64_t reserved[14]; /**< Zero. */
};

/** One function of the host, seen from the card. @see rte_comch_rep_list() */
struct rte_comch_rep_info {
	/** Identifier on its device; those of a device may have gaps. */
	uint16_t rep_id;
	char name[RTE_COMCH_FUNCTION_SIZE];     /**< For example pf0, pf0vf3, pf0sf12. */
	/** PCI address as the host has it, of no other function; may be emulated. */
	char pci_addr[RTE_COMCH_PCI_ADDR_SIZE];
	uint32_t nb_links;                      /**< Host processes attached to it. */
	enum rte_comch_func_type type;          /**< What the function is. */
	uint16_t pf;                            /**< Number of the physical function. */
	uint16_t number;                        /**< Of the VF or SF of it; 0 for a PF. */
	/** Unique identifier: that of the host's device. @see rte_comch_dev_info::vuid */
	char vuid[RTE_COMCH_VUID_SIZE];
	uint64_t reserved[6]; /**< Zero. */
};

/** Counters of a device. @see rte_comch_dev_stats_get() */
struct rte_comch_dev_stats {
	uint64_t connects;      /**< Connections established. */
	uint64_t refused;       /**< Connection requests refused, either way. */
	uint64_t disconnects;   /**< Connections ended in order, by either side. */
	/** Connections ended because the peer died, or did not answer in time. */
	uint64_t peer_lost;
	uint64_t timeouts;      /**< Connect attempts that timed out. */
	uint64_t violations;    /**< Breaches of the protocol by a peer. */
	uint64_t links;         /**< Peer processes that attached. */
	uint64_t links_refused; /**< Peer processes that were not let in. */
	uint64_t wakeups;       /**< Wake-ups sent to sleeping peers. */
	/**
	 * Regions, connections, contexts and poll groups that are kept in memory, though
	 * the application has given them back, because the driver has not told that
	 * hardware is done with them. Regions come back with a reset of the device.
	 */
	uint64_t retained;
	uint64_t reserved[7]; /**< Zero. */
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
 * Find a device by its name, by its PCI address with or without domain, or by the
 * unique identifier of its function. If several have one address, the first is found.
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
 * Read what a device is and its limits. May be called from any thread. It does not
 * wait, and does not look for news of peers: rte_comch_pe_progress() does.
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
 * Reset a device, above all one that has failed. The contexts of such a device have
 * gone to STOPPING with a reason, and none starts until a reset has succeeded.
 *
 * These stay: the identifier, the contexts with their names and settings, the
 * capabilities and the limits of the device. If it has higher limits after the reset,
 * they are not used; if it has lower ones, it does not come back.
 *
 * A reset may take seconds, and minutes if firmware has failed: the guide of the driver
 * says how long. Only one thread at a time may reset a device. Meanwhile no other thread
 * may start contexts or allocate memory regions of it. It must not be called in a
 * callback of the library.
 *
 * @param dev_id
 *   The device.
 * @return
 *   - 0 on success: the status in its info is 0, contexts can start.
 *   - -EINVAL: not a device.
 *   - -ENOTSUP: its driver has no reset.
 *   - -EBUSY: a context of it is not IDLE, an offload processor is started, or it has a
 *     memory region; or its driver has not ended yet what was freed or destroyed:
 *     progress, and try again.
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
 *   - -EINVAL: not a device, or reps is NULL and nb is not 0.
 *   - Another negative errno if the driver cannot tell.
 */
__rte_experimental
int rte_comch_rep_list(int16_t dev_id, struct rte_comch_rep_info *reps, uint16_t nb);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Find a representor by the name, the PCI address or the unique identifier of its
 * function: each of them is what the info of the host's device says.
 *
 * @param dev_id
 *   The device.
 * @param name
 *   For example "pf0vf3" or "3b:00.5".
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
 * Read the counters of a device. May be called from any thread. Each is right for itself;
 * together they are no snapshot.
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

#ifdef __cplusplus
}
#endif

#endif /* RTE_COMCH_DEV_H */
