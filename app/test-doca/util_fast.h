/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * For the cases of the fast path: memory with buffers, producers and consumers that count
 * what happens to them, and a server and a client to have them on. No case is in here.
 */

#ifndef UTIL_FAST_H
#define UTIL_FAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_mmap.h>

#include "test_comch.h"

/* Both ends in one process, each with an engine of its own. */
struct fast_pair {
	struct test_side server, client;
};

int fast_pair_open(struct fast_pair *pair);
int fast_pair_close(struct fast_pair *pair);
void fast_pair_progress(struct fast_pair *pair);

/* Memory of malloc() in a started map, and an inventory. */
struct fast_mem {
	char *bytes;
	size_t len;
	struct doca_mmap *map;
	struct doca_buf_inventory *inventory;
};

int fast_mem_open(struct fast_mem *mem, struct doca_dev *dev, size_t len, uint32_t access,
		size_t nb_bufs);
/* The same of memory that the caller has allocated, and that is freed when it is closed. */
int fast_mem_open_at(struct fast_mem *mem, struct doca_dev *dev, void *bytes, size_t len,
		uint32_t access, size_t nb_bufs);
int fast_mem_close(struct fast_mem *mem);

/* A piece of the memory without data, or with all of it as data; NULL if there is none. */
struct doca_buf *fast_buf(struct fast_mem *mem, size_t at, size_t len);
struct doca_buf *fast_buf_full(struct fast_mem *mem, size_t at, size_t len);
size_t fast_buf_data_len(const struct doca_buf *buf);

/* A producer or a consumer, and what has happened to it. */
struct fast_queue {
	struct doca_pe *pe;
	struct doca_ctx *ctx;
	struct doca_comch_producer *producer;
	struct doca_comch_consumer *consumer;
	uint32_t id;
	unsigned int nb_ok, nb_failed;
	doca_error_t status;       /* of the last task */
	unsigned int nb_states;
	enum doca_ctx_states states[8]; /* the first ones, in order */
	/* Instead of freeing the task in its callback; or NULL. */
	void (*on_sent)(struct fast_queue *queue, struct doca_comch_producer_task_send *task);
	void (*on_received)(struct fast_queue *queue,
			struct doca_comch_consumer_task_post_recv *task);
	void (*on_state)(struct fast_queue *queue, enum doca_ctx_states next);
	unsigned int left;         /* the test's own */
	void *arg;                 /* the test's own */
};

/* On an engine, IDLE, with callbacks and so many tasks. */
int fast_producer_create(struct fast_queue *queue, struct doca_comch_connection *connection,
		struct doca_pe *pe, uint32_t nb_tasks);
int fast_consumer_create(struct fast_queue *queue, struct doca_comch_connection *connection,
		struct doca_pe *pe, struct doca_mmap *map, uint32_t nb_tasks);
/* RUNNING, and the consumer known to the peer, which is in this process. */
int fast_producer_run(struct fast_queue *queue, struct doca_comch_connection *connection,
		struct doca_pe *pe, uint32_t nb_tasks);
int fast_consumer_run(struct fast_queue *queue, struct fast_pair *pair, struct test_side *side,
		struct doca_mmap *map, uint32_t nb_tasks);
/* Stop it if it is not IDLE, and destroy it. */
int fast_queue_close(struct fast_queue *queue, struct fast_pair *pair);
enum doca_ctx_states fast_state(const struct doca_ctx *ctx);

/* Allocate and submit one task. */
doca_error_t fast_send(struct fast_queue *queue, uint32_t consumer_id, struct doca_buf *buf,
		const void *imm, uint32_t imm_len);
doca_error_t fast_post(struct fast_queue *queue, struct doca_buf *buf);

/* A pair, a producer of the client, a consumer of the server that it sends to. */
struct fast_set {
	struct fast_pair pair;
	struct fast_mem src, dst;
	struct fast_queue producer, consumer;
};

/* All of that RUNNING, with so many tasks on each side, and memory of this length. */
int fast_set_open(struct fast_set *set, uint32_t nb_tasks, size_t len);
int fast_set_close(struct fast_set *set);

/* Do something until a condition holds; end the case as failed if that takes too long. */
#define FAST_UNTIL(condition, something) do { \
	uint64_t end_ = test_now_ms() + TEST_WAIT_MS; \
	while (!(condition)) { \
		something; \
		if (test_now_ms() > end_) { \
			fprintf(stderr, "%s() line %d: never true: %s\n", __func__, __LINE__, \
					#condition); \
			return -1; \
		} \
	} \
} while (0)

/* Progress both sides, or the one that is left. */
#define FAST_WAIT(pair, condition) FAST_UNTIL(condition, fast_pair_progress(pair))
#define FAST_WAIT_ONE(side, condition) FAST_UNTIL(condition, doca_pe_progress((side)->pe))

#endif /* UTIL_FAST_H */
