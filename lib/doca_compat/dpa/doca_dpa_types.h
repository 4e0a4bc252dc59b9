/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_DPA_TYPES_H
#define DOCA_DPA_TYPES_H

/**
 * @file
 *
 * What both sides of an offload processor (DPA) call things: handles, addresses, levels
 * of its log. Host programs get it with doca_dpa.h, programs of the processor with
 * doca_dpa_dev.h. It is freestanding, and has no functions.
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An address in the memory of a program of the processor. */
typedef uint64_t doca_dpa_dev_uintptr_t;

/** Handle of a map of the host's memory. */
typedef uint32_t doca_dpa_dev_mmap_t;

/** Handle of an array of buffers. */
typedef uint64_t doca_dpa_dev_buf_arr_t;

/** Handle of a completion context of producers. */
typedef uint64_t doca_dpa_dev_completion_t;

/** Handle of a consumer. */
typedef uint64_t doca_dpa_dev_comch_consumer_t;

/** Handle of a completion context of consumers. */
typedef uint64_t doca_dpa_dev_comch_consumer_completion_t;

/** Handle of a producer. */
typedef uint64_t doca_dpa_dev_comch_producer_t;

/** @internal Maps that have a handle, of all devices. Handles are 1 and so on. */
#define DOCA_COMPAT_DPA_MMAPS 256u

/**
 * @internal
 * A buffer, in the table of an array in the memory of the program. The first one stands for
 * the array: its length is their number.
 */
struct doca_compat_dpa_buf {
	uint64_t addr; /**< As the host's program has it. */
	uint64_t len;  /**< Bytes. */
	uint32_t mmap; /**< Handle of the map. */
	uint32_t pad;  /**< Zero. */
};

/** Levels of what a program of the processor logs. */
enum doca_dpa_dev_log_level {
	DOCA_DPA_DEV_LOG_LEVEL_DISABLE = 10, /**< Nothing. */
	DOCA_DPA_DEV_LOG_LEVEL_CRIT = 20,    /**< It cannot go on. */
	DOCA_DPA_DEV_LOG_LEVEL_ERROR = 30,   /**< Something has failed. */
	DOCA_DPA_DEV_LOG_LEVEL_WARNING = 40, /**< Something is not as it should be. */
	DOCA_DPA_DEV_LOG_LEVEL_INFO = 50,    /**< What it does. */
	DOCA_DPA_DEV_LOG_LEVEL_DEBUG = 60,   /**< What its author wants to know. */
};

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DPA_TYPES_H */
