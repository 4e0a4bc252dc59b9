/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Set-up and teardown of an end of the fast path, and what the main thread asks
 * of it. The messages themselves are in fp_burst.c and fp_task.c.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_memory.h>

#include "app.h"
#include "env.h"
#include "fp_private.h"

/* Packets that an lcore may keep to itself. */
#define FP_POOL_CACHE 128
/* Bytes between the immediate data of two sends. */
#define FP_IMM_ALIGN 32
/* Turns between two turns of the engine, fewer if many bytes are moved in them. */
#define FP_TURNS 64
#define FP_TURN_BYTES (UINT32_C(4) << 20)
/* Seconds that fp_free() waits for workers that were not told to stop before. */
#define FP_FREE_PATIENCE 6.0

/* An lcore works for one end at a time. Both ends of one process have their own. */
static bool lcore_taken[RTE_MAX_LCORE];

/*
 * The next lcore of an end. With both ends in one process the first worker is
 * the server itself, and of the others each end has every second one.
 */
static unsigned int
lcore_next(unsigned int lcore, bool server, bool loopback)
{
	unsigned int i, place = 0;

	RTE_LCORE_FOREACH_WORKER(i) {
		bool mine = !loopback || (place > 0 && (place % 2 == 0) == server);

		place++;
		if (mine && (lcore == LCORE_ID_ANY || i > lcore))
			return i;
	}
	return LCORE_ID_ANY;
}

static int
lcore_cpu(unsigned int lcore)
{
	rte_cpuset_t set = rte_lcore_cpuset(lcore);
	int i;

	for (i = 0; i < CPU_SETSIZE; i++) {
		if (CPU_ISSET(i, &set))
			return i;
	}
	return -1;
}

int
fp_cpu(bool server, bool loopback)
{
	unsigned int lcore = lcore_next(LCORE_ID_ANY, server, loopback);

	return lcore == LCORE_ID_ANY ? env_cpu() : lcore_cpu(lcore);
}

static bool
lcores_share_cpu(unsigned int lcore)
{
	rte_cpuset_t mine = rte_lcore_cpuset(lcore), other, both;
	unsigned int i;

	RTE_LCORE_FOREACH(i) {
		other = rte_lcore_cpuset(i);
		CPU_AND(&both, &mine, &other);
		if (i != lcore && CPU_COUNT(&both) > 0)
			return true;
	}
	return false;
}

/* As many workers as there are lcores for, but none without work. */
static int
workers_make(struct fp *fp)
{
	const struct fp_spec *spec = &fp->spec;
	uint32_t queues = (spec->producers + spec->consumers) * spec->nb_conns;
	struct rte_comch_pe_conf conf = { .socket_id = SOCKET_ID_ANY };
	unsigned int lcores[RTE_MAX_LCORE], lcore = LCORE_ID_ANY;
	uint32_t nb = 0, i;
	int ret;

	/* One message at a time is work for one thread. */
	while ((spec->flags & FP_F_ECHO) == 0 && nb < queues) {
		lcore = lcore_next(lcore, spec->server, spec->loopback);
		if (lcore == LCORE_ID_ANY)
			break;
		if (!lcore_taken[lcore])
			lcores[nb++] = lcore;
	}
	fp->nb_workers = RTE_MAX(nb, 1u);
	fp->workers = aligned_alloc(RTE_CACHE_LINE_SIZE, fp->nb_workers * sizeof(fp->workers[0]));
	if (fp->workers == NULL)
		return -ENOMEM;
	memset(fp->workers, 0, fp->nb_workers * sizeof(fp->workers[0]));
	for (i = 0; i < fp->nb_workers; i++) {
		struct fp_worker *w = &fp->workers[i];

		w->fp = fp;
		w->lcore = LCORE_ID_ANY;
		w->pe = fp->pe;
		w->consumers = calloc(spec->consumers * spec->nb_conns + 1,
				sizeof(w->consumers[0]));
		w->producers = calloc(spec->producers * spec->nb_conns + 1,
				sizeof(w->producers[0]));
		if (w->consumers == NULL || w->producers == NULL)
			return -ENOMEM;
	}
	for (i = 0; i < nb; i++) {
		conf.max_tasks = 64;
		if ((spec->flags & FP_F_TASKS) != 0)
			conf.max_tasks += queues * RTE_MAX(spec->posts, spec->sources);
		ret = rte_comch_pe_create(&conf, &fp->workers[i].pe);
		if (ret != 0) {
			fp->workers[i].pe = fp->pe;
			return ret;
		}
		fp->workers[i].lcore = lcores[i];
		fp->workers[i].shares_cpu = lcores_share_cpu(lcores[i]);
		lcore_taken[lcores[i]] = true;
	}
	return 0;
}

