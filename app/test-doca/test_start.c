/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The start of EAL by the first list, and the variables of the environment. What a list
 * has is in test_dev.c.
 */

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <doca_dev.h>
#include <doca_log.h>

#include "test_doca.h"

#define NB_THREADS 64

/* The number of devices, or -1; stdout and stderr are the case's own. */
static int
list_count(void)
{
	struct doca_devinfo **list;
	uint32_t nb;

	if (doca_devinfo_create_list(&list, &nb) != DOCA_SUCCESS ||
			doca_devinfo_destroy_list(list) != DOCA_SUCCESS)
		return -1;
	return nb;
}

static bool
list_has(const char *pci_addr)
{
	struct doca_devinfo **list;
	uint8_t equal = 0;
	uint32_t nb, i;

	if (doca_devinfo_create_list(&list, &nb) != DOCA_SUCCESS)
		return false;
	for (i = 0; i < nb && !equal; i++)
		if (doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &equal) != DOCA_SUCCESS)
			return false;
	return doca_devinfo_destroy_list(list) == DOCA_SUCCESS && equal;
}

static void
exit_list(void)
{
	exit(list_count() > 0 ? 0 : 1);
}

static int
test_start_quiet(void)
{
	char out[TEST_TEXT_SIZE], err[TEST_TEXT_SIZE];

	TEST_TRUE(test_process(exit_list, out, err) == 0);
	TEST_TRUE(strlen(out) == 0);
	TEST_TRUE(strlen(err) == 0);
	return 0;
}

/* Of each thread but this one, whether it leaves SIGINT and SIGTERM to the program. */
static int
threads_block_signals(unsigned int *nb_threads)
{
	const unsigned long long want = 1ull << (SIGINT - 1) | 1ull << (SIGTERM - 1);
	DIR *dir = opendir("/proc/self/task");
	unsigned long long mask;
	struct dirent *entry;
	char line[512];
	FILE *file;

	TEST_TRUE(dir != NULL);
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.' || atoi(entry->d_name) == getpid())
			continue;
		snprintf(line, sizeof(line), "/proc/self/task/%s/status", entry->d_name);
		file = fopen(line, "r");
		if (file == NULL)
			continue; /* it has ended */
		mask = want;
		while (fgets(line, sizeof(line), file) != NULL)
			if (sscanf(line, "SigBlk: %llx", &mask) == 1)
				break;
		fclose(file);
		TEST_TRUE((mask & want) == want);
		(*nb_threads)++;
	}
	closedir(dir);
	return 0;
}

static int
test_start_leaves_thread(void)
{
	unsigned int nb_threads = 0;
	cpu_set_t before, after;
	sigset_t mask;

	TEST_TRUE(sched_getaffinity(0, sizeof(before), &before) == 0);
	TEST_TRUE(list_count() > 0);
	TEST_TRUE(sched_getaffinity(0, sizeof(after), &after) == 0);
	TEST_TRUE(CPU_EQUAL(&before, &after));
	TEST_TRUE(pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0);
	TEST_TRUE(sigismember(&mask, SIGINT) == 0);
	TEST_CALL(threads_block_signals(&nb_threads));
	TEST_TRUE(nb_threads > 0);
	return 0;
}

static void
exit_no_memory(void)
{
	const struct rlimit limit = {3000ull << 20, 3000ull << 20};
	struct doca_devinfo **list;
	uint32_t nb;

	if (setrlimit(RLIMIT_AS, &limit) != 0)
		exit(1);
	exit(doca_devinfo_create_list(&list, &nb) == DOCA_ERROR_INITIALIZATION ? 0 : 2);
}

/* What the log says to do helps. */
static int
test_start_no_memory(void)
{
	char out[TEST_TEXT_SIZE], err[TEST_TEXT_SIZE];

	TEST_SKIP_IF(TEST_SANITIZED, "a sanitizer needs more addresses than the limit");
	TEST_TRUE(test_process(exit_no_memory, out, err) == 0);
	TEST_HAS(err, "set DOCA_COMPAT_EAL_ARGS='-m 256'");
	TEST_TRUE(setenv("DOCA_COMPAT_EAL_ARGS", "-m 256", 1) == 0);
	TEST_TRUE(test_process(exit_no_memory, out, err) == 2);
	TEST_TRUE(strlen(err) == 0);
	return 0;
}

