/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the two kinds of threads of a load have in common: see
 * test_comch_fp_load.c. Only for it, and for the files of these two.
 */

#ifndef TEST_COMCH_FP_LOAD_PRIVATE_H
#define TEST_COMCH_FP_LOAD_PRIVATE_H

#include "test_comch_fp_load.h"
#include "test_rand.h"

#define LOAD_BURST 32
#define LOAD_IMM 64
#define LOAD_MAX_THREADS 16

/* Immediate data of a message that is the last of its sender. */
#define LOAD_LAST UINT64_C(0x7473616c20736920)

/* A message, as its seed makes it. */
struct shape {
	uint64_t seed;
	uint32_t len;
	uint32_t imm_len;
};

/* One sender and one receiver: messages between them are numbered. */
struct stream {
	uint32_t id; /* of the other end */
	uint64_t base;
	uint64_t seq;
	bool over;
};

struct slot {
	uint32_t len;
	bool quiet; /* has no completion of its own */
	bool done;
};

struct worker {
	pthread_t thread;
	struct test_load *load;
	struct rte_comch_pe *pe;
	struct rte_comch_ctx *ctx;
	struct rte_comch_mem *mem;
	uint8_t *base;           /* of mem */
	void *own;               /* memory that was registered, or NULL */
	uint64_t own_len;
	uint32_t id;             /* of the context */
	uint32_t nb_slots;       /* power of two */
	uint64_t slot_size;
	struct slot *slots;      /* producers */
	uint64_t head, tail;     /* producers: sends that are not done */
	struct stream streams[TEST_LINK_IDS];
	uint32_t nb_streams;
	uint32_t rand;
	uint64_t idle_since;
	bool lost;
	int reason;              /* of the context that was lost */
	int status;              /* consumers: of posts that came back */
	int error;
	struct test_load_sum sum;
	bool done;
};

struct test_load {
	TAILQ_ENTRY(test_load) next;
	struct test_load_conf conf;
	uint32_t imm_len;
	bool finish;             /* endless producers: no more */
	bool give_up;            /* all */
	uint32_t nb_workers;
	uint32_t nb_started;
	struct worker workers[2 * LOAD_MAX_THREADS]; /* producers first */
};

static inline uint32_t
test_worker_rand(struct worker *w)
{
	return test_rand_next(&w->rand);
}

static inline void
test_worker_busy(struct worker *w)
{
	w->idle_since = 0;
}

static inline void
test_worker_count(uint64_t *counter, uint64_t n)
{
	/* one writer; others read it for the progress line */
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

/** What a thread does from the start of its context to its end. */
void test_producer_run(struct worker *w);
void test_consumer_run(struct worker *w);

/** Whether there is no reason to come to an end yet. */
bool test_worker_goes_on(const struct worker *w);
/** Nothing to do: let others run, and notice when it is for ever. */
void test_worker_idle(struct worker *w);
/** Say what is wrong, and end with it. */
__rte_format_printf(3, 4)
void test_worker_fail(struct worker *w, int error, const char *format, ...);

/** The messages from a producer to a consumer, from the first on. */
void test_stream_open(const struct test_load *load, struct stream *s, bool from_card,
		uint32_t producer_id, uint32_t consumer_id);
/** One of them. */
void test_shape_make(const struct test_load *load, const struct stream *s, uint64_t seq,
		struct shape *shape);

#endif /* TEST_COMCH_FP_LOAD_PRIVATE_H */
