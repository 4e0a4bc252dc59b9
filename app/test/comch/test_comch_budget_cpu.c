/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What bad clients cost the engine of a server: the processor time of a message, with
 * eight good clients alone, with three processes beside them that are busy and send
 * nothing, with a hung, a flooding and a dying one instead, and with these while the
 * server holds back whoever sends too much. No test: it is there if
 * COMCH_TEST_BUDGET_CPU is set, to the number of rounds. What has to hold is in
 * test_comch_budget.c.
 */

#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <time.h>

#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_thread.h>

#include "test_comch_child.h"
#include "test_comch_util.h"

#define NB_GOOD 8
#define MAX_ROUNDS 99
#define MAX_CONNS 64
#define MAX_TURNS (1 << 17)
/* One measurement of one of the three ways. */
#define PHASE_MS 500
/* The good ones together take this part of what they could. */
#define GOOD_PERCENT 5
/* More messages than this in a millisecond, and a connection is held back so long. */
#define HOLD_MSGS 100
#define HOLD_MS 50

/* The processes of the second way take as much of the machine as those of the third. */
enum way { ALONE = 0, BUSY, BAD, HELD, NB_WAYS };

static const char * const way_names[] = {
	"alone", "beside busy ones", "beside bad ones", "bad ones held back"
};

/* What the server notes of a connection; the pointer that the connection keeps. */
struct share {
	struct rte_comch_conn *conn;
	uint64_t since; /* TSC */
	uint64_t held;  /* TSC, 0 if it is not */
	uint32_t nb;
};

/* The server. One thread turns it and the good clients, so that neither waits. */
static struct {
	struct test_ep *ep;
	struct rte_comch_pe *pe;
	struct share shares[MAX_CONNS];
	uint64_t ms;       /* TSC ticks */
	uint64_t overhead; /* ns, of looking at the clock */
	uint64_t busy;     /* ns in turns that did something */
	double turns[MAX_TURNS]; /* ns for each message, of turns that received some */
	unsigned int nb_turns;
	bool hold;
} card;

struct good {
	struct test_ep *ep;
	uint32_t sent;
	uint64_t next;
};

/* Of one phase. */
struct cost {
	double good; /* ns of the engine for each message of good ones */
	double turn; /* the median of turns, for each message of the turn */
};

static struct rte_comch_pe *client_pe;
static struct test_place here;
static int dpu = -1;
static int host = -1;

static uint64_t
thread_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void
share_new(struct test_ep *ep, struct rte_comch_conn *conn)
{
	struct share *share = card.shares;

	RTE_SET_USED(ep);
	while (share < card.shares + MAX_CONNS - 1 && share->conn != NULL)
		share++;
	memset(share, 0, sizeof(*share));
	share->conn = conn;
	rte_comch_conn_user_data_set(conn, share);
}

static void
share_gone(struct test_ep *ep, struct rte_comch_conn *conn, int status)
{
	struct share *share = rte_comch_conn_user_data_get(conn);

	RTE_SET_USED(ep);
	RTE_SET_USED(status);
	share->conn = NULL;
	share->held = 0;
}

/* An echo, which drops what there is no task for; and a look at who sends how much. */
static void
recv_echo(struct test_ep *ep, struct rte_comch_conn *conn, const void *msg, uint32_t len)
{
	struct share *share = rte_comch_conn_user_data_get(conn);
	uint64_t now = rte_get_tsc_cycles();

	RTE_SET_USED(ep);
	test_send(conn, msg, len);
	if (now - share->since > card.ms) {
		share->since = now;
		share->nb = 0;
	}
	if (++share->nb > HOLD_MSGS && card.hold && rte_comch_conn_recv_hold_set(conn, true) == 0)
		share->held = now;
}

static void
shares_resume(void)
{
	uint64_t now = rte_get_tsc_cycles();
	struct share *share;

	for (share = card.shares; share < card.shares + MAX_CONNS; share++) {
		if (share->held == 0 || now - share->held < HOLD_MS * card.ms)
			continue;
		share->held = 0;
		rte_comch_conn_recv_hold_set(share->conn, false);
	}
}

