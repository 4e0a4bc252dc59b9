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
/* Words of keys that take no value, and of those that may be "all". */
#define FLAG INT64_MIN
#define COUNT INT64_MAX

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

/* A word "name=<number>", or "name" if its greatest value is FLAG. */
struct key {
	const char *name;
	int64_t min;
	int64_t max;
	int64_t value;
	bool given;
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
number(struct parse *p, const char *text, int64_t min, int64_t max, int64_t *value)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(text, &end, 0);
	if (errno != 0 || end == text || *end != '\0' || v < min || v > max)
		return wrong(p, "'%s': not a number from %jd to %jd", text, (intmax_t)min,
				(intmax_t)max);
	*value = v;
	return 0;
}

static int
key_parse(struct parse *p, struct key *key, const char *value)
{
	key->given = true;
	if (key->max != COUNT || strcmp(value, "all") != 0)
		return number(p, value, key->min, key->max, &key->value);
	key->value = (int64_t)BFM_ALL;
	return 0;
}

/* All words behind the first, of these keys; one that is none of them is an error. */
static int
keys_parse(struct parse *p, struct key *keys, size_t nb)
{
	struct key *key;
	char *value;
	int i;

	for (i = 1; i < p->nb; i++) {
		value = strchr(p->words[i], '=');
		if (value != NULL)
			*value++ = '\0';
		for (key = keys; key != keys + nb; key++)
			if (strcmp(p->words[i], key->name) == 0 &&
					(key->max == FLAG) == (value == NULL))
				break;
		if (key == keys + nb)
			return wrong(p, "'%s': no word of '%s'", p->words[i], p->words[0]);
		if (value == NULL)
			key->given = true;
		else if (key_parse(p, key, value) != 0)
			return -EINVAL;
	}
	return 0;
}

#define KEYS_PARSE(p, keys) keys_parse((p), (keys), sizeof(keys) / sizeof((keys)[0]))

/*
 * cmd
 */

/* Take the word opcode=<number or name> out of the line. */
static int
opcode_parse(struct parse *p, uint16_t *opcode)
{
	const struct bfm_cmd_desc *desc;
	const char *text = NULL;
	int64_t v = 0;
	int i, nb = 0;

	for (i = 0; i < p->nb; i++) {
		if (strncmp(p->words[i], "opcode=", 7) == 0)
			text = p->words[i] + 7;
		else
			p->words[nb++] = p->words[i];
	}
	p->nb = nb;
	if (text == NULL)
		return -EINVAL;
	if (*text >= '0' && *text <= '9') {
		if (number(p, text, 0, UINT16_MAX, &v) != 0)
			return -EINVAL;
		*opcode = (uint16_t)v;
		return 0;
	}
	desc = bfm_cmd_named(text);
	if (desc == NULL)
		return wrong(p, "'%s': no command has this name; give one as INIT_HCA, or its "
			"number", text);
	*opcode = desc->opcode;
	return 0;
}

static int
parse_cmd(struct parse *p)
{
	enum { OP_MOD, TIMES, STATUS, SYNDROME, DELIVERY, DELAY, PAGES, NO_ANSWER, NO_EVENT,
		GARBAGE };
	struct key keys[] = {
		[OP_MOD] = { .name = "op_mod", .max = UINT16_MAX },
		[TIMES] = { .name = "count", .min = 1, .max = UINT32_MAX },
		[STATUS] = { .name = "status", .max = UINT8_MAX },
		[SYNDROME] = { .name = "syndrome", .max = UINT32_MAX },
		[DELIVERY] = { .name = "delivery", .max = INT8_MAX },
		[DELAY] = { .name = "delay", .min = 1, .max = MAX_MS },
		[PAGES] = { .name = "page-request", .min = -65536, .max = 65536 },
		[NO_ANSWER] = { .name = "no-answer", .max = FLAG },
		[NO_EVENT] = { .name = "no-event", .max = FLAG },
		[GARBAGE] = { .name = "garbage", .max = FLAG },
	};
	struct bfm_fault *fault;
	uint16_t opcode = 0;
	bool any = false;
	size_t k;

	if (opcode_parse(p, &opcode) != 0 || KEYS_PARSE(p, keys) != 0)
		return -EINVAL;
	for (k = STATUS; k < sizeof(keys) / sizeof(keys[0]); k++)
		any |= keys[k].given && k != SYNDROME;
	if (!any || (keys[SYNDROME].given && !keys[STATUS].given))
		return -EINVAL;
	fault = malloc(sizeof(*fault));
	if (fault == NULL)
		return wrong(p, "'cmd': the model has no memory");
	*fault = (struct bfm_fault){
		.opcode = opcode,
		.any_op_mod = !keys[OP_MOD].given,
		.op_mod = (uint16_t)keys[OP_MOD].value,
		.count = (uint64_t)keys[TIMES].value,
		.what = {
			.no_answer = keys[NO_ANSWER].given,
			.no_event = keys[NO_EVENT].given,
			.garbage = keys[GARBAGE].given,
			.set_status = keys[STATUS].given,
			.status = (uint8_t)keys[STATUS].value,
			.syndrome = (uint32_t)keys[SYNDROME].value,
			.set_delivery = keys[DELIVERY].given,
			.delivery = (uint8_t)keys[DELIVERY].value,
			.delay_ms = (uint32_t)keys[DELAY].value,
			.page_request = (int32_t)keys[PAGES].value,
		},
	};
	TAILQ_INSERT_TAIL(&p->f->faults->list, fault, next);
	return 0;
}

