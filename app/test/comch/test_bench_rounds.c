/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What dpdk-test-comch makes of the limits of its rounds: one that is far from the others
 * was disturbed, is measured again, and then left out, and the ratio with it if that is
 * so of most. Nothing is measured here.
 */

#include <errno.h>
#include <math.h>
#include <string.h>

#include "test.h"

#include "../../test-comch/hist.c"
#include "../../test-comch/rounds.c"

/* Rounds print above the prompt, which is not here. */
void
app_line(struct app *app __rte_unused)
{
}

static struct options opt;
static struct client client;
static struct result res;
static struct rounds rounds;

static void
begin(bool limit_is_rate, uint32_t nb)
{
	static struct test_ops ops;

	ops.limit_is_rate = limit_is_rate;
	opt = (struct options){ .rounds = nb };
	client = (struct client){ .opt = &opt, .place = { .cpu = 1, .peer_cpu = 0 } };
	res = (struct result){ .test = &ops };
	rounds_init(&rounds, &client, &res, &client.place, 1.0);
}

/* A round of a value that has this limit each time; how often it was measured. */
static uint32_t
one(double value, double limit)
{
	uint32_t nb = 1;

	while (rounds_limit(&rounds, 0, limit) && nb < 100)
		nb++;
	rounds_add(&rounds, 0, value, 1, 1.0);
	return nb;
}

static int
finish(int status)
{
	double value;

	return rounds_finish(&rounds, status, &value);
}

static int
test_even(void)
{
	uint32_t i;

	begin(true, 3);
	for (i = 0; i < 3; i++)
		TEST_EXPECT(one(50.0 + i, 100.0 + i), 1);
	TEST_EXPECT(finish(0), 0);
	TEST_EXPECT(res.limit == 101.0 && res.ratio == 51.0 / 101.0, true);
	TEST_EXPECT(res.limit_why[0], '\0');
	/* CPUs that are moved: five times as slow, and the round with it. */
	begin(false, 2);
	TEST_EXPECT(one(60.0, 50.0), 1);
	TEST_EXPECT(one(300.0, 250.0), 1);
	TEST_EXPECT(finish(0), 0);
	TEST_EXPECT(fabs(res.ratio - 1.2) < 1e-9, true);
	return TEST_SUCCESS;
}

/* One that is far is measured again, not for ever, and its round does not count. */
static int
test_one_far(void)
{
	begin(true, 3);
	TEST_EXPECT(one(36000e3, 71646e3), 1);
	TEST_EXPECT(one(36000e3, 352e3), 1 + LIMIT_AGAIN);
	TEST_EXPECT(one(36000e3, 71646e3), 1);
	TEST_EXPECT(finish(0), 0);
	TEST_EXPECT(res.limit == 71646e3 && res.ratio == 36000.0 / 71646.0, true);
	/* The better of two measurements of a round counts. */
	begin(false, 2);
	TEST_EXPECT(one(60.0, 50.0), 1);
	TEST_EXPECT(rounds_limit(&rounds, 0, 5e6), true);
	TEST_EXPECT(rounds_limit(&rounds, 0, 50.0), false);
	rounds_add(&rounds, 0, 60.0, 1, 1.0);
	TEST_EXPECT(finish(0), 0);
	TEST_EXPECT(res.limit == 50.0 && res.ratio == 1.2, true);
	return TEST_SUCCESS;
}

/* The first one may be the wrong one, also where there is no other round. */
static int
test_first_far(void)
{
	begin(true, 3);
	TEST_EXPECT(one(36000e3, 352e3), 1);
	TEST_EXPECT(one(36000e3, 71646e3), 1);
	TEST_EXPECT(one(36000e3, 71646e3), 1);
	TEST_EXPECT(finish(0), 0);
	TEST_EXPECT(res.ratio == 36000.0 / 71646.0, true);
	begin(true, 1);
	TEST_EXPECT(rounds_limit(&rounds, 0, 352e3), true);
	TEST_EXPECT(rounds_limit(&rounds, 0, 71646e3), false);
	rounds_add(&rounds, 0, 36000e3, 1, 1.0);
	TEST_EXPECT(finish(0), 0);
	TEST_EXPECT(res.limit == 71646e3, true);
	return TEST_SUCCESS;
}

static int
test_most_far(void)
{
	begin(true, 3);
	one(36000e3, 71646e3);
	one(36000e3, 352e3);
	one(36000e3, 400e3);
	TEST_EXPECT(finish(0), 0);
	TEST_EXPECT(res.ratio == 0 && res.limit == 0, true);
	TEST_EXPECT(strcmp(res.limit_why,
			"it was disturbed: 352.0 and 71646.0 k/s in the same run"), 0);
	/* Not measured at all in most of them: the reason stays. */
	begin(false, 3);
	one(60.0, 50.0);
	TEST_EXPECT(rounds_limit(&rounds, -EBUSY, 0), false);
	rounds_add(&rounds, 0, 60.0, 1, 1.0);
	TEST_EXPECT(rounds_limit(&rounds, -EBUSY, 0), false);
	rounds_add(&rounds, 0, 60.0, 1, 1.0);
	TEST_EXPECT(finish(0), 0);
	TEST_EXPECT(res.ratio == 0 && res.limit == 0, true);
	TEST_EXPECT(strcmp(res.limit_why, "others were busy on cpu 1 or 0"), 0);
	return TEST_SUCCESS;
}

/* A round that was stopped counts if something was done in it; one that failed does not. */
static int
test_stopped(void)
{
	begin(true, 3);
	rounds_limit(&rounds, 0, 100.0);
	TEST_EXPECT(rounds_add(&rounds, -ECANCELED, 50.0, 7, 0.1), -ECANCELED);
	TEST_EXPECT(finish(-ECANCELED), 0);
	TEST_EXPECT(res.stopped && res.rounds == 1 && res.nb == 7 && res.ratio == 0.5, true);
	begin(true, 3);
	TEST_EXPECT(rounds_add(&rounds, -ECANCELED, 50.0, 0, 0.1), -ECANCELED);
	TEST_EXPECT(finish(-ECANCELED), -ECANCELED);
	TEST_EXPECT(res.stopped, false);
	begin(true, 3);
	TEST_EXPECT(rounds_add(&rounds, -EBADMSG, 50.0, 7, 0.1), -EBADMSG);
	TEST_EXPECT(finish(-EBADMSG), -EBADMSG);
	TEST_EXPECT(res.rounds, 0);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "rounds of the benchmark",
	.unit_test_cases = {
		TEST_CASE(test_even),
		TEST_CASE(test_one_far),
		TEST_CASE(test_first_far),
		TEST_CASE(test_most_far),
		TEST_CASE(test_stopped),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bench_rounds_autotest, unit_test_suite_runner, &suite);
