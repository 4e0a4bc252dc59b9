/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Every order of producers that publish messages, and an engine that looks at their
 * consumer, has it become idle, or sleeps: the accesses of shm_idle.h run on the model of
 * test_order.h. The producers are threads of one process, which count the toggles of the
 * doorbell together. No message may stay where nobody looks. And every order of producers that
 * send and a consumer that closes: what was sent is found, and what comes back is written
 * by nobody. Then one thing after the other is broken on purpose, and has to be found.
 * Nothing of the driver is linked: the steps of the engine are played as
 * shm_group_poll(), shm_queue_idle() and shm_group_arm() take them.
 *
 * What is released and acquired here orders what the fences order, too: relaxed, it would
 * not be found. The words of messages and their data are in test_shm_entry_order.c.
 */

#include "test.h"
#include "test_order_check.h"

static bool idle_swap(void *p, uint32_t old, uint32_t val);
static void idle_fence(void);
static void idle_light_fence(bool whole);

static int idle_order(const void *p, int order);

#define SHM_IDLE_LOAD(ptr, order) order_load(ptr, idle_order(ptr, order))
#define SHM_IDLE_STORE(ptr, val, order) order_store(ptr, val, idle_order(ptr, order))
#define SHM_IDLE_SWAP(ptr, old, val, order) idle_swap(ptr, *(old), val)
#define SHM_IDLE_XOR(ptr, val, order) order_xor(ptr, val, order)
#define SHM_IDLE_FENCE() idle_fence()
#define SHM_IDLE_LIGHT_FENCE(whole) idle_light_fence(whole)

#include "shm_idle.h"

#define MAX_PRODUCERS 2
#define MAX_MSGS 4
#define DOORBELL UINT64_C(4)
#define ENGINE_EVENT 0
#define CONSUMER 7
#define SENT UINT64_C(0x5555)

/* What is broken on purpose. */
enum mutant {
	GOOD,
	TOGGLES_NOT_SHARED,
	NO_FENCE,
	FENCE_OF_ONE,
	NO_LOOK,
	NO_LOOK_AT_DOORBELLS,
	IDLE_AT_ONCE,
	NO_LIGHT_FENCE,
	NO_FENCE_B,
	BUSY_LATE,
	BUSY_RELAXED,
	NO_BUSY_FENCE,
	NO_LOOK_AT_BUSY,
};

struct idle_case {
	const char *name;
	uint32_t nb_producers;
	uint32_t nb_msgs;       /* of each */
	bool idles;             /* the consumer does, before its engine sleeps */
	bool whole;             /* there is no membarrier() */
	bool closes;            /* the consumer does, and that is all */
};

/* All that the programs share. */
struct arena {
	uint64_t words[MAX_MSGS];
	uint64_t doorbells;
	uint32_t idle;
	uint32_t toggles;         /* of the producers */
	uint32_t armed;
	uint32_t open;
	uint32_t busy[MAX_PRODUCERS];
	uint64_t bufs[MAX_PRODUCERS]; /* what is posted */
};

/* What a producer keeps between its steps. */
struct producer {
	uint32_t id;
	uint32_t nb;
	uint32_t woken;
	uint32_t sent;          /* bit of each that it could send */
};

/* What the engine and its consumer keep. */
struct engine {
	uint64_t shadow;        /* of the doorbells */
	uint32_t pos;
	uint32_t seen;          /* toggles */
	uint32_t sleeps;
	bool idle_said;           /* it said so */
	bool is_idle;           /* nobody looks at it */
	uint32_t got;           /* bit of each message that was found */
};

static const struct idle_case one_sleeps = { "one producer, sleep", 1, 3, false, false };
static const struct idle_case two_sleep = { "two producers, sleep", 2, 1, false, false };
static const struct idle_case one_idles = { "one producer, idle", 1, 3, true, false };
static const struct idle_case two_idle = { "two producers, idle", 2, 1, true, false };
static const struct idle_case one_whole = { "one producer, no membarrier", 1, 3, true, true };
static const struct idle_case two_whole = { "two producers, no membarrier", 2, 1, true, true };

