/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Pages of the client's memory in firmware's hands: what it needs, who gave which,
 * what lies in them. Who gives for functions that do not ask for their own is in
 * owner.c; pages that the client of another function gave for one are here too.
 */

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "layout_hca.h"

BFM_LAYOUT(bfm_lay_query_pages_in, "query_pages_in", FUNCTION_IN_SIZE, FUNCTION_IN_FIELDS);
BFM_LAYOUT(bfm_lay_query_pages_out, "query_pages_out", QUERY_PAGES_OUT_SIZE,
		QUERY_PAGES_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_manage_pages_in, "manage_pages_in", MANAGE_PAGES_IN_SIZE,
		MANAGE_PAGES_IN_FIELDS);
BFM_LAYOUT(bfm_lay_manage_pages_out, "manage_pages_out", MANAGE_PAGES_OUT_SIZE,
		MANAGE_PAGES_OUT_FIELDS);

/* Values of op_mod. */
enum {
	QUERY_BOOT = 1,
	QUERY_INIT = 2,
	QUERY_REGULAR = 3
};
enum {
	MANAGE_CANNOT_GIVE = 0,
	MANAGE_GIVE = 1,
	MANAGE_TAKE = 2
};

/* Firmware looks at a few pages each time. */
#define CHECK_MS 100u
#define CHECK_PAGES 8u

/* Ours: more than any real device asks for. */
#define MAX_PAGES (1u << 20)

#define PAGE_WORDS (BFM_PAGE_SIZE / 8)

struct page {
	uint64_t addr;
	uint64_t seed; /* of what firmware wrote there */
};

struct bfm_pages {
	struct page *given; /* by address */
	uint32_t nb_given;
	uint32_t need;    /* firmware has said that it wants this many in all */
	uint32_t credit;  /* came for bfm_pages_want(), not yet collected */
	uint32_t wanted;  /* asked for by an event and on their way, for bfm_pages_want() */
	uint32_t offered; /* may be taken back although the HCA is initialised */
	uint32_t supply;  /* bfm_pages_want() waits until the owner has given so many */
	bool refused;     /* the client cannot give what was wanted */
	uint64_t seed;
	uint64_t checked_ms;
	uint32_t check_next;
	/* since the start */
	uint64_t total_given;
	uint64_t total_taken;
	uint64_t total_void; /* by resets */
	uint64_t requests;
};

static uint64_t
mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static void
page_pattern(const struct page *p, uint64_t *words)
{
	uint32_t i;

	for (i = 0; i < PAGE_WORDS; i++)
		words[i] = mix(p->seed + i);
}

/* In whose client's memory the pages of a function are. */
static struct bfm_function *
memory_of(struct bfm_function *f)
{
	struct bfm_function *giver = bfm_supply_giver(f);

	return giver != NULL ? giver : f;
}

static int
page_write(struct bfm_function *f, const struct page *p)
{
	uint64_t words[PAGE_WORDS];

	page_pattern(p, words);
	return bfm_dma_write(memory_of(f), p->addr, words, sizeof(words));
}

/* 0 or -EFAULT, which was made fatal. */
static int
page_check(struct bfm_function *f, const struct page *p)
{
	uint64_t words[PAGE_WORDS];
	uint64_t seen[PAGE_WORDS];
	char why[160];
	uint32_t i;

	if (bfm_dma_read(memory_of(f), p->addr, seen, sizeof(seen)) != 0) {
		snprintf(why, sizeof(why),
				"page 0x%jx that was given to firmware is not "
				"accessible any more",
				(uintmax_t)p->addr);
		bfm_health_fatal(f, BFM_SYND_FETCH_PCI, 0, why);
		return -EFAULT;
	}
	page_pattern(p, words);
	if (memcmp(words, seen, sizeof(words)) == 0)
		return 0;
	for (i = 0; i < PAGE_WORDS && words[i] == seen[i]; i++)
		;
	snprintf(why, sizeof(why),
			"page 0x%jx that was given to firmware was written by somebody "
			"else, at byte 0x%x",
			(uintmax_t)p->addr, i * 8);
	bfm_health_fatal(f, BFM_SYND_CRC, 0, why);
	return -EFAULT;
}

static int
page_cmp(const void *a, const void *b)
{
	uint64_t x = ((const struct page *)a)->addr;
	uint64_t y = ((const struct page *)b)->addr;

	return x < y ? -1 : x > y;
}

