/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Stand-in of check-releases.sh: registers a driver with the macro of 25.07 in rte_dev.h.
 */

#include_next <bus_vdev_driver.h>

#undef RTE_PMD_REGISTER_VDEV
#define RTE_PMD_REGISTER_VDEV(nm, drv) \
RTE_INIT(vdev_register_ ## nm) \
{ \
	(drv).driver.name = RTE_STR(nm); \
	rte_vdev_register(&(drv)); \
} \
RTE_PMD_EXPORT_NAME(nm)
