/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Results for programs: CSV with one row, JSON with one object per result. Both
 * have the unit in each name. Columns and keys are only ever added at the end.
 */

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "report.h"

/* A number with nothing in it is an empty field, or null. */
static void
csv_number(FILE *f, bool there, double value)
{
	if (there && isfinite(value))
		fprintf(f, ",%.9g", value);
	else
		fprintf(f, ",");
}

static void
csv_string(FILE *f, const char *s)
{
	fprintf(f, ",\"");
	for (; *s != '\0'; s++) {
		if (*s == '"')
			fputc('"', f);
		fputc((unsigned char)*s < ' ' ? ' ' : *s, f);
	}
	fputc('"', f);
}

static const char *
result_status(const struct result *res)
{
	return res->status != 0 ? "failed" : res->stopped ? "stopped" : "passed";
}

bool
report_csv(const struct report *rep, FILE *f)
{
	const struct result *res;
	uint32_t i;

	fprintf(f, "test,status,size_bytes,window,clients,idle_clients,connections,mode,validate,"
			"bidir,rounds,count,seconds,rate_per_s,tx_rate_per_s,rx_rate_per_s,"
			"min_ns,p50_ns,avg_ns,p90_ns,p99_ns,p99_9_ns,max_ns,"
			"limit_per_s,limit_ns,ratio,client_cpu_share,server_cpu_share,"
			"idle_memory_bytes,reason,case,bytes_per_s,variant,burst,stride_bytes,"
			"posts,producers,consumers,client_page_bytes,server_page_bytes,"
			"best_rate_per_s,write_read,eus,limit_missing\n");
	for (i = 0; i < rep->nb; i++) {
		res = &rep->res[i];
		fprintf(f, "%s,%s", res->test->name, result_status(res));
		csv_number(f, res->pt.size != 0, res->pt.size);
		csv_number(f, res->pt.window != 0, res->pt.window);
		csv_number(f, res->pt.clients != 0, res->pt.clients);
		csv_number(f, true, res->pt.idle_clients);
		csv_number(f, res->connections != 0, res->connections);
		fprintf(f, ",%s,%u,%u", res->event ? "event" : "poll", res->validate, res->bidir);
		csv_number(f, true, res->rounds);
		fprintf(f, ",%" PRIu64, res->nb);
		csv_number(f, true, res->seconds);
		csv_number(f, res->rate > 0, res->rate);
		csv_number(f, res->tx_rate > 0, res->tx_rate);
		csv_number(f, res->rx_rate > 0, res->rx_rate);
		csv_number(f, res->has_times, res->times.min);
		csv_number(f, res->has_times, res->times.p50);
		csv_number(f, res->has_times, res->times.avg);
		csv_number(f, res->has_times, res->times.p90);
		csv_number(f, res->has_times, res->times.p99);
		csv_number(f, res->has_times, res->times.p999);
		csv_number(f, res->has_times, res->times.max);
		csv_number(f, res->limit > 0 && res->test->limit_is_rate, res->limit);
		csv_number(f, res->limit > 0 && !res->test->limit_is_rate, res->limit);
		csv_number(f, res->ratio > 0, res->ratio);
		csv_number(f, res->client_cpu > 0, res->client_cpu);
		csv_number(f, res->server_cpu > 0, res->server_cpu);
		csv_number(f, res->pt.idle_clients != 0,
				res->idle_bytes_client + res->idle_bytes_server);
		csv_string(f, res->reason);
		csv_string(f, res->case_name != NULL ? res->case_name : "");
		csv_number(f, res->bytes_rate > 0, res->bytes_rate);
		fprintf(f, ",%s", res->variant != NULL ? res->variant : "");
		csv_number(f, res->burst != 0, res->burst);
		csv_number(f, res->stride != 0, res->stride);
		csv_number(f, res->posts != 0, res->posts);
		csv_number(f, res->producers != 0, res->producers);
		csv_number(f, res->consumers != 0, res->consumers);
		csv_number(f, res->client_page_size != 0, (double)res->client_page_size);
		csv_number(f, res->server_page_size != 0, (double)res->server_page_size);
		csv_number(f, res->best_rate > 0, res->best_rate);
		fprintf(f, ",%u", res->write_read);
		csv_number(f, res->eus != 0, res->eus);
		csv_string(f, res->limit > 0 ? "" : res->limit_why);
		fprintf(f, "\n");
	}
	return ferror(f) == 0;
}

