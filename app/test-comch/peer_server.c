/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The server: sessions of clients, their runs and data connections, on one
 * engine. It sleeps unless a run is under way whose client wants it to poll.
 * Clients are other processes, of other users maybe: whatever they ask for is
 * checked, and what one does ends none of the others.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_memory.h>
#include <rte_string_fns.h>

#include "env.h"
#include "peer.h"

/* Sessions at one time. */
#define SERVER_MAX_SESSIONS 64
/* Send tasks of one server, if there is one; more functions share them. */
#define SERVER_MAX_TASKS 4096
#define SERVER_MIN_TASKS (PEER_SPARE_TASKS + 32)
#define SERVER_PE_TASKS 16384
/* Seconds without a message after which a polling run does not keep it awake. */
#define SERVER_POLL_PATIENCE 10.0
/* Turns of the engine with nothing to do between two looks at the clock. */
#define SERVER_IDLE_TURNS 1024

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
	bool over;             /* --once, and the session has ended */
	TAILQ_HEAD(, srv_session) sessions;
};

static enum server_state server_state;

enum server_state
server_state_get(void)
{
	return __atomic_load_n(&server_state, __ATOMIC_ACQUIRE);
}

static void
server_state_set(enum server_state state)
{
	__atomic_store_n(&server_state, state, __ATOMIC_RELEASE);
}

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

static void
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
	if ((run->flags & PEER_RUN_EVENT) == 0)
		srv->nb_poll_runs--;
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
	bool here;

	TAILQ_FOREACH(sc, &run->conns, next) {
		if (sc->flow != NULL)
			in_flight += flow_in_flight(sc->flow);
		conn_account(&sum, sc);
	}
	here = sum.rx_msgs >= run->stop_rx_msgs && in_flight == 0 &&
			sum.connects >= run->stop_connects && sum.disconnects >= sum.connects;
	if (!here && now < run->stop_deadline)
		return;

	peer_msg_init(&reply.hdr, PEER_STOP_REPLY, session->id, run->id, 0);
	reply.rx_msgs = rte_cpu_to_le_64(sum.rx_msgs);
	reply.rx_bytes = rte_cpu_to_le_64(sum.rx_bytes);
	reply.bad_msgs = rte_cpu_to_le_64(sum.bad_msgs);
	reply.tx_msgs = rte_cpu_to_le_64(sum.tx_msgs);
	reply.connects = rte_cpu_to_le_64(sum.connects);
	reply.disconnects = rte_cpu_to_le_64(sum.disconnects);
	reply.cpu_ns = rte_cpu_to_le_64(env_cpu_time_ns() - run->cpu_ns);
	send_copy(session->conn, &reply, sizeof(reply));
	run_free(run);
}

static void
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
	struct srv_run *run;

	if (s->run != NULL) {
		reply_start(s, run_id, -EBUSY, "a run of this session is under way");
	} else if (test == NULL) {
		reply_start(s, run_id, -ENOENT, "the server has no test of that name");
	} else if (size > srv->info.max_msg_size || nb_conns > OPT_MAX_CONNECTIONS ||
			window > OPT_MAX_WINDOW || (flags & ~PEER_RUN_FLAGS) != 0) {
		reply_start(s, run_id, -EINVAL, "size, window or connections are out of range");
	} else if ((flags & PEER_RUN_BIDIR) != 0 && (uint64_t)window * nb_conns >
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
		TAILQ_INIT(&run->conns);
		s->run = run;
		if ((flags & PEER_RUN_EVENT) == 0)
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
	run->stop_deadline = rte_rdtsc() +
			(uint64_t)(PEER_PATIENCE / 2 * (double)rte_get_tsc_hz());
	run->srv->nb_stopping++;
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
		printf("session %u: client of %s, pid %u, version %s\n", s->id, port->rep.name,
				s->pid, msg->tool_version);
		fflush(stdout);
	}
	peer_msg_init(&reply.hdr, PEER_HELLO_REPLY, s != NULL ? s->id : 0, 0, status);
	reply.pid = rte_cpu_to_le_32((uint32_t)getpid());
	reply.cpu = rte_cpu_to_le_32((uint32_t)env_cpu());
	reply.max_window = rte_cpu_to_le_32(srv->nb_tasks - PEER_SPARE_TASKS);
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
		run->nb_joined++;
		rte_comch_conn_user_data_set(conn, sc);
	}
	/* The reply goes first: what the test sends in srv_join follows it. */
	peer_msg_init(&reply.hdr, PEER_JOIN_REPLY, session, run_id, status);
	send_copy(conn, &reply, sizeof(reply));
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
	printf("session %u: ended\n", s->id);
	fflush(stdout);
	free(s);
	if (srv->app->opt.once && srv->nb_sessions == 0)
		srv->over = true;
}

/* ---- callbacks ---- */

