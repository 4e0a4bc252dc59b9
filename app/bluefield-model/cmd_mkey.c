/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Memory keys: create, query, destroy. A key is what a client said it is; whether
 * an access by it is allowed is decided where data moves.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "queue.h"

BFM_LAYOUT(bfm_lay_create_mkey_in, "create_mkey_in", MKEY_CMD_BYTES, CREATE_MKEY_IN_FIELDS);
BFM_LAYOUT(bfm_lay_create_mkey_out, "create_mkey_out", 16, CREATE_MKEY_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_destroy_mkey_in, "destroy_mkey_in", 16, DESTROY_MKEY_IN_FIELDS);
BFM_LAYOUT(bfm_lay_query_mkey_in, "query_mkey_in", 16, QUERY_MKEY_IN_FIELDS);
BFM_LAYOUT(bfm_lay_query_mkey_out, "query_mkey_out", MKEY_CMD_BYTES + 32, QUERY_MKEY_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_mkc, "mkey_context", MKC_BYTES, MKC_FIELDS);

#define MKC_BYTE (CREATE_MKEY_IN_memory_key_mkey_entry_BIT / 8)
_Static_assert((int)CREATE_MKEY_IN_memory_key_mkey_entry_BIT ==
		(int)QUERY_MKEY_OUT_memory_key_mkey_entry_BIT, "mkey context");

#define OCTWORD 16u /* bytes: two MTTs, or one KLM */
#define ANY_QP 0xffffffu
#define KEY_INDEX(key) ((key) >> 8)
#define MTT_RIGHTS 3u /* write 2, read 1 */

static const struct bfm_needs mkc_needs[] = {
	BFM_NEEDS(MKC, relaxed_ordering_write, relaxed_ordering_write),
	BFM_NEEDS(MKC, relaxed_ordering_read, relaxed_ordering_read),
	BFM_NEEDS(MKC, bsf_en, sho),
	BFM_NEEDS(MKC, sync_umr, sho),
	BFM_NEEDS(MKC, expected_sigerr_count, sho),
	BFM_LACKS(MKC, ma_translation_mode, ats),
	BFM_LACKS(MKC, small_fence_on_rdma_read_response, small_fence_on_rdma_read_response),
};

static void
mkey_free(struct bfm_function *f, struct bfm_object *o)
{
	struct bfm_mkey *mk = (struct bfm_mkey *)o;

	(void)f;
	bfm_refs_drop(&mk->refs);
	bfm_buf_free(&mk->mtt);
	free(mk->klm);
	free(mk);
}

static void
mkey_print(const struct bfm_object *o, FILE *out)
{
	static const char * const modes[] = { "PA", "MTT", "KLM", "KSM" };
	const struct bfm_mkey *mk = (const struct bfm_mkey *)o;

	fprintf(out, "key=0x%x mode=%s%s pd=0x%" PRIx64 " start=0x%" PRIx64 " len=0x%" PRIx64
			" pages=%u klms=%u", o->id << 8 | mk->variant, modes[mk->mode],
			mk->free ? " free" : "", BFM_GET(mk->ctx, MKC, pd), mk->start, mk->len,
			mk->mtt.nb_pages, mk->nb_klm);
	fprintf(out, " rights=%s%s%s%s%s", BFM_GET(mk->ctx, MKC, lr) != 0 ? "lr," : "",
			BFM_GET(mk->ctx, MKC, lw) != 0 ? "lw," : "",
			BFM_GET(mk->ctx, MKC, rr) != 0 ? "rr," : "",
			BFM_GET(mk->ctx, MKC, rw) != 0 ? "rw," : "",
			BFM_GET(mk->ctx, MKC, a) != 0 ? "a" : "");
}

