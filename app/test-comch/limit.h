/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_LIMIT_H
#define TEST_COMCH_LIMIT_H

/*
 * What the machine itself can do between two of its CPUs, measured with no
 * line of comch in between. A result is printed as a ratio to its limit.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_common.h>

#include "hist.h"

struct rte_mempool;

/* Where limits are measured. */
struct limit_place {
	int cpu;       /* of the calling thread, -1 if unknown */
	int peer_cpu;  /* where the helper thread goes, -1 if there is none to use */
	bool event;    /* both sides sleep when they wait */
	bool move;     /* cpu is not that of the calling thread: go there meanwhile */
	char why[96];  /* why nothing can be measured, if peer_cpu is -1 */
};

/* Choose where the helper goes: the server's CPU, if it is one of this machine. */
void limit_place_set(struct limit_place *place, int cpu, int peer_cpu, bool same_machine,
		bool event);

const char *limit_latency_name(bool event);
#define LIMIT_RATE_NAME "bare single-producer single-consumer loop"
#define LIMIT_CONNECT_NAME "socket round trip and a goodbye"

/* One-way time in TSC cycles, median. */
int limit_latency(const struct limit_place *place, double seconds, double *cycles);

/* Messages per second, one way or the sum of both ways. */
int limit_rate(const struct limit_place *place, uint32_t size, uint32_t window, bool bidir,
		double seconds, double *rate);

/* The buffers of a stream; with other memory the limit would be another. */
struct limit_stream {
	uint8_t *dst[2];       /* slots of each direction; the second for both at one time */
	uint8_t *src[2];
	uint32_t size;         /* bytes of each message */
	uint32_t stride;       /* distance of slots */
	uint32_t slots;
	uint32_t src_stride;
	uint32_t src_slots;
	uint32_t batch;        /* messages between two publications of an index */
	struct rte_mempool *src_pool[2]; /* of packets, instead of slots */
	struct rte_mempool *dst_pool[2];
	bool bidir;
	bool work;             /* all bytes are written and read, see work.h */
};

#define LIMIT_STREAM_NAME "bare single-producer single-consumer loop at the same stride"
#define LIMIT_WORK_NAME "bare loop that writes, copies and reads all bytes"
#define LIMIT_MBUF_NAME "bare loop with a pool of packets at each end"
#define LIMIT_COPY_NAME "memcpy of one core at the same working set"

/* Messages per second that one thread can write and the other look at. */
int limit_stream(const struct limit_place *place, const struct limit_stream *stream,
		double seconds, double *rate);

/* The same with packets, which are taken from a pool and given back at both ends. */
int limit_mbuf(const struct limit_place *place, const struct limit_stream *stream,
		double seconds, double *rate);

/* Messages per second that the calling thread can copy. */
int limit_copy(const struct limit_place *place, const struct limit_stream *stream,
		double seconds, double *rate);

/* What a reader does that looks at all of a message and keeps none of it. */
static inline void
limit_touch(const void *data, uint64_t len)
{
	const volatile uint8_t *p = data;
	uint64_t i;

	for (i = 0; i < len; i += RTE_CACHE_LINE_SIZE)
		(void)p[i];
}

/* Connects and disconnects per second, `parallel` at one time. */
int limit_connect(const struct limit_place *place, uint32_t parallel, double seconds,
		double *rate);

#endif /* TEST_COMCH_LIMIT_H */
