/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the functions of the fast path refuse: bad handles, NULL, wrong states,
 * values out of range, unknown flags; and that they work right after. Regions
 * are in test_comch_mem.c.
 */

#include "test_comch_fp_util.h"

static void
no_post_cb(struct rte_comch_task *task __rte_unused, const struct rte_comch_cpl *cpl __rte_unused,
		void *user_data __rte_unused)
{
}

static void
no_send_cb(struct rte_comch_task *task __rte_unused, int status __rte_unused,
		void *user_data __rte_unused)
{
}

static int
consumer_refused(struct rte_comch_conn *conn, const struct rte_comch_consumer_conf *conf)
{
	struct rte_comch_ctx *ctx = NULL;
	int ret = rte_comch_consumer_create(conn, conf, &ctx);

	if (ctx != NULL)
		rte_comch_ctx_destroy(ctx);
	TEST_TRUE(ctx == NULL);
	TEST_EXPECT(ret, -EINVAL);
	return TEST_SUCCESS;
}

static int
producer_refused(struct rte_comch_conn *conn, const struct rte_comch_producer_conf *conf)
{
	struct rte_comch_ctx *ctx = NULL;
	int ret = rte_comch_producer_create(conn, conf, &ctx);

	if (ctx != NULL)
		rte_comch_ctx_destroy(ctx);
	TEST_TRUE(ctx == NULL);
	TEST_EXPECT(ret, -EINVAL);
	return TEST_SUCCESS;
}

static int
test_consumer_create(struct test_fp *fp)
{
	struct rte_comch_conn *conn = fp->rx.ep->conn;
	struct rte_comch_consumer_conf conf = { .nb_posts = 0 };
	struct rte_comch_dev_info info = test_dev_info(fp->rx.dev);
	struct rte_comch_ctx *ctx = NULL;

	TEST_TRUE(info.max_consumers > 0 && info.max_posts > 0 && info.max_buf_size > 0);
	TEST_EXPECT(rte_comch_consumer_create(NULL, NULL, &ctx), -EINVAL);
	TEST_EXPECT(rte_comch_consumer_create(conn, NULL, NULL), -EINVAL);

	conf.nb_posts = info.max_posts + 1;
	TEST_CALL(consumer_refused(conn, &conf));
	conf.nb_posts = UINT32_MAX;
	TEST_CALL(consumer_refused(conn, &conf));
	conf.nb_posts = 16;
	conf.imm_len = info.max_imm_len + 1;
	TEST_CALL(consumer_refused(conn, &conf));
	conf.imm_len = info.max_imm_len;
	conf.flags = 1;
	TEST_CALL(consumer_refused(conn, &conf));
	conf.flags = RTE_BIT32(31);
	TEST_CALL(consumer_refused(conn, &conf));
	conf.flags = 0;
	conf.nb_tasks = 16; /* without a callback */
	TEST_CALL(consumer_refused(conn, &conf));
	conf.post_cb = no_post_cb;
	conf.nb_tasks = 17; /* more than can be posted */
	TEST_CALL(consumer_refused(conn, &conf));
	conf.nb_posts = 0;
	conf.nb_tasks = info.max_posts + 1;
	TEST_CALL(consumer_refused(conn, &conf));

	conf.nb_tasks = 16;
	conf.nb_posts = 16;
	TEST_EXPECT(rte_comch_consumer_create(conn, &conf, &ctx), 0);
	TEST_EXPECT(test_ctx_info(ctx).type, RTE_COMCH_CTX_CONSUMER);
	TEST_EXPECT(rte_comch_ctx_state_get(ctx), RTE_COMCH_STATE_IDLE);
	TEST_TRUE(test_ctx_info(ctx).conn == conn);
	TEST_TRUE(test_queue_id(ctx) >= 1);
	TEST_EXPECT(rte_comch_ctx_start(ctx), -ENOLINK);
	TEST_EXPECT(rte_comch_ctx_stop(ctx), -EALREADY);
	TEST_EXPECT(test_ctx_info(ctx).nb_tasks, 0);
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	/* all defaults; a value that is no power of two */
	TEST_EXPECT(rte_comch_consumer_create(conn, NULL, &ctx), 0);
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	conf.nb_posts = 0;
	conf.nb_tasks = 3;
	TEST_EXPECT(rte_comch_consumer_create(conn, &conf, &ctx), 0);
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	return TEST_SUCCESS;
}

