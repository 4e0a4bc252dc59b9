/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The program of the offload processor: answers each ping with a pong, behind a copy of the
 * bytes that go with it, and sleeps in between. comch-dpacc builds it.
 */

#include <doca_dpa_dev.h>
#include <doca_dpa_dev_comch_msgq.h>

#include "../ping_pong.h"

/* A consumer begins without credits; called before the first ping is sent. */
__dpa_rpc__ uint64_t
ping_pong_begin(uint64_t consumer)
{
	doca_dpa_dev_comch_consumer_ack(consumer, PING_PONG_CREDITS);
	return 0;
}

/* The host has a receive posted for each ping that is on the way. */
static void
answer(const struct ping_pong_block *block,
		doca_dpa_dev_comch_consumer_completion_element_t element)
{
	struct ping_pong_msg msg;
	const uint8_t *imm;
	uint32_t len = 0;
	uint64_t offset;

	imm = doca_dpa_dev_comch_consumer_get_completion_imm(element, &len);
	if (len != sizeof(msg)) {
		DOCA_DPA_DEV_LOG_ERR("A ping has %u bytes", len);
		return;
	}
	__builtin_memcpy(&msg, imm, sizeof(msg));
	msg.answer = ~msg.number;
	if (block->size == 0) {
		doca_dpa_dev_comch_producer_post_send_imm_only(block->producer, block->consumer_id,
			(const uint8_t *)&msg, sizeof(msg), DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
		return;
	}
	offset = msg.number % PING_PONG_CREDITS * block->size;
	doca_dpa_dev_comch_producer_dma_copy(block->producer, block->consumer_id,
		block->mmap, block->back + offset, block->mmap, block->there + offset,
		block->size, (const uint8_t *)&msg, sizeof(msg), DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
}

__dpa_global__ void
ping_pong_thread(uint64_t arg)
{
	struct ping_pong_block *block = (struct ping_pong_block *)(uintptr_t)arg;
	doca_dpa_dev_comch_consumer_completion_element_t element;
	uint32_t nb = 0;

	while (doca_dpa_dev_comch_consumer_get_completion(block->consumer_completion, &element)) {
		answer(block, element);
		nb++;
	}
	block->pings += nb;
	doca_dpa_dev_comch_consumer_completion_ack(block->consumer_completion, nb);
	doca_dpa_dev_comch_consumer_completion_request_notification(block->consumer_completion);
	doca_dpa_dev_comch_consumer_ack(block->consumer, nb);
	doca_dpa_dev_thread_reschedule();
}
