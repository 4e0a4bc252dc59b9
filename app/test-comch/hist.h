/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_HIST_H
#define TEST_COMCH_HIST_H

/*
 * A histogram of times in TSC cycles, with buckets of a fixed relative width.
 * It knows nothing of what was measured.
 */

#include <stdint.h>
#include <stdio.h>

#include <rte_bitops.h>
#include <rte_branch_prediction.h>
#include <rte_common.h>

/*
 * Values below 2^(HIST_BITS + 1) have a bucket each; above, each power of two
 * is cut into 2^HIST_BITS buckets, so that the error stays below 0.2 %.
 */
#define HIST_BITS 9
#define HIST_SUB (1u << HIST_BITS)
/* Longest time that has a bucket of its own: 2^44 cycles, more than an hour. */
#define HIST_MAX_BITS 44
#define HIST_BUCKETS ((HIST_MAX_BITS - HIST_BITS + 1) * HIST_SUB)

struct hist {
	uint64_t nb;
	uint64_t min;
	uint64_t max;
	double sum;
	uint64_t bucket[HIST_BUCKETS];
};

static inline uint32_t
hist_index(uint64_t v)
{
	unsigned int shift;

	if (v < 2 * HIST_SUB)
		return (uint32_t)v;
	if (unlikely(v >= RTE_BIT64(HIST_MAX_BITS)))
		return HIST_BUCKETS - 1;
	shift = 63 - __builtin_clzll(v) - HIST_BITS;
	return (shift << HIST_BITS) + (uint32_t)(v >> shift);
}

/* Lowest value of a bucket. */
static inline uint64_t
hist_value(uint32_t index)
{
	unsigned int shift;

	if (index < 2 * HIST_SUB)
		return index;
	shift = (index >> HIST_BITS) - 1;
	return (uint64_t)(index - (shift << HIST_BITS)) << shift;
}

static inline void
hist_add(struct hist *h, uint64_t v)
{
	h->nb++;
	h->sum += (double)v;
	if (v < h->min)
		h->min = v;
	if (v > h->max)
		h->max = v;
	h->bucket[hist_index(v)]++;
}

struct hist *hist_create(void);
void hist_free(struct hist *h);
void hist_reset(struct hist *h);
void hist_merge(struct hist *to, const struct hist *from);

/* Value in cycles below which `percent` of all values are; 0 if there is none. */
double hist_percentile(const struct hist *h, double percent);
double hist_avg(const struct hist *h);

/* Print it in powers of two; every value is divided by `div` first. */
void hist_print(const struct hist *h, FILE *f, double div, const char *unit);

#endif /* TEST_COMCH_HIST_H */
