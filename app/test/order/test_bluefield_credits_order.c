/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Every order of threads that are told of posts, each by its own queue pair, and claim them:
 * bluefield_credits.c on the model of test_order.h. Nobody claims more than was posted, and a
 * thread that is told late does not take the peer for a liar.
 */

#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_cycles.h>

#include "test.h"
#include "test_order_check.h"

/* Other names than in the driver, which is linked as well. */
#define bf_credits_told order_credits_told
#define bf_credits_share order_credits_share
#define bf_credits_claim_shared order_credits_claim_shared
#define bf_credits_drop order_credits_drop
#define bf_credits_close order_credits_close

static uint64_t at_load(const void *p, size_t size, int order);
static bool at_swap(void *p, void *old, uint64_t val, size_t size, int order);

#define __atomic_load_n(p, order) ((__typeof__(*(p) + 0))at_load(p, sizeof(*(p)), order))
#define __atomic_compare_exchange_n(p, old, val, weak, order, order2) \
	at_swap(p, old, val, sizeof(*(p)), order)

#include "bluefield_credits.c" /* check-ok: its layer is tested */

#define SIZE 1u

struct credits_case {
	const char *name;
	uint32_t nb_progs;
	uint32_t nb_rounds;
	bool all_tell;          /* each is told of posts; else the first, and others look */
};

struct claimer {
	uint32_t id;
	uint32_t nb;
	bool sent;              /* the consumer has said so: */
	uint32_t tail;
};

/* What is broken on purpose. */
enum mutant { GOOD, CLAIM_RELAXED, HEAD_RELAXED };

static const struct credits_case one_told = { "one is told", 2, 3, false };
static const struct credits_case all_told = { "two are told", 2, 2, true };

static struct bf_credits cr;
static const struct credits_case *run;
static uint32_t mutant;

static uint64_t
at_load(const void *p, size_t size, int order)
{
	uint64_t val = 0;

	if (order_is_place(p))
		return order_load(p, mutant == HEAD_RELAXED ? __ATOMIC_RELAXED : order);
	memcpy(&val, p, size);
	return val;
}

/* A fence is more than a release; a load that it holds up has nothing to do with the claim. */
static bool
at_swap(void *p, void *old, uint64_t val, size_t size, int order)
{
	uint64_t seen = 0;

	if (order == __ATOMIC_RELEASE && mutant != CLAIM_RELAXED)
		order_fence();
	/* the model's is in memory at once: that of one writer is a store that may be late */
	if (p == &cr.tail && !run->all_tell) {
		order_store(p, val, order);
		return true;
	}
	memcpy(&seen, old, size);
	if (order_swap(p, seen, val))
		return true;
	seen = order_load(p, __ATOMIC_RELAXED);
	memcpy(old, &seen, size);
	return false;
}

/* A turn of one thread, and what its consumer has sent before it. */
static bool
claimer_step(void *local)
{
	struct claimer *c = local;
	uint32_t nb, taken;
	uint64_t head;

	if (c->nb == run->nb_rounds)
		return false;
	if (!c->sent && (run->all_tell || c->id == 0)) {
		c->tail = (uint32_t)bf_credits_head(&cr) + SIZE;
		c->sent = true;
		return true;
	}
	if (c->sent && bf_credits_told(&cr, c->tail) != 0)
		order_fail("a thread that is told late takes the peer for a liar");
	head = bf_credits_head(&cr);
	nb = bf_credits_at(&cr, head);
	/* what is more than that by an old head is not to be had */
	if (nb != 0 && bf_credits_claim(&cr, c->id, head, nb, &taken) && nb > SIZE)
		order_fail("a thread claims what nobody has posted");
	c->sent = false;
	c->nb++;
	return true;
}

static void
credits_run(const void *arg, enum order_mode mode, uint32_t broken, struct order_result *res)
{
	struct order_case oc = { .mode = mode, .local_size = sizeof(struct claimer),
		.max_states = 4 << 20 };
	struct claimer claimers[ORDER_MAX_PROGS];
	uint32_t i;

	run = arg;
	mutant = broken;
	memset(&cr, 0, sizeof(cr));
	cr.size = SIZE;
	memset(claimers, 0, sizeof(claimers));
	oc.nb_progs = run->nb_progs;
	for (i = 0; i < run->nb_progs; i++) {
		claimers[i].id = i;
		oc.locals[i] = &claimers[i];
		oc.steps[i] = claimer_step;
	}
	order_place(&cr.head, 0, "head");
	order_place(&cr.tail, 0, "tail");
	order_run(&oc, res, broken == GOOD);
}

static int
test_one_told(void)
{
	return order_expect_right(credits_run, &one_told, one_told.name);
}

static int
test_all_told(void)
{
	return order_expect_right(credits_run, &all_told, all_told.name);
}

static int
test_broken_is_found(void)
{
	static const struct order_mutant mutants[] = {
		{ CLAIM_RELAXED, "a claim orders nothing", true, { &one_told } },
		{ HEAD_RELAXED, "the tail may be older than the head", true, { &one_told } },
	};

	return order_expect_found(credits_run, mutants, RTE_DIM(mutants));
}

static struct unit_test_suite suite = {
	.suite_name = "order of accesses: credits of consumers behind BlueField functions",
	.unit_test_cases = {
		TEST_CASE(test_one_told),
		TEST_CASE(test_all_told),
		TEST_CASE(test_broken_is_found),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_credits_order_autotest, unit_test_suite_runner, &suite);
