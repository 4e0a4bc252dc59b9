/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The task layer: each post and each send is a task, which is submitted here and
 * ends in a callback inside rte_comch_pe_progress(), as control messages do.
 */

#include <errno.h>

#include <rte_common.h>

#include "fast_path.h"

/* Ends of tasks. 8< */
static void
post_ended(struct rte_comch_task *task, const struct rte_comch_cpl *cpl, void *user_data)
{
	struct rte_comch_task_info info;

	if (rte_comch_task_info_get(task, &info) == 0)
		data_received(user_data, cpl, info.post.addr);
	/* A program that wants the next message submits the task anew instead. */
	rte_comch_task_free(task);
}

static void
send_ended(struct rte_comch_task *task, int status, void *user_data)
{
	data_sent(user_data, status);
	/* A context leaves STOPPING only when all its tasks are freed. */
	rte_comch_task_free(task);
}
/* >8 End of ends of tasks. */

static int
task_post(struct app *app, const struct rte_comch_post *post)
{
	struct rte_comch_task *task;
	int ret;

	ret = rte_comch_consumer_task_alloc(app->consumer, post, &task);
	if (ret != 0)
		return ret;
	ret = rte_comch_task_submit(task);
	if (ret != 0)
		rte_comch_task_free(task);
	return ret;
}

/* Submitting a send. 8< */
static int
task_send(struct app *app, const struct rte_comch_send *send)
{
	int ret;

	/* After a "not now" the task is still ours, and is submitted again. */
	if (app->task == NULL) {
		ret = rte_comch_producer_task_alloc(
				app->producer, app->peer_consumer, send, &app->task);
		if (ret != 0)
			return ret;
	}
	ret = rte_comch_task_submit(app->task);
	if (ret == 0)
		app->task = NULL;
	return ret;
}
/* >8 End of submitting a send. */

const struct layer task_layer = {
	.post_cb = post_ended,
	.send_cb = send_ended,
	.post = task_post,
	.send = task_send,
};