static int
test_producer_create(struct test_fp *fp)
{
	struct rte_comch_conn *conn = fp->tx.ep->conn;
	struct rte_comch_producer_conf conf = { .nb_sends = 0 };
	struct rte_comch_dev_info info = test_dev_info(fp->tx.dev);
	struct rte_comch_ctx *ctx = NULL;

	TEST_TRUE(info.max_producers > 0 && info.max_sends > 0);
	TEST_EXPECT(rte_comch_producer_create(NULL, NULL, &ctx), -EINVAL);
	TEST_EXPECT(rte_comch_producer_create(conn, NULL, NULL), -EINVAL);

	conf.nb_sends = info.max_sends + 1;
	TEST_CALL(producer_refused(conn, &conf));
	conf.nb_sends = UINT32_MAX;
	TEST_CALL(producer_refused(conn, &conf));
	conf.nb_sends = 16;
	conf.flags = 1;
	TEST_CALL(producer_refused(conn, &conf));
	conf.flags = 0;
	conf.nb_tasks = 16; /* without a callback */
	TEST_CALL(producer_refused(conn, &conf));
	conf.send_cb = no_send_cb;
	conf.nb_tasks = 17;
	TEST_CALL(producer_refused(conn, &conf));
	conf.nb_sends = 0;
	conf.nb_tasks = info.max_sends + 1;
	TEST_CALL(producer_refused(conn, &conf));

	conf.nb_sends = 16;
	conf.nb_tasks = 16;
	TEST_EXPECT(rte_comch_producer_create(conn, &conf, &ctx), 0);
	TEST_EXPECT(test_ctx_info(ctx).type, RTE_COMCH_CTX_PRODUCER);
	TEST_EXPECT(rte_comch_ctx_state_get(ctx), RTE_COMCH_STATE_IDLE);
	TEST_TRUE(test_ctx_info(ctx).conn == conn);
	TEST_TRUE(test_queue_id(ctx) >= 1);
	TEST_EXPECT(rte_comch_ctx_start(ctx), -ENOLINK);
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	TEST_EXPECT(rte_comch_producer_create(conn, NULL, &ctx), 0);
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	return TEST_SUCCESS;
}

/* A connection that has ended takes none; those that it had are told. */
static int
test_connection_over(struct test_fp *fp)
{
	struct rte_comch_ctx *consumer = NULL, *producer = NULL, *none = NULL;
	struct rte_comch_conn *conn;

	conn = fp->rx.ep->conn;
	TEST_EXPECT(rte_comch_consumer_create(conn, NULL, &consumer), 0);
	TEST_EXPECT(rte_comch_producer_create(conn, NULL, &producer), 0);
	TEST_EXPECT(rte_comch_ctx_attach(consumer, fp->rx.q_pe), 0);
	TEST_EXPECT(rte_comch_ctx_attach(producer, fp->rx.q_pe), 0);
	TEST_CALL(test_stop(fp->tx.ep));
	TEST_WAIT(fp->rx.ep->nb_disconnects == 1, TEST_MS);
	/* conn is still a handle as long as these two live */
	TEST_EXPECT(rte_comch_consumer_create(conn, NULL, &none), -ENOTCONN);
	TEST_EXPECT(rte_comch_producer_create(conn, NULL, &none), -ENOTCONN);
	TEST_TRUE(none == NULL);
	TEST_EXPECT(rte_comch_ctx_start(consumer), -ENOTCONN);
	TEST_EXPECT(rte_comch_ctx_start(producer), -ENOTCONN);
	TEST_TRUE(test_ctx_info(consumer).conn == NULL);
	TEST_TRUE(test_ctx_info(producer).conn == NULL);
	TEST_TRUE(test_queue_id(consumer) >= 1);
	TEST_EXPECT(rte_comch_ctx_destroy(consumer), 0);
	TEST_EXPECT(rte_comch_ctx_destroy(producer), 0);
	return TEST_SUCCESS;
}

