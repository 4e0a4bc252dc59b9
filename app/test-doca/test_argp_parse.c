/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Command lines: each way to write a flag, each type, and each mistake with its error
 * and its words.
 */

#include <limits.h>
#include <unistd.h>

#include "test_doca.h"

static struct test_config conf;
static char text[TEST_TEXT_SIZE];
static FILE *errors;

/* A command line with a flag of each type, and what is wrong with it in a file. */
static int
begin(void)
{
	struct doca_log_backend *backend;
	struct doca_argp_param *param;

	memset(&conf, 0, sizeof(conf));
	if (errors == NULL) {
		errors = test_file();
		TEST_OK(doca_log_backend_create_with_file_sdk(errors, &backend));
	}
	TEST_OK(doca_argp_init("prog", &conf));
	TEST_OK(test_register("s", "string", DOCA_ARGP_TYPE_STRING, test_on_string));
	TEST_OK(test_register("n", "number", DOCA_ARGP_TYPE_INT, test_on_int));
	TEST_OK(test_register("r", "real", DOCA_ARGP_TYPE_DOUBLE, test_on_double));
	TEST_OK(test_register("b", "bool", DOCA_ARGP_TYPE_BOOLEAN, test_on_bool));
	TEST_OK(test_register("c", NULL, DOCA_ARGP_TYPE_BOOLEAN, test_on_bool));
	TEST_OK(test_register("ts", "threads", DOCA_ARGP_TYPE_INT, test_on_int));
	param = test_param(NULL, "cpu", DOCA_ARGP_TYPE_INT, test_on_int);
	doca_argp_param_set_multiplicity(param);
	TEST_OK(doca_argp_register_param(param));
	return 0;
}

/* These arguments make these calls. */
#define TEST_CALLS(calls, ...) do { \
	TEST_CALL(begin()); \
	TEST_OK(TEST_START(__VA_ARGS__)); \
	TEST_OK(doca_argp_destroy()); \
	if (strcmp(conf.order, calls) != 0) { \
		fprintf(stderr, "%s() line %d: '%s' was called, not '%s'\n", __func__, __LINE__, \
				conf.order, calls); \
		return -1; \
	} \
} while (0)

/* These arguments are refused with this error and these words, and nothing is called. */
#define TEST_REFUSED(error, words, ...) do { \
	TEST_CALL(begin()); \
	TEST_RESULT(TEST_START(__VA_ARGS__), error); \
	TEST_OK(doca_argp_destroy()); \
	test_read(errors, text); \
	TEST_HAS(text, words); \
	rewind(errors); \
	TEST_TRUE(ftruncate(fileno(errors), 0) == 0); \
	TEST_TRUE(conf.order[0] == '\0'); \
} while (0)

static int
test_parse_forms(void)
{
	TEST_CALLS("", NULL);
	TEST_CALLS("", "--");
	TEST_CALLS("sx ", "-s", "x");
	TEST_CALLS("sx ", "-sx");
	TEST_CALLS("sx ", "-s=x");
	TEST_CALLS("sx ", "--string", "x");
	TEST_CALLS("sx ", "--string=x");
	TEST_CALLS("sa=b ", "--string=a=b");
	TEST_CALLS("s ", "--string=");
	TEST_CALLS("s ", "-s", "");
	TEST_CALLS("s-n ", "-s", "-n"); /* a value may begin with anything */
	TEST_CALLS("s03:00.0 ", "-s03:00.0");
	TEST_CALLS("i4 ", "-ts", "4");
	TEST_CALLS("i4 ", "-ts=4");
	TEST_CALLS("b1 ", "-b");
	TEST_CALLS("b1 b1 ", "-bc");
	TEST_CALLS("b1 ", "--bool");
	TEST_CALLS("b0 ", "--bool=false");
	TEST_CALLS("i3 sx b1 ", "-n", "3", "-s", "x", "-b");
	TEST_CALLS("b1 sx i3 ", "-b", "-s", "x", "-n", "3", "--");
	TEST_CALLS("i1 i2 i1 ", "--cpu", "1", "--cpu=2", "--cpu", "1");
	return 0;
}

