/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Producers and consumers of a device, and the shared memory of a hostile peer that
 * says anything: posts, completions, and the words that decide about waking. From
 * either role. How consumers are announced is attacked in another file.
 */

#include <pthread.h>
#include <sched.h>

#include <rte_mbuf.h>

#include "test_rand.h"
#include "test_shm_peer_fast.h"

#define DATA_LEN 4096

static uint8_t data[DATA_LEN];

/* A producer of the device, and a consumer of the hostile side that it can send to. */
struct posts_env {
	struct hostile *e;
	struct hostile_region r;
	struct hostile_consumer c;
	struct test_q *q;
	struct rte_comch_mem *mem;
};

static int
posts_open_flags(struct posts_env *env, bool region, uint32_t imm_len, uint32_t flags)
{
	memset(env, 0, sizeof(*env));
	env->e = fast_connected();
	TEST_EXPECT(hostile_region_create(&env->r, HOSTILE_REGION_SIZE), 0);
	TEST_EXPECT(hostile_region_send(env->e, &env->r, 0), 0);
	env->c.msg.imm_len = imm_len;
	env->c.msg.flags = flags;
	TEST_EXPECT(hostile_consumer_start(env->e, &env->c, 1, region ? 0 : SHM_WIRE_NO_REGION), 0);
	env->q = fast_producer();
	env->mem = fast_source(data, sizeof(data), 0);
	return TEST_SUCCESS;
}

static int
posts_open(struct posts_env *env, bool region, uint32_t imm_len)
{
	return posts_open_flags(env, region, imm_len, 0);
}

static void
posts_close(struct posts_env *env)
{
	fast_case_end();
	hostile_consumer_free(&env->c);
	hostile_region_free(&env->r);
}

static uint16_t
posts_send(struct posts_env *env, uint64_t len, uint32_t imm_len, uint16_t nb)
{
	struct rte_comch_send sends[64];
	unsigned int i;

	memset(sends, 0, sizeof(sends));
	for (i = 0; i < nb; i++) {
		sends[i].addr = data;
		sends[i].len = len;
		sends[i].mem = env->mem;
		sends[i].imm = data;
		sends[i].imm_len = (uint16_t)imm_len;
		sends[i].flags = RTE_COMCH_SEND_F_NO_CPL;
	}
	return rte_comch_producer_send_burst(env->q->ctx, 1, sends, nb);
}

/* Nothing is sent, and the connection ends. */
static int
posts_violate(struct posts_env *env, uint64_t len, uint16_t nb, const char *what, unsigned int nr)
{
	uint16_t sent = posts_send(env, len, 0, nb);

	TEST_ASSERT(sent == 0, "%s %u: %u were sent", what, nr, sent);
	TEST_EXPECT(test_reason(env->q, 1), -ENOTCONN);
	TEST_CALL(fast_conn_dies(env->e, what, nr));
	posts_close(env);
	return TEST_SUCCESS;
}

static int
test_post_tails(void)
{
	static const uint32_t adds[] = {
		HOSTILE_POSTS + 1, 2 * HOSTILE_POSTS, 0x7fffffff, 0x80000000, -1u, -8u, -0x1000u,
	};
	struct rte_comch_cpl cpl;
	struct posts_env env;
	unsigned int i, n, sent;

	for (sent = 0; sent < 2; sent++) {
		for (i = 0; i < RTE_DIM(adds); i++) {
			TEST_CALL(posts_open(&env, true, 0));
			/* good posts all round, so that only the tail is wrong */
			for (n = 0; n < HOSTILE_POSTS; n++)
				hostile_post(&env.c, n * 64, 64);
			env.c.posts->tail = SHM_WIRE_POST_START + 4 * sent;
			if (sent != 0) {
				TEST_EXPECT(posts_send(&env, 64, 0, 3), 3);
				TEST_EXPECT(posts_send(&env, 64, 0, 1), 1);
				/* which were to be told by nobody */
				TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, &cpl, 1), 0);
			}
			__atomic_fetch_add(&env.c.posts->tail, adds[i], __ATOMIC_RELEASE);
			TEST_EXPECT(rte_comch_producer_credits(env.q->ctx, 1), 0);
			TEST_CALL(posts_violate(&env, 64, 8, "tail", sent * 100 + i));
		}
	}
	return TEST_SUCCESS;
}

