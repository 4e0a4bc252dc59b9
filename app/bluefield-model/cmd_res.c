/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Commands of resources that are little more than a number: UAR pages, protection
 * domains, transport domains, XRC domains; UMEMs, which are lists of pages; and
 * what every function can be asked. Nothing of queues or keys.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout_caps.h"
#include "layout_res.h"
#include "model.h"

#define NUMBER_FIRST 1u       /* 0 is never given, so that a forgotten field shows */
#define RESERVED_LKEY 0x100u  /* the key of all memory, for the kernel's own use */

BFM_LAYOUT(bfm_lay_res_alloc_in, "alloc_in", RES_SIZE, RES_ALLOC_IN_FIELDS);
BFM_LAYOUT(bfm_lay_res_dealloc_in, "dealloc_in", RES_SIZE, RES_DEALLOC_IN_FIELDS);
BFM_LAYOUT(bfm_lay_res_alloc_out, "alloc_out", RES_SIZE, RES_ALLOC_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_special_out, "query_special_contexts_out", SPECIAL_OUT_SIZE,
		SPECIAL_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_create_umem_in, "create_umem_in", CREATE_UMEM_IN_SIZE, CREATE_UMEM_IN_FIELDS);
BFM_LAYOUT(bfm_lay_umem, "umem", UMEM_SIZE, UMEM_FIELDS);

/* ------------------------------------------------------- plain numbers */

static void
number_free(struct bfm_function *f, struct bfm_object *o)
{
	(void)f;
	free(o);
}

/* Numbers from first up to, without, limit; what allows them is for the log. */
static enum bfm_status
number_alloc(struct bfm_cmd *c, enum bfm_type type, uint32_t first, uint64_t limit,
		const char *what)
{
	struct bfm_object *o;
	int ret;

	o = calloc(1, sizeof(*o));
	if (o == NULL)
		return bfm_fail(c, BFM_NO_RESOURCES, "the model has no memory");
	o->free = number_free;
	ret = bfm_object_add(c->f, o, type, first, (uint32_t)limit, c->uid);
	if (ret != 0) {
		free(o);
		return bfm_fail(c, BFM_NO_RESOURCES,
				"no number left of the %" PRIu64 " that %s allows",
				limit - first, what);
	}
	BFM_SET(c->out, RES_ALLOC_OUT, number, o->id);
	return BFM_OK;
}

/* By the command that makes one; the next number is the command that ends it. */
static const struct number {
	uint16_t alloc;
	enum bfm_type type;
	uint16_t cap_bit, cap_width; /* log2 of how many there are */
	const char *cap;
} numbers[] = {
	{ 0x800, BFM_T_PD, HCA_CAP_log_max_pd_BIT, HCA_CAP_log_max_pd_WIDTH, "log_max_pd" },
	{ 0x816, BFM_T_TD, HCA_CAP_log_max_transport_domain_BIT,
		HCA_CAP_log_max_transport_domain_WIDTH, "log_max_transport_domain" },
	{ 0x80e, BFM_T_XRCD, HCA_CAP_log_max_xrcd_BIT, HCA_CAP_log_max_xrcd_WIDTH,
		"log_max_xrcd" },
};

static const struct number *
number_find(uint16_t alloc)
{
	const struct number *n = numbers;

	while (n->alloc != alloc)
		n++;
	return n;
}

static enum bfm_status
alloc_number(struct bfm_cmd *c)
{
	const struct number *n = number_find(c->opcode);
	uint64_t nb = UINT64_C(1) << bfm_cap(c->f, n->cap_bit, n->cap_width);

	return number_alloc(c, n->type, NUMBER_FIRST, NUMBER_FIRST + nb, n->cap);
}

static enum bfm_status
dealloc(struct bfm_cmd *c, enum bfm_type type)
{
	return bfm_object_remove(c, type, (uint32_t)BFM_GET(c->in, RES_DEALLOC_IN, number));
}

static enum bfm_status
dealloc_number(struct bfm_cmd *c)
{
	return dealloc(c, number_find(c->opcode - 1)->type);
}

