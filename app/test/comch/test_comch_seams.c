/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Where parts of the library meet that have suites of their own: connections on other
 * engines than their server and tasks that are submitted later or in bursts, engines that
 * have much to do, reception into mbufs and holding back, contexts that are destroyed or
 * configured anew when the last of these connections is gone, and devices that fail with
 * connections elsewhere.
 */

/* before any header: some bring the macros that look at it */
#define ALLOW_INTERNAL_API 1

#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_mempool.h>

#include <rte_comch_pmd.h> /* check-ok: a driver that fails is played here */

#include "test_comch_fp_util.h"
#include "test_mock.h"

#define ROOM 1000
#define POOL_SIZE 4
#define TURNS 200
#define NB_TASKS 6

static struct test_ep *server;
static struct rte_comch_pe *server_pe;
static struct rte_comch_pe *away;    /* onto which it accepts, if it is set */
static unsigned int nb_named;

static struct rte_mempool *pools[2];
static struct rte_mbuf *got[64];     /* received and not freed */
static unsigned int nb_got;

static struct rte_comch_pe *
engine_away(const struct rte_comch_conn_info *info __rte_unused, void *user_data __rte_unused)
{
	nb_named++;
	return away;
}

static void
recv_keep(struct rte_comch_conn *conn __rte_unused, struct rte_mbuf *m, void *user_data)
{
	struct test_ep *ep = user_data;

	ep->nb_recv++;
	if (nb_got == RTE_DIM(got)) {
		test_fail("too many mbufs");
		rte_pktmbuf_free(m);
		return;
	}
	got[nb_got++] = m;
}

static void
free_got(unsigned int nb)
{
	for (; nb > 0 && nb_got > 0; nb--)
		rte_pktmbuf_free(got[--nb_got]);
}

static void
pools_free(void)
{
	unsigned int i;

	free_got(nb_got);
	for (i = 0; i < RTE_DIM(pools); i++) {
		if (pools[i] != NULL && rte_mempool_avail_count(pools[i]) != POOL_SIZE)
			test_fail("%u of %u mbufs are back",
				rte_mempool_avail_count(pools[i]), POOL_SIZE);
		rte_mempool_free(pools[i]);
		pools[i] = NULL;
	}
}

/* A driver that is late may look at it: the library keeps it for good. */
static struct rte_comch_ctrl *kept;

static void
teardown(void)
{
	test_mock_case_teardown();
	if (kept != NULL && kept->dev == NULL)
		test_fail("what a driver may look at was freed");
	pools_free();
	away = NULL;
}

static int
pool_create(unsigned int i)
{
	const char * const names[] = { "test_seams_0", "test_seams_1" };

	pools[i] = rte_pktmbuf_pool_create(names[i], POOL_SIZE, 0, 0,
			RTE_PKTMBUF_HEADROOM + ROOM, SOCKET_ID_ANY);
	TEST_TRUE(pools[i] != NULL);
	return TEST_SUCCESS;
}

/* Receive into mbufs of a pool, if there is one. */
static void
conf_pool(struct rte_comch_ctrl_conf *conf, unsigned int i)
{
	if (pools[i] == NULL)
		return;
	conf->recv_cb = NULL;
	conf->recv_mbuf_cb = recv_keep;
	conf->recv_pool = pools[i];
	conf->max_msg_size = ROOM;
}

static int
server_open(bool elsewhere)
{
	struct rte_comch_server_conf conf = {
		.engine_cb = engine_away,
		.ctrl.max_conn_tasks = NB_TASKS,
	};

	nb_named = 0;
	server_pe = test_pe_new();
	away = NULL;
	if (elsewhere) {
		away = test_pe_new();
		TEST_EXPECT(rte_comch_pe_dev_add(away, test_pair.dpu), 0);
	}
	conf_pool(&conf.ctrl, 0);
	server = test_server_run_conf(&conf, server_pe);
	return TEST_SUCCESS;
}

/* A client that is connected. */
static int
client_open(struct test_ep **client)
{
	unsigned int connects = server->nb_connects;

	*client = test_client_run("test", test_pe_new());
	TEST_WAIT((*client)->conn != NULL && server->nb_connects == connects + 1, TEST_MS);
	return TEST_SUCCESS;
}

static void
turn(unsigned int nb)
{
	while (nb-- > 0)
		test_progress();
}

