/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * All attacks at once: nine processes. A server has four functions; each has an honest
 * client that sends and receives at a steady pace, and an attacker of another user that
 * has one idea after the other. The honest lose nothing, no turn of the server takes long,
 * what attackers take stays within their ledgers, and all of it is given back.
 */

#include <inttypes.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <rte_comch_pmd.h> /* check-ok: ledgers are shown by its ops */

#include "test_comch_child.h"
#include "test_mock.h"
#include "test_shm_peer.h"
#include "test_shm_storm.h"

/* All ideas in so long, unless COMCH_TEST_SECONDS says otherwise; each idea at most. */
#define DFLT_SECONDS 60u
#define IDEA_SECONDS 10u
/* What is left of an idea is gone by then. */
#define GONE_MS 30000u
/* Turns of the engine of which some are said at once, and one that fails the case. */
#define LONG_TURN_NS UINT64_C(5000000)
#define LONG_TURNS 3u
#define MAX_TURN_NS UINT64_C(100000000)
/* One that has been waiting for somebody else, which is said, too. */
#define BLOCKED_NS UINT64_C(1000000000)
#define LEDGER_MS 100u
#define POLL_MS 5

#define LIMITS "max_links=16,max_maps=400,max_mem=64"

static struct {
	struct test_place place;
	struct test_pair saved;
	bool other_user;
	struct rte_comch_pe *pe;
	struct test_child *clients[STORM_FUNCTIONS];
	bool asked[STORM_FUNCTIONS];
	struct storm_counts counts[STORM_FUNCTIONS];
	TAILQ_HEAD(, storm_end) ends;        /* of the honest, also those that close */
	struct storm_times times;            /* of the idea */
	struct storm_times all;
	uint64_t most_mem;                   /* of an attacker, in this idea */
	uint64_t all_mem;
	uint64_t next_ledger_ns;
	uint64_t stolen_ms;                  /* of the processors, when it was last looked at */
	unsigned int nb_stolen;              /* long turns with some of that beside them */
	int error;                           /* of an honest client, or of a ledger */
} storm;

/*
 * The application on the card's side
 */

static void
honest_connect(struct test_ep *ep, struct rte_comch_conn *conn)
{
	struct storm_end *end = calloc(1, sizeof(*end));
	int ret;

	if (end == NULL) {
		storm.error = -ENOMEM;
		return;
	}
	end->nb_new = ep->nb_new;
	TAILQ_INSERT_TAIL(&storm.ends, end, next);
	ret = storm_end_open(end, ep, conn, test_pair.dpu, storm.pe);
	if (ret != 0)
		storm.error = ret;
}

static void
honest_disconnect(struct test_ep *ep __rte_unused, struct rte_comch_conn *conn, int status)
{
	struct storm_end *end;

	TAILQ_FOREACH(end, &storm.ends, next)
		if (end->conn == conn)
			end->conn = NULL;
	if (status != 0)
		storm.error = status;
}

/* What is not the engine's. @return whether something was done */
static unsigned int
queues_turn(void)
{
	struct storm_end *end, *next;
	unsigned int nb = 0;

	for (end = TAILQ_FIRST(&storm.ends); end != NULL; end = next) {
		next = TAILQ_NEXT(end, next);
		nb += storm_end_turn(end, end->received);
		if (end->error != 0)
			storm.error = end->error;
		if (end->conn != NULL || !storm_end_close(end))
			continue;
		TAILQ_REMOVE(&storm.ends, end, next);
		free(end);
	}
	storm_targets_turn();
	return nb;
}

/* What a turn began with. */
struct turn {
	struct rusage usage;
	uint64_t cpu_ns;
	uint64_t ns;
};

