/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef RTE_COMCH_MEM_H
#define RTE_COMCH_MEM_H

/**
 * @file
 *
 * Memory regions of the fast path: where producers send from, and where the
 * producers of a peer may write to. Applications get this file by rte_comch.h.
 *
 * There are four ways to a region:
 *
 * | function                      | memory                       | peers may write |
 * |-------------------------------|------------------------------|-----------------|
 * | rte_comch_mem_alloc()         | its own                      | if asked for    |
 * | rte_comch_mem_pool_create()   | its own: an mbuf pool        | if asked for    |
 * | rte_comch_mem_register()      | the application's            | if asked for    |
 * | rte_comch_mem_pool_register() | a pool that exists           | if asked for    |
 *
 * What a peer can reach is at most the region, and only if it has the flag
 * RTE_COMCH_MEM_F_PEER_WRITE and a consumer on a connection to that peer. An honest
 * peer writes to what is posted, and not after the consumer is IDLE. Over shared memory, a
 * dishonest one can write to all of the region as long as the region exists, and to
 * nothing else; so can one that lost its connection because it was slow.
 *
 * The driver decides how messages get there; struct rte_comch_mem_info::how tells.
 * *Direct*: into the memory itself. *By a bounce buffer*: the peer writes into other memory,
 * which the driver has made for that, and polling the completion copies the message to
 * where it was posted. What the peer does after that copy changes nothing. This is for
 * memory that must not be shared, because its pages hold other things too: the heap of
 * the application, and that of EAL.
 *
 * Threads: these functions may be called from any thread, outside of the fast
 * path. A region belongs to one device, and may be used by all its connections.
 */

#include <stddef.h>
#include <stdint.h>

#include <rte_bitops.h>
#include <rte_compat.h>

#include <rte_comch_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rte_mempool;

/** Producers of peers may write to the region: consumers can have it. */
#define RTE_COMCH_MEM_F_PEER_WRITE RTE_BIT32(0)
/** Only huge pages will do. Without it the device decides, see its guide. */
#define RTE_COMCH_MEM_F_HUGE_ONLY  RTE_BIT32(1)
/** With PEER_WRITE: messages have to come into the memory itself, or it is an error. */
#define RTE_COMCH_MEM_F_NO_BOUNCE  RTE_BIT32(2)
/** Programs of offload processors can have windows of it. */
#define RTE_COMCH_MEM_F_DPA        RTE_BIT32(3)
/** Every flag that there is. */
#define RTE_COMCH_MEM_F_ALL (RTE_COMCH_MEM_F_PEER_WRITE | RTE_COMCH_MEM_F_HUGE_ONLY | \
	RTE_COMCH_MEM_F_NO_BOUNCE | RTE_COMCH_MEM_F_DPA)

/** How messages of a peer come into a region. */
enum rte_comch_mem_how {
	RTE_COMCH_MEM_HOW_NONE = 0, /**< Peers do not write to it. */
	RTE_COMCH_MEM_HOW_DIRECT,   /**< Into the memory itself. */
	RTE_COMCH_MEM_HOW_BOUNCE,   /**< By a bounce buffer, out of which polling copies them. */
};

/** What a region is. @see rte_comch_mem_info_get() */
struct rte_comch_mem_info {
	void *addr;          /**< Where it begins. */
	/**
	 * Bytes that can be used; from addr on, but for a registered pool whose
	 * memory is in several places: then this is the sum.
	 */
	uint64_t len;
	uint64_t page_size;  /**< Bytes of its pages; 0 if it is not our memory. */
	uint32_t flags;      /**< RTE_COMCH_MEM_F_* flags. */
	uint32_t nb_users;   /**< Consumers and windows that use it. */
	int16_t dev_id;      /**< Its device. */
	struct rte_mempool *pool; /**< Its mbuf pool, or NULL. */
	enum rte_comch_mem_how how; /**< How messages come into it. */
	uint64_t reserved[6]; /**< Zero. */
};

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Allocate a region. Its memory is zero, and all of it is there: if some is missing, that
 * is an error here, and no signal later.
 *
 * @param dev_id
 *   The device.
 * @param len
 *   Its length in bytes, 1 or more; whole pages are taken.
 * @param flags
 *   RTE_COMCH_MEM_F_* flags.
 * @param[out] mem
 *   The region; the caller owns it.
 * @return
 *   - 0 on success.
 *   - -EINVAL: not a device, len is 0 or above the max_buf_size of the device,
 *     an unknown flag, RTE_COMCH_MEM_F_NO_BOUNCE without RTE_COMCH_MEM_F_PEER_WRITE,
 *     mem is NULL.
 *   - -ENOMEM: no memory, or no huge page where only they will do.
 *   - -EMFILE: no file descriptor left.
 *   - -ENOTSUP: the device has no fast path; or with RTE_COMCH_MEM_F_DPA, no offload
 *     processor.
 *   - Another negative errno of the driver, as -EIO of a device that has failed.
 */
