/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_BUF_ARRAY_H
#define DOCA_BUF_ARRAY_H

/**
 * @file
 *
 * Arrays of buffers for a program of an offload processor: buffers of one size, which lie
 * one behind the other in a map. The program finds them by their number, see
 * doca_dpa_dev_buf.h.
 *
 * Order of calls: doca_buf_arr_create(); doca_buf_arr_set_params() and
 * doca_buf_arr_set_target_dpa(); doca_buf_arr_start(); doca_buf_arr_get_dpa_handle();
 * doca_buf_arr_stop(), doca_buf_arr_destroy(). Functions are in libdoca_dpa.
 *
 * Threads: an array belongs to one thread at a time.
 */

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_dpa_types.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dpa;
struct doca_mmap;

/** An array of buffers. */
struct doca_buf_arr;

/**
 * Create an array.
 *
 * @param num_elem
 *   Its buffers, 1 or more.
 * @param[out] buf_arr
 *   The array, not started; the caller owns it.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: num_elem is 0, or buf_arr is NULL.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_create(size_t num_elem, struct doca_buf_arr **buf_arr);

/**
 * Destroy an array.
 *
 * @param buf_arr
 *   The array, not started.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: buf_arr is NULL.
 *   - DOCA_ERROR_IN_USE: it is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *buf_arr);

/**
 * Set where the buffers are.
 *
 * @param buf_arr
 *   The array, not started.
 * @param mmap
 *   The map they lie in.
 * @param elem_size
 *   Bytes of each, 1 or more.
 * @param start_offset
 *   Where the first one begins in the range of the map.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: buf_arr or mmap is NULL, or elem_size is 0.
 *   - DOCA_ERROR_BAD_STATE: it is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, struct doca_mmap *mmap,
		size_t elem_size, uint64_t start_offset);

/**
 * Set the processor that has the array.
 *
 * @param buf_arr
 *   The array, not started.
 * @param dpa
 *   An offload processor. It is not destroyed before the array.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_target_dpa(struct doca_buf_arr *buf_arr, struct doca_dpa *dpa);

/**
 * Start an array. It takes 24 bytes of the program's memory for each buffer, and the map
 * gets a handle: what doca_mmap_dev_get_dpa_handle() says of its range holds.
 *
 * @param buf_arr
 *   The array, with parameters and a processor that is started; its map is started and has
 *   the processor's device.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: buf_arr is NULL, the buffers are not inside of the map, or
 *     the map has not the device.
 *   - DOCA_ERROR_BAD_STATE: it is started; it has no parameters or no processor; these are
 *     not started.
 *   - Else as doca_mmap_dev_get_dpa_handle() and doca_dpa_mem_alloc() return it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr);

/**
 * Stop an array: the program does not use it any more. A processor does not stop before
 * that.
 *
 * @param buf_arr
 *   The array, started.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: buf_arr is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr);

/**
 * Get what the program knows an array by.
 *
 * @param buf_arr
 *   The array, started.
 * @param[out] handle
 *   The handle, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr,
		doca_dpa_dev_buf_arr_t *handle);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_ARRAY_H */
