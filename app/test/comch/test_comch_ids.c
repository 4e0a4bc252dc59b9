/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Identifiers of consumers and producers: they count from 1 on each connection, and
 * do not come again, so that a message never reaches whom it was not meant for.
 */

#include "comch_id.h"
#include "test_comch_fp_util.h"

/* More than there are numbers of 16 bits. */
#define MANY 65600u

static int
create(struct rte_comch_conn *conn, bool consumer, struct rte_comch_ctx **ctx)
{
	const struct rte_comch_consumer_conf consumer_conf = { .nb_posts = 1 };
	const struct rte_comch_producer_conf producer_conf = { .nb_sends = 1 };

	return consumer ? rte_comch_consumer_create(conn, &consumer_conf, ctx) :
		rte_comch_producer_create(conn, &producer_conf, ctx);
}

/* Create and destroy until so many identifiers were given out; each is a new one. */
static int
ids_use(struct rte_comch_conn *conn, bool consumer, uint32_t nb, uint32_t *last)
{
	struct rte_comch_ctx *ctx;
	uint32_t i, id;

	for (i = 0; i < nb; i++) {
		TEST_EXPECT(create(conn, consumer, &ctx), 0);
		id = test_queue_id(ctx);
		rte_comch_ctx_destroy(ctx);
		TEST_ASSERT(id > *last, "id %u after id %u", id, *last);
		*last = id;
	}
	return TEST_SUCCESS;
}

static int
test_count(struct test_fp *fp)
{
	struct rte_comch_ctx *ctx;
	unsigned int i, kind;
	uint32_t last;

	for (kind = 0; kind < 2; kind++) {
		for (i = 1; i <= 3; i++) {
			TEST_EXPECT(create(fp->tx.ep->conn, kind != 0, &ctx), 0);
			TEST_EXPECT(test_queue_id(ctx), i);
			TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
		}
		last = 3;
		TEST_CALL(ids_use(fp->tx.ep->conn, kind != 0, MANY, &last));
	}
	/* the other side counts for itself, and so does the next connection */
	TEST_EXPECT(create(fp->rx.ep->conn, true, &ctx), 0);
	TEST_EXPECT(test_queue_id(ctx), 1);
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	return TEST_SUCCESS;
}

/* What is sent to a consumer that is gone does not reach the next one. */
static int
test_gone(struct test_fp *fp)
{
	struct test_q *old, *next, *producer;
	struct rte_comch_room room;
	struct rte_comch_cpl cpl;
	unsigned int i;
	uint32_t id;

	TEST_CALL(test_fp_producer(fp, 4, &producer));
	TEST_CALL(test_fp_consumer(fp, NULL, 4, 4, &old));
	for (i = 0; i < 10; i++) {
		id = old->id;
		TEST_EXPECT(test_q_close(old), 0);
		TEST_CALL(test_fp_consumer(fp, NULL, 4, 4, &next));
		TEST_EXPECT(test_post_empty(next, 1, i), 1);
		TEST_WAIT(rte_comch_producer_credits(producer->ctx, next->id) == 1, TEST_MS);
		TEST_EXPECT(test_send_imm(producer, id, &i, sizeof(i), 0), 0);
		TEST_EXPECT(test_reason(producer, next->id), -ENOENT);
		TEST_EXPECT(rte_comch_producer_credits(producer->ctx, id), 0);
		TEST_EXPECT(rte_comch_queue_room_get(producer->ctx, id, &room), -ENOENT);
		TEST_EXPECT(rte_comch_queue_room_get(producer->ctx, 0, &room), -ENOENT);
		TEST_EXPECT(test_drain(next), 0);
		TEST_EXPECT(test_send_imm(producer, next->id, &i, sizeof(i), 0), 1);
		TEST_EXPECT(test_poll(next, &cpl, 1), 1);
		TEST_EXPECT(cpl.cookie, i);
		TEST_EXPECT(test_poll(producer, &cpl, 1), 1);
		old = next;
	}
	return TEST_SUCCESS;
}

static int
send_one(struct test_q *producer, struct test_q *consumer)
{
	struct rte_comch_cpl cpl;

	TEST_EXPECT(test_post_empty(consumer, 1, 77), 1);
	TEST_WAIT(test_send_imm(producer, consumer->id, "abc", 3, 0) == 1, TEST_MS);
	TEST_EXPECT(test_poll(consumer, &cpl, 1), 1);
	TEST_EXPECT(cpl.producer_id, producer->id);
	TEST_EXPECT(cpl.cookie, 77);
	TEST_EXPECT(test_poll(producer, &cpl, 1), 1);
	return TEST_SUCCESS;
}

