/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The table of live objects, by type and number, and the buffers that queues are
 * given as lists of pages. Nothing here knows what an object means: that is behind
 * the free() and print() of its maker.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* Numbers are given out from a bit map, so that the lowest free one is quick. */
#define SLOTS_MIN 64u
#define SLOTS_MAX (1u << 24)

/* All objects of one type. Slots and bits grow with the highest number. */
struct table {
	struct bfm_object **slots;
	uint64_t *bits;
	uint32_t nb_slots;    /* allocated; a multiple of 64 */
	uint32_t count;
	uint32_t low_first;   /* every number from here ... */
	uint32_t low;         /* ... up to here is taken */
	TAILQ_HEAD(, bfm_object) list;
};

struct bfm_objects {
	struct table tables[BFM_NB_TYPES];
};

static const char * const type_names[BFM_NB_TYPES] = {
	[BFM_T_EQ] = "EQ", [BFM_T_UAR] = "UAR", [BFM_T_PD] = "PD", [BFM_T_TD] = "TD",
	[BFM_T_XRCD] = "XRCD", [BFM_T_MKEY] = "MKEY", [BFM_T_UMEM] = "UMEM", [BFM_T_CQ] = "CQ",
	[BFM_T_QP] = "QP", [BFM_T_SRQ] = "SRQ", [BFM_T_RMP] = "RMP", [BFM_T_TIS] = "TIS",
	[BFM_T_TIR] = "TIR", [BFM_T_COUNTER] = "COUNTER", [BFM_T_UCTX] = "UCTX",
	[BFM_T_SQ] = "SQ", [BFM_T_RQ] = "RQ", [BFM_T_RQT] = "RQT",
	[BFM_T_FLOW_TABLE] = "FLOW_TABLE", [BFM_T_FLOW_GROUP] = "FLOW_GROUP",
};

const char *
bfm_type_name(enum bfm_type type)
{
	return (uint32_t)type < BFM_NB_TYPES ? type_names[type] : "object";
}

int
bfm_objects_create(struct bfm_function *f)
{
	uint32_t i;

	f->objs = calloc(1, sizeof(*f->objs));
	if (f->objs == NULL)
		return -ENOMEM;
	for (i = 0; i < BFM_NB_TYPES; i++)
		TAILQ_INIT(&f->objs->tables[i].list);
	return 0;
}

static int
table_grow(struct table *t, uint32_t need)
{
	uint32_t nb = t->nb_slots == 0 ? SLOTS_MIN : t->nb_slots;
	struct bfm_object **slots;
	uint64_t *bits;

	while (nb < need)
		nb *= 2;
	if (nb == t->nb_slots)
		return 0;
	slots = realloc(t->slots, nb * sizeof(*slots));
	if (slots == NULL)
		return -ENOMEM;
	t->slots = slots;
	bits = realloc(t->bits, nb / 8);
	if (bits == NULL)
		return -ENOMEM;
	t->bits = bits;
	memset(slots + t->nb_slots, 0, (nb - t->nb_slots) * sizeof(*slots));
	memset(bits + t->nb_slots / 64, 0, (nb - t->nb_slots) / 8);
	t->nb_slots = nb;
	return 0;
}

/* Lowest number from `from` on that is free; numbers without a slot are. */
static uint32_t
table_lowest(const struct table *t, uint32_t from)
{
	uint32_t word = from / 64;
	uint64_t busy;

	if (from >= t->nb_slots)
		return from;
	busy = t->bits[word] | ((UINT64_C(1) << (from % 64)) - 1);
	while (busy == UINT64_MAX) {
		if (++word == t->nb_slots / 64)
			return t->nb_slots;
		busy = t->bits[word];
	}
	return word * 64 + (uint32_t)__builtin_ctzll(~busy);
}

