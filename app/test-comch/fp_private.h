/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_FP_PRIVATE_H
#define TEST_COMCH_FP_PRIVATE_H

/* The parts of an end of the fast path; for the files of fp.h only. */

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include "fp.h"
#include "limit.h"
#include "pattern.h"
#include "queues.h"
#include "work.h"

struct rte_mbuf;
struct rte_mempool;
struct fp_worker;

/* Each message has bytes, or a size, of its own. */
#define FP_F_FILL (FP_F_VALIDATE | FP_F_RANDOM | FP_F_WORK)

/* What the main thread wants. Each worker follows. */
enum fp_phase {
	FP_PHASE_READY = 0,
	FP_PHASE_GO,
	FP_PHASE_HALT,
	FP_PHASE_STOP,
};

/* Where a worker is. */
enum fp_state {
	FP_STATE_NEW = 0,
	FP_STATE_STARTING,
	FP_STATE_RUNNING,
	FP_STATE_HALTED,
	FP_STATE_STOPPING,
	FP_STATE_DONE,
};

/* A consumer or producer: what both have. */
struct fp_queue {
	struct fp_worker *worker;
	struct rte_comch_ctx *ctx;
	enum rte_comch_state state;
	uint32_t conn;
	struct queue_view view;
};

struct fp_consumer {
	struct fp_queue q;
	uint32_t id;
	bool asked;                  /* to start */
	uint8_t *base;               /* its part of the region */
	struct rte_comch_cpl *cpls;  /* of one burst */
	struct rte_comch_post *posts;
	struct rte_mbuf **pkts;
	uint32_t nb_posted;          /* at the start */
	uint64_t *seq;               /* next message of each producer, by its identifier */
};

struct fp_producer {
	struct fp_queue q;
	uint32_t id;
	uint32_t target;             /* index of the consumer whose turn it is */
	uint32_t next;               /* of the sends, or of what is held of a burst */
	uint32_t filled;             /* of the sends from there on that have their bytes */
	uint32_t wanted;             /* messages of this burst, if bursts vary */
	uint32_t idle;               /* turns in which nothing was taken */
	uint64_t sent;
	uint64_t done;               /* the sources of which can be used again */
	uint64_t random;
	struct rte_comch_send *sends;
	struct rte_comch_cpl *cpls;
	struct rte_mbuf **pkts;      /* of one burst */
	uint16_t *lens;              /* theirs */
	uint32_t nb_pkts;            /* that were not taken, from next on */
	struct rte_comch_task **tasks; /* that are not submitted */
	uint32_t nb_tasks;
	struct rte_comch_task **held;  /* of one burst, from next on not taken */
	uint32_t nb_held;
	uint64_t *seq;               /* next message to each target */
};

struct fp_worker {
	struct fp *fp;
	struct rte_comch_pe *pe;
	unsigned int lcore;          /* LCORE_ID_ANY: the main thread */
	bool shares_cpu;             /* with another worker */
	bool launched;
	struct fp_consumer *consumers;
	struct fp_producer *producers;
	uint32_t nb_consumers;
	uint32_t nb_producers;
	uint32_t idle;
	uint32_t question;           /* of queues.h, that was answered */
	uint64_t deadline;           /* of the stop */
	/* Written by the worker, read by the main thread. */
	struct fp_count count __rte_cache_aligned;
	uint32_t state;
	int error;
	uint64_t cpu_ns;
	char text[FP_TEXT];
} __rte_cache_aligned;

/* Consumers of the peer on one connection. */
struct fp_remote {
	uint32_t ids[FP_MAX_QUEUES];
	uint32_t nb;
};

struct fp {
	struct fp_spec spec;
	struct rte_comch_pe *pe;     /* of the main thread */
	struct rte_comch_mem *mem;   /* consumers' buffers, or their pool */
	struct rte_comch_mem *src;   /* producers' buffers, or their pool */
	struct rte_mempool *src_pool;
	uint8_t *imm;                /* immediate data of the sends, of all producers */
	struct fp_remote *remotes;
	uint32_t nb_conns;           /* added */
	struct fp_worker *workers;
	uint32_t nb_workers;
	uint32_t src_stride;
	uint32_t turns;              /* of one fp_poll() */
	uint32_t group;              /* sends of which the last has a completion */
	bool started;
	uint32_t phase __rte_cache_aligned; /* written by the main thread */
};

