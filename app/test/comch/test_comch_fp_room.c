/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Credits, room in the queues, and why a burst is taken in part or not at all:
 * every reason of the two functions that tell it, and that nothing has happened
 * of what was refused.
 */

#include "test_comch_fp_util.h"

#define MAX_BURST 64

static struct rte_comch_cpl cpls[MAX_BURST];
static struct rte_comch_send sends[MAX_BURST];

/* What a producer can send is seen without any progress, on either side. */
static int
test_credits(struct test_fp *fp)
{
	struct test_q *consumer, *producer;
	struct rte_comch_room room;
	unsigned int i, j;

	TEST_CALL(test_fp_consumer(fp, NULL, 8, 8, &consumer));
	TEST_CALL(test_fp_producer(fp, 16, &producer));
	for (i = 0; i < 100; i++) {
		TEST_EXPECT(rte_comch_producer_credits(producer->ctx, consumer->id), 0);
		TEST_EXPECT(test_send_imm(producer, consumer->id, &i, 4, 0), 0);
		TEST_EXPECT(test_reason(producer, consumer->id), -EAGAIN);
		for (j = 1; j <= 8; j++) {
			TEST_EXPECT(test_post_empty(consumer, 1, j), 1);
			TEST_CALL(test_fp_wait_credits(producer, consumer, j));
		}
		TEST_EXPECT(test_post_empty(consumer, 1, j), 0);
		TEST_EXPECT(test_reason(consumer, 0), -ENOBUFS);
		TEST_EXPECT(rte_comch_queue_room_get(consumer->ctx, 0, &room), 0);
		TEST_EXPECT(room.queue, 0);
		TEST_EXPECT(room.credits, 8);
		for (j = 1; j <= 8; j++) {
			TEST_EXPECT(test_send_imm(producer, consumer->id, &j, 4, j), 1);
			TEST_EXPECT(rte_comch_queue_room_get(producer->ctx, consumer->id, &room),
					0);
			TEST_EXPECT(room.credits, 8 - j);
			TEST_EXPECT(room.queue, 16 - j);
			TEST_EXPECT(room.reason, 0);
		}
		/* sent is used: to be polled before it can be posted again */
		TEST_EXPECT(test_post_empty(consumer, 1, 1), 0);
		TEST_EXPECT(test_poll(consumer, cpls, 3), 3);
		TEST_EXPECT(rte_comch_queue_room_get(consumer->ctx, 0, &room), 0);
		TEST_EXPECT(room.queue, 3);
		TEST_EXPECT(rte_comch_producer_credits(producer->ctx, consumer->id), 0);
		TEST_EXPECT(test_poll(consumer, &cpls[3], 5), 5);
		for (j = 0; j < 8; j++)
			TEST_EXPECT(cpls[j].cookie, j + 1);
		TEST_EXPECT(test_poll(producer, cpls, 5), 5);
		TEST_EXPECT(rte_comch_queue_room_get(producer->ctx, consumer->id, &room), 0);
		TEST_EXPECT(room.queue, 13);
		TEST_EXPECT(rte_comch_queue_poll_burst(producer->ctx, &cpls[5], 5), 3);
		for (j = 0; j < 8; j++)
			TEST_EXPECT(cpls[j].cookie, j + 1);
	}
	return TEST_SUCCESS;
}

