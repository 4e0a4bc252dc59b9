/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Reading of options. Each option is a line of one table, with the function
 * that reads its value; the errors are made in those functions, so that they
 * can say what would have been right.
 */

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <rte_string_fns.h>

#include "fp.h"
#include "options.h"
#include "table.h"
#include "test.h"

/* First value that getopt_long() returns for an option without a short form. */
#define OPT_LONG_BASE 1000

struct opt_def {
	const char *name;
	int short_name;        /* 0: none */
	const char *arg;       /* name of the value in the help; NULL: takes none */
	bool set;              /* can change between runs: at the prompt, in a case */
	int (*parse)(const struct opt_def *def, struct options *opt, const char *value,
			char *err);
	size_t offset;         /* of the field in struct options */
	uint64_t min, max;     /* of numbers; seconds: 1 is above 0; max is the size of strings */
	const char *help;
	bool whole_run;        /* an INI file has it in [GLOBAL] only */
};

void
options_default(struct options *opt)
{
	memset(opt, 0, sizeof(*opt));
	strlcpy(opt->name, OPT_DFLT_NAME, sizeof(opt->name));
	opt->size = (struct sweep){ .first = 64, .last = 1024, .step = 16, .mul = true };
	opt->window = (struct sweep){ .first = 256, .last = 256 };
	opt->clients = (struct sweep){ .first = 16, .last = 16 };
	opt->warmup = 1000;
	opt->rounds = 7;
	opt->connections = 1;
	opt->burst = 32;
	opt->stride = 2048;
	opt->producers = 1;
	opt->consumers = 1;
	opt->eus = 1;
	opt->timeout_ms = 5000;
	opt->interval = 5.0;
}

static int
opt_error(const struct opt_def *def, char *err, const char *value, const char *remedy)
{
	snprintf(err, OPT_ERR_SIZE, "%s: '%s' is not valid: %s", def->name, value, remedy);
	return -EINVAL;
}

static void *
opt_field(const struct opt_def *def, struct options *opt)
{
	return (char *)opt + def->offset;
}

/* A decimal number and nothing else; strtoull() alone takes "-1" and "". */
static int
read_number(const char *text, uint64_t *value)
{
	char *end;
	uint64_t v;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	v = strtoull(text, &end, 10);
	if (errno != 0 || *end != '\0')
		return -EINVAL;
	*value = v;
	return 0;
}

static int
read_real(const char *text, double *value)
{
	char *end;
	double v;

	if (!isdigit((unsigned char)text[0]) && text[0] != '.')
		return -EINVAL;
	errno = 0;
	v = strtod(text, &end);
	if (errno != 0 || end == text || *end != '\0')
		return -EINVAL;
	*value = v;
	return 0;
}

/* A number within the range of its option. */
static int
parse_range(const struct opt_def *def, const char *value, uint64_t *v, char *err)
{
	char remedy[80];

	if (read_number(value, v) == 0 && *v >= def->min && *v <= def->max)
		return 0;
	snprintf(remedy, sizeof(remedy), "give a number from %" PRIu64 " to %" PRIu64,
			def->min, def->max);
	return opt_error(def, err, value, remedy);
}

static int
parse_u32(const struct opt_def *def, struct options *opt, const char *value, char *err)
{
	uint64_t v;
	int ret = parse_range(def, value, &v, err);

	if (ret == 0)
		*(uint32_t *)opt_field(def, opt) = (uint32_t)v;
	return ret;
}

static int
parse_u64(const struct opt_def *def, struct options *opt, const char *value, char *err)
{
	uint64_t v;
	int ret = parse_range(def, value, &v, err);

	if (ret == 0)
		*(uint64_t *)opt_field(def, opt) = v;
	return ret;
}

static int
parse_seconds(const struct opt_def *def, struct options *opt, const char *value, char *err)
{
	char remedy[80];
	double v;

	if (read_real(value, &v) != 0 || v > (double)def->max || (def->min != 0 && v == 0)) {
		snprintf(remedy, sizeof(remedy), "give seconds%s, as 2 or 0.5, up to %" PRIu64,
				def->min != 0 ? " above 0" : "", def->max);
		return opt_error(def, err, value, remedy);
	}
	*(double *)opt_field(def, opt) = v;
	return 0;
}

