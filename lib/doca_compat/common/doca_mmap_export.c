/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Descriptions of maps for another process, and maps that are made of them. A description
 * comes from a peer and may be anything: it is copied, and checked before it is used. It
 * gives no access to memory; what has it can only say which memory is meant.
 */

#include <string.h>

#include <rte_byteorder.h>

#include <doca_dev_private.h>
#include <doca_log.h>

#include "doca_mmap_private.h"
#include "doca_private.h"

#define DESC_MAGIC UINT64_C(0x70616d6863636f64)
#define DESC_VERSION 1

/* Little-endian, and without gaps. */
struct mmap_desc {
	uint64_t magic;
	uint32_t version;
	uint32_t size;
	uint64_t addr;
	uint64_t len;
	uint32_t access;
	uint32_t reserved[5]; /* 0 */
	uint64_t check;       /* of all that is before */
};

static_assert(sizeof(struct mmap_desc) == MMAP_DESC_SIZE, "size of a description");

/* FNV-1a: finds what was cut or changed by mistake, and is no protection. */
static uint64_t
desc_check(const struct mmap_desc *desc)
{
	const uint8_t *p = (const uint8_t *)desc;
	uint64_t check = UINT64_C(0xcbf29ce484222325);
	size_t i;

	for (i = 0; i < offsetof(struct mmap_desc, check); i++)
		check = (check ^ p[i]) * UINT64_C(0x100000001b3);
	return rte_cpu_to_le_64(check);
}

doca_error_t
doca_mmap_export_pci(struct doca_mmap *mmap, const struct doca_dev *dev, const void **desc,
		size_t *desc_len)
{
	struct mmap_desc d;

	if (mmap == NULL || dev == NULL || desc == NULL || desc_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap->imported)
		return DOCA_ERROR_NOT_PERMITTED;
	if (doca_mmap_state(mmap) != MMAP_STARTED)
		return DOCA_ERROR_BAD_STATE;
	if (doca_mmap_find_func(mmap, doca_compat_dev_func(dev)) < 0)
		return DOCA_ERROR_INVALID_VALUE;
	if ((mmap->access & (DOCA_ACCESS_FLAG_PCI_READ_ONLY |
			DOCA_ACCESS_FLAG_PCI_READ_WRITE)) == 0) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, MMAP_SOURCE,
				"a map without a permission of PCI cannot be exported: "
				"call doca_mmap_set_permissions()");
		return DOCA_ERROR_NOT_PERMITTED;
	}
	memset(&d, 0, sizeof(d));
	d.magic = rte_cpu_to_le_64(DESC_MAGIC);
	d.version = rte_cpu_to_le_32(DESC_VERSION);
	d.size = rte_cpu_to_le_32(sizeof(d));
	d.addr = rte_cpu_to_le_64((uintptr_t)mmap->addr);
	d.len = rte_cpu_to_le_64(mmap->len);
	d.access = rte_cpu_to_le_32(mmap->access);
	d.check = desc_check(&d);
	memcpy(mmap->desc, &d, sizeof(d));
	mmap->exported = true;
	*desc = mmap->desc;
	*desc_len = sizeof(d);
	return DOCA_SUCCESS;
}

/* Takes a description to pieces; false if it is none. */
static bool
desc_read(struct doca_mmap *map, const void *desc, size_t desc_len)
{
	const uint32_t pci = DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE;
	struct mmap_desc d;
	uint64_t addr, len;

	if (desc_len != sizeof(d))
		return false;
	memcpy(&d, desc, sizeof(d));
	if (d.magic != rte_cpu_to_le_64(DESC_MAGIC) || d.check != desc_check(&d) ||
			d.version != rte_cpu_to_le_32(DESC_VERSION) ||
			d.size != rte_cpu_to_le_32(sizeof(d)))
		return false;
	addr = rte_le_to_cpu_64(d.addr);
	len = rte_le_to_cpu_64(d.len);
	map->access = rte_le_to_cpu_32(d.access);
	if (addr > UINTPTR_MAX || !doca_mmap_range_valid((void *)(uintptr_t)addr, len) ||
			!doca_mmap_access_valid(map->access) || (map->access & pci) == 0)
		return false;
	map->addr = (uint8_t *)(uintptr_t)addr;
	map->len = len;
	return true;
}

doca_error_t
doca_mmap_create_from_export(const union doca_data *user_data, const void *desc,
		size_t desc_len, struct doca_dev *dev, struct doca_mmap **mmap)
{
	struct doca_mmap *map;

	if (desc == NULL || dev == NULL || mmap == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	map = doca_mmap_new();
	if (map == NULL)
		return DOCA_ERROR_NO_MEMORY;
	if (!desc_read(map, desc, desc_len)) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, MMAP_SOURCE,
				"%zu bytes are no description of a map: "
				"give what doca_mmap_export_pci() gave, all of it", desc_len);
		doca_mmap_destroy(map);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (user_data != NULL)
		map->user_data = *user_data;
	map->imported = true;
	map->devs[0].dev = dev;
	map->devs[0].func = doca_compat_dev_func(dev);
	map->nb_devs = 1;
	map->state = MMAP_STARTED;
	*mmap = map;
	return DOCA_SUCCESS;
}

doca_error_t
doca_mmap_get_exported(const struct doca_mmap *mmap, uint8_t *exported)
{
	if (mmap == NULL || exported == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*exported = mmap->exported;
	return DOCA_SUCCESS;
}

doca_error_t
doca_mmap_get_from_export(const struct doca_mmap *mmap, uint8_t *from_export)
{
	if (mmap == NULL || from_export == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*from_export = mmap->imported;
	return DOCA_SUCCESS;
}

doca_error_t
doca_mmap_cap_is_export_pci_supported(const struct doca_devinfo *devinfo, uint8_t *supported)
{
	if (devinfo == NULL || supported == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*supported = 1;
	return DOCA_SUCCESS;
}

doca_error_t
doca_mmap_cap_is_create_from_export_pci_supported(const struct doca_devinfo *devinfo,
		uint8_t *supported)
{
	return doca_mmap_cap_is_export_pci_supported(devinfo, supported);
}
