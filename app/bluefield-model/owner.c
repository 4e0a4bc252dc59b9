/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Pages from owners: asked for, given, refused, taken back, lost. Who the owner of a
 * function is, and what he is like, is in giver.c. The ECPF also enables the host, for
 * which the operator or a client stands. Pages that a function is given by its own
 * client are in cmd_pages.c.
 */

#include <errno.h>

#include "engine.h"

/* Ours: firmware wants a page more for every so many objects. */
#define OBJECTS_PER_PAGE 16u
#define CLIENT_POLL_MS 10

/*
 * Ask and give back
 */

void
bfm_supply_came(struct bfm_function *f, uint32_t n)
{
	struct bfm_owner *o = bfm_owner_of(f);
	struct bfm_supply *s = &f->supply;

	s->given += n;
	s->total_given += n;
	o->given += n;
	o->total_given += n;
	s->wanted -= n;
	bfm_log(f, BFM_DEBUG, "%u pages from the owner, firmware has %u", n, s->given);
	if (s->wanted == 0)
		f->resume(f);
}

void
bfm_supply_went(struct bfm_function *f, uint32_t n)
{
	struct bfm_owner *o = bfm_owner_of(f);

	f->supply.total_taken += n;
	o->given -= n;
	o->total_taken += n;
	bfm_log(f, BFM_DEBUG, "%u pages back to the owner", n);
}

void
bfm_supply_refuse(struct bfm_function *f)
{
	struct bfm_supply *s = &f->supply;

	if (s->wanted == 0)
		return;
	bfm_log(f, BFM_INFO, "the owner cannot give %u pages", s->wanted);
	bfm_owner_of(f)->refused += s->wanted;
	s->wanted = 0;
	s->refused = true;
	f->resume(f);
}

static void
give_back(struct bfm_function *f, uint32_t n)
{
	f->supply.given -= n;
	if (bfm_supply_giver(f) != NULL)
		bfm_pages_offer(f, n);
	else
		bfm_supply_went(f, n);
}

/* What is on its way comes, or is refused, or stays where it is. */
static void
supply_try(struct bfm_function *f)
{
	struct bfm_owner *o = bfm_owner_of(f);
	struct bfm_supply *s = &f->supply;

	if (s->wanted == 0 || o->dead || o->killed || f->model->now_ms < s->due_ms)
		return;
	if (bfm_supply_giver(f) != NULL)
		s->asked = s->asked || bfm_pages_ask(f, s->wanted);
	else if (o->is_short && (o->given > o->short_pages ||
			s->wanted > o->short_pages - o->given))
		bfm_supply_refuse(f);
	else
		bfm_supply_came(f, s->wanted);
}

int
bfm_supply_want(struct bfm_function *f, uint32_t pages)
{
	struct bfm_owner *o = bfm_owner_of(f);
	struct bfm_supply *s = &f->supply;

	if (!s->refused && s->given < pages && s->wanted == 0) {
		s->wanted = pages - s->given;
		s->asked = false;
		s->due_ms = f->model->now_ms + o->slow_ms;
		o->requests++;
		bfm_log(f, BFM_DEBUG, "the owner is asked for %u pages", s->wanted);
		supply_try(f);
	}
	if (s->refused) {
		s->refused = false;
		return -ENOMEM;
	}
	return s->given >= pages ? 0 : -EAGAIN;
}

void
bfm_supply_keep(struct bfm_function *f, uint32_t pages)
{
	struct bfm_supply *s = &f->supply;

	s->wanted = 0;
	s->refused = false;
	if (s->given > pages)
		give_back(f, s->given - pages);
}

/* What a command needs firmware to have before it runs; 0: nothing new. */
static uint32_t
needs(const struct bfm_cmd *c)
{
	const struct bfm_function *f = c->f;

	switch (c->opcode) {
	case 0x104: /* ENABLE_HCA */
		return f->hca == BFM_HCA_DISABLED ? f->conf.boot_pages : 0;
	case 0x102: /* INIT_HCA */
		return f->conf.boot_pages + f->conf.init_pages;
	case 0x200: /* CREATE_MKEY */
	case 0x301: /* CREATE_EQ */
	case 0x400: /* CREATE_CQ */
	case 0x500: /* CREATE_QP */
	case 0x700: /* CREATE_SRQ */
	case 0x705: /* CREATE_XRC_SRQ */
	case 0x90c: /* CREATE_RMP */
		return f->conf.boot_pages + f->conf.init_pages +
				bfm_objects_count(f, BFM_NB_TYPES) / OBJECTS_PER_PAGE + 1;
	default:
		return 0;
	}
}

