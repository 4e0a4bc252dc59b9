/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Who gives pages for functions that do not ask for their own: the owner of the PF
 * for its VFs, and in DPU mode the owner of the ECPF for all functions of the host.
 * That is the kernel of the machine with the PF, which the operator of the model
 * plays here: it can be slow, short of memory, dead, or killed with all it gave. How
 * pages come and go is in owner.c.
 */

#include "engine.h"

/* The ECPF of the port of a function, in DPU mode; NULL if the model has none. */
static struct bfm_function *
dpu_of(const struct bfm_function *f)
{
	struct bfm_function *g;
	uint32_t i;

	for (i = 0; i < f->model->nb_functions; i++) {
		g = f->model->functions[i];
		if (g->conf.kind == BFM_ECPF && g->conf.port == f->conf.port)
			return g->conf.esw_manager ? g : NULL;
	}
	return NULL;
}

static bool
card_gives(const struct bfm_function *f)
{
	return f->conf.card || dpu_of(f) != NULL;
}

struct bfm_owner *
bfm_owner_of(const struct bfm_function *f)
{
	return &f->model->owners[card_gives(f)][f->conf.port];
}

bool
bfm_host_off(const struct bfm_function *f)
{
	const struct bfm_function *dpu = f->conf.card ? NULL : dpu_of(f);

	return dpu != NULL && !dpu->host_up && !dpu->host_enabled;
}

bool
bfm_held(const struct bfm_function *f)
{
	return bfm_supplied(f) && (bfm_owner_of(f)->killed || bfm_host_off(f));
}

bool
bfm_supplied(const struct bfm_function *f)
{
	if (f->conf.kind == BFM_VF)
		return true;
	return f->conf.kind == BFM_PF && card_gives(f);
}

struct bfm_function *
bfm_supply_giver(const struct bfm_function *f)
{
	struct bfm_function *g;
	uint32_t i;

	for (i = 0; bfm_supplied(f) && i < f->model->nb_functions; i++) {
		g = f->model->functions[i];
		if (g->conf.pages_client && g->conf.port == f->conf.port &&
				g->conf.card == card_gives(f) && !bfm_supplied(g))
			return g;
	}
	return NULL;
}

void
bfm_owner_start(struct bfm_function *f)
{
	struct bfm_owner *o = &f->model->owners[f->conf.card][f->conf.port];

	if (f->conf.kind == BFM_VF)
		return;
	f->host_up = f->conf.kind == BFM_ECPF && !f->conf.host_down;
	o->slow_ms = f->conf.owner_slow;
	o->is_short = f->conf.owner_short != BFM_NO_LIMIT;
	o->short_pages = f->conf.owner_short;
}

void
bfm_owner_alive(struct bfm_function *f)
{
	struct bfm_owner *o = bfm_owner_of(f);

	o->dead = false;
	o->killed = false;
	o->slow_ms = 0;
	o->is_short = false;
}

void
bfm_owner_dump(const struct bfm_function *f, FILE *out)
{
	const struct bfm_owner *o = bfm_owner_of(f);

	fprintf(out, "owner side=%s port=%u dead=%u killed=%u slow=%u",
			card_gives(f) ? "card" : "host", f->conf.port, o->dead,
			o->killed, o->slow_ms);
	if (o->is_short)
		fprintf(out, " short=%u", o->short_pages);
	fprintf(out, " now=%u given=%ju taken=%ju void=%ju refused=%ju requests=%ju\n", o->given,
			(uintmax_t)o->total_given, (uintmax_t)o->total_taken,
			(uintmax_t)o->total_void, (uintmax_t)o->refused,
			(uintmax_t)o->requests);
}

void
bfm_supply_dump(const struct bfm_function *f, FILE *out)
{
	const struct bfm_supply *s = &f->supply;

	if (bfm_supplied(f))
		fprintf(out, "supply now=%u wanted=%u given=%ju taken=%ju void=%ju\n", s->given,
				s->wanted, (uintmax_t)s->total_given, (uintmax_t)s->total_taken,
				(uintmax_t)s->total_void);
}