/* A program that is bound to one processor stays there. */
static int
test_start_bound(void)
{
	cpu_set_t one, after;
	int cpu;

	TEST_TRUE(sched_getaffinity(0, sizeof(after), &after) == 0);
	for (cpu = CPU_SETSIZE - 1; cpu > 0 && !CPU_ISSET(cpu, &after);)
		cpu--;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	TEST_TRUE(sched_setaffinity(0, sizeof(one), &one) == 0);
	TEST_TRUE(list_count() > 0);
	TEST_TRUE(sched_getaffinity(0, sizeof(after), &after) == 0);
	TEST_TRUE(CPU_EQUAL(&one, &after));
	return 0;
}

static pthread_barrier_t threads_ready;

static void *
thread_list(void *arg)
{
	pthread_barrier_wait(&threads_ready);
	*(int *)arg = list_count();
	return NULL;
}

static int
test_start_threads(void)
{
	pthread_t threads[NB_THREADS];
	int counts[NB_THREADS];
	unsigned int i;

	TEST_TRUE(pthread_barrier_init(&threads_ready, NULL, NB_THREADS) == 0);
	for (i = 0; i < NB_THREADS; i++)
		TEST_TRUE(pthread_create(&threads[i], NULL, thread_list, &counts[i]) == 0);
	for (i = 0; i < NB_THREADS; i++)
		TEST_TRUE(pthread_join(threads[i], NULL) == 0);
	for (i = 0; i < NB_THREADS; i++)
		TEST_TRUE(counts[i] == list_count() && counts[i] > 0);
	return 0;
}

/* This program links nothing of DPDK; the layer has it loaded. */
static int
own_eal(const char *vdev)
{
	char text[512], *argv[16], *next = text;
	int argc = 0;
	int (*init)(int argc, char **argv);

	*(void **)&init = dlsym(RTLD_DEFAULT, "rte_eal_init");
	TEST_TRUE(init != NULL);
	snprintf(text, sizeof(text), "own --no-huge -m 64 --no-pci --no-shconf --no-telemetry "
			"--log-level=error%s%s", vdev == NULL ? "" : " --vdev=",
			vdev == NULL ? "" : vdev);
	while (next != NULL)
		argv[argc++] = strsep(&next, " ");
	argv[argc] = NULL;
	TEST_TRUE(init(argc, argv) >= 0);
	return 0;
}

static int
test_start_own_eal(void)
{
	TEST_CALL(own_eal(NULL));
	TEST_TRUE(list_has("03:00.0"));
	TEST_TRUE(list_has("b1:00.0"));
	return 0;
}

/* What EAL has stands instead of what would be emulated. */
static int
test_start_own_devices(void)
{
	TEST_CALL(own_eal("comch_shm7,role=host,function=pf0vf2,pci_bus=0000:17"));
	TEST_TRUE(list_count() == 1);
	TEST_TRUE(list_has("17:00.4"));
	return 0;
}

/* Both, if the environment asks for emulated ones, too. */
static int
test_start_both_devices(void)
{
	TEST_TRUE(setenv("DOCA_COMPAT_DEVICES", "03:00.0=pf0", 1) == 0);
	TEST_CALL(own_eal("comch_shm7,role=host,function=pf0vf2,pci_bus=0000:17"));
	TEST_TRUE(list_count() == 3);
	TEST_TRUE(list_has("17:00.4"));
	TEST_TRUE(list_has("03:00.0"));
	TEST_TRUE(list_has("b1:00.0"));
	return 0;
}

static void
exit_after_list(void)
{
	struct doca_devinfo **list;
	uint32_t nb;

	/* the second time nothing is logged */
	if (doca_devinfo_create_list(&list, &nb) != DOCA_ERROR_INITIALIZATION ||
			doca_devinfo_create_list(&list, &nb) != DOCA_ERROR_INITIALIZATION)
		exit(1);
	exit(0);
}

