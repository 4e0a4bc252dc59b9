/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Prints where each member lies that the drivers use of DPDK's devices and drivers. What
 * they define themselves has its size as well, and what they call its type. See
 * check-driver-headers.sh.
 */

#include <stdio.h>

#include <bus_pci_driver.h>
#include <bus_vdev_driver.h>
#include <rte_version.h>

/* The tree has it for these releases only. */
#if RTE_VER_YEAR * 100 + RTE_VER_MONTH == 2211 || RTE_VER_YEAR * 100 + RTE_VER_MONTH == 2411
#define HAVE_ETHDEV
#include <ethdev_driver.h>
#endif

#define MEMBER(type, member) \
	printf(#type "." #member ": offset %zu, %zu bytes\n", offsetof(struct type, member), \
		sizeof(((struct type *)NULL)->member))
#define SIZE(type) printf(#type ": %zu bytes\n", sizeof(struct type))
#define VALUE(name) printf(#name ": %d\n", (int)(name))
#define FUNCTION(name, ...) _Static_assert( \
	__builtin_types_compatible_p(__typeof__(&name), __VA_ARGS__), #name)

FUNCTION(rte_pci_get_sysfs_path, const char *(*)(void));
FUNCTION(rte_pci_register, void (*)(struct rte_pci_driver *));
FUNCTION(rte_pci_unregister, void (*)(struct rte_pci_driver *));
FUNCTION(rte_vdev_register, void (*)(struct rte_vdev_driver *));
FUNCTION(rte_vdev_device_args, const char *(*)(const struct rte_vdev_device *));
FUNCTION(rte_vdev_device_name, const char *(*)(const struct rte_vdev_device *));

#ifdef HAVE_ETHDEV
FUNCTION(rte_eth_dev_allocate, struct rte_eth_dev *(*)(const char *));
FUNCTION(rte_eth_dev_allocated, struct rte_eth_dev *(*)(const char *));
FUNCTION(rte_eth_dev_release_port, int (*)(struct rte_eth_dev *));
FUNCTION(rte_eth_dev_probing_finish, void (*)(struct rte_eth_dev *));
FUNCTION(rte_eth_dev_callback_process, int (*)(struct rte_eth_dev *, enum rte_eth_event_type,
	void *));
FUNCTION(rte_eth_linkstatus_set, int (*)(struct rte_eth_dev *, const struct rte_eth_link *));

