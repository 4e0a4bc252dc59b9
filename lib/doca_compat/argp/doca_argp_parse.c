/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * From the arguments of main() to the callbacks: scan, check, deliver. Not by
 * getopt_long(), which has no short names of several characters, keeps its state in
 * globals, and prints its own messages.
 */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "doca_argp_private.h"

/* --- Values */

void
args_values_free(struct args *args)
{
	struct args_value *value;

	while ((value = TAILQ_FIRST(&args->values)) != NULL) {
		TAILQ_REMOVE(&args->values, value, next);
		free(value->text);
		free(value);
	}
}

doca_error_t
args_value_new(struct args *args, struct doca_argp_param *param, enum args_origin origin,
		struct args_value **value)
{
	char name[64];

	if (param->seen[origin] > 0 && !param->multiplicity) {
		ARGP_ERR("%s is there twice, and has one value",
				args_param_text(param, name, sizeof(name)));
		return DOCA_ERROR_INVALID_VALUE;
	}
	*value = calloc(1, sizeof(**value));
	if (*value == NULL)
		return DOCA_ERROR_NO_MEMORY;
	(*value)->param = param;
	(*value)->origin = origin;
	param->seen[origin]++;
	TAILQ_INSERT_TAIL(&args->values, *value, next);
	return DOCA_SUCCESS;
}

/* Whether all of the text was the number. */
static bool
number_ends(const char *text, const char *end)
{
	return end != text && *end == '\0' && errno == 0;
}

static bool
parse_int(const char *text, int *number)
{
	const char *digits = text + (*text == '-' || *text == '+');
	bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
	char *end;
	long n;

	if (strchr("0123456789", *digits) == NULL || *digits == '\0')
		return false;
	errno = 0;
	n = strtol(text, &end, hex ? 16 : 10);
	if (!number_ends(text, end) || n < INT_MIN || n > INT_MAX)
		return false;
	*number = (int)n;
	return true;
}

static bool
parse_double(const char *text, double *real)
{
	char *end;

	if (strchr(" \t\n", *text) != NULL)
		return false;
	errno = 0;
	*real = strtod(text, &end);
	return number_ends(text, end);
}

static bool
parse_bool(const char *text, bool *flag)
{
	*flag = text == NULL || strcmp(text, "true") == 0;
	return *flag || strcmp(text, "false") == 0;
}

