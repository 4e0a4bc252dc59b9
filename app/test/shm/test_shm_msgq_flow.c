/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Message queues under load, in one process: order and content of many messages each way,
 * from several producers to several consumers. COMCH_TEST_MSGQ_MSGS says how many.
 */

#include <sched.h>

#include "test_shm_msgq.h"

#define NB_ENDS 2
#define NB_MSGS 4000000
#define QUEUE_SIZE 256
#define BURST 32

/* A message: who sent it, to whom, its number, and what follows from them. */
struct flow_msg {
	uint32_t producer;
	uint32_t consumer;
	uint64_t seq;
	uint64_t fill[2];
};

/* What one consumer has seen. */
struct flow_seen {
	uint64_t seq[NB_ENDS]; /* the next, by producer */
	uint64_t nb;
};

static struct rte_comch_msgq msgq;
static struct rte_comch_dpa_completion comps[NB_ENDS];
static struct rte_comch_dpa_queue dpa_queues[NB_ENDS];
static struct msgq_end ends[NB_ENDS];
static struct flow_seen seen[NB_ENDS];
static uint64_t nb_each; /* from each producer to each consumer */
static const char *error; /* atomic: of any thread */

static void
flow_fail(const char *what)
{
	__atomic_store_n(&error, what, __ATOMIC_RELAXED);
}

static bool
flow_failed(void)
{
	return __atomic_load_n(&error, __ATOMIC_RELAXED) != NULL;
}

static void
msg_fill(struct flow_msg *msg, uint32_t producer, uint32_t consumer, uint64_t seq)
{
	msg->producer = producer;
	msg->consumer = consumer;
	msg->seq = seq;
	msg->fill[0] = seq * UINT64_C(0x9e3779b97f4a7c15) ^ producer;
	msg->fill[1] = ~msg->fill[0];
}

/* A message has come: the next of its producer, and whole. */
static void
msg_check(const void *imm, uint32_t len, uint32_t producer, uint32_t consumer)
{
	struct flow_seen *s = &seen[consumer - 1];
	struct flow_msg want, got;

	if (producer - 1 >= NB_ENDS || len != sizeof(got)) {
		flow_fail("a message has the wrong length or producer");
		return;
	}
	memcpy(&got, imm, sizeof(got));
	msg_fill(&want, producer, consumer, s->seq[producer - 1]);
	if (memcmp(&got, &want, sizeof(got)) != 0)
		flow_fail("a message is wrong, lost or late");
	s->seq[producer - 1]++;
	s->nb++;
}

/* Bounded: nothing is to stay away for so long. */
static bool
wait_turn(uint64_t *since, bool moved)
{
	uint64_t now;

	if (moved) {
		*since = 0;
		return true;
	}
	sched_yield();
	now = test_now_ns();
	if (*since == 0)
		*since = now;
	if (now - *since > MSGQ_LOST_NS)
		flow_fail("nothing moves");
	return !flow_failed();
}

/*
 * To the program
 */

static void *
cpu_producer(void *arg)
{
	const uint32_t index = (uintptr_t)arg;
	struct flow_msg bufs[BURST];
	struct rte_comch_send msgs[BURST];
	uint64_t seq[NB_ENDS] = { 0 }, since = 0, left = nb_each * NB_ENDS;
	uint32_t to = index, nb = 1, i, sent;
	struct rte_comch_cpl cpls[BURST];

	memset(msgs, 0, sizeof(msgs));
	while (left != 0 && !flow_failed()) {
		to = (to + 1) % NB_ENDS;
		nb = nb % BURST + 1;
		nb = RTE_MIN(nb, nb_each - seq[to]);
		if (nb == 0) {
			nb = 1;
			continue;
		}
		for (i = 0; i < nb; i++) {
			msg_fill(&bufs[i], index + 1, to + 1, seq[to] + i);
			msgs[i].imm = &bufs[i];
			msgs[i].imm_len = sizeof(bufs[i]);
			msgs[i].cookie = seq[to] + i;
		}
		sent = ends[index].fp.send(ends[index].fp.queue, to + 1, msgs, nb);
		seq[to] += sent;
		left -= sent;
		i = test_msgq_poll(&ends[index], cpls, BURST);
		wait_turn(&since, sent + i != 0);
	}
	return NULL;
}

static void *
unit_consumer(void *arg)
{
	const uint32_t index = (uintptr_t)arg;
	struct rte_comch_dpa_dev_elem elem;
	uint32_t len, unacked = 0;
	uint64_t since = 0;
	const uint8_t *imm;
	int ret;

	msgq_unit_self.eu = index;
	if (rte_comch_dpa_dev_consumer_ack(dpa_queues[index].handle, QUEUE_SIZE) != 0)
		flow_fail("no receive can be posted");
	while (seen[index].nb < nb_each * NB_ENDS && !flow_failed()) {
		ret = rte_comch_dpa_dev_completion_get(comps[index].handle, &elem);
		if (ret < 0)
			flow_fail("completion_get fails");
		if (ret == 1) {
			imm = rte_comch_dpa_dev_elem_imm(&elem, &len);
			msg_check(imm, len, rte_comch_dpa_dev_elem_producer_id(&elem), index + 1);
			unacked++;
		}
		if (unacked == BURST || (ret == 0 && unacked != 0)) {
			rte_comch_dpa_dev_completion_ack(comps[index].handle, unacked);
			rte_comch_dpa_dev_consumer_ack(dpa_queues[index].handle, unacked);
			unacked = 0;
		}
		if (!wait_turn(&since, ret == 1))
			break;
	}
	return NULL;
}

