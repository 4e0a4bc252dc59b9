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
	HOSTILE_KEEP,     /* "keep": what of each window from now on, HOSTILE_KEEP_* flags */
	HOSTILE_SCATTER,  /* "scatter": how many pages it has, each with a table of its own */
	HOSTILE_PEEK,     /* "peek": an address; the answer is what is there */
	HOSTILE_CLOSE,    /* "close": it closes its socket, and stays */
	HOSTILE_NB_FUNCS,
};

/* What it does with a window, where others map it, close its descriptor, and unmap it. */
#define HOSTILE_KEEP_MAP     1u  /* it stays where it is */
#define HOSTILE_KEEP_SECOND  2u  /* it is mapped at another place, too */
#define HOSTILE_KEEP_MOVED   4u  /* it goes to another place at its end, by mremap() */
#define HOSTILE_KEEP_FD      8u  /* the descriptor stays */
#define HOSTILE_KEEP_REFUSED 16u /* it is refused, and stays */
#define HOSTILE_KEEP_NONE    32u /* it is refused, and is not mapped */
#define HOSTILE_KEEP_RIGHTS 128u /* it is mapped over the first window, too */
#define HOSTILE_KEEP_UNREAD  64u /* it stays in the socket, and is answered all the same */

/* Execution units that it is asked for, by which it knows what to do in its start. */
enum test_dpa_hostile_start {
	HOSTILE_START_REFUSES = 58,
	HOSTILE_START_NO_PROG, /* it refuses what is not the last segment */
	HOSTILE_START_NO_UNIT, /* it refuses the first of them */
	HOSTILE_START_NO_MAGIC, /* its table of functions is of something else */
	HOSTILE_START_OTHER_VERSION,
	HOSTILE_START_MORE_FUNCS, /* than a table may have */
	HOSTILE_START_END,
};

#endif /* TEST_DPA_HOSTILE_H */
