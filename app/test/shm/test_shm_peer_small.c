/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Entries of immediate data, and a hostile peer that asks for them when it must not, writes
 * anything to them, or posts what it has not. From either role. Words of completions and
 * posts of buffers are attacked in another file.
 */

#include <pthread.h>
#include <sched.h>

#include <rte_mbuf.h>
#include <rte_memory.h>

#include "shm_fast.h" /* check-ok: its layers are tested */

#include "test_rand.h"
#include "test_shm_peer_fast.h"

#define NB 16u
#define IMM 40u

static uint8_t data[256];

/*
 * Consumers of the device
 */

static int
entries_open(struct fast_rx *env, uint32_t nb_posts, uint32_t imm_len)
{
	TEST_CALL(fast_rx_open(env, NULL, nb_posts, imm_len));
	TEST_TRUE(env->rc.entries != NULL);
	/* what is read in parts must not be overwritten */
	TEST_TRUE(env->rc.msg.nb_posts >= 2 * nb_posts);
	return TEST_SUCCESS;
}

static uint8_t *
entry_imm(const struct fast_rx *env, uint32_t n)
{
	return env->rc.entries[(SHM_ENTRY_START + n) & (env->rc.msg.nb_posts - 1)].imm;
}

/* A segment that is too small for entries. */
static int
test_short_segment(void)
{
	struct fast_rx env;
	union shm_wire_msg msg;
	struct hostile_seg seg;

	memset(&env, 0, sizeof(env));
	env.e = fast_connected();
	fast_consumer(NULL, NB, 8);
	TEST_EXPECT(hostile_rc_wait(env.e, &env.rc), 0);
	/* as much as words would take */
	TEST_EXPECT(hostile_seg_create(&seg, offsetof(struct shm_wire_cpls, want),
			shm_wire_cpls_size(env.rc.msg.nb_posts, true, 8)), 0);
	hostile_fill(&msg, SHM_WIRE_CONSUMER_ACK, env.e->chan.id);
	msg.consumer_ack.consumer = env.rc.msg.consumer;
	TEST_EXPECT(hostile_send(env.e, &msg, SHM_WIRE_CONSUMER_ACK, env.e->chan.id, seg.fd), 0);
	TEST_CALL(fast_conn_dies(env.e, "segment", 0));
	hostile_seg_free(&seg);
	fast_rx_close(&env);
	return TEST_SUCCESS;
}

/* Batches that are right: read as a whole and in parts, over the end of the ring. */
static int
test_batches(void)
{
	static const uint32_t nbs[] = { 1, 2, 5, NB };
	static const uint32_t lens[] = { 0, 1, 7, 8, 32, IMM };
	struct rte_comch_cpl cpls[NB];
	uint32_t n = 0, nb, len, row, i, k;
	struct fast_rx env;
	const uint8_t *imm;
	unsigned int round;

	TEST_CALL(entries_open(&env, NB, IMM));
	for (round = 0; round < 200; round++, n += nb) {
		row = env.rc.msg.nb_posts - ((SHM_ENTRY_START + n) & (env.rc.msg.nb_posts - 1));
		nb = RTE_MIN(nbs[round % RTE_DIM(nbs)], row);
		len = lens[round % RTE_DIM(lens)];
		TEST_CALL(fast_rx_post(&env, nb, 0));
		for (i = 0; i < nb; i++)
			test_fill(entry_imm(&env, n) + i * RTE_ALIGN_CEIL(len, 8u), len, n + i);
		hostile_entry_put(&env.rc, n, hostile_entry(n, 7, len, nb - 1));
		for (i = 0; i < nb; i += k) {
			k = rte_comch_queue_poll_burst(env.q->ctx, cpls, round % 3 != 0 ? NB :
					1 + round % 5);
			TEST_TRUE(k != 0 && i + k <= nb);
			for (uint32_t j = 0; j < k; j++) {
				imm = len <= RTE_COMCH_CPL_IMM_SIZE ? cpls[j].imm : cpls[j].imm_ext;
				TEST_TRUE(cpls[j].cookie == n + i + j && cpls[j].imm_len == len &&
						cpls[j].producer_id == 7 && cpls[j].len == 0);
				TEST_TRUE(test_check(imm, len, n + i + j));
			}
		}
		TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, NB), 0);
	}
	TEST_EXPECT(fast_breaches(), 0);
	fast_rx_close(&env);
	return TEST_SUCCESS;
}