/* ---- memory ---- */

int
fp_pool_create(const struct fp_spec *spec, uint32_t nb, uint32_t nb_threads, uint32_t flags,
		struct rte_comch_mem **mem)
{
	static uint32_t number;
	char name[32];

	snprintf(name, sizeof(name), "test_comch_%u",
			__atomic_fetch_add(&number, 1, __ATOMIC_RELAXED));
	/* What lcores keep to themselves is missing elsewhere. */
	nb += nb_threads * FP_POOL_CACHE * 2;
	return rte_comch_mem_pool_create(spec->dev_id, name, nb, FP_POOL_CACHE,
			(uint16_t)(RTE_PKTMBUF_HEADROOM + spec->stride), flags, mem);
}

static int
memory_make(struct fp *fp, char why[FP_TEXT])
{
	const struct fp_spec *spec = &fp->spec;
	uint64_t consumers = (uint64_t)spec->consumers * spec->nb_conns;
	uint64_t producers = (uint64_t)spec->producers * spec->nb_conns;
	bool mbufs = (spec->flags & FP_F_MBUF) != 0;
	struct rte_comch_mem_info info;
	uint64_t len = 0;
	int ret = 0;

	if (spec->size != 0 && consumers > 0) {
		len = consumers * spec->posts * spec->stride;
		ret = mbufs ? fp_pool_create(spec, (uint32_t)consumers * (spec->posts +
				2 * spec->burst), fp->nb_workers + 1, RTE_COMCH_MEM_F_PEER_WRITE,
				&fp->mem) :
				rte_comch_mem_alloc(spec->dev_id, len,
				RTE_COMCH_MEM_F_PEER_WRITE, &fp->mem);
	}
	if (spec->size != 0 && producers > 0 && ret == 0) {
		len = producers * spec->sources * fp->src_stride;
		ret = mbufs ? fp_pool_create(spec, (uint32_t)producers * 2 * FP_MAX_BURST,
				fp->nb_workers + 1, 0, &fp->src) :
				rte_comch_mem_alloc(spec->dev_id, len, 0, &fp->src);
	}
	if (ret != 0) {
		snprintf(why, FP_TEXT, "no memory of %" PRIu64 " bytes for buffers: %s", len,
				strerror(-ret));
		return ret;
	}
	if (fp->src != NULL && rte_comch_mem_info_get(fp->src, &info) == 0) {
		fp->src_pool = info.pool;
		if (!mbufs)
			memset(info.addr, 0x5a, info.len);
	}
	if (spec->imm_len != 0 && producers > 0) {
		len = producers * spec->sources * RTE_ALIGN_CEIL(spec->imm_len, FP_IMM_ALIGN);
		fp->imm = aligned_alloc(RTE_CACHE_LINE_SIZE,
				RTE_ALIGN_CEIL(len, RTE_CACHE_LINE_SIZE));
		if (fp->imm == NULL) {
			snprintf(why, FP_TEXT, "no memory for immediate data");
			return -ENOMEM;
		}
		memset(fp->imm, 0x5a, len);
	}
	return 0;
}

uint64_t
fp_page_size(const struct fp *fp)
{
	struct rte_comch_mem_info info;

	if (rte_comch_mem_info_get(fp->mem != NULL ? fp->mem : fp->src, &info) != 0)
		return 0;
	return info.page_size;
}