static int
test_post_places(void)
{
	const uint64_t size = HOSTILE_REGION_SIZE;
	const struct {
		uint64_t off; /* 40 bits */
		uint64_t len;
		uint64_t send;
	} bad[] = {
		{ size, 1, 1 }, { size - 1, 2, 2 }, { size + 1, 1, 1 }, { size - 63, 64, 64 },
		{ 1, size, DATA_LEN }, { size - DATA_LEN + 1, DATA_LEN, DATA_LEN },
		{ (UINT64_C(1) << 40) - 1, 1, 1 }, { (UINT64_C(1) << 40) - 64, 128, 128 },
		{ (UINT64_C(1) << 39), 4096, 64 },
		{ (UINT64_C(1) << 40) - 4096, UINT64_MAX, 4096 },
		{ (UINT64_C(1) << 40) - 1, UINT64_MAX, 4096 },
		{ size - 1, UINT64_MAX, 2 }, { size, UINT64_C(1) << 40, 1 },
		{ size, UINT64_C(1) << 63, 1 }, { size - 8, SHM_WIRE_POST_LONG, 16 },
	};
	struct posts_env env;
	unsigned int i;

	for (i = 0; i < RTE_DIM(bad); i++) {
		TEST_CALL(posts_open(&env, true, 0));
		hostile_post(&env.c, bad[i].off, bad[i].len);
		if (bad[i].off + bad[i].send <= size) {
			/* what is sent does fit: the rest of the post is not used */
			TEST_EXPECT(posts_send(&env, bad[i].send, 0, 1), 1);
			TEST_EXPECT(fast_breaches(), 0);
			posts_close(&env);
			continue;
		}
		TEST_CALL(posts_violate(&env, bad[i].send, 1, "place", i));
	}
	/* behind a good one: that is sent first */
	TEST_CALL(posts_open(&env, true, 0));
	hostile_post(&env.c, 0, 64);
	hostile_post(&env.c, size, 64);
	hostile_post(&env.c, 128, 64);
	data[0] = 0x5a;
	TEST_EXPECT(posts_send(&env, 64, 0, 3), 1);
	TEST_EXPECT(env.r.map[0], 0x5a);
	TEST_CALL(fast_conn_dies(env.e, "place", 99));
	posts_close(&env);
	return TEST_SUCCESS;
}

/* Posts that are odd, but not wrong; nothing of them is used that must not be. */
static int
test_post_odd(void)
{
	struct posts_env env;
	unsigned int i;

	TEST_CALL(posts_open(&env, true, 16));
	memset(env.r.map, 0xee, env.r.size);
	memset(data, 0x11, sizeof(data));
	/* a long length that says less than the word did, or nothing */
	hostile_post(&env.c, 0, SHM_WIRE_POST_LONG);
	env.c.posts->words[HOSTILE_POSTS + (SHM_WIRE_POST_START & (HOSTILE_POSTS - 1))] = 10;
	TEST_EXPECT(posts_send(&env, 11, 0, 1), 0);
	TEST_EXPECT(test_reason(env.q, 1), -EMSGSIZE);
	TEST_EXPECT(posts_send(&env, 10, 0, 1), 1);
	TEST_TRUE(env.r.map[9] == 0x11 && env.r.map[10] == 0xee);
	/* none at all, for one that is larger than that, and then without data */
	hostile_post(&env.c, 1000, 0);
	TEST_EXPECT(posts_send(&env, 1, 0, 1), 0);
	TEST_EXPECT(test_reason(env.q, 1), -EMSGSIZE);
	TEST_EXPECT(posts_send(&env, 0, 16, 1), 1);
	/* out of the region, but nothing is written to it */
	hostile_post(&env.c, UINT64_C(1) << 39, 64);
	TEST_EXPECT(posts_send(&env, 0, 16, 1), 1);
	/* all on one place */
	for (i = 0; i < HOSTILE_POSTS; i++)
		hostile_post(&env.c, env.r.size - 64, 64);
	TEST_EXPECT(posts_send(&env, 64, 0, HOSTILE_POSTS), HOSTILE_POSTS);
	TEST_TRUE(env.r.map[env.r.size - 65] == 0xee && env.r.map[env.r.size - 64] == 0x11);
	TEST_EXPECT(posts_send(&env, 64, 0, 1), 0);
	TEST_EXPECT(test_reason(env.q, 1), -EAGAIN);
	TEST_EXPECT(fast_breaches(), 0);
	posts_close(&env);
	/* without a region there is no word to be looked at, whatever is behind the rest */
	TEST_CALL(posts_open(&env, false, 256));
	hostile_post(&env.c, 0, 0);
	for (i = 0; i < HOSTILE_POSTS; i++)
		env.c.posts->words[i] = 64;
	TEST_EXPECT(posts_send(&env, 1, 0, 1), 0);
	TEST_EXPECT(test_reason(env.q, 1), -EMSGSIZE);
	TEST_EXPECT(posts_send(&env, 0, 256, 1), 1);
	TEST_EXPECT(fast_breaches(), 0);
	posts_close(&env);
	return TEST_SUCCESS;
}

