/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_VERSION_H
#define DOCA_VERSION_H

/**
 * @file
 *
 * The version of the vendor's interface whose names the layer has, for conditions of
 * the preprocessor and as text. It is not the version of dpdk-comch, which is the one of
 * the libraries' files.
 *
 * The patch number holds a thousand builds for each patch, so that patch 1, build 4 is
 * 1004. Comparisons leave the build out, except for those with EXACT in their name.
 */

#include <doca_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @name Version of the headers
 * @{
 */
#define DOCA_VERSION_MAJOR 3 /**< First number. */
#define DOCA_VERSION_MINOR 3 /**< Second number. */
#define DOCA_VERSION_PATCH 0 /**< Patch times 1000, and the build. */
#define DOCA_VERSION_STRING "3.3.0" /**< All of it as text. */
/** @} */

/** A version as a number, of a patch without its build. */
#define DOCA_VERSION_CALC(major, minor, patch) \
	((major) << 24 | (minor) << 16 | (patch) * 1000)

/** A version as a number, of a patch that has its build. */
#define DOCA_VERSION_CALC_EXACT(major, minor, patch) ((major) << 24 | (minor) << 16 | (patch))

/** The version of the headers as a number. */
#define DOCA_VERSION_EXACT \
	DOCA_VERSION_CALC_EXACT(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)

/** Whether the headers are of this version, whatever their build. */
#define DOCA_VERSION_EQ_CURRENT(major, minor, patch) \
	(DOCA_VERSION_CALC(major, minor, patch) == \
	 DOCA_VERSION_CALC(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH / 1000))

/** Whether this version is the one of the headers or an older one. */
#define DOCA_VERSION_LTE_CURRENT(major, minor, patch) \
	(DOCA_VERSION_CALC(major, minor, patch) <= DOCA_VERSION_EXACT)

/** @name The same, by the names of 1.x
 * @{
 */
#define DOCA_VER_MAJOR DOCA_VERSION_MAJOR /**< First number. */
#define DOCA_VER_MINOR DOCA_VERSION_MINOR /**< Second number. */
#define DOCA_VER_PATCH DOCA_VERSION_PATCH /**< Patch times 1000, and the build. */
#define DOCA_VER_STRING DOCA_VERSION_STRING /**< All of it as text. */
/** A version as a number, of a patch that has its build. */
#define DOCA_VERSION_NUM(major, minor, patch) DOCA_VERSION_CALC_EXACT(major, minor, patch)
/** The version of the headers as a number. */
#define DOCA_CURRENT_VERSION_NUM DOCA_VERSION_EXACT
/** @} */

/**
 * The version of the headers that the caller was compiled with.
 *
 * @return
 *   Text that the caller must not free.
 */
static inline const char *
doca_version(void)
{
	return DOCA_VERSION_STRING;
}

/**
 * The version of the library that is loaded. Any thread may call it.
 *
 * @return
 *   Text that the caller must not free.
 */
DOCA_STABLE
const char *doca_version_runtime(void);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_VERSION_H */
