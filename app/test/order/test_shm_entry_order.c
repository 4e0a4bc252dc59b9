/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Every order of a producer, a consumer and a sleeper on entries of small messages: the
 * inline functions of shm_entry.h run on the model of test_order.h. Each message must be
 * received once, in order and whole, no entry be written over before it was given back, and
 * nobody sleep for ever. Then one thing after the other is broken on purpose, and has to
 * be found. Nothing of the driver is linked.
 *
 * devtools/check-barriers.sh changes shm_entry.h itself, and wants this to fail each time.
 * It compiles the file alone, with TEST_SHM_ENTRY_ORDER_MAIN.
 */

#include "test.h"
#include "test_order_check.h"

static uint64_t entry_load(const void *p, int order);
static void entry_store(void *p, uint64_t val, int order);
static void entry_light_fence(bool whole);

#define SHM_ENTRY_LOAD(ptr, order) entry_load(ptr, order)
#define SHM_ENTRY_STORE(ptr, val, order) entry_store(ptr, val, order)
#define SHM_ENTRY_COPY(dst, src, len) order_copy(dst, src, len)
#define SHM_ENTRY_LIGHT_FENCE(whole) entry_light_fence(whole)

#include "shm_entry.h"

#define MAX_ENTRIES 2
#define MAX_PRODUCERS 2
/* Positions wrap behind the first message. */
#define FIRST_POS UINT32_MAX
/* Event that wakes the consumer; the next ones wake producers. */
#define EVENT_CONSUMER 0
#define EVENT_PRODUCER 1
#define CONSUMER MAX_PRODUCERS

/* What is broken on purpose. */
enum mutant {
	GOOD,
	WORD_SET_RELAXED,
	WORD_GET_RELAXED,
	TAIL_SET_RELAXED,
	TAIL_GET_RELAXED,
	TAIL_BEFORE_READ,
	ARMED_GET_FIRST,
	NO_FENCE,
	FENCE_OF_ONE,
	NO_LOOK,
	ARMED_AFTER_LOOK,
	ARMED_THE_SAME,
	LIGHT_FENCE_NOT_WHOLE,
	WAKE_WORD_LATE,
	ARMED_KEPT,
};

/* What is run: who sleeps, and how many there are of everything. */
struct entry_case {
	const char *name;
	uint32_t nb_entries;
	uint32_t nb_producers;
	uint32_t nb_msgs;       /* of each producer */
	uint32_t len;           /* of a message: what has 16 bytes can be torn */
	uint32_t batch;         /* entries that are given back at one time */
	bool consumer_sleeps, producer_sleeps;
	bool whole;             /* there is no membarrier() */
	/* the consumer is an execution unit, and parks after each message */
	bool parks;
};

/* All that the programs share. */
struct arena {
	struct shm_entry entries[MAX_ENTRIES];
	uint32_t head;          /* of all producers */
	uint32_t tail;
	uint32_t armed[MAX_PRODUCERS + 1];
	uint32_t wake;          /* futex of an execution unit */
};

/* What a program keeps between its steps. */
struct side {
	uint32_t id;
	uint32_t pos;           /* next one of the consumer, or of one producer alone */
	uint32_t tail;          /* as it was seen last, or given back last */
	uint32_t nb;            /* messages that are through */
	uint32_t sleeps;
	uint32_t armed;         /* its own word, of an execution unit */
	uint32_t woken[MAX_PRODUCERS + 1]; /* armed words that it has answered */
	uint32_t from[MAX_PRODUCERS];      /* messages of each producer */
};

static const struct entry_case polls = { "one entry", 1, 1, 3, 16, 1, false, false, false };
static const struct entry_case consumer_sleeps = { "one entry", 1, 1, 3, 16, 1, true, false,
	false };
static const struct entry_case producer_sleeps = { "one entry", 1, 1, 3, 16, 1, false, true,
	false };
static const struct entry_case both_whole = { "one entry", 1, 1, 3, 8, 1, true, true, true };

static const struct entry_case unit_parks = { .name = "one entry", .nb_entries = 1,
	.nb_producers = 1, .nb_msgs = 3, .len = 8, .batch = 1, .parks = true };

static struct arena arena;
static const struct entry_case *sc;
static enum mutant mutant;

