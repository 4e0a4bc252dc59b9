/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* Layout of memory key commands and of the mkey context. Facts only. */

#ifndef BFM_LAYOUT_MKEY_H
#define BFM_LAYOUT_MKEY_H

#include "layout_cq.h"

#define MKC_BYTES 64u

#define MKC_FIELDS(F) \
	F(MKC, free, 0x1, 1) \
	F(MKC, access_mode_4_2, 0x3, 3) \
	F(MKC, relaxed_ordering_write, 0xd, 1) \
	F(MKC, small_fence_on_rdma_read_response, 0xf, 1) \
	F(MKC, umr_en, 0x10, 1) \
	F(MKC, a, 0x11, 1) \
	F(MKC, rw, 0x12, 1) \
	F(MKC, rr, 0x13, 1) \
	F(MKC, lw, 0x14, 1) \
	F(MKC, lr, 0x15, 1) \
	F(MKC, access_mode_1_0, 0x16, 2) \
	F(MKC, ma_translation_mode, 0x1a, 2) \
	F(MKC, qpn, 0x20, 24) \
	F(MKC, mkey_7_0, 0x38, 8) \
	F(MKC, length64, 0x60, 1) \
	F(MKC, bsf_en, 0x61, 1) \
	F(MKC, sync_umr, 0x62, 1) \
	F(MKC, expected_sigerr_count, 0x65, 1) \
	F(MKC, en_rinval, 0x67, 1) \
	F(MKC, pd, 0x68, 24) \
	F(MKC, start_addr, 0x80, 64) \
	F(MKC, len, 0xc0, 64) \
	F(MKC, bsf_octword_size, 0x100, 32) \
	F(MKC, translations_octword_size, 0x1a0, 32) \
	F(MKC, relaxed_ordering_read, 0x1d9, 1) \
	F(MKC, log_page_size, 0x1db, 5)

#define CREATE_MKEY_IN_FIELDS(F) \
	CMD_HDR_FIELDS(F, CREATE_MKEY_IN) \
	F(CREATE_MKEY_IN, pg_access, 0x60, 1) \
	F(CREATE_MKEY_IN, mkey_umem_valid, 0x61, 1) \
	F(CREATE_MKEY_IN, memory_key_mkey_entry, 0x80, 512) \
	F(CREATE_MKEY_IN, translations_octword_actual_size, 0x300, 32) \
	F(CREATE_MKEY_IN, mkey_umem_id, 0x320, 32) \
	F(CREATE_MKEY_IN, mkey_umem_offset, 0x340, 64)

#define CREATE_MKEY_OUT_FIELDS(F) \
	OUT_HDR_FIELDS(F, CREATE_MKEY_OUT) \
	F(CREATE_MKEY_OUT, mkey_index, 0x48, 24)

#define DESTROY_MKEY_IN_FIELDS(F) \
	CMD_HDR_FIELDS(F, DESTROY_MKEY_IN) \
	F(DESTROY_MKEY_IN, mkey_index, 0x48, 24)

#define QUERY_MKEY_IN_FIELDS(F) \
	CMD_HDR_FIELDS(F, QUERY_MKEY_IN) \
	F(QUERY_MKEY_IN, mkey_index, 0x48, 24) \
	F(QUERY_MKEY_IN, pg_access, 0x60, 1)

#define QUERY_MKEY_OUT_FIELDS(F) \
	OUT_HDR_FIELDS(F, QUERY_MKEY_OUT) \
	F(QUERY_MKEY_OUT, memory_key_mkey_entry, 0x80, 512) \
	F(QUERY_MKEY_OUT, bsf0_klm0_pas_mtt0_1, 0x880, 128) \
	F(QUERY_MKEY_OUT, bsf1_klm1_pas_mtt2_3, 0x900, 128)

/* One indirect translation. */
#define KLM_FIELDS(F) \
	F(KLM, byte_count, 0x0, 32) \
	F(KLM, mkey, 0x20, 32) \
	F(KLM, address, 0x40, 64)

#define MKEY_CMD_BYTES 272u /* fixed part; translations are behind it */

BFM_ENUM(MKC_FIELDS);
BFM_ENUM(CREATE_MKEY_IN_FIELDS);
BFM_ENUM(CREATE_MKEY_OUT_FIELDS);
BFM_ENUM(DESTROY_MKEY_IN_FIELDS);
BFM_ENUM(QUERY_MKEY_IN_FIELDS);
BFM_ENUM(QUERY_MKEY_OUT_FIELDS);
BFM_ENUM(KLM_FIELDS);

#endif