/*
 * What firmware needs
 */

bool
bfm_pages_boot_missing(const struct bfm_function *f)
{
	return !bfm_supplied(f) && f->pages->nb_given < f->conf.boot_pages;
}

bool
bfm_pages_init_missing(const struct bfm_function *f)
{
	return !bfm_supplied(f) &&
			f->pages->nb_given < f->conf.boot_pages + f->conf.init_pages;
}

/* Tell whoever gives pages for a function what its firmware wants. */
static void
event_post(struct bfm_function *f, int32_t n)
{
	struct bfm_function *to = memory_of(f);
	uint8_t data[28] = { 0 };

	BFM_SET(data, EV_PAGE_REQUEST, ec_function, f->conf.card);
	BFM_SET(data, EV_PAGE_REQUEST, function_id, f->conf.function_id);
	BFM_SET(data, EV_PAGE_REQUEST, num_pages, (uint32_t)n);
	f->pages->requests++;
	bfm_log(f, BFM_DEBUG, "page request: %d pages", n);
	bfm_event_post(to, BFM_EV_PAGE_REQUEST, 0, data);
}

bool
bfm_pages_ask(struct bfm_function *f, uint32_t n)
{
	if (!bfm_event_wanted(memory_of(f), BFM_EV_PAGE_REQUEST))
		return false;
	event_post(f, (int32_t)n);
	return true;
}

void
bfm_pages_offer(struct bfm_function *f, uint32_t n)
{
	f->pages->offered += n;
	/* who does not hear of it has ended, or takes all when it does */
	if (bfm_event_wanted(memory_of(f), BFM_EV_PAGE_REQUEST))
		event_post(f, -(int32_t)n);
}

uint32_t
bfm_pages_lose(struct bfm_function *f, bool take)
{
	struct bfm_pages *p = f->pages;
	uint32_t n = p->nb_given;

	if (take) {
		p->offered = n;
		return 0;
	}
	p->total_void += n;
	p->nb_given = 0;
	p->offered = 0;
	p->check_next = 0;
	return n;
}

/* The same of the owner; nobody hears of it but him. */
static int
supply_request(struct bfm_function *f, int32_t n)
{
	uint32_t has = f->supply.given;

	if (f->hca != BFM_HCA_INITIALISED)
		return -ENODEV;
	if (n > 0 ? (uint32_t)n > MAX_PAGES - has : (uint32_t)(-(int64_t)n) > has)
		return -ERANGE;
	if (n > 0)
		bfm_supply_want(f, has + (uint32_t)n);
	else
		bfm_supply_keep(f, has - (uint32_t)(-(int64_t)n));
	return 0;
}

int
bfm_pages_request(struct bfm_function *f, int32_t n)
{
	struct bfm_pages *p = f->pages;
	uint32_t back;

	if (bfm_supplied(f))
		return supply_request(f, n);
	if (!bfm_event_wanted(f, BFM_EV_PAGE_REQUEST))
		return -ENODEV;
	if (n > 0) {
		if ((uint32_t)n > MAX_PAGES - p->need)
			return -ERANGE;
		p->need += (uint32_t)n;
	} else {
		back = (uint32_t)(-(int64_t)n);
		if (back > p->nb_given - p->offered)
			return -ERANGE;
		p->offered += back;
	}
	event_post(f, n);
	return 0;
}

int
bfm_pages_want(struct bfm_function *f, int32_t n)
{
	struct bfm_pages *p = f->pages;
	int ret;

	if (n <= 0)
		return n == 0 ? 0 : bfm_pages_request(f, n);
	if (bfm_supplied(f)) {
		if (p->supply == 0)
			p->supply = f->supply.given + (uint32_t)n;
		ret = bfm_supply_want(f, p->supply);
		if (ret != -EAGAIN)
			p->supply = 0;
		return ret;
	}
	if (p->refused) {
		p->refused = false;
		p->credit = 0;
		return -ENOMEM;
	}
	if (p->credit >= (uint32_t)n) {
		p->credit -= (uint32_t)n;
		return 0;
	}
	if (p->wanted != 0)
		return -EAGAIN;
	ret = bfm_pages_request(f, n);
	if (ret != 0) {
		bfm_log(f, BFM_INFO,
				"firmware wants %d pages, but nobody takes page requests: "
				"it goes on without",
				n);
		return 0;
	}
	p->wanted = (uint32_t)n;
	return -EAGAIN;
}