int
options_flag(const char *text, bool *flag)
{
	/* The command line gives no value, prompt and file give one. */
	if (text == NULL || strcmp(text, "on") == 0 || strcmp(text, "1") == 0)
		*flag = true;
	else if (strcmp(text, "off") == 0 || strcmp(text, "0") == 0)
		*flag = false;
	else
		return -EINVAL;
	return 0;
}

static int
parse_flag(const struct opt_def *def, struct options *opt, const char *value, char *err)
{
	if (options_flag(value, opt_field(def, opt)) != 0)
		return opt_error(def, err, value, "give on or off");
	return 0;
}

static int
parse_string(const struct opt_def *def, struct options *opt, const char *value, char *err)
{
	char remedy[80];

	if (value[0] == '\0')
		return opt_error(def, err, value, "it must not be empty");
	if (strlcpy(opt_field(def, opt), value, def->max) >= def->max) {
		snprintf(remedy, sizeof(remedy), "it may have %" PRIu64 " characters at most",
				def->max - 1);
		return opt_error(def, err, value, remedy);
	}
	return 0;
}

static unsigned int
sweep_points(const struct sweep *s)
{
	unsigned int n = 0;
	uint32_t v;

	while (n <= OPT_MAX_POINTS && sweep_next(s, n, &v))
		n++;
	return n;
}

static int
parse_sweep(const struct opt_def *def, struct options *opt, const char *value, char *err)
{
	struct sweep s = { 0 };
	char copy[128], remedy[160];
	char *part[5];
	uint64_t v[3];
	int n, i;

	snprintf(remedy, sizeof(remedy), "give %s from %" PRIu64 " to %" PRIu64
			", or a sweep as first,last,step,ADD or first,last,step,MUL",
			def->arg, def->min, def->max);
	if (strlcpy(copy, value, sizeof(copy)) >= sizeof(copy))
		return opt_error(def, err, value, remedy);
	n = rte_strsplit(copy, (int)sizeof(copy), part, RTE_DIM(part), ',');
	if (n != 1 && n != 4)
		return opt_error(def, err, value, remedy);
	for (i = 0; i < RTE_MIN(n, 3); i++) {
		if (read_number(part[i], &v[i]) != 0 || v[i] > def->max ||
				(i < 2 && v[i] < def->min))
			return opt_error(def, err, value, remedy);
	}
	s.first = (uint32_t)v[0];
	s.last = s.first;
	if (n == 4) {
		s.last = (uint32_t)v[1];
		s.step = (uint32_t)v[2];
		if (strcmp(part[3], "MUL") == 0)
			s.mul = true;
		else if (strcmp(part[3], "ADD") != 0)
			return opt_error(def, err, value, remedy);
		if (s.last < s.first)
			return opt_error(def, err, value, "the last value is below the first");
		if (s.step < (s.mul ? 2 : 1) || (s.mul && s.first == 0))
			return opt_error(def, err, value, "a step of ADD is 1 or more, one of "
					"MUL is 2 or more and does not begin with 0");
		if (sweep_points(&s) > OPT_MAX_POINTS) {
			snprintf(remedy, sizeof(remedy),
					"it has more than %u points; take a larger step",
					OPT_MAX_POINTS);
			return opt_error(def, err, value, remedy);
		}
	}
	*(struct sweep *)opt_field(def, opt) = s;
	return 0;
}

static int
parse_size(const struct opt_def *def, struct options *opt, const char *value, char *err)
{
	int ret = parse_sweep(def, opt, value, err);

	if (ret == 0)
		opt->size_set = true;
	return ret;
}

static int
parse_tests(const struct opt_def *def, struct options *opt, const char *value, char *err)
{
	char copy[512], remedy[OPT_ERR_SIZE - 64];
	char *part[OPT_MAX_TESTS];
	int n, i;

	if (strcmp(value, "all") == 0) {
		opt->nb_tests = 0;
		return 0;
	}
	if (value[0] == '\0' || strlcpy(copy, value, sizeof(copy)) >= sizeof(copy))
		return opt_error(def, err, value, "give names of tests, or all");
	n = rte_strsplit(copy, (int)sizeof(copy), part, RTE_DIM(part), ',');
	for (i = 0; i < n; i++) {
		if (test_find(part[i]) == NULL) {
			char names[OPT_ERR_SIZE - 96];

			test_names(names, sizeof(names), ", ");
			snprintf(remedy, sizeof(remedy), "the tests are: %s, or all", names);
			return opt_error(def, err, part[i], remedy);
		}
	}
	for (i = 0; i < n; i++)
		strlcpy(opt->tests[i], part[i], sizeof(opt->tests[i]));
	opt->nb_tests = (unsigned int)n;
	return 0;
}

