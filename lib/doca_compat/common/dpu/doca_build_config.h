/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_BUILD_CONFIG_DPU_H
#define DOCA_BUILD_CONFIG_DPU_H

/**
 * @file
 *
 * doca_build_config.h of the folder for the card's side, for programs that take neither
 * flags nor modules but only the name of a prefix. Nothing else is in here.
 */

#ifndef DOCA_COMPAT_ARCH_DPU
/** The program runs on the cores of the card. */
#define DOCA_COMPAT_ARCH_DPU
#endif

#include "../doca/doca_build_config.h"

#endif /* DOCA_BUILD_CONFIG_DPU_H */