static enum bfm_status
alloc_uar(struct bfm_cmd *c)
{
	uint32_t bar = c->f->conf.kind == BFM_VF ? BFM_VF_BAR0_SIZE : BFM_BAR0_SIZE;

	return number_alloc(c, BFM_T_UAR, BFM_UAR_FIRST, bar / BFM_PAGE_SIZE, "the size of BAR 0");
}

static enum bfm_status
dealloc_uar(struct bfm_cmd *c)
{
	return dealloc(c, BFM_T_UAR);
}

/* ----------------------------------------------------------------- UMEM */

struct umem {
	struct bfm_object obj; /* first: the table hands it back */
	struct bfm_buf buf;
	uint8_t rights;        /* of MTTs: 1 read, 2 write */
};

static void
umem_free(struct bfm_function *f, struct bfm_object *o)
{
	struct umem *u = (struct umem *)o;

	(void)f;
	bfm_buf_free(&u->buf);
	free(u);
}

static void
umem_print(const struct bfm_object *o, FILE *out)
{
	const struct umem *u = (const struct umem *)o;

	fprintf(out, "size=%" PRIu64 " pages=%u*2^%u page_offset=0x%" PRIx64 " %s", u->buf.size,
			u->buf.nb_pages, u->buf.log_page, u->buf.page_offset,
			(u->rights & 2) != 0 ? "rw" : "ro");
}

static enum bfm_status
create_umem(struct bfm_cmd *c)
{
	const uint8_t *ctx = c->in + CREATE_UMEM_IN_UMEM;
	uint8_t log_page = (uint8_t)(12 + BFM_GET(ctx, UMEM, log_page_size));
	uint32_t page_offset = (uint32_t)BFM_GET(ctx, UMEM, page_offset);
	uint64_t nb = BFM_GET(ctx, UMEM, num_of_mtt);
	uint64_t limit = UINT64_C(1) << BFM_CAP(c->f, log_max_umem);
	enum bfm_status st;
	struct umem *u;
	int ret;

	if (BFM_GET(ctx, UMEM, ats) != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "ats is set, but the device has no address "
				"translation service");
	/* Before the shift below, which only numbers that fit the message survive. */
	if (nb == 0 || nb > (c->in_len - CREATE_UMEM_IN_SIZE) / 8)
		return bfm_fail(c, nb == 0 ? BFM_BAD_PARAM : BFM_BAD_IN_LEN,
				"num_of_mtt %" PRIu64 ", but the input of %u bytes "
				"has %u", nb, c->in_len, (c->in_len - CREATE_UMEM_IN_SIZE) / 8);
	if ((uint64_t)page_offset >> log_page != 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"page_offset 0x%x is beyond the first page of 2^%u "
				"bytes", page_offset, log_page);
	u = calloc(1, sizeof(*u));
	if (u == NULL)
		return bfm_fail(c, BFM_NO_RESOURCES, "the model has no memory");
	st = bfm_buf_read_mtt(c, &u->buf, CREATE_UMEM_IN_SIZE, log_page, page_offset,
			(nb << log_page) - page_offset, &u->rights);
	if (st == BFM_OK && (u->rights & 1) == 0) {
		bfm_buf_free(&u->buf);
		st = bfm_fail(c, BFM_BAD_PARAM,
				"an MTT without rd_en: the device could not read it");
	}
	if (st != BFM_OK) {
		free(u);
		return st;
	}
	u->obj.free = umem_free;
	u->obj.print = umem_print;
	ret = bfm_object_add(c->f, &u->obj, BFM_T_UMEM, NUMBER_FIRST,
			(uint32_t)(NUMBER_FIRST + limit), c->uid);
	if (ret != 0) {
		umem_free(c->f, &u->obj);
		return bfm_fail(c, BFM_NO_RESOURCES, "no number left of the %" PRIu64
				" that log_max_umem allows", limit);
	}
	BFM_SET(c->out, RES_ALLOC_OUT, number, u->obj.id);
	return BFM_OK;
}

