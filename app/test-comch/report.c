/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* The list of results, and what is said of them to people around their table. */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "table.h"

static FILE *
report_open(const char *option, const char *path)
{
	FILE *f = fopen(path, "w");

	if (f == NULL)
		fprintf(stderr, "%s: cannot write %s: %s; name a file in a folder of yours\n",
				option, path, strerror(errno));
	return f;
}

struct report *
report_create(const struct options *opt)
{
	struct report *rep;

	rep = calloc(1, sizeof(*rep));
	if (rep == NULL) {
		fprintf(stderr, "no memory for the results\n");
		return NULL;
	}
	env_get(&rep->env);
	if (opt->csv[0] != '\0')
		rep->csv = report_open("csv", opt->csv);
	if (opt->json[0] != '\0')
		rep->json = report_open("json", opt->json);
	if ((opt->csv[0] != '\0' && rep->csv == NULL) ||
			(opt->json[0] != '\0' && rep->json == NULL)) {
		report_close(rep, opt);
		return NULL;
	}
	return rep;
}

/* A full disk shows at the latest when the file is closed. */
static int
report_finish(FILE *f, bool written, const char *option, const char *path)
{
	written = fclose(f) == 0 && written;
	if (!written)
		fprintf(stderr, "%s: writing to %s failed: %s\n", option, path, strerror(errno));
	return written ? 0 : -EIO;
}

int
report_close(struct report *rep, const struct options *opt)
{
	uint32_t i;
	int ret = 0;

	if (rep == NULL)
		return 0;
	if (rep->csv != NULL)
		ret = report_finish(rep->csv, report_csv(rep, rep->csv), "csv", opt->csv);
	if (rep->json != NULL && report_finish(rep->json, report_json(rep, rep->json),
			"json", opt->json) != 0)
		ret = -EIO;
	for (i = 0; i < rep->nb; i++)
		hist_free(rep->res[i].hist);
	free(rep->res);
	free(rep);
	return ret;
}

void
report_peer_set(struct report *rep, const struct client *cl)
{
	rep->has_peer = true;
	rep->dev = cl->info;
	rep->role = cl->opt->role;
	rep->client_cpu = cl->place.cpu;
	rep->server_cpu = cl->server_cpu;
	rep->same_machine = cl->same_machine;
	memcpy(rep->server_version, cl->server_version, sizeof(rep->server_version));
}

void
report_add(struct report *rep, const struct result *res)
{
	struct result *more;

	if (rep->nb == rep->capacity) {
		more = realloc(rep->res, (rep->capacity + 64) * sizeof(*more));
		if (more == NULL) {
			fprintf(stderr, "no memory for a result: it is lost\n");
			hist_free(res->hist);
			return;
		}
		rep->res = more;
		rep->capacity += 64;
	}
	rep->res[rep->nb++] = *res;
}

uint32_t
report_failed(const struct report *rep)
{
	uint32_t i, nb = 0;

	for (i = 0; i < rep->nb; i++) {
		if (rep->res[i].status != 0)
			nb++;
	}
	return nb;
}

void
report_environment(const struct report *rep, FILE *f)
{
	const struct env *env = &rep->env;

	fprintf(f, "dpdk-test-comch %s, %s, %s\n", TEST_COMCH_VERSION, env->dpdk_version,
			env->kernel);
	fprintf(f, "%s, %u cpus at %.0f MHz, %u NUMA node%s, hugepages %s\n", env->cpu_model,
			env->nb_cpus, env->cpu_mhz > 0 ? env->cpu_mhz : env->tsc_mhz,
			env->nb_numa, env->nb_numa == 1 ? "" : "s", env->hugepages ? "yes" : "no");
	if (rep->has_peer)
		fprintf(f, "device %s (%s, function %s), client on cpu %d, server on cpu %d%s\n",
				rep->dev.name, rep->dev.driver,
				rep->dev.function[0] != '\0' ? rep->dev.function : "-",
				rep->client_cpu, rep->server_cpu,
				rep->same_machine ? "" : " of another machine");
}

