/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Faults of the fast path that once were there: a case for each, which says what
 * went wrong. Those that a hostile peer could cause are in the test_shm_peer files.
 */

#include <poll.h>
#include <sys/sysinfo.h>

#include <rte_log.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "test_comch_fp_util.h"
#include "test_comch_place.h"

/* A wake-up that has not come by then is lost. */
#define LOST_MS 2000

/* Consumers that one side starts at one time, and connections that they are of. */
#define CROWD 600
#define CROWD_CONNS 3

/* Calls of what must be logged once. */
#define MISTAKES 100

/* Progress these two engines alone, until a condition holds. */
#define TURN_UNTIL(cond, pe1, pe2) TEST_UNTIL_TEXT(cond, #cond, test_turn(pe1, pe2), TEST_MS)

static int
fp_need_event(void)
{
	TEST_CALL(test_fp_need());
	return test_need_event();
}

static struct rte_comch_dev_stats
dev_stats(int16_t dev)
{
	struct rte_comch_dev_stats stats = { 0 };

	rte_comch_dev_stats_get(dev, &stats);
	return stats;
}

static uint64_t
violations(void)
{
	return dev_stats(test_pair.dpu).violations + dev_stats(test_pair.host).violations;
}

static int
wait_fd(struct rte_comch_pe *pe, int ms)
{
	struct pollfd pfd = { .fd = rte_comch_pe_fd(pe), .events = POLLIN };

	return poll(&pfd, 1, ms);
}

/* End the connection from the side that sends. */
static int
disconnect(struct test_fp *fp)
{
	if (test_ctx_info(fp->tx.ep->ctx).type == RTE_COMCH_CTX_CLIENT)
		TEST_EXPECT(rte_comch_ctx_stop(fp->tx.ep->ctx), -EINPROGRESS);
	else
		TEST_EXPECT(rte_comch_server_disconnect(fp->tx.ep->conn), 0);
	TURN_UNTIL(fp->rx.ep->conn == NULL, fp->rx.pe, fp->tx.pe);
	return TEST_SUCCESS;
}

/*
 * A consumer of packets whose completions were polled, as a loop does that stops
 * all kinds of consumers: it had none, and took that for nonsense of the peer, whose
 * connection it ended.
 */
