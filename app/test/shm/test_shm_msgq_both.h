/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_SHM_MSGQ_BOTH_H
#define TEST_SHM_MSGQ_BOTH_H

/*
 * A message queue in each direction, for the suites in which one thread plays both ends.
 * No test is in here.
 */

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
	shm_msgq_destroy(&to);
	shm_msgq_destroy(&from);
}

/* A call fails with a number, and is noted as a mistake. */
#define EXPECT_MISTAKE(expr, func, error) do { \
	uint64_t before_ = test_msgq_mistakes(); \
	TEST_EXPECT(expr, error); \
	TEST_EXPECT(test_msgq_mistakes() - before_, 1); \
	TEST_CALL(test_msgq_mistake_is(func, error)); \
} while (0)

#endif /* TEST_SHM_MSGQ_BOTH_H */
