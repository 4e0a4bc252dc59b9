/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* EAL and a directory. Nothing of comch is in here. */

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_eal.h>

#include "fuzz.h"

char fuzz_path[PATH_MAX];

void
fuzz_die(const char *what, int error)
{
	fprintf(stderr, "%s: %s\n", what, strerror(error < 0 ? -error : error));
	_exit(2);
}

static void
path_remove(void)
{
	DIR *dir = opendir(fuzz_path);
	struct dirent *entry;

	/* sockets: the devices are not removed */
	while (dir != NULL && (entry = readdir(dir)) != NULL)
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir != NULL)
		closedir(dir);
	rmdir(fuzz_path);
}

static int
first_cpu(void)
{
	cpu_set_t set;
	int cpu;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (CPU_ISSET(cpu, &set))
				return cpu;
	return 0;
}

void
fuzz_eal(bool telemetry)
{
	const char *tmp = getenv("TMPDIR");
	static char args[][32] = {
		"fuzz", "--no-huge", "-m64", "--no-pci", "--log-level=*:emergency", "", "",
		"--no-telemetry",
	};
	char *argv[RTE_DIM(args) + 1] = { NULL };
	int argc, ret;

	snprintf(args[5], sizeof(args[5]), "--file-prefix=fuzz%d", getpid());
	snprintf(args[6], sizeof(args[6]), "-l%d", first_cpu());
	for (argc = 0; argc < (int)RTE_DIM(args) - telemetry; argc++)
		argv[argc] = args[argc];
	ret = rte_eal_init(argc, argv);
	if (ret < 0)
		fuzz_die("EAL", EINVAL);
	snprintf(fuzz_path, sizeof(fuzz_path), "%s/comch_fuzz_XXXXXX", tmp != NULL ? tmp : "/tmp");
	if (mkdtemp(fuzz_path) == NULL)
		fuzz_die(fuzz_path, errno);
	atexit(path_remove);
}
