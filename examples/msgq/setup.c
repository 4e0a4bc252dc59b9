/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Set-up and teardown: the offload processor and its program, the message queues, both
 * their ends, and the regions of the copies. No message is sent in here.
 */

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_cycles.h>

#include "msgq.h"

/* Microseconds between two looks at an execution unit that is to end. */
#define LOOK_US 1000

/* What could not be made, and why, if the program has not ended by itself. */
static int
cannot(struct app *app, int error, const char *what)
{
	struct rte_comch_dpa_status status;

	if (app->dpa != NULL && rte_comch_dpa_status_get(app->dpa, &status) == 0 &&
			status.state == RTE_COMCH_DPA_FAILED)
		return fail(status.reason, "%s: the program has ended: %s", app->program,
				status.text);
	return fail(error, "%s: %s: %s", app->info.name, what, strerror(-error));
}

static int
report_start(struct app *app, int error)
{
	switch (error) {
	case -ENOENT:
		if (app->runner != NULL && access(app->program, F_OK) == 0)
			return fail(error, "-R %s: there is no such runner: install it, or "
					"correct -R", app->runner);
		return fail(error, "-P %s: there is no such program: build it, see the "
				"Makefile, or correct -P", app->program);
	case -EACCES:
	case -ENOEXEC:
	case -EPROTO:
		return fail(error, "-P %s: no program of this offload processor: build it "
				"with comch-dpa-cc of this release", app->program);
	case -EINVAL:
		return fail(error, "-C: a cpu is none that this process may use: see "
				"taskset -cp $$, or leave -C out");
	default:
		return fail(error, "%s: %s does not start: %s; the log above says more",
				app->info.name, app->program, strerror(-error));
	}
}

/* Load the program. 8< */
static int
dpa_open(struct app *app)
{
	const struct rte_comch_dpa_conf conf = {
		.program = app->program,
		.runner = app->runner,
		.flags = app->runner != NULL ? RTE_COMCH_DPA_F_UNCONFINED : 0,
		.nb_eus = app->nb_eus,
		.eu_cpus = app->nb_cpus != 0 ? app->cpus : NULL,
	};
	int ret;

	ret = rte_comch_dpa_create(app->dev_id, &conf, &app->dpa);
	if (ret != 0)
		return cannot(app, ret, "no offload processor");
	ret = rte_comch_dpa_start(app->dpa);
	if (ret != 0) {
		report_start(app, ret);
		rte_comch_dpa_destroy(app->dpa);
		app->dpa = NULL;
	}
	return ret;
}
/* >8 End of load the program. */

static int
region_open(struct app *app, uint32_t flags, struct rte_comch_mem **mem,
		struct rte_comch_dpa_window **window)
{
	const uint64_t len = (uint64_t)COPY_LEN * app->nb_eus;
	int ret = rte_comch_mem_alloc(app->dev_id, len, RTE_COMCH_MEM_F_DPA, mem);

	if (ret == 0)
		ret = rte_comch_dpa_window_create(app->dpa, *mem, flags, window);
	return ret == 0 ? 0 : cannot(app, ret, "no region that the program may use");
}

/* A message queue for each direction. 8< */
static int
msgqs_open(struct app *app)
{
	struct rte_comch_msgq_conf conf = {
		.dir = RTE_COMCH_MSGQ_TO_DPA,
		.max_consumers = app->nb_eus,
	};
	int ret;

	ret = rte_comch_msgq_create(app->dpa, &conf, &app->to_dpa);
	conf.dir = RTE_COMCH_MSGQ_FROM_DPA;
	conf.max_consumers = 1;
	conf.max_producers = app->nb_eus;
	if (ret == 0)
		ret = rte_comch_msgq_create(app->dpa, &conf, &app->from_dpa);
	return ret == 0 ? 0 : cannot(app, ret, "no message queue");
}
/* >8 End of a message queue for each direction. */

