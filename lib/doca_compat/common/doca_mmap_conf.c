/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Settings of maps. The program changes them while a map is idle, so nothing else reads
 * them meanwhile.
 */

#include <doca_dev_private.h>
#include <doca_log.h>

#include "doca_mmap_private.h"
#include "doca_private.h"

/* Every flag that there is. */
#define ACCESS_ALL (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | \
	DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC | \
	DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE | \
	DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING)

doca_error_t
doca_mmap_check_conf(const struct doca_mmap *map)
{
	if (map == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (map->imported)
		return DOCA_ERROR_NOT_PERMITTED;
	return doca_mmap_state(map) == MMAP_IDLE ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
}

bool
doca_mmap_range_valid(const void *addr, uint64_t len)
{
	return addr != NULL && len != 0 && len - 1 <= UINTPTR_MAX - (uintptr_t)addr;
}

bool
doca_mmap_access_valid(uint32_t access)
{
	const uint32_t pci = DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE;

	return (access & ~(uint32_t)ACCESS_ALL) == 0 && (access & pci) != pci;
}

int
doca_mmap_find_func(const struct doca_mmap *map, const struct doca_compat_func *func)
{
	uint32_t i;

	for (i = 0; i < map->nb_devs; i++)
		if (map->devs[i].func == func)
			return i;
	return -1;
}

/* The place of a device, opened as this one and of the same function, or -1. */
static int
find_dev(const struct doca_mmap *map, const struct doca_dev *dev)
{
	const struct doca_compat_func *func = doca_compat_dev_func(dev);
	uint32_t i;

	/* one that was closed may have had the same address */
	for (i = 0; i < map->nb_devs; i++)
		if (map->devs[i].dev == dev && map->devs[i].func == func)
			return i;
	return -1;
}

doca_error_t
doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev)
{
	doca_error_t result = doca_mmap_check_conf(mmap);

	if (dev == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (result != DOCA_SUCCESS)
		return result;
	if (find_dev(mmap, dev) >= 0)
		return DOCA_ERROR_ALREADY_EXIST;
	if (mmap->nb_devs >= mmap->max_devs) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, MMAP_SOURCE,
				"%s: a map has no more than %u devices: "
				"call doca_mmap_set_max_num_devices()",
				doca_compat_dev_name(dev), mmap->max_devs);
		return DOCA_ERROR_FULL;
	}
	mmap->devs[mmap->nb_devs].dev = dev;
	mmap->devs[mmap->nb_devs].func = doca_compat_dev_func(dev);
	mmap->nb_devs++;
	return DOCA_SUCCESS;
}

doca_error_t
doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev)
{
	doca_error_t result = doca_mmap_check_conf(mmap);
	int i;

	if (dev == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (result != DOCA_SUCCESS)
		return result;
	i = find_dev(mmap, dev);
	if (i < 0)
		return DOCA_ERROR_NOT_FOUND;
	mmap->nb_devs--;
	mmap->devs[i] = mmap->devs[mmap->nb_devs];
	return DOCA_SUCCESS;
}

doca_error_t
doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len)
{
	doca_error_t result = doca_mmap_check_conf(mmap);

	if (result != DOCA_SUCCESS)
		return result;
	if (!doca_mmap_range_valid(addr, len))
		return DOCA_ERROR_INVALID_VALUE;
	mmap->addr = addr;
	mmap->len = len;
	return DOCA_SUCCESS;
}

doca_error_t
doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len)
{
	if (mmap == NULL || addr == NULL || len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap->addr == NULL)
		return DOCA_ERROR_BAD_STATE;
	*addr = mmap->addr;
	*len = mmap->len;
	return DOCA_SUCCESS;
}

doca_error_t
doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask)
{
	doca_error_t result = doca_mmap_check_conf(mmap);

	if (result != DOCA_SUCCESS)
		return result;
	if (!doca_mmap_access_valid(access_mask))
		return DOCA_ERROR_INVALID_VALUE;
	mmap->access = access_mask;
	return DOCA_SUCCESS;
}

doca_error_t
doca_mmap_set_free_cb(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb,
		void *cookie)
{
	doca_error_t result = doca_mmap_check_conf(mmap);

	if (result != DOCA_SUCCESS)
		return result;
	mmap->free_cb = free_cb;
	mmap->cookie = cookie;
	return DOCA_SUCCESS;
}

doca_error_t
doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t max_num_devices)
{
	doca_error_t result = doca_mmap_check_conf(mmap);

	if (result != DOCA_SUCCESS)
		return result;
	if (max_num_devices == 0 || max_num_devices > MMAP_MAX_DEVS ||
			max_num_devices < mmap->nb_devs)
		return DOCA_ERROR_INVALID_VALUE;
	mmap->max_devs = max_num_devices;
	return DOCA_SUCCESS;
}

doca_error_t
doca_mmap_get_max_num_devices(const struct doca_mmap *mmap, uint32_t *max_num_devices)
{
	if (mmap == NULL || max_num_devices == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*max_num_devices = mmap->max_devs;
	return DOCA_SUCCESS;
}

doca_error_t
doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data)
{
	if (mmap == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	mmap->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t
doca_mmap_get_user_data(const struct doca_mmap *mmap, union doca_data *user_data)
{
	if (mmap == NULL || user_data == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = mmap->user_data;
	return DOCA_SUCCESS;
}
