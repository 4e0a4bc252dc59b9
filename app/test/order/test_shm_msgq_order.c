/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Every order of both ends of a message queue: the driver's bursts and the functions of the
 * device header run on the model of test_order.h. Three things are covered that
 * test_shm_entry_order.c has not: batches of several messages behind one word, which are read in
 * parts while the producer goes on; engines that sleep because there is no credit, and want
 * to be woken; and memory that is taken away from units and from producers, of which each
 * says that it is inside. Then one thing after the other is broken on purpose, and has to be
 * found. What is replaced of the driver is in test_msgq_order.h, what both ends are made of
 * in test_msgq_order_case.h.
 */

#include "test.h"
#include "test_msgq_order_case.h"
#include "test_order_check.h"

/*
 * Messages
 */

/* The last 8 bytes of a message. */
static uint64_t
content(uint32_t nth)
{
	/* what the second entry holds in the next round, if nobody looks */
	if (mc->alias && nth == 1)
		return shm_entry_word(mc->first + SHM_ENTRY_START + nth + ring, 1, LEN);
	return 0x100 * (nth + 1);
}

static const void *
message(uint32_t nth)
{
	static uint64_t msgs[MAX_MSGS][LEN / 8];

	msgs[nth][LEN / 8 - 1] = content(nth);
	return msgs[nth];
}

/* A consumer of this side copies a message. */
static void
at_take(void *dst, const uint8_t *src, size_t len)
{
	const uint64_t want = content(taken++);

	memcpy(dst, src, len);
	order_read(UNIT(src), want);
	memcpy(UNIT((uint8_t *)dst), &want, sizeof(want));
}

/*
 * Programs
 */

/* As rte_comch_pe_arm() takes the steps, the sleep, and the next turn. */
static void
engine_sleep(void)
{
	bool pending;

	group.sleeps++;
	if (mutant == WANT_LATE) {
		heavy_fence();
		pending = shm_msgq_group_pending(&group);
		shm_msgq_group_arm(&group);
	} else {
		shm_msgq_group_arm(&group);
		heavy_fence();
		pending = mutant != NO_LOOK && shm_msgq_group_pending(&group);
	}
	if (!pending)
		order_sleep(EVENT_ENGINE);
	shm_msgq_group_disarm(&group);
}

/* Messages of a producer, and those that the program gets. */
static uint32_t
nb_of(uint32_t producer)
{
	return producer == 0 ? mc->nb_msgs : mc->shared ? 1 : 0;
}

static uint32_t
nb_all(void)
{
	return nb_of(0) + nb_of(1);
}

/* A producer of this side: one burst. */
static bool
tx_step(void *local)
{
	struct rte_comch_send msgs[MAX_MSGS];
	struct side *s = local;
	uint32_t i, n;

	if (s->nb == nb_of(s->id) && !s->step && mc->withdraws) {
		order_store(&done, 1, __ATOMIC_RELEASE);
		s->step = 1;
		return true;
	}
	if (s->nb == nb_of(s->id))
		return false;
	own_get(s, tx_spans, RTE_DIM(tx_spans));
	n = RTE_MIN(nb_of(s->id) - s->nb, mc->burst);
	for (i = 0; i < n; i++)
		msgs[i] = (struct rte_comch_send){ .imm = message(s->id * SECOND + s->nb + i),
			.imm_len = LEN, .flags = RTE_COMCH_SEND_F_NO_CPL };
	n = shm_msgq_send_burst(s->id == 0 ? &tx.tx : &tx2.tx, 1, msgs, n);
	if (n == 0 && mc->withdraws)
		n = mc->nb_msgs - s->nb; /* the consumer has gone */
	else if (n == 0 && mc->engine_sleeps)
		engine_sleep();
	else if (n == 0)
		order_wait(&order_prog.cons.tail, last_tail);
	s->nb += n;
	own_put(s, tx_spans, RTE_DIM(tx_spans));
	return true;
}

/* The program has found a message: where it is, and which one of its producer. */
static bool
elem_next(struct side *s, uint64_t *imm, uint32_t *nth)
{
	struct rte_comch_dpa_dev_elem elem;
	uint32_t len, from;
	int ret;

	ret = rte_comch_dpa_dev_completion_get((uintptr_t)HOST_COMP, &elem);
	if (ret == 0)
		return false;
	*imm = (uintptr_t)rte_comch_dpa_dev_elem_imm(&elem, &len);
	from = rte_comch_dpa_dev_elem_producer_id(&elem) - 1;
	if (ret != 1 || len != LEN || from >= RTE_DIM(s->from) || s->from[from] == nb_of(from)) {
		order_fail("a message that nobody sent");
		return false;
	}
	*nth = from * SECOND + s->from[from]++;
	return true;
}

