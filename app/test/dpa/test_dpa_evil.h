/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_DPA_EVIL_H
#define TEST_DPA_EVIL_H

/* What the program without a runtime can be asked: shared by it and its test. */

/* Calls by name, with their arguments. */
enum test_dpa_evil {
	EVIL_CALL = 0, /* "call": number of a system call, five arguments */
	EVIL_REFUSE,   /* "refuse": whether it refuses what comes from now on */
	EVIL_SEND,     /* "send": how many messages, bytes of each */
	EVIL_POKE,     /* "poke": an address, what to write there */
	EVIL_THREADS,  /* "threads": how many it makes; the answer is how many it has made */
	EVIL_NB_FUNCS,
};

#endif /* TEST_DPA_EVIL_H */
