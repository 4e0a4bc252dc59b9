/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The program of a stranger, built by the projects beside this file: counts the
 * comch devices and looks for comch_shm0. Nothing of the source tree is used.
 */

#include <stdio.h>
#include <stdlib.h>

#include <rte_comch.h>
#include <rte_eal.h>

int
main(int argc, char **argv)
{
	struct rte_comch_dev_info info;
	int dev_id, ret;

	if (rte_eal_init(argc, argv) < 0)
		return EXIT_FAILURE;

	printf("%u comch devices\n", rte_comch_dev_count_avail());
	dev_id = rte_comch_dev_get_id_by_name("comch_shm0");
	if (dev_id < 0) {
		printf("comch_shm0 is not there\n");
		ret = EXIT_FAILURE;
	} else if (rte_comch_dev_info_get(dev_id, &info) != 0) {
		printf("comch_shm0 has no information\n");
		ret = EXIT_FAILURE;
	} else {
		printf("found %s, driver %s\n", info.name, info.driver);
		ret = EXIT_SUCCESS;
	}

	rte_eal_cleanup();
	return ret;
}