static void
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

static void
server_connect_cb(struct rte_comch_conn *conn, int status, void *user_data)
{
	struct server_port *port = user_data;

	if (status != 0)
		return;
	port->nb_conns++;
	server_count(port, conn, false);
}

static void
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

static void
server_state_cb(struct rte_comch_ctx *ctx, enum rte_comch_state prev, enum rte_comch_state next,
		void *user_data)
{
	struct server_port *port = user_data;

	RTE_SET_USED(ctx);
	RTE_SET_USED(prev);
	/* Out of RUNNING by itself: the function has failed. */
	if (next == RTE_COMCH_STATE_IDLE && !port->srv->over && !app_quit_wanted())
		port->srv->over = true;
}

/* ---- life ---- */

static int
server_port_open(struct server *srv, struct server_port *port)
{
	const struct options *opt = &srv->app->opt;
	struct rte_comch_server_conf conf = {
		.name = opt->name,
		.ctrl = {
			.recv_queue_size = opt->recv_queue,
			.nb_send_tasks = srv->nb_tasks,
			.state_cb = server_state_cb,
			.send_cb = send_io_cb,
			.recv_cb = server_recv_cb,
			.user_data = port,
		},
		.connect_cb = server_connect_cb,
		.disconnect_cb = server_disconnect_cb,
	};
	int ret;

	ret = rte_comch_server_create(srv->dev_id, port->rep.rep_id, &conf, &port->ctx);
	if (ret == 0)
		ret = rte_comch_ctx_attach(port->ctx, srv->pe);
	if (ret == 0)
		ret = rte_comch_ctx_start(port->ctx);
	if (ret == -EEXIST)
		fprintf(stderr, "name: a server '%s' runs on %s already; give another --name\n",
				opt->name, port->rep.name);
	else if (ret != 0)
		fprintf(stderr, "cannot serve '%s' on %s of %s: %s\n", opt->name, port->rep.name,
				srv->info.name, strerror(-ret));
	return ret;
}

static int
server_open(struct server *srv)
{
	const struct options *opt = &srv->app->opt;
	struct rte_comch_pe_conf pe_conf = { .socket_id = SOCKET_ID_ANY };
	struct rte_comch_rep_info *reps;
	uint32_t tasks;
	int nb, one = -1, i, ret;

	nb = rte_comch_rep_list(srv->dev_id, NULL, 0);
	if (nb <= 0) {
		fprintf(stderr, "%s has no representors; name functions in its device arguments\n",
				srv->info.name);
		return nb < 0 ? nb : -ENODEV;
	}
	if (opt->rep[0] != '\0') {
		one = rte_comch_rep_get_id_by_name(srv->dev_id, opt->rep);
		if (one < 0) {
			fprintf(stderr, "rep: %s has no function '%s'; see --list-dev\n",
					srv->info.name, opt->rep);
			return one;
		}
	}
	reps = calloc((size_t)nb, sizeof(*reps));
	srv->ports = calloc((size_t)nb, sizeof(*srv->ports));
	if (reps == NULL || srv->ports == NULL) {
		free(reps);
		return -ENOMEM;
	}
	nb = RTE_MIN(nb, rte_comch_rep_list(srv->dev_id, reps, (uint16_t)nb));

	/* The engine's tasks are shared out; a function that is alone gets most. */
	tasks = SERVER_PE_TASKS / (one >= 0 ? 1 : (uint32_t)RTE_MAX(nb, 1)) - 1;
	tasks = RTE_MIN(tasks, (uint32_t)SERVER_MAX_TASKS);
	tasks = RTE_MAX(tasks, (uint32_t)SERVER_MIN_TASKS);
	srv->nb_tasks = RTE_MIN(tasks, srv->info.max_send_tasks);
	pe_conf.nb_tasks = srv->nb_tasks * (one >= 0 ? 1 : (uint32_t)RTE_MAX(nb, 1)) + 1;
	ret = rte_comch_pe_create(&pe_conf, &srv->pe);
	if (ret != 0)
		fprintf(stderr, "cannot create a progress engine with %u tasks: %s; give EAL more "
				"memory or serve one function by --rep\n", pe_conf.nb_tasks,
				strerror(-ret));
	for (i = 0; i < nb && ret == 0; i++) {
		struct server_port *port = &srv->ports[srv->nb_ports];

		if (one >= 0 && reps[i].rep_id != (uint16_t)one)
			continue;
		port->srv = srv;
		port->rep = reps[i];
		srv->nb_ports++;
		ret = server_port_open(srv, port);
	}
	free(reps);
	return ret;
}