static uint64_t
no_mbufs(const struct rte_comch_conn *conn)
{
	struct rte_comch_conn_stats stats = { 0 };

	if (rte_comch_conn_stats_get(conn, &stats) != 0)
		test_fail("no statistics of a connection");
	return stats.rx_no_mbuf;
}

/*
 * Tasks of a connection on another engine
 */

static unsigned int nb_sent;
static bool right_ctx;

/* Not a task of the helpers: it is used again. */
static void
note_sent(struct test_ep *ep, struct rte_comch_task *task, int status)
{
	nb_sent += status == 0;
	right_ctx &= test_task_info(task).ctx == ep->ctx;
}

static int
tasks_alloc(struct rte_comch_task **tasks)
{
	unsigned int i;

	for (i = 0; i < NB_TASKS; i++)
		TEST_EXPECT(rte_comch_conn_task_alloc(server->conn, "abcd", 4, &tasks[i]), 0);
	return TEST_SUCCESS;
}

/* In bursts, at once and later, and by an engine that is about to sleep. */
static int
test_elsewhere_bursts(void)
{
	struct rte_comch_task *tasks[NB_TASKS];
	struct test_ep *client;
	unsigned int i;

	TEST_CALL(server_open(true));
	TEST_CALL(client_open(&client));
	server->on_send = note_sent;
	nb_sent = 0;
	right_ctx = true;
	TEST_CALL(tasks_alloc(tasks));
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, NB_TASKS, 0), NB_TASKS);
	TEST_WAIT(client->nb_recv == NB_TASKS && nb_sent == NB_TASKS, TEST_MS);
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, NB_TASKS, RTE_COMCH_SUBMIT_F_LATER),
			NB_TASKS);
	TEST_EXPECT(client->nb_recv, NB_TASKS);
	TEST_WAIT(client->nb_recv == 2 * NB_TASKS && nb_sent == 2 * NB_TASKS, TEST_MS);
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, 2, RTE_COMCH_SUBMIT_F_LATER), 2);
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, NB_TASKS, 0), 0);
	TEST_EXPECT(rte_errno, EALREADY);
	TEST_EXPECT(rte_comch_pe_arm_always(away), 0);
	TEST_WAIT(client->nb_recv == 2 * NB_TASKS + 2 && nb_sent == 2 * NB_TASKS + 2, TEST_MS);
	TEST_TRUE(right_ctx);

	/* those that are late when their connection ends */
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, NB_TASKS, RTE_COMCH_SUBMIT_F_LATER),
			NB_TASKS);
	TEST_EXPECT(rte_comch_server_disconnect(server->conn), 0);
	TEST_WAIT(server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(nb_sent, 2 * NB_TASKS + 2);
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, NB_TASKS, 0), 0);
	TEST_EXPECT(rte_errno, ENOTCONN);
	for (i = 0; i < NB_TASKS; i++)
		TEST_EXPECT(rte_comch_task_free(tasks[i]), 0);
	return TEST_SUCCESS;
}

/* The context of its tasks is the server, whatever has happened to the connection. */
static int
test_elsewhere_task_ctx(void)
{
	struct rte_comch_task *tasks[NB_TASKS];
	struct test_ep *client;
	unsigned int i;

	TEST_CALL(server_open(true));
	TEST_CALL(client_open(&client));
	TEST_CALL(tasks_alloc(tasks));
	TEST_TRUE(test_task_info(tasks[0]).ctx == server->ctx);
	TEST_TRUE(test_task_info(tasks[0]).conn == server->conn);
	/* with one thread for all engines, this is the thread of the server, too */
	TEST_EXPECT(rte_comch_ctx_stop(test_task_info(tasks[0]).ctx), -EINPROGRESS);
	TEST_EXPECT(rte_comch_ctx_stop(test_task_info(tasks[0]).ctx), -EALREADY);
	TEST_WAIT(server->nb_disconnects == 1, TEST_MS);
	turn(TURNS);
	TEST_EXPECT(test_state(server), RTE_COMCH_STATE_STOPPING);
	TEST_TRUE(test_task_info(tasks[0]).ctx == server->ctx);
	TEST_TRUE(test_task_info(tasks[0]).conn == NULL);
	for (i = 0; i < NB_TASKS; i++)
		TEST_EXPECT(rte_comch_task_free(tasks[i]), 0);
	TEST_WAIT(test_state(server) == RTE_COMCH_STATE_IDLE, TEST_MS);
	return TEST_SUCCESS;
}

/*
 * Engines that have much to do
 */

#define NB_EVENTS 1000

