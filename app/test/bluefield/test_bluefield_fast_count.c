/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What devtools/count-instructions.py runs under callgrind for the bluefield driver: its
 * own functions of the fast path, with credits, books and statistics, on a producer and a
 * consumer that are made here, in plain memory. No connection is under them: the device is
 * test_bluefield_wq_dev.c, which carries messages and is not counted, and the peer has told
 * of more posts than are ever used, so messages of credits are not in the numbers. It is
 * there if COMCH_TEST_FAST_COUNT is set, to a number of messages; no test.
 */

#include "bluefield_fast.h"
#include "test_bluefield_wq_dev.h"

#define CONSUMER_ID 1
#define POSTS_AHEAD 64
#define COUNT_MAX_BURST 32
#define COUNT_LEN 64
#define COUNT_BUF_SIZE 2048

/* What messages of a run look like. */
struct count_shape {
	unsigned int burst;
	uint32_t imm_len; /* of messages, and of the consumer */
	uint32_t len;
};

/* What a card has carried. */
struct count_carried {
	uint64_t wqe_bytes;
	uint64_t nb_cqes; /* of the sender */
};

static struct wq_dev tx, rx;
static struct bf_fast fast;
static struct bf_rc rc;
static struct bf_pair pair;
static struct bf_producer producer;
static struct bf_consumer consumer;
static struct rte_comch_queue tx_queue, rx_queue;
static struct rte_comch_mem mem;
static struct bf_region region;
static uint8_t count_data[COUNT_MAX_BURST * COUNT_BUF_SIZE];
static struct bf_sent sent_ring[WQ_MAX_SQ_BLOCKS];
static struct bf_sent_upto upto[WQ_MAX_SQ_BLOCKS];
static uint64_t cookies[WQ_MAX_ENTRIES];
static uint8_t slots[WQ_MAX_ENTRIES * RTE_COMCH_CPL_IMM_SIZE];
static struct rte_comch_fp_object tx_fns, rx_fns;

/* The word in the assembly keeps the compiler from folding functions that are alike. */
#define COUNT_APART(name) asm volatile("# " #name : : : "memory")

