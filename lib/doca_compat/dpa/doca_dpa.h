/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_DPA_H
#define DOCA_DPA_H

/**
 * @file
 *
 * Offload processors (DPA) and their programs: what a host program calls. What runs on
 * the processor includes doca_dpa_dev.h, and is built by comch-dpacc, which makes an archive
 * for the host program with the program in it. The functions of the program are declared in
 * the host program as doca_dpa_func_t, and handed to the calls below.
 *
 * The order is: create, doca_dpa_set_app(), start, then memory, threads, completion
 * contexts, and the message queues of doca_comch_msgq.h. What was started last is stopped
 * first. An object that names a processor is destroyed before that.
 *
 * A program that faults or spins is ended: calls return DOCA_ERROR_DRIVER from then on, and
 * what stops and destroys succeeds.
 *
 * The objects of a processor belong to one thread at a time.
 */

#include <stdarg.h> /* programs lean on these two */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_dpa_types.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_devinfo;

/** An offload processor. */
struct doca_dpa;
/** A program, as comch-dpacc makes it. */
struct doca_dpa_app;
/** A thread of a program. */
struct doca_dpa_thread;
/** A choice of an execution unit. */
struct doca_dpa_eu_affinity;
/** A completion context of producers of a program. */
struct doca_dpa_completion;

/** A function of a program. The host program declares it, and does not call it. */
typedef void(doca_dpa_func_t)(void);

/**
 * @name Offload processors
 * @{
 */

/**
 * Tell whether a device can have offload processors.
 *
 * @param devinfo
 *   The device.
 * @return
 *   - DOCA_SUCCESS: it can.
 *   - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 *   - DOCA_ERROR_NOT_SUPPORTED: it cannot.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * Create an offload processor. It has no program yet.
 *
 * @param dev
 *   The device, which stays open until the processor is destroyed.
 * @param [out] dpa
 *   The processor, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_NOT_SUPPORTED: the device can have none.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_create(struct doca_dev *dev, struct doca_dpa **dpa);

/**
 * Destroy an offload processor.
 *
 * @param dpa
 *   An offload processor, not started.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: dpa is NULL.
 *   - DOCA_ERROR_IN_USE: it is started, or something names it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_destroy(struct doca_dpa *dpa);

/**
 * Set the program.
 *
 * @param dpa
 *   An offload processor, not started.
 * @param app
 *   The program, as comch-dpacc makes it.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is started.
 *   - DOCA_ERROR_UNSUPPORTED_VERSION: it was built by another release.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_set_app(struct doca_dpa *dpa, struct doca_dpa_app *app);

/**
 * Set what the program logs, at any time. It is INFO unless it is set.
 *
 * @param dpa
 *   An offload processor.
 * @param log_level
 *   The level.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: dpa is NULL, or there is no such level.
 *   - DOCA_ERROR_DRIVER: the program has ended, which was logged.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_set_log_level(struct doca_dpa *dpa, enum doca_dpa_dev_log_level
		log_level);

/**
 * Tell how many execution units an offload processor has: as many threads as can be
 * started.
 *
 * @param dpa
 *   An offload processor.
 * @param [out] num_eus
 *   Their number, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_total_num_eus_available(struct doca_dpa *dpa, unsigned int
		*num_eus);

/**
 * Load the program, and run it up to where it waits for threads and calls.
 *
 * @param dpa
 *   An offload processor with a program.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: dpa is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is started, or has no program.
 *   - DOCA_ERROR_NOT_PERMITTED: the program cannot be confined here.
 *   - DOCA_ERROR_DRIVER: it does not start, which was logged.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_start(struct doca_dpa *dpa);

/**
 * End the program.
 *
 * @param dpa
 *   An offload processor, started.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: dpa is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is not started.
 *   - DOCA_ERROR_IN_USE: it has threads, completion contexts, message queues or memory.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_stop(struct doca_dpa *dpa);

/**
 * Call a function of the program, and wait until it returns, 2 seconds at most. What
 * follows are its arguments, as many as it has, integers and pointers.
 *
 * @param dpa
 *   An offload processor, started.
 * @param func
 *   A function with __dpa_rpc__.
 * @param [out] retval
 *   What it returns, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_NOT_FOUND: the program has no such function for calls.
 *   - DOCA_ERROR_BAD_STATE: the processor is not started.
 *   - DOCA_ERROR_TIME_OUT: it does not return.
 *   - DOCA_ERROR_DRIVER: the program has ended, which was logged.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_rpc(struct doca_dpa *dpa, doca_dpa_func_t *func, uint64_t *retval,
		...);

/** @} */

