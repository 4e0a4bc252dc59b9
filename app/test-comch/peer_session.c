/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What clients ask of the server: sessions, their runs and data connections.
 * Clients are other processes, of other users maybe: whatever they ask for is
 * checked, and what one does ends none of the others.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_string_fns.h>

#include "env.h"
#include "peer_server.h"

/* Sessions at one time. */
#define SERVER_MAX_SESSIONS 64

/* ---- runs ---- */

static void
conn_account(struct srv_run *run, const struct srv_conn *sc)
{
	run->rx_msgs += sc->rx_msgs;
	run->rx_bytes += sc->rx_bytes;
	run->bad_msgs += sc->bad_msgs;
	if (sc->flow != NULL)
		run->tx_msgs += sc->flow->completed;
}

/* After the end of its run a connection has no more to say. */
static void
recv_nothing(struct srv_conn *sc, const void *msg, uint32_t len)
{
	RTE_SET_USED(sc);
	RTE_SET_USED(msg);
	RTE_SET_USED(len);
}

void
run_free(struct srv_run *run)
{
	struct server *srv = run->srv;
	struct srv_conn *sc;

	while ((sc = TAILQ_FIRST(&run->conns)) != NULL) {
		TAILQ_REMOVE(&run->conns, sc, next);
		flow_close(sc->flow);
		sc->flow = NULL;
		sc->run = NULL;
		sc->recv = recv_nothing;
	}
	if (run->stopping)
		srv->nb_stopping--;
	if (run->polls)
		srv->nb_poll_runs--;
	/* It is freed when it has stopped. */
	if (run->fp != NULL) {
		run->fp->run = NULL;
		fp_stop(run->fp->fp);
	}
	run->session->run = NULL;
	free(run);
}

/* Answer the stop of a run when all that was sent is here, or when it is late. */
static void
run_stop_check(struct srv_run *run, uint64_t now)
{
	struct srv_session *session = run->session;
	struct peer_stop_reply reply;
	struct srv_run sum = *run;
	struct srv_conn *sc;
	uint32_t in_flight = 0;
	struct fp_count count;
	uint64_t cpu_ns = 0;
	int status = 0;
	bool here;

	TAILQ_FOREACH(sc, &run->conns, next) {
		if (sc->flow != NULL)
			in_flight += flow_in_flight(sc->flow);
		conn_account(&sum, sc);
	}
	here = in_flight == 0 && sum.connects >= run->stop_connects &&
			sum.disconnects >= sum.connects;
	if (run->fp != NULL) {
		fp_count_get(run->fp->fp, &count);
		here = here && (run->fp->error != 0 || fp_halted(run->fp->fp));
		sum.rx_msgs += count.rx_msgs;
		sum.rx_bytes += count.rx_bytes;
		sum.bad_msgs += count.bad_msgs;
		sum.tx_msgs += count.tx_msgs;
		status = run->fp->error;
	}
	here = here && sum.rx_msgs >= run->stop_rx_msgs;
	if (!here && now < run->stop_deadline)
		return;
	/* The client keeps its end of the connections until this end has stopped. */
	if (run->fp != NULL) {
		fp_stop(run->fp->fp);
		if (!fp_stopped(run->fp->fp))
			return;
		cpu_ns = fp_cpu_ns(run->fp->fp);
	}

	peer_msg_init(&reply.hdr, PEER_STOP_REPLY, session->id, run->id, status);
	if (status != 0)
		strlcpy(reply.text, run->fp->text, sizeof(reply.text));
	reply.rx_msgs = rte_cpu_to_le_64(sum.rx_msgs);
	reply.rx_bytes = rte_cpu_to_le_64(sum.rx_bytes);
	reply.bad_msgs = rte_cpu_to_le_64(sum.bad_msgs);
	reply.tx_msgs = rte_cpu_to_le_64(sum.tx_msgs);
	reply.connects = rte_cpu_to_le_64(sum.connects);
	reply.disconnects = rte_cpu_to_le_64(sum.disconnects);
	reply.cpu_ns = rte_cpu_to_le_64(env_cpu_time_ns() - run->cpu_ns + cpu_ns);
	send_copy(session->conn, &reply, sizeof(reply));
	run_free(run);
}

void
server_stops_check(struct server *srv)
{
	uint64_t now = rte_rdtsc();
	struct srv_session *s;

	TAILQ_FOREACH(s, &srv->sessions, next) {
		if (s->run != NULL && s->run->stopping)
			run_stop_check(s->run, now);
	}
}

/* ---- requests ---- */