static bool
is_word(const void *p)
{
	return p == &arena.entries[0].word || p == &arena.entries[1].word;
}

static uint64_t
entry_load(const void *p, int order)
{
	if ((mutant == WORD_GET_RELAXED && is_word(p)) ||
			(mutant == TAIL_GET_RELAXED && p == &arena.tail))
		order = __ATOMIC_RELAXED;
	return order_load(p, order);
}

static void
entry_store(void *p, uint64_t val, int order)
{
	if ((mutant == WORD_SET_RELAXED && is_word(p)) ||
			(mutant == TAIL_SET_RELAXED && p == &arena.tail))
		order = __ATOMIC_RELAXED;
	order_store(p, val, order);
}

static void
entry_light_fence(bool whole)
{
	if (whole && mutant != LIGHT_FENCE_NOT_WHOLE)
		order_fence();
}

static void
heavy_fence(void)
{
	if (mutant == NO_FENCE)
		return;
	if (sc->whole || mutant == FENCE_OF_ONE)
		order_fence();
	else
		order_fence_all();
}

/*
 * Programs
 */

static struct shm_entry *
entry_at(uint32_t pos)
{
	return &arena.entries[pos % sc->nb_entries];
}

/* A half of the nth message of a producer. */
static uint64_t
content(uint32_t producer, uint32_t nth, uint32_t half)
{
	return 0x100 * (nth + 1) + 0x10 * (producer + 1) + half;
}

/* Wake whoever sleeps, once for each of its sleeps. */
static void
wake(struct side *s, uint32_t whom, uint32_t event, uint32_t armed)
{
	if (armed == 0 || armed == s->woken[whom])
		return;
	s->woken[whom] = armed;
	if (whom == CONSUMER && sc->parks)
		order_add(&arena.wake, 1, __ATOMIC_RELEASE); /* shm_dpa_wake() */
	else
		order_wake(event);
}

/* Sleep unless what it waits for is there. */
static void
sleep_unless(struct side *s, bool (*there)(struct side *s), uint32_t event)
{
	uint32_t *armed = &arena.armed[s->id];
	bool found;

	s->sleeps++;
	if (mutant == ARMED_AFTER_LOOK && there(s))
		return;
	shm_entry_armed_set(armed, mutant == ARMED_THE_SAME ? 1 : s->sleeps);
	heavy_fence();
	found = mutant != NO_LOOK && mutant != ARMED_AFTER_LOOK && there(s);
	if (!found)
		order_sleep(event);
	shm_entry_armed_set(armed, 0);
}

/* Any order of a look at the tail and one at what others have claimed is harmless. */
static bool
has_credit(struct side *s)
{
	uint32_t pos = sc->nb_producers > 1 ? order_load(&arena.head, __ATOMIC_RELAXED) : s->pos;

	/* a tail of before is good enough */
	if (sc->nb_producers > 1 || pos - s->tail >= sc->nb_entries)
		s->tail = shm_entry_tail_get(&arena.tail);
	s->pos = pos;
	/* less than 0: the head is older than the tail, and cannot be claimed */
	return (int32_t)(pos - s->tail) < (int32_t)sc->nb_entries;
}

static bool
claim(struct side *s)
{
	return sc->nb_producers == 1 || order_swap(&arena.head, s->pos, s->pos + 1);
}

static bool
producer_step(void *local)
{
	struct side *s = local;
	const uint64_t msg[2] = { content(s->id, s->nb, 0), content(s->id, s->nb, 1) };
	uint32_t armed = 0;

	if (s->nb == sc->nb_msgs)
		return false;
	if (!has_credit(s)) {
		if (sc->producer_sleeps)
			sleep_unless(s, has_credit, EVENT_PRODUCER + s->id);
		else
			order_wait(&arena.tail, s->tail);
		return true;
	}
	if (!claim(s))
		return true;
	if (mutant == ARMED_GET_FIRST)
		armed = shm_entry_armed_get(&arena.armed[CONSUMER], sc->whole);
	shm_entry_put(entry_at(s->pos), shm_entry_word(s->pos, s->id, sc->len), msg, sc->len);
	if (sc->consumer_sleeps || sc->parks) {
		if (mutant != ARMED_GET_FIRST)
			armed = shm_entry_armed_get(&arena.armed[CONSUMER], sc->whole);
		wake(s, CONSUMER, EVENT_CONSUMER, armed);
	}
	s->pos++;
	s->nb++;
	return true;
}

