/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Stand-in of check-releases.sh: brings rte_compat.h, so that ALLOW_INTERNAL_API comes too
 * late after it.
 */

#include <rte_compat.h>
#include_next <rte_string_fns.h>