static void
elem_read(uint64_t imm, uint32_t nth)
{
	order_read(UNIT((const uint8_t *)(uintptr_t)imm), content(nth));
}

static void
device_fails(int ret)
{
	if (ret != 0)
		order_fail("a device function fails");
}

/* One message, of those that are there: read it, and give it back. */
static bool
unit_take(struct side *s)
{
	uint64_t imm;
	uint32_t nth;

	if (!elem_next(s, &imm, &nth))
		return false;
	s->nb++;
	elem_read(imm, nth);
	device_fails(rte_comch_dpa_dev_completion_ack((uintptr_t)HOST_COMP, 1));
	device_fails(rte_comch_dpa_dev_consumer_ack((uintptr_t)&order_host.cons, 1));
	return true;
}

/* The same, but the credit goes back at once, and the element when there are two. */
static bool
unit_hold(struct side *s)
{
	uint32_t i, nth;
	uint64_t imm;

	if (s->nb_held == 2 || (s->nb_held != 0 && s->nb == mc->nb_msgs)) {
		for (i = 0; i < s->nb_held; i++)
			elem_read(s->held[i], s->nb - s->nb_held + i);
		device_fails(rte_comch_dpa_dev_completion_ack((uintptr_t)HOST_COMP, s->nb_held));
		s->nb_held = 0;
		return true;
	}
	if (!elem_next(s, &imm, &nth))
		return false;
	s->held[s->nb_held++] = imm;
	s->nb++;
	device_fails(rte_comch_dpa_dev_consumer_ack((uintptr_t)&order_host.cons, 1));
	return true;
}

/* As the runtime's loop: the thread runs, or parks. */
static void
unit_park(struct side *s)
{
	const uint32_t *word = &order_host.hdr.eus[0].wake;
	uint32_t wake;

	if (!s->parked) {
		unit_take(s);
		device_fails(rte_comch_dpa_dev_completion_request_notification(
			(uintptr_t)HOST_COMP));
		s->parked = 1;
		return;
	}
	wake = order_load(word, __ATOMIC_ACQUIRE);
	if (shm_dpa_eu_pending(0)) {
		s->parked = 0;
		return;
	}
	heavy_fence();
	if (mutant != NO_LOOK && shm_dpa_eu_pending(0))
		s->parked = 0;
	else
		order_wait(word, wake);
}

/* A consumer of the program. At its end nothing more is there. */
static bool
unit_rx_step(void *local)
{
	struct side *s = local;
	const bool over = s->nb == nb_all() && s->nb_held == 0;
	uint64_t imm;
	uint32_t nth;

	if (over && s->step)
		return false;
	own_get(s, cons_spans, RTE_DIM(cons_spans));
	if (over) {
		elem_next(s, &imm, &nth);
		s->step = 1;
	} else if (mc->parks) {
		unit_park(s);
	} else if (!(mc->holds ? unit_hold(s) : unit_take(s))) {
		order_wait(last_place, last_val);
	}
	own_put(s, cons_spans, RTE_DIM(cons_spans));
	return true;
}

/* A producer of the program: a batch, of which the last message has the flush. */
static bool
unit_tx_step(void *local)
{
	struct side *s = local;
	uint32_t nb = RTE_MIN(mc->burst, mc->nb_msgs - s->nb), flags, i;
	int ret = 0;

	if (nb == 0 && !s->step && mc->withdraws) {
		order_store(&done, 1, __ATOMIC_RELEASE);
		s->step = 1;
		return true;
	}
	if (nb == 0)
		return false;
	own_get(s, prod_spans, RTE_DIM(prod_spans));
	for (i = 0; i < nb && ret == 0; i++) {
		flags = RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS;
		flags |= i == nb - 1 ? RTE_COMCH_DPA_DEV_F_FLUSH : 0;
		ret = rte_comch_dpa_dev_producer_post_send_imm((uintptr_t)&order_host.prod, 1,
			message(s->nb), LEN, flags);
		s->nb += ret == 0;
	}
	if (ret == -RTE_COMCH_DPA_DEV_ENOENT && mc->withdraws)
		s->nb = mc->nb_msgs;
	else if (ret == -RTE_COMCH_DPA_DEV_EAGAIN)
		order_wait(&order_host.sink.tail, last_tail);
	else
		device_fails(ret);
	own_put(s, prod_spans, RTE_DIM(prod_spans));
	return true;
}