static int
test_start_fork(void)
{
	char out[TEST_TEXT_SIZE], err[TEST_TEXT_SIZE];

	TEST_TRUE(list_count() > 0);
	TEST_TRUE(test_process(exit_after_list, out, err) == 0);
	TEST_TRUE(test_count(err, "fork") == 2); /* both in one line */
	TEST_HAS(err, "fork before the first list of devices");
	TEST_TRUE(list_count() > 0);
	return 0;
}

/* --- The environment */

static const struct {
	const char *name;
	const char *value;
	const char *remedy;
} wrong[] = {
	{"DOCA_COMPAT_DEVICE", "03:00.0", "there is no such variable"},
	{"DOCA_COMPAT_DEVICES", "pf0", "as in 03:00.0=pf0"},
	{"DOCA_COMPAT_DEVICES", ",", "as in 03:00.0=pf0"},
	{"DOCA_COMPAT_DEVICES", "03:00.0=", "as in 03:00.0=pf0"},
	{"DOCA_COMPAT_DEVICES", "03:00.8=pf0", "as in 03:00.0=pf0"},
	{"DOCA_COMPAT_DEVICES", "03:20.0=pf0", "as in 03:00.0=pf0"},
	{"DOCA_COMPAT_DEVICES", "03:00.0=pf2", "as in 03:00.0=pf0"},
	{"DOCA_COMPAT_DEVICES", "03:00.0=pf0vf120", "as in 03:00.0=pf0"},
	{"DOCA_COMPAT_DEVICES", "03:00.0=pf0vf03", "as in 03:00.0=pf0"},
	{"DOCA_COMPAT_DEVICES", "03:00.0=pf0sf1000", "as in 03:00.0=pf0"},
	{"DOCA_COMPAT_DEVICES", "03:00.0=pf0vf[3-1]", "as in 03:00.0=pf0"},
	{"DOCA_COMPAT_DEVICES", "03:00.0=pf0vf[0-3", "as in 03:00.0=pf0"},
	{"DOCA_COMPAT_DEVICES", "03:00.0=pf0:pf0", "pf0 is there twice"},
	{"DOCA_COMPAT_DEVICES", "03:00.0=pf0,03:00.1=pf0", "pf0 is there twice"},
	{"DOCA_COMPAT_DEVICES", "03:00.0=pf0,03:00.0=pf1", "0000:03:00.0 is there twice"},
	{"DOCA_COMPAT_DEVICES", "b1:00.1=pf0:pf1", "DOCA_COMPAT_HOST_BUS"},
	{"DOCA_COMPAT_HOST_BUS", "b1", "four and two hexadecimal digits"},
	{"DOCA_COMPAT_HOST_BUS", "0000:f8", "up to f7"},
	{"DOCA_COMPAT_SIDE", "dpu", "host (clients only), card (servers only) or both"},
	{"DOCA_COMPAT_PATH", "/nonexistent", "create it"},
	{"DOCA_COMPAT_PATH", "/dev/null", "create it"},
	{"DOCA_COMPAT_UIDS", "root", "as in 1000:1001, or all"},
	{"DOCA_COMPAT_UIDS", "1:", "as in 1000:1001, or all"},
	{"DOCA_COMPAT_UIDS", "1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17", "at most 16"},
	{"DOCA_COMPAT_LOG_LEVEL", "50", "error, warning, info"},
	{"DOCA_COMPAT_CONNECT_TIMEOUT_MS", "0", "1 to 3600000 milliseconds"},
	{"DOCA_COMPAT_CONNECT_TIMEOUT_MS", "3600001", "1 to 3600000 milliseconds"},
	{"DOCA_COMPAT_CONNECT_TIMEOUT_MS", "5s", "1 to 3600000 milliseconds"},
	{"DOCA_COMPAT_CONNECT_TIMEOUT_MS", "-1", "1 to 3600000 milliseconds"},
	{"DOCA_COMPAT_RECV_SIZE", "-1", "0 to 4294967295"},
	{"DOCA_COMPAT_RECV_SIZE", "4294967296", "0 to 4294967295"},
	{"DOCA_COMPAT_RECV_SIZE", "4k", "0 to 4294967295"},
	{"DOCA_COMPAT_EAL_ARGS", "--bogus", "correct or unset DOCA_COMPAT_EAL_ARGS"},
};

