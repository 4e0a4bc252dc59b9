/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Stand-in of check-releases.sh: the function for numbers has its new name (23.03),
 * and the former one is not to be used.
 */

#include_next <rte_telemetry.h>

int rte_tel_data_add_dict_uint(struct rte_tel_data *d, const char *name, uint64_t val);
__attribute__((deprecated("goes away")))
int rte_tel_data_add_dict_u64(struct rte_tel_data *d, const char *name, uint64_t val);