/* A consumer of this side: one message at a time, of batches as well. At its end as above. */
static bool
rx_step(void *local)
{
	static const struct rte_comch_post post;
	struct rte_comch_cpl cpl;
	struct side *s = local;
	const bool over = s->nb == mc->nb_msgs;
	uint64_t got;

	if (over && s->step)
		return false;
	own_get(s, rx_spans, RTE_DIM(rx_spans));
	taken = s->nb;
	if (shm_msgq_cpl_poll(&rx.rx, &cpl, 1) == 1) {
		memcpy(&got, UNIT(cpl.imm), sizeof(got));
		if (over || cpl.imm_len != LEN || cpl.producer_id != 1 || got != content(s->nb))
			order_fail("a message that nobody sent");
		s->nb++;
		if (shm_msgq_post_burst(&rx.rx, &post, 1) != 1)
			order_fail("no place for a post");
	} else if (!over) {
		order_wait(last_place, last_val);
	}
	s->step = over;
	own_put(s, rx_spans, RTE_DIM(rx_spans));
	return true;
}

/* Memory that was taken away belongs to somebody else, who writes to it. */
static bool
reuse_step(struct side *s, struct shm_entry *entries)
{
	uint64_t *const words[] = { &entries[0].word, (uint64_t *)(void *)UNIT(entries[0].imm) };
	uint32_t i;

	if (s->step == 1) {
		for (i = 0; i < RTE_DIM(words); i++)
			order_store(words[i], POISON, __ATOMIC_RELAXED);
		order_fence();
	} else if (s->step == 2) {
		order_wait(&done, 0);
		order_fence();
	} else {
		for (i = 0; i < RTE_DIM(words); i++)
			if (order_load(words[i], __ATOMIC_ACQUIRE) != POISON)
				order_fail("memory is written to that was taken away");
	}
	return ++s->step != 4;
}

/* This side takes a consumer of its own away from the units. */
static bool
withdraw_step(void *local)
{
	struct side *s = local;

	if (s->step != 0)
		return reuse_step(s, order_prog.entries);
	own_get(s, rx_spans, RTE_DIM(rx_spans));
	if (mutant == NO_SETTLE)
		__atomic_store_n(&HOST_MSGQ->sinks[0], 0, __ATOMIC_RELAXED);
	else
		rx_withdraw(&rx.rx);
	own_put(s, rx_spans, RTE_DIM(rx_spans));
	s->step = 1;
	return true;
}

/* This side frees a consumer of the program, to which another thread sends. */
static bool
destroy_step(void *local)
{
	struct side *s = local;

	if (s->step != 0)
		return reuse_step(s, order_host.entries);
	if (mutant == NO_SETTLE)
		__atomic_store_n(&mq.targets[0], NULL, __ATOMIC_RELAXED);
	else
		target_destroy(&dpa_queue);
	s->step = 1;
	return true;
}

/*
 * Runs
 */

static void
msgq_run(const void *arg, enum order_mode mode, uint32_t broken, struct order_result *res)
{
	const struct msgq_case *what = arg;
	struct side sides[3] = { 0 };
	struct order_case oc = { .mode = mode, .nb_progs = what->shared ? 3 : 2,
		.local_size = sizeof(sides[0]),
		.locals = { &sides[0], &sides[1], &sides[2] },
		.steps = { what->to_dpa ? tx_step : unit_tx_step,
			what->withdraws ? what->to_dpa ? destroy_step : withdraw_step :
			what->to_dpa ? unit_rx_step : rx_step, tx_step },
		.max_states = broken == GOOD ? 8 << 20 : 4 << 20 };

	RTE_BUILD_BUG_ON(sizeof(sides[0]) > ORDER_LOCAL);
	mc = what;
	mutant = broken;
	case_setup();
	own_put(&sides[0], mc->to_dpa ? tx_spans : prod_spans,
		mc->to_dpa ? RTE_DIM(tx_spans) : RTE_DIM(prod_spans));
	own_put(&sides[1], mc->to_dpa ? cons_spans : rx_spans,
		mc->to_dpa ? RTE_DIM(cons_spans) : RTE_DIM(rx_spans));
	own_put(&sides[2], tx_spans, RTE_DIM(tx_spans));
	sides[2].id = 1;
	order_run(&oc, res, broken == GOOD);
}

