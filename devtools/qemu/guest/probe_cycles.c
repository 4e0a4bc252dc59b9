/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A DPDK program that probes and removes one comch device again and again, and
 * looks for what is left behind: devices, descriptors, memory. It uses public
 * headers only, and runs as well without a guest:
 *
 *   probe_cycles --no-pci ... -- -n 100 comch_bluefield0,socket=<model's socket>
 *
 * usage: probe_cycles [EAL options] -- [-n <cycles>] [-w] [<devargs>]
 *
 *   -n <cycles>  probe devargs and remove it again, so often
 *   -w           then wait, with the devices of EAL's options: "dump", "reset" and
 *                "quit" on stdin; a device that is being unplugged is removed
 *
 * Prints "ok dpdk: <what>" or "FAILED dpdk: <what>: why".
 */

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_bus.h>
#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_eal.h>
#include <rte_malloc.h>

#include <rte_comch.h>

/* What the program holds, to compare. */
struct usage {
	unsigned int devs;
	unsigned int fds;
	size_t heap_bytes;    /* of hugepages, taken from the system */
	size_t used_bytes;    /* of the former, allocated */
	unsigned int used_count;
};

static unsigned int nb_failed;
/* A device that goes; set in EAL's interrupt thread. */
static char unplugged[RTE_DEV_NAME_MAX_LEN];
static uint32_t is_unplugged;

static void __rte_format_printf(2, 3)
report(bool ok, const char *fmt, ...)
{
	va_list ap;

	nb_failed += !ok;
	printf(ok ? "ok dpdk: " : "FAILED dpdk: ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
}

static unsigned int
count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int nb = 0;

	if (dir == NULL)
		return 0;
	while (readdir(dir) != NULL)
		nb++;
	closedir(dir);
	return nb;
}

static void
usage_get(struct usage *u)
{
	struct rte_malloc_socket_stats stats;
	int socket;

	memset(u, 0, sizeof(*u));
	u->devs = rte_comch_dev_count_avail();
	u->fds = count_fds();
	for (socket = 0; socket < RTE_MAX_NUMA_NODES; socket++) {
		if (rte_malloc_get_socket_stats(socket, &stats) != 0)
			continue;
		u->heap_bytes += stats.heap_totalsz_bytes;
		u->used_bytes += stats.heap_allocsz_bytes;
		u->used_count += stats.alloc_count;
	}
}

/* The pages that firmware has, as the driver says in its dump; -1 if it does not. */
static long
pages_of(int16_t dev_id)
{
	char *text = NULL, *at;
	long pages = -1;
	size_t size = 0;
	FILE *f;

	f = open_memstream(&text, &size);
	if (f == NULL)
		return -1;
	if (rte_comch_dev_dump(dev_id, f) == 0) {
		fflush(f);
		at = strstr(text, "pages ");
		if (at != NULL && sscanf(at, "pages %ld", &pages) != 1)
			pages = -1;
	}
	fclose(f);
	free(text);
	return pages;
}

static bool
device_check(unsigned int cycle)
{
	struct rte_comch_dev_info info;
	int16_t dev_id = rte_comch_dev_next(0);
	long pages;

	if (dev_id < 0 || rte_comch_dev_info_get(dev_id, &info) != 0) {
		report(false, "cycle %u: there is no comch device", cycle);
		return false;
	}
	if (info.status != 0) {
		report(false, "cycle %u: status %s", cycle, strerror(-info.status));
		return false;
	}
	pages = pages_of(dev_id);
	/* none of a VF, whose pages come from another */
	if (pages < 0) {
		report(false, "cycle %u: the driver does not say how many pages firmware has", cycle);
		return false;
	}
	if (cycle == 0)
		report(true, "device %s: driver %s, role %s, PCI address %s, %ld pages", info.name,
			info.driver, info.role == RTE_COMCH_ROLE_DPU ? "dpu" : "host",
			info.pci_addr, pages);
	return true;
}

static bool
usage_check(unsigned int cycle, const struct usage *first, const struct usage *now)
{
	if (now->devs == 0 && now->fds == first->fds && now->used_bytes == first->used_bytes &&
			now->used_count == first->used_count &&
			now->heap_bytes == first->heap_bytes)
		return true;
	report(false, "cycle %u: left are %u devices, %u descriptors (%u after the first cycle), "
		"%zu bytes in %u pieces of DPDK's memory (%zu in %u), of %zu (%zu)", cycle,
		now->devs, now->fds, first->fds, now->used_bytes, now->used_count,
		first->used_bytes, first->used_count, now->heap_bytes, first->heap_bytes);
	return false;
}

