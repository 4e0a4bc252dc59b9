/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_ERROR_H
#define DOCA_ERROR_H

/**
 * @file
 *
 * The results of all functions of the layer: numbers, names, descriptions.
 */

#include <doca_common_defines.h>
#include <doca_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a function returns. The numbers are part of the interface. */
typedef enum doca_error {
	DOCA_SUCCESS = 0,                       /**< Done. */
	DOCA_ERROR_UNKNOWN = 1,                 /**< Failed, nobody knows why. */
	DOCA_ERROR_NOT_PERMITTED = 2,           /**< The caller may not do this. */
	DOCA_ERROR_IN_USE = 3,                  /**< Something still uses the object. */
	DOCA_ERROR_NOT_SUPPORTED = 4,           /**< Not here, or not by this device. */
	DOCA_ERROR_AGAIN = 5,                   /**< Not now; a later call may succeed. */
	DOCA_ERROR_INVALID_VALUE = 6,           /**< An argument is wrong. */
	DOCA_ERROR_NO_MEMORY = 7,               /**< No memory, or none left of a pool. */
	DOCA_ERROR_INITIALIZATION = 8,          /**< Set-up failed. */
	DOCA_ERROR_TIME_OUT = 9,                /**< It took too long. */
	DOCA_ERROR_SHUTDOWN = 10,               /**< The object is being shut down. */
	DOCA_ERROR_CONNECTION_RESET = 11,       /**< The peer ended the connection. */
	DOCA_ERROR_CONNECTION_ABORTED = 12,     /**< The connection failed. */
	DOCA_ERROR_CONNECTION_INPROGRESS = 13,  /**< The connection is not there yet. */
	DOCA_ERROR_NOT_CONNECTED = 14,          /**< There is no connection. */
	DOCA_ERROR_NO_LOCK = 15,                /**< A lock could not be had. */
	DOCA_ERROR_NOT_FOUND = 16,              /**< There is no such thing. */
	DOCA_ERROR_IO_FAILED = 17,              /**< Reading or writing failed. */
	DOCA_ERROR_BAD_STATE = 18,              /**< Not in this state of the object. */
	DOCA_ERROR_UNSUPPORTED_VERSION = 19,    /**< Versions do not fit. */
	DOCA_ERROR_OPERATING_SYSTEM = 20,       /**< A call of the system failed. */
	DOCA_ERROR_DRIVER = 21,                 /**< A call of the driver failed. */
	DOCA_ERROR_UNEXPECTED = 22,             /**< What should not be able to happen. */
	DOCA_ERROR_ALREADY_EXIST = 23,          /**< It is there already. */
	DOCA_ERROR_FULL = 24,                   /**< No room for one more. */
	DOCA_ERROR_EMPTY = 25,                  /**< Nothing is in it. */
	DOCA_ERROR_IN_PROGRESS = 26,            /**< Begun; it ends later. */
	DOCA_ERROR_TOO_BIG = 27,                /**< Larger than the limit. */
	DOCA_ERROR_AUTHENTICATION = 28,         /**< The peer is not who it claims to be. */
	DOCA_ERROR_BAD_CONFIG = 29,             /**< The configuration is wrong. */
	DOCA_ERROR_SKIPPED = 30,                /**< Left out, as something before failed. */
} doca_error_t;

/** Whether a result is an error. */
#define DOCA_IS_ERROR(result) ((result) != DOCA_SUCCESS)

/**
 * Keep the first error of several calls: sets @p result, a variable, to @p next unless
 * it has an error already. Evaluates @p next only then.
 */
#define DOCA_ERROR_PROPAGATE(result, next) \
	do { \
		if ((result) == DOCA_SUCCESS) \
			(result) = (next); \
	} while (0)

/**
 * The name of a result, as it is written in programs. Any thread may call it.
 *
 * @param error
 *   The result; any number.
 * @return
 *   Text that the caller must not free; one and the same for all numbers that no
 *   result has.
 */
DOCA_STABLE
const char *doca_error_get_name(doca_error_t error);

/**
 * A few words on a result, for people. Any thread may call it.
 *
 * @param error
 *   The result; any number.
 * @return
 *   Text that the caller must not free; one and the same for all numbers that no
 *   result has.
 */
DOCA_STABLE
const char *doca_error_get_descr(doca_error_t error);

/**
 * doca_error_get_descr() by its name up to 2.0.
 *
 * @param error
 *   The result; any number.
 * @return
 *   As doca_error_get_descr().
 */
DOCA_DEPRECATED
const char *doca_get_error_string(doca_error_t error);

#ifdef __cplusplus
}
#endif

#ifdef DOCA_COMPAT_2_2
#include <doca_compat_2_2.h>
#endif

#endif /* DOCA_ERROR_H */