static int
expect_right(const struct msgq_case *what)
{
	return order_expect_right(msgq_run, what, what->name);
}

/* Two posts, and a ring of four entries: batches of up to two messages, which end with the ring. */
static const struct msgq_case to_dpa = { .name = "batches to the program", .to_dpa = true,
	.nb_msgs = 5, .burst = 2, .credits = 2, .depth = 1 };
static const struct msgq_case from_dpa = { .name = "batches from the program",
	.nb_msgs = 5, .burst = 2, .credits = 2, .depth = 1 };
static const struct msgq_case to_dpa_alias = { .name = "a word in a batch to the program",
	.to_dpa = true, .nb_msgs = 5, .burst = 2, .credits = 2, .depth = 1, .alias = true };
static const struct msgq_case from_dpa_alias = { .name = "a word in a batch from the program",
	.nb_msgs = 5, .burst = 2, .credits = 2, .depth = 1, .alias = true };
/* The last two of four lie where the entry of the second one is. */
static const struct msgq_case to_dpa_four = { .name = "batches of four to the program",
	.to_dpa = true, .nb_msgs = 6, .burst = 4, .credits = 4, .depth = 1 };
static const struct msgq_case from_dpa_four = { .name = "batches of four from the program",
	.nb_msgs = 6, .burst = 4, .credits = 4, .depth = 1 };
/* The second entry of the first burst is the first one of the ring, and positions wrap. */
static const struct msgq_case to_dpa_end = { .name = "a batch at the end of the ring",
	.to_dpa = true, .nb_msgs = 4, .burst = 2, .credits = 2, .depth = 1, .first = 0xff };
static const struct msgq_case from_dpa_end = { .name = "a batch at the end of the program's ring",
	.nb_msgs = 4, .burst = 2, .credits = 2, .depth = 1, .first = 0xff };
static const struct msgq_case held = { .name = "the program holds elements", .to_dpa = true,
	.nb_msgs = 5, .burst = 1, .credits = 1, .depth = 2, .holds = true };
static const struct msgq_case parks = { .name = "the unit parks within batches", .to_dpa = true,
	.nb_msgs = 3, .burst = 2, .credits = 2, .depth = 1, .parks = true };
static const struct msgq_case wants = { .name = "the engine wants a credit", .to_dpa = true,
	.nb_msgs = 3, .burst = 1, .credits = 1, .depth = 1, .engine_sleeps = true };
static const struct msgq_case wants_whole = { .name = "the same without membarrier()",
	.to_dpa = true, .nb_msgs = 3, .burst = 1, .credits = 1, .depth = 1,
	.engine_sleeps = true, .whole = true };
static const struct msgq_case both_sleep = { .name = "engine and unit sleep", .to_dpa = true,
	.nb_msgs = 2, .burst = 1, .credits = 1, .depth = 1, .engine_sleeps = true,
	.parks = true };
static const struct msgq_case withdrawn = { .name = "taken away from a unit",
	.nb_msgs = 2, .burst = 2, .credits = 2, .depth = 1, .withdraws = true };
static const struct msgq_case withdrawn_whole = { .name = "the same without membarrier()",
	.nb_msgs = 2, .burst = 2, .credits = 2, .depth = 1, .withdraws = true, .whole = true };
static const struct msgq_case destroyed = { .name = "taken away from a producer",
	.to_dpa = true, .nb_msgs = 2, .burst = 1, .credits = 2, .depth = 1, .withdraws = true };
static const struct msgq_case destroyed_whole = { .name = "the same without membarrier()",
	.to_dpa = true, .nb_msgs = 2, .burst = 1, .credits = 2, .depth = 1, .withdraws = true,
	.whole = true };

static const struct msgq_case two = { .name = "two producers", .to_dpa = true,
	.nb_msgs = 2, .burst = 1, .credits = 1, .depth = 1, .shared = true };
static const struct msgq_case two_batches = { .name = "batches of two producers", .to_dpa = true,
	.nb_msgs = 2, .burst = 2, .credits = 2, .depth = 1, .shared = true };