bool
bfm_supply_ready(struct bfm_cmd *c, enum bfm_status *status)
{
	int ret = bfm_supplied(c->f) ? bfm_supply_want(c->f, needs(c)) : 0;

	if (ret == 0)
		return true;
	if (ret == -EAGAIN)
		c->suspend = true;
	else
		*status = bfm_fail(c, BFM_LIMIT,
				"the owner of its PF could not give the pages that it needs");
	return false;
}

int
bfm_supply_tick(struct bfm_function *f)
{
	const struct bfm_owner *o = bfm_owner_of(f);
	struct bfm_supply *s = &f->supply;

	if (s->wanted == 0)
		return -1;
	supply_try(f);
	if (s->wanted == 0 || s->asked || o->dead || o->killed)
		return -1;
	if (f->model->now_ms < s->due_ms)
		return (int)(s->due_ms - f->model->now_ms);
	return CLIENT_POLL_MS; /* nobody listens there yet */
}

/*
 * The owner
 */

/* What the owner gave for this function is gone. */
static void
lose(struct bfm_function *f, bool take, const char *why)
{
	struct bfm_owner *o = bfm_owner_of(f);
	struct bfm_supply *s = &f->supply;
	uint32_t pages = s->given;
	uint32_t gone = bfm_supply_giver(f) != NULL ? bfm_pages_lose(f, take) : pages;

	o->given -= gone;
	o->total_void += gone;
	s->total_void += gone;
	s->given = 0;
	f->lost(f, pages, why);
}

int
bfm_owner_killed(struct bfm_function *f)
{
	const struct bfm_owner *o = bfm_owner_of(f);
	struct bfm_model *m = f->model;
	uint32_t i;

	for (i = 0; i < m->nb_functions; i++)
		if (bfm_owner_of(m->functions[i]) == o && bfm_supply_giver(m->functions[i]) != NULL)
			return -EBUSY; /* that client can be killed */
	bfm_owner_of(f)->killed = true;
	for (i = 0; i < m->nb_functions; i++)
		if (bfm_supplied(m->functions[i]) && bfm_owner_of(m->functions[i]) == o)
			lose(m->functions[i], false,
					"the owner of its PF, or of the ECPF, was killed");
	return 0;
}

uint32_t
bfm_supply_lent(const struct bfm_function *f)
{
	const struct bfm_model *m = f->model;
	uint32_t i, n = 0;

	for (i = 0; f->conf.pages_client && i < m->nb_functions; i++)
		if (bfm_supply_giver(m->functions[i]) == f)
			n += bfm_pages_given(m->functions[i]);
	return n;
}

void
bfm_supply_end(struct bfm_function *f, bool take)
{
	struct bfm_model *m = f->model;
	uint32_t i;

	for (i = 0; f->conf.pages_client && i < m->nb_functions; i++)
		if (bfm_supply_giver(m->functions[i]) == f && bfm_pages_given(m->functions[i]) != 0)
			lose(m->functions[i], take, "who gave its pages has ended");
}

/* What a function of the host loses when nobody on the card enables it any more. */
static void
host_lose(struct bfm_function *ecpf)
{
	struct bfm_model *m = ecpf->model;
	uint32_t i;

	for (i = 0; i < m->nb_functions; i++)
		if (m->functions[i]->conf.port == ecpf->conf.port && bfm_host_off(m->functions[i]))
			lose(m->functions[i], true, "the card's side has ended or disabled it");
}

void
bfm_host_enable(struct bfm_function *f, bool enable)
{
	bool was = f->host_enabled;

	f->host_enabled = enable;
	if (was && !enable)
		host_lose(f);
}

void
bfm_host_up(struct bfm_function *f, bool up)
{
	bool was = f->host_up;

	f->host_up = up && f->conf.kind == BFM_ECPF;
	if (was && !up)
		host_lose(f);
}