/* Numbers that are no powers of two are rounded up; one is one. */
static int
test_rounding(struct test_fp *fp)
{
	static const uint32_t sizes_of[][2] = {
		{ 1, 1 }, { 2, 2 }, { 3, 4 }, { 5, 8 }, { 100, 128 }, { 0, 512 },
	};
	struct test_q *consumer, *producer;
	struct rte_comch_room room;
	unsigned int i;

	for (i = 0; i < RTE_DIM(sizes_of); i++) {
		TEST_CALL(test_fp_queues(fp, NULL, sizes_of[i][0], 0, &consumer, &producer));
		TEST_EXPECT(rte_comch_queue_room_get(consumer->ctx, 0, &room), 0);
		TEST_EXPECT(room.queue, sizes_of[i][1]);
		TEST_EXPECT(rte_comch_queue_room_get(producer->ctx, consumer->id, &room), 0);
		TEST_EXPECT(room.queue, sizes_of[i][1]);
		TEST_EXPECT(test_post_empty(consumer, 1000, 0), sizes_of[i][1]);
		TEST_EXPECT(test_q_close(consumer), 0);
		TEST_EXPECT(test_q_close(producer), 0);
	}
	return TEST_SUCCESS;
}

/* Nothing of what was refused has happened. */
static int
refused(struct test_q *consumer, struct test_q *producer, const struct rte_comch_send *msg,
		int reason)
{
	uint32_t before = rte_comch_producer_credits(producer->ctx, consumer->id);
	struct rte_comch_room room, after;

	TEST_EXPECT(rte_comch_queue_room_get(producer->ctx, consumer->id, &room), 0);
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, msg, 1), 0);
	TEST_EXPECT(rte_comch_queue_room_get(producer->ctx, consumer->id, &after), 0);
	TEST_EXPECT(after.reason, reason);
	TEST_EXPECT(after.queue, room.queue);
	TEST_EXPECT(after.credits, room.credits);
	TEST_EXPECT(rte_comch_producer_credits(producer->ctx, consumer->id), before);
	TEST_EXPECT(test_drain(consumer), 0);
	TEST_EXPECT(test_drain(producer), 0);
	return TEST_SUCCESS;
}