static void
give_back(struct side *s)
{
	uint32_t i;

	s->tail = s->pos;
	shm_entry_tail_set(&arena.tail, s->pos);
	for (i = 0; sc->producer_sleeps && i < sc->nb_producers; i++)
		wake(s, i, EVENT_PRODUCER + i, shm_entry_armed_get(&arena.armed[i], sc->whole));
}

/* Look at a message, and give entries back. */
static void
consumer_take(struct side *s, uint64_t word)
{
	struct shm_entry *entry = entry_at(s->pos);
	uint32_t producer = shm_entry_producer(word);

	if (shm_entry_len(word) != sc->len || producer >= sc->nb_producers ||
			s->from[producer] == sc->nb_msgs) {
		order_fail("a message that nobody sent");
		return;
	}
	s->pos++;
	if (mutant == TAIL_BEFORE_READ && s->pos - s->tail >= sc->batch)
		give_back(s);
	order_read(&entry->imm[0], content(producer, s->from[producer], 0));
	if (sc->len > 8)
		order_read(&entry->imm[8], content(producer, s->from[producer], 1));
	s->from[producer]++;
	s->nb++;
	if (s->pos - s->tail >= sc->batch)
		give_back(s);
}

static bool
has_message(struct side *s)
{
	return shm_entry_is(shm_entry_get(entry_at(s->pos)), s->pos);
}

static void
unit_arm(struct side *s, uint32_t value)
{
	s->armed = value;
	shm_entry_armed_set(&arena.armed[CONSUMER], value);
}

/*
 * Is its program to run? What has fired is not armed any more, the rest has another value
 * in each turn: shm_dpa_eu_pending().
 */
static bool
unit_due(struct side *s)
{
	const bool due = has_message(s);

	if (due)
		unit_arm(s, 0);
	else if (mutant != ARMED_KEPT)
		unit_arm(s, ++s->sleeps);
	return due;
}

/* The loop of the runtime of programs, and a program that takes one message each time. */
static bool
unit_step(void *local)
{
	struct side *s = local;
	uint32_t wake;
	uint64_t word;

	if (s->nb == sc->nb_producers * sc->nb_msgs)
		return false;
	if (s->armed == 0) {
		word = shm_entry_get(entry_at(s->pos));
		if (shm_entry_is(word, s->pos))
			consumer_take(s, word);
		unit_arm(s, ++s->sleeps);
		return true;
	}
	wake = order_load(&arena.wake, __ATOMIC_ACQUIRE);
	if (unit_due(s))
		return true;
	heavy_fence();
	if (mutant != NO_LOOK && unit_due(s))
		return true;
	if (mutant == WAKE_WORD_LATE)
		wake = order_load(&arena.wake, __ATOMIC_ACQUIRE);
	order_wait(&arena.wake, wake);
	return true;
}

static bool
consumer_step(void *local)
{
	struct side *s = local;
	uint64_t word;

	if (s->nb == sc->nb_producers * sc->nb_msgs)
		return false;
	word = shm_entry_get(entry_at(s->pos));
	if (shm_entry_is(word, s->pos)) {
		consumer_take(s, word);
		return true;
	}
	if (s->tail != s->pos)
		give_back(s);
	else if (sc->consumer_sleeps)
		sleep_unless(s, has_message, EVENT_CONSUMER);
	else
		order_wait(&entry_at(s->pos)->word, word);
	return true;
}

/*
 * Runs
 */

static void
places(void)
{
	static const char *const words[] = { "entry 0 word", "entry 1 word" };
	static const char *const imms[][2] = {
		{ "entry 0 begin", "entry 0 end" }, { "entry 1 begin", "entry 1 end" },
	};
	static const char *const armed[] = { "armed of 0", "armed of 1", "armed of consumer" };
	uint32_t i;

	for (i = 0; i < sc->nb_entries; i++) {
		order_place(&arena.entries[i].word, 0, words[i]);
		order_place(&arena.entries[i].imm[0], 0, imms[i][0]);
		order_place(&arena.entries[i].imm[8], 0, imms[i][1]);
	}
	order_place(&arena.head, FIRST_POS, "head");
	order_place(&arena.tail, FIRST_POS, "tail");
	for (i = 0; i < RTE_DIM(arena.armed); i++)
		order_place(&arena.armed[i], 0, armed[i]);
	order_place(&arena.wake, 0, "wake word");
}

