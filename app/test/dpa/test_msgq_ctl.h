/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the program of the msgq suite and that suite have to agree on. Both ends include
 * it: nothing of a host, nothing of a program.
 */

#ifndef TEST_MSGQ_CTL_H
#define TEST_MSGQ_CTL_H

#include <stdint.h>

/* Of a thread, in the memory of the program: its address is the argument. */
struct test_msgq_ctl {
	uint64_t consumer;   /* handles */
	uint64_t completion;
	uint64_t producer;
	uint32_t consumer_id; /* of the host, to answer to */
	uint32_t deed;        /* enum test_msgq_deed */
	uint32_t credits;     /* to give at first */
	uint32_t one;         /* one message, then return */
};

enum test_msgq_deed {
	TEST_MSGQ_ECHO = 0,   /* answer each message with itself */
	TEST_MSGQ_COPY,       /* a message is struct test_msgq_copy: do it, and answer */
	TEST_MSGQ_MISTAKES,   /* what no function takes */
	TEST_MSGQ_BAD_TAIL,   /* write a credit that cannot be */
	TEST_MSGQ_BAD_ENTRY,  /* write a message that cannot be */
};

/* 32 bytes. */
struct test_msgq_copy {
	uint64_t dst_addr;
	uint64_t src_addr;
	uint64_t len;
	uint32_t dst;
	uint32_t src;
};

#endif /* TEST_MSGQ_CTL_H */
