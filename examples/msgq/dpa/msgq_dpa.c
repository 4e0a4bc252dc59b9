/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The program of the message queue example, which runs on an offload processor. It is
 * freestanding: rte_comch_dpa_dev.h is all that it has. Each execution unit runs the one
 * function at the end of this file, with a block of its own.
 */

#include <rte_comch_dpa_dev.h>

#include "msgq_dpa.h"

/* Sending. 8< */
/*
 * The host has as many receives posted as messages may be on the way, so that there is
 * room. A mistake is noted by the runtime, and the host asks for it.
 */
static void
answer(struct msgq_block *b, uint32_t op, uint64_t value)
{
	const struct msgq_msg msg = {
		.op = op,
		.eu = rte_comch_dpa_dev_eu_id(),
		.value = value,
	};

	rte_comch_dpa_dev_producer_post_send_imm(b->producer, b->consumer_id, &msg, sizeof(msg),
			RTE_COMCH_DPA_DEV_F_FLUSH);
}
/* >8 End of sending. */

/* Copying. 8< */
/* The message is there when all bytes are: whoever sees it may read them. */
static void
copy(struct msgq_block *b, uint64_t value)
{
	const struct msgq_msg msg = {
		.op = MSGQ_OP_COPIED,
		.eu = rte_comch_dpa_dev_eu_id(),
		.value = value,
	};

	rte_comch_dpa_dev_producer_dma_copy(b->producer, b->consumer_id, b->dst_window,
			b->dst_addr, b->src_window, b->src_addr, b->len, &msg, sizeof(msg),
			RTE_COMCH_DPA_DEV_F_FLUSH);
}
/* >8 End of copying. */

static void
handle(struct msgq_block *b, const struct msgq_msg *msg)
{
	switch (msg->op) {
	case MSGQ_OP_PING:
		answer(b, MSGQ_OP_PONG, msg->value);
		break;
	case MSGQ_OP_BEGIN:
		b->pings = msg->value;
		answer(b, MSGQ_OP_PING, b->pings);
		break;
	case MSGQ_OP_PONG:
		if (msg->value != b->pings)
			rte_comch_dpa_dev_log("msgq: a pong answers no ping");
		b->pings--;
		answer(b, b->pings > 0 ? MSGQ_OP_PING : MSGQ_OP_DONE, b->pings);
		break;
	case MSGQ_OP_COPY:
		copy(b, msg->value);
		break;
	default:
		rte_comch_dpa_dev_log("msgq: a message of no kind");
		break;
	}
}

/* Receiving. 8< */
/* Returns 1 if there was a message, which may be used until it is acknowledged. */
static int
receive(struct msgq_block *b)
{
	struct rte_comch_dpa_dev_elem elem;
	struct msgq_msg msg;
	const uint8_t *imm;
	uint32_t len;

	if (rte_comch_dpa_dev_completion_get(b->completion, &elem) != 1)
		return 0;
	imm = rte_comch_dpa_dev_elem_imm(&elem, &len);
	if (len == sizeof(msg)) {
		__builtin_memcpy(&msg, imm, sizeof(msg));
		handle(b, &msg);
	}
	/* Its place is free again, and a credit for the next one. */
	rte_comch_dpa_dev_completion_ack(b->completion, 1);
	rte_comch_dpa_dev_consumer_ack(b->consumer, 1);
	return 1;
}
/* >8 End of receiving. */

/* The thread. 8< */
RTE_COMCH_DPA_THREAD(msgq_unit)
{
	struct msgq_block *b = (struct msgq_block *)(uintptr_t)arg;

	if (b->ready == 0) {
		/* Nobody can send before that. */
		rte_comch_dpa_dev_consumer_ack(b->consumer, MSGQ_CREDITS);
		b->ready = 1;
	}
	while (__atomic_load_n(&b->stop, __ATOMIC_ACQUIRE) == 0) {
		if (receive(b) != 0 || b->event == 0)
			continue;
		/* A message that came in between has the thread run again at once. */
		rte_comch_dpa_dev_completion_request_notification(b->completion);
		return;
	}
}
/* >8 End of the thread. */
