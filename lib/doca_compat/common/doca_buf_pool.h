/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_BUF_POOL_H
#define DOCA_BUF_POOL_H

/**
 * @file
 *
 * Pools: buffers of one size, which lie one behind the other in a map.
 * doca_buf_dec_refcount() gives a buffer back.
 *
 * Threads: a pool and all of its buffers belong to one thread at a time.
 */

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_mmap;

/** A pool. */
struct doca_buf_pool;

/**
 * Create a pool.
 *
 * @param num_elements
 *   Its buffers, 1 to 2^32 - 1.
 * @param element_size
 *   Bytes of each, 1 or more.
 * @param mmap
 *   The map they lie in.
 * @param[out] pool
 *   The pool, not started; the caller owns it.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a number is out of range, mmap or pool is NULL.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_create(size_t num_elements, size_t element_size,
		struct doca_mmap *mmap, struct doca_buf_pool **pool);

/**
 * Destroy a pool, started or not.
 *
 * @param pool
 *   The pool.
 * @return
 *   - DOCA_SUCCESS: the handle is void.
 *   - DOCA_ERROR_INVALID_VALUE: pool is NULL.
 *   - DOCA_ERROR_IN_USE: the program has buffers of it. Those that it has given back while
 *     their tasks are submitted do not count.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *pool);

/**
 * Start a pool: buffers can be had.
 *
 * @param pool
 *   The pool.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: pool is NULL; its buffers do not fit into the map.
 *   - DOCA_ERROR_BAD_STATE: it is started, or its map is not.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_start(struct doca_buf_pool *pool);

/**
 * Stop a pool: no more buffers can be had; those that the program has stay as they are.
 * Does nothing if it is not started.
 *
 * @param pool
 *   The pool.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: pool is NULL.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_stop(struct doca_buf_pool *pool);

/**
 * Have each buffer begin at an address that is a multiple of a number.
 *
 * @param pool
 *   The pool.
 * @param alignment
 *   A power of two. The default is 1.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: pool is NULL; the number is no power of two.
 *   - DOCA_ERROR_BAD_STATE: the pool is started, or the program has buffers of it.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_set_element_alignment(struct doca_buf_pool *pool,
		size_t alignment);

/**
 * Take a buffer with an empty data segment at its beginning.
 *
 * @param pool
 *   The pool, started.
 * @param[out] buf
 *   The buffer, with a reference count of 1.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_BAD_STATE: the pool or its map is not started.
 *   - DOCA_ERROR_NO_MEMORY: all buffers are in use.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_buf_alloc(struct doca_buf_pool *pool, struct doca_buf **buf);

/**
 * Tell how many buffers a pool has.
 *
 * @param pool
 *   The pool.
 * @param[out] num_elements
 *   Their number.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_num_elements(const struct doca_buf_pool *pool,
		uint32_t *num_elements);

/**
 * Tell how many buffers of a pool can be taken.
 *
 * @param pool
 *   The pool.
 * @param[out] num_free_elements
 *   Their number.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_num_free_elements(const struct doca_buf_pool *pool,
		uint32_t *num_free_elements);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_POOL_H */
