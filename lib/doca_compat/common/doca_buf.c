/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Buffers, lists of them, and the stores that they come from and return to. What a map is
 * is in doca_mmap.c; the kinds of stores are in doca_buf_inventory.c and doca_buf_pool.c.
 *
 * A buffer is free, or the program's, or dropped: the program has given it back while a
 * task uses it. Fields of a free one mean nothing.
 */

#include <stdlib.h>

#include <doca_buf.h>

#include "doca_buf_private.h"

doca_error_t
doca_buf_store_init(struct doca_buf_store *store, size_t nb_bufs,
		void (*release)(struct doca_buf_store *store))
{
	size_t i;

	if (nb_bufs == 0 || nb_bufs > UINT32_MAX)
		return DOCA_ERROR_INVALID_VALUE;
	store->bufs = calloc(nb_bufs, sizeof(*store->bufs));
	if (store->bufs == NULL)
		return DOCA_ERROR_NO_MEMORY;
	store->release = release;
	store->nb_bufs = nb_bufs;
	store->nb_free = nb_bufs;
	/* the first is taken first */
	for (i = nb_bufs; i-- > 0;) {
		store->bufs[i].store = store;
		store->bufs[i].next_free = store->free;
		store->free = &store->bufs[i];
	}
	return DOCA_SUCCESS;
}

static void
store_release(struct doca_buf_store *store)
{
	free(store->bufs);
	store->release(store);
}

