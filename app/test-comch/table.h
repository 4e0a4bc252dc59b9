/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_TABLE_H
#define TEST_COMCH_TABLE_H

/* The columns of the table for people, and its lines. What else is said of results is not here. */

#include <stdio.h>

#include "options.h"
#include "test.h"

/* The number of a column by its name, or -1. */
int table_column_find(const char *name);
/* The name of a column, or NULL behind the last one. */
const char *table_column_name(unsigned int nr);
/* Names of all columns in one string. */
void table_column_names(char *buf, size_t size, const char *separator);

/* The columns that the options choose: two lines above the results, and one of each. */
void table_head(const struct options *opt, FILE *f);
void table_row(const struct options *opt, const struct result *res, FILE *f);

#endif /* TEST_COMCH_TABLE_H */
