/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* The log of the driver. */

#include "bluefield_log.h"

RTE_LOG_REGISTER_DEFAULT(bf_logtype, NOTICE);
