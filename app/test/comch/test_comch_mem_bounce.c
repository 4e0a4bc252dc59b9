/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Consumers that receive into memory of the application: each kind of memory, what is
 * around it, pools that exist, and what is left when they are gone. How a peer that is
 * not honest fares with it is in test_shm_peer_fast_bounce.c.
 */

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>
#include <rte_memory.h>
#include <rte_mempool.h>

#include "test_comch_fp_util.h"
#include "test_comch_place.h"
#include "test_mock.h"

#define PW RTE_COMCH_MEM_F_PEER_WRITE
#define SLOT 512
#define SLOTS 16
#define MAX_LEN (64 * 1024)
#define ROOM 1024
#define PKTS 127
#define CHUNK_OBJS 8
#define CHUNKS 5

/* What a case has, for its teardown. */
static uint8_t *heap;
static struct rte_mempool *pool;

static int
need(void)
{
	const uint64_t capa = RTE_COMCH_CAPA_MEM_DIRECT | RTE_COMCH_CAPA_MEM_BOUNCE;
	struct rte_comch_dev_info dpu, host;

	TEST_CALL(test_fp_count_setup());
	TEST_EXPECT(rte_comch_dev_info_get(test_pair.dpu, &dpu), 0);
	TEST_EXPECT(rte_comch_dev_info_get(test_pair.host, &host), 0);
	if ((dpu.capa & capa) == 0 || (host.capa & capa) == 0)
		return test_skip("consumers cannot have memory of the application");
	return TEST_SUCCESS;
}

static void
teardown(void)
{
	test_fp_cleanup();
	rte_mempool_free(pool);
	pool = NULL;
	free(heap); /* the pool may lie in it */
	heap = NULL;
	test_fp_count_teardown();
}

static int
heap_new(size_t len)
{
	heap = malloc(len);
	TEST_TRUE(heap != NULL);
	memset(heap, TEST_GUARD_BYTE, len);
	return TEST_SUCCESS;
}

static bool
is_guard(const uint8_t *p, uint64_t len)
{
	uint64_t i;

	for (i = 0; i < len; i++)
		if (p[i] != TEST_GUARD_BYTE)
			return false;
	return true;
}

static struct rte_comch_mem *
mem_register(int16_t dev, void *addr, uint64_t len)
{
	struct rte_comch_mem *mem;
	int ret = rte_comch_mem_register(dev, addr, len, PW, &mem);

	if (ret != 0)
		test_give_up("no region of %llu bytes: %s", (unsigned long long)len,
				strerror(-ret));
	test_mem_keep(mem);
	return mem;
}

static bool
has_bounce(const struct rte_comch_mem *mem)
{
	struct rte_comch_mem_info info;

	return rte_comch_mem_info_get(mem, &info) == 0 && info.how == RTE_COMCH_MEM_HOW_BOUNCE;
}

static int
how_of(const struct rte_comch_mem *mem)
{
	struct rte_comch_mem_info info;

	return rte_comch_mem_info_get(mem, &info) == 0 ? (int)info.how : -1;
}