static enum bfm_status
destroy_umem(struct bfm_cmd *c)
{
	return dealloc(c, BFM_T_UMEM);
}

enum bfm_status
bfm_umem_buf(struct bfm_cmd *c, struct bfm_buf *b, uint32_t umem_id, uint64_t off, uint64_t size,
		struct bfm_object **umem)
{
	struct bfm_object *o = bfm_object_find(c->f, BFM_T_UMEM, umem_id);
	uint64_t first, last, i;
	struct umem *u;

	memset(b, 0, sizeof(*b));
	if (o == NULL || (c->uid != 0 && c->uid != o->uid))
		return bfm_fail(c, BFM_BAD_RESOURCE, "there is no UMEM 0x%x of uid %u", umem_id,
				c->uid);
	u = (struct umem *)o;
	if (size == 0 || off > u->buf.size || size > u->buf.size - off)
		return bfm_fail(c, BFM_BAD_PARAM, "UMEM 0x%x has %" PRIu64 " bytes, but %" PRIu64
				" bytes from 0x%" PRIx64 " on are named", umem_id,
				u->buf.size, size, off);
	off += u->buf.page_offset;
	first = off >> u->buf.log_page;
	last = (off + size - 1) >> u->buf.log_page;
	b->pages = malloc((last - first + 1) * sizeof(*b->pages));
	if (b->pages == NULL)
		return bfm_fail(c, BFM_NO_RESOURCES, "the model has no memory");
	for (i = first; i <= last; i++)
		b->pages[i - first] = u->buf.pages[i];
	b->nb_pages = (uint32_t)(last - first + 1);
	b->log_page = u->buf.log_page;
	b->page_offset = off & ((UINT64_C(1) << u->buf.log_page) - 1);
	b->size = size;
	bfm_object_ref(o);
	*umem = o;
	return BFM_OK;
}

/* --------------------------------------------------------------- others */

static enum bfm_status
query_special_contexts(struct bfm_cmd *c)
{
	/* dump_fill_mkey and null_mkey belong to capabilities that are not offered */
	BFM_SET(c->out, SPECIAL_OUT, resd_lkey, RESERVED_LKEY);
	return BFM_OK;
}

#define ALLOC(op, name, fn) \
	{ (op), (name), (fn), BFM_INIT, &bfm_lay_res_alloc_in, NULL, 0, &bfm_lay_res_alloc_out, \
		RES_SIZE, RES_SIZE }
#define DEALLOC(op, name, fn) \
	{ (op), (name), (fn), BFM_INIT, &bfm_lay_res_dealloc_in, NULL, 0, NULL, RES_SIZE, RES_SIZE }

const struct bfm_cmd_desc bfm_cmds_res[] = {
	ALLOC(0x802, "ALLOC_UAR", alloc_uar),
	DEALLOC(0x803, "DEALLOC_UAR", dealloc_uar),
	ALLOC(0x800, "ALLOC_PD", alloc_number),
	DEALLOC(0x801, "DEALLOC_PD", dealloc_number),
	ALLOC(0x816, "ALLOC_TRANSPORT_DOMAIN", alloc_number),
	DEALLOC(0x817, "DEALLOC_TRANSPORT_DOMAIN", dealloc_number),
	ALLOC(0x80e, "ALLOC_XRCD", alloc_number),
	DEALLOC(0x80f, "DEALLOC_XRCD", dealloc_number),
	{ 0xa08, "CREATE_UMEM", create_umem, BFM_INIT, &bfm_lay_create_umem_in, &bfm_lay_umem,
		CREATE_UMEM_IN_UMEM, &bfm_lay_res_alloc_out, CREATE_UMEM_IN_SIZE + 8, RES_SIZE },
	DEALLOC(0xa0a, "DESTROY_UMEM", destroy_umem),
	{ 0x203, "QUERY_SPECIAL_CONTEXTS", query_special_contexts, BFM_INIT, &bfm_lay_res_alloc_in,
		NULL, 0, &bfm_lay_special_out, RES_SIZE, SPECIAL_OUT_SIZE },
	{ .name = NULL },
};
