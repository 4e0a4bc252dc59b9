/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Options, the functions of the model, the poll loop, the end. No protocol and no
 * register is known here.
 */

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "data.h"
#include "server.h"
#include "switch.h"

#define MAX_CONTROL_FDS 4
#define MAX_FAULTS 64
#define MAX_RULES 64
#define IDLE_US 1000000

struct options {
	const char *dir;
	const char *log;
	const char *capture;
	enum bfm_level level;
	bool until_eof;
	const char *functions[BFM_MAX_FUNCTIONS];
	uint32_t nb_functions;
	const char *faults[MAX_FAULTS];
	uint32_t nb_faults;
	const char *rules[MAX_RULES];
	uint32_t nb_rules;
	const char *pairs[MAX_RULES];
	uint32_t nb_pairs;
	uint32_t latency; /* as in struct bfm_model */
	uint64_t seed;
};

static const char usage[] =
	"usage: comch-bluefield-model --dir DIR --function NAME[,key=value...] [options]\n"
	"\n"
	"A software BlueField: serves its PCI functions over vfio-user.\n"
	"\n"
	"  --dir DIR            folder of the sockets, made if missing (its parent is not):\n"
	"                       DIR/NAME.sock for each function, DIR/control for commands\n"
	"                       (send it \"help\")\n"
	"  --function NAME[,key=value...]\n"
	"                       of the host: a physical function pf0 or pf1, a virtual one\n"
	"                       pf0vf0 to pf1vf126; of the card: ecpf0 (or ecpf) or ecpf1,\n"
	"                       a virtual one ecpf0vf0 to ecpf1vf31; may be repeated\n"
	"      device=bf2|bf3   generation (bf2)\n"
	"      id=NUMBER        PCI device id, instead of that of the generation\n"
	"      port=eth|ib      personality of the port (eth)\n"
	"      mode=MODE        dpu, nic or separated, of an ecpf: only in mode dpu it\n"
	"                       manages the embedded switch (dpu)\n"
	"      boot_pages=N     pages that firmware asks for at boot, up to 65536 (8)\n"
	"      init_pages=N     ... and at initialisation (64)\n"
	"      host=up|down     of an ecpf in mode dpu: functions of the host are enabled from\n"
	"                       the start, or a client on it has to do that (up)\n"
	"      pages=client|operator\n"
	"                       of a PF, an ECPF: its client gives pages for its VFs, an\n"
	"                       ECPF's for the host's functions too, or the operator (operator)\n"
	"      owner_slow=N     the operator gives those pages after N ms (0)\n"
	"      owner_short=N    ... and has no more than N of them (no limit)\n"
	"      flr_ms=N         how long firmware initialises after a reset, ms (20)\n"
	"      frail=0|1        1: a reset while firmware initialises is its end (0)\n"
	"      settle=N         the command queue works N ms after it got its address (0)\n"
	"      remainders=0|1   1: an event asks for the rest of the pages of a request (0)\n"
	"      vectors=N        MSI-X vectors, 1 to 64 (64)\n"
	"      msix_fixed=0|1   1: adding vectors later costs interrupts, as with kernels\n"
	"                       before Linux 6.5 (0)\n"
	"      roce=on|off|ask  RoCE as the owner of the switch has it; ask: off until the\n"
	"                       function's client asks for it (on)\n"
	"      roce_table=N     entries of the RoCE address table, 0 to 256 (16)\n"
	"      vhca_ports=N     ports that commands of addresses have to name, 0 to 2 (0)\n"
	"      netdev=0|1       1: Ethernet queues and flow tables, of pf0, pf1 and VFs with\n"
	"                       port=eth; the Linux driver makes its netdev of them (0)\n"
	"      mac=ADDRESS      of the vport, 0 for none\n"
	"      link=up|down     of the vport (up); the fault \"port up\" brings it up\n"
	"      socket=PATH      instead of DIR/NAME.sock\n"
	"  --fault \"NAME FAULT\" a fault from the start, as at the control socket, for\n"
	"                       example \"pf0 cmd opcode=INIT_HCA no-answer\"; may be repeated\n"
	"  --rule \"WORDS\"       a rule of the embedded switch, in the words of tc, for example\n"
	"                       \"dev pf0vf0 ingress prio 16 flower skip_sw action drop\"; may\n"
	"                       be repeated. Without rules nothing passes.\n"
	"  --allow NAME/NAME    the two rules that let two functions talk by RoCE v2, at the\n"
	"                       addresses fe80::EUI-64 of their MACs; may be repeated\n"
	"  --latency off|FACTOR how long commands take: not at all, or this times as long as\n"
	"                       usual, up to 100 (1). Slots answer in any order then.\n"
	"  --seed NUMBER        of what is random, as latencies (1)\n"
	"  --capture FILE       datagrams as they come to the switch, those of queue pair 1 too:\n"
	"                       a pcapng file, for Wireshark or tshark\n"
	"  --log FILE           append the log to FILE instead of standard error\n"
	"  --log-level LEVEL    error, warn, info (default) or debug\n"
	"  --until-eof          end when standard input ends\n"
	"  --help, --version\n"
	"\n"
	"Prints \"ready: N functions in DIR\" when all of them can be connected to.\n";

