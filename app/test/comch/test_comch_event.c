/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Event mode: when the descriptor of an engine becomes readable, that no
 * wake-up is lost, and that an engine which sleeps costs nothing. Between
 * processes this is in test_comch_process.c.
 */

#include <inttypes.h>
#include <pthread.h>
#include <time.h>

#include <rte_cycles.h>

#include "test_comch_util.h"
#include "test_rand.h"

/* A wake-up that has not come by then is lost. */
#define LOST_MS 2000

#define DFLT_ROUNDS 20000

/* A server and a client on engines of their own, which the case turns itself. */
struct two {
	struct rte_comch_pe *server_pe;
	struct rte_comch_pe *client_pe;
	struct test_ep *server;
	struct test_ep *client;
};

static int
two_connect(struct two *t)
{
	t->server_pe = test_pe_new();
	t->client_pe = test_pe_new();
	t->server = test_server_run("test", t->server_pe);
	t->client = test_client_run("test", t->client_pe);
	TEST_WAIT(t->server->conn != NULL && t->client->conn != NULL, TEST_MS);
	test_settle();
	return TEST_SUCCESS;
}

static int
test_idle_engine(void)
{
	struct rte_comch_pe *pe = test_pe_new();
	int fd = rte_comch_pe_fd(pe), i;

	TEST_TRUE(fd >= 0);
	TEST_EXPECT(test_wait_fd(pe, 0), 0);
	for (i = 0; i < 100; i++) {
		TEST_EXPECT(rte_comch_pe_arm(pe), 0);
		TEST_EXPECT(rte_comch_pe_arm(pe), 0); /* armed twice is armed */
		TEST_EXPECT(test_wait_fd(pe, 0), 0);
		TEST_EXPECT(rte_comch_pe_progress(pe), 0);
	}
	TEST_EXPECT(rte_comch_pe_fd(pe), fd);
	return TEST_SUCCESS;
}

static int
test_message_wakes(void)
{
	struct two t;
	unsigned int i;

	TEST_CALL(two_connect(&t));
	for (i = 1; i <= 100; i++) {
		/* asleep, then a message */
		TEST_CALL(test_sleep(t.server_pe));
		TEST_EXPECT(test_send_pattern(t.client->conn, 8, i), 0);
		TEST_EXPECT(test_wait_fd(t.server_pe, LOST_MS), 1);
		TEST_TRUE(rte_comch_pe_progress(t.server_pe) > 0);
		TEST_EXPECT(t.server->nb_recv, 2 * i - 1);

		/* the sender learns of the delivery likewise */
		while (t.client->nb_done < 2 * i - 1) {
			if (rte_comch_pe_progress(t.client_pe) == 0 &&
					rte_comch_pe_arm(t.client_pe) == 0)
				TEST_EXPECT(test_wait_fd(t.client_pe, LOST_MS), 1);
		}
		/* a message that is there already forbids to sleep */
		TEST_CALL(test_sleep(t.server_pe));
		TEST_EXPECT(rte_comch_pe_progress(t.server_pe), 0);
		TEST_EXPECT(test_send_pattern(t.client->conn, 8, i), 0);
		test_arrive();
		TEST_EXPECT(rte_comch_pe_arm(t.server_pe), -EAGAIN);
		TEST_TRUE(rte_comch_pe_progress(t.server_pe) > 0);
		TEST_EXPECT(t.server->nb_recv, 2 * i);
		while (t.client->nb_done < 2 * i)
			if (rte_comch_pe_progress(t.client_pe) == 0 &&
					rte_comch_pe_arm(t.client_pe) == 0)
				TEST_EXPECT(test_wait_fd(t.client_pe, LOST_MS), 1);
	}
	return TEST_SUCCESS;
}

