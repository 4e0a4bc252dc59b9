/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_CC_PRODUCER_H
#define DOCA_CC_PRODUCER_H

/**
 * @file
 *
 * Producers by their names of releases 2.5 and 2.6, as doca_cc.h has those of the control
 * path: a name stands for one of doca_comch_producer.h. There are no immediate data in these
 * releases. In 2.5 numbers of tasks are logarithms to the base of two.
 */

#include <stdint.h>

#include <doca_cc.h>
#include <doca_comch_producer.h>
#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @cond */
/* structures and types of callbacks */
#define doca_cc_producer doca_comch_producer
#define doca_cc_producer_task_send doca_comch_producer_task_send
#define doca_cc_producer_send_task doca_comch_producer_task_send
#define doca_cc_producer_task_send_completion_cb_t doca_comch_producer_task_send_completion_cb_t
#define doca_cc_producer_send_task_completion_cb_t doca_comch_producer_task_send_completion_cb_t

/* functions; a name with send_task is of 2.5 */
#define doca_cc_producer_cap_is_supported doca_comch_producer_cap_is_supported
#define doca_cc_cap_is_producer_supported doca_comch_producer_cap_is_supported
#define doca_cc_producer_cap_get_max_num_tasks doca_comch_producer_cap_get_max_num_tasks
#define doca_cc_producer_cap_get_max_buf_size doca_comch_producer_cap_get_max_buf_size
#define doca_cc_producer_cap_get_max_producers doca_comch_producer_cap_get_max_producers
#define doca_cc_producer_create doca_comch_producer_create
#define doca_cc_producer_destroy doca_comch_producer_destroy
#define doca_cc_producer_as_ctx doca_comch_producer_as_ctx
#define doca_cc_producer_get_id doca_comch_producer_get_id
#define doca_cc_producer_task_send_set_conf doca_comch_producer_task_send_set_conf
#define doca_cc_producer_task_send_as_task doca_comch_producer_task_send_as_task
#define doca_cc_producer_task_send_set_buf doca_comch_producer_task_send_set_buf
#define doca_cc_producer_task_send_get_consumer_id doca_comch_producer_task_send_get_consumer_id
#define doca_cc_producer_task_send_set_consumer_id doca_comch_producer_task_send_set_consumer_id
#define doca_cc_producer_send_task_as_task doca_comch_producer_task_send_as_task
#define doca_cc_producer_send_task_alloc_init doca_cc_producer_task_send_alloc_init
#define doca_cc_producer_send_task_get_buf doca_cc_producer_task_send_get_buf
/** @endcond */

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

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CC_PRODUCER_H */
