/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The progress engine: one thread calls rte_comch_pe_progress() to move its contexts,
 * and may sleep in between. What an engine has to do is in rte_comch_pe_lists.c; what a
 * context or a connection does then is in their own files.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_memory.h>

#include "comch_private.h"
#include "rte_comch_trace.h"

static int
pe_fds_open(struct rte_comch_pe *pe)
{
	pe->epfd = epoll_create1(EPOLL_CLOEXEC);
	pe->evfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pe->tmfd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (pe->epfd < 0 || pe->evfd < 0 || pe->tmfd < 0) {
		COMCH_LOG(ERR, "no descriptor for a progress engine (%s), raise RLIMIT_NOFILE",
			strerror(errno));
		return -EMFILE;
	}
	if (rte_comch_pmd_fd_add(pe, pe->evfd) != 0 || rte_comch_pmd_fd_add(pe, pe->tmfd) != 0)
		return -ENOMEM;
	return 0;
}

static void
pe_free(struct rte_comch_pe *pe)
{
	if (pe->epfd >= 0)
		close(pe->epfd);
	if (pe->evfd >= 0)
		close(pe->evfd);
	if (pe->tmfd >= 0)
		close(pe->tmfd);
	comch_pool_fini(&pe->tasks);
	rte_free(pe->mailbox);
	free(pe);
}

int
rte_comch_pe_create(const struct rte_comch_pe_conf *conf, struct rte_comch_pe **pe_out)
{
	static const struct rte_comch_pe_conf dflt = { .socket_id = SOCKET_ID_ANY };
	static uint32_t last_id;
	struct rte_comch_pe *pe;
	int ret;

	if (conf == NULL)
		conf = &dflt;
	if (pe_out == NULL || conf->flags != 0 ||
			!comch_reserved_is_zero(conf->reserved, RTE_DIM(conf->reserved)) ||
			conf->max_tasks > COMCH_PE_MAX_TASKS ||
			(conf->socket_id < 0 && conf->socket_id != SOCKET_ID_ANY)) {
		COMCH_LOG(ERR, "progress engine: no place for it, a flag, a reserved field, or out of range");
		return -EINVAL;
	}
	pe = calloc(1, sizeof(*pe));
	if (pe == NULL)
		return -ENOMEM;
	pe->epfd = pe->evfd = pe->tmfd = -1;
	pe->next_timer = UINT64_MAX;
	pe->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
	pe->created = rte_get_tsc_cycles();
	TAILQ_INIT(&pe->work);
	TAILQ_INIT(&pe->retry);
	TAILQ_INIT(&pe->reaped);
	TAILQ_INIT(&pe->dead);
	TAILQ_INIT(&pe->polled);
	TAILQ_INIT(&pe->idle_queues);
	TAILQ_INIT(&pe->later);
	TAILQ_INIT(&pe->held);
	TAILQ_INIT(&pe->ctxs);
	TAILQ_INIT(&pe->endings);
	comch_pool_init(&pe->tasks, conf->max_tasks != 0 ? conf->max_tasks : COMCH_PE_DFLT_TASKS,
		conf->socket_id);

	ret = -ENOMEM;
	pe->mailbox = rte_malloc_socket("comch_mailbox",
			rte_ring_get_memsize(COMCH_PE_MAILBOX_SIZE), 0, conf->socket_id);
	if (pe->mailbox == NULL)
		goto fail;
	ret = rte_ring_init(pe->mailbox, "comch_mailbox", COMCH_PE_MAILBOX_SIZE, RING_F_SC_DEQ);
	if (ret != 0)
		goto fail;
	ret = pe_fds_open(pe);
	if (ret != 0)
		goto fail;
	*pe_out = pe;
	return 0;
fail:
	pe_free(pe);
	return ret;
}

/* When no driver and no callback is on the stack any more. */
static void
pe_over_run(struct rte_comch_pe *pe)
{
	struct comch_conn *conn;

	while ((conn = TAILQ_FIRST(&pe->reaped)) != NULL) {
		TAILQ_REMOVE(&pe->reaped, conn, next);
		pe->nb_over--;
		comch_parent_put(&conn->parent);
	}
	comch_ctx_dead_run(pe);
}

