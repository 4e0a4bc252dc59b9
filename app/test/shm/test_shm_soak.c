/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A soak: eight clients go on at a steady pace, while others connect, transfer, and end in
 * order or are killed, all at random. Now and then all of those are gone for a moment, and
 * what the server has is measured: the slopes are printed, and nothing may grow.
 */

#include <inttypes.h>

#include "test_comch_util.h"
#include "test_shm_soak.h"

/* Unless COMCH_TEST_SECONDS says otherwise. */
#define DFLT_SECONDS 10u
#define NB_KEEPERS 3u
/* Of each keeper, one after the other without a pause if they take longer. */
#define PERIOD_US 30000u
#define INTERVALS 60u
#define MIN_INTERVAL_MS 500u
/* The first of so many parts is not looked at. */
#define WARM_PART 4u
#define PEERS_PERCENT 5.0
/* What memory may grow in all: what the C library keeps, and pages not touched before. */
#define MAX_GROWTH_KB 1024

/* What is printed of a sample. */
enum soak_value {
	SOAK_PRIVATE = 0, SOAK_SHARED, SOAK_HEAP, SOAK_EAL, SOAK_FDS, SOAK_MAPS, SOAK_LEDGERS,
	SOAK_MSG_MEDIAN, SOAK_MSG_TAIL, SOAK_FAST_MEDIAN, SOAK_FAST_TAIL, SOAK_VALUES,
};

static const struct {
	const char *name;
	const char *unit;
	double may_grow; /* from after the warm-up to the end; below 0: as it likes */
} values[SOAK_VALUES] = {
	/* AddressSanitizer keeps for a while what is freed */
	[SOAK_PRIVATE] = { "private memory", "KiB", TEST_ASAN ? -1 : MAX_GROWTH_KB },
	[SOAK_SHARED] = { "shared memory", "KiB", MAX_GROWTH_KB },
	[SOAK_HEAP] = { "heap in use", "KiB", MAX_GROWTH_KB },
	[SOAK_EAL] = { "EAL's heap in use", "KiB", MAX_GROWTH_KB },
	[SOAK_FDS] = { "descriptors", "", 0 },
	[SOAK_MAPS] = { "mappings", "", 0 },
	[SOAK_LEDGERS] = { "ledgers", "", 0 },
	[SOAK_MSG_MEDIAN] = { "messages, median", "us", -1 },
	[SOAK_MSG_TAIL] = { "messages, 99 %", "us", -1 },
	[SOAK_FAST_MEDIAN] = { "fast path, median", "us", -1 },
	[SOAK_FAST_TAIL] = { "fast path, 99 %", "us", -1 },
};

static struct {
	struct soak_line lines[SOAK_VALUES];
	struct soak_hist seen[SOAK_PATHS]; /* of samples so far */
	uint64_t start_ns;
} soak;

static void
latency_add(enum soak_path path, double hours)
{
	const enum soak_value value = path == SOAK_MSGS ? SOAK_MSG_MEDIAN : SOAK_FAST_MEDIAN;
	static struct soak_hist hist, now;

	soak_hist_sum(&now, SOAK_KILLS, path);
	hist = now;
	soak_hist_take(&hist, &soak.seen[path]);
	soak.seen[path] = now;
	soak_line_add(&soak.lines[value], hours, soak_hist_part(&hist, 0.5));
	soak_line_add(&soak.lines[value + 1], hours, soak_hist_part(&hist, 0.99));
}

static void
sample_add(const struct soak_sample *sample)
{
	const double hours = (double)(test_now_ns() - soak.start_ns) / 3600e9;
	const double of[] = {
		[SOAK_PRIVATE] = (double)sample->private_kb,
		[SOAK_SHARED] = (double)sample->memfd_kb,
		[SOAK_HEAP] = (double)sample->heap / 1024,
		[SOAK_EAL] = (double)sample->eal / 1024,
		[SOAK_FDS] = sample->fds + sample->broker_fds,
		[SOAK_MAPS] = sample->maps,
		[SOAK_LEDGERS] = (double)sample->ledgers,
	};
	unsigned int i;

	for (i = 0; i < RTE_DIM(of); i++)
		soak_line_add(&soak.lines[i], hours, of[i]);
	latency_add(SOAK_MSGS, hours);
	latency_add(SOAK_FAST, hours);
}