static void
server_close(struct server *srv)
{
	uint64_t deadline = rte_rdtsc() + 2 * rte_get_tsc_hz();
	struct srv_session *s;
	uint16_t i, left;
	int ret;

	srv->over = true;
	/* Flows have tasks of the contexts, which get IDLE only without them. */
	TAILQ_FOREACH(s, &srv->sessions, next) {
		if (s->run != NULL)
			run_free(s->run);
	}
	for (i = 0; i < srv->nb_ports; i++) {
		if (srv->ports[i].ctx != NULL)
			rte_comch_ctx_stop(srv->ports[i].ctx);
	}
	do {
		left = 0;
		for (i = 0; i < srv->nb_ports; i++) {
			if (srv->ports[i].ctx != NULL && rte_comch_ctx_state_get(
					srv->ports[i].ctx) != RTE_COMCH_STATE_IDLE)
				left++;
		}
		if (left > 0)
			rte_comch_pe_progress(srv->pe);
	} while (left > 0 && rte_rdtsc() < deadline);
	for (i = 0; i < srv->nb_ports; i++) {
		ret = rte_comch_ctx_destroy(srv->ports[i].ctx);
		if (ret != 0)
			fprintf(stderr, "the server on %s cannot be destroyed: %s\n",
					srv->ports[i].rep.name, strerror(-ret));
	}
	ret = rte_comch_pe_destroy(srv->pe);
	if (ret != 0)
		fprintf(stderr, "the progress engine cannot be destroyed: %s\n", strerror(-ret));
	free(srv->ports);
}

static void
server_loop(struct server *srv)
{
	const uint64_t patience = (uint64_t)(SERVER_POLL_PATIENCE * (double)rte_get_tsc_hz());
	uint64_t awake_until = 0, now;
	uint32_t idle = 0;
	int n;

	while (!srv->over && !app_quit_wanted()) {
		n = rte_comch_pe_progress(srv->pe);
		if (unlikely(srv->nb_stopping > 0))
			server_stops_check(srv);
		if (n > 0) {
			idle = 0;
			awake_until = 0;
			continue;
		}
		if (srv->nb_poll_runs > 0) {
			if (++idle % SERVER_IDLE_TURNS != 0)
				continue;
			if (srv->has_prompt)
				app_tick(srv->app);
			now = rte_rdtsc();
			if (awake_until == 0)
				awake_until = now + patience;
			if (now < awake_until)
				continue;
		}
		/* Stops that are late have to be answered too. */
		app_wait(srv->has_prompt ? srv->app : NULL, srv->pe,
				srv->nb_stopping > 0 ? 10 : 1000);
	}
}

int
server_run(struct app *app, int16_t dev_id, bool has_prompt)
{
	struct server *srv;
	int ret;

	srv = calloc(1, sizeof(*srv));
	if (srv == NULL) {
		server_state_set(SERVER_FAILED);
		return -ENOMEM;
	}
	srv->app = app;
	srv->dev_id = dev_id;
	srv->has_prompt = has_prompt;
	TAILQ_INIT(&srv->sessions);
	ret = rte_comch_dev_info_get(dev_id, &srv->info);
	if (ret == 0)
		ret = server_open(srv);
	if (ret == 0) {
		/* Only the thread that owns the engine may look at connections. */
		if (has_prompt)
			app->server = srv;
		printf("serving '%s' on %s, %u function%s, pid %d, cpu %d\n", app->opt.name,
				srv->info.name, srv->nb_ports, srv->nb_ports == 1 ? "" : "s",
				(int)getpid(), env_cpu());
		fflush(stdout);
		server_state_set(SERVER_READY);
		server_loop(srv);
	} else {
		server_state_set(SERVER_FAILED);
	}
	if (has_prompt)
		app->server = NULL;
	server_close(srv);
	free(srv);
	return ret;
}

void
server_connections_print(struct server *srv, int16_t dev_id, FILE *f)
{
	struct rte_comch_conn_stats stats;
	struct rte_comch_conn_info info;
	struct rte_comch_conn *conn;
	uint16_t i;

	if (srv->dev_id != dev_id)
		return;
	for (i = 0; i < srv->nb_ports; i++) {
		fprintf(f, "  %s: %u connections\n", srv->ports[i].rep.name,
				srv->ports[i].nb_conns);
		conn = NULL;
		while ((conn = rte_comch_server_conn_next(srv->ports[i].ctx, conn)) != NULL) {
			if (rte_comch_conn_info_get(conn, &info) != 0 ||
					rte_comch_conn_stats_get(conn, &stats) != 0)
				continue;
			fprintf(f, "    %u: peer pid %u uid %u, %u B, tx %" PRIu64 " (%" PRIu64
					" B), rx %" PRIu64 " (%" PRIu64 " B), in flight %u/%u\n",
					info.id, info.peer_pid, info.peer_uid, info.max_msg_size,
					stats.tx_msgs, stats.tx_bytes, stats.rx_msgs,
					stats.rx_bytes, stats.tx_in_flight, stats.rx_in_flight);
		}
	}
}