static int
test_send_reasons(struct test_fp *fp)
{
	struct test_q *consumer, *producer;
	struct test_slots from, to;
	struct rte_comch_send good, bad;
	struct rte_comch_mem *other;
	struct rte_comch_mem_info info;
	uint8_t *base;

	TEST_CALL(test_slots_new(&to, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, 4, 64));
	TEST_CALL(test_slots_new(&from, fp->tx.dev, 0, 4, 128));
	other = test_mem_alloc(fp->tx.dev, 64, 0);
	TEST_CALL(test_fp_queues(fp, to.mem, 4, 8, &consumer, &producer));
	test_fill(test_slot(&from, 0), 64, 1);
	good = (struct rte_comch_send) {
		.addr = test_slot(&from, 0),
		.len = 64,
		.mem = from.mem,
		.imm = "12345678",
		.imm_len = 8,
	};
	TEST_CALL(refused(consumer, producer, &good, -EAGAIN));
	TEST_CALL(test_fp_offer(consumer, producer, &to, 0, 4, 0));

	bad = good;
	bad.len = 65;
	TEST_CALL(refused(consumer, producer, &bad, -EMSGSIZE));
	bad.len = 128;
	TEST_CALL(refused(consumer, producer, &bad, -EMSGSIZE));
	bad = good;
	bad.imm_len = 9;
	TEST_CALL(refused(consumer, producer, &bad, -E2BIG));
	bad.imm_len = UINT32_MAX;
	TEST_CALL(refused(consumer, producer, &bad, -E2BIG));
	bad = good;
	bad.mem = NULL;
	TEST_CALL(refused(consumer, producer, &bad, -EFAULT));
	bad.mem = other;
	TEST_CALL(refused(consumer, producer, &bad, -EFAULT));
	bad = good;
	TEST_EXPECT(rte_comch_mem_info_get(from.mem, &info), 0);
	base = info.addr;
	bad.addr = base - 1;
	TEST_CALL(refused(consumer, producer, &bad, -EFAULT));
	bad.addr = base + info.len - 63;
	TEST_CALL(refused(consumer, producer, &bad, -EFAULT));
	bad.addr = (const void *)(uintptr_t)(UINTPTR_MAX - 8);
	TEST_CALL(refused(consumer, producer, &bad, -EFAULT));
	bad.addr = (const void *)(uintptr_t)1;
	TEST_CALL(refused(consumer, producer, &bad, -EFAULT));
	bad.addr = NULL;
	TEST_CALL(refused(consumer, producer, &bad, -EINVAL));
	bad = good;
	bad.imm = NULL;
	TEST_CALL(refused(consumer, producer, &bad, -EINVAL));
	bad = good;
	bad.flags = RTE_BIT32(1);
	TEST_CALL(refused(consumer, producer, &bad, -EINVAL));
	bad.flags = RTE_BIT32(31) | RTE_COMCH_SEND_F_NO_CPL;
	TEST_CALL(refused(consumer, producer, &bad, -EINVAL));
	/* a length that runs over in any sum */
	bad = good;
	bad.len = UINT64_MAX - 4;
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, &bad, 1), 0);
	TEST_TRUE(test_reason(producer, consumer->id) == -EMSGSIZE ||
			test_reason(producer, consumer->id) == -EFAULT);
	/* no such consumer */
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, 0, &good, 1), 0);
	TEST_EXPECT(test_reason(producer, consumer->id), -ENOENT);
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id + 1, &good, 1), 0);
	TEST_EXPECT(test_reason(producer, consumer->id), -ENOENT);
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, UINT32_MAX, &good, 1), 0);
	TEST_EXPECT(test_reason(producer, consumer->id), -ENOENT);
	TEST_EXPECT(rte_comch_producer_credits(producer->ctx, UINT32_MAX), 0);
	TEST_EXPECT(rte_comch_producer_credits(producer->ctx, 0), 0);

	/* the last byte of the region is good, and so is all after all that */
	test_fill(base + info.len - 64, 64, 1);
	good.addr = base + info.len - 64;
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, &good, 1), 1);
	TEST_EXPECT(test_reason(producer, consumer->id), 0);
	TEST_EXPECT(test_poll(consumer, cpls, 1), 1);
	TEST_TRUE(test_slot_check(&to, 0, 64, 1));
	TEST_TRUE(test_slot_check(&to, 1, 0, 1) && test_slot_check(&to, 2, 0, 1) &&
			test_slot_check(&to, 3, 0, 1));

	/* the queue of the producer is full, and then there is a place again */
	good.addr = test_slot(&from, 0);
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, &good, 1), 1);
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, &good, 1), 1);
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, &good, 1), 1);
	TEST_EXPECT(test_poll(consumer, cpls, 3), 3);
	TEST_CALL(test_fp_offer(consumer, producer, &to, 0, 4, 0));
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, &good, 1), 0);
	TEST_EXPECT(test_reason(producer, consumer->id), -ENOBUFS);
	TEST_EXPECT(test_poll(producer, cpls, 1), 1);
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, &good, 1), 1);
	return TEST_SUCCESS;
}

static int
bad_post(struct test_q *consumer, struct test_q *producer, void *addr, uint64_t len, int reason)
{
	const struct rte_comch_post post = { .addr = addr, .len = len };

	TEST_EXPECT(rte_comch_consumer_post_burst(consumer->ctx, &post, 1), 0);
	TEST_EXPECT(test_reason(consumer, 0), reason);
	TEST_EXPECT(rte_comch_producer_credits(producer->ctx, consumer->id), 0);
	return TEST_SUCCESS;
}

