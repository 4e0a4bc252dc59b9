/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The device functions of programs, each with arguments that cannot be and then with those
 * that can; credits; how elements and slots are given back. One thread plays both ends.
 */

#include <unistd.h>

#include "test_shm_msgq.h"

static struct rte_comch_msgq to, from;
static struct rte_comch_dpa_completion rx_comp, tx_comp;
static struct rte_comch_dpa_queue consumer, producer;
static struct msgq_end sender, receiver;

#define NB_RECV 8
#define DEPTH 4

/* A queue in each direction, with one end at each side. */
static int
both_create(uint32_t unit)
{
	msgq_unit_self.eu = 0;
	TEST_CALL(test_msgq_start(&to, RTE_COMCH_MSGQ_TO_DPA, 1, 1));
	TEST_CALL(test_msgq_start(&from, RTE_COMCH_MSGQ_FROM_DPA, 1, 1));
	TEST_CALL(test_msgq_completion(&rx_comp, RTE_COMCH_DPA_COMPLETION_CONSUMER, DEPTH, 1,
			unit));
	TEST_CALL(test_msgq_completion(&tx_comp, RTE_COMCH_DPA_COMPLETION_PRODUCER, DEPTH, 1,
			SHM_MSGQ_NO_UNIT));
	TEST_CALL(test_msgq_dpa_queue(&consumer, &to, &rx_comp, true, 1, NB_RECV));
	TEST_CALL(test_msgq_dpa_queue(&producer, &from, &tx_comp, false, 1, DEPTH));
	TEST_CALL(test_msgq_end(&sender, &to, false, 1, NB_RECV));
	TEST_CALL(test_msgq_end(&receiver, &from, true, 1, NB_RECV));
	return TEST_SUCCESS;
}

static void
both_free(void)
{
	test_msgq_end_free(&sender);
	test_msgq_end_free(&receiver);
	shm_msgq_dpa_queue_destroy(&consumer);
	shm_msgq_dpa_queue_destroy(&producer);
	shm_msgq_completion_destroy(&rx_comp);
	shm_msgq_completion_destroy(&tx_comp);
	shm_msgq_stop(&to);
	shm_msgq_stop(&from);
}

/* A call fails with a number, and is noted as a mistake. */
#define EXPECT_MISTAKE(expr, func, error) do { \
	uint64_t before_ = test_msgq_mistakes(); \
	TEST_EXPECT(expr, error); \
	TEST_EXPECT(test_msgq_mistakes() - before_, 1); \
	TEST_CALL(test_msgq_mistake_is(func, error)); \
} while (0)

/* What is no handle of a kind: none, of another kind, between two, outside of HOST. */
#define FOREACH_BAD_HANDLE(handle, other) \
	for (uint64_t bad_[] = { 0, (other), 64, 1, UINT64_MAX }, i_ = 0; \
		i_ < RTE_DIM(bad_) && ((handle) = i_ < 2 ? bad_[i_] : \
			i_ == 2 ? (other) + 64 : bad_[i_], true); i_++)

static int
test_ack_args(void)
{
	uint64_t handle;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	FOREACH_BAD_HANDLE(handle, producer.handle)
		EXPECT_MISTAKE(rte_comch_dpa_dev_consumer_ack(handle, 1), "consumer_ack", -EINVAL);
	EXPECT_MISTAKE(rte_comch_dpa_dev_consumer_ack(consumer.handle, NB_RECV + 1),
		"consumer_ack", -EINVAL);
	TEST_EXPECT(sender.fp.credits(sender.fp.queue, 1), 0);
	TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(consumer.handle, NB_RECV - 1), 0);
	TEST_EXPECT(sender.fp.credits(sender.fp.queue, 1), NB_RECV - 1);
	EXPECT_MISTAKE(rte_comch_dpa_dev_consumer_ack(consumer.handle, 2), "consumer_ack",
		-EINVAL);
	EXPECT_MISTAKE(rte_comch_dpa_dev_consumer_ack(consumer.handle, UINT32_MAX), "consumer_ack",
		-EINVAL);
	TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(consumer.handle, 1), 0);
	TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(consumer.handle, 0), 0);
	TEST_EXPECT(sender.fp.credits(sender.fp.queue, 1), NB_RECV);
	both_free();
	return TEST_SUCCESS;
}

static int
test_completion_args(void)
{
	struct rte_comch_dpa_dev_elem elem;
	uint64_t handle;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	FOREACH_BAD_HANDLE(handle, consumer.handle) {
		EXPECT_MISTAKE(rte_comch_dpa_dev_completion_get(handle, &elem), "completion_get",
			-EINVAL);
		EXPECT_MISTAKE(rte_comch_dpa_dev_completion_ack(handle, 0), "completion_ack",
			-EINVAL);
		EXPECT_MISTAKE(rte_comch_dpa_dev_completion_request_notification(handle),
			"completion_request_notification", -EINVAL);
	}
	EXPECT_MISTAKE(rte_comch_dpa_dev_completion_get(rx_comp.handle, NULL), "completion_get",
		-EINVAL);
	EXPECT_MISTAKE(rte_comch_dpa_dev_completion_ack(rx_comp.handle, 1), "completion_ack",
		-EINVAL);
	/* it wakes no thread */
	EXPECT_MISTAKE(rte_comch_dpa_dev_completion_request_notification(rx_comp.handle),
		"completion_request_notification", -EINVAL);
	TEST_EXPECT(rte_comch_dpa_dev_completion_get(rx_comp.handle, &elem), 0);
	TEST_EXPECT(rte_comch_dpa_dev_completion_ack(rx_comp.handle, 0), 0);
	both_free();
	return TEST_SUCCESS;
}

