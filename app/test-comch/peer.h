/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_PEER_H
#define TEST_COMCH_PEER_H

/*
 * The two ends of this tool: the server, which serves runs of tests, and the
 * client, which asks for them. What they say to each other is in peer_msg.h.
 * What a run does on either end is the test's.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/queue.h>

#include <rte_comch.h>

#include "app.h"
#include "flow.h"
#include "limit.h"
#include "peer_msg.h"
#include "test.h"

/* Send tasks that a server keeps for its own messages, beside the tests'. */
#define PEER_SPARE_TASKS 64
/* Seconds without an answer or a completed message after which a run has failed. */
#define PEER_PATIENCE 5.0

/* ---- server ---- */

struct server;
struct srv_fp;
struct srv_session;

/* A run of a test, on the server. */
struct srv_run {
	struct server *srv;
	struct srv_session *session;
	const struct test_ops *test;
	uint32_t id;
	uint32_t size;
	uint32_t window;
	uint32_t flags;        /* PEER_RUN_* */
	uint32_t nb_conns;     /* that may join */
	uint32_t nb_joined;
	/* Of connections that are gone; those of the others are added up. */
	uint64_t rx_msgs;
	uint64_t rx_bytes;
	uint64_t bad_msgs;
	uint64_t tx_msgs;
	uint64_t connects;
	uint64_t disconnects;
	uint64_t cpu_ns;       /* of the thread when it started */
	/* The client has asked to stop; answered when all has arrived. */
	bool stopping;
	uint64_t stop_rx_msgs;
	uint64_t stop_connects;
	uint64_t stop_deadline;
	bool polls;            /* the server's thread works for it without a pause */
	struct srv_fp *fp;     /* if it is one of the fast path */
	TAILQ_HEAD(, srv_conn) conns;
};

/* A data connection, on the server. */
struct srv_conn {
	void (*recv)(struct srv_conn *sc, const void *msg, uint32_t len);
	struct rte_comch_conn *conn;
	struct srv_run *run;   /* NULL once the run is over */
	struct flow *flow;     /* the test's, closed with the connection */
	uint64_t rx_msgs;
	uint64_t rx_bytes;
	uint64_t bad_msgs;
	uint64_t pending;      /* the test's: what waits for a free task */
	uint32_t index;        /* as the client counts */
	uint32_t number;       /* as they joined */
	TAILQ_ENTRY(srv_conn) next;
};

/*
 * Serve until the process is to end or, with --once, until the first session is
 * over. has_prompt: the calling thread is the one that looks after the prompt.
 */
int server_run(struct app *app, int16_t dev_id, bool has_prompt);

/* Set by the server when clients can connect, or when it has failed. */
enum server_state {
	SERVER_STARTING = 0,
	SERVER_READY,
	SERVER_FAILED,
};
enum server_state server_state_get(void);

/* False: the device is not its own. */
bool server_conns_print(struct server *srv, int16_t dev_id, FILE *f);

/* ---- client ---- */

/* One connection of the client; each has a context of its own. */
struct client_conn {
	struct client *cl;
	struct rte_comch_ctx *ctx;
	struct rte_comch_conn *conn;  /* while RUNNING */
	enum rte_comch_state state;
	int reason;                   /* of the last way out of RUNNING or STARTING */
	bool joined;
	void (*recv)(struct client_conn *cc, const void *msg, uint32_t len);
	/* What recv becomes once the connection has joined a run. */
	void (*data_recv)(struct client_conn *cc, const void *msg, uint32_t len);
	/* A consumer of the server has arrived; NULL if nobody wants to know. */
	void (*consumer)(struct client_conn *cc, uint32_t consumer_id);
	/* The state has changed; for tests that start and stop by themselves. */
	void (*changed)(struct client_conn *cc);
	void *arg;                    /* the test's */
	struct flow *flow;            /* the test's, closed with the connection */
	uint64_t started;             /* the test's: a clock */
	uint32_t index;
};

struct client_run;
struct fp;
struct fp_spec;