static void
json_string(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s != '\0'; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			fprintf(f, "\\%c", c);
		else if (c < ' ' || c >= 0x7f)
			/* Bytes that are no ASCII may be no UTF-8 either. */
			fprintf(f, "\\u%04x", c);
		else
			fputc(c, f);
	}
	fputc('"', f);
}

static void
json_key(FILE *f, const char *indent, const char *key)
{
	fprintf(f, ",\n%s\"%s\": ", indent, key);
}

static void
json_text(FILE *f, const char *indent, const char *key, const char *value)
{
	json_key(f, indent, key);
	json_string(f, value);
}

static void
json_number(FILE *f, const char *indent, const char *key, bool there, double value)
{
	json_key(f, indent, key);
	if (there && isfinite(value))
		fprintf(f, "%.9g", value);
	else
		fprintf(f, "null");
}

static void
json_integer(FILE *f, const char *indent, const char *key, int64_t value)
{
	json_key(f, indent, key);
	fprintf(f, "%" PRId64, value);
}

static void
json_bool(FILE *f, const char *indent, const char *key, bool value)
{
	json_key(f, indent, key);
	fprintf(f, value ? "true" : "false");
}

static void
json_environment(const struct report *rep, FILE *f)
{
	static const char *const roles[] = { "none", "server", "client", "loopback" };
	static const char in[] = "    ";
	const struct env *env = &rep->env;
	uint64_t client_page = 0, server_page = 0;
	uint32_t i;

	fprintf(f, "  \"environment\": {\n    \"tool\": \"dpdk-test-comch\"");
	json_text(f, in, "tool_version", TEST_COMCH_VERSION);
	json_text(f, in, "server_tool_version", rep->server_version);
	json_text(f, in, "dpdk_version", env->dpdk_version);
	json_text(f, in, "time_utc", env->time);
	json_text(f, in, "kernel", env->kernel);
	json_text(f, in, "arch", env->arch);
	json_text(f, in, "cpu_model", env->cpu_model);
	json_integer(f, in, "nb_cpus", env->nb_cpus);
	json_number(f, in, "cpu_freq_mhz", env->cpu_mhz > 0, env->cpu_mhz);
	json_number(f, in, "tsc_freq_mhz", true, env->tsc_mhz);
	json_integer(f, in, "nb_numa_nodes", env->nb_numa);
	json_bool(f, in, "hugepages", env->hugepages);
	json_text(f, in, "role", roles[rep->role]);
	json_text(f, in, "driver", rep->dev.driver);
	json_text(f, in, "device", rep->dev.name);
	json_text(f, in, "function", rep->dev.function);
	json_integer(f, in, "device_numa_node", rep->dev.numa_node);
	json_integer(f, in, "client_cpu", rep->client_cpu);
	json_integer(f, in, "server_cpu", rep->server_cpu);
	json_bool(f, in, "same_machine", rep->same_machine);
	json_number(f, in, "total_seconds", true, rep->seconds);
	/* Those of the fast path are not EAL's, and are the same in all results. */
	for (i = 0; i < rep->nb && rep->res[i].server_page_size == 0; i++)
		;
	if (i < rep->nb) {
		client_page = rep->res[i].client_page_size;
		server_page = rep->res[i].server_page_size;
	}
	json_number(f, in, "client_buffer_page_bytes", client_page != 0, (double)client_page);
	json_number(f, in, "server_buffer_page_bytes", server_page != 0, (double)server_page);
	json_bool(f, in, "buffers_in_hugepages",
			RTE_MIN(client_page, server_page) > (uint64_t)sysconf(_SC_PAGESIZE));
	fprintf(f, "\n  }");
}

static void
json_times(const struct result *res, FILE *f)
{
	static const char in[] = "      ";
	const struct result_times *t = &res->times;
	unsigned int i;

	json_text(f, in, "times_of", res->test->times_name != NULL ? res->test->times_name : "");
	json_number(f, in, "min_ns", res->has_times, t->min);
	json_number(f, in, "p50_ns", res->has_times, t->p50);
	json_number(f, in, "avg_ns", res->has_times, t->avg);
	json_number(f, in, "p90_ns", res->has_times, t->p90);
	json_number(f, in, "p99_ns", res->has_times, t->p99);
	json_number(f, in, "p99_9_ns", res->has_times, t->p999);
	json_number(f, in, "max_ns", res->has_times, t->max);
	json_key(f, in, "percentiles_ns");
	fprintf(f, "{");
	for (i = 0; i < res->nb_percentiles && res->has_times; i++)
		fprintf(f, "%s\"%g\": %.9g", i > 0 ? ", " : "", res->percentiles[i], t->wanted[i]);
	fprintf(f, "}");
	/* Buckets with something in them, as [lower end in ns, count]. */
	json_key(f, in, "histogram_ns");
	fprintf(f, "[");
	if (res->histogram && res->hist != NULL) {
		const char *comma = "";

		for (i = 0; i < HIST_BUCKETS; i++) {
			if (res->hist->bucket[i] == 0)
				continue;
			fprintf(f, "%s[%.9g, %" PRIu64 "]", comma,
					(double)hist_value(i) / res->hist_cycles_per_ns,
					res->hist->bucket[i]);
			comma = ", ";
		}
	}
	fprintf(f, "]");
}