/* Words that are of their position, and say what cannot be. */
static int
test_values(void)
{
	static const struct {
		uint32_t producer;
		uint32_t imm_len;
		uint32_t more;
	} bad[] = {
		{ 1, IMM + 1, 0 }, { 1, SHM_ENTRY_MAX_IMM, 0 }, { 1, SHM_ENTRY_LEN_MASK, 0 },
		{ 0, 0, 0 }, { 65, 0, 0 }, { 127, 8, 0 }, { 128, 8, 0 }, { 129, 8, 0 },
		{ 0xff, 8, 0 }, { 0x8001, 8, 0 }, { SHM_ENTRY_PRODUCER_MASK, 8, 0 },
		{ 1, 8, NB }, { 1, 0, SHM_ENTRY_MORE_MASK }, { 1, IMM, SHM_ENTRY_MORE_MASK },
		{ SHM_ENTRY_PRODUCER_MASK, SHM_ENTRY_LEN_MASK, SHM_ENTRY_MORE_MASK },
	};
	const uint16_t bursts[] = { 1, NB };
	struct rte_comch_cpl cpls[NB];
	struct fast_rx env;
	unsigned int i, lead, b;

	/* the first, and behind good ones; by both kinds of poll */
	for (i = 0; i < 4 * RTE_DIM(bad); i++) {
		lead = i % 2 * 3;
		b = i / 2 % 2;
		TEST_CALL(entries_open(&env, NB, IMM));
		TEST_CALL(fast_rx_post(&env, NB, 0));
		for (env.polled = 0; env.polled < lead; env.polled++) {
			hostile_entry_put(&env.rc, env.polled,
					hostile_entry(env.polled, 64, IMM, 0));
			TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, bursts[b]), 1);
		}
		hostile_entry_put(&env.rc, lead, hostile_entry(lead, bad[i / 4].producer,
				bad[i / 4].imm_len, bad[i / 4].more));
		hostile_entry_put(&env.rc, lead + 1, hostile_entry(lead + 1, 1, 0, 0));
		TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, bursts[b]), 0);
		/* and it is not believed when it says something else now */
		hostile_entry_put(&env.rc, lead, hostile_entry(lead, 1, 0, 0));
		TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, bursts[b]), 0);
		TEST_CALL(fast_conn_dies(env.e, "entry", i));
		fast_rx_close(&env);
	}
	return TEST_SUCCESS;
}

/* Batches of more than was posted, and over the end of the ring. */
static int
test_batch_bounds(void)
{
	struct rte_comch_cpl cpls[NB];
	struct fast_rx env;
	unsigned int i, n;

	TEST_CALL(entries_open(&env, NB, IMM));
	TEST_CALL(fast_rx_post(&env, 4, 0));
	hostile_entry_put(&env.rc, 0, hostile_entry(0, 1, 8, 4));
	TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, 1), 0);
	TEST_CALL(fast_conn_dies(env.e, "batch", 0));
	fast_rx_close(&env);

	TEST_CALL(entries_open(&env, NB, IMM));
	/* positions begin at a multiple of the ring: this is 2 before its end */
	for (n = 0; n < env.rc.msg.nb_posts - 2; n++) {
		TEST_CALL(fast_rx_post(&env, 1, 0));
		hostile_entry_put(&env.rc, n, hostile_entry(n, 1, 8, 0));
		TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, NB), 1);
	}
	TEST_CALL(fast_rx_post(&env, NB, 0));
	hostile_entry_put(&env.rc, n, hostile_entry(n, 1, 8, 2));
	for (i = 0; i < 2; i++)
		TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, NB), 0);
	TEST_CALL(fast_conn_dies(env.e, "batch", 1));
	fast_rx_close(&env);
	return TEST_SUCCESS;
}

