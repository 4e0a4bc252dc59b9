/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* Which columns there are, where each value comes from, and how wide it is. */

#include <string.h>

#include <rte_common.h>
#include <rte_string_fns.h>

#include "table.h"

/* Tables that a column is in, if the user chooses none. */
#define NARROW 1
#define WIDE 2
#define BOTH (NARROW | WIDE)

struct cell {
	const char *key;          /* for the user's choice */
	const char *name, *unit;  /* what stands above the column */
	int width, more;          /* more: in the wide table */
	int digits;
	unsigned int tables;
	bool there;
	double value;
	const char *text;         /* instead of the value */
};

/* Those that say where the result was taken come first: all that is there of a failure. */
#define NB_POINT_CELLS 5
#define NB_CELLS 24

enum line {
	LINE_NAMES,
	LINE_UNITS,
	LINE_VALUES,
};

static void
cells_make(const struct result *res, const char *limit, struct cell out[NB_CELLS])
{
	const struct result_times *t = &res->times;
	const bool window = res->pt.window != 0, clients = res->pt.clients != 0;
	const bool times = res->has_times;
	const struct cell cells[] = {
		{ "size", "size", "B", 7, 1, 0, BOTH, res->pt.size != 0, res->pt.size, NULL },
		{ "in-flight", "in", "flight", 6, 0, 0, NARROW, window || clients,
			window ? res->pt.window : res->pt.clients, NULL },
		{ "window", "window", "", 6, 0, 0, WIDE, window, res->pt.window, NULL },
		{ "clients", "clients", "", 7, 0, 0, WIDE, clients, res->pt.clients, NULL },
		{ "idle", "idle", "", 5, 0, 0, WIDE, true, res->pt.idle_clients, NULL },
		{ "messages", "messages", "/ connects", 11, 0, 0, WIDE, true, (double)res->nb,
			NULL },
		{ "rate", "rate", "k/s", 8, 1, 1, BOTH, res->rate > 0, res->rate / 1e3, NULL },
		{ "bandwidth", "rate", "GB/s", 6, 1, 2, BOTH, res->bytes_rate > 0,
			res->bytes_rate / 1e9, NULL },
		{ "min", "min", "ns", 7, 0, 0, WIDE, times, t->min, NULL },
		{ "median", "median", "ns", 7, 0, 0, BOTH, times, t->p50, NULL },
		{ "avg", "avg", "ns", 7, 0, 0, WIDE, times, t->avg, NULL },
		{ "p90", "90 %", "ns", 7, 0, 0, WIDE, times, t->p90, NULL },
		{ "p99", "99 %", "ns", 7, 0, 0, BOTH, times, t->p99, NULL },
		{ "p99.9", "99.9 %", "ns", 8, 0, 0, WIDE, times, t->p999, NULL },
		{ "max", "max", "ns", 9, 0, 0, WIDE, times, t->max, NULL },
		{ "limit", "limit", "", 12, 1, 0, BOTH, true, 0, limit },
		{ "ratio", "ratio", "", 5, 2, 3, BOTH, res->ratio > 0, res->ratio, NULL },
		{ "best", "best", "k/s", 8, 0, 1, 0, res->best_rate > 0, res->best_rate / 1e3,
			NULL },
		{ "tx", "tx", "k/s", 8, 0, 1, 0, res->tx_rate > 0, res->tx_rate / 1e3, NULL },
		{ "rx", "rx", "k/s", 8, 0, 1, 0, res->rx_rate > 0, res->rx_rate / 1e3, NULL },
		{ "rounds", "rounds", "", 6, 0, 0, 0, true, res->rounds, NULL },
		{ "seconds", "time", "s", 6, 0, 2, 0, true, res->seconds, NULL },
		{ "client-cpu", "client", "cpu", 6, 0, 2, 0, res->client_cpu > 0, res->client_cpu,
			NULL },
		{ "server-cpu", "server", "cpu", 6, 0, 2, 0, res->server_cpu > 0, res->server_cpu,
			NULL },
	};

	RTE_BUILD_BUG_ON(RTE_DIM(cells) != NB_CELLS);
	memcpy(out, cells, sizeof(cells));
}

static const struct result none;

const char *
table_column_name(unsigned int nr)
{
	struct cell cells[NB_CELLS];

	cells_make(&none, NULL, cells);
	return nr < NB_CELLS ? cells[nr].key : NULL;
}

int
table_column_find(const char *name)
{
	int i;

	for (i = 0; i < NB_CELLS; i++) {
		if (strcmp(table_column_name(i), name) == 0)
			return i;
	}
	return -1;
}

void
table_column_names(char *buf, size_t size, const char *separator)
{
	unsigned int i;

	buf[0] = '\0';
	for (i = 0; i < NB_CELLS; i++) {
		strlcat(buf, i > 0 ? separator : "", size);
		strlcat(buf, table_column_name(i), size);
	}
}

static void
cell_print(const struct cell *c, int width, enum line line, FILE *f)
{
	if (line != LINE_VALUES)
		fprintf(f, " %*s", width, line == LINE_NAMES ? c->name : c->unit);
	else if (c->text != NULL || !c->there)
		fprintf(f, " %*s", width, c->text != NULL ? c->text : "-");
	else
		fprintf(f, " %*.*f", width, c->digits, c->value);
}

/* One line; of a result that failed without the end. */
static void
table_line(const struct options *opt, enum line line, const struct result *res, FILE *f)
{
	const bool failed = line == LINE_VALUES && res->status != 0;
	const bool chosen = opt->nb_columns != 0;
	struct cell cells[NB_CELLS];
	char limit[32] = "-";
	unsigned int i, nr;

	if (res->limit > 0 && res->test->limit_is_rate)
		snprintf(limit, sizeof(limit), "%.1f k/s", res->limit / 1e3);
	else if (res->limit > 0)
		snprintf(limit, sizeof(limit), "%.0f ns", res->limit);
	cells_make(res, limit, cells);
	for (i = 0; i < (chosen ? opt->nb_columns : NB_CELLS); i++) {
		nr = chosen ? opt->columns[i] : i;
		if ((failed && nr >= NB_POINT_CELLS) ||
				(!chosen && (cells[nr].tables & (opt->wide ? WIDE : NARROW)) == 0))
			continue;
		cell_print(&cells[nr], cells[nr].width +
				(opt->wide && !chosen ? cells[nr].more : 0), line, f);
	}
	if (failed)
		fprintf(f, " FAILED: %s", res->reason);
	fprintf(f, "\n");
}

void
table_head(const struct options *opt, FILE *f)
{
	fprintf(f, "\n%-14s", "test");
	table_line(opt, LINE_NAMES, &none, f);
	fprintf(f, "%-14s", "");
	table_line(opt, LINE_UNITS, &none, f);
}

void
table_row(const struct options *opt, const struct result *res, FILE *f)
{
	char name[48];

	if (res->variant == NULL || strcmp(res->variant, VARIANT_BURSTS) == 0)
		snprintf(name, sizeof(name), "%s", res->test->name);
	else
		snprintf(name, sizeof(name), "%s/%s", res->test->name, res->variant);
	fprintf(f, "%-14s", name);
	table_line(opt, LINE_VALUES, res, f);
}
