/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Thousands of peers that are killed at random points, beside eight that go on. Those lose
 * nothing, and their latencies are compared with two runs: they are alone, and the same
 * peers come and go in order. The three take turns, as a machine is not the same all the time.
 */

#include <inttypes.h>
#include <time.h>

#include "test_comch_util.h"
#include "test_shm_soak.h"

/* Kills unless COMCH_TEST_KILLS says otherwise. */
#define DFLT_KILLS 200u
/* One peer begins in so long. */
#define PERIOD_US 40000u
#define MAX_ROUNDS 20u
#define MIN_ROUND 100u
/* What is made once is made by then. */
#define WARM_LIVES 20u
#define PEERS_PERCENT 5.0
/* What the requirement names: printed. */
#define MEDIAN_RATIO 1.05
#define TAIL_RATIO 2.0
/* What no machine makes of a server that does not wait for the dead. */
#define ABSURD_RATIO 100

static const char * const run_names[SOAK_RUNS] = {
	"alone", "others go in order", "others are killed", "alone, after", "else",
};

/* What a run has taken. */
struct kills_run {
	uint64_t ns;
	uint64_t peers_ns; /* of processors */
	uint64_t server_ns;
};

static struct kills_run runs[SOAK_RUNS];

static unsigned int
nb_kills(void)
{
	const char *env = getenv("COMCH_TEST_KILLS");
	int nb = env == NULL ? 0 : atoi(env);

	return nb > 0 ? (unsigned int)nb : DFLT_KILLS;
}

static int
run_lives(enum soak_run run, unsigned int nb)
{
	const unsigned int ms = nb * (PERIOD_US / 1000);
	const uint64_t end = test_now_ns() + (uint64_t)ms * 1000000;

	if (run == SOAK_ORDERLY)
		return soak_lives(SOAK_WAY_ORDER, nb, 1, PERIOD_US, 0);
	if (run == SOAK_KILLS)
		return soak_lives(SOAK_WAY_KILLED, nb, 1, PERIOD_US, 0);
	SOAK_WAIT(test_now_ns() >= end, 10 * ms + TEST_MS);
	return TEST_SUCCESS;
}

static int
kills_run(enum soak_run run, unsigned int nb)
{
	const uint64_t ns = test_now_ns(), peers_ns = soak_peers_cpu_ns();
	const uint64_t server_ns = test_clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	__atomic_store_n(&soak_share->run, run, __ATOMIC_RELAXED);
	TEST_CALL(run_lives(run, nb));
	__atomic_store_n(&soak_share->run, SOAK_OTHER, __ATOMIC_RELAXED);
	runs[run].ns += test_now_ns() - ns;
	runs[run].peers_ns += soak_peers_cpu_ns() - peers_ns;
	runs[run].server_ns += test_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - server_ns;
	return TEST_SUCCESS;
}

static void
kills_table(void)
{
	static struct soak_hist hist;
	unsigned int run, path;

	test_note("%-20s %7s %6s %6s  %-9s %9s %8s %8s %8s", "run", "seconds", "peers",
		"server", "path", "messages", "median", "99 %", "99.9 %");
	for (run = 0; run < SOAK_OTHER; run++) {
		for (path = 0; path < SOAK_PATHS; path++) {
			soak_hist_sum(&hist, run, path);
			test_note("%-20s %7.1f %4.1f %% %4.1f %%  %-9s %9" PRIu64
				" %8.1f %8.1f %8.1f", run_names[run], (double)runs[run].ns / 1e9,
				(double)runs[run].peers_ns * 100 / (double)runs[run].ns,
				(double)runs[run].server_ns * 100 / (double)runs[run].ns,
				path == SOAK_MSGS ? "messages" : "fast path", hist.nb,
				soak_hist_part(&hist, 0.5), soak_hist_part(&hist, 0.99),
				soak_hist_part(&hist, 0.999));
		}
	}
	test_note("(peers and server: of one processor; median and so on: microseconds, there and back)");
}

