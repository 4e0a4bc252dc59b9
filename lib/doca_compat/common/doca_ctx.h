/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_CTX_H
#define DOCA_CTX_H

/**
 * @file
 *
 * Contexts: what servers, clients, producers and consumers have in common. Each kind has
 * a function that gives its context, for example doca_comch_server_as_ctx(), and a
 * function that destroys it.
 *
 * A context is connected to a progress engine once, see doca_pe_connect_ctx(), and
 * belongs to the thread of that. It is configured while it is IDLE.
 */

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A context. */
struct doca_ctx;
/** An offload processor, of doca_dpa.h. */
struct doca_dpa;
/** A GPU. */
struct doca_gpu;

/** States of a context. */
enum doca_ctx_states {
	DOCA_CTX_STATE_IDLE = 0,     /**< It can be configured, started and destroyed. */
	DOCA_CTX_STATE_STARTING = 1, /**< It waits for its peer: progress, or stop it. */
	DOCA_CTX_STATE_RUNNING = 2,  /**< It can be used. */
	DOCA_CTX_STATE_STOPPING = 3, /**< It waits for its tasks: progress, and free them. */
};

/**
 * Called on every change of state, when the context is in its new state: inside of
 * doca_pe_progress(), doca_ctx_start(), doca_ctx_stop() or doca_task_free(). It may start,
 * stop and, when IDLE, destroy the context.
 *
 * @param user_data
 *   What doca_ctx_set_user_data() was given.
 * @param ctx
 *   The context.
 * @param prev_state
 *   The state it left.
 * @param next_state
 *   The state it is in.
 */
typedef void (*doca_ctx_state_changed_callback_t)(const union doca_data user_data,
		struct doca_ctx *ctx, enum doca_ctx_states prev_state,
		enum doca_ctx_states next_state);

/**
 * Start a context.
 *
 * @param ctx
 *   The context: IDLE, and connected to a progress engine.
 * @return
 *   - DOCA_SUCCESS: it is RUNNING (servers, producers), or its state callback has
 *     stopped it.
 *   - DOCA_ERROR_IN_PROGRESS: it is STARTING (clients, consumers): progress until it is
 *     RUNNING, or IDLE because it could not start, which is logged with the reason.
 *   - DOCA_ERROR_INVALID_VALUE: ctx is NULL, or a value of its configuration does not fit.
 *   - DOCA_ERROR_BAD_STATE: it is not IDLE, or something has to be configured first.
 *   - DOCA_ERROR_NOT_CONNECTED: it is connected to no progress engine, or its connection
 *     has ended.
 *   - DOCA_ERROR_ALREADY_EXIST: a server of this name runs on the representor.
 *   - DOCA_ERROR_NO_MEMORY: no memory, or no task left on the progress engine.
 *   - DOCA_ERROR_AGAIN: the progress engine of the connection has to be progressed first.
 *   - DOCA_ERROR_INITIALIZATION: the device cannot be used now.
 *   - DOCA_ERROR_NOT_SUPPORTED, DOCA_ERROR_NOT_PERMITTED, DOCA_ERROR_IN_USE: not by this
 *     device, as it is logged.
 *   - DOCA_ERROR_DRIVER: the device is gone or broken.
 */
DOCA_STABLE
doca_error_t doca_ctx_start(struct doca_ctx *ctx);

/**
 * Stop a context. Tasks that are submitted end in a later doca_pe_progress(), those that
 * were not delivered with their error callback. It is IDLE when all tasks are freed.
 *
 * @param ctx
 *   The context: STARTING or RUNNING.
 * @return
 *   - DOCA_SUCCESS: it is IDLE.
 *   - DOCA_ERROR_IN_PROGRESS: it is STOPPING; progress until it is IDLE. Also if it was
 *     STOPPING before.
 *   - DOCA_ERROR_INVALID_VALUE: ctx is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is IDLE.
 *   - DOCA_ERROR_NOT_CONNECTED: it is connected to no progress engine.
 *   - DOCA_ERROR_IN_USE: producers or consumers on its connections are not destroyed;
 *     nothing was stopped.
 *   - DOCA_ERROR_AGAIN: the progress engine of the connection has to be progressed first.
 */
DOCA_STABLE
doca_error_t doca_ctx_stop(struct doca_ctx *ctx);

/**
 * Get the state of a context.
 *
 * @param ctx
 *   The context.
 * @param[out] state
 *   Its state.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state);

/**
 * Keep data of the program with a context. Callbacks get it.
 *
 * @param ctx
 *   The context, in any state.
 * @param user_data
 *   Anything; never followed. Zero at first.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: ctx is NULL.
 */
DOCA_STABLE
doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data);

/**
 * Get what doca_ctx_set_user_data() was given.
 *
 * @param ctx
 *   The context.
 * @param[out] user_data
 *   Its data.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *user_data);

/**
 * Set the callback for changes of state.
 *
 * @param ctx
 *   The context, in any state.
 * @param callback
 *   The callback, or NULL for none.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: ctx is NULL.
 */
DOCA_STABLE
doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx,
		doca_ctx_state_changed_callback_t callback);

/**
 * Count the tasks of a context that are submitted and have not ended.
 *
 * @param ctx
 *   The context.
 * @param[out] num_inflight_tasks
 *   Their number.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx,
		size_t *num_inflight_tasks);

/**
 * Give the device all tasks that were submitted. It has them already, whatever the flags
 * of doca_task_submit_ex() were, so that there is nothing to do.
 *
 * @param ctx
 *   The context.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: ctx is NULL.
 */
DOCA_STABLE
doca_error_t doca_ctx_flush_tasks(struct doca_ctx *ctx);

/**
 * Give the data path of a context to a program of an offload processor: a consumer or
 * producer of a message queue, of that side which is the program's.
 *
 * @param ctx
 *   The context, IDLE.
 * @param dpa
 *   The offload processor of the message queue.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 *   - DOCA_ERROR_NOT_SUPPORTED: it is no such context, or the message queue has another
 *     offload processor.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx, struct doca_dpa *dpa);

/**
 * Give the data path of a context to a GPU, which is never here.
 *
 * @param ctx
 *   The context.
 * @param gpu
 *   The GPU.
 * @return
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_NOT_SUPPORTED: otherwise, which is logged once.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx, struct doca_gpu *gpu);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CTX_H */