static unsigned int wrong_case;

static void
exit_wrong(void)
{
	struct doca_devinfo **list = NULL;
	uint32_t nb = 77;
	doca_error_t result;

	if (setenv(wrong[wrong_case].name, wrong[wrong_case].value, 1) != 0)
		exit(1);
	result = doca_devinfo_create_list(&list, &nb);
	/* nor does it the second time */
	if (result == DOCA_ERROR_INITIALIZATION)
		result = doca_devinfo_create_list(&list, &nb);
	exit(result == DOCA_ERROR_INITIALIZATION && list == NULL && nb == 77 ? 0 : 1);
}

/* The program has no backend of its own, and sees it on stderr nevertheless. */
static int
test_env_wrong(void)
{
	char out[TEST_TEXT_SIZE], err[TEST_TEXT_SIZE];

	for (wrong_case = 0; wrong_case < sizeof(wrong) / sizeof(wrong[0]); wrong_case++) {
		fprintf(stderr, "%s=%s\n", wrong[wrong_case].name, wrong[wrong_case].value);
		TEST_TRUE(test_process(exit_wrong, out, err) == 0);
		TEST_HAS(err, wrong[wrong_case].name);
		TEST_HAS(err, wrong[wrong_case].value);
		TEST_HAS(err, wrong[wrong_case].remedy);
	}
	return 0;
}

/* Who corrects it can try again. */
static int
test_env_corrected(void)
{
	TEST_TRUE(setenv("DOCA_COMPAT_SIDE", "left", 1) == 0);
	TEST_TRUE(list_count() == -1);
	TEST_TRUE(setenv("DOCA_COMPAT_SIDE", "host", 1) == 0);
	TEST_TRUE(list_count() > 0);
	return 0;
}

static int
test_env_empty(void)
{
	TEST_TRUE(setenv("DOCA_COMPAT_DEVICES", "", 1) == 0);
	TEST_TRUE(setenv("DOCA_COMPAT_EAL_ARGS", "", 1) == 0);
	TEST_TRUE(setenv("DOCA_COMPAT_CONNECT_TIMEOUT_MS", "", 1) == 0);
	TEST_TRUE(list_has("03:00.0"));
	return 0;
}

static int
test_env_devices(void)
{
	TEST_TRUE(setenv("DOCA_COMPAT_DEVICES",
			"0001:17:00.0=pf0vf3:pf0sf[8-9] ,19:1f.7=pf1", 1) == 0);
	TEST_TRUE(setenv("DOCA_COMPAT_HOST_BUS", "0002:c0", 1) == 0);
	TEST_TRUE(list_count() == 6);
	TEST_TRUE(list_has("0001:17:00.0"));
	TEST_TRUE(list_has("19:1f.7"));
	TEST_TRUE(list_has("0002:c0:00.5")); /* pf0vf3 */
	TEST_TRUE(list_has("0002:c1:01.0")); /* pf0sf8 */
	TEST_TRUE(list_has("0002:c0:00.1")); /* pf1 */
	TEST_TRUE(!list_has("17:00.0"));
	return 0;
}

static int
test_env_side_host(void)
{
	struct doca_devinfo_rep **reps;
	struct doca_devinfo **list;
	struct doca_dev *dev;
	uint32_t nb;

	TEST_TRUE(setenv("DOCA_COMPAT_SIDE", "host", 1) == 0);
	TEST_TRUE(list_has("b1:00.0"));
	TEST_OK(doca_devinfo_create_list(&list, &nb));
	TEST_OK(doca_dev_open(list[0], &dev));
	TEST_OK(doca_devinfo_destroy_list(list));
	TEST_RESULT(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &reps, &nb),
			DOCA_ERROR_NOT_SUPPORTED);
	TEST_OK(doca_dev_close(dev));
	return 0;
}

