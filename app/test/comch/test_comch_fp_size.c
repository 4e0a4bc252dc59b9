/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The size that a consumer states: what can be stated, what may be posted then, what
 * the peer learns and what it cannot send. Posts with sizes of their own are in
 * test_comch_fp_room.c.
 */

#include <pthread.h>

#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_mempool.h>

#include "test_comch_fp_util.h"

#define SIZE 100
#define ROOM 512
#define STRIDE 1024
#define SLOTS 8

static const struct rte_comch_remote_consumer_info untouched = {
	.buf_size = 12345, .imm_len = 678, .flags = 9,
};

static int
create_refused(struct rte_comch_conn *conn, const struct rte_comch_consumer_conf *conf)
{
	struct rte_comch_ctx *ctx = NULL;

	TEST_EXPECT(rte_comch_consumer_create(conn, conf, &ctx), -EINVAL);
	TEST_TRUE(ctx == NULL);
	return TEST_SUCCESS;
}

static int
create_taken(struct rte_comch_conn *conn, const struct rte_comch_consumer_conf *conf)
{
	struct rte_comch_ctx *ctx;

	TEST_EXPECT(rte_comch_consumer_create(conn, conf, &ctx), 0);
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	return TEST_SUCCESS;
}

static int
test_conf(struct test_fp *fp)
{
	struct rte_comch_conn *conn = fp->rx.ep->conn;
	struct rte_comch_consumer_conf conf = { .nb_posts = SLOTS };
	struct rte_comch_dev_info dev = test_dev_info(fp->rx.dev);
	struct rte_comch_mem_info mem;

	/* no region: no buffers */
	conf.buf_size = 1;
	TEST_CALL(create_refused(conn, &conf));
	conf.buf_size = 0;
	TEST_CALL(create_taken(conn, &conf));

	conf.mem = test_mem_alloc(fp->rx.dev, SLOTS * STRIDE, RTE_COMCH_MEM_F_PEER_WRITE);
	TEST_EXPECT(rte_comch_mem_info_get(conf.mem, &mem), 0);
	conf.buf_size = mem.len + 1;
	TEST_CALL(create_refused(conn, &conf));
	conf.buf_size = dev.max_buf_size + 1;
	TEST_CALL(create_refused(conn, &conf));
	conf.buf_size = UINT64_MAX;
	TEST_CALL(create_refused(conn, &conf));
	conf.buf_size = RTE_MIN(mem.len, dev.max_buf_size);
	TEST_CALL(create_taken(conn, &conf));
	conf.buf_size = 1;
	TEST_CALL(create_taken(conn, &conf));
	conf.buf_size = 0;
	if ((dev.capa & RTE_COMCH_CAPA_POST_SIZES) != 0)
		TEST_CALL(create_taken(conn, &conf));
	else
		TEST_CALL(create_refused(conn, &conf));

	conf.mem = test_mem_pool(fp->rx.dev, "test_size", SLOTS, 0, ROOM + RTE_PKTMBUF_HEADROOM,
			RTE_COMCH_MEM_F_PEER_WRITE);
	TEST_CALL(create_taken(conn, &conf));
	conf.buf_size = ROOM + 1;
	TEST_CALL(create_refused(conn, &conf));
	conf.buf_size = ROOM;
	TEST_CALL(create_taken(conn, &conf));
	return TEST_SUCCESS;
}

static int
post_refused(struct test_q *consumer, void *addr, uint64_t len, int reason)
{
	const struct rte_comch_post post = { .addr = addr, .len = len };

	TEST_EXPECT(rte_comch_consumer_post_burst(consumer->ctx, &post, 1), 0);
	TEST_EXPECT(test_reason(consumer, 0), reason);
	return TEST_SUCCESS;
}

