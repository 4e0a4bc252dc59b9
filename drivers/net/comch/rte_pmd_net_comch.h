/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef RTE_PMD_NET_COMCH_H
#define RTE_PMD_NET_COMCH_H

/**
 * @file
 *
 * What the ports of net_comch have beside the functions of ethdev: mbuf pools that their
 * receive queues receive straight into.
 *
 * A receive queue whose pool was made here, for its own port or for another one of the same
 * comch device, is *direct*: the peer writes into an mbuf, and nothing copies the packet a
 * second time. The same holds for a pool of rte_comch_mem_pool_create() with
 * RTE_COMCH_MEM_F_PEER_WRITE, on the comch device of the port; and over BlueField for one of
 * rte_comch_mem_pool_register(). Any other pool will do as well, for one copy more.
 *
 * rte_eth_rx_burst_mode_get() of a started port tells which of them it is: "Direct";
 * "Bounced" for a pool that the driver of the device copies to; or "Copied".
 */

#include <stdint.h>

#include <rte_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rte_mempool;

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Make an mbuf pool for receive queues of a port, for rte_eth_rx_queue_setup().
 *
 * A direct queue keeps as many mbufs as it has descriptors, rounded up to a power of two. The
 * pool needs these for each of its queues, those that the application holds, and what
 * lies in the caches of lcores.
 *
 * The data rooms are external memory of the mbufs, which have RTE_MBUF_F_EXTERNAL and can be
 * given to other devices, see rte_comch_mem_pool_create(). Peers can write to the data rooms
 * as long as the pool exists.
 *
 * Threads: in any thread, but not while another one starts, stops or closes the port. It
 * may allocate memory and take locks.
 *
 * @param port_id
 *   A port of net_comch, started or not. Its comch device is looked up, or made if the port
 *   has the argument shm=.
 * @param name
 *   Name of the pool, unique in the process.
 * @param nb
 *   Number of mbufs, 1 or more.
 * @param cache_size
 *   Mbufs in the cache of each lcore, as for rte_pktmbuf_pool_create(); 0 for none.
 * @param data_room
 *   Bytes of each data room with RTE_PKTMBUF_HEADROOM, up to 65408. A frame of the port, which
 *   is its MTU and 22 bytes, has to fit behind the headroom, or the queue is not direct.
 * @return
 *   The pool; the caller owns it and frees it by rte_pmd_net_comch_pool_free(). NULL on
 *   error, with rte_errno set:
 *   - ENODEV: no such port, or its comch device does not exist.
 *   - ENOTSUP: not a port of net_comch; or the device has no such memory, see
 *     rte_comch_mem_pool_create().
 *   - EINVAL: name is NULL or too long, or a number is out of range.
 *   - EEXIST: a pool of this name exists.
 *   - ENOMEM: no memory, or a device cannot map it.
 *   - EMFILE: no file descriptor left.
 *   - Another errno of the driver of the device.
 */
__rte_experimental
struct rte_mempool *rte_pmd_net_comch_pool_create(uint16_t port_id, const char *name, uint32_t nb,
		uint32_t cache_size, uint16_t data_room);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Free a pool of rte_pmd_net_comch_pool_create(). Its ports are stopped, all of them; they may
 * be closed, too.
 *
 * Threads: in any thread that may start and stop its ports, once.
 *
 * @param pool
 *   The pool. NULL is allowed and does nothing.
 * @return
 *   - 0 on success; the pool is gone.
 *   - -EINVAL: it is not a pool of this function, or of rte_comch_mem_pool_create(), whose
 *     region is void then.
 *   - -EBUSY: a port that is started receives into it, or not all of its mbufs are back.
 */
__rte_experimental
int rte_pmd_net_comch_pool_free(struct rte_mempool *pool);

#ifdef __cplusplus
}
#endif

#endif /* RTE_PMD_NET_COMCH_H */
