/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Producers and consumers over a BlueField that end while their messages are on the way, and
 * producers that are idle: none of that takes a post or a credit from others. Afterwards a
 * new producer fills all posts, and no message has found that there was none.
 */

#include "test_bluefield_faults.h"
#include "test_rand.h"

#define MAX_POSTS 8u
#define MAX_PRODUCERS 4u
#define SENDS 8u           /* of each producer */
#define LONG_LEN (1u << 20) /* a message of 1024 packets */
#define SHORT_LEN 64u
#define ONE_BY_ONE 20000u
/* Of ends at random: messages, and how often all is looked at. */
#define RANDOM_LEN (128u << 10)
#define RANDOM_ENDS 60u
#define EVEN_EVERY 50u
#define MAX_NUMBERS (1u << 20)

/* A producer, and its part of the slots to send from. */
struct sender {
	struct test_q *q;
	uint32_t first;        /* slot */
	uint32_t taken;        /* messages, ever */
	uint32_t done;         /* of them, with a completion */
	uint32_t delivered;    /* of these, well */
	bool stopping;
};

/* One connection with one consumer at a time. */
static struct {
	struct test_q *c;
	struct test_slots from, to;
	uint32_t len;
	uint32_t nb_posts;     /* of the consumer */
	uint32_t free[MAX_POSTS];
	uint32_t nb_free;
	struct sender senders[MAX_PRODUCERS];
	uint64_t numbers;      /* of messages, as each has its own */
	bool seen[MAX_NUMBERS];
	uint64_t received;
	uint64_t delivered;    /* as producers have been told */
	uint32_t rand;
	uint32_t ends;
} bench;

static int
net_fault(const char *function, const char *what)
{
	TEST_EXPECT(test_model_ctl(&fault_place.model, "fault %s net %s", function, what), 0);
	return TEST_SUCCESS;
}

/* How often a message has found no post, or a message of credits no entry. */
static long
no_posts(void)
{
	return test_model_state(&fault_place.model, FAULT_HOST, "rnr") +
		test_model_state(&fault_place.model, FAULT_CARD, "rnr");
}

static uint32_t
posted(void)
{
	return bench.nb_posts - bench.nb_free;
}

static int
post(uint32_t nb)
{
	struct rte_comch_post p = { .len = bench.len };

	for (; nb != 0 && bench.nb_free != 0; nb--) {
		p.cookie = bench.free[--bench.nb_free];
		p.addr = test_slot(&bench.to, (uint32_t)p.cookie);
		TEST_EXPECT(rte_comch_consumer_post_burst(bench.c->ctx, &p, 1), 1);
	}
	return TEST_SUCCESS;
}

static int
consumer_open(void)
{
	uint32_t i;

	TEST_CALL(test_fp_consumer(&fault_fp, bench.to.mem, bench.nb_posts, 0, &bench.c));
	for (i = 0; i < bench.nb_posts; i++)
		bench.free[i] = i;
	bench.nb_free = bench.nb_posts;
	return TEST_SUCCESS;
}

static int
bench_open(uint32_t nb_posts, uint32_t len)
{
	memset(&bench, 0, sizeof(bench));
	bench.nb_posts = nb_posts;
	bench.len = len;
	TEST_CALL(test_fp_open(&fault_fp, TEST_FP_TO_DPU));
	TEST_CALL(test_slots_new(&bench.from, fault_fp.tx.dev, 0, MAX_PRODUCERS * SENDS, len));
	TEST_CALL(test_slots_new(&bench.to, fault_fp.rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, nb_posts,
		len));
	return consumer_open();
}

/* Posts that came back, with a message or, while it stops, without. */
static int
receive(void)
{
	struct rte_comch_cpl cpls[MAX_POSTS];
	uint64_t nr, end;
	uint16_t n, i;

	n = rte_comch_queue_poll_burst(bench.c->ctx, cpls, RTE_DIM(cpls));
	for (i = 0; i < n; i++) {
		const uint8_t *msg = test_slot(&bench.to, (uint32_t)cpls[i].cookie);

		bench.free[bench.nb_free++] = (uint32_t)cpls[i].cookie;
		if (cpls[i].status != 0)
			continue;
		memcpy(&nr, msg, sizeof(nr));
		memcpy(&end, msg + cpls[i].len - sizeof(end), sizeof(end));
		TEST_TRUE(nr < bench.numbers && nr == end && !bench.seen[nr]);
		bench.seen[nr] = true;
		bench.received++;
	}
	return TEST_SUCCESS;
}

