/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A process is killed, or stopped, in front of its n-th system call: a client or a server that
 * connects, exchanges messages, or closes. This process is the other side, and serves a
 * third meanwhile, which loses nothing.
 */

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_calls.h"
#include "test_comch_child.h"
#include "test_comch_faults.h"
#include "test_comch_fp_util.h"
#include "test_comch_place.h"

/* Points of one stage, unless COMCH_TEST_ROUNDS says how many; they are spread over it. */
#define POINTS 4u
#define ECHOES 20u
#define ECHO_LEN 300u
#define STOPPED_MS 50
#define CASE_SECONDS 800

/* What the victim does, and what it has done before. */
struct stage {
	const char *name;
	bool card;          /* It is the card, and has a server. */
	const char *before; /* Or NULL. */
	const char *during; /* Or NULL: what our client does to its server. */
	bool connected;     /* Our client is connected before. */
};

static const struct stage stages[] = {
	{ "client: connect", false, NULL, "clients 1 test", false },
	{ "client: message", false, "clients 1 test", "echo 20 300", false },
	{ "client: teardown", false, "clients 1 test", "leave", false },
	{ "server: start", true, NULL, "server test", false },
	{ "server: connect", true, "server test", NULL, false },
	{ "server: message", true, "server test", NULL, true },
	{ "server: teardown", true, "server test", "leave", true },
};

static struct test_sides sides;
static struct {
	struct test_ep *server;
	struct test_child *third;
	struct test_child *victim;
	struct test_ep *client;
	struct rte_comch_pe *pe;
	uint32_t sent;
	bool dead;
	bool stopped;
} k;

static int
suite_setup(void)
{
	if (!test_calls_there())
		return test_skip("the calls of libraries that are shared cannot fail");
	return test_sides_open(&sides);
}

static void
suite_teardown(void)
{
	test_sides_close(&sides);
}

static void
teardown(void)
{
	test_child_cleanup();
	test_cleanup();
	test_log_restore();
}

/* Our server, and a client of it that is not concerned. */
static int
third_start(void)
{
	struct rte_comch_server_conf conf;

	memset(&k, 0, sizeof(k));
	k.pe = test_pe_new();
	k.server = test_ep_new();
	test_server_conf(k.server, "test", &conf);
	k.server->echo = true;
	TEST_EXPECT(test_servers_start(k.server, &conf, k.pe, test_place_nb_functions(2)), 0);
	k.third = test_child_start(&sides.here, test_place_function(1));
	return test_child_ask(k.third, FAULTS_MS, "clients 1 test") == 0 ? TEST_SUCCESS :
		TEST_FAILED;
}

static int
third_echoes(void)
{
	TEST_EXPECT(test_child_ask(k.third, FAULTS_MS, "echo %u %u", ECHOES, ECHO_LEN), 0);
	TEST_EXPECT(atoi(k.third->reply), ECHOES);
	return TEST_SUCCESS;
}

static int
client_start(void)
{
	struct rte_comch_client_conf conf;

	k.client = test_ep_new();
	test_client_conf(k.client, "test", &conf);
	conf.connect_timeout_ms = FAULTS_MS / 4;
	TEST_EXPECT(test_client_start(k.client, &conf, k.pe), -EINPROGRESS);
	return TEST_SUCCESS;
}

static bool
client_is(int state)
{
	return k.client != NULL && test_state(k.client) == state;
}

/* What our client does goes on in the turns of this process. */
static int
ours_begin(const struct stage *s)
{
	uint32_t i;

	k.sent = 0;
	if (!s->card || s->during != NULL)
		return TEST_SUCCESS;
	if (!s->connected)
		return client_start();
	for (i = 0; i < ECHOES; i++)
		if (test_send_pattern(k.client->conn, ECHO_LEN, i) == 0)
			k.sent++;
	return TEST_SUCCESS;
}

static bool
ours_is_over(const struct stage *s)
{
	if (k.client == NULL || client_is(RTE_COMCH_STATE_IDLE))
		return true;
	return s->during != NULL || (client_is(RTE_COMCH_STATE_RUNNING) &&
		k.client->nb_recv == k.sent && k.client->nb_done + k.client->nb_failed == k.sent);
}

/* Whether the kernel has ended or stopped the victim. */
static void
victim_look(void)
{
	siginfo_t info = { .si_pid = 0 };

	if (waitid(P_PID, (id_t)k.victim->pid, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) != 0
			|| info.si_pid == 0)
		return;
	k.dead = info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED;
	k.stopped = info.si_code == CLD_STOPPED;
}

/*
 * Until the victim has done it, is killed, or is stopped. Sets done to whether it answered;
 * a turn of ours does not wait for it.
 */
static int
victim_wait(const struct stage *s, bool *done)
{
	uint64_t end = test_now_ns() + (uint64_t)FAULTS_MS * 1000000;
	int ret = s->during != NULL ? -EAGAIN : 0;

	do {
		if (ret == -EAGAIN)
			ret = test_child_poll(k.victim);
		victim_look();
		*done = ret != -EAGAIN && ours_is_over(s);
		TEST_ASSERT(test_now_ns() < end, "%s is neither over nor killed", s->name);
		if (test_progress() == 0)
			sched_yield();
	} while (!*done && !k.dead && !k.stopped);
	return TEST_SUCCESS;
}

