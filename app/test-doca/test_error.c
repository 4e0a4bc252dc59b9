/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Results, types, and versions: numbers, names, and what macros make of them.
 */

#define DOCA_ALLOW_DEPRECATED_API

#include <limits.h>

#include <doca_types.h>
#include <doca_version.h>

#include "test_doca.h"

/* In the order of their numbers, as programs and logs have them. */
static const char *const names[] = {
	"DOCA_SUCCESS",
	"DOCA_ERROR_UNKNOWN",
	"DOCA_ERROR_NOT_PERMITTED",
	"DOCA_ERROR_IN_USE",
	"DOCA_ERROR_NOT_SUPPORTED",
	"DOCA_ERROR_AGAIN",
	"DOCA_ERROR_INVALID_VALUE",
	"DOCA_ERROR_NO_MEMORY",
	"DOCA_ERROR_INITIALIZATION",
	"DOCA_ERROR_TIME_OUT",
	"DOCA_ERROR_SHUTDOWN",
	"DOCA_ERROR_CONNECTION_RESET",
	"DOCA_ERROR_CONNECTION_ABORTED",
	"DOCA_ERROR_CONNECTION_INPROGRESS",
	"DOCA_ERROR_NOT_CONNECTED",
	"DOCA_ERROR_NO_LOCK",
	"DOCA_ERROR_NOT_FOUND",
	"DOCA_ERROR_IO_FAILED",
	"DOCA_ERROR_BAD_STATE",
	"DOCA_ERROR_UNSUPPORTED_VERSION",
	"DOCA_ERROR_OPERATING_SYSTEM",
	"DOCA_ERROR_DRIVER",
	"DOCA_ERROR_UNEXPECTED",
	"DOCA_ERROR_ALREADY_EXIST",
	"DOCA_ERROR_FULL",
	"DOCA_ERROR_EMPTY",
	"DOCA_ERROR_IN_PROGRESS",
	"DOCA_ERROR_TOO_BIG",
	"DOCA_ERROR_AUTHENTICATION",
	"DOCA_ERROR_BAD_CONFIG",
	"DOCA_ERROR_SKIPPED",
};
#define NB_NAMES (sizeof(names) / sizeof(names[0]))

static int
test_error_names(void)
{
	unsigned int i;

	TEST_TRUE(NB_NAMES == 31 && DOCA_ERROR_SKIPPED == 30);
	for (i = 0; i < NB_NAMES; i++)
		TEST_TRUE(strcmp(doca_error_get_name((doca_error_t)i), names[i]) == 0);
	return 0;
}

static int
test_error_descr(void)
{
	unsigned int i, j;

	for (i = 0; i < NB_NAMES; i++) {
		const char *descr = doca_error_get_descr((doca_error_t)i);

		TEST_TRUE(descr[0] != '\0' && descr[strlen(descr) - 1] != '\n');
		TEST_TRUE(strcmp(descr, doca_get_error_string((doca_error_t)i)) == 0);
		for (j = 0; j < i; j++)
			TEST_TRUE(strcmp(descr, doca_error_get_descr((doca_error_t)j)) != 0);
	}
	return 0;
}

/* One text for all numbers that no result has. */
static int
test_error_unknown(void)
{
	const long long numbers[] = {31, 32, -1, INT_MIN, INT_MAX, UINT_MAX};
	const char *descr = doca_error_get_descr((doca_error_t)31);
	unsigned int i;

	TEST_TRUE(strstr(descr, "unrecognized") != NULL);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		TEST_TRUE(strcmp(doca_error_get_descr((doca_error_t)numbers[i]), descr) == 0);
		TEST_TRUE(strcmp(doca_error_get_name((doca_error_t)numbers[i]),
				doca_error_get_name((doca_error_t)31)) == 0);
		TEST_TRUE(doca_get_error_string((doca_error_t)numbers[i]) != NULL);
	}
	return 0;
}

static unsigned int evaluated;

static doca_error_t
next_error(doca_error_t error)
{
	evaluated++;
	return error;
}

