/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_SLICES_H
#define TEST_COMCH_SLICES_H

/*
 * A rate that is measured in slices which are shorter than those of the
 * scheduler, so that what others take of the CPUs can be told from what the
 * machine can do: the best tenth of the slices is without others.
 */

#include <stdint.h>

#include <rte_cycles.h>

/* Parts of a measured time. */
#define SLICES_MAX 200

struct slices {
	double rate[SLICES_MAX];
	uint32_t nb;
	uint64_t len;      /* of each, in cycles */
	uint64_t begin;    /* of this one */
	uint64_t count;    /* at its begin */
};

/* seconds: of the whole measurement. */
void slices_begin(struct slices *s, double seconds, uint64_t count);

/* To be called often. count: what has been done so far. */
static inline void
slices_look(struct slices *s, uint64_t now, uint64_t count)
{
	if (now - s->begin < s->len)
		return;
	if (s->nb < SLICES_MAX)
		s->rate[s->nb++] = (double)(count - s->count) * (double)rte_get_tsc_hz() /
				(double)(now - s->begin);
	s->begin = now;
	s->count = count;
}

/* The rate of the best tenth; 0 if there is no slice. */
double slices_best(struct slices *s);

#endif /* TEST_COMCH_SLICES_H */
