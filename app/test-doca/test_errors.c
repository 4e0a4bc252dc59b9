/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Errors that the suites of the functions do not bring about, mostly those that need an
 * environment of their own. One process each.
 */

#include "test_comch.h"

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

const struct test_case test_errors[] = {
	TEST_CASE(test_errors_side_host),
	TEST_CASE(test_errors_side_card),
	TEST_CASES_END()
};