static int
test_batches(void)
{
	TEST_CALL(expect_right(&to_dpa));
	TEST_CALL(expect_right(&from_dpa));
	TEST_CALL(expect_right(&to_dpa_four));
	TEST_CALL(expect_right(&from_dpa_four));
	TEST_CALL(expect_right(&to_dpa_end));
	return expect_right(&from_dpa_end);
}

/* Each sees what the other has claimed, and never a tail of before that. */
static int
test_two_producers(void)
{
	TEST_CALL(expect_right(&two));
	return expect_right(&two_batches);
}

static int
test_aliases(void)
{
	TEST_CALL(expect_right(&to_dpa_alias));
	return expect_right(&from_dpa_alias);
}

static int
test_held(void)
{
	return expect_right(&held);
}

static int
test_parks(void)
{
	return expect_right(&parks);
}

static int
test_wants(void)
{
	TEST_CALL(expect_right(&wants));
	TEST_CALL(expect_right(&wants_whole));
	return expect_right(&both_sleep);
}

static int
test_withdrawn(void)
{
	TEST_CALL(expect_right(&withdrawn));
	TEST_CALL(expect_right(&withdrawn_whole));
	TEST_CALL(expect_right(&destroyed));
	return expect_right(&destroyed_whole);
}

static int
test_broken_is_found(void)
{
	static const struct order_mutant mutants[] = {
		{ WORD_SET_RELAXED, "word of a batch set relaxed", true, { &to_dpa, &from_dpa } },
		{ WORD_GET_RELAXED, "word of a batch looked at relaxed", true,
			{ &to_dpa, &from_dpa } },
		{ TAIL_SET_RELAXED, "tail set relaxed", true, { &to_dpa, &from_dpa } },
		{ TAIL_GET_RELAXED, "tail looked at relaxed", true, { &to_dpa, &from_dpa } },
		{ SMALL_RING, "no entries but for posts and elements", false,
			{ &to_dpa_four, &from_dpa_four, &held } },
		{ NO_LOOK_AT_ALIASES, "no look at words in a batch", false,
			{ &to_dpa_alias, &from_dpa_alias } },
		{ BATCH_BEYOND_RING, "a batch that goes on behind the ring", false,
			{ &to_dpa_end, &from_dpa_end } },
		{ CLAIM_ALONE, "claims that are not shared", false, { &two, &two_batches } },
		{ HEAD_GET_RELAXED, "claims of others looked at relaxed", true, { &two } },
		{ NO_FENCE, "the sleeper has no fence", false,
			{ &parks, &wants, &both_sleep } },
		/* without membarrier() the pair R of the engine's own look has fences, too */
		{ FENCE_OF_ONE, "the sleeper's fence is its own alone", false,
			{ &parks, &wants, &both_sleep } },
		{ NO_LOOK, "no look behind the fence", false, { &parks, &wants, &both_sleep } },
		{ WANT_LATE, "want set behind the look", false, { &wants, &both_sleep } },
		{ LIGHT_FENCE_NOT_WHOLE, "no fence of the program, no membarrier", false,
			{ &wants_whole } },
		{ NO_FENCE, "no fence of who takes away", false,
			{ &withdrawn, &withdrawn_whole, &destroyed, &destroyed_whole } },
		{ FENCE_OF_ONE, "a fence of who takes away alone", false,
			{ &withdrawn, &destroyed } },
		{ NO_SETTLE, "no wait for who is inside", false, { &withdrawn, &destroyed } },
		/* whoever takes a target away has all pass a second fence, for the units */
		{ LEAVE_RELAXED, "out before the work is done", true, { &withdrawn } },
		{ LIGHT_FENCE_NOT_WHOLE, "no fence of who is inside, no membarrier", false,
			{ &withdrawn_whole, &destroyed_whole } },
	};

	test_time_limit(600);
	return order_expect_found(msgq_run, mutants, RTE_DIM(mutants));
}

static struct unit_test_suite suite = {
	.suite_name = "order of accesses of message queues",
	.unit_test_cases = {
		TEST_CASE(test_batches),
		TEST_CASE(test_two_producers),
		TEST_CASE(test_aliases),
		TEST_CASE(test_held),
		TEST_CASE(test_parks),
		TEST_CASE(test_wants),
		TEST_CASE(test_withdrawn),
		TEST_CASE(test_broken_is_found),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(shm_msgq_order_autotest, unit_test_suite_runner, &suite);
