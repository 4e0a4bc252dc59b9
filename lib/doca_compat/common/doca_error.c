/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Names and descriptions of results, and the version that is loaded. Tables only.
 */

#define DOCA_ALLOW_DEPRECATED_API

#include <stddef.h>

#include <doca_error.h>
#include <doca_version.h>

struct error_text {
	const char *name;
	const char *descr;
};

#define ERROR_TEXT(error, descr) [error] = {#error, descr}

static const struct error_text errors[] = {
	ERROR_TEXT(DOCA_SUCCESS, "success"),
	ERROR_TEXT(DOCA_ERROR_UNKNOWN, "failed for an unknown reason"),
	ERROR_TEXT(DOCA_ERROR_NOT_PERMITTED, "not permitted"),
	ERROR_TEXT(DOCA_ERROR_IN_USE, "still in use"),
	ERROR_TEXT(DOCA_ERROR_NOT_SUPPORTED, "not supported"),
	ERROR_TEXT(DOCA_ERROR_AGAIN, "not now, try again"),
	ERROR_TEXT(DOCA_ERROR_INVALID_VALUE, "an argument is not valid"),
	ERROR_TEXT(DOCA_ERROR_NO_MEMORY, "no memory, or nothing left of a pool"),
	ERROR_TEXT(DOCA_ERROR_INITIALIZATION, "set-up failed"),
	ERROR_TEXT(DOCA_ERROR_TIME_OUT, "it took too long"),
	ERROR_TEXT(DOCA_ERROR_SHUTDOWN, "being shut down"),
	ERROR_TEXT(DOCA_ERROR_CONNECTION_RESET, "the peer ended the connection"),
	ERROR_TEXT(DOCA_ERROR_CONNECTION_ABORTED, "the connection failed"),
	ERROR_TEXT(DOCA_ERROR_CONNECTION_INPROGRESS, "not connected yet"),
	ERROR_TEXT(DOCA_ERROR_NOT_CONNECTED, "not connected"),
	ERROR_TEXT(DOCA_ERROR_NO_LOCK, "a lock could not be had"),
	ERROR_TEXT(DOCA_ERROR_NOT_FOUND, "not found"),
	ERROR_TEXT(DOCA_ERROR_IO_FAILED, "reading or writing failed"),
	ERROR_TEXT(DOCA_ERROR_BAD_STATE, "not possible in this state"),
	ERROR_TEXT(DOCA_ERROR_UNSUPPORTED_VERSION, "versions do not fit"),
	ERROR_TEXT(DOCA_ERROR_OPERATING_SYSTEM, "a call of the operating system failed"),
	ERROR_TEXT(DOCA_ERROR_DRIVER, "a call of the driver failed"),
	ERROR_TEXT(DOCA_ERROR_UNEXPECTED, "something unexpected happened"),
	ERROR_TEXT(DOCA_ERROR_ALREADY_EXIST, "it is there already"),
	ERROR_TEXT(DOCA_ERROR_FULL, "full"),
	ERROR_TEXT(DOCA_ERROR_EMPTY, "empty"),
	ERROR_TEXT(DOCA_ERROR_IN_PROGRESS, "begun, not done yet"),
	ERROR_TEXT(DOCA_ERROR_TOO_BIG, "larger than the limit"),
	ERROR_TEXT(DOCA_ERROR_AUTHENTICATION, "the peer could not prove who it is"),
	ERROR_TEXT(DOCA_ERROR_BAD_CONFIG, "the configuration is wrong"),
	ERROR_TEXT(DOCA_ERROR_SKIPPED, "left out, as something before it failed"),
};

static const struct error_text unknown = {"DOCA_ERROR_UNRECOGNIZED", "unrecognized error"};

static const struct error_text *
error_text(doca_error_t error)
{
	size_t nr = (unsigned int)error;

	return nr < sizeof(errors) / sizeof(errors[0]) ? &errors[nr] : &unknown;
}

const char *
doca_error_get_name(doca_error_t error)
{
	return error_text(error)->name;
}

const char *
doca_error_get_descr(doca_error_t error)
{
	return error_text(error)->descr;
}

const char *
doca_get_error_string(doca_error_t error)
{
	return error_text(error)->descr;
}

const char *
doca_version_runtime(void)
{
	return DOCA_VERSION_STRING;
}