static const struct idle_case one_closed = { "one producer, close", 1, 2, .closes = true };
static const struct idle_case two_closed = { "two producers, close", 2, 1, .closes = true };
static const struct idle_case close_whole = {
	"two producers, close, no membarrier", 2, 1, .whole = true, .closes = true,
};

static struct arena arena;
static const struct idle_case *rc;
static enum mutant mutant;

static bool
idle_swap(void *p, uint32_t old, uint32_t val)
{
	if (mutant != TOGGLES_NOT_SHARED)
		return order_swap(p, old, val);
	order_store(p, val, __ATOMIC_RELAXED);
	return true;
}

static void
idle_fence(void)
{
	if (mutant != NO_FENCE_B)
		order_fence();
}

static void
idle_light_fence(bool full)
{
	if (full && mutant != NO_LIGHT_FENCE)
		order_fence();
}

static int
idle_order(const void *p, int order)
{
	return mutant == BUSY_RELAXED && (p == &arena.busy[0] || p == &arena.busy[1]) ?
		__ATOMIC_RELAXED : order;
}

/* shm_barrier_all() */
static void
barrier_all(void)
{
	if (mutant == NO_FENCE)
		return;
	if (rc->whole || mutant == FENCE_OF_ONE)
		order_fence();
	else
		order_fence_all();
}

static bool
producer_step(void *local)
{
	struct producer *p = local;
	uint32_t armed;

	if (p->nb == rc->nb_msgs)
		return false;
	/* positions are claimed in turns */
	order_store(&arena.words[p->nb * rc->nb_producers + p->id], 1,
		__ATOMIC_RELEASE);
	p->nb++;
	/* rc_wake() and shm_remote_consumer_ring() */
	if (shm_idle_get(&arena.idle, rc->whole) == 0 ||
			!shm_idle_toggle(&arena.idle, &arena.toggles, &arena.doorbells, DOORBELL))
		return true;
	armed = shm_idle_armed_get(&arena.armed);
	if (armed != 0 && armed != p->woken) {
		p->woken = armed;
		order_wake(ENGINE_EVENT);
	}
	return true;
}

static bool
has_message(const struct engine *e)
{
	return order_load(&arena.words[e->pos], __ATOMIC_ACQUIRE) != 0;
}

/* shm_qdoorbells_scan() */
static void
engine_scan(struct engine *e)
{
	const uint64_t diff = (shm_idle_doorbells(&arena.doorbells) ^ e->shadow) & DOORBELL;

	if (diff == 0)
		return;
	e->shadow ^= diff;
	e->seen++;
	e->idle_said = e->is_idle = false;
	shm_idle_clear(&arena.idle);
}

static void
engine_say_idle(struct engine *e)
{
	e->idle_said = true;
	shm_idle_set(&arena.idle, e->seen);
}

/* shm_group_arm(), the sleep, and shm_group_disarm() */
static void
engine_sleep(struct engine *e)
{
	bool message, doorbell;

	order_store(&arena.armed, ++e->sleeps, __ATOMIC_RELAXED);
	order_fence(); /* B */
	if (!e->idle_said)
		engine_say_idle(e);
	barrier_all();
	message = mutant != NO_LOOK && has_message(e);
	doorbell = mutant != NO_LOOK_AT_DOORBELLS &&
		((order_load(&arena.doorbells, __ATOMIC_RELAXED) ^ e->shadow) & DOORBELL) != 0;
	if (!message && !doorbell)
		order_sleep(ENGINE_EVENT);
	order_store(&arena.armed, 0, __ATOMIC_RELAXED);
	/* it turns until the doorbell that belongs to the message is toggled */
	if (message && e->is_idle)
		order_wait(&arena.doorbells, e->shadow);
}

