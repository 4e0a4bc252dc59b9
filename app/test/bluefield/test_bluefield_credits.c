/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Credits of a consumer, as several producers of one process claim them: plain memory,
 * no device. What the peer tells is bounded, shares are kept, nothing is claimed twice,
 * and nothing at all after the end.
 */

#include <pthread.h>

#include <rte_cycles.h>

#include "bluefield_credits.h"
#include "test_bluefield_model.h"
#include "test_comch_util.h"

#define SIZE 64u
#define WORKERS 3
#define THREADS_MS 100

static struct bf_credits cr;

static int
setup(void)
{
	memset(&cr, 0, sizeof(cr));
	cr.size = SIZE;
	return test_log_begin();
}

/* As many as there are, up to nb. */
static uint32_t
claim(uint32_t producer, uint32_t nb)
{
	uint32_t taken, n;
	uint64_t head;

	do {
		head = bf_credits_head(&cr);
		if (bf_credits_closed(&cr))
			return 0;
		n = RTE_MIN(nb, bf_credits_at(&cr, head));
	} while (!bf_credits_claim(&cr, producer, head, n, &taken));
	return taken;
}

static int
test_told(void)
{
	TEST_EXPECT(bf_credits_now(&cr), 0);
	TEST_EXPECT(claim(1, 1), 0);
	TEST_EXPECT(bf_credits_told(&cr, 10), 0);
	TEST_EXPECT(bf_credits_now(&cr), 10);
	/* older news, of another queue pair */
	TEST_EXPECT(bf_credits_told(&cr, 7), 0);
	TEST_EXPECT(bf_credits_now(&cr), 10);
	TEST_EXPECT(claim(1, 4), 4);
	TEST_EXPECT(bf_credits_now(&cr), 6);
	TEST_EXPECT(bf_credits_told(&cr, 4 + SIZE), 0);
	TEST_EXPECT(bf_credits_told(&cr, 4 + SIZE + 1), -EPROTO);
	TEST_EXPECT(bf_credits_now(&cr), SIZE);
	TEST_EXPECT(claim(1, 2 * SIZE), SIZE);
	TEST_EXPECT(claim(1, 1), 0);
	return test_log_passed();
}

/* The counters wrap, and what changes in the upper half of head does not disturb. */
static int
test_wrap(void)
{
	uint32_t i, tail = UINT32_MAX - 100;

	cr.head = tail;
	cr.tail = tail;
	for (i = 0; i < 100; i++) {
		tail += 5;
		TEST_EXPECT(bf_credits_told(&cr, tail), 0);
		TEST_EXPECT(bf_credits_share(&cr, 1, 2), 2);
		TEST_EXPECT(claim(2, 5), 3);
		TEST_EXPECT(claim(1, 5), 2);
		TEST_EXPECT(bf_credits_now(&cr), 0);
	}
	TEST_EXPECT(cr.reserved, 0);
	return test_log_passed();
}

/* What one was told is its own, until it is late; then it is anybody's. */
static int
test_shares(void)
{
	uint64_t end = rte_get_tsc_cycles() + rte_get_tsc_hz();
	uint32_t taken = 0;

	TEST_EXPECT(bf_credits_told(&cr, 10), 0);
	TEST_EXPECT(bf_credits_share(&cr, 1, 2), 5);
	TEST_EXPECT(bf_credits_share(&cr, 1, 2), 5);
	taken = claim(2, 10);
	TEST_TRUE(taken == 5 || taken == 10); /* 10: this machine was slow */
	while (taken < 10 && rte_get_tsc_cycles() < end)
		taken += claim(2, 10);
	TEST_EXPECT(taken, 10);
	TEST_EXPECT(claim(1, 1), 0);
	/* who stops gives it back at once */
	TEST_EXPECT(bf_credits_told(&cr, 20), 0);
	TEST_EXPECT(bf_credits_share(&cr, 1, 1), 10);
	bf_credits_drop(&cr, 1);
	TEST_EXPECT(cr.reserved, 0);
	TEST_EXPECT(claim(2, 10), 10);
	return test_log_passed();
}

static int
test_closed(void)
{
	uint64_t head;
	uint32_t taken;

	TEST_EXPECT(bf_credits_told(&cr, 10), 0);
	TEST_EXPECT(claim(1, 3), 3);
	head = bf_credits_head(&cr);
	TEST_EXPECT(bf_credits_close(&cr), 3);
	/* one that had looked before */
	TEST_TRUE(!bf_credits_claim(&cr, 1, head, 1, &taken));
	TEST_EXPECT(claim(1, 1), 0);
	return test_log_passed();
}

/* Threads that claim while posts are told of and the end comes: the sum is what it said. */
struct worker {
	uint32_t id;
	uint32_t nb;
};

static void *
worker_main(void *arg)
{
	struct worker *w = arg;

	while (!bf_credits_closed(&cr)) {
		if (w->id == 1)
			bf_credits_share(&cr, w->id, WORKERS);
		w->nb += claim(w->id, 1 + w->nb % 7);
	}
	return NULL;
}

static int
test_threads(void)
{
	struct worker w[WORKERS] = { { .id = 0 } };
	pthread_t threads[WORKERS];
	uint64_t end = rte_get_tsc_cycles() + rte_get_tsc_hz() / MS_PER_S * THREADS_MS;
	uint64_t limit = test_now_ns() + TEST_MS * UINT64_C(1000000);
	uint32_t i, nb, sum = 0, all;

	for (nb = 0; nb < WORKERS; nb++) {
		w[nb].id = nb + 1;
		if (pthread_create(&threads[nb], NULL, worker_main, &w[nb]) != 0)
			break;
	}
	/* on a busy machine the others may not have run yet */
	for (i = 0; rte_get_tsc_cycles() < end ||
			(bf_credits_head(&cr) == 0 && test_now_ns() < limit); i++)
		bf_credits_told(&cr, (uint32_t)bf_credits_head(&cr) + i % SIZE);
	all = bf_credits_close(&cr);
	for (i = 0; i < nb; i++) {
		pthread_join(threads[i], NULL);
		sum += w[i].nb;
	}
	TEST_EXPECT(nb, WORKERS);
	TEST_EXPECT(sum, all);
	TEST_TRUE(sum != 0);
	TEST_TRUE(sum <= cr.tail && cr.tail - sum <= SIZE);
	return test_log_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "credits of consumers behind BlueField functions",
	.unit_test_cases = {
		TEST_CASE_ST(setup, test_log_end, test_told),
		TEST_CASE_ST(setup, test_log_end, test_wrap),
		TEST_CASE_ST(setup, test_log_end, test_shares),
		TEST_CASE_ST(setup, test_log_end, test_closed),
		TEST_CASE_ST(setup, test_log_end, test_threads),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_credits_autotest, unit_test_suite_runner, &suite);