void
bfm_pages_teardown(struct bfm_function *f)
{
	struct bfm_pages *p = f->pages;

	bfm_supply_keep(f, f->conf.boot_pages);
	bfm_supply_end(f, true);
	p->supply = 0;
	if (bfm_supply_giver(f) != NULL)
		return;
	p->offered = 0;
	if (p->need > p->nb_given)
		p->need = p->nb_given;
	if (p->wanted != 0) {
		p->wanted = 0;
		p->refused = true; /* whoever waits learns that they do not come */
		f->resume(f);
	}
}

int
bfm_pages_check_all(struct bfm_function *f)
{
	uint32_t i;

	for (i = 0; i < f->pages->nb_given; i++)
		if (page_check(f, &f->pages->given[i]) != 0)
			return -EFAULT;
	return 0;
}

int
bfm_pages_check(struct bfm_function *f)
{
	struct bfm_pages *p = f->pages;
	uint64_t now = f->model->now_ms;
	uint32_t i;

	/*
	 * Firmware lives in its pages only while the HCA is up; a client that closes may
	 * unmap them after that without taking them back, as a reset follows.
	 */
	if (f->hca != BFM_HCA_INITIALISED || p->nb_given == 0 ||
			!bfm_dma_enabled(memory_of(f)) || bfm_iseg_no_commands(f) != NULL ||
			now - p->checked_ms < CHECK_MS)
		return 0;
	p->checked_ms = now;
	for (i = 0; i < CHECK_PAGES && i < p->nb_given; i++) {
		p->check_next = (p->check_next + 1) % p->nb_given;
		if (!bfm_dma_now(memory_of(f), p->given[p->check_next].addr))
			continue;
		if (page_check(f, &p->given[p->check_next]) != 0)
			return -EFAULT;
	}
	return 0;
}

/*
 * Commands
 */

/* The number that a command may name this function by: 0 is "me" only where asked so. */
static bool
own_function(const struct bfm_cmd *c, uint64_t function_id, uint64_t ec, bool zero_is_me)
{
	const struct bfm_conf *conf = &c->f->conf;

	/* a VF of the card sees nothing that tells it so: its driver may leave the flag out */
	if (ec != conf->card && (conf->kind != BFM_VF || ec != 0))
		return false;
	return function_id == conf->function_id || (zero_is_me && function_id == 0);
}

/* Whose pages a command is about: the own ones, or of a function that it gives for. */
static struct bfm_function *
managed_function(const struct bfm_cmd *c, uint64_t function_id, uint64_t ec)
{
	struct bfm_model *m = c->f->model;
	struct bfm_function *f;
	uint32_t i;

	if (own_function(c, function_id, ec, false))
		return c->f;
	for (i = 0; i < m->nb_functions; i++) {
		f = m->functions[i];
		if (f->conf.function_id == function_id && f->conf.card == ec &&
				bfm_supply_giver(f) == c->f)
			return f;
	}
	return NULL;
}

/* Is this page with firmware already, for any function that lives in that memory? */
static bool
page_is_given(struct bfm_function *memory, const struct page *page)
{
	struct bfm_model *m = memory->model;
	const struct bfm_pages *p;
	uint32_t i;

	for (i = 0; i < m->nb_functions; i++) {
		p = m->functions[i]->pages;
		if (memory_of(m->functions[i]) == memory && p->nb_given != 0 &&
				bsearch(page, p->given, p->nb_given, sizeof(*page), page_cmp) !=
						NULL)
			return true;
	}
	return false;
}

