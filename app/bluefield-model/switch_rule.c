/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Rules of the switch in the words of tc: their grammar, how they are printed, and
 * which packets they take. Where packets go is in switch.c.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "switch_rule.h"

#define MAX_WORDS 48
#define MAX_LINE 512
#define MAX_PRIO 16u /* of firmware without ignore_flow_level */
#define IP_PROTO_UDP 17u
#define ALL_BITS 128u
#define V4_BITS 96u /* of a GID, before the IPv4 address in it */

#define FLOWER_WORDS "src_mac, dst_mac, src_ip, dst_ip, ip_proto, src_port, dst_port, skip_sw"
#define ACTIONS "action drop, action mirred egress redirect dev <name>"

struct parse {
	struct bfm_model *model;
	struct bfm_rule *rule;
	char *words[MAX_WORDS + 1]; /* NULL behind the last */
	int at;
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

static const char *
here(const struct parse *p)
{
	return p->words[p->at];
}

/* Takes the word if it is there. */
static bool
take(struct parse *p, const char *word)
{
	if (here(p) == NULL || strcmp(here(p), word) != 0)
		return false;
	p->at++;
	return true;
}

/* The value behind a word, which has been taken. */
static const char *
value(struct parse *p)
{
	return here(p) == NULL ? NULL : p->words[p->at++];
}

static int
number(struct parse *p, const char *word, uint32_t min, uint32_t max, uint32_t *n)
{
	const char *text = value(p);
	unsigned long v;
	char *end;

	if (text == NULL)
		return wrong(p, "'%s': needs a number behind it, as %s %u", word, word, min);
	errno = 0;
	v = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || errno != 0 || *end != '\0' || v < min || v > max)
		return wrong(p, "'%s %s': give a number from %u to %u", word, text, min, max);
	*n = (uint32_t)v;
	return 0;
}

/* pf0hpf is the representor of pf0, by the rules of udev on a card. */
#define PF_SUFFIX "hpf"

static struct bfm_swport *
swport_find(struct bfm_model *m, const char *name)
{
	size_t len = strlen(name), suffix = strlen(PF_SUFFIX);
	char pf[BFM_NAME_SIZE] = "";
	struct bfm_function *f;
	uint32_t i;

	if (len > suffix && len < sizeof(pf) && strcmp(name + len - suffix, PF_SUFFIX) == 0)
		memcpy(pf, name, len - suffix);
	f = bfm_function_find(m, pf[0] != '\0' ? pf : name);
	if (f != NULL && (pf[0] == '\0' || f->conf.kind == BFM_PF))
		return f->swport;
	for (i = 0; i < NB_NOBODY * BFM_NB_PORTS; i++) {
		if (strcmp(m->sw->nobody[i].name, name) == 0)
			return &m->sw->nobody[i];
	}
	return NULL;
}

static int
device(struct parse *p, struct bfm_swport **port)
{
	const char *text = value(p);

	if (text == NULL)
		return wrong(p, "'dev': needs the name of a function behind it, as dev pf0vf0");
	*port = swport_find(p->model, text);
	if (*port == NULL)
		return wrong(p, "'dev %s': no such vport; name one of the command \"switch dump\"",
				text);
	if (bfm_swport_ib(*port))
		return wrong(p, "'dev %s': its port is InfiniBand, which forwards by LID without "
				"rules; give rules for functions with port=eth", text);
	return 0;
}

/* ------------------------------------------------------------- keys */

static int
mac_key(struct parse *p, const char *word, uint64_t *mac)
{
	const char *text = value(p);

	if (text != NULL && strcmp(text, "0") != 0 && bfm_mac_parse(text, mac))
		return 0;
	return wrong(p, "'%s %s': give a MAC address without mask, as %s 02:00:00:00:00:01", word,
			text != NULL ? text : "", word);
}

static int
ip_key(struct parse *p, const char *word, struct bfm_rule_ip *ip)
{
	const char *text = value(p);
	bool v4 = p->rule->protocol == BFM_PROTOCOL_IPV4;
	uint32_t max = v4 ? 32 : ALL_BITS;
	char *slash, *end;
	unsigned long bits = max;

	if (p->rule->protocol == BFM_PROTOCOL_ALL)
		return wrong(p, "'%s': needs \"protocol ipv6\" before flower", word);
	if (text == NULL)
		return wrong(p, "'%s': needs an address behind it, as %s %s", word, word,
				v4 ? "10.0.0.1" : "fe80::1");
	slash = strchr(text, '/');
	if (slash != NULL) {
		*slash = '\0';
		bits = strtoul(slash + 1, &end, 10);
		if (slash[1] < '0' || slash[1] > '9' || *end != '\0' || bits > max)
			return wrong(p, "'%s %s/%s': give a prefix of 0 to %u bits", word, text,
					slash + 1, max);
	}
	memset(ip, 0, sizeof(*ip));
	if (v4)
		memset(ip->addr + 10, 0xff, 2);
	if (inet_pton(v4 ? AF_INET : AF_INET6, text, v4 ? ip->addr + V4_BITS / 8 : ip->addr) != 1)
		return wrong(p, "'%s %s': is no IPv%u address, as %s", word, text, v4 ? 4 : 6,
				v4 ? "10.0.0.1" : "fe80::1");
	ip->bits = (uint32_t)bits + (v4 ? V4_BITS : 0);
	return 0;
}

