/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A producer that sends in a thread of its own while, in the main thread, what
 * it sends to or beside comes and goes: consumers, other producers, the
 * connection. What was taken arrives, once and in order, whatever happens. A producer
 * that stands still in the middle of a burst while others come. A thread
 * that reads the counters of a queue that goes. And one that starts and stops a consumer.
 */

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test_comch_fp_util.h"
#include "test_comch_place.h"

#define PLACES 16
#define BURST 8

/* The immediate data of each message. */
struct mark {
	uint32_t from;
	uint32_t seq;
};

/* Sends to one consumer as long as it is told to. */
struct sender {
	pthread_t thread;
	struct rte_comch_pe *pe;
	struct rte_comch_ctx *ctx;
	uint32_t to;
	uint32_t sent;      /* read by others when the thread is over */
	uint32_t reasons;   /* bits: 0 no credit, 1 no consumer, 2 no connection */
	bool stop;          /* of its own accord, if it is not lost before */
	bool lost;          /* it became IDLE */
	bool over;
	const char *error;
};

/* One burst; how many were taken. */
static uint16_t
send_marks(struct rte_comch_ctx *ctx, uint32_t to, uint32_t from, uint32_t seq, uint16_t nb)
{
	struct rte_comch_send msgs[BURST];
	struct mark marks[BURST];
	uint16_t i;

	for (i = 0; i < nb; i++) {
		marks[i] = (struct mark) { from, seq + i };
		msgs[i] = (struct rte_comch_send) {
			.imm = &marks[i],
			.imm_len = sizeof(marks[i]),
			.flags = RTE_COMCH_SEND_F_NO_CPL,
		};
	}
	return rte_comch_producer_send_burst(ctx, to, msgs, nb);
}

static void
sender_note(struct sender *s)
{
	struct rte_comch_room room;
	int ret = rte_comch_queue_room_get(s->ctx, s->to, &room);

	if (ret == -ENOENT || ret == -ENOTCONN)
		room.reason = ret;
	else if (ret != 0)
		return; /* no longer RUNNING */
	switch (room.reason) {
	case 0:
		break; /* of a burst before */
	case -EAGAIN:
		s->reasons |= 1;
		break;
	case -ENOENT:
		s->reasons |= 2;
		break;
	case -ENOTCONN:
		s->reasons |= 4;
		break;
	case -ENOBUFS:
		/* none of them is told to be over before the device has sent them */
		if (!test_place_is_bluefield())
			s->error = strerror(ENOBUFS);
		break;
	default:
		s->error = strerror(-room.reason);
		break;
	}
}

/* With a mock driver that tells of ends later, it takes progress. */
static bool
sender_stop(struct sender *s)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	int ret = rte_comch_ctx_stop(s->ctx);

	if (ret != -EINPROGRESS || !test_ends_later())
		return ret == 0;
	while (rte_comch_ctx_state_get(s->ctx) != RTE_COMCH_STATE_IDLE && test_now_ns() < end)
		rte_comch_pe_progress(s->pe);
	return rte_comch_ctx_state_get(s->ctx) == RTE_COMCH_STATE_IDLE;
}

static void *
sender_run(void *arg)
{
	struct sender *s = arg;
	uint64_t end = test_now_ns() + UINT64_C(30000000000);
	uint32_t turns = 0, n;
	int ret;

	test_thread_spread(1);
	ret = rte_comch_ctx_attach(s->ctx, s->pe);
	if (ret == 0)
		ret = rte_comch_ctx_start(s->ctx);
	/* it came too late, or the connection ended meanwhile */
	s->lost = ret == -ENOTCONN || ret == -ECANCELED;
	if (ret != 0 && !s->lost)
		s->error = "it does not start";
	while (s->error == NULL && !s->lost && !__atomic_load_n(&s->stop, __ATOMIC_RELAXED)) {
		n = send_marks(s->ctx, s->to, 0, s->sent, (uint16_t)(1 + turns % BURST));
		s->sent += n;
		if (n == 0)
			sender_note(s);
		if (n == 0 || turns % 16 == 0) {
			rte_comch_pe_progress(s->pe);
			s->lost = rte_comch_ctx_state_get(s->ctx) == RTE_COMCH_STATE_IDLE;
		}
		if (++turns % 1024 == 0 && test_now_ns() > end)
			s->error = "it takes too long";
	}
	if (!s->lost && !sender_stop(s) && s->error == NULL)
		s->error = "it does not stop";
	/* one whose start was cancelled ends by progress */
	end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	while (rte_comch_ctx_state_get(s->ctx) != RTE_COMCH_STATE_IDLE && test_now_ns() < end)
		rte_comch_pe_progress(s->pe);
	if (rte_comch_ctx_destroy(s->ctx) != 0 && s->error == NULL)
		s->error = "it cannot be destroyed";
	__atomic_store_n(&s->over, true, __ATOMIC_RELEASE);
	return NULL;
}

