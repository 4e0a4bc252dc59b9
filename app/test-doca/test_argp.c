/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Command lines: states, flags and how they are registered, and what -h and -v do. What
 * is parsed is in test_argp_parse.c.
 */

#include "test_doca.h"

static struct test_config conf;
static char out[TEST_TEXT_SIZE], err[TEST_TEXT_SIZE];

static doca_error_t
on_validation(void *config)
{
	struct test_config *c = config;

	snprintf(c->order + strlen(c->order), sizeof(c->order) - strlen(c->order), "v ");
	return c->result;
}

/* Without doca_argp_init() all that can say so does. */
static int
test_argp_no_init(void)
{
	struct doca_argp_param *param = (struct doca_argp_param *)&conf;
	int level = -5;

	TEST_RESULT(doca_argp_destroy(), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(TEST_START("-h"), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_argp_param_create(&param), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_argp_register_param(param), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_argp_register_version_callback(test_on_bool), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_argp_register_validation_callback(on_validation), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_argp_get_log_level(&level), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_argp_get_sdk_log_level(&level), DOCA_ERROR_BAD_STATE);
	TEST_TRUE(level == -5);
	doca_argp_usage();
	doca_argp_param_set_short_name(param, "x");
	return 0;
}

static int
test_argp_states(void)
{
	struct doca_argp_param *param;
	char *argv[] = {NULL, NULL};

	TEST_OK(doca_argp_init("prog", NULL));
	TEST_RESULT(doca_argp_init("prog", NULL), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_argp_start(0, argv), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_argp_start(1, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_argp_start(1, argv), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(TEST_START(NULL)); /* those do not count */
	TEST_RESULT(TEST_START(NULL), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_argp_param_create(&param), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_argp_register_version_callback(test_on_bool), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_argp_register_validation_callback(on_validation), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_argp_destroy());
	TEST_RESULT(doca_argp_destroy(), DOCA_ERROR_BAD_STATE);
	/* and anew */
	TEST_OK(doca_argp_init("prog", NULL));
	TEST_OK(TEST_START(NULL));
	TEST_OK(doca_argp_destroy());
	return 0;
}

static int
test_argp_null(void)
{
	int level;

	TEST_OK(doca_argp_init("prog", NULL));
	TEST_RESULT(doca_argp_param_create(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_argp_register_param(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_argp_register_version_callback(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_argp_register_validation_callback(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_argp_get_log_level(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_argp_get_sdk_log_level(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_argp_get_log_level(&level));
	TEST_TRUE(level == DOCA_LOG_LEVEL_INFO);
	TEST_OK(doca_argp_get_sdk_log_level(&level));
	TEST_TRUE(level == DOCA_LOG_LEVEL_WARNING);
	TEST_OK(doca_argp_destroy());
	return 0;
}

/* Setters take anything and say nothing. */
static void
set_all(struct doca_argp_param *param)
{
	doca_argp_param_set_short_name(param, "z");
	doca_argp_param_set_long_name(param, "zzz");
	doca_argp_param_set_arguments(param, "<z>");
	doca_argp_param_set_description(param, "of z");
	doca_argp_param_set_callback(param, NULL);
	doca_argp_param_set_type(param, DOCA_ARGP_TYPE_UNKNOWN);
	doca_argp_param_set_mandatory(param);
	doca_argp_param_set_multiplicity(param);
	doca_argp_param_set_cli_only(param);
	doca_argp_param_set_singular(param);
	doca_argp_param_set_inherited(param);
	doca_argp_param_set_hidden(param);
}

static int
test_argp_setters(void)
{
	struct doca_argp_param *param;

	TEST_OK(doca_argp_init("prog", &conf));
	set_all(NULL);
	set_all((struct doca_argp_param *)&conf);
	param = test_param("n", "number", DOCA_ARGP_TYPE_INT, test_on_int);
	TEST_OK(doca_argp_register_param(param));
	set_all(param); /* too late: it is as it was */
	TEST_RESULT(doca_argp_register_param(param), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(TEST_START("-n", "5"));
	TEST_TRUE(conf.number == 5);
	set_all(param);
	TEST_OK(doca_argp_destroy());
	set_all(param);
	return 0;
}

static int
test_argp_register(void)
{
	static const char *const bad[] = {"", "-x", "--long", "a b", "a=b", "a\tb"};
	struct doca_argp_param *param;
	unsigned int i;

	TEST_OK(doca_argp_init("prog", &conf));
#define BAD(s, l, type, callback) TEST_RESULT(test_register(s, l, type, callback), \
		DOCA_ERROR_INVALID_VALUE)
	BAD(NULL, NULL, DOCA_ARGP_TYPE_INT, test_on_int);
	BAD("n", NULL, DOCA_ARGP_TYPE_INT, NULL);
	BAD("n", NULL, DOCA_ARGP_TYPE_UNKNOWN, test_on_int);
	BAD("n", NULL, (enum doca_argp_type)7, test_on_int);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		BAD(bad[i], "good", DOCA_ARGP_TYPE_INT, test_on_int);
		BAD("g", bad[i], DOCA_ARGP_TYPE_INT, test_on_int);
	}
#undef BAD
	TEST_RESULT(test_register("d", NULL, DOCA_ARGP_TYPE_DEVICE, test_on_int),
			DOCA_ERROR_NOT_SUPPORTED);
	TEST_RESULT(test_register("d", NULL, DOCA_ARGP_TYPE_DEVICE_REP, test_on_int),
			DOCA_ERROR_NOT_SUPPORTED);
	TEST_OK(test_register("n", "number", DOCA_ARGP_TYPE_INT, test_on_int));
#define TWICE(s, l) TEST_RESULT(test_register(s, l, DOCA_ARGP_TYPE_INT, test_on_int), \
		DOCA_ERROR_ALREADY_EXIST)
	TWICE("n", NULL);
	TWICE(NULL, "number");
	TWICE("x", "number");
	TWICE("h", NULL);
	TWICE("v", "x");
	TWICE("l", NULL);
	TWICE("j", NULL);
	TWICE(NULL, "help");
	TWICE(NULL, "sdk-log-level");
	TWICE(NULL, "json");
#undef TWICE
	/* it is the library's after a failure */
	param = test_param(NULL, NULL, DOCA_ARGP_TYPE_INT, test_on_int);
	TEST_RESULT(doca_argp_register_param(param), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_argp_register_param(param), DOCA_ERROR_INVALID_VALUE);
	/* and one that nobody registers is freed */
	TEST_TRUE(test_param("u", NULL, DOCA_ARGP_TYPE_INT, test_on_int) != NULL);
	TEST_RESULT(TEST_START("-u", "1"), DOCA_ERROR_NOT_SUPPORTED);
	TEST_OK(doca_argp_destroy());
	return 0;
}

/* Names and texts may be gone when they have been given. */
static int
test_argp_copies(void)
{
	struct doca_argp_param *param;
	char name[] = "number", prog[] = "prog", *argv[] = {prog, NULL};

	TEST_OK(doca_argp_init(prog, &conf));
	TEST_OK(doca_argp_param_create(&param));
	doca_argp_param_set_long_name(param, "former");
	doca_argp_param_set_long_name(param, name);
	doca_argp_param_set_short_name(param, name);
	doca_argp_param_set_short_name(param, NULL);
	doca_argp_param_set_type(param, DOCA_ARGP_TYPE_INT);
	doca_argp_param_set_callback(param, test_on_int);
	TEST_OK(doca_argp_register_param(param));
	memset(name, 'x', sizeof(name) - 1);
	TEST_OK(TEST_START("--number=3"));
	TEST_TRUE(conf.number == 3 && argv[0] == prog);
	TEST_OK(doca_argp_destroy());
	return 0;
}

/* --- What ends the program */

static void
full_line(void)
{
	struct doca_argp_param *param;

	if (doca_argp_init("prog_name", NULL) != DOCA_SUCCESS)
		exit(98);
	param = test_param("p", "pci-addr", DOCA_ARGP_TYPE_STRING, test_on_string);
	doca_argp_param_set_arguments(param, "<address>");
	doca_argp_param_set_description(param, "Address of the device");
	doca_argp_param_set_mandatory(param);
	doca_argp_register_param(param);
	param = test_param(NULL, "only-a-very-long-name-that-takes-a-line", DOCA_ARGP_TYPE_BOOLEAN,
			test_on_bool);
	doca_argp_param_set_description(param, "On the next line");
	doca_argp_param_set_multiplicity(param);
	doca_argp_register_param(param);
	test_register("ts", NULL, DOCA_ARGP_TYPE_INT, test_on_int);
	param = test_param("x", "hidden", DOCA_ARGP_TYPE_INT, test_on_int);
	doca_argp_param_set_hidden(param);
	doca_argp_register_param(param);
}

static void
ask_help(void)
{
	full_line();
	TEST_START("-h");
}

/* By the long name, after a good flag, and although the mandatory one is missing. */
static void
ask_long_help(void)
{
	full_line();
	TEST_START("-ts", "4", "--help", "--no-such");
}

static int
test_argp_help(void)
{
	static const char *const there[] = {
		"Usage: prog_name [DOCA Flags] [Program Flags]\n", "\nDOCA Flags:\n",
		"\nProgram Flags:\n", "  -h, --help ", "  -v, --version ", "  -l, --log-level ",
		"--sdk-log-level ", "  -j, --json ", "  -p, --pci-addr <address> ",
		" Address of the device (mandatory)\n",
		"      --only-a-very-long-name-that-takes-a-line\n     ",
		" On the next line (may be repeated)\n", "  -ts ",
	};
	unsigned int i;

	TEST_TRUE(test_process(ask_help, out, err) == 0);
	for (i = 0; i < sizeof(there) / sizeof(there[0]); i++)
		TEST_HAS(out, there[i]);
	TEST_HAS_NOT(out, "hidden");
	TEST_TRUE(err[0] == '\0');
	TEST_TRUE(test_process(ask_long_help, out, err) == 0);
	TEST_HAS(out, "Usage: prog_name");
	return 0;
}

static void
ask_help_no_name(void)
{
	doca_argp_init(NULL, NULL);
	doca_argp_usage(); /* before the start nobody knows it */
	TEST_START("--help");
}

static int
test_argp_name(void)
{
	TEST_TRUE(test_process(ask_help_no_name, out, err) == 0);
	TEST_HAS(out, "Usage: <program> [");
	TEST_HAS(out, "Usage: prog [");
	return 0;
}

static void
ask_version(void)
{
	full_line();
	TEST_START("--version");
}

/* What programs do: print, clean up, and end from inside. */
static doca_error_t
on_version(void *value, void *config)
{
	if (!*(bool *)value || config != &conf)
		return DOCA_ERROR_UNEXPECTED;
	printf("my version\n");
	if (doca_argp_destroy() != DOCA_SUCCESS)
		return DOCA_ERROR_UNEXPECTED;
	exit(7);
}

static void
ask_my_version(void)
{
	doca_argp_init("prog", &conf);
	doca_argp_register_version_callback(on_version);
	TEST_START("-v");
}

static void
ask_version_returns(void)
{
	doca_argp_init("prog", &conf);
	doca_argp_register_version_callback(test_on_bool);
	TEST_START("-v");
}

static void
ask_version_fails(void)
{
	conf.result = DOCA_ERROR_TIME_OUT;
	doca_argp_init("prog", &conf);
	doca_argp_register_version_callback(test_on_bool);
	if (TEST_START("-v") == DOCA_ERROR_TIME_OUT && doca_argp_destroy() == DOCA_SUCCESS)
		exit(5);
	exit(6);
}

static int
test_argp_version(void)
{
	TEST_TRUE(test_process(ask_version, out, err) == 0);
	TEST_HAS(out, doca_version_runtime());
	TEST_TRUE(test_process(ask_my_version, out, err) == 7);
	TEST_TRUE(strcmp(out, "my version\n") == 0);
	TEST_TRUE(test_process(ask_version_returns, out, err) == 0);
	TEST_TRUE(test_process(ask_version_fails, out, err) == 5);
	return 0;
}

/* --- Callbacks */

static int
test_argp_callback_fails(void)
{
	TEST_OK(doca_argp_init("prog", &conf));
	TEST_OK(test_register("n", NULL, DOCA_ARGP_TYPE_INT, test_on_int));
	TEST_OK(test_register("s", NULL, DOCA_ARGP_TYPE_STRING, test_on_string));
	TEST_OK(doca_argp_register_validation_callback(on_validation));
	conf.result = DOCA_ERROR_AUTHENTICATION;
	TEST_RESULT(TEST_START("-n", "1", "-s", "x"), DOCA_ERROR_AUTHENTICATION);
	TEST_TRUE(strcmp(conf.order, "i1 ") == 0);
	TEST_OK(doca_argp_destroy());
	return 0;
}

static int
test_argp_validation(void)
{
	TEST_OK(doca_argp_init("prog", &conf));
	TEST_OK(doca_argp_register_validation_callback(on_validation));
	conf.result = DOCA_ERROR_BAD_CONFIG;
	TEST_RESULT(TEST_START(NULL), DOCA_ERROR_BAD_CONFIG);
	TEST_OK(doca_argp_destroy());
	conf.result = DOCA_SUCCESS;
	conf.order[0] = '\0';
	TEST_OK(doca_argp_init("prog", &conf));
	TEST_OK(test_register("n", NULL, DOCA_ARGP_TYPE_INT, test_on_int));
	TEST_OK(doca_argp_register_validation_callback(on_validation));
	TEST_OK(TEST_START("-n1"));
	TEST_TRUE(strcmp(conf.order, "i1 v ") == 0);
	TEST_OK(doca_argp_destroy());
	return 0;
}

static doca_error_t
on_destroy(void *value, void *config)
{
	test_on_int(value, config);
	return doca_argp_destroy();
}

/* Nothing is called after it, and nothing that is freed is used. */
static int
test_argp_destroy_inside(void)
{
	TEST_OK(doca_argp_init("prog", &conf));
	TEST_OK(test_register("d", NULL, DOCA_ARGP_TYPE_INT, on_destroy));
	TEST_OK(test_register("n", NULL, DOCA_ARGP_TYPE_INT, test_on_int));
	TEST_OK(doca_argp_register_validation_callback(on_validation));
	TEST_RESULT(TEST_START("-d", "1", "-n", "2"), DOCA_ERROR_BAD_STATE);
	TEST_TRUE(strcmp(conf.order, "i1 ") == 0);
	TEST_RESULT(doca_argp_destroy(), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_argp_init("prog", &conf));
	TEST_OK(doca_argp_destroy());
	return 0;
}

/* --- Flags of EAL */

static doca_error_t
on_dpdk(int argc, char **argv)
{
	int i;

	for (i = 0; i < argc; i++)
		snprintf(conf.order + strlen(conf.order), sizeof(conf.order) - strlen(conf.order),
				"%s ", argv[i]);
	argv[0] = NULL; /* EAL changes the order */
	return argv[argc] == NULL ? conf.result : DOCA_ERROR_UNEXPECTED;
}

static void
dpdk_begin(doca_error_t result)
{
	doca_argp_destroy(); /* of the case before, if there was one */
	memset(&conf, 0, sizeof(conf));
	conf.result = result;
	doca_argp_init("prog", &conf);
	test_register("n", "number", DOCA_ARGP_TYPE_INT, test_on_int);
	doca_argp_set_dpdk_program(on_dpdk);
}

static int
test_argp_dpdk(void)
{
	doca_argp_set_dpdk_program(on_dpdk); /* without doca_argp_init() */
	dpdk_begin(DOCA_SUCCESS);
	TEST_OK(TEST_START("-n", "a", "--vdev=x", "--", "-n", "3"));
	TEST_TRUE(strcmp(conf.order, "/usr/bin/prog -n a --vdev=x i3 ") == 0);
	dpdk_begin(DOCA_SUCCESS);
	TEST_OK(TEST_START("-n", "3"));
	TEST_TRUE(strcmp(conf.order, "/usr/bin/prog i3 ") == 0);
	dpdk_begin(DOCA_SUCCESS);
	TEST_OK(TEST_START("--", "-n", "3"));
	TEST_TRUE(strcmp(conf.order, "/usr/bin/prog i3 ") == 0);
	/* nothing is called if the program's flags are wrong */
	dpdk_begin(DOCA_SUCCESS);
	TEST_RESULT(TEST_START("--vdev=x", "--", "-n", "three"), DOCA_ERROR_INVALID_VALUE);
	TEST_TRUE(conf.order[0] == '\0');
	dpdk_begin(DOCA_ERROR_DRIVER);
	TEST_RESULT(TEST_START("--vdev=x", "--", "-n", "3"), DOCA_ERROR_DRIVER);
	TEST_TRUE(strcmp(conf.order, "/usr/bin/prog --vdev=x ") == 0);
	/* without the callback they are unknown */
	dpdk_begin(DOCA_SUCCESS);
	doca_argp_set_dpdk_program(NULL);
	TEST_RESULT(TEST_START("--vdev=x", "--", "-n", "3"), DOCA_ERROR_NOT_SUPPORTED);
	return 0;
}

const struct test_case test_argp[] = {
	TEST_CASE(test_argp_no_init),
	TEST_CASE(test_argp_states),
	TEST_CASE(test_argp_null),
	TEST_CASE(test_argp_setters),
	TEST_CASE(test_argp_register),
	TEST_CASE(test_argp_copies),
	TEST_CASE(test_argp_help),
	TEST_CASE(test_argp_name),
	TEST_CASE(test_argp_version),
	TEST_CASE(test_argp_callback_fails),
	TEST_CASE(test_argp_validation),
	TEST_CASE(test_argp_dpdk),
	TEST_CASE(test_argp_destroy_inside),
	TEST_CASES_END()
};
