/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Stand-in of check-releases.sh: the function for control threads of POSIX's type is
 * gone. Here it is not to be used.
 */

#include_next <rte_lcore.h>

#ifndef CHECK_RTE_LCORE_H
#define CHECK_RTE_LCORE_H

__attribute__((deprecated("is gone")))
int rte_ctrl_thread_create(pthread_t *thread, const char *name, const pthread_attr_t *attr,
		void *(*start_routine)(void *), void *arg);

#endif