int
bfm_object_add(struct bfm_function *f, struct bfm_object *o, enum bfm_type type,
		uint32_t first, uint32_t limit, uint16_t uid)
{
	struct table *t = &f->objs->tables[type];
	uint32_t id;
	int ret;

	if (limit > SLOTS_MAX)
		limit = SLOTS_MAX;
	id = table_lowest(t, first == t->low_first && t->low > first ? t->low : first);
	if (id >= limit)
		return -ENOSPC;
	ret = table_grow(t, id + 1);
	if (ret != 0)
		return ret;
	t->low_first = first;
	t->low = id + 1;
	o->type = type;
	o->id = id;
	o->refs = 0;
	o->uid = uid;
	t->slots[id] = o;
	t->bits[id / 64] |= UINT64_C(1) << (id % 64);
	t->count++;
	TAILQ_INSERT_TAIL(&t->list, o, next);
	bfm_log(f, BFM_DEBUG, "%s 0x%x made", bfm_type_name(type), id);
	return 0;
}

struct bfm_object *
bfm_object_find(struct bfm_function *f, enum bfm_type type, uint32_t id)
{
	struct table *t = &f->objs->tables[type];

	return id < t->nb_slots ? t->slots[id] : NULL;
}

bool
bfm_object_any(struct bfm_function *f, enum bfm_type type,
		bool (*is)(struct bfm_object *o, const void *arg), const void *arg)
{
	struct bfm_object *o;

	TAILQ_FOREACH(o, &f->objs->tables[type].list, next) {
		if (is(o, arg))
			return true;
	}
	return false;
}

void
bfm_object_ref(struct bfm_object *o)
{
	o->refs++;
}

void
bfm_object_unref(struct bfm_object *o)
{
	if (o->refs == 0) {
		bfm_log(NULL, BFM_ERR, "%s 0x%x: reference taken back twice: a bug of the model",
				bfm_type_name(o->type), o->id);
		return;
	}
	o->refs--;
}

static void
object_drop(struct bfm_function *f, struct bfm_object *o)
{
	struct table *t = &f->objs->tables[o->type];

	t->slots[o->id] = NULL;
	t->bits[o->id / 64] &= ~(UINT64_C(1) << (o->id % 64));
	if (o->id >= t->low_first && o->id < t->low)
		t->low = o->id;
	t->count--;
	TAILQ_REMOVE(&t->list, o, next);
	bfm_log(f, BFM_DEBUG, "%s 0x%x gone", bfm_type_name(o->type), o->id);
	o->free(f, o);
}

enum bfm_status
bfm_object_remove(struct bfm_cmd *c, enum bfm_type type, uint32_t id)
{
	struct bfm_object *o = bfm_object_find(c->f, type, id);

	if (o == NULL)
		return bfm_fail(c, BFM_BAD_RESOURCE, "there is no %s 0x%x",
				bfm_type_name(type), id);
	if (c->uid != 0 && c->uid != o->uid)
		return bfm_fail(c, BFM_BAD_RESOURCE,
				"%s 0x%x is of uid %u, not of uid %u", bfm_type_name(type), id,
				o->uid, c->uid);
	if (o->refs != 0)
		return bfm_fail(c, BFM_RES_STATE,
				"%s 0x%x is used by %u other objects: destroy them first",
				bfm_type_name(type), id, o->refs);
	object_drop(c->f, o);
	return BFM_OK;
}

/* Free what nobody names any more; of all if force. How many. */
static uint32_t
objects_sweep(struct bfm_function *f, bool force)
{
	struct bfm_object *o, *next;
	uint32_t i, n = 0;

	/* Queues are at the end of the types, what they stand on at the beginning. */
	for (i = BFM_NB_TYPES; i-- > 0;) {
		for (o = TAILQ_FIRST(&f->objs->tables[i].list); o != NULL; o = next) {
			next = TAILQ_NEXT(o, next);
			if (o->refs != 0 && !force)
				continue;
			if (o->refs != 0)
				bfm_log(f, BFM_ERR, "%s 0x%x still has %u references at a "
						"reset: a bug of the model",
						bfm_type_name(o->type), o->id, o->refs);
			object_drop(f, o);
			n++;
		}
	}
	return n;
}

