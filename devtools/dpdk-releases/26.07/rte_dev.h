/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Stand-in of check-releases.sh: EAL names the driver before it calls probe(), so that the
 * answer is true at the first one too.
 */

#include_next <rte_dev.h>

__attribute__((deprecated("true at the first probe")))
int rte_dev_is_probed(const struct rte_device *dev);
