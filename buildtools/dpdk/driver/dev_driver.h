/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DEV_DRIVER_H
#define DEV_DRIVER_H

/*
 * Stands in for DPDK's header of this name where DPDK came without it, as in Debian:
 * devices and drivers of any bus. The headers in this folder declare what our drivers
 * use, in words of our own and for the ABI of the release that is installed.
 * devtools/check-driver-headers.sh compares them with DPDK's own.
 *
 * A release is added here once they were compared with its headers.
 */

#include <rte_common.h>
#include <rte_dev.h>
#include <rte_version.h>

#define DPDK_RELEASE (RTE_VER_YEAR * 100 + RTE_VER_MONTH)
#if DPDK_RELEASE != 2211 && DPDK_RELEASE != 2311 && DPDK_RELEASE != 2411 && \
	DPDK_RELEASE != 2511 && !defined(DPDK_ANY_RELEASE)
#error "the layout of this release's drivers is not known here"
#endif

struct rte_driver {
	RTE_TAILQ_ENTRY(rte_driver) next;
	const char *name;
	const char *alias;
};

struct rte_device {
	RTE_TAILQ_ENTRY(rte_device) next;
	const char *name;
	const char *bus_info;
	const struct rte_driver *driver;
	const struct rte_bus *bus;
	int numa_node;
	struct rte_devargs *devargs;
};

/* In rte_dev.h until then. For DPDK's own build: nothing reads them here. */
#if DPDK_RELEASE >= 2507
#define DPDK_PMD_TEXT(name, text) static const char name[] __rte_used = text
#define RTE_PMD_EXPORT_NAME(name) DPDK_PMD_TEXT(this_pmd_name, RTE_STR(name))
#define RTE_PMD_REGISTER_PCI_TABLE(name, table) DPDK_PMD_TEXT(name ## _table, RTE_STR(table))
#define RTE_PMD_REGISTER_PARAM_STRING(name, str) DPDK_PMD_TEXT(name ## _params, str)
#define RTE_PMD_REGISTER_KMOD_DEP(name, str) DPDK_PMD_TEXT(name ## _kmods, str)
#endif

#endif /* DEV_DRIVER_H */