static void
reply_start(struct srv_session *s, uint32_t run_id, int status, const char *text)
{
	struct peer_start_reply reply;

	peer_msg_init(&reply.hdr, PEER_START_REPLY, s->id, run_id, status);
	reply.cpu = rte_cpu_to_le_32((uint32_t)env_cpu());
	strlcpy(reply.text, text, sizeof(reply.text));
	send_copy(s->conn, &reply, sizeof(reply));
}

static void
handle_start(struct srv_session *s, const struct peer_start *msg)
{
	uint32_t run_id = rte_le_to_cpu_32(msg->hdr.run);
	struct server *srv = s->port->srv;
	const struct test_ops *test = test_find(msg->test);
	uint32_t size = rte_le_to_cpu_32(msg->size);
	uint32_t window = rte_le_to_cpu_32(msg->window);
	uint32_t nb_conns = rte_le_to_cpu_32(msg->nb_conns);
	uint32_t flags = rte_le_to_cpu_32(msg->flags);
	bool fast = test != NULL && test->fast_path;
	char why[FP_TEXT];
	struct srv_run *run;
	int ret;

	if (s->run != NULL) {
		reply_start(s, run_id, -EBUSY, "a run of this session is under way");
	} else if (test == NULL) {
		reply_start(s, run_id, -ENOENT, "the server has no test of that name");
	} else if (!fast && (size > srv->info.max_msg_size || nb_conns > OPT_MAX_CONNECTIONS ||
			window > OPT_MAX_WINDOW || (flags & ~PEER_RUN_FLAGS) != 0)) {
		reply_start(s, run_id, -EINVAL, "size, window or connections are out of range");
	} else if (!fast && (flags & PEER_RUN_BIDIR) != 0 && (uint64_t)window * nb_conns >
			srv->nb_tasks - PEER_SPARE_TASKS) {
		reply_start(s, run_id, -ENOSPC, "the server has not so many send tasks; lower "
				"--window or --connections, or serve one function by --rep");
	} else {
		run = calloc(1, sizeof(*run));
		if (run == NULL) {
			reply_start(s, run_id, -ENOMEM, "the server has no memory");
			return;
		}
		run->srv = srv;
		run->session = s;
		run->test = test;
		run->id = run_id;
		run->size = size;
		run->window = window;
		run->nb_conns = nb_conns;
		run->flags = flags;
		run->cpu_ns = env_cpu_time_ns();
		run->polls = (flags & PEER_RUN_EVENT) == 0;
		TAILQ_INIT(&run->conns);
		if (fast) {
			ret = srv_fp_create(run, msg, &srv->info, srv->pe, srv->dev_id,
					srv->app->opt.role == ROLE_LOOPBACK, why, &run->fp);
			if (ret != 0) {
				free(run);
				reply_start(s, run_id, ret, why);
				return;
			}
			TAILQ_INSERT_TAIL(&srv->fps, run->fp, next);
			run->polls = run->polls && fp_is_inline(run->fp->fp);
		}
		s->run = run;
		if (run->polls)
			srv->nb_poll_runs++;
		reply_start(s, run_id, 0, "");
	}
}

static void
handle_stop(struct srv_session *s, const struct peer_stop *msg)
{
	struct srv_run *run = s->run;
	struct peer_stop_reply reply;
	struct srv_conn *sc;
	uint64_t bytes = 0;

	if (run == NULL || run->stopping || run->id != rte_le_to_cpu_32(msg->hdr.run)) {
		peer_msg_init(&reply.hdr, PEER_STOP_REPLY, s->id, rte_le_to_cpu_32(msg->hdr.run),
				-ENOENT);
		strlcpy(reply.text, "no such run is under way", sizeof(reply.text));
		send_copy(s->conn, &reply, sizeof(reply));
		return;
	}
	run->stopping = true;
	run->stop_rx_msgs = rte_le_to_cpu_64(msg->rx_msgs);
	run->stop_connects = rte_le_to_cpu_64(msg->connects);
	if (run->fp != NULL)
		bytes = (uint64_t)run->size * fp_spec_get(run->fp->fp)->posts * run->nb_conns;
	run->stop_deadline = rte_rdtsc() + (uint64_t)((PEER_PATIENCE / 2 + fp_patience(bytes)) *
			(double)rte_get_tsc_hz());
	run->srv->nb_stopping++;
	if (run->fp != NULL)
		fp_halt(run->fp->fp);
	TAILQ_FOREACH(sc, &run->conns, next) {
		if (sc->flow != NULL)
			flow_stop(sc->flow);
	}
}

static struct srv_session *
session_find(struct server *srv, const struct rte_comch_conn *conn)
{
	struct srv_session *s;

	TAILQ_FOREACH(s, &srv->sessions, next) {
		if (s->conn == conn)
			return s;
	}
	return NULL;
}