/* Longer posts are taken, a shorter one ends the burst: the first three slots. */
static int
three_posted(struct test_q *consumer, struct test_q *producer, const struct test_slots *to)
{
	struct rte_comch_post posts[3];
	uint32_t i;

	for (i = 0; i < 3; i++) {
		posts[i] = (struct rte_comch_post) {
			.addr = test_slot(to, i), .len = SIZE + i, .cookie = i,
		};
		test_slot_clear(to, i);
	}
	posts[2].len = SIZE - 1;
	TEST_EXPECT(rte_comch_consumer_post_burst(consumer->ctx, posts, 3), 2);
	TEST_EXPECT(test_reason(consumer, 0), -EMSGSIZE);
	posts[2].len = STRIDE;
	TEST_EXPECT(rte_comch_consumer_post_burst(consumer->ctx, &posts[2], 1), 1);
	TEST_WAIT(rte_comch_producer_credits(producer->ctx, consumer->id) == 3, TEST_MS);
	return TEST_SUCCESS;
}

static int
test_posts(struct test_fp *fp)
{
	struct rte_comch_consumer_conf conf = { .nb_posts = SLOTS, .buf_size = SIZE };
	struct test_q *consumer, *producer;
	struct rte_comch_mem_info info;
	struct rte_comch_cpl cpls[3];
	struct test_slots to, from;
	uint32_t i;

	TEST_CALL(test_slots_new(&to, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, SLOTS, STRIDE));
	TEST_CALL(test_slots_new(&from, fp->tx.dev, 0, 1, STRIDE));
	TEST_EXPECT(rte_comch_mem_info_get(to.mem, &info), 0);
	conf.mem = to.mem;
	consumer = test_q_consumer(&fp->rx, &conf);
	TEST_CALL(test_q_start(consumer, &fp->tx));
	TEST_CALL(test_fp_producer(fp, SLOTS, &producer));

	TEST_CALL(post_refused(consumer, test_slot(&to, 0), SIZE - 1, -EMSGSIZE));
	TEST_CALL(post_refused(consumer, test_slot(&to, 0), 1, -EMSGSIZE));
	TEST_CALL(post_refused(consumer, NULL, 0, -EMSGSIZE));
	TEST_CALL(post_refused(consumer, NULL, SIZE, -EINVAL));
	TEST_CALL(post_refused(consumer, test_slot(&to, 0), 0, -EINVAL));
	TEST_CALL(post_refused(consumer, to.base - 1, SIZE, -EFAULT));
	TEST_CALL(post_refused(consumer, to.base + info.len - SIZE + 1, SIZE, -EFAULT));
	TEST_EXPECT(rte_comch_producer_credits(producer->ctx, consumer->id), 0);

	TEST_CALL(three_posted(consumer, producer, &to));
	/* what was stated counts, and not what is posted */
	test_fill(test_slot(&from, 0), SIZE, 7);
	for (i = 0; i < 3; i++) {
		TEST_EXPECT(test_send_slot(producer, consumer->id, &from, 0, SIZE + 1, 0), 0);
		TEST_EXPECT(test_reason(producer, consumer->id), -EMSGSIZE);
		TEST_EXPECT(test_send_slot(producer, consumer->id, &from, 0, STRIDE, 0), 0);
		TEST_EXPECT(test_reason(producer, consumer->id), -EMSGSIZE);
		TEST_EXPECT(test_send_slot(producer, consumer->id, &from, 0, SIZE, 0), 1);
	}
	TEST_EXPECT(test_poll(consumer, cpls, 3), 3);
	for (i = 0; i < 3; i++) {
		TEST_EXPECT(cpls[i].cookie, i);
		TEST_EXPECT(cpls[i].len, SIZE);
		TEST_TRUE(test_slot_check(&to, i, SIZE, 7));
	}

	/* nothing is posted: what can never be sent does not wait for it */
	TEST_EXPECT(test_send_slot(producer, consumer->id, &from, 0, SIZE + 1, 0), 0);
	TEST_EXPECT(test_reason(producer, consumer->id), -EMSGSIZE);
	TEST_EXPECT(test_send_slot(producer, consumer->id, &from, 0, SIZE, 0), 0);
	TEST_EXPECT(test_reason(producer, consumer->id), -EAGAIN);
	return TEST_SUCCESS;
}

