/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The queue engine: a thread that works on queue pairs with something to do, a few
 * packets of each in turn, and the clock that it has with the main loop. What queue
 * pairs do is in rc_*.c, ud.c and engine_flush.c.
 *
 * There is one lock for all of the model. The main loop has it while it handles
 * messages and what is due; the engine has it for bounded batches, and lets the main
 * loop go first. Where the main loop runs without the thread (fuzz targets), its ticks
 * do the engine's work.
 */

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "data.h"

#define BATCH 16u         /* turns of queue pairs before the lock is given away */
#define IDLE_US 1000000u
#define INLINE_STEPS 4096u /* for a client whose memory can be reached now only */

TAILQ_HEAD(run_list, bfm_run);

struct bfm_engine {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t thread;
	bool threaded;
	bool stop;
	bool wanted;               /* by the main loop; atomic */
	struct run_list ready;
	struct run_list waiting;
};

int
bfm_engine_create(struct bfm_model *m)
{
	pthread_condattr_t attr;
	struct bfm_engine *e;

	if (m->engine != NULL)
		return 0;
	e = calloc(1, sizeof(*e));
	if (e == NULL)
		return -ENOMEM;
	TAILQ_INIT(&e->ready);
	TAILQ_INIT(&e->waiting);
	pthread_mutex_init(&e->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&e->wake, &attr);
	pthread_condattr_destroy(&attr);
	m->engine = e;
	return 0;
}

void
bfm_engine_destroy(struct bfm_model *m)
{
	struct bfm_engine *e = m->engine;

	if (e == NULL)
		return;
	pthread_cond_destroy(&e->wake);
	pthread_mutex_destroy(&e->lock);
	free(e);
	m->engine = NULL;
}

void
bfm_engine_lock(struct bfm_model *m)
{
	__atomic_store_n(&m->engine->wanted, true, __ATOMIC_RELAXED);
	pthread_mutex_lock(&m->engine->lock);
	__atomic_store_n(&m->engine->wanted, false, __ATOMIC_RELAXED);
}

void
bfm_engine_unlock(struct bfm_model *m)
{
	pthread_mutex_unlock(&m->engine->lock);
}

void
bfm_clock_read(struct bfm_model *m)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	m->now_us = (uint64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
	m->now_ms = m->now_us / 1000;
}

/* -------------------------------------------------------------- the lists */

static void
list_leave(struct bfm_engine *e, struct bfm_run *run)
{
	if (run->ready)
		TAILQ_REMOVE(&e->ready, run, next);
	if (run->waiting)
		TAILQ_REMOVE(&e->waiting, run, next);
	run->ready = false;
	run->waiting = false;
}

static void
list_ready(struct bfm_engine *e, struct bfm_run *run)
{
	list_leave(e, run);
	run->open = false;
	run->due = 0;
	run->ready = true;
	TAILQ_INSERT_TAIL(&e->ready, run, next);
}

static void
list_wait(struct bfm_engine *e, struct bfm_run *run)
{
	list_leave(e, run);
	run->waiting = true;
	TAILQ_INSERT_TAIL(&e->waiting, run, next);
}

/* Memory by message is there during the client's own messages only. */
bool
bfm_qp_reachable(struct bfm_function *f, const struct bfm_qp *qp)
{
	uint64_t dbr = qp->srq != NULL ? ((const struct bfm_srq *)qp->srq)->dbr : qp->dbr;

	return !bfm_dma_by_message(f) || bfm_dma_now(f, dbr);
}

/* ---------------------------------------------------------------- working */

static enum bfm_step
run_step(struct bfm_run *run)
{
	struct bfm_qp *qp = run->qp;

	if (!bfm_dma_enabled(run->f))
		return BFM_STEP_IDLE;
	if (qp->state == BFM_QP_ERR || qp->state == BFM_QP_SQER)
		return bfm_flush_step(run->f, qp);
	if (qp->state != BFM_QP_RTS || !qp->has_sq)
		return BFM_STEP_IDLE;
	switch (qp->st) {
	case BFM_ST_RC:
		return bfm_rc_step(run->f, qp);
	case BFM_ST_UD:
	case BFM_ST_QP1:
		return bfm_ud_step(run->f, qp);
	default:
		return BFM_STEP_IDLE;
	}
}