int
rte_comch_pe_fd(struct rte_comch_pe *pe)
{
	return pe == NULL ? -EINVAL : pe->epfd;
}

int
rte_comch_pe_destroy(struct rte_comch_pe *pe)
{
	void *ev;

	if (pe == NULL)
		return 0;
	if (pe->in_progress || pe->nb_calls != 0)
		return -EDEADLK;
	if (pe->nb_ctxs != 0 || comch_pe_devs_release(pe) != 0) {
		COMCH_LOG(ERR, "progress engine: %u contexts or connections are on it, or one is on its way: end them first",
			pe->nb_ctxs);
		return -EBUSY;
	}
	/* drivers may need it until the last poll group is gone, or is given up */
	while (!TAILQ_EMPTY(&pe->endings)) {
		if (comch_ending_run(pe, rte_get_tsc_cycles()) == 0)
			rte_delay_us_sleep(100);
	}
	/* what is left are answers nobody waits for; the handlers free what they own */
	while (rte_ring_sc_dequeue(pe->mailbox, &ev) == 0)
		((struct rte_comch_pmd_event *)ev)->handler(ev);
	pe_over_run(pe);
	pe_free(pe);
	return 0;
}

/*
 * What handlers post is for the next turn; so is all that is behind the one that made a
 * client RUNNING, which the application looks at before it is called about it again.
 */
static int
pe_mailbox_run(struct rte_comch_pe *pe)
{
	unsigned int left = RTE_MIN(rte_ring_count(pe->mailbox), COMCH_PE_MAILBOX_BURST + 0u);
	void *ev;
	int nb = 0;

	for (; left > 0 && !pe->turn_over && rte_ring_sc_dequeue(pe->mailbox, &ev) == 0; left--) {
		((struct rte_comch_pmd_event *)ev)->handler(ev);
		nb++;
	}
	return nb;
}

static int
pe_work_run(struct rte_comch_pe *pe)
{
	struct rte_comch_ctx *ctx;
	uint32_t left;
	int nb = 0;

	/* callbacks may add to the list: what they add is for the next call */
	for (left = pe->nb_work; left > 0; left--) {
		ctx = TAILQ_FIRST(&pe->work);
		if (ctx == NULL)
			break;
		comch_pe_work_del(ctx);
		nb += ctx->kind->work(ctx);
	}
	return nb;
}

static int
pe_retry_run(struct rte_comch_pe *pe)
{
	struct comch_conn *conn;
	uint32_t left;
	int nb = 0;

	pe->empty_pool = NULL;
	for (left = pe->nb_retry; left > 0; left--) {
		conn = TAILQ_FIRST(&pe->retry);
		if (conn == NULL)
			break;
		comch_pe_retry_del(conn);
		nb += comch_conn_retry(conn);
	}
	return nb;
}

static int
pe_timers_run(struct rte_comch_pe *pe, uint64_t now)
{
	struct rte_comch_ctx *ctx, *next;
	int nb = 0;

again:
	for (ctx = TAILQ_FIRST(&pe->ctxs); ctx != NULL; ctx = next) {
		next = TAILQ_NEXT(ctx, next_pe);
		if (ctx->kind->deadline == NULL || ctx->kind->deadline(ctx) > now)
			continue;
		nb += ctx->kind->timeout(ctx);
		goto again; /* the callback may have changed the list */
	}
	comch_pe_timer_update(pe);
	return nb;
}

/* A device of this engine has failed: what is started on it stops. */
static int
pe_dev_down_run(struct rte_comch_pe *pe, struct rte_comch_pgroup *pg)
{
	struct rte_comch_dev *dev = pg->dev;
	struct rte_comch_ctx *ctx;
	int reason, nb = 0;

	/* acquire: pairs with the release in rte_comch_pmd_dev_down() */
	__atomic_exchange_n(&pg->down, 0, __ATOMIC_ACQUIRE);
	reason = __atomic_load_n(&dev->status, __ATOMIC_RELAXED);
	/* reset since: what is started was started after that */
	if (reason == 0)
		return 0;
again:
	TAILQ_FOREACH(ctx, &pe->ctxs, next_pe) {
		if (ctx->dev == dev && ctx->kind->dev_down != NULL &&
				ctx->kind->dev_down(ctx, reason) != 0) {
			nb++;
			goto again; /* the callback may have changed the list */
		}
	}
	return nb;
}

