/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Where limits are measured: between the calling thread and a helper that is
 * pinned to the CPU of the server, which sleeps meanwhile. Every loop ends by
 * itself: the caller's by the clock, the helper's by the word that the caller
 * leaves, or by a clock of its own if the caller is gone.
 */

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "env.h"
#include "limit_private.h"

/* Seconds that the helper stays after the time the caller wants to measure. */
#define LIMIT_GRACE 2.0
/*
 * Of the slices of a rate the upper tenth counts: what others take of the CPUs is
 * no limit of the machine's. If it is not certain that the threads ran for this share
 * of the time, and two of them at the same time, there are not enough slices that are
 * theirs: it is tried again.
 */
#define LIMIT_SHARE_MIN 0.15
#define LIMIT_TRIES 2

void
limit_place_set(struct limit_place *place, int cpu, int peer_cpu, bool same_machine, bool event)
{
	int i;

	memset(place, 0, sizeof(*place));
	place->cpu = cpu;
	place->peer_cpu = -1;
	place->event = event;
	if (same_machine) {
		if (peer_cpu < 0)
			snprintf(place->why, sizeof(place->why),
					"the server does not tell its cpu");
		else if (peer_cpu == cpu)
			snprintf(place->why, sizeof(place->why),
					"both sides run on cpu %d; give them one each by -l", cpu);
		else
			place->peer_cpu = peer_cpu;
		return;
	}
	/*
	 * Between two machines there is no such loop: the limit of this one,
	 * between two of its own CPUs, is what remains to compare with.
	 */
	for (i = 0; i < sysconf(_SC_NPROCESSORS_ONLN); i++) {
		if (i != cpu) {
			place->peer_cpu = i;
			return;
		}
	}
	snprintf(place->why, sizeof(place->why), "this machine has one cpu");
}

struct share {
	uint64_t tsc;
	uint64_t cpu_ns;
};

static void
share_begin(struct share *s)
{
	s->cpu_ns = env_cpu_time_ns();
	s->tsc = rte_rdtsc();
}

static double
share_end(const struct share *s)
{
	double wall = (double)(rte_rdtsc() - s->tsc) / (double)rte_get_tsc_hz();

	return wall > 0 ? (double)(env_cpu_time_ns() - s->cpu_ns) / 1e9 / wall : 0;
}

static uint32_t
helper_main(void *arg)
{
	struct limit_shared *sh = arg;
	struct share s;
	uint32_t ret;

	share_begin(&s);
	ret = sh->helper(sh);
	sh->share = share_end(&s);
	return ret;
}

/* Forget what an earlier try has left. */
static void
shared_reset(struct limit_shared *sh)
{
	char drop[16];
	unsigned int i;

	sh->ping = sh->pong = sh->quit = sh->ready = 0;
	memset(sh->head, 0, sizeof(sh->head));
	memset(sh->tail, 0, sizeof(sh->tail));
	for (i = 0; i < RTE_DIM(sh->fd); i++) {
		while (sh->fd[i] >= 0 && recv(sh->fd[i], drop, sizeof(drop), MSG_DONTWAIT) > 0)
			;
	}
}

/* The thread that looks after everything may be on another CPU than its workers. */
static int
measure_at(const struct limit_place *place, struct limit_shared *sh, double seconds,
		int (*measure)(struct limit_shared *sh, double seconds, void *out), void *out,
		double *share)
{
	pthread_t self = pthread_self();
	cpu_set_t old, at;
	bool moved = false;
	struct share s;
	int ret;

	if (place->move && place->cpu >= 0 && env_cpu() != place->cpu) {
		CPU_ZERO(&at);
		CPU_SET(place->cpu, &at);
		moved = pthread_getaffinity_np(self, sizeof(old), &old) == 0 &&
				pthread_setaffinity_np(self, sizeof(at), &at) == 0;
	}
	share_begin(&s);
	ret = measure(sh, seconds, out);
	*share = share_end(&s);
	if (moved)
		pthread_setaffinity_np(self, sizeof(old), &old);
	return ret;
}

/* Run a measurement with the helper beside it; -EBUSY if others were there too. */
static int
with_helper_once(const struct limit_place *place, struct limit_shared *sh, double seconds,
		rte_thread_func helper, int (*measure)(struct limit_shared *sh, double seconds,
				void *out), void *out)
{
	rte_thread_attr_t attr;
	rte_thread_t thread;
	rte_cpuset_t set;
	double share = 1;
	uint64_t end;
	int ret;

	shared_reset(sh);
	sh->helper = helper;
	sh->event = place->event;
	sh->deadline = limit_clock_after(seconds + LIMIT_GRACE);
	CPU_ZERO(&set);
	CPU_SET(place->peer_cpu, &set);
	ret = rte_thread_attr_init(&attr);
	if (ret == 0)
		ret = rte_thread_attr_set_affinity(&attr, &set);
	if (ret == 0)
		ret = rte_thread_create(&thread, &attr, helper_main, sh);
	if (ret != 0)
		return ret < 0 ? ret : -ret;

	end = limit_clock_after(LIMIT_GRACE / 2);
	while (__atomic_load_n(&sh->ready, __ATOMIC_ACQUIRE) == 0 && rte_rdtsc() < end)
		usleep(100);
	if (__atomic_load_n(&sh->ready, __ATOMIC_ACQUIRE) != 0) {
		ret = measure_at(place, sh, seconds, measure, out, &share);
	} else {
		ret = -ETIMEDOUT;
	}
	__atomic_store_n(&sh->quit, 1, __ATOMIC_RELEASE);
	rte_thread_join(thread, NULL);
	/* Threads that sleep have no share to look at, and single times need none. */
	if (sh->event || !sh->rate)
		return ret;
	return share + sh->share - 1 < LIMIT_SHARE_MIN ? -EBUSY : ret;
}

int
limit_with_helper(const struct limit_place *place, struct limit_shared *sh, double seconds,
		rte_thread_func helper, int (*measure)(struct limit_shared *sh, double seconds,
				void *out), void *out)
{
	int ret = -ENOTSUP, i;

	if (place->peer_cpu < 0)
		return -ENOTSUP;
	for (i = 0; i < LIMIT_TRIES; i++) {
		ret = with_helper_once(place, sh, seconds, helper, measure, out);
		if (ret != -EBUSY)
			break;
	}
	return ret;
}

int
limit_alone(const struct limit_place *place, struct limit_shared *sh, double seconds,
		int (*measure)(struct limit_shared *sh, double seconds, void *out), void *out)
{
	int ret = -EBUSY, i;
	double share;

	for (i = 0; i < LIMIT_TRIES && ret == -EBUSY; i++) {
		ret = measure_at(place, sh, seconds, measure, out, &share);
		if (share < LIMIT_SHARE_MIN)
			ret = -EBUSY;
	}
	return ret;
}

struct limit_shared *
limit_shared_alloc(void)
{
	struct limit_shared *sh = aligned_alloc(LIMIT_APART, sizeof(*sh));

	if (sh != NULL) {
		memset(sh, 0, sizeof(*sh));
		sh->fd[0] = -1;
		sh->fd[1] = -1;
	}
	return sh;
}

void
limit_shared_free(struct limit_shared *sh)
{
	unsigned int i;

	for (i = 0; i < RTE_DIM(sh->fd); i++) {
		if (sh->fd[i] >= 0)
			close(sh->fd[i]);
		free(sh->ring[i]);
	}
	free(sh);
}