static int
test_post_reasons(struct test_fp *fp)
{
	struct test_q *consumer, *producer, *bare;
	struct rte_comch_mem_info info;
	struct rte_comch_dev_info dev;
	struct rte_comch_post posts[4];
	struct test_slots to, other;
	unsigned int i;
	uint8_t *base;
	int ret;

	TEST_CALL(test_slots_new(&to, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, 8, 64));
	TEST_CALL(test_slots_new(&other, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, 1, 64));
	TEST_CALL(test_fp_consumer(fp, to.mem, 8, 0, &consumer));
	TEST_CALL(test_fp_queues(fp, NULL, 8, 0, &bare, &producer));
	TEST_EXPECT(rte_comch_mem_info_get(to.mem, &info), 0);
	TEST_EXPECT(rte_comch_dev_info_get(fp->rx.dev, &dev), 0);
	base = info.addr;
	TEST_CALL(bad_post(consumer, producer, test_slot(&other, 0), 64, -EFAULT));
	TEST_CALL(bad_post(consumer, producer, base - 1, 2, -EFAULT));
	TEST_CALL(bad_post(consumer, producer, base + info.len - 1, 2, -EFAULT));
	TEST_CALL(bad_post(consumer, producer, base + info.len, 1, -EFAULT));
	TEST_CALL(bad_post(consumer, producer, (void *)(uintptr_t)(UINTPTR_MAX - 3), 8, -EFAULT));
	TEST_CALL(bad_post(consumer, producer, base, 0, -EINVAL));
	TEST_CALL(bad_post(consumer, producer, NULL, 1, -EINVAL));
	for (i = 0; i < 2; i++) {
		posts[0] = (struct rte_comch_post) {
			.addr = base,
			.len = i == 0 ? UINT64_MAX : dev.max_buf_size + 1,
		};
		TEST_EXPECT(rte_comch_consumer_post_burst(consumer->ctx, posts, 1), 0);
		ret = test_reason(consumer, 0); /* it is outside of the region too */
		TEST_TRUE(ret == -EMSGSIZE || ret == -EFAULT);
	}
	TEST_CALL(bad_post(bare, producer, base, 8, -EFAULT));

	/* one in the middle: those before it are posted, those behind it can be */
	memset(posts, 0, sizeof(posts));
	posts[0] = (struct rte_comch_post) { .addr = base, .len = 64, .cookie = 10 };
	posts[1] = (struct rte_comch_post) { .cookie = 11 };
	posts[2] = (struct rte_comch_post) { .addr = base + info.len, .len = 1 };
	posts[3] = (struct rte_comch_post) { .addr = base + info.len - 1, .len = 1, .cookie = 12 };
	TEST_EXPECT(rte_comch_consumer_post_burst(consumer->ctx, posts, 4), 2);
	TEST_EXPECT(test_reason(consumer, 0), -EFAULT);
	TEST_EXPECT(rte_comch_consumer_post_burst(consumer->ctx, &posts[3], 1), 1);
	TEST_EXPECT(test_reason(consumer, 0), 0);
	TEST_WAIT(rte_comch_producer_credits(producer->ctx, consumer->id) == 3, TEST_MS);
	/* a buffer of nothing takes nothing; the oldest is what counts */
	TEST_CALL(test_slots_new(&other, fp->tx.dev, 0, 1, 64));
	TEST_EXPECT(test_send_slot(producer, consumer->id, &other, 0, 64, 0), 1);
	TEST_EXPECT(test_send_slot(producer, consumer->id, &other, 0, 1, 0), 0);
	TEST_EXPECT(test_reason(producer, consumer->id), -EMSGSIZE);
	TEST_EXPECT(test_send_imm(producer, consumer->id, NULL, 0, 0), 1);
	TEST_EXPECT(test_send_slot(producer, consumer->id, &other, 0, 2, 0), 0);
	TEST_EXPECT(test_reason(producer, consumer->id), -EMSGSIZE);
	TEST_EXPECT(test_send_slot(producer, consumer->id, &other, 0, 1, 0), 1);
	TEST_EXPECT(test_poll(consumer, cpls, 3), 3);
	TEST_EXPECT(cpls[0].cookie, 10);
	TEST_EXPECT(cpls[1].cookie, 11);
	TEST_EXPECT(cpls[2].cookie, 12);
	TEST_EXPECT(base[info.len - 1], TEST_GUARD_BYTE);
	return TEST_SUCCESS;
}