static bool flooded;
static struct flood {
	struct rte_comch_pmd_event ev; /* first */
	struct rte_comch_pe *pe;
} floods[2][NB_EVENTS];

static void
flood_handler(struct rte_comch_pmd_event *ev)
{
	struct flood *flood = container_of(ev, struct flood, ev);

	if (flooded && rte_comch_pmd_event_post(flood->pe, ev) != 0)
		test_fail("no room for an event");
}

static void
flood_begin(struct flood *flood, struct rte_comch_pe *pe)
{
	unsigned int i;

	flooded = true;
	for (i = 0; i < NB_EVENTS; i++) {
		flood[i].ev.handler = flood_handler;
		flood[i].pe = pe;
		flood_handler(&flood[i].ev);
	}
}

static int
life_in_flood(void)
{
	struct test_ep *client, *consumer;

	TEST_CALL(client_open(&client));
	TEST_EXPECT(nb_named, 1);
	consumer = test_ep_new();
	TEST_EXPECT(test_consumer_start(consumer, server->conn, test_pe_new()), -EINPROGRESS);
	TEST_WAIT(test_state(consumer) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	TEST_EXPECT(test_ep_close(consumer), 0);
	TEST_EXPECT(rte_comch_ctx_stop(server->ctx), -EINPROGRESS);
	TEST_WAIT(test_state(server) == RTE_COMCH_STATE_IDLE, TEST_MS);
	return TEST_SUCCESS;
}

/* What others have under way for an engine is only waited for. */
static int
test_elsewhere_busy(void)
{
	int ret;

	TEST_CALL(server_open(true));
	flood_begin(floods[0], server_pe);
	flood_begin(floods[1], away);
	ret = life_in_flood();
	flooded = false;
	turn(NB_EVENTS);
	return ret;
}

/*
 * Reception into mbufs
 */

/* What was kept for a connection that is held back afterwards is for others. */
static int
test_hold_with_spare(void)
{
	struct test_ep *clients[2];
	struct rte_comch_conn *conns[2];
	unsigned int i;

	TEST_CALL(pool_create(0));
	TEST_CALL(server_open(false));
	for (i = 0; i < 2; i++) {
		TEST_CALL(client_open(&clients[i]));
		conns[i] = server->conn;
	}
	for (i = 0; i < POOL_SIZE; i++)
		TEST_EXPECT(test_send_pattern(clients[0]->conn, 10, i), 0);
	TEST_WAIT(nb_got == POOL_SIZE, TEST_MS);
	/* both wait, the first one before the other */
	for (i = 0; i < 2; i++) {
		TEST_EXPECT(test_send_pattern(clients[i]->conn, 10, i), 0);
		TEST_WAIT(no_mbufs(conns[i]) == 1, TEST_MS);
	}
	free_got(1);
	while (rte_mempool_avail_count(pools[0]) != 0)
		rte_comch_pe_progress(server_pe);
	/* one of the two has it now, and is not looked at any more */
	TEST_EXPECT(server->nb_recv, POOL_SIZE);
	TEST_EXPECT(rte_comch_conn_recv_hold_set(conns[0], true), 0);
	turn(TURNS);
	TEST_EXPECT(server->nb_recv, POOL_SIZE + 1);
	free_got(1);
	turn(TURNS);
	TEST_EXPECT(server->nb_recv, POOL_SIZE + 1);
	TEST_EXPECT(rte_comch_conn_recv_hold_set(conns[0], false), 0);
	TEST_WAIT(server->nb_recv == POOL_SIZE + 2, TEST_MS);
	return TEST_SUCCESS;
}

/* A pool that is empty holds up those that receive into it, and nobody else. */
static int
test_two_pools(void)
{
	struct test_ep *poor, *rich, *client;
	struct rte_comch_server_conf conf = { .name = "rich" };
	unsigned int i;

	TEST_CALL(pool_create(0));
	TEST_CALL(pool_create(1));
	TEST_CALL(server_open(false));
	conf_pool(&conf.ctrl, 1);
	rich = test_server_run_conf(&conf, server_pe);
	TEST_CALL(client_open(&poor));
	client = test_client_run("rich", test_pe_new());
	TEST_WAIT(client->conn != NULL && rich->conn != NULL, TEST_MS);
	for (i = 0; i <= POOL_SIZE; i++)
		TEST_EXPECT(test_send_pattern(poor->conn, 10, i), 0);
	TEST_WAIT(nb_got == POOL_SIZE && no_mbufs(server->conn) == 1, TEST_MS);
	for (i = 0; i < POOL_SIZE; i++)
		TEST_EXPECT(test_send_pattern(client->conn, 10, i), 0);
	TEST_WAIT(rich->nb_recv == POOL_SIZE, TEST_MS);
	TEST_EXPECT(no_mbufs(rich->conn), 0);
	/* now both are, and both go on */
	TEST_EXPECT(test_send_pattern(client->conn, 10, i), 0);
	TEST_WAIT(no_mbufs(rich->conn) == 1, TEST_MS);
	free_got(nb_got);
	TEST_WAIT(rich->nb_recv == POOL_SIZE + 1 && server->nb_recv == POOL_SIZE + 1, TEST_MS);
	return TEST_SUCCESS;
}

/* A message waits for mbufs on the other engine when the server stops, or the peer. */
static int
test_elsewhere_no_mbufs(void)
{
	struct test_ep *client;
	unsigned int i, round;

	for (round = 0; round < 3; round++) {
		TEST_CALL(pool_create(0));
		TEST_CALL(server_open(true));
		TEST_CALL(client_open(&client));
		for (i = 0; i < POOL_SIZE + 2; i++)
			TEST_EXPECT(test_send_pattern(client->conn, 10, i), 0);
		TEST_WAIT(nb_got == POOL_SIZE && no_mbufs(server->conn) == 1, TEST_MS);
		if (round == 1) {
			/* one of the two is kept for the message that waits */
			free_got(1);
			while (rte_mempool_avail_count(pools[0]) != 0)
				rte_comch_pe_progress(away);
		}
		if (round == 2)
			TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EINPROGRESS);
		else
			TEST_EXPECT(rte_comch_ctx_stop(server->ctx), -EINPROGRESS);
		TEST_WAIT(server->nb_disconnects == 1, TEST_MS);
		TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
		test_cleanup();
		pools_free();
	}
	return TEST_SUCCESS;
}

