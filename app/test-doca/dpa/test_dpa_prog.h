/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What test_dpa_prog.c and the cases that use it have in common: memory of the program, and
 * messages. Fixed widths only.
 */

#ifndef TEST_DPA_PROG_H
#define TEST_DPA_PROG_H

#include <stdint.h>

/* Runs of test_prog_count(). */
struct test_prog_runs {
	uint32_t ended;
	uint32_t beyond; /* what must not be reached */
	uint32_t eu;
	uint32_t pad;
};

/* What test_prog_echo() works with. */
struct test_prog_echo {
	uint64_t consumer;
	uint64_t completion;
	uint64_t producer;
	uint64_t send_completion;
	uint32_t consumer_id; /* of the host */
	uint32_t pad;
	uint64_t runs;
	uint64_t sent;
	uint64_t sent_user_data;
};

struct test_prog_msg {
	uint64_t number;
	uint32_t producer_id; /* set by the program */
	uint32_t user_data;   /* likewise */
};

/* What test_prog_buf() can tell. */
enum test_prog_buf {
	TEST_PROG_BUF_ADDR,
	TEST_PROG_BUF_LEN,
	TEST_PROG_BUF_MMAP,
};

/* What test_prog_copy() is to do. */
struct test_prog_copy {
	uint64_t producer;
	uint32_t consumer_id; /* of the host */
	uint32_t dst_mmap;
	uint64_t dst_addr;
	uint64_t src_addr;
	uint64_t len;
	uint64_t number; /* in the message */
	uint64_t done;   /* by the program: the number of the last one */
	uint32_t src_mmap;
	uint32_t pad;
};

#endif /* TEST_DPA_PROG_H */
