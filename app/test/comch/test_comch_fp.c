/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Bursts between one producer and one consumer: sizes, lengths of bursts,
 * immediate data, both directions, counters, and rings that wrap. Why a burst is
 * short is in test_comch_fp_room.c, several producers and consumers are in
 * test_comch_fp_many.c, and their ends in test_comch_fp_stop.c.
 */

#include "test_comch_fp_util.h"
#include "test_comch_place.h"

#define MB (1024 * 1024)

/* Bytes that one round of the matrix moves at most, if it has several buffers. */
#define ROUND_BYTES (192 * 1024)

#define MAX_BURST 1024

/* What the tests of bursts share: they are too large for the stack. */
static struct rte_comch_cpl cpls[MAX_BURST];
static struct rte_comch_send sends[MAX_BURST];

/* Completions of a whole burst at the producer: in order, once, no sender. */
static int
check_sent(struct test_q *producer, uint32_t nb, uint64_t cookie, uint64_t len)
{
	uint32_t i;

	TEST_EXPECT(test_poll(producer, cpls, nb), nb);
	for (i = 0; i < nb; i++) {
		TEST_EXPECT(cpls[i].cookie, cookie + i);
		TEST_EXPECT(cpls[i].status, 0);
		TEST_EXPECT(cpls[i].producer_id, 0);
		TEST_EXPECT(cpls[i].len, len);
	}
	TEST_EXPECT(test_drain(producer), 0);
	return TEST_SUCCESS;
}

static int
one_burst(struct test_q *consumer, struct test_q *producer, const struct test_slots *from,
		const struct test_slots *to, uint32_t nb, uint64_t len)
{
	uint32_t i, seed = test_rand();

	for (i = 0; i < nb; i++) {
		test_slot_clear(to, i);
		test_slot_clear(from, i);
		test_fill(test_slot(from, i), (uint32_t)len, seed + i);
		sends[i] = (struct rte_comch_send) {
			.addr = test_slot(from, i),
			.len = len,
			.mem = from->mem,
			.cookie = seed + i,
		};
	}
	TEST_CALL(test_fp_offer(consumer, producer, to, 0, nb, 1000));
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, sends,
			(uint16_t)nb), nb);
	TEST_EXPECT(test_reason(producer, consumer->id), 0);
	TEST_EXPECT(test_poll(consumer, cpls, nb), nb);
	for (i = 0; i < nb; i++) {
		TEST_EXPECT(cpls[i].cookie, 1000 + i);
		TEST_EXPECT(cpls[i].len, len);
		TEST_EXPECT(cpls[i].status, 0);
		TEST_EXPECT(cpls[i].imm_len, 0);
		TEST_EXPECT(cpls[i].producer_id, producer->id);
		TEST_ASSERT(test_slot_check(to, i, (uint32_t)len, seed + i),
				"message %u of %u, %llu bytes, is not what was sent, or bytes "
				"around it changed", i, nb, (unsigned long long)len);
		/* nor may the source change */
		TEST_TRUE(test_slot_check(from, i, (uint32_t)len, seed + i));
	}
	TEST_EXPECT(test_drain(consumer), 0);
	return check_sent(producer, nb, seed, len);
}

static int
test_sizes(struct test_fp *fp)
{
	static const uint64_t lens[] = { 1, 7, 8, 63, 64, 65, 4096, MB };
	static const uint32_t bursts[] = { 1, 2, 31, 32, 33, 255, 256, MAX_BURST };
	struct test_q *consumer, *producer;
	struct test_slots from, to;
	uint32_t nb, last;
	unsigned int i, j;

	TEST_CALL(test_fp_producer(fp, MAX_BURST, &producer));
	for (i = 0; i < RTE_DIM(lens); i++) {
		nb = (uint32_t)RTE_MAX(RTE_MIN(ROUND_BYTES / lens[i], (uint64_t)MAX_BURST),
				(uint64_t)2);
		/* a buffer is longer than its message */
		TEST_CALL(test_slots_new(&from, fp->tx.dev, 0, nb, lens[i]));
		TEST_CALL(test_slots_new(&to, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, nb,
				lens[i] + (i % 3) * 17));
		TEST_CALL(test_fp_consumer(fp, to.mem, nb, 0, &consumer));
		for (j = 0, last = 0; j < RTE_DIM(bursts) && last < nb; j++) {
			last = RTE_MIN(bursts[j], nb);
			TEST_CALL(one_burst(consumer, producer, &from, &to, last, lens[i]));
		}
		TEST_EXPECT(test_q_close(consumer), 0);
		TEST_EXPECT(test_mem_free(to.mem), 0);
		TEST_EXPECT(test_mem_free(from.mem), 0);
	}
	return TEST_SUCCESS;
}