__rte_experimental
int rte_comch_mem_alloc(int16_t dev_id, uint64_t len, uint32_t flags,
		struct rte_comch_mem **mem);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Register memory of the application, for producers to send from, and with
 * RTE_COMCH_MEM_F_PEER_WRITE for consumers to receive into: any memory that can be
 * read and written, be it of malloc(), mmap(), EAL or the program itself. What else
 * is on its pages stays out of reach of any peer.
 *
 * For consumers the device needs RTE_COMCH_CAPA_MEM_DIRECT or RTE_COMCH_CAPA_MEM_BOUNCE.
 * A bounce buffer takes as much memory as the region has, from the start of the first consumer
 * that has the region until the last one is IDLE.
 *
 * @param dev_id
 *   The device.
 * @param addr
 *   Where it begins. It must stay mapped until the region is freed.
 * @param len
 *   Its length in bytes, 1 or more.
 * @param flags
 *   RTE_COMCH_MEM_F_* flags, but not RTE_COMCH_MEM_F_HUGE_ONLY or RTE_COMCH_MEM_F_DPA.
 * @param[out] mem
 *   The region; the caller owns it.
 * @return
 *   - 0 on success.
 *   - -EINVAL: not a device, addr is NULL, len is 0, above the max_buf_size of the
 *     device, or runs over the end of the address space, an unknown flag, mem is
 *     NULL, flags has one of huge pages or RTE_COMCH_MEM_F_DPA, or
 *     RTE_COMCH_MEM_F_NO_BOUNCE without RTE_COMCH_MEM_F_PEER_WRITE.
 *   - -ENOMEM: no memory.
 *   - -ENOTSUP: the device has no fast path; or with RTE_COMCH_MEM_F_PEER_WRITE, its
 *     consumers cannot have memory of the application, or only by a bounce buffer, which
 *     RTE_COMCH_MEM_F_NO_BOUNCE refuses: take rte_comch_mem_alloc().
 *   - Another negative errno of the driver, as -EIO of a device that has failed.
 */
__rte_experimental
int rte_comch_mem_register(int16_t dev_id, void *addr, uint64_t len, uint32_t flags,
		struct rte_comch_mem **mem);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Make an mbuf pool whose data rooms lie in a region of their own, and nothing
 * else does: the mbufs themselves stay in the memory of EAL, out of reach of
 * any peer. It is what rte_comch_consumer_rx_burst() fills its consumer from.
 *
 * The mbufs can be given to other devices as well, for example by
 * rte_eth_tx_burst(): EAL knows the memory as external memory, and it is mapped for
 * the devices of VFIO that there are, and for those whose Ethernet ports come later.
 * Where IOVAs are physical addresses (rte_eal_iova_mode()) and a device uses them,
 * the pool must have huge pages and no RTE_COMCH_MEM_F_PEER_WRITE, because a peer
 * could take pages away that the device knows. Without any such device a pool has
 * no IOVAs then, which is no error.
 *
 * @param dev_id
 *   The device.
 * @param name
 *   Name of the pool, unique in the process.
 * @param nb
 *   Number of mbufs, 1 or more.
 * @param cache_size
 *   Of each lcore, as for rte_pktmbuf_pool_create().
 * @param data_room
 *   Bytes of each data room with its headroom, up to 65408; rounded up to 128.
 * @param flags
 *   RTE_COMCH_MEM_F_* flags.
 * @param[out] mem
 *   The region; the caller owns it, and the pool with it. The pool is in
 *   struct rte_comch_mem_info::pool.
 * @return
 *   - 0 on success.
 *   - -EINVAL: as for rte_comch_mem_alloc(); name is NULL; a number is out of
 *     range.
 *   - -EEXIST: a pool of this name exists.
 *   - -ENOMEM: as for rte_comch_mem_alloc(); or a device cannot map the memory,
 *     where the limit of locked memory is the usual reason.
 *   - -ENOTSUP: as for rte_comch_mem_alloc(); or a device uses physical addresses,
 *     and the memory has none that stay: start with --iova-mode=va.
 *   - -EMFILE and others: as for rte_comch_mem_alloc().
 */
