/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The runner: finds the tests by name, runs them from the command line, from
 * the environment or from a prompt, and counts. No test is in here.
 */

#include <getopt.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <unistd.h>

#include <rte_eal.h>

#include "test.h"
#include "test_comch_child.h"
#include "test_comch_util.h"

/* Seconds that one case may take before the run is given up. */
#define TEST_CASE_SECONDS 120

static TAILQ_HEAD(, test_command) commands_list = TAILQ_HEAD_INITIALIZER(commands_list);

static struct {
	unsigned int passed;
	unsigned int failed;
	unsigned int skipped;
} totals;

static const char *case_running = "";
static const char *case_filter; /* NULL for all cases of a suite */
static bool case_missing;       /* the last suite has no case of that name */
static bool case_failed;        /* by test_fail() */
static char skip_reason[256];
static jmp_buf case_left;       /* where test_give_up() goes, in case_pid */
static pid_t case_pid;          /* not that of a child that it has forked */

#if TEST_ASAN
/* What EAL keeps until the process ends is no leak of ours. */
const char *__lsan_default_suppressions(void);
const char *
__lsan_default_suppressions(void)
{
	return "leak:librte_eal\nleak:rte_eal_init\nleak:eal_parse_args\n";
}
#endif

void
add_test_command(struct test_command *t)
{
	struct test_command *c;

	/* by name, so that the order does not depend on the linker */
	TAILQ_FOREACH(c, &commands_list, next) {
		if (strcmp(t->command, c->command) < 0) {
			TAILQ_INSERT_BEFORE(c, t, next);
			return;
		}
	}
	TAILQ_INSERT_TAIL(&commands_list, t, next);
}

int
test_skip(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(skip_reason, sizeof(skip_reason), format, ap);
	va_end(ap);
	return TEST_SKIPPED;
}

int
test_need_fds(unsigned int nb)
{
	struct rlimit limit = { 0 };

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max < nb)
		return test_skip("it needs %u descriptors, and RLIMIT_NOFILE allows %llu", nb,
			(unsigned long long)limit.rlim_max);
	limit.rlim_cur = RTE_MAX(limit.rlim_cur, (rlim_t)nb);
	return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? TEST_SUCCESS : TEST_FAILED;
}

__rte_format_printf(1, 0)
static void
fail_words(const char *format, va_list ap)
{
	printf("Test %s failed: ", case_running);
	vprintf(format, ap);
	printf("\n");
	case_failed = true;
}

void
test_fail(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	fail_words(format, ap);
	va_end(ap);
}

void
test_give_up(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	fail_words(format, ap);
	va_end(ap);
	if (case_pid == getpid())
		longjmp(case_left, 1);
	fflush(stdout);
	_exit(EXIT_FAILURE);
}

void
test_note(const char *format, ...)
{
	va_list ap;

	printf("   = ");
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
}

void
test_time_limit(unsigned int seconds)
{
	alarm(seconds * test_slow);
}

static void
time_is_over(int sig __rte_unused)
{
	static const char words[] = "\nThe time limit of the case is over: ";

	if (write(STDERR_FILENO, words, sizeof(words) - 1) > 0 &&
			write(STDERR_FILENO, case_running, strlen(case_running)) > 0)
		fsync(STDERR_FILENO);
	_exit(EXIT_FAILURE);
}

static void
count_case(unsigned int nr, const char *name, int result, uint64_t start_ns)
{
	unsigned int ms = (unsigned int)((test_now_ns() - start_ns) / 1000000);

	if (case_failed)
		result = TEST_FAILED;
	case_failed = false;

	printf(" + TestCase [%2u] : %s ", nr, name);
	switch (result) {
	case TEST_SUCCESS:
		totals.passed++;
		printf("succeeded (%u ms)\n", ms);
		break;
	case TEST_SKIPPED:
		totals.skipped++;
		printf("skipped: %s\n", skip_reason[0] != '\0' ? skip_reason : "no reason given");
		break;
	default:
		totals.failed++;
		printf("failed (%u ms)\n", ms);
		break;
	}
	skip_reason[0] = '\0';
	fflush(stdout);
}

/* A setup, and then a case, if there is one: what test_give_up() can end. */
static int
run_steps(int (*setup)(void), const struct unit_test_case *tc)
{
	if (setjmp(case_left) != 0)
		return TEST_FAILED;
	case_pid = getpid();
	if (setup != NULL)
		TEST_CALL(setup());
	if (tc == NULL)
		return TEST_SUCCESS;
	return tc->with != NULL ? tc->with(tc->fp_case) :
		tc->with_arg != NULL ? tc->with_arg(tc->arg) : tc->testcase();
}

