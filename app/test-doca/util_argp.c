/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Command lines, and flags that note their values.
 */

#include "test_doca.h"

doca_error_t
test_start(const char *const *arguments)
{
	char *argv[32] = {NULL};
	doca_error_t result;
	int argc, i;

	for (argc = 0; arguments[argc] != NULL && argc < 31; argc++)
		argv[argc] = strdup(arguments[argc]);
	result = doca_argp_start(argc, argv);
	for (i = 0; i < argc; i++)
		free(argv[i]);
	return result;
}

struct doca_argp_param *
test_param(const char *short_name, const char *long_name, enum doca_argp_type type,
		doca_argp_param_cb_t callback)
{
	struct doca_argp_param *param = NULL;

	if (doca_argp_param_create(&param) != DOCA_SUCCESS)
		return NULL;
	doca_argp_param_set_short_name(param, short_name);
	doca_argp_param_set_long_name(param, long_name);
	doca_argp_param_set_type(param, type);
	doca_argp_param_set_callback(param, callback);
	return param;
}

doca_error_t
test_register(const char *short_name, const char *long_name, enum doca_argp_type type,
		doca_argp_param_cb_t callback)
{
	return doca_argp_register_param(test_param(short_name, long_name, type, callback));
}

/* --- Callbacks */

static doca_error_t
note(struct test_config *conf, char letter, const char *value)
{
	size_t length = strlen(conf->order);

	snprintf(conf->order + length, sizeof(conf->order) - length, "%c%s ", letter, value);
	return conf->result;
}

doca_error_t
test_on_string(void *value, void *config)
{
	struct test_config *conf = config;

	snprintf(conf->text, sizeof(conf->text), "%s", (char *)value);
	return note(conf, 's', conf->text);
}

doca_error_t
test_on_int(void *value, void *config)
{
	struct test_config *conf = config;
	char text[32];

	conf->number = *(int *)value;
	snprintf(text, sizeof(text), "%d", conf->number);
	return note(conf, 'i', text);
}

doca_error_t
test_on_bool(void *value, void *config)
{
	struct test_config *conf = config;

	conf->flag = *(bool *)value;
	return note(conf, 'b', conf->flag ? "1" : "0");
}

doca_error_t
test_on_double(void *value, void *config)
{
	struct test_config *conf = config;
	char text[32];

	conf->real = *(double *)value;
	snprintf(text, sizeof(text), "%g", conf->real);
	return note(conf, 'd', text);
}