/* Flags that there are not, and fields that mean nothing yet. */
static int
test_growth(struct test_fp *fp)
{
	struct rte_comch_consumer_conf conf = { .nb_posts = SLOTS };
	struct rte_comch_producer_conf producer_conf = { .nb_sends = SLOTS };
	struct rte_comch_post post = { .len = SIZE, .reserved = UINT32_MAX };
	struct rte_comch_send msg = { .len = SIZE, .reserved = { UINT64_MAX, 1 } };
	struct rte_comch_queue_stats stats;
	struct test_q *consumer, *producer;
	struct rte_comch_ctx *ctx = NULL;
	struct rte_comch_room room;
	struct test_slots to, from;
	unsigned int i;

	for (i = 0; i < RTE_DIM(conf.reserved); i++) {
		conf.reserved[i] = RTE_BIT64(i);
		TEST_CALL(create_refused(fp->rx.ep->conn, &conf));
		conf.reserved[i] = 0;
	}
	for (i = 0; i < RTE_DIM(producer_conf.reserved); i++) {
		producer_conf.reserved[i] = RTE_BIT64(i);
		TEST_EXPECT(rte_comch_producer_create(fp->tx.ep->conn, &producer_conf, &ctx),
				-EINVAL);
		producer_conf.reserved[i] = 0;
	}
	TEST_TRUE(ctx == NULL);
	TEST_CALL(test_slots_new(&to, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, 1, SIZE));
	TEST_CALL(test_slots_new(&from, fp->tx.dev, 0, 1, SIZE));
	TEST_CALL(test_fp_queues(fp, to.mem, SLOTS, 0, &consumer, &producer));
	post.addr = test_slot(&to, 0);
	for (i = 0; i < 32; i++) {
		post.flags = RTE_BIT32(i);
		TEST_EXPECT(rte_comch_consumer_post_burst(consumer->ctx, &post, 1), 0);
		TEST_EXPECT(test_reason(consumer, 0), -EINVAL);
	}
	post.flags = 0;
	TEST_EXPECT(rte_comch_consumer_post_burst(consumer->ctx, &post, 1), 1);
	TEST_WAIT(rte_comch_producer_credits(producer->ctx, consumer->id) == 1, TEST_MS);
	msg.addr = test_slot(&from, 0);
	msg.mem = from.mem;
	for (i = 1; i < 32; i++) {
		msg.flags = RTE_BIT32(i);
		TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, &msg, 1), 0);
		TEST_EXPECT(test_reason(producer, consumer->id), -EINVAL);
	}
	msg.flags = 0;
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, &msg, 1), 1);
	memset(&room, 0xff, sizeof(room));
	TEST_EXPECT(rte_comch_queue_room_get(consumer->ctx, 0, &room), 0);
	for (i = 0; i < RTE_DIM(room.reserved); i++)
		TEST_EXPECT(room.reserved[i], 0);
	memset(&stats, 0xff, sizeof(stats));
	TEST_EXPECT(rte_comch_queue_stats_get(producer->ctx, &stats), 0);
	for (i = 0; i < RTE_DIM(stats.reserved); i++)
		TEST_EXPECT(stats.reserved[i], 0);
	return TEST_SUCCESS;
}

