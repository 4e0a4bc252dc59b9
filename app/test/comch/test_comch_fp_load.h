/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Traffic for the tests of the fast path between processes: threads that send
 * and receive on one connection, and check every byte. Used alike by the test
 * and by the processes that it starts. No test is in here.
 */

#ifndef TEST_COMCH_FP_LOAD_H
#define TEST_COMCH_FP_LOAD_H

#include <pthread.h>
#include <sys/queue.h>

#include "test_comch_util.h"

#define TEST_LINK_IDS 32

/** A connection, and the consumers that the peer has on it. */
struct test_link {
	TAILQ_ENTRY(test_link) next;
	struct rte_comch_conn *conn;   /**< NULL when it has ended. */
	int16_t dev;
	bool card;                     /**< This side is the card's. */
	uint32_t peer_pid;
	char function[RTE_COMCH_FUNCTION_SIZE]; /**< Of the client. */
	int status;                    /**< What the disconnection came with. */
	uint32_t nb_new;
	uint32_t nb_gone;
	bool ended;                    /**< As conn == NULL, for other threads. */
	uint32_t newest;               /**< The last that arrived; 0 if it departed. */
	pthread_mutex_t lock;          /**< Guards what follows. */
	uint32_t nb_ids;
	uint32_t ids[TEST_LINK_IDS];
};

/** As test_server_run() and test_client_run(), for connections with links. */
struct test_ep *test_link_listen(const char *name, struct rte_comch_pe *pe);
struct test_ep *test_link_connect(const char *name, struct rte_comch_pe *pe);
/** The newest link of a process; 0 for any. @return NULL if there is none alive. */
struct test_link *test_link_of(uint32_t peer_pid, const char *function);
/** Forget them. The connections are test_cleanup()'s to close. */
void test_link_cleanup(void);

/** What runs on one link: the peer needs the mirror image of it. */
struct test_load_conf {
	struct test_link *link;
	uint32_t nb_producers;         /**< Of this side, each a thread. */
	uint32_t nb_consumers;
	uint32_t peer_producers;
	uint32_t peer_consumers;
	uint64_t msgs;                 /**< Of each producer; 0 to go on until stopped. */
	uint32_t nb_posts;             /**< Of each consumer. */
	uint32_t nb_sends;             /**< Of each producer. */
	uint32_t max_len;              /**< The longest message. */
	uint64_t seed;                 /**< The same on both sides. */
	bool own;                      /**< Consumers here receive into memory of the process. */
};

/** What the threads of a load have done, in all. */
struct test_load_sum {
	uint64_t sent;
	uint64_t received;
	uint64_t bytes;                /**< Received. */
	uint64_t returned;             /**< Posts that came back unused. */
	uint64_t short_bursts;         /**< Sends that were not taken whole. */
	uint32_t nb_lost;              /**< Threads that ended by the loss of the peer. */
	int reason;                    /**< Of the contexts of these. */
};

struct test_load;

/** Start the threads. @return NULL if it failed, which was said. */
struct test_load *test_load_start(const struct test_load_conf *conf);
/** Tell the producers of an endless load to come to an end, or all to give up. */
void test_load_finish(struct test_load *load);
/** What there is so far. */
void test_load_sum(const struct test_load *load, struct test_load_sum *sum);
/** Whether all threads have ended. */
bool test_load_done(const struct test_load *load);
/** After that: free it. @return 0, or why a thread failed, which was said. */
int test_load_end(struct test_load *load, struct test_load_sum *sum);
/** Progress until it is done, then end it. */
int test_load_wait(struct test_load *load, unsigned int ms, struct test_load_sum *sum);
/** End all that are left. For teardown. */
void test_load_cleanup(void);

/** Fill memory from a seed, eight bytes at a time; see whether it is like that. */
void test_fp_fill(void *buf, uint64_t len, uint64_t seed);
bool test_fp_check(const void *buf, uint64_t len, uint64_t seed);
/** Scatter the bits of a number. */
uint64_t test_fp_mix(uint64_t x);

/** Say what is wrong where standard output is not seen, as in a child. */
__rte_format_printf(1, 2)
void test_complain(const char *format, ...);

#endif /* TEST_COMCH_FP_LOAD_H */