/* What the type of the flag makes of the text. Says nothing. */
static doca_error_t
parse_text(struct args_value *value, const char *text, const char **wanted)
{
	bool good = true;

	switch (value->param->type) {
	case DOCA_ARGP_TYPE_STRING:
		value->text = strdup(text);
		return value->text == NULL ? DOCA_ERROR_NO_MEMORY : DOCA_SUCCESS;
	case DOCA_ARGP_TYPE_INT:
		*wanted = "an integer";
		good = parse_int(text, &value->number);
		break;
	case DOCA_ARGP_TYPE_DOUBLE:
		*wanted = "a number";
		good = parse_double(text, &value->real);
		break;
	default: /* a boolean: others are refused when they are registered */
		*wanted = "'true' or 'false'";
		good = parse_bool(text, &value->flag);
		break;
	}
	return good ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t
args_value_add(struct args *args, struct doca_argp_param *param, enum args_origin origin,
		const char *text)
{
	const char *wanted = "";
	struct args_value *value;
	doca_error_t result;
	char name[64];

	result = args_value_new(args, param, origin, &value);
	if (result != DOCA_SUCCESS)
		return result;
	result = parse_text(value, text, &wanted);
	if (result == DOCA_ERROR_INVALID_VALUE)
		ARGP_ERR("%s: '%s' is not %s", args_param_text(param, name, sizeof(name)), text,
				wanted);
	return result;
}

/* --- Scan: every argument becomes a value */

/* What -h and -v do at once; returns for other flags, and if the callback fails. */
static doca_error_t
act(struct args *args, struct doca_argp_param *param)
{
	bool flag = true;

	if (param->builtin == ARGP_HELP) {
		args_usage(args);
		args_end_program();
	}
	if (param->builtin == ARGP_VERSION) {
		if (args->version == NULL) {
			args_version();
		} else {
			doca_error_t result = args->version(&flag, args->config);

			if (result != DOCA_SUCCESS)
				return result;
		}
		args_end_program();
	}
	return DOCA_SUCCESS;
}

/* A flag with the value that is written in the same argument, or NULL. */
static doca_error_t
scan_flag(struct args *args, struct doca_argp_param *param, const char *inside, char **argv,
		int argc, int *nr)
{
	doca_error_t result;
	char name[64];

	if (inside == NULL && param->type != DOCA_ARGP_TYPE_BOOLEAN) {
		if (*nr + 1 >= argc || argv[*nr + 1] == NULL) {
			ARGP_ERR("%s needs a value", args_param_text(param, name, sizeof(name)));
			return DOCA_ERROR_INVALID_VALUE;
		}
		inside = argv[++*nr];
	}
	result = args_value_add(args, param, ARGP_CLI, inside);
	return result == DOCA_SUCCESS ? act(args, param) : result;
}

static doca_error_t
no_such_flag(const char *argument)
{
	ARGP_ERR("there is no flag '%s': -h shows those there are", argument);
	return DOCA_ERROR_NOT_SUPPORTED;
}

static doca_error_t
scan_long(struct args *args, int argc, char **argv, int *nr)
{
	const char *name = argv[*nr] + 2;
	size_t length = strcspn(name, "=");
	struct doca_argp_param *param = args_find(args, true, name, length);

	if (param == NULL)
		return no_such_flag(argv[*nr]);
	return scan_flag(args, param, name[length] == '=' ? name + length + 1 : NULL, argv,
			argc, nr);
}

/* Flags of one character, none of which takes a value. */
static doca_error_t
scan_together(struct args *args, int argc, char **argv, int *nr)
{
	const char *name = argv[*nr] + 1;
	struct doca_argp_param *param;
	doca_error_t result = DOCA_SUCCESS;
	const char *c;

	for (c = name; *c != '\0'; c++) {
		param = args_find(args, false, c, 1);
		if (param == NULL || param->type != DOCA_ARGP_TYPE_BOOLEAN)
			return no_such_flag(argv[*nr]);
	}
	for (c = name; *c != '\0' && result == DOCA_SUCCESS; c++)
		result = scan_flag(args, args_find(args, false, c, 1), NULL, argv, argc, nr);
	return result;
}

static doca_error_t
scan_short(struct args *args, int argc, char **argv, int *nr)
{
	const char *name = argv[*nr] + 1;
	size_t length = strcspn(name, "=");
	struct doca_argp_param *param;

	param = args_find(args, false, name, length);
	if (param != NULL)
		return scan_flag(args, param, name[length] == '=' ? name + length + 1 : NULL, argv,
				argc, nr);
	param = args_find(args, false, name, 1);
	if (param != NULL && param->type != DOCA_ARGP_TYPE_BOOLEAN)
		return scan_flag(args, param, name + 1, argv, argc, nr);
	return scan_together(args, argc, argv, nr);
}

static doca_error_t
scan(struct args *args, int argc, char **argv)
{
	doca_error_t result = DOCA_SUCCESS;
	const char *argument;
	int nr;

	for (nr = 1; nr < argc && argv[nr] != NULL && result == DOCA_SUCCESS; nr++) {
		argument = argv[nr];
		if (strcmp(argument, "--") == 0 && (nr + 1 == argc || argv[nr + 1] == NULL))
			break; /* nothing follows */
		if (argument[0] != '-' || argument[1] == '\0' || strcmp(argument, "--") == 0) {
			ARGP_ERR("'%s' belongs to no flag: -h shows those there are", argument);
			return DOCA_ERROR_INVALID_VALUE;
		}
		if (argument[1] == '-')
			result = scan_long(args, argc, argv, &nr);
		else
			result = scan_short(args, argc, argv, &nr);
		if (args->destroyed)
			return result == DOCA_SUCCESS ? DOCA_ERROR_BAD_STATE : result;
	}
	return result;
}

static doca_error_t
load_file(struct args *args)
{
	struct args_value *value;

	TAILQ_FOREACH(value, &args->values, next)
		if (value->param->builtin == ARGP_JSON)
			return args_json_load(args, value->text);
	return DOCA_SUCCESS;
}

/* --- Flags of EAL, which stand before "--" */

/* Where "--" is, or 0 if nothing is before it that is not the program's. */
static int
dpdk_end(const struct args *args, int argc, char **argv)
{
	int nr;

	if (args->dpdk == NULL)
		return 0;
	for (nr = 1; nr < argc && argv[nr] != NULL; nr++)
		if (strcmp(argv[nr], "--") == 0)
			return nr;
	return 0;
}

/* The name, the flags of EAL, and NULL: an array of its own, as EAL changes it. */
static doca_error_t
dpdk_call(struct args *args, int end, char **argv)
{
	int nb = end == 0 ? 1 : end;
	doca_error_t result;
	char **list;

	list = calloc(nb + 1, sizeof(*list));
	if (list == NULL)
		return DOCA_ERROR_NO_MEMORY;
	memcpy(list, argv, nb * sizeof(*list));
	result = args->dpdk(nb, list);
	free(list);
	if (result == DOCA_SUCCESS && args->destroyed)
		result = DOCA_ERROR_BAD_STATE;
	return result;
}

/* --- Check: is all there, and does it fit together? */

static bool
seen(const struct doca_argp_param *param)
{
	return param->seen[ARGP_CLI] > 0 || param->seen[ARGP_FILE] > 0;
}

static doca_error_t
check_levels(const struct args *args)
{
	struct args_value *value;
	char name[64];

	TAILQ_FOREACH(value, &args->values, next) {
		if (value->param->builtin != ARGP_LOG_LEVEL &&
				value->param->builtin != ARGP_SDK_LOG_LEVEL)
			continue;
		if (value->number < DOCA_LOG_LEVEL_DISABLE ||
				value->number > DOCA_LOG_LEVEL_TRACE || value->number % 10 != 0) {
			ARGP_ERR("%s: %d is no level: those are 10, 20, 30, 40, 50, 60, 70",
					args_param_text(value->param, name, sizeof(name)),
					value->number);
			return DOCA_ERROR_INVALID_VALUE;
		}
	}
	return DOCA_SUCCESS;
}

static doca_error_t
check(const struct args *args)
{
	const struct doca_argp_param *p, *alone = NULL;
	doca_error_t result;
	unsigned int nb = 0;
	char name[64];

	result = check_levels(args);
	if (result != DOCA_SUCCESS)
		return result;
	TAILQ_FOREACH(p, &args->params, next) {
		if (!p->registered || p->builtin != ARGP_PROGRAM || !seen(p))
			continue;
		nb++;
		if (p->singular)
			alone = p;
	}
	if (alone != NULL && nb > 1) {
		ARGP_ERR("no other flag can be there with %s",
				args_param_text(alone, name, sizeof(name)));
		return DOCA_ERROR_INVALID_VALUE;
	}
	TAILQ_FOREACH(p, &args->params, next) {
		if (alone != NULL || !p->registered || !p->mandatory || seen(p))
			continue;
		ARGP_ERR("%s is missing", args_param_text(p, name, sizeof(name)));
		result = DOCA_ERROR_INITIALIZATION;
	}
	return result;
}

/* --- Deliver: the levels of the log, then the callbacks */

static void
apply_level(const struct args_value *value)
{
	if (value->param->builtin == ARGP_LOG_LEVEL)
		doca_log_level_set_global_lower_limit((uint32_t)value->number);
	else if (value->param->builtin == ARGP_SDK_LOG_LEVEL)
		doca_log_level_set_global_sdk_limit((uint32_t)value->number);
}

static doca_error_t
call(struct args *args, struct args_value *value)
{
	doca_argp_param_cb_t callback = value->param->callback;

	switch (value->param->type) {
	case DOCA_ARGP_TYPE_STRING:
		return callback(value->text, args->config);
	case DOCA_ARGP_TYPE_INT:
		return callback(&value->number, args->config);
	case DOCA_ARGP_TYPE_DOUBLE:
		return callback(&value->real, args->config);
	default:
		return callback(&value->flag, args->config);
	}
}

static doca_error_t
deliver(struct args *args, enum args_origin origin, bool levels)
{
	struct args_value *value;
	doca_error_t result;

	TAILQ_FOREACH(value, &args->values, next) {
		if (value->origin != origin ||
				(origin == ARGP_FILE && value->param->seen[ARGP_CLI] > 0))
			continue;
		if (levels) {
			apply_level(value);
			continue;
		}
		if (value->param->builtin != ARGP_PROGRAM)
			continue;
		result = call(args, value);
		if (result == DOCA_SUCCESS && args->destroyed)
			result = DOCA_ERROR_BAD_STATE;
		if (result != DOCA_SUCCESS)
			return result;
	}
	return DOCA_SUCCESS;
}

doca_error_t
args_run(struct args *args, int argc, char **argv)
{
	int eal = dpdk_end(args, argc, argv);
	doca_error_t result;

	result = scan(args, argc - eal, argv + eal);
	DOCA_ERROR_PROPAGATE(result, load_file(args));
	DOCA_ERROR_PROPAGATE(result, check(args));
	DOCA_ERROR_PROPAGATE(result, deliver(args, ARGP_FILE, true));
	DOCA_ERROR_PROPAGATE(result, deliver(args, ARGP_CLI, true));
	if (args->dpdk != NULL)
		DOCA_ERROR_PROPAGATE(result, dpdk_call(args, eal, argv));
	DOCA_ERROR_PROPAGATE(result, deliver(args, ARGP_FILE, false));
	DOCA_ERROR_PROPAGATE(result, deliver(args, ARGP_CLI, false));
	if (result == DOCA_SUCCESS && args->validation != NULL)
		result = args->validation(args->config);
	return result;
}