static void
handle_hello(struct server_port *port, struct rte_comch_conn *conn, const struct peer_hello *msg)
{
	struct server *srv = port->srv;
	struct rte_comch_conn_info info;
	struct peer_hello_reply reply;
	struct srv_session *s = NULL;
	int status = 0;

	if (session_find(srv, conn) != NULL)
		status = -EALREADY;
	else if (srv->nb_sessions == SERVER_MAX_SESSIONS)
		status = -ENOSPC;
	else if (rte_comch_conn_info_get(conn, &info) != 0)
		status = -ENOTCONN;
	else if ((s = calloc(1, sizeof(*s))) == NULL)
		status = -ENOMEM;
	if (s != NULL) {
		s->port = port;
		s->conn = conn;
		s->id = ++srv->next_session;
		s->pid = rte_le_to_cpu_32(msg->pid);
		s->peer_pid = info.peer_pid;
		TAILQ_INSERT_TAIL(&srv->sessions, s, next);
		srv->nb_sessions++;
		app_line(srv->app);
		printf("session %u: client of %s, pid %u, version %s\n", s->id, port->rep.name,
				s->pid, msg->tool_version);
		fflush(stdout);
	}
	peer_msg_init(&reply.hdr, PEER_HELLO_REPLY, s != NULL ? s->id : 0, 0, status);
	reply.pid = rte_cpu_to_le_32((uint32_t)getpid());
	reply.cpu = rte_cpu_to_le_32((uint32_t)env_cpu());
	reply.max_window = rte_cpu_to_le_32(srv->nb_tasks - PEER_SPARE_TASKS);
	reply.fp_cpu = rte_cpu_to_le_32((uint32_t)fp_cpu(true,
			srv->app->opt.role == ROLE_LOOPBACK));
	env_boot_id(reply.boot_id);
	strlcpy(reply.tool_version, TEST_COMCH_VERSION, sizeof(reply.tool_version));
	if (status == -ENOSPC)
		strlcpy(reply.text, "the server has as many sessions as it takes",
				sizeof(reply.text));
	send_copy(conn, &reply, sizeof(reply));
}

static void
handle_join(struct server_port *port, struct rte_comch_conn *conn, const struct peer_join *msg)
{
	uint32_t session = rte_le_to_cpu_32(msg->hdr.session);
	uint32_t run_id = rte_le_to_cpu_32(msg->hdr.run);
	struct peer_join_reply reply;
	struct srv_conn *sc = NULL;
	struct srv_session *s;
	struct srv_run *run;
	int status = 0;

	TAILQ_FOREACH(s, &port->srv->sessions, next) {
		if (s->id == session && s->port == port)
			break;
	}
	run = s != NULL ? s->run : NULL;
	if (run == NULL || run->id != run_id || run->stopping)
		status = -ENOENT;
	else if (run->nb_joined >= run->nb_conns || session_find(port->srv, conn) != NULL)
		status = -EINVAL;
	else if ((sc = calloc(1, sizeof(*sc))) == NULL)
		status = -ENOMEM;
	if (sc != NULL) {
		sc->conn = conn;
		sc->run = run;
		sc->recv = run->test->srv_recv;
		sc->index = rte_le_to_cpu_32(msg->index);
		TAILQ_INSERT_TAIL(&run->conns, sc, next);
		sc->number = run->nb_joined++;
		rte_comch_conn_user_data_set(conn, sc);
	}
	/* The reply goes first: what the test sends in srv_join follows it. */
	peer_msg_init(&reply.hdr, PEER_JOIN_REPLY, session, run_id, status);
	send_copy(conn, &reply, sizeof(reply));
	if (sc != NULL && run->fp != NULL)
		srv_fp_join(run->fp, sc);
	if (sc != NULL && run->test->srv_join != NULL && run->test->srv_join(sc) != 0)
		/* Seen by the client as a run in which nothing moves. */
		fprintf(stderr, "session %u: %s has no send tasks\n", session, run->test->name);
}

static void
handle_memory(struct srv_session *s)
{
	struct peer_memory_reply reply;

	peer_msg_init(&reply.hdr, PEER_MEMORY_REPLY, s->id, 0, 0);
	reply.bytes = rte_cpu_to_le_64(env_memory());
	send_copy(s->conn, &reply, sizeof(reply));
}

static void
session_free(struct srv_session *s)
{
	struct server *srv = s->port->srv;

	if (s->run != NULL)
		run_free(s->run);
	TAILQ_REMOVE(&srv->sessions, s, next);
	srv->nb_sessions--;
	app_line(srv->app);
	printf("session %u: ended\n", s->id);
	fflush(stdout);
	free(s);
	if (srv->app->opt.once && srv->nb_sessions == 0)
		srv->over = true;
}