/* The sender sleeps until its messages are read, and until there is room again. */
static int
test_delivery_wakes(void)
{
	unsigned int i, sent = 0;
	struct two t;
	int ret;

	TEST_CALL(two_connect(&t));
	for (i = 0; i < 100; i++) {
		/* one message in one half of the rounds, in the others a full queue */
		do {
			ret = test_send_pattern(t.client->conn, 3000, i);
			sent += ret == 0;
		} while (ret == 0 && i % 2 != 0);
		TEST_TRUE(ret == 0 || ret == -ENOMEM);
		while (t.client->nb_done < sent) {
			TEST_CALL(test_sleep(t.client_pe));
			TEST_TRUE(rte_comch_pe_progress(t.server_pe) > 0);
			TEST_EXPECT(test_wait_fd(t.client_pe, LOST_MS), 1);
			while (rte_comch_pe_progress(t.client_pe) > 0)
				;
		}
	}
	TEST_EXPECT(t.client->nb_done, sent);
	TEST_EXPECT(t.client->nb_failed, 0);
	return TEST_SUCCESS;
}

static int
test_connection_wakes(void)
{
	struct rte_comch_pe *server_pe = test_pe_new(), *client_pe = test_pe_new();
	struct test_ep *server = test_server_run("test", server_pe), *client;
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	unsigned int wakeups = 0;

	TEST_EXPECT(test_arm(server_pe), 0);
	client = test_client_run("test", client_pe);
	while (server->nb_connects == 0) {
		TEST_TRUE(test_now_ns() < end);
		TEST_TRUE(rte_comch_pe_progress(client_pe) >= 0);
		if (test_wait_fd(server_pe, 1) == 1)
			wakeups++;
		TEST_EXPECT(test_arm(server_pe), 0);
	}
	TEST_TRUE(wakeups > 0);
	while (client->conn == NULL) {
		if (rte_comch_pe_progress(client_pe) == 0 && rte_comch_pe_arm(client_pe) == 0)
			TEST_EXPECT(test_wait_fd(client_pe, LOST_MS), 1);
	}
	test_settle();

	/* the server ends it: its own callback is due, and the client wakes */
	TEST_EXPECT(test_arm(client_pe), 0);
	TEST_EXPECT(rte_comch_server_disconnect(server->conn), 0);
	TEST_EXPECT(rte_comch_pe_arm(server_pe), -EAGAIN);
	TEST_EXPECT(test_wait_fd(client_pe, LOST_MS), 1);
	TEST_WAIT(server->nb_disconnects == 1 && test_state(client) == RTE_COMCH_STATE_IDLE,
			TEST_MS);

	/* the client ends it */
	TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
	TEST_WAIT(client->conn != NULL && server->nb_connects == 2, TEST_MS);
	test_settle();
	TEST_EXPECT(test_arm(server_pe), 0);
	TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EINPROGRESS);
	TEST_EXPECT(test_wait_fd(server_pe, LOST_MS), 1);
	TEST_WAIT(server->nb_disconnects == 2, TEST_MS);
	return TEST_SUCCESS;
}

/* A connect timeout ends without anyone turning the engine in between. */
static int
test_timeout_wakes(void)
{
	struct rte_comch_pe *server_pe = test_pe_new(), *client_pe = test_pe_new();
	struct test_ep *client;
	const struct rte_comch_client_conf conf = { .connect_timeout_ms = 200 };
	uint64_t start = test_now_ns(), ms;
	unsigned int wakeups = 0;

	test_server_run("test", server_pe);
	client = test_client_run_conf(&conf, client_pe);
	while (test_state(client) == RTE_COMCH_STATE_STARTING) {
		if (rte_comch_pe_progress(client_pe) == 0 && rte_comch_pe_arm(client_pe) == 0) {
			TEST_EXPECT(test_wait_fd(client_pe, LOST_MS), 1);
			wakeups++;
		}
	}
	ms = (test_now_ns() - start) / 1000000;
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), -ETIMEDOUT);
	TEST_ASSERT(ms >= 199 && ms < 1500, "it took %" PRIu64 " ms", ms);
	TEST_TRUE(wakeups < 200);
	return TEST_SUCCESS;
}

