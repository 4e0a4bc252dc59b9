/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* A straight line through samples: the slope of what a soak measures. */

#include "test_shm_soak.h"

void
soak_line_add(struct soak_line *line, double x, double y)
{
	if (line->nb == SOAK_SAMPLES)
		return;
	line->x[line->nb] = x;
	line->y[line->nb++] = y;
}

/* By Newton: it is all that the program would take of libm. */
static double
root(double x)
{
	double y = x > 1 ? x : 1;
	unsigned int i;

	for (i = 0; i < 100; i++)
		y = (y + x / y) / 2;
	return y;
}

double
soak_line_slope(const struct soak_line *line, double *error)
{
	double mx = 0, my = 0, sxx = 0, sxy = 0, rest = 0, slope, d;
	const unsigned int nb = line->nb;
	unsigned int i;

	*error = 0;
	for (i = 0; i < nb; i++) {
		mx += line->x[i] / nb;
		my += line->y[i] / nb;
	}
	for (i = 0; i < nb; i++) {
		sxx += (line->x[i] - mx) * (line->x[i] - mx);
		sxy += (line->x[i] - mx) * (line->y[i] - my);
	}
	if (nb < 3 || sxx <= 0)
		return 0;
	slope = sxy / sxx;
	for (i = 0; i < nb; i++) {
		d = line->y[i] - my - slope * (line->x[i] - mx);
		rest += d * d;
	}
	*error = root(rest / (nb - 2) / sxx);
	return slope;
}