/* One turn; the clock is looked at around it, and that is taken off again. */
static void
card_turn(void)
{
	uint32_t nb = card.ep->nb_recv;
	uint64_t before = thread_cpu_ns(), took;

	if (rte_comch_pe_progress(card.pe) <= 0)
		return;
	took = thread_cpu_ns() - before;
	took -= RTE_MIN(took, card.overhead);
	card.busy += took;
	nb = card.ep->nb_recv - nb;
	if (nb != 0 && card.nb_turns < MAX_TURNS)
		card.turns[card.nb_turns++] = (double)took / nb;
}

static int
card_start(void)
{
	struct rte_comch_server_conf conf;
	uint64_t before;
	unsigned int i;

	memset(&card, 0, sizeof(card));
	card.ms = rte_get_tsc_hz() / 1000;
	card.overhead = UINT64_MAX;
	for (i = 0; i < 1000; i++) {
		before = thread_cpu_ns();
		card.overhead = RTE_MIN(card.overhead, thread_cpu_ns() - before);
	}
	card.ep = test_ep_new();
	TEST_TRUE(card.ep != NULL);
	card.ep->on_recv = recv_echo;
	card.ep->on_connect = share_new;
	card.ep->on_disconnect = share_gone;
	card.pe = test_pe_new();
	test_server_conf(card.ep, "test", &conf);
	TEST_EXPECT(test_server_start(card.ep, &conf, card.pe), 0);
	return TEST_SUCCESS;
}

/* Each good client has one message under way, and sends one in each period. */
static int
goods_run(struct good *goods, uint64_t period, unsigned int ms, struct test_child *dying,
		uint32_t *nb)
{
	uint64_t now, start = test_now_ns(), end = start + (uint64_t)ms * 1000000;
	uint8_t msg[100] = { 0 };
	unsigned int i, turns = 0;

	*nb = 0;
	for (i = 0; i < NB_GOOD; i++)
		goods[i].next = start + i * period / NB_GOOD;
	while ((now = test_now_ns()) < end) {
		for (i = 0; i < NB_GOOD; i++) {
			if (goods[i].ep->nb_recv != goods[i].sent || now < goods[i].next)
				continue;
			TEST_EXPECT(test_send(goods[i].ep->conn, msg, sizeof(msg)), 0);
			goods[i].sent++;
			goods[i].next = RTE_MAX(goods[i].next + period, now);
			++*nb;
		}
		if (dying != NULL && now > start + (end - start) / 2) {
			test_child_kill(dying);
			dying = NULL;
		}
		rte_comch_pe_progress(client_pe);
		card_turn();
		if (++turns % 64 == 0)
			shares_resume();
	}
	for (i = 0; i < NB_GOOD; i++)
		TEST_WAIT(goods[i].ep->nb_recv == goods[i].sent, TEST_MS);
	return TEST_SUCCESS;
}

