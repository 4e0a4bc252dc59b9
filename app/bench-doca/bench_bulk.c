/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * usage: doca-compat-bench [rounds [buffers]]
 *
 * What a bulk transfer of 64 KiB buffers costs through lib/doca_compat, beside the same
 * with rte_comch by itself. Each run is two new processes on two CPUs: one writes to each
 * cache line of a buffer and sends it, the other one reads each line.
 *
 * A run is timed in laps of some messages, and its rate is that of the median lap. The kinds
 * of runs take turns. Medians of their rates are printed, with that of memcpy() for the same
 * buffers, which is a limit: one copy of each message has to be made. A ratio is the median
 * of those to the first kind in the same round, as other programs may slow down a round.
 */

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_bulk.h"

#define NB_BUFS 32 /* 2 MiB on each side */
#define NB_MSGS 25600
/* Laps before the first that counts. */
#define NB_WARM 10
#define ROUNDS 5
#define MAX_ROUNDS 99
/* Seconds that one run may take. */
#define RUN_SECONDS 60

static const struct kind {
	const char *name;
	int (*run)(const struct bulk_spec *spec, struct bulk_laps *laps);
	enum bulk_memory memory;
} kinds[] = {
	{"rte_comch, its own memory", bulk_native, BULK_REGION},
	{"rte_comch, whole pages of the program", bulk_native, BULK_PAGES},
	{"rte_comch, pieces of pages of the program", bulk_native, BULK_PIECES},
	{"lib/doca_compat, whole pages", bulk_layer, BULK_PAGES},
	{"lib/doca_compat, pieces of pages", bulk_layer, BULK_PIECES},
};

#define NB_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The median lap as a rate in GB/s; sorts. 0 if there are too few. */
static double
lap_rate(struct bulk_laps *laps)
{
	uint32_t i, nb = 0;

	for (i = NB_WARM; i + 1 < laps->nb; i++)
		laps->at[nb++] = laps->at[i + 1] - laps->at[i];
	if (nb == 0)
		return 0;
	qsort(laps->at, nb, sizeof(laps->at[0]), compare);
	return (double)BULK_LAP * BULK_SIZE / laps->at[nb / 2] / 1e9;
}

static double
memcpy_rate(uint32_t nb_bufs)
{
	struct bulk_spec spec = { .memory = BULK_PAGES, .nb_bufs = nb_bufs };
	uint8_t *from = bulk_memory(&spec), *to = bulk_memory(&spec);
	struct bulk_laps laps = { .nb = 0 };
	uint32_t i;

	for (i = 1; i <= NB_MSGS && from != NULL && to != NULL; i++) {
		memcpy(to + (size_t)(i % nb_bufs) * BULK_SIZE,
				from + (size_t)(i % nb_bufs) * BULK_SIZE, BULK_SIZE);
		bulk_count(&laps, i);
	}
	free(from);
	free(to);
	return lap_rate(&laps);
}

static void
end_run(const struct kind *kind, const struct bulk_spec *spec, int out)
{
	struct bulk_laps laps = { .nb = 0 };
	cpu_set_t cpus;
	double rate;

	CPU_ZERO(&cpus);
	CPU_SET(spec->cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	alarm(RUN_SECONDS);
	if (kind->run(spec, &laps) != 0)
		_exit(EXIT_FAILURE);
	rate = lap_rate(&laps);
	if (!spec->sender && write(out, &rate, sizeof(rate)) != sizeof(rate))
		_exit(EXIT_FAILURE);
	_exit(EXIT_SUCCESS);
}

/* The rate of one run in GB/s, or 0. */
static double
run(const struct kind *kind, uint32_t nb_bufs, const int cpus[2], const char *path)
{
	struct bulk_spec spec = {
		.memory = kind->memory,
		.nb_bufs = nb_bufs,
		.nb_msgs = NB_MSGS,
		.path = path,
	};
	int fds[2], status, i;
	double rate = 0;
	pid_t pids[2];

	if (pipe(fds) != 0)
		return 0;
	for (i = 0; i < 2; i++) {
		spec.sender = i == 1;
		spec.cpu = cpus[i];
		fflush(stdout);
		pids[i] = fork();
		if (pids[i] == 0)
			end_run(kind, &spec, fds[1]);
	}
	close(fds[1]);
	if (read(fds[0], &rate, sizeof(rate)) != sizeof(rate))
		rate = 0;
	close(fds[0]);
	for (i = 0; i < 2; i++)
		if (pids[i] < 0 || waitpid(pids[i], &status, 0) != pids[i] || status != 0)
			rate = 0;
	return rate;
}

static int
find_cpus(int found[2])
{
	cpu_set_t cpus;
	int i, n = 0;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0)
		return -1;
	for (i = 0; i < CPU_SETSIZE && n < 2; i++)
		if (CPU_ISSET(i, &cpus))
			found[n++] = i;
	return n == 2 ? 0 : -1;
}

