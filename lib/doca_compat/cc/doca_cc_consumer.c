/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Consumers by the names of 2.5 and 2.6, as doca_cc.c has those of the control path. No
 * behaviour lives here, but for numbers of tasks that 2.5 gives as logarithms.
 */

#include <stddef.h>
#include <stdint.h>

#include <doca_cc_consumer.h>
#include <doca_comch_consumer.h>

doca_error_t
doca_cc_consumer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo,
		uint32_t *max_log_num_tasks)
{
	uint32_t num = 0, log = 0;
	doca_error_t result;

	result = doca_comch_consumer_cap_get_max_num_tasks(devinfo,
			max_log_num_tasks == NULL ? NULL : &num);
	if (result != DOCA_SUCCESS)
		return result;
	while (num >> log > 1)
		log++;
	*max_log_num_tasks = log;
	return DOCA_SUCCESS;
}

doca_error_t
doca_cc_consumer_cap_is_supported(const struct doca_devinfo *devinfo)
{
	return doca_comch_consumer_cap_is_supported(devinfo);
}

doca_error_t
doca_cc_cap_is_consumer_supported(const struct doca_devinfo *devinfo)
{
	return doca_comch_consumer_cap_is_supported(devinfo);
}

doca_error_t
doca_cc_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
		uint32_t *max_num_tasks)
{
	return doca_comch_consumer_cap_get_max_num_tasks(devinfo, max_num_tasks);
}

doca_error_t
doca_cc_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
		uint32_t *max_buf_size)
{
	return doca_comch_consumer_cap_get_max_buf_size(devinfo, max_buf_size);
}

doca_error_t
doca_cc_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
		uint32_t *max_consumers)
{
	return doca_comch_consumer_cap_get_max_consumers(devinfo, max_consumers);
}

doca_error_t
doca_cc_consumer_create(struct doca_cc_connection *connection, struct doca_mmap *mmap,
		struct doca_cc_consumer **consumer)
{
	struct doca_comch_consumer *comch = NULL;
	doca_error_t result;

	result = doca_comch_consumer_create((struct doca_comch_connection *)connection, mmap,
			consumer == NULL ? NULL : &comch);
	if (result == DOCA_SUCCESS)
		*consumer = (struct doca_cc_consumer *)comch;
	return result;
}

doca_error_t
doca_cc_consumer_destroy(struct doca_cc_consumer *consumer)
{
	return doca_comch_consumer_destroy((struct doca_comch_consumer *)consumer);
}

struct doca_ctx *
doca_cc_consumer_as_ctx(struct doca_cc_consumer *consumer)
{
	return doca_comch_consumer_as_ctx((struct doca_comch_consumer *)consumer);
}

doca_error_t
doca_cc_consumer_get_id(const struct doca_cc_consumer *consumer, uint32_t *id)
{
	return doca_comch_consumer_get_id((const struct doca_comch_consumer *)consumer, id);
}

doca_error_t
doca_cc_consumer_task_post_recv_set_conf(struct doca_cc_consumer *consumer,
		doca_cc_consumer_task_post_recv_completion_cb_t completion_cb,
		doca_cc_consumer_task_post_recv_completion_cb_t error_cb, uint32_t num_tasks)
{
	return doca_comch_consumer_task_post_recv_set_conf(
			(struct doca_comch_consumer *)consumer,
			(doca_comch_consumer_task_post_recv_completion_cb_t)completion_cb,
			(doca_comch_consumer_task_post_recv_completion_cb_t)error_cb,
			num_tasks);
}

doca_error_t
doca_cc_consumer_task_post_recv_alloc_init(struct doca_cc_consumer *consumer,
		struct doca_buf *buf, struct doca_cc_consumer_task_post_recv **task)
{
	struct doca_comch_consumer_task_post_recv *comch = NULL;
	doca_error_t result;

	result = doca_comch_consumer_task_post_recv_alloc_init(
			(struct doca_comch_consumer *)consumer, buf,
			task == NULL ? NULL : &comch);
	if (result == DOCA_SUCCESS)
		*task = (struct doca_cc_consumer_task_post_recv *)comch;
	return result;
}

struct doca_task *
doca_cc_consumer_task_post_recv_as_task(struct doca_cc_consumer_task_post_recv *task)
{
	return doca_comch_consumer_task_post_recv_as_task(
			(struct doca_comch_consumer_task_post_recv *)task);
}

struct doca_buf *
doca_cc_consumer_task_post_recv_get_buf(const struct doca_cc_consumer_task_post_recv *task)
{
	return doca_comch_consumer_task_post_recv_get_buf(
			(const struct doca_comch_consumer_task_post_recv *)task);
}

void
doca_cc_consumer_task_post_recv_set_buf(struct doca_cc_consumer_task_post_recv *task,
		struct doca_buf *buf)
{
	doca_comch_consumer_task_post_recv_set_buf(
			(struct doca_comch_consumer_task_post_recv *)task, buf);
}

uint32_t
doca_cc_consumer_task_post_recv_get_producer_id(
		const struct doca_cc_consumer_task_post_recv *task)
{
	return doca_comch_consumer_task_post_recv_get_producer_id(
			(const struct doca_comch_consumer_task_post_recv *)task);
}

doca_error_t
doca_cc_consumer_post_recv_task_set_conf(struct doca_cc_consumer *consumer,
		doca_cc_consumer_post_recv_task_completion_cb_t completion_cb,
		doca_cc_consumer_post_recv_task_completion_cb_t error_cb,
		uint32_t log_num_tasks)
{
	if (log_num_tasks > 31)
		return DOCA_ERROR_INVALID_VALUE;
	return doca_comch_consumer_task_post_recv_set_conf(
			(struct doca_comch_consumer *)consumer,
			(doca_comch_consumer_task_post_recv_completion_cb_t)completion_cb,
			(doca_comch_consumer_task_post_recv_completion_cb_t)error_cb,
			1u << log_num_tasks);
}

doca_error_t
doca_cc_consumer_post_recv_task_alloc_init(struct doca_cc_consumer *consumer,
		struct doca_buf *buf, struct doca_cc_consumer_post_recv_task **task)
{
	struct doca_comch_consumer_task_post_recv *comch = NULL;
	doca_error_t result;

	result = doca_comch_consumer_task_post_recv_alloc_init(
			(struct doca_comch_consumer *)consumer, buf,
			task == NULL ? NULL : &comch);
	if (result == DOCA_SUCCESS)
		*task = (struct doca_cc_consumer_post_recv_task *)comch;
	return result;
}

struct doca_task *
doca_cc_consumer_post_recv_task_as_task(struct doca_cc_consumer_post_recv_task *task)
{
	return doca_comch_consumer_task_post_recv_as_task(
			(struct doca_comch_consumer_task_post_recv *)task);
}

struct doca_buf *
doca_cc_consumer_post_recv_task_get_buf(const struct doca_cc_consumer_post_recv_task *task)
{
	return doca_comch_consumer_task_post_recv_get_buf(
			(const struct doca_comch_consumer_task_post_recv *)task);
}
