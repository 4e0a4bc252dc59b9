/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_COMCH_MSGQ_H
#define DOCA_COMCH_MSGQ_H

/**
 * @file
 *
 * Message queues between this process and a program of an offload processor (DPA), which
 * need no connection. Each has one direction: the consumers are of the program, or the
 * producers. A message is immediate data of up to 32 bytes.
 *
 * A context of the program's side is started and stopped as others are, is RUNNING and IDLE at
 * once, and needs no progress engine: doca_ctx_set_datapath_on_dpa(), its settings,
 * doca_ctx_start(), and then the handle for the program.
 *
 * Producers and consumers are counted from 1, in the order of their start or creation: a
 * program sends to consumer 1 if there is but one.
 */

#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_comch_consumer;
struct doca_comch_producer;
struct doca_dev;
struct doca_dpa;

/** A message queue. */
struct doca_comch_msgq;

/**
 * Create a message queue. It has one consumer and one producer at a time, unless they are
 * set.
 *
 * @param dev
 *   The device.
 * @param [out] msgq
 *   The message queue, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_NOT_SUPPORTED: the device has no offload processors.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_create(struct doca_dev *dev, struct doca_comch_msgq **msgq);

/**
 * Destroy a message queue.
 *
 * @param msgq
 *   A message queue, not started.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: msgq is NULL.
 *   - DOCA_ERROR_IN_USE: it is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_destroy(struct doca_comch_msgq *msgq);

/**
 * The consumers are those of a program. The producers are those of this process.
 *
 * @param msgq
 *   A message queue, not started.
 * @param dpa
 *   The offload processor, of the same device.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL, or it is of another device.
 *   - DOCA_ERROR_BAD_STATE: it is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_dpa_consumer(struct doca_comch_msgq *msgq, struct doca_dpa
		*dpa);

/**
 * The producers are those of a program. The consumers are those of this process.
 *
 * @param msgq
 *   A message queue, not started.
 * @param dpa
 *   The offload processor, of the same device.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL, or it is of another device.
 *   - DOCA_ERROR_BAD_STATE: it is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_dpa_producer(struct doca_comch_msgq *msgq, struct doca_dpa
		*dpa);

/**
 * Set how many consumers it can have at a time.
 *
 * @param msgq
 *   A message queue, not started.
 * @param max_num_consumers
 *   Their number, rounded up to a power of two.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: msgq is NULL, or the number is 0 or too large.
 *   - DOCA_ERROR_BAD_STATE: it is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_max_num_consumers(struct doca_comch_msgq *msgq, uint32_t
		max_num_consumers);

/**
 * Set how many producers it can have at a time.
 *
 * @param msgq
 *   A message queue, not started.
 * @param max_num_producers
 *   Their number, rounded up to a power of two.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: msgq is NULL, or the number is 0 or too large.
 *   - DOCA_ERROR_BAD_STATE: it is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_max_num_producers(struct doca_comch_msgq *msgq, uint32_t
		max_num_producers);

/**
 * Start a message queue: producers and consumers can be created.
 *
 * @param msgq
 *   A message queue, not started.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: msgq is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is started, has no side of a program or two of them, or the
 *     offload processor is not started.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 *   - DOCA_ERROR_DRIVER: the program has ended, which was logged.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_start(struct doca_comch_msgq *msgq);

/**
 * Stop a message queue.
 *
 * @param msgq
 *   A message queue, started.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: msgq is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is not started.
 *   - DOCA_ERROR_IN_USE: it has producers or consumers.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_stop(struct doca_comch_msgq *msgq);

/**
 * Create a consumer. One of this process is used as one of a connection, with tasks that
 * have no buffer. One of the program is given to it by doca_ctx_set_datapath_on_dpa(), and
 * has a completion context.
 *
 * @param msgq
 *   A message queue, started.
 * @param [out] consumer
 *   The consumer, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_BAD_STATE: the message queue is not started.
 *   - DOCA_ERROR_NO_MEMORY: no memory, or it has as many as it can.
 *   - DOCA_ERROR_DRIVER: the program has ended, which was logged.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_consumer_create(struct doca_comch_msgq *msgq, struct
		doca_comch_consumer **consumer);

/**
 * Create a producer. One of this process is used as one of a connection, and sends
 * immediate data only. One of the program is given to it by doca_ctx_set_datapath_on_dpa().
 *
 * @param msgq
 *   A message queue, started.
 * @param [out] producer
 *   The producer, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_BAD_STATE: the message queue is not started.
 *   - DOCA_ERROR_NO_MEMORY: no memory, or it has as many as it can.
 *   - DOCA_ERROR_DRIVER: the program has ended, which was logged.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_producer_create(struct doca_comch_msgq *msgq, struct
		doca_comch_producer **producer);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_MSGQ_H */