static int
run_case(const struct unit_test_case *tc)
{
	int ret;

	case_running = tc->name;
	case_failed = false;
	test_time_limit(TEST_CASE_SECONDS);
	ret = run_steps(tc->setup, tc);
	case_pid = 0;
	if (tc->teardown != NULL)
		tc->teardown();
	alarm(0);
	return ret;
}

int
unit_test_suite_runner(struct unit_test_suite *suite)
{
	unsigned int failed = totals.failed, passed = totals.passed, nr = 0;
	const struct unit_test_case *tc;
	uint64_t start;
	char reason[sizeof(skip_reason)] = "";
	bool found = case_filter == NULL;
	int setup, ret;

	printf(" + Test Suite : %s\n", suite->suite_name);
	setup = run_steps(suite->setup, NULL);
	case_pid = 0;
	if (setup == TEST_SKIPPED)
		snprintf(reason, sizeof(reason), "%s", skip_reason);
	for (tc = suite->unit_test_cases; tc->name != NULL; tc++, nr++) {
		if (case_filter != NULL && strcmp(case_filter, tc->name) != 0)
			continue;
		found = true;
		start = test_now_ns();
		if (setup == TEST_SUCCESS) {
			ret = run_case(tc);
		} else {
			ret = setup; /* for each of its cases */
			test_skip("%s", reason);
		}
		count_case(nr, tc->name, ret, start);
	}
	if (suite->teardown != NULL)
		suite->teardown();
	test_log_restore();
	case_running = "";
	case_missing = !found && setup == TEST_SUCCESS;

	if (totals.failed != failed)
		return TEST_FAILED;
	return totals.passed != passed ? TEST_SUCCESS : TEST_SKIPPED;
}

static void
run_test(const struct test_command *t)
{
	unsigned int before = totals.passed + totals.failed + totals.skipped;
	uint64_t start = test_now_ns();
	int ret;

	printf("%s\n", t->command);
	case_missing = false;
	ret = t->run(t->suite);
	/* A test without a suite, or that did not come to it, is one case. */
	if (!case_missing && totals.passed + totals.failed + totals.skipped == before)
		count_case(0, t->command, ret, start);
}

static void
run_all(void)
{
	const struct test_command *t;

	TAILQ_FOREACH(t, &commands_list, next)
		run_test(t);
}

/* @param name  a test, or test:case, or "all" */
static int
run_by_name(const char *name)
{
	const struct test_command *t;
	size_t len = strcspn(name, ":");

	if (strcmp(name, "all") == 0) {
		run_all();
		return 0;
	}
	TAILQ_FOREACH(t, &commands_list, next) {
		if (strlen(t->command) == len && strncmp(t->command, name, len) == 0) {
			unsigned int before = totals.passed + totals.failed + totals.skipped;

			case_filter = name[len] == ':' ? name + len + 1 : NULL;
			run_test(t);
			case_filter = NULL;
			return totals.passed + totals.failed + totals.skipped == before ?
					-ENOENT : 0;
		}
	}
	return -ENOENT;
}

static void
list_tests(void)
{
	const struct test_command *t;

	TAILQ_FOREACH(t, &commands_list, next)
		printf("%s\n", t->command);
}

static void
prompt_help(void)
{
	printf("list                  names of the tests\n"
	       "all                   run all of them\n"
	       "<test>[:<case>]       run one test, or one case of it\n"
	       "dump                  state of the comch devices\n"
	       "help                  this text\n"
	       "quit                  end\n");
}

static void
prompt(void)
{
	char *line = NULL, *word, *save;
	size_t size = 0;
	int16_t dev;

	for (;;) {
		printf("RTE>>");
		fflush(stdout);
		if (getline(&line, &size, stdin) < 0)
			break;
		word = strtok_r(line, " \t\r\n", &save);
		if (word == NULL)
			continue;
		if (strcmp(word, "quit") == 0)
			break;
		if (strcmp(word, "help") == 0 || strcmp(word, "?") == 0)
			prompt_help();
		else if (strcmp(word, "list") == 0)
			list_tests();
		else if (strcmp(word, "dump") == 0)
			RTE_COMCH_FOREACH_DEV(dev)
				rte_comch_dev_dump(dev, stdout);
		else if (run_by_name(word) != 0)
			printf("No test is called \"%s\"; \"list\" shows them\n", word);
	}
	printf("\n");
	free(line);
}

