/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_DPA_DEV_COMCH_MSGQ_H
#define DOCA_DPA_DEV_COMCH_MSGQ_H

/**
 * @file
 *
 * Message queues in a program of an offload processor (DPA), by the vendor's names. The
 * host makes the objects by doca_comch_msgq.h, and hands their handles over.
 *
 * The order in use is: get completions until there is none, acknowledge them, request a
 * notification, acknowledge as many messages at the consumer, and end the run.
 *
 * Mistakes, such as a send to a consumer that does not exist, are counted for the host,
 * and the call does nothing.
 */

#include <doca_dpa_dev.h>

/** The completion of a message, to be looked at by functions. */
typedef struct rte_comch_dpa_dev_elem doca_dpa_dev_comch_consumer_completion_element_t;

/**
 * Let a consumer receive so many messages more. It begins with none.
 *
 * @param consumer
 *   The consumer.
 * @param num_msg
 *   How many.
 */
static inline void
doca_dpa_dev_comch_consumer_ack(doca_dpa_dev_comch_consumer_t consumer, uint32_t num_msg)
{
	rte_comch_dpa_dev_consumer_ack(consumer, num_msg);
}

/**
 * Take the completion of the next message.
 *
 * @param completion
 *   The completion context of consumers.
 * @param[out] element
 *   The completion. It stays until it is acknowledged.
 * @return
 *   1, or 0 if there is none.
 */
static inline int
doca_dpa_dev_comch_consumer_get_completion(doca_dpa_dev_comch_consumer_completion_t completion,
		doca_dpa_dev_comch_consumer_completion_element_t *element)
{
	return rte_comch_dpa_dev_completion_get(completion, element) == 1;
}

/**
 * Find the immediate data of a message.
 *
 * @param element
 *   Its completion.
 * @param[out] imm_len
 *   Bytes.
 * @return
 *   Where it is, until the completion is acknowledged.
 */
static inline const uint8_t *
doca_dpa_dev_comch_consumer_get_completion_imm(
		doca_dpa_dev_comch_consumer_completion_element_t element, uint32_t *imm_len)
{
	return rte_comch_dpa_dev_elem_imm(&element, imm_len);
}

/**
 * Tell who has sent a message.
 *
 * @param element
 *   Its completion.
 * @return
 *   The identifier of the producer, from 1.
 */
static inline uint32_t
doca_dpa_dev_comch_consumer_get_completion_producer_id(
		doca_dpa_dev_comch_consumer_completion_element_t element)
{
	return rte_comch_dpa_dev_elem_producer_id(&element);
}

/**
 * Tell the user data of the consumer that has got a message.
 *
 * @param element
 *   Its completion.
 * @return
 *   As doca_comch_consumer_set_completion() was given it.
 */
static inline uint32_t
doca_dpa_dev_comch_consumer_get_completion_user_data(
		doca_dpa_dev_comch_consumer_completion_element_t element)
{
	return rte_comch_dpa_dev_elem_user_data(&element);
}

/**
 * Give back the oldest completions of messages.
 *
 * @param completion
 *   The completion context.
 * @param num_comp
 *   How many.
 */
static inline void
doca_dpa_dev_comch_consumer_completion_ack(doca_dpa_dev_comch_consumer_completion_t completion,
		uint64_t num_comp)
{
	rte_comch_dpa_dev_completion_ack(completion, num_comp);
}

/**
 * Have the thread run when there is a message, once. One that has come before is not
 * lost: the thread runs again at once.
 *
 * @param completion
 *   The completion context.
 */
static inline void
doca_dpa_dev_comch_consumer_completion_request_notification(
		doca_dpa_dev_comch_consumer_completion_t completion)
{
	rte_comch_dpa_dev_completion_request_notification(completion);
}

/**
 * Ask whether a consumer of the host cannot receive now.
 *
 * @param producer
 *   The producer that wants to send.
 * @param consumer_id
 *   Identifier of the consumer.
 * @return
 *   0 if a message may be sent; 1 if the consumer has no receive posted, or is not there.
 */
static inline int
doca_dpa_dev_comch_producer_is_consumer_empty(doca_dpa_dev_comch_producer_t producer,
		uint32_t consumer_id)
{
	return rte_comch_dpa_dev_producer_consumer_empty(producer, consumer_id) != 0;
}

/**
 * Send immediate data. Nothing is sent if the consumer has no receive posted: ask first.
 *
 * @param producer
 *   The producer.
 * @param consumer_id
 *   Identifier of the consumer of the host.
 * @param imm
 *   The data; copied.
 * @param imm_len
 *   Bytes.
 * @param flags
 *   Of enum doca_dpa_dev_submit_flag.
 */
static inline void
doca_dpa_dev_comch_producer_post_send_imm_only(doca_dpa_dev_comch_producer_t producer,
		uint32_t consumer_id, const uint8_t *imm, uint32_t imm_len, uint32_t flags)
{
	rte_comch_dpa_dev_producer_post_send_imm(producer, consumer_id, imm, imm_len, flags);
}

/**
 * Copy between two maps of the host's memory, then send immediate data: when it comes, the
 * copy is there. Nothing is copied if the consumer has no receive posted: ask first.
 *
 * @param producer
 *   The producer.
 * @param consumer_id
 *   Identifier of the consumer of the host.
 * @param dst_mmap
 *   The map to write to, by doca_mmap_dev_get_dpa_handle().
 * @param dst_addr
 *   Where, as the host's program addresses it.
 * @param src_mmap
 *   The map to read from.
 * @param src_addr
 *   Where, likewise.
 * @param length
 *   Bytes to copy, from 1. The two may not overlap.
 * @param imm
 *   The immediate data; copied.
 * @param imm_len
 *   Its bytes.
 * @param flags
 *   Of enum doca_dpa_dev_submit_flag.
 */
static inline void
doca_dpa_dev_comch_producer_dma_copy(doca_dpa_dev_comch_producer_t producer,
		uint32_t consumer_id, doca_dpa_dev_mmap_t dst_mmap, uint64_t dst_addr,
		doca_dpa_dev_mmap_t src_mmap, uint64_t src_addr, size_t length,
		const uint8_t *imm, uint32_t imm_len, uint32_t flags)
{
	const rte_comch_dpa_dev_window_t dst =
		doca_compat_dpa_dev_window(dst_mmap, &dst_addr, length);
	const rte_comch_dpa_dev_window_t src =
		doca_compat_dpa_dev_window(src_mmap, &src_addr, length);

	rte_comch_dpa_dev_producer_dma_copy(producer, consumer_id, dst, dst_addr, src, src_addr,
		length, imm, imm_len, flags);
}

#endif /* DOCA_DPA_DEV_COMCH_MSGQ_H */
