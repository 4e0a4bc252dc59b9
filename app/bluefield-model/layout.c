/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Fields of structures: reading, writing, finding reserved bits, printing. What
 * the structures are is in the files of their commands.
 */

#include "layout.h"

/* Opaque fields are printed up to this many bytes. */
#define PRINT_BYTES 16

uint64_t
bfm_bits_get(const void *p, uint32_t bit, uint32_t width)
{
	const uint8_t *bytes = p;
	uint64_t value = 0;
	uint32_t i;

	/* bytewise: fields need not be aligned, nor lie within one word */
	while (width != 0) {
		uint32_t in_byte = 8 - bit % 8;
		uint32_t n = width < in_byte ? width : in_byte;

		i = bytes[bit / 8] >> (in_byte - n) & ((1u << n) - 1);
		value = value << n | i;
		bit += n;
		width -= n;
	}
	return value;
}

void
bfm_bits_set(void *p, uint32_t bit, uint32_t width, uint64_t value)
{
	uint8_t *bytes = p;

	while (width != 0) {
		uint32_t in_byte = 8 - bit % 8;
		uint32_t n = width < in_byte ? width : in_byte;
		uint32_t shift = in_byte - n;
		uint8_t mask = (uint8_t)(((1u << n) - 1) << shift);
		uint8_t part = (uint8_t)((width - n < 64 ? value >> (width - n) : 0) << shift);

		bytes[bit / 8] = (uint8_t)((bytes[bit / 8] & ~mask) | (part & mask));
		bit += n;
		width -= n;
	}
}

static bool
bit_named(const struct bfm_layout *l, uint32_t bit)
{
	uint32_t i;

	for (i = 0; i < l->nb_fields; i++)
		if (bit >= l->fields[i].bit &&
				bit < (uint32_t)l->fields[i].bit + l->fields[i].width)
			return true;
	return false;
}

int
bfm_reserved_set(const struct bfm_layout *l, const void *p, size_t len)
{
	const uint8_t *bytes = p;
	size_t i;
	int bit;

	if (len > l->size)
		len = l->size;
	for (i = 0; i < len; i++) {
		if (bytes[i] == 0)
			continue;
		for (bit = 0; bit < 8; bit++)
			if ((bytes[i] & 0x80 >> bit) != 0 &&
					!bit_named(l, (uint32_t)i * 8 + (uint32_t)bit))
				return (int)i * 8 + bit;
	}
	return -1;
}

/* A field too wide for a number: its bytes, the first of them if there are many. */
static void
print_opaque(const struct bfm_field *field, const uint8_t *bytes, FILE *f)
{
	uint32_t nb = field->width / 8;
	uint32_t first = field->bit / 8;
	bool any = false;
	uint32_t i;

	for (i = 0; i < nb && !any; i++)
		any = bytes[first + i] != 0;
	if (!any)
		return;
	fprintf(f, " %s=", field->name);
	for (i = 0; i < nb && i < PRINT_BYTES; i++)
		fprintf(f, "%02x", bytes[first + i]);
	if (nb > PRINT_BYTES)
		fprintf(f, "...");
}

void
bfm_layout_print(const struct bfm_layout *l, const void *p, size_t len, FILE *f)
{
	const uint8_t *bytes = p;
	uint64_t value;
	uint32_t i;

	if (len > l->size)
		len = l->size;
	for (i = 0; i < l->nb_fields; i++) {
		const struct bfm_field *field = &l->fields[i];

		if (((size_t)field->bit + field->width + 7) / 8 > len)
			continue;
		if (field->width > 64) {
			print_opaque(field, bytes, f);
			continue;
		}
		value = bfm_bits_get(p, field->bit, field->width);
		if (value != 0)
			fprintf(f, value < 10 ? " %s=%ju" : " %s=0x%jx", field->name,
					(uintmax_t)value);
	}
}