/* A consumer says that it has closed, is another one, or is there again: or all at once. */
static int
test_closed_word(void)
{
	const uint32_t words[] = { 0, 2, 257, 513, UINT32_MAX, shm_wire_closed(1) };
	struct rte_comch_room room;
	struct posts_env env;
	unsigned int fence, i;
	uint32_t *word;

	for (fence = 0; fence < 2; fence++) {
		TEST_CALL(posts_open_flags(&env, true, 0,
				fence != 0 ? SHM_WIRE_CONSUMER_F_FENCE : 0));
		word = &env.c.posts->consumer;
		for (i = 0; i < RTE_DIM(words); i++) {
			hostile_post(&env.c, i * 64, 64);
			__atomic_store_n(word, words[i], __ATOMIC_RELAXED);
			TEST_EXPECT(posts_send(&env, 64, 0, 1), 0);
			TEST_EXPECT(rte_comch_producer_credits(env.q->ctx, 1), 0);
			TEST_EXPECT(rte_comch_queue_room_get(env.q->ctx, 1, &room), -ENOENT);
			__atomic_store_n(word, 1, __ATOMIC_RELAXED);
			TEST_EXPECT(posts_send(&env, 64, 0, 1), 1);
		}
		TEST_EXPECT(fast_breaches(), 0);
		TEST_TRUE(fast_victim()->conn != NULL);
		posts_close(&env);
	}
	return TEST_SUCCESS;
}

/* The region is taken back while a consumer has it: it stays as long as that. */
static int
test_region_gone_in_use(void)
{
	struct posts_env env;
	struct hostile_consumer other = { .posts = NULL };

	TEST_CALL(posts_open(&env, true, 0));
	TEST_EXPECT(hostile_say(env.e, SHM_WIRE_REGION_GONE, 0), 0);
	peer_turn_ms(1);
	hostile_post(&env.c, 4096, 4096);
	TEST_EXPECT(posts_send(&env, 4096, 0, 1), 1);
	/* the identifier is free for another one */
	TEST_EXPECT(hostile_region_send(env.e, &env.r, 0), 0);
	TEST_EXPECT(hostile_consumer_start(env.e, &other, 2, 0), 0);
	hostile_consumer_free(&other);
	/* gone with posts outstanding, and sent to */
	hostile_post(&env.c, 0, 64);
	TEST_EXPECT(hostile_say(env.e, SHM_WIRE_CONSUMER_GONE, env.e->chan.id), 0);
	peer_turn_ms(1);
	TEST_EXPECT(posts_send(&env, 64, 0, 1), 0);
	TEST_EXPECT(fast_breaches(), 0);
	posts_close(&env);
	return TEST_SUCCESS;
}

