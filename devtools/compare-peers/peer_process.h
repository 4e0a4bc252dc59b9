/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef PEER_PROCESS_H
#define PEER_PROCESS_H

/*
 * What programs that measure a peer have around it: two processes, each on one CPU, and
 * memory that both have. PEER_NAME is defined before. Nothing of a library is in here.
 */

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PEER_PATIENCE 10.0 /* seconds until a side gives the other one up */
#define APART 128          /* bytes between two words of different writers */
#define LOOKS_MASK 0x3f    /* turns between two looks at the clock */

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
peer_fail(const char *what, const char *why)
{
	fprintf(stderr, PEER_NAME ": %s: %s\n", what, why);
	exit(1);
}

static void
pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		peer_fail("sched_setaffinity", strerror(errno));
}

/* Until the other side has set it. */
static void
wait_ready(const uint32_t *ready)
{
	double until = now() + PEER_PATIENCE;

	while (__atomic_load_n(ready, __ATOMIC_ACQUIRE) == 0) {
		if (now() > until)
			peer_fail("the other process", "it does not start");
		usleep(100);
	}
}

/* Memory, zero, that this process and its children have. */
static void *
share(size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		peer_fail("mmap", strerror(errno));
	return mem;
}

/* As fork(): each is on a CPU of its own afterwards. */
static pid_t
fork_pinned(const int cpu[2])
{
	pid_t child = fork();

	if (child < 0)
		peer_fail("fork", strerror(errno));
	/* Nothing of this stays behind when the parent is killed. */
	if (child == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin(cpu[child == 0 ? 1 : 0]);
	return child;
}

static void
join(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child || status != 0)
		peer_fail("the other process", "it failed");
}

/* What a receiver measures: messages in a second, after a quarter of the time. */
struct clocked {
	double warm, begin, until, rate;
	uint64_t at_begin;
};

static struct clocked
clocked_begin(double seconds)
{
	double t = now();

	return (struct clocked){ .warm = t + seconds / 4, .until = t + PEER_PATIENCE };
}

/* Is it over, with so many messages so far? */
static int
clocked_over(struct clocked *c, double seconds, uint64_t count)
{
	double t = now();

	if (c->begin == 0 && t > c->warm && count > 0) {
		c->begin = t;
		c->at_begin = count;
	} else if (c->begin != 0 && t > c->begin + seconds) {
		c->rate = (double)(count - c->at_begin) / (t - c->begin);
		return 1;
	} else if (t > c->until) {
		peer_fail("receive", "no messages");
	}
	return 0;
}

#endif /* PEER_PROCESS_H */
