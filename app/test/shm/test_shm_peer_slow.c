/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Sides that do not get a core for long: engines that wait for the lock of a device,
 * servers whose time limits for their peers end meanwhile, and an engine that stands beside
 * others. Peers that are silent for good are in test_shm_peer_life.c.
 */

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <rte_cycles.h>

#include "test_bluefield_model.h"
#include "test_shm_peer.h"

/* For how long the owner of a lock is stopped. */
#define HOLD_MS 300
/* How often it is stopped, until it is while it has the lock. */
#define HOLD_TRIES 500
/* After so long an engine that polls looks at the sockets. */
#define SERVICE_MS 6
/* Longer than the driver waits for READY, and for HELLO. */
/* One message is taken in this time, and all would be in almost twice that which it has. */
#define TAKE_MS 900
#define TAKE_MSGS 20u
#define TAKE_MOST_MS 14000u
#define LATE_READY_MS 6100
#define LATE_CLOSES 200u
#define LATE_HELLO_MS 2100
/* More than the driver asks epoll for. */
#define LATE_CROWD 48
/* Connects to a server whose engine stands: more than events of one user, and all fit. */
#define STAND_CONNECTS 200u
/* How long another engine is watched meanwhile, and times that it may wake then. */
#define STAND_MS 500u
#define STAND_WAKES 250u
/* An engine that sleeps looks again so soon for a peer that has to say something. */
#define LOOK_MS 1000u

/* An engine that has no more than an IDLE context of a device, and serves its sockets. */
struct idle_engine {
	struct rte_comch_pe *pe;
	struct rte_comch_ctx *ctx;
	struct test_ep ep;
	pthread_t thread;
	bool stop;
};

/* What the owner of a lock does. */
enum { OWNER_TURNS = 0, OWNER_STOPPED, OWNER_WAITS };
static sig_atomic_t owner_state;
/* It may go on. */
static sig_atomic_t released;

static sig_atomic_t
owner_is(void)
{
	return __atomic_load_n(&owner_state, __ATOMIC_RELAXED);
}

