/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Attacks on the time of an engine: rings and regions that are as large as can be, or many at
 * once. They are left to the thread of the device, while what they are for comes to its end.
 */

#include <rte_cycles.h>

#include "test_shm_peer_fast.h"

/* Messages of a ring of nearly 16 MiB, and a region of that. */
#define QUEUE_SIZE 4000u
#define REGION_SIZE (UINT64_C(16) << 20)
/* Processor time of a turn; the least of some tries, as others may disturb one. */
#define TURN_NS UINT64_C(3000000)
#define NB_TRIES 3u
/* Connections and consumers that are asked for at once. */
#define NB_CONNS 100u
#define SMALL_QUEUE_SIZE 4u
/* Turns after which the peer thinks better of it. */
#define NB_TURNS 8u
/* Rings that it closes at once, and rounds of them. */
#define NB_AT_ONCE 12u
#define NB_SIZES 8u

/* One turn, and the longest so far. */
static void
turn(uint64_t *worst)
{
	uint64_t begin = test_clock_ns(CLOCK_THREAD_CPUTIME_ID);

	peer_serve(peer_env.pe);
	begin = test_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	*worst = RTE_MAX(*worst, begin);
}

/* As many messages of a type as that. */
static int
await(struct hostile *e, uint16_t type, uint32_t nb, uint64_t *worst)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	int ret;

	while (nb != 0) {
		TEST_TRUE(test_now_ns() < end);
		turn(worst);
		while ((ret = hostile_recv(e)) > 0)
			nb -= ret == type;
		TEST_TRUE(ret == 0);
	}
	return TEST_SUCCESS;
}

static int
turns_judge(uint64_t least)
{
	test_note("a turn took %.2f ms at most", (double)least / 1e6);
	if (!TEST_ASAN)
		TEST_TRUE(least < TURN_NS);
	TEST_CALL(peer_honest(10));
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* A consumer of a region of its own, which is number 0 of the link. */
static int
consumer_send(struct hostile *e, struct hostile_region *r, uint32_t id)
{
	struct hostile_consumer c = { .msg.nb_posts = 0 };

	if (r->fd < 0) {
		TEST_EXPECT(hostile_region_create(r, REGION_SIZE), 0);
		TEST_EXPECT(hostile_region_send(e, r, 0), 0);
	}
	TEST_EXPECT(hostile_consumer_ask(e, &c, id, 0), 0);
	hostile_consumer_free(&c);
	return TEST_SUCCESS;
}

/* So many connections at once, each with a ring for so many messages. */
static int
rings_made(uint32_t nb, uint32_t queue_size)
{
	uint64_t worst, least = UINT64_MAX;
	struct hostile *e;
	unsigned int i;
	uint32_t id;

	for (i = 0; i < NB_TRIES; i++) {
		e = hostile_up();
		TEST_TRUE(e != NULL);
		for (id = 0; id < nb; id++)
			TEST_EXPECT(hostile_connect_send(e, id, "target", queue_size), 0);
		worst = 0;
		TEST_CALL(await(e, SHM_WIRE_ACCEPT, nb, &worst));
		TEST_TRUE(e->msg.accept.tx.ring_size >= queue_size * 4080);
		hostile_close(e);
		least = RTE_MIN(least, worst);
		peer_turn_ms(2);
	}
	return turns_judge(least);
}

static int
test_ring(void)
{
	return rings_made(1, QUEUE_SIZE);
}

static int
test_rings(void)
{
	return rings_made(NB_CONNS, SMALL_QUEUE_SIZE);
}

static int
test_region(void)
{
	uint64_t worst, least = UINT64_MAX;
	struct hostile_region r;
	struct hostile *e;
	unsigned int i;

	for (i = 0; i < NB_TRIES; i++) {
		e = hostile_connected();
		TEST_TRUE(e != NULL);
		r.fd = -1;
		TEST_CALL(consumer_send(e, &r, 1));
		worst = 0;
		TEST_CALL(await(e, SHM_WIRE_CONSUMER_ACK, 1, &worst));
		TEST_EXPECT(e->msg.consumer_ack.status, 0);
		hostile_region_free(&r);
		hostile_close(e);
		least = RTE_MIN(least, worst);
		peer_turn_ms(2);
	}
	return turns_judge(least);
}

/* The peer closes what is being made: the link goes on, and can have the same again. */
static int
test_ring_closed(void)
{
	struct hostile *e = hostile_up();
	uint64_t worst = 0;
	unsigned int i, k;

	TEST_TRUE(e != NULL);
	for (i = 0; i <= NB_TURNS; i++) {
		TEST_EXPECT(hostile_connect_send(e, i, "target", QUEUE_SIZE - i), 0);
		for (k = 0; k < i; k++)
			turn(&worst);
		TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSE, i), 0);
		TEST_EXPECT(hostile_wait(e, SHM_WIRE_CLOSED, TEST_MS), 0);
	}
	/* what was made for one of them and never told of is made known now */
	TEST_EXPECT(hostile_connect_send(e, 0, "target", QUEUE_SIZE - NB_TURNS), 0);
	TEST_EXPECT(hostile_wait(e, SHM_WIRE_ACCEPT, TEST_MS), 0);
	TEST_TRUE((e->msg.accept.tx.new_seg != 0) == (e->msg_fd >= 0));
	TEST_CALL(peer_honest(10));
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/*
 * The peer closes what is being made, and never asks for that size again. Another engine takes
 * the words of its end, so that they come before what is made, or behind it.
 */
