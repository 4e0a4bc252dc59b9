/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_PEER_SERVER_H
#define TEST_COMCH_PEER_SERVER_H

/* The parts of the server; for peer_server.c and peer_session.c only. */

#include "fp_server.h"
#include "peer.h"

/* A server of one function. */
struct server_port {
	struct server *srv;
	struct rte_comch_rep_info rep;
	struct rte_comch_ctx *ctx;
	uint32_t nb_conns;
};

struct srv_session {
	struct server_port *port;
	struct rte_comch_conn *conn;
	uint32_t id;
	uint32_t pid;
	uint32_t peer_pid;     /* as the transport knows it; 0 if it does not */
	struct srv_run *run;   /* one at a time */
	TAILQ_ENTRY(srv_session) next;
};

struct server {
	struct app *app;
	int16_t dev_id;
	struct rte_comch_dev_info info;
	struct rte_comch_pe *pe;
	struct server_port *ports;
	uint16_t nb_ports;
	uint32_t nb_tasks;     /* of each port */
	uint32_t next_session;
	uint32_t nb_sessions;
	uint32_t nb_poll_runs;
	uint32_t nb_stopping;  /* runs whose stop is not answered */
	bool has_prompt;       /* its thread is the one that has the prompt */
	bool over;             /* --once, and the session has ended; or with error */
	int error;             /* of the device, which ended it; 0: none */
	TAILQ_HEAD(, srv_session) sessions;
	TAILQ_HEAD(, srv_fp) fps; /* with those whose runs are over */
};

/* Forget a run; what its fast path still has to do is done later. */
void run_free(struct srv_run *run);
/* Answer stops that have waited for messages. */
void server_stops_check(struct server *srv);

/* Callbacks of the contexts of all functions; user data is the port. */
void server_recv_cb(struct rte_comch_conn *conn, const void *msg, uint32_t len,
		void *user_data);
void server_connect_cb(struct rte_comch_conn *conn, int status, void *user_data);
void server_disconnect_cb(struct rte_comch_conn *conn, int status, void *user_data);
void server_consumer_cb(struct rte_comch_conn *conn, uint32_t consumer_id, void *user_data);
void server_consumer_gone_cb(struct rte_comch_conn *conn, uint32_t consumer_id,
		void *user_data);
void server_state_cb(struct rte_comch_ctx *ctx, enum rte_comch_state prev,
		enum rte_comch_state next, void *user_data);

#endif /* TEST_COMCH_PEER_SERVER_H */
