/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * How far two CPUs are from each other now: the median time in which a cache
 * line gets from one to the other, in ns. Virtual CPUs are moved by their host,
 * and what two processes do together changes by factors when they are: two
 * results can only be compared if this is the same before, between and after.
 */

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define APART 128     /* bytes between two words of different writers */
#define TRIPS 100     /* in one sample: the clock costs less than one of them */
#define SAMPLES 400
#define LOOKS_MASK 0xfffff
#define PATIENCE 10e9 /* ns until the other thread is given up: others may be busy there */

static struct {
	uint64_t ping __attribute__((aligned(APART)));
	uint64_t pong __attribute__((aligned(APART)));
} words;

static void
pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0) {
		perror("probe: sched_setaffinity");
		exit(1);
	}
}

static double
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void
wait_for(const uint64_t *word, uint64_t value)
{
	uint64_t spins = 0;
	double until = 0;

	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value) {
		if ((++spins & LOOKS_MASK) != 0)
			continue;
		if (until == 0)
			until = now_ns() + PATIENCE;
		if (now_ns() > until) {
			fprintf(stderr, "probe: the other thread does not answer\n");
			exit(1);
		}
	}
}

static void *
answer(void *arg)
{
	uint64_t i;

	pin(*(int *)arg);
	for (i = 1; i <= TRIPS * SAMPLES; i++) {
		wait_for(&words.ping, i);
		__atomic_store_n(&words.pong, i, __ATOMIC_RELEASE);
	}
	return NULL;
}

static int
compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int
main(int argc, char **argv)
{
	static double samples[SAMPLES];
	pthread_t thread;
	uint64_t n = 0;
	int cpu[2], i, j;
	double t;

	if (argc != 2 || sscanf(argv[1], "%d,%d", &cpu[0], &cpu[1]) != 2) {
		fprintf(stderr, "usage: probe CPU,CPU\n");
		return 2;
	}
	pin(cpu[0]);
	if (pthread_create(&thread, NULL, answer, &cpu[1]) != 0) {
		fprintf(stderr, "probe: no thread\n");
		return 1;
	}
	for (i = 0; i < SAMPLES; i++) {
		t = now_ns();
		for (j = 0; j < TRIPS; j++) {
			__atomic_store_n(&words.ping, ++n, __ATOMIC_RELEASE);
			wait_for(&words.pong, n);
		}
		samples[i] = (now_ns() - t) / TRIPS / 2;
	}
	pthread_join(thread, NULL);
	qsort(samples, SAMPLES, sizeof(samples[0]), compare_double);
	printf("%.1f\n", samples[SAMPLES / 2]);
	return 0;
}
