/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Connections that are established, and whose shared words then say anything.
 * How they are established is attacked in other files.
 */

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test_rand.h"
#include "test_shm_peer.h"

/* The breach is counted and ends the connection, but not the link. */
static int
conn_dies(struct hostile *e, uint64_t before, uint32_t disconnects, const char *what, uint32_t nr)
{
	int ret = hostile_wait(e, SHM_WIRE_CLOSE, TEST_MS);

	TEST_ASSERT(ret == 0, "%s %u does not end the connection: %s", what, nr, strerror(-ret));
	TEST_EXPECT(e->msg.reason.reason, -EPROTO);
	TEST_ASSERT(peer_violations() == before + 1, "%s %u is not counted", what, nr);
	TEST_EXPECT(peer_env.target->nb_disconnects, disconnects + 1);
	TEST_EXPECT(peer_env.target->disconnect_status, -EPROTO);
	TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSED, 0), 0);
	/* the link is as good as before */
	TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
	TEST_TRUE(!hostile_gone(e));
	hostile_close(e);
	return TEST_SUCCESS;
}

static int
test_tail(void)
{
	static const uint32_t adds[] = {
		-8u, -1u, 1, 4, 7, 12, 20, HOSTILE_RING_SIZE + 1, HOSTILE_RING_SIZE + 8,
		HOSTILE_RING_SIZE * 2, 0x7fffffff, 0x80000000, 0xfffffff0,
	};
	static const struct shm_wire_rec rec = { 8, 0 };
	struct hostile *e;
	uint64_t before;
	uint32_t downs;
	unsigned int i, n;

	for (i = 0; i < RTE_DIM(adds); i++) {
		e = hostile_connected();
		before = peer_violations();
		downs = peer_env.target->nb_disconnects;
		/* good records all round, so that only the tail is wrong */
		for (n = 0; n < e->chan.ring_size; n += 16)
			memcpy(e->chan.own->ring + n, &rec, sizeof(rec));
		hostile_tail_add(e, &e->chan, adds[i]);
		TEST_CALL(conn_dies(e, before, downs, "tail", i));
	}
	return TEST_SUCCESS;
}

static int
test_records(void)
{
	static const struct {
		uint32_t len;
		uint32_t reserved;
		uint32_t tail;
	} recs[] = {
		{ 0, 0, 8 }, { 0, 0, 16 }, { 4081, 0, 4096 + 8 }, { 4081, 0, 16 },
		{ 65536, 0, HOSTILE_RING_SIZE }, { 65537, 0, HOSTILE_RING_SIZE },
		{ 0x7fffffff, 0, 16 }, { 0x80000000, 0, 16 },
		{ 0xfffffff8, 0, 16 }, { 0xfffffff9, 0, 8 }, { UINT32_MAX, 0, 8 },
		{ 9, 0, 16 }, { 64, 0, 64 }, { 4080, 0, 4080 },
		{ 4, 1, 16 }, { 4, 2, 16 }, { 4, 3, 16 }, { 4, 0x100, 16 }, { 4, 0x10000, 16 },
		{ 4, 0x80000000, 16 }, { 4, UINT32_MAX, 16 }, { 0, 1, 8 }, { 8, 2, 16 },
	};
	struct hostile *e;
	uint64_t before;
	uint32_t downs, recv;
	unsigned int i, lead;

	/* first in the ring, and behind a good one across the wrap of positions */
	for (lead = 0; lead < 2; lead++) {
		for (i = 0; i < RTE_DIM(recs); i++) {
			e = hostile_connected();
			before = peer_violations();
			downs = peer_env.target->nb_disconnects;
			recv = peer_env.target->nb_recv;
			if (lead != 0 && recs[i].tail + 4080 <= HOSTILE_RING_SIZE) {
				static const uint8_t data[4072];

				hostile_put(e, &e->chan, data, sizeof(data));
				recv++;
			}
			hostile_rec(&e->chan, recs[i].len, recs[i].reserved);
			hostile_tail_add(e, &e->chan, recs[i].tail);
			TEST_CALL(conn_dies(e, before, downs, "record", i));
			/* not one byte of it was handed up */
			TEST_EXPECT(peer_env.target->nb_recv, recv);
		}
	}
	return TEST_SUCCESS;
}