/*
 * The end of a server whose connections are elsewhere
 */

static unsigned int nb_idle;
static bool destroy_it;

/* IDLE is told when the last on another engine is gone. */
static void
on_idle(struct test_ep *ep, int prev __rte_unused, int next)
{
	struct rte_comch_server_conf conf;

	if (next != RTE_COMCH_STATE_IDLE)
		return;
	nb_idle++;
	if (destroy_it) {
		if (rte_comch_ctx_destroy(ep->ctx) != 0)
			test_fail("a server cannot be destroyed in its callback");
		ep->ctx = NULL;
		return;
	}
	if (nb_idle > 1)
		return;
	conf = test_ctx_info(ep->ctx).conf.server;
	conf.name = "again";
	conf_pool(&conf.ctrl, 0);
	if (test_server_conf_set(ep->ctx, &conf) != 0 || rte_comch_ctx_start(ep->ctx) != 0)
		test_fail("a server cannot be configured anew in its callback");
}

static int
test_idle_destroy(void)
{
	struct test_ep *clients[2];

	nb_idle = 0;
	destroy_it = true;
	TEST_CALL(server_open(true));
	server->on_state = on_idle;
	TEST_CALL(client_open(&clients[0]));
	TEST_CALL(client_open(&clients[1]));
	TEST_TRUE(rte_comch_ctx_stop(server->ctx) == -EINPROGRESS);
	TEST_WAIT(server->ctx == NULL, TEST_MS);
	TEST_EXPECT(nb_idle, 1);
	TEST_EXPECT(server->nb_disconnects, 2);
	TEST_WAIT(test_state(clients[0]) == RTE_COMCH_STATE_IDLE &&
			test_state(clients[1]) == RTE_COMCH_STATE_IDLE, TEST_MS);
	return TEST_SUCCESS;
}

