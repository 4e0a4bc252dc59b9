/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What a progress engine has to do, and how it is woken for it: its lists, its
 * mailbox and its descriptors. Nothing is done here: that is in rte_comch_pe.c.
 */

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "comch_private.h"

int
rte_comch_pmd_fd_add(struct rte_comch_pe *pe, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(pe->epfd, EPOLL_CTL_ADD, fd, &ev) == 0 ? 0 : -errno;
}

void
rte_comch_pmd_fd_del(struct rte_comch_pe *pe, int fd)
{
	epoll_ctl(pe->epfd, EPOLL_CTL_DEL, fd, NULL);
}

void
comch_pe_kick(struct rte_comch_pe *pe)
{
	const uint64_t one = 1;
	ssize_t n;

	/* fails only if the counter is full, and then the engine will wake */
	n = write(pe->evfd, &one, sizeof(one));
	RTE_SET_USED(n);
}

/* After something was left for the engine, by any thread. */
void
comch_pe_wake(struct rte_comch_pe *pe)
{
	/*
	 * Pairs with the fence in pe_arm(): either this thread sees
	 * the engine armed, or the engine sees what it was left when it looks
	 * again.
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&pe->armed, __ATOMIC_RELAXED) != 0)
		comch_pe_kick(pe);
}

int
rte_comch_pmd_event_post(struct rte_comch_pe *pe, struct rte_comch_pmd_event *ev)
{
	if (rte_ring_mp_enqueue(pe->mailbox, ev) != 0)
		return -ENOSPC;
	comch_pe_wake(pe);
	return 0;
}

/* In the thread of its engine: it has what it needs of it. */
void
comch_pe_ctx_add(struct rte_comch_ctx *ctx)
{
	TAILQ_INSERT_TAIL(&ctx->pe->ctxs, ctx, next_pe);
	ctx->pe->nb_ctxs++;
}

void
comch_pe_work_add(struct rte_comch_ctx *ctx)
{
	if (ctx->on_work)
		return;
	ctx->on_work = true;
	ctx->pe->nb_work++;
	TAILQ_INSERT_TAIL(&ctx->pe->work, ctx, next_work);
	comch_pe_touch(ctx->pe);
}

void
comch_pe_work_del(struct rte_comch_ctx *ctx)
{
	if (!ctx->on_work)
		return;
	ctx->on_work = false;
	ctx->pe->nb_work--;
	TAILQ_REMOVE(&ctx->pe->work, ctx, next_work);
}

void
comch_pe_retry_add(struct comch_conn *conn)
{
	struct rte_comch_pe *pe = conn->ctrl->ctx.pe;

	if (conn->on_retry)
		return;
	conn->on_retry = true;
	pe->nb_retry++;
	TAILQ_INSERT_TAIL(&pe->retry, conn, retry);
}

void
comch_pe_retry_del(struct comch_conn *conn)
{
	struct rte_comch_pe *pe = conn->ctrl->ctx.pe;

	if (!conn->on_retry)
		return;
	conn->on_retry = false;
	pe->nb_retry--;
	TAILQ_REMOVE(&pe->retry, conn, retry);
}

void
comch_pe_reap_add(struct rte_comch_pe *pe, struct comch_conn *conn)
{
	comch_pool_give(&pe->tasks, conn->nb_own); /* all its tasks are freed */
	TAILQ_INSERT_TAIL(&pe->reaped, conn, next);
	pe->nb_over++;
}

void
comch_pe_dead_add(struct rte_comch_ctx *ctx)
{
	TAILQ_INSERT_TAIL(&ctx->pe->dead, ctx, next_dev);
	ctx->pe->nb_over++;
}

void
comch_pe_timer_update(struct rte_comch_pe *pe)
{
	struct rte_comch_ctx *ctx;

	pe->next_timer = UINT64_MAX;
	TAILQ_FOREACH(ctx, &pe->ctxs, next_pe)
		if (ctx->kind->deadline != NULL)
			pe->next_timer = RTE_MIN(pe->next_timer, ctx->kind->deadline(ctx));
}