static void
usage(const char *prog)
{
	printf("%s [EAL options] [--] [options] [test[:case]]...\n"
	       "  -i, --interactive  a prompt\n"
	       "  -l, --list         names of the tests\n"
	       "  -h, --help         this text\n"
	       "Without a name it runs the tests of the environment variable DPDK_TEST\n"
	       "(separated by commas), else all.\n", prog);
}

/* @return  names that are not known */
static unsigned int
run_names(int argc, char **argv)
{
	const char *env = getenv("DPDK_TEST");
	unsigned int unknown = 0;
	char *copy, *name, *save;
	int i;

	for (i = 0; i < argc; i++) {
		if (run_by_name(argv[i]) != 0) {
			printf("No test is called \"%s\"\n", argv[i]);
			unknown++;
		}
	}
	if (argc > 0)
		return unknown;
	if (env == NULL || env[0] == '\0') {
		run_all();
		return 0;
	}
	copy = strdup(env);
	if (copy == NULL)
		return 1;
	for (name = strtok_r(copy, ", ", &save); name != NULL;
	     name = strtok_r(NULL, ", ", &save)) {
		if (run_by_name(name) != 0) {
			printf("No test is called \"%s\"\n", name);
			unknown++;
		}
	}
	free(copy);
	return unknown;
}

/* What the command line asks for, behind EAL's part. */
struct todo {
	int (*child_main)(const char *socket_nr);
	const char *child; /* of this process, if it is one */
	bool interactive;
	bool list;
	bool help;
};

/* 0, or -EINVAL for an option that there is not, which getopt has named. */
static int
parse_options(int argc, char **argv, struct todo *todo)
{
	static const struct option options[] = {
		{ "child", required_argument, NULL, 'c' },
		{ "fp-child", required_argument, NULL, 'f' },
		{ "storm-child", required_argument, NULL, 's' },
		{ "soak-child", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ "interactive", no_argument, NULL, 'i' },
		{ "list", no_argument, NULL, 'l' },
		{ NULL, 0, NULL, 0 },
	};
	int opt;

	optind = 1;
	while ((opt = getopt_long(argc, argv, "hil", options, NULL)) != -1) {
		switch (opt) {
		case 'c':
			todo->child = optarg;
			todo->child_main = test_child_main;
			break;
		case 'f':
			todo->child = optarg;
			todo->child_main = test_fp_child_main;
			break;
		case 's':
			todo->child = optarg;
			todo->child_main = test_storm_child_main;
			break;
		case 'o':
			todo->child = optarg;
			todo->child_main = test_soak_child_main;
			break;
		case 'i':
			todo->interactive = true;
			break;
		case 'l':
			todo->list = true;
			break;
		case 'h':
			todo->help = true;
			return 0;
		default:
			return -EINVAL;
		}
	}
	return 0;
}

/* Run the tests of the words, or of a person; the exit status. */
static int
run_tests(bool interactive, int nb_words, char **words)
{
	unsigned int unknown = 0;
	int ret;

	signal(SIGALRM, time_is_over);
	signal(SIGPIPE, SIG_IGN);
	ret = test_devices_create();
	if (ret == 0) {
		if (interactive)
			prompt();
		else
			unknown = run_names(nb_words, words);
	} else {
		printf("No comch device on the command line, and none could be made: %s\n",
				strerror(-ret));
		unknown = 1;
	}
	test_devices_remove();
	rte_eal_cleanup();

	printf("%u passed, %u failed", totals.passed, totals.failed);
	if (totals.skipped != 0)
		printf(", %u skipped", totals.skipped);
	printf("\n");
	return totals.failed == 0 && unknown == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int
main(int argc, char **argv)
{
	struct todo todo = { .child = NULL };
	int ret;

	test_child_init(argc, argv);
	ret = rte_eal_init(argc, argv);
	if (ret < 0) {
		fprintf(stderr, "EAL could not be initialized: %s\n", strerror(-ret));
		return EXIT_FAILURE;
	}
	argc -= ret;
	argv += ret;

	ret = parse_options(argc, argv, &todo);
	if (ret == 0 && !todo.help && !todo.list && todo.child == NULL)
		return run_tests(todo.interactive, argc - optind, argv + optind);
	if (ret != 0 || todo.help)
		usage(argv[0]);
	else if (todo.child != NULL)
		ret = todo.child_main(todo.child);
	else
		list_tests();
	rte_eal_cleanup();
	return ret == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
