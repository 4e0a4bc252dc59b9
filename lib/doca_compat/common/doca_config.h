/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_CONFIG_H
#define DOCA_CONFIG_H

/**
 * @file
 *
 * What was decided when the layer was built. All of it is in doca_build_config.h;
 * programs include either.
 */

#include <doca_build_config.h>

#endif /* DOCA_CONFIG_H */