void
bfm_objects_reset(struct bfm_function *f)
{
	uint32_t i, n = 0, step;

	if (f->objs == NULL)
		return;
	/*
	 * A maker's free() takes references back, so what it names must still be
	 * there: the named go only after all who name them.
	 */
	do {
		step = objects_sweep(f, false);
		n += step;
	} while (step != 0 && bfm_objects_count(f, BFM_NB_TYPES) != 0);
	if (bfm_objects_count(f, BFM_NB_TYPES) != 0)
		n += objects_sweep(f, true);
	for (i = 0; i < BFM_NB_TYPES; i++)
		f->objs->tables[i].low = 0;
	if (n != 0)
		bfm_log(f, BFM_INFO, "%u objects dropped", n);
}

void
bfm_objects_destroy(struct bfm_function *f)
{
	uint32_t i;

	if (f->objs == NULL)
		return;
	bfm_objects_reset(f);
	for (i = 0; i < BFM_NB_TYPES; i++) {
		free(f->objs->tables[i].slots);
		free(f->objs->tables[i].bits);
	}
	free(f->objs);
	f->objs = NULL;
}

uint32_t
bfm_objects_count(const struct bfm_function *f, enum bfm_type type)
{
	uint32_t i, n = 0;

	if (f->objs == NULL)
		return 0;
	if ((uint32_t)type < BFM_NB_TYPES)
		return f->objs->tables[type].count;
	for (i = 0; i < BFM_NB_TYPES; i++)
		n += f->objs->tables[i].count;
	return n;
}

void
bfm_objects_dump(const struct bfm_function *f, FILE *out)
{
	const struct bfm_object *o;
	const struct table *t;
	uint32_t i, id;

	if (f->objs == NULL)
		return;
	for (i = 0; i < BFM_NB_TYPES; i++) {
		t = &f->objs->tables[i];
		if (t->count == 0)
			continue;
		fprintf(out, "%s count=%u\n", type_names[i], t->count);
		for (id = 0; id < t->nb_slots; id++) {
			o = t->slots[id];
			if (o == NULL)
				continue;
			fprintf(out, "  %s 0x%x refs=%u uid=%u", type_names[i], id, o->refs,
					o->uid);
			if (o->print != NULL) {
				fputc(' ', out);
				o->print(o, out);
			}
			fputc('\n', out);
		}
	}
}

/* --------------------------------------------------------------- buffers */

/* Is every piece of the bytes from at up to end mapped for the device? At most nb looks. */
static bool
range_mapped(struct bfm_function *f, uint64_t at, uint64_t end, uint64_t nb, uint64_t *bad)
{
	uint64_t step = BFM_PAGE_SIZE;
	uint8_t byte;

	while ((end - at) / step > nb)
		step *= 2;
	*bad = at;
	while (*bad < end) {
		if (bfm_dma_read(f, *bad, &byte, 1) != 0)
			return false;
		*bad = (*bad & ~(step - 1)) + step;
		if (*bad < at) /* around the end of the address space */
			break;
	}
	*bad = end - 1;
	return bfm_dma_read(f, *bad, &byte, 1) == 0;
}

