/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_LOG_PRIVATE_H
#define DOCA_LOG_PRIVATE_H

/*
 * Between the two halves of the log: messages (doca_log.c), and backends with their
 * limits (doca_log_backend.c).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether any backend may show this; no lock. */
bool doca_log_wanted(uint32_t level, bool sdk);

/*
 * Give a line, which ends with a line feed and a NUL, to all backends that show its
 * level. The message begins at this byte of the line; the system's log takes only that.
 */
void doca_log_emit(uint32_t level, bool sdk, const char *line, size_t length, size_t message);

/* The number of SDK backends. */
int doca_log_sdk_backends(void);

#endif /* DOCA_LOG_PRIVATE_H */
