/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * One server, many lcores: clients of the main thread, and a server of the main thread
 * that accepts each of them onto the engine of one of several threads. What happens to a
 * connection is checked to happen in its thread.
 */

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "test_comch_child.h"
#include "test_comch_fp_util.h"
#include "test_comch_place.h"

#define WORKERS 3
#define CLIENTS 8
/* Messages of each client, and how many it has under way. */
#define MSGS 400
#define WINDOW 4
/* Clients that come and go while others do. */
#define ROUNDS 40

/* A thread with an engine. */
struct worker {
	pthread_t thread;
	bool runs;
	bool sleeps;     /* in event mode */
	bool queues;     /* a consumer on each connection */
	struct rte_comch_pe *pe;
	uint32_t stop;
	uint32_t nb_came;
	uint32_t nb_gone;
	uint32_t nb_recv;
	uint32_t nb_new; /* consumers of the peers */
	uint32_t nb_wrong;
	uint32_t nb_queues; /* that run */
};

static struct worker workers[WORKERS];
static struct test_ep *server;
/* In the thread of the server. */
static uint32_t nb_asked;
static uint32_t nb_refused;
static struct worker *named[256]; /* by identifier of the connection */

static __thread struct worker *here;

static uint32_t
get(const uint32_t *count)
{
	/* acquire: pairs with the release in add(): what it counts has happened */
	return __atomic_load_n(count, __ATOMIC_ACQUIRE);
}

static void
add(uint32_t *count)
{
	__atomic_fetch_add(count, 1, __ATOMIC_RELEASE);
}

/* The worker of a connection, which must be the thread that asks. */
static struct worker *
worker_of(const struct rte_comch_conn *conn)
{
	struct worker *w = rte_comch_conn_user_data_get(conn);

	if (w != here)
		add(&w->nb_wrong);
	return w;
}

static void
sent(struct rte_comch_task *task, int status __rte_unused, void *user_data __rte_unused)
{
	free(rte_comch_task_user_data_get(task));
	if (rte_comch_task_free(task) != 0)
		test_fail("a task cannot be freed");
}

/* Back it goes; the window is smaller than the budget of a connection. */
static void
received(struct rte_comch_conn *conn, const void *msg, uint32_t len, void *user_data __rte_unused)
{
	struct worker *w = worker_of(conn);
	struct rte_comch_task *task;
	void *copy = malloc(len);

	add(&w->nb_recv);
	if (copy == NULL || rte_comch_conn_task_alloc(conn, copy, len, &task) != 0) {
		add(&w->nb_wrong);
		free(copy);
		return;
	}
	memcpy(copy, msg, len);
	rte_comch_task_user_data_set(task, copy);
	if (rte_comch_task_submit(task) != 0) {
		free(copy);
		rte_comch_task_free(task);
	}
}

static void
consumer_came(struct rte_comch_conn *conn, uint32_t id __rte_unused, void *user_data __rte_unused)
{
	add(&worker_of(conn)->nb_new);
}

static void
consumer_went(struct rte_comch_conn *conn __rte_unused, uint32_t id __rte_unused,
		void *user_data __rte_unused)
{
}

/* A consumer of the worker: it goes when its connection does. */
static void
queue_state(struct rte_comch_ctx *ctx __rte_unused, enum rte_comch_state prev __rte_unused,
		enum rte_comch_state next, void *user_data)
{
	struct worker *w = user_data;

	if (w != here)
		add(&w->nb_wrong);
	if (next == RTE_COMCH_STATE_RUNNING)
		add(&w->nb_queues);
}

#define MAX_QUEUES 64

/* Only the worker's own. */
static __thread struct rte_comch_ctx *queues[MAX_QUEUES];

static void
queue_make(struct worker *w, struct rte_comch_conn *conn)
{
	const struct rte_comch_consumer_conf conf = {
		.state_cb = queue_state,
		.user_data = w,
	};
	struct rte_comch_ctx *ctx;
	unsigned int i;
	int ret;

	for (i = 0; i < MAX_QUEUES && queues[i] != NULL; i++)
		;
	ret = i == MAX_QUEUES ? -ENOSPC : rte_comch_consumer_create(conn, &conf, &ctx);
	if (ret != 0) {
		add(&w->nb_wrong);
		return;
	}
	queues[i] = ctx;
	ret = rte_comch_ctx_attach(ctx, w->pe);
	if (ret == 0)
		ret = rte_comch_ctx_start(ctx);
	if (ret != -EINPROGRESS)
		add(&w->nb_wrong);
}

