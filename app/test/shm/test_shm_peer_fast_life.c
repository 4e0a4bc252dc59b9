/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Hostile peers that have too much of the fast path, that do not answer, and that
 * die at each step of it. Messages and memory that are wrong are attacked in other
 * files.
 */

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rte_cycles.h>

#include "shm_times.h"
#include "test_shm_peer_fast.h"

#define REGION_CYCLES (TEST_ASAN ? 20000u : 100000u)
#define CONSUMER_CYCLES 2000u
#define MAX_LINK_CONSUMERS 1024u
/* Longer than a consumer that closes waits for its producers. */
#define BUSY_LATE_MS (SHM_CONSUMER_MS + 100)
/* Kilobytes that the allocator may keep. */
#define RSS_SLACK 4096

static uint8_t data[4096];

static int
region_gone(struct hostile *e, uint32_t id)
{
	union shm_wire_msg msg;

	hostile_fill(&msg, SHM_WIRE_REGION_GONE, 0);
	msg.region_gone.region = id;
	return hostile_send(e, &msg, SHM_WIRE_REGION_GONE, 0, -1);
}

/* In the first and the last of the places, and in one behind them. */
static int
test_regions_max(void)
{
	struct hostile *e = fast_connected();
	struct hostile_region r;
	uint32_t id;

	TEST_EXPECT(hostile_region_create(&r, HOSTILE_REGION_SIZE), 0);
	for (id = 0; id < SHM_WIRE_MAX_REGIONS; id++) {
		/* each takes a descriptor until it is mapped, and there may be few */
		if (id >= 32 && id < SHM_WIRE_MAX_REGIONS - 32)
			continue;
		TEST_EXPECT(hostile_region_send(e, &r, id), 0);
		peer_turn();
	}
	peer_turn_ms(1);
	TEST_TRUE(!hostile_gone(e));
	TEST_EXPECT(fast_breaches(), 0);
	TEST_EXPECT(hostile_region_send(e, &r, id), 0);
	TEST_CALL(fast_link_dies(e, "region", id));
	hostile_region_free(&r);
	return TEST_SUCCESS;
}

static int
test_region_cycles(void)
{
	struct hostile *e = fast_connected();
	unsigned int i, fds = 0, maps = 0;
	uint64_t end = test_now_ns() + UINT64_C(20000000000), rss = 0;
	struct hostile_region r;

	TEST_EXPECT(hostile_region_create(&r, HOSTILE_REGION_SIZE), 0);
	for (i = 0; i < REGION_CYCLES && test_now_ns() < end; i++) {
		TEST_EXPECT(hostile_region_send(e, &r, i % 64), 0);
		TEST_EXPECT(region_gone(e, i % 64), 0);
		/* a socket holds some of them only */
		if (i % 4 == 3)
			peer_turn();
		if (i == 1000) {
			peer_turn_ms(5);
			fds = test_count_fds();
			maps = test_count_maps();
			rss = peer_resident_kb();
		}
	}
	TEST_EXPECT(i, REGION_CYCLES);
	peer_turn_ms(20);
	PEER_WAIT(test_count_fds() <= fds, TEST_MS);
	PEER_WAIT(test_count_maps() <= maps, TEST_MS);
	test_note("%u regions came and went; memory: %u kB before, %u kB after", i,
			(unsigned int)rss, (unsigned int)peer_resident_kb());
	TEST_TRUE(TEST_ASAN || peer_resident_kb() <= rss + RSS_SLACK);
	TEST_EXPECT(fast_side->violations(), 0);
	TEST_TRUE(!hostile_gone(e));
	hostile_region_free(&r);
	return TEST_SUCCESS;
}