/* It has done its part: no signal any more. It may be hit by one until it reads this. */
static int
victim_disarm(unsigned int *nb)
{
	uint64_t end = test_now_ns() + (uint64_t)FAULTS_MS * 1000000;
	int ret;

	test_child_tell(k.victim, "at 0 0");
	do {
		ret = test_child_poll(k.victim);
		victim_look();
		TEST_ASSERT(test_now_ns() < end, "no answer of the victim");
		test_progress();
	} while (ret != 0 && !k.dead && !k.stopped);
	if (ret == 0)
		TEST_EXPECT(sscanf(k.victim->reply, "%*u %u", nb), 1);
	return TEST_SUCCESS;
}

/*
 * What is left of a client of ours knows why; then all of it goes. It is closed only then: a
 * device that no context uses looks at no socket, and would keep that of the dead peer.
 */
static int
victim_end(const struct stage *s)
{
	const int limit = 2 * FAULTS_MS;

	test_child_kill(k.victim);
	k.victim = NULL;
	if (k.client != NULL) {
		TEST_WAIT(client_is(RTE_COMCH_STATE_IDLE), limit);
		if (k.dead)
			TEST_TRUE(rte_comch_ctx_reason_get(k.client->ctx) < 0);
	}
	if (s->card && !sides.there.bluefield)
		test_folder_empty(test_place_dir(&sides.there));
	if (k.client != NULL)
		TEST_EXPECT(test_ep_close(k.client), 0);
	k.client = NULL;
	TEST_WAIT(k.server->nb_connects - k.server->nb_disconnects == 1, limit);
	return third_echoes();
}

/* Stopped, it holds nobody up; then it goes on and comes to an end, or it is killed. */
static int
stopped_end(const struct stage *s, bool done, bool kill_it)
{
	TEST_CALL(third_echoes());
	test_progress_ms(STOPPED_MS);
	if (kill_it) {
		TEST_EXPECT(kill(k.victim->pid, SIGKILL), 0);
		k.dead = true;
		return TEST_SUCCESS;
	}
	TEST_EXPECT(kill(k.victim->pid, SIGCONT), 0);
	k.stopped = false;
	/* the report that it was stopped is taken */
	waitpid(k.victim->pid, NULL, WUNTRACED | WNOHANG);
	if (!done)
		TEST_CALL(victim_wait(s, &done));
	TEST_TRUE(done);
	return TEST_SUCCESS;
}

/* One life of a victim. Sets hit to whether it reached the call, or nb to how many it made. */
static int
life(const struct stage *s, unsigned int n, int sig, unsigned int hits, bool *hit,
		unsigned int *nb)
{
	bool done = false;

	k.dead = k.stopped = false;
	k.victim = test_child_start(s->card ? &sides.there : &sides.here,
		s->card ? NULL : test_place_function(0));
	if (s->before != NULL)
		TEST_EXPECT(test_child_ask(k.victim, FAULTS_MS, "%s", s->before), 0);
	if (s->connected) {
		TEST_CALL(client_start());
		TEST_WAIT(client_is(RTE_COMCH_STATE_RUNNING), FAULTS_MS);
	}
	TEST_EXPECT(test_child_ask(k.victim, FAULTS_MS, "at %u %d", n, sig), 0);
	if (s->during != NULL)
		test_child_tell(k.victim, "%s", s->during); /* if it lives by now */
	TEST_CALL(ours_begin(s));
	TEST_CALL(victim_wait(s, &done));
	if (!k.dead && !k.stopped)
		TEST_CALL(victim_disarm(nb));
	*hit = k.dead || k.stopped;
	if (k.stopped)
		TEST_CALL(stopped_end(s, done, hits % 2 != 0));
	return victim_end(s);
}

static int
stage_run(const struct stage *s, int sig)
{
	const char *env = getenv("COMCH_TEST_ROUNDS");
	unsigned int points = env != NULL ? (unsigned int)atoi(env) : POINTS;
	unsigned int nb = 0, more, n, hits = 0;
	struct test_faults_held held;
	bool hit;

	/* how many calls there are, and what stays */
	TEST_CALL(life(s, UINT32_MAX, SIGKILL, 0, &hit, &nb));
	TEST_TRUE(!hit);
	test_settle();
	test_faults_held_get(&held);
	for (n = 1; n <= nb; n += 1 + nb / (points + 1)) {
		hit = false;
		TEST_ASSERT(life(s, n, sig, hits, &hit, &more) == TEST_SUCCESS, "%s, call %u",
			s->name, n);
		TEST_ASSERT(test_faults_held_check(&held) == TEST_SUCCESS, "%s, call %u", s->name,
			n);
		hits += hit;
	}
	test_note("%s: %s in front of %u of %u calls", s->name, strsignal(sig), hits, nb);
	return TEST_SUCCESS;
}

static int
all_stages(int sig)
{
	unsigned int i;

	test_time_limit(CASE_SECONDS);
	test_log_quiet(); /* of what is done on purpose */
	TEST_CALL(third_start());
	for (i = 0; i < RTE_DIM(stages); i++)
		TEST_CALL(stage_run(&stages[i], sig));
	return test_child_end(k.third);
}

static struct unit_test_suite suite = {
	.suite_name = "peers that are killed or stopped at a call",
	.setup = suite_setup,
	.teardown = suite_teardown,
	.unit_test_cases = {
		TEST_CASE_ARG(NULL, teardown, "test_killed", all_stages, SIGKILL),
		TEST_CASE_ARG(NULL, teardown, "test_stopped", all_stages, SIGSTOP),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(comch_faults_kill_autotest, unit_test_suite_runner, &suite);