static int
test_send_args(void)
{
	uint8_t imm[SHM_MSGQ_IMM_SIZE + 1] = { 7 };
	uint64_t handle;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	FOREACH_BAD_HANDLE(handle, consumer.handle) {
		EXPECT_MISTAKE(rte_comch_dpa_dev_producer_post_send_imm(handle, 1, imm, 1, 0),
			"producer_post_send_imm", -EINVAL);
		EXPECT_MISTAKE(rte_comch_dpa_dev_producer_consumer_empty(handle, 1),
			"producer_consumer_empty", -EINVAL);
	}
	EXPECT_MISTAKE(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 2, imm, 1, 0),
		"producer_post_send_imm", -ENOENT);
	EXPECT_MISTAKE(rte_comch_dpa_dev_producer_consumer_empty(producer.handle, 0),
		"producer_consumer_empty", -ENOENT);
	EXPECT_MISTAKE(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, NULL, 1, 0),
		"producer_post_send_imm", -EINVAL);
	EXPECT_MISTAKE(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, imm, 1, 4),
		"producer_post_send_imm", -EINVAL);
	EXPECT_MISTAKE(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, imm,
		SHM_MSGQ_IMM_SIZE + 1, 0), "producer_post_send_imm", -EMSGSIZE);

	/* a consumer that has nothing posted is no mistake of the program */
	TEST_EXPECT(test_msgq_mistakes(), test_msgq_mistakes());
	TEST_EXPECT(rte_comch_dpa_dev_producer_consumer_empty(producer.handle, 1), 1);
	TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, imm, 1, 0),
		-EAGAIN);
	TEST_CALL(test_msgq_mistake_is("producer_post_send_imm", -EMSGSIZE));
	TEST_EXPECT(test_msgq_post(&receiver, 1), 1);
	TEST_EXPECT(rte_comch_dpa_dev_producer_consumer_empty(producer.handle, 1), 0);
	TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, imm,
		SHM_MSGQ_IMM_SIZE, 0), 0);
	TEST_EXPECT(rte_comch_dpa_dev_producer_consumer_empty(producer.handle, 1), 1);
	both_free();
	return TEST_SUCCESS;
}

/*
 * The host may destroy what a program uses. It waits for units that look at it, so each
 * function says that it does before it looks, and no more when it has returned.
 */
static int
test_looks(void)
{
	const uint8_t imm[SHM_MSGQ_IMM_SIZE] = { 7 };
	const uint64_t *looks = &SHM_DPA_PROG_SEG->eus[0].looks;
	struct rte_comch_dpa_dev_elem elem;
	uint32_t outside = 0;
	int ret = 0;

	TEST_CALL(both_create(1));
	TEST_EXPECT(test_msgq_post(&receiver, 1), 1);
	msgq_outside = &outside;
	ret |= rte_comch_dpa_dev_consumer_ack(consumer.handle, 1);
	ret |= test_msgq_send(&sender, 1, imm, sizeof(imm)) != 1;
	ret |= rte_comch_dpa_dev_completion_get(rx_comp.handle, &elem) != 1;
	ret |= rte_comch_dpa_dev_completion_ack(rx_comp.handle, 1);
	ret |= rte_comch_dpa_dev_completion_request_notification(rx_comp.handle);
	ret |= rte_comch_dpa_dev_producer_consumer_empty(producer.handle, 1);
	ret |= rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, imm, sizeof(imm), 0);
	rte_comch_dpa_dev_consumer_ack(consumer.handle, NB_RECV + 1);
	rte_comch_dpa_dev_completion_ack(rx_comp.handle, 1);
	rte_comch_dpa_dev_completion_get(producer.handle, &elem);
	msgq_outside = NULL;
	TEST_EXPECT(ret, 0);
	TEST_EXPECT(outside, 0);
	TEST_EXPECT(__atomic_load_n(looks, __ATOMIC_RELAXED) % 2, 0);
	both_free();
	return TEST_SUCCESS;
}

/* What a message says at the other end, both ways; from 0 to 32 bytes. */
static int
test_contents(void)
{
	uint8_t imm[SHM_MSGQ_IMM_SIZE];
	struct rte_comch_dpa_dev_elem elem;
	struct rte_comch_cpl cpl;
	const uint8_t *got;
	uint32_t len, i;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	for (len = 0; len <= sizeof(imm); len++) {
		for (i = 0; i < len; i++)
			imm[i] = len + i;
		TEST_EXPECT(test_msgq_send(&sender, 1, imm, len), 0);
		TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(consumer.handle, 1), 0);
		TEST_EXPECT(test_msgq_send(&sender, 1, imm, len), 1);
		TEST_EXPECT(rte_comch_dpa_dev_completion_get(rx_comp.handle, &elem), 1);
		got = rte_comch_dpa_dev_elem_imm(&elem, &i);
		TEST_EXPECT(i, len);
		TEST_TRUE(memcmp(got, imm, len) == 0);
		TEST_EXPECT(rte_comch_dpa_dev_elem_type(&elem), RTE_COMCH_DPA_DEV_ELEM_RECV);
		TEST_EXPECT(rte_comch_dpa_dev_elem_producer_id(&elem), 1);
		TEST_EXPECT(rte_comch_dpa_dev_elem_user_data(&elem), 1001);

		TEST_EXPECT(test_msgq_post(&receiver, 1), 1);
		TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, got, len,
			RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS | RTE_COMCH_DPA_DEV_F_FLUSH), 0);
		TEST_EXPECT(rte_comch_dpa_dev_completion_ack(rx_comp.handle, 1), 0);
		TEST_EXPECT(test_msgq_poll(&receiver, &cpl, 1), 1);
		TEST_EXPECT(cpl.status, 0);
		TEST_EXPECT(cpl.imm_len, len);
		TEST_EXPECT(cpl.producer_id, 1);
		TEST_TRUE(memcmp(cpl.imm, imm, len) == 0);
	}
	both_free();
	return TEST_SUCCESS;
}

