/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Regions that are mbuf pools: those of several chunks, and what is around the
 * chunks.
 */

#include <unistd.h>

#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>
#include <rte_memory.h>
#include <rte_mempool.h>

#include "test_comch_fp_util.h"

#define ROOM 256
#define CHUNK_OBJS 4
#define MAX_CHUNKS 64
#define SLOTS 64

/* A pool whose chunks lie in memory of the test, with memory of others between. */
struct chunky {
	struct rte_mempool *pool;
	uint8_t *arena;
	size_t chunk_len;
	size_t gap; /* behind each chunk */
	uint32_t nb;
};

static struct chunky chunky; /* of the case, for its teardown */

static void
teardown(void)
{
	test_fp_cleanup();
	rte_mempool_free(chunky.pool);
	free(chunky.arena);
	memset(&chunky, 0, sizeof(chunky));
}

static uint8_t *
chunk_at(uint32_t i)
{
	return chunky.arena + i * (chunky.chunk_len + chunky.gap);
}

/* Data rooms only: what is around them is the pool's. */
static void
room_fill(struct rte_mempool *pool __rte_unused, void *arg __rte_unused, void *obj,
		unsigned int index)
{
	struct rte_mbuf *m = obj;

	test_fill(m->buf_addr, m->buf_len, index + 1);
}

static int
chunky_new(uint32_t nb, size_t gap)
{
	struct rte_pktmbuf_pool_private priv = { .mbuf_data_room_size = ROOM };
	struct rte_mempool *pool;
	uint32_t i;

	pool = rte_mempool_create_empty("chunky", nb * CHUNK_OBJS,
			sizeof(struct rte_mbuf) + ROOM, 0, sizeof(priv), SOCKET_ID_ANY, 0);
	TEST_TRUE(pool != NULL);
	chunky.pool = pool;
	chunky.nb = nb;
	chunky.gap = gap;
	chunky.chunk_len = RTE_ALIGN((size_t)CHUNK_OBJS * (pool->header_size + pool->elt_size +
			pool->trailer_size), RTE_MEMPOOL_ALIGN);
	chunky.arena = aligned_alloc(4096, RTE_ALIGN(nb * (chunky.chunk_len + gap), 4096));
	TEST_TRUE(chunky.arena != NULL);
	memset(chunky.arena, TEST_GUARD_BYTE, nb * (chunky.chunk_len + gap));
	TEST_EXPECT(rte_mempool_set_ops_byname(pool, rte_mbuf_best_mempool_ops(), NULL), 0);
	rte_pktmbuf_pool_init(pool, &priv);
	/* not in the order of their addresses: the middle first, then around it */
	for (i = 0; i < nb; i++)
		TEST_TRUE(rte_mempool_populate_iova(pool, (char *)chunk_at((i + nb / 2) % nb),
				RTE_BAD_IOVA, chunky.chunk_len, NULL, NULL) > 0);
	rte_mempool_obj_iter(pool, rte_pktmbuf_init, NULL);
	rte_mempool_obj_iter(pool, room_fill, NULL);
	TEST_EXPECT(pool->nb_mem_chunks, nb);
	return TEST_SUCCESS;
}

/* A consumer with places, a producer, and the region of the pool. */
struct link {
	struct test_q *consumer;
	struct test_q *producer;
	struct test_slots to;
	struct rte_comch_mem *mem;
};

static int
link_new(struct test_fp *fp, struct link *l)
{
	TEST_CALL(test_slots_new(&l->to, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, SLOTS, ROOM));
	TEST_CALL(test_fp_consumer(fp, l->to.mem, SLOTS, 0, &l->consumer));
	TEST_CALL(test_fp_producer(fp, SLOTS, &l->producer));
	TEST_EXPECT(rte_comch_mem_pool_register(fp->tx.dev, chunky.pool, 0, &l->mem), 0);
	test_mem_keep(l->mem);
	return TEST_SUCCESS;
}

/* One message of these bytes, which arrives. */
static int
send_taken(struct link *l, const uint8_t *from, uint32_t len)
{
	const struct rte_comch_send msg = { .addr = from, .len = len, .mem = l->mem };
	struct rte_comch_cpl cpl;

	TEST_CALL(test_fp_offer(l->consumer, l->producer, &l->to, 0, 1, 0));
	TEST_EXPECT(rte_comch_producer_send_burst(l->producer->ctx, l->consumer->id, &msg, 1), 1);
	TEST_EXPECT(test_poll(l->consumer, &cpl, 1), 1);
	TEST_EXPECT(test_poll(l->producer, &cpl, 1), 1);
	TEST_EXPECT(memcmp(test_slot(&l->to, 0), from, len), 0);
	return TEST_SUCCESS;
}

/* One that is not in the region; the place that it would have had is still there. */
static int
send_refused(struct link *l, const uint8_t *from, uint64_t len)
{
	struct rte_comch_send msg = { .addr = from, .len = len, .mem = l->mem };
	struct rte_comch_cpl cpl;

	TEST_CALL(test_fp_offer(l->consumer, l->producer, &l->to, 0, 1, 0));
	TEST_EXPECT(rte_comch_producer_send_burst(l->producer->ctx, l->consumer->id, &msg, 1), 0);
	TEST_EXPECT(test_reason(l->producer, l->consumer->id), -EFAULT);
	msg.addr = chunk_at(0);
	msg.len = ROOM;
	TEST_EXPECT(rte_comch_producer_send_burst(l->producer->ctx, l->consumer->id, &msg, 1), 1);
	TEST_EXPECT(test_poll(l->consumer, &cpl, 1), 1);
	TEST_EXPECT(test_poll(l->producer, &cpl, 1), 1);
	return TEST_SUCCESS;
}