/* Entries of what was not posted, of other rounds, out of order, and those never written. */
static int
test_unposted(void)
{
	struct rte_comch_cpl cpls[NB];
	struct fast_rx env;
	unsigned int i, n;

	TEST_CALL(entries_open(&env, 2 * NB * NB, 8));
	for (i = 0; i < NB; i++)
		hostile_entry_put(&env.rc, i, hostile_entry(i, 1, SHM_ENTRY_LEN_MASK, 1));
	TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, NB), 0);
	peer_turn_ms(1);
	TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, 1), 0);
	if (!fast_side->host) /* nor do they keep the engine from its sleep */
		TEST_TRUE(peer_sleep_ms(peer_env.pe, fast_victim()) != 0);
	for (i = 0; i < NB; i++)
		hostile_entry_put(&env.rc, i, hostile_entry(i + env.rc.msg.nb_posts, 1, 1, 0));
	TEST_CALL(fast_rx_post(&env, 4, 0));
	TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, NB), 0);
	/* of its position, but not full */
	hostile_entry_put(&env.rc, 0, hostile_entry(0, 1, 1, 0) & ~SHM_ENTRY_FULL);
	TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, 1), 0);
	/* the second before the first */
	hostile_entry_put(&env.rc, 1, hostile_entry(1, 1, 1, 0));
	TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, NB), 0);
	for (i = 0; i < NB; i++)
		hostile_entry_put(&env.rc, i, hostile_entry(i, 1, i, 0));
	TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, NB), 4);
	/* on to the wrap of positions: the next entry is of position 0, and all 0 */
	for (n = 4; n < -SHM_ENTRY_START; n++) {
		TEST_CALL(fast_rx_post(&env, 1, 0));
		hostile_entry_put(&env.rc, n, hostile_entry(n, 1, 1, 0));
		TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, 1), 1);
	}
	TEST_CALL(fast_rx_post(&env, 2, 0));
	TEST_TRUE(((SHM_ENTRY_START + n) & (env.rc.msg.nb_posts - 1)) == 0 &&
			env.rc.entries[0].word == 0);
	TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, 1), 0);
	TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, NB), 0);
	hostile_entry_put(&env.rc, n, hostile_entry(n, 1, 1, 0));
	TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, cpls, NB), 1);
	TEST_EXPECT(fast_breaches(), 0);
	fast_rx_close(&env);
	return TEST_SUCCESS;
}

/* The engine of a consumer does not sleep as long as something is left of a batch. */
static int
test_batch_left(void)
{
	struct rte_comch_pe *pe = fast_side->host ? peer_host.pe : peer_env.pe;
	struct rte_comch_cpl cpl;
	struct fast_rx env;
	unsigned int i;

	TEST_CALL(test_need_event());
	TEST_CALL(entries_open(&env, NB, IMM));
	TEST_CALL(fast_rx_post(&env, NB, 0));
	TEST_EXPECT(test_arm(pe), 0);
	hostile_entry_put(&env.rc, 0, hostile_entry(0, 1, 8, 3));
	for (i = 0; i < 4; i++) {
		rte_comch_pe_progress(pe);
		TEST_EXPECT(rte_comch_pe_arm(pe), -EAGAIN);
		TEST_EXPECT(rte_comch_queue_poll_burst(env.q->ctx, &cpl, 1), 1);
	}
	TEST_EXPECT(test_arm(pe), 0);
	rte_comch_pe_progress(pe);
	fast_rx_close(&env);
	return TEST_SUCCESS;
}

