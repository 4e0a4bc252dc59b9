/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the two halves of the measurement of bulk transfers share: what a run is, and how
 * the bytes of a buffer are written and looked at. Both halves do the same with them.
 */

#ifndef BENCH_BULK_H
#define BENCH_BULK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Bytes of each buffer. */
#define BULK_SIZE 65536
#define BULK_LINE 64
#define BULK_MAX_BUFS 1024
/* Messages that are timed together: a millisecond or less. */
#define BULK_LAP 128
#define BULK_MAX_LAPS 1024
/* Of the program's memory that has no pages of its own: what malloc() may give. */
#define BULK_ODD 16

/* Memory that the buffers lie in. */
enum bulk_memory {
	BULK_REGION = 0, /* of rte_comch_mem_alloc() */
	BULK_PAGES,      /* whole pages of the program */
	BULK_PIECES,     /* of the program, not at the beginning of a page */
};

/* One end of one run. */
struct bulk_spec {
	bool sender;
	enum bulk_memory memory;
	int cpu;
	uint32_t nb_bufs;  /* of each end, and all of them are on their way */
	uint64_t nb_msgs;  /* messages in all */
	const char *path;  /* where both ends meet: a folder of the run's own */
};

/* When each BULK_LAP messages had come. */
struct bulk_laps {
	uint32_t nb;
	double at[BULK_MAX_LAPS];
};

/*
 * Run one end in this process, which ends afterwards. Returns 0, or -1 after a line on
 * stderr.
 */
int bulk_native(const struct bulk_spec *spec, struct bulk_laps *laps);
int bulk_layer(const struct bulk_spec *spec, struct bulk_laps *laps);

/* Memory of the program for all buffers of an end; NULL if there is none. */
static inline uint8_t *
bulk_memory(const struct bulk_spec *spec)
{
	size_t page = sysconf(_SC_PAGESIZE), len = (size_t)spec->nb_bufs * BULK_SIZE;
	uint8_t *addr = aligned_alloc(page, len + page);

	if (addr == NULL)
		return NULL;
	memset(addr, 0, len + page); /* it is there, and not at the first message */
	return spec->memory == BULK_PIECES ? addr + BULK_ODD : addr;
}

static inline double
bulk_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* The receiver has so many messages. */
static inline void
bulk_count(struct bulk_laps *laps, uint64_t nb_msgs)
{
	if (nb_msgs % BULK_LAP == 0 && laps->nb < BULK_MAX_LAPS)
		laps->at[laps->nb++] = bulk_now();
}

/* The sender writes to each cache line; */
static inline void
bulk_fill(uint8_t *buf, uint64_t seq)
{
	size_t i;

	for (i = 0; i < BULK_SIZE; i += BULK_LINE)
		*(volatile uint64_t *)(buf + i) = seq + i;
}

/* the receiver reads each, and tells whether this is the message. */
static inline bool
bulk_look(const uint8_t *buf, uint64_t seq)
{
	uint64_t wrong = 0;
	size_t i;

	for (i = 0; i < BULK_SIZE; i += BULK_LINE)
		wrong |= *(const volatile uint64_t *)(buf + i) ^ (seq + i);
	return wrong == 0;
}

#endif /* BENCH_BULK_H */
