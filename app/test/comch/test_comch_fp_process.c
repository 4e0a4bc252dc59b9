/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The fast path between processes: many producers and consumers with every byte
 * checked, one very large message, and what happens when a process is killed or
 * stopped at any moment.
 */

#include <inttypes.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_comch_fp_child.h"
#include "test_comch_fp_res.h"
#include "test_comch_fp_rx.h"

/* Messages of test_many_to_many unless COMCH_TEST_ROUNDS says otherwise. */
#define DFLT_ROUNDS 200000

#define GIANT (UINT64_C(1) << 30)

/* For cases that have much memory made, beside whatever else is going on. */
#define PATIENT_SECONDS 300

/*
 * The loss of a process must be known to its peers by then: in most cases, as it
 * takes the system its time to take the memory of a process away.
 */
#define LOSS_MS (test_place_is_bluefield() ? 8000u : 500u)
#define LOSS_WAIT_MS (TEST_MS + LOSS_MS)
#define LOSS_MAX 16

/* A peer that does not let go of a consumer's buffers loses its connection. */
#define LET_GO_MS 5000

/* For a card of this process, and for a child that is the card. */
static struct test_sides sides;

static struct test_rx rx;

/* How long it took, case by case. */
struct losses {
	unsigned int nb;
	uint64_t ns[LOSS_MAX];
};

static int
suite_setup(void)
{
	TEST_CALL(test_sides_open(&sides));
	if ((test_dev_info(test_pair.dpu).capa & RTE_COMCH_CAPA_PRODUCER) == 0)
		return test_skip("the devices have no producers");
	return TEST_SUCCESS;
}

static void
suite_teardown(void)
{
	test_sides_close(&sides);
}

static void
teardown(void)
{
	test_child_cleanup();
	test_load_cleanup();
	test_rx_cleanup();
	test_cleanup();
	test_link_cleanup();
	test_log_restore();
}

/* A child that is connected to the server of this process; nr of those at a time. */
static int
host_child(unsigned int nr, struct test_child **child, struct test_link **link)
{
	*child = test_fp_child_start(&sides.here, test_place_function(nr));
	TEST_EXPECT(test_child_ask(*child, 10000, "client test"), 0);
	TEST_WAIT((*link = test_link_of_child(*child)) != NULL, TEST_MS);
	return TEST_SUCCESS;
}

/* A child that is the card, and has a server. */
static struct test_child *
card_child(void)
{
	struct test_child *child = test_fp_child_start(&sides.there, NULL);

	if (test_child_ask(child, 10000, "server test") != 0)
		test_give_up("no server in the child");
	return child;
}

/* Both sides of a load begin. */
static int
load_begin(struct test_child *child, const struct test_load_conf *conf, struct test_load **load)
{
	TEST_WAIT(conf->link->nb_ids == 0, TEST_MS);
	TEST_EXPECT(test_fp_child_load(child, conf), 0);
	*load = test_load_start(conf);
	TEST_TRUE(*load != NULL);
	return TEST_SUCCESS;
}

/* Both sides have come to their ends, and agree on what happened. */
static int
load_end(struct test_child *child, struct test_load *load, struct test_load_sum *sum)
{
	uint64_t sent, received;
	unsigned int lost;

	TEST_EXPECT(test_child_tell(child, "wait"), 0);
	TEST_EXPECT(test_load_wait(load, UINT32_MAX, sum), 0);
	TEST_EXPECT(test_child_answer(child, 60000), 0);
	TEST_EXPECT(sscanf(child->reply, "%" SCNu64 " %" SCNu64 " %*u %u", &sent, &received,
			&lost), 3);
	TEST_EXPECT(lost, 0);
	TEST_EXPECT(sum->nb_lost, 0);
	TEST_EXPECT(received, sum->sent);
	TEST_EXPECT(sum->received, sent);
	return TEST_SUCCESS;
}

static void
print_rate(const char *what, const struct test_load_sum *sum, uint64_t ns)
{
	double s = (double)RTE_MAX(ns, UINT64_C(1)) / 1e9;
	uint64_t msgs = sum->sent + sum->received;

	test_note("%s: %" PRIu64 " messages in %.1f s, %.0f per second; %.0f bytes on average; "
			"%" PRIu64 " short bursts", what, msgs, s, (double)msgs / s,
			sum->received == 0 ? 0 : (double)sum->bytes / (double)sum->received,
			sum->short_bursts);
}