static int
sender_open(uint32_t i)
{
	const struct rte_comch_producer_conf conf = { .nb_sends = SENDS };
	struct sender *s = &bench.senders[i];

	memset(s, 0, sizeof(*s));
	s->first = i * SENDS;
	s->q = test_q_producer(&fault_fp.tx, &conf);
	TEST_EXPECT(rte_comch_ctx_start(s->q->ctx), 0);
	return TEST_SUCCESS;
}

static void
sender_poll(struct sender *s)
{
	struct rte_comch_cpl cpls[SENDS];
	uint16_t n, i;

	n = rte_comch_queue_poll_burst(s->q->ctx, cpls, RTE_DIM(cpls));
	for (i = 0; i < n; i++) {
		s->delivered += cpls[i].status == 0;
		bench.delivered += cpls[i].status == 0;
	}
	s->done += n;
}

/* One message, if there is a credit and a slot. */
static uint32_t
sender_send(struct sender *s, uint32_t len)
{
	uint32_t slot = s->first + s->taken % SENDS;
	uint8_t *msg = test_slot(&bench.from, slot);

	if (s->taken - s->done == SENDS || bench.numbers == MAX_NUMBERS)
		return 0;
	memcpy(msg, &bench.numbers, sizeof(bench.numbers));
	memcpy(msg + len - sizeof(bench.numbers), &bench.numbers, sizeof(bench.numbers));
	if (test_send_slot(s->q, bench.c->id, &bench.from, slot, len, s->taken) == 0)
		return 0;
	bench.numbers++;
	s->taken++;
	return 1;
}

/* Whether it is over. */
static bool
sender_stopped(struct sender *s)
{
	sender_poll(s);
	if (!s->stopping) {
		s->stopping = true;
		rte_comch_ctx_stop(s->q->ctx);
	}
	return test_q_state(s->q) == RTE_COMCH_STATE_IDLE;
}

static int
sender_close(struct sender *s)
{
	TEST_WAIT(sender_stopped(s), FAULT_SOON_MS);
	TEST_EXPECT(test_q_close(s->q), 0);
	s->q = NULL;
	return TEST_SUCCESS;
}

/* A new producer, while there is no other one, fills each post, and no more. */
static int
expect_even(void)
{
	struct sender *s = &bench.senders[0];
	uint64_t before;
	uint32_t nb, sent = 0;

	TEST_CALL(receive());
	before = bench.received;
	TEST_CALL(post(UINT32_MAX));
	nb = posted();
	TEST_EXPECT(nb, bench.nb_posts);
	TEST_CALL(sender_open(0));
	TEST_WAIT(receive() == TEST_SUCCESS && (sent += sender_send(s, SHORT_LEN)) == nb,
		FAULT_SOON_MS);
	TEST_WAIT(receive() == TEST_SUCCESS && bench.received == before + nb, FAULT_SOON_MS);
	TEST_EXPECT(posted(), 0);
	TEST_EXPECT(sender_send(s, SHORT_LEN), 0);
	TEST_WAIT((sender_poll(s), s->done == s->taken), FAULT_SOON_MS);
	TEST_EXPECT(s->delivered, s->taken);
	TEST_CALL(sender_close(s));
	TEST_TRUE(bench.delivered <= bench.received && bench.received <= bench.numbers);
	TEST_EXPECT(no_posts(), 0);
	return TEST_SUCCESS;
}

/*
 * Ends
 */

/*
 * Messages that arrive, that do so in part, and that are never begun: the posts of all of
 * them are there for the next one.
 */
static int
test_stop_in_messages(void)
{
	struct sender *s = &bench.senders[0];
	uint32_t sent = 0;
	uint64_t start;

	TEST_CALL(bench_open(4, LONG_LEN));
	TEST_CALL(post(4));
	TEST_CALL(sender_open(0));
	TEST_CALL(net_fault(FAULT_HOST, "delay=1"));
	TEST_WAIT((sent += sender_send(s, LONG_LEN)) == 4, FAULT_SOON_MS);
	start = test_now_ns();
	TEST_CALL(sender_close(s));
	test_note("a producer stops in its messages after %" PRIu64 " ms",
		(test_now_ns() - start) / 1000000);
	TEST_CALL(net_fault(FAULT_HOST, "delay=0"));
	TEST_CALL(expect_even());
	return fault_passed();
}