static int
parse_percentiles(const struct opt_def *def, struct options *opt, const char *value, char *err)
{
	static const char remedy[] = "give up to 16 numbers above 0 and up to 100, "
			"as 50,90,99.99";
	double v[OPT_MAX_PERCENTILES];
	char copy[256];
	char *part[OPT_MAX_PERCENTILES + 1];
	int n, i;

	if (strlcpy(copy, value, sizeof(copy)) >= sizeof(copy))
		return opt_error(def, err, value, remedy);
	n = rte_strsplit(copy, (int)sizeof(copy), part, RTE_DIM(part), ',');
	if (n < 1 || n > OPT_MAX_PERCENTILES)
		return opt_error(def, err, value, remedy);
	for (i = 0; i < n; i++) {
		if (read_real(part[i], &v[i]) != 0 || v[i] <= 0 || v[i] > 100)
			return opt_error(def, err, value, remedy);
	}
	memcpy(opt->percentiles, v, sizeof(v[0]) * (unsigned int)n);
	opt->nb_percentiles = (unsigned int)n;
	return 0;
}

static int
parse_columns(const struct opt_def *def, struct options *opt, const char *value, char *err)
{
	char copy[512], names[OPT_ERR_SIZE - 96], remedy[OPT_ERR_SIZE - 48];
	char *part[OPT_MAX_COLUMNS + 1];
	int n, i, nr[OPT_MAX_COLUMNS];

	if (strcmp(value, "default") == 0) {
		opt->nb_columns = 0;
		return 0;
	}
	n = strlcpy(copy, value, sizeof(copy)) >= sizeof(copy) ? 0 :
			rte_strsplit(copy, (int)sizeof(copy), part, RTE_DIM(part), ',');
	if (n < 1 || n > OPT_MAX_COLUMNS)
		return opt_error(def, err, value, "give up to 24 names, or default");
	table_column_names(names, sizeof(names), ",");
	snprintf(remedy, sizeof(remedy), "there are: %s, or default", names);
	for (i = 0; i < n; i++) {
		nr[i] = table_column_find(part[i]);
		if (nr[i] < 0)
			return opt_error(def, err, part[i], remedy);
	}
	for (i = 0; i < n; i++)
		opt->columns[i] = (uint8_t)nr[i];
	opt->nb_columns = (unsigned int)n;
	return 0;
}

static int
parse_dev(const struct opt_def *def, struct options *opt, const char *value, char *err)
{
	char *to = opt->dev[0][0] == '\0' ? opt->dev[0] : opt->dev[1];

	if (opt->dev[1][0] != '\0')
		return opt_error(def, err, value, "it can be given twice at most, and twice "
				"only with --loopback");
	if (value[0] == '\0' || strlcpy(to, value, sizeof(opt->dev[0])) >= sizeof(opt->dev[0]))
		return opt_error(def, err, value,
				"give the name or the PCI address of a device; see --list-dev");
	return 0;
}

static int
parse_role(const struct opt_def *def, struct options *opt, const char *value, char *err)
{
	RTE_SET_USED(value);
	if (opt->role != ROLE_NONE && opt->role != (enum app_role)def->min) {
		snprintf(err, OPT_ERR_SIZE,
				"%s: give one of --server, --client and --loopback only",
				def->name);
		return -EINVAL;
	}
	opt->role = (enum app_role)def->min;
	return 0;
}

static int
parse_poll(const struct opt_def *def, struct options *opt, const char *value, char *err)
{
	bool poll;

	if (options_flag(value, &poll) != 0)
		return opt_error(def, err, value, "give on or off");
	opt->event = !poll;
	return 0;
}