/* ------------------------------------------------------------- functions */

int
bfm_function_create(struct bfm_model *m, const struct bfm_conf *conf, struct bfm_function **pf)
{
	struct bfm_function *f;
	int ret;

	if (m->nb_functions == BFM_MAX_FUNCTIONS)
		return -ENOSPC;
	if (bfm_function_find(m, conf->name) != NULL)
		return -EEXIST;
	f = calloc(1, sizeof(*f));
	if (f == NULL)
		return -ENOMEM;
	f->model = m;
	f->conf = *conf;

	ret = bfm_engine_create(m);
	if (ret == 0)
		ret = bfm_faults_create(f);
	if (ret == 0)
		ret = bfm_caps_create(f);
	if (ret == 0)
		ret = bfm_vport_create(f);
	if (ret == 0)
		ret = bfm_switch_join(f);
	if (ret == 0)
		ret = bfm_objects_create(f);
	if (ret == 0)
		ret = bfm_pages_create(f);
	if (ret == 0)
		ret = bfm_eqs_create(f);
	if (ret == 0)
		ret = bfm_cmdq_create(f);
	if (ret == 0)
		ret = bfm_iseg_create(f);
	if (ret != 0) {
		bfm_function_destroy(f);
		return ret;
	}
	bfm_owner_start(f);
	m->functions[m->nb_functions++] = f;
	*pf = f;
	return 0;
}

/* Also of a function that is made in part. */
void
bfm_function_destroy(struct bfm_function *f)
{
	struct bfm_model *m = f->model;
	uint32_t i, nb;

	nb = f->objs == NULL ? 0 : bfm_objects_count(f, BFM_NB_TYPES);
	if (nb > 0) {
		bfm_log(f, BFM_INFO, "%u objects are alive at the end", nb);
		bfm_objects_dump(f, bfm_log_file());
	}
	bfm_server_close(f);
	bfm_iseg_destroy(f);
	bfm_cmdq_destroy(f);
	bfm_objects_destroy(f);
	bfm_eqs_destroy(f);
	bfm_pages_destroy(f);
	bfm_switch_leave(f);
	bfm_vport_destroy(f);
	bfm_caps_destroy(f);
	bfm_faults_destroy(f);
	for (i = 0; i < m->nb_functions; i++) {
		if (m->functions[i] == f) {
			m->nb_functions--;
			memmove(&m->functions[i], &m->functions[i + 1],
					(m->nb_functions - i) * sizeof(m->functions[0]));
			break;
		}
	}
	free(f);
}

int
bfm_function_tick(struct bfm_function *f)
{
	int us = IDLE_US, next;

	next = bfm_cmdq_tick(f);
	if (next >= 0 && next < us)
		us = next;
	next = bfm_supply_tick(f);
	if (next >= 0 && next < us / 1000)
		us = next * 1000;
	next = bfm_server_tick(f);
	if (next >= 0 && next < us / 1000)
		us = next * 1000;
	next = bfm_engine_tick(f->model);
	if (next >= 0 && next < us)
		us = next;
	return us;
}

/* ------------------------------------------------------------------ loop */

/* Standard input carries nothing; its end is the news. */
static bool
input_ended(void)
{
	char scratch[256];
	ssize_t n = read(STDIN_FILENO, scratch, sizeof(scratch));

	return n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
}

