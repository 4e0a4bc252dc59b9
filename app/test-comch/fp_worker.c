/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The life of a worker: it starts its producers and consumers, has them work turn
 * after turn, and stops them. What a turn does is in fp_burst.c and fp_task.c.
 */

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>

#include "app.h"
#include "env.h"
#include "fp_private.h"

/* Turns between two looks at the engine, which bursts do not need. */
#define WORKER_PROGRESS_MASK 0x3f
/* Turns with nothing to do after which a worker lets others have its CPU. */
#define WORKER_YIELD_MASK 0x3f
/* Seconds for producers and consumers to become IDLE, when a thousand pairs have to go. */
#define WORKER_STOP_PATIENCE 30.0

void
fp_state_cb(struct rte_comch_ctx *ctx, enum rte_comch_state prev, enum rte_comch_state next,
		void *user_data)
{
	struct fp_queue *q = user_data;

	RTE_SET_USED(ctx);
	RTE_SET_USED(prev);
	q->state = next;
}

/* All work that there is, in a run. */
static inline uint32_t
worker_work(struct fp_worker *w, bool send)
{
	const uint32_t flags = w->fp->spec.flags;
	struct fp_consumer *c;
	struct fp_producer *p;
	uint32_t n = 0, i;

	if (unlikely((flags & FP_F_TASKS) != 0))
		return fp_task_turn(w, send);
	for (i = 0; i < w->nb_consumers; i++) {
		c = &w->consumers[i];
		if (unlikely(c->q.state != RTE_COMCH_STATE_RUNNING))
			continue;
		n += (flags & FP_F_MBUF) != 0 ? fp_consumer_turn_mbuf(c) : fp_consumer_turn(c);
	}
	if (!send)
		return n;
	for (i = 0; i < w->nb_producers; i++) {
		p = &w->producers[i];
		if (unlikely(p->q.state != RTE_COMCH_STATE_RUNNING))
			continue;
		n += (flags & FP_F_MBUF) != 0 ? fp_producer_turn_mbuf(p) : fp_producer_turn(p);
	}
	return n;
}

static void
worker_state_set(struct fp_worker *w, enum fp_state state)
{
	__atomic_store_n(&w->state, state, __ATOMIC_RELEASE);
}

/* Its identifier; it has one from the beginning. */
static uint32_t
queue_id(const struct fp_queue *q)
{
	struct rte_comch_ctx_info info = { 0 };

	rte_comch_ctx_info_get(q->ctx, &info);
	return info.queue_id;
}

static void
worker_start(struct fp_worker *w)
{
	uint32_t i;
	int ret;

	for (i = 0; i < w->nb_producers; i++) {
		ret = rte_comch_ctx_start(w->producers[i].q.ctx);
		if (ret != 0)
			fp_worker_fail(w, ret, "a producer cannot be started: %s", strerror(-ret));
		w->producers[i].id = queue_id(&w->producers[i].q);
	}
	worker_state_set(w, FP_STATE_STARTING);
}

/* Start the consumers; when the peer knows them, post their buffers. */
static void
worker_starting(struct fp_worker *w)
{
	uint32_t i, running = 0;
	struct fp_consumer *c;
	int ret;

	for (i = 0; i < w->nb_consumers && w->error == 0; i++) {
		c = &w->consumers[i];
		if (!c->asked) {
			ret = rte_comch_ctx_start(c->q.ctx);
			c->asked = ret == 0 || ret == -EINPROGRESS;
			if (!c->asked && ret != -EAGAIN)
				fp_worker_fail(w, ret, "a consumer cannot be started: %s",
						strerror(-ret));
			c->id = queue_id(&c->q);
		} else if (c->q.state == RTE_COMCH_STATE_RUNNING) {
			running++;
		} else if (c->q.state == RTE_COMCH_STATE_IDLE) {
			ret = rte_comch_ctx_reason_get(c->q.ctx);
			fp_worker_fail(w, ret != 0 ? ret : -EIO, "a consumer did not start: %s",
					rte_comch_reason_str(ret));
		}
	}
	if (w->error != 0 || running < w->nb_consumers)
		return;
	if ((w->fp->spec.flags & FP_F_TASKS) != 0) {
		ret = fp_task_setup(w);
		if (ret != 0) {
			fp_worker_fail(w, ret, "tasks cannot be had: %s", strerror(-ret));
			return;
		}
	} else if ((w->fp->spec.flags & FP_F_MBUF) == 0) {
		for (i = 0; i < w->nb_consumers; i++) {
			if (!fp_consumer_post_all(&w->consumers[i]))
				return;
		}
	}
	worker_state_set(w, FP_STATE_RUNNING);
}

/* A connection that ends takes its consumers and producers with it. */
void
fp_worker_check(struct fp_worker *w)
{
	uint32_t question = queues_question(), i;
	/* Acquire: until they go, consumers of the peer still come; pairs with fp_phase_set(). */
	bool asked = question != w->question &&
			__atomic_load_n(&w->fp->phase, __ATOMIC_ACQUIRE) != FP_PHASE_READY;
	int ret;

	if (asked)
		w->question = question;
	for (i = 0; i < w->nb_consumers + w->nb_producers; i++) {
		struct fp_queue *q = i < w->nb_consumers ? &w->consumers[i].q :
				&w->producers[i - w->nb_consumers].q;

		if (asked)
			queue_view_answer(&q->view, question);
		if (q->state == RTE_COMCH_STATE_RUNNING)
			continue;
		ret = rte_comch_ctx_reason_get(q->ctx);
		if (ret == 0)
			ret = -ENOTCONN;
		fp_worker_fail(w, ret, "connection %u has ended: %s", q->conn,
				rte_comch_reason_str(ret));
	}
}

