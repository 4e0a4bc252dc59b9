/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * How long the turns of an engine take: a histogram of processor time. That of the clock
 * says nothing where nine processes share two processors.
 */

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "test_shm_storm.h"

uint64_t
storm_stolen_ms(void)
{
	FILE *f = fopen("/proc/stat", "re");
	uint64_t ticks;

	if (f == NULL)
		return 0;
	if (fscanf(f, "cpu %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &ticks) != 1)
		ticks = 0;
	fclose(f);
	return ticks * 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
}

void
storm_times_add(struct storm_times *times, uint64_t ns)
{
	unsigned int log = ns < 8 ? 3 : 63 - (unsigned int)__builtin_clzll(ns);

	times->buckets[log * 8 + (ns >> (log - 3) & 7)]++;
	times->nb++;
	times->max = RTE_MAX(times->max, ns);
	times->over_1ms += ns > 1000000;
	times->over_5ms += ns > 5000000;
}

double
storm_times_part(const struct storm_times *times, double part)
{
	uint64_t nb = 0;
	unsigned int i;

	for (i = 0; i < RTE_DIM(times->buckets); i++) {
		nb += times->buckets[i];
		if (times->nb != 0 && (double)nb >= part * (double)times->nb)
			break;
	}
	return (double)RTE_MIN((UINT64_C(9) + i % 8) << (i / 8) >> 3, times->max) / 1000;
}

void
storm_times_sum(struct storm_times *sum, const struct storm_times *times)
{
	unsigned int i;

	for (i = 0; i < RTE_DIM(times->buckets); i++)
		sum->buckets[i] += times->buckets[i];
	sum->nb += times->nb;
	sum->max = RTE_MAX(sum->max, times->max);
	sum->over_1ms += times->over_1ms;
	sum->over_5ms += times->over_5ms;
}
