/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_CC_CONSUMER_H
#define DOCA_CC_CONSUMER_H

/**
 * @file
 *
 * Consumers by their names of releases 2.5 and 2.6, as doca_cc.h has those of the control
 * path. Every function calls the one of doca_comch_consumer.h that it is named after. There
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
struct doca_mmap;

/** A consumer: a struct doca_comch_consumer. */
struct doca_cc_consumer;

/** A posted receive: a struct doca_comch_consumer_task_post_recv. */
struct doca_cc_consumer_task_post_recv;

/** The same as it is called in 2.5. */
struct doca_cc_consumer_post_recv_task;

/**
 * A posted receive has ended.
 *
 * @param task
 *   The task, which is the program's again.
 * @param task_user_data
 *   Data of the task.
 * @param ctx_user_data
 *   Data of the consumer as a context.
 */
typedef void (*doca_cc_consumer_task_post_recv_completion_cb_t)(
		struct doca_cc_consumer_task_post_recv *task, union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * The same in 2.5.
 *
 * @param task
 *   The task, which is the program's again.
 * @param task_user_data
 *   Data of the task.
 * @param ctx_user_data
 *   Data of the consumer as a context.
 */
typedef void (*doca_cc_consumer_post_recv_task_completion_cb_t)(
		struct doca_cc_consumer_post_recv_task *task, union doca_data task_user_data,
		union doca_data ctx_user_data);

/** @name Capabilities
 * @{
 */

/**
 * Whether a device can have consumers.
 *
 * @param devinfo
 *   The device, of a list.
 * @return
 *   As doca_comch_consumer_cap_is_supported().
 */
DOCA_STABLE
doca_error_t doca_cc_consumer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * Whether a device can have consumers, by the name of 2.5.
 *
 * @param devinfo
 *   The device, of a list.
 * @return
 *   As doca_comch_consumer_cap_is_supported().
 */
DOCA_STABLE
doca_error_t doca_cc_cap_is_consumer_supported(const struct doca_devinfo *devinfo);

/**
 * The tasks that a consumer can have.
 *
 * @param devinfo
 *   The device, of a list.
 * @param[out] max_num_tasks
 *   Tasks.
 * @return
 *   As doca_comch_consumer_cap_get_max_num_tasks().
 */
DOCA_STABLE
doca_error_t doca_cc_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
		uint32_t *max_num_tasks);

/**
 * The tasks that a consumer can have, by the name of 2.5.
 *
 * @param devinfo
 *   The device, of a list.
 * @param[out] max_log_num_tasks
 *   The logarithm of their number, rounded down.
 * @return
 *   As doca_comch_consumer_cap_get_max_num_tasks().
 */
DOCA_STABLE
doca_error_t doca_cc_consumer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo,
		uint32_t *max_log_num_tasks);

/**
 * The bytes that one message can have.
 *
 * @param devinfo
 *   The device, of a list.
 * @param[out] max_buf_size
 *   Bytes.
 * @return
 *   As doca_comch_consumer_cap_get_max_buf_size().
 */
DOCA_STABLE
doca_error_t doca_cc_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
		uint32_t *max_buf_size);

/**
 * The consumers that a connection can have on this side.
 *
 * @param devinfo
 *   The device, of a list.
 * @param[out] max_consumers
 *   Consumers.
 * @return
 *   As doca_comch_consumer_cap_get_max_consumers().
 */
DOCA_STABLE
doca_error_t doca_cc_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
		uint32_t *max_consumers);

/** @} */

/** @name Consumers
 * @{
 */

/**
 * Create a consumer.
 *
 * @param connection
 *   The connection, which is there.
 * @param mmap
 *   The memory that the peer may write to.
 * @param[out] consumer
 *   The consumer.
 * @return
 *   As doca_comch_consumer_create().
 */
DOCA_STABLE
doca_error_t doca_cc_consumer_create(struct doca_cc_connection *connection,
		struct doca_mmap *mmap, struct doca_cc_consumer **consumer);

/**
 * Destroy a consumer that is idle.
 *
 * @param consumer
 *   The consumer.
 * @return
 *   As doca_comch_consumer_destroy().
 */
DOCA_STABLE
doca_error_t doca_cc_consumer_destroy(struct doca_cc_consumer *consumer);

/**
 * The consumer as a context, to be started and stopped.
 *
 * @param consumer
 *   The consumer.
 * @return
 *   As doca_comch_consumer_as_ctx().
 */
DOCA_STABLE
struct doca_ctx *doca_cc_consumer_as_ctx(struct doca_cc_consumer *consumer);

/**
 * The number of a consumer on its connection.
 *
 * @param consumer
 *   The consumer.
 * @param[out] id
 *   The number, from 1.
 * @return
 *   As doca_comch_consumer_get_id().
 */