static bool
queue_stop(struct fp_queue *q)
{
	/* With too much waiting on the connection's engine it is tried again. */
	if (q->state == RTE_COMCH_STATE_STARTING || q->state == RTE_COMCH_STATE_RUNNING)
		rte_comch_ctx_stop(q->ctx);
	return q->state == RTE_COMCH_STATE_IDLE;
}

static void
worker_stop(struct fp_worker *w)
{
	uint32_t i;

	worker_state_set(w, FP_STATE_STOPPING);
	if ((w->fp->spec.flags & FP_F_TASKS) != 0)
		fp_task_stop(w);
	for (i = 0; i < w->nb_producers; i++) {
		struct fp_producer *p = &w->producers[i];

		if (p->nb_pkts > 0)
			rte_pktmbuf_free_bulk(&p->pkts[p->next], p->nb_pkts);
		p->nb_pkts = 0;
	}
	w->deadline = rte_rdtsc() +
			(uint64_t)(WORKER_STOP_PATIENCE * (double)rte_get_tsc_hz());
}

static uint32_t
worker_stopping(struct fp_worker *w)
{
	const uint32_t flags = w->fp->spec.flags;
	uint32_t i, left = 0, n = 0;

	for (i = 0; i < w->nb_producers; i++)
		left += queue_stop(&w->producers[i].q) ? 0 : 1;
	for (i = 0; i < w->nb_consumers; i++) {
		struct fp_consumer *c = &w->consumers[i];

		if (queue_stop(&c->q))
			continue;
		left++;
		/* What comes back need not be posted again. */
		if (c->q.state == RTE_COMCH_STATE_STOPPING && (flags & FP_F_TASKS) == 0) {
			if ((flags & FP_F_MBUF) == 0)
				n += rte_comch_queue_poll_burst(c->q.ctx, c->cpls,
						(uint16_t)w->fp->spec.burst);
		}
	}
	if (left == 0) {
		worker_state_set(w, FP_STATE_DONE);
	} else if (rte_rdtsc() > w->deadline) {
		fp_worker_fail(w, -ETIMEDOUT, "%u producers and consumers did not get idle", left);
		worker_state_set(w, FP_STATE_DONE);
	}
	return n;
}

uint32_t
fp_worker_turn(struct fp_worker *w)
{
	enum fp_phase phase = __atomic_load_n(&w->fp->phase, __ATOMIC_ACQUIRE);
	uint32_t i;
	bool settled = true;

	if (likely(w->state == FP_STATE_RUNNING && phase == FP_PHASE_GO)) {
		if (likely((w->fp->spec.flags & FP_F_ECHO) == 0))
			return worker_work(w, true);
		/* Who pings does it by fp_ping(). */
		return w->fp->spec.server ? fp_echo_turn(w) : 0;
	}
	if (phase == FP_PHASE_STOP && w->state < FP_STATE_STOPPING)
		worker_stop(w);
	switch ((enum fp_state)w->state) {
	case FP_STATE_NEW:
		worker_start(w);
		return 1;
	case FP_STATE_STARTING:
		worker_starting(w);
		return 0;
	case FP_STATE_RUNNING:
		if (phase == FP_PHASE_HALT) {
			for (i = 0; i < w->nb_producers; i++)
				settled = fp_producer_settled(&w->producers[i]) && settled;
			if (settled)
				worker_state_set(w, FP_STATE_HALTED);
		}
		return worker_work(w, false);
	case FP_STATE_HALTED:
		return worker_work(w, false);
	case FP_STATE_STOPPING:
		return worker_stopping(w);
	default:
		return 0;
	}
}

/* Sleep until there is something to do, or for a moment. */
static void
worker_sleep(struct fp_worker *w)
{
	struct pollfd pfd[2] = {
		{ .fd = rte_comch_pe_fd(w->pe), .events = POLLIN },
		{ .fd = app_quit_fd(), .events = POLLIN },
	};
	int ret = rte_comch_pe_arm(w->pe);

	if (ret == 0)
		poll(pfd, RTE_DIM(pfd), 10);
}

int
fp_worker_main(void *arg)
{
	struct fp_worker *w = arg;
	uint64_t cpu_ns = env_cpu_time_ns();
	uint32_t n, turns = 0;

	while (w->state != FP_STATE_DONE) {
		n = fp_worker_turn(w);
		if (likely(n > 0 && (++turns & WORKER_PROGRESS_MASK) != 0))
			continue;
		n += (uint32_t)RTE_MAX(rte_comch_pe_progress(w->pe), 0);
		if (w->state == FP_STATE_RUNNING)
			fp_worker_check(w);
		if (n > 0) {
			w->idle = 0;
			continue;
		}
		if ((w->fp->spec.flags & FP_F_EVENT) != 0)
			worker_sleep(w);
		else if (w->shares_cpu && (++w->idle & WORKER_YIELD_MASK) == 0)
			sched_yield();
	}
	w->cpu_ns = env_cpu_time_ns() - cpu_ns;
	return 0;
}
