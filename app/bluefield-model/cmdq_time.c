/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * How long commands take. Nothing waits in here.
 *
 * The spans are ours: no public source has them. They follow what drivers reckon
 * with: most commands end well below a millisecond, INIT_HCA and TEARDOWN_HCA take
 * some ten, and what moves pages takes longer the more they are.
 */

#include <endian.h>
#include <string.h>

#include "cmdq.h"

#define RAND_BITS 31

/* Of MANAGE_PAGES: where the number of pages is, and what each costs. */
#define NB_PAGES_OFF 12
#define PAGE_NS 500u
/* Above that a client would give up, whatever number it wrote there. */
#define MAX_PAGES_US 500000u

struct span {
	uint32_t min_us;
	uint32_t max_us;
};

static struct span
span_of(const struct slot *s)
{
	const struct bfm_cmd *c = &s->cmd;

	switch (c->opcode) {
	case OP_INIT_HCA:
	case OP_TEARDOWN_HCA:
		return (struct span){ 10000, 50000 };
	case OP_ENABLE_HCA:
	case OP_DISABLE_HCA:
		return (struct span){ 200, 2000 };
	default:
		break;
	}
	/* what only looks is quick, and so is what is refused at once */
	if (c->desc == NULL || strncmp(c->desc->name, "QUERY_", 6) == 0)
		return (struct span){ 20, 200 };
	return (struct span){ 50, 1000 };
}

static uint32_t
pages_us(const struct slot *s)
{
	uint32_t nb;

	if (s->cmd.opcode != OP_MANAGE_PAGES)
		return 0;
	memcpy(&nb, s->entry.in + NB_PAGES_OFF, sizeof(nb));
	nb = be32toh(nb);
	return nb < MAX_PAGES_US / PAGE_NS * 1000 ? nb * PAGE_NS / 1000 : MAX_PAGES_US;
}

/*
 * A number is free when the client knows it: Linux would take the answer of a CREATE that
 * gives it out again, while it waits for that of the DESTROY, for one of two objects.
 */
static bool
frees_number(const struct bfm_cmd *c)
{
	return c->desc != NULL && (strncmp(c->desc->name, "DESTROY_", 8) == 0 ||
			strncmp(c->desc->name, "DEALLOC_", 8) == 0);
}

void
bfm_cmd_time(struct slot *s, uint64_t rand, uint64_t rand2)
{
	uint32_t factor = s->cmd.f->model->latency;
	struct span span = span_of(s);
	uint64_t us;

	if (factor == 0)
		return;
	/* the square: most are short, few are long */
	rand = rand * rand >> RAND_BITS;
	us = span.min_us + ((span.max_us - span.min_us) * rand >> RAND_BITS) + pages_us(s);
	us = us * factor / BFM_LATENCY_ONE;
	s->before_us = frees_number(&s->cmd) ? (uint32_t)us : (uint32_t)(us * rand2 >> RAND_BITS);
	s->after_us = (uint32_t)us - s->before_us;
}