static int
sender_start(struct sender *s, const struct test_fp_end *end, uint32_t to)
{
	const struct rte_comch_pe_conf pe_conf = { .socket_id = -1, .max_tasks = 64 };
	const struct rte_comch_producer_conf conf = { .nb_sends = PLACES };

	memset(s, 0, sizeof(*s));
	s->to = to;
	TEST_EXPECT(rte_comch_pe_create(&pe_conf, &s->pe), 0);
	TEST_EXPECT(rte_comch_producer_create(end->ep->conn, &conf, &s->ctx), 0);
	TEST_EXPECT(pthread_create(&s->thread, NULL, sender_run, s), 0);
	return TEST_SUCCESS;
}

/* Wait until it is over, and turn the other engines meanwhile. */
static int
sender_join(struct sender *s)
{
	while (!__atomic_load_n(&s->over, __ATOMIC_ACQUIRE))
		if (test_progress() == 0)
			sched_yield();
	pthread_join(s->thread, NULL);
	TEST_ASSERT(s->error == NULL, "the sender: %s, after %u messages", s->error, s->sent);
	TEST_EXPECT(rte_comch_pe_destroy(s->pe), 0);
	return TEST_SUCCESS;
}

/* What came: the next of each producer. next[] has two. @return good ones, or -1 */
static int
take(struct test_q *consumer, uint32_t *next, bool post)
{
	static const struct rte_comch_post posts[BURST];
	struct rte_comch_cpl cpls[BURST];
	struct mark mark;
	int nb, i, good = 0;

	nb = rte_comch_queue_poll_burst(consumer->ctx, cpls, RTE_DIM(cpls));
	for (i = 0; i < nb; i++) {
		if (cpls[i].status != 0)
			continue;
		memcpy(&mark, cpls[i].imm, sizeof(mark));
		if (cpls[i].imm_len != sizeof(mark) || mark.from > 1 ||
				mark.seq != next[mark.from]) {
			test_fail("message %u of %u came, not %u", mark.seq, mark.from,
					next[mark.from & 1]);
			return -1;
		}
		next[mark.from]++;
		good++;
	}
	/* nobody waits for these */
	if (post && nb != 0 && rte_comch_consumer_post_burst(consumer->ctx, posts,
				(uint16_t)nb) != (uint16_t)nb) {
		test_fail("%d places are free, and cannot be posted", nb);
		return -1;
	}
	return good;
}

static int
drain(struct test_q *consumer, uint32_t *next)
{
	int nb;

	do {
		nb = take(consumer, next, false);
		TEST_TRUE(nb >= 0);
	} while (nb > 0);
	return TEST_SUCCESS;
}

/* Lives, which are longer where a message takes longer. */
#define RESTARTS (test_place_is_bluefield() ? 20u : 200u)
#define LIFE_NS(ns) (test_place_is_bluefield() ? 100u * (ns) : (ns))

/*
 * Take for a while. Over BlueField a producer has to find a way first: so every other life
 * of a consumer goes on until a message has come, and the rest end at any moment of that.
 */
static int
take_for(struct test_q *consumer, uint32_t *next, uint32_t round, uint64_t ns)
{
	uint64_t now = test_now_ns(), end = now + LIFE_NS(ns), late = now;
	uint32_t before = next[0];

	if (test_place_is_bluefield() && round % 2 == 0)
		late += (uint64_t)TEST_MS * 1000000;
	do {
		TEST_TRUE(take(consumer, next, true) >= 0);
		test_progress();
		now = test_now_ns();
	} while (now < end || (next[0] == before && now < late));
	return TEST_SUCCESS;
}