static int
test_rings_closed(void)
{
	struct rte_comch_pe *pe;
	struct test_ep *server;
	struct hostile *e;
	unsigned int i, k;

	TEST_EXPECT(rte_comch_pe_create(NULL, &pe), 0);
	server = test_server_run("other", pe);
	TEST_TRUE(server != NULL);
	peer_settle();
	e = hostile_up();
	TEST_TRUE(e != NULL);
	for (i = 0; i < NB_SIZES; i++) {
		for (k = 0; k < NB_AT_ONCE; k++)
			TEST_EXPECT(hostile_connect_send(e, k, "target",
				k == 0 ? QUEUE_SIZE / 2 : 64 + i), 0);
		peer_serve(pe);
		peer_serve(peer_env.pe);
		for (k = 0; k < NB_AT_ONCE; k++)
			TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSE, k), 0);
		peer_serve(pe);
		rte_delay_us_sleep(i % 2 * 20000);
		for (k = 0; k < NB_AT_ONCE; k++)
			TEST_EXPECT(hostile_wait(e, SHM_WIRE_CLOSED, TEST_MS), 0);
	}
	/* its socket, both ends of it, and what wakes engines */
	PEER_WAIT(test_count_fds() < peer_env.fds + NB_AT_ONCE, TEST_MS);
	TEST_EXPECT(test_ep_close(server), 0);
	TEST_EXPECT(rte_comch_pe_destroy(pe), 0);
	TEST_CALL(peer_honest(10));
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

static int
test_ring_killed(void)
{
	struct hostile *e;
	uint64_t worst = 0;
	unsigned int i, k;

	for (i = 0; i <= NB_TURNS; i++) {
		e = hostile_up();
		TEST_TRUE(e != NULL);
		TEST_EXPECT(hostile_connect_send(e, 0, "target", QUEUE_SIZE), 0);
		for (k = 0; k < i; k++)
			turn(&worst);
		hostile_close(e);
	}
	PEER_WAIT(peer_links() == 1, TEST_MS);
	return peer_honest(10);
}

static int
test_consumer_closed(void)
{
	struct hostile_region r;
	struct hostile *e;
	uint64_t worst = 0;
	unsigned int i, k;

	for (i = 0; i <= NB_TURNS; i++) {
		e = hostile_connected();
		TEST_TRUE(e != NULL);
		r.fd = -1;
		TEST_CALL(consumer_send(e, &r, 1));
		for (k = 0; k < i; k++)
			turn(&worst);
		if (i % 2 == 0) {
			TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSE, 0), 0);
			TEST_EXPECT(hostile_wait(e, SHM_WIRE_CLOSED, TEST_MS), 0);
			/* the same again, of the same link */
			TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
		}
		hostile_region_free(&r);
		hostile_close(e);
	}
	return peer_honest(10);
}