static void *
posts_flipper(void *arg)
{
	struct fast_flips *f = arg;
	struct shm_wire_posts *posts = f->env;
	uint32_t x = 88172645, n = 0;
	uint64_t off, len;

	test_thread_spread(1);
	while (!__atomic_load_n(&f->stop, __ATOMIC_RELAXED)) {
		n++;
		off = test_rand_next(&x) % (HOSTILE_REGION_SIZE - DATA_LEN);
		len = test_rand_next(&x) % DATA_LEN;
		switch (f->what) {
		case 1: /* one of them is not in the region */
			if (n % 1024 == 0)
				off = test_rand_next(&x) % 2 != 0 ? HOSTILE_REGION_SIZE :
					test_rand_next(&x);
			break;
		case 2:
			__atomic_store_n(&posts->tail, posts->tail + (n % 512 == 0 ?
					test_rand_next(&x) : test_rand_next(&x) % 2),
					__ATOMIC_RELAXED);
			break;
		case 3: /* anything, header and all */
			__atomic_store_n((uint32_t *)posts + test_rand_next(&x) % 64,
					test_rand_next(&x) >> (n % 32), __ATOMIC_RELAXED);
			break;
		default:
			break;
		}
		if (n % 8 == 0)
			len = SHM_WIRE_POST_LONG;
		__atomic_store_n(&posts->words[HOSTILE_POSTS + n % HOSTILE_POSTS],
				n % 3 == 0 ? UINT64_MAX : len, __ATOMIC_RELAXED);
		__atomic_store_n(&posts->words[test_rand_next(&x) % HOSTILE_POSTS],
				off << SHM_WIRE_POST_OFF_SHIFT | len, __ATOMIC_RELAXED);
		if (n % 256 == 0)
			sched_yield();
	}
	return NULL;
}

static int
posts_flip(unsigned int what, unsigned int ms)
{
	struct fast_flips f = { .what = what };
	unsigned int n, nb, sent = 0;
	struct posts_env env;

	TEST_CALL(posts_open(&env, true, 0));
	f.env = env.c.posts;
	TEST_CALL(fast_flips_begin(&f, posts_flipper));
	for (n = 0; fast_flips_go_on(&f, ms, sent); n++) {
		if (what < 2)
			__atomic_store_n(&env.c.posts->tail,
					SHM_WIRE_POST_START + sent + HOSTILE_POSTS,
					__ATOMIC_RELEASE);
		nb = posts_send(&env, 1 + n % DATA_LEN, 0, 1 + n % 8);
		sent += nb;
		/* each look at what is wrong counts, until the engine has ended it */
		if (n % 64 == 0 || test_reason(env.q, 1) == -ENOTCONN)
			peer_turn();
	}
	TEST_CALL(fast_flips_end(&f, what == 0, sent));
	posts_close(&env);
	return TEST_SUCCESS;
}

static int
test_post_flips(void)
{
	unsigned int what, round;

	for (what = 0; what <= 3; what++)
		for (round = 0; round < 8; round++)
			TEST_CALL(posts_flip(what, 15));
	return TEST_SUCCESS;
}

/*
 * Completions. A consumer of the device, and a hostile side that answers its posts.
 */

#define SLOT 256u
#define NB 16u
/* Posts whose words would be far behind the end of their segment. */
#define NB_NO_WORDS 4096u
#define IMM 40u

static int
cpls_open(struct fast_rx *env, bool pool, uint32_t imm_len)
{
	return fast_rx_open(env, pool ? fast_pool(4 * NB) : fast_mem(NB * SLOT), NB, imm_len);
}