static int
parse_eu_cpus(const struct opt_def *def, struct options *opt, const char *value, char *err)
{
	char copy[512];
	char *part[RTE_COMCH_DPA_MAX_EUS + 1];
	uint64_t cpu;
	int n, i;

	n = strlcpy(copy, value, sizeof(copy)) >= sizeof(copy) ? 0 :
			rte_strsplit(copy, (int)sizeof(copy), part, RTE_DIM(part), ',');
	if (n < 1 || n > RTE_COMCH_DPA_MAX_EUS)
		return opt_error(def, err, value, "give a cpu for each execution unit, as 2,3");
	for (i = 0; i < n; i++) {
		if (read_number(part[i], &cpu) != 0 || cpu > INT32_MAX)
			return opt_error(def, err, value, "give numbers of cpus, as 2,3");
		opt->eu_cpus[i] = (int32_t)cpu;
	}
	opt->nb_eu_cpus = (uint32_t)n;
	return 0;
}

static int
parse_dir(const struct opt_def *def, struct options *opt, const char *value, char *err)
{
	if (strcmp(value, "to") == 0)
		opt->dir = MSGQ_DIR_TO;
	else if (strcmp(value, "from") == 0)
		opt->dir = MSGQ_DIR_FROM;
	else if (strcmp(value, "both") == 0)
		opt->dir = MSGQ_DIR_BOTH;
	else
		return opt_error(def, err, value, "give to, from or both");
	return 0;
}

/* Of count and duration, the one that was given last holds. */
static int
parse_duration(const struct opt_def *def, struct options *opt, const char *value, char *err)
{
	int ret = parse_seconds(def, opt, value, err);

	if (ret == 0)
		opt->count = 0;
	return ret;
}

#define FIELD(f) offsetof(struct options, f)

