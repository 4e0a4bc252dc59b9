/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_BUF_INVENTORY_H
#define DOCA_BUF_INVENTORY_H

/**
 * @file
 *
 * Inventories: a fixed number of buffers, each of which becomes a piece of some map when
 * it is taken. doca_buf_dec_refcount() gives it back.
 *
 * Threads: an inventory and all of its buffers belong to one thread at a time.
 */

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_mmap;

/** An inventory. */
struct doca_buf_inventory;

#ifndef DOCA_COMPAT_2_2 /* it has a name there */
/**
 * Create an inventory.
 *
 * @param num_elements
 *   Its buffers, 1 to 2^32 - 1.
 * @param[out] inventory
 *   The inventory, not started; the caller owns it.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: the number is out of range, inventory is NULL.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_create(size_t num_elements,
		struct doca_buf_inventory **inventory);
#endif

/**
 * Destroy an inventory, started or not.
 *
 * @param inventory
 *   The inventory.
 * @return
 *   - DOCA_SUCCESS: the handle is void.
 *   - DOCA_ERROR_INVALID_VALUE: inventory is NULL.
 *   - DOCA_ERROR_IN_USE: the program has buffers of it. Those that it has given back while
 *     their tasks are submitted do not count.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory);

/**
 * Start an inventory: buffers can be had.
 *
 * @param inventory
 *   The inventory.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: inventory is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is started.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory);

/**
 * Stop an inventory: no more buffers can be had; those that the program has stay as they
 * are. Does nothing if it is not started.
 *
 * @param inventory
 *   The inventory.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: inventory is NULL.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory);

/**
 * Take a buffer, and say where its data are.
 *
 * @param inventory
 *   The inventory, started.
 * @param mmap
 *   The map, started.
 * @param addr
 *   Where the buffer begins, in the map.
 * @param len
 *   Its length in bytes.
 * @param data
 *   Where its data segment begins, in the buffer.
 * @param data_len
 *   Bytes of the data segment.
 * @param[out] buf
 *   The buffer, with a reference count of 1.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL; the buffer is not inside of the map,
 *     or the data segment not inside of the buffer.
 *   - DOCA_ERROR_BAD_STATE: inventory or map are not started.
 *   - DOCA_ERROR_NO_MEMORY: all buffers are in use.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory,
		struct doca_mmap *mmap, void *addr, size_t len, void *data, size_t data_len,
		struct doca_buf **buf);

/**
 * Take a buffer with an empty data segment at its beginning: to receive into.
 *
 * @param inventory
 *   The inventory, started.
 * @param mmap
 *   The map, started.
 * @param addr
 *   Where the buffer begins, in the map.
 * @param len
 *   Its length in bytes.
 * @param[out] buf
 *   The buffer, with a reference count of 1.
 * @return
 *   As doca_buf_inventory_buf_get_by_args().
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_buf_get_by_addr(struct doca_buf_inventory *inventory,
		struct doca_mmap *mmap, void *addr, size_t len, struct doca_buf **buf);

/**
 * Take a buffer whose data segment is all of it: to send.
 *
 * @param inventory
 *   The inventory, started.
 * @param mmap
 *   The map, started.
 * @param data
 *   Where the buffer and its data begin, in the map.
 * @param data_len
 *   Its length in bytes.
 * @param[out] buf
 *   The buffer, with a reference count of 1.
 * @return
 *   As doca_buf_inventory_buf_get_by_args().
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_buf_get_by_data(struct doca_buf_inventory *inventory,
		struct doca_mmap *mmap, void *data, size_t data_len, struct doca_buf **buf);

/**
 * Take a buffer that is the same piece of the same map as another one, with the same data
 * segment. It is in no list.
 *
 * @param inventory
 *   The inventory, started; the other buffer may be of another one.
 * @param src_buf
 *   The other buffer.
 * @param[out] dst_buf
 *   The buffer, with a reference count of 1.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_BAD_STATE: the inventory is not started, or src_buf was given back.
 *   - DOCA_ERROR_NO_MEMORY: all buffers are in use.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
		const struct doca_buf *src_buf, struct doca_buf **dst_buf);

/**
 * Attach something to an inventory. Zero before.
 *
 * @param inventory
 *   The inventory.
 * @param user_data
 *   For doca_buf_inventory_get_user_data().
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: inventory is NULL.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory,
		union doca_data user_data);

/**
 * Read what is attached to an inventory.
 *
 * @param inventory
 *   The inventory.
 * @param[out] user_data
 *   What doca_buf_inventory_set_user_data() was given last.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_user_data(const struct doca_buf_inventory *inventory,
		union doca_data *user_data);

/**
 * Tell how many buffers an inventory has.
 *
 * @param inventory
 *   The inventory.
 * @param[out] num_elements
 *   Their number.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_num_elements(const struct doca_buf_inventory *inventory,
		uint32_t *num_elements);

/**
 * Tell how many buffers of an inventory can be taken.
 *
 * @param inventory
 *   The inventory.
 * @param[out] num_free_elements
 *   Their number.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_num_free_elements(
		const struct doca_buf_inventory *inventory, uint32_t *num_free_elements);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_INVENTORY_H */
