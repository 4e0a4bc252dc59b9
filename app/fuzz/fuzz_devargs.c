/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* The input is the argument string of a device. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_bus_vdev.h>
#include <rte_comch.h>
#include <rte_common.h>

#include "fuzz.h"

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	RTE_SET_USED(argc);
	RTE_SET_USED(argv);
	fuzz_eal(false);
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rte_comch_dev_info info;
	char args[PATH_MAX + 4096];
	char name[32];
	size_t len;
	int dev;

	if (size > 2048)
		return -1;
	snprintf(name, sizeof(name), "comch_shm%d", 1 + (size != 0 ? data[0] % 3 : 0));
	/* never where devices of others are */
	args[0] = '\0';
	if (memmem(data, size, "path=", 5) == NULL)
		snprintf(args, sizeof(args), "path=%s,", fuzz_path);
	len = strlen(args);
	memcpy(args + len, data, size);
	args[len + size] = '\0';
	if (rte_vdev_init(name, args) != 0)
		return 0;
	dev = rte_comch_dev_get_id_by_name(name);
	if (dev < 0 || rte_comch_dev_info_get((int16_t)dev, &info) != 0)
		abort();
	if (rte_vdev_uninit(name) != 0)
		abort();
	return 0;
}