/* ---- producers and consumers ---- */

/* Completions are aligned to their size. */
static struct rte_comch_cpl *
cpls_make(uint32_t nb)
{
	return aligned_alloc(RTE_COMCH_CPL_SIZE, nb * sizeof(struct rte_comch_cpl));
}

/* Have it in the list of the prompt. to: the consumers that a producer sends to. */
static void
queue_show(struct fp_queue *q, struct rte_comch_conn *conn, const struct fp_remote *to)
{
	struct rte_comch_conn_info info;

	q->view.ctx = q->ctx;
	q->view.lcore = q->worker->lcore != LCORE_ID_ANY ? q->worker->lcore : rte_lcore_id();
	if (rte_comch_conn_info_get(conn, &info) == 0)
		snprintf(q->view.peer, sizeof(q->view.peer), "%s %u #%u", info.function,
				info.peer_pid, q->conn);
	if (to != NULL) {
		q->view.targets = to->ids;
		q->view.nb_targets = &to->nb;
	}
	queue_view_add(&q->view);
}

static int
consumer_make(struct fp *fp, struct rte_comch_conn *conn, uint32_t number)
{
	const struct fp_spec *spec = &fp->spec;
	struct fp_worker *w = &fp->workers[number % fp->nb_workers];
	struct fp_consumer *c = &w->consumers[w->nb_consumers];
	struct rte_comch_consumer_conf conf = {
		.mem = fp->mem,
		.buf_size = (spec->flags & FP_F_MBUF) == 0 ? spec->size : 0,
		.nb_posts = spec->posts,
		.imm_len = spec->imm_len,
		.state_cb = fp_state_cb,
		.user_data = &c->q,
	};
	uint32_t i;
	int ret;

	if ((spec->flags & FP_F_TASKS) != 0) {
		conf.nb_tasks = spec->posts;
		conf.post_cb = fp_task_post_cb;
	}
	c->q.worker = w;
	c->q.conn = fp->nb_conns;
	if (fp->mem != NULL && (spec->flags & FP_F_MBUF) == 0)
		c->base = (uint8_t *)rte_comch_mem_addr(fp->mem) +
				(size_t)number * spec->posts * spec->stride;
	c->cpls = cpls_make(spec->burst);
	c->posts = calloc(spec->burst, sizeof(c->posts[0]));
	c->pkts = calloc(spec->burst, sizeof(c->pkts[0]));
	c->seq = calloc(FP_MAX_QUEUES + 1, sizeof(c->seq[0]));
	w->nb_consumers++;
	if (c->cpls == NULL || c->posts == NULL || c->pkts == NULL || c->seq == NULL)
		return -ENOMEM;
	for (i = 0; i < spec->burst; i++)
		c->posts[i].len = spec->size;
	ret = rte_comch_consumer_create(conn, &conf, &c->q.ctx);
	if (ret == 0)
		queue_show(&c->q, conn, NULL);
	return ret != 0 ? ret : rte_comch_ctx_attach(c->q.ctx, w->pe);
}

