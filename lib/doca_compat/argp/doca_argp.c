/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The one command line of the process, and its flags. What they are given is in
 * doca_argp_parse.c.
 */

#include <stdlib.h>
#include <string.h>

#include "doca_argp_private.h"

/* NULL before doca_argp_init() and after doca_argp_destroy(). */
static struct args *args_current;

static void
param_free(struct doca_argp_param *param)
{
	free(param->short_name);
	free(param->long_name);
	free(param->arguments);
	free(param->description);
	free(param);
}

static void
args_release(struct args *args)
{
	struct doca_argp_param *param;

	if (--args->users > 0)
		return;
	args_values_free(args);
	while ((param = TAILQ_FIRST(&args->params)) != NULL) {
		TAILQ_REMOVE(&args->params, param, next);
		param_free(param);
	}
	free(args->name);
	free(args);
}

/* The command line while flags can be added, or NULL. */
static struct args *
args_open(void)
{
	return args_current == NULL || args_current->started ? NULL : args_current;
}

/* --- Flags of every program */

static doca_error_t
builtin_add(enum args_builtin builtin, const char *short_name, const char *long_name,
		enum doca_argp_type type, const char *arguments, const char *description)
{
	struct doca_argp_param *param;
	doca_error_t result;

	result = doca_argp_param_create(&param);
	if (result != DOCA_SUCCESS)
		return result;
	doca_argp_param_set_short_name(param, short_name);
	doca_argp_param_set_long_name(param, long_name);
	doca_argp_param_set_type(param, type);
	doca_argp_param_set_arguments(param, arguments);
	doca_argp_param_set_description(param, description);
	param->builtin = builtin;
	return doca_argp_register_param(param);
}

static doca_error_t
builtins_add(void)
{
	doca_error_t result;

	result = builtin_add(ARGP_HELP, "h", "help", DOCA_ARGP_TYPE_BOOLEAN, NULL,
			"Print this text, and end");
	DOCA_ERROR_PROPAGATE(result, builtin_add(ARGP_VERSION, "v", "version",
			DOCA_ARGP_TYPE_BOOLEAN, NULL, "Print the version, and end"));
	DOCA_ERROR_PROPAGATE(result, builtin_add(ARGP_LOG_LEVEL, "l", "log-level",
			DOCA_ARGP_TYPE_INT, "<level>",
			"Least severe messages of the program to show: 10 none, 20 critical, "
			"30 error, 40 warning, 50 info, 60 debug, 70 trace"));
	DOCA_ERROR_PROPAGATE(result, builtin_add(ARGP_SDK_LOG_LEVEL, NULL, "sdk-log-level",
			DOCA_ARGP_TYPE_INT, "<level>", "The same for messages of the library"));
	DOCA_ERROR_PROPAGATE(result, builtin_add(ARGP_JSON, "j", "json",
			DOCA_ARGP_TYPE_STRING, "<path>", "Take flags from a JSON file too"));
	return result;
}

/* --- Begin and end */

doca_error_t
doca_argp_init(const char *name, void *config)
{
	struct args *args;
	doca_error_t result;

	if (args_current != NULL)
		return DOCA_ERROR_BAD_STATE;
	args = calloc(1, sizeof(*args));
	if (args == NULL)
		return DOCA_ERROR_NO_MEMORY;
	TAILQ_INIT(&args->params);
	TAILQ_INIT(&args->values);
	args->users = 1;
	args->config = config;
	args_current = args;
	if (name != NULL) {
		args->name = strdup(name);
		if (args->name == NULL) {
			doca_argp_destroy();
			return DOCA_ERROR_NO_MEMORY;
		}
	}
	result = builtins_add();
	if (result != DOCA_SUCCESS)
		doca_argp_destroy();
	return result;
}

doca_error_t
doca_argp_destroy(void)
{
	struct args *args = args_current;

	if (args == NULL)
		return DOCA_ERROR_BAD_STATE;
	args_current = NULL;
	args->destroyed = true;
	args_release(args);
	return DOCA_SUCCESS;
}