/* An element keeps its slot until it is given back, though its credit was given before. */
static int
test_ack_before_completion_ack(void)
{
	struct rte_comch_dpa_dev_elem elems[DEPTH], elem;
	uint32_t i, n, value = 0, len;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(consumer.handle, NB_RECV), 0);
	for (n = 0; n < 100; n++) {
		for (i = 0; i < DEPTH; i++, value++) {
			TEST_EXPECT(test_msgq_send(&sender, 1, &value, sizeof(value)), 1);
			TEST_EXPECT(rte_comch_dpa_dev_completion_get(rx_comp.handle, &elems[i]), 1);
			TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(consumer.handle, 1), 0);
		}
		/* as many as there can be, of other values, and no slot of those is theirs */
		for (i = 0; i < NB_RECV; i++)
			TEST_EXPECT(test_msgq_send(&sender, 1, "else", 4), 1);
		TEST_EXPECT(test_msgq_send(&sender, 1, "else", 4), 0);
		TEST_EXPECT(rte_comch_dpa_dev_completion_get(rx_comp.handle, &elem), -ENOBUFS);
		for (i = 0; i < DEPTH; i++)
			TEST_EXPECT(*(const uint32_t *)(const void *)
				rte_comch_dpa_dev_elem_imm(&elems[i], NULL), value - DEPTH + i);
		TEST_EXPECT(rte_comch_dpa_dev_completion_ack(rx_comp.handle, DEPTH), 0);
		for (i = 0; i < NB_RECV; i++) {
			TEST_EXPECT(rte_comch_dpa_dev_completion_get(rx_comp.handle, &elem), 1);
			TEST_TRUE(memcmp(rte_comch_dpa_dev_elem_imm(&elem, &len), "else", 4) == 0);
			TEST_EXPECT(rte_comch_dpa_dev_completion_ack(rx_comp.handle, 1), 0);
		}
		TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(consumer.handle, NB_RECV), 0);
	}
	both_free();
	return TEST_SUCCESS;
}

/* Completions of sends: as many as there are places, then none of those that ask for none. */
static int
test_send_completions(void)
{
	struct rte_comch_dpa_dev_elem elem;
	struct rte_comch_cpl cpls[NB_RECV];
	uint32_t i, len = 1;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	TEST_EXPECT(test_msgq_post(&receiver, NB_RECV + 1), NB_RECV);
	for (i = 0; i < DEPTH; i++)
		TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, "a", 1,
			RTE_COMCH_DPA_DEV_F_FLUSH), 0);
	TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, "a", 1, 0),
		-ENOBUFS);
	TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, "a", 1,
		RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS), 0);
	for (i = 0; i < DEPTH; i++) {
		TEST_EXPECT(rte_comch_dpa_dev_completion_get(tx_comp.handle, &elem), 1);
		TEST_EXPECT(rte_comch_dpa_dev_elem_type(&elem), RTE_COMCH_DPA_DEV_ELEM_SEND);
		TEST_EXPECT(rte_comch_dpa_dev_elem_user_data(&elem), 1001);
		TEST_EXPECT(rte_comch_dpa_dev_elem_producer_id(&elem), 0);
		TEST_TRUE(rte_comch_dpa_dev_elem_imm(&elem, &len) == NULL);
		TEST_EXPECT(len, 0);
	}
	TEST_EXPECT(rte_comch_dpa_dev_completion_ack(tx_comp.handle, DEPTH), 0);
	TEST_EXPECT(rte_comch_dpa_dev_completion_get(tx_comp.handle, &elem), 0);
	TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, "a", 1,
		RTE_COMCH_DPA_DEV_F_FLUSH), 0);
	TEST_EXPECT(test_msgq_poll(&receiver, cpls, NB_RECV), DEPTH + 2);
	both_free();
	return TEST_SUCCESS;
}

/* Sends without a flush wait, together, for each thing that ends their wait. */
static int
test_flush(void)
{
	const uint32_t none = RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS;
	struct rte_comch_cpl cpls[NB_RECV];
	uint32_t way, i;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	for (way = 0; way < 7; way++) {
		TEST_EXPECT(test_msgq_post(&receiver, 4), 4);
		for (i = 0; i < 3; i++)
			TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1,
				&i, sizeof(i), none), 0);
		TEST_EXPECT(test_msgq_poll(&receiver, cpls, NB_RECV), 0);
		if (way == 0)
			rte_comch_dpa_dev_consumer_ack(consumer.handle, 0);
		else if (way == 1)
			rte_comch_dpa_dev_completion_ack(rx_comp.handle, 0);
		else if (way == 2)
			shm_dpa_eu_flush(0);
		else if (way == 3)
			TEST_EXPECT(rte_comch_dpa_dev_producer_consumer_empty(producer.handle, 1),
				0);
		/* the last credit, of another length; and then there is none */
		TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, "abc",
			way == 4 ? 4 : 3, way == 5 ? none : none | RTE_COMCH_DPA_DEV_F_FLUSH), 0);
		if (way == 5)
			TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1,
				"abc", 3, none), -EAGAIN);
		TEST_EXPECT(test_msgq_poll(&receiver, cpls, NB_RECV), 4);
		for (i = 0; i < 3; i++)
			TEST_EXPECT(*(uint32_t *)(void *)cpls[i].imm, i);
		TEST_TRUE(memcmp(cpls[3].imm, "abc", 3) == 0);
	}
	both_free();
	return TEST_SUCCESS;
}

