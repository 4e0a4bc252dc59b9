/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A lock whose waiters sleep, and the clock of all time limits. A command of
 * firmware lasts from microseconds to a minute, with the lock held: a spinning
 * waiter would burn a core for as long, so EAL's spinlocks will not do.
 */

#ifndef BLUEFIELD_LOCK_H
#define BLUEFIELD_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct bf_lock {
	pthread_mutex_t mutex;
};

static inline void
bf_lock_init(struct bf_lock *lock)
{
	/* default attributes: it can not fail */
	pthread_mutex_init(&lock->mutex, NULL); /* check-ok: waiters must sleep */
}

static inline void
bf_lock_fini(struct bf_lock *lock)
{
	pthread_mutex_destroy(&lock->mutex); /* check-ok: waiters must sleep */
}

static inline void
bf_lock(struct bf_lock *lock)
{
	pthread_mutex_lock(&lock->mutex); /* check-ok: waiters must sleep */
}

static inline bool
bf_trylock(struct bf_lock *lock)
{
	return pthread_mutex_trylock(&lock->mutex) == 0; /* check-ok: waiters must sleep */
}

static inline void
bf_unlock(struct bf_lock *lock)
{
	pthread_mutex_unlock(&lock->mutex); /* check-ok: waiters must sleep */
}

/* Milliseconds of a clock that nobody sets. */
static inline uint64_t
bf_now_ms(void)
{
	struct timespec ts = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

#endif