/* The consumer stops and starts again under fire. */
static int
test_consumer_restarts(struct test_fp *fp)
{
	uint32_t next[2] = { 0, 0 }, round;
	struct test_q *consumer;
	struct sender s;
	uint64_t end;

	TEST_CALL(test_fp_consumer(fp, NULL, PLACES, sizeof(struct mark), &consumer));
	TEST_CALL(sender_start(&s, &fp->tx, consumer->id));
	for (round = 0; round < RESTARTS; round++) {
		TEST_EXPECT(test_post_empty_nowait(consumer, PLACES, 0), PLACES);
		TEST_CALL(take_for(consumer, next, round, test_rand() % 300000u));
		TEST_EXPECT(rte_comch_ctx_stop(consumer->ctx), -EINPROGRESS);
		end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
		while (test_q_state(consumer) != RTE_COMCH_STATE_IDLE) {
			TEST_TRUE(test_now_ns() < end);
			TEST_TRUE(take(consumer, next, false) >= 0);
			test_progress();
		}
		TEST_CALL(test_q_start(consumer, &fp->tx));
	}
	__atomic_store_n(&s.stop, true, __ATOMIC_RELAXED);
	TEST_CALL(sender_join(&s));
	TEST_CALL(drain(consumer, next));
	TEST_EXPECT(next[0], s.sent);
	TEST_TRUE(s.sent > 0 && (s.reasons & 2) != 0);
	test_note("%u messages to %u lives of a consumer", s.sent, RESTARTS + 1);
	return TEST_SUCCESS;
}

#define VISITS (test_place_is_bluefield() ? 20u : 400u)

/* A second producer comes, sends a little to the same consumer, and goes. */
static int
test_producer_visits(struct test_fp *fp)
{
	const struct rte_comch_producer_conf conf = { .nb_sends = PLACES };
	struct test_q *consumer, *visitor;
	uint32_t next[2] = { 0, 0 }, sent = 0, before, round, i, nb;
	struct sender s;
	uint64_t end;

	TEST_CALL(test_fp_consumer(fp, NULL, 4 * PLACES, sizeof(struct mark), &consumer));
	TEST_EXPECT(test_post_empty(consumer, 4 * PLACES, 0), 4 * PLACES);
	TEST_CALL(sender_start(&s, &fp->tx, consumer->id));
	visitor = test_q_producer(&fp->tx, &conf);
	for (round = 0; round < VISITS; round++) {
		end = test_now_ns() + LIFE_NS(test_rand() % 50000u);
		do {
			TEST_TRUE(take(consumer, next, true) >= 0);
		} while (test_now_ns() < end);
		TEST_EXPECT(rte_comch_ctx_start(visitor->ctx), 0);
		before = sent;
		end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
		/* over BlueField, a new producer has to find a way first */
		for (i = 0; i < 20 || (test_place_is_bluefield() && sent == before &&
					test_now_ns() < end); i++) {
			nb = 1 + test_rand() % BURST;
			sent += send_marks(visitor->ctx, consumer->id, 1, sent, (uint16_t)nb);
			TEST_TRUE(take(consumer, next, true) >= 0);
			if (test_place_is_bluefield())
				test_progress();
		}
		TEST_CALL(test_stop_now(visitor->ctx));
	}
	__atomic_store_n(&s.stop, true, __ATOMIC_RELAXED);
	TEST_CALL(sender_join(&s));
	TEST_CALL(drain(consumer, next));
	TEST_EXPECT(next[0], s.sent);
	TEST_EXPECT(next[1], sent);
	TEST_TRUE(sent > 0 && s.sent > 0);
	test_note("%u messages of one, %u of the visitor", s.sent, sent);
	return TEST_SUCCESS;
}

/* Sends a burst, and stands still where it comes to pages that it may not read yet. */
static struct stuck {
	pthread_t thread;
	struct test_q *q;
	uint32_t to;
	const struct rte_comch_send *msgs;
	uint16_t nb;
	uint16_t sent;
	uint8_t *pages[2];
	uint32_t nb_pages;
	size_t page_size;
	struct sigaction old;
	uint32_t in; /* atomic: pages that it has come to */
	uint32_t go; /* atomic: of these, it may go on behind so many */
} stuck;

/* The read is made once more when this returns; elsewhere, as if nobody handled it. */
static void
stuck_here(int sig, siginfo_t *info, void *context __rte_unused)
{
	uint8_t *page = RTE_PTR_ALIGN_FLOOR(info->si_addr, stuck.page_size);
	const struct timespec ms = { .tv_nsec = 1000000 };
	uint32_t i, in;

	for (i = 0; i < stuck.nb_pages && stuck.pages[i] != page; i++)
		;
	if (i == stuck.nb_pages) {
		sigaction(sig, &stuck.old, NULL);
		return;
	}
	in = __atomic_add_fetch(&stuck.in, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&stuck.go, __ATOMIC_ACQUIRE) < in)
		nanosleep(&ms, NULL);
	mprotect(page, stuck.page_size, PROT_READ | PROT_WRITE);
}