/* A peer that lies when its connection is over, as it has the memory still: that costs nobody. */
static int
test_lies_after_end(void)
{
	struct rte_comch_cpl cpls[NB];
	struct fast_rx env;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		TEST_CALL(entries_open(&env, NB, IMM));
		TEST_CALL(fast_rx_post(&env, NB, 0));
		hostile_close(env.e);
		PEER_WAIT(fast_victim()->conn == NULL, TEST_MS);
		hostile_entry_put(&env.rc, 0, hostile_entry(0, 0, 0, 0));
		/* the posts come back, and no message */
		PEER_WAIT(rte_comch_queue_poll_burst(env.q->ctx, cpls, i == 0 ? 1 : NB) != 0,
				TEST_MS);
		TEST_TRUE(cpls[0].status != 0);
		TEST_EXPECT(fast_breaches(), 0);
		fast_rx_close(&env);
	}
	return TEST_SUCCESS;
}

static void *
entries_flipper(void *arg)
{
	struct fast_flips *f = arg;
	struct hostile_rc *rc = f->env;
	const uint32_t nb = rc->msg.nb_posts;
	uint32_t x = 88172645, n = 0, pos, imm, producer, more;
	struct shm_entry *entry;

	test_thread_spread(1);
	while (!__atomic_load_n(&f->stop, __ATOMIC_RELAXED)) {
		n++;
		/* mostly what is due, as the consumer's posts tell, so that it reads on */
		pos = __atomic_load_n(&rc->posts->tail, __ATOMIC_RELAXED) -
			test_rand_next(&x) % (NB + 1);
		imm = test_rand_next(&x) % (IMM + 1);
		producer = 1 + test_rand_next(&x) % SHM_WIRE_MAX_PRODUCERS;
		more = 0;
		if (f->what == 1 && n % 1024 == 0)
			imm = test_rand_next(&x) & SHM_ENTRY_LEN_MASK;
		if (f->what == 2 && n % 1024 == 0)
			producer = test_rand_next(&x) & SHM_ENTRY_PRODUCER_MASK;
		if (f->what == 3)
			more = test_rand_next(&x) % 3;
		entry = &rc->entries[pos & (nb - 1)];
		entry->imm[test_rand_next(&x) % SHM_ENTRY_MAX_IMM] = (uint8_t)n;
		__atomic_store_n(&entry->word, shm_entry_word(pos, producer, imm) |
				(uint64_t)more << SHM_ENTRY_MORE_SHIFT, __ATOMIC_RELEASE);
		if (n % 256 == 0)
			sched_yield();
	}
	return NULL;
}

static volatile uint8_t imm_sum; /* that reading is no waste */

static int
entries_turn(struct fast_rx *env, uint16_t burst)
{
	struct rte_comch_cpl cpls[NB];
	const uint8_t *imm;
	unsigned int nb, i, k;

	if (fast_victim()->conn != NULL && test_q_state(env->q) == RTE_COMCH_STATE_RUNNING)
		TEST_CALL(fast_rx_post(env, NB - (env->posted - env->polled), 0));
	nb = rte_comch_queue_poll_burst(env->q->ctx, cpls, burst);
	for (i = 0; i < nb && cpls[i].status == 0; i++, env->polled++) {
		imm = cpls[i].imm_len <= RTE_COMCH_CPL_IMM_SIZE ? cpls[i].imm : cpls[i].imm_ext;
		TEST_EXPECT(cpls[i].cookie, env->polled);
		TEST_TRUE(cpls[i].len == 0 && cpls[i].imm_len <= IMM && cpls[i].producer_id >= 1 &&
				cpls[i].producer_id <= SHM_WIRE_MAX_PRODUCERS);
		for (k = 0; k < cpls[i].imm_len; k++)
			imm_sum ^= imm[k];
	}
	return TEST_SUCCESS;
}

static int
entries_flip(unsigned int what)
{
	struct fast_rx env;
	struct fast_flips f = { .env = &env.rc, .what = what };
	int ret = TEST_SUCCESS;
	unsigned int n;

	TEST_CALL(entries_open(&env, NB, IMM));
	TEST_CALL(fast_flips_begin(&f, entries_flipper));
	for (n = 0; fast_flips_go_on(&f, 20, env.polled) && ret == TEST_SUCCESS; n++) {
		ret = entries_turn(&env, n % 2 != 0 ? 1 : NB);
		if (n % 64 == 0)
			peer_turn();
	}
	TEST_CALL(fast_flips_end(&f, what == 0, env.polled));
	TEST_CALL(ret);
	fast_rx_close(&env);
	return TEST_SUCCESS;
}