/* Consumers that come and go. */
static int
test_consumer_cycles(void)
{
	struct hostile *e = fast_connected();
	unsigned int i, fds = 0, maps = 0;
	struct hostile_consumer c = { .posts = NULL };
	union shm_wire_msg msg;
	struct hostile_region r;
	uint64_t rss = 0;

	TEST_EXPECT(hostile_region_create(&r, HOSTILE_REGION_SIZE), 0);
	TEST_EXPECT(hostile_region_send(e, &r, 0), 0);
	fast_producer();
	for (i = 0; i < CONSUMER_CYCLES; i++) {
		TEST_EXPECT(hostile_consumer_start(e, &c, 1 + i % 256, 0), 0);
		hostile_consumer_free(&c);
		hostile_fill(&msg, SHM_WIRE_CONSUMER_GONE, e->chan.id);
		msg.consumer_id.consumer = 1 + i % 256;
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_CONSUMER_GONE, e->chan.id, -1), 0);
		if (i % 3 != 0)
			peer_turn();
		if (i == 301 || i == CONSUMER_CYCLES - 1)
			peer_turn_ms(5);
		if (i == 301) {
			while (hostile_recv(e) > 0)
				;
			fds = test_count_fds();
			maps = test_count_maps();
			rss = peer_resident_kb();
		}
	}
	while (hostile_recv(e) > 0)
		;
	PEER_WAIT(test_count_fds() <= fds, TEST_MS);
	PEER_WAIT(test_count_maps() <= maps, TEST_MS);
	TEST_TRUE(TEST_ASAN || peer_resident_kb() <= rss + RSS_SLACK);
	TEST_EXPECT(fast_side->violations(), 0);
	hostile_region_free(&r);
	return TEST_SUCCESS;
}

/* All 256 of a connection, on one connection after the other, until it is enough. */
static int
test_consumers_max(void)
{
	struct hostile_chan chans[5];
	struct hostile_consumer c;
	union shm_wire_msg msg;
	struct hostile *e;
	uint32_t id, nb = 0, i, connects;
	int ret = 0;

	if (fast_side->host)
		return test_skip("a hostile card has one connection, and not those that it takes");
	e = hostile_up();
	memset(chans, 0, sizeof(chans));
	for (i = 0; i < RTE_DIM(chans) && ret == 0; i++) {
		connects = peer_env.target->nb_connects;
		TEST_EXPECT(hostile_connect(e, &chans[i], i), 0);
		hostile_fill(&msg, SHM_WIRE_READY, i);
		msg.ready.tx.seg = i;
		TEST_EXPECT(hostile_chan_seg_create(&chans[i], HOSTILE_RING_SIZE), 0);
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_READY, i, chans[i].seg.fd), 0);
		PEER_WAIT(peer_env.target->nb_connects == connects + 1, TEST_MS);
		e->chan.id = i;
		for (id = 1; id <= SHM_WIRE_MAX_CONSUMERS && ret == 0; id++, nb++) {
			memset(&c, 0, sizeof(c));
			c.msg.nb_posts = 1;
			ret = hostile_consumer_start(e, &c, id, SHM_WIRE_NO_REGION);
			hostile_consumer_free(&c);
		}
	}
	TEST_EXPECT(ret, -EUSERS);
	TEST_EXPECT(nb, MAX_LINK_CONSUMERS + 1);
	TEST_EXPECT(peer_violations(), 0);
	/* there is room again when some are gone */
	TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSE, 0), 0);
	TEST_EXPECT(hostile_wait(e, SHM_WIRE_CLOSED, TEST_MS), 0);
	memset(&c, 0, sizeof(c));
	TEST_EXPECT(hostile_consumer_start(e, &c, 9, SHM_WIRE_NO_REGION), 0);
	hostile_consumer_free(&c);
	e->chan.id = 0;
	for (i = 0; i < RTE_DIM(chans); i++)
		hostile_chan_free(&chans[i]);
	return TEST_SUCCESS;
}

/* Consumers that are stopped while the peer has not answered, and all that crosses. */
static int
test_stop_unanswered(void)
{
	struct hostile_rc rc = { .posts = NULL };
	struct hostile *e = fast_connected();
	struct rte_comch_cpl cpls[8];
	struct rte_comch_post post = { .addr = NULL };
	struct test_q *q;
	unsigned int i;

	for (i = 0; i < 20; i++) {
		q = fast_consumer(NULL, 8, 0);
		TEST_EXPECT(hostile_rc_wait(e, &rc), 0);
		if (i % 2 == 0)
			rte_comch_ctx_stop(q->ctx);
		TEST_EXPECT(hostile_rc_answer(e, &rc), 0);
		if (i % 2 != 0) {
			PEER_WAIT(test_q_state(q) == RTE_COMCH_STATE_RUNNING, TEST_MS);
			TEST_EXPECT(rte_comch_consumer_post_burst(q->ctx, &post, 1), 1);
			rte_comch_ctx_stop(q->ctx);
		}
		TEST_EXPECT(hostile_wait(e, SHM_WIRE_CONSUMER_GONE, TEST_MS), 0);
		/* what comes in between is delivered or not, but only once */
		hostile_message(&rc, 0, 1);
		PEER_WAIT(rte_comch_queue_poll_burst(q->ctx, cpls, 8) == 1 || i % 2 == 0 ||
				test_q_state(q) == RTE_COMCH_STATE_IDLE, TEST_MS);
		PEER_WAIT(test_q_state(q) == RTE_COMCH_STATE_IDLE, TEST_MS);
		hostile_rc_free(&rc);
	}
	TEST_EXPECT(fast_side->violations(), 0);
	TEST_TRUE(!hostile_gone(e));
	return TEST_SUCCESS;
}

