/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef PING_PONG_H
#define PING_PONG_H

/*
 * What the host's program and that of the offload processor have in common: what the
 * latter works with, and messages. Fixed widths only.
 */

#include <stdint.h>

/* Messages on the way. */
#define PING_PONG_CREDITS 16

struct ping_pong_block {
	uint64_t consumer; /* handles */
	uint64_t consumer_completion;
	uint64_t producer;
	uint32_t consumer_id; /* of the host */
	uint32_t pings;       /* that have come */
	uint32_t mmap;        /* of the host's memory */
	uint32_t size;        /* bytes that go with a ping; 0: none, and no map */
	uint64_t there;       /* where the bytes of pings are, one after the other */
	uint64_t back;        /* and those of pongs */
};

struct ping_pong_msg {
	uint64_t number;
	uint64_t answer; /* of a pong: the number, backwards */
};

#endif /* PING_PONG_H */
