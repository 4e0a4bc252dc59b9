/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Control path example: a client on the host sends a text to a server on the
 * card, which answers with another one. This file reads the options and chooses
 * the device; the role of the device is the role of the program.
 */

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_eal.h>

#include "ctrl_path.h"

#define DEFAULT_NAME "ctrl_path"
#define DEFAULT_WAIT_S 10
#define MAX_WAIT_S 86400

static void
usage(const char *prog)
{
	printf("Usage: %s [EAL options] -- [options]\n"
	       "\n"
	       "A client on the host sends a text to a server on the card, which answers.\n"
	       "The role is that of the device.\n"
	       "\n"
	       "  -p, --pci-addr DEVICE   device, by name or PCI address;\n"
	       "                          needed if there are several\n"
	       "  -r, --rep-pci FUNCTION  card side: function of the host to serve, by name or\n"
	       "                          PCI address; needed if there are several\n"
	       "  -t, --text TEXT         text to send\n"
	       "  -n, --name NAME         name of the server (default: %s)\n"
	       "  -e, --event             sleep until something happens, instead of polling\n"
	       "  -w, --wait SECONDS      longest wait for the peer, 1 to %u (default: %u)\n"
	       "  -h, --help              print this\n",
			prog, DEFAULT_NAME, MAX_WAIT_S, DEFAULT_WAIT_S);
}

