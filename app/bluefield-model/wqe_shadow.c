/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Requests at the instant at which their doorbell record changed, to be compared with
 * what is fetched later. What requests mean is not known here.
 */

#include <stdlib.h>
#include <string.h>

#include "data.h"

#define NEXT_INDEX 2u /* of an entry of a list */

static uint8_t *
room(struct bfm_shadow *s, uint64_t size)
{
	if (s->bytes == NULL)
		s->bytes = calloc(1, size);
	return s->bytes;
}

void
bfm_shadow_ring(struct bfm_function *f, struct bfm_shadow *s, const struct bfm_buf *buf,
		uint64_t first, uint32_t entry, uint32_t nb, uint16_t posted)
{
	uint64_t off;

	if (room(s, (uint64_t)entry * nb) == NULL)
		return;
	for (; s->seen != posted; s->seen++) {
		off = (uint64_t)(s->seen & (nb - 1)) * entry;
		if (bfm_buf_dma_read(f, buf, first + off, s->bytes + off, entry) != 0)
			break;
	}
}

void
bfm_shadow_list(struct bfm_function *f, struct bfm_shadow *s, const struct bfm_buf *buf,
		uint32_t entry, uint32_t nb, uint16_t posted)
{
	uint64_t off;

	if (room(s, (uint64_t)entry * nb) == NULL)
		return;
	for (; s->seen != posted; s->seen++) {
		off = (uint64_t)(s->at & (nb - 1)) * entry;
		if (bfm_buf_dma_read(f, buf, off, s->bytes + off, entry) != 0)
			break;
		s->at = (uint16_t)bfm_bits_get(s->bytes + off + NEXT_INDEX, 0, 16);
	}
}

bool
bfm_shadow_same(const struct bfm_shadow *s, uint64_t off, uint64_t size, const void *data,
		uint32_t len)
{
	uint64_t n = size - off < len ? size - off : len;

	if (s->bytes == NULL)
		return true;
	return memcmp(s->bytes + off, data, n) == 0 &&
			memcmp(s->bytes, (const uint8_t *)data + n, len - n) == 0;
}
