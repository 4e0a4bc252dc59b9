/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef BUS_PCI_DRIVER_H
#define BUS_PCI_DRIVER_H

/*
 * Devices and drivers of the PCI bus. See dev_driver.h.
 */

#include <dev_driver.h>
#include <rte_bus_pci.h>
#include <rte_compat.h>

enum rte_pci_kernel_driver {
	RTE_PCI_KDRV_VFIO = 2,
};

struct rte_pci_device {
#if DPDK_RELEASE < 2607
	RTE_TAILQ_ENTRY(rte_pci_device) next;
#endif
	struct rte_device device;
	struct rte_pci_addr addr;
	struct rte_pci_id id;
	struct rte_mem_resource mem_resource[PCI_MAX_RESOURCE];
	struct rte_intr_handle *intr_handle;
#if DPDK_RELEASE < 2607
	struct rte_pci_driver *driver;
#endif
	uint16_t max_vfs;
	enum rte_pci_kernel_driver kdrv;
	char name[PCI_PRI_STR_SIZE + 1];
};

struct rte_pci_driver {
#if DPDK_RELEASE < 2607
	RTE_TAILQ_ENTRY(rte_pci_driver) next;
#endif
	struct rte_driver driver;
	int (*probe)(struct rte_pci_driver *drv, struct rte_pci_device *dev);
	int (*remove)(struct rte_pci_device *dev);
	int (*dma_map)(struct rte_pci_device *dev, void *addr, uint64_t iova, size_t len);
	int (*dma_unmap)(struct rte_pci_device *dev, void *addr, uint64_t iova, size_t len);
	const struct rte_pci_id *id_table;
	uint32_t drv_flags;
};

#define RTE_PCI_DRV_PROBE_AGAIN 0x0004

#define RTE_PCI_DEVICE(vendor, dev) \
	.class_id = RTE_CLASS_ANY_ID, .vendor_id = (vendor), .device_id = (dev), \
	.subsystem_vendor_id = RTE_PCI_ANY_ID, .subsystem_device_id = RTE_PCI_ANY_ID

__rte_internal
const char *rte_pci_get_sysfs_path(void);
__rte_internal
void rte_pci_register(struct rte_pci_driver *driver);
__rte_internal
void rte_pci_unregister(struct rte_pci_driver *driver);

#endif /* BUS_PCI_DRIVER_H */