static int
test_packets_polled(struct test_fp *fp)
{
	struct rte_comch_mem *mem = test_mem_pool(fp->rx.dev, "regress", 64, 0, 512,
			RTE_COMCH_MEM_F_PEER_WRITE);
	uint64_t before = violations();
	struct test_q *consumer, *producer;
	struct rte_comch_cpl cpls[8];
	struct rte_mbuf *pkts[8];
	struct test_slots from;
	uint32_t round, i;

	TEST_CALL(test_slots_new(&from, fp->tx.dev, 0, 1, 64));
	TEST_CALL(test_fp_consumer(fp, mem, 16, 0, &consumer));
	TEST_CALL(test_fp_producer(fp, 4, &producer));
	for (round = 0; round < 3; round++) {
		if (round != 0)
			TEST_CALL(test_q_start(consumer, &fp->tx));
		TEST_EXPECT(rte_comch_consumer_rx_burst(consumer->ctx, pkts, RTE_DIM(pkts)), 0);
		for (i = 0; i < 10; i++) {
			TEST_EXPECT(rte_comch_queue_poll_burst(consumer->ctx, cpls, RTE_DIM(cpls)),
					0);
			test_progress();
		}
		TEST_EXPECT(violations(), before);
		/* with a packet there, which stays there */
		TEST_WAIT(test_send_slot(producer, consumer->id, &from, 0, 64, 0) == 1, TEST_MS);
		TEST_EXPECT(test_poll(producer, cpls, 1), 1);
		TEST_EXPECT(rte_comch_queue_poll_burst(consumer->ctx, cpls, RTE_DIM(cpls)), 0);
		TEST_EXPECT(rte_comch_consumer_rx_burst(consumer->ctx, pkts, RTE_DIM(pkts)), 1);
		TEST_EXPECT(pkts[0]->pkt_len, 64);
		rte_pktmbuf_free(pkts[0]);
		/* and while it stops */
		TEST_EXPECT(rte_comch_ctx_stop(consumer->ctx), -EINPROGRESS);
		TEST_WAIT(rte_comch_queue_poll_burst(consumer->ctx, cpls, RTE_DIM(cpls)) != 0 ||
				test_q_state(consumer) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_EXPECT(test_q_state(consumer), RTE_COMCH_STATE_IDLE);
		TEST_EXPECT(rte_comch_ctx_reason_get(consumer->ctx), 0);
	}
	TEST_TRUE(fp->rx.ep->conn != NULL && fp->tx.ep->conn != NULL);
	TEST_EXPECT(violations(), before);
	TEST_EXPECT(test_q_close(consumer), 0);
	return TEST_SUCCESS;
}

/*
 * A producer without credits slept until one of its consumers posts. That one went
 * away, which is an answer too, but nobody woke the producer to hear it.
 */
static int
test_starved_of_departed(struct test_fp *fp)
{
	struct rte_comch_pe *pe = fp->tx.q_pe;
	struct test_q *stays, *leaves, *producer;
	struct rte_comch_room room;
	uint32_t round;

	TEST_CALL(test_fp_queues(fp, NULL, 4, 4, &stays, &producer));
	for (round = 1; round <= 5; round++) {
		TEST_CALL(test_fp_consumer(fp, NULL, 4, 4, &leaves));
		TEST_EXPECT(test_send_imm(producer, leaves->id, NULL, 0, 0), 0);
		TEST_EXPECT(test_send_imm(producer, stays->id, NULL, 0, 0), 0);
		test_settle();
		TEST_CALL(test_sleep(pe));
		TEST_EXPECT(rte_comch_ctx_stop(leaves->ctx), -EINPROGRESS);
		TURN_UNTIL(fp->tx.ep->nb_gone == round, fp->rx.pe, fp->tx.pe);
		TEST_ASSERT(wait_fd(pe, LOST_MS) == 1, "a consumer that leaves wakes nobody");
		TEST_TRUE(rte_comch_pe_progress(pe) >= 0);
		TEST_EXPECT(rte_comch_queue_room_get(producer->ctx, leaves->id, &room),
				-ENOENT);
		/* the other one is still waited for */
		TEST_EXPECT(test_send_imm(producer, stays->id, NULL, 0, 0), 0);
		TEST_CALL(test_sleep(pe));
		TEST_EXPECT(test_post_empty(stays, 1, 0), 1);
		TEST_EXPECT(wait_fd(pe, LOST_MS), 1);
		TEST_TRUE(rte_comch_pe_progress(pe) >= 0);
		TEST_EXPECT(test_send_imm(producer, stays->id, NULL, 0, 0), 1);
		test_arrive();
		TEST_EXPECT(test_drain(producer), 1);
		TEST_EXPECT(test_drain(stays), 1);
		TEST_EXPECT(test_q_close(leaves), 0);
	}
	return TEST_SUCCESS;
}

/*
 * The connection had ended, and the producer did not know yet: it was told that
 * there is no such consumer, and a task the same, whatever it asked about.
 */
static int
test_end_not_seen(struct test_fp *fp)
{
	struct test_fp back = { .tx = fp->rx, .rx = fp->tx };
	const struct rte_comch_producer_conf conf = { .nb_tasks = 1 };
	const struct rte_comch_send send = { .imm = "abcd", .imm_len = 4 };
	struct test_q *consumer, *bursts, *tasks;
	struct rte_comch_task *task;
	struct rte_comch_room room;
	uint32_t id;

	TEST_CALL(test_fp_consumer(&back, NULL, 4, 4, &consumer));
	id = consumer->id;
	TEST_CALL(test_fp_producer(&back, 4, &bursts));
	tasks = test_q_producer(&back.tx, &conf);
	TEST_EXPECT(rte_comch_ctx_start(tasks->ctx), 0);
	TEST_EXPECT(rte_comch_producer_task_alloc(tasks->ctx, id, &send, &task), 0);
	TEST_EXPECT(test_q_close(consumer), 0);
	TEST_CALL(disconnect(fp)); /* the engine of the producers is not turned */

	TEST_EXPECT(test_q_state(bursts), RTE_COMCH_STATE_RUNNING);
	TEST_EXPECT(test_send_imm(bursts, id, "abcd", 4, 0), 0);
	TEST_EXPECT(rte_comch_queue_room_get(bursts->ctx, id, &room), -ENOTCONN);
	TEST_EXPECT(rte_comch_queue_room_get(bursts->ctx, id + 1, &room), -ENOTCONN);
	TEST_EXPECT(test_q_state(tasks), RTE_COMCH_STATE_RUNNING);
	TEST_EXPECT(rte_comch_task_submit(task), -ENOTCONN);
	TEST_EXPECT(rte_comch_task_free(task), 0);
	TEST_WAIT(test_q_state(bursts) == RTE_COMCH_STATE_IDLE &&
			test_q_state(tasks) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(tasks->ctx), -ECONNRESET);
	return TEST_SUCCESS;
}

/*
 * A producer was stopped after its engine was armed: its wish for credits stayed
 * with the consumer. Each post, of which there can be millions, then woke an engine
 * that waited for none.
 */
static int
test_wish_of_stopped(struct test_fp *fp)
{
	struct rte_comch_pe *pe = fp->tx.q_pe;
	struct test_q *consumer, *producer, *other;
	uint64_t before;
	uint32_t i;

	TEST_CALL(test_fp_consumer(fp, NULL, 32, 4, &consumer));
	TEST_CALL(test_fp_producer(fp, 4, &producer));
	TEST_CALL(test_fp_producer(fp, 4, &other));
	TEST_EXPECT(test_send_imm(producer, consumer->id, NULL, 0, 0), 0);
	test_settle();
	TEST_EXPECT(test_arm(pe), 0);
	TEST_EXPECT(wait_fd(pe, 0), 0);
	TEST_CALL(test_stop_now(producer->ctx));
	TEST_EXPECT(test_q_close(producer), 0);
	test_settle();
	before = dev_stats(fp->rx.dev).wakeups;
	for (i = 0; i < 16; i++) {
		TEST_EXPECT(test_arm(pe), 0);
		TEST_EXPECT(test_post_empty(consumer, 1, i), 1);
		TEST_EXPECT(wait_fd(pe, 0), 0);
	}
	TEST_EXPECT(dev_stats(fp->rx.dev).wakeups, before);

	/* one that is still there is woken, once */
	for (i = 0; i < 16; i++) {
		TEST_WAIT(test_send_imm(other, consumer->id, NULL, 0, 0) == 1, TEST_MS);
		TEST_WAIT(test_drain(other) == 1, TEST_MS);
	}
	TEST_EXPECT(test_send_imm(other, consumer->id, NULL, 0, 0), 0);
	test_arrive();
	TEST_EXPECT(test_drain(consumer), 16);
	test_drain(other);
	TEST_EXPECT(test_arm(pe), 0);
	TEST_EXPECT(test_post_empty(consumer, 1, 0), 1);
	TEST_EXPECT(wait_fd(pe, LOST_MS), 1);
	/* over BlueField it is its own device that wakes it, and not the peer */
	TEST_EXPECT(dev_stats(fp->rx.dev).wakeups, before + !test_place_is_bluefield());
	TEST_EXPECT(test_send_imm(other, consumer->id, NULL, 0, 0), 1);
	return TEST_SUCCESS;
}

static unsigned int
count_lines(const char *text)
{
	unsigned int nb = 0;

	while ((text = strchr(text, '\n')) != NULL) {
		text++;
		nb++;
	}
	return nb;
}

/* A burst that its context does not have, many times. @return the lines logged. */
static int
log_of_mistakes(struct rte_comch_ctx *ctx, uint16_t (*mistake)(struct rte_comch_ctx *ctx))
{
	unsigned int i, taken = 0, lines;
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (f == NULL)
		return -1;
	rte_openlog_stream(f);
	test_log_restore();
	for (i = 0; i < MISTAKES; i++)
		taken += mistake(ctx);
	test_log_quiet();
	rte_openlog_stream(NULL);
	fclose(f);
	lines = count_lines(text);
	if (lines > 1)
		printf("%.200s...\n", text);
	free(text);
	return taken == 0 ? (int)lines : -1;
}

static uint16_t
mistake_rx(struct rte_comch_ctx *ctx)
{
	struct rte_mbuf *pkt;

	return rte_comch_consumer_rx_burst(ctx, &pkt, 1);
}

static uint16_t
mistake_post(struct rte_comch_ctx *ctx)
{
	const struct rte_comch_post post = { .len = 0 };

	return rte_comch_consumer_post_burst(ctx, &post, 1);
}

static uint16_t
mistake_send(struct rte_comch_ctx *ctx)
{
	const struct rte_comch_send send = { .len = 0 };

	return rte_comch_producer_send_burst(ctx, 1, &send, 1);
}

/* Polled and posted as it should be, but with calls for packets in between. */
static uint16_t
mistake_among_others(struct rte_comch_ctx *ctx)
{
	const struct rte_comch_post post = { .len = 0 };

	rte_comch_consumer_post_burst(ctx, &post, 1);
	return mistake_rx(ctx);
}

/* A burst of the wrong kind logged an error with each call of a polling loop. */
static int
test_logged_once(struct test_fp *fp)
{
	struct test_q *consumer, *second, *producer;
	int lines;

	TEST_CALL(test_fp_consumer(fp, NULL, 4, 0, &consumer));
	TEST_CALL(test_fp_queues(fp, NULL, 4, 0, &second, &producer));
	TEST_EXPECT(log_of_mistakes(consumer->ctx, mistake_rx), 1); /* it has no pool */
	TEST_EXPECT(log_of_mistakes(consumer->ctx, mistake_rx), 0);
	TEST_EXPECT(log_of_mistakes(second->ctx, mistake_among_others), 1);
	/* one line for the whole process, which another test may have caused */
	lines = log_of_mistakes(producer->ctx, mistake_post);
	TEST_TRUE(lines == 0 || lines == 1);
	TEST_EXPECT(log_of_mistakes(producer->ctx, mistake_rx), 0);
	TEST_EXPECT(log_of_mistakes(consumer->ctx, mistake_send), 0);
	/* a context that has no bursts at all */
	TEST_EXPECT(log_of_mistakes(fp->rx.ep->ctx, mistake_send), 1);
	return TEST_SUCCESS;
}

static uint16_t
mistake_poll(struct rte_comch_ctx *ctx)
{
	struct rte_comch_cpl cpl;

	return rte_comch_queue_poll_burst(ctx, &cpl, 1);
}

/* A loop that began before the peer knew its consumer logged an error. */
static int
test_loop_before_peer(struct test_fp *fp)
{
	const struct rte_comch_consumer_conf conf = { .nb_posts = 4 };
	struct test_q *consumer;

	consumer = test_q_consumer(&fp->rx, &conf);
	TEST_EXPECT(rte_comch_ctx_start(consumer->ctx), -EINPROGRESS);
	TEST_EXPECT(test_q_state(consumer), RTE_COMCH_STATE_STARTING);
	TEST_EXPECT(log_of_mistakes(consumer->ctx, mistake_rx), 0);
	TEST_EXPECT(log_of_mistakes(consumer->ctx, mistake_poll), 0);
	TEST_EXPECT(log_of_mistakes(consumer->ctx, mistake_post), 1);
	TEST_WAIT(test_q_state(consumer) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	TEST_EXPECT(test_post_empty(consumer, 4, 0), 4);
	return TEST_SUCCESS;
}

/* One side of several connections of one link. */
struct crowd {
	struct test_fp_end ends[CROWD_CONNS];
	struct test_q *q[CROWD];
	uint32_t nb;
};

static uint32_t
crowd_in(const struct crowd *c, int state)
{
	uint32_t i, nb = 0;

	for (i = 0; i < c->nb; i++)
		nb += test_q_state(c->q[i]) == state;
	return nb;
}

/* One that finds no room is stopped, and must be gone before it can start again. */
static bool
crowd_again(struct test_q *q, int *ret)
{
	*ret = rte_comch_ctx_start(q->ctx);
	return *ret == -EAGAIN || (*ret != -EINPROGRESS && test_ends_later() &&
			test_q_state(q) == RTE_COMCH_STATE_STOPPING);
}

/* Start so many, while the peer progresses only if the engine takes no more. */
static int
crowd_start(struct crowd *c, uint32_t nb)
{
	const struct rte_comch_consumer_conf conf = { .nb_posts = 1 };
	struct rte_comch_pe *pe = c->ends[0].pe;
	uint32_t i, turns;
	int ret = -EAGAIN;

	for (i = 0; i < nb; i++) {
		c->q[i] = test_q_consumer(&c->ends[i % CROWD_CONNS], &conf);
		c->nb++;
	}
	for (i = 0; i < nb; i++) {
		for (turns = 0; turns < 100 && crowd_again(c->q[i], &ret); turns++)
			TEST_TRUE(rte_comch_pe_progress(pe) >= 0);
		if (ret != -EINPROGRESS)
			TEST_WAIT(!crowd_again(c->q[i], &ret), TEST_MS);
		TEST_EXPECT(ret, -EINPROGRESS);
	}
	for (i = 0; i < 200; i++)
		TEST_TRUE(rte_comch_pe_progress(pe) >= 0);
	return TEST_SUCCESS;
}

static int
crowd_open(struct crowd *card, struct crowd *host)
{
	struct rte_comch_pe *card_pe = test_pe_new(), *host_pe = test_pe_new();
	struct test_ep *server = test_server_run("test", card_pe), *client, *view;
	uint32_t i;

	card->nb = 0;
	host->nb = 0;
	for (i = 0; i < CROWD_CONNS; i++) {
		client = test_client_run("test", host_pe);
		view = test_ep_new(); /* the server's end of this connection */
		TEST_WAIT(server->nb_connects == i + 1 && client->conn != NULL, TEST_MS);
		view->conn = server->conn;
		card->ends[i] = (struct test_fp_end) {
			.ep = view, .pe = card_pe, .q_pe = card_pe, .dev = test_pair.dpu,
		};
		host->ends[i] = (struct test_fp_end) {
			.ep = client, .pe = host_pe, .q_pe = host_pe, .dev = test_pair.host,
		};
	}
	return TEST_SUCCESS;
}

static int
crowds(struct crowd *card, uint32_t nb_card, struct crowd *host, uint32_t nb_host)
{
	uint64_t before = violations();
	uint32_t i;

	TEST_CALL(crowd_open(card, host));
	TEST_CALL(crowd_start(card, nb_card));
	TEST_CALL(crowd_start(host, nb_host));
	/* who answers may be held up too */
	for (i = 0; i < 20; i++)
		TEST_TRUE(rte_comch_pe_progress(card->ends[0].pe) >= 0);
	TEST_WAIT(crowd_in(card, RTE_COMCH_STATE_STARTING) == 0 &&
			crowd_in(host, RTE_COMCH_STATE_STARTING) == 0, TEST_MS);
	TEST_EXPECT(violations(), before);
	TEST_EXPECT(crowd_in(card, RTE_COMCH_STATE_RUNNING), nb_card);
	TEST_EXPECT(crowd_in(host, RTE_COMCH_STATE_RUNNING), nb_host);
	for (i = 0; i < CROWD_CONNS; i++)
		TEST_TRUE(host->ends[i].ep->conn != NULL);
	test_fp_cleanup();
	TEST_EXPECT(violations(), before);
	return TEST_SUCCESS;
}

/*
 * One side started hundreds of consumers while the other did not look for a moment.
 * More descriptors than the socket takes waited to be sent, which was held to be
 * the fault of the peer: the link of the process was lost with all its connections.
 * Then the same happened to those who answered.
 */
static int
test_crowd(void)
{
	struct crowd *card = calloc(1, sizeof(*card)), *host = calloc(1, sizeof(*host));
	int ret = test_need_fds(64 + CROWD);

	if (ret == TEST_SUCCESS && card != NULL && host != NULL) {
		ret = crowds(card, CROWD, host, 0);
		if (ret == TEST_SUCCESS)
			ret = crowds(card, 0, host, CROWD);
		if (ret == TEST_SUCCESS)
			ret = crowds(card, CROWD / 2, host, CROWD / 2);
	}
	free(card);
	free(host);
	return ret;
}

/*
 * A region larger than the memory of the machine took page after page, until the
 * kernel killed some process, instead of being refused.
 */
static int
test_more_than_there_is(void)
{
	static const uint32_t flags[] = { 0, RTE_COMCH_MEM_F_PEER_WRITE };
	uint64_t start = test_now_ns(), len;
	struct rte_comch_mem *mem = NULL;
	struct rte_comch_dev_info info;
	struct sysinfo machine;
	unsigned int i, fds = test_count_fds();

	TEST_EXPECT(sysinfo(&machine), 0);
	len = ((uint64_t)machine.totalram + machine.totalswap) * machine.mem_unit * 2;
	TEST_EXPECT(rte_comch_dev_info_get(test_pair.dpu, &info), 0);
	if (len > info.max_buf_size)
		return test_skip("the machine has more memory than a region can have");
	for (i = 0; i < RTE_DIM(flags); i++) {
		TEST_EXPECT(rte_comch_mem_alloc(test_pair.dpu, len, flags[i], &mem), -ENOMEM);
		TEST_EXPECT(rte_comch_mem_alloc(test_pair.dpu, info.max_buf_size, flags[i], &mem),
				-ENOMEM);
		TEST_TRUE(mem == NULL);
	}
	TEST_TRUE(test_now_ns() - start < UINT64_C(1000000000)); /* nothing was tried */
	TEST_EXPECT(test_count_fds(), fds);
	test_mem_alloc(test_pair.dpu, 4096, RTE_COMCH_MEM_F_PEER_WRITE);
	return TEST_SUCCESS;
}

/* Progress one engine until it is IDLE: the call that makes it so must say so. */
static int
idle_counts(const struct test_q *q, struct rte_comch_pe *pe)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	int before, ret;

	while ((before = test_q_state(q)) != RTE_COMCH_STATE_IDLE) {
		TEST_TRUE(test_now_ns() < end);
		ret = rte_comch_pe_progress(pe);
		TEST_ASSERT(test_q_state(q) == before || ret > 0,
				"the state went from %s to %s, and progress says %d",
				rte_comch_state_name(before),
				rte_comch_state_name(test_q_state(q)), ret);
	}
	return TEST_SUCCESS;
}

/*
 * A consumer became IDLE in a call of progress that said that nothing was done. The
 * application then armed its engine, and slept with the change unnoticed.
 */
static int
test_idle_unnoticed(struct test_fp *fp)
{
	struct test_fp back = { .tx = fp->rx, .rx = fp->tx };
	struct test_q *consumer, *producer;
	struct rte_comch_cpl cpls[4];
	uint32_t round;

	for (round = 0; round < 10; round++) {
		TEST_CALL(test_fp_queues(fp, NULL, 4, 0, &consumer, &producer));
		TEST_EXPECT(test_post_empty(consumer, 4, 0), 4);
		TEST_EXPECT(rte_comch_ctx_stop(consumer->ctx), -EINPROGRESS);
		TEST_EXPECT(test_poll(consumer, cpls, 4), 4);
		TEST_EXPECT(cpls[3].status, -ECANCELED);
		/* the last post is back, and all that is left is to say so */
		TEST_EXPECT(test_q_state(consumer), RTE_COMCH_STATE_STOPPING);
		TEST_CALL(idle_counts(consumer, fp->rx.q_pe));
		TEST_EXPECT(test_q_close(consumer), 0);
		TEST_EXPECT(test_q_close(producer), 0);
	}
	/* the same of what the end of the connection stops */
	TEST_CALL(test_fp_consumer(fp, NULL, 4, 0, &consumer));
	TEST_CALL(test_fp_producer(&back, 4, &producer));
	TEST_EXPECT(test_post_empty(consumer, 4, 0), 4);
	test_settle();
	TEST_CALL(disconnect(fp));
	TEST_TRUE(rte_comch_pe_progress(fp->rx.q_pe) > 0);
	TEST_EXPECT(rte_comch_queue_poll_burst(consumer->ctx, cpls, 4), 4);
	TEST_CALL(idle_counts(consumer, fp->rx.q_pe));
	test_ends_settle();
	TEST_EXPECT(test_q_state(producer), RTE_COMCH_STATE_IDLE);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: faults of the fast path that were there",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_packets_polled),
		TEST_CASE_FP_BOTH(fp_need_event, test_fp_cleanup, test_starved_of_departed),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_end_not_seen),
		TEST_CASE_FP_BOTH(fp_need_event, test_fp_cleanup, test_wish_of_stopped),
		TEST_CASE_FP(test_fp_need, test_fp_cleanup, test_logged_once),
		TEST_CASE_FP(test_fp_need, test_fp_cleanup, test_loop_before_peer),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_crowd),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_more_than_there_is),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_idle_unnoticed),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_fp_regress_autotest, unit_test_suite_runner, &suite)
