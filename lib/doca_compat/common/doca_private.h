/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_PRIVATE_H
#define DOCA_PRIVATE_H

/*
 * What the libraries of the layer share among themselves: a lock, and messages of the
 * layer itself. Not installed. Functions declared here have the version node
 * DOCA_COMPAT_INTERNAL.
 */

#include <pthread.h>
#include <stdint.h>

#include <doca_compat.h>

/* Programs log and parse before EAL starts, or without it: no lock of DPDK's. */
static inline void
doca_lock(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock); /* check-ok: works without EAL */
}

static inline void
doca_unlock(pthread_mutex_t *lock)
{
	pthread_mutex_unlock(lock); /* check-ok: works without EAL */
}

/*
 * Log a message of the layer itself, of a part of it that is called source.
 * Returns the number of SDK backends there are, whether they show it or not.
 */
DOCA_COMPAT_PRINTF(6, 7)
int doca_compat_log(uint32_t level, const char *source, const char *file, int line,
		const char *function, const char *format, ...);

#define DOCA_COMPAT_LOG(level, source, ...) \
	doca_compat_log(level, source, __FILE__, __LINE__, __func__, __VA_ARGS__)

#endif /* DOCA_PRIVATE_H */
