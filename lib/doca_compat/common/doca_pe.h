/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_PE_H
#define DOCA_PE_H

/**
 * @file
 *
 * Progress engines, which make contexts move, and tasks, which contexts work on. No
 * callback is called but inside of doca_pe_progress(), and callbacks of states inside of
 * what changes a state.
 *
 * An engine, its contexts and their tasks belong to one thread at a time.
 *
 * A thread that sleeps: put the handle of the engine into an epoll set (EPOLLIN), at any
 * time; doca_pe_request_notification(); wait; doca_pe_clear_notification();
 * doca_pe_progress() until it returns 0; and so on. If something is there already when
 * the notification is requested, the handle is readable at once: nothing is missed.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;

/** A progress engine. */
struct doca_pe;

/** A task. Functions of each kind convert to it, as doca_comch_task_send_as_task(). */
struct doca_task;

/** What doca_pe_progress() looks at. */
enum doca_pe_event_mode {
	/** Contexts for which something has come. Works as the other one. */
	DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE = 0,
	/** All contexts. */
	DOCA_PE_EVENT_MODE_PROGRESS_ALL = 1,
};

/** Flags of doca_task_submit_ex(); or-ed together. */
enum doca_task_submit_flag {
	DOCA_TASK_SUBMIT_FLAG_NONE = 0,                  /**< It may wait for others. */
	DOCA_TASK_SUBMIT_FLAG_FLUSH = 1 << 0,            /**< The device gets it now. */
	DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS = 1 << 1, /**< Its callback may be late. */
};

/** @name Progress engines
 * @{
 */

/**
 * Create a progress engine.
 *
 * @param[out] pe
 *   The engine; the caller owns it.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: pe is NULL.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 *   - DOCA_ERROR_INITIALIZATION: the environment does not start, which is logged.
 *   - DOCA_ERROR_OPERATING_SYSTEM: no file descriptor left.
 */
DOCA_STABLE
doca_error_t doca_pe_create(struct doca_pe **pe);

/**
 * Destroy a progress engine.
 *
 * @param pe
 *   The engine.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: pe is NULL.
 *   - DOCA_ERROR_IN_USE: contexts are connected to it; destroy them first.
 *   - DOCA_ERROR_BAD_STATE: called in a callback.
 */
DOCA_STABLE
doca_error_t doca_pe_destroy(struct doca_pe *pe);

/**
 * Handle what has come, and call callbacks. Never waits. Not to be called in a callback:
 * there it does nothing.
 *
 * @param pe
 *   The engine.
 * @return
 *   1 if something was done; 0 if not, or if pe is NULL.
 */
DOCA_STABLE
uint8_t doca_pe_progress(struct doca_pe *pe);

/**
 * Get the file descriptor that becomes readable after doca_pe_request_notification().
 *
 * @param pe
 *   The engine.
 * @param[out] handle
 *   The descriptor: the engine's, the same for its whole life, not to be read or closed.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_pe_get_notification_handle(const struct doca_pe *pe,
		doca_event_handle_t *handle);

/**
 * Ask for the handle to become readable with the next event, or at once if there is
 * something to do. The next doca_pe_progress() ends that.
 *
 * @param pe
 *   The engine.
 * @return
 *   - DOCA_SUCCESS; also if it was requested before.
 *   - DOCA_ERROR_INVALID_VALUE: pe is NULL.
 *   - DOCA_ERROR_NOT_SUPPORTED: a device of one of its contexts cannot notify.
 *   - DOCA_ERROR_BAD_STATE: called in a callback.
 */
DOCA_STABLE
doca_error_t doca_pe_request_notification(struct doca_pe *pe);

/**
 * Say that a notification was seen. doca_pe_progress() does what is needed, so that this
 * call may be left out.
 *
 * @param pe
 *   The engine.
 * @param handle
 *   Anything: not looked at.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: pe is NULL.
 */
DOCA_STABLE
doca_error_t doca_pe_clear_notification(struct doca_pe *pe, doca_event_handle_t handle);

