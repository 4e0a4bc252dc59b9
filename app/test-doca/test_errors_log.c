/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Errors of log functions that the suites of their behaviour do not bring about.
 */

#include <doca_log.h>

#include "test_doca.h"

static void
on_line(char *buffer)
{
	(void)buffer;
}

/* Each kind of backend when there are as many as there can be. */
static int
test_errors_log_full(void)
{
	struct doca_log_backend *backend = NULL;
	FILE *file = test_file();
	char buffer[64];
	int i;

	for (i = 0; i < 64; i++)
		TEST_OK(doca_log_backend_create_with_file(file, &backend));
	backend = NULL;
	TEST_RESULT(doca_log_backend_create_with_file_sdk(file, &backend), DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_log_backend_create_with_fd(1, &backend), DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_log_backend_create_with_buf(buffer, sizeof(buffer), on_line, &backend),
			DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_log_backend_create_with_buf_sdk(buffer, sizeof(buffer), on_line,
			&backend), DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_log_backend_create_with_syslog_sdk("x", &backend),
			DOCA_ERROR_NO_MEMORY);
	TEST_TRUE(backend == NULL);
	return 0;
}

const struct test_case test_errors_log[] = {
	TEST_CASE(test_errors_log_full),
	TEST_CASES_END()
};