/* A consumer of the device with 4 posts, which the hostile side's producers know. */
static int
busy_begin(struct hostile **e, struct hostile_rc *rc, struct test_q **q)
{
	const struct rte_comch_post posts[4] = { { .addr = NULL } };

	memset(rc, 0, sizeof(*rc));
	if (*e == NULL)
		*e = fast_connected();
	*q = fast_consumer(NULL, 8, 0);
	TEST_EXPECT(hostile_rc_wait(*e, rc), 0);
	TEST_EXPECT(hostile_rc_answer(*e, rc), 0);
	PEER_WAIT(test_q_state(*q) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	TEST_EXPECT(rte_comch_consumer_post_burst((*q)->ctx, posts, 4), 4);
	return TEST_SUCCESS;
}

/* It stops, and its posts come back with a status. */
static int
busy_end(struct hostile_rc *rc, struct test_q *q, int status, uint64_t *ms)
{
	uint64_t begin = test_now_ns();
	struct rte_comch_cpl cpls[4];
	uint16_t n = 0;

	TEST_EXPECT(rte_comch_ctx_stop(q->ctx), -EINPROGRESS);
	PEER_WAIT((n += rte_comch_queue_poll_burst(q->ctx, &cpls[n], 4 - n)) == 4, 2 * TEST_MS);
	*ms = (test_now_ns() - begin) / 1000000;
	while (n-- > 0)
		TEST_EXPECT(cpls[n].status, status);
	PEER_WAIT(test_q_state(q) == RTE_COMCH_STATE_IDLE, TEST_MS);
	hostile_rc_free(rc);
	return TEST_SUCCESS;
}

/* Two consumers of a connection find a lie before it has ended: that is one breach. */
static int
test_lies_at_once(void)
{
	struct rte_comch_cpl cpls[4];
	struct hostile *e = NULL;
	struct hostile_rc rcs[2];
	struct test_q *qs[2];
	unsigned int i;

	for (i = 0; i < 2; i++)
		TEST_CALL(busy_begin(&e, &rcs[i], &qs[i]));
	for (i = 0; i < 2; i++) {
		hostile_entry_put(&rcs[i], 0, hostile_entry(0, 0, 0, 0));
		TEST_EXPECT(rte_comch_queue_poll_burst(qs[i]->ctx, cpls, 4), 0);
	}
	TEST_CALL(fast_conn_dies(e, "lie of consumer", i));
	for (i = 0; i < 2; i++)
		hostile_rc_free(&rcs[i]);
	return TEST_SUCCESS;
}

/* A thread that only sends, and repeats what finds no room, learns that its peer is gone. */
static int
test_gone_unprogressed(void)
{
	const struct rte_comch_send send = { .flags = RTE_COMCH_SEND_F_NO_CPL };
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	struct hostile_consumer c = { .posts = NULL };
	struct hostile *e = fast_connected();
	struct test_q *q;

	TEST_EXPECT(hostile_consumer_start(e, &c, 1, SHM_WIRE_NO_REGION), 0);
	q = fast_producer();
	TEST_EXPECT(rte_comch_producer_send_burst(q->ctx, 1, &send, 1), 0);
	TEST_EXPECT(test_reason(q, 1), -EAGAIN);
	hostile_close(e);
	do {
		TEST_TRUE(test_now_ns() < end);
		TEST_EXPECT(rte_comch_producer_send_burst(q->ctx, 1, &send, 1), 0);
	} while (test_reason(q, 1) == -EAGAIN);
	TEST_EXPECT(test_reason(q, 1), -ENOTCONN);
	TEST_TRUE(fast_victim()->conn != NULL);
	hostile_consumer_free(&c);
	return TEST_SUCCESS;
}

struct busy_flips {
	uint32_t *word;
	uint32_t id;
	bool stop;
};

static void *
busy_flipper(void *arg)
{
	struct busy_flips *f = arg;
	uint32_t n;

	test_thread_spread(1);
	for (n = 0; !__atomic_load_n(&f->stop, __ATOMIC_RELAXED); n++) {
		__atomic_store_n(f->word, n % 2 != 0 ? f->id : 0, __ATOMIC_RELAXED);
		if (n % 1024 == 0)
			sched_yield();
	}
	return NULL;
}

/* The words of its producers say anything, but that one is in the middle of a message. */
static int
test_busy_words(void)
{
	struct busy_flips f = { .stop = false };
	struct hostile *e = NULL;
	struct hostile_rc rc;
	struct test_q *q;
	pthread_t thread;
	uint64_t ms;
	uint32_t i;

	TEST_CALL(busy_begin(&e, &rc, &q));
	for (i = 0; i < SHM_WIRE_MAX_PRODUCERS; i++)
		e->chan.own->busy[i].consumer = rc.msg.consumer ^ (UINT32_C(1) << i % 32);
	TEST_CALL(busy_end(&rc, q, -ECANCELED, &ms));
	TEST_TRUE(ms < 4000);
	/* it comes and goes while it stops: that it was not there once is enough */
	TEST_CALL(busy_begin(&e, &rc, &q));
	f.word = &e->chan.own->busy[SHM_WIRE_MAX_PRODUCERS - 1].consumer;
	f.id = rc.msg.consumer;
	TEST_EXPECT(pthread_create(&thread, NULL, busy_flipper, &f), 0);
	i = busy_end(&rc, q, -ECANCELED, &ms);
	__atomic_store_n(&f.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	TEST_EXPECT(i, TEST_SUCCESS);
	TEST_TRUE(ms < 4000);
	TEST_EXPECT(fast_side->violations(), 0);
	TEST_TRUE(fast_victim()->conn != NULL && !hostile_gone(e));
	return TEST_SUCCESS;
}

/* One is in the middle of a message for ever: that costs five seconds, and its connection. */
static int
test_busy_for_ever(void)
{
	struct rte_comch_dev_stats before, after;
	struct hostile *e = NULL;
	struct hostile_rc rc;
	struct test_q *q;
	uint64_t ms;

	if (fast_side->host)
		return test_skip("five seconds for one side are enough");
	TEST_EXPECT(rte_comch_dev_stats_get(fast_dev(), &before), 0);
	TEST_CALL(busy_begin(&e, &rc, &q));
	e->chan.own->busy[0].consumer = rc.msg.consumer;
	TEST_CALL(busy_end(&rc, q, -ECONNRESET, &ms));
	TEST_TRUE(ms >= 4900 && ms < 7000);
	PEER_WAIT(fast_victim()->conn == NULL, TEST_MS);
	TEST_EXPECT(fast_victim()->disconnect_status, -ETIMEDOUT);
	TEST_EXPECT(rte_comch_dev_stats_get(fast_dev(), &after), 0);
	TEST_EXPECT(after.peer_lost, before.peer_lost + 1);
	TEST_EXPECT(peer_violations(), 0);
	TEST_TRUE(!hostile_gone(e));
	return TEST_SUCCESS;
}

/* It has finished in time, and this engine is late to look: that costs nothing. */
static int
test_busy_late(void)
{
	struct rte_comch_cpl cpls[4];
	struct hostile *e = NULL;
	struct hostile_rc rc;
	struct test_q *q;
	uint16_t n = 0;

	if (fast_side->host)
		return test_skip("five seconds for one side are enough");
	TEST_CALL(busy_begin(&e, &rc, &q));
	e->chan.own->busy[0].consumer = rc.msg.consumer;
	TEST_EXPECT(rte_comch_ctx_stop(q->ctx), -EINPROGRESS);
	peer_turn_ms(1);
	TEST_EXPECT(rte_comch_queue_poll_burst(q->ctx, cpls, 4), 0);
	e->chan.own->busy[0].consumer = 0;
	rte_delay_us_sleep(BUSY_LATE_MS * 1000);
	PEER_WAIT((n += rte_comch_queue_poll_burst(q->ctx, &cpls[n], 4 - n)) == 4, TEST_MS);
	while (n-- > 0)
		TEST_EXPECT(cpls[n].status, -ECANCELED);
	PEER_WAIT(test_q_state(q) == RTE_COMCH_STATE_IDLE, TEST_MS);
	hostile_rc_free(&rc);
	TEST_EXPECT(peer_violations(), 0);
	TEST_TRUE(fast_victim()->conn != NULL && !hostile_gone(e));
	return TEST_SUCCESS;
}

/* It dies in the middle of a message to a consumer that stops: that is not waited for. */
static int
test_busy_dies(void)
{
	struct hostile *e = NULL;
	struct rte_comch_cpl cpls[4];
	struct hostile_rc rc;
	struct test_q *q;
	uint16_t n = 0;

	TEST_CALL(busy_begin(&e, &rc, &q));
	e->chan.own->busy[0].consumer = rc.msg.consumer;
	TEST_EXPECT(rte_comch_ctx_stop(q->ctx), -EINPROGRESS);
	peer_turn_ms(1);
	TEST_EXPECT(rte_comch_queue_poll_burst(q->ctx, cpls, 4), 0);
	if (!fast_side->host) /* the end of a copy wakes nobody */
		TEST_TRUE(peer_sleep_ms(peer_env.pe, fast_victim()) <= 1);
	hostile_close(e);
	PEER_WAIT((n += rte_comch_queue_poll_burst(q->ctx, &cpls[n], 4 - n)) == 4, TEST_MS);
	while (n-- > 0)
		TEST_EXPECT(cpls[n].status, -ECONNRESET);
	PEER_WAIT(test_q_state(q) == RTE_COMCH_STATE_IDLE, TEST_MS);
	hostile_rc_free(&rc);
	TEST_EXPECT(fast_side->violations(), 0);
	return TEST_SUCCESS;
}

/*
 * A process that is killed at each step. It is a host, and all that it does is
 * system calls.
 */

enum step {
	STEP_UP,
	STEP_CONNECTED,
	STEP_REGION,
	STEP_CONSUMER_SENT,
	STEP_CONSUMER,
	STEP_POSTED,
	STEP_GONE_SENT,
	STEP_ASKED,
	STEP_ANSWERED,
	STEP_COMPLETED,
	STEP_LEAVING,
	STEPS,
};

/* It says by a byte that it is at a step, and goes no further than to the last. */
static void
child_at(int out, enum step step, enum step last)
{
	if (step != last)
		return;
	if (write(out, "", 1) != 1)
		_exit(3);
	for (;;)
		pause();
}

static void __attribute__((noreturn))
child_main(int out, enum step last)
{
	struct hostile_consumer c = { .posts = NULL };
	struct hostile_rc rc = { .posts = NULL };
	union shm_wire_msg msg;
	struct hostile_region r;
	struct hostile *e;
	uint32_t i;

	alarm(20);
	hostile_alone = true;
	e = hostile_open(peer_env.path, "pf0");
	if (e == NULL || hostile_hello(e) != 0)
		_exit(4);
	child_at(out, STEP_UP, last);
	if (hostile_connect(e, &e->chan, 0) != 0 || hostile_ready(e, &e->chan) != 0)
		_exit(5);
	child_at(out, STEP_CONNECTED, last);
	/* the device's own consumer is asked for when it sees the connection */
	if (hostile_rc_wait(e, &rc) != 0)
		_exit(6);
	child_at(out, STEP_ASKED, last);
	if (hostile_rc_answer(e, &rc) != 0)
		_exit(7);
	child_at(out, STEP_ANSWERED, last);
	if (hostile_region_create(&r, HOSTILE_REGION_SIZE) != 0 ||
			hostile_region_send(e, &r, 0) != 0)
		_exit(8);
	child_at(out, STEP_REGION, last);
	if (last == STEP_CONSUMER_SENT) {
		hostile_seg_create(&c.seg, offsetof(struct shm_wire_posts, tail),
				shm_wire_posts_size(HOSTILE_POSTS, false));
		c.posts = c.seg.map;
		c.posts->tail = SHM_WIRE_POST_START;
		hostile_fill(&msg, SHM_WIRE_CONSUMER, 0);
		hostile_send(e, &msg, SHM_WIRE_CONSUMER, 0, c.seg.fd);
		child_at(out, last, last);
	}
	if (hostile_consumer_start(e, &c, 1, 0) != 0)
		_exit(9);
	child_at(out, STEP_CONSUMER, last);
	for (i = 0; i < HOSTILE_POSTS; i++)
		hostile_post(&c, i * 64, 64);
	child_at(out, STEP_POSTED, last);
	for (i = 0; i < 4; i++)
		hostile_message(&rc, i, 1);
	child_at(out, STEP_COMPLETED, last);
	if (last == STEP_LEAVING) {
		if (hostile_wait(e, SHM_WIRE_CONSUMER_GONE, TEST_MS) != 0)
			_exit(10);
		child_at(out, last, last);
	}
	hostile_say(e, SHM_WIRE_CONSUMER_GONE, 0);
	child_at(out, STEP_GONE_SENT, last);
	_exit(12);
}

/* What the device does meanwhile: it posts, sends and polls. */
static void
busy_turn(struct test_q *producer, struct test_q *consumer, struct rte_comch_mem *mem)
{
	const struct rte_comch_post posts[4] = { { .addr = NULL } };
	struct rte_comch_send send = {
		.addr = data, .len = 64, .mem = mem, .flags = RTE_COMCH_SEND_F_NO_CPL,
	};
	struct rte_comch_cpl cpls[8];

	peer_turn();
	if (producer != NULL)
		rte_comch_producer_send_burst(producer->ctx, 1, &send, 1);
	if (consumer == NULL)
		return;
	if (test_q_state(consumer) == RTE_COMCH_STATE_RUNNING)
		rte_comch_consumer_post_burst(consumer->ctx, posts, 4);
	if (test_q_state(consumer) != RTE_COMCH_STATE_IDLE &&
			test_q_state(consumer) != RTE_COMCH_STATE_STARTING)
		rte_comch_queue_poll_burst(consumer->ctx, cpls, 8);
}

static int
killed_at(enum step step)
{
	struct test_q *producer = NULL, *consumer = NULL;
	struct rte_comch_mem *mem = fast_source(data, sizeof(data), 0);
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	bool there = false;
	struct pollfd pfd;
	int fds[2], status;
	pid_t pid;

	TEST_EXPECT(pipe(fds), 0);
	fflush(stdout);
	pid = fork();
	TEST_TRUE(pid >= 0);
	if (pid == 0)
		child_main(fds[1], step);
	close(fds[1]);
	pfd = (struct pollfd) { .fd = fds[0], .events = POLLIN };
	while (!there && test_now_ns() < end) {
		there = poll(&pfd, 1, 0) > 0;
		if (fast_victim()->conn != NULL && producer == NULL) {
			producer = fast_producer();
			consumer = fast_consumer(NULL, 8, 0);
		}
		busy_turn(producer, consumer, mem);
		if (step == STEP_LEAVING && consumer != NULL &&
				test_q_state(consumer) == RTE_COMCH_STATE_RUNNING)
			rte_comch_ctx_stop(consumer->ctx);
		if (!there)
			sched_yield();
	}
	/* a byte, and not the end of a child that has given up */
	there = there && read(fds[0], &status, 1) == 1;
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	close(fds[0]);
	TEST_ASSERT(there && WIFSIGNALED(status), "the child did not get to step %u", step);
	end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	while (peer_links() != 1 && test_now_ns() < end)
		busy_turn(producer, consumer, mem);
	TEST_EXPECT(peer_links(), 1);
	fast_case_end();
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

static int
test_killed(void)
{
	unsigned int step, round;

	if (fast_side->host)
		return test_skip("the process that is killed is a host");
	for (round = 0; round < 3; round++)
		for (step = 0; step < STEPS; step++)
			TEST_CALL(killed_at(step));
	return TEST_SUCCESS;
}

/* The same from the other side: its socket closes with all of it under way. */
static int
test_dies_in_use(void)
{
	struct hostile_consumer c = { .posts = NULL };
	struct hostile_rc rc = { .posts = NULL };
	struct test_q *producer, *consumer;
	struct rte_comch_mem *mem;
	struct hostile_region r;
	struct hostile *e;
	unsigned int i, n;

	TEST_EXPECT(hostile_region_create(&r, HOSTILE_REGION_SIZE), 0);
	for (i = 0; i < 20; i++) {
		e = fast_connected();
		mem = fast_source(data, sizeof(data), 0);
		producer = fast_producer();
		consumer = fast_consumer(NULL, 8, 0);
		TEST_EXPECT(hostile_rc_wait(e, &rc), 0);
		if (i % 2 == 0)
			TEST_EXPECT(hostile_rc_answer(e, &rc), 0);
		TEST_EXPECT(hostile_region_send(e, &r, 0), 0);
		TEST_EXPECT(hostile_consumer_start(e, &c, 1, 0), 0);
		for (n = 0; n < HOSTILE_POSTS; n++)
			hostile_post(&c, n * 64, 64);
		busy_turn(producer, consumer, mem);
		hostile_consumer_free(&c);
		hostile_rc_free(&rc);
		hostile_close(e);
		for (n = 0; n < 100; n++)
			busy_turn(producer, consumer, mem);
		PEER_WAIT(fast_victim()->conn == NULL, TEST_MS);
		fast_case_end();
	}
	hostile_region_free(&r);
	TEST_EXPECT(fast_side->violations(), 0);
	return TEST_SUCCESS;
}

/* Longer than the driver waits for an answer, and then the library. */
#define STALL_US 1400000
/* So long the driver waits for it. */
#define ANSWER_MS 5000u

static void
stall(struct test_ep *ep, struct rte_comch_conn *conn, const void *msg, uint32_t len)
{
	RTE_SET_USED(ep);
	RTE_SET_USED(conn);
	RTE_SET_USED(msg);
	RTE_SET_USED(len);
	rte_delay_us_block(STALL_US);
}

/*
 * A peer does not answer, and has the application busy for more than a second just when
 * its time is over: it is the peer that is to go, and not the device.
 */
static int
test_silent_stall(void)
{
	struct rte_comch_dev_stats stats = { 0 };
	struct test_q *q;
	struct hostile_rc rc = { 0 };
	struct hostile *e;
	uint64_t end;

	if (fast_side->host)
		return test_skip("the card serves many, the host one");
	e = fast_connected();
	end = test_now_ns() + UINT64_C(4900000000);
	q = fast_consumer(NULL, 8, 0);
	TEST_EXPECT(hostile_rc_wait(e, &rc), 0);
	TEST_TRUE(peer_sleep_ms(peer_env.pe, fast_victim()) <= ANSWER_MS);
	while (test_now_ns() < end)
		peer_turn();
	fast_victim()->on_recv = stall;
	hostile_put(e, &e->chan, "wait", 4);
	PEER_WAIT(fast_victim()->conn == NULL, TEST_MS);
	fast_victim()->on_recv = NULL;
	PEER_WAIT(test_q_state(q) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_dev_stats_get(fast_dev(), &stats), 0);
	TEST_EXPECT(stats.retained, 0);
	TEST_TRUE(!hostile_gone(e));
	TEST_CALL(peer_honest(10));
	hostile_rc_free(&rc);
	fast_case_end();
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "shm, a hostile peer: crowds, silence and death on the fast path",
	.setup = fast_suite_setup,
	.teardown = fast_suite_teardown,
	.unit_test_cases = {
		FAST_CASE(test_regions_max),
		FAST_CASE(test_region_cycles),
		FAST_CASE(test_consumer_cycles),
		FAST_CASE(test_consumers_max),
		FAST_CASE(test_busy_words),
		FAST_CASE(test_lies_at_once),
		FAST_CASE(test_gone_unprogressed),
		FAST_CASE(test_busy_for_ever),
		FAST_CASE(test_busy_late),
		FAST_CASE(test_busy_dies),
		FAST_CASE(test_silent_stall),
		FAST_CASE(test_stop_unanswered),
		FAST_CASE(test_killed),
		FAST_CASE(test_dies_in_use),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(shm_peer_fast_life_autotest, fast_suites_run, &suite)