static enum bfm_status
query_pages(struct bfm_cmd *c)
{
	struct bfm_function *f = c->f;
	struct bfm_pages *p = f->pages;
	uint64_t function_id = BFM_GET(c->in, FUNCTION_IN, function_id);
	uint64_t ec = BFM_GET(c->in, FUNCTION_IN, embedded_cpu_function);
	uint32_t all = bfm_supplied(f) ? 0 : f->conf.boot_pages;
	int32_t n;

	if (!own_function(c, function_id, ec, true))
		return bfm_fail(c, BFM_BAD_PARAM,
				"function %ju with embedded_cpu_function %ju is not this function",
				(uintmax_t)function_id, (uintmax_t)ec);
	switch (c->op_mod) {
	case QUERY_INIT:
		all += bfm_supplied(f) ? 0 : f->conf.init_pages;
		/* fallthrough */
	case QUERY_BOOT:
		n = all > p->nb_given ? (int32_t)(all - p->nb_given) : 0;
		if (p->need < all)
			p->need = all;
		break;
	case QUERY_REGULAR:
		n = p->offered != 0 ? -(int32_t)p->offered : 0;
		if (p->need > p->nb_given)
			n = (int32_t)(p->need - p->nb_given);
		break;
	default:
		return bfm_fail(c, BFM_BAD_PARAM, "op_mod is none of boot 1, init 2, regular 3");
	}
	BFM_SET(c->out, QUERY_PAGES_OUT, embedded_cpu_function, f->conf.card);
	BFM_SET(c->out, QUERY_PAGES_OUT, function_id, f->conf.function_id);
	BFM_SET(c->out, QUERY_PAGES_OUT, num_pages, (uint32_t)n);
	return BFM_OK;
}

/* The addresses of the input as a sorted list; the reason is logged if NULL. */
static struct page *
give_list(struct bfm_cmd *c, struct bfm_pages *p, uint32_t n, enum bfm_status *status)
{
	struct page *list;
	uint64_t addr;
	uint32_t i;

	list = calloc((size_t)n + 1, sizeof(*list));
	if (list == NULL) {
		*status = bfm_fail(c, BFM_INTERNAL, "the model has no memory");
		return NULL;
	}
	for (i = 0; i < n; i++) {
		memcpy(&addr, c->in + MANAGE_PAGES_IN_SIZE + (size_t)i * 8, sizeof(addr));
		addr = be64toh(addr);
		list[i].addr = addr;
		list[i].seed = mix(++p->seed ^ addr);
		if (addr % BFM_PAGE_SIZE != 0) {
			*status = bfm_fail(c, BFM_BAD_PARAM,
					"page %u at 0x%jx is not aligned to 4 KiB", i,
					(uintmax_t)addr);
			break;
		}
		/*
		 * Linux avoids address 0 because firmware would not take it; rdma-core
		 * gives it where the IOMMU's range begins there. Taken, but noted.
		 */
		if (addr == 0)
			bfm_log(c->f, BFM_INFO,
					"page %u has address 0, which a device may not take", i);
		if (page_is_given(c->f, &list[i])) {
			*status = bfm_fail(c, BFM_BAD_PARAM,
					"page %u at 0x%jx is in firmware's hands already", i,
					(uintmax_t)addr);
			break;
		}
	}
	if (i == n) {
		qsort(list, n, sizeof(*list), page_cmp);
		for (i = 0; i + 1 < n && list[i].addr != list[i + 1].addr; i++)
			;
		if (i + 1 >= n)
			return list;
		*status = bfm_fail(c, BFM_BAD_PARAM, "page 0x%jx is given twice in one command",
				(uintmax_t)list[i].addr);
	}
	free(list);
	return NULL;
}

/* What somebody waits for has come, all or a part. */
static void
arrived(struct bfm_function *f, uint32_t n)
{
	struct bfm_pages *p = f->pages;

	if (p->wanted == 0)
		return;
	p->credit += n < p->wanted ? n : p->wanted;
	p->wanted -= n < p->wanted ? n : p->wanted;
	if (p->wanted == 0)
		f->resume(f);
}

static enum bfm_status
give(struct bfm_cmd *c, struct bfm_function *f, uint32_t n)
{
	struct bfm_pages *p = f->pages;
	uint32_t wants = f != c->f ? f->supply.wanted :
			p->need > p->nb_given ? p->need - p->nb_given : 0;
	enum bfm_status status = BFM_OK;
	struct page *list;
	struct page *all;
	uint32_t i;

	if (c->in_len < MANAGE_PAGES_IN_SIZE + (uint64_t)n * 8)
		return bfm_fail(c, BFM_BAD_IN_LEN,
				"input of %u bytes has no room for %u addresses", c->in_len, n);
	if (n > wants)
		return bfm_fail(c, BFM_BAD_PARAM,
				"%u pages are given, firmware needs %u more and has %u", n, wants,
				p->nb_given);
	if (n == 0)
		return BFM_OK; /* clients answer a need of 0 so */
	list = give_list(c, p, n, &status);
	if (list == NULL)
		return status;
	for (i = 0; i < n; i++)
		if (page_write(f, &list[i]) != 0) {
			status = bfm_fail(c, BFM_BAD_PARAM,
					"page 0x%jx is not accessible for the device",
					(uintmax_t)list[i].addr);
			free(list);
			return status;
		}
	all = realloc(p->given, ((size_t)p->nb_given + n) * sizeof(*all));
	if (all == NULL) {
		free(list);
		return bfm_fail(c, BFM_INTERNAL, "the model has no memory");
	}
	memcpy(all + p->nb_given, list, n * sizeof(*all));
	free(list);
	p->given = all;
	p->nb_given += n;
	p->total_given += n;
	qsort(all, p->nb_given, sizeof(*all), page_cmp);
	bfm_log(f, BFM_DEBUG, "%u pages given, firmware has %u", n, p->nb_given);
	if (f != c->f)
		bfm_supply_came(f, n);
	else
		arrived(f, n);
	if (f->conf.remainders != 0 && f == c->f && p->nb_given < p->need &&
			bfm_event_wanted(f, BFM_EV_PAGE_REQUEST))
		event_post(f, (int32_t)(p->need - p->nb_given));
	return BFM_OK;
}

