/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_BUF_H
#define DOCA_BUF_H

/**
 * @file
 *
 * Buffers: pieces of a map, with a data segment somewhere in them, and lists of buffers.
 * They come from doca_buf_inventory.h or doca_buf_pool.h.
 *
 * A buffer belongs to the program as long as its reference count, which starts at 1, is
 * not 0. It can be given back while a submitted task uses it: then it returns to where it
 * came from when the task ends. Functions that are given a buffer which the program does
 * not have answer DOCA_ERROR_BAD_STATE, until the element is given out again.
 *
 * Comch takes no lists.
 *
 * Threads: a buffer belongs to one thread at a time, together with all others of its
 * inventory or pool.
 */

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A buffer. */
struct doca_buf;

/** What the elements of an inventory have besides; of releases up to 2.2. */
enum doca_buf_extension {
	DOCA_BUF_EXTENSION_NONE = 0, /**< Nothing. */
};

/**
 * Take one more reference.
 *
 * @param buf
 *   The buffer.
 * @param[out] refcount
 *   The count before this call; may be NULL.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: buf is NULL.
 *   - DOCA_ERROR_BAD_STATE: it was given back.
 *   - DOCA_ERROR_NOT_PERMITTED: the count is 65535.
 */
DOCA_STABLE
doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount);

/**
 * Give one reference back, and with the last one the buffer. With the last one of the
 * first buffer of a list, each other buffer of the list loses one reference too, and the
 * list is no more.
 *
 * @param buf
 *   The buffer.
 * @param[out] refcount
 *   The count before this call; may be NULL.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: buf is NULL.
 *   - DOCA_ERROR_BAD_STATE: it was given back.
 *   - DOCA_ERROR_NOT_PERMITTED: it is the last reference of a buffer that others of its
 *     list come before: call doca_buf_unchain_list().
 */
DOCA_STABLE
doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount);

/**
 * Tell the reference count.
 *
 * @param buf
 *   The buffer.
 * @param[out] refcount
 *   The program's references; those of tasks do not count.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_BAD_STATE: it was given back.
 */
DOCA_STABLE
doca_error_t doca_buf_get_refcount(const struct doca_buf *buf, uint16_t *refcount);

/**
 * Tell the length.
 *
 * @param buf
 *   The buffer.
 * @param[out] len
 *   Its bytes, from its beginning on.
 * @return
 *   As doca_buf_get_refcount().
 */
DOCA_STABLE
doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len);

/**
 * Tell where a buffer begins.
 *
 * @param buf
 *   The buffer.
 * @param[out] head
 *   Its first byte.
 * @return
 *   As doca_buf_get_refcount().
 */
DOCA_STABLE
doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head);

/**
 * Tell where the data segment begins.
 *
 * @param buf
 *   The buffer.
 * @param[out] data
 *   The first byte of its data.
 * @return
 *   As doca_buf_get_refcount().
 */
DOCA_STABLE
doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data);

/**
 * Tell the length of the data segment.
 *
 * @param buf
 *   The buffer.
 * @param[out] data_len
 *   Bytes of data.
 * @return
 *   As doca_buf_get_refcount().
 */
DOCA_STABLE
doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len);

/**
 * Set the data segment: what is sent. What is received goes behind it.
 *
 * @param buf
 *   The buffer.
 * @param data
 *   Its first byte.
 * @param data_len
 *   Its length in bytes, may be 0.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: buf or data is NULL, or it is not inside of the buffer.
 *   - DOCA_ERROR_BAD_STATE: it was given back.
 */
DOCA_STABLE
doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len);

/**
 * Set the length of the data segment, which begins where it did.
 *
 * @param buf
 *   The buffer.
 * @param data_len
 *   Its length in bytes, may be 0.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: buf is NULL, or it would end behind the buffer.
 *   - DOCA_ERROR_BAD_STATE: it was given back.
 */
DOCA_STABLE
doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len);

/**
 * Make the data segment empty; it begins where it did.
 *
 * @param buf
 *   The buffer.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: buf is NULL.
 *   - DOCA_ERROR_BAD_STATE: it was given back.
 */
DOCA_STABLE
doca_error_t doca_buf_reset_data_len(struct doca_buf *buf);

/**
 * Append a list to another one. A single buffer is a list.
 *
 * @param list1
 *   The first buffer of the list that grows.
 * @param list2
 *   The first buffer of the list that comes behind it.
 * @return
 *   - DOCA_SUCCESS: list1 is the first buffer of all.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL, or not the first of its list, or they
 *     are the same.
 *   - DOCA_ERROR_BAD_STATE: one was given back.
 */
DOCA_STABLE
doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2);

/**
 * Cut a list in two.
 *
 * @param list1
 *   The first buffer of the list.
 * @param list2
 *   The buffer of it that becomes the first of the second list.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL, list1 is not the first of its list, or
 *     list2 does not come behind it.
 *   - DOCA_ERROR_BAD_STATE: one was given back.
 */
DOCA_STABLE
doca_error_t doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2);

/**
 * Tell which buffer comes next in a list.
 *
 * @param buf
 *   The buffer.
 * @param[out] next
 *   The next one, or NULL.
 * @return
 *   As doca_buf_get_refcount().
 */
DOCA_STABLE
doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf, struct doca_buf **next);

/**
 * Tell whether a buffer is in a list with others.
 *
 * @param buf
 *   The buffer.
 * @param[out] in_list
 *   1 if it is, 0 if not.
 * @return
 *   As doca_buf_get_refcount().
 */
DOCA_STABLE
doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *in_list);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_H */
