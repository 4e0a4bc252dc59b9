/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The embedded switch: one of each port of the card, whose vports exchange nothing
 * without a rule of the operator, and one InfiniBand fabric, which forwards by LID.
 * Counters of both. The words of rules are in switch_rule.c.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "switch_rule.h"
#include "vport.h"

#define MAX_RULES 1024u
#define DEFAULT_PREFIX UINT64_C(0xfe80000000000000)

static const char *const drop_names[NB_DROPS] = {
	[DROP_NO_RULE] = "no-rule",
	[DROP_RULE] = "rule",
	[DROP_SENDER_DOWN] = "sender-down",
	[DROP_NO_LID] = "no-lid",
	[DROP_LINK_DOWN] = "link-down",
	[DROP_ROCE_OFF] = "roce-off",
	[DROP_NO_ADDRESS] = "no-address",
};

/* ------------------------------------------------------------ vports */

static int
create(struct bfm_model *m)
{
	static const char *const nobody[NB_NOBODY] = { "uplink", "manager" };
	struct bfm_swport *p;
	uint32_t i;

	m->sw = calloc(1, sizeof(*m->sw));
	if (m->sw == NULL)
		return -ENOMEM;
	TAILQ_INIT(&m->sw->rules);
	for (i = 0; i < NB_NOBODY * BFM_NB_PORTS; i++) {
		p = &m->sw->nobody[i];
		p->port = i / NB_NOBODY;
		snprintf(p->name, sizeof(p->name), "%s%u", nobody[i % NB_NOBODY], p->port);
	}
	return 0;
}

int
bfm_switch_join(struct bfm_function *f)
{
	struct bfm_swport *p;

	if (f->model->sw == NULL && create(f->model) != 0)
		return -ENOMEM;
	/* there are as many as functions can be */
	for (p = f->model->sw->ports; p->f != NULL; p++)
		;
	memset(p, 0, sizeof(*p));
	p->f = f;
	p->port = f->conf.port;
	snprintf(p->name, sizeof(p->name), "%s", f->conf.name);
	f->swport = p;
	f->model->sw->nb_ports++;
	return 0;
}

static void
rule_remove(struct bfm_switch *sw, struct bfm_rule *r)
{
	TAILQ_REMOVE(&sw->rules, r, next);
	sw->nb_rules--;
	free(r);
}

void
bfm_switch_leave(struct bfm_function *f)
{
	struct bfm_switch *sw = f->model->sw;
	struct bfm_rule *r, *next;

	if (f->swport == NULL)
		return;
	for (r = TAILQ_FIRST(&sw->rules); r != NULL; r = next) {
		next = TAILQ_NEXT(r, next);
		if (r->dev == f->swport || r->to == f->swport)
			rule_remove(sw, r);
	}
	f->swport->f = NULL;
	f->swport = NULL;
	if (--sw->nb_ports == 0) {
		free(sw);
		f->model->sw = NULL;
	}
}

/* ------------------------------------------------------------- rules */

static struct bfm_rule *
find_same(struct bfm_switch *sw, const struct bfm_rule *like)
{
	struct bfm_rule *r;

	TAILQ_FOREACH(r, &sw->rules, next) {
		if (bfm_rule_same(r, like))
			return r;
	}
	return NULL;
}