static int
test_cpl_values(void)
{
	static const struct {
		uint32_t producer;
		uint32_t imm_len;
		uint64_t len;
	} bad[] = {
		{ 1, 0, SLOT + 1 }, { 1, 0, SHM_WIRE_MAX_BUF_SIZE }, { 1, 0, 1 << 30 },
		{ 1, IMM + 1, 0 }, { 1, 256, 8 }, { 1, 257, 8 }, { 1, 0xffff, 8 },
		{ 0, 0, 8 }, { 65, 0, 8 }, { 127, 0, 8 }, { 0, 0xffff, SHM_WIRE_MAX_BUF_SIZE },
	};
	struct rte_comch_cpl cpls[NB];
	struct fast_rx env;
	unsigned int i, lead;

	/* the first, and behind good ones */
	for (lead = 0; lead <= 3; lead += 3) {
		for (i = 0; i < RTE_DIM(bad); i++) {
			TEST_CALL(cpls_open(&env, false, IMM));
			TEST_CALL(fast_rx_post(&env, NB, SLOT));
			for (env.polled = 0; env.polled < lead; env.polled++)
				hostile_complete(&env.rc, env.polled,
						hostile_cpl(&env.rc, env.polled, 64, IMM, SLOT));
			hostile_complete(&env.rc, lead, hostile_cpl(&env.rc, lead, bad[i].producer,
					bad[i].imm_len, bad[i].len));
			hostile_complete(
					&env.rc, lead + 1, hostile_cpl(&env.rc, lead + 1, 1, 0, 8));
			TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, NB), lead);
			TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, NB), 0);
			/* and it is not believed when it says something else now */
			hostile_complete(&env.rc, lead, hostile_cpl(&env.rc, lead, 1, 0, 8));
			TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, NB), 0);
			TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, 1), 0);
			TEST_CALL(fast_conn_dies(env.e, "completion", lead * 10 + i));
			fast_rx_close(&env);
		}
	}
	return TEST_SUCCESS;
}

/* Who sent it is what the peer says; only nobody is not believed. */
static int
test_cpl_producers(void)
{
	static const uint32_t ids[] = { 65, 127, 128, 0x10000, 0x80000001, UINT32_MAX, 0 };
	const uint32_t last = SHM_WIRE_PRODUCER_SLOTS - 1;
	struct rte_comch_cpl cpl;
	struct fast_rx env;
	unsigned int i;

	TEST_CALL(cpls_open(&env, false, IMM));
	TEST_CALL(fast_rx_post(&env, NB, SLOT));
	for (i = 0; i < RTE_DIM(ids); i++) {
		env.rc.cpls->producers[0] = ids[i];
		env.rc.cpls->producers[last] = ids[i];
		hostile_complete(&env.rc, i, hostile_cpl(&env.rc, i, i % 2 != 0 ? last : 0, 0, 8));
		if (ids[i] == 0)
			break;
		TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, &cpl, 1), 1);
		TEST_EXPECT(cpl.producer_id, ids[i]);
	}
	TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, &cpl, 1), 0);
	TEST_CALL(fast_conn_dies(env.e, "producer", i));
	fast_rx_close(&env);
	return TEST_SUCCESS;
}

/* Completions of what was not posted, of other laps, and out of order. */
static int
test_cpl_unposted(void)
{
	struct rte_comch_cpl cpls[NB];
	struct fast_rx env;
	unsigned int i;

	TEST_CALL(cpls_open(&env, false, 0));
	for (i = 0; i < NB; i++)
		hostile_complete(&env.rc, i, hostile_cpl(&env.rc, i, 1, 0, SLOT * 16));
	TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, NB), 0);
	peer_turn_ms(1);
	TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, NB), 0);
	if (!fast_side->host) /* nor do they keep the engine from its sleep */
		TEST_TRUE(peer_sleep_ms(peer_env.pe, fast_victim()) != 0);
	for (i = 0; i < NB; i++)
		hostile_complete(&env.rc, i, hostile_cpl(&env.rc, i, 1, 0, SLOT) ^ 1);
	TEST_CALL(fast_rx_post(&env, 4, SLOT));
	/* the second before the first */
	hostile_complete(&env.rc, 1, hostile_cpl(&env.rc, 1, 1, 0, 2));
	TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, NB), 0);
	if (!fast_side->host)
		TEST_TRUE(peer_sleep_ms(peer_env.pe, fast_victim()) != 0);
	hostile_complete(&env.rc, 0, hostile_cpl(&env.rc, 0, 1, 0, 1));
	/* the fifth, which is not posted */
	for (i = 2; i < NB; i++)
		hostile_complete(&env.rc, i, hostile_cpl(&env.rc, i, 1, 0, i + 1));
	if (!fast_side->host)
		TEST_EXPECT(rte_comch_pe_arm(peer_env.pe), -EAGAIN);
	TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, NB), 4);
	for (i = 0; i < 4; i++)
		TEST_TRUE(cpls[i].cookie == i && cpls[i].len == i + 1 && cpls[i].status == 0);
	TEST_EXPECT(fast_breaches(), 0);
	TEST_TRUE(fast_victim()->conn != NULL);
	fast_rx_close(&env);
	return TEST_SUCCESS;
}

