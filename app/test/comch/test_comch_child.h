/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Other processes for the tests: this program, started again with devices of
 * its own, told what to do line by line over a socket. What a child can be told
 * is at the head of test_comch_child.c.
 */

#ifndef TEST_COMCH_CHILD_H
#define TEST_COMCH_CHILD_H

#include <sys/types.h>

#include "test.h"
#include "test_comch_place.h"

/** Longest line, with the NUL. */
#define TEST_CHILD_LINE 256

struct rte_comch_pe;

struct test_child {
	pid_t pid;                   /**< 0 if it has ended. */
	int fd;
	unsigned int nr;             /**< Makes its file prefix unique. */
	const char *function;        /**< Of the host; NULL: it is a card. */
	char reply[TEST_CHILD_LINE]; /**< What the last answer said behind "ok". */
};

/** In main(), before EAL changes anything: remember how we were started. */
void test_child_init(int argc, char **argv);
/** What a child runs instead of tests. @return 0, or a negative errno. */
int test_child_main(const char *socket_nr);
/** The same for a child of test_comch_fp_child.c. */
int test_fp_child_main(const char *socket_nr);
/** And of test_shm_storm_child.c. */
int test_storm_child_main(const char *socket_nr);
/** And of test_shm_soak_lives.c. */
int test_soak_child_main(const char *socket_nr);

/** In a child: one thing that it can be told. */
struct test_child_command {
	const char *word;             /**< With the blank behind it, if arguments follow. */
	int (*fn)(const char *args);  /**< Answers itself, if it returns 0. */
};

/** In a child: its engine, and how it is told what to do. */
struct test_child_side {
	int sock;
	struct rte_comch_pe *pe;
	const struct test_child_command *commands;
	unsigned int nb_commands;
	/** Called in each turn, unless it is NULL. @return true: do not sleep. */
	bool (*busy)(void);
	bool quit;
};

/** Open it on the only device, say that it is ready, and obey until told to quit. */
int test_child_run(struct test_child_side *side, const char *socket_nr);
/** Answer the parent. @return 0 or a negative errno. */
__rte_format_printf(2, 3)
int test_child_reply(struct test_child_side *side, const char *format, ...);

/**
 * Start a child with one device of a place, on a function of the host or, with NULL, of the
 * card. The option says what it runs: "child", "fp-child", "storm-child" or
 * "soak-child".
 * @return it, ready; or NULL.
 */
struct test_child *test_child_start_as(const char *option, struct test_place *place,
		const char *function);
/** Start a child of the first kind. */
struct test_child *test_child_start(struct test_place *place, const char *function);
/** Tell a child to do something, without waiting for the answer. */
__rte_format_printf(2, 3)
int test_child_tell(struct test_child *child, const char *format, ...);
/** Look for its answer. @return as test_child_answer(), or -EAGAIN. */
int test_child_poll(struct test_child *child);
/** Wait for its answer while progressing. @return 0, or what it failed with. */
int test_child_answer(struct test_child *child, unsigned int ms);
/** Both together. */
__rte_format_printf(3, 4)
int test_child_ask(struct test_child *child, unsigned int ms, const char *format, ...);
/** Kill with a signal, and forget it once it has ended. */
void test_child_kill(struct test_child *child);
/** End it in order. @return 0 if it ended well. */
int test_child_end(struct test_child *child);
/** End all that are left. For teardown. */
void test_child_cleanup(void);

#endif /* TEST_COMCH_CHILD_H */
