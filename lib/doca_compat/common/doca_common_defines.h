/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_COMMON_DEFINES_H
#define DOCA_COMMON_DEFINES_H

/**
 * @file
 *
 * Hints to the compiler that programs use. No types and no functions.
 */

/** The condition is true nearly always. */
#define doca_likely(condition) __builtin_expect(!!(condition), 1)

/** The condition is false nearly always. */
#define doca_unlikely(condition) __builtin_expect(!!(condition), 0)

#endif /* DOCA_COMMON_DEFINES_H */
