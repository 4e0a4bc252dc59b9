/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_DPA_DEV_H
#define DOCA_DPA_DEV_H

/**
 * @file
 *
 * What a program of an offload processor (DPA) calls, by the vendor's names. Host programs
 * do not include it: theirs is doca_dpa.h. Message queues are in
 * doca_dpa_dev_comch_msgq.h. comch-dpacc builds such a program.
 *
 * A function with __dpa_global__ is run by threads, one with __dpa_rpc__ is called by
 * doca_dpa_rpc(). Both are named by the host program.
 *
 * A thread runs when the host has it run, and then whenever a completion context notifies
 * it: after doca_dpa_dev_completion_request_notification() or the like, once.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_comch_dpa_dev.h>

#include <doca_dpa_types.h>

/** @internal Where comch-dpacc finds a function. */
#define DOCA_DPA_DEV_PLACED(name) \
	__attribute__((used, noinline, section(name))) /* check-ok: freestanding */

/** A function that threads run: void, with one argument of 64 bits. */
#define __dpa_global__ DOCA_DPA_DEV_PLACED(".text.doca_dpa_global")

/**
 * A function that doca_dpa_rpc() calls. It returns a uint64_t. It has up to 6 arguments,
 * each an integer or a pointer.
 */
#define __dpa_rpc__ DOCA_DPA_DEV_PLACED(".text.doca_dpa_rpc")

/** Flags of what is sent, or-ed together. */
enum doca_dpa_dev_submit_flag {
	DOCA_DPA_DEV_SUBMIT_FLAG_NONE = 0,
	/** Now; else it may wait for more, or for the end of the run. */
	DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH = RTE_COMCH_DPA_DEV_F_FLUSH,
	/** Without a completion of its own. */
	DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS = RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS,
};

/** A completion, to be looked at by functions. */
typedef struct rte_comch_dpa_dev_elem doca_dpa_dev_completion_element_t;

/** @internal Where the run of each execution unit began. Of the runtime. */
extern void *doca_compat_dpa_dev_runs[][5];

/** @internal A map of the host. */
struct doca_compat_dpa_dev_mmap {
	uint64_t addr;   /**< Where the host's program has it. */
	uint64_t len;    /**< Bytes. */
	uint64_t offset; /**< What is added to addresses for the window. */
	uint32_t window; /**< 0: none. */
};

/** @internal By handle - 1. Of the runtime. */
extern struct doca_compat_dpa_dev_mmap doca_compat_dpa_dev_mmaps[];

/**
 * @internal
 * The window of a map, 0 if there is none, and an address in there: one that is nowhere if
 * the bytes are not in the map.
 */
static inline rte_comch_dpa_dev_window_t
doca_compat_dpa_dev_window(doca_dpa_dev_mmap_t mmap, uint64_t *addr, uint64_t len)
{
	const struct doca_compat_dpa_dev_mmap *m;
	rte_comch_dpa_dev_window_t window;
	uint64_t begin;

	if (mmap == 0 || mmap > DOCA_COMPAT_DPA_MMAPS)
		return 0;
	m = &doca_compat_dpa_dev_mmaps[mmap - 1];
	window = __atomic_load_n(&m->window, __ATOMIC_ACQUIRE);
	begin = *addr - m->addr;
	*addr = begin <= m->len && len <= m->len - begin ? *addr + m->offset : UINT64_MAX;
	return window;
}

/**
 * Take the next completion of a context.
 *
 * @param completion
 *   The context.
 * @param[out] element
 *   The completion. It stays until it is acknowledged.
 * @return
 *   1, or 0 if there is none.
 */
static inline int
doca_dpa_dev_get_completion(doca_dpa_dev_completion_t completion,
		doca_dpa_dev_completion_element_t *element)
{
	return rte_comch_dpa_dev_completion_get(completion, element) == 1;
}

/**
 * Tell the user data of the producer that a completion is of.
 *
 * @param element
 *   The completion.
 * @return
 *   What doca_ctx_set_user_data() gave the producer, its lower 32 bits.
 */
static inline uint32_t
doca_dpa_dev_get_completion_user_data(doca_dpa_dev_completion_element_t element)
{
	return rte_comch_dpa_dev_elem_user_data(&element);
}

/**
 * Give back the oldest completions.
 *
 * @param completion
 *   The context.
 * @param num_comp
 *   How many.
 */
static inline void
doca_dpa_dev_completion_ack(doca_dpa_dev_completion_t completion, uint64_t num_comp)
{
	rte_comch_dpa_dev_completion_ack(completion, num_comp);
}

/**
 * Have the thread run when there is a completion, once. One that has come before is not
 * lost: the thread runs again at once.
 *
 * @param completion
 *   The context.
 */
static inline void
doca_dpa_dev_completion_request_notification(doca_dpa_dev_completion_t completion)
{
	rte_comch_dpa_dev_completion_request_notification(completion);
}

/**
 * End this run of the thread, from whatever function. The next one begins at the start of
 * its function. Returning from that does the same. Not for functions with __dpa_rpc__:
 * those have to return, and the program ends here.
 */
static inline __attribute__((noreturn)) void /* check-ok: freestanding */
doca_dpa_dev_thread_reschedule(void)
{
	const uint32_t eu = rte_comch_dpa_dev_eu_id();

	if (eu != UINT32_MAX)
		__builtin_longjmp(doca_compat_dpa_dev_runs[eu], 1);
	__builtin_trap();
}

/** @internal Logs a line unless the level is above that of doca_dpa_set_log_level(). */
__attribute__((format(printf, 2, 3))) /* check-ok: freestanding */
void doca_compat_dpa_dev_log(enum doca_dpa_dev_log_level level, const char *format, ...);

/**
 * Log a line on the host. The format takes d, i, u, x, X, c, s, p and %, with l and ll and z,
 * and a width with or without a 0 before it.
 */
#define DOCA_DPA_DEV_LOG_CRIT(...) \
	doca_compat_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_CRIT, __VA_ARGS__)
/** As DOCA_DPA_DEV_LOG_CRIT(). */
#define DOCA_DPA_DEV_LOG_ERR(...) \
	doca_compat_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_ERROR, __VA_ARGS__)
/** As DOCA_DPA_DEV_LOG_CRIT(). */
#define DOCA_DPA_DEV_LOG_WARN(...) \
	doca_compat_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_WARNING, __VA_ARGS__)
/** As DOCA_DPA_DEV_LOG_CRIT(). */
#define DOCA_DPA_DEV_LOG_INFO(...) \
	doca_compat_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_INFO, __VA_ARGS__)
/** As DOCA_DPA_DEV_LOG_CRIT(). */
#define DOCA_DPA_DEV_LOG_DBG(...) \
	doca_compat_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif /* DOCA_DPA_DEV_H */
