/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DPDK_RELEASE_H
#define DPDK_RELEASE_H

/*
 * What differs between the releases of DPDK that the tree compiles with. Nothing else
 * asks for the release but the headers in driver/; each block says since which release,
 * and why.
 *
 * Only what cannot be written in one way for all releases belongs here. Nothing of
 * our own does. For .c files of the tree: it is not installed, and no header
 * includes it. The file that uses a macro includes the header of DPDK that is
 * named with it.
 */

#include <rte_version.h>

/*
 * rte_telemetry.h. Since 23.03 the function is called _uint. The former name went
 * away later.
 */
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
#define dpdk_tel_add_uint rte_tel_data_add_dict_uint
#else
#define dpdk_tel_add_uint rte_tel_data_add_dict_u64
#endif

/*
 * rte_kvargs.h. Since 24.11 rte_kvargs_process() fails at a key without a value
 * before it calls the handler, and rte_kvargs_process_opt() does what it did. Our
 * handlers say what the value is to be, so that they are to be called.
 */
#if RTE_VERSION >= RTE_VERSION_NUM(24, 11, 0, 0)
#define dpdk_kvargs_process_opt rte_kvargs_process_opt
#else
#define dpdk_kvargs_process_opt rte_kvargs_process
#endif

/*
 * rte_thread.h, rte_lcore.h. Since 23.11 a control thread is of EAL's own type, and its function
 * returns a number; before, it is one of POSIX. A function with the head
 * DPDK_THREAD_FUNC(name, arg) gets arg, a void *, and returns DPDK_THREAD_END.
 */
#if RTE_VERSION >= RTE_VERSION_NUM(23, 11, 0, 0)
#define DPDK_THREAD_FUNC(name, arg) uint32_t name(void *arg)
#define DPDK_THREAD_END 0
#define dpdk_thread_t rte_thread_t
#define dpdk_thread_create_control rte_thread_create_control
#define dpdk_thread_join(thread) rte_thread_join(thread, NULL)
#else
#define DPDK_THREAD_FUNC(name, arg) void *name(void *arg)
#define DPDK_THREAD_END NULL
#define dpdk_thread_t pthread_t
#define dpdk_thread_create_control(thread, name, func, arg) \
	rte_ctrl_thread_create(thread, name, NULL, func, arg)
#define dpdk_thread_join(thread) pthread_join(thread, NULL)
#endif

/*
 * dev_driver.h. Since 25.07 the macro has no index: a file can name one driver.
 */
#if RTE_VERSION >= RTE_VERSION_NUM(25, 7, 0, 0)
#define DPDK_PMD_EXPORT_NAME(name) RTE_PMD_EXPORT_NAME(name)
#else
#define DPDK_PMD_EXPORT_NAME(name) RTE_PMD_EXPORT_NAME(name, __COUNTER__)
#endif

/*
 * bus_pci_driver.h, rte_common.h. The driver before this one in the list of the PCI bus, or NULL.
 * Since 26.07 the list has a struct rte_driver for each; before, it has its
 * rte_pci_driver. The name of the list's head is only for TAILQ_PREV().
 */
#if RTE_VERSION >= RTE_VERSION_NUM(26, 7, 0, 0)
#define DPDK_PCI_DRIVER_LIST(head) RTE_TAILQ_HEAD(head, rte_driver)
#define DPDK_PCI_DRIVER_PREV(drv, head) __extension__ ({ \
	struct rte_driver *_prev = TAILQ_PREV(&(drv)->driver, head, next); \
	_prev == NULL ? NULL : container_of(_prev, struct rte_pci_driver, driver); \
})
#else
#define DPDK_PCI_DRIVER_LIST(head) RTE_TAILQ_HEAD(head, rte_pci_driver)
#define DPDK_PCI_DRIVER_PREV(drv, head) TAILQ_PREV(drv, head, next)
#endif

#endif /* DPDK_RELEASE_H */