static void
pe_disarm(struct rte_comch_pe *pe)
{
	struct itimerspec off = { 0 };
	uint64_t drop;
	uint32_t i;
	ssize_t n;

	__atomic_store_n(&pe->armed, 0, __ATOMIC_RELAXED);
	n = read(pe->evfd, &drop, sizeof(drop));
	RTE_SET_USED(n);
	if (pe->timer_armed)
		timerfd_settime(pe->tmfd, 0, &off, NULL);
	pe->timer_armed = false;
	for (i = 0; i < pe->nb_pgs; i++)
		pe->pgs[i]->dev->ops->pgroup_disarm(pe->pgs[i]);
}

/* Whether progress begins; not in a callback, of progress or of what calls back, too. */
static inline bool
pe_progress_enter(struct rte_comch_pe *pe)
{
	bool inside;

#ifdef RTE_COMCH_DEBUG
	/* sure to find a second thread, too */
	inside = __atomic_exchange_n(&pe->in_progress, true, __ATOMIC_ACQUIRE);
#else
	inside = pe->in_progress;
	pe->in_progress = true;
#endif
	if (likely(!inside && pe->nb_calls == 0))
		return true;
	if (!inside)
		pe->in_progress = false;
	COMCH_LOG(ERR, "progress engine: progressed from one of its own callbacks, or by two threads");
	return false;
}

/*
 * Of the time from turn to turn, what begins with something to handle is busy: also what
 * the application does with it.
 */
static inline void
pe_busy_add(struct rte_comch_pe *pe, uint64_t now)
{
	/* relaxed: a number for people, which telemetry reads */
	if (pe->busy)
		__atomic_store_n(&pe->busy_cycles, pe->busy_cycles + now - pe->turn,
			__ATOMIC_RELAXED);
	pe->turn = now;
}

int
rte_comch_pe_progress(struct rte_comch_pe *pe)
{
	uint64_t now;
	uint32_t i;
	int nb = 0;

	if (unlikely(pe == NULL))
		return -EINVAL;
	if (!pe_progress_enter(pe))
		return -EDEADLK;
	if (pe->armed != 0)
		pe_disarm(pe);
	now = rte_get_tsc_cycles();
	pe_busy_add(pe, now);
	if (!rte_ring_empty(pe->mailbox)) {
		pe->turn_over = false;
		nb += pe_mailbox_run(pe);
		if (unlikely(pe->turn_over))
			goto over;
	}
	/* a callback may attach or detach: look at the count each time */
	for (i = 0; i < pe->nb_pgs; i++) {
		/* relaxed: a look, what is found is read with acquire */
		if (unlikely(__atomic_load_n(&pe->pgs[i]->down, __ATOMIC_RELAXED) != 0))
			nb += pe_dev_down_run(pe, pe->pgs[i]);
		if (i < pe->nb_pgs)
			nb += pe->pgs[i]->dev->ops->pgroup_poll(pe->pgs[i], now);
	}
	if (pe->nb_later != 0)
		nb += comch_submit_later_run(pe);
	if (pe->nb_polled + pe->nb_idle != 0)
		nb += comch_task_poll(pe);
	if (!TAILQ_EMPTY(&pe->retry))
		nb += pe_retry_run(pe);
	if (!TAILQ_EMPTY(&pe->work))
		nb += pe_work_run(pe);
	if (unlikely(!TAILQ_EMPTY(&pe->endings)))
		nb += comch_ending_run(pe, now);
	if (now >= pe->next_timer)
		nb += pe_timers_run(pe, now);
over:
	if (pe->nb_over != 0)
		pe_over_run(pe);
	pe->busy = nb != 0;
	pe->in_progress = false;
	return nb;
}