/* One turn of a queue pair; where it belongs afterwards. */
static void
run_turn(struct bfm_engine *e, struct bfm_run *run)
{
	list_leave(e, run);
	run->due = 0;
	switch (run_step(run)) {
	case BFM_STEP_MORE:
		list_ready(e, run);
		break;
	case BFM_STEP_WAIT:
		list_wait(e, run);
		break;
	case BFM_STEP_IDLE:
		break;
	}
}

/* Timers that are due. Returns us until the next one. */
static uint64_t
timers(struct bfm_model *m)
{
	struct bfm_engine *e = m->engine;
	uint64_t next = m->now_us + IDLE_US;
	struct bfm_run *run, *after;

	for (run = TAILQ_FIRST(&e->waiting); run != NULL; run = after) {
		after = TAILQ_NEXT(run, next);
		if (run->due <= m->now_us && bfm_qp_reachable(run->f, run->qp))
			list_ready(e, run);
		else if (run->due > m->now_us && run->due < next)
			next = run->due;
	}
	return next - m->now_us;
}

/* A bounded piece of work. Returns us until there is more, 0: at once. */
static uint64_t
batch(struct bfm_model *m)
{
	struct bfm_engine *e = m->engine;
	struct bfm_run *run;
	uint64_t us;
	uint32_t i;

	us = timers(m);
	for (i = 0; i < BATCH && (run = TAILQ_FIRST(&e->ready)) != NULL; i++) {
		run_turn(e, run);
		if (__atomic_load_n(&e->wanted, __ATOMIC_RELAXED))
			break;
	}
	return TAILQ_EMPTY(&e->ready) ? us : 0;
}

static void
wait_for_work(struct bfm_model *m, uint64_t us)
{
	uint64_t until = m->now_us + us;
	struct timespec ts = { .tv_sec = until / 1000000, .tv_nsec = until % 1000000 * 1000 };

	pthread_cond_timedwait(&m->engine->wake, &m->engine->lock, &ts);
}

static void *
engine_main(void *arg)
{
	struct bfm_model *m = arg;
	struct bfm_engine *e = m->engine;
	uint64_t us;

	pthread_mutex_lock(&e->lock);
	while (!e->stop) {
		bfm_clock_read(m);
		us = batch(m);
		if (us != 0) {
			/* timers made by this batch count too */
			us = timers(m);
			if (TAILQ_EMPTY(&e->ready))
				wait_for_work(m, us);
			continue;
		}
		pthread_mutex_unlock(&e->lock);
		while (__atomic_load_n(&e->wanted, __ATOMIC_RELAXED))
			sched_yield();
		pthread_mutex_lock(&e->lock);
	}
	pthread_mutex_unlock(&e->lock);
	return NULL;
}

int
bfm_engine_start(struct bfm_model *m)
{
	int ret = pthread_create(&m->engine->thread, NULL, engine_main, m);

	m->engine->threaded = ret == 0;
	return -ret;
}

void
bfm_engine_stop(struct bfm_model *m)
{
	struct bfm_engine *e = m->engine;

	if (e == NULL || !e->threaded)
		return;
	pthread_mutex_lock(&e->lock);
	e->stop = true;
	pthread_cond_signal(&e->wake);
	pthread_mutex_unlock(&e->lock);
	pthread_join(e->thread, NULL);
	e->threaded = false;
}

int
bfm_engine_tick(struct bfm_model *m)
{
	uint64_t us;

	if (m->engine == NULL || m->engine->threaded)
		return -1;
	us = batch(m);
	return us < IDLE_US ? (int)us : -1;
}

uint32_t
bfm_engine_running(const struct bfm_model *m)
{
	const struct bfm_run *run;
	uint32_t nb = 0;

	if (m->engine != NULL)
		TAILQ_FOREACH(run, &m->engine->ready, next)
			nb++;
	return nb;
}

/* ----------------------------------------------- what commands and doorbells tell */

/* Everything at once, as its memory cannot be reached later. */
static void
run_inline(struct bfm_engine *e, struct bfm_run *run)
{
	uint32_t i;

	list_ready(e, run);
	for (i = 0; run->ready && i < INLINE_STEPS; i++)
		run_turn(e, run);
}

void
bfm_qp_kick(struct bfm_function *f, struct bfm_qp *qp)
{
	struct bfm_engine *e = f->model->engine;
	struct bfm_run *run = qp->run;

	if (run->ready || (run->waiting && run->due > f->model->now_us && !run->open))
		return;
	if (bfm_dma_by_message(f) && !run->inside) {
		run->inside = true;
		if (bfm_qp_reachable(f, qp))
			run_inline(e, run);
		run->inside = false;
		return;
	}
	list_ready(e, run);
	if (e->threaded)
		pthread_cond_signal(&e->wake);
}