static void
run(struct bfm_model *m, int signal_fd, bool until_eof)
{
	struct pollfd pfds[2 + MAX_CONTROL_FDS + BFM_MAX_FUNCTIONS];
	int control[MAX_CONTROL_FDS];
	int i, nb, nb_control, first, us, next;
	struct timespec wait;
	uint32_t n;

	bfm_engine_lock(m);
	while (!m->quit) {
		bfm_clock_read(m);
		us = IDLE_US;
		for (n = 0; n < m->nb_functions; n++) {
			next = bfm_function_tick(m->functions[n]);
			if (next < us)
				us = next;
		}
		if (m->quit)
			break;

		nb = 0;
		pfds[nb++] = (struct pollfd){ .fd = signal_fd, .events = POLLIN };
		pfds[nb++] = (struct pollfd){ .fd = until_eof ? STDIN_FILENO : -1,
				.events = POLLIN };
		nb_control = bfm_control_fds(control, MAX_CONTROL_FDS);
		for (i = 0; i < nb_control; i++)
			pfds[nb++] = (struct pollfd){ .fd = control[i], .events = POLLIN };
		first = nb;
		for (n = 0; n < m->nb_functions; n++)
			pfds[nb++] = (struct pollfd){ .fd = bfm_server_fd(m->functions[n]),
					.events = POLLIN };
		/* commands end in less than the milliseconds of poll() */
		wait.tv_sec = us / 1000000;
		wait.tv_nsec = us % 1000000 * 1000l;
		bfm_engine_unlock(m);
		nb = ppoll(pfds, nb, &wait, NULL);
		bfm_engine_lock(m);
		if (nb < 0)
			continue;

		bfm_clock_read(m);
		if (pfds[0].revents != 0 || (pfds[1].revents != 0 && input_ended()))
			break;
		for (i = 0; i < nb_control; i++) {
			if (pfds[2 + i].revents != 0)
				bfm_control_run(m, control[i]);
		}
		for (n = 0; n < m->nb_functions; n++) {
			if (pfds[first + n].revents != 0)
				bfm_server_run(m->functions[n]);
		}
	}
	bfm_engine_unlock(m);
}

/* ------------------------------------------------------- the command line */

static bool
parse_latency(const char *text, uint32_t *latency)
{
	char *end;
	double factor;

	*latency = 0;
	if (strcmp(text, "off") == 0)
		return true;
	if (text[0] < '0' || text[0] > '9')
		return false;
	factor = strtod(text, &end);
	if (*end != '\0' || !(factor <= BFM_LATENCY_MAX))
		return false;
	*latency = (uint32_t)(factor * BFM_LATENCY_ONE);
	return *latency != 0;
}

static bool
parse_seed(const char *text, uint64_t *seed)
{
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	*seed = strtoull(text, &end, 0);
	return errno == 0 && *end == '\0';
}

static int
parse_options(int argc, char **argv, struct options *o)
{
	enum { DIR_OPT = 256, FUNCTION, FAULT, RULE, ALLOW, LATENCY, SEED, CAPTURE, LOG, LEVEL,
		UNTIL_EOF, HELP, VERSION };
	static const struct option longs[] = {
		{ "dir", required_argument, NULL, DIR_OPT },
		{ "function", required_argument, NULL, FUNCTION },
		{ "fault", required_argument, NULL, FAULT },
		{ "rule", required_argument, NULL, RULE },
		{ "allow", required_argument, NULL, ALLOW },
		{ "latency", required_argument, NULL, LATENCY },
		{ "seed", required_argument, NULL, SEED },
		{ "capture", required_argument, NULL, CAPTURE },
		{ "log", required_argument, NULL, LOG },
		{ "log-level", required_argument, NULL, LEVEL },
		{ "until-eof", no_argument, NULL, UNTIL_EOF },
		{ "help", no_argument, NULL, HELP },
		{ "version", no_argument, NULL, VERSION },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case DIR_OPT:
			o->dir = optarg;
			break;
		case FUNCTION:
			if (o->nb_functions == BFM_MAX_FUNCTIONS) {
				fprintf(stderr, "--function: at most %u functions; start another "
						"model for more\n", BFM_MAX_FUNCTIONS);
				return -EINVAL;
			}
			o->functions[o->nb_functions++] = optarg;
			break;
		case FAULT:
			if (o->nb_faults == MAX_FAULTS) {
				fprintf(stderr, "--fault: at most %u; give the others at the "
						"control socket\n", MAX_FAULTS);
				return -EINVAL;
			}
			o->faults[o->nb_faults++] = optarg;
			break;
		case RULE:
			if (o->nb_rules == MAX_RULES) {
				fprintf(stderr, "--rule: at most %u; give the others at the "
						"control socket\n", MAX_RULES);
				return -EINVAL;
			}
			o->rules[o->nb_rules++] = optarg;
			break;
		case ALLOW:
			if (o->nb_pairs == MAX_RULES) {
				fprintf(stderr, "--allow: at most %u; give the others as rules at "
						"the control socket\n", MAX_RULES);
				return -EINVAL;
			}
			o->pairs[o->nb_pairs++] = optarg;
			break;
		case LATENCY:
			if (!parse_latency(optarg, &o->latency)) {
				fprintf(stderr, "--latency %s: use off, or a factor from 0.001 to "
						"%u\n", optarg, BFM_LATENCY_MAX);
				return -EINVAL;
			}
			break;
		case SEED:
			if (!parse_seed(optarg, &o->seed)) {
				fprintf(stderr, "--seed %s: use a number\n", optarg);
				return -EINVAL;
			}
			break;
		case CAPTURE:
			o->capture = optarg;
			break;
		case LOG:
			o->log = optarg;
			break;
		case LEVEL:
			if (!bfm_level_parse(optarg, &o->level)) {
				fprintf(stderr, "--log-level %s: use error, warn, info or debug\n",
						optarg);
				return -EINVAL;
			}
			break;
		case UNTIL_EOF:
			o->until_eof = true;
			break;
		case HELP:
			fputs(usage, stdout);
			return 1;
		case VERSION:
			puts("comch-bluefield-model " MODEL_VERSION);
			return 1;
		default:
			fprintf(stderr, "try --help\n");
			return -EINVAL;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "%s: no such option; try --help\n", argv[optind]);
		return -EINVAL;
	}
	if (o->dir == NULL || o->nb_functions == 0) {
		fprintf(stderr, "give --dir and at least one --function; try --help\n");
		return -EINVAL;
	}
	return 0;
}