static int
test_flips(void)
{
	unsigned int what, round;

	for (what = 0; what <= 3; what++)
		for (round = 0; round < 4; round++)
			TEST_CALL(entries_flip(what));
	return TEST_SUCCESS;
}

/*
 * Producers of the device
 */

struct hostile_entries {
	struct hostile *e;
	struct hostile_consumer c;
	struct test_q *q;
};

static int
small_open_flags(struct hostile_entries *env, uint32_t imm_len, uint32_t flags)
{
	memset(env, 0, sizeof(*env));
	env->e = fast_connected();
	env->c.msg.imm_len = imm_len;
	env->c.msg.flags = flags;
	TEST_EXPECT(hostile_consumer_start(env->e, &env->c, 1, SHM_WIRE_NO_REGION), 0);
	TEST_TRUE(env->c.entries != NULL);
	env->q = fast_producer();
	return TEST_SUCCESS;
}

static int
small_open(struct hostile_entries *env, uint32_t imm_len)
{
	return small_open_flags(env, imm_len, 0);
}

static void
small_close(struct hostile_entries *env)
{
	fast_case_end();
	hostile_consumer_free(&env->c);
}

static uint16_t
small_send(struct hostile_entries *env, uint32_t imm_len, uint16_t nb)
{
	struct rte_comch_send sends[2 * HOSTILE_POSTS];
	unsigned int i;

	memset(sends, 0, sizeof(sends));
	for (i = 0; i < nb; i++) {
		sends[i].imm = data;
		sends[i].imm_len = imm_len;
		sends[i].flags = RTE_COMCH_SEND_F_NO_CPL;
	}
	return rte_comch_producer_send_burst(env->q->ctx, 1, sends, nb);
}

/*
 * Tails that cannot be, by both kinds of send, of one producer and of one of two; nothing is
 * written before they are checked.
 */
static int
test_tails(void)
{
	static const uint32_t adds[] = {
		HOSTILE_POSTS + 1, 2 * HOSTILE_POSTS, 0x7fffffff, 0x80000000, -1u, -8u, -0x1000u,
	};
	struct hostile_entries env;
	unsigned int i, k, sent;
	uint16_t nb;

	for (i = 0; i < 8 * RTE_DIM(adds); i++) {
		sent = i % 2 * 4;
		nb = i / 2 % 2 != 0 ? HOSTILE_POSTS : 1;
		TEST_CALL(small_open(&env, 32));
		if (i / 4 % 2 != 0)
			fast_producer();
		env.c.posts->tail = SHM_WIRE_POST_START + sent;
		if (sent != 0)
			TEST_EXPECT(small_send(&env, 32, (uint16_t)sent), sent);
		__atomic_fetch_add(&env.c.posts->tail, adds[i / 8], __ATOMIC_RELEASE);
		TEST_EXPECT(rte_comch_producer_credits(env.q->ctx, 1), 0);
		TEST_EXPECT(small_send(&env, 32, nb), 0);
		TEST_EXPECT(test_reason(env.q, 1), -ENOTCONN);
		for (k = sent; k < HOSTILE_POSTS; k++)
			TEST_EXPECT(env.c.entries[(SHM_ENTRY_START + k) % HOSTILE_POSTS].word, 0);
		TEST_CALL(fast_conn_dies(env.e, "tail", i));
		small_close(&env);
	}
	return TEST_SUCCESS;
}