/* Sources of every kind of region, at every alignment. */
static int
test_sources(struct test_fp *fp)
{
	static uint8_t own[512];
	struct rte_comch_mem *exported, *registered;
	struct test_q *consumer, *producer;
	struct rte_comch_send msg;
	struct test_slots to;
	unsigned int i, len;

	TEST_CALL(test_slots_new(&to, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, 64, 130));
	TEST_CALL(test_fp_queues(fp, to.mem, 64, 0, &consumer, &producer));
	exported = test_mem_alloc(fp->tx.dev, sizeof(own), RTE_COMCH_MEM_F_PEER_WRITE);
	TEST_EXPECT(rte_comch_mem_register(fp->tx.dev, own, sizeof(own), 0, &registered), 0);
	test_mem_keep(registered);
	for (i = 0; i < 300; i++) {
		uint8_t *p = i % 2 != 0 ? own : rte_comch_mem_addr(exported);

		len = 1 + test_rand() % 130;
		p += i % 3 == 0 ? sizeof(own) - len : test_rand() % (sizeof(own) - len);
		test_slot_clear(&to, 0);
		test_fill(p, len, i);
		msg = (struct rte_comch_send) {
			.addr = p,
			.len = len,
			.mem = i % 2 != 0 ? registered : exported,
		};
		TEST_CALL(test_fp_offer(consumer, producer, &to, 0, 1, 0));
		TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, &msg, 1), 1);
		TEST_EXPECT(test_poll(consumer, cpls, 1), 1);
		TEST_EXPECT(cpls[0].len, len);
		TEST_TRUE(test_slot_check(&to, 0, len, i));
		TEST_EXPECT(test_poll(producer, cpls, 1), 1);
	}
	return TEST_SUCCESS;
}

/* More than fits: what was taken is right, the rest was not touched. */
static int
more_than_fits(struct test_fp *fp, uint32_t nb_posts, uint32_t nb_sends)
{
	uint32_t nb, i, want = RTE_MIN(nb_posts, (uint32_t)UINT16_MAX);
	struct rte_comch_send *msgs = calloc(UINT16_MAX, sizeof(*msgs));
	struct rte_comch_post *posts = calloc(UINT16_MAX, sizeof(*posts));
	struct rte_comch_cpl *found = aligned_alloc(RTE_COMCH_CPL_SIZE,
			UINT16_MAX * sizeof(*found));
	struct test_q *consumer, *producer;
	struct rte_comch_room room;
	struct test_slots to, from;
	const uint32_t flags = RTE_COMCH_MEM_F_PEER_WRITE;
	int ret = TEST_FAILED;

	if (msgs == NULL || posts == NULL || found == NULL ||
			test_slots_new(&to, fp->rx.dev, flags, UINT16_MAX, 8) != 0 ||
			test_slots_new(&from, fp->tx.dev, 0, 1, 8) != 0 ||
			test_fp_consumer(fp, to.mem, nb_posts, 0, &consumer) != 0 ||
			test_fp_producer(fp, nb_sends, &producer) != 0)
		goto out;
	test_fill(test_slot(&from, 0), 8, 3);
	for (i = 0; i < UINT16_MAX; i++) {
		posts[i] = (struct rte_comch_post) {
			.addr = test_slot(&to, i),
			.len = 8,
			.cookie = i,
		};
		msgs[i] = (struct rte_comch_send) {
			.addr = test_slot(&from, 0),
			.len = 8,
			.mem = from.mem,
			.cookie = i + 5,
		};
	}
	if (rte_comch_consumer_post_burst(consumer->ctx, posts, UINT16_MAX) != want ||
			test_reason(consumer, 0) != (want < UINT16_MAX ? -ENOBUFS : 0)) {
		test_fail("a burst of posts was not taken as far as it fits");
		goto out;
	}
	nb = RTE_MIN(want, nb_sends);
	if (test_fp_wait_credits(producer, consumer, want) != TEST_SUCCESS)
		goto out;
	i = rte_comch_producer_send_burst(producer->ctx, consumer->id, msgs, UINT16_MAX);
	if (rte_comch_queue_room_get(producer->ctx, consumer->id, &room) != 0 || i != nb ||
			room.credits != want - nb || room.queue != nb_sends - nb ||
			(nb == UINT16_MAX) != (room.reason == 0)) {
		test_fail("%u sent of %u: reason %d, %u credits, room for %u", i, nb, room.reason,
				room.credits, room.queue);
		goto out;
	}
	/* which of the two it was, if it can only have been one */
	if (nb < UINT16_MAX && want != nb_sends &&
			room.reason != (want < nb_sends ? -EAGAIN : -ENOBUFS)) {
		test_fail("the reason is %d", room.reason);
		goto out;
	}
	if (test_poll(consumer, found, nb) != nb || test_drain(consumer) != 0) {
		test_fail("not as many came as were sent");
		goto out;
	}
	for (i = 0; i < nb; i++)
		if (found[i].cookie != i || found[i].len != 8 || !test_slot_check(&to, i, 8, 3))
			break;
	if (i < nb || test_poll(producer, found, nb) != nb) {
		test_fail("message %u is not right", i);
		goto out;
	}
	for (i = 0; i < nb; i++)
		if (found[i].cookie != i + 5)
			break;
	for (; i < UINT16_MAX; i++)
		if (test_slot(&to, i)[0] != TEST_GUARD_BYTE)
			break;
	if (i < UINT16_MAX)
		test_fail("what was not taken was touched: %u", i);
	else
		ret = TEST_SUCCESS;
out:
	free(msgs);
	free(posts);
	/* credits are counted for one producer */
	if (ret == TEST_SUCCESS)
		ret = test_q_close(producer);
	free(found);
	return ret;
}

