/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A hostile peer that gets the bounce buffer of memory of the application: it writes all of it,
 * always, and tells what it likes. What is around the memory stays out of its reach,
 * and what was polled stays as it is.
 */

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_mempool.h>

#include "test_shm_peer_fast.h"

#define SLOT 256u
#define NB 8u
#define LEN (NB * SLOT)
#define BEFORE 1000u /* bytes of the neighbours; the memory begins at an odd place */
#define AFTER 3000u
#define HOSTILE_BYTE 0xEE

static uint8_t memory[BEFORE + LEN + AFTER];

struct bounce_env {
	struct hostile *e;
	struct hostile_rc rc;
	struct test_q *q;
	uint8_t *base;
	uint8_t *bounce; /* of the hostile side */
	uint64_t size;
	int fd;
};

/* What the device exports before it announces a consumer of the region. */
static int
bounce_map(struct bounce_env *env)
{
	struct stat st;

	TEST_EXPECT(hostile_wait(env->e, SHM_WIRE_REGION, TEST_MS), 0);
	env->size = env->e->msg.region.size;
	env->fd = fcntl(env->e->msg_fd, F_DUPFD_CLOEXEC, 0);
	TEST_TRUE(env->fd >= 0);
	TEST_EXPECT(fstat(env->fd, &st), 0);
	TEST_EXPECT((uint64_t)st.st_size, env->size);
	env->bounce = mmap(NULL, env->size, PROT_READ | PROT_WRITE, MAP_SHARED, env->fd, 0);
	TEST_TRUE(env->bounce != MAP_FAILED);
	return TEST_SUCCESS;
}

static int
bounce_start(struct bounce_env *env, struct rte_comch_mem *mem)
{
	env->q = fast_consumer(mem, NB, 0);
	TEST_CALL(bounce_map(env));
	TEST_EXPECT(hostile_rc_wait(env->e, &env->rc), 0);
	TEST_EXPECT(hostile_rc_answer(env->e, &env->rc), 0);
	PEER_WAIT(test_q_state(env->q) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	return TEST_SUCCESS;
}

static void
neighbours_fill(void)
{
	test_fill(memory, BEFORE, 1);
	memset(memory + BEFORE, 0, LEN);
	test_fill(memory + BEFORE + LEN, AFTER, 2);
}

static bool
neighbours_are_well(void)
{
	return test_check(memory, BEFORE, 1) && test_check(memory + BEFORE + LEN, AFTER, 2);
}

static int
bounce_open(struct bounce_env *env)
{
	struct rte_comch_mem_info info;
	struct rte_comch_mem *mem;

	memset(env, 0, sizeof(*env));
	env->fd = -1;
	neighbours_fill();
	env->e = fast_connected();
	mem = fast_source(memory + BEFORE, LEN, RTE_COMCH_MEM_F_PEER_WRITE);
	TEST_EXPECT(rte_comch_mem_info_get(mem, &info), 0);
	TEST_EXPECT(info.how, RTE_COMCH_MEM_HOW_BOUNCE);
	env->base = memory + BEFORE;
	return bounce_start(env, mem);
}

static void
bounce_close(struct bounce_env *env)
{
	fast_case_end();
	hostile_rc_free(&env->rc);
	munmap(env->bounce, env->size);
	close(env->fd);
}

static int
bounce_post(struct bounce_env *env, uint32_t n)
{
	const struct rte_comch_post post = {
		.addr = env->base + n % NB * SLOT, .len = SLOT, .cookie = n,
	};

	TEST_EXPECT(rte_comch_consumer_post_burst(env->q->ctx, &post, 1), 1);
	return TEST_SUCCESS;
}

/* Where the device wants the message of a post. */
static uint64_t
posted_off(const struct bounce_env *env, uint32_t n)
{
	uint32_t slot = (SHM_WIRE_POST_START + n) & (env->rc.msg.nb_posts - 1);

	return env->rc.posts->words[slot] >> SHM_WIRE_POST_OFF_SHIFT;
}

/* Everything is written, at any time: what the application has is what it polled. */
static int
test_bounce_reach(void)
{
	struct bounce_env env;
	struct rte_comch_cpl cpl;
	uint64_t i;
	uint32_t n;

	TEST_CALL(bounce_open(&env));
	TEST_TRUE(env.size >= LEN && env.size < LEN + 2 * 65536);
	/* no byte of this process came with it */
	for (i = 0; i < env.size; i++)
		TEST_TRUE(env.bounce[i] == 0);
	for (n = 0; n < NB; n++)
		TEST_CALL(bounce_post(&env, n));
	memset(env.bounce, HOSTILE_BYTE, env.size);
	peer_turn();
	TEST_TRUE(neighbours_are_well());
	for (i = 0; i < LEN; i++)
		TEST_TRUE(env.base[i] == 0);
	for (n = 0; n < NB; n++) {
		TEST_TRUE(posted_off(&env, n) <= env.size - SLOT);
		test_fill(env.bounce + posted_off(&env, n), 100, n);
		hostile_complete(&env.rc, n, hostile_cpl(&env.rc, n, 1, 0, 100));
		TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, &cpl, 1), 1);
		TEST_TRUE(cpl.cookie == n && cpl.len == 100);
		/* too late */
		memset(env.bounce, HOSTILE_BYTE, env.size);
		TEST_TRUE(test_check(env.base + n * SLOT, 100, n));
		for (i = 100; i < SLOT; i++)
			TEST_TRUE(env.base[n * SLOT + i] == 0);
	}
	TEST_TRUE(neighbours_are_well());
	TEST_EXPECT(fast_breaches(), 0);
	bounce_close(&env);
	return TEST_SUCCESS;
}