static const struct opt_def opt_defs[] = {
	/* roles */
	{ "server", 0, NULL, false, parse_role, 0, ROLE_SERVER, 0,
		"be the card's side: serve test runs of clients until a signal" },
	{ "client", 0, NULL, false, parse_role, 0, ROLE_CLIENT, 0,
		"be the host's side: run the tests against a server" },
	{ "loopback", 0, NULL, false, parse_role, 0, ROLE_LOOPBACK, 0,
		"both sides in this process; needs two lcores and two devices" },
	{ "once", 0, NULL, false, parse_flag, FIELD(once), 0, 0,
		"server: end when the first client is done" },
	/* devices */
	{ "dev", 'd', "NAME", false, parse_dev, 0, 0, 0,
		"device by name or PCI address; the default is the first that fits the role" },
	{ "pci-addr", 'p', "ADDR", false, parse_dev, 0, 0, 0,
		"the same as --dev" },
	{ "rep", 'r', "NAME", false, parse_string, FIELD(rep), 0, RTE_COMCH_FUNCTION_SIZE,
		"server: function to serve, by name or PCI address; the default is all" },
	{ "name", 'n', "NAME", true, parse_string, FIELD(name), 0, RTE_COMCH_NAME_SIZE,
		"name of the server (default " OPT_DFLT_NAME ")", .whole_run = true },
	{ "timeout", 0, "MS", true, parse_u32, FIELD(timeout_ms), 1, 3600000,
		"client: how long to look for the server (default 5000)" },
	{ "list-dev", 0, NULL, false, parse_flag, FIELD(list_dev), 0, 0,
		"list devices and representors, and end" },
	{ "caps", 0, NULL, false, parse_flag, FIELD(caps), 0, 0,
		"print the capabilities and limits of the devices, and end" },
	/* tests */
	{ "config", 0, "FILE", false, parse_string, FIELD(config), 0,
		sizeof(((struct options *)0)->config),
		"client: run the cases of an INI file" },
	{ "test", 't', "NAMES", true, parse_tests, 0, 0, 0,
		"tests to run: names with commas between, or all (default)" },
	{ "size", 's', "bytes", true, parse_size, FIELD(size), 1, UINT32_MAX,
		"message size, or sweep (default: the test's own)" },
	{ "window", 'w', "tasks", true, parse_sweep, FIELD(window), 1, OPT_MAX_WINDOW,
		"send tasks in flight of each connection, or sweep (default 256)" },
	{ "count", 'c', "N", true, parse_u64, FIELD(count), 1, UINT64_MAX / 2,
		"messages or connects of each result, instead of a duration" },
	{ "duration", 'D', "SECONDS", true, parse_duration, FIELD(duration), 1, 1000000,
		"time of each result, over all rounds (default: the test's own)" },
	{ "warmup", 0, "N", true, parse_u64, FIELD(warmup), 0, 1000000000,
		"messages or connects before each round (default 1000)" },
	{ "rounds", 0, "N", true, parse_u32, FIELD(rounds), 1, OPT_MAX_ROUNDS,
		"rounds of each result; the median counts (default 7)" },
	{ "connections", 0, "N", true, parse_u32, FIELD(connections), 1, OPT_MAX_CONNECTIONS,
		"connections that a rate is spread over (default 1)" },
	{ "clients", 0, "clients", true, parse_sweep, FIELD(clients), 1, OPT_MAX_CLIENTS,
		"connects in parallel, or sweep (default 16)" },
	{ "idle-clients", 0, "clients", true, parse_sweep, FIELD(idle_clients), 0,
		OPT_MAX_CLIENTS,
		"clients that are connected and do nothing, or sweep (default 0)" },
	{ "recv-queue", 0, "N", true, parse_u32, FIELD(recv_queue), 0, UINT32_MAX,
		"messages of a receive queue (default: that of the device)" },
	{ "burst", 0, "N", true, parse_u32, FIELD(burst), 1, FP_MAX_BURST,
		"fast path: messages of one burst (default 32)" },
	{ "stride", 0, "BYTES", true, parse_u32, FIELD(stride), 1, UINT32_C(1) << 30,
		"fast path: distance of posted buffers, if they are not larger (default 2048)" },
	{ "posts", 0, "N", true, parse_u32, FIELD(posts), 0, FP_MAX_POSTS,
		"fast path: posted buffers of a consumer (default 512, in 32 MiB at most)" },
	{ "producers", 0, "N", true, parse_u32, FIELD(producers), 1, FP_MAX_QUEUES,
		"fast path: producers of each connection (default 1)" },
	{ "consumers", 0, "N", true, parse_u32, FIELD(consumers), 1, FP_MAX_QUEUES,
		"fast path: consumers of each connection (default 1)" },
	{ "mbuf", 0, NULL, true, parse_flag, FIELD(mbuf), 0, 0,
		"fast path: send and receive mbufs" },
	{ "tasks", 0, NULL, true, parse_flag, FIELD(tasks), 0, 0,
		"fast path: tasks and callbacks instead of bursts" },
	{ "touch", 0, NULL, true, parse_flag, FIELD(touch), 0, 0,
		"fp-bw: have consumers look at the data, as in fp-rate" },
	{ "write-read", 0, NULL, true, parse_flag, FIELD(write_read), 0, 0,
		"fast path: write all bytes before each send, read all that came" },
	{ "random", 0, NULL, true, parse_flag, FIELD(random), 0, 0,
		"fast path: sizes and bursts up to those given" },
	{ "dir", 0, "to|from|both", true, parse_dir, 0, 0, 0,
		"msgq-rate: messages to the program, from it, or both (default to)" },
	{ "eus", 0, "N", true, parse_u32, FIELD(eus), 1, RTE_COMCH_DPA_MAX_EUS,
		"message queues: execution units of the program (default 1)" },
	{ "eu-cpus", 0, "LIST", true, parse_eu_cpus, 0, 0, 0,
		"message queues: cpu of each of them (default: the server's, then any)" },
	{ "program", 0, "FILE", true, parse_string, FIELD(program), 0,
		sizeof(((struct options *)0)->program),
		"message queues: the program (default: that of this tool)" },
	{ "runner", 0, "PROGRAM", true, parse_string, FIELD(runner), 0,
		sizeof(((struct options *)0)->runner),
		"message queues: what runs the program, unconfined, as qemu-riscv64-static" },
	{ "poll", 0, NULL, true, parse_poll, 0, 0, 0,
		"turn the progress engine without a pause (default)" },
	{ "event", 0, NULL, true, parse_flag, FIELD(event), 0, 0,
		"sleep when there is nothing to do" },
	{ "bidir", 0, NULL, true, parse_flag, FIELD(bidir), 0, 0,
		"rates: both directions at one time" },
	{ "validate", 'V', NULL, true, parse_flag, FIELD(validate), 0, 0,
		"check every byte of every message" },
	/* results */
	{ "percentiles", 0, "LIST", true, parse_percentiles, 0, 0, 0,
		"print these percentiles too, as 50,99.99" },
	{ "histogram", 'H', NULL, true, parse_flag, FIELD(histogram), 0, 0,
		"print the histogram of each latency" },
	{ "wide", 0, NULL, true, parse_flag, FIELD(wide), 0, 0,
		"print a table of 155 characters", .whole_run = true },
	{ "columns", 0, "NAMES", true, parse_columns, 0, 0, 0,
		"columns of the table, in their order, with commas between; or default",
		.whole_run = true },
	{ "interval", 0, "SECONDS", true, parse_seconds, FIELD(interval), 0, 86400,
		"time between progress lines; 0 for none (default 5, with a prompt 1)" },
	{ "csv", 0, "FILE", false, parse_string, FIELD(csv), 0, sizeof(((struct options *)0)->csv),
		"write the results as CSV", .whole_run = true },
	{ "json", 0, "FILE", false, parse_string, FIELD(json), 0,
		sizeof(((struct options *)0)->json),
		"write the results and the environment as JSON", .whole_run = true },
	/* prompt */
	{ "interactive", 'i', NULL, false, parse_flag, FIELD(interactive), 0, 0,
		"give a prompt" },
	{ "cmdline-file", 0, "FILE", false, parse_string, FIELD(cmdline_file), 0,
		sizeof(((struct options *)0)->cmdline_file),
		"run the prompt's commands from a file first" },
	{ "version", 0, NULL, false, parse_flag, FIELD(version), 0, 0,
		"print the version, and end; also without a -- before it" },
	{ "help", 'h', NULL, false, parse_flag, FIELD(help), 0, 0,
		"print this, and end; also without a -- before it" },
};

