/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Stand-in of check-releases.sh: the version of DPDK 23.11.
 */

#include_next <rte_build_config.h>

#undef RTE_VER_YEAR
#undef RTE_VER_MONTH
#undef RTE_VER_MINOR
#undef RTE_VER_RELEASE
#define RTE_VER_YEAR 23
#define RTE_VER_MONTH 11
#define RTE_VER_MINOR 0
#define RTE_VER_RELEASE 99
