/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Regions that are mbuf pools: those of several chunks, what is around the chunks,
 * regions that are in use, and the addresses that devices know the mbufs by.
 */

/* before any header: some bring the macros that look at it */
#define ALLOW_INTERNAL_API 1

#include <unistd.h>

#include <rte_eal.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>
#include <rte_memory.h>
#include <rte_mempool.h>

#include <rte_comch_pmd.h> /* check-ok: a driver with memory of EAL is played here */

#include "test_comch_fp_util.h"

#define ROOM 256
#define CHUNK_OBJS 4
#define MAX_CHUNKS 64
#define SLOTS 64
#define POOL_MBUFS 255

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
	TEST_CALL(test_fp_queues(fp, l->to.mem, SLOTS, 0, &l->consumer, &l->producer));
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
test_chunks(struct test_fp *fp)
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

/* Chunks that touch are one piece. */
static int
test_chunks_touch(struct test_fp *fp)
{
	struct rte_comch_mem_info info;
	struct link l;

	TEST_CALL(chunky_new(3, 0));
	TEST_CALL(link_new(fp, &l));
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
test_chunks_mixed(struct test_fp *fp)
{
	struct rte_comch_send msgs[SLOTS] = { 0 };
	struct rte_comch_cpl cpls[SLOTS];
	uint32_t round, i, bad;
	struct link l;

	TEST_CALL(chunky_new(MAX_CHUNKS, 4096));
	TEST_CALL(link_new(fp, &l));
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

/* A region that tasks send from stays until the last of them has ended. */
static int
test_free_in_flight(struct test_fp *fp)
{
	const struct rte_comch_producer_conf conf = { .nb_tasks = 2 };
	struct rte_comch_send msg = { .len = ROOM };
	struct rte_comch_task *tasks[2];
	struct test_slots to, from;
	struct test_q *consumer, *producer;
	struct rte_comch_cpl cpls[2];
	uint32_t i;

	TEST_CALL(test_slots_new(&to, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, 2, ROOM));
	TEST_CALL(test_slots_new(&from, fp->tx.dev, 0, 2, ROOM));
	TEST_CALL(test_fp_consumer(fp, to.mem, 2, 0, &consumer));
	producer = test_q_producer(&fp->tx, &conf);
	TEST_EXPECT(rte_comch_ctx_start(producer->ctx), 0);
	test_fp_pairs();
	TEST_EXPECT(test_post_slots(consumer, &to, 0, 2, 0), 2);
	msg.mem = from.mem;
	for (i = 0; i < 2; i++) {
		msg.addr = test_slot(&from, i);
		test_fill(test_slot(&from, i), ROOM, i);
		TEST_EXPECT(rte_comch_producer_task_alloc(producer->ctx, consumer->id, &msg,
				&tasks[i]), 0);
	}
	TEST_EXPECT(rte_comch_task_submit(tasks[0]), 0);
	TEST_EXPECT(rte_comch_mem_free(from.mem), -EBUSY);
	TEST_EXPECT(rte_comch_task_submit(tasks[1]), 0);
	TEST_EXPECT(rte_comch_mem_free(from.mem), -EBUSY);
	TEST_WAIT(producer->nb_ok == 2, TEST_MS);
	TEST_EXPECT(test_poll(consumer, cpls, 2), 2);
	for (i = 0; i < 2; i++)
		TEST_TRUE(test_slot_check(&to, i, ROOM, i));
	TEST_EXPECT(test_mem_free(from.mem), 0);
	return TEST_SUCCESS;
}

/* Every address that a device may be told is right, and EAL knows the memory. */
static int
iovas_of(const struct rte_comch_mem *mem)
{
	struct rte_mbuf *pkts[POOL_MBUFS];
	uint32_t i;

	TEST_EXPECT(rte_pktmbuf_alloc_bulk(test_mem_info(mem).pool, pkts, POOL_MBUFS), 0);
	for (i = 0; i < POOL_MBUFS; i++) {
		TEST_TRUE(rte_mem_virt2memseg_list(pkts[i]->buf_addr) != NULL);
		TEST_TRUE(rte_mbuf_iova_get(pkts[i]) == rte_mem_virt2iova(pkts[i]->buf_addr));
		TEST_TRUE(rte_pktmbuf_iova(pkts[i]) ==
				rte_mem_virt2iova(rte_pktmbuf_mtod(pkts[i], void *)));
	}
	rte_pktmbuf_free_bulk(pkts, POOL_MBUFS);
	return TEST_SUCCESS;
}

/* The mbufs of our pools can be given to devices that use IOVAs. */
static int
test_iova(void)
{
	struct rte_comch_mem *mem;
	void *addr;

	if (rte_eal_iova_mode() != RTE_IOVA_VA)
		return test_skip("IOVAs are physical here, so not every pool has them");
	mem = test_mem_pool(test_pair.dpu, "iova", POOL_MBUFS, 0, ROOM,
			RTE_COMCH_MEM_F_PEER_WRITE);
	TEST_CALL(iovas_of(mem));
	addr = rte_comch_mem_addr(mem);
	TEST_EXPECT(test_mem_free(mem), 0);
	TEST_TRUE(rte_mem_virt2memseg_list(addr) == NULL);
	mem = test_mem_pool(test_pair.host, "iova", POOL_MBUFS, 0, ROOM, 0);
	return iovas_of(mem);
}

/* More pools than EAL has places for foreign memory: they are pools all the same. */
static int
test_iova_many(void)
{
	struct rte_comch_mem *many[RTE_MAX_MEMSEG_LISTS + 8];
	char name[RTE_MEMPOOL_NAMESIZE];
	unsigned int i, nb, left = 0;
	struct rte_comch_mem_info info;
	struct rte_mbuf *pkt;

	for (nb = 0; nb < RTE_DIM(many); nb++) {
		snprintf(name, sizeof(name), "iova%u", nb);
		if (rte_comch_mem_pool_create(test_pair.dpu, name, 1, 0, ROOM, 0, &many[nb]) != 0)
			break;
	}
	for (i = 0; i < nb; i++) {
		pkt = rte_comch_mem_info_get(many[i], &info) == 0 ?
			rte_pktmbuf_alloc(info.pool) : NULL;
		if (pkt == NULL || (rte_eal_iova_mode() == RTE_IOVA_VA &&
				rte_mbuf_iova_get(pkt) != (uintptr_t)pkt->buf_addr))
			test_fail("pool %u has a wrong IOVA", i);
		rte_pktmbuf_free(pkt);
		left += rte_comch_mem_free(many[i]) != 0;
	}
	TEST_EXPECT(left, 0);
	TEST_EXPECT(nb, RTE_DIM(many));
	return TEST_SUCCESS;
}

/* A driver whose regions are memory of EAL, as where a device is on EAL's bus. */
static int
eal_mem_alloc(struct rte_comch_mem *mem)
{
	mem->page_size = sysconf(_SC_PAGESIZE);
	mem->addr = rte_zmalloc("region", RTE_ALIGN_CEIL(mem->len, mem->page_size),
		mem->page_size);
	return mem->addr == NULL ? -ENOMEM : 0;
}

static int
eal_mem_free(struct rte_comch_mem *mem, struct rte_comch_pmd_ending *ending __rte_unused)
{
	rte_free(mem->addr);
	return 0;
}

static int
count_external(const struct rte_memseg_list *list, void *arg)
{
	*(unsigned int *)arg += list->external;
	return 0;
}

/* EAL has registered and mapped it: that is neither done again, nor undone. */
static int
test_iova_eal(void)
{
	struct rte_comch_dev_ops ops;
	const struct rte_comch_dev_ops *was;
	struct rte_comch_mem *mem = NULL;
	unsigned int before = 0, with = 0;
	struct rte_comch_dev *dev;
	int ret;

	if (rte_eal_iova_mode() != RTE_IOVA_VA)
		return test_skip("IOVAs are physical here, so not every pool has them");
	dev = rte_comch_pmd_get_by_name(test_dev_info(test_pair.dpu).name);
	was = dev->ops;
	ops = *was;
	ops.mem_alloc = eal_mem_alloc;
	ops.mem_free = eal_mem_free;
	dev->ops = &ops;
	rte_memseg_list_walk(count_external, &before);
	ret = rte_comch_mem_pool_create(test_pair.dpu, "iova_eal", POOL_MBUFS, 0, ROOM, 0, &mem);
	if (ret == 0) {
		rte_memseg_list_walk(count_external, &with);
		ret = iovas_of(mem) != TEST_SUCCESS || rte_comch_mem_free(mem) != 0;
	}
	dev->ops = was;
	TEST_EXPECT(ret, 0);
	TEST_EXPECT(with, before);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: regions that are pools",
	.setup = test_quiet,
	.unit_test_cases = {
		TEST_CASE_FP_ONE(test_fp_need, teardown, test_chunks),
		TEST_CASE_FP_ONE(test_fp_need, teardown, test_chunks_touch),
		TEST_CASE_FP_ONE(test_fp_need, teardown, test_chunks_mixed),
		TEST_CASE_FP_ONE(test_fp_need, teardown, test_free_in_flight),
		TEST_CASE_ST(test_fp_count_setup, test_fp_count_teardown, test_iova),
		TEST_CASE_ST(test_fp_count_setup, test_fp_count_teardown, test_iova_many),
		TEST_CASE_ST(test_fp_count_setup, test_fp_count_teardown, test_iova_eal),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_mem_pool_autotest, test_pairs_run, &suite)
