/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Stand-in of check-releases.sh: devices of the PCI bus without a link to a driver of the
 * bus, and drivers without a link of their own: the bus has a list of rte_driver. All
 * else is the installed header's, which has its structures by other names here.
 */

#ifndef STAND_IN_BUS_PCI_DRIVER_H
#define STAND_IN_BUS_PCI_DRIVER_H

#include <rte_bus_pci.h>

#define rte_pci_device installed_pci_device
#define rte_pci_driver installed_pci_driver
#define rte_pci_register installed_pci_register
#define rte_pci_unregister installed_pci_unregister
#include_next <bus_pci_driver.h>
#undef rte_pci_device
#undef rte_pci_driver
#undef rte_pci_register
#undef rte_pci_unregister

struct rte_pci_device {
	struct rte_device device;
	struct rte_pci_addr addr;
	struct rte_pci_id id;
	struct rte_mem_resource mem_resource[PCI_MAX_RESOURCE];
	struct rte_intr_handle *intr_handle;
	enum rte_pci_kernel_driver kdrv;
	char name[PCI_PRI_STR_SIZE + 1];
};

struct rte_pci_driver {
	struct rte_driver driver;
	int (*probe)(struct rte_pci_driver *drv, struct rte_pci_device *dev);
	int (*remove)(struct rte_pci_device *dev);
	const struct rte_pci_id *id_table;
	uint32_t drv_flags;
};

__rte_internal
void rte_pci_register(struct rte_pci_driver *drv);
__rte_internal
void rte_pci_unregister(struct rte_pci_driver *drv);

#endif
