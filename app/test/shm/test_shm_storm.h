/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the parts of the suite shm_attack_storm share: the honest ends, which check every
 * message, the attackers, and the times of the server's turns. No test is in here.
 */

#ifndef TEST_SHM_STORM_H
#define TEST_SHM_STORM_H

#include <limits.h>

#include "test_shm_peer.h"

#define STORM_FUNCTIONS 4u
extern const char * const storm_functions[STORM_FUNCTIONS];

/* test_shm_storm_end.c */

/** One side of an honest connection's fast path. */
struct storm_end {
	TAILQ_ENTRY(storm_end) next;
	struct test_ep *ep;
	struct rte_comch_conn *conn;  /**< NULL when it has ended. */
	struct rte_comch_ctx *consumer;
	struct rte_comch_ctx *producer;
	struct rte_comch_mem *rx;
	struct rte_comch_mem *tx;
	uint32_t nb_new;              /**< Of ep, when it was opened. */
	bool posted;
	uint64_t received;
	uint64_t sent;
	uint64_t done;                /**< Of sent. */
	int error;                    /**< The first one, for good. */
};

/** Consumer and producer on a connection. @return 0 or a negative errno. */
int storm_end_open(struct storm_end *end, struct test_ep *ep, struct rte_comch_conn *conn,
		int16_t dev, struct rte_comch_pe *pe);
/** Receive and check what is there, then send up to a number of all messages so far. */
unsigned int storm_end_turn(struct storm_end *end, uint64_t send_to);
/** Free what can be freed in this turn. @return whether that is all. */
bool storm_end_close(struct storm_end *end);

/* test_shm_storm_child.c: what a child is told, for the suite */

struct test_child;

/** Counters of an honest client, of all of its connections. */
struct storm_counts {
	uint64_t msgs;                /**< Control messages that came back in order. */
	uint64_t fast;                /**< The same of the fast path. */
	unsigned int nb_connects;
	unsigned int worst_ms;        /**< Longest time without anything that was due. */
};

/** Tell a child to begin; it answers. */
int storm_child_start(struct test_child *child, bool reconnect, unsigned int seconds);
/** Read its answer to "report" or "finish". @return 0, or what it has run into. */
int storm_child_report(struct test_child *child, struct storm_counts *counts);

/* test_shm_storm_evil.c */

/** One idea of an attacker. */
struct storm_idea {
	const char *name;
	void (*round)(void);          /**< Again and again. */
	bool needs_fs;                /**< Without FUSE there is nothing to do. */
};

extern const struct storm_idea storm_ideas[];
extern const unsigned int storm_nb_ideas;
/** Where the server is. */
extern const char *storm_evil_dir;

/* test_shm_storm_spawn.c */

/** Start the process that starts attackers; before there is a device. @return 0 or -errno. */
int storm_evil_start(const char *dir, bool other_user);
/** An attacker on each function begins with an idea. */
int storm_evil_begin(unsigned int idea);
/** Kill all of them: this takes a moment. @return 0 or a negative errno. */
int storm_evil_end(void);
/** Have they gone? @return how many had ended by themselves, or -EAGAIN, or another error. */
int storm_evil_ended(uint64_t *rounds);
void storm_evil_stop(void);

/* test_shm_storm_target.c */

/** A server for attackers, on the representor of test_pair. @return 0 or a negative errno. */
int storm_target_start(struct rte_comch_pe *pe);
/** Send to their consumers. */
void storm_targets_turn(void);
void storm_targets_end(void);

/* test_shm_storm_time.c */

/** What others took of the processors of a virtual machine: it can look like time of a thread. */
uint64_t storm_stolen_ms(void);

/** Times, in buckets of an eighth. */
struct storm_times {
	uint64_t buckets[64 * 8];
	uint64_t nb;
	uint64_t max;                 /**< Nanoseconds. */
	uint64_t over_1ms;
	uint64_t over_5ms;
};

void storm_times_add(struct storm_times *times, uint64_t ns);
/** Some part of all was not longer than this, in microseconds. */
double storm_times_part(const struct storm_times *times, double part);
void storm_times_sum(struct storm_times *sum, const struct storm_times *times);

#endif /* TEST_SHM_STORM_H */
