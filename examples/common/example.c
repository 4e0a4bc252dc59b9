/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* Start, end and failures of an example, and its device. See example.h. */

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rte_common.h>
#include <rte_cycles.h>

#include "example.h"

volatile sig_atomic_t interrupted;

static const char *example_name;
static int first_error;
static sigset_t signals, wait_mask;

static void
interrupt(int signum __rte_unused)
{
	interrupted = 1;
}

/*
 * Signals are blocked before EAL makes its threads, which inherit that: so they always
 * reach the main thread. It takes them while it sleeps in event mode, and at any time in
 * polling mode.
 */
int
example_start(const char *name, int argc, char **argv, rte_usage_hook_t usage)
{
	struct sigaction action = { .sa_handler = interrupt };
	int ret;

	/* At once: EAL has words of its own, and may not even start. */
	if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		usage(argv[0]);
		exit(EXIT_SUCCESS);
	}
	example_name = name;
	/* One line at a time, also into a pipe. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, &wait_mask);

	rte_set_application_usage_hook(usage);
	ret = rte_eal_init(argc, argv);
	if (ret < 0)
		fail(ret, "EAL did not start; its messages above say why");
	return ret;
}

void
signals_unblock(void)
{
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
}

/* Sleeping. 8< */
/*
 * For news of the connection, for a completion, or for a credit if the last burst ended for
 * want of one. rte_comch_pe_arm() looks once more after it has armed, so that nothing is
 * slept over.
 */
int
engine_sleep(struct rte_comch_pe *pe, uint64_t max_ms)
{
	struct pollfd pfd = { .fd = rte_comch_pe_fd(pe), .events = POLLIN };
	const struct timespec ts = {
		.tv_sec = max_ms / MS_PER_S,
		.tv_nsec = max_ms % MS_PER_S * (NS_PER_S / MS_PER_S),
	};
	int ret = rte_comch_pe_arm(pe);

	if (ret == -EAGAIN)
		return 0;
	if (ret < 0)
		return ret;
	/*
	 * Signals are blocked everywhere but in here, so that one which comes
	 * just before the sleep ends it too.
	 */
	if (ppoll(&pfd, 1, &ts, &wait_mask) < 0 && errno != EINTR)
		return -errno;
	return 0;
}
/* >8 End of sleeping. */

int
example_end(void)
{
	if (rte_eal_cleanup() != 0)
		fprintf(stderr, "%s: EAL did not end cleanly\n", example_name);
	return failed() ? EXIT_FAILURE : EXIT_SUCCESS;
}

int
fail(int err, const char *format, ...)
{
	char text[512];
	int none = 0;
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (__atomic_compare_exchange_n(&first_error, &none, err, false, __ATOMIC_RELAXED,
			__ATOMIC_RELAXED)) {
		fflush(stdout);
		fprintf(stderr, "%s: %s\n", example_name, text);
	}
	return err;
}

bool
failed(void)
{
	return __atomic_load_n(&first_error, __ATOMIC_RELAXED) != 0;
}

int
number_read(int opt, const char *text, uint32_t max, uint32_t *number)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || text[0] == '-' || value == 0 ||
			value > max)
		return fail(-EINVAL, "-%c %s: not a number from 1 to %u", opt, text, max);
	*number = value;
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

/* A device that is on no bus has no address, and not each has a name. */
static void
fill_in(char *text)
{
	if (text[0] == '\0') {
		text[0] = '-';
		text[1] = '\0';
	}
}

int
device_choose(const char *name, uint64_t capa, int16_t *dev_id, struct rte_comch_dev_info *info)
{
	uint16_t nb = rte_comch_dev_count_avail();
	int ret;

	if (nb == 0)
		return fail(-ENODEV, "no comch device: give EAL one, for example "
				"--vdev comch_shm0,role=dpu,functions=pf0");
	if (name != NULL) {
		ret = rte_comch_dev_get_id_by_name(name);
		if (ret < 0) {
			fail(ret, "-p %s: no such device; there are:", name);
			list_devices();
			return ret;
		}
		*dev_id = ret;
	} else if (nb > 1) {
		fail(-EINVAL, "several devices, choose one by -p:");
		list_devices();
		return -EINVAL;
	} else {
		*dev_id = rte_comch_dev_next(0);
	}

	ret = rte_comch_dev_info_get(*dev_id, info);
	if (ret != 0)
		return fail(ret, "device %d: cannot be read: %s", *dev_id, strerror(-ret));
	capa &= ~info->capa;
	if ((capa & FAST_PATH_CAPA) != 0)
		return fail(-ENOTSUP, "%s: the device has no fast path: see its arguments, or "
				"choose another", info->name);
	if ((capa & RTE_COMCH_CAPA_EVENT) != 0)
		return fail(-ENOTSUP, "%s: the driver has no event mode: leave out -e",
				info->name);
	fill_in(info->function);
	fill_in(info->pci_addr);
	return 0;
}

static int
find_function(const char *name, int16_t dev_id, const struct rte_comch_dev_info *info,
		const struct rte_comch_rep_info *reps, uint16_t nb, struct rte_comch_rep_info *rep)
{
	uint16_t i;
	int id;

	if (nb == 0)
		return fail(-ENODEV, "%s: serves no functions: name them in its arguments",
				info->name);
	id = name == NULL ? reps[0].rep_id : rte_comch_rep_get_id_by_name(dev_id, name);
	for (i = 0; i < nb && (name != NULL || nb == 1); i++) {
		if (reps[i].rep_id == id) {
			*rep = reps[i];
			fill_in(rep->pci_addr);
			return 0;
		}
	}
	if (name == NULL)
		fail(-EINVAL, "%s: %u functions, choose one by -r:", info->name, nb);
	else
		fail(-ENODEV, "%s: -r %s: no such function; there are:", info->name, name);
	for (i = 0; i < nb; i++)
		fprintf(stderr, "  %s  %s\n", reps[i].name, reps[i].pci_addr);
	return -ENODEV;
}

int
function_choose(const char *name, int16_t dev_id, const struct rte_comch_dev_info *info,
		struct rte_comch_rep_info *rep)
{
	struct rte_comch_rep_info *reps;
	uint16_t nb = info->nb_reps;
	int ret;

	if (info->role != RTE_COMCH_ROLE_DPU)
		return name == NULL ? 0 : fail(-EINVAL, "%s: -r is for the card side, this device "
				"is %s of the host: leave it out", info->name, info->function);
	reps = calloc(nb + 1, sizeof(*reps));
	if (reps == NULL)
		return fail(-ENOMEM, "out of memory");
	ret = rte_comch_rep_list(dev_id, reps, nb);
	if (ret < 0)
		fail(ret, "%s: cannot list the functions: %s", info->name, strerror(-ret));
	else
		ret = find_function(name, dev_id, info, reps, RTE_MIN(ret, nb), rep);
	free(reps);
	return ret;
}
