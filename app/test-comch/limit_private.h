/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_LIMIT_PRIVATE_H
#define TEST_COMCH_LIMIT_PRIVATE_H

/*
 * What the measurements of limits have in common: two threads that share a few
 * words. For the limit files only.
 */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_thread.h>

#include "limit.h"
#include "slices.h"

/* Distance that keeps two writers apart, with prefetch of neighbouring lines. */
#define LIMIT_APART 128
/* How often a spinning loop looks at the clock. */
#define LIMIT_CLOCK_MASK 0x3ff
/* Messages between two publications of an index. */
#define LIMIT_BATCH 32

struct pool_way;

struct limit_shared {
	/* Each word has one writer and a line of its own. */
	uint64_t ping __rte_aligned(LIMIT_APART);
	uint64_t pong __rte_aligned(LIMIT_APART);
	uint64_t head[2] __rte_aligned(LIMIT_APART);
	uint64_t tail[2] __rte_aligned(LIMIT_APART);
	uint64_t quit __rte_aligned(LIMIT_APART);
	uint64_t ready __rte_aligned(LIMIT_APART);
	/* Written before the helper starts. */
	uint64_t deadline __rte_aligned(LIMIT_APART);
	rte_thread_func helper;
	double share;     /* of a CPU that the helper got; read when it has ended */
	uint32_t size;
	uint32_t stride;
	uint32_t slots;
	uint32_t batch;
	bool bidir;
	bool event;
	bool rate;        /* both threads are busy all the time */
	uint64_t clock_mask; /* turns between two looks at the clock */
	int fd[2];
	uint8_t *ring[2];
	const struct limit_stream *stream;
	struct pool_way *ways; /* of limit_mbuf.c */
	void *arg;        /* the measurement's own */
};

struct limit_shared *limit_shared_alloc(void);
void limit_shared_free(struct limit_shared *sh);

/* Two threads that stream; the batch becomes what there are slots for. */
void limit_stream_init(struct limit_shared *sh, struct limit_stream *st);

static inline uint64_t
limit_clock_after(double seconds)
{
	return rte_rdtsc() + (uint64_t)(seconds * (double)rte_get_tsc_hz());
}

/* The helper is to end. */
static inline bool
limit_quit_seen(const struct limit_shared *sh)
{
	return __atomic_load_n(&sh->quit, __ATOMIC_ACQUIRE) != 0 || rte_rdtsc() > sh->deadline;
}

/*
 * Run a measurement with the helper beside it, which sets ready and ends when
 * limit_quit_seen(). -EBUSY if others had the CPUs.
 */
int limit_with_helper(const struct limit_place *place, struct limit_shared *sh, double seconds,
		rte_thread_func helper, int (*measure)(struct limit_shared *sh, double seconds,
				void *out), void *out);

/* Run a measurement of the calling thread alone, on its CPU. */
int limit_alone(const struct limit_place *place, struct limit_shared *sh, double seconds,
		int (*measure)(struct limit_shared *sh, double seconds, void *out), void *out);

/* What a measured rate is; nothing at all is no limit. */
static inline int
limit_rate_end(struct slices *s, double *rate)
{
	*rate = slices_best(s);
	return *rate > 0 ? 0 : -ETIMEDOUT;
}

#endif /* TEST_COMCH_LIMIT_PRIVATE_H */