/* Posts of no buffers have no words: nothing is written behind the rest of their segment. */
static int
test_post_no_words(void)
{
	struct fast_rx env;

	TEST_CALL(fast_rx_open(&env, NULL, NB_NO_WORDS, SHM_WIRE_MAX_IMM_LEN));
	TEST_TRUE(env.rc.entries == NULL);
	TEST_CALL(fast_rx_post(&env, NB_NO_WORDS, 0));
	TEST_EXPECT(fast_breaches(), 0);
	fast_rx_close(&env);
	return TEST_SUCCESS;
}

/* What lies behind the words of the ring is none of them, whatever it looks like. */
static int
test_cpl_row_end(void)
{
	struct rte_comch_cpl cpls[NB];
	struct fast_rx env;
	uint32_t ring, n;

	TEST_CALL(cpls_open(&env, false, IMM));
	ring = env.rc.msg.nb_posts;
	TEST_EXPECT(SHM_WIRE_POST_START % ring, 0);
	for (n = 0; n < ring - 1; n++) {
		TEST_CALL(fast_rx_post(&env, 1, SLOT));
		hostile_complete(&env.rc, n, hostile_cpl(&env.rc, n, 1, 0, SLOT));
		TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, NB), 1);
	}
	TEST_CALL(fast_rx_post(&env, 2, SLOT));
	hostile_complete(&env.rc, n, hostile_cpl(&env.rc, n, 1, 0, SLOT));
	env.rc.cpls->words[ring] = hostile_cpl(&env.rc, n, 1, 0, 0);
	TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, NB), 1);
	TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, NB), 0);
	hostile_complete(&env.rc, ring, hostile_cpl(&env.rc, ring, 1, 0, SLOT));
	TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, NB), 1);
	TEST_EXPECT(fast_breaches(), 0);
	fast_rx_close(&env);
	return TEST_SUCCESS;
}

/* The same for packets: the lengths become those of mbufs. */
static int
test_cpl_packets(void)
{
	static const struct {
		uint32_t producer;
		uint64_t len;
	} bad[] = {
		{ 1, 2048 - RTE_PKTMBUF_HEADROOM + 1 }, { 1, 65536 + 1 }, { 0, 1 }, { 65, 1 },
		{ 1, SHM_WIRE_MAX_BUF_SIZE },
	};
	struct rte_mbuf *pkts[NB];
	struct fast_rx env;
	unsigned int i;

	for (i = 0; i < RTE_DIM(bad); i++) {
		TEST_CALL(cpls_open(&env, true, 0));
		TEST_EXPECT(rte_comch_consumer_rx_burst(env.q->ctx, pkts, NB), 0);
		hostile_complete(&env.rc, 0, hostile_cpl(&env.rc, 0, 7, 0,
				2048 - RTE_PKTMBUF_HEADROOM));
		hostile_complete(&env.rc, 1,
				hostile_cpl(&env.rc, 1, bad[i].producer, 0, bad[i].len));
		TEST_EXPECT(rte_comch_consumer_rx_burst(env.q->ctx, pkts, NB), 1);
		TEST_TRUE(pkts[0]->data_len == 2048 - RTE_PKTMBUF_HEADROOM &&
				pkts[0]->hash.usr == 7);
		rte_pktmbuf_free(pkts[0]);
		TEST_EXPECT(rte_comch_consumer_rx_burst(env.q->ctx, pkts, NB), 0);
		TEST_CALL(fast_conn_dies(env.e, "packet", i));
		fast_rx_close(&env);
	}
	return TEST_SUCCESS;
}

