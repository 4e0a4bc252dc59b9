/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Servers and clients for the cases of all suites that need them: made with callbacks
 * that count and note, and taken down again. A case asserts; nothing in here does.
 */

#ifndef TEST_COMCH_H
#define TEST_COMCH_H

#include <sys/types.h>

#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>

#include "test_doca.h"

/* The device of both sides, and the function that it represents. */
#define TEST_DEV "03:00.0"
#define TEST_REP "b1:00.0"

#define TEST_TASKS 16
#define TEST_MSG_SIZE 4080

/* One side: a server or a client, and what has happened to it. */
struct test_side {
	struct doca_pe *pe;
	struct doca_dev *dev;
	struct doca_dev_rep *rep;          /* of a server */
	struct doca_comch_server *server;  /* or NULL */
	struct doca_comch_client *client;  /* or NULL */
	struct doca_ctx *ctx;
	struct doca_comch_connection *conn; /* the last that has come */
	char states[64];                    /* a letter for each: I, S, R, T of STOPPING */
	unsigned int connected;
	unsigned int disconnected;
	unsigned int sent;                 /* tasks that have ended well */
	unsigned int failed;               /* and those that have not */
	doca_error_t status;               /* of the last */
	unsigned int received;
	char message[TEST_MSG_SIZE];       /* the last, as text */
	uint32_t message_len;
	unsigned int consumers;            /* of the peer, that have come */
	unsigned int consumers_gone;
	uint32_t consumer_id;              /* of the last that has come */
	bool keep_tasks;                   /* not freed when they end */
	bool echo;                         /* what is received is sent back */
	bool refuse_second;                /* of clients */
	doca_error_t stop_result;          /* of a stop in a callback of the case */
	struct doca_comch_task_send *task; /* the last that has ended, if kept */
	void (*on_state)(struct test_side *side, enum doca_ctx_states next);
	void (*on_connect)(struct test_side *side);
	void (*on_disconnect)(struct test_side *side, struct doca_comch_connection *conn);
	void (*on_receive)(struct test_side *side, struct doca_comch_connection *conn);
	void (*on_sent)(struct test_side *side, struct doca_comch_task_send *task);
	void *data;                        /* of the case */
};

/* Open a device, or a representor of it, by its address. */
doca_error_t test_dev_open(const char *pci_addr, struct doca_dev **dev);
doca_error_t test_rep_open(struct doca_dev *dev, const char *pci_addr,
		struct doca_dev_rep **rep);

/* A limit of the device: null pointers are refused, and it is at least this. */
int test_cap(doca_error_t (*get)(const struct doca_devinfo *devinfo, uint32_t *value),
		uint32_t least);

/*
 * Make a server or a client with all that is mandatory, IDLE. pe is the engine to use, or
 * NULL for one of its own.
 */
doca_error_t test_server_make(struct test_side *side, struct doca_pe *pe, const char *name);
doca_error_t test_client_make(struct test_side *side, struct doca_pe *pe, const char *name);

/* Both with one engine, started and connected. */
doca_error_t test_pair_make(struct test_side *server, struct test_side *client);
int test_pair_end(struct test_side *server, struct test_side *client);

/* Send a text with its NUL; of a server to the last client. */
doca_error_t test_send(struct test_side *side, const char *text);

/* No wait is longer. */
#define TEST_SECONDS 20

/* Progress the engines of one or two sides until this has come, or time is over. */
bool test_until_state(struct test_side *side, struct test_side *other,
		enum doca_ctx_states state);
bool test_until_count(struct test_side *side, struct test_side *other,
		const unsigned int *count, unsigned int want);

bool test_until_least(struct test_side *side, const unsigned int *count, unsigned int want);

/* Progress for a moment, for what must not happen; or a few turns without a pause. */
void test_turn(struct test_side *side, struct test_side *other);
void test_turn_short(struct test_side *side);

/* Other numbers of tasks than TEST_TASKS. */
doca_error_t test_tasks_set(struct test_side *side, uint32_t tasks);

/* Stop it if it runs, and give everything back; an engine that others use stays. */
doca_error_t test_side_end(struct test_side *side, struct test_side *other);

/* The state. */
enum doca_ctx_states test_state(const struct test_side *side);

#endif /* TEST_COMCH_H */
