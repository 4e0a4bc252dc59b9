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
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_eal.h>

#include "msgq.h"

#define DEFAULT_COUNT 1000
#define MAX_COUNT 1000000000
/* What the name of the program on the offload processor has behind our own. */
#define PROGRAM_SUFFIX "-dpa"

volatile sig_atomic_t interrupted;

int
fail(struct app *app, int err, const char *format, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("msgq: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	if (app->error == 0)
		app->error = err;
	return err;
}

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

/* A number from min to max, behind which end stands. */
static int
read_number(const char *text, char end, unsigned long min, unsigned long max, uint32_t *value,
		const char **rest)
{
	unsigned long v;
	char *stop;

	errno = 0;
	v = strtoul(text, &stop, 10);
	if (errno != 0 || stop == text || text[0] == '-' || v < min || v > max ||
			(*stop != '\0' && *stop != end))
		return -EINVAL;
	*value = (uint32_t)v;
	*rest = stop;
	return 0;
}

static int
read_cpus(struct app *app, const char *list)
{
	const char *rest = list;
	uint32_t cpu;

	app->nb_cpus = 0;
	do {
		if (app->nb_cpus == RTE_DIM(app->cpus) ||
				read_number(rest, ',', 0, INT_MAX, &cpu, &rest) != 0)
			return fail(app, -EINVAL, "-C %s: no list of cpus: give one for each "
					"execution unit, as 1,2", list);
		app->cpus[app->nb_cpus++] = (int32_t)cpu;
	} while (*rest++ == ',');
	return 0;
}

static int
read_option(struct app *app, int opt, const char *value)
{
	const char *rest;

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
		if (read_number(value, '\0', 1, RTE_COMCH_DPA_MAX_EUS, &app->nb_eus, &rest) == 0)
			return 0;
		return fail(app, -EINVAL, "-u %s: not a number from 1 to %u", value,
				RTE_COMCH_DPA_MAX_EUS);
	case 'C':
		return read_cpus(app, value);
	case 'c':
		if (read_number(value, '\0', 1, MAX_COUNT, &app->count, &rest) == 0)
			return 0;
		return fail(app, -EINVAL, "-c %s: not a number from 1 to %u", value, MAX_COUNT);
	case 'o':
		app->event = false;
		return 0;
	case 'e':
		app->event = true;
		return 0;
	default:
		/* getopt has named the option */
		return fail(app, -EINVAL, "see --help");
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
		return fail(app, -EINVAL, "%s: not an option; see --help", argv[optind]);
	if (app->nb_cpus != 0 && app->nb_cpus != app->nb_eus)
		return fail(app, -EINVAL, "-C: the list has %u, and -u is %u: give each execution "
				"unit one, or change -u", app->nb_cpus, app->nb_eus);
	return 0;
}

static void
list_devices(void)
{
	struct rte_comch_dpa_info dpa;
	struct rte_comch_dev_info info;
	int16_t dev_id;

	RTE_COMCH_FOREACH_DEV(dev_id) {
		if (rte_comch_dev_info_get(dev_id, &info) != 0)
			continue;
		fprintf(stderr, "  %s  %s  %s\n", info.name, info.pci_addr,
				rte_comch_dpa_info_get(dev_id, &dpa) == 0 ?
				"has an offload processor" : dpa.reason);
	}
}

static int
choose_device(struct app *app)
{
	struct rte_comch_dpa_info dpa;
	uint16_t nb = rte_comch_dev_count_avail();
	int ret;

	if (nb == 0)
		return fail(app, -ENODEV, "no comch device: give EAL one, for example "
				"--vdev comch_shm0,role=dpu,functions=pf0");
	if (app->dev != NULL) {
		ret = rte_comch_dev_get_id_by_name(app->dev);
		if (ret < 0) {
			fail(app, ret, "-p %s: no such device; there are:", app->dev);
			list_devices();
			return ret;
		}
		app->dev_id = (int16_t)ret;
	} else if (nb > 1) {
		fail(app, -EINVAL, "several devices, choose one by -p:");
		list_devices();
		return -EINVAL;
	} else {
		app->dev_id = rte_comch_dev_next(0);
	}
	ret = rte_comch_dev_info_get(app->dev_id, &app->info);
	if (ret != 0)
		return fail(app, ret, "device %d: cannot be read: %s", app->dev_id,
				strerror(-ret));
	ret = rte_comch_dpa_info_get(app->dev_id, &dpa);
	if (ret != 0)
		return fail(app, ret, "%s: no offload processor: %s: choose another device",
				app->info.name, dpa.reason);
	if (app->nb_eus > dpa.nb_eus)
		return fail(app, -EINVAL, "-u %u: %s has %u execution unit%s: lower it",
				app->nb_eus, app->info.name, dpa.nb_eus, dpa.nb_eus == 1 ? "" : "s");
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
	if (app->error == 0)
		printf("Stopped\n");
}

static void
interrupt(int signum __rte_unused)
{
	interrupted = 1;
}

/*
 * Signals are blocked before EAL makes its threads, which inherit that: so they
 * always reach the main thread. It takes them while it sleeps in event mode,
 * and at any time in polling mode.
 */
static void
block_signals(sigset_t *signals, sigset_t *old)
{
	struct sigaction action = { .sa_handler = interrupt };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigemptyset(signals);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGTERM);
	sigprocmask(SIG_BLOCK, signals, old);
}

int
main(int argc, char **argv)
{
	struct app app = { .nb_eus = 1, .count = DEFAULT_COUNT };
	const char *prog = argv[0];
	sigset_t signals;
	int ret;

	/* One line at a time, also into a pipe. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	block_signals(&signals, &app.wait_mask);

	rte_set_application_usage_hook(usage);
	ret = rte_eal_init(argc, argv);
	if (ret < 0) {
		fputs("msgq: EAL did not start; its messages above say why\n", stderr);
		return EXIT_FAILURE;
	}
	/* EAL leaves the program's name where its own options ended. */
	argc -= ret;
	argv += ret;

	ret = parse_options(&app, argc, argv);
	if (ret == 0) {
		if (!app.event)
			sigprocmask(SIG_UNBLOCK, &signals, NULL);
		run(&app, prog);
	}

	if (rte_eal_cleanup() != 0)
		fputs("msgq: EAL did not end cleanly\n", stderr);
	return app.error == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
