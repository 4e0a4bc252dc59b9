/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_LIMIT_SLOTS_H
#define TEST_COMCH_LIMIT_SLOTS_H

/* The limit of message queues: one CPU with as many others as there are queues. */

#include "limit.h"

#define LIMIT_SLOTS_NAME "bare single-producer single-consumer loops of 64-byte slots"
#define LIMIT_SLOT_SIZE 64

struct limit_slots {
	const int32_t *cpus;  /* of the other ends, -1 for any; the first is the place's */
	uint32_t nb;          /* other ends */
	uint32_t size;        /* bytes of each message, no more than a slot */
	uint32_t slots;       /* of each queue */
	uint32_t batch;       /* messages between two publications of an index */
	bool to;              /* the caller writes */
	bool from;            /* the caller reads; both: two queues for each other end */
};

/* Messages per second that the calling thread writes and reads. */
int limit_slots(const struct limit_place *place, const struct limit_slots *spec, double seconds,
		double *rate);

#endif /* TEST_COMCH_LIMIT_SLOTS_H */