/* Translations: pages, with their rights in the low bits. */
static enum bfm_status
mtt_open(struct bfm_cmd *c, struct bfm_mkey *mk, uint64_t octwords)
{
	uint32_t log_page = BFM_GET(mk->ctx, MKC, log_page_size);
	uint64_t offset, need;
	uint8_t rights;
	enum bfm_status status;

	if (log_page < 12)
		return bfm_fail(c, BFM_BAD_PARAM,
				"log_page_size=%u: pages of 4096 bytes and more are possible",
				log_page);
	if (BFM_GET(mk->ctx, MKC, length64) != 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"length64=1 is of access mode PA: a list of pages ends");
	if (mk->len == 0)
		return BFM_OK;
	if (mk->len > UINT64_C(1) << 48)
		return bfm_fail(c, BFM_BAD_PARAM, "len=0x%" PRIx64 " is above 2^48", mk->len);
	offset = mk->start & ((UINT64_C(1) << log_page) - 1);
	if (BFM_GET(c->in, CREATE_MKEY_IN, mkey_umem_valid) != 0) {
		status = bfm_umem_buf(c, &mk->mtt, BFM_GET(c->in, CREATE_MKEY_IN, mkey_umem_id),
				BFM_GET(c->in, CREATE_MKEY_IN, mkey_umem_offset), mk->len,
				&mk->refs.objs[mk->refs.nb]);
		if (status == BFM_OK)
			mk->refs.nb++;
		return status;
	}
	need = (((offset + mk->len - 1) >> log_page) + 2) / 2;
	if (octwords < need)
		return bfm_fail(c, BFM_BAD_PARAM,
				"translations_octword_actual_size=%" PRIu64 ": start_addr=0x%"
				PRIx64 " len=0x%" PRIx64 " in pages of 2^%u bytes needs %" PRIu64,
				octwords, mk->start, mk->len, log_page, need);
	status = bfm_buf_read_mtt(c, &mk->mtt, MKEY_CMD_BYTES, log_page, offset, mk->len,
			&rights);
	if (status == BFM_OK && BFM_GET(c->in, CREATE_MKEY_IN, pg_access) != 0)
		mk->rights = rights;
	return status;
}

/* Translations: pieces of other keys. */
static enum bfm_status
klm_open(struct bfm_cmd *c, struct bfm_mkey *mk, uint64_t octwords)
{
	const uint8_t *p = c->in + MKEY_CMD_BYTES;
	struct bfm_mkey *other;
	struct bfm_klm *klm;
	uint32_t i;

	if (octwords == 0)
		return BFM_OK;
	mk->klm = calloc(octwords, sizeof(*mk->klm));
	if (mk->klm == NULL)
		return bfm_fail(c, BFM_NO_RESOURCES, "the model has no memory");
	mk->nb_klm = (uint32_t)octwords;
	for (i = 0; i < mk->nb_klm; i++, p += OCTWORD) {
		klm = &mk->klm[i];
		klm->byte_count = BFM_GET(p, KLM, byte_count);
		klm->mkey = BFM_GET(p, KLM, mkey);
		klm->address = BFM_GET(p, KLM, address);
		/* Clients fill a list up with zeroes; special keys are no objects. */
		if (KEY_INDEX(klm->mkey) < BFM_MKEY_FIRST)
			continue;
		other = (struct bfm_mkey *)bfm_object_find(c->f, BFM_T_MKEY,
				KEY_INDEX(klm->mkey));
		if (other == NULL || other->variant != (klm->mkey & 0xff))
			return bfm_fail(c, BFM_BAD_RESOURCE,
					"translation %u: there is no mkey 0x%x", i, klm->mkey);
	}
	return BFM_OK;
}