int
bfm_run_create(struct bfm_function *f, struct bfm_qp *qp)
{
	int ret = bfm_engine_create(f->model);

	if (ret != 0)
		return ret;
	qp->run = calloc(1, sizeof(*qp->run));
	if (qp->run == NULL)
		return -ENOMEM;
	qp->run->f = f;
	qp->run->qp = qp;
	return 0;
}

void
bfm_run_destroy(struct bfm_qp *qp)
{
	struct bfm_run *run = qp->run;

	if (run == NULL)
		return;
	list_leave(run->f->model->engine, run);
	if (run->f->qp1 == qp)
		run->f->qp1 = NULL;
	free(run->sq_shadow.bytes);
	free(run->rq_shadow.bytes);
	free(run);
	qp->run = NULL;
}

static void
run_reset(struct bfm_function *f, struct bfm_qp *qp)
{
	struct bfm_run *run = qp->run;

	list_leave(f->model->engine, run);
	free(run->sq_shadow.bytes);
	free(run->rq_shadow.bytes);
	memset(run, 0, sizeof(*run));
	run->f = f;
	run->qp = qp;
}

void
bfm_run_moved(struct bfm_function *f, struct bfm_qp *qp, enum bfm_qp_state old)
{
	struct bfm_run *run = qp->run;

	if (qp->state == old)
		return;
	switch (qp->state) {
	case BFM_QP_RST:
		run_reset(f, qp);
		break;
	case BFM_QP_INIT:
		if (qp->st == BFM_ST_QP1)
			f->qp1 = qp;
		break;
	case BFM_QP_RTR:
		run->epsn = BFM_GET(qp->ctx, QPC, next_rcv_psn);
		break;
	case BFM_QP_RTS:
		if (old == BFM_QP_RTR)
			run->psn = run->una = BFM_GET(qp->ctx, QPC, next_send_psn);
		break;
	case BFM_QP_ERR:
		bfm_qp_stopped(f, qp);
		break;
	default:
		break;
	}
}

void
bfm_run_doorbell(struct bfm_function *f, struct bfm_qp *qp)
{
	/* what is posted is seen now, also if it is fetched later */
	(void)bfm_send_posted(f, qp);
	bfm_qp_kick(f, qp);
}

void
bfm_run_print(const struct bfm_qp *qp, FILE *out)
{
	const struct bfm_run *run = qp->run;

	fprintf(out, " sends_done=%u receives_taken=%u", run->sq_ci, run->rq_ci);
	if (run->started)
		fprintf(out, " request=%u opcode=0x%02x sent=%" PRIu64 "/%" PRIu64, run->wr.index,
				run->wr.opcode, run->sent, run->wr.len);
	fprintf(out, " rnr=%" PRIu64, run->rnr);
	if (run->retries != 0 || run->rnr_retries != 0)
		fprintf(out, " retries=%u rnr_retries=%u", run->retries, run->rnr_retries);
	if (run->ready || run->waiting)
		fprintf(out, " %s", run->ready ? "ready" : run->una != run->psn ? "unanswered" :
				"waiting");
	if (run->recv.active)
		fprintf(out, " receiving=%u got=%" PRIu64, run->recv.index, run->got);
}

void
bfm_run_query(const struct bfm_qp *qp, uint8_t *ctx)
{
	const struct bfm_run *run = qp->run;
	const struct bfm_srq *srq = (const struct bfm_srq *)qp->srq;

	BFM_SET(ctx, QPC, hw_sq_wqebb_counter, run->sq_ci);
	BFM_SET(ctx, QPC, hw_rq_counter, srq != NULL ? srq->taken : run->rq_ci);
	BFM_SET(ctx, QPC, rmsn, run->msn);
	if (qp->state == BFM_QP_RST)
		return;
	if (qp->state >= BFM_QP_RTR)
		BFM_SET(ctx, QPC, next_rcv_psn, run->epsn);
	if (qp->state >= BFM_QP_RTS) {
		BFM_SET(ctx, QPC, next_send_psn, run->psn);
		BFM_SET(ctx, QPC, last_acked_psn, (run->una - 1) & 0xffffff);
	}
}
