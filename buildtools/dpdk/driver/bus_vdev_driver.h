/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef BUS_VDEV_DRIVER_H
#define BUS_VDEV_DRIVER_H

/*
 * Devices and drivers of the bus of virtual devices. See dev_driver.h.
 */

#include <dev_driver.h>
#include <rte_bus_vdev.h>
#include <rte_compat.h>
#include <rte_devargs.h>

#include "../dpdk_release.h"

struct rte_vdev_device {
	RTE_TAILQ_ENTRY(rte_vdev_device) next;
	struct rte_device device;
};

struct rte_vdev_driver {
	RTE_TAILQ_ENTRY(rte_vdev_driver) next;
	struct rte_driver driver;
	int (*probe)(struct rte_vdev_device *dev);
	int (*remove)(struct rte_vdev_device *dev);
	int (*dma_map)(struct rte_vdev_device *dev, void *addr, uint64_t iova, size_t len);
	int (*dma_unmap)(struct rte_vdev_device *dev, void *addr, uint64_t iova, size_t len);
	uint32_t drv_flags;
};

static inline const char *
rte_vdev_device_name(const struct rte_vdev_device *dev)
{
	return dev->device.name;
}

static inline const char *
rte_vdev_device_args(const struct rte_vdev_device *dev)
{
	return dev->device.devargs == NULL ? "" : dev->device.devargs->args;
}

__rte_internal
void rte_vdev_register(struct rte_vdev_driver *driver);

#define RTE_PMD_REGISTER_VDEV(nm, drv) \
RTE_INIT(register_vdev_ ## nm) \
{ \
	(drv).driver.name = RTE_STR(nm); \
	rte_vdev_register(&(drv)); \
} \
DPDK_PMD_EXPORT_NAME(nm)

#endif /* BUS_VDEV_DRIVER_H */