static int
test_parse_values(void)
{
	TEST_CALLS("i-2147483648 ", "-n", "-2147483648");
	TEST_TRUE(conf.number == INT_MIN);
	TEST_CALLS("i2147483647 ", "-n", "+2147483647");
	TEST_CALLS("i31 ", "-n", "0x1f");
	TEST_CALLS("i-31 ", "-n", "-0X1F");
	TEST_CALLS("i10 ", "-n", "010"); /* decimal */
	TEST_CALLS("d-1.5 ", "-r", "-1.5");
	TEST_CALLS("d1e+09 ", "--real=1e9");
	TEST_TRUE(conf.real == 1e9);
	TEST_CALLS("d7 ", "-r", "7");
	return 0;
}

static int
test_parse_bad_values(void)
{
	static const char *const ints[] = {"", "x", "12x", " 5", "5 ", "1.5", "-", "+-1", "0x",
		"0x+1", "2147483648", "-2147483649", "99999999999999999999", "--5"};
	static const char *const reals[] = {"", "x", "1.5x", " 1", "1e999"};
	unsigned int i;

	for (i = 0; i < sizeof(ints) / sizeof(ints[0]); i++)
		TEST_REFUSED(DOCA_ERROR_INVALID_VALUE, "is not an integer", "-b", "-n", ints[i]);
	for (i = 0; i < sizeof(reals) / sizeof(reals[0]); i++)
		TEST_REFUSED(DOCA_ERROR_INVALID_VALUE, "is not a number", "-b", "-r", reals[i]);
	TEST_REFUSED(DOCA_ERROR_INVALID_VALUE, "--bool: 'maybe' is not", "--bool=maybe");
	TEST_REFUSED(DOCA_ERROR_INVALID_VALUE, "--number: '' is not", "-n=");
	return 0;
}

static int
test_parse_mistakes(void)
{
	TEST_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "no flag '--no-such'", "-b", "--no-such");
	TEST_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "no flag '--no-such=1'", "--no-such=1");
	TEST_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "no flag '-x'", "-b", "-x");
	TEST_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "no flag '-bx'", "-bx");
	TEST_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "no flag '-bn'", "-bn", "1");
	TEST_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "no flag '--str'", "--str", "x");
	TEST_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "no flag '--s'", "--s", "x");
	TEST_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "no flag '--=1'", "--=1");
	TEST_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "no flag '-=1'", "-=1");
	TEST_REFUSED(DOCA_ERROR_INVALID_VALUE, "--string needs a value", "-b", "-s");
	TEST_REFUSED(DOCA_ERROR_INVALID_VALUE, "--number needs a value", "--number");
	TEST_REFUSED(DOCA_ERROR_INVALID_VALUE, "'file' belongs to no flag", "-b", "file");
	TEST_REFUSED(DOCA_ERROR_INVALID_VALUE, "'-' belongs to no flag", "-");
	TEST_REFUSED(DOCA_ERROR_INVALID_VALUE, "'' belongs to no flag", "");
	TEST_REFUSED(DOCA_ERROR_INVALID_VALUE, "'--' belongs to no flag", "--", "-b");
	TEST_REFUSED(DOCA_ERROR_INVALID_VALUE, "--number is there twice", "-n", "1", "--number=1");
	TEST_REFUSED(DOCA_ERROR_INVALID_VALUE, "-c is there twice", "-cbc");
	return 0;
}

static int
test_parse_mandatory(void)
{
	struct doca_argp_param *param;
	int round;

	for (round = 0; round < 3; round++) {
		TEST_CALL(begin());
		param = test_param("m", "must", DOCA_ARGP_TYPE_STRING, test_on_string);
		doca_argp_param_set_mandatory(param);
		TEST_OK(doca_argp_register_param(param));
		param = test_param("o", NULL, DOCA_ARGP_TYPE_STRING, test_on_string);
		doca_argp_param_set_mandatory(param);
		TEST_OK(doca_argp_register_param(param));
		if (round == 0) {
			TEST_RESULT(TEST_START("-b"), DOCA_ERROR_INITIALIZATION);
			test_read(errors, text);
			/* all of them at once */
			TEST_HAS(text, "--must is missing\n");
			TEST_HAS(text, "-o is missing\n");
			TEST_TRUE(conf.order[0] == '\0');
		} else if (round == 1) {
			TEST_RESULT(TEST_START("-o", "x"), DOCA_ERROR_INITIALIZATION);
		} else {
			TEST_OK(TEST_START("-o", "x", "-m", "y"));
			TEST_TRUE(strcmp(conf.order, "sx sy ") == 0);
		}
		TEST_OK(doca_argp_destroy());
	}
	return 0;
}