static int
test_error_macros(void)
{
	doca_error_t result = DOCA_SUCCESS;

	TEST_TRUE(!DOCA_IS_ERROR(result) && DOCA_IS_ERROR(DOCA_ERROR_AGAIN));
	DOCA_ERROR_PROPAGATE(result, next_error(DOCA_SUCCESS));
	TEST_OK(result);
	DOCA_ERROR_PROPAGATE(result, next_error(DOCA_ERROR_FULL));
	TEST_RESULT(result, DOCA_ERROR_FULL);
	DOCA_ERROR_PROPAGATE(result, next_error(DOCA_ERROR_EMPTY));
	DOCA_ERROR_PROPAGATE(result, next_error(DOCA_SUCCESS));
	TEST_RESULT(result, DOCA_ERROR_FULL);
	TEST_TRUE(evaluated == 2);
	return 0;
}

static int
test_version(void)
{
	char text[64];

	TEST_TRUE(strcmp(doca_version(), DOCA_VERSION_STRING) == 0);
	TEST_TRUE(strcmp(doca_version_runtime(), doca_version()) == 0);
	snprintf(text, sizeof(text), "%d.%d.%d", DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR,
			DOCA_VERSION_PATCH / 1000);
	TEST_TRUE(strcmp(text, DOCA_VERSION_STRING) == 0);
	/* what pkg-config says */
	TEST_TRUE(strcmp(text, TEST_DOCA_INTERFACE) == 0);
	TEST_TRUE(DOCA_VERSION_CALC(2, 10, 1) == (2 << 24 | 10 << 16 | 1000));
	TEST_TRUE(DOCA_VERSION_CALC_EXACT(2, 10, 1) == (2 << 24 | 10 << 16 | 1));
	TEST_TRUE(DOCA_VERSION_LTE_CURRENT(2, 99, 99) && !DOCA_VERSION_EQ_CURRENT(2, 99, 99));
	TEST_TRUE(DOCA_VERSION_LTE_CURRENT(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, 0));
	TEST_TRUE(DOCA_VERSION_EQ_CURRENT(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR,
			DOCA_VERSION_PATCH / 1000));
	TEST_TRUE(!DOCA_VERSION_LTE_CURRENT(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR + 1, 0));
	return 0;
}

static int
test_types(void)
{
	union doca_data data = {&evaluated};
	union doca_data number = {.u64 = UINT64_MAX};
	doca_notification_handle_t handle = doca_event_invalid_handle;
	doca_event_channel_t channel = handle;

	TEST_TRUE(data.ptr == &evaluated && number.u64 == UINT64_MAX);
	TEST_TRUE(sizeof(union doca_data) == 8);
	TEST_TRUE(channel == -1 && sizeof(doca_event_handle_t) == sizeof(int));
	TEST_TRUE(sizeof(doca_be16_t) == 2 && sizeof(doca_be32_t) == 4 && sizeof(doca_be64_t) == 8);
	TEST_TRUE(DOCA_ACCESS_FLAG_LOCAL_READ_ONLY == 0 && DOCA_ACCESS_FLAG_LOCAL_READ_WRITE == 1);
	TEST_TRUE(DOCA_ACCESS_FLAG_RDMA_READ == 2 && DOCA_ACCESS_FLAG_RDMA_WRITE == 4);
	TEST_TRUE(DOCA_ACCESS_FLAG_RDMA_ATOMIC == 8 && DOCA_ACCESS_FLAG_PCI_READ_ONLY == 16);
	TEST_TRUE(DOCA_ACCESS_FLAG_PCI_READ_WRITE == 32);
	TEST_TRUE(DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING == 64);
	TEST_TRUE(DOCA_PCI_FUNC_TYPE_PF == 0 && DOCA_PCI_FUNC_TYPE_VF == 1);
	TEST_TRUE(DOCA_PCI_FUNC_TYPE_SF == 2 && DOCA_GID_BYTE_LENGTH == 16);
	return 0;
}

const struct test_case test_error[] = {
	TEST_CASE(test_error_names),
	TEST_CASE(test_error_descr),
	TEST_CASE(test_error_unknown),
	TEST_CASE(test_error_macros),
	TEST_CASE(test_version),
	TEST_CASE(test_types),
	TEST_CASES_END()
};
