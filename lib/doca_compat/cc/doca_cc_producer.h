/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_CC_PRODUCER_H
#define DOCA_CC_PRODUCER_H

/**
 * @file
 *
 * Producers by their names of releases 2.5 and 2.6, as doca_cc.h has those of the control
 * path. Every function calls the one of doca_comch_producer.h that it is named after. There
 * are no immediate data in these releases. In 2.5 numbers of tasks are logarithms to the
 * base of two.
 */

#include <stdint.h>

#include <doca_cc.h>
#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;

/** A producer: a struct doca_comch_producer. */
struct doca_cc_producer;

/** A send: a struct doca_comch_producer_task_send. */
struct doca_cc_producer_task_send;

/** The same as it is called in 2.5. */
struct doca_cc_producer_send_task;

/**
 * A send has ended.
 *
 * @param task
 *   The task, which is the program's again.
 * @param task_user_data
 *   Data of the task.
 * @param ctx_user_data
 *   Data of the producer as a context.
 */
typedef void (*doca_cc_producer_task_send_completion_cb_t)(
		struct doca_cc_producer_task_send *task, union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * The same in 2.5.
 *
 * @param task
 *   The task, which is the program's again.
 * @param task_user_data
 *   Data of the task.
 * @param ctx_user_data
 *   Data of the producer as a context.
 */
typedef void (*doca_cc_producer_send_task_completion_cb_t)(
		struct doca_cc_producer_send_task *task, union doca_data task_user_data,
		union doca_data ctx_user_data);

/** @name Capabilities
 * @{
 */

/**
 * Whether a device can have producers.
 *
 * @param devinfo
 *   The device, of a list.
 * @return
 *   As doca_comch_producer_cap_is_supported().
 */
DOCA_STABLE
doca_error_t doca_cc_producer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * Whether a device can have producers, by the name of 2.5.
 *
 * @param devinfo
 *   The device, of a list.
 * @return
 *   As doca_comch_producer_cap_is_supported().
 */
DOCA_STABLE
doca_error_t doca_cc_cap_is_producer_supported(const struct doca_devinfo *devinfo);

/**
 * The tasks that a producer can have.
 *
 * @param devinfo
 *   The device, of a list.
 * @param[out] max_num_tasks
 *   Tasks.
 * @return
 *   As doca_comch_producer_cap_get_max_num_tasks().
 */
DOCA_STABLE
doca_error_t doca_cc_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
		uint32_t *max_num_tasks);

/**
 * The tasks that a producer can have, by the name of 2.5.
 *
 * @param devinfo
 *   The device, of a list.
 * @param[out] max_log_num_tasks
 *   The logarithm of their number, rounded down.
 * @return
 *   As doca_comch_producer_cap_get_max_num_tasks().
 */
DOCA_STABLE
doca_error_t doca_cc_producer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo,
		uint32_t *max_log_num_tasks);

/**
 * The bytes that one message can have.
 *
 * @param devinfo
 *   The device, of a list.
 * @param[out] max_buf_size
 *   Bytes.
 * @return
 *   As doca_comch_producer_cap_get_max_buf_size().
 */
DOCA_STABLE
doca_error_t doca_cc_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
		uint32_t *max_buf_size);

/**
 * The producers that a connection can have on this side.
 *
 * @param devinfo
 *   The device, of a list.
 * @param[out] max_producers
 *   Producers.
 * @return
 *   As doca_comch_producer_cap_get_max_producers().
 */
DOCA_STABLE
doca_error_t doca_cc_producer_cap_get_max_producers(const struct doca_devinfo *devinfo,
		uint32_t *max_producers);

/** @} */

/** @name Producers
 * @{
 */

/**
 * Create a producer.
 *
 * @param connection
 *   The connection, which is there.
 * @param[out] producer
 *   The producer.
 * @return
 *   As doca_comch_producer_create().
 */
DOCA_STABLE
doca_error_t doca_cc_producer_create(struct doca_cc_connection *connection,
		struct doca_cc_producer **producer);

/**
 * Destroy a producer that is idle.
 *
 * @param producer
 *   The producer.
 * @return
 *   As doca_comch_producer_destroy().
 */
DOCA_STABLE
doca_error_t doca_cc_producer_destroy(struct doca_cc_producer *producer);

/**
 * The producer as a context, to be started and stopped.
 *
 * @param producer
 *   The producer.
 * @return
 *   As doca_comch_producer_as_ctx().
 */
DOCA_STABLE
struct doca_ctx *doca_cc_producer_as_ctx(struct doca_cc_producer *producer);

/**
 * The number of a producer on its connection.
 *
 * @param producer
 *   The producer.
 * @param[out] id
 *   The number, from 1.
 * @return
 *   As doca_comch_producer_get_id().
 */