DOCA_STABLE
doca_error_t doca_cc_consumer_get_id(const struct doca_cc_consumer *consumer, uint32_t *id);

/** @} */

/** @name Tasks
 * @{
 */

/**
 * Set the callbacks and the number of tasks.
 *
 * @param consumer
 *   The consumer.
 * @param completion_cb
 *   Called when one has succeeded.
 * @param error_cb
 *   Called when one has failed.
 * @param num_tasks
 *   Tasks that can be under way.
 * @return
 *   As doca_comch_consumer_task_post_recv_set_conf().
 */
DOCA_STABLE
doca_error_t doca_cc_consumer_task_post_recv_set_conf(struct doca_cc_consumer *consumer,
		doca_cc_consumer_task_post_recv_completion_cb_t completion_cb,
		doca_cc_consumer_task_post_recv_completion_cb_t error_cb,
		uint32_t num_tasks);

/**
 * Make a task that posts a buffer.
 *
 * @param consumer
 *   The consumer.
 * @param buf
 *   The buffer, to whose data the message is appended.
 * @param[out] task
 *   The task.
 * @return
 *   As doca_comch_consumer_task_post_recv_alloc_init().
 */
DOCA_STABLE
doca_error_t doca_cc_consumer_task_post_recv_alloc_init(struct doca_cc_consumer *consumer,
		struct doca_buf *buf, struct doca_cc_consumer_task_post_recv **task);

/**
 * A task as the engine knows it, to be submitted and freed.
 *
 * @param task
 *   The task.
 * @return
 *   As doca_comch_consumer_task_post_recv_as_task().
 */
DOCA_STABLE
struct doca_task *doca_cc_consumer_task_post_recv_as_task(
		struct doca_cc_consumer_task_post_recv *task);

/**
 * The buffer of a task.
 *
 * @param task
 *   The task.
 * @return
 *   As doca_comch_consumer_task_post_recv_get_buf().
 */
DOCA_STABLE
struct doca_buf *doca_cc_consumer_task_post_recv_get_buf(
		const struct doca_cc_consumer_task_post_recv *task);

/**
 * Change the buffer of a task that is not submitted.
 *
 * @param task
 *   The task.
 * @param buf
 *   The buffer.
 */
DOCA_STABLE
void doca_cc_consumer_task_post_recv_set_buf(struct doca_cc_consumer_task_post_recv *task,
		struct doca_buf *buf);

/**
 * The producer whose message has come.
 *
 * @param task
 *   The task.
 * @return
 *   As doca_comch_consumer_task_post_recv_get_producer_id().
 */
DOCA_STABLE
uint32_t doca_cc_consumer_task_post_recv_get_producer_id(
		const struct doca_cc_consumer_task_post_recv *task);

/**
 * Set the callbacks and the number of tasks, by the name of 2.5.
 *
 * @param consumer
 *   The consumer.
 * @param completion_cb
 *   Called when one has succeeded.
 * @param error_cb
 *   Called when one has failed.
 * @param log_num_tasks
 *   The logarithm of the number of tasks; 31 at most.
 * @return
 *   As doca_comch_consumer_task_post_recv_set_conf().
 */
DOCA_STABLE
doca_error_t doca_cc_consumer_post_recv_task_set_conf(struct doca_cc_consumer *consumer,
		doca_cc_consumer_post_recv_task_completion_cb_t completion_cb,
		doca_cc_consumer_post_recv_task_completion_cb_t error_cb,
		uint32_t log_num_tasks);

/**
 * Make a task that posts a buffer, by the name of 2.5.
 *
 * @param consumer
 *   The consumer.
 * @param buf
 *   The buffer, to whose data the message is appended.
 * @param[out] task
 *   The task.
 * @return
 *   As doca_comch_consumer_task_post_recv_alloc_init().
 */
DOCA_STABLE
doca_error_t doca_cc_consumer_post_recv_task_alloc_init(struct doca_cc_consumer *consumer,
		struct doca_buf *buf, struct doca_cc_consumer_post_recv_task **task);

/**
 * A task as the engine knows it, to be submitted and freed, by the name of 2.5.
 *
 * @param task
 *   The task.
 * @return
 *   As doca_comch_consumer_task_post_recv_as_task().
 */
DOCA_STABLE
struct doca_task *doca_cc_consumer_post_recv_task_as_task(
		struct doca_cc_consumer_post_recv_task *task);

/**
 * The buffer of a task, by the name of 2.5.
 *
 * @param task
 *   The task.
 * @return
 *   As doca_comch_consumer_task_post_recv_get_buf().
 */
DOCA_STABLE
struct doca_buf *doca_cc_consumer_post_recv_task_get_buf(
		const struct doca_cc_consumer_post_recv_task *task);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CC_CONSUMER_H */