doca_error_t
doca_argp_start(int argc, char **argv)
{
	struct args *args = args_current;
	doca_error_t result;
	const char *base;

	if (args == NULL || args->started)
		return DOCA_ERROR_BAD_STATE;
	if (argc < 1 || argv == NULL || argv[0] == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (args->name == NULL) {
		base = strrchr(argv[0], '/');
		args->name = strdup(base == NULL ? argv[0] : base + 1);
		if (args->name == NULL)
			return DOCA_ERROR_NO_MEMORY;
	}
	args->started = true;
	args->users++;
	result = args_run(args, argc, argv);
	args_values_free(args);
	args_release(args);
	return result;
}

void
doca_argp_usage(void)
{
	if (args_current != NULL)
		args_usage(args_current);
}

/* --- Making flags */

doca_error_t
doca_argp_param_create(struct doca_argp_param **param)
{
	struct args *args = args_open();

	if (param == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (args == NULL)
		return DOCA_ERROR_BAD_STATE;
	*param = calloc(1, sizeof(**param));
	if (*param == NULL)
		return DOCA_ERROR_NO_MEMORY;
	TAILQ_INSERT_TAIL(&args->params, *param, next);
	return DOCA_SUCCESS;
}

/* The flag if it can be changed, or NULL. A pointer of anybody: compared, not followed. */
static struct doca_argp_param *
param_open(const struct doca_argp_param *param)
{
	struct args *args = args_open();
	struct doca_argp_param *p;

	if (args == NULL)
		return NULL;
	TAILQ_FOREACH(p, &args->params, next)
		if (p == param)
			return p->registered ? NULL : p;
	return NULL;
}

static void
set_text(struct doca_argp_param *param, char **place, const char *text)
{
	char *copy = NULL;

	if (text != NULL) {
		copy = strdup(text);
		if (copy == NULL) {
			param->no_memory = true;
			return;
		}
	}
	free(*place);
	*place = copy;
}

void
doca_argp_param_set_short_name(struct doca_argp_param *param, const char *name)
{
	struct doca_argp_param *p = param_open(param);

	if (p != NULL)
		set_text(p, &p->short_name, name);
}

void
doca_argp_param_set_long_name(struct doca_argp_param *param, const char *name)
{
	struct doca_argp_param *p = param_open(param);

	if (p != NULL)
		set_text(p, &p->long_name, name);
}

void
doca_argp_param_set_arguments(struct doca_argp_param *param, const char *arguments)
{
	struct doca_argp_param *p = param_open(param);

	if (p != NULL)
		set_text(p, &p->arguments, arguments);
}

void
doca_argp_param_set_description(struct doca_argp_param *param, const char *description)
{
	struct doca_argp_param *p = param_open(param);

	if (p != NULL)
		set_text(p, &p->description, description);
}

void
doca_argp_param_set_callback(struct doca_argp_param *param, doca_argp_param_cb_t callback)
{
	struct doca_argp_param *p = param_open(param);

	if (p != NULL)
		p->callback = callback;
}

void
doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type)
{
	struct doca_argp_param *p = param_open(param);

	if (p != NULL)
		p->type = type;
}

void
doca_argp_param_set_mandatory(struct doca_argp_param *param)
{
	struct doca_argp_param *p = param_open(param);

	if (p != NULL)
		p->mandatory = true;
}

void
doca_argp_param_set_multiplicity(struct doca_argp_param *param)
{
	struct doca_argp_param *p = param_open(param);

	if (p != NULL)
		p->multiplicity = true;
}

void
doca_argp_param_set_cli_only(struct doca_argp_param *param)
{
	struct doca_argp_param *p = param_open(param);

	if (p != NULL)
		p->cli_only = true;
}

void
doca_argp_param_set_singular(struct doca_argp_param *param)
{
	struct doca_argp_param *p = param_open(param);

	if (p != NULL)
		p->singular = true;
}

void
doca_argp_param_set_inherited(struct doca_argp_param *param)
{
	struct doca_argp_param *p = param_open(param);

	if (p != NULL)
		p->inherited = true;
}

void
doca_argp_param_set_hidden(struct doca_argp_param *param)
{
	struct doca_argp_param *p = param_open(param);

	if (p != NULL)
		p->hidden = true;
}

/* --- Registering flags */

struct doca_argp_param *
args_find(struct args *args, bool is_long, const char *name, size_t length)
{
	struct doca_argp_param *p;
	const char *own;

	TAILQ_FOREACH(p, &args->params, next) {
		own = is_long ? p->long_name : p->short_name;
		if (p->registered && own != NULL && strlen(own) == length &&
				memcmp(own, name, length) == 0)
			return p;
	}
	return NULL;
}

static bool
name_valid(const char *name)
{
	if (name == NULL)
		return true;
	return name[0] != '\0' && name[0] != '-' && strpbrk(name, " \t\n=") == NULL;
}

static bool
name_taken(struct args *args, bool is_long, const char *name)
{
	if (name == NULL || args_find(args, is_long, name, strlen(name)) == NULL)
		return false;
	ARGP_ERR("another flag is called %s%s", is_long ? "--" : "-", name);
	return true;
}

static doca_error_t
param_check(struct args *args, const struct doca_argp_param *param)
{
	char text[64];

	if (param->no_memory)
		return DOCA_ERROR_NO_MEMORY;
	if ((param->short_name == NULL && param->long_name == NULL) ||
			!name_valid(param->short_name) || !name_valid(param->long_name)) {
		ARGP_ERR("a flag needs a name, without '-' before it, space and '='");
		return DOCA_ERROR_INVALID_VALUE;
	}
	args_param_text(param, text, sizeof(text));
	if (param->callback == NULL && param->builtin == ARGP_PROGRAM) {
		ARGP_ERR("%s has no callback: call doca_argp_param_set_callback()", text);
		return DOCA_ERROR_INVALID_VALUE;
	}
	switch (param->type) {
	case DOCA_ARGP_TYPE_STRING:
	case DOCA_ARGP_TYPE_INT:
	case DOCA_ARGP_TYPE_BOOLEAN:
	case DOCA_ARGP_TYPE_DOUBLE:
		break;
	case DOCA_ARGP_TYPE_DEVICE:
	case DOCA_ARGP_TYPE_DEVICE_REP:
		ARGP_ERR("%s is a device or a representor, which are not supported: take a string",
				text);
		return DOCA_ERROR_NOT_SUPPORTED;
	default:
		ARGP_ERR("%s has no type: call doca_argp_param_set_type()", text);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (name_taken(args, false, param->short_name) || name_taken(args, true, param->long_name))
		return DOCA_ERROR_ALREADY_EXIST;
	return DOCA_SUCCESS;
}

doca_error_t
doca_argp_register_param(struct doca_argp_param *param)
{
	struct doca_argp_param *p;
	doca_error_t result;

	if (args_open() == NULL)
		return DOCA_ERROR_BAD_STATE;
	p = param_open(param);
	if (p == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	TAILQ_REMOVE(&args_current->params, p, next);
	result = param_check(args_current, p);
	if (result != DOCA_SUCCESS) {
		param_free(p);
		return result;
	}
	p->registered = true;
	TAILQ_INSERT_TAIL(&args_current->params, p, next);
	return DOCA_SUCCESS;
}

doca_error_t
doca_argp_register_version_callback(doca_argp_param_cb_t callback)
{
	if (callback == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (args_open() == NULL)
		return DOCA_ERROR_BAD_STATE;
	args_current->version = callback;
	return DOCA_SUCCESS;
}

doca_error_t
doca_argp_register_validation_callback(doca_argp_validation_cb_t callback)
{
	if (callback == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (args_open() == NULL)
		return DOCA_ERROR_BAD_STATE;
	args_current->validation = callback;
	return DOCA_SUCCESS;
}

void
doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback)
{
	struct args *args = args_open();

	if (args != NULL)
		args->dpdk = callback;
}

/* --- Levels of the log */

doca_error_t
doca_argp_get_log_level(int *level)
{
	if (level == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (args_current == NULL)
		return DOCA_ERROR_BAD_STATE;
	*level = (int)doca_log_level_get_global_lower_limit();
	return DOCA_SUCCESS;
}

doca_error_t
doca_argp_get_sdk_log_level(int *level)
{
	if (level == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (args_current == NULL)
		return DOCA_ERROR_BAD_STATE;
	*level = (int)doca_log_level_get_global_sdk_limit();
	return DOCA_SUCCESS;
}