/*
 * The others
 */

static int
parse_health(struct parse *p)
{
	struct key keys[] = {
		{ .name = "synd", .min = 1, .max = UINT8_MAX },
		{ .name = "ext", .max = UINT16_MAX },
	};

	if (KEYS_PARSE(p, keys) != 0 || !keys[0].given)
		return -EINVAL;
	bfm_card_fatal(p->f, (uint8_t)keys[0].value, (uint16_t)keys[1].value,
			"a fault that was asked for");
	return 0;
}

/* One word out of two. */
static int
choice(struct parse *p, const char *yes, const char *no, bool *value)
{
	*value = strcmp(p->words[1], yes) == 0;
	return *value || strcmp(p->words[1], no) == 0 ? 0 : -EINVAL;
}

static int
parse_counter(struct parse *p)
{
	int64_t ms = 0;
	bool stop;
	int ret;

	if (p->nb == 3 && strcmp(p->words[1], "pause") == 0) {
		ret = number(p, p->words[2], 1, MAX_MS, &ms);
		if (ret == 0)
			bfm_iseg_counter_pause(p->f, (uint64_t)ms);
		return ret;
	}
	ret = p->nb == 2 ? choice(p, "stop", "run", &stop) : -EINVAL;
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
		p->f->iseg->bus_dead = dead;
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

	if (!bfm_mac_parse(p->words[1], &mac))
		return wrong(p, "'%s': no MAC address, as 02:00:00:00:00:01, or 0", p->words[1]);
	bfm_vport_set_mac(p->f, mac);
	return 0;
}

static int
parse_mtu(struct parse *p)
{
	int64_t v = 0;
	int ret = number(p, p->words[1], 0, BFM_MTU_LIMIT, &v);

	if (ret == 0)
		bfm_vport_set_mtu(p->f, (uint32_t)v);
	return ret;
}

/* Types of events that CREATE_EQ refuses from now on. */
static int
parse_events(struct parse *p)
{
	struct key keys[] = { { .name = "refuse", .max = INT64_MAX - 1 } };
	int ret = KEYS_PARSE(p, keys);

	if (ret == 0)
		p->f->events_refused = (uint64_t)keys[0].value;
	return ret;
}

static int
parse_nic_state(struct parse *p)
{
	int64_t v = 0;
	int ret = number(p, p->words[1], 0, 7, &v);

	if (ret != 0)
		return ret;
	p->f->iseg->nic_state = (uint8_t)v;
	p->f->iseg->nic_forced = true;
	return 0;
}

static int
parse_init_busy(struct parse *p)
{
	bool forever = strcmp(p->words[1], "forever") == 0;
	int64_t v = 0;

	if (!forever && number(p, p->words[1], 0, MAX_MS, &v) != 0)
		return -EINVAL;
	p->f->iseg->busy_until = forever ? BFM_FOREVER : p->f->model->now_ms + (uint64_t)v;
	return 0;
}

static int
parse_flr(struct parse *p)
{
	int64_t v = 0;
	int ret = number(p, p->words[1], 0, MAX_MS, &v);

	if (ret != 0)
		return ret;
	p->f->iseg->flr_set = true;
	p->f->iseg->flr_ms = (uint32_t)v;
	return 0;
}