static void
turn_begin(struct turn *turn)
{
	getrusage(RUSAGE_THREAD, &turn->usage);
	turn->ns = test_now_ns();
	turn->cpu_ns = test_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void
turn_end(const struct turn *turn)
{
	uint64_t cpu_ns = test_clock_ns(CLOCK_THREAD_CPUTIME_ID) - turn->cpu_ns;
	uint64_t ns = test_now_ns() - turn->ns;
	const struct timeval *before = &turn->usage.ru_stime;
	struct rusage usage;
	uint64_t stolen_ms;

	storm_times_add(&storm.times, cpu_ns);
	if (cpu_ns >= LONG_TURN_NS) {
		stolen_ms = storm_stolen_ms();
		storm.nb_stolen += stolen_ms > storm.stolen_ms;
		storm.stolen_ms = stolen_ms;
	}
	if ((cpu_ns < LONG_TURN_NS || storm.times.over_5ms > LONG_TURNS) && ns < BLOCKED_NS)
		return;
	getrusage(RUSAGE_THREAD, &usage);
	test_note("a turn of %.1f ms, %.1f by the clock: %u ms of system, %ld faults, %ld + %ld switches",
		(double)cpu_ns / 1e6, (double)ns / 1e6,
		(unsigned int)((usage.ru_stime.tv_sec - before->tv_sec) * 1000 +
		(usage.ru_stime.tv_usec - before->tv_usec) / 1000),
		usage.ru_minflt - turn->usage.ru_minflt, usage.ru_nvcsw - turn->usage.ru_nvcsw,
		usage.ru_nivcsw - turn->usage.ru_nivcsw);
}

/*
 * What is watched
 */

/* Ledgers of all users: @return what attackers have in all, or -1 if one has too much. */
static int64_t
ledgers_look(void)
{
	struct rte_comch_dev *dev = test_mock_dev(test_pair.dpu);
	struct rte_comch_pmd_user user;
	int64_t sum = 0;
	uint32_t i, k;

	for (i = 0; dev->ops->user_get(dev, i, &user) == 0; i++) {
		for (k = 0; k < user.nb_limits; k++) {
			uint64_t max = user.limits[k].max;

			/* descriptors that have come, and the last event, are not refused */
			if (strcmp(user.limits[k].name, "fds") == 0 ||
					strcmp(user.limits[k].name, "events") == 0)
				max = 2 * max + 1;

			if (user.limits[k].used > max) {
				test_fail("user %u has %" PRIu64 " %s of %" PRIu64, user.uid,
					user.limits[k].used, user.limits[k].name, max);
				return -1;
			}
			if (user.uid != OTHER_UID)
				continue;
			sum += (int64_t)user.limits[k].used;
			if (strcmp(user.limits[k].name, "mem") == 0)
				storm.most_mem = RTE_MAX(storm.most_mem, user.limits[k].used);
		}
	}
	return sum;
}

/* What is left when the case has failed: ledgers, and links with their states. */
static void
storm_left(void)
{
	struct rte_comch_dev *dev = test_mock_dev(test_pair.dpu);
	struct rte_comch_pmd_user user;
	uint32_t i, k;

	for (i = 0; dev->ops->user_get(dev, i, &user) == 0; i++)
		for (k = 0; k < user.nb_limits; k++)
			if (user.limits[k].used != 0)
				test_note("left on %s: user %u has %" PRIu64 " %s of %" PRIu64,
					user.function, user.uid, user.limits[k].used,
					user.limits[k].name, user.limits[k].max);
	test_note("left with brokers: %u descriptors", test_count_broker_fds());
	dev->ops->dump(dev, stdout);
}

static void
clients_look(const char *how)
{
	unsigned int i;
	int ret;

	for (i = 0; i < STORM_FUNCTIONS; i++) {
		if (storm.asked[i]) {
			ret = test_child_poll(storm.clients[i]);
			if (ret == -EAGAIN)
				continue;
			if (ret == 0)
				ret = storm_child_report(storm.clients[i], &storm.counts[i]);
			if (ret != 0)
				storm.error = ret;
			storm.asked[i] = false;
		}
		if (how != NULL) {
			test_child_tell(storm.clients[i], "%s", how);
			storm.asked[i] = true;
		}
	}
}

/* One turn of the server, with the sleep behind it if there is nothing to do. */
static void
storm_turn(void)
{
	struct pollfd pfd = { rte_comch_pe_fd(storm.pe), POLLIN, 0 };
	struct turn turn;
	uint64_t now;
	int events, ret = -EAGAIN;

	turn_begin(&turn);
	events = rte_comch_pe_progress(storm.pe);
	turn_end(&turn);
	if (events < 0)
		storm.error = events;
	if (queues_turn() == 0 && events == 0) {
		turn_begin(&turn);
		ret = rte_comch_pe_arm(storm.pe);
		turn_end(&turn);
	}
	if (ret == 0)
		poll(&pfd, 1, POLL_MS);
	now = test_now_ns();
	if (now >= storm.next_ledger_ns) {
		storm.next_ledger_ns = now + (uint64_t)LEDGER_MS * 1000000;
		storm.stolen_ms = storm_stolen_ms();
		if (ledgers_look() < 0)
			storm.error = -E2BIG;
		clients_look(NULL);
	}
}

#define STORM_WAIT(cond, ms) do { \
	uint64_t end_ = test_now_ns() + (uint64_t)(ms) * 1000000; \
	while (!(cond)) { \
		TEST_ASSERT(test_now_ns() < end_, "not within %u ms: %s", \
			(unsigned int)(ms), #cond); \
		TEST_ASSERT(storm.error == 0, "the honest: %s", strerror(-storm.error)); \
		storm_turn(); \
	} \
} while (0)

static bool
clients_answered(void)
{
	unsigned int i;

	clients_look(NULL);
	for (i = 0; i < STORM_FUNCTIONS; i++)
		if (storm.asked[i])
			return false;
	return true;
}

/*
 * The case
 */

static void
storm_row(const char *idea, const struct storm_times *times, uint64_t rounds, uint64_t most_mem)
{
	uint64_t msgs = 0, fast = 0;
	unsigned int connects = 0, worst = 0, i;

	for (i = 0; i < STORM_FUNCTIONS; i++) {
		msgs += storm.counts[i].msgs;
		fast += storm.counts[i].fast;
		connects += storm.counts[i].nb_connects;
		worst = RTE_MAX(worst, storm.counts[i].worst_ms);
	}
	test_note("%-13s %7" PRIu64 " %8" PRIu64 " %7.1f %7.0f %7.0f %6" PRIu64 " %6" PRIu64 " %4"
		PRIu64 " %9" PRIu64 " %9" PRIu64 " %5u %6u", idea, rounds, times->nb,
		storm_times_part(times, 0.5), storm_times_part(times, 0.999),
		(double)times->max / 1e3, times->over_1ms, times->over_5ms, most_mem >> 20,
		msgs, fast, connects, worst);
}

static int
storm_idea(unsigned int idea, unsigned int ms)
{
	uint64_t end = test_now_ns() + (uint64_t)ms * 1000000, rounds = 0;
	int ended;

	memset(&storm.times, 0, sizeof(storm.times));
	storm.most_mem = 0;
	TEST_EXPECT(storm_evil_begin(idea), 0);
	STORM_WAIT(test_now_ns() >= end, 2 * ms);
	TEST_EXPECT(storm_evil_end(), 0);
	STORM_WAIT((ended = storm_evil_ended(&rounds)) != -EAGAIN, GONE_MS);
	TEST_ASSERT(ended == 0, "%d attackers with '%s' have ended", ended, storm_ideas[idea].name);
	if (storm.other_user)
		STORM_WAIT(ledgers_look() == 0, GONE_MS);
	clients_look("report");
	STORM_WAIT(clients_answered(), GONE_MS);
	storm_row(storm_ideas[idea].name, &storm.times, rounds, storm.most_mem);
	storm.all_mem = RTE_MAX(storm.all_mem, storm.most_mem);
	storm_times_sum(&storm.all, &storm.times);
	return TEST_SUCCESS;
}

static int
storm_serve(void)
{
	const struct rte_comch_pe_conf conf = { .socket_id = -1, .max_tasks = 16384 };
	struct rte_comch_server_conf server;
	struct test_ep *ep;
	unsigned int i;

	storm.pe = test_pe_new_conf(&conf);
	for (i = 0; i < STORM_FUNCTIONS; i++) {
		test_pair.rep = (uint16_t)i;
		ep = test_ep_new();
		test_server_conf(ep, "honest", &server);
		server.ctrl.nb_tasks = 256;
		server.ctrl.max_conn_tasks = 128;
		ep->echo = true;
		ep->on_connect = honest_connect;
		ep->on_disconnect = honest_disconnect;
		TEST_EXPECT(test_server_start(ep, &server, storm.pe), 0);
		TEST_EXPECT(storm_target_start(storm.pe), 0);
	}
	return TEST_SUCCESS;
}

static unsigned int
storm_seconds(void)
{
	const char *env = getenv("COMCH_TEST_SECONDS");
	int seconds = env == NULL ? 0 : atoi(env);

	return seconds > 0 ? (unsigned int)seconds : DFLT_SECONDS;
}

static int
storm_run(void)
{
	const char *only = getenv("COMCH_TEST_IDEA");
	const unsigned int seconds = storm_seconds();
	const unsigned int ms = RTE_MIN(seconds * 1000 / storm_nb_ideas, IDEA_SECONDS * 1000);
	const uint64_t end = test_now_ns() + (uint64_t)seconds * 1000000000;
	unsigned int i, fds;

	test_time_limit(2 * seconds + 300);
	TEST_CALL(storm_serve());
	fds = test_count_fds();
	for (i = 0; i < STORM_FUNCTIONS; i++) {
		storm.clients[i] = test_child_start_as("storm-child", &storm.place,
			storm_functions[i]);
		/* a user that shares its ledger with an attacker might not come in again */
		TEST_EXPECT(storm_child_start(storm.clients[i], storm.other_user && i % 2 == 1,
			2 * seconds + 300), 0);
		STORM_WAIT(test_child_poll(storm.clients[i]) == 0, TEST_MS);
	}
	test_note("idea           rounds    turns  median   99.9%%     max  >1 ms  >5 ms  MiB   honest msgs and fast  conns  worst");
	test_note("(of turns: microseconds; of the honest: sums so far, the longest wait in ms)");
	for (i = 0; i < storm_nb_ideas || test_now_ns() < end; i++)
		if (only == NULL || strcmp(only, storm_ideas[i % storm_nb_ideas].name) == 0)
			TEST_CALL(storm_idea(i % storm_nb_ideas, ms));
	clients_look("finish");
	STORM_WAIT(clients_answered(), GONE_MS);
	STORM_WAIT(TAILQ_EMPTY(&storm.ends), TEST_MS);
	storm_row("all", &storm.all, i, storm.all_mem);
	test_note("%u turns above 5 ms were within %u ms of a time that the machine did not run",
		storm.nb_stolen, LEDGER_MS);
	for (i = 0; i < STORM_FUNCTIONS; i++)
		TEST_EXPECT(test_child_end(storm.clients[i]), 0);
	STORM_WAIT(test_dev_info(test_pair.dpu).nb_links == 0, TEST_MS);
	/* the parent's ends of their sockets have gone, too */
	STORM_WAIT(test_count_fds() <= fds, TEST_MS);
	if (TEST_ASAN)
		test_note("times are not judged: AddressSanitizer adds to them");
	else
		TEST_TRUE(storm.all.max < MAX_TURN_NS);
	return TEST_SUCCESS;
}

static int
test_all_at_once(void)
{
	int ret = storm_run();

	if (ret != TEST_SUCCESS)
		storm_left();
	return ret;
}

static int
storm_setup(void)
{
	char uids[32] = "";
	int ret;

	memset(&storm, 0, sizeof(storm));
	TAILQ_INIT(&storm.ends);
	storm.saved = test_pair;
	test_pair.dpu = -1;
	test_log_quiet();
	storm.other_user = geteuid() == 0;
	if (storm.other_user)
		snprintf(uids, sizeof(uids), ",uids=%u", OTHER_UID);
	TEST_CALL(test_place_open_shm(&storm.place));
	TEST_EXPECT(storm_evil_start(storm.place.path, storm.other_user), 0);
	ret = test_vdev_add("role=dpu,functions=pf0:pf0vf[0-2],path=%s," LIMITS "%s",
		storm.place.path, uids);
	TEST_ASSERT(ret >= 0, "no card device: %s", strerror(-ret));
	test_pair.dpu = (int16_t)ret;
	return TEST_SUCCESS;
}

static void
storm_teardown(void)
{
	struct storm_end *end;

	storm_evil_stop();
	test_child_cleanup();
	while ((end = TAILQ_FIRST(&storm.ends)) != NULL) {
		end->conn = NULL;
		while (!storm_end_close(end))
			test_progress();
		TAILQ_REMOVE(&storm.ends, end, next);
		free(end);
	}
	storm_targets_end();
	test_cleanup();
	if (test_pair.dpu >= 0 && test_vdev_remove(test_pair.dpu) != 0)
		test_fail("the card device cannot be removed");
	test_place_close(&storm.place);
	test_log_restore();
	test_pair = storm.saved;
}

static struct unit_test_suite suite = {
	.suite_name = "shm, all attacks at once",
	.unit_test_cases = {
		TEST_CASE_ST(storm_setup, storm_teardown, test_all_at_once),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(shm_attack_storm_autotest, unit_test_suite_runner, &suite)
