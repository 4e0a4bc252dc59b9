/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Names and forms of 1.5 to 2.2, as a program of these releases has them. Two processes in
 * that manner are those of devtools/install-test/doca-comch/endpoint.c.
 */

#define DOCA_COMPAT_2_2

#include <doca_buf.h>

#include "test_mem.h"
#include "util_fast.h"

static char bytes[4096];

static struct fast_set set;

static int
test_2_2_log(void)
{
	struct doca_log_backend *backend;
	char text[TEST_TEXT_SIZE];
	FILE *file = test_file();

	TEST_TRUE(strcmp(doca_get_error_name(DOCA_ERROR_AGAIN), "DOCA_ERROR_AGAIN") == 0);
	TEST_TRUE(strcmp(doca_get_error_string(DOCA_ERROR_AGAIN),
			doca_error_get_descr(DOCA_ERROR_AGAIN)) == 0);
	TEST_OK(doca_log_create_standard_backend());
	TEST_NULL_2(doca_log_create_file_backend, file, &backend);
	TEST_OK(doca_log_create_file_backend(file, &backend));
	doca_log(DOCA_LOG_LEVEL_INFO, 0, NULL, 0, NULL, "seen");
	test_read(file, text);
	TEST_HAS(text, "seen");
	return 0;
}

static int
test_2_2_devices(void)
{
	enum doca_dev_rep_filter filter = DOCA_DEV_REP_FILTER_ALL;
	struct doca_devinfo_rep **reps;
	struct doca_devinfo **list;
	struct doca_pci_bdf bdf;
	struct doca_dev *dev;
	uint8_t equal = 0;
	uint32_t nb;

	TEST_TRUE(DOCA_DEV_REP_FILTER_NET == 2 && DOCA_DEV_REP_FILTER_EMULATED == 4);
	TEST_TRUE(sizeof(bdf) == sizeof(bdf.raw));
	TEST_OK(doca_devinfo_list_create(&list, &nb));
	TEST_NULL_2(doca_devinfo_get_pci_addr, list[1], &bdf);
	TEST_OK(doca_devinfo_get_pci_addr(list[1], &bdf));
	TEST_TRUE(bdf.raw == 0x0301 && bdf.bus == 3 && bdf.device == 0 && bdf.function == 1);
	TEST_OK(doca_dev_open(list[0], &dev));
	TEST_OK(doca_devinfo_list_destroy(list));
	TEST_OK(doca_devinfo_rep_list_create(dev, filter, &reps, &nb));
	TEST_NULL_2(doca_devinfo_rep_get_pci_addr, reps[0], &bdf);
	TEST_OK(doca_devinfo_rep_get_pci_addr(reps[0], &bdf));
	TEST_TRUE(bdf.raw == 0xb100);
	TEST_RESULT(doca_devinfo_rep_get_is_pci_addr_equal(NULL, TEST_REP, &equal),
			DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_devinfo_rep_get_is_pci_addr_equal(reps[0], TEST_REP, &equal));
	TEST_TRUE(equal == 1);
	TEST_OK(doca_devinfo_rep_list_destroy(reps));
	TEST_OK(doca_dev_close(dev));
	return 0;
}