/* The device sends, and the peer says that it has read what it cannot have. */
static int
test_head(void)
{
	static const uint32_t adds[] = {
		-8u, -1u, 4096, HOSTILE_RING_SIZE, 0x7fffffff, 0x80000000, 0xfffffff0,
	};
	struct hostile *e;
	uint64_t before;
	uint32_t downs, head;
	unsigned int i, later;

	for (later = 0; later < 2; later++) {
		for (i = 0; i < RTE_DIM(adds); i++) {
			e = hostile_connected();
			before = peer_violations();
			downs = peer_env.target->nb_disconnects;
			if (later != 0) {
				TEST_EXPECT(test_send(peer_env.target->conn, "ping", 4), 0);
				peer_turn();
				head = __atomic_load_n(&e->chan.peer->tail, __ATOMIC_ACQUIRE);
				__atomic_store_n(&e->chan.own->head, head, __ATOMIC_RELEASE);
				peer_turn_ms(1);
			}
			TEST_EXPECT(test_send(peer_env.target->conn, "ping", 4), 0);
			__atomic_fetch_add(&e->chan.own->head, adds[i], __ATOMIC_RELEASE);
			TEST_CALL(conn_dies(e, before, downs, "head", i));
		}
	}
	return TEST_SUCCESS;
}

/* The peer has read two of four messages when it breaks the protocol. */
static int
test_read_before(void)
{
	struct hostile *e = hostile_connected();
	struct test_ep *target = peer_env.target;
	uint64_t before = peer_violations();
	uint32_t downs, done, failed, size;
	unsigned int i;

	downs = target->nb_disconnects;
	done = target->nb_done;
	failed = target->nb_failed;
	size = shm_wire_rec_size(4);
	for (i = 0; i < 4; i++)
		TEST_EXPECT(test_send(target->conn, "ping", 4), 0);
	__atomic_fetch_add(&e->chan.own->head, 2 * size, __ATOMIC_RELEASE);
	hostile_tail_add(e, &e->chan, HOSTILE_RING_SIZE + 8);
	TEST_CALL(conn_dies(e, before, downs, "tail", 0));
	TEST_EXPECT(target->nb_done, done + 2);
	TEST_EXPECT(target->nb_failed, failed + 2);
	TEST_EXPECT(target->send_status, -ECONNRESET);
	return TEST_SUCCESS;
}

/* Within what it may say, a head may stand anywhere: even inside a record. */
static int
test_head_inside(void)
{
	struct hostile *e = hostile_connected();
	uint32_t done = peer_env.target->nb_done, head;

	TEST_EXPECT(test_send(peer_env.target->conn, "0123456789", 10), 0);
	__atomic_fetch_add(&e->chan.own->head, 11, __ATOMIC_RELEASE);
	peer_turn_ms(2);
	TEST_EXPECT(peer_env.target->nb_done, done);
	head = __atomic_load_n(&e->chan.peer->tail, __ATOMIC_ACQUIRE);
	__atomic_store_n(&e->chan.own->head, head, __ATOMIC_RELEASE);
	PEER_WAIT(peer_env.target->nb_done == done + 1, TEST_MS);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/*
 * The end by this side
 */

#define NB_PINGS 4u

/* It has sent some messages, and waits for how far the peer has read. */
static struct hostile *
end_begin(uint32_t *downs)
{
	struct test_ep *target = peer_env.target;
	struct hostile *e = hostile_connected();
	unsigned int i;

	if (e == NULL)
		return NULL;
	*downs = target->nb_disconnects;
	target->nb_done = target->nb_failed = 0;
	for (i = 0; i < NB_PINGS; i++)
		test_send(target->conn, "ping", 4);
	if (rte_comch_server_disconnect(target->conn) != 0 ||
			hostile_wait(e, SHM_WIRE_CLOSE, TEST_MS) != 0)
		return NULL;
	return e;
}

static int
end_check(uint32_t downs, unsigned int done)
{
	struct test_ep *target = peer_env.target;
	struct rte_comch_dev_info info;

	PEER_WAIT(target->nb_disconnects == downs + 1, TEST_MS);
	TEST_EXPECT(target->disconnect_status, -ECANCELED);
	TEST_EXPECT(target->nb_done, done);
	TEST_EXPECT(target->nb_failed, NB_PINGS - done);
	TEST_EXPECT(rte_comch_dev_info_get(peer_env.dpu, &info), 0);
	TEST_EXPECT(info.status, 0);
	return TEST_SUCCESS;
}

/* What an answer says of how far the peer has read, within what can be true. */
static int
test_end_answered(void)
{
	static const struct {
		uint32_t taken; /* the word, and that of the position where the ring begins */
		unsigned int done;
	} says[] = {
		{ 0, 0 }, { SHM_WIRE_TAKEN, 0 }, { SHM_WIRE_TAKEN + 2 * 16, 2 },
		{ SHM_WIRE_TAKEN + NB_PINGS * 16, NB_PINGS }, { 3 * 16, 0 },
		{ SHM_WIRE_TAKEN + 40, 2 }, { SHM_WIRE_TAKEN + NB_PINGS * 16 + 8, 0 },
		{ SHM_WIRE_TAKEN - 8, 0 }, { UINT32_MAX, 0 },
	};
	union shm_wire_msg msg;
	struct hostile *e;
	uint32_t downs;
	unsigned int i;

	for (i = 0; i < RTE_DIM(says); i++) {
		e = end_begin(&downs);
		TEST_TRUE(e != NULL);
		peer_turn_ms(2);
		TEST_EXPECT(peer_env.target->nb_disconnects, downs);
		/* its segment is of no matter any more */
		e->chan.own->taken = (SHM_WIRE_POS_START + 16) | SHM_WIRE_TAKEN;
		__atomic_store_n(&e->chan.own->head, SHM_WIRE_POS_START + 16, __ATOMIC_RELEASE);
		hostile_fill(&msg, SHM_WIRE_CLOSED, 0);
		if (says[i].taken != 0)
			msg.hdr.taken = SHM_WIRE_POS_START + says[i].taken;
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_CLOSED, 0, -1), 0);
		TEST_CALL(end_check(downs, says[i].done));
		TEST_EXPECT(peer_violations(), 0);
		/* the link is as good as before */
		TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
		hostile_close(e);
	}
	return TEST_SUCCESS;
}

