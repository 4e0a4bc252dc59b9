/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the tests of the fast path share: a connected pair in one process,
 * producers and consumers on either side of it, regions cut into slots with
 * guard bytes around each, and cleaning up. No test is in here.
 */

#ifndef TEST_COMCH_FP_UTIL_H
#define TEST_COMCH_FP_UTIL_H

#include <sys/queue.h>

#include "test_comch_util.h"

/** Bytes around each slot, and what they and an unused slot are full of. */
#define TEST_GUARD 64
#define TEST_GUARD_BYTE 0xA5

/** A producer or consumer, and what happened to it. */
struct test_q {
	TAILQ_ENTRY(test_q) next;
	struct rte_comch_ctx *ctx;
	uint32_t id;                   /**< As the peer knows it. */
	uint32_t nb_states;
	int states[TEST_EP_STATES];    /**< The first states entered, in order. */
	uint32_t nb_ok;                /**< Tasks that ended well. */
	uint32_t nb_err;               /**< Tasks that did not. */
	int status;                    /**< Of the last task that failed. */
	/** If set, replaces what is done with a task after counting: it is freed. */
	void (*on_post)(struct test_q *q, struct rte_comch_task *task,
			const struct rte_comch_cpl *cpl);
	void (*on_send)(struct test_q *q, struct rte_comch_task *task, int status);
	void *arg;                     /**< The test's own. */
	uint64_t value;                /**< The test's own. */
};

/** One end of the connection that a fast-path test runs on. */
struct test_fp_end {
	struct test_ep *ep;            /**< Its server or client. */
	struct rte_comch_pe *pe;       /**< Engine of the connection. */
	struct rte_comch_pe *q_pe;     /**< Engine of producers and consumers. */
	int16_t dev;
};

/** A connection; messages go from tx to rx, but for tests of both directions. */
struct test_fp {
	struct test_fp_end tx;
	struct test_fp_end rx;
};

/** How the two ends are laid out. */
#define TEST_FP_TO_DPU     0           /**< rx is the card's side. */
#define TEST_FP_TO_HOST    RTE_BIT32(0) /**< rx is the host's side. */
#define TEST_FP_ONE_ENGINE RTE_BIT32(1) /**< One engine for all of a side. */

/** Skip what needs producers and consumers that the devices do not have. */
int test_fp_need(void);
/**
 * The same for cases whose posts have sizes of their own, or no buffer beside a region:
 * consumers state no size there. In other cases they state that of their slots.
 */