/* Two of one number: the second is a breach, whether the first is there yet or not. */
static int
test_consumer_twice(void)
{
	struct hostile *e = hostile_connected();
	struct hostile_region r = { .fd = -1 };

	TEST_TRUE(e != NULL);
	TEST_CALL(consumer_send(e, &r, 1));
	TEST_CALL(consumer_send(e, &r, 1));
	PEER_WAIT(peer_violations() == 1, TEST_MS);
	hostile_region_free(&r);
	return peer_honest(10);
}

/* The engine goes while a ring is made for a server of it. */
static int
test_engine_gone(void)
{
	struct rte_comch_pe *pe;
	struct test_ep *server;
	struct hostile *e;
	unsigned int i, k;

	for (i = 0; i < NB_TRIES; i++) {
		TEST_EXPECT(rte_comch_pe_create(NULL, &pe), 0);
		server = test_server_run("short", pe);
		TEST_TRUE(server != NULL);
		e = hostile_up();
		TEST_TRUE(e != NULL);
		TEST_EXPECT(hostile_connect_send(e, 0, "short", QUEUE_SIZE), 0);
		for (k = 0; k < 1 + i % 3; k++)
			peer_serve(pe);
		TEST_EXPECT(test_ep_close(server), 0);
		TEST_EXPECT(rte_comch_pe_destroy(pe), 0);
		peer_turn_ms(2);
		hostile_close(e);
		PEER_WAIT(peer_links() == 1, TEST_MS);
		if (i == 0) /* the honest keep what wakes an engine of that number */
			peer_settle();
	}
	TEST_CALL(peer_honest(10));
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* The device is removed right after the engine, while its thread makes a ring. */
static int
test_device_gone(void)
{
	struct test_ep *server;
	struct rte_comch_pe *pe;
	char path[PATH_MAX];
	struct hostile *e;
	unsigned int i;
	int dev;

	TEST_EXPECT(test_rendezvous_create(path, sizeof(path)), 0);
	dev = test_vdev_add("role=dpu,functions=pf0,path=%s", path);
	TEST_TRUE(dev >= 0);
	TEST_EXPECT(rte_comch_pe_create(NULL, &pe), 0);
	test_pair.dpu = (int16_t)dev;
	server = test_server_run("target", pe);
	test_pair.dpu = peer_env.dpu;
	TEST_TRUE(server != NULL);
	e = hostile_open(path, "pf0");
	TEST_TRUE(e != NULL);
	TEST_EXPECT(hostile_hello_send(e), 0);
	TEST_EXPECT(hostile_connect_send(e, 0, "target", QUEUE_SIZE), 0);
	for (i = 0; i < 4; i++)
		peer_serve(pe);
	hostile_close(e);
	TEST_EXPECT(test_ep_close(server), 0);
	TEST_EXPECT(rte_comch_pe_destroy(pe), 0);
	TEST_EXPECT(test_vdev_remove((int16_t)dev), 0);
	test_rendezvous_remove(path);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "shm, a hostile peer: what is large",
	.setup = peer_suite_setup,
	.teardown = peer_suite_teardown,
	.unit_test_cases = {
		TEST_CASE_ST(peer_setup, peer_teardown, test_ring),
		TEST_CASE_ST(peer_setup, peer_teardown, test_rings),
		TEST_CASE_ST(peer_setup, peer_teardown, test_region),
		TEST_CASE_ST(peer_setup, peer_teardown, test_ring_closed),
		TEST_CASE_ST(peer_setup, peer_teardown, test_rings_closed),
		TEST_CASE_ST(peer_setup, peer_teardown, test_ring_killed),
		TEST_CASE_ST(peer_setup, peer_teardown, test_consumer_closed),
		TEST_CASE_ST(peer_setup, peer_teardown, test_consumer_twice),
		TEST_CASE_ST(peer_setup, peer_teardown, test_engine_gone),
		TEST_CASE_ST(peer_setup, peer_teardown, test_device_gone),
		TEST_CASES_END(),
	},
};

REGISTER_FAST_TEST(shm_peer_large_autotest, unit_test_suite_runner, &suite)
