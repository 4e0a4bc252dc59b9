/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Does the model of test_order.h know what a processor may do? The small programs by which
 * memory models are told apart, with what x86-64 and aarch64 allow. Whether something is
 * "seen" means: in one order at least.
 */

#include "test.h"
#include "test_order.h"

#define RELAXED __ATOMIC_RELAXED
#define ACQUIRE __ATOMIC_ACQUIRE
#define RELEASE __ATOMIC_RELEASE

static struct {
	uint64_t x, y, z;
} arena;

struct local {
	uint64_t first, second;
};

/* How the programs of this run go about it. */
static int store_order, load_order;
static bool fence_0, fence_1, fence_all;
static uint64_t wake_at;

static bool
seen(enum order_mode mode, uint32_t nb, order_step *const *steps,
	void (*end)(const void *const *locals))
{
	static const struct local none;
	struct order_case oc = { .mode = mode, .nb_progs = nb, .local_size = sizeof(none),
		.max_states = 1 << 16, .end = end };
	struct order_result res;
	uint32_t i;

	for (i = 0; i < nb; i++) {
		oc.steps[i] = steps[i];
		oc.locals[i] = &none;
	}
	order_place(&arena.x, 0, "x");
	order_place(&arena.y, 0, "y");
	order_place(&arena.z, 0, "z");
	order_run(&oc, &res, false);
	return res.why != NULL;
}

/*
 * Both store, then look at what the other has stored.
 */

static bool
store_x_load_y(void *local)
{
	struct local *l = local;

	order_store(&arena.x, 1, store_order);
	if (fence_0)
		order_fence();
	l->first = order_load(&arena.y, load_order);
	return false;
}

static bool
store_y_load_x(void *local)
{
	struct local *l = local;

	order_store(&arena.y, 1, store_order);
	if (fence_all)
		order_fence_all();
	else if (fence_1)
		order_fence();
	l->first = order_load(&arena.x, load_order);
	return false;
}

static void
end_none_seen(const void *const *locals)
{
	const struct local *a = locals[0], *b = locals[1];

	if (a->first == 0 && b->first == 0)
		order_fail("no store was seen");
}

static bool
none_seen(enum order_mode mode)
{
	order_step *const steps[] = { store_x_load_y, store_y_load_x };

	return seen(mode, 2, steps, end_none_seen);
}

static int
test_store_then_load(void)
{
	enum order_mode mode;

	for (mode = ORDER_TSO; mode <= ORDER_WEAK; mode++) {
		store_order = RELEASE;
		load_order = ACQUIRE;
		fence_0 = fence_1 = fence_all = false;
		TEST_TRUE(none_seen(mode));
		fence_0 = true;
		TEST_TRUE(none_seen(mode));
		fence_1 = true;
		TEST_TRUE(!none_seen(mode));
		store_order = load_order = RELAXED;
		TEST_TRUE(!none_seen(mode));
		/* the fence that one has all pass does for both */
		fence_0 = fence_1 = false;
		fence_all = true;
		TEST_TRUE(!none_seen(mode));
	}
	return TEST_SUCCESS;
}

/*
 * One stores data, then that it is there; the other looks the other way round.
 */

static bool
store_x_store_y(void *local)
{
	RTE_SET_USED(local);
	order_store(&arena.x, 1, RELAXED);
	order_store(&arena.y, 1, store_order);
	return false;
}

/* The same by a change of memory itself, either. */
static bool
store_x_xor_y(void *local)
{
	RTE_SET_USED(local);
	order_store(&arena.x, 1, RELAXED);
	order_xor(&arena.y, 1, store_order);
	return false;
}

static bool
store_x_add_y(void *local)
{
	RTE_SET_USED(local);
	order_store(&arena.x, 1, RELAXED);
	order_add(&arena.y, 1, store_order);
	return false;
}

static bool
load_y_load_x(void *local)
{
	struct local *l = local;

	l->first = order_load(&arena.y, load_order);
	l->second = order_load(&arena.x, RELAXED);
	if (l->first == 1 && l->second == 0)
		order_fail("the data is not there");
	return false;
}

static bool
load_y_read_x(void *local)
{
	RTE_SET_USED(local);
	if (order_load(&arena.y, load_order) == 1)
		order_read(&arena.x, 1);
	return false;
}

static int
test_data_then_flag(void)
{
	order_step *const loads[] = { store_x_store_y, load_y_load_x };
	order_step *const reads[] = { store_x_store_y, load_y_read_x };
	order_step *const xors[] = { store_x_xor_y, load_y_load_x };
	order_step *const adds[] = { store_x_add_y, load_y_load_x };
	uint32_t i;

	for (i = 0; i < 4; i++) {
		store_order = i & 1 ? RELEASE : RELAXED;
		load_order = i & 2 ? ACQUIRE : RELAXED;
		TEST_TRUE(!seen(ORDER_TSO, 2, loads, NULL));
		TEST_TRUE(!seen(ORDER_TSO, 2, reads, NULL));
		TEST_TRUE(!seen(ORDER_TSO, 2, xors, NULL));
		TEST_TRUE(!seen(ORDER_TSO, 2, adds, NULL));
		TEST_EXPECT(seen(ORDER_WEAK, 2, loads, NULL), i != 3);
		TEST_EXPECT(seen(ORDER_WEAK, 2, reads, NULL), i != 3);
		TEST_EXPECT(seen(ORDER_WEAK, 2, xors, NULL), i != 3);
		TEST_EXPECT(seen(ORDER_WEAK, 2, adds, NULL), i != 3);
	}
	return TEST_SUCCESS;
}