/*
 * Old ones stay while so many come and go that a driver has used each place of its
 * tables: they keep their identifiers and are not mistaken for the new ones.
 */
static int
test_stay(struct test_fp *fp)
{
	struct test_q *consumers[2], *producers[2];
	uint32_t last, nb, step;
	unsigned int i, j;

	TEST_CALL(test_fp_queues(fp, NULL, 4, 4, &consumers[0], &producers[0]));
	for (step = 61, nb = 0; nb < 1200; nb += step) {
		last = consumers[0]->id;
		TEST_CALL(ids_use(fp->rx.ep->conn, true, step, &last));
		TEST_CALL(test_fp_consumer(fp, NULL, 4, 4, &consumers[1]));
		TEST_TRUE(consumers[1]->id > last);
		last = producers[0]->id;
		TEST_CALL(ids_use(fp->tx.ep->conn, false, step, &last));
		TEST_CALL(test_fp_producer(fp, 4, &producers[1]));
		TEST_TRUE(producers[1]->id > last);
		for (i = 0; i < 2; i++)
			for (j = 0; j < 2; j++)
				TEST_CALL(send_one(producers[i], consumers[j]));
		TEST_EXPECT(test_q_close(consumers[1]), 0);
		TEST_EXPECT(test_q_close(producers[1]), 0);
	}
	TEST_TRUE(last > 1000);
	return TEST_SUCCESS;
}

/* What waits to be polled says who sent it, although that one is gone. */
static int
test_waits(struct test_fp *fp)
{
	struct test_q *consumer, *producer;
	struct rte_comch_cpl cpls[2];
	uint32_t first, second;

	TEST_CALL(test_fp_consumer(fp, NULL, 4, 4, &consumer));
	TEST_EXPECT(test_post_empty(consumer, 2, 0), 2);
	TEST_CALL(test_fp_producer(fp, 4, &producer));
	first = producer->id;
	TEST_WAIT(test_send_imm(producer, consumer->id, "abc", 3, 0) == 1, TEST_MS);
	TEST_EXPECT(test_q_close(producer), 0);
	TEST_CALL(test_fp_producer(fp, 4, &producer));
	second = producer->id;
	TEST_WAIT(test_send_imm(producer, consumer->id, "def", 3, 0) == 1, TEST_MS);
	TEST_EXPECT(test_q_close(producer), 0);
	TEST_EXPECT(test_poll(consumer, cpls, 2), 2);
	TEST_EXPECT(cpls[0].producer_id, first);
	TEST_EXPECT(cpls[1].producer_id, second);
	TEST_TRUE(second > first);
	return TEST_SUCCESS;
}

/* As nobody makes 2^32 consumers: the function that the library has for it. */
static int
test_wrap(void)
{
	uint64_t used[2] = { 0, 0 };

	TEST_EXPECT(comch_id_slots(0), 1);
	TEST_EXPECT(comch_id_slots(1), 1);
	TEST_EXPECT(comch_id_slots(9), 16);
	TEST_EXPECT(comch_id_slots(256), 256);
	TEST_EXPECT(comch_id_words(1), 1);
	TEST_EXPECT(comch_id_words(64), 1);
	TEST_EXPECT(comch_id_words(128), 2);

	TEST_EXPECT(comch_id_next(0, used, 128), 1);
	TEST_EXPECT(comch_id_next(UINT32_MAX - 1, used, 128), UINT32_MAX);
	TEST_EXPECT(comch_id_next(UINT32_MAX, used, 128), 1); /* not 0 */
	TEST_EXPECT(comch_id_next(UINT32_MAX, used, 1), 1);
	/* old ones that are still there */
	used[0] = UINT64_MAX - 1;
	TEST_EXPECT(comch_id_next(UINT32_MAX, used, 128), 64);
	TEST_EXPECT(comch_id_next(63, used, 128), 64);
	used[1] = UINT64_MAX;
	TEST_EXPECT(comch_id_next(0, used, 128), 128);
	TEST_EXPECT(comch_id_next(UINT32_MAX - 127, used, 128), 128);
	used[1] = UINT64_MAX >> 1;
	TEST_EXPECT(comch_id_next(128, used, 128), 255);
	TEST_EXPECT(comch_id_next(UINT32_MAX - 127, used, 128), UINT32_MAX);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: identifiers of consumers and producers",
	.unit_test_cases = {
		TEST_CASE(test_wrap),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_count),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_gone),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_stay),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_waits),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_ids_autotest, test_pairs_run, &suite)