doca_error_t
doca_buf_store_end(struct doca_buf_store *store)
{
	if (store->nb_program != 0)
		return DOCA_ERROR_IN_USE;
	store->started = false;
	store->ended = true;
	if (store->nb_free == store->nb_bufs)
		store_release(store);
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_store_take(struct doca_buf_store *store, struct doca_mmap *map, uint8_t *addr,
		size_t len, struct doca_buf **buf)
{
	struct doca_buf *b = store->free;
	doca_error_t result;

	if (!store->started)
		return DOCA_ERROR_BAD_STATE;
	result = doca_mmap_piece_take(map, addr, len);
	if (result != DOCA_SUCCESS)
		return result;
	if (b == NULL) {
		doca_mmap_piece_drop(map);
		doca_mmap_piece_end(map);
		return DOCA_ERROR_NO_MEMORY;
	}
	store->free = b->next_free;
	store->nb_free--;
	store->nb_program++;
	b->map = map;
	b->head = addr;
	b->len = len;
	b->data = addr;
	b->data_len = 0;
	b->refs = 1;
	*buf = b;
	return DOCA_SUCCESS;
}

/* Nobody uses a buffer that the program has given back. */
void
doca_compat_buf_dropped(struct doca_buf *buf)
{
	struct doca_buf_store *store = buf->store;
	struct doca_mmap *map = buf->map;

	buf->map = NULL;
	buf->next_free = store->free;
	store->free = buf;
	store->nb_free++;
	doca_mmap_piece_end(map);
	if (store->ended && store->nb_free == store->nb_bufs)
		store_release(store);
}

/* The program has given its last reference back. The buffer is in no list. */
static void
buf_drop(struct doca_buf *buf)
{
	buf->store->nb_program--;
	doca_mmap_piece_drop(buf->map);
	if (buf->holds == 0)
		doca_compat_buf_dropped(buf);
}

/* Whether the program has a buffer, or why not. */
static doca_error_t
buf_check(const struct doca_buf *buf)
{
	if (buf == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return buf->refs == 0 ? DOCA_ERROR_BAD_STATE : DOCA_SUCCESS;
}

/* The same for a buffer of which something is to be told. */
static doca_error_t
buf_check_out(const struct doca_buf *buf, const void *out)
{
	return out == NULL ? DOCA_ERROR_INVALID_VALUE : buf_check(buf);
}

doca_error_t
doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount)
{
	doca_error_t result = buf_check(buf);

	if (result != DOCA_SUCCESS)
		return result;
	if (buf->refs == UINT16_MAX)
		return DOCA_ERROR_NOT_PERMITTED;
	if (refcount != NULL)
		*refcount = buf->refs;
	buf->refs++;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount)
{
	doca_error_t result = buf_check(buf);
	struct doca_buf *next;

	if (result != DOCA_SUCCESS)
		return result;
	if (buf->refs == 1 && buf->prev != NULL)
		return DOCA_ERROR_NOT_PERMITTED;
	if (refcount != NULL)
		*refcount = buf->refs;
	if (buf->refs > 1) {
		buf->refs--;
		return DOCA_SUCCESS;
	}
	for (; buf != NULL; buf = next) {
		next = buf->next;
		buf->next = NULL;
		buf->prev = NULL;
		buf->refs--;
		if (buf->refs == 0)
			buf_drop(buf);
	}
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_get_refcount(const struct doca_buf *buf, uint16_t *refcount)
{
	doca_error_t result = buf_check_out(buf, refcount);

	if (result == DOCA_SUCCESS)
		*refcount = buf->refs;
	return result;
}

doca_error_t
doca_buf_get_len(const struct doca_buf *buf, size_t *len)
{
	doca_error_t result = buf_check_out(buf, len);

	if (result == DOCA_SUCCESS)
		*len = buf->len;
	return result;
}

doca_error_t
doca_buf_get_head(const struct doca_buf *buf, void **head)
{
	doca_error_t result = buf_check_out(buf, head);

	if (result == DOCA_SUCCESS)
		*head = buf->head;
	return result;
}

doca_error_t
doca_buf_get_data(const struct doca_buf *buf, void **data)
{
	doca_error_t result = buf_check_out(buf, data);

	if (result == DOCA_SUCCESS)
		*data = buf->data;
	return result;
}

doca_error_t
doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len)
{
	doca_error_t result = buf_check_out(buf, data_len);

	if (result == DOCA_SUCCESS)
		*data_len = buf->data_len;
	return result;
}

doca_error_t
doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len)
{
	doca_error_t result = buf_check_out(buf, data);

	if (result != DOCA_SUCCESS)
		return result;
	if (!doca_buf_inside(data, data_len, buf->head, buf->len))
		return DOCA_ERROR_INVALID_VALUE;
	buf->data = data;
	buf->data_len = data_len;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_set_data_len(struct doca_buf *buf, size_t data_len)
{
	doca_error_t result = buf_check(buf);

	if (result != DOCA_SUCCESS)
		return result;
	if (!doca_buf_inside(buf->data, data_len, buf->head, buf->len))
		return DOCA_ERROR_INVALID_VALUE;
	buf->data_len = data_len;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_reset_data_len(struct doca_buf *buf)
{
	doca_error_t result = buf_check(buf);

	if (result == DOCA_SUCCESS)
		buf->data_len = 0;
	return result;
}

/* Whether two buffers, the first of which begins a list, are the program's. */
static doca_error_t
lists_check(const struct doca_buf *list1, const struct doca_buf *list2)
{
	doca_error_t result = buf_check_out(list1, list2);

	if (result == DOCA_SUCCESS)
		result = buf_check(list2);
	if (result == DOCA_SUCCESS && (list1->prev != NULL || list1 == list2))
		result = DOCA_ERROR_INVALID_VALUE;
	return result;
}

doca_error_t
doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2)
{
	doca_error_t result = lists_check(list1, list2);

	if (result != DOCA_SUCCESS)
		return result;
	if (list2->prev != NULL)
		return DOCA_ERROR_INVALID_VALUE;
	while (list1->next != NULL)
		list1 = list1->next;
	list1->next = list2;
	list2->prev = list1;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2)
{
	doca_error_t result = lists_check(list1, list2);

	if (result != DOCA_SUCCESS)
		return result;
	while (list1 != NULL && list1->next != list2)
		list1 = list1->next;
	if (list1 == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	list1->next = NULL;
	list2->prev = NULL;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_get_next_in_list(struct doca_buf *buf, struct doca_buf **next)
{
	doca_error_t result = buf_check_out(buf, next);

	if (result == DOCA_SUCCESS)
		*next = buf->next;
	return result;
}

doca_error_t
doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *in_list)
{
	doca_error_t result = buf_check_out(buf, in_list);

	if (result == DOCA_SUCCESS)
		*in_list = buf->prev != NULL || buf->next != NULL;
	return result;
}