/* This end. 8< */
static int
host_end_open(struct app *app)
{
	const struct rte_comch_post posts[NB_POSTS] = { 0 };
	const struct rte_comch_consumer_conf consumer = {
		.nb_posts = NB_POSTS,
		.imm_len = sizeof(struct msgq_msg),
	};
	int ret;

	ret = rte_comch_msgq_producer_create(app->to_dpa, NULL, &app->producer);
	if (ret == 0)
		ret = rte_comch_msgq_consumer_create(app->from_dpa, &consumer, &app->consumer);
	if (ret == 0)
		ret = rte_comch_ctx_attach(app->producer, app->pe);
	if (ret == 0)
		ret = rte_comch_ctx_attach(app->consumer, app->pe);
	/* Both run at once: there is no peer that has to hear of them. */
	if (ret == 0)
		ret = rte_comch_ctx_start(app->producer);
	if (ret == 0)
		ret = rte_comch_ctx_start(app->consumer);
	if (ret == 0 && rte_comch_consumer_post_burst(app->consumer, posts, NB_POSTS) != NB_POSTS)
		ret = -EIO;
	return ret == 0 ? 0 : cannot(app, ret, "no producer and consumer");
}
/* >8 End of this end. */

/* The program's end. 8< */
static int
unit_queues(struct app *app, struct unit *u)
{
	const struct rte_comch_dpa_completion_conf completion = {
		.type = RTE_COMCH_DPA_COMPLETION_CONSUMER,
		.depth = MSGQ_CREDITS,
		.imm_len = sizeof(struct msgq_msg),
		.thread = u->thread,
	};
	struct rte_comch_dpa_queue_conf consumer = {
		.size = MSGQ_CREDITS,
		.imm_len = sizeof(struct msgq_msg),
	};
	int ret;

	ret = rte_comch_dpa_completion_create(app->dpa, &completion, &u->completion);
	if (ret != 0)
		return ret;
	consumer.completion = u->completion;
	ret = rte_comch_dpa_queue_create(app->to_dpa, &consumer, &u->consumer);
	if (ret == 0)
		ret = rte_comch_dpa_queue_create(app->from_dpa, NULL, &u->producer);
	return ret;
}
/* >8 End of the program's end. */

/* Tell the program. 8< */
static int
unit_tell(struct app *app, struct unit *u)
{
	struct msgq_block block = {
		.event = app->event,
		.src_addr = (uintptr_t)u->src,
		.dst_addr = (uintptr_t)u->dst,
		.len = COPY_LEN,
	};
	struct rte_comch_dpa_queue_info consumer, producer;
	struct rte_comch_ctx_info info;
	int ret;

	ret = rte_comch_dpa_queue_info_get(u->consumer, &consumer);
	if (ret == 0)
		ret = rte_comch_dpa_queue_info_get(u->producer, &producer);
	if (ret == 0)
		ret = rte_comch_dpa_completion_handle_get(u->completion, &block.completion);
	if (ret == 0)
		ret = rte_comch_dpa_window_handle_get(app->src_window, &block.src_window);
	if (ret == 0)
		ret = rte_comch_dpa_window_handle_get(app->dst_window, &block.dst_window);
	if (ret == 0)
		ret = rte_comch_ctx_info_get(app->consumer, &info);
	if (ret == 0) {
		u->id = consumer.id;
		block.consumer = consumer.handle;
		block.producer = producer.handle;
		block.consumer_id = info.queue_id;
		ret = rte_comch_dpa_mem_write(app->dpa, u->block, &block, sizeof(block));
	}
	return ret == 0 ? rte_comch_dpa_thread_run(u->thread) : ret;
}
/* >8 End of tell the program. */

static int
unit_open(struct app *app, uint32_t eu)
{
	struct rte_comch_dpa_thread_conf conf = { .func = MSGQ_FUNC, .eu = eu };
	struct unit *u = &app->units[eu];
	int ret;

	u->src = (uint8_t *)rte_comch_mem_addr(app->src) + (size_t)eu * COPY_LEN;
	u->dst = (uint8_t *)rte_comch_mem_addr(app->dst) + (size_t)eu * COPY_LEN;
	ret = rte_comch_dpa_mem_alloc(app->dpa, sizeof(struct msgq_block), &u->block);
	if (ret == 0) {
		conf.arg = u->block;
		ret = rte_comch_dpa_thread_create(app->dpa, &conf, &u->thread);
	}
	if (ret == -ENOENT)
		return fail(ret, "-P %s: it has no function %s: name the program of this "
				"example", app->program, MSGQ_FUNC);
	if (ret == 0)
		ret = unit_queues(app, u);
	if (ret == 0)
		ret = unit_tell(app, u);
	return ret == 0 ? 0 : cannot(app, ret, "no execution unit");
}

