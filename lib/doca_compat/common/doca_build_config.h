/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_BUILD_CONFIG_H
#define DOCA_BUILD_CONFIG_H

/**
 * @file
 *
 * Which side of the card a program is built for. Build files look for the symbol
 * DOCA_ARCH_DPU in this header, and sources ask whether it is defined. One machine
 * without a card builds both sides: the pkg-config files of the folder for the card's
 * side define DOCA_COMPAT_ARCH_DPU, the others do not. Nothing else is in here.
 */

#ifdef DOCA_COMPAT_ARCH_DPU
/** The program runs on the cores of the card. */
#define DOCA_ARCH_DPU
#else
/** The program runs on the host. */
#define DOCA_ARCH_HOST
#endif

#endif /* DOCA_BUILD_CONFIG_H */
