/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Inventories, buffers and lists of buffers. What tasks do with them is in the cases of
 * consumers and producers.
 */

#include "test_mem.h"

static char bytes[4096];

static int
test_inventory_bad(void)
{
	struct doca_buf_inventory *inventory;
	union doca_data data = {NULL};
	struct doca_buf *buf;
	uint32_t nb;

	TEST_RESULT(doca_buf_inventory_create(1, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_inventory_create(0, &inventory), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_inventory_create(SIZE_MAX, &inventory), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_inventory_start(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_inventory_stop(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_inventory_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_inventory_get_num_elements(NULL, &nb), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_inventory_get_num_free_elements(NULL, &nb),
			DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_buf_inventory_create(1, &inventory));
	TEST_RESULT(doca_buf_inventory_get_num_elements(inventory, NULL),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_inventory_get_num_free_elements(inventory, NULL),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_inventory_set_user_data(NULL, data), DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_2(doca_buf_inventory_get_user_data, inventory, &data);
	TEST_RESULT(doca_buf_inventory_buf_get_by_addr(NULL, (void *)bytes, bytes, 1, &buf),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_inventory_buf_get_by_data(inventory, NULL, bytes, 1, &buf),
			DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_buf_inventory_destroy(inventory));
	return 0;
}

static int
test_inventory_states(void)
{
	struct doca_buf_inventory *inventory;
	struct doca_buf *buf, *other;
	struct doca_mmap *map;
	union doca_data data;
	uint32_t nb;

	TEST_OK(test_map_start(bytes, sizeof(bytes), &map));
	TEST_OK(doca_buf_inventory_create(2, &inventory));
	TEST_OK(doca_buf_inventory_stop(inventory));
	TEST_RESULT(doca_buf_inventory_buf_get_by_addr(inventory, map, bytes, 1, &buf),
			DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_buf_inventory_start(inventory));
	TEST_RESULT(doca_buf_inventory_start(inventory), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_buf_inventory_get_num_elements(inventory, &nb));
	TEST_TRUE(nb == 2 && test_inventory_free(inventory) == 2);
	TEST_OK(doca_buf_inventory_get_user_data(inventory, &data));
	TEST_TRUE(data.u64 == 0);
	data.u64 = 0x1122334455667788;
	TEST_OK(doca_buf_inventory_set_user_data(inventory, data));
	data.u64 = 0;
	TEST_OK(doca_buf_inventory_get_user_data(inventory, &data));
	TEST_TRUE(data.u64 == 0x1122334455667788);
	TEST_OK(doca_buf_inventory_buf_get_by_addr(inventory, map, bytes, 1, &buf));
	TEST_TRUE(test_inventory_free(inventory) == 1);
	TEST_OK(doca_buf_inventory_stop(inventory));
	TEST_RESULT(doca_buf_inventory_buf_get_by_addr(inventory, map, bytes, 1, &other),
			DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_buf_inventory_buf_dup(inventory, buf, &other), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_buf_inventory_destroy(inventory), DOCA_ERROR_IN_USE);
	TEST_OK(doca_buf_inventory_start(inventory));
	TEST_RESULT(doca_buf_inventory_destroy(inventory), DOCA_ERROR_IN_USE);
	TEST_OK(doca_buf_set_data(buf, bytes, 1)); /* it is as it was */
	TEST_OK(doca_buf_dec_refcount(buf, NULL));
	TEST_OK(doca_buf_inventory_destroy(inventory));
	TEST_OK(doca_mmap_destroy(map));
	return 0;
}

static int
test_inventory_bounds(void)
{
	struct doca_buf_inventory *inventory;
	char *in = bytes + 100;
	struct doca_mmap *map;
	struct doca_buf *buf;
	/* not inside of the 1000 bytes of the map */
	const struct {
		char *addr;
		size_t len;
	} bad[] = {
		{in - 1, 1}, {in - 1, 0}, {in, 1001}, {in + 1000, 1}, {in + 1001, 0},
		{in + 999, 2}, {in, SIZE_MAX}, {in + 1, SIZE_MAX}, {in - 1, SIZE_MAX},
		{in - 1, 1002},
	};
	unsigned int i;

	TEST_CALL(test_listen());
	TEST_OK(test_map_start(in, 1000, &map));
	TEST_OK(test_inventory_start(1, &inventory));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		TEST_RESULT(doca_buf_inventory_buf_get_by_addr(inventory, map, bad[i].addr,
				bad[i].len, &buf), DOCA_ERROR_INVALID_VALUE);
		TEST_RESULT(doca_buf_inventory_buf_get_by_data(inventory, map, bad[i].addr,
				bad[i].len, &buf), DOCA_ERROR_INVALID_VALUE);
		/* and the same for data in a buffer */
		TEST_RESULT(doca_buf_inventory_buf_get_by_args(inventory, map, in, 1000,
				bad[i].addr, bad[i].len, &buf), DOCA_ERROR_INVALID_VALUE);
	}
	TEST_RESULT(doca_buf_inventory_buf_get_by_args(NULL, map, in, 1, in, 1, &buf),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_inventory_buf_get_by_args(inventory, NULL, in, 1, in, 1, &buf),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_inventory_buf_get_by_args(inventory, map, NULL, 1, in, 1, &buf),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_inventory_buf_get_by_args(inventory, map, in, 1, NULL, 1, &buf),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_inventory_buf_get_by_args(inventory, map, in, 1, in, 1, NULL),
			DOCA_ERROR_INVALID_VALUE);
	TEST_HAS(test_heard(), "take a buffer inside it");
	/* nothing of that has taken the only one */
	TEST_TRUE(test_inventory_free(inventory) == 1 && test_map_bufs(map) == 0);
	TEST_OK(doca_buf_inventory_buf_get_by_addr(inventory, map, in, 1000, &buf));
	TEST_RESULT(doca_buf_inventory_buf_get_by_addr(inventory, map, in, 1000, &buf),
			DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_buf_inventory_buf_get_by_data(inventory, map, in, 10, &buf),
			DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_buf_inventory_buf_get_by_args(inventory, map, in, 10, in, 5, &buf),
			DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_buf_inventory_buf_dup(inventory, buf, &buf), DOCA_ERROR_NO_MEMORY);
	TEST_TRUE(test_map_bufs(map) == 1);
	TEST_OK(doca_buf_dec_refcount(buf, NULL));
	TEST_OK(doca_buf_inventory_buf_get_by_addr(inventory, map, in + 1000, 0, &buf));
	TEST_OK(doca_buf_dec_refcount(buf, NULL));
	TEST_OK(doca_buf_inventory_destroy(inventory));
	TEST_OK(doca_mmap_destroy(map));
	return 0;
}

/* Compare all that a buffer tells. */
static bool
buf_is(const struct doca_buf *buf, void *head, size_t len, void *data, size_t data_len)
{
	size_t got_len = 0, got_data_len = 0;
	void *got_head = NULL, *got_data = NULL;

	return doca_buf_get_head(buf, &got_head) == DOCA_SUCCESS && got_head == head &&
		doca_buf_get_len(buf, &got_len) == DOCA_SUCCESS && got_len == len &&
		doca_buf_get_data(buf, &got_data) == DOCA_SUCCESS && got_data == data &&
		doca_buf_get_data_len(buf, &got_data_len) == DOCA_SUCCESS &&
		got_data_len == data_len;
}

static int
test_buf_fields(void)
{
	struct doca_buf_inventory *inventory, *other;
	struct doca_buf *buf, *dup;
	struct doca_mmap *map;

	TEST_OK(test_map_start(bytes, sizeof(bytes), &map));
	TEST_OK(test_inventory_start(1, &inventory));
	TEST_OK(test_inventory_start(1, &other));
	TEST_OK(doca_buf_inventory_buf_get_by_addr(inventory, map, bytes + 8, 100, &buf));
	TEST_TRUE(buf_is(buf, bytes + 8, 100, bytes + 8, 0));
	TEST_OK(doca_buf_dec_refcount(buf, NULL));
	TEST_OK(doca_buf_inventory_buf_get_by_data(inventory, map, bytes + 8, 100, &buf));
	TEST_TRUE(buf_is(buf, bytes + 8, 100, bytes + 8, 100));
	TEST_OK(doca_buf_dec_refcount(buf, NULL));
	TEST_OK(doca_buf_inventory_buf_get_by_args(inventory, map, bytes + 8, 100, bytes + 20, 5,
			&buf));
	TEST_TRUE(buf_is(buf, bytes + 8, 100, bytes + 20, 5));

	TEST_OK(doca_buf_inventory_buf_dup(other, buf, &dup));
	TEST_TRUE(dup != buf && buf_is(dup, bytes + 8, 100, bytes + 20, 5));
	TEST_TRUE(test_map_bufs(map) == 2);
	TEST_OK(doca_buf_dec_refcount(dup, NULL));
	TEST_RESULT(doca_buf_inventory_buf_dup(inventory, dup, &dup), DOCA_ERROR_BAD_STATE);
	TEST_NULL_3(doca_buf_inventory_buf_dup, other, buf, &dup);

	TEST_OK(doca_buf_reset_data_len(buf));
	TEST_TRUE(buf_is(buf, bytes + 8, 100, bytes + 20, 0));
	TEST_OK(doca_buf_set_data_len(buf, 88));
	TEST_RESULT(doca_buf_set_data_len(buf, 89), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_set_data_len(buf, SIZE_MAX), DOCA_ERROR_INVALID_VALUE);
	TEST_TRUE(buf_is(buf, bytes + 8, 100, bytes + 20, 88));
	TEST_OK(doca_buf_set_data(buf, bytes + 8, 100));
	TEST_RESULT(doca_buf_set_data(buf, bytes + 7, 1), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_set_data(buf, bytes + 8, 101), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_set_data(buf, bytes + 107, 2), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_set_data(buf, bytes + 109, 0), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_buf_set_data(buf, bytes + 108, 0));
	TEST_TRUE(buf_is(buf, bytes + 8, 100, bytes + 108, 0));
	TEST_OK(doca_buf_dec_refcount(buf, NULL));
	TEST_OK(doca_buf_inventory_destroy(inventory));
	TEST_OK(doca_buf_inventory_destroy(other));
	TEST_OK(doca_mmap_destroy(map));
	return 0;
}

static int
test_buf_bad(void)
{
	struct doca_buf_inventory *inventory;
	uint16_t refs;
	struct doca_mmap *map;
	struct doca_buf *buf, *given_back;
	size_t len;
	void *addr;
	int i;

	TEST_OK(test_map_start(bytes, sizeof(bytes), &map));
	TEST_OK(test_inventory_start(2, &inventory));
	TEST_OK(doca_buf_inventory_buf_get_by_data(inventory, map, bytes, 10, &buf));
	TEST_OK(doca_buf_inventory_buf_get_by_data(inventory, map, bytes, 10, &given_back));
	TEST_OK(doca_buf_dec_refcount(given_back, NULL));
	for (i = 0; i < 2; i++) {
		struct doca_buf *b = i == 0 ? NULL : given_back;
		doca_error_t want = i == 0 ? DOCA_ERROR_INVALID_VALUE : DOCA_ERROR_BAD_STATE;

		TEST_RESULT(doca_buf_inc_refcount(b, &refs), want);
		TEST_RESULT(doca_buf_dec_refcount(b, &refs), want);
		TEST_RESULT(doca_buf_get_refcount(b, &refs), want);
		TEST_RESULT(doca_buf_get_head(b, &addr), want);
		TEST_RESULT(doca_buf_get_len(b, &len), want);
		TEST_RESULT(doca_buf_get_data(b, &addr), want);
		TEST_RESULT(doca_buf_get_data_len(b, &len), want);
		TEST_RESULT(doca_buf_set_data(b, bytes, 1), want);
		TEST_RESULT(doca_buf_set_data_len(b, 1), want);
		TEST_RESULT(doca_buf_reset_data_len(b), want);
	}
	TEST_RESULT(doca_buf_get_refcount(buf, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_get_head(buf, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_get_len(buf, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_get_data(buf, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_get_data_len(buf, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_set_data(buf, NULL, 1), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_buf_dec_refcount(buf, NULL));
	TEST_TRUE(test_map_bufs(map) == 0 && test_inventory_free(inventory) == 2);
	TEST_OK(doca_buf_inventory_destroy(inventory));
	TEST_OK(doca_mmap_destroy(map));
	return 0;
}

static int
test_buf_refcount(void)
{
	struct doca_buf_inventory *inventory;
	uint16_t refs = 99;
	struct doca_mmap *map;
	struct doca_buf *buf;
	unsigned int i;

	TEST_OK(test_map_start(bytes, sizeof(bytes), &map));
	TEST_OK(test_inventory_start(1, &inventory));
	TEST_OK(doca_buf_inventory_buf_get_by_data(inventory, map, bytes, 10, &buf));
	TEST_OK(doca_buf_get_refcount(buf, &refs));
	TEST_TRUE(refs == 1);
	TEST_OK(doca_buf_inc_refcount(buf, &refs)); /* the count before */
	TEST_TRUE(refs == 1);
	TEST_OK(doca_buf_inc_refcount(buf, NULL));
	TEST_OK(doca_buf_dec_refcount(buf, &refs));
	TEST_TRUE(refs == 3);
	for (i = 2; i < UINT16_MAX; i++)
		TEST_OK(doca_buf_inc_refcount(buf, NULL));
	TEST_RESULT(doca_buf_inc_refcount(buf, NULL), DOCA_ERROR_NOT_PERMITTED);
	for (i = UINT16_MAX; i > 1; i--)
		TEST_OK(doca_buf_dec_refcount(buf, &refs));
	TEST_TRUE(refs == 2 && test_inventory_free(inventory) == 0);
	TEST_OK(doca_buf_dec_refcount(buf, &refs));
	TEST_TRUE(refs == 1 && test_inventory_free(inventory) == 1);
	TEST_OK(doca_buf_inventory_destroy(inventory));
	TEST_OK(doca_mmap_destroy(map));
	return 0;
}

/* Whether the list that begins with bufs[first] is these numbers, as digits. */
static bool
list_is(struct doca_buf **bufs, int first, const char *want)
{
	struct doca_buf *buf = bufs[first];

	for (; *want != '\0'; want++) {
		if (buf != bufs[*want - '0'] ||
				doca_buf_get_next_in_list(buf, &buf) != DOCA_SUCCESS)
			return false;
	}
	return buf == NULL;
}

static bool
in_list(const struct doca_buf *buf)
{
	uint8_t flag = 7;

	return doca_buf_is_in_list(buf, &flag) == DOCA_SUCCESS && flag == 1;
}

static int
test_buf_list(void)
{
	struct doca_buf_inventory *inventory;
	struct doca_mmap *map;
	struct doca_buf *bufs[5];
	int i;

	TEST_OK(test_map_start(bytes, sizeof(bytes), &map));
	TEST_OK(test_inventory_start(5, &inventory));
	for (i = 0; i < 5; i++)
		TEST_OK(doca_buf_inventory_buf_get_by_data(inventory, map, bytes, i, &bufs[i]));
	TEST_TRUE(list_is(bufs, 0, "0") && !in_list(bufs[0]));
	TEST_OK(doca_buf_chain_list(bufs[0], bufs[1]));
	TEST_OK(doca_buf_chain_list(bufs[2], bufs[3]));
	TEST_OK(doca_buf_chain_list(bufs[0], bufs[2]));
	TEST_OK(doca_buf_chain_list(bufs[0], bufs[4]));
	TEST_TRUE(list_is(bufs, 0, "01234") && list_is(bufs, 3, "34"));
	TEST_TRUE(in_list(bufs[0]) && in_list(bufs[2]) && in_list(bufs[4]));
	/* only whole lists are chained, and no list with itself */
	TEST_RESULT(doca_buf_chain_list(bufs[1], bufs[2]), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_chain_list(bufs[0], bufs[3]), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_chain_list(bufs[0], bufs[0]), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_unchain_list(bufs[1], bufs[2]), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_unchain_list(bufs[0], bufs[0]), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_buf_unchain_list(bufs[0], bufs[3]));
	TEST_TRUE(list_is(bufs, 0, "012") && list_is(bufs, 3, "34"));
	TEST_RESULT(doca_buf_unchain_list(bufs[0], bufs[3]), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_unchain_list(bufs[0], bufs[4]), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_buf_unchain_list(bufs[3], bufs[4]));
	TEST_TRUE(!in_list(bufs[3]) && !in_list(bufs[4]));
	for (i = 2; i > 0; i--)
		TEST_OK(doca_buf_unchain_list(bufs[0], bufs[i]));
	for (i = 0; i < 5; i++)
		TEST_OK(doca_buf_dec_refcount(bufs[i], NULL));
	TEST_RESULT(doca_buf_chain_list(bufs[0], bufs[1]), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_buf_unchain_list(bufs[0], bufs[1]), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_buf_inventory_destroy(inventory));
	TEST_OK(doca_mmap_destroy(map));
	return 0;
}

/* A list is given back with its first buffer. */
static int
test_buf_list_end(void)
{
	struct doca_buf_inventory *inventory;
	struct doca_buf *bufs[3], *next;
	struct doca_mmap *map;
	uint8_t flag;
	int i;

	TEST_OK(test_map_start(bytes, sizeof(bytes), &map));
	TEST_OK(test_inventory_start(3, &inventory));
	for (i = 0; i < 3; i++)
		TEST_OK(doca_buf_inventory_buf_get_by_data(inventory, map, bytes, i, &bufs[i]));
	TEST_NULL_2(doca_buf_chain_list, bufs[0], bufs[0]);
	TEST_NULL_2(doca_buf_unchain_list, bufs[0], bufs[0]);
	TEST_NULL_2(doca_buf_get_next_in_list, bufs[0], &next);
	TEST_NULL_2(doca_buf_is_in_list, bufs[0], &flag);
	TEST_OK(doca_buf_chain_list(bufs[0], bufs[1]));
	TEST_OK(doca_buf_chain_list(bufs[0], bufs[2]));
	TEST_RESULT(doca_buf_dec_refcount(bufs[1], NULL), DOCA_ERROR_NOT_PERMITTED);
	TEST_OK(doca_buf_inc_refcount(bufs[1], NULL));
	TEST_OK(doca_buf_inc_refcount(bufs[0], NULL));
	TEST_OK(doca_buf_dec_refcount(bufs[0], NULL));
	TEST_TRUE(list_is(bufs, 0, "012"));
	TEST_OK(doca_buf_dec_refcount(bufs[0], NULL));
	TEST_TRUE(test_inventory_free(inventory) == 2 && test_map_bufs(map) == 1);
	TEST_RESULT(doca_buf_get_next_in_list(bufs[0], &next), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_buf_is_in_list(bufs[2], &flag), DOCA_ERROR_BAD_STATE);
	/* there was a second reference */
	TEST_TRUE(list_is(bufs, 1, "1") && !in_list(bufs[1]));
	TEST_OK(doca_buf_dec_refcount(bufs[1], NULL));
	TEST_OK(doca_buf_inventory_destroy(inventory));
	TEST_OK(doca_mmap_destroy(map));
	return 0;
}

const struct test_case test_buf[] = {
	TEST_CASE(test_inventory_bad),
	TEST_CASE(test_inventory_states),
	TEST_CASE(test_inventory_bounds),
	TEST_CASE(test_buf_fields),
	TEST_CASE(test_buf_bad),
	TEST_CASE(test_buf_refcount),
	TEST_CASE(test_buf_list),
	TEST_CASE(test_buf_list_end),
	TEST_CASES_END()
};
