/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_DPA_HOSTILE_H
#define TEST_DPA_HOSTILE_H

/* What the program without a runtime can be asked: shared by it and its test. */

/* Calls by name, with their arguments. */
enum test_dpa_hostile {
	HOSTILE_CALL = 0, /* "call": number of a system call, five arguments */
	HOSTILE_REFUSE,   /* "refuse": whether it refuses what comes from now on */
	HOSTILE_SEND,     /* "send": how many messages, bytes of each */
	HOSTILE_POKE,     /* "poke": an address, what to write there */
	HOSTILE_THREADS,  /* "threads": how many it makes; the answer is how many it has made */
	HOSTILE_NB_FUNCS,
};

#endif /* TEST_DPA_HOSTILE_H */