static int
test_more_than_fits(void)
{
	struct rte_comch_dev_info info = test_dev_info(test_pair.dpu);
	uint32_t max;
	struct test_fp fp;

	max = RTE_MIN(info.max_posts, (uint32_t)65536);
	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU));
	TEST_CALL(more_than_fits(&fp, 64, 256));
	TEST_CALL(more_than_fits(&fp, 256, 64));
	TEST_CALL(more_than_fits(&fp, 32, 32));
	return more_than_fits(&fp, max, RTE_MIN(info.max_sends, (uint32_t)65536));
}

/* Immediate data is inline as far as it fits, and behind a pointer above that. */
static const uint8_t *
imm_of(const struct rte_comch_cpl *cpl)
{
	return cpl->imm_len > RTE_COMCH_CPL_IMM_SIZE ? cpl->imm_ext : cpl->imm;
}

static int
one_imm(struct test_q *consumer, struct test_q *producer, uint32_t len)
{
	struct rte_comch_cpl cpl;
	uint8_t imm[4096];

	test_fill(imm, len, len);
	memset(&cpl, 0x5a, sizeof(cpl));
	TEST_EXPECT(test_post_empty(consumer, 1, 9), 1);
	TEST_WAIT(rte_comch_producer_credits(producer->ctx, consumer->id) == 1, TEST_MS);
	TEST_EXPECT(test_send_imm(producer, consumer->id, len != 0 ? imm : NULL, len, 8), 1);
	memset(imm, 0, len); /* it was copied */
	TEST_EXPECT(test_poll(consumer, &cpl, 1), 1);
	TEST_EXPECT(cpl.cookie, 9);
	TEST_EXPECT(cpl.len, 0);
	TEST_EXPECT(cpl.status, 0);
	TEST_EXPECT(cpl.producer_id, producer->id);
	TEST_EXPECT(cpl.imm_len, len);
	TEST_EXPECT(cpl.reserved, 0);
	TEST_TRUE(imm_of(&cpl) != NULL && test_check(imm_of(&cpl), len, len));
	TEST_EXPECT(test_poll(producer, &cpl, 1), 1);
	TEST_EXPECT(cpl.cookie, 8);
	TEST_EXPECT(cpl.len, 0);
	return TEST_SUCCESS;
}

