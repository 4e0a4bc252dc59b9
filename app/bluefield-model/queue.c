/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the commands of all queues have in common: references to what they stand
 * on, buffers by pages or umem, doorbell records, capabilities. No command is in
 * here.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "queue.h"

enum bfm_status
bfm_queue_find(struct bfm_cmd *c, enum bfm_type type, uint32_t id, struct bfm_object **o)
{
	struct bfm_object *found = bfm_object_find(c->f, type, id);

	if (found == NULL)
		return bfm_fail(c, BFM_BAD_RESOURCE, "there is no %s 0x%x",
				bfm_type_name(type), id);
	if (c->uid != 0 && c->uid != found->uid)
		return bfm_fail(c, BFM_BAD_RESOURCE,
				"%s 0x%x is of uid %u, not of uid %u", bfm_type_name(type), id,
				found->uid, c->uid);
	*o = found;
	return BFM_OK;
}

enum bfm_status
bfm_refs_take(struct bfm_cmd *c, struct bfm_refs *r, enum bfm_type type, uint32_t id,
		const char *what, struct bfm_object **obj)
{
	struct bfm_object *o = bfm_object_find(c->f, type, id);

	if (o == NULL)
		return bfm_fail(c, BFM_BAD_RESOURCE, "%s=0x%x: there is no such %s", what, id,
				bfm_type_name(type));
	if (r->nb == BFM_MAX_REFS)
		return bfm_fail(c, BFM_INTERNAL, "too many references");
	bfm_object_ref(o);
	r->objs[r->nb++] = o;
	if (obj != NULL)
		*obj = o;
	return BFM_OK;
}

void
bfm_refs_drop(struct bfm_refs *r)
{
	while (r->nb != 0)
		bfm_object_unref(r->objs[--r->nb]);
}

/* As bfm_umem_buf(), and the umem goes to the references. */
static enum bfm_status
umem_open(struct bfm_cmd *c, uint32_t id, uint64_t off, uint64_t size, struct bfm_buf *buf,
		struct bfm_refs *r)
{
	struct bfm_object *umem;
	enum bfm_status status;

	if (r->nb == BFM_MAX_REFS)
		return bfm_fail(c, BFM_INTERNAL, "too many references");
	status = bfm_umem_buf(c, buf, id, off, size, &umem);
	if (status == BFM_OK)
		r->objs[r->nb++] = umem;
	return status;
}

enum bfm_status
bfm_where_open(struct bfm_cmd *c, const struct bfm_where *w, uint64_t size, struct bfm_buf *buf,
		struct bfm_refs *r)
{
	uint8_t log_page = w->log_page_size + 12;

	if (w->umem_valid)
		return umem_open(c, w->umem_id, w->umem_offset, size, buf, r);
	if (log_page > 43)
		return bfm_fail(c, BFM_BAD_PARAM, "log_page_size=%u is above 31",
				w->log_page_size);
	return bfm_buf_read(c, buf, w->pas, log_page, (uint64_t)w->page_offset << (log_page - 6),
			size);
}

enum bfm_status
bfm_dbr_open(struct bfm_cmd *c, bool umem_valid, uint32_t umem_id, uint64_t addr,
		struct bfm_refs *r, uint64_t *dbr)
{
	enum bfm_status status;
	struct bfm_buf buf;
	uint8_t record[8];

	if ((addr & 7) != 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"dbr_addr=0x%" PRIx64 ": a doorbell record is aligned to 8",
				addr);
	if (umem_valid) {
		status = umem_open(c, umem_id, addr, sizeof(record), &buf, r);
		if (status != BFM_OK)
			return status;
		addr = buf.pages[0] + buf.page_offset;
		bfm_buf_free(&buf);
	}
	if (bfm_dma_read(c->f, addr, record, sizeof(record)) != 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"dbr_addr=0x%" PRIx64 " is not mapped for the device",
				addr);
	*dbr = addr;
	return BFM_OK;
}

enum bfm_status
bfm_queue_add(struct bfm_cmd *c, struct bfm_object *o, enum bfm_type type, uint32_t first,
		uint64_t limit)
{
	int ret;

	if (limit > 1u << 24)
		limit = 1u << 24;
	ret = bfm_object_add(c->f, o, type, first, (uint32_t)limit, c->uid);
	if (ret == -ENOSPC)
		return bfm_fail(c, BFM_LIMIT, "there are %u %ss, that is all this function has",
				bfm_objects_count(c->f, type), bfm_type_name(type));
	if (ret != 0)
		return bfm_fail(c, BFM_NO_RESOURCES, "the model has no memory");
	return BFM_OK;
}

void
bfm_queue_put_pas(struct bfm_cmd *c, const struct bfm_buf *b, uint32_t off)
{
	uint32_t i;

	for (i = 0; i < b->nb_pages && off + 8 <= c->out_len; i++, off += 8)
		bfm_bits_set(c->out + off, 0, 64, b->pages[i]);
}

enum bfm_status
bfm_needs_check(struct bfm_cmd *c, const void *ctx, const struct bfm_needs *n, uint32_t nb)
{
	uint64_t v;
	uint32_t i;

	for (i = 0; i < nb; i++) {
		v = bfm_bits_get(ctx, n[i].bit, n[i].width);
		if (v != 0 && (n[i].cap_bit == BFM_NO_CAP || bfm_cap(c->f, n[i].cap_bit, 1) == 0))
			return bfm_fail(c, BFM_BAD_PARAM,
					"%s=%" PRIu64 " needs capability %s, which is 0",
					n[i].name, v, n[i].cap);
	}
	return BFM_OK;
}
