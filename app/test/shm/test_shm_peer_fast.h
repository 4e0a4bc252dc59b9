/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The hostile peer's fast path: regions, consumers and producers that check nothing,
 * the two roles it can have, and producers and consumers of the device that it
 * attacks. No test is in here.
 */

#ifndef TEST_SHM_PEER_FAST_H
#define TEST_SHM_PEER_FAST_H

#include <pthread.h>

#include "test_comch_fp_util.h"
#include "test_shm_peer.h"

/** Which side is attacked. */
struct fast_side {
	const char *name;
	bool host;                    /**< The device is the host's. */
	int (*suite_setup)(void);
	void (*suite_teardown)(void);
	int (*setup)(void);
	void (*teardown)(void);
	/** A link with a connection that is up. */
	struct hostile *(*connected)(void);
	/** One that is not up yet. */
	struct hostile *(*connecting)(void);
	uint64_t (*violations)(void);
};

extern const struct fast_side *fast_side;

/** Run the cases of a suite against either side. */
int fast_suites_run(struct unit_test_suite *suite);
int fast_suite_setup(void);
void fast_suite_teardown(void);
int fast_setup(void);
void fast_teardown(void);
/** The end that is attacked, and its device. */
struct test_ep *fast_victim(void);
int16_t fast_dev(void);

/*
 * What these make is no NULL: without it the case ends.
 */

/** A link with a connection that is up, and one with a connection that is not. */
struct hostile *fast_connected(void);
struct hostile *fast_connecting(void);
/** Breaches counted since one of these was called. */
unsigned int fast_breaches(void);
/** The breach is counted, and ends the connection but not the link. */
int fast_conn_dies(struct hostile *e, const char *what, unsigned int nr);
/** The breach is counted, and ends the link. */
int fast_link_dies(struct hostile *e, const char *what, unsigned int nr);
/** Producer and consumer of the attacked end; closed by fast_case_end(). */
struct test_q *fast_producer(void);
struct test_q *fast_consumer(struct rte_comch_mem *mem, uint32_t nb_posts, uint32_t imm_len);
/** A consumer with tasks, without a region. */
struct test_q *fast_task_consumer(uint32_t nb_tasks);
/** Memory of the device's, freed by fast_case_end(). */
struct rte_comch_mem *fast_mem(uint64_t len);
struct rte_comch_mem *fast_pool(uint32_t nb);
/** Memory of the test's. */
struct rte_comch_mem *fast_source(void *addr, uint64_t len, uint32_t flags);
/** Have a region of another origin freed by fast_case_end(). */
void fast_keep(struct rte_comch_mem *mem);
/** End the links, and close what the device had on them. */
void fast_case_end(void);

/** A region of the hostile side. */
struct hostile_region {
	int fd;
	uint8_t *map;
	uint64_t size;
};

int hostile_region_create(struct hostile_region *r, uint64_t size);
void hostile_region_free(struct hostile_region *r);
/** Have the device know it. */
int hostile_region_send(struct hostile *e, const struct hostile_region *r, uint32_t id);

/** Ways in which a descriptor can be no region. */
enum bad_region {
	REGION_PIPE,
	REGION_SOCKET,
	REGION_NULL,
	REGION_DIR,
	REGION_FILE,
	REGION_NO_SEALS,
	REGION_NO_SHRINK,
	REGION_FUTURE_WRITE,
	REGION_READ_ONLY,
	REGION_SHORT,
	REGION_EMPTY,
	REGION_HOLES,
	REGION_HUGETLB,
	REGIONS_BAD,
};

/** @return -1 if it cannot be had. */
int hostile_region_bad_fd(enum bad_region kind, uint64_t size);

/** A consumer of the hostile side. */
struct hostile_consumer {
	struct shm_wire_consumer msg;
	struct hostile_seg seg;
	struct shm_wire_posts *posts;       /**< The same. */
	const struct shm_wire_cpls *cpls;
	uint32_t cpls_size;
	const struct shm_entry *entries;       /**< Of cpls; NULL if it has words. */
};

/** Announce it. @return 0 or a negative errno. */
int hostile_consumer_ask(struct hostile *e, struct hostile_consumer *c, uint32_t id,
		uint32_t region);
/** The same, and wait for the answer. @return its status, or a negative errno. */
int
hostile_consumer_start(struct hostile *e, struct hostile_consumer *c, uint32_t id, uint32_t region);
/** As a correct peer posts. */
void hostile_post(struct hostile_consumer *c, uint64_t off, uint64_t len);
void hostile_consumer_free(struct hostile_consumer *c);

/** A consumer of the device, as the hostile side sees it. */
struct hostile_rc {
	struct shm_wire_consumer msg;
	const struct shm_wire_posts *posts;
	uint32_t posts_size;
	struct hostile_seg seg;
	struct shm_wire_cpls *cpls;         /**< The same. */
	struct shm_entry *entries;             /**< Of cpls; NULL if it has words. */
};

/** Wait for CONSUMER, and map what comes with it. */
int hostile_rc_wait(struct hostile *e, struct hostile_rc *rc);
/** Answer it, as a correct peer does. */
int hostile_rc_answer(struct hostile *e, struct hostile_rc *rc);
/** The word of the nth post's completion, counted from 0. */
uint64_t hostile_cpl(const struct hostile_rc *rc, uint32_t n, uint32_t producer, uint32_t imm_len,
		uint64_t len);
void hostile_complete(struct hostile_rc *rc, uint32_t n, uint64_t word);
/** The word of an entry with the nth message and more behind it, and storing it. */
uint64_t hostile_entry(uint32_t n, uint32_t producer, uint32_t imm_len, uint32_t more);
void hostile_entry_put(struct hostile_rc *rc, uint32_t n, uint64_t word);
/** The nth message, empty, as a correct peer sends it. */
void hostile_message(struct hostile_rc *rc, uint32_t n, uint32_t producer);
void hostile_rc_free(struct hostile_rc *rc);

/** A consumer of the device that the hostile side has taken, and what is outstanding. */
struct fast_rx {
	struct hostile *e;
	struct hostile_rc rc;
	struct test_q *q;
	uint8_t *base;                      /**< Of its memory, or NULL. */
	uint32_t nb_posts;
	uint32_t posted;
	uint32_t polled;
};

int fast_rx_open(struct fast_rx *rx, struct rte_comch_mem *mem, uint32_t nb_posts,
		uint32_t imm_len);
/** Post in turns buffers of this length, which follow each other in its memory. */
int fast_rx_post(struct fast_rx *rx, unsigned int nb, uint32_t len);
void fast_rx_close(struct fast_rx *rx);

/** A thread that writes at full speed what the device reads. */
struct fast_flips {
	pthread_t thread;
	void *env;
	unsigned int what;
	bool stop;                          /**< Atomic. */
	uint64_t begin;
};

int fast_flips_begin(struct fast_flips *f, void *(*flipper)(void *arg));
/** For a time, or longer if the machine is so busy that nothing has happened in it. */
bool fast_flips_go_on(const struct fast_flips *f, unsigned int ms, uint32_t nb);
/** End it: what is harmless lets messages through, what is not is one breach at most. */
int fast_flips_end(struct fast_flips *f, bool harmless, uint32_t nb);

#define FAST_CASE(fn) TEST_CASE_ST(fast_setup, fast_teardown, fn)

#endif /* TEST_SHM_PEER_FAST_H */