static int
bad_start(unsigned int nr, struct test_child **child)
{
	*child = test_child_start(&here, test_place_function(nr));
	TEST_TRUE(*child != NULL);
	TEST_EXPECT(test_child_ask(*child, 10000, "clients 1 test"), 0);
	return TEST_SUCCESS;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median(double *values, unsigned int nb)
{
	qsort(values, nb, sizeof(*values), compare);
	return nb % 2 != 0 ? values[nb / 2] : (values[nb / 2 - 1] + values[nb / 2]) / 2;
}

static int
phase(struct good *goods, enum way way, uint64_t period, struct cost *cost)
{
	struct test_child *hung, *flood, *dying = NULL;
	const char *what = way == BUSY ? "spin" : "flood 100";
	uint32_t nb, all;

	card.hold = way == HELD;
	if (way != ALONE) {
		TEST_CALL(bad_start(1, &hung));
		TEST_CALL(bad_start(2, &flood));
		TEST_CALL(bad_start(3, &dying));
		TEST_EXPECT(test_child_ask(hung, 10000, "%s", what), 0);
		TEST_EXPECT(kill(hung->pid, SIGSTOP), 0);
		TEST_EXPECT(test_child_ask(flood, 10000, "%s", what), 0);
		TEST_EXPECT(test_child_ask(dying, 10000, "%s", what), 0);
	}
	test_progress_ms(50);
	card.busy = card.nb_turns = 0;
	all = card.ep->nb_recv;
	TEST_CALL(goods_run(goods, period, PHASE_MS, dying, &nb));
	all = card.ep->nb_recv - all;
	cost->good = (double)card.busy / nb;
	TEST_TRUE(nb != 0 && card.nb_turns != 0);
	cost->turn = median(card.turns, card.nb_turns);
	printf("   %-20s %8u messages of good ones, %9u in all: %5.0f ns each in a turn, "
			"%5.0f ns in all for each of good ones\n", way_names[way], nb, all,
			cost->turn, cost->good);
	test_child_cleanup();
	test_progress_ms(50);
	return TEST_SUCCESS;
}

static int
rounds_run(struct good *goods, unsigned int rounds)
{
	double good[NB_WAYS][MAX_ROUNDS], turn[NB_WAYS][MAX_ROUNDS];
	struct cost costs[NB_WAYS];
	uint64_t period;
	unsigned int i, r;
	uint32_t nb;

	TEST_CALL(goods_run(goods, 0, PHASE_MS, NULL, &nb));
	period = (uint64_t)PHASE_MS * 1000000 * NB_GOOD / (nb * GOOD_PERCENT / 100 + 1);
	test_note("%u good clients could have %u messages in a second, and send %u", NB_GOOD,
			nb * 1000 / PHASE_MS, nb * 1000 / PHASE_MS * GOOD_PERCENT / 100);
	for (r = 0; r < rounds; r++) {
		for (i = 0; i < NB_WAYS; i++)
			TEST_CALL(phase(goods, i, period, &costs[i]));
		for (i = 0; i < NB_WAYS; i++) {
			good[i][r] = costs[i].good / costs[BUSY].good;
			turn[i][r] = costs[i].turn / costs[BUSY].turn;
		}
	}
	for (i = 0; i < NB_WAYS; i++)
		test_note("%s, of what it is beside busy ones, medians of %u rounds: %.2f for a "
				"message, %.2f of all for each message of good ones", way_names[i],
				rounds, median(turn[i], rounds), median(good[i], rounds));
	return TEST_SUCCESS;
}

/* The children run on the main lcore, as this does: go to another one, if there is. */
static void
lcore_leave(void)
{
	unsigned int lcore = rte_get_next_lcore(-1, 1, 0);
	rte_cpuset_t cpus;

	if (lcore == RTE_MAX_LCORE) {
		printf("One lcore only: the numbers say little, give two\n");
		return;
	}
	cpus = rte_lcore_cpuset(lcore);
	rte_thread_set_affinity(&cpus);
}

static int
budget_cpu(unsigned int rounds)
{
	struct good goods[NB_GOOD] = { 0 };
	unsigned int i;

	test_time_limit(60 + rounds * 20);
	lcore_leave();
	TEST_CALL(test_place_open(&here));
	dpu = test_place_card(&here);
	host = test_place_host(&here, test_place_function(0));
	TEST_CALL(test_place_pair(dpu, host));
	TEST_CALL(card_start());
	client_pe = test_pe_new();
	for (i = 0; i < NB_GOOD; i++) {
		goods[i].ep = test_client_run("test", client_pe);
		TEST_TRUE(goods[i].ep != NULL);
		TEST_WAIT(goods[i].ep->conn != NULL, TEST_MS);
	}
	return rounds_run(goods, rounds);
}

static int
budget_cpu_main(struct unit_test_suite *suite)
{
	int rounds = atoi(getenv("COMCH_TEST_BUDGET_CPU"));
	int ret = TEST_FAILED;

	RTE_SET_USED(suite);
	if (rounds > 0 && rounds <= MAX_ROUNDS)
		ret = budget_cpu((unsigned int)rounds);
	else
		printf("COMCH_TEST_BUDGET_CPU is no number of rounds, 1 to %u\n", MAX_ROUNDS);
	test_child_cleanup();
	test_cleanup();
	if (host >= 0)
		test_vdev_remove((int16_t)host);
	if (dpu >= 0)
		test_vdev_remove((int16_t)dpu);
	test_place_close(&here);
	return ret;
}

REGISTER_COUNT_TEST(comch_budget_cpu, "COMCH_TEST_BUDGET_CPU", budget_cpu_main)
