/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the tests of offload processors share. No test is in here.
 */

#include <dirent.h>
#include <limits.h>
#include <unistd.h>

#include "test_shm_dpa.h"

#define DPA_EUS 4

/* What a case has, for the teardown after a failure. */
static struct rte_comch_dpa *dpas[8];

const char *
test_dpa_program(const char *machine)
{
	static char path[PATH_MAX + 64];
	char self[PATH_MAX], *slash;
	ssize_t n;

	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	if (slash != NULL)
		*slash = '\0';
	snprintf(path, sizeof(path), "%s/test/comch-dpa-test%s", self, machine);
	return path;
}

/* A sanitizer that has looked for the names of functions keeps a process for that. */
static bool
is_symbolizer(int child)
{
	char path[64], name[32] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", child);
	f = fopen(path, "r");
	if (f == NULL)
		return false;
	if (fgets(name, sizeof(name), f) == NULL)
		name[0] = '\0';
	fclose(f);
	return strcmp(name, "llvm-symbolizer\n") == 0;
}

/* Threads of this process, and its children, of which pid is one. */
static unsigned int
count_tasks(bool children, pid_t *pid)
{
	char path[NAME_MAX + 64];
	unsigned int n = 0;
	struct dirent *entry;
	int child;
	FILE *f;
	DIR *d = opendir("/proc/self/task");

	while (d != NULL && (entry = readdir(d)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		if (!children) {
			n++;
			continue;
		}
		snprintf(path, sizeof(path), "/proc/self/task/%s/children", entry->d_name);
		f = fopen(path, "r");
		while (f != NULL && fscanf(f, "%d", &child) == 1) {
			if (is_symbolizer(child))
				continue;
			n++;
			*pid = child;
		}
		if (f != NULL)
			fclose(f);
	}
	if (d != NULL)
		closedir(d);
	return n;
}

pid_t
test_dpa_pid(void)
{
	pid_t pid = -1;

	return count_tasks(true, &pid) == 1 ? pid : -1;
}

void
test_dpa_left_get(struct test_dpa_left *left)
{
	pid_t pid;

	left->fds = test_count_fds();
	left->maps = test_count_maps();
	left->children = count_tasks(true, &pid);
	left->threads = count_tasks(false, &pid);
}

int
test_dpa_left_check(const struct test_dpa_left *before)
{
	struct test_dpa_left now;
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;

	/* EAL opens and closes descriptors of its own meanwhile, a thread ends a little later */
	do {
		test_dpa_left_get(&now);
	} while (test_now_ns() < end && (now.fds > before->fds || now.threads > before->threads));
	TEST_ASSERT(now.fds <= before->fds, "%u descriptors, not %u", now.fds, before->fds);
	TEST_ASSERT(now.threads <= before->threads, "%u threads, not %u", now.threads,
		before->threads);
	TEST_EXPECT(now.maps, before->maps);
	TEST_EXPECT(now.children, before->children);
	return TEST_SUCCESS;
}

int
test_dpa_start(const struct rte_comch_dpa_conf *conf, struct rte_comch_dpa **dpa)
{
	const struct rte_comch_dpa_conf dflt = {
		.program = test_dpa_program(""), .nb_eus = DPA_EUS,
	};
	unsigned int i;
	int ret;

	for (i = 0; i < RTE_DIM(dpas) - 1 && dpas[i] != NULL; i++)
		;
	ret = rte_comch_dpa_create(test_pair.dpu, conf != NULL ? conf : &dflt, dpa);
	if (ret != 0)
		return ret;
	ret = rte_comch_dpa_start(*dpa);
	if (ret != 0)
		rte_comch_dpa_destroy(*dpa);
	else
		dpas[i] = *dpa;
	return ret;
}

int
test_dpa_end(struct rte_comch_dpa *dpa)
{
	unsigned int i;

	for (i = 0; i < RTE_DIM(dpas); i++)
		if (dpas[i] == dpa)
			dpas[i] = NULL;
	TEST_EXPECT(rte_comch_dpa_stop(dpa), 0);
	TEST_EXPECT(rte_comch_dpa_destroy(dpa), 0);
	return TEST_SUCCESS;
}

int
test_dpa_setup(void)
{
	struct rte_comch_dpa_info info;
	int ret;

	ret = test_pair_first();
	if (ret != TEST_SUCCESS)
		return ret;
	if (rte_comch_dpa_info_get(test_pair.dpu, &info) != 0)
		return test_skip("no offload processor: %s", info.reason);
	return TEST_SUCCESS;
}

void
test_dpa_teardown(void)
{
	unsigned int i;

	for (i = 0; i < RTE_DIM(dpas); i++)
		if (dpas[i] != NULL)
			test_dpa_end(dpas[i]);
	test_log_restore();
}

int
test_dpa_deed_call(struct rte_comch_dpa *dpa, uint64_t deed, uint64_t value, uint32_t ms)
{
	const uint64_t args[] = { deed, value };
	uint64_t ret;

	return rte_comch_dpa_rpc(dpa, "deed", args, RTE_DIM(args), ms, &ret);
}

int
test_dpa_deed_thread(struct rte_comch_dpa *dpa, uint32_t eu, uint64_t deed, uint64_t value,
		struct rte_comch_dpa_thread **thread)
{
	const struct rte_comch_dpa_thread_conf conf = {
		.func = "deed_thread", .arg = deed | value << 8, .eu = eu,
	};
	int ret;

	ret = rte_comch_dpa_thread_create(dpa, &conf, thread);
	return ret == 0 ? rte_comch_dpa_thread_run(*thread) : ret;
}

int
test_dpa_failed(struct rte_comch_dpa *dpa, struct rte_comch_dpa_status *status)
{
	TEST_WAIT(rte_comch_dpa_status_get(dpa, status) == 0 &&
		status->state == RTE_COMCH_DPA_FAILED, TEST_MS);
	return TEST_SUCCESS;
}
