/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Secure channel example: a server on the card and a client on the host send
 * each other many messages at one time. This file reads the options and chooses
 * the device; the role of the device is the role of the program.
 */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_cycles.h>

#include "secure_channel.h"

#define DEFAULT_MSG_SIZE 1024
#define DEFAULT_NB_MSGS 100000
#define DEFAULT_WAIT_S 10
#define MAX_WAIT_S 86400

static void
usage(const char *prog)
{
	printf("Usage: %s [EAL options] -- [options]\n"
	       "\n"
	       "A server on the card and a client on the host send each other messages, both at\n"
	       "one time, and check what comes. The role is that of the device. Each direction\n"
	       "has a lcore of its own if there are three.\n"
	       "\n"
	       "  -p, --pci-addr DEVICE   device, by name or PCI address;\n"
	       "                          needed if there are several\n"
	       "  -r, --rep-pci FUNCTION  card side: function of the host to serve, by name or\n"
	       "                          PCI address; needed if there are several\n"
	       "  -s, --msg-size BYTES    size of the messages to send, 1 to %u (default: %u)\n"
	       "  -n, --num-msgs NUMBER   messages to send, 1 to %u (default: %u)\n"
	       "  -w, --wait SECONDS      longest wait for the peer, 1 to %u (default: %u)\n"
	       "  -h, --help              print this\n",
			prog, MAX_MSG_SIZE, DEFAULT_MSG_SIZE, UINT32_MAX, DEFAULT_NB_MSGS,
			MAX_WAIT_S, DEFAULT_WAIT_S);
}

/* Returns 0, a negative errno after a message, or 1 after help. */
static int
parse_options(struct channel *ch, int argc, char **argv)
{
	static const struct option options[] = { { "pci-addr", required_argument, NULL, 'p' },
		{ "rep-pci", required_argument, NULL, 'r' },
		{ "msg-size", required_argument, NULL, 's' },
		{ "num-msgs", required_argument, NULL, 'n' },
		{ "wait", required_argument, NULL, 'w' }, { "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 } };
	uint32_t wait_s = DEFAULT_WAIT_S;
	int opt, ret = 0;

	while (ret == 0 && (opt = getopt_long(argc, argv, "p:r:s:n:w:h", options, NULL)) != -1) {
		switch (opt) {
		case 'p':
			ch->pci_addr = optarg;
			break;
		case 'r':
			ch->rep_pci = optarg;
			break;
		case 's':
			ret = number_read(opt, optarg, MAX_MSG_SIZE, &ch->msg_size);
			break;
		case 'n':
			ret = number_read(opt, optarg, UINT32_MAX, &ch->nb_msgs);
			break;
		case 'w':
			ret = number_read(opt, optarg, MAX_WAIT_S, &wait_s);
			break;
		case 'h':
			usage(argv[0]);
			return 1;
		default:
			/* getopt has named the option */
			return fail(-EINVAL, "see --help");
		}
	}
	if (ret == 0 && optind < argc)
		return fail(-EINVAL, "%s: not an option; see --help", argv[optind]);
	ch->wait_ms = wait_s * MS_PER_S;
	return ret;
}

static void
run(struct channel *ch)
{
	if (device_choose(ch->pci_addr, FAST_PATH_CAPA, &ch->dev_id, &ch->info) == 0 &&
			function_choose(ch->rep_pci, ch->dev_id, &ch->info, &ch->rep) == 0)
		channel_run(ch);
}

int
main(int argc, char **argv)
{
	static struct channel ch = { .msg_size = DEFAULT_MSG_SIZE, .nb_msgs = DEFAULT_NB_MSGS };
	int ret;

	ret = example_start("secure_channel", argc, argv, usage);
	if (ret < 0)
		return EXIT_FAILURE;
	/* EAL leaves the program's name where its own options ended. */
	argc -= ret;
	argv += ret;

	signals_unblock();
	if (parse_options(&ch, argc, argv) == 0)
		run(&ch);
	return example_end();
}