static int
idle_engine_create(struct idle_engine *engine, int16_t dev, const char *name)
{
	struct rte_comch_server_conf conf;

	TEST_EXPECT(rte_comch_pe_create(NULL, &engine->pe), 0);
	test_server_conf(&engine->ep, name, &conf);
	TEST_EXPECT(rte_comch_server_create(dev, 0, &conf, &engine->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_attach(engine->ctx, engine->pe), 0);
	return TEST_SUCCESS;
}

static int
idle_engine_destroy(struct idle_engine *engine)
{
	TEST_EXPECT(rte_comch_ctx_destroy(engine->ctx), 0);
	TEST_EXPECT(rte_comch_pe_destroy(engine->pe), 0);
	return TEST_SUCCESS;
}

/* As if the scheduler had taken the core from this thread, wherever it is. */
static void
stop_handler(int sig __rte_unused)
{
	const struct timespec step = { .tv_nsec = 100000 };
	unsigned int i;

	__atomic_store_n(&owner_state, OWNER_STOPPED, __ATOMIC_RELAXED);
	for (i = 0; i < 10 * HOLD_MS && __atomic_load_n(&released, __ATOMIC_RELAXED) == 0; i++)
		nanosleep(&step, NULL);
	__atomic_store_n(&owner_state, OWNER_WAITS, __ATOMIC_RELAXED);
}

static void *
owner_run(void *arg)
{
	const struct timespec us = { .tv_nsec = 1000 };
	struct idle_engine *owner = arg;

	while (!__atomic_load_n(&owner->stop, __ATOMIC_RELAXED)) {
		peer_serve(owner->pe);
		/* whoever waited for the lock gets it now */
		while (owner_is() != OWNER_TURNS &&
				!__atomic_load_n(&owner->stop, __ATOMIC_RELAXED))
			nanosleep(&us, NULL);
	}
	return NULL;
}

static uint64_t
thread_cpu_ms(void)
{
	return test_clock_ns(CLOCK_THREAD_CPUTIME_ID) / 1000000;
}

/* What the owner cost another engine, in milliseconds. */
struct owner_cost {
	uint64_t polled; /* of one that polls, and leaves the sockets to the owner */
	uint64_t waited; /* of one that was woken */
	uint64_t burned; /* the same, of a core */
};

static uint64_t
ms_since(uint64_t begin_ns)
{
	return (test_now_ns() - begin_ns) / 1000000;
}

/* Stop the owner once, and have the other engine turn. */
static int
owner_stop(struct idle_engine *owner, struct idle_engine *waiter, struct owner_cost *cost)
{
	uint64_t begin = test_now_ns();

	__atomic_store_n(&released, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&owner_state, OWNER_TURNS, __ATOMIC_RELAXED);
	rte_delay_us_block(100);
	TEST_EXPECT(pthread_kill(owner->thread, SIGUSR1), 0);
	while (owner_is() == OWNER_TURNS)
		TEST_ASSERT(test_now_ns() - begin < (uint64_t)TEST_MS * 1000000,
				"the owner of the lock is not stopped");
	rte_delay_us_sleep(SERVICE_MS * 1000);
	begin = test_now_ns();
	rte_comch_pe_progress(waiter->pe);
	cost->polled = ms_since(begin);
	begin = test_now_ns();
	cost->burned = thread_cpu_ms();
	peer_serve(waiter->pe);
	cost->burned = thread_cpu_ms() - cost->burned;
	cost->waited = ms_since(begin);
	__atomic_store_n(&released, 1, __ATOMIC_RELAXED);
	while (owner_is() != OWNER_WAITS)
		TEST_ASSERT(test_now_ns() - begin < (uint64_t)TEST_MS * 1000000,
				"the owner of the lock is still stopped");
	return TEST_SUCCESS;
}

static int
lock_waiter(struct idle_engine *owner, struct idle_engine *waiter)
{
	struct owner_cost cost = { 0 };
	unsigned int i;

	/* a busy machine may keep an engine from its core: then once more */
	for (i = 0; i < HOLD_TRIES &&
			(cost.waited < HOLD_MS / 2 || cost.polled >= HOLD_MS / 2); i++)
		TEST_CALL(owner_stop(owner, waiter, &cost));
	TEST_ASSERT(cost.polled < HOLD_MS / 2, "an engine that polls waits %u ms",
			(unsigned int)cost.polled);
	test_note("stopped %u times; %u ms of a core for a wait of %u ms", i,
			(unsigned int)cost.burned, (unsigned int)cost.waited);
	TEST_TRUE(cost.waited >= HOLD_MS / 2);
	TEST_ASSERT(cost.burned < HOLD_MS / 6, "the engine spins: %u ms of %u",
			(unsigned int)cost.burned, (unsigned int)cost.waited);
	return TEST_SUCCESS;
}

/*
 * Who has the lock may wait for a core: those who want the lock must not burn it, and
 * those who only look whether there is something to do need not wait.
 */
static int
test_lock_waiter_sleeps(void)
{
	const struct sigaction action = { .sa_handler = stop_handler, .sa_flags = SA_RESTART };
	struct idle_engine owner = { 0 }, waiter = { 0 };
	struct sigaction saved;
	char path[PATH_MAX];
	int dev, ret;

	TEST_EXPECT(test_rendezvous_create(path, sizeof(path)), 0);
	dev = test_vdev_add("role=dpu,functions=pf0,path=%s", path);
	TEST_TRUE(dev >= 0);
	TEST_CALL(idle_engine_create(&owner, (int16_t)dev, "owner"));
	TEST_CALL(idle_engine_create(&waiter, (int16_t)dev, "waiter"));
	TEST_EXPECT(sigaction(SIGUSR1, &action, &saved), 0);
	TEST_EXPECT(pthread_create(&owner.thread, NULL, owner_run, &owner), 0);
	ret = lock_waiter(&owner, &waiter);
	__atomic_store_n(&released, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&owner.stop, true, __ATOMIC_RELAXED);
	pthread_join(owner.thread, NULL);
	sigaction(SIGUSR1, &saved, NULL);
	TEST_CALL(idle_engine_destroy(&owner));
	TEST_CALL(idle_engine_destroy(&waiter));
	TEST_EXPECT(test_vdev_remove((int16_t)dev), 0);
	test_rendezvous_remove(path);
	return ret;
}

/*
 * The server has had no core since it accepted: its client has said READY long ago, behind more
 * than one look takes.
 */
static int
test_late_ready(void)
{
	struct hostile *e = hostile_up();
	uint32_t connects = peer_env.target->nb_connects;
	unsigned int i;

	TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
	for (i = 0; i < LATE_CLOSES; i++) /* they may cross a REFUSE, and are none's */
		TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSE, 1), 0);
	TEST_EXPECT(hostile_ready(e, &e->chan), 0);
	rte_delay_us_sleep(LATE_READY_MS * 1000);
	PEER_WAIT(peer_env.target->nb_connects == connects + 1, TEST_MS);
	peer_turn_ms(10);
	TEST_TRUE(peer_env.target->conn != NULL);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* The same with links: more than the engine is told of in one turn. */