static int
producer_make(struct fp *fp, struct rte_comch_conn *conn, uint32_t number)
{
	const struct fp_spec *spec = &fp->spec;
	size_t imm_stride = RTE_ALIGN_CEIL(spec->imm_len, FP_IMM_ALIGN);
	/* On the workers that have no consumer first. */
	struct fp_worker *w = &fp->workers[(number + spec->consumers * spec->nb_conns) %
			fp->nb_workers];
	struct fp_producer *p = &w->producers[w->nb_producers];
	struct rte_comch_producer_conf conf = {
		.nb_sends = spec->sources,
		.state_cb = fp_state_cb,
		.user_data = &p->q,
	};
	struct rte_comch_send *s;
	uint32_t i;
	int ret;

	if ((spec->flags & FP_F_TASKS) != 0) {
		conf.nb_tasks = spec->sources;
		conf.send_cb = fp_task_send_cb;
	}
	p->q.worker = w;
	p->q.conn = fp->nb_conns;
	p->random = UINT64_C(0x9e3779b97f4a7c15) * (number + 1);
	p->sends = calloc(spec->sources, sizeof(p->sends[0]));
	p->cpls = cpls_make(spec->burst);
	p->pkts = calloc(spec->burst, sizeof(p->pkts[0]));
	p->lens = calloc(spec->burst, sizeof(p->lens[0]));
	p->tasks = calloc(spec->sources, sizeof(p->tasks[0]));
	p->held = calloc(spec->burst, sizeof(p->held[0]));
	p->seq = calloc(FP_MAX_QUEUES, sizeof(p->seq[0]));
	w->nb_producers++;
	if (p->sends == NULL || p->cpls == NULL || p->pkts == NULL || p->lens == NULL ||
			p->tasks == NULL || p->held == NULL || p->seq == NULL)
		return -ENOMEM;
	for (i = 0; i < spec->sources; i++) {
		size_t n = (size_t)number * spec->sources + i;

		s = &p->sends[i];
		if (spec->size != 0 && (spec->flags & FP_F_MBUF) == 0) {
			s->addr = (uint8_t *)rte_comch_mem_addr(fp->src) + n * fp->src_stride;
			s->len = spec->size;
			s->mem = fp->src;
		}
		if (spec->imm_len != 0) {
			s->imm = fp->imm + n * imm_stride;
			s->imm_len = spec->imm_len;
		}
		/* Completions that nobody needs cost something too. */
		if ((i + 1) % fp->group != 0 && (spec->flags & FP_F_TASKS) == 0)
			s->flags = RTE_COMCH_SEND_F_NO_CPL;
	}
	ret = rte_comch_producer_create(conn, &conf, &p->q.ctx);
	if (ret == 0)
		queue_show(&p->q, conn, &fp->remotes[fp->nb_conns]);
	return ret != 0 ? ret : rte_comch_ctx_attach(p->q.ctx, w->pe);
}

int
fp_conn_add(struct fp *fp, struct rte_comch_conn *conn, char why[FP_TEXT])
{
	const struct fp_spec *spec = &fp->spec;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < spec->consumers && ret == 0; i++) {
		ret = consumer_make(fp, conn, fp->nb_conns * spec->consumers + i);
		if (ret != 0)
			snprintf(why, FP_TEXT, "a consumer cannot be made: %s", strerror(-ret));
	}
	for (i = 0; i < spec->producers && ret == 0; i++) {
		ret = producer_make(fp, conn, fp->nb_conns * spec->producers + i);
		if (ret != 0)
			snprintf(why, FP_TEXT, "a producer cannot be made: %s", strerror(-ret));
	}
	if (ret == 0)
		fp->nb_conns++;
	return ret;
}

const struct fp_spec *
fp_spec_get(const struct fp *fp)
{
	return &fp->spec;
}

void
fp_remote_consumer(struct fp *fp, uint32_t conn, uint32_t consumer_id)
{
	struct fp_remote *r;

	if (conn >= fp->spec.nb_conns)
		return;
	r = &fp->remotes[conn];
	if (r->nb < RTE_DIM(r->ids))
		r->ids[r->nb++] = consumer_id;
}

/* ---- life ---- */

int
fp_create(const struct fp_spec *spec, struct rte_comch_pe *pe, struct fp **out,
		char why[FP_TEXT])
{
	struct fp *fp;
	int ret;

	fp = aligned_alloc(RTE_CACHE_LINE_SIZE, sizeof(*fp));
	if (fp == NULL) {
		snprintf(why, FP_TEXT, "no memory for a run");
		return -ENOMEM;
	}
	memset(fp, 0, sizeof(*fp));
	fp->spec = *spec;
	fp->pe = pe;
	fp->src_stride = RTE_ALIGN_CEIL(spec->size, RTE_CACHE_LINE_SIZE);
	/* The sources come back in groups, of which there are two or more. */
	fp->group = RTE_MAX(RTE_MIN(spec->burst, spec->sources / 2), 1u);
	fp->spec.sources = RTE_ALIGN_MUL_CEIL(spec->sources, fp->group);
	fp->turns = FP_TURN_BYTES / (RTE_MAX((uint64_t)spec->size, 1u) * spec->burst);
	fp->turns = RTE_MIN(RTE_MAX(fp->turns, 1u), (uint32_t)FP_TURNS);
	fp->remotes = calloc(spec->nb_conns, sizeof(fp->remotes[0]));
	ret = fp->remotes == NULL ? -ENOMEM : workers_make(fp);
	if (ret != 0)
		snprintf(why, FP_TEXT, "no memory, or no engine, for workers: %s",
				strerror(-ret));
	else
		ret = memory_make(fp, why);
	if (ret != 0) {
		fp_free(fp);
		return ret;
	}
	*out = fp;
	return 0;
}

