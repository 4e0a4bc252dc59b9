/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * usage: doca-compat-autotest [name]...
 *
 * Runs all cases, or those whose names have one of these texts, and counts them: the
 * last line is "N passed, N failed". With DOCA_TEST_SHARD=1/4 in the environment every
 * fourth of them, from the first on: cases wait more than they work, so that four programs
 * at one time take less.
 */

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_doca.h"

/* Seconds that a case may take; with sanitizers on a busy machine too. */
#define CASE_SECONDS 60

/* Those of this machine: COMCH_TEST_SLOW is how many times as slow as usual it is. */
static unsigned int
case_seconds(void)
{
	const char *env = getenv("COMCH_TEST_SLOW");
	const int times = env != NULL ? atoi(env) : 1;

	return CASE_SECONDS * (times > 1 ? times : 1);
}

static const struct {
	const char *name;
	const struct test_case *cases;
} suites[] = {
	{"error", test_error},
	{"log", test_log},
	{"log_level", test_log_level},
	{"log_sdk", test_log_sdk},
	{"errors_memory", test_errors_memory},
	{"argp", test_argp},
	{"argp_parse", test_argp_parse},
	{"argp_json", test_argp_json},
	{"mmap", test_mmap},
	{"mmap_export", test_mmap_export},
	{"buf", test_buf},
	{"buf_pool", test_buf_pool},
	{"mem_use", test_mem_use},
	{"pe", test_pe},
	{"ctx", test_ctx},
	{"comch_conf", test_comch_conf},
	{"comch_task", test_comch_task},
	{"cc", test_cc},
	{"cc_2_5", test_cc_2_5},
	{"2_2", test_2_2},
	{"comch_conn", test_comch_conn},
	{"consumer", test_consumer},
	{"producer", test_producer},
	{"comch_gap", test_comch_gap},
	{"comch_process", test_comch_process},
	{"comch_queues", test_comch_queues},
	{"fast_gaps", test_fast_gaps},
	{"gaps", test_gaps},
	{"fast_process", test_fast_process},
	{"start", test_start_up},
	{"dev", test_dev},
	{"dpa", test_dpa},
	{"dpa_map", test_dpa_map},
	{"msgq", test_msgq},
	{"comm_channel", test_comm_channel},
	{"comm_channel_event", test_comm_channel_event},
	{"comm_channel_msg", test_comm_channel_msg},
	{"comm_channel_pair", test_comm_channel_pair},
};

static bool
chosen(const char *name, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (strstr(name, argv[i]) != NULL)
			return true;
	return argc == 1;
}

/* Which part of the cases this run has: all of them without a valid variable. */
static void
shard_get(unsigned int *part, unsigned int *parts)
{
	const char *text = getenv("DOCA_TEST_SHARD");

	if (text == NULL || sscanf(text, "%u/%u", part, parts) != 2 || *part == 0 ||
			*part > *parts)
		*part = *parts = 1;
}

/* The process group of the case that runs, and the signal that ends this run. */
static volatile sig_atomic_t case_group;
static volatile sig_atomic_t stop_signal;

static void
stop_handle(int number)
{
	stop_signal = number;
	if (case_group > 0)
		kill(-case_group, SIGKILL);
}

static void
stop_signals_set(void (*handler)(int number))
{
	signal(SIGHUP, handler);
	signal(SIGINT, handler);
	signal(SIGTERM, handler);
}

/* Its end. What it has started, and has not seen the end of, ends with it. */
static bool
case_wait(pid_t pid, int *status)
{
	pid_t ended;

	setpgid(pid, pid); /* by both: neither knows which one is first */
	case_group = pid;
	if (stop_signal != 0)
		kill(-pid, SIGKILL);
	do
		ended = waitpid(pid, status, 0);
	while (ended < 0 && errno == EINTR);
	case_group = 0;
	kill(-pid, SIGKILL);
	return ended == pid;
}

/* EXIT_SUCCESS, TEST_SKIPPED, or anything else if it has failed. */
static int
run_case(const struct test_case *test)
{
	int status, result;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		stop_signals_set(SIG_DFL);
		alarm(case_seconds());
		result = test->setup == NULL ? 0 : test->setup();
		if (result == 0)
			result = test->run();
		if (result == 0 && test->teardown != NULL)
			result = test->teardown();
		/* not _exit(): what was lost is looked for at the end */
		exit(result == 0 || result == TEST_SKIPPED ? result : EXIT_FAILURE);
	}
	if (pid < 0 || !case_wait(pid, &status))
		return EXIT_FAILURE;
	if (WIFSIGNALED(status))
		fprintf(stderr, "ended by signal %d\n", WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

/* A folder for the emulated devices of this run, so that another one is not met. */
static char folder[] = "/tmp/doca-test-XXXXXX";

static void
folder_make(void)
{
	if (mkdtemp(folder) == NULL || setenv("DOCA_COMPAT_PATH", folder, 1) != 0) {
		perror(folder);
		exit(EXIT_FAILURE);
	}
}

/* With the sockets of devices that are still open. */
void
test_folder_remove(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL)
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir != NULL)
		closedir(dir);
	rmdir(path);
}

int
main(int argc, char **argv)
{
	unsigned int passed = 0, failed = 0, skipped = 0, nb = 0, part, parts, i;
	const struct test_case *test;

	stop_signals_set(stop_handle);
	shard_get(&part, &parts);
	folder_make();
	if (getenv("DOCA_TEST_COUNT") != NULL) {
		failed = test_count_run(getenv("DOCA_TEST_COUNT")) != 0;
		test_folder_remove(folder);
		return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
	}
	for (i = 0; i < sizeof(suites) / sizeof(suites[0]); i++) {
		for (test = suites[i].cases; test->name != NULL; test++) {
			const char *end = "FAILED";

			if (stop_signal != 0 || !chosen(test->name, argc, argv) ||
					nb++ % parts != part - 1)
				continue;
			switch (run_case(test)) {
			case EXIT_SUCCESS:
				end = "passed";
				passed++;
				break;
			case TEST_SKIPPED:
				end = "skipped";
				skipped++;
				break;
			default:
				failed++;
			}
			printf("%s: %s %s\n", suites[i].name, test->name, end);
		}
	}
	test_folder_remove(folder);
	if (stop_signal != 0) {
		signal(stop_signal, SIG_DFL);
		raise(stop_signal);
	}
	if (skipped > 0)
		printf("%u skipped, for the reasons above\n", skipped);
	printf("%u passed, %u failed\n", passed, failed);
	return failed == 0 && passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