/* Lengths that are not those of the post are found before anything is copied. */
static int
test_bounce_lengths(void)
{
	static const uint64_t bad[] = { SLOT + 1, LEN, LEN + AFTER, SHM_WIRE_MAX_BUF_SIZE };
	struct bounce_env env;
	struct rte_comch_cpl cpl;
	unsigned int i;
	uint64_t b;

	for (i = 0; i < RTE_DIM(bad); i++) {
		TEST_CALL(bounce_open(&env));
		TEST_CALL(bounce_post(&env, 0));
		memset(env.bounce, HOSTILE_BYTE, env.size);
		hostile_complete(&env.rc, 0, hostile_cpl(&env.rc, 0, 1, 0, bad[i]));
		TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, &cpl, 1), 0);
		for (b = 0; b < LEN; b++)
			TEST_TRUE(env.base[b] == 0);
		TEST_TRUE(neighbours_are_well());
		TEST_CALL(fast_conn_dies(env.e, "length", i));
		bounce_close(&env);
	}
	return TEST_SUCCESS;
}

/* The same for mbufs of a pool that exists. */
static int
test_bounce_packets(void)
{
	struct rte_mempool *pool = rte_pktmbuf_pool_create("hostile_bounce", 4 * NB - 1, 0, 0, 1024,
			SOCKET_ID_ANY);
	const uint32_t room = 1024 - RTE_PKTMBUF_HEADROOM;
	struct rte_comch_mem *mem;
	struct rte_mbuf *pkts[NB];
	struct bounce_env env;

	TEST_TRUE(pool != NULL);
	memset(&env, 0, sizeof(env));
	env.e = fast_connected();
	TEST_EXPECT(rte_comch_mem_pool_register(fast_dev(), pool, RTE_COMCH_MEM_F_PEER_WRITE,
			&mem), 0);
	fast_keep(mem);
	TEST_CALL(bounce_start(&env, mem));
	TEST_EXPECT(rte_comch_consumer_rx_burst(env.q->ctx, pkts, NB), 0);
	memset(env.bounce, HOSTILE_BYTE, env.size); /* heads of mbufs are not there */
	hostile_complete(&env.rc, 0, hostile_cpl(&env.rc, 0, 7, 0, room));
	hostile_complete(&env.rc, 1, hostile_cpl(&env.rc, 1, 7, 0, room + 1));
	TEST_EXPECT(rte_comch_consumer_rx_burst(env.q->ctx, pkts, NB), 1);
	TEST_TRUE(pkts[0]->pool == pool && pkts[0]->data_len == room && pkts[0]->hash.usr == 7);
	TEST_EXPECT(*rte_pktmbuf_mtod(pkts[0], uint8_t *), HOSTILE_BYTE);
	rte_pktmbuf_free(pkts[0]);
	TEST_EXPECT(rte_comch_consumer_rx_burst(env.q->ctx, pkts, NB), 0);
	TEST_CALL(fast_conn_dies(env.e, "packet", 0));
	TEST_EXPECT(rte_mempool_avail_count(pool), 4 * NB - 1);
	bounce_close(&env);
	rte_mempool_free(pool);
	return TEST_SUCCESS;
}

/*
 * A thread that writes the bounce buffer and the completions at full speed.
 */

struct flipper {
	struct bounce_env *env;
	bool stop;
};