/* The same of many queue pairs: each ends in the middle of a message of its own. */
static int
test_stop_in_message_of_each(void)
{
	uint32_t i, sent;

	TEST_CALL(bench_open(MAX_PRODUCERS, LONG_LEN));
	TEST_CALL(post(MAX_PRODUCERS));
	TEST_CALL(net_fault(FAULT_HOST, "delay=5"));
	for (i = 0; i < MAX_PRODUCERS; i++) {
		TEST_CALL(sender_open(i));
		sent = 0;
		TEST_WAIT((sent += sender_send(&bench.senders[i], LONG_LEN)) == 1, FAULT_SOON_MS);
	}
	for (i = 0; i < MAX_PRODUCERS; i++)
		TEST_TRUE(!sender_stopped(&bench.senders[i]));
	for (i = 0; i < MAX_PRODUCERS; i++)
		TEST_CALL(sender_close(&bench.senders[i]));
	TEST_CALL(net_fault(FAULT_HOST, "delay=0"));
	TEST_EXPECT(bench.received, 0);
	TEST_CALL(expect_even());
	return fault_passed();
}

/* Lost packets are sent again for as long as the stop waits. */
static int
test_stop_with_lost_packets(void)
{
	struct sender *s = &bench.senders[0];
	uint32_t i, sent;

	TEST_CALL(bench_open(4, SHORT_LEN));
	TEST_CALL(post(4));
	/* what other queue pairs send takes none of the packets that get lost */
	test_progress_ms(20);
	for (i = 1; i <= 4; i++) {
		TEST_CALL(sender_open(0));
		TEST_WAIT(rte_comch_producer_credits(s->q->ctx, bench.c->id) != 0, FAULT_SOON_MS);
		TEST_CALL(net_fault(FAULT_HOST, "drop=3"));
		sent = 0;
		TEST_WAIT((sent += sender_send(s, SHORT_LEN)) == 1, FAULT_SOON_MS);
		TEST_CALL(sender_close(s));
		TEST_WAIT(receive() == TEST_SUCCESS && bench.received == i, FAULT_SOON_MS);
	}
	TEST_CALL(expect_even());
	return fault_passed();
}

/*
 * Idle producers
 */

/* So many messages of one, each post on its own. */
static int
one_by_one(struct sender *s, uint32_t nb)
{
	const uint64_t end = bench.received + nb, numbers = bench.numbers + nb;
	uint64_t received = bench.received, limit = 0;

	while (bench.received < end) {
		if (limit == 0 || received != bench.received)
			limit = test_now_ns() + (uint64_t)FAULT_SOON_MS * 1000000;
		TEST_TRUE(test_now_ns() < limit);
		received = bench.received;
		if (bench.numbers < numbers)
			sender_send(s, SHORT_LEN);
		sender_poll(s);
		TEST_CALL(receive());
		TEST_CALL(post(1));
	}
	return TEST_SUCCESS;
}

/* It has a pair, and is told of no more posts than it looks at; then it has them at once. */
static int
test_idle_producer(void)
{
	struct sender *busy = &bench.senders[0], *idle = &bench.senders[1];
	uint32_t sent = 0;

	TEST_CALL(bench_open(MAX_POSTS, SHORT_LEN));
	TEST_CALL(sender_open(0));
	TEST_CALL(sender_open(1));
	test_fp_pairs();
	TEST_CALL(one_by_one(busy, ONE_BY_ONE));
	TEST_EXPECT(no_posts(), 0);
	TEST_CALL(post(UINT32_MAX));
	TEST_WAIT(receive() == TEST_SUCCESS &&
		(sent += sender_send(idle, SHORT_LEN)) == MAX_POSTS, FAULT_SOON_MS);
	TEST_WAIT(receive() == TEST_SUCCESS && posted() == 0, FAULT_SOON_MS);
	TEST_CALL(sender_close(busy));
	TEST_CALL(sender_close(idle));
	TEST_CALL(expect_even());
	return fault_passed();
}

/* All was told to one that is idle now, and claimed by it: who wakes has the next post. */
static int
test_idle_in_turn(void)
{
	struct sender *s[2] = { &bench.senders[0], &bench.senders[1] };
	uint32_t lap, sent, i;

	TEST_CALL(bench_open(1, SHORT_LEN));
	TEST_CALL(sender_open(0));
	TEST_CALL(sender_open(1));
	test_fp_pairs();
	for (lap = 0; lap < 10; lap++) {
		TEST_CALL(one_by_one(s[lap % 2], 40 + lap));
		TEST_CALL(post(1));
		/* the one that has waited since, and then the other */
		for (i = 1; i <= 2; i++) {
			sent = 0;
			TEST_WAIT(receive() == TEST_SUCCESS &&
				(sent += sender_send(s[(lap + i) % 2], SHORT_LEN)) == 1,
				FAULT_SOON_MS);
			TEST_WAIT(receive() == TEST_SUCCESS && posted() == 0, FAULT_SOON_MS);
			TEST_CALL(post(1));
		}
	}
	TEST_EXPECT(no_posts(), 0);
	TEST_CALL(sender_close(s[0]));
	TEST_CALL(sender_close(s[1]));
	TEST_CALL(expect_even());
	return fault_passed();
}