/* Messages that follow one that waits for a flush are looked at as closely as it was. */
static int
test_follow(void)
{
	const uint32_t none = RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS;
	struct rte_comch_dpa_dev_elem elem;
	struct rte_comch_cpl cpls[NB_RECV];
	uint8_t imm[SHM_MSGQ_IMM_SIZE + 1] = { 0 };
	uint32_t i;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	TEST_EXPECT(test_msgq_post(&receiver, NB_RECV), NB_RECV);
	for (i = 0; i < NB_RECV; i++) {
		imm[0] = (uint8_t)i;
		TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, imm, 8,
			i % 3 == 1 ? 0 : none), 0);
		if (i != 1)
			continue;
		EXPECT_MISTAKE(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, imm, 8,
			none | 4), "producer_post_send_imm", -EINVAL);
		EXPECT_MISTAKE(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, NULL, 8,
			none), "producer_post_send_imm", -EINVAL);
		EXPECT_MISTAKE(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, imm,
			sizeof(imm), none), "producer_post_send_imm", -EMSGSIZE);
		EXPECT_MISTAKE(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 9, imm, 8,
			none), "producer_post_send_imm", -ENOENT);
		EXPECT_MISTAKE(rte_comch_dpa_dev_producer_post_send_imm(consumer.handle, 1, imm, 8,
			none), "producer_post_send_imm", -EINVAL);
	}
	/* there is no credit left, which makes those that wait visible */
	TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, imm, 8, none),
		-EAGAIN);
	TEST_EXPECT(test_msgq_poll(&receiver, cpls, NB_RECV), NB_RECV);
	for (i = 0; i < NB_RECV; i++)
		TEST_TRUE(cpls[i].imm_len == 8 && cpls[i].imm[0] == i);
	for (i = 0; i < (NB_RECV + 1) / 3; i++)
		TEST_EXPECT(rte_comch_dpa_dev_completion_get(tx_comp.handle, &elem), 1);
	TEST_EXPECT(rte_comch_dpa_dev_completion_get(tx_comp.handle, &elem), 0);
	both_free();
	return TEST_SUCCESS;
}

/* A consumer goes, or the producer, while a message waits for a flush, and others follow. */
static int
test_follow_gone(void)
{
	const uint32_t none = RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS;
	uint32_t i, way;
	uint64_t handle;

	for (way = 0; way < 2; way++) {
		TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
		handle = producer.handle;
		TEST_EXPECT(test_msgq_post(&receiver, NB_RECV), NB_RECV);
		for (i = 0; i < 2; i++)
			TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(handle, 1, "a", 1,
				none), 0);
		if (way == 0)
			TEST_EXPECT(shm_queue_stop(&receiver.queue, -ECANCELED, NULL), 0);
		else
			shm_msgq_dpa_queue_destroy(&producer);
		EXPECT_MISTAKE(rte_comch_dpa_dev_producer_post_send_imm(handle, 1, "a", 1, none),
			"producer_post_send_imm", way == 0 ? -ENOENT : -EINVAL);
		if (way == 1)
			TEST_CALL(test_msgq_dpa_queue(&producer, &from, &tx_comp, false, 1, DEPTH));
		both_free();
	}
	return TEST_SUCCESS;
}

/* A producer goes while messages of it wait: they come, and so do those of the next one. */
static int
test_follow_next_producer(void)
{
	const uint32_t none = RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS;
	struct rte_comch_cpl cpls[NB_RECV];
	uint64_t former;
	uint32_t i;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	former = producer.handle;
	TEST_EXPECT(test_msgq_post(&receiver, NB_RECV), NB_RECV);
	for (i = 0; i < 2; i++)
		TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(former, 1, "a", 1, none), 0);
	shm_msgq_dpa_queue_destroy(&producer);
	TEST_CALL(test_msgq_dpa_queue(&producer, &from, &tx_comp, false, 2, DEPTH));
	TEST_EXPECT(producer.handle, former); /* else nothing is tested */
	TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, "b", 1,
		none | RTE_COMCH_DPA_DEV_F_FLUSH), 0);
	TEST_EXPECT(test_msgq_poll(&receiver, cpls, NB_RECV), 3);
	for (i = 0; i < 3; i++) {
		TEST_EXPECT(cpls[i].producer_id, i < 2 ? 1 : 2);
		TEST_EXPECT(cpls[i].imm[0], i < 2 ? 'a' : 'b');
	}

	/* and without one that has its address */
	TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(former, 1, "c", 1, none), 0);
	shm_msgq_dpa_queue_destroy(&producer);
	shm_dpa_eu_flush(0);
	TEST_EXPECT(test_msgq_poll(&receiver, cpls, NB_RECV), 1);
	TEST_EXPECT(cpls[0].imm[0], 'c');
	TEST_CALL(test_msgq_dpa_queue(&producer, &from, &tx_comp, false, 3, DEPTH));
	both_free();
	return TEST_SUCCESS;
}