/* Started again in that callback, with mbufs from then on: also elsewhere. */
static int
test_idle_anew(void)
{
	struct test_ep *client;

	nb_idle = 0;
	destroy_it = false;
	TEST_CALL(server_open(true));
	server->on_state = on_idle;
	TEST_CALL(client_open(&client));
	TEST_EXPECT(test_send_pattern(client->conn, 10, 1), 0);
	TEST_WAIT(server->nb_recv == 1, TEST_MS);
	TEST_EXPECT(nb_got, 0);
	TEST_CALL(pool_create(0));
	TEST_TRUE(rte_comch_ctx_stop(server->ctx) == -EINPROGRESS);
	TEST_WAIT(nb_idle == 1 && test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(test_state(server), RTE_COMCH_STATE_RUNNING);
	client = test_client_run("again", test_pe_new());
	TEST_WAIT(server->nb_connects == 2 && client->conn != NULL, TEST_MS);
	TEST_EXPECT(nb_named, 2);
	TEST_EXPECT(test_send_pattern(client->conn, 10, 1), 0);
	TEST_WAIT(server->nb_recv == 2, TEST_MS);
	TEST_EXPECT(nb_got, 1);
	return test_stop(server);
}

/*
 * Devices that fail
 */

/* Found by the driver, with a connection elsewhere, and one on its way there. */
static int
test_elsewhere_fail(void)
{
	struct rte_comch_dev *dev = test_mock_dev(test_pair.dpu);
	struct rte_comch_pe *own = test_pe_new();
	struct rte_comch_task *tasks[NB_TASKS];
	struct test_ep *clients[3];
	unsigned int i;

	TEST_CALL(server_open(true));
	TEST_CALL(client_open(&clients[0]));
	TEST_CALL(tasks_alloc(tasks));
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, 3, RTE_COMCH_SUBMIT_F_LATER), 3);
	server->on_send = note_sent;
	clients[1] = test_client_run("test", own);
	TEST_UNTIL(nb_named == 2, test_turn(server_pe, own), TEST_MS);
	TEST_EXPECT(server->nb_connects, 1);
	dev->ops->fail(dev, -EIO);
	rte_comch_pmd_dev_down(dev, -EIO);
	TEST_WAIT(server->nb_disconnects == 1, TEST_MS);
	turn(TURNS);
	TEST_EXPECT(test_state(server), RTE_COMCH_STATE_STOPPING); /* for the tasks */
	TEST_EXPECT(server->nb_connects, 1);
	for (i = 0; i < NB_TASKS; i++)
		TEST_EXPECT(rte_comch_task_free(tasks[i]), 0);
	TEST_WAIT(test_state(server) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(server->ctx), -EIO);
	TEST_WAIT(test_state(clients[0]) == RTE_COMCH_STATE_IDLE &&
			test_state(clients[1]) == RTE_COMCH_STATE_IDLE, TEST_MS);
	return TEST_SUCCESS;
}

/* The driver never tells that one on another engine is closed. */
static int
test_elsewhere_lost(void)
{
	struct test_ep *clients[2];
	struct rte_comch_conn *first;

	TEST_CALL(server_open(true));
	TEST_CALL(client_open(&clients[0]));
	first = server->conn;
	kept = first->ctrl;
	TEST_TRUE(kept != NULL);
	TEST_CALL(client_open(&clients[1]));
	test_mock_mode_set(TEST_MOCK_CONN_CLOSE, TEST_MOCK_HELD);
	TEST_EXPECT(rte_comch_server_disconnect(first), 0);
	TEST_EXPECT(test_mock_nb_held(TEST_MOCK_CONN_CLOSE), 1);
	test_mock_drop(TEST_MOCK_CONN_CLOSE);
	TEST_WAIT(server->nb_disconnects == 2, RTE_COMCH_PMD_END_MS + TEST_MS);
	TEST_WAIT(test_state(server) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(server->ctx), -ETIMEDOUT);
	TEST_EXPECT(rte_comch_ctx_start(server->ctx), -ETIMEDOUT);
	TEST_EXPECT(test_mock_tell_dropped(), 1);
	turn(TURNS);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: where parts of the library meet",
	.setup = test_mock_suite_setup,
	.teardown = test_mock_suite_teardown,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, teardown, test_elsewhere_bursts),
		TEST_CASE_ST(NULL, teardown, test_elsewhere_task_ctx),
		TEST_CASE_ST(NULL, teardown, test_elsewhere_busy),
		TEST_CASE_ST(NULL, teardown, test_hold_with_spare),
		TEST_CASE_ST(NULL, teardown, test_two_pools),
		TEST_CASE_ST(NULL, teardown, test_elsewhere_no_mbufs),
		TEST_CASE_ST(NULL, teardown, test_idle_destroy),
		TEST_CASE_ST(NULL, teardown, test_idle_anew),
		TEST_CASE_ST(NULL, teardown, test_elsewhere_fail),
		TEST_CASE_ST(NULL, teardown, test_elsewhere_lost),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_seams_autotest, unit_test_suite_runner, &suite)