static int
parse_pages(struct parse *p)
{
	struct key keys[] = { { .name = "wanted", .min = -65536, .max = 65536 } };
	int ret = KEYS_PARSE(p, keys);

	if (ret != 0 || keys[0].value == 0)
		return -EINVAL;
	ret = bfm_pages_request(p->f, (int32_t)keys[0].value);
	if (ret == -ENODEV)
		return wrong(p, "'pages': no event queue of the client takes page requests; "
				"have it bring the function up first");
	if (ret != 0)
		return wrong(p, "'%jd': firmware has %u pages", (intmax_t)keys[0].value,
				bfm_pages_given(p->f));
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
	enum { SLOW, SHORT, DEAD, KILLED, ALIVE };
	struct key keys[] = {
		[SLOW] = { .name = "slow", .max = MAX_MS },
		[SHORT] = { .name = "short", .max = UINT32_MAX },
		[DEAD] = { .name = "dead", .max = FLAG },
		[KILLED] = { .name = "killed", .max = FLAG },
		[ALIVE] = { .name = "alive", .max = FLAG },
	};
	struct bfm_owner *o = bfm_owner_of(p->f);

	if (KEYS_PARSE(p, keys) != 0)
		return -EINVAL;
	if (keys[SLOW].given)
		o->slow_ms = (uint32_t)keys[SLOW].value;
	if (keys[SHORT].given) {
		o->is_short = true;
		o->short_pages = (uint32_t)keys[SHORT].value;
	}
	if (keys[DEAD].given)
		o->dead = true;
	if (keys[KILLED].given && bfm_owner_killed(p->f) != 0)
		return wrong(p, "'killed': the owner is a client: kill that, or unplug its function");
	if (keys[ALIVE].given)
		bfm_owner_alive(p->f);
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

	if (strcmp(p->words[1], "overrun") != 0)
		return -EINVAL;
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
	char *value = strchr(p->words[1], '=');
	int64_t v = 0;
	int ret;

	if (value == NULL || number(p, value + 1, 0, INT64_MAX, &v) != 0)
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

static int
parse_net(struct parse *p)
{
	struct bfm_net_faults *net = &p->f->net;
	struct key keys[] = {
		{ .name = "drop", .max = COUNT, .value = (int64_t)net->drop },
		{ .name = "doorbells", .max = COUNT, .value = (int64_t)net->bells },
		{ .name = "cqes", .max = COUNT, .value = (int64_t)net->cqes },
		{ .name = "records", .max = COUNT, .value = (int64_t)net->records },
		{ .name = "posts", .max = COUNT, .value = (int64_t)net->posts },
		{ .name = "delay", .max = MAX_MS, .value = net->delay_ms },
		{ .name = "acks", .max = MAX_MS, .value = net->acks_ms },
	};
	int ret = p->nb < 2 ? -EINVAL : KEYS_PARSE(p, keys);

	if (ret != 0)
		return ret;
	net->drop = (uint64_t)keys[0].value;
	net->bells = (uint64_t)keys[1].value;
	net->cqes = (uint64_t)keys[2].value;
	net->records = (uint64_t)keys[3].value;
	net->posts = (uint64_t)keys[4].value;
	net->delay_ms = (uint32_t)keys[5].value;
	net->acks_ms = (uint32_t)keys[6].value;
	return 0;
}

static int
parse_unplug(struct parse *p)
{
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

/* words: how many there are, with the first; 0: as many as there are keys. */
static const struct {
	const char *word;
	int words;
	const char *usage;
	int (*parse)(struct parse *p);
} verbs[] = {
	{ "cmd", 0, "opcode=<number or name> [op_mod=] [count=], and one or more of no-answer, "
		"no-event, status= [syndrome=], delivery=, delay=, garbage, page-request=",
		parse_cmd },
	{ "health", 0, "synd=<1 to 255> [ext=<n>]", parse_health },
	{ "counter", 0, "stop|run|pause <ms>", parse_counter },
	{ "nic-state", 2, "<0 to 7>", parse_nic_state },
	{ "init-busy", 2, "<ms>|forever", parse_init_busy },
	{ "bus", 2, "dead|alive", parse_bus },
	{ "pages", 2, "wanted=<n>, n above or below 0", parse_pages },
	{ "host", 2, "up|down", parse_host },
	{ "owner", 2, "slow=<ms>|short=<pages>|dead|killed|alive", parse_owner },
	{ "eq", 2, "overrun", parse_eq },
	{ "flr", 2, "<ms>", parse_flr },
	{ "port", 2, "down|up", parse_port },
	{ "mac", 2, "<address>", parse_mac },
	{ "mtu", 2, "<bytes>", parse_mtu },
	{ "events", 2, "refuse=<mask>, bit 9 for events of type 9", parse_events },
	{ "cap", 2, "<name>=<value>", parse_cap },
	{ "net", 0, "drop=<n>|doorbells=<n>|cqes=<n>|records=<n>|posts=<n>|delay=<ms>|acks=<ms>",
		parse_net },
	{ "unplug", 1, "", parse_unplug },
	{ "clear", 1, "", parse_clear },
};

static int
verb_parse(struct parse *p, size_t i)
{
	int ret;

	p->err[0] = '\0';
	ret = verbs[i].words == 0 || verbs[i].words == p->nb ? verbs[i].parse(p) : -EINVAL;
	if (ret != 0 && p->err[0] == '\0')
		wrong(p, "write it as: %s %s", verbs[i].word, verbs[i].usage);
	return ret;
}

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
			return verb_parse(&p, i);
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