/* The consumer goes while messages wait, and another one has its memory: none is for it. */
static int
test_follow_next_consumer(void)
{
	const uint32_t none = RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS;
	struct rte_comch_cpl cpls[NB_RECV];
	const struct shm_msgq_rx *rx;
	uint64_t former;
	uint32_t i;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	rx = receiver.fp.queue;
	former = rx->host.dpa;
	TEST_EXPECT(test_msgq_post(&receiver, NB_RECV), NB_RECV);
	for (i = 0; i < 2; i++)
		TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, "a", 1,
			none), 0);
	test_msgq_end_free(&receiver);
	TEST_CALL(test_msgq_end(&receiver, &from, true, 2, NB_RECV));
	rx = receiver.fp.queue;
	TEST_EXPECT(rx->host.dpa, former); /* else nothing is tested */
	TEST_EXPECT(test_msgq_post(&receiver, NB_RECV), NB_RECV);
	EXPECT_MISTAKE(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, "a", 1, none),
		"producer_post_send_imm", -ENOENT);
	TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 2, "b", 1,
		none | RTE_COMCH_DPA_DEV_F_FLUSH), 0);
	TEST_EXPECT(test_msgq_poll(&receiver, cpls, NB_RECV), 1);
	TEST_EXPECT(cpls[0].imm[0], 'b');
	both_free();
	return TEST_SUCCESS;
}

/* The same with all of the message queue: handles, identifiers and addresses come back. */
static int
test_follow_next_msgq(void)
{
	const uint32_t none = RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS;
	struct rte_comch_cpl cpls[NB_RECV];
	uint32_t i, way;
	uint64_t former;

	for (way = 0; way < 2; way++) {
		TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
		former = producer.handle;
		TEST_EXPECT(test_msgq_post(&receiver, NB_RECV), NB_RECV);
		for (i = 0; i < 3; i++)
			TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(former, 1, "a", 1,
				none), 0);
		both_free();
		TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
		TEST_EXPECT(producer.handle, former); /* else nothing is tested */
		TEST_EXPECT(test_msgq_post(&receiver, NB_RECV), NB_RECV);
		if (way == 0)
			shm_dpa_eu_flush(0);
		TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, "b", 1,
			none | RTE_COMCH_DPA_DEV_F_FLUSH), 0);
		TEST_EXPECT(test_msgq_poll(&receiver, cpls, NB_RECV), 1);
		TEST_EXPECT(cpls[0].imm[0], 'b');
		both_free();
	}
	return TEST_SUCCESS;
}

/*
 * Messages of a run that lie where later slots have their words, and look like the words
 * that are due there in the next round.
 */
#define NB_SINGLE 32

static void
alias_fill(uint64_t words[NB_RECV][SHM_MSGQ_IMM_SIZE / 8], uint32_t pos, uint32_t ring)
{
	uint32_t i;

	memset(words, 0x11, NB_RECV * SHM_MSGQ_IMM_SIZE);
	/* the last 8 bytes of each other message are behind 64 bytes, from the word on */
	for (i = 1; i < NB_RECV; i += 2)
		words[i][3] = shm_slot_word(SHM_SLOT_START + pos + (i + 1) / 2 + ring, 1, 1);
}

static int
alias_from(uint32_t pos)
{
	const uint32_t none = RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS;
	uint64_t words[NB_RECV][SHM_MSGQ_IMM_SIZE / 8];
	const struct shm_msgq_rx *rx = receiver.fp.queue;
	struct rte_comch_cpl cpls[NB_RECV];
	uint32_t i;

	alias_fill(words, pos, rx->mask + 1);
	TEST_EXPECT(test_msgq_post(&receiver, NB_RECV), NB_RECV);
	for (i = 0; i < NB_RECV; i++)
		TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, words[i],
			sizeof(words[i]), none), 0);
	shm_dpa_eu_flush(0);
	TEST_EXPECT(test_msgq_poll(&receiver, cpls, NB_RECV), NB_RECV);
	for (i = 0; i < NB_RECV; i++)
		TEST_TRUE(memcmp(cpls[i].imm, words[i], sizeof(words[i])) == 0);
	for (i = 0; i < NB_SINGLE; i++) {
		TEST_EXPECT(test_msgq_post(&receiver, 1), 1);
		TEST_EXPECT(test_msgq_poll(&receiver, cpls, 1), 0);
		TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, "b", 1,
			none | RTE_COMCH_DPA_DEV_F_FLUSH), 0);
		TEST_EXPECT(test_msgq_poll(&receiver, cpls, 1), 1);
		TEST_EXPECT(cpls[0].imm[0], 'b');
	}
	return TEST_SUCCESS;
}

static int
alias_to(uint32_t pos)
{
	const struct shm_msgq_target *t = consumer.priv;
	uint64_t words[NB_RECV][SHM_MSGQ_IMM_SIZE / 8];
	struct rte_comch_send msgs[NB_RECV] = { 0 };
	struct rte_comch_dpa_dev_elem elem;
	uint32_t i;

	alias_fill(words, pos, t->mask + 1);
	for (i = 0; i < NB_RECV; i++) {
		msgs[i].imm = words[i];
		msgs[i].imm_len = sizeof(words[i]);
		msgs[i].flags = RTE_COMCH_SEND_F_NO_CPL;
	}
	TEST_EXPECT(sender.fp.send(sender.fp.queue, 1, msgs, NB_RECV), NB_RECV);
	for (i = 0; i < NB_RECV + NB_SINGLE; i++) {
		if (i >= NB_RECV) {
			TEST_EXPECT(rte_comch_dpa_dev_completion_get(rx_comp.handle, &elem), 0);
			TEST_EXPECT(test_msgq_send(&sender, 1, words[0], sizeof(words[0])), 1);
		}
		TEST_EXPECT(rte_comch_dpa_dev_completion_get(rx_comp.handle, &elem), 1);
		TEST_TRUE(memcmp(rte_comch_dpa_dev_elem_imm(&elem, NULL),
			words[i < NB_RECV ? i : 0], sizeof(words[0])) == 0);
		TEST_EXPECT(rte_comch_dpa_dev_completion_ack(rx_comp.handle, 1), 0);
		TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(consumer.handle, 1), 0);
	}
	return TEST_SUCCESS;
}