static void *
stuck_run(void *arg __rte_unused)
{
	stuck.sent = rte_comch_producer_send_burst(stuck.q->ctx, stuck.to, stuck.msgs, stuck.nb);
	return NULL;
}

/* Messages whose middle is in a page each, up to two. */
static int
stuck_begin(struct test_q *q, uint32_t to, const struct rte_comch_send *msgs, uint16_t nb)
{
	struct sigaction sa = { .sa_sigaction = stuck_here, .sa_flags = SA_SIGINFO };
	uintptr_t middle;
	uint32_t i;

	memset(&stuck, 0, sizeof(stuck));
	stuck.q = q;
	stuck.to = to;
	stuck.msgs = msgs;
	stuck.nb = nb;
	stuck.nb_pages = nb;
	stuck.page_size = sysconf(_SC_PAGESIZE);
	TEST_EXPECT(sigaction(SIGSEGV, &sa, &stuck.old), 0);
	for (i = 0; i < nb; i++) {
		middle = msgs[i].len != 0 ? (uintptr_t)msgs[i].addr + msgs[i].len / 2 :
			(uintptr_t)msgs[i].imm;
		stuck.pages[i] = (uint8_t *)RTE_ALIGN_FLOOR(middle, stuck.page_size);
		TEST_EXPECT(mprotect(stuck.pages[i], stuck.page_size, PROT_NONE), 0);
	}
	TEST_EXPECT(pthread_create(&stuck.thread, NULL, stuck_run, NULL), 0);
	TEST_WAIT(__atomic_load_n(&stuck.in, __ATOMIC_ACQUIRE) == 1, TEST_MS);
	return TEST_SUCCESS;
}

static int
stuck_end(void)
{
	__atomic_store_n(&stuck.go, UINT32_MAX, __ATOMIC_RELEASE);
	TEST_EXPECT(pthread_join(stuck.thread, NULL), 0);
	TEST_EXPECT(sigaction(SIGSEGV, &stuck.old, NULL), 0);
	TEST_EXPECT(stuck.sent, stuck.nb);
	return TEST_SUCCESS;
}

/* Time of this thread's processor that a call may take, and does unless it spins. */
#define CALL_NS UINT64_C(300000000)

/* Beside the one that stands still another one comes, and can go. What it sends may wait. */
static int
others_come(struct test_fp *fp, struct test_q *consumer, struct test_q **other, uint32_t *sent)
{
	const struct rte_comch_producer_conf conf = { .nb_sends = PLACES };
	uint64_t begin, ns;
	uint32_t i;
	int ret;

	*other = test_q_producer(&fp->tx, &conf);
	for (i = 0; i < 2; i++) {
		if (i != 0)
			TEST_CALL(test_stop_now((*other)->ctx));
		begin = test_clock_ns(CLOCK_THREAD_CPUTIME_ID);
		ret = rte_comch_ctx_start((*other)->ctx);
		ns = test_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
		TEST_EXPECT(ret, 0);
		TEST_ASSERT(ns < CALL_NS, "a start takes %" PRIu64 " ms", ns / 1000000);
		begin = test_clock_ns(CLOCK_THREAD_CPUTIME_ID);
		ret = rte_comch_producer_credits((*other)->ctx, consumer->id) != 0;
		*sent += send_marks((*other)->ctx, consumer->id, 1, *sent, 1);
		ns = test_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
		TEST_ASSERT(ns < CALL_NS, "a send takes %" PRIu64 " ms", ns / 1000000);
		TEST_EXPECT(test_reason(*other, consumer->id), *sent == i + 1 ? 0 : -EAGAIN);
		TEST_TRUE(ret == 0 || *sent == i + 1);
	}
	return TEST_SUCCESS;
}