static int
udp_key(struct parse *p)
{
	const char *text = value(p);

	if (p->rule->protocol == BFM_PROTOCOL_ALL)
		return wrong(p, "'ip_proto': needs \"protocol ipv6\" before flower");
	if (text == NULL || (strcmp(text, "udp") != 0 && strcmp(text, "17") != 0))
		return wrong(p, "'ip_proto %s': give udp, as RoCE is in UDP",
				text != NULL ? text : "");
	return 0;
}

static int
port_key(struct parse *p, const char *word, uint16_t *port)
{
	uint32_t n = 0;
	int ret;

	if ((p->rule->has & BFM_RULE_IP_PROTO) == 0)
		return wrong(p, "'%s': needs \"ip_proto udp\" before it", word);
	ret = number(p, word, 0, UINT16_MAX, &n);
	*port = (uint16_t)n;
	return ret;
}

static int
key_value(struct parse *p, const char *word, uint32_t key)
{
	struct bfm_rule *r = p->rule;

	switch (key) {
	case BFM_RULE_SRC_MAC:
		return mac_key(p, word, &r->src_mac);
	case BFM_RULE_DST_MAC:
		return mac_key(p, word, &r->dst_mac);
	case BFM_RULE_SRC_IP:
		return ip_key(p, word, &r->src_ip);
	case BFM_RULE_DST_IP:
		return ip_key(p, word, &r->dst_ip);
	case BFM_RULE_IP_PROTO:
		return udp_key(p);
	case BFM_RULE_SRC_PORT:
		return port_key(p, word, &r->src_port);
	default:
		return port_key(p, word, &r->dst_port);
	}
}

static const struct {
	const char *word;
	uint32_t key;
} keys[] = {
	{ "src_mac", BFM_RULE_SRC_MAC },
	{ "dst_mac", BFM_RULE_DST_MAC },
	{ "src_ip", BFM_RULE_SRC_IP },
	{ "dst_ip", BFM_RULE_DST_IP },
	{ "ip_proto", BFM_RULE_IP_PROTO },
	{ "src_port", BFM_RULE_SRC_PORT },
	{ "dst_port", BFM_RULE_DST_PORT },
};
#define NB_KEYS (sizeof(keys) / sizeof(keys[0]))

/* Words of flower, up to the action. */
static int
match(struct parse *p)
{
	const char *word;
	size_t i;
	int ret;

	while (here(p) != NULL && strcmp(here(p), "action") != 0) {
		if (take(p, "skip_sw"))
			continue;
		word = value(p);
		if (strcmp(word, "skip_hw") == 0)
			return wrong(p, "'skip_hw': the switch is hardware: leave it out");
		for (i = 0; i < NB_KEYS && strcmp(word, keys[i].word) != 0; i++)
			;
		if (i == NB_KEYS)
			return wrong(p, "'%s': no word of flower; known are " FLOWER_WORDS, word);
		if ((p->rule->has & keys[i].key) != 0)
			return wrong(p, "'%s': given twice; leave one out", word);
		ret = key_value(p, word, keys[i].key);
		if (ret != 0)
			return ret;
		p->rule->has |= keys[i].key;
	}
	return 0;
}

/* ---------------------------------------------------------- the rest */

static int
action(struct parse *p)
{
	static const char *const words[] = { "mirred", "egress", "redirect", "dev" };
	struct bfm_rule *r = p->rule;
	size_t i;
	int ret;

	if (!take(p, "action"))
		return wrong(p, "'flower': the rule has no action; end it with " ACTIONS);
	if (!take(p, "drop")) {
		for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
			if (!take(p, words[i]))
				return wrong(p, "'%s': not \"%s\"; actions are " ACTIONS,
						here(p) != NULL ? here(p) : "action", words[i]);
		}
		ret = device(p, &r->to);
		if (ret != 0)
			return ret;
		if (r->dev->port != r->to->port)
			return wrong(p, "'redirect dev %s': of another port of the card than %s, "
					"and the switch of a port has its own vports only; name "
					"one of those", r->to->name,
					r->dev->name);
	}
	if (here(p) != NULL)
		return wrong(p, "'%s': behind the action; leave it out", here(p));
	return 0;
}