/* A peer that does not answer learns what is left for it, and may answer later. */
static int
test_end_silent(void)
{
	struct hostile *e;
	uint32_t downs;

	e = end_begin(&downs);
	TEST_TRUE(e != NULL);
	e->chan.own->taken = (SHM_WIRE_POS_START + 16) | SHM_WIRE_TAKEN;
	TEST_EXPECT(e->chan.peer->cut, 0);
	TEST_CALL(end_check(downs, 1));
	TEST_EXPECT(e->chan.peer->cut, (SHM_WIRE_POS_START + 16) | SHM_WIRE_CUT_AT);
	TEST_EXPECT(peer_violations(), 0);
	TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSED, 0), 0);
	TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
	return TEST_SUCCESS;
}

/* One that dies instead leaves nothing. */
static int
test_end_dies(void)
{
	struct hostile *e;
	uint32_t downs;

	e = end_begin(&downs);
	TEST_TRUE(e != NULL);
	hostile_close(e);
	TEST_CALL(end_check(downs, 0));
	PEER_WAIT(peer_taken(geteuid(), "links") == 1, TEST_MS); /* the honest one */
	return TEST_SUCCESS;
}

/* Nobody waits for the answer of one whose head cannot be. */
static int
test_end_nonsense(void)
{
	struct test_ep *target = peer_env.target;
	struct hostile *e = hostile_connected();
	uint32_t downs = target->nb_disconnects;

	TEST_EXPECT(test_send(target->conn, "ping", 4), 0);
	__atomic_fetch_add(&e->chan.own->head, 1 << 20, __ATOMIC_RELEASE);
	TEST_EXPECT(rte_comch_server_disconnect(target->conn), 0);
	peer_turn_ms(20);
	TEST_EXPECT(target->nb_disconnects, downs + 1);
	TEST_TRUE(!hostile_gone(e));
	return TEST_SUCCESS;
}

/* What crosses CLOSE means nothing, but another CLOSE; two answers are one too many. */
static int
test_end_crossed(void)
{
	static const uint16_t types[] = { SHM_WIRE_CONSUMER_ACK, SHM_WIRE_CONSUMER_GONE };
	union shm_wire_msg msg;
	struct hostile *e;
	uint32_t downs;
	unsigned int i;

	e = end_begin(&downs);
	TEST_TRUE(e != NULL);
	for (i = 0; i < RTE_DIM(types); i++) {
		hostile_fill(&msg, types[i], 0);
		TEST_EXPECT(hostile_send(e, &msg, types[i], 0, -1), 0);
	}
	peer_turn_ms(10);
	TEST_EXPECT(peer_env.target->nb_disconnects, downs);
	TEST_EXPECT(peer_violations(), 0);
	TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSE, 0), 0);
	TEST_CALL(end_check(downs, 0));
	TEST_TRUE(!hostile_gone(e));
	TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSED, 0), 0);
	PEER_WAIT(hostile_gone(e), TEST_MS);
	TEST_EXPECT(peer_violations(), 1);
	return TEST_SUCCESS;
}

