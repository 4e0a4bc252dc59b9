/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_DPA_APP_PRIVATE_H
#define DOCA_DPA_APP_PRIVATE_H

/*
 * Between the files of libdoca_dpa: functions of programs. Not installed, not exported.
 */

#include <doca_dpa.h>

#include "dev/doca_dpa_app.h"

/* The name of this part of the layer in the log. */
#define DPA_SOURCE "DOCA_COMPAT::DPA"

/* A function of these flags that the host names; NULL: there is none, which was logged. */
const struct doca_dpa_app_func *doca_dpa_app_find(const struct doca_dpa *dpa,
		doca_dpa_func_t *func, uint32_t flags);

#endif /* DOCA_DPA_APP_PRIVATE_H */