/* Packets: the data room is what is stated. */
static int
test_packets(struct test_fp *fp)
{
	struct rte_comch_remote_consumer_info info;
	struct test_q *consumer, *producer;
	struct rte_mbuf *pkts[2], *got[2];
	struct rte_mempool *pool;
	struct rte_comch_mem *mem;

	mem = test_mem_pool(fp->rx.dev, "test_size", 64, 0, ROOM + RTE_PKTMBUF_HEADROOM,
			RTE_COMCH_MEM_F_PEER_WRITE);
	pool = rte_pktmbuf_pool_create("test_size_tx", 64, 0, 0, 2 * ROOM + RTE_PKTMBUF_HEADROOM,
			SOCKET_ID_ANY);
	TEST_TRUE(pool != NULL);
	TEST_CALL(test_fp_queues(fp, mem, SLOTS, 0, &consumer, &producer));
	TEST_EXPECT(rte_comch_conn_consumer_info_get(fp->tx.ep->conn, consumer->id, &info), 0);
	TEST_EXPECT(info.buf_size, ROOM);
	TEST_EXPECT(rte_pktmbuf_alloc_bulk(pool, pkts, 2), 0);
	TEST_TRUE(rte_pktmbuf_append(pkts[0], ROOM + 1) != NULL);
	TEST_TRUE(rte_pktmbuf_append(pkts[1], ROOM) != NULL);
	/* nothing is posted, and then something is */
	TEST_EXPECT(rte_comch_producer_tx_burst(producer->ctx, consumer->id, pkts, 2), 0);
	TEST_EXPECT(test_reason(producer, consumer->id), -EMSGSIZE);
	TEST_TRUE(rte_comch_producer_at_fault(producer->ctx, consumer->id));
	TEST_TRUE(!rte_comch_producer_at_fault(producer->ctx, consumer->id + 1));
	TEST_TRUE(!rte_comch_producer_at_fault(NULL, consumer->id));
	TEST_EXPECT(rte_comch_producer_tx_burst(producer->ctx, consumer->id, &pkts[1], 1), 0);
	TEST_EXPECT(test_reason(producer, consumer->id), -EAGAIN);
	TEST_TRUE(!rte_comch_producer_at_fault(producer->ctx, consumer->id));
	TEST_EXPECT(rte_comch_consumer_rx_burst(consumer->ctx, got, 2), 0);
	TEST_WAIT(rte_comch_producer_credits(producer->ctx, consumer->id) != 0, TEST_MS);
	TEST_EXPECT(rte_comch_producer_tx_burst(producer->ctx, consumer->id, pkts, 2), 0);
	TEST_EXPECT(test_reason(producer, consumer->id), -EMSGSIZE);
	TEST_EXPECT(rte_comch_producer_tx_burst(producer->ctx, consumer->id, &pkts[1], 1), 1);
	rte_pktmbuf_free(pkts[0]);
	TEST_WAIT(rte_comch_consumer_rx_burst(consumer->ctx, got, 2) != 0, TEST_MS);
	TEST_EXPECT(got[0]->pkt_len, ROOM);
	rte_pktmbuf_free(got[0]);
	rte_mempool_free(pool);
	return TEST_SUCCESS;
}

static int
info_refused(struct rte_comch_conn *conn, uint32_t id, int ret)
{
	struct rte_comch_remote_consumer_info info = untouched;

	TEST_EXPECT(rte_comch_conn_consumer_info_get(conn, id, &info), ret);
	TEST_TRUE(memcmp(&info, &untouched, sizeof(info)) == 0);
	return TEST_SUCCESS;
}

static int
info_is(struct test_fp *fp, const struct rte_comch_consumer_conf *conf, uint32_t flags)
{
	struct rte_comch_remote_consumer_info info;
	struct test_q *q = test_q_consumer(&fp->rx, conf);
	unsigned int i;
	uint32_t id;

	TEST_CALL(test_q_start(q, &fp->tx));
	id = q->id;
	memset(&info, 0xff, sizeof(info));
	TEST_EXPECT(rte_comch_conn_consumer_info_get(fp->tx.ep->conn, id, &info), 0);
	TEST_EXPECT(info.buf_size, conf->buf_size);
	TEST_EXPECT(info.imm_len, conf->imm_len);
	TEST_EXPECT(info.flags, flags);
	TEST_EXPECT(info.tag, conf->tag);
	for (i = 0; i < RTE_DIM(info.reserved); i++)
		TEST_EXPECT(info.reserved[i], 0);
	/* it is the peer's, and not one of this side */
	TEST_CALL(info_refused(fp->rx.ep->conn, id, -ENOENT));
	TEST_CALL(info_refused(fp->tx.ep->conn, 0, -ENOENT));
	TEST_CALL(info_refused(fp->tx.ep->conn, id + 1, -ENOENT));
	TEST_CALL(info_refused(fp->tx.ep->conn, id + 256, -ENOENT));
	TEST_EXPECT(test_q_close(q), 0);
	return info_refused(fp->tx.ep->conn, id, -ENOENT);
}