/* Pages for the reply, which are firmware's no more; if one is not right, all still are. */
static enum bfm_status
pick(struct bfm_cmd *c, struct bfm_function *f, uint32_t n)
{
	struct bfm_pages *p = f->pages;
	uint32_t left = p->nb_given, i, at;
	struct page *list;
	uint64_t addr;

	list = malloc(((size_t)left + 1) * sizeof(*list));
	if (list == NULL)
		return bfm_fail(c, BFM_INTERNAL, "the model has no memory");
	if (left != 0)
		memcpy(list, p->given, left * sizeof(*list));
	for (i = 0; i < n; i++) {
		/* any order: nobody may count on one */
		at = (uint32_t)(mix(p->seed + i) % left);
		if (page_check(f, &list[at]) != 0) {
			bfm_fail(c, BFM_INTERNAL, "page 0x%jx is not as firmware left it",
					(uintmax_t)list[at].addr);
			free(list);
			return BFM_INTERNAL;
		}
		addr = htobe64(list[at].addr);
		memcpy(c->out + MANAGE_PAGES_OUT_SIZE + (size_t)i * 8, &addr, sizeof(addr));
		left--;
		memmove(list + at, list + at + 1, (left - at) * sizeof(*list));
	}
	free(p->given);
	p->given = list;
	p->nb_given = left;
	return BFM_OK;
}

static enum bfm_status
take(struct bfm_cmd *c, struct bfm_function *f, uint32_t n)
{
	struct bfm_pages *p = f->pages;
	bool all = f == c->f && f->hca != BFM_HCA_INITIALISED;
	uint32_t limit = all ? p->nb_given : p->offered;
	enum bfm_status status;

	if (n == 0)
		return bfm_fail(c, BFM_BAD_PARAM, "no page is asked for");
	if (c->out_len < MANAGE_PAGES_OUT_SIZE + (uint64_t)n * 8)
		return bfm_fail(c, BFM_BAD_OUT_LEN,
				"output of %u bytes has no room for %u addresses", c->out_len, n);
	if (limit == 0 && p->nb_given != 0)
		return bfm_fail(c, BFM_RES_STATE,
				"firmware uses its %u pages: tear it down first, or wait for its event",
				p->nb_given);
	if (n > limit)
		n = limit; /* clients ask for as many as their reply has room for */
	status = pick(c, f, n);
	if (status != BFM_OK)
		return status;
	p->total_taken += n;
	p->need -= n < p->need ? n : p->need;
	if (!all)
		p->offered -= n;
	if (f != c->f)
		bfm_supply_went(f, n);
	BFM_SET(c->out, MANAGE_PAGES_OUT, output_num_entries, n);
	bfm_log(f, BFM_DEBUG, "%u pages taken back, firmware has %u", n, p->nb_given);
	return BFM_OK;
}

static enum bfm_status
cannot_give(struct bfm_cmd *c, struct bfm_function *f)
{
	struct bfm_pages *p = f->pages;

	if (f != c->f) {
		bfm_supply_refuse(f);
		return BFM_OK;
	}
	bfm_log(f, BFM_INFO, "the client cannot give pages: %u are missing",
			p->need > p->nb_given ? p->need - p->nb_given : 0);
	if (p->need > p->nb_given)
		p->need = p->nb_given;
	if (p->wanted != 0) {
		p->wanted = 0;
		p->refused = true;
		f->resume(f);
	}
	return BFM_OK;
}

