/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_DPA_PRIVATE_H
#define DOCA_DPA_PRIVATE_H

/*
 * What libdoca_dpa has, and libdoca_comch reads: offload processors, their threads and
 * completion contexts. Not installed. No message is sent in here. The objects belong to
 * one thread of the program at a time, and no lock is taken.
 */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <rte_comch.h>

#include <doca_dpa.h>

#include "doca_dev_private.h"

struct doca_dpa {
	struct doca_dev *dev; /* held */
	struct doca_compat_func *func;
	int16_t dev_id;
	int program;               /* descriptor, or -1 */
	const struct doca_dpa_app *app; /* or NULL */
	struct rte_comch_dpa *rte; /* NULL: not started */
	struct rte_comch_dpa_info info;
	uint32_t log_level;        /* 0: the program's own */
	uint32_t nb_users;         /* objects that name it */
	uint64_t eus;              /* bits of those that have a thread */
};

struct doca_dpa_thread {
	struct doca_dpa *dpa;
	struct rte_comch_dpa_thread *rte; /* NULL: not started */
	doca_dpa_func_t *func; /* or NULL */
	uint64_t arg;
	uint32_t nb_users; /* completion contexts that name it */
	uint32_t eu;       /* RTE_COMCH_DPA_NO_EU: any */
	uint32_t own_eu;   /* where it is */
};

struct doca_dpa_completion {
	struct doca_dpa *dpa;
	struct doca_dpa_thread *thread; /* or NULL */
	struct rte_comch_dpa_completion *rte; /* NULL: not started */
	uint32_t depth;
	uint32_t nb_users; /* producers that name it */
};

/* The result of what rte_comch has done with a processor; what the program has done is logged. */
static inline doca_error_t
doca_compat_dpa_result(int ret)
{
	switch (ret) {
	case -EIO:
		return DOCA_ERROR_DRIVER;
	case -ENOTCONN:
	case -EALREADY:
		return DOCA_ERROR_BAD_STATE;
	case -EBUSY:
		return DOCA_ERROR_IN_USE;
	case -ENOSPC:
		return DOCA_ERROR_NO_MEMORY;
	case -ENOENT:
		return DOCA_ERROR_NOT_FOUND;
	case -EFAULT:
		return DOCA_ERROR_INVALID_VALUE;
	case -ETIMEDOUT:
		return DOCA_ERROR_TIME_OUT;
	default:
		return doca_compat_result(ret);
	}
}

/* Name another thread in a place, or none. */
static inline void
doca_compat_dpa_thread_name(struct doca_dpa_thread **place, struct doca_dpa_thread *thread)
{
	if (*place != NULL)
		(*place)->nb_users--;
	*place = thread;
	if (thread != NULL)
		thread->nb_users++;
}

#endif /* DOCA_DPA_PRIVATE_H */
