/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_CTX_PRIVATE_H
#define DOCA_CTX_PRIVATE_H

/*
 * What every kind of context and task begins with, and how the kinds plug into
 * doca_ctx.c, doca_task.c and doca_pe.c, which know none of them. Not installed. Functions
 * declared here have the version node DOCA_COMPAT_INTERNAL.
 *
 * Threads: a context, its tasks and its engine belong to one thread at a time, as those
 * of rte_comch do. Nothing here takes a lock.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <rte_comch.h>

#include <doca_ctx.h>
#include <doca_error.h>
#include <doca_pe.h>

struct doca_compat_func;

struct doca_ctx_ops {
	const char *kind; /* "server", for messages */
	/*
	 * Make ready what starting needs: ctx->rte, made if it is NULL and attached to the
	 * engine, with all settings. The state is IDLE, an engine is there.
	 */
	doca_error_t (*prepare)(struct doca_ctx *ctx);
	/*
	 * All below are called inside of doca_compat_ctx_state_cb(), before the program's
	 * callback; each may be NULL. After the change to RUNNING.
	 */
	void (*running)(struct doca_ctx *ctx);
	/* After the change to STOPPING, on every way there: let go what is idle. */
	void (*stopping)(struct doca_ctx *ctx);
	/* After the change to IDLE. */
	void (*idle)(struct doca_ctx *ctx);
	/*
	 * The context leaves STARTING or RUNNING, and the program has not stopped it: log
	 * why, which is a negative errno of rte_comch_ctx_reason_get().
	 */
	void (*explain)(struct doca_ctx *ctx, int reason);
	/*
	 * Of kinds whose data path can be a program's, or all NULL: whether it can be that of
	 * this one, and what starts and stops it then.
	 */
	doca_error_t (*dpa_set)(struct doca_ctx *ctx, const struct doca_dpa *dpa);
	doca_error_t (*dpa_start)(struct doca_ctx *ctx);
	doca_error_t (*dpa_stop)(struct doca_ctx *ctx);
};

/* The first field of every kind of context. */
struct doca_ctx {
	const struct doca_ctx_ops *ops;
	struct doca_compat_func *func; /* of its device */
	struct rte_comch_ctx *rte; /* NULL before the first start */
	struct doca_pe *pe;        /* or NULL */
	struct doca_dpa *dpa;      /* whose data path it is; or NULL, and it is ours */
	enum doca_ctx_states state;
	union doca_data user_data;
	doca_ctx_state_changed_callback_t state_cb;
	size_t nb_inflight; /* tasks that are submitted */
	bool *ended;        /* where doca_ctx_start() wants to know of its end; or NULL */
	TAILQ_ENTRY(doca_ctx) next; /* on its engine */
};

enum doca_task_state {
	DOCA_TASK_FREE = 0,  /* in the pool of its context */
	DOCA_TASK_OWNED,     /* the program's */
	DOCA_TASK_SUBMITTED, /* the context's */
	DOCA_TASK_DROPPED,   /* submitted, and freed by the program meanwhile */
};

struct doca_task_ops {
	/* Give it to rte_comch, and then to doca_compat_task_begin(). The state is OWNED. */
	doca_error_t (*submit)(struct doca_task *task);
	/*
	 * Back to the pool of its context. The state is OWNED, and FREE after it. Gives the
	 * task of rte_comch back as the last thing: that may end the context.
	 */
	void (*release)(struct doca_task *task);
};

/* The first field of every kind of task. */
struct doca_task {
	const struct doca_task_ops *ops;
	struct doca_ctx *ctx;
	struct rte_comch_task *rte;
	union doca_data user_data;
	doca_error_t status; /* of its last completion */
	enum doca_task_state state;
};

struct doca_pe {
	struct rte_comch_pe *rte;
	TAILQ_HEAD(, doca_ctx) ctxs;
	unsigned int nb_ctxs;
	/* of it on the stack: doca_pe_progress(), and state callbacks in it and elsewhere */
	unsigned int nb_inside;
	bool warned; /* of a call of doca_pe_progress() inside of a callback */
};

/* Begin a context: IDLE, without an engine. */
void doca_compat_ctx_init(struct doca_ctx *ctx, const struct doca_ctx_ops *ops,
		struct doca_compat_func *func);

/* What a setting begins with. DOCA_ERROR_BAD_STATE, which was logged: it is not IDLE. */
doca_error_t doca_compat_ctx_settable(const struct doca_ctx *ctx);

/*
 * What a destroy function of a kind begins with: detaches the context from its engine and
 * destroys that of rte_comch. DOCA_ERROR_IN_USE: it is not IDLE, and nothing was done.
 * May be called in its state callback; the memory of the kind can be freed after it.
 */
doca_error_t doca_compat_ctx_end(struct doca_ctx *ctx);

/*
 * The state callback for the configuration of every context of rte_comch, whose user data
 * is the struct doca_ctx. It follows the states and calls the program.
 */
void doca_compat_ctx_state_cb(struct rte_comch_ctx *rte, enum rte_comch_state prev,
		enum rte_comch_state next, void *user_data);

/* Let it go from its engine, if it has one. */
static inline void
doca_ctx_unlink(struct doca_ctx *ctx)
{
	if (ctx->pe == NULL)
		return;
	TAILQ_REMOVE(&ctx->pe->ctxs, ctx, next);
	ctx->pe->nb_ctxs--;
	ctx->pe = NULL;
}

/* A task has been given to rte_comch. */
static inline void
doca_compat_task_begin(struct doca_task *task)
{
	task->state = DOCA_TASK_SUBMITTED;
	task->ctx->nb_inflight++;
}

/*
 * A task has completed: it is the program's again. Returns false if the program has freed
 * it meanwhile: then it was released, and no callback is to be called.
 */
static inline bool
doca_compat_task_end(struct doca_task *task, doca_error_t status)
{
	bool dropped = task->state == DOCA_TASK_DROPPED;

	task->state = DOCA_TASK_OWNED;
	task->status = status;
	task->ctx->nb_inflight--;
	if (dropped)
		task->ops->release(task);
	return !dropped;
}

#endif /* DOCA_CTX_PRIVATE_H */
