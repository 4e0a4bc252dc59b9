/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_DEVICES_H
#define TEST_COMCH_DEVICES_H

/* Finding devices and printing what they are. */

#include <stdint.h>
#include <stdio.h>

#include <rte_comch.h>

/* By number, name or PCI address; negative if there is none. */
int device_find(const char *name);

void devices_print(FILE *f);
void device_line_print(int16_t dev_id, FILE *f);
void device_caps_print(int16_t dev_id, FILE *f);
/* With rates since the last call for it. */
void device_stats_print(int16_t dev_id, FILE *f);

/* Connections: a line above, and one for each, in its thread. */
void conns_head_print(FILE *f);
void conn_print(const struct rte_comch_conn *conn, FILE *f);

#endif /* TEST_COMCH_DEVICES_H */