int
bfm_switch_rule_add(struct bfm_model *m, const char *text, FILE *out, char *err, size_t err_size)
{
	enum bfm_rule_extent extent = BFM_RULE_DEV;
	struct bfm_rule *r, *after;
	struct bfm_rule rule;
	const char *open;
	int ret;

	ret = bfm_rule_parse(m, text, &rule, &extent, err, err_size);
	if (ret != 0)
		return ret;
	if (extent != BFM_RULE_WHOLE) {
		snprintf(err, err_size, "'ingress': the rule ends before flower, and an "
				"action; end it as: prio 16 flower skip_sw action drop");
		return -EINVAL;
	}
	if (find_same(m->sw, &rule) != NULL) {
		snprintf(err, err_size, "'prio %u': %s has a rule of this prio for the same "
				"packets; delete that one first, with rule del", rule.prio,
				rule.dev->name);
		return -EEXIST;
	}
	TAILQ_FOREACH(after, &m->sw->rules, next) {
		if (after->dev != rule.dev || after->prio != rule.prio ||
				after->protocol == rule.protocol)
			continue;
		snprintf(err, err_size, "'prio %u': %s has a rule of this prio for another "
				"protocol; give another prio", rule.prio, rule.dev->name);
		return -EINVAL;
	}
	r = m->sw->nb_rules < MAX_RULES ? malloc(sizeof(*r)) : NULL;
	if (r == NULL) {
		snprintf(err, err_size, "no room for more than %u rules; delete some, with rule "
				"del", m->sw->nb_rules);
		return -ENOSPC;
	}
	*r = rule;
	TAILQ_FOREACH(after, &m->sw->rules, next) {
		if (after->prio > r->prio)
			break;
	}
	if (after != NULL)
		TAILQ_INSERT_BEFORE(after, r, next);
	else
		TAILQ_INSERT_TAIL(&m->sw->rules, r, next);
	m->sw->nb_rules++;
	open = bfm_rule_too_wide(r);
	if (open != NULL && out != NULL)
		fprintf(out, "note: the rule has no full %s\n", open);
	return 0;
}

int
bfm_switch_rule_del(struct bfm_model *m, const char *text, FILE *out, char *err, size_t err_size)
{
	enum bfm_rule_extent extent = BFM_RULE_DEV;
	struct bfm_rule like, *r, *next;
	uint32_t nb = 0;
	int ret;

	ret = bfm_rule_parse(m, text, &like, &extent, err, err_size);
	if (ret != 0)
		return ret;
	for (r = TAILQ_FIRST(&m->sw->rules); r != NULL; r = next) {
		next = TAILQ_NEXT(r, next);
		if (r->dev != like.dev || (extent != BFM_RULE_DEV && r->prio != like.prio) ||
				(extent == BFM_RULE_WHOLE &&
				(!bfm_rule_same(r, &like) || r->to != like.to)))
			continue;
		rule_remove(m->sw, r);
		nb++;
	}
	if (nb == 0) {
		snprintf(err, err_size, "'dev %s': no rule like that; \"switch dump\" lists them",
				like.dev->name);
		return -ENOENT;
	}
	if (out != NULL)
		fprintf(out, "deleted %u\n", nb);
	return 0;
}

/* -------------------------------------------------------- forwarding */

static int
dropped(struct bfm_swport *p, enum drop reason, int error)
{
	p->drops[reason]++;
	return error;
}

static void
count(struct count *c, const struct bfm_packet *pkt)
{
	c->packets++;
	c->bytes += pkt->len;
}

/* Has the function this address, with this MAC address? */
static bool
has_address(const struct bfm_function *f, const struct bfm_packet *pkt)
{
	const struct bfm_roce_entry *e;
	uint32_t i;

	for (i = 0; i < BFM_VHCA_PORTS * BFM_ROCE_ENTRIES; i++) {
		e = &f->vport->roce[i / BFM_ROCE_ENTRIES][i % BFM_ROCE_ENTRIES];
		if (e->set && memcmp(e->raw, pkt->dgid, sizeof(pkt->dgid)) == 0 &&
				BFM_GET(e->raw, ROCE_ADDR, source_mac) == pkt->dmac)
			return true;
	}
	return false;
}

static int
deliver(struct bfm_swport *p, const struct bfm_packet *pkt, struct bfm_function **to)
{
	if (!bfm_vport_up(p->f))
		return dropped(p, DROP_LINK_DOWN, -ENETDOWN);
	if (!pkt->ib && !pkt->frame && !bfm_vport_roce(p->f))
		return dropped(p, DROP_ROCE_OFF, -EHOSTUNREACH);
	if (!pkt->ib && !pkt->frame && !has_address(p->f, pkt))
		return dropped(p, DROP_NO_ADDRESS, -EADDRNOTAVAIL);
	count(&p->received, pkt);
	*to = p->f;
	return 0;
}

