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

	VALUE(RTE_PCI_DRV_PROBE_AGAIN);
	VALUE(RTE_PCI_KDRV_VFIO);
	printf("RTE_PCI_DEVICE: %x %x %x %x %x\n", id.class_id, id.vendor_id, id.device_id,
		id.subsystem_vendor_id, id.subsystem_device_id);
	return 0;
}
