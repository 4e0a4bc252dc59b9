/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* Stages: their memory, and copies from and to them. Keys are in bluefield_mem.c. */

#include <string.h>

#include <rte_common.h>
#include <rte_memcpy.h>

#include "bluefield_stage.h"

/* Pages of a key, fewer than any command has room for. */
#define STAGE_MAX_PAGES 1000u
#define STAGE_MIN_PAGE 4096u

int
bf_stage_alloc(struct bf_obj_dev *objs, const void *addr, uint64_t len,
	struct bf_obj_mem **mem, uint8_t **stage)
{
	uint64_t page = STAGE_MIN_PAGE;
	int ret;

	/* a key of many bytes has large pages, which have to be the same for both */
	while (len / page + 2 > STAGE_MAX_PAGES)
		page *= 2;
	ret = bf_mem_alloc(objs, len + page, mem);
	if (ret != 0)
		return ret;
	*stage = (uint8_t *)(*mem)->addr + ((uintptr_t)addr & (page - 1));
	return 0;
}

/* Where the stage has what is here in the application's memory; NULL: nowhere. */
static void *
stage_of(const struct rte_comch_mem *mem, const void *addr, uint64_t len)
{
	const struct bf_region *region = mem->priv;
	const struct rte_comch_mem_chunk *chunk;
	const uint8_t *start = mem->addr;
	uint8_t *stage = region->stages[0];

	if (mem->nb_chunks > 0) {
		chunk = rte_comch_pmd_mem_chunk(mem, addr, len);
		if (chunk == NULL)
			return NULL;
		start = chunk->addr;
		stage = region->stages[chunk - mem->chunks];
	}
	return stage == NULL ? NULL : stage + ((const uint8_t *)addr - start);
}

void
bf_stage_out(const struct rte_comch_mem *mem, const void *addr, uint64_t len)
{
	void *stage = stage_of(mem, addr, len);

	if (stage != NULL)
		rte_memcpy(stage, addr, len);
}

void
bf_stage_in(const struct rte_comch_mem *mem, void *addr, uint64_t len)
{
	const void *stage = stage_of(mem, addr, len);

	if (stage != NULL)
		rte_memcpy(addr, stage, len);
}
