/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Messages of the layer itself, and the backends that show them. A wrong command line
 * makes the layer say something.
 */

#include <doca_log.h>

#include "test_doca.h"

DOCA_LOG_REGISTER(TEST::SDK)

static char text[TEST_TEXT_SIZE];

static const uint32_t no_levels[] = {0, 5, 11, 55, 80, UINT32_MAX};

/* An error of the layer itself. */
static void
provoke(void)
{
	doca_argp_init("prog", NULL);
	TEST_START("--no-such-flag");
	doca_argp_destroy();
}

static int
test_level_sdk(void)
{
	struct doca_log_backend *program, *sdk, *later;
	FILE *file = test_file(), *theirs = test_file(), *last = test_file();
	unsigned int i;

	TEST_TRUE(doca_log_level_get_global_sdk_limit() == DOCA_LOG_LEVEL_WARNING);
	TEST_OK(doca_log_backend_create_with_file(file, &program));
	TEST_OK(doca_log_backend_create_with_fd_sdk(fileno(theirs), &sdk));
	TEST_RESULT(doca_log_backend_set_sdk_level(program, DOCA_LOG_LEVEL_INFO),
			DOCA_ERROR_INVALID_VALUE);
	for (i = 0; i < sizeof(no_levels) / sizeof(no_levels[0]); i++)
		TEST_RESULT(doca_log_level_set_global_sdk_limit(no_levels[i]),
				DOCA_ERROR_INVALID_VALUE);
	provoke();
	DOCA_LOG_ERR("of the program");
	test_read(file, text);
	TEST_HAS(text, "of the program");
	TEST_HAS_NOT(text, "no-such-flag");
	test_read(theirs, text);
	TEST_HAS_NOT(text, "of the program");
	TEST_TRUE(test_count(text, "[argp]") == 1);
	TEST_HAS(text, "no-such-flag");

	TEST_OK(doca_log_backend_set_sdk_level(sdk, DOCA_LOG_LEVEL_CRIT));
	provoke();
	test_read(theirs, text);
	TEST_TRUE(test_count(text, "no-such-flag") == 1);

	/* for all of them, and for those to come */
	TEST_OK(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_ERROR));
	TEST_TRUE(doca_log_level_get_global_sdk_limit() == DOCA_LOG_LEVEL_ERROR);
	TEST_OK(doca_log_backend_create_with_file_sdk(last, &later));
	provoke();
	test_read(theirs, text);
	TEST_TRUE(test_count(text, "no-such-flag") == 2);
	test_read(last, text);
	TEST_TRUE(test_count(text, "no-such-flag") == 1);
	TEST_OK(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_DISABLE));
	provoke();
	test_read(last, text);
	TEST_TRUE(test_count(text, "no-such-flag") == 1);
	return 0;
}

static char sdk_text[512];
static unsigned int sdk_flushes;

static void
on_sdk_flush(char *buffer)
{
	(void)buffer;
	sdk_flushes++;
	/* has nowhere to go, and does not wait for itself */
	test_register("", NULL, DOCA_ARGP_TYPE_INT, test_on_int);
}

static int
test_level_sdk_buf(void)
{
	struct doca_log_backend *sdk;

	TEST_OK(doca_log_backend_create_with_buf_sdk(sdk_text, sizeof(sdk_text), on_sdk_flush,
			&sdk));
	doca_argp_init("prog", NULL);
	TEST_RESULT(test_register("", NULL, DOCA_ARGP_TYPE_INT, test_on_int),
			DOCA_ERROR_INVALID_VALUE);
	TEST_TRUE(sdk_flushes == 1);
	TEST_HAS(sdk_text, "a flag needs a name");
	return 0;
}

const struct test_case test_log_sdk[] = {
	TEST_CASE(test_level_sdk),
	TEST_CASE(test_level_sdk_buf),
	TEST_CASES_END()
};
