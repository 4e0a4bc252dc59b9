/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Maps and inventories that are ready to be used, for the cases of memory.
 */

#ifndef TEST_MEM_H
#define TEST_MEM_H

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_dev.h>
#include <doca_mmap.h>

#include "test_comch.h"
#include "test_doca.h"

/* Not started: with a device, a range, and permission for both sides of PCIe. */
doca_error_t test_map_make(void *addr, size_t len, struct doca_mmap **map);

/* The same, and started. */
doca_error_t test_map_start(void *addr, size_t len, struct doca_mmap **map);

/* Started. */
doca_error_t test_inventory_start(size_t nb, struct doca_buf_inventory **inventory);

/* How many buffers of a map the program has. */
uint32_t test_map_bufs(const struct doca_mmap *map);

/* How many buffers an inventory has left. */
uint32_t test_inventory_free(const struct doca_buf_inventory *inventory);

#endif /* TEST_MEM_H */