static int
test_aliases(void)
{
	uint32_t pos;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(consumer.handle, NB_RECV), 0);
	/* through the wrap of positions as well */
	for (pos = 0; pos < 800; pos += NB_RECV + NB_SINGLE) {
		TEST_CALL(alias_from(pos));
		TEST_CALL(alias_to(pos));
	}
	both_free();
	return TEST_SUCCESS;
}

/* A consumer that goes: the program does not find it, and its posts come back. */
static int
test_withdraw(void)
{
	struct rte_comch_cpl cpls[NB_RECV];
	uint32_t i;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	TEST_EXPECT(test_msgq_post(&receiver, NB_RECV), NB_RECV);
	for (i = 0; i < 3; i++)
		TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, "a", 1,
			RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS | RTE_COMCH_DPA_DEV_F_FLUSH), 0);
	/* one that waits for a flush is for nobody */
	TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, "a", 1,
		RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS), 0);
	TEST_EXPECT(shm_queue_stop(&receiver.queue, -ECANCELED, NULL), 0);
	shm_dpa_eu_flush(0);
	EXPECT_MISTAKE(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, "a", 1, 0),
		"producer_post_send_imm", -ENOENT);
	TEST_EXPECT(shm_consumer_left(&receiver.queue), NB_RECV);
	TEST_EXPECT(test_msgq_poll(&receiver, cpls, NB_RECV), 3);
	TEST_EXPECT(test_msgq_poll(&receiver, cpls, NB_RECV), NB_RECV - 3);
	TEST_EXPECT(cpls[0].status, -ECANCELED);
	TEST_EXPECT(shm_consumer_left(&receiver.queue), 0);
	shm_msgq_dpa_queue_destroy(&consumer);
	TEST_EXPECT(test_msgq_send(&sender, 1, "a", 1), 0);
	TEST_CALL(test_msgq_dpa_queue(&consumer, &to, &rx_comp, true, 2, NB_RECV));
	TEST_EXPECT(test_msgq_send(&sender, 1, "a", 1), 0);
	TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(consumer.handle, 1), 0);
	TEST_EXPECT(test_msgq_send(&sender, 2, "a", 1), 1);
	both_free();
	return TEST_SUCCESS;
}

/*
 * A message wakes the unit, whose program takes it before the unit sleeps. The next one has
 * to wake it as well, though the program has not asked again; then nothing is asked for.
 */
static int
test_asked_and_taken(void)
{
	const uint32_t *wake = &shm_dpa_host(&msgq_dpa)->eus[0].wake;
	struct rte_comch_dpa_dev_elem elem;
	uint32_t before, i;

	TEST_CALL(both_create(0));
	TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(consumer.handle, NB_RECV), 0);
	TEST_EXPECT(rte_comch_dpa_dev_completion_request_notification(rx_comp.handle), 0);
	before = *wake;
	for (i = 0; i < 2; i++) {
		TEST_EXPECT(test_msgq_send(&sender, 1, "a", 1), 1);
		TEST_EXPECT(rte_comch_dpa_dev_completion_get(rx_comp.handle, &elem), 1);
		TEST_EXPECT(rte_comch_dpa_dev_completion_ack(rx_comp.handle, 1), 0);
		TEST_TRUE(!shm_dpa_eu_pending(0));
		TEST_EXPECT(*wake - before, i + 1);
	}
	TEST_EXPECT(test_msgq_send(&sender, 1, "a", 1), 1);
	TEST_TRUE(shm_dpa_eu_pending(0));
	TEST_TRUE(!shm_dpa_eu_pending(0));
	TEST_EXPECT(test_msgq_send(&sender, 1, "a", 1), 1);
	TEST_EXPECT(*wake - before, 3);
	both_free();
	return TEST_SUCCESS;
}

/* Without membarrier(), the host cannot fence for the units: they do it themselves. */
static int
test_fences(void)
{
	TEST_EXPECT(shm_dpa_whole(), shm_fences_needed());
	SHM_DPA_PROG_SEG->flags = SHM_DPA_PROG_F_WHOLE;
	TEST_TRUE(shm_dpa_whole());
	TEST_CALL(both_create(0));
	TEST_TRUE(((struct shm_msgq_target *)consumer.priv)->fence);
	both_free();
	return TEST_SUCCESS;
}

/* Messages in bursts, each of which has to come as it is. */
static int
pass_bursts(uint32_t nb_msgs, uint32_t burst)
{
	struct rte_comch_send msgs[DEPTH];
	struct rte_comch_dpa_dev_elem elem;
	uint32_t done, i;

	for (i = 0; i < burst; i++)
		msgs[i] = (struct rte_comch_send){ .imm = "a", .imm_len = 1,
			.flags = RTE_COMCH_SEND_F_NO_CPL };
	for (done = 0; done < nb_msgs; done += burst) {
		TEST_EXPECT(sender.fp.send(sender.fp.queue, 1, msgs, burst), burst);
		for (i = 0; i < burst; i++)
			TEST_EXPECT(rte_comch_dpa_dev_completion_get(rx_comp.handle, &elem), 1);
		TEST_EXPECT(rte_comch_dpa_dev_completion_ack(rx_comp.handle, burst), 0);
		TEST_EXPECT(rte_comch_dpa_dev_completion_get(rx_comp.handle, &elem), 0);
		TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(consumer.handle, burst), 0);
	}
	return TEST_SUCCESS;
}