/* A peer whose ring is cut, with three messages in it; it has still to say that it closes. */
static struct hostile *
cut_begin(uint32_t cut)
{
	struct hostile *e = hostile_connected();
	unsigned int i;

	if (e == NULL)
		return NULL;
	e->chan.own->cut = cut;
	for (i = 0; i < 3; i++)
		hostile_put(e, &e->chan, "last", 4);
	return e;
}

/* The peer ends the connection, and cuts its ring: at a place that it never tells. */
static int
test_cut_untold(void)
{
	struct test_ep *target = peer_env.target;
	uint32_t downs = target->nb_disconnects, recv = target->nb_recv;
	struct hostile *e = cut_begin(SHM_WIRE_CUT);
	unsigned int i;

	TEST_TRUE(e != NULL);
	TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSE, 0), 0);
	for (i = 0; i < 10; i++)
		TEST_CALL(peer_honest(1));
	TEST_EXPECT(target->nb_disconnects, downs);
	PEER_WAIT(target->nb_disconnects == downs + 1, TEST_MS);
	TEST_EXPECT(hostile_wait(e, SHM_WIRE_CLOSED, TEST_MS), 0);
	TEST_EXPECT(target->nb_recv, recv);
	/* nor is any of them told as taken */
	TEST_EXPECT(e->chan.peer->taken & ~SHM_WIRE_POS_BITS, SHM_WIRE_POS_START);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* Or at any place that it likes: what is behind it stays where it is. */
static int
test_cut_told(void)
{
	struct test_ep *target = peer_env.target;
	uint32_t downs = target->nb_disconnects, recv = target->nb_recv;
	struct hostile *e = cut_begin((SHM_WIRE_POS_START + 2 * 16) | SHM_WIRE_CUT_AT);

	TEST_TRUE(e != NULL);
	PEER_WAIT(target->nb_recv == recv + 2, TEST_MS);
	peer_turn_ms(10);
	TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSE, 0), 0);
	PEER_WAIT(target->nb_disconnects == downs + 1, TEST_MS);
	TEST_EXPECT(target->nb_recv, recv + 2);
	TEST_EXPECT(e->chan.peer->head, SHM_WIRE_POS_START + 2 * 16);
	return TEST_SUCCESS;
}

/* It never tells it, as it dies: nobody waits for that. */
static int
test_cut_dies(void)
{
	struct test_ep *target = peer_env.target;
	uint32_t downs = target->nb_disconnects, recv = target->nb_recv;
	struct hostile *e = cut_begin(SHM_WIRE_CUT);

	TEST_TRUE(e != NULL);
	hostile_close(e);
	PEER_WAIT(target->nb_disconnects == downs + 1, TEST_MS);
	TEST_EXPECT(target->nb_recv, recv);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* It is read when the peer goes, as no doorbell was rung, and is nonsense. */
static int
nonsense_then(bool dies, uint32_t cut)
{
	struct test_ep *target = peer_env.target;
	uint32_t downs = target->nb_disconnects, recv = target->nb_recv;
	struct hostile *e = hostile_connected();
	uint64_t before = peer_violations();

	peer_turn_ms(10);
	e->chan.own->cut = cut;
	hostile_rec(&e->chan, UINT32_MAX, 0);
	__atomic_fetch_add(&e->chan.own->tail, 16, __ATOMIC_RELEASE);
	if (dies)
		hostile_close(e);
	else
		TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSE, 0), 0);
	PEER_WAIT(target->nb_disconnects == downs + 1, TEST_MS);
	TEST_EXPECT(target->disconnect_status, -EPROTO);
	TEST_EXPECT(peer_violations(), before + 1);
	peer_turn_ms(10);
	TEST_EXPECT(target->nb_disconnects, downs + 1);
	TEST_EXPECT(target->nb_recv, recv);
	return TEST_SUCCESS;
}

