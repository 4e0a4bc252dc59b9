/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Descriptions of maps, also broken ones, and the maps that are made of them.
 */

#include <doca_log.h>

#include "test_mem.h"

static char bytes[4096];

/* A description fits into one message beside what a program puts before it. */
#define MAX_DESC 1024

static int
test_export_null(void)
{
	struct doca_mmap *map, *imported;
	const void *desc;
	struct doca_dev *dev;
	uint8_t flag;
	size_t len;

	TEST_OK(test_dev_open(TEST_DEV, &dev));
	TEST_OK(test_map_start(bytes, sizeof(bytes), &map));
	TEST_RESULT(doca_mmap_export_pci(NULL, dev, &desc, &len), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_mmap_export_pci(map, NULL, &desc, &len), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_mmap_export_pci(map, dev, NULL, &len), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_mmap_export_pci(map, dev, &desc, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_mmap_export_pci(map, dev, &desc, &len));
	TEST_RESULT(doca_mmap_create_from_export(NULL, NULL, len, dev, &imported),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_mmap_create_from_export(NULL, desc, 0, dev, &imported),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_mmap_create_from_export(NULL, desc, len, NULL, &imported),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_mmap_create_from_export(NULL, desc, len, dev, NULL),
			DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_2(doca_mmap_get_exported, map, &flag);
	TEST_NULL_2(doca_mmap_get_from_export, map, &flag);
	TEST_NULL_2(doca_mmap_cap_is_export_pci_supported, doca_dev_as_devinfo(dev), &flag);
	TEST_NULL_2(doca_mmap_cap_is_create_from_export_pci_supported, doca_dev_as_devinfo(dev),
			&flag);
	TEST_OK(doca_mmap_destroy(map));
	TEST_OK(doca_dev_close(dev));
	return 0;
}

static int
test_export_states(void)
{
	struct doca_dev *dev, *other;
	struct doca_mmap *map;
	const void *desc;
	uint8_t flag = 7;
	size_t len;

	TEST_OK(test_dev_open(TEST_DEV, &dev));
	TEST_OK(test_dev_open("03:00.1", &other));
	TEST_OK(doca_mmap_cap_is_export_pci_supported(doca_dev_as_devinfo(dev), &flag));
	TEST_TRUE(flag == 1);
	flag = 7;
	TEST_OK(doca_mmap_cap_is_create_from_export_pci_supported(doca_dev_as_devinfo(dev),
			&flag));
	TEST_TRUE(flag == 1);

	TEST_OK(test_map_make(bytes, sizeof(bytes), &map));
	TEST_RESULT(doca_mmap_export_pci(map, dev, &desc, &len), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
	TEST_OK(doca_mmap_start(map));
	TEST_RESULT(doca_mmap_export_pci(map, dev, &desc, &len), DOCA_ERROR_NOT_PERMITTED);
	TEST_RESULT(doca_mmap_export_pci(map, other, &desc, &len), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_mmap_get_exported(map, &flag));
	TEST_TRUE(flag == 0);
	TEST_OK(doca_mmap_stop(map));
	TEST_OK(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_ONLY));
	TEST_OK(doca_mmap_start(map));
	TEST_OK(doca_mmap_export_pci(map, dev, &desc, &len));
	TEST_TRUE(desc != NULL && len > 0 && len < MAX_DESC);
	TEST_OK(doca_mmap_get_exported(map, &flag));
	TEST_TRUE(flag == 1);
	TEST_OK(doca_mmap_get_from_export(map, &flag));
	TEST_TRUE(flag == 0);
	TEST_OK(doca_mmap_destroy(map));
	TEST_OK(doca_dev_close(dev));
	TEST_OK(doca_dev_close(other));
	return 0;
}

static int
test_export_import(void)
{
	union doca_data data = {bytes};
	struct doca_mmap *map, *imported;
	struct doca_dev *dev;
	char copy[MAX_DESC + 1];
	const void *desc;
	uint8_t flag;
	void *addr;
	size_t len;

	TEST_OK(test_dev_open(TEST_DEV, &dev));
	/* of memory that is nowhere here: nobody looks at it */
	TEST_OK(test_map_start((void *)0x1000, 1 << 30, &map));
	TEST_OK(doca_mmap_export_pci(map, dev, &desc, &len));
	TEST_TRUE(len < MAX_DESC);
	memcpy(copy + 1, desc, len); /* of any alignment */
	TEST_OK(doca_mmap_destroy(map));

	TEST_OK(doca_mmap_create_from_export(&data, copy + 1, len, dev, &imported));
	memset(copy, 0, sizeof(copy));
	TEST_OK(doca_mmap_get_memrange(imported, &addr, &len));
	TEST_TRUE(addr == (void *)0x1000 && len == 1 << 30);
	TEST_OK(doca_mmap_get_user_data(imported, &data));
	TEST_TRUE(data.ptr == bytes);
	TEST_OK(doca_mmap_get_from_export(imported, &flag));
	TEST_TRUE(flag == 1);
	TEST_OK(doca_mmap_get_exported(imported, &flag));
	TEST_TRUE(flag == 0);
	TEST_OK(doca_dev_close(dev));
	TEST_OK(doca_mmap_destroy(imported));
	return 0;
}

/* It is started, and has the settings of the exporter. */
static int
test_export_fixed(void)
{
	struct doca_mmap *map, *imported;
	struct doca_buf_inventory *inventory;
	struct doca_buf *buf;
	struct doca_dev *dev;
	const void *desc;
	size_t len;

	TEST_OK(test_dev_open(TEST_DEV, &dev));
	TEST_OK(test_map_start(bytes, sizeof(bytes), &map));
	TEST_OK(doca_mmap_export_pci(map, dev, &desc, &len));
	TEST_OK(doca_mmap_create_from_export(NULL, desc, len, dev, &imported));
	TEST_OK(doca_mmap_destroy(map));
	TEST_OK(doca_mmap_enable_thread_safety(imported));
	TEST_RESULT(doca_mmap_start(imported), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_mmap_add_dev(imported, dev), DOCA_ERROR_NOT_PERMITTED);
	TEST_RESULT(doca_mmap_rm_dev(imported, dev), DOCA_ERROR_NOT_PERMITTED);
	TEST_RESULT(doca_mmap_set_memrange(imported, bytes, 1), DOCA_ERROR_NOT_PERMITTED);
	TEST_RESULT(doca_mmap_set_permissions(imported, 0), DOCA_ERROR_NOT_PERMITTED);
	TEST_RESULT(doca_mmap_set_free_cb(imported, NULL, NULL), DOCA_ERROR_NOT_PERMITTED);
	TEST_RESULT(doca_mmap_set_max_num_devices(imported, 2), DOCA_ERROR_NOT_PERMITTED);
	TEST_RESULT(doca_mmap_export_pci(imported, dev, &desc, &len), DOCA_ERROR_NOT_PERMITTED);

	TEST_OK(test_inventory_start(1, &inventory));
	TEST_OK(doca_buf_inventory_buf_get_by_addr(inventory, imported, bytes + 1, 10, &buf));
	TEST_RESULT(doca_mmap_destroy(imported), DOCA_ERROR_NOT_PERMITTED);
	TEST_OK(doca_buf_dec_refcount(buf, NULL));
	TEST_OK(doca_mmap_stop(imported));
	TEST_OK(doca_mmap_destroy(imported));
	TEST_OK(doca_buf_inventory_destroy(inventory));
	TEST_OK(doca_dev_close(dev));
	return 0;
}

/* A peer sends what it likes: each cut and each changed bit is found. */
static int
test_export_broken(void)
{
	struct doca_mmap *map, *imported = NULL;
	uint8_t copy[2 * MAX_DESC];
	struct doca_dev *dev;
	const void *desc;
	size_t len, i;

	/* a line for each is too much */
	TEST_OK(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_CRIT));
	TEST_OK(test_dev_open(TEST_DEV, &dev));
	TEST_OK(test_map_start(bytes, sizeof(bytes), &map));
	TEST_OK(doca_mmap_export_pci(map, dev, &desc, &len));
	memset(copy, 0, sizeof(copy));
	memcpy(copy, desc, len);
	for (i = 0; i < MAX_DESC; i++) {
		if (i != len)
			TEST_RESULT(doca_mmap_create_from_export(NULL, copy, i, dev, &imported),
					DOCA_ERROR_INVALID_VALUE);
	}
	TEST_RESULT(doca_mmap_create_from_export(NULL, copy, sizeof(copy), dev, &imported),
			DOCA_ERROR_INVALID_VALUE);
	for (i = 0; i < 8 * len; i++) {
		copy[i / 8] ^= 1 << i % 8;
		TEST_RESULT(doca_mmap_create_from_export(NULL, copy, len, dev, &imported),
				DOCA_ERROR_INVALID_VALUE);
		copy[i / 8] ^= 1 << i % 8;
	}
	TEST_TRUE(imported == NULL);
	TEST_OK(doca_mmap_create_from_export(NULL, copy, len, dev, &imported));
	TEST_OK(doca_mmap_destroy(imported));
	TEST_OK(doca_mmap_destroy(map));
	TEST_OK(doca_dev_close(dev));
	return 0;
}

const struct test_case test_mmap_export[] = {
	TEST_CASE(test_export_null),
	TEST_CASE(test_export_states),
	TEST_CASE(test_export_import),
	TEST_CASE(test_export_fixed),
	TEST_CASE(test_export_broken),
	TEST_CASES_END()
};