static enum bfm_status
mkey_open(struct bfm_cmd *c, struct bfm_mkey *mk)
{
	const uint8_t *ctx = mk->ctx;
	uint32_t mode = BFM_GET(ctx, MKC, access_mode_4_2) << 2 |
			BFM_GET(ctx, MKC, access_mode_1_0);
	uint64_t actual = BFM_GET(c->in, CREATE_MKEY_IN, translations_octword_actual_size);
	uint64_t octwords = BFM_GET(ctx, MKC, translations_octword_size);
	uint32_t qpn = BFM_GET(ctx, MKC, qpn);
	bool umem = BFM_GET(c->in, CREATE_MKEY_IN, mkey_umem_valid) != 0;
	enum bfm_status status;

	if (mode > BFM_MODE_KSM)
		return bfm_fail(c, BFM_BAD_PARAM,
				"access_mode=%u: 0 (PA), 1 (MTT), 2 (KLM) and 3 (KSM) exist", mode);
	mk->mode = mode;
	mk->free = BFM_GET(ctx, MKC, free) != 0;
	mk->variant = BFM_GET(ctx, MKC, mkey_7_0);
	mk->start = BFM_GET(ctx, MKC, start_addr);
	mk->len = BFM_GET(ctx, MKC, length64) != 0 ? UINT64_MAX : BFM_GET(ctx, MKC, len);
	mk->rights = MTT_RIGHTS;
	status = bfm_needs_check(c, ctx, mkc_needs, sizeof(mkc_needs) / sizeof(mkc_needs[0]));
	if (status != BFM_OK)
		return status;
	if (BFM_GET(ctx, MKC, bsf_octword_size) != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "bsf_octword_size=%" PRIu64 " without bsf_en",
				BFM_GET(ctx, MKC, bsf_octword_size));
	status = bfm_refs_take(c, &mk->refs, BFM_T_PD, BFM_GET(ctx, MKC, pd), "pd", NULL);
	if (status != BFM_OK)
		return status;
	if (qpn != ANY_QP && bfm_object_find(c->f, BFM_T_QP, qpn) == NULL)
		return bfm_fail(c, BFM_BAD_RESOURCE,
				"qpn=0x%x: there is no such QP, and 0xffffff is any", qpn);
	if (mk->len != UINT64_MAX && mk->start + mk->len < mk->start)
		return bfm_fail(c, BFM_BAD_PARAM,
				"start_addr=0x%" PRIx64 " len=0x%" PRIx64 " ends beyond 2^64",
				mk->start, mk->len);
	if (mode >= BFM_MODE_KLM && octwords > UINT64_C(1) << BFM_CAP(c->f, log_max_klm_list_size))
		return bfm_fail(c, BFM_BAD_PARAM, "translations_octword_size=%" PRIu64 " is above"
				" 2^log_max_klm_list_size=2^%" PRIu64, octwords,
				BFM_CAP(c->f, log_max_klm_list_size));
	if (mode == BFM_MODE_PA && (octwords != 0 || actual != 0))
		return bfm_fail(c, BFM_BAD_PARAM,
				"translations_octword_size=%" PRIu64 " actual=%" PRIu64
				": access mode PA has none", octwords, actual);
	if (actual > octwords)
		return bfm_fail(c, BFM_BAD_PARAM,
				"translations_octword_actual_size=%" PRIu64 " is above"
				" translations_octword_size=%" PRIu64, actual, octwords);
	if (!umem && actual * OCTWORD > c->in_len - MKEY_CMD_BYTES)
		return bfm_fail(c, BFM_BAD_IN_LEN,
				"translations_octword_actual_size=%" PRIu64 ", but the input of %u"
				" bytes has %u", actual, c->in_len,
				(c->in_len - MKEY_CMD_BYTES) / OCTWORD);
	/* A free key gets its translations by work requests, later. */
	if (mk->free)
		return BFM_OK;
	if (mode == BFM_MODE_MTT)
		return mtt_open(c, mk, actual);
	if (umem && mode != BFM_MODE_PA)
		return bfm_fail(c, BFM_BAD_PARAM,
				"mkey_umem_valid=1 with access_mode=%u: a umem is a list of pages",
				mode);
	return mode == BFM_MODE_PA ? BFM_OK : klm_open(c, mk, actual);
}

