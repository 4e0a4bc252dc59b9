/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_DPA_DEEDS_H
#define TEST_DPA_DEEDS_H

/* What the program of the tests can be told to do: shared by the program and the tests. */

enum test_dpa_deed {
	/* to touch what is not there, or not to be written */
	DEED_NULL = 0,
	DEED_WRITE_HOST,
	DEED_TRAP,
	DEED_STACK,
	DEED_JUMP,
	/* to make a system call */
	DEED_FORBIDDEN = 16,
	DEED_OPEN = DEED_FORBIDDEN,
	DEED_SOCKET,
	DEED_FORK,
	DEED_EXEC,
	DEED_EXECVEAT,
	DEED_PTRACE,
	DEED_KILL,
	DEED_EXEC_PAGE,
	DEED_CALLS_END,
	/* other things; some have a value */
	DEED_OTHER = 32,
	DEED_SPIN = DEED_OTHER,
	DEED_EXIT,     /* its status */
	DEED_GARBAGE,  /* rounds, 0 for ever */
	DEED_NONSENSE, /* bytes of a message */
	DEED_LOG,      /* lines */
};

#endif /* TEST_DPA_DEEDS_H */