/* -1 if a run has failed. Leaves the rates as they are, for the kinds to come. */
static int
print_kind(const struct kind *kind, const double *rates, const double *first,
		unsigned int rounds)
{
	double sorted[MAX_ROUNDS], ratios[MAX_ROUNDS];
	unsigned int r;

	for (r = 0; r < rounds; r++) {
		sorted[r] = rates[r];
		ratios[r] = first[r] > 0 ? rates[r] / first[r] : 0;
	}
	qsort(sorted, rounds, sizeof(sorted[0]), compare);
	qsort(ratios, rounds, sizeof(ratios[0]), compare);
	printf("%-42s %8.2f %8.2f %8.2f %8.2f\n", kind->name, sorted[rounds / 2], sorted[0],
			sorted[rounds - 1], ratios[rounds / 2]);
	return sorted[0] > 0 ? 0 : -1;
}

/* An argument that may be missing, or 0. */
static unsigned int
number(int argc, char **argv, int i, unsigned int dflt, unsigned int max)
{
	unsigned long n = argc > i ? strtoul(argv[i], NULL, 10) : dflt;

	return n <= max ? n : 0;
}

int
main(int argc, char **argv)
{
	unsigned int rounds = number(argc, argv, 1, ROUNDS, MAX_ROUNDS), r, k;
	unsigned int nb_bufs = number(argc, argv, 2, NB_BUFS, BULK_MAX_BUFS);
	char path[] = "/tmp/doca-compat-bench-XXXXXX";
	static double rates[NB_KINDS][MAX_ROUNDS];
	double copies[MAX_ROUNDS];
	bool failed = false;
	int cpus[2];

	if (rounds == 0 || nb_bufs == 0 || find_cpus(cpus) != 0 || mkdtemp(path) == NULL) {
		fprintf(stderr, "usage: %s [rounds, up to %u [buffers, up to %u]]; "
				"it needs two CPUs and /tmp\n", argv[0], MAX_ROUNDS, BULK_MAX_BUFS);
		return EXIT_FAILURE;
	}
	for (r = 0; r < rounds; r++) {
		copies[r] = memcpy_rate(nb_bufs);
		for (k = 0; k < NB_KINDS; k++)
			rates[k][r] = run(&kinds[k], nb_bufs, cpus, path);
	}
	rmdir(path);
	qsort(copies, rounds, sizeof(copies[0]), compare);
	printf("%u buffers of %u bytes on each side, %u rounds\n\n", nb_bufs, BULK_SIZE, rounds);
	printf("%-42s %8s %8s %8s %8s\n", "GB/s", "median", "lowest", "highest", "ratio");
	printf("%-42s %8.2f %8.2f %8.2f\n", "limit: memcpy()", copies[rounds / 2], copies[0],
			copies[rounds - 1]);
	for (k = 0; k < NB_KINDS; k++)
		failed |= print_kind(&kinds[k], rates[k], rates[0], rounds) != 0;
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