static enum bfm_status
create_mkey(struct bfm_cmd *c)
{
	enum bfm_status status;
	struct bfm_mkey *mk;

	if (c->op_mod != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "op_mod=%u: only 0 exists",
				c->op_mod);
	mk = calloc(1, sizeof(*mk));
	if (mk == NULL)
		return bfm_fail(c, BFM_NO_RESOURCES, "the model has no memory");
	mk->obj.free = mkey_free;
	mk->obj.print = mkey_print;
	memcpy(mk->ctx, c->in + MKC_BYTE, MKC_BYTES);
	status = mkey_open(c, mk);
	if (status == BFM_OK)
		status = bfm_queue_add(c, &mk->obj, BFM_T_MKEY, BFM_MKEY_FIRST,
				UINT64_C(1) << BFM_CAP(c->f, log_max_mkey));
	if (status != BFM_OK) {
		mkey_free(c->f, &mk->obj);
		return status;
	}
	BFM_SET(c->out, CREATE_MKEY_OUT, mkey_index, mk->obj.id);
	return BFM_OK;
}

static enum bfm_status
destroy_mkey(struct bfm_cmd *c)
{
	return bfm_object_remove(c, BFM_T_MKEY, BFM_GET(c->in, DESTROY_MKEY_IN, mkey_index));
}

static enum bfm_status
query_mkey(struct bfm_cmd *c)
{
	uint8_t *first = c->out + QUERY_MKEY_OUT_bsf0_klm0_pas_mtt0_1_BIT / 8;
	enum bfm_status status;
	struct bfm_object *o;
	struct bfm_mkey *mk;
	uint64_t low;
	uint32_t i;

	status = bfm_queue_find(c, BFM_T_MKEY, BFM_GET(c->in, QUERY_MKEY_IN, mkey_index), &o);
	if (status != BFM_OK)
		return status;
	mk = (struct bfm_mkey *)o;
	memcpy(c->out + MKC_BYTE, mk->ctx, MKC_BYTES);
	if (c->out_len < MKEY_CMD_BYTES + 2 * OCTWORD)
		return BFM_OK;
	/* The first two octwords of translations. */
	low = BFM_GET(c->in, QUERY_MKEY_IN, pg_access) != 0 ? mk->rights : 0;
	for (i = 0; i < 4 && i < mk->mtt.nb_pages; i++)
		bfm_bits_set(first + i * 8, 0, 64, mk->mtt.pages[i] | low);
	for (i = 0; i < 2 && i < mk->nb_klm; i++) {
		BFM_SET(first + i * OCTWORD, KLM, byte_count, mk->klm[i].byte_count);
		BFM_SET(first + i * OCTWORD, KLM, mkey, mk->klm[i].mkey);
		BFM_SET(first + i * OCTWORD, KLM, address, mk->klm[i].address);
	}
	return BFM_OK;
}

const struct bfm_cmd_desc bfm_cmds_mkey[] = {
	{ .opcode = 0x200, .name = "CREATE_MKEY", .handler = create_mkey, .states = BFM_INIT,
	  .in = &bfm_lay_create_mkey_in, .ctx = &bfm_lay_mkc, .ctx_off = MKC_BYTE,
	  .out = &bfm_lay_create_mkey_out, .in_min = MKEY_CMD_BYTES, .out_min = 16 },
	{ .opcode = 0x201, .name = "QUERY_MKEY", .handler = query_mkey, .states = BFM_INIT,
	  .in = &bfm_lay_query_mkey_in, .out = &bfm_lay_query_mkey_out, .in_min = 16,
	  .out_min = MKEY_CMD_BYTES },
	{ .opcode = 0x202, .name = "DESTROY_MKEY", .handler = destroy_mkey, .states = BFM_INIT,
	  .in = &bfm_lay_destroy_mkey_in, .in_min = 16, .out_min = 16 },
	{ .name = NULL },
};