static int
test_flags(void)
{
	struct rte_comch_mem *mem = NULL;
	struct rte_comch_mem_info of;
	int16_t dev = test_pair.dpu;
	struct rte_comch_dev_info info = test_dev_info(dev);
	static uint8_t own[100];
	int ret;

	TEST_EXPECT(rte_comch_mem_register(-1, own, 1, PW, &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_register(dev, NULL, 1, PW, &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_register(dev, own, 0, PW, &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_register(dev, own, 1, PW, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_mem_register(dev, own, 1, PW | RTE_BIT32(7), &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_register(dev, own, 1, PW | RTE_COMCH_MEM_F_HUGE_ONLY, &mem),
			-EINVAL);
	TEST_EXPECT(rte_comch_mem_register(dev, own, 1, RTE_COMCH_MEM_F_NO_BOUNCE, &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_alloc(dev, 1, RTE_COMCH_MEM_F_NO_BOUNCE, &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_register(dev, own, info.max_buf_size + 1, PW, &mem), -EINVAL);
	TEST_TRUE(mem == NULL);
	/* only by a bounce buffer, so not without */
	ret = rte_comch_mem_register(dev, own, sizeof(own), PW | RTE_COMCH_MEM_F_NO_BOUNCE, &mem);
	TEST_TRUE(ret == -ENOTSUP ||
			(ret == 0 && (info.capa & RTE_COMCH_CAPA_MEM_DIRECT) != 0));
	if (ret == 0) {
		TEST_EXPECT(how_of(mem), RTE_COMCH_MEM_HOW_DIRECT);
		TEST_EXPECT(rte_comch_mem_free(mem), 0);
	}
	mem = mem_register(dev, own + 1, sizeof(own) - 1);
	TEST_EXPECT(rte_comch_mem_info_get(mem, &of), 0);
	TEST_TRUE(of.addr == own + 1 && of.pool == NULL);
	TEST_EXPECT(of.len, sizeof(own) - 1);
	TEST_EXPECT(of.flags, PW);
	TEST_EXPECT(of.page_size, 0);
	TEST_EXPECT(of.how, ret == 0 ? RTE_COMCH_MEM_HOW_DIRECT : RTE_COMCH_MEM_HOW_BOUNCE);
	return TEST_SUCCESS;
}

/* Of the other ways to a region. */
static int
test_how(void)
{
	struct rte_comch_mem *mem, *local;
	static uint8_t own[8];

	mem = test_mem_alloc(test_pair.dpu, 1, PW | RTE_COMCH_MEM_F_NO_BOUNCE);
	TEST_EXPECT(how_of(mem), RTE_COMCH_MEM_HOW_DIRECT);
	mem = test_mem_pool(test_pair.dpu, "how", 1, 0, 256, PW | RTE_COMCH_MEM_F_NO_BOUNCE);
	TEST_EXPECT(how_of(mem), RTE_COMCH_MEM_HOW_DIRECT);
	local = test_mem_alloc(test_pair.dpu, 1, 0);
	TEST_EXPECT(how_of(local), RTE_COMCH_MEM_HOW_NONE);
	TEST_EXPECT(rte_comch_mem_register(test_pair.dpu, own, sizeof(own), 0, &local), 0);
	test_mem_keep(local);
	TEST_EXPECT(how_of(local), RTE_COMCH_MEM_HOW_NONE);
	return TEST_SUCCESS;
}

/* A consumer of a region, and what sends to it. */
struct link {
	struct test_q *consumer;
	struct test_q *producer;
	struct test_slots from; /* one slot, of MAX_LEN */
	struct rte_comch_mem *mem;
	uint64_t size; /* of each buffer, or 0: the consumer leaves it open */
};

/* Buffers have this size, where consumers state one. */
static int
link_new_of(struct test_fp *fp, struct link *l, struct rte_comch_mem *mem, uint64_t size)
{
	l->mem = mem;
	l->size = test_has_post_sizes() ? 0 : size;
	test_mem_buf_size(mem, l->size);
	TEST_CALL(test_fp_queues(fp, mem, SLOTS, 8, &l->consumer, &l->producer));
	return test_slots_new(&l->from, fp->tx.dev, 0, 1, MAX_LEN);
}

/* ... or another one, which is less than all of the region. */
static int
link_new(struct test_fp *fp, struct link *l, struct rte_comch_mem *mem)
{
	struct rte_comch_mem_info info = test_mem_info(mem);

	return link_new_of(fp, l, mem, info.pool != NULL ? 0 :
			RTE_MIN((info.len + 1) / 2, (uint64_t)MAX_LEN));
}

static int
post_one(struct link *l, uint8_t *addr, uint64_t len)
{
	const struct rte_comch_post post = { .addr = addr, .len = len, .cookie = 77 };
	uint32_t before = rte_comch_producer_credits(l->producer->ctx, l->consumer->id);

	TEST_EXPECT(rte_comch_consumer_post_burst(l->consumer->ctx, &post, 1), 1);
	TEST_WAIT(rte_comch_producer_credits(l->producer->ctx, l->consumer->id) == before + 1,
			TEST_MS);
	return TEST_SUCCESS;
}

/* One message to a place of room bytes; it is there, and there is nothing behind it. */
static int
one_message(struct link *l, uint8_t *addr, uint64_t room, uint32_t len)
{
	uint32_t seed = test_rand();
	struct rte_comch_cpl cpl;

	memset(addr, TEST_GUARD_BYTE, room);
	TEST_CALL(post_one(l, addr, room));
	test_fill(test_slot(&l->from, 0), len, seed);
	TEST_EXPECT(test_send_slot(l->producer, l->consumer->id, &l->from, 0, len, 0), 1);
	/* nobody but this process writes to memory that has a bounce buffer */
	if (has_bounce(l->mem))
		TEST_TRUE(is_guard(addr, room));
	TEST_EXPECT(test_poll(l->consumer, &cpl, 1), 1);
	TEST_TRUE(cpl.status == 0 && cpl.cookie == 77 && cpl.len == len);
	TEST_EXPECT(cpl.producer_id, l->producer->id);
	TEST_TRUE(test_check(addr, len, seed));
	TEST_TRUE(is_guard(addr + len, room - len));
	TEST_EXPECT(test_poll(l->producer, &cpl, 1), 1);
	return TEST_SUCCESS;
}

static int
many_messages(struct link *l, uint8_t *addr, uint64_t len)
{
	uint32_t i, off, room;

	for (i = 0; i < 40; i++) {
		off = test_rand() % len;
		room = 1 + test_rand() % RTE_MIN(len - off, (uint64_t)MAX_LEN);
		if (l->size != 0) {
			off = test_rand() % (len - l->size + 1);
			room = l->size;
		}
		TEST_CALL(one_message(l, addr + off, room, 1 + test_rand() % room));
	}
	if (l->size != 0) {
		TEST_CALL(one_message(l, addr, l->size, 1));
		return one_message(l, addr + len - l->size, l->size, l->size);
	}
	/* the first byte, the last one, all of it */
	TEST_CALL(one_message(l, addr, 1, 1));
	TEST_CALL(one_message(l, addr + len - 1, 1, 1));
	return one_message(l, addr, RTE_MIN(len, (uint64_t)MAX_LEN),
			(uint32_t)RTE_MIN(len, (uint64_t)MAX_LEN));
}

/* A heap buffer of any place and length, with neighbours that nobody touches. */
static int
test_neighbours(struct test_fp *fp)
{
	static const struct {
		uint32_t off;
		uint32_t len;
	} parts[] = {
		{ 1, 1 }, { 63, 66 }, { 1000, 3000 }, { 4095, 2 }, { 5, 20000 }, { 4096, 8192 },
	};
	const size_t all = 40000;
	unsigned int i;
	struct link l;

	TEST_CALL(heap_new(all));
	for (i = 0; i < RTE_DIM(parts); i++) {
		TEST_CALL(link_new(fp, &l, mem_register(fp->rx.dev, heap + parts[i].off,
				parts[i].len)));
		TEST_CALL(many_messages(&l, heap + parts[i].off, parts[i].len));
		TEST_TRUE(is_guard(heap, parts[i].off));
		TEST_TRUE(is_guard(heap + parts[i].off + parts[i].len,
				all - parts[i].off - parts[i].len));
		memset(heap, TEST_GUARD_BYTE, all);
		TEST_EXPECT(test_q_close(l.consumer), 0);
		TEST_EXPECT(test_q_close(l.producer), 0);
		TEST_EXPECT(test_mem_free(l.mem), 0);
		TEST_TRUE(is_guard(heap, all));
	}
	free(heap);
	heap = NULL;
	return TEST_SUCCESS;
}

static int
kind(struct test_fp *fp, const char *what, void *addr, uint64_t len)
{
	struct link l;
	int ret;

	TEST_ASSERT(addr != NULL && addr != MAP_FAILED, "no memory: %s", what);
	TEST_CALL(link_new(fp, &l, mem_register(fp->rx.dev, addr, len)));
	ret = many_messages(&l, addr, len);
	TEST_EXPECT(test_q_close(l.consumer), 0);
	TEST_EXPECT(test_q_close(l.producer), 0);
	TEST_EXPECT(test_mem_free(l.mem), 0);
	return ret;
}

/* Each kind of memory that a program may have. */
static int
test_kinds(struct test_fp *fp)
{
	const int prot = PROT_READ | PROT_WRITE;
	static uint8_t fixed[10001];
	void *addr;
	FILE *file;
	int ret;

	TEST_CALL(heap_new(70000));
	TEST_CALL(kind(fp, "heap", heap, 70000));
	TEST_CALL(kind(fp, "static", fixed, sizeof(fixed)));
	addr = rte_malloc(NULL, 30000, 0);
	ret = kind(fp, "EAL", addr, 30000);
	rte_free(addr);
	TEST_CALL(ret);
	addr = mmap(NULL, 65536, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ret = kind(fp, "private pages", addr, 65536);
	munmap(addr, 65536);
	TEST_CALL(ret);
	file = tmpfile();
	TEST_TRUE(file != NULL);
	TEST_EXPECT(ftruncate(fileno(file), 65536), 0);
	addr = mmap(NULL, 65536, prot, MAP_SHARED, fileno(file), 0);
	ret = kind(fp, "a file", addr, 65536);
	munmap(addr, 65536);
	fclose(file);
	return ret;
}

/* What cannot be posted, and why; what was posted before it is. */
static int
test_posts(struct test_fp *fp)
{
	struct rte_comch_post posts[SLOTS + 1] = { 0 };
	struct rte_comch_cpl cpls[SLOTS];
	struct link l;
	uint32_t i;
	const struct {
		int64_t off;
		uint64_t len;
		int reason;
	} bad[] = {
		{ -1, 2, -EFAULT }, { 4096, 1, -EFAULT }, { 4095, 2, -EFAULT },
		{ 0, 4097, -EFAULT }, { 0, UINT64_MAX, -EMSGSIZE },
		{ 1, UINT64_C(1) << 29, -EFAULT }, { -4096, 1, -EFAULT }, { 0, 0, -EINVAL },
	};

	TEST_CALL(heap_new(3 * 4096));
	TEST_CALL(link_new_of(fp, &l, mem_register(fp->rx.dev, heap + 4096, 4096), 16));
	for (i = 0; i < RTE_DIM(bad); i++) {
		posts[0].addr = heap + 4096;
		posts[0].len = 16;
		posts[1].addr = heap + 4096 + bad[i].off;
		posts[1].len = bad[i].len;
		posts[2] = posts[0];
		TEST_EXPECT(rte_comch_consumer_post_burst(l.consumer->ctx, posts, 3), 1);
		TEST_EXPECT(test_reason(l.consumer, 0), bad[i].reason);
	}
	posts[0].addr = NULL;
	TEST_EXPECT(rte_comch_consumer_post_burst(l.consumer->ctx, posts, 1), 0);
	TEST_EXPECT(test_reason(l.consumer, 0), -EINVAL);
	TEST_EXPECT(rte_comch_consumer_post_burst(l.consumer->ctx, posts, 0), 0);
	TEST_EXPECT(test_reason(l.consumer, 0), 0);
	/* it has places for so many more, of which one takes immediate data only */
	for (i = 0; i < SLOTS + 1 - RTE_DIM(bad); i++) {
		posts[i].addr = i == 0 && l.size == 0 ? NULL : heap + 4096 + i;
		posts[i].len = l.size != 0 ? l.size : i != 0;
		posts[i].cookie = i;
	}
	TEST_EXPECT(rte_comch_consumer_post_burst(l.consumer->ctx, posts, (uint16_t)i), i - 1);
	TEST_EXPECT(test_reason(l.consumer, 0), -ENOBUFS);
	/* they come back as they were posted, and nothing is written */
	TEST_EXPECT(rte_comch_ctx_stop(l.consumer->ctx), -EINPROGRESS);
	TEST_EXPECT(test_poll(l.consumer, cpls, SLOTS), SLOTS);
	for (i = 0; i < SLOTS; i++) {
		TEST_EXPECT(cpls[i].status, -ECANCELED);
		TEST_EXPECT(cpls[i].cookie, i < RTE_DIM(bad) ? 0 : i - RTE_DIM(bad));
	}
	TEST_WAIT(test_q_state(l.consumer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_TRUE(is_guard(heap, 3 * 4096));
	return TEST_SUCCESS;
}

/* Bursts that go round the ring, all bytes checked, with immediate data. */
static int
test_bursts(void)
{
	struct rte_comch_send sends[SLOTS] = { 0 };
	struct rte_comch_cpl cpls[SLOTS];
	struct rte_comch_post posts[SLOTS] = { 0 };
	uint32_t round, i, nb, seq = 0;
	struct test_slots from;
	struct test_fp fp;
	struct link l;

	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_HOST | TEST_FP_ONE_ENGINE));
	TEST_CALL(heap_new(SLOTS * SLOT));
	TEST_CALL(link_new_of(&fp, &l, mem_register(fp.rx.dev, heap, SLOTS * SLOT), SLOT));
	TEST_CALL(test_slots_new(&from, fp.tx.dev, 0, SLOTS, SLOT));
	for (round = 0; round < 300; round++, seq += nb) {
		nb = 1 + test_rand() % SLOTS;
		for (i = 0; i < nb; i++) {
			posts[i].addr = heap + i * SLOT;
			posts[i].len = SLOT;
			posts[i].cookie = i;
			sends[i].mem = from.mem;
			sends[i].addr = test_slot(&from, i);
			sends[i].len = test_rand() % (SLOT + 1);
			sends[i].imm = &sends[i].len;
			sends[i].imm_len = 8;
			test_fill(test_slot(&from, i), (uint32_t)sends[i].len, seq + i);
		}
		TEST_EXPECT(rte_comch_consumer_post_burst(l.consumer->ctx, posts, (uint16_t)nb),
				nb);
		TEST_WAIT(rte_comch_producer_credits(l.producer->ctx, l.consumer->id) == nb,
				TEST_MS);
		TEST_EXPECT(rte_comch_producer_send_burst(l.producer->ctx, l.consumer->id, sends,
				(uint16_t)nb), nb);
		TEST_EXPECT(test_poll(l.consumer, cpls, nb), nb);
		for (i = 0; i < nb; i++) {
			TEST_TRUE(cpls[i].cookie == i && cpls[i].len == sends[i].len);
			TEST_TRUE(memcmp(cpls[i].imm, &sends[i].len, 8) == 0);
			TEST_TRUE(test_check(heap + i * SLOT, (uint32_t)cpls[i].len, seq + i));
		}
		TEST_EXPECT(test_poll(l.producer, cpls, nb), nb);
	}
	return TEST_SUCCESS;
}

/* Several consumers, one region; the bounce buffer goes with the last of them. */
static int
test_shared(struct test_fp *fp)
{
	const uint64_t len = 8 << 20;
	struct link l[3];
	unsigned int fds;
	uint64_t kb;
	uint32_t i, round;

	TEST_CALL(heap_new(len));
	l[0].mem = mem_register(fp->rx.dev, heap, len);
	test_mem_buf_size(l[0].mem, MAX_LEN);
	test_settle();
	fds = test_count_fds();
	kb = test_memfd_kb();
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 3; i++) {
			TEST_CALL(test_fp_consumer(fp, l[0].mem, SLOTS, 8, &l[i].consumer));
			TEST_CALL(test_fp_producer(fp, SLOTS, &l[i].producer));
			l[i].mem = l[0].mem;
			if (round == 0 && i == 0) {
				TEST_CALL(test_slots_new(&l[0].from, fp->tx.dev, 0, 1, MAX_LEN));
				kb += test_memfd_kb() > kb ? MAX_LEN / 1024 + 4 : 0;
			}
			l[i].from = l[0].from;
		}
		for (i = 0; i < 30; i++)
			TEST_CALL(one_message(&l[i % 3], heap + i * MAX_LEN, MAX_LEN,
					1 + test_rand() % MAX_LEN));
		for (i = 0; i < 3; i++) {
			TEST_EXPECT(rte_comch_mem_free(l[0].mem), -EBUSY);
			TEST_EXPECT(test_q_close(l[i].consumer), 0);
			TEST_EXPECT(test_q_close(l[i].producer), 0);
		}
		test_settle();
		TEST_WAIT(test_count_fds() <= fds + 1, TEST_MS);
		TEST_WAIT(test_memfd_kb() <= kb + 1024, TEST_MS);
	}
	return TEST_SUCCESS;
}

/*
 * Pools
 */

static int
pool_new(void)
{
	pool = rte_pktmbuf_pool_create("bounce", PKTS, 0, 0, ROOM + RTE_PKTMBUF_HEADROOM,
			SOCKET_ID_ANY);
	TEST_TRUE(pool != NULL);
	return TEST_SUCCESS;
}

/* One whose chunks lie in the heap of the test, with memory of others between. */
static int
pool_new_chunky(size_t gap)
{
	struct rte_pktmbuf_pool_private priv = {
		.mbuf_data_room_size = ROOM + RTE_PKTMBUF_HEADROOM,
	};
	size_t len;
	uint32_t i;

	pool = rte_mempool_create_empty("bounce", CHUNKS * CHUNK_OBJS, sizeof(struct rte_mbuf) +
			ROOM + RTE_PKTMBUF_HEADROOM, 0, sizeof(priv), SOCKET_ID_ANY, 0);
	TEST_TRUE(pool != NULL);
	TEST_EXPECT(rte_mempool_set_ops_byname(pool, rte_mbuf_best_mempool_ops(), NULL), 0);
	rte_pktmbuf_pool_init(pool, &priv);
	len = RTE_ALIGN((size_t)CHUNK_OBJS * (pool->header_size + pool->elt_size +
			pool->trailer_size), RTE_MEMPOOL_ALIGN);
	heap = aligned_alloc(4096, RTE_ALIGN(CHUNKS * (len + gap), 4096));
	TEST_TRUE(heap != NULL);
	memset(heap, TEST_GUARD_BYTE, CHUNKS * (len + gap));
	for (i = 0; i < CHUNKS; i++)
		TEST_TRUE(rte_mempool_populate_iova(pool, (char *)heap +
				(i + 2) % CHUNKS * (len + gap), RTE_BAD_IOVA, len, NULL, NULL) > 0);
	rte_mempool_obj_iter(pool, rte_pktmbuf_init, NULL);
	return TEST_SUCCESS;
}

static int
pool_link(struct test_fp *fp, struct link *l)
{
	struct rte_comch_mem_info info;
	struct rte_mbuf *pkt;

	TEST_EXPECT(rte_comch_mem_pool_register(fp->rx.dev, pool, PW, &l->mem), 0);
	test_mem_keep(l->mem);
	TEST_EXPECT(rte_comch_mem_info_get(l->mem, &info), 0);
	TEST_TRUE(info.pool == pool && info.how != RTE_COMCH_MEM_HOW_NONE);
	TEST_CALL(link_new(fp, l, l->mem));
	/* the first call posts */
	TEST_EXPECT(rte_comch_consumer_rx_burst(l->consumer->ctx, &pkt, 1), 0);
	TEST_WAIT(rte_comch_producer_credits(l->producer->ctx, l->consumer->id) == SLOTS, TEST_MS);
	return TEST_SUCCESS;
}

/* One packet, which is an mbuf of the pool like any other. */
static int
one_packet(struct link *l, uint32_t len)
{
	uint32_t seed = test_rand();
	struct rte_comch_cpl cpl;
	struct rte_mbuf *pkt;

	TEST_WAIT(rte_comch_producer_credits(l->producer->ctx, l->consumer->id) != 0, TEST_MS);
	test_fill(test_slot(&l->from, 0), len, seed);
	TEST_EXPECT(test_send_slot(l->producer, l->consumer->id, &l->from, 0, len, 0), 1);
	TEST_WAIT(rte_comch_consumer_rx_burst(l->consumer->ctx, &pkt, 1) == 1, TEST_MS);
	TEST_EXPECT(test_poll(l->producer, &cpl, 1), 1);
	TEST_TRUE(pkt->pool == pool && pkt->nb_segs == 1 && pkt->next == NULL);
	TEST_TRUE(pkt->data_len == len && pkt->pkt_len == len);
	TEST_EXPECT(rte_pktmbuf_headroom(pkt), RTE_PKTMBUF_HEADROOM);
	TEST_EXPECT(pkt->hash.usr, l->producer->id);
	TEST_TRUE(RTE_MBUF_DIRECT(pkt) && rte_mbuf_refcnt_read(pkt) == 1);
	TEST_TRUE(test_check(rte_pktmbuf_mtod(pkt, uint8_t *), len, seed));
	if (heap == NULL && rte_eal_iova_mode() == RTE_IOVA_VA)
		TEST_TRUE(rte_mbuf_iova_get(pkt) == (uintptr_t)pkt->buf_addr);
	rte_pktmbuf_free(pkt);
	return TEST_SUCCESS;
}

static int
packets(struct test_fp *fp)
{
	uint32_t all = rte_mempool_avail_count(pool), i;
	struct rte_comch_post post = { 0 };
	struct rte_comch_cpl cpl;
	struct rte_mbuf *pkts[SLOTS];
	struct link l;
	uint16_t nb;

	TEST_CALL(pool_link(fp, &l));
	for (i = 0; i < 200; i++)
		TEST_CALL(one_packet(&l, test_rand() % (ROOM + 1)));
	/* it posts by itself, and is not polled */
	TEST_EXPECT(rte_comch_consumer_post_burst(l.consumer->ctx, &post, 1), 0);
	TEST_EXPECT(test_reason(l.consumer, 0), -EINVAL);
	TEST_EXPECT(rte_comch_queue_poll_burst(l.consumer->ctx, &cpl, 1), 0);
	TEST_EXPECT(test_send_slot(l.producer, l.consumer->id, &l.from, 0, ROOM + 1, 0), 0);
	TEST_EXPECT(test_reason(l.producer, l.consumer->id), -EMSGSIZE);
	/* some that come in one burst */
	for (i = 0; i < 7; i++)
		TEST_EXPECT(test_send_slot(l.producer, l.consumer->id, &l.from, 0, 64, 0), 1);
	test_arrive();
	for (i = 0; i < 7; i += nb) {
		nb = rte_comch_consumer_rx_burst(l.consumer->ctx, &pkts[i], (uint16_t)(SLOTS - i));
		TEST_TRUE(nb == 7 || (nb != 0 && test_place_is_bluefield()));
	}
	rte_pktmbuf_free_bulk(pkts, 7);
	/* and some that are not fetched: all are back when it is IDLE */
	for (i = 0; i < 3; i++)
		TEST_EXPECT(test_send_slot(l.producer, l.consumer->id, &l.from, 0, 64, 0), 1);
	TEST_EXPECT(rte_comch_ctx_stop(l.consumer->ctx), -EINPROGRESS);
	TEST_WAIT(test_q_state(l.consumer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_consumer_rx_burst(l.consumer->ctx, pkts, SLOTS), 0);
	TEST_EXPECT(rte_mempool_avail_count(pool), all);
	TEST_EXPECT(test_q_close(l.consumer), 0);
	TEST_EXPECT(test_q_close(l.producer), 0);
	return test_mem_free(l.mem);
}

static int
test_packets(struct test_fp *fp)
{
	TEST_CALL(pool_new());
	TEST_CALL(packets(fp));
	rte_mempool_free(pool);
	pool = NULL;
	return TEST_SUCCESS;
}

/* What lies between the chunks is nobody's. */
static int
test_packets_chunks(struct test_fp *fp)
{
	const size_t gap = 8192;
	size_t len;
	uint32_t i;

	TEST_CALL(pool_new_chunky(gap));
	len = RTE_ALIGN((size_t)CHUNK_OBJS * (pool->header_size + pool->elt_size +
			pool->trailer_size), RTE_MEMPOOL_ALIGN);
	TEST_CALL(packets(fp));
	for (i = 0; i < CHUNKS; i++)
		TEST_TRUE(is_guard(heap + i * (len + gap) + len, gap));
	return TEST_SUCCESS;
}

/* Pools that cannot be had so, or not by rte_comch_consumer_rx_burst(). */
static int
test_pool_refused(struct test_fp *fp)
{
	struct rte_comch_mem_info info;
	struct rte_comch_mem *ours, *mem = NULL;
	struct rte_mbuf *pkt;
	struct link l;

	ours = test_mem_pool(fp->rx.dev, "elsewhere", 7, 0, 256, 0);
	TEST_EXPECT(rte_comch_mem_info_get(ours, &info), 0);
	TEST_EXPECT(rte_comch_mem_pool_register(fp->rx.dev, info.pool, PW, &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_pool_register(fp->rx.dev, NULL, PW, &mem), -EINVAL);
	TEST_TRUE(mem == NULL);
	/* objects that are no mbufs can be posted one by one */
	pool = rte_mempool_create("objects", 63, 256, 0, 0, NULL, NULL, NULL, NULL,
			SOCKET_ID_ANY, 0);
	TEST_TRUE(pool != NULL);
	TEST_EXPECT(rte_comch_mem_pool_register(fp->rx.dev, pool, PW, &mem), 0);
	test_mem_keep(mem);
	TEST_CALL(link_new(fp, &l, mem));
	TEST_EXPECT(rte_comch_consumer_rx_burst(l.consumer->ctx, &pkt, 1), 0);
	TEST_EXPECT(test_reason(l.consumer, 0), -EINVAL);
	TEST_EXPECT(rte_mempool_avail_count(pool), 63);
	return TEST_SUCCESS;
}

/* A connection that ends takes the bounce buffer with it, and the next one makes another. */
static int
test_conn_ends(struct test_fp *fp)
{
	struct rte_comch_cpl cpls[SLOTS];
	struct test_ep *client;
	unsigned int round;
	struct link l;

	client = fp->tx.ep;
	TEST_CALL(heap_new(SLOTS * SLOT));
	l.mem = mem_register(fp->rx.dev, heap, SLOTS * SLOT);
	for (round = 0; round < 4; round++) {
		TEST_CALL(link_new_of(fp, &l, l.mem, SLOT));
		TEST_CALL(one_message(&l, heap + SLOT, SLOT, SLOT));
		TEST_CALL(post_one(&l, heap, SLOT));
		TEST_EXPECT(test_send_slot(l.producer, l.consumer->id, &l.from, 0, 5, 0), 1);
		TEST_CALL(post_one(&l, heap, SLOT));
		TEST_EXPECT(test_q_close(l.producer), 0);
		if (round % 2 == 0) {
			/* the consumer first, so that the connection can end in order */
			TEST_EXPECT(test_q_close(l.consumer), 0);
			TEST_CALL(test_stop(client));
		} else {
			/* what has come is found, then what has not */
			TEST_EXPECT(test_poll(l.consumer, cpls, 1), 1);
			TEST_TRUE(cpls[0].status == 0 && cpls[0].len == 5);
			TEST_EXPECT(test_q_close(l.consumer), 0);
			TEST_CALL(test_stop(client));
		}
		TEST_WAIT(fp->tx.ep->conn == NULL && fp->rx.ep->conn == NULL, TEST_MS);
		TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
		TEST_WAIT(fp->tx.ep->conn != NULL && fp->rx.ep->conn != NULL, TEST_MS);
	}
	return TEST_SUCCESS;
}

/* Each step of a registration and a start that can fail does so, and leaves nothing. */
static int
test_failures(void)
{
	struct rte_comch_mem *mem = NULL;
	struct rte_comch_consumer_conf conf = { .nb_posts = SLOTS };
	struct test_fp fp;
	struct test_q *q;

	if (!test_mock_is_on())
		TEST_EXPECT(test_mock_install(test_pair.dpu), 0);
	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU | TEST_FP_ONE_ENGINE));
	TEST_CALL(heap_new(SLOTS * SLOT));
	test_mock_fail_set(1, -ENOMEM);
	TEST_EXPECT(rte_comch_mem_register(fp.rx.dev, heap, SLOT, PW, &mem), -ENOMEM);
	TEST_TRUE(mem == NULL);
	conf.mem = mem_register(fp.rx.dev, heap, SLOT);
	q = test_q_consumer(&fp.rx, &conf);
	test_mock_fail_set(1, -ENOMEM);
	TEST_EXPECT(rte_comch_ctx_start(q->ctx), -ENOMEM);
	/* the peer hears nothing of it */
	test_mock_fail_set(2, -ENOMEM);
	TEST_EXPECT(rte_comch_ctx_start(q->ctx), -EINPROGRESS);
	TEST_WAIT(test_q_state(q) == RTE_COMCH_STATE_IDLE, TEST_MS);
	test_mock_fail_set(0, 0);
	TEST_CALL(test_q_start(q, &fp.tx));
	TEST_EXPECT(test_q_close(q), 0);
	return test_mem_free(conf.mem);
}

static void
failures_teardown(void)
{
	test_mock_fail_set(0, 0);
	teardown();
	if (!test_mock_is_on())
		test_mock_remove(test_pair.dpu);
}

static struct unit_test_suite suite = {
	.suite_name = "comch: memory of the application",
	.setup = test_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(need, teardown, test_flags),
		TEST_CASE_ST(need, teardown, test_how),
		TEST_CASE_FP_BOTH(need, teardown, test_neighbours),
		TEST_CASE_FP_ONE(need, teardown, test_kinds),
		TEST_CASE_FP_ONE(need, teardown, test_posts),
		TEST_CASE_ST(need, teardown, test_bursts),
		TEST_CASE_FP_ONE(need, teardown, test_shared),
		TEST_CASE_FP_BOTH(need, teardown, test_packets),
		TEST_CASE_FP_ONE(need, teardown, test_packets_chunks),
		TEST_CASE_FP_ONE(need, teardown, test_pool_refused),
		TEST_CASE_FP_ONE(need, teardown, test_conn_ends),
		TEST_CASE_ST(need, failures_teardown, test_failures),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_mem_bounce_autotest, test_pairs_run, &suite)
