/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Memory by keys: is this access allowed, and where does it lead? Which request
 * makes it is not known here.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "data.h"

#define MAX_DEPTH 4 /* keys that lead to keys; ours */
#define ANY_QP 0xffffffu

/* One access under way. */
struct access {
	const struct bfm_who *who;
	enum bfm_right right;
	bool write;
	int depth;
};

static const char * const right_names[] = { "lr", "lw", "rr", "rw", "a" };

static int
refuse(const struct access *a, uint32_t key, uint64_t addr, uint32_t len, const char *why)
{
	bfm_log(a->who->f, BFM_INFO, "QP 0x%x: access (%s) by key 0x%x to 0x%" PRIx64
			", %u bytes: %s", a->who->qpn, right_names[a->right], key, addr, len, why);
	return -EACCES;
}

static int
bus_copy(const struct access *a, uint64_t addr, uint8_t *data, uint32_t len)
{
	return a->write ? bfm_dma_write(a->who->f, addr, data, len) :
			bfm_dma_read(a->who->f, addr, data, len);
}

static bool
has_right(const struct bfm_mkey *mk, enum bfm_right right)
{
	switch (right) {
	case BFM_LOCAL_READ:
		return BFM_GET(mk->ctx, MKC, lr) != 0;
	case BFM_LOCAL_WRITE:
		return BFM_GET(mk->ctx, MKC, lw) != 0;
	case BFM_REMOTE_READ:
		return BFM_GET(mk->ctx, MKC, rr) != 0;
	case BFM_REMOTE_WRITE:
		return BFM_GET(mk->ctx, MKC, rw) != 0;
	case BFM_REMOTE_ATOMIC:
		return BFM_GET(mk->ctx, MKC, a) != 0;
	}
	return false;
}

/* Why the key cannot be used for these bytes, or NULL. */
static const char *
key_denies(const struct access *a, const struct bfm_mkey *mk, uint32_t key, uint64_t addr,
		uint32_t len)
{
	uint32_t qpn = BFM_GET(mk->ctx, MKC, qpn);
	uint64_t off = addr - mk->start;

	if (mk->variant != (key & 0xff))
		return "the key has another variant";
	if (mk->free)
		return "the key is free";
	if (BFM_GET(mk->ctx, MKC, pd) != a->who->pd)
		return "the key is of another protection domain";
	if (qpn != ANY_QP && qpn != a->who->qpn)
		return "the key is of another queue pair";
	if (!has_right(mk, a->right))
		return "the key has not this right";
	if (mk->mode == BFM_MODE_MTT && (mk->rights & (a->write ? 2 : 1)) == 0)
		return "its translations have not this right";
	if (addr < mk->start || (mk->len != UINT64_MAX && (off > mk->len || len > mk->len - off)))
		return "outside of the key's range";
	return NULL;
}

static int mem_copy(const struct access *a, uint32_t key, uint64_t addr, uint8_t *data,
		uint32_t len);

/* Translations by pieces of other keys; those of a KSM all have one size. */
static int
klm_copy(const struct access *a, const struct bfm_mkey *mk, uint64_t off, uint8_t *data,
		uint32_t len)
{
	struct access inner = *a;
	const struct bfm_klm *klm;
	uint64_t bytes;
	uint32_t i, n;
	int ret;

	if (++inner.depth > MAX_DEPTH)
		return -EACCES;
	for (i = 0; i < mk->nb_klm && len != 0; i++) {
		klm = &mk->klm[i];
		bytes = mk->mode == BFM_MODE_KSM ?
				UINT64_C(1) << BFM_GET(mk->ctx, MKC, log_page_size) :
				klm->byte_count;
		if (off >= bytes) {
			off -= bytes;
			continue;
		}
		n = bytes - off < len ? (uint32_t)(bytes - off) : len;
		ret = mem_copy(&inner, klm->mkey, klm->address + off, data, n);
		if (ret != 0)
			return ret;
		data += n;
		len -= n;
		off = 0;
	}
	return len == 0 ? 0 : -EACCES;
}