#undef FIELD

_Static_assert(RTE_DIM(opt_defs) <= 64, "bits of given");

static uint64_t
opt_bit(const struct opt_def *def)
{
	return UINT64_C(1) << (def - opt_defs);
}

static const struct opt_def *
opt_by_name(const char *name)
{
	unsigned int i;

	for (i = 0; i < RTE_DIM(opt_defs); i++) {
		if (strcmp(opt_defs[i].name, name) == 0)
			return &opt_defs[i];
	}
	return NULL;
}

/* Read a value. Of poll and event the same place gives one only. */
static int
opt_read(const struct opt_def *def, struct options *opt, const char *value, char *err)
{
	const struct opt_def *poll = opt_by_name("poll"), *event = opt_by_name("event");
	int ret = def->parse(def, opt, value, err);

	if (ret != 0)
		return ret;
	opt->given |= opt_bit(def);
	if ((def == poll && (opt->given & opt_bit(event)) != 0) ||
			(def == event && (opt->given & opt_bit(poll)) != 0)) {
		snprintf(err, OPT_ERR_SIZE, "%s: %s is there too, and one is the opposite of "
				"the other; give one of them", def->name,
				def == poll ? event->name : poll->name);
		return -EINVAL;
	}
	return 0;
}

/* What no single option can see. */
int
options_check(const struct options *opt, char err[OPT_ERR_SIZE])
{
	if (opt->dev[1][0] != '\0' && opt->role != ROLE_LOOPBACK) {
		snprintf(err, OPT_ERR_SIZE, "dev: two devices are for --loopback; give one");
		return -EINVAL;
	}
	if (opt->config[0] != '\0' && (opt->interactive || opt->cmdline_file[0] != '\0')) {
		snprintf(err, OPT_ERR_SIZE, "config: the cases of a file run without a prompt; "
				"leave --interactive and --cmdline-file away");
		return -EINVAL;
	}
	if (opt->once && opt->role != ROLE_SERVER) {
		snprintf(err, OPT_ERR_SIZE, "once: it is an option of --server");
		return -EINVAL;
	}
	if (opt->rep[0] != '\0' && opt->role == ROLE_CLIENT) {
		snprintf(err, OPT_ERR_SIZE, "rep: clients have no representors; name the "
				"function by --dev instead");
		return -EINVAL;
	}
	if (opt->count != 0 && opt->count < opt->rounds) {
		snprintf(err, OPT_ERR_SIZE, "count: %" PRIu64 " is fewer than one for each of "
				"the %u rounds; raise it or lower --rounds", opt->count,
				opt->rounds);
		return -EINVAL;
	}
	if (opt->mbuf && opt->tasks) {
		snprintf(err, OPT_ERR_SIZE, "mbuf: packets go in bursts, no task carries one; "
				"leave --mbuf or --tasks away");
		return -EINVAL;
	}
	return 0;
}