/* The same, from one to the next. */
static bool
load_y_store_z(void *local)
{
	RTE_SET_USED(local);
	if (order_load(&arena.y, load_order) == 1)
		order_store(&arena.z, 1, store_order);
	return false;
}

static bool
load_z_load_x(void *local)
{
	RTE_SET_USED(local);
	if (order_load(&arena.z, load_order) == 1 && order_load(&arena.x, RELAXED) == 0)
		order_fail("the data is not there");
	return false;
}

static int
test_handed_on(void)
{
	order_step *const steps[] = { store_x_store_y, load_y_store_z, load_z_load_x };

	store_order = RELEASE;
	load_order = ACQUIRE;
	TEST_TRUE(!seen(ORDER_TSO, 3, steps, NULL));
	TEST_TRUE(!seen(ORDER_WEAK, 3, steps, NULL));
	load_order = RELAXED;
	TEST_TRUE(seen(ORDER_WEAK, 3, steps, NULL));
	return TEST_SUCCESS;
}

/*
 * One place never goes back, and one's own stores are seen at once.
 */

static bool
store_x_twice(void *local)
{
	RTE_SET_USED(local);
	order_store(&arena.x, 1, RELAXED);
	order_store(&arena.x, 2, RELAXED);
	if (order_load(&arena.x, RELAXED) != 2)
		order_fail("its own store is not there");
	return false;
}

static bool
load_x_twice(void *local)
{
	uint64_t val = order_load(&arena.x, RELAXED);

	RTE_SET_USED(local);
	if (order_load(&arena.x, RELAXED) < val)
		order_fail("a place goes back");
	return false;
}

static int
test_one_place(void)
{
	order_step *const steps[] = { store_x_twice, load_x_twice, load_x_twice };

	TEST_TRUE(!seen(ORDER_TSO, 3, steps, NULL));
	TEST_TRUE(!seen(ORDER_WEAK, 3, steps, NULL));
	return TEST_SUCCESS;
}

/*
 * One reads data, then gives its place back; the other writes there.
 */

static bool
read_x_store_y(void *local)
{
	RTE_SET_USED(local);
	order_read(&arena.x, 0);
	order_store(&arena.y, 1, store_order);
	return false;
}

static bool
load_y_store_x(void *local)
{
	RTE_SET_USED(local);
	if (order_load(&arena.y, load_order) == 1)
		order_store(&arena.x, 1, RELAXED);
	return false;
}

static int
test_given_back(void)
{
	order_step *const steps[] = { read_x_store_y, load_y_store_x };
	uint32_t i;

	for (i = 0; i < 4; i++) {
		store_order = i & 1 ? RELEASE : RELAXED;
		load_order = i & 2 ? ACQUIRE : RELAXED;
		TEST_TRUE(!seen(ORDER_TSO, 2, steps, NULL));
		TEST_EXPECT(seen(ORDER_WEAK, 2, steps, NULL), i != 3);
	}
	return TEST_SUCCESS;
}

/*
 * Counting by compare and swap, and sleeping.
 */

static bool
count_x(void *local)
{
	struct local *l = local;

	l->first = order_load(&arena.x, RELAXED);
	l->second += order_swap(&arena.x, l->first, l->first + 1);
	return l->second < 2;
}

static void
end_counted(const void *const *locals)
{
	const struct local *a = locals[0], *b = locals[1];

	/* the last swap of all made a 4 of a 3 */
	if (RTE_MAX(a->first, b->first) != 3)
		order_fail("one was not counted");
}

static bool
sleep_once(void *local)
{
	RTE_SET_USED(local);
	order_sleep(0);
	return false;
}

static bool
wake_if_x(void *local)
{
	RTE_SET_USED(local);
	if (order_load(&arena.x, RELAXED) == wake_at)
		order_wake(0);
	return false;
}

static int
test_swap_and_sleep(void)
{
	order_step *const counts[] = { count_x, count_x };
	order_step *const sleeps[] = { sleep_once, wake_if_x };

	TEST_TRUE(!seen(ORDER_TSO, 2, counts, end_counted));
	TEST_TRUE(!seen(ORDER_WEAK, 2, counts, end_counted));
	wake_at = 0;
	TEST_TRUE(!seen(ORDER_WEAK, 2, sleeps, NULL));
	wake_at = 1;
	TEST_TRUE(seen(ORDER_WEAK, 2, sleeps, NULL));
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "model of the order of accesses",
	.unit_test_cases = {
		TEST_CASE(test_store_then_load),
		TEST_CASE(test_data_then_flag),
		TEST_CASE(test_handed_on),
		TEST_CASE(test_one_place),
		TEST_CASE(test_given_back),
		TEST_CASE(test_swap_and_sleep),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(order_model_autotest, unit_test_suite_runner, &suite);