/* Returns 0, a negative errno after a message, or 1 after help. */
static int
parse_options(struct app *app, int argc, char **argv)
{
	static const struct option options[] = { { "pci-addr", required_argument, NULL, 'p' },
		{ "rep-pci", required_argument, NULL, 'r' },
		{ "text", required_argument, NULL, 't' }, { "name", required_argument, NULL, 'n' },
		{ "event", no_argument, NULL, 'e' }, { "wait", required_argument, NULL, 'w' },
		{ "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 } };
	unsigned long wait_s = DEFAULT_WAIT_S;
	char *end;
	int opt;

	while ((opt = getopt_long(argc, argv, "p:r:t:n:ew:h", options, NULL)) != -1) {
		switch (opt) {
		case 'p':
			app->pci_addr = optarg;
			break;
		case 'r':
			app->rep_pci = optarg;
			break;
		case 't':
			app->text = optarg;
			break;
		case 'n':
			app->name = optarg;
			break;
		case 'e':
			app->event = true;
			break;
		case 'w':
			errno = 0;
			wait_s = strtoul(optarg, &end, 10);
			if (errno != 0 || end == optarg || *end != '\0' || wait_s == 0 ||
					wait_s > MAX_WAIT_S) {
				fail(app, -EINVAL, "-w %s: not a number from 1 to %u", optarg,
						MAX_WAIT_S);
				return -EINVAL;
			}
			break;
		case 'h':
			usage(argv[0]);
			return 1;
		default:
			/* getopt has named the option */
			fail(app, -EINVAL, "see --help");
			return -EINVAL;
		}
	}
	if (optind < argc) {
		fail(app, -EINVAL, "%s: not an option; see --help", argv[optind]);
		return -EINVAL;
	}
	if (app->text != NULL && app->text[0] == '\0') {
		fail(app, -EINVAL, "-t: the text is empty");
		return -EINVAL;
	}
	if (app->name[0] == '\0') {
		fail(app, -EINVAL, "-n: the name is empty");
		return -EINVAL;
	}
	app->wait_ms = wait_s * 1000;
	return 0;
}

static void
list_devices(void)
{
	struct rte_comch_dev_info info;
	int16_t dev_id;

	RTE_COMCH_FOREACH_DEV(dev_id) {
		if (rte_comch_dev_info_get(dev_id, &info) != 0)
			continue;
		fprintf(stderr, "  %s  %s  %s\n", info.name, info.pci_addr,
				info.role == RTE_COMCH_ROLE_DPU ? "card" : info.function);
	}
}

static int
choose_device(struct app *app)
{
	uint16_t nb = rte_comch_dev_count_avail();
	int ret;

	if (nb == 0) {
		fail(app, -ENODEV,
				"no comch device: give EAL one, for example "
				"--vdev comch_shm0,role=dpu,functions=pf0");
		return -ENODEV;
	}
	if (app->pci_addr != NULL) {
		ret = rte_comch_dev_get_id_by_name(app->pci_addr);
		if (ret < 0) {
			fail(app, ret, "-p %s: no such device; there are:", app->pci_addr);
			list_devices();
			return ret;
		}
		app->dev_id = ret;
	} else if (nb > 1) {
		fail(app, -EINVAL, "several devices, choose one by -p:");
		list_devices();
		return -EINVAL;
	} else {
		app->dev_id = rte_comch_dev_next(0);
	}

	ret = rte_comch_dev_info_get(app->dev_id, &app->info);
	if (ret != 0) {
		fail(app, ret, "device %d: cannot be read: %s", app->dev_id, strerror(-ret));
		return ret;
	}
	if (app->event && !(app->info.capa & RTE_COMCH_CAPA_EVENT)) {
		fail(app, -ENOTSUP, "%s: the driver has no event mode: leave out -e",
				app->info.name);
		return -ENOTSUP;
	}
	return 0;
}

/* A device that is on no bus has no address, and not each has a name. */
static void
fill_in(char *text)
{
	if (text[0] == '\0') {
		text[0] = '-';
		text[1] = '\0';
	}
}

static int
find_representor(struct app *app, const struct rte_comch_rep_info *reps, uint16_t nb)
{
	uint16_t i;
	int id;

	if (app->rep_pci == NULL && nb == 1) {
		app->rep = reps[0];
		fill_in(app->rep.pci_addr);
		return 0;
	}
	if (nb == 0) {
		fail(app, -ENODEV, "%s: serves no functions: name them in its arguments",
				app->info.name);
	} else if (app->rep_pci == NULL) {
		fail(app, -EINVAL, "%s: %u functions, choose one by -r:", app->info.name, nb);
	} else {
		id = rte_comch_rep_get_id_by_name(app->dev_id, app->rep_pci);
		for (i = 0; i < nb; i++) {
			if (reps[i].rep_id == id) {
				app->rep = reps[i];
				fill_in(app->rep.pci_addr);
				return 0;
			}
		}
		fail(app, -ENODEV, "%s: -r %s: no such function; there are:", app->info.name,
				app->rep_pci);
	}
	for (i = 0; i < nb; i++)
		fprintf(stderr, "  %s  %s\n", reps[i].name, reps[i].pci_addr);
	return -ENODEV;
}

static int
choose_representor(struct app *app)
{
	struct rte_comch_rep_info *reps;
	uint16_t nb = app->info.nb_reps;
	int ret;

	reps = calloc(nb + 1, sizeof(*reps));
	if (reps == NULL) {
		fail(app, -ENOMEM, "out of memory");
		return -ENOMEM;
	}
	ret = rte_comch_rep_list(app->dev_id, reps, nb);
	if (ret < 0)
		fail(app, ret, "%s: cannot list the functions: %s", app->info.name, strerror(-ret));
	else
		ret = find_representor(app, reps, RTE_MIN(ret, nb));
	free(reps);
	return ret;
}

static void
run(struct app *app)
{
	if (choose_device(app) != 0)
		return;
	fill_in(app->info.function);
	fill_in(app->info.pci_addr);
	if (app->info.role == RTE_COMCH_ROLE_DPU) {
		if (choose_representor(app) == 0)
			server_run(app);
	} else if (app->rep_pci != NULL) {
		fail(app, -EINVAL,
				"%s: -r is for the card side, this device is %s of the host: "
				"leave it out",
				app->info.name, app->info.function);
	} else {
		client_run(app);
	}
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
	struct app app = { .name = DEFAULT_NAME };
	sigset_t signals;
	int ret;

	/* One line at a time, also into a pipe. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	block_signals(&signals, &app.wait_mask);

	rte_set_application_usage_hook(usage);
	ret = rte_eal_init(argc, argv);
	if (ret < 0) {
		fputs("ctrl_path: EAL did not start; its messages above say why\n", stderr);
		return EXIT_FAILURE;
	}
	/* EAL leaves the program's name where its own options ended. */
	argc -= ret;
	argv += ret;

	ret = parse_options(&app, argc, argv);
	if (ret == 0) {
		if (!app.event)
			sigprocmask(SIG_UNBLOCK, &signals, NULL);
		run(&app);
	}

	if (rte_eal_cleanup() != 0)
		fputs("ctrl_path: EAL did not end cleanly\n", stderr);
	return app.error == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