/* One turn. */
static bool
engine_step(void *local)
{
	struct engine *e = local;

	if (e->pos == rc->nb_producers * rc->nb_msgs)
		return false;
	engine_scan(e);
	if (!e->is_idle && has_message(e)) {
		e->pos++;
		return true;
	}
	if (e->is_idle || !rc->idles) {
		engine_sleep(e);
	} else if (!e->idle_said) {
		/* shm_queue_idle(), then shm_idle_fence() */
		engine_say_idle(e);
		barrier_all();
		e->is_idle = mutant == IDLE_AT_ONCE;
	} else {
		e->is_idle = true; /* it has looked behind the fence */
	}
	return true;
}

/* rc_enter_fast() or rc_enter_fenced(), the copy and the word, rc_leave() */
static bool
sender_step(void *local)
{
	struct producer *p = local;
	bool open = false;

	if (p->nb == rc->nb_msgs)
		return false;
	if (mutant == BUSY_LATE)
		open = shm_open_is(&arena.open, CONSUMER);
	shm_busy_set(&arena.busy[p->id], CONSUMER);
	if (rc->whole && mutant != NO_BUSY_FENCE)
		shm_busy_fence();
	if (mutant != BUSY_LATE)
		open = shm_open_is(&arena.open, CONSUMER);
	if (open) {
		order_store(&arena.bufs[p->id * rc->nb_msgs + p->nb], SENT, __ATOMIC_RELAXED);
		order_store(&arena.words[p->id * rc->nb_msgs + p->nb], 1, __ATOMIC_RELEASE);
		p->sent |= 1u << p->nb;
	}
	p->nb++;
	shm_busy_clear(&arena.busy[p->id]);
	return true;
}

/* consumer_stop(), shm_consumers_close(), and what is polled then */
static bool
closer_step(void *local)
{
	struct engine *e = local;
	uint32_t i = e->pos - 1;

	if (e->pos++ == 0) {
		shm_open_clear(&arena.open, CONSUMER);
		barrier_all();
		return true;
	}
	if (i < rc->nb_producers) {
		if (mutant != NO_LOOK_AT_BUSY &&
				shm_busy_get(&arena.busy[i]) == CONSUMER) {
			order_wait(&arena.busy[i], CONSUMER);
			e->pos--; /* once more */
		}
		return true;
	}
	i -= rc->nb_producers;
	if (i == rc->nb_producers * rc->nb_msgs)
		return false;
	if (order_load(&arena.words[i], __ATOMIC_ACQUIRE) != 0) {
		order_read(&arena.bufs[i], SENT);
		e->got |= 1u << i;
	}
	return true;
}

static void
closed_end(const void *const *locals)
{
	const struct engine *e = locals[rc->nb_producers];
	uint32_t i, sent = 0;

	for (i = 0; i < rc->nb_producers; i++)
		sent |= ((const struct producer *)locals[i])->sent << i * rc->nb_msgs;
	if (sent != e->got)
		order_fail("a buffer was given back, and a message is written to it");
}

static void
places(void)
{
	static const char *const words[] = { "word 0", "word 1", "word 2", "word 3" };
	uint32_t i;

	for (i = 0; i < rc->nb_producers * rc->nb_msgs; i++)
		order_place(&arena.words[i], 0, words[i]);
	order_place(&arena.doorbells, 0, "doorbells");
	order_place(&arena.idle, 0, "idle");
	order_place(&arena.toggles, 0, "toggles");
	order_place(&arena.armed, 0, "armed");
	if (!rc->closes)
		return;
	order_place(&arena.open, CONSUMER, "open");
	for (i = 0; i < MAX_PRODUCERS; i++) {
		order_place(&arena.busy[i], 0, i == 0 ? "busy 0" : "busy 1");
		order_place(&arena.bufs[i], 0, i == 0 ? "buffer 0" : "buffer 1");
	}
}

