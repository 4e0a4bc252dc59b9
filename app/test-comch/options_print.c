/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* Printing of options, and the points of sweeps. How they are read is in options.c. */

#include <inttypes.h>

#include "options.h"
#include "table.h"

static void
sweep_print(FILE *f, const char *name, const struct sweep *s)
{
	if (s->first == s->last)
		fprintf(f, "  %-14s %u\n", name, s->first);
	else
		fprintf(f, "  %-14s %u,%u,%u,%s\n", name, s->first, s->last, s->step,
				s->mul ? "MUL" : "ADD");
}

void
options_print(const struct options *opt, FILE *f)
{
	static const char *const roles[] = { "none", "server", "client", "loopback" };
	static const char *const dirs[] = { "to", "from", "both" };
	unsigned int i;

	fprintf(f, "Configuration:\n  %-14s %s\n  %-14s %s\n  %-14s", "role", roles[opt->role],
			"name", opt->name, "test");
	for (i = 0; i < opt->nb_tests; i++)
		fprintf(f, "%s%s", i == 0 ? " " : ",", opt->tests[i]);
	fprintf(f, "%s\n", opt->nb_tests == 0 ? " all" : "");
	if (opt->size_set)
		sweep_print(f, "size", &opt->size);
	else
		fprintf(f, "  %-14s the test's own\n", "size");
	sweep_print(f, "window", &opt->window);
	sweep_print(f, "clients", &opt->clients);
	sweep_print(f, "idle-clients", &opt->idle_clients);
	if (opt->count != 0)
		fprintf(f, "  %-14s %" PRIu64 "\n", "count", opt->count);
	else if (opt->duration > 0)
		fprintf(f, "  %-14s %g s\n", "duration", opt->duration);
	else
		fprintf(f, "  %-14s the test's own\n", "duration");
	fprintf(f, "  %-14s %" PRIu64 "\n", "warmup", opt->warmup);
	fprintf(f, "  %-14s %u\n", "rounds", opt->rounds);
	fprintf(f, "  %-14s %u\n", "connections", opt->connections);
	fprintf(f, "  %-14s %u\n", "recv-queue", opt->recv_queue);
	fprintf(f, "  %-14s %u\n", "burst", opt->burst);
	fprintf(f, "  %-14s %u\n", "stride", opt->stride);
	if (opt->posts != 0)
		fprintf(f, "  %-14s %u\n", "posts", opt->posts);
	else
		fprintf(f, "  %-14s the test's own\n", "posts");
	fprintf(f, "  %-14s %u\n", "producers", opt->producers);
	fprintf(f, "  %-14s %u\n", "consumers", opt->consumers);
	fprintf(f, "  %-14s %s\n", "mbuf", opt->mbuf ? "on" : "off");
	fprintf(f, "  %-14s %s\n", "tasks", opt->tasks ? "on" : "off");
	fprintf(f, "  %-14s %s\n", "touch", opt->touch ? "on" : "off");
	fprintf(f, "  %-14s %s\n", "write-read", opt->write_read ? "on" : "off");
	fprintf(f, "  %-14s %s\n", "random", opt->random ? "on" : "off");
	fprintf(f, "  %-14s %s\n", "dir", dirs[opt->dir]);
	fprintf(f, "  %-14s %u\n", "eus", opt->eus);
	fprintf(f, "  %-14s", "eu-cpus");
	for (i = 0; i < opt->nb_eu_cpus; i++)
		fprintf(f, "%s%d", i == 0 ? " " : ",", opt->eu_cpus[i]);
	fprintf(f, "%s\n", opt->nb_eu_cpus == 0 ? " the test's own" : "");
	fprintf(f, "  %-14s %s\n", "program", opt->program[0] != '\0' ? opt->program : "-");
	fprintf(f, "  %-14s %s\n", "runner", opt->runner[0] != '\0' ? opt->runner : "-");
	fprintf(f, "  %-14s %s\n", "mode", opt->event ? "event" : "poll");
	fprintf(f, "  %-14s %s\n", "bidir", opt->bidir ? "on" : "off");
	fprintf(f, "  %-14s %s\n", "validate", opt->validate ? "on" : "off");
	fprintf(f, "  %-14s %s\n", "histogram", opt->histogram ? "on" : "off");
	fprintf(f, "  %-14s %s\n", "wide", opt->wide ? "on" : "off");
	fprintf(f, "  %-14s", "columns");
	for (i = 0; i < opt->nb_columns; i++)
		fprintf(f, "%s%s", i == 0 ? " " : ",", table_column_name(opt->columns[i]));
	fprintf(f, "%s\n", opt->nb_columns == 0 ? " default" : "");
	fprintf(f, "  %-14s %g s\n", "interval", opt->interval);
}

bool
sweep_next(const struct sweep *s, unsigned int step, uint32_t *value)
{
	uint64_t v = s->first;
	unsigned int i;

	if (step > 0 && s->first == s->last)
		return false;
	for (i = 0; i < step && v <= s->last; i++)
		v = s->mul ? v * s->step : v + s->step;
	if (v > s->last)
		return false;
	*value = (uint32_t)v;
	return true;
}

uint32_t
sweep_max(const struct sweep *s)
{
	unsigned int i;
	uint32_t v, max = 0;

	for (i = 0; sweep_next(s, i, &v); i++)
		max = v;
	return max;
}
