/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Stand-in of check-releases.sh: a control thread is of EAL's own type.
 */

#include_next <rte_thread.h>

#ifndef CHECK_RTE_THREAD_H
#define CHECK_RTE_THREAD_H

int rte_thread_create_control(rte_thread_t *thread_id, const char *name,
		rte_thread_func thread_func, void *arg);

#endif