#define OPERATION(member, ...) MEMBER(eth_dev_ops, member); \
	_Static_assert(__builtin_types_compatible_p( \
		__typeof__(((struct eth_dev_ops *)NULL)->member), __VA_ARGS__), #member)

static void
ethdev(void)
{
	typedef int (*dev_t)(struct rte_eth_dev *);

	OPERATION(dev_configure, dev_t);
	OPERATION(dev_start, dev_t);
	OPERATION(dev_stop, dev_t);
	OPERATION(dev_close, dev_t);
	OPERATION(link_update, int (*)(struct rte_eth_dev *, int));
	OPERATION(promiscuous_enable, dev_t);
	OPERATION(promiscuous_disable, dev_t);
	OPERATION(allmulticast_enable, dev_t);
	OPERATION(allmulticast_disable, dev_t);
	OPERATION(mac_addr_set, int (*)(struct rte_eth_dev *, struct rte_ether_addr *));
	OPERATION(set_mc_addr_list, int (*)(struct rte_eth_dev *, struct rte_ether_addr *,
		uint32_t));
	OPERATION(mtu_set, int (*)(struct rte_eth_dev *, uint16_t));
	OPERATION(stats_get, int (*)(struct rte_eth_dev *, struct rte_eth_stats *));
	OPERATION(stats_reset, dev_t);
	OPERATION(dev_infos_get, int (*)(struct rte_eth_dev *, struct rte_eth_dev_info *));
	OPERATION(rxq_info_get, void (*)(struct rte_eth_dev *, uint16_t, struct rte_eth_rxq_info *));
	OPERATION(txq_info_get, void (*)(struct rte_eth_dev *, uint16_t, struct rte_eth_txq_info *));
	OPERATION(rx_burst_mode_get, int (*)(struct rte_eth_dev *, uint16_t,
		struct rte_eth_burst_mode *));
	OPERATION(rx_queue_setup, int (*)(struct rte_eth_dev *, uint16_t, uint16_t, unsigned int,
		const struct rte_eth_rxconf *, struct rte_mempool *));
	OPERATION(rx_queue_release, void (*)(struct rte_eth_dev *, uint16_t));
	OPERATION(rx_queue_intr_enable, int (*)(struct rte_eth_dev *, uint16_t));
	OPERATION(rx_queue_intr_disable, int (*)(struct rte_eth_dev *, uint16_t));
	OPERATION(tx_queue_setup, int (*)(struct rte_eth_dev *, uint16_t, uint16_t, unsigned int,
		const struct rte_eth_txconf *));
	OPERATION(tx_queue_release, void (*)(struct rte_eth_dev *, uint16_t));
	SIZE(eth_dev_ops);

	MEMBER(rte_eth_dev, rx_pkt_burst);
	MEMBER(rte_eth_dev, tx_pkt_burst);
	MEMBER(rte_eth_dev, tx_pkt_prepare);
	MEMBER(rte_eth_dev, tx_descriptor_status);
	MEMBER(rte_eth_dev, data);
	MEMBER(rte_eth_dev, dev_ops);
	MEMBER(rte_eth_dev, device);
	MEMBER(rte_eth_dev, intr_handle);
	MEMBER(rte_eth_dev_data, name);
	MEMBER(rte_eth_dev_data, rx_queues);
	MEMBER(rte_eth_dev_data, tx_queues);
	MEMBER(rte_eth_dev_data, nb_rx_queues);
	MEMBER(rte_eth_dev_data, nb_tx_queues);
	MEMBER(rte_eth_dev_data, dev_private);
	MEMBER(rte_eth_dev_data, dev_link);
	MEMBER(rte_eth_dev_data, dev_conf);
	MEMBER(rte_eth_dev_data, mtu);
	MEMBER(rte_eth_dev_data, mac_addrs);
	MEMBER(rte_eth_dev_data, port_id);
	MEMBER(rte_eth_dev_data, rx_queue_state);
	MEMBER(rte_eth_dev_data, dev_flags);
	MEMBER(rte_eth_dev_data, numa_node);
}
#endif

static const struct rte_pci_id id = { RTE_PCI_DEVICE(0x1234, 0x5678) };

int
main(void)
{
	MEMBER(rte_driver, name);
	MEMBER(rte_driver, alias);
	SIZE(rte_driver);
	MEMBER(rte_device, name);
	MEMBER(rte_device, driver);
	MEMBER(rte_device, numa_node);
	MEMBER(rte_device, devargs);

	MEMBER(rte_vdev_device, device);
	MEMBER(rte_vdev_driver, driver);
	MEMBER(rte_vdev_driver, probe);
	MEMBER(rte_vdev_driver, remove);
	SIZE(rte_vdev_driver);

	MEMBER(rte_pci_device, device);
	MEMBER(rte_pci_device, addr);
	MEMBER(rte_pci_device, id);
	MEMBER(rte_pci_device, mem_resource);
	MEMBER(rte_pci_device, intr_handle);
	MEMBER(rte_pci_device, kdrv);
	MEMBER(rte_pci_device, name);
	MEMBER(rte_pci_driver, driver);
	MEMBER(rte_pci_driver, probe);
	MEMBER(rte_pci_driver, remove);
	MEMBER(rte_pci_driver, id_table);
	MEMBER(rte_pci_driver, drv_flags);
	SIZE(rte_pci_driver);

#ifdef HAVE_ETHDEV
	ethdev();
#endif
	VALUE(RTE_PCI_DRV_PROBE_AGAIN);
	VALUE(RTE_PCI_KDRV_VFIO);
	printf("RTE_PCI_DEVICE: %x %x %x %x %x\n", id.class_id, id.vendor_id, id.device_id,
		id.subsystem_vendor_id, id.subsystem_device_id);
	return 0;
}