/* What the device writes: words that say what there is, and no byte of anything else. */
static int
test_written(void)
{
	struct hostile_entries env;
	const struct shm_entry *entry;
	uint32_t len, n = 0;
	unsigned int i;
	uint16_t nb;

	TEST_CALL(small_open(&env, SHM_ENTRY_MAX_IMM));
	for (i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i + 1);
	for (len = 0; len <= SHM_ENTRY_MAX_IMM; len++, n += nb) {
		nb = len % 3 == 0 ? 1 : 2;
		nb = (uint16_t)RTE_MIN((uint32_t)nb, HOSTILE_POSTS - n % HOSTILE_POSTS);
		for (i = 0; i < nb; i++)
			hostile_post(&env.c, 0, 0);
		TEST_EXPECT(small_send(&env, len, nb), nb);
		entry = &env.c.entries[(SHM_ENTRY_START + n) % HOSTILE_POSTS];
		TEST_TRUE(shm_entry_is(entry->word, SHM_ENTRY_START + n));
		TEST_EXPECT(shm_entry_len(entry->word), len);
		/* one batch, unless its bytes look like a word of the next entry */
		if (shm_entry_more(entry->word) == 0 && nb != 1)
			TEST_TRUE(shm_entry_is(entry[1].word, SHM_ENTRY_START + n + 1));
		else
			TEST_EXPECT(shm_entry_more(entry->word), nb - 1u);
		TEST_EXPECT(env.c.cpls->producers[shm_entry_producer(entry->word)], env.q->id);
		TEST_TRUE(memcmp(entry->imm, data, len) == 0);
		TEST_EXPECT(small_send(&env, len, 1), 0);
		TEST_EXPECT(test_reason(env.q, 1), -EAGAIN);
	}
	TEST_EXPECT(small_send(&env, SHM_ENTRY_MAX_IMM + 1, 1), 0);
	TEST_EXPECT(fast_breaches(), 0);
	small_close(&env);
	return TEST_SUCCESS;
}

/*
 * A burst is a batch behind one word, but for one round of each 2^31 positions: there each
 * entry gets its word, as what a batch leaves in an entry is not to be taken for a message when
 * positions repeat.
 */
static int
test_renewed(void)
{
	static const uint32_t rounds[] = {
		SHM_ENTRY_RENEW - HOSTILE_POSTS, SHM_ENTRY_RENEW, SHM_ENTRY_RENEW + HOSTILE_POSTS,
		SHM_ENTRY_RENEW + INT32_MAX + 1,
	};
	const struct rte_comch_fp_object *fp;
	const struct shm_producer *p;
	struct hostile_entries env;
	struct shm_remote_consumer *rc;
	unsigned int i, k;

	TEST_CALL(small_open(&env, 32));
	fp = (const struct rte_comch_fp_object *)env.q->ctx;
	p = fp->queue;
	rc = p->fast->rcs[shm_wire_consumer_slot(1)];
	memset(data, 0, sizeof(data)); /* no bytes that look like a word */
	for (i = 0; i < RTE_DIM(rounds); i++) {
		/* as if so many messages had passed */
		rc->head = rc->tail_seen = rounds[i];
		__atomic_store_n(&env.c.posts->tail, rounds[i] + HOSTILE_POSTS, __ATOMIC_RELEASE);
		TEST_EXPECT(small_send(&env, 8, HOSTILE_POSTS), HOSTILE_POSTS);
		for (k = 0; k < HOSTILE_POSTS; k++)
			TEST_TRUE(shm_entry_is(env.c.entries[k].word, rounds[i] + k) ==
					(k == 0 || i % 2 != 0));
	}
	small_close(&env);
	return TEST_SUCCESS;
}

