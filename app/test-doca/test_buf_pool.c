/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Pools of buffers.
 */

#include <doca_buf_pool.h>

#include "test_mem.h"

static char bytes[8192] __attribute__((aligned(4096)));

static int
test_pool_bad(void)
{
	struct doca_buf_pool *pool;
	struct doca_mmap *map;
	struct doca_buf *buf;
	uint32_t nb;

	TEST_OK(test_map_make(bytes, sizeof(bytes), &map));
	TEST_RESULT(doca_buf_pool_create(0, 1, map, &pool), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_pool_create(SIZE_MAX, 1, map, &pool), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_pool_create(1, 0, map, &pool), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_pool_create(1, 1, NULL, &pool), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_pool_create(1, 1, map, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_pool_start(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_pool_stop(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_pool_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_pool_set_element_alignment(NULL, 1), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_pool_buf_alloc(NULL, &buf), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_buf_pool_create(1, 1, map, &pool));
	TEST_RESULT(doca_buf_pool_set_element_alignment(pool, 0), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_pool_set_element_alignment(pool, 3), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_pool_buf_alloc(pool, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_2(doca_buf_pool_get_num_elements, pool, &nb);
	TEST_NULL_2(doca_buf_pool_get_num_free_elements, pool, &nb);
	TEST_RESULT(doca_buf_pool_buf_alloc(pool, &buf), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_buf_pool_start(pool), DOCA_ERROR_BAD_STATE); /* the map is not */
	TEST_OK(doca_buf_pool_stop(pool));
	/* the map first: its handle stays for the pool */
	TEST_OK(doca_mmap_destroy(map));
	TEST_RESULT(doca_buf_pool_start(pool), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_buf_pool_destroy(pool));
	return 0;
}

/* What fits is found at the start. */
static int
test_pool_fit(void)
{
	static const struct {
		size_t nb, size, alignment, offset, len;
		bool fits;
	} cases[] = {
		{1, 100, 1, 0, 100, true}, {1, 100, 1, 0, 99, false},
		{10, 10, 1, 3, 100, true}, {10, 10, 1, 3, 99, false},
		{4, 100, 128, 0, 484, true}, {4, 100, 128, 0, 483, false},
		{4, 100, 128, 1, 484 + 127, true}, {4, 100, 128, 1, 484 + 126, false},
		{1, 1, 4096, 1, 4096, true}, {1, 1, 4096, 1, 4095, false},
		{1, SIZE_MAX, 1, 0, 100, false}, {1, SIZE_MAX, 2, 0, 100, false},
		{65536, SIZE_MAX / 2, 1, 0, 100, false},
	};
	struct doca_buf_pool *pool;
	struct doca_mmap *map;
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		TEST_OK(test_map_start(bytes + cases[i].offset, cases[i].len, &map));
		TEST_OK(doca_buf_pool_create(cases[i].nb, cases[i].size, map, &pool));
		TEST_OK(doca_buf_pool_set_element_alignment(pool, cases[i].alignment));
		TEST_RESULT(doca_buf_pool_start(pool), cases[i].fits ? DOCA_SUCCESS :
				DOCA_ERROR_INVALID_VALUE);
		TEST_OK(doca_buf_pool_destroy(pool));
		TEST_OK(doca_mmap_destroy(map));
	}
	return 0;
}

static int
test_pool_bufs(void)
{
	struct doca_buf *bufs[4], *more;
	struct doca_buf_pool *pool;
	struct doca_mmap *map;
	uint32_t nb, nb_free;
	size_t len;
	void *addr;
	int i, j;

	TEST_OK(test_map_start(bytes + 1, sizeof(bytes) - 1, &map));
	TEST_OK(doca_buf_pool_create(4, 100, map, &pool));
	TEST_OK(doca_buf_pool_set_element_alignment(pool, 64));
	TEST_OK(doca_buf_pool_start(pool));
	TEST_RESULT(doca_buf_pool_start(pool), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_buf_pool_set_element_alignment(pool, 1), DOCA_ERROR_BAD_STATE);
	for (j = 0; j < 2; j++) {
		for (i = 0; i < 4; i++) {
			TEST_OK(doca_buf_pool_buf_alloc(pool, &bufs[i]));
			TEST_OK(doca_buf_get_head(bufs[i], &addr));
			TEST_TRUE((uintptr_t)addr % 64 == 0 && (char *)addr > bytes &&
					(char *)addr + 100 <= bytes + sizeof(bytes));
			memset(addr, i, 100);
			TEST_OK(doca_buf_get_len(bufs[i], &len));
			TEST_TRUE(len == 100);
			TEST_OK(doca_buf_get_data_len(bufs[i], &len));
			TEST_TRUE(len == 0);
			TEST_OK(doca_buf_set_data_len(bufs[i], 100));
			TEST_OK(doca_buf_pool_get_num_elements(pool, &nb));
			TEST_OK(doca_buf_pool_get_num_free_elements(pool, &nb_free));
			TEST_TRUE(nb == 4 && nb_free == 3 - (unsigned int)i);
		}
		TEST_RESULT(doca_buf_pool_buf_alloc(pool, &more), DOCA_ERROR_NO_MEMORY);
		for (i = 0; i < 4; i++) { /* none is in another one */
			TEST_OK(doca_buf_get_data(bufs[i], &addr));
			TEST_TRUE(*(char *)addr == i && *((char *)addr + 99) == i);
		}
		TEST_RESULT(doca_buf_pool_destroy(pool), DOCA_ERROR_IN_USE);
		TEST_RESULT(doca_mmap_stop(map), DOCA_ERROR_NOT_PERMITTED);
		for (i = 0; i < 4; i++)
			TEST_OK(doca_buf_dec_refcount(bufs[i], NULL));
	}
	TEST_OK(doca_mmap_stop(map));
	TEST_RESULT(doca_buf_pool_buf_alloc(pool, &more), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_mmap_start(map));
	TEST_OK(doca_buf_pool_buf_alloc(pool, &more));
	TEST_OK(doca_buf_pool_stop(pool));
	TEST_RESULT(doca_buf_pool_buf_alloc(pool, &bufs[0]), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_buf_pool_set_element_alignment(pool, 1), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_buf_dec_refcount(more, NULL));
	TEST_OK(doca_buf_pool_set_element_alignment(pool, 1));
	TEST_OK(doca_mmap_destroy(map));
	TEST_OK(doca_buf_pool_destroy(pool));
	return 0;
}

const struct test_case test_buf_pool[] = {
	TEST_CASE(test_pool_bad),
	TEST_CASE(test_pool_fit),
	TEST_CASE(test_pool_bufs),
	TEST_CASES_END()
};