/* One stands still while it claims as the only one. Nobody waits for it, all go on later. */
static int
test_producer_stuck(struct test_fp *fp)
{
	struct rte_comch_send msg = { .imm_len = sizeof(struct mark) };
	uint32_t next[2], round, mine, sent;
	struct test_q *consumer, *q, *other;
	struct mark *mark;
	int ret;

	if (test_place_is_bluefield())
		return test_skip("its producers claim with a compare and swap");
	mark = mmap(NULL, sizeof(*mark), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);
	TEST_TRUE(mark != MAP_FAILED);
	msg.imm = mark;
	for (round = 0; round < 3; round++) {
		memset(next, 0, sizeof(next));
		mine = 1;
		sent = 0;
		TEST_CALL(test_fp_consumer(fp, NULL, PLACES, sizeof(struct mark), &consumer));
		TEST_CALL(test_fp_producer(fp, PLACES, &q));
		TEST_EXPECT(test_post_empty(consumer, PLACES, 0), PLACES);
		TEST_CALL(stuck_begin(q, consumer->id, &msg, 1));
		ret = others_come(fp, consumer, &other, &sent);
		TEST_CALL(stuck_end());
		TEST_CALL(ret);
		/* whoever looks first finds it: by a send, by its credits, or itself */
		if (round == 1)
			TEST_TRUE(rte_comch_producer_credits(other->ctx, consumer->id) > 0);
		if (round == 2)
			mine += send_marks(q->ctx, consumer->id, 0, mine, 2);
		TEST_EXPECT(mine, round == 2 ? 3u : 1u);
		TEST_EXPECT(send_marks(other->ctx, consumer->id, 1, sent, 2), 2);
		TEST_CALL(drain(consumer, next));
		TEST_EXPECT(next[0], mine);
		TEST_EXPECT(next[1], sent + 2);
		TEST_EXPECT(test_q_close(q), 0);
		TEST_EXPECT(test_q_close(other), 0);
		TEST_EXPECT(test_q_close(consumer), 0);
	}
	TEST_EXPECT(munmap(mark, sizeof(*mark)), 0);
	return TEST_SUCCESS;
}

/* Longer than what a driver copies before it lets others go first. */
#define LARGE (256u << 10)

/* One copies a burst of large messages; that of another one waits for the first of them only. */
static int
test_producer_large(struct test_fp *fp)
{
	struct test_q *consumer, *q, *other;
	struct rte_comch_send msgs[2];
	struct rte_comch_cpl cpls[3];
	struct test_slots from, to;
	uint32_t i, nb;

	if (test_place_is_bluefield())
		return test_skip("the device copies");
	TEST_CALL(test_slots_new(&from, fp->tx.dev, 0, 3, LARGE));
	TEST_CALL(test_slots_new(&to, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, 3, LARGE));
	TEST_CALL(test_fp_queues(fp, to.mem, PLACES, 0, &consumer, &q));
	TEST_CALL(test_fp_producer(fp, PLACES, &other));
	TEST_EXPECT(test_post_slots(consumer, &to, 0, 3, 0), 3);
	for (i = 0; i < 2; i++)
		msgs[i] = (struct rte_comch_send){
			.addr = test_slot(&from, i),
			.len = LARGE,
			.mem = from.mem,
		};
	TEST_CALL(stuck_begin(q, consumer->id, msgs, 2));
	nb = test_send_slot(other, consumer->id, &from, 2, 1, 0);
	__atomic_store_n(&stuck.go, 1, __ATOMIC_RELEASE);
	if (nb == 1)
		nb = test_poll(consumer, cpls, 2);
	TEST_CALL(stuck_end());
	TEST_EXPECT(nb, 2);
	TEST_EXPECT(cpls[0].len, LARGE);
	TEST_EXPECT(cpls[1].len, 1);
	TEST_EXPECT(test_poll(consumer, cpls, 1), 1);
	TEST_EXPECT(cpls[0].len, LARGE);
	return TEST_SUCCESS;
}

#define LOSSES (test_place_is_bluefield() ? 6u : 60u)

