/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_COMPAT_H
#define DOCA_COMPAT_H

/**
 * @file
 *
 * What every other header of the layer includes: marks of functions, and the headers
 * of the C library that programs lean on without including them. Only macros live
 * here; every compiler attribute that the headers use is defined in this file.
 *
 * A program that defines DOCA_ALLOW_EXPERIMENTAL_API may call experimental functions
 * without a warning, one that defines DOCA_ALLOW_DEPRECATED_API those with an old name;
 * DOCA_COMPAT_2_2 does too, and says that the program is one of 1.5 to 2.2.
 */

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <doca_config.h>

/** A function that stays as it is. */
#define DOCA_STABLE

#ifdef DOCA_ALLOW_EXPERIMENTAL_API
/** A function that may change; no warning, as the program has allowed it. */
#define DOCA_EXPERIMENTAL
#else
/** A function that may change; a call is warned about. */
#define DOCA_EXPERIMENTAL DOCA_COMPAT_WARN("experimental: define DOCA_ALLOW_EXPERIMENTAL_API")
#endif

#if defined(DOCA_ALLOW_DEPRECATED_API) || defined(DOCA_COMPAT_2_2)
/** A function with a newer name; no warning, as the program has allowed it. */
#define DOCA_DEPRECATED
#else
/** A function with a newer name; a call is warned about. */
#define DOCA_DEPRECATED DOCA_COMPAT_WARN("deprecated: define DOCA_ALLOW_DEPRECATED_API")
#endif

/** Kept by the compiler although nothing names it. */
#define DOCA_USED __attribute__((__used__)) /* check-ok: no DPDK here */

/** @internal A function whose calls are warned about. */
#define DOCA_COMPAT_WARN(text) __attribute__((__deprecated__(text))) /* check-ok: no DPDK here */

/** @internal A function whose format and arguments are checked as those of printf. */
#define DOCA_COMPAT_PRINTF(text, first) \
	__attribute__((__format__(__printf__, text, first))) /* check-ok: no DPDK here */

/** @internal A function that runs before main(). */
#define DOCA_COMPAT_CONSTRUCTOR __attribute__((__constructor__)) /* check-ok: no DPDK here */

/** @internal A function that runs after main(). */
#define DOCA_COMPAT_DESTRUCTOR __attribute__((__destructor__)) /* check-ok: no DPDK here */

/* At the end: it uses what is above, and programs get it by this header. */
#include <doca_version.h>

#endif /* DOCA_COMPAT_H */