static int
protocol(struct parse *p)
{
	static const struct {
		const char *word;
		enum bfm_rule_protocol protocol;
	} known[] = {
		{ "all", BFM_PROTOCOL_ALL },
		{ "ip", BFM_PROTOCOL_IPV4 },
		{ "ipv6", BFM_PROTOCOL_IPV6 },
	};
	const char *text = value(p);
	size_t i;

	for (i = 0; text != NULL && i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(text, known[i].word) != 0)
			continue;
		p->rule->protocol = known[i].protocol;
		return 0;
	}
	return wrong(p, "'protocol %s': give ipv6, ip or all", text != NULL ? text : "");
}

/* dev <name> ingress prio <n> protocol <p>, in any order, up to the classifier. */
static int
head(struct parse *p, bool *ingress)
{
	struct bfm_rule *r = p->rule;
	int ret = 0;

	*ingress = false;
	while (here(p) != NULL && ret == 0) {
		if (take(p, "dev")) {
			ret = device(p, &r->dev);
			if (ret == 0 && r->dev->f == NULL)
				ret = wrong(p, "'dev %s': only functions send; name one of the "
						"command \"list\"", r->dev->name);
		} else if (take(p, "ingress")) {
			*ingress = true;
		} else if (take(p, "prio") || take(p, "pref")) {
			ret = number(p, "prio", 1, MAX_PRIO, &r->prio);
		} else if (take(p, "protocol")) {
			ret = protocol(p);
		} else if (strcmp(here(p), "flower") == 0) {
			break;
		} else if (strcmp(here(p), "matchall") == 0) {
			ret = wrong(p, "'matchall': mlx5 takes it for rate limits only; what flower "
					"matches without keys is everything: flower skip_sw");
		} else {
			ret = wrong(p, "'%s': not dev, ingress, prio, protocol or flower; begin as "
					"dev pf0vf0 ingress prio 1 protocol ipv6 flower", here(p));
		}
	}
	return ret;
}

static int
rule(struct parse *p, enum bfm_rule_extent *extent)
{
	struct bfm_rule *r = p->rule;
	bool ingress;
	int ret;

	if (take(p, "tc") && !take(p, "filter"))
		return wrong(p, "'tc': the only thing of tc that is here is \"tc filter\"");
	(void)(take(p, "add") || take(p, "del"));
	ret = head(p, &ingress);
	if (ret != 0)
		return ret;
	if (r->dev == NULL)
		return wrong(p, "'dev': is missing; say whose packets these are, as dev pf0vf0");
	if (!ingress)
		return wrong(p, "'ingress': is missing behind dev %s; the switch looks at packets "
				"as they come in, and nowhere else", r->dev->name);
	*extent = r->prio == 0 ? BFM_RULE_DEV : BFM_RULE_PRIO;
	if (here(p) == NULL)
		return 0;
	if (r->prio == 0)
		return wrong(p, "'prio': is missing before %s; give prio 1 to %u", here(p),
				MAX_PRIO);
	*extent = BFM_RULE_WHOLE;
	(void)take(p, "flower");
	ret = match(p);
	return ret != 0 ? ret : action(p);
}

int
bfm_rule_parse(struct bfm_model *m, const char *text, struct bfm_rule *r,
		enum bfm_rule_extent *extent, char *err, size_t err_size)
{
	struct parse p = { .model = m, .rule = r, .err = err, .err_size = err_size };
	char copy[MAX_LINE], *save = NULL, *word;
	int nb = 0;

	memset(r, 0, sizeof(*r));
	if (strlen(text) >= sizeof(copy))
		return wrong(&p, "the rule is longer than %zu characters", sizeof(copy) - 1);
	strcpy(copy, text);
	for (word = strtok_r(copy, " \t\r\n", &save); word != NULL;
			word = strtok_r(NULL, " \t\r\n", &save)) {
		if (nb == MAX_WORDS)
			return wrong(&p, "'%s': more than %d words", word, MAX_WORDS);
		p.words[nb++] = word;
	}
	return rule(&p, extent);
}

/* ------------------------------------------------------------- print */

static void
print_mac(const char *word, uint64_t mac, FILE *out)
{
	int shift;

	fprintf(out, " %s ", word);
	for (shift = 40; shift >= 0; shift -= 8)
		fprintf(out, "%02x%s", (unsigned int)(mac >> shift & 0xff), shift > 0 ? ":" : "");
}