/* One turn of a worker: whatever its state is. Returns how much was done. */
uint32_t fp_worker_turn(struct fp_worker *w);

/* A worker that has a lcore of its own. */
int fp_worker_main(void *arg);

/* Have the connections of a worker ended? */
void fp_worker_check(struct fp_worker *w);

/* Bytes, size and number of a message that is about to be sent. */
void fp_producer_fill(struct fp_producer *p, struct rte_comch_send *s, uint32_t consumer_id);

/* State callback of producers and consumers; user data is the queue. */
void fp_state_cb(struct rte_comch_ctx *ctx, enum rte_comch_state prev,
		enum rte_comch_state next, void *user_data);

/* fp_burst.c: the first error of a worker, which is the one that counts. */
void fp_worker_fail(struct fp_worker *w, int status, const char *format, ...)
	__rte_format_printf(3, 4);
/* One turn of a queue; returns how much was done. */
uint32_t fp_consumer_turn(struct fp_consumer *c);
uint32_t fp_consumer_turn_mbuf(struct fp_consumer *c);
uint32_t fp_producer_turn(struct fp_producer *p);
uint32_t fp_producer_turn_mbuf(struct fp_producer *p);
/* The server's turn, where messages are sent back. */
uint32_t fp_echo_turn(struct fp_worker *w);
/* Post all buffers; true when they are. */
bool fp_consumer_post_all(struct fp_consumer *c);
/* All completions that were asked for are here. */
bool fp_producer_settled(struct fp_producer *p);

/* fp_task.c: the same work by tasks. */
void fp_task_send_cb(struct rte_comch_task *task, int status, void *user_data);
void fp_task_post_cb(struct rte_comch_task *task, const struct rte_comch_cpl *cpl,
		void *user_data);
int fp_task_setup(struct fp_worker *w);
uint32_t fp_task_turn(struct fp_worker *w, bool send);
void fp_task_stop(struct fp_worker *w);

/*
 * What makes the pattern of a message: who sent it to whom, and which one it is.
 * Lost, doubled and swapped messages have another key than expected.
 */
static inline uint64_t
fp_key(uint32_t producer_id, uint32_t consumer_id, uint64_t seq)
{
	return (uint64_t)producer_id << 56 ^ (uint64_t)consumer_id << 48 ^ seq;
}

/* Look at a message, as its consumer. */
static inline void
fp_consume(struct fp_consumer *c, const void *data, uint64_t len, const void *imm,
		uint32_t imm_len, uint32_t producer_id)
{
	struct fp_worker *w = c->q.worker;
	const struct fp_spec *spec = &w->fp->spec;
	uint64_t key;

	if (likely((spec->flags & FP_F_FILL) == 0)) {
		if (unlikely(len != spec->size || imm_len != spec->imm_len))
			w->count.bad_msgs++;
		if ((spec->flags & FP_F_TOUCH) != 0) {
			limit_touch(data, len);
			limit_touch(imm, imm_len);
		}
		return;
	}
	if (producer_id == 0 || producer_id > FP_MAX_QUEUES) {
		w->count.bad_msgs++;
		return;
	}
	key = fp_key(producer_id, c->id, c->seq[producer_id]++);
	if (len != fp_msg_size(spec, key) || imm_len != spec->imm_len)
		w->count.bad_msgs++;
	else if ((spec->flags & FP_F_VALIDATE) != 0 &&
			(!pattern_ok(data, (uint32_t)len, key) || !pattern_ok(imm, imm_len, ~key)))
		w->count.bad_msgs++;
	else if ((spec->flags & FP_F_WORK) != 0 &&
			(!work_read(data, len) || !work_read(imm, imm_len)))
		w->count.bad_msgs++;
}

#endif /* TEST_COMCH_FP_PRIVATE_H */