static void
json_result(const struct result *res, FILE *f)
{
	static const char in[] = "      ";

	fprintf(f, "    {\n      \"test\": \"%s\"", res->test->name);
	json_text(f, in, "status", result_status(res));
	json_text(f, in, "reason", res->reason);
	json_number(f, in, "size_bytes", res->pt.size != 0, res->pt.size);
	json_number(f, in, "window", res->pt.window != 0, res->pt.window);
	json_number(f, in, "clients", res->pt.clients != 0, res->pt.clients);
	json_integer(f, in, "idle_clients", res->pt.idle_clients);
	json_number(f, in, "connections", res->connections != 0, res->connections);
	json_text(f, in, "mode", res->event ? "event" : "poll");
	json_bool(f, in, "validate", res->validate);
	json_bool(f, in, "bidir", res->bidir);
	json_integer(f, in, "rounds", res->rounds);
	json_integer(f, in, "count", (int64_t)res->nb);
	json_number(f, in, "seconds", true, res->seconds);
	json_number(f, in, "rate_per_s", res->rate > 0, res->rate);
	json_number(f, in, "tx_rate_per_s", res->tx_rate > 0, res->tx_rate);
	json_number(f, in, "rx_rate_per_s", res->rx_rate > 0, res->rx_rate);
	json_times(res, f);
	json_text(f, in, "limit_of", res->limit_name != NULL ? res->limit_name : "");
	json_number(f, in, "limit_per_s", res->limit > 0 && res->test->limit_is_rate, res->limit);
	json_number(f, in, "limit_ns", res->limit > 0 && !res->test->limit_is_rate, res->limit);
	json_text(f, in, "limit_missing", res->limit > 0 ? "" : res->limit_why);
	json_number(f, in, "ratio", res->ratio > 0, res->ratio);
	json_number(f, in, "client_cpu_share", res->client_cpu > 0, res->client_cpu);
	json_number(f, in, "server_cpu_share", res->server_cpu > 0, res->server_cpu);
	json_number(f, in, "idle_memory_client_bytes", res->pt.idle_clients != 0,
			res->idle_bytes_client);
	json_number(f, in, "idle_memory_server_bytes", res->pt.idle_clients != 0,
			res->idle_bytes_server);
	json_text(f, in, "case", res->case_name != NULL ? res->case_name : "");
	json_number(f, in, "bytes_per_s", res->bytes_rate > 0, res->bytes_rate);
	json_text(f, in, "variant", res->variant != NULL ? res->variant : "");
	json_number(f, in, "burst", res->burst != 0, res->burst);
	json_number(f, in, "stride_bytes", res->stride != 0, res->stride);
	json_number(f, in, "posts", res->posts != 0, res->posts);
	json_number(f, in, "producers", res->producers != 0, res->producers);
	json_number(f, in, "consumers", res->consumers != 0, res->consumers);
	json_number(f, in, "client_page_bytes", res->client_page_size != 0,
			(double)res->client_page_size);
	json_number(f, in, "server_page_bytes", res->server_page_size != 0,
			(double)res->server_page_size);
	json_number(f, in, "best_rate_per_s", res->best_rate > 0, res->best_rate);
	json_bool(f, in, "write_read", res->write_read);
	json_number(f, in, "eus", res->eus != 0, res->eus);
	fprintf(f, "\n    }");
}

bool
report_json(const struct report *rep, FILE *f)
{
	uint32_t i;

	fprintf(f, "{\n");
	json_environment(rep, f);
	fprintf(f, ",\n  \"results\": [");
	for (i = 0; i < rep->nb; i++) {
		fprintf(f, "%s\n", i > 0 ? "," : "");
		json_result(&rep->res[i], f);
	}
	fprintf(f, "\n  ]\n}\n");
	return ferror(f) == 0;
}