/**
 * @name Memory of the program
 * @{
 */

/**
 * Allocate memory of the program; zero.
 *
 * @param dpa
 *   An offload processor, started.
 * @param size
 *   Bytes.
 * @param [out] dev_ptr
 *   Its address in the program, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL, or the size is 0.
 *   - DOCA_ERROR_BAD_STATE: the processor is not started.
 *   - DOCA_ERROR_NO_MEMORY: there is not as much.
 *   - DOCA_ERROR_DRIVER: the program has ended, which was logged.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_mem_alloc(struct doca_dpa *dpa, size_t size, doca_dpa_dev_uintptr_t
		*dev_ptr);

/**
 * Free memory of the program.
 *
 * @param dpa
 *   An offload processor, started.
 * @param dev_ptr
 *   As doca_dpa_mem_alloc() gave it.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: dpa is NULL, or no such memory was allocated.
 *   - DOCA_ERROR_BAD_STATE: the processor is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_mem_free(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dev_ptr);

/**
 * Copy into memory of the program.
 *
 * @param dpa
 *   An offload processor, started.
 * @param dev_ptr
 *   Where to, in memory that was allocated.
 * @param src_ptr
 *   Where from.
 * @param size
 *   Bytes.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL or 0, or the bytes were not allocated.
 *   - DOCA_ERROR_BAD_STATE: the processor is not started.
 *   - DOCA_ERROR_DRIVER: the program has ended, which was logged.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_h2d_memcpy(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dev_ptr, void
		*src_ptr, size_t size);

/**
 * Copy out of memory of the program.
 *
 * @param dpa
 *   An offload processor, started.
 * @param dst_ptr
 *   Where to.
 * @param src_ptr
 *   Where from, in memory that was allocated.
 * @param size
 *   Bytes.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL or 0, or the bytes were not allocated.
 *   - DOCA_ERROR_BAD_STATE: the processor is not started.
 *   - DOCA_ERROR_DRIVER: the program has ended, which was logged.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_d2h_memcpy(struct doca_dpa *dpa, void *dst_ptr, doca_dpa_dev_uintptr_t
		src_ptr, size_t size);

/** @} */

/**
 * @name Threads
 * @{
 */

