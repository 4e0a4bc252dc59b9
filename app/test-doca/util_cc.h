/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the tests of both years of CC share: a server and a client in two processes, their
 * devices, engines and memory. Nothing that differs between the years.
 */

#ifndef UTIL_CC_H
#define UTIL_CC_H

#include <doca_buf.h>
#include <doca_cc.h>
#include <doca_cc_consumer.h>
#include <doca_cc_producer.h>
#include <doca_ctx.h>
#include <doca_pe.h>

#include "test_doca.h"

#define CC_NAME "cc test"
#define CC_BYTES 4096

/* One process. What callbacks note is found by the user data of the context. */
struct cc_side {
	struct test_other *other; /* the client waits for the server by it */
	struct doca_pe *pe;
	struct doca_dev *dev;
	struct doca_dev_rep *rep; /* of the server */
	struct doca_cc_server *server;
	struct doca_cc_client *client;
	struct doca_cc_connection *connection;
	struct doca_mmap *map;
	struct doca_buf_inventory *inventory;
	struct doca_buf *buf;
	unsigned int sent;         /* control messages that were completed */
	unsigned int failed;       /* tasks that have failed */
	unsigned int moved;        /* tasks of the fast path that were completed */
	unsigned int connects;     /* with success */
	unsigned int disconnects;  /* with success */
	unsigned int consumers_gone;
	uint32_t consumer_id;      /* of the peer's consumer */
	char text[64];             /* the last control message */
	size_t text_len;
};

/* What an exchange of two processes has of its year. */
struct cc_year {
	int (*start_server)(struct cc_side *side);
	int (*start_client)(struct cc_side *side);
	int (*send_text)(struct cc_side *side, const char *text);
	int (*produce)(struct cc_side *side);
	int (*consume)(struct cc_side *side);
};

int cc_exchange(const struct cc_year *year);

/* Its callbacks of tasks; those of sends have 7 as their user data. */
void cc_on_sent(struct doca_comch_task_send *task, union doca_data task_data,
		union doca_data ctx_data);
void cc_on_not_sent(struct doca_comch_task_send *task, union doca_data task_data,
		union doca_data ctx_data);
void cc_on_not_produced(struct doca_comch_producer_task_send *task, union doca_data task_data,
		union doca_data ctx_data);
void cc_on_not_consumed(struct doca_comch_consumer_task_post_recv *task,
		union doca_data task_data, union doca_data ctx_data);

/* Engine and device, and the representor if rep is true. */
int cc_open(struct cc_side *side, bool rep);
int cc_close(struct cc_side *side);

/* A map with these bytes, and a buffer; the data are all of them if with_data is true. */
int cc_memory(struct cc_side *side, uint8_t *bytes, bool with_data);

/* Progress until a counter is at least this. */
int cc_until(struct cc_side *side, const unsigned int *counter, unsigned int least);

/* Progress until a context is in this state. */
int cc_until_state(struct cc_side *side, struct doca_ctx *ctx, enum doca_ctx_states state);

/* Attach the side to a context, and the context to the side's engine. */
int cc_connect_ctx(struct cc_side *side, struct doca_ctx *ctx);

/* Submit it, again and again while the answer is AGAIN. */
int cc_submit(struct cc_side *side, struct doca_task *task);

/* Stop a context and wait until it is idle. */
int cc_stop(struct cc_side *side, struct doca_ctx *ctx);

/* The side of a connection, on either end. */
struct cc_side *cc_side_of(struct doca_cc_connection *connection);

/* Callbacks that are the same in both years. */
void cc_on_consumer(struct doca_cc_event_consumer *event,
		struct doca_cc_connection *connection, uint32_t id);
void cc_on_consumer_gone(struct doca_cc_event_consumer *event,
		struct doca_cc_connection *connection, uint32_t id);

/* Progress until a control message has come, which is this. */
int cc_wait_text(struct cc_side *side, const char *text);

/* A message was sent and one received, of so many bytes. */
int cc_check_counters(struct cc_side *side, uint64_t sent, uint64_t received);

#endif /* UTIL_CC_H */
