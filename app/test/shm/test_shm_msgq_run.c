/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Messages that are together behind one word: how long they wait for a flush, what goes
 * meanwhile, what they leave in the entries, and positions that are the same again. One
 * thread plays both ends.
 */

#include <pthread.h>
#include <sched.h>

#include "test_shm_msgq_both.h"

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

/* A producer is being destroyed while it sends: nothing follows when it has gone. */
static int
test_follow_going(void)
{
	const uint32_t none = RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS;
	struct rte_comch_cpl cpls[NB_RECV];
	struct shm_msgq_prod *prod;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	prod = ((struct shm_msgq_source *)producer.priv)->host.host;
	TEST_EXPECT(test_msgq_post(&receiver, NB_RECV), NB_RECV);
	/* the unit has seen the magic, and sees the serial go */
	prod->serial = 0;
	TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, "a", 1, none), 0);
	prod->magic = 0;
	EXPECT_MISTAKE(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, "a", 1, none),
		"producer_post_send_imm", -EINVAL);
	TEST_EXPECT(test_msgq_poll(&receiver, cpls, NB_RECV), 1);
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

/* As if so many messages more had passed, and left in the entries what is there. */
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
 * entries leave the words of those between as they are: none may be taken for a new message.
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
	/* on the way: where each entry has to get a word */
	positions_move(SHM_ENTRY_RENEW - SHM_ENTRY_START - t->head);
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
	positions_move_from(SHM_ENTRY_RENEW - SHM_ENTRY_START - rx->poll_pos);
	TEST_CALL(pass_bursts_from(ring, DEPTH));
	positions_move_from(start - rx->poll_pos);
	TEST_CALL(pass_bursts_from(ring, DEPTH - 1));
	both_free();
	return TEST_SUCCESS;
}

static void *
asker(void *arg)
{
	uint32_t *stop = arg;
	uintptr_t odd = 0;

	while (__atomic_load_n(stop, __ATOMIC_RELAXED) == 0) {
		odd += shm_msgq_waiting(&from) > NB_RECV;
		sched_yield();
	}
	return (void *)odd;
}

/* Any thread may ask how many messages wait, while a consumer takes them. */
static int
test_waiting_threads(void)
{
	uint32_t stop = 0;
	pthread_t thread;
	void *odd = NULL;
	int ret;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	TEST_EXPECT(test_msgq_post(&receiver, NB_RECV), NB_RECV);
	TEST_EXPECT(pthread_create(&thread, NULL, asker, &stop), 0);
	ret = pass_bursts_from(20000, DEPTH);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, &odd);
	TEST_EXPECT(ret, TEST_SUCCESS);
	TEST_TRUE(odd == NULL);
	both_free();
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "runs of message queues",
	.setup = NULL,
	.teardown = NULL,
	.unit_test_cases = {
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_flush),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_follow),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_follow_gone),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_follow_going),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_follow_next_producer),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_follow_next_consumer),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_follow_next_msgq),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_same_positions),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_same_positions_from),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_waiting_threads),
		TEST_CASES_END(),
	},
};

REGISTER_FAST_TEST(shm_msgq_run_autotest, unit_test_suite_runner, &suite);
