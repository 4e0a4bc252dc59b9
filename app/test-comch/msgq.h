/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_MSGQ_H
#define TEST_COMCH_MSGQ_H

/*
 * The client's offload processor, its message queues, and both their ends: set-up and
 * teardown, and what is done for each message at the CPU end. The server has no part in
 * it but its CPU, which the first execution unit gets. No test is in here.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_comch.h>

#include "dpa/msgq_ctl.h"
#include "peer.h"
#include "queues.h"

/* Bytes of the longest message. */
#define MSGQ_MAX_SIZE RTE_COMCH_DPA_IMM_SIZE
/* Bytes of the longest copy. */
#define MSGQ_MAX_COPY (UINT32_C(64) << 20)
/* Sends of a producer that are not completed. */
#define MSGQ_SENDS 512
/* Of so many sends one has a completion. */
#define MSGQ_GROUP 32

/* What is to run. */
struct msgq_spec {
	enum msgq_mode mode;
	enum msgq_dir dir;
	uint32_t eus;
	uint32_t size;      /* bytes of a message, or of a copy */
	uint32_t burst;
	uint32_t posts;     /* of each consumer; slots of a copy */
	uint32_t stride;    /* of the slots */
	bool validate;
	bool event;
};

/* What one execution unit has, and what this CPU has for it. */
struct msgq_unit {
	/* Used for each message. */
	struct rte_comch_ctx *producer;
	struct rte_comch_ctx *consumer;
	struct rte_comch_send *sends;
	struct rte_comch_post *posts;
	struct rte_comch_cpl *cpls;
	uint32_t target;      /* consumer of the program */
	uint32_t next;        /* of the sends */
	uint32_t filled;      /* sends from there on that have their bytes */
	uint64_t key_out;
	uint64_t key_in;
	uint64_t sent;
	uint64_t done;        /* sends whose completion was seen, or a later one */
	uint64_t received;
	uint64_t bad;
	uint64_t first_bad;
	uint8_t *src;         /* slots of copies */
	uint8_t *dst;
	/* Set-up only. */
	uint32_t eu;
	uint64_t ctl;         /* its block, as the program has it */
	struct rte_comch_msgq *msgq_to;
	struct rte_comch_msgq *msgq_from;
	struct rte_comch_dpa_thread *thread;
	struct rte_comch_dpa_completion *completion;
	struct rte_comch_dpa_queue *dpa_consumer;
	struct rte_comch_dpa_queue *dpa_producer;
	struct rte_comch_mem *src_mem;
	struct rte_comch_mem *dst_mem;
	struct rte_comch_dpa_window *src_window;
	struct rte_comch_dpa_window *dst_window;
	uint8_t *imm;         /* of the sends */
	struct queue_view producer_view;
	struct queue_view consumer_view;
};

struct msgq_end {
	struct client *cl;
	struct msgq_spec spec;
	struct rte_comch_dpa *dpa;
	struct rte_comch_pe *pe;
	struct msgq_unit *units;
	int32_t cpus[RTE_COMCH_DPA_MAX_EUS];
	bool started;
	uint32_t next;        /* msgq-lat: the execution unit of the next round trip */
	uint64_t cpu_ns;      /* of this thread when it went */
};

/* What the options mean for a test. */
void msgq_spec_make(const struct client *cl, enum msgq_mode mode, uint32_t size,
		struct msgq_spec *spec);
/* Can the device do it? Says why not. */
int msgq_spec_check(const struct client *cl, const struct msgq_spec *spec,
		char why[OPT_ERR_SIZE]);
/* Why a run of all tests leaves these out; 0 if it does not. */
int msgq_absent(const struct client *cl, char why[OPT_ERR_SIZE]);
/* Where limits are measured: between this CPU and that of the first execution unit. */
struct limit_place msgq_place(const struct msgq_end *e);
/* Fill in what a result says about how it was taken. */
void msgq_result_set(struct result *res, const struct msgq_spec *spec);

/* Make all of it; nothing runs. After a failure too call msgq_close(). */
int msgq_open(struct client *cl, const struct msgq_spec *spec, struct msgq_end *e);
void msgq_close(struct msgq_end *e);

/* Have the execution units work. */
int msgq_go(struct msgq_end *e);
/* Housekeeping while they do; not 0 if it is to end. */
int msgq_check(struct msgq_end *e);
/* Have them end, take what is on the way, and compare what both ends have counted. */
int msgq_halt(struct msgq_end *e, struct result *res);

/* ---- for each message ---- */

/* Send up to nb messages to one execution unit. Returns how many were taken. */
uint32_t msgq_send(struct msgq_end *e, struct msgq_unit *u, uint32_t nb);
/* Take up to nb messages of one, look at them, and post again. */
uint32_t msgq_receive(struct msgq_end *e, struct msgq_unit *u, uint32_t nb);
/* Both, once for each execution unit. Returns how many messages have moved. */
uint32_t msgq_turn(struct msgq_end *e, bool sends);
/* Sleep until there is something to do, or a moment, if both sides sleep. */
void msgq_wait(struct msgq_end *e);
/* Post what consumers begin with. */
int msgq_post_all(struct msgq_end *e, struct msgq_unit *u);
/* Give slots of copies the bytes of these messages. */
void msgq_slot_fill(const struct msgq_end *e, struct msgq_unit *u, uint64_t seq);

static inline uint64_t
msgq_sent(const struct msgq_end *e)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < e->spec.eus; i++)
		sum += e->units[i].sent;
	return sum;
}

static inline uint64_t
msgq_received(const struct msgq_end *e)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < e->spec.eus; i++)
		sum += e->units[i].received;
	return sum;
}

static inline bool
msgq_goes_to(const struct msgq_spec *spec)
{
	return spec->mode == MSGQ_MODE_ECHO ||
			(spec->mode == MSGQ_MODE_STREAM && spec->dir != MSGQ_DIR_FROM);
}

static inline bool
msgq_comes_from(const struct msgq_spec *spec)
{
	return spec->mode != MSGQ_MODE_STREAM || spec->dir != MSGQ_DIR_TO;
}

#endif /* TEST_COMCH_MSGQ_H */