/* More packets than there are posts, and one behind the end of the ring: those do not come. */
static int
test_cpl_packets_more(void)
{
	struct rte_mbuf *pkts[2 * NB];
	struct fast_rx env;
	uint32_t ring, n;

	TEST_CALL(cpls_open(&env, true, 0));
	ring = env.rc.msg.nb_posts;
	TEST_EXPECT(SHM_WIRE_POST_START % ring, 0);
	TEST_EXPECT(rte_comch_consumer_rx_burst(env.q->ctx, pkts, RTE_DIM(pkts)), 0);
	for (n = 0; n <= NB; n++)
		hostile_complete(&env.rc, n, hostile_cpl(&env.rc, n, 1, 0, 1));
	TEST_EXPECT(rte_comch_consumer_rx_burst(env.q->ctx, pkts, RTE_DIM(pkts)), NB);
	rte_pktmbuf_free_bulk(pkts, NB);
	for (n = NB; n < ring - 1; n++) {
		hostile_complete(&env.rc, n, hostile_cpl(&env.rc, n, 1, 0, 1));
		TEST_EXPECT(rte_comch_consumer_rx_burst(env.q->ctx, pkts, 1), 1);
		rte_pktmbuf_free(pkts[0]);
	}
	hostile_complete(&env.rc, n, hostile_cpl(&env.rc, n, 1, 0, 1));
	env.rc.cpls->words[ring] = hostile_cpl(&env.rc, n, 1, 0, 1);
	TEST_EXPECT(rte_comch_consumer_rx_burst(env.q->ctx, pkts, NB), 1);
	rte_pktmbuf_free(pkts[0]);
	TEST_EXPECT(fast_breaches(), 0);
	fast_rx_close(&env);
	return TEST_SUCCESS;
}

static void *
cpls_flipper(void *arg)
{
	struct fast_flips *f = arg;
	struct fast_rx *rx = f->env;
	struct shm_wire_cpls *cpls = rx->rc.cpls;
	const uint32_t nb = rx->rc.msg.nb_posts; /* at least what was asked for */
	uint32_t x = 88172645, n = 0, imm, producer, slot;
	uint64_t len;

	test_thread_spread(1);
	while (!__atomic_load_n(&f->stop, __ATOMIC_RELAXED)) {
		n++;
		len = test_rand_next(&x) % (SLOT + 1);
		imm = test_rand_next(&x) % (rx->rc.msg.imm_len + 1);
		producer = 1 + test_rand_next(&x) % SHM_WIRE_MAX_PRODUCERS;
		slot = test_rand_next(&x) % nb;
		if (f->what == 1 && n % 1024 == 0)
			len = test_rand_next(&x);
		if (f->what == 2 && n % 1024 == 0) {
			producer = test_rand_next(&x) % 128;
			imm = test_rand_next(&x) % 0x10000;
		}
		if (f->what == 3)
			__atomic_store_n((uint32_t *)cpls + test_rand_next(&x) % 64,
					test_rand_next(&x) >> (n % 32), __ATOMIC_RELAXED);
		if (f->what == 4) {
			uint32_t group = test_rand_next(&x) % SHM_WIRE_MAX_GROUPS;

			__atomic_store_n(&cpls->want, test_rand_next(&x) >> (n % 32),
					__ATOMIC_RELAXED);
			__atomic_store_n(&rx->e->own->groups[group].armed, test_rand_next(&x) % 2 !=
					0 ? test_rand_next(&x) : 0, __ATOMIC_RELAXED);
		}
		__atomic_store_n(&cpls->words[slot], len << SHM_WIRE_CPL_LEN_SHIFT |
				(uint64_t)imm << SHM_WIRE_CPL_IMM_SHIFT |
				(uint64_t)producer << SHM_WIRE_CPL_PRODUCER_SHIFT |
				(test_rand_next(&x) & 1), __ATOMIC_RELEASE);
		if (rx->rc.msg.imm_len != 0)
			((uint8_t *)&cpls->words[nb])[test_rand_next(&x) % (nb * IMM)] = (uint8_t)n;
		if (n % 256 == 0)
			sched_yield();
	}
	return NULL;
}

static volatile uint8_t imm_sum; /* that reading is no waste */