/* A line now and then, for those who wait for a long time. */
static void
load_watch(const struct test_load *load, uint64_t all, uint64_t start)
{
	uint64_t line = start + 10000000000;
	struct test_load_sum sum;

	while (!test_load_done(load)) {
		if (test_progress() == 0)
			usleep(1000);
		if (test_now_ns() < line)
			continue;
		line += 10000000000;
		test_load_sum(load, &sum);
		test_note("%" PRIu64 " s: %" PRIu64 " of %" PRIu64 " messages, %.1f %%",
				(test_now_ns() - start) / 1000000000, sum.sent + sum.received, all,
				(double)(sum.sent + sum.received) * 100 / (double)all);
	}
}

/*
 * 4 producers and 4 consumers on either side, each thread with an engine of its
 * own; every producer sends to all 4 consumers of the peer.
 */
static int
test_many_to_many(void)
{
	const char *env = getenv("COMCH_TEST_ROUNDS");
	struct test_load_conf conf = {
		.nb_producers = 4,
		.nb_consumers = 4,
		.peer_producers = 4,
		.peer_consumers = 4,
		.nb_posts = 64,
		.nb_sends = 64,
		.max_len = 16384,
		.seed = 1,
	};
	struct test_child *child;
	struct test_load *load;
	struct test_load_sum sum;
	uint64_t rounds, start;

	rounds = env != NULL ? strtoull(env, NULL, 10) : DFLT_ROUNDS;
	rounds = RTE_MIN(RTE_MAX(rounds, UINT64_C(8)), UINT64_C(10000000000));
	conf.msgs = rounds / 8;
	/* 20 us of each message is ten times what it takes */
	test_time_limit((unsigned int)(120 + rounds / 50000));
	test_link_listen("test", test_pe_new());
	TEST_CALL(host_child(0, &child, &conf.link));
	start = test_now_ns();
	TEST_CALL(load_begin(child, &conf, &load));
	load_watch(load, conf.msgs * 8, start);
	TEST_CALL(load_end(child, load, &sum));
	print_rate("4 producers and 4 consumers each way", &sum, test_now_ns() - start);
	TEST_EXPECT(sum.sent, conf.msgs * 4);
	TEST_EXPECT(sum.received, conf.msgs * 4);
	TEST_EXPECT(test_child_end(child), 0);
	return TEST_SUCCESS;
}

/*
 * The same, smaller, into memory of this process: what comes is copied out of a bounce buffer,
 * and all of it is there.
 */
static int
test_into_own_memory(void)
{
	struct test_load_conf conf = {
		.nb_producers = 2,
		.nb_consumers = 2,
		.peer_producers = 2,
		.peer_consumers = 2,
		.msgs = 20000,
		.nb_posts = 32,
		.nb_sends = 32,
		.max_len = 9000,
		.seed = 3,
		.own = true,
	};
	struct test_child *child;
	struct test_load *load;
	struct test_load_sum sum;
	unsigned int round;

	test_link_listen("test", test_pe_new());
	TEST_CALL(host_child(0, &child, &conf.link));
	/* the second time with bounce buffers that are made anew */
	for (round = 0; round < 2; round++, conf.seed++) {
		TEST_CALL(load_begin(child, &conf, &load));
		TEST_CALL(load_end(child, load, &sum));
		TEST_EXPECT(sum.sent, conf.msgs * 2);
		TEST_EXPECT(sum.received, conf.msgs * 2);
	}
	TEST_EXPECT(test_child_end(child), 0);
	return TEST_SUCCESS;
}

static uint64_t
available_bytes(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	uint64_t kb = 0;
	char *line = NULL;
	size_t size = 0;

	if (f == NULL)
		return 0;
	while (getline(&line, &size, f) > 0)
		if (sscanf(line, "MemAvailable: %" SCNu64, &kb) == 1)
			break;
	free(line);
	fclose(f);
	return kb * 1024;
}