static int
forward_by_rules(struct bfm_switch *sw, struct bfm_swport *from, const struct bfm_packet *pkt,
		struct bfm_function **to)
{
	struct bfm_rule *r;

	TAILQ_FOREACH(r, &sw->rules, next) {
		if (r->dev == from && bfm_rule_matches(r, pkt))
			break;
	}
	if (r == NULL)
		return dropped(from, DROP_NO_RULE, -EACCES);
	r->packets++;
	r->bytes += pkt->len;
	if (r->to == NULL)
		return dropped(from, DROP_RULE, -EACCES);
	if (r->to->f != NULL)
		return deliver(r->to, pkt, to);
	count(&r->to->received, pkt);
	return -ENOLINK;
}

/* A LID is of one port of the fabric; a GID, if there is one, has to be of the same. */
static int
forward_by_lid(struct bfm_switch *sw, struct bfm_swport *from, const struct bfm_packet *pkt,
		struct bfm_function **to)
{
	struct bfm_swport *p;
	const uint8_t *hca;
	uint32_t i;

	for (i = 0; i < BFM_MAX_FUNCTIONS; i++) {
		p = &sw->ports[i];
		if (!bfm_swport_ib(p))
			continue;
		hca = p->f->vport->hca;
		if (BFM_GET(hca, HCAV, lid) != pkt->dlid)
			continue;
		if (pkt->grh && (bfm_bits_get(pkt->dgid, 0, 64) != DEFAULT_PREFIX ||
				bfm_bits_get(pkt->dgid, 64, 64) != BFM_GET(hca, HCAV, port_guid)))
			return dropped(p, DROP_NO_ADDRESS, -EADDRNOTAVAIL);
		return deliver(p, pkt, to);
	}
	return dropped(from, DROP_NO_LID, -EHOSTUNREACH);
}

int
bfm_switch_forward(struct bfm_function *from, const struct bfm_packet *pkt,
		struct bfm_function **to)
{
	struct bfm_switch *sw = from->model->sw;
	struct bfm_swport *p = from->swport;

	*to = NULL;
	count(&p->sent, pkt);
	if (!bfm_vport_up(from))
		return dropped(p, DROP_SENDER_DOWN, -ENETDOWN);
	if (from->conf.ib_port)
		return forward_by_lid(sw, p, pkt, to);
	return forward_by_rules(sw, p, pkt, to);
}

/* -------------------------------------------------------------- dump */

static void
dump_port(const struct bfm_swport *p, FILE *out)
{
	uint32_t i;

	fprintf(out, "vport %s ", p->name);
	if (p->f != NULL)
		fprintf(out, "mac=%012" PRIx64 " ",
				BFM_GET(p->f->vport->nic, NICV, permanent_address));
	fprintf(out, "port=%u fabric=%s sent=%" PRIu64 " sent_bytes=%" PRIu64
			" received=%" PRIu64 " received_bytes=%" PRIu64, p->port,
			bfm_swport_ib(p) ? "ib" : "eth", p->sent.packets, p->sent.bytes,
			p->received.packets, p->received.bytes);
	for (i = 0; i < NB_DROPS; i++)
		fprintf(out, " %s=%" PRIu64, drop_names[i], p->drops[i]);
	fputc('\n', out);
}

void
bfm_switch_dump(const struct bfm_model *m, FILE *out)
{
	const struct bfm_switch *sw = m->sw;
	const struct bfm_rule *r;
	uint32_t i;

	for (i = 0; i < m->nb_functions; i++)
		dump_port(m->functions[i]->swport, out);
	for (i = 0; i < NB_NOBODY * BFM_NB_PORTS; i++)
		dump_port(&sw->nobody[i], out);
	TAILQ_FOREACH(r, &sw->rules, next) {
		fprintf(out, "rule ");
		bfm_rule_print(r, out);
		fprintf(out, " packets=%" PRIu64 " bytes=%" PRIu64 "\n", r->packets, r->bytes);
	}
}