static int
kills_ratio(enum soak_run run, enum soak_run to, enum soak_path path)
{
	static struct soak_hist hist, base;
	double median, tail;

	soak_hist_sum(&hist, run, path);
	soak_hist_sum(&base, to, path);
	TEST_TRUE(hist.nb > 0 && base.nb > 0);
	median = soak_hist_part(&hist, 0.5) / soak_hist_part(&base, 0.5);
	tail = soak_hist_part(&hist, 0.99) / soak_hist_part(&base, 0.99);
	test_note("%s to %s, %s: median %.3f times (%s 5 %%), 99 %% %.2f times (%s 2 times)",
		run_names[run], run_names[to], path == SOAK_MSGS ? "messages" : "fast path",
		median, median <= MEDIAN_RATIO ? "within" : "above", tail,
		tail <= TAIL_RATIO ? "within" : "above");
	TEST_TRUE(median < ABSURD_RATIO);
	return TEST_SUCCESS;
}

static unsigned int
kills_sum(void)
{
	const uint32_t *nb = soak_share->lives.nb_killed;
	unsigned int sum = 0, i;

	for (i = 0; i < SOAK_STAGES; i++)
		sum += nb[i];
	test_note("killed: %u that began, %u that connected, %u that opened the fast path, %u that "
		"transferred, %u that closed, %u that went", nb[SOAK_BEGINS], nb[SOAK_CONNECTS],
		nb[SOAK_OPENS], nb[SOAK_TRANSFERS], nb[SOAK_CLOSES], nb[SOAK_GOES]);
	test_note("in order: %u, with %" PRIu64 " messages, each for %.1f ms",
		soak_share->lives.nb_ordered, soak_share->lives.msgs,
		(double)soak_share->lives.life_ns / 1e6 /
			RTE_MAX(soak_share->lives.nb_ordered, 1u));
	return sum;
}

static int
kills_rounds(unsigned int nb)
{
	const unsigned int rounds = RTE_MIN(RTE_MAX(nb / MIN_ROUND, 1u), MAX_ROUNDS);
	unsigned int i, of_round;

	for (i = 0; i < rounds; i++) {
		of_round = nb * (i + 1) / rounds - nb * i / rounds;
		TEST_CALL(kills_run(SOAK_ALONE, of_round / 8));
		TEST_CALL(kills_run(SOAK_ORDERLY, of_round));
		TEST_CALL(kills_run(SOAK_KILLS, of_round));
	}
	return kills_run(SOAK_AFTER, nb / 8);
}

int
soak_test_kills(void)
{
	static const enum soak_run compared[][2] = {
		{ SOAK_KILLS, SOAK_ORDERLY }, { SOAK_KILLS, SOAK_ALONE },
		{ SOAK_ORDERLY, SOAK_ALONE }, { SOAK_AFTER, SOAK_ALONE },
	};
	const unsigned int nb = nb_kills(), seconds = nb / 4 + 300;
	struct soak_sample before;
	unsigned int killed, i;

	memset(runs, 0, sizeof(runs));
	test_time_limit(seconds);
	TEST_CALL(soak_start(seconds));
	TEST_CALL(soak_calibrate(PEERS_PERCENT));
	TEST_CALL(soak_lives(SOAK_WAY_ORDER, WARM_LIVES, 1, PERIOD_US, 0));
	soak_sample_get(&before);
	TEST_CALL(kills_rounds(nb));
	killed = kills_sum();
	kills_table();
	for (i = 0; i < RTE_DIM(compared); i++) {
		TEST_CALL(kills_ratio(compared[i][0], compared[i][1], SOAK_MSGS));
		TEST_CALL(kills_ratio(compared[i][0], compared[i][1], SOAK_FAST));
	}
	TEST_EXPECT(killed, nb);
	TEST_CALL(soak_sample_same(&before));
	return soak_finish();
}