/* The region is the chunks, and nothing that lies between them. */
static int
chunks(struct test_fp *fp)
{
	struct rte_comch_mem_info info;
	uint8_t *first, *second;
	struct link l;

	TEST_CALL(chunky_new(2, 8192));
	TEST_CALL(link_new(fp, &l));
	first = chunk_at(0);
	second = chunk_at(1);
	TEST_EXPECT(rte_comch_mem_info_get(l.mem, &info), 0);
	TEST_EXPECT(info.len, 2 * chunky.chunk_len);
	TEST_TRUE(info.addr == first && rte_comch_mem_addr(l.mem) == first);
	TEST_TRUE(info.pool == chunky.pool);
	TEST_EXPECT(info.page_size, 0);

	TEST_CALL(send_taken(&l, first, ROOM));
	TEST_CALL(send_taken(&l, first + chunky.chunk_len - ROOM, ROOM));
	TEST_CALL(send_taken(&l, second, ROOM));
	TEST_CALL(send_taken(&l, second + chunky.chunk_len - ROOM, ROOM));
	TEST_CALL(send_refused(&l, first + chunky.chunk_len, 1));
	TEST_CALL(send_refused(&l, first + chunky.chunk_len - 1, 2));
	TEST_CALL(send_refused(&l, first + chunky.chunk_len + 4096, ROOM));
	TEST_CALL(send_refused(&l, second - 1, 2));
	TEST_CALL(send_refused(&l, second + chunky.chunk_len - 1, 2));
	TEST_CALL(send_refused(&l, second + chunky.chunk_len, 1));
	TEST_CALL(send_refused(&l, first - 1, 2));
	TEST_CALL(send_refused(&l, second, UINT64_MAX));
	return TEST_SUCCESS;
}

static int
test_chunks(void)
{
	struct test_fp fp;

	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU | TEST_FP_ONE_ENGINE));
	return chunks(&fp);
}

/* Chunks that touch are one piece. */
static int
test_chunks_touch(void)
{
	struct rte_comch_mem_info info;
	struct test_fp fp;
	struct link l;

	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU | TEST_FP_ONE_ENGINE));
	TEST_CALL(chunky_new(3, 0));
	TEST_CALL(link_new(&fp, &l));
	TEST_EXPECT(rte_comch_mem_info_get(l.mem, &info), 0);
	TEST_EXPECT(info.len, 3 * chunky.chunk_len);
	TEST_TRUE(info.addr == chunky.arena);
	TEST_CALL(send_taken(&l, chunk_at(1) - 1, 2));
	TEST_CALL(send_taken(&l, chunk_at(2) - ROOM / 2, ROOM));
	TEST_CALL(send_refused(&l, chunk_at(2) + chunky.chunk_len - 1, 2));
	return TEST_SUCCESS;
}

/* Bursts whose messages come from any chunk, and from none. */
static int
test_chunks_mixed(void)
{
	struct rte_comch_send msgs[SLOTS] = { 0 };
	struct rte_comch_cpl cpls[SLOTS];
	uint32_t round, i, bad;
	struct test_fp fp;
	struct link l;

	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU | TEST_FP_ONE_ENGINE));
	TEST_CALL(chunky_new(MAX_CHUNKS, 4096));
	TEST_CALL(link_new(&fp, &l));
	for (round = 0; round < 200; round++) {
		/* one of them is from a gap, or none if it is beyond the last */
		bad = test_rand() % (SLOTS + 8);
		for (i = 0; i < SLOTS; i++) {
			msgs[i].mem = l.mem;
			msgs[i].len = 1 + test_rand() % ROOM;
			msgs[i].addr = chunk_at(test_rand() % MAX_CHUNKS) + (i == bad ?
				chunky.chunk_len : test_rand() % (chunky.chunk_len - ROOM));
		}
		bad = RTE_MIN(bad, (uint32_t)SLOTS);
		TEST_CALL(test_fp_offer(l.consumer, l.producer, &l.to, 0, SLOTS, 0));
		TEST_EXPECT(rte_comch_producer_send_burst(l.producer->ctx, l.consumer->id, msgs,
				SLOTS), bad);
		if (bad < SLOTS) {
			TEST_EXPECT(test_reason(l.producer, l.consumer->id), -EFAULT);
			msgs[bad].addr = chunk_at(bad % MAX_CHUNKS);
			TEST_EXPECT(rte_comch_producer_send_burst(l.producer->ctx,
					l.consumer->id, &msgs[bad], SLOTS - bad), SLOTS - bad);
		}
		TEST_EXPECT(test_poll(l.consumer, cpls, SLOTS), SLOTS);
		for (i = 0; i < SLOTS; i++)
			TEST_EXPECT(memcmp(test_slot(&l.to, (uint32_t)cpls[i].cookie),
					msgs[i].addr, msgs[i].len), 0);
		TEST_EXPECT(test_poll(l.producer, cpls, SLOTS), SLOTS);
	}
	return TEST_SUCCESS;
}

static int
quiet(void)
{
	test_log_quiet(); /* what is refused on purpose is no news */
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: regions that are pools",
	.setup = quiet,
	.teardown = test_log_restore,
	.unit_test_cases = {
		TEST_CASE_ST(test_fp_need, teardown, test_chunks),
		TEST_CASE_ST(test_fp_need, teardown, test_chunks_touch),
		TEST_CASE_ST(test_fp_need, teardown, test_chunks_mixed),
		TEST_CASES_END()
	},
};

static int
test_comch_mem_pool(void)
{
	return test_pairs_run(&suite);
}

REGISTER_FAST_TEST(comch_mem_pool_autotest, NOHUGE_OK, ASAN_OK, test_comch_mem_pool)