/* And the other one has gone then, which was told last. */
static int
test_idle_alone(void)
{
	struct sender *busy = &bench.senders[0], *idle = &bench.senders[1];
	uint32_t sent = 0;

	TEST_CALL(bench_open(1, SHORT_LEN));
	TEST_CALL(sender_open(0));
	TEST_CALL(sender_open(1));
	test_fp_pairs();
	TEST_CALL(one_by_one(busy, 100));
	TEST_CALL(sender_close(busy));
	TEST_CALL(post(1));
	TEST_WAIT(receive() == TEST_SUCCESS && (sent += sender_send(idle, SHORT_LEN)) == 1,
		FAULT_SOON_MS);
	TEST_CALL(one_by_one(idle, 100));
	TEST_EXPECT(no_posts(), 0);
	TEST_CALL(sender_close(idle));
	TEST_CALL(expect_even());
	return fault_passed();
}

/* It sleeps until there is a post, which another one was told of. */
static int
test_idle_asleep(void)
{
	struct sender *busy = &bench.senders[0], *idle = &bench.senders[1];
	struct rte_comch_pe *pe = fault_fp.tx.q_pe;

	TEST_CALL(bench_open(1, SHORT_LEN));
	pe = fault_fp.tx.q_pe;
	TEST_CALL(sender_open(0));
	TEST_CALL(sender_open(1));
	test_fp_pairs();
	TEST_CALL(one_by_one(busy, 100));
	TEST_WAIT(receive() == TEST_SUCCESS && sender_send(busy, SHORT_LEN) == 1, FAULT_SOON_MS);
	TEST_WAIT(receive() == TEST_SUCCESS && posted() == 0, FAULT_SOON_MS);
	TEST_EXPECT(sender_send(idle, SHORT_LEN), 0);
	TEST_CALL(post(1));
	/* of all engines only that of the producers turns, when it wakes */
	TEST_SLEEP_UNTIL(sender_send(idle, SHORT_LEN) != 0, pe, FAULT_SOON_MS);
	TEST_WAIT(receive() == TEST_SUCCESS && posted() == 0, FAULT_SOON_MS);
	TEST_EXPECT(no_posts(), 0);
	TEST_CALL(sender_close(busy));
	TEST_CALL(sender_close(idle));
	TEST_CALL(expect_even());
	return fault_passed();
}

/*
 * Ends at random
 */

static uint32_t
below(uint32_t nb)
{
	return test_rand_next(&bench.rand) % nb;
}

static int
faults_clear(void)
{
	TEST_CALL(net_fault(FAULT_HOST, "drop=0 delay=0 acks=0 doorbells=0"));
	return net_fault(FAULT_CARD, "drop=0 delay=0 acks=0 doorbells=0");
}

static int
random_fault(void)
{
	static const char *const faults[] = {
		"drop=1", "drop=3", "acks=1", "acks=5", "delay=1", "doorbells=1",
		"delay=0 acks=0", "delay=0 acks=0", "delay=0 acks=0",
	};

	return net_fault(below(2) == 0 ? FAULT_HOST : FAULT_CARD, faults[below(RTE_DIM(faults))]);
}

/* Those that have ended, and new ones in their places. */
static int
random_senders(void)
{
	struct sender *s;
	uint32_t i;

	for (i = 0; i < MAX_PRODUCERS; i++) {
		s = &bench.senders[i];
		if (s->q == NULL) {
			TEST_CALL(sender_open(i));
			continue;
		}
		sender_poll(s);
		if (!s->stopping || !sender_stopped(s))
			continue;
		TEST_EXPECT(test_q_close(s->q), 0);
		s->q = NULL;
		bench.ends++;
	}
	return TEST_SUCCESS;
}

/* Its posts come back, with a message or without; then there is another one. */
static int
random_consumer(void)
{
	TEST_EXPECT(rte_comch_ctx_stop(bench.c->ctx), -EINPROGRESS);
	TEST_WAIT(receive() == TEST_SUCCESS && test_q_state(bench.c) == RTE_COMCH_STATE_IDLE,
		FAULT_SOON_MS);
	TEST_CALL(receive());
	TEST_EXPECT(posted(), 0);
	TEST_EXPECT(test_q_close(bench.c), 0);
	bench.ends++;
	return consumer_open();
}