/**
 * Choose what doca_pe_progress() looks at. Both modes do the same.
 *
 * @param pe
 *   The engine.
 * @param mode
 *   The mode.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: pe is NULL, or there is no such mode.
 *   - DOCA_ERROR_BAD_STATE: called in a callback.
 */
DOCA_STABLE
doca_error_t doca_pe_set_event_mode(struct doca_pe *pe, enum doca_pe_event_mode mode);

/**
 * Count the tasks of all contexts of an engine that are submitted and have not ended.
 *
 * @param pe
 *   The engine.
 * @param[out] num_inflight_tasks
 *   Their number.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe,
		size_t *num_inflight_tasks);

/**
 * Connect a context to a progress engine, for the rest of the context's life.
 *
 * @param pe
 *   The engine.
 * @param ctx
 *   The context, IDLE.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 *   - DOCA_ERROR_NOT_PERMITTED: the context is connected to an engine.
 *   - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 *   - DOCA_ERROR_NO_MEMORY: no memory, or the engine is full.
 */
DOCA_STABLE
doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx);

/** @} */

/** @name Tasks
 * @{
 */

/**
 * Submit a task. It ends in a callback, inside of a later doca_pe_progress().
 *
 * @param task
 *   A task that is the program's. With an error it stays the program's.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: task is NULL, or something in it is wrong.
 *   - DOCA_ERROR_BAD_STATE: it is submitted or freed, or its context is not RUNNING.
 *   - DOCA_ERROR_AGAIN: no room now; submit it again later.
 *   - DOCA_ERROR_NOT_CONNECTED: its connection has ended.
 *   - DOCA_ERROR_NOT_FOUND: the consumer it is for is gone.
 */
DOCA_STABLE
doca_error_t doca_task_submit(struct doca_task *task);

/**
 * As doca_task_submit(), which checks as much.
 *
 * @param task
 *   As there.
 * @return
 *   As there.
 */
DOCA_STABLE
doca_error_t doca_task_try_submit(struct doca_task *task);

/**
 * As doca_task_submit(), with hints. The device gets the task at once whatever they are.
 *
 * @param task
 *   As there.
 * @param flags
 *   Of enum doca_task_submit_flag.
 * @return
 *   As there. Also:
 *   - DOCA_ERROR_INVALID_VALUE: an unknown flag.
 */
DOCA_STABLE
doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags);

/**
 * Free a task. One that is submitted is freed when it ends, without a callback.
 *
 * @param task
 *   The task; the handle is void. NULL is allowed and does nothing.
 */
DOCA_STABLE
void doca_task_free(struct doca_task *task);

/**
 * Keep data of the program with a task. Callbacks get it.
 *
 * @param task
 *   The task. With NULL nothing is done.
 * @param user_data
 *   Anything; never followed. Zero in a task that was just allocated.
 */
DOCA_STABLE
void doca_task_set_user_data(struct doca_task *task, union doca_data user_data);

/**
 * Get what doca_task_set_user_data() was given.
 *
 * @param task
 *   The task.
 * @return
 *   Its data; zero if task is NULL.
 */
DOCA_STABLE
union doca_data doca_task_get_user_data(const struct doca_task *task);

/**
 * Get how a task has ended. Valid in its callback and until it is submitted again.
 *
 * @param task
 *   The task.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: task is NULL.
 *   - Another error that its message or buffer has met: DOCA_ERROR_CONNECTION_RESET if
 *     the peer is gone, DOCA_ERROR_SHUTDOWN if this side has stopped.
 */
DOCA_STABLE
doca_error_t doca_task_get_status(const struct doca_task *task);

/**
 * Get the context of a task.
 *
 * @param task
 *   The task.
 * @return
 *   Its context; NULL if task is NULL.
 */
DOCA_STABLE
struct doca_ctx *doca_task_get_ctx(const struct doca_task *task);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* DOCA_PE_H */