static int
test_imm(struct test_fp *fp)
{
	static const uint32_t lens[] = { 0, 1, 8, 31, 32, 33, 64, UINT32_MAX };
	struct rte_comch_dev_info info = test_dev_info(fp->rx.dev);
	struct test_q *consumer, *producer;
	uint32_t max, len, nb = 0;
	static uint8_t big[4096 + 1];
	unsigned int i;

	TEST_CALL(test_fp_producer(fp, 8, &producer));
	for (i = 0; i < RTE_DIM(lens); i++) {
		max = RTE_MIN(RTE_MIN(lens[i], info.max_imm_len), (uint32_t)4096);
		TEST_CALL(test_fp_consumer(fp, NULL, 8, max, &consumer));
		for (len = 0; len <= max; len += len < 66 || len == max ? 1 :
				RTE_MIN(max - len, 61u)) {
			TEST_CALL(one_imm(consumer, producer, len));
			nb++;
		}
		/* one byte too many */
		TEST_EXPECT(test_post_empty(consumer, 1, 1), 1);
		TEST_WAIT(rte_comch_producer_credits(producer->ctx, consumer->id) == 1, TEST_MS);
		TEST_EXPECT(test_send_imm(producer, consumer->id, big, max + 1, 0), 0);
		TEST_EXPECT(test_reason(producer, consumer->id), -E2BIG);
		TEST_EXPECT(rte_comch_producer_credits(producer->ctx, consumer->id), 1);
		TEST_EXPECT(test_send_imm(producer, consumer->id, big, max, 0), 1);
		TEST_EXPECT(test_poll(consumer, cpls, 1), 1);
		TEST_EXPECT(test_poll(producer, cpls, 1), 1);
		TEST_EXPECT(test_q_close(consumer), 0);
	}
	test_note("%u lengths of immediate data, %u bytes at most", nb, info.max_imm_len);
	return TEST_SUCCESS;
}

/* A burst of long immediate data: all of it is there until the next poll. */
static int
test_imm_burst(struct test_fp *fp)
{
	static uint8_t data[64][256];
	const uint32_t nb = RTE_DIM(data);
	struct test_q *consumer, *producer;
	struct test_slots from, to;
	uint32_t i, max, lap;

	max = RTE_MIN(test_dev_info(fp->rx.dev).max_imm_len, (uint32_t)sizeof(data[0]));
	TEST_CALL(test_slots_new(&to, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, nb, 40));
	TEST_CALL(test_slots_new(&from, fp->tx.dev, 0, nb, 40));
	TEST_CALL(test_fp_queues(fp, to.mem, nb, max, &consumer, &producer));
	for (lap = 0; lap < 8; lap++) {
		for (i = 0; i < nb; i++) {
			test_slot_clear(&to, i);
			test_fill(data[i], (i * 4 + lap) % (max + 1), i);
			test_fill(test_slot(&from, i), i % 41, i);
			sends[i] = (struct rte_comch_send) {
				.addr = test_slot(&from, i),
				.len = i % 41,
				.mem = i % 41 != 0 ? from.mem : NULL,
				.imm = data[i],
				.imm_len = (i * 4 + lap) % (max + 1),
			};
		}
		TEST_CALL(test_fp_offer(consumer, producer, &to, 0, nb, 0));
		TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, sends,
				(uint16_t)nb), nb);
		memset(data, 0, sizeof(data));
		TEST_EXPECT(test_poll(producer, cpls, nb), nb);
		/* in one poll, for the pointers of the first must last as long */
		TEST_EXPECT(rte_comch_queue_poll_burst(consumer->ctx, cpls, (uint16_t)nb), nb);
		for (i = 0; i < nb; i++) {
			TEST_EXPECT(cpls[i].len, i % 41);
			TEST_TRUE(test_slot_check(&to, i, i % 41, i));
			TEST_EXPECT(cpls[i].imm_len, (i * 4 + lap) % (max + 1));
			TEST_ASSERT(test_check(imm_of(&cpls[i]), cpls[i].imm_len, i),
					"immediate data of message %u, %u bytes", i,
					cpls[i].imm_len);
		}
	}
	return TEST_SUCCESS;
}