/*
 * Two threads, each with an engine, send to each other and sleep in between,
 * with delays that let the message fall before, into and behind the arming.
 */
struct sleeper {
	pthread_t thread;
	struct rte_comch_pe *pe;
	struct test_ep *ep;
	uint64_t rounds;
	uint64_t sleeps;
	uint32_t rand;
	bool begins;        /* sends first */
	int error;
	uint64_t cpu_ns;
};

/* Mostly within the time that arming takes, and now and then far beyond. */
static void
sleeper_delay(struct sleeper *s)
{
	uint32_t r = test_rand_next(&s->rand);
	uint64_t cycles, end;

	switch (r % 16) {
	case 0:
		cycles = rte_get_tsc_hz() / 1000000 * ((r >> 8) % 100); /* to 100 us */
		break;
	case 1: case 2: case 3: case 4:
		cycles = 0;
		break;
	default:
		cycles = rte_get_tsc_hz() / 1000000 * ((r >> 8) % 1024) / 128; /* to 8 us */
		break;
	}
	end = rte_get_tsc_cycles() + cycles;
	while (rte_get_tsc_cycles() < end)
		;
}

static int
sleeper_wait(struct sleeper *s, uint32_t nb_recv)
{
	int ret;

	while (s->ep->nb_recv < nb_recv) {
		ret = rte_comch_pe_progress(s->pe);
		if (ret < 0)
			return ret;
		if (ret > 0)
			continue;
		if (test_rand_next(&s->rand) % 2 == 0)
			sleeper_delay(s);
		ret = rte_comch_pe_arm(s->pe);
		if (ret == -EAGAIN)
			continue;
		if (ret != 0)
			return ret;
		s->sleeps++;
		ret = test_wait_fd(s->pe, LOST_MS);
		if (ret != 1)
			return ret == 0 ? -ETIMEDOUT : -errno;
	}
	return 0;
}

static int
sleeper_send(struct sleeper *s, uint32_t seq)
{
	uint64_t end = test_now_ns() + (uint64_t)LOST_MS * 1000000;
	int ret;

	/* tasks come back in progress; the peer may be asleep, but delivered it is */
	while ((ret = test_send_pattern(s->ep->conn, 16, seq)) == -ENOMEM || ret == -EDQUOT) {
		rte_comch_pe_progress(s->pe);
		if (test_now_ns() > end)
			return -ENOMEM;
	}
	return ret;
}

