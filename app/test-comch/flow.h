/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_FLOW_H
#define TEST_COMCH_FLOW_H

/*
 * One direction of a connection: a window of send tasks, each with a message
 * of its own, which are submitted again from their own completions. Used by
 * both ends; knows no test and no protocol.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_comch.h>

/*
 * What the user data of every send task of this tool points to, so that one
 * send callback serves all of them.
 */
struct send_io {
	void (*done)(struct rte_comch_task *task, struct send_io *io, int status);
};

/* The send callback of every context of this tool. */
void send_io_cb(struct rte_comch_task *task, int status, void *user_data);

/* Send one message that is not part of a flow; it is copied. */
int send_copy(struct rte_comch_conn *conn, const void *msg, uint32_t len);

struct flow_slot;

struct flow {
	struct rte_comch_conn *conn;
	uint32_t size;          /* bytes of each message */
	uint32_t nb_slots;
	uint32_t nb_free;
	bool running;           /* completed tasks are submitted again */
	bool validate;
	bool detached;          /* its tasks go back to the pool */
	bool closed;            /* its memory goes with the last task */
	int error;              /* first status that was not 0 */
	uint64_t budget;        /* messages that may be submitted in all */
	uint64_t submitted;
	uint64_t completed;     /* delivered to the peer */
	uint64_t rx_msgs;       /* kept here for the receiving side of the test */
	uint64_t rx_bad;
	/* Called when a task has come back and was not submitted again; or NULL. */
	void (*on_free)(struct flow *flow, void *arg);
	void *arg;
	struct flow_slot **free;
	struct flow_slot *slots;
	uint8_t *bufs;
};

/* Make a flow; takes its tasks from the pool of the connection's context. */
int flow_create(struct rte_comch_conn *conn, uint32_t size, uint32_t nb_slots, bool validate,
		struct flow **flow);

/*
 * Give the tasks back, now or when they end; the connection is at its end. The
 * counters can still be read.
 */
void flow_detach(struct flow *flow);

/* The same, and the memory is freed with the last task. NULL is allowed. */
void flow_close(struct flow *flow);

/* Submit as many as window and budget let; the rest follows from completions. */
int flow_start(struct flow *flow, uint64_t budget);

/* No task is submitted again. */
void flow_stop(struct flow *flow);

static inline uint32_t
flow_in_flight(const struct flow *flow)
{
	return flow->nb_slots - flow->nb_free;
}

/*
 * Send one message. With payload its bytes are copied, without it they are the
 * pattern, if the flow validates. -EAGAIN if all tasks are in flight.
 */
int flow_send(struct flow *flow, const void *payload);

#endif /* TEST_COMCH_FLOW_H */