static int
test_late_hello(void)
{
	struct hostile *crowd[LATE_CROWD];
	union shm_wire_msg msg;
	unsigned int i;

	for (i = 0; i < LATE_CROWD; i++) {
		crowd[i] = hostile_open(peer_env.path, "pf0");
		TEST_TRUE(crowd[i] != NULL);
		TEST_EXPECT(hostile_seg_create(&crowd[i]->seg,
				offsetof(struct shm_wire_link, sock_doorbell),
				sizeof(struct shm_wire_link)), 0);
	}
	peer_turn_ms(10); /* they are accepted */
	for (i = 0; i < LATE_CROWD; i++) {
		hostile_fill(&msg, SHM_WIRE_HELLO, 0);
		TEST_EXPECT(hostile_send(crowd[i], &msg, SHM_WIRE_HELLO, 0, crowd[i]->seg.fd), 0);
	}
	rte_delay_us_sleep(LATE_HELLO_MS * 1000);
	PEER_WAIT(peer_links() == 1 + LATE_CROWD, TEST_MS);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* A peer takes one message after the other at the end: it has ten seconds for all of them. */
static int
test_slow_taker(void)
{
	const struct rte_comch_server_conf conf = {
		.name = "slow", .ctrl.nb_tasks = TAKE_MSGS, .ctrl.max_conn_tasks = TAKE_MSGS,
	};
	struct test_ep *server = test_server_run_conf(&conf, peer_env.pe);
	struct hostile *e = hostile_up();
	uint32_t i, ms, nb = 0;
	uint64_t begin;

	TEST_TRUE(server != NULL);
	TEST_EXPECT(hostile_connect_send(e, 0, "slow", TAKE_MSGS), 0);
	TEST_EXPECT(hostile_wait(e, SHM_WIRE_ACCEPT, TEST_MS), 0);
	TEST_EXPECT(hostile_chan_map(e, &e->chan), 0);
	TEST_EXPECT(hostile_ready(e, &e->chan), 0);
	PEER_WAIT(server->conn != NULL, TEST_MS);
	begin = test_now_ns();
	for (i = 0; i < TAKE_MSGS; i++)
		TEST_EXPECT(test_send(server->conn, "ping", 4), 0);
	TEST_EXPECT(rte_comch_server_disconnect(server->conn), 0);
	while (server->nb_disconnects == 0) {
		ms = (test_now_ns() - begin) / 1000000;
		TEST_ASSERT(ms < TAKE_MOST_MS, "%u messages were taken in %u ms", nb, ms);
		nb = RTE_MIN(ms / TAKE_MS, TAKE_MSGS - 1);
		e->chan.own->taken = (SHM_WIRE_POS_START + nb * 16) | SHM_WIRE_TAKEN;
		peer_turn();
	}
	TEST_EXPECT(server->nb_done, nb);
	TEST_EXPECT(peer_violations(), 0);
	return test_ep_close(server);
}

/* An engine that waits for events; how often it woke. */
static unsigned int
engine_sleeps(struct rte_comch_pe *pe, unsigned int ms)
{
	uint64_t end = test_now_ns() + (uint64_t)ms * 1000000;
	struct pollfd pfd = { rte_comch_pe_fd(pe), POLLIN, 0 };
	unsigned int wakes = 0, i;

	for (; test_now_ns() < end; wakes++) {
		for (i = 0; i < 100 && rte_comch_pe_progress(pe) != 0; i++)
			;
		if (rte_comch_pe_arm(pe) == 0)
			poll(&pfd, 1, (int)ms);
	}
	return wakes;
}

/* An engine sleeps no longer than until it has to look whether a peer is late. */
static int
test_sleeper_looks(void)
{
	struct test_ep *target = peer_env.target, *honest = peer_env.server;
	struct hostile *e = hostile_connected();

	TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSE, 0), 0);
	TEST_EXPECT(hostile_wait(e, SHM_WIRE_CLOSED, TEST_MS), 0);
	PEER_WAIT(peer_sleep_ms(peer_env.pe, honest) == UINT_MAX, TEST_MS);
	e = hostile_open(peer_env.path, "pf0");
	TEST_TRUE(e != NULL);
	peer_turn_ms(2);
	TEST_TRUE(peer_sleep_ms(peer_env.pe, honest) <= LOOK_MS); /* HELLO */
	hostile_close(e);
	PEER_WAIT(peer_sleep_ms(peer_env.pe, honest) == UINT_MAX, TEST_MS);
	e = hostile_up();
	TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
	TEST_TRUE(peer_sleep_ms(peer_env.pe, honest) <= LOOK_MS); /* READY */
	TEST_EXPECT(hostile_ready(e, &e->chan), 0);
	PEER_WAIT(target->conn != NULL, TEST_MS);
	PEER_WAIT(peer_sleep_ms(peer_env.pe, honest) == UINT_MAX, TEST_MS);
	TEST_EXPECT(test_send(target->conn, "ping", 4), 0);
	TEST_EXPECT(rte_comch_server_disconnect(target->conn), 0);
	TEST_TRUE(peer_sleep_ms(peer_env.pe, honest) <= LOOK_MS); /* CLOSED */
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* A peer asks for more than its events at a server whose engine does not turn. */
static int
engine_stands(struct rte_comch_pe *stands)
{
	uint32_t connects = peer_env.target->nb_connects;
	struct rte_comch_dev_stats before, stats;
	struct hostile *e = hostile_up();
	unsigned int i, nb = 0, wakes;
	uint64_t end;
	int type = 0;

	TEST_EXPECT(hostile_connect(e, &e->chan, STAND_CONNECTS), 0);
	for (i = 0; i < STAND_CONNECTS; i++)
		TEST_EXPECT(hostile_connect_send(e, i, "stands", 4), 0);
	peer_turn_ms(20);
	TEST_TRUE(peer_sleep_ms(peer_env.pe, peer_env.server) <= SERVICE_MS);
	wakes = engine_sleeps(peer_env.pe, STAND_MS);
	test_note("the other engine woke %u times in %u ms", wakes, STAND_MS);
	TEST_ASSERT(wakes <= STAND_WAKES, "the other engine woke %u times in %u ms", wakes,
			STAND_MS);
	TEST_CALL(peer_honest(10));
	PEER_WAIT(test_log_has("wait for a progress engine that stands"), TEST_MS);
	/* nor is a peer blamed for a word that waits in its socket */
	TEST_EXPECT(rte_comch_dev_stats_get(peer_env.dpu, &before), 0);
	TEST_EXPECT(hostile_ready(e, &e->chan), 0);
	peer_turn_ms(LATE_READY_MS);
	TEST_EXPECT(rte_comch_dev_stats_get(peer_env.dpu, &stats), 0);
	TEST_EXPECT(stats.peer_lost, before.peer_lost);
	TEST_EXPECT(peer_env.target->nb_connects, connects);
	/* it goes on: all get their answer */
	end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	while (nb < STAND_CONNECTS && test_now_ns() < end) {
		rte_comch_pe_progress(stands);
		peer_turn();
		type = hostile_recv(e);
		TEST_TRUE(type >= 0);
		nb += type == SHM_WIRE_ACCEPT || type == SHM_WIRE_REFUSE;
	}
	TEST_EXPECT(nb, STAND_CONNECTS);
	PEER_WAIT(peer_env.target->nb_connects == connects + 1, TEST_MS);
	hostile_close(e);
	TEST_UNTIL(peer_links() == 1, rte_comch_pe_progress(stands), TEST_MS);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/*
 * An engine that is not progressed holds up the connects of its servers, and the sockets
 * that they are in: no other engine burns its core for them.
 */
static int
test_engine_stands(void)
{
	struct idle_engine stands = { 0 };
	int ret;

	TEST_CALL(idle_engine_create(&stands, peer_env.dpu, "stands"));
	TEST_EXPECT(rte_comch_ctx_start(stands.ctx), 0);
	peer_turn_ms(10);
	peer_settle(); /* the honest have what wakes it until they leave */
	TEST_EXPECT(test_log_begin(), 0);
	test_log_restore();
	ret = engine_stands(stands.pe);
	test_log_quiet();
	test_log_drop();
	TEST_EXPECT(rte_comch_ctx_stop(stands.ctx), 0);
	peer_turn_ms(10);
	TEST_CALL(idle_engine_destroy(&stands));
	return ret;
}

/* The engine of a client sleeps, and looks for the card's side: nobody tells it of that one. */
static int
test_client_looks(void)
{
	struct idle_engine engine = { 0 };
	struct rte_comch_client_conf conf;
	char path[PATH_MAX];
	int dev, ret;

	TEST_EXPECT(test_rendezvous_create(path, sizeof(path)), 0);
	dev = test_vdev_add("role=host,function=pf0,path=%s", path);
	TEST_TRUE(dev >= 0);
	TEST_EXPECT(rte_comch_pe_create(NULL, &engine.pe), 0);
	test_client_conf(&engine.ep, "nobody", &conf);
	TEST_EXPECT(rte_comch_client_create((int16_t)dev, &conf, &engine.ctx), 0);
	TEST_EXPECT(rte_comch_ctx_attach(engine.ctx, engine.pe), 0);
	TEST_EXPECT(rte_comch_ctx_start(engine.ctx), -EINPROGRESS);
	TEST_UNTIL(rte_comch_pe_arm(engine.pe) == 0, rte_comch_pe_progress(engine.pe), TEST_MS);
	ret = test_wait_fd(engine.pe, LOOK_MS);
	rte_comch_ctx_stop(engine.ctx);
	rte_comch_pe_progress(engine.pe);
	TEST_CALL(idle_engine_destroy(&engine));
	TEST_EXPECT(test_vdev_remove((int16_t)dev), 0);
	test_rendezvous_remove(path);
	TEST_EXPECT(ret, 1);
	return TEST_SUCCESS;
}

/* One that ends before it has joined a link that came: nothing of it is left at the link. */
static int
test_engine_goes(void)
{
	struct idle_engine engine = { 0 };
	struct hostile *e;

	TEST_CALL(idle_engine_create(&engine, peer_env.dpu, "goes"));
	peer_turn_ms(10);
	peer_settle();
	e = hostile_up();
	TEST_CALL(idle_engine_destroy(&engine));
	hostile_close(e);
	PEER_WAIT(peer_taken(geteuid(), "links") == 1, TEST_MS); /* the honest one */
	return TEST_SUCCESS;
}

#define PEER_CASE(fn) TEST_CASE_ST(peer_setup, peer_teardown, fn)

static struct unit_test_suite suite = {
	.suite_name = "shm, a hostile peer: sides that are slow",
	.setup = peer_suite_setup,
	.teardown = peer_suite_teardown,
	.unit_test_cases = {
		PEER_CASE(test_lock_waiter_sleeps),
		PEER_CASE(test_late_ready),
		PEER_CASE(test_late_hello),
		PEER_CASE(test_slow_taker),
		PEER_CASE(test_sleeper_looks),
		PEER_CASE(test_engine_stands),
		PEER_CASE(test_engine_goes),
		PEER_CASE(test_client_looks),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(shm_peer_slow_autotest, unit_test_suite_runner, &suite)