static int
add_function(struct bfm_model *m, const struct options *o, const char *text)
{
	struct bfm_function *f;
	struct bfm_conf conf;
	char err[512];
	int n, ret;

	if (bfm_conf_parse(text, &conf, err, sizeof(err)) != 0) {
		fprintf(stderr, "--function %s\n", err);
		return -EINVAL;
	}
	if (conf.socket[0] == '\0') {
		n = snprintf(conf.socket, sizeof(conf.socket), "%s/%s.sock", o->dir, conf.name);
		if (n >= (int)sizeof(conf.socket)) {
			fprintf(stderr, "--dir %s: too long for the name of a socket; give a "
					"shorter one\n", o->dir);
			return -ENAMETOOLONG;
		}
	}
	ret = bfm_function_create(m, &conf, &f);
	if (ret == -EEXIST)
		fprintf(stderr, "--function %s: given twice; leave one out\n", conf.name);
	else if (ret != 0)
		fprintf(stderr, "--function %s: %s\n", conf.name, strerror(-ret));
	if (ret != 0)
		return ret;
	return bfm_server_open(f);
}

static int
add_fault(struct bfm_model *m, const char *text)
{
	char name[BFM_NAME_SIZE], err[256] = "";
	const char *line = text + strcspn(text, " ");
	struct bfm_function *f = NULL;

	if ((size_t)(line - text) < sizeof(name)) {
		memcpy(name, text, line - text);
		name[line - text] = '\0';
		f = bfm_function_find(m, name);
	}
	if (f == NULL) {
		fprintf(stderr, "--fault \"%s\": begin it with the name of a --function, "
				"as pf0 or ecpf0\n",
				text);
		return -EINVAL;
	}
	if (bfm_fault_parse(f, line + strspn(line, " "), err, sizeof(err)) != 0) {
		fprintf(stderr, "--fault \"%s\": %s\n", text, err);
		return -EINVAL;
	}
	return 0;
}

static int
add_rule(struct bfm_model *m, const char *text)
{
	char err[256] = "";
	int ret;

	ret = bfm_switch_rule_add(m, text, NULL, err, sizeof(err));
	if (ret != 0)
		fprintf(stderr, "--rule \"%s\": %s\n", text, err);
	return ret;
}

/* What a rule says of one station: its MAC address, and the GID that is made of it. */
static void
station_words(const struct bfm_function *f, const char *side, char *words, size_t size)
{
	unsigned int b[6], i;

	for (i = 0; i < 6; i++)
		b[i] = f->mac >> (40 - 8 * i) & 0xff;
	snprintf(words, size, "%s_mac %02x:%02x:%02x:%02x:%02x:%02x "
			"%s_ip fe80::%02x%02x:%02xff:fe%02x:%02x%02x", side, b[0], b[1], b[2],
			b[3], b[4], b[5], side, b[0] ^ 2, b[1], b[2], b[3], b[4], b[5]);
}