/* Those that are IDLE go; the number that is left. */
static unsigned int
queues_reap(bool stop)
{
	unsigned int i, left = 0;

	for (i = 0; i < MAX_QUEUES; i++) {
		if (queues[i] == NULL)
			continue;
		if (stop)
			rte_comch_ctx_stop(queues[i]);
		if (rte_comch_ctx_destroy(queues[i]) == 0)
			queues[i] = NULL;
		else
			left++;
	}
	return left;
}

/* It begins where the server has named it, and is that worker's. */
static void
came(struct rte_comch_conn *conn, int status __rte_unused, void *user_data)
{
	struct rte_comch_conn_info info;

	if (user_data != server || rte_comch_conn_info_get(conn, &info) != 0 ||
			named[info.id % RTE_DIM(named)] != here)
		add(&workers[0].nb_wrong);
	if (here == NULL)
		return;
	rte_comch_conn_user_data_set(conn, here);
	if (here->queues)
		queue_make(here, conn);
	add(&here->nb_came);
}

static void
gone(struct rte_comch_conn *conn, int status __rte_unused, void *user_data __rte_unused)
{
	add(&worker_of(conn)->nb_gone);
}

/* In the thread of the server: each worker in turn. */
static struct rte_comch_pe *
engine_of(const struct rte_comch_conn_info *info, void *user_data)
{
	struct worker *w = &workers[nb_asked++ % WORKERS];

	if (user_data != server || here != NULL)
		add(&w->nb_wrong);
	/* seen there: it goes with the connection */
	named[info->id % RTE_DIM(named)] = w;
	return w->pe;
}

static void
refused(struct rte_comch_ctx *ctx __rte_unused, const struct rte_comch_refusal *refusal,
		void *user_data)
{
	if (user_data != server || here != NULL)
		add(&workers[0].nb_wrong);
	nb_refused += 1 + refusal->nb_missed;
}

static void *
worker_run(void *arg)
{
	struct worker *w = arg;
	int nb;

	here = w;
	test_thread_spread(1 + (w - workers));
	while (get(&w->stop) == 0) {
		nb = rte_comch_pe_progress(w->pe);
		if (w->queues)
			queues_reap(false);
		if (nb != 0)
			continue;
		if (w->sleeps && rte_comch_pe_arm(w->pe) == 0)
			test_wait_fd(w->pe, 20);
		else
			sched_yield();
	}
	while (w->queues && queues_reap(true) != 0)
		rte_comch_pe_progress(w->pe);
	return NULL;
}

static int
workers_start(bool sleeps, bool with_queues)
{
	unsigned int i;

	memset(workers, 0, sizeof(workers));
	nb_asked = nb_refused = 0;
	for (i = 0; i < WORKERS; i++) {
		workers[i].sleeps = sleeps;
		workers[i].queues = with_queues;
		TEST_EXPECT(rte_comch_pe_create(NULL, &workers[i].pe), 0);
		TEST_EXPECT(rte_comch_pe_dev_add(workers[i].pe, test_pair.dpu), 0);
		TEST_EXPECT(pthread_create(&workers[i].thread, NULL, worker_run, &workers[i]), 0);
		workers[i].runs = true;
	}
	return TEST_SUCCESS;
}

static int
server_start(void)
{
	struct rte_comch_server_conf conf;

	server = test_ep_new();
	test_server_conf(server, "test", &conf);
	conf.engine_cb = engine_of;
	conf.connect_cb = came;
	conf.disconnect_cb = gone;
	conf.refused_cb = refused;
	conf.ctrl.recv_cb = received;
	conf.ctrl.send_cb = sent;
	conf.ctrl.consumer_new_cb = consumer_came;
	conf.ctrl.consumer_gone_cb = consumer_went;
	TEST_EXPECT(test_server_start(server, &conf, test_pe_new()), 0);
	return TEST_SUCCESS;
}