static enum bfm_status
manage_pages(struct bfm_cmd *c)
{
	uint64_t function_id = BFM_GET(c->in, MANAGE_PAGES_IN, function_id);
	uint64_t ec = BFM_GET(c->in, MANAGE_PAGES_IN, embedded_cpu_function);
	uint32_t n = (uint32_t)BFM_GET(c->in, MANAGE_PAGES_IN, input_num_entries);
	struct bfm_function *f = managed_function(c, function_id, ec);

	if (f == NULL)
		return bfm_fail(c, BFM_BAD_PARAM,
				"function %ju with embedded_cpu_function %ju is not what QUERY_PAGES "
				"said, %u with %u",
				(uintmax_t)function_id, (uintmax_t)ec, c->f->conf.function_id,
				c->f->conf.card);
	/* clients answer a need of 0 by giving none */
	if (bfm_supplied(f) && f == c->f && (c->op_mod != MANAGE_GIVE || n != 0))
		return bfm_fail(c, BFM_BAD_PARAM,
				"the pages of %s are the business of the owner of its PF, or of "
				"the ECPF's", c->f->conf.name);
	switch (c->op_mod) {
	case MANAGE_CANNOT_GIVE:
		return cannot_give(c, f);
	case MANAGE_GIVE:
		return give(c, f, n);
	case MANAGE_TAKE:
		return take(c, f, n);
	default:
		return bfm_fail(c, BFM_BAD_PARAM,
				"op_mod is none of cannot give 0, give 1, take 2");
	}
}

const struct bfm_cmd_desc bfm_cmds_pages[] = {
	{
			.opcode = 0x107,
			.name = "QUERY_PAGES",
			.handler = query_pages,
			.states = BFM_EN,
			.in = &bfm_lay_query_pages_in,
			.out = &bfm_lay_query_pages_out,
			.in_min = FUNCTION_IN_SIZE,
			.out_min = QUERY_PAGES_OUT_SIZE,
	},
	{
			.opcode = 0x108,
			.name = "MANAGE_PAGES",
			.handler = manage_pages,
			.states = BFM_EN,
			.in = &bfm_lay_manage_pages_in,
			.out = &bfm_lay_manage_pages_out,
			.in_min = MANAGE_PAGES_IN_SIZE,
			.out_min = MANAGE_PAGES_OUT_SIZE,
	},
	{ .name = NULL },
};

/*
 * Life
 */

uint32_t
bfm_pages_given(const struct bfm_function *f)
{
	return f->pages->nb_given + (bfm_supply_giver(f) != NULL ? 0 : f->supply.given);
}

void
bfm_pages_reset(struct bfm_function *f)
{
	struct bfm_pages *p = f->pages;

	bfm_supply_keep(f, 0);
	p->supply = 0;
	bfm_supply_end(f, false);
	if (bfm_supply_giver(f) != NULL)
		return; /* firmware has them until they are taken */
	if (p->nb_given != 0)
		bfm_log(f, BFM_INFO,
				"reset with %u pages in firmware's hands: they are the "
				"client's again",
				p->nb_given);
	p->total_void += p->nb_given;
	free(p->given);
	p->given = NULL;
	p->nb_given = 0;
	p->need = 0;
	p->credit = 0;
	p->wanted = 0;
	p->offered = 0;
	p->refused = false;
	p->check_next = 0;
}

void
bfm_pages_dump(const struct bfm_function *f, FILE *out)
{
	const struct bfm_pages *p = f->pages;

	fprintf(out,
			"pages given=%u need=%u wanted=%u offered=%u boot=%u init=%u "
			"total_given=%ju total_taken=%ju total_void=%ju requests=%ju\n",
			p->nb_given, p->need, p->wanted, p->offered, f->conf.boot_pages,
			f->conf.init_pages, (uintmax_t)p->total_given, (uintmax_t)p->total_taken,
			(uintmax_t)p->total_void, (uintmax_t)p->requests);
}

int
bfm_pages_create(struct bfm_function *f)
{
	f->pages = calloc(1, sizeof(*f->pages));
	return f->pages == NULL ? -ENOMEM : 0;
}

void
bfm_pages_destroy(struct bfm_function *f)
{
	if (f->pages == NULL)
		return;
	free(f->pages->given);
	free(f->pages);
	f->pages = NULL;
}