/* Rings of few places, many laps: every position, and past 2^16 and 2^32. */
static int
test_laps(struct test_fp *fp)
{
	static const struct {
		uint32_t places;
		uint32_t msgs;
	} runs[] = {
		{ 1, 70000 }, { 2, 70000 }, { 3, 70000 }, { 4, 140000 }, { 8, 20000 },
		{ 64, 20000 }, { 1024, 20000 },
	};
	/* each message of a small ring takes a way there and back through the model */
	const uint32_t slow = test_place_is_bluefield() ? 64 : TEST_ASAN ? 8 : 1;
	struct test_q *consumer, *producer;
	struct test_slots from, to;
	uint32_t posted, sent, got, done, want, nb, i;
	unsigned int r;

	TEST_CALL(test_slots_new(&from, fp->tx.dev, 0, 64, 8));
	for (i = 0; i < 64; i++)
		test_fill(test_slot(&from, i), 8, i);
	for (r = 0; r < RTE_DIM(runs); r++) {
		const uint32_t places = rte_align32pow2(runs[r].places);

		/* above 2^16 also under a sanitizer, for the smallest ring */
		want = runs[r].places == 1 && !test_place_is_bluefield() ?
			runs[r].msgs : runs[r].msgs / slow;
		TEST_CALL(test_slots_new(&to, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, places, 8));
		TEST_CALL(test_fp_queues(fp, to.mem, runs[r].places, 4, &consumer, &producer));
		for (posted = sent = got = done = 0; done < want;) {
			nb = RTE_MIN(1 + test_rand() % places, places - (posted - got));
			nb = RTE_MIN(nb, places - posted % places);
			if (nb != 0)
				posted += test_post_slots(consumer, &to, posted % places, nb,
						posted - posted % places);
			nb = RTE_MIN(1 + test_rand() % places, want - sent);
			for (i = 0; i < nb; i++)
				sends[i] = (struct rte_comch_send) {
					.addr = test_slot(&from, (sent + i) % 64),
					.len = 8,
					.mem = from.mem,
					.imm = test_slot(&from, (sent + i + 1) % 64),
					.imm_len = 4,
					.cookie = sent + i,
				};
			sent += rte_comch_producer_send_burst(producer->ctx, consumer->id, sends,
					(uint16_t)nb);
			nb = rte_comch_queue_poll_burst(consumer->ctx, cpls,
					(uint16_t)(1 + test_rand() % places));
			for (i = 0; i < nb; i++, got++) {
				TEST_EXPECT(cpls[i].cookie, got);
				TEST_EXPECT(cpls[i].len, 8);
				TEST_TRUE(memcmp(cpls[i].imm, test_slot(&from, (got + 1) % 64),
						4) == 0);
				TEST_ASSERT(test_slot_check(&to, got % places, 8, got % 64),
						"message %u of a ring of %u is wrong", got, places);
				test_slot_clear(&to, got % places);
			}
			nb = rte_comch_queue_poll_burst(producer->ctx, cpls,
					(uint16_t)(1 + test_rand() % places));
			for (i = 0; i < nb; i++, done++)
				TEST_EXPECT(cpls[i].cookie, done);
			TEST_TRUE(got <= sent && done <= sent && sent <= posted &&
					posted - got <= places && sent - done <= places);
		}
		TEST_WAIT((got += test_drain(consumer)) == want, TEST_MS);
		TEST_EXPECT(test_q_close(consumer), 0);
		TEST_EXPECT(test_q_close(producer), 0);
		TEST_EXPECT(test_mem_free(to.mem), 0);
	}
	return TEST_SUCCESS;
}

/* A message without a completion takes none, and one that has one follows it. */
static int
test_no_cpl(struct test_fp *fp)
{
	struct test_q *consumer, *producer;
	uint32_t i, lap, want = 0, got = 0, done = 0;

	TEST_CALL(test_fp_consumer(fp, NULL, 64, 4, &consumer));
	TEST_CALL(test_fp_producer(fp, 16, &producer));
	for (lap = 0; lap < 200; lap++) {
		const uint32_t every = 1 + lap % 8, nb = 1 + test_rand() % 16;

		TEST_EXPECT(test_post_empty(consumer, nb, 0), nb);
		TEST_WAIT(rte_comch_producer_credits(producer->ctx, consumer->id) == nb, TEST_MS);
		for (i = 0; i < nb; i++) {
			bool last = i % every == every - 1 || i == nb - 1;

			sends[i] = (struct rte_comch_send) {
				.flags = last ? 0 : RTE_COMCH_SEND_F_NO_CPL,
				.cookie = last ? want++ : UINT64_MAX,
			};
		}
		TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, sends,
				(uint16_t)nb), nb);
		TEST_EXPECT(test_poll(consumer, cpls, nb), nb);
		got += nb;
		TEST_EXPECT(test_poll(producer, cpls, want - done), want - done);
		for (i = 0; done < want; i++, done++)
			TEST_EXPECT(cpls[i].cookie, done);
		TEST_EXPECT(test_drain(producer), 0);
	}
	/* none at all: the queue of the producer does not fill up */
	for (lap = 0; lap < 100; lap++) {
		sends[0] = (struct rte_comch_send) { .flags = RTE_COMCH_SEND_F_NO_CPL };
		TEST_EXPECT(test_post_empty(consumer, 1, 0), 1);
		TEST_WAIT(rte_comch_producer_send_burst(producer->ctx, consumer->id, sends, 1) == 1,
				TEST_MS);
		TEST_EXPECT(test_poll(consumer, cpls, 1), 1);
		TEST_EXPECT(test_drain(producer), 0);
	}
	TEST_TRUE(got > want);
	return TEST_SUCCESS;
}