static uint32_t
sum(size_t field)
{
	uint32_t all = 0;
	unsigned int i;

	for (i = 0; i < WORKERS; i++)
		all += get((const uint32_t *)RTE_PTR_ADD(&workers[i], field));
	return all;
}

#define SUM(field) sum(offsetof(struct worker, field))

/* The server ends first: its connections end in the threads of the workers. */
static void
teardown(void)
{
	unsigned int i;

	test_child_cleanup();
	for (i = 0; i < WORKERS; i++) /* their queues are in the way of a stop */
		if (workers[i].runs && workers[i].queues) {
			add(&workers[i].stop);
			pthread_join(workers[i].thread, NULL);
			workers[i].stop = 0;
			workers[i].queues = false;
			if (pthread_create(&workers[i].thread, NULL, worker_run, &workers[i]) != 0)
				test_fail("no thread");
		}
	test_cleanup();
	for (i = 0; i < WORKERS; i++) {
		if (!workers[i].runs)
			continue;
		add(&workers[i].stop);
		pthread_join(workers[i].thread, NULL);
		if (rte_comch_pe_destroy(workers[i].pe) != 0)
			test_fail("the engine of worker %u cannot be destroyed", i);
		workers[i].runs = false;
	}
}

/* The next of a client's messages comes back. */
static void
came_back(struct test_ep *ep, struct rte_comch_conn *conn, const void *msg, uint32_t len)
{
	uint32_t i = ep->nb_recv - 1;

	if (len != 1 + i % 300 || !test_check(msg, len, i))
		test_fail("message %u came back as another one", i);
	i += WINDOW;
	if (i < MSGS && test_send_pattern(conn, 1 + i % 300, i) != 0)
		test_fail("message %u cannot be sent", i);
}

/* They begin to connect. */
static void
clients_run(struct test_ep **clients, struct rte_comch_pe *pe)
{
	unsigned int i;

	for (i = 0; i < CLIENTS; i++) {
		clients[i] = test_client_run("test", pe);
		clients[i]->on_recv = came_back;
	}
}

static int
clients_start(struct test_ep **clients, struct rte_comch_pe *pe)
{
	uint32_t before = SUM(nb_came);
	unsigned int i;

	clients_run(clients, pe);
	TEST_WAIT(SUM(nb_came) == before + CLIENTS, TEST_MS);
	for (i = 0; i < CLIENTS; i++)
		TEST_WAIT(clients[i]->conn != NULL, TEST_MS);
	return TEST_SUCCESS;
}

static int
clients_send(struct test_ep **clients)
{
	unsigned int i, j;

	for (i = 0; i < CLIENTS; i++)
		for (j = 0; j < WINDOW; j++)
			TEST_EXPECT(test_send_pattern(clients[i]->conn, 1 + j, j), 0);
	return TEST_SUCCESS;
}

