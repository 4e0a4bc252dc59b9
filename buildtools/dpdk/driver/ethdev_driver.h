/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef ETHDEV_DRIVER_H
#define ETHDEV_DRIVER_H

/*
 * Ports of ethdev, as their drivers see them. See dev_driver.h. Of the operations and of
 * the data only what drivers/net uses has a name; what lies between is reserved.
 *
 * 22.11 was compared with its header. The source of 24.11.8, which Debian 13 has, was not
 * to be had: devtools/ethdev-layout.c compares with what the library itself calls, reads
 * and writes, in each build that uses this header.
 */

#include <string.h>

#include <dev_driver.h>
#include <rte_ethdev.h>

#if DPDK_RELEASE != 2211 && DPDK_RELEASE != 2411 && !defined(DPDK_ANY_RELEASE)
#error "the layout of this release's ports is not known here"
#endif

/* Between the operations that are named, by their place among those of 22.11. */
struct eth_dev_ops {
	int (*dev_configure)(struct rte_eth_dev *dev);
	int (*dev_start)(struct rte_eth_dev *dev);
	int (*dev_stop)(struct rte_eth_dev *dev);
	void *reserved3[2];
	int (*dev_close)(struct rte_eth_dev *dev);
	void *reserved6;
	int (*link_update)(struct rte_eth_dev *dev, int wait_to_complete);
	void *reserved8[DPDK_RELEASE < 2411 ? 1 : 4];
	int (*promiscuous_enable)(struct rte_eth_dev *dev);
	int (*promiscuous_disable)(struct rte_eth_dev *dev);
	int (*allmulticast_enable)(struct rte_eth_dev *dev);
	int (*allmulticast_disable)(struct rte_eth_dev *dev);
	void *reserved13[2];
	int (*mac_addr_set)(struct rte_eth_dev *dev, struct rte_ether_addr *addr);
	int (*set_mc_addr_list)(struct rte_eth_dev *dev, struct rte_ether_addr *addrs,
		uint32_t nb);
	int (*mtu_set)(struct rte_eth_dev *dev, uint16_t mtu);
	int (*stats_get)(struct rte_eth_dev *dev, struct rte_eth_stats *stats);
	int (*stats_reset)(struct rte_eth_dev *dev);
	void *reserved20[4];
	int (*dev_infos_get)(struct rte_eth_dev *dev, struct rte_eth_dev_info *info);
	void (*rxq_info_get)(struct rte_eth_dev *dev, uint16_t id, struct rte_eth_rxq_info *info);
	void (*txq_info_get)(struct rte_eth_dev *dev, uint16_t id, struct rte_eth_txq_info *info);
#if DPDK_RELEASE >= 2411
	void *reserved27;
#endif
	int (*rx_burst_mode_get)(struct rte_eth_dev *dev, uint16_t id,
		struct rte_eth_burst_mode *mode);
	void *reserved28[13];
	int (*rx_queue_setup)(struct rte_eth_dev *dev, uint16_t id, uint16_t nb_desc,
		unsigned int socket, const struct rte_eth_rxconf *conf, struct rte_mempool *pool);
	void (*rx_queue_release)(struct rte_eth_dev *dev, uint16_t id);
	int (*rx_queue_intr_enable)(struct rte_eth_dev *dev, uint16_t id);
	int (*rx_queue_intr_disable)(struct rte_eth_dev *dev, uint16_t id);
	int (*tx_queue_setup)(struct rte_eth_dev *dev, uint16_t id, uint16_t nb_desc,
		unsigned int socket, const struct rte_eth_txconf *conf);
	void (*tx_queue_release)(struct rte_eth_dev *dev, uint16_t id);
	void *reserved47[DPDK_RELEASE < 2411 ? 66 : 70];
};

/* ethdev makes both of these: what comes behind the last member is its own. */
struct rte_eth_dev_data {
	char name[RTE_ETH_NAME_MAX_LEN];
	void **rx_queues;
	void **tx_queues;
	uint16_t nb_rx_queues;
	uint16_t nb_tx_queues;
	struct rte_eth_dev_sriov sriov;
	void *dev_private;
	struct rte_eth_link dev_link;
	struct rte_eth_conf dev_conf;
	uint16_t mtu;
	uint32_t min_rx_buf_size;
	uint64_t rx_mbuf_alloc_failed;
	struct rte_ether_addr *mac_addrs;
	uint64_t mac_pool_sel[RTE_ETH_NUM_RECEIVE_MAC_ADDR];
	struct rte_ether_addr *hash_mac_addrs;
	uint16_t port_id;
	__extension__ uint8_t promiscuous : 1, scattered_rx : 1, all_multicast : 1,
		dev_started : 1, lro : 1, dev_configured : 1, flow_configured : 1;
	uint8_t rx_queue_state[RTE_MAX_QUEUES_PER_PORT];
	uint8_t tx_queue_state[RTE_MAX_QUEUES_PER_PORT];
	uint32_t dev_flags;
	int numa_node;
};

struct rte_eth_dev {
	eth_rx_burst_t rx_pkt_burst;
	eth_tx_burst_t tx_pkt_burst;
	eth_tx_prep_t tx_pkt_prepare;
	void *reserved16[DPDK_RELEASE < 2411 ? 2 : 3];
	eth_tx_descriptor_status_t tx_descriptor_status;
#if DPDK_RELEASE >= 2411
	void *reserved20[2];
#endif
	struct rte_eth_dev_data *data;
	void *process_private;
	const struct eth_dev_ops *dev_ops;
#if DPDK_RELEASE >= 2411
	void *reserved96;
#endif
	struct rte_device *device;
	struct rte_intr_handle *intr_handle;
};

__rte_internal
struct rte_eth_dev *rte_eth_dev_allocated(const char *name);
__rte_internal
struct rte_eth_dev *rte_eth_dev_allocate(const char *name);
__rte_internal
int rte_eth_dev_release_port(struct rte_eth_dev *dev);
__rte_internal
int rte_eth_dev_callback_process(struct rte_eth_dev *dev, enum rte_eth_event_type event,
		void *ret_param);
__rte_internal
void rte_eth_dev_probing_finish(struct rte_eth_dev *dev);

/* One store of eight bytes: threads read the link while it changes. */
static inline int
rte_eth_linkstatus_set(struct rte_eth_dev *dev, const struct rte_eth_link *link)
{
	struct rte_eth_link before;
	uint64_t word;

	_Static_assert(sizeof(*link) == sizeof(word), "a link is a word");
	memcpy(&word, link, sizeof(word));
	word = __atomic_exchange_n((uint64_t *)(void *)&dev->data->dev_link, word,
			__ATOMIC_SEQ_CST);
	memcpy(&before, &word, sizeof(word));
	return before.link_status == link->link_status ? -1 : 0;
}

#endif /* ETHDEV_DRIVER_H */
