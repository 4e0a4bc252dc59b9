/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_REPORT_H
#define TEST_COMCH_REPORT_H

/* Results, and how they are shown: as a table, as CSV and as JSON. */

#include <stdio.h>

#include "env.h"
#include "peer.h"
#include "test.h"

struct report {
	struct env env;
	bool has_peer;                /* the fields below are filled in */
	struct rte_comch_dev_info dev;
	enum app_role role;
	int client_cpu;
	int server_cpu;
	bool same_machine;
	char server_version[32];
	struct result *res;
	uint32_t nb;
	uint32_t capacity;
	double seconds;               /* of all runs */
	FILE *csv;
	FILE *json;
};

/* Opens the files, so that a wrong name is told before the tests run. */
struct report *report_create(const struct options *opt);
/* Writes the files. Returns a negative errno if that failed. */
int report_close(struct report *rep, const struct options *opt);

/* Who the results are taken with. */
void report_peer_set(struct report *rep, const struct client *cl);

/* Keep a result; its histogram becomes the report's. */
void report_add(struct report *rep, const struct result *res);

void report_environment(const struct report *rep, FILE *f);
/* What the table has no room for, after each result. */
void report_details(const struct result *res, FILE *f);
/* With the columns that the options choose. */
void report_table(const struct report *rep, const struct options *opt, FILE *f);
uint32_t report_failed(const struct report *rep);

/* report_file.c; false if writing failed */
bool report_csv(const struct report *rep, FILE *f);
bool report_json(const struct report *rep, FILE *f);

#endif /* TEST_COMCH_REPORT_H */