/**
 * Create a choice of an execution unit.
 *
 * @param dpa
 *   An offload processor.
 * @param [out] affinity
 *   The choice, set on success. It is for threads of this processor.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_eu_affinity_create(struct doca_dpa *dpa, struct doca_dpa_eu_affinity
		**affinity);

/**
 * Destroy a choice. Threads that have it keep it.
 *
 * @param affinity
 *   The choice.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: affinity is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_eu_affinity_destroy(struct doca_dpa_eu_affinity *affinity);

/**
 * Choose an execution unit.
 *
 * @param affinity
 *   The choice.
 * @param eu_id
 *   The unit, from 0.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: affinity is NULL, or there is no such unit.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_eu_affinity_set(struct doca_dpa_eu_affinity *affinity, unsigned int
		eu_id);

/**
 * Create a thread.
 *
 * @param dpa
 *   An offload processor.
 * @param [out] dpa_thread
 *   The thread, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_create(struct doca_dpa *dpa, struct doca_dpa_thread
		**dpa_thread);

/**
 * Destroy a thread.
 *
 * @param dpa_thread
 *   A thread, not started.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: dpa_thread is NULL.
 *   - DOCA_ERROR_IN_USE: it is started, or a completion context has it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_destroy(struct doca_dpa_thread *dpa_thread);

/**
 * Set what a thread runs.
 *
 * @param dpa_thread
 *   A thread, not started.
 * @param func
 *   A function with __dpa_global__.
 * @param arg
 *   Its argument.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_set_func_arg(struct doca_dpa_thread *dpa_thread,
		doca_dpa_func_t *func, uint64_t arg);

/**
 * Set where a thread runs. Without it, it has any unit that no other thread has.
 *
 * @param dpa_thread
 *   A thread, not started.
 * @param affinity
 *   The choice, of the same processor, with a unit.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL, no unit was set, or another processor.
 *   - DOCA_ERROR_BAD_STATE: it is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_set_affinity(struct doca_dpa_thread *dpa_thread, struct
		doca_dpa_eu_affinity *affinity);

/**
 * Start a thread. It does not run yet. No other one has its execution unit.
 *
 * @param dpa_thread
 *   A thread with a function, of a processor that is started.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: dpa_thread is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is started, has no function, or the processor is not started.
 *   - DOCA_ERROR_NOT_FOUND: the program has no such function for threads.
 *   - DOCA_ERROR_IN_USE: its execution unit, or each, has a thread.
 *   - DOCA_ERROR_DRIVER: the program has ended, which was logged.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_start(struct doca_dpa_thread *dpa_thread);

/**
 * Have a thread run once. After that, completion contexts run it that it has asked for
 * notifications.
 *
 * @param dpa_thread
 *   A thread, started.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: dpa_thread is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is not started.
 *   - DOCA_ERROR_DRIVER: the program has ended, which was logged.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_run(struct doca_dpa_thread *dpa_thread);

/**
 * Stop a thread: waits for the end of its run.
 *
 * @param dpa_thread
 *   A thread, started.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: dpa_thread is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is not started.
 *   - DOCA_ERROR_IN_USE: a completion context that is started has it.
 *   - DOCA_ERROR_TIME_OUT: its function does not return. The next call succeeds: the program
 *     is ended.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_stop(struct doca_dpa_thread *dpa_thread);

/** @} */

/**
 * @name Completion contexts of producers
 * @{
 */

/**
 * Create a completion context for producers of the program.
 *
 * @param dpa
 *   An offload processor.
 * @param queue_size
 *   Completions that it holds, rounded up to a power of two.
 * @param [out] dpa_comp
 *   The context, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL, or the size is 0 or too large.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_create(struct doca_dpa *dpa, unsigned int queue_size,
		struct doca_dpa_completion **dpa_comp);

/**
 * Destroy a completion context.
 *
 * @param dpa_comp
 *   A completion context, not started.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: dpa_comp is NULL.
 *   - DOCA_ERROR_IN_USE: it is started, or a producer has it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_destroy(struct doca_dpa_completion *dpa_comp);

/**
 * Set the thread that notifications run. Without it, it is polled.
 *
 * @param dpa_comp
 *   A completion context, not started.
 * @param dpa_thread
 *   A thread of the same processor.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL, or another processor.
 *   - DOCA_ERROR_BAD_STATE: it is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_set_thread(struct doca_dpa_completion *dpa_comp, struct
		doca_dpa_thread *dpa_thread);

/**
 * Start a completion context.
 *
 * @param dpa_comp
 *   A completion context, of a processor that is started.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: dpa_comp is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is started, or its processor or its thread is not.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 *   - DOCA_ERROR_DRIVER: the program has ended, which was logged.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_start(struct doca_dpa_completion *dpa_comp);

/**
 * Stop a completion context.
 *
 * @param dpa_comp
 *   A completion context, started.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: dpa_comp is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is not started.
 *   - DOCA_ERROR_IN_USE: a producer that is started has it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_stop(struct doca_dpa_completion *dpa_comp);

/**
 * Get what the program knows a completion context by.
 *
 * @param dpa_comp
 *   A completion context, started.
 * @param [out] handle
 *   The handle, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_get_dpa_handle(struct doca_dpa_completion *dpa_comp,
		doca_dpa_dev_completion_t *handle);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DPA_H */
