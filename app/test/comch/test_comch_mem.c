/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Memory regions: each way to one, what is refused, what they are and when they
 * can be freed. What goes through them is in test_comch_fp*.c.
 */

#include <unistd.h>

#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_mempool.h>

#include "test_comch_fp_util.h"
#include "test_comch_place.h"

#define KB 1024
#define MB (1024 * 1024)

static bool
is_zero(const uint8_t *p, uint64_t len)
{
	uint64_t i;

	for (i = 0; i < len; i++)
		if (p[i] != 0)
			return false;
	return true;
}

static int
alloc_refused(int16_t dev)
{
	struct rte_comch_mem *mem = NULL;
	int16_t none = 0;

	while (test_dev_is_valid(none))
		none++;
	TEST_EXPECT(rte_comch_mem_alloc(-1, KB, 0, &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_alloc(none, KB, 0, &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_alloc(INT16_MAX, KB, 0, &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_alloc(dev, 0, 0, &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_alloc(dev, KB, 0, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_mem_alloc(dev, KB, RTE_BIT32(2), &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_alloc(dev, KB, RTE_BIT32(31) | RTE_COMCH_MEM_F_PEER_WRITE,
			&mem), -EINVAL);
	TEST_TRUE(mem == NULL);
	return TEST_SUCCESS;
}

/* Lengths that no machine has, and that run over when they are rounded up. */
static int
too_long(int16_t dev)
{
	uint64_t lens[] = { UINT64_MAX, UINT64_MAX - 4095, RTE_BIT64(63), 0 };
	struct rte_comch_mem *mem = NULL;
	struct rte_comch_dev_info info = test_dev_info(dev);
	static uint8_t own[1];
	unsigned int i;

	lens[3] = info.max_buf_size + 1;
	for (i = 0; i < RTE_DIM(lens) && lens[i] > info.max_buf_size; i++) {
		TEST_EXPECT(rte_comch_mem_alloc(dev, lens[i], 0, &mem), -EINVAL);
		TEST_EXPECT(rte_comch_mem_alloc(dev, lens[i], RTE_COMCH_MEM_F_PEER_WRITE, &mem),
				-EINVAL);
		TEST_EXPECT(rte_comch_mem_register(dev, own, lens[i], 0, &mem), -EINVAL);
		TEST_TRUE(mem == NULL);
	}
	return TEST_SUCCESS;
}

static int
test_alloc_errors(void)
{
	TEST_CALL(alloc_refused(test_pair.host));
	TEST_CALL(alloc_refused(test_pair.dpu));
	TEST_CALL(too_long(test_pair.host));
	TEST_CALL(too_long(test_pair.dpu));
	TEST_EXPECT(rte_comch_mem_free(NULL), 0);
	TEST_TRUE(rte_comch_mem_addr(NULL) == NULL);
	return TEST_SUCCESS;
}

static int
alloc_one(int16_t dev, uint64_t len, uint32_t flags)
{
	struct rte_comch_mem *mem = test_mem_alloc(dev, len, flags);
	struct rte_comch_mem_info info;
	uint8_t *addr;

	TEST_EXPECT(rte_comch_mem_info_get(mem, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_mem_info_get(NULL, &info), -EINVAL);
	TEST_EXPECT(rte_comch_mem_info_get(mem, &info), 0);
	addr = rte_comch_mem_addr(mem);
	TEST_TRUE(addr != NULL && info.addr == addr);
	TEST_ASSERT(info.len >= len, "%llu bytes of %llu", (unsigned long long)info.len,
			(unsigned long long)len);
	TEST_TRUE(rte_is_power_of_2((uint32_t)info.page_size));
	TEST_TRUE(info.page_size >= (uint64_t)sysconf(_SC_PAGESIZE));
	TEST_EXPECT((uintptr_t)addr & (info.page_size - 1), 0);
	TEST_EXPECT(info.flags, flags);
	TEST_EXPECT(info.nb_users, 0);
	TEST_EXPECT(info.dev_id, dev);
	TEST_TRUE(info.pool == NULL);
	TEST_TRUE(is_zero(addr, info.len));
	memset(addr, 0xff, info.len);
	TEST_EXPECT(test_mem_free(mem), 0);
	return TEST_SUCCESS;
}

static int
test_alloc(void)
{
	static const uint64_t lens[] = {
		1, 63, 64, 4095, 4096, 4097, 64 * KB, MB - 1, MB, 2 * MB, 2 * MB + 1, 16 * MB,
	};
	unsigned int i;

	for (i = 0; i < RTE_DIM(lens); i++) {
		TEST_CALL(alloc_one(test_pair.host, lens[i], 0));
		TEST_CALL(alloc_one(test_pair.dpu, lens[i], RTE_COMCH_MEM_F_PEER_WRITE));
	}
	return TEST_SUCCESS;
}

static int
test_alloc_huge(void)
{
	struct rte_comch_mem_info info;
	struct rte_comch_mem *mem = NULL;
	int ret;

	ret = rte_comch_mem_alloc(test_pair.dpu, MB,
			RTE_COMCH_MEM_F_HUGE_ONLY | RTE_COMCH_MEM_F_PEER_WRITE, &mem);
	if (ret != 0) {
		TEST_EXPECT(ret, -ENOMEM);
		TEST_TRUE(mem == NULL);
		test_note("no huge page for a region");
		return TEST_SUCCESS;
	}
	test_mem_keep(mem);
	TEST_EXPECT(rte_comch_mem_info_get(mem, &info), 0);
	TEST_TRUE(info.page_size > (uint64_t)sysconf(_SC_PAGESIZE));
	TEST_EXPECT((uintptr_t)info.addr & (info.page_size - 1), 0);
	TEST_TRUE(is_zero(info.addr, MB));
	memset(info.addr, 0xff, MB);
	return TEST_SUCCESS;
}

/* As many as peers may write to; then none, until one is freed. */
static int
test_max_regions(void)
{
	struct rte_comch_mem *many[1024], *more = NULL, *local;
	uint32_t nb, i;
	int ret = 0;

	for (nb = 0; nb < RTE_DIM(many); nb++) {
		ret = rte_comch_mem_alloc(test_pair.dpu, 1, RTE_COMCH_MEM_F_PEER_WRITE, &many[nb]);
		if (ret != 0)
			break;
	}
	test_note("%u regions that peers write to", nb);
	if (ret != 0) {
		/* one that is not shared can still be had */
		if (rte_comch_mem_alloc(test_pair.dpu, 1, 0, &local) != 0 ||
				rte_comch_mem_free(local) != 0)
			test_fail("no local region");
		rte_comch_mem_free(many[nb / 2]);
		if (rte_comch_mem_alloc(test_pair.dpu, 1, RTE_COMCH_MEM_F_PEER_WRITE,
				&many[nb / 2]) != 0)
			test_fail("no region after one was freed");
		if (rte_comch_mem_alloc(test_pair.dpu, 1, RTE_COMCH_MEM_F_PEER_WRITE, &more) == 0)
			test_fail("one more than before");
	}
	for (i = 0; i < nb; i++)
		if (rte_comch_mem_free(many[i]) != 0)
			test_fail("region %u cannot be freed", i);
	TEST_TRUE(nb >= 32);
	TEST_TRUE(ret == 0 || ret == -ENOMEM || ret == -EMFILE);
	return TEST_SUCCESS;
}

static int
test_register(void)
{
	struct rte_comch_mem *mem = NULL, *same;
	int16_t dev = test_pair.host;
	struct rte_comch_mem_info info;
	static uint8_t own[1000];
	uint8_t *end;

	TEST_EXPECT(rte_comch_mem_register(-1, own, 1, 0, &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_register(dev, NULL, 1, 0, &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_register(dev, own, 0, 0, &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_register(dev, own, sizeof(own), 0, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_mem_register(dev, own, sizeof(own), RTE_BIT32(5), &mem), -EINVAL);
	end = (uint8_t *)(uintptr_t)(UINTPTR_MAX - 15);
	TEST_EXPECT(rte_comch_mem_register(dev, end, 17, 0, &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_register(dev, own, sizeof(own), RTE_COMCH_MEM_F_HUGE_ONLY,
			&mem), -EINVAL);
	TEST_TRUE(mem == NULL);

	TEST_EXPECT(rte_comch_mem_register(dev, own + 1, sizeof(own) - 1, 0, &mem), 0);
	test_mem_keep(mem);
	TEST_TRUE(rte_comch_mem_addr(mem) == own + 1);
	TEST_EXPECT(rte_comch_mem_info_get(mem, &info), 0);
	TEST_TRUE(info.addr == own + 1 && info.pool == NULL);
	TEST_EXPECT(info.len, sizeof(own) - 1);
	TEST_EXPECT(info.page_size, 0);
	TEST_EXPECT(info.flags, 0);
	TEST_EXPECT(info.dev_id, dev);
	/* the same bytes once more, and by another device */
	TEST_EXPECT(rte_comch_mem_register(dev, own, sizeof(own), 0, &same), 0);
	TEST_EXPECT(rte_comch_mem_free(same), 0);
	TEST_EXPECT(rte_comch_mem_register(test_pair.dpu, own, 1, 0, &same), 0);
	TEST_EXPECT(rte_comch_mem_free(same), 0);
	TEST_EXPECT(test_mem_free(mem), 0);
	own[0] = 1; /* still the application's */
	return TEST_SUCCESS;
}

static int
test_pool_errors(void)
{
	struct rte_comch_mem *mem = NULL, *first;
	int16_t dev = test_pair.dpu;
	char name[RTE_MEMPOOL_NAMESIZE + 64];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	TEST_EXPECT(rte_comch_mem_pool_create(-1, "one", 8, 0, 256, 0, &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_pool_create(dev, NULL, 8, 0, 256, 0, &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_pool_create(dev, "one", 0, 0, 256, 0, &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_pool_create(dev, "one", 8, 0, 0, 0, &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_pool_create(dev, "one", 8, 0, 256, 0, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_mem_pool_create(dev, "one", 8, 0, 256, RTE_BIT32(7), &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_pool_create(dev, "one", 8, RTE_MEMPOOL_CACHE_MAX_SIZE + 1, 256,
			0, &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_pool_create(dev, "one", 64, RTE_MEMPOOL_CACHE_MAX_SIZE, 256,
			0, &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_pool_create(dev, name, 8, 0, 256, 0, &mem), -EINVAL);
	TEST_TRUE(mem == NULL);
	TEST_TRUE(rte_mempool_lookup("one") == NULL);

	first = test_mem_pool(dev, "one", 8, 0, 256, 0);
	TEST_EXPECT(rte_comch_mem_pool_create(dev, "one", 8, 0, 256, 0, &mem), -EEXIST);
	TEST_TRUE(mem == NULL);
	TEST_EXPECT(test_mem_free(first), 0);
	TEST_TRUE(rte_mempool_lookup("one") == NULL);
	/* the name is free again */
	test_mem_pool(dev, "one", 8, 0, 256, 0);
	return TEST_SUCCESS;
}

/* The region of a pool is found by its device and flags, as long as it has the pool. */
static int
test_pool_find(void)
{
	struct rte_comch_mem *made, *registered;
	int16_t dev = test_pair.dpu;
	struct rte_mempool *pool;

	made = test_mem_pool(dev, "find", 8, 0, 256, RTE_COMCH_MEM_F_PEER_WRITE);
	pool = test_mem_info(made).pool;
	TEST_TRUE(rte_comch_mem_pool_find(-1, pool, 0) == NULL);
	TEST_TRUE(rte_comch_mem_pool_find(dev, NULL, 0) == NULL);
	TEST_TRUE(rte_comch_mem_pool_find(test_pair.host, pool, 0) == NULL);
	TEST_TRUE(rte_comch_mem_pool_find(dev, pool, 0) == made);
	TEST_TRUE(rte_comch_mem_pool_find(dev, pool, RTE_COMCH_MEM_F_PEER_WRITE) == made);
	TEST_TRUE(rte_comch_mem_pool_find(dev, pool, RTE_COMCH_MEM_F_ALL) == NULL);
	TEST_EXPECT(test_mem_free(made), 0);
	TEST_TRUE(rte_comch_mem_pool_find(dev, pool, 0) == NULL);

	pool = rte_pktmbuf_pool_create("find", 8, 0, 0, 256, SOCKET_ID_ANY);
	TEST_TRUE(pool != NULL);
	TEST_TRUE(rte_comch_mem_pool_find(dev, pool, 0) == NULL);
	TEST_EXPECT(rte_comch_mem_pool_register(dev, pool, 0, &registered), 0);
	TEST_TRUE(rte_comch_mem_pool_find(dev, pool, 0) == registered);
	TEST_TRUE(rte_comch_mem_pool_find(dev, pool, RTE_COMCH_MEM_F_PEER_WRITE) == NULL);
	TEST_EXPECT(rte_comch_mem_free(registered), 0);
	TEST_TRUE(rte_comch_mem_pool_find(dev, pool, 0) == NULL);
	rte_mempool_free(pool);
	return TEST_SUCCESS;
}

#define POOL_MBUFS 255

static int
by_addr(const void *a, const void *b)
{
	const struct rte_mbuf *const *x = a, *const *y = b;

	return (*x)->buf_addr < (*y)->buf_addr ? -1 : 1;
}

/* Data rooms are in the region, one behind the other; mbufs are not. */
static int
check_pool(struct rte_comch_mem *mem, uint32_t nb, uint16_t data_room)
{
	struct rte_mbuf *pkts[POOL_MBUFS], *more;
	struct rte_comch_mem_info info = test_mem_info(mem);
	const uint8_t *from, *to;
	uint32_t i;

	TEST_TRUE(info.pool != NULL && info.addr == rte_comch_mem_addr(mem));
	TEST_EXPECT(rte_mempool_avail_count(info.pool), nb);
	TEST_TRUE(info.len >= (uint64_t)nb * data_room);
	from = info.addr;
	to = from + info.len;
	for (i = 0; i < nb; i++) {
		pkts[i] = rte_pktmbuf_alloc(info.pool);
		TEST_TRUE(pkts[i] != NULL);
	}
	more = rte_pktmbuf_alloc(info.pool);
	TEST_TRUE(more == NULL);
	TEST_EXPECT(rte_comch_mem_free(mem), -EBUSY);
	qsort(pkts, nb, sizeof(pkts[0]), by_addr);
	for (i = 0; i < nb; i++) {
		const uint8_t *m = (const uint8_t *)pkts[i], *room = pkts[i]->buf_addr;

		TEST_TRUE(pkts[i]->buf_len >= data_room);
		TEST_TRUE(room >= from && room + pkts[i]->buf_len <= to);
		TEST_TRUE(m + sizeof(*pkts[i]) <= from || m >= to);
		TEST_TRUE(i == 0 || room >= (const uint8_t *)pkts[i - 1]->buf_addr +
				pkts[i - 1]->buf_len);
		TEST_TRUE(pkts[i]->nb_segs == 1 && pkts[i]->next == NULL);
		TEST_TRUE(RTE_MBUF_DIRECT(pkts[i]) || RTE_MBUF_HAS_EXTBUF(pkts[i]));
		TEST_EXPECT(rte_pktmbuf_data_len(pkts[i]), 0);
		memset(pkts[i]->buf_addr, 0xff, pkts[i]->buf_len);
	}
	/* what one mbuf is after it was used and freed, it is again */
	for (i = 0; i + 1 < nb; i++)
		rte_pktmbuf_free(pkts[i]);
	TEST_EXPECT(rte_comch_mem_free(mem), -EBUSY);
	rte_pktmbuf_free(pkts[nb - 1]);
	TEST_EXPECT(rte_mempool_avail_count(info.pool), nb);
	TEST_EXPECT(rte_pktmbuf_alloc_bulk(info.pool, pkts, nb), 0);
	for (i = 0; i < nb; i++)
		TEST_TRUE((const uint8_t *)pkts[i]->buf_addr >= from &&
				(const uint8_t *)pkts[i]->buf_addr + pkts[i]->buf_len <= to);
	rte_pktmbuf_free_bulk(pkts, nb);
	TEST_EXPECT(rte_mempool_avail_count(info.pool), nb);
	return TEST_SUCCESS;
}

static int
test_pool(void)
{
	static const uint16_t rooms[] = { 192, 256, RTE_MBUF_DEFAULT_BUF_SIZE, 9000 };
	struct rte_comch_mem *mem;
	unsigned int i;

	for (i = 0; i < RTE_DIM(rooms); i++) {
		mem = test_mem_pool(test_pair.dpu, "rooms", POOL_MBUFS, i % 2 != 0 ? 32 : 0,
				rooms[i], RTE_COMCH_MEM_F_PEER_WRITE);
		TEST_CALL(check_pool(mem, POOL_MBUFS, rooms[i]));
		TEST_EXPECT(test_mem_free(mem), 0);
	}
	/* one mbuf, for local use only */
	mem = test_mem_pool(test_pair.host, "rooms", 1, 0, 256, 0);
	return check_pool(mem, 1, 256);
}

/* Data rooms up to the largest that there is a number for. */
static int
test_pool_rooms(void)
{
	static const uint16_t rooms[] = { RTE_PKTMBUF_HEADROOM, 65408, 65409, UINT16_MAX };
	struct rte_comch_mem *mem;
	unsigned int i;
	int ret;

	for (i = 0; i < RTE_DIM(rooms); i++) {
		ret = rte_comch_mem_pool_create(test_pair.dpu, "rooms", 4, 0, rooms[i],
				RTE_COMCH_MEM_F_PEER_WRITE, &mem);
		/* what cannot be rounded up is out of range, and nothing else */
		if (ret == -EINVAL && rooms[i] > 65408)
			continue;
		TEST_ASSERT(ret == 0, "no data rooms of %u bytes: %s", rooms[i], strerror(-ret));
		test_mem_keep(mem);
		TEST_CALL(check_pool(mem, 4, rooms[i]));
		TEST_EXPECT(test_mem_free(mem), 0);
		TEST_TRUE(rte_mempool_lookup("rooms") == NULL);
	}
	return TEST_SUCCESS;
}

static int
test_pool_register(void)
{
	struct rte_comch_mem *mem = NULL;
	struct rte_comch_mem_info info;
	int16_t dev = test_pair.host;
	struct rte_mempool *pool, *empty;
	struct rte_mbuf *pkt;

	pool = rte_pktmbuf_pool_create("own", 63, 0, 0, 512, SOCKET_ID_ANY);
	TEST_TRUE(pool != NULL);
	empty = rte_mempool_create_empty("empty", 63, 64, 0, 0, SOCKET_ID_ANY, 0);
	TEST_TRUE(empty != NULL);
	TEST_EXPECT(rte_comch_mem_pool_register(-1, pool, 0, &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_pool_register(dev, NULL, 0, &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_pool_register(dev, empty, 0, &mem), -EINVAL);
	TEST_EXPECT(rte_comch_mem_pool_register(dev, pool, 0, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_mem_pool_register(dev, pool, RTE_BIT32(9), &mem), -EINVAL);
	TEST_TRUE(mem == NULL);
	rte_mempool_free(empty);

	TEST_EXPECT(rte_comch_mem_pool_register(dev, pool, 0, &mem), 0);
	TEST_EXPECT(rte_comch_mem_info_get(mem, &info), 0);
	TEST_EXPECT(info.dev_id, dev);
	TEST_EXPECT(info.flags, 0);
	pkt = rte_pktmbuf_alloc(pool);
	TEST_TRUE(pkt != NULL);
	TEST_TRUE((uint8_t *)pkt->buf_addr >= (uint8_t *)info.addr &&
			(uint8_t *)pkt->buf_addr + pkt->buf_len <= (uint8_t *)info.addr + info.len);
	/* its mbufs are the application's: they hold nothing up */
	TEST_EXPECT(rte_comch_mem_free(mem), 0);
	rte_pktmbuf_free(pkt);
	TEST_EXPECT(rte_mempool_avail_count(pool), 63);
	rte_mempool_free(pool);
	return TEST_SUCCESS;
}

/* What a consumer can have, and that it keeps it. */
static int
test_consumer_mem(struct test_fp *fp)
{
	struct rte_comch_mem *other, *local, *mine, *pool;
	struct rte_comch_consumer_conf conf = { .nb_posts = 8 };
	struct rte_comch_conn *conn = fp->rx.ep->conn;
	struct rte_comch_ctx *ctx = NULL;
	struct rte_comch_mem_info info;
	struct test_slots slots;
	struct test_q *one, *two;
	static uint8_t own[64];
	uint32_t users;

	other = test_mem_alloc(fp->tx.dev, KB, RTE_COMCH_MEM_F_PEER_WRITE);
	local = test_mem_alloc(fp->rx.dev, KB, 0);
	TEST_CALL(test_slots_new(&slots, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, 1, KB));
	mine = slots.mem;
	conf.mem = other;
	TEST_EXPECT(rte_comch_consumer_create(conn, &conf, &ctx), -EINVAL);
	conf.mem = local;
	TEST_EXPECT(rte_comch_consumer_create(conn, &conf, &ctx), -EACCES);
	TEST_EXPECT(test_mem_free(local), 0);
	TEST_EXPECT(rte_comch_mem_register(fp->rx.dev, own, sizeof(own), 0, &local), 0);
	conf.mem = local;
	TEST_EXPECT(rte_comch_consumer_create(conn, &conf, &ctx), -EACCES);
	TEST_EXPECT(rte_comch_mem_free(local), 0);
	pool = test_mem_pool(fp->rx.dev, "local", 7, 0, 256, 0);
	conf.mem = pool;
	TEST_EXPECT(rte_comch_consumer_create(conn, &conf, &ctx), -EACCES);
	TEST_TRUE(ctx == NULL);

	/* two consumers can have one region */
	TEST_CALL(test_fp_consumer(fp, mine, 8, 0, &one));
	TEST_EXPECT(rte_comch_mem_info_get(mine, &info), 0);
	TEST_EXPECT(info.nb_users, 1);
	TEST_EXPECT(rte_comch_mem_free(mine), -EBUSY);
	TEST_CALL(test_fp_consumer(fp, mine, 8, 0, &two));
	TEST_EXPECT(rte_comch_mem_info_get(mine, &info), 0);
	TEST_EXPECT(info.nb_users, 2);
	TEST_EXPECT(test_q_close(one), 0);
	TEST_EXPECT(rte_comch_mem_free(mine), -EBUSY);
	TEST_EXPECT(test_q_close(two), 0);
	TEST_EXPECT(rte_comch_mem_info_get(mine, &info), 0);
	TEST_EXPECT(info.nb_users, 0);
	TEST_EXPECT(test_mem_free(mine), 0);

	pool = test_mem_pool(fp->rx.dev, "exported", 7, 0, 256, RTE_COMCH_MEM_F_PEER_WRITE);
	TEST_EXPECT(rte_comch_mem_info_get(pool, &info), 0);
	users = info.nb_users;
	TEST_CALL(test_fp_consumer(fp, pool, 8, 0, &one));
	TEST_EXPECT(rte_comch_mem_info_get(pool, &info), 0);
	TEST_EXPECT(info.nb_users, users + 1);
	TEST_EXPECT(rte_comch_mem_free(pool), -EBUSY);
	TEST_EXPECT(test_q_close(one), 0);
	return test_mem_free(pool);
}

/* One message into slot i of the region, and nothing else of it changes. */
static int
one_message(struct test_q *consumer, struct test_q *producer, const struct test_slots *from,
		const struct test_slots *to, uint32_t i)
{
	uint32_t seed = test_rand(), j;
	struct rte_comch_cpl cpl;

	for (j = 0; j < to->nb; j++)
		test_slot_clear(to, j);
	test_fill(test_slot(from, 0), 64, seed);
	TEST_CALL(test_fp_offer(consumer, producer, to, i, 1, 0));
	TEST_EXPECT(test_send_slot(producer, consumer->id, from, 0, 64, 0), 1);
	TEST_EXPECT(test_poll(consumer, &cpl, 1), 1);
	TEST_EXPECT(test_poll(producer, &cpl, 1), 1);
	for (j = 0; j < to->nb; j++)
		TEST_TRUE(test_slot_check(to, j, i == j ? 64 : 0, seed));
	return TEST_SUCCESS;
}

/* One region for consumers of two functions of the host. */
static int
test_two_functions(void)
{
	struct test_pair self = test_pair, other;
	struct test_slots from[2], to;
	struct test_q *consumers[2], *producers[2];
	struct test_fp fps[2];
	uint32_t i, j;
	int ret;

	TEST_CALL(test_pair_other(&other));
	TEST_CALL(test_fp_open(&fps[0], TEST_FP_TO_DPU | TEST_FP_ONE_ENGINE));
	test_pair = other;
	ret = test_fp_open(&fps[1], TEST_FP_TO_DPU | TEST_FP_ONE_ENGINE);
	test_pair = self;
	TEST_CALL(ret);
	TEST_CALL(test_slots_new(&to, self.dpu, RTE_COMCH_MEM_F_PEER_WRITE, 4, 64));
	for (i = 0; i < 2; i++) {
		TEST_CALL(test_slots_new(&from[i], fps[i].tx.dev, 0, 1, 64));
		TEST_CALL(test_fp_queues(&fps[i], to.mem, 4, 0, &consumers[i], &producers[i]));
	}
	for (j = 0; j < 8; j++)
		TEST_CALL(one_message(consumers[j % 2], producers[j % 2], &from[j % 2], &to,
				j % 4));
	TEST_EXPECT(test_q_close(consumers[0]), 0);
	TEST_EXPECT(rte_comch_mem_free(to.mem), -EBUSY);
	TEST_CALL(one_message(consumers[1], producers[1], &from[1], &to, 2));
	TEST_EXPECT(test_q_close(consumers[1]), 0);
	return test_mem_free(to.mem);
}

/* A region stays when its connection goes, and is used by the next one. */
static int
test_outlives(struct test_fp *fp)
{
	struct test_ep *client = test_ctx_info(fp->tx.ep->ctx).type == RTE_COMCH_CTX_CLIENT ?
			fp->tx.ep : fp->rx.ep;
	struct test_q *consumer, *producer;
	struct test_slots from, to;
	uint32_t round;

	TEST_CALL(test_slots_new(&to, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, 4, 64));
	TEST_CALL(test_slots_new(&from, fp->tx.dev, 0, 1, 64));
	for (round = 0; round < 5; round++) {
		TEST_CALL(test_fp_queues(fp, to.mem, 4, 0, &consumer, &producer));
		TEST_CALL(one_message(consumer, producer, &from, &to, round % 4));
		TEST_EXPECT(test_q_close(consumer), 0);
		TEST_EXPECT(test_q_close(producer), 0);
		TEST_CALL(test_stop(client));
		TEST_WAIT(fp->tx.ep->conn == NULL && fp->rx.ep->conn == NULL, TEST_MS);
		memset(to.base, 0x11, 64); /* it is still there */
		memset(to.base, TEST_GUARD_BYTE, 64);
		TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
		TEST_WAIT(fp->tx.ep->conn != NULL && fp->rx.ep->conn != NULL, TEST_MS);
	}
	return TEST_SUCCESS;
}

/* A device with a region cannot go. */
static int
test_device_stays(void)
{
	struct rte_comch_mem *mem;
	static uint8_t own[64];
	static struct test_place place;
	int dev;

	TEST_CALL(test_place_open(&place));
	dev = test_place_host(&place, test_place_function(0));
	TEST_TRUE(dev >= 0);
	TEST_EXPECT(rte_comch_mem_alloc((int16_t)dev, KB, 0, &mem), 0);
	TEST_EXPECT(test_vdev_remove((int16_t)dev), -EBUSY);
	TEST_EXPECT(rte_comch_mem_free(mem), 0);
	TEST_EXPECT(rte_comch_mem_register((int16_t)dev, own, sizeof(own), 0, &mem), 0);
	TEST_EXPECT(test_vdev_remove((int16_t)dev), -EBUSY);
	TEST_EXPECT(rte_comch_mem_free(mem), 0);
	TEST_EXPECT(test_vdev_remove((int16_t)dev), 0);
	test_place_close(&place);
	return TEST_SUCCESS;
}

/* Regions come and go, with and without consumers; the process stays as it is. */
static int
test_no_leak(struct test_fp *fp)
{
	unsigned int nb_fds = 0, nb_maps = 0, round, i;
	uint64_t memfd = 0, priv = 0;
	struct test_slots slots;
	struct rte_comch_mem *mem;
	struct test_q *q;

	for (round = 0; round < 12; round++) {
		for (i = 0; i < 8; i++) {
			TEST_CALL(test_slots_new(&slots, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, 1,
					64 * KB));
			memset(slots.base, 1, slots.len);
			TEST_CALL(test_fp_consumer(fp, slots.mem, 64, 0, &q));
			TEST_EXPECT(test_q_close(q), 0);
			TEST_EXPECT(test_mem_free(slots.mem), 0);
			mem = test_mem_pool(fp->rx.dev, "leak", 63, 16, 512, 0);
			TEST_EXPECT(test_mem_free(mem), 0);
		}
		test_settle();
		if (round == 3) { /* warm: what is kept for reuse is there */
			nb_fds = test_count_fds();
			nb_maps = test_count_maps();
			memfd = test_memfd_kb();
			priv = test_private_kb();
		}
	}
	TEST_WAIT(test_count_fds() <= nb_fds, TEST_MS);
	TEST_WAIT(test_count_maps() <= nb_maps, TEST_MS);
	TEST_WAIT(test_memfd_kb() <= memfd, TEST_MS);
	test_note("%lld kB more after %u rounds", (long long)(test_private_kb() - priv), round - 4);
	if (!TEST_ASAN)
		TEST_TRUE(test_private_kb() < priv + 1024);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: memory regions",
	.setup = test_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(test_fp_count_setup, test_fp_count_teardown, test_alloc_errors),
		TEST_CASE_ST(test_fp_count_setup, test_fp_count_teardown, test_alloc),
		TEST_CASE_ST(test_fp_count_setup, test_fp_count_teardown, test_alloc_huge),
		TEST_CASE_ST(test_fp_count_setup, test_fp_count_teardown, test_max_regions),
		TEST_CASE_ST(test_fp_count_setup, test_fp_count_teardown, test_register),
		TEST_CASE_ST(test_fp_count_setup, test_fp_count_teardown, test_pool_errors),
		TEST_CASE_ST(test_fp_count_setup, test_fp_count_teardown, test_pool_find),
		TEST_CASE_ST(test_fp_count_setup, test_fp_count_teardown, test_pool),
		TEST_CASE_ST(test_fp_count_setup, test_fp_count_teardown, test_pool_rooms),
		TEST_CASE_ST(test_fp_count_setup, test_fp_count_teardown, test_pool_register),
		TEST_CASE_FP_BOTH(test_fp_count_setup, test_fp_count_teardown, test_consumer_mem),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_two_functions),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_outlives),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_device_stays),
		TEST_CASE_FP_ONE(test_fp_need, test_fp_cleanup, test_no_leak),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_mem_autotest, test_pairs_run, &suite)