static void
idle_run(const void *arg, enum order_mode mode, uint32_t broken, struct order_result *res)
{
	const struct idle_case *what = arg;
	union {
		struct producer producer;
		struct engine engine;
	} locals[MAX_PRODUCERS + 1];
	struct order_case oc = { .mode = mode, .local_size = sizeof(locals[0]),
		.max_states = broken == GOOD ? 4 << 20 : 1 << 20 };
	uint32_t i;

	rc = what;
	mutant = broken;
	memset(locals, 0, sizeof(locals));
	for (i = 0; i <= rc->nb_producers; i++) {
		oc.locals[i] = &locals[i];
		oc.steps[i] = rc->closes ? sender_step : producer_step;
		if (i < rc->nb_producers)
			locals[i].producer.id = i;
		else
			oc.steps[i] = rc->closes ? closer_step : engine_step;
	}
	oc.nb_progs = i;
	oc.end = rc->closes ? closed_end : NULL;
	places();
	order_run(&oc, res, broken == GOOD);
}

static int
expect_right(const struct idle_case *what)
{
	return order_expect_right(idle_run, what, what->name);
}

/* It says that it is idle, and its engine sleeps at once. */
static int
test_sleep(void)
{
	TEST_CALL(expect_right(&one_sleeps));
	return expect_right(&two_sleep);
}

/* It is idle, and then its engine sleeps. */
static int
test_idle(void)
{
	TEST_CALL(expect_right(&one_idles));
	return expect_right(&two_idle);
}

static int
test_no_membarrier(void)
{
	TEST_CALL(expect_right(&one_whole));
	return expect_right(&two_whole);
}

/* It closes, and its posts come back. */
static int
test_close(void)
{
	TEST_CALL(expect_right(&one_closed));
	TEST_CALL(expect_right(&two_closed));
	return expect_right(&close_whole);
}

static int
test_broken_is_found(void)
{
	static const struct order_mutant mutants[] = {
		{ NO_FENCE, "the engine has no fence", false,
			{ &one_sleeps, &one_idles, &one_whole } },
		{ FENCE_OF_ONE, "the engine's fence is its own alone", false,
			{ &one_sleeps, &one_idles } },
		{ NO_LOOK, "no look at messages behind the fence", false, { &one_sleeps } },
		{ NO_LOOK_AT_DOORBELLS, "no look at doorbells behind the fence", false,
			{ &one_idles } },
		{ IDLE_AT_ONCE, "idle without a look behind the fence", false, { &one_idles } },
		{ TOGGLES_NOT_SHARED, "toggles are not counted together", false,
			{ &two_idle, &two_whole } },
		{ NO_LIGHT_FENCE, "no fence of the producer, no membarrier", false,
			{ &one_whole } },
		{ NO_FENCE_B, "no fence behind the toggle, no membarrier", true, { &one_whole } },
		{ NO_FENCE, "a consumer that closes has no fence", false,
			{ &one_closed, &two_closed, &close_whole } },
		{ FENCE_OF_ONE, "its fence is its own alone", false, { &one_closed, &two_closed } },
		{ BUSY_LATE, "a producer looks before it says so", false,
			{ &one_closed, &two_closed, &close_whole } },
		{ BUSY_RELAXED, "a producer leaves before it has copied", true,
			{ &one_closed, &two_closed, &close_whole } },
		{ NO_BUSY_FENCE, "no fence of a producer, no membarrier", false, { &close_whole } },
		{ NO_LOOK_AT_BUSY, "a consumer that closes waits for nobody", false,
			{ &one_closed, &two_closed, &close_whole } },
	};

	return order_expect_found(idle_run, mutants, RTE_DIM(mutants));
}

static struct unit_test_suite suite = {
	.suite_name = "order of accesses by which consumers become idle and engines sleep",
	.unit_test_cases = {
		TEST_CASE(test_sleep),
		TEST_CASE(test_idle),
		TEST_CASE(test_no_membarrier),
		TEST_CASE(test_close),
		TEST_CASE(test_broken_is_found),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(shm_idle_order_autotest, unit_test_suite_runner, &suite);