/* As if so many messages more had passed, and left in the slots what is there. */
static void
positions_move(uint32_t nb)
{
	struct shm_msgq_target *t = consumer.priv;
	struct shm_msgq_cons_state *st = t->prog.host;

	t->head += nb;
	t->tail_seen += nb;
	st->tail += nb;
	st->head += nb;
	st->posted += nb;
}

/*
 * Positions are the same ones after 2^32 messages. Bursts that always begin at the same
 * slots leave the words of those between as they are: none may be taken for a new message.
 */
static int
test_same_positions(void)
{
	const struct shm_msgq_target *t;
	uint32_t ring, start;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	t = consumer.priv;
	ring = t->mask + 1;
	TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(consumer.handle, NB_RECV), 0);
	start = t->head;
	TEST_CALL(pass_bursts(ring, 1));
	TEST_CALL(pass_bursts(ring, DEPTH));
	/* on the way: where each slot has to get a word */
	positions_move(SHM_SLOT_RENEW - SHM_SLOT_START - t->head);
	TEST_CALL(pass_bursts(ring, DEPTH));
	positions_move(start - t->head);
	TEST_CALL(pass_bursts(ring, DEPTH - 1));
	both_free();
	return TEST_SUCCESS;
}

/* The other way: what the program sends, and flushes by bursts. */
static int
pass_bursts_from(uint32_t nb_msgs, uint32_t burst)
{
	const uint32_t none = RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS;
	struct rte_comch_cpl cpls[NB_RECV];
	uint32_t done, i;

	for (done = 0; done < nb_msgs; done += burst) {
		for (i = 0; i < burst; i++)
			TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1,
				"a", 1, none), 0);
		shm_dpa_eu_flush(0);
		TEST_EXPECT(test_msgq_poll(&receiver, cpls, NB_RECV), burst);
		TEST_EXPECT(test_msgq_poll(&receiver, cpls, NB_RECV), 0);
		TEST_EXPECT(test_msgq_post(&receiver, burst), burst);
	}
	return TEST_SUCCESS;
}

static void
positions_move_from(uint32_t nb)
{
	struct shm_msgq_rx *rx = receiver.fp.queue;
	struct shm_msgq_sink_state *st = shm_dpa_state(rx->sink->state);

	st->head += nb;
	st->tail_seen += nb;
	rx->sink->tail += nb;
	rx->post_pos += nb;
	rx->poll_pos += nb;
}

static int
test_same_positions_from(void)
{
	const struct shm_msgq_rx *rx;
	uint32_t ring, start;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	rx = receiver.fp.queue;
	ring = rx->mask + 1;
	TEST_EXPECT(test_msgq_post(&receiver, NB_RECV), NB_RECV);
	start = rx->poll_pos;
	TEST_CALL(pass_bursts_from(ring, 1));
	TEST_CALL(pass_bursts_from(ring, DEPTH));
	positions_move_from(SHM_SLOT_RENEW - SHM_SLOT_START - rx->poll_pos);
	TEST_CALL(pass_bursts_from(ring, DEPTH));
	positions_move_from(start - rx->poll_pos);
	TEST_CALL(pass_bursts_from(ring, DEPTH - 1));
	both_free();
	return TEST_SUCCESS;
}

/* Messages that wait, at either end; a program that lies about its own has none. */
static int
test_waiting(void)
{
	struct shm_msgq_cons_state *st;
	struct rte_comch_dpa_dev_elem elem;
	struct rte_comch_cpl cpls[NB_RECV];
	uint32_t i;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	st = (void *)(uintptr_t)((const struct shm_msgq_cons *)
		((struct shm_msgq *)to.priv)->targets[0]->cons)->state;
	TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(consumer.handle, NB_RECV), 0);
	TEST_EXPECT(test_msgq_post(&receiver, DEPTH), DEPTH);
	TEST_EXPECT(shm_msgq_waiting(&to) + shm_msgq_waiting(&from), 0);
	for (i = 0; i < 3; i++) {
		TEST_EXPECT(test_msgq_send(&sender, 1, "a", 1), 1);
		TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1,
				(const uint8_t *)"b", 1, RTE_COMCH_DPA_DEV_F_FLUSH), 0);
	}
	TEST_EXPECT(shm_msgq_waiting(&to), 3);
	TEST_EXPECT(shm_msgq_waiting(&from), 3);
	TEST_EXPECT(rte_comch_dpa_dev_completion_get(rx_comp.handle, &elem), 1);
	TEST_EXPECT(test_msgq_poll(&receiver, cpls, 2), 2);
	TEST_EXPECT(shm_msgq_waiting(&to), 2);
	TEST_EXPECT(shm_msgq_waiting(&from), 1);
	__atomic_store_n(&st->head, 77777, __ATOMIC_RELAXED);
	TEST_EXPECT(shm_msgq_waiting(&to), 0);
	__atomic_store_n(&st->head, 1, __ATOMIC_RELAXED);
	TEST_EXPECT(test_msgq_poll(&receiver, cpls, 1), 1);
	test_msgq_end_free(&receiver);
	TEST_EXPECT(shm_msgq_waiting(&from), 0);
	TEST_EXPECT(test_msgq_end(&receiver, &from, true, 2, NB_RECV), TEST_SUCCESS);
	both_free();
	return TEST_SUCCESS;
}

