/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Maps and inventories for cases.
 */

#include "test_mem.h"

doca_error_t
test_map_make(void *addr, size_t len, struct doca_mmap **map)
{
	struct doca_dev *dev = NULL;
	doca_error_t result;

	result = test_dev_open(TEST_DEV, &dev);
	DOCA_ERROR_PROPAGATE(result, doca_mmap_create(map));
	DOCA_ERROR_PROPAGATE(result, doca_mmap_add_dev(*map, dev));
	DOCA_ERROR_PROPAGATE(result, doca_mmap_set_memrange(*map, addr, len));
	DOCA_ERROR_PROPAGATE(result,
			doca_mmap_set_permissions(*map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
					DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	/* a map needs no open device */
	DOCA_ERROR_PROPAGATE(result, doca_dev_close(dev));
	return result;
}

doca_error_t
test_map_start(void *addr, size_t len, struct doca_mmap **map)
{
	doca_error_t result = test_map_make(addr, len, map);

	DOCA_ERROR_PROPAGATE(result, doca_mmap_start(*map));
	return result;
}

doca_error_t
test_inventory_start(size_t nb, struct doca_buf_inventory **inventory)
{
	doca_error_t result = doca_buf_inventory_create(nb, inventory);

	DOCA_ERROR_PROPAGATE(result, doca_buf_inventory_start(*inventory));
	return result;
}

uint32_t
test_map_bufs(const struct doca_mmap *map)
{
	uint32_t nb = UINT32_MAX;

	doca_mmap_get_num_bufs(map, &nb);
	return nb;
}

uint32_t
test_inventory_free(const struct doca_buf_inventory *inventory)
{
	uint32_t nb = UINT32_MAX;

	doca_buf_inventory_get_num_free_elements(inventory, &nb);
	return nb;
}