/* Whoever finds such a consumer, and however: it gets entries, also of packets. */
static int
test_found(void)
{
	const uint32_t flags[] = { 0, SHM_WIRE_CONSUMER_F_FENCE };
	struct hostile_entries env;
	struct rte_mempool *pool;
	const struct shm_entry *entry;
	struct rte_mbuf *m;
	uint32_t i, n;

	pool = rte_pktmbuf_pool_create("hostile_small", 15, 0, 0, 256, SOCKET_ID_ANY);
	TEST_TRUE(pool != NULL);
	for (i = 0; i < RTE_DIM(flags); i++) {
		TEST_CALL(small_open_flags(&env, 8, flags[i]));
		m = test_packet(pool, 0, 1, 1);
		for (n = 0; n < 4; n++)
			hostile_post(&env.c, 0, 0);
		TEST_EXPECT(rte_comch_producer_credits(env.q->ctx, 1), 4);
		TEST_EXPECT(small_send(&env, 8, 1), 1);
		TEST_EXPECT(small_send(&env, 8, 2), 2);
		TEST_EXPECT(rte_comch_producer_tx_burst(env.q->ctx, 1, &m, 1), 1);
		for (n = 0; n < 4; n++) {
			entry = &env.c.entries[(SHM_ENTRY_START + n) % HOSTILE_POSTS];
			if (n == 2) /* of a batch, whose word is before it */
				continue;
			TEST_TRUE(shm_entry_is(entry->word, SHM_ENTRY_START + n));
			TEST_EXPECT(shm_entry_len(entry->word), n == 3 ? 0 : 8);
			TEST_EXPECT(shm_entry_more(entry->word), n == 1);
		}
		TEST_EXPECT(fast_breaches(), 0);
		small_close(&env);
	}
	rte_mempool_free(pool);
	return TEST_SUCCESS;
}

/* More in one burst than a batch has, and more posts than there is room for. */
static int
test_long_bursts(void)
{
	struct rte_comch_send sends[2 * SHM_ENTRY_MAX_BATCH];
	struct rte_comch_post posts[NB + 1];
	struct hostile_entries env = { .c.msg = { .nb_posts = RTE_DIM(sends), .imm_len = 8 } };
	struct fast_rx rx;
	unsigned int i;

	memset(posts, 0, sizeof(posts));
	memset(sends, 0, sizeof(sends));
	for (i = 0; i < RTE_DIM(sends); i++)
		sends[i].flags = RTE_COMCH_SEND_F_NO_CPL;
	env.e = fast_connected();
	TEST_EXPECT(hostile_consumer_start(env.e, &env.c, 1, SHM_WIRE_NO_REGION), 0);
	env.q = fast_producer();
	for (i = 0; i < RTE_DIM(sends); i++)
		hostile_post(&env.c, 0, 0);
	TEST_EXPECT(rte_comch_producer_send_burst(env.q->ctx, 1, sends, RTE_DIM(sends)),
		RTE_DIM(sends));
	for (i = 0; i < RTE_DIM(sends); i += SHM_ENTRY_MAX_BATCH)
		TEST_EXPECT(shm_entry_more(env.c.entries[(SHM_ENTRY_START + i) %
			RTE_DIM(sends)].word), SHM_ENTRY_MAX_BATCH - 1);
	small_close(&env);

	TEST_CALL(entries_open(&rx, NB, 8));
	TEST_EXPECT(rte_comch_consumer_post_burst(rx.q->ctx, posts, NB / 2), NB / 2);
	TEST_EXPECT(test_reason(rx.q, 0), 0);
	TEST_EXPECT(rte_comch_consumer_post_burst(rx.q->ctx, posts, NB + 1), NB / 2);
	TEST_EXPECT(test_reason(rx.q, 0), -ENOBUFS);
	TEST_EXPECT(fast_breaches(), 0);
	fast_rx_close(&rx);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "shm, a hostile peer: entries of immediate data",
	.setup = fast_suite_setup,
	.teardown = fast_suite_teardown,
	.unit_test_cases = {
		FAST_CASE(test_short_segment),
		FAST_CASE(test_batches),
		FAST_CASE(test_values),
		FAST_CASE(test_batch_bounds),
		FAST_CASE(test_unposted),
		FAST_CASE(test_batch_left),
		FAST_CASE(test_lies_after_end),
		FAST_CASE(test_flips),
		FAST_CASE(test_tails),
		FAST_CASE(test_written),
		FAST_CASE(test_renewed),
		FAST_CASE(test_found),
		FAST_CASE(test_long_bursts),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(shm_peer_small_autotest, fast_suites_run, &suite)