#define COUNT_OPS(kind, nb_burst, imm_bytes, data_bytes) \
static __rte_noinline uint16_t \
count_drv_nothing_##kind(const void *array, uint16_t nb) \
{ \
	RTE_SET_USED(array); \
	COUNT_APART(nothing_##kind); \
	return nb; \
} \
static __rte_noinline uint16_t \
count_drv_post_##kind(const struct rte_comch_post *posts, uint16_t nb) \
{ \
	nb = rx_fns.post(&consumer, posts, nb); \
	COUNT_APART(post_##kind); \
	return nb; \
} \
static __rte_noinline uint16_t \
count_drv_send_##kind(const struct rte_comch_send *msgs, uint16_t nb) \
{ \
	nb = tx_fns.send(&producer, CONSUMER_ID, msgs, nb); \
	COUNT_APART(send_##kind); \
	return nb; \
} \
static __rte_noinline uint16_t \
count_drv_receive_##kind(struct rte_comch_cpl *cpls, uint16_t nb) \
{ \
	nb = rx_fns.poll(&consumer, cpls, nb); \
	COUNT_APART(receive_##kind); \
	return nb; \
} \
static __rte_noinline uint16_t \
count_drv_sent_##kind(struct rte_comch_cpl *cpls, uint16_t nb) \
{ \
	nb = tx_fns.poll(&producer, cpls, nb); \
	COUNT_APART(sent_##kind); \
	return nb; \
} \
static const struct drv_ops count_drv_##kind = { \
	count_drv_nothing_##kind, count_drv_post_##kind, count_drv_send_##kind, \
	count_drv_receive_##kind, count_drv_sent_##kind, \
	{ .burst = nb_burst, .imm_len = imm_bytes, .len = data_bytes }, \
}

struct drv_ops {
	uint16_t (*nothing)(const void *array, uint16_t nb);
	uint16_t (*post)(const struct rte_comch_post *posts, uint16_t nb);
	uint16_t (*send)(const struct rte_comch_send *msgs, uint16_t nb);
	uint16_t (*receive)(struct rte_comch_cpl *cpls, uint16_t nb);
	uint16_t (*sent)(struct rte_comch_cpl *cpls, uint16_t nb);
	struct count_shape shape;
};

COUNT_OPS(buf_1, 1, 0, COUNT_LEN);
COUNT_OPS(buf_32, 32, 0, COUNT_LEN);
COUNT_OPS(imm_1, 1, 32, 0);
COUNT_OPS(imm_32, 32, 32, 0);
COUNT_OPS(both_1, 1, 32, COUNT_LEN);
COUNT_OPS(both_32, 32, 32, COUNT_LEN);

/* Nothing comes there. */
static struct bf_cqe back[BF_PAIR_CREDITS];

static int
open_producer(const struct count_shape *shape)
{
	memset(&producer, 0, sizeof(producer));
	memset(&pair, 0, sizeof(pair));
	memset(&rc, 0, sizeof(rc));
	memset(&fast, 0, sizeof(fast));
	TEST_EXPECT(bf_sendq_init(&pair.sq, &tx.qp, &tx.uar), 0);
	TEST_EXPECT(bf_compq_init(&producer.cq, &tx.cq, &tx.uar), 0);
	bf_send_form_init(&pair.form, &pair.sq, shape->imm_len);
	memset(back, BF_CQE_OP_OWN_INIT, sizeof(back));
	pair.back = (struct bf_compq){
		.ring = back, .mask = RTE_DIM(back) - 1, .nb_cqes = RTE_DIM(back),
	};
	bf_pair_mind_set(&pair);
	rc.id = pair.key = CONSUMER_ID;
	rc.imm_len = shape->imm_len;
	rc.buf_size = shape->len != 0 ? COUNT_BUF_SIZE : 0;
	rc.credits.size = rc.credits.tail = INT32_MAX;
	pair.rc = &rc;
	pair.state = BF_PAIR_READY;
	pair.upto = upto;
	pair.fast = &fast;
	pair.producer = &producer;
	pair.nb_blocks = tx.qp.nb_sq_blocks;
	producer.to[CONSUMER_ID] = producer.pairs[0] = &pair;
	producer.sent = sent_ring;
	producer.mask = RTE_DIM(sent_ring) - 1;
	producer.size = 64;
	producer.fast = &fast;
	producer.queue = &tx_queue;
	producer.nb_pairs = 1;
	bf_producer_fns(&producer, &tx_fns);
	return TEST_SUCCESS;
}

static int
open_consumer(const struct count_shape *shape)
{
	memset(&consumer, 0, sizeof(consumer));
	TEST_EXPECT(bf_sharedq_init(&consumer.rq, &rx.srq), 0);
	TEST_EXPECT(bf_compq_init(&consumer.cq, &rx.cq, &rx.uar), 0);
	bf_sharedq_fill(&consumer.rq, slots, RTE_COMCH_CPL_IMM_SIZE, shape->imm_len, 3);
	consumer.cookies = cookies;
	consumer.imm = slots;
	consumer.imm_len = shape->imm_len;
	consumer.key_len = bf_key_len(BF_WQE_LKEY_NONE, 0);
	if (shape->len != 0) {
		consumer.buf_size = COUNT_BUF_SIZE;
		consumer.key_len = bf_key_len(region.lkey, COUNT_BUF_SIZE);
		consumer.mem = &mem;
		consumer.base = mem.addr;
		consumer.region_size = mem.len;
		consumer.last_off = mem.len - COUNT_BUF_SIZE;
	}
	consumer.size = WQ_MAX_ENTRIES - 1;
	consumer.from[0].id = CONSUMER_ID;
	consumer.fast = &fast;
	consumer.queue = &rx_queue;
	bf_consumer_fns(&consumer, &rx_fns);
	return TEST_SUCCESS;
}

/* What the two cards do with one burst: fetch, deliver, complete. */
static int
count_carry(const struct count_shape *shape, struct wq_dev *from, struct wq_dev *to,
	struct count_carried *carried)
{
	struct wq_req req, post;
	uint8_t *cqe;
	uint32_t i;

	for (i = 0; i < shape->burst; i++) {
		TEST_CALL(wq_dev_send(from, false, &req));
		TEST_CALL(wq_dev_take(to, &post));
		TEST_EXPECT(req.inl_len, shape->imm_len);
		TEST_EXPECT(req.nb_sges, shape->len != 0);
		carried->wqe_bytes += 16 + (shape->imm_len != 0 ? 48 : 0) +
			(shape->len != 0 ? 16 : 0);
		cqe = wq_dev_cqe(to);
		cqe[39] = shape->imm_len;
		wq_dev_finish(to, cqe, BF_CQE_RESP_SEND_IMM, post.index,
			shape->imm_len + shape->len);
		if ((req.flags & BF_WQE_F_CQE) == 0)
			continue;
		wq_dev_complete(from, BF_CQE_REQ, req.index, 0);
		carried->nb_cqes++;
	}
	return TEST_SUCCESS;
}

/* Posts and messages of one burst. */
static void
count_fill(const struct count_shape *shape, struct rte_comch_post *posts,
	struct rte_comch_send *sends)
{
	uint32_t i;

	memset(posts, 0, shape->burst * sizeof(*posts));
	memset(sends, 0, shape->burst * sizeof(*sends));
	for (i = 0; i < shape->burst; i++) {
		posts[i].cookie = sends[i].cookie = i + 1;
		if (shape->imm_len != 0) {
			sends[i].imm = count_data;
			sends[i].imm_len = shape->imm_len;
		}
		if (shape->len == 0)
			continue;
		posts[i].addr = count_data + (size_t)i * COUNT_BUF_SIZE;
		posts[i].len = COUNT_BUF_SIZE;
		sends[i].addr = posts[i].addr;
		sends[i].len = shape->len;
		sends[i].mem = &mem;
	}
}

/* Read by name only, and not known to the compiler. */
static const struct drv_ops * volatile drv_ops;

static int
drv_run(const struct drv_ops *ops, unsigned int nb_msgs)
{
	static struct rte_comch_cpl cpls[COUNT_MAX_BURST];
	struct rte_comch_post posts[COUNT_MAX_BURST];
	struct rte_comch_send sends[COUNT_MAX_BURST];
	struct count_carried carried = { 0 };
	uint16_t nb = ops->shape.burst;
	uint32_t i, n;

	wq_dev_init(&tx, 128, 4, 16, 64);
	wq_dev_init(&rx, 1, 4, 16, 256);
	wq_dev_init_srq(&rx, WQ_MAX_ENTRIES, bf_post_wqe_size(ops->shape.imm_len));
	region = (struct bf_region){ .nb = 1, .lkey = 7 };
	mem = (struct rte_comch_mem){
		.priv = &region, .addr = count_data, .len = sizeof(count_data),
	};
	TEST_CALL(open_producer(&ops->shape));
	TEST_CALL(open_consumer(&ops->shape));
	count_fill(&ops->shape, posts, sends);
	drv_ops = ops;
	for (n = 0; n < POSTS_AHEAD; n += nb)
		TEST_EXPECT(rx_fns.post(&consumer, posts, nb), nb);
	for (n = 0; n < nb_msgs; n += nb) {
		TEST_EXPECT(drv_ops->nothing(posts, nb), nb);
		TEST_EXPECT(drv_ops->post(posts, nb), nb);
		TEST_EXPECT(drv_ops->send(sends, nb), nb);
		TEST_CALL(count_carry(&ops->shape, &tx, &rx, &carried));
		TEST_EXPECT(drv_ops->receive(cpls, nb), nb);
		for (i = 0; i < nb; i++)
			TEST_TRUE(cpls[i].cookie == i + 1 && cpls[i].len == ops->shape.len &&
				cpls[i].imm_len == ops->shape.imm_len &&
				cpls[i].producer_id == CONSUMER_ID);
		TEST_EXPECT(drv_ops->sent(cpls, nb), nb);
		for (i = 0; i < nb; i++)
			TEST_TRUE(cpls[i].cookie == i + 1 && cpls[i].status == 0);
	}
	/* what bounds a card; the script reads this line */
	printf("per message, burst %u: %u B immediate, %u B data: %.3f doorbells, %.0f B request, %.0f B post, %.0f B completions\n",
		nb, ops->shape.imm_len, ops->shape.len,
		(double)(tx.nb_doorbells + rx.nb_doorbells) / n, (double)carried.wqe_bytes / n,
		(double)rx.srq.wqe_size, 64 + 64.0 * carried.nb_cqes / n);
	bf_sendq_fini(&pair.sq);
	bf_sharedq_fini(&consumer.rq);
	TEST_CALL(wq_dev_passed(&tx));
	return wq_dev_passed(&rx);
}

static int
count_main(struct unit_test_suite *suite __rte_unused)
{
	unsigned int nb_msgs;

	if (sscanf(getenv("COMCH_TEST_FAST_COUNT"), "%u", &nb_msgs) != 1 || nb_msgs % 32 != 0) {
		printf("COMCH_TEST_FAST_COUNT is no multiple of 32\n");
		return TEST_FAILED;
	}
	TEST_CALL(drv_run(&count_drv_buf_1, nb_msgs));
	TEST_CALL(drv_run(&count_drv_buf_32, nb_msgs));
	TEST_CALL(drv_run(&count_drv_imm_1, nb_msgs));
	TEST_CALL(drv_run(&count_drv_imm_32, nb_msgs));
	TEST_CALL(drv_run(&count_drv_both_1, nb_msgs));
	return drv_run(&count_drv_both_32, nb_msgs);
}

REGISTER_COUNT_TEST(bluefield_fast_count, "COMCH_TEST_FAST_COUNT", count_main)
