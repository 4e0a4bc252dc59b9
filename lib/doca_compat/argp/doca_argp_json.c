/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Flags from a JSON file. json-c reads it; here its types are held against those of the
 * flags. The file is the user's own.
 */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <json.h>

#include "doca_argp_private.h"

#define SECTION_GENERAL "doca_general_flags"
#define SECTION_PROGRAM "doca_program_flags"

/* Fill a value; false if the type does not fit. */
static bool
json_fill(struct args_value *value, struct json_object *json, doca_error_t *result)
{
	int64_t number;

	switch (value->param->type) {
	case DOCA_ARGP_TYPE_STRING:
		if (!json_object_is_type(json, json_type_string))
			return false;
		value->text = strdup(json_object_get_string(json));
		if (value->text == NULL)
			*result = DOCA_ERROR_NO_MEMORY;
		return true;
	case DOCA_ARGP_TYPE_INT:
		number = json_object_get_int64(json);
		value->number = (int)number;
		return json_object_is_type(json, json_type_int) && number >= INT_MIN &&
				number <= INT_MAX;
	case DOCA_ARGP_TYPE_DOUBLE:
		value->real = json_object_get_double(json);
		return json_object_is_type(json, json_type_double) ||
				json_object_is_type(json, json_type_int);
	default:
		value->flag = json_object_get_boolean(json);
		return json_object_is_type(json, json_type_boolean);
	}
}

static doca_error_t
json_value(struct args *args, struct doca_argp_param *param, struct json_object *json,
		const char *path)
{
	static const char *const wanted[] = {
		[DOCA_ARGP_TYPE_STRING] = "a text in quotes",
		[DOCA_ARGP_TYPE_INT] = "an integer",
		[DOCA_ARGP_TYPE_BOOLEAN] = "true or false",
		[DOCA_ARGP_TYPE_DOUBLE] = "a number",
	};
	struct args_value *value;
	doca_error_t result;

	result = args_value_new(args, param, ARGP_FILE, &value);
	if (result != DOCA_SUCCESS)
		return result;
	if (!json_fill(value, json, &result)) {
		ARGP_ERR("%s: %s: %s is not %s", path, param->long_name,
				json_object_to_json_string(json), wanted[param->type]);
		return DOCA_ERROR_INVALID_VALUE;
	}
	return result;
}

static doca_error_t
json_flag(struct args *args, struct doca_argp_param *param, struct json_object *json,
		const char *path)
{
	doca_error_t result = DOCA_SUCCESS;
	size_t i;

	if (!param->multiplicity || !json_object_is_type(json, json_type_array))
		return json_value(args, param, json, path);
	for (i = 0; i < json_object_array_length(json) && result == DOCA_SUCCESS; i++)
		result = json_value(args, param, json_object_array_get_idx(json, i), path);
	return result;
}

/* Whether a flag may be in a section. */
static bool
json_may(const struct doca_argp_param *param, bool general)
{
	if (general)
		return param->builtin == ARGP_LOG_LEVEL || param->builtin == ARGP_SDK_LOG_LEVEL;
	return param->builtin == ARGP_PROGRAM;
}

static doca_error_t
json_section(struct args *args, struct json_object *section, bool general, const char *path)
{
	const char *title = general ? SECTION_GENERAL : SECTION_PROGRAM;
	struct doca_argp_param *param;
	doca_error_t result;

	if (!json_object_is_type(section, json_type_object)) {
		ARGP_ERR("%s: %s is not an object", path, title);
		return DOCA_ERROR_IO_FAILED;
	}
	json_object_object_foreach(section, key, json) {
		param = args_find(args, true, key, strlen(key));
		if (param == NULL || !json_may(param, general)) {
			ARGP_ERR("%s: %s has no flag '%s'", path, title, key);
			return DOCA_ERROR_NOT_SUPPORTED;
		}
		if (param->cli_only) {
			ARGP_ERR("%s: '%s' is for the command line only", path, key);
			return DOCA_ERROR_NOT_SUPPORTED;
		}
		result = json_flag(args, param, json, path);
		if (result != DOCA_SUCCESS)
			return result;
	}
	return DOCA_SUCCESS;
}

static doca_error_t
json_root(struct args *args, struct json_object *root, const char *path)
{
	doca_error_t result = DOCA_SUCCESS;

	json_object_object_foreach(root, key, section) {
		if (strcmp(key, SECTION_GENERAL) == 0)
			result = json_section(args, section, true, path);
		else if (strcmp(key, SECTION_PROGRAM) == 0)
			result = json_section(args, section, false, path);
		else
			DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, "argp", "%s: '%s' is not read",
					path, key);
		if (result != DOCA_SUCCESS)
			return result;
	}
	return DOCA_SUCCESS;
}

/* json-c ends its texts with line feeds. */
static void
json_complain(const char *path)
{
	const char *why = json_util_get_last_err();
	size_t length = why == NULL ? 0 : strcspn(why, "\n");

	ARGP_ERR("%s: cannot be read as JSON: %.*s", path, (int)length, length == 0 ? "" : why);
}

doca_error_t
args_json_load(struct args *args, const char *path)
{
	struct json_object *root = json_object_from_file(path);
	doca_error_t result;

	if (root == NULL) {
		json_complain(path);
		return DOCA_ERROR_IO_FAILED;
	}
	if (json_object_is_type(root, json_type_object)) {
		result = json_root(args, root, path);
	} else {
		ARGP_ERR("%s: there is no object with " SECTION_PROGRAM " in it", path);
		result = DOCA_ERROR_IO_FAILED;
	}
	json_object_put(root);
	return result;
}
