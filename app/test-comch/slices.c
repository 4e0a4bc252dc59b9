/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* The slow side of slices. */

#include <stdlib.h>

#include <rte_common.h>

#include "slices.h"

#define SLICE_SECONDS 0.0005

static int
compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void
slices_begin(struct slices *s, double seconds, uint64_t count)
{
	seconds = RTE_MAX(seconds / SLICES_MAX, SLICE_SECONDS);
	s->nb = 0;
	s->len = (uint64_t)(seconds * (double)rte_get_tsc_hz());
	s->count = count;
	s->begin = rte_rdtsc();
}

double
slices_best(struct slices *s)
{
	if (s->nb == 0)
		return 0;
	qsort(s->rate, s->nb, sizeof(s->rate[0]), compare_double);
	return s->rate[s->nb * 9 / 10];
}