int
options_check_given(const struct options *opt, char err[OPT_ERR_SIZE])
{
	const struct opt_def *def;
	const struct test_ops *t;
	char users[OPT_ERR_SIZE / 2];
	bool used;
	unsigned int i, n;

	for (i = 0; i < RTE_DIM(opt_defs) && opt->nb_tests != 0; i++) {
		def = &opt_defs[i];
		if ((opt->given & opt_bit(def)) == 0)
			continue;
		used = false;
		users[0] = '\0';
		for (t = test_next(NULL); t != NULL; t = test_next(t)) {
			if (!test_uses(t, def->name))
				continue;
			strlcat(users, users[0] != '\0' ? ", " : "", sizeof(users));
			strlcat(users, t->name, sizeof(users));
			for (n = 0; n < opt->nb_tests; n++)
				used = used || strcmp(opt->tests[n], t->name) == 0;
		}
		/* Those that no test names are for all. */
		if (used || users[0] == '\0')
			continue;
		snprintf(err, OPT_ERR_SIZE, "%s: it changes nothing in %s%s, but in %s; leave --%s "
				"away, or name one of those by --test", def->name, opt->tests[0],
				opt->nb_tests > 1 ? " and the others" : "", users, def->name);
		return -EINVAL;
	}
	return 0;
}

int
options_parse(struct options *opt, int argc, char **argv, char err[OPT_ERR_SIZE])
{
	struct option longs[RTE_DIM(opt_defs) + 1];
	char shorts[2 * RTE_DIM(opt_defs) + 2];
	const struct opt_def *def;
	unsigned int i, n = 0;
	int c, ret;

	memset(longs, 0, sizeof(longs));
	shorts[n++] = ':'; /* tell a missing value from an unknown option */
	for (i = 0; i < RTE_DIM(opt_defs); i++) {
		def = &opt_defs[i];
		longs[i].name = def->name;
		longs[i].has_arg = def->arg != NULL ? required_argument : no_argument;
		longs[i].val = OPT_LONG_BASE + (int)i;
		if (def->short_name != 0) {
			shorts[n++] = (char)def->short_name;
			if (def->arg != NULL)
				shorts[n++] = ':';
		}
	}
	shorts[n] = '\0';

	optind = 1;
	opterr = 0;
	opt->given = 0;
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		def = NULL;
		if (c == ':') {
			snprintf(err, OPT_ERR_SIZE, "%s: a value is missing; see --help",
					argv[optind - 1]);
			return -EINVAL;
		}
		if (c == '?') {
			snprintf(err, OPT_ERR_SIZE, "%s: no such option, or it takes no value; "
					"see --help", argv[optind - 1]);
			return -EINVAL;
		}
		for (i = 0; i < RTE_DIM(opt_defs); i++) {
			if (c == OPT_LONG_BASE + (int)i || c == opt_defs[i].short_name)
				def = &opt_defs[i];
		}
		if (def == NULL)
			return -EINVAL;
		ret = opt_read(def, opt, optarg, err);
		if (ret != 0)
			return ret;
	}
	if (optind < argc) {
		snprintf(err, OPT_ERR_SIZE, "%s: not an option; see --help", argv[optind]);
		return -EINVAL;
	}
	if (opt->interactive && (opt->given & opt_bit(opt_by_name("interval"))) == 0)
		opt->interval = 1.0;
	ret = options_check(opt, err);
	/* The cases of a file name tests of their own. */
	return ret != 0 || opt->config[0] != '\0' ? ret : options_check_given(opt, err);
}