/*
 * What is taken away while somebody is inside
 */

/* Whether memory of HOST is in use. */
static bool
host_has(uint64_t addr)
{
	return shm_dpa_seg_find(&msgq_dpa.segs.seg[SHM_DPA_HOST], addr, 1) != NULL;
}

/* A producer of this side stays in a burst: the consumer is freed when the queue stops. */
static int
test_kept_target(void)
{
	struct shm_msgq_tx *tx;
	uint64_t addr;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	tx = sender.queue.priv;
	addr = consumer.handle;
	__atomic_store_n(&tx->busy, 0, __ATOMIC_RELAXED); /* the slot of the only one */
	shm_msgq_dpa_queue_destroy(&consumer);
	TEST_TRUE(host_has(addr));
	TEST_EXPECT(test_msgq_send(&sender, 1, NULL, 0), 0); /* it is not found any more */
	test_msgq_end_free(&sender);
	TEST_TRUE(host_has(addr));
	shm_msgq_stop(&to);
	TEST_TRUE(!host_has(addr));
	TEST_EXPECT(msgq_dpa.nb_kept, 0);
	test_msgq_end_free(&receiver);
	shm_msgq_dpa_queue_destroy(&producer);
	shm_msgq_completion_destroy(&rx_comp);
	shm_msgq_completion_destroy(&tx_comp);
	shm_msgq_stop(&from);
	return TEST_SUCCESS;
}

static void *
consumer_destroy_main(void *arg)
{
	RTE_SET_USED(arg);
	shm_msgq_dpa_queue_destroy(&consumer);
	return NULL;
}

/* As above, but it leaves when another producer was made and freed. Whether it was kept. */
static int
settle_round(bool *kept)
{
	struct msgq_end second;
	struct shm_msgq_tx *tx;
	struct shm_msgq *mq;
	pthread_t thread;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	tx = sender.queue.priv;
	mq = to.priv;
	__atomic_store_n(&tx->busy, 0, __ATOMIC_RELAXED);
	TEST_EXPECT(pthread_create(&thread, NULL, consumer_destroy_main, NULL), 0);
	usleep(20000); /* it waits now */
	TEST_CALL(test_msgq_end(&second, &to, false, 2, NB_RECV));
	test_msgq_end_free(&second);
	__atomic_store_n(&tx->busy, SHM_MSGQ_NO_SLOT, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	*kept = mq->kept != NULL;
	test_msgq_end_free(&sender);
	test_msgq_end_free(&receiver);
	shm_msgq_dpa_queue_destroy(&producer);
	shm_msgq_completion_destroy(&rx_comp);
	shm_msgq_completion_destroy(&tx_comp);
	shm_msgq_stop(&to);
	shm_msgq_stop(&from);
	return TEST_SUCCESS;
}

/* Other engines make and free queues while somebody waits for a producer. */
static int
test_settle_holds_nobody(void)
{
	bool kept = true;
	unsigned int i;

	/* on a busy machine this thread may be late */
	for (i = 0; i < 5 && kept; i++)
		TEST_CALL(settle_round(&kept));
	TEST_TRUE(!kept);
	return TEST_SUCCESS;
}

/* A unit stays in a device function: what it may look at is kept until the program stops. */
static int
test_kept_places(void)
{
	uint64_t *looks = &SHM_DPA_PROG_SEG->eus[0].looks;
	uint64_t addrs[2], other;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	addrs[0] = producer.handle;
	addrs[1] = ((struct shm_msgq_rx *)receiver.queue.priv)->host.dpa;
	other = consumer.handle;
	__atomic_store_n(looks, 1, __ATOMIC_RELAXED);
	shm_msgq_dpa_queue_destroy(&producer);
	test_msgq_end_free(&receiver);
	TEST_EXPECT(msgq_dpa.nb_kept, 2);
	/* it comes out, and nothing more is kept */
	__atomic_store_n(looks, 2, __ATOMIC_RELAXED);
	test_msgq_end_free(&sender);
	shm_msgq_dpa_queue_destroy(&consumer);
	TEST_TRUE(!host_has(other));
	shm_msgq_completion_destroy(&rx_comp);
	shm_msgq_completion_destroy(&tx_comp);
	shm_msgq_stop(&to);
	shm_msgq_stop(&from);
	TEST_EXPECT(msgq_dpa.nb_kept, 2);
	TEST_TRUE(host_has(addrs[0]) && host_has(addrs[1]));
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "device functions of message queues",
	.setup = NULL,
	.teardown = NULL,
	.unit_test_cases = {
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_ack_args),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_completion_args),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_send_args),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_looks),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_contents),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_ack_before_completion_ack),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_send_completions),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_withdraw),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_asked_and_taken),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_fences),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_same_positions),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_same_positions_from),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_flush),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_follow),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_follow_gone),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_follow_next_producer),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_follow_next_consumer),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_follow_next_msgq),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_aliases),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_waiting),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_kept_target),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_settle_holds_nobody),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_kept_places),
		TEST_CASES_END(),
	},
};

static int
test_shm_msgq(void)
{
	return unit_test_suite_runner(&suite);
}

REGISTER_FAST_TEST(shm_msgq_autotest, NOHUGE_OK, ASAN_OK, test_shm_msgq);