__rte_experimental
int rte_comch_mem_pool_create(int16_t dev_id, const char *name, uint32_t nb,
		uint32_t cache_size, uint16_t data_room, uint32_t flags,
		struct rte_comch_mem **mem);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Register a whole pool that exists, for producers to send from, and with
 * RTE_COMCH_MEM_F_PEER_WRITE for consumers to receive into: its memory, be that in one
 * place or in several, and nothing in between. If it is a pool of mbufs,
 * rte_comch_consumer_rx_burst() fills such a consumer from it, and what it receives can
 * be given to each device that can reach the pool.
 *
 * @param dev_id
 *   The device.
 * @param pool
 *   The pool; it must stay until the region is freed.
 * @param flags
 *   RTE_COMCH_MEM_F_* flags, see rte_comch_mem_register().
 * @param[out] mem
 *   The region, which has all memory that the pool has now; the caller owns it,
 *   and the pool stays the application's.
 * @return
 *   - 0 on success.
 *   - -EINVAL: not a device, pool is NULL or has no memory, one piece of it is
 *     above the max_buf_size of the device, flags as for rte_comch_mem_register(), mem
 *     is NULL; or RTE_COMCH_MEM_F_PEER_WRITE for mbufs whose data rooms are external
 *     memory, as of rte_pktmbuf_pool_create_extbuf().
 *   - -ENOMEM, -ENOTSUP and others: as for rte_comch_mem_register().
 */
__rte_experimental
int rte_comch_mem_pool_register(int16_t dev_id, struct rte_mempool *pool, uint32_t flags,
		struct rte_comch_mem **mem);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Find the region of a pool, be it from rte_comch_mem_pool_create() or from
 * rte_comch_mem_pool_register(). So code that is given a pool learns if consumers can
 * have it. The region stays its owner's, who may free it while nothing uses it.
 *
 * @param dev_id
 *   The device.
 * @param pool
 *   The pool; it is not looked into.
 * @param flags
 *   RTE_COMCH_MEM_F_* flags that the region has, at least.
 * @return
 *   The region, the first of several; NULL if there is none, or no such device.
 */
__rte_experimental
struct rte_comch_mem *rte_comch_mem_pool_find(int16_t dev_id, const struct rte_mempool *pool,
		uint32_t flags);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Free a region: its memory if it is its own, with its pool, and the handle.
 *
 * When this returns, no driver reads or writes the memory any more, even if it has to
 * do more for the end of the region.
 *
 * What is sent from it by bursts has to be completed before, or, if it was sent with
 * RTE_COMCH_SEND_F_NO_CPL, a later send of the same producer: bursts are not counted.
 *
 * @param mem
 *   The region. NULL is allowed and does nothing.
 * @return
 *   - 0 on success; the handle is void.
 *   - -EBUSY: a consumer or a window uses it, a submitted task sends from it, or not all
 *     mbufs of its own pool are back.
 */
__rte_experimental
int rte_comch_mem_free(struct rte_comch_mem *mem);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Tell what a region is.
 *
 * @param mem
 *   The region.
 * @param[out] info
 *   Filled on success.
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL.
 */
__rte_experimental
int rte_comch_mem_info_get(const struct rte_comch_mem *mem, struct rte_comch_mem_info *info);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Tell where a region begins.
 *
 * @param mem
 *   The region.
 * @return
 *   Its address; NULL if mem is NULL.
 */
__rte_experimental
void *rte_comch_mem_addr(const struct rte_comch_mem *mem);

#ifdef __cplusplus
}
#endif

#endif /* RTE_COMCH_MEM_H */
