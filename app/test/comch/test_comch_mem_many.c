/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Many regions on one device, of each kind, in a process that may have few
 * descriptors: some of them have consumers, to which messages come.
 */

#include <stdlib.h>
#include <sys/resource.h>

#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_mempool.h>

#include "test_comch_fp_util.h"
#include "test_comch_place.h"

#define PW RTE_COMCH_MEM_F_PEER_WRITE
#define MANY 1024
#define LEN 4000
#define FDS 200 /* beside those that there are */
#define EVERY 64 /* each so many has a consumer */
#define SPARE 8  /* descriptors of the test itself, more or less */

static struct rte_comch_mem *mems[MANY];
static uint32_t nb_mems;
static struct test_q *consumers[MANY];
static uint32_t nb_consumers;
static uint8_t *heap;
static struct rte_mempool *pool;
static struct rlimit before;
static uint32_t max_fds;

static int
setup(void)
{
	struct rlimit few;

	TEST_CALL(test_fp_count_setup());
	TEST_EXPECT(getrlimit(RLIMIT_NOFILE, &before), 0);
	max_fds = test_count_fds() + FDS;
	few = before;
	few.rlim_cur = max_fds;
	TEST_EXPECT(setrlimit(RLIMIT_NOFILE, &few), 0);
	return TEST_SUCCESS;
}

static void
teardown(void)
{
	while (nb_consumers > 0)
		test_q_close(consumers[--nb_consumers]);
	while (nb_mems > 0)
		if (rte_comch_mem_free(mems[--nb_mems]) != 0)
			test_fail("region %u cannot be freed", nb_mems);
	test_settle(); /* the peer unmaps them */
	test_fp_cleanup();
	free(heap);
	heap = NULL;
	rte_mempool_free(pool);
	pool = NULL;
	if (before.rlim_cur != 0 && setrlimit(RLIMIT_NOFILE, &before) != 0)
		test_fail("the limit of descriptors stays");
	test_fp_count_teardown();
}

static bool
can_bounce(int16_t dev)
{
	struct rte_comch_dev_info info;

	return rte_comch_dev_info_get(dev, &info) == 0 && (info.capa &
		(RTE_COMCH_CAPA_MEM_DIRECT | RTE_COMCH_CAPA_MEM_BOUNCE)) != 0;
}

/* One message to a consumer of the region, at a place of it. */
static int
message(struct test_fp *fp, struct test_q *producer, const struct test_slots *from,
		struct rte_comch_mem *mem, uint8_t *addr, uint32_t len)
{
	const struct rte_comch_consumer_conf conf = { .mem = mem, .nb_posts = 4, .buf_size = len };
	const struct rte_comch_post post = { .addr = addr, .len = len };
	struct test_q *consumer;
	struct rte_comch_cpl cpl;
	uint32_t seed = test_rand();

	consumer = test_q_consumer(&fp->rx, &conf);
	TEST_CALL(test_q_start(consumer, &fp->tx));
	test_fp_pairs();
	consumers[nb_consumers++] = consumer;
	TEST_EXPECT(rte_comch_consumer_post_burst(consumer->ctx, &post, 1), 1);
	TEST_WAIT(rte_comch_producer_credits(producer->ctx, consumer->id) == 1, TEST_MS);
	test_fill(test_slot(from, 0), len, seed);
	TEST_EXPECT(test_send_slot(producer, consumer->id, from, 0, len, 0), 1);
	TEST_EXPECT(test_poll(consumer, &cpl, 1), 1);
	TEST_TRUE(cpl.status == 0 && cpl.len == len);
	TEST_TRUE(test_check(addr, len, seed));
	TEST_EXPECT(test_poll(producer, &cpl, 1), 1);
	return TEST_SUCCESS; /* the consumer stays: many have one at one time */
}

/* Of all that there are, some get a consumer and a message; the others stay as they are. */
static int
use_some(struct test_fp *fp, uint32_t every, void *at)
{
	struct rte_comch_mem_info info;
	struct test_q *producer;
	struct test_slots from;
	uint32_t i;

	TEST_CALL(test_fp_producer(fp, 4, &producer));
	TEST_CALL(test_slots_new(&from, fp->tx.dev, 0, 1, LEN));
	for (i = 0; i < nb_mems; i += every) {
		TEST_EXPECT(rte_comch_mem_info_get(mems[i], &info), 0);
		TEST_CALL(message(fp, producer, &from, mems[i], at != NULL ? at : info.addr,
				RTE_MIN(LEN, (uint32_t)info.len)));
	}
	test_note("%u regions, %u of them with consumers, %u descriptors", nb_mems,
			(nb_mems + every - 1) / every, test_count_fds());
	return TEST_SUCCESS;
}

static int
test_alloc(struct test_fp *fp)
{
	struct rte_comch_mem_info info;
	uint32_t direct = 0, fds, i;

	fds = test_count_fds();
	for (nb_mems = 0; nb_mems < MANY; nb_mems++)
		TEST_EXPECT(rte_comch_mem_alloc(fp->rx.dev, LEN, PW, &mems[nb_mems]), 0);
	for (i = 0; i < MANY; i++) {
		TEST_EXPECT(rte_comch_mem_info_get(mems[i], &info), 0);
		TEST_TRUE(info.how != RTE_COMCH_MEM_HOW_NONE);
		direct += info.how == RTE_COMCH_MEM_HOW_DIRECT;
		memset(info.addr, (int)i, LEN);
	}
	test_note("%u regions of %u are direct", direct, MANY);
	TEST_TRUE(test_count_fds() <= fds + max_fds / 2);
	TEST_CALL(use_some(fp, EVERY, NULL));
	for (i = 0; i < MANY; i++) {
		const uint8_t *p = rte_comch_mem_addr(mems[i]);

		if (i % EVERY != 0)
			TEST_TRUE(p[0] == (uint8_t)i && memcmp(p, p + 1, LEN - 1) == 0);
	}
	return TEST_SUCCESS;
}

