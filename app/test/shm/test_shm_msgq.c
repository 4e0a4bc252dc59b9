/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The device functions of programs, each with arguments that cannot be and then with those
 * that can; credits; how elements and entries are given back. One thread plays both ends.
 */

#include <unistd.h>

#include "test_shm_msgq_both.h"

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

/* An element keeps its entry until it is given back, though its credit was given before. */
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
		/* as many as there can be, of other values, and no entry of those is theirs */
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
	shm_msgq_destroy(&to);
	TEST_TRUE(!host_has(addr));
	TEST_EXPECT(msgq_dpa.nb_retained, 0);
	test_msgq_end_free(&receiver);
	shm_msgq_dpa_queue_destroy(&producer);
	shm_msgq_completion_destroy(&rx_comp);
	shm_msgq_completion_destroy(&tx_comp);
	shm_msgq_destroy(&from);
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
	*kept = mq->retained != NULL;
	test_msgq_end_free(&sender);
	test_msgq_end_free(&receiver);
	shm_msgq_dpa_queue_destroy(&producer);
	shm_msgq_completion_destroy(&rx_comp);
	shm_msgq_completion_destroy(&tx_comp);
	shm_msgq_destroy(&to);
	shm_msgq_destroy(&from);
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
	TEST_EXPECT(msgq_dpa.nb_retained, 2);
	/* it comes out, and nothing more is kept */
	__atomic_store_n(looks, 2, __ATOMIC_RELAXED);
	test_msgq_end_free(&sender);
	shm_msgq_dpa_queue_destroy(&consumer);
	TEST_TRUE(!host_has(other));
	shm_msgq_completion_destroy(&rx_comp);
	shm_msgq_completion_destroy(&tx_comp);
	shm_msgq_destroy(&to);
	shm_msgq_destroy(&from);
	TEST_EXPECT(msgq_dpa.nb_retained, 2);
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
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_waiting),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_kept_target),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_settle_holds_nobody),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_kept_places),
		TEST_CASES_END(),
	},
};

REGISTER_FAST_TEST(shm_msgq_autotest, unit_test_suite_runner, &suite);