int
setup(struct app *app)
{
	uint32_t i;
	int ret;

	ret = rte_comch_pe_create(NULL, &app->pe);
	if (ret != 0)
		return fail(ret, "cannot create a progress engine: %s", strerror(-ret));
	ret = dpa_open(app);
	if (ret == 0)
		ret = region_open(app, RTE_COMCH_DPA_WINDOW_F_READ, &app->src, &app->src_window);
	if (ret == 0)
		ret = region_open(app, RTE_COMCH_DPA_WINDOW_F_WRITE, &app->dst, &app->dst_window);
	if (ret == 0)
		ret = msgqs_open(app);
	if (ret == 0)
		ret = host_end_open(app);
	for (i = 0; i < app->nb_eus && ret == 0; i++)
		ret = unit_open(app, i);
	return ret;
}

static void
ctx_close(struct app *app, struct rte_comch_ctx *ctx, const char *what)
{
	const uint64_t end = rte_get_timer_cycles() + rte_get_timer_hz() / MS_PER_S * WAIT_MS;
	struct rte_comch_cpl cpls[NB_CPLS];
	int ret;

	if (ctx == NULL)
		return;
	rte_comch_ctx_stop(ctx);
	/* What was posted comes back. */
	while (rte_comch_ctx_state_get(ctx) == RTE_COMCH_STATE_STOPPING &&
			rte_get_timer_cycles() < end) {
		rte_comch_queue_poll_burst(ctx, cpls, RTE_DIM(cpls));
		rte_comch_pe_progress(app->pe);
	}
	ret = rte_comch_ctx_destroy(ctx);
	if (ret != 0)
		cannot(app, ret, what);
}

/* Have an execution unit end its work. 8< */
static void
unit_stop(struct app *app, uint32_t eu)
{
	const uint64_t end = rte_get_timer_cycles() + rte_get_timer_hz() / MS_PER_S * WAIT_MS;
	struct rte_comch_dpa_status status;
	struct rte_comch_dpa_eu_info info;
	const uint32_t stop = 1;

	/* There is nothing to wait for if the program has ended. */
	if (rte_comch_dpa_status_get(app->dpa, &status) != 0 ||
			status.state != RTE_COMCH_DPA_RUNNING)
		return;
	rte_comch_dpa_mem_write(app->dpa, app->units[eu].block +
			offsetof(struct msgq_block, stop), &stop, sizeof(stop));
	while (rte_comch_dpa_eu_info_get(app->dpa, eu, &info) == 0 && info.busy &&
			rte_get_timer_cycles() < end)
		usleep(LOOK_US);
}
/* >8 End of have an execution unit end its work. */

static void
unit_close(struct app *app, struct unit *u)
{
	rte_comch_dpa_queue_destroy(u->consumer);
	rte_comch_dpa_queue_destroy(u->producer);
	rte_comch_dpa_completion_destroy(u->completion);
	/* A function that does not return is ended with its program, and then this works. */
	if (rte_comch_dpa_thread_destroy(u->thread) == -ETIMEDOUT)
		rte_comch_dpa_thread_destroy(u->thread);
	if (u->block != 0)
		rte_comch_dpa_mem_free(app->dpa, u->block);
}

/* End, in this order. 8< */
void
teardown(struct app *app)
{
	uint32_t i;
	int ret;

	for (i = 0; i < app->nb_eus && app->units[i].thread != NULL; i++)
		unit_stop(app, i);
	ctx_close(app, app->producer, "the producer does not end");
	ctx_close(app, app->consumer, "the consumer does not end");
	for (i = 0; i < app->nb_eus; i++)
		unit_close(app, &app->units[i]);
	rte_comch_msgq_destroy(app->to_dpa);
	rte_comch_msgq_destroy(app->from_dpa);
	rte_comch_dpa_window_destroy(app->src_window);
	rte_comch_dpa_window_destroy(app->dst_window);
	rte_comch_mem_free(app->src);
	rte_comch_mem_free(app->dst);
	if (app->dpa != NULL) {
		ret = rte_comch_dpa_stop(app->dpa);
		if (ret == 0)
			ret = rte_comch_dpa_destroy(app->dpa);
		if (ret != 0)
			cannot(app, ret, "the offload processor does not end");
	}
	rte_comch_pe_destroy(app->pe);
}
/* >8 End of end, in this order. */
