/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Maps: their settings, their life, and what is not theirs to free. Descriptions of maps
 * are in test_mmap_export.c, buffers in test_buf.c.
 */

#include "test_mem.h"

static char bytes[8192];

static int
test_mmap_null(void)
{
	union doca_data data = {NULL};
	struct doca_mmap *map;
	struct doca_dev *dev;
	uint32_t number;
	size_t len;
	void *addr;

	TEST_OK(test_dev_open(TEST_DEV, &dev));
	TEST_OK(doca_mmap_create(&map));
	TEST_RESULT(doca_mmap_create(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_mmap_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_mmap_start(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_mmap_stop(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_2(doca_mmap_add_dev, map, dev);
	TEST_NULL_2(doca_mmap_rm_dev, map, dev);
	TEST_RESULT(doca_mmap_set_memrange(NULL, bytes, 1), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_mmap_set_memrange(map, NULL, 1), DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_3(doca_mmap_get_memrange, map, &addr, &len);
	TEST_RESULT(doca_mmap_set_permissions(NULL, 0), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_mmap_set_free_cb(NULL, NULL, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_mmap_set_max_num_devices(NULL, 1), DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_2(doca_mmap_get_max_num_devices, map, &number);
	TEST_RESULT(doca_mmap_set_user_data(NULL, data), DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_2(doca_mmap_get_user_data, map, &data);
	TEST_RESULT(doca_mmap_enable_thread_safety(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_2(doca_mmap_get_num_bufs, map, &number);
	TEST_OK(doca_mmap_destroy(map));
	TEST_OK(doca_dev_close(dev));
	return 0;
}

/* Any memory, of any length: of the stack, a variable, malloc(). */
static int
test_mmap_range(void)
{
	char stack[3] = "ab", *heap = malloc(100000);
	struct {
		void *addr;
		size_t len;
	} ranges[] = {
		{stack, sizeof(stack)}, {stack + 1, 1}, {bytes, sizeof(bytes)},
		{bytes + 4095, 2}, {heap, 100000}, {heap + 7, 64},
		{(void *)(UINTPTR_MAX - 15), 16},
	};
	struct doca_mmap *map;
	unsigned int i;
	size_t len;
	void *addr;

	TEST_OK(doca_mmap_create(&map));
	TEST_RESULT(doca_mmap_get_memrange(map, &addr, &len), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_mmap_set_memrange(map, bytes, 0), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_mmap_set_memrange(map, bytes, SIZE_MAX), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_mmap_get_memrange(map, &addr, &len), DOCA_ERROR_BAD_STATE);
	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		TEST_OK(doca_mmap_set_memrange(map, ranges[i].addr, ranges[i].len));
		TEST_OK(doca_mmap_get_memrange(map, &addr, &len));
		TEST_TRUE(addr == ranges[i].addr && len == ranges[i].len);
	}
	TEST_OK(doca_mmap_destroy(map));
	free(heap);
	return 0;
}

static int
test_mmap_devs(void)
{
	struct doca_dev *dev, *again, *other;
	struct doca_mmap *map;
	uint32_t max;

	TEST_OK(test_dev_open(TEST_DEV, &dev));
	TEST_OK(test_dev_open(TEST_DEV, &again));
	TEST_OK(test_dev_open("03:00.1", &other));
	TEST_OK(doca_mmap_create(&map));
	TEST_OK(doca_mmap_get_max_num_devices(map, &max));
	TEST_TRUE(max == 64);
	TEST_RESULT(doca_mmap_set_max_num_devices(map, 0), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_mmap_set_max_num_devices(map, 65), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_mmap_set_max_num_devices(map, 1));
	TEST_OK(doca_mmap_get_max_num_devices(map, &max));
	TEST_TRUE(max == 1);
	TEST_RESULT(doca_mmap_rm_dev(map, dev), DOCA_ERROR_NOT_FOUND);
	TEST_OK(doca_mmap_add_dev(map, dev));
	TEST_RESULT(doca_mmap_add_dev(map, dev), DOCA_ERROR_ALREADY_EXIST);
	TEST_RESULT(doca_mmap_add_dev(map, other), DOCA_ERROR_FULL);
	TEST_OK(doca_mmap_set_max_num_devices(map, 3));
	TEST_OK(doca_mmap_add_dev(map, other));
	/* one function, opened twice: only the same handle is there already */
	if (again != dev)
		TEST_OK(doca_mmap_add_dev(map, again));
	TEST_RESULT(doca_mmap_set_max_num_devices(map, 1), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_mmap_rm_dev(map, dev));
	TEST_RESULT(doca_mmap_rm_dev(map, dev), DOCA_ERROR_NOT_FOUND);
	TEST_OK(doca_mmap_add_dev(map, dev));
	TEST_OK(doca_mmap_destroy(map));
	TEST_OK(doca_dev_close(dev));
	TEST_OK(doca_dev_close(again));
	TEST_OK(doca_dev_close(other));
	return 0;
}

static int
test_mmap_permissions(void)
{
	struct doca_mmap *map;

	TEST_OK(doca_mmap_create(&map));
	TEST_OK(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY));
	TEST_OK(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
			DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE |
			DOCA_ACCESS_FLAG_RDMA_ATOMIC));
	TEST_OK(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_ONLY));
	TEST_OK(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_WRITE |
			DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING));
	TEST_RESULT(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_WRITE |
			DOCA_ACCESS_FLAG_PCI_READ_ONLY), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_mmap_set_permissions(map, 1 << 7), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_mmap_set_permissions(map, UINT32_MAX), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_mmap_destroy(map));
	return 0;
}

static int
test_mmap_states(void)
{
	struct doca_dev *dev;
	struct doca_mmap *map;
	size_t len;
	void *addr;

	TEST_OK(test_dev_open(TEST_DEV, &dev));
	TEST_OK(doca_mmap_create(&map));
	TEST_OK(doca_mmap_stop(map));
	TEST_RESULT(doca_mmap_start(map), DOCA_ERROR_BAD_STATE); /* nothing is set */
	TEST_OK(doca_mmap_add_dev(map, dev));
	TEST_RESULT(doca_mmap_start(map), DOCA_ERROR_BAD_STATE); /* no range */
	TEST_OK(doca_mmap_set_memrange(map, bytes, 100));
	TEST_OK(doca_mmap_rm_dev(map, dev));
	TEST_RESULT(doca_mmap_start(map), DOCA_ERROR_BAD_STATE); /* no device */
	TEST_OK(doca_mmap_add_dev(map, dev));
	TEST_OK(doca_mmap_start(map));
	TEST_RESULT(doca_mmap_start(map), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_mmap_add_dev(map, dev), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_mmap_rm_dev(map, dev), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_mmap_set_memrange(map, bytes, 1), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_mmap_set_permissions(map, 0), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_mmap_set_free_cb(map, NULL, NULL), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_mmap_set_max_num_devices(map, 2), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_mmap_enable_thread_safety(map));
	TEST_OK(doca_mmap_get_memrange(map, &addr, &len));
	TEST_TRUE(addr == bytes && len == 100);
	TEST_OK(doca_mmap_stop(map));
	TEST_OK(doca_mmap_stop(map));
	TEST_OK(doca_mmap_set_memrange(map, bytes, 200));
	TEST_OK(doca_mmap_enable_thread_safety(map));
	TEST_OK(doca_mmap_start(map));
	/* the device is closed first, and the map is not stopped */
	TEST_OK(doca_dev_close(dev));
	TEST_OK(doca_mmap_destroy(map));
	return 0;
}

static int
test_mmap_live_bufs(void)
{
	struct doca_buf_inventory *inventory;
	struct doca_buf *first, *second;
	struct doca_mmap *map;

	TEST_OK(test_map_start(bytes, sizeof(bytes), &map));
	TEST_OK(test_inventory_start(2, &inventory));
	TEST_TRUE(test_map_bufs(map) == 0);
	TEST_OK(doca_buf_inventory_buf_get_by_addr(inventory, map, bytes, 10, &first));
	TEST_OK(doca_buf_inventory_buf_get_by_data(inventory, map, bytes, 20, &second));
	TEST_TRUE(test_map_bufs(map) == 2);
	TEST_RESULT(doca_mmap_stop(map), DOCA_ERROR_NOT_PERMITTED);
	TEST_RESULT(doca_mmap_destroy(map), DOCA_ERROR_NOT_PERMITTED);
	TEST_OK(doca_buf_dec_refcount(first, NULL));
	TEST_RESULT(doca_mmap_stop(map), DOCA_ERROR_NOT_PERMITTED);
	/* it is started still */
	TEST_OK(doca_buf_inventory_buf_get_by_addr(inventory, map, bytes, 10, &first));
	TEST_OK(doca_buf_dec_refcount(first, NULL));
	TEST_OK(doca_buf_dec_refcount(second, NULL));
	TEST_TRUE(test_map_bufs(map) == 0);
	TEST_OK(doca_mmap_stop(map));
	TEST_RESULT(doca_buf_inventory_buf_get_by_addr(inventory, map, bytes, 10, &first),
			DOCA_ERROR_BAD_STATE);
	/* the map before the inventory */
	TEST_OK(doca_mmap_destroy(map));
	TEST_OK(doca_buf_inventory_destroy(inventory));
	return 0;
}

static unsigned int nb_freed;
static void *freed_cookie;
static size_t freed_len;

static void
on_free(void *addr, size_t len, void *cookie)
{
	free(addr);
	freed_len = len;
	freed_cookie = cookie;
	nb_freed++;
}

static int
test_mmap_free_cb(void)
{
	struct doca_buf_inventory *inventory;
	struct doca_buf *buf;
	struct doca_mmap *map;
	void *memory = malloc(5000);

	/* without a range there is nothing to free */
	TEST_OK(doca_mmap_create(&map));
	TEST_OK(doca_mmap_set_free_cb(map, on_free, NULL));
	TEST_OK(doca_mmap_destroy(map));
	TEST_TRUE(nb_freed == 0);

	TEST_OK(test_map_make(memory, 5000, &map));
	TEST_OK(doca_mmap_set_free_cb(map, on_free, &nb_freed));
	TEST_OK(doca_mmap_start(map));
	TEST_OK(test_inventory_start(1, &inventory));
	TEST_OK(doca_buf_inventory_buf_get_by_addr(inventory, map, memory, 1, &buf));
	TEST_RESULT(doca_mmap_destroy(map), DOCA_ERROR_NOT_PERMITTED);
	TEST_TRUE(nb_freed == 0);
	TEST_OK(doca_buf_dec_refcount(buf, NULL));
	TEST_OK(doca_mmap_stop(map));
	TEST_TRUE(nb_freed == 0);
	TEST_OK(doca_mmap_destroy(map));
	TEST_TRUE(nb_freed == 1 && freed_len == 5000 && freed_cookie == &nb_freed);

	/* it can be taken back */
	TEST_OK(test_map_make(bytes, 1, &map));
	TEST_OK(doca_mmap_set_free_cb(map, on_free, NULL));
	TEST_OK(doca_mmap_set_free_cb(map, NULL, NULL));
	TEST_OK(doca_mmap_destroy(map));
	TEST_TRUE(nb_freed == 1);
	TEST_OK(doca_buf_inventory_destroy(inventory));
	return 0;
}

/* Programs free the memory before the map. */
static int
test_mmap_memory_first(void)
{
	void *memory = malloc(1 << 20);
	struct doca_mmap *map;

	TEST_OK(test_map_start(memory, 1 << 20, &map));
	free(memory);
	TEST_OK(doca_mmap_stop(map));
	TEST_OK(doca_mmap_destroy(map));
	return 0;
}

static int
test_mmap_user_data(void)
{
	union doca_data data = {bytes};
	struct doca_mmap *map;

	TEST_OK(test_map_make(bytes, 1, &map));
	TEST_OK(doca_mmap_get_user_data(map, &data));
	TEST_TRUE(data.u64 == 0);
	data.ptr = &map;
	TEST_OK(doca_mmap_set_user_data(map, data));
	TEST_OK(doca_mmap_start(map));
	data.u64 = 0;
	TEST_OK(doca_mmap_get_user_data(map, &data));
	TEST_TRUE(data.ptr == &map);
	data.u64 = 77;
	TEST_OK(doca_mmap_set_user_data(map, data));
	TEST_OK(doca_mmap_get_user_data(map, &data));
	TEST_TRUE(data.u64 == 77);
	TEST_OK(doca_mmap_destroy(map));
	return 0;
}

const struct test_case test_mmap[] = {
	TEST_CASE(test_mmap_null),
	TEST_CASE(test_mmap_range),
	TEST_CASE(test_mmap_devs),
	TEST_CASE(test_mmap_permissions),
	TEST_CASE(test_mmap_states),
	TEST_CASE(test_mmap_live_bufs),
	TEST_CASE(test_mmap_free_cb),
	TEST_CASE(test_mmap_memory_first),
	TEST_CASE(test_mmap_user_data),
	TEST_CASES_END()
};