static void
entry_run(const void *arg, enum order_mode mode, uint32_t broken, struct order_result *res)
{
	const struct entry_case *what = arg;
	struct order_case oc = { .mode = mode, .local_size = sizeof(struct side),
		.max_states = broken == GOOD ? 8 << 20 : 64 << 10 };
	struct side sides[MAX_PRODUCERS + 1];
	uint32_t i;

	sc = what;
	mutant = broken;
	for (i = 0; i <= sc->nb_producers; i++) {
		sides[i] = (struct side){ .id = i < sc->nb_producers ? i : CONSUMER,
			.pos = FIRST_POS, .tail = FIRST_POS };
		oc.locals[i] = &sides[i];
		oc.steps[i] = i < sc->nb_producers ? producer_step :
			sc->parks ? unit_step : consumer_step;
	}
	oc.nb_progs = i;
	places();
	order_run(&oc, res, broken == GOOD);
}

static int
expect_right(const struct entry_case *what)
{
	return order_expect_right(entry_run, what, what->name);
}

static int
test_nobody_sleeps(void)
{
	static const struct entry_case cases[] = {
		{ "two entries", 2, 1, 3, 16, 1, false, false, false },
		{ "two entries given back at once", 2, 1, 3, 16, 2, false, false, false },
	};
	uint32_t i;

	TEST_CALL(expect_right(&polls));
	for (i = 0; i < RTE_DIM(cases); i++)
		TEST_CALL(expect_right(&cases[i]));
	return TEST_SUCCESS;
}

static int
test_consumer_sleeps(void)
{
	static const struct entry_case two = { "two entries", 2, 1, 3, 8, 1, true, false, false };

	TEST_CALL(expect_right(&consumer_sleeps));
	return expect_right(&two);
}

static int
test_producer_sleeps(void)
{
	static const struct entry_case two = { "two entries", 2, 1, 3, 16, 2, false, true, false };

	TEST_CALL(expect_right(&producer_sleeps));
	return expect_right(&two);
}

static int
test_both_sleep(void)
{
	static const struct entry_case one = { "one entry", 1, 1, 3, 8, 1, true, true, false };
	static const struct entry_case two = { "two entries", 2, 1, 3, 8, 2, true, true, false };

	TEST_CALL(expect_right(&one));
	return expect_right(&two);
}

static int
test_no_membarrier(void)
{
	return expect_right(&both_whole);
}

static int
test_two_producers(void)
{
	static const struct entry_case cases[] = {
		{ "one entry", 1, 2, 1, 16, 1, false, false, false },
		{ "two entries", 2, 2, 1, 16, 1, false, false, false },
		{ "consumer sleeps", 1, 2, 1, 16, 1, true, false, false },
		{ "producers sleep", 1, 2, 1, 8, 1, false, true, false },
	};
	uint32_t i;

	for (i = 0; i < RTE_DIM(cases); i++)
		TEST_CALL(expect_right(&cases[i]));
	return TEST_SUCCESS;
}

/* A program on the offload processor, which asks for a notification after each message. */
static int
test_unit_parks(void)
{
	static const struct entry_case two = { .name = "two entries", .nb_entries = 2,
		.nb_producers = 1, .nb_msgs = 2, .len = 8, .batch = 1, .parks = true };
	static const struct entry_case both = { .name = "producer sleeps", .nb_entries = 1,
		.nb_producers = 1, .nb_msgs = 2, .len = 8, .batch = 1, .producer_sleeps = true,
		.parks = true };
	static const struct entry_case whole = { .name = "no membarrier", .nb_entries = 1,
		.nb_producers = 1, .nb_msgs = 2, .len = 8, .batch = 1, .whole = true,
		.parks = true };

	TEST_CALL(expect_right(&unit_parks));
	TEST_CALL(expect_right(&two));
	TEST_CALL(expect_right(&both));
	return expect_right(&whole);
}