static int
test_2_2_memory(void)
{
	struct doca_buf_inventory *inventory;
	struct doca_mmap *map;
	struct doca_buf *buf;
	struct doca_dev *dev;

	TEST_OK(test_dev_open(TEST_DEV, &dev));
	TEST_RESULT(doca_mmap_create("map", NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_mmap_create("map", &map));
	TEST_RESULT(doca_mmap_dev_add(NULL, dev), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_mmap_dev_add(map, dev));
	TEST_RESULT(doca_mmap_dev_add(map, dev), DOCA_ERROR_ALREADY_EXIST);
	TEST_OK(doca_mmap_set_memrange(map, bytes, sizeof(bytes)));
	TEST_OK(doca_mmap_start(map));
	TEST_RESULT(doca_buf_inventory_create(NULL, 1, DOCA_BUF_EXTENSION_NONE, NULL),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_inventory_create(NULL, 0, DOCA_BUF_EXTENSION_NONE, &inventory),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_inventory_create(NULL, 1, 1, &inventory), DOCA_ERROR_NOT_SUPPORTED);
	TEST_OK(doca_buf_inventory_create(NULL, 1, DOCA_BUF_EXTENSION_NONE, &inventory));
	TEST_OK(doca_buf_inventory_start(inventory));
	TEST_OK(doca_buf_inventory_buf_get_by_addr(inventory, map, bytes, 100, &buf));
	TEST_TRUE(test_map_bufs(map) == 1);
	TEST_OK(doca_buf_dec_refcount(buf, NULL));
	TEST_OK(doca_buf_inventory_destroy(inventory));
	TEST_OK(doca_mmap_stop(map));
	TEST_RESULT(doca_mmap_dev_rm(NULL, dev), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_mmap_dev_rm(map, dev));
	TEST_RESULT(doca_mmap_dev_rm(map, dev), DOCA_ERROR_NOT_FOUND);
	TEST_OK(doca_mmap_destroy(map));
	TEST_OK(doca_dev_close(dev));
	return 0;
}

/* A context, IDLE, goes from its queue to another one, and back to its engine. */
static int
move(struct doca_ctx *ctx, struct doca_pe *pe, bool started)
{
	struct doca_workq *own = (struct doca_workq *)pe, *workq;
	unsigned int i;

	TEST_OK(doca_workq_create(32, &workq));
	for (i = 0; i < 2; i++) { /* with a context of rte_comch the second time */
		TEST_RESULT(doca_ctx_workq_rm(ctx, workq), DOCA_ERROR_INVALID_VALUE);
		TEST_OK(doca_ctx_workq_rm(ctx, own));
		TEST_OK(doca_ctx_workq_add(ctx, workq));
		TEST_RESULT(doca_ctx_workq_add(ctx, own), DOCA_ERROR_NOT_PERMITTED);
		TEST_RESULT(doca_workq_destroy(workq), DOCA_ERROR_IN_USE);
		if (started) {
			TEST_OK(doca_ctx_start(ctx));
			TEST_RESULT(doca_ctx_workq_rm(ctx, workq), DOCA_ERROR_BAD_STATE);
			TEST_OK(doca_ctx_stop(ctx));
		}
		TEST_OK(doca_ctx_workq_rm(ctx, workq));
		TEST_OK(doca_ctx_workq_add(ctx, own));
		if (started) {
			TEST_OK(doca_ctx_start(ctx));
			TEST_OK(doca_ctx_stop(ctx));
		}
	}
	TEST_OK(doca_workq_destroy(workq));
	return 0;
}

static int
test_2_2_workq(void)
{
	struct fast_pair *pair = &set.pair;
	struct doca_workq *workq;
	struct test_side side;

	TEST_RESULT(doca_workq_create(0, &workq), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_workq_create(32, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_workq_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_ctx_workq_add(NULL, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_ctx_workq_rm(NULL, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(test_client_make(&side, NULL, "nobody"));
	TEST_CALL(move(side.ctx, side.pe, false));
	TEST_OK(test_side_end(&side, NULL));
	TEST_OK(test_server_make(&side, NULL, "one"));
	TEST_CALL(move(side.ctx, side.pe, true));
	TEST_OK(test_side_end(&side, NULL));
	TEST_CALL(fast_pair_open(pair));
	TEST_CALL(fast_producer_create(&set.producer, pair->client.conn, pair->client.pe, 1));
	TEST_CALL(move(set.producer.ctx, pair->client.pe, true));
	TEST_CALL(fast_queue_close(&set.producer, pair));
	return fast_pair_close(pair);
}

/* In its own callback a context is not moved. */
static void
on_idle(struct test_side *side, enum doca_ctx_states next)
{
	if (next == DOCA_CTX_STATE_IDLE)
		side->stop_result = doca_ctx_workq_rm(side->ctx, (struct doca_workq *)side->pe);
}

static int
test_2_2_ctx_dev(void)
{
	struct test_side side;
	struct doca_dev *other;

	TEST_OK(test_dev_open("03:00.1", &other));
	TEST_OK(test_server_make(&side, NULL, "one"));
	TEST_NULL_2(doca_ctx_dev_add, side.ctx, side.dev);
	TEST_RESULT(doca_ctx_dev_add(side.ctx, other), DOCA_ERROR_NOT_SUPPORTED);
	TEST_OK(doca_ctx_dev_add(side.ctx, side.dev));
	side.on_state = on_idle;
	TEST_OK(doca_ctx_start(side.ctx));
	TEST_RESULT(doca_ctx_dev_rm(side.ctx, side.dev), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_ctx_stop(side.ctx));
	TEST_RESULT(side.stop_result, DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_ctx_dev_rm(side.ctx, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_ctx_dev_rm(side.ctx, side.dev));
	TEST_OK(test_side_end(&side, NULL));
	TEST_OK(doca_dev_close(other));
	return 0;
}

const struct test_case test_2_2[] = {
	TEST_CASE(test_2_2_log),
	TEST_CASE(test_2_2_devices),
	TEST_CASE(test_2_2_memory),
	TEST_CASE(test_2_2_workq),
	TEST_CASE(test_2_2_ctx_dev),
	TEST_CASES_END()
};
