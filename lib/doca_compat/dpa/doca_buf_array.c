/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Arrays of buffers for programs of offload processors: a table in the memory of the
 * program, whose address is the handle. Maps and their handles are libdoca_common's.
 */

#define DOCA_ALLOW_EXPERIMENTAL_API

#include <stdlib.h>

#include <doca_buf_array.h>
#include <doca_log.h>
#include <doca_mmap.h>

#include "doca_dpa_app_private.h"
#include "doca_dpa_private.h"
#include "doca_mem_private.h"
#include "doca_private.h"

struct doca_buf_arr {
	uint64_t nb_bufs;
	struct doca_dpa *dpa;   /* or NULL; it counts us */
	struct doca_mmap *mmap; /* or NULL; its handle is kept */
	uint64_t size;
	uint64_t offset;
	doca_dpa_dev_uintptr_t table; /* 0: not started */
};

doca_error_t
doca_buf_arr_create(size_t num_elem, struct doca_buf_arr **buf_arr)
{
	if (num_elem == 0 || buf_arr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*buf_arr = calloc(1, sizeof(**buf_arr));
	if (*buf_arr == NULL)
		return DOCA_ERROR_NO_MEMORY;
	(*buf_arr)->nb_bufs = num_elem;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_arr_destroy(struct doca_buf_arr *buf_arr)
{
	if (buf_arr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_arr->table != 0)
		return DOCA_ERROR_IN_USE;
	if (buf_arr->dpa != NULL)
		buf_arr->dpa->nb_users--;
	if (buf_arr->mmap != NULL)
		doca_compat_mmap_unref(buf_arr->mmap);
	free(buf_arr);
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, struct doca_mmap *mmap, size_t elem_size,
		uint64_t start_offset)
{
	if (buf_arr == NULL || mmap == NULL || elem_size == 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_arr->table != 0)
		return DOCA_ERROR_BAD_STATE;
	doca_compat_mmap_ref(mmap);
	if (buf_arr->mmap != NULL)
		doca_compat_mmap_unref(buf_arr->mmap);
	buf_arr->mmap = mmap;
	buf_arr->size = elem_size;
	buf_arr->offset = start_offset;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_arr_set_target_dpa(struct doca_buf_arr *buf_arr, struct doca_dpa *dpa)
{
	if (buf_arr == NULL || dpa == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_arr->table != 0)
		return DOCA_ERROR_BAD_STATE;
	dpa->nb_users++;
	if (buf_arr->dpa != NULL)
		buf_arr->dpa->nb_users--;
	buf_arr->dpa = dpa;
	return DOCA_SUCCESS;
}

/* The table as the program has it; NULL: no memory. */
static struct doca_compat_dpa_buf *
table_make(const struct doca_buf_arr *arr, uint32_t mmap, uint64_t addr)
{
	struct doca_compat_dpa_buf *table = calloc(arr->nb_bufs + 1, sizeof(*table));
	uint64_t i;

	if (table == NULL)
		return NULL;
	table[0].len = arr->nb_bufs;
	for (i = 0; i < arr->nb_bufs; i++) {
		table[i + 1].addr = addr + i * arr->size;
		table[i + 1].len = arr->size;
		table[i + 1].mmap = mmap;
	}
	return table;
}

/* Give it to the program. */
static doca_error_t
table_put(struct doca_buf_arr *arr, struct doca_compat_dpa_buf *table)
{
	const size_t size = (arr->nb_bufs + 1) * sizeof(*table);
	doca_error_t result;

	result = doca_dpa_mem_alloc(arr->dpa, size, &arr->table);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_dpa_h2d_memcpy(arr->dpa, arr->table, table, size);
	if (result != DOCA_SUCCESS) {
		(void)doca_dpa_mem_free(arr->dpa, arr->table);
		arr->table = 0;
	}
	return result;
}

doca_error_t
doca_buf_arr_start(struct doca_buf_arr *buf_arr)
{
	struct doca_compat_dpa_buf *table;
	doca_dpa_dev_mmap_t mmap;
	doca_error_t result;
	size_t len;
	void *addr;

	if (buf_arr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_arr->table != 0 || buf_arr->mmap == NULL || buf_arr->dpa == NULL ||
			buf_arr->dpa->rte == NULL)
		return DOCA_ERROR_BAD_STATE;
	result = doca_mmap_get_memrange(buf_arr->mmap, &addr, &len);
	if (result != DOCA_SUCCESS)
		return result;
	if (buf_arr->offset > len || (len - buf_arr->offset) / buf_arr->size < buf_arr->nb_bufs) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, DPA_SOURCE,
				"an array of buffers does not fit into its map of %zu bytes: take fewer or smaller ones",
				len);
		return DOCA_ERROR_INVALID_VALUE;
	}
	result = doca_mmap_dev_get_dpa_handle(buf_arr->mmap, buf_arr->dpa->dev, &mmap);
	if (result != DOCA_SUCCESS)
		return result;
	table = table_make(buf_arr, mmap, (uintptr_t)addr + buf_arr->offset);
	if (table == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = table_put(buf_arr, table);
	free(table);
	return result;
}

doca_error_t
doca_buf_arr_stop(struct doca_buf_arr *buf_arr)
{
	if (buf_arr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_arr->table == 0)
		return DOCA_ERROR_BAD_STATE;
	(void)doca_dpa_mem_free(buf_arr->dpa, buf_arr->table);
	buf_arr->table = 0;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr, doca_dpa_dev_buf_arr_t *handle)
{
	if (buf_arr == NULL || handle == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_arr->table == 0)
		return DOCA_ERROR_BAD_STATE;
	*handle = buf_arr->table;
	return DOCA_SUCCESS;
}