DOCA_STABLE
doca_error_t doca_cc_producer_get_id(const struct doca_cc_producer *producer, uint32_t *id);

/** @} */

/** @name Tasks
 * @{
 */

/**
 * Set the callbacks and the number of tasks.
 *
 * @param producer
 *   The producer.
 * @param completion_cb
 *   Called when one has succeeded.
 * @param error_cb
 *   Called when one has failed.
 * @param num_tasks
 *   Tasks that can be under way.
 * @return
 *   As doca_comch_producer_task_send_set_conf().
 */
DOCA_STABLE
doca_error_t doca_cc_producer_task_send_set_conf(struct doca_cc_producer *producer,
		doca_cc_producer_task_send_completion_cb_t completion_cb,
		doca_cc_producer_task_send_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Make a task that sends a buffer.
 *
 * @param producer
 *   The producer.
 * @param buf
 *   The buffer, whose data are sent.
 * @param consumer_id
 *   The number of the consumer.
 * @param[out] task
 *   The task.
 * @return
 *   As doca_comch_producer_task_send_alloc_init().
 */
DOCA_STABLE
doca_error_t doca_cc_producer_task_send_alloc_init(struct doca_cc_producer *producer,
		struct doca_buf *buf, uint32_t consumer_id,
		struct doca_cc_producer_task_send **task);

/**
 * A task as the engine knows it, to be submitted and freed.
 *
 * @param task
 *   The task.
 * @return
 *   As doca_comch_producer_task_send_as_task().
 */
DOCA_STABLE
struct doca_task *doca_cc_producer_task_send_as_task(
		struct doca_cc_producer_task_send *task);

/**
 * The buffer of a task.
 *
 * @param task
 *   The task.
 * @return
 *   As doca_comch_producer_task_send_get_buf().
 */
DOCA_STABLE
struct doca_buf *doca_cc_producer_task_send_get_buf(
		const struct doca_cc_producer_task_send *task);

/**
 * Change the buffer of a task that is not submitted.
 *
 * @param task
 *   The task.
 * @param buf
 *   The buffer.
 */
DOCA_STABLE
void doca_cc_producer_task_send_set_buf(struct doca_cc_producer_task_send *task,
		struct doca_buf *buf);

/**
 * The consumer that a task sends to.
 *
 * @param task
 *   The task.
 * @return
 *   As doca_comch_producer_task_send_get_consumer_id().
 */
DOCA_STABLE
uint32_t doca_cc_producer_task_send_get_consumer_id(
		const struct doca_cc_producer_task_send *task);

/**
 * Change the consumer of a task that is not submitted.
 *
 * @param task
 *   The task.
 * @param consumer_id
 *   Its number.
 */
DOCA_STABLE
void doca_cc_producer_task_send_set_consumer_id(struct doca_cc_producer_task_send *task,
		uint32_t consumer_id);

/**
 * Set the callbacks and the number of tasks, by the name of 2.5.
 *
 * @param producer
 *   The producer.
 * @param completion_cb
 *   Called when one has succeeded.
 * @param error_cb
 *   Called when one has failed.
 * @param log_num_tasks
 *   The logarithm of the number of tasks; 31 at most.
 * @return
 *   As doca_comch_producer_task_send_set_conf().
 */
DOCA_STABLE
doca_error_t doca_cc_producer_send_task_set_conf(struct doca_cc_producer *producer,
		doca_cc_producer_send_task_completion_cb_t completion_cb,
		doca_cc_producer_send_task_completion_cb_t error_cb,
		uint32_t log_num_tasks);

/**
 * Make a task that sends a buffer, by the name of 2.5.
 *
 * @param producer
 *   The producer.
 * @param buf
 *   The buffer, whose data are sent.
 * @param consumer_id
 *   The number of the consumer.
 * @param[out] task
 *   The task.
 * @return
 *   As doca_comch_producer_task_send_alloc_init().
 */
DOCA_STABLE
doca_error_t doca_cc_producer_send_task_alloc_init(struct doca_cc_producer *producer,
		struct doca_buf *buf, uint32_t consumer_id,
		struct doca_cc_producer_send_task **task);

/**
 * A task as the engine knows it, to be submitted and freed, by the name of 2.5.
 *
 * @param task
 *   The task.
 * @return
 *   As doca_comch_producer_task_send_as_task().
 */
DOCA_STABLE
struct doca_task *doca_cc_producer_send_task_as_task(
		struct doca_cc_producer_send_task *task);

/**
 * The buffer of a task, by the name of 2.5.
 *
 * @param task
 *   The task.
 * @return
 *   As doca_comch_producer_task_send_get_buf().
 */
DOCA_STABLE
struct doca_buf *doca_cc_producer_send_task_get_buf(
		const struct doca_cc_producer_send_task *task);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CC_PRODUCER_H */
