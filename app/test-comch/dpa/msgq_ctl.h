/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_MSGQ_CTL_H
#define TEST_COMCH_MSGQ_CTL_H

/*
 * What the host tells the program of the msgq tests, and what that tells the host:
 * one block for each execution unit, in the memory of the program. Freestanding,
 * for both ends include it, which may be of different instruction sets.
 */

#include <stddef.h>
#include <stdint.h>

/* Name of the thread function. Its argument is where its block is. */
#define MSGQ_THREAD "msgq_work"

/* Execution units that touch the same line would measure each other. */
#define MSGQ_CTL_LINE 64

enum msgq_mode {
	MSGQ_MODE_STREAM = 1, /* receive and send as fast as the other end does */
	MSGQ_MODE_ECHO,       /* answer each message with the same one */
	MSGQ_MODE_COPY,       /* copy into the next slot, then say so */
};

#define MSGQ_CTL_F_VALIDATE 0x1u /* messages have their pattern, see pattern.h */
#define MSGQ_CTL_F_EVENT    0x2u /* return when there is nothing to receive */

struct msgq_ctl {
	/* By the host, while the thread does not run. Handles of what is not there are 0. */
	uint64_t consumer;
	uint64_t completion;
	uint64_t producer;
	uint32_t consumer_id; /* of the host's consumer, to send to */
	uint32_t mode;
	uint32_t flags;
	uint32_t size;        /* bytes of each message */
	uint32_t burst;
	uint32_t credits;     /* that the consumer begins with */
	/* Of copies. The addresses are the host's. */
	uint64_t src_addr;
	uint64_t dst_addr;
	uint64_t copy_len;
	uint64_t stride;
	uint32_t src_window;
	uint32_t dst_window;
	uint32_t slots;
	uint32_t pad0;
	uint64_t pad1[4];
	/* By the host at any time. */
	uint32_t stop;
	uint32_t pad2[15];
	/* By the program. */
	uint64_t received;
	uint64_t sent;
	uint64_t bad;         /* messages that were not the ones to come */
	uint64_t first_bad;   /* number of the first of them */
	uint32_t granted;     /* the credits to begin with have been given */
	int32_t error;        /* the first, a negative errno; it has ended the work */
	uint64_t pad3[3];
};

_Static_assert(offsetof(struct msgq_ctl, stop) == 128, "a line of its own");
_Static_assert(offsetof(struct msgq_ctl, received) == 192, "a line of its own");
_Static_assert(sizeof(struct msgq_ctl) == 256, "the same at both ends");

/* Streams of different units, and of the two directions, have different bytes. */
#define MSGQ_KEY_TO_DPA(eu)   ((uint64_t)(eu) << 48)
#define MSGQ_KEY_FROM_DPA(eu) ((uint64_t)(eu) << 48 | UINT64_C(1) << 47)

#endif /* TEST_COMCH_MSGQ_CTL_H */
