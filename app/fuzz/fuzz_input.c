/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* Reading of an input piece by piece. Nothing of DPDK or comch is in here. */

#include "fuzz.h"

uint8_t
fuzz_u8(struct fuzz_in *in)
{
	if (in->left == 0)
		return 0;
	in->left--;
	return *in->data++;
}

uint32_t
fuzz_u32(struct fuzz_in *in)
{
	uint32_t value = fuzz_u8(in);

	value |= (uint32_t)fuzz_u8(in) << 8;
	value |= (uint32_t)fuzz_u8(in) << 16;
	return value | (uint32_t)fuzz_u8(in) << 24;
}

size_t
fuzz_bytes(struct fuzz_in *in, const uint8_t **bytes, size_t max)
{
	size_t n = max < in->left ? max : in->left;

	*bytes = in->data;
	in->data += n;
	in->left -= n;
	return n;
}