static int
mem_copy(const struct access *a, uint32_t key, uint64_t addr, uint8_t *data, uint32_t len)
{
	struct bfm_function *f = a->who->f;
	const struct bfm_mkey *mk;
	struct bfm_object *o;
	const char *why;

	if (key == BFM_RESERVED_KEY && a->who->reserved_key && a->right <= BFM_LOCAL_WRITE)
		return bus_copy(a, addr, data, len);
	o = bfm_object_find(f, BFM_T_MKEY, key >> 8);
	if (o == NULL)
		return refuse(a, key, addr, len, "there is no such key");
	mk = (const struct bfm_mkey *)o;
	why = key_denies(a, mk, key, addr, len);
	if (why != NULL)
		return refuse(a, key, addr, len, why);
	switch (mk->mode) {
	case BFM_MODE_PA:
		return bus_copy(a, addr, data, len);
	case BFM_MODE_MTT:
		return a->write ? bfm_buf_dma_write(f, &mk->mtt, addr - mk->start, data, len) :
				bfm_buf_dma_read(f, &mk->mtt, addr - mk->start, data, len);
	case BFM_MODE_KLM:
	case BFM_MODE_KSM:
		return klm_copy(a, mk, addr - mk->start, data, len);
	}
	return -EACCES;
}

int
bfm_mem_read(const struct bfm_who *who, enum bfm_right right, uint32_t key, uint64_t addr,
		void *data, uint32_t len)
{
	const struct access a = { .who = who, .right = right };

	return len == 0 ? 0 : mem_copy(&a, key, addr, data, len);
}

int
bfm_mem_write(const struct bfm_who *who, enum bfm_right right, uint32_t key, uint64_t addr,
		const void *data, uint32_t len)
{
	const struct access a = { .who = who, .right = right, .write = true };

	/* only read there: both ways share the walk */
	return len == 0 ? 0 : mem_copy(&a, key, addr, (uint8_t *)(uintptr_t)data, len);
}

/* The piece at off: how much of len it has, and where in the piece. NULL: beyond the end. */
static const struct bfm_seg *
seg_find(const struct bfm_seg *segs, uint32_t nb, uint64_t off, uint32_t *at, uint32_t *len)
{
	uint32_t i;

	for (i = 0; i < nb; i++) {
		if (off < segs[i].len) {
			*at = (uint32_t)off;
			if (segs[i].len - *at < *len)
				*len = segs[i].len - *at;
			return &segs[i];
		}
		off -= segs[i].len;
	}
	return NULL;
}

int
bfm_segs_read(const struct bfm_who *who, const struct bfm_seg *segs, uint32_t nb, uint64_t off,
		void *data, uint32_t len)
{
	const struct bfm_seg *seg;
	uint8_t *p = data;
	uint32_t at, n;
	int ret;

	for (; len != 0; len -= n, off += n, p += n) {
		n = len;
		seg = seg_find(segs, nb, off, &at, &n);
		if (seg == NULL)
			return -EMSGSIZE;
		if (seg->inl != NULL) {
			memcpy(p, seg->inl + at, n);
			continue;
		}
		ret = bfm_mem_read(who, BFM_LOCAL_READ, seg->key, seg->addr + at, p, n);
		if (ret != 0)
			return ret;
	}
	return 0;
}

int
bfm_segs_write(const struct bfm_who *who, const struct bfm_seg *segs, uint32_t nb, uint64_t off,
		const void *data, uint32_t len)
{
	const struct bfm_seg *seg;
	const uint8_t *p = data;
	uint32_t at, n;
	int ret;

	for (; len != 0; len -= n, off += n, p += n) {
		n = len;
		seg = seg_find(segs, nb, off, &at, &n);
		if (seg == NULL || seg->inl != NULL)
			return -EMSGSIZE;
		ret = bfm_mem_write(who, BFM_LOCAL_WRITE, seg->key, seg->addr + at, p, n);
		if (ret != 0)
			return ret;
	}
	return 0;
}
