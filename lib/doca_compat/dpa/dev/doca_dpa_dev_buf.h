/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_DPA_DEV_BUF_H
#define DOCA_DPA_DEV_BUF_H

/**
 * @file
 *
 * Arrays of buffers of the host in a program of an offload processor (DPA). The host makes
 * them by doca_buf_array.h, and hands their handles over. What a buffer is goes into
 * functions as doca_dpa_dev_comch_producer_dma_copy(). The names of these functions are
 * this project's: no source of the facts has them.
 */

#include <doca_dpa_dev.h>

/** Handle of a buffer of an array; 0 is none. */
typedef uint64_t doca_dpa_dev_buf_t;

/**
 * Find a buffer.
 *
 * @param buf_arr
 *   The array.
 * @param buf_idx
 *   Its number, from 0.
 * @return
 *   The buffer, until the host stops the array; 0 if there is none.
 */
static inline doca_dpa_dev_buf_t
doca_dpa_dev_buf_array_get_buf(doca_dpa_dev_buf_arr_t buf_arr, uint64_t buf_idx)
{
	const struct doca_compat_dpa_buf *table =
		(const struct doca_compat_dpa_buf *)(uintptr_t)buf_arr;

	return buf_idx < table->len ? (uintptr_t)&table[buf_idx + 1] : 0;
}

/**
 * Tell where a buffer is.
 *
 * @param buf
 *   The buffer.
 * @return
 *   Its address, as the host's program has it.
 */
static inline uint64_t
doca_dpa_dev_buf_get_addr(doca_dpa_dev_buf_t buf)
{
	return ((const struct doca_compat_dpa_buf *)(uintptr_t)buf)->addr;
}

/**
 * Tell how long a buffer is.
 *
 * @param buf
 *   The buffer.
 * @return
 *   Bytes.
 */
static inline uint64_t
doca_dpa_dev_buf_get_len(doca_dpa_dev_buf_t buf)
{
	return ((const struct doca_compat_dpa_buf *)(uintptr_t)buf)->len;
}

/**
 * Tell the map that a buffer is in.
 *
 * @param buf
 *   The buffer.
 * @return
 *   The handle of the map.
 */
static inline doca_dpa_dev_mmap_t
doca_dpa_dev_buf_get_mmap(doca_dpa_dev_buf_t buf)
{
	return ((const struct doca_compat_dpa_buf *)(uintptr_t)buf)->mmap;
}

#endif /* DOCA_DPA_DEV_BUF_H */
