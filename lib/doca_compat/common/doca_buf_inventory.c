/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Inventories: stores of buffers whose places the program gives. No lists, and no counts:
 * these are in doca_buf.c.
 */

#include <stdlib.h>

#include <doca_buf_inventory.h>

#include "doca_buf_private.h"

struct doca_buf_inventory {
	struct doca_buf_store store;
	union doca_data user_data;
};

static void
inventory_release(struct doca_buf_store *store)
{
	free(store);
}

doca_error_t
doca_buf_inventory_create(size_t num_elements, struct doca_buf_inventory **inventory)
{
	struct doca_buf_inventory *inv;
	doca_error_t result;

	if (inventory == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	inv = calloc(1, sizeof(*inv));
	if (inv == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = doca_buf_store_init(&inv->store, num_elements, inventory_release);
	if (result != DOCA_SUCCESS) {
		free(inv);
		return result;
	}
	*inventory = inv;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_inventory_destroy(struct doca_buf_inventory *inventory)
{
	if (inventory == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return doca_buf_store_end(&inventory->store);
}

doca_error_t
doca_buf_inventory_start(struct doca_buf_inventory *inventory)
{
	if (inventory == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (inventory->store.started)
		return DOCA_ERROR_BAD_STATE;
	inventory->store.started = true;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_inventory_stop(struct doca_buf_inventory *inventory)
{
	if (inventory == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	inventory->store.started = false;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory,
		struct doca_mmap *mmap, void *addr, size_t len, void *data, size_t data_len,
		struct doca_buf **buf)
{
	doca_error_t result;

	if (inventory == NULL || mmap == NULL || addr == NULL || data == NULL || buf == NULL ||
			!doca_buf_inside(data, data_len, addr, len))
		return DOCA_ERROR_INVALID_VALUE;
	result = doca_buf_store_take(&inventory->store, mmap, addr, len, buf);
	if (result != DOCA_SUCCESS)
		return result;
	(*buf)->data = data;
	(*buf)->data_len = data_len;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_inventory_buf_get_by_addr(struct doca_buf_inventory *inventory,
		struct doca_mmap *mmap, void *addr, size_t len, struct doca_buf **buf)
{
	return doca_buf_inventory_buf_get_by_args(inventory, mmap, addr, len, addr, 0, buf);
}

doca_error_t
doca_buf_inventory_buf_get_by_data(struct doca_buf_inventory *inventory,
		struct doca_mmap *mmap, void *data, size_t data_len, struct doca_buf **buf)
{
	return doca_buf_inventory_buf_get_by_args(inventory, mmap, data, data_len, data,
			data_len, buf);
}

doca_error_t
doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
		const struct doca_buf *src_buf, struct doca_buf **dst_buf)
{
	if (src_buf == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (src_buf->refs == 0)
		return DOCA_ERROR_BAD_STATE;
	return doca_buf_inventory_buf_get_by_args(inventory, src_buf->map, src_buf->head,
			src_buf->len, src_buf->data, src_buf->data_len, dst_buf);
}

doca_error_t
doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory, union doca_data user_data)
{
	if (inventory == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	inventory->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_inventory_get_user_data(const struct doca_buf_inventory *inventory,
		union doca_data *user_data)
{
	if (inventory == NULL || user_data == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = inventory->user_data;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_inventory_get_num_elements(const struct doca_buf_inventory *inventory,
		uint32_t *num_elements)
{
	if (inventory == NULL || num_elements == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num_elements = inventory->store.nb_bufs;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_inventory_get_num_free_elements(const struct doca_buf_inventory *inventory,
		uint32_t *num_free_elements)
{
	if (inventory == NULL || num_free_elements == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num_free_elements = inventory->store.nb_free;
	return DOCA_SUCCESS;
}
