/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Faults that a test asks for: the grammar, and how they are printed. What a fault does
 * is where it happens: those that wait for their command are found in cmdq.c.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

#define MAX_WORDS 16
#define MAX_LINE 256
/* Ours: a test that wants longer wants "forever". */
#define MAX_MS (24u * 3600 * 1000)

#define KNOWN_FAULTS "known are " BFM_FAULTS ", clear"

#define EV_PORT_DOWN 1
#define EV_PORT_ACTIVE 4
#define EV_PORT_NUM_OFF 8

/* More than any event queue has room for. */
#define OVERRUN_EVENTS (1u << 20)

struct parse {
	struct bfm_function *f;
	char *words[MAX_WORDS];
	int nb;
	char *err;
	size_t err_size;
};

static int wrong(struct parse *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int
wrong(struct parse *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(p->err, p->err_size, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static int
number(struct parse *p, const char *word, const char *text, int64_t min, int64_t max,
		int64_t *value)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(text, &end, 0);
	if (errno != 0 || end == text || *end != '\0' || v < min || v > max)
		return wrong(p, "'%s': not a number from %jd to %jd", word, (intmax_t)min,
				(intmax_t)max);
	*value = v;
	return 0;
}

/* The value of "key=value", or NULL if the word has another key. */
static const char *
value_of(const char *word, const char *key)
{
	size_t len = strlen(key);

	return strncmp(word, key, len) == 0 && word[len] == '=' ? word + len + 1 : NULL;
}

/* "key=<number>": 1 if it is that key and fine, 0 if it is not that key. */
static int
keyed(struct parse *p, const char *word, const char *key, int64_t min, int64_t max, int64_t *value)
{
	const char *text = value_of(word, key);
	int ret;

	if (text == NULL)
		return 0;
	ret = number(p, word, text, min, max, value);
	return ret != 0 ? ret : 1;
}

static int
exactly(struct parse *p, int nb, const char *grammar)
{
	if (p->nb == nb)
		return 0;
	if (p->nb > nb)
		return wrong(p, "'%s': too much: %s", p->words[nb], grammar);
	return wrong(p, "'%s': too little: %s", p->words[0], grammar);
}

/*
 * cmd
 */

static int
opcode_of(struct parse *p, const char *word, const char *text, uint16_t *opcode)
{
	const struct bfm_cmd_desc *desc;
	int64_t v = 0;

	if (*text >= '0' && *text <= '9') {
		if (number(p, word, text, 0, UINT16_MAX, &v) != 0)
			return -EINVAL;
		*opcode = (uint16_t)v;
		return 0;
	}
	desc = bfm_cmd_named(text);
	if (desc == NULL)
		return wrong(p, "'%s': no command has this name; give one as INIT_HCA, or its "
			"number", word);
	*opcode = desc->opcode;
	return 0;
}

/* One word of what shall happen: 1 if it was one. */
static int
action(struct parse *p, const char *word, struct bfm_cmd_fault *what, bool *syndrome)
{
	int64_t v = 0;
	int ret;

	if (strcmp(word, "no-answer") == 0) {
		what->no_answer = true;
		return 1;
	}
	if (strcmp(word, "no-event") == 0) {
		what->no_event = true;
		return 1;
	}
	if (strcmp(word, "garbage") == 0) {
		what->garbage = true;
		return 1;
	}
	ret = keyed(p, word, "status", 0, UINT8_MAX, &v);
	if (ret != 0) {
		what->set_status = true;
		what->status = (uint8_t)v;
		return ret;
	}
	ret = keyed(p, word, "syndrome", 0, UINT32_MAX, &v);
	if (ret != 0) {
		*syndrome = true;
		what->syndrome = (uint32_t)v;
		return ret;
	}
	ret = keyed(p, word, "delivery", 0, INT8_MAX, &v);
	if (ret != 0) {
		what->set_delivery = true;
		what->delivery = (uint8_t)v;
		return ret;
	}
	ret = keyed(p, word, "delay", 1, MAX_MS, &v);
	if (ret != 0) {
		what->delay_ms = (uint32_t)v;
		return ret;
	}
	ret = keyed(p, word, "page-request", -65536, 65536, &v);
	if (ret != 0)
		what->page_request = (int32_t)v;
	return ret;
}

static int
parse_cmd(struct parse *p)
{
	struct bfm_fault fault = { .any_op_mod = true };
	struct bfm_fault *new;
	bool opcode = false;
	bool syndrome = false;
	bool any = false;
	const char *text;
	int64_t v = 0;
	int ret = 0;
	int i;

	for (i = 1; i < p->nb && ret >= 0; i++) {
		const char *word = p->words[i];

		text = value_of(word, "opcode");
		if (text != NULL) {
			ret = opcode_of(p, word, text, &fault.opcode);
			opcode = true;
			continue;
		}
		ret = keyed(p, word, "op_mod", 0, UINT16_MAX, &v);
		if (ret > 0) {
			fault.any_op_mod = false;
			fault.op_mod = (uint16_t)v;
			continue;
		}
		if (ret == 0)
			ret = keyed(p, word, "count", 1, UINT32_MAX, &v);
		else
			break;
		if (ret > 0) {
			fault.count = (uint64_t)v;
			continue;
		}
		if (ret == 0)
			ret = action(p, word, &fault.what, &syndrome);
		if (ret == 0)
			return wrong(p, "'%s': not a word of cmd, which are opcode=, op_mod=, "
					"count=, no-answer, no-event, status=, syndrome=, "
					"delivery=, delay=, garbage, page-request=", word);
		any = true;
	}
	if (ret < 0)
		return ret;
	if (!opcode)
		return wrong(p, "'cmd': needs opcode=<number or name>");
	if (!any)
		return wrong(p,
				"'cmd': needs one of no-answer, no-event, status=, delivery=, "
				"delay=, garbage, page-request=");
	if (syndrome && !fault.what.set_status)
		return wrong(p, "'syndrome': only together with status=");
	new = malloc(sizeof(*new));
	if (new == NULL)
		return wrong(p, "'cmd': the model has no memory");
	*new = fault;
	TAILQ_INSERT_TAIL(&p->f->faults->list, new, next);
	return 0;
}

/*
 * The others
 */

static int
parse_health(struct parse *p)
{
	int64_t synd = 0;
	int64_t ext = 0;
	int ret = 0;
	int i;

	for (i = 1; i < p->nb; i++) {
		ret = keyed(p, p->words[i], "synd", 1, UINT8_MAX, &synd);
		if (ret == 0)
			ret = keyed(p, p->words[i], "ext", 0, UINT16_MAX, &ext);
		if (ret < 0)
			return ret;
		if (ret == 0)
			return wrong(p, "'%s': not a word of health, which are synd=, ext=",
					p->words[i]);
	}
	if (synd == 0)
		return wrong(p, "'health': needs synd=<1 to 255>");
	bfm_card_fatal(p->f, (uint8_t)synd, (uint16_t)ext, "a fault that was asked for");
	return 0;
}

/* One word out of two. */
static int
choice(struct parse *p, const char *yes, const char *no, bool *value)
{
	char grammar[64];

	snprintf(grammar, sizeof(grammar), "%s %s|%s", p->words[0], yes, no);
	if (exactly(p, 2, grammar) != 0)
		return -EINVAL;
	*value = strcmp(p->words[1], yes) == 0;
	if (!*value && strcmp(p->words[1], no) != 0)
		return wrong(p, "'%s': neither %s nor %s", p->words[1], yes, no);
	return 0;
}

static int
parse_counter(struct parse *p)
{
	int64_t ms = 0;
	bool stop;
	int ret;

	if (p->nb == 3 && strcmp(p->words[1], "pause") == 0) {
		ret = number(p, p->words[2], p->words[2], 1, MAX_MS, &ms);
		if (ret == 0)
			bfm_iseg_counter_pause(p->f, (uint64_t)ms);
		return ret;
	}
	ret = choice(p, "stop", "run", &stop);
	if (ret == 0)
		bfm_iseg_counter(p->f, stop);
	return ret;
}

static int
parse_bus(struct parse *p)
{
	bool dead;
	int ret = choice(p, "dead", "alive", &dead);

	if (ret == 0)
		bfm_iseg_bus(p->f, dead);
	return ret;
}

static int
parse_port(struct parse *p)
{
	uint8_t data[28] = { 0 };
	bool down;
	int ret = choice(p, "down", "up", &down);

	if (ret != 0)
		return ret;
	p->f->port_down = down;
	data[EV_PORT_NUM_OFF] = (uint8_t)(bfm_vport_port(p->f) << 4);
	if (p->f->hca == BFM_HCA_INITIALISED && bfm_event_wanted(p->f, BFM_EV_PORT_CHANGE))
		bfm_event_post(p->f, BFM_EV_PORT_CHANGE, down ? EV_PORT_DOWN : EV_PORT_ACTIVE,
				data);
	return 0;
}

static int
parse_mac(struct parse *p)
{
	uint64_t mac;

	if (exactly(p, 2, "mac <address>") != 0)
		return -EINVAL;
	if (!bfm_mac_parse(p->words[1], &mac))
		return wrong(p, "'%s': no MAC address, as 02:00:00:00:00:01, or 0", p->words[1]);
	bfm_vport_set_mac(p->f, mac);
	return 0;
}

static int
parse_mtu(struct parse *p)
{
	int64_t v = 0;

	if (exactly(p, 2, "mtu <bytes>") != 0 ||
			number(p, p->words[1], p->words[1], 0, BFM_MTU_LIMIT, &v) != 0)
		return -EINVAL;
	bfm_vport_set_mtu(p->f, (uint32_t)v);
	return 0;
}

/* Types of events that CREATE_EQ refuses from now on. */
static int
parse_events(struct parse *p)
{
	int64_t mask = 0;
	int ret;

	if (exactly(p, 2, "events refuse=<mask>") != 0)
		return -EINVAL;
	ret = keyed(p, p->words[1], "refuse", 0, INT64_MAX, &mask);
	if (ret < 0)
		return ret;
	if (ret == 0)
		return wrong(p, "'%s': not refuse=<mask>, bit 9 for events of type 9",
				p->words[1]);
	p->f->events_refused = (uint64_t)mask;
	return 0;
}

static int
parse_nic_state(struct parse *p)
{
	int64_t v = 0;

	if (exactly(p, 2, "nic-state <0 to 7>") != 0 ||
			number(p, p->words[1], p->words[1], 0, 7, &v) != 0)
		return -EINVAL;
	bfm_iseg_nic_state(p->f, (uint8_t)v);
	return 0;
}

static int
parse_init_busy(struct parse *p)
{
	int64_t v = 0;

	if (exactly(p, 2, "init-busy <ms>|forever") != 0)
		return -EINVAL;
	if (strcmp(p->words[1], "forever") == 0) {
		bfm_iseg_init_busy(p->f, BFM_FOREVER);
		return 0;
	}
	if (number(p, p->words[1], p->words[1], 0, MAX_MS, &v) != 0)
		return -EINVAL;
	bfm_iseg_init_busy(p->f, (uint64_t)v);
	return 0;
}

static int
parse_flr(struct parse *p)
{
	int64_t v = 0;

	if (exactly(p, 2, "flr <ms>") != 0 ||
			number(p, p->words[1], p->words[1], 0, MAX_MS, &v) != 0)
		return -EINVAL;
	bfm_iseg_flr_ms(p->f, (uint32_t)v);
	return 0;
}

static int
parse_pages(struct parse *p)
{
	int64_t v = 0;
	int ret;

	if (exactly(p, 2, "pages wanted=<n>") != 0)
		return -EINVAL;
	ret = keyed(p, p->words[1], "wanted", -65536, 65536, &v);
	if (ret < 0)
		return ret;
	if (ret == 0 || v == 0)
		return wrong(p, "'%s': not wanted=<n>, n above or below 0", p->words[1]);
	ret = bfm_pages_request(p->f, (int32_t)v);
	if (ret == -ENODEV)
		return wrong(p, "'pages': no event queue of the client takes page requests; "
				"have it bring the function up first");
	if (ret != 0)
		return wrong(p, "'%s': firmware has %u pages", p->words[1], bfm_pages_given(p->f));
	return 0;
}

static int
parse_host(struct parse *p)
{
	bool up;
	int ret = choice(p, "up", "down", &up);

	if (ret == 0 && p->f->conf.kind != BFM_ECPF)
		return wrong(p, "'host': of ecpf0 and ecpf1 only");
	if (ret == 0)
		bfm_host_up(p->f, up);
	return ret;
}

static int
parse_owner(struct parse *p)
{
	int64_t v = 0;
	int ret;

	if (exactly(p, 2, "owner slow=<ms>|short=<pages>|dead|killed|alive") != 0)
		return -EINVAL;
	ret = keyed(p, p->words[1], "slow", 0, MAX_MS, &v);
	if (ret > 0)
		bfm_owner_slow(p->f, (uint32_t)v);
	if (ret == 0) {
		ret = keyed(p, p->words[1], "short", 0, UINT32_MAX, &v);
		if (ret > 0)
			bfm_owner_short(p->f, (uint32_t)v);
	}
	if (ret != 0)
		return ret < 0 ? ret : 0;
	if (strcmp(p->words[1], "dead") == 0)
		bfm_owner_dead(p->f);
	else if (strcmp(p->words[1], "killed") == 0)
		ret = bfm_owner_killed(p->f);
	else if (strcmp(p->words[1], "alive") == 0)
		bfm_owner_alive(p->f);
	else
		return wrong(p, "'%s': not a word of owner, which are slow=, short=, dead, "
				"killed, alive", p->words[1]);
	if (ret != 0)
		return wrong(p, "'killed': the owner is a client: kill that, or unplug its function");
	return 0;
}

/*
 * Events until a queue is full, which is a real overrun. Empty command events do no
 * harm to a client that still reads them.
 */
static int
parse_eq(struct parse *p)
{
	static const enum bfm_event types[] = {
		BFM_EV_PORT_CHANGE,
		BFM_EV_CMD,
		BFM_EV_PAGE_REQUEST,
	};
	struct bfm_function *f = p->f;
	uint8_t data[28] = { 0 };
	size_t t;
	uint32_t i;

	if (exactly(p, 2, "eq overrun") != 0)
		return -EINVAL;
	if (strcmp(p->words[1], "overrun") != 0)
		return wrong(p, "'%s': not overrun", p->words[1]);
	for (t = 0; t < sizeof(types) / sizeof(types[0]); t++)
		if (f->hca == BFM_HCA_INITIALISED && bfm_event_wanted(f, types[t]))
			break;
	if (t == sizeof(types) / sizeof(types[0]))
		return wrong(p, "'eq': the client has no event queue for asynchronous events; "
				"have it bring the function up first");
	if (types[t] == BFM_EV_PORT_CHANGE)
		data[EV_PORT_NUM_OFF] = (uint8_t)(bfm_vport_port(f) << 4);
	for (i = 0; i < OVERRUN_EVENTS && !bfm_iseg_fatal(f) && bfm_event_wanted(f, types[t]); i++)
		bfm_event_post(f, types[t], types[t] == BFM_EV_PORT_CHANGE ? EV_PORT_ACTIVE : 0,
				data);
	return 0;
}

static int
parse_cap(struct parse *p)
{
	char *value;
	int64_t v = 0;
	int ret;

	if (exactly(p, 2, "cap <name>=<value>") != 0)
		return -EINVAL;
	value = strchr(p->words[1], '=');
	if (value == NULL)
		return wrong(p, "'%s': not <name>=<value>", p->words[1]);
	if (number(p, p->words[1], value + 1, 0, INT64_MAX, &v) != 0)
		return -EINVAL;
	*value = '\0';
	ret = bfm_caps_force(p->f, p->words[1], (uint64_t)v);
	if (ret == -ENOENT)
		return wrong(p, "'%s': no such capability; the control command dump lists them",
				p->words[1]);
	if (ret != 0)
		return wrong(p, "'%s': %jd is too large for it", p->words[1], (intmax_t)v);
	return 0;
}

/* How many of them: a number, or all. */
static int
parse_net_count(struct parse *p, const char *word, const char *text, uint64_t *count)
{
	int64_t v = 0;

	if (strcmp(text, "all") == 0) {
		*count = BFM_ALL;
		return 0;
	}
	if (number(p, word, text, 0, INT64_MAX, &v) != 0)
		return -EINVAL;
	*count = (uint64_t)v;
	return 0;
}

static int
parse_net(struct parse *p)
{
	struct bfm_net_faults net = p->f->net;
	const struct {
		const char *key;
		uint64_t *count;
	} counts[] = {
		{ "drop", &net.drop },
		{ "doorbells", &net.bells },
		{ "cqes", &net.cqes },
		{ "records", &net.records },
		{ "posts", &net.posts },
	};
	const char *word, *text;
	int64_t v = 0;
	uint32_t *ms;
	size_t k;
	int i;

	if (p->nb < 2)
		return wrong(p, "'net': too little: net drop=<n>|doorbells=<n>|cqes=<n>|"
				"records=<n>|posts=<n>|delay=<ms>|acks=<ms>");
	for (i = 1; i < p->nb; i++) {
		word = p->words[i];
		text = NULL;
		for (k = 0; k < sizeof(counts) / sizeof(counts[0]) && text == NULL; k++) {
			text = value_of(word, counts[k].key);
			if (text != NULL && parse_net_count(p, word, text, counts[k].count) != 0)
				return -EINVAL;
		}
		if (text != NULL)
			continue;
		text = value_of(word, "delay");
		ms = &net.delay_ms;
		if (text == NULL) {
			text = value_of(word, "acks");
			ms = &net.acks_ms;
		}
		if (text == NULL)
			return wrong(p, "'%s': not drop=<n>, doorbells=<n>, cqes=<n>, records=<n>, "
					"posts=<n>, delay=<ms> or acks=<ms>", word);
		if (number(p, word, text, 0, MAX_MS, &v) != 0)
			return -EINVAL;
		*ms = (uint32_t)v;
	}
	p->f->net = net;
	return 0;
}

static int
parse_unplug(struct parse *p)
{
	if (exactly(p, 1, "unplug") != 0)
		return -EINVAL;
	bfm_log(p->f, BFM_INFO, "unplugged");
	p->f->gone = true;
	bfm_server_hang_up(p->f);
	return 0;
}

static void
list_clear(struct bfm_faults *faults)
{
	struct bfm_fault *fault;

	while ((fault = TAILQ_FIRST(&faults->list)) != NULL) {
		TAILQ_REMOVE(&faults->list, fault, next);
		free(fault);
	}
}

static int
parse_clear(struct parse *p)
{
	if (exactly(p, 1, "clear") != 0)
		return -EINVAL;
	list_clear(p->f->faults);
	bfm_iseg_clear(p->f);
	bfm_caps_unforce(p->f);
	bfm_owner_alive(p->f);
	bfm_host_up(p->f, !p->f->conf.host_down);
	bfm_vport_restore(p->f);
	p->f->events_refused = 0;
	memset(&p->f->net, 0, sizeof(p->f->net));
	if (p->f->gone) {
		p->f->gone = false; /* plugged in again, as after power-on */
		bfm_function_reset(p->f);
	}
	return 0;
}

static const struct {
	const char *word;
	int (*parse)(struct parse *p);
} verbs[] = {
	{ "cmd", parse_cmd },
	{ "health", parse_health },
	{ "counter", parse_counter },
	{ "nic-state", parse_nic_state },
	{ "init-busy", parse_init_busy },
	{ "bus", parse_bus },
	{ "pages", parse_pages },
	{ "host", parse_host },
	{ "owner", parse_owner },
	{ "eq", parse_eq },
	{ "flr", parse_flr },
	{ "port", parse_port },
	{ "mac", parse_mac },
	{ "mtu", parse_mtu },
	{ "events", parse_events },
	{ "cap", parse_cap },
	{ "net", parse_net },
	{ "unplug", parse_unplug },
	{ "clear", parse_clear },
};

int
bfm_fault_parse(struct bfm_function *f, const char *line, char *err, size_t err_size)
{
	struct parse p = { .f = f, .err = err, .err_size = err_size };
	char copy[MAX_LINE];
	char *save = NULL;
	char *word;
	size_t i;

	if (strlen(line) >= sizeof(copy))
		return wrong(&p, "the line is longer than %zu bytes", sizeof(copy) - 1);
	strcpy(copy, line);
	for (word = strtok_r(copy, " \t\r\n", &save); word != NULL;
			word = strtok_r(NULL, " \t\r\n", &save)) {
		if (p.nb == MAX_WORDS)
			return wrong(&p, "'%s': more than %d words", word, MAX_WORDS);
		p.words[p.nb++] = word;
	}
	if (p.nb == 0)
		return wrong(&p, "no fault is named; " KNOWN_FAULTS);
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(p.words[0], verbs[i].word) == 0)
			return verbs[i].parse(&p);
	return wrong(&p, "'%s': no such fault; " KNOWN_FAULTS, p.words[0]);
}

void
bfm_faults_dump(const struct bfm_function *f, FILE *out)
{
	const struct bfm_cmd_desc *desc;
	const struct bfm_fault *fault;

	bfm_iseg_dump(f, out);
	fprintf(out, "faults hits=%ju port_down=%u gone=%u\n", (uintmax_t)f->faults->hits,
			f->port_down, f->gone);
	TAILQ_FOREACH(fault, &f->faults->list, next) {
		const struct bfm_cmd_fault *what = &fault->what;

		desc = bfm_cmd_find(fault->opcode);
		fprintf(out, "fault cmd opcode=0x%03x name=%s", fault->opcode,
				desc != NULL ? desc->name : "unknown");
		if (!fault->any_op_mod)
			fprintf(out, " op_mod=%u", fault->op_mod);
		if (fault->count != 0)
			fprintf(out, " count=%ju", (uintmax_t)fault->count);
		if (what->no_answer)
			fprintf(out, " no-answer");
		if (what->no_event)
			fprintf(out, " no-event");
		if (what->set_status)
			fprintf(out, " status=0x%02x syndrome=0x%06x", what->status,
					what->syndrome);
		if (what->set_delivery)
			fprintf(out, " delivery=0x%02x", what->delivery);
		if (what->delay_ms != 0)
			fprintf(out, " delay=%u", what->delay_ms);
		if (what->garbage)
			fprintf(out, " garbage");
		if (what->page_request != 0)
			fprintf(out, " page-request=%d", what->page_request);
		fprintf(out, "\n");
	}
}

int
bfm_faults_create(struct bfm_function *f)
{
	f->faults = calloc(1, sizeof(*f->faults));
	if (f->faults == NULL)
		return -ENOMEM;
	TAILQ_INIT(&f->faults->list);
	return 0;
}

void
bfm_faults_destroy(struct bfm_function *f)
{
	if (f->faults == NULL)
		return;
	list_clear(f->faults);
	free(f->faults);
	f->faults = NULL;
}