static int
test_close_nonsense(void)
{
	TEST_CALL(nonsense_then(false, 0));
	TEST_CALL(nonsense_then(true, 0));
	/* nor is it waited for that it says where it cuts that */
	TEST_CALL(nonsense_then(false, SHM_WIRE_CUT));
	TEST_CALL(nonsense_then(true, SHM_WIRE_CUT));
	return peer_honest(1);
}

/* Records in the ring at CLOSE, and messages that a turn may take of one connection. */
#define FULL_RECORDS 600u
#define FULL_TURN 64u

/*
 * The peer ends the connection with a full ring and goes on writing: what it sent before is
 * delivered in turns as short as others, and nothing that came after those.
 */
static int
test_close_full(void)
{
	struct test_ep *target = peer_env.target;
	uint32_t downs = target->nb_disconnects, recv, before, most = 0, nb = 0, n;
	struct hostile *e = hostile_connected();
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;

	recv = target->nb_recv;
	while (nb < FULL_RECORDS) {
		hostile_put(e, &e->chan, "full", 4);
		nb++;
	}
	TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSE, 0), 0);
	while (target->nb_disconnects == downs) {
		TEST_TRUE(test_now_ns() < end);
		before = target->nb_recv;
		peer_serve(peer_env.pe);
		most = RTE_MAX(most, target->nb_recv - before);
		for (n = 0; n < FULL_TURN / 2 && nb + recv - target->nb_recv < FULL_RECORDS; n++) {
			hostile_put(e, &e->chan, "more", 4);
			nb++;
		}
	}
	test_note("%u messages after CLOSE, at most %u in one turn",
		target->nb_recv - recv, most);
	TEST_TRUE(target->nb_recv - recv >= FULL_RECORDS && target->nb_recv - recv < nb);
	TEST_TRUE(target->nb_recv - recv <= FULL_RECORDS + 4 * FULL_TURN);
	TEST_TRUE(most <= 2 * FULL_TURN);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* It dies with a full ring: all of that is delivered, in turns as short. */