/* Those that take long: the first alone, but with COMCH_TEST_ROUNDS above 1. */
static int
test_long(void)
{
	static const struct entry_case cases[] = {
		{ "unit parks, no membarrier", 1, 1, 3, 8, 1, false, false, true, true },
		{ "two producers, all sleep", 1, 2, 1, 8, 1, true, true, false },
		{ "two entries of 16 bytes, consumer sleeps", 2, 1, 3, 16, 1, true, false, false },
		{ "one entry of 16 bytes, both sleep", 1, 1, 3, 16, 1, true, true, false },
		{ "two entries of 16 bytes, both sleep", 2, 1, 3, 16, 2, true, true, false },
		{ "unit parks, 16 bytes", 1, 1, 3, 16, 1, false, false, false, true },
		{ "unit parks, two producers", 1, 2, 1, 8, 1, false, false, false, true },
	};
	const char *env = getenv("COMCH_TEST_ROUNDS");
	uint32_t i, nb = env != NULL && atoi(env) > 1 ? RTE_DIM(cases) : 1;

	for (i = 0; i < nb; i++)
		TEST_CALL(expect_right(&cases[i]));
	return TEST_SUCCESS;
}

/* What is found only where the order is weak passes where stores stay in order. */
static int
test_broken_is_found(void)
{
	static const struct order_mutant mutants[] = {
		{ WORD_SET_RELAXED, "word set relaxed", true, { &polls } },
		{ WORD_GET_RELAXED, "word looked at relaxed", true, { &polls } },
		{ TAIL_SET_RELAXED, "tail set relaxed", true, { &polls } },
		{ TAIL_GET_RELAXED, "tail looked at relaxed", true, { &polls } },
		{ TAIL_BEFORE_READ, "given back, then read", false, { &polls } },
		{ ARMED_GET_FIRST, "armed looked at before the message is put", false,
			{ &consumer_sleeps, &unit_parks } },
		{ NO_FENCE, "the sleeper has no fence", false,
			{ &consumer_sleeps, &producer_sleeps, &unit_parks } },
		{ FENCE_OF_ONE, "the sleeper's fence is its own alone", false,
			{ &consumer_sleeps, &producer_sleeps, &unit_parks } },
		{ NO_LOOK, "no look behind the fence", false,
			{ &consumer_sleeps, &producer_sleeps, &unit_parks } },
		{ ARMED_AFTER_LOOK, "armed after the look", false,
			{ &consumer_sleeps, &producer_sleeps } },
		{ ARMED_THE_SAME, "each sleep has the same value", false,
			{ &consumer_sleeps, &producer_sleeps } },
		{ ARMED_KEPT, "a unit parks again with the same value", false, { &unit_parks } },
		{ WAKE_WORD_LATE, "the wake word looked at behind the look", false,
			{ &unit_parks } },
		{ LIGHT_FENCE_NOT_WHOLE, "no fence of the producer, no membarrier", false,
			{ &both_whole } },
		{ NO_FENCE, "no fence of the sleeper, no membarrier", false, { &both_whole } },
	};

	return order_expect_found(entry_run, mutants, RTE_DIM(mutants));
}

static struct unit_test_suite suite = {
	.suite_name = "order of accesses to entries of small messages",
	.unit_test_cases = {
		TEST_CASE(test_nobody_sleeps),
		TEST_CASE(test_consumer_sleeps),
		TEST_CASE(test_producer_sleeps),
		TEST_CASE(test_both_sleep),
		TEST_CASE(test_no_membarrier),
		TEST_CASE(test_two_producers),
		TEST_CASE(test_unit_parks),
		TEST_CASE(test_long),
		TEST_CASE(test_broken_is_found),
		TEST_CASES_END()
	}
};

#ifdef TEST_SHM_ENTRY_ORDER_MAIN

void
test_note(const char *format __rte_unused, ...)
{
}

void
test_time_limit(unsigned int seconds __rte_unused)
{
}

/* Those that take little time. The exit status is 1 if a case fails. */
int
main(void)
{
	if (test_nobody_sleeps() != TEST_SUCCESS || test_consumer_sleeps() != TEST_SUCCESS ||
			test_producer_sleeps() != TEST_SUCCESS ||
			test_no_membarrier() != TEST_SUCCESS)
		return 1;
	return 0;
}

#else

REGISTER_SLOW_TEST(shm_entry_order_autotest, unit_test_suite_runner, &suite);

#endif
