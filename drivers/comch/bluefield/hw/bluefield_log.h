/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The log of the driver, for all its layers.
 */

#ifndef BLUEFIELD_LOG_H
#define BLUEFIELD_LOG_H

#include <rte_log.h>

extern int bf_logtype;

#define BF_LOG(level, fmt, ...) \
	rte_log(RTE_LOG_##level, bf_logtype, "COMCH_BLUEFIELD: " fmt "\n", ##__VA_ARGS__)

#endif
