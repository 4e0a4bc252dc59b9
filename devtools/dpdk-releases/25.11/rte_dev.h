/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Stand-in of check-releases.sh: the name of a driver has no index any more (25.07).
 */

#include_next <rte_dev.h>

#undef RTE_PMD_EXPORT_NAME
#define RTE_PMD_EXPORT_NAME(name) \
static const char this_pmd_name[] __rte_used = RTE_STR(name)