static int
test_infos(struct test_fp *fp)
{
	struct rte_comch_consumer_conf conf = { .nb_posts = SLOTS, .imm_len = 8 };
	struct rte_comch_remote_consumer_info info;
	struct rte_comch_dev_info dev = test_dev_info(fp->rx.dev);

	TEST_EXPECT(rte_comch_conn_consumer_info_get(NULL, 1, &info), -EINVAL);
	TEST_EXPECT(rte_comch_conn_consumer_info_get(fp->tx.ep->conn, 1, NULL), -EINVAL);
	TEST_CALL(info_refused(fp->tx.ep->conn, 1, -ENOENT));
	TEST_CALL(info_is(fp, &conf, 0));
	conf.mem = test_mem_alloc(fp->rx.dev, SLOTS * STRIDE, RTE_COMCH_MEM_F_PEER_WRITE);
	conf.buf_size = STRIDE;
	conf.tag = 1;
	TEST_CALL(info_is(fp, &conf, 0));
	conf.buf_size = 1;
	conf.imm_len = dev.max_imm_len;
	conf.tag = UINT32_MAX;
	TEST_CALL(info_is(fp, &conf, 0));
	conf.buf_size = 0;
	if ((dev.capa & RTE_COMCH_CAPA_POST_SIZES) != 0)
		TEST_CALL(info_is(fp, &conf, RTE_COMCH_REMOTE_CONSUMER_F_POST_SIZES));
	return TEST_SUCCESS;
}

/* A thread that asks while consumers come and go, and while the connection ends. */
struct asker {
	struct rte_comch_conn *conn;
	uint32_t stop;
	uint32_t nb_found;
	uint32_t nb_ended;
	uint32_t nb_bad;
};

static void *
asker_main(void *arg)
{
	struct rte_comch_remote_consumer_info info;
	struct asker *a = arg;
	uint32_t id = 1;
	int ret;

	while (__atomic_load_n(&a->stop, __ATOMIC_ACQUIRE) == 0) {
		ret = rte_comch_conn_consumer_info_get(a->conn, id, &info);
		if (ret == 0 && info.buf_size == SIZE)
			__atomic_fetch_add(&a->nb_found, 1, __ATOMIC_RELAXED);
		else if (ret == -ENOTCONN)
			__atomic_fetch_add(&a->nb_ended, 1, __ATOMIC_RELAXED);
		else if (ret != -ENOENT)
			a->nb_bad++;
		id = ret == 0 ? id : id % 64 + 1;
	}
	return NULL;
}

static int
asked(struct test_fp *fp, struct asker *a)
{
	struct test_q *consumer;
	struct test_slots to;
	uint32_t i, before;

	TEST_CALL(test_slots_new(&to, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, SLOTS, SIZE));
	for (i = 0; i < 20; i++) {
		TEST_CALL(test_fp_consumer(fp, to.mem, SLOTS, 0, &consumer));
		before = __atomic_load_n(&a->nb_found, __ATOMIC_RELAXED);
		TEST_WAIT(__atomic_load_n(&a->nb_found, __ATOMIC_RELAXED) > before, TEST_MS);
		TEST_EXPECT(test_q_close(consumer), 0);
	}
	TEST_EXPECT(rte_comch_ctx_stop(fp->tx.ep->ctx), -EINPROGRESS);
	TEST_WAIT(__atomic_load_n(&a->nb_ended, __ATOMIC_RELAXED) != 0, TEST_MS);
	return TEST_SUCCESS;
}

static int
test_other_thread(struct test_fp *fp)
{
	struct asker a = { .stop = 0 };
	pthread_t thread;
	int ret;

	a.conn = fp->tx.ep->conn;
	TEST_EXPECT(rte_comch_conn_ref(a.conn), 0);
	TEST_EXPECT(pthread_create(&thread, NULL, asker_main, &a), 0);
	ret = asked(fp, &a);
	__atomic_store_n(&a.stop, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	TEST_EXPECT(rte_comch_conn_unref(a.conn), 0);
	TEST_EXPECT(a.nb_bad, 0);
	return ret;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: the size that a consumer states",
	.unit_test_cases = {
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_conf),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_posts),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_growth),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_packets),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_infos),
		TEST_CASE_FP(test_fp_need, test_fp_cleanup, test_other_thread),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_fp_size_autotest, test_pairs_run, &suite)