static int
add_direction(struct bfm_model *m, const struct bfm_function *from, const struct bfm_function *to)
{
	char source[128], target[128], text[512];

	station_words(from, "src", source, sizeof(source));
	station_words(to, "dst", target, sizeof(target));
	snprintf(text, sizeof(text), "dev %s ingress prio 1 protocol ipv6 flower skip_sw %s %s "
			"ip_proto udp dst_port 4791 action mirred egress redirect dev %s",
			from->conf.name, source, target, to->conf.name);
	return add_rule(m, text);
}

static int
add_pair(struct bfm_model *m, const char *text)
{
	const char *slash = strchr(text, '/');
	const struct bfm_function *a, *b;
	char name[64];
	int ret;

	if (slash == NULL || (size_t)(slash - text) >= sizeof(name)) {
		fprintf(stderr, "--allow %s: name two functions, as pf0vf0/ecpf0vf0\n", text);
		return -EINVAL;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(slash - text), text);
	a = bfm_function_find(m, name);
	b = bfm_function_find(m, slash + 1);
	if (a == NULL || b == NULL) {
		fprintf(stderr, "--allow %s: there is no function %s; add it with --function\n",
				text, a == NULL ? name : slash + 1);
		return -EINVAL;
	}
	ret = add_direction(m, a, b);
	return ret != 0 ? ret : add_direction(m, b, a);
}

static int
start(struct bfm_model *m, const struct options *o)
{
	char path[PATH_MAX];
	uint32_t i;
	int ret;

	if (mkdir(o->dir, 0700) < 0 && errno != EEXIST) {
		fprintf(stderr, "--dir %s: cannot be made: %s; its parent has to be there\n",
				o->dir, strerror(errno));
		return -errno;
	}
	for (i = 0; i < o->nb_functions; i++) {
		ret = add_function(m, o, o->functions[i]);
		if (ret != 0)
			return ret;
	}
	for (i = 0; i < o->nb_faults; i++) {
		ret = add_fault(m, o->faults[i]);
		if (ret != 0)
			return ret;
	}
	for (i = 0; i < o->nb_rules; i++) {
		ret = add_rule(m, o->rules[i]);
		if (ret != 0)
			return ret;
	}
	for (i = 0; i < o->nb_pairs; i++) {
		ret = add_pair(m, o->pairs[i]);
		if (ret != 0)
			return ret;
	}
	if (o->capture != NULL) {
		ret = bfm_capture_open(m, o->capture);
		if (ret != 0) {
			fprintf(stderr, "--capture %s: %s; give a file that can be written\n",
					o->capture, strerror(-ret));
			return ret;
		}
	}
	snprintf(path, sizeof(path), "%s/control", o->dir);
	return bfm_control_open(m, path);
}

/* Signals come as a descriptor; a connection that goes away is no signal at all. */
static int
signals_open(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int
main(int argc, char **argv)
{
	struct options o = { .level = BFM_INFO, .latency = BFM_LATENCY_ONE, .seed = 1 };
	struct bfm_model m = { .quit = false };
	struct rlimit limit;
	int signal_fd, ret;

	ret = parse_options(argc, argv, &o);
	if (ret != 0)
		return ret > 0 ? EXIT_SUCCESS : 2;

	bfm_clock_read(&m);
	m.latency = o.latency;
	m.seed = o.seed;
	/* a client that maps its memory page by page gives a descriptor for each */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	ret = bfm_log_open(o.log, o.level);
	if (ret != 0) {
		fprintf(stderr, "--log %s: %s; give a file that can be written\n", o.log,
				strerror(-ret));
		return EXIT_FAILURE;
	}
	signal_fd = signals_open();
	ret = signal_fd < 0 ? signal_fd : bfm_dma_init();
	if (ret == 0)
		ret = start(&m, &o);
	if (ret == 0)
		ret = bfm_engine_start(&m);
	if (ret == 0) {
		printf("ready: %u functions in %s\n", m.nb_functions, o.dir);
		fflush(stdout);
		run(&m, signal_fd, o.until_eof);
	}

	bfm_engine_stop(&m);
	bfm_control_close();
	bfm_capture_close();
	while (m.nb_functions > 0)
		bfm_function_destroy(m.functions[0]);
	bfm_engine_destroy(&m);
	if (signal_fd >= 0)
		close(signal_fd);
	bfm_log_close();
	return ret == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
