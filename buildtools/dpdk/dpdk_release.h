/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DPDK_RELEASE_H
#define DPDK_RELEASE_H

/*
 * What differs between the releases of DPDK that the tree compiles with. The one
 * place where RTE_VERSION is looked at; each block says since which release, and
 * why.
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

#endif /* DPDK_RELEASE_H */
