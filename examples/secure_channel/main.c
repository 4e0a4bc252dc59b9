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
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_eal.h>

#include "secure_channel.h"

#define DEFAULT_MSG_SIZE 1024
#define DEFAULT_NB_MSGS 100000
#define DEFAULT_WAIT_S 10
#define MAX_WAIT_S 86400
#define FAST_PATH_CAPA (RTE_COMCH_CAPA_CONSUMER | RTE_COMCH_CAPA_PRODUCER)

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

static int
parse_number(struct channel *ch, int opt, const char *text, uint32_t max, uint32_t *number)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || text[0] == '-' || value == 0 ||
			value > max) {
		fail(ch, -EINVAL, "-%c %s: not a number from 1 to %u", opt, text, max);
		return -EINVAL;
	}
	*number = value;
	return 0;
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
			ret = parse_number(ch, opt, optarg, MAX_MSG_SIZE, &ch->msg_size);
			break;
		case 'n':
			ret = parse_number(ch, opt, optarg, UINT32_MAX, &ch->nb_msgs);
			break;
		case 'w':
			ret = parse_number(ch, opt, optarg, MAX_WAIT_S, &wait_s);
			break;
		case 'h':
			usage(argv[0]);
			return 1;
		default:
			/* getopt has named the option */
			fail(ch, -EINVAL, "see --help");
			return -EINVAL;
		}
	}
	if (ret == 0 && optind < argc) {
		fail(ch, -EINVAL, "%s: not an option; see --help", argv[optind]);
		return -EINVAL;
	}
	ch->wait_ms = wait_s * MS_PER_S;
	return ret;
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
choose_device(struct channel *ch)
{
	uint16_t nb = rte_comch_dev_count_avail();
	int ret;

	if (nb == 0) {
		fail(ch, -ENODEV,
				"no comch device: give EAL one, for example "
				"--vdev comch_shm0,role=dpu,functions=pf0");
		return -ENODEV;
	}
	if (ch->pci_addr != NULL) {
		ret = rte_comch_dev_get_id_by_name(ch->pci_addr);
		if (ret < 0) {
			fail(ch, ret, "-p %s: no such device; there are:", ch->pci_addr);
			list_devices();
			return ret;
		}
		ch->dev_id = ret;
	} else if (nb > 1) {
		fail(ch, -EINVAL, "several devices, choose one by -p:");
		list_devices();
		return -EINVAL;
	} else {
		ch->dev_id = rte_comch_dev_next(0);
	}

	ret = rte_comch_dev_info_get(ch->dev_id, &ch->info);
	if (ret != 0) {
		fail(ch, ret, "device %d: cannot be read: %s", ch->dev_id, strerror(-ret));
		return ret;
	}
	if ((ch->info.capa & FAST_PATH_CAPA) != FAST_PATH_CAPA) {
		fail(ch, -ENOTSUP, "%s: the device has no fast path: see its arguments, or choose another",
				ch->info.name);
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
find_representor(struct channel *ch, const struct rte_comch_rep_info *reps, uint16_t nb)
{
	uint16_t i;
	int id;

	if (ch->rep_pci == NULL && nb == 1) {
		ch->rep = reps[0];
		fill_in(ch->rep.pci_addr);
		return 0;
	}
	if (nb == 0) {
		fail(ch, -ENODEV, "%s: serves no functions: name them in its arguments",
				ch->info.name);
	} else if (ch->rep_pci == NULL) {
		fail(ch, -EINVAL, "%s: %u functions, choose one by -r:", ch->info.name, nb);
	} else {
		id = rte_comch_rep_get_id_by_name(ch->dev_id, ch->rep_pci);
		for (i = 0; i < nb; i++) {
			if (reps[i].rep_id == id) {
				ch->rep = reps[i];
				fill_in(ch->rep.pci_addr);
				return 0;
			}
		}
		fail(ch, -ENODEV, "%s: -r %s: no such function; there are:", ch->info.name,
				ch->rep_pci);
	}
	for (i = 0; i < nb; i++)
		fprintf(stderr, "  %s  %s\n", reps[i].name, reps[i].pci_addr);
	return -ENODEV;
}

static int
choose_representor(struct channel *ch)
{
	struct rte_comch_rep_info *reps;
	uint16_t nb = ch->info.nb_reps;
	int ret;

	reps = calloc(nb + 1, sizeof(*reps));
	if (reps == NULL) {
		fail(ch, -ENOMEM, "out of memory");
		return -ENOMEM;
	}
	ret = rte_comch_rep_list(ch->dev_id, reps, nb);
	if (ret < 0)
		fail(ch, ret, "%s: cannot list the functions: %s", ch->info.name, strerror(-ret));
	else
		ret = find_representor(ch, reps, RTE_MIN(ret, nb));
	free(reps);
	return ret;
}

static void
run(struct channel *ch)
{
	if (choose_device(ch) != 0)
		return;
	fill_in(ch->info.function);
	fill_in(ch->info.pci_addr);
	if (ch->info.role == RTE_COMCH_ROLE_DPU) {
		if (choose_representor(ch) == 0)
			channel_run(ch);
	} else if (ch->rep_pci != NULL) {
		fail(ch, -EINVAL,
				"%s: -r is for the card side, this device is %s of the host: "
				"leave it out",
				ch->info.name, ch->info.function);
	} else {
		channel_run(ch);
	}
}

static void
interrupt(int signum __rte_unused)
{
	interrupted = 1;
}

int
main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = interrupt };
	static struct channel ch = { .msg_size = DEFAULT_MSG_SIZE, .nb_msgs = DEFAULT_NB_MSGS };
	int ret;

	/* One line at a time, also into a pipe. */
	setvbuf(stdout, NULL, _IOLBF, 0);

	rte_set_application_usage_hook(usage);
	ret = rte_eal_init(argc, argv);
	if (ret < 0) {
		fputs("secure_channel: EAL did not start; its messages above say why\n", stderr);
		return EXIT_FAILURE;
	}
	/* EAL leaves the program's name where its own options ended. */
	argc -= ret;
	argv += ret;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (parse_options(&ch, argc, argv) == 0)
		run(&ch);

	if (rte_eal_cleanup() != 0)
		fputs("secure_channel: EAL did not end cleanly\n", stderr);
	return failed(&ch) ? EXIT_FAILURE : EXIT_SUCCESS;
}