/* One that has to be direct is so, or it is an error. */
static int
test_no_bounce(struct test_fp *fp)
{
	const uint32_t flags = PW | RTE_COMCH_MEM_F_NO_BOUNCE;
	struct rte_comch_mem_info info;
	struct rte_comch_mem *more;
	int ret = 0;

	for (nb_mems = 0; nb_mems < MANY; nb_mems++) {
		ret = rte_comch_mem_alloc(fp->rx.dev, LEN, flags, &mems[nb_mems]);
		if (ret != 0)
			break;
		TEST_EXPECT(rte_comch_mem_info_get(mems[nb_mems], &info), 0);
		TEST_EXPECT(info.how, RTE_COMCH_MEM_HOW_DIRECT);
	}
	test_note("%u regions that must be direct", nb_mems);
	TEST_TRUE(ret == 0 || ret == -EMFILE);
	TEST_TRUE(nb_mems >= max_fds / 4);
	while (nb_mems > SPARE)
		TEST_EXPECT(rte_comch_mem_free(mems[--nb_mems]), 0);
	TEST_EXPECT(rte_comch_mem_alloc(fp->rx.dev, LEN, flags, &more), 0);
	TEST_EXPECT(rte_comch_mem_free(more), 0);
	return use_some(fp, 1, NULL);
}

static int
test_register(void)
{
	struct test_fp fp;
	uint32_t i, fds;

	if (!can_bounce(test_pair.dpu))
		return test_skip("consumers cannot have memory of the application");
	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU | TEST_FP_ONE_ENGINE));
	heap = malloc(MANY * LEN);
	TEST_TRUE(heap != NULL);
	for (i = 0; i < MANY; i++)
		memset(heap + i * LEN, (int)i, LEN);
	fds = test_count_fds();
	for (nb_mems = 0; nb_mems < MANY; nb_mems++)
		TEST_EXPECT(rte_comch_mem_register(fp.rx.dev, heap + nb_mems * LEN, LEN, PW,
				&mems[nb_mems]), 0);
	/* one in use has what it needs, the others nothing, or few files have all bounce buffers */
	TEST_TRUE(test_count_fds() <= fds + (test_place_is_bluefield() ? 8 : 0));
	TEST_CALL(use_some(&fp, EVERY, NULL));
	for (i = 0; i < MANY; i++)
		if (i % EVERY != 0)
			TEST_TRUE(heap[i * LEN] == (uint8_t)i &&
					memcmp(heap + i * LEN, heap + i * LEN + 1, LEN - 1) == 0);
	return TEST_SUCCESS;
}

static int
test_pool_register(void)
{
	struct test_fp fp;
	uint32_t fds;
	void *obj;
	int ret;

	if (!can_bounce(test_pair.dpu))
		return test_skip("consumers cannot have memory of the application");
	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU | TEST_FP_ONE_ENGINE));
	pool = rte_mempool_create("many", 63, LEN, 0, 0, NULL, NULL, NULL, NULL, SOCKET_ID_ANY, 0);
	TEST_TRUE(pool != NULL);
	fds = test_count_fds();
	for (nb_mems = 0; nb_mems < MANY; nb_mems++)
		TEST_EXPECT(rte_comch_mem_pool_register(fp.rx.dev, pool, PW, &mems[nb_mems]), 0);
	TEST_EXPECT(test_count_fds(), fds);
	TEST_EXPECT(rte_mempool_get(pool, &obj), 0);
	ret = use_some(&fp, EVERY, obj);
	rte_mempool_put(pool, obj);
	return ret;
}

/* More than can be direct; EAL itself takes a descriptor for each of the first 128. */
static int
test_pool_create(struct test_fp *fp)
{
	char name[RTE_MEMPOOL_NAMESIZE];
	uint32_t nb;

	nb = RTE_MIN((max_fds - 40 - test_count_fds()) / 2, max_fds / 4 + SPARE);
	for (nb_mems = 0; nb_mems < nb; nb_mems++) {
		snprintf(name, sizeof(name), "many%u", nb_mems);
		TEST_EXPECT(rte_comch_mem_pool_create(fp->rx.dev, name, 1, 0,
				LEN + RTE_PKTMBUF_HEADROOM, PW, &mems[nb_mems]), 0);
	}
	return use_some(fp, EVERY / 4, NULL);
}

static struct unit_test_suite suite = {
	.suite_name = "comch: many regions, few descriptors",
	.setup = test_quiet,
	.unit_test_cases = {
		TEST_CASE_FP_ONE(setup, teardown, test_alloc),
		TEST_CASE_FP_ONE(setup, teardown, test_no_bounce),
		TEST_CASE_ST(setup, teardown, test_register),
		TEST_CASE_ST(setup, teardown, test_pool_register),
		TEST_CASE_FP_ONE(setup, teardown, test_pool_create),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_mem_many_autotest, test_pairs_run, &suite)
