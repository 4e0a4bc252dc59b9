/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Fast path example: a server on the card and a client on the host each send a
 * text into a buffer that the other one has posted. This file reads the options
 * and chooses the device; the role of the device is the role of the program.
 */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "fast_path.h"

#define DEFAULT_NAME "fast_path"
#define DEFAULT_IMM "greeting"
#define DEFAULT_WAIT_S 10
#define MAX_WAIT_S 86400

static void
usage(const char *prog)
{
	printf("Usage: %s [EAL options] -- [options]\n"
	       "\n"
	       "A server on the card and a client on the host each send a text into a buffer\n"
	       "that the other one has posted. The role is that of the device.\n"
	       "\n"
	       "  -p, --pci-addr DEVICE   device, by name or PCI address;\n"
	       "                          needed if there are several\n"
	       "  -r, --rep-pci FUNCTION  card side: function of the host to serve, by name or\n"
	       "                          PCI address; needed if there are several\n"
	       "  -t, --text TEXT         text to send, up to %u bytes\n"
	       "  -i, --imm TEXT          immediate data to send with it, up to %u bytes\n"
	       "                          (default: %s)\n"
	       "  -k, --tasks             use tasks and callbacks, instead of bursts\n"
	       "  -n, --name NAME         name of the server (default: %s)\n"
	       "  -e, --event             sleep until something happens, instead of polling\n"
	       "  -w, --wait SECONDS      longest wait for the peer, 1 to %u (default: %u)\n"
	       "  -h, --help              print this\n",
			prog, BUF_SIZE, IMM_LEN, DEFAULT_IMM, DEFAULT_NAME, MAX_WAIT_S,
			DEFAULT_WAIT_S);
}

/* Returns 0, a negative errno after a message, or 1 after help. */
static int
parse_options(struct app *app, int argc, char **argv)
{
	static const struct option options[] = { { "pci-addr", required_argument, NULL, 'p' },
		{ "rep-pci", required_argument, NULL, 'r' },
		{ "text", required_argument, NULL, 't' }, { "imm", required_argument, NULL, 'i' },
		{ "tasks", no_argument, NULL, 'k' }, { "name", required_argument, NULL, 'n' },
		{ "event", no_argument, NULL, 'e' }, { "wait", required_argument, NULL, 'w' },
		{ "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 } };
	uint32_t wait_s = DEFAULT_WAIT_S;
	int opt;

	while ((opt = getopt_long(argc, argv, "p:r:t:i:kn:ew:h", options, NULL)) != -1) {
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
		case 'i':
			app->imm = optarg;
			break;
		case 'k':
			app->layer = &task_layer;
			break;
		case 'n':
			app->name = optarg;
			break;
		case 'e':
			app->event = true;
			break;
		case 'w':
			if (number_read(opt, optarg, MAX_WAIT_S, &wait_s) != 0)
				return -EINVAL;
			break;
		case 'h':
			usage(argv[0]);
			return 1;
		default:
			/* getopt has named the option */
			return fail(-EINVAL, "see --help");
		}
	}
	if (optind < argc)
		return fail(-EINVAL, "%s: not an option; see --help", argv[optind]);
	if (app->text != NULL && app->text[0] == '\0')
		return fail(-EINVAL, "-t: the text is empty");
	if (app->name[0] == '\0')
		return fail(-EINVAL, "-n: the name is empty");
	app->wait_ms = wait_s * 1000;
	return 0;
}

static void
run(struct app *app)
{
	if (device_choose(app->pci_addr, FAST_PATH_CAPA | (app->event ? RTE_COMCH_CAPA_EVENT : 0),
			&app->dev_id, &app->info) != 0 ||
			function_choose(app->rep_pci, app->dev_id, &app->info, &app->rep) != 0)
		return;
	if (app->info.role == RTE_COMCH_ROLE_DPU)
		server_run(app);
	else
		client_run(app);
}

int
main(int argc, char **argv)
{
	struct app app = { .name = DEFAULT_NAME, .imm = DEFAULT_IMM, .layer = &burst_layer };
	int ret;

	ret = example_start("fast_path", argc, argv, usage);
	if (ret < 0)
		return EXIT_FAILURE;
	/* EAL leaves the program's name where its own options ended. */
	argc -= ret;
	argv += ret;

	if (parse_options(&app, argc, argv) == 0) {
		if (!app.event)
			signals_unblock();
		run(&app);
	}
	return example_end();
}
