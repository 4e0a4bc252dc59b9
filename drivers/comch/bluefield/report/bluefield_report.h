/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The report of a bring-up, which a person with a card can send: what is asked with
 * the device argument report=<file>. It listens to layer hw and to commands
 * (bluefield_report.c), and then tries what a function is for (bluefield_report_try.c).
 * Without the argument there is none, and nothing of this runs.
 *
 * What could name a machine or a person is left out of the file: addresses of memory,
 * and of MAC addresses and GIDs all but the part of the maker.
 */

#ifndef BLUEFIELD_REPORT_H
#define BLUEFIELD_REPORT_H

#include <rte_common.h>

#include "bluefield_cmd.h"

struct bf_func;
struct bf_report;

/* Listen to hw from now on, until it is closed. 0 or a negative errno, logged. */
int bf_report_open(struct bf_hw *hw, const char *path);

/* The function is up. */
void bf_report_up(struct bf_hw *hw);

/*
 * Try objects, an interrupt, health, a reset. Stops at the first that fails, with its
 * negative errno; logged. Not in the interrupt thread.
 */
int bf_report_try(struct bf_func *func);

/* All was looked at and tried: 0, or the first error. */
void bf_report_result(struct bf_report *report, int ret);

/*
 * For bluefield_report_try.c
 */

/* The step before has ended, with what its commands said; this one begins. */
void bf_report_step(struct bf_report *report, const char *name);
/* A line "key: value" of the current step. */
__rte_format_printf(2, 3)
void bf_report_say(struct bf_report *report, const char *format, ...);
/* Times that vector 0 has interrupted. */
uint32_t bf_report_irqs(const struct bf_report *report);

#endif