static int
messages(void)
{
	struct test_ep *clients[CLIENTS];
	unsigned int i;

	TEST_CALL(server_start());
	TEST_CALL(clients_start(clients, test_pe_new()));
	TEST_CALL(clients_send(clients));
	for (i = 0; i < CLIENTS; i++)
		TEST_WAIT(clients[i]->nb_recv == MSGS, 4 * TEST_MS);
	TEST_EXPECT(SUM(nb_recv), CLIENTS * MSGS);
	for (i = 0; i < WORKERS; i++)
		TEST_TRUE(get(&workers[i].nb_came) >= CLIENTS / WORKERS);
	/* half of them end, and the server then stops with the rest */
	for (i = 0; i < CLIENTS / 2; i++)
		TEST_EXPECT(rte_comch_ctx_stop(clients[i]->ctx), -EINPROGRESS);
	TEST_WAIT(SUM(nb_gone) == CLIENTS / 2, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_stop(server->ctx), -EINPROGRESS);
	TEST_WAIT(test_state(server) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(SUM(nb_gone), CLIENTS);
	for (i = 0; i < CLIENTS; i++)
		TEST_WAIT(test_state(clients[i]) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(SUM(nb_wrong), 0);
	return TEST_SUCCESS;
}

static int
test_messages(void)
{
	test_time_limit(60);
	TEST_CALL(workers_start(false, false));
	return messages();
}

static int
test_messages_asleep(void)
{
	test_time_limit(60);
	TEST_CALL(workers_start(true, false));
	return messages();
}

/* The server stops while its workers have all to do. */
static int
test_stop_under_load(void)
{
	struct test_ep *clients[CLIENTS];
	unsigned int i, round;
	uint64_t until;

	test_time_limit(60);
	TEST_CALL(workers_start(false, false));
	TEST_CALL(server_start());
	TEST_CALL(clients_start(clients, test_pe_new()));
	for (round = 0; round < 5; round++) {
		for (i = 0; i < CLIENTS && round != 0; i++) {
			TEST_WAIT(test_state(clients[i]) == RTE_COMCH_STATE_IDLE, TEST_MS);
			clients[i]->nb_recv = 0;
			TEST_EXPECT(rte_comch_ctx_start(clients[i]->ctx), -EINPROGRESS);
		}
		TEST_WAIT(SUM(nb_came) == (round + 1) * CLIENTS, TEST_MS);
		for (i = 0; i < CLIENTS; i++)
			TEST_WAIT(clients[i]->conn != NULL, TEST_MS);
		TEST_CALL(clients_send(clients));
		until = test_now_ns() + test_rand() % 3000000;
		TEST_WAIT(test_now_ns() > until, TEST_MS);
		TEST_EXPECT(rte_comch_ctx_stop(server->ctx), -EINPROGRESS);
		TEST_WAIT(test_state(server) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_EXPECT(SUM(nb_gone), (round + 1) * CLIENTS);
		TEST_EXPECT(rte_comch_ctx_start(server->ctx), 0);
	}
	TEST_EXPECT(SUM(nb_wrong), 0);
	return TEST_SUCCESS;
}

/*
 * Clients come and go at any moment: the server learns of each that an engine was named for,
 * there if it connects, and in its own thread if not.
 */
static int
test_come_and_go(void)
{
	struct rte_comch_pe *pe = test_pe_new();
	struct test_ep *clients[CLIENTS];
	unsigned int i, round;
	uint64_t until;

	test_time_limit(60);
	TEST_CALL(workers_start(false, false));
	TEST_CALL(server_start());
	clients_run(clients, pe);
	for (round = 0; round < ROUNDS; round++) {
		until = test_now_ns() + test_rand() % 400000;
		TEST_WAIT(test_now_ns() > until, TEST_MS);
		for (i = 0; i < CLIENTS; i++) {
			if (test_rand() % 2 == 0)
				continue;
			if (test_state(clients[i]) == RTE_COMCH_STATE_IDLE)
				TEST_EXPECT(rte_comch_ctx_start(clients[i]->ctx), -EINPROGRESS);
			else
				rte_comch_ctx_stop(clients[i]->ctx);
		}
	}
	for (i = 0; i < CLIENTS; i++)
		rte_comch_ctx_stop(clients[i]->ctx);
	for (i = 0; i < CLIENTS; i++)
		TEST_WAIT(test_state(clients[i]) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_WAIT(SUM(nb_came) + nb_refused == nb_asked, 10 * TEST_MS);
	TEST_CALL(test_stop(server));
	TEST_EXPECT(SUM(nb_gone), SUM(nb_came));
	TEST_EXPECT(SUM(nb_wrong), 0);
	test_note("%u of %u clients connected", SUM(nb_came), nb_asked);
	return TEST_SUCCESS;
}

/* The server stops while clients come: it ends with those that are on their way. */
static int
test_stop_while_they_come(void)
{
	struct test_ep *clients[CLIENTS];
	struct rte_comch_pe *pe = test_pe_new();
	unsigned int i, round;
	uint64_t until;

	test_time_limit(60);
	TEST_CALL(workers_start(false, false));
	TEST_CALL(server_start());
	clients_run(clients, pe);
	for (round = 0; round < ROUNDS; round++) {
		until = test_now_ns() + test_rand() % 1000000;
		TEST_WAIT(test_now_ns() > until, TEST_MS);
		TEST_CALL(test_stop(server));
		TEST_EXPECT(SUM(nb_gone), SUM(nb_came));
		for (i = 0; i < CLIENTS; i++) {
			rte_comch_ctx_stop(clients[i]->ctx);
			TEST_WAIT(test_state(clients[i]) == RTE_COMCH_STATE_IDLE, TEST_MS);
		}
		TEST_EXPECT(rte_comch_ctx_start(server->ctx), 0);
		for (i = 0; i < CLIENTS; i++)
			TEST_EXPECT(rte_comch_ctx_start(clients[i]->ctx), -EINPROGRESS);
	}
	TEST_EXPECT(SUM(nb_wrong), 0);
	test_note("%u of %u clients connected", SUM(nb_came), nb_asked);
	return TEST_SUCCESS;
}

/* Workers make consumers when a client connects, and clients announce theirs. */
static int
test_queues(void)
{
	struct test_ep *clients[CLIENTS], *consumer;
	struct rte_comch_pe *pe = test_pe_new();
	unsigned int i;

	test_time_limit(60);
	TEST_CALL(workers_start(false, true));
	TEST_CALL(server_start());
	TEST_CALL(clients_start(clients, pe));
	TEST_WAIT(SUM(nb_queues) == CLIENTS, TEST_MS);
	for (i = 0; i < CLIENTS; i++) {
		TEST_WAIT(clients[i]->nb_new == 1, TEST_MS);
		consumer = test_ep_new();
		TEST_EXPECT(test_consumer_start(consumer, clients[i]->conn, pe), -EINPROGRESS);
		TEST_WAIT(test_state(consumer) == RTE_COMCH_STATE_RUNNING, TEST_MS);
		TEST_EXPECT(test_ep_close(consumer), 0);
	}
	TEST_EXPECT(SUM(nb_new), CLIENTS);
	TEST_EXPECT(rte_comch_ctx_stop(server->ctx), -EBUSY);
	TEST_EXPECT(test_state(server), RTE_COMCH_STATE_RUNNING);
	/* by the peers they end, with what lives on them */
	for (i = 0; i < CLIENTS; i++) {
		TEST_CALL(test_stop(clients[i]));
		TEST_EXPECT(clients[i]->nb_gone, 0);
	}
	TEST_WAIT(SUM(nb_gone) == CLIENTS, TEST_MS);
	TEST_CALL(test_stop(server));
	TEST_EXPECT(SUM(nb_wrong), 0);
	return TEST_SUCCESS;
}

/* A process of many clients is killed. */
static int
killed(struct test_place *place)
{
	struct test_child *child = test_child_start(place, test_place_function(0));

	TEST_CALL(workers_start(false, false));
	TEST_CALL(server_start());
	TEST_EXPECT(test_child_ask(child, 2 * TEST_MS, "clients %u test", 2 * CLIENTS), 0);
	TEST_WAIT(SUM(nb_came) == 2 * CLIENTS, TEST_MS);
	TEST_EXPECT(test_child_tell(child, "echo 1000 100"), 0);
	TEST_WAIT(SUM(nb_recv) > 100, TEST_MS);
	test_child_kill(child);
	TEST_WAIT(SUM(nb_gone) == 2 * CLIENTS, TEST_MS);
	TEST_CALL(test_stop(server));
	TEST_EXPECT(SUM(nb_wrong), 0);
	return TEST_SUCCESS;
}

static int
test_peer_killed(void)
{
	test_time_limit(60);
	return test_place_run_card(killed, teardown);
}

static struct unit_test_suite suite = {
	.suite_name = "comch: one server, many lcores",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, teardown, test_messages),
		TEST_CASE_ST(test_need_event, teardown, test_messages_asleep),
		TEST_CASE_ST(NULL, teardown, test_stop_under_load),
		TEST_CASE_ST(NULL, teardown, test_come_and_go),
		TEST_CASE_ST(NULL, teardown, test_stop_while_they_come),
		TEST_CASE_ST(test_fp_need, teardown, test_queues),
		TEST_CASE_ST(NULL, teardown, test_peer_killed),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_engine_threads_autotest, unit_test_suite_runner, &suite)