/* One that cannot be sent ends the burst where it is; those behind it can be sent. */
static int
test_middle(struct test_fp *fp)
{
	struct test_q *consumer, *producer;
	struct test_slots from, to;
	struct rte_comch_post post;
	uint32_t i, at, taken;

	TEST_CALL(test_slots_new(&to, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, 32, 64));
	TEST_CALL(test_slots_new(&from, fp->tx.dev, 0, 32, 64));
	TEST_CALL(test_fp_queues(fp, to.mem, 32, 0, &consumer, &producer));
	for (at = 0; at < 32; at++) {
		for (i = 0; i < 32; i++) {
			test_slot_clear(&to, i);
			test_fill(test_slot(&from, i), 64, i + at);
			sends[i] = (struct rte_comch_send) {
				.addr = test_slot(&from, i),
				.len = i == at ? 65 : 64,
				.mem = from.mem,
				.cookie = i,
			};
		}
		TEST_CALL(test_fp_offer(consumer, producer, &to, 0, 32, 0));
		taken = rte_comch_producer_send_burst(producer->ctx, consumer->id, sends, 32);
		TEST_EXPECT(taken, at);
		TEST_EXPECT(test_reason(producer, consumer->id), -EMSGSIZE);
		taken += rte_comch_producer_send_burst(producer->ctx, consumer->id, &sends[at + 1],
				(uint16_t)(31 - at));
		TEST_EXPECT(taken, 31);
		TEST_EXPECT(test_reason(producer, consumer->id), 0);
		TEST_EXPECT(test_poll(consumer, cpls, 31), 31);
		for (i = 0; i < 31; i++) {
			TEST_EXPECT(cpls[i].cookie, i);
			TEST_TRUE(test_slot_check(&to, i, 64, i + at + (i >= at)));
		}
		TEST_TRUE(test_slot_check(&to, 31, 0, 0));
		TEST_EXPECT(test_poll(producer, cpls, 31), 31);
		for (i = 0; i < 31; i++)
			TEST_EXPECT(cpls[i].cookie, i + (i >= at));
		/* use up the last */
		TEST_EXPECT(test_send_imm(producer, consumer->id, NULL, 0, 0), 1);
		TEST_EXPECT(test_poll(consumer, cpls, 1), 1);
		TEST_EXPECT(test_poll(producer, cpls, 1), 1);
	}

	/* what does not fit the oldest post stops it, however large the next one is */
	TEST_CALL(test_fp_offer(consumer, producer, &to, 0, 2, 0));
	post = (struct rte_comch_post) { .addr = test_slot(&to, 2), .len = 8, .cookie = 2 };
	TEST_EXPECT(rte_comch_consumer_post_burst(consumer->ctx, &post, 1), 1);
	TEST_CALL(test_fp_offer(consumer, producer, &to, 3, 2, 0));
	for (i = 0; i < 5; i++)
		sends[i].len = 64;
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, sends, 5), 2);
	TEST_EXPECT(test_reason(producer, consumer->id), -EMSGSIZE);
	sends[2].len = 9;
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, &sends[2], 3), 0);
	TEST_EXPECT(test_reason(producer, consumer->id), -EMSGSIZE);
	sends[2].len = 8;
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, &sends[2], 3), 3);
	TEST_EXPECT(test_poll(consumer, cpls, 5), 5);
	for (i = 0; i < 5; i++) {
		TEST_EXPECT(cpls[i].cookie, i);
		TEST_EXPECT(cpls[i].len, i == 2 ? 8 : 64);
	}
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: room and reasons of the fast path",
	.setup = test_quiet,
	.unit_test_cases = {
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_credits),
		TEST_CASE_FP(test_fp_need, test_fp_cleanup, test_rounding),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_send_reasons),
		TEST_CASE_FP_BOTH(test_post_sizes_need, test_fp_cleanup, test_post_reasons),
		TEST_CASE_FP_BOTH(test_post_sizes_need, test_fp_cleanup, test_middle),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_fp_room_autotest, test_pairs_run, &suite)