static int
test_stats(struct test_fp *fp)
{
	struct rte_comch_queue_stats tx, rx;
	struct test_q *consumer, *producer;
	struct test_slots from, to;
	uint32_t i;

	TEST_CALL(test_slots_new(&to, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, 8, 100));
	TEST_CALL(test_slots_new(&from, fp->tx.dev, 0, 1, 100));
	TEST_CALL(test_fp_queues(fp, to.mem, 8, 4, &consumer, &producer));
	TEST_CALL(test_fp_offer(consumer, producer, &to, 0, 8, 0));
	for (i = 0; i < 5; i++)
		sends[i] = (struct rte_comch_send) {
			.addr = test_slot(&from, 0),
			.len = 10 * i,
			.mem = from.mem,
			.imm = "abcd",
			.imm_len = 4,
		};
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, sends, 5), 5);
	TEST_EXPECT(test_poll(consumer, cpls, 5), 5);
	TEST_EXPECT(rte_comch_queue_stats_get(producer->ctx, &tx), 0);
	TEST_EXPECT(rte_comch_queue_stats_get(consumer->ctx, &rx), 0);
	TEST_EXPECT(tx.msgs, 5);
	TEST_EXPECT(tx.bytes, 100);
	TEST_EXPECT(tx.bursts, 1);
	TEST_EXPECT(tx.short_credits + tx.short_queue + tx.errors, 0);
	TEST_EXPECT(rx.msgs, 5);
	TEST_EXPECT(rx.bytes, 100);
	TEST_TRUE(rx.bursts >= 1 && rx.bursts <= 5);
	TEST_EXPECT(rx.short_credits + rx.short_queue + rx.errors, 0);

	/* the queue is full, then no credit is left, then one is in error */
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, sends, 3), 3);
	TEST_EXPECT(test_poll(consumer, cpls, 3), 3);
	TEST_CALL(test_fp_offer(consumer, producer, &to, 0, 1, 0));
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, sends, 1), 0);
	TEST_EXPECT(test_poll(producer, cpls, 8), 8);
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, sends, 2), 1);
	sends[0].flags = RTE_BIT32(20);
	TEST_CALL(test_fp_offer(consumer, producer, &to, 1, 1, 0));
	TEST_EXPECT(rte_comch_producer_send_burst(producer->ctx, consumer->id, sends, 1), 0);
	TEST_EXPECT(test_post_slots(consumer, &to, 0, 8, 0), 6);
	TEST_EXPECT(test_post_slots(consumer, &to, 0, 1, 0), 0);
	TEST_EXPECT(rte_comch_queue_stats_get(producer->ctx, &tx), 0);
	TEST_EXPECT(rte_comch_queue_stats_get(consumer->ctx, &rx), 0);
	TEST_EXPECT(tx.msgs, 9);
	TEST_EXPECT(tx.bytes, 130);
	TEST_EXPECT(tx.bursts, 3);
	TEST_EXPECT(tx.short_queue, 1);
	TEST_EXPECT(tx.short_credits, 1);
	TEST_EXPECT(tx.errors, 1);
	TEST_EXPECT(rx.msgs, 8);
	TEST_EXPECT(rx.short_queue, 2);
	TEST_EXPECT(rx.errors, 0);

	/* they stay until the next start */
	TEST_CALL(test_stop_now(producer->ctx));
	memset(&tx, 0, sizeof(tx));
	TEST_EXPECT(rte_comch_queue_stats_get(producer->ctx, &tx), 0);
	TEST_EXPECT(tx.msgs, 9);
	TEST_EXPECT(tx.bytes, 130);
	TEST_EXPECT(tx.errors, 1);
	TEST_EXPECT(rte_comch_ctx_start(producer->ctx), 0);
	TEST_EXPECT(rte_comch_queue_stats_get(producer->ctx, &tx), 0);
	TEST_EXPECT(tx.msgs + tx.bytes + tx.bursts + tx.short_credits + tx.short_queue + tx.errors,
			0);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: bursts of the fast path",
	.setup = test_quiet,
	.unit_test_cases = {
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_sizes),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_sources),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_more_than_fits),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_imm),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_imm_burst),
		TEST_CASE_FP(test_fp_need, test_fp_cleanup, test_laps),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_no_cpl),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_stats),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_fp_autotest, test_pairs_run, &suite)
