/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef EXAMPLE_H
#define EXAMPLE_H

/**
 * @file example.h
 *
 * What the examples do in the same way, and what none of them is about: start and end
 * of EAL, signals, failures, and the choice of a device. No message is sent in here.
 */

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include <rte_comch.h>
#include <rte_eal.h>

/** What a device needs that carries data of the fast path. */
#define FAST_PATH_CAPA (RTE_COMCH_CAPA_CONSUMER | RTE_COMCH_CAPA_PRODUCER)

/** Set by SIGINT and SIGTERM. */
extern volatile sig_atomic_t interrupted;

/**
 * Start EAL. SIGINT and SIGTERM are blocked from here on, but in engine_sleep(), until
 * signals_unblock().
 *
 * @param name
 *   Of the example, which stands before each failure.
 * @return
 *   How many of the arguments are EAL's, or -1 after a message.
 */
int example_start(const char *name, int argc, char **argv, rte_usage_hook_t usage);

/** For a program that polls: signals are taken at any time. */
void signals_unblock(void);

/**
 * Sleep until the descriptor of an engine is readable, a signal comes, or the time is over.
 * The caller has made progress, and has polled, until there was nothing left.
 *
 * @return
 *   0 or a negative errno.
 */
int engine_sleep(struct rte_comch_pe *pe, uint64_t max_ms);

/** End EAL; returns the exit code of the program. */
int example_end(void);

/**
 * Print a failure to stderr, if it is the first one: others follow from it. Any thread.
 *
 * @return
 *   err.
 */
int fail(int err, const char *format, ...) __rte_format_printf(2, 3);

/** Whether something has failed. Any thread. */
bool failed(void);

/** Read the number of an option, from 1 to max: 0, or -EINVAL after a message. */
int number_read(int opt, const char *text, uint32_t max, uint32_t *number);

/**
 * Choose the device of -p, or the only one, and look whether it can do what is needed.
 * Texts of info that are empty become "-".
 *
 * @param capa
 *   RTE_COMCH_CAPA_* that it has to have: FAST_PATH_CAPA, and RTE_COMCH_CAPA_EVENT for -e.
 * @return
 *   0, or a negative errno after a message.
 */
int device_choose(const char *name, uint64_t capa, int16_t *dev_id,
		struct rte_comch_dev_info *info);

/**
 * On the card, choose the function of the host of -r, or the only one. On the host there
 * is none to choose.
 *
 * @return
 *   0, or a negative errno after a message.
 */
int function_choose(const char *name, int16_t dev_id, const struct rte_comch_dev_info *info,
		struct rte_comch_rep_info *rep);

#endif /* EXAMPLE_H */