static void *
sleeper_run(void *arg)
{
	struct sleeper *s = arg;
	uint64_t i;

	for (i = 1; i <= s->rounds && s->error == 0; i++) {
		if (!s->begins)
			s->error = sleeper_wait(s, (uint32_t)i);
		sleeper_delay(s);
		if (s->error == 0)
			s->error = sleeper_send(s, (uint32_t)i);
		if (s->error == 0 && s->begins)
			s->error = sleeper_wait(s, (uint32_t)i);
	}
	s->cpu_ns = test_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static int
test_no_wakeup_lost(void)
{
	const char *env = getenv("COMCH_TEST_ROUNDS");
	struct sleeper sleepers[2];
	uint64_t rounds, start;
	unsigned int i, started = 0;
	struct two t;

	rounds = env != NULL ? strtoull(env, NULL, 10) : DFLT_ROUNDS;
	rounds = RTE_MIN(RTE_MAX(rounds, UINT64_C(1)), UINT64_C(10000000));
	TEST_CALL(two_connect(&t));
	memset(sleepers, 0, sizeof(sleepers));
	for (i = 0; i < RTE_DIM(sleepers); i++) {
		sleepers[i].pe = i == 0 ? t.server_pe : t.client_pe;
		sleepers[i].ep = i == 0 ? t.server : t.client;
		sleepers[i].rounds = rounds;
		sleepers[i].rand = 88172645 + i;
		sleepers[i].begins = i != 0;
	}
	/* 1 ms of each round is ten times what it takes */
	test_time_limit((unsigned int)(60 + rounds / 1000));
	start = test_now_ns();
	for (i = 0; i < RTE_DIM(sleepers); i++)
		if (pthread_create(&sleepers[i].thread, NULL, sleeper_run, &sleepers[i]) == 0)
			started++;
	for (i = 0; i < started; i++)
		pthread_join(sleepers[i].thread, NULL);
	TEST_EXPECT(started, 2);
	test_note("%" PRIu64 " rounds, %" PRIu64 " sleeps, %" PRIu64 " ns per round", rounds,
			sleepers[0].sleeps + sleepers[1].sleeps, (test_now_ns() - start) / rounds);
	for (i = 0; i < RTE_DIM(sleepers); i++)
		TEST_ASSERT(sleepers[i].error == 0, "the %s ended in round %u: %s",
				i == 0 ? "server" : "client", sleepers[i].ep->nb_recv,
				sleepers[i].error == -ETIMEDOUT ? "a wake-up was lost" :
				strerror(-sleepers[i].error));
	return TEST_SUCCESS;
}

/* Asleep for two seconds with a connection that is idle. */
static void *
idle_run(void *arg)
{
	struct sleeper *s = arg;
	uint64_t end = test_now_ns() + 2000000000, now;
	int ret;

	while (s->error == 0 && (now = test_now_ns()) < end) {
		if (rte_comch_pe_progress(s->pe) > 0)
			continue;
		ret = rte_comch_pe_arm(s->pe);
		if (ret == -EAGAIN)
			continue;
		if (ret != 0)
			s->error = ret;
		s->sleeps++;
		test_wait_fd(s->pe, (int)((end - now) / 1000000 + 1));
	}
	s->cpu_ns = test_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static int
test_idle_costs_nothing(void)
{
	struct sleeper sleepers[2];
	unsigned int i, started = 0;
	uint64_t cpu;
	struct two t;

	TEST_CALL(two_connect(&t));
	memset(sleepers, 0, sizeof(sleepers));
	sleepers[0].pe = t.server_pe;
	sleepers[1].pe = t.client_pe;
	cpu = test_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (i = 0; i < RTE_DIM(sleepers); i++)
		if (pthread_create(&sleepers[i].thread, NULL, idle_run, &sleepers[i]) == 0)
			started++;
	for (i = 0; i < started; i++)
		pthread_join(sleepers[i].thread, NULL);
	cpu = test_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	TEST_EXPECT(started, 2);
	test_note("2 s asleep: %" PRIu64 " us and %" PRIu64 " us of a core, %" PRIu64
			" us in the whole process; %" PRIu64 " sleeps", sleepers[0].cpu_ns / 1000,
			sleepers[1].cpu_ns / 1000, cpu / 1000,
			sleepers[0].sleeps + sleepers[1].sleeps);
	for (i = 0; i < RTE_DIM(sleepers); i++) {
		TEST_EXPECT(sleepers[i].error, 0);
		TEST_TRUE(sleepers[i].cpu_ns < 20000000); /* 1 % of 2 s */
	}
	TEST_TRUE(cpu < 40000000); /* nor does any other thread work for them */
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: event mode",
	.setup = test_setup_event,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, test_cleanup, test_idle_engine),
		TEST_CASE_ST(NULL, test_cleanup, test_message_wakes),
		TEST_CASE_ST(NULL, test_cleanup, test_delivery_wakes),
		TEST_CASE_ST(NULL, test_cleanup, test_connection_wakes),
		TEST_CASE_ST(NULL, test_cleanup, test_timeout_wakes),
		TEST_CASE_ST(NULL, test_cleanup, test_no_wakeup_lost),
		TEST_CASE_ST(NULL, test_cleanup, test_idle_costs_nothing),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(comch_event_autotest, unit_test_suite_runner, &suite)
