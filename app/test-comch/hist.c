/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* The slow side of the histogram: percentiles, merging and printing. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hist.h"

/* Characters of the longest bar of a printed histogram. */
#define HIST_BAR 50

struct hist *
hist_create(void)
{
	struct hist *h = malloc(sizeof(*h));

	if (h != NULL)
		hist_reset(h);
	return h;
}

void
hist_free(struct hist *h)
{
	free(h);
}

void
hist_reset(struct hist *h)
{
	memset(h, 0, sizeof(*h));
	h->min = UINT64_MAX;
}

void
hist_merge(struct hist *to, const struct hist *from)
{
	uint32_t i;

	to->nb += from->nb;
	to->sum += from->sum;
	to->min = RTE_MIN(to->min, from->min);
	to->max = RTE_MAX(to->max, from->max);
	for (i = 0; i < HIST_BUCKETS; i++)
		to->bucket[i] += from->bucket[i];
}

double
hist_percentile(const struct hist *h, double percent)
{
	double rank = percent / 100.0 * (double)h->nb;
	double middle;
	uint64_t seen = 0;
	uint32_t i;

	if (h->nb == 0)
		return 0.0;
	for (i = 0; i < HIST_BUCKETS; i++) {
		seen += h->bucket[i];
		if (h->bucket[i] != 0 && (double)seen >= rank)
			break;
	}
	if (i == HIST_BUCKETS)
		return (double)h->max;
	/* The middle of a bucket must not lie outside what was measured. */
	middle = ((double)hist_value(i) + (double)(hist_value(i + 1) - 1)) / 2;
	if (middle < (double)h->min)
		return (double)h->min;
	return RTE_MIN(middle, (double)h->max);
}

double
hist_avg(const struct hist *h)
{
	return h->nb == 0 ? 0.0 : h->sum / (double)h->nb;
}

void
hist_print(const struct hist *h, FILE *f, double div, const char *unit)
{
	uint64_t bin[65] = { 0 };
	uint64_t most = 0, seen = 0;
	unsigned int first = 64, last = 0;
	unsigned int b;
	uint32_t i;

	if (h->nb == 0)
		return;
	/* Half a power of two would be finer, but nobody reads 60 lines. */
	for (i = 0; i < HIST_BUCKETS; i++) {
		double v;

		if (h->bucket[i] == 0)
			continue;
		v = (double)hist_value(i) / div;
		for (b = 0; b < 63 && v >= (double)RTE_BIT64(b); b++)
			;
		bin[b] += h->bucket[i];
		first = RTE_MIN(first, b);
		last = RTE_MAX(last, b);
	}
	for (b = first; b <= last; b++)
		most = RTE_MAX(most, bin[b]);
	for (b = first; b <= last; b++) {
		int bar = (int)((double)bin[b] * HIST_BAR / (double)most + 0.5);

		seen += bin[b];
		fprintf(f, "  < %10" PRIu64 " %s %12" PRIu64 " %8.4f %% %.*s\n",
				(uint64_t)RTE_BIT64(b), unit, bin[b],
				100.0 * (double)seen / (double)h->nb, bar,
				"##################################################");
	}
}