static int
test_parse_singular(void)
{
	struct doca_argp_param *param;
	int round;

	for (round = 0; round < 3; round++) {
		TEST_CALL(begin());
		param = test_param("m", "must", DOCA_ARGP_TYPE_STRING, test_on_string);
		doca_argp_param_set_mandatory(param);
		TEST_OK(doca_argp_register_param(param));
		param = test_param(NULL, "alone", DOCA_ARGP_TYPE_BOOLEAN, test_on_bool);
		doca_argp_param_set_singular(param);
		TEST_OK(doca_argp_register_param(param));
		if (round == 0) {
			TEST_OK(TEST_START("--alone", "-l", "50"));
			TEST_TRUE(strcmp(conf.order, "b1 ") == 0);
		} else if (round == 1) {
			TEST_RESULT(TEST_START("--alone", "-m", "x"), DOCA_ERROR_INVALID_VALUE);
			test_read(errors, text);
			TEST_HAS(text, "no other flag can be there with --alone");
			TEST_TRUE(conf.order[0] == '\0');
		} else {
			TEST_OK(TEST_START("-m", "x"));
		}
		TEST_OK(doca_argp_destroy());
	}
	return 0;
}

static int
test_parse_levels(void)
{
	static const char *const bad[] = {"0", "9", "55", "80", "-10"};
	unsigned int i;
	int level;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		TEST_REFUSED(DOCA_ERROR_INVALID_VALUE, "is no level", "-b", "-l", bad[i]);
		TEST_REFUSED(DOCA_ERROR_INVALID_VALUE, "is no level", "--sdk-log-level", bad[i]);
	}
	TEST_REFUSED(DOCA_ERROR_INVALID_VALUE, "is not an integer", "-l", "debug");
	TEST_TRUE(doca_log_level_get_global_lower_limit() == DOCA_LOG_LEVEL_INFO);
	TEST_CALL(begin());
	TEST_OK(TEST_START("--log-level", "70", "--sdk-log-level=60"));
	TEST_TRUE(doca_log_level_get_global_lower_limit() == DOCA_LOG_LEVEL_TRACE);
	TEST_TRUE(doca_log_level_get_global_sdk_limit() == DOCA_LOG_LEVEL_DEBUG);
	TEST_OK(doca_argp_get_log_level(&level));
	TEST_TRUE(level == 70);
	TEST_OK(doca_argp_get_sdk_log_level(&level));
	TEST_TRUE(level == 60);
	TEST_OK(doca_argp_destroy());
	return 0;
}

static void
mistake(void)
{
	doca_argp_init("prog", NULL);
	TEST_START("--no-such");
	exit(3);
}

/* A program without any backend says what is wrong all the same. */
static int
test_parse_no_backend(void)
{
	static char out[TEST_TEXT_SIZE];

	TEST_TRUE(test_process(mistake, out, text) == 3);
	TEST_TRUE(out[0] == '\0');
	TEST_HAS(text, "there is no flag '--no-such'");
	TEST_TRUE(test_count(text, "\n") == 1);
	return 0;
}

static doca_error_t
on_change(void *value, void *config)
{
	char *part = strtok(value, ",");

	(void)config;
	return part != NULL && strcmp(part, "a") == 0 ? DOCA_SUCCESS : DOCA_ERROR_UNEXPECTED;
}

/* A callback may change its string, and arguments stay as they are. */
static int
test_parse_string_is_own(void)
{
	char prog[] = "prog", flag[] = "-x", value[] = "a,b", *argv[] = {prog, flag, value, NULL};

	TEST_OK(doca_argp_init("prog", NULL));
	TEST_OK(test_register("x", NULL, DOCA_ARGP_TYPE_STRING, on_change));
	TEST_OK(doca_argp_start(3, argv));
	TEST_TRUE(strcmp(value, "a,b") == 0 && argv[2] == value);
	TEST_OK(doca_argp_destroy());
	return 0;
}

const struct test_case test_argp_parse[] = {
	TEST_CASE(test_parse_forms),
	TEST_CASE(test_parse_values),
	TEST_CASE(test_parse_bad_values),
	TEST_CASE(test_parse_mistakes),
	TEST_CASE(test_parse_mandatory),
	TEST_CASE(test_parse_singular),
	TEST_CASE(test_parse_levels),
	TEST_CASE(test_parse_no_backend),
	TEST_CASE(test_parse_string_is_own),
	TEST_CASES_END()
};