int
fp_start(struct fp *fp)
{
	uint32_t i;
	int ret;

	fp->started = true;
	for (i = 0; i < fp->nb_workers; i++) {
		struct fp_worker *w = &fp->workers[i];

		if (w->lcore == LCORE_ID_ANY)
			continue;
		ret = rte_eal_remote_launch(fp_worker_main, w, w->lcore);
		if (ret != 0) {
			fp_worker_fail(w, ret, "lcore %u cannot be used: %s", w->lcore,
					strerror(-ret));
			w->state = FP_STATE_DONE;
			return ret;
		}
		w->launched = true;
	}
	return 0;
}

bool
fp_is_inline(const struct fp *fp)
{
	return fp->workers[0].lcore == LCORE_ID_ANY;
}

uint32_t
fp_poll(struct fp *fp)
{
	const bool event = (fp->spec.flags & FP_F_EVENT) != 0;
	uint32_t sum = 0, n, i;

	if (!fp->started || !fp_is_inline(fp))
		return 0;
	for (i = 0; i < fp->turns; i++) {
		n = fp_worker_turn(&fp->workers[0]);
		if (n == 0 && event)
			break;
		sum += n;
	}
	return sum;
}

/* Are all workers in this state, or further on? */
static bool
workers_reached(const struct fp *fp, enum fp_state state)
{
	uint32_t i;

	for (i = 0; i < fp->nb_workers; i++) {
		if (__atomic_load_n(&fp->workers[i].state, __ATOMIC_ACQUIRE) < state)
			return false;
	}
	return true;
}

bool
fp_ready(const struct fp *fp, bool with_peer)
{
	uint32_t i;

	if (!workers_reached(fp, FP_STATE_RUNNING))
		return false;
	for (i = 0; with_peer && i < fp->spec.nb_conns; i++) {
		if (fp->remotes[i].nb < fp->spec.peer_consumers)
			return false;
	}
	return true;
}

int
fp_error(const struct fp *fp, const char **text)
{
	uint32_t i;
	int ret;

	if (fp->started && fp_is_inline(fp) && fp->workers[0].state == FP_STATE_RUNNING)
		fp_worker_check(&fp->workers[0]);
	for (i = 0; i < fp->nb_workers; i++) {
		ret = __atomic_load_n(&fp->workers[i].error, __ATOMIC_ACQUIRE);
		if (ret != 0) {
			*text = fp->workers[i].text;
			return ret;
		}
	}
	return 0;
}

static void
fp_phase_set(struct fp *fp, enum fp_phase phase)
{
	if (fp->phase < phase)
		__atomic_store_n(&fp->phase, phase, __ATOMIC_RELEASE);
}

void
fp_go(struct fp *fp)
{
	fp_phase_set(fp, FP_PHASE_GO);
}

void
fp_halt(struct fp *fp)
{
	fp_phase_set(fp, FP_PHASE_HALT);
}

void
fp_stop(struct fp *fp)
{
	fp_phase_set(fp, FP_PHASE_STOP);
}

bool
fp_halted(const struct fp *fp)
{
	return workers_reached(fp, FP_STATE_HALTED);
}

bool
fp_stopped(const struct fp *fp)
{
	return !fp->started || workers_reached(fp, FP_STATE_DONE);
}

