/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_CC_CONSUMER_H
#define DOCA_CC_CONSUMER_H

/**
 * @file
 *
 * Consumers by their names of releases 2.5 and 2.6, as doca_cc.h has those of the control
 * path: a name stands for one of doca_comch_consumer.h. There are no immediate data in these
 * releases. In 2.5 numbers of tasks are logarithms to the base of two.
 */

#include <stdint.h>

#include <doca_cc.h>
#include <doca_comch_consumer.h>
#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @cond */
/* structures and types of callbacks */
#define doca_cc_consumer doca_comch_consumer
#define doca_cc_consumer_task_post_recv doca_comch_consumer_task_post_recv
#define doca_cc_consumer_post_recv_task doca_comch_consumer_task_post_recv
#define doca_cc_consumer_task_post_recv_completion_cb_t \
	doca_comch_consumer_task_post_recv_completion_cb_t
#define doca_cc_consumer_post_recv_task_completion_cb_t \
	doca_comch_consumer_task_post_recv_completion_cb_t

/* functions; a name with post_recv_task is of 2.5 */
#define doca_cc_consumer_cap_is_supported doca_comch_consumer_cap_is_supported
#define doca_cc_cap_is_consumer_supported doca_comch_consumer_cap_is_supported
#define doca_cc_consumer_cap_get_max_num_tasks doca_comch_consumer_cap_get_max_num_tasks
#define doca_cc_consumer_cap_get_max_buf_size doca_comch_consumer_cap_get_max_buf_size
#define doca_cc_consumer_cap_get_max_consumers doca_comch_consumer_cap_get_max_consumers
#define doca_cc_consumer_create doca_comch_consumer_create
#define doca_cc_consumer_destroy doca_comch_consumer_destroy
#define doca_cc_consumer_as_ctx doca_comch_consumer_as_ctx
#define doca_cc_consumer_get_id doca_comch_consumer_get_id
#define doca_cc_consumer_task_post_recv_set_conf doca_comch_consumer_task_post_recv_set_conf
#define doca_cc_consumer_task_post_recv_alloc_init doca_comch_consumer_task_post_recv_alloc_init
#define doca_cc_consumer_task_post_recv_as_task doca_comch_consumer_task_post_recv_as_task
#define doca_cc_consumer_task_post_recv_get_buf doca_comch_consumer_task_post_recv_get_buf
#define doca_cc_consumer_task_post_recv_set_buf doca_comch_consumer_task_post_recv_set_buf
#define doca_cc_consumer_task_post_recv_get_producer_id \
	doca_comch_consumer_task_post_recv_get_producer_id
#define doca_cc_consumer_post_recv_task_alloc_init doca_comch_consumer_task_post_recv_alloc_init
#define doca_cc_consumer_post_recv_task_as_task doca_comch_consumer_task_post_recv_as_task
#define doca_cc_consumer_post_recv_task_get_buf doca_comch_consumer_task_post_recv_get_buf
/** @endcond */

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

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CC_CONSUMER_H */