void
report_details(const struct result *res, FILE *f)
{
	unsigned int i;

	if (res->status != 0)
		return;
	if (res->stopped)
		fprintf(f, "%s: stopped in round %u: both ends have not compared the counts of it\n",
				res->test->name, res->rounds);
	if (res->test->result != NULL)
		res->test->result(res, f);
	if (!res->has_times)
		return;
	if (res->nb_percentiles > 0) {
		fprintf(f, "%s, %s:", res->test->name, res->test->times_name);
		for (i = 0; i < res->nb_percentiles; i++)
			fprintf(f, " %g %% %.1f ns%s", res->percentiles[i], res->times.wanted[i],
					i + 1 < res->nb_percentiles ? "," : "\n");
	}
	if (res->histogram && res->hist != NULL) {
		fprintf(f, "%s, %s:\n", res->test->name, res->test->times_name);
		hist_print(res->hist, f, res->hist_cycles_per_ns, "ns");
	}
}

/* What each limit is, once for each test; and of each result without one why. */
static void
report_limits(const struct report *rep, FILE *f)
{
	const struct result *res, *other;
	uint32_t i, j;

	for (i = 0; i < rep->nb; i++) {
		res = &rep->res[i];
		if (res->limit <= 0 && res->limit_why[0] != '\0') {
			fprintf(f, "limit of %s", res->test->name);
			if (res->pt.size != 0)
				fprintf(f, ", %u B", res->pt.size);
			fprintf(f, ": none, and no ratio: %s\n", res->limit_why);
			continue;
		}
		for (j = 0; j < i; j++) {
			other = &rep->res[j];
			if (other->test == res->test && other->event == res->event &&
					other->limit > 0)
				break;
		}
		if (j == i && res->limit > 0)
			fprintf(f, "limit of %s: %s\n", res->test->name, res->limit_name);
	}
}

void
report_table(const struct report *rep, const struct options *opt, FILE *f)
{
	const bool wide = opt->wide && opt->nb_columns == 0;
	const struct result *res;
	uint32_t i, idle = 0, failed = report_failed(rep);

	table_head(opt, f);
	for (i = 0; i < rep->nb; i++) {
		res = &rep->res[i];
		if (res->case_name != NULL &&
				(i == 0 || res->case_name != rep->res[i - 1].case_name))
			fprintf(f, "[%s]\n", res->case_name);
		if (!wide && res->pt.idle_clients != idle)
			fprintf(f, "with %u idle clients:\n", res->pt.idle_clients);
		idle = res->pt.idle_clients;
		table_row(opt, res, f);
	}

	report_limits(rep, f);
	fprintf(f, "ratio: median of those of the rounds, each over the limit of its round\n");
	for (i = 0; i < rep->nb && rep->res[i].server_page_size == 0; i++)
		;
	if (i < rep->nb)
		fprintf(f, "buffers of the fast path: pages of %u KiB at the client, %u KiB at the "
				"server\n", (uint32_t)(rep->res[i].client_page_size / 1024),
				(uint32_t)(rep->res[i].server_page_size / 1024));
	for (i = 0; i < rep->nb; i++) {
		res = &rep->res[i];
		if (res->idle_bytes_client + res->idle_bytes_server <= 0 ||
				(i > 0 && rep->res[i - 1].pt.idle_clients == res->pt.idle_clients))
			continue;
		fprintf(f, "memory per idle connection with %u: %.1f KiB\n", res->pt.idle_clients,
				(res->idle_bytes_client + res->idle_bytes_server) / 1024);
	}
	fprintf(f, "Summary: %u result%s, %u failed, %.1f s\n", rep->nb, rep->nb == 1 ? "" : "s",
			failed, rep->seconds);
	fflush(f);
}