int
options_set(struct options *opt, const char *key, const char *value, char err[OPT_ERR_SIZE])
{
	const struct opt_def *def = opt_by_name(key);
	struct options copy = *opt;
	int ret;

	if (def == NULL || !def->set) {
		snprintf(err, OPT_ERR_SIZE, "%s: cannot be set here", key);
		return -EINVAL;
	}
	copy.given = 0;
	ret = opt_read(def, &copy, value, err);
	if (ret == 0)
		ret = options_check(&copy, err);
	if (ret == 0)
		*opt = copy;
	return ret;
}

int
options_file_set(struct options *opt, bool in_case, const char *key, const char *value,
		char err[OPT_ERR_SIZE])
{
	const struct opt_def *def = opt_by_name(key);

	if (def == NULL) {
		snprintf(err, OPT_ERR_SIZE, "%s: there is no such key; keys are the long names "
				"of options, see --help", key);
		return -EINVAL;
	}
	if (!def->set && !def->whole_run) {
		snprintf(err, OPT_ERR_SIZE, "%s: this is not for a file; give it on the command "
				"line", key);
		return -EINVAL;
	}
	if (in_case && def->whole_run) {
		snprintf(err, OPT_ERR_SIZE, "%s: all cases have the same; give it in [GLOBAL] or "
				"on the command line", key);
		return -EINVAL;
	}
	return opt_read(def, opt, value, err);
}

enum options_values
options_values(const char *key, char *values, size_t size)
{
	const struct opt_def *def = opt_by_name(key);

	values[0] = '\0';
	if (def == NULL)
		return OPTIONS_VALUES_OTHER;
	if (def->parse == parse_tests) {
		strlcpy(values, "all#", size);
		test_names(values + strlen(values), size - strlen(values), "#");
		return OPTIONS_VALUES_LIST;
	}
	if (def->parse == parse_columns) {
		strlcpy(values, "default#", size);
		table_column_names(values + strlen(values), size - strlen(values), "#");
		return OPTIONS_VALUES_LIST;
	}
	if (def->arg == NULL || def->parse == parse_dir) {
		strlcpy(values, def->arg == NULL ? "on#off" : "to#from#both", size);
		return OPTIONS_VALUES_ONE;
	}
	return strcmp(def->arg, "FILE") == 0 || strcmp(def->arg, "PROGRAM") == 0 ?
			OPTIONS_VALUES_FILE : OPTIONS_VALUES_OTHER;
}

char *
options_keys(void)
{
	size_t len = 1;
	unsigned int i;
	char *keys;

	for (i = 0; i < RTE_DIM(opt_defs); i++)
		len += strlen(opt_defs[i].name) + 1;
	keys = malloc(len);
	if (keys == NULL)
		return NULL;
	keys[0] = '\0';
	for (i = 0; i < RTE_DIM(opt_defs); i++) {
		if (!opt_defs[i].set)
			continue;
		if (keys[0] != '\0')
			strlcat(keys, "#", len);
		strlcat(keys, opt_defs[i].name, len);
	}
	return keys;
}

void
options_usage(FILE *f, const char *prog)
{
	const struct opt_def *def;
	const struct test_ops *t = NULL;
	unsigned int i;
	char left[48], columns[512];

	fprintf(f, "Usage: %s [EAL options] -- [options]\n"
			"EAL options are listed by: %s --help --\n\nOptions:\n", prog, prog);
	for (i = 0; i < RTE_DIM(opt_defs); i++) {
		def = &opt_defs[i];
		snprintf(left, sizeof(left), "%c%c%c --%s%s%s",
				def->short_name != 0 ? '-' : ' ',
				def->short_name != 0 ? def->short_name : ' ',
				def->short_name != 0 ? ',' : ' ', def->name,
				def->arg != NULL ? " " : "", def->arg != NULL ? def->arg : "");
		fprintf(f, "  %-28s %s\n", left, def->help);
	}
	fprintf(f, "A sweep is first,last,step,ADD or first,last,step,MUL.\n\nTests:\n");
	while ((t = test_next(t)) != NULL)
		fprintf(f, "  %-28s %s\n", t->name, t->description);
	table_column_names(columns, sizeof(columns), " ");
	fprintf(f, "\nColumns:\n  %s\n", columns);
}