static void *
bounce_flipper(void *arg)
{
	struct flipper *f = arg;
	struct bounce_env *env = f->env;
	struct shm_wire_cpls *cpls = env->rc.cpls;
	uint32_t n, i;
	uint64_t len;

	test_thread_spread(1);
	for (n = 0; !__atomic_load_n(&f->stop, __ATOMIC_RELAXED); n++) {
		memset(env->bounce, (int)n, env->size);
		len = n * 7 % (SLOT + 1);
		for (i = 0; i < env->rc.msg.nb_posts; i++)
			__atomic_store_n(&cpls->words[i], len << SHM_WIRE_CPL_LEN_SHIFT |
					1 << SHM_WIRE_CPL_PRODUCER_SHIFT | (n & 1),
					__ATOMIC_RELEASE);
		if (n % 64 == 0)
			sched_yield();
	}
	return NULL;
}

static int
test_bounce_flips(void)
{
	uint64_t end = test_now_ns() + (uint64_t)200 * 1000000;
	uint64_t last = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	struct rte_comch_cpl cpls[NB];
	uint32_t posted = 0, polled = 0, nb, i;
	struct bounce_env env;
	struct flipper f = { &env, false };
	int ret = TEST_SUCCESS;
	pthread_t thread;

	TEST_CALL(bounce_open(&env));
	TEST_EXPECT(pthread_create(&thread, NULL, bounce_flipper, &f), 0);
	while (ret == TEST_SUCCESS && (test_now_ns() < end || polled == 0) &&
			test_now_ns() < last) {
		while (posted - polled < NB && ret == TEST_SUCCESS)
			ret = bounce_post(&env, posted++);
		nb = rte_comch_queue_poll_burst(env.q->ctx, cpls, NB);
		for (i = 0; i < nb; i++)
			if (cpls[i].cookie != polled + i || cpls[i].len > SLOT)
				ret = TEST_FAILED;
		polled += nb;
		if (!neighbours_are_well())
			ret = TEST_FAILED;
		if (polled % 64 == 0)
			peer_turn();
	}
	__atomic_store_n(&f.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	TEST_EXPECT(ret, TEST_SUCCESS);
	TEST_TRUE(polled != 0);
	test_note("%u messages while the bounce buffer was written", polled);
	TEST_EXPECT(fast_breaches(), 0);
	bounce_close(&env);
	return TEST_SUCCESS;
}

/* The bounce buffer is taken back, and the next consumer has another one. */
static int
test_bounce_gone(void)
{
	struct rte_comch_cpl cpls[NB];
	struct hostile_rc second = { 0 };
	struct bounce_env env;
	uint8_t *old;
	uint64_t old_size;
	uint32_t id, i;
	int old_fd;

	TEST_CALL(bounce_open(&env));
	TEST_CALL(bounce_post(&env, 0));
	id = env.rc.msg.consumer;
	TEST_EXPECT(rte_comch_ctx_stop(env.q->ctx), -EINPROGRESS);
	TEST_EXPECT(hostile_wait(env.e, SHM_WIRE_CONSUMER_GONE, TEST_MS), 0);
	TEST_EXPECT(env.e->msg.consumer_id.consumer, id);
	PEER_WAIT(rte_comch_queue_poll_burst(env.q->ctx, cpls, NB) == 1, TEST_MS);
	PEER_WAIT(test_q_state(env.q) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(hostile_wait(env.e, SHM_WIRE_REGION_GONE, TEST_MS), 0);
	/* what it keeps of the old one is its own affair */
	old = env.bounce;
	old_size = env.size;
	old_fd = env.fd;
	second = env.rc;
	TEST_EXPECT(rte_comch_ctx_start(env.q->ctx), -EINPROGRESS);
	TEST_CALL(bounce_map(&env));
	memset(old, HOSTILE_BYTE, old_size);
	for (i = 0; i < env.size; i++)
		TEST_TRUE(env.bounce[i] == 0);
	TEST_TRUE(neighbours_are_well());
	munmap(old, old_size);
	close(old_fd);
	hostile_rc_free(&second);
	memset(&env.rc, 0, sizeof(env.rc));
	TEST_EXPECT(hostile_rc_wait(env.e, &env.rc), 0);
	TEST_EXPECT(hostile_rc_answer(env.e, &env.rc), 0);
	PEER_WAIT(test_q_state(env.q) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	TEST_EXPECT(fast_breaches(), 0);
	bounce_close(&env);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "shm, a hostile peer: bounce buffers of memory of the application",
	.setup = fast_suite_setup,
	.teardown = fast_suite_teardown,
	.unit_test_cases = {
		FAST_CASE(test_bounce_reach),
		FAST_CASE(test_bounce_lengths),
		FAST_CASE(test_bounce_packets),
		FAST_CASE(test_bounce_flips),
		FAST_CASE(test_bounce_gone),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(shm_peer_fast_bounce_autotest, fast_suites_run, &suite)