static void
run_cycles(const char *devargs, unsigned int nb)
{
	uint64_t start, ms, slowest = 0, total = 0;
	const char *bus = strncmp(devargs, "comch_", 6) == 0 ? "vdev" : "pci";
	char name[RTE_DEV_NAME_MAX_LEN];
	struct usage first = { 0 }, now;
	unsigned int i;
	int ret;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(devargs, ","), devargs);
	for (i = 0; i < nb; i++) {
		start = rte_get_timer_cycles();
		ret = rte_dev_probe(devargs);
		if (ret != 0) {
			report(false, "cycle %u: rte_dev_probe(%s): %s", i, devargs, strerror(-ret));
			return;
		}
		/* the driver refuses it; EAL passes that on, or takes it for success */
		ret = i == 0 ? rte_dev_probe(devargs) : -EEXIST;
		if (ret != 0 && ret != -EEXIST) {
			report(false, "second rte_dev_probe(%s): %s", devargs, strerror(-ret));
			return;
		}
		if (!device_check(i))
			return;
		ret = rte_eal_hotplug_remove(bus, name);
		if (ret != 0) {
			report(false, "cycle %u: rte_eal_hotplug_remove(%s, %s): %s", i, bus, name,
				strerror(-ret));
			return;
		}
		ms = (rte_get_timer_cycles() - start) * 1000 / rte_get_timer_hz();
		total += ms;
		slowest = RTE_MAX(slowest, ms);
		usage_get(&now);
		/* what is made once and stays, as EAL's threads, is there after the first */
		if (i == 0)
			first = now;
		if (!usage_check(i, &first, &now))
			return;
	}
	report(true, "%u times probed and removed, nothing left: %" PRIu64 " ms each, at most %"
		PRIu64, nb, nb > 0 ? total / nb : 0, slowest);
}

/* In EAL's interrupt thread, which must not remove what it serves. */
static void
device_event(const char *name, enum rte_dev_event_type event, void *arg __rte_unused)
{
	if (event != RTE_DEV_EVENT_REMOVE || name == NULL)
		return;
	snprintf(unplugged, sizeof(unplugged), "%s", name);
	__atomic_store_n(&is_unplugged, 1, __ATOMIC_RELEASE);
}

static void
remove_unplugged(void)
{
	struct usage now;
	int ret;

	printf("unplugged: %s\n", unplugged);
	ret = rte_eal_hotplug_remove("pci", unplugged);
	usage_get(&now);
	report(ret == 0 && now.devs == 0, "removed %s: %s, %u devices left", unplugged,
		strerror(-ret), now.devs);
	__atomic_store_n(&is_unplugged, 0, __ATOMIC_RELEASE);
}

/* False at the end. */
static bool
run_command(const char *word)
{
	int16_t dev_id;
	int ret;

	if (strcmp(word, "quit") == 0)
		return false;
	RTE_COMCH_FOREACH_DEV(dev_id) {
		if (strcmp(word, "dump") == 0)
			rte_comch_dev_dump(dev_id, stdout);
		if (strcmp(word, "reset") == 0) {
			ret = rte_comch_dev_reset(dev_id);
			report(ret == 0, "reset of device %d: %s", dev_id, strerror(-ret));
		}
	}
	printf("done: %s\n", word);
	fflush(stdout);
	return true;
}

static void
wait_for_commands(void)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	bool go_on = true;
	char line[64];

	printf("waiting\n");
	fflush(stdout);
	while (go_on) {
		if (__atomic_load_n(&is_unplugged, __ATOMIC_ACQUIRE) != 0)
			remove_unplugged();
		if (poll(&p, 1, 100) <= 0)
			continue;
		/* unbuffered, so that poll() knows of all that waits */
		if (fgets(line, sizeof(line), stdin) == NULL)
			break;
		line[strcspn(line, "\r\n")] = '\0';
		go_on = run_command(line);
	}
}

int
main(int argc, char **argv)
{
	unsigned int cycles = 0;
	bool wait = false;
	int ret, opt;

	setvbuf(stdin, NULL, _IONBF, 0);
	ret = rte_eal_init(argc, argv);
	if (ret < 0) {
		report(false, "rte_eal_init");
		return EXIT_FAILURE;
	}
	argc -= ret;
	argv += ret;
	optind = 1;
	while ((opt = getopt(argc, argv, "n:w")) != -1) {
		switch (opt) {
		case 'n':
			cycles = strtoul(optarg, NULL, 10);
			break;
		case 'w':
			wait = true;
			break;
		default:
			rte_eal_cleanup();
			return EXIT_FAILURE;
		}
	}
	rte_dev_event_callback_register(NULL, device_event, NULL);
	if (cycles > 0 && optind < argc)
		run_cycles(argv[optind], cycles);
	else if (!wait)
		report(rte_comch_dev_count_avail() != 0, "comch devices: %u",
			rte_comch_dev_count_avail());
	if (wait)
		wait_for_commands();
	rte_dev_event_callback_unregister(NULL, device_event, (void *)-1);
	rte_eal_cleanup();
	return nb_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