/* ---- callbacks ---- */

void
server_recv_cb(struct rte_comch_conn *conn, const void *msg, uint32_t len, void *user_data)
{
	struct srv_conn *sc = rte_comch_conn_user_data_get(conn);
	struct server_port *port = user_data;
	const struct peer_hdr *hdr = msg;
	struct peer_hello_reply refusal;
	struct srv_session *s;
	int type;

	if (likely(sc != NULL)) {
		sc->recv(sc, msg, len);
		return;
	}

	type = peer_msg_check(msg, len);
	if (type == -EPROTONOSUPPORT) {
		/* Its client checks the version first, so any layout will do. */
		peer_msg_init(&refusal.hdr, PEER_HELLO_REPLY, 0, 0, -EPROTONOSUPPORT);
		send_copy(conn, &refusal, sizeof(refusal));
		return;
	}
	if (type == PEER_HELLO) {
		handle_hello(port, conn, msg);
		return;
	}
	if (type == PEER_JOIN) {
		handle_join(port, conn, msg);
		return;
	}
	s = session_find(port->srv, conn);
	if (s != NULL && rte_le_to_cpu_32(hdr->session) == s->id) {
		switch (type) {
		case PEER_START:
			handle_start(s, msg);
			return;
		case PEER_STOP:
			handle_stop(s, msg);
			return;
		case PEER_MEMORY:
			handle_memory(s);
			return;
		case PEER_BYE:
			session_free(s);
			return;
		default:
			break;
		}
	}
	app_line(port->srv->app);
	fprintf(stderr, "%s: a client sent %u bytes that are no request; disconnected\n",
			port->rep.name, len);
	rte_comch_server_disconnect(conn);
}

/* Runs that count connects count those of their own client's process. */
static void
server_count(struct server_port *port, struct rte_comch_conn *conn, bool gone)
{
	struct rte_comch_conn_info info;
	struct srv_session *s;

	TAILQ_FOREACH(s, &port->srv->sessions, next) {
		if (s->port != port || s->run == NULL || !s->run->test->srv_counts_connects)
			continue;
		if (rte_comch_conn_info_get(conn, &info) != 0 ||
				(info.peer_pid != 0 && info.peer_pid != s->peer_pid))
			continue;
		if (gone)
			s->run->disconnects++;
		else
			s->run->connects++;
	}
}

void
server_connect_cb(struct rte_comch_conn *conn, int status, void *user_data)
{
	struct server_port *port = user_data;

	if (status != 0)
		return;
	port->nb_conns++;
	server_count(port, conn, false);
}

void
server_disconnect_cb(struct rte_comch_conn *conn, int status, void *user_data)
{
	struct srv_conn *sc = rte_comch_conn_user_data_get(conn);
	struct server_port *port = user_data;
	struct srv_session *s;

	RTE_SET_USED(status);
	port->nb_conns--;
	server_count(port, conn, true);
	if (sc != NULL) {
		if (sc->run != NULL) {
			conn_account(sc->run, sc);
			TAILQ_REMOVE(&sc->run->conns, sc, next);
		}
		flow_close(sc->flow);
		free(sc);
		return;
	}
	s = session_find(port->srv, conn);
	if (s != NULL)
		session_free(s);
}

void
server_consumer_cb(struct rte_comch_conn *conn, uint32_t consumer_id, void *user_data)
{
	struct srv_conn *sc = rte_comch_conn_user_data_get(conn);

	RTE_SET_USED(user_data);
	if (sc != NULL && sc->run != NULL && sc->run->fp != NULL)
		fp_remote_consumer(sc->run->fp->fp, sc->number, consumer_id);
}

/* What is lost with a consumer shows in the producers, or with the connection. */
void
server_consumer_gone_cb(struct rte_comch_conn *conn, uint32_t consumer_id, void *user_data)
{
	RTE_SET_USED(conn);
	RTE_SET_USED(consumer_id);
	RTE_SET_USED(user_data);
}

void
server_state_cb(struct rte_comch_ctx *ctx, enum rte_comch_state prev, enum rte_comch_state next,
		void *user_data)
{
	struct server_port *port = user_data;

	struct server *srv = port->srv;
	int reason;

	RTE_SET_USED(prev);
	/* Out of RUNNING by itself: the function has failed. */
	if (next != RTE_COMCH_STATE_IDLE || srv->over || app_quit_wanted())
		return;
	reason = rte_comch_ctx_reason_get(ctx);
	srv->over = true;
	srv->error = reason != 0 ? reason : -EIO;
	app_line(srv->app);
	fprintf(stderr, "the server on %s has ended: %s; then start it again\n",
			srv->info.name, rte_comch_reason_str(srv->error));
}