static int
test_giant_message(void)
{
	const uint64_t seed = UINT64_C(0x0123456789abcdef);
	struct rte_comch_dev_info info;
	struct rte_comch_pe *pe = test_pe_new();
	struct test_child *child;
	struct test_link *link;
	double ms;

	if (available_bytes() < 3 * GIANT)
		return test_skip("%" PRIu64 " MiB of memory are available, and 3 GiB are needed",
				available_bytes() >> 20);
	test_time_limit(PATIENT_SECONDS);
	TEST_EXPECT(rte_comch_dev_info_get(test_pair.dpu, &info), 0);
	if (info.max_buf_size < GIANT)
		return test_skip("a message of the devices has at most %" PRIu64 " bytes",
				info.max_buf_size);
	test_link_listen("test", pe);
	TEST_CALL(host_child(0, &child, &link));
	TEST_CALL(test_rx_open(&rx, TEST_RX_BURST, link, pe, 1, GIANT));
	rx.finish = true;
	TEST_EXPECT(test_child_tell(child, "giant %" PRIu64 " %" PRIu64, GIANT, seed), 0);
	TEST_RX_WAIT(&rx, rx.received == 1, 60000);
	TEST_TRUE(rx.last_seed == seed);
	TEST_EXPECT(rx.out, 0);
	TEST_EXPECT(test_child_answer(child, 30000), 0);
	ms = strtod(child->reply, NULL) / 1e6;
	test_note("1 GiB in one message: %.0f ms, %.2f GB/s", ms,
			(double)GIANT / 1e6 / RTE_MAX(ms, 0.001));
	TEST_TRUE(test_rx_stop(&rx) == -EINPROGRESS);
	TEST_RX_WAIT(&rx, rte_comch_ctx_state_get(rx.ctx) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(test_rx_destroy(&rx), 0);
	TEST_EXPECT(test_rx_free(&rx), 0);
	TEST_EXPECT(test_child_end(child), 0);
	return TEST_SUCCESS;
}

static const struct {
	unsigned int threads;
	uint32_t nb;
	uint64_t len;
} kinds[TEST_RX_KINDS] = {
	[TEST_RX_BURST] = { 1, 2, 64 << 20 },
	[TEST_RX_MBUF] = { 3, 256, 2048 },
	[TEST_RX_TASK] = { 2, 8, 4 << 20 },
};

static int
compare_u64(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int
losses_judge(struct losses *losses)
{
	uint64_t median;

	qsort(losses->ns, losses->nb, sizeof(losses->ns[0]), compare_u64);
	median = losses->ns[losses->nb / 2];
	test_note("%u processes killed: after %" PRIu64 " us (median), %" PRIu64 " us at most, all "
			"of it was known and over", losses->nb, median / 1000,
			losses->ns[losses->nb - 1] / 1000);
	TEST_TRUE(median < (uint64_t)LOSS_MS * 1000000);
	return TEST_SUCCESS;
}

/* A process is killed while its producers copy into our buffers. */
static int
kill_producers(enum test_rx_kind kind, struct rte_comch_pe *pe, struct losses *losses)
{
	struct test_child *victim;
	struct test_link *link;
	uint32_t returned;
	uint64_t start, end;

	TEST_CALL(host_child(0, &victim, &link));
	TEST_CALL(test_rx_open(&rx, kind, link, pe, kinds[kind].nb, kinds[kind].len));
	TEST_EXPECT(test_child_ask(victim, 20000, "blast %u %" PRIu64, kinds[kind].threads,
			kinds[kind].len), 0);
	TEST_RX_WAIT(&rx, rx.received >= 2, 10000);
	end = test_now_ns() + test_rand() % 40000000;
	while (test_now_ns() < end) {
		test_progress();
		test_rx_turn(&rx);
	}
	start = test_now_ns();
	TEST_EXPECT(kill(victim->pid, SIGKILL), 0);
	rx.finish = true;
	TEST_RX_WAIT(&rx, link->ended, LOSS_WAIT_MS);
	TEST_EXPECT(link->status, -ECONNRESET);
	returned = rx.out;
	TEST_RX_WAIT(&rx, rte_comch_ctx_state_get(rx.ctx) == RTE_COMCH_STATE_IDLE, TEST_MS);
	losses->ns[losses->nb++] = test_now_ns() - start;
	TEST_EXPECT(rte_comch_ctx_reason_get(rx.ctx), -ECONNRESET);
	TEST_TRUE(test_rx_has_all(&rx));
	if (returned != 0 || rx.returned != 0)
		TEST_EXPECT(rx.status, -ECONNRESET);
	TEST_EXPECT(test_rx_destroy(&rx), 0);
	TEST_EXPECT(test_rx_free(&rx), 0);
	test_child_kill(victim);
	return TEST_SUCCESS;
}

static int
test_producer_process_killed(void)
{
	struct test_load_conf conf = {
		.nb_producers = 2,
		.nb_consumers = 2,
		.peer_producers = 2,
		.peer_consumers = 2,
		.nb_posts = 32,
		.nb_sends = 32,
		.max_len = 4096,
		.seed = 3,
	};
	struct rte_comch_pe *pe = test_pe_new();
	struct losses losses = { .nb = 0 };
	struct test_child *other;
	struct test_load_sum sum, was;
	struct test_resources before;
	struct test_load *load;
	unsigned int round;
	uint64_t start;

	test_time_limit(PATIENT_SECONDS);
	test_link_listen("test", pe);
	TEST_CALL(host_child(1, &other, &conf.link));
	start = test_now_ns();
	TEST_CALL(load_begin(other, &conf, &load));
	/* a loss takes seconds over BlueField: fewer of them */
	for (round = 0; round < (test_place_is_bluefield() ? 2u : 3u) * TEST_RX_KINDS; round++) {
		if (round == TEST_RX_KINDS) /* what is made once has been made */
			test_resources_get(&before);
		test_load_sum(load, &was);
		TEST_CALL(kill_producers(round % TEST_RX_KINDS, pe, &losses));
		/* the other client goes on meanwhile, and nothing of its is lost */
		test_load_sum(load, &sum);
		TEST_TRUE(!test_load_done(load));
		TEST_TRUE(sum.sent > was.sent && sum.received > was.received);
	}
	TEST_CALL(test_resources_same(&before));
	TEST_EXPECT(test_child_ask(other, 10000, "finish"), 0);
	test_load_finish(load);
	TEST_CALL(load_end(other, load, &sum));
	print_rate("the other client", &sum, test_now_ns() - start);
	TEST_EXPECT(test_child_end(other), 0);
	TEST_CALL(losses_judge(&losses));
	return TEST_SUCCESS;
}

/* A process is killed while we send to its consumers, and it to ours. */
static int
kill_consumers(struct test_ep *client, unsigned int round, struct losses *losses)
{
	struct test_load_conf conf = {
		.nb_producers = 3,
		.nb_consumers = 2,
		.peer_producers = 2,
		.peer_consumers = 3,
		.nb_posts = 16,
		.nb_sends = 16,
		.max_len = 1 << 18,
		.seed = 100 + round,
	};
	struct test_child *victim = card_child();
	struct test_load_sum sum;
	struct test_load *load;
	uint64_t start;

	TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
	TEST_WAIT((conf.link = test_link_of(0, NULL)) != NULL, TEST_MS);
	TEST_CALL(load_begin(victim, &conf, &load));
	do {
		test_progress_ms(1);
		test_load_sum(load, &sum);
	} while ((sum.sent < 100 || sum.received < 100) && !test_load_done(load));
	test_progress_ms(test_rand() % 40);
	start = test_now_ns();
	TEST_EXPECT(kill(victim->pid, SIGKILL), 0);
	TEST_WAIT(conf.link->ended, LOSS_WAIT_MS);
	TEST_EXPECT(conf.link->status, -ECONNRESET);
	TEST_EXPECT(test_load_wait(load, 10000, &sum), 0);
	losses->ns[losses->nb++] = test_now_ns() - start;
	TEST_EXPECT(sum.nb_lost, conf.nb_producers + conf.nb_consumers);
	TEST_EXPECT(sum.reason, -ECONNRESET);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	test_child_kill(victim);
	return TEST_SUCCESS;
}

static int
test_consumer_process_killed(void)
{
	struct rte_comch_pe *pe = test_pe_new();
	struct test_resources before;
	struct losses losses = { .nb = 0 };
	struct test_ep *client;
	unsigned int round;

	client = test_link_connect("test", pe);
	TEST_TRUE(rte_comch_ctx_stop(client->ctx) != -EALREADY);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	for (round = 0; round < (test_place_is_bluefield() ? 3u : 6u); round++) {
		if (round == 2)
			test_resources_get(&before);
		TEST_CALL(kill_consumers(client, round, &losses));
	}
	TEST_CALL(test_resources_same(&before));
	return losses_judge(&losses);
}

/* A process that does not run for a while is late, and nothing else. */
static int
test_stopped_process(void)
{
	struct test_load_conf conf = {
		.nb_producers = 2,
		.nb_consumers = 2,
		.peer_producers = 2,
		.peer_consumers = 2,
		.nb_posts = 32,
		.nb_sends = 32,
		.max_len = 65536,
		.seed = 4,
	};
	struct test_child *child;
	struct test_load_sum sum, was;
	struct test_load *load;
	unsigned int i;
	uint64_t start;
	int status;

	test_link_listen("test", test_pe_new());
	TEST_CALL(host_child(0, &child, &conf.link));
	start = test_now_ns();
	TEST_CALL(load_begin(child, &conf, &load));
	for (i = 0; i < 8; i++) {
		test_load_sum(load, &was);
		do {
			test_progress_ms(1 + test_rand() % 20);
			test_load_sum(load, &sum);
		} while (sum.received < was.received + 100 && !test_load_done(load));
		TEST_EXPECT(kill(child->pid, SIGSTOP), 0);
		TEST_TRUE(waitpid(child->pid, &status, WUNTRACED) == child->pid);
		test_progress_ms(50 + test_rand() % 200);
		TEST_TRUE(!conf.link->ended);
		TEST_EXPECT(kill(child->pid, SIGCONT), 0);
	}
	TEST_EXPECT(test_child_ask(child, 10000, "finish"), 0);
	test_load_finish(load);
	TEST_CALL(load_end(child, load, &sum));
	print_rate("stopped 8 times", &sum, test_now_ns() - start);
	TEST_EXPECT(test_child_end(child), 0);
	return TEST_SUCCESS;
}

/*
 * A process that could make others pass fences when it began, and cannot any more: it knows,
 * and its device fails.
 */
static int
test_barriers_begin_to_fail(void)
{
	struct test_load_conf conf = {
		.nb_producers = 2,
		.nb_consumers = 2,
		.peer_producers = 2,
		.peer_consumers = 2,
		.nb_posts = 32,
		.nb_sends = 32,
		.max_len = 65536,
		.seed = 5,
	};
	struct test_child *child;
	struct test_load_sum sum;
	struct test_load *load;

	if (test_place_is_bluefield())
		return test_skip("there are no fences for others");
	test_log_quiet(); /* of what is done to the peer on purpose */
	test_link_listen("test", test_pe_new());
	TEST_CALL(host_child(0, &child, &conf.link));
	TEST_CALL(load_begin(child, &conf, &load));
	do {
		test_progress_ms(1);
		test_load_sum(load, &sum);
	} while ((sum.sent < 100 || sum.received < 100) && !test_load_done(load));
	if (test_child_ask(child, 10000, "refuse %d", SYS_membarrier) != 0)
		return test_skip("there is no seccomp");
	/* its consumers stop, which takes a fence */
	TEST_EXPECT(test_child_ask(child, 10000, "finish"), 0);
	TEST_WAIT(conf.link->ended, LOSS_WAIT_MS);
	/* its producers may have found no consumer before that, which is no matter */
	TEST_TRUE(test_load_wait(load, 10000, &sum) != -ETIMEDOUT);
	test_child_ask(child, 10000, "wait");
	TEST_EXPECT(test_child_ask(child, 10000, "device"), 0);
	TEST_EXPECT(atoi(child->reply), -EIO);
	TEST_EXPECT(test_child_end(child), 0);
	return TEST_SUCCESS;
}

/* A process that does not run is late with an answer: it is lost, and no liar. */
static int
test_start_beside_stopped_process(void)
{
	const struct rte_comch_consumer_conf conf = { .nb_posts = 4 };
	struct rte_comch_dev_stats before, after;
	struct rte_comch_pe *pe = test_pe_new();
	struct rte_comch_ctx *ctx;
	struct test_child *child;
	struct test_link *link;
	int status;

	test_log_quiet(); /* of what is done to the peer on purpose */
	test_link_listen("test", pe);
	TEST_CALL(host_child(0, &child, &link));
	TEST_EXPECT(rte_comch_dev_stats_get(test_pair.dpu, &before), 0);
	TEST_EXPECT(kill(child->pid, SIGSTOP), 0);
	TEST_TRUE(waitpid(child->pid, &status, WUNTRACED) == child->pid);
	TEST_EXPECT(rte_comch_consumer_create(link->conn, &conf, &ctx), 0);
	TEST_EXPECT(rte_comch_ctx_attach(ctx, pe), 0);
	TEST_EXPECT(rte_comch_ctx_start(ctx), -EINPROGRESS);
	TEST_WAIT(link->ended && rte_comch_ctx_state_get(ctx) == RTE_COMCH_STATE_IDLE,
			LET_GO_MS + TEST_MS);
	TEST_EXPECT(link->status, test_place_is_bluefield() ? -ECONNRESET : -ETIMEDOUT);
	TEST_EXPECT(rte_comch_ctx_reason_get(ctx), -ENOTCONN);
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	TEST_EXPECT(rte_comch_dev_stats_get(test_pair.dpu, &after), 0);
	TEST_EXPECT(after.violations, before.violations);
	TEST_EXPECT(after.peer_lost, before.peer_lost + 1);
	TEST_EXPECT(kill(child->pid, SIGCONT), 0);
	TEST_EXPECT(test_child_end(child), 0);
	return TEST_SUCCESS;
}

#define FIRE_BYTE 0x5a

static bool
region_untouched(const struct rte_comch_mem_info *info)
{
	const uint8_t *p = info->addr;

	/* each byte is like the one before it, and so like the first */
	return p[0] == FIRE_BYTE && memcmp(p, p + 1, info->len - 1) == 0;
}

/*
 * One message of 1 GiB is on its way into our only buffer: on an engine that has nothing
 * but the consumer, and beside that of the connection.
 */
static int
giant_begin(struct rte_comch_pe *own, struct test_child **child, struct test_link **link)
{
	const uint64_t *word;

	if (test_place_is_bluefield())
		return test_skip("the peer does not copy");
	if (available_bytes() < 3 * GIANT)
		return test_skip("%" PRIu64 " MiB of memory are available, and 3 GiB are needed",
				available_bytes() >> 20);
	test_time_limit(PATIENT_SECONDS);
	test_link_listen("test", test_pe_new());
	TEST_CALL(host_child(0, child, link));
	TEST_CALL(test_rx_open(&rx, TEST_RX_BURST, *link, own, 1, GIANT));
	rx.finish = true;
	TEST_EXPECT(test_child_tell(*child, "giant %" PRIu64 " 1", GIANT), 0);
	word = (const uint64_t *)(const void *)rx.base;
	TEST_WAIT(__atomic_load_n(word, __ATOMIC_RELAXED) != 0, 60000);
	return TEST_SUCCESS;
}

/* Turn the consumer's engine, and no other, until it is IDLE: after how many ms. */
static int
stopped_alone(struct rte_comch_pe *own, uint64_t *ms)
{
	uint64_t start = test_now_ns();

	do {
		*ms = (test_now_ns() - start) / 1000000;
		TEST_ASSERT(*ms < LET_GO_MS + TEST_MS, "not IDLE after %" PRIu64 " ms", *ms);
		TEST_TRUE(rte_comch_pe_progress(own) >= 0);
		test_rx_turn(&rx);
		sched_yield();
	} while (rte_comch_ctx_state_get(rx.ctx) != RTE_COMCH_STATE_IDLE);
	return TEST_SUCCESS;
}

/* What is being copied when it is stopped arrives, and nothing is written after that. */
static int
test_stop_while_copied(void)
{
	struct rte_comch_pe *own = test_pe_new();
	struct rte_comch_mem_info info;
	struct test_child *child;
	struct test_link *link;
	uint64_t ms;
	int ret;

	ret = giant_begin(own, &child, &link);
	if (ret != TEST_SUCCESS)
		return ret;
	TEST_EXPECT(test_rx_stop(&rx), -EINPROGRESS);
	TEST_CALL(stopped_alone(own, &ms));
	if (rx.returned != 0 && ms >= LET_GO_MS)
		return test_skip("to copy 1 GiB takes more than %u ms", LET_GO_MS);
	TEST_TRUE(rx.received == 1 && rx.returned == 0 && test_rx_has_all(&rx));
	TEST_EXPECT(rte_comch_mem_info_get(rx.mem, &info), 0);
	memset(info.addr, FIRE_BYTE, info.len);
	TEST_EXPECT(test_child_answer(child, 30000), 0);
	TEST_ASSERT(region_untouched(&info), "written to after IDLE");
	test_note("IDLE after %" PRIu64 " ms", ms);
	TEST_EXPECT(test_rx_destroy(&rx), 0);
	TEST_EXPECT(test_rx_free(&rx), 0);
	TEST_TRUE(!link->ended);
	TEST_EXPECT(test_child_end(child), 0);
	return TEST_SUCCESS;
}

/* A process that is stopped while it copies is given five seconds, and lost. */
static int
test_stop_while_copier_hangs(void)
{
	struct rte_comch_dev_stats before, after;
	struct rte_comch_pe *own = test_pe_new();
	struct test_child *child;
	struct test_link *link;
	int ret, status;
	uint64_t ms;

	test_log_quiet(); /* of what is done to the peer on purpose */
	TEST_EXPECT(rte_comch_dev_stats_get(test_pair.dpu, &before), 0);
	ret = giant_begin(own, &child, &link);
	if (ret != TEST_SUCCESS)
		return ret;
	TEST_EXPECT(kill(child->pid, SIGSTOP), 0);
	TEST_TRUE(waitpid(child->pid, &status, WUNTRACED) == child->pid);
	TEST_EXPECT(test_rx_stop(&rx), -EINPROGRESS);
	TEST_CALL(stopped_alone(own, &ms));
	TEST_TRUE(rx.received == 0 && rx.returned == 1 && rx.status == -ECONNRESET);
	TEST_TRUE(ms >= LET_GO_MS && test_rx_has_all(&rx));
	TEST_EXPECT(test_rx_destroy(&rx), 0);
	TEST_EXPECT(test_rx_free(&rx), 0);
	TEST_TRUE(!link->ended);
	TEST_WAIT(link->ended, TEST_MS);
	TEST_EXPECT(link->status, -ETIMEDOUT);
	TEST_EXPECT(rte_comch_dev_stats_get(test_pair.dpu, &after), 0);
	TEST_EXPECT(after.violations, before.violations);
	TEST_EXPECT(after.peer_lost, before.peer_lost + 1);
	test_child_kill(child);
	return TEST_SUCCESS;
}

/* Its engine cannot answer: it is given five seconds. */
static int
test_stop_beside_stopped_process(void)
{
	struct rte_comch_pe *pe = test_pe_new();
	struct test_child *child;
	struct test_link *link;
	uint64_t start, ms;
	int status, reason;

	if (!test_place_is_bluefield())
		return test_skip("no answer is needed: test_stop_while_copier_hangs");
	test_log_quiet(); /* of what is done to the peer on purpose */
	test_link_listen("test", pe);
	TEST_CALL(host_child(0, &child, &link));
	TEST_CALL(test_rx_open(&rx, TEST_RX_BURST, link, pe, 64, 65536));
	TEST_EXPECT(test_child_ask(child, 10000, "blast 2 65536"), 0);
	TEST_RX_WAIT(&rx, rx.received >= 100, 10000);
	TEST_EXPECT(kill(child->pid, SIGSTOP), 0);
	TEST_TRUE(waitpid(child->pid, &status, WUNTRACED) == child->pid);
	start = test_now_ns();
	TEST_EXPECT(test_rx_stop(&rx), -EINPROGRESS);
	TEST_RX_WAIT(&rx, rte_comch_ctx_state_get(rx.ctx) == RTE_COMCH_STATE_IDLE,
			LET_GO_MS + TEST_MS);
	ms = (test_now_ns() - start) / 1000000;
	TEST_TRUE(test_rx_has_all(&rx));
	TEST_EXPECT(test_rx_destroy(&rx), 0);
	TEST_EXPECT(test_rx_free(&rx), 0);
	TEST_RX_WAIT(&rx, link->ended, TEST_MS);
	TEST_TRUE(ms < LET_GO_MS + 1000);
	/* it finds out when it runs again */
	TEST_EXPECT(kill(child->pid, SIGCONT), 0);
	start = test_now_ns();
	do {
		TEST_EXPECT(test_child_ask(child, 10000, "state"), 0);
		TEST_TRUE(test_now_ns() - start < 5000000000);
		TEST_EXPECT(sscanf(child->reply, "%d %d", &status, &reason), 2);
	} while (status != RTE_COMCH_STATE_IDLE);
	test_note("the consumer was IDLE after %" PRIu64 " ms, %u buffers came back; here the "
			"connection ended with \"%s\", there with \"%s\"", ms, rx.returned,
			strerror(-link->status), strerror(-reason));
	TEST_TRUE(reason != 0);
	TEST_EXPECT(test_child_end(child), 0);
	return TEST_SUCCESS;
}

/* Buffers of a round, and of one that ends before they can all be filled. */
struct fire {
	unsigned int rounds;
	uint64_t len;
	uint32_t nb[TEST_RX_KINDS];
	uint32_t nb_at_once[TEST_RX_KINDS];
};

/* Many small messages, and few that take a while to copy. */
static const struct fire fires[] = {
	{ 96, 2048, { 64, 64, 64 }, { 4096, 64, 2048 } },
	{ 48, 49152, { 64, 64, 64 }, { 256, 128, 256 } },
	{ 24, 1 << 20, { 4, 0, 4 }, { 12, 0, 12 } },
};

struct fire_sum {
	uint64_t received;
	uint64_t returned;
};

/* One life of a consumer, whose buffers must be its own again when it is IDLE. */
static int
fire_round(const struct fire *fire, unsigned int round, struct test_link *link,
		struct rte_comch_pe *pe, struct fire_sum *sum)
{
	enum test_rx_kind kind = round % TEST_RX_KINDS;
	bool at_once = round % 4 == 0, alone = round % 2 != 0 && !test_place_is_bluefield();
	uint64_t end, ms, nb = 1 + test_rand() % 50;
	struct rte_comch_mem_info info;
	int ret;

	if (fire->nb[kind] == 0)
		kind = TEST_RX_BURST;
	TEST_CALL(test_rx_open(&rx, kind, link, pe,
			at_once ? fire->nb_at_once[kind] : fire->nb[kind], fire->len));
	/* at once is when the producers have just begun to fill what there is */
	rx.finish = at_once;
	TEST_RX_WAIT(&rx, rx.received >= (at_once ? 1 : nb), 10000);
	end = test_now_ns() + test_rand() % 500000;
	while (!at_once && test_now_ns() < end)
		test_rx_turn(&rx);
	ret = test_rx_stop(&rx);
	TEST_TRUE(ret == -EINPROGRESS || ret == 0);
	if (alone)
		TEST_CALL(stopped_alone(pe, &ms));
	TEST_RX_WAIT(&rx, rte_comch_ctx_state_get(rx.ctx) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_mem_info_get(rx.mem, &info), 0);
	memset(info.addr, FIRE_BYTE, info.len);
	TEST_TRUE(test_rx_has_all(&rx));
	TEST_EXPECT(rte_comch_ctx_reason_get(rx.ctx), 0);
	if (rx.returned != 0)
		TEST_EXPECT(rx.status, -ECANCELED);
	if (round % 2 != 0)
		test_progress_ms(1);
	TEST_ASSERT(region_untouched(&info), "round %u: written to after IDLE", round);
	TEST_EXPECT(test_rx_destroy(&rx), 0);
	/* what was about to copy has the time to do so */
	test_progress_ms(1 + test_rand() % 8);
	TEST_ASSERT(region_untouched(&info), "round %u: written to after its end", round);
	sum->received += rx.received;
	sum->returned += rx.returned;
	TEST_EXPECT(test_rx_free(&rx), 0);
	return TEST_SUCCESS;
}

static int
fire_all(const struct fire *fire, struct rte_comch_pe *pe, struct rte_comch_pe *own_pe)
{
	struct fire_sum sum = { .received = 0 };
	struct test_resources before;
	struct test_child *child;
	struct test_link *link;
	unsigned int round;

	TEST_CALL(host_child(0, &child, &link));
	TEST_EXPECT(test_child_ask(child, 10000, "blast 3 %" PRIu64, fire->len), 0);
	for (round = 0; round < fire->rounds; round++) {
		if (round == 4 * TEST_RX_KINDS)
			test_resources_get(&before);
		TEST_CALL(fire_round(fire, round, link, round % 2 == 0 ? pe : own_pe, &sum));
		TEST_TRUE(!link->ended);
	}
	TEST_CALL(test_resources_same(&before));
	TEST_EXPECT(test_child_ask(child, 10000, "blasted"), 0);
	test_note("%" PRIu64 " bytes: %u consumers destroyed, %" PRIu64 " messages received of%s "
			"sent, %" PRIu64 " buffers came back", fire->len, round, sum.received,
			child->reply, sum.returned);
	TEST_TRUE(sum.received > 0); /* whether a buffer stays empty is up to the producers */
	TEST_EXPECT(test_child_end(child), 0);
	TEST_WAIT(link->ended, TEST_MS);
	TEST_EXPECT(link->status, 0);
	return TEST_SUCCESS;
}

static int
test_consumer_destroyed_under_fire(void)
{
	struct rte_comch_pe *pe = test_pe_new(), *own_pe = test_pe_new();
	unsigned int i;

	test_time_limit(PATIENT_SECONDS);
	test_link_listen("test", pe);
	for (i = 0; i < RTE_DIM(fires); i++)
		TEST_CALL(fire_all(&fires[i], pe, own_pe));
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: fast path between processes",
	.setup = suite_setup,
	.teardown = suite_teardown,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, teardown, test_many_to_many),
		TEST_CASE_ST(NULL, teardown, test_into_own_memory),
		TEST_CASE_ST(NULL, teardown, test_giant_message),
		TEST_CASE_ST(NULL, teardown, test_producer_process_killed),
		TEST_CASE_ST(NULL, teardown, test_consumer_process_killed),
		TEST_CASE_ST(NULL, teardown, test_stopped_process),
		TEST_CASE_ST(NULL, teardown, test_barriers_begin_to_fail),
		TEST_CASE_ST(NULL, teardown, test_start_beside_stopped_process),
		TEST_CASE_ST(NULL, teardown, test_stop_beside_stopped_process),
		TEST_CASE_ST(NULL, teardown, test_stop_while_copied),
		TEST_CASE_ST(NULL, teardown, test_stop_while_copier_hangs),
		TEST_CASE_ST(NULL, teardown, test_consumer_destroyed_under_fire),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(comch_fp_process_autotest, unit_test_suite_runner, &suite)
