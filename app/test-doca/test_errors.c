/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Errors that the suites of the functions do not bring about, mostly those that need an
 * environment of their own. One process each.
 */

#include <sys/resource.h>

#include "test_ep.h"
#include "test_mem.h"
#include "util_fast.h"

/* A device for clients only, as a host has it. */
static int
test_errors_side_host(void)
{
	struct doca_devinfo_rep **reps;
	struct doca_devinfo *devinfo;
	struct doca_dev *dev;
	uint32_t nb;

	setenv("DOCA_COMPAT_SIDE", "host", 1);
	TEST_OK(test_dev_open(TEST_DEV, &dev));
	devinfo = doca_dev_as_devinfo(dev);
	TEST_OK(doca_comch_cap_client_is_supported(devinfo));
	TEST_RESULT(doca_comch_cap_server_is_supported(devinfo), DOCA_ERROR_NOT_SUPPORTED);
	TEST_RESULT(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &reps, &nb),
			DOCA_ERROR_NOT_SUPPORTED);
	TEST_OK(doca_dev_close(dev));
	return 0;
}

/* A device for servers only, as a card has it. */
static int
test_errors_side_card(void)
{
	struct doca_comch_client *client;
	struct doca_devinfo *devinfo;
	struct doca_dev *dev;

	setenv("DOCA_COMPAT_SIDE", "card", 1);
	TEST_OK(test_dev_open(TEST_DEV, &dev));
	devinfo = doca_dev_as_devinfo(dev);
	TEST_OK(doca_comch_cap_server_is_supported(devinfo));
	TEST_RESULT(doca_comch_cap_client_is_supported(devinfo), DOCA_ERROR_NOT_SUPPORTED);
	TEST_RESULT(doca_comch_client_create(dev, "any", &client), DOCA_ERROR_NOT_SUPPORTED);
	TEST_OK(doca_dev_close(dev));
	return 0;
}

/* The data of a context come back, and not without a context or a place for them. */
static int
test_errors_ctx_user_data(void)
{
	struct doca_comch_client *client;
	union doca_data data = {.u64 = 5};
	struct doca_dev *dev;
	struct doca_ctx *ctx;

	TEST_OK(test_dev_open(TEST_DEV, &dev));
	TEST_OK(doca_comch_client_create(dev, "any", &client));
	ctx = doca_comch_client_as_ctx(client);
	TEST_RESULT(doca_ctx_get_user_data(NULL, &data), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_ctx_get_user_data(ctx, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_ctx_set_user_data(ctx, data));
	data.u64 = 0;
	TEST_OK(doca_ctx_get_user_data(ctx, &data));
	TEST_TRUE(data.u64 == 5);
	TEST_OK(doca_comch_client_destroy(client));
	TEST_OK(doca_dev_close(dev));
	return 0;
}

/* Each way to take a buffer of an inventory that has none left. */
static int
test_errors_inventory_empty(void)
{
	struct doca_buf_inventory *inventory;
	static char bytes[4096];
	struct doca_mmap *map;
	struct doca_buf *buf, *more = NULL;

	TEST_OK(test_map_start(bytes, sizeof(bytes), &map));
	TEST_OK(test_inventory_start(1, &inventory));
	TEST_OK(doca_buf_inventory_buf_get_by_data(inventory, map, bytes, 10, &buf));
	TEST_RESULT(doca_buf_inventory_buf_get_by_data(inventory, map, bytes, 10, &more),
			DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_buf_inventory_buf_get_by_args(inventory, map, bytes, 10, bytes, 5, &more),
			DOCA_ERROR_NO_MEMORY);
	TEST_TRUE(more == NULL);
	TEST_OK(doca_buf_dec_refcount(buf, NULL));
	TEST_OK(doca_buf_inventory_destroy(inventory));
	TEST_OK(doca_mmap_destroy(map));
	return 0;
}

/* A server has no more tasks than it was given. */
static int
test_errors_server_tasks(void)
{
	struct doca_comch_task_send *tasks[TEST_TASKS], *more = NULL;
	struct test_side server, client;
	unsigned int i;

	TEST_OK(test_pair_make(&server, &client));
	for (i = 0; i < TEST_TASKS; i++)
		TEST_OK(doca_comch_server_task_send_alloc_init(server.server, server.conn, "m", 2,
				&tasks[i]));
	TEST_RESULT(doca_comch_server_task_send_alloc_init(server.server, server.conn, "m", 2,
			&more), DOCA_ERROR_NO_MEMORY);
	TEST_TRUE(more == NULL);
	for (i = 0; i < TEST_TASKS; i++)
		doca_task_free(doca_comch_task_send_as_task(tasks[i]));
	TEST_OK(test_side_end(&client, &server));
	TEST_OK(test_side_end(&server, NULL));
	return 0;
}

/* A client stays connected while the server has a producer for it. */
static int
test_errors_disconnect(void)
{
	struct doca_comch_producer *producer;
	struct doca_comch_connection *conn;
	struct fast_pair pair;

	TEST_CALL(fast_pair_open(&pair));
	conn = pair.server.conn;
	TEST_OK(doca_comch_producer_create(conn, &producer));
	TEST_RESULT(doca_comch_server_disconnect(pair.server.server, conn), DOCA_ERROR_IN_USE);
	TEST_OK(doca_comch_producer_destroy(producer));
	TEST_OK(doca_comch_server_disconnect(pair.server.server, conn));
	return fast_pair_close(&pair);
}

/* An event channel is a descriptor, and there is none left. */
static int
test_errors_event_channel(void)
{
	struct rlimit limit, none;
	doca_event_channel_t fd;
	struct test_ep service;
	doca_error_t result;

	TEST_CALL(ep_service(&service, EP_NAME));
	TEST_TRUE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	none = limit;
	none.rlim_cur = 3;
	TEST_TRUE(setrlimit(RLIMIT_NOFILE, &none) == 0);
	result = doca_comm_channel_ep_get_event_channel(service.ep, NULL, &fd);
	TEST_TRUE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	TEST_RESULT(result, DOCA_ERROR_NOT_FOUND);
	TEST_OK(doca_comm_channel_ep_get_event_channel(service.ep, NULL, &fd));
	return ep_end(&service);
}

const struct test_case test_errors[] = {
	TEST_CASE(test_errors_side_host),
	TEST_CASE(test_errors_side_card),
	TEST_CASE(test_errors_ctx_user_data),
	TEST_CASE(test_errors_inventory_empty),
	TEST_CASE(test_errors_server_tasks),
	TEST_CASE(test_errors_disconnect),
	TEST_CASE(test_errors_event_channel),
	TEST_CASES_END()
};
