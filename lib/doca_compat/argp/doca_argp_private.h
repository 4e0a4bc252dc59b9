/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_ARGP_PRIVATE_H
#define DOCA_ARGP_PRIVATE_H

/*
 * What the sources of libdoca_argp share: flags (doca_argp.c), values and the command
 * line (doca_argp_parse.c), the JSON file (doca_argp_json.c), and what is printed
 * (doca_argp_usage.c). Names begin with args, as the C library has an argp of its own.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <doca_argp.h>

#include "doca_private.h"

/* The flags of every program. */
enum args_builtin {
	ARGP_PROGRAM = 0, /* not one of them */
	ARGP_HELP,
	ARGP_VERSION,
	ARGP_LOG_LEVEL,
	ARGP_SDK_LOG_LEVEL,
	ARGP_JSON,
};

/* Where a value comes from. */
enum args_origin {
	ARGP_CLI,
	ARGP_FILE,
	ARGP_NB_ORIGINS
};

struct doca_argp_param {
	TAILQ_ENTRY(doca_argp_param) next;
	char *short_name;
	char *long_name;
	char *arguments;
	char *description;
	doca_argp_param_cb_t callback;
	enum doca_argp_type type;
	enum args_builtin builtin;
	bool registered;
	bool mandatory;
	bool multiplicity;
	bool cli_only;
	bool singular;
	bool inherited;
	bool hidden;
	bool no_memory; /* in a setter, which cannot tell */
	unsigned int seen[ARGP_NB_ORIGINS];
};

struct args_value {
	TAILQ_ENTRY(args_value) next;
	struct doca_argp_param *param;
	enum args_origin origin;
	char *text; /* of a string */
	int number;
	bool flag;
	double real;
};

TAILQ_HEAD(args_params, doca_argp_param);
TAILQ_HEAD(args_values, args_value);

struct args {
	char *name; /* or NULL before the start */
	void *config;
	struct args_params params; /* in the order of their registration */
	struct args_values values; /* in the order of their coming */
	doca_argp_param_cb_t version;
	doca_argp_validation_cb_t validation;
	doca_argp_dpdk_cb_t dpdk; /* or NULL */
	bool started;
	bool destroyed;         /* in a callback: no other may run */
	unsigned int users;     /* doca_argp_start() is one, the process another */
};

/* Tell the user what is wrong. */
#define ARGP_ERR(...) args_error(__FILE__, __LINE__, __func__, __VA_ARGS__)

DOCA_COMPAT_PRINTF(4, 5)
void args_error(const char *file, int line, const char *function, const char *format, ...);

/* "--long", or "-s" of a flag without a long name. */
const char *args_param_text(const struct doca_argp_param *param, char *text, size_t size);

/* A registered flag, or NULL. A length as the name may be part of an argument. */
struct doca_argp_param *args_find(struct args *args, bool is_long, const char *name,
		size_t length);

/* Add a value; its text is parsed as the type of the flag says, NULL is "true". */
doca_error_t args_value_add(struct args *args, struct doca_argp_param *param,
		enum args_origin origin, const char *text);

/* Add an empty value to the list, for who fills it himself; checks how many there may be. */
doca_error_t args_value_new(struct args *args, struct doca_argp_param *param,
		enum args_origin origin, struct args_value **value);

void args_values_free(struct args *args);

/* Add the values of a file. */
doca_error_t args_json_load(struct args *args, const char *path);

/* Parse, check, and call; doca_argp_start() without its state. */
doca_error_t args_run(struct args *args, int argc, char **argv);

void args_usage(const struct args *args);
void args_version(void);

/* End the program as the flags -h and -v ask for it. */
_Noreturn void args_end_program(void);

#endif /* DOCA_ARGP_PRIVATE_H */
