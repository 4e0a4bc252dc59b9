/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_DEVICES_H
#define TEST_COMCH_DEVICES_H

/* Finding devices and printing what they are. */

#include <stdint.h>
#include <stdio.h>

/* By number, name or PCI address; negative if there is none. */
int device_find(const char *name);

void devices_print(FILE *f);
void device_line_print(int16_t dev_id, FILE *f);
void device_caps_print(int16_t dev_id, FILE *f);
void device_stats_print(int16_t dev_id, FILE *f);

#endif /* TEST_COMCH_DEVICES_H */