int test_post_sizes_need(void);
/** Do consumers of the devices leave the size of their buffers open? */
bool test_has_post_sizes(void);
/** What a consumer of a region states: of its slots, or less than all where it has to. */
uint64_t test_buf_size(const struct rte_comch_mem *mem);
/** What consumers of a region state, if it is not cut into slots. */
void test_mem_buf_size(const struct rte_comch_mem *mem, uint64_t size);
/** Connect a server and a client. */
int test_fp_open(struct test_fp *fp, uint32_t how);
/** Run a case on a connection to the card; the other has one engine on either side. */
int test_fp_to_dpu(int (*fn)(struct test_fp *fp));
int test_fp_one_engine(int (*fn)(struct test_fp *fp));
/** Run a case in both directions, each on a new connection. */
int test_fp_both(int (*fn)(struct test_fp *fp));
/** Rows of a suite for such cases. */
#define TEST_CASE_FP(setup, teardown, fn) \
	{ setup, teardown, NULL, #fn, test_fp_to_dpu, fn }
#define TEST_CASE_FP_ONE(setup, teardown, fn) \
	{ setup, teardown, NULL, #fn, test_fp_one_engine, fn }
#define TEST_CASE_FP_BOTH(setup, teardown, fn) \
	{ setup, teardown, NULL, #fn, test_fp_both, fn }
/** Close all that was opened here, free the regions, and what test_cleanup() does. */
void test_fp_cleanup(void);
/** Setup and teardown of cases that must leave no descriptor and no mapping. */
int test_fp_count_setup(void);
void test_fp_count_teardown(void);

/**
 * Create and attach, or the case ends. Callbacks and user data of the configuration are
 * replaced; it may be NULL.
 */
struct test_q *test_q_consumer(const struct test_fp_end *end,
		const struct rte_comch_consumer_conf *conf);
struct test_q *test_q_producer(const struct test_fp_end *end,
		const struct rte_comch_producer_conf *conf);
/** Start a consumer and wait until it is RUNNING and the peer was told. */
int test_q_start(struct test_q *q, const struct test_fp_end *peer);
/**
 * Over BlueField, a producer and a consumer that meet first have a queue pair made, which
 * takes turns of both engines and shows in nothing but credits: give all that run time
 * for it. Cases that make their queues by themselves call it.
 */
void test_fp_pairs(void);
/** Consumer on rx that runs, and producer on tx that does. */
int test_fp_consumer(struct test_fp *fp, struct rte_comch_mem *mem, uint32_t nb_posts,
		uint32_t imm_len, struct test_q **q);
int test_fp_producer(struct test_fp *fp, uint32_t nb_sends, struct test_q **q);
/** Both, with room for nb messages. */
int test_fp_queues(struct test_fp *fp, struct rte_comch_mem *mem, uint32_t nb, uint32_t imm_len,
		struct test_q **consumer, struct test_q **producer);
int test_q_state(const struct test_q *q);
/** Stop, take back what is posted until it is IDLE, destroy. @return 0 or an error. */
int test_q_close(struct test_q *q);

/** Regions that test_fp_cleanup() frees; without one the case ends. */
struct rte_comch_mem *test_mem_alloc(int16_t dev, uint64_t len, uint32_t flags);
struct rte_comch_mem *test_mem_pool(int16_t dev, const char *name, uint32_t nb,
		uint32_t cache, uint16_t data_room, uint32_t flags);
/** Have one of another origin freed by test_fp_cleanup(). */
void test_mem_keep(struct rte_comch_mem *mem);
int test_mem_free(struct rte_comch_mem *mem);

/** A region cut into slots of one length, which consumers with it state as theirs. */
struct test_slots {
	struct rte_comch_mem *mem;
	uint8_t *base;
	uint32_t nb;
	uint64_t len;
};

int test_slots_new(struct test_slots *s, int16_t dev, uint32_t flags, uint32_t nb,
		uint64_t len);
uint8_t *test_slot(const struct test_slots *s, uint32_t i);
/** Make all of a slot and its guards TEST_GUARD_BYTE again. */
void test_slot_clear(const struct test_slots *s, uint32_t i);
/** Whether len bytes of the pattern are in the slot, and all around it is as it was. */
bool test_slot_check(const struct test_slots *s, uint32_t i, uint32_t len, uint32_t seed);

/** Post slots, in one burst; the cookie of slot i is cookie + i. @return taken. */
uint32_t test_post_slots(struct test_q *q, const struct test_slots *s, uint32_t first,
		uint32_t nb, uint64_t cookie);
/**
 * The same where the test does not rely on the next send to find them, or where the producer
 * is another thread's. @return taken.
 */
uint32_t test_post_slots_nowait(struct test_q *q, const struct test_slots *s, uint32_t first,
		uint32_t nb, uint64_t cookie);
/** Post without buffers. @return taken. */
uint32_t test_post_empty(struct test_q *q, uint32_t nb, uint64_t cookie);
uint32_t test_post_empty_nowait(struct test_q *q, uint32_t nb, uint64_t cookie);
/** What the others wait for, where a producer is told of posts later. */
void test_posts_arrive(const struct test_q *q, uint32_t nb);
/** Send one message of a slot's first bytes. @return taken, 0 or 1. */
uint16_t test_send_slot(struct test_q *q, uint32_t id, const struct test_slots *s, uint32_t i,
		uint64_t len, uint64_t cookie);
/** Send immediate data only. @return taken, 0 or 1. */
uint16_t test_send_imm(struct test_q *q, uint32_t id, const void *imm, uint32_t len,
		uint64_t cookie);
/** Poll, and progress, until nb completions are there; TEST_MS at most. @return them. */
uint32_t test_poll(struct test_q *q, struct rte_comch_cpl *cpls, uint32_t nb);
/** Poll until there is nothing. @return how many there were. */
uint32_t test_drain(struct test_q *q);
/** Why the last burst of a producer or consumer was short. */
int test_reason(struct test_q *q, uint32_t id);

/**
 * A packet of bytes that test_check() knows, of as many segments as asked for, some of them
 * empty if it is short. The case ends if there are too few mbufs.
 */
struct rte_mbuf *test_packet(struct rte_mempool *pool, uint32_t len, uint32_t segs,
		uint32_t seed);

/**
 * Move the calling thread away from the processor that EAL tied its parent to:
 * threads of different numbers run at one time, if there are as many processors.
 * Number 0 is where the main thread is.
 */
void test_thread_spread(unsigned int number);

/** For what is there at once, but over BlueField has to arrive: as of TEST_WAIT(). */
int test_fp_now_ms(void);

/** Wait until the producer sees so many credits. */
int test_fp_wait_credits(struct test_q *producer, struct test_q *consumer, uint32_t nb);

/** Post slots and wait until the producer sees as many credits. */
int test_fp_offer(struct test_q *consumer, struct test_q *producer, const struct test_slots *s,
		uint32_t first, uint32_t nb, uint64_t cookie);

#endif /* TEST_COMCH_FP_UTIL_H */