static int
test_dies_full(void)
{
	struct test_ep *target = peer_env.target;
	uint32_t downs = target->nb_disconnects, recv = target->nb_recv, before, i;
	struct hostile *e = hostile_connected();
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;

	for (i = 0; i < FULL_RECORDS; i++)
		hostile_put(e, &e->chan, "full", 4);
	hostile_close(e);
	while (target->nb_disconnects == downs) {
		TEST_TRUE(test_now_ns() < end);
		before = target->nb_recv;
		peer_serve(peer_env.pe);
		TEST_TRUE(target->nb_recv - before <= 2 * FULL_TURN);
	}
	TEST_EXPECT(target->nb_recv - recv, FULL_RECORDS);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

static int
still_good(struct hostile *e)
{
	uint32_t recv = peer_env.target->nb_recv;

	hostile_put(e, &e->chan, "good", 4);
	PEER_WAIT(peer_env.target->nb_recv == recv + 1, TEST_MS);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* Words that only decide about waking: any value is taken, none hurts. */
static int
test_doorbells(void)
{
	static const uint32_t values[] = { 1, 2, 0x80000000, UINT32_MAX, 0 };
	struct hostile *e = hostile_connected();
	unsigned int i, g;

	for (i = 0; i < RTE_DIM(values); i++) {
		e->chan.own->doorbell_seen = values[i];
		e->chan.own->want_doorbell = values[i];
		e->chan.own->msgs = values[i];
		for (g = 0; g < SHM_WIRE_MAX_GROUPS; g++)
			e->own->groups[g].armed = values[i];
		if (peer_env.target->conn != NULL)
			test_send(peer_env.target->conn, "wake", 4);
		TEST_CALL(still_good(e));
	}
	for (i = 0; i < SHM_WIRE_MAX_DOORBELLS; i++) {
		e->own->doorbells[i / 64] ^= RTE_BIT64(i % 64);
		peer_turn();
	}
	for (i = 0; i < SHM_WIRE_DOORBELL_WORDS; i++)
		e->own->doorbells[i] = ~e->own->doorbells[i];
	peer_turn();
	TEST_CALL(still_good(e));
	/* idle, so that the next one depends on the doorbell */
	peer_turn_ms(5);
	return still_good(e);
}

/* The link's own counter says for ever that there is something to read. */
static int
test_sock_doorbell(void)
{
	struct hostile *e = hostile_connected();
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		e->own->sock_doorbell = test_rand();
		peer_turn();
	}
	TEST_CALL(still_good(e));
	/* a lie that does not change must not keep an engine awake */
	for (i = 0; i < 1000 && rte_comch_pe_arm(peer_env.pe) != 0; i++)
		rte_comch_pe_progress(peer_env.pe);
	TEST_ASSERT(i < 1000, "the engine finds no sleep");
	return TEST_SUCCESS;
}

/* What the hostile side says of itself is never believed in the segment's header. */
static int
test_headers_change(void)
{
	struct hostile *e = hostile_connected();

	memset(&e->chan.own->seg, 0xff, sizeof(e->chan.own->seg));
	memset(&e->own->seg, 0xff, sizeof(e->own->seg));
	return still_good(e);
}

/* A thread that writes at full speed what the device reads. */
struct flipper {
	struct hostile *e;
	unsigned int what;
	bool stop;
};

static void *
flipper_main(void *arg)
{
	struct flipper *f = arg;
	struct shm_wire_chan *own = f->e->chan.own;
	struct shm_wire_link *link = f->e->own;
	uint32_t x = 88172645, n = 0, tail = SHM_WIRE_POS_START;
	struct shm_wire_rec *rec = (void *)own->ring;

	while (!__atomic_load_n(&f->stop, __ATOMIC_RELAXED)) {
		test_rand_next(&x);
		n++;
		switch (f->what) {
		case 0: /* a record that is good, and one that is not */
			__atomic_store_n(&rec->len, n % 64 == 0 ? x : 8, __ATOMIC_RELAXED);
			break;
		case 1:
			__atomic_store_n(&rec->reserved, n % 64 == 0 ? x % 4 : 0,
					__ATOMIC_RELAXED);
			break;
		case 2:
			__atomic_store_n(&own->tail, tail + x % 64, __ATOMIC_RELAXED);
			break;
		case 3:
			__atomic_store_n(&own->head, n % 2 != 0 ? own->head + 8 : x,
					__ATOMIC_RELAXED);
			break;
		case 4:
			__atomic_store_n(&own->doorbell_seen, x, __ATOMIC_RELAXED);
			__atomic_store_n(&own->want_doorbell, x & 1, __ATOMIC_RELAXED);
			__atomic_store_n(&link->groups[0].armed, x & 1, __ATOMIC_RELAXED);
			__atomic_store_n(&link->doorbells[x % SHM_WIRE_DOORBELL_WORDS],
					(uint64_t)x << 32 | n, __ATOMIC_RELAXED);
			break;
		case 5:
			__atomic_store_n(&link->sock_doorbell, x, __ATOMIC_RELAXED);
			break;
		default: /* any word of the first kilobyte, header and all */
			__atomic_store_n((uint32_t *)own + x % 256, x >> (n % 32),
					__ATOMIC_RELAXED);
			break;
		}
		if (n % 256 == 0)
			sched_yield();
	}
	return NULL;
}

static int
flip(unsigned int what, unsigned int ms)
{
	struct flipper f = { hostile_connected(), what, false };
	uint64_t end = test_now_ns() + (uint64_t)ms * 1000000;
	static const uint8_t data[64];
	pthread_t thread;
	unsigned int n;

	TEST_TRUE(f.e != NULL);
	TEST_EXPECT(pthread_create(&thread, NULL, flipper_main, &f), 0);
	for (n = 0; test_now_ns() < end && peer_env.target->conn != NULL; n++) {
		if (what < 2)
			hostile_put(f.e, &f.e->chan, data, 8);
		else if (what > 3 && n % 4 == 0)
			hostile_ring(f.e, &f.e->chan);
		test_send(peer_env.target->conn, data, 1 + n % sizeof(data));
		peer_turn();
		if (n % 64 == 0 && peer_env.client->conn != NULL)
			test_send_pattern(peer_env.client->conn, 64, n);
		peer_turn();
	}
	__atomic_store_n(&f.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	hostile_close(f.e);
	PEER_WAIT(peer_env.target->conn == NULL, TEST_MS);
	return TEST_SUCCESS;
}

static int
test_flipper(void)
{
	unsigned int what, round;

	for (what = 0; what <= 6; what++)
		for (round = 0; round < 10; round++)
			TEST_CALL(flip(what, 15));
	peer_turn_ms(20); /* the echoes that are still under way */
	return TEST_SUCCESS;
}

/* A peer that publishes without end keeps nobody else from being served. */
static int
test_flood(void)
{
	struct hostile *e = hostile_connected();
	uint32_t recv = peer_env.target->nb_recv;
	unsigned int i, n;

	for (i = 0; i < 200; i++) {
		for (n = 0; n < 100 && e->chan.own->tail - e->chan.peer->head <
				e->chan.ring_size - 64; n++)
			hostile_put(e, &e->chan, "flood", 5);
		TEST_CALL(peer_honest(1));
	}
	TEST_TRUE(peer_env.target->nb_recv > recv + 1000);
	return TEST_SUCCESS;
}

/* An engine that sleeps, and is woken without end by what was made for it. */
static void *
waker_main(void *arg)
{
	struct flipper *f = arg;

	while (!__atomic_load_n(&f->stop, __ATOMIC_RELAXED))
		hostile_wake(f->e);
	return NULL;
}

static int
test_wake_flood(void)
{
	struct flipper f = { hostile_connected(), 0, false };
	struct pollfd pfd = { rte_comch_pe_fd(peer_env.pe), POLLIN, 0 };
	pthread_t thread;
	uint64_t begin, longest = 0;
	unsigned int i, slept = 0;

	TEST_TRUE(f.e != NULL && f.e->wake >= 0);
	TEST_EXPECT(pthread_create(&thread, NULL, waker_main, &f), 0);
	for (i = 0; i < 300; i++) {
		if (rte_comch_pe_arm(peer_env.pe) == 0) {
			poll(&pfd, 1, 10);
			slept++;
		}
		begin = test_now_ns();
		rte_comch_pe_progress(peer_env.pe);
		longest = RTE_MAX(longest, test_now_ns() - begin);
	}
	__atomic_store_n(&f.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	test_note("longest progress under a flood of wake-ups: %u us",
			(unsigned int)(longest / 1000));
	TEST_TRUE(slept > 0);
	TEST_ASSERT(longest < 200000000, "progress was held for %u ms",
			(unsigned int)(longest / 1000000));
	return TEST_SUCCESS;
}

/* The peer closes what wakes us, or has it block: neither may keep us awake, or hold us. */
static int
test_wake_closed(void)
{
	struct hostile *e = hostile_connected();
	struct pollfd pfd = { rte_comch_pe_fd(peer_env.pe), POLLIN, 0 };
	unsigned int i, woken = 0;

	TEST_TRUE(e->wake >= 0);
	peer_turn_ms(5);
	hostile_wake(e);
	TEST_EXPECT(fcntl(e->wake, F_SETFL, 0), 0);
	close(e->wake);
	e->wake = -1;
	for (i = 0; i < 200; i++) {
		if (rte_comch_pe_arm(peer_env.pe) == 0)
			woken += poll(&pfd, 1, 1) > 0;
		rte_comch_pe_progress(peer_env.pe);
	}
	TEST_ASSERT(woken < 50, "woken %u times by what is closed", woken);
	return TEST_SUCCESS;
}

#define PEER_CASE(fn) TEST_CASE_ST(peer_setup, peer_teardown, fn)

static struct unit_test_suite suite = {
	.suite_name = "shm, a hostile peer: rings and doorbells",
	.setup = peer_suite_setup,
	.teardown = peer_suite_teardown,
	.unit_test_cases = {
		PEER_CASE(test_tail),
		PEER_CASE(test_records),
		PEER_CASE(test_head),
		PEER_CASE(test_read_before),
		PEER_CASE(test_head_inside),
		PEER_CASE(test_end_answered),
		PEER_CASE(test_end_silent),
		PEER_CASE(test_end_dies),
		PEER_CASE(test_end_nonsense),
		PEER_CASE(test_end_crossed),
		PEER_CASE(test_cut_untold),
		PEER_CASE(test_cut_told),
		PEER_CASE(test_cut_dies),
		PEER_CASE(test_close_nonsense),
		PEER_CASE(test_close_full),
		PEER_CASE(test_dies_full),
		PEER_CASE(test_doorbells),
		PEER_CASE(test_sock_doorbell),
		PEER_CASE(test_headers_change),
		PEER_CASE(test_flipper),
		PEER_CASE(test_flood),
		PEER_CASE(test_wake_flood),
		PEER_CASE(test_wake_closed),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(shm_peer_ring_autotest, unit_test_suite_runner, &suite)
