/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_PATTERN_H
#define TEST_COMCH_PATTERN_H

/*
 * What the bytes of a validated message are: a function of its number on its
 * connection and of the offset, so that a lost, doubled, swapped, shifted or
 * torn message is seen in whatever byte it shows. Little-endian on the wire.
 * Freestanding: programs of an offload processor include it too.
 */

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t
pattern_word(uint64_t seq, uint32_t word)
{
	uint64_t x = (seq + 1) * UINT64_C(0x9e3779b97f4a7c15);

	x ^= x >> 29;
	x += word * UINT64_C(0xbf58476d1ce4e5b9);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	return x;
}

static inline void
pattern_fill(void *buf, uint32_t len, uint64_t seq)
{
	uint8_t *p = buf;
	uint64_t w;
	uint32_t i;

	for (i = 0; i + sizeof(w) <= len; i += sizeof(w)) {
		w = pattern_word(seq, i);
		__builtin_memcpy(p + i, &w, sizeof(w));
	}
	if (i < len) {
		w = pattern_word(seq, i);
		__builtin_memcpy(p + i, &w, len - i);
	}
}

static inline bool
pattern_ok(const void *buf, uint32_t len, uint64_t seq)
{
	const uint8_t *p = buf;
	uint64_t w;
	uint32_t i;

	for (i = 0; i + sizeof(w) <= len; i += sizeof(w)) {
		w = pattern_word(seq, i);
		if (__builtin_memcmp(p + i, &w, sizeof(w)) != 0)
			return false;
	}
	if (i < len) {
		w = pattern_word(seq, i);
		if (__builtin_memcmp(p + i, &w, len - i) != 0)
			return false;
	}
	return true;
}

#endif /* TEST_COMCH_PATTERN_H */