/* All that run stop, in messages that take longer than the stops wait. */
static int
random_stop_all(void)
{
	const uint64_t limit = test_now_ns() + (uint64_t)FAULT_SOON_MS * 1000000;
	struct sender *s;
	uint32_t i, sent = 0;

	TEST_CALL(faults_clear());
	TEST_CALL(net_fault(FAULT_HOST, "delay=50"));
	do {
		for (i = 0; i < MAX_PRODUCERS; i++) {
			s = &bench.senders[i];
			if (s->q != NULL && !s->stopping && s->taken - s->done < 2)
				sent += sender_send(s, RANDOM_LEN);
		}
		TEST_CALL(receive());
		TEST_CALL(post(1));
		TEST_CALL(random_senders());
		test_progress();
	} while (sent < MAX_PRODUCERS && test_now_ns() < limit);
	TEST_TRUE(sent >= MAX_PRODUCERS);
	for (i = 0; i < MAX_PRODUCERS; i++)
		if (bench.senders[i].q != NULL) {
			sender_stopped(&bench.senders[i]);
			bench.ends++;
		}
	for (i = 0; i < MAX_PRODUCERS; i++)
		if (bench.senders[i].q != NULL)
			TEST_CALL(sender_close(&bench.senders[i]));
	return faults_clear();
}

static int
random_turn(void)
{
	static const uint32_t lens[] = { SHORT_LEN, 5000, RANDOM_LEN };
	struct sender *s = &bench.senders[below(MAX_PRODUCERS)];
	uint32_t what = below(400);

	if (s->q != NULL && !s->stopping && what < 300)
		sender_send(s, SHORT_LEN + below(lens[below(RTE_DIM(lens))] - SHORT_LEN + 1));
	else if (what < 310)
		TEST_CALL(random_fault());
	else if (what < 320 && s->q != NULL && (s->taken != 0 || below(8) == 0))
		sender_stopped(s);
	else if (what == 399 && below(2) == 0)
		TEST_CALL(random_consumer());
	TEST_CALL(receive());
	if (below(2) == 0)
		TEST_CALL(post(1 + below(bench.nb_posts)));
	TEST_CALL(random_senders());
	test_progress();
	return TEST_SUCCESS;
}

/* So many more ends, with traffic and faults; then nothing is missing. */
static int
random_ends(uint32_t nb)
{
	uint64_t limit = test_now_ns() + (uint64_t)(10 * FAULT_SOON_MS) * 1000000;
	uint32_t end = bench.ends + nb;

	while (bench.ends + MAX_PRODUCERS < end) {
		TEST_TRUE(test_now_ns() < limit);
		TEST_CALL(random_turn());
	}
	TEST_CALL(random_stop_all());
	return expect_even();
}

static int
test_random_ends(void)
{
	const char *rounds = getenv("COMCH_TEST_ROUNDS"), *seed = getenv("COMCH_TEST_SEED");
	uint32_t nb = rounds != NULL ? strtoul(rounds, NULL, 10) : RANDOM_ENDS;
	uint32_t x = seed != NULL ? RTE_MAX(strtoul(seed, NULL, 10), 1ul) : 1;
	uint64_t start = test_now_ns();

	if (rounds != NULL)
		test_time_limit(1800);
	TEST_CALL(bench_open(MAX_POSTS, RANDOM_LEN));
	bench.rand = x;
	while (bench.ends < nb)
		if (random_ends(RTE_MIN(nb - bench.ends, EVEN_EVERY)) != TEST_SUCCESS) {
			test_fail("COMCH_TEST_SEED=%u, after %u ends", x, bench.ends);
			return TEST_FAILED;
		}
	test_note("%u ends, %" PRIu64 " messages, of which %" PRIu64 " came: %" PRIu64 " s",
		bench.ends, bench.numbers, bench.received,
		(test_now_ns() - start) / 1000000000);
	return fault_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "BlueField: ends in the middle of messages, and idle producers",
	.unit_test_cases = {
		TEST_CASE_ST(fault_setup, fault_teardown, test_stop_in_messages),
		TEST_CASE_ST(fault_setup, fault_teardown, test_stop_in_message_of_each),
		TEST_CASE_ST(fault_setup, fault_teardown, test_stop_with_lost_packets),
		TEST_CASE_ST(fault_setup, fault_teardown, test_idle_producer),
		TEST_CASE_ST(fault_setup, fault_teardown, test_idle_in_turn),
		TEST_CASE_ST(fault_setup, fault_teardown, test_idle_alone),
		TEST_CASE_ST(fault_setup, fault_teardown, test_idle_asleep),
		TEST_CASE_ST(fault_setup, fault_teardown, test_random_ends),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(bluefield_faults_ends_autotest, unit_test_suite_runner, &suite)
