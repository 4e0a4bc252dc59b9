/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A lock and a condition whose waiters sleep, and the clock of all time limits. A command of
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
	/* default attributes: it cannot fail */
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

/* Nanoseconds of a clock that nobody sets. */
static inline uint64_t
bf_now_ns(void)
{
	struct timespec ts = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static inline uint64_t
bf_now_ms(void)
{
	return bf_now_ns() / 1000000;
}

/* What a thread waits for, with a lock. */
struct bf_cond {
	pthread_cond_t cond;
};

/* 0 or a negative errno: its clock is not the default. */
static inline int
bf_cond_init(struct bf_cond *cond)
{
	pthread_condattr_t attr;
	int ret;

	ret = pthread_condattr_init(&attr); /* check-ok: waiters must sleep */
	if (ret != 0)
		return -ret;
	ret = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC); /* check-ok: the same */
	if (ret == 0)
		ret = pthread_cond_init(&cond->cond, &attr); /* check-ok: the same */
	pthread_condattr_destroy(&attr); /* check-ok: the same */
	return -ret;
}

static inline void
bf_cond_fini(struct bf_cond *cond)
{
	pthread_cond_destroy(&cond->cond); /* check-ok: waiters must sleep */
}

static inline void
bf_cond_wake_all(struct bf_cond *cond)
{
	pthread_cond_broadcast(&cond->cond); /* check-ok: waiters must sleep */
}

static inline void
bf_cond_wait(struct bf_cond *cond, struct bf_lock *lock)
{
	pthread_cond_wait(&cond->cond, &lock->mutex); /* check-ok: waiters must sleep */
}

/* As bf_cond_wait(), but no longer than to this time of bf_now_ms(). */
static inline void
bf_cond_wait_until(struct bf_cond *cond, struct bf_lock *lock, uint64_t ms)
{
	struct timespec ts = {
		.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000,
	};

	pthread_cond_timedwait(&cond->cond, &lock->mutex, &ts); /* check-ok: the same */
}

#endif
