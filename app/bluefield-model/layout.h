/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * How commands and contexts are laid out, said once: a list of fields makes the
 * constants that handlers read with, the table that the log prints from, and
 * the mask that finds reserved bits. No behaviour is in here.
 *
 * Bit 0 is the most significant bit of the first byte, as the device counts in
 * 32-bit big-endian words: byte 8, bits 31..24 of the third word, is bit 64.
 */

#ifndef BFM_LAYOUT_H
#define BFM_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* One field. Fields wider than 64 bits are opaque: named, never read as numbers. */
struct bfm_field {
	const char *name;
	uint16_t bit;
	uint16_t width;
};

/* A structure of a fixed size. Bits that no field covers are reserved. */
struct bfm_layout {
	const char *name;
	const struct bfm_field *fields;
	uint16_t nb_fields;
	uint16_t size; /* bytes */
};

/*
 * A list is written as
 *   #define CQC_FIELDS(F) \
 *           F(CQC, status, 0, 4) \
 *           F(CQC, ...)
 * and used as BFM_ENUM(CQC_FIELDS), once in a header, and
 * BFM_LAYOUT(cqc, "cqc", 64, CQC_FIELDS), once in a source file.
 */
#define BFM_FIELD_ENUM(L, name, bit, width) L##_##name##_BIT = (bit), L##_##name##_WIDTH = (width),
#define BFM_ENUM(LIST) enum { LIST(BFM_FIELD_ENUM) }
#define BFM_FIELD_ROW(L, name, bit, width) { #name, (bit), (width) },
#define BFM_LAYOUT(var, text, bytes, LIST) \
	static const struct bfm_field var##_fields[] = { LIST(BFM_FIELD_ROW) }; \
	const struct bfm_layout var = { \
		(text), var##_fields, sizeof(var##_fields) / sizeof(var##_fields[0]), (bytes) }

/* Value of a field of up to 64 bits; p is the start of the structure. */
#define BFM_GET(p, L, name) bfm_bits_get((p), L##_##name##_BIT, L##_##name##_WIDTH)
#define BFM_SET(p, L, name, v) bfm_bits_set((p), L##_##name##_BIT, L##_##name##_WIDTH, (v))

uint64_t bfm_bits_get(const void *p, uint32_t bit, uint32_t width);
void bfm_bits_set(void *p, uint32_t bit, uint32_t width, uint64_t value);

/*
 * First reserved bit of a structure that is set, or -1. Structures may be cut
 * short by a message: only len bytes are looked at.
 */
int bfm_reserved_set(const struct bfm_layout *l, const void *p, size_t len);

/* Print "name=value" of all fields that are not zero. */
void bfm_layout_print(const struct bfm_layout *l, const void *p, size_t len, FILE *f);

#endif
