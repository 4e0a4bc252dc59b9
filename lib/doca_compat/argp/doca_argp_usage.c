/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What libdoca_argp prints, and where it ends the program: as programs of the vendor's
 * library expect of -h, -v and a wrong command line.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doca_argp_private.h"

/* Where descriptions begin. */
#define USAGE_COLUMN 36

void
args_error(const char *file, int line, const char *function, const char *format, ...)
{
	char text[DOCA_LOG_LINE_SIZE];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	/* A program that ends with no word helps nobody. */
	if (doca_compat_log(DOCA_LOG_LEVEL_ERROR, "argp", file, line, function, "%s", text) == 0)
		fprintf(stderr, "%s\n", text); /* check-ok: the program has no backend for it */
}

const char *
args_param_text(const struct doca_argp_param *param, char *text, size_t size)
{
	if (param->long_name != NULL)
		snprintf(text, size, "--%s", param->long_name);
	else
		snprintf(text, size, "-%s", param->short_name);
	return text;
}

static void
usage_param(FILE *out, const struct doca_argp_param *param)
{
	int n;

	if (param->short_name == NULL)
		n = fprintf(out, "      --%s", param->long_name);
	else if (param->long_name == NULL)
		n = fprintf(out, "  -%s", param->short_name);
	else
		n = fprintf(out, "  -%s, --%s", param->short_name, param->long_name);
	if (param->arguments != NULL)
		n += fprintf(out, " %s", param->arguments);
	/* at least two spaces, or a new line */
	if (n > USAGE_COLUMN - 2) {
		fputc('\n', out);
		n = 0;
	}
	fprintf(out, "%*s%s%s%s\n", USAGE_COLUMN - n, "",
			param->description == NULL ? "" : param->description,
			param->mandatory ? " (mandatory)" : "",
			param->multiplicity ? " (may be repeated)" : "");
}

static void
usage_section(FILE *out, const struct args *args, bool program)
{
	const struct doca_argp_param *p;

	TAILQ_FOREACH(p, &args->params, next)
		if (p->registered && !p->hidden && (p->builtin == ARGP_PROGRAM) == program)
			usage_param(out, p);
}

void
args_usage(const struct args *args)
{
	FILE *out = stdout;

	fprintf(out, "Usage: %s [DOCA Flags] [Program Flags]\n",
			args->name == NULL ? "<program>" : args->name);
	fprintf(out, "\nDOCA Flags:\n");
	usage_section(out, args, false);
	fprintf(out, "\nProgram Flags:\n");
	usage_section(out, args, true);
	fflush(out);
}

void
args_version(void)
{
	FILE *out = stdout;

	fprintf(out, "Interface of DOCA %s, by dpdk-comch\n", doca_version_runtime());
	fflush(out);
}

void
args_end_program(void)
{
	doca_argp_destroy();
	exit(EXIT_SUCCESS); /* check-ok: -h and -v end the program, which waits for no return */
}
