/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Flags from a JSON file: each type, what holds before what, and each mistake.
 */

#include <unistd.h>

#include "test_doca.h"

static struct test_config conf;
static char text[TEST_TEXT_SIZE];

/* A command line with a flag of each type. */
static int
begin(void)
{
	struct doca_argp_param *param;

	memset(&conf, 0, sizeof(conf));
	TEST_OK(doca_argp_init("prog", &conf));
	TEST_OK(test_register("s", "string", DOCA_ARGP_TYPE_STRING, test_on_string));
	TEST_OK(test_register("n", "number", DOCA_ARGP_TYPE_INT, test_on_int));
	TEST_OK(test_register("r", "real", DOCA_ARGP_TYPE_DOUBLE, test_on_double));
	TEST_OK(test_register("b", "bool", DOCA_ARGP_TYPE_BOOLEAN, test_on_bool));
	param = test_param("o", "own", DOCA_ARGP_TYPE_INT, test_on_int);
	doca_argp_param_set_cli_only(param);
	TEST_OK(doca_argp_register_param(param));
	param = test_param(NULL, "cpu", DOCA_ARGP_TYPE_INT, test_on_int);
	doca_argp_param_set_multiplicity(param);
	TEST_OK(doca_argp_register_param(param));
	return 0;
}

/* Start with a file of this content, and with more arguments, or NULL. */
static doca_error_t
start(const char *content, const char *flag, const char *value)
{
	char path[] = "/tmp/doca-compat-test-XXXXXX";
	doca_error_t result;
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, content, strlen(content)) != (ssize_t)strlen(content))
		return DOCA_ERROR_OPERATING_SYSTEM;
	close(fd);
	result = TEST_START("-j", path, flag, value);
	unlink(path);
	return result;
}

#define PROGRAM(flags) "{\"doca_program_flags\": {" flags "}}"

static int
test_json_values(void)
{
	TEST_CALL(begin());
	TEST_OK(start("{\"doca_general_flags\": {\"log-level\": 60, \"sdk-log-level\": 30},\n"
			"\"doca_program_flags\": {\"string\": \"a b\", \"number\": -5, \"real\": 1.5, "
			"\"bool\": true, \"cpu\": [1, 2]}}\n", NULL, NULL));
	TEST_TRUE(strcmp(conf.order, "sa b i-5 d1.5 b1 i1 i2 ") == 0);
	TEST_TRUE(doca_log_level_get_global_lower_limit() == DOCA_LOG_LEVEL_DEBUG);
	TEST_TRUE(doca_log_level_get_global_sdk_limit() == DOCA_LOG_LEVEL_ERROR);
	TEST_OK(doca_argp_destroy());

	TEST_CALL(begin());
	TEST_OK(start(PROGRAM("\"bool\": false, \"real\": 2, \"cpu\": 7"), NULL, NULL));
	TEST_TRUE(strcmp(conf.order, "b0 d2 i7 ") == 0);
	TEST_OK(doca_argp_destroy());

	TEST_CALL(begin());
	TEST_OK(start("{}", NULL, NULL));
	TEST_TRUE(conf.order[0] == '\0');
	TEST_OK(doca_argp_destroy());
	return 0;
}

/* A flag of the command line holds, and calls nothing twice. */
static int
test_json_command_line(void)
{
	TEST_CALL(begin());
	TEST_OK(start(PROGRAM("\"number\": 1, \"string\": \"file\""), "--number", "2"));
	TEST_TRUE(strcmp(conf.order, "sfile i2 ") == 0);
	TEST_OK(doca_argp_destroy());

	TEST_CALL(begin());
	TEST_OK(start(PROGRAM("\"cpu\": [1, 2, 3]"), "--cpu", "4"));
	TEST_TRUE(strcmp(conf.order, "i4 ") == 0);
	TEST_OK(doca_argp_destroy());

	TEST_CALL(begin());
	TEST_OK(start("{\"doca_general_flags\": {\"log-level\": 20}}", "-l", "40"));
	TEST_TRUE(doca_log_level_get_global_lower_limit() == DOCA_LOG_LEVEL_WARNING);
	TEST_OK(doca_argp_destroy());
	return 0;
}

static int
test_json_mandatory(void)
{
	struct doca_argp_param *param;

	TEST_CALL(begin());
	param = test_param("m", "must", DOCA_ARGP_TYPE_INT, test_on_int);
	doca_argp_param_set_mandatory(param);
	TEST_OK(doca_argp_register_param(param));
	TEST_OK(start(PROGRAM("\"must\": 3"), NULL, NULL));
	TEST_TRUE(conf.number == 3);
	TEST_OK(doca_argp_destroy());
	return 0;
}

