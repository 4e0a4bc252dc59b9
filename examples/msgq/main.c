/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Message queue example: this program and one on an offload processor send each other
 * messages, and the latter copies. This file reads the options and chooses the device.
 */

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "msgq.h"

#define DEFAULT_COUNT 1000
#define MAX_COUNT 1000000000
/* What the name of the program on the offload processor has behind our own. */
#define PROGRAM_SUFFIX "-dpa"

static void
usage(const char *prog)
{
	printf("Usage: %s [EAL options] -- [options]\n"
	       "\n"
	       "This program and one on an offload processor send each other messages, and the\n"
	       "latter copies.\n"
	       "\n"
	       "  -p, --dev DEVICE    device, by name or PCI address; needed if there are several\n"
	       "  -P, --program FILE  program of the offload processor\n"
	       "                      (default: the name of this one with \"" PROGRAM_SUFFIX
	       "\")\n"
	       "  -R, --runner FILE   what runs the program, as an emulator of its machine: it is\n"
	       "                      not confined then (default: none)\n"
	       "  -u, --eus N         execution units, 1 to %u (default: 1)\n"
	       "  -C, --cpus LIST     cpu of each execution unit, as 1,2 (default: any)\n"
	       "  -c, --count N       round trips of each kind, and copies (default: %u)\n"
	       "  -o, --poll          look for messages without a pause (default)\n"
	       "  -e, --event         sleep until there is a message, at both ends\n"
	       "  -h, --help          print this\n",
			prog, RTE_COMCH_DPA_MAX_EUS, DEFAULT_COUNT);
}

static int
read_cpus(struct app *app, const char *list)
{
	const char *rest = list;
	unsigned long cpu;
	char *end;

	app->nb_cpus = 0;
	do {
		errno = 0;
		cpu = strtoul(rest, &end, 10);
		if (app->nb_cpus == RTE_DIM(app->cpus) || errno != 0 || end == rest ||
				rest[0] == '-' || cpu > INT_MAX || (*end != '\0' && *end != ','))
			return fail(-EINVAL, "-C %s: no list of cpus: give one for each "
					"execution unit, as 1,2", list);
		app->cpus[app->nb_cpus++] = (int32_t)cpu;
		rest = end + 1;
	} while (*end == ',');
	return 0;
}

static int
read_option(struct app *app, int opt, const char *value)
{
	switch (opt) {
	case 'p':
		app->dev = value;
		return 0;
	case 'P':
		app->program = value;
		return 0;
	case 'R':
		app->runner = value;
		return 0;
	case 'u':
		return number_read(opt, value, RTE_COMCH_DPA_MAX_EUS, &app->nb_eus);
	case 'C':
		return read_cpus(app, value);
	case 'c':
		return number_read(opt, value, MAX_COUNT, &app->count);
	case 'o':
		app->event = false;
		return 0;
	case 'e':
		app->event = true;
		return 0;
	default:
		/* getopt has named the option */
		return fail(-EINVAL, "see --help");
	}
}

/* Returns 0, a negative errno after a message, or 1 after help. */
static int
parse_options(struct app *app, int argc, char **argv)
{
	static const struct option options[] = { { "dev", required_argument, NULL, 'p' },
		{ "program", required_argument, NULL, 'P' },
		{ "runner", required_argument, NULL, 'R' },
		{ "eus", required_argument, NULL, 'u' }, { "cpus", required_argument, NULL, 'C' },
		{ "count", required_argument, NULL, 'c' }, { "poll", no_argument, NULL, 'o' },
		{ "event", no_argument, NULL, 'e' }, { "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 } };
	int opt, ret;

	while ((opt = getopt_long(argc, argv, "p:P:R:u:C:c:oeh", options, NULL)) != -1) {
		if (opt == 'h') {
			usage(argv[0]);
			return 1;
		}
		ret = read_option(app, opt, optarg);
		if (ret != 0)
			return ret;
	}
	if (optind < argc)
		return fail(-EINVAL, "%s: not an option; see --help", argv[optind]);
	if (app->nb_cpus != 0 && app->nb_cpus != app->nb_eus)
		return fail(-EINVAL, "-C: the list has %u, and -u is %u: give each execution "
				"unit one, or change -u", app->nb_cpus, app->nb_eus);
	return 0;
}

static int
choose_device(struct app *app)
{
	struct rte_comch_dpa_info dpa;
	int ret;

	ret = device_choose(app->dev, 0, &app->dev_id, &app->info);
	if (ret != 0)
		return ret;
	ret = rte_comch_dpa_info_get(app->dev_id, &dpa);
	if (ret != 0)
		return fail(ret, "%s: no offload processor: %s: choose another device",
				app->info.name, dpa.reason);
	if (app->nb_eus > dpa.nb_eus)
		return fail(-EINVAL, "-u %u: %s has %u execution unit%s: lower it", app->nb_eus,
				app->info.name, dpa.nb_eus, dpa.nb_eus == 1 ? "" : "s");
	return 0;
}

static void
run(struct app *app, const char *prog)
{
	char program[PATH_MAX];

	if (app->program == NULL) {
		snprintf(program, sizeof(program), "%s" PROGRAM_SUFFIX, prog);
		app->program = program;
	}
	if (choose_device(app) != 0)
		return;
	if (setup(app) == 0) {
		printf("%s runs on %u execution unit%s of %s\n", app->program, app->nb_eus,
				app->nb_eus == 1 ? "" : "s", app->info.name);
		exchange(app);
	}
	teardown(app);
	if (!failed())
		printf("Stopped\n");
}

int
main(int argc, char **argv)
{
	struct app app = { .nb_eus = 1, .count = DEFAULT_COUNT };
	const char *prog = argv[0];
	int ret;

	ret = example_start("msgq", argc, argv, usage);
	if (ret < 0)
		return EXIT_FAILURE;
	/* EAL leaves the program's name where its own options ended. */
	argc -= ret;
	argv += ret;

	if (parse_options(&app, argc, argv) == 0) {
		if (!app.event)
			signals_unblock();
		run(&app, prog);
	}
	return example_end();
}