void
fp_count_get(const struct fp *fp, struct fp_count *count)
{
	uint32_t i;

	memset(count, 0, sizeof(*count));
	for (i = 0; i < fp->nb_workers; i++) {
		const struct fp_count *c = &fp->workers[i].count;

		count->tx_msgs += __atomic_load_n(&c->tx_msgs, __ATOMIC_RELAXED);
		count->tx_bytes += __atomic_load_n(&c->tx_bytes, __ATOMIC_RELAXED);
		count->rx_msgs += __atomic_load_n(&c->rx_msgs, __ATOMIC_RELAXED);
		count->rx_bytes += __atomic_load_n(&c->rx_bytes, __ATOMIC_RELAXED);
		count->bad_msgs += __atomic_load_n(&c->bad_msgs, __ATOMIC_RELAXED);
	}
}

uint64_t
fp_cpu_ns(const struct fp *fp)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < fp->nb_workers; i++)
		sum += fp->workers[i].cpu_ns;
	return sum;
}

static bool
queue_free(struct fp_queue *q)
{
	struct rte_comch_ctx_info info;
	int ret;

	queue_view_remove(&q->view);
	ret = rte_comch_ctx_destroy(q->ctx);
	if (ret != 0 && rte_comch_ctx_info_get(q->ctx, &info) == 0)
		app_left(info.type == RTE_COMCH_CTX_CONSUMER ? "a consumer" : "a producer", ret);
	return ret == 0;
}

/* What is stuck stays: its callbacks may still come. */
static bool
worker_free(struct fp_worker *w)
{
	uint32_t i;
	int ret;

	for (i = 0; w->producers != NULL && i < w->nb_producers; i++) {
		if (!queue_free(&w->producers[i].q))
			return false;
	}
	for (i = 0; w->consumers != NULL && i < w->nb_consumers; i++) {
		if (!queue_free(&w->consumers[i].q))
			return false;
	}
	for (i = 0; w->producers != NULL && i < w->nb_producers; i++) {
		struct fp_producer *p = &w->producers[i];

		free(p->sends);
		free(p->cpls);
		free(p->pkts);
		free(p->lens);
		free(p->tasks);
		free(p->held);
		free(p->seq);
	}
	for (i = 0; w->consumers != NULL && i < w->nb_consumers; i++) {
		struct fp_consumer *c = &w->consumers[i];

		free(c->cpls);
		free(c->posts);
		free(c->pkts);
		free(c->seq);
	}
	free(w->consumers);
	free(w->producers);
	if (w->pe != w->fp->pe) {
		ret = rte_comch_pe_destroy(w->pe);
		if (ret != 0)
			app_left("the engine of a worker", ret);
	}
	return true;
}

void
fp_free(struct fp *fp)
{
	uint64_t deadline;
	bool all = true;
	uint32_t i;
	int ret;

	if (fp == NULL)
		return;
	fp_stop(fp);
	deadline = rte_rdtsc() + (uint64_t)(FP_FREE_PATIENCE * (double)rte_get_tsc_hz());
	while (!fp_stopped(fp) && rte_rdtsc() < deadline) {
		rte_comch_pe_progress(fp->pe);
		fp_poll(fp);
	}
	for (i = 0; fp->workers != NULL && i < fp->nb_workers; i++) {
		struct fp_worker *w = &fp->workers[i];

		/* Its loop ends by itself a while after the stop. */
		if (w->launched)
			rte_eal_wait_lcore(w->lcore);
		if (w->lcore != LCORE_ID_ANY)
			lcore_taken[w->lcore] = false;
		all = worker_free(w) && all;
	}
	if (!all)
		return;
	free(fp->workers);
	ret = rte_comch_mem_free(fp->mem);
	if (ret == 0)
		ret = rte_comch_mem_free(fp->src);
	if (ret != 0)
		fprintf(stderr, "a region cannot be freed: %s\n", strerror(-ret));
	free(fp->imm);
	free(fp->remotes);
	free(fp);
}