struct client {
	struct app *app;
	const struct options *opt;
	int16_t dev_id;
	struct rte_comch_dev_info info;
	struct rte_comch_pe *pe;
	struct client_conn *session;
	uint32_t session_id;
	uint32_t run_id;
	/* The server, as it told. */
	int server_cpu;
	uint32_t server_pid;
	uint32_t server_max_window;
	bool same_machine;
	char server_version[32];
	struct limit_place place;
	struct limit_place fp_place;  /* of the workers of the fast path */
	uint64_t page_size;           /* of this side's buffers of the last run */
	uint64_t server_page_size;
	/* The last message of the server on the session, about this run. */
	uint32_t call_run;
	int reply_type;
	union {
		struct peer_hdr hdr;
		struct peer_hello_reply hello;
		struct peer_start_reply start;
		struct peer_stop_reply stop;
		struct peer_memory_reply memory;
		uint64_t align;
	} reply;
	struct client_run *run;       /* the one that is under way */
	struct fp *fp;                /* its end of the fast path, if it has one */
	struct client_conn **idle;
	uint32_t nb_idle;
	double idle_bytes_client;
	double idle_bytes_server;
	uint64_t next_tick;
	uint64_t cpu_ns;              /* of this thread, at the start of a round */
	char error[OPT_ERR_SIZE];     /* what went wrong last, for people */
};

/* A run of a test, on the client. */
struct client_run {
	bool stopped;                 /* the server has been told */
	uint32_t nb_conns;
	struct client_conn **conns;   /* RUNNING and joined */
};

/* What is to be run; the rest is in the options. */
struct client_run_spec {
	const struct test_ops *test;
	const struct test_point *pt;
	uint32_t nb_conns;
	uint32_t nb_tasks;            /* send tasks of each */
	const struct fp_spec *fp;     /* of a run of the fast path */
	void (*recv)(struct client_conn *cc, const void *msg, uint32_t len);
	void (*consumer)(struct client_conn *cc, uint32_t consumer_id);
	void *arg;
};

/* Connect to the server and say hello. nb_tasks: of the whole engine. */
int client_open(struct app *app, int16_t dev_id, uint32_t nb_tasks, struct client **cl);
void client_close(struct client *cl);

/* Make the text of cl->error; returns status. */
int client_fail(struct client *cl, int status, const char *format, ...)
	__rte_format_printf(3, 4);

/* The same for a run of the fast path, whose engine has been turned already. */
int client_fp_step(struct client *cl, int n);

/* Turn the engine once, or sleep a moment if there is nothing and the run may. */
static inline int
client_step(struct client *cl)
{
	int n = rte_comch_pe_progress(cl->pe);

	if (cl->fp != NULL)
		return client_fp_step(cl, n);
	if (n == 0 && cl->opt->event)
		app_wait(cl->app, cl->pe, 10);
	return n;
}

/*
 * Housekeeping of a running test, some times in a millisecond at most: prompt,
 * signals, the state of the session. Not 0 if the test is to end.
 */
int client_check(struct client *cl);

/* A context that is attached, not started. */
int client_conn_create(struct client *cl, uint32_t max_msg_size, uint32_t nb_tasks,
		struct client_conn **cc);
/* Start all and wait until they are RUNNING. */
int client_conns_start(struct client *cl, struct client_conn **ccs, uint32_t nb);
/* Stop, destroy and free all; entries may be NULL. */
void client_conns_close(struct client *cl, struct client_conn **ccs, uint32_t nb);

/* Have as many idle clients as given, and the memory each takes measured. */
int client_idle_set(struct client *cl, uint32_t nb);

/* Start a run and join its connections. After a failure call client_run_abort(). */
int client_run_begin(struct client *cl, const struct client_run_spec *spec,
		struct client_run *run);
/*
 * Ask the server to stop a run, and check that it has seen this many messages
 * and connects. Its counters are in cl->reply.stop afterwards.
 */
int client_run_stop(struct client *cl, struct client_run *run, uint64_t rx_msgs,
		uint64_t connects, struct result *res);
/* The same, and the run is freed. */
int client_run_end(struct client *cl, struct client_run *run, uint64_t rx_msgs,
		uint64_t connects, struct result *res);
/* Close the connections of a run that has been stopped. */
void client_run_free(struct client *cl, struct client_run *run);
/* Stop and free a run that went wrong. */
void client_run_abort(struct client *cl, struct client_run *run);

bool client_conns_print(struct client *cl, int16_t dev_id, FILE *f);

#endif /* TEST_COMCH_PEER_H */