/* The peer takes its consumer away, then the connection. */
static int
test_conn_goes(struct test_fp *fp)
{
	struct test_ep *client = test_ctx_info(fp->tx.ep->ctx).type == RTE_COMCH_CTX_CLIENT ?
			fp->tx.ep : fp->rx.ep;
	uint32_t next[2], round, reasons = 0, sum = 0;
	struct test_q *consumer;
	struct sender s;

	for (round = 0; round < LOSSES; round++) {
		memset(next, 0, sizeof(next));
		TEST_CALL(test_fp_consumer(fp, NULL, PLACES, sizeof(struct mark), &consumer));
		TEST_EXPECT(test_post_empty(consumer, PLACES, 0), PLACES);
		TEST_CALL(sender_start(&s, &fp->tx, consumer->id));
		TEST_CALL(take_for(consumer, next, round, test_rand() % 500000u));
		TEST_EXPECT(rte_comch_ctx_stop(consumer->ctx), -EINPROGRESS);
		while (test_q_state(consumer) != RTE_COMCH_STATE_IDLE) {
			TEST_TRUE(take(consumer, next, false) >= 0);
			test_progress();
		}
		TEST_EXPECT(test_q_close(consumer), 0);
		if (client == fp->tx.ep)
			TEST_EXPECT(rte_comch_server_disconnect(fp->rx.ep->conn), 0);
		else
			TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EINPROGRESS);
		TEST_CALL(sender_join(&s));
		TEST_TRUE(s.lost);
		TEST_EXPECT(next[0], s.sent);
		reasons |= s.reasons;
		sum += s.sent;
		TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
		test_ends_settle(); /* both sides are rid of the connection */
		TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
		TEST_WAIT(fp->tx.ep->conn != NULL && fp->rx.ep->conn != NULL, TEST_MS);
	}
	test_note("%u messages on %u connections, reasons 0x%x", sum, LOSSES, reasons);
	return TEST_SUCCESS;
}

#define WATCHES 20u

/* A thread that reads the counters of what there is, and of what has just gone. */
struct watcher {
	pthread_t thread;
	const struct rte_comch_ctx *ctx; /* atomic; NULL: of nothing */
	uint32_t read;                   /* atomic: how often it got some */
	uint32_t refused;                /* atomic: how often it was told that there is none */
	bool stop;                       /* atomic */
	const char *error;
};

