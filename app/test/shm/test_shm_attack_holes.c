/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Attacks by a peer that takes pages out of regions which the card's side writes to: each store
 * into a hole allocates a page that counts for the card's side. And why no seal prevents it.
 */

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test_shm_peer_fast.h"

#define MAX_MEM (UINT64_C(16) << 20)
#define REGION_SIZE (UINT64_C(4) << 20)
#define MAX_REGIONS 16u /* four times as many as may be mapped */
#define SEND_SIZE (1u << 20)
#define ROUNDS 16u

static uint8_t data[SEND_SIZE];

/* A region with a consumer. */
struct hole {
	struct hostile_region region;
	struct hostile_consumer consumer;
};

static int
holes_suite_setup(void)
{
	peer_env.args = ",max_mem=16";
	return peer_suite_setup();
}

static void
holes_teardown(void)
{
	fast_case_end();
	peer_turn_ms(12); /* memory is given back by the engines' next looks */
	peer_teardown();
}

/* 0, or why the region is not mapped. */
static int
hole_open(struct hostile *e, struct hole *hole, uint32_t id)
{
	memset(hole, 0, sizeof(*hole));
	TEST_EXPECT(hostile_region_create(&hole->region, REGION_SIZE), 0);
	TEST_EXPECT(hostile_region_send(e, &hole->region, id), 0);
	return hostile_consumer_start(e, &hole->consumer, id + 1, id);
}

static void
hole_close(struct hole *hole)
{
	hostile_consumer_free(&hole->consumer);
	hostile_region_free(&hole->region);
}

/* Bytes of memory that are there. */
static uint64_t
hole_bytes(const struct hole *hole)
{
	struct stat st;

	return fstat(hole->region.fd, &st) == 0 ? (uint64_t)st.st_blocks * 512 : UINT64_MAX;
}

/* Take all pages out, and have the card's side write to each. */
static int
hole_fill(struct hole *hole, struct test_q *producer, struct rte_comch_mem *mem)
{
	const struct rte_comch_send send = {
		.addr = data, .len = SEND_SIZE, .mem = mem, .flags = RTE_COMCH_SEND_F_NO_CPL,
	};
	const uint32_t id = hole->consumer.msg.consumer;
	uint64_t off;

	TEST_EXPECT(fallocate(hole->region.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			REGION_SIZE), 0);
	TEST_TRUE(hole_bytes(hole) == 0);
	for (off = 0; off < REGION_SIZE; off += SEND_SIZE) {
		hostile_post(&hole->consumer, off, SEND_SIZE);
		TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, id, &send, 1), 1);
	}
	return TEST_SUCCESS;
}

/* As much memory as a region has may be written into its holes: all of it has been counted. */
static int
test_holes_in_regions(void)
{
	static struct hole holes[MAX_REGIONS];
	uint64_t written = 0, there, most = 0;
	struct hostile *e = hostile_connected();
	struct rte_comch_mem *mem;
	struct test_q *producer;
	unsigned int nb, i, round;
	int ret = 0;

	for (nb = 0; nb < MAX_REGIONS && ret == 0; nb += ret == 0)
		ret = hole_open(e, &holes[nb], nb);
	if (ret != 0)
		hole_close(&holes[nb]);
	producer = fast_producer();
	mem = fast_source(data, sizeof(data), 0);
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0, there = 0; i < nb; i++) {
			TEST_CALL(hole_fill(&holes[i], producer, mem));
			written += REGION_SIZE;
			there += hole_bytes(&holes[i]);
		}
		most = RTE_MAX(most, there);
		TEST_CALL(peer_honest(1));
	}
	test_note("%u MiB were written into holes of %u regions, %u MiB are there",
		(unsigned int)(written >> 20), nb, (unsigned int)(most >> 20));
	TEST_EXPECT(ret, -ENOMEM);
	TEST_TRUE(nb != 0 && most <= MAX_MEM);
	TEST_TRUE(!hostile_gone(e));
	TEST_EXPECT(peer_violations(), 0);
	for (i = 0; i < nb; i++)
		hole_close(&holes[i]);
	return TEST_SUCCESS;
}

/*
 * F_SEAL_FUTURE_WRITE after our mapping would refuse to take pages out. But it stays, and then
 * the next link, or another one at the same time, could not map the region.
 */
static int
test_region_of_two_links(void)
{
	struct hostile_consumer c[3] = { { .posts = NULL } };
	struct hostile *e[3];
	struct hostile_region r;
	unsigned int i;

	TEST_EXPECT(hostile_region_create(&r, HOSTILE_REGION_SIZE), 0);
	for (i = 0; i < RTE_DIM(e); i++) {
		if (i == 2) {
			hostile_close(e[0]);
			hostile_close(e[1]);
			PEER_WAIT(peer_links() == 1, TEST_MS);
		}
		e[i] = hostile_connected();
		TEST_EXPECT(hostile_region_send(e[i], &r, 0), 0);
		TEST_EXPECT(hostile_consumer_start(e[i], &c[i], 1, 0), 0);
	}
	for (i = 0; i < RTE_DIM(e); i++)
		hostile_consumer_free(&c[i]);
	hostile_region_free(&r);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "shm, attacks by holes in regions",
	.setup = holes_suite_setup,
	.teardown = peer_suite_teardown,
	.unit_test_cases = {
		TEST_CASE_ST(peer_setup, holes_teardown, test_holes_in_regions),
		TEST_CASE_ST(peer_setup, holes_teardown, test_region_of_two_links),
		TEST_CASES_END(),
	},
};

REGISTER_FAST_TEST(shm_attack_holes_autotest, unit_test_suite_runner, &suite)