/*
 * From the program
 */

static void *
unit_producer(void *arg)
{
	const uint32_t index = (uintptr_t)arg;
	uint64_t seq[NB_ENDS] = { 0 }, since = 0, left = nb_each * NB_ENDS;
	struct rte_comch_dpa_dev_elem elem;
	struct flow_msg msg;
	uint32_t to = index;
	int ret;

	msgq_unit_self.eu = index;
	while (left != 0 && !flow_failed()) {
		to = (to + 1) % NB_ENDS;
		if (seq[to] == nb_each)
			continue;
		msg_fill(&msg, index + 1, to + 1, seq[to]);
		ret = rte_comch_dpa_dev_producer_post_send_imm(dpa_queues[index].handle, to + 1,
				&msg, sizeof(msg), left % 5 == 0 ? RTE_COMCH_DPA_DEV_F_FLUSH : 0);
		if (ret == 0) {
			seq[to]++;
			left--;
		} else if (ret != -EAGAIN && ret != -ENOBUFS) {
			flow_fail("post_send_imm fails");
		}
		if (rte_comch_dpa_dev_completion_get(comps[index].handle, &elem) == 1)
			rte_comch_dpa_dev_completion_ack(comps[index].handle, 1);
		wait_turn(&since, ret == 0);
	}
	/* as a thread that returns */
	shm_dpa_eu_flush(index);
	return NULL;
}

static void *
cpu_consumer(void *arg)
{
	const uint32_t index = (uintptr_t)arg;
	struct rte_comch_cpl cpls[BURST];
	uint64_t since = 0, cookie = 0;
	uint32_t nb, i;

	test_msgq_post(&ends[index], QUEUE_SIZE);
	while (seen[index].nb < nb_each * NB_ENDS && !flow_failed()) {
		nb = test_msgq_poll(&ends[index], cpls, 1 + cookie % BURST);
		for (i = 0; i < nb; i++)
			msg_check(cpls[i].imm, cpls[i].imm_len, cpls[i].producer_id, index + 1);
		cookie += nb;
		test_msgq_post(&ends[index], nb);
		if (!wait_turn(&since, nb != 0))
			break;
	}
	return NULL;
}

/*
 * Both
 */

static int
flow_create(bool to_dpa)
{
	uint32_t i;

	TEST_CALL(test_msgq_start(&msgq, to_dpa ? RTE_COMCH_MSGQ_TO_DPA : RTE_COMCH_MSGQ_FROM_DPA,
			NB_ENDS, NB_ENDS));
	for (i = 0; i < NB_ENDS; i++) {
		TEST_CALL(test_msgq_completion(&comps[i], to_dpa ?
				RTE_COMCH_DPA_COMPLETION_CONSUMER :
				RTE_COMCH_DPA_COMPLETION_PRODUCER, BURST, 1, SHM_MSGQ_NO_UNIT));
		TEST_CALL(test_msgq_dpa_queue(&dpa_queues[i], &msgq, &comps[i], to_dpa, i + 1,
				QUEUE_SIZE));
		TEST_CALL(test_msgq_end(&ends[i], &msgq, !to_dpa, i + 1, QUEUE_SIZE));
	}
	return TEST_SUCCESS;
}

static void
flow_free(void)
{
	uint32_t i;

	for (i = 0; i < NB_ENDS; i++) {
		test_msgq_end_free(&ends[i]);
		shm_msgq_dpa_queue_destroy(&dpa_queues[i]);
		shm_msgq_completion_destroy(&comps[i]);
	}
	shm_msgq_destroy(&msgq);
}

static int
flow(bool to_dpa)
{
	const char *env = getenv("COMCH_TEST_MSGQ_MSGS");
	pthread_t threads[2 * NB_ENDS];
	uint32_t i;

	test_time_limit(env != NULL ? 1800 : 120);
	nb_each = (env != NULL ? strtoull(env, NULL, 0) : NB_MSGS) / (NB_ENDS * NB_ENDS);
	memset(seen, 0, sizeof(seen));
	error = NULL;
	TEST_CALL(flow_create(to_dpa));
	for (i = 0; i < NB_ENDS; i++) {
		TEST_EXPECT(pthread_create(&threads[i], NULL, to_dpa ? cpu_producer :
			unit_producer, (void *)(uintptr_t)i), 0);
		TEST_EXPECT(pthread_create(&threads[NB_ENDS + i], NULL, to_dpa ? unit_consumer :
			cpu_consumer, (void *)(uintptr_t)i), 0);
	}
	for (i = 0; i < 2 * NB_ENDS; i++)
		pthread_join(threads[i], NULL);
	TEST_ASSERT(error == NULL, "%s", error);
	for (i = 0; i < NB_ENDS; i++)
		TEST_EXPECT(seen[i].nb, nb_each * NB_ENDS);
	TEST_EXPECT(shm_dpa_is_down(&msgq_dpa), 0);
	flow_free();
	return TEST_SUCCESS;
}

static int
test_to_dpa(void)
{
	return flow(true);
}

static int
test_from_dpa(void)
{
	return flow(false);
}

static struct unit_test_suite suite = {
	.suite_name = "messages of message queues, each way",
	.setup = NULL,
	.teardown = NULL,
	.unit_test_cases = {
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_to_dpa),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_from_dpa),
		TEST_CASES_END(),
	},
};

REGISTER_SLOW_TEST(shm_msgq_flow_autotest, unit_test_suite_runner, &suite);