static int
test_env_side_card(void)
{
	TEST_TRUE(setenv("DOCA_COMPAT_SIDE", "card", 1) == 0);
	TEST_TRUE(list_count() == 2);
	TEST_TRUE(list_has("03:00.0"));
	TEST_TRUE(!list_has("b1:00.0"));
	return 0;
}

static int
test_env_eal_devices(void)
{
	TEST_TRUE(setenv("DOCA_COMPAT_EAL_ARGS",
			" --vdev comch_shm0,role=dpu,functions=pf0:pf1  -m 64\t", 1) == 0);
	TEST_TRUE(list_count() == 1);
	TEST_TRUE(list_has("03:00.0"));
	return 0;
}

static void
exit_emulated(void)
{
	exit(list_has("03:00.0") ? 0 : 1);
}

/* Nobody takes emulated functions for the card's without being told. */
static int
test_env_eal_allow(void)
{
	char out[TEST_TEXT_SIZE], err[TEST_TEXT_SIZE];

	TEST_TRUE(setenv("DOCA_COMPAT_EAL_ARGS", "-a ffff:ff:1f.7", 1) == 0);
	TEST_TRUE(test_process(exit_emulated, out, err) == 0);
	TEST_HAS(err, "-a ffff:ff:1f.7: write ,class=comch behind its address");
	TEST_TRUE(setenv("DOCA_COMPAT_EAL_ARGS", "--no-pci", 1) == 0);
	TEST_TRUE(test_process(exit_emulated, out, err) == 0);
	TEST_TRUE(strlen(err) == 0);
	return 0;
}

/* Its text in the log, or none, for a search without a result. */
static void
exit_search(void)
{
	exit(list_has("03:00.7") ? 1 : 0);
}

static int
test_env_log_level(void)
{
	char out[TEST_TEXT_SIZE], err[TEST_TEXT_SIZE];

	TEST_TRUE(test_process(exit_search, out, err) == 0);
	TEST_HAS(err, "no device has the PCI address 0000:03:00.7");
	TEST_TRUE(setenv("DOCA_COMPAT_LOG_LEVEL", "disable", 1) == 0);
	TEST_TRUE(test_process(exit_search, out, err) == 0);
	TEST_TRUE(strlen(err) == 0);
	TEST_TRUE(setenv("DOCA_COMPAT_LOG_LEVEL", "debug", 1) == 0);
	TEST_TRUE(test_process(exit_search, out, err) == 0);
	TEST_HAS(err, "[DPDK]");
	TEST_TRUE(strlen(out) == 0);
	return 0;
}

/* Which is shown once, by the backend that the program has. */
static void
exit_search_backend(void)
{
	struct doca_log_backend *backend;

	if (doca_log_backend_create_with_file_sdk(stderr, &backend) != DOCA_SUCCESS)
		exit(1);
	exit_search();
}

static int
test_env_log_backend(void)
{
	char out[TEST_TEXT_SIZE], err[TEST_TEXT_SIZE];

	TEST_TRUE(test_process(exit_search_backend, out, err) == 0);
	TEST_TRUE(test_count(err, "no device has the PCI address") == 1);
	return 0;
}

const struct test_case test_start_up[] = {
	TEST_CASE(test_start_quiet),
	TEST_CASE(test_start_leaves_thread),
	TEST_CASE(test_start_bound),
	TEST_CASE(test_start_no_memory),
	TEST_CASE(test_start_threads),
	TEST_CASE(test_start_own_eal),
	TEST_CASE(test_start_own_devices),
	TEST_CASE(test_start_both_devices),
	TEST_CASE(test_start_fork),
	TEST_CASE(test_env_wrong),
	TEST_CASE(test_env_corrected),
	TEST_CASE(test_env_empty),
	TEST_CASE(test_env_devices),
	TEST_CASE(test_env_side_host),
	TEST_CASE(test_env_side_card),
	TEST_CASE(test_env_eal_devices),
	TEST_CASE(test_env_eal_allow),
	TEST_CASE(test_env_log_level),
	TEST_CASE(test_env_log_backend),
	TEST_CASES_END(),
};
