/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* Bounce buffers: their memory, and copies from and to them. Keys are in bluefield_mem.c. */

#include <string.h>

#include <rte_common.h>
#include <rte_memcpy.h>

#include "bluefield_bounce.h"

/* Pages of a key, fewer than any command has room for. */
#define BOUNCE_MAX_PAGES 1000u
#define BOUNCE_MIN_PAGE 4096u

int
bf_bounce_alloc(struct bf_obj_dev *objs, const void *addr, uint64_t len,
	struct bf_obj_mem **mem, uint8_t **bounce)
{
	uint64_t page = BOUNCE_MIN_PAGE;
	int ret;

	/* a key of many bytes has large pages, which have to be the same for both */
	while (len / page + 2 > BOUNCE_MAX_PAGES)
		page *= 2;
	ret = bf_mem_alloc(objs, len + page, mem);
	if (ret != 0)
		return ret;
	*bounce = (uint8_t *)(*mem)->addr + ((uintptr_t)addr & (page - 1));
	return 0;
}

/* Where the bounce buffer has what is here in the application's memory; NULL: nowhere. */
static void *
bounce_of(const struct rte_comch_mem *mem, const void *addr, uint64_t len)
{
	const struct bf_region *region = mem->priv;
	const struct rte_comch_mem_chunk *chunk;
	const uint8_t *start = mem->addr;
	uint8_t *bounce = region->bounces[0];

	if (mem->nb_chunks > 0) {
		chunk = rte_comch_pmd_mem_chunk(mem, addr, len);
		if (chunk == NULL)
			return NULL;
		start = chunk->addr;
		bounce = region->bounces[chunk - mem->chunks];
	}
	return bounce == NULL ? NULL : bounce + ((const uint8_t *)addr - start);
}

void
bf_bounce_out(const struct rte_comch_mem *mem, const void *addr, uint64_t len)
{
	void *bounce = bounce_of(mem, addr, len);

	if (bounce != NULL)
		rte_memcpy(bounce, addr, len);
}

void
bf_bounce_in(const struct rte_comch_mem *mem, void *addr, uint64_t len)
{
	const void *bounce = bounce_of(mem, addr, len);

	if (bounce != NULL)
		rte_memcpy(addr, bounce, len);
}