enum bfm_status
bfm_buf_read_mtt(struct bfm_cmd *c, struct bfm_buf *b, uint32_t off, uint8_t log_page,
		uint64_t page_offset, uint64_t size, uint8_t *rights)
{
	uint64_t page, nb, i, pa, start, end, bad, left, looks;

	memset(b, 0, sizeof(*b));
	if (log_page < 12 || log_page > 43)
		return bfm_fail(c, BFM_BAD_PARAM, "pages of 2^%u bytes: 2^12 to 2^43 are possible",
				log_page);
	page = UINT64_C(1) << log_page;
	if (page_offset >= page || size == 0 || size > UINT64_C(1) << 48)
		return bfm_fail(c, BFM_BAD_PARAM, "a buffer of %" PRIu64 " bytes at 0x%" PRIx64
				" of pages of %" PRIu64 " bytes", size, page_offset, page);
	nb = (page_offset + size + page - 1) >> log_page;
	/* The list is bounded by the message, so this is before any allocation. */
	if (off > c->in_len || (c->in_len - off) / 8 < nb)
		return bfm_fail(c, BFM_BAD_IN_LEN,
				"input of %u bytes, but a buffer of %" PRIu64 " bytes needs %"
				PRIu64 " pages of %" PRIu64 " bytes: %" PRIu64 " bytes of input",
				c->in_len, size, nb, page, off + nb * 8);
	b->pages = malloc(nb * sizeof(*b->pages));
	if (b->pages == NULL)
		return bfm_fail(c, BFM_NO_RESOURCES, "the model has no memory");
	/* Huge pages are one mapping as a rule: do not look a million times. */
	looks = nb < 65536 ? 65536 / nb : 1;
	left = size;
	for (i = 0; i < nb; i++) {
		pa = bfm_bits_get(c->in + off + i * 8, 0, 64);
		if (rights != NULL) {
			*rights = (i == 0 ? 3 : *rights) & (pa & 3);
			pa &= ~UINT64_C(3);
		}
		if ((pa & (page - 1)) != 0) {
			bfm_buf_free(b);
			return bfm_fail(c, BFM_BAD_PARAM, "page %" PRIu64 " at 0x%" PRIx64
					" is not aligned to its size 0x%" PRIx64,
					i, pa, page);
		}
		start = pa + (i == 0 ? page_offset : 0);
		end = pa + page - start < left ? pa + page : start + left;
		if (end <= start || !range_mapped(c->f, start, end, looks, &bad)) {
			if (end <= start)
				bad = pa;
			bfm_buf_free(b);
			return bfm_fail(c, BFM_BAD_PARAM,
					"page %" PRIu64 " at 0x%" PRIx64 ": address 0x%" PRIx64
					" is not mapped for the device", i, pa, bad);
		}
		left -= end - start;
		b->pages[i] = pa;
	}
	b->nb_pages = (uint32_t)nb;
	b->log_page = log_page;
	b->page_offset = page_offset;
	b->size = size;
	return BFM_OK;
}

enum bfm_status
bfm_buf_read(struct bfm_cmd *c, struct bfm_buf *b, uint32_t off, uint8_t log_page,
		uint64_t page_offset, uint64_t size)
{
	return bfm_buf_read_mtt(c, b, off, log_page, page_offset, size, NULL);
}

void
bfm_buf_free(struct bfm_buf *b)
{
	free(b->pages);
	memset(b, 0, sizeof(*b));
}

/* The piece of a buffer at off that is in one page: its address and length. */
static size_t
buf_piece(const struct bfm_buf *b, uint64_t off, size_t len, uint64_t *addr)
{
	uint64_t at = off + b->page_offset;
	uint64_t page = UINT64_C(1) << b->log_page;
	uint64_t in_page = at & (page - 1);

	*addr = b->pages[at >> b->log_page] + in_page;
	return len < page - in_page ? len : page - in_page;
}

int
bfm_buf_dma_read(struct bfm_function *f, const struct bfm_buf *b, uint64_t off,
		void *data, size_t len)
{
	uint8_t *p = data;
	uint64_t addr;
	size_t piece;
	int ret;

	if (off > b->size || len > b->size - off)
		return -EINVAL;
	for (; len != 0; len -= piece, off += piece, p += piece) {
		piece = buf_piece(b, off, len, &addr);
		ret = bfm_dma_read(f, addr, p, piece);
		if (ret != 0)
			return ret;
	}
	return 0;
}

int
bfm_buf_dma_write(struct bfm_function *f, const struct bfm_buf *b, uint64_t off,
		const void *data, size_t len)
{
	const uint8_t *p = data;
	uint64_t addr;
	size_t piece;
	int ret;

	if (off > b->size || len > b->size - off)
		return -EINVAL;
	for (; len != 0; len -= piece, off += piece, p += piece) {
		piece = buf_piece(b, off, len, &addr);
		/* Owner bits are at the end of what queues write: last byte last. */
		ret = bfm_dma_write_last(f, addr, p, piece);
		if (ret != 0)
			return ret;
	}
	return 0;
}
