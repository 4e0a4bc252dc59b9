/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Both ends of message queues in one process: the segments of a program are mapped once,
 * and threads of the test play its execution units, with the inline functions of the
 * device header. So a sanitizer sees both ends. There is no program and no process.
 * No test is in here.
 */

#ifndef TEST_SHM_MSGQ_H
#define TEST_SHM_MSGQ_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "shm_fast.h" /* check-ok: its layers are tested */
#include "shm_msgq.h" /* check-ok: its layers are tested */
#include "test_comch_util.h"

/* What the runtime of a program has. */
struct msgq_unit {
	uint32_t eu;
};

extern _Thread_local struct msgq_unit msgq_unit_self;
extern struct shm_dpa msgq_dpa;

#define SHM_DPA_SELF() (&msgq_unit_self)
#define SHM_DPA_HOST_SEG test_msgq_host()
#define SHM_DPA_PROG_SEG \
	((struct shm_dpa_prog *)(void *)msgq_dpa.segs.seg[SHM_DPA_PROG].map)

/** Where to count who looks at HOST while it is not protected from reuse, or NULL. */
extern uint32_t *msgq_outside;

static inline const struct shm_dpa_host *
test_msgq_host(void)
{
	const uint64_t *looks = &SHM_DPA_PROG_SEG->eus[msgq_unit_self.eu].looks;

	if (msgq_outside != NULL && __atomic_load_n(looks, __ATOMIC_RELAXED) % 2 == 0)
		++*msgq_outside;
	return shm_dpa_host(&msgq_dpa);
}

#include <rte_comch_dpa_dev.h>

#define MSGQ_UNITS 4
/* Nanoseconds without a message after which one is taken for lost. */
#define MSGQ_LOST_NS UINT64_C(20000000000)

/* An end of this side: a queue of the library, as the driver sees it. */
struct msgq_end {
	struct rte_comch_queue queue;
	struct rte_comch_fp_object fp;
};

/** A device, an engine, and a program of which nothing runs. */
int test_msgq_setup(void);
void test_msgq_teardown(void);
struct rte_comch_pe *test_msgq_pe(void);
/** How often an engine was waked. */
uint64_t test_msgq_wakes(void);

/** Message queues and completion contexts, freed by the caller. */
int test_msgq_start(struct rte_comch_msgq *msgq, enum rte_comch_msgq_dir dir,
		uint32_t max_consumers, uint32_t max_producers);
/** With the unit that it wakes, or SHM_MSGQ_NO_UNIT. */
int test_msgq_completion(struct rte_comch_dpa_completion *c,
		enum rte_comch_dpa_completion_type type, uint32_t depth, uint32_t max_queues,
		uint32_t unit);
/** A queue of the program's end; c may be NULL for a producer. */
int test_msgq_dpa_queue(struct rte_comch_dpa_queue *queue, struct rte_comch_msgq *msgq,
		struct rte_comch_dpa_completion *c, bool is_consumer, uint32_t id, uint32_t size);
/** A queue of this end. */
int test_msgq_end(struct msgq_end *end, struct rte_comch_msgq *msgq, bool is_consumer,
		uint32_t id, uint32_t size);
void test_msgq_end_free(struct msgq_end *end);

/** Sends, posts and polls; the number, as the burst functions return it. */
uint16_t test_msgq_send(struct msgq_end *end, uint32_t consumer_id, const void *imm,
		uint32_t len);
uint16_t test_msgq_post(struct msgq_end *end, uint16_t nb);
uint16_t test_msgq_poll(struct msgq_end *end, struct rte_comch_cpl *cpls, uint16_t nb);

/**
 * A unit parks, as the runtime does: true when something is pending, false when nobody
 * waked it for ms milliseconds.
 */
bool test_msgq_park(uint32_t eu, uint32_t ms);

/** Mistakes that the unit of this thread has noted. */
uint64_t test_msgq_mistakes(void);
/** The last one is of this function and number. */
int test_msgq_mistake_is(const char *func, int error);

/** The copy of the device header, with flush; and the same with its order broken. */
typedef int (msgq_copy_fn)(uint64_t producer, uint32_t consumer_id, uint32_t dst,
		uint64_t dst_addr, uint32_t src, uint64_t src_addr, uint64_t len, const void *imm,
		uint32_t imm_len);
msgq_copy_fn test_msgq_copy, test_msgq_copy_bad;

#endif /* TEST_SHM_MSGQ_H */
