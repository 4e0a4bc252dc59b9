/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The work of producers and consumers by tasks: each is submitted, ends in a
 * callback inside the progress of its engine, and is submitted again.
 */

#include <errno.h>
#include <string.h>

#include <rte_errno.h>

#include "fp_private.h"

void
fp_task_post_cb(struct rte_comch_task *task, const struct rte_comch_cpl *cpl, void *user_data)
{
	struct fp_consumer *c = container_of((struct fp_queue *)user_data, struct fp_consumer, q);
	struct fp_worker *w = c->q.worker;
	int ret;

	if (unlikely(cpl->status != 0)) {
		rte_comch_task_free(task);
		return;
	}
	fp_consume(c, rte_comch_task_user_data_get(task), cpl->len,
			cpl->imm_len <= RTE_COMCH_CPL_IMM_SIZE ? cpl->imm : cpl->imm_ext,
			cpl->imm_len, cpl->producer_id);
	w->count.rx_msgs++;
	w->count.rx_bytes += cpl->len + cpl->imm_len;
	ret = rte_comch_task_submit(task);
	if (unlikely(ret != 0)) {
		/* While it stops there is nothing to post to. */
		if (c->q.state == RTE_COMCH_STATE_RUNNING)
			fp_worker_fail(w, ret, "a buffer cannot be posted again: %s",
					strerror(-ret));
		rte_comch_task_free(task);
	}
}

void
fp_task_send_cb(struct rte_comch_task *task, int status, void *user_data)
{
	struct fp_producer *p = container_of((struct fp_queue *)user_data, struct fp_producer, q);
	struct fp_worker *w = p->q.worker;

	p->done++;
	if (unlikely(status != 0 && w->state < FP_STATE_STOPPING))
		fp_worker_fail(w, status, "a message was not sent: %s", strerror(-status));
	if (unlikely(w->state >= FP_STATE_STOPPING))
		rte_comch_task_free(task);
	else
		p->tasks[p->nb_tasks++] = task;
}

static int
consumer_tasks(struct fp_consumer *c)
{
	const struct fp_spec *spec = &c->q.worker->fp->spec;
	struct rte_comch_task *task;
	struct rte_comch_post post;
	int ret;

	for (; c->nb_posted < spec->posts; c->nb_posted++) {
		post = (struct rte_comch_post){ .len = spec->size };
		if (spec->size != 0)
			post.addr = c->base + (size_t)c->nb_posted * spec->stride;
		ret = rte_comch_consumer_task_alloc(c->q.ctx, &post, &task);
		if (ret != 0)
			return ret;
		rte_comch_task_user_data_set(task, post.addr);
		ret = rte_comch_task_submit(task);
		if (ret != 0) {
			rte_comch_task_free(task);
			return ret;
		}
	}
	return 0;
}

static int
producer_tasks(struct fp_producer *p)
{
	const struct fp *fp = p->q.worker->fp;
	struct rte_comch_task *task;
	uint32_t i;
	int ret;

	for (i = 0; i < fp->spec.sources; i++) {
		/* Whom it is for is not known before all are there. */
		ret = rte_comch_producer_task_alloc(p->q.ctx, 1, &p->sends[i], &task);
		if (ret != 0)
			return ret;
		rte_comch_task_user_data_set(task, &p->sends[i]);
		p->tasks[p->nb_tasks++] = task;
	}
	return 0;
}

int
fp_task_setup(struct fp_worker *w)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; i < w->nb_consumers && ret == 0; i++)
		ret = consumer_tasks(&w->consumers[i]);
	for (i = 0; i < w->nb_producers && ret == 0; i++)
		ret = producer_tasks(&w->producers[i]);
	return ret;
}

/* Have a burst of tasks with their bytes, if none is left; one consumer is the target of all. */
static void
producer_fetch(struct fp_producer *p, uint32_t id)
{
	const struct fp_spec *spec = &p->q.worker->fp->spec;
	const bool fill = (spec->flags & FP_F_FILL) != 0;
	struct rte_comch_task *task;
	struct rte_comch_send *s;

	if (p->next < p->nb_held)
		return;
	p->next = 0;
	p->nb_held = RTE_MIN(p->nb_tasks, spec->burst);
	for (uint32_t i = 0; i < p->nb_held; i++) {
		task = p->tasks[--p->nb_tasks];
		s = rte_comch_task_user_data_get(task);
		if (fill)
			fp_producer_fill(p, s, id);
		rte_comch_producer_task_set(task, id, s);
		p->held[i] = task;
	}
}

static uint32_t
producer_turn(struct fp_producer *p)
{
	struct fp_worker *w = p->q.worker;
	const struct fp_remote *remote = &w->fp->remotes[p->q.conn];
	uint32_t id = remote->ids[p->target], nb, i;
	const struct rte_comch_send *s;
	int n;

	/* Those that have their bytes and were not taken are first, whatever came back. */
	producer_fetch(p, id);
	nb = p->nb_held - p->next;
	n = rte_comch_task_submit_burst(&p->held[p->next], (uint16_t)nb, 0);
	if (unlikely(n < (int)nb && rte_errno != EAGAIN))
		fp_worker_fail(w, -rte_errno, "producer %u cannot send to consumer %u: %s", p->id,
				id, strerror(rte_errno));
	for (i = 0; (int)i < n; i++) {
		s = rte_comch_task_user_data_get(p->held[p->next++]);
		w->count.tx_bytes += s->len + s->imm_len;
	}
	p->sent += i;
	w->count.tx_msgs += i;
	if (p->next == p->nb_held && ++p->target >= remote->nb)
		p->target = 0;
	return i;
}

uint32_t
fp_task_turn(struct fp_worker *w, bool send)
{
	uint32_t n, i;

	n = (uint32_t)RTE_MAX(rte_comch_pe_progress(w->pe), 0);
	for (i = 0; i < w->nb_producers && send; i++) {
		if (likely(w->producers[i].q.state == RTE_COMCH_STATE_RUNNING))
			n += producer_turn(&w->producers[i]);
	}
	return n;
}

/* Tasks that are submitted come back when their context is stopped. */
void
fp_task_stop(struct fp_worker *w)
{
	uint32_t i;

	for (i = 0; i < w->nb_producers; i++) {
		struct fp_producer *p = &w->producers[i];

		while (p->next < p->nb_held)
			rte_comch_task_free(p->held[p->next++]);
		while (p->nb_tasks > 0)
			rte_comch_task_free(p->tasks[--p->nb_tasks]);
	}
}