static void *
watcher_run(void *arg)
{
	const struct rte_comch_ctx *ctx;
	struct rte_comch_queue_stats stats;
	struct watcher *w = arg;
	uint64_t msgs = 0;
	int ret;

	while (!__atomic_load_n(&w->stop, __ATOMIC_ACQUIRE)) {
		ctx = __atomic_load_n(&w->ctx, __ATOMIC_ACQUIRE);
		if (ctx == NULL) {
			sched_yield();
			continue;
		}
		ret = rte_comch_queue_stats_get(ctx, &stats);
		if (ret == 0 && stats.msgs < msgs)
			w->error = "a counter went back";
		/* the next one may have the address of the last */
		msgs = ret == 0 ? stats.msgs : 0;
		if (ret != 0 && ret != -EINVAL)
			w->error = strerror(-ret);
		__atomic_fetch_add(ret == 0 ? &w->read : &w->refused, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* One life of a producer: it is watched from its creation to after its end. */
static int
watched_life(struct watcher *w, struct test_fp *fp, struct test_q *consumer)
{
	uint32_t next[2] = { 0, 0 }, sent = 0, before;
	struct test_q *producer;
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;

	TEST_CALL(test_fp_producer(fp, PLACES, &producer));
	before = __atomic_load_n(&w->read, __ATOMIC_RELAXED);
	__atomic_store_n(&w->ctx, producer->ctx, __ATOMIC_RELEASE);
	while (sent < 3 * PLACES || __atomic_load_n(&w->read, __ATOMIC_RELAXED) == before) {
		TEST_TRUE(test_now_ns() < end);
		sent += send_marks(producer->ctx, consumer->id, 0, sent, 1);
		TEST_TRUE(take(consumer, next, true) >= 0);
		test_progress();
	}
	TEST_CALL(test_stop_now(producer->ctx));
	while (next[0] < sent) {
		TEST_TRUE(test_now_ns() < end);
		TEST_TRUE(take(consumer, next, true) >= 0);
		test_progress();
	}
	before = __atomic_load_n(&w->refused, __ATOMIC_RELAXED);
	TEST_EXPECT(test_q_close(producer), 0);
	TEST_WAIT(__atomic_load_n(&w->refused, __ATOMIC_RELAXED) != before, TEST_MS);
	__atomic_store_n(&w->ctx, NULL, __ATOMIC_RELEASE);
	return TEST_SUCCESS;
}

/* A counter may be read by any thread while its queue is destroyed. */
static int
test_counters_watched(struct test_fp *fp)
{
	struct watcher w = { 0 };
	struct test_q *consumer;
	int ret = TEST_SUCCESS;
	uint32_t i;

	TEST_CALL(test_fp_consumer(fp, NULL, 4 * PLACES, sizeof(struct mark), &consumer));
	TEST_EXPECT(test_post_empty(consumer, 4 * PLACES, 0), 4 * PLACES);
	TEST_EXPECT(pthread_create(&w.thread, NULL, watcher_run, &w), 0);
	for (i = 0; i < WATCHES && ret == TEST_SUCCESS; i++)
		ret = watched_life(&w, fp, consumer);
	__atomic_store_n(&w.stop, true, __ATOMIC_RELEASE);
	TEST_EXPECT(pthread_join(w.thread, NULL), 0);
	TEST_CALL(ret);
	TEST_ASSERT(w.error == NULL, "%s", w.error);
	return TEST_SUCCESS;
}

/* Starts a consumer, and stops it, which is STARTING then or not. */
struct starter {
	pthread_t thread;
	struct rte_comch_pe *pe;
	struct rte_comch_ctx *ctx;
	uint32_t rounds;    /* atomic */
	uint32_t answered;  /* of them, it was RUNNING; read by others when the thread is over */
	const char *error;
};

static const char *
starter_round(struct starter *s, uint32_t turns)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	int ret;

	ret = rte_comch_ctx_start(s->ctx);
	if (ret == -EAGAIN) { /* the other engine has too many to look at */
		sched_yield();
		return NULL;
	}
	if (ret != -EINPROGRESS)
		return "a start fails";
	for (; turns > 0; turns--)
		rte_comch_pe_progress(s->pe);
	s->answered += rte_comch_ctx_state_get(s->ctx) == RTE_COMCH_STATE_RUNNING;
	rte_comch_ctx_stop(s->ctx);
	while (rte_comch_ctx_state_get(s->ctx) != RTE_COMCH_STATE_IDLE) {
		if (test_now_ns() > end)
			return "a stop does not end";
		rte_comch_pe_progress(s->pe);
	}
	return rte_comch_ctx_reason_get(s->ctx) == 0 ? NULL : "a stop has a reason";
}

static void *
starter_run(void *arg)
{
	const uint32_t rounds = test_place_is_bluefield() ? 50 : 500;
	struct starter *s = arg;
	uint32_t i;

	for (i = 0; i < rounds && s->error == NULL; i++) {
		s->error = starter_round(s, i % 2 == 0 ? i % 32 : i * 64 % 16384);
		__atomic_store_n(&s->rounds, i + 1, __ATOMIC_RELAXED);
	}
	/* release: all of it; pairs with the acquire in starts_race() */
	__atomic_store_n(&s->rounds, UINT32_MAX, __ATOMIC_RELEASE);
	return NULL;
}

/* In one thread, while that of its connection announces it, or takes an answer about it. */
static int
test_starts_race(struct test_fp *fp)
{
	const struct rte_comch_consumer_conf conf = { .nb_posts = 4, .imm_len = 4 };
	struct starter s = { .rounds = 0 };
	uint64_t end;

	TEST_EXPECT(rte_comch_consumer_create(fp->rx.ep->conn, &conf, &s.ctx), 0);
	TEST_EXPECT(rte_comch_pe_create(NULL, &s.pe), 0);
	TEST_EXPECT(rte_comch_ctx_attach(s.ctx, s.pe), 0);
	TEST_EXPECT(pthread_create(&s.thread, NULL, starter_run, &s), 0);
	end = test_now_ns() + UINT64_C(10) * TEST_MS * 1000000;
	while (__atomic_load_n(&s.rounds, __ATOMIC_ACQUIRE) != UINT32_MAX && test_now_ns() < end)
		test_progress();
	TEST_EXPECT(pthread_join(s.thread, NULL), 0);
	TEST_ASSERT(s.error == NULL, "%s", s.error);
	test_settle();
	TEST_EXPECT(fp->tx.ep->nb_new, fp->tx.ep->nb_gone);
	TEST_EXPECT(rte_comch_ctx_destroy(s.ctx), 0);
	TEST_EXPECT(rte_comch_pe_destroy(s.pe), 0);
	test_note("RUNNING %u times", s.answered);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: producers beside what comes and goes",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_consumer_restarts),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_producer_visits),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_producer_stuck),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_producer_large),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_conn_goes),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_counters_watched),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_starts_race),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_fp_race_autotest, unit_test_suite_runner, &suite)