static void
print_ip(const char *word, const struct bfm_rule *r, const struct bfm_rule_ip *ip, FILE *out)
{
	bool v4 = r->protocol == BFM_PROTOCOL_IPV4;
	char text[INET6_ADDRSTRLEN];

	inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? ip->addr + V4_BITS / 8 : ip->addr, text,
			sizeof(text));
	fprintf(out, " %s %s", word, text);
	if (ip->bits != ALL_BITS)
		fprintf(out, "/%u", ip->bits - (v4 ? V4_BITS : 0));
}

void
bfm_rule_print(const struct bfm_rule *r, FILE *out)
{
	static const char *const protocols[] = {
		[BFM_PROTOCOL_ALL] = "all",
		[BFM_PROTOCOL_IPV4] = "ip",
		[BFM_PROTOCOL_IPV6] = "ipv6",
	};

	fprintf(out, "dev %s ingress prio %u protocol %s flower skip_sw", r->dev->name,
			r->prio, protocols[r->protocol]);
	if ((r->has & BFM_RULE_SRC_MAC) != 0)
		print_mac("src_mac", r->src_mac, out);
	if ((r->has & BFM_RULE_DST_MAC) != 0)
		print_mac("dst_mac", r->dst_mac, out);
	if ((r->has & BFM_RULE_SRC_IP) != 0)
		print_ip("src_ip", r, &r->src_ip, out);
	if ((r->has & BFM_RULE_DST_IP) != 0)
		print_ip("dst_ip", r, &r->dst_ip, out);
	if ((r->has & BFM_RULE_IP_PROTO) != 0)
		fprintf(out, " ip_proto udp");
	if ((r->has & BFM_RULE_SRC_PORT) != 0)
		fprintf(out, " src_port %u", r->src_port);
	if ((r->has & BFM_RULE_DST_PORT) != 0)
		fprintf(out, " dst_port %u", r->dst_port);
	if (r->to == NULL)
		fprintf(out, " action drop");
	else
		fprintf(out, " action mirred egress redirect dev %s", r->to->name);
}

/* ------------------------------------------------------------- match */

static bool
ip_matches(const struct bfm_rule_ip *ip, const uint8_t gid[16])
{
	uint32_t bytes = ip->bits / 8, rest = ip->bits % 8;

	if (memcmp(ip->addr, gid, bytes) != 0)
		return false;
	return rest == 0 || (ip->addr[bytes] ^ gid[bytes]) >> (8 - rest) == 0;
}

bool
bfm_rule_matches(const struct bfm_rule *r, const struct bfm_packet *pkt)
{
	/* tc takes the ethertype behind the addresses, and that is another one with a VLAN */
	if (r->protocol != BFM_PROTOCOL_ALL && (pkt->vlan || pkt->l3 !=
			(r->protocol == BFM_PROTOCOL_IPV6 ? BFM_L3_IPV6 : BFM_L3_IPV4)))
		return false;
	/* all of RoCE v2 is UDP */
	return ((r->has & BFM_RULE_IP_PROTO) == 0 || !pkt->not_udp) &&
			((r->has & BFM_RULE_SRC_MAC) == 0 || r->src_mac == pkt->smac) &&
			((r->has & BFM_RULE_DST_MAC) == 0 || r->dst_mac == pkt->dmac) &&
			((r->has & BFM_RULE_SRC_IP) == 0 || ip_matches(&r->src_ip, pkt->sgid)) &&
			((r->has & BFM_RULE_DST_IP) == 0 || ip_matches(&r->dst_ip, pkt->dgid)) &&
			((r->has & BFM_RULE_SRC_PORT) == 0 || r->src_port == pkt->udp_sport) &&
			((r->has & BFM_RULE_DST_PORT) == 0 || r->dst_port == pkt->udp_dport);
}

static bool
same_ip(const struct bfm_rule_ip *a, const struct bfm_rule_ip *b)
{
	return a->bits == b->bits && memcmp(a->addr, b->addr, sizeof(a->addr)) == 0;
}

bool
bfm_rule_same(const struct bfm_rule *a, const struct bfm_rule *b)
{
	return a->dev == b->dev && a->prio == b->prio && a->protocol == b->protocol &&
			a->has == b->has &&
			a->src_mac == b->src_mac && a->dst_mac == b->dst_mac &&
			same_ip(&a->src_ip, &b->src_ip) && same_ip(&a->dst_ip, &b->dst_ip) &&
			a->src_port == b->src_port && a->dst_port == b->dst_port;
}

const char *
bfm_rule_too_wide(const struct bfm_rule *r)
{
	if (r->to == NULL)
		return NULL;
	if ((r->has & BFM_RULE_SRC_MAC) == 0)
		return "src_mac: the function can send as another station";
	if ((r->has & BFM_RULE_SRC_IP) == 0 || r->src_ip.bits != ALL_BITS)
		return "src_ip: the function can send from another address";
	return NULL;
}