static int
cpls_check(struct fast_rx *env, const struct rte_comch_cpl *cpl)
{
	const uint8_t *imm = cpl->imm_len <= RTE_COMCH_CPL_IMM_SIZE ? cpl->imm : cpl->imm_ext;
	uint32_t i;

	if (cpl->status != 0)
		return TEST_SUCCESS; /* what comes back at the end */
	TEST_EXPECT(cpl->cookie, env->polled);
	TEST_TRUE(cpl->len <= SLOT && cpl->imm_len <= IMM);
	TEST_TRUE(cpl->producer_id >= 1 && cpl->producer_id <= SHM_WIRE_MAX_PRODUCERS);
	for (i = 0; i < cpl->imm_len; i++)
		imm_sum ^= imm[i];
	env->polled++;
	return TEST_SUCCESS;
}

static int
cpls_turn(struct fast_rx *env)
{
	struct rte_comch_cpl cpls[NB];
	unsigned int nb, i;

	if (fast_victim()->conn != NULL && test_q_state(env->q) == RTE_COMCH_STATE_RUNNING)
		TEST_CALL(fast_rx_post(env, NB - (env->posted - env->polled), SLOT));
	nb = rte_comch_queue_poll_burst(env->q->ctx, cpls, NB);
	for (i = 0; i < nb; i++)
		TEST_CALL(cpls_check(env, &cpls[i]));
	return TEST_SUCCESS;
}

static int
packets_turn(struct fast_rx *env)
{
	struct rte_mbuf *pkts[NB];
	unsigned int nb, i;

	nb = rte_comch_consumer_rx_burst(env->q->ctx, pkts, NB);
	for (i = 0; i < nb; i++) {
		TEST_TRUE(pkts[i]->data_len <= SLOT && pkts[i]->pkt_len == pkts[i]->data_len);
		TEST_TRUE(pkts[i]->hash.usr >= 1 &&
				pkts[i]->hash.usr <= SHM_WIRE_MAX_PRODUCERS);
	}
	env->polled += nb;
	rte_pktmbuf_free_bulk(pkts, nb);
	return TEST_SUCCESS;
}

static int
cpls_flip(unsigned int what, bool packets, unsigned int ms)
{
	struct rte_comch_pe *pe = fast_side->host ? peer_host.pe : peer_env.pe;
	struct fast_rx env;
	struct fast_flips f = { .env = &env, .what = what };
	int ret = TEST_SUCCESS;
	unsigned int n;

	TEST_CALL(cpls_open(&env, packets, packets ? 0 : IMM));
	TEST_CALL(fast_flips_begin(&f, cpls_flipper));
	for (n = 0; fast_flips_go_on(&f, ms, env.polled) && ret == TEST_SUCCESS; n++) {
		ret = packets ? packets_turn(&env) : cpls_turn(&env);
		if (n % 64 == 0)
			peer_turn();
		if (n % 16 == 0 && rte_comch_pe_arm(pe) == 0)
			rte_comch_pe_progress(pe);
	}
	TEST_CALL(fast_flips_end(&f, what == 0 || what == 4, env.polled));
	TEST_CALL(ret);
	fast_rx_close(&env);
	return TEST_SUCCESS;
}

static int
test_cpl_flips(void)
{
	unsigned int what, round;

	for (what = 0; what <= 4; what++) {
		for (round = 0; round < 6; round++)
			TEST_CALL(cpls_flip(what, false, 15));
		for (round = 0; round < 3; round++)
			TEST_CALL(cpls_flip(what, true, 15));
	}
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "shm, a hostile peer: posts and completions",
	.setup = fast_suite_setup,
	.teardown = fast_suite_teardown,
	.unit_test_cases = {
		FAST_CASE(test_post_tails),
		FAST_CASE(test_post_places),
		FAST_CASE(test_post_odd),
		FAST_CASE(test_closed_word),
		FAST_CASE(test_region_gone_in_use),
		FAST_CASE(test_post_flips),
		FAST_CASE(test_cpl_values),
		FAST_CASE(test_cpl_producers),
		FAST_CASE(test_cpl_unposted),
		FAST_CASE(test_post_no_words),
		FAST_CASE(test_cpl_row_end),
		FAST_CASE(test_cpl_packets),
		FAST_CASE(test_cpl_packets_more),
		FAST_CASE(test_cpl_flips),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(shm_peer_fast_mem_autotest, fast_suites_run, &suite)