static int
test_json_mistakes(void)
{
	static const struct {
		const char *content;
		doca_error_t error;
		const char *words;
	} rows[] = {
		{"", DOCA_ERROR_IO_FAILED, "cannot be read as JSON"},
		{"{", DOCA_ERROR_IO_FAILED, "cannot be read as JSON"},
		{"{\"doca_program_flags\": {\"number\": }}", DOCA_ERROR_IO_FAILED, "cannot be read"},
		{"null", DOCA_ERROR_IO_FAILED, "cannot be read"},
		{"[1]", DOCA_ERROR_IO_FAILED, "there is no object"},
		{"{\"doca_program_flags\": 5}", DOCA_ERROR_IO_FAILED,
			": doca_program_flags is not an object"},
		{"{\"doca_program_flags\": null}", DOCA_ERROR_IO_FAILED, "is not an object"},
		{PROGRAM("\"no-such\": 1"), DOCA_ERROR_NOT_SUPPORTED, "has no flag 'no-such'"},
		{PROGRAM("\"n\": 1"), DOCA_ERROR_NOT_SUPPORTED, "has no flag 'n'"},
		{PROGRAM("\"json\": \"x\""), DOCA_ERROR_NOT_SUPPORTED, "has no flag 'json'"},
		{PROGRAM("\"help\": true"), DOCA_ERROR_NOT_SUPPORTED, "has no flag 'help'"},
		{PROGRAM("\"log-level\": 10"), DOCA_ERROR_NOT_SUPPORTED, "has no flag 'log-level'"},
		{"{\"doca_general_flags\": {\"number\": 1}}", DOCA_ERROR_NOT_SUPPORTED,
			"doca_general_flags has no flag 'number'"},
		{PROGRAM("\"own\": 1"), DOCA_ERROR_NOT_SUPPORTED, "for the command line only"},
		{PROGRAM("\"number\": \"1\""), DOCA_ERROR_INVALID_VALUE, "is not an integer"},
		{PROGRAM("\"number\": 1.5"), DOCA_ERROR_INVALID_VALUE, "is not an integer"},
		{PROGRAM("\"number\": 2147483648"), DOCA_ERROR_INVALID_VALUE, "is not an integer"},
		{PROGRAM("\"number\": null"), DOCA_ERROR_INVALID_VALUE, "is not an integer"},
		{PROGRAM("\"number\": [1]"), DOCA_ERROR_INVALID_VALUE, "is not an integer"},
		{PROGRAM("\"string\": 1"), DOCA_ERROR_INVALID_VALUE, "is not a text in quotes"},
		{PROGRAM("\"string\": null"), DOCA_ERROR_INVALID_VALUE, "is not a text in quotes"},
		{PROGRAM("\"real\": \"1\""), DOCA_ERROR_INVALID_VALUE, "is not a number"},
		{PROGRAM("\"bool\": 1"), DOCA_ERROR_INVALID_VALUE, "is not true or false"},
		{PROGRAM("\"cpu\": [1, \"2\"]"), DOCA_ERROR_INVALID_VALUE, "is not an integer"},
		{"{\"doca_general_flags\": {\"log-level\": 55}}", DOCA_ERROR_INVALID_VALUE,
			"is no level"},
	};
	struct doca_log_backend *backend;
	FILE *errors = test_file();
	unsigned int i;

	TEST_OK(doca_log_backend_create_with_file_sdk(errors, &backend));
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		TEST_CALL(begin());
		TEST_RESULT(start(rows[i].content, "-b", NULL), rows[i].error);
		TEST_OK(doca_argp_destroy());
		test_read(errors, text);
		TEST_HAS(text, rows[i].words);
		rewind(errors);
		TEST_TRUE(ftruncate(fileno(errors), 0) == 0);
		TEST_TRUE(conf.order[0] == '\0');
	}
	return 0;
}

static int
test_json_no_file(void)
{
	TEST_CALL(begin());
	TEST_RESULT(TEST_START("-j", "/nonexistent/file.json"), DOCA_ERROR_IO_FAILED);
	TEST_OK(doca_argp_destroy());
	TEST_CALL(begin());
	TEST_RESULT(TEST_START("-j", "/"), DOCA_ERROR_IO_FAILED);
	TEST_OK(doca_argp_destroy());
	return 0;
}

/* What is for other libraries is left alone, and a warning says so. */
static int
test_json_other_sections(void)
{
	struct doca_log_backend *backend;
	FILE *errors = test_file();

	TEST_OK(doca_log_backend_create_with_file_sdk(errors, &backend));
	TEST_CALL(begin());
	TEST_OK(start("{\"doca_dpdk_flags\": {\"flags\": \"\"}, \"doca_program_flags\": "
			"{\"number\": 4}}", NULL, NULL));
	TEST_TRUE(conf.number == 4);
	TEST_OK(doca_argp_destroy());
	test_read(errors, text);
	TEST_HAS(text, "[WRN]");
	TEST_HAS(text, "'doca_dpdk_flags' is not read");
	return 0;
}

const struct test_case test_argp_json[] = {
	TEST_CASE(test_json_values),
	TEST_CASE(test_json_command_line),
	TEST_CASE(test_json_mandatory),
	TEST_CASE(test_json_mistakes),
	TEST_CASE(test_json_no_file),
	TEST_CASE(test_json_other_sections),
	TEST_CASES_END()
};
