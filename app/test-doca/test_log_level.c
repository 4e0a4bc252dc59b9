/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Limits of the log: of all backends, and of one. Those of messages of the layer itself
 * are in test_log_sdk.c.
 */

#include <doca_log.h>

#include "test_doca.h"

DOCA_LOG_REGISTER(TEST::LEVEL)

static char text[TEST_TEXT_SIZE];

static const uint32_t no_levels[] = {0, 5, 11, 55, 80, UINT32_MAX};
#define NB_NO_LEVELS (sizeof(no_levels) / sizeof(no_levels[0]))

/* Log one message of each level, and write what is shown as letters. */
static const char *
shown(FILE *file)
{
	static const char letters[] = "CEWIDT";
	static char result[8];
	char mark[32];
	static unsigned int round;
	unsigned int i, n = 0;

	round++;
	for (i = 0; i < 6; i++) /* levels are tens apart */
		DOCA_LOG(DOCA_LOG_LEVEL_CRIT + 10 * i, "<%u %c>", round, letters[i]);
	test_read(file, text);
	for (i = 0; i < 6; i++) {
		snprintf(mark, sizeof(mark), "<%u %c>", round, letters[i]);
		if (strstr(text, mark) != NULL)
			result[n++] = letters[i];
	}
	result[n] = '\0';
	return result;
}

#define TEST_SHOWN(file, want) do { \
	const char *shown_ = shown(file); \
	if (strcmp(shown_, want) != 0) { \
		fprintf(stderr, "%s() line %d: '%s' is shown, not '%s'\n", __func__, __LINE__, \
				shown_, want); \
		return -1; \
	} \
} while (0)

static int
test_level_global(void)
{
	struct doca_log_backend *backend;
	FILE *file = test_file();
	unsigned int i;

	TEST_TRUE(doca_log_level_get_global_lower_limit() == DOCA_LOG_LEVEL_INFO);
	TEST_OK(doca_log_backend_create_with_file(file, &backend));
	TEST_SHOWN(file, "CEWI");
	for (i = 0; i < NB_NO_LEVELS; i++) {
		TEST_RESULT(doca_log_level_set_global_lower_limit(no_levels[i]),
				DOCA_ERROR_INVALID_VALUE);
		TEST_RESULT(doca_log_level_set_global_upper_limit(no_levels[i]),
				DOCA_ERROR_INVALID_VALUE);
	}
	TEST_TRUE(doca_log_level_get_global_lower_limit() == DOCA_LOG_LEVEL_INFO);
	TEST_OK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_TRACE));
	TEST_TRUE(doca_log_level_get_global_lower_limit() == DOCA_LOG_LEVEL_TRACE);
	TEST_SHOWN(file, "CEWIDT");
	TEST_OK(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_WARNING));
	TEST_TRUE(doca_log_level_get_global_upper_limit() == DOCA_LOG_LEVEL_WARNING);
	TEST_SHOWN(file, "WIDT");
	TEST_OK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DISABLE));
	TEST_SHOWN(file, "");
	TEST_OK(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_DISABLE));
	TEST_SHOWN(file, "");
	return 0;
}

static int
test_level_backend(void)
{
	struct doca_log_backend *backend;
	FILE *file = test_file();

	TEST_OK(doca_log_backend_create_with_file(file, &backend));
	/* the global limit holds as well */
	TEST_OK(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_DEBUG));
	TEST_SHOWN(file, "CEWI");
	TEST_OK(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_ERROR));
	TEST_SHOWN(file, "CE");
	TEST_OK(doca_log_backend_set_level_upper_limit(backend, DOCA_LOG_LEVEL_ERROR));
	TEST_SHOWN(file, "E");
	TEST_OK(doca_log_backend_set_level_upper_limit(backend, DOCA_LOG_LEVEL_WARNING));
	TEST_SHOWN(file, ""); /* they cross */
	/* strict: whatever the global limit is */
	TEST_OK(doca_log_backend_set_level_lower_limit_strict(backend, DOCA_LOG_LEVEL_DEBUG));
	TEST_SHOWN(file, "WID");
	TEST_OK(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_INFO));
	TEST_SHOWN(file, "ID");
	TEST_OK(doca_log_backend_set_level_upper_limit_strict(backend, DOCA_LOG_LEVEL_CRIT));
	TEST_SHOWN(file, "CEWID");
	TEST_OK(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_TRACE));
	TEST_SHOWN(file, "CEWI");
	return 0;
}

static int
test_level_bad(void)
{
	struct doca_log_backend *backend, *none = (struct doca_log_backend *)text, *b;
	uint32_t level;
	unsigned int i;

	TEST_OK(doca_log_backend_create_with_file_sdk(stderr, &backend));
	for (i = 0; i < NB_NO_LEVELS + 2; i++) {
		/* a good backend and no level, and then a good level and no backend */
		level = i < NB_NO_LEVELS ? no_levels[i] : DOCA_LOG_LEVEL_INFO;
		b = i < NB_NO_LEVELS ? backend : i == NB_NO_LEVELS ? NULL : none;

		TEST_RESULT(doca_log_backend_set_level_lower_limit(b, level),
				DOCA_ERROR_INVALID_VALUE);
		TEST_RESULT(doca_log_backend_set_level_lower_limit_strict(b, level),
				DOCA_ERROR_INVALID_VALUE);
		TEST_RESULT(doca_log_backend_set_level_upper_limit(b, level),
				DOCA_ERROR_INVALID_VALUE);
		TEST_RESULT(doca_log_backend_set_level_upper_limit_strict(b, level),
				DOCA_ERROR_INVALID_VALUE);
		TEST_RESULT(doca_log_backend_set_sdk_level(b, level), DOCA_ERROR_INVALID_VALUE);
	}
	return 0;
}

const struct test_case test_log_level[] = {
	TEST_CASE(test_level_global),
	TEST_CASE(test_level_backend),
	TEST_CASE(test_level_bad),
	TEST_CASES_END()
};
