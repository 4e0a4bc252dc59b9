/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The program of the msgq suite: one thread function, which does what its block says, see
 * test_msgq_ctl.h, and calls that have it wait for messages. It also writes what no program
 * should, where the layout of queues says that the host reads.
 */

#include <rte_comch_dpa_dev.h>

#include "test_msgq_ctl.h"

/* The host posts again and again: a message without a credit waits here. */
static void
answer(const struct test_msgq_ctl *ctl, const void *imm, uint32_t len)
{
	const uint32_t flags = RTE_COMCH_DPA_DEV_F_FLUSH | RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS;
	struct test_msgq_copy copy;
	int ret;

	__builtin_memcpy(&copy, imm, ctl->deed == TEST_MSGQ_COPY ? sizeof(copy) : 0);
	do {
		if (ctl->deed == TEST_MSGQ_COPY)
			ret = rte_comch_dpa_dev_producer_dma_copy(ctl->producer, ctl->consumer_id,
					copy.dst, copy.dst_addr, copy.src, copy.src_addr, copy.len,
					imm, len, flags);
		else
			ret = rte_comch_dpa_dev_producer_post_send_imm(ctl->producer,
					ctl->consumer_id, imm, len, flags);
	} while (ret == -RTE_COMCH_DPA_DEV_EAGAIN);
}

/* Each function that notes its mistakes, once. */
static void
mistakes(const struct test_msgq_ctl *ctl)
{
	static const uint8_t imm[64];

	rte_comch_dpa_dev_completion_get(ctl->completion, NULL);
	rte_comch_dpa_dev_completion_ack(ctl->completion, 1);
	rte_comch_dpa_dev_consumer_ack(ctl->consumer, 1 << 20);
	rte_comch_dpa_dev_producer_consumer_empty(ctl->producer, 77);
	rte_comch_dpa_dev_producer_dma_copy(ctl->producer, ctl->consumer_id, 200, 0, 201, 0, 1, imm,
		1, 0);
	rte_comch_dpa_dev_window_ptr(200, 0, 1, false);
	rte_comch_dpa_dev_producer_post_send_imm(ctl->producer, ctl->consumer_id, imm, 33, 0);
}

static void
bad_tail(const struct test_msgq_ctl *ctl)
{
	const struct shm_msgq_cons *c = (const void *)(uintptr_t)ctl->consumer;
	struct shm_msgq_cons_state *st = (void *)(uintptr_t)c->state;

	__atomic_store_n(&st->tail, 0x12345678, __ATOMIC_RELEASE);
}

static void
bad_entry(const struct test_msgq_ctl *ctl)
{
	const struct shm_msgq_prod *p = (const void *)(uintptr_t)ctl->producer;
	const struct shm_msgq_host *msgq = (const void *)(uintptr_t)p->msgq;
	const struct shm_msgq_sink *sink;
	struct shm_entry *entries;

	sink = (const void *)(uintptr_t)msgq->sinks[ctl->consumer_id & (msgq->max_consumers - 1)];
	entries = (void *)(uintptr_t)sink->entries;
	shm_entry_publish(&entries[SHM_ENTRY_START & sink->mask],
		shm_entry_word(SHM_ENTRY_START, 1, 200));
}

RTE_COMCH_DPA_THREAD(msgq_thread)
{
	struct test_msgq_ctl *ctl = (struct test_msgq_ctl *)(uintptr_t)arg;
	struct rte_comch_dpa_dev_elem elem;
	const uint8_t *imm;
	uint32_t len;

	if (ctl->deed == TEST_MSGQ_MISTAKES)
		mistakes(ctl);
	if (ctl->deed == TEST_MSGQ_BAD_TAIL)
		bad_tail(ctl);
	if (ctl->deed == TEST_MSGQ_BAD_ENTRY)
		bad_entry(ctl);
	if (ctl->deed > TEST_MSGQ_COPY)
		return;
	if (ctl->credits != 0) {
		rte_comch_dpa_dev_consumer_ack(ctl->consumer, ctl->credits);
		ctl->credits = 0;
	}
	while (rte_comch_dpa_dev_completion_get(ctl->completion, &elem) == 1) {
		imm = rte_comch_dpa_dev_elem_imm(&elem, &len);
		answer(ctl, imm, len);
		rte_comch_dpa_dev_completion_ack(ctl->completion, 1);
		rte_comch_dpa_dev_consumer_ack(ctl->consumer, 1);
		if (ctl->one)
			break;
	}
	rte_comch_dpa_dev_completion_request_notification(ctl->completion);
}

/* What the host does for a thread that waits for its first message: it calls. */
RTE_COMCH_DPA_RPC(msgq_credits)
{
	const struct test_msgq_ctl *ctl = (const struct test_msgq_ctl *)(uintptr_t)args[0];

	return (uint64_t)rte_comch_dpa_dev_consumer_ack(ctl->consumer, (uint32_t)args[1]);
}

RTE_COMCH_DPA_RPC(msgq_request)
{
	const struct test_msgq_ctl *ctl = (const struct test_msgq_ctl *)(uintptr_t)args[0];

	return (uint64_t)rte_comch_dpa_dev_completion_request_notification(ctl->completion);
}