static int
test_handles(struct test_fp *fp)
{
	struct test_q *consumer, *producer;
	struct rte_comch_queue_stats stats;
	struct rte_comch_room room;
	struct rte_comch_ctx *server;

	server = fp->rx.ep->ctx;
	consumer = test_q_consumer(&fp->rx, NULL);
	producer = test_q_producer(&fp->tx, NULL);

	TEST_EXPECT(rte_comch_queue_room_get(NULL, 1, &room), -EINVAL);
	TEST_EXPECT(rte_comch_queue_room_get(producer->ctx, 1, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_queue_room_get(server, 1, &room), -EINVAL);
	TEST_EXPECT(rte_comch_queue_room_get(producer->ctx, 1, &room), -EBUSY);
	TEST_EXPECT(rte_comch_queue_room_get(consumer->ctx, 0, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_queue_room_get(consumer->ctx, 0, &room), -EBUSY);
	TEST_EXPECT(rte_comch_queue_stats_get(NULL, &stats), -EINVAL);
	TEST_EXPECT(rte_comch_queue_stats_get(consumer->ctx, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_queue_stats_get(server, &stats), -EINVAL);
	memset(&stats, 0xff, sizeof(stats));
	TEST_EXPECT(rte_comch_queue_stats_get(consumer->ctx, &stats), 0);
	TEST_EXPECT(stats.msgs + stats.bytes + stats.bursts + stats.errors, 0);
	memset(&stats, 0xff, sizeof(stats));
	TEST_EXPECT(rte_comch_queue_stats_get(producer->ctx, &stats), 0);
	TEST_EXPECT(stats.msgs + stats.bytes + stats.bursts + stats.errors, 0);

	/* STARTING */
	TEST_EXPECT(rte_comch_ctx_start(consumer->ctx), -EINPROGRESS);
	TEST_EXPECT(rte_comch_ctx_start(consumer->ctx), -EBUSY);
	TEST_EXPECT(rte_comch_ctx_attach(consumer->ctx, fp->rx.pe), -EBUSY);
	TEST_EXPECT(rte_comch_ctx_destroy(consumer->ctx), -EBUSY);
	TEST_EXPECT(rte_comch_queue_room_get(consumer->ctx, 0, &room), -EBUSY);
	TEST_EXPECT(rte_comch_queue_stats_get(consumer->ctx, &stats), 0);
	TEST_WAIT(test_q_state(consumer) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_start(producer->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_start(producer->ctx), -EBUSY);
	TEST_EXPECT(rte_comch_ctx_destroy(producer->ctx), -EBUSY);

	TEST_EXPECT(rte_comch_queue_room_get(consumer->ctx, 0, &room), 0);
	TEST_EXPECT(room.queue, 512);
	TEST_EXPECT(room.credits, 0);
	TEST_EXPECT(room.reason, 0);
	TEST_EXPECT(rte_comch_queue_room_get(producer->ctx, consumer->id, &room), 0);
	TEST_EXPECT(room.queue, 512);
	TEST_EXPECT(room.credits, 0);
	TEST_EXPECT(room.reason, 0);
	TEST_EXPECT(rte_comch_queue_room_get(producer->ctx, 0, &room), -ENOENT);
	TEST_EXPECT(rte_comch_queue_room_get(producer->ctx, consumer->id + 1, &room), -ENOENT);
	TEST_EXPECT(rte_comch_queue_room_get(producer->ctx, UINT32_MAX, &room), -ENOENT);
	TEST_EXPECT(rte_comch_queue_stats_get(consumer->ctx, &stats), 0);
	TEST_EXPECT(stats.msgs + stats.bytes + stats.bursts + stats.errors, 0);
	TEST_EXPECT(rte_comch_queue_stats_get(producer->ctx, &stats), 0);
	TEST_EXPECT(stats.msgs + stats.bytes + stats.bursts + stats.errors, 0);
	return TEST_SUCCESS;
}

/* What connections and devices say about the queues on them. */
static int
test_told(struct test_fp *fp)
{
	struct test_q *consumers[3], *producers[2];
	struct rte_comch_conn_info tx, rx;
	FILE *f = fopen("/dev/null", "w");
	struct test_slots slots;
	uint32_t i;

	TEST_TRUE(f != NULL);
	TEST_CALL(test_slots_new(&slots, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, 1, 64));
	for (i = 0; i < 3; i++)
		TEST_CALL(test_fp_consumer(fp, i != 0 ? slots.mem : NULL, 8, 0, &consumers[i]));
	for (i = 0; i < 2; i++)
		TEST_CALL(test_fp_producer(fp, 8, &producers[i]));
	TEST_EXPECT(rte_comch_conn_info_get(fp->tx.ep->conn, &tx), 0);
	TEST_EXPECT(rte_comch_conn_info_get(fp->rx.ep->conn, &rx), 0);
	TEST_EXPECT(rx.nb_local_consumers, 3);
	TEST_EXPECT(rx.nb_local_producers, 0);
	TEST_EXPECT(rx.nb_remote_consumers, 0);
	TEST_EXPECT(tx.nb_local_consumers, 0);
	TEST_EXPECT(tx.nb_local_producers, 2);
	TEST_EXPECT(tx.nb_remote_consumers, 3);
	TEST_EXPECT(rte_comch_dev_dump(fp->rx.dev, f), 0);
	TEST_EXPECT(rte_comch_dev_dump(fp->tx.dev, f), 0);
	fclose(f);
	TEST_EXPECT(test_q_close(producers[0]), 0);
	TEST_EXPECT(test_q_close(consumers[1]), 0);
	TEST_WAIT(fp->tx.ep->nb_gone == 1, TEST_MS);
	TEST_EXPECT(rte_comch_conn_info_get(fp->tx.ep->conn, &tx), 0);
	TEST_EXPECT(rte_comch_conn_info_get(fp->rx.ep->conn, &rx), 0);
	TEST_EXPECT(rx.nb_local_consumers, 2);
	TEST_EXPECT(tx.nb_local_producers, 1);
	TEST_EXPECT(tx.nb_remote_consumers, 2);
	return TEST_SUCCESS;
}

/* All burst functions; what the context does not have logs and returns 0. */
static int
nothing_works(struct rte_comch_ctx *ctx)
{
	const struct rte_comch_send msg = { .len = 0 };
	const struct rte_comch_post post = { .len = 0 };
	struct rte_mbuf *pkt = NULL;
	struct rte_comch_cpl cpl;

	TEST_EXPECT(rte_comch_consumer_post_burst(ctx, &post, 1), 0);
	TEST_EXPECT(rte_comch_queue_poll_burst(ctx, &cpl, 1), 0);
	TEST_EXPECT(rte_comch_producer_send_burst(ctx, 1, &msg, 1), 0);
	TEST_EXPECT(rte_comch_producer_credits(ctx, 1), 0);
	TEST_EXPECT(rte_comch_producer_tx_burst(ctx, 1, &pkt, 1), 0);
	TEST_EXPECT(rte_comch_consumer_rx_burst(ctx, &pkt, 1), 0);
	return TEST_SUCCESS;
}

static int
test_burst_states(struct test_fp *fp)
{
	const struct rte_comch_send msg = { .len = 0 };
	const struct rte_comch_post post = { .len = 0 };
	struct test_q *consumer, *producer, *local;
	struct rte_mbuf *pkt = NULL;
	struct rte_comch_cpl cpl;

	consumer = test_q_consumer(&fp->rx, NULL);
	producer = test_q_producer(&fp->tx, NULL);
	local = test_q_producer(&fp->rx, NULL);
	TEST_CALL(nothing_works(consumer->ctx));
	TEST_CALL(nothing_works(producer->ctx));
	TEST_CALL(nothing_works(fp->rx.ep->ctx));
	TEST_CALL(nothing_works(fp->tx.ep->ctx));
	TEST_EXPECT(rte_comch_ctx_start(consumer->ctx), -EINPROGRESS);
	TEST_CALL(nothing_works(consumer->ctx));
	TEST_WAIT(test_q_state(consumer) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_start(producer->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_start(local->ctx), 0);

	/* functions of the other kind */
	TEST_EXPECT(rte_comch_producer_send_burst(consumer->ctx, 1, &msg, 1), 0);
	TEST_EXPECT(rte_comch_producer_credits(consumer->ctx, 1), 0);
	TEST_EXPECT(rte_comch_producer_tx_burst(consumer->ctx, 1, &pkt, 1), 0);
	TEST_EXPECT(rte_comch_consumer_post_burst(producer->ctx, &post, 1), 0);
	TEST_EXPECT(rte_comch_consumer_rx_burst(producer->ctx, &pkt, 1), 0);
	TEST_EXPECT(rte_comch_consumer_rx_burst(consumer->ctx, &pkt, 1), 0); /* it has no pool */
	/* nothing to do */
	TEST_EXPECT(rte_comch_queue_poll_burst(consumer->ctx, &cpl, 1), 0);
	TEST_EXPECT(rte_comch_queue_poll_burst(consumer->ctx, &cpl, 0), 0);
	TEST_EXPECT(rte_comch_queue_poll_burst(producer->ctx, &cpl, 1), 0);
	TEST_EXPECT(rte_comch_queue_poll_burst(producer->ctx, &cpl, 0), 0);
	TEST_EXPECT(rte_comch_consumer_post_burst(consumer->ctx, &post, 0), 0);
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, &msg, 0), 0);
	TEST_EXPECT(rte_comch_producer_tx_burst(producer->ctx, consumer->id, &pkt, 0), 0);
	TEST_EXPECT(rte_comch_producer_credits(producer->ctx, consumer->id), 0);
	/* the peer's consumer is no consumer of the peer of its own side */
	TEST_EXPECT(rte_comch_producer_send_burst(local->ctx, consumer->id, &msg, 1), 0);
	TEST_EXPECT(test_reason(local, consumer->id), -ENOENT);
	TEST_EXPECT(rte_comch_producer_credits(local->ctx, consumer->id), 0);
	/* and after all that it works */
	TEST_EXPECT(test_post_empty(consumer, 1, 77), 1);
	TEST_WAIT(rte_comch_producer_credits(producer->ctx, consumer->id) == 1, TEST_MS);
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, &msg, 1), 1);
	TEST_EXPECT(test_poll(consumer, &cpl, 1), 1);
	TEST_EXPECT(cpl.cookie, 77);
	TEST_EXPECT(test_poll(producer, &cpl, 1), 1);

	TEST_CALL(test_stop_now(producer->ctx));
	TEST_CALL(nothing_works(producer->ctx));
	TEST_EXPECT(rte_comch_ctx_stop(consumer->ctx), -EINPROGRESS);
	TEST_EXPECT(rte_comch_consumer_post_burst(consumer->ctx, &post, 1), 0);
	TEST_WAIT(test_q_state(consumer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_CALL(nothing_works(consumer->ctx));
	return TEST_SUCCESS;
}

/* What a send task carries. */
static int
task_get(struct rte_comch_task *task, struct rte_comch_task *post, struct rte_comch_task *ctrl,
		uint32_t id, const struct rte_comch_send *msg)
{
	struct rte_comch_send send = test_task_info(task).send;

	TEST_TRUE(test_task_info(post).send.addr == NULL && test_task_info(post).msg == NULL);
	TEST_TRUE(test_task_info(ctrl).consumer_id == 0 && test_task_info(task).msg == NULL);
	TEST_EXPECT(test_task_info(task).consumer_id, id);
	TEST_TRUE(send.addr == msg->addr && send.len == msg->len && send.imm == msg->imm &&
			send.imm_len == msg->imm_len);
	return TEST_SUCCESS;
}

static int
test_task_handles(void)
{
	const struct rte_comch_consumer_conf consumer_conf = { .nb_tasks = 2, .imm_len = 8 };
	const struct rte_comch_producer_conf producer_conf = { .nb_tasks = 2 };
	struct test_q *consumer, *producer, *bare_consumer, *bare_producer;
	const struct rte_comch_post half_post = { .len = 1 };
	const struct rte_comch_send half = { .len = 1 }, half_imm = { .imm_len = 1 };
	struct rte_comch_task *post_task = NULL, *send_task = NULL, *none = NULL, *ctrl;
	struct rte_comch_post post = { .cookie = 5 };
	const struct rte_comch_send msg = { .len = 0 };
	struct test_fp fp;

	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU));
	consumer = test_q_consumer(&fp.rx, &consumer_conf);
	producer = test_q_producer(&fp.tx, &producer_conf);
	bare_consumer = test_q_consumer(&fp.rx, NULL);
	bare_producer = test_q_producer(&fp.tx, NULL);
	TEST_EXPECT(rte_comch_consumer_task_alloc(consumer->ctx, &post, &none), -EBUSY);
	TEST_EXPECT(rte_comch_producer_task_alloc(producer->ctx, 1, &msg, &none), -EBUSY);
	TEST_CALL(test_q_start(consumer, &fp.tx));
	TEST_CALL(test_q_start(bare_consumer, &fp.tx));
	TEST_EXPECT(rte_comch_ctx_start(producer->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_start(bare_producer->ctx), 0);

	TEST_EXPECT(rte_comch_consumer_task_alloc(NULL, &post, &none), -EINVAL);
	TEST_EXPECT(rte_comch_consumer_task_alloc(consumer->ctx, &post, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_consumer_task_alloc(producer->ctx, &post, &none), -EINVAL);
	TEST_EXPECT(rte_comch_consumer_task_alloc(bare_consumer->ctx, &post, &none), -EINVAL);
	TEST_EXPECT(rte_comch_consumer_task_alloc(fp.rx.ep->ctx, &post, &none), -EINVAL);
	TEST_EXPECT(rte_comch_producer_task_alloc(NULL, 1, &msg, &none), -EINVAL);
	TEST_EXPECT(rte_comch_producer_task_alloc(producer->ctx, 1, NULL, &none), -EINVAL);
	TEST_EXPECT(rte_comch_producer_task_alloc(producer->ctx, 1, &msg, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_producer_task_alloc(producer->ctx, 1, &half, &none), -EINVAL);
	TEST_EXPECT(rte_comch_producer_task_alloc(producer->ctx, 1, &half_imm, &none), -EINVAL);
	TEST_EXPECT(rte_comch_producer_task_alloc(consumer->ctx, 1, &msg, &none), -EINVAL);
	TEST_EXPECT(rte_comch_producer_task_alloc(bare_producer->ctx, 1, &msg, &none), -EINVAL);
	TEST_EXPECT(rte_comch_producer_task_alloc(fp.tx.ep->ctx, 1, &msg, &none), -EINVAL);
	TEST_TRUE(none == NULL);
	TEST_EXPECT(test_ctx_info(consumer->ctx).nb_tasks, 0);
	TEST_EXPECT(test_ctx_info(producer->ctx).nb_tasks, 0);

	TEST_EXPECT(rte_comch_consumer_task_alloc(consumer->ctx, NULL, &post_task), 0);
	TEST_EXPECT(rte_comch_producer_task_alloc(producer->ctx, consumer->id, &msg,
			&send_task), 0);
	TEST_EXPECT(test_ctx_info(consumer->ctx).nb_tasks, 1);
	TEST_EXPECT(test_ctx_info(producer->ctx).nb_tasks, 1);
	TEST_EXPECT(rte_comch_conn_task_alloc(fp.tx.ep->conn, &msg, 8, &ctrl), 0);
	TEST_EXPECT(rte_comch_consumer_task_set(NULL, &post), -EINVAL);
	TEST_EXPECT(rte_comch_consumer_task_set(send_task, &post), -EINVAL);
	TEST_EXPECT(rte_comch_consumer_task_set(ctrl, &post), -EINVAL);
	TEST_EXPECT(rte_comch_producer_task_set(NULL, 1, &msg), -EINVAL);
	TEST_EXPECT(rte_comch_producer_task_set(send_task, 1, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_producer_task_set(send_task, 1, &half), -EINVAL);
	TEST_EXPECT(rte_comch_producer_task_set(send_task, 1, &half_imm), -EINVAL);
	TEST_EXPECT(rte_comch_producer_task_set(post_task, 1, &msg), -EINVAL);
	TEST_EXPECT(rte_comch_producer_task_set(ctrl, 1, &msg), -EINVAL);
	TEST_CALL(task_get(send_task, post_task, ctrl, consumer->id, &msg));
	TEST_TRUE(rte_comch_conn_task_set(send_task, &msg, 8) < 0);
	TEST_TRUE(rte_comch_conn_task_set(post_task, &msg, 8) < 0);
	TEST_EXPECT(rte_comch_task_free(ctrl), 0);
	TEST_TRUE(test_task_info(send_task).conn == fp.tx.ep->conn);
	TEST_TRUE(test_task_info(post_task).conn == fp.rx.ep->conn);
	TEST_TRUE(rte_comch_task_user_data_get(post_task) == NULL);
	TEST_EXPECT(rte_comch_task_user_data_set(post_task, &fp), 0);
	TEST_TRUE(rte_comch_task_user_data_get(post_task) == &fp);

	/* a buffer without a region is refused when it is submitted, at the latest */
	if (rte_comch_consumer_task_set(post_task, &half_post) == 0)
		TEST_TRUE(rte_comch_task_submit(post_task) < 0);
	post.addr = &fp;
	post.len = 8;
	if (rte_comch_consumer_task_set(post_task, &post) == 0)
		TEST_EXPECT(rte_comch_task_submit(post_task), -EFAULT);
	TEST_EXPECT(rte_comch_consumer_task_set(post_task, NULL), 0);
	post = test_task_info(post_task).post;
	TEST_TRUE(post.addr == NULL && post.len == 0);
	TEST_EXPECT(rte_comch_task_submit(post_task), 0);
	TEST_EXPECT(rte_comch_task_submit(post_task), -EALREADY);
	TEST_EXPECT(rte_comch_task_free(post_task), -EBUSY);
	TEST_EXPECT(rte_comch_consumer_task_set(post_task, NULL), -EBUSY);
	TEST_WAIT(rte_comch_task_submit(send_task) == 0, TEST_MS);
	TEST_EXPECT(rte_comch_task_submit(send_task), -EALREADY);
	TEST_EXPECT(rte_comch_task_free(send_task), -EBUSY);
	TEST_EXPECT(rte_comch_producer_task_set(send_task, 1, &msg), -EBUSY);
	TEST_WAIT(consumer->nb_ok == 1 && producer->nb_ok == 1, TEST_MS);
	TEST_EXPECT(test_ctx_info(consumer->ctx).nb_tasks, 0);
	TEST_EXPECT(test_ctx_info(producer->ctx).nb_tasks, 0);
	return TEST_SUCCESS;
}

/* As many as the device says, one more is refused, and no number comes again. */
static int
limit(struct test_fp *fp, bool consumers)
{
	const struct rte_comch_consumer_conf consumer_conf = { .nb_posts = 1 };
	const struct rte_comch_producer_conf producer_conf = { .nb_sends = 1 };
	struct rte_comch_conn *conn = fp->tx.ep->conn;
	struct rte_comch_ctx **ctxs, *more = NULL;
	struct rte_comch_dev_info info = test_dev_info(fp->tx.dev);
	uint32_t max, i, nb, id;
	int ret = 0;

	max = consumers ? info.max_consumers : info.max_producers;
	if (max > 65536)
		return test_skip("%u of one connection are too many to make", max);
	ctxs = calloc(max, sizeof(ctxs[0]));
	TEST_TRUE(ctxs != NULL);
	for (nb = 0; nb < max && ret == 0; nb++) {
		ret = consumers ? rte_comch_consumer_create(conn, &consumer_conf, &ctxs[nb]) :
				rte_comch_producer_create(conn, &producer_conf, &ctxs[nb]);
		if (ret != 0)
			break;
		if (test_queue_id(ctxs[nb]) != nb + 1)
			ret = -EILSEQ;
	}
	if (ret == 0)
		ret = consumers ? rte_comch_consumer_create(conn, &consumer_conf, &more) :
				rte_comch_producer_create(conn, &producer_conf, &more);
	id = 0;
	if (nb == max) { /* one in the middle goes, and another one takes its place */
		rte_comch_ctx_destroy(ctxs[max / 2]);
		ctxs[max / 2] = NULL;
		if (consumers && rte_comch_consumer_create(conn, &consumer_conf,
				&ctxs[max / 2]) == 0)
			id = test_queue_id(ctxs[max / 2]);
		else if (!consumers && rte_comch_producer_create(conn, &producer_conf,
				&ctxs[max / 2]) == 0)
			id = test_queue_id(ctxs[max / 2]);
	}
	for (i = 0; i < max; i++)
		if (ctxs[i] != NULL)
			rte_comch_ctx_destroy(ctxs[i]);
	free(ctxs);
	TEST_EXPECT(nb, max);
	TEST_EXPECT(ret, -ENOSPC);
	TEST_TRUE(more == NULL);
	TEST_TRUE(id > max);
	return TEST_SUCCESS;
}

static int
test_max_producers(struct test_fp *fp)
{
	return limit(fp, false);
}

static int
test_max_consumers(struct test_fp *fp)
{
	return limit(fp, true);
}

static struct unit_test_suite suite = {
	.suite_name = "comch: arguments and states of the fast path",
	.setup = test_quiet,
	.unit_test_cases = {
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_consumer_create),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_producer_create),
		TEST_CASE_FP(test_fp_need, test_fp_cleanup, test_connection_over),
		TEST_CASE_FP(test_fp_need, test_fp_cleanup, test_handles),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_told),
		TEST_CASE_FP(test_fp_need, test_fp_cleanup, test_burst_states),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_task_handles),
		TEST_CASE_FP(test_fp_need, test_fp_cleanup, test_max_producers),
		TEST_CASE_FP(test_fp_need, test_fp_cleanup, test_max_consumers),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_fp_api_autotest, test_pairs_run, &suite)