/* Others come and go for a time; then all of them are gone. */
static int
soak_interval(unsigned int ms, struct soak_sample *sample, const struct soak_sample *before)
{
	__atomic_store_n(&soak_share->run, SOAK_KILLS, __ATOMIC_RELAXED);
	TEST_CALL(soak_lives(SOAK_WAY_EITHER, UINT32_MAX / 8, NB_KEEPERS, PERIOD_US, ms));
	__atomic_store_n(&soak_share->run, SOAK_OTHER, __ATOMIC_RELAXED);
	/* brokers, and other threads, are late where the machine is busy */
	soak_sample_until(sample, before);
	return TEST_SUCCESS;
}

static int
slopes_print(void)
{
	const struct soak_line *line;
	double slope, error, growth;
	int ret = TEST_SUCCESS;
	unsigned int i;

	test_note("%-18s %10s %10s   slope per hour, with its standard error, of %u samples",
		"", "first", "last", soak.lines[0].nb);
	for (i = 0; i < SOAK_VALUES; i++) {
		line = &soak.lines[i];
		slope = soak_line_slope(line, &error);
		growth = line->y[line->nb - 1] - line->y[0];
		test_note("%-18s %10.1f %10.1f   %+.1f +- %.1f %s", values[i].name, line->y[0],
			line->y[line->nb - 1], slope, error, values[i].unit);
		if (values[i].may_grow < 0 || growth <= values[i].may_grow)
			continue;
		test_fail("%s: %.1f more", values[i].name, growth);
		ret = TEST_FAILED;
	}
	return ret;
}

static void
lives_print(void)
{
	const struct soak_lives *lives = &soak_share->lives;
	unsigned int killed = 0, i;

	for (i = 0; i < SOAK_STAGES; i++)
		killed += lives->nb_killed[i];
	test_note("%u peers went in order, with %" PRIu64 " messages; %u were killed",
		lives->nb_ordered, lives->msgs, killed);
}

static int
test_soak(void)
{
	const char *env = getenv("COMCH_TEST_SECONDS");
	const unsigned int seconds = env != NULL && atoi(env) > 0 ? (unsigned int)atoi(env) :
		DFLT_SECONDS;
	const unsigned int ms = RTE_MAX(seconds * 1000 / INTERVALS, MIN_INTERVAL_MS);
	const unsigned int nb = RTE_MAX(seconds * 1000 / ms, 2 * WARM_PART);
	struct soak_sample sample, before;
	unsigned int i;

	memset(&soak, 0, sizeof(soak));
	test_time_limit(3 * seconds + 300);
	TEST_CALL(soak_start(3 * seconds + 300));
	TEST_CALL(soak_calibrate(PEERS_PERCENT));
	soak_sample_get(&before);
	soak.start_ns = test_now_ns();
	for (i = 0; i < nb; i++) {
		TEST_CALL(soak_interval(ms, &sample, &before));
		sample_add(&sample);
		if (i + 1 == nb / WARM_PART) { /* what is made once has been made */
			memset(soak.lines, 0, sizeof(soak.lines));
			before = sample;
		}
	}
	lives_print();
	TEST_CALL(slopes_print());
	return soak_finish();
}

static struct unit_test_suite suite = {
	.suite_name = "shm, peers that come, go and are killed",
	.unit_test_cases = {
		TEST_CASE_NAMED(soak_setup, soak_teardown, "test_kills", soak_test_kills),
		TEST_CASE_ST(soak_setup, soak_teardown, test_soak),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(shm_soak_autotest, unit_test_suite_runner, &suite)
