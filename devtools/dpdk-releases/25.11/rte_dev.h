/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Stand-in of check-releases.sh: what describes a driver is in dev_driver.h (25.07).
 */

#include_next <rte_dev.h>

#ifndef CHECK_RTE_DEV_H
#define CHECK_RTE_DEV_H

#undef RTE_PMD_EXPORT_NAME
#undef RTE_PMD_REGISTER_PCI_TABLE
#undef RTE_PMD_REGISTER_PARAM_STRING
#undef RTE_PMD_REGISTER_KMOD_DEP

#endif
