/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef MSGQ_DPA_H
#define MSGQ_DPA_H

/**
 * @file msgq_dpa.h
 *
 * What the two programs of the example agree on: messages, and a block of memory for
 * each execution unit. Fixed widths only, for the two may be of different instruction
 * sets; no include of DPDK or of a libc.
 */

#include <stdint.h>

/** Name of the function that each execution unit runs. */
#define MSGQ_FUNC "msgq_unit"

/** Messages that the consumer of an execution unit has room for. */
#define MSGQ_CREDITS 16

/** What a message is about. */
enum msgq_op {
	MSGQ_OP_PING = 1, /**< To be answered by a PONG with the same value. */
	MSGQ_OP_PONG,
	MSGQ_OP_BEGIN,    /**< The host: send value pings, then DONE. */
	MSGQ_OP_DONE,     /**< The program: it has its pongs. */
	MSGQ_OP_COPY,     /**< The host: copy as the block says, then COPIED. */
	MSGQ_OP_COPIED,
};

/** A message, as the immediate data of a message queue. */
struct msgq_msg {
	uint32_t op;    /**< enum msgq_op */
	uint32_t eu;    /**< The execution unit that it comes from. */
	uint64_t value;
};

/**
 * What an execution unit knows. The host writes it before the thread runs, and the flag
 * stop and the copy also later; the rest is the program's own.
 */
struct msgq_block {
	uint64_t consumer;    /**< Handles of this unit. */
	uint64_t producer;
	uint64_t completion;
	uint32_t consumer_id; /**< Identifier of the host's consumer. */
	uint32_t event;       /**< Return and be woken, instead of polling. */
	uint32_t src_window;  /**< Handles of both windows. */
	uint32_t dst_window;
	uint64_t src_addr;    /**< The copy, by the addresses of the host. */
	uint64_t dst_addr;
	uint64_t len;
	uint32_t stop;        /**< The host: end the work. */
	uint32_t ready;       /**< The program: the first credits were given. */
	uint64_t pings;       /**< The program: pings left to send. */
};

#endif /* MSGQ_DPA_H */