/* Let the timer descriptor fire at the first deadline. */
static void
pe_timer_arm(struct rte_comch_pe *pe, uint64_t deadline)
{
	uint64_t now, ns;
	struct itimerspec at = { 0 };
	uint32_t i;

	for (i = 0; i < pe->nb_pgs; i++)
		deadline = RTE_MIN(deadline, pe->pgs[i]->deadline);
	if (deadline == UINT64_MAX)
		return;
	now = rte_get_tsc_cycles();
	/* in microseconds first, which does not overflow in a thousand years */
	ns = deadline <= now ? 1 :
		((deadline - now) / (rte_get_tsc_hz() / US_PER_S + 1) + 1) * 1000;
	at.it_value.tv_sec = ns / NS_PER_S;
	at.it_value.tv_nsec = ns % NS_PER_S;
	timerfd_settime(pe->tmfd, 0, &at, NULL);
	pe->timer_armed = true;
}

/*
 * Have whatever comes from now on make the descriptor readable, and look once more:
 * 1 if there is something to do, 0 if not, or a negative errno if it cannot be armed.
 */
static int
pe_arm(struct rte_comch_pe *pe, uint64_t *deadline)
{
	bool pending;
	uint32_t i;

	if (pe == NULL)
		return -EINVAL;
	if (pe->in_progress || pe->nb_calls != 0)
		return -EDEADLK;
	for (i = 0; i < pe->nb_pgs; i++) {
		if ((pe->pgs[i]->dev->info.capa & RTE_COMCH_CAPA_EVENT) == 0) {
			COMCH_LOG(ERR, "%s: its driver has no event mode, poll instead",
				pe->pgs[i]->dev->data->name);
			return -ENOTSUP;
		}
	}
	__atomic_store_n(&pe->armed, 1, __ATOMIC_RELAXED);
	/* pairs with the fence in comch_pe_wake() */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	comch_conn_later_flush(pe);
	*deadline = pe->next_timer;
	/* whoever frees an mbuf does not wake this engine */
	if (pe->nb_recv_waits != 0)
		*deadline = RTE_MIN(*deadline, rte_get_tsc_cycles() +
				rte_get_tsc_hz() / US_PER_S * COMCH_RECV_WAIT_US);
	pending = !rte_ring_empty(pe->mailbox) || !TAILQ_EMPTY(&pe->work) ||
		pe->nb_over != 0 || comch_ending_waits(pe, deadline);
	pending |= comch_submit_later_arm(pe);
	for (i = 0; i < pe->nb_pgs; i++) {
		pending |= pe->pgs[i]->dev->ops->pgroup_arm(pe->pgs[i]);
		pending |= __atomic_load_n(&pe->pgs[i]->down, __ATOMIC_RELAXED) != 0;
	}
	rte_comch_trace_pe_arm(pe, pending ? -EAGAIN : 0);
	if (!pending) {
		/* it may sleep now */
		pe_busy_add(pe, rte_get_tsc_cycles());
		pe->busy = false;
	}
	return pending;
}

int
rte_comch_pe_arm(struct rte_comch_pe *pe)
{
	uint64_t deadline;
	int ret = pe_arm(pe, &deadline);

	if (ret == 1) {
		pe_disarm(pe);
		return -EAGAIN;
	}
	if (ret == 0)
		pe_timer_arm(pe, deadline);
	return ret;
}

int
rte_comch_pe_arm_always(struct rte_comch_pe *pe)
{
	uint64_t deadline;
	int ret = pe_arm(pe, &deadline);

	if (ret == 1)
		comch_pe_kick(pe);
	else if (ret == 0)
		pe_timer_arm(pe, deadline);
	return RTE_MIN(ret, 0);
}

int
rte_comch_pe_info_get(const struct rte_comch_pe *pe, struct rte_comch_pe_info *info)
{
	const struct rte_comch_ctx *ctx;

	if (pe == NULL || info == NULL)
		return -EINVAL;
	memset(info, 0, sizeof(*info));
	info->max_devs = COMCH_PE_MAX_PGROUPS;
	info->nb_devs = pe->nb_pgs;
	info->max_queues = COMCH_PE_MAX_QUEUES;
	info->nb_queues = pe->nb_queues;
	info->max_tasks = pe->tasks.max_tasks;
	/* relaxed: others take some for connections here */
	info->tasks_left = __atomic_load_n(&pe->tasks.tasks_left, __ATOMIC_RELAXED);
	info->nb_ctxs = pe->nb_ctxs;
	TAILQ_FOREACH(ctx, &pe->ctxs, next_pe)
		info->nb_tasks += ctx->nb_tasks;
	return 0;
}
